/* SPDX-License-Identifier: Apache-2.0 */
/* Facts in a framework's directory beside its PROF capture, for questions to the capture's database. */
#ifndef MSPROF_FEATURES_FRAMEWORKS_REPORTS_HOST_SIDE_H
#define MSPROF_FEATURES_FRAMEWORKS_REPORTS_HOST_SIDE_H

#include "base/diag.h"
#include "base/err.h"
#include "base/map.h"
#include "features/frameworks/pytorch/torch.h"
#include "features/frameworks/reports/analysis.h"

#include <sqlite3.h>

/* All that ran on threads of the host. */
struct host_frame {
    int64_t thread, start_ns, end_ns;
    size_t parent; /* the frame around it, counted from 1; 0: none */
    const char *text;
    uint32_t source; /* the operator or range; HOST_NO_SOURCE: Python */
    bool python;
};
#define HOST_NO_SOURCE UINT32_MAX
struct host_frames ARRAY_OF(struct host_frame); /* by thread and start, the outer one first, when they are nested */
int host_frames_add(struct host_frames *frames, const struct host_frame *frame, struct err *err);
void host_frames_nest(struct host_frames *frames);
/* The innermost frame of a thread that holds a time, counted from 1; 0: none does. */
size_t host_frames_at(const struct host_frames *frames, int64_t thread, int64_t time_ns);

/* The lines of Python that were being run. All zero: not made. */
struct python_lines {
    const struct framework *framework;
    struct host_frames frames;
    struct map flows; /* where MindSpore's arrows begin */
};
struct python_flow {
    uint64_t number;
    size_t range;
};

/* Where the arrow to one of MindSpore's ranges begins; NULL: there is none. */
static inline const struct framework_range *python_lines_flow(const struct python_lines *lines,
                                                              const struct framework_range *range)
{
    const struct python_flow *flow = range->flow != FRAMEWORK_NO_FLOW ? map_get(&lines->flows, &range->flow) : NULL;
    return flow != NULL ? &lines->framework->ranges.items[flow->range] : NULL;
}

/* Adds to the database of an analysis, whose relation and lines are made:
 * framework_frame (id, thread_id, start_ns, end_ns, name): everything that ran on the host, by thread and start, the
 * outer one first;
 * framework_stack (id, parent, name): stacks as a tree, parents first; parent 0: none;
 * framework_launch_stack (connection_id, stack_id): inside of which a connection was launched. */
int framework_add_stacks(const struct framework_analysis *analysis, const struct python_lines *lines, struct err *err);

/* Adds tables of this connection alone to an open database of the capture prof, which is in directory:
 * framework_op (id, name, line): what launches, and the innermost line of Python around it ("": not known);
 * framework_work (op_id, name_id, duration_ns, communicates, start_ns, device_id): what devices ran for them;
 * framework_step (number, start_ns, end_ns): the framework's steps, on the device;
 * framework_stage: the stages of the data pipeline;
 * framework_wait (name, start_ns, end_ns): collections of garbage, and waits for data;
 * framework_piece (owner, device_id, got_ns, gave_ns, bytes): the device memory that the framework got;
 * and with stacks those of framework_add_stacks.
 * A damaged record is reported to diag. */
int framework_attach(sqlite3 *db, const char *directory, const char *prof, const char *database, bool stacks,
                     struct diagnostics *diag, struct err *err);

#define FRAMEWORK_GARBAGE "garbage collection" /* a name in framework_wait; the others wait for data */

/* Leaves of framework_work what the window of the connection has (db/query/query_window.h). */
int framework_choose_work(sqlite3 *db, struct err *err);
#define FRAMEWORK_ATTACHED "EXISTS (SELECT 1 FROM sqlite_temp_master WHERE name = 'framework_work')"
#define FRAMEWORK_STACKS_ATTACHED "EXISTS (SELECT 1 FROM sqlite_temp_master WHERE name = 'framework_launch_stack')"

#endif
