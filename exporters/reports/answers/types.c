/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by type. */
#include "exporters/load/answer.h"

static const struct report_column columns[] = {
    ANSWER_NUMBERS,
    {"Type", REPORT_FIELD(struct answer_row, type), .flags = REPORT_INPUT},
    {"Type name", REPORT_FIELD(struct answer_row, name), .doc = "What the row is about."},
    {.title = NULL},
};

static int put_rows(struct report_run *run, struct err *err)
{
    return answer_rows(run, BY_TYPE, NULL, err);
}

const struct report report_types = {
    .name = "types",
    .title = "Types of operators by time",
    .doc = "Time by type of operator, the largest total first.",
    .needs = "tasks with times",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
