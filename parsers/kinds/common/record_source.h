/* SPDX-License-Identifier: Apache-2.0 */
/* Where the hook of a kind takes a record's numbers from. The hook is written once and compiled twice: for the row that
 * the interpreter made, and for the bytes of a record of the kind's own layout, where the compiler makes one load of
 * each field. Only records of which there are millions need the second.
 *
 *     static ALWAYS_INLINE int take(struct decoder *decoder, void *state, const struct record_source *source, bool
 * *keep, struct err *err)
 *     {
 *         ... source_integer(source, TICK) ...
 *     }
 *     RECORD_HOOKS(take, fields, TIME_NS, 1)
 *     ... HOOKS(.record = take_row, DIRECT(take, fields))
 *
 * The fields stand in the order of the columns behind the first, which is the file's; some columns, one behind the
 * other, may be without: here one, TIME_NS. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_RECORD_SOURCE_H
#define MSPROF_PARSERS_KINDS_COMMON_RECORD_SOURCE_H

#include "base/bytes.h"
#include "parsers/decode/decode.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

struct record_source {
    bool direct; /* from bytes, by fields; else from row, and these are NULL */
    const struct row *row;
    const unsigned char *bytes;
    const struct field *fields;
    size_t unread, unread_count; /* columns, one behind the other, that no field has */
};

static ALWAYS_INLINE const struct field *source_field(const struct record_source *source, size_t column)
{
    return &source->fields[column - 1 - (column > source->unread ? source->unread_count : 0)];
}

static ALWAYS_INLINE int64_t source_integer(const struct record_source *source, size_t column)
{
    if (!source->direct)
        return source->row->cells[column].integer;
    const struct field *field = source_field(source, column);
    uint64_t raw = bytes_load(source->bytes + field->offset, field->width, false) >> field->first_bit;
    return (int64_t)(field->bit_count != 0 ? raw & ((UINT64_C(1) << field->bit_count) - 1) : raw);
}

static ALWAYS_INLINE uint32_t source_u32(const struct record_source *source, size_t column)
{
    return (uint32_t)source_integer(source, column);
}

/* The number that stands so many behind that of the first column, where all are as wide and nothing is between. */
static ALWAYS_INLINE int64_t source_run(const struct record_source *source, size_t first, size_t index)
{
    if (!source->direct)
        return source->row->cells[first + index].integer;
    const struct field *field = source_field(source, first);
    return (int64_t)bytes_load(source->bytes + field->offset + index * field->width, field->width, false);
}

/* Makes the two hooks of one function, of which each file has one: take_row and take_bytes. */
#define RECORD_HOOKS(take, list, column, count)                                                                        \
    static int take##_row(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)          \
    {                                                                                                                  \
        const struct record_source source = {.row = row};                                                              \
        return take(decoder, state, &source, keep, err);                                                               \
    }                                                                                                                  \
    static int take##_bytes(struct decoder *decoder, void *state, const unsigned char *bytes, bool *keep,              \
                            struct err *err)                                                                           \
    {                                                                                                                  \
        const struct record_source source = {                                                                          \
            .direct = true, .bytes = bytes, .fields = list, .unread = column, .unread_count = count};                  \
        return take(decoder, state, &source, keep, err);                                                               \
    }
#define DIRECT(take, list) .direct = take##_bytes, .direct_fields = list

#endif
