/* Timelines of Ascend captures of the JOB era. */
#ifndef MSPROF_EXPORTERS_JOB_TIMELINE_H
#define MSPROF_EXPORTERS_JOB_TIMELINE_H

#include "exporters/trace/document.h"

/* Writes task_time_<device>.json for every device that has tasks: a thread for each stream. */
int job_timeline(struct timeline_run *run, struct err *err);

#endif
