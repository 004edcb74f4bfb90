/* SPDX-License-Identifier: Apache-2.0 */
/* Work of a capture's devices, in memory: the input of every question. It is filled by who reads the database, by
 * device and start. An execution takes 24 bytes; operators, of which there are far fewer, have the names. */
#ifndef MSPROF_FEATURES_ANSWERS_ANALYSIS_WORKLOAD_H
#define MSPROF_FEATURES_ANSWERS_ANALYSIS_WORKLOAD_H

#include "base/array.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/interval.h"
#include "base/map.h"
#include "base/ticks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where steps begin when nothing marks them: the sequence of operators repeats. */

/* A repetition: the operator `divider` begins each of `count` steps. */
struct period {
    size_t count; /* fewer than 2: the sequence has no period */
    uint32_t divider;
    double share; /* of the operators, those that run as often in all steps: count times, or a multiple of it */
};

/* counts[i]: how often operator i runs; first[i]: its first place in the sequence (any order will do). The number of
 * steps is the count, of at least 2, that most operators have, the larger one of two; their first operator divides. A
 * period that covers less than half of the operators is none. holds: whether its steps are alike; when they are not the
 * next count is tried, a few of them. NULL: nothing is asked. */
int workload_find_period(const size_t *counts, const uint64_t *first, size_t operators,
                         bool (*holds)(void *arg, const struct period *period), void *arg, struct period *ret,
                         struct err *err);

enum work { WORK_CUBE, WORK_VECTOR, WORK_AI_CPU, WORK_COMMUNICATION, WORK_COPY, WORK_KINDS };

/* Counters of a core, each as a share of the time. */
enum unit {
    UNIT_CUBE,      /* multiplies matrices */
    UNIT_VECTOR,    /* calculates vectors */
    UNIT_SCALAR,    /* calculates scalars, controls */
    UNIT_LOAD,      /* reads memory outside of the core: mte2, dld */
    UNIT_WEIGHTS,   /* SVP: loads weights */
    UNIT_INNER,     /* moves data inside of the core: mte1, dtrans */
    UNIT_STORE,     /* writes memory outside of the core: mte3, dstr */
    UNIT_OCCUPIED,  /* how much of the cores of the device an operator held, whatever they did */
    UNIT_CUBE_ALL,  /* UNIT_CUBE over all cores of the device, not of those that ran: how much the matrix units work */
    UNIT_CUBE_GAIN, /* SVP: multiplies matrices at full width (mac ppen); UNIT_VECTOR is that of vectors there */
    UNITS
};

#define NO_TEXT UINT32_MAX
#define STEP_OF_NO_MODEL INT64_C(4294967295) /* as records number it; what is printed never does */

struct workload_key { /* without padding: it is hashed */
    uint32_t name, type, shapes, work;
};

/* An operator, and what its executions have in common. */
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

#define WORKLOAD_SAME_CYCLES 4 /* execution.cycles of one whose duration is the nearest to its cycles */
#define WORKLOAD_DEVICES_MOST (1U << 13)
struct execution {
    int64_t start_ns, duration_ns;
    uint32_t op;
    uint16_t stream, device : 13; /* indexes */
    uint16_t cycles : 3; /* of boards: by how many cycles it is off the nearest to its duration, + 4; 0: not known */
};

/* Families of steps. A capture may have several, whose steps overlap in time: they are never mixed. The largest of a
 * capture leads: totals are divided by its steps. */
enum step_source {
    STEPS_NONE,
    STEPS_PERIOD,     /* the sequence of operators repeats */
    STEPS_INFERENCES, /* of SVP: what ran on the cores for one input */
    STEPS_ITERATIONS, /* of models, by the marks of task schedulers */
    STEPS_MARKED,     /* steps that the user's program marks */
    STEPS_FRAMEWORK,  /* those of MindSpore and PyTorch */
    STEPS_RANGES,     /* ranges of the host with a name that the user chose */
    STEP_SOURCES
};

const char *step_source_name(enum step_source source);

#define NO_PERIOD INT64_C(-1)

struct workload_step {
    int64_t start_ns, end_ns;
    int64_t model_id;                   /* STEP_OF_NO_MODEL: it is of none */
    int64_t number;                     /* as the capture counts it: neighbours have numbers that follow each other */
    int64_t batch, input;               /* of inferences, else 0 */
    int64_t work_start_ns, work_end_ns; /* of inferences: of all that ran for it, the AI CPU too */
    int64_t period_ns;                  /* to the begin of its neighbour; NO_PERIOD: that was not recorded. Set by
                                           workload_finish */
    uint32_t model;                     /* text: the name of the model, NO_TEXT */
    uint16_t device;                    /* index */
    uint8_t source;                     /* enum step_source */
    uint8_t kind;                       /* of the workload's kinds, from 1; 0: its steps are of one */
    uint32_t place;                     /* among all steps, from 1, where others were left out; 0: none was */
    bool begins_early;                  /* before the collection started: what ended until then is hidden */
    bool lost_behind; /* inferences between it and the next were not recorded, or nothing says when. Set by
                         splits_relate_steps */
};

