/* PMU of the vector cores: aiVectorCore.data, a record for each task, or samples. */
#include "parsers/core_pmu.h"

static const char *const patterns[] = {
    "aiVectorCore.data.{device_id}.slice_{slice}",
    "aiVectorCore.data.{number}.{device_id}.{slice}",
    "aiVectorCore.data.{number}.dev.profiler_default_tag.{device_id}.slice_{slice}",
    NULL,
};

const struct record_kind kind_aiv_pmu = {
    .name = "aiv_pmu",
    .cann = true,
    .stage = 1,
    .table = "aiv_pmu",
    .title = "PMU of the vector cores",
    .doc = "Cycles and eight event counters of a task, or of a core when it was sampled. In captures since 2023 those "
           "of tasks are joined with the task instead of stored here.",
    .patterns = patterns,
    .columns = core_pmu_columns,
    .column_count = CORE_PMU_COLUMNS,
    .layouts = core_pmu_layouts,
    .layout_count = CORE_PMU_LAYOUTS,
    .hooks = &core_pmu_hooks,
};
