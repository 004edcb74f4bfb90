/* Device PMU records from op_summary: total_cycle by the time, the rest by the total. */
#include "parsers/infer/hunt.h"

#include "base/array.h"
#include "base/interrupt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TOTALS_TRIED 8
#define FRAMES_TRIED_HARD 96 /* frames for pairs and counters, which take longer */

static const char *const column_names[PRINTED_STORED] = {
    [PRINTED_TIME] = "total_cycle",
    [PRINTED_MAC_BUSY] = "mac_busy_cycle",
    [PRINTED_MAC_PPEN] = "mac_ppen_cycle",
    [PRINTED_VEC_BUSY] = "vec_busy_cycle",
    [PRINTED_VEC_PPEN] = "vec_ppen_cycle",
    [PRINTED_DSTR] = "dstr_cycle",
    [PRINTED_DTRANS] = "dtrans_cycle",
    [PRINTED_DLD] = "dld_cycle",
    [PRINTED_WLD] = "wld_cycle",
    [PRINTED_DDR_READ] = "ddr_read_bytes",
    [PRINTED_DDR_WRITE] = "ddr_write_bytes",
    [PRINTED_TASK_ID] = "task_id",
    [PRINTED_STREAM_ID] = "stream_id",
    [PRINTED_MODEL_ID] = "model_id",
    [PRINTED_CURRENT_PIC_COUNT] = "current_pic_count",
};

bool infer_knows(const char *column)
{
    for (size_t i = 0; i < PRINTED_STORED; i++)
        if (strcmp(column_names[i], column) == 0)
            return true;
    return false;
}

void infer_result_init(struct infer_result *result)
{
    *result = (struct infer_result){.found = false};
    for (size_t i = 0; i < PRINTED_STORED; i++)
        result->columns[i].name = column_names[i];
    strbuf_init(&result->notes, (size_t)1024 * 1024);
}

void infer_result_release(struct infer_result *result)
{
    strbuf_release(&result->notes);
}

int64_t place_value(const struct matrix *matrix, size_t row, const struct place_found *place, int64_t total)
{
    const unsigned char *bytes = matrix_row(matrix, row);
    uint64_t raw = matrix_bits(bytes, place->bit, place->bits);
    if (place->mode == PLACE_MINUS)
        raw -= matrix_bits(bytes, place->other_bit, place->whole_bits);
    if (place->mode == PLACE_DELTA && row > 0)
        raw = (raw - matrix_bits(matrix_row(matrix, row - 1), place->bit, place->whole_bits)) &
              (place->whole_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << place->whole_bits) - 1);
    int64_t value;
    if (raw > INT64_MAX || __builtin_mul_overflow((int64_t)raw, place->scale, &value))
        return INT64_MAX;
    if (place->mode == PLACE_SHARE)
        return __builtin_mul_overflow(value, total, &value) ? INT64_MAX : (value + place->divide / 2) / place->divide;
    return value;
}

bool hunt_fill(const struct problem *problem, struct frame *frame)
{
    unsigned char record[SIZE_MAX_TRIED];
    for (size_t i = 0; i < problem->sample.count; i++) {
        const struct sample_row *row = &problem->sample.items[i];
        if (!source_read(&problem->source.items[row->file], frame->header + row->index * frame->size, frame->size,
                         record))
            return false;
        matrix_set(&frame->matrix, i, record, frame->big_endian);
    }
    return true;
}

/* ---- the other columns, given the total ---- */

/* What the tables say of a column without looking at records: nothing, zero, always the same. */
static enum infer_state known_of(const struct problem *problem, enum printed_column column, int64_t *ret_constant)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t i = 0; i < problem->sample.count; i++) {
        int64_t value = problem->sample.items[i].printed.values[column];
        if (value == PRINTED_NONE)
            continue;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    *ret_constant = low / PRINTED_UNIT;
    if (low > high)
        return INFER_ABSENT;
    if (is_id(column) && low == high && (high != 0 || column == PRINTED_MODEL_ID))
        return INFER_CONSTANT;
    return high == 0 ? INFER_UNSEEN : INFER_MISSING;
}

static const int64_t share_divisors[] = {10000, 1000, 100, 100000, 1000000, 256, 1024, 4096, 32768, 65536, 255, 65535};

