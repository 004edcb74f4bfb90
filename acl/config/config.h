/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations of a collection: those that aclprofCreateConfig and svp_acl_prof_create_config hand out. Programs
 * hold their addresses; each is looked up in a list of the living ones, so that one that was destroyed is an error. */
#ifndef MSPROF_ACL_CONFIG_CONFIG_H
#define MSPROF_ACL_CONFIG_CONFIG_H

#include "msprof/acl_prof.h"

#include <stdbool.h>

#define ACL_DEVICES_MAX 64

/* The bits that have a meaning (docs/formats/acl-api.md B3); SVP boards know the first four. */
#define ACL_MASK_SUPPORTED                                                                                             \
    (ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_AICORE_METRICS | ACL_PROF_AICPU | ACL_PROF_L2CACHE |             \
     ACL_PROF_HCCL_TRACE | ACL_PROF_TRAINING_TRACE | ACL_PROF_MSPROFTX | ACL_PROF_RUNTIME_API | ACL_PROF_GE_API_L0 |   \
     ACL_PROF_TASK_TIME_L0 | ACL_PROF_TASK_MEMORY | ACL_PROF_TASK_TIME_L2 | ACL_PROF_OP_ATTR | ACL_PROF_TASK_TIME_L3 | \
     ACL_PROF_GE_API_L1 | ACL_PROF_API_STATS | ACL_PROF_AICORE_SHAPE)
#define ACL_MASK_SUPPORTED_SVP (ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_AICORE_METRICS | ACL_PROF_AICPU)
#define ACL_MASK_AICPU_MODEL 0x4000000000000000ULL /* comes with every mask; not for programs */

struct acl_config {
    bool svp;
    uint32_t devices[ACL_DEVICES_MAX]; /* ascending */
    uint32_t device_count;             /* 0: only what the host knows */
    aclprofAicoreMetrics metrics;
    uint64_t mask; /* as the program gave it */
};

/* A new configuration in the list, or NULL with the message set: see aclprofCreateConfig. The addresses of the program
 * are only ever compared, never followed. */
void *acl_config_create(const struct acl_config *values, const uint32_t *devices, uint32_t count, const void *events);
/* Takes it out of the list and frees it; ACL_ERROR_INVALID_PARAM when it is not in it. */
aclError acl_config_destroy(const void *handle);
/* Copies a living configuration; ACL_ERROR_INVALID_PARAM for NULL, one that was destroyed, or one of the other API. */
aclError acl_config_get(const void *handle, bool svp, struct acl_config *ret);

bool acl_config_equal(const struct acl_config *a, const struct acl_config *b);
bool acl_config_same_settings(const struct acl_config *a, const struct acl_config *b); /* but for the devices */
/* Whether a device is in both, or both have none. */
bool acl_config_overlaps(const struct acl_config *a, const struct acl_config *b);

/* The mask with the bits that others bring (docs/formats/acl-api.md B3, "mask expansion"). */
uint64_t acl_mask_expand(uint64_t mask);

/* Devices that there are: the number in MSPROF_ACL_DEVICES (1 to 64), else 64, because no device is asked. */
uint32_t acl_device_count(void);

/* The name of metrics in sample.json and acl.json; NULL for ACL_AICORE_NONE and unknown ones. */
const char *acl_metrics_name(aclprofAicoreMetrics metrics);
/* The inverse; ACL_AICORE_NONE when there is no such name. */
aclprofAicoreMetrics acl_metrics_of_name(const char *name);

#endif
