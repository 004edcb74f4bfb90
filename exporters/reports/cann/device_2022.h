/* SPDX-License-Identifier: Apache-2.0 */
/* One device of a capture of the layout of 2022, for its reports: which part of the capture is reported, and times and
 * numbers as Ascend's tool of 2022 had them: in binary floating point, rounded as Python does, which its reports show.
 * Times are nanoseconds of the host's monotonic clock. Nothing here grows with the capture. */
#ifndef MSPROF_EXPORTERS_REPORTS_CANN_DEVICE_2022_H
#define MSPROF_EXPORTERS_REPORTS_CANN_DEVICE_2022_H

#include "base/file/spool.h"
#include "base/map.h"
#include "db/query/query_executions.h"
#include "db/query/query_plain_calls.h"
#include "exporters/counters/pmu_metric.h"
#include "exporters/export.h"
#include "exporters/table/report.h"

#define COPY_NAME_2022 "MemcopyAsync"
#define COPY_TYPE_2022 "other"
#define NO_MODEL_2022 4294967295 /* what reports say of operators of no model */
/* For a WITH: texts of the ids that the framework of the device, which is :device, gave names and types. */
#define HASHES_2022                                                                                                    \
    "hash AS MATERIALIZED (SELECT h.hash_id, h.name, min(h.id) FROM framework_hash h"                                  \
    "  JOIN source_file s ON s.id = h.file_id WHERE coalesce(s.device_id, :device) = :device GROUP BY h.hash_id)"

/* Which part of a capture is reported. A capture without marks of iterations is one iteration of no model. */
struct range_2022 {
    int64_t model_id;  /* DB_NULL: of no model */
    int64_t iteration; /* the first */
    struct execution_range ticks;
    bool exists; /* there is such an iteration */
};

struct device_2022 {
    sqlite3 *db;
    const struct cann_part *part;
    struct range_2022 range;
};

/* The meaning of a device's counters. */
struct counters_2022 {
    struct pmu_plan plan; /* the columns: of the AI cores, or of the vector cores when only they counted; count 0:
                           * no counters in the capture */
    struct pmu_plan vector_plan; /* what counters of vector cores mean */
};
int counters_2022_init(struct counters_2022 *counters, const struct device_2022 *device, struct err *err);

/* Gives each device that has the iterations that the options ask for. The first result of each that is not 0 ends it
 * and is returned. */
int device_2022_each(sqlite3 *db, const struct export_options *options,
                     int (*each)(void *arg, const struct device_2022 *device, struct err *err), void *arg,
                     struct err *err);
/* The device of a report's scope. */
int device_2022_of(struct device_2022 *device, struct report_run *run, struct err *err);
/* Its calls, which the tables of a session share; NULL with err set. */
struct plain_calls *device_2022_calls(struct report_run *run, struct err *err);
/* Likewise sums of its executions. */
struct core_group {
    struct core_key {
        int64_t type_id, task_type;
    } key;
    const char *type, *core; /* the type is whoever shows it to find */
    int64_t count;
    double total, min, max;
};
struct sums_2022 {
    int64_t first_tick, last_tick; /* DB_NULL: there are none; times of the tool are in the order of their ticks */
    double all_time;
    struct map groups; /* struct core_group: of operators, by type and core */
};
const struct sums_2022 *device_2022_sums(struct report_run *run, struct err *err);
/* "_<device>[_<model>]_<iteration>": what is behind the names of its reports. */
#define SUFFIX_2022_MAX 96
void device_2022_suffix(const struct device_2022 *device, char suffix[SUFFIX_2022_MAX]);

/* "AI_CORE", "AI_CPU", "AIV", or NULL. */
const char *task_2022_type(const struct device_2022 *device, const struct cann_task *task);
/* Whether it has counters, and its counters->plan.count values then. */
static inline bool task_2022_counted(const struct cann_task *task)
{
    return task->has_aic || task->has_aiv;
}
void task_2022_values(const struct counters_2022 *counters, const struct cann_task *task, struct pmu_value *values);
/* Its time in ms by its counters, of which the cycles are enough; NAN when it has none. */
double task_2022_milliseconds(const struct counters_2022 *counters, const struct cann_task *task);

/* A tick on the host's clock, in the tool's order of operations; DB_NULL: NAN. */
double time_2022(const struct device_2022 *device, int64_t tick);

/* When executions ran, as time_2022 has it: where the device was summed before, that was found then and is read again.
 * Asked for each execution in the order of execution_each, with the spool of device_2022_spans, which
 * also gives the approximate length of the table. */
struct span_2022 {
    double start, end;
};
int device_2022_spans(struct spool **ret, struct report_run *run, struct err *err);
int span_2022_next(struct span_2022 *ret, struct spool *spans, const struct device_2022 *device,
                   const struct cann_task *task, struct err *err);

/* Values as the tool rounded them, to four decimals; times are given in nanoseconds, NAN does not exist. */
struct report_value decimal_2022(double value);
struct report_value microseconds_2022(double nanoseconds);
struct report_value nanoseconds_2022(double time);
/* part of whole in percent. */
struct report_value percent_2022(double part, double whole);
/* The parts of ACL by api_type, as its reports name them. */
extern const struct value_name api_types_2022[];
const char *api_type_2022(int64_t api_type);
/* Whether the function that is called launches an operator. */
bool device_2022_launches(const struct plain_call *call);

#endif
