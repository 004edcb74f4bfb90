/* SPDX-License-Identifier: Apache-2.0 */
#include "features/opprof/kinds/common/metric_csv.h"

#include "base/format/csv_in.h"
#include "base/map.h"
#include "base/number.h"
#include "features/opprof/kinds/common/opprof_other.h"
#include "features/opprof/kinds/common/opprof_tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MILLION INT64_C(1000000)
#define KIBI 1024

const struct value_name opprof_cores[] = {
    {OPPROF_CUBE, "cube"}, {OPPROF_VECTOR, "vector"}, {OPPROF_AI_CORE, "AI core"}, {0, NULL}};

/* ---- numbers ---- */

/* Digits up to the point, and six behind it, rounded by the seventh. */
static bool parse_millionths(const char *text, int64_t *ret)
{
    const bool negative = *text == '-';
    const char *digits = text += negative;
    int64_t whole = 0, part = 0, unit = MILLION;
    for (; isdigit((unsigned char)*text); text++)
        whole = number_add(number_multiply(whole, 10), *text - '0');
    if (text == digits)
        return false;
    if (*text == '.') {
        for (text++; isdigit((unsigned char)*text); text++) {
            unit /= 10;
            part += unit > 0 ? (*text - '0') * unit : 0;
            if (unit == 0 && text[-6 - 1] == '.') /* the seventh */
                part += *text >= '5';
        }
    }
    if (*text != '\0' || whole > INT64_MAX / MILLION - 1)
        return false;
    *ret = whole * MILLION + part;
    *ret = negative ? -*ret : *ret;
    return true;
}

bool opprof_number(const char *text, enum metric_scale scale, int64_t *ret, bool *ret_missing)
{
    *ret_missing = strcmp(text, "NA") == 0 || strcmp(text, "N/A") == 0;
    if (*ret_missing)
        return true;
    if (!parse_millionths(text, ret))
        return false;
    if (scale == WHOLE)
        *ret = number_rescale(*ret, 1, MILLION);
    else if (scale == KILOBYTES)
        *ret = number_rescale(*ret, KIBI, MILLION);
    return true;
}

/* ---- names of columns ---- */

enum prefix { PREFIX_NONE, PREFIX_CUBE, PREFIX_VECTOR };

static enum prefix skip_prefix(const char **name)
{
    if (strncmp(*name, "aic_", 4) != 0 && strncmp(*name, "aiv_", 4) != 0)
        return PREFIX_NONE;
    const enum prefix prefix = (*name)[2] == 'c' ? PREFIX_CUBE : PREFIX_VECTOR;
    *name += 4;
    return prefix;
}

/* What a field of a row is. */
struct taken_column {
    enum { FIELD_OF_BLOCK, FIELD_OF_SUB_BLOCK, FIELD_OF_METRIC, FIELD_OF_OTHERS, FIELD_EMPTY } is;
    enum prefix prefix;
    size_t metric;
    char *name; /* of FIELD_OF_OTHERS */
};

static bool is_called(const char *name, const char *known)
{
    const size_t length = strlen(known);
    return strncmp(name, known, length) == 0 && (name[length] == '\0' || name[length] == '(');
}

struct seen_block {
    struct block_key key;
};

struct reading {
    const struct metric_table *table;
    struct decoder *decoder;
    const struct capture_file *file;
    struct opprof_launch *launch;
    struct taken_column columns[CSV_MAX_FIELDS];
    size_t column_count;
    struct map seen; /* of struct seen_block */
    uint64_t cycles;
    size_t cycles_metric;
    int64_t rows_of[OPPROF_AI_CORE + 1];
    bool headed, comma; /* a comma ends the first row, and so every one */
};

