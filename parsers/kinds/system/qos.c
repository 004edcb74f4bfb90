/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidth of the quality-of-service groups: qos.data. */
#include "parsers/kinds/common/stars/soc_profile.h"

static const struct column columns[] = {
    SAMPLE_COLUMNS("tick", "The counter of the device."),
    QOS_BANDWIDTH_COLUMNS,
};

static const struct field fields[] = {
    FIELD("tick", 16, 8),
    QOS_BANDWIDTH_FIELDS,
};

const struct record_kind kind_qos = {
    OWN_TABLE("qos"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Quality of service",
    .doc = "Bandwidth of up to ten quality-of-service groups, which sample.json names in qosEvents.",
    .patterns = (const char *const[]){"qos.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("qos-64", 64, fields, "docs/formats/system.md 8: 64 bytes")),
    SOC_PROFILE_SAMPLES,
    ONE_SERIES(.name = "qos", .title = "Quality of service",
               .doc = "Bandwidth of the quality-of-service groups that were chosen.", .process = "QoS",
               .number = LAYER_QOS,
               .counters =
                   ONE_COUNTER(.name = "'QoS ' || name", .values = ONE_VALUE("value", QOS_VALUE, .form = FORM_TEXT),
                               .query = {.with = QOS_GROUPS, .from = "g JOIN qos ON qos.device_id IS g.device"})),
    EXPORTED_TABLE(.name = "QOS",
                   .columns = EXPORTED_COLUMNS({"deviceId", "device_id", EXPORTED_INTEGER},
                                               {"eventName", "'QoS ' || name", EXPORTED_NUMERIC_WORD},
                                               {"bandwidth", "(" QOS_VALUE ") * 1048576", EXPORTED_NUMERIC},
                                               {"timestampNs", "time_ns", EXPORTED_NUMERIC},
                                               {"dieId", "-1", EXPORTED_NUMERIC}),
                   .query = {.with = QOS_GROUPS,
                             .from = "g JOIN qos ON qos.device_id IS g.device",
                             .order_by = "qos.id, place"}),
};
