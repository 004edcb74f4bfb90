/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/config/config.h"

#include "acl/message.h"
#include "acl/mode.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

struct node {
    struct acl_config config;
    struct node *next;
};

static struct node *living; /* protected by acl_config_lock */

uint32_t acl_device_count(void)
{
    const char *setting = getenv("MSPROF_ACL_DEVICES");
    int64_t count;
    if (setting == NULL || number_parse_integer(setting, strlen(setting), &count) < 0 || count < 1 ||
        count > ACL_DEVICES_MAX)
        return ACL_DEVICES_MAX;
    return (uint32_t)count;
}

static const struct {
    aclprofAicoreMetrics metrics;
    const char *name;
} metrics_names[] = {
    {ACL_AICORE_ARITHMETIC_UTILIZATION, "ArithmeticUtilization"},
    {ACL_AICORE_PIPE_UTILIZATION, "PipeUtilization"},
    {ACL_AICORE_MEMORY_BANDWIDTH, "Memory"},
    {ACL_AICORE_L0B_AND_WIDTH, "MemoryL0"},
    {ACL_AICORE_RESOURCE_CONFLICT_RATIO, "ResourceConflictRatio"},
    {ACL_AICORE_MEMORY_UB, "MemoryUB"},
    {ACL_AICORE_L2_CACHE, "L2Cache"},
    {ACL_AICORE_PIPE_EXECUTE_UTILIZATION, "PipelineExecuteUtilization"},
    {ACL_AICORE_MEMORY_ACCESS, "MemoryAccess"},
};

const char *acl_metrics_name(aclprofAicoreMetrics metrics)
{
    for (size_t i = 0; i < sizeof metrics_names / sizeof *metrics_names; i++) {
        if (metrics_names[i].metrics == metrics)
            return metrics_names[i].name;
    }
    return NULL;
}

aclprofAicoreMetrics acl_metrics_of_name(const char *name)
{
    for (size_t i = 0; i < sizeof metrics_names / sizeof *metrics_names; i++) {
        if (strcmp(metrics_names[i].name, name) == 0)
            return metrics_names[i].metrics;
    }
    return ACL_AICORE_NONE;
}

uint64_t acl_mask_expand(uint64_t mask)
{
    const uint64_t task_times =
        ACL_PROF_TASK_TIME | ACL_PROF_TASK_TIME_L0 | ACL_PROF_TASK_TIME_L2 | ACL_PROF_TASK_TIME_L3 | ACL_PROF_OP_ATTR;
    if ((mask & ACL_PROF_API_STATS) != 0)
        return (mask & (ACL_PROF_ACL_API | ACL_PROF_API_STATS)) | ACL_MASK_AICPU_MODEL;
    if ((mask & ACL_PROF_TASK_TIME_L3) != 0)
        mask |= ACL_PROF_TASK_TIME_L2;
    if ((mask & (ACL_PROF_TASK_TIME_L2 | ACL_PROF_OP_ATTR)) != 0)
        mask |= ACL_PROF_TASK_TIME;
    if ((mask & ACL_PROF_TASK_TIME) != 0)
        mask |= ACL_PROF_TASK_TIME_L0;
    if ((mask & task_times) != 0)
        mask |= ACL_PROF_TRAINING_TRACE;
    return mask | ACL_MASK_AICPU_MODEL;
}

static aclError check_devices(const uint32_t *devices, uint32_t count, const struct acl_config *values)
{
    uint32_t existing = acl_device_count();
    if (devices == NULL && count > 0)
        return acl_fail_null("deviceIdList");
    if (count > ACL_DEVICES_MAX || count > existing)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "deviceNums", count, "there are not as many devices");
    if (count == 0 && (values->svp || (values->mask & ACL_PROF_MSPROFTX) == 0))
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "deviceNums", count,
                               "no device is allowed only with ACL_PROF_MSPROFTX (0x80)");
    for (uint32_t i = 0; i < count; i++) {
        if (devices[i] >= existing)
            return acl_fail_number(ACL_ERROR_INVALID_PARAM, "deviceIdList", devices[i], "there is no such device");
        for (uint32_t j = 0; j < i; j++) {
            if (devices[j] == devices[i])
                return acl_fail_number(ACL_ERROR_INVALID_PARAM, "deviceIdList", devices[i],
                                       "the device is named twice");
        }
    }
    return ACL_SUCCESS;
}

