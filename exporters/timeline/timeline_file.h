/* SPDX-License-Identifier: Apache-2.0 */
/* What the timelines of SVP captures share: a file is one model's. */
#ifndef MSPROF_EXPORTERS_TIMELINE_TIMELINE_FILE_H
#define MSPROF_EXPORTERS_TIMELINE_TIMELINE_FILE_H

#include "db/query/query.h"
#include "exporters/timeline/document.h"

#define SVP_CLOCK "system monotonic"

/* As trace_open and trace_close for one report ("task_time", "acl") of a model. */
int svp_timeline_open(struct trace *trace, struct timeline_run *run, const char *report, const struct svp_model *model,
                      struct err *err);
int svp_timeline_close(struct trace *trace, int result, const struct svp_model *model, struct err *err);

#endif
