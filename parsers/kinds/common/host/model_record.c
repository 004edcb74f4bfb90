/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/host/model_record.h"

#include "parsers/join/execution.h"

int model_record_open(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    (void)decoder;
    (void)err;
    struct model_record *state = opaque;
    state->kind = file->kind;
    return 0;
}

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
    const struct model_record *state = opaque;
    *keep = spans_are_sound(decoder, state->kind, row);
    if (!*keep)
        return 0;
    mixed_text_resolve(row, MODEL_TEXT);
    return executions_expect_names(decoder, state->kind, row, MODEL_TEXT + 1, 1, err);
}

const struct kind_hooks model_record_hooks = {
    .state_size = sizeof(struct model_record),
    .open = model_record_open,
    .record = model_record_take,
};
