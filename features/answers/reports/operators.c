/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by name. */
#include "base/file/large.h"
#include "base/number.h"
#include "base/statistics.h"
#include "exporters/table/report.h"
#include "features/answers/analysis/bound.h"
#include "features/answers/analysis/match.h"
#include "features/answers/load/answer.h"

#include <stdlib.h>

/* A table of answer_rows whose last columns are the type, shown or not, and what its rows are of. */
#define OPERATORS(of, subject, ai_cpu, is_known, what_title, what_doc, what_needs, type_is, of_title, of_doc)          \
    {                                                                                                                  \
        .name = of, .title = what_title, .doc = what_doc, .needs = what_needs, .families = FAMILY_ANY,                 \
        .shown_only = true,                                                                                            \
        .columns =                                                                                                     \
            (const struct report_column[]){                                                                            \
                ANSWER_NUMBERS,                                                                                        \
                {"Type", REPORT_FIELD(struct answer_row, type), type_is},                                              \
                {of_title, REPORT_FIELD(struct answer_row, name), .doc = of_doc},                                      \
                {.title = NULL},                                                                                       \
            },                                                                                                         \
        .of_workload = answer_rows, .visitor = &(const struct answer_keys){subject, ai_cpu}, .known = is_known,        \
    }
#define TYPE_SHOWN .doc = "The type of the operator."
#define TYPE_READ .flags = REPORT_INPUT

const struct report report_ops =
    OPERATORS("ops", BY_OP, false, true, "Operators by time", "Time by operator, the largest total first.",
              "tasks with times", TYPE_SHOWN, "Name", "Subject of the row.");
const struct report report_types = OPERATORS("types", BY_TYPE, false, false, "Types of operators by time",
                                             "Time by type of operator, the largest total first.", "tasks with times",
                                             TYPE_READ, "Type name", "Subject of the row.");
const struct report report_layers =
    OPERATORS("layers", BY_LAYER, false, false, "Layers by time",
              "Time by layer: the name of an operator up to its last slash. The largest total first.",
              "tasks with times", TYPE_READ, "Layer", "The layer; of an operator without one its name.");
const struct report report_streams = OPERATORS("streams", BY_STREAM, false, false, "Streams by time",
                                               "Time by stream of each device, the busiest first.", "tasks with times",
                                               TYPE_READ, "Stream", "Subject of the row.");
const struct report report_aicpu =
    OPERATORS("aicpu", BY_OP, true, false, "Operators on the AI CPU",
              "Operators that run on the AI CPU. The table of this name in summaries is a different one.",
              "operators that ran on the AI CPU", TYPE_SHOWN, "Name", "Subject of the row.");

/* Durations of operators in bins of 1, 2, 5, 10 us and so on. */
struct shown {
    struct histogram_bin bin;
    int64_t share, until_ns; /* share: of 10000 */
};

static int put_small(struct report_run *run, const struct workload *workload, struct err *err)
{
    struct histogram histogram;
    int64_t all = 0;

    histogram_init(&histogram);
    for (size_t i = 0; i < workload->execution_count; i++) {
        large_pass(i);
        if (work_computes(workload->operators[workload->executions[i].op].key.work)) {
            histogram_add(&histogram, workload_length(workload, &workload->executions[i]));
            all++;
        }
    }
    for (size_t i = 0; i < HISTOGRAM_BINS; i++) {
        const struct histogram_bin *bin = &histogram.bins[i];
        const struct shown row = {
            .bin = *bin,
            .share = number_ratio(bin->count, all, 4),
            .until_ns = bin->until_ns == INT64_MAX ? DB_NULL : bin->until_ns,
        };
        if (bin->count > 0 && report_put(run, &row, err) < 0)
            return err_status(err);
    }
    return 0;
}

