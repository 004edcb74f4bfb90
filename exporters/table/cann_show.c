/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/cann_show.h"

#include "exporters/table/show_report.h"

struct cann_show {
    struct report_show shows;
    int64_t hosts, devices; /* parts of the capture */
    int64_t tasks, operators, communications;
};

/* ---- what there is not ---- */

static const char *why_no_tasks(const struct cann_show *cann)
{
    return cann->devices > 0 ? "No tasks: none could be read of what the devices recorded."
                             : "No device data: the capture has no device's half that can be read.";
}

static const char *why_no_operators(const struct cann_show *cann)
{
    if (cann->tasks == 0)
        return why_no_tasks(cann);
    return cann->hosts > 0 ? "No operators: nothing that the host recorded names the operator of a task."
                           : "No operators: the host's half, which names them, is missing or cannot be read.";
}

static const char *why_no_types(const struct cann_show *cann)
{
    (void)cann;
    return "No types: none of the communication operators has one.";
}

static const char *why_no_calls(const struct cann_show *cann)
{
    return cann->hosts > 0 ? "No API calls." : "No API calls: the capture has no host's half that can be read.";
}

/* ---- blocks ---- */

/* Tasks without operators are better than nothing. */
static int show_longest(struct cann_show *cann, struct err *err)
{
    struct show *show = cann->shows.show;
    bool operators = cann->operators + cann->communications > 0;
    uint64_t rows;
    if (!operators && cann->tasks == 0)
        return 0;
    show_title(show, operators ? "Longest operators :" : "Longest tasks :");
    show_top(show, operators ? cann->operators + cann->communications : cann->tasks,
             operators ? "op_summary" : "task_time");
    return report_show(&cann->shows, operators ? "op_summary" : "task_time",
                       operators ? "task_duration,desc" : "task_time,desc", (uint64_t)show->options->top, &rows, err);
}

static int count_all(struct cann_show *cann, struct err *err)
{
    const struct {
        const char *sql;
        int64_t *ret;
    } counts[] = {
        {"SELECT count(*) FROM capture_part WHERE is_host", &cann->hosts},
        {"SELECT count(*) FROM capture_part WHERE NOT is_host", &cann->devices},
        {"SELECT max(id) FROM device_task", &cann->tasks},
        {"SELECT count(*) FROM device_task WHERE " CANN_IS_OPERATOR, &cann->operators},
        {"SELECT count(*) FROM communication_op", &cann->communications},
    };
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof counts / sizeof *counts; i++)
        status = report_number(&cann->shows.session, counts[i].sql, counts[i].ret, err);
    return status;
}

static int show_blocks(struct cann_show *cann, struct err *err)
{
    int status = 0;
    if (cann->tasks > 0)
        status = report_show_block(&cann->shows, "Summary :", "summary", why_no_tasks(cann), err);
    if (status == 0)
        status = report_show_block(&cann->shows, "Op statistic :", "op_statistic", why_no_operators(cann), err);
    if (status == 0)
        status = show_longest(cann, err);
    if (status == 0 && cann->communications > 0)
        status = report_show_block(&cann->shows, "Communication statistic :", "communication_statistic",
                                   why_no_types(cann), err);
    if (status == 0 && cann->tasks > 0)
        status = report_show_block(&cann->shows, "Overlap analysis :", "overlap_analysis", why_no_tasks(cann), err);
    if (status == 0)
        status = report_show_block(&cann->shows, "Api statistic :", "api_statistic", why_no_calls(cann), err);
    return status == 0 ? report_show_marks(&cann->shows, err) : status;
}

int cann_show(struct show *show, struct err *err)
{
    struct cann_show cann = {.hosts = 0};
    int status = report_show_open(&cann.shows, show, CAPTURE_CANN, err);
    if (status == 0)
        status = count_all(&cann, err);
    if (status == 0)
        status = show_blocks(&cann, err);
    report_show_close(&cann.shows);
    return status;
}
