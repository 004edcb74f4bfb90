/* SPDX-License-Identifier: Apache-2.0 */
/* Subscription under the names of SVP boards: metrics do not exist. */
#include "acl/subscribe/subscribe.h"
#include "acl/subscribe/subscribe_record.h"
#include "msprof/svp_acl_prof.h"

svp_acl_prof_subscribe_config *svp_acl_prof_create_subscribe_config(int8_t time_info_switch,
                                                                    svp_acl_prof_aicore_metrics aicore_metrics,
                                                                    const void *fd)
{
    (void)aicore_metrics;
    /* The type is opaque: behind it is the same configuration. */
    return (svp_acl_prof_subscribe_config *)subscribe_config_new(time_info_switch, ACL_AICORE_NONE, fd);
}

svp_acl_error svp_acl_prof_destroy_subscribe_config(const svp_acl_prof_subscribe_config *subscribe_config)
{
    return subscribe_config_free(subscribe_config);
}

svp_acl_error svp_acl_prof_model_subscribe(uint32_t model_id, const svp_acl_prof_subscribe_config *subscribe_config)
{
    return subscribe_model(model_id, subscribe_config, "svp_acl_prof_model_subscribe");
}

svp_acl_error svp_acl_prof_model_unsubscribe(uint32_t model_id)
{
    return unsubscribe_model(model_id);
}

#define PLACE (&(const struct operator_place){op_info, op_info_len, index})

svp_acl_error svp_acl_prof_get_op_desc_size(size_t *op_desc_size)
{
    return subscribe_desc_size(op_desc_size);
}

svp_acl_error svp_acl_prof_get_op_num(const void *op_info, size_t op_info_len, uint32_t *op_number)
{
    return subscribe_count(op_info, op_info_len, op_number);
}

svp_acl_error svp_acl_prof_get_op_type_len(const void *op_info, size_t op_info_len, uint32_t index, size_t *op_type_len)
{
    return subscribe_text_length(PLACE, OPERATOR_TYPE, op_type_len);
}

svp_acl_error svp_acl_prof_get_op_name_len(const void *op_info, size_t op_info_len, uint32_t index, size_t *op_name_len)
{
    return subscribe_text_length(PLACE, OPERATOR_NAME, op_name_len);
}

svp_acl_error svp_acl_prof_get_op_type(const void *op_info, size_t op_info_len, uint32_t index, char *op_type,
                                       size_t op_type_len)
{
    return subscribe_text(PLACE, OPERATOR_TYPE, op_type, op_type_len);
}

svp_acl_error svp_acl_prof_get_op_name(const void *op_info, size_t op_info_len, uint32_t index, char *op_name,
                                       size_t op_name_len)
{
    return subscribe_text(PLACE, OPERATOR_NAME, op_name, op_name_len);
}

uint64_t svp_acl_prof_get_op_start(const void *op_info, size_t op_info_len, uint32_t index)
{
    return aclprofGetOpStart(op_info, op_info_len, index);
}

uint64_t svp_acl_prof_get_op_end(const void *op_info, size_t op_info_len, uint32_t index)
{
    return aclprofGetOpEnd(op_info, op_info_len, index);
}

uint64_t svp_acl_prof_get_op_duration(const void *op_info, size_t op_info_len, uint32_t index)
{
    return aclprofGetOpDuration(op_info, op_info_len, index);
}

size_t svp_acl_prof_get_model_id(const void *op_info, size_t op_info_len, uint32_t index)
{
    return aclprofGetModelId(op_info, op_info_len, index);
}
