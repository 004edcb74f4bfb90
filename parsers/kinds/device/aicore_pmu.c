/* SPDX-License-Identifier: Apache-2.0 */
/* PMU of the AI cores: aicore.data, a record for each task, or samples. */
#include "parsers/kinds/common/core_pmu.h"

/* Cycles of the time since the sample before, of the first of a second. */
#define SAMPLES                                                                                                        \
    "u AS (SELECT device_id, core_id, time_ns, total_cycle * 100.0 / (setting('aic_frequency', device_id) * 1e6 *"     \
    " coalesce(time_ns - lag(time_ns) OVER w, 1e9) / 1e9) AS busy, row_number() OVER w AS place FROM aicore_pmu WHERE" \
    " core_id IS NOT NULL WINDOW w AS (PARTITION BY device_id, core_id ORDER BY id)), a AS (SELECT device_id,"         \
    " min(time_ns) AS time_ns, avg(busy) AS busy FROM u GROUP BY device_id, place)"

static const struct report_column utilization[] = {{"Utilization(%)", "busy", FORM_FIXED, 6, .doc = "Busy."},
                                                   {.title = NULL}};

const struct record_kind kind_aicore_pmu = {
    OWN_TABLE("aicore_pmu"),
    CORE_PMU_MEMBERS("aicore_pmu", "ai_core_profiling_events", "aic_frequency", "AIC"),
    .title = "PMU of the AI cores",
    .patterns = (const char *const[]){DEVICE_FILES_OF_2022("aicore.data"), NULL},
    ONE_SERIES(.name = "ai_core_utilization", .title = "Sampled AI cores",
               .doc = "Share of their cycles in which the pipes of sampled AI cores worked.",
               .query = {.with = CORE_SAMPLE_METRICS("aicore_pmu", "ai_core_profiling_events"),
                         .from = "r",
                         .order_by = "device_id, place"},
               .columns = core_sample_table, .process = "AI Core Utilization", .number = LAYER_CORE_USE,
               .counters = COUNTER_LIST(
                   {.name = "'Core ' || core_id", .values = utilization, .query = {.with = SAMPLES, .from = "u"}},
                   {.name = "'Average'", .values = utilization, .query = {.with = SAMPLES, .from = "a"}})),
};
