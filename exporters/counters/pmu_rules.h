/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables of groups and the formulas of metrics share. */
#ifndef MSPROF_EXPORTERS_COUNTERS_PMU_RULES_H
#define MSPROF_EXPORTERS_COUNTERS_PMU_RULES_H

enum pmu_rules { PMU_RULES_2022, PMU_RULES_PYTHON, PMU_RULES_CORE, PMU_RULES_V6 };

#define PMU_METRIC_EVENTS 5 /* that one metric is made of, at most */

/* The parts of a core whose share of the time a column may be. */
enum pmu_unit {
    PMU_NO_UNIT, /* of none: a time, a count, a bandwidth */
    PMU_CUBE,
    PMU_VECTOR,
    PMU_SCALAR,
    PMU_MTE1,
    PMU_MTE2,
    PMU_MTE3,
    PMU_FIXPIPE,
    PMU_OCCUPIED, /* of the cubes of all cores, as cube_utilization(%) */
    PMU_UNITS
};

#endif
