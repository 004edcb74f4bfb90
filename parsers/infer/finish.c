/* What makes places a layout: widths, magics, and the comparison of every row. */
#include "parsers/infer/problem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNTER_BITS 32 /* what a counter is taken to have when the bits above are zero */
#define ID_BITS 16
#define ENOUGH_RECORDS 12 /* with fewer, a bit of anything is often zero in all of them */

/* Which bits of a record, as a big integer, differ from record to record, are always 0, belong to a column. */
struct bit_map {
    size_t size;
    bool big_endian;
    unsigned char ones[SIZE_MAX_TRIED], zeros[SIZE_MAX_TRIED]; /* as source_masks gives them, in the file's order */
    unsigned char all_ones[SIZE_MAX_TRIED];                    /* those of all records, when the rows are of a part */
    unsigned char taken[SIZE_MAX_TRIED];                       /* in the order of the integer */
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

static bool has_place(const struct infer_column *column)
{
    return column->state == INFER_UNIQUE || column->state == INFER_AMBIGUOUS || column->state == INFER_GIVEN;
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

/* How many bits the field has: those needed, and above them what is always zero and nobody's, up to a usual width. */
static unsigned widen(const struct bit_map *map, const unsigned char *ones, const struct place_found *place,
                      unsigned usual)
{
    unsigned bits = place->bits, most = place->bits > usual ? 64 : usual;
    while (bits < most && is_zero(map, ones, place->bit + bits) && !is_taken(map, place->bit + bits))
        bits++;
    if (place->bit % 8 != 0)
        return bits;
    return bits / 8 * 8 >= place->bits ? bits / 8 * 8 : bits;
}

static void set_widths(struct bit_map *map, struct infer_result *result)
{
    for (size_t c = 0; c < result->kind->stored; c++) {
        const struct infer_column *column = &result->columns[c];
        if (has_place(column))
            take_bits(map, column->place.bit, column->place.bits);
        if (has_place(column) && column->place.mode == PLACE_MINUS)
            take_bits(map, column->place.other_bit, column->place.whole_bits);
    }
    for (size_t c = 0; c < result->kind->stored; c++) {
        struct infer_column *column = &result->columns[c];
        if (!has_place(column) || column->is_given)
            continue;
        if (has_role(result->kind, c, PRINTED_WORD))
            widen_word(map, column);
        else
            column->bits = column->place.whole_bits > 0 ? column->place.whole_bits
                           : has_role(result->kind, c, PRINTED_IDENTITY)
                               ? widen(map, map->all_ones, &column->place, ID_BITS) /* ids of other rows are alike */
                               : widen(map, map->ones, &column->place, COUNTER_BITS);
        take_bits(map, column->place.bit, column->bits);
    }
}

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

/* ---- magics ---- */

/* Whether a byte of the file is the same in all records. */
static bool is_constant(const struct bit_map *map, size_t byte)
{
    return (map->ones[byte] & map->zeros[byte]) == 0;
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
                value |= (uint64_t)map->ones[offset + i] << shift;
            }
            if (good && looks_chosen(map, offset, width, value) && !is_upper_part(map, offset, width))
                result->magics[result->magic_count++] =
                    (struct magic){.offset = (uint32_t)offset, .width = (uint32_t)width, .value = value};
        }
    }
}

/* ---- every row ---- */

struct verification {
    const struct problem *problem;
    const struct infer_result *result;
    struct matrix matrix; /* the record before, and the record */
    unsigned char record[SIZE_MAX_TRIED];
    uint64_t rows, failed[PRINTED_MOST];
    uint64_t first_row[PRINTED_MOST];
    int64_t first_value[PRINTED_MOST];
    struct interval first_interval[PRINTED_MOST];
    uint64_t contradicted, outside;
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

static void compare_column(struct verification *v, size_t column, const struct printed_row *row, size_t at,
                           int64_t first, uint64_t index)
{
    const struct infer_column *found = &v->result->columns[column];
    if (!has_place(found))
        return;
    if (has_role(v->result->kind, column, PRINTED_WORD)) {
        compare_word(v, column, row, index);
        return;
    }
    struct place_found place = found->place;
    place.bits = found->bits > 0 ? found->bits : place.bits;
    int64_t value = place_value(&v->matrix, at, &place, first);
    struct interval interval = problem_interval(v->problem, column, row, first);
    if (place.mode == PLACE_SHARE) { /* cycles are whole numbers */
        interval.low -= interval.low < INT64_MAX / 8;
        interval.high += interval.high < INT64_MAX / 8;
        if (row->values[column] == PRINTED_NONE)
            return;
    } else if (interval.low > interval.high) {
        return;
    }
    if (value >= interval.low && value <= interval.high)
        return;
    if (v->failed[column]++ == 0) {
        v->first_row[column] = index;
        v->first_value[column] = value;
        v->first_interval[column] = interval;
    }
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
    struct place_found place = v->result->columns[0].place;
    if (v->result->columns[0].bits > 0)
        place.bits = v->result->columns[0].bits;
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
        if (!has_place(column))
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

static int verify(const struct problem *problem, struct infer_result *result, struct err *err)
{
    struct verification *v = calloc(1, sizeof *v);
    if (v == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    v->problem = problem;
    v->result = result;
    int status = matrix_init(&v->matrix, 2, result->size, err);
    if (status == 0)
        status = problem_each_row(problem, verify_row, v, err);
    if (status == 0)
        tell_failures(v, result);
    if (result->columns[0].state == INFER_MISSING)
        result->found = false;
    matrix_release(&v->matrix);
    free(v);
    return status;
}

int finish_layout(const struct problem *problem, struct infer_result *result, struct err *err)
{
    struct bit_map *map = calloc(1, sizeof *map);
    if (map == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    map->size = result->size;
    map->big_endian = result->big_endian;
    err->code = ERR_NONE;
    /* of a part of the records, only those of the rows: the others may have larger values */
    uint64_t most = result->order == ORDER_WINDOW ? result->rows : UINT64_MAX;
    result->records = source_masks(&problem->source, result->header + result->window * result->size, result->size, most,
                                   map->ones, map->zeros, err);
    memcpy(map->all_ones, map->ones, map->size);
    if (result->order == ORDER_WINDOW && err->code == ERR_NONE) {
        unsigned char *unused = malloc(map->size);
        if (unused != NULL)
            source_masks(&problem->source, result->header, result->size, UINT64_MAX, map->all_ones, unused, err);
        else
            err_set(err, ERR_NO_MEMORY, "out of memory");
        free(unused);
    }
    int status = -(int)err->code;
    if (status == 0) {
        if (result->records < ENOUGH_RECORDS) {
            result->few_records = true;
            (void)strbuf_addf(&result->notes, "only %" PRIu64 " records: bits above the values may be zero by chance\n",
                              result->records);
        }
        set_widths(map, result);
        find_magics(map, result);
    }
    free(map);
    return status == 0 && result->order == ORDER_SAME ? verify(problem, result, err) : status;
}
