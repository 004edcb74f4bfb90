/* SPDX-License-Identifier: Apache-2.0 */
#include "features/layouts/printed.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/csv_in.h"
#include "base/format/json_pieces.h"
#include "base/number.h"
#include "base/words.h"
#include "parsers/capture/capture.h"
#include "parsers/record.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Which tables there are. */

/* Whether a file of this name is a table of the form; the identity is what the name says. */
static bool is_of_form(const struct printed_form *form, const char *name, struct file_identity *identity)
{
    static const struct file_identity unknown = {
        .device_id = -1, .model_id = -1, .batch_num = -1, .input_pic_num = -1, .current_pic_count = -1, .slice = -1};
    for (size_t i = 0; form->patterns[i] != NULL; i++) {
        *identity = unknown;
        if (capture_match_name(form->patterns[i], name, identity))
            return true;
    }
    *identity = unknown;
    return form->prefix != NULL && strncmp(name, form->prefix, strlen(form->prefix)) == 0 &&
           (words_end_in(name, ".json") || (!form->events && words_end_in(name, ".csv")));
}

/* The rate in front of the frequency in "...{rate}.{frequency}.csv", in millionths; -1: it is none. */
static int64_t rate_of_name(const char *name)
{
    const char *dots[4], *at = name + strlen(name); /* the last four, from the end on */
    char text[32];
    int64_t rate;
    uint8_t decimals;
    for (size_t i = 0; i < sizeof dots / sizeof dots[0]; i++) {
        while (at > name && *--at != '.')
            ;
        dots[i] = at;
    }
    size_t length = (size_t)(dots[1] - dots[3]);
    if (*dots[3] != '.' || length == 0 || length > sizeof text)
        return -1;
    memcpy(text, dots[3] + 1, length - 1);
    text[length - 1] = '\0';
    return printed_number(text, 6, &rate, &decimals) && rate >= 0 ? rate : -1;
}

static int add_file(struct printed_files *files, const char *directory, const char *name, struct err *err)
{
    struct file_identity identity;
    if (!is_of_form(files->form, name, &identity))
        return 0;
    if (identity.out_of_memory || array_reserve(files, 1, err) < 0) {
        file_identity_release(&identity);
        return err_no_memory(err);
    }
    struct printed_file *file = &files->items[files->count];
    bool says_frequency = !files->form->events && !files->form->sums && !files->form->by_layers;
    *file = (struct printed_file){
        .path = path_join(directory, name),
        .device_id = identity.device_id,
        .model_id = identity.model_id,
        .batch_num = identity.batch_num,
        .input_pic_num = identity.input_pic_num,
        .current_pic_count = identity.current_pic_count,
        .core_khz = says_frequency && identity.slice > 0 && identity.slice < 1000000 ? identity.slice * 1000 : -1,
        .miss_ppm = says_frequency && identity.slice >= 0 ? rate_of_name(name) : -1,
        .json = words_end_in(name, ".json")};
    file_identity_release(&identity);
    if (file->path == NULL)
        return err_no_memory(err);
    files->count++;
    return 0;
}

static int find_in(struct printed_files *files, const char *directory, struct err *err)
{
    SCOPED_DIRECTORY DIR *stream = opendir(directory);
    int status = 0;
    if (stream == NULL)
        return errno == ENOENT || errno == ENOTDIR ? 0 : err_set_errno(err, errno, "cannot read '%s'", directory);
    for (struct dirent *entry; status == 0 && (entry = path_next_entry(stream, directory, &status, err)) != NULL;)
        status = add_file(files, directory, entry->d_name, err);
    return status;
}

ARRAY_COMPARE(compare_files, struct printed_file, ARRAY_BY(device_id), ARRAY_BY(batch_num), ARRAY_BY(input_pic_num),
              ARRAY_BY(current_pic_count), ARRAY_BY(model_id), ARRAY_BY(json), ARRAY_BY_TEXT(path))

