/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidth of the quality-of-service groups of a die: records of stars_soc_profile.data. */
#include "parsers/kinds/common/stars/soc_profile.h"

static const struct column columns[] = {
    SAMPLE_COLUMNS("tick", "The counter of the device."),
    NUMBER_COLUMN("die_id", "Die", "Which die."),
    QOS_BANDWIDTH_COLUMNS,
};

static const struct field fields[] = {
    SOC_PROFILE_STAMP,
    SOC_PROFILE_HIGH("die_id"),
    QOS_BANDWIDTH_FIELDS,
};

const struct record_kind kind_die_qos = {
    OWN_TABLE("die_qos"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Quality of service by die",
    .doc = "Bandwidth of the quality-of-service groups of a die.",
    RECORDS_OF(columns, SOC_PROFILE_LAYOUT("soc-qos", 0x18, "docs/formats/system.md 7: QoS, 64 bytes")),
    SOC_PROFILE_SAMPLES,
    ONE_SERIES(.name = "die_qos", .title = "Quality of service by die",
               .doc = "Bandwidth of the quality-of-service groups of each die.", .layer = "qos", .process = "QoS",
               .number = LAYER_QOS,
               .counters =
                   ONE_COUNTER(.name = "'QoS ' || name",
                               .values = VALUE_LIST(
                                   {"die 0", "max(CASE WHEN die_id = 0 THEN " QOS_VALUE " END)", .form = FORM_TEXT},
                                   {"die 1", "max(CASE WHEN die_id = 1 THEN " QOS_VALUE " END)", .form = FORM_TEXT}),
                               .query =
                                   {
                                       .with = QOS_GROUPS,
                                       .from = "g JOIN die_qos ON die_qos.device_id IS g.device",
                                       .group_by = "device, place, time_ns",
                                       .order_by = "device, place, time_ns",
                                   })),
};
