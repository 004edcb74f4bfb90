/* What the timelines of SVP captures share: a file is one model's. */
#ifndef MSPROF_EXPORTERS_SVP_TIMELINE_FILE_H
#define MSPROF_EXPORTERS_SVP_TIMELINE_FILE_H

#include "db/query.h"
#include "exporters/timeline_file.h"

/* As timeline_file_open and timeline_file_close (timeline_file.h) for one report ("task_time", "acl") of a model. */
int svp_timeline_open(struct timeline_file *file, struct timeline_run *run, const char *report,
                      const struct svp_model *model, struct err *err);
int svp_timeline_close(struct timeline_file *file, int result, const struct svp_model *model, uint64_t events,
                       struct err *err);

#endif
