/* SPDX-License-Identifier: Apache-2.0 */
/* step_trace_time.csv: how each step's time went. */
#include "exporters/reports/framework/step_sums.h"

enum { DEVICE };

struct shown {
    struct step_times times;
    int64_t device_id;
    const char *step;
};

/* Nanoseconds, shown as microseconds. */
#define TIME(title, member, text)                                                                                      \
    {                                                                                                                  \
        title, SHOWN(times.member), FORM_SCALED_FIXED, 3, .doc = text                                                  \
    }

static const struct report_column columns[] = {
    [DEVICE] = {"Device_id", SHOWN(device_id), .doc = "The device."},
    {"Step", SHOWN(step), .doc = "The number that the framework gave the step."},
    TIME("Computing", computing, "When the device computed."),
    TIME("Communication(Not Overlapped)", only, "When it communicated and did nothing else."),
    TIME("Overlapped", overlapped, "When it did both."),
    TIME("Communication", communication, "When it communicated."),
    TIME("Free", free, "When it did neither."),
    TIME("Stage", stage, "From the first communication to the end of the last, without Bubble."),
    TIME("Bubble", bubble, "In operators that wait for another stage of a pipeline."),
    TIME("Communication(Not Overlapped and Exclude Receive)", excluding, "Without Bubble."),
    TIME("Preparing", preparing, "From the step's start on the host to the device's first work."),
    {.title = NULL},
};

struct putting {
    struct report_run *run;
    const struct framework_analysis *analysis;
};

static int put_step(void *arg, int64_t device_id, const struct step_sum *step, struct err *err)
{
    const struct putting *putting = arg;
    const char *none = putting->analysis->framework->info.kind == FRAMEWORK_PYTORCH ? "" : "0";
    const struct shown row = {step_times_of(putting->analysis, step), device_id, step->id != NULL ? step->id : none};
    return report_put(putting->run, &row, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct putting putting = {run, report_analysis(run)};
    return step_sums_each(report_analysis(run), put_step, &putting, err);
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
    run->plan.columns[DEVICE].there = framework_names_device(report_analysis(run)) || devices > 1;
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
