/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of SVP captures that are made of one way through inferences and their tasks (svp_walk.h). Reports are
 * independent of each other, so workers write their files side by side, each with its own connection. */
#ifndef MSPROF_EXPORTERS_REPORTS_SVP_SVP_TABLES_H
#define MSPROF_EXPORTERS_REPORTS_SVP_SVP_TABLES_H

#include "exporters/reports/svp/svp_walk.h"
#include "exporters/table/report.h"

extern const struct report_walk svp_tables;

/* What a table makes of it, as its report's walk_visitor; each function may be NULL. */
struct svp_table {
    int (*inference)(struct report_run *run, const struct svp_walk_stop *stop, struct err *err);
    int (*report)(struct report_run *run, const struct svp_report *report, const struct svp_statistic *statistic,
                  struct err *err);
};

#define REPORT_ITERATION 1 /* the iter_id in file names: the vendor's tool never writes another */

/* What tells a file from those of other parts: each number behind '_', into suffix. */
int svp_suffix(struct strbuf *suffix, const int64_t *numbers, size_t count, struct err *err);

#endif
