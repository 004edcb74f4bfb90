/* SPDX-License-Identifier: Apache-2.0 */
#include "features/layouts/hunt.h"

#include "base/progress.h"
#include "features/layouts/structure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Tables whose rows sum up calls: the records' texts show which row each belongs to. */

/* The rows of the tables, and of each record the row that sums it up. */
struct sums {
    const struct sample_row *groups;
    size_t group_count;
    uint32_t *group_of; /* of each record */
    uint64_t *found;    /* records of each group */
    size_t records;
};

/* Whether each record has the word of a row at the offset, and each row as many records as it counts. Among rows with
 * one word (of several threads) the first stands for all. */
static bool groups_stand_at(struct sums *sums, const struct frame *frame, size_t offset)
{
    memset(sums->found, 0, sums->group_count * sizeof *sums->found);
    for (size_t i = 0; i < sums->records; i++) {
        size_t group = 0;
        while (group < sums->group_count && (*sums->groups[group].printed.word == '\0' ||
                                             !frame_has_word(frame, i, offset, sums->groups[group].printed.word)))
            group++;
        if (group == sums->group_count)
            return false;
        sums->group_of[i] = (uint32_t)group;
        sums->found[group]++;
    }
    for (size_t i = 0; i < sums->group_count; i++) {
        uint64_t expected = 0;
        bool first = true;
        for (size_t k = 0; k < sums->group_count; k++) {
            if (strcmp(sums->groups[k].printed.word, sums->groups[i].printed.word) != 0)
                continue;
            expected += (uint64_t)sums->groups[k].printed.count;
            first = first && k >= i;
        }
        if (sums->found[i] != (first ? expected : 0))
            return false;
    }
    return true;
}

/* Makes one row of those with a group's word, for each of its records: what all of them say, and the range of all. */
static struct printed_row row_of_group(const struct sums *sums, const struct printed_form *form, size_t group)
{
    struct printed_row row = sums->groups[group].printed;
    for (size_t k = 0; k < sums->group_count; k++) {
        const struct printed_row *other = &sums->groups[k].printed;
        if (strcmp(other->word, row.word) != 0)
            continue;
        row.values[0] = other->values[0] < row.values[0] ? other->values[0] : row.values[0];
        row.most = other->most > row.most ? other->most : row.most;
        for (size_t c = 1; c < form->stored; c++)
            if (other->values[c] != row.values[c])
                row.values[c] = PRINTED_NONE;
    }
    return row;
}

static bool is_printed(const struct problem *problem, const struct printed_row *row, int64_t printed, int64_t rounded,
                       int64_t value)
{
    const struct printed_row sum = problem_sum_row(problem, row, printed, rounded);
    struct interval interval = problem_interval(problem, 0, &sum, 0);
    return value >= interval.low && value <= interval.high;
}

/* Whether the spans of each group's records, at a place, reach from its least to its most and add up to its total. */
static bool place_agrees(const struct hunt *hunt, const struct sums *sums, const struct frame *frame,
                         const struct place_found *place, size_t group)
{
    struct printed_row row = row_of_group(sums, printed_form_of(hunt->problem), group);
    int64_t least = INT64_MAX, most = INT64_MIN, total = 0;
    for (size_t i = 0; i < sums->records; i++) {
        if (sums->group_of[i] != group)
            continue;
        int64_t value = place_value(&frame->matrix, i, place, 0);
        least = value < least ? value : least;
        most = value > most ? value : most;
        if (__builtin_add_overflow(total, value, &total))
            return false;
    }
    bool counted = row.total != PRINTED_NONE && row.count == (int64_t)sums->found[group];
    return is_printed(hunt->problem, &row, row.values[0], 0, least) &&
           is_printed(hunt->problem, &row, row.most, 0, most) &&
           (!counted || is_printed(hunt->problem, &row, row.total, row.count, total));
}

