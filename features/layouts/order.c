/* SPDX-License-Identifier: Apache-2.0 */
/* Tables whose rows are not the records one by one: in another order, of a part of them, at a frequency nobody says. */
#include "base/array.h"
#include "features/layouts/hunt.h"
#include "features/layouts/structure.h"

#include "base/bytes.h"
#include "base/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- another order ---- */

struct pair {
    uint64_t value; /* of the record */
    uint32_t record;
    uint32_t row;
    struct interval interval; /* of the row */
};

ARRAY_COMPARE(compare_values, struct pair, ARRAY_BY(value))

ARRAY_COMPARE(compare_lows, struct interval, ARRAY_BY(low), ARRAY_BY(high))

struct sorted_search {
    struct pair *pairs;
    struct row_interval {
        struct interval interval;
        uint32_t row;
    } * rows; /* by their low ends */
    size_t count;
    bool done;
};

/* Whether the values at a place, sorted, fall into the sorted intervals. */
static bool sorted_fits(const struct matrix *matrix, struct sorted_search *search, uint32_t bit, unsigned bits,
                        int64_t scale)
{
    uint64_t least = UINT64_MAX, most = 0;
    size_t last = search->count - 1;
    for (size_t i = 0; i < search->count; i++) {
        uint64_t value = matrix_bits(matrix_row(matrix, i), bit, bits);
        search->pairs[i] = (struct pair){.value = value, .record = (uint32_t)i};
        least = value < least ? value : least;
        most = value > most ? value : most;
        if (most * (uint64_t)scale > (uint64_t)search->rows[last].interval.high)
            return false;
    }
    if (most * (uint64_t)scale < (uint64_t)search->rows[last].interval.low ||
        least * (uint64_t)scale < (uint64_t)search->rows[0].interval.low ||
        least * (uint64_t)scale > (uint64_t)search->rows[0].interval.high)
        return false;
    array_sort(search->pairs, search->count, sizeof *search->pairs, compare_values);
    for (size_t i = 0; i < search->count; i++) {
        int64_t value = (int64_t)search->pairs[i].value * scale;
        if (value < search->rows[i].interval.low || value > search->rows[i].interval.high)
            return false;
    }
    return true;
}

/* Whether the i-th row, by time, can be of no other record than the i-th. */
static bool is_told_apart(const struct sorted_search *search, size_t i, int64_t scale)
{
    int64_t value = (int64_t)search->pairs[i].value * scale;
    const struct interval *own = &search->rows[i].interval;
    if (i > 0 &&
        ((int64_t)search->pairs[i - 1].value * scale >= own->low || search->rows[i - 1].interval.high >= value))
        return false;
    return i + 1 == search->count ||
           ((int64_t)search->pairs[i + 1].value * scale > own->high && search->rows[i + 1].interval.low > value);
}

/* Keeps only the unambiguous rows in the sample, each with its record, and searches the columns. */
static int take_order(struct hunt *hunt, struct frame *frame, struct sorted_search *search, int64_t scale,
                      struct err *err)
{
    struct problem *problem = hunt->problem;
    struct sample_row *before = problem->sample.items, *rows = malloc(search->count * sizeof *rows);
    size_t all = problem->sample.count, told = 0;
    if (rows == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < search->count; i++) {
        if (!is_told_apart(search, i, scale))
            continue;
        rows[told] = before[search->rows[i].row];
        rows[told].stream = before[search->pairs[i].record].stream;
        rows[told++].index = before[search->pairs[i].record].index;
    }
    struct frame ordered = *frame;
    bool failed = matrix_init(&ordered.matrix, told > 0 ? told : 1, frame->size, err) < 0;
    ordered.matrix.clock = frame->matrix.clock;
    problem->sample.items = rows;
    problem->sample.count = told;
    problem->order = ORDER_SORTED;
    for (size_t i = 2; i <= all; i++)
        ordered.order_bits += log2((double)i);
    if (!failed && told >= 3 && hunt_fill(problem, &ordered))
        failed = hunt_prepare(hunt, err) < 0 || hunt_frame(hunt, &ordered, EFFORT_PLAIN, err) < 0;
    matrix_release(&ordered.matrix);
    if (!failed && hunt->best.found)
        (void)strbuf_addf(&hunt->best.notes,
                          "rows are not in the order of records; %zu of %zu are told apart by their %s\n", told, all,
                          printed_form_of(problem)->fields[0].name);
    problem->order = ORDER_SAME;
    problem->sample.items = before;
    problem->sample.count = all;
    free(rows);
    return failed ? err_status(err) : hunt_prepare(hunt, err);
}

