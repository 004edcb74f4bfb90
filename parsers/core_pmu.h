/* What the PMU records of the two kinds of cores share: everything but their names. */
#ifndef MSPROF_PARSERS_CORE_PMU_H
#define MSPROF_PARSERS_CORE_PMU_H

#include "parsers/record.h"

#define CORE_PMU_COLUMNS 19
#define CORE_PMU_LAYOUTS 3

extern const struct column core_pmu_columns[CORE_PMU_COLUMNS];
extern const struct layout core_pmu_layouts[CORE_PMU_LAYOUTS];
extern const struct kind_hooks core_pmu_hooks;

extern const struct record_kind kind_aicore_pmu, kind_aiv_pmu;

#endif
