/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/layouts/printed.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/csv_in.h"
#include "base/format/json_pieces.h"
#include "base/number.h"
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

static bool has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), wanted = strlen(suffix);
    return length > wanted && strcmp(name + length - wanted, suffix) == 0;
}

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
           (has_suffix(name, ".json") || (!form->events && has_suffix(name, ".csv")));
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
        .json = has_suffix(name, ".json")};
    file_identity_release(&identity);
    if (file->path == NULL)
        return err_no_memory(err);
    files->count++;
    return 0;
}

static int find_in(struct printed_files *files, const char *directory, struct err *err)
{
    DIR *stream = opendir(directory);
    int status = 0;
    if (stream == NULL)
        return errno == ENOENT || errno == ENOTDIR ? 0 : err_set_errno(err, errno, "cannot read '%s'", directory);
    for (struct dirent *entry; status == 0 && (entry = readdir(stream)) != NULL;)
        status = add_file(files, directory, entry->d_name, err);
    closedir(stream);
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
    char *below = path_join(directory, files->form->directory);
    bool failed =
        (below != NULL ? find_in(files, directory, err) : err_no_memory(err)) < 0 || find_in(files, below, err) < 0;
    free(below);
    return failed ? err_status(err) : 0;
}

int printed_find(struct printed_files *files, const char *kind, const char *directory, struct err *err)
{
    int status = 0;
    for (size_t i = 0; printed_forms[i] != NULL && status == 0 && files->count == 0; i++) {
        if (strcmp(printed_forms[i]->kind->kind, kind) != 0)
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
        if (strcmp(printed_forms[i]->kind->kind, kind) == 0)
            return true;
    return false;
}

/* The rows of one table. */

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

/* Where a cell goes that is no field of the kind. */
enum printed_target {
    PRINTED_TO_LAYER = PRINTED_MOST, /* layer_id */
    PRINTED_TO_WORD,
    PRINTED_TO_FIRST_WORD, /* what is before the first comma */
    PRINTED_TO_MOST,
    PRINTED_TO_COUNT,
    PRINTED_TO_TOTAL,
    PRINTED_TO_FILTER, /* rows with another text than the form's are passed over */
    PRINTED_TO_NOTHING,
};

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

/* Which title a column's heading is; NULL: none that counts. *ret_unit is what its unit stands for, 0: it has none that
 * matters. */
static const struct printed_title *printed_title_of(const struct printed_form *form, const char *heading,
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
        *ret_unit = 1000;
    else if (unit != NULL && strncasecmp(unit, "(MB", 3) == 0)
        *ret_unit = 1000000;
    for (const struct printed_title *title = form->titles; title->title != NULL; title++)
        if (strcmp(word, title->title) == 0)
            return title;
    return NULL;
}

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

/* Row as the members of an object made it. */
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

/* Takes the members that titles name from an object, whose keys are remembered from a place on. */
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

/* Makes a time of a value printed from the trace's beginning, or from the row's. False: it is none that fits. */
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
    bool failed =
        take_members(state, object, 0, &found, err) < 0 ||
        (state->form->events && take_members(state, json_member(object, "args"), KEYS_REMEMBERED / 2, &found, err) < 0);
    if (failed || found.skip || (found.whole && state->reader->whole == NULL))
        return failed ? err_status(err) : 0;
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
        return err_no_memory(err);
    *state = (struct file_state){.form = form, .file = file, .reader = reader};
    state->origin = file->json && form->events ? origin_of(file->path) : 0;
    int status = file->json ? json_read_rows(file->path, take_json_row, state, err)
                            : csv_read(file->path, take_csv_row, state, err);
    free(state);
    return status < 0 && err->code != ERR_INTERRUPTED ? err_wrap(err, "cannot read the table '%s'", file->path)
                                                      : status;
}

/* ---- device PMU records ---- */

static const struct printed_field pmu_fields[PRINTED_COUNT] = {
    [PRINTED_TIME] = {"total_cycle", PRINTED_CLOCK, 6, 0, false, false},
    [PRINTED_MAC_BUSY] = {"mac_busy_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_MAC_PPEN] = {"mac_ppen_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_VEC_BUSY] = {"vec_busy_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_VEC_PPEN] = {"vec_ppen_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_DSTR] = {"dstr_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_DTRANS] = {"dtrans_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_DLD] = {"dld_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_WLD] = {"wld_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_DDR_READ] = {"ddr_read_bytes", PRINTED_AMOUNT, 6, 0, false, false},
    [PRINTED_DDR_WRITE] = {"ddr_write_bytes", PRINTED_AMOUNT, 6, 0, false, false},
    [PRINTED_TASK_ID] = {"task_id", PRINTED_IDENTITY, 0, 0, false, false},
    [PRINTED_MODEL_ID] = {"model_id", PRINTED_IDENTITY, 0, 0, false, false},
    [PRINTED_CURRENT_PIC_COUNT] = {"current_pic_count", PRINTED_IDENTITY, 0, 0, false, false},
    [PRINTED_MEMORY_BOUND] = {NULL, PRINTED_OTHER, 6, 0, false, false},
    [PRINTED_DDR_TOTAL] = {NULL, PRINTED_OTHER, 6, 0, false, false},
};