/* Two files with the same identity: as CSV and as JSON, or with two frequencies. */
static bool say_the_same(const struct printed_file *a, const struct printed_file *b)
{
    return a->device_id >= 0 && a->device_id == b->device_id && a->model_id == b->model_id &&
           a->batch_num == b->batch_num && a->input_pic_num == b->input_pic_num &&
           a->current_pic_count == b->current_pic_count;
}

static void drop_duplicates(struct printed_files *files)
{
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        struct printed_file *before = kept > 0 ? &files->items[kept - 1] : NULL, *file = &files->items[i];
        if (before != NULL && say_the_same(before, file)) {
            free(file->path);
            files->duplicates++;
        } else {
            files->items[kept++] = *file;
        }
    }
    files->count = kept;
}

static int find_form(struct printed_files *files, const char *directory, struct err *err)
{
    SCOPED_FREE char *below = path_join(directory, files->form->directory);
    return (below != NULL ? find_in(files, directory, err) : err_no_memory(err)) < 0 || find_in(files, below, err) < 0
               ? err_status(err)
               : 0;
}

int printed_find(struct printed_files *files, const char *kind, const char *directory, struct err *err)
{
    int status = 0;
    for (size_t i = 0; printed_forms[i] != NULL && status == 0 && files->count == 0; i++) {
        if (strcmp(printed_forms[i]->kind, kind) != 0)
            continue;
        files->form = printed_forms[i];
        status = find_form(files, directory, err);
    }
    array_sort(files->items, files->count, sizeof *files->items, compare_files);
    drop_duplicates(files);
    return status;
}

void printed_release(struct printed_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->items[i].path);
    free(files->items);
    *files = (struct printed_files){.items = NULL};
}

bool printed_knows(const char *kind)
{
    for (size_t i = 0; printed_forms[i] != NULL; i++)
        if (strcmp(printed_forms[i]->kind, kind) == 0)
            return true;
    return false;
}

/* The rows of one table. */

#define DECIMALS_MOST 6
#define WHOLE "-" /* instead of a task: the row describes the whole network */

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
        const struct printed_field *field; /* NULL: of none that counts */
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
    set_identity(row, printed_column(state->form, "model_id"), state->file->model_id);
    set_identity(row, printed_column(state->form, "current_pic_count"), state->file->current_pic_count);
}

