/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/message.h"
#include "acl/mode.h"
#include "acl/subscribe/operator_record.h"
#include "acl/subscribe/subscribe_names.h"
#include "acl/subscribe/subscribe_replay.h"
#include "base/number.h"
#include "msprof/acl_prof.h"
#include "msprof/svp_acl_prof.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* Boards have the same functions as CANN, under other names and with the same types. */
#define ALSO_AS(svp_name, name) extern __typeof__(name) svp_name __attribute__((alias(#name)))

/* ---- readers of subscribed records ---- */

/* Bytes that a program got from the pipe, and which record of them is meant. */
struct operator_place {
    const void *info;
    size_t length;
    uint32_t index;
};

/* How many records info holds; does not look into them. */
static aclError count_records(const void *info, size_t length, size_t *ret)
{
    size_t size = subscribe_record_size();
    if (info == NULL)
        return acl_fail_null("opInfo");
    if (length % size != 0)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "opInfoLen", length,
                               "it is not a whole multiple of the size that aclprofGetOpDescSize gives");
    *ret = length / size;
    return ACL_SUCCESS;
}

static aclError subscribe_record_at(const struct operator_place *place, struct operator_record *ret)
{
    size_t size = subscribe_record_size(), count = 0;
    aclError code = count_records(place->info, place->length, &count);
    *ret = (struct operator_record){.index = 0};
    if (code != ACL_SUCCESS)
        return code;
    if (place->index >= count)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "index", place->index, "there are not so many records");
    if (!operator_record_decode((const unsigned char *)place->info + place->index * size, size, ret))
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "opInfo", place->index,
                               "the signature of the record with this index is wrong");
    return ACL_SUCCESS;
}

static aclError subscribe_text_length(const struct operator_place *place, enum operator_text which, size_t *ret)
{
    struct operator_record record;
    if (ret == NULL)
        return acl_fail_null(which == OPERATOR_TYPE ? "opTypeLen" : "opNameLen");
    aclError code = subscribe_record_at(place, &record);
    return code == ACL_SUCCESS ? subscribe_names_length(record.index, which, ret) : code;
}

static aclError subscribe_text(const struct operator_place *place, enum operator_text which, char *buffer, size_t size)
{
    struct operator_record record;
    if (buffer == NULL)
        return acl_fail_null(which == OPERATOR_TYPE ? "opType" : "opName");
    if (size == 0)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, which == OPERATOR_TYPE ? "opTypeLen" : "opNameLen", size,
                               "there is no room for a text");
    aclError code = subscribe_record_at(place, &record);
    return code == ACL_SUCCESS ? subscribe_names_get(record.index, which, buffer, size) : code;
}

#define PLACE (&(const struct operator_place){opInfo, opInfoLen, index})

/* Each returns 0, or ACL_ERROR_INVALID_PARAM with its message set and the outputs untouched: NULL, a length that is no
 * multiple of the record's size, an index beyond the end, a wrong signature (of any record for aclprofGetOpNum, else of
 * the record at the place). */
aclError aclprofGetOpDescSize(size_t *opDescSize)
{
    if (opDescSize == NULL)
        return acl_fail_null("opDescSize");
    *opDescSize = subscribe_record_size();
    return ACL_SUCCESS;
}
ALSO_AS(svp_acl_prof_get_op_desc_size, aclprofGetOpDescSize);

aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen, uint32_t *opNumber)
{
    size_t size = subscribe_record_size(), count = 0;
    if (opNumber == NULL)
        return acl_fail_null("opNumber");
    aclError code = count_records(opInfo, opInfoLen, &count);
    if (code != ACL_SUCCESS)
        return code;
    if (count > UINT32_MAX)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "opInfoLen", opInfoLen, "there are too many records");
    for (size_t i = 0; i < count; i++) {
        if (!operator_record_is_sound((const unsigned char *)opInfo + i * size, size))
            return acl_fail_number(ACL_ERROR_INVALID_PARAM, "opInfo", i,
                                   "the signature of the record with this index is wrong");
    }
    *opNumber = (uint32_t)count;
    return ACL_SUCCESS;
}
ALSO_AS(svp_acl_prof_get_op_num, aclprofGetOpNum);

