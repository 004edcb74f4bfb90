#include "parsers/infer/printed.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/csv_in.h"
#include "base/format/json_rows.h"
#include "parsers/capture/capture.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- files ---- */

/* {slice} stands for the frequency, which no pattern has a word for. */
static const char *const name_patterns[] = {
    "op_summary_{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}.{number}.{number}."
    "{slice}.csv",
    "op_summary_{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}.{number}.{number}."
    "{slice}.json",
    NULL,
};

static bool has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), wanted = strlen(suffix);
    return length > wanted && strcmp(name + length - wanted, suffix) == 0;
}

static int add_file(struct printed_files *files, const char *directory, const char *name, struct err *err)
{
    static const struct file_identity unknown = {
        .device_id = -1, .model_id = -1, .batch_num = -1, .input_pic_num = -1, .current_pic_count = -1, .slice = -1};
    struct file_identity identity = unknown;
    bool known = false;
    for (size_t i = 0; name_patterns[i] != NULL && !known; i++)
        known = capture_match_name(name_patterns[i], name, &identity);
    if (!known)
        identity = unknown;
    if (identity.out_of_memory || array_reserve(files, 1, err) < 0) {
        file_identity_release(&identity);
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    struct printed_file *file = &files->items[files->count];
    *file =
        (struct printed_file){.path = path_join(directory, name),
                              .device_id = identity.device_id,
                              .model_id = identity.model_id,
                              .batch_num = identity.batch_num,
                              .input_pic_num = identity.input_pic_num,
                              .current_pic_count = identity.current_pic_count,
                              .core_khz = identity.slice > 0 && identity.slice < 1000000 ? identity.slice * 1000 : -1,
                              .json = has_suffix(name, ".json")};
    file_identity_release(&identity);
    if (file->path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
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
        if (strncmp(entry->d_name, "op_summary", 10) == 0 &&
            (has_suffix(entry->d_name, ".csv") || has_suffix(entry->d_name, ".json")))
            status = add_file(files, directory, entry->d_name, err);
    closedir(stream);
    return status;
}

static int compare_files(const void *left, const void *right)
{
    const struct printed_file *a = left, *b = right;
    const int64_t keys[][2] = {{a->device_id, b->device_id},
                               {a->batch_num, b->batch_num},
                               {a->input_pic_num, b->input_pic_num},
                               {a->current_pic_count, b->current_pic_count},
                               {a->model_id, b->model_id}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    if (a->current_pic_count >= 0 && a->json != b->json)
        return (int)a->json - (int)b->json;
    return strcmp(a->path, b->path);
}

/* The same inference as CSV and as JSON, or with two frequencies, is one table. */
static void drop_duplicates(struct printed_files *files)
{
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        struct printed_file *before = kept > 0 ? &files->items[kept - 1] : NULL, *file = &files->items[i];
        if (before != NULL && file->current_pic_count >= 0 && before->device_id == file->device_id &&
            before->model_id == file->model_id && before->batch_num == file->batch_num &&
            before->input_pic_num == file->input_pic_num && before->current_pic_count == file->current_pic_count) {
            free(file->path);
            files->duplicates++;
        } else {
            files->items[kept++] = *file;
        }
    }
    files->count = kept;
}

int printed_find(struct printed_files *files, const char *directory, struct err *err)
{
    char *summary = path_join(directory, "summary");
    int status = summary != NULL ? find_in(files, directory, err) : err_set(err, ERR_NO_MEMORY, "out of memory");
    if (status == 0)
        status = find_in(files, summary, err);
    free(summary);
    if (files->count > 1)
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

/* ---- numbers ---- */

bool printed_number(const char *text, int64_t *ret, uint8_t *ret_decimals)
{
    int64_t value = 0;
    unsigned decimals = 0;
    bool point = false, digit = false;
    for (; *text != '\0'; text++) {
        if (*text == '.' && !point) {
            point = true;
            continue;
        }
        if (*text < '0' || *text > '9')
            return false;
        digit = true;
        if (point && decimals == 6) {
            if (*text != '0')
                return false;
            continue;
        }
        if (value > (INT64_MAX - 9) / 10)
            return false;
        value = value * 10 + (*text - '0');
        decimals += point;
    }
    *ret_decimals = (uint8_t)decimals;
    for (unsigned i = decimals; i < 6; i++)
        if (__builtin_mul_overflow(value, 10, &value))
            return false;
    *ret = value;
    return digit && value <= INT64_MAX / 8; /* three of them can be added up */
}

static const struct {
    const char *title; /* lower case, without blanks, unit and the word ratio */
    enum printed_column column;
} titles[] = {
    {"time", PRINTED_TIME},
    {"macbusy", PRINTED_MAC_BUSY},
    {"macppen", PRINTED_MAC_PPEN},
    {"vecbusy", PRINTED_VEC_BUSY},
    {"vecppen", PRINTED_VEC_PPEN},
    {"dstr", PRINTED_DSTR},
    {"dtrans", PRINTED_DTRANS},
    {"dld", PRINTED_DLD},
    {"wld", PRINTED_WLD},
    {"ddrread", PRINTED_DDR_READ},
    {"ddrwrite", PRINTED_DDR_WRITE},
    {"taskid", PRINTED_TASK_ID},
    {"timeratio", PRINTED_TIME_RATIO},
    {"memorybound", PRINTED_MEMORY_BOUND},
    {"ddrtotal", PRINTED_DDR_TOTAL},
    {"layerid", PRINTED_LAYER_ID},
};

/* Which column a title names, and the bytes that its unit stands for; PRINTED_COUNT: none that counts. */
static enum printed_column column_of(const char *title, int64_t *ret_unit)
{
    char word[64];
    size_t length = 0;
    const char *unit = strchr(title, '(');
    for (const char *p = title; *p != '\0' && p != unit && length + 1 < sizeof word; p++)
        if (*p != ' ' && *p != '_')
            word[length++] = (char)tolower((unsigned char)*p);
    word[length] = '\0';
    if (length > 5 && strcmp(word, "timeratio") != 0 && strcmp(word + length - 5, "ratio") == 0)
        word[length - 5] = '\0';
    *ret_unit = 1;
    if (unit != NULL && strncasecmp(unit, "(KB", 3) == 0)
        *ret_unit = 1000;
    else if (unit != NULL && strncasecmp(unit, "(MB", 3) == 0)
        *ret_unit = 1000000;
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (strcmp(word, titles[i].title) == 0)
            return titles[i].column;
    return PRINTED_COUNT;
}

static bool is_number_with_comma(const char *text)
{
    size_t whole = strspn(text, "0123456789");
    return whole > 0 && text[whole] == ',' && text[whole + 1] != '\0' &&
           text[whole + 1 + strspn(text + whole + 1, "0123456789")] == '\0';
}

/* ---- rows ---- */

struct file_state {
    const struct printed_file *file;
    struct printed_reader *reader;
    enum printed_column columns[CSV_MAX_FIELDS]; /* of each field */
    int64_t units[CSV_MAX_FIELDS];
    size_t field_count;
    bool has_time;
};

static void begin_row(const struct file_state *state, struct printed_row *row)
{
    memset(row, 0, sizeof *row);
    for (size_t i = 0; i < PRINTED_COUNT; i++)
        row->values[i] = PRINTED_NONE;
    row->ddr_unit = 1;
    if (state->file->model_id >= 0)
        row->values[PRINTED_MODEL_ID] = state->file->model_id * PRINTED_UNIT;
    if (state->file->current_pic_count >= 0 && state->file->current_pic_count < INT64_MAX / PRINTED_UNIT)
        row->values[PRINTED_CURRENT_PIC_COUNT] = state->file->current_pic_count * PRINTED_UNIT;
}

/* One cell. -ERR_FORMAT when it should be a number and is none. */
static int take_cell(struct printed_row *row, enum printed_column column, int64_t unit, const char *text,
                     uint64_t number, struct err *err)
{
    if (column == PRINTED_COUNT || strcmp(text, "N/A") == 0 || text[0] == '\0')
        return 0;
    if (column == PRINTED_LAYER_ID) { /* "3" or "3,4,5" */
        char first[24];
        snprintf(first, sizeof first, "%.*s", (int)strspn(text, "0123456789"), text);
        (void)printed_number(first, &row->values[column], &row->decimals[column]);
        return 0;
    }
    if (is_number_with_comma(text))
        return err_set(err, ERR_FORMAT, "row %" PRIu64 ": '%s' has a decimal comma; expected a decimal point", number,
                       text);
    if (!printed_number(text, &row->values[column], &row->decimals[column])) {
        row->values[column] = PRINTED_NONE;
        return err_set(err, ERR_FORMAT, "row %" PRIu64 ": '%.40s'; expected a number of at most six decimals", number,
                       text);
    }
    if (column == PRINTED_DDR_READ || column == PRINTED_DDR_WRITE || column == PRINTED_DDR_TOTAL)
        row->ddr_unit = unit;
    return 0;
}

static int take_titles(struct file_state *state, const char *const *fields, size_t count, struct err *err)
{
    state->field_count = count;
    for (size_t i = 0; i < count; i++) {
        state->columns[i] = column_of(fields[i], &state->units[i]);
        state->has_time = state->has_time || state->columns[i] == PRINTED_TIME;
    }
    if (state->has_time)
        return 0;
    if (count == 1 && (strchr(fields[0], ';') != NULL || strchr(fields[0], '\t') != NULL))
        return err_set(err, ERR_FORMAT, "its columns are separated by '%c'; expected commas",
                       strchr(fields[0], ';') != NULL ? ';' : ' ');
    return err_set(err, ERR_FORMAT, "no column Time(us) in it; expected the columns of op_summary");
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
    if (strcmp(fields[0], "-") == 0)
        return 0; /* the whole network */
    begin_row(state, &row);
    for (size_t i = 0; i < count && i < state->field_count; i++) {
        int status = take_cell(&row, state->columns[i], state->units[i], fields[i], number, err);
        if (status < 0)
            return status;
    }
    return state->reader->row(state->reader->arg, &row, err);
}

static int take_json_row(void *arg, const struct json *object, uint64_t number, struct err *err)
{
    struct file_state *state = arg;
    struct printed_row row;
    bool total = false;
    begin_row(state, &row);
    for (const struct json *member = json_first(object); member != NULL; member = json_next(member)) {
        char buffer[40];
        int64_t unit;
        enum printed_column column = column_of(json_key(member), &unit);
        const char *text = json_string(member);
        double value;
        total = total || (text != NULL && strcmp(text, "-") == 0);
        if (text == NULL && json_number(member, &value)) {
            snprintf(buffer, sizeof buffer, "%.15g", value);
            if (strchr(buffer, 'e') != NULL)
                snprintf(buffer, sizeof buffer, "%.6f", value);
            text = buffer;
        }
        if (total || text == NULL)
            continue;
        int status = take_cell(&row, column, unit, text, number, err);
        if (status < 0)
            return status;
        state->has_time = state->has_time || column == PRINTED_TIME;
    }
    if (total)
        return 0;
    if (!state->has_time)
        return err_set(err, ERR_FORMAT, "no member Time(us); expected the columns of op_summary");
    return state->reader->row(state->reader->arg, &row, err);
}

int printed_read(const struct printed_file *file, struct printed_reader *reader, struct err *err)
{
    struct file_state state = {.file = file, .reader = reader};
    int status = file->json ? json_read_rows(file->path, take_json_row, &state, err)
                            : csv_read(file->path, take_csv_row, &state, err);
    return status < 0 && err->code != ERR_INTERRUPTED ? err_wrap(err, "cannot read the table '%s'", file->path)
                                                      : status;
}
