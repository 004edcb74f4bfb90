/* SPDX-License-Identifier: Apache-2.0 */
/* From a database to what features/answers/analysis/ works on. */
#ifndef MSPROF_FEATURES_ANSWERS_LOAD_LOAD_H
#define MSPROF_FEATURES_ANSWERS_LOAD_LOAD_H

#include "base/array.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/strbuf.h"
#include "db/query/query.h"
#include "exporters/export.h"
#include "features/answers/analysis/advice.h"
#include "features/answers/analysis/gap_calls.h"
#include "features/answers/analysis/memory_curve.h"
#include "features/answers/analysis/profile.h"
#include "features/answers/analysis/step_path.h"
#include "features/answers/analysis/workload.h"

#include <sqlite3.h>

/* Whether the sums of units, blocks and bytes of operators are wanted too: they are more than all the rest. */
enum load_counters { WITHOUT_COUNTERS, WITH_COUNTERS };

/* Adds the steps of a framework, of each device that ran something, if framework_attach registered it in the
 * connection. */
int workload_load_framework_steps(sqlite3 *db, struct workload *workload, struct err *err);

/* Adds the ranges that step_range_choose chose, as steps. -ERR_NOT_FOUND when there are none. */
int workload_load_chosen_ranges(sqlite3 *db, struct workload *workload, struct err *err);

/* Reads what ran on the devices of a capture of any family: operators, communication operators, copies, steps. ret is
 * empty before; workload_release() it when this succeeds. */
int workload_load(sqlite3 *db, enum load_counters counters, struct workload *ret, struct err *err);

/* Inside: all of it, or where window is not NULL what begins in that, with the steps of the whole. */
int workload_load_part(sqlite3 *db, enum load_counters counters, const struct workload_window *window,
                       const struct workload *whole, struct workload *ret, struct err *err);

/* A stretch of time: all answers of the connection are about it from then on. */
struct window_wanted {
    const char *step;          /* its number in table overlap, or "slowest"; NULL: by time */
    bool numbered;             /* step is the number that the capture gives it, which all ranks of a job have alike */
    int64_t from_ns, until_ns; /* since the begin of the capture's timeline; 0: not given */
};
/* -ERR_NOT_FOUND where there is no such step. */
int window_choose(sqlite3 *db, const struct window_wanted *wanted, struct err *err);
/* Likewise from texts, NULL where nothing is chosen; dashes stand in front of their names in messages: "--" or "". */
int window_choose_texts(sqlite3 *db, const char *step, const char *from, const char *until, const char *dashes,
                        struct err *err);

/* Operators alone with the sums of their counters: no executions are kept, so memory does not grow with them. */
int workload_load_sums(sqlite3 *db, struct workload *ret, struct err *err);

/* Appends what the operator of a task of an SVP board is called, the names of its layers, or their types: as they stand
 * in every answer. false: no layer is known, then it is "task 7", or "N/A". */
bool svp_layers_join(const struct svp_layers *layers, int64_t task_id, bool ai_cpu, bool types, struct strbuf *ret);

/* Takes the number off a communication operator's name: "hcom_allReduce__010_7_1" is the seventh of its group 010,
 * without the number it is one in every step. The result is the name itself, or in the buffer. */
#define OPERATOR_NAME_SIZE 1024 /* longer ones are left as they are */
const char *operator_unnumbered(const char *name, bool is_kernel, char buffer[OPERATOR_NAME_SIZE]);

/* Adds the calls of the host, by name, to a profile of the same database. */
int workload_load_calls(sqlite3 *db, struct profile *profile, struct err *err);

/* Adds what devices ran by the framework's operator and line that launched it, where framework_attach
 * (features/frameworks/reports/host_side.h) registered them in the connection; else nothing. */
int workload_load_lines(sqlite3 *db, struct profile *profile, struct err *err);

/* Device memory that operators got and gave back. */

/* Reads every piece that was held in the window of the connection, or all; its owner is a number of owners, which is
 * added to ("": not known). Those of a framework are known if framework_attach registered it in the connection. A
 * release belongs to the allocation before of the same operator, address and device; one that has none was got before
 * the recording, and is no piece. */
