/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MSPROF_EXPORTERS_REPORTS_FRAMEWORK_TORCH_TABLES_H
#define MSPROF_EXPORTERS_REPORTS_FRAMEWORK_TORCH_TABLES_H

#include "exporters/reports/framework/analysis.h"

/* Device memory of PyTorch: what operators got, and how much was held. */

struct torch_held {
    int64_t allocated, reserved, active; /* bytes */
};

/* A piece of memory. */
struct torch_piece {
    bool by_engine;                    /* the capture's engine got it, else the framework */
    const char *owner;                 /* the operator */
    int64_t owner_id;                  /* by_engine: its name in the capture */
    int64_t bytes, got_ns;             /* ns since 1970 */
    int64_t gave_ns, block_ns;         /* when it was released, and free again; DB_NULL: never */
    struct torch_held at_got, at_gave; /* of the engine's active is not known */
    uint64_t stream;                   /* the engine's have none */
    int64_t device;
};
/* Calls each for every piece that was got in the steps that are asked for: the framework's by time, then the engine's,
 * those that were released first. */
int torch_each_piece(const struct framework_analysis *analysis,
                     int (*each)(void *arg, const struct torch_piece *piece, struct err *err), void *arg,
                     struct err *err);

#define TORCH_BOTH "PTA+GE"
struct torch_record {
    const char *component; /* PTA, WORKSPACE, GE, TORCH_BOTH */
    int64_t time_ns;
    struct torch_held held;
    bool has_active, has_stream;
    uint64_t stream;
    int64_t device;
};
/* Calls each for the framework's and the engine's by time, each followed by what both hold together; of the steps that
 * are asked for. */
int torch_each_record(const struct framework_analysis *analysis,
                      int (*each)(void *arg, const struct torch_record *record, struct err *err), void *arg,
                      struct err *err);

#endif
