/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that CANN gives names: host/data/unaging.additional.hash_dic.*, lines "<number>:<name>". */
#ifndef MSPROF_PARSERS_FRAMEWORKS_HASH_DIC_H
#define MSPROF_PARSERS_FRAMEWORKS_HASH_DIC_H

#include "base/diag.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct hashed_name {
    const char *name;
    uint64_t number;
};

/* Sets the numbers of names (sorted by name); those that the capture does not say are calculated as CANN does. prof
 * NULL: all are. */
int hash_numbers(const char *prof, struct hashed_name *names, size_t count, struct diagnostics *diag, struct err *err);

#endif