const struct printed_kind printed_pmu = {
    .kind = "svp_pmu",
    .fields = pmu_fields,
    .stored = PRINTED_STORED,
    .count = PRINTED_COUNT,
    .start = "start_cycle",
    .task = PRINTED_TASK_ID,
    .picture = PRINTED_CURRENT_PIC_COUNT,
    .model = PRINTED_MODEL_ID,
    .began = -1,
};

/* {slice} stands for the frequency, which no pattern has a word for. */
static const char *const op_summary_patterns[] = {
    "op_summary_{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}.{number}.{number}."
    "{slice}.csv",
    "op_summary_{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}.{number}.{number}."
    "{slice}.json",
    NULL,
};

static const struct printed_title op_summary_titles[] = {
    {"time", PRINTED_TIME, true},
    {"macbusy", PRINTED_MAC_BUSY, false},
    {"macppen", PRINTED_MAC_PPEN, false},
    {"vecbusy", PRINTED_VEC_BUSY, false},
    {"vecppen", PRINTED_VEC_PPEN, false},
    {"dstr", PRINTED_DSTR, false},
    {"dtrans", PRINTED_DTRANS, false},
    {"dld", PRINTED_DLD, false},
    {"wld", PRINTED_WLD, false},
    {"ddrread", PRINTED_DDR_READ, false},
    {"ddrwrite", PRINTED_DDR_WRITE, false},
    {"taskid", PRINTED_TASK_ID, false},
    {"memorybound", PRINTED_MEMORY_BOUND, false},
    {"ddrtotal", PRINTED_DDR_TOTAL, false},
    {"layerid", PRINTED_TO_LAYER, false},
    {NULL, PRINTED_TO_NOTHING, false},
};

static const struct printed_form op_summary = {
    .title = "op_summary",
    .kind = &printed_pmu,
    .directory = "summary",
    .patterns = op_summary_patterns,
    .prefix = "op_summary",
    .unit = 1,
    .titles = op_summary_titles,
};

/* ---- tasks of a timeline ---- */

static const char *const task_time_patterns[] = {"task_time_{device_id}.{model}.{model_id}.{batch_num}.json", NULL};

enum { TASK_TOTAL, TASK_STREAM_ID, TASK_TASK_ID, TASK_MODEL_ID, TASK_STORED, TASK_BEGAN = TASK_STORED, TASK_COUNT };

/* A duration is the difference of two times that are whole nanoseconds. */
static const struct printed_field task_fields[TASK_COUNT] = {
    [TASK_TOTAL] = {"total_cycle", PRINTED_CLOCK, 3, 1, false, false},
    [TASK_STREAM_ID] = {"stream_id", PRINTED_IDENTITY, 0, 0, false, false},
    [TASK_TASK_ID] = {"task_id", PRINTED_IDENTITY, 0, 0, false, false},
    [TASK_MODEL_ID] = {"model_id", PRINTED_IDENTITY, 0, 0, false, false},
    [TASK_BEGAN] = {NULL, PRINTED_OTHER, 3, 0, false, false},
};

static const struct printed_kind core_tasks = {
    .kind = "svp_pmu",
    .fields = task_fields,
    .stored = TASK_STORED,
    .count = TASK_COUNT,
    .start = "start_cycle",
    .task = TASK_TASK_ID,
    .picture = -1,
    .model = TASK_MODEL_ID,
    .began = TASK_BEGAN,
};

static const struct printed_title core_task_titles[] = {
    {"ts", TASK_BEGAN, true},
    {"dur", TASK_TOTAL, true},
    {"streamid", TASK_STREAM_ID, false},
    {"name", PRINTED_TO_FIRST_WORD, false},
    {"tasktype", PRINTED_TO_FILTER, true},
    {NULL, PRINTED_TO_NOTHING, false},
};

static const struct printed_form core_task_time = {
    .title = "task_time",
    .kind = &core_tasks,
    .directory = "timeline",
    .patterns = task_time_patterns,
    .prefix = "task_time",
    .events = true,
    .joined = true,
    .unit = 1,
    .filter = "AI_CORE",
    .titles = core_task_titles,
};

