/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/host/host_record.h"

int host_record_take(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)decoder;
    (void)keep;
    (void)err;
    const struct record_stream *stream = state;
    if (row_has(row, TICK))
        row_set_integer(row, TIME_NS, part_host_ns(stream->part, row->cells[TICK].integer));
    return 0;
}

int named_host_record_find(const struct record_stream *stream, struct row *row, size_t hash, size_t name,
                           struct err *err)
{
    int64_t name_id;
    if (stream->association == NULL || !row_has(row, hash) || row->cells[hash].integer == 0)
        return 0;
    if (association_find_name(stream->association, row->cells[hash].integer, stream->kind->columns[hash].name, &name_id,
                              err) < 0)
        return err_status(err);
    row_set_integer(row, name, name_id);
    return 0;
}