static int take_name(struct reading *reading, const char *name, struct taken_column *ret, struct err *err)
{
    const struct metric_table *table = reading->table;
    const char *known = name;
    *ret = (struct taken_column){.is = FIELD_EMPTY};
    if (*name == '\0')
        return 0;
    ret->is = strcmp(name, "block_id") == 0       ? FIELD_OF_BLOCK
              : strcmp(name, "sub_block_id") == 0 ? FIELD_OF_SUB_BLOCK
                                                  : FIELD_OF_OTHERS;
    if (ret->is != FIELD_OF_OTHERS)
        return 0;
    ret->prefix = skip_prefix(&known);
    for (size_t i = 0; i < table->count; i++) {
        if (!is_called(known, table->metrics[i].name))
            continue;
        ret->is = FIELD_OF_METRIC;
        ret->metric = i;
        return 0;
    }
    ret->name = strdup(name);
    return ret->name != NULL ? 0 : err_no_memory(err);
}

static int take_header(struct reading *reading, const char *const *fields, size_t count, struct err *err)
{
    const struct capture_file *file = reading->file;
    struct diagnostics *diag = decoder_diag(reading->decoder);
    size_t known = 0;
    opprof_check_width(reading->decoder, file, count);
    reading->headed = true;
    reading->comma = *fields[count - 1] == '\0';
    for (size_t i = 0; i < count; i++) {
        struct taken_column *column = &reading->columns[i];
        reading->column_count = i + 1;
        if (take_name(reading, fields[i], column, err) < 0)
            return err_status(err);
        known += column->is == FIELD_OF_METRIC;
        if (column->is == FIELD_OF_OTHERS)
            diag_report(diag, DIAG_COLUMN_UNKNOWN, FILE_PLACE(file->name, fields[i]),
                        "a column that this version does not know");
    }
    if (known > 0)
        return 0;
    diag_report(diag, DIAG_LAYOUT_MISMATCH, FILE_PLACE(file->name, NULL),
                "the first row has none of the columns of %s; expected block_id,sub_block_id,aic_time(us), ...",
                reading->table->kind->name);
    return err_set(err, ERR_FORMAT, "no column is known");
}

/* ---- rows ---- */

/* "vector1" is the second vector core of the block. */
static bool take_core(const char *text, struct block_key *key)
{
    const bool vector = strncmp(text, "vector", 6) == 0, cube = strncmp(text, "cube", 4) == 0;
    int64_t number;
    if (!vector && !cube)
        return false;
    text += vector ? 6 : 4;
    if (number_parse_integer(text, strlen(text), &number) != 0 || number > INT32_MAX)
        return false;
    key->core = vector ? OPPROF_VECTOR : OPPROF_CUBE;
    key->sub_core = (int32_t)number;
    return true;
}

static void reject_row(struct reading *reading, uint64_t number, const char *field, const char *problem)
{
    const struct place place = {reading->file->name, (int64_t)number, -1, field};
    diag_report(decoder_diag(reading->decoder), DIAG_TEXT_LINE, &place, "%s", problem);
    decoder_reject(reading->decoder, DIAG_TEXT_LINE);
}

static bool take_key(struct reading *reading, const char *const *fields, uint64_t number, struct block_key *key)
{
    *key = (struct block_key){-1, OPPROF_AI_CORE, -1};
    for (size_t i = 0; i < reading->column_count; i++) {
        const struct taken_column *column = &reading->columns[i];
        int64_t block;
        if (column->is == FIELD_OF_SUB_BLOCK && !take_core(fields[i], key)) {
            reject_row(reading, number, "sub_block_id", "no name of a core; expected cube0, vector0 or vector1");
            return false;
        }
        if (column->is != FIELD_OF_BLOCK)
            continue;
        if (number_parse_integer(fields[i], strlen(fields[i]), &block) != 0 || block > INT32_MAX) {
            reject_row(reading, number, "block_id", "no number of a block; expected a whole number");
            return false;
        }
        key->block = (int32_t)block;
    }
    return true;
}

/* Whether a column of the other kind of core has anything in a row of this one. */
static bool is_foreign(const struct block_key *key, enum prefix prefix)
{
    return (prefix == PREFIX_CUBE && key->core == OPPROF_VECTOR) ||
           (prefix == PREFIX_VECTOR && key->core == OPPROF_CUBE);
}

