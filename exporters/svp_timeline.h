/* Timelines of SVP captures. */
#ifndef MSPROF_EXPORTERS_SVP_TIMELINE_H
#define MSPROF_EXPORTERS_SVP_TIMELINE_H

#include "db/query.h"
#include "exporters/timeline.h"

/* Writes, for every model, task_time_* when it has tasks and acl_* when it has ACL calls. */
int svp_timeline(struct timeline_run *run, struct err *err);

/* One of these files: AI core and AI CPU tasks of one model, or its ACL calls. */
int svp_task_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err);
int acl_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err);

/* Opens and closes the file of one report ("task_time", "acl") of a model. */
int svp_timeline_open(struct timeline_file *file, struct timeline_run *run, const char *report,
                      const struct svp_model *model, struct err *err);
int svp_timeline_close(struct timeline_file *file, int result, const struct svp_model *model, uint64_t events,
                       struct err *err);

#endif