/* A number that the table has by its name, as "model" of api_type. */
static bool take_name(const struct printed_form *form, const struct printed_field *field, const char *text,
                      int64_t *ret)
{
    const struct record_kind *kind = record_kind_find(form->kind);
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

/* A number of the record, or what it is called. */
static bool take_number(const struct printed_form *form, struct printed_row *row, const struct printed_field *field,
                        const char *text)
{
    size_t at = (size_t)(field - form->fields);
    if (printed_number(text, field->digits, &row->values[at], &row->decimals[at]) ||
        take_name(form, field, text, &row->values[at]))
        return true;
    row->values[at] = PRINTED_NONE;
    return false;
}

/* Puts a cell where it goes. False: it should be a number and is none. */
static bool take_value(const struct printed_form *form, struct printed_row *row, const struct printed_field *field,
                       const char *text)
{
    uint8_t decimals;
    unsigned digits = form->fields[0].digits;
    switch (field->role) {
    case PRINTED_LAYER: { /* "3" or "3,4,5" */
        char first[24];
        snprintf(first, sizeof first, "%.*s", (int)strspn(text, "0123456789"), text);
        if (!printed_number(first, 0, &row->layer_id, &decimals))
            row->layer_id = -1;
        return true;
    }
    case PRINTED_FIRST_WORD:
        snprintf(row->word, sizeof row->word, "%.*s", (int)strcspn(text, ","), text);
        return true;
    case PRINTED_WORD:
        snprintf(row->word, sizeof row->word, "%s", text);
        return true;
    case PRINTED_LARGEST:
        return printed_number(text, digits, &row->most, &decimals);
    case PRINTED_TOTAL:
        return printed_number(text, digits, &row->total, &decimals);
    case PRINTED_COUNT:
        return printed_number(text, 0, &row->count, &decimals);
    case PRINTED_FILTER:
        return true;
    default:
        return take_number(form, row, field, text);
    }
}

/* One cell. -ERR_FORMAT when it should be a number and is none. */
static int take_cell(const struct printed_form *form, struct printed_row *row, const struct printed_field *field,
                     int64_t unit, const char *text, uint64_t number, struct err *err)
{
    if (field == NULL || strcmp(text, "N/A") == 0 || strcmp(text, WHOLE) == 0 || text[0] == '\0')
        return 0;
    if (unit > 0 && field->role < PRINTED_WORD)
        row->unit = unit;
    return take_value(form, row, field, text) ? 0 : tell_no_number(text, number, err);
}

static bool is_passed_over(const struct printed_form *form, const struct printed_field *field, const char *text)
{
    return field != NULL && field->role == PRINTED_FILTER && strcmp(text, form->filter) != 0;
}

/* The needed field whose bit is not set, the first one after the others; NULL: none. */
static const struct printed_field *find_missing(const struct printed_form *form, uint64_t seen)
{
    for (size_t i = 1; i <= form->field_count; i++) {
        size_t at = i % form->field_count;
        if (form->fields[at].needed && (seen >> at & 1) == 0)
            return &form->fields[at];
    }
    return NULL;
}

/* Whether every needed column was seen; else the error names one. */
static int expect_all(const struct file_state *state, uint64_t seen, struct err *err)
{
    const struct printed_field *missing = find_missing(state->form, seen);
    return missing == NULL ? 0
                           : err_set(err, ERR_FORMAT, "no column '%s' in it; expected the columns of %s",
                                     missing->title, state->form->title);
}

/* ---- CSV ---- */

/* Which field a column's heading is of; NULL: none that counts. *ret_unit is what its unit stands for, 0: it has none
 * that matters. */
static const struct printed_field *field_of_heading(const struct printed_form *form, const char *heading,
                                                    int64_t *ret_unit)
{
    char word[64];
    size_t length = 0;
    const char *unit = strchr(heading, '(');
    for (const char *p = heading; *p != '\0' && p != unit && length + 1 < sizeof word; p++)
        if (*p != ' ' && *p != '_')
            word[length++] = (char)tolower((unsigned char)*p);
    word[length] = '\0';
    if (length > 5 && strcmp(word, "timeratio") != 0 && strcmp(word, "totaltimeratio") != 0 &&
        strcmp(word + length - 5, "ratio") == 0)
        word[length - 5] = '\0';
    *ret_unit = 0;
    if (unit != NULL && strncasecmp(unit, "(byte", 5) == 0)
        *ret_unit = 1;
    else if (unit != NULL && strncasecmp(unit, "(KB", 3) == 0)
        *ret_unit = 1024;
    else if (unit != NULL && strncasecmp(unit, "(MB", 3) == 0)
        *ret_unit = 1024 * 1024;
    for (size_t i = 0; i < form->field_count; i++)
        if (form->fields[i].title != NULL && strcmp(word, form->fields[i].title) == 0)
            return &form->fields[i];
    return NULL;
}

static int take_titles(struct file_state *state, const char *const *fields, size_t count, struct err *err)
{
    if (count == 1 && (strchr(fields[0], ';') != NULL || strchr(fields[0], '\t') != NULL))
        return err_set(err, ERR_FORMAT, "its columns are separated by '%c'; expected commas",
                       strchr(fields[0], ';') != NULL ? ';' : ' ');
    uint64_t seen = 0;
    state->field_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct printed_field *field = field_of_heading(state->form, fields[i], &state->columns[i].unit);
        state->columns[i].field = field;
        seen |= field != NULL ? UINT64_C(1) << (field - state->form->fields) : 0;
    }
    return expect_all(state, seen, err);
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
        const struct printed_field *field = state->columns[i].field;
        if (is_passed_over(state->form, field, fields[i]))
            return 0;
        if (take_cell(state->form, &row, field, state->columns[i].unit, fields[i], number, err) < 0)
            return err_status(err);
    }
    return (whole ? state->reader->whole : state->reader->row)(state->reader->arg, &row, err);
}

