/* SPDX-License-Identifier: Apache-2.0 */
/* What the hooks of record kinds know of the launches of an OPPROF directory while it is decoded. A launch is a part of
 * the capture: the directory of its files. */
#ifndef MSPROF_FEATURES_OPPROF_KINDS_COMMON_OPPROF_TREE_H
#define MSPROF_FEATURES_OPPROF_KINDS_COMMON_OPPROF_TREE_H

#include "parsers/capture/capture.h"
#include "parsers/decode/decode.h"

struct opprof_launch {
    bool described;                     /* OpBasicInfo.csv was read: */
    int64_t cube_blocks, vector_blocks; /* rows that other files have; -1: not known */
    const char *cycles_file;            /* the first metric file; NULL: none yet */
    uint64_t cycles;                    /* its blocks with their cycles, as a hash that no order changes */
};

struct opprof_launches {
    struct opprof_launch *items; /* one for each part */
    size_t count;
};

/* The launch of a part of the capture; NULL with err set: memory ran out. */
struct opprof_launch *opprof_launch_of(struct capture *capture, size_t part, struct err *err);

/* The launch id that rows of the current file have. */
int64_t opprof_launch_id(struct decoder *decoder);

#endif