/* A call of the host that starts an inference of a model. */
struct execute_start {
    int64_t device_id, model_id;
    uint32_t model; /* text */
    int64_t start_ns, end_ns;
};

/* Facts that a capture says of itself; texts are "" or NULL and numbers 0 where it does not. */
struct workload_facts {
    char family[32], chip[32];
    char *models, *metrics; /* lists, owned by the workload, or by the profile that has a copy */
    int64_t cube_cores, vector_cores, clock_khz, rated_khz, tick_ns, devices, problems;
    bool times_known; /* false: durations mean nothing */
    bool misses_half; /* a device that worked, or the host, left nothing */
    bool placed;      /* start times are synthesised; gaps are meaningless */
    /* Sampled inferences, and the number of others between them. interval: every interval-th inference was recorded,
     * 0 if irregular. Set by splits_relate_steps. */
    int64_t recorded, unrecorded, interval;
};

#define RECORDED_SIZE 80

/* "1 of 5 inferences recorded"; "" where none is known to be missing. */
void workload_recorded_text(const struct workload_facts *facts, char text[RECORDED_SIZE]);

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
    enum step_source step_source; /* the leading family */
    /* Kinds of steps by period that differ in the shapes of their operators: the shapes that tell each from the others.
     */
    struct ARRAY_OF(uint32_t) kinds;             /* texts */
    struct ARRAY_OF(struct workload_step) begun; /* steps whose end is not marked: their end_ns says nothing */
    struct ARRAY_OF(struct execute_start) execute_starts;
    struct {
        struct other_task {
            int64_t start_ns, end_ns;
            uint16_t device;
        } * items;
        size_t count, capacity;
    } other_tasks; /* what devices ran beside executions: notifications, the parts of communication operators */
    struct intervals *others;     /* of each device: when one of those ran. Set by workload_finish */
    struct intervals *unrecorded; /* of each device: between inferences of which those between were not recorded */
    struct workload_id {
        int64_t id, device; /* as the capture numbers them */
        int64_t hz;         /* of a device: the rate of its clock, as base/ticks.h has it */
    } * streams, *devices;
    int64_t cycle_hz; /* of boards: the rate of the cycles of executions; 0: not known */
    /* From the first start to the last end of what programs launched on a device, whether executions or not. A family
     * whose log of executions can be full before others are has none: there these are the bounds. */
    struct ARRAY_OF(struct workload_bounds {
        int64_t device_id;
        int64_t start_ns;
        int64_t end_ns;
    }) bounds;
    /* Rates of the clocks of devices, set before loading; of those without one times are nanoseconds. */
    struct ARRAY_OF(struct workload_clock {
        int64_t device_id; /* INT64_MIN: of any that is not before it */
        int64_t hz;
    }) clocks;
    size_t stream_count, stream_capacity, device_count, device_capacity;
    uint16_t streams_near[64]; /* indexes of streams that were used last, by the end of their number */
    struct workload_window {
        bool any;
        int64_t from_ns, until_ns; /* what begins at the first or later, and before the last */
        int64_t device_id;         /* INT64_MIN: all devices */
        int64_t step;              /* its place; 0: it is no step */
    } window;                      /* set before loading: nothing else is taken */
    bool sums_only;                /* set before loading: operators alone are kept, with their sums */
    bool borrowed;                 /* all that it points to is another's: workload_release leaves it alone */
    const struct splits *splits;   /* made of it, for who needs them again, and outlive it; NULL: each makes its own */
    uint64_t refused;              /* executions whose times are none: negative, or past the end of the clock */
};

/* Whether operators say which kind of core they ran on: only where matrices and vectors have cores of their own. */
bool workload_knows_cores(const struct workload_facts *facts);

void workload_init(struct workload *workload);
void workload_release(struct workload *workload);

