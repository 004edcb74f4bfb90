#include "exporters/step_columns.h"

#include <stdio.h>

#define TITLE_SIZE 40

static int add(struct report_run *run, const struct report_column *column, size_t number, struct err *err)
{
    char title[TITLE_SIZE];
    struct report_column numbered = *column;
    if (run->session->options->format == TABLE_JSON) {
        snprintf(title, sizeof title, "%s %zu", column->title, number);
        numbered.title = title;
    }
    return report_plan_add(&run->plan, &numbered, err);
}

int step_columns_add(struct report_run *run, size_t leading, size_t count, const struct report_column *start,
                     const struct report_column *duration, struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < count && i < (REPORT_MAX_COLUMNS - leading) / 2; i++) {
        status = add(run, start, i, err);
        if (status == 0)
            status = add(run, duration, i, err);
    }
    return status;
}
