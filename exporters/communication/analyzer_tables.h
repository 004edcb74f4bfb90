/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of communication_analyzer.db and analysis.db: what each communication operator did with its time, over
 * which links, and between which ranks. */
#ifndef MSPROF_EXPORTERS_COMMUNICATION_ANALYZER_TABLES_H
#define MSPROF_EXPORTERS_COMMUNICATION_ANALYZER_TABLES_H

#include "analysis/collective.h"
#include "db/table_rows.h"

#include <stdbool.h>

struct analyzer_tables {
    struct table_rows times, traffic, links;
    bool by_step;            /* they tell steps and halves, too */
    bool as_frameworks;      /* figures are the frameworks' doubles, not exact sums */
    const char *step, *half; /* of the rows to come */
};

/* by_step: as PyTorch has them; else as the analysis of a capture. Close them whatever the result. */
int analyzer_tables_open(struct analyzer_tables *tables, sqlite3 *db, bool by_step, bool as_frameworks,
                         struct err *err);
void analyzer_tables_close(struct analyzer_tables *tables);

struct analyzer_name {
    const char *op, *group; /* group: its number */
};

/* Adds an operator's times, its packets, a row for each size that went over a link, and without steps what each rank
 * gave another. start_ns since 1970. */
int analyzer_add_operator(struct analyzer_tables *tables, const struct analyzer_name *name, int64_t start_ns,
                          const struct collective *sum, struct err *err);
/* Adds what one rank gave another. op, with steps: whose it was; NULL: of all together. */
int analyzer_add_pair(struct analyzer_tables *tables, const struct analyzer_name *name,
                      const struct collective_pair *pair, double gb_per_s, const char *op, struct err *err);

#endif
