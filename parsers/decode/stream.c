/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/decode/stream.h"

#include "base/array.h"
#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIT_RECORDS 1024 /* enough to distinguish a damaged file from a foreign one */

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

/* How well a layout fits the first bytes of a stream of total_size bytes: 4 size and first record, 3 first record,
 * 2 most records; 0 not where records are looked for at first. */
static int framing_fit(const struct layout *layout, const unsigned char *data, size_t length, uint64_t total_size)
{
    if (length < layout->record_size)
        return 0;
    if (layout_matches(layout, data))
        return total_size % layout->record_size == 0 ? 4 : 3;
    size_t records, matches = count_matches(layout, data, length, &records);
    return matches * 2 > records ? 2 : 0;
}

/* Whether two records stand one behind the other anywhere after the first byte; false too when the magics do not say
 * enough to find one. Looks at every byte. */
static bool framing_occurs(const struct layout *layout, const unsigned char *data, size_t length)
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
            return false; /* more data will show it */
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

/* How many of the bytes are in records that stand one behind the other by their magics, whatever stands between them; 0
 * when the magics do not say enough to find a record, or when the first one is not where a record can begin: after
 * whole records from the front, or from the front of a stream of total_size bytes that ends with a whole record. A
 * record that nothing follows counts when there is no room for another. Records may be of any of the layouts. */
static size_t framing_cover(const struct layout *const *layouts, size_t count, const unsigned char *data, size_t length,
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

_Static_assert(CHUNK_SIZE >= 4 * RECORD_MAX_SIZE, "a chunk must hold records on both sides of a damaged place");

#define BUFFER_SIZE_MIN ((size_t)16 * 1024)
#define BUFFER_GROWTH 8

_Static_assert(CHUNK_SIZE == BUFFER_GROWTH * BUFFER_GROWTH * BUFFER_SIZE_MIN, "a buffer ends as a whole chunk");

int stream_grow_buffer(struct stream *stream, struct err *err)
{
    struct decoder *decoder = stream->decoder;
    size_t size = decoder->buffer_size > 0 ? decoder->buffer_size * BUFFER_GROWTH : BUFFER_SIZE_MIN;
    unsigned char *buffer = realloc(decoder->buffer, size);
    if (buffer == NULL)
        return err_no_memory(err);
    stream->buffer = decoder->buffer = buffer;
    decoder->buffer_size = size;
    return 0;
}

void stream_locate_any(struct stream *stream, size_t at)
{
    int64_t offset = stream->buffer_offset + (int64_t)at;
    size_t file = 0, end = stream->current + 1; /* it is one of [file, end) */
    while (end - file > 1) {
        const size_t middle = file + (end - file) / 2;
        *(offset < stream->starts[middle] ? &end : &file) = middle;
    }
    stream->decoder->file = &stream->files[file];
    stream->decoder->offset = offset - stream->starts[file];
}

/* The sizes of records that the other layouts have: ", or of 72 or 128 bytes"; "": none. */
static void list_other_sizes(const struct record_kind *kind, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 1; i < kind->layout_count; i++) {
        bool listed = false;
        for (size_t k = 0; k < i; k++)
            listed |= kind->layouts[k].record_size == kind->layouts[i].record_size;
        if (!listed && used < size - 32)
            used += (size_t)snprintf(text + used, size - used, "%s%u", used == 0 ? ", or of " : " or ",
                                     kind->layouts[i].record_size);
    }
    if (used > 0)
        snprintf(text + used, size - used, " bytes");
}

static void report_no_layout(struct stream *stream, const struct layout *first)
{
    stream_locate(stream, 0);
    struct capture_file *file = stream->decoder->file;
    struct place place = {file->name, -1, 0, NULL};
    struct diagnostics *diag = stream->decoder->capture->diag;
    /* Counts the records, of whatever kind they were. */
    uint64_t size = first != NULL ? first->record_size : 1, records = (stream->total_size + size - 1) / size;
    if (first != NULL && stream->used < first->record_size) {
        diag_report(diag, DIAG_RECORD_TRUNCATED, &place,
                    "%zu bytes, less than one %s record; expected a multiple of %u bytes", stream->used,
                    stream->kind->name, first->record_size);
        capture_file_reject(file, DIAG_RECORD_TRUNCATED, 1);
        return;
    }
    if (stream->files->rejected_for[DIAG_LAYOUT_MISMATCH] == 0) /* once, however many runs of slices there are */
        capture_file_reject(stream->files, DIAG_LAYOUT_MISMATCH, records);
    char found[64] = "";
    for (size_t i = 0; i < 16 && i < stream->used; i++)
        snprintf(found + 3 * i, sizeof found - 3 * i, "%02x ", stream->buffer[i]);
    char others[128] = "";
    list_other_sizes(stream->kind, others, sizeof others);
    diag_report(
        diag, DIAG_LAYOUT_MISMATCH, &place,
        "%llu bytes fit no layout of kind %s; expected %u-byte records with the magic of layout '%s'%s, found %s",
        (unsigned long long)stream->total_size, stream->kind->name, first != NULL ? first->record_size : 0,
        first != NULL ? first->name : "-", others, found);
}

