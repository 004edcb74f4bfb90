/* SPDX-License-Identifier: Apache-2.0 */
/* Steps and ranges with tensors. On a device its stream would record when it reaches them; here the host records when
 * the program did. */
#include "acl/message.h"
#include "acl/recorder/recorder.h"
#include "acl/stamp.h"
#define MSPROF_ACL_TENSOR_INFO
#include "msprof/acl_prof.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TENSORS_MAX 5
#define TENSOR_DIMENSIONS_MAX 8
#define NODE_LAUNCH 5 /* type of a launch among RECORDER_LEVEL_NODE (docs/formats/cann.md 3.3) */

/* The first three members stand where CANN has them: frameworks write the number of the step there. */
struct aclprofStepInfo {
    bool started, ended;
    uint64_t index;
    int64_t begin_ns;
};

static _Atomic uint64_t steps;

aclprofStepInfo *aclprofCreateStepInfo(void)
{
    aclprofStepInfo *step = calloc(1, sizeof *step);
    if (step == NULL) {
        (void)acl_fail_memory();
        return NULL;
    }
    step->index = atomic_fetch_add(&steps, 1) + 1;
    return step;
}

void aclprofDestroyStepInfo(aclprofStepInfo *stepInfo)
{
    free(stepInfo);
}

static void record_step(const aclprofStepInfo *step)
{
    char message[64];
    int length = snprintf(message, sizeof message, "step %llu", (unsigned long long)step->index);
    const struct recorder_tx tx = {
        .event = RECORDER_TX_RANGE,
        .begin_ns = step->begin_ns,
        .end_ns = recorder_now(),
        .message = message,
        .message_length = (size_t)length,
    };
    recorder_tx(&tx);
}

aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream)
{
    (void)stream; /* NULL is the default stream */
    if (stepInfo == NULL)
        return acl_fail_null("stepInfo");
    if (tag != ACL_STEP_START && tag != ACL_STEP_END)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "tag", tag, "it is neither ACL_STEP_START nor ACL_STEP_END");
    if (tag == ACL_STEP_START) {
        if (stepInfo->started)
            return acl_fail_number(ACL_ERROR_INVALID_PARAM, "tag", tag, "the step has been started already");
        stepInfo->started = true;
        stepInfo->begin_ns = recorder_now();
        return ACL_SUCCESS;
    }
    if (!stepInfo->started || stepInfo->ended)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "tag", tag,
                               stepInfo->ended ? "the step has ended already" : "the step has not been started");
    stepInfo->ended = true;
    if (acl_stamps_enabled())
        record_step(stepInfo);
    return ACL_SUCCESS;
}

uint64_t aclprofStr2Id(const char *message)
{
    return message == NULL || *message == '\0' ? UINT64_MAX : recorder_name_id(message, strlen(message));
}

static _Thread_local struct {
    const aclprofEventAttributes *attributes; /* NULL: none is open */
    int64_t begin_ns;
} open_range;

static aclError check_tensors(const aclprofTensorInfo *info)
{
    if (info->tensorNum > TENSORS_MAX)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "tensorNum", info->tensorNum, "it is more than 5");
    if (info->tensorNum > 0 && info->tensors == NULL)
        return acl_fail_null("tensors");
    for (uint32_t i = 0; i < info->tensorNum; i++) {
        if (info->tensors[i].shapeDim > TENSOR_DIMENSIONS_MAX)
            return acl_fail_number(ACL_ERROR_INVALID_PARAM, "shapeDim", info->tensors[i].shapeDim, "it is more than 8");
    }
    return ACL_SUCCESS;
}

aclError aclprofRangePushEx(aclprofEventAttributes *attr)
{
    if (attr == NULL)
        return acl_fail_null("attr");
    if (attr->messageType != 0)
        return acl_fail_number(ACL_ERROR_PROFILING_FAILURE, "messageType", attr->messageType,
                               "only 0, tensor information, exists");
    if (attr->message.tensorInfo == NULL)
        return acl_fail_null("tensorInfo");
    aclError code = acl_stamps_check("aclprofRangePushEx");
    if (code == ACL_SUCCESS)
        code = check_tensors(attr->message.tensorInfo);
    if (code != ACL_SUCCESS)
        return code;
    open_range.attributes = attr;
    open_range.begin_ns = recorder_now();
    return ACL_SUCCESS;
}

aclError aclprofRangePop(void)
{
    int64_t now = recorder_now();
    if (open_range.attributes == NULL)
        return acl_fail_order(ACL_ERROR_INVALID_PARAM, "aclprofRangePushEx", "aclprofRangePop");
    recorder_call(RECORDER_LEVEL_NODE, NODE_LAUNCH, open_range.begin_ns, now,
                  open_range.attributes->message.tensorInfo->opNameId);
    open_range.attributes = NULL;
    return ACL_SUCCESS;
}
