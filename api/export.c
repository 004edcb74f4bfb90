/* SPDX-License-Identifier: Apache-2.0 */
/* Files: into a directory, or as bytes to a function of the caller's. */
#include "api/internal.h"

#include "base/clock.h"
#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "db/database.h"
#include "db/query/cann_version.h"
#include "db/query/query.h"
#include "exporters/export.h"
#include "features/page/report_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct writing {
    void (*written)(void *arg, const char *path);
    void *arg;
};

static void tell_written(void *arg, const char *report, const char *path)
{
    const struct writing *writing = arg;
    (void)report;
    if (writing->written != NULL)
        writing->written(writing->arg, path);
}

static int add_to_page(struct msprof_capture *capture, struct html_report *page, struct err *err)
{
    const struct html_capture shown = {.name = path_name(capture->directory), .database = capture->database};
    sqlite3 *db; /* with stacks, which the page draws */
    bool is_tree;
    int status = capture_connect(capture, true, &db, err);
    if (status == 0)
        status = html_report_add_any(page, db, &shown, &is_tree, err);
    database_close(db);
    return status;
}

static int write_page(struct msprof_capture *capture, const char *directory, struct writing *writing, struct err *err)
{
    SCOPED_FREE char *path = path_joined(directory, "report.html", err);
    const struct html_options options = {
        .path = path, .title = path_name(capture->directory), .version = MSPROF_VERSION, .captures = 1};
    struct html_report *page = NULL;
    if (path == NULL)
        return err_status(err);
    int status = html_report_open(&options, &page, err);
    if (status == 0)
        status = add_to_page(capture, page, err);
    status = html_report_close(page, status, err);
    if (status == 0)
        tell_written(writing, "report", path);
    return status;
}

static int export_files(struct msprof_capture *capture, const char *what, const char *directory,
                        struct writing *writing, struct err *err)
{
    static const struct {
        const char *name;
        int (*export)(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);
        enum trace_format format;
    } kinds[] = {{"summary", export_summary, TRACE_JSON},
                 {"timeline", export_timeline, TRACE_JSON},
                 {"perfetto", export_timeline, TRACE_PFTRACE},
                 {"db", export_database, TRACE_JSON}};
    struct export_result result = {.files = 0};
    struct cann_version_said said = {.version = CANN_VERSION_NEWEST};
    struct db_facts facts;
    char timestamp[TIMESTAMP_SIZE];
    size_t kind = 0;
    while (kind < sizeof kinds / sizeof *kinds && strcmp(kinds[kind].name, what) != 0)
        kind++;
    if (kind == sizeof kinds / sizeof *kinds)
        return err_set(err, ERR_USAGE, "cannot export '%s'; expected summary, timeline, perfetto, db or report", what);
    if (db_read_facts(capture->db, &facts, err) < 0 ||
        (facts.family == CAPTURE_CANN && cann_version_said(capture->db, NULL, &said, err) < 0))
        return err_status(err);
    clock_format_local(timestamp);
    const struct export_options options = {.database = capture->database,
                                           .directory = directory,
                                           .format = TABLE_CSV,
                                           .timestamp = timestamp,
                                           .model_id = -1,
                                           .cann_version = said.version,
                                           .trace_format = kinds[kind].format,
                                           .written = tell_written,
                                           .written_arg = writing};
    if (kinds[kind].export(capture->db, &options, &result, err) < 0)
        return err_status(err);
    return result.files > 0 ? 0 : err_set(err, ERR_NOT_FOUND, "'%s' has no data for a %s", capture->directory, what);
}

static int export_into(struct msprof_capture *capture, const char *what, const char *directory, struct writing *writing,
                       struct err *err)
{
    if (path_make_result_directory(directory, err) < 0 ||
        (strcmp(what, "report") == 0 ? write_page(capture, directory, writing, err)
                                     : export_files(capture, what, directory, writing, err)) < 0)
        return err_wrap(err, "cannot write the %s of '%s' into '%s'", what, capture->directory, directory);
    return 0;
}

int msprof_export(struct msprof_capture *capture, const char *what, const char *directory,
                  void (*written)(void *arg, const char *path), void *arg, struct msprof_error **error)
{
    const char *null = NULL_OF_THREE(capture, what, directory);
    if (null != NULL)
        return fail_null(null, error);
    struct writing writing = {written, arg};
    struct visit visit;
    struct err err = ERR_INIT;

    enter(&visit, &capture->interrupt);
    export_into(capture, what, directory, &writing, &err);
    return leave(&visit, &err, error);
}

/* ---- as bytes ---- */

struct streaming {
    int (*write)(void *arg, const char *name, const void *bytes, size_t length);
    void *arg;
    int status;     /* of write */
    struct err err; /* a file could not be read back */
};

static void stream_open_file(struct streaming *streaming, int fd, const char *path)
{
    static const size_t piece = (size_t)256 * 1024;
    SCOPED_FREE char *bytes = scoped_memory(piece, 1);
    uint64_t at = 0;
    ssize_t length = bytes != NULL ? 1 : -1;
    if (bytes == NULL)
        err_no_memory(&streaming->err);
    while (length > 0 && streaming->status == 0) {
        length = file_read_at(fd, bytes, piece, at);
        if (length < 0)
            err_set_errno(&streaming->err, errno, "cannot read '%s'", path);
        else
            streaming->status = streaming->write(streaming->arg, path_name(path), bytes, (size_t)length);
        at += length > 0 ? (uint64_t)length : 0;
    }
}

static bool is_refused(const struct streaming *streaming)
{
    return streaming->status != 0 || streaming->err.code != ERR_NONE;
}

/* A file is whole when it is told, and gone when it was handed over. After a refusal no other is made. */
static void stream_file(void *arg, const char *path)
{
    struct streaming *streaming = arg;
    if (is_refused(streaming))
        return;
    SCOPED_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        err_set_errno(&streaming->err, errno, "cannot read '%s'", path);
    else
        stream_open_file(streaming, fd, path);
    unlink(path);
    if (is_refused(streaming))
        atomic_store(interrupt_flag, INTERRUPT_BY_CALLER);
}

int msprof_export_bytes(struct msprof_capture *capture, const char *what,
                        int (*write)(void *arg, const char *name, const void *bytes, size_t length), void *arg,
                        struct msprof_error **error)
{
    const char *null = NULL_OF_THREE(capture, what, write);
    if (null != NULL)
        return fail_null(null, error);
    struct streaming streaming = {write, arg, 0, ERR_INIT};
    struct writing writing = {stream_file, &streaming};
    struct visit visit;
    struct err err = ERR_INIT;

    enter(&visit, &capture->interrupt);
    SCOPED_FREE char *directory = temporary_directory("msprof-export.", &err);
    if (directory != NULL) {
        export_into(capture, what, directory, &writing, &err);
        path_remove_tree(directory);
    }
    if (is_refused(&streaming)) /* what came of that is no error of its own */
        err = streaming.err;
    const int status = leave(&visit, &err, error);
    return status < 0 ? status : streaming.status;
}
