/* SPDX-License-Identifier: Apache-2.0 */
/* Answers as JSON, and files. */
#include "api/internal.h"

#include "api/block.h"
#include "base/clock.h"
#include "base/file/fsutil.h"
#include "db/database.h"
#include "db/query/cann_version.h"
#include "db/query/query.h"
#include "exporters/export.h"
#include "exporters/json_text.h"
#include "exporters/table/choice.h"
#include "exporters/table/writer.h"
#include "features/answers/load/advise.h"
#include "features/diff/sides.h"
#include "features/feature.h"
#include "features/page/report_page.h"

#include <stdio.h>

/* ---- summary ---- */

struct listing {
    FILE *stream;
    struct shape *shape;
    uint64_t rows;
};

static int begin_listing(void *arg, const struct report_plan *plan, struct err *err)
{
    struct listing *listing = arg;
    if (listing->shape == NULL)
        listing->shape = shape_new(plan, err);
    return listing->shape != NULL ? 0 : err_status(err);
}

static int put_text(FILE *stream, const char *text, size_t length, struct err *err)
{
    SCOPED_FREE char *escaped = scoped_memory(length + 1, JSON_TEXT_EXPANSION);
    if (escaped == NULL)
        return err_no_memory(err);
    putc('"', stream);
    fwrite(escaped, 1, json_text_escape(escaped, text, length), stream);
    putc('"', stream);
    return 0;
}

static int put_value(FILE *stream, const struct typed_value *value, struct err *err)
{
    char number[FORM_NUMBER_MAX];
    const char *end = number;
    if (value->kind == TYPED_TEXT)
        return put_text(stream, value->text, value->length, err);
    if (value->kind == TYPED_INTEGER)
        end = form_put_integer(number, FORM_TEXT, 0, value->integer);
    else if (value->kind == TYPED_REAL)
        end = form_put_real(number, FORM_TEXT, 0, value->real);
    fwrite(number, 1, (size_t)(end - number), stream);
    if (value->kind == TYPED_MISSING)
        fputs("null", stream);
    return 0;
}

static int list_row(void *arg, const struct typed_value *values, struct err *err)
{
    struct listing *listing = arg;
    int status = 0;
    fputs(listing->rows++ > 0 ? ",\n{" : "[\n{", listing->stream);
    for (size_t i = 0; status == 0 && i < listing->shape->count; i++) {
        const char *title = listing->shape->columns[i].title;
        fputs(i > 0 ? ", " : "", listing->stream);
        status = put_text(listing->stream, title, strlen(title), err);
        fputs(": ", listing->stream);
        if (status == 0)
            status = put_value(listing->stream, &values[i], err);
    }
    putc('}', listing->stream);
    return status;
}

static int answer_summary(struct msprof_capture *capture, FILE *stream, struct err *err)
{
    struct listing listing = {.stream = stream};
    struct table_sink sink = {.begin = begin_listing, .values = list_row, .arg = &listing};
    const struct table_choice all = {.top = 0};
    const struct show_options options = {.database = capture->database, .plain = true, .sink = &sink};
    struct export_result result;
    int status = give_table(capture->db, "summary", &all, &options, &result, err);
    fputs(listing.rows > 0 ? "\n]\n" : "[]\n", stream);
    shape_release(listing.shape);
    return status;
}

/* ---- advise and diff ---- */

static int answer_advise(struct msprof_capture *capture, FILE *stream, struct err *err)
{
    const char *name = path_name(capture->directory);
    SCOPED(advice_release) struct advice advice = {.elapsed_ns = 0};
    int64_t executions = 0;
    if (advise(capture->db, NULL, &advice, &executions, err) < 0)
        return err_status(err);
    if (executions > 0) {
        advice_print(&advice, name, ADVICE_JSON, stream);
        return 0;
    }
    SCOPED(program_told_release) struct program_told told;
    return advise_program(capture->db, name, &told, err) < 0
               ? err_status(err)
               : advice_print_program(&told.answer, ADVICE_JSON, stream, err);
}

static int add_side(struct profiles *profiles, const struct msprof_capture *capture, struct err *err)
{
    SCOPED_FREE char *path = profile_path(capture->directory, err);
    return path != NULL ? profiles_add(profiles, capture->db, path, err) : err_status(err);
}

