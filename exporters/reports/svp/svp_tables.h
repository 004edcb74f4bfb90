/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of SVP captures that are made of one way through inferences and their tasks. Reports are
 * independent of each other, so workers write their files side by side, each with its own connection. */
#ifndef MSPROF_EXPORTERS_REPORTS_SVP_SVP_TABLES_H
#define MSPROF_EXPORTERS_REPORTS_SVP_SVP_TABLES_H

#include "base/err.h"
#include "base/strbuf.h"
#include "db/query/query.h"
#include "exporters/reports/svp/svp_metric.h"
#include "exporters/table/report.h"
#include "exporters/table/value.h"

/* The layer table of one model, arranged for going through millions of its AI core tasks: what a task needs is looked
 * up or made once, not for every inference. */

/* The layers that one AI core task runs. */
struct svp_task_layers {
    int64_t task_id;
    size_t first, count; /* in layers.layers */
    size_t text, length; /* in texts; length 0: not made yet, or no room was left */
};

struct svp_layer_table {
    struct svp_layers layers;
    struct svp_task_layers *tasks; /* ascending by id */
    size_t task_count;
    size_t found; /* the task found last: mostly the next one is asked for then */
    /* Numbers for the types, one for each layer, and memos for these numbers; the first is for tasks without layers. */
    uint32_t *types;
    struct statistic_memo *memos;
    struct strbuf texts;
};

/* A model without a layer table has an empty one. On success the table needs a release. */
int svp_layer_table_load(sqlite3 *db, const char *model, int64_t model_id, struct svp_layer_table *ret,
                         struct err *err);
void svp_layer_table_release(struct svp_layer_table *table);

/* NULL when the table does not name the task. */
struct svp_task_layers *svp_layer_table_find(struct svp_layer_table *table, int64_t task_id);

/* Keeps a text for a task, when there is still room for it. */
void svp_layer_table_keep(struct svp_layer_table *table, struct svp_task_layers *task, const char *text, size_t length);

/* Credits the time of a task (NULL: one that the table does not name) to the types of its layers. All calls for one
 * table must be with the same statistic. */
int svp_layer_table_credit(struct svp_layer_table *table, const struct svp_task_layers *task,
                           struct svp_statistic *statistic, int64_t stream_id, int64_t centi_us, struct err *err);

/* The layers of one task as lists: what a row about a task says of them. */

struct svp_layer_lists {
    struct strbuf ids, names, types, ori_names;
    size_t layers;    /* how many; the lists are empty when none is known */
    int64_t first_id; /* a single id is a number, not a list */
};

void svp_layer_lists_init(struct svp_layer_lists *lists);
void svp_layer_lists_release(struct svp_layer_lists *lists);
/* Sets the lists for these layers: joined by commas for files or, with '\n' for the terminal, one item per line (then
 * original names, which are lists themselves, are split too). 0, or -ERR_LIMIT when a list is absurdly long. */
int svp_layer_lists_set(struct svp_layer_lists *lists, const struct svp_layer *layers, size_t count, char separator,
                        struct err *err);

/* One of the lists; missing when no layer is known. It must not be set again while the value is in use. */
struct report_value svp_layer_list_value(const struct svp_layer_lists *lists, const struct strbuf *list);
/* The ids: a list like the others, or the number of a single layer. */
struct report_value svp_layer_ids_value(const struct svp_layer_lists *lists);

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

/* Gives each task of the inference in execution order, with what its model says of it (NULL: nothing). For a visitor's
 * function `inference` only, as often as it likes. */
int svp_walk_tasks(const struct svp_walk_stop *stop,
                   int (*each)(void *arg, const struct svp_task *task, struct svp_task_layers *layers, struct err *err),
                   void *arg, struct err *err);

extern const struct report_walk svp_tables;

/* The functions of a table for the walk, as its report's visitor; each may be NULL. */
struct svp_table {
    int (*inference)(struct report_run *run, const struct svp_walk_stop *stop, struct err *err);
    int (*report)(struct report_run *run, const struct svp_report *report, const struct svp_statistic *statistic,
                  struct err *err);
};

#define REPORT_ITERATION 1 /* the iter_id in file names: the vendor's tool never writes another */

/* Puts the part's numbers, by which file names differ, into suffix: each number behind '_'. */
int svp_suffix(struct strbuf *suffix, const int64_t *numbers, size_t count, struct err *err);

#endif
