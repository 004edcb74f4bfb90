/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of the CPU of the task scheduler: tscpu.data. */
#include "parsers/kinds/common/arm_events.h"
#include "parsers/kinds/common/sample.h"

/* One of the events. */
#define EVENT_COLUMNS(n, nth)                                                                                          \
    NUMBER_COLUMN("event" #n, "Event " #n, "The number of the " nth " event."),                                        \
        NUMBER_COLUMN("count" #n, "Count " #n, "How often it happened since the sample before.")
#define EVENT_FIELDS(n, first) FIELD("event" #n, (first) + 16 * (n), 8), FIELD("count" #n, (first) + 8 + 16 * (n), 8)

static const struct column columns[] = {
    SAMPLE_COLUMNS("device_ns", "The monotonic clock of the device."),
    NUMBER_COLUMN("pc", "Program counter", "Where it was."),
    EVENT_COLUMNS(0, "first"),
    EVENT_COLUMNS(1, "second"),
    EVENT_COLUMNS(2, "third"),
    EVENT_COLUMNS(3, "fourth"),
    EVENT_COLUMNS(4, "fifth"),
    EVENT_COLUMNS(5, "sixth"),
    EVENT_COLUMNS(6, "seventh"),
};

static const struct field fields[] = {
    SIGNED_FIELD("pc", 176, 8), FIELD("device_ns", 184, 8), EVENT_FIELDS(0, 192),
    EVENT_FIELDS(1, 192),       EVENT_FIELDS(2, 192),       EVENT_FIELDS(3, 192),
    EVENT_FIELDS(4, 192),       EVENT_FIELDS(5, 192),       EVENT_FIELDS(6, 192),
};

static const struct field short_fields[] = {
    FIELD("pc", 92, 4),   FIELD("device_ns", 96, 8), EVENT_FIELDS(0, 104), EVENT_FIELDS(1, 104),
    EVENT_FIELDS(2, 104), EVENT_FIELDS(3, 104),      EVENT_FIELDS(4, 104),
};

#define STAMP MAGICS(MAGIC(0, 4, 0xabababab))

#define PAIR(n) "SELECT device_id, pc, event" #n " AS event, count" #n " AS count FROM ts_cpu"
#define PAIRS                                                                                                          \
    "e AS (" PAIR(0) " UNION ALL " PAIR(1) " UNION ALL " PAIR(2) " UNION ALL " PAIR(3) " UNION ALL " PAIR(             \
        4) " UNION ALL " PAIR(5) " UNION ALL " PAIR(6) ")"

const struct record_kind kind_ts_cpu = {
    OWN_TABLE("ts_cpu"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Sample of the task scheduler",
    .doc = "Events counted on the CPU of the task scheduler, seven or of chips 2 to 4 five, and where it was.",
    .patterns = (const char *const[]){"tscpu.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("tscpu-304", 304, fields, "docs/formats/usage.md 4: 304 bytes", STAMP),
               LAYOUT("tscpu-184", 184, short_fields, "docs/formats/usage.md 4: 184 bytes, chips 2 to 4", STAMP)),
    SAMPLES_OF(.stamps = {{"device_ns", CLOCK_DEVICE_NS}}),
    SEVERAL_SERIES(
        {
            .name = "ts_cpu_pmu_events",
            .title = "PMU events of the task scheduler",
            .doc = "How often each event happened on the CPU of the task scheduler; ordered as texts, as Ascend's tool "
                   "does.",
            .query =
                {
                    .with = PAIRS,
                    .from = "(SELECT device_id, event, sum(count) AS total FROM e WHERE " ARM_EVENT_CHOSEN(
                        "event", "ts_cpu_profiling_events") " GROUP BY device_id, event)",
                    .order_by = "device_id, CAST(total AS TEXT) DESC",
                },
            .columns = VALUE_LIST({"Device_id", "device_id", .doc = "The device."},
                                  {"Event", "format('0x%x', event)", .doc = "The number of the event."},
                                  {"Name", ARM_EVENT_NAME("event"), .doc = "Name that ARM gives the event."},
                                  {"Count", "total", .doc = "How often it happened."}),
        },
        {
            .name = "ts_cpu_top_function",
            .title = "Places in the task scheduler",
            .doc = "The five places where the CPU of the task scheduler spent most cycles.",
            .query =
                {
                    .with = PAIRS,
                    .from =
                        "(SELECT device_id, pc, cycles, ratio(cycles, sum(cycles) OVER (PARTITION BY device_id)) AS"
                        " share, row_number() OVER (PARTITION BY device_id ORDER BY cycles DESC) AS place FROM (SELECT"
                        " device_id, pc, sum(count) AS cycles FROM e WHERE event = " ARM_EVENT_CYCLES
                        " GROUP BY device_id, pc))",
                    .where = "place <= 5",
                    .order_by = "device_id, place",
                },
            .columns = VALUE_LIST({"Device_id", "device_id", .doc = "The device."},
                                  {"Function", "format('0x%x', pc)", .doc = "Where it was."},
                                  {"Cycles", "cycles", .doc = "Cycles that were counted there."},
                                  {"Cycles(%)", "share * 100", FORM_SHORTEST, 3, .doc = "Its share in all."}),
        }),
};
