/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch's operator_details.csv. */
#include "features/frameworks/pytorch/torch.h"
#include "features/frameworks/reports/analysis.h"

#include <string.h>

struct shown {
    struct torch_op op;
    const char *name;
    struct report_value shapes, stack;
    int64_t self_ns, total_ns;
};

static const struct report_column columns[] = {
    {"Name", SHOWN(name), .doc = "The operator."},
    {"Input Shapes", SHOWN(shapes), .doc = "Shapes of its inputs."},
    {"Call Stack", SHOWN(stack), .doc = "The lines of Python that called it."},
    {"Host Self Duration(us)", SHOWN(self_ns), FORM_SCALED, 3, .doc = "Without inner events."},
    {"Host Total Duration(us)", SHOWN(total_ns), FORM_SCALED, 3, .doc = "With it."},
    {"Device Self Duration(us)", SHOWN(op.self_ns), FORM_SCALED, 3,
     .doc = "Time of the tasks that it launched itself."},
    {"Device Total Duration(us)", SHOWN(op.total_ns), FORM_SCALED, 3, .doc = "Including inner events."},
    {"Device Self Duration With AICore(us)", SHOWN(op.self_core_ns), FORM_SCALED, 3,
     .doc = "Part of that on AI cores."},
    {"Device Total Duration With AICore(us)", SHOWN(op.total_core_ns), FORM_SCALED, 3,
     .doc = "Part of that on AI cores."},
    {.title = NULL},
};

void torch_put_lines(struct strbuf *buf, const char *text)
{
    strbuf_clear(buf);
    for (const char *end; (end = strchr(text, ';')) != NULL; text = end + 1) {
        strbuf_add(buf, text, (size_t)(end + 1 - text));
        strbuf_adds(buf, "\r\n");
    }
    strbuf_adds(buf, text);
}

static int put_ops(struct report_run *run, struct err *err)
{
    const struct framework *framework = report_analysis(run)->framework;
    struct strbuf shapes, stack;
    int status = 0;
    strbuf_init(&shapes, TORCH_TEXT_LIMIT);
    strbuf_init(&stack, TORCH_TEXT_LIMIT);
    for (size_t i = 0; status == 0 && i < framework->torch->ops.count; i++) {
        const struct torch_op *op = &framework->torch->ops.items[i];
        large_pass(i);
        if (op->is_step || !framework_wants_time(report_analysis(run), op->start_ns))
            continue;
        torch_put_lines(&shapes, op->shapes != TORCH_NONE ? framework_text(framework, op->shapes) : "");
        torch_put_lines(&stack, op->stack != TORCH_NONE ? framework_text(framework, op->stack) : "");
        int64_t total_ns = op->end_ns - op->start_ns;
        const struct shown row = {
            .op = *op,
            .name = framework_text(framework, op->name),
            .shapes = value_text_of(shapes.data, shapes.length),
            .stack = value_text_of(stack.data, stack.length),
            .self_ns = total_ns - op->children_ns,
            .total_ns = total_ns,
        };
        status = shapes.failed || stack.failed ? err_set(err, ERR_NO_MEMORY, "out of memory for a call stack")
                                               : report_put(run, &row, err);
    }
    strbuf_release(&shapes);
    strbuf_release(&stack);
    return status;
}

static const struct report operator_details = {
    .name = "operator_details",
    .title = "Operators",
    .doc = "Time of each operator, on the host and on devices.",
    .columns = columns,
    .rows = put_ops,
};

int pytorch_write_tables(struct framework_analysis *analysis, struct err *err)
{
    return framework_write_report(analysis, &operator_details, err);
}
