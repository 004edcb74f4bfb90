/* SPDX-License-Identifier: Apache-2.0 */
/* TransData, Cast, Transpose: operators that calculate nothing, with what makes their input and takes their output. */
#include "analysis/compare/neighbours.h"
#include "base/number.h"
#include "exporters/load/answer.h"
#include "exporters/table/report.h"

struct shown {
    struct neighbours item;
    double share, mean_ns; /* share: of 10000 */
    const char *type, *producer, *consumer, *name;
};

static const struct report_column columns[] = {
    {"Share(%)", SHOWN(share), FORM_SCALED, 2, .doc = "Of the time of all operators."},
    {"Total(us)", SHOWN(item.total_ns), FORM_SCALED, 3, .doc = "The time of all executions between these two."},
    {"Count", SHOWN(item.count), .flags = REPORT_NUMBER, .doc = "How often it ran between these two."},
    {"Mean(us)", SHOWN(mean_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The time of one of them."},
    {"Type", SHOWN(type), .doc = "What it converts."},
    {"Producer", SHOWN(producer), .doc = "The operator that ran before it on its stream."},
    {"Consumer", SHOWN(consumer), .doc = "The operator that ran behind it on its stream."},
    {"Name", SHOWN(name), .doc = "The operator that converts."},
    {.title = NULL},
};

static bool wanted(const struct workload *workload, const struct workload_operator *op)
{
    return is_conversion(workload_text(workload, op->key.type));
}

static const char *name_of(const struct workload *workload, uint32_t op)
{
    return op == NO_TEXT ? NULL : workload_text(workload, workload->operators[op].key.name);
}

static int put_item(struct report_run *run, const struct workload *workload, const struct neighbours *item,
                    double all_ns, struct err *err)
{
    const struct shown row = {
        .item = *item,
        .share = all_ns > 0 ? item->total_ns / all_ns * 1e4 : 0,
        .mean_ns = item->total_ns / (double)item->count,
        .type = workload_text(workload, workload->operators[item->op].key.type),
        .producer = name_of(workload, item->before),
        .consumer = name_of(workload, item->after),
        .name = name_of(workload, item->op),
    };
    return report_put(run, &row, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct workload workload;
    struct neighbour_list list;
    double all_ns = 0;
    int status = answer_workload(run, WITHOUT_COUNTERS, &workload, err);

    if (status != 0)
        return status;
    status = neighbours_find(&workload, wanted, &list, err);
    for (size_t i = 0; i < workload.operator_count; i++)
        all_ns += workload.operators[i].total_ns;
    for (size_t i = 0; status == 0 && i < list.count; i++)
        status = put_item(run, &workload, &list.items[i], all_ns, err);
    neighbours_release(&list);
    workload_release(&workload);
    return status;
}

const struct report report_conversions = {
    .name = "conversions",
    .title = "Conversions",
    .doc = "Operators that only convert formats or types, each with what runs before and behind it on its "
           "stream, the largest total first.",
    .needs = "operators of the types TransData, Cast, Transpose or Reformat",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
