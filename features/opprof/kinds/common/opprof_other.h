/* SPDX-License-Identifier: Apache-2.0 */
/* Values of columns that this version does not know. */
#ifndef MSPROF_FEATURES_OPPROF_KINDS_COMMON_OPPROF_OTHER_H
#define MSPROF_FEATURES_OPPROF_KINDS_COMMON_OPPROF_OTHER_H

#include "parsers/decode/decode.h"

/* Which row of a metric file; 32 bits each, so that there is no padding. */
struct block_key {
    int32_t block, core, sub_core; /* block and sub_core -1: none */
};

/* Keeps a value of the current file, unless it is NA; key NULL: of a row that is no block's. */
int opprof_other_put(struct decoder *decoder, const struct block_key *key, const char *name, const char *value,
                     struct err *err);

#endif
