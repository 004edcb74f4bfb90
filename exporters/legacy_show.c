#include "exporters/legacy_show.h"

#include "exporters/legacy_rows.h"
#include "exporters/tx_report.h"

struct legacy_show {
    struct show *show;
    struct export_options options; /* for what writes files as well */
    bool any_device;
};

static size_t count_operators(const struct legacy_device *device)
{
    size_t count = 0;
    for (size_t i = 0; i < device->task_count; i++)
        count += device->tasks[i].op != NULL;
    return count;
}

static void print_heading(struct show *show, const struct legacy_device *device)
{
    show_number(show, "Device id : ", device->part.device_id);
    show_number(show, "Model id : ", device->range.model_id);
    show_number(show, "Iteration : ", device->range.iteration);
    show_number(show, "Tasks : ", (int64_t)device->task_count);
    show_end_line(show);
}

static int show_block(struct legacy_reports *run, const char *title,
                      int (*print)(struct legacy_reports *run, struct err *err), const char *nothing, struct err *err)
{
    struct show *show = run->options->show;
    uint64_t rows = show->result->rows;
    show_title(show, title);
    show_end_line(show);
    int status = print(run, err);
    if (status == 0 && show->result->rows == rows) {
        show_field(show, "", nothing);
        show_end_line(show);
    }
    return status;
}

/* Tasks are shown on their own where that says more than the operators do: on chip 0 what they waited for. */
static int show_longest(struct legacy_reports *run, struct err *err)
{
    struct show *show = run->options->show;
    bool states = run->device->part.chip == 0;
    size_t operators = count_operators(run->device);
    size_t tasks = run->device->task_count + (states ? 0 : run->device->copy_count);
    size_t top = (size_t)show->options->top;
    int status = 0;
    if (operators > 0) {
        show_title(show, "Longest operators :");
        show_top(show, (int64_t)operators, "op_summary");
        status = legacy_longest_operators(run, top, err);
    }
    if (status == 0 && tasks > 0 && (states || operators < tasks)) {
        show_title(show, "Longest tasks :");
        show_top(show, (int64_t)tasks, "task_time");
        status = legacy_longest_tasks(run, top, err);
    }
    return status;
}

static int show_blocks(struct legacy_reports *run, struct err *err)
{
    const char *no_operators = run->device->task_count == 0
                                   ? "No tasks: none could be read of what the device recorded."
                                   : "No operators: nothing that the host recorded names the operator of a task.";
    print_heading(run->options->show, run->device);
    int status = show_block(run, "Op statistic :", legacy_op_statistic, no_operators, err);
    if (status == 0)
        status = show_longest(run, err);
    if (status == 0)
        status = show_block(run, "Acl statistic :", legacy_acl_statistic, "No calls of ACL functions.", err);
    if (status == 0)
        status = show_block(run, "Runtime api :", legacy_runtime_statistic, "No calls of runtime functions.", err);
    return status;
}

static int show_loaded_device(void *arg, struct legacy_device *device, struct err *err)
{
    struct legacy_show *legacy = arg;
    struct show *show = legacy->show;
    struct legacy_reports run = {.db = show->db, .options = &legacy->options, .result = show->result, .device = device};
    legacy->any_device = true;
    legacy_device_sort_by_start(device);
    return show_blocks(&run, err);
}

int legacy_show(struct show *show, struct err *err)
{
    struct legacy_show legacy = {
        .show = show,
        .options = {.database = show->options->database, .format = TABLE_TERMINAL, .model_id = -1, .show = show},
    };
    int status = legacy_each_device(show->db, &legacy.options, true, show_loaded_device, &legacy, err);
    if (status == 0 && !legacy.any_device) {
        show_field(show, "", "No device data: the capture has no device's part that can be read.");
        show_end_line(show);
    }
    return status == 0 ? tx_show(show, err) : status;
}
