/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of one table. */
#include "base/format/csv_in.h"
#include "base/format/json_pieces.h"
#include "base/number.h"
#include "parsers/layouts/printed_form.h"
#include "parsers/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECIMALS_MOST 6
#define WHOLE "-" /* instead of what tells which task: the row is of the whole network */

/* ---- numbers ---- */

bool printed_number(const char *text, unsigned digits, int64_t *ret, uint8_t *ret_decimals)
{
    int64_t value = 0;
    unsigned decimals = 0;
    bool point = false, digit = false, up = false;
    for (; *text != '\0'; text++) {
        if (*text == '.' && !point) {
            point = true;
            continue;
        }
        if (*text < '0' || *text > '9')
            return false;
        digit = true;
        if (point && decimals >= digits) {
            if (decimals >= DECIMALS_MOST && *text != '0')
                return false;
            if (decimals == digits)
                up = *text >= '5';
            decimals++;
            continue;
        }
        if (value > (INT64_MAX - 9) / 10)
            return false;
        value = value * 10 + (*text - '0');
        decimals += point;
    }
    decimals = decimals < digits ? decimals : digits;
    *ret_decimals = (uint8_t)decimals;
    if (__builtin_mul_overflow(value, printed_power(digits - decimals), &value))
        return false;
    *ret = value + up;
    return digit && value < INT64_MAX / 4; /* three of them can be added up */
}

static bool is_number_with_comma(const char *text)
{
    size_t whole = strspn(text, "0123456789");
    return whole > 0 && text[whole] == ',' && text[whole + 1] != '\0' &&
           text[whole + 1 + strspn(text + whole + 1, "0123456789")] == '\0';
}

/* ---- rows ---- */

#define KEYS_REMEMBERED 32
#define KEY_SIZE 64

struct file_state {
    const struct printed_form *form;
    const struct printed_file *file;
    struct printed_reader *reader;
    struct {
        const struct printed_title *title; /* NULL: of none that counts */
        int64_t unit;
    } columns[CSV_MAX_FIELDS];
    char keys[KEYS_REMEMBERED][KEY_SIZE]; /* of objects: those of the columns, "" first */
    size_t field_count;
    int64_t origin; /* of an event's times, in the digits of the kind */
};

static void set_identity(struct printed_row *row, int field, int64_t value)
{
    if (field >= 0 && value >= 0)
        row->values[field] = value;
}

static void begin_row(const struct file_state *state, struct printed_row *row)
{
    memset(row, 0, sizeof *row);
    for (size_t i = 0; i < PRINTED_MOST; i++)
        row->values[i] = PRINTED_NONE;
    row->most = row->count = row->total = PRINTED_NONE;
    row->unit = state->form->unit;
    row->model_id = state->file->model_id;
    row->layer_id = -1;
    set_identity(row, state->form->kind->model, state->file->model_id);
    set_identity(row, state->form->kind->picture, state->file->current_pic_count);
}

/* A number that the table has by its name, as "model" of api_type. */
static bool take_name(const struct printed_form *form, const struct printed_field *field, const char *text,
                      int64_t *ret)
{
    const struct record_kind *kind = record_kind_find(form->kind->kind);
    int column = kind != NULL && field->name != NULL ? record_kind_column(kind, field->name) : -1;
    const struct value_name *names = column >= 0 ? kind->columns[column].names : NULL;
    for (; names != NULL && names->text != NULL; names++) {
        if (strcmp(names->text, text) == 0) {
            *ret = names->value;
            return true;
        }
    }
    return false;
}

static int tell_no_number(const char *text, uint64_t number, struct err *err)
{
    if (is_number_with_comma(text))
        return err_set(err, ERR_FORMAT, "row %" PRIu64 ": '%s' has a decimal comma; expected a decimal point", number,
                       text);
    return err_set(err, ERR_FORMAT, "row %" PRIu64 ": '%.40s'; expected a number of at most six decimals", number,
                   text);
}

