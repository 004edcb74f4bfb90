/* SPDX-License-Identifier: Apache-2.0 */
/* acl_*: the ACL calls of one model, a thread of the trace for each thread of the program. */
#ifndef MSPROF_EXPORTERS_TIMELINE_ACL_TIMELINE_H
#define MSPROF_EXPORTERS_TIMELINE_ACL_TIMELINE_H

#include "db/query/query.h"
#include "exporters/timeline/document.h"

/* Writes the file; no file when none of the calls has a time. */
int acl_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err);

#endif
