/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/number.h"
#include "features/answers/rules/rule.h"

#include <stdlib.h>

static bool is_ai_cpu(const struct workload *workload, const struct workload_operator *op)
{
    (void)workload;
    return op->key.work == WORK_AI_CPU && op->count > 0;
}

/* An operator of the AI CPU that takes more is worth a change however short its executions are: percent of busy. */
#define MUCH_ON_AI_CPU 5

static void check_ai_cpu(const struct advice_look *look, struct finding *finding)
{
    const double least_ns = 20000;
    double sum = rule_take_operators(look, finding, is_ai_cpu), longest = 0, most = 0;

    for (size_t i = 0; i < look->workload->execution_count; i++) {
        const struct execution *execution = &look->workload->executions[i];
        large_pass(i);
        if (look->wanted[execution->op])
            longest = fmax(longest, workload_length(look->workload, execution));
    }
    for (size_t i = 0; i < look->workload->operator_count; i++)
        most = look->wanted[i] ? fmax(most, rule_share_of_busy(look, i)) : most;
    finding->fired = finding->fired && (longest >= least_ns || most >= MUCH_ON_AI_CPU);
    rule_say(finding, "Operators on the AI CPU take %.1f %% of the busy time (%s), the longest %s.", finding->value,
             RULE_TIME(sum), RULE_TIME(longest));
}

static bool is_converting(const struct workload *workload, const struct workload_operator *op)
{
    return workload_is_conversion(workload_text(workload, op->key.type));
}

static void check_conversion(const struct advice_look *look, struct finding *finding)
{
    double sum = rule_take_operators(look, finding, is_converting);

    rule_say(finding, "Operators that only convert formats or types take %.1f %% of the busy time (%s).",
             finding->value, RULE_TIME(sum));
}

#define SMALL_NS 10000

static bool is_small(const struct workload *workload, uint32_t execution)
{
    const struct execution *it = &workload->executions[execution];
    return work_computes(workload->operators[it->op].key.work) && workload_length(workload, it) < SMALL_NS;
}

/* Whether a step begins in a gap; *split goes on from gap to gap. */
static bool begins_step(const struct advice_look *look, const struct gap *gap, size_t *split)
{
    const struct splits *splits = look->splits;
    const uint16_t device = look->workload->executions[gap->after].device;

    if (splits->whole)
        return false;
    while (*split < splits->count &&
           (splits->items[*split].device < device ||
            (splits->items[*split].device == device && splits->items[*split].start_ns <= gap->start_ns)))
        large_pass((*split)++);
    return *split < splits->count && splits->items[*split].device == device &&
           splits->items[*split].start_ns <= gap->end_ns;
}

/* The gaps that small operators of a step leave between each other, without those of a queue: as one operator they have
 * none. What is in front of the first of them stays. Negative: no step has two. */
static double gaps_between_small_ns(const struct advice_look *look)
{
    double sum = 0;
    size_t split = 0, count = 0;

    for (size_t i = 0; i < look->gaps->count; i++) {
        const struct gap *gap = &look->gaps->items[i];
        large_pass(i);
        if (begins_step(look, gap, &split) || !is_small(look->workload, gap->before) ||
            !is_small(look->workload, gap->after))
            continue;
        sum += fmax(gap_whole_ns(look->workload, gap) - QUEUE_GAP_NS, 0);
        count++;
    }
    return count > 0 ? sum : -1;
}

static void check_small(const struct advice_look *look, struct finding *finding)
{
    double small = 0, all = 0, time_ns = 0;

    for (size_t i = 0; i < look->workload->execution_count; i++) {
        const struct execution *execution = &look->workload->executions[i];
        large_pass(i);
        if (!work_computes(look->workload->operators[execution->op].key.work))
            continue;
        all++;
        const double length = workload_length(look->workload, execution);
        if (length < SMALL_NS) {
            small++;
            time_ns += length;
        }
    }
    const double gaps_ns = rule_gaps_ns(look);
    double value = rule_percent(small, all), mean = small > 0 ? time_ns / small : 0;
    double mean_gap = all > 1 ? gaps_ns / (all - 1) : 0;
    rule_measured(finding, value, mean_gap * small, value > finding->threshold && mean_gap > mean);
    finding->saves_ns = gaps_between_small_ns(look);
    rule_say(finding, "%.1f %% of the operators take less than 10 us (on average %s, followed by a gap of %s).", value,
             RULE_TIME(mean), RULE_TIME(mean_gap));
}

