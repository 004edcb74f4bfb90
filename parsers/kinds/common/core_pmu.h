/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the PMU records of the two kinds of cores: everything but their names. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_CORE_PMU_H
#define MSPROF_PARSERS_KINDS_COMMON_CORE_PMU_H

#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/record_stream.h"

/* The event counters that every PMU record of an Ascend core has: eight, on chips 15 and 16 ten. */

#define PMU_EVENT(MADE, n)                                                                                             \
    MADE(EVENT##n, "event" #n, "Event " #n, NUMBER, "The counter of event " #n " of the profiled group.")
#define PMU_EVENTS(MADE)                                                                                               \
    PMU_EVENT(MADE, 0)                                                                                                 \
    PMU_EVENT(MADE, 1)                                                                                                 \
    PMU_EVENT(MADE, 2)                                                                                                 \
    PMU_EVENT(MADE, 3)                                                                                                 \
    PMU_EVENT(MADE, 4)                                                                                                 \
    PMU_EVENT(MADE, 5) PMU_EVENT(MADE, 6) PMU_EVENT(MADE, 7) PMU_EVENT(MADE, 8) PMU_EVENT(MADE, 9)

#define PMU_EVENT_FIELD(begin, number) FIELD("event" #number, (begin) + 8 * (number), 8)
#define PMU_EVENT_FIELDS(begin)                                                                                        \
    PMU_EVENT_FIELD(begin, 0), PMU_EVENT_FIELD(begin, 1), PMU_EVENT_FIELD(begin, 2), PMU_EVENT_FIELD(begin, 3),        \
        PMU_EVENT_FIELD(begin, 4), PMU_EVENT_FIELD(begin, 5), PMU_EVENT_FIELD(begin, 6), PMU_EVENT_FIELD(begin, 7)
#define PMU_EVENT_FIELDS_V6(begin) PMU_EVENT_FIELDS(begin), PMU_EVENT_FIELD(begin, 8), PMU_EVENT_FIELD(begin, 9)

#define CORE_PMU_COLUMNS 21
#define CORE_PMU_LAYOUTS 4

extern const struct column core_pmu_columns[CORE_PMU_COLUMNS];
extern const struct layout core_pmu_layouts[CORE_PMU_LAYOUTS];
extern const struct kind_hooks core_pmu_hooks;

extern const struct record_kind kind_aicore_pmu, kind_aiv_pmu;

/* One sample of a core, as files that are not of these kinds hold it. */
struct core_sample {
    bool vector;
    int64_t device_id, time_ns, core_id, total_cycle;
    const struct cell *counters; /* eight */
};

int core_sample_emit(struct decoder *decoder, const struct core_sample *sample, struct err *err);

/* Tables and counters of sampled cores: of the table of a kind, its list of events and its frequency. */
#define CORE_SAMPLE_EVENTS(events)                                                                                     \
    "e AS MATERIALIZED (SELECT p.device_id AS device, j.key AS place, lower(replace(trim(j.value), '0x', '')) AS"      \
    " event FROM capture_part AS p, json_each('[\"' || replace(setting('" events "', p.device_id), ',', '\",\"') ||"   \
    " '\"]') AS j WHERE NOT p.is_host AND setting('" events "', p.device_id) <> '' AND j.key < 10)"
#define CORE_SAMPLE_SHARE(event) "round(ratio(" CORE_SAMPLE_SUM(event) ", max(cycles)), 3)"
#define CORE_SAMPLE_SUM(event)                                                                                         \
    "sum(CASE WHEN event IN ('" event "') THEN CASE place WHEN 0 THEN c0 WHEN 1 THEN c1 WHEN 2 THEN c2 WHEN 3 THEN c3" \
    " WHEN 4 THEN c4 WHEN 5 THEN c5 WHEN 6 THEN c6 WHEN 7 THEN c7 WHEN 8 THEN c8 ELSE c9 END ELSE 0 END)"
/* clang-format off */
#define CORE_SAMPLE_MEAN(column) "avg(" column ")"
#define CORE_SAMPLE_METRICS(table, events) \
    CORE_SAMPLE_EVENTS(events) \
    ", s AS (SELECT device_id, core_id, sum(total_cycle) AS cycles, sum(event0) AS c0, sum(event1) AS c1," \
    " sum(event2) AS c2, sum(event3) AS c3, sum(event4) AS c4, sum(event5) AS c5, sum(event6) AS c6, sum(event7) AS" \
    " c7, sum(event8) AS c8, sum(event9) AS c9 FROM " table " WHERE core_id IS NOT NULL GROUP BY device_id, core_id), m AS (SELECT device_id, core_id, max(cycles) AS cycles, " \
    CORE_SAMPLE_SHARE("8', '501") " AS vec, " CORE_SAMPLE_SHARE("a', '301") " AS mac, " CORE_SAMPLE_SHARE("9', '1") " AS scalar, " \
    CORE_SAMPLE_SHARE("b', '701") " AS mte1, " CORE_SAMPLE_SHARE("c', '202") " AS mte2, " CORE_SAMPLE_SHARE("d', '203") " AS mte3," \
    " round(ratio(" CORE_SAMPLE_SUM("55', '35") ", " CORE_SAMPLE_SUM("54', '34") "), 3) AS icache FROM s JOIN e ON e.device IS" \
    " device_id GROUP BY device_id, core_id), r AS (SELECT device_id, 'Core' || core_id AS core, core_id AS place," \
    " vec, mac, scalar, mte1, mte2, mte3, icache FROM m UNION ALL SELECT device_id, 'Average', 1e9, " \
    CORE_SAMPLE_MEAN("vec") ", " CORE_SAMPLE_MEAN("mac") ", " CORE_SAMPLE_MEAN("scalar") ", " \
    CORE_SAMPLE_MEAN("mte1") ", " CORE_SAMPLE_MEAN("mte2") ", " CORE_SAMPLE_MEAN("mte3") ", " \
    CORE_SAMPLE_MEAN("icache") " FROM m GROUP BY device_id)"

/* clang-format on */

extern const struct report_column core_sample_table[];

/* Sampled cores for the database for viewers, by the table of a kind and the kind of core. */
#define CORE_SAMPLE_USAGE(table, frequency)                                                                            \
    "u AS (SELECT device_id, core_id, time_ns, total_cycle, CAST(setting('" frequency "', device_id) AS REAL) AS mhz," \
    " coalesce(time_ns - lag(time_ns) OVER (PARTITION BY device_id, core_id ORDER BY id), 1000000000) AS span "        \
    "FROM " table " WHERE core_id IS NOT NULL)"
#define CORE_SAMPLE_VALUES                                                                                             \
    "(SELECT device_id, core_id, 'vec_ratio' AS metric, vec AS value FROM m"                                           \
    " UNION ALL SELECT device_id, core_id, 'mac_ratio', mac FROM m"                                                    \
    " UNION ALL SELECT device_id, core_id, 'scalar_ratio', scalar FROM m"                                              \
    " UNION ALL SELECT device_id, core_id, 'mte1_ratio', mte1 FROM m"                                                  \
    " UNION ALL SELECT device_id, core_id, 'mte2_ratio', mte2 FROM m"                                                  \
    " UNION ALL SELECT device_id, core_id, 'mte3_ratio', mte3 FROM m"                                                  \
    " UNION ALL SELECT device_id, core_id, 'icache_miss_rate', icache FROM m"                                          \
    " UNION ALL SELECT device_id, core_id, 'total_time', ratio(cycles, 1000.0 * setting('aic_frequency', device_id))"  \
    " FROM m)"
/* clang-format off */
#define CORE_EXPORTED(table, events, frequency, core) \
    EXPORTED_TABLES({.name = "SAMPLE_PMU_TIMELINE", \
                     .columns = EXPORTED_COLUMNS( \
                         {"deviceId", "device_id", EXPORTED_INTEGER}, {"timestampNs", "time_ns", EXPORTED_INTEGER}, \
                         {"totalCycle", "total_cycle", EXPORTED_INTEGER}, \
                         {"usage", "ratio(total_cycle * 100.0 * 1000, mhz * span)", EXPORTED_NUMERIC}, \
                         {"freq", "mhz", EXPORTED_NUMERIC}, {"coreId", "core_id", EXPORTED_INTEGER}, \
                         {"coreType", "'" core "'", EXPORTED_WORD}), \
                     .query = {.with = CORE_SAMPLE_USAGE(table, frequency), .from = "u", \
                               .order_by = "device_id, core_id, time_ns"}}, \
                    {.name = "SAMPLE_PMU_SUMMARY", \
                     .columns = EXPORTED_COLUMNS( \
                         {"deviceId", "device_id", EXPORTED_INTEGER}, {"metric", "metric", EXPORTED_WORD}, \
                         {"value", "value", EXPORTED_NUMERIC}, {"coreId", "core_id", EXPORTED_INTEGER}, \
                         {"coreType", "'" core "'", EXPORTED_WORD}), \
                     .query = {.with = CORE_SAMPLE_METRICS(table, events), .from = CORE_SAMPLE_VALUES, \
                               .order_by = "device_id, core_id"}})

/* The members that both kinds have alike, by their table, list of events, frequency and kind of core. */
#define CORE_PMU_MEMBERS(table, events, frequency, core) \
    .families = FAMILY_2022 | FAMILY_CANN, .stage = 1, .of_device_join = true, \
    .doc = "Cycles and eight event counters of a task, or of a core when it was sampled. Those of tasks are joined" \
           " with the task (device_task) instead of stored here, but for tasks that are not known to have run.", \
    COLUMNS_OF(core_pmu_columns), LAYOUTS_OF(core_pmu_layouts), .hooks = &core_pmu_hooks, \
    CORE_EXPORTED(table, events, frequency, core)
/* clang-format on */

/* Emits counters as a row of their kind. */
int core_pmu_emit(struct decoder *decoder, const struct device_pmu *pmu, struct err *err);

#endif
