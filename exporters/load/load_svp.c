/* SPDX-License-Identifier: Apache-2.0 */
/* SVP: an operator is a layer group of a model, a step is an inference. */
#include "base/array.h"
#include "base/map.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "db/query/query.h"
#include "exporters/load/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sums of an operator's counters. */
struct counted {
    double total, cycles[SVP_CYCLE_KINDS], read_bytes, write_bytes;
};

struct known_task {
    int64_t task_id;
    uint32_t op;
};

/* The step of an inference, to find it by what the records of its AI CPU tasks say. */
struct known_inference {
    struct inference_key {
        int64_t device_id, model_id, batch, input, number;
        uint64_t model; /* text */
    } key;
    size_t step;
    bool several; /* it does not say which */
};

struct svp_load {
    sqlite3 *db;
    struct workload *workload;
    struct svp_task_reader *reader;
    struct svp_layers layers;
    char model[256]; /* of layers and known */
    int64_t model_id;
    bool any_model;
    uint32_t model_text;
    struct map known;      /* AI core tasks of the model */
    struct map inferences; /* steps */
    int64_t origin_ns;
    const struct svp_inference *inference;
    struct counted *counted; /* of each operator */
    size_t counted_count, counted_capacity;
};

bool svp_layers_join(const struct svp_layers *layers, int64_t task_id, bool ai_cpu, bool types, struct strbuf *ret)
{
    size_t first, count = svp_layers_of_task(layers, task_id, ai_cpu, &first);

    for (size_t i = first; i < first + count; i++) {
        const char *text = types ? layers->layers[i].type : layers->layers[i].name;
        strbuf_adds(ret, ret->length > 0 ? "," : "");
        strbuf_adds(ret, text != NULL ? text : "");
    }
    if (ret->length > 0)
        return true;
    if (types)
        strbuf_adds(ret, "N/A");
    else
        strbuf_addf(ret, "task %lld", (long long)task_id);
    return false;
}

static int add_joined(struct svp_load *load, int64_t task_id, bool ai_cpu, bool types, uint32_t *ret, struct err *err)
{
    struct strbuf joined;

    strbuf_init(&joined, SIZE_MAX / 2);
    svp_layers_join(&load->layers, task_id, ai_cpu, types, &joined);
    int status = joined.failed ? err_set(err, ERR_NO_MEMORY, "out of memory")
                               : workload_add_text(load->workload, joined.data, ret, err);
    strbuf_release(&joined);
    return status;
}

static int operator_of_task(struct svp_load *load, int64_t task_id, bool ai_cpu, uint32_t *ret, struct err *err)
{
    struct workload_key key = {.shapes = NO_TEXT, .work = ai_cpu ? WORK_AI_CPU : WORK_CUBE};
    int status = add_joined(load, task_id, ai_cpu, false, &key.name, err);

    if (status == 0)
        status = add_joined(load, task_id, ai_cpu, true, &key.type, err);
    return status == 0 ? workload_add_operator(load->workload, &key, ret, err) : status;
}

static int use_model(struct svp_load *load, const char *model, int64_t model_id, struct err *err)
{
    if (load->any_model && load->model_id == model_id && strncmp(load->model, model, sizeof load->model - 1) == 0)
        return 0;
    svp_layers_release(&load->layers);
    map_clear(&load->known);
    load->any_model = true;
    load->model_id = model_id;
    snprintf(load->model, sizeof load->model, "%s", model);
    workload_facts_append(load->workload->facts.models, sizeof load->workload->facts.models, model);
    load->layers = (struct svp_layers){.layers = NULL};
    int status = workload_add_text(load->workload, model, &load->model_text, err);
    return status == 0 ? svp_layers_load(load->db, model, model_id, &load->layers, err) : status;
}

