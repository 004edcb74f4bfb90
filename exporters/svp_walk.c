#include "exporters/svp_walk.h"

#include "base/interrupt.h"

#include <stdlib.h>

#define CACHED_MODELS 8 /* layer tables in memory: models may alternate within a report */

struct cached_model {
    char *name; /* NULL: free */
    int64_t model_id;
    struct svp_layers layers;
};

struct walk {
    sqlite3 *db;
    const struct svp_visitor *visitor;
    struct svp_task_reader *tasks;
    struct svp_report_reader *reports;
    struct cached_model models[CACHED_MODELS];
    size_t next_model; /* the entry to be replaced */
    struct svp_statistic statistic;
    const struct svp_report *report;
    /* of the inference under way */
    struct svp_task network;
    const struct svp_layers *layers;
    int64_t core_khz;
};

static void forget_model(struct cached_model *model)
{
    if (model->name == NULL)
        return;
    svp_layers_release(&model->layers);
    free(model->name);
    model->name = NULL;
}

static int find_layers(struct walk *walk, const char *name, int64_t model_id, const struct svp_layers **ret,
                       struct err *err)
{
    for (size_t i = 0; i < CACHED_MODELS; i++) {
        const struct cached_model *model = &walk->models[i];
        if (model->name != NULL && model->model_id == model_id && strcmp(model->name, name) == 0) {
            *ret = &model->layers;
            return 0;
        }
    }
    struct cached_model *model = &walk->models[walk->next_model];
    forget_model(model);
    char *copy = strdup(name);
    if (copy == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a layer table");
    int result = svp_layers_load(walk->db, name, model_id, &model->layers, err);
    if (result < 0) {
        free(copy);
        return result;
    }
    model->name = copy;
    model->model_id = model_id;
    walk->next_model = (walk->next_model + 1) % CACHED_MODELS;
    *ret = &model->layers;
    return 0;
}

/* Credits a task's time to the types of its layers. */
static int add_to_statistic(struct walk *walk, const struct svp_layers *layers, int64_t task_id, bool ai_cpu,
                            int64_t stream_id, int64_t centi_us, struct err *err)
{
    size_t first = 0, count = svp_layers_of_task(layers, task_id, ai_cpu, &first);
    const struct svp_layer *own = count == 0 ? NULL : layers->layers + first;
    return svp_statistic_add(&walk->statistic, own, count, ai_cpu, stream_id, centi_us, err);
}

static int add_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct walk *walk = arg;
    if (interrupted())
        return interrupt_error(err);
    svp_network_add(&walk->network, task);
    if (walk->visitor->report == NULL)
        return 0;
    return add_to_statistic(walk, walk->layers, task->task_id, false, task->stream_id,
                            svp_time_centi_us(task->total_cycle, walk->core_khz), err);
}

static int visit_inference(void *arg, const struct svp_inference *inference, struct err *err)
{
    struct walk *walk = arg;
    int result = find_layers(walk, inference->model, inference->model_id, &walk->layers, err);
    if (result < 0)
        return result;
    walk->core_khz = inference->core_khz;
    svp_network_init(&walk->network);
    result = svp_read_tasks(walk->tasks, inference->id, add_task, walk, err);
    if (result != 0 || walk->visitor->inference == NULL)
        return result;
    const struct svp_walk_stop stop = {
        .inference = inference, .network = &walk->network, .layers = walk->layers, .tasks = walk->tasks};
    return walk->visitor->inference(walk->visitor->arg, &stop, err);
}

static int add_ai_cpu_task(void *arg, const char *model, const struct svp_ai_cpu_task *task, struct err *err)
{
    struct walk *walk = arg;
    const struct svp_layers *layers;
    if (interrupted())
        return interrupt_error(err);
    int result = find_layers(walk, model, walk->report->model_id, &layers, err);
    if (result < 0)
        return result;
    return add_to_statistic(walk, layers, task->task_id, true, task->stream_id, ratio_known(task->duration_ns, 1000, 2),
                            err);
}

static int visit_report(void *arg, const struct svp_report *report, struct err *err)
{
    struct walk *walk = arg;
    walk->report = report;
    svp_statistic_clear(&walk->statistic);
    int result = svp_read_report_inferences(walk->reports, report, visit_inference, walk, err);
    if (result != 0 || walk->visitor->report == NULL)
        return result;
    result = svp_read_report_ai_cpu_tasks(walk->reports, report, add_ai_cpu_task, walk, err);
    if (result != 0)
        return result;
    svp_statistic_sort(&walk->statistic);
    return walk->visitor->report(walk->visitor->arg, report, &walk->statistic, err);
}

int svp_walk(sqlite3 *db, const struct svp_visitor *visitor, struct err *err)
{
    struct walk walk = {.db = db, .visitor = visitor};
    int result;
    svp_statistic_init(&walk.statistic);
    walk.tasks = svp_task_reader_new(db, err);
    walk.reports = walk.tasks == NULL ? NULL : svp_report_reader_new(db, err);
    if (walk.reports == NULL) {
        result = -(int)err->code;
        goto out;
    }
    result = svp_each_report(db, visit_report, &walk, err);
out:
    for (size_t i = 0; i < CACHED_MODELS; i++)
        forget_model(&walk.models[i]);
    svp_statistic_release(&walk.statistic);
    svp_report_reader_free(walk.reports); /* NULL is fine */
    svp_task_reader_free(walk.tasks);
    return result;
}
