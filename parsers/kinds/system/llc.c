/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to the last-level cache: llc.data. */
#include "parsers/kinds/common/sample.h"

static const struct column columns[] = {
    FILE_COLUMN,
    DEVICE_COLUMN,
    STAMP_COLUMN("start_us", "Microseconds since the collection began."),
    STAMP_COLUMN("unix_ns", "Nanoseconds since 1970."),
    TIME_COLUMN,
    SPAN_COLUMN,
    NUMBER_COLUMN("llc_id", "LLC", "Which part of the cache."),
    NUMBER_COLUMN("event", "Event", "The number of the event that was counted."),
    NUMBER_COLUMN("count", "Count", "How often, since the sample before."),
};

static const struct field fields[] = {FIELD("start_us", 0, 8), FIELD("count", 8, 8), FIELD("event", 16, 4),
                                      FIELD("llc_id", 20, 4)};

static const struct field version_2_fields[] = {FIELD("count", 4, 4), FIELD("event", 8, 4), FIELD("llc_id", 12, 4),
                                                FIELD("unix_ns", 16, 8)};

/* A row for each part and time. Accesses are of 64 bytes; which events are which depends on what was profiled:
 *   read   0x00 0x01 accesses, 0x02 0x13 0x22 0x36 hits, 0x20 0x34 lookups
 *   write  0x00 0x01 accesses, 0x03 0x14 0x23 0x37 hits, 0x21 0x35 lookups */
/* Chips 8 and 11 have one part, whatever number records of others carry. */
#define OF_CHIP                                                                                                        \
    "(llc_id = 0 OR NOT EXISTS (SELECT 1 FROM capture_part AS p WHERE p.device_id = llc.device_id AND p.chip IN (8, "  \
    "11)))"
#define SUM(events) "sum(CASE WHEN event IN (" events ") THEN count ELSE 0 END)"
/* clang-format off */
#define COUNTS                                                                                                         \
    SUM("0, 1") " AS accesses, " SUM("2, 19, 34, 54") " AS read_hits, " SUM("32, 52") " AS read_lookups, "            \
        SUM("3, 20, 35, 55") " AS write_hits, " SUM("33, 53") " AS write_lookups"
#define SAMPLES                                                                                                        \
    "e AS (SELECT device_id, llc_id, time_ns, max(span_ns) AS span, setting('llc_profiling', device_id) AS mode, "     \
    COUNTS " FROM llc WHERE " OF_CHIP " GROUP BY device_id, llc_id, time_ns),"                                         \
    " s AS (SELECT device_id, llc_id, time_ns, mode, CASE mode WHEN 'write' THEN 'Write' ELSE 'Read' END AS title,"    \
    " quantize(CASE mode WHEN 'write' THEN ratio(write_hits, write_lookups) ELSE ratio(read_hits, read_lookups) END,"  \
    " 3) AS hit, quantize(CASE WHEN span > 0 THEN accesses * 64.0 / 1048576 / (span / 1e9) ELSE 0.0 END, 3) AS rate"   \
    " FROM e WHERE mode IN ('read', 'write'))"
/* clang-format on */

const struct record_kind kind_llc = {
    OWN_TABLE("llc"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Events of the last-level cache",
    .doc = "How often an event happened in a part of the last-level cache since the sample before.",
    .patterns = (const char *const[]){"llc.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("llc-24", 24, fields, "docs/formats/system.md 4: 24 bytes"),
               LAYOUT("llc-24-version-2", 24, version_2_fields, "docs/formats/system.md 4: 24 bytes, version 2.0",
                      .version = "2.0")),
    SAMPLES_OF(.stamps = {{"start_us", CLOCK_START_US}, {"unix_ns", CLOCK_UNIX_NS}}, .keys = {"llc_id", "event"}),
    ONE_SERIES(.name = "llc_read_write", .title = "Last-level cache",
               .doc = "Hit rate and throughput of each part of the last-level cache, for reading or for writing, as "
                      "profiled.",
               .query =
                   {
                       .with = SAMPLES ", m AS (SELECT device_id, mode, llc_id, round(avg(hit), 6) * 100 AS hit,"
                                       " avg(rate) AS rate FROM s GROUP BY device_id, mode, llc_id)",
                       .from =
                           "(SELECT device_id, mode, 'Average' AS task, avg(hit) AS hit, avg(rate) AS rate, -1 AS place"
                           " FROM m GROUP BY device_id, mode"
                           " UNION ALL SELECT device_id, mode, llc_id, hit, rate, llc_id FROM m)",
                       .order_by = "device_id, mode, place",
                   },
               .columns =
                   VALUE_LIST({"Device_id", "device_id", .doc = "The device."},
                              {"Mode", "mode", .doc = "Direction that was profiled: read or write."},
                              {"Task", "task", .doc = "The part of the cache; Average: the mean of all."},
                              {"Hit Rate(%)", "hit", FORM_SHORTEST, 3, .doc = "Hits among lookups."},
                              {"Throughput(MB/s)", "rate", FORM_SHORTEST, 3, .doc = "Bytes of accesses by time."}),
               .layer = "llc", .process = "LLC", .number = LAYER_LLC,
               .counters = COUNTER_LIST(
                   {
                       .name = "'LLC ' || llc_id || ' ' || title || '/Throughput'",
                       .values = ONE_VALUE("Throughput(MB/s)", "rate", .form = FORM_FLOAT),
                       .query = {.with = SAMPLES, .from = "s"},
                   },
                   {
                       .name = "'LLC ' || llc_id || ' ' || title || '/Hit Rate'",
                       .values = ONE_VALUE("Hit Rate(%)", "hit", .form = FORM_FLOAT),
                       .query = {.with = SAMPLES, .from = "s"},
                   })),
    EXPORTED_TABLE(.name = "LLC",
                   .columns = EXPORTED_COLUMNS(
                       {"deviceId", "device_id", EXPORTED_INTEGER}, {"llcId", "llc_id", EXPORTED_INTEGER},
                       {"timestampNs", "time_ns", EXPORTED_INTEGER}, {"hitRate", "hit * 100", EXPORTED_REAL},
                       {"throughput", "CAST(round(rate * 1048576) AS INTEGER)", EXPORTED_INTEGER},
                       {"mode", "mode", EXPORTED_WORD}),
                   .query = {.with = SAMPLES, .from = "s", .order_by = "device_id, llc_id, time_ns"}),
};
