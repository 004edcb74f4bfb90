/* SPDX-License-Identifier: Apache-2.0 */
/* File mode under the names of SVP boards. */
#include "acl/config/config.h"
#include "acl/file_mode.h"
#include "msprof/svp_acl_prof.h"

static const struct acl_family svp_names = {
    .svp = true,
    .init = "svp_acl_prof_init",
    .start = "svp_acl_prof_start",
    .stop = "svp_acl_prof_stop",
    .finalize = "svp_acl_prof_finalize",
    .path_limit = 4096,
};

svp_acl_error svp_acl_prof_init(const char *result_path, size_t length)
{
    return acl_file_init(&svp_names, result_path, length);
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

svp_acl_error svp_acl_prof_start(const svp_acl_prof_config *profiler_config)
{
    return acl_file_start(&svp_names, profiler_config);
}

svp_acl_error svp_acl_prof_stop(const svp_acl_prof_config *profiler_config)
{
    return acl_file_stop(&svp_names, profiler_config);
}
