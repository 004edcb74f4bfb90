/* step_trace_time.csv: how each step's time went. */
#include "exporters/framework/step_sums.h"

#include <stdlib.h>

enum { DEVICE, STEP, COMPUTING, ONLY, OVERLAPPED, COMMUNICATION, FREE, STAGE, BUBBLE, EXCLUDING, PREPARING, COUNT };

/* Nanoseconds, shown as microseconds. */
#define TIME(title, text)                                                                                              \
    {                                                                                                                  \
        title, NULL, FORM_SCALED_FIXED, 3, .doc = text                                                                 \
    }

static const struct report_column columns[] = {
    [DEVICE] = {"Device_id", .doc = "The device."},
    [STEP] = {"Step", .doc = "The number that the framework gave the step."},
    [COMPUTING] = TIME("Computing", "When the device computed."),
    [ONLY] = TIME("Communication(Not Overlapped)", "When it communicated and did nothing else."),
    [OVERLAPPED] = TIME("Overlapped", "When it did both."),
    [COMMUNICATION] = TIME("Communication", "When it communicated."),
    [FREE] = TIME("Free", "When it did neither."),
    [STAGE] = TIME("Stage", "From the first communication to the end of the last, without Bubble."),
    [BUBBLE] = TIME("Bubble", "In operators that wait for another stage of a pipeline."),
    [EXCLUDING] = TIME("Communication(Not Overlapped and Exclude Receive)", "Without Bubble."),
    [PREPARING] = TIME("Preparing", "From the step's start on the host to the device's first work."),
    {.title = NULL},
};

static void put_values(const struct framework_analysis *analysis, const struct step_sum *step,
                       struct report_value *values)
{
    bool pytorch = analysis->framework->info.kind == FRAMEWORK_PYTORCH;
    const int64_t *spans = step->spans_ns;
    int64_t stage_ns = step->first_ns != DB_NULL ? step->last_end_ns - step->first_ns - step->bubble_ns : 0,
            rest_ns = spans[OVERLAP_COMMUNICATION_ONLY] - step->bubble_ns, preparing_ns = 0;
    if (step->first_work_ns != DB_NULL && step->host_start_ns != DB_NULL && analysis->framework->info.with_cpu)
        preparing_ns = step->first_work_ns - step->host_start_ns;
    values[STEP] = value_text(step->id != NULL ? step->id : pytorch ? "" : "0");
    values[COMPUTING] = value_integer(spans[OVERLAP_COMPUTING]);
    values[ONLY] = value_integer(spans[OVERLAP_COMMUNICATION_ONLY]);
    values[COMMUNICATION] = value_integer(spans[OVERLAP_COMMUNICATION]);
    values[OVERLAPPED] = value_integer(spans[OVERLAP_COMMUNICATION] - spans[OVERLAP_COMMUNICATION_ONLY]);
    values[FREE] = value_integer(spans[OVERLAP_FREE]);
    values[STAGE] = value_integer(stage_ns);
    values[BUBBLE] = value_integer(step->bubble_ns);
    values[EXCLUDING] = value_integer(pytorch && rest_ns < 0 ? 0 : rest_ns);
    values[PREPARING] = value_integer(preparing_ns);
}

static bool is_wanted(const struct framework_analysis *analysis, const struct step_sum *step)
{
    return step->id == NULL || framework_wants_step(analysis, step->id);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct framework_analysis *analysis = report_analysis(run);
    const struct cann_parts *parts = report_parts(run->session, err);
    struct report_value values[COUNT];
    int status = 0;
    if (parts == NULL)
        return -(int)err->code;
    for (size_t i = 0; status == 0 && i < parts->count; i++) {
        const struct cann_part *part = &parts->parts[i];
        struct step_sums sums;
        if (part->is_host)
            continue;
        int64_t device_id = part->device_id != DB_NULL ? part->device_id : 0;
        status = step_sums_make(analysis, device_id, &sums, err);
        for (size_t k = 0; status == 0 && k < sums.count; k++) {
            if (!is_wanted(analysis, &sums.items[k]))
                continue;
            values[DEVICE] = value_integer(device_id);
            put_values(analysis, &sums.items[k], values);
            status = report_row(run, values, err);
        }
        free(sums.items);
    }
    return status;
}

/* MindSpore's has no device: only where there are several it is told. */
static int open_report(struct report_run *run, struct err *err)
{
    const struct cann_parts *parts = report_parts(run->session, err);
    size_t devices = 0;
    if (parts == NULL)
        return -(int)err->code;
    for (size_t i = 0; i < parts->count; i++)
        devices += !parts->parts[i].is_host;
    run->plan.columns[DEVICE].there = report_analysis(run)->framework->info.kind == FRAMEWORK_PYTORCH || devices > 1;
    return 0;
}

static const struct report step_trace_time = {
    .name = "step_trace_time",
    .title = "Steps",
    .doc = "How the time of each step went.",
    .columns = columns,
    .open = open_report,
    .rows = put_rows,
};

int framework_write_step_trace_time(struct framework_analysis *analysis, struct err *err)
{
    return framework_write_report(analysis, &step_trace_time, err);
}
