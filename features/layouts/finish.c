/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "features/layouts/problem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Every row beside its record: what a layout gives is what the tables print, or the column is not found. */

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

struct field infer_field(const struct infer_result *result, const struct place_found *place, unsigned bits)
{
    uint32_t byte = place->bit / 8, width = (place->bit % 8 + bits + 7) / 8;
    struct field field = {.offset = result->big_endian ? (uint32_t)result->size - byte - width : byte, .width = width};
    if (place->bit % 8 != 0 || bits % 8 != 0) {
        field.first_bit = (uint8_t)(place->bit % 8);
        field.bit_count = (uint8_t)bits;
    }
    field.multiply = place->scale;
    field.divide = place->divide;
    return field;
}

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
    if (has_role(v->result->form, column, PRINTED_WORD))
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
    for (size_t c = 0; c < v->result->form->stored; c++)
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
    if (has_role(result->form, c, PRINTED_WORD))
        (void)strbuf_adds(&result->notes, " has another text\n");
    else
        (void)strbuf_addf(&result->notes, " has %" PRId64 ", printed is %" PRId64 " to %" PRId64 "\n",
                          v->first_value[c], v->first_interval[c].low, v->first_interval[c].high);
}

static void tell_failures(const struct verification *v, struct infer_result *result)
{
    for (size_t c = 0; c < result->form->stored; c++) {
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

ARRAY_COMPARE(compare_firsts, struct ordered_record, ARRAY_BY(first))

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
        for (size_t c = 0; c < v->result->form->stored; c++) {
            bool fits =
                !infer_has_place(&v->result->columns[c]) || has_role(v->result->form, c, PRINTED_WORD) ||
                number_fits(v, &v->matrix, c, &row->printed, records[at].at, records[at].first, &values[c], &last[c]);
            fits_some[c] = fits_some[c] || fits;
            fits_all = fits_all && fits;
        }
        (*comparisons)++;
        if (fits_all)
            return;
    }
    v->unmatched++;
    for (size_t c = 0; c < v->result->form->stored && tried > 0; c++)
        if (!fits_some[c])
            note_failure(v, c, row->number, values[c], last[c]);
}

/* The order was found by the unambiguous rows only; here every row must have its record. */
static int verify_sorted(struct verification *v, struct err *err)
{
    const struct problem *problem = v->problem;
    size_t count = problem->sample.count;
    struct place_found place = whole_place(&v->result->columns[0]);
    SCOPED_FREE struct ordered_record *records = scoped_memory(count, sizeof *records);
    uint64_t comparisons = 0;
    if (records == NULL)
        return err_no_memory(err);
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
    return status;
}

/* Reports rows in another order that do not match, in addition to columns that fail. */
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

/* Compares all rows with their records; columns that do not give what is printed are not found. */
static int verify_layout(const struct problem *problem, struct infer_result *result, struct err *err)
{
    bool sorted = result->order == ORDER_SORTED;
    if (result->order != ORDER_SAME && !sorted)
        return 0;
    SCOPED_FREE struct verification *v = scoped_memory(1, sizeof *v);
    if (v == NULL)
        return err_no_memory(err);
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
    return status;
}

/* Makes places a layout: widths and magics. */

#define COUNTER_BITS 32 /* what a counter is taken to have when the bits above are zero */
#define ID_BITS 16
#define ENOUGH_RECORDS 12 /* with fewer, a bit of anything is often zero in all of them */

/* Which bits of a record, as a big integer, differ from record to record, are always 0, belong to a column. */
struct bit_map {
    size_t size;
    bool big_endian;
    unsigned char ones[SIZE_MAX_TRIED], zeros[SIZE_MAX_TRIED]; /* as source_masks gives them, in the file's order */
    unsigned char all_ones[SIZE_MAX_TRIED], all_zeros[SIZE_MAX_TRIED]; /* of all records, when the rows are of a part */
    unsigned char taken[SIZE_MAX_TRIED];                               /* in the order of the integer */
};

static size_t file_byte(const struct bit_map *map, uint32_t bit)
{
    return map->big_endian ? map->size - 1 - bit / 8 : bit / 8;
}

static bool is_zero(const struct bit_map *map, const unsigned char *ones, uint32_t bit)
{
    return bit < 8 * map->size && (ones[file_byte(map, bit)] >> bit % 8 & 1) == 0;
}

static bool is_taken(const struct bit_map *map, uint32_t bit)
{
    return (map->taken[bit / 8] >> bit % 8 & 1) != 0;
}

static void take_bits(struct bit_map *map, uint32_t bit, unsigned bits)
{
    for (unsigned i = 0; i < bits; i++)
        map->taken[(bit + i) / 8] |= (unsigned char)(1u << (bit + i) % 8);
}

