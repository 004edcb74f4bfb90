/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "features/layouts/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a text stands in records. */

/* A byte of a row in the order of the file. */
static unsigned char file_byte(const struct frame *frame, size_t row, size_t offset)
{
    return matrix_row(&frame->matrix, row)[frame->big_endian ? frame->size - 1 - offset : offset];
}

bool frame_has_word(const struct frame *frame, size_t row, size_t offset, const char *word)
{
    size_t length = strlen(word);
    if (length > frame->size - offset)
        return false;
    for (size_t i = 0; i < length; i++)
        if (file_byte(frame, row, offset + i) != (unsigned char)word[i])
            return false;
    return offset + length == frame->size || length + 1 >= PRINTED_WORD_SIZE ||
           file_byte(frame, row, offset + length) == 0;
}

/* The bits of the longest word and of one that differs from it: what two rows say. */
static double evidence_of(const struct problem *problem, size_t *ret_longest)
{
    const char *longest = "";
    size_t other = 0;
    for (size_t i = 0; i < problem->sample.count; i++)
        if (strlen(problem->sample.items[i].printed.word) > strlen(longest))
            longest = problem->sample.items[i].printed.word;
    for (size_t i = 0; i < problem->sample.count; i++) {
        const char *word = problem->sample.items[i].printed.word;
        if (strcmp(word, longest) != 0 && strlen(word) > other)
            other = strlen(word);
    }
    *ret_longest = strlen(longest);
    return 8 * (double)(*ret_longest + other);
}

int infer_search_word(const struct problem *problem, const struct frame *frame, struct place_list *list,
                      struct err *err)
{
    size_t longest, rows = problem->sample.count;
    double evidence = evidence_of(problem, &longest);
    for (size_t offset = 0; longest > 0 && offset + longest <= frame->size; offset++) {
        size_t row = 0, width = offset + longest < frame->size ? longest + 1 : longest;
        while (row < rows && frame_has_word(frame, row, offset, problem->sample.items[row].printed.word))
            row++;
        if (row < rows)
            continue;
        if (array_add(
                list, err,
                (struct place_found){.bit = (uint32_t)(8 * (frame->big_endian ? frame->size - offset - width : offset)),
                                     .bits = (unsigned)(8 * width),
                                     .scale = 1,
                                     .divide = 1,
                                     .evidence = evidence,
                                     .rows_that_say = rows}) < 0)
            return err_status(err);
    }
    return 0;
}

/* Chooses, among all places that fit, those that make a layout: columns with the fewest choices first, none over
 * another. */

#define CHANCE_BITS 12 /* a place is sure when chance would give it less than once in 2^12 such captures */

static bool is_power_of_two(int64_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

/* Whether both have the same low end: a number times 2^n is the number n bits lower, whatever its lowest bits are. */
static bool places_are_alike(const struct place_found *a, const struct place_found *b)
{
    int64_t larger = a->scale > b->scale ? a->scale : b->scale, smaller = a->scale > b->scale ? b->scale : a->scale;
    if (a->mode != b->mode || a->other_bit != b->other_bit || a->divide != b->divide || larger % smaller != 0 ||
        !is_power_of_two(larger / smaller))
        return false;
    int shift_a = 0, shift_b = 0;
    for (int64_t k = a->scale / smaller; k > 1; k /= 2)
        shift_a++;
    for (int64_t k = b->scale / smaller; k > 1; k /= 2)
        shift_b++;
    return (int64_t)a->bit - shift_a == (int64_t)b->bit - shift_b;
}

int infer_place_cost(const struct frame *frame, const struct place_found *place, int64_t usual_scale)
{
    int cost = 0;
    size_t byte = frame->big_endian ? frame->size - place->bit / 8 : place->bit / 8;
    if (place->bit % 8 != 0)
        cost += 16;
    else if (byte % 2 != 0)
        cost += 4;
    else if (byte % 4 != 0)
        cost += 1;
    if (place->scale != usual_scale)
        cost += place->scale == 1 ? 2 : 6;
    return cost;
}

static bool overlap(const struct place_found *a, const struct place_found *b)
{
    return a->bit < b->bit + b->bits && b->bit < a->bit + a->bits;
}

struct choice {
    const struct frame *frame;
    struct place_found taken[2 * PRINTED_MOST];
    size_t taken_count;
};

static bool is_free(const struct choice *choice, const struct place_found *place)
{
    struct place_found other = *place;
    other.bit = place->other_bit;
    for (size_t i = 0; i < choice->taken_count; i++)
        if (overlap(&choice->taken[i], place) || (place->mode == PLACE_MINUS && overlap(&choice->taken[i], &other)))
            return false;
    return true;
}

static void take(struct choice *choice, const struct place_found *place)
{
    choice->taken[choice->taken_count++] = *place;
    if (place->mode == PLACE_MINUS) {
        choice->taken[choice->taken_count] = *place;
        choice->taken[choice->taken_count++].bit = place->other_bit;
    }
}

void choose_likeliest(const struct frame *frame, struct place_list *list, int64_t usual_scale)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t k = 0;
        while (k < kept && !places_are_alike(&list->items[k], &list->items[i]))
            k++;
        if (k == kept)
            list->items[kept++] = list->items[i];
        else if (infer_place_cost(frame, &list->items[i], usual_scale) <
                 infer_place_cost(frame, &list->items[k], usual_scale))
            list->items[k] = list->items[i];
    }
    list->count = kept;
}

