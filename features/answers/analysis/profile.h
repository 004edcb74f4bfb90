/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a workload that is kept to compare it: aggregates only, small enough for a file. A comparison works on
 * profiles alone, so one that was stored says the same as the capture it was made of. */
#ifndef MSPROF_FEATURES_ANSWERS_ANALYSIS_PROFILE_H
#define MSPROF_FEATURES_ANSWERS_ANALYSIS_PROFILE_H

#include "base/intern.h"
#include "base/statistics.h"
#include "base/texts.h"
#include "features/answers/analysis/splits.h"
#include "features/answers/analysis/workload.h"

/* By what rows are distinguished. */
enum subject { BY_OP, BY_TYPE, BY_SHAPE, BY_LAYER, BY_STREAM, BY_STEP, BY_API, BY_LINE, BY_GAP, SUBJECTS };

const char *profile_subject_name(enum subject subject); /* "op" and so on */

/* Everything with one key. Texts and samples are the profile's. */
struct profile_row {
    const char *key;                  /* the name, the type, ...; unique in its table */
    const char *name, *type, *shapes; /* of operators, to match them; "" where there is none */
    uint64_t order;                   /* place of the first one in the sequence */
    bool conversion, ai_cpu;          /* the first execution is one; baselines store both */
    bool varies;             /* there are several steps, and they do not all run it as often: counts prove no change */
    struct series durations; /* ns */
};

struct profile_table {
    struct profile_row *rows; /* by key; as base/file/large.h has them */
    size_t count;
    size_t left; /* rows that the choice leaves out: those of the smallest totals */
    bool known;  /* false: the capture has nothing of the kind */
};

const char *profile_measure_name(enum measure measure); /* as gates and files call it: "step_time" and so on */

/* Steps of the leading family of one model and batch on one device; without steps a device. */
struct profile_group {
    char *key; /* "inferences of model 3 (detector), batch 4, device 1"; unique */
    int64_t batch;
    double fps;                       /* splits_fps; negative: not known */
    struct series measures[MEASURES]; /* ns; empty: not known */
};

struct profile {
    char *name; /* of the capture */
    struct workload_facts facts;
    enum step_source step_source;
    int64_t steps, warmup; /* warmup: left out of steps */
    char *cut_steps;       /* cut_steps_text: those of which a part was not recorded; left out of steps too */
    struct profile_group *groups;
    size_t group_count;
    double time_ns, busy_ns, free_ns; /* of all devices, as far as it was recorded */
    double ai_cpu_ns, conversion_ns;  /* of all steps */
    double cube_share;                /* time-weighted; negative: not counted */
    double read_write_bytes;          /* of outside memory, of all steps; negative: not counted */
    int64_t executions, refused;
    struct profile_table tables[SUBJECTS];
    struct text_blocks texts; /* of the rows, and their samples */
};

/* Chooses what a profile is made of. */
struct profile_choice {
    unsigned subjects; /* SUBJECT_BIT of each table that is wanted; the others stay unknown */
    bool warmup;       /* warm-up steps, and what ran in them, count too */
    size_t top;        /* so many rows of operators, those of the largest totals; 0: all */
    bool rows_alone;   /* nothing of steps, nor sums, nor whether counts vary; with warm-up */
    bool ai_cpu;       /* BY_OP and BY_TYPE have only what ran on the AI CPU */
};

#define SUBJECT_BIT(subject) (1U << (subject))
#define ALL_SUBJECTS (SUBJECT_BIT(SUBJECTS) - 1)

/* name is copied. BY_API and BY_LINE stay unknown: profile_add_rows has them. */
int profile_make(const struct workload *workload, const char *name, const struct profile_choice *choice,
                 struct profile *ret, struct err *err);
void profile_release(struct profile *profile);
/* The mean of the medians of its groups, by their steps; negative: not known. */
double profile_measure(const struct profile *profile, enum measure measure);

/* All of one name. */
struct named_times {
    struct intern names;
    struct {
        struct durations durations;
        double total_ns;           /* of whole ticks, not rounded as each of durations is */
        int64_t first_ns, last_ns; /* begins */
    } * items;                     /* of each name */
    size_t count, capacity;
};
/* Adds the rows of BY_API, calls of the host, or BY_LINE, what a framework's operators launched. Sorts the durations.
 */
int profile_add_rows(struct profile *profile, enum subject subject, const struct named_times *times, struct err *err);

/* The divisor of totals: steps, at least 1. */
static inline double profile_steps(const struct profile *profile)
{
    return profile->steps > 0 ? (double)profile->steps : 1;
}

/* The divisor of what is counted of the whole capture: warm-up is among it. */
static inline double profile_all_steps(const struct profile *profile)
{
    return profile->steps + profile->warmup > 0 ? (double)(profile->steps + profile->warmup) : 1;
}

#endif
