/* SPDX-License-Identifier: Apache-2.0 */

#include "base/file/fsutil.h"
#include "base/file/large.h"
#include "base/thread.h"
#include "db/database.h"
#include "db/warm_up.h"
#include "exporters/json_text.h"
#include "exporters/timeline/track.h"
#include "features/communication/communication.h"
#include "features/frameworks/reports/analysis.h"
#include "features/frameworks/reports/torch_relation.h"
#include "features/frameworks/reports/trace_view.h"
#include "features/viewerdb/databases.h"

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

/* If there is no capture, or one without times, the timeline begins with the first record of the framework. */
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

static const struct event_key launch_argument = EVENT_KEY_INIT("mindspore_op");

static int framework_write_trace_view(struct framework_analysis *analysis, struct err *err)
{
    struct framework_trace view = {.analysis = analysis};
    struct trace_guest guest = {
        .arg = &view,
        .argument = &launch_argument,
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
    intern_release(&view.texts);
    places_release(&view.places);
    return failed ? err_status(err) : 0;
}

/* ---- the files ---- */

struct file {
    const char *name;
    int (*write)(struct framework_analysis *analysis, struct err *err);
    bool of_device;  /* nothing without a PROF capture */
    bool of_cluster; /* read by a cluster's analysis */
    bool long_one;   /* as much work as all others: a thread of its own writes it beside them */
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
    {"operator_memory.csv", framework_write_memory, false, false, false},
    {"trace_view.json", framework_write_trace_view, false, false, true},
    {"kernel_details.csv", framework_write_kernel_details, true, false, false},
    {"step_trace_time.csv", framework_write_step_trace_time, true, true, false},
    {"communication.json", framework_write_communication, true, true, false},
    {"communication_analyzer.db", write_analyzer, true, false, false},
    {"tables of the capture", framework_write_copies, true, false, false},
    {"operator_details.csv", framework_write_details, false, false, false},
    {"minddata_pipeline", write_minddata, false, false, false},
    {NULL, NULL, false, false, false},
};

static const struct file databases[] = {
    {"the database", framework_write_database, false, false, false},
    {"the database of communication", framework_write_communication_database, true, false, false},
    {NULL, NULL, false, false, false},
};

static bool ends_everything(const struct err *err)
{
    return err->code == ERR_NO_MEMORY || err->code == ERR_INTERRUPTED || err->code == ERR_NO_SPACE;
}

/* A failure that concerns one file is reported, and the others are written. */
static int check_written(struct framework_analysis *analysis, const struct file *file, int status, struct err *err)
{
    large_forget();
    if (status >= 0 || ends_everything(err))
        return status;
    analysis->not_written(analysis->not_written_arg, file->name, err_message(err));
    *err = (struct err)ERR_INIT;
    return 0;
}

/* A file on its way beside the others, with a connection, reports and counts of its own. */
struct beside {
    const struct file *file; /* NULL: there is none */
    pthread_t thread;
    struct framework_analysis analysis;
    struct export_options options;
    struct export_result result;
    struct diagnostics diag;
    size_t mark; /* where its reports stand among those of the others */
    struct err err;
};

static void *write_beside(void *arg)
{
    struct beside *beside = arg;
    struct framework_analysis *analysis = &beside->analysis;
    struct err *err = &beside->err;
    if (warm_up_open(analysis->database, &analysis->db, err) == 0 &&
        report_session_open(&analysis->session, analysis->db, analysis->options, analysis->result, err) == 0) {
        analysis->session.context = analysis;
        beside->file->write(analysis, err);
    }
    report_session_release(&analysis->session);
    database_close(analysis->db);
    return NULL;
}

static void start_beside(struct beside *beside, const struct framework_analysis *analysis, const struct file *file)
{
    *beside = (struct beside){.file = file, .analysis = *analysis, .options = *analysis->options, .err = ERR_INIT};
    beside->options.progress = NULL; /* that of the others is shown */
    beside->analysis.options = &beside->options;
    beside->analysis.result = &beside->result;
    beside->analysis.diag = &beside->diag;
    beside->analysis.session = (struct report_session){.db = NULL};
    beside->analysis.db = NULL;
    diag_init(&beside->diag, false);
    if (thread_start(&beside->thread, write_beside, beside) != 0)
        beside->file = NULL; /* it is written when its turn comes */
}

static int end_beside(struct beside *beside, struct framework_analysis *analysis, struct err *err)
{
    if (beside->file == NULL)
        return 0;
    pthread_join(beside->thread, NULL);
    diag_go_back(analysis->diag, beside->mark);
    diag_merge(analysis->diag, &beside->diag);
    diag_go_on(analysis->diag);
    diag_release(&beside->diag);
    analysis->result->files += beside->result.files;
    analysis->result->rows += beside->result.rows;
    if (check_written(analysis, beside->file, -(int)beside->err.code, &beside->err) == 0)
        return 0;
    *err = beside->err;
    return err_status(err);
}

static int write_files(struct framework_analysis *analysis, const struct file *files, struct err *err)
{
    struct beside beside = {.file = NULL};
    struct err ignored = ERR_INIT;
    int status = 0;
    for (const struct file *file = files; file->name != NULL; file++) {
        if (file->long_one && analysis->database != NULL && !analysis->for_cluster)
            start_beside(&beside, analysis, file);
    }
    for (const struct file *file = files; status == 0 && file->name != NULL; file++) {
        if ((file->of_device && analysis->database == NULL) || (analysis->for_cluster && !file->of_cluster))
            continue;
        if (file == beside.file)
            beside.mark = diag_mark(analysis->diag);
        else
            status = check_written(analysis, file, file->write(analysis, err), err);
    }
    return end_beside(&beside, analysis, status == 0 ? err : &ignored) < 0 && status == 0 ? err_status(err) : status;
}

/* ---- JSON for people ---- */

static int indent_all(const struct framework_analysis *analysis, struct err *err)
{
    const char *output = analysis->options->directory;
    SCOPED_DIRECTORY DIR *directory = opendir(output);
    int status = directory != NULL ? 0 : err_set_errno(err, errno, "cannot read '%s'", output);
    for (struct dirent *entry; status == 0 && (entry = path_next_entry(directory, output, &status, err)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.' || dot == NULL || strcmp(dot, ".json") != 0)
            continue;
        char *path = path_join(output, entry->d_name);
        status = path != NULL ? json_indent_file(path, err) : err_no_memory(err);
        free(path);
    }
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
