/* SPDX-License-Identifier: Apache-2.0 */

#include "acl/config/config.h"
#include "acl/config/option_rule.h"
#include "acl/message.h"
#include "acl/mode.h"
#include "acl/stamp.h"
#include "msprof/svp_acl_prof.h"

#include <stdlib.h>
#include <string.h>

/* File mode under the names of SVP boards. */

/* The names of one family, for messages. */
struct acl_family {
    bool svp;
    const char *init, *start, *stop, *finalize;
    size_t path_limit; /* the longest path that init takes */
};

static const struct acl_family svp_names = {
    .svp = true,
    .init = "svp_acl_prof_init",
    .start = "svp_acl_prof_start",
    .stop = "svp_acl_prof_stop",
    .finalize = "svp_acl_prof_finalize",
    .path_limit = 4096,
};

static aclError check_path(const struct acl_family *family, const char *path, size_t length)
{
    if (path == NULL)
        return acl_fail_null("profilerResultPath");
    if (length == 0 || length > family->path_limit)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "length", length, "a path has 1 to 4095 bytes");
    if (strnlen(path, length + 1) != length)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "length", length, "it is not the length of the path");
    if (family->svp && *path != '/')
        return acl_fail_value(ACL_ERROR_INVALID_PARAM, "result_path", path, "it must be an absolute path");
    return ACL_SUCCESS;
}

#define STARTED_MAX (ACL_DEVICES_MAX + 1) /* one configuration for each device, and one without */

static struct {      /* protected by acl_file_lock */
    char *directory; /* NULL: not initialised */
    bool svp;        /* which family initialised */
    struct acl_config started[STARTED_MAX];
    unsigned started_count;
} state;

static enum acl_mode mode_of(const struct acl_family *family)
{
    return family->svp ? ACL_MODE_SVP_API : ACL_MODE_API;
}

static aclError initialise(const struct acl_family *family, const char *path)
{
    char *directory;
    aclError code = acl_mode_claim(mode_of(family), family->init);
    if (code != ACL_SUCCESS)
        return code;
    code = acl_path_prepare(path, "profilerResultPath", family->svp, &directory);
    if (code != ACL_SUCCESS) {
        acl_mode_release(mode_of(family));
        return code;
    }
    state.directory = directory;
    state.svp = family->svp;
    return ACL_SUCCESS;
}

static aclError acl_file_init(const struct acl_family *family, const char *path, size_t length)
{
    aclError code = check_path(family, path, length);
    if (code != ACL_SUCCESS)
        return code;
    pthread_mutex_lock(&acl_file_lock);
    code = initialise(family, path);
    pthread_mutex_unlock(&acl_file_lock);
    return code;
}

svp_acl_error svp_acl_prof_init(const char *result_path, size_t length)
{
    return acl_file_init(&svp_names, result_path, length);
}

/* With the lock held, as all static functions below. */
static bool is_initialised(const struct acl_family *family)
{
    return state.directory != NULL && state.svp == family->svp;
}

static aclError end_capture(void)
{
    acl_stamps_disable();
    return acl_recorder_end();
}

static void forget_directory(const struct acl_family *family)
{
    free(state.directory);
    state.directory = NULL;
    acl_mode_release(mode_of(family));
}

static aclError finalize(const struct acl_family *family)
{
    if (!is_initialised(family)) {
        if (acl_mode_active() == ACL_MODE_SUBSCRIBE)
            return acl_fail(ACL_ERROR_PROF_API_CONFLICT, "EK0007", "%s is not possible: a model is subscribed.",
                            family->finalize);
        return acl_fail_order(ACL_ERROR_PROF_NOT_RUN, family->init, family->finalize);
    }
    aclError code = state.started_count > 0 ? end_capture() : ACL_SUCCESS;
    state.started_count = 0;
    acl_options_clear();
    forget_directory(family);
    return code;
}

static aclError acl_file_finalize(const struct acl_family *family)
{
    pthread_mutex_lock(&acl_file_lock);
    aclError code = finalize(family);
    pthread_mutex_unlock(&acl_file_lock);
    return code;
}

svp_acl_error svp_acl_prof_finalize(void)
{
    return acl_file_finalize(&svp_names);
}

