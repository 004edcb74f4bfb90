/* Calls by function. */
#include "exporters/workload/answer.h"

static const struct report_column columns[] = {
    ANSWER_NUMBERS,
    [ANSWER_TYPE] = {"Type", .flags = REPORT_INPUT},
    [ANSWER_NAME] = {"Function", .doc = "What the row is about."},
    {.title = NULL},
};

static int put_rows(struct report_run *run, struct err *err)
{
    return answer_rows(run, BY_API, NULL, err);
}

const struct report report_api = {
    .name = "api",
    .title = "Calls of the host by time",
    .doc = "The functions that the host called, the largest total first.",
    .families = REPORT_OF_ALL,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
