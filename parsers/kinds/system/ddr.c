/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to DDR memory: ddr.data. */
#include "parsers/kinds/common/sample.h"

static const struct value_name events[] = {{0, "read"}, {1, "write"}, {0, NULL}};

static const struct column columns[] = {
    FILE_COLUMN,
    DEVICE_COLUMN,
    NUMBER_COLUMN("start_us", "Time since start", "Microseconds since the collection began."),
    TIME_COLUMN,
    SPAN_COLUMN,
    NUMBER_COLUMN("ddr_id", "DDR controller", "Which controller."),
    NAMED_COLUMN("event", "Event", events, "Event that was counted."),
    NUMBER_COLUMN("master_id", "Master", "The master whose accesses were counted; 4294967295: all."),
    NUMBER_COLUMN("count", "Count", "Accesses since the sample before."),
};

static const struct field fields[] = {FIELD("start_us", 0, 4), FIELD("count", 4, 4), FIELD("event", 8, 4),
                                      FIELD("ddr_id", 12, 4), FIELD("master_id", 16, 4)};

/* All controllers together; the first sample counts since the start. An access is 32 bytes, on chips 0, 7, 8 and 11 16.
 */
#define SAMPLES                                                                                                        \
    "s AS (SELECT device_id, time_ns, start_us * 1000 - lag(start_us * 1000, 1, 0) OVER (PARTITION BY device_id ORDER" \
    " BY start_us) AS span, read, write, CASE WHEN chip(device_id) BETWEEN 1 AND 4 THEN 256 ELSE 128 END AS bits FROM" \
    " (SELECT device_id, time_ns, start_us, sum(CASE event WHEN 0 THEN count ELSE 0 END) AS read, sum(CASE event WHEN" \
    " 1 THEN count ELSE 0 END) AS write FROM ddr WHERE master_id = 4294967295 GROUP BY device_id, start_us))"
#define BANDWIDTH(what) "CASE WHEN span > 0 THEN " what " * bits / (span * 1048576.0 * 8) * 1e9 ELSE 0.0 END"

const struct record_kind kind_ddr = {
    OWN_TABLE("ddr"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Accesses to DDR memory",
    .doc = "How many accesses a controller of DDR memory served since the sample before.",
    .patterns = (const char *const[]){"ddr.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("ddr-20", 20, fields, "docs/formats/system.md 3: 20 bytes")),
    SAMPLES_OF(.stamps = {{"start_us", CLOCK_START_US}}, .keys = {"ddr_id", "event"}),
    ONE_SERIES(.name = "ddr", .title = "Bandwidth of DDR memory",
               .doc = "Mean bandwidth of reading and writing over all controllers.",
               .query = {.with = SAMPLES, .from = "s", .group_by = "device_id", .order_by = "device_id"},
               .columns = VALUE_LIST(
                   {"Device_id", "device_id", .doc = "The device."},
                   {"Metric", "'Average'", .doc = "Metric of the row."},
                   {"Read(MB/s)", "avg(" BANDWIDTH("read") ")", FORM_SHORTEST, 3, .doc = "Mean bandwidth of reading."},
                   {"Write(MB/s)", "avg(" BANDWIDTH("write") ")", FORM_SHORTEST, 3,
                    .doc = "Mean bandwidth of writing."}),
               .process = "DDR", .number = LAYER_DDR,
               .counters = COUNTER_LIST({.name = "'DDR/Read'",
                                         .values = ONE_VALUE("Read(MB/s)", BANDWIDTH("read"), .form = FORM_FLOAT),
                                         .query = {.with = SAMPLES, .from = "s"}},
                                        {.name = "'DDR/Write'",
                                         .values = ONE_VALUE("Write(MB/s)", BANDWIDTH("write"), .form = FORM_FLOAT),
                                         .query = {.with = SAMPLES, .from = "s"}})),
    EXPORTED_TABLE(.name = "DDR",
                   .columns = EXPORTED_COLUMNS({"deviceId", "device_id", EXPORTED_INTEGER},
                                               {"timestampNs", "time_ns", EXPORTED_INTEGER},
                                               {"read", "(" BANDWIDTH("read") ") * 1048576", EXPORTED_NUMERIC},
                                               {"write", "(" BANDWIDTH("write") ") * 1048576", EXPORTED_NUMERIC}),
                   .query = {.with = SAMPLES, .from = "s", .order_by = "device_id, time_ns"}),
};
