/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/show_2022.h"

#include "exporters/reports/earlier/device_2022.h"
#include "exporters/table/show_report.h"

struct show_2022 {
    struct report_show shows;
    bool any_device;
};

static void print_heading(struct show *show, const struct device_2022 *device, const struct execution_counts *counts)
{
    show_number(show, "Device id : ", device->part->device_id);
    show_number(show, "Model id : ", device->range.model_id);
    show_number(show, "Iteration : ", device->range.iteration);
    show_number(show, "Tasks : ", counts->tasks);
    show_end_line(show);
}

/* Tasks are shown on their own where that says more than the operators do: on chip 0 what they waited for. */
static int show_longest(struct report_show *shows, bool states, const struct execution_counts *counts, struct err *err)
{
    struct show *show = shows->show;
    int64_t tasks = counts->tasks + (states ? 0 : counts->copies);
    uint64_t rows, top = (uint64_t)show->options->top;
    int status = 0;
    if (counts->operators > 0) {
        show_title(show, "Longest operators :");
        show_top(show, counts->operators, "op_summary");
        status = report_show(shows, "op_summary", "task_duration,desc", top, &rows, err);
    }
    if (status == 0 && tasks > 0 && (states || counts->operators < tasks)) {
        show_title(show, "Longest tasks :");
        show_top(show, tasks, "task_time");
        status = report_show(shows, "task_time", states ? "time,desc" : "task_time,desc", top, &rows, err);
    }
    return status;
}

static int show_device_2022(void *arg, const struct device_2022 *device, struct err *err)
{
    struct show_2022 *state = arg;
    struct report_show *shows = &state->shows;
    struct execution_counts counts;
    state->any_device = true;
    shows->scope = (struct report_scope){device->part->device_id, device->range.model_id, device->range.iteration, ""};
    int status = execution_count(shows->show->db, &device->range.ticks, &counts, err);
    if (status < 0)
        return status;
    print_heading(shows->show, device, &counts);
    status = report_show_block(shows, "Op statistic :", "op_statistic",
                               counts.tasks == 0
                                   ? "No tasks: none could be read of what the device recorded."
                                   : "No operators: nothing that the host recorded names the operator of a task.",
                               err);
    if (status == 0)
        status = show_longest(shows, device->part->chip == 0, &counts, err);
    if (status == 0)
        status = report_show_block(shows, "Acl statistic :", "acl_statistic", "No calls of ACL functions.", err);
    if (status == 0)
        status = report_show_block(shows, "Runtime api :", "runtime_api", "No calls of runtime functions.", err);
    shows->scope = (struct report_scope){DB_NULL, DB_NULL, DB_NULL, ""};
    return status;
}

int show_of_2022(struct show *show, struct err *err)
{
    struct show_2022 state = {.any_device = false};
    int status = report_show_open(&state.shows, show, CAPTURE_2022, err);
    if (status == 0)
        status = device_2022_each(show->db, &state.shows.options, show_device_2022, &state, err);
    if (status == 0 && !state.any_device)
        report_show_line(&state.shows, "No device data: the capture has no device's part that can be read.");
    if (status == 0)
        status = report_show_marks(&state.shows, err);
    report_show_close(&state.shows);
    return status;
}
