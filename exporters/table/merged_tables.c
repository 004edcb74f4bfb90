/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of several captures as one set: each capture writes its own into a directory of its own, then the rows of
 * all are put together. Their cells are copied as they stand: only the one that tells whose row it is changes. */
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
#include "exporters/table/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_LIMIT 512
#define BLOCK_SIZE ((size_t)1024 * 1024)

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
    /* One table on its way. Cells stand as in the files: with their quotes, if they have any. */
    const char *report;
    struct title_list ARRAY_OF(char *) titles; /* with their quotes, too */
    size_t places[TABLE_MAX_COLUMNS];          /* columns of the file that is read: which one is that title's */
    bool as_all;                               /* those are the columns of all, in their order */
    const struct written_file *source;
    struct outfile out;
    struct strbuf plain, cell; /* whose row it is: the text, and as a cell */
    uint64_t rows;             /* of the file that is written */
    int64_t slice;             /* which one; -1: it is the first one */
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

/* ---- titles ---- */

/* The cell at p of a row that ends there. */
static struct table_cell cell_at(const char *p, const char *end)
{
    const char *stop = p;
    bool quoted = false;
    if (p < end && *p != '"')
        stop = memchr(p, ',', (size_t)(end - p));
    else
        for (; stop < end && (quoted || *stop != ','); stop++)
            quoted ^= *stop == '"';
    return (struct table_cell){p, (size_t)((stop != NULL ? stop : end) - p)};
}

static size_t split_row(const char *row, const char *end, struct table_cell cells[TABLE_MAX_COLUMNS])
{
    size_t count = 0;
    for (const char *p = row; p <= end && count < TABLE_MAX_COLUMNS;
         p = cells[count - 1].text + cells[count - 1].length + 1)
        cells[count++] = cell_at(p, end);
    return count;
}

static bool is_title(const struct merged_tables *merged, size_t i, struct table_cell title)
{
    const char *text = merged->titles.items[i];
    return strlen(text) == title.length && memcmp(text, title.text, title.length) == 0;
}

/* The title of a file's column at this place, which is added where no file before has it. */
static int find_title(struct merged_tables *merged, size_t place, struct table_cell title, struct err *err)
{
    size_t i = place;
    /* the same place first: titles may stand twice in a table */
    if (i < merged->titles.count && is_title(merged, i, title))
        return (int)i;
    for (i = 0; i < merged->titles.count; i++) {
        if (is_title(merged, i, title))
            return (int)i;
    }
    char *copy = strndup(title.text, title.length);
    if (i == TABLE_MAX_COLUMNS || copy == NULL || array_reserve(&merged->titles, 1, err) < 0) {
        free(copy);
        return err_set(err, ERR_LIMIT, "no room for the columns of '%s'", merged->report);
    }
    merged->titles.items[merged->titles.count++] = copy;
    return (int)i;
}

/* Finds the titles of a file's columns. */
static int take_titles(struct merged_tables *merged, const char *row, const char *end, struct err *err)
{
    struct table_cell own[TABLE_MAX_COLUMNS];
    const size_t count = split_row(row, end, own);
    for (size_t i = 0; i < TABLE_MAX_COLUMNS; i++)
        merged->places[i] = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        int title = find_title(merged, i, own[i], err);
        if (title < 0)
            return title;
        merged->places[title] = i;
    }
    merged->as_all = count == merged->titles.count;
    for (size_t i = 0; i < merged->titles.count; i++)
        merged->as_all &= merged->places[i] == i;
    return 0;
}

/* ---- rows ---- */

static int open_file(struct merged_tables *merged, struct err *err)
{
    SCOPED_FREE char *path = cann_report_path(merged->options, merged->report, merged->slice, ".csv", err);
    if (path == NULL || outfile_open(&merged->out, path, err) < 0)
        return err_status(err);
    merged->rows = 0;
    for (size_t i = 0; i < merged->titles.count; i++) {
        if (i > 0)
            outfile_write(&merged->out, ",", 1);
        outfile_write(&merged->out, merged->titles.items[i], strlen(merged->titles.items[i]));
    }
    outfile_write(&merged->out, "\n", 1);
    return 0;
}

static int close_file(struct merged_tables *merged, struct err *err)
{
    return output_file_done(&merged->out, merged->report, merged->rows, merged->options, merged->result, err);
}

/* Goes on in another file: that there are several is not known before. */
static int next_file(struct merged_tables *merged, struct err *err)
{
    if (merged->slice < 0) {
        merged->slice = 0;
        SCOPED_FREE char *path = cann_report_path(merged->options, merged->report, merged->slice, ".csv", err);
        if (path == NULL || outfile_rename(&merged->out, path, err) < 0)
            return err_status(err);
    }
    if (close_file(merged, err) < 0)
        return err_status(err);
    merged->slice++;
    return open_file(merged, err);
}

