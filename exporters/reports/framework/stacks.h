/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks that a framework's directory tells of: Python and the framework's own operators. */
#ifndef MSPROF_EXPORTERS_REPORTS_FRAMEWORK_STACKS_H
#define MSPROF_EXPORTERS_REPORTS_FRAMEWORK_STACKS_H

#include "exporters/reports/framework/host_side.h"

/* Adds to the database of an analysis, whose relation and lines are made:
 * framework_frame (id, thread_id, start_ns, end_ns, name): everything that ran on the host, by thread and start, the
 * outer one first;
 * framework_stack (id, parent, name): stacks as a tree, parents first; parent 0: none;
 * framework_launch_stack (connection_id, stack_id): inside of which a connection was launched. */
int framework_add_stacks(const struct framework_analysis *analysis, const struct python_lines *lines, struct err *err);

#endif
