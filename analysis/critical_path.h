/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what a stretch of time waited for, and how much longer everything else could have taken. A node began when the
 * last of those that it waits for had ended, and some time behind it, its lag: with these the graph is exactly what was
 * recorded, and the critical path is the way back from the last end. */
#ifndef MSPROF_ANALYSIS_CRITICAL_PATH_H
#define MSPROF_ANALYSIS_CRITICAL_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATH_NONE UINT32_MAX
#define PATH_BEFORE 3             /* that a node can wait for */
#define PATH_NO_SLACK INT64_C(-1) /* nothing that ends the stretch waits for it */

struct path_node {
    int64_t start_ns, end_ns;
    int64_t latest_ns;            /* when it could have ended without the stretch ending later: set by path_find */
    uint32_t before[PATH_BEFORE]; /* nodes that it waits for, all in front of it; PATH_NONE: none */
    bool ends;                    /* the stretch may end with it: a task may, a call of the host does not */
    bool critical;                /* it is on the path: set by path_find */
};

/* All zero but those arrays; a node waits for nothing. */
void path_node_clear(struct path_node *node);
/* Lets a node wait for another. One that ended behind its begin, or that does not stand in front of it, is nothing that
 * it waited for: then nothing happens. */
void path_wait(struct path_node *nodes, uint32_t node, uint32_t before);

/* Marks the critical path, and sets latest_ns, in one way back through the nodes. The last of the path is the first of
 * those that end last among the ones that may end it; PATH_NONE: there is none. */
uint32_t path_find(struct path_node *nodes, size_t count);
/* The node whose end a node waited for: the last of them, of equal ones the first. PATH_NONE: it waits for nothing. */
uint32_t path_binding(const struct path_node *nodes, uint32_t node);
/* How much longer it could have taken; 0 on the path. PATH_NO_SLACK: it could have lasted to the end. */
int64_t path_slack_ns(const struct path_node *node);

#endif
