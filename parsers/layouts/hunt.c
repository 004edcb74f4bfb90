/* SPDX-License-Identifier: Apache-2.0 */
/* The first column by its printed numbers, the others beside it: of device records total_cycle by the time, and what is
 * printed as a share of it. */
#include "parsers/layouts/hunt.h"
#include "parsers/layouts/structure.h"

#include "base/array.h"
#include "base/interrupt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRSTS_TRIED 8
#define FRAMES_TRIED_HARD 96 /* frames for pairs and counters, which take longer */

bool infer_knows(const struct printed_kind *kind, const char *column)
{
    for (size_t i = 0; i < kind->stored; i++)
        if (strcmp(kind->fields[i].name, column) == 0)
            return true;
    return false;
}

void infer_result_init(struct infer_result *result, const struct printed_kind *kind)
{
    *result = (struct infer_result){.found = false, .kind = kind};
    for (size_t i = 0; i < kind->stored; i++)
        result->columns[i].name = kind->fields[i].name;
    strbuf_init(&result->notes, (size_t)1024 * 1024);
}

void infer_result_release(struct infer_result *result)
{
    strbuf_release(&result->notes);
}

int64_t place_value(const struct matrix *matrix, size_t row, const struct place_found *place, int64_t first)
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
    if (place->mode == PLACE_PLUS)
        return __builtin_add_overflow(value, first, &value) ? INT64_MAX : value;
    if (place->mode == PLACE_SHARE)
        return __builtin_mul_overflow(value, first, &value) ? INT64_MAX : (value + place->divide / 2) / place->divide;
    return value;
}

bool hunt_fill(const struct problem *problem, struct frame *frame)
{
    unsigned char record[SIZE_MAX_TRIED];
    for (size_t i = 0; i < problem->sample.count; i++) {
        const struct sample_row *row = &problem->sample.items[i];
        if (!source_record(&problem->source, &problem->streams.items[row->stream], frame->header, frame->size,
                           row->index, record))
            return false;
        matrix_set(&frame->matrix, i, record, frame->big_endian);
    }
    return true;
}

/* ---- the other columns, given the first ---- */

/* What the tables say of a column without looking at records: nothing, zero, always the same. */
static enum infer_state known_of(const struct problem *problem, size_t column, int64_t *ret_constant)
{
    const struct printed_kind *kind = printed_kind_of(problem);
    bool word = has_role(kind, column, PRINTED_WORD), seen = false;
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t i = 0; i < problem->sample.count; i++) {
        int64_t value = problem->sample.items[i].printed.values[column];
        seen = seen || problem->sample.items[i].printed.word[0] != '\0';
        if (value == PRINTED_NONE)
            continue;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    *ret_constant = low;
    if (word)
        return seen ? INFER_MISSING : INFER_ABSENT;
    if (low > high)
        return INFER_ABSENT;
    if (has_role(kind, column, PRINTED_IDENTITY) && low == high && !kind->fields[column].kept &&
        (high != 0 || (int)column == kind->model))
        return INFER_CONSTANT;
    return high == 0 ? INFER_UNSEEN : INFER_MISSING;
}

static const int64_t share_divisors[] = {10000, 1000, 100, 100000, 1000000, 256, 1024, 4096, 32768, 65536, 255, 65535};

