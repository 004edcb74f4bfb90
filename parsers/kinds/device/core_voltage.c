/* SPDX-License-Identifier: Apache-2.0 */
/* Voltage of the AI cores and the bus over time: lpmInfoConv.data. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/core_changes.h"

enum { WHAT = CORE_CHANGES_OWN };

static const struct value_name whats[] = {
    {0, "frequency of the cores"}, {1, "voltage of the cores"}, {2, "voltage of the bus"}, {0, NULL}};

static const struct column columns[] = {
    CORE_CHANGES_COLUMNS,
    [CORE_CHANGES_VALUE] = {"value", "Value", MADE_NUMBER, "mV from then on; MHz of a frequency."},
    [WHAT] = {"what", "Value of", NAMES(PLAIN, whats), "Kind of value that changed."},
};

static const struct field fields[] = {FIELD("changes", 0, 4), FIELD("what", 4, 4)};

/* The driver hands out its history, too, which is hours: a counter begins at the capture's start, with what held then.
 */
#define SINCE_START(which)                                                                                             \
    {                                                                                                                  \
        .with = "b AS (SELECT device_id AS device, start_ns FROM capture_part WHERE NOT is_host AND start_ns IS NOT"   \
                " NULL), v AS (SELECT c.*, max(c.time_ns, coalesce(b.start_ns, c.time_ns)) AS since, c.time_ns <="     \
                " b.start_ns AS before, row_number() OVER (PARTITION BY c.device_id, c.time_ns <= b.start_ns"          \
                " ORDER BY c.time_ns DESC, c.id DESC) AS place FROM core_voltage c LEFT JOIN b ON b.device IS"         \
                " c.device_id WHERE c.what = " which ")",                                                              \
        .from = "v", .where = "NOT coalesce(before, 0) OR place = 1", .order_by = "device_id, since, id"               \
    }

const struct record_kind kind_core_voltage = {
    OWN_TABLE("core_voltage"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Voltage of the AI cores and the bus",
    .doc = "When a voltage of a device changed, and to what; also frequencies of the cores, which count where no "
           "core_frequency has them.",
    .patterns = (const char *const[]){"lpmInfoConv.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(
        columns,
        LAYOUT("cann-lpm-info-conv", CORE_CHANGES_SIZE, fields,
               "docs/formats/system.md 9: 888 bytes, count, what, and from 8 on up to 55 pairs of system counter and "
               "value, 16 bytes each")),
    .hooks = &core_changes_hooks,
    ONE_SERIES(.name = "voltage", .title = "Voltage", .doc = "Voltage of the AI cores and the bus, at each change.",
               .process = "Voltage Info", .number = LAYER_VOLTAGE,
               .counters = COUNTER_LIST(
                   {.name = "'Aicore Voltage(mV)'",
                    .values = ONE_VALUE("mV", "value", .form = FORM_TEXT, .doc = "Voltage of the AI cores."),
                    .query = SINCE_START("1"),
                    .time = "since"},
                   {.name = "'Bus Voltage(mV)'",
                    .values = ONE_VALUE("mV", "value", .form = FORM_TEXT, .doc = "Voltage of the bus."),
                    .query = SINCE_START("2"),
                    .time = "since"})),
};
