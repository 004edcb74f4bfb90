/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of several captures as one set: each capture writes its own into a directory of its own, then the rows of
 * all are put together. */
#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/csv_in.h"
#include "base/progress.h"
#include "base/words.h"
#include "exporters/cann_report.h"
#include "exporters/export.h"
#include "exporters/json_text.h"
#include "exporters/output_file.h"
#include "exporters/row_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS_OF_A_FILE 1000000 /* as of every table */
#define NAME_LIMIT 512

/* A file that a part wrote. */
struct written_file {
    char *report, *path;
    size_t part;
};

struct merged_tables {
    const struct merge_part *parts;
    const struct export_options *options;
    struct export_result *result;
    size_t part; /* that writes now */
    struct file_list ARRAY_OF(struct written_file) files;
    struct err err; /* of keeping the list */
    /* One table on its way. */
    const char *report;
    struct title_list ARRAY_OF(char *) titles;
    size_t places[CSV_MAX_FIELDS], place_count; /* of the columns of the file that is read */
    const struct written_file *source;
    struct outfile out;
    struct strbuf text; /* of a cell */
    char *path;
    uint64_t rows, total;
    int64_t slice; /* -1: the table is one file */
};

/* ---- the parts ---- */

static void keep_written(void *arg, const char *report, const char *path)
{
    struct merged_tables *merged = arg;
    struct written_file file = {.report = strdup(report), .path = strdup(path), .part = merged->part};
    if (file.report != NULL && file.path != NULL && array_reserve(&merged->files, 1, &merged->err) == 0) {
        merged->files.items[merged->files.count++] = file;
        return;
    }
    err_no_memory(&merged->err);
    free(file.report);
    free(file.path);
}

static int write_part(struct merged_tables *merged, const char *directory, struct err *err)
{
    const struct merge_part *part = &merged->parts[merged->part];
    struct export_options options = *merged->options;
    struct export_result ignored;
    options.database = part->database;
    options.directory = directory;
    options.format = TABLE_CSV;
    options.written = keep_written;
    options.written_arg = merged;
    int status = export_summary(part->db, &options, &ignored, err);
    if (status == 0 && merged->err.code != ERR_NONE) {
        *err = merged->err;
        status = err_status(err);
    }
    return status;
}

/* ---- rows ---- */

static int open_file(struct merged_tables *merged, struct err *err)
{
    free(merged->path);
    merged->path = cann_report_path(merged->options, merged->report, merged->slice, ".csv", err);
    return merged->path != NULL ? outfile_open(&merged->out, merged->path, err) : err_status(err);
}

static void put_field(struct merged_tables *merged, const char *text, bool first)
{
    static const struct row_format csv = {.format = TABLE_CSV};
    if (!first)
        outfile_write(&merged->out, ",", 1);
    row_format_text(&csv, text, strlen(text), &merged->text);
    outfile_add(&merged->out, &merged->text);
}

static void put_titles(struct merged_tables *merged)
{
    for (size_t i = 0; i < merged->titles.count; i++)
        put_field(merged, merged->titles.items[i], i == 0);
    outfile_write(&merged->out, "\n", 1);
}

static int close_file(struct merged_tables *merged, uint64_t rows, struct err *err)
{
    return output_file_done(&merged->out, merged->report, merged->path, rows, merged->options, merged->result, err);
}

/* Whose row it is: a device's number alone would be that of several. */
static void put_device(struct merged_tables *merged, const char *device)
{
    const struct merge_part *part = &merged->parts[merged->source->part];
    char name[NAME_LIMIT];
    bool is_host = strcmp(device, "host") == 0;
    if (part->host != NULL && (!is_host || part->names_host))
        snprintf(name, sizeof name, "%s:%s", part->host, device);
    put_field(merged, part->host != NULL && (!is_host || part->names_host) ? name : device, true);
}

static int put_row(struct merged_tables *merged, const char *const *fields, size_t count, struct err *err)
{
    const char *cells[CSV_MAX_FIELDS];
    const size_t columns = merged->titles.count;
    if (columns == 0)
        return 0;
    for (size_t i = 0; i < columns; i++)
        cells[i] = "N/A";
    for (size_t i = 0; i < count && i < merged->place_count; i++)
        cells[merged->places[i]] = fields[i];
    if (merged->slice >= 0 && merged->rows > 0 && merged->rows % ROWS_OF_A_FILE == 0) {
        int status = close_file(merged, ROWS_OF_A_FILE, err);
        merged->slice++;
        if (status == 0)
            status = open_file(merged, err);
        if (status < 0)
            return status;
        put_titles(merged);
    }
    put_device(merged, cells[0]);
    for (size_t i = 1; i < columns; i++)
        put_field(merged, cells[i], false);
    outfile_write(&merged->out, "\n", 1);
    merged->rows++;
    return 0;
}