/* ---- widths ---- */

#define WORD_BYTES 64 /* what a text is taken to have when the bytes behind it are zero */

/* A text grows towards the end of the record. */
static void widen_word(const struct bit_map *map, struct infer_column *column)
{
    column->bits = column->place.bits;
    while (column->bits < 8 * WORD_BYTES) {
        uint32_t next = map->big_endian ? column->place.bit - 8 : column->place.bit + column->bits;
        if ((map->big_endian && column->place.bit < 8) || next / 8 >= map->size ||
            map->all_ones[file_byte(map, next)] != 0 || map->taken[next / 8] != 0)
            return;
        column->place.bit -= map->big_endian ? 8 : 0;
        column->bits += 8;
    }
}

/* Whether a bit is the lowest of an aligned word of four bytes, which a field of single bits does not leave. */
static bool begins_word(const struct bit_map *map, uint32_t bit)
{
    return bit % 8 == 0 && bit < 8 * map->size && (file_byte(map, bit) + (map->big_endian ? 1 : 0)) % 4 == 0;
}

/* How many bits the field has: those needed, and above them what is always zero and nobody's, up to a usual width. */
static unsigned widen(const struct bit_map *map, const unsigned char *ones, const struct place_found *place,
                      unsigned usual)
{
    unsigned bits = place->bits, most = place->bits > usual ? 64 : usual;
    while (bits < most && is_zero(map, ones, place->bit + bits) && !is_taken(map, place->bit + bits) &&
           (place->bit % 8 == 0 || !begins_word(map, place->bit + bits)))
        bits++;
    if (place->bit % 8 != 0)
        return bits;
    return bits / 8 * 8 >= place->bits ? bits / 8 * 8 : bits;
}

/* Only unambiguous rows are used to search rows in another order; the largest number may be in one of the others. */
static void hold_all_rows(const struct problem *problem, const struct infer_result *result, size_t c,
                          struct place_found *place)
{
    if (result->order != ORDER_SORTED || place->mode != PLACE_PLAIN)
        return;
    for (size_t i = 0; i < problem->sample.count; i++) {
        const struct printed_row *row = &problem->sample.items[i].printed;
        struct interval first = problem_interval(problem, 0, row, 0);
        struct interval interval = problem_interval(problem, c, row, first.low);
        uint64_t raw = interval.low <= interval.high && interval.high < INT64_MAX / 8
                           ? (uint64_t)(interval.low / place->scale)
                           : 0;
        unsigned bits = raw > 0 ? 64 - (unsigned)__builtin_clzll(raw) : 0;
        place->bits = bits > place->bits ? bits : place->bits;
    }
}

#define GROWTH 16 /* a number of the other records is the column's when it is less than so many times the largest */

/* Whether the bits that are zero in the rows' records, but not in all, may be the column's. */
static bool may_grow(const struct problem *problem, const struct infer_result *result, struct place_found place,
                     unsigned bits)
{
    struct matrix matrix = {.bytes = NULL};
    unsigned char record[SIZE_MAX_TRIED];
    struct err ignored = ERR_INIT;
    uint64_t largest = 1, other = 0;
    place.bits = bits;
    place.scale = 1;
    if (matrix_init(&matrix, 1, result->size, &ignored) < 0)
        return false;
    for (uint64_t i = 0;
         source_record(&problem->source, &problem->streams.items[0], result->header, result->size, i, record); i++) {
        matrix_set(&matrix, 0, record, result->big_endian);
        uint64_t value = matrix_bits(matrix_row(&matrix, 0), place.bit, bits);
        uint64_t *most = i >= result->window && i - result->window < result->rows ? &largest : &other;
        *most = value > *most ? value : *most;
    }
    matrix_release(&matrix);
    return other / GROWTH <= largest;
}

/* The width of a number's field. In a part of the records only those of the rows count: the others may have larger
 * values. But what is far larger there is not the column's. */
static unsigned width_of(const struct bit_map *map, const struct problem *problem, struct infer_result *result,
                         size_t c)
{
    const struct infer_column *column = &result->columns[c];
    struct place_found place = column->place;
    if (place.whole_bits > 0)
        return place.whole_bits;
    if (has_role(result->form, c, PRINTED_IDENTITY))
        return widen(map, map->all_ones, &place, ID_BITS); /* ids of other rows are alike */
    hold_all_rows(problem, result, c, &place);
    unsigned bits = widen(map, map->ones, &place, COUNTER_BITS);
    unsigned sure = widen(map, map->all_ones, &place, COUNTER_BITS);
    if (bits == sure || may_grow(problem, result, place, bits))
        return bits;
    result->width_doubted = true;
    (void)strbuf_addf(&result->notes,
                      "%s has %u bits or up to %u: those above are set in records that no row is of only\n",
                      column->name, sure, bits);
    return sure;
}

