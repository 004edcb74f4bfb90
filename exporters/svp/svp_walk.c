#include "exporters/svp/svp_walk.h"

#include "base/interrupt.h"
#include "exporters/svp/svp_layer_table.h"

#include <stdlib.h>

#define CACHED_MODELS 4      /* layer tables in memory: models may alternate within a report */
#define TEXT_MAX (256 << 20) /* bytes of the text of one task */

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
    struct strbuf text; /* of the task under way */
    const struct svp_report *report;
    /* of the inference under way */
    struct svp_layer_table *table;
    int64_t core_khz;
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

/* Makes the text of a task, in walker->text, and keeps it when there is room. */
static int describe_task(struct svp_walker *walker, int64_t task_id, struct svp_task_layers *layers, struct err *err)
{
    struct svp_layer_table *table = walker->table;
    const struct svp_layer *first = layers == NULL ? NULL : table->layers.layers + layers->first;
    size_t count = layers == NULL ? 0 : layers->count;
    strbuf_clear(&walker->text);
    int result = walker->visitor->describe(walker->visitor->arg, task_id, first, count, &walker->text, err);
    if (result != 0)
        return result;
    if (walker->text.failed)
        return err_set(err, ERR_LIMIT, "the row of task %lld with %zu layers does not fit into memory",
                       (long long)task_id, count);
    if (layers != NULL)
        svp_layer_table_keep(table, layers, walker->text.data, walker->text.length);
    return 0;
}

static int give_task(struct svp_walker *walker, const struct svp_task *task, struct svp_task_layers *layers,
                     struct err *err)
{
    const struct svp_visitor *visitor = walker->visitor;
    if (layers != NULL && layers->length > 0)
        return visitor->task(visitor->arg, task, walker->table->texts.data + layers->text, layers->length, err);
    int result = describe_task(walker, task->task_id, layers, err);
    if (result != 0)
        return result;
    return visitor->task(visitor->arg, task, walker->text.data, walker->text.length, err);
}

static int visit_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct svp_walker *walker = arg;
    struct svp_task_layers *layers = svp_layer_table_find(walker->table, task->task_id);
    if (walker->visitor->task != NULL) {
        int result = give_task(walker, task, layers, err);
        if (result != 0)
            return result;
    }
    if (walker->visitor->report == NULL)
        return 0;
    return svp_layer_table_credit(walker->table, layers, &walker->statistic, task->stream_id,
                                  svp_time_centi_us(task->total_cycle, walker->core_khz), err);
}

static int visit_inference(void *arg, const struct svp_inference *inference, struct err *err)
{
    struct svp_walker *walker = arg;
    const struct svp_visitor *visitor = walker->visitor;
    struct svp_task network;
    if (inference->tasks == 0)
        return 0;
    if (interrupted())
        return interrupt_error(err);
    int result = find_table(walker, inference->model, inference->model_id, &walker->table, err);
    if (result < 0)
        return result;
    walker->core_khz = inference->core_khz;
    svp_network_of(inference, &network);
    const struct svp_walk_stop stop = {
        .inference = inference, .network = &network, .layers = &walker->table->layers, .tasks = walker->tasks};
    if (visitor->inference != NULL && (result = visitor->inference(visitor->arg, &stop, err)) != 0)
        return result;
    if (visitor->task == NULL && visitor->report == NULL)
        return 0;
    return svp_read_tasks(walker->tasks, inference->id, visit_task, walker, err);
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
    strbuf_init(&walker->text, TEXT_MAX);
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
    strbuf_release(&walker->text);
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
