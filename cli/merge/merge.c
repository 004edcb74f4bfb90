/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/merge/merge.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "cli/capture/captures.h"
#include "cli/capture/result_record.h"
#include "cli/command.h"
#include "cli/console.h"
#include "db/database.h"
#include "db/query/cann_version.h"
#include "db/query/query_cann.h"
#include "parsers/capture/capture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CANN_DIRECTORY "mindstudio_profiler_output"
#define PARAMETERS_LIMIT 1024
/* Two captures of one host whose real times differ by more than their monotonic ones say were not taken between the
 * same two starts of the machine. */
#define MOST_SHIFT_NS (INT64_C(60) * 1000000000)

struct merged_capture {
    char *name, *database, *label;
    char host[128], host_uid[64];
    int64_t offset_ns; /* from its host's monotonic clock to real time; 0: not known */
    int64_t shift_ns;
    struct cann_parts parts;
    sqlite3 *db;
};

struct merge {
    const struct settings *settings;
    struct merged_list ARRAY_OF(struct merged_capture) list;
    size_t next; /* of the pass that opens them */
    bool overlap, several_hosts;
};

/* ---- first pass: whose clocks they have ---- */

static void take_part(struct merged_capture *capture, const struct capture_part *part)
{
    if (capture->host[0] == '\0')
        snprintf(capture->host, sizeof capture->host, "%s", part->host_name);
    if (capture->host_uid[0] == '\0')
        snprintf(capture->host_uid, sizeof capture->host_uid, "%s", part->host_uid);
    if (capture->offset_ns == 0)
        capture->offset_ns = part->unix_offset_ns;
}

static int read_clock(struct capture_visit *visit)
{
    struct merge *merge = visit->context;
    const struct capture_options options = {.layouts = visit->layouts, .clock_khz = visit->settings->clock_khz};
    const char *slash = strrchr(visit->directory, '/');
    struct err err = ERR_INIT;
    struct diagnostics diag;
    struct capture capture;
    int status = array_reserve(&merge->list, 1, &err);

    if (status < 0)
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    struct merged_capture *item = &merge->list.items[merge->list.count++];
    *item = (struct merged_capture){.name = strdup(slash != NULL ? slash + 1 : visit->directory)};
    diag_init(&diag, false); /* the import tells of problems */
    status = capture_open(&capture, visit->directory, &options, &diag, &err);
    if (status == 0 && item->name == NULL)
        status = err_no_memory(&err);
    if (status == 0 && capture.family != CAPTURE_CANN) {
        status = err_set(&err, ERR_USAGE, "'%s' is no capture of CANN since 2023: --merge takes only those",
                         visit->directory);
    }
    for (size_t i = 0; status == 0 && i < capture.part_count; i++)
        take_part(item, &capture.parts[i]);
    capture_release(&capture);
    diag_release(&diag);
    return status == 0 ? STATUS_DONE : visit_fail(visit, LOG_SOURCE_COMMON, &err);
}

static bool same_host(const struct merged_capture *a, const struct merged_capture *b)
{
    return strcmp(a->host_uid, b->host_uid) == 0 && strcmp(a->host, b->host) == 0;
}

/* Captures of one host have one monotonic clock; the first of them says what real time it is. */
static void join_clocks(struct merge *merge)
{
    for (size_t i = 0; i < merge->list.count; i++) {
        struct merged_capture *capture = &merge->list.items[i], *first = merge->list.items;
        while (!same_host(first, capture))
            first++;
        merge->several_hosts |= first != merge->list.items;
        if (first == capture || first->offset_ns == 0 || capture->offset_ns == 0)
            continue;
        int64_t shift = number_subtract(first->offset_ns, capture->offset_ns);
        if (shift > MOST_SHIFT_NS || shift < -MOST_SHIFT_NS)
            console_warning("'%s' and '%s' are of one host, which was started anew between them: their clocks are "
                            "joined by real time",
                            first->name, capture->name);
        else
            capture->shift_ns = shift;
    }
}

/* ---- second pass: their databases ---- */

