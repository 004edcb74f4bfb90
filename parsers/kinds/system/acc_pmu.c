/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidth and open requests of accelerators: records of stars_soc_profile.data. */
#include "parsers/kinds/common/stars/soc_profile.h"

static const struct column columns[] = {
    FILE_COLUMN,
    DEVICE_COLUMN,
    STAMP_COLUMN("tick", "The counter of the device."),
    TIME_COLUMN,
    NUMBER_COLUMN("accelerator_id", "Accelerator", "Which accelerator."),
    NUMBER_COLUMN("write_bandwidth", "Write bandwidth", "Bandwidth of writing."),
    NUMBER_COLUMN("read_bandwidth", "Read bandwidth", "Bandwidth of reading."),
    NUMBER_COLUMN("write_ost", "Open writes", "Writes that were not answered yet."),
    NUMBER_COLUMN("read_ost", "Open reads", "Reads that were not answered yet."),
};

static const struct field fields[] = {
    SOC_PROFILE_STAMP,
    {.column = "accelerator_id", .offset = 18, .width = 2},
    {.column = "write_bandwidth", .offset = 32, .width = 8},
    {.column = "read_bandwidth", .offset = 40, .width = 8},
    {.column = "write_ost", .offset = 48, .width = 8},
    {.column = "read_ost", .offset = 56, .width = 8},
};

static const struct layout layouts[] = {{
    .name = "soc-acc-pmu",
    .source = "docs/formats/system.md 7: AccPmu, 64 bytes",
    .part = true,
    .record_size = 64,
    .magics = SOC_PROFILE_MAGICS(0x1a),
    FIELDS_OF(fields),
}};

/* The most of all accelerators at a time. */
static const struct series_counter counters[] = {
    {.name = "'read_bandwidth'", .values = ONE_VALUE("value", "read_bandwidth", .form = FORM_TEXT), .most = true},
    {.name = "'read_ost'", .values = ONE_VALUE("value", "read_ost", .form = FORM_TEXT), .most = true},
    {.name = "'write_bandwidth'", .values = ONE_VALUE("value", "write_bandwidth", .form = FORM_TEXT), .most = true},
    {.name = "'write_ost'", .values = ONE_VALUE("value", "write_ost", .form = FORM_TEXT), .most = true},
    {.name = NULL},
};

static const struct report_column samples[] = {
    {"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
    {"acc_id", "accelerator_id", .flags = REPORT_NUMBER, .doc = "The accelerator."},
    {"read_bandwidth", "read_bandwidth", .flags = REPORT_NUMBER, .doc = "Bandwidth of reading."},
    {"write_bandwidth", "write_bandwidth", .flags = REPORT_NUMBER, .doc = "Bandwidth of writing."},
    {"read_ost", "read_ost", .flags = REPORT_NUMBER, .doc = "Reads that were not answered yet."},
    {"write_ost", "write_ost", .flags = REPORT_NUMBER, .doc = "Writes that were not answered yet."},
    {"time_stamp", "time_ns", FORM_SCALED, .unit = UNIT_NS, .doc = "When it was sampled, in ns."},
    {.title = NULL},
};

static const struct series_report series[] = {
    {
        .name = "acc_pmu_summary",
        .title = "Samples of accelerators",
        .doc = "Every sample of accelerators in captures of 2022.",
        .families = FAMILY_2022,
        .query = {.order_by = "device_id, time_ns, accelerator_id, id"},
        .columns = samples,
    },
    {
        .name = "acc_pmu",
        .title = "Accelerators",
        .doc = "Bandwidth and open requests of accelerators; at each time the most of all.",
        .process = "Acc PMU",
        .process_order = 19,
        .counters = counters,
    },
    {.name = NULL},
};

static const struct exported_column acc_pmu_columns[] = {
    {"accId", "accelerator_id", EXPORTED_INTEGER},         {"readBwLevel", "read_bandwidth", EXPORTED_INTEGER},
    {"writeBwLevel", "write_bandwidth", EXPORTED_INTEGER}, {"readOstLevel", "read_ost", EXPORTED_INTEGER},
    {"writeOstLevel", "write_ost", EXPORTED_INTEGER},      {"timestampNs", "time_ns", EXPORTED_NUMERIC},
    {"deviceId", "device_id", EXPORTED_INTEGER},           {.name = NULL},
};

const struct record_kind kind_acc_pmu = {
    .name = "acc_pmu",
    .families = FAMILY_2022 | FAMILY_CANN,
    .table = "acc_pmu",
    .title = "Bandwidth of accelerators",
    .doc = "Bandwidth and open requests of an accelerator of the chip.",
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &sample_hooks,
    .sampling = &soc_profile_sampling,
    .series = series,
    EXPORTED_TABLE(.name = "ACC_PMU", .columns = acc_pmu_columns, .query = {.order_by = "id"}),
};