ARRAY_COMPARE(by_name, struct workload_operator, ARRAY_BY(key.name), ARRAY_BY(key.type), ARRAY_BY(first))

static int by_operator_name(const void *a, const void *b)
{
    return by_name(*(const struct workload_operator *const *)a, *(const struct workload_operator *const *)b);
}

/* Marks operators of one name that run in every step, each time with other shapes. Returns how many shapes they have.
 */
static size_t mark_varying(const struct advice_look *look, const struct workload_operator *const *named, size_t count,
                           struct finding *finding)
{
    const double steps = (double)look->splits->steps;
    double runs = 0;
    size_t varying = 0;

    for (size_t i = 0; i < count; i++)
        runs += (double)named[i]->count;
    for (size_t i = 0; i < count && count > 1 && runs >= steps; i++) {
        const size_t op = (size_t)(named[i] - look->workload->operators);
        if (named[i]->key.shapes == NO_TEXT || 2 * (double)named[i]->count >= steps)
            continue;
        look->wanted[op] = true;
        varying++;
        rule_add_operator(finding, look->workload, named[i], named[i]->total_ns, rule_share_of_busy(look, op));
    }
    return varying;
}

static void check_dynamic_shapes(const struct advice_look *look, struct finding *finding)
{
    const size_t least_steps = 4, count = look->workload->operator_count;
    SCOPED_FREE const struct workload_operator **sorted = scoped_memory(count + 1, sizeof *sorted);
    size_t shaped = 0, varying = 0;

    for (size_t i = 0; i < count && sorted != NULL; i++) {
        sorted[i] = &look->workload->operators[i];
        look->wanted[i] = false;
        shaped += look->workload->operators[i].key.shapes != NO_TEXT;
    }
    if (sorted == NULL || shaped == 0 || look->splits->steps < least_steps) {
        finding->not_checked =
            shaped == 0 ? "no shapes of operators were recorded (prof_level l1)" : "fewer than four steps are known";
        return;
    }
    qsort((void *)sorted, count, sizeof(const struct workload_operator *), by_operator_name);
    for (size_t from = 0, until; from < count; from = until) {
        for (until = from + 1; until < count && sorted[until]->key.name == sorted[from]->key.name &&
                               sorted[until]->key.type == sorted[from]->key.type;)
            until++;
        varying += mark_varying(look, &sorted[from], until - from, finding);
    }
    double sum = rule_united_ns(look), value = rule_percent(sum, look->busy_ns);
    rule_measured(finding, value, sum, value > finding->threshold);
    rule_say(finding,
             "Operators whose shapes change from step to step (%zu in %zu steps) take %.1f %% of the busy time.",
             varying, look->splits->steps, value);
}

/* ---- inner axes ---- */

#define INNER_AXIS 256 /* elements of an inner axis that a core takes at once */
#define HEAD_AXIS 128
#define MOST_AXES 8

/* Reads the sizes of one tensor, "16,64", from a text of several, apart by ';'. Returns how many there are. */
static size_t read_axes(const char **text, int64_t axes[MOST_AXES])
{
    size_t count = 0;
    char *end;

    *text += strspn(*text, "\"; ");
    while (count < MOST_AXES && **text >= '0' && **text <= '9') {
        axes[count++] = strtoll(*text, &end, 10);
        *text = end + (*end == ',');
    }
    return count;
}

/* FRACTAL_NZ and its like end in a block: their inner axis is always the same. */
static bool is_fractal(const int64_t *axes, size_t count)
{
    int64_t last = count >= 4 ? axes[count - 1] : 0;

    return count >= 4 && axes[count - 2] == 16 && (last == 8 || last == 16 || last == 32 || last == 64);
}

static bool is_unaligned_product(const char *shapes)
{
    int64_t axes[MOST_AXES];
    bool unaligned = false;

    for (int i = 0; i < 2; i++) {
        size_t count = read_axes(&shapes, axes);
        if (count < 2 || is_fractal(axes, count))
            return false;
        unaligned = unaligned || axes[count - 1] % INNER_AXIS != 0;
    }
    return unaligned;
}

/* With four sizes the last one is that of a head, in every layout. */
static bool is_unaligned_attention(const char *shapes)
{
    int64_t axes[MOST_AXES];

    return read_axes(&shapes, axes) == 4 && axes[3] % HEAD_AXIS != 0;
}

/* Of its first input. */
static bool is_unaligned_vector(const char *shapes)
{
    int64_t axes[MOST_AXES];
    const size_t count = read_axes(&shapes, axes);

    return count >= 2 && !is_fractal(axes, count) && axes[count - 1] % INNER_AXIS != 0;
}

