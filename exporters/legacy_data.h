/* What the reports of one device of a capture of the layout of 2022 are made of: every execution of a task with its
 * operator and its counters. Times are nanoseconds of the host's monotonic clock in binary floating point, exactly as
 * Ascend's tool of 2022 held them: its reports show the rounding. */
#ifndef MSPROF_EXPORTERS_LEGACY_DATA_H
#define MSPROF_EXPORTERS_LEGACY_DATA_H

#include "db/query_legacy.h"
#include "exporters/export.h"
#include "exporters/pmu_metric.h"

#include <stdbool.h>
#include <stddef.h>

struct legacy_task {
    int64_t stream_id, task_id;
    int64_t type;                           /* what the device says it is: 0 AI core, 1 AI CPU; DB_NULL: nothing */
    double wait, pending, start, end;       /* NAN: did not happen */
    const struct legacy_operator *op;       /* NULL: nothing names the task */
    const struct legacy_counters *counters; /* NULL: none were taken */
    const char *launch;                     /* the runtime's function that launched it; NULL: not known */
    double share;                           /* for sorting: percent of all time */
    bool outside;                           /* of the iterations; none in a loaded device */
};

/* A task that copied asynchronously, which is a task of its own kind: it has no operator and no counters. */
struct legacy_copy_time {
    int64_t stream_id, task_id;
    double receive, start, end;
};
#define LEGACY_COPY_NAME "MemcopyAsync"
#define LEGACY_COPY_TYPE "other"

/* What the AI CPU measured of a task. */
struct legacy_ai_cpu_time {
    struct legacy_ai_cpu_run run;
    const struct legacy_operator *op; /* NULL: nothing names the task */
};

/* Which part of a capture is reported. A capture without marks of iterations is one iteration of no model. */
struct legacy_range {
    int64_t model_id;               /* DB_NULL: of no model */
    int64_t iteration;              /* the first */
    int64_t after_tick, until_tick; /* tasks that end after the one and not after the other */
    bool exists;                    /* there is such an iteration */
};

/* Finds the iterations that the options ask for. */
int legacy_range_find(struct legacy_range *range, sqlite3 *db, const struct legacy_part *part,
                      const struct export_options *options, struct err *err);

struct text_pool; /* inside */

struct legacy_device {
    bool brief; /* set before it is loaded: without counters, tensors, and, but on chip 0, launches; faster */
    struct legacy_part part;
    struct legacy_range range;
    struct legacy_task *tasks; /* in the order of legacy_each_run */
    size_t task_count, task_capacity;
    struct legacy_copy_time *copies; /* by start */
    size_t copy_count, copy_capacity;
    struct legacy_ai_cpu_time *ai_cpu_times; /* by start */
    size_t ai_cpu_count, ai_cpu_capacity;
    struct legacy_operator *operators; /* by stream, task, batch */
    size_t operator_count, operator_capacity;
    struct legacy_counters *counters; /* by stream, task, record */
    size_t counter_count, counter_capacity;
    struct pmu_plan pmu;        /* the columns: of the AI cores, or of the vector cores when only they counted;
                                 * count 0: no counters in the capture */
    struct pmu_plan vector_pmu; /* what counters of vector cores mean */
    struct text_pool *texts;
};

/* Fills a device that is zeroed but for brief; it must be released also after a failure. */
int legacy_device_load(struct legacy_device *device, sqlite3 *db, const struct legacy_part *part,
                       const struct legacy_range *range, struct err *err);
void legacy_device_release(struct legacy_device *device);

/* Loads each device that has the iterations that the options ask for, gives it and releases it. brief: see
 * legacy_device. The first result of each that is not 0 ends it and is returned. */
int legacy_each_device(sqlite3 *db, const struct export_options *options, bool brief,
                       int (*each)(void *arg, struct legacy_device *device, struct err *err), void *arg,
                       struct err *err);

/* Sorts the tasks by start, stream and task; or by end. */
void legacy_device_sort_by_start(struct legacy_device *device);
void legacy_device_sort_by_end(struct legacy_device *device);
/* The operators by the time of their report; free() it. NULL when memory ran out. */
const struct legacy_operator **legacy_device_by_time(const struct legacy_device *device);
/* The first of such a list that was reported after from_ns and before until_ns; NULL: none. */
const struct legacy_operator *legacy_device_operator_within(const struct legacy_operator *const *by_time, size_t count,
                                                            int64_t from_ns, int64_t until_ns);

/* The device->pmu.count values of a task that has counters. */
void legacy_task_values(const struct legacy_device *device, const struct legacy_task *task, struct pmu_value *values);
/* The time of a task in ms by its counters; NAN when it has none. */
double legacy_task_milliseconds(const struct legacy_device *device, const struct legacy_task *task);
/* "AI_CORE", "AI_CPU", "AIV", or NULL. */
const char *legacy_task_type(const struct legacy_task *task);

#endif