enum { CPU_START, CPU_END, CPU_STREAM_ID, CPU_TASK_ID, CPU_STORED, CPU_COUNT = CPU_STORED };

static const struct printed_field cpu_fields[CPU_COUNT] = {
    [CPU_START] = {"start_ns", PRINTED_AMOUNT, 3, 0, false, false},
    [CPU_END] = {"end_ns", PRINTED_AMOUNT, 3, 0, false, true},
    [CPU_STREAM_ID] = {"stream_id", PRINTED_IDENTITY, 0, 0, true, false},
    [CPU_TASK_ID] = {"task_id", PRINTED_IDENTITY, 0, 0, true, false},
};

static const struct printed_kind cpu_tasks = {
    .kind = "aicpu_task",
    .fields = cpu_fields,
    .stored = CPU_STORED,
    .count = CPU_COUNT,
    .task = CPU_TASK_ID,
    .picture = -1,
    .model = -1,
    .began = CPU_START,
};

static const struct printed_title cpu_task_titles[] = {
    {"ts", CPU_START, true},
    {"dur", CPU_END, true},
    {"streamid", CPU_STREAM_ID, false},
    {"name", PRINTED_TO_FIRST_WORD, false},
    {"tasktype", PRINTED_TO_FILTER, true},
    {NULL, PRINTED_TO_NOTHING, false},
};

static const struct printed_form cpu_task_time = {
    .title = "task_time",
    .kind = &cpu_tasks,
    .directory = "timeline",
    .patterns = task_time_patterns,
    .prefix = "task_time",
    .events = true,
    .joined = true,
    .unit = 1000,
    .filter = "AI_CPU",
    .titles = cpu_task_titles,
};

/* ---- sums of tasks ---- */

enum { TYPE_TOTAL, TYPE_TASK_ID, TYPE_MODEL_ID, TYPE_CURRENT_PIC_COUNT, TYPE_STORED };

static const struct printed_field core_type_fields[TYPE_STORED] = {
    [TYPE_TOTAL] = {"total_cycle", PRINTED_CLOCK, 6, 0, false, false},
    [TYPE_TASK_ID] = {"task_id", PRINTED_IDENTITY, 0, 0, false, false},
    [TYPE_MODEL_ID] = {"model_id", PRINTED_IDENTITY, 0, 0, false, false},
    [TYPE_CURRENT_PIC_COUNT] = {"current_pic_count", PRINTED_IDENTITY, 0, 0, false, false},
};

static const struct printed_kind core_types = {
    .kind = "svp_pmu",
    .fields = core_type_fields,
    .stored = TYPE_STORED,
    .count = TYPE_STORED,
    .start = "start_cycle",
    .task = TYPE_TASK_ID,
    .picture = TYPE_CURRENT_PIC_COUNT,
    .model = TYPE_MODEL_ID,
    .began = -1,
};

/* {slice} stands for the iteration. */
static const char *const op_statistic_patterns[] = {
    "op_statistic_{device_id}_{model_id}_{current_pic_count}_{slice}.csv",
    "op_statistic_{device_id}_{model_id}_{current_pic_count}_{slice}.json",
    NULL,
};

static const struct printed_title op_statistic_titles[] = {
    {"opname", PRINTED_TO_WORD, false},
    {"optype", PRINTED_TO_WORD, false},
    {"tasktype", PRINTED_TO_FILTER, true},
    {"totaltime", PRINTED_TO_TOTAL, false},
    {"count", PRINTED_TO_COUNT, true},
    {"max", PRINTED_TO_MOST, true},
    {"min", TYPE_TOTAL, true},
    {NULL, PRINTED_TO_NOTHING, false},
};

static const struct printed_form core_statistic = {
    .title = "op_statistic",
    .kind = &core_types,
    .directory = "summary",
    .patterns = op_statistic_patterns,
    .prefix = "op_statistic",
    .by_layers = true,
    .unit = 1,
    .filter = "AI_CORE",
    .titles = op_statistic_titles,
};

enum { CPU_TYPE_END, CPU_TYPE_TASK_ID, CPU_TYPE_STORED };

static const struct printed_field cpu_type_fields[CPU_TYPE_STORED] = {
    [CPU_TYPE_END] = {"end_ns", PRINTED_AMOUNT, 3, 0, false, false},
    [CPU_TYPE_TASK_ID] = {"task_id", PRINTED_IDENTITY, 0, 0, true, false},
};

static const struct printed_kind cpu_types = {
    .kind = "aicpu_task",
    .fields = cpu_type_fields,
    .stored = CPU_TYPE_STORED,
    .count = CPU_TYPE_STORED,
    .start = "start_ns",
    .start_is_kept = true,
    .task = CPU_TYPE_TASK_ID,
    .picture = -1,
    .model = -1,
    .began = -1,
};

