/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that the modules of CANN hold on a device: npu_module_mem.data. */
#include "parsers/kinds/common/sample.h"

/* clang-format off */
#define MODULES(X) \
    X(0, "SLOG") X(1, "IDEDD") X(2, "SCC") X(3, "HCCL") X(4, "FMK") \
    X(5, "CCU") X(6, "DVPP") X(7, "RUNTIME") X(8, "CCE") X(9, "HDC") \
    X(10, "DRV") X(11, "NET") X(22, "DEVMM") X(23, "KERNEL") X(24, "LIBMEDIA") \
    X(25, "CCECPU") X(27, "ROS") X(28, "HCCP") X(29, "ROCE") X(30, "TEFUSION") \
    X(31, "PROFILING") X(32, "DP") X(33, "APP") X(34, "TS") X(35, "TSDUMP") \
    X(36, "AICPU") X(37, "LP") X(38, "TDT") X(39, "FE") X(40, "MD") \
    X(41, "MB") X(42, "ME") X(43, "IMU") X(44, "IMP") X(45, "GE") \
    X(47, "CAMERA") X(48, "ASCENDCL") X(49, "TEEOS") X(50, "ISP") X(51, "SIS") \
    X(52, "HSM") X(53, "DSS") X(54, "PROCMGR") X(55, "BBOX") X(56, "AIVECTOR") \
    X(57, "TBE") X(58, "FV") X(60, "TUNE") X(61, "HSS") X(62, "FFTS") \
    X(63, "OP") X(64, "UDF") X(65, "HICAID") X(66, "TSYNC") X(67, "AUDIO") \
    X(68, "TPRT") X(69, "ASCENDCKERNEL") X(70, "ASYS") X(71, "ATRACE") X(72, "RTC") \
    X(73, "SYSMONITOR") X(74, "AML") X(75, "ADETECT") X(76, "MBUFF") X(77, "CUSTOM")
/* clang-format on */

#define MODULE_NAME(id, name) {id, name},
static const struct value_name modules[] = {MODULES(MODULE_NAME){0, NULL}};

static const struct column columns[] = {
    SAMPLE_COLUMNS("host_tick", "The counter of the host."),
    NAMED_COLUMN("module_id", "Module", modules, "Who holds the memory."),
    BYTES_COLUMN("bytes", "Reserved", "How much; negative: not known."),
};

static const struct field fields[] = {FIELD("module_id", 0, 4), FIELD("host_tick", 8, 8), SIGNED_FIELD("bytes", 16, 8)};

#define MODULE_CASE(id, name) "WHEN " #id " THEN '" name "' "

/* Chip 5's table has whole KB. */
static const struct report_column table[] = {
    {"Device_id", "device_id", .doc = "The device."},
    {"Component",
     "coalesce(older_module(module_id), CASE module_id " MODULES(
         MODULE_CASE) "ELSE CASE WHEN chip(device_id) IN (5, 15, 16) THEN 'Unknown' ELSE 'other'"
                      " END END)",
     .doc = "Who holds the memory."},
    {"Timestamp(us)", "time_ns", .form = FORM_TIME, .doc = "When."},
    {"Total Reserved(KB)",
     "CASE WHEN bytes <= 0 THEN bytes WHEN chip(device_id) IN (5, 15, 16) THEN bytes / 1024 ELSE bytes /"
     " 1024.0 END",
     FORM_SHORTEST, 3, .doc = "How much; -1: not known."},
    {"Device", "'NPU:' || device_id", .doc = "The device once more."},
    {.title = NULL},
};

const struct record_kind kind_npu_module_mem = {
    OWN_TABLE("npu_module_mem"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Memory of the modules of CANN",
    .doc = "How much memory of the device a module of CANN holds.",
    .patterns = (const char *const[]){"npu_module_mem.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("npu-module-mem-24", 24, fields, "docs/formats/memory.md 2: 24 bytes")),
    SAMPLES_OF(.stamps = {{"host_tick", CLOCK_HOST_TICK}}, .keys = {"module_id"}),
    ONE_SERIES(.name = "npu_module_mem", .title = "Memory of the modules of CANN",
               .doc = "Memory of a device that each module of CANN holds, by module and time.",
               .query = {.order_by = "device_id, module_id, time_ns, id"}, .columns = table),
    EXPORTED_TABLE(.name = "NPU_MODULE_MEM",
                   .columns = EXPORTED_COLUMNS(
                       {"moduleId", "module_id", EXPORTED_INTEGER}, {"timestampNs", "time_ns", EXPORTED_INTEGER},
                       {"totalReserved", "bytes", EXPORTED_NUMERIC}, {"deviceId", "device_id", EXPORTED_INTEGER}),
                   .query = {.order_by = "id"}),
};
