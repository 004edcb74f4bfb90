/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of the bandwidth between the parts of a chip: records of stars_soc_profile.data. */
#include "parsers/kinds/common/stars/soc_profile.h"

static const struct column columns[] = {
    SAMPLE_COLUMNS("tick", "The counter of the device."),
    NUMBER_COLUMN("mata_level", "Mata level", "Level of the bandwidth of the memory access agent."),
    NUMBER_COLUMN("l2_buffer_level", "L2 buffer level", "Level of the bandwidth of the L2 buffer."),
};

static const struct field fields[] = {SOC_PROFILE_STAMP, BITS_FIELD("mata_level", 32, 2, 0, 3),
                                      BITS_FIELD("l2_buffer_level", 32, 2, 3, 8)};

const struct record_kind kind_soc_bandwidth_level = {
    OWN_TABLE("soc_bandwidth_level"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Bandwidth inside of a chip",
    .doc = "Levels of the bandwidth between the parts of a chip.",
    RECORDS_OF(columns, SOC_PROFILE_LAYOUT("soc-inter-soc", 0x1c, "docs/formats/system.md 7: InterSoc, 64 bytes")),
    SOC_PROFILE_SAMPLES,
    SEVERAL_SERIES(
        {
            .name = "inter_soc_transmission",
            .title = "Mean bandwidth inside of a chip",
            .doc = "Mean levels of the bandwidth of the L2 buffer and of the memory access agent, in captures of 2022.",
            .families = FAMILY_2022,
            .query = {.group_by = "device_id", .order_by = "device_id"},
            .columns = VALUE_LIST({"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
                                  {"Metric", "'average'", .doc = "The mean of all samples."},
                                  {"L2Buffer_bandwidth_level", "avg(l2_buffer_level)", FORM_SHORTEST, 4,
                                   .doc = "Level of the L2 buffer."},
                                  {"MATA_bandwidth_level", "avg(mata_level)", FORM_SHORTEST, 4,
                                   .doc = "Level of the memory access agent."}),
        },
        {
            .name = "stars_soc",
            .title = "Bandwidth inside of a chip",
            .doc = "Levels of the bandwidth of the L2 buffer and of the memory access agent.",
            .process = "Stars Soc Info",
            .number = LAYER_SOC_INFO,
            .counters = COUNTER_LIST(
                {.name = "'L2 Buffer Bw Level'",
                 .values = ONE_VALUE("L2 Buffer Bw Level", "l2_buffer_level", .form = FORM_TEXT)},
                {.name = "'Mata Bw Level'", .values = ONE_VALUE("Mata Bw Level", "mata_level", .form = FORM_TEXT)}),
        }),
    EXPORTED_TABLE(.name = "SOC_BANDWIDTH_LEVEL",
                   .columns = EXPORTED_COLUMNS({"l2BufferBwLevel", "l2_buffer_level", EXPORTED_INTEGER},
                                               {"mataBwLevel", "mata_level", EXPORTED_INTEGER},
                                               {"timestampNs", "time_ns", EXPORTED_NUMERIC},
                                               {"deviceId", "device_id", EXPORTED_INTEGER}),
                   .query = {.order_by = "id"}),
};
