/* SPDX-License-Identifier: Apache-2.0 */
/* Which operator of a framework, on which line of Python, launched what devices ran. */
#include "exporters/reports/framework/host_side.h"
#include "exporters/table/report.h"

static const struct report_column columns[] = {
    {"Share(%)", "sum(w.duration_ns) * 10000 / max((SELECT sum(duration_ns) FROM temp.framework_work), 1)", FORM_SCALED,
     2, .doc = "Of the time of all rows."},
    {"Total(us)", "sum(w.duration_ns)", FORM_SCALED, 3, .doc = "What devices ran for it."},
    {"Count", "count(*)", .flags = REPORT_NUMBER, .doc = "How many operators of the device that were."},
    {"Longest(us)", "max(w.duration_ns)", FORM_SCALED, 3, .doc = "The longest one."},
    {"Operator", "o.name", .doc = "The operator of the framework that launched it."},
    {"Line", "o.line", .doc = "The innermost line of Python around it; empty: not recorded."},
    {.title = NULL},
};

const struct report report_lines = {
    .name = "lines",
    .title = "What launched",
    .doc = "What devices ran, by the operator of MindSpore or PyTorch and the line of Python that launched it. The "
           "capture is given as the framework's directory.",
    .needs = "the directory of the framework's profiler around the PROF capture",
    .families = FAMILY_CANN,
    .shown_only = true,
    .when = FRAMEWORK_ATTACHED,
    .query = {.from = "temp.framework_work w JOIN temp.framework_op o ON o.id = w.op_id",
              .group_by = "o.id",
              .order_by = "sum(w.duration_ns) DESC, o.id"},
    .columns = columns,
};
