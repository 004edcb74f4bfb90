/* SPDX-License-Identifier: Apache-2.0 */
/* task_time: when every task of the devices ran. */
#include "exporters/cann_report.h"
#include "exporters/table/report.h"

enum { DEVICE, NAME, TYPE, STREAM, TASK, DURATION, START, STOP, CORE, HOST_TYPE, DEVICE_TYPE };

static const struct report_column columns[] = {
    [DEVICE] = {"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
    [NAME] = {"kernel_name", "coalesce(kernel_name_id, op_name_id)", FORM_NAME,
              .doc = "The kernel, or the operator where no kernel is known."},
    [TYPE] = {"kernel_type", .flags = REPORT_NARROW,
              .doc = "The core of an operator's task; else what the host, or the device, says that the task is."},
    [STREAM] = {"stream_id", "stream_id", .flags = REPORT_NUMBER, .doc = "The stream."},
    [TASK] = {"task_id", "task_id", .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Its number in the stream."},
    [DURATION] = {"task_time(us)", "duration_ns", FORM_SCALED, 3, .doc = "How long it ran."},
    [START] = {"task_start(us)", "start_ns", FORM_TIME, .doc = "When it began, since 1970."},
    [STOP] = {"task_stop(us)", "start_ns + duration_ns", FORM_TIME, .flags = REPORT_NARROW,
              .doc = "When it ended, since 1970."},
    [CORE] = {"", "CASE WHEN op_name_id IS NOT NULL THEN coalesce(op_task_type, -1) END", .flags = REPORT_INPUT},
    [HOST_TYPE] = {"", "host_type_id", .flags = REPORT_INPUT},
    [DEVICE_TYPE] = {"", "type", .flags = REPORT_INPUT},
    {.title = NULL},
};

static int find_type(struct report_worker *worker, struct report_value *values, struct err *err)
{
    (void)worker;
    (void)err;
    if (values[CORE].kind != VALUE_MISSING)
        values[TYPE] = value_text(value_name_find(core_names_or_unknown, values[CORE].integer));
    else if (values[HOST_TYPE].kind != VALUE_MISSING)
        values[TYPE] = value_name(values[HOST_TYPE].integer);
    else
        values[TYPE] = value_text(cann_device_type(values[DEVICE_TYPE].integer));
    return 0;
}

static const struct report_scan scan = {.table = "device_task", .integers = true, .row = find_type};

const struct report report_task_time = {
    .name = "task_time",
    .title = "Tasks",
    .doc = "When every task of the devices ran, and what it was.",
    .families = FAMILY_CANN,
    .columns = columns,
    .scan = &scan,
};
