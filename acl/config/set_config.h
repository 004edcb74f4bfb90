/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of aclprofSetConfig: kept until aclprofFinalize, for the captures that are started meanwhile. */
#ifndef MSPROF_ACL_CONFIG_SET_CONFIG_H
#define MSPROF_ACL_CONFIG_SET_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#define ACL_OPTION_MAX 256 /* bytes of a value, without the final NUL */

/* Copies the value of a type, "" when it is not set, into a buffer of ACL_OPTION_MAX + 1 bytes. */
void acl_option_get(int type, char *ret);
/* ACL_PROF_STORAGE_LIMIT in bytes; 0: not set. */
uint64_t acl_option_storage_limit(void);
void acl_options_clear(void);

#endif