/* Ratios that stand in the record as such. */
static int search_shares(const struct problem *problem, const struct frame *frame, size_t column,
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

/* What is printed after the first column may stand in records as what comes to it. */
static int search_plus(const struct problem *problem, const struct frame *frame, const int64_t *firsts,
                       struct interval *intervals, struct place_list *list, struct err *err)
{
    struct search_column searched;
    for (size_t i = 0; i < problem->sample.count; i++) {
        intervals[i].low -= firsts[i];
        intervals[i].high -= firsts[i];
    }
    if (search_column_init(&searched, intervals, problem->sample.count, err) < 0)
        return -(int)err->code;
    int status = search_plain(&frame->matrix, &searched, 0, list, err);
    search_column_release(&searched);
    for (size_t i = 0; i < list->count; i++)
        list->items[i].mode = PLACE_PLUS;
    return status;
}

static int search_other(const struct problem *problem, const struct frame *frame, size_t column, const int64_t *firsts,
                        struct interval *intervals, struct search_column *searched, struct place_list *list,
                        struct err *err)
{
    const struct printed_kind *kind = printed_kind_of(problem);
    bool id = has_role(kind, column, PRINTED_IDENTITY), counted = kind->start != NULL && !kind->start_is_kept && !id;
    for (size_t i = 0; i < problem->sample.count; i++)
        intervals[i] = problem_interval(problem, column, &problem->sample.items[i].printed, firsts[i]);
    int status = search_column_init(searched, intervals, problem->sample.count, err);
    if (status == 0 && has_role(kind, column, PRINTED_WORD))
        return search_word(problem, frame, list, err);
    if (status == 0)
        status = search_plain(&frame->matrix, searched, id ? 1 : 0, list, err);
    if (status == 0 && list->count == 0 && counted && problem->stride == 1)
        status = search_delta(&frame->matrix, searched, list, err);
    if (status == 0 && list->count == 0 && counted)
        status = search_minus(&frame->matrix, searched, list, err);
    if (status == 0 && list->count == 0 && has_role(kind, column, PRINTED_SHARE))
        status = search_shares(problem, frame, column, intervals, list, err);
    if (status == 0 && list->count == 0 && kind->fields[column].from_first)
        status = search_plus(problem, frame, firsts, intervals, list, err);
    return status;
}

/* What the user said of a column; NULL: nothing. */
static const struct infer_set *given_place(const struct problem *problem, size_t column)
{
    for (size_t i = 0; i < problem->options->set_count; i++)
        if (strcmp(problem->options->sets[i].column, printed_kind_of(problem)->fields[column].name) == 0)
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
    for (size_t c = 0; c < result->kind->stored; c++) {
        const struct infer_set *set = given_place(problem, c);
        struct infer_column *column = &result->columns[c];
        struct place_found given;
        if (set == NULL || column->state == INFER_MISSING || !place_of(frame, set, &given))
            continue;
        if (column->state == INFER_AMBIGUOUS && column->place.mode == PLACE_PLAIN && column->place.scale == 1)
            column->state = INFER_GIVEN; /* whoever gave it knows more than few rows say */
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

/* Finds the other columns for one place of the first; keeps the result when it is the best so far. */
static int try_first(struct hunt *hunt, const struct frame *frame, struct place_list *places, struct err *err)
{
    const struct problem *problem = hunt->problem;
    const struct printed_kind *kind = printed_kind_of(problem);
    size_t rows = problem->sample.count;
    struct place_list lists[PRINTED_MOST] = {{.items = NULL}};
    struct search_column columns[PRINTED_MOST] = {{.intervals = NULL}};
    struct interval *intervals = calloc(kind->stored * rows, sizeof *intervals); /* of each column */
    int64_t *firsts = malloc(rows * sizeof *firsts);
    struct infer_result result = {.found = true,
                                  .kind = kind,
                                  .order = problem->order,
                                  .size = frame->size,
                                  .header = frame->header,
                                  .big_endian = frame->big_endian,
                                  .cut = problem->cut,
                                  .rows = problem->rows,
                                  .frequency_needed = hunt->best.frequency_needed,
                                  .frequency_doubted = hunt->best.frequency_doubted,
                                  .contradicted = hunt->best.contradicted,
                                  .core_khz = problem->core_khz};
    int status = intervals != NULL && firsts != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < rows && status == 0; i++)
        firsts[i] = place_value(&frame->matrix, i, &places->items[0], 0);
    lists[0] = *places;
    columns[0] = hunt->first;
    for (size_t c = 0; c < kind->stored && status == 0; c++) {
        result.columns[c].name = kind->fields[c].name;
        result.columns[c].state = known_of(problem, c, &result.columns[c].constant);
        if (c > 0 && result.columns[c].state == INFER_MISSING)
            status = search_other(problem, frame, c, firsts, intervals + c * rows, &columns[c], &lists[c], err);
        if (places->items[0].mode != PLACE_PLAIN && lists[c].count > 0 && lists[c].items[0].mode == PLACE_SHARE)
            lists[c].count = 0; /* layouts have shares of numbers that stand in records only */
        if (c > 0)
            keep_given(problem, frame, c, &lists[c]);
    }
    if (status == 0) {
        choose_places(frame, lists, columns, &result);
        take_given(problem, frame, &result);
    }
    if (status == 0 && is_better(&result, &hunt->best)) {
        result.notes = hunt->best.notes;
        result.incomplete = hunt->best.incomplete;
        hunt->best = result;
    }
    for (size_t c = 1; c < kind->stored; c++) {
        search_column_release(&columns[c]);
        free(lists[c].items);
    }
    free(firsts);
    free(intervals);
    return status;
}

/* The likeliest of what is alike to the front, one place of each group. */
static void sort_firsts(const struct frame *frame, struct place_list *list)
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
        status = search_plain(&frame->matrix, &hunt->first, 0, &list, err);
    else if (effort == EFFORT_MINUS)
        status = search_minus(&frame->matrix, &hunt->first, &list, err);
    else if (hunt->problem->stride == 1)
        status = search_delta(&frame->matrix, &hunt->first, &list, err);
    if (status == 0 && hunt->sums != NULL)
        status = sums_keep_places(hunt, frame, &list, err);
    keep_given(hunt->problem, frame, 0, &list);
    sort_firsts(frame, &list);
    for (size_t i = 0; i < list.count && i < FIRSTS_TRIED && status == 0; i++) {
        struct place_found first = list.items[i]; /* the one to try comes first */
        list.items[i] = list.items[0];
        list.items[0] = first;
        status = try_first(hunt, frame, &list, err);
    }
    free(list.items);
    return status;
}

/* ---- sizes and headers ---- */

/* Whether every file is a header and records of this size, as many as there are rows. */
static bool sizes_agree(const struct problem *problem, size_t size, uint64_t *ret_header)
{
    for (size_t s = 0; s < problem->streams.count; s++) {
        const struct source_stream *stream = &problem->streams.items[s];
        uint64_t records = problem->rows_of_stream[s];
        if (records > stream->length / size)
            return false;
        uint64_t headers = stream->length - records * size, header = headers / stream->count;
        if (headers % stream->count != 0 || header > HEADER_MAX || (s > 0 && header != *ret_header))
            return false;
        for (size_t f = 0; f < stream->count && stream->count > 1; f++) {
            uint64_t length = problem->source.items[stream->first + f].length;
            if (length < header || (length - header) % size != 0)
                return false;
        }
        *ret_header = header;
    }
    return true;
}

int hunt_each_frame(struct hunt *hunt, int (*each)(struct hunt *hunt, struct frame *frame, void *arg, struct err *err),
                    void *arg, struct err *err)
{
    const struct problem *problem = hunt->problem;
    const struct source_stream *stream = &problem->streams.items[0];
    uint64_t length = stream->length, rows = problem->rows_of_stream[0], headers = stream->count * HEADER_MAX;
    if (rows == 0)
        return 0;
    uint64_t last = length / rows, first = length > headers ? (length - headers) / rows : SIZE_MIN;
    int status = 0;
    last = last > SIZE_MAX_TRIED ? SIZE_MAX_TRIED : last;
    first = first < SIZE_MIN ? SIZE_MIN : first;
    hunt->frames = 0;
    for (uint64_t size = last; size >= first && status == 0; size--) {
        struct frame frame = {.size = size};
        if (interrupted())
            return interrupt_error(err);
        if (search_is_late(problem->clock))
            break;
        if (!sizes_agree(problem, size, &frame.header))
            continue;
        hunt->frames++;
        if (matrix_init(&frame.matrix, problem->sample.count, size, err) < 0)
            return -(int)err->code;
        frame.matrix.clock = problem->clock;
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
    search_column_release(&hunt->first);
    free(hunt->firsts);
    hunt->firsts = NULL;
}

int hunt_prepare(struct hunt *hunt, struct err *err)
{
    const struct problem *problem = hunt->problem;
    hunt_release(hunt);
    hunt->firsts = malloc(problem->sample.count * sizeof *hunt->firsts);
    if (hunt->firsts == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < problem->sample.count; i++)
        hunt->firsts[i] = problem_interval(problem, 0, &problem->sample.items[i].printed, 0);
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
    return search_column_init(&hunt->first, hunt->firsts, problem->sample.count, err);
}

static int try_effort(struct hunt *hunt, struct frame *frame, void *arg, struct err *err)
{
    enum effort effort = (enum effort) * (const int *)arg;
    bool spans = printed_kind_of(hunt->problem)->start_is_kept;
    if (effort != EFFORT_PLAIN && hunt->frames > FRAMES_TRIED_HARD)
        return 0;
    if (spans ? effort != EFFORT_MINUS : effort != EFFORT_PLAIN && printed_kind_of(hunt->problem)->start == NULL)
        return 0;
    return hunt_frame(hunt, frame, effort, err);
}

/* The steps, the quick and likely ones first. */
enum step { STEP_PLAIN, STEP_SORTED, STEP_DONE, STEP_MINUS, STEP_DELTA, STEP_DONE_MINUS, STEP_WINDOW, STEP_COUNT };

static int search_step(struct hunt *hunt, enum step step, struct err *err)
{
    enum effort plain = EFFORT_PLAIN, minus = EFFORT_MINUS, delta = EFFORT_DELTA;
    if (hunt->problem->tables->form->sums)
        return step == STEP_PLAIN ? hunt_sums(hunt, err) : 0;
    switch (step) {
    case STEP_PLAIN:
        return hunt_each_frame(hunt, try_effort, &plain, err);
    case STEP_SORTED:
        return hunt_sorted(hunt, err);
    case STEP_DONE:
        return hunt_window(hunt, true, EFFORT_PLAIN, err);
    case STEP_MINUS:
        return hunt_each_frame(hunt, try_effort, &minus, err);
    case STEP_DELTA:
        return hunt_each_frame(hunt, try_effort, &delta, err);
    case STEP_DONE_MINUS:
        return hunt_window(hunt, true, EFFORT_MINUS, err);
    case STEP_WINDOW:
    case STEP_COUNT:
    default:
        return hunt_window(hunt, false, EFFORT_PLAIN, err);
    }
}

static bool is_missing_some(const struct infer_result *result)
{
    for (size_t c = 0; c < result->kind->stored; c++)
        if (result->columns[c].state == INFER_MISSING)
            return true;
    return false;
}

#define COARSE_MOST 8

bool hunt_is_coarse(const struct hunt *hunt)
{
    const struct infer_result *result = &hunt->best;
    const struct place_found *first = &result->columns[0].place;
    return result->found && result->kind->start != NULL && first->mode == PLACE_PLAIN && first->scale > 1 &&
           first->scale <= COARSE_MOST;
}

/* Whether a step may still find more than there is: what is nearly a number may hide one that is made of two. */
static bool is_worth_trying(const struct hunt *hunt, int step)
{
    if (step == STEP_DONE_MINUS && hunt->best.found)
        return hunt->best.order == ORDER_WINDOW && hunt_is_coarse(hunt);
    return !hunt->best.found ||
           (step >= STEP_MINUS && step <= STEP_DELTA && (is_missing_some(&hunt->best) || hunt_is_coarse(hunt)));
}

/* Says which steps were not tried, or not to their end. */
static void note_rest(struct hunt *hunt, int from)
{
    static const char *const names[STEP_COUNT] = {
        [STEP_PLAIN] = "numbers of records as many as rows",
        [STEP_SORTED] = "rows in another order than records",
        [STEP_DONE] = "the records that the .done files say",
        [STEP_MINUS] = "differences of two numbers",
        [STEP_DELTA] = "differences to the record before",
        [STEP_DONE_MINUS] = "differences of two numbers in the records that the .done files say",
        [STEP_WINDOW] = "rows of records anywhere in the files",
    };
    if (hunt->best.incomplete)
        return;
    hunt->best.incomplete = true;
    (void)strbuf_addf(&hunt->best.notes, "the search was stopped after %" PRId64 " seconds; not tried to the end: ",
                      hunt->problem->options->seconds);
    for (int step = from, count = 0; step < (hunt->problem->tables->form->sums ? STEP_PLAIN + 1 : STEP_COUNT); step++) {
        if (step == from || is_worth_trying(hunt, step))
            (void)strbuf_addf(&hunt->best.notes, "%s%s", count++ > 0 ? ", " : "", names[step]);
    }
    (void)strbuf_adds(&hunt->best.notes, "; --search-seconds N gives it more\n");
}

static int search_all(struct hunt *hunt, struct err *err)
{
    hunt->facts = hunt->best.notes.length;
    int status = 0;
    for (int step = 0; step < STEP_COUNT && !search_is_late(hunt->problem->clock); step++) {
        enum infer_order order = hunt->best.order;
        for (int cut = 0; cut < 2 && status == 0 && is_worth_trying(hunt, step); cut++) {
            if (hunt->problem->options->rounding == (cut ? ROUNDING_HALF : ROUNDING_CUT))
                continue;
            hunt->problem->cut = cut != 0;
            status = hunt_prepare(hunt, err);
            if (status == 0)
                status = search_step(hunt, (enum step)step, err);
        }
        if (hunt->best.order != order && order != ORDER_SAME)
            strbuf_cut(&hunt->best.notes, hunt->facts);
        if (status == 0 && search_is_late(hunt->problem->clock))
            note_rest(hunt, step);
    }
    return status;
}

/* At each frequency that may be, until something is found. */
static int search_frequencies(struct hunt *hunt, struct err *err)
{
    struct hunt_frequencies found;
    int status = hunt_frequencies(hunt, &found, err);
    for (size_t i = 0; i < found.count && status == 0 && !hunt->best.found && !hunt->best.incomplete; i++) {
        hunt->problem->core_khz = found.items[i].mhz * 1000;
        status = search_all(hunt, err);
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

/* What may be the reason that nothing was found. */
static int note_sizes(const struct problem *problem, struct infer_result *result, struct err *err)
{
    struct structure_size sizes[STRUCTURE_SIZES];
    const struct source_stream *stream = &problem->streams.items[0];
    uint64_t rows = problem->rows_of_stream[0];
    err->code = ERR_NONE;
    if (rows > stream->length / SIZE_MIN) {
        (void)strbuf_addf(&result->notes, "%" PRIu64 " rows, but only %" PRIu64 " bytes of records\n", rows,
                          stream->length);
        return 0;
    }
    if (structure_sizes(&problem->source.items[stream->first], sizes, err) == 0)
        return -(int)err->code;
    uint64_t records = stream->length / sizes[0].size;
    if (rows > records)
        (void)strbuf_addf(&result->notes,
                          "%" PRIu64 " rows, but the bytes look like %" PRIu64 " records of %zu bytes: are rows in it "
                          "twice, or tables of another capture?\n",
                          rows, records, sizes[0].size);
    return 0;
}

int infer_layout(const struct capture *capture, const struct printed_files *tables, const struct infer_options *options,
                 struct infer_result *result, struct err *err)
{
    struct search_clock until = search_clock_start(options->seconds);
    struct problem problem = {.capture = capture, .tables = tables, .options = options, .clock = &until};
    struct hunt hunt = {.problem = &problem};
    int status = problem_open(&problem, result, err);
    if (status == 0 && (problem.source.count == 0 || problem.sample.count == 0))
        status =
            err_set(err, ERR_NOT_FOUND,
                    problem.source.count == 0 ? "no file of device records that a table is of" : "no table with a row");
    if (status == 0) {
        bool clock = has_role(tables->form->kind, 0, PRINTED_CLOCK);
        if (clock)
            problem_settle_frequency(&problem, result);
        check_rows(&problem, result);
        hunt.best = *result;
        status = clock && problem.core_khz <= 0 ? search_frequencies(&hunt, err) : search_all(&hunt, err);
        *result = hunt.best;
    }
    problem.cut = result->cut;
    problem.core_khz = result->core_khz;
    if (status == 0 && result->found)
        status = finish_layout(&problem, result, err);
    if (status == 0)
        find_rate(&problem, result);
    if (status == 0 && !result->found)
        status = note_sizes(&problem, result, err);
    hunt_release(&hunt);
    problem_release(&problem);
    return status;
}

bool infer_is_certain(const struct infer_result *result)
{
    if (!result->found || result->frequency_doubted || result->contradicted || result->few_records ||
        result->header_doubted || result->width_doubted || result->rows_left_out || result->incomplete ||
        result->rate.state == RATE_AMBIGUOUS || result->rate.state == RATE_MISSING)
        return false;
    for (size_t i = 0; i < result->kind->stored; i++) {
        enum infer_state state = result->columns[i].state;
        if (state == INFER_AMBIGUOUS || state == INFER_UNSEEN || state == INFER_MISSING)
            return false;
    }
    return true;
}