int memory_load(sqlite3 *db, struct intern *owners, struct memory_pieces *ret, struct err *err);

/* The limit of each operator, for slices: as the table `bound` has it, of all executions of its name. */

/* All zero: of nothing. */
struct operator_bounds {
    struct intern names;
    bool borrowed;      /* the names are another's */
    const char **words; /* of each name; NULL: it is no operator, or the capture has no counters */
};
/* Takes what import found, or reads the tasks once, by the counters of their units. Release it also after a failure. */
int operator_bounds_load(sqlite3 *db, struct operator_bounds *ret, struct err *err);
void operator_bounds_release(struct operator_bounds *bounds);
/* Takes them of a workload that has counters, which must outlive them. */
int operator_bounds_of(const struct workload *workload, struct operator_bounds *ret, struct err *err);
/* "memory" and so on, a literal of the program; NULL: nothing is known of this name. */
const char *operator_bounds_find(const struct operator_bounds *bounds, const char *name, size_t length);

/* Ranges of the host: what a program says it does, and the calls that it makes. */

/* The calls that the host made, of captures of any family. */

/* Gives every call with a time to each: those of a thread together and by their starts, a call before what is inside of
 * it. Its name is a number of names, which is added to. */
int host_calls_each(sqlite3 *db, struct intern *names,
                    int (*each)(void *arg, const struct host_call *call, struct err *err), void *arg, struct err *err);

/* Whether calls were recorded, in the window of the connection or out of it: a host can run far ahead of its devices.
 */
int host_calls_known(sqlite3 *db, bool *ret, struct err *err);

/* Registers every range and call with this name as a step of the following answers. */
int step_range_choose(sqlite3 *db, const char *name, struct err *err);

/* Those of ranges that end behind their begin, or of calls. ret is empty before; it needs named_times_release whatever
 * the result. */
int named_times_of_ranges(sqlite3 *db, struct named_times *ret, struct err *err);
int named_times_of_calls(sqlite3 *db, struct named_times *ret, struct err *err);
void named_times_release(struct named_times *times);
/* Which took most time: places among them, the first of them first. free(*ret). */
int named_times_rank(const struct named_times *times, size_t **ret, struct err *err);
/* Those that took most time, the first of them first; series_release their times whatever the result. */
#define NAMED_LARGEST 5
struct named_series {
    const char *name;
    struct series times;
    double period_ns; /* named_times_period_ns */
};
int named_times_largest(const struct named_times *times, struct named_series ret[NAMED_LARGEST], size_t *ret_count,
                        struct err *err);
/* From the begin of one of a name to that of the next, the mean; negative: there is one alone. */
double named_times_period_ns(const struct named_times *times, size_t name);

/* The work of the host while devices waited: the evidence of advice. */

/* Things that tables say of the calls of the host, found in one pass. */
struct host_calls {
    struct intern names;
    const struct gaps *gaps;    /* all of them */
    struct gap_calls gap_calls; /* beside each */
    struct coverage idle;       /* while times are taken */
    struct call_times times;
};

/* gaps NULL: nothing is said of them; times: of functions something is. Its arguments must outlive it.
 * host_calls_release() it whatever the result. */
int host_calls_open(struct host_calls *calls, const struct workload *workload, const struct gaps *gaps, bool times,
                    struct err *err);
/* The walk; needs nothing else than what was opened. */
int host_calls_load(sqlite3 *db, struct host_calls *calls, struct err *err);
void host_calls_release(struct host_calls *calls);

/* Inside of evidence_load: transfers, waits of a framework, memory and blocks. */
int records_evidence_load(sqlite3 *db, const struct workload *workload, struct host_evidence *ret, struct err *err);

/* Finds the longest gaps of the workload, and what covers them in its database. launches, of its executions, must
 * outlive ret; NULL: savings are not asked for. calls, which is open, takes part in the walk; it may be NULL. */
int evidence_load(sqlite3 *db, const struct workload *workload, const struct launches *launches,
                  struct host_calls *calls, struct host_evidence *ret, struct err *err);

