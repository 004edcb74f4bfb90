/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/split_record.h"

#include "parsers/capture/capture.h"
#include "parsers/decode/layout.h"

#include <stdlib.h>

/* The layout of a part that stands in files of this record size on this chip. */
static const struct layout *layout_of(const struct record_kind *kind, uint32_t record_size, int64_t chip)
{
    for (size_t i = 0; i < kind->layout_count; i++) {
        const struct layout *layout = &kind->layouts[i];
        if (layout->record_size == record_size && layout_is_of_chip(kind, layout, chip))
            return layout;
    }
    return NULL;
}

static int open_part(struct decoder *decoder, struct split_part *part, const struct capture_file *file, struct err *err)
{
    const struct kind_hooks *hooks = part->kind->hooks;
    struct capture_file as_part = *file;
    as_part.kind = part->kind;
    part->plan = calloc(1, sizeof *part->plan);
    part->state = calloc(1, hooks != NULL && hooks->state_size > 0 ? hooks->state_size : 1);
    if (part->plan == NULL || part->state == NULL)
        return err_no_memory(err);
    decode_plan_init(part->plan, part->kind, part->layout);
    return hooks != NULL && hooks->open != NULL ? hooks->open(decoder, part->state, &as_part, err) : 0;
}

int split_stream_open(struct decoder *decoder, void *state, const struct capture_file *file, struct err *err)
{
    struct split_stream *stream = state;
    int status = 0;
    stream->cells = calloc(RECORD_MAX_COLUMNS, sizeof *stream->cells);
    if (stream->cells == NULL)
        return err_no_memory(err);
    for (size_t i = 0; status == 0 && file->kind->parts[i] != NULL && i < SPLIT_MAX_PARTS; i++) {
        struct split_part *part = &stream->parts[stream->count];
        part->kind = file->kind->parts[i];
        part->layout = layout_of(part->kind, file->kind->layouts[0].record_size, decoder_part(decoder)->chip);
        stream->count++;
        status = part->layout != NULL ? open_part(decoder, part, file, err)
                                      : err_set(err, ERR_FAILED, "kind '%s' has no layout of %u bytes",
                                                part->kind->name, file->kind->layouts[0].record_size);
    }
    return status;
}

static int take_part(struct decoder *decoder, const struct split_stream *stream, const struct split_part *part,
                     const struct bytes *bytes, bool *keep, struct err *err)
{
    const struct record_kind *kind = part->kind;
    uint64_t present = 0;
    struct row row = {stream->cells, &present};
    int bad_column;
    decode_record(part->plan, bytes->data, &row, &bad_column);
    if (bad_column >= 0)
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, kind->columns[bad_column].name,
                              "a value of 2^63 or more; expected less");
    decode_put_file(part->plan, decoder_file_id(decoder), &row);
    int status = kind->hooks != NULL && kind->hooks->record != NULL
                     ? kind->hooks->record(decoder, part->state, &row, keep, err)
                     : 0;
    return status == 0 && *keep ? decoder_emit_copy(decoder, kind, &row, err) : status;
}

int split_stream_take(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct split_stream *stream = state;
    const struct bytes bytes = decoder_bytes(decoder);
    (void)row;
    for (size_t i = 0; i < stream->count; i++) {
        if (layout_matches(stream->parts[i].layout, bytes.data))
            return take_part(decoder, stream, &stream->parts[i], &bytes, keep, err);
    }
    return decoder_refuse(decoder, keep, DIAG_RECORD_UNKNOWN, NULL, "a record of another type; it is left out");
}

int split_stream_close(struct decoder *decoder, void *state, bool failed, struct err *err)
{
    struct split_stream *stream = state;
    int status = 0;
    for (size_t i = 0; i < stream->count; i++) {
        struct split_part *part = &stream->parts[i];
        const struct kind_hooks *hooks = part->kind->hooks;
        if (part->state != NULL && hooks != NULL && hooks->close != NULL) {
            int closed = hooks->close(decoder, part->state, failed || status < 0, err);
            status = status == 0 ? closed : status;
        }
        free(part->state);
        free(part->plan);
    }
    free(stream->cells);
    return status;
}

const struct kind_hooks split_hooks = {
    .state_size = sizeof(struct split_stream),
    .open = split_stream_open,
    .record = split_stream_take,
    .close = split_stream_close,
};
