/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidth and open requests of accelerators: records of stars_soc_profile.data. */
#include "parsers/kinds/common/stars/soc_profile.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(TICK, "tick", "Stamp", INTEGER(NONE, TRANSIENT), "The counter of the device.")                                \
    MADE(TIME_NS, "time_ns", "Time", INTEGER(NS, DERIVED), "When it was taken, on the clock of the host.")             \
    STORED(ACCELERATOR_ID, "accelerator_id", "Accelerator", NUMBER, "Which accelerator.", AT(18, 2))                   \
    STORED(WRITE_BANDWIDTH, "write_bandwidth", "Write bandwidth", NUMBER, "Bandwidth of writing.", AT(32, 8))          \
    STORED(READ_BANDWIDTH, "read_bandwidth", "Read bandwidth", NUMBER, "Bandwidth of reading.", AT(40, 8))             \
    STORED(WRITE_OST, "write_ost", "Open writes", NUMBER, "Writes that were not answered yet.", AT(48, 8))             \
    STORED(READ_OST, "read_ost", "Open reads", NUMBER, "Reads that were not answered yet.", AT(56, 8))

static const struct column columns[] = {FILE_COLUMN, DEVICE_COLUMN, COLUMNS(COLUMN_STORED, COLUMN_MADE)};

static const struct field fields[] = {SOC_PROFILE_STAMP, COLUMNS(COLUMN_FIELD, COLUMN_NO_FIELD)};

/* The most of all accelerators at a time. */
static const struct series_counter counters[] = {
    {.name = "'read_bandwidth'", .values = ONE_VALUE("value", "read_bandwidth", .form = FORM_TEXT), .most = true},
    {.name = "'read_ost'", .values = ONE_VALUE("value", "read_ost", .form = FORM_TEXT), .most = true},
    {.name = "'write_bandwidth'", .values = ONE_VALUE("value", "write_bandwidth", .form = FORM_TEXT), .most = true},
    {.name = "'write_ost'", .values = ONE_VALUE("value", "write_ost", .form = FORM_TEXT), .most = true},
    {.name = NULL},
};

static const struct exported_column acc_pmu_columns[] = {
    {"accId", "accelerator_id", EXPORTED_INTEGER},         {"readBwLevel", "read_bandwidth", EXPORTED_INTEGER},
    {"writeBwLevel", "write_bandwidth", EXPORTED_INTEGER}, {"readOstLevel", "read_ost", EXPORTED_INTEGER},
    {"writeOstLevel", "write_ost", EXPORTED_INTEGER},      {"timestampNs", "time_ns", EXPORTED_NUMERIC},
    {"deviceId", "device_id", EXPORTED_INTEGER},           {.name = NULL},
};

const struct record_kind kind_acc_pmu = {
    OWN_TABLE("acc_pmu"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Bandwidth of accelerators",
    .doc = "Bandwidth and open requests of an accelerator of the chip.",
    RECORDS_OF(columns, SOC_PROFILE_LAYOUT("soc-acc-pmu", 0x1a, "docs/formats/system.md 7: AccPmu, 64 bytes")),
    SOC_PROFILE_SAMPLES,
    SEVERAL_SERIES(
        {
            .name = "acc_pmu_summary",
            .title = "Samples of accelerators",
            .doc = "Every sample of accelerators in captures of 2022.",
            .families = FAMILY_2022,
            .query = {.order_by = "device_id, time_ns, accelerator_id, id"},
            .columns = VALUE_LIST(
                {"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
                {"acc_id", "accelerator_id", .flags = REPORT_NUMBER, .doc = "The accelerator."},
                {"read_bandwidth", "read_bandwidth", .flags = REPORT_NUMBER, .doc = "Bandwidth of reading."},
                {"write_bandwidth", "write_bandwidth", .flags = REPORT_NUMBER, .doc = "Bandwidth of writing."},
                {"read_ost", "read_ost", .flags = REPORT_NUMBER, .doc = "Reads that were not answered yet."},
                {"write_ost", "write_ost", .flags = REPORT_NUMBER, .doc = "Writes that were not answered yet."},
                {"time_stamp", "time_ns", FORM_SCALED, .unit = UNIT_NS, .doc = "When it was sampled, in ns."}),
        },
        {
            .name = "acc_pmu",
            .title = "Accelerators",
            .doc = "Bandwidth and open requests of accelerators; at each time the most of all.",
            .process = "Acc PMU",
            .number = LAYER_ACC_PMU,
            .counters = counters,
        }),
    EXPORTED_TABLE(.name = "ACC_PMU", .columns = acc_pmu_columns, .query = {.order_by = "id"}),
};
