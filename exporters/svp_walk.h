/* One way through all inferences of an SVP capture, for the files and for the terminal: inferences by report, each with
 * the sum over its tasks and its layer table; reports with their operator statistic. Memory does not grow with tasks or
 * inferences. */
#ifndef MSPROF_EXPORTERS_SVP_WALK_H
#define MSPROF_EXPORTERS_SVP_WALK_H

#include "base/err.h"
#include "db/query.h"
#include "exporters/svp_statistic.h"

struct svp_walk_stop {
    const struct svp_inference *inference;
    const struct svp_task *network;  /* the sum over its tasks */
    const struct svp_layers *layers; /* of its model */
    struct svp_task_reader *tasks;   /* free for reading the tasks again */
};

/* Either function may be NULL; a result that is not 0 ends the walk and becomes its result. */
struct svp_visitor {
    int (*inference)(void *arg, const struct svp_walk_stop *stop, struct err *err);
    /* After the report's last inference; the rows are sorted. */
    int (*report)(void *arg, const struct svp_report *report, const struct svp_statistic *statistic, struct err *err);
    void *arg;
};

int svp_walk(sqlite3 *db, const struct svp_visitor *visitor, struct err *err);

#endif