#define FIRST_PART (256 * 1024) /* bytes of a stream that choose between layouts */

/* How well a layout fits the beginning of a stream. */
struct layout_fit {
    const struct layout *layout; /* NULL: none does */
    bool named;                  /* by the user */
    bool shipped;
    size_t covered; /* bytes of records whose magics stand, also in the layouts that may be mixed with it */
    int fit;        /* see framing_fit; 1: see framing_occurs */
};

enum { FIT_SOMEWHERE = 1 };

/* The user's word counts first; then magics that stand, wherever the first does; then the records and size. */
static bool fits_better(const struct layout_fit *candidate, const struct layout_fit *best)
{
    if (candidate->fit == 0 && candidate->covered == 0)
        return false;
    if (candidate->named != best->named)
        return candidate->named;
    if (candidate->shipped != best->shipped && best->layout != NULL)
        return !candidate->shipped;
    if (candidate->covered != best->covered)
        return candidate->covered > best->covered;
    return candidate->fit > best->fit;
}

/* Bytes of records of this layout, or of any that may be mixed with it. */
static size_t cover(const struct stream *stream, const struct layout *layout)
{
    const struct layout_set *set = stream->decoder->capture->options.layouts;
    const struct layout *other, *group[LAYOUTS_MIXED_MAX];
    size_t count = 0, length = stream->used < FIRST_PART ? stream->used : FIRST_PART;
    group[count++] = layout;
    for (size_t i = 0;
         layout->mixed && count < LAYOUTS_MIXED_MAX && (other = layout_candidate(set, stream->kind, i)) != NULL; i++) {
        if (other != layout && other->mixed)
            group[count++] = other;
    }
    if (layout->header >= length)
        return 0;
    return framing_cover(group, count, stream->buffer + layout->header, length - layout->header,
                         stream->total_size - layout->header);
}

/* Whether files of this capture may have the layout. */
static bool is_possible(const struct stream *stream, const struct layout *layout)
{
    const struct capture *capture = stream->decoder->capture;
    const char *version = stream->files->part < capture->part_count
                              ? capture_setting_text(&capture->parts[stream->files->part].settings, "version")
                              : NULL;
    for (size_t i = 0; i < stream->kind->layout_count && layout->version == NULL; i++) {
        const char *other = stream->kind->layouts[i].version;
        if (other != NULL && version != NULL && strcmp(other, version) == 0)
            return false;
    }
    int64_t chip = stream->files->part < capture->part_count ? capture->parts[stream->files->part].chip : -1;
    if (layout->part || !layout_is_of_chip(stream->kind, layout, chip))
        return false;
    return layout->version == NULL || (version != NULL && strcmp(layout->version, version) == 0);
}

static bool has_named(const struct layout_set *set, const struct record_kind *kind)
{
    const struct layout *layout;
    for (size_t i = 0; (layout = layout_candidate(set, kind, i)) != NULL; i++)
        if (layout_is_named(set, layout))
            return true;
    return false;
}

struct layout_fits {
    struct layout_fit *items;
    size_t count, capacity;
};

/* Every layout that the stream may have, as far as its first records show. */
static int judge_layouts(const struct stream *stream, struct layout_fits *fits, struct err *err)
{
    const struct layout_set *set = stream->decoder->capture->options.layouts;
    const struct layout *layout;
    bool choice = layout_candidate(set, stream->kind, 1) != NULL;
    size_t mixed_covered = 0;
    bool mixed_known = false;
    bool only_named = stream->decoder->capture->options.only_named && has_named(set, stream->kind);
    for (size_t i = 0; (layout = layout_candidate(set, stream->kind, i)) != NULL; i++) {
        if (layout->header > stream->used || !is_possible(stream, layout) ||
            (only_named && !layout_is_named(set, layout)))
            continue;
        if (array_reserve(fits, 1, err) < 0)
            return err_status(err);
        struct layout_fit *fit = &fits->items[fits->count++];
        *fit = (struct layout_fit){
            .layout = layout,
            .shipped = layout_is_shipped(set, layout),
            .fit = framing_fit(layout, stream->buffer + layout->header, stream->used - layout->header,
                               stream->total_size - layout->header),
        };
        if (layout->mixed && mixed_known) {
            fit->covered = mixed_covered;
        } else if (choice) {
            fit->covered = cover(stream, layout);
            mixed_known |= layout->mixed;
            mixed_covered = layout->mixed ? fit->covered : mixed_covered;
        }
        fit->named = (fit->fit > FIT_SOMEWHERE || fit->covered > 0) && layout_is_named(set, layout);
    }
    return 0;
}

/* NULL when none fits. Whether records stand anywhere takes long to find out: it is asked only where it decides. */
static const struct layout *best_layout(const struct stream *stream, const struct layout_fits *fits)
{
    struct layout_fit best = {.layout = NULL};
    for (size_t i = 0; i < fits->count; i++) {
        if (fits_better(&fits->items[i], &best))
            best = fits->items[i];
    }
    for (size_t i = 0; i < fits->count; i++) {
        struct layout_fit found = fits->items[i];
        const struct layout *layout = found.layout;
        if (found.fit != 0)
            continue;
        found.fit = FIT_SOMEWHERE;
        if (fits_better(&found, &best) &&
            framing_occurs(layout, stream->buffer + layout->header, stream->used - layout->header))
            best = found;
    }
    return best.layout;
}

