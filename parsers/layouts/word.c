/* SPDX-License-Identifier: Apache-2.0 */
/* Where a text stands in records. */
#include "base/array.h"
#include "parsers/layouts/problem.h"

#include <string.h>

/* A byte of a row in the order of the file. */
static unsigned char file_byte(const struct frame *frame, size_t row, size_t offset)
{
    return matrix_row(&frame->matrix, row)[frame->big_endian ? frame->size - 1 - offset : offset];
}

/* Whether the row has its word at the offset, and its end behind it. */
static bool row_has_word(const struct problem *problem, const struct frame *frame, size_t row, size_t offset)
{
    const char *word = problem->sample.items[row].printed.word;
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

int search_word(const struct problem *problem, const struct frame *frame, struct place_list *list, struct err *err)
{
    size_t longest, rows = problem->sample.count;
    double evidence = evidence_of(problem, &longest);
    for (size_t offset = 0; longest > 0 && offset + longest <= frame->size; offset++) {
        size_t row = 0, width = offset + longest < frame->size ? longest + 1 : longest;
        while (row < rows && row_has_word(problem, frame, row, offset))
            row++;
        if (row < rows)
            continue;
        if (array_reserve(list, 1, err) < 0)
            return -(int)err->code;
        list->items[list->count++] =
            (struct place_found){.bit = (uint32_t)(8 * (frame->big_endian ? frame->size - offset - width : offset)),
                                 .bits = (unsigned)(8 * width),
                                 .scale = 1,
                                 .divide = 1,
                                 .evidence = evidence,
                                 .rows_that_say = rows};
    }
    return 0;
}
