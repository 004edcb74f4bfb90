/* SPDX-License-Identifier: Apache-2.0 */
/* PMU of the vector cores: aiVectorCore.data, a record for each task, or samples. */
#include "parsers/kinds/common/core_pmu.h"

const struct record_kind kind_aiv_pmu = {
    OWN_TABLE("aiv_pmu"),
    CORE_PMU_MEMBERS("aiv_pmu", "aiv_profiling_events", "aiv_frequency", "AIV"),
    .title = "PMU of the vector cores",
    .patterns = (const char *const[]){DEVICE_FILES_OF_2022("aiVectorCore.data"), NULL},
    ONE_SERIES(.name = "ai_vector_core_utilization", .title = "Sampled vector cores",
               .doc = "Share of their cycles in which the pipes of sampled vector cores worked.",
               .query = {.with = CORE_SAMPLE_METRICS("aiv_pmu", "aiv_profiling_events"),
                         .from = "r",
                         .order_by = "device_id, place"},
               .columns = core_sample_table),
};