svp_acl_prof_config *svp_acl_prof_create_config(const uint32_t *device_id_list, uint32_t device_nums,
                                                svp_acl_prof_aicore_metrics aicore_metrics,
                                                const svp_acl_prof_aicore_events *aicore_events,
                                                uint64_t data_type_config)
{
    struct acl_config values = {.svp = true, .metrics = (aclprofAicoreMetrics)aicore_metrics, .mask = data_type_config};
    return acl_config_create(&values, device_id_list, device_nums, aicore_events);
}

svp_acl_error svp_acl_prof_destroy_config(const svp_acl_prof_config *profiler_config)
{
    return acl_config_destroy(profiler_config);
}

static aclError check_mask(const struct acl_config *config)
{
    uint64_t supported = config->svp ? ACL_MASK_SUPPORTED_SVP : ACL_MASK_SUPPORTED;
    if (config->mask == 0)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "dataTypeConfig", 0, "it asks for nothing");
    if ((config->mask & ~supported) != 0)
        return acl_fail(ACL_ERROR_PROF_MODULES_UNSUPPORTED, "EK0005",
                        "Parameter dataTypeConfig is not supported: 0x%llx.",
                        (unsigned long long)(config->mask & ~supported));
    return ACL_SUCCESS;
}

/* aclprofInit is missing: aclprofSetConfig(ACL_PROF_PATH) stands for it when it was called. */
static aclError initialise_from_option(const struct acl_family *family)
{
    char path[ACL_OPTION_MAX + 1];
    acl_option_get(ACL_PROF_PATH, path);
    if (family->svp || state.directory != NULL || *path == '\0')
        return acl_fail_order(ACL_ERROR_PROF_NOT_RUN, family->init, family->start);
    return initialise(family, path);
}

static aclError check_against_started(const struct acl_config *config)
{
    for (unsigned i = 0; i < state.started_count; i++) {
        if (acl_config_overlaps(&state.started[i], config))
            return acl_fail(ACL_ERROR_PROF_ALREADY_RUN, "EK0002",
                            "Profiling of a device of this configuration is started already.");
        if (!acl_config_same_settings(&state.started[i], config))
            return acl_fail_number(ACL_ERROR_INVALID_PROFILING_CONFIG, "dataTypeConfig", config->mask,
                                   "mask or metrics are not those that another device is started with");
    }
    return ACL_SUCCESS;
}

static aclError begin_capture(const struct acl_config *config)
{
    uint64_t mask = acl_mask_expand(config->mask);
    const uint64_t task_times = ACL_PROF_TASK_TIME | ACL_PROF_TASK_TIME_L0;
    const char *metrics = (mask & ACL_PROF_AICORE_METRICS) != 0 ? acl_metrics_name(config->metrics) : NULL;
    struct recorder_options options = {
        .directory = state.directory,
        .form = config->svp ? RECORDER_JOB : RECORDER_PROF,
        .devices = config->devices,
        .device_count = config->device_count,
        .sample = {.acl_calls = (mask & ACL_PROF_ACL_API) != 0,
                   .task_time = (mask & task_times) != 0,
                   .msproftx = (mask & ACL_PROF_MSPROFTX) != 0,
                   .runtime_calls = (mask & ACL_PROF_RUNTIME_API) != 0,
                   .metrics = metrics},
        .storage_limit = acl_option_storage_limit(),
        .crash_handlers = true,
    };
    return acl_recorder_begin(&options);
}

static aclError start(const struct acl_family *family, const struct acl_config *config)
{
    bool was_initialised = is_initialised(family);
    aclError code = was_initialised ? ACL_SUCCESS : initialise_from_option(family);
    if (code == ACL_SUCCESS)
        code = check_against_started(config);
    if (code == ACL_SUCCESS && state.started_count == 0)
        code = begin_capture(config);
    if (code == ACL_SUCCESS) {
        state.started[state.started_count++] = *config;
        acl_stamps_enable(config->svp ? RECORDER_JOB : RECORDER_PROF,
                          (acl_mask_expand(config->mask) & ACL_PROF_MSPROFTX) != 0);
    } else if (!was_initialised && is_initialised(family)) {
        forget_directory(family);
    }
    return code;
}

