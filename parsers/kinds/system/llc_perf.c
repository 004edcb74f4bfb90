/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to the last-level cache of the Ascend 310: llc.data, which is text of perf there. */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_lines.h"

static const struct column columns[] = {
    SAMPLE_COLUMNS("since_ns", "Nanoseconds since the collection began."),
    TEXT_COLUMN_OF("unit", "Unit", "The counting unit."),
    TEXT_COLUMN_OF("event", "Event", "The event that was counted."),
    NUMBER_COLUMN("count", "Count", "How often, since the sample before; NULL: it was not counted."),
};

/* ---- bandwidth: all units and samples together; an access is of 64 bytes ---- */

#define SUM(events) "sum(CASE WHEN event IN (" events ") THEN count ELSE 0 END)"
/* clang-format off */
#define READS SUM("'read_allocate', 'read_noallocate'") " AS reads, " SUM("'read_hit'") " AS read_hits, "
#define WRITES SUM("'write_allocate', 'write_noallocate'") " AS writes, " SUM("'write_hit'") " AS write_hits"
#define TOTALS                                                                                                         \
    "t AS (SELECT device_id, (max(time_ns) - min(time_ns)) / 1e9 AS seconds, " READS WRITES " FROM llc_perf WHERE"     \
    " setting('llc_profiling', device_id) = 'bandwidth' AND event IN ('read_allocate', 'read_noallocate', 'read_hit',"  \
    " 'write_allocate', 'write_noallocate', 'write_hit') GROUP BY device_id)"
/* clang-format on */
#define RATE(count) "ratio(" count " * 64.0 / 1048576, seconds)"
#define SHARE(hits, all) "round(ratio(" hits ", " all "), 6) * 100"

/* ---- capacity: the data of each CPU in the cache, which the events dsid0 to dsid7 count ---- */

/* Which CPUs info.json names, as a JSON array. */
#define CPUS(list, usual)                                                                                              \
    "CASE WHEN json_valid('[' || setting('" list "', device_id) || ']') THEN '[' || setting('" list                    \
    "', device_id) || ']' ELSE '[" usual "]' END"
#define IS_CAPACITY "setting('llc_profiling', device_id) = 'capacity' AND event LIKE 'dsid%'"
#define CAPACITIES(list, usual)                                                                                        \
    "c AS (SELECT p.device_id, j.key AS place, round(sum(CASE WHEN p.event = 'dsid' || j.value THEN p.count ELSE 0"    \
    " END) * 64 / 1024.0, 3) AS size FROM (SELECT *, " CPUS(                                                           \
        list, usual) " AS cpus FROM llc_perf WHERE " IS_CAPACITY                                                       \
                     ") AS p, json_each(p.cpus) AS j GROUP BY p.device_id, j.key)"
#define HAS_CPU(list, usual, n)                                                                                        \
    "EXISTS (SELECT 1 FROM (SELECT DISTINCT device_id FROM llc_perf WHERE " IS_CAPACITY                                \
    ") WHERE json_array_length(" CPUS(list, usual) ") > " #n ")"
#define CPU_COLUMN(list, usual, n)                                                                                     \
    {                                                                                                                  \
        "CPU" #n "(KB)", "max(CASE WHEN place = " #n " THEN size END)", FORM_SHORTEST, 3,                              \
            .when = HAS_CPU(list, usual, n), .doc = "Part that CPU " #n " of them held, of all samples together."      \
    }
#define CAPACITY_TABLE(list, usual)                                                                                    \
    {                                                                                                                  \
        {"Device_id", "device_id", .doc = "The device."},                                                              \
            {"Metric", "'Used Capacity of LLC'", .doc = "Metric of the row."}, CPU_COLUMN(list, usual, 0),             \
            CPU_COLUMN(list, usual, 1), CPU_COLUMN(list, usual, 2), CPU_COLUMN(list, usual, 3),                        \
            CPU_COLUMN(list, usual, 4), CPU_COLUMN(list, usual, 5), CPU_COLUMN(list, usual, 6),                        \
            CPU_COLUMN(list, usual, 7), {"Total(KB)", "sum(size)", FORM_SHORTEST, 3, .doc = "All of them."},           \
        {                                                                                                              \
            .title = NULL                                                                                              \
        }                                                                                                              \
    }
#define CTRL_CPUS "ctrl_cpu", "0,1,2,3"
#define AI_CPUS "ai_cpu", "4,5,6,7"
#define TABLE_OF(...) CAPACITY_TABLE(__VA_ARGS__)
#define QUERY_OF(...)                                                                                                  \
    {                                                                                                                  \
        .with = CAPACITIES(__VA_ARGS__), .from = "c", .group_by = "device_id", .order_by = "device_id",                \
    }

static const struct report_column ctrl_table[] = TABLE_OF(CTRL_CPUS);
static const struct report_column ai_table[] = TABLE_OF(AI_CPUS);

/* ---- the timeline: a sample counts since the one before, the first since the collection began ---- */

/* clang-format off */
#define SAMPLES                                                                                                        \
    "s AS (SELECT p.device_id, p.time_ns, " READS WRITES ", (p.time_ns - coalesce(lag(p.time_ns) OVER (PARTITION BY"   \
    " p.device_id ORDER BY p.time_ns), max(c.start_ns))) / 1e9 AS seconds FROM llc_perf p LEFT JOIN capture_part c"    \
    " ON c.device_id IS p.device_id AND NOT c.is_host WHERE setting('llc_profiling', p.device_id) = 'bandwidth'"       \
    " GROUP BY p.device_id, p.time_ns)"
