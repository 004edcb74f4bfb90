/* SPDX-License-Identifier: Apache-2.0 */
/* TransData, Cast, Transpose: operators that calculate nothing, with what makes their input and takes their output. */
#include "analysis/compare/neighbours.h"
#include "base/number.h"
#include "exporters/load/answer.h"
#include "exporters/table/report.h"

enum { SHARE, TOTAL, COUNT, MEAN, TYPE, PRODUCER, CONSUMER, NAME, COLUMNS };

static const struct report_column columns[] = {
    [SHARE] = {"Share(%)", NULL, FORM_SCALED, 2, .doc = "Of the time of all operators."},
    [TOTAL] = {"Total(us)", NULL, FORM_SCALED, 3, .doc = "The time of all executions between these two."},
    [COUNT] = {"Count", NULL, .flags = REPORT_NUMBER, .doc = "How often it ran between these two."},
    [MEAN] = {"Mean(us)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The time of one of them."},
    [TYPE] = {"Type", .doc = "What it converts."},
    [PRODUCER] = {"Producer", .doc = "The operator that ran before it on its stream."},
    [CONSUMER] = {"Consumer", .doc = "The operator that ran behind it on its stream."},
    [NAME] = {"Name", .doc = "The operator that converts."},
    {.title = NULL},
};

static bool wanted(const struct workload *workload, const struct workload_operator *op)
{
    return is_conversion(workload_text(workload, op->key.type));
}

static struct report_value name_value(const struct workload *workload, uint32_t op)
{
    return op == NO_TEXT ? value_none() : value_text(workload_text(workload, workload->operators[op].key.name));
}

static int put_item(struct report_run *run, const struct workload *workload, const struct neighbours *item,
                    double all_ns, struct err *err)
{
    const struct report_value values[COLUMNS] = {
        [SHARE] = value_integer(all_ns > 0 ? number_from_real(item->total_ns / all_ns * 1e4 + 0.5) : 0),
        [TOTAL] = value_rounded(item->total_ns),
        [COUNT] = value_integer(item->count),
        [MEAN] = value_integer(number_from_real(item->total_ns / (double)item->count + 0.5)),
        [TYPE] = value_text(workload_text(workload, workload->operators[item->op].key.type)),
        [PRODUCER] = name_value(workload, item->before),
        [CONSUMER] = name_value(workload, item->after),
        [NAME] = name_value(workload, item->op),
    };
    return report_row(run, values, err);
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
