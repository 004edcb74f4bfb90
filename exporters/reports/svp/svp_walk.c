/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/svp/svp_walk.h"

#include "base/interrupt.h"
#include "exporters/reports/svp/svp_metric.h"

#include <stdlib.h>
#include <string.h>

#define CACHED_MODELS 4 /* layer tables in memory: models may alternate within a report */

struct cached_model {
    char *name; /* NULL: free */
    int64_t model_id;
    struct svp_layer_table table;
};

struct svp_walker {
    sqlite3 *db;
    const struct svp_visitor *visitor;
    struct svp_task_reader *tasks;
    struct svp_report_reader *reports;
    struct cached_model models[CACHED_MODELS];
    size_t next_model; /* the entry to be replaced */
    struct svp_statistic statistic;
    const struct svp_report *report;
    bool credited; /* the tasks of the inference under way to the statistic, or it is not wanted */
};

static void forget_model(struct cached_model *model)
{
    if (model->name == NULL)
        return;
    svp_layer_table_release(&model->table);
    free(model->name);
    model->name = NULL;
}

static int find_table(struct svp_walker *walker, const char *name, int64_t model_id, struct svp_layer_table **ret,
                      struct err *err)
{
    for (size_t i = 0; i < CACHED_MODELS; i++) {
        struct cached_model *model = &walker->models[i];
        if (model->name != NULL && model->model_id == model_id && strcmp(model->name, name) == 0) {
            *ret = &model->table;
            return 0;
        }
    }
    struct cached_model *model = &walker->models[walker->next_model];
    forget_model(model);
    char *copy = strdup(name);
    if (copy == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a layer table");
    int result = svp_layer_table_load(walker->db, name, model_id, &model->table, err);
    if (result < 0) {
        free(copy);
        return result;
    }
    model->name = copy;
    model->model_id = model_id;
    walker->next_model = (walker->next_model + 1) % CACHED_MODELS;
    *ret = &model->table;
    return 0;
}

struct task_visit {
    const struct svp_walk_stop *stop;
    int (*each)(void *arg, const struct svp_task *task, struct svp_task_layers *layers, struct err *err);
    void *arg;
    bool credits; /* to the statistic */
};

static int visit_task(void *arg, const struct svp_task *task, struct err *err)
{
    const struct task_visit *visit = arg;
    struct svp_layer_table *table = visit->stop->table;
    struct svp_task_layers *layers = svp_layer_table_find(table, task->task_id);
    if (visit->each != NULL) {
        int result = visit->each(visit->arg, task, layers, err);
        if (result != 0)
            return result;
    }
    if (!visit->credits)
        return 0;
    return svp_layer_table_credit(table, layers, &visit->stop->walker->statistic, task->stream_id,
                                  svp_time_centi_us(task->total_cycle, visit->stop->inference->core_khz), err);
}

int svp_walk_tasks(const struct svp_walk_stop *stop,
                   int (*each)(void *arg, const struct svp_task *task, struct svp_task_layers *layers, struct err *err),
                   void *arg, struct err *err)
{
    struct svp_walker *walker = stop->walker;
    struct task_visit visit = {stop, each, arg, !walker->credited};
    walker->credited = true;
    return svp_read_tasks(walker->tasks, stop->inference->id, visit_task, &visit, err);
}

static int visit_inference(void *arg, const struct svp_inference *inference, struct err *err)
{
    struct svp_walker *walker = arg;
    const struct svp_visitor *visitor = walker->visitor;
    struct svp_task network;
    struct svp_layer_table *table;
    if (inference->tasks == 0)
        return 0;
    if (interrupted())
        return interrupt_error(err);
    int result = find_table(walker, inference->model, inference->model_id, &table, err);
    if (result < 0)
        return result;
    svp_network_of(inference, &network);
    const struct svp_walk_stop stop = {.inference = inference, .network = &network, .table = table, .walker = walker};
    walker->credited = visitor->report == NULL;
    if (visitor->inference != NULL && (result = visitor->inference(visitor->arg, &stop, err)) != 0)
        return result;
    return walker->credited ? 0 : svp_walk_tasks(&stop, NULL, NULL, err);
}

static int visit_ai_cpu_task(void *arg, const char *model, const struct svp_ai_cpu_task *task, struct err *err)
{
    struct svp_walker *walker = arg;
    struct svp_layer_table *table;
    int result = find_table(walker, model, walker->report->model_id, &table, err);
    if (result < 0)
        return result;
    size_t first = 0, count = svp_layers_of_task(&table->layers, task->task_id, true, &first);
    int64_t centi_us = ratio_known(task->duration_ns, 1000, 2);
    if (count == 0)
        return svp_statistic_credit(&walker->statistic, NULL, NULL, true, task->stream_id, centi_us, err);
    for (size_t i = first; i < first + count && result == 0; i++)
        result = svp_statistic_credit(&walker->statistic, NULL, table->layers.layers[i].type, true, task->stream_id,
                                      centi_us, err);
    return result;
}

int svp_walk_report(struct svp_walker *walker, const struct svp_report *report, struct err *err)
{
    const struct svp_visitor *visitor = walker->visitor;
    walker->report = report;
    svp_statistic_clear(&walker->statistic);
    int result = svp_read_report_inferences(walker->reports, report, visit_inference, walker, err);
    if (result != 0 || visitor->report == NULL)
        return result;
    result = svp_read_report_ai_cpu_tasks(walker->reports, report, visit_ai_cpu_task, walker, err);
    if (result != 0)
        return result;
    svp_statistic_sort(&walker->statistic);
    return visitor->report(visitor->arg, report, &walker->statistic, err);
}

struct svp_walker *svp_walker_new(sqlite3 *db, const struct svp_visitor *visitor, struct err *err)
{
    struct svp_walker *walker = calloc(1, sizeof *walker);
    if (walker == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for reading the tasks");
        return NULL;
    }
    walker->db = db;
    walker->visitor = visitor;
    svp_statistic_init(&walker->statistic);
    walker->tasks = svp_task_reader_new(db, err);
    walker->reports = walker->tasks == NULL ? NULL : svp_report_reader_new(db, err);
    if (walker->reports != NULL)
        return walker;
    svp_walker_free(walker);
    return NULL;
}

void svp_walker_free(struct svp_walker *walker)
{
    if (walker == NULL)
        return;
    for (size_t i = 0; i < CACHED_MODELS; i++)
        forget_model(&walker->models[i]);
    svp_statistic_release(&walker->statistic);
    svp_report_reader_free(walker->reports); /* NULL is fine */
    svp_task_reader_free(walker->tasks);
    free(walker);
}

static int walk_next_report(void *arg, const struct svp_report *report, struct err *err)
{
    return svp_walk_report(arg, report, err);
}

int svp_walk(sqlite3 *db, const struct svp_visitor *visitor, struct err *err)
{
    struct svp_walker *walker = svp_walker_new(db, visitor, err);
    int result = walker == NULL ? -(int)err->code : svp_each_report(db, walk_next_report, walker, err);
    svp_walker_free(walker);
    return result;
}
