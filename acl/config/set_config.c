/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/config/set_config.h"

#include "acl/config/option_rule.h"
#include "acl/locks.h"
#include "acl/message.h"

#include <string.h>

static char values[ACL_PROF_ARGS_MAX][ACL_OPTION_MAX + 1];

aclError aclprofSetConfig(aclprofConfigType configType, const char *config, size_t configLength)
{
    const struct switch_rule *rule = option_rule_of_type(configType);
    if (rule == NULL)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "configType", configType, "there is no such type");
    if (config == NULL)
        return acl_fail_null("config");
    if (configLength > ACL_OPTION_MAX)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "configLength", configLength, "it is more than 256");
    if (strnlen(config, configLength + 1) != configLength)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "configLength", configLength,
                               "it is not the length of the value");
    aclError code = option_check_value(rule, config);
    if (code != ACL_SUCCESS)
        return code;
    pthread_mutex_lock(&acl_option_lock);
    memcpy(values[configType], config, configLength + 1);
    pthread_mutex_unlock(&acl_option_lock);
    return ACL_SUCCESS;
}

void acl_option_get(int type, char *ret)
{
    pthread_mutex_lock(&acl_option_lock);
    memcpy(ret, values[type], sizeof values[type]);
    pthread_mutex_unlock(&acl_option_lock);
}

uint64_t acl_option_storage_limit(void)
{
    char value[ACL_OPTION_MAX + 1];
    acl_option_get(ACL_PROF_STORAGE_LIMIT, value);
    return *value == '\0' ? 0 : switch_size_bytes(value);
}

void acl_options_clear(void)
{
    pthread_mutex_lock(&acl_option_lock);
    memset(values, 0, sizeof values);
    pthread_mutex_unlock(&acl_option_lock);
}
