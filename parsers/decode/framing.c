/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/decode/framing.h"

#include "base/bytes.h"
#include "parsers/decode/layout.h"

#define FIT_RECORDS 1024 /* enough to tell a damaged file from a foreign one */

static size_t count_matches(const struct layout *layout, const unsigned char *data, size_t length, size_t *ret_records)
{
    size_t matches = 0, records = 0;
    for (size_t at = 0; length - at >= layout->record_size && records < FIT_RECORDS; at += layout->record_size) {
        matches += layout_matches(layout, data + at);
        records++;
    }
    *ret_records = records;
    return matches;
}

int framing_fit(const struct layout *layout, const unsigned char *data, size_t length, uint64_t total_size)
{
    if (length < layout->record_size)
        return 0;
    if (layout_matches(layout, data))
        return total_size % layout->record_size == 0 ? 4 : 3;
    size_t records, matches = count_matches(layout, data, length, &records);
    return matches * 2 > records ? 2 : 0;
}

bool framing_occurs(const struct layout *layout, const unsigned char *data, size_t length)
{
    size_t size = layout->record_size;
    for (size_t at = 1; framing_can_search(layout) && at + 2 * size <= length; at++) {
        if (layout_matches(layout, data + at) && layout_matches(layout, data + at + size))
            return true;
    }
    return false;
}

static unsigned magic_bits(const struct magic *magic)
{
    return magic->mask != 0 ? (unsigned)__builtin_popcountll(magic->mask) : 8 * magic->width;
}

bool framing_can_search(const struct layout *layout)
{
    unsigned bits = 0;
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++)
        bits += layout->magics[i].value != 0 ? magic_bits(&layout->magics[i]) : 0;
    return bits >= 16;
}

bool framing_may_begin(const struct layout *layout, const unsigned char *data, size_t length)
{
    const struct bytes bytes = {data, length};
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++) {
        const struct magic *magic = &layout->magics[i];
        uint64_t mask = magic->mask != 0 ? magic->mask : UINT64_MAX, value;
        if (bytes_read(&bytes, magic->offset, magic->width, layout->big_endian, &value) &&
            (value & mask) != magic->value)
            return false;
    }
    return true;
}

bool framing_search(const struct layout *layout, const unsigned char *data, size_t length, size_t from, size_t grid,
                    bool at_end, size_t *ret)
{
    size_t size = layout->record_size, at = from;
    for (; at <= length && length - at >= size; at++) {
        if (!layout_matches(layout, data + at))
            continue;
        bool whole_next = length - at >= 2 * size;
        *ret = at;
        if ((at >= grid && (at - grid) % size == 0) || (whole_next && layout_matches(layout, data + at + size)))
            return true;
        if (!whole_next && at_end && length - at == size)
            return true;
        if (!whole_next && !at_end)
            return false; /* more data will tell */
    }
    *ret = at;
    return false;
}

/* The size of the record that begins here and is followed by another, or ends the data; 0: none does. */
static size_t record_at(const struct layout *const *layouts, size_t count, const unsigned char *data, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        size_t size = layouts[i]->record_size;
        if (length < size || !layout_matches(layouts[i], data))
            continue;
        for (size_t k = 0; k < count; k++) {
            if (framing_may_begin(layouts[k], data + size, length - size))
                return size;
        }
    }
    return 0;
}

static size_t common_divisor(size_t a, size_t b)
{
    while (b != 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

size_t framing_cover(const struct layout *const *layouts, size_t count, const unsigned char *data, size_t length,
                     uint64_t total_size)
{
    size_t covered = 0, chain = 0, smallest = SIZE_MAX, step = 0;
    for (size_t i = 0; i < count; i++) {
        size_t size = layouts[i]->record_size;
        if (!framing_can_search(layouts[i]))
            return 0;
        smallest = size < smallest ? size : smallest;
        step = common_divisor(size, step);
    }
    for (size_t at = 0; at < length;) {
        size_t size = record_at(layouts, count, data + at, length - at);
        /* One record alone may be chance, unless there is no room for two. */
        if (size == 0 || (chain == 0 && at + size + smallest > length && length >= 2 * smallest)) {
            chain = 0;
            at++;
            continue;
        }
        /* Numbers that happen to look like the magic stand elsewhere, in every record again. */
        if (covered == 0 && step > 0 && at % step != 0 && at % step != total_size % step)
            return 0;
        covered += size;
        chain++;
        at += size;
    }
    return covered;
}
