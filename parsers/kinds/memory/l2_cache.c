/* SPDX-License-Identifier: Apache-2.0 */
/* The L2 cache, by task: l2_cache.data. */
#include "parsers/kinds/common/task_counters.h"

static const struct column columns[] = {TASK_COUNTER_COLUMNS};

static const struct field fields[] = {TASK_COUNTER_FIELDS(0, 8)};
static const struct field soc_fields[] = {TASK_COUNTER_FIELDS(8, 16)};
static const struct field soc_fields_v6[] = {TASK_COUNTER_FIELDS_OF(8, 4, 16)};

enum { SOC_PMU_HA = 1 };

/* Which events are requests, hits and victims depends on the chip; chips with STARS count hits that are none. */
#define RATES                                                                                                                                                        \
    TASK_COUNTER_EVENTS("setting('l2CacheTaskProfilingEvents', p.device_id)")                                                                                        \
    ", " TASK_COUNTER_OPERATORS ", s AS (SELECT id, device_id, stream_id, task_id, chip(device_id) AS "                                                              \
    "chip, " TASK_COUNTER_SUM("'59'") " AS request1, " TASK_COUNTER_SUM(                                                                                             \
        "'5b'") " AS "                                                                                                                                               \
                "hit1,"                                                                                                                                              \
                " " TASK_COUNTER_SUM("'5c'") " AS victim1, " TASK_COUNTER_SUM(                                                                                       \
                    "'78', '79'") " AS "                                                                                                                             \
                                  "request2,"                                                                                                                        \
                                  " " TASK_COUNTER_SUM("'6a"                                                                                                         \
                                                       "'") " AS hit2, " TASK_COUNTER_SUM("'71"                                                                      \
                                                                                          "'") " AS "                                                                \
                                                                                               "victim2,"                                                            \
                                                                                               " " TASK_COUNTER_SUM("'fb', 'fc'") " AS request5, " TASK_COUNTER_SUM( \
                                                                                                   "'9c'") " AS "                                                    \
                                                                                                           "victim5 "                                                \
                                                                                                           "FROM "                                                   \
                                                                                                           "l2_cache "                                               \
                                                                                                           "JOIN e "                                                 \
                                                                                                           "ON "                                                     \
                                                                                                           "e.device "                                               \
                                                                                                           "IS "                                                     \
                                                                                                           "device_"                                                 \
                                                                                                           "id GROUP "                                               \
                                                                                                           "BY "                                                     \
                                                                                                           "l2_cache."                                               \
                                                                                                           "id),"                                                    \
                                                                                                           " r AS "                                                  \
                                                                                                           "(SELECT "                                                \
                                                                                                           "id, "                                                    \
                                                                                                           "device_"                                                 \
                                                                                                           "id, "                                                    \
                                                                                                           "stream_"                                                 \
                                                                                                           "id, "                                                    \
                                                                                                           "task_id, "                                               \
                                                                                                           "CASE "                                                   \
                                                                                                           "WHEN "                                                   \
                                                                                                           "chip = 1 "                                               \
                                                                                                           "THEN "                                                   \
                                                                                                           "round("                                                  \
                                                                                                           "ratio("                                                  \
                                                                                                           "hit1, "                                                  \
                                                                                                           "request1)"                                               \
                                                                                                           ", 6)"                                                    \
                                                                                                           " WHEN "                                                  \
                                                                                                           "chip "                                                   \
                                                                                                           "BETWEEN "                                                \
                                                                                                           "2 AND 4 "                                                \
                                                                                                           "THEN "                                                   \
                                                                                                           "round("                                                  \
                                                                                                           "ratio("                                                  \
                                                                                                           "hit2, "                                                  \
                                                                                                           "request2)"                                               \
                                                                                                           ", 6) END "                                               \
                                                                                                           "AS hit, "                                                \
                                                                                                           "round("                                                  \
                                                                                                           "CASE "                                                   \
                                                                                                           "WHEN "                                                   \
                                                                                                           "chip = 1 "                                               \
                                                                                                           "THEN"                                                    \
                                                                                                           " ratio("                                                 \
                                                                                                           "victim1, "                                               \
                                                                                                           "request1)"                                               \
                                                                                                           " WHEN "                                                  \
                                                                                                           "chip "                                                   \
                                                                                                           "BETWEEN "                                                \
                                                                                                           "2 AND 4 "                                                \
                                                                                                           "THEN "                                                   \
                                                                                                           "ratio("                                                  \
                                                                                                           "victim2, "                                               \
                                                                                                           "request2)"                                               \
                                                                                                           " ELSE "                                                  \
                                                                                                           "ratio("                                                  \
                                                                                                           "victim5, "                                               \
                                                                                                           "request5)"                                               \
                                                                                                           " END, 6) "                                               \
                                                                                                           "AS "                                                     \
                                                                                                           "victim "                                                 \
                                                                                                           "FROM s)"

const struct record_kind kind_l2_cache = {
    OWN_TABLE("l2_cache"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "L2 cache by task",
    .doc = "Counts of up to eight events of the L2 cache during a task; sample.json names them in "
           "l2CacheTaskProfilingEvents.",
    .patterns = (const char *const[]){"l2_cache.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("l2-cache-72", 72, fields, "docs/formats/memory.md 5: 72 bytes"),
               LAYOUT("soc-pmu-ha-80", 80, soc_fields, "docs/formats/memory.md 6: 80 bytes, kind 1", .part = true,
                      SOC_PMU_MAGICS(SOC_PMU_HA)),
               LAYOUT("soc-pmu-ha-80-v6", 80, soc_fields_v6,
                      "docs/formats/memory.md 6: 80 bytes, kind 1, chips 15 and 16", .part = true, .chips = CHIPS_V6,
                      SOC_PMU_MAGICS_V6(SOC_PMU_HA))),
    .hooks = &sample_hooks,
    ONE_SERIES(.name = "l2_cache", .title = "L2 cache by task",
               .doc = "Hits and victims of the L2 cache among the requests of each task.",
               .query = {.with = RATES, .from = "r " TASK_COUNTER_OPERATOR, .order_by = "device_id, id"},
               .columns = VALUE_LIST(
                   {"Device_id", "device_id", .doc = "The device."}, {"Stream Id", "stream_id", .doc = "The stream."},
                   {"Task Id", "task_id", .doc = "The number of the task."},
                   {"Hit Rate", "hit", FORM_SHORTEST, 6, .doc = "Hits among requests; not known of chips with STARS."},
                   {"Victim Rate", "victim", FORM_SHORTEST, 6, .doc = "Requests that drove another line out."},
                   TASK_COUNTER_OPERATOR_COLUMN)),
};
