/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/decode/stream.h"

#include "base/array.h"
#include "parsers/decode/framing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_SIZE_MIN ((size_t)16 * 1024)
#define BUFFER_GROWTH 8
_Static_assert(CHUNK_SIZE == BUFFER_GROWTH * BUFFER_GROWTH * BUFFER_SIZE_MIN, "a buffer ends as a whole chunk");

int stream_grow_buffer(struct stream *stream, struct err *err)
{
    struct decoder *decoder = stream->decoder;
    size_t size = decoder->buffer_size > 0 ? decoder->buffer_size * BUFFER_GROWTH : BUFFER_SIZE_MIN;
    unsigned char *buffer = realloc(decoder->buffer, size);
    if (buffer == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    stream->buffer = decoder->buffer = buffer;
    decoder->buffer_size = size;
    return 0;
}

void stream_locate(struct stream *stream, size_t at)
{
    int64_t offset = stream->buffer_offset + (int64_t)at;
    size_t file = stream->current;
    while (file > 0 && offset < stream->starts[file])
        file--;
    stream->decoder->file = &stream->files[file];
    stream->decoder->offset = offset - stream->starts[file];
}

static void report_no_layout(struct stream *stream, const struct layout *first)
{
    stream_locate(stream, 0);
    struct capture_file *file = stream->decoder->file;
    struct place place = {file->name, -1, 0, NULL};
    struct diagnostics *diag = stream->decoder->capture->diag;
    /* Of whatever kind they were. */
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
    diag_report(diag, DIAG_LAYOUT_MISMATCH, &place,
                "%llu bytes fit no layout of kind %s; expected %u-byte records with the magic of layout '%s', found %s",
                (unsigned long long)stream->total_size, stream->kind->name, first != NULL ? first->record_size : 0,
                first != NULL ? first->name : "-", found);
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

/* What the user says counts first; then magics that stand, wherever the first does; then the records and size. */
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

/* Every layout that the stream may have, as far as its first records tell. */
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
            return -(int)err->code;
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

int stream_choose_layout(struct stream *stream, struct err *err)
{
    const struct layout_set *set = stream->decoder->capture->options.layouts;
    const struct layout *candidate, *best = NULL;
    struct layout_fits fits = {.items = NULL};
    size_t count = 1;
    int status = judge_layouts(stream, &fits, err);
    if (status == 0)
        best = best_layout(stream, &fits);
    free(fits.items);
    if (status < 0)
        return status;
    stream->layout = best;
    if (best == NULL) {
        report_no_layout(stream, layout_candidate(set, stream->kind, 0));
        return 0;
    }
    while (layout_candidate(set, stream->kind, count) != NULL)
        count++;
    free(stream->plans);
    stream->plan_count = 0;
    stream->plan = stream->plans = calloc(count, sizeof *stream->plans);
    if (stream->plans == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) {
        candidate = layout_candidate(set, stream->kind, i);
        if (candidate == best || (best->mixed && candidate->mixed))
            decode_plan_init(&stream->plans[stream->plan_count++], stream->kind, candidate);
    }
    return 0;
}

/* A device that ages its data cuts slices off the front without regard to records: what is left of the first record is
 * as long as the whole is over a multiple of records. True when the bytes in front are such a rest. */
static bool is_aged(const struct stream *stream, size_t rest)
{
    enum capture_family family = stream->decoder->capture->family;
    const struct layout *layout = stream->layout;
    if ((family != CAPTURE_CANN && family != CAPTURE_2022) || stream->files->identity.slice < 0 || rest == 0 ||
        stream->used < rest + layout->record_size)
        return false;
    if (!framing_can_search(layout))
        return true;
    return !layout_matches(layout, stream->buffer) && layout_matches(layout, stream->buffer + rest);
}

static void drop_front(struct stream *stream, size_t length)
{
    memmove(stream->buffer, stream->buffer + length, stream->used - length);
    stream->used -= length;
    stream->buffer_offset += (int64_t)length;
}

void stream_drop_front(struct stream *stream)
{
    if (stream->layout->header > 0) {
        drop_front(stream, stream->layout->header);
        return;
    }
    size_t rest = (size_t)(stream->total_size % stream->layout->record_size);
    if (stream->layout->mixed || !is_aged(stream, rest))
        return;
    stream_locate(stream, 0);
    struct capture_file *file = stream->decoder->file;
    struct place place = {file->name, -1, 0, NULL};
    diag_report(stream->decoder->capture->diag, DIAG_RECORD_AGED, &place, "%zu bytes in front of a record of %u", rest,
                stream->layout->record_size);
    capture_file_reject(file, DIAG_RECORD_AGED, 1);
    drop_front(stream, rest);
}