const struct report report_small = {
    .name = "small",
    .title = "Durations of operators",
    .doc = "Number and time of operators by duration.",
    .needs = "tasks with times",
    .families = FAMILY_ANY,
    .is_short = true,
    .shown_only = true,
    .columns = VALUE_LIST({"Share(%)", SHOWN(share), FORM_SCALED, 2, .doc = "Share of all executions."},
                          {"Count", SHOWN(bin.count), .flags = REPORT_NUMBER, .doc = "Executions in the bin."},
                          {"Total(us)", SHOWN(bin.total_ns), FORM_SCALED, 3, .doc = "Their time."},
                          {"From(us)", SHOWN(bin.from_ns), FORM_SCALED, 3, .doc = "They take this or longer."},
                          {"Until(us)", SHOWN(until_ns), FORM_SCALED, 3, .doc = "And less than this."}),
    .of_workload = put_small,
};

/* TransData, Cast, Transpose: operators that calculate nothing, with what makes their input and takes their output. */
#define SHOWN_CONVERSIONS(member) REPORT_FIELD(struct shown_conversions, member)
struct shown_conversions {
    struct neighbours item;
    double share, mean_ns; /* share: of 10000 */
    const char *type, *producer, *consumer, *name;
};

static bool wanted_conversions(const struct workload *workload, const struct workload_operator *op)
{
    return workload_is_conversion(workload_text(workload, op->key.type));
}

static const char *name_of(const struct workload *workload, uint32_t op)
{
    return op == NO_TEXT ? NULL : workload_text(workload, workload->operators[op].key.name);
}

static int put_item(struct report_run *run, const struct workload *workload, const struct neighbours *item,
                    double all_ns, struct err *err)
{
    const struct shown_conversions row = {
        .item = *item,
        .share = all_ns > 0 ? item->total_ns / all_ns * 1e4 : 0,
        .mean_ns = item->total_ns / (double)item->count,
        .type = workload_text(workload, workload->operators[item->op].key.type),
        .producer = name_of(workload, item->before),
        .consumer = name_of(workload, item->after),
        .name = name_of(workload, item->op),
    };
    return report_put(run, &row, err);
}

static int put_conversions(struct report_run *run, const struct workload *workload, struct err *err)
{
    SCOPED(neighbours_release) struct neighbour_list list;
    double all_ns = 0;
    int status = neighbours_find(workload, wanted_conversions, &list, err);

    for (size_t i = 0; i < workload->operator_count; i++)
        all_ns += workload->operators[i].total_ns;
    for (size_t i = 0; status == 0 && i < list.count; i++)
        status = put_item(run, workload, &list.items[i], all_ns, err);
    return status;
}

const struct report report_conversions = {
    .name = "conversions",
    .title = "Conversions",
    .doc = "Operators that only convert formats or types, with the operators before and after them on the stream, the "
           "largest total first.",
    .needs = "operators of the types TransData, Cast, Transpose or Reformat",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns =
        VALUE_LIST({"Share(%)", SHOWN_CONVERSIONS(share), FORM_SCALED, 2, .doc = "Share of the time of all operators."},
                   {"Total(us)", SHOWN_CONVERSIONS(item.total_ns), FORM_SCALED, 3,
                    .doc = "The time of all executions between these two."},
                   {"Count", SHOWN_CONVERSIONS(item.count), .flags = REPORT_NUMBER,
                    .doc = "Number of executions between these two."},
                   {"Mean(us)", SHOWN_CONVERSIONS(mean_ns), FORM_SCALED, 3, .flags = REPORT_NARROW,
                    .doc = "The time of one of them."},
                   {"Type", SHOWN_CONVERSIONS(type), .doc = "Kind of conversion."},
                   {"Producer", SHOWN_CONVERSIONS(producer), .doc = "The operator that ran before it on its stream."},
                   {"Consumer", SHOWN_CONVERSIONS(consumer), .doc = "The next operator on its stream."},
                   {"Name", SHOWN_CONVERSIONS(name), .doc = "The operator that converts."}),
    .of_workload = put_conversions,
};

/* The limit of each operator: calculating, moving data, or neither. */
#define SHOWN_BOUND(member) REPORT_FIELD(struct shown_bound, member)
struct shown_bound {
    struct named_operator named;
    double share, compute, memory, cube, occupied; /* of 10000; NAN: not known */
    double mb, mb_s;
    const char *bound, *type, *name;
};

