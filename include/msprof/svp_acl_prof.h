/* SPDX-License-Identifier: Apache-2.0 */
/* The ACL profiling API under the names of SVP boards (SS928 and relatives): svp_acl_prof_*. Source compatible with
 * programs written for svp_acl_prof.h. The functions behave like their ACL namesakes, with these differences: the path
 * of svp_acl_prof_init is absolute; captures are directories JOB<29 capital letters>; only the four bits below and only
 * the first metrics exist; there are no stamps and no options. Manual: aclprofInit(3), aclprofModelSubscribe(3). */
#ifndef MSPROF_SVP_ACL_PROF_H
#define MSPROF_SVP_ACL_PROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __has_include
#if __has_include("svp_acl_base.h")
#include "svp_acl_base.h"
#endif
#endif

#ifndef SVP_ACL_BASE_H
typedef int svp_acl_error;

#define SVP_ACL_SUCCESS 0
#define SVP_ACL_ERROR_INVALID_PARAM 100000
#define SVP_ACL_ERROR_UNINITIALIZE 100001
#define SVP_ACL_ERROR_REPEAT_INITIALIZE 100002
#define SVP_ACL_ERROR_INVALID_FILE 100003
#define SVP_ACL_ERROR_INVALID_PROFILING_CONFIG 100010
#define SVP_ACL_ERROR_INVALID_MODEL_ID 100011
#define SVP_ACL_ERROR_PROF_ALREADY_RUN 100042
#define SVP_ACL_ERROR_PROF_NOT_RUN 100043
#define SVP_ACL_ERROR_DUMP_ALREADY_RUN 100044
#define SVP_ACL_ERROR_DUMP_NOT_RUN 100045
#define SVP_ACL_ERROR_PROF_REPEAT_SUBSCRIBE 148046
#define SVP_ACL_ERROR_PROF_API_CONFLICT 148047
#define SVP_ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG 148048
#define SVP_ACL_ERROR_BAD_ALLOC 200000
#define SVP_ACL_ERROR_API_NOT_SUPPORT 200001
#define SVP_ACL_ERROR_INVALID_DEVICE 200002
#define SVP_ACL_ERROR_FEATURE_UNSUPPORTED 200006
#define SVP_ACL_ERROR_PROF_MODULES_UNSUPPORTED 200007
#define SVP_ACL_ERROR_STORAGE_OVER_LIMIT 300000
#define SVP_ACL_ERROR_INTERNAL_ERROR 500000
#define SVP_ACL_ERROR_FAILURE 500001
#define SVP_ACL_ERROR_GE_FAILURE 500002
#define SVP_ACL_ERROR_RT_FAILURE 500003
#define SVP_ACL_ERROR_DRV_FAILURE 500004
#define SVP_ACL_ERROR_PROFILING_FAILURE 500005
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef SVP_ACL_PROF_H
#define SVP_ACL_PROF_H /* makes a later svp_acl_prof.h of the board empty */

#ifndef MSPROF_API
#define MSPROF_API __attribute__((visibility("default")))
#endif

/* Bits of the last argument of svp_acl_prof_create_config. */
#define SVP_ACL_PROF_ACL_API 0x0001        /* calls of ACL functions */
#define SVP_ACL_PROF_TASK_TIME 0x0002      /* times of device tasks */
#define SVP_ACL_PROF_AICORE_METRICS 0x0004 /* AI Core events */
#define SVP_ACL_PROF_AICPU_TRACE 0x0008
#define SVP_ACL_PROF_AICPU SVP_ACL_PROF_AICPU_TRACE

/* Bytes for the name and the type of an operator, including the final NUL. */
#define SVP_ACL_PROF_MAX_OP_NAME_LEN 257
#define SVP_ACL_PROF_MAX_OP_TYPE_LEN 65

typedef enum { SVP_ACL_AICORE_ARITHMETIC_UTILIZATION = 0, SVP_ACL_AICORE_NONE = 0xFF } svp_acl_prof_aicore_metrics;