static int open_part(struct capture_visit *visit)
{
    struct merge *merge = visit->context;
    struct merged_capture *capture = &merge->list.items[merge->next++];
    struct err err = ERR_INIT;
    SCOPED(strbuf_release) struct strbuf parameters;

    strbuf_init(&parameters, PARAMETERS_LIMIT);
    strbuf_addf(&parameters, "%s shift_ns=%" PRId64, visit->parameters, capture->shift_ns);
    if (capture->shift_ns != 0 && !parameters.failed)
        visit->parameters = parameters.data;
    visit->clock_shift_ns = capture->shift_ns;
    int status = visit_open_database(visit, &capture->db);
    capture->database = strdup(visit->database);
    if (capture->db != NULL && (capture->database == NULL || cann_parts_load(capture->db, &capture->parts, &err) < 0)) {
        if (err.code == ERR_NONE)
            err_no_memory(&err);
        status = visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    return status;
}

/* ---- names ---- */

static bool have_common_device(const struct merged_capture *a, const struct merged_capture *b)
{
    for (size_t i = 0; i < a->parts.count; i++) {
        for (size_t k = 0; k < b->parts.count; k++) {
            if (a->parts.parts[i].device_id >= 0 && a->parts.parts[i].device_id == b->parts.parts[k].device_id)
                return true;
        }
    }
    return false;
}

/* A host's name is enough where no other capture of it has a device of the same number. */
static bool host_is_enough(const struct merge *merge, const struct merged_capture *capture)
{
    for (size_t i = 0; i < merge->list.count; i++) {
        const struct merged_capture *other = &merge->list.items[i];
        if (other != capture && strcmp(other->host, capture->host) == 0 && have_common_device(other, capture))
            return false;
    }
    return capture->host[0] != '\0';
}

static int name_parts(struct merge *merge, struct merge_part *parts, struct err *err)
{
    for (size_t i = 0; i < merge->list.count; i++) {
        for (size_t k = 0; k < i; k++)
            merge->overlap |= have_common_device(&merge->list.items[i], &merge->list.items[k]);
    }
    for (size_t i = 0; i < merge->list.count; i++) {
        struct merged_capture *capture = &merge->list.items[i];
        bool enough = host_is_enough(merge, capture);

        capture->label = strdup(enough ? capture->host : capture->name);
        if (capture->label == NULL)
            return err_no_memory(err);
        utf8_mask(capture->label);
        parts[i] = (struct merge_part){.db = capture->db,
                                       .database = capture->database,
                                       .label = capture->name,
                                       .host = merge->overlap ? capture->label : NULL,
                                       .names_host = merge->several_hosts};
    }
    return 0;
}

/* ---- the result ---- */

struct merge_log {
    struct words files;
    struct err err;
};

static void keep_written(void *arg, const char *report, const char *path)
{
    struct merge_log *log = arg;

    (void)report;
    words_add(&log->files, path, &log->err);
    console_detail("wrote '%s'", path);
}

static int replace_earlier(const struct merge *merge, const struct merge_type *type, const struct merge_log *log,
                           struct err *err)
{
    char record[64];
    SCOPED_FREE char *directory = path_join(merge->settings->output, "log");

    snprintf(record, sizeof record, "log/merged-%s", type->name);
    bool failed = (directory == NULL ? err_no_memory(err) : path_make_result_directory(directory, err)) < 0 ||
                  result_files_replace(&log->files, merge->settings->output, record, true, err) < 0;
    return failed ? err_status(err) : 0;
}

static int write_result(struct merge *merge, const struct merge_type *type, struct merge_part *parts, struct err *err)
{
    struct merge_log log = {.err = ERR_INIT};
    char timestamp[TIMESTAMP_SIZE];
    SCOPED_FREE char *directory = path_join(merge->settings->output, CANN_DIRECTORY);
    struct export_result exported = {0};
    int64_t start_ns = clock_now_ns();
    int status, cann_version = CANN_VERSION_NEWEST;

    status = directory == NULL ? err_no_memory(err) : path_make_result_directory(directory, err);
    if (status == 0)
        status = capture_names_version(merge->settings, parts[0].db, NULL, directory, &cann_version, err);
    if (status == 0) {
        temporary_remove_stale(directory);
        clock_format_local(timestamp);
        struct export_options options = {
            .directory = directory,
            .columns = (enum column_set)merge->settings->columns,
            .timestamp = timestamp,
            .model_id = -1,
            .cann_version = cann_version,
            .trace_compat = merge->settings->trace_compat,
            .written = keep_written,
            .written_arg = &log,
            .progress = console_progress(),
        };
        if (merge->settings->command == COMMAND_EXPORT_TIMELINE)
            status = timeline_options_read(merge->settings, &options, err);
        if (status == 0)
            status = type->export(parts, merge->list.count, &options, &exported, err);
        console_progress_end();
    }
    if (status == 0 && log.err.code != ERR_NONE) {
        *err = log.err;
        status = err_status(err);
    }
    if (status == 0 && exported.files == 0)
        status = err_set(err, ERR_NOT_FOUND, "the captures have no data for a %s", type->name);
    if (status == 0)
        status = replace_earlier(merge, type, &log, err);
    if (status == 0)
        console_note("'%s': %" PRIu64 " file%s of %zu captures, %" PRIu64 " %s%s, %s s", directory, exported.files,
                     console_plural(exported.files), merge->list.count, exported.rows, type->unit,
                     console_plural(exported.rows), CLOCK_SECONDS_SINCE(start_ns));
    words_release(&log.files);
    return status;
}

static int make_result(struct merge *merge, const struct merge_type *type)
{
    SCOPED_FREE struct merge_part *parts = scoped_memory(merge->list.count, sizeof *parts);
    struct err err = ERR_INIT;
    int status = parts == NULL ? err_no_memory(&err) : name_parts(merge, parts, &err);

    if (status == 0)
        status = write_result(merge, type, parts, &err);
    if (status == 0)
        return STATUS_DONE;
    err_wrap(&err, "cannot merge the %s of %zu captures", type->name, merge->list.count);
    return console_error(&err);
}

static void release(struct merge *merge)
{
    for (size_t i = 0; i < merge->list.count; i++) {
        struct merged_capture *capture = &merge->list.items[i];

        database_close(capture->db);
        cann_parts_release(&capture->parts);
        free(capture->name);
        free(capture->database);
        free(capture->label);
    }
    free(merge->list.items);
}

/* Refuses settings that make no sense with it. */
static int check_settings(const struct settings *settings, struct err *err)
{
    if (settings->output == NULL)
        return err_set(err, ERR_USAGE, "--merge needs --output DIR: the result belongs to no single capture");
    if (settings->table_format != 0)
        return err_set(err, ERR_USAGE, "--merge writes tables as CSV only");
    if (settings->model_id >= 0 || settings->iteration_id > 0 || settings->iteration_count > 0)
        return err_set(err, ERR_USAGE, "--merge reports everything: iterations are those of one capture");
    if (settings->reports != NULL || settings->report_files.count > 0 || settings->spreadsheet_safe ||
        settings->stable_names || settings->clear)
        return err_set(err, ERR_USAGE,
                       "--merge takes none of --reports, --report-file, --spreadsheet-safe, "
                       "--stable-names and --clear");
    return 0;
}

int merge_captures(const struct settings *settings, const struct merge_type *type)
{
    SCOPED(release) struct merge merge = {.settings = settings};
    struct err err = ERR_INIT;

    if (check_settings(settings, &err) < 0)
        return console_error(&err);
    int status = captures_process(settings, &settings->captures, read_clock, &merge);
    if (status == STATUS_DONE && merge.list.count < 2)
        status = console_fail(ERR_USAGE, NULL, "--merge needs several captures, and there is %zu", merge.list.count);
    if (status == STATUS_DONE) {
        join_clocks(&merge);
        status = captures_process(settings, &settings->captures, open_part, &merge);
    }
    if (status == STATUS_DONE || status == STATUS_DATA_PROBLEMS)
        status = status_worse(status, make_result(&merge, type));
    return status;
}
