/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/show_job.h"

#include "db/query/operators/query_steps.h"
#include "db/query/query_executions.h"
#include "exporters/table/show_report.h"

static int show_one_device(void *arg, int64_t device_id, struct err *err)
{
    struct report_show *shows = arg;
    const struct execution_range all = {device_id, INT64_MIN, INT64_MAX};
    struct execution_counts counts;
    uint64_t rows;
    struct cann_steps steps = {.items = NULL};
    int64_t iterations = 0;
    int status = execution_count(shows->show->db, &all, &counts, err);
    if (status == 0)
        status = cann_steps_load(shows->show->db, &steps, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < steps.count; i++)
        iterations += steps.items[i].device_id == device_id;
    cann_steps_release(&steps);
    show_number(shows->show, "Device id : ", device_id);
    show_number(shows->show, "Tasks : ", counts.tasks);
    show_number(shows->show, "Operators : ", counts.operators);
    if (iterations > 0)
        show_number(shows->show, "Iterations : ", iterations);
    show_end_line(shows->show);
    shows->scope.device_id = device_id;
    return report_show(shows, "op_statistic", NULL, 0, &rows, err);
}

int show_of_job(struct show *show, struct err *err)
{
    struct report_show shows;
    int status = report_show_open(&shows, show, CAPTURE_JOB, err);
    if (status == 0) {
        show_title(show, "Op statistic :");
        show_end_line(show);
        status = execution_each_device(show->db, show_one_device, &shows, err);
    }
    report_show_close(&shows);
    return status;
}
