/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to high-bandwidth memory: hbm.data. */
#include "parsers/kinds/common/sample.h"

static const struct value_name events[] = {{0, "read"}, {1, "write"}, {0, NULL}};

static const struct column columns[] = {
    FILE_COLUMN,
    DEVICE_COLUMN,
    STAMP_COLUMN("start_us", "Microseconds since the collection began."),
    STAMP_COLUMN("unix_ns", "Nanoseconds since 1970."),
    TIME_COLUMN,
    SPAN_COLUMN,
    NUMBER_COLUMN("hbm_id", "HBM", "Which memory."),
    NAMED_COLUMN("event", "Event", events, "Event that was counted."),
    NUMBER_COLUMN("count", "Count", "Accesses of 32 bytes since the sample before."),
};

static const struct field fields[] = {FIELD("start_us", 0, 8), FIELD("count", 8, 8), FIELD("event", 16, 4),
                                      FIELD("hbm_id", 20, 4)};

static const struct field version_2_fields[] = {FIELD("event", 8, 4), FIELD("hbm_id", 12, 4), FIELD("count", 16, 8),
                                                FIELD("unix_ns", 24, 8)};

/* Nothing is known of the first sample but that it was. */
#define BANDWIDTH                                                                                                      \
    "CASE WHEN span_ns > 0 THEN count * (256 / 8.0 / 1048576) / span_ns * 1e9 WHEN span_ns = 0 THEN count * 1.0 ELSE " \
    "0.0 END"

const struct record_kind kind_hbm = {
    OWN_TABLE("hbm"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Accesses to high-bandwidth memory",
    .doc = "How many accesses a memory of the device served since the sample before.",
    .patterns = (const char *const[]){"hbm.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(
        columns, LAYOUT("hbm-24", 24, fields, "docs/formats/system.md 2: 24 bytes"),
        LAYOUT("hbm-32", 32, version_2_fields, "docs/formats/system.md 2: 32 bytes, version 2.0", .version = "2.0")),
    SAMPLES_OF(.stamps = {{"start_us", CLOCK_START_US}, {"unix_ns", CLOCK_UNIX_NS}}, .keys = {"hbm_id", "event"}),
    ONE_SERIES(.name = "hbm", .title = "Bandwidth of high-bandwidth memory",
               .doc = "Mean bandwidth of reading and writing of each memory, and the mean of all.",
               .query =
                   {
                       .with = "b AS (SELECT device_id, hbm_id, event, " BANDWIDTH " AS rate FROM hbm), "
                               "m AS (SELECT device_id, hbm_id, avg(CASE WHEN event = 0 THEN rate END) AS read,"
                               " avg(CASE WHEN event <> 0 THEN rate END) AS write FROM b GROUP BY device_id, hbm_id)",
                       .from = "(SELECT device_id, 'Average' AS metric, quantize(sum(read), 3) / count(*) AS read,"
                               " quantize(sum(write), 3) / count(*) AS write, -1 AS place FROM m GROUP BY device_id"
                               " UNION ALL SELECT device_id, hbm_id, read, write, hbm_id FROM m)",
                       .order_by = "device_id, place",
                   },
               .columns = VALUE_LIST({"Device_id", "device_id", .doc = "The device."},
                                     {"Metric", "metric", .doc = "The number of the memory; Average: of all."},
                                     {"Read(MB/s)", "read", FORM_SHORTEST, 3, .doc = "Mean bandwidth of reading."},
                                     {"Write(MB/s)", "write", FORM_SHORTEST, 3, .doc = "Mean bandwidth of writing."}),
               .process = "HBM", .number = LAYER_HBM,
               .counters = COUNTER_LIST({.name = "'HBM ' || hbm_id || '/Read'",
                                         .values = ONE_VALUE("Read(MB/s)", BANDWIDTH, .form = FORM_FLOAT),
                                         .query = {.where = "event = 0"}},
                                        {.name = "'HBM ' || hbm_id || '/Write'",
                                         .values = ONE_VALUE("Write(MB/s)", BANDWIDTH, .form = FORM_FLOAT),
                                         .query = {.where = "event <> 0"}})),
    EXPORTED_TABLE(.name = "HBM",
                   .columns = EXPORTED_COLUMNS(
                       {"deviceId", "device_id", EXPORTED_INTEGER}, {"timestampNs", "time_ns", EXPORTED_INTEGER},
                       {"bandwidth", "(" BANDWIDTH ") * 1048576", EXPORTED_NUMERIC},
                       {"hbmId", "hbm_id", EXPORTED_INTEGER},
                       {"type", "CASE event WHEN 0 THEN 'read' ELSE 'write' END", EXPORTED_WORD}),
                   .query = {.order_by = "id"}),
};
