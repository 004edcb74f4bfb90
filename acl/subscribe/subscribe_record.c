/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of subscribed records under CANN's names. */
#include "acl/subscribe/subscribe_record.h"

#include "acl/message.h"
#include "base/number.h"

/* ---- both families ---- */

aclError subscribe_desc_size(size_t *ret)
{
    if (ret == NULL)
        return acl_fail_null("opDescSize");
    *ret = subscribe_record_size();
    return ACL_SUCCESS;
}

static aclError refuse(const char *parameter, uint64_t value, const char *reason)
{
    char text[NUMBER_MAX + 1];
    *number_put_unsigned(text, value) = '\0';
    acl_fail_value(ACL_ERROR_INVALID_PARAM, parameter, text, reason);
    return ACL_ERROR_INVALID_PARAM;
}

/* How many records info holds; does not look into them. */
static aclError count_records(const void *info, size_t length, size_t *ret)
{
    size_t size = subscribe_record_size();
    if (info == NULL)
        return acl_fail_null("opInfo");
    if (length % size != 0)
        return refuse("opInfoLen", length, "it is not a whole multiple of the size that aclprofGetOpDescSize gives");
    *ret = length / size;
    return ACL_SUCCESS;
}

aclError subscribe_count(const void *info, size_t length, uint32_t *ret)
{
    size_t size = subscribe_record_size(), count = 0;
    if (ret == NULL)
        return acl_fail_null("opNumber");
    aclError code = count_records(info, length, &count);
    if (code != ACL_SUCCESS)
        return code;
    if (count > UINT32_MAX)
        return refuse("opInfoLen", length, "there are too many records");
    for (size_t i = 0; i < count; i++) {
        if (!operator_record_is_sound((const unsigned char *)info + i * size, size))
            return refuse("opInfo", i, "the signature of the record with this index is wrong");
    }
    *ret = (uint32_t)count;
    return ACL_SUCCESS;
}

aclError subscribe_record_at(const struct operator_place *place, struct operator_record *ret)
{
    size_t size = subscribe_record_size(), count = 0;
    aclError code = count_records(place->info, place->length, &count);
    if (code != ACL_SUCCESS)
        return code;
    if (place->index >= count)
        return refuse("index", place->index, "there are not so many records");
    if (!operator_record_decode((const unsigned char *)place->info + place->index * size, size, ret))
        return refuse("opInfo", place->index, "the signature of the record with this index is wrong");
    return ACL_SUCCESS;
}

aclError subscribe_text_length(const struct operator_place *place, enum operator_text which, size_t *ret)
{
    struct operator_record record;
    if (ret == NULL)
        return acl_fail_null(which == OPERATOR_TYPE ? "opTypeLen" : "opNameLen");
    aclError code = subscribe_record_at(place, &record);
    return code == ACL_SUCCESS ? subscribe_names_length(record.index, which, ret) : code;
}

aclError subscribe_text(const struct operator_place *place, enum operator_text which, char *buffer, size_t size)
{
    struct operator_record record;
    if (buffer == NULL)
        return acl_fail_null(which == OPERATOR_TYPE ? "opType" : "opName");
    if (size == 0)
        return refuse(which == OPERATOR_TYPE ? "opTypeLen" : "opNameLen", size, "there is no room for a text");
    aclError code = subscribe_record_at(place, &record);
    return code == ACL_SUCCESS ? subscribe_names_get(record.index, which, buffer, size) : code;
}

/* ---- CANN ---- */

#define PLACE (&(const struct operator_place){opInfo, opInfoLen, index})

aclError aclprofGetOpDescSize(size_t *opDescSize)
{
    return subscribe_desc_size(opDescSize);
}

aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen, uint32_t *opNumber)
{
    return subscribe_count(opInfo, opInfoLen, opNumber);
}

aclError aclprofGetOpTypeLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opTypeLen)
{
    return subscribe_text_length(PLACE, OPERATOR_TYPE, opTypeLen);
}

aclError aclprofGetOpNameLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opNameLen)
{
    return subscribe_text_length(PLACE, OPERATOR_NAME, opNameLen);
}

aclError aclprofGetOpType(const void *opInfo, size_t opInfoLen, uint32_t index, char *opType, size_t opTypeLen)
{
    return subscribe_text(PLACE, OPERATOR_TYPE, opType, opTypeLen);
}

aclError aclprofGetOpName(const void *opInfo, size_t opInfoLen, uint32_t index, char *opName, size_t opNameLen)
{
    return subscribe_text(PLACE, OPERATOR_NAME, opName, opNameLen);
}

uint64_t aclprofGetOpStart(const void *opInfo, size_t opInfoLen, uint32_t index)
{
    struct operator_record record;
    return subscribe_record_at(PLACE, &record) == ACL_SUCCESS ? record.start_ns : 0;
}

uint64_t aclprofGetOpEnd(const void *opInfo, size_t opInfoLen, uint32_t index)
{
    struct operator_record record;
    return subscribe_record_at(PLACE, &record) == ACL_SUCCESS ? record.end_ns : 0;
}

uint64_t aclprofGetOpDuration(const void *opInfo, size_t opInfoLen, uint32_t index)
{
    struct operator_record record;
    return subscribe_record_at(PLACE, &record) == ACL_SUCCESS ? record.duration_ns : 0;
}

size_t aclprofGetModelId(const void *opInfo, size_t opInfoLen, uint32_t index)
{
    struct operator_record record;
    return subscribe_record_at(PLACE, &record) == ACL_SUCCESS ? record.model_id : 0;
}

aclprofSubscribeOpFlag aclprofGetOpFlag(const void *opInfo, size_t opInfoLen, uint32_t index)
{
    struct operator_record record;
    if (subscribe_record_at(PLACE, &record) != ACL_SUCCESS)
        return ACL_SUBSCRIBE_NONE;
    return record.flag <= ACL_SUBSCRIBE_OP_THREAD ? (aclprofSubscribeOpFlag)record.flag : ACL_SUBSCRIBE_NONE;
}

const char *aclprofGetOpAttriValue(const void *opInfo, size_t opInfoLen, uint32_t index, aclprofSubscribeOpAttri attri)
{
    static _Thread_local char text[NUMBER_MAX + 1];
    struct operator_record record;
    if (attri != ACL_SUBSCRIBE_ATTRI_THREADID) {
        refuse("attri", (uint64_t)attri, "there is no such attribute");
        return NULL;
    }
    if (subscribe_record_at(PLACE, &record) != ACL_SUCCESS)
        return NULL;
    if (record.flag != ACL_SUBSCRIBE_OP_THREAD) {
        refuse("attri", (uint64_t)attri, "only a record of an operator's thread has a thread id");
        return NULL;
    }
    *number_put_unsigned(text, record.thread_id) = '\0';
    return text;
}
