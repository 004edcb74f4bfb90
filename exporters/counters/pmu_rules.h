/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to calculate metrics; which a capture gets is told in pmu_metric.h. */
#ifndef MSPROF_EXPORTERS_COUNTERS_PMU_RULES_H
#define MSPROF_EXPORTERS_COUNTERS_PMU_RULES_H

#include <stddef.h>
#include <stdint.h>

#define PMU_METRIC_EVENTS 5 /* that one metric is made of, at most */

enum pmu_rules { PMU_RULES_2022, PMU_RULES_PYTHON, PMU_RULES_CORE, PMU_RULES_V6 };

#endif
