/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/writer.h"

#include "base/array.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "exporters/output_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PATH_LIMIT 8192
#define FIRST_ROW_SIZE 4096

/* ---- plain ---- */

#define BRIEF_LEAST 30 /* columns for a sentence */

static const struct report_column *column_of(const struct report_plan *plan, size_t step)
{
    return &plan->columns[plan->steps[step].column].column;
}

/* Durations are rewritten in another unit; points in time are not. */
static bool is_duration(const struct report_column *column)
{
    size_t length;
    const char *unit = report_title_unit(column->title, &length);

    return form_is_scaled(column->form) && length == 2 && strncmp(unit, "us", 2) == 0;
}

/* Whether a column is a quantity: a length of time, a size, a share. Those are what a table is asked for. */
static bool is_quantity(const struct report_column *column)
{
    size_t length;
    const char *unit = report_title_unit(column->title, &length);

    return !report_holds_texts(column) && column->form != FORM_TIME && unit != NULL && length > 0;
}

/* Columns that say what a row is, and its first quantity, are left out last. */
struct columns_asked {
    size_t name, quantity;
};

static struct columns_asked columns_asked(const struct report_plan *plan)
{
    struct columns_asked asked = {plan->step_count - 1, plan->step_count};

    for (size_t i = 0; i < plan->step_count; i++)
        if (report_holds_texts(column_of(plan, i)) && (column_of(plan, i)->flags & REPORT_NARROW) == 0)
            asked.name = i;
    for (size_t i = plan->step_count; i-- > 0;)
        if (is_quantity(column_of(plan, i)))
            asked.quantity = i;
    return asked;
}

/* The first column and the last text that is not narrow stay; of the others the narrow ones go first, from the right.
 */
static int least_first(const struct report_plan *plan, const struct columns_asked *asked, size_t step)
{
    if (step == 0 || step == asked->name)
        return 0;
    if (step == asked->quantity)
        return 1;
    return 1 + (int)step + ((column_of(plan, step)->flags & REPORT_NARROW) != 0 ? REPORT_MAX_COLUMNS : 0);
}

struct grid_column *report_grid_columns(const struct report_plan *plan, struct err *err)
{
    struct grid_column *columns = scoped_memory(plan->step_count + 1, sizeof *columns);
    const struct columns_asked asked = columns_asked(plan);

    if (columns == NULL)
        err_no_memory(err);
    for (size_t i = 0; columns != NULL && i < plan->step_count; i++) {
        bool text = report_holds_texts(column_of(plan, i));
        columns[i] = (struct grid_column){.title = plan->titles[i],
                                          .number = !text,
                                          .cut = text,
                                          .goes_on = (column_of(plan, i)->flags & REPORT_SENTENCES) != 0,
                                          .time = !text && is_duration(column_of(plan, i)),
                                          .least_first = least_first(plan, &asked, i)};
    }
    return columns;
}

static void tell_more(struct show *show, uint64_t left, bool more)
{
    if (left > 0)
        fprintf(show->stream, "and %" PRIu64 "%s more (--top N)\n", left, more ? " or" : "");
    else if (more)
        fputs("and more (--top N)\n", show->stream);
}

/* Keeps a row of report_plan_put. */
static int plain_row(struct grid *grid, const struct report_plan *plan, const char *row, const char *end,
                     struct err *err)
{
    struct table_cell cells[REPORT_MAX_COLUMNS];

    row_cells(row, end, plan->step_count, cells);
    grid->column_count = plan->step_count;
    for (size_t i = 0; i < plan->step_count; i++)
        while (cells[i].length > 0 && cells[i].text[cells[i].length - 1] == '\t') /* behind times, for spreadsheets */
            cells[i].length--;
    return grid_cells(grid, cells, err);
}

/* Cuts sentences of the second of two columns at the width of the screen. */
static void cut_sentences(struct grid *grid, int width, bool ascii)
{
    const size_t last = grid->column_count - 1;
    size_t room = width > 0 ? (size_t)width : SIZE_MAX, head = 0;

    for (size_t i = 0; i + last < grid->count && last == 1; i += grid->column_count)
        head = strlen(grid->cells[i]) > head ? strlen(grid->cells[i]) : head;
    if (last != 1 || room < head + BRIEF_LEAST)
        return;
    room -= head + 2;
    for (size_t i = last; i < grid->count; i += grid->column_count) {
        char *text = grid->cells[i];
        const size_t length = strlen(text);
        if (length <= room || text[length - 1] != '.') /* numbers are not cut */
            continue;
        size_t end = utf8_cut(text, room - 3);
        while (end > 0 && text[end] != ' ')
            end--;
        memcpy(text + end, ascii ? "..." : "…", sizeof "..."); /* three bytes each, where at least three were */
    }
}

