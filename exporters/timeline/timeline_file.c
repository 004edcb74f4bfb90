/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/timeline_file.h"

#include "exporters/report_name.h"

/* task_time_0.resnet50.6.1.json */
static void make_name(struct strbuf *name, const char *report, const struct svp_model *model)
{
    struct strbuf tail;
    strbuf_init(&tail, REPORT_NAME_MAX);
    strbuf_addc(&tail, '.');
    report_name_number(&tail, model->model_id);
    strbuf_addc(&tail, '.');
    report_name_number(&tail, model->batch_num);
    strbuf_adds(&tail, ".json");

    strbuf_addf(name, "%s_", report);
    report_name_number(name, model->device_id);
    strbuf_addc(name, '.');
    report_name_model(name, model->name, tail.length);
    strbuf_add_built(name, &tail);
    strbuf_release(&tail);
}

int svp_timeline_open(struct trace *trace, struct timeline_run *run, const char *report, const struct svp_model *model,
                      struct err *err)
{
    struct strbuf name;
    strbuf_init(&name, REPORT_NAME_MAX);
    make_name(&name, report, model);
    int result = name.failed ? err_set(err, ERR_NO_MEMORY, "out of memory for the name of a timeline")
                             : trace_open(trace, run, &trace_style_msprof, report, name.data, err);
    strbuf_release(&name);
    return result;
}

int svp_timeline_close(struct trace *trace, int result, const struct svp_model *model, struct err *err)
{
    const struct trace_info info = {.clock = SVP_CLOCK,
                                    .device_id = model->device_id,
                                    .model = model->name,
                                    .model_id = model->model_id,
                                    .batch_num = model->batch_num};
    return trace_close(trace, result, &info, err);
}
