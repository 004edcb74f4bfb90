/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "base/format/json_in.h"
#include "base/intern.h"
#include "base/language.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "base/words.h"
#include "cli/capture/captures.h"
#include "cli/capture/result_record.h"
#include "cli/capture/written.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/extension.h"
#include "cli/options/options.h"
#include "db/database.h"
#include "db/pin.h"
#include "db/query/cann_version.h"
#include "db/query/query.h"
#include "db/query/query_cann.h"
#include "db/query/same_files.h"
#include "exporters/export.h"
#include "parsers/capture/capture.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The part of a timeline that options choose. */

static int read_split(const char *text, struct export_options *options, struct err *err)
{
    bool known = true;
    if (text == NULL)
        return 0;
    if (strcmp(text, "iteration") == 0) {
        options->split = SPLIT_STEPS;
    } else if (strncmp(text, "time=", 5) == 0) {
        options->split = SPLIT_TIME;
        known = quantity_read(text + 5, quantity_times, &options->split_value);
    } else if (strncmp(text, "size=", 5) == 0) {
        options->split = SPLIT_SIZE;
        known = quantity_read(text + 5, quantity_sizes, &options->split_value);
    } else {
        known = false;
    }
    if (known && (options->split == SPLIT_STEPS || options->split_value > 0))
        return 0;
    err_set(err, ERR_USAGE, "--split '%s' is not valid", text);
    return err_hint(err, "expected time=10s, size=200MB or iteration");
}

/* Sets what the options of 'export timeline' say of its format and of the part of it in options; -ERR_USAGE reports
 * mistakes. */
static int timeline_options_read(const struct settings *settings, struct export_options *options, struct err *err)
{
    const struct timeline_settings *timeline = &settings->timeline;
    options->trace_format = (enum trace_format)timeline->format;
    if (settings->trace_compat && options->trace_format >= TRACE_PFTRACE)
        return err_set(err, ERR_USAGE, "--trace-compat writes JSON: omit it, or omit --format");
    if (settings->trace_compat && (timeline->split != NULL || timeline->from != NULL || timeline->until != NULL))
        return err_set(
            err, ERR_USAGE,
            "--trace-compat writes whole timelines, as the vendor's tool does: omit --split, --from and --until");
    if (quantity_read_time("--from", timeline->from, &options->from_ns, err) < 0 ||
        quantity_read_time("--until", timeline->until, &options->until_ns, err) < 0 ||
        read_split(timeline->split, options, err) < 0)
        return err_status(err);
    if (timeline->until != NULL && options->until_ns <= options->from_ns)
        return err_set(err, ERR_USAGE, "--until %s must be later than --from %s", timeline->until,
                       timeline->from != NULL ? timeline->from : "0s");
    return 0;
}

#define CANN_DIRECTORY "mindstudio_profiler_output" /* where the vendor's tool puts both kinds since 2023 */

/* --merge: the captures of one run, one of each device or host as CANN writes them, become one result. */

struct merge_type {
    const char *name; /* "timeline": in messages and records */
    const char *unit; /* of what its files hold */
    int (*export)(const struct merge_part *parts, size_t count, const struct export_options *options,
                  struct export_result *ret, struct err *err);
};

#define PARAMETERS_LIMIT 1024
/* Two captures of one host whose real times differ by more than their monotonic ones say were not taken between the
 * same two starts of the machine. */
#define MOST_SHIFT_NS (INT64_C(60) * 1000000000)