/* Prints the rows. left: how many others there are that were not wanted; more: and even more, nobody knows how many. */
static int plain_print(struct grid *grid, const struct report_plan *plan, struct show *show, uint64_t left, bool more,
                       struct err *err)
{
    SCOPED_FREE struct grid_column *columns = report_grid_columns(plan, err);
    SCOPED_FREE char **titles = scoped_memory(plan->step_count + 1, sizeof *titles);
    if (columns == NULL || titles == NULL)
        return err_no_memory(err);
    grid->columns = columns;
    const bool failed = grid_unite_numbers(grid, columns, titles, err) < 0;
    if (show->options->brief && grid->count > 0)
        cut_sentences(grid, show->options->width, show->options->ascii);
    if (!failed)
        grid_print(grid, show->stream, GRID_TABLE, show->options->width, show->options->ascii);
    for (size_t i = 0; i < plan->step_count; i++)
        free(titles[i]);
    grid->columns = NULL;
    if (failed)
        return err_status(err);
    tell_more(show, left, more);
    show->result->rows += grid->column_count > 0 ? grid->count / grid->column_count : 0;
    return 0;
}

/* ---- table stream ---- */

#define TITLES_MAX ((size_t)1 << 20)

static char *join_titles(const char *const *titles, size_t count, struct err *err)
{
    struct strbuf text;
    strbuf_init(&text, TITLES_MAX);
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&text, "%s\n", titles[i]);
    char *joined = strbuf_detach(&text);
    if (joined == NULL)
        err_set(err, ERR_NO_MEMORY, "out of memory for the titles of a table");
    return joined;
}

/* A table is about to write its first row; titles are those of its columns. *ret_head: the head must stand before it.
 * Where rows have no titles of their own, columns must be those of the head: else -ERR_FAILED. */
static int table_stream_begin(struct table_stream *stream, enum table_format format, const char *const *titles,
                              size_t count, bool *ret_head, struct err *err)
{
    char *joined = join_titles(titles, count, err);
    *ret_head = !stream->begun;
    if (joined == NULL)
        return err_status(err);
    if (!stream->begun) {
        stream->begun = true;
        stream->format = format;
        stream->titles = joined;
        return 0;
    }
    bool same = format == TABLE_JSON || strcmp(joined, stream->titles) == 0;
    free(joined);
    if (same)
        return 0;
    err_set(err, ERR_FAILED, "the columns of this table differ from those of the table before");
    err_hint_caller(err, "choose common columns");
    return err_hint(err, "choose common columns with --columns, or use --format json");
}

int table_stream_end(struct table_stream *stream, struct err *err)
{
    const struct row_format format = {.format = stream->format};
    struct outfile out;
    const bool tail = stream->begun && stream->format == TABLE_JSON, any = stream->rows > 0;
    free(stream->titles);
    *stream = (struct table_stream){.path = stream->path};
    if (!tail)
        return 0;
    if (outfile_open(&out, stream->path, err) < 0)
        return err_status(err);
    row_format_tail(&format, any, &out);
    return outfile_commit(&out, err);
}

/* ---- files ---- */

const char *report_suffix(enum table_format format)
{
    return format == TABLE_JSON ? ".json" : format == TABLE_MARKDOWN ? ".md" : ".csv";
}

char *report_path(const struct export_options *options, const char *name, int64_t slice, const char *suffix,
                  struct err *err)
{
    if (options->stream_path == NULL)
        return output_file_path(options, name, slice,
                                (const char *const[3]){suffix, report_suffix(options->format), ""}, err);
    char *path = strdup(options->stream_path);
    if (path == NULL)
        err_no_memory(err);
    return path;
}

static int put_head(struct report_writer *writer, struct err *err)
{
    const struct report_plan *plan = writer->plan;
    bool head = true;
    if (writer->options->merged != NULL)
        return merged_tables_head(writer->options->merged, writer->name, &writer->file.out, err);
    if (writer->options->stream != NULL && table_stream_begin(writer->options->stream, writer->options->format,
                                                              plan->titles, plan->step_count, &head, err) < 0)
        return err_status(err);
    if (head)
        row_format_head(&plan->pieces, plan->titles, &writer->file.out);
    return 0;
}

