/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: how long each works. */
#include "exporters/load/answer.h"

static const struct report_column columns[] = {
    ANSWER_NUMBERS,
    {"Type", REPORT_FIELD(struct answer_row, type), .flags = REPORT_INPUT},
    {"Stream", REPORT_FIELD(struct answer_row, name), .doc = "What the row is about."},
    {.title = NULL},
};

static int put_rows(struct report_run *run, struct err *err)
{
    return answer_rows(run, BY_STREAM, NULL, err);
}

const struct report report_streams = {
    .name = "streams",
    .title = "Streams by time",
    .doc = "Time by stream of each device, the busiest first.",
    .needs = "tasks with times",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