typedef struct svp_acl_prof_config svp_acl_prof_config;
typedef struct svp_acl_prof_aicore_events svp_acl_prof_aicore_events;
typedef struct svp_acl_prof_subscribe_config svp_acl_prof_subscribe_config;

/* Sets the directory for captures: an absolute path of at most 4096 bytes; length is its strlen. Same codes as
 * aclprofInit. */
MSPROF_API svp_acl_error svp_acl_prof_init(const char *result_path, size_t length);
/* Undoes svp_acl_prof_init. Same codes as aclprofFinalize. */
MSPROF_API svp_acl_error svp_acl_prof_finalize(void);

/* Creates the configuration of a collection: at least one device, aicore_metrics SVP_ACL_AICORE_ARITHMETIC_UTILIZATION
 * (or SVP_ACL_AICORE_NONE without the AICORE_METRICS bit), aicore_events NULL. NULL on failure. The caller destroys it.
 */
MSPROF_API svp_acl_prof_config *svp_acl_prof_create_config(const uint32_t *device_id_list, uint32_t device_nums,
                                                           svp_acl_prof_aicore_metrics aicore_metrics,
                                                           const svp_acl_prof_aicore_events *aicore_events,
                                                           uint64_t data_type_config);
MSPROF_API svp_acl_error svp_acl_prof_destroy_config(const svp_acl_prof_config *profiler_config);

/* Start and stop a capture, with equal configurations. Same codes as aclprofStart and aclprofStop. */
MSPROF_API svp_acl_error svp_acl_prof_start(const svp_acl_prof_config *profiler_config);
MSPROF_API svp_acl_error svp_acl_prof_stop(const svp_acl_prof_config *profiler_config);

/* Subscription, as aclprofCreateSubscribeConfig and the functions after it; aicore_metrics are not supported and
 * ignored. */
MSPROF_API svp_acl_prof_subscribe_config *
svp_acl_prof_create_subscribe_config(int8_t time_info_switch, svp_acl_prof_aicore_metrics aicore_metrics,
                                     const void *fd);
MSPROF_API svp_acl_error svp_acl_prof_destroy_subscribe_config(const svp_acl_prof_subscribe_config *subscribe_config);
MSPROF_API svp_acl_error svp_acl_prof_model_subscribe(uint32_t model_id,
                                                      const svp_acl_prof_subscribe_config *subscribe_config);
MSPROF_API svp_acl_error svp_acl_prof_model_unsubscribe(uint32_t model_id);

/* Read data from the pipe, like aclprofGetOpDescSize and the functions after it, except that types and names are
 * truncated to the size of the buffer. Times are in nanoseconds. */
MSPROF_API svp_acl_error svp_acl_prof_get_op_desc_size(size_t *op_desc_size);
MSPROF_API svp_acl_error svp_acl_prof_get_op_num(const void *op_info, size_t op_info_len, uint32_t *op_number);
MSPROF_API svp_acl_error svp_acl_prof_get_op_type_len(const void *op_info, size_t op_info_len, uint32_t index,
                                                      size_t *op_type_len);
MSPROF_API svp_acl_error svp_acl_prof_get_op_type(const void *op_info, size_t op_info_len, uint32_t index,
                                                  char *op_type, size_t op_type_len);
MSPROF_API svp_acl_error svp_acl_prof_get_op_name_len(const void *op_info, size_t op_info_len, uint32_t index,
                                                      size_t *op_name_len);
MSPROF_API svp_acl_error svp_acl_prof_get_op_name(const void *op_info, size_t op_info_len, uint32_t index,
                                                  char *op_name, size_t op_name_len);
MSPROF_API uint64_t svp_acl_prof_get_op_start(const void *op_info, size_t op_info_len, uint32_t index);
MSPROF_API uint64_t svp_acl_prof_get_op_end(const void *op_info, size_t op_info_len, uint32_t index);
MSPROF_API uint64_t svp_acl_prof_get_op_duration(const void *op_info, size_t op_info_len, uint32_t index);
MSPROF_API size_t svp_acl_prof_get_model_id(const void *op_info, size_t op_info_len, uint32_t index);

#endif /* SVP_ACL_PROF_H */

#ifdef __cplusplus
}
#endif

#endif