/* Ratios that stand in the record as such. */
static int search_shares(const struct problem *problem, const struct frame *frame, enum printed_column column,
                         struct interval *intervals, struct place_list *list, struct err *err)
{
    for (size_t d = 0; d < sizeof share_divisors / sizeof share_divisors[0]; d++) {
        struct search_column searched;
        size_t before = list->count;
        for (size_t i = 0; i < problem->sample.count; i++)
            intervals[i] = problem_share(problem, column, &problem->sample.items[i].printed, share_divisors[d]);
        if (search_column_init(&searched, intervals, problem->sample.count, err) < 0)
            return -(int)err->code;
        int status = search_plain(&frame->matrix, &searched, 1, list, err);
        search_column_release(&searched);
        if (status < 0)
            return status;
        for (size_t i = before; i < list->count; i++) {
            list->items[i].mode = PLACE_SHARE;
            list->items[i].divide = share_divisors[d];
        }
    }
    return 0;
}

static int search_other(const struct problem *problem, const struct frame *frame, enum printed_column column,
                        const int64_t *totals, struct interval *intervals, struct search_column *searched,
                        struct place_list *list, struct err *err)
{
    for (size_t i = 0; i < problem->sample.count; i++)
        intervals[i] = problem_interval(problem, column, &problem->sample.items[i].printed, totals[i]);
    int status = search_column_init(searched, intervals, problem->sample.count, err);
    if (status == 0)
        status = search_plain(&frame->matrix, searched, is_id(column) ? 1 : 0, list, err);
    if (status == 0 && list->count == 0 && !is_id(column) && problem->stride == 1)
        status = search_delta(&frame->matrix, searched, list, err);
    if (status == 0 && list->count == 0 && !is_id(column))
        status = search_minus(&frame->matrix, searched, list, err);
    if (status == 0 && list->count == 0 && is_ratio(column))
        status = search_shares(problem, frame, column, intervals, list, err);
    return status;
}

/* What the user said of a column; NULL: nothing. */
static const struct infer_set *given_place(const struct problem *problem, size_t column)
{
    for (size_t i = 0; i < problem->options->set_count; i++)
        if (strcmp(problem->options->sets[i].column, column_names[column]) == 0)
            return &problem->options->sets[i];
    return NULL;
}

/* The same as a place of this frame; false when it is outside of the record. */
static bool place_of(const struct frame *frame, const struct infer_set *set, struct place_found *ret)
{
    if (set->width > frame->size || set->offset > frame->size - set->width)
        return false;
    size_t byte = frame->big_endian ? frame->size - set->offset - set->width : set->offset;
    *ret = (struct place_found){.bit = (uint32_t)(8 * byte + set->first_bit),
                                .bits = set->bit_count > 0 ? set->bit_count : 8 * set->width,
                                .scale = 1,
                                .divide = 1};
    return true;
}

/* Leaves of the places that fit those that the user gave, when he did. */
static void keep_given(const struct problem *problem, const struct frame *frame, size_t column, struct place_list *list)
{
    const struct infer_set *set = given_place(problem, column);
    struct place_found given = {.bits = 0};
    size_t kept = 0;
    if (set == NULL)
        return;
    bool inside = place_of(frame, set, &given);
    for (size_t i = 0; i < list->count && inside; i++)
        if (list->items[i].bit == given.bit && list->items[i].bits <= given.bits)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

/* A column that no table shows stands where the user says; one that was found has the width that he says. */
static void take_given(const struct problem *problem, const struct frame *frame, struct infer_result *result)
{
    for (size_t c = 0; c < PRINTED_STORED; c++) {
        const struct infer_set *set = given_place(problem, c);
        struct infer_column *column = &result->columns[c];
        struct place_found given;
        if (set == NULL || column->state == INFER_MISSING || !place_of(frame, set, &given))
            continue;
        if (column->state != INFER_UNIQUE && column->state != INFER_AMBIGUOUS) {
            column->state = INFER_GIVEN;
            column->place = given;
        }
        column->bits = given.bits;
        column->is_given = true;
    }
}

static bool is_better(const struct infer_result *a, const struct infer_result *b)
{
    if (!b->found || a->explained != b->explained)
        return !b->found || a->explained > b->explained;
    return a->cost != b->cost ? a->cost < b->cost : a->bits > b->bits;
}

/* Finds the other columns for one place of the total; keeps the result when it is the best so far. */
static int try_total(struct hunt *hunt, const struct frame *frame, struct place_list *totals_found, struct err *err)
{
    const struct problem *problem = hunt->problem;
    size_t rows = problem->sample.count;
    struct place_list lists[PRINTED_STORED] = {{.items = NULL}};
    struct search_column columns[PRINTED_STORED] = {{.intervals = NULL}};
    struct interval *intervals = malloc(rows * sizeof *intervals);
    int64_t *totals = malloc(rows * sizeof *totals);
    struct infer_result result = {.found = true,
                                  .order = problem->order,
                                  .size = frame->size,
                                  .header = frame->header,
                                  .big_endian = frame->big_endian,
                                  .cut = problem->cut,
                                  .rows = problem->rows,
                                  .frequency_doubted = hunt->best.frequency_doubted,
                                  .contradicted = hunt->best.contradicted,
                                  .core_khz = problem->core_khz};
    int status = intervals != NULL && totals != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < rows && status == 0; i++)
        totals[i] = place_value(&frame->matrix, i, &totals_found->items[0], 0);
    lists[PRINTED_TIME] = *totals_found;
    columns[PRINTED_TIME] = hunt->time;
    for (size_t c = 0; c < PRINTED_STORED && status == 0; c++) {
        result.columns[c].name = column_names[c];
        result.columns[c].state = known_of(problem, (enum printed_column)c, &result.columns[c].constant);
        if (c != PRINTED_TIME && result.columns[c].state == INFER_MISSING)
            status =
                search_other(problem, frame, (enum printed_column)c, totals, intervals, &columns[c], &lists[c], err);
        if (c != PRINTED_TIME)
            keep_given(problem, frame, c, &lists[c]);
    }
    if (status == 0)
        status = choose_places(frame, lists, columns, &result, err);
    if (status == 0)
        take_given(problem, frame, &result);
    if (status == 0 && is_better(&result, &hunt->best)) {
        result.notes = hunt->best.notes;
        hunt->best = result;
    }
    for (size_t c = 0; c < PRINTED_STORED; c++) {
        if (c == PRINTED_TIME)
            continue;
        search_column_release(&columns[c]);
        free(lists[c].items);
    }
    free(totals);
    free(intervals);
    return status;
}

