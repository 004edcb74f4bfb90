/* SPDX-License-Identifier: Apache-2.0 */
/* Records of warm-up: devices and host may record before the collection starts (start_info), as schedules with warm-up
 * have them do. A record that ended before the start is kept in its table, and hidden from reports: on a connection of
 * warm_up_open a temporary view stands in front of each table that has such rows. Communication operators are
 * hidden that began before the start. */
#ifndef MSPROF_DB_WARM_UP_H
#define MSPROF_DB_WARM_UP_H

#include "base/err.h"
#include "parsers/capture/capture.h"
#include "parsers/record.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Columns of a kind that say when a record ended; -1: it has no such column. */
struct warm_up_rule {
    int start, duration, end, device;
    bool by_start; /* the begin decides */
};
/* False: records of the kind have no times of their own, or say what holds from then on. */
bool warm_up_rule_of(const struct record_kind *kind, struct warm_up_rule *ret);
/* The rows of a batch that ended before the collection started in their part of the capture. */
uint64_t warm_up_count(const struct warm_up_rule *rule, const struct capture *capture, const struct row_batch *batch);

/* Stores what an import counted: how many records, and which tables have them, each behind a blank. */
int warm_up_store(sqlite3 *db, uint64_t records, const char *tables, struct err *err);

/* Once per process, before databases are opened: reports show warm-up, too. */
void warm_up_show(void);
bool warm_up_is_shown(void);
/* Hides the rows on a connection of database_open, unless warm_up_show was called. */
int warm_up_hide(sqlite3 *db, struct err *err);
/* Makes views of the tables of an attached database without those rows, named with the prefix. */
int warm_up_attach(sqlite3 *db, const char *schema, const char *prefix, struct err *err);
/* Opens a database for reports: database_open, and hides the rows. */
int warm_up_open(const char *path, sqlite3 **ret, struct err *err);
/* Whether rows are hidden on this connection. */
bool warm_up_hides(sqlite3 *db);
/* The start of the collection on a device; INT64_MIN: nothing is hidden on this connection. */
int warm_up_end_ns(sqlite3 *db, int64_t device_id, int64_t *ret, struct err *err);
/* The start of the collection on a device, whether there is warm-up or not; none if it is shown. */
int warm_up_start_ns(sqlite3 *db, int64_t device_id, int64_t *ret, struct err *err);

#endif