/* clang-format on */
#define FLOW(name, all, hits)                                                                                          \
    static const struct report_column name[] = {                                                                       \
        {"BandWidth(MB/s)", "round(" RATE(all) ", 6)", .form = FORM_FLOAT},                                            \
        {"Hit Rate(%)", "round(ratio(" hits ", " all ") * 100, 6)", .form = FORM_FLOAT},                               \
        {"Hit BandWidth(MB/s)", "round(" RATE(hits) ", 6)", .form = FORM_FLOAT},                                       \
        {.title = NULL},                                                                                               \
    }
FLOW(reading, "reads", "read_hits");
FLOW(writing, "writes", "write_hits");

#define CPU_SAMPLES(list, usual)                                                                                       \
    {                                                                                                                  \
        .from = "(SELECT p.device_id, p.time_ns, j.key AS place, sum(CASE WHEN p.event = 'dsid' || j.value THEN"       \
                " p.count ELSE 0 END) * 64 / 1048576.0 AS megabytes FROM (SELECT *, " CPUS(                            \
                    list, usual) " AS cpus FROM llc_perf WHERE " IS_CAPACITY                                           \
                                 ") AS p, json_each(p.cpus) AS j GROUP BY p.device_id, p.time_ns, j.key)",             \
        .order_by = "device_id, place, time_ns",                                                                       \
    }
#define CPU_SAMPLES_OF(...) CPU_SAMPLES(__VA_ARGS__)

static const struct report_column capacity[] = {{"Capacity(MB)", "round(megabytes, 6)", .form = FORM_FLOAT},
                                                {.title = NULL}};

const struct record_kind kind_llc_perf = {
    OWN_TABLE("llc_perf"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .chips = 1 << 0,
    .title = "Events of the last-level cache, by perf",
    .doc = "How often an event happened in the last-level cache of an Ascend 310 since the sample before. Text of perf "
           "stat.",
    .patterns = (const char *const[]){"llc.data.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    /* perf stat at intervals; behind the event may stand how long it was counted. */
    LINES({" {since_ns:9} {count} {unit}/{event}/{*}", LINE_ROW},
          {" {since_ns:9} <not counted> {unit}/{event}/{*}", LINE_ROW}, {" #{*}", LINE_SKIP}),
    SAMPLED_BY(.stamps = {{"since_ns", CLOCK_START_NS}}),
    SEVERAL_SERIES(
        {
            .name = "llc_bandwidth",
            .title = "Bandwidth of the last-level cache",
            .doc = "Bandwidth and hits of the last-level cache of an Ascend 310.",
            .query =
                {
                    .with = TOTALS,
                    .from =
                        "(SELECT device_id, 0 AS place, 'BandWidth(MB/s)' AS metric, " RATE("reads") " AS reading, " //
                    RATE("writes") " AS writing FROM t UNION ALL SELECT device_id, 1, 'Hit_Rate(%)', "               //
                    SHARE("read_hits", "reads") ", " SHARE("write_hits", "writes")                                   //
                    " FROM t UNION ALL SELECT device_id, 2, 'Hit_BandWidth(MB/s)', " RATE("read_hits") ", "          //
                    RATE("write_hits") " FROM t)",
                    .order_by = "device_id, place",
                },
            .columns = VALUE_LIST({"Device_id", "device_id", .doc = "The device."},
                                  {"Metric", "metric", .doc = "Metric of the row."},
                                  {"l3c_rd", "reading", FORM_SHORTEST, 3, .doc = "Value of reading."},
                                  {"l3c_wr", "writing", FORM_SHORTEST, 3, .doc = "Value of writing."}),
            .process = "LLC",
            .number = LAYER_LLC,
            .counters = COUNTER_LIST({.name = "'LLC/Read'",
                                      .values = reading,
                                      .query = {.with = SAMPLES, .from = "s", .order_by = "device_id, time_ns"}},
                                     {.name = "'LLC/Write'",
                                      .values = writing,
                                      .query = {.with = SAMPLES, .from = "s", .order_by = "device_id, time_ns"}}),
        },
        {
            .name = "llc_ctrlcpu",
            .title = "The control CPUs in the last-level cache",
            .doc = "Capacity of the last-level cache that the CPUs which control an Ascend 310 held.",
            .query = QUERY_OF(CTRL_CPUS),
            .columns = ctrl_table,
            .process = "LLC",
            .number = LAYER_LLC,
            .counters = ONE_COUNTER(.name = "'Ctrl CPU/Core ' || place", .values = capacity,
                                    .query = CPU_SAMPLES_OF(CTRL_CPUS)),
        },
        {
            .name = "llc_aicpu",
            .title = "The AI CPUs in the last-level cache",
            .doc = "Capacity of the last-level cache that the AI CPUs of an Ascend 310 held.",
            .query = QUERY_OF(AI_CPUS),
            .columns = ai_table,
            .process = "LLC",
            .number = LAYER_LLC,
            .counters =
                ONE_COUNTER(.name = "'AI CPU/Core ' || place", .values = capacity, .query = CPU_SAMPLES_OF(AI_CPUS)),
        }),
};
