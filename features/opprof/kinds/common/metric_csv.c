/* SPDX-License-Identifier: Apache-2.0 */
#include "features/opprof/kinds/common/metric_csv.h"

#include "base/map.h"
#include "base/number.h"
#include "features/opprof/kinds/common/opprof_csv.h"
#include "features/opprof/kinds/common/opprof_tree.h"

#include <ctype.h>
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
    enum { FIELD_OF_NONE, FIELD_OF_BLOCK, FIELD_OF_SUB_BLOCK, FIELD_OF_METRIC } is;
    enum prefix prefix;
    size_t metric;
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
    struct opprof_csv csv;
    const struct metric_table *table;
    struct opprof_launch *launch;
    struct taken_column columns[CSV_MAX_FIELDS];
    struct map seen; /* of struct seen_block */
    uint64_t cycles;
    size_t cycles_metric;
    int64_t rows_of[OPPROF_AI_CORE + 1];
};

static enum opprof_column take_column(void *arg, size_t place, const char *name)
{
    struct reading *reading = arg;
    struct taken_column *column = &reading->columns[place];
    const char *known = name;
    column->is = strcmp(name, "block_id") == 0       ? FIELD_OF_BLOCK
                 : strcmp(name, "sub_block_id") == 0 ? FIELD_OF_SUB_BLOCK
                                                     : FIELD_OF_NONE;
    if (column->is != FIELD_OF_NONE)
        return OPPROF_KEY;
    column->prefix = skip_prefix(&known);
    for (size_t i = 0; i < reading->table->count; i++) {
        if (!is_called(known, reading->table->metrics[i].name))
            continue;
        column->is = FIELD_OF_METRIC;
        column->metric = i;
        return OPPROF_VALUE;
    }
    return OPPROF_UNKNOWN;
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

static bool take_key(struct reading *reading, const char *const *fields, uint64_t number, struct block_key *key)
{
    *key = (struct block_key){-1, OPPROF_AI_CORE, -1};
    for (size_t i = 0; i < reading->csv.count; i++) {
        const struct taken_column *column = &reading->columns[i];
        int64_t block;
        if (column->is == FIELD_OF_SUB_BLOCK && !take_core(fields[i], key)) {
            opprof_csv_reject(&reading->csv, number, "sub_block_id",
                              "not a core name; expected cube0, vector0 or vector1");
            return false;
        }
        if (column->is != FIELD_OF_BLOCK)
            continue;
        if (number_parse_integer(fields[i], strlen(fields[i]), &block) != 0 || block > INT32_MAX) {
            opprof_csv_reject(&reading->csv, number, "block_id", "not a block number; expected a whole number");
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
    const struct place where = {reading->csv.file->name, (int64_t)number, -1, metric->name};
    int64_t value;
    bool missing;
    if (!opprof_number(text, metric->scale, &value, &missing)) {
        opprof_csv_report_value(&reading->csv, number, metric->name, text);
    } else if (!missing && (is_foreign(key, column->prefix) || row_has(row, place))) {
        diag_report(decoder_diag(reading->csv.decoder), DIAG_RECORD_ODD, &where,
                    "%.40s of the other kind of core; expected NA; it is ignored", text);
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
    if (decoder_emit(reading->csv.decoder, reading->table->kind, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, METRIC_FILE, reading->csv.file->id);
    row_set_integer(&row, METRIC_LAUNCH, opprof_launch_id(reading->csv.decoder));
    row_set_integer(&row, METRIC_CORE, key->core);
    if (key->block >= 0)
        row_set_integer(&row, METRIC_BLOCK, key->block);
    if (key->sub_core >= 0)
        row_set_integer(&row, METRIC_SUB_CORE, key->sub_core);
    for (size_t i = 0; i < reading->csv.count; i++) {
        const struct taken_column *column = &reading->columns[i];
        if (column->is == FIELD_OF_METRIC)
            put_value(reading, &row, key, i, fields[i], number);
    }
    note_cycles(reading, &row, key);
    return opprof_csv_put_others(&reading->csv, key, fields, err);
}

static int take_row(void *arg, const char *const *fields, uint64_t number, struct err *err)
{
    struct reading *reading = arg;
    struct block_key key;
    bool added = true;
    if (!take_key(reading, fields, number, &key))
        return 0;
    if (map_add(&reading->seen, &key, &added, err) == NULL)
        return err_status(err);
    if (!added) {
        opprof_csv_reject(&reading->csv, number, "block_id", "a second row of this block and core; the first is used");
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
    diag_report(decoder_diag(reading->csv.decoder), DIAG_ROWS_MISSING, FILE_PLACE(reading->csv.file->name, "block_id"),
                "%lld rows of %s cores; OpBasicInfo.csv says %lld blocks; %s0 of block %lld is the first without one",
                (long long)rows, opprof_cores[core].text, (long long)expected, opprof_cores[core].text,
                (long long)key.block);
}

/* Metric files of one launch come of replays, but their cycles are all of the last one. */
static void check_cycles(struct reading *reading)
{
    struct opprof_launch *launch = reading->launch;
    if (launch->cycles_file == NULL) {
        launch->cycles_file = reading->csv.file->name;
        launch->cycles = reading->cycles;
    } else if (launch->cycles != reading->cycles) {
        diag_report(decoder_diag(reading->csv.decoder), DIAG_ROWS_MIXED,
                    FILE_PLACE(reading->csv.file->name, "total_cycles"), "blocks or cycles differ from those of '%s'",
                    launch->cycles_file);
    }
}

/* A file that was not read to its end has reported more. */
static void check_rows(struct reading *reading)
{
    const struct opprof_launch *launch = reading->launch;
    if (reading->rows_of[OPPROF_AI_CORE] > 0)
        return;
    report_missing(reading, OPPROF_CUBE, launch->described ? launch->cube_blocks : -1);
    report_missing(reading, OPPROF_VECTOR, launch->described ? launch->vector_blocks : -1);
    check_cycles(reading);
}

int metric_csv_read(const struct metric_table *table, struct decoder *decoder, const struct capture_file *file,
                    const char *path, struct err *err)
{
    SCOPED_FREE struct reading *reading = scoped_memory(1, sizeof *reading);
    bool whole = false;
    if (reading == NULL)
        return err_no_memory(err);
    *reading = (struct reading){.csv = {.kind = table->kind,
                                        .expected = "block_id, sub_block_id, aic_time(us)",
                                        .column = take_column,
                                        .row = take_row,
                                        .arg = reading},
                                .table = table,
                                .seen = MAP_OF(struct seen_block, key),
                                .launch = opprof_launch_of(decoder_capture(decoder), file->part, err),
                                .cycles_metric = 1};
    if (reading->launch == NULL)
        return err_status(err);
    const int status = opprof_csv_read(&reading->csv, decoder, file, path, &whole, err);
    if (whole)
        check_rows(reading);
    map_release(&reading->seen);
    return status;
}