static int count_task(struct svp_load *load, uint32_t op, const struct svp_task *task, struct err *err)
{
    if (op >= load->counted_capacity) {
        size_t before = load->counted_capacity;
        int status =
            array_grow(&load->counted, &load->counted_capacity, before, op + 1 - before, sizeof *load->counted, err);
        if (status != 0)
            return status;
        memset(load->counted + before, 0, (load->counted_capacity - before) * sizeof *load->counted);
    }
    struct counted *counted = &load->counted[op];
    if (task->total_cycle == DB_NULL)
        return 0;
    counted->total += (double)task->total_cycle;
    for (int i = 0; i < SVP_CYCLE_KINDS; i++)
        counted->cycles[i] += task->cycles[i] != DB_NULL ? (double)task->cycles[i] : 0;
    counted->read_bytes += task->ddr_read_bytes != DB_NULL ? (double)task->ddr_read_bytes : 0;
    counted->write_bytes += task->ddr_write_bytes != DB_NULL ? (double)task->ddr_write_bytes : 0;
    load->workload->operators[op].counted_ns += (double)task->duration_ns;
    return 0;
}

static int take_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct svp_load *load = arg;
    bool added, taken;
    int status = 0;
    struct known_task *known = map_add(&load->known, &task->task_id, &added, err);

    if (known == NULL)
        return -(int)err->code;
    if (added)
        status = operator_of_task(load, task->task_id, false, &known->op, err);
    if (status != 0 || task->start_ns == DB_NULL || task->duration_ns == DB_NULL)
        return status;
    status = workload_add(load->workload, known->op, load->inference->device_id, task->stream_id,
                          number_add(task->start_ns, load->inference->start_known ? 0 : load->origin_ns),
                          task->duration_ns, &taken, err);
    return status == 0 && taken ? count_task(load, known->op, task, err) : status;
}

static int know_inference(struct svp_load *load, int64_t device_id, const struct workload_step *step, struct err *err)
{
    const struct inference_key key = {device_id, step->model_id, step->batch, step->input, step->number, step->model};
    bool added;
    struct known_inference *known = map_add(&load->inferences, &key, &added, err);

    if (known == NULL)
        return -(int)err->code;
    known->several = !added;
    known->step = load->workload->step_count - 1;
    return 0;
}

static int take_inference(void *arg, const struct svp_inference *inference, struct err *err)
{
    struct svp_load *load = arg;
    struct workload_facts *facts = &load->workload->facts;
    int64_t offset_ns = inference->start_known ? 0 : load->origin_ns;
    int status = use_model(load, inference->model, inference->model_id, err);

    if (status != 0)
        return status;
    if (inference->core_khz == DB_NULL)
        facts->times_known = false;
    else
        facts->clock_khz = inference->core_khz;
    if (!inference->start_known)
        facts->placed = true;
    load->inference = inference;
    status = svp_read_tasks(load->reader, inference->id, take_task, load, err);
    if (status != 0 || load->workload->sums_only || inference->start_ns == DB_NULL || inference->end_ns == DB_NULL ||
        inference->core_khz == DB_NULL)
        return status;
    struct workload_step step = {.start_ns = number_add(inference->start_ns, offset_ns),
                                 .end_ns = number_add(inference->end_ns, offset_ns),
                                 .model_id = inference->model_id,
                                 .number = inference->current_pic_count,
                                 .batch = inference->batch_num,
                                 .input = inference->input_pic_num,
                                 .model = load->model_text,
                                 .source = STEPS_INFERENCES};
    step.work_start_ns = step.start_ns;
    step.work_end_ns = step.end_ns;
    size_t before = load->workload->step_count;
    status = workload_add_step(load->workload, inference->device_id, &step, err);
    return status == 0 && load->workload->step_count > before ? know_inference(load, inference->device_id, &step, err)
                                                              : status;
}

struct ai_cpu_load {
    struct svp_load *load;
    const struct svp_model *model;
};