/* The likeliest of what is alike to the front, one place of each group. */
static void sort_totals(const struct frame *frame, struct place_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t k = 0;
        while (k < kept && !places_are_alike(&list->items[k], &list->items[i]))
            k++;
        if (k == kept)
            list->items[kept++] = list->items[i];
        else if (place_cost(frame, &list->items[i], 1) < place_cost(frame, &list->items[k], 1))
            list->items[k] = list->items[i];
    }
    list->count = kept;
    for (size_t i = 1; i < kept; i++) {
        for (size_t k = i; k > 0 && place_cost(frame, &list->items[k], 1) < place_cost(frame, &list->items[k - 1], 1);
             k--) {
            struct place_found other = list->items[k];
            list->items[k] = list->items[k - 1];
            list->items[k - 1] = other;
        }
    }
}

int hunt_frame(struct hunt *hunt, struct frame *frame, enum effort effort, struct err *err)
{
    struct place_list list = {.items = NULL};
    int status = 0;
    if (effort == EFFORT_PLAIN)
        status = search_plain(&frame->matrix, &hunt->time, 0, &list, err);
    else if (effort == EFFORT_MINUS)
        status = search_minus(&frame->matrix, &hunt->time, &list, err);
    else if (hunt->problem->stride == 1)
        status = search_delta(&frame->matrix, &hunt->time, &list, err);
    keep_given(hunt->problem, frame, PRINTED_TIME, &list);
    sort_totals(frame, &list);
    for (size_t i = 0; i < list.count && i < TOTALS_TRIED && status == 0; i++) {
        struct place_found first = list.items[i]; /* the one to try comes first */
        list.items[i] = list.items[0];
        list.items[0] = first;
        status = try_total(hunt, frame, &list, err);
    }
    free(list.items);
    return status;
}

/* ---- sizes and headers ---- */

/* Whether every file is a header and as many records of this size as it has rows. */
static bool sizes_agree(const struct problem *problem, size_t size, uint64_t *ret_header)
{
    for (size_t f = 0; f < problem->source.count; f++) {
        uint64_t length = problem->source.items[f].length, records = problem->rows_of_file[f];
        if (records > length / size)
            return false;
        uint64_t header = length - records * size;
        if (header > HEADER_MAX || (f > 0 && header != *ret_header))
            return false;
        *ret_header = header;
    }
    return true;
}

int hunt_each_frame(struct hunt *hunt, int (*each)(struct hunt *hunt, struct frame *frame, void *arg, struct err *err),
                    void *arg, struct err *err)
{
    const struct problem *problem = hunt->problem;
    uint64_t length = problem->source.items[0].length, rows = problem->rows_of_file[0];
    if (rows == 0)
        return 0;
    uint64_t last = length / rows, first = length > HEADER_MAX ? (length - HEADER_MAX) / rows : SIZE_MIN;
    int status = 0;
    last = last > SIZE_MAX_TRIED ? SIZE_MAX_TRIED : last;
    first = first < SIZE_MIN ? SIZE_MIN : first;
    hunt->frames = 0;
    for (uint64_t size = last; size >= first && status == 0; size--) {
        struct frame frame = {.size = size};
        if (interrupted())
            return interrupt_error(err);
        if (!sizes_agree(problem, size, &frame.header))
            continue;
        hunt->frames++;
        if (matrix_init(&frame.matrix, problem->sample.count, size, err) < 0)
            return -(int)err->code;
        for (int big = 0; big < 2 && status == 0; big++) {
            frame.big_endian = big != 0;
            if (hunt_fill(problem, &frame))
                status = each(hunt, &frame, arg, err);
        }
        matrix_release(&frame.matrix);
        progress_update(problem->options->progress, "search", last - size + 1, last - first + 1);
    }
    return status;
}