/* The text of a number, "" for NO_TEXT. */
const char *workload_text(const struct workload *workload, uint32_t text);
/* NULL is NO_TEXT. */
int workload_add_text(struct workload *workload, const char *text, uint32_t *ret, struct err *err);
/* The index of an operator, new or known; sums of a new one are "not counted". */
int workload_add_operator(struct workload *workload, const struct workload_key *key, uint32_t *ret, struct err *err);
/* Whether these are times at all. */
static inline bool workload_takes(int64_t start_ns, int64_t duration_ns)
{
    return duration_ns >= 0 && start_ns != INT64_MIN && start_ns <= INT64_MAX - duration_ns;
}
/* Which of the devices has this number; device_count: none. */
static inline uint16_t workload_device_of(const struct workload *workload, int64_t id)
{
    size_t i = 0;
    while (i < workload->device_count && workload->devices[i].id != id)
        i++;
    return (uint16_t)i;
}
/* The rate of the clock of the device with this number. */
int64_t workload_clock_hz(const struct workload *workload, int64_t device_id);
/* Whether what begins then on a device is of the workload's window. */
static inline bool workload_wants(const struct workload *workload, int64_t device_id, int64_t start_ns)
{
    const struct workload_window *window = &workload->window;

    return !window->any || (start_ns >= window->from_ns && start_ns < window->until_ns &&
                            (window->device_id == INT64_MIN || window->device_id == device_id));
}
/* One execution. Times that are none are counted and left out: then *ret_taken is false. */
int workload_add(struct workload *workload, uint32_t op, int64_t device_id, int64_t stream_id, int64_t start_ns,
                 int64_t duration_ns, bool *ret_taken, struct err *err);
/* The cycles of an execution whose `cycles` is not 0. */
static inline int64_t workload_cycles(const struct workload *workload, const struct execution *execution)
{
    return number_rescale(execution->duration_ns, workload->cycle_hz, TICKS_OF_NS) + execution->cycles -
           WORKLOAD_SAME_CYCLES;
}
/* How long an execution took, by the ticks of its device's clock; duration_ns is the difference of rounded times, so
 * that its end is start_ns + duration_ns. Rounded once, and as it is, to be summed. */
static inline int64_t workload_length_ns(const struct workload *workload, const struct execution *execution)
{
    if (execution->cycles != 0)
        return ticks_ns(workload->cycle_hz, workload_cycles(workload, execution));
    return ticks_span_ns(workload->devices[execution->device].hz, execution->start_ns, execution->duration_ns);
}
/* The rate of the clock of that (base/ticks.h). */
static inline int64_t workload_rate(const struct workload *workload, const struct execution *execution)
{
    return execution->cycles != 0 ? workload->cycle_hz : workload->devices[execution->device].hz;
}
static inline double workload_length(const struct workload *workload, const struct execution *execution)
{
    if (execution->cycles != 0)
        return ticks_whole_ns(workload->cycle_hz, workload_cycles(workload, execution));
    return ticks_exact_ns(workload->devices[execution->device].hz, execution->start_ns, execution->duration_ns);
}
/* Sets the cycles of a board's core for the execution that was added last: its times are rounded from sums of
 * these, so that its duration is up to a nanosecond off. Returns its length in nanoseconds, not rounded. */
double workload_add_cycles(struct workload *workload, uint32_t op, int64_t duration_ns, int64_t cycles, int64_t hz);
/* A task that is no execution: only that something ran counts. */
int workload_add_other(struct workload *workload, int64_t device_id, int64_t start_ns, int64_t duration_ns,
                       struct err *err);
/* Something that a program launched, of those that are the bounds of a device's time. */
int workload_add_bounds(struct workload *workload, int64_t device_id, int64_t start_ns, int64_t duration_ns,
                        struct err *err);
/* A step with all but its device and its period. One that ends before it starts is left out. */
int workload_add_step(struct workload *workload, int64_t device_id, const struct workload_step *step, struct err *err);
/* A step of which the begin alone is marked. */
int workload_add_begun(struct workload *workload, int64_t device_id, const struct workload_step *step, struct err *err);
/* A call that starts an inference: they show how many were made. */
int workload_add_execute_start(struct workload *workload, const struct execute_start *start, struct err *err);
/* After the last of all: sorts what is out of order and, when no step was added, finds them by the period of each
 * device's operators. Which of them are neighbours is for splits_relate_steps. */
int workload_finish(struct workload *workload, struct err *err);

/* Before workload_finish of a workload with a window: takes the steps of the window from the whole one, which is
 * finished and related, so that they keep their periods and places. */
int workload_inherit(struct workload *to, const struct workload *whole, struct err *err);

/* After workload_finish: the first execution of a device that begins at a time or behind it; where there is none the
 * one behind the last of the device. */
size_t workload_first_at(const struct workload *workload, uint16_t device, int64_t time_ns);

/* Appends a word to a list in a fact, separated by ", ", each once. */
int workload_facts_append(char **list, const char *word, struct err *err);

static inline bool work_computes(uint32_t work)
{
    return work == WORK_CUBE || work == WORK_VECTOR || work == WORK_AI_CPU;
}

/* TransData, Cast and so on: they change how data lie, not what they say. */
bool workload_is_conversion(const char *type);

#endif
