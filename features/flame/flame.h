/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graphs: stacks of Python, calls of the host and operators, with how long, or how often.
 *
 *     struct flame flame;
 *     if (flame_make(db, FLAME_DEVICE, &flame, err) < 0)
 *         return err_status(err);
 *     ...                                     // flame_order and flame_walk_next give each frame with its box
 *     flame_release(&flame);
 */
#ifndef MSPROF_FEATURES_FLAME_FLAME_H
#define MSPROF_FEATURES_FLAME_FLAME_H

#include "base/err.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/number.h"
#include "base/ticks.h"
#include "exporters/export.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLAME_NOT_LAUNCHED "[launch not recorded]" /* the frame around operators of which no call is known */
#define FLAME_DEPTH_MAX 512                        /* frames of a stack; what is deeper counts for the last of them */
#define FLAME_ROOT 0

/* A tree of frames: a parent stands before its children. The first is the root, which has no name. */
struct flame {
    enum flame_weight weight;
    bool together; /* steps that a framework numbers, "ProfilerStep#5", are one frame, "ProfilerStep#*" */
    int64_t hz;    /* times are summed in ticks of this rate (base/ticks.h), until flame_finish rounds them */
    struct intern names;
    struct flame_nodes {
        struct flame_node {
            uint32_t parent, name; /* a node, a number of names */
            uint32_t depth;        /* of the root 0 */
            uint32_t latest;       /* the child that was asked for last; 0: none was */
            int64_t self;          /* ns or executions, without what children have */
            int64_t total;         /* with it; set by flame_finish */
        } * items;
        size_t count, capacity;
    } nodes;
    struct map known; /* the child of a node by its name */
};

/* Makes the tree of an open database of a capture of any family, with the stacks that framework_attach registered in
 * the connection. Without anything to show it has a root of nothing. flame_release it when this succeeds. */
int flame_make(sqlite3 *db, enum flame_weight weight, struct flame *ret, struct err *err);
/* Likewise with the steps of a framework together. */
int flame_make_together(sqlite3 *db, enum flame_weight weight, struct flame *ret, struct err *err);
void flame_release(struct flame *flame);

/* Colours the shape that is open by a name alone, warm and bright enough for black letters. */
struct html_writer;
void flame_put_colour(struct html_writer *w, const char *name);

/* ---- inside of making one ---- */

/* The node of a frame inside of another, new or known; name: a number of flame->names. */
static inline void flame_add(struct flame *flame, uint32_t node, int64_t weight)
{
    flame->nodes.items[node].self = number_add(flame->nodes.items[node].self, weight);
}
static inline void flame_add_ns(struct flame *flame, uint32_t node, int64_t start_ns, int64_t ns)
{
    flame_add(flame, node, ticks_of(flame->hz, start_ns, ns));
}

/* ---- the tree in order ---- */

/* The nodes that have a weight, each before its children. */
struct flame_order {
    const struct flame *flame;
    uint32_t *nodes; /* by parent, then by name or the largest total first */
    uint32_t *first; /* of each node: where its children stand there; ends are the first of the next */
    size_t count;
};
/* It needs flame_order_release whatever the result. */
int flame_order(const struct flame *flame, bool largest_first, struct flame_order *ret, struct err *err);
void flame_order_release(struct flame_order *ordered);

/* A walk through all frames, parents first. */
struct flame_walk {
    const struct flame_order *ordered;
    uint32_t open[FLAME_DEPTH_MAX + 1]; /* nodes, from the root on */
    uint32_t next[FLAME_DEPTH_MAX + 1]; /* where their next child stands */
    size_t depth;                       /* of the node that was given last */
    double x, width; /* of its box: siblings stand beside each other, from where their parent's begins */
    double ends[FLAME_DEPTH_MAX + 1]; /* of each depth: where the next child of the open node stands */
    double whole_width, whole;        /* of a box of so much weight */
};
void flame_walk_begin(struct flame_walk *walk, const struct flame_order *ordered, double left, double width,
                      double whole);
/* false: there are no more. */
bool flame_walk_next(struct flame_walk *walk, uint32_t *ret);

#endif
