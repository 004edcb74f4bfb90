/* SPDX-License-Identifier: Apache-2.0 */
/* aicpu: what the AI CPU measured of the operators that it ran, as Ascend's tool of 2022 has it. */
#include "exporters/reports/cann/device_2022.h"
#include "exporters/table/report.h"

static const struct report_column columns[] = {
    {"Timestamp", REPORT_FIELD(struct ai_cpu_run, start_ns), FORM_SCALED, 6, .doc = "Start, in ms."},
    {"Node", REPORT_FIELD(struct ai_cpu_run, op_name_id), FORM_NAME, .doc = "The operator."},
    {"Compute_time(ms)", REPORT_FIELD(struct ai_cpu_run, compute_ns), FORM_SCALED, 6, .doc = "Computing time."},
    {"Memcpy_time(ms)", REPORT_FIELD(struct ai_cpu_run, copy_ns), FORM_SCALED, 6, .doc = "Time of copying the result."},
    {"Task_time(ms)", REPORT_FIELD(struct ai_cpu_run, duration_ns), FORM_SCALED, 6, .doc = "Its duration."},
    {"Dispatch_time(ms)", REPORT_FIELD(struct ai_cpu_run, dispatch_ns), FORM_SCALED, 6,
     .doc = "Time to hand the task over."},
    {"Total_time(ms)", REPORT_FIELD(struct ai_cpu_run, total_ns), FORM_SCALED, 6,
     .doc = "Time from submission to completion."},
    {.title = NULL},
};

static int put_run(void *arg, const struct ai_cpu_run *times, struct err *err)
{
    return report_put((struct report_run *)arg, times, err);
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
