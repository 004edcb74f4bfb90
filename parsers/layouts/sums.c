/* SPDX-License-Identifier: Apache-2.0 */
/* Tables whose rows sum up calls: the records' texts tell which row each belongs to. */
#include "base/array.h"
#include "parsers/layouts/hunt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The rows of the tables, and of each record the row that sums it up. */
struct sums {
    const struct sample_row *groups;
    size_t group_count;
    uint32_t *group_of; /* of each record */
    uint64_t *found;    /* records of each group */
    size_t records;
};

static bool record_has_word(const struct frame *frame, size_t row, size_t offset, const char *word)
{
    const unsigned char *record = matrix_row(&frame->matrix, row);
    size_t length = strlen(word), size = frame->size;
    if (length == 0 || length > size - offset)
        return false;
    for (size_t i = 0; i < length; i++)
        if (record[frame->big_endian ? size - 1 - offset - i : offset + i] != (unsigned char)word[i])
            return false;
    return offset + length == size || length + 1 >= PRINTED_WORD_SIZE ||
           record[frame->big_endian ? size - 1 - offset - length : offset + length] == 0;
}

/* Whether each record has the word of a row at the offset, and each row as many records as it counts. Of rows with one
 * word (of several threads) the first stands for all. */
static bool groups_stand_at(struct sums *sums, const struct frame *frame, size_t offset)
{
    memset(sums->found, 0, sums->group_count * sizeof *sums->found);
    for (size_t i = 0; i < sums->records; i++) {
        size_t group = 0;
        while (group < sums->group_count && !record_has_word(frame, i, offset, sums->groups[group].printed.word))
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

/* What the rows with a group's word say of each of its records: what all of them say, and the range of all. */
static struct printed_row row_of_group(const struct sums *sums, const struct printed_kind *kind, size_t group)
{
    struct printed_row row = sums->groups[group].printed;
    for (size_t k = 0; k < sums->group_count; k++) {
        const struct printed_row *other = &sums->groups[k].printed;
        if (strcmp(other->word, row.word) != 0)
            continue;
        row.values[0] = other->values[0] < row.values[0] ? other->values[0] : row.values[0];
        row.most = other->most > row.most ? other->most : row.most;
        for (size_t c = 1; c < kind->stored; c++)
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
    struct printed_row row = row_of_group(sums, printed_kind_of(hunt->problem), group);
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

int sums_keep_places(struct hunt *hunt, const struct frame *frame, struct place_list *list, struct err *err)
{
    struct place_list spans = {.items = NULL};
    keep_places(hunt, frame, list);
    if (list->count > 0)
        return 0;
    int status = search_plain(&frame->matrix, &hunt->first, 0, &spans, err);
    keep_places(hunt, frame, &spans);
    if (status == 0 && spans.count > 0)
        (void)strbuf_addf(&hunt->best.notes,
                          "records of %zu bytes have how long each call took, and these tables do not tell when it "
                          "began: bring the timeline of the calls\n",
                          frame->size);
    free(spans.items);
    return status;
}

/* Each record gets the row of its group; the search then is that of rows in the order of records. */
static int take_groups(struct hunt *hunt, struct sums *sums, const struct frame *records, struct err *err)
{
    struct problem *problem = hunt->problem;
    const struct printed_kind *kind = printed_kind_of(problem);
    struct sample_row *before = problem->sample.items, *rows = calloc(sums->records, sizeof *rows);
    size_t count = problem->sample.count;
    struct frame frame = *records;
    if (rows == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < sums->records; i++)
        rows[i] = (struct sample_row){.index = i, .printed = row_of_group(sums, kind, sums->group_of[i])};
    problem->sample.items = rows;
    problem->sample.count = sums->records;
    problem->order = ORDER_SUMS;
    hunt->sums = sums;
    int status = hunt_prepare(hunt, err);
    if (status == 0)
        status = hunt_frame(hunt, &frame, EFFORT_MINUS, err);
    hunt->sums = NULL;
    problem->order = ORDER_SAME;
    problem->sample.items = before;
    problem->sample.count = count;
    free(rows);
    return status == 0 ? hunt_prepare(hunt, err) : status;
}

static int try_sums(struct hunt *hunt, struct frame *groups, void *arg, struct err *err)
{
    struct problem *problem = hunt->problem;
    struct sums *sums = arg;
    struct frame frame = *groups;
    unsigned char record[SIZE_MAX_TRIED];
    if (matrix_init(&frame.matrix, sums->records, frame.size, err) < 0)
        return -(int)err->code;
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
    int status = sums.group_of != NULL && sums.found != NULL ? hunt_each_frame(hunt, try_sums, &sums, err)
                                                             : err_set(err, ERR_NO_MEMORY, "out of memory");
    free(sums.group_of);
    free(sums.found);
    return status;
}
