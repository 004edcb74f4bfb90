/* SPDX-License-Identifier: Apache-2.0 */
/* Names of numbers that several kinds have. */
#include "parsers/kinds/common/hccl_types.h"
#include "parsers/record.h"

const struct value_name level_names[] = {
    {30000, "pytorch"}, {25000, "pta"}, {20500, "msproftx"}, HOST_LEVEL_NAMES,
    {6000, "aicpu"},    {4500, "prof"}, {4000, "dpu"},       {0, NULL},
};

#define CORES                                                                                                          \
    {0, "AI_CORE"}, {1, "AI_CPU"}, {2, "AI_VECTOR_CORE"}, {3, "WRITE_BACK"}, {4, "MIX_AIC"}, {5, "MIX_AIV"},           \
        {6, "FFTS_PLUS"}, {7, "DSA"}, {8, "DVPP"}, {9, "HCCL"}, {10, "FUSION"}, {11, "INVALID"}, {12, "HCCL_AI_CPU"},  \
    {                                                                                                                  \
        13, "KERNEL_SIMT"                                                                                              \
    }
const struct value_name core_names[] = {CORES, {0, NULL}};
const struct value_name core_names_or_unknown[] = {CORES, {VALUE_OTHER, "UNKNOWN"}, {0, NULL}};

const struct value_name core_names_2022[] = {{0, "AI_CORE"}, {1, "AI_CPU"}, {2, "AIV"}, {0, NULL}};

const struct value_name device_task_names[] = {{0, "AI_CORE"},
                                               {1, "AI_CPU"},
                                               {2, "AIV_SQE"},
                                               {3, "PLACE_HOLDER_SQE"},
                                               {4, "EVENT_RECORD_SQE"},
                                               {5, "EVENT_WAIT_SQE"},
                                               {6, "NOTIFY_RECORD_SQE"},
                                               {7, "NOTIFY_WAIT_SQE"},
                                               {8, "WRITE_VALUE_SQE"},
                                               {9, "VQ6_SQE"},
                                               {10, "TOF_SQE"},
                                               {11, "SDMA_SQE"},
                                               {12, "VPC_SQE"},
                                               {13, "JPEGE_SQE"},
                                               {14, "JPEGD_SQE"},
                                               {15, "DSA_SQE"},
                                               {16, "ROCCE_SQE"},
                                               {17, "PCIE_DMA_SQE"},
                                               {18, "HOST_CPU_SQE"},
                                               {19, "CDQM_SQE"},
                                               {20, "C_CORE_SQE"},
                                               {34, "FUSION"},
                                               {36, "AICPU_H"},
                                               {37, "AICPU_D"},
                                               {41, "UBDMA"},
                                               {42, "ASYNCDMA"},
                                               {47, "CMO"},
                                               {48, "CCU"},
                                               {52, "CONDITION"},
                                               {53, "END"},
                                               {0, NULL}};

const struct value_name device_part_names[] = {{0, "AIC"},
                                               {1, "AIV"},
                                               {3, "Notify Wait"},
                                               {4, "Notify Record"},
                                               {5, "Write Value"},
                                               {6, "MIX_AIC"},
                                               {7, "MIX_AIV"},
                                               {8, "SDMA"},
                                               {9, "Data Context"},
                                               {10, "Invalidate Data Context"},
                                               {11, "Writeback Data Context"},
                                               {12, "AI_CPU"},
                                               {13, "Load Context"},
                                               {15, "DSA"},
                                               {0, NULL}};

const struct value_name copy_direction_names[] = {{0, "host to host"},      {1, "host to device"},
                                                  {2, "device to host"},    {3, "device to device"},
                                                  {4, "managed memory"},    {5, "addr device to device"},
                                                  {6, "host to device ex"}, {7, "device to host ex"},
                                                  {65535, "other"},         {0, NULL}};

const struct value_name mark_names[] = {{0, "marker"}, {1, "push/pop"}, {2, "start/end"}, {3, "marker_ex"}, {0, NULL}};

const struct value_name acl_part_names[] = {{1, "op"}, {2, "model"}, {3, "runtime"}, {4, "others"}, {0, NULL}};

const struct value_name hccl_data_types[] = {EACH_HCCL_DATA_TYPE(HCCL_VALUE_NAME) HCCL_OTHERS};
const struct value_name hccl_link_types[] = {EACH_HCCL_LINK_TYPE(HCCL_VALUE_NAME) HCCL_OTHERS};
const struct value_name hccl_transport_types[] = {EACH_HCCL_TRANSPORT_TYPE(HCCL_VALUE_NAME) HCCL_OTHERS};
const struct value_name hccl_rdma_types[] = {EACH_HCCL_RDMA_TYPE(HCCL_VALUE_NAME) HCCL_OTHERS};

const char *value_name_find(const struct value_name *names, int64_t value)
{
    while (names->text != NULL && names->value != value && names->value != VALUE_OTHER)
        names++;
    return names->text;
}
