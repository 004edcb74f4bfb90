/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that fell back to the AI CPU. */
#include "exporters/load/answer.h"

static const struct report_column columns[] = {
    ANSWER_NUMBERS,
    {"Type", REPORT_FIELD(struct answer_row, type), .doc = "The type of the operator."},
    {"Name", REPORT_FIELD(struct answer_row, name), .doc = "What the row is about."},
    {.title = NULL},
};

static bool wanted(const struct profile_row *row)
{
    return row->ai_cpu;
}

static int put_rows(struct report_run *run, struct err *err)
{
    return answer_rows(run, BY_OP, wanted, err);
}

const struct report report_aicpu = {
    .name = "aicpu",
    .title = "Operators on the AI CPU",
    .doc = "Operators that run on the AI CPU. The summary's table of this name is another one.",
    .needs = "operators that ran on the AI CPU",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
