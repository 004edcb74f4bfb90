/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of communication_analyzer.db and analysis.db: what each communication operator did with its time, over
 * which links, and between which ranks. */
#ifndef MSPROF_EXPORTERS_COMMUNICATION_ANALYZER_TABLES_H
#define MSPROF_EXPORTERS_COMMUNICATION_ANALYZER_TABLES_H

#include "db/table_rows.h"

#include <stdbool.h>

struct analyzer_tables {
    struct table_rows times, traffic, links;
    bool by_step;            /* they tell steps and halves, too */
    const char *step, *half; /* of the rows to come */
};

/* by_step: as PyTorch has them; else as the analysis of a capture. Close them whatever the result. */
int analyzer_tables_open(struct analyzer_tables *tables, sqlite3 *db, bool by_step, struct err *err);
void analyzer_tables_close(struct analyzer_tables *tables);

struct analyzer_name {
    const char *op, *group; /* group: its number */
};

struct analyzer_times {
    int64_t start_ns;
    double elapse_ms, transit_ms, wait_ms, synchronization_ms, idle_ms;
};
int analyzer_add_times(struct analyzer_tables *tables, const struct analyzer_name *name,
                       const struct analyzer_times *times, struct err *err);

/* Packets of one size that went over a link, beside all that went over it. */
struct analyzer_packets {
    const char *link;
    double mb, ms, gb_per_s, large_ratio;
    double packet_mb;
    int64_t count;
    double packets_ms;
};
int analyzer_add_packets(struct analyzer_tables *tables, const struct analyzer_name *name,
                         const struct analyzer_packets *packets, struct err *err);

/* The sum of what one rank gave another. */
struct analyzer_pair {
    int64_t from, to;
    const char *transport; /* NULL: of no known kind */
    double mb, ms, gb_per_s;
    const char *op; /* with steps: whose it was; NULL: of all together */
};
int analyzer_add_pair(struct analyzer_tables *tables, const struct analyzer_name *name,
                      const struct analyzer_pair *pair, struct err *err);

#endif