/* Puts whose row it is: a device's number alone would be that of several. */
static void put_device(struct merged_tables *merged, struct table_cell device)
{
    static const struct row_format csv = {.format = TABLE_CSV};
    const struct merge_part *part = &merged->parts[merged->source->part];
    const bool is_host = device.length == strlen("host") && memcmp(device.text, "host", device.length) == 0;
    if (!(is_host ? part->names_host : part->names_device)) {
        outfile_write(&merged->out, device.text, device.length);
        return;
    }
    const bool quoted = device.length > 1 && *device.text == '"';
    strbuf_clear(&merged->plain);
    strbuf_addf(&merged->plain, "%s:", part->host);
    for (size_t i = quoted; i < device.length - quoted; i++) {
        strbuf_addc(&merged->plain, device.text[i]);
        i += quoted && device.text[i] == '"'; /* which stands there twice */
    }
    row_format_text(&csv, merged->plain.data, merged->plain.length, &merged->cell);
    outfile_check(&merged->out, &merged->plain);
    outfile_add(&merged->out, &merged->cell);
}

/* A cell of the row of all, where the file's row has these. */
static struct table_cell cell_for(const struct merged_tables *merged, size_t title, const struct table_cell *own,
                                  size_t count)
{
    const size_t place = merged->places[title];
    return place < count ? own[place] : (struct table_cell){TABLE_MISSING, strlen(TABLE_MISSING)};
}

static int put_row(struct merged_tables *merged, const char *row, const char *end, struct err *err)
{
    struct table_cell own[TABLE_MAX_COLUMNS];
    if (merged->rows == ROWS_PER_FILE && next_file(merged, err) < 0)
        return err_status(err);
    merged->rows++;
    if (merged->as_all) {
        const struct table_cell device = cell_at(row, end);
        put_device(merged, device);
        outfile_write(&merged->out, device.text + device.length, (size_t)(end + 1 - device.text) - device.length);
        return 0;
    }
    const size_t count = split_row(row, end, own);
    put_device(merged, cell_for(merged, 0, own, count));
    for (size_t i = 1; i < merged->titles.count; i++) {
        const struct table_cell cell = cell_for(merged, i, own, count);
        outfile_write(&merged->out, ",", 1);
        outfile_write(&merged->out, cell.text, cell.length);
    }
    outfile_write(&merged->out, "\n", 1);
    return 0;
}

/* ---- reading ---- */

/* The end of the row at p: the line feed that is in no quotes. NULL: it is not there. */
static const char *row_end(const char *p, const char *end)
{
    bool quoted = false;
    for (const char *line; p < end && (line = memchr(p, '\n', (size_t)(end - p))) != NULL; p = line + 1) {
        for (; (p = memchr(p, '"', (size_t)(line - p))) != NULL; p++)
            quoted = !quoted;
        if (!quoted)
            return line;
    }
    return NULL;
}

/* Takes the whole rows of the block: the titles, and, if they are wanted, the others. *ret_left: where the beginning of
 * the next one is. */
static int take_block(struct merged_tables *merged, const char *block, const char *end, bool rows, bool *titled,
                      const char **ret_left, struct err *err)
{
    int status = 0;
    const char *stop;
    *ret_left = block;
    while (status == 0 && (rows || !*titled) && (stop = row_end(*ret_left, end)) != NULL) {
        status = *titled ? put_row(merged, *ret_left, stop, err) : take_titles(merged, *ret_left, stop, err);
        *titled = true;
        *ret_left = stop + 1;
    }
    return status;
}

/* Reads the titles of a part's file, and puts its rows if they are wanted. */
static int read_rows(struct merged_tables *merged, bool rows, struct err *err)
{
    const char *path = merged->source->path, *left;
    SCOPED_CLOSE int fd = path_open_regular(path, err);
    SCOPED_FREE char *block = NULL;
    size_t size = 0, used = 0;
    bool titled = false;
    if (fd < 0)
        return fd;
    while (rows || !titled) {
        if (used == size && (used > CSV_ROW_LIMIT || array_grow(&block, &size, used, BLOCK_SIZE, 1, err) < 0))
            return used > CSV_ROW_LIMIT
                       ? err_set(err, ERR_LIMIT, "a row of '%s' is longer than %zu bytes", path, CSV_ROW_LIMIT)
                       : err_status(err);
        const ssize_t got = read(fd, block + used, size - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set_errno(err, errno, "cannot read '%s'", path);
        if (got == 0)
            return used == 0 ? 0 : err_set(err, ERR_FORMAT, "'%s' ends inside of a row", path);
        if (interrupted())
            return interrupt_error(err);
        used += (size_t)got;
        if (take_block(merged, block, block + used, rows, &titled, &left, err) < 0)
            return err_status(err);
        used -= (size_t)(left - block);
        memmove(block, left, used);
    }
    return 0;
}

static int read_all(struct merged_tables *merged, bool rows, struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < merged->files.count; i++) {
        merged->source = &merged->files.items[i];
        if (strcmp(merged->source->report, merged->report) == 0)
            status = read_rows(merged, rows, err);
    }
    return status;
}

static int unite_table(struct merged_tables *merged, struct err *err)
{
    merged->slice = -1;
    const bool failed = read_all(merged, false, err) < 0 || open_file(merged, err) < 0 ||
                        read_all(merged, true, err) < 0 || close_file(merged, err) < 0;
    outfile_abort(&merged->out);
    for (size_t i = 0; i < merged->titles.count; i++)
        free(merged->titles.items[i]);
    merged->titles.count = 0;
    return failed ? err_status(err) : 0;
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
    strbuf_release(&merged->plain);
    strbuf_release(&merged->cell);
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
    strbuf_init(&merged.plain, CSV_ROW_LIMIT);
    strbuf_init(&merged.cell, CSV_ROW_LIMIT * JSON_TEXT_EXPANSION);
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
