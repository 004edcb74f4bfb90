/* SPDX-License-Identifier: Apache-2.0 */
/* communication.json and communication_matrix.json: what each communication operator did with its time, over which
 * links, and between which ranks. */
#ifndef MSPROF_FEATURES_COMMUNICATION_COMMUNICATION_FILES_H
#define MSPROF_FEATURES_COMMUNICATION_COMMUNICATION_FILES_H

#include "db/query/query_cann.h"
#include "db/query/query_records.h"
#include "db/table_rows.h"
#include "exporters/export.h"
#include "features/communication/collective.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes both for each device that has such operators: "communication_<timestamp>.json", of several devices
 * "communication_<device>_<timestamp>.json". Adds to *ret; rows are operators. */
int communication_files(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);

/* The names of the files of communication. */

#define COMMUNICATION_NAME_MAX 64

/* "communication", of several devices "communication_<device>". */
static inline void communication_name(char name[COMMUNICATION_NAME_MAX], const char *file, bool several_devices,
                                      int64_t device_id)
{
    if (several_devices)
        snprintf(name, COMMUNICATION_NAME_MAX, "%s_%" PRId64, file, device_id);
    else
        snprintf(name, COMMUNICATION_NAME_MAX, "%s", file);
}

/* communication_analyzer.db: the content of communication.json and communication_matrix.json, as tables for viewers. */

/* Writes "communication_analyzer_<timestamp>.db", of several devices "communication_analyzer_<device>_<timestamp>.db";
 * without such operators nothing. Adds to *ret. */
int communication_database(sqlite3 *db, const struct export_options *options, struct export_result *ret,
                           struct err *err);

/* The tables of communication_analyzer.db and analysis.db: what each communication operator did with its time, over
 * which links, and between which ranks. */

struct analyzer_tables {
    struct table_rows times, traffic, links;
    bool by_step;            /* they also have steps and halves */
    bool as_frameworks;      /* figures are the frameworks' doubles, not exact sums */
    const char *step, *half; /* of the rows to come */
};

/* by_step: as PyTorch has them; else as the analysis of a capture. They end with the database's build. */
int analyzer_tables_open(struct analyzer_tables *tables, sqlite3 *db, bool by_step, bool as_frameworks,
                         struct err *err);

struct analyzer_name {
    const char *op, *group; /* group: its number */
};

/* Adds an operator's times, its packets, a row for each size that went over a link, and without steps what each rank
 * gave another. start_ns since 1970. */
int analyzer_add_operator(struct analyzer_tables *tables, const struct analyzer_name *name, int64_t start_ns,
                          const struct collective *sum, struct err *err);
/* Adds what one rank gave another. op, with steps: whose it was; NULL: of all together. */
int analyzer_add_pair(struct analyzer_tables *tables, const struct analyzer_name *name,
                      const struct collective_pair *pair, double ms, double gb_per_s, const char *op, struct err *err);

#endif
