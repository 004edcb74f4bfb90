/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in use on a device: npu_mem.data. */
#include "parsers/kinds/common/sample.h"

static const struct value_name users[] = {{0, "application"}, {1, "device"}, {0, NULL}};

static const struct column columns[] = {
    SAMPLE_COLUMNS("start_us", "Microseconds since the collection began."),
    NAMED_COLUMN("user", "User", users, "Owner of the memory: the application, or the whole device."),
    BYTES_COLUMN("ddr_bytes", "DDR", "In DDR memory."),
    BYTES_COLUMN("hbm_bytes", "HBM", "In high-bandwidth memory."),
};

static const struct field fields[] = {FIELD("start_us", 0, 4), FIELD("user", 4, 4), FIELD("ddr_bytes", 16, 8),
                                      FIELD("hbm_bytes", 24, 8)};

static const struct field version_2_fields[] = {FIELD("user", 4, 4), FIELD("start_us", 8, 8), FIELD("ddr_bytes", 16, 8),
                                                FIELD("hbm_bytes", 24, 8)};

/* The tables of chips 5, 15 and 16 have whole KB. */
#define KILOBYTES(bytes)                                                                                               \
    "CASE WHEN chip(device_id) IN (5, 15, 16) THEN (" bytes ") / 1024 ELSE (" bytes ") / 1024.0 END"

#define USER "CASE user WHEN 0 THEN 'APP' ELSE 'Device' END"

static const struct exported_column npu_mem_columns[] = {
    {"type", "lower(" USER ")", EXPORTED_WORD},  {"ddr", "ddr_bytes", EXPORTED_NUMERIC},
    {"hbm", "hbm_bytes", EXPORTED_NUMERIC},      {"timestampNs", "time_ns", EXPORTED_INTEGER},
    {"deviceId", "device_id", EXPORTED_INTEGER}, {.name = NULL},
};

const struct record_kind kind_npu_mem = {
    OWN_TABLE("npu_mem"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Memory in use on a device",
    .doc = "How much memory of the device the application, and everyone together, holds.",
    .patterns = (const char *const[]){"npu_mem.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("npu-mem-32", 32, fields, "docs/formats/memory.md 1: 32 bytes"),
               LAYOUT("npu-mem-32-version-2", 32, version_2_fields, "docs/formats/memory.md 1: 32 bytes, version 2.0",
                      .version = "2.0")),
    SAMPLES_OF(.stamps = {{"start_us", CLOCK_START_US}}, .keys = {"user"}),
    ONE_SERIES(.name = "npu_mem", .title = "Memory in use on a device",
               .doc = "Memory of the device that the application and the whole device hold.",
               .columns =
                   VALUE_LIST({"Device_id", "device_id", .doc = "The device."},
                              {"event", "CASE user WHEN 0 THEN 'APP' ELSE 'Device' END",
                               .doc = "Owner of the memory: the application, or the whole device."},
                              {"ddr(KB)", KILOBYTES("ddr_bytes"), FORM_SHORTEST, 3, .doc = "In DDR memory."},
                              {"hbm(KB)", KILOBYTES("hbm_bytes"), FORM_SHORTEST, 3, .doc = "In high-bandwidth memory."},
                              {"memory(KB)", KILOBYTES("ddr_bytes + hbm_bytes"), FORM_SHORTEST, 3, .doc = "In both."},
                              {"timestamp(us)", "time_ns", .form = FORM_TIME, .doc = "When."}),
               .process = "NPU MEM", .number = LAYER_NPU_MEM,
               .counters = COUNTER_LIST(
                   {.name = USER " || '/DDR'", .values = ONE_VALUE("KB", "ddr_bytes / 1024.0", .form = FORM_FLOAT)},
                   {.name = USER " || '/HBM'", .values = ONE_VALUE("KB", "hbm_bytes / 1024.0", .form = FORM_FLOAT)},
                   {.name = USER " || '/Memory'",
                    .values = ONE_VALUE("KB", "(ddr_bytes + hbm_bytes) / 1024.0", .form = FORM_FLOAT)})),
    EXPORTED_TABLE(.name = "NPU_MEM", .columns = npu_mem_columns, .query = {.order_by = "id"}),
};