static const struct printed_form cpu_statistic = {
    .title = "op_statistic",
    .kind = &cpu_types,
    .directory = "summary",
    .patterns = op_statistic_patterns,
    .prefix = "op_statistic",
    .by_layers = true,
    .unit = 1000,
    .filter = "AI_CPU",
    .titles = op_statistic_titles,
};

/* ---- calls ---- */

enum { CALL_START, CALL_END, CALL_TYPE, CALL_PROCESS_ID, CALL_THREAD_ID, CALL_NAME, CALL_STORED };

static const struct printed_field call_fields[CALL_STORED] = {
    [CALL_START] = {"start_ns", PRINTED_AMOUNT, 3, 0, false, false},
    [CALL_END] = {"end_ns", PRINTED_AMOUNT, 3, 0, false, true},
    [CALL_TYPE] = {"api_type", PRINTED_IDENTITY, 0, 0, true, false},
    [CALL_PROCESS_ID] = {"process_id", PRINTED_IDENTITY, 0, 0, true, false},
    [CALL_THREAD_ID] = {"thread_id", PRINTED_IDENTITY, 0, 0, true, false},
    [CALL_NAME] = {"name", PRINTED_WORD, 0, 0, false, false},
};

static const struct printed_kind calls = {
    .kind = "acl_call",
    .fields = call_fields,
    .stored = CALL_STORED,
    .count = CALL_STORED,
    .task = -1,
    .picture = -1,
    .model = -1,
    .began = CALL_START,
};

static const char *const acl_patterns[] = {"acl_{device_id}.{model}.{model_id}.{batch_num}.json", NULL};

static const struct printed_title acl_titles[] = {
    {"name", PRINTED_TO_WORD, true},
    {"ts", CALL_START, true},
    {"dur", CALL_END, true},
    {"mode", CALL_TYPE, false},
    {"processid", CALL_PROCESS_ID, false},
    {"threadid", CALL_THREAD_ID, false},
    {NULL, PRINTED_TO_NOTHING, false},
};

static const struct printed_form acl_timeline = {
    .title = "acl timeline",
    .kind = &calls,
    .directory = "timeline",
    .patterns = acl_patterns,
    .events = true,
    .joined = true,
    .unit = 1000,
    .titles = acl_titles,
};

/* ---- sums of calls ---- */

enum { SUM_END, SUM_TYPE, SUM_PROCESS_ID, SUM_THREAD_ID, SUM_NAME, SUM_STORED };

static const struct printed_field call_sum_fields[SUM_STORED] = {
    [SUM_END] = {"end_ns", PRINTED_AMOUNT, 3, 0, false, false},
    [SUM_TYPE] = {"api_type", PRINTED_IDENTITY, 0, 0, true, false},
    [SUM_PROCESS_ID] = {"process_id", PRINTED_IDENTITY, 0, 0, true, false},
    [SUM_THREAD_ID] = {"thread_id", PRINTED_IDENTITY, 0, 0, true, false},
    [SUM_NAME] = {"name", PRINTED_WORD, 0, 0, false, false},
};

static const struct printed_kind call_sums = {
    .kind = "acl_call",
    .fields = call_sum_fields,
    .stored = SUM_STORED,
    .count = SUM_STORED,
    .start = "start_ns",
    .start_is_kept = true,
    .task = -1,
    .picture = -1,
    .model = -1,
    .began = -1,
};

/* {slice} stands for the iteration. */
static const char *const acl_statistic_patterns[] = {
    "acl_statistic_{device_id}_{model_id}_{slice}.csv",
    "acl_statistic_{device_id}_{model_id}_{slice}.json",
    NULL,
};

static const struct printed_title acl_statistic_titles[] = {
    {"processid", SUM_PROCESS_ID, false},
    {"threadid", SUM_THREAD_ID, false},
    {"type", SUM_TYPE, false},
    {"name", PRINTED_TO_WORD, true},
    {"totaltime", PRINTED_TO_TOTAL, false},
    {"count", PRINTED_TO_COUNT, true},
    {"max", PRINTED_TO_MOST, true},
    {"min", SUM_END, true},
    {NULL, PRINTED_TO_NOTHING, false},
};

static const struct printed_form acl_statistic = {
    .title = "acl_statistic",
    .kind = &call_sums,
    .directory = "summary",
    .patterns = acl_statistic_patterns,
    .prefix = "acl_statistic",
    .sums = true,
    .joined = true,
    .unit = 1000,
    .titles = acl_statistic_titles,
};

const struct printed_form *const printed_forms[] = {
    &op_summary, &core_task_time, &core_statistic, &acl_timeline, &acl_statistic, &cpu_task_time, &cpu_statistic, NULL,
};
