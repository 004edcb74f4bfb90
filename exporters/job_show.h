/* The terminal report of Ascend captures of the JOB era. */
#ifndef MSPROF_EXPORTERS_JOB_SHOW_H
#define MSPROF_EXPORTERS_JOB_SHOW_H

#include "exporters/show_block.h"

/* Prints each device's Op statistic. */
int job_show(struct show *show, struct err *err);

#endif
