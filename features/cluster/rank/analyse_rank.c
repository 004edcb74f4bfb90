/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/rank/analyse_rank.h"

#include "base/file/fsutil.h"
#include "db/database.h"
#include "db/query/cann_version.h"
#include "db/schema.h"
#include "exporters/export.h"
#include "features/cluster/rank/rank_text.h"
#include "features/frameworks/reports/analysis.h"
#include "parsers/capture/framework_directory.h"

#include <stdlib.h>

char *rank_capture_of(const struct cluster_source *source, struct err *err)
{
    SCOPED(framework_paths_release) struct framework_paths captures = {.count = 0};
    const char *found = source->path;
    if (source->kind != SOURCE_PROF) {
        if (framework_find_prof(source->path, &captures, NULL, err) < 0)
            return NULL;
        found = captures.count > 0 ? captures.items[0] : NULL;
    }
    char *path = found != NULL ? strdup(found) : NULL;
    if (found != NULL && path == NULL)
        err_no_memory(err);
    return path;
}

struct analysis_work {
    const struct raw_rank_request *request;
    struct framework framework;
    struct framework_clock clock;
    struct diagnostics *diag;
    const char *capture; /* NULL: none, or one without devices */
    sqlite3 *db, *empty; /* empty: without a capture, owned */
};

static void analysis_work_release(struct analysis_work *work)
{
    framework_release(&work->framework);
    database_close(work->empty);
}

static void tell_not_written(void *arg, const char *file, const char *because)
{
    struct analysis_work *work = arg;
    diag_report(work->diag, DIAG_FILE_UNREADABLE, FILE_PLACE(work->request->source->path, NULL), "%s is not made: %s",
                file, because);
}

/* A capture without a framework is treated like one of PyTorch without operators. */
static int load_info(struct analysis_work *work, struct err *err)
{
    const struct cluster_source *source = work->request->source;
    struct framework_info *info = &work->framework.info;
    enum framework_kind kind;
    if (source->kind == SOURCE_PROF) {
        *info = (struct framework_info){
            .kind = FRAMEWORK_PYTORCH, .rank = -1, .level = 2, .with_npu = true, .text = true, .bare = true};
        return 0;
    }
    if (framework_kind_of(source->path, &kind, err) < 0 || framework_info_load(source->path, kind, info, err) < 0)
        return err_status(err);
    work->capture = info->with_npu ? work->request->capture : NULL;
    return framework_clock_of(info, work->capture, &work->clock, err);
}

static int open_empty(struct analysis_work *work, struct err *err)
{
    const bool failed = database_open_memory(&work->empty, err) < 0 || schema_create_tables(work->empty, err) < 0 ||
                        schema_finish(work->empty, err) < 0;
    work->db = work->empty;
    return failed ? err_status(err) : 0;
}

static int write_files(struct analysis_work *work, const char *directory, struct err *err)
{
    const struct raw_rank_request *request = work->request;
    const char *database = work->capture != NULL ? request->database : NULL;
    const struct export_options options = {.database = database,
                                           .directory = directory,
                                           .format = TABLE_CSV,
                                           .columns = COLUMNS_VENDOR,
                                           .timestamp = "",
                                           .model_id = -1,
                                           .cann_version = CANN_VERSION_NEWEST,
                                           .trace_compat = true};
    struct export_result result = {.files = 0};
    struct framework_analysis analysis = {.framework = &work->framework,
                                          .directory = request->source->path,
                                          .db = work->db,
                                          .prof = work->capture,
                                          .database = database,
                                          .options = &options,
                                          .result = &result,
                                          .diag = work->diag,
                                          .for_cluster = true,
                                          .texts = true,
                                          .clock = &work->clock,
                                          .not_written = tell_not_written,
                                          .not_written_arg = work};
    return framework_write(&analysis, err);
}

int rank_analyse(struct rank_data *rank, const struct raw_rank_request *request, struct diagnostics *diag,
                 struct err *err)
{
    const struct rank_places places = {request->source->path, request->results};
    SCOPED(analysis_work_release)
    struct analysis_work work = {.request = request, .diag = diag, .capture = request->capture, .db = request->db};
    SCOPED_FREE char *directory = path_joined(request->results, FRAMEWORK_OUTPUT, err);
    if (directory == NULL || path_make_directories(directory, err) < 0 || load_info(&work, err) < 0 ||
        (work.capture == NULL && open_empty(&work, err) < 0) ||
        framework_load(&work.framework, request->source->path, &work.clock, diag, err) < 0 ||
        write_files(&work, directory, err) < 0)
        return err_status(err);
    return rank_text_read(rank, &places, diag, err);
}