static void put_value(struct reading *reading, struct row *row, const struct block_key *key, size_t field,
                      const char *text, uint64_t number)
{
    const struct taken_column *column = &reading->columns[field];
    const struct metric *metric = &reading->table->metrics[column->metric];
    const size_t place = METRIC_FIRST + column->metric;
    const struct place where = {reading->file->name, (int64_t)number, -1, metric->name};
    int64_t value;
    bool missing;
    if (!opprof_number(text, metric->scale, &value, &missing)) {
        diag_report(decoder_diag(reading->decoder), DIAG_RECORD_ODD, &where,
                    "'%.40s'; expected a number or NA; the value is left out", text);
    } else if (!missing && (is_foreign(key, column->prefix) || row_has(row, place))) {
        diag_report(decoder_diag(reading->decoder), DIAG_RECORD_ODD, &where,
                    "%.40s of the other kind of core; expected NA; it is left out", text);
    } else if (!missing) {
        row_set_integer(row, place, value);
    }
}

static void note_cycles(struct reading *reading, const struct row *row, const struct block_key *key)
{
    const size_t place = METRIC_FIRST + reading->cycles_metric;
    const int64_t all[] = {key->block, key->core, key->sub_core, row_has(row, place) ? row->cells[place].integer : -1};
    reading->cycles += map_hash_bytes(all, sizeof all);
    reading->rows_of[key->core]++;
}

