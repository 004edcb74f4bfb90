/* The columns of the task kind, for the kinds that derive it. */
#ifndef MSPROF_PARSERS_KINDS_TASK_H
#define MSPROF_PARSERS_KINDS_TASK_H

#include "parsers/record.h"

enum {
    TASK_FILE_ID,
    TASK_DEVICE_ID,
    TASK_STREAM_ID,
    TASK_TASK_ID,
    TASK_START_NS,
    TASK_DURATION_NS,
    TASK_START_TICK,
    TASK_END_TICK
};

extern const struct record_kind kind_task;

#endif