aclError aclprofGetOpTypeLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opTypeLen)
{
    return subscribe_text_length(PLACE, OPERATOR_TYPE, opTypeLen);
}
ALSO_AS(svp_acl_prof_get_op_type_len, aclprofGetOpTypeLen);

aclError aclprofGetOpNameLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opNameLen)
{
    return subscribe_text_length(PLACE, OPERATOR_NAME, opNameLen);
}
ALSO_AS(svp_acl_prof_get_op_name_len, aclprofGetOpNameLen);

aclError aclprofGetOpType(const void *opInfo, size_t opInfoLen, uint32_t index, char *opType, size_t opTypeLen)
{
    return subscribe_text(PLACE, OPERATOR_TYPE, opType, opTypeLen);
}
ALSO_AS(svp_acl_prof_get_op_type, aclprofGetOpType);

aclError aclprofGetOpName(const void *opInfo, size_t opInfoLen, uint32_t index, char *opName, size_t opNameLen)
{
    return subscribe_text(PLACE, OPERATOR_NAME, opName, opNameLen);
}
ALSO_AS(svp_acl_prof_get_op_name, aclprofGetOpName);

/* A number of a record; 0 when there is none at the place. */
#define NUMBER(type, name, svp_name, member)                                                                           \
    type name(const void *opInfo, size_t opInfoLen, uint32_t index)                                                    \
    {                                                                                                                  \
        struct operator_record record;                                                                                 \
        return subscribe_record_at(PLACE, &record) == ACL_SUCCESS ? record.member : 0;                                 \
    }                                                                                                                  \
    ALSO_AS(svp_name, name)

NUMBER(uint64_t, aclprofGetOpStart, svp_acl_prof_get_op_start, start_ns);
NUMBER(uint64_t, aclprofGetOpEnd, svp_acl_prof_get_op_end, end_ns);
NUMBER(uint64_t, aclprofGetOpDuration, svp_acl_prof_get_op_duration, duration_ns);
NUMBER(size_t, aclprofGetModelId, svp_acl_prof_get_model_id, model_id);

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
        acl_fail_number(ACL_ERROR_INVALID_PARAM, "attri", (uint64_t)attri, "there is no such attribute");
        return NULL;
    }
    if (subscribe_record_at(PLACE, &record) != ACL_SUCCESS)
        return NULL;
    if (record.flag != ACL_SUBSCRIBE_OP_THREAD) {
        acl_fail_number(ACL_ERROR_INVALID_PARAM, "attri", (uint64_t)attri,
                        "only a record of an operator's thread has a thread id");
        return NULL;
    }
    *number_put_unsigned(text, record.thread_id) = '\0';
    return text;
}

/* ---- configurations ---- */

