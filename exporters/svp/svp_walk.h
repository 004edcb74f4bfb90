/* One way through the inferences of an SVP capture, for the files and for the terminal: report by report, each
 * inference with the sum over its tasks and its layer table, then its tasks; the report's operator statistic after its
 * last. Every task is read once. Memory does not grow with tasks or inferences. */
#ifndef MSPROF_EXPORTERS_SVP_SVP_WALK_H
#define MSPROF_EXPORTERS_SVP_SVP_WALK_H

#include "base/err.h"
#include "base/strbuf.h"
#include "db/query/query.h"
#include "exporters/svp/svp_statistic.h"

/* An inference. Lives until its last task has been visited. */
struct svp_walk_stop {
    const struct svp_inference *inference;
    const struct svp_task *network;  /* the sum over its tasks */
    const struct svp_layers *layers; /* of its model */
    struct svp_task_reader *tasks;   /* free for other readings until the function `inference` returns */
};

/* Each function may be NULL; a result that is not 0 ends the walk and becomes its result. */
struct svp_visitor {
    /* Before the inference's first task. One without tasks is passed over. */
    int (*inference)(void *arg, const struct svp_walk_stop *stop, struct err *err);
    /* Each task in execution order, with the text that `describe` made for it. */
    int (*task)(void *arg, const struct svp_task *task, const char *text, size_t length, struct err *err);
    /* Appends to text what the visitor will want with every execution of this task; needed with `task`. Called once for
     * a task of a model, more often only when texts and layer tables become too many to be kept. */
    int (*describe)(void *arg, int64_t task_id, const struct svp_layer *layers, size_t count, struct strbuf *text,
                    struct err *err);
    /* After the report's last inference; the rows are sorted. */
    int (*report)(void *arg, const struct svp_report *report, const struct svp_statistic *statistic, struct err *err);
    void *arg;
};

/* Goes through all reports in order. */
int svp_walk(sqlite3 *db, const struct svp_visitor *visitor, struct err *err);

/* Goes through single reports. visitor must outlive the walker. NULL with err set. */
struct svp_walker *svp_walker_new(sqlite3 *db, const struct svp_visitor *visitor, struct err *err);
void svp_walker_free(struct svp_walker *walker); /* NULL is fine */
int svp_walk_report(struct svp_walker *walker, const struct svp_report *report, struct err *err);

#endif
