/* SPDX-License-Identifier: Apache-2.0 */
/* mstx of programs that bring libmsprof_acl. */
#ifndef MSPROF_ACL_MSTX_TARGET_H
#define MSPROF_ACL_MSTX_TARGET_H

#include "acl/mstx/mstx.h"

/* Takes marks while a collection with msproftx runs. */
extern const struct mstx_sink acl_mstx_sink;

/* A copy of a list of domains that lives as long as the process; NULL: out of memory. */
const char *acl_mstx_keep_list(const char *text);

/* Domains of the collection that begins next: lists that were kept, or NULL (mstx_is_chosen). */
void acl_mstx_choose(const char *include, const char *exclude);

#endif
