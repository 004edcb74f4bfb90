/* SPDX-License-Identifier: Apache-2.0 */
#include "features/layouts/search.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const int64_t infer_scales[] = {1, 2, 4, 8, 10, 16, 32, 64, 100, 128, 256, 1000};
const size_t infer_scale_count = sizeof infer_scales / sizeof infer_scales[0];

int matrix_init(struct matrix *matrix, size_t rows, size_t size, struct err *err)
{
    *matrix = (struct matrix){.rows = rows, .size = size, .stride = size + MATRIX_PADDING};
    matrix->bytes = calloc(rows, matrix->stride);
    return matrix->bytes != NULL ? 0 : err_no_memory(err);
}

struct search_clock search_clock_start(int64_t seconds)
{
    return (struct search_clock){.end_ns = seconds > 0 ? clock_now_ns() + seconds * 1000000000 : 0};
}

bool search_is_late(struct search_clock *clock)
{
    if (clock == NULL || clock->end_ns == 0 || clock->late)
        return clock != NULL && clock->late;
    clock->late = clock_now_ns() > clock->end_ns;
    return clock->late;
}

void matrix_release(struct matrix *matrix)
{
    free(matrix->bytes);
    *matrix = (struct matrix){.bytes = NULL};
}

void matrix_set(struct matrix *matrix, size_t row, const unsigned char *bytes, bool big_endian)
{
    unsigned char *out = matrix->bytes + row * matrix->stride;
    if (!big_endian) {
        memcpy(out, bytes, matrix->size);
        return;
    }
    for (size_t i = 0; i < matrix->size; i++)
        out[i] = bytes[matrix->size - 1 - i];
}

