/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From event counters of Ascend cores to metrics: which counters a group of metrics has, which columns it makes of them
 * and by which formula. Pure functions.
 *
 * Ascend's own tool calculates four ways, and each capture is reported the way its users know it: chip 5 as by the C++
 * core of 2026, chips 15 and 16 as by its branch for them, which takes times from the device's counter, the other chips
 * as by the Python code of 2026, captures of the layout of 2022 as by the Python code of 2022. The first three are
 * exact here and rounded half away from zero to three decimals (the Python code first rounds a task's time, a double,
 * to two and its ratios to three decimals where other values are made of them, and so are times of chips 15 and 16);
 * the last is rounded twice in binary floating point as the tool did, to six and then to four decimals, because its
 * results cannot be had otherwise.
 */
#ifndef MSPROF_EXPORTERS_COUNTERS_PMU_METRIC_H
#define MSPROF_EXPORTERS_COUNTERS_PMU_METRIC_H

#include "db/database.h"
#include "exporters/counters/pmu_rounding.h"
#include "exporters/counters/pmu_rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMU_EVENTS 10
#define PMU_MAX_COLUMNS 24
#define PMU_TITLE_MAX 64
#define PMU_CUSTOM "Custom:" /* before events that the user chose, in the place of a group */

enum pmu_side { PMU_AIC, PMU_AIV };

/* Facts in a capture about its counters. */
struct pmu_setup {
    enum pmu_side side;
    int64_t chip;         /* platform_version */
    bool of_2022;         /* a capture of the layout of 2022 */
    const char *group;    /* "PipeUtilization" */
    const char *events;   /* "0x8,0xa,...": which event each counter is of; "" or NULL: the usual ones of the group */
    int64_t frequency_hz; /* of the core; not above 0: not known, times are 0 */
    int64_t core_num;     /* cores of the device */
    bool unfiltered;      /* with metrics that this side cannot count */
    bool both_fops;       /* each side has a column for the other's operations, as CANN 7.0 had */
};

/* One task's counters. */
struct pmu_counts {
    int64_t total_cycle;
    int64_t counters[PMU_EVENTS]; /* in the order of setup.events */
    int64_t block_num;
    int64_t time_hz; /* measured: what times are made of instead of setup.frequency_hz; 0: not measured */
    int64_t time_ns; /* of chips 15 and 16: how long it counted */
};

struct pmu_metric; /* inside */

struct pmu_plan {
    enum pmu_rules rules;
    enum pmu_side side;
    int64_t chip, frequency_hz, core_num;
    bool unfiltered;
    bool counted; /* the events of a metric of the group */
    bool raw;     /* of no known group, or not counted: counters are shown as they are */
    bool extra;   /* some counters of a known group are, which none of its metrics shows */
    size_t count; /* columns */
    struct pmu_column {
        char title[PMU_TITLE_MAX]; /* "aic_mac_time(us)" */
        const struct pmu_metric *metric;
        int8_t counter[PMU_METRIC_EVENTS]; /* of each event of the metric; -1: it has fewer */
        bool is_time;                      /* time spent instead of a share */
    } columns[PMU_MAX_COLUMNS];
    bool both_fops;
    int8_t mac[2]; /* counters that make mac_ratio; -1: not counted */
};

/* Plans the columns of one side of an operator summary in their order: time and cycles of the task, then what the group
 * gives; a metric whose events were not counted has no column. Each
 * event of an unknown group, of "Custom:0x15,...", and of a group that has it in no metric, has its counter as it is,
 * "r15". */
void pmu_plan_init(struct pmu_plan *plan, const struct pmu_setup *setup);

/* value / 10^decimals; DB_NULL: there is none. */
struct pmu_value {
    int64_t value;
    unsigned decimals;
};

/* The plan->count values of a task. */
void pmu_plan_values(const struct pmu_plan *plan, const struct pmu_counts *counts, struct pmu_value *values);

/* Gives the values for counters of another plan, in the columns of this one: each metric where its like is; DB_NULL
 * where the other plan has none. */
void pmu_plan_values_of(const struct pmu_plan *plan, const struct pmu_plan *other, const struct pmu_counts *counts,
                        struct pmu_value *values);

/* The time of a task in ms by the rules of 2022, as its tool held it before rounding. */
double pmu_2022_milliseconds(const struct pmu_plan *plan, const struct pmu_counts *counts);

/* ---- both sides together: what an operator summary since 2023 says of a task ---- */

struct pmu_input {
    int64_t chip, aic_hz, aiv_hz, ai_core_num, aiv_num;
    const char *metrics, *events, *aiv_metrics, *aiv_events; /* as in struct pmu_setup */
    bool unfiltered; /* both sides have all metrics of their groups, also those that they cannot count */
    bool both_fops;  /* the same */
};

struct pmu_columns {
    struct pmu_plan aic, aiv;
    bool sides;    /* the two have columns of their own: chips 5, 15 and 16; else a task fills those of aic, wherever it
                      ran */
    bool has_cube; /* the last column is cube_utilization(%) */
    size_t count;
    const char *titles[2 * PMU_MAX_COLUMNS + 1]; /* point into this struct */
};

struct pmu_task {
    bool has_aic, has_aiv; /* ran there; neither: it has no values at all */
    int64_t aic_total_cycle, aic_counters[PMU_EVENTS];
    int64_t aiv_total_cycle, aiv_counters[PMU_EVENTS];
    int64_t block_num, mix_block_num; /* mix: of the other side when it ran on both */
    bool began_on_aiv;                /* a task on both: block_num is of the vector cores */
    int64_t duration_ns, tick_hz;     /* tick_hz: of the clock that measured it; 0: it is exact */
    int64_t aic_time_ns, aiv_time_ns; /* how long each side counted; 0: not measured */
    int64_t time_hz;                  /* as in struct pmu_counts, of both sides */
};

/* Whose share column i shows. */
enum pmu_unit pmu_columns_unit(const struct pmu_columns *columns, size_t i);
/* Plans into columns, which must not be moved afterwards. */
void pmu_columns_init(struct pmu_columns *columns, const struct pmu_input *input);
/* Gives the values of a task as doubles that nobody rounded, times in nanoseconds, as the database for viewers has
 * them. */
void pmu_columns_doubles(const struct pmu_columns *columns, const struct pmu_task *task, double *values);
/* The columns->count values of a task. A side on which it did not run has zeros. */
void pmu_columns_values(const struct pmu_columns *columns, const struct pmu_task *task, struct pmu_value *values);

#endif
