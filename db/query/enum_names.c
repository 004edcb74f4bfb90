/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_records.h"

#include "parsers/record.h"

#include <stddef.h>

static const struct value_name modules[] = {
    {0, "SLOG"},        {1, "IDEDD"},     {2, "SCC"},
    {3, "HCCL"},        {4, "FMK"},       {5, "CCU"},
    {6, "DVPP"},        {7, "RUNTIME"},   {8, "CCE"},
    {9, "HDC"},         {10, "DRV"},      {11, "NET"},
    {22, "DEVMM"},      {23, "KERNEL"},   {24, "LIBMEDIA"},
    {25, "CCECPU"},     {27, "ROS"},      {28, "HCCP"},
    {29, "ROCE"},       {30, "TEFUSION"}, {31, "PROFILING"},
    {32, "DP"},         {33, "APP"},      {34, "TS"},
    {35, "TSDUMP"},     {36, "AICPU"},    {37, "LP"},
    {38, "TDT"},        {39, "FE"},       {40, "MD"},
    {41, "MB"},         {42, "ME"},       {43, "IMU"},
    {44, "IMP"},        {45, "GE"},       {47, "CAMERA"},
    {48, "ASCENDCL"},   {49, "TEEOS"},    {50, "ISP"},
    {51, "SIS"},        {52, "HSM"},      {53, "DSS"},
    {54, "PROCMGR"},    {55, "BBOX"},     {56, "AIVECTOR"},
    {57, "TBE"},        {58, "FV"},       {60, "TUNE"},
    {61, "HSS"},        {62, "FFTS"},     {63, "OP"},
    {64, "UDF"},        {65, "HICAID"},   {66, "TSYNC"},
    {67, "AUDIO"},      {68, "TPRT"},     {69, "ASCENDCKERNEL"},
    {70, "ASYS"},       {71, "ATRACE"},   {72, "RTC"},
    {73, "SYSMONITOR"}, {74, "AMP"},      {75, "ADETECT"},
    {76, "MBUFF"},      {77, "CUSTOM"},   {0, NULL},
};

static const struct value_name api_types[] = {
    HOST_LEVEL_NAMES,
    {0, NULL},
};

static const struct value_name overlap_types[] = {
    {0, "COMPUTE"}, {1, "COMMUNICATION"}, {2, "COMM_NOT_OVERLAP_COMP"}, {3, "FREE"}, {65535, "RESERVE"}, {0, NULL},
};

const struct enum_table enum_names_tables[] = {
    {"ENUM_API_TYPE", api_types},
    {"ENUM_MODULE", modules},
    {"ENUM_HCCL_DATA_TYPE", hccl_data_types},
    {"ENUM_HCCL_LINK_TYPE", hccl_link_types},
    {"ENUM_HCCL_TRANSPORT_TYPE", hccl_transport_types},
    {"ENUM_HCCL_RDMA_TYPE", hccl_rdma_types},
    {"ENUM_MEMCPY_OPERATION", copy_direction_names},
    {"ENUM_MSTX_EVENT_TYPE", mark_names},
    {"ENUM_OVERLAP_ANALYSIS_TYPE", overlap_types},
    {NULL, NULL},
};
