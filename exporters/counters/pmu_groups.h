/* SPDX-License-Identifier: Apache-2.0 */
/* The groups of metrics as tables: which columns each has, of which events, by which formula. For pmu_metric.c alone.
 */
#ifndef MSPROF_EXPORTERS_COUNTERS_PMU_GROUPS_H
#define MSPROF_EXPORTERS_COUNTERS_PMU_GROUPS_H

#include "exporters/counters/pmu_rules.h"

#include <stddef.h>
#include <stdint.h>

enum pmu_formula {
    TOTAL_TIME,   /* us */
    TOTAL_CYCLES, /* as counted */
    PIPE,         /* share of the cycles and time spent, two columns; events are added up, weighted in eighths */
    SHARE,        /* of the cycles; events are added up */
    MISS_RATE,    /* second event / first event */
    BANDWIDTH,    /* GB/s: event * pipe * size; of several events, weighted in eighths */
    UB_MTE_READ,  /* GB/s, of 2022: what the vector pipe moved is taken off */
    CUBE_FLOPS,
    VECTOR_FLOPS,
    COUNT,     /* the event */
    KILOBYTES, /* events weighted in eighths */
    MEMORY_BOUND
};

struct pmu_metric {
    const char *name;
    enum pmu_formula formula;
    uint16_t events[PMU_METRIC_EVENTS]; /* 0 ends */
    uint16_t pipe, size;
    uint8_t unit; /* enum pmu_unit: of a PIPE */
    int8_t eighths[PMU_METRIC_EVENTS];
};

/* A group of metrics, in one generation or several. */
struct pmu_group {
    const char *name;
    unsigned rules; /* bit of every enum pmu_rules it is for */
    const char *events;
    const struct pmu_metric *metrics;
    size_t count;
};

/* By name, for captures that are calculated by these rules; NULL: there is none. */
const struct pmu_group *pmu_group_find(const char *name, enum pmu_rules rules);

#endif
