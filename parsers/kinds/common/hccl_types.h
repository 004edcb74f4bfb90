/* SPDX-License-Identifier: Apache-2.0 */
/* Meanings of the numbers of HCCL in records of communication: lists for tables of names and for SQL. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_HCCL_TYPES_H
#define MSPROF_PARSERS_KINDS_COMMON_HCCL_TYPES_H

#include "parsers/decode/decode.h"
#include "parsers/record.h"

#include <math.h>
#include <string.h>

/* An estimated duration in ns; bits: of a double, in microseconds. 0 when it is no duration. */
static inline int64_t hccl_estimate_ns(int64_t bits)
{
    double us;
    memcpy(&us, &bits, sizeof us);
    return isfinite(us) && us >= 0 && us < 1e12 ? (int64_t)llround(us * 1000) : 0;
}

/* How HCCL says that it does not know a size, a rank or a type. */
#define HCCL_UNKNOWN 4294967295
/* Leaves a column empty where its number is not known. */
static inline void hccl_forget_unknown(struct row *row, size_t column)
{
    if (row->cells[column].integer == HCCL_UNKNOWN)
        *row->present &= ~(UINT64_C(1) << column);
}

#define EACH_HCCL_DATA_TYPE(X)                                                                                         \
    X(0, "INT8")                                                                                                       \
    X(1, "INT16")                                                                                                      \
    X(2, "INT32")                                                                                                      \
    X(3, "FP16")                                                                                                       \
    X(4, "FP32")                                                                                                       \
    X(5, "INT64")                                                                                                      \
    X(6, "UINT64")                                                                                                     \
    X(7, "UINT8")                                                                                                      \
    X(8, "UINT16")                                                                                                     \
    X(9, "UINT32")                                                                                                     \
    X(10, "FP64")                                                                                                      \
    X(11, "BFP16") X(12, "INT128") X(14, "HIF8") X(15, "FP8E4M3") X(16, "FP8E5M2") X(17, "FP8E8M0") X(255, "RESERVED")
#define EACH_HCCL_LINK_TYPE(X)                                                                                         \
    X(0, "ON_CHIP")                                                                                                    \
    X(1, "HCCS")                                                                                                       \
    X(2, "PCIE")                                                                                                       \
    X(3, "ROCE") X(4, "SIO") X(5, "HCCS_SW") X(6, "STANDARD_ROCE") X(7, "UB") X(8, "UBoE") X(255, "RESERVED")
#define EACH_HCCL_TRANSPORT_TYPE(X) X(0, "SDMA") X(1, "RDMA") X(2, "LOCAL") X(3, "UB") X(4, "ROCE") X(255, "RESERVED")
#define EACH_HCCL_RDMA_TYPE(X) X(0, "RDMA_SEND_NOTIFY") X(1, "RDMA_SEND_PAYLOAD") X(255, "RESERVED")

#define HCCL_VALUE_NAME(number, name) {number, name},
/* Behind the numbers of HCCL: not given, and none that HCCL has. */
#define HCCL_OTHERS                                                                                                    \
    {65534, "N/A"}, {65535, "INVALID_TYPE"},                                                                           \
    {                                                                                                                  \
        0, NULL                                                                                                        \
    }
#define HCCL_WHEN(number, name) " WHEN " #number " THEN '" name "'"
/* SQL: the name of the number in a column, or INVALID_TYPE. */
#define HCCL_NAME_SQL(column, each) "CASE " column each(HCCL_WHEN) " ELSE 'INVALID_TYPE' END"

extern const struct value_name hccl_data_types[], hccl_link_types[], hccl_transport_types[], hccl_rdma_types[];

#endif