static int find_title(struct merged_tables *merged, const char *title, struct err *err)
{
    size_t i = merged->place_count;
    /* the same place first: titles may stand twice in a table */
    if (i < merged->titles.count && strcmp(merged->titles.items[i], title) == 0)
        return (int)i;
    for (i = 0; i < merged->titles.count; i++) {
        if (strcmp(merged->titles.items[i], title) == 0)
            return (int)i;
    }
    char *copy = strdup(title);
    if (i == CSV_MAX_FIELDS || copy == NULL || array_reserve(&merged->titles, 1, err) < 0) {
        free(copy);
        return err_set(err, ERR_LIMIT, "no room for the columns of '%s'", merged->report);
    }
    merged->titles.items[merged->titles.count++] = copy;
    return (int)i;
}

/* First pass: which columns and how many rows there are; second: the rows. */
static int take_title_row(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    struct merged_tables *merged = arg;
    merged->total += number > 1;
    if (number == 1)
        merged->place_count = 0;
    for (size_t i = 0; number == 1 && i < count; i++) {
        int place = find_title(merged, fields[i], err);
        if (place < 0)
            return place;
        merged->places[merged->place_count++] = (size_t)place;
    }
    return 0;
}

static int take_row(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    struct merged_tables *merged = arg;
    if (number == 1)
        return take_title_row(arg, fields, count, number, err);
    return interrupted() ? interrupt_error(err) : put_row(merged, fields, count, err);
}

static int read_all(struct merged_tables *merged,
                    int (*row)(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err),
                    struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < merged->files.count; i++) {
        merged->source = &merged->files.items[i];
        if (strcmp(merged->source->report, merged->report) == 0)
            status = csv_read_exactly(merged->source->path, row, merged, err);
    }
    return status;
}

static int unite_table(struct merged_tables *merged, struct err *err)
{
    merged->rows = merged->total = 0;
    int status = read_all(merged, take_title_row, err);
    merged->slice = merged->total > ROWS_OF_A_FILE ? 0 : -1;
    if (status == 0)
        status = open_file(merged, err);
    if (status == 0) {
        put_titles(merged);
        status = read_all(merged, take_row, err);
    }
    if (status == 0)
        status = close_file(
            merged, merged->slice < 0 ? merged->rows : merged->rows - (uint64_t)merged->slice * ROWS_OF_A_FILE, err);
    outfile_abort(&merged->out);
    for (size_t i = 0; i < merged->titles.count; i++)
        free(merged->titles.items[i]);
    merged->titles.count = 0;
    return status;
}

/* ---- what is no table ---- */

/* A document stays one of its part. */
static int move_document(struct merged_tables *merged, const struct written_file *file, struct err *err)
{
    char name[NAME_LIMIT];
    snprintf(name, sizeof name, "%s_%s", file->report, merged->parts[file->part].label);
    SCOPED_FREE char *path = cann_report_path(merged->options, name, -1, ".json", err);
    if (path == NULL)
        return err_status(err);
    if (rename(file->path, path) != 0)
        return err_set_errno(err, errno, "cannot rename '%s' to '%s'", file->path, path);
    merged->result->files++;
    if (merged->options->written != NULL)
        merged->options->written(merged->options->written_arg, file->report, path);
    return 0;
}

static bool is_first_of_report(const struct merged_tables *merged, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (strcmp(merged->files.items[k].report, merged->files.items[i].report) == 0)
            return false;
    }
    return true;
}

static int unite_all(struct merged_tables *merged, struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < merged->files.count; i++) {
        const struct written_file *file = &merged->files.items[i];
        merged->report = file->report;
        if (!words_end_in(file->path, ".csv"))
            status = move_document(merged, file, err);
        else if (is_first_of_report(merged, i))
            status = unite_table(merged, err);
    }
    return status;
}

static void release(struct merged_tables *merged)
{
    for (size_t i = 0; i < merged->files.count; i++) {
        unlink(merged->files.items[i].path);
        free(merged->files.items[i].report);
        free(merged->files.items[i].path);
    }
    free(merged->files.items);
    free(merged->titles.items);
    free(merged->path);
    strbuf_release(&merged->text);
}

static char *part_directory(const struct export_options *options, size_t part, struct err *err)
{
    char name[64];
    snprintf(name, sizeof name, ".part-%zu", part);
    return path_joined(options->directory, name, err);
}

int export_merged_summary(const struct merge_part *parts, size_t count, const struct export_options *options,
                          struct export_result *ret, struct err *err)
{
    struct merged_tables merged = {.parts = parts, .options = options, .result = ret, .err = ERR_INIT};
    int status = 0;
    *ret = (struct export_result){0};
    strbuf_init(&merged.text, CSV_ROW_LIMIT * JSON_TEXT_EXPANSION);
    for (size_t i = 0; status == 0 && i < count; i++) {
        char *directory = part_directory(options, i, err);
        merged.part = i;
        status = directory == NULL || path_make_result_directory(directory, err) < 0
                     ? err_status(err)
                     : write_part(&merged, directory, err);
        free(directory);
    }
    if (status == 0)
        status = unite_all(&merged, err);
    release(&merged);
    for (size_t i = 0; i < count; i++) {
        struct err ignored = ERR_INIT;
        char *directory = part_directory(options, i, &ignored);
        if (directory != NULL)
            rmdir(directory); /* empty, or it keeps what an export that was ended left */
        free(directory);
    }
    return status;
}