struct merged_capture {
    char *path, *name, *database, *label;
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
    *item = (struct merged_capture){.path = strdup(visit->directory),
                                    .name = strdup(slash != NULL ? slash + 1 : visit->directory)};
    diag_init(&diag, false); /* the import reports problems */
    status = capture_open(&capture, visit->directory, &options, &diag, &err);
    if (status == 0 && (item->name == NULL || item->path == NULL))
        status = err_no_memory(&err);
    if (status == 0 && capture.family != CAPTURE_CANN) {
        status = err_set(&err, ERR_USAGE, "--merge needs captures of CANN since 2023, which '%s' is not", visit->shown);
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
            console_warning(
                "'%s' and '%s' come from one host that rebooted in between: their clocks are aligned by real time",
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

/* Whether both are of one process on one host, and of one device or of none. */
static bool may_be_copies(const struct merged_capture *a, const struct merged_capture *b)
{
    bool devices = false;
    for (size_t i = 0; i < a->parts.count; i++)
        devices |= a->parts.parts[i].device_id >= 0;
    for (size_t i = 0; i < b->parts.count; i++)
        devices |= b->parts.parts[i].device_id >= 0;
    return same_host(a, b) && (have_common_device(a, b) || !devices);
}

static void capture_release_merged(struct merged_capture *capture)
{
    database_close(capture->db);
    cann_parts_release(&capture->parts);
    free(capture->path);
    free(capture->name);
    free(capture->database);
    free(capture->label);
}

/* Leaves out captures that share files of records with another one: what is in both would count twice. The one with
 * more records stays. Returns an exit status. */
static int drop_copies(struct merge *merge)
{
    struct merged_list *list = &merge->list;
    int status = STATUS_DONE;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct merged_capture *capture = &list->items[i];
        struct same_files same = {.equal = 0};
        struct err err = ERR_INIT;
        size_t other = 0;
        for (; other < kept && same.equal == 0; other++)
            if (may_be_copies(&list->items[other], capture) &&
                same_files_count((struct made_of){list->items[other].db, list->items[other].path},
                                 (struct made_of){capture->db, capture->path}, &same, &err) < 0)
                return console_error(&err);
        if (same.equal == 0) {
            list->items[kept++] = *capture;
            continue;
        }
        if (same.second_records > same.first_records) {
            const struct merged_capture less = list->items[other - 1];
            list->items[other - 1] = *capture;
            *capture = less;
        }
        err_set(&err, ERR_STRICT, "'%s' duplicates '%s': %zu record files are identical", capture->path,
                list->items[other - 1].path, same.equal);
        if (merge->settings->strict)
            return console_error(&err);
        console_warning("%s; omitted", err_message(&err));
        status = STATUS_DATA_PROBLEMS;
        capture_release_merged(capture);
        memset(capture, 0, sizeof *capture);
    }
    list->count = kept;
    return status;
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
                                       .host = capture->label,
                                       .names_device = merge->overlap,
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

/* Ending of names that distinguishes timelines of several formats in one record. */
static const char *record_ending(const struct settings *settings, bool is_timeline)
{
    return is_timeline ? export_trace_ending((enum trace_format)settings->timeline.format) : "";
}

static int replace_earlier(const struct merge *merge, const struct merge_type *type, const struct merge_log *log,
                           struct err *err)
{
    char record[64];
    SCOPED_FREE char *directory = path_join(merge->settings->output, "log");

    snprintf(record, sizeof record, "log/merged-%s", type->name);
    bool failed =
        (directory == NULL ? err_no_memory(err) : path_make_result_directory(directory, err)) < 0 ||
        result_files_replace(&log->files, merge->settings->output, record,
                             record_ending(merge->settings, merge->settings->command == COMMAND_EXPORT_TIMELINE), true,
                             err) < 0;
    return failed ? err_status(err) : 0;
}

static int write_result(struct merge *merge, const struct merge_type *type, struct merge_part *parts, struct err *err)
{
    struct merge_log log = {.err = ERR_INIT};
    struct sparing sparing = {.kept = NULL};
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
        if (status == 0 && (status = sparing_begin(&sparing, merge->settings->output, err)) == 0)
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
    sparing_end(&sparing);
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

    if ((parts == NULL ? err_no_memory(&err) : name_parts(merge, parts, &err)) == 0 &&
        write_result(merge, type, parts, &err) == 0)
        return STATUS_DONE;
    err_wrap(&err, "cannot merge the %s of %zu captures", type->name, merge->list.count);
    return console_error(&err);
}

static void release(struct merge *merge)
{
    for (size_t i = 0; i < merge->list.count; i++)
        capture_release_merged(&merge->list.items[i]);
    free(merge->list.items);
}

/* Refuses settings that make no sense with it. */
static int check_settings(const struct settings *settings, struct err *err)
{
    if (settings->output == NULL)
        return err_set(err, ERR_USAGE,
                       "--merge needs --output DIR, because the result does not belong to a single capture");
    if (settings->table_format != 0)
        return err_set(err, ERR_USAGE, "--merge writes tables as CSV only");
    if (settings->model_id >= 0 || settings->iteration_id > 0 || settings->iteration_count > 0)
        return err_set(err, ERR_USAGE, "--merge reports everything: omit options that choose iterations");
    if (settings->reports != NULL || settings->report_files.count > 0 || settings->spreadsheet_safe ||
        settings->stable_names || settings->clear)
        return err_set(
            err, ERR_USAGE,
            "--merge cannot be combined with --reports, --report-file, --spreadsheet-safe, --stable-names or --clear");
    return 0;
}

/* Imports the captures that the settings name into --output and writes one result of all of them there. Their clocks
 * are joined by the monotonic clock of a host, and by real time between hosts. Returns an exit status. */
static int merge_captures(const struct settings *settings, const struct merge_type *type)
{
    SCOPED(release) struct merge merge = {.settings = settings};
    struct err err = ERR_INIT;

    if (check_settings(settings, &err) < 0)
        return console_error(&err);
    int status = captures_process(settings, &settings->captures, read_clock, &merge);
    if (status == STATUS_DONE && merge.list.count < 2)
        status = console_fail(ERR_USAGE, NULL, "--merge needs several captures, but got %zu", merge.list.count);
    if (status == STATUS_DONE) {
        join_clocks(&merge);
        status = captures_process(settings, &settings->captures, open_part, &merge);
    }
    if (status == STATUS_DONE || status == STATUS_DATA_PROBLEMS)
        status = status_worse(status, drop_copies(&merge));
    if (status == STATUS_DONE || status == STATUS_DATA_PROBLEMS)
        status = status_worse(status, make_result(&merge, type));
    return status;
}

/* The file of -reports: which layers a timeline of a new CANN capture has. */

#define REPORTS_LIMIT ((size_t)1024 * 1024) /* bytes of the file */

static int take_layer(const struct json *member, struct words *list, struct err *err)
{
    const char *name = json_key(member);
    bool shown;
    if (!export_has_layer(name)) {
        err_set(err, ERR_FORMAT, "json_process has no layer '%s'", name);
        return err_hint(err, "msprof-export(1) lists the layers");
    }
    if (!json_boolean(member, &shown))
        return err_set(err, ERR_FORMAT, "layer '%s' is neither true nor false", name);
    return shown ? words_add(list, name, err) : 0;
}

static int take_document(const struct json *root, struct words *list, struct err *err)
{
    const struct json *process = json_member(root, "json_process");
    int status = 0;
    if (!json_is_object(process))
        return err_set(err, ERR_FORMAT, "no object json_process; expected {\"json_process\": {\"cann\": true}}");
    for (const struct json *member = json_first(process); status == 0 && member != NULL; member = json_next(member))
        status = take_layer(member, list, err);
    return status;
}

static void compare_layer(void *nearest, const char *name)
{
    nearest_add(nearest, name);
}

/* Names with commas between. */
static int take_names(const char *names, struct words *list, struct err *err)
{
    int status = 0;

    for (const char *name = names; status == 0 && *name != '\0'; name += strspn(name, ",")) {
        char one[64] = "";
        size_t length = strcspn(name, ",");
        memcpy(one, name, length < sizeof one ? length : sizeof one - 1);
        name += length;
        struct nearest nearest = nearest_to(one, strlen(one));
        export_each_layer(compare_layer, &nearest);
        status = export_has_layer(one)
                     ? words_add(list, one, err)
                     : err_set(err, ERR_USAGE, "'%s' of --reports is neither a file nor a layer%s%s%s", one,
                               NEAREST_TEXT(nearest));
    }
    return status < 0 ? err_hint(err, "msprof-export(1) lists the layers") : 0;
}

/* Reads the JSON file {"json_process": {"<layer>": true|false, ...}}; *ret, which must be empty, gets those that are
 * true. A text that is no path of a file is names with commas between. -ERR_FORMAT when the file says something
 * else, -ERR_USAGE when a name is none; the file's own errors. */
static int reports_load(const char *path, struct words *ret, struct err *err)
{
    if (strpbrk(path, "/.") == NULL && access(path, F_OK) != 0)
        return take_names(path, ret, err);

    SCOPED_FREE char *text = NULL;
    size_t length;
    if (path_read_file(path, REPORTS_LIMIT, &text, &length, err) < 0)
        return err_status(err);
    SCOPED_JSON struct json *root = json_parse(text, length, err);
    return root == NULL || take_document(root, ret, err) < 0 ? err_wrap(err, "cannot use the layers in '%s'", path) : 0;
}

/* msprof export timeline, msprof export summary: reports from databases into files. */

#define ANALYZE_DIRECTORY "analyze" /* of communication, in every capture */

/* Differences between the two. */
struct export_type {
    const char *name;      /* as the log says it */
    const char *directory; /* inside the results */
    const char *unit;      /* of what a file holds */
    int (*export)(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);
};

static const struct export_type timeline_type = {"timeline", "timeline", "event", export_timeline};
static const struct export_type summary_type = {"summary", "summary", "row", export_summary};

static const struct export_type db_type = {"db", "", "row", export_database};
static const struct export_type rules_type = {"communication", ANALYZE_DIRECTORY, "operator", export_communication},
                                rules_db_type = {"communication", ANALYZE_DIRECTORY, "operator",
                                                 export_communication_database};

#define FLAME_DIRECTORY "flame" /* in every capture, too */
static const char *const flame_words[FLAME_WEIGHTS] = {LANGUAGE_MARK(" by the time of devices"),
                                                       LANGUAGE_MARK(" by the time of the host"),
                                                       LANGUAGE_MARK(" by executions")};
static const struct export_type flame_type = {"flame", FLAME_DIRECTORY, "stack", export_flame};

/* Context of the exporter's callback. */
struct export_log {
    struct capture_visit *visit;
    const struct export_type *type;
    struct intern announced; /* reports whose start is in the log */
    struct words files;
    struct err err; /* of keeping account of them */
};

static void announce(struct export_log *export_log, const char *report)
{
    struct err ignored = ERR_INIT; /* then it is in the log twice */
    uint32_t number;

    if (intern_find(&export_log->announced, report, strlen(report), &number))
        return;
    intern_text(&export_log->announced, report, &number, &ignored);
    collection_log_add(&export_log->visit->log, LOG_LEVEL_INFO, LOG_SOURCE_EXPORT, "Start to export %s %s data ...",
                       report, export_log->type->name);
}

static void log_written(void *arg, const char *report, const char *path)
{
    struct export_log *export_log = arg;

    words_add(&export_log->files, path, &export_log->err);
    announce(export_log, report);
    collection_log_exported(&export_log->visit->log, report, export_log->type->name, path);
    console_detail("wrote '%s'", path);
}

/* The files of an earlier export of the same reports give way; those of others, and of other tools, stay. */
static void replace_files(struct capture_visit *visit, struct export_log *export_log, bool complete)
{
    const struct settings *settings = visit->settings;
    struct err err = ERR_INIT;
    char record[160];

    snprintf(record, sizeof record, "log/exported-%s-%d-%d-%" PRId64 "-%d-%d", export_log->type->name,
             export_log->type == &flame_type ? FLAME_WEIGHTS * settings->flame.format + settings->flame.weight
                                             : settings->table_format,
             (int)settings->columns, settings->model_id, settings->iteration_id, settings->iteration_count);
    if (result_files_replace(&export_log->files, visit->results, record,
                             record_ending(settings, export_log->type == &timeline_type), complete, &err) != 0)
        console_warning("cannot record which files were written, so the next export cannot replace them: %s",
                        err_message(&err));
}

static void tell_absent(const char *reason)
{
    console_note("%s", reason);
}

static int tell_nothing(struct capture_visit *visit, sqlite3 *db, const struct export_type *type)
{
    struct err err = ERR_INIT;

    collection_log_add(&visit->log, LOG_LEVEL_WARNING, LOG_SOURCE_EXPORT,
                       "Unable to get %s data. Maybe the data is not collected, or the data may fail to be analyzed.",
                       type->name);
    if (visit->settings->timeline.from != NULL || visit->settings->timeline.until != NULL) {
        err_set(&err, ERR_NOT_FOUND, "'%s' has no event between --from and --until", visit->shown);
        err_hint(&err, "times count from the start of the timeline, which is 0");
    } else if (visit->settings->iteration_id > 0) {
        char model[48] = "";
        if (visit->settings->model_id >= 0)
            snprintf(model, sizeof model, " of model %" PRId64, (int64_t)visit->settings->model_id);
        err_set(&err, ERR_NOT_FOUND, "'%s' has no data of iteration %" PRId64 "%s for a %s", visit->shown,
                (int64_t)visit->settings->iteration_id, model, type->name);
        err_hint(&err, "'msprof query' lists models and their number of iterations");
    } else if (!visit_is_empty(visit, db, &err)) {
        err_set(&err, ERR_NOT_FOUND, "'%s' has no data for a %s%s", visit->shown, type->name,
                type != &flame_type ? "" : language_said(flame_words[visit->settings->flame.weight]));
        const bool host = type == &flame_type && visit->settings->flame.weight != FLAME_HOST;
        err_hint(&err, "%s'msprof import -v -dir %s' lists what it contains",
                 host ? language_said("use '--weight host' for host calls and ranges; ") : "", visit->shown);
    }
    console_error(&err);
    return STATUS_NOTHING;
}

/* Inside the results. */
static int results_directory(const struct export_type *type, sqlite3 *db, const char **ret, struct err *err)
{
    struct db_facts facts = {.family = CAPTURE_UNKNOWN};
    bool is_named = type == &timeline_type || type == &summary_type;
    int result = is_named ? db_read_facts(db, &facts, err) : 0;

    *ret = facts.family == CAPTURE_CANN ? CANN_DIRECTORY : type->directory;
    return result;
}

/* inside: the directory of the results. */
static int export_chosen(struct capture_visit *visit, const struct export_type *type, const char *inside, sqlite3 *db,
                         const char *const *layers, const struct report_files *report_files)
{
    const struct settings *settings = visit->settings;
    struct export_log export_log = {.visit = visit, .type = type, .err = ERR_INIT};
    struct export_result exported = {0};
    struct err err = ERR_INIT;
    char *directory = NULL;
    int64_t start_ns = clock_now_ns();
    char timestamp[TIMESTAMP_SIZE];
    bool spreadsheet = settings->spreadsheet_safe && settings->table_format == TABLE_CSV;
    int cann_version = CANN_VERSION_NEWEST, status = visit_make_directory(visit, inside, &directory);

    if (status != STATUS_DONE)
        return status;
    if (capture_names_version(settings, db, NULL, visit->shown, &cann_version, &err) < 0) {
        free(directory);
        return visit_fail(visit, LOG_SOURCE_EXPORT, &err);
    }
    visit_open_log(visit);
    temporary_remove_stale(directory);
    clock_format_local(timestamp);
    struct export_options options = {
        .database = visit->database,
        .directory = directory,
        .format = spreadsheet ? TABLE_SPREADSHEET : (enum table_format)settings->table_format,
        .columns = (enum column_set)settings->columns,
        .timestamp = settings->stable_names || type == &rules_type || type == &rules_db_type ? NULL : timestamp,
        .iteration_id = settings->iteration_id,
        .iteration_count = settings->iteration_count,
        .model_id = settings->model_id,
        .communication = settings->analyse.rule_mask,
        .cann_version = cann_version,
        .trace_compat = settings->trace_compat,
        .flame_weight = (enum flame_weight)settings->flame.weight,
        .flame_picture = settings->flame.format != 0,
        .report_files = report_files,
        .layers = layers,
        .written = log_written,
        .written_arg = &export_log,
        .absent = type == &timeline_type || settings->verbose ? tell_absent : NULL,
        .progress = console_progress(),
    };
    struct sparing sparing = {.kept = NULL};
    bool failed = sparing_begin(&sparing, visit->results, &err) != 0 ||
                  (type == &timeline_type && timeline_options_read(settings, &options, &err) != 0) ||
                  type->export(db, &options, &exported, &err) != 0;
    console_progress_end();
    err = failed ? err : export_log.err;
    failed = err.code != ERR_NONE;
    if (exported.files > 0)
        replace_files(visit, &export_log, !failed);
    sparing_end(&sparing);
    words_release(&export_log.files);
    intern_release(&export_log.announced);
    if (failed) {
        err_wrap(&err, "cannot export the %s of '%s'", type->name, visit->shown);
        status = visit_fail(visit, LOG_SOURCE_EXPORT, &err);
        if ((options.split == SPLIT_STEPS || options.iteration_id > 0) && err.code == ERR_NOT_FOUND)
            status = STATUS_NOTHING;
    } else if (exported.files == 0) {
        status = tell_nothing(visit, db, type);
    } else {
        console_note("'%s': %" PRIu64 " file%s, %" PRIu64 " %s%s, %s s", directory, exported.files,
                     console_plural(exported.files), exported.rows, type->unit, console_plural(exported.rows),
                     CLOCK_SECONDS_SINCE(start_ns));
        if (exported.note != NULL)
            console_note("%s", exported.note);
    }
    free(directory);
    return status;
}

/* Exports with what the user's own files choose. */
static int export_reports(struct capture_visit *visit, const struct export_type *type, const char *inside, sqlite3 *db)
{
    static const char *const no_layer[] = {NULL};
    const char *reports = visit->settings->reports;
    SCOPED(report_files_release) struct report_files report_files = {.items = NULL};
    SCOPED(words_release) struct words layers = {.items = NULL};
    struct err err = ERR_INIT;
    bool failed = (reports != NULL && reports_load(reports, &layers, &err) < 0) ||
                  (type == &summary_type && captures_load_reports(&report_files, visit->settings, &err) < 0);
    const char *const *chosen = layers.count > 0 ? (const char *const *)layers.items : no_layer;

    return failed ? visit_fail(visit, LOG_SOURCE_EXPORT, &err)
                  : export_chosen(visit, type, inside, db, reports != NULL ? chosen : NULL, &report_files);
}

static void tell_waiting(const char *path)
{
    console_note("not cleared: '%s' is in use by another msprof", path);
}

static int remove_database(struct capture_visit *visit)
{
    struct err err = ERR_INIT;

    if (!database_is_as_made(visit->database)) {
        console_note("not cleared: another program has changed '%s'", visit->database);
        return STATUS_DONE;
    }
    int result = pin_remove(visit->pin, visit->database, tell_waiting, &err);
    if (result == -ERR_INTERRUPTED)
        return visit_fail(visit, LOG_SOURCE_EXPORT, &err);
    if (result < 0)
        console_warning("%s", err_message(&err));
    return STATUS_DONE;
}

static int export_capture(struct capture_visit *visit)
{
    const struct export_type *type = visit->context;
    sqlite3 *db = NULL;
    struct err err = ERR_INIT;
    const char *inside;
    int status = type == &timeline_type || type == &flame_type ? visit_open_prepared(visit, &db)
                                                               : visit_open_database(visit, &db),
        exported;

    if (db == NULL)
        return status;
    exported = results_directory(type, db, &inside, &err) == 0 ? export_reports(visit, type, inside, db)
                                                               : visit_fail(visit, LOG_SOURCE_EXPORT, &err);
    database_close(db);
    if (exported == STATUS_DONE && visit->settings->clear)
        exported = remove_database(visit);
    return status_worse(status, exported);
}

/* ---- captures without iterations ---- */

static bool some_have_iterations; /* of the captures that the command is given */

static int note_iterations(struct capture_visit *visit, sqlite3 *db)
{
    struct err err = ERR_INIT;
    struct db_facts facts;

    if (db_read_facts(db, &facts, &err) != 0)
        return visit_fail(visit, LOG_SOURCE_EXPORT, &err);
    some_have_iterations |= facts.family == CAPTURE_CANN || facts.family == CAPTURE_2022;
    return STATUS_DONE;
}

/* Exports each capture of the command. */
static int export_each(const struct settings *settings, const struct export_type *type)
{
    return captures_process_apart(settings, export_capture, (void *)(uintptr_t)type);
}

/* The options that choose iterations say nothing of boards' captures. */
static int run_export(const struct settings *settings, const struct export_type *type)
{
    if (settings->iteration_id > 0 || settings->iteration_count > 0 || settings->model_id >= 0) {
        int status = captures_query(settings, &settings->captures, visit_open_database, note_iterations, NULL);

        if (status != STATUS_DONE && status != STATUS_DATA_PROBLEMS)
            return status;
        if (!some_have_iterations)
            return console_fail(ERR_USAGE, "leave it out", "%s chooses iterations, which only CANN captures have",
                                settings->model_id >= 0      ? "--model-id"
                                : settings->iteration_id > 0 ? "--iteration-id"
                                                             : "--iteration-count");
    }
    return export_each(settings, type);
}

int export_rules(const struct settings *settings)
{
    return export_each(settings, settings->analyse.rule_type == RULE_TYPE_DB ? &rules_db_type : &rules_type);
}

/* One result of several captures is not made side by side. */
static int merge_alone(const struct settings *settings, const struct merge_type *type)
{
    if (settings->jobs > 0)
        return console_fail(ERR_USAGE, "omit one of the two",
                            "--jobs processes captures at the same time, and --merge makes one result of them");
    return merge_captures(settings, type);
}

static int run_timeline(const struct settings *settings)
{
    static const struct merge_type merged = {"timeline", "event", export_merged_timeline};
    struct export_options options = {.format = TABLE_CSV};
    struct err err = ERR_INIT;

    if (timeline_options_read(settings, &options, &err) < 0)
        return console_error(&err);
    if (settings->merge)
        return merge_alone(settings, &merged);
    return run_export(settings, &timeline_type);
}

static int run_summary(const struct settings *settings)
{
    static const struct merge_type merged = {"summary", "row", export_merged_summary};

    if (settings->merge)
        return merge_alone(settings, &merged);
    return run_export(settings, &summary_type);
}

static int run_db(const struct settings *settings)
{
    return export_each(settings, &db_type);
}

static int run_flame(const struct settings *settings)
{
    give_large_memory_back();
    return export_each(settings, &flame_type);
}

const struct command command_export = {
    .path = "export",
    .parent = COMMAND_ROOT,
    .order = 40,
    .imports = true,
    .summary = "write reports into files",
    .description = "Writes reports of a capture. If the capture has no database, or one older than its data, it\nis "
                   "imported first.\n",
    EXAMPLES({"write timeline and summary of one capture",
              "msprof export timeline -dir JOBX && msprof export summary -dir JOBX"}),
};

const struct command command_export_timeline = {
    .path = "export timeline",
    .parent = COMMAND_EXPORT,
    .order = 50,
    .summary = "write timelines (Chrome trace JSON, Perfetto)",
    .description = "Writes timelines of device tasks, API calls and the program's own marks and ranges\n(msproftx) to "
                   "timeline/ as Chrome trace JSON, which Perfetto, chrome://tracing and\nspeedscope open. --format "
                   "pftrace is ten times smaller and opens in Perfetto only.\n",
    .needs_capture = true,
    EXAMPLES({"write JOBX/timeline/*.json", "msprof export timeline -dir JOBX"},
             {"into another directory, printing only errors", "msprof export timeline -q -dir JOBX --output results"},
             {"a small file for ui.perfetto.dev, only the first second",
              "msprof export timeline JOBX --format pftrace --until 1s"}),
    .run = run_timeline,
};

const struct command command_export_summary = {
    .path = "export summary",
    .parent = COMMAND_EXPORT,
    .order = 60,
    .summary = "write summary tables (CSV or JSON)",
    .description = "Writes tables of operators, API calls and the program's own marks and ranges (msproftx) "
                   "to\nsummary/ as CSV or JSON.\n",
    .needs_capture = true,
    EXAMPLES({"write JOBX/summary/*.csv", "msprof export summary -dir JOBX"},
             {"as JSON, with the columns of the vendor's tool",
              "msprof export summary -dir JOBX --format json --columns vendor"}),
    .run = run_summary,
};

const struct command command_export_db = {
    .path = "export db",
    .parent = COMMAND_EXPORT,
    .order = 70,
    .summary = "write a database for Ascend's viewers",
    .description = "Writes a CANN capture as one SQLite database in the schema that Ascend has "
                   "published:\nmsprof_<time>.db in the capture.\n",
    .needs_capture = true,
    EXAMPLES({"the database of a capture inside a framework's directory", "msprof export db run_ascend_pt/PROF_*"}),
    .run = run_db,
};

const struct command command_export_flame = {
    .path = "export flame",
    .parent = COMMAND_EXPORT,
    .order = 80,
    .summary = "write flame graphs of Python, calls and operators",
    .description = "Writes stacks of Python functions, host calls and operators to flame/: one line per stack,\nas "
                   "flamegraph.pl and speedscope read them, or a picture (SVG).\n",
    .needs_capture = true,
    EXAMPLES({"where device time comes from, as a picture", "msprof export flame -dir JOBX --format svg"},
             {"lines for flamegraph.pl and speedscope: JOBX/flame/flame_host.collapsed",
              "msprof export flame -dir JOBX --weight host"}),
    .run = run_flame,
};
