/* SPDX-License-Identifier: Apache-2.0 */
/* Every row beside its record: what a layout gives is what the tables print, or the column is not found. */
#include "parsers/layouts/problem.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct verification {
    const struct problem *problem;
    const struct infer_result *result;
    struct matrix matrix; /* the record before, and the record; of rows in another order all records */
    unsigned char record[SIZE_MAX_TRIED];
    uint64_t rows, failed[PRINTED_MOST];
    uint64_t first_row[PRINTED_MOST];
    int64_t first_value[PRINTED_MOST];
    struct interval first_interval[PRINTED_MOST];
    uint64_t contradicted, outside;
    uint64_t unmatched; /* rows in another order that no record is of */
};

/* A text of the record in hand beside the row's. */
static void compare_word(struct verification *v, size_t column, const struct printed_row *row, uint64_t index)
{
    const struct infer_column *found = &v->result->columns[column];
    struct field field = infer_field(v->result, &found->place, found->bits);
    size_t length = strlen(row->word);
    if (length == 0 || (length <= field.width && memcmp(v->record + field.offset, row->word, length) == 0))
        return;
    if (v->failed[column]++ == 0)
        v->first_row[column] = index;
}

/* The column's place with all its bits. */
static struct place_found whole_place(const struct infer_column *found)
{
    struct place_found place = found->place;
    place.bits = found->bits > 0 ? found->bits : place.bits;
    return place;
}

/* Whether a number of a record of the matrix is what the row prints, as far as it prints one. */
static bool number_fits(const struct verification *v, const struct matrix *matrix, size_t column,
                        const struct printed_row *row, size_t at, int64_t first, int64_t *ret_value,
                        struct interval *ret_interval)
{
    struct place_found place = whole_place(&v->result->columns[column]);
    struct interval interval = problem_interval(v->problem, column, row, first);
    *ret_value = place_value(matrix, at, &place, first);
    if (row->values[column] == PRINTED_NONE || (place.mode != PLACE_SHARE && interval.low > interval.high))
        return true;
    if (place.mode == PLACE_SHARE) { /* cycles are whole numbers */
        interval.low -= interval.low < INT64_MAX / 8;
        interval.high += interval.high < INT64_MAX / 8;
    }
    *ret_interval = interval;
    return *ret_value >= interval.low && *ret_value <= interval.high;
}

static void note_failure(struct verification *v, size_t column, uint64_t index, int64_t value, struct interval interval)
{
    if (v->failed[column]++ > 0)
        return;
    v->first_row[column] = index;
    v->first_value[column] = value;
    v->first_interval[column] = interval;
}

static void compare_column(struct verification *v, size_t column, const struct printed_row *row, size_t at,
                           int64_t first, uint64_t index)
{
    struct interval interval = {0, 0};
    int64_t value;
    if (!infer_has_place(&v->result->columns[column]))
        return;
    if (has_role(v->result->kind, column, PRINTED_WORD))
        compare_word(v, column, row, index);
    else if (!number_fits(v, &v->matrix, column, row, at, first, &value, &interval))
        note_failure(v, column, index, value, interval);
}

static int verify_row(void *arg, uint32_t stream, uint64_t index, const struct printed_row *row, struct err *err)
{
    struct verification *v = arg;
    size_t size = v->result->size, at = index > 0;
    (void)err;
    for (size_t i = 0; i <= at; i++) {
        if (!source_record(&v->problem->source, &v->problem->streams.items[stream], v->result->header, size,
                           index - at + i, v->record)) {
            v->outside++;
            return 0;
        }
        matrix_set(&v->matrix, i, v->record, v->result->big_endian);
    }
    struct place_found place = whole_place(&v->result->columns[0]);
    int64_t first = place_value(&v->matrix, at, &place, 0);
    for (size_t c = 0; c < v->result->kind->stored; c++)
        compare_column(v, c, row, at, first, index);
    v->contradicted += !problem_row_agrees(v->problem, row);
    v->rows++;
    return 0;
}

static void tell_failure(const struct verification *v, struct infer_result *result, size_t c)
{
    const struct infer_column *column = &result->columns[c];
    struct field field = infer_field(result, &column->place, column->bits);
    (void)strbuf_addf(&result->notes, "%s at offset %" PRIu32 " gives %" PRIu64 " of %" PRIu64 " rows; record %" PRIu64,
                      column->name, field.offset, v->rows - v->failed[c], v->rows, v->first_row[c]);
    if (has_role(result->kind, c, PRINTED_WORD))
        (void)strbuf_adds(&result->notes, " has another text\n");
    else
        (void)strbuf_addf(&result->notes, " has %" PRId64 ", printed is %" PRId64 " to %" PRId64 "\n",
                          v->first_value[c], v->first_interval[c].low, v->first_interval[c].high);
}

