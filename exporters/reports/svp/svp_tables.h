/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of SVP captures that are made of one way through inferences and their tasks (svp_walk.h). Reports are
 * independent of each other, so workers write their files side by side, each with its own connection. */
#ifndef MSPROF_EXPORTERS_REPORTS_SVP_SVP_TABLES_H
#define MSPROF_EXPORTERS_REPORTS_SVP_SVP_TABLES_H

#include "base/err.h"
#include "db/query/query.h"
#include "exporters/reports/svp/svp_layer_table.h"
#include "exporters/reports/svp/svp_metric.h"
#include "exporters/table/report.h"

/* One way through the inferences of an SVP capture, for the files and for the terminal: report by report, each
 * inference with the sum over its tasks and its layer table, then its tasks; the report's operator statistic after its
 * last. Memory does not grow with tasks or inferences. */

struct svp_walker; /* opaque */

/* An inference. */
struct svp_walk_stop {
    const struct svp_inference *inference;
    const struct svp_task *network; /* the sum over its tasks */
    struct svp_layer_table *table;  /* of its model; its texts are the visitor's */
    struct svp_walker *walker;
};

/* Each function may be NULL; a result that is not 0 ends the walk and becomes its result. */
struct svp_visitor {
    /* At each inference that has tasks; it may read them. */
    int (*inference)(void *arg, const struct svp_walk_stop *stop, struct err *err);
    /* After the report's last inference; the rows are sorted. */
    int (*report)(void *arg, const struct svp_report *report, const struct svp_statistic *statistic, struct err *err);
    void *arg;
};

/* Gives each task of the inference in execution order, with what its model says of it (NULL: nothing). For a visitor's
 * function `inference` only, as often as it likes. */
int svp_walk_tasks(const struct svp_walk_stop *stop,
                   int (*each)(void *arg, const struct svp_task *task, struct svp_task_layers *layers, struct err *err),
                   void *arg, struct err *err);

/* Goes through all reports in order. */
int svp_walk(sqlite3 *db, const struct svp_visitor *visitor, struct err *err);

/* Goes through single reports. visitor must outlive the walker. NULL with err set. */
struct svp_walker *svp_walker_new(sqlite3 *db, const struct svp_visitor *visitor, struct err *err);
void svp_walker_free(struct svp_walker *walker); /* NULL is fine */
int svp_walk_report(struct svp_walker *walker, const struct svp_report *report, struct err *err);

extern const struct report_walk svp_tables;

/* The functions of a table for the walk, as its report's walk_visitor; each may be NULL. */
struct svp_table {
    int (*inference)(struct report_run *run, const struct svp_walk_stop *stop, struct err *err);
    int (*report)(struct report_run *run, const struct svp_report *report, const struct svp_statistic *statistic,
                  struct err *err);
};

#define REPORT_ITERATION 1 /* the iter_id in file names: the vendor's tool never writes another */

/* Puts what tells a file from those of other parts into suffix: each number behind '_'. */
int svp_suffix(struct strbuf *suffix, const int64_t *numbers, size_t count, struct err *err);

#endif
