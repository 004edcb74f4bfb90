/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of a capture of any family, in the order in which a device reports them: by their end. */
#ifndef MSPROF_DB_QUERY_OPERATORS_QUERY_OPERATORS_H
#define MSPROF_DB_QUERY_OPERATORS_QUERY_OPERATORS_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdint.h>

/* Part of each task and call that statistics of a CANN capture need, which is far less than the reports need. */

/* Values that are not known are DB_NULL. */
struct duration {
    int64_t major, minor; /* of tasks: device, core type (core_names); of calls: level, 0 */
    int64_t name_id;      /* of tasks: the operator's type */
    int64_t duration_ns;
    int64_t op_name_id; /* of tasks */
};

enum duration_subject { DURATION_TASKS, DURATION_CALLS };

/* Reads ranges of tasks or calls, one after another. */
struct duration_reader; /* opaque */

/* NULL with err set. */
struct duration_reader *duration_reader_new(sqlite3 *db, enum duration_subject subject, struct err *err);
void duration_reader_free(struct duration_reader *reader); /* NULL is fine */
/* Those with first <= id < end, by id. */
int query_read_durations(struct duration_reader *reader, int64_t first, int64_t end,
                         int (*each)(void *arg, const struct duration *duration, struct err *err), void *arg,
                         struct err *err);

/* When a call was made: less than query_cann.h tells of it, and read faster. */
struct timed_call {
    int64_t thread_id, start_ns, duration_ns, launches;
    int64_t name_id; /* of communication, the operator's */
};

/* All calls of a capture of Ascend, by thread and start; a call comes before those inside of it. */
int query_read_timed_calls(sqlite3 *db, int (*each)(void *arg, const struct timed_call *call, struct err *err),
                           void *arg, struct err *err);

struct operator_run {
    const char *type, *name; /* never NULL: "N/A" when the capture does not say it */
    int64_t device_id;
    int64_t model_id;              /* DB_NULL: the capture does not say it */
    int64_t thread_id;             /* of the host, that launched it; DB_NULL: not known */
    int64_t start_ns, duration_ns; /* DB_NULL: not known, when the clock of the cores is not */
};

/* Operators of one model and those of which the capture does not say the model; model_id DB_NULL: all. SVP: a layer
 * group is one operator; without a known start of its inference it is placed as in timelines. */
int operators_each(sqlite3 *db, int64_t model_id,
                   int (*each)(void *arg, const struct operator_run *run, struct err *err), void *arg, struct err *err);

/* The models that operators_each gives operators of, ascending; without the ones of which the capture says nothing. */
int operators_each_model(sqlite3 *db, int (*each)(void *arg, int64_t model_id, struct err *err), void *arg,
                         struct err *err);

#endif