static int take_number(const struct printed_form *form, struct printed_row *row, size_t target, const char *text,
                       uint64_t number, struct err *err)
{
    const struct printed_field *field = &form->kind->fields[target];
    if (printed_number(text, field->digits, &row->values[target], &row->decimals[target]) ||
        take_name(form, field, text, &row->values[target]))
        return 0;
    row->values[target] = PRINTED_NONE;
    return tell_no_number(text, number, err);
}

/* A cell that is no field of the kind. False: it should be a number and is none. */
static bool take_other(const struct printed_form *form, struct printed_row *row, int target, const char *text)
{
    uint8_t decimals;
    unsigned digits = form->kind->fields[0].digits;
    switch (target) {
    case PRINTED_TO_LAYER: { /* "3" or "3,4,5" */
        char first[24];
        snprintf(first, sizeof first, "%.*s", (int)strspn(text, "0123456789"), text);
        if (!printed_number(first, 0, &row->layer_id, &decimals))
            row->layer_id = -1;
        return true;
    }
    case PRINTED_TO_FIRST_WORD:
        snprintf(row->word, sizeof row->word, "%.*s", (int)strcspn(text, ","), text);
        return true;
    case PRINTED_TO_WORD:
        snprintf(row->word, sizeof row->word, "%s", text);
        return true;
    case PRINTED_TO_MOST:
        return printed_number(text, digits, &row->most, &decimals);
    case PRINTED_TO_TOTAL:
        return printed_number(text, digits, &row->total, &decimals);
    case PRINTED_TO_COUNT:
        return printed_number(text, 0, &row->count, &decimals);
    default:
        return true;
    }
}

/* One cell. -ERR_FORMAT when it should be a number and is none. */
static int take_cell(const struct printed_form *form, struct printed_row *row, const struct printed_title *title,
                     int64_t unit, const char *text, uint64_t number, struct err *err)
{
    if (title == NULL || strcmp(text, "N/A") == 0 || strcmp(text, WHOLE) == 0 || text[0] == '\0')
        return 0;
    if (title->target >= PRINTED_MOST)
        return take_other(form, row, title->target, text) ? 0 : tell_no_number(text, number, err);
    if (unit > 0)
        row->unit = unit;
    return take_number(form, row, (size_t)title->target, text, number, err);
}

static bool is_passed_over(const struct printed_form *form, const struct printed_title *title, const char *text)
{
    return title != NULL && title->target == PRINTED_TO_FILTER && strcmp(text, form->filter) != 0;
}

static int tell_missing(const struct file_state *state, const struct printed_title *title, struct err *err)
{
    return err_set(err, ERR_FORMAT, "no column '%s' in it; expected the columns of %s", title->title,
                   state->form->title);
}

/* ---- CSV ---- */

static int take_titles(struct file_state *state, const char *const *fields, size_t count, struct err *err)
{
    if (count == 1 && (strchr(fields[0], ';') != NULL || strchr(fields[0], '\t') != NULL))
        return err_set(err, ERR_FORMAT, "its columns are separated by '%c'; expected commas",
                       strchr(fields[0], ';') != NULL ? ';' : ' ');
    state->field_count = count;
    for (size_t i = 0; i < count; i++)
        state->columns[i].title = printed_title_of(state->form, fields[i], &state->columns[i].unit);
    for (const struct printed_title *title = state->form->titles; title->title != NULL; title++) {
        bool seen = !title->needed;
        for (size_t i = 0; i < count && !seen; i++)
            seen = state->columns[i].title == title;
        if (!seen)
            return tell_missing(state, title, err);
    }
    return 0;
}