static aclError check_metrics(const struct acl_config *values)
{
    if (values->svp && values->metrics != ACL_AICORE_ARITHMETIC_UTILIZATION &&
        ((values->mask & ACL_PROF_AICORE_METRICS) != 0 || values->metrics != ACL_AICORE_NONE))
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "aicore_metrics", values->metrics,
                               "boards know only SVP_ACL_AICORE_ARITHMETIC_UTILIZATION");
    if (values->metrics != ACL_AICORE_NONE && acl_metrics_name(values->metrics) == NULL)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "aicoreMetrics", values->metrics, "there are no such metrics");
    return ACL_SUCCESS;
}

static int compare_devices(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

void *acl_config_create(const struct acl_config *values, const uint32_t *devices, uint32_t count, const void *events)
{
    if (events != NULL) {
        (void)acl_fail_pointer(ACL_ERROR_INVALID_PARAM, "aicoreEvents", events, "it must be NULL");
        return NULL;
    }
    if (check_devices(devices, count, values) != ACL_SUCCESS || check_metrics(values) != ACL_SUCCESS)
        return NULL;
    struct node *node = calloc(1, sizeof *node);
    if (node == NULL) {
        (void)acl_fail_memory();
        return NULL;
    }
    node->config = *values;
    node->config.device_count = count;
    if (count > 0) {
        memcpy(node->config.devices, devices, count * sizeof *devices);
        qsort(node->config.devices, count, sizeof *devices, compare_devices);
    }
    pthread_mutex_lock(&acl_config_lock);
    node->next = living;
    living = node;
    pthread_mutex_unlock(&acl_config_lock);
    return node;
}

/* The link that leads to a living configuration; NULL when it is none. With the lock held. */
static struct node **find(const void *handle)
{
    for (struct node **link = &living; *link != NULL; link = &(*link)->next) {
        if (*link == handle)
            return link;
    }
    return NULL;
}

static aclError refuse_handle(const void *handle)
{
    if (handle == NULL)
        return acl_fail_null("profilerConfig");
    return acl_fail_pointer(ACL_ERROR_INVALID_PARAM, "profilerConfig", handle,
                            "it is not a configuration, or was destroyed");
}

aclError acl_config_destroy(const void *handle)
{
    SCOPED_FREE struct node *node = NULL;
    pthread_mutex_lock(&acl_config_lock);
    struct node **link = find(handle);
    if (link != NULL) {
        node = *link;
        *link = node->next;
    }
    pthread_mutex_unlock(&acl_config_lock);
    if (node == NULL)
        return refuse_handle(handle);
    return ACL_SUCCESS;
}

aclError acl_config_get(const void *handle, bool svp, struct acl_config *ret)
{
    bool found = false;
    pthread_mutex_lock(&acl_config_lock);
    struct node **link = find(handle);
    if (link != NULL && (*link)->config.svp == svp) {
        *ret = (*link)->config;
        found = true;
    }
    pthread_mutex_unlock(&acl_config_lock);
    return found ? ACL_SUCCESS : refuse_handle(handle);
}

bool acl_config_same_settings(const struct acl_config *a, const struct acl_config *b)
{
    return a->metrics == b->metrics && a->mask == b->mask;
}

bool acl_config_equal(const struct acl_config *a, const struct acl_config *b)
{
    return acl_config_same_settings(a, b) && a->device_count == b->device_count &&
           memcmp(a->devices, b->devices, a->device_count * sizeof *a->devices) == 0;
}

bool acl_config_overlaps(const struct acl_config *a, const struct acl_config *b)
{
    if (a->device_count == 0 && b->device_count == 0)
        return true;
    for (uint32_t i = 0; i < a->device_count; i++) {
        for (uint32_t j = 0; j < b->device_count; j++) {
            if (a->devices[i] == b->devices[j])
                return true;
        }
    }
    return false;
}

aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums, aclprofAicoreMetrics aicoreMetrics,
                                   const aclprofAicoreEvents *aicoreEvents, uint64_t dataTypeConfig)
{
    struct acl_config values = {.metrics = aicoreMetrics, .mask = dataTypeConfig};
    return acl_config_create(&values, deviceIdList, deviceNums, aicoreEvents);
}

aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig)
{
    return acl_config_destroy(profilerConfig);
}
