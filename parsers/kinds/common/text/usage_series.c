/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/text/usage_series.h"

const struct column os_call_columns[] = {
    FILE_COLUMN,
    NUMBER_COLUMN("thread_id", "Thread ID", "Who called."),
    TEXT_COLUMN_OF("name", "Name", "Name of the call."),
    NUMBER_COLUMN("start_us", "Start",
                  "Microseconds, by a clock of its own: the first call began with the collection."),
    NUMBER_COLUMN("duration_us", "Duration", "Microseconds."),
};
