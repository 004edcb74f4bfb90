/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/host/model_record.h"

static bool spans_are_sound(struct decoder *decoder, const struct record_kind *kind, const struct row *row)
{
    for (size_t start = MODEL_RECORD_COLUMNS; start + 1 < kind->column_count; start++) {
        if (kind->columns[start].unit != UNIT_NS)
            continue;
        if (!decoder_check_span(decoder, kind->columns[start].title, row->cells[start].integer,
                                row->cells[start + 1].integer))
            return false;
        start++;
    }
    return true;
}

int model_record_take(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *state = opaque;
    *keep = spans_are_sound(decoder, state->kind, row);
    if (!*keep)
        return 0;
    mixed_text_resolve(row, MODEL_TEXT);
    return executions_expect_names(decoder, state->kind, row, MODEL_TEXT + 1, 1, err);
}

const struct kind_hooks model_record_hooks = {
    .state_size = sizeof(struct record_stream),
    .open = record_stream_open,
    .record = model_record_take,
};
