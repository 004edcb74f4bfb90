/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory of a framework: what operators got, and how much was held. */
#ifndef MSPROF_FEATURES_FRAMEWORKS_REPORTS_MEMORY_H
#define MSPROF_FEATURES_FRAMEWORKS_REPORTS_MEMORY_H

#include "features/frameworks/reports/analysis.h"

struct framework_held {
    int64_t allocated, reserved, active; /* bytes */
};

/* A piece of memory. */
struct framework_piece {
    bool by_engine;                        /* the capture's engine got it, else the framework */
    const char *owner;                     /* the operator */
    int64_t owner_id;                      /* by_engine: its name in the capture */
    int64_t bytes, got_ns;                 /* ns since 1970 */
    int64_t gave_ns, block_ns;             /* when it was released, and free again; DB_NULL: never */
    struct framework_held at_got, at_gave; /* of the engine's active is not known */
    uint64_t stream;                       /* the engine's have none */
    int64_t device;
};
/* Calls each for every piece that was got in the steps that are asked for: the framework's by time, then for PyTorch
 * the engine's, those that were released first. */
typedef int framework_piece_taker(void *arg, const struct framework_piece *piece, struct err *err);
int framework_each_piece(struct framework_analysis *analysis, framework_piece_taker *each, void *arg, struct err *err);

#define FRAMEWORK_BOTH "PTA+GE"
struct framework_total {
    const char *component; /* PTA, WORKSPACE, GE, FRAMEWORK_BOTH; MindSpore, GE, MindSpore+GE */
    int64_t time_ns;
    struct framework_held own, engine;
    bool has_active, has_stream;
    uint64_t stream;
    int64_t device;
};
/* Calls each for the framework's and the engine's by time, each followed by what both hold together; of the steps that
 * are asked for. */
typedef int framework_total_taker(void *arg, const struct framework_total *total, struct err *err);
int framework_each_total(const struct framework_analysis *analysis, framework_total_taker *each, void *arg,
                         struct err *err);

#endif
