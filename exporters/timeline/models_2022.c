/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/draw_earlier.h"

#include "db/query/operators/query_models.h"
#include "exporters/json_text.h"

#define NAME_MAX_BYTES ((size_t)1024 * 1024) /* of an event */

static int count_phase(void *arg, const struct model_phase *phase, struct err *err)
{
    (void)err;
    draw_2022_count_thread(arg, phase->thread_id);
    return 0;
}

static int draw_phase(void *arg, const struct model_phase *phase, struct err *err)
{
    static const char *const names[] = {"Input", "Infer", "Output"};
    struct draw_2022 *draw = arg;
    const char *model = phase->model != NULL ? phase->model : "N/A";
    struct trace_slice slice = {.pid = draw_2022_pid(draw, draw->device->part->process_id),
                                .start_ns = phase->start_ns,
                                .duration_ns = time_since(phase->end_ns, phase->start_ns)};
    int status = draw_2022_begin(draw, names[phase->phase], &draw->lanes, phase->thread_id, &slice, err);
    if (status < 0)
        return status;
    strbuf_adds(&draw->text, "\"Model Name\":\"");
    json_text_append(&draw->text, model, strlen(model));
    strbuf_addf(&draw->text, "\",\"Model Id\":%lld", (long long)phase->model_id);
    return draw_2022_end(draw, &slice, err);
}

/* ge: executions of models. */
int draw_2022_models(struct draw_2022 *draw, struct err *err)
{
    int64_t device_id = draw->device->part->device_id;
    enum model_order order = draw->compat ? MODELS_BY_EXECUTION : MODELS_BY_START;
    draw_2022_begin_layer(draw, "Thread ");
    int status = model_each_phase(draw->run->db, device_id, order, count_phase, draw, err);
    if (status == 0 && draw->first_free > 0)
        draw_2022_name_process(draw, draw->device->part->process_id, "GE");
    if (status == 0 && draw->first_free > 0)
        status = model_each_phase(draw->run->db, device_id, order, draw_phase, draw, err);
    return draw_2022_end_layer(draw, status, NULL, err);
}

static int count_step(void *arg, const struct model_host_step *step, struct err *err)
{
    (void)err;
    draw_2022_count_thread(arg, step->thread_id);
    return 0;
}

static int draw_step(void *arg, const struct model_host_step *step, struct err *err)
{
    struct draw_2022 *draw = arg;
    struct trace_slice slice = {.pid = draw_2022_pid(draw, draw->device->part->process_id),
                                .start_ns = step->start_ns,
                                .duration_ns = time_since(step->end_ns, step->start_ns)};
    struct strbuf name;
    strbuf_init(&name, NAME_MAX_BYTES);
    strbuf_addf(&name, "%s_%s", step->op_type, step->event);
    int status = name.failed ? err_set(err, ERR_NO_MEMORY, "out of memory")
                             : draw_2022_begin(draw, name.data, &draw->lanes, step->thread_id, &slice, err);
    strbuf_release(&name);
    return status == 0 ? draw_2022_end(draw, &slice, err) : status;
}

/* ge_op_execute: what the host did for operators of dynamic shape. */
int draw_2022_host_steps(struct draw_2022 *draw, struct err *err)
{
    int64_t device_id = draw->device->part->device_id;
    draw_2022_begin_layer(draw, "Thread ");
    int status = model_each_host_step(draw->run->db, device_id, count_step, draw, err);
    if (status == 0 && draw->first_free > 0)
        draw_2022_name_process(draw, draw->device->part->process_id, "GE");
    if (status == 0 && draw->first_free > 0)
        status = model_each_host_step(draw->run->db, device_id, draw_step, draw, err);
    return draw_2022_end_layer(draw, status, NULL, err);
}
