/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graphs: stacks of Python, calls of the host and operators, with how long, or how often.
 *
 *     struct flame flame;
 *     int status = flame_make(db, FLAME_DEVICE, &flame, err);
 *     if (status == 0)
 *         status = flame_write_collapsed(&flame, "flame.collapsed", &stacks, err);
 *     flame_release(&flame);
 */
#ifndef MSPROF_EXPORTERS_FLAME_FLAME_H
#define MSPROF_EXPORTERS_FLAME_FLAME_H

#include "base/err.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/number.h"
#include "exporters/export.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#define FLAME_NOT_LAUNCHED "[launch not recorded]" /* the frame around operators of which no call is known */
#define FLAME_DEPTH_MAX 512                        /* frames of a stack; what is deeper counts for the last of them */
#define FLAME_ROOT 0

/* A tree of frames: a parent stands before its children. The first is the root, which has no name. */
struct flame {
    enum flame_weight weight;
    struct intern names;
    struct flame_nodes {
        struct flame_node {
            uint32_t parent, name; /* a node, a number of names */
            uint32_t depth;        /* of the root 0 */
            int64_t self;          /* ns or executions, without what children have */
            int64_t total;         /* with it; set by flame_finish */
        } * items;
        size_t count, capacity;
    } nodes;
    struct map known; /* the child of a node by its name */
};

/* Makes the tree of an open database of a capture of any family, with the stacks that framework_attach has told the
 * connection. Without anything to show it has a root of nothing. flame_release it when this succeeds. */
int flame_make(sqlite3 *db, enum flame_weight weight, struct flame *ret, struct err *err);
void flame_release(struct flame *flame);

/* ---- inside of making one ---- */

/* The node of a frame inside of another, new or known; name: a number of flame->names. */
static inline void flame_add(struct flame *flame, uint32_t node, int64_t weight)
{
    flame->nodes.items[node].self = number_add(flame->nodes.items[node].self, weight);
}

/* ---- files ---- */

#endif
