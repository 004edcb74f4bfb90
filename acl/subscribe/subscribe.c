/* SPDX-License-Identifier: Apache-2.0 */
/* Who is subscribed to what. Without a device every model is on device 0. */
#include "acl/subscribe/subscribe.h"

#include "acl/message.h"
#include "acl/mode.h"
#include "acl/subscribe/subscribe_replay.h"
#include "base/number.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct aclprofSubscribeConfig {
    struct aclprofSubscribeConfig *next;
    bool times;
    aclprofAicoreMetrics metrics;
    int fd;
};

struct subscription {
    struct subscription *next;
    uint32_t model_id;
    struct aclprofSubscribeConfig config; /* a copy: the program's may be destroyed before */
    struct subscribe_replay replay;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct aclprofSubscribeConfig *configs; /* all that exist */
static struct subscription *subscriptions;

static aclError refuse(aclError code, const char *parameter, int64_t value, const char *reason)
{
    char text[NUMBER_MAX + 1];
    *number_put_signed(text, value) = '\0';
    return acl_fail_value(code, parameter, text, reason);
}

/* ---- configurations ---- */

aclprofSubscribeConfig *subscribe_config_new(int8_t time_switch, aclprofAicoreMetrics metrics, const void *fd)
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

/* With the lock held: the place that points to a configuration, or to NULL: there is none at this address. */
static struct aclprofSubscribeConfig **find_config(const void *config)
{
    struct aclprofSubscribeConfig **place = &configs;
    while (*place != NULL && *place != config)
        place = &(*place)->next;
    return place;
}

aclError subscribe_config_free(const void *config)
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

/* ---- models ---- */

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

aclError subscribe_model(uint32_t model_id, const void *config, const char *caller)
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

aclError unsubscribe_model(uint32_t model_id)
{
    pthread_mutex_lock(&lock);
    struct subscription **place = find_subscription(model_id), *found = *place;
    if (found != NULL) {
        *place = found->next;
        subscribe_replay_stop(&found->replay);
        if (!is_used(found->config.fd))
            close(found->config.fd);
        acl_mode_release(ACL_MODE_SUBSCRIBE);
    }
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return refuse(ACL_ERROR_INVALID_MODEL_ID, "modelId", model_id, "the model is not subscribed");
    free(found);
    return ACL_SUCCESS;
}

/* ---- CANN's names ---- */

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

aclError aclprofModelUnSubscribe(uint32_t modelId)
{
    return unsubscribe_model(modelId);
}