/* Makes the decoder's plans those of the layout; those of the stream before stay where it was the same. */
static int make_plans(const struct stream *stream, const struct layout *best, struct err *err)
{
    struct decoder *decoder = stream->decoder;
    const struct layout_set *set = decoder->capture->options.layouts;
    const struct layout *candidate;
    size_t count = 1;
    if (decoder->planned == best && decoder->plans->kind == stream->kind) {
        for (size_t i = 0; i < decoder->plan_count; i++)
            decode_plan_restart(&decoder->plans[i]);
        return 0;
    }
    while (layout_candidate(set, stream->kind, count) != NULL)
        count++;
    free(decoder->plans);
    decoder->plan_count = 0;
    decoder->planned = NULL;
    decoder->plans = calloc(count, sizeof *decoder->plans);
    if (decoder->plans == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        candidate = layout_candidate(set, stream->kind, i);
        if (candidate == best || (best->mixed && candidate->mixed))
            decode_plan_init(&decoder->plans[decoder->plan_count++], stream->kind, candidate);
    }
    /* The interpreter looks for zeros that no magic distinguishes from a hole. */
    for (size_t i = 0; i < decoder->plan_count; i++)
        decoder->plans[i].direct &=
            !decoder->capture->options.interpreted && framing_can_search(decoder->plans[i].layout);
    decoder->planned = best;
    return 0;
}

static void drop_front(struct stream *stream, size_t length)
{
    memmove(stream->buffer, stream->buffer + length, stream->used - length);
    stream->used -= length;
    stream->buffer_offset += (int64_t)length;
}

int stream_choose_layout(struct stream *stream, struct err *err)
{
    const struct layout_set *set = stream->decoder->capture->options.layouts;
    const struct layout *best = NULL;
    SCOPED_FREE struct layout_fits fits = {.items = NULL};
    int status = judge_layouts(stream, &fits, err);
    if (status == 0)
        best = best_layout(stream, &fits);
    if (status < 0)
        return status;
    stream->layout = best;
    if (best == NULL) {
        report_no_layout(stream, layout_candidate(set, stream->kind, 0));
        return 0;
    }
    status = make_plans(stream, best, err);
    stream->plan = stream->decoder->plans;
    drop_front(stream, best->header);
    return status;
}

/* Whether bytes of a file, or of those after it, are known to be missing behind it. */
static bool loses_end(const struct stream *stream, size_t index)
{
    const struct capture_file *file = &stream->files[index];
    return (file->done.file_size > 0 && file->size < (uint64_t)file->done.file_size) ||
           (index + 1 < stream->file_count && file[1].identity.slice != file->identity.slice + 1);
}

bool stream_run_ends(const struct stream *stream, size_t index)
{
    return index + 1 == stream->file_count || loses_end(stream, index);
}

/* Bytes of the record that begins before the run of the current file, if it does: a device that ages its data cuts
 * slices off the front without regard to records, and slices may be missing. A run that begins with the first slice, or
 * whose end is missing, shows nothing about them by its length. */
static size_t rest_in_front(const struct stream *stream)
{
    uint64_t length = 0;
    size_t last = stream->current;
    while (!stream_run_ends(stream, last))
        last++;
    for (size_t i = stream->run; i <= last; i++)
        length += stream->files[i].size;
    const bool at_start = stream->run == 0 && stream->files->identity.slice == 0;
    const size_t rest = (size_t)(length % stream->layout->record_size);
    if (framing_can_search(stream->layout))
        return stream->run == 0 && stream->used >= rest + stream->layout->record_size &&
                       !layout_matches(stream->layout, stream->buffer) &&
                       layout_matches(stream->layout, stream->buffer + rest)
                   ? rest
                   : 0;
    return at_start || loses_end(stream, last) || stream->used < rest + stream->layout->record_size ? 0 : rest;
}

void stream_drop_front(struct stream *stream)
{
    enum capture_family family = stream->decoder->capture->family;
    if ((family != CAPTURE_CANN && family != CAPTURE_2022) || stream->files->identity.slice < 0 ||
        stream->layout->mixed || stream->layout->header > 0)
        return;
    const size_t rest = rest_in_front(stream);
    if (rest == 0)
        return;
    stream_locate(stream, 0);
    struct capture_file *file = stream->decoder->file;
    struct place place = {file->name, -1, 0, NULL};
    const enum diag_id id = stream->run == 0 ? DIAG_RECORD_AGED : DIAG_RECORD_TRUNCATED;
    diag_report(stream->decoder->capture->diag, id, &place, "%zu bytes before a record of %u", rest,
                stream->layout->record_size);
    capture_file_reject(file, id, 1);
    drop_front(stream, rest);
}
