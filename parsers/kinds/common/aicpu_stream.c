/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/aicpu_stream.h"

#include "parsers/kinds/common/device_stream.h"

void aicpu_put_ids(const struct record_stream *stream, struct row *row, size_t stream_column, size_t task_column)
{
    enum { AI_CPU = 1, FIRST_CHIP_WITH_STARS = 5 };
    uint32_t stream_id, task_id;
    if (stream->part->chip < FIRST_CHIP_WITH_STARS || part_has_unique_tasks(stream->part->chip))
        return;
    stars_ids(stream->association, AI_CPU, row->cells[stream_column].integer, row->cells[task_column].integer,
              &stream_id, &task_id);
    row_set_integer(row, stream_column, stream_id);
    row_set_integer(row, task_column, task_id);
}
