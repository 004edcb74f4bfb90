/* What a capture's devices did, in memory: the input of every question. It is filled by who reads the database, by
 * device and start. An execution takes 24 bytes; operators, of which there are far fewer, have the names. */
#ifndef MSPROF_ANALYSIS_DIFF_WORKLOAD_H
#define MSPROF_ANALYSIS_DIFF_WORKLOAD_H

#include "analysis/interval.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum work { WORK_CUBE, WORK_VECTOR, WORK_AI_CPU, WORK_COMMUNICATION, WORK_COPY, WORK_KINDS };
const char *work_name(enum work work); /* "AI_CORE" and so on */

/* What the counters of a core say, each as a share of the time. */
enum unit {
    UNIT_CUBE,     /* multiplies matrices */
    UNIT_VECTOR,   /* calculates vectors */
    UNIT_SCALAR,   /* calculates scalars, controls */
    UNIT_LOAD,     /* reads memory outside of the core: mte2, dld */
    UNIT_WEIGHTS,  /* SVP: loads weights */
    UNIT_INNER,    /* moves data inside of the core: mte1, dtrans */
    UNIT_STORE,    /* writes memory outside of the core: mte3, dstr */
    UNIT_OCCUPIED, /* cube utilisation: UNIT_CUBE over all cores of the device, not of the cores that ran */
    UNITS
};
const char *unit_name(enum unit unit);

#define NO_TEXT UINT32_MAX
#define STEP_OF_NO_MODEL INT64_C(4294967295) /* as records number it; what is printed never does */

struct workload_key { /* without padding: it is hashed */
    uint32_t name, type, shapes, work;
};

/* The same operator again and again. */
struct workload_operator {
    struct workload_key key; /* texts of the workload */
    int64_t count;
    double total_ns;
    uint64_t first;                 /* execution */
    double counted_ns;              /* of the executions that the sums below are of */
    double units[UNITS];            /* share of time, times time; negative: not counted */
    double waste_ns;                /* core time lost by the number of blocks; of executions whose blocks are known */
    double blocks_ns;               /* time of those */
    double read_bytes, write_bytes; /* of outside memory; negative: not counted */
    double copy_bytes;              /* what a copy moved */
};

struct execution {
    int64_t start_ns, duration_ns;
    uint32_t op;
    uint16_t stream, device; /* indexes */
};

struct workload_step {
    int64_t start_ns, end_ns;
    int64_t model_id; /* STEP_OF_NO_MODEL: it was marked by itself */
    uint16_t device;  /* index */
};

enum step_source { STEPS_NONE, STEPS_MARKED, STEPS_INFERENCES, STEPS_PERIOD };
const char *step_source_name(enum step_source source);

/* What a capture says of itself; texts are "" and numbers 0 where it does not. */
struct workload_facts {
    char family[32], chip[32], models[256], metrics[160];
    int64_t cube_cores, vector_cores, clock_khz, rated_khz, tick_ns, devices, problems;
    bool times_known; /* false: durations mean nothing */
    bool placed;      /* the capture does not say when each task ran; gaps between tasks mean nothing */
};

struct workload {
    struct workload_facts facts;
    struct intern texts;
    struct workload_operator *operators;
    size_t operator_count, operator_capacity;
    struct map operator_index; /* of workload_key */
    struct execution *executions;
    size_t execution_count, execution_capacity;
    struct workload_step *steps; /* by device, then start */
    size_t step_count, step_capacity;
    enum step_source step_source;
    struct workload_id {
        int64_t id, device; /* as the capture numbers them */
    } * streams, *devices;
    size_t stream_count, stream_capacity, device_count, device_capacity;
    uint64_t refused; /* executions whose times are none: negative, or past the end of the clock */
};

void workload_init(struct workload *workload);
void workload_release(struct workload *workload);

/* The text of a number, "" for NO_TEXT. */
const char *workload_text(const struct workload *workload, uint32_t text);
/* NULL is NO_TEXT. */
int workload_add_text(struct workload *workload, const char *text, uint32_t *ret, struct err *err);
/* The index of an operator, new or known; sums of a new one are "not counted". */
int workload_add_operator(struct workload *workload, const struct workload_key *key, uint32_t *ret, struct err *err);
/* One execution. Times that are none are counted and left out: then *ret_taken is false. */
int workload_add(struct workload *workload, uint32_t op, int64_t device_id, int64_t stream_id, int64_t start_ns,
                 int64_t duration_ns, bool *ret_taken, struct err *err);
int workload_add_step(struct workload *workload, int64_t device_id, int64_t model_id, int64_t start_ns, int64_t end_ns,
                      struct err *err);
/* After the last of all: sorts what is out of order and, when no step was added, finds them by the period of each
 * device's operators. */
int workload_finish(struct workload *workload, struct err *err);

static inline bool work_computes(uint32_t work)
{
    return work == WORK_CUBE || work == WORK_VECTOR || work == WORK_AI_CPU;
}

/* TransData, Cast and so on: they change how data lie, not what they say. */
bool is_conversion(const char *type);

#endif
