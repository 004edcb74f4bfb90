/* SPDX-License-Identifier: Apache-2.0 */

#include "base/file/fsutil.h"
#include "base/file/large.h"
#include "exporters/communication/communication.h"
#include "exporters/database/databases.h"
#include "exporters/json_text.h"
#include "exporters/reports/framework/analysis.h"
#include "exporters/reports/framework/torch_relation.h"
#include "exporters/reports/framework/trace_view.h"
#include "exporters/timeline/track.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- trace_view.json: the capture's timeline with what the framework's threads did ---- */

static bool find_launch(void *arg, int64_t connection_id, struct trace_launch *ret)
{
    const struct framework_trace *view = arg;
    const struct framework_analysis *analysis = view->analysis;
    const struct framework *framework = analysis->framework;
    const struct framework_launch *launch = relation_launch(&analysis->relation, framework, connection_id);
    if (launch == NULL)
        return false;
    const struct trace_slice at =
        places_slice(&view->places, (struct framework_slice){.number = launch->range, .thread = launch->thread});
    *ret = (struct trace_launch){TRACE_MINDSPORE, at.tid, launch->start_ns,
                                 framework_text(framework, framework->ranges.items[launch->range].name)};
    return true;
}

/* Whether the framework's times are since 1970, and not those of a counter that nothing relates to it. */
static bool is_since_1970(const struct framework_trace *view)
{
    return view->analysis->clock->offset_ns != 0;
}

/* Without a capture, or with one that tells nothing of times, the timeline begins with what the framework recorded
 * first. */
static struct capture_origin origin_alone(const struct framework_trace *view)
{
    struct capture_origin origin = {0, DB_NULL, DB_NULL};
    if (places_earliest(&view->places, &origin.time_ns))
        *(is_since_1970(view) ? &origin.origin_unix_ns : &origin.origin_ns) = origin.time_ns;
    return origin;
}

static int write_alone(struct framework_trace *view, struct timeline_run *run, const struct trace_guest *guest,
                       const struct trace_style *style, struct err *err)
{
    const struct trace_info info = {.clock = is_since_1970(view) ? "unix" : "counter", .device_id = DB_NULL};
    struct trace trace;
    run->origin = origin_alone(view);
    if (trace_open(&trace, run, style, "trace_view", TRACE_VIEW_FILE, err) < 0)
        return err_status(err);
    const bool failed =
        guest->begin(view, &trace, err) < 0 || (guest->end != NULL && guest->end(view, &trace, err) < 0);
    return trace_close(&trace, failed ? err_status(err) : 0, &info, err);
}

static int framework_write_trace_view(struct framework_analysis *analysis, struct err *err)
{
    struct framework_trace view = {.analysis = analysis};
    struct trace_guest guest = {
        .arg = &view,
        .argument = "mindspore_op",
        .flow = {.name = "mindspore_to_npu", .category = "async_npu"},
        .flow_of_text = true,
        .begin = mindspore_trace_begin,
        .end = mindspore_trace_end,
        .launch = find_launch,
        .shows = trace_shows,
    };
    if (analysis->framework->torch != NULL)
        guest = (struct trace_guest){.arg = &view,
                                     .flow = {.name = "torch_to_npu", .category = "async_npu"},
                                     .begin = pytorch_trace_begin,
                                     .launch = pytorch_find_launch,
                                     .shows = trace_shows};
    struct timeline_run run = {.db = analysis->db, .options = analysis->options, .result = analysis->result};
    strbuf_init(&view.args, (size_t)64 * 1024 * 1024);
    bool failed = (analysis->framework->torch != NULL ? pytorch_trace_prepare(&view, err)
                                                      : mindspore_trace_prepare(&view, err)) < 0;
    if (!failed && analysis->database != NULL) {
        failed = query_origin(analysis->db, CAPTURE_CANN, &run.origin, err) < 0;
        if (!failed && run.origin.origin_unix_ns == DB_NULL)
            run.origin = origin_alone(&view);
        failed = failed || tracks_write_with(&run, &guest, TRACE_VIEW_FILE, !analysis->relative_times, err) < 0;
    } else {
        failed = failed || write_alone(&view, &run, &guest,
                                       analysis->relative_times ? &trace_style_msprof : &trace_style_2023, err) < 0;
    }
    strbuf_release(&view.args);
    free(view.cpu_ops.items);
    places_release(&view.places);
    return failed ? err_status(err) : 0;
}

/* ---- the files ---- */

