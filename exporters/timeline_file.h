/* What the timelines of every family share: one run of export_timeline, and one file of it. */
#ifndef MSPROF_EXPORTERS_TIMELINE_FILE_H
#define MSPROF_EXPORTERS_TIMELINE_FILE_H

#include "base/outfile.h"
#include "exporters/export.h"
#include "exporters/trace.h"

#include <sqlite3.h>
#include <stdint.h>

struct timeline_run {
    sqlite3 *db;
    const struct export_options *options;
    struct export_result *result; /* counts what is complete */
    int64_t origin_ns;
    uint64_t done, total; /* events, for the progress */
};

/* One file of the run. */
struct timeline_file {
    struct timeline_run *run;
    const char *report; /* "task_time", "acl" */
    char *path;
    struct outfile out;
};

/* Begins "<directory>/<name>" with the head of a trace. */
int timeline_file_open(struct timeline_file *file, struct timeline_run *run, const char *report, const char *name,
                       struct err *err);
/* Ends it: with result 0 and events > 0 the trace is completed, appears under its name, is counted and told; with no
 * events nothing appears; with another result nothing appears and it is passed on, err untouched unless the output
 * itself failed, which is then told. */
int timeline_file_close(struct timeline_file *file, int result, const struct trace_info *info, uint64_t events,
                        struct err *err);

/* Tells that so many more events are done. */
void timeline_progress(struct timeline_run *run, uint64_t events);

#endif
