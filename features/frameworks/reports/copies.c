/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that frameworks take over from the capture's own reports, some under another name. */
#include "features/frameworks/reports/analysis.h"
#include "features/viewerdb/databases.h"

#include <string.h>

struct copy {
    const char *name, *report;
    bool mindspore;
    int pytorch_level; /* from which on PyTorch has it; -1: by an option alone */
};

static const struct copy copies[] = {
    {"api_statistic", "api_statistic", true, 1},
    {"op_statistic", "op_statistic", true, 1},
    {"data_preprocess", "aicpu", true, 2},
    {"l2_cache", "l2_cache", true, -1},
    {"static_op_mem", "static_op_mem", true, 0},
    {"hbm", "hbm", true, -1},
    {"nic", "nic", true, -1},
    {"roce", "roce", true, -1},
    {"pcie", "pcie", true, -1},
    {"hccs", "hccs", true, -1},
    {"task_time", "task_time", false, 0},
    {"soc_pmu", "soc_pmu", false, -1},
    {NULL, NULL, false, 0},
};

static bool is_wanted(const struct framework_info *info, const struct copy *copy)
{
    const struct {
        const char *name;
        bool wanted;
    } options[] = {
        {"l2_cache", info->l2_cache}, {"soc_pmu", info->l2_cache},         {"nic", info->sys_io},
        {"roce", info->sys_io},       {"pcie", info->sys_interconnection}, {"hccs", info->sys_interconnection}};
    if (info->kind == FRAMEWORK_MINDSPORE)
        return copy->mindspore;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(options[i].name, copy->name) == 0)
            return options[i].wanted;
    }
    return copy->pytorch_level >= 0 && info->level >= copy->pytorch_level;
}

#define COPY_COLUMNS 64

/* Writes a report under a name, with another column instead of one; those of older versions have no device. */
static int write_named(struct framework_analysis *analysis, const struct report *report, const char *name,
                       const char *of, const struct report_column *instead, struct err *err)
{
    struct report_column columns[COPY_COLUMNS + 1];
    struct report named = *report;
    bool hides_device = analysis->framework->info.kind == FRAMEWORK_PYTORCH && !framework_names_device(analysis);
    size_t count = 0;
    for (; count < COPY_COLUMNS && report->columns[count].title != NULL; count++) {
        columns[count] = report->columns[count];
        if (instead != NULL && strcmp(columns[count].title, of) == 0)
            columns[count] = *instead;
        if (hides_device && strcmp(columns[count].title, "Device_id") == 0)
            columns[count].flags |= REPORT_INPUT;
    }
    columns[count] = (struct report_column){.title = NULL};
    named.name = name;
    named.columns = columns;
    return framework_write_report(analysis, &named, err);
}

static int write_copies(struct framework_analysis *analysis, struct err *err)
{
    const struct report *const *all = report_all(err);
    int status = 0;
    if (all == NULL)
        return err_status(err);
    for (const struct copy *copy = copies; status == 0 && copy->name != NULL; copy++) {
        const struct report *report = report_find_file(all, copy->report, CAPTURE_CANN);
        if (report == NULL || !is_wanted(&analysis->framework->info, copy))
            continue;
        status = write_named(analysis, report, copy->name, NULL, NULL, err);
        if (status < 0)
            err_wrap(err, "%s.csv", copy->name);
    }
    return status;
}

/* ---- npu_module_mem.csv ---- */

static const struct report_column megabytes = {"Total Reserved(MB)", "bytes / 1048576.0", .form = FORM_FLOAT,
                                               .doc = "Memory that the component holds."};
#define KILOBYTES "Total Reserved(KB)"

/* PyTorch has megabytes where the capture's report has kilobytes. */
static int write_module_memory(struct framework_analysis *analysis, struct err *err)
{
    const struct framework_info *info = &analysis->framework->info;
    const struct report *const *all = report_all(err);
    const struct report *report = all != NULL ? report_find_file(all, "npu_module_mem", CAPTURE_CANN) : NULL;
    if (all == NULL)
        return err_status(err);
    if (report == NULL || (info->kind == FRAMEWORK_MINDSPORE && !info->memory))
        return 0;
    return write_named(analysis, report, report->name, KILOBYTES, info->kind == FRAMEWORK_PYTORCH ? &megabytes : NULL,
                       err);
}

/* ---- of some steps ---- */

static int write_tables(struct framework_analysis *analysis, struct err *err)
{
    if (write_copies(analysis, err) < 0 ||
        (write_module_memory(analysis, err) < 0 && err_wrap(err, "npu_module_mem.csv") < 0))
        return err_status(err);
    return 0;
}

/* From a database that holds nothing else. */
static int write_part(const struct framework_analysis *analysis, struct framework_part *part, struct err *err)
{
    struct framework_analysis of_part = *analysis;
    struct export_options options = *analysis->options;
    options.database = part->path;
    of_part.db = part->db;
    of_part.database = part->path;
    of_part.options = &options;
    bool failed = report_session_open(&of_part.session, part->db, &options, analysis->result, err) < 0;
    of_part.session.context = &of_part;
    failed = failed || write_tables(&of_part, err) < 0;
    report_session_release(&of_part.session);
    return failed ? err_status(err) : 0;
}

int framework_write_copies(struct framework_analysis *analysis, struct err *err)
{
    if (analysis->steps.count == 0)
        return write_tables(analysis, err);
    SCOPED(framework_part_release) struct framework_part part;
    return framework_part_make(analysis, &part, err) < 0 || write_part(analysis, &part, err) < 0 ? err_status(err) : 0;
}