static void keep_places(const struct hunt *hunt, const struct frame *frame, struct place_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool good = true;
        for (size_t group = 0; group < hunt->sums->group_count && good; group++)
            good = hunt->sums->found[group] == 0 || place_agrees(hunt, hunt->sums, frame, &list->items[i], group);
        if (good)
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

/* Leaves of the places of the first column those whose spans give the sums; notes when the spans stand in the
 * records, and nothing shows when they begin. */
static int sums_keep_places(struct hunt *hunt, const struct frame *frame, struct place_list *list, struct err *err)
{
    SCOPED_FREE struct place_list spans = {.items = NULL};
    keep_places(hunt, frame, list);
    if (list->count > 0)
        return 0;
    int status = search_plain(&frame->matrix, &hunt->first, 0, &spans, err);
    keep_places(hunt, frame, &spans);
    if (status == 0 && spans.count > 0)
        (void)strbuf_addf(&hunt->best.notes,
                          "records of %zu bytes have the duration of each call, but these tables lack its start: pass "
                          "the timeline of the calls, too\n",
                          frame->size);
    return status;
}

/* Each record gets the row of its group; the search then is that of rows in the order of records. */
static int take_groups(struct hunt *hunt, struct sums *sums, const struct frame *records, struct err *err)
{
    struct problem *problem = hunt->problem;
    const struct printed_form *form = printed_form_of(problem);
    struct sample_row *before = problem->sample.items, *rows = calloc(sums->records, sizeof *rows);
    size_t count = problem->sample.count;
    struct frame frame = *records;
    if (rows == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < sums->records; i++)
        rows[i] = (struct sample_row){.index = i, .printed = row_of_group(sums, form, sums->group_of[i])};
    problem->sample.items = rows;
    problem->sample.count = sums->records;
    problem->order = ORDER_SUMS;
    hunt->sums = sums;
    bool failed = hunt_prepare(hunt, err) < 0 || hunt_frame(hunt, &frame, EFFORT_MINUS, err) < 0;
    hunt->sums = NULL;
    problem->order = ORDER_SAME;
    problem->sample.items = before;
    problem->sample.count = count;
    free(rows);
    return failed ? err_status(err) : hunt_prepare(hunt, err);
}

static int try_sums(struct hunt *hunt, struct frame *groups, void *arg, struct err *err)
{
    struct problem *problem = hunt->problem;
    struct sums *sums = arg;
    struct frame frame = *groups;
    unsigned char record[SIZE_MAX_TRIED];
    if (matrix_init(&frame.matrix, sums->records, frame.size, err) < 0)
        return err_status(err);
    frame.matrix.clock = problem->clock;
    int status = 0;
    bool whole = true;
    for (size_t i = 0; i < sums->records && whole; i++) {
        whole = source_record(&problem->source, &problem->streams.items[0], frame.header, frame.size, i, record);
        if (whole)
            matrix_set(&frame.matrix, i, record, frame.big_endian);
    }
    for (size_t offset = 0; offset < frame.size && whole && status == 0 && !hunt->best.found; offset++)
        if (groups_stand_at(sums, &frame, offset))
            status = take_groups(hunt, sums, &frame, err);
    matrix_release(&frame.matrix);
    return status;
}

int hunt_sums(struct hunt *hunt, struct err *err)
{
    const struct problem *problem = hunt->problem;
    size_t count = problem->sample.count;
    uint64_t records = problem->rows_of_stream[0];
    for (size_t i = 0; i < count; i++)
        if (problem->sample.items[i].printed.count < 0 || problem->sample.items[i].printed.most == PRINTED_NONE)
            return 0;
    if (problem->streams.count != 1 || problem->stride != 1 || records == 0 || records > SAMPLE_MAX)
        return 0;
    struct sums sums = {.groups = problem->sample.items, .group_count = count, .records = (size_t)records};
    sums.group_of = calloc(sums.records, sizeof *sums.group_of);
    sums.found = calloc(count, sizeof *sums.found);
    int status =
        sums.group_of != NULL && sums.found != NULL ? hunt_each_frame(hunt, try_sums, &sums, err) : err_no_memory(err);
    free(sums.group_of);
    free(sums.found);
    return status;
}

/* The first column by its printed numbers, the others beside it: of device records total_cycle by the time, and what is
 * printed as a share of it. */

#define FIRSTS_TRIED 8

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

/* Reports the state of a column from the tables, without looking at records: nothing, zero, always the same. */
static enum infer_state known_of(const struct problem *problem, size_t column, int64_t *ret_constant)
{
    const struct printed_form *form = printed_form_of(problem);
    bool word = has_role(form, column, PRINTED_WORD), seen = false;
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
    if (has_role(form, column, PRINTED_IDENTITY) && low == high && !form->fields[column].kept &&
        (high != 0 || (int)column == printed_column(form, "model_id")))
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
            return err_status(err);
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

/* Searches values that stand in records as the amount to add to the first column. */
static int search_plus(const struct problem *problem, const struct frame *frame, const int64_t *firsts,
                       struct interval *intervals, struct place_list *list, struct err *err)
{
    struct search_column searched;
    for (size_t i = 0; i < problem->sample.count; i++) {
        intervals[i].low -= firsts[i];
        intervals[i].high -= firsts[i];
    }
    if (search_column_init(&searched, intervals, problem->sample.count, err) < 0)
        return err_status(err);
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
    const struct printed_form *form = printed_form_of(problem);
    bool id = has_role(form, column, PRINTED_IDENTITY), counted = form->start != NULL && !form->start_is_kept && !id;
    for (size_t i = 0; i < problem->sample.count; i++)
        intervals[i] = problem_interval(problem, column, &problem->sample.items[i].printed, firsts[i]);
    bool failed = search_column_init(searched, intervals, problem->sample.count, err) < 0;
    if (!failed && has_role(form, column, PRINTED_WORD))
        return infer_search_word(problem, frame, list, err);
    return failed || search_plain(&frame->matrix, searched, id ? 1 : 0, list, err) < 0 ||
                   (list->count == 0 && counted && problem->stride == 1 &&
                    search_delta(&frame->matrix, searched, list, err) < 0) ||
                   (list->count == 0 && counted && search_minus(&frame->matrix, searched, list, err) < 0) ||
                   (list->count == 0 && has_role(form, column, PRINTED_SHARE) &&
                    search_shares(problem, frame, column, intervals, list, err) < 0) ||
                   (list->count == 0 && form->fields[column].from_first &&
                    search_plus(problem, frame, firsts, intervals, list, err) < 0)
               ? err_status(err)
               : 0;
}

/* Finds the place that the user gave for a column; NULL: none. */
static const struct infer_set *given_place(const struct problem *problem, size_t column)
{
    for (size_t i = 0; i < problem->options->set_count; i++)
        if (strcmp(problem->options->sets[i].column, printed_form_of(problem)->fields[column].name) == 0)
            return &problem->options->sets[i];
    return NULL;
}

/* Makes it a place of this frame; false when it is outside of the record. */
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
    for (size_t c = 0; c < result->form->stored; c++) {
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
    const struct printed_form *form = printed_form_of(problem);
    size_t rows = problem->sample.count;
    struct place_list lists[PRINTED_MOST] = {{.items = NULL}};
    struct search_column columns[PRINTED_MOST] = {{.intervals = NULL}};
    SCOPED_FREE struct interval *intervals = scoped_memory(form->stored * rows, sizeof *intervals); /* of each column */
    SCOPED_FREE int64_t *firsts = scoped_memory(rows, sizeof *firsts);
    struct infer_result result = {.found = true,
                                  .form = form,
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
    int status = intervals != NULL && firsts != NULL ? 0 : err_no_memory(err);
    for (size_t i = 0; i < rows && status == 0; i++)
        firsts[i] = place_value(&frame->matrix, i, &places->items[0], 0);
    lists[0] = *places;
    columns[0] = hunt->first;
    for (size_t c = 0; c < form->stored && status == 0; c++) {
        result.columns[c].name = form->fields[c].name;
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
    for (size_t c = 1; c < form->stored; c++) {
        search_column_release(&columns[c]);
        free(lists[c].items);
    }
    return status;
}

/* The likeliest of what is alike to the front, one place of each group. */
static void sort_firsts(const struct frame *frame, struct place_list *list)
{
    choose_likeliest(frame, list, 1);
    for (size_t i = 1; i < list->count; i++) {
        for (size_t k = i;
             k > 0 && infer_place_cost(frame, &list->items[k], 1) < infer_place_cost(frame, &list->items[k - 1], 1);
             k--) {
            struct place_found other = list->items[k];
            list->items[k] = list->items[k - 1];
            list->items[k - 1] = other;
        }
    }
}

int hunt_frame(struct hunt *hunt, struct frame *frame, enum effort effort, struct err *err)
{
    SCOPED_FREE struct place_list list = {.items = NULL};
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
            return err_status(err);
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
        return err_no_memory(err);
    for (size_t i = 0; i < problem->sample.count; i++)
        hunt->firsts[i] = problem_interval(problem, 0, &problem->sample.items[i].printed, 0);
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
    return search_column_init(&hunt->first, hunt->firsts, problem->sample.count, err);
}

#define COARSE_MOST 8

bool hunt_is_coarse(const struct hunt *hunt)
{
    const struct infer_result *result = &hunt->best;
    const struct place_found *first = &result->columns[0].place;
    return result->found && result->form->start != NULL && first->mode == PLACE_PLAIN && first->scale > 1 &&
           first->scale <= COARSE_MOST;
}