static int take_csv_row(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    struct file_state *state = arg;
    struct printed_row row;
    if (number == 1)
        return take_titles(state, fields, count, err);
    if (count < state->field_count) {
        state->reader->skipped += count > 1 || (count == 1 && fields[0][0] != '\0');
        return 0;
    }
    bool whole = strcmp(fields[0], WHOLE) == 0;
    if (whole && state->reader->whole == NULL)
        return 0;
    begin_row(state, &row);
    for (size_t i = 0; i < count && i < state->field_count; i++) {
        const struct printed_title *title = state->columns[i].title;
        if (is_passed_over(state->form, title, fields[i]))
            return 0;
        int status = take_cell(state->form, &row, title, state->columns[i].unit, fields[i], number, err);
        if (status < 0)
            return status;
    }
    return (whole ? state->reader->whole : state->reader->row)(state->reader->arg, &row, err);
}

/* ---- JSON ---- */

/* What the members of an object made of a row. */
struct object_row {
    struct printed_row row;
    uint64_t number, seen; /* bit i: the i-th title has been there */
    bool skip;             /* the filter passes over it */
    bool whole;            /* it is of the whole network */
};

/* A number of at most six decimals and fifteen digits, as tables have them, which its double tells exactly. False: it
 * is another. */
static bool put_exactly(double value, char *buffer)
{
    const double millionths = 1e6;
    if (!(value >= 0 && value < 1e9))
        return false;
    int64_t scaled = (int64_t)(value * millionths + 0.5);
    if ((double)scaled / millionths != value)
        return false;
    *number_put_shortest(buffer, scaled, DECIMALS_MOST) = '\0';
    return true;
}

/* A value as a cell of CSV would have it; NULL: it is neither text nor number. */
static const char *cell_of(const struct file_state *state, const struct json *member, char *buffer, size_t size)
{
    const char *text = json_string(member);
    double value;
    if (text != NULL || !json_number(member, &value))
        return text;
    if (!state->form->events && put_exactly(value, buffer))
        return buffer;
    if (!state->form->events)
        snprintf(buffer, size, "%.15g", value);
    if (state->form->events || strchr(buffer, 'e') != NULL) {
        /* the nearest double of a time since 1970 is not the time itself */
        int digits = state->form->kind->fields[0].digits;
        snprintf(buffer, size, "%.*f", value < 9e12 || digits < 3 ? digits : 0, value);
        if (strchr(buffer, '.') != NULL) {
            size_t length = strlen(buffer);
            while (buffer[length - 1] == '0')
                buffer[--length] = '\0';
            if (buffer[length - 1] == '.')
                buffer[length - 1] = '\0';
        }
    }
    return buffer;
}

/* The title that a key says; objects of a table have the same keys at the same places. */
static const struct printed_title *title_of_key(struct file_state *state, size_t at, const char *key, int64_t *ret_unit)
{
    if (at >= KEYS_REMEMBERED || strlen(key) >= KEY_SIZE)
        return printed_title_of(state->form, key, ret_unit);
    if (strcmp(state->keys[at], key) != 0) {
        snprintf(state->keys[at], KEY_SIZE, "%s", key);
        state->columns[at].title = printed_title_of(state->form, key, &state->columns[at].unit);
    }
    *ret_unit = state->columns[at].unit;
    return state->columns[at].title;
}

/* What the titles say of an object, whose keys are remembered from a place on. */
static int take_members(struct file_state *state, const struct json *object, size_t at, struct object_row *found,
                        struct err *err)
{
    for (const struct json *member = json_first(object); member != NULL; member = json_next(member)) {
        char buffer[340];
        int64_t unit;
        const struct printed_title *title = title_of_key(state, at++, json_key(member), &unit);
        const char *text = cell_of(state, member, buffer, sizeof buffer);
        if (text == NULL)
            continue;
        found->whole = found->whole || (!state->form->events && strcmp(text, WHOLE) == 0);
        if (title == NULL)
            continue;
        found->skip = found->skip || (title->target == PRINTED_TO_FILTER && strcmp(text, state->form->filter) != 0);
        found->seen |= UINT64_C(1) << (title - state->form->titles);
        int status = found->skip ? 0 : take_cell(state->form, &found->row, title, unit, text, found->number, err);
        if (status < 0)
            return status;
    }
    return 0;
}

