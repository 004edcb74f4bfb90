/* SPDX-License-Identifier: Apache-2.0 */
/* aicpu: what the AI CPU measured of the operators that it ran, as Ascend's tool of 2022 has it. */
#include "exporters/reports/earlier/device_2022.h"

enum { START, NODE, COMPUTE, COPY, TASK, DISPATCH, TOTAL, COLUMNS };

static const struct report_column columns[] = {
    [START] = {"Timestamp", NULL, FORM_SCALED, 6, .doc = "When it began, in ms."},
    [NODE] = {"Node", .doc = "The operator."},
    [COMPUTE] = {"Compute_time(ms)", NULL, FORM_SCALED, 6, .doc = "How long it computed."},
    [COPY] = {"Memcpy_time(ms)", NULL, FORM_SCALED, 6, .doc = "How long it copied the result."},
    [TASK] = {"Task_time(ms)", NULL, FORM_SCALED, 6, .doc = "How long it ran."},
    [DISPATCH] = {"Dispatch_time(ms)", NULL, FORM_SCALED, 6, .doc = "Time to hand the task over."},
    [TOTAL] = {"Total_time(ms)", NULL, FORM_SCALED, 6, .doc = "From submission to completion."},
    {.title = NULL},
};

static int put_run(void *arg, const struct ai_cpu_run *times, struct err *err)
{
    const struct report_value values[COLUMNS] = {
        [START] = value_integer(times->start_ns),     [NODE] = value_text(times->op_name),
        [COMPUTE] = value_integer(times->compute_ns), [COPY] = value_integer(times->copy_ns),
        [TASK] = value_integer(times->duration_ns),   [DISPATCH] = value_integer(times->dispatch_ns),
        [TOTAL] = value_integer(times->total_ns),
    };
    return report_row(arg, values, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct device_2022 *device = run->state;
    int status = device_2022_of(device, run, err);
    return status == 0 ? ai_cpu_run_each(run->session->db, &device->range.ticks, put_run, run, err) : status;
}

const struct report report_aicpu_2022 = {
    .name = "aicpu",
    .title = "Operators of the AI CPU",
    .doc = "Every operator that the AI CPU ran in an iteration, as it measured it.",
    .families = FAMILY_2022,
    .of_device = true,
    .columns = columns,
    .state_size = sizeof(struct device_2022),
    .rows = put_rows,
};