static uint64_t mask_of(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

uint64_t matrix_bits(const unsigned char *row, uint32_t bit, unsigned bits)
{
    unsigned shift = bit & 7;
    uint64_t value = bytes_load(row + (bit >> 3), 8, false) >> shift;
    if (shift + bits > 64)
        value |= (uint64_t)row[(bit >> 3) + 8] << (64 - shift);
    return value & mask_of(bits);
}

/* ---- what is known of a column ---- */

static int64_t width_of(const struct interval *interval)
{
    return interval->high - interval->low + 1;
}

/* Zeros say least: much of a record is zero. Else the narrow say more than the wide, and large numbers more than small
 * ones. */
static int compare_rows(const void *left, const void *right, void *arg)
{
    const struct interval *intervals = arg;
    const struct interval *a = &intervals[*(const uint32_t *)left], *b = &intervals[*(const uint32_t *)right];
    bool zero_a = a->low <= 0, zero_b = b->low <= 0;
    if (zero_a != zero_b)
        return zero_a - zero_b;
    if (width_of(a) != width_of(b))
        return width_of(a) < width_of(b) ? -1 : 1;
    if (a->low != b->low)
        return a->low > b->low ? -1 : 1;
    return (*(const uint32_t *)left > *(const uint32_t *)right) - (*(const uint32_t *)left < *(const uint32_t *)right);
}

int search_column_init(struct search_column *column, const struct interval *intervals, size_t rows, struct err *err)
{
    *column = (struct search_column){.intervals = intervals, .lowest = INT64_MAX, .highest = -1};
    column->order = malloc((rows > 0 ? rows : 1) * sizeof *column->order);
    if (column->order == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < rows; i++) {
        if (intervals[i].low > intervals[i].high)
            continue;
        column->order[column->known++] = (uint32_t)i;
        column->lowest = intervals[i].low < column->lowest ? intervals[i].low : column->lowest;
        column->highest = intervals[i].low > column->highest ? intervals[i].low : column->highest;
    }
    struct interval *all = (struct interval *)(uintptr_t)intervals; /* qsort_r's argument; it is only read */
    qsort_r(column->order, column->known, sizeof *column->order, compare_rows, all);
    /* equal rows stand together, but for zeros of different widths */
    for (size_t i = 0; i < column->known; i++) {
        const struct interval *a = &intervals[column->order[i]];
        column->distinct +=
            i == 0 || a->low != intervals[column->order[i - 1]].low || a->high != intervals[column->order[i - 1]].high;
    }
    /* neighbours in the order are alike: the most informative ones are spread to the front */
    for (size_t i = 1, step = column->known / 8; step > 0 && i < 8; i++) {
        uint32_t other = column->order[i];
        column->order[i] = column->order[i * step];
        column->order[i * step] = other;
    }
    return 0;
}

void search_column_release(struct search_column *column)
{
    free(column->order);
    column->order = NULL;
}

/* The raw values of an interval at a scale; low > high: none. */
static struct interval scaled(const struct interval *interval, int64_t scale)
{
    int64_t low = interval->low < 0 ? 0 : interval->low;
    return (struct interval){(low + scale - 1) / scale, interval->high < 0 ? -1 : interval->high / scale};
}

ARRAY_COMPARE(compare_intervals, struct interval, ARRAY_BY(low), ARRAY_BY(high))

double search_evidence(const struct search_column *column, int64_t scale, unsigned bits)
{
    SCOPED_FREE struct interval *all = scoped_memory(column->known > 0 ? column->known : 1, sizeof *all);
    double evidence = 0;
    if (all == NULL)
        return 0;
    for (size_t i = 0; i < column->known; i++)
        all[i] = scaled(&column->intervals[column->order[i]], scale);
    array_sort(all, column->known, sizeof *all, compare_intervals);
    bool zero_seen = false;
    for (size_t i = 0; i < column->known; i++) {
        if (i > 0 && all[i].low == all[i - 1].low && all[i].high == all[i - 1].high)
            continue;
        if (all[i].low == 0 && zero_seen)
            continue; /* what is zero in one row is zero in the next */
        zero_seen = zero_seen || all[i].low == 0;
        double gained = bits - log2((double)width_of(&all[i]));
        evidence += gained > 0 ? gained : 0;
    }
    return evidence;
}

static unsigned bit_length(uint64_t value)
{
    return value == 0 ? 0 : 64 - (unsigned)__builtin_clzll(value);
}

static int add_place(struct place_list *list, const struct place_found *place, struct err *err)
{
    return array_add(list, err, *place);
}

/* ---- plain numbers ---- */

static bool all_fit(const struct matrix *matrix, const struct search_column *column, const struct interval *raw,
                    uint32_t bit, unsigned bits)
{
    for (size_t i = 0; i < column->known; i++) {
        int64_t value = (int64_t)matrix_bits(matrix_row(matrix, column->order[i]), bit, bits);
        if (value < raw[i].low || value > raw[i].high)
            return false;
    }
    return true;
}

static int search_bits(const struct matrix *matrix, const struct search_column *column, const struct interval *raw,
                       int64_t scale, unsigned bits, struct place_list *list, struct err *err)
{
    double evidence = -1;
    if (search_is_late(matrix->clock))
        return 0;
    for (uint32_t bit = 0; bit + bits <= 8 * matrix->size && list->count < SEARCH_MAX_PLACES; bit++) {
        if (!all_fit(matrix, column, raw, bit, bits))
            continue;
        if (evidence < 0)
            evidence = search_evidence(column, scale, bits);
        struct place_found place = {.bit = bit,
                                    .bits = bits,
                                    .scale = scale,
                                    .divide = 1,
                                    .evidence = evidence,
                                    .rows_that_say = column->distinct};
        if (add_place(list, &place, err) < 0)
            return err_status(err);
    }
    return 0;
}

int search_plain(const struct matrix *matrix, const struct search_column *column, int64_t only_scale,
                 struct place_list *list, struct err *err)
{
    SCOPED_FREE struct interval *raw = scoped_memory(column->known > 0 ? column->known : 1, sizeof *raw);
    int status = raw != NULL ? 0 : err_no_memory(err);
    for (size_t s = 0; s < infer_scale_count && status == 0 && column->known > 0; s++) {
        int64_t scale = infer_scales[s], low = 0, high = 0;
        bool possible = only_scale == 0 || scale == only_scale;
        for (size_t i = 0; i < column->known && possible; i++) {
            raw[i] = scaled(&column->intervals[column->order[i]], scale);
            possible = raw[i].low <= raw[i].high;
            low = raw[i].low > low ? raw[i].low : low;
            high = raw[i].high > high ? raw[i].high : high;
        }
        if (!possible || high <= 0)
            continue;
        /* The largest value may need one bit more than its low end. */
        unsigned first = bit_length((uint64_t)low), last = bit_length((uint64_t)high);
        first = first == 0 ? 1 : first;
        last = last > 63 ? 63 : last;
        /* Ranges may need many more: the widest that fits comes first. */
        bool wide = last > first + 1 && low > 0;
        for (unsigned i = 0; first + i <= last && status == 0; i++)
            status = search_bits(matrix, column, raw, scale, wide ? last - i : first + i, list, err);
    }
    return status;
}

/* ---- differences ---- */

static bool difference_fits(const struct interval *interval, uint64_t difference, int64_t scale)
{
    int64_t value;
    return difference <= INT64_MAX && !__builtin_mul_overflow((int64_t)difference, scale, &value) &&
           value >= interval->low && value <= interval->high;
}

#define SCALE_MOST 1000
static const int64_t difference_scales[] = {1, 10, 100, 1000, 2, 4, 8, 16, 32, 64, 128, 256};

static bool minus_fits(const struct matrix *matrix, const struct search_column *column, const struct place_found *place)
{
    bool changes = false; /* else it is the number itself, and nothing is subtracted */
    uint64_t first = 0;
    for (size_t i = 0; i < column->known; i++) {
        const unsigned char *row = matrix_row(matrix, column->order[i]);
        uint64_t end = matrix_bits(row, place->bit, place->whole_bits);
        uint64_t start = matrix_bits(row, place->other_bit, place->whole_bits);
        first = i == 0 ? start : first;
        changes = changes || start != first;
        if (end < start || !difference_fits(&column->intervals[column->order[i]], end - start, place->scale))
            return false;
    }
    return changes;
}

/* Adds the scales at which the difference of two numbers fits all rows. */
static int add_differences(const struct matrix *matrix, const struct search_column *column, uint32_t end,
                           uint32_t start, unsigned whole, struct place_list *list, struct err *err)
{
    for (size_t s = 0; s < sizeof difference_scales / sizeof difference_scales[0]; s++) {
        struct place_found place = {.bit = end,
                                    .bits = whole,
                                    .scale = difference_scales[s],
                                    .mode = PLACE_MINUS,
                                    .other_bit = start,
                                    .divide = 1,
                                    .whole_bits = whole,
                                    .rows_that_say = column->distinct};
        if (list->count >= SEARCH_MAX_PLACES || !minus_fits(matrix, column, &place))
            continue;
        place.evidence = search_evidence(column, place.scale, 32);
        if (add_place(list, &place, err) < 0)
            return err_status(err);
    }
    return 0;
}

int search_minus(const struct matrix *matrix, const struct search_column *column, struct place_list *list,
                 struct err *err)
{
    /* counted from the end, as big-endian records are, even offsets of odd records are odd */
    uint32_t step = matrix->size % 2 == 0 ? 16 : 8;
    SCOPED_FREE uint64_t *values =
        scoped_memory(matrix->size, sizeof *values); /* of the most informative row, at each place */
    int status = values != NULL ? 0 : err_no_memory(err);
    /* the wider first: times are cut by the narrower */
    for (unsigned whole = 64; whole >= 32 && status == 0 && column->known > 0; whole -= 32) {
        uint32_t count = 8 * (uint32_t)matrix->size < whole ? 0 : (8 * (uint32_t)matrix->size - whole) / step + 1;
        uint64_t most = (uint64_t)column->intervals[column->order[0]].high;
        uint64_t least = (uint64_t)(column->intervals[column->order[0]].low + SCALE_MOST - 1) / SCALE_MOST;
        for (uint32_t i = 0; i < count; i++)
            values[i] = matrix_bits(matrix_row(matrix, column->order[0]), i * step, whole);
        for (uint32_t end = 0; end < count && status == 0 && !search_is_late(matrix->clock); end++) {
            for (uint32_t start = 0; start < count && status == 0; start++) {
                uint32_t apart = (end > start ? end - start : start - end) * step;
                if (apart >= whole && values[end] >= values[start] && values[end] - values[start] <= most &&
                    values[end] - values[start] >= least)
                    status = add_differences(matrix, column, end * step, start * step, whole, list, err);
            }
        }
    }
    return status;
}

static bool delta_fits(const struct matrix *matrix, const struct search_column *column, const struct place_found *place)
{
    uint64_t mask = mask_of(place->whole_bits);
    for (size_t i = 0; i < column->known; i++) {
        uint32_t row = column->order[i];
        uint64_t now = matrix_bits(matrix_row(matrix, row), place->bit, place->whole_bits);
        uint64_t before = row > 0 ? matrix_bits(matrix_row(matrix, row - 1), place->bit, place->whole_bits) : 0;
        if (!difference_fits(&column->intervals[row], (now - before) & mask, place->scale))
            return false;
    }
    return column->known > 0;
}

int search_delta(const struct matrix *matrix, const struct search_column *column, struct place_list *list,
                 struct err *err)
{
    for (unsigned whole = 64; whole >= 32; whole -= 32) {
        for (size_t s = 0; s < sizeof difference_scales / sizeof difference_scales[0]; s++) {
            if (search_is_late(matrix->clock))
                return 0;
            for (uint32_t bit = 0; bit + whole <= 8 * matrix->size; bit += 8) {
                struct place_found place = {.bit = bit,
                                            .bits = whole,
                                            .scale = difference_scales[s],
                                            .mode = PLACE_DELTA,
                                            .divide = 1,
                                            .whole_bits = whole,
                                            .rows_that_say = column->distinct};
                if (list->count >= SEARCH_MAX_PLACES || !delta_fits(matrix, column, &place))
                    continue;
                place.evidence = search_evidence(column, place.scale, 32);
                if (add_place(list, &place, err) < 0)
                    return err_status(err);
            }
        }
    }
    return 0;
}
