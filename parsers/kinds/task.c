/* Task executions on an Ascend device: derived from pairs of start and end records. */
#include "parsers/kinds/task.h"

static const struct column columns[] = {
    [TASK_FILE_ID] = {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL,
                      "The file of its end record (source_file.id)."},
    [TASK_DEVICE_ID] = {"device_id", "Device ID", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL,
                        "The device, from the file name."},
    [TASK_STREAM_ID] = {"stream_id", "Stream ID", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL,
                        "The stream that the task ran on."},
    [TASK_TASK_ID] = {"task_id", "Task ID", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, "The task's number."},
    [TASK_START_NS] = {"start_ns", "Start", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL,
                       "When it began, on the device's system counter."},
    [TASK_DURATION_NS] = {"duration_ns", "Duration", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL,
                          "From start to end."},
};

const struct record_kind kind_task = {
    .name = "task",
    .table = "task",
    .title = "Task execution",
    .doc = "One execution of a task: a start record and the next end record of the same stream and task. When several "
           "starts "
           "precede an end, the latest counts.",
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
};
