/* SPDX-License-Identifier: Apache-2.0 */
/* task_time_*: the AI core and AI CPU tasks of one model. */
#ifndef MSPROF_EXPORTERS_TIMELINE_TASK_TIMELINE_H
#define MSPROF_EXPORTERS_TIMELINE_TASK_TIMELINE_H

#include "db/query/query.h"
#include "exporters/timeline/document.h"

/* Writes the file; no file when none of the tasks has a time. */
int svp_task_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err);

#endif
