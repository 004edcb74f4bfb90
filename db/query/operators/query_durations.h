/* SPDX-License-Identifier: Apache-2.0 */
/* Durations of each task and call, for statistics of a CANN capture, which need far less than the reports. */
#ifndef MSPROF_DB_QUERY_OPERATORS_QUERY_DURATIONS_H
#define MSPROF_DB_QUERY_OPERATORS_QUERY_DURATIONS_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdint.h>

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
int read_durations(struct duration_reader *reader, int64_t first, int64_t end,
                   int (*each)(void *arg, const struct duration *duration, struct err *err), void *arg,
                   struct err *err);

/* When a call was made: less than query_cann.h tells of it, and read faster. */
struct timed_call {
    int64_t thread_id, start_ns, duration_ns, launches;
    int64_t name_id; /* of communication, the operator's */
};
/* All calls of a capture of Ascend, by thread and start; a call comes before those inside of it. */
int read_timed_calls(sqlite3 *db, int (*each)(void *arg, const struct timed_call *call, struct err *err), void *arg,
                     struct err *err);

#endif