/* ---- JSON ---- */

/* Row as the members of an object made it. */
struct object_row {
    struct printed_row row;
    uint64_t number, seen; /* bit i: the i-th field has been there */
    bool skip;             /* the filter passes over it */
    bool whole;            /* it is of the whole network */
};

/* A number of at most six decimals and fifteen digits, as tables have them, which its double represents exactly. False:
 * it is another. */
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
        int digits = state->form->fields[0].digits;
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

/* The field that a key says; objects of a table have the same keys at the same places. */
static const struct printed_field *field_of_key(struct file_state *state, size_t at, const char *key, int64_t *ret_unit)
{
    if (at >= KEYS_REMEMBERED || strlen(key) >= KEY_SIZE)
        return field_of_heading(state->form, key, ret_unit);
    if (strcmp(state->keys[at], key) != 0) {
        snprintf(state->keys[at], KEY_SIZE, "%s", key);
        state->columns[at].field = field_of_heading(state->form, key, &state->columns[at].unit);
    }
    *ret_unit = state->columns[at].unit;
    return state->columns[at].field;
}

/* Takes the members that fields name from an object, whose keys are remembered from a place on. */
static int take_members(struct file_state *state, const struct json *object, size_t at, struct object_row *found,
                        struct err *err)
{
    for (const struct json *member = json_first(object); member != NULL; member = json_next(member)) {
        char buffer[340];
        int64_t unit;
        const struct printed_field *field = field_of_key(state, at++, json_key(member), &unit);
        const char *text = cell_of(state, member, buffer, sizeof buffer);
        if (text == NULL)
            continue;
        found->whole = found->whole || (!state->form->events && strcmp(text, WHOLE) == 0);
        if (field == NULL)
            continue;
        found->skip = found->skip || is_passed_over(state->form, field, text);
        found->seen |= UINT64_C(1) << (field - state->form->fields);
        int status = found->skip ? 0 : take_cell(state->form, &found->row, field, unit, text, found->number, err);
        if (status < 0)
            return status;
    }
    return 0;
}

#define TAIL_SIZE 8192

/* Where a trace begins, when its times are counted from there: its last event says so, or, in an object, the last
 * member. */
static int64_t origin_of(const char *path)
{
    static const char event[] = "{\"name\":\"TraceConfig\",\"ph\":\"M\"", member[] = "\"otherData\":";
    static const char key[] = "\"origin_ns\":\"";
    char tail[TAIL_SIZE + 1];
    FILE *file = fopen(path, "rbe");
    size_t length = 0;
    int64_t origin = 0;

    if (file == NULL)
        return 0; /* that it is not there is reported by who reads it */
    if (fseeko(file, -(off_t)TAIL_SIZE, SEEK_END) == 0 || fseeko(file, 0, SEEK_SET) == 0)
        length = fread(tail, 1, TAIL_SIZE, file);
    fclose(file);
    tail[length] = '\0';
    const char *facts = memmem(tail, length, event, sizeof event - 1);
    if (facts == NULL)
        facts = memmem(tail, length, member, sizeof member - 1);
    const char *text = facts != NULL ? strstr(facts, key) : NULL;
    if (text == NULL || number_parse_integer(text + sizeof key - 1, strcspn(text + sizeof key - 1, "\""), &origin) != 0)
        return 0;
    return origin >= 0 && origin < INT64_MAX / 8 ? origin : 0;
}

static bool is_span(const struct json *object)
{
    const char *phase = json_string(json_member(object, "ph"));
    return phase != NULL && strcmp(phase, "X") == 0;
}

