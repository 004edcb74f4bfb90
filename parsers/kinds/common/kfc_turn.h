/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of turns of kernels that compute and communicate at once (MC2): records of aicpu.data. Behind the
 * columns here stand those of the points in time of a turn: of the counter of the device, then as many of nanoseconds.
 */
#ifndef MSPROF_PARSERS_KINDS_COMMON_KFC_TURN_H
#define MSPROF_PARSERS_KINDS_COMMON_KFC_TURN_H

#include "parsers/kinds/common/aicpu_stream.h"
#include "parsers/kinds/common/sample.h"

enum { FILE_ID, DEVICE_ID, STREAM_ID, TASK_ID, TURNS, TURN, FIRST_TICK };

#define KFC_TURN_COLUMNS(what)                                                                                         \
    [FILE_ID] = FILE_COLUMN, [DEVICE_ID] = DEVICE_COLUMN,                                                              \
    [STREAM_ID] = NUMBER_COLUMN("stream_id", "Stream ID", "The stream of the AI CPU's task."),                         \
    [TASK_ID] = NUMBER_COLUMN("task_id", "Task ID", "The AI CPU's task."),                                             \
    [TURNS] = NUMBER_COLUMN("turn_count", "Turns", "How many turns of " what " the kernel has."),                      \
    [TURN] = NUMBER_COLUMN("turn", "Turn", "Which one it is.")

/* Arguments of a slice of a turn. */
#define KFC_TURN_VALUES                                                                                                \
    {"Physic Stream Id", "stream_id", .form = FORM_TEXT}, {"Task Id", "task_id", .form = FORM_TEXT},                   \
    {                                                                                                                  \
        .title = NULL                                                                                                  \
    }

/* The record hook: fills the columns that no field gives. */
int kfc_turn_take(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err);

#endif
