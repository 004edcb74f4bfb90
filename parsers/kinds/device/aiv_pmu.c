/* SPDX-License-Identifier: Apache-2.0 */
/* PMU of the vector cores: aiVectorCore.data, a record for each task, or samples. */
#include "parsers/kinds/common/core_pmu.h"

static const struct exported_column timeline_columns[] = CORE_SAMPLE_COLUMNS("AIV");
static const struct exported_column summary_columns[] = CORE_SUMMARY_COLUMNS("AIV");

const struct record_kind kind_aiv_pmu = {
    OWN_TABLE("aiv_pmu"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .stage = 1,
    .of_device_join = true,
    .title = "PMU of the vector cores",
    .doc = "Cycles and eight event counters of a task, or of a core when it was sampled. Those of tasks are joined "
           "with the task (device_task) instead of stored here, but for tasks that are not known to have run.",
    .patterns = (const char *const[]){DEVICE_FILES_OF_2022("aiVectorCore.data"), NULL},
    COLUMNS_OF(core_pmu_columns),
    LAYOUTS_OF(core_pmu_layouts),
    .hooks = &core_pmu_hooks,
    ONE_SERIES(.name = "ai_vector_core_utilization", .title = "Sampled vector cores",
               .doc = "Share of their cycles in which the pipes of sampled vector cores worked.",
               .query = {.with = CORE_SAMPLE_METRICS("aiv_pmu", "aiv_profiling_events"),
                         .from = "r",
                         .order_by = "device_id, place"},
               .columns = core_sample_table),
    EXPORTED_TABLES({.name = "SAMPLE_PMU_TIMELINE",
                     .columns = timeline_columns,
                     .query = {.with = CORE_SAMPLE_USAGE("aiv_pmu", "aiv_frequency"),
                               .from = "u",
                               .order_by = "device_id, core_id, time_ns"}},
                    {.name = "SAMPLE_PMU_SUMMARY",
                     .columns = summary_columns,
                     .query = {.with = CORE_SAMPLE_METRICS("aiv_pmu", "aiv_profiling_events"),
                               .from = CORE_SAMPLE_VALUES,
                               .order_by = "device_id, core_id"}}),
};