/* Makes a time of a value printed from the trace's beginning, or from the row's. False: it is none that fits. */
static bool add_origin(const struct file_state *state, struct printed_row *row)
{
    const struct printed_form *form = state->form;
    int began = printed_began(form);
    if (began >= 0 && row->values[began] != PRINTED_NONE)
        row->values[began] += state->origin;
    for (size_t i = 0; i < form->stored; i++) {
        if (!form->fields[i].from_first || row->values[i] == PRINTED_NONE)
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
    bool failed =
        take_members(state, object, 0, &found, err) < 0 ||
        (state->form->events && take_members(state, json_member(object, "args"), KEYS_REMEMBERED / 2, &found, err) < 0);
    if (failed || found.skip || (found.whole && state->reader->whole == NULL))
        return failed ? err_status(err) : 0;
    if (find_missing(state->form, found.seen) != NULL) /* an event may be of something else */
        return state->form->events ? 0 : expect_all(state, found.seen, err);
    if (found.whole)
        return state->reader->whole(state->reader->arg, &found.row, err);
    return add_origin(state, &found.row) ? state->reader->row(state->reader->arg, &found.row, err) : 0;
}

int printed_read(const struct printed_form *form, const struct printed_file *file, struct printed_reader *reader,
                 struct err *err)
{
    SCOPED_FREE struct file_state *state = scoped_memory(1, sizeof *state);
    if (state == NULL)
        return err_no_memory(err);
    *state = (struct file_state){.form = form, .file = file, .reader = reader};
    state->origin = file->json && form->events ? origin_of(file->path) : 0;
    int status = file->json ? json_read_rows(file->path, take_json_row, state, err)
                            : csv_read(file->path, take_csv_row, state, err);
    return status < 0 && err->code != ERR_INTERRUPTED ? err_wrap(err, "cannot read the table '%s'", file->path)
                                                      : status;
}

/* ---- forms ---- */

#define FIELDS(list) .fields = (list), .field_count = sizeof(list) / sizeof *(list)

int printed_column(const struct printed_form *form, const char *name)
{
    for (size_t i = 0; i < form->stored; i++)
        if (strcmp(form->fields[i].name, name) == 0)
            return (int)i;
    return -1;
}

int printed_began(const struct printed_form *form)
{
    for (size_t i = 0; i < form->field_count; i++)
        if (form->fields[i].title != NULL && strcmp(form->fields[i].title, "ts") == 0)
            return (int)i;
    return -1;
}

static const struct printed_field pmu_fields[] = {
    [PRINTED_TIME] = {"time", "total_cycle", .role = PRINTED_CLOCK, .digits = 6, .needed = true},
    [PRINTED_MAC_BUSY] = {"macbusy", "mac_busy_cycle", .role = PRINTED_SHARE, .digits = 6},
    [PRINTED_MAC_PPEN] = {"macppen", "mac_ppen_cycle", .role = PRINTED_SHARE, .digits = 6},
    [PRINTED_VEC_BUSY] = {"vecbusy", "vec_busy_cycle", .role = PRINTED_SHARE, .digits = 6},
    [PRINTED_VEC_PPEN] = {"vecppen", "vec_ppen_cycle", .role = PRINTED_SHARE, .digits = 6},
    [PRINTED_DSTR] = {"dstr", "dstr_cycle", .role = PRINTED_SHARE, .digits = 6},
    [PRINTED_DTRANS] = {"dtrans", "dtrans_cycle", .role = PRINTED_SHARE, .digits = 6},
    [PRINTED_DLD] = {"dld", "dld_cycle", .role = PRINTED_SHARE, .digits = 6},
    [PRINTED_WLD] = {"wld", "wld_cycle", .role = PRINTED_SHARE, .digits = 6},
    [PRINTED_DDR_READ] = {"ddrread", "ddr_read_bytes", .role = PRINTED_AMOUNT, .digits = 6},
    [PRINTED_DDR_WRITE] = {"ddrwrite", "ddr_write_bytes", .role = PRINTED_AMOUNT, .digits = 6},
    [PRINTED_TASK_ID] = {"taskid", "task_id", .role = PRINTED_IDENTITY},
    [PRINTED_MODEL_ID] = {NULL, "model_id", .role = PRINTED_IDENTITY},
    [PRINTED_CURRENT_PIC_COUNT] = {NULL, "current_pic_count", .role = PRINTED_IDENTITY},
    [PRINTED_MEMORY_BOUND] = {"memorybound", NULL, .role = PRINTED_OTHER, .digits = 6},
    [PRINTED_DDR_TOTAL] = {"ddrtotal", NULL, .role = PRINTED_OTHER, .digits = 6},
    {"layerid", NULL, .role = PRINTED_LAYER},
};

/* {slice} stands for the frequency, which no pattern has a word for. */
static const char *const op_summary_patterns[] = {
    "op_summary_{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}.{number}.{number}."
    "{slice}.csv",
    "op_summary_{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}.{number}.{number}."
    "{slice}.json",
    NULL,
};

const struct printed_form printed_pmu = {
    .title = "op_summary",
    .kind = "svp_pmu",
    FIELDS(pmu_fields),
    .stored = PRINTED_STORED,
    .start = "start_cycle",
    .directory = "summary",
    .patterns = op_summary_patterns,
    .prefix = "op_summary",
    .unit = 1,
};

/* ---- tasks of a timeline ---- */

static const char *const task_time_patterns[] = {"task_time_{device_id}.{model}.{model_id}.{batch_num}.json", NULL};
#define TASK_TIME .title = "task_time", .directory = "timeline", .prefix = "task_time", .events = true, .joined = true

/* A duration is the difference of two times that are whole nanoseconds. */
static const struct printed_field core_task_fields[] = {
    {"dur", "total_cycle", .role = PRINTED_CLOCK, .digits = 3, .slack = 1, .needed = true},
    {"streamid", "stream_id", .role = PRINTED_IDENTITY},
    {NULL, "task_id", .role = PRINTED_IDENTITY},
    {NULL, "model_id", .role = PRINTED_IDENTITY},
    {"ts", NULL, .role = PRINTED_OTHER, .digits = 3, .needed = true},
    {"name", NULL, .role = PRINTED_FIRST_WORD},
    {"tasktype", NULL, .role = PRINTED_FILTER, .needed = true},
};

static const struct printed_form core_task_time = {
    TASK_TIME,   .kind = "svp_pmu",      FIELDS(core_task_fields),
    .stored = 4, .start = "start_cycle", .patterns = task_time_patterns,
    .unit = 1,   .filter = "AI_CORE",
};

static const struct printed_field cpu_task_fields[] = {
    {"ts", "start_ns", .role = PRINTED_AMOUNT, .digits = 3, .needed = true},
    {"dur", "end_ns", .role = PRINTED_AMOUNT, .digits = 3, .needed = true, .from_first = true},
    {"streamid", "stream_id", .role = PRINTED_IDENTITY, .kept = true},
    {NULL, "task_id", .role = PRINTED_IDENTITY, .kept = true},
    {"name", NULL, .role = PRINTED_FIRST_WORD},
    {"tasktype", NULL, .role = PRINTED_FILTER, .needed = true},
};

static const struct printed_form cpu_task_time = {
    TASK_TIME,    .kind = "aicpu_task", FIELDS(cpu_task_fields), .stored = 4, .patterns = task_time_patterns,
    .unit = 1000, .filter = "AI_CPU",
};

/* ---- sums of tasks ---- */

/* {slice} stands for the iteration. */
static const char *const op_statistic_patterns[] = {
    "op_statistic_{device_id}_{model_id}_{current_pic_count}_{slice}.csv",
    "op_statistic_{device_id}_{model_id}_{current_pic_count}_{slice}.json",
    NULL,
};
#define OP_STATISTIC .title = "op_statistic", .directory = "summary", .prefix = "op_statistic", .by_layers = true
#define SUMS_OF_TASKS                                                                                                  \
    {"opname", NULL, .role = PRINTED_WORD}, {"optype", NULL, .role = PRINTED_WORD},                                    \
        {"tasktype", NULL, .role = PRINTED_FILTER, .needed = true}, {"totaltime", NULL, .role = PRINTED_TOTAL},        \
        {"count", NULL, .role = PRINTED_COUNT, .needed = true},                                                        \
    {                                                                                                                  \
        "max", NULL, .role = PRINTED_LARGEST, .needed = true                                                           \
    }

static const struct printed_field core_type_fields[] = {
    {"min", "total_cycle", .role = PRINTED_CLOCK, .digits = 6, .needed = true},
    {NULL, "task_id", .role = PRINTED_IDENTITY},
    {NULL, "model_id", .role = PRINTED_IDENTITY},
    {NULL, "current_pic_count", .role = PRINTED_IDENTITY},
    SUMS_OF_TASKS,
};

static const struct printed_form core_statistic = {
    OP_STATISTIC, .kind = "svp_pmu",      FIELDS(core_type_fields),
    .stored = 4,  .start = "start_cycle", .patterns = op_statistic_patterns,
    .unit = 1,    .filter = "AI_CORE",
};

static const struct printed_field cpu_type_fields[] = {
    {"min", "end_ns", .role = PRINTED_AMOUNT, .digits = 3, .needed = true},
    {NULL, "task_id", .role = PRINTED_IDENTITY, .kept = true},
    SUMS_OF_TASKS,
};

static const struct printed_form cpu_statistic = {
    OP_STATISTIC,        .kind = "aicpu_task",  FIELDS(cpu_type_fields),           .stored = 2,
    .start = "start_ns", .start_is_kept = true, .patterns = op_statistic_patterns, .unit = 1000,
    .filter = "AI_CPU",
};

/* ---- calls ---- */

static const struct printed_field call_fields[] = {
    {"ts", "start_ns", .role = PRINTED_AMOUNT, .digits = 3, .needed = true},
    {"dur", "end_ns", .role = PRINTED_AMOUNT, .digits = 3, .needed = true, .from_first = true},
    {"mode", "api_type", .role = PRINTED_IDENTITY, .kept = true},
    {"processid", "process_id", .role = PRINTED_IDENTITY, .kept = true},
    {"threadid", "thread_id", .role = PRINTED_IDENTITY, .kept = true},
    {"name", "name", .role = PRINTED_WORD, .needed = true},
};

static const struct printed_form acl_timeline = {
    .title = "acl timeline",
    .kind = "acl_call",
    FIELDS(call_fields),
    .stored = 6,
    .directory = "timeline",
    .patterns = (const char *const[]){"acl_{device_id}.{model}.{model_id}.{batch_num}.json", NULL},
    .events = true,
    .joined = true,
    .unit = 1000,
};

static const struct printed_field call_sum_fields[] = {
    {"min", "end_ns", .role = PRINTED_AMOUNT, .digits = 3, .needed = true},
    {"type", "api_type", .role = PRINTED_IDENTITY, .kept = true},
    {"processid", "process_id", .role = PRINTED_IDENTITY, .kept = true},
    {"threadid", "thread_id", .role = PRINTED_IDENTITY, .kept = true},
    {"name", "name", .role = PRINTED_WORD, .needed = true},
    {"totaltime", NULL, .role = PRINTED_TOTAL},
    {"count", NULL, .role = PRINTED_COUNT, .needed = true},
    {"max", NULL, .role = PRINTED_LARGEST, .needed = true},
};

/* {slice} stands for the iteration. */
static const struct printed_form acl_statistic = {
    .title = "acl_statistic",
    .kind = "acl_call",
    FIELDS(call_sum_fields),
    .stored = 5,
    .start = "start_ns",
    .start_is_kept = true,
    .directory = "summary",
    .patterns = (const char *const[]){"acl_statistic_{device_id}_{model_id}_{slice}.csv",
                                      "acl_statistic_{device_id}_{model_id}_{slice}.json", NULL},
    .prefix = "acl_statistic",
    .sums = true,
    .joined = true,
    .unit = 1000,
};

const struct printed_form *const printed_forms[] = {
    &printed_pmu, &core_task_time, &core_statistic, &acl_timeline, &acl_statistic, &cpu_task_time, &cpu_statistic, NULL,
};