static void tell_failures(const struct verification *v, struct infer_result *result)
{
    for (size_t c = 0; c < result->kind->stored; c++) {
        struct infer_column *column = &result->columns[c];
        if (!infer_has_place(column))
            continue;
        column->rows = v->rows;
        if (v->failed[c] == 0)
            continue;
        tell_failure(v, result, c);
        column->state = INFER_MISSING;
        result->explained--;
    }
    if (v->outside > 0 || v->contradicted > 0)
        result->contradicted = true;
    if (v->outside > 0)
        (void)strbuf_addf(&result->notes, "%" PRIu64 " rows have no record\n", v->outside);
}

static int verify_in_order(struct verification *v, struct err *err)
{
    int status = matrix_init(&v->matrix, 2, v->result->size, err);
    return status == 0 ? problem_each_row(v->problem, verify_row, v, err) : status;
}

/* ---- rows in another order ---- */

#define COMPARISONS_MOST 20000000 /* rows beside records that may be theirs */

struct ordered_record {
    int64_t first;
    uint32_t at; /* in the matrix */
};

static int compare_firsts(const void *left, const void *right)
{
    const struct ordered_record *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

/* The first of the records whose first column is not below. */
static size_t first_not_below(const struct ordered_record *records, size_t count, int64_t low)
{
    size_t from = 0;
    while (from < count) {
        size_t middle = from + (count - from) / 2;
        if (records[middle].first < low)
            from = middle + 1;
        else
            count = middle;
    }
    return from;
}

/* Some record must be the row's in every column. */
static void find_record(struct verification *v, const struct sample_row *row, const struct ordered_record *records,
                        size_t count, uint64_t *comparisons)
{
    struct interval interval = problem_interval(v->problem, 0, &row->printed, 0), last[PRINTED_MOST];
    int64_t values[PRINTED_MOST] = {0};
    bool fits_some[PRINTED_MOST] = {false};
    size_t at = first_not_below(records, count, interval.low), tried = 0;
    memset(last, 0, sizeof last);
    for (; at < count && records[at].first <= interval.high; at++, tried++) {
        bool fits_all = true;
        for (size_t c = 0; c < v->result->kind->stored; c++) {
            bool fits =
                !infer_has_place(&v->result->columns[c]) || has_role(v->result->kind, c, PRINTED_WORD) ||
                number_fits(v, &v->matrix, c, &row->printed, records[at].at, records[at].first, &values[c], &last[c]);
            fits_some[c] = fits_some[c] || fits;
            fits_all = fits_all && fits;
        }
        (*comparisons)++;
        if (fits_all)
            return;
    }
    v->unmatched++;
    for (size_t c = 0; c < v->result->kind->stored && tried > 0; c++)
        if (!fits_some[c])
            note_failure(v, c, row->number, values[c], last[c]);
}

/* The order of rows was found by those that are told apart; all of them must have their record. */
static int verify_sorted(struct verification *v, struct err *err)
{
    const struct problem *problem = v->problem;
    size_t count = problem->sample.count;
    struct place_found place = whole_place(&v->result->columns[0]);
    struct ordered_record *records = calloc(count, sizeof *records);
    uint64_t comparisons = 0;
    if (records == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    int status = matrix_init(&v->matrix, count, v->result->size, err);
    for (size_t i = 0; i < count && status == 0; i++) {
        const struct sample_row *row = &problem->sample.items[i];
        if (source_record(&problem->source, &problem->streams.items[row->stream], v->result->header, v->result->size,
                          row->index, v->record))
            matrix_set(&v->matrix, i, v->record, v->result->big_endian);
        records[i] = (struct ordered_record){place_value(&v->matrix, i, &place, 0), (uint32_t)i};
    }
    if (status == 0)
        array_sort(records, count, sizeof *records, compare_firsts);
    for (size_t i = 0; i < count && status == 0 && comparisons < COMPARISONS_MOST; i++, v->rows++)
        find_record(v, &problem->sample.items[i], records, count, &comparisons);
    free(records);
    return status;
}

/* What is wrong with rows in another order, besides columns that fail. */
static void tell_unmatched(const struct verification *v, struct infer_result *result)
{
    if (v->unmatched == 0 && v->rows == v->problem->sample.count)
        return;
    result->contradicted = true;
    if (v->unmatched > 0)
        (void)strbuf_addf(&result->notes, "%" PRIu64 " of %" PRIu64 " rows are those of no record\n", v->unmatched,
                          v->rows);
    if (v->rows < v->problem->sample.count)
        (void)strbuf_addf(&result->notes, "only %" PRIu64 " of %zu rows were compared: too many are alike\n", v->rows,
                          v->problem->sample.count);
}

int verify_layout(const struct problem *problem, struct infer_result *result, struct err *err)
{
    bool sorted = result->order == ORDER_SORTED;
    if (result->order != ORDER_SAME && !sorted)
        return 0;
    struct verification *v = calloc(1, sizeof *v);
    if (v == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    v->problem = problem;
    v->result = result;
    int status = sorted ? verify_sorted(v, err) : verify_in_order(v, err);
    if (status == 0) {
        tell_failures(v, result);
        if (sorted)
            tell_unmatched(v, result);
    }
    if (result->columns[0].state == INFER_MISSING)
        result->found = false;
    matrix_release(&v->matrix);
    free(v);
    return status;
}