static int open_file(struct report_writer *writer, struct err *err)
{
    enum { CELL_BYTES = 4 }; /* of most tables more */
    struct table_file *file = &writer->file;
    SCOPED_FREE char *path = report_path(writer->options, writer->name, file->files > 0 ? (int64_t)file->files : -1,
                                         writer->suffix.data, err);
    if (path == NULL || outfile_open(&file->out, path, err) < 0)
        return err_status(err);
    file->rows = 0;
    if (writer->choice == NULL && file->files == 0)
        outfile_expect(&file->out, writer->expected * writer->plan->step_count * CELL_BYTES);
    return put_head(writer, err);
}

/* A table of more than one file has a number in the name of each: the first one's is not known before. */
static int number_first_file(struct report_writer *writer, struct err *err)
{
    SCOPED_FREE char *path = report_path(writer->options, writer->name, 0, writer->suffix.data, err);
    return path != NULL ? outfile_rename(&writer->file.out, path, err) : err_status(err);
}

static int complete_file(struct report_writer *writer, struct err *err)
{
    struct table_file *file = &writer->file;
    if (writer->options->stream != NULL)
        writer->options->stream->rows += file->rows;
    else
        row_format_tail(&writer->plan->pieces, file->rows > 0, &file->out);
    file->files++;
    return output_file_done(&file->out, writer->name, file->rows, writer->options, writer->result, err);
}

/* No rows follow in the file that is open; of a merged table those of the next capture do. */
static int close_file(struct report_writer *writer, int status, struct err *err)
{
    if (writer->file.out.path == NULL)
        return status;
    if (status < 0)
        outfile_abort(&writer->file.out);
    else if (writer->options->merged != NULL)
        merged_tables_keep(writer->options->merged, writer->name, &writer->file);
    else
        status = complete_file(writer, err);
    return status;
}

/* Whether the open file takes no more rows. */
static bool file_is_full(const struct report_writer *writer)
{
    return writer->file.rows == ROWS_PER_FILE && !writer->file.whole && writer->options->stream_path == NULL;
}

/* Whether the next row is the first of a file. */
static bool begins_file(const struct report_writer *writer)
{
    if (writer->options->stream != NULL && writer->options->stream->rows > 0)
        return false;
    return writer->file.out.path == NULL || writer->file.rows == 0 || file_is_full(writer);
}

/* A file with room for a row. */
static int need_file(struct report_writer *writer, struct err *err)
{
    struct table_file *file = &writer->file;
    if (file->out.path != NULL && !file_is_full(writer))
        return 0;
    if (file->out.path == NULL && file->files == 0 && writer->options->merged != NULL &&
        merged_tables_take(writer->options->merged, writer->name, writer->plan, file, err) < 0)
        return err_status(err);
    if (file->out.path != NULL && file_is_full(writer) &&
        ((file->files == 0 && number_first_file(writer, err) < 0) || complete_file(writer, err) < 0))
        return err_status(err);
    return file->out.path == NULL ? open_file(writer, err) : 0;
}

struct outfile *report_writer_file(struct report_writer *writer, uint64_t *ret_room, struct err *err)
{
    if (need_file(writer, err) < 0)
        return NULL;
    *ret_room = writer->file.whole ? UINT64_MAX : ROWS_PER_FILE - writer->file.rows;
    return &writer->file.out;
}

void report_writer_filled(struct report_writer *writer, uint64_t rows)
{
    writer->rows += rows;
    writer->file.rows += rows;
}

/* ---- rows ---- */

static int give_values(struct report_writer *writer, const struct typed_value *values, struct err *err)
{
    struct table_sink *sink = writer->options->sink;
    const int status = ++writer->rows == 1 ? sink->begin(sink->arg, writer->plan, err) : 0;
    return status == 0 ? sink->values(sink->arg, values, err) : status;
}

/* Puts values of types into writer->row, to be sorted: the array of them, and their texts behind it. */
static int pack_values(struct report_writer *writer, const struct typed_value *values, size_t *ret_length,
                       struct err *err)
{
    const size_t count = writer->plan->step_count;
    size_t length = count * sizeof *values;
    for (size_t i = 0; i < count; i++)
        length += values[i].kind == TYPED_TEXT ? values[i].length : 0;
    if (length > writer->row_size && array_grow(&writer->row, &writer->row_size, 0, length, 1, err) < 0)
        return err_wrap(err, "a row of %s", writer->name);
    memcpy(writer->row, values, count * sizeof *values);
    char *p = writer->row + count * sizeof *values;
    for (size_t i = 0; i < count; i++)
        if (values[i].kind == TYPED_TEXT) {
            memcpy(p, values[i].text, values[i].length);
            p += values[i].length;
        }
    *ret_length = length;
    return 0;
}

