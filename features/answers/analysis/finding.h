/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of advice, the evidence beside a workload that they look at, and what they find. */
#ifndef MSPROF_FEATURES_ANSWERS_ANALYSIS_FINDING_H
#define MSPROF_FEATURES_ANSWERS_ANALYSIS_FINDING_H

#include "features/answers/analysis/gap_calls.h"
#include "features/answers/analysis/savings.h"
#include "features/answers/analysis/splits.h"
#include "features/answers/analysis/step_path.h"
#include "features/answers/analysis/workload.h"

enum severity { SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH };
const char *advice_severity_name(enum severity severity);

#define LONGEST_GAPS 10
#define FINDING_ROWS 5

#define LONG_PAUSE_NS INT64_C(200000000) /* a gap without calls that may be a collection of garbage */

/* Transfers of communication operators, of one kind of link. */
struct transfer_evidence {
    int64_t count, small,
        unaligned; /* small: below the limit of the kind; unaligned: no multiple of 512 bytes, and more */
    double ns, small_ns, unaligned_ns;
    /* How much shorter the exposed part of small transfers would be at the bandwidth that large ones have here, and
     * that of unaligned ones at that of aligned ones which are no larger; negative: there are none to compare with. */
    double small_saves_ns, unaligned_saves_ns;
};

/* Calls of one kind, or waits. */
struct call_evidence {
    struct ARRAY_OF(struct thread_times) threads; /* of calls: when one of them ran, each thread by itself; owned */
    int64_t calls, ns, idle_ns, first_ns; /* ns: when at least one ran; idle_ns: of that, while devices did nothing */
    int64_t saves_ns;                     /* of idle_ns, without what passes between tasks in a queue, too */
};

/* Records that few rules need, read beside the workload. */
struct records_evidence {
    struct transfer_evidence sdma, rdma; /* sdma: links between devices of a host */
    const char *slowest_transfer;        /* the operator with most time by RDMA in one run */
    int64_t slowest_ns, slowest_at_ns;
    double slowest_saves_ns; /* without what other runs of it do not take, as far as it is exposed; negative: it has no
                                other run */
    /* The operator whose transfers suffer most from computing beside them: bytes by ns, alone and beside it. */
    struct contention_evidence {
        const char *name;
        double alone, beside, beside_ns; /* alone 0: nothing is known */
        double exposed_ns;               /* of the operators beside it, while nothing computed */
        int64_t count, at_ns;
    } contention;
    bool waits_known; /* a framework's directory was given */
    struct call_evidence garbage, data;
    /* Memory of the device, from the framework's allocator: the most that it held, and gave to operators. */
    int64_t reserved_bytes, allocated_bytes;
    /* Bytes of pieces that are held at the ends of steps: of the first and the last that count, at most, and in how
     * many of the steps between them they grew. */
    int64_t held_first, held_last, held_most;
    size_t held_steps, held_grew;
    /* Blocks on cores by themselves: how long the longest of each task took, and the mean of them. */
    double longest_block_ns, mean_block_ns;
    int64_t block_tasks;
    /* Cores whose work was sampled, of the devices and kinds of cores that have several: how long the busiest of each
     * worked, and the mean of them. */
    double busiest_core_ns, mean_core_ns;
    int64_t sampled_cores;
    double *uneven_ns; /* of each operator of the workload: how much its longest blocks take beyond the mean; NULL: no
                          block was recorded. Owned */
};

/* The host's part, as far as the capture says it. */
struct host_evidence {
    bool known;          /* there are calls */
    struct intern texts; /* the names below */
    struct gap_evidence {
        int64_t start_ns, end_ns;
        double length_ns;       /* of whole ticks of the device */
        uint32_t before, after; /* executions */
        const char *call;       /* that covers most of it, a tenth at least; "" none */
        double covered;         /* share of it that the call covers */
        bool launched;          /* a launch began inside */
        enum gap_cause cause;
        int64_t calls, called_ns; /* of one of LONG_PAUSE_NS at least: calls beside it, and how long they took in it */
    } gaps[LONGEST_GAPS];         /* the longest first */
    size_t gap_count;
    /* Calls from the end of the first step to the end of what was recorded, how long that stretch is, and whether a
     * first step is known. memory: calls that allocate, free, or copy and wait. */
    int64_t memory_window_ns;
    bool steady;
    struct call_evidence memory, compiles, synchronises; /* synchronises: of the first step, too */
    /* Launches, and those that a call which synchronises follows on the same thread. */
    int64_t launch_count, awaited_launches;
    struct records_evidence records;
    const struct launches *launches; /* of the executions, another's; NULL where nobody asked */
    /* Frequency of the cores, weighted by the time of tasks; 0: not measured. below_rated: percent of that time. */
    double mean_mhz, rated_mhz, below_rated;
    /* The stages of the framework's data pipeline that had nothing to take, the hungriest first. */
    struct stage_evidence {
        const char *name, *input; /* input: the stage that fills its queue */
        double empty;             /* percent of the samples */
    } stages[FINDING_ROWS];
    size_t stage_count;
    bool stages_known;
};
void host_evidence_release(struct host_evidence *evidence);
/* Adds up when calls or waits ran, and how much of it devices did nothing; unites their times. */
int call_evidence_sum(struct call_evidence *sums, struct intervals *times, const struct workload *workload,
                      struct err *err);

struct finding;
struct advice_look;

/* A rule, with the function that holds it against a capture. Each is a constant of a file of features/answers/rules/.
 */
struct rule {
    const char *id;
    const char *rests_on; /* which records of a capture it is made of */
    const char *formula, *advice;
    int order;        /* in which findings of one weight are reported */
    double threshold; /* percent; --threshold ID:PERCENT changes it */
    void (*check)(const struct advice_look *look, struct finding *finding);
    const char *told_by; /* NULL, or the id of the rule that reports the cause, where both found it */
    const void *of_tree; /* not NULL: of captures that are trees, whose folder of features/ holds it, by this; .check is
                            NULL, and .order behind that of all others */
    bool of_gaps;        /* it needs to know when each task ran */
    bool of_memory;      /* not time is at stake, but memory of a device */
    bool of_step;        /* its value is a share of a step: it is no more severe than that */
    bool shows_gaps;     /* its rows are gaps, not operators */
};
#define FINDING_OF_MEMORY "memory of the device, no time" /* what is at stake of a rule's .of_memory */

struct finding {
    const struct call_evidence *without; /* saves_ns is no more than a program without these calls would save */
    bool once_a_step;                    /* but for the last one that waits in each step */
    const struct rule *rule;
    const char *not_checked; /* why; NULL: it was checked */
    bool fired;
    enum severity severity;
    double at_stake_ns, value, threshold; /* value and threshold in percent */
    double whole_ns;                      /* what the time at stake is of */
    double saves_ns; /* the most that the elapsed time could be shorter without the cause; negative: not known */
    bool of_warmup;  /* operators take less time in steps of warm-up alone; idle_ns: what these save besides */
    double idle_ns;
    bool told_elsewhere;           /* another finding that fired has the same cause; then this one did not fire */
    const struct rule *same_cause; /* of a finding that fired: the rule that told_elsewhere is true of; NULL: none */
    char sentence[512];
    int64_t time_ns; /* to jump to; INT64_MIN: none */
    struct finding_row {
        const char *name;
        const char *launcher;  /* the framework's operator and line that launched most of it; "": not known */
        double time_ns, share; /* share: percent of what the rule measures */
        int64_t count, at_ns;
    } rows[FINDING_ROWS];
    size_t row_count;
};

#endif