struct file {
    const char *name;
    int (*write)(struct framework_analysis *analysis, struct err *err);
    bool of_device;  /* nothing without a PROF capture */
    bool of_cluster; /* read by a cluster's analysis */
};

static int framework_write_details(struct framework_analysis *analysis, struct err *err)
{
    return analysis->framework->info.kind == FRAMEWORK_MINDSPORE ? mindspore_write_tables(analysis, err)
                                                                 : pytorch_write_tables(analysis, err);
}

/* MindSpore copies what the capture's own analysis leaves, which is a database always. */
static int write_analyzer(struct framework_analysis *analysis, struct err *err)
{
    bool wanted = analysis->framework->info.kind == FRAMEWORK_MINDSPORE && !analysis->databases;
    return wanted ? framework_write_communication_database(analysis, err) : 0;
}

static int write_minddata(struct framework_analysis *analysis, struct err *err)
{
    return analysis->framework->info.kind == FRAMEWORK_MINDSPORE ? mindspore_write_minddata(analysis, err) : 0;
}

/* Memory first: what PyTorch recorded of it is most of what is kept of a long run, and needed nowhere else. */
static const struct file texts[] = {
    {"operator_memory.csv", framework_write_memory, false, false},
    {"trace_view.json", framework_write_trace_view, false, false},
    {"kernel_details.csv", framework_write_kernel_details, true, false},
    {"step_trace_time.csv", framework_write_step_trace_time, true, true},
    {"communication.json", framework_write_communication, true, true},
    {"communication_analyzer.db", write_analyzer, true, false},
    {"tables of the capture", framework_write_copies, true, false},
    {"operator_details.csv", framework_write_details, false, false},
    {"minddata_pipeline", write_minddata, false, false},
    {NULL, NULL, false, false},
};

static const struct file databases[] = {
    {"the database", framework_write_database, false, false},
    {"the database of communication", framework_write_communication_database, true, false},
    {NULL, NULL, false, false},
};

static bool ends_everything(const struct err *err)
{
    return err->code == ERR_NO_MEMORY || err->code == ERR_INTERRUPTED || err->code == ERR_NO_SPACE;
}

static int write_files(struct framework_analysis *analysis, const struct file *files, struct err *err)
{
    for (const struct file *file = files; file->name != NULL; file++) {
        if ((file->of_device && analysis->database == NULL) || (analysis->for_cluster && !file->of_cluster))
            continue;
        int status = file->write(analysis, err);
        large_forget();
        if (status < 0 && ends_everything(err))
            return status;
        if (status < 0) {
            analysis->not_written(analysis->not_written_arg, file->name, err_message(err));
            *err = (struct err)ERR_INIT;
        }
    }
    return 0;
}

/* ---- JSON for people ---- */

static int indent_all(const struct framework_analysis *analysis, struct err *err)
{
    DIR *directory = opendir(analysis->options->directory);
    int status = directory != NULL ? 0 : err_set_errno(err, errno, "cannot read '%s'", analysis->options->directory);
    for (struct dirent *entry; status == 0 && (entry = readdir(directory)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.' || dot == NULL || strcmp(dot, ".json") != 0)
            continue;
        char *path = path_join(analysis->options->directory, entry->d_name);
        status = path != NULL ? json_indent_file(path, err) : err_no_memory(err);
        free(path);
    }
    if (directory != NULL)
        closedir(directory);
    return status;
}

int framework_relate(struct framework_analysis *analysis, struct err *err)
{
    bool failed = report_session_open(&analysis->session, analysis->db, analysis->options, analysis->result, err) < 0;
    analysis->session.context = analysis;
    if (failed || relation_make(&analysis->relation, analysis->framework, analysis->db, err) < 0)
        return err_status(err);
    if (analysis->framework->torch != NULL)
        return torch_relate(analysis, err);
    return analysis->steps.count > 0 ? relation_set_ends(&analysis->relation, analysis->framework, analysis->db, err)
                                     : 0;
}

void framework_unrelate(struct framework_analysis *analysis)
{
    comm_document_free(analysis->communication);
    analysis->communication = NULL;
    large_free(analysis->work);
    analysis->work = NULL;
    relation_release(&analysis->relation);
    report_session_release(&analysis->session);
}

int framework_write(struct framework_analysis *analysis, struct err *err)
{
    bool failed = framework_relate(analysis, err) < 0 || (analysis->texts && write_files(analysis, texts, err) < 0) ||
                  (analysis->databases && write_files(analysis, databases, err) < 0) ||
                  (analysis->pretty && indent_all(analysis, err) < 0);
    framework_unrelate(analysis);
    return failed ? err_status(err) : 0;
}