static int give_packed(struct report_writer *writer, const char *row, struct err *err)
{
    struct typed_value values[REPORT_MAX_COLUMNS];
    const size_t count = writer->plan->step_count;
    memcpy(values, row, count * sizeof *values);
    const char *text = row + count * sizeof *values;
    for (size_t i = 0; i < count; i++)
        if (values[i].kind == TYPED_TEXT) {
            values[i].text = text;
            text += values[i].length;
        }
    return give_values(writer, values, err);
}

/* Whether rows go as values of types. */
static bool takes_values(const struct report_writer *writer)
{
    return writer->options->sink != NULL && writer->options->sink->values != NULL;
}

static int give_cells(struct report_writer *writer, const char *row, size_t length, struct err *err)
{
    struct table_sink *sink = writer->options->sink;
    struct table_cell cells[TABLE_MAX_COLUMNS];
    int status = writer->rows == 1 ? sink->begin(sink->arg, writer->plan, err) : 0;
    row_cells(row, row + length, writer->plan->step_count, cells);
    return status == 0 ? sink->row(sink->arg, cells, err) : status;
}

static int take_bytes(struct report_writer *writer, const char *row, size_t length, struct err *err)
{
    writer->rows++;
    if (writer->is_plain)
        return plain_row(&writer->grid, writer->plan, row, row + length, err);
    if (writer->options->sink != NULL)
        return give_cells(writer, row, length, err);
    if (writer->terminal != NULL)
        return terminal_table_row(writer->terminal, row, row + length, err);
    int status = need_file(writer, err);
    if (status == 0)
        outfile_write(&writer->file.out, row, length);
    writer->file.rows++;
    return status;
}

/* Puts a row into writer->row; its end, NULL with err set. */
static const char *put_row(struct report_writer *writer, const struct report_value *values, bool first, struct err *err)
{
    for (;;) {
        size_t room = FIRST_ROW_SIZE;
        const char *end = writer->row_size > 0 ? report_plan_put(writer->plan, values, first, writer->row,
                                                                 writer->row + writer->row_size, &room)
                                               : NULL;
        if (end != NULL)
            return end;
        if (array_grow(&writer->row, &writer->row_size, 0, room > writer->row_size ? room : writer->row_size + 1, 1,
                       err) < 0) {
            err_wrap(err, "a row of %s", writer->name);
            return NULL;
        }
    }
}

bool report_writer_is_full(const struct report_writer *writer)
{
    const struct row_choice *choice = writer->choice;
    return choice != NULL && !choice->sorted && choice->top > 0 && writer->rows >= choice->top;
}

void report_writer_leave(struct report_writer *writer, uint64_t rows)
{
    bool counted = rows != UINT64_MAX && writer->choice->filter_count == 0;
    if (counted)
        writer->passed += rows;
    writer->more = writer->more || !counted;
}

bool report_writer_leave_rest(struct report_writer *writer, uint64_t rows)
{
    if (!report_writer_is_full(writer) || writer->choice->filter_count > 0)
        return false;
    writer->passed += rows;
    return true;
}

uint64_t report_writer_top(const struct report_writer *writer)
{
    const struct row_choice *choice = writer->choice;
    return choice != NULL && !choice->sorted && choice->filter_count == 0 ? choice->top : 0;
}

/* A sorted row does not know yet whether it is the first: see take_sorted. */
static int sort_row(struct report_writer *writer, const struct report_value *values, struct err *err)
{
    struct sort_key key = row_choice_key(writer->choice, values);
    if (!sorter_wants(writer->sorter, &key))
        return 0;
    if (takes_values(writer)) {
        struct typed_value typed[REPORT_MAX_COLUMNS];
        size_t length = 0;
        report_plan_type(writer->plan, values, typed);
        return pack_values(writer, typed, &length, err) == 0
                   ? sorter_put(writer->sorter, &key, writer->row, length, err)
                   : err_status(err);
    }
    const char *end = put_row(writer, values, false, err);
    return end != NULL ? sorter_put(writer->sorter, &key, writer->row, (size_t)(end - writer->row), err)
                       : err_status(err);
}

