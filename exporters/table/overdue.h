/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the program when a query of the user's does not come back in time: a single function of SQLite, such as printf()
 * with a width of two thousand millions, is neither interrupted nor takes memory. A thread waits beside the query.
 *     struct overdue overdue;
 *     overdue_begin(&overdue, bound.at_ns, &why);
 *     ... // sqlite3_step()
 *     overdue_end(&overdue); */
#ifndef MSPROF_EXPORTERS_TABLE_OVERDUE_H
#define MSPROF_EXPORTERS_TABLE_OVERDUE_H

#include "base/err.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct overdue {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool runs, is_over;
    int64_t at_ns;
    struct err err; /* why the program ends */
};

/* What ends the program, with a message: it does not return. NULL, as at first: nothing does, and no thread waits. */
void overdue_set_end(void (*end)(const struct err *err));

/* From a moment behind at_ns of the monotonic clock on (0: never) the program ends, until overdue_end(). err: why. */
void overdue_begin(struct overdue *overdue, int64_t at_ns, const struct err *err);
void overdue_end(struct overdue *overdue);

#endif
