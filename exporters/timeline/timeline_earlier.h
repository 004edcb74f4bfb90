/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines of captures from before 2023. */
#ifndef MSPROF_EXPORTERS_TIMELINE_TIMELINE_EARLIER_H
#define MSPROF_EXPORTERS_TIMELINE_TIMELINE_EARLIER_H

#include "exporters/timeline/document.h"

/* Writes <timeline>_<device>[_<model>]_<iteration>.json for each that the capture has something for: with compat as
 * Ascend's tool of 2022 wrote them. */
int timeline_of_2022(struct timeline_run *run, struct err *err);

/* Writes task_time_<device>.json for each device of a capture of JOB that has tasks. */
int timeline_of_job(struct timeline_run *run, struct err *err);

#endif