static aclError acl_file_start(const struct acl_family *family, const void *handle)
{
    struct acl_config config;
    aclError code = acl_config_get(handle, family->svp, &config);
    if (code == ACL_SUCCESS)
        code = check_mask(&config);
    if (code != ACL_SUCCESS)
        return code;
    pthread_mutex_lock(&acl_file_lock);
    code = start(family, &config);
    pthread_mutex_unlock(&acl_file_lock);
    return code;
}

svp_acl_error svp_acl_prof_start(const svp_acl_prof_config *profiler_config)
{
    return acl_file_start(&svp_names, profiler_config);
}

static aclError stop(const struct acl_family *family, const struct acl_config *config)
{
    if (!is_initialised(family) || state.started_count == 0)
        return acl_fail_order(ACL_ERROR_PROF_NOT_RUN, is_initialised(family) ? family->start : family->init,
                              family->stop);
    for (unsigned i = 0; i < state.started_count; i++) {
        if (!acl_config_equal(&state.started[i], config))
            continue;
        state.started[i] = state.started[--state.started_count];
        return state.started_count == 0 ? end_capture() : ACL_SUCCESS;
    }
    return acl_fail_number(ACL_ERROR_INVALID_PROFILING_CONFIG, "dataTypeConfig", config->mask,
                           "no equal configuration has been started");
}

static aclError acl_file_stop(const struct acl_family *family, const void *handle)
{
    struct acl_config config;
    aclError code = acl_config_get(handle, family->svp, &config);
    if (code != ACL_SUCCESS)
        return code;
    pthread_mutex_lock(&acl_file_lock);
    code = stop(family, &config);
    pthread_mutex_unlock(&acl_file_lock);
    return code;
}

svp_acl_error svp_acl_prof_stop(const svp_acl_prof_config *profiler_config)
{
    return acl_file_stop(&svp_names, profiler_config);
}

static const struct acl_family acl_names = {
    .init = "aclprofInit",
    .start = "aclprofStart",
    .stop = "aclprofStop",
    .finalize = "aclprofFinalize",
    .path_limit = 4095,
};

aclError aclprofInit(const char *profilerResultPath, size_t length)
{
    return acl_file_init(&acl_names, profilerResultPath, length);
}

aclError aclprofFinalize(void)
{
    return acl_file_finalize(&acl_names);
}

aclError aclprofStart(const aclprofConfig *profilerConfig)
{
    return acl_file_start(&acl_names, profilerConfig);
}

aclError aclprofStop(const aclprofConfig *profilerConfig)
{
    return acl_file_stop(&acl_names, profilerConfig);
}

aclError aclprofWarmup(const aclprofConfig *profilerConfig)
{
    struct acl_config config;
    char path[ACL_OPTION_MAX + 1];
    aclError code = acl_config_get(profilerConfig, false, &config);
    if (code == ACL_SUCCESS)
        code = check_mask(&config);
    if (code != ACL_SUCCESS)
        return code;
    acl_option_get(ACL_PROF_PATH, path);
    pthread_mutex_lock(&acl_file_lock);
    if (!is_initialised(&acl_names) && *path == '\0')
        code = acl_fail_order(ACL_ERROR_PROF_NOT_RUN, acl_names.init, "aclprofWarmup");
    else
        code = check_against_started(&config);
    pthread_mutex_unlock(&acl_file_lock);
    return code;
}

aclError aclprofRegisterDeviceCallback(void)
{
    return ACL_SUCCESS;
}

aclError aclprofGetSupportedFeatures(size_t *featuresSize, void **featuresData)
{
    if (featuresSize == NULL)
        return acl_fail_null("featuresSize");
    if (featuresData == NULL)
        return acl_fail_null("featuresData");
    if (*featuresData != NULL)
        return acl_fail_pointer(ACL_ERROR_INVALID_PARAM, "featuresData", *featuresData, "it must point to NULL");
    *featuresSize = 0;
    return ACL_SUCCESS;
}

aclError aclprofGetSupportedFeaturesV2(size_t *featuresSize, void **featuresData)
{
    return aclprofGetSupportedFeatures(featuresSize, featuresData);
}