static double share_of(double share)
{
    return share < 0 ? NAN : share * 1e4;
}

static int put_operator(struct report_run *run, const struct workload *workload, const struct named_operator *named,
                        double all_ns, struct err *err)
{
    const struct unit_times *times = &named->times;
    const double held = unit_times_share(times, UNIT_OCCUPIED);
    bool bytes = named->bytes >= 0 && times->counted_ns > 0;
    const struct shown_bound row = {
        .named = *named,
        .share = share_of(all_ns > 0 ? named->total_ns / all_ns : 0),
        .compute = share_of(unit_times_compute(times)),
        .memory = share_of(unit_times_memory(times)),
        .cube = share_of(unit_times_share(times, UNIT_CUBE_ALL)),
        .occupied = held > 0 ? share_of(held) : NAN, /* what ran held a core: 0 is of another kind of core */
        .mb = bytes ? named->bytes / BYTES_OF_MB : NAN,
        .mb_s = bytes ? named->bytes / BYTES_OF_MB / (times->counted_ns / 1e9) : NAN,
        .bound = bound_name(unit_times_bound(times)),
        .type = workload_text(workload, named->type),
        .name = workload_text(workload, named->name),
    };
    return report_put(run, &row, err);
}

static int put_bounds(struct report_run *run, const struct workload *workload, struct err *err)
{
    struct named_operators list;
    double all_ns = 0;
    int status = named_operators_make(workload, &list, err);

    if (status != 0)
        return status;
    for (size_t i = 0; i < list.count; i++)
        all_ns += list.items[i].total_ns;
    for (size_t i = 0; status == 0 && list.counted && i < list.count; i++)
        status = put_operator(run, workload, &list.items[i], all_ns, err);
    free(list.items);
    return status;
}

const struct report report_bound = {
    .name = "bound",
    .title = "Limits of operators",
    .doc = "Bottleneck of each operator, the largest total first. 'memory' or 'compute': the kind of its busiest unit, "
           "weighted by time. 'latency': no unit is busy for half of the time.",
    .needs = "counters of the cores' units (PipeUtilization)",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = VALUE_LIST(
        {"Share(%)", SHOWN_BOUND(share), FORM_SCALED, 2, .doc = "Share of the time of all operators."},
        {"Total(us)", SHOWN_BOUND(named.total_ns), FORM_SCALED, 3, .doc = "The time of all executions."},
        {"Count", SHOWN_BOUND(named.count), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Number of executions."},
        {"Bound", SHOWN_BOUND(bound),
         .doc = "memory or compute: the kind of the busiest unit; latency: no unit is busy for half of the time."},
        {"Compute(%)", SHOWN_BOUND(compute), FORM_SCALED, 2,
         .doc = "Utilisation of the busiest computing unit, weighted by time."},
        {"Memory(%)", SHOWN_BOUND(memory), FORM_SCALED, 2,
         .doc = "Busy part of the units that move data from and to memory."},
        {"Cube(%)", SHOWN_BOUND(cube), FORM_SCALED, 2,
         .doc = "Utilisation of the matrix units of all cores of the device, weighted by the cores in use."},
        {"Occupied(%)", SHOWN_BOUND(occupied), FORM_SCALED, 2, .flags = REPORT_NARROW,
         .doc = "Share of all cores that it occupied."},
        {"Moved(MB)", SHOWN_BOUND(mb), FORM_SHORTEST, 3, .flags = REPORT_NARROW,
         .doc = "Read and written outside; 1 MB is 1,000,000 bytes."},
        {"Bandwidth(MB/s)", SHOWN_BOUND(mb_s), FORM_SHORTEST, 1, .flags = REPORT_NARROW,
         .doc = "Moved by the counted time."},
        {"Type", SHOWN_BOUND(type), .flags = REPORT_NARROW, .doc = "The type of the operator."},
        {"Name", SHOWN_BOUND(name), .doc = "The operator."}),
    .of_workload = put_bounds,
    .counters = true,
    .known = true,
};
