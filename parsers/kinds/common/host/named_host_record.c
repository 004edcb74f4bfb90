/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/host/named_host_record.h"

int named_host_record_find(const struct host_stream *stream, struct row *row, size_t hash, size_t name, struct err *err)
{
    int64_t name_id;
    if (stream->association == NULL || !row_has(row, hash) || row->cells[hash].integer == 0)
        return 0;
    int status = association_find_name(stream->association, row->cells[hash].integer, stream->kind->columns[hash].name,
                                       &name_id, err);
    if (status == 0)
        row_set_integer(row, name, name_id);
    return status;
}
