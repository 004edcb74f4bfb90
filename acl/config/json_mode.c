/* SPDX-License-Identifier: Apache-2.0 */
/* Captures that an acl.json begins. */
#include "acl/config/json_config.h"
#include "acl/message.h"
#include "acl/mode.h"
#include "acl/stamp.h"

aclError acl_json_begin(const char *path, enum recorder_form form, const char *caller)
{
    struct acl_json_config config;
    if (path == NULL || *path == '\0')
        return ACL_SUCCESS;
    aclError code = acl_json_config_load(path, form, &config);
    if (code != ACL_SUCCESS)
        return code;
    if (config.enabled) {
        pthread_mutex_lock(&acl_json_lock);
        code = acl_mode_claim(ACL_MODE_JSON, caller);
        if (code == ACL_SUCCESS) {
            code = acl_recorder_begin(&config.options);
            if (code == ACL_SUCCESS)
                acl_stamps_enable(config.options.form, config.options.sample.msproftx);
            else
                acl_mode_release(ACL_MODE_JSON);
        } else if (code == ACL_ERROR_REPEAT_INITIALIZE) {
            code = ACL_ERROR_PROF_ALREADY_RUN;
        }
        pthread_mutex_unlock(&acl_json_lock);
    }
    acl_json_config_release(&config);
    return code;
}

aclError acl_json_end(void)
{
    aclError code = ACL_SUCCESS;
    pthread_mutex_lock(&acl_json_lock);
    if (acl_mode_active() == ACL_MODE_JSON) {
        acl_stamps_disable();
        code = acl_recorder_end();
        acl_mode_release(ACL_MODE_JSON);
    }
    pthread_mutex_unlock(&acl_json_lock);
    return code;
}

aclError msprof_acl_json_start(const char *path)
{
    if (path == NULL)
        return acl_fail_null("path");
    return acl_json_begin(path, RECORDER_PROF, "msprof_acl_json_start");
}

aclError msprof_acl_json_stop(void)
{
    return acl_json_end();
}