/* ---- all of it ---- */

void hunt_release(struct hunt *hunt)
{
    search_column_release(&hunt->time);
    free(hunt->times);
    hunt->times = NULL;
}

int hunt_prepare(struct hunt *hunt, struct err *err)
{
    const struct problem *problem = hunt->problem;
    hunt_release(hunt);
    hunt->times = malloc(problem->sample.count * sizeof *hunt->times);
    if (hunt->times == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < problem->sample.count; i++)
        hunt->times[i] = problem_interval(problem, PRINTED_TIME, &problem->sample.items[i].printed, 0);
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
    return search_column_init(&hunt->time, hunt->times, problem->sample.count, err);
}

static int try_effort(struct hunt *hunt, struct frame *frame, void *arg, struct err *err)
{
    enum effort effort = (enum effort) * (const int *)arg;
    return effort != EFFORT_PLAIN && hunt->frames > FRAMES_TRIED_HARD ? 0 : hunt_frame(hunt, frame, effort, err);
}

/* The steps, the quick and likely ones first. */
static int search_step(struct hunt *hunt, int step, struct err *err)
{
    enum effort plain = EFFORT_PLAIN, minus = EFFORT_MINUS, delta = EFFORT_DELTA;
    switch (step) {
    case 0:
        return hunt_each_frame(hunt, try_effort, &plain, err);
    case 1:
        return hunt_sorted(hunt, err);
    case 2:
        return hunt_window(hunt, true, err);
    case 3:
        return hunt_each_frame(hunt, try_effort, &minus, err);
    case 4:
        return hunt_each_frame(hunt, try_effort, &delta, err);
    default:
        return hunt_window(hunt, false, err);
    }
}

static int search_all(struct hunt *hunt, struct err *err)
{
    int status = 0;
    for (int step = 0; step < 6; step++) {
        for (int cut = 0; cut < 2 && status == 0 && !hunt->best.found; cut++) {
            if (hunt->problem->options->rounding == (cut ? ROUNDING_HALF : ROUNDING_CUT))
                continue;
            hunt->problem->cut = cut != 0;
            status = hunt_prepare(hunt, err);
            if (status == 0)
                status = search_step(hunt, step, err);
        }
    }
    return status;
}

static void check_rows(const struct problem *problem, struct infer_result *result)
{
    size_t wrong = 0;
    for (size_t i = 0; i < problem->sample.count; i++)
        wrong += !problem_row_agrees(problem, &problem->sample.items[i].printed);
    if (wrong == 0)
        return;
    result->contradicted = true;
    (void)strbuf_addf(
        &result->notes,
        "%zu of %zu rows contradict themselves: Memory Bound or the total of DDR does not follow from the "
        "other columns\n",
        wrong, problem->sample.count);
}

int infer_pmu(const struct capture *capture, const struct printed_files *tables, const struct infer_options *options,
              struct infer_result *result, struct err *err)
{
    struct problem problem = {.capture = capture, .tables = tables, .options = options};
    struct hunt hunt = {.problem = &problem};
    int status = problem_open(&problem, result, err);
    if (status == 0 && (problem.source.count == 0 || problem.sample.count == 0))
        status =
            err_set(err, ERR_NOT_FOUND,
                    problem.source.count == 0 ? "no file of device records that a table is of" : "no table with a row");
    if (status == 0) {
        problem_settle_frequency(&problem, result);
        check_rows(&problem, result);
        hunt.best = *result;
        bool known = problem.core_khz > 0;
        if (!known)
            status = hunt_frequency(&hunt, &known, err);
        if (status == 0 && known)
            status = search_all(&hunt, err);
        *result = hunt.best;
    }
    if (status == 0 && result->found)
        status = finish_layout(&problem, result, err);
    hunt_release(&hunt);
    problem_release(&problem);
    return status;
}

bool infer_is_certain(const struct infer_result *result)
{
    if (!result->found || result->frequency_doubted || result->contradicted || result->few_records ||
        result->header_doubted)
        return false;
    for (size_t i = 0; i < PRINTED_STORED; i++) {
        enum infer_state state = result->columns[i].state;
        if (state == INFER_AMBIGUOUS || state == INFER_UNSEEN || state == INFER_MISSING)
            return false;
    }
    return true;
}