static int print_measures(struct profiles *base, struct profiles *new_side, const struct compare_options *options,
                          FILE *stream, struct err *err)
{
    struct measures_comparison comparison;
    if (base->measures.count == 0 || new_side->measures.count == 0)
        return err_set(err, ERR_USAGE, "cannot compare a capture of one operator with a capture of a program");
    int status = measures_compare(&base->measures, &new_side->measures, options->least_change, &comparison, err);
    if (status == 0)
        status = measures_print(&comparison, MEASURES_JSON, 0, true, stream, err);
    free(comparison.rows);
    return status;
}

static int answer_diff(const struct msprof_capture *other, const struct msprof_capture *capture, FILE *stream,
                       struct err *err)
{
    const struct compare_options options = COMPARE_DEFAULTS;
    const unsigned subjects = comparison_subjects(&options, NULL, 0);
    SCOPED(profiles_release) struct profiles base = {.subjects = subjects}, new_side = {.subjects = subjects};
    struct comparison comparison;
    if (add_side(&base, other, err) < 0 || add_side(&new_side, capture, err) < 0)
        return err_status(err);
    if (base.measures.count + new_side.measures.count > 0)
        return print_measures(&base, &new_side, &options, stream, err);
    const struct side sides[] = {{base.items, base.count}, {new_side.items, new_side.count}};
    if (profiles_name_apart(&base, &new_side, err) < 0 ||
        comparison_make(&sides[0], &sides[1], &options, NULL, 0, &comparison, err) < 0)
        return err_status(err);
    const struct diff_output output = {
        .comparison = &comparison, .base = &sides[0], .new_side = &sides[1], .ascii = true};
    int status = diff_print(&output, DIFF_JSON, stream, err);
    comparison_release(&comparison);
    return status;
}

static int answer(struct msprof_capture *capture, const char *question, const struct msprof_capture *other,
                  FILE *stream, struct err *err)
{
    if (strcmp(question, "diff") == 0)
        return other != NULL ? answer_diff(other, capture, stream, err)
                             : err_set(err, ERR_USAGE, "'diff' needs another capture");
    if (other != NULL)
        return err_set(err, ERR_USAGE, "'%s' is about one capture", question);
    if (strcmp(question, "summary") == 0)
        return answer_summary(capture, stream, err);
    if (strcmp(question, "advise") == 0)
        return answer_advise(capture, stream, err);
    return err_set(err, ERR_USAGE, "unknown question '%s'; expected summary, advise or diff", question);
}

int msprof_answer(struct msprof_capture *capture, const char *question, struct msprof_capture *other, char **ret,
                  struct msprof_error **error)
{
    struct visit visit;
    struct err err = ERR_INIT;
    char *text = NULL;
    size_t length = 0;

    *ret = NULL;
    enter(&visit, &capture->interrupt);
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL) {
        err_no_memory(&err);
    } else {
        answer(capture, question, other, stream, &err);
        const bool lost = ferror(stream) != 0;
        if ((fclose(stream) != 0 || lost) && err.code == ERR_NONE)
            err_no_memory(&err);
    }
    if (err.code == ERR_NONE)
        *ret = text;
    else
        free(text);
    return leave(&visit, &err, error);
}

void msprof_free(char *text)
{
    free(text);
}

/* ---- files ---- */

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
    SCOPED(advice_release) struct advice advice = {.elapsed_ns = 0};
    const struct feature *feature;
    if (feature_of_database(capture->db, &feature, err) < 0)
        return err_status(err);
    if (feature == NULL)
        return html_report_add(page, capture->db, &shown, err);
    return feature->advise(capture->db, NULL, &advice, err) < 0
               ? err_status(err)
               : html_report_add_tree(page, capture->db, &shown, &advice, feature->page, err);
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

int msprof_export(struct msprof_capture *capture, const char *what, const char *directory,
                  void (*written)(void *arg, const char *path), void *arg, struct msprof_error **error)
{
    struct writing writing = {written, arg};
    struct visit visit;
    struct err err = ERR_INIT;

    enter(&visit, &capture->interrupt);
    if (path_make_result_directory(directory, &err) < 0 ||
        (strcmp(what, "report") == 0 ? write_page(capture, directory, &writing, &err)
                                     : export_files(capture, what, directory, &writing, &err)) < 0)
        err_wrap(&err, "cannot write the %s of '%s' into '%s'", what, capture->directory, directory);
    return leave(&visit, &err, error);
}
