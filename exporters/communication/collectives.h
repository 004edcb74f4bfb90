/* SPDX-License-Identifier: Apache-2.0 */
/* Each communication operator of a device's tasks, analysed: what the files of it are made of, whoever writes them. */
#ifndef MSPROF_EXPORTERS_COMMUNICATION_COLLECTIVES_H
#define MSPROF_EXPORTERS_COMMUNICATION_COLLECTIVES_H

#include "analysis/collective.h"
#include "db/query/query_cann.h"
#include "db/query/query_records.h"

#include <sqlite3.h>

/* Called for each run of an operator whose tasks are known, by device and start: in memory that it does not own.
 * task_rows: device_task.id of each task of collective->runs. */
typedef int collective_taker(void *arg, const struct cann_communication *op, const struct collective *collective,
                             const int64_t *task_rows, struct err *err);

/* names: of the database, plain. Holds the tasks of one operator at a time. */
int collectives_each(sqlite3 *db, const struct cann_texts *names, collective_taker *take, void *arg, struct err *err);

/* Whether an operator of this name, NULL for none, sends or receives between two ranks. */
bool communication_is_point_to_point(const char *name);

/* A task of an operator, as records have it; its plane is known. */
struct collective_task collective_task_of(const struct cann_texts *names, const struct cann_transfer *transfer);

/* Whether more than one device has such operators. */
int collectives_of_several_devices(sqlite3 *db, bool *ret, struct err *err);

#endif