/* An id is small, so the zeros above it say as much as its bits. */
static double evidence_of_id(const struct frame *frame, const struct search_column *searched,
                             const struct place_found *place)
{
    unsigned bits = place->bits;
    bool zero = true;
    while (zero && bits < 16 && place->bit + bits < 8 * frame->size) {
        for (size_t i = 0; i < frame->matrix.rows && zero; i++)
            zero = matrix_bits(matrix_row(&frame->matrix, i), place->bit + bits, 1) == 0;
        bits += zero;
    }
    return search_evidence(searched, 1, bits);
}

static void judge(const struct choice *choice, const struct place_list *list, const struct search_column *searched,
                  struct infer_column *column, int64_t usual_scale, enum printed_role role)
{
    bool id = role == PRINTED_IDENTITY;
    const struct place_found *best = NULL;
    column->other_count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct place_found *place = &list->items[i];
        if (is_free(choice, place) && (best == NULL || infer_place_cost(choice->frame, place, usual_scale) <
                                                           infer_place_cost(choice->frame, best, usual_scale)))
            best = place;
    }
    if (best == NULL) {
        column->state = INFER_MISSING;
        return;
    }
    column->place = *best;
    if (id)
        column->place.evidence = evidence_of_id(choice->frame, searched, best);
    for (size_t i = 0; i < list->count; i++) {
        if (&list->items[i] == best || !is_free(choice, &list->items[i]))
            continue;
        if (column->other_count < INFER_OTHERS)
            column->others[column->other_count] = list->items[i];
        column->other_count++;
    }
    column->tries = log2((double)(8 * choice->frame->size) * 2 * (double)infer_scale_count);
    column->tries += id || role == PRINTED_WORD ? 0 : choice->frame->order_bits;
    if (best->mode == PLACE_MINUS) /* it is one of as many pairs */
        column->tries += log2((double)(8 * choice->frame->size));
    column->rows = role == PRINTED_WORD ? choice->frame->matrix.rows : searched->known;
    bool sure = column->place.evidence - column->tries >= CHANCE_BITS;
    column->state = column->other_count == 0 && sure ? INFER_UNIQUE : INFER_AMBIGUOUS;
}

/* The scale that a column's number is likely to have: shares are counted as the first column is. */
static int64_t scale_of(const struct printed_form *form, size_t column, int64_t usual_scale)
{
    return column == 0 || form->fields[column].role == PRINTED_SHARE ? usual_scale : 1;
}

void choose_places(const struct frame *frame, struct place_list lists[PRINTED_MOST],
                   const struct search_column columns[PRINTED_MOST], struct infer_result *result)
{
    struct choice choice = {.frame = frame};
    bool done[PRINTED_MOST] = {false};
    const struct printed_form *form = result->form;
    int64_t usual_scale = lists[0].items[0].scale;
    result->explained = 0;
    result->cost = 0;
    result->bits = 0;
    for (size_t i = 0; i < form->stored; i++) {
        if (i > 0)
            choose_likeliest(frame, &lists[i], scale_of(form, i, usual_scale));
        done[i] = result->columns[i].state != INFER_MISSING;
    }
    for (;;) {
        size_t next = form->stored;
        for (size_t i = form->stored; i-- > 0;)
            if (!done[i] && (next == form->stored || i == 0 || lists[i].count <= lists[next].count))
                next = i;
        if (next == form->stored)
            return;
        struct infer_column *column = &result->columns[next];
        judge(&choice, &lists[next], &columns[next], column, scale_of(form, next, usual_scale),
              form->fields[next].role);
        done[next] = true;
        if (column->state == INFER_MISSING)
            continue;
        take(&choice, &column->place);
        result->explained++;
        result->bits += column->place.evidence;
        result->cost += infer_place_cost(frame, &column->place, scale_of(form, next, usual_scale));
    }
}