/* Adds to the rows of findings who launched them, if framework_attach registered it in the connection. */
int evidence_name_launchers(sqlite3 *db, struct advice *advice, struct err *err);

/* At which frequencies devices' tasks ran. */

/* Operators on the cores count at the frequency that was measured last when they began, with the time they took: idle
 * time, waits, copies, communication and the AI CPU do not count, and of operators beside each other each does. */
struct frequency_use {
    int64_t device_id, mhz, rated_mhz; /* rated_mhz 0: not known */
    int64_t tasks;
    double time_ns;
};
struct frequency_uses ARRAY_OF(struct frequency_use); /* by device, then frequency */
/* The mean frequency of one device, or of all of them. */
struct frequency_mean {
    double mhz, rated_mhz;    /* 0: not measured, not known */
    double time_ns, below_ns; /* of tasks whose frequency is known; of those below the rated one */
};

/* Empty for captures that measure none. free(ret->items). */
int frequency_uses_load(sqlite3 *db, const struct workload *workload, struct frequency_uses *ret, struct err *err);
/* Takes the mean of items [from, until). */
struct frequency_mean frequency_mean_of(const struct frequency_uses *uses, size_t from, size_t until);

/* Inside of loading evidence: the stages of a framework's data pipeline. */

/* Work and data of operators, and how far both are from what the chip could do. */

/* Operators of one kind: of Ascend's captures products of matrices, by what their shapes prove; of boards all whose
 * counters were read. */
struct roofline_row {
    double total_ns;
    int64_t count;
    double work, bytes; /* of one execution; work: FLOP, of boards cycles in which the MACs were busy */
    const char *name;   /* of boards */
    const char *type, *inputs, *types, *formats, *output, *output_formats;
};

/* Intensity is work by bytes; throughput work a nanosecond. */
static inline double roofline_intensity(const struct roofline_row *row)
{
    return row->work / row->bytes;
}
static inline double roofline_throughput(const struct roofline_row *row)
{
    return row->work * (double)row->count / row->total_ns;
}

/* Roofs in the units of the rows: the work and the bytes of a nanosecond; 0: not known. */
struct roofline {
    double work_ns, bytes_ns;
    const char *work_source; /* "--peak-flops"; NULL: not known */
};
/* The roof of work of a board is the clock of its cores, that of Ascend's captures what the user says. */
struct roofline roofline_of(const struct workload_facts *facts, const struct roofs *roofs);
/* The lower one of the roofs at an intensity; 0: none is known. *ret_name: "work" or "memory", NULL. */
double roofline_at(const struct roofline *roofline, double intensity, const char **ret_name);

/* Gives every row, the largest total first. workload has the counters of a board. */
int roofline_each(sqlite3 *db, const struct workload *workload,
                  int (*each)(void *arg, const struct roofline_row *row, struct err *err), void *arg, struct err *err);

/* Which call of the host launched each execution, and which calls waited for a device, of Ascend's captures; names of
 * calls are ids of table name. ret is empty before; launches_release() it whatever the result. */
int workload_load_launches(sqlite3 *db, const struct workload *workload, struct launches *ret, struct err *err);

/* Critical paths of the steps of a capture. */

struct path_steps {
    struct workload workload; /* the caller's, filled before */
    struct splits splits;
    struct launches launches;
    struct step_paths paths;
};
/* All but the workload; of a capture without steps, or which does not say when each task ran, there are none.
 * path_steps_release() it, which leaves the workload alone, whatever the result. */
int path_steps_load(sqlite3 *db, struct path_steps *steps, struct err *err);
void path_steps_release(struct path_steps *steps);
/* Gives the path of each step of the leading family that counts, and how many steps in a row it is of, until each
 * returns another number than 0. */
int path_steps_each(struct path_steps *steps,
                    int (*each)(void *arg, const struct step_path *path, size_t times, struct err *err), void *arg,
                    struct err *err);
/* The split nearest to the median of its group, which is the one with most time; SIZE_MAX: there is none. */
size_t path_steps_typical(const struct path_steps *steps);
int path_steps_find(struct path_steps *steps, size_t split, const struct step_path **ret, struct err *err);

#endif
