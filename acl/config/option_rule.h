/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a capture beside its mask: what aclprofSetConfig sets by number and an acl.json by key
 * (docs/formats/acl-api.md B3 and B7), by the rules of features/options/rule.h. */
#ifndef MSPROF_ACL_CONFIG_OPTION_RULE_H
#define MSPROF_ACL_CONFIG_OPTION_RULE_H

#include "features/options/rule.h"
#include "msprof/acl_prof.h"

#include <stdbool.h>
#include <stdint.h>

/* Directories that a program names for its captures. */

/* Makes sure that the path is a directory in which this process can make others, creating it and its parents (0750),
 * and gives its absolute form (free() it). ACL_ERROR_INVALID_FILE or ACL_ERROR_BAD_ALLOC with a message that names
 * parameter. */
aclError acl_path_prepare(const char *path, const char *parameter, bool svp, char **ret_absolute);

const struct switch_rule *option_rule_of_key(const char *key, bool svp);

/* ACL_SUCCESS, or ACL_ERROR_INVALID_PROFILING_CONFIG with a message that names the rule's key and says what is allowed.
 */
aclError option_check_value(const struct switch_rule *rule, const char *value);

/* Settings of aclprofSetConfig: kept until aclprofFinalize, for the captures that are started meanwhile. */

#define ACL_OPTION_MAX 256 /* bytes of a value, without the final NUL */

/* Copies the value of a type, "" when it is not set, into a buffer of ACL_OPTION_MAX + 1 bytes. */
void acl_option_get(int type, char *ret);
/* ACL_PROF_STORAGE_LIMIT in bytes; 0: not set. */
uint64_t acl_option_storage_limit(void);
void acl_options_clear(void);

#endif
