/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by name. */
#include "exporters/load/answer.h"

static const struct report_column columns[] = {
    ANSWER_NUMBERS,
    {"Type", REPORT_FIELD(struct answer_row, type), .doc = "The type of the operator."},
    {"Name", REPORT_FIELD(struct answer_row, name), .doc = "What the row is about."},
    {.title = NULL},
};

static int put_rows(struct report_run *run, struct err *err)
{
    return answer_rows(run, BY_OP, NULL, err);
}

const struct report report_ops = {
    .name = "ops",
    .title = "Operators by time",
    .doc = "Time by operator, the largest total first.",
    .needs = "tasks with times",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
