/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines of SVP captures. */
#ifndef MSPROF_EXPORTERS_TIMELINE_TIMELINE_SVP_H
#define MSPROF_EXPORTERS_TIMELINE_TIMELINE_SVP_H

#include "exporters/timeline/document.h"

/* Writes, for every model, task_time_* when it has tasks, acl_* when it has ACL calls and msprof_* of both; then
 * msprof.json of all of them, which Ascend's tool has nothing like. */
int svp_timeline(struct timeline_run *run, struct err *err);

#endif