#define TAIL_SIZE 8192

/* Where a trace begins, when its times are counted from there: its member otherData, the last one, says so. */
static int64_t origin_of(const char *path)
{
    static const char member[] = "\"otherData\":", key[] = "\"origin_ns\":\"";
    char tail[TAIL_SIZE + 1];
    FILE *file = fopen(path, "rbe");
    size_t length = 0;
    int64_t origin = 0;

    if (file == NULL)
        return 0; /* that it is not there is told by who reads it */
    if (fseeko(file, -(off_t)TAIL_SIZE, SEEK_END) == 0 || fseeko(file, 0, SEEK_SET) == 0)
        length = fread(tail, 1, TAIL_SIZE, file);
    fclose(file);
    tail[length] = '\0';
    const char *other = memmem(tail, length, member, sizeof member - 1);
    const char *text = other != NULL ? strstr(other, key) : NULL;
    if (text == NULL || number_parse_integer(text + sizeof key - 1, strcspn(text + sizeof key - 1, "\""), &origin) != 0)
        return 0;
    return origin >= 0 && origin < INT64_MAX / 8 ? origin : 0;
}

static bool is_span(const struct json *object)
{
    const char *phase = json_string(json_member(object, "ph"));
    return phase != NULL && strcmp(phase, "X") == 0;
}

/* What is printed from the trace's beginning, or from the row's, becomes a time. False: it is none that fits. */
static bool add_origin(const struct file_state *state, struct printed_row *row)
{
    const struct printed_kind *kind = state->form->kind;
    int began = kind->began;
    if (began >= 0 && row->values[began] != PRINTED_NONE)
        row->values[began] += state->origin;
    for (size_t i = 0; i < kind->stored; i++) {
        if (!kind->fields[i].from_first || row->values[i] == PRINTED_NONE)
            continue;
        if (row->values[0] == PRINTED_NONE)
            return false;
        row->values[i] += row->values[0];
        row->decimals[i] = row->decimals[i] > row->decimals[0] ? row->decimals[i] : row->decimals[0];
    }
    return true;
}

static int take_json_row(void *arg, const struct json *object, uint64_t number, struct err *err)
{
    struct file_state *state = arg;
    struct object_row found = {.number = number};
    begin_row(state, &found.row);
    if (state->form->events && !is_span(object))
        return 0;
    int status = take_members(state, object, 0, &found, err);
    if (status == 0 && state->form->events)
        status = take_members(state, json_member(object, "args"), KEYS_REMEMBERED / 2, &found, err);
    if (status < 0 || found.skip || (found.whole && state->reader->whole == NULL))
        return status;
    for (const struct printed_title *title = state->form->titles; title->title != NULL; title++) {
        if (!title->needed || (found.seen >> (title - state->form->titles) & 1) != 0)
            continue;
        if (state->form->events)
            return 0; /* an event of something else */
        return tell_missing(state, title, err);
    }
    if (found.whole)
        return state->reader->whole(state->reader->arg, &found.row, err);
    return add_origin(state, &found.row) ? state->reader->row(state->reader->arg, &found.row, err) : 0;
}

int printed_read(const struct printed_form *form, const struct printed_file *file, struct printed_reader *reader,
                 struct err *err)
{
    struct file_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    *state = (struct file_state){.form = form, .file = file, .reader = reader};
    state->origin = file->json && form->events ? origin_of(file->path) : 0;
    int status = file->json ? json_read_rows(file->path, take_json_row, state, err)
                            : csv_read(file->path, take_csv_row, state, err);
    free(state);
    return status < 0 && err->code != ERR_INTERRUPTED ? err_wrap(err, "cannot read the table '%s'", file->path)
                                                      : status;
}
