#include "parsers/stream.h"

#include "parsers/framing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (first != NULL && stream->used < first->record_size) {
        diag_report(diag, DIAG_RECORD_TRUNCATED, &place,
                    "%zu bytes, less than one %s record; expected a multiple of %u bytes", stream->used,
                    stream->kind->name, first->record_size);
        file->rejected++;
        return;
    }
    char found[64] = "";
    for (size_t i = 0; i < 16 && i < stream->used; i++)
        snprintf(found + 3 * i, sizeof found - 3 * i, "%02x ", stream->buffer[i]);
    diag_report(diag, DIAG_LAYOUT_MISMATCH, &place,
                "%llu bytes fit no layout of kind %s; expected %u-byte records with the magic of layout '%s', found %s",
                (unsigned long long)stream->total_size, stream->kind->name, first != NULL ? first->record_size : 0,
                first != NULL ? first->name : "-", found);
}

/* How well a layout fits the beginning of a stream. */
struct layout_fit {
    const struct layout *layout; /* NULL: none does */
    int fit;
    unsigned share;
};

static bool begin_alike(const struct layout *a, const struct layout *b)
{
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS; i++) {
        const struct magic *x = &a->magics[i], *y = &b->magics[i];
        if (x->offset != y->offset || x->width != y->width || x->value != y->value || x->mask != y->mask)
            return false;
    }
    return true;
}

/* Of layouts that differ in their size only, the records behind the first one say more than the size of the stream. */
static bool fits_better(const struct layout_fit *candidate, const struct layout_fit *best)
{
    enum { FIRST_RECORD = 3 };
    if (candidate->fit >= FIRST_RECORD && best->fit >= FIRST_RECORD && candidate->share != best->share &&
        begin_alike(candidate->layout, best->layout))
        return candidate->share > best->share;
    return candidate->fit > best->fit;
}

/* NULL when none fits. */
static const struct layout *best_layout(const struct stream *stream)
{
    const struct layout_set *set = stream->decoder->capture->options.layouts;
    const struct layout *layout;
    struct layout_fit best = {.layout = NULL};
    for (size_t i = 0; (layout = layout_candidate(set, stream->kind, i)) != NULL; i++) {
        const struct layout_fit candidate = {
            .layout = layout,
            .fit = framing_fit(layout, stream->buffer, stream->used, stream->total_size),
            .share = framing_share(layout, stream->buffer, stream->used),
        };
        if (layout->mixed && stream->used >= layout->record_size && layout_matches(layout, stream->buffer))
            return layout; /* the size of the stream says nothing */
        if (fits_better(&candidate, &best))
            best = candidate;
    }
    return best.layout;
}

int stream_choose_layout(struct stream *stream, struct err *err)
{
    const struct layout_set *set = stream->decoder->capture->options.layouts;
    const struct layout *candidate, *best = best_layout(stream);
    size_t count = 1;
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
    if ((family != CAPTURE_CANN && family != CAPTURE_LEGACY) || stream->files->identity.slice < 0 || rest == 0 ||
        stream->used < rest + layout->record_size)
        return false;
    if (!framing_can_search(layout))
        return true;
    return !layout_matches(layout, stream->buffer) && layout_matches(layout, stream->buffer + rest);
}

void stream_drop_aged(struct stream *stream)
{
    size_t rest = (size_t)(stream->total_size % stream->layout->record_size);
    if (!is_aged(stream, rest))
        return;
    memmove(stream->buffer, stream->buffer + rest, stream->used - rest);
    stream->used -= rest;
    stream->buffer_offset += (int64_t)rest;
}
