/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a capture beside its mask: what aclprofSetConfig sets by number and an acl.json by key
 * (docs/formats/acl-api.md B3 and B7), by the rules of parsers/switches/rule.h. */
#ifndef MSPROF_ACL_CONFIG_OPTION_RULE_H
#define MSPROF_ACL_CONFIG_OPTION_RULE_H

#include "msprof/acl_prof.h"
#include "parsers/switches/rule.h"

/* NULL when there is none. */
const struct switch_rule *option_rule_of_type(aclprofConfigType type);
const struct switch_rule *option_rule_of_key(const char *key, bool svp);

/* ACL_SUCCESS, or ACL_ERROR_INVALID_PROFILING_CONFIG with a message that names the rule's key and says what is allowed.
 */
aclError option_check_value(const struct switch_rule *rule, const char *value);

#endif