static int put_row(struct reading *reading, const char *const *fields, const struct block_key *key, uint64_t number,
                   struct err *err)
{
    struct row row;
    if (decoder_emit(reading->decoder, reading->table->kind, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, METRIC_FILE, reading->file->id);
    row_set_integer(&row, METRIC_LAUNCH, opprof_launch_id(reading->decoder));
    row_set_integer(&row, METRIC_CORE, key->core);
    if (key->block >= 0)
        row_set_integer(&row, METRIC_BLOCK, key->block);
    if (key->sub_core >= 0)
        row_set_integer(&row, METRIC_SUB_CORE, key->sub_core);
    for (size_t i = 0; i < reading->column_count; i++) {
        const struct taken_column *column = &reading->columns[i];
        if (column->is == FIELD_OF_METRIC)
            put_value(reading, &row, key, i, fields[i], number);
        else if (column->is == FIELD_OF_OTHERS &&
                 opprof_other_put(reading->decoder, key, column->name, fields[i], err) < 0)
            return err_status(err);
    }
    note_cycles(reading, &row, key);
    return 0;
}

static int take_row(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    struct reading *reading = arg;
    struct block_key key;
    bool added = true;
    if (!reading->headed)
        return take_header(reading, fields, count, err);
    if (count != reading->column_count || (reading->comma && *fields[count - 1] != '\0')) {
        reject_row(reading, number, NULL, "not as many values as the first row has names");
        return 0;
    }
    if (!take_key(reading, fields, number, &key))
        return 0;
    if (map_add(&reading->seen, &key, &added, err) == NULL)
        return err_status(err);
    if (!added) {
        reject_row(reading, number, "block_id", "a second row of this block and core; the first is used");
        return 0;
    }
    return put_row(reading, fields, &key, number, err);
}

/* ---- the whole ---- */

static void report_missing(struct reading *reading, int core, int64_t expected)
{
    const int64_t rows = reading->rows_of[core];
    if (expected < 0 || rows >= expected)
        return;
    struct block_key key = {0, core, 0};
    while (key.block < expected && map_get(&reading->seen, &key) != NULL)
        key.block++;
    diag_report(decoder_diag(reading->decoder), DIAG_ROWS_MISSING, FILE_PLACE(reading->file->name, "block_id"),
                "%lld rows of %s cores; OpBasicInfo.csv says %lld blocks; %s0 of block %lld is the first without one",
                (long long)rows, opprof_cores[core].text, (long long)expected, opprof_cores[core].text,
                (long long)key.block);
}

/* Metric files of one launch come of replays, but their cycles are all of the last one. */
static void check_cycles(struct reading *reading)
{
    struct opprof_launch *launch = reading->launch;
    if (launch->cycles_file == NULL) {
        launch->cycles_file = reading->file->name;
        launch->cycles = reading->cycles;
    } else if (launch->cycles != reading->cycles) {
        diag_report(decoder_diag(reading->decoder), DIAG_ROWS_MIXED, FILE_PLACE(reading->file->name, "total_cycles"),
                    "blocks or cycles are not those of '%s'", launch->cycles_file);
    }
}

/* A file that was not read to its end has reported more. */
static void check_rows(struct reading *reading, int status)
{
    const struct opprof_launch *launch = reading->launch;
    if (status < 0 || reading->rows_of[OPPROF_AI_CORE] > 0)
        return;
    report_missing(reading, OPPROF_CUBE, launch->described ? launch->cube_blocks : -1);
    report_missing(reading, OPPROF_VECTOR, launch->described ? launch->vector_blocks : -1);
    check_cycles(reading);
}

int64_t opprof_launch_id(struct decoder *decoder)
{
    return decoder_part(decoder) - decoder_capture(decoder)->parts + 1;
}

bool opprof_is_outdated(struct decoder *decoder, const struct capture_file *file)
{
    const struct capture *capture = decoder_capture(decoder);
    for (const struct capture_file *other = capture->files; other < capture->files + capture->file_count; other++) {
        if (other->kind != file->kind || other->part != file->part || other == file ||
            other->identity.core_id != file->identity.core_id || other->identity.model_id != file->identity.model_id ||
            other->identity.group_id != file->identity.group_id ||
            other->identity.process_id <= file->identity.process_id)
            continue;
        diag_report(decoder_diag(decoder), DIAG_FILE_DUPLICATE, FILE_PLACE(file->name, NULL),
                    "older than '%s', which is decoded", other->name);
        return true;
    }
    return false;
}

void opprof_check_width(struct decoder *decoder, const struct capture_file *file, size_t count)
{
    if (count == CSV_MAX_FIELDS)
        diag_report(decoder_diag(decoder), DIAG_FILE_LIMIT, FILE_PLACE(file->name, NULL),
                    "%d columns or more; those behind are left out", CSV_MAX_FIELDS);
}

int opprof_settle(struct decoder *decoder, const struct capture_file *file, int status, struct err *mistake,
                  struct err *err)
{
    switch (status) {
    case 0:
        return 0;
    case -ERR_FORMAT:
    case -ERR_LIMIT:
    case -ERR_IO:
        break;
    default:
        *err = *mistake;
        return status;
    }
    if (decoder_diag(decoder)->latest_id != DIAG_LAYOUT_MISMATCH) /* reported by its own words */
        diag_report(decoder_diag(decoder), DIAG_FILE_UNREADABLE, FILE_PLACE(file->name, NULL), "%s",
                    err_message(mistake));
    return 0;
}

int metric_csv_read(const struct metric_table *table, struct decoder *decoder, const struct capture_file *file,
                    const char *path, struct err *err)
{
    struct err mistake = ERR_INIT;
    if (opprof_is_outdated(decoder, file))
        return 0;
    SCOPED_FREE struct reading *reading = scoped_memory(1, sizeof *reading);
    if (reading == NULL)
        return err_no_memory(err);
    *reading = (struct reading){.table = table,
                                .decoder = decoder,
                                .file = file,
                                .seen = MAP_OF(struct seen_block, key),
                                .launch = opprof_launch_of(decoder_capture(decoder), file->part, err),
                                .cycles_metric = 1};
    if (reading->launch == NULL)
        return err_status(err);
    const int status = csv_read(path, take_row, reading, &mistake);
    check_rows(reading, status);
    for (size_t i = 0; i < reading->column_count; i++)
        free(reading->columns[i].name);
    map_release(&reading->seen);
    return opprof_settle(decoder, file, status, &mistake, err);
}