static int try_sorted(struct hunt *hunt, struct frame *frame, void *arg, struct err *err)
{
    struct sorted_search *search = arg;
    int64_t highest = search->rows[search->count - 1].interval.low;
    for (size_t s = 0; s < infer_scale_count && !hunt->best.found; s++) {
        uint64_t top = (uint64_t)(highest / infer_scales[s]);
        unsigned bits = top == 0 ? 1 : 64 - (unsigned)__builtin_clzll(top);
        for (unsigned more = 0; more < 2 && bits + more <= 63; more++) {
            for (uint32_t bit = 0; bit + bits + more <= 8 * frame->size && !hunt->best.found; bit += 8) {
                if (!sorted_fits(&frame->matrix, search, bit, bits + more, infer_scales[s]))
                    continue;
                if (take_order(hunt, frame, search, infer_scales[s], err) < 0)
                    return err_status(err);
            }
        }
    }
    return 0;
}

int hunt_sorted(struct hunt *hunt, struct err *err)
{
    const struct problem *problem = hunt->problem;
    size_t count = problem->sample.count;
    struct sorted_search search = {.count = count};
    if (problem->stride != 1 || count < 3)
        return 0;
    search.pairs = calloc(count, sizeof *search.pairs);
    search.rows = calloc(count, sizeof *search.rows);
    int status = search.pairs != NULL && search.rows != NULL ? 0 : err_no_memory(err);
    bool known = true;
    for (size_t i = 0; i < count && status == 0; i++) {
        search.rows[i] = (struct row_interval){hunt->firsts[i], (uint32_t)i};
        known = known && hunt->firsts[i].low <= hunt->firsts[i].high && hunt->firsts[i].high < INT64_MAX / 8;
    }
    if (status == 0 && known) {
        array_sort(search.rows, count, sizeof *search.rows, compare_lows);
        status = hunt_each_frame(hunt, try_sorted, &search, err);
    }
    free(search.pairs);
    free(search.rows);
    return status;
}

/* ---- a part of the records ---- */

