/* SPDX-License-Identifier: Apache-2.0 */
/* Communication operators: how long each, and how much of it nothing hides. */
#include "analysis/compare/statistics.h"
#include "analysis/coverage.h"
#include "base/array.h"
#include "base/number.h"
#include "exporters/load/answer.h"
#include "exporters/table/report.h"

#include <stdlib.h>

struct communication {
    uint32_t op;
    int64_t exposed_ns;
    struct series series;
    struct durations durations;
};
struct shown {
    struct communication item;
    double share;          /* of 10000 */
    int64_t exposed_share; /* likewise */
    const char *type, *name;
};

static const struct report_column columns[] = {
    {"Share(%)", SHOWN(share), FORM_SCALED, 2, .doc = "Of the time of all communication operators."},
    {"Total(us)", SHOWN(item.series.total), FORM_SCALED, 3, .doc = "The time of all executions."},
    {"Exposed(us)", SHOWN(item.exposed_ns), FORM_SCALED, 3, .doc = "How long the device computed nothing meanwhile."},
    {"Exposed share(%)", SHOWN(exposed_share), FORM_SCALED, 2, .doc = "Its share of the total."},
    {"Count", SHOWN(item.series.n), .flags = REPORT_NUMBER, .doc = "How often it ran."},
    {"Median(us)", SHOWN(item.series.median), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "Half took no longer."},
    {"Longest(us)", SHOWN(item.series.maximum), FORM_SCALED, 3, .flags = REPORT_NARROW,
     .doc = "The longest execution."},
    {"Type", SHOWN(type), .flags = REPORT_NARROW, .doc = "What it does."},
    {"Name", SHOWN(name), .doc = "The operator."},
    {.title = NULL},
};

static int by_total(const void *a, const void *b)
{
    const struct communication *x = a, *y = b;

    if (x->series.total != y->series.total)
        return x->series.total > y->series.total ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

/* Adds the executions of one device. */
static int add_device(const struct workload *workload, uint16_t device, struct communication *items, struct err *err)
{
    struct coverage computing;
    size_t cursor = 0;
    int status = coverage_of_computing(workload, device, &computing, err);

    for (size_t i = 0; status == 0 && i < workload->execution_count; i++) {
        const struct execution *execution = &workload->executions[i];
        struct communication *item = &items[execution->op];
        if (execution->device != device || workload->operators[execution->op].key.work != WORK_COMMUNICATION)
            continue;
        item->exposed_ns +=
            execution->duration_ns -
            coverage_within(&computing, execution->start_ns, execution->start_ns + execution->duration_ns, &cursor);
        status = durations_add(&item->durations, execution->duration_ns, err);
    }
    coverage_release(&computing);
    return status;
}

static int put_item(struct report_run *run, const struct workload *workload, const struct communication *item,
                    double all_ns, struct err *err)
{
    const struct workload_key *key = &workload->operators[item->op].key;
    const struct series *series = &item->series;
    const struct shown row = {
        .item = *item,
        .share = all_ns > 0 ? series->total / all_ns * 1e4 : 0,
        .exposed_share = number_ratio(item->exposed_ns, number_from_real(series->total), 4),
        .type = workload_text(workload, key->type),
        .name = workload_text(workload, key->name),
    };
    return report_put(run, &row, err);
}

static int put_all(struct report_run *run, const struct workload *workload, struct communication *items,
                   struct err *err)
{
    double all_ns = 0;
    int status = 0;

    for (size_t i = 0; status == 0 && i < workload->device_count; i++)
        status = add_device(workload, (uint16_t)i, items, err);
    for (size_t i = 0; status == 0 && i < workload->operator_count; i++) {
        items[i].op = (uint32_t)i;
        status = series_make(&items[i].series, items[i].durations.items, items[i].durations.count, err);
        all_ns += items[i].series.total;
    }
    if (status == 0)
        array_sort(items, workload->operator_count, sizeof *items, by_total);
    for (size_t i = 0; status == 0 && i < workload->operator_count; i++)
        if (items[i].series.n > 0)
            status = put_item(run, workload, &items[i], all_ns, err);
    return status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct workload workload;
    struct communication *items = NULL;
    int status = answer_workload(run, WITHOUT_COUNTERS, &workload, err);

    if (status != 0)
        return status;
    items = calloc(workload.operator_count + 1, sizeof *items);
    status = items != NULL ? put_all(run, &workload, items, err) : err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; items != NULL && i < workload.operator_count; i++) {
        series_release(&items[i].series);
        free(items[i].durations.items);
    }
    free(items);
    workload_release(&workload);
    return status;
}

const struct report report_communication = {
    .name = "communication",
    .title = "Communication operators by time",
    .doc = "Communication operators, the largest total first, and how much of each no computing hides.",
    .needs = "communication operators",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