static int take_sorted(void *arg, const char *row, size_t length, struct err *err)
{
    struct report_writer *writer = arg;
    const struct row_format *pieces = &writer->plan->pieces;
    if (takes_values(writer))
        return give_packed(writer, row, err);
    if (!begins_file(writer))
        return take_bytes(writer, row, length, err);
    SCOPED_FREE char *copy = scoped_memory(length + pieces->begin.length + 1, 1);
    if (copy == NULL)
        return err_no_memory(err);
    char *end = put_piece(copy, &pieces->begin);
    memcpy(end, row + pieces->next.length, length - pieces->next.length);
    return take_bytes(writer, copy, (size_t)(end - copy) + length - pieces->next.length, err);
}

static int copy_row(struct report_writer *writer, const struct report_value *values, struct err *err)
{
    const char *end = put_row(writer, values, begins_file(writer), err);
    return end != NULL ? take_bytes(writer, writer->row, (size_t)(end - writer->row), err) : err_status(err);
}

/* Straight into the file's buffer where the row fits, as nearly all do. */
static int write_row(struct report_writer *writer, const struct report_value *values, struct err *err)
{
    size_t room = writer->plan->fixed_room + FIRST_ROW_SIZE, needed;
    if (room > OUTFILE_RESERVE_MAX)
        return copy_row(writer, values, err);
    if (need_file(writer, err) < 0)
        return err_status(err);
    char *start = outfile_reserve(&writer->file.out, room);
    const char *end = report_plan_put(writer->plan, values, begins_file(writer), start, start + room, &needed);
    if (end == NULL)
        return copy_row(writer, values, err);
    outfile_advance(&writer->file.out, (size_t)(end - start));
    writer->rows++;
    writer->file.rows++;
    return 0;
}

int report_writer_row(struct report_writer *writer, const struct report_value *values, struct err *err)
{
    if (writer->choice != NULL) {
        if (!row_choice_passes(writer->choice, values))
            return 0;
        writer->passed++;
        if (report_writer_is_full(writer))
            return 0;
        if (writer->sorter != NULL)
            return sort_row(writer, values, err);
    }
    if (takes_values(writer)) {
        struct typed_value typed[REPORT_MAX_COLUMNS];
        report_plan_type(writer->plan, values, typed);
        return give_values(writer, typed, err);
    }
    bool to_file = writer->terminal == NULL && !writer->is_plain && writer->options->sink == NULL;
    return to_file ? write_row(writer, values, err) : copy_row(writer, values, err);
}

/* ---- parts ---- */

static int set_suffix(struct report_writer *writer, const char *suffix, struct err *err)
{
    strbuf_clear(&writer->suffix);
    return strbuf_adds(&writer->suffix, suffix) == 0
               ? 0
               : err_set(err, ERR_NO_MEMORY, "no room for the name of a file of %s", writer->name);
}

int report_writer_end_part(struct report_writer *writer, struct err *err)
{
    int status = close_file(writer, 0, err);
    writer->file.files = 0;
    return status;
}

int report_writer_part(struct report_writer *writer, const char *suffix, struct err *err)
{
    if (strcmp(suffix, writer->suffix.data) == 0)
        return 0;
    return report_writer_end_part(writer, err) < 0 || set_suffix(writer, suffix, err) < 0 ? err_status(err) : 0;
}

/* ---- all of it ---- */

int report_writer_open(struct report_writer *writer, const struct report_writer *wanted, const char *suffix,
                       struct err *err)
{
    const struct row_choice *choice = wanted->choice;
    *writer = *wanted;
    strbuf_init(&writer->suffix, PATH_LIMIT);
    if (choice != NULL && choice->sorted) {
        writer->sorter = sorter_new(choice->descending, choice->top, err);
        if (writer->sorter == NULL)
            return err_status(err);
    }
    return set_suffix(writer, suffix, err);
}

int report_writer_close(struct report_writer *writer, int status, struct err *err)
{
    if (status == 0 && writer->sorter != NULL)
        status = sorter_each(writer->sorter, take_sorted, writer, err);
    status = close_file(writer, status, err);
    if (status == 0 && writer->grid.count > 0)
        status = plain_print(&writer->grid, writer->plan, writer->options->show,
                             writer->passed > writer->rows ? writer->passed - writer->rows : 0, writer->more, err);
    if (writer->options != NULL && writer->options->sink != NULL) { /* a table that failed early has none */
        writer->options->sink->left = writer->passed > writer->rows ? writer->passed - writer->rows : 0;
        writer->options->sink->more = writer->more;
    }
    grid_release(&writer->grid);
    strbuf_release(&writer->suffix);
    sorter_free(writer->sorter);
    free(writer->row);
    return status;
}