static bool has_unaligned_axis(const struct workload *workload, const struct workload_operator *op)
{
    const char *type = workload_text(workload, op->key.type), *shapes = workload_text(workload, op->key.shapes);

    if (strcasestr(type, "FlashAttention") != NULL || strcasestr(type, "InferAttention") != NULL)
        return is_unaligned_attention(shapes);
    return op->units[UNIT_CUBE] <= 0 ? is_unaligned_vector(shapes)
                                     : strcasestr(type, "MatMul") != NULL && is_unaligned_product(shapes);
}

/* An operator that keeps the matrix units busy has nothing to win, nor has one on vector units that are, or that wait
 * for memory. */
static double axis_use(const struct workload_operator *op, double *ret_enough)
{
    const bool on_cubes = op->units[UNIT_CUBE] > 0;
    const double vector =
        fmax(rule_unit_ns(op, UNIT_VECTOR), fmax(rule_unit_ns(op, UNIT_LOAD), rule_unit_ns(op, UNIT_STORE)));

    *ret_enough = on_cubes ? 0.8 : 0.7;
    return (on_cubes ? rule_unit_ns(op, UNIT_CUBE) : vector) / op->counted_ns;
}

static void check_inner_axis(const struct advice_look *look, struct finding *finding)
{
    size_t known = 0;

    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        double enough = 0;
        look->wanted[i] = false;
        if (op->counted_ns <= 0 || (op->units[UNIT_CUBE] <= 0 && op->units[UNIT_VECTOR] <= 0) ||
            op->key.shapes == NO_TEXT)
            continue;
        known++;
        const double used = axis_use(op, &enough);
        if (used >= enough || !has_unaligned_axis(look->workload, op))
            continue;
        look->wanted[i] = true;
        look->cut[i] = 1 - used;
        rule_add_operator(finding, look->workload, op, op->total_ns, 100 * used);
    }
    if (known == 0) {
        finding->not_checked = "no shapes and counters of operators on matrix or vector units were recorded";
        return;
    }
    double sum = rule_united_ns(look), value = rule_percent(sum, look->busy_ns);
    rule_measured(finding, value, sum, value > finding->threshold);
    rule_say(finding,
             "Matrix products and vector operators whose inner axis is not a multiple of 256 elements, and attention "
             "whose head dimension is not a multiple of 128, take %.1f %% of the busy time (%s).",
             value, RULE_TIME(sum));
}

const struct rule rule_ai_cpu = {
    .order = 30,
    .id = "ai-cpu",
    .rests_on = "the processor of each operator",
    .formula = "time on the AI CPU / busy; one execution of at least 20 us, or an operator of at least 5 %",
    .advice = "Avoid the operator, or use a data type that the AI Core supports.",
    .threshold = 1,
    .check = check_ai_cpu,
};

const struct rule rule_conversion = {
    .order = 40,
    .id = "conversion",
    .rests_on = "the types of operators",
    .formula = "time of TransData, Cast, Transpose, Reformat / busy",
    .advice = "Use one format and one data type before and after these operators.",
    .threshold = 5,
    .check = check_conversion,
};

const struct rule rule_small_operators = {
    .order = 50,
    .id = "small-operators",
    .rests_on = "when each operator ran",
    .formula = "share of operators below 10 us; the mean gap is longer than their mean time",
    .advice = "Fuse operators, or run the model as a graph, so that launching costs less.",
    .threshold = 50,
    .of_gaps = true,
    .check = check_small,
};

const struct rule rule_dynamic_shapes = {
    .order = 52,
    .id = "dynamic-shapes",
    .rests_on = "shapes of operators, and steps",
    .formula = "time of operators that run in every step, with shapes that occur in less than half of the steps / busy",
    .advice = "Pad or bucket the inputs to few shapes, so that kernels and memory are reused.",
    .threshold = 10,
    .check = check_dynamic_shapes,
};

const struct rule rule_inner_axis = {
    .order = 72,
    .id = "inner-axis",
    .rests_on = "shapes of operators, and counters of the matrix and vector units",
    .formula = "time of operators with such an axis, whose matrix units are below 80 % busy, of vector operators their "
               "vector, load and store units below 70 % / busy",
    .advice = "Pad inner axes to multiples of 256 elements, and head dimensions to 128.",
    .threshold = 5,
    .check = check_inner_axis,
};
