/* SPDX-License-Identifier: Apache-2.0 */
/* acl_statistic: time per function of the ACL API, of each process and thread. */
#include "base/number.h"
#include "base/progress.h"
#include "exporters/output_file.h"
#include "exporters/reports/svp/svp_tables.h"

struct shown {
    struct acl_statistic it;
    const char *type;
    struct report_value share;
    int64_t mean_ns, mean_us; /* mean_us: cut */
};

static const struct report_column columns[] = {
    {"Process ID", SHOWN(it.process_id), .flags = REPORT_NUMBER, .doc = "The process."},
    {"Thread ID", SHOWN(it.thread_id), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Its thread."},
    {"Type", SHOWN(type), .doc = "The part of the API that the function belongs to."},
    {"Name", SHOWN(it.name), .doc = "The function."},
    {"Total Time Ratio(%)", SHOWN(share), .flags = REPORT_GUIDE | REPORT_NUMBER,
     .doc = "Share of the time in all functions."},
    {"Total Time(us)", SHOWN(it.total_ns), FORM_SCALED, 3, .doc = "Total time of its calls."},
    {"Total Time Ratio(%)", SHOWN(share), .flags = REPORT_VENDOR | REPORT_NUMBER | REPORT_NARROW,
     .doc = "Share of the time in all functions."},
    {"Count", SHOWN(it.count), .flags = REPORT_NUMBER, .doc = "Number of calls."},
    {"Avg(us)", SHOWN(mean_ns), FORM_SCALED, 3, .flags = REPORT_GUIDE, .doc = "Their mean."},
    {"Avg(us)", SHOWN(mean_us), .flags = REPORT_VENDOR | REPORT_NUMBER, .doc = "Their mean, cut to microseconds."},
    {"Min(us)", SHOWN(it.min_ns), FORM_SCALED, 3, .flags = REPORT_VENDOR | REPORT_NARROW, .doc = "The shortest."},
    {"Max(us)", SHOWN(it.max_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The longest."},
    {"Min(us)", SHOWN(it.min_ns), FORM_SCALED, 3, .flags = REPORT_GUIDE, .doc = "The shortest."},
    {.title = NULL},
};

struct parts {
    struct report_run *run;
    struct strbuf suffix;
    bool open;
    int64_t device_id, model_id; /* of the part that is open */
};

/* Percent with nine decimals, but never more than ten significant digits. */
static struct report_value share_of(const struct acl_statistic *row)
{
    int64_t share = number_ratio(row->total_ns, row->report_total_ns, 2 + 9);
    if (share < INT64_C(10000000000))
        return value_scaled(share, 9);
    return value_scaled(number_ratio(row->total_ns, row->report_total_ns, 2 + 8), 8);
}

static int put_row(struct report_run *run, const struct acl_statistic *it, struct err *err)
{
    const struct shown row = {
        .it = *it,
        .type = acl_mode_name(it->api_type),
        .share = share_of(it),
        .mean_ns = number_ratio(it->total_ns, it->count, 0),
        .mean_us = it->count > 0 ? it->total_ns / it->count / 1000 : 0,
    };
    return report_put(run, &row, err);
}

static int print_heading(const void *arg, struct show *show, struct err *err)
{
    const struct acl_statistic *row = arg;
    (void)err;
    show_number(show, "Model id : ", row->model_id);
    show_device(show, row->device_id);
    show_end_line(show);
    return 0;
}

static int begin_part(struct parts *parts, const struct acl_statistic *row, struct err *err)
{
    const int64_t numbers[] = {row->device_id, row->model_id, REPORT_ITERATION};
    if (svp_suffix(&parts->suffix, numbers, sizeof numbers / sizeof numbers[0], err) < 0)
        return err_status(err);
    parts->open = true;
    parts->device_id = row->device_id;
    parts->model_id = row->model_id;
    return report_put_part(
        parts->run, &(struct report_part){.suffix = parts->suffix.data, .heading = print_heading, .arg = row}, err);
}

static int take_row(void *arg, const struct acl_statistic *row, struct err *err)
{
    struct parts *parts = arg;
    int status = 0;
    if (interrupted())
        return interrupt_error(err);
    if (!parts->open || parts->device_id != row->device_id || parts->model_id != row->model_id)
        status = begin_part(parts, row, err);
    return status == 0 ? put_row(parts->run, row, err) : status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct parts parts = {.run = run};
    strbuf_init(&parts.suffix, REPORT_NAME_MAX);
    int status = acl_each_statistic(run->session->db, take_row, &parts, err);
    strbuf_release(&parts.suffix);
    return status;
}

const struct report report_acl_statistic_svp = {
    .name = "acl_statistic",
    .title = "Functions of ACL",
    .doc = "Count and time of ACL calls by process, thread and function.",
    .families = FAMILY_SVP,
    .narrowed = {"acl_call"},
    .parts = "_<device>_<model id>_<iteration>",
    .whole = true,
    .one_width = true,
    .columns = columns,
    .rows = put_rows,
};