struct aclprofSubscribeConfig {
    struct aclprofSubscribeConfig *next;
    bool times;
    aclprofAicoreMetrics metrics;
    int fd;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct aclprofSubscribeConfig *configs; /* all that exist */

static aclError refuse(aclError code, const char *parameter, int64_t value, const char *reason)
{
    char text[NUMBER_MAX + 1];
    *number_put_signed(text, value) = '\0';
    return acl_fail_value(code, parameter, text, reason);
}

/* A new configuration with the write end that *fd names; metrics are what aclprofAicoreMetrics numbers. NULL, with its
 * message set, when a value is wrong or memory ran out. */
static aclprofSubscribeConfig *subscribe_config_new(int8_t time_switch, aclprofAicoreMetrics metrics, const void *fd)
{
    if (fd == NULL) {
        acl_fail_null("fd");
        return NULL;
    }
    int descriptor = *(const int *)fd;
    if (time_switch != 0 && time_switch != 1) {
        refuse(ACL_ERROR_INVALID_PARAM, "timeInfoSwitch", time_switch, "it is neither 0 nor 1");
        return NULL;
    }
    if (descriptor < 0) {
        refuse(ACL_ERROR_INVALID_PARAM, "fd", descriptor, "it is no descriptor");
        return NULL;
    }
    struct aclprofSubscribeConfig *config = malloc(sizeof *config);
    if (config == NULL) {
        acl_fail_memory();
        return NULL;
    }
    *config = (struct aclprofSubscribeConfig){.times = time_switch == 1, .metrics = metrics, .fd = descriptor};
    pthread_mutex_lock(&lock);
    config->next = configs;
    configs = config;
    pthread_mutex_unlock(&lock);
    return config;
}

svp_acl_prof_subscribe_config *svp_acl_prof_create_subscribe_config(int8_t time_info_switch,
                                                                    svp_acl_prof_aicore_metrics aicore_metrics,
                                                                    const void *fd)
{
    (void)aicore_metrics;
    /* The type is opaque: behind it is the same configuration. */
    return (svp_acl_prof_subscribe_config *)subscribe_config_new(time_info_switch, ACL_AICORE_NONE, fd);
}

/* With the lock held: the place that points to a configuration, or to NULL: there is none at this address. */
static struct aclprofSubscribeConfig **find_config(const void *config)
{
    struct aclprofSubscribeConfig **place = &configs;
    while (*place != NULL && *place != config)
        place = &(*place)->next;
    return place;
}

/* ACL_ERROR_INVALID_PARAM when it is no configuration (any more). Models that use it stay subscribed. */
static aclError subscribe_config_free(const void *config)
{
    if (config == NULL)
        return acl_fail_null("profSubscribeConfig");
    pthread_mutex_lock(&lock);
    struct aclprofSubscribeConfig **place = find_config(config), *found = *place;
    if (found != NULL)
        *place = found->next;
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return acl_fail_value(ACL_ERROR_INVALID_PARAM, "profSubscribeConfig", "pointer",
                              "it is no subscription configuration, or has been destroyed");
    free(found);
    return ACL_SUCCESS;
}

svp_acl_error svp_acl_prof_destroy_subscribe_config(const svp_acl_prof_subscribe_config *subscribe_config)
{
    return subscribe_config_free(subscribe_config);
}

/* ---- models: without a device every one is on device 0 ---- */

struct subscription {
    struct subscription *next;
    uint32_t model_id;
    struct aclprofSubscribeConfig config; /* a copy: the program's may be destroyed before */
    struct subscribe_replay replay;
};

static struct subscription *subscriptions;

static bool is_writable(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && ((flags & O_ACCMODE) == O_WRONLY || (flags & O_ACCMODE) == O_RDWR);
}

/* Checks a subscription, but for a free place, in the order in which the codes are documented. */
static aclError check_subscription(uint32_t model_id, const struct aclprofSubscribeConfig *config)
{
    if (!config->times && config->metrics == ACL_AICORE_NONE)
        return acl_fail_value(ACL_ERROR_INVALID_PARAM, "timeInfoSwitch", "0",
                              "without times and metrics there is nothing to subscribe to");
    for (const struct subscription *other = subscriptions; other != NULL; other = other->next) {
        if (other->model_id == model_id)
            return refuse(ACL_ERROR_PROF_REPEAT_SUBSCRIBE, "modelId", model_id, "the model is subscribed already");
    }
    for (const struct subscription *other = subscriptions; other != NULL; other = other->next) {
        if (other->config.times != config->times || other->config.metrics != config->metrics)
            return refuse(ACL_ERROR_INVALID_PROFILING_CONFIG, "modelId", model_id,
                          "another model of the device is subscribed with another configuration");
    }
    if (!is_writable(config->fd))
        return refuse(ACL_ERROR_INVALID_PARAM, "fd", config->fd, "it is not open for writing");
    return ACL_SUCCESS;
}

static void tell_of_silence(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        acl_tell("there is no device here: no operator will come through the pipe unless MSPROF_REPLAY names a capture "
                 "to take them from, or another program writes them.");
}

/* With the lock held and the mode claimed. */
static aclError add_subscription(uint32_t model_id, const struct aclprofSubscribeConfig *config)
{
    aclError code = check_subscription(model_id, config);
    if (code != ACL_SUCCESS)
        return code;
    struct subscription *subscription = malloc(sizeof *subscription);
    if (subscription == NULL)
        return acl_fail_memory();
    *subscription = (struct subscription){
        .next = subscriptions, .model_id = model_id, .config = *config, .replay = SUBSCRIBE_REPLAY_NONE};
    if (!subscribe_replay_wanted())
        tell_of_silence();
    else
        code = subscribe_replay_start(&subscription->replay, model_id, config->fd);
    if (code == ACL_SUCCESS)
        subscriptions = subscription;
    else
        free(subscription);
    return code;
}

/* caller is the function that messages name. Codes as aclprofModelSubscribe's and aclprofModelUnSubscribe's. */
static aclError subscribe_model(uint32_t model_id, const void *config, const char *caller)
{
    if (config == NULL)
        return acl_fail_null("profSubscribeConfig");
    aclError code;
    pthread_mutex_lock(&lock);
    const struct aclprofSubscribeConfig *found = *find_config(config);
    if (found == NULL)
        code = acl_fail_value(ACL_ERROR_INVALID_PARAM, "profSubscribeConfig", "pointer",
                              "it is no subscription configuration, or has been destroyed");
    else
        code = acl_mode_claim(ACL_MODE_SUBSCRIBE, caller);
    if (found != NULL && code == ACL_SUCCESS) {
        code = add_subscription(model_id, found);
        if (code != ACL_SUCCESS)
            acl_mode_release(ACL_MODE_SUBSCRIBE);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

svp_acl_error svp_acl_prof_model_subscribe(uint32_t model_id, const svp_acl_prof_subscribe_config *subscribe_config)
{
    return subscribe_model(model_id, subscribe_config, "svp_acl_prof_model_subscribe");
}

/* With the lock held. */
static bool is_used(int fd)
{
    const struct subscription *other = subscriptions;
    while (other != NULL && other->config.fd != fd)
        other = other->next;
    return other != NULL;
}

/* With the lock held: the place that points to a model's subscription, or to NULL. */
static struct subscription **find_subscription(uint32_t model_id)
{
    struct subscription **place = &subscriptions;
    while (*place != NULL && (*place)->model_id != model_id)
        place = &(*place)->next;
    return place;
}

aclError aclprofModelUnSubscribe(uint32_t modelId)
{
    pthread_mutex_lock(&lock);
    struct subscription **place = find_subscription(modelId), *found = *place;
    if (found != NULL) {
        *place = found->next;
        subscribe_replay_stop(&found->replay);
        if (!is_used(found->config.fd))
            close(found->config.fd);
        acl_mode_release(ACL_MODE_SUBSCRIBE);
    }
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return refuse(ACL_ERROR_INVALID_MODEL_ID, "modelId", modelId, "the model is not subscribed");
    free(found);
    return ACL_SUCCESS;
}

ALSO_AS(svp_acl_prof_model_unsubscribe, aclprofModelUnSubscribe);

int msprof_acl_replay_runs(uint32_t modelId, int timeoutMs)
{
    struct subscribe_replay replay = SUBSCRIBE_REPLAY_NONE;
    pthread_mutex_lock(&lock);
    const struct subscription *found = *find_subscription(modelId);
    if (found != NULL && found->replay.process >= 0)
        replay.process = fcntl(found->replay.process, F_DUPFD_CLOEXEC, 0); /* the subscription may end meanwhile */
    pthread_mutex_unlock(&lock);
    if (replay.process < 0)
        return 0;
    bool ended = subscribe_replay_wait(&replay, timeoutMs);
    close(replay.process);
    return !ended;
}

aclprofSubscribeConfig *aclprofCreateSubscribeConfig(int8_t timeInfoSwitch, aclprofAicoreMetrics aicoreMetrics,
                                                     void *fd)
{
    return subscribe_config_new(timeInfoSwitch, aicoreMetrics, fd);
}

aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig)
{
    return subscribe_config_free(profSubscribeConfig);
}

aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig *profSubscribeConfig)
{
    return subscribe_model(modelId, profSubscribeConfig, "aclprofModelSubscribe");
}
