/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/core_changes.h"

#include "parsers/kinds/common/record_stream.h"

enum { CHANGES_MAX = 55, FIRST_CHANGE = 8, CHANGE_SIZE = 16 };

struct state {
    struct record_stream stream;       /* first */
    int64_t own[CORE_CHANGES_OWN_MAX]; /* of the record: the kind's own columns, which every row of it gets */
};

static int emit_change(struct decoder *decoder, const struct state *state, const struct bytes *bytes, size_t at,
                       struct err *err)
{
    uint64_t tick, value;
    struct row row;
    if (!bytes_read(bytes, at, 8, false, &tick) || !bytes_read(bytes, at + 8, 4, false, &value))
        return 0;
    if (tick > INT64_MAX) {
        decoder_report(decoder, DIAG_RECORD_VALUE, "tick", "a counter of 2^63 or more; expected less");
        return 0;
    }
    if (tick == 0) {
        decoder_report(decoder, DIAG_RECORD_VALUE, "changes", "fewer changes than it counts");
        return 0;
    }
    if (decoder_emit(decoder, state->stream.kind, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, CORE_CHANGES_FILE_ID, decoder_file_id(decoder));
    row_set_integer(&row, CORE_CHANGES_DEVICE_ID, state->stream.device_id);
    row_set_integer(&row, CORE_CHANGES_TIME_NS, part_device_ns(state->stream.part, (int64_t)tick));
    row_set_integer(&row, CORE_CHANGES_VALUE, (int64_t)value);
    for (size_t i = CORE_CHANGES_OWN;
         i < state->stream.kind->column_count && i < CORE_CHANGES_OWN + CORE_CHANGES_OWN_MAX; i++)
        row_set_integer(&row, i, state->own[i - CORE_CHANGES_OWN]);
    return 0;
}

/* Behind the last change the record is zeros. */
static void report_more_changes(struct decoder *decoder, const struct bytes *bytes, int64_t count)
{
    uint64_t tick;
    struct place place = decoder_place(decoder, "changes");
    if (count < CHANGES_MAX && bytes_read(bytes, FIRST_CHANGE + CHANGE_SIZE * (size_t)count, 8, false, &tick) &&
        tick != 0)
        diag_report(decoder_diag(decoder), DIAG_RECORD_VALUE, &place, "%lld changes, and one more behind them",
                    (long long)count);
}

static int take_changes(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct state *state = opaque;
    const struct bytes bytes = decoder_bytes(decoder);
    int64_t count = row->cells[CORE_CHANGES_COUNT].integer;
    int status = 0;
    if (count > CHANGES_MAX)
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, "changes", "%lld changes; expected at most %d",
                              (long long)count, CHANGES_MAX);
    for (size_t i = CORE_CHANGES_OWN;
         i < state->stream.kind->column_count && i < CORE_CHANGES_OWN + CORE_CHANGES_OWN_MAX; i++)
        state->own[i - CORE_CHANGES_OWN] = row->cells[i].integer;
    decoder_consume(decoder);
    for (int64_t i = 0; status == 0 && i < count; i++)
        status = emit_change(decoder, state, &bytes, FIRST_CHANGE + CHANGE_SIZE * (size_t)i, err);
    report_more_changes(decoder, &bytes, count);
    return status;
}

const struct kind_hooks core_changes_hooks = {
    .state_size = sizeof(struct state),
    .open = record_stream_open,
    .record = take_changes,
};
