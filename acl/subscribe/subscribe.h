/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions of models, for both families of names. */
#ifndef MSPROF_ACL_SUBSCRIBE_SUBSCRIBE_H
#define MSPROF_ACL_SUBSCRIBE_SUBSCRIBE_H

#include "msprof/acl_prof.h"

#include <stdint.h>

/* A new configuration with the write end that *fd names; metrics are what aclprofAicoreMetrics numbers. NULL, with its
 * message set, when a value is wrong or memory ran out. */
aclprofSubscribeConfig *subscribe_config_new(int8_t time_switch, aclprofAicoreMetrics metrics, const void *fd);
/* ACL_ERROR_INVALID_PARAM when it is no configuration (any more). Models that use it stay subscribed. */
aclError subscribe_config_free(const void *config);

/* caller is the function that messages name. Codes as aclprofModelSubscribe's and aclprofModelUnSubscribe's. */
aclError subscribe_model(uint32_t model_id, const void *config, const char *caller);
aclError unsubscribe_model(uint32_t model_id);

#endif