/* The number whose lowest byte stands at a place of the file, as one of `bits` bits. */
static uint64_t number_at(const struct source_file *file, uint64_t at, unsigned bits, bool big)
{
    unsigned char bytes[8] = {0};
    if (big ? at >= 7 : at + 8 <= file->length) {
        uint64_t whole = bytes_load(file->bytes + (big ? at - 7 : at), 8, big);
        return bits >= 64 ? whole : whole & ((UINT64_C(1) << bits) - 1);
    }
    for (unsigned i = 0; i < 8; i++) {
        uint64_t place = big ? at - i : at + i;
        if ((big && i > at) || place >= file->length)
            break;
        bytes[i] = file->bytes[place];
    }
    uint64_t value = bytes_load(bytes, 8, false);
    return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

struct window {
    size_t size;
    bool big;
    int64_t scale;
    unsigned bits;
};

static bool window_fits(const struct hunt *hunt, const struct source_file *file, const struct window *window,
                        uint64_t at)
{
    const struct search_column *time = &hunt->first;
    for (size_t i = 0; i < time->known; i++) {
        uint32_t row = time->order[i];
        uint64_t place = at + (uint64_t)row * window->size;
        int64_t value = (int64_t)number_at(file, place, window->bits, window->big) * window->scale;
        if (place >= file->length || value < hunt->firsts[row].low || value > hunt->firsts[row].high)
            return false;
    }
    return true;
}

/* The window's records begin at an offset of the file, and the first record of the file at another. */
static int try_window(struct hunt *hunt, const struct window *window, uint64_t begin, uint64_t header,
                      enum effort effort, struct err *err)
{
    bool found = hunt->best.found;
    double bits = hunt->best.bits;
    struct problem *problem = hunt->problem;
    struct frame frame = {.size = window->size,
                          .header = begin,
                          .big_endian = window->big,
                          .order_bits = log2((double)problem->source.items[0].length)};
    bool failed = matrix_init(&frame.matrix, problem->sample.count, window->size, err) < 0;
    frame.matrix.clock = problem->clock;
    problem->order = ORDER_WINDOW;
    failed = failed || (hunt_fill(problem, &frame) && hunt_frame(hunt, &frame, effort, err) < 0);
    matrix_release(&frame.matrix);
    problem->order = ORDER_SAME;
    if (!failed && hunt->best.found && (!found || hunt->best.bits != bits)) {
        strbuf_cut(&hunt->best.notes, hunt->facts);
        (void)strbuf_addf(&hunt->best.notes, "the rows are those of records %" PRIu64 " to %" PRIu64 "\n",
                          (frame.header - header) / window->size,
                          (frame.header - header) / window->size + problem->rows - 1);
        hunt->best.header = header;
        hunt->best.window = (frame.header - header) / window->size;
    }
    return failed ? err_status(err) : 0;
}

/* The records begin where the rest behind whole records ends, or some records later; the first row's holds this byte.
 */
static int take_window(struct hunt *hunt, const struct window *window, uint64_t at, struct err *err)
{
    uint64_t header = hunt->problem->source.items[0].length % window->size;
    if (at < header)
        return 0;
    int status = try_window(hunt, window, at - (at - header) % window->size, header, EFFORT_PLAIN, err);
    if (status == 0 && hunt->best.found) {
        hunt->best.header_doubted = true;
        (void)strbuf_addf(&hunt->best.notes, "the header has %" PRIu64 " bytes or %zu, %zu, ... more of them\n", header,
                          window->size, 2 * window->size);
    }
    return status;
}

/* The .done files say how many bytes each inference has: with the rows of one, the size of a record, and where they
 * begin. False: they do not. */
static bool window_by_done(const struct problem *problem, struct window *window, uint64_t *ret_begin,
                           uint64_t *ret_header)
{
    const struct capture *capture = problem->capture;
    const struct source_file *file = &problem->source.items[0];
    const struct file_identity *own = NULL;
    int picture = printed_column(printed_form_of(problem), "current_pic_count");
    if (picture < 0)
        return false;
    int64_t wanted = problem->sample.items[0].printed.values[picture];
    uint64_t before = 0, all = 0;
    size_t found = 0;
    for (size_t i = 0; i < capture->file_count; i++)
        own = capture->files[i].name == file->name ? &capture->files[i].identity : own;
    for (size_t i = 0; i < capture->mark_count && own != NULL; i++) {
        const struct inference_mark *mark = &capture->marks[i];
        if (mark->identity.device_id != own->device_id || mark->identity.batch_num != own->batch_num ||
            mark->identity.input_pic_num != own->input_pic_num)
            continue;
        if (mark->done.file_size <= 0 || (uint64_t)mark->done.file_size > file->length)
            return false;
        if (mark->identity.current_pic_count == wanted) {
            window->size = (size_t)((uint64_t)mark->done.file_size / problem->rows);
            before = (uint64_t)mark->done.file_size % problem->rows == 0 ? all : UINT64_MAX;
            found++;
        }
        all += (uint64_t)mark->done.file_size;
    }
    if (found != 1 || before == UINT64_MAX || window->size < SIZE_MIN || window->size > SIZE_MAX_TRIED ||
        all > file->length || file->length - all > HEADER_MAX)
        return false;
    *ret_header = file->length - all;
    *ret_begin = *ret_header + before;
    return true;
}

static int search_by_done(struct hunt *hunt, enum effort effort, struct err *err)
{
    struct window window = {.size = 0};
    uint64_t begin, header;
    if (!window_by_done(hunt->problem, &window, &begin, &header))
        return 0;
    int status = 0;
    for (int big = 0; big < 2 && status == 0 && (!hunt->best.found || hunt_is_coarse(hunt)); big++) {
        window.big = big != 0;
        status = try_window(hunt, &window, begin, header, effort, err);
    }
    return status;
}

static int search_windows(struct hunt *hunt, size_t size, struct err *err)
{
    const struct source_file *file = &hunt->problem->source.items[0];
    uint64_t span = (hunt->problem->rows - 1) * size;
    for (size_t s = 0; s < infer_scale_count; s++) {
        uint64_t top = (uint64_t)(hunt->first.highest / infer_scales[s]);
        struct window window = {.size = size, .scale = infer_scales[s]};
        window.bits = top == 0 ? 1 : 64 - (unsigned)__builtin_clzll(top);
        for (int big = 0; big < 2; big++) {
            window.big = big != 0;
            for (uint64_t at = 0; at + span < file->length && !hunt->best.found; at++) {
                if (at % 4096 == 0 && (interrupted() || search_is_late(hunt->problem->clock)))
                    break;
                if (window_fits(hunt, file, &window, at) && take_window(hunt, &window, at, err) < 0)
                    return err_status(err);
            }
            if (interrupted())
                return interrupt_error(err);
        }
    }
    return 0;
}

/* Keeps the rows of one table: which of several follow each other is not known. */
static void keep_one_table(struct problem *problem)
{
    const struct printed_form *form = printed_form_of(problem);
    const struct sample_row *first = problem->sample.items;
    size_t rows = 0;
    int picture = printed_column(form, "current_pic_count"), model = printed_column(form, "model_id");
    if (picture < 0 || model < 0)
        return;
    while (rows < problem->sample.count && first[rows].printed.values[picture] == first->printed.values[picture] &&
           first[rows].printed.values[model] == first->printed.values[model])
        rows++;
    problem->sample.count = rows;
    problem->rows = rows;
}

int hunt_window(struct hunt *hunt, bool by_done, enum effort effort, struct err *err)
{
    struct problem *problem = hunt->problem;
    struct structure_size sizes[STRUCTURE_SIZES];
    uint64_t rows = problem->rows;
    size_t sampled = problem->sample.count;
    if (problem->source.items[0].bytes == NULL || problem->stride != 1 || problem->source.count != 1)
        return 0;
    err->code = ERR_NONE;
    size_t count = by_done ? 0 : structure_sizes(&problem->source.items[0], sizes, err);
    bool failed = err->code != ERR_NONE;
    keep_one_table(problem);
    failed = failed || hunt_prepare(hunt, err) < 0 ||
             (problem->rows > 1 && by_done && search_by_done(hunt, effort, err) < 0);
    for (size_t i = 0; i < count && !failed && !hunt->best.found && problem->rows > 1; i++)
        failed = search_windows(hunt, sizes[i].size, err) < 0;
    if (hunt->best.found && hunt->best.order == ORDER_WINDOW && problem->rows < rows) {
        hunt->best.rows_left_out = true;
        (void)strbuf_addf(&hunt->best.notes, "only %" PRIu64 " of %" PRIu64 " rows were compared, those of one table\n",
                          problem->rows, rows);
    }
    problem->rows = rows;
    problem->sample.count = sampled;
    return failed ? err_status(err) : hunt_prepare(hunt, err);
}