/* An inference has begun when its first task did, on whichever processor. */
static void widen_inference(const struct svp_load *load, const struct svp_model *model,
                            const struct svp_ai_cpu_task *task)
{
    const struct inference_key key = {model->device_id,    model->model_id,         model->batch_num,
                                      task->input_pic_num, task->current_pic_count, load->model_text};
    const struct known_inference *known = map_get(&load->inferences, &key);
    int64_t end_ns = number_add(task->start_ns, task->duration_ns);

    if (known == NULL || known->several)
        return;
    struct workload_step *step = &load->workload->steps[known->step];
    if (task->start_ns < step->work_start_ns)
        step->work_start_ns = task->start_ns;
    if (end_ns > step->work_end_ns)
        step->work_end_ns = end_ns;
}

static int take_ai_cpu_task(void *arg, const struct svp_ai_cpu_task *task, struct err *err)
{
    struct ai_cpu_load *each = arg;
    uint32_t op;
    bool taken;
    int status = operator_of_task(each->load, task->task_id, true, &op, err);

    if (status != 0 || task->start_ns == DB_NULL || task->duration_ns == DB_NULL)
        return status;
    widen_inference(each->load, each->model, task);
    return workload_add(each->load->workload, op, each->model->device_id, task->stream_id, task->start_ns,
                        task->duration_ns, &taken, err);
}

static int take_model(void *arg, const struct svp_model *model, struct err *err)
{
    struct svp_load *load = arg;
    struct ai_cpu_load each = {load, model};
    int status = use_model(load, model->name, model->model_id, err);

    return status == 0 ? svp_each_ai_cpu_task(load->db, model, take_ai_cpu_task, &each, err) : status;
}

static int take_execute(void *arg, const struct svp_execute *call, struct err *err)
{
    struct svp_load *load = arg;
    struct execute_start start = {call->device_id, call->model_id, NO_TEXT, call->start_ns, call->end_ns};
    int status = workload_add_text(load->workload, call->model, &start.model, err);

    return status == 0 ? workload_add_execute_start(load->workload, &start, err) : status;
}

static void fill_units(const struct svp_load *load)
{
    static const struct {
        enum unit unit;
        int cycles;
    } units[] = {{UNIT_CUBE, SVP_MAC_BUSY}, {UNIT_VECTOR, SVP_VEC_PPEN}, {UNIT_STORE, SVP_DSTR},
                 {UNIT_INNER, SVP_DTRANS},  {UNIT_LOAD, SVP_DLD},        {UNIT_WEIGHTS, SVP_WLD}};

    for (size_t i = 0; i < load->workload->operator_count && i < load->counted_capacity; i++) {
        struct workload_operator *op = &load->workload->operators[i];
        const struct counted *counted = &load->counted[i];
        if (counted->total <= 0)
            continue;
        for (size_t k = 0; k < sizeof units / sizeof *units; k++)
            op->units[units[k].unit] = counted->cycles[units[k].cycles] / counted->total * op->counted_ns;
        op->units[UNIT_OCCUPIED] = op->units[UNIT_CUBE];
        op->read_bytes = counted->read_bytes;
        op->write_bytes = counted->write_bytes;
    }
}

int workload_load_svp(sqlite3 *db, enum load_counters counters, struct workload *workload, struct err *err)
{
    struct svp_load load = {.db = db,
                            .workload = workload,
                            .known = MAP_OF(struct known_task, task_id),
                            .inferences = MAP_OF(struct known_inference, key)};
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);

    (void)counters; /* they stand in the same rows */
    snprintf(workload->facts.chip, sizeof workload->facts.chip, "SVP");
    workload->facts.cube_cores = 1;
    load.origin_ns = facts.origin_ns;
    load.reader = status == 0 ? svp_task_reader_new(db, err) : NULL;
    if (load.reader == NULL)
        return -(int)err->code;
    status = svp_each_inference(db, NULL, take_inference, &load, err);
    if (status == 0)
        status = svp_each_model(db, take_model, &load, err);
    if (status == 0 && !workload->sums_only)
        status = svp_each_execute(db, take_execute, &load, err);
    if (status == 0)
        fill_units(&load);
    svp_task_reader_free(load.reader);
    svp_layers_release(&load.layers);
    map_release(&load.known);
    map_release(&load.inferences);
    free(load.counted);
    return status;
}