static void set_widths(struct bit_map *map, const struct problem *problem, struct infer_result *result)
{
    for (size_t c = 0; c < result->form->stored; c++) {
        const struct infer_column *column = &result->columns[c];
        if (infer_has_place(column))
            take_bits(map, column->place.bit, column->place.bits);
        if (infer_has_place(column) && column->place.mode == PLACE_MINUS)
            take_bits(map, column->place.other_bit, column->place.whole_bits);
    }
    for (size_t c = 0; c < result->form->stored; c++) {
        struct infer_column *column = &result->columns[c];
        if (!infer_has_place(column) || column->is_given)
            continue;
        if (has_role(result->form, c, PRINTED_WORD))
            widen_word(map, column);
        else
            column->bits = width_of(map, problem, result, c);
        take_bits(map, column->place.bit, column->bits);
    }
}

/* ---- magics ---- */

/* Whether a byte of the file is the same in all records. */
static bool is_constant(const struct bit_map *map, size_t byte)
{
    return (map->all_ones[byte] & map->all_zeros[byte]) == 0;
}

static bool byte_is_taken(const struct bit_map *map, size_t byte)
{
    return map->taken[map->big_endian ? map->size - 1 - byte : byte] != 0;
}

/* Whether the bytes may be the high part of a number that changes slowly, such as a time: a byte that differs, and is
 * no column's, is so near that a number of eight bytes may hold both. */
static bool is_upper_part(const struct bit_map *map, size_t offset, size_t width)
{
    for (size_t apart = 1; apart + width <= 8; apart++) {
        size_t byte = map->big_endian ? offset + width - 1 + apart : offset - apart;
        if (byte >= map->size || byte_is_taken(map, byte))
            return false; /* offset - apart below 0 is a large number */
        if (!is_constant(map, byte))
            return true;
    }
    return false;
}

/* Whether it looks like a number that somebody chose, not like a small number, a count or an id. */
static bool looks_chosen(const struct bit_map *map, size_t offset, size_t width, uint64_t value)
{
    unsigned filled = 0;
    for (size_t i = 0; i < width; i++)
        filled += (value >> 8 * i & 0xff) != 0;
    if (width == 4)
        return filled >= 3 && value >> 24 != 0 && value != UINT32_MAX;
    unsigned low = value & 0xff, high = (unsigned)(value >> 8);
    return filled == 2 && value != 0xffff && (offset == 0 || low == high || (low ^ high) == 0xff) && map->size >= 8;
}

static void find_magics(const struct bit_map *map, struct infer_result *result)
{
    for (size_t width = 4; width >= 2 && result->magic_count == 0; width /= 2) {
        for (size_t offset = 0; offset + width <= map->size && result->magic_count < INFER_MAGICS; offset += width) {
            bool good = true;
            uint64_t value = 0;
            for (size_t i = 0; i < width && good; i++) {
                good = is_constant(map, offset + i) && !byte_is_taken(map, offset + i);
                size_t shift = 8 * (map->big_endian ? width - 1 - i : i);
                value |= (uint64_t)map->all_ones[offset + i] << shift;
            }
            if (good && looks_chosen(map, offset, width, value) && !is_upper_part(map, offset, width))
                result->magics[result->magic_count++] =
                    (struct magic){.offset = (uint32_t)offset, .width = (uint32_t)width, .value = value};
        }
    }
}

int finish_layout(const struct problem *problem, struct infer_result *result, struct err *err)
{
    SCOPED_FREE struct bit_map *map = scoped_memory(1, sizeof *map);
    if (map == NULL)
        return err_no_memory(err);
    map->size = result->size;
    map->big_endian = result->big_endian;
    err->code = ERR_NONE;
    /* of a part of the records, only those of the rows: the others may have larger values */
    uint64_t most = result->order == ORDER_WINDOW ? result->rows : UINT64_MAX;
    result->records = source_masks(&problem->source, result->header + result->window * result->size, result->size, most,
                                   map->ones, map->zeros, err);
    memcpy(map->all_ones, map->ones, map->size);
    memcpy(map->all_zeros, map->zeros, map->size);
    if (result->order == ORDER_WINDOW && err->code == ERR_NONE)
        source_masks(&problem->source, result->header, result->size, UINT64_MAX, map->all_ones, map->all_zeros, err);
    int status = err_status(err);
    if (status == 0) {
        if (result->records < ENOUGH_RECORDS) {
            result->few_records = true;
            (void)strbuf_addf(&result->notes, "only %" PRIu64 " records: bits above the values may be zero by chance\n",
                              result->records);
        }
        set_widths(map, problem, result);
        find_magics(map, result);
    }
    return status == 0 ? verify_layout(problem, result, err) : status;
}
