/* SPDX-License-Identifier: Apache-2.0 */
/* ai_stack_time: the span of each layer of the software, as Ascend's tool of 2022 has it. */
#include "base/number.h"
#include "exporters/reports/cann/device_2022.h"

#include <string.h>

struct shown {
    int64_t iteration, start_ns;
    const char *module, *api;
    struct report_value duration;
};

static const struct report_column columns[] = {
    {"Infer ID", SHOWN(iteration), .flags = REPORT_NUMBER, .doc = "The iteration."},
    {"Module", SHOWN(module), .doc = "The layer of the software."},
    {"API", SHOWN(api), .doc = "The function that is its span; N/A: all that it did."},
    {"Start Time", SHOWN(start_ns), .flags = REPORT_NUMBER, .doc = "Start, in ns."},
    {"Duration(ns)", SHOWN(duration), .flags = REPORT_NUMBER, .doc = "Its duration."},
    {.title = NULL},
};

/* Where the calls of an iteration begin: its model's execution. */
static const char model_call[] = "aclmdlExecute";

struct span {
    double first, last;
    bool any;
};

static int take_total(void *arg, const struct call_total *total, struct err *err)
{
    struct span *span = arg;
    const double first = (double)total->first_ns, last = (double)total->last_end_ns;
    (void)err;
    span->first = span->any && span->first < first ? span->first : first;
    span->last = span->any && span->last > last ? span->last : last;
    span->any = true;
    return 0;
}

static int take_model(void *arg, const struct call_total *total, struct err *err)
{
    (void)err;
    if (total->name != NULL && strcmp(total->name, model_call) == 0)
        *(struct span *)arg = (struct span){(double)total->first_ns, (double)total->first_end_ns, true};
    return 0;
}

static int put_span(struct report_run *run, const char *module, const char *api, const struct span *span,
                    struct err *err)
{
    const struct device_2022 *device = run->state;
    const struct shown row = {
        .iteration = device->range.iteration,
        .start_ns = number_from_real(span->first),
        .module = module,
        .api = api,
        .duration = decimal_2022(span->last - span->first),
    };
    return span->any ? report_put(run, &row, err) : 0;
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct device_2022 *device = run->state;
    struct plain_calls *calls = device_2022_calls(run, err);
    const struct sums_2022 *sums = calls != NULL ? device_2022_sums(run, err) : NULL;
    struct span acl = {.any = false}, runtime = {.any = false};
    if (sums == NULL || device_2022_of(device, run, err) < 0 ||
        plain_calls_each_total(calls, PLAIN_ACL, take_model, &acl, err) < 0 ||
        plain_calls_each_total(calls, PLAIN_RUNTIME, take_total, &runtime, err) < 0)
        return err_status(err);
    const struct span tasks = {.first = time_2022(device, sums->first_tick),
                               .last = time_2022(device, sums->last_tick),
                               .any = sums->last_tick != DB_NULL};
    return put_span(run, "ACL", model_call, &acl, err) < 0 || put_span(run, "Runtime", NULL, &runtime, err) < 0 ||
                   put_span(run, "Task Scheduler", NULL, &tasks, err) < 0
               ? err_status(err)
               : 0;
}

const struct report report_ai_stack_time_2022 = {
    .name = "ai_stack_time",
    .title = "Layers of the software",
    .doc = "Start and end of the work of model, runtime and device on an iteration.",
    .families = FAMILY_2022,
    .narrowed = {"acl_call", "runtime_api", "device_task"},
    .of_device = true,
    .columns = columns,
    .state_size = sizeof(struct device_2022),
    .rows = put_rows,
};
