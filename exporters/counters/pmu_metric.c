/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/counters/pmu_metric.h"

#include "base/words.h"
#include "exporters/counters/pmu_groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- metrics ---- */

__extension__ typedef unsigned __int128 uint128;
#define UINT128_MAX (~(uint128)0)

static const struct pmu_metric total_time = {.formula = TOTAL_TIME}, total_cycles = {.formula = TOTAL_CYCLES},
                               raw_count = {.formula = COUNT};

/* The metrics that one side of the 910B cannot count, by the beginning of the name (docs/formats/cann.md 4.6). */
static const char *const unsupported_aic[] = {
    "vec",
    "ub_read_bw(",
    "ub_write_bw(",
    "l0c_read_bw(",
    "l0c_write_bw(",
    "ub_read_bw_mte",
    "ub_write_bw_mte",
    "ub_read_bw_vector",
    "ub_write_bw_vector",
    NULL,
};
static const char *const unsupported_aiv[] = {
    "mac",       "mte1",    "l1_read", "l1_write", "l0a_", "l0b_", "l0c_read_bw_cube", "l0c_write_bw_cube",
    "cube_fops", "fixpipe", NULL,
};

/* Whether each kind of core has columns of its own. */
static bool has_sides(enum pmu_rules rules)
{
    return rules == PMU_RULES_CORE || rules == PMU_RULES_V6;
}

static bool is_supported(const struct pmu_plan *plan, const char *name)
{
    const char *const *list = plan->side == PMU_AIC ? unsupported_aic : unsupported_aiv;
    if (!has_sides(plan->rules) || plan->unfiltered || (plan->both_fops && words_end_in(name, "_fops")))
        return true;
    for (; *list != NULL; list++) {
        if (strncmp(name, *list, strlen(*list)) == 0)
            return false;
    }
    return true;
}

/* Reads "0x8,0xa"; returns how many. base: as of strtoul. */
static size_t parse_events(const char *text, int base, uint16_t events[PMU_EVENTS])
{
    size_t count = 0;
    while (count < PMU_EVENTS && *text != '\0') {
        char *end;
        unsigned long event = strtoul(text, &end, base);
        if (end == text)
            break;
        events[count++] = event <= UINT16_MAX ? (uint16_t)event : 0;
        text = end + strspn(end, ", ");
    }
    return count;
}

/* Which counter holds an event; -1: none. */
static int8_t find_counter(const uint16_t *events, size_t count, uint16_t event)
{
    for (size_t i = 0; i < count; i++) {
        if (events[i] == event)
            return (int8_t)i;
    }
    return -1;
}

/* False: an event of the metric was not counted. */
static bool find_counters(const struct pmu_metric *metric, const uint16_t *events, size_t count,
                          int8_t counters[PMU_METRIC_EVENTS])
{
    for (size_t i = 0; i < PMU_METRIC_EVENTS; i++) {
        counters[i] = metric->events[i] != 0 ? find_counter(events, count, metric->events[i]) : -1;
        if (metric->events[i] != 0 && counters[i] < 0)
            return false;
    }
    return true;
}

static void add_column(struct pmu_plan *plan, const struct pmu_metric *metric, const int8_t counters[PMU_METRIC_EVENTS],
                       bool is_time, const char *format, const char *name)
{
    if (plan->count == PMU_MAX_COLUMNS)
        return;
    struct pmu_column *column = &plan->columns[plan->count++];
    const char *prefix = !has_sides(plan->rules) ? "" : plan->side == PMU_AIC ? "aic_" : "aiv_";
    *column = (struct pmu_column){.metric = metric, .is_time = is_time};
    memcpy(column->counter, counters, sizeof column->counter);
    snprintf(column->title, sizeof column->title, "%s%s%s", prefix, name, format);
}

/* Whether other events gave it a column. */
static bool has_column(const struct pmu_plan *plan, const char *name)
{
    size_t i = 2; /* behind the time and the cycles */
    while (i < plan->count && strcmp(plan->columns[i].metric->name, name) != 0)
        i++;
    return i < plan->count;
}

static void add_metric(struct pmu_plan *plan, const struct pmu_metric *metric, const uint16_t *events, size_t count)
{
    int8_t counters[PMU_METRIC_EVENTS];
    const bool counted = find_counters(metric, events, count, counters);
    plan->counted |= counted;
    if (!counted || !is_supported(plan, metric->name) || has_column(plan, metric->name))
        return;
    switch (metric->formula) {
    case PIPE:
        add_column(plan, metric, counters, true, "_time(us)", metric->name);
        add_column(plan, metric, counters, false, "_ratio", metric->name);
        break;
    case SHARE:
        add_column(plan, metric, counters, false, "_ratio", metric->name);
        break;
    default:
        add_column(plan, metric, counters, false, "", metric->name);
        break;
    }
}

/* Whether a metric shows the event, or the group counts it for none. */
static bool is_shown(const struct pmu_group *group, const uint16_t *events, size_t count, uint16_t event)
{
    uint16_t usual[PMU_EVENTS];
    int8_t counters[PMU_METRIC_EVENTS];
    bool wanted = false;
    for (size_t i = 0; i < group->count; i++) {
        if (find_counter(group->metrics[i].events, PMU_METRIC_EVENTS, event) < 0)
            continue;
        if (find_counters(&group->metrics[i], events, count, counters))
            return true;
        wanted = true;
    }
    return !wanted && find_counter(usual, parse_events(group->events, 16, usual), event) >= 0;
}

/* Counters of no known group, of events that the user chose, and of a group's events that no metric shows, are shown
 * as they were counted. group: whose counted metrics have columns; NULL: none. */
static void add_raw_counters(struct pmu_plan *plan, const struct pmu_group *group, const uint16_t *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[sizeof "rffff"];
        if (group != NULL && (events[i] == 0 || is_shown(group, events, count, events[i])))
            continue;
        plan->extra |= group != NULL;
        int8_t counters[PMU_METRIC_EVENTS] = {(int8_t)i, -1, -1, -1, -1};
        snprintf(name, sizeof name, "r%x", events[i]);
        add_column(plan, &raw_count, counters, false, "", name);
    }
}

static bool is_given(const char *events)
{
    return events != NULL && events[0] != '\0';
}

void pmu_plan_init(struct pmu_plan *plan, const struct pmu_setup *setup)
{
    static const int8_t none[PMU_METRIC_EVENTS] = {-1, -1, -1, -1, -1};
    uint16_t events[PMU_EVENTS];
    *plan = (struct pmu_plan){
        .rules = setup->of_2022                           ? PMU_RULES_2022
                 : setup->chip == 5                       ? PMU_RULES_CORE
                 : setup->chip == 15 || setup->chip == 16 ? PMU_RULES_V6
                                                          : PMU_RULES_PYTHON,
        .side = setup->side,
        .chip = setup->chip,
        .frequency_hz = setup->frequency_hz,
        .core_num = setup->core_num,
        .unfiltered = setup->unfiltered,
        .both_fops = setup->both_fops,
        .mac = {-1, -1},
    };
    const struct pmu_group *group = pmu_group_find(setup->group, plan->rules);
    const bool custom = setup->group != NULL && strncmp(setup->group, PMU_CUSTOM, sizeof PMU_CUSTOM - 1) == 0;
    size_t count = is_given(setup->events) ? parse_events(setup->events, 16, events)
                   : group != NULL         ? parse_events(group->events, 16, events)
                   : custom                ? parse_events(setup->group + sizeof PMU_CUSTOM - 1, 0, events)
                                           : 0;
    if (group == NULL && count == 0 && plan->rules == PMU_RULES_CORE)
        return; /* nothing was counted, not the cycles either */
    add_column(plan, &total_time, none, true, "", "");
    snprintf(plan->columns[0].title, PMU_TITLE_MAX, "%s", plan->side == PMU_AIC ? "aicore_time(us)" : "aiv_time(us)");
    add_column(plan, &total_cycles, none, false, "", "total_cycles");
    for (size_t i = 0; group != NULL && i < group->count; i++)
        add_metric(plan, &group->metrics[i], events, count);
    plan->raw = !plan->counted && count > 0; /* also of events of another chip under the group's name */
    if (plan->raw) {
        add_raw_counters(plan, NULL, events, count);
        return;
    }
    if (group != NULL)
        add_raw_counters(plan, group, events, count);
    plan->mac[0] = find_counter(events, count, plan->rules == PMU_RULES_V6 ? 0x301 : 0xa);
    if (plan->mac[0] < 0) {
        plan->mac[0] = find_counter(events, count, 0x416);
        plan->mac[1] = find_counter(events, count, 0x417);
    }
}

/* ---- values ---- */

#define DECIMALS 3
#define COUNTER_LIMIT (INT64_C(1) << 53) /* no sound counter gets here, and every product below fits 128 bits */

/* numerator / denominator in thousandths, rounded half away from zero; 0 when the denominator is 0. */
static int64_t thousandths(uint128 numerator, uint128 denominator)
{
    if (denominator == 0)
        return 0;
    if (numerator <= UINT64_MAX / 4000 && denominator <= UINT64_MAX) /* the usual: a division of the processor */
        return (int64_t)((2000 * (uint64_t)numerator / (uint64_t)denominator + 1) / 2);
    uint128 quotient = (2 * 1000 * numerator / denominator + 1) / 2;
    return quotient > INT64_MAX ? INT64_MAX : (int64_t)quotient;
}

static uint64_t bounded(int64_t value)
{
    return value < 0 ? 0 : (uint64_t)(value < COUNTER_LIMIT ? value : COUNTER_LIMIT);
}

static uint64_t sum_of(const struct pmu_column *column, const struct pmu_counts *counts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < PMU_METRIC_EVENTS && column->counter[i] >= 0; i++) {
        const int8_t eighths = column->metric->eighths[i];
        sum += bounded(counts->counters[column->counter[i]]) * (eighths > 0 ? (uint64_t)eighths / 8 : 1);
    }
    return sum;
}

static uint64_t counter_of(const struct pmu_column *column, const struct pmu_counts *counts, size_t i)
{
    return bounded(counts->counters[column->counter[i]]);
}

/* How often the cores have to go round to take every block. */
static uint64_t rounds(const struct pmu_plan *plan, int64_t block_num)
{
    return (uint64_t)((block_num + plan->core_num - 1) / plan->core_num);
}

static int64_t time_hz(const struct pmu_plan *plan, const struct pmu_counts *counts)
{
    return counts->time_hz > 0 ? counts->time_hz : plan->frequency_hz;
}

static bool is_time_known(const struct pmu_plan *plan, const struct pmu_counts *counts)
{
    return time_hz(plan, counts) > 0 && plan->core_num > 0 && plan->core_num <= INT32_MAX && counts->block_num > 0 &&
           counts->block_num <= INT32_MAX;
}

/* Thousandths of a microsecond that the task took, of a double rounded to two decimals as the Python code does. */
static int64_t rounded_task_time(const struct pmu_plan *plan, const struct pmu_counts *counts)
{
    double us = (double)bounded(counts->total_cycle) * 1e6 / (double)time_hz(plan, counts) / (double)counts->block_num *
                (double)rounds(plan, counts->block_num);
    int64_t hundredths = pmu_round_decimal(us, 2);
    return hundredths < INT64_MAX / 10 ? hundredths * 10 : INT64_MAX;
}

/* Thousandths of a microsecond that the task took. */
static int64_t task_time(const struct pmu_plan *plan, const struct pmu_counts *counts)
{
    if (plan->rules == PMU_RULES_V6)
        return pmu_round_decimal((double)bounded(counts->time_ns) / 1000, 2) * 10;
    if (!is_time_known(plan, counts))
        return 0;
    if (plan->rules == PMU_RULES_PYTHON || plan->raw)
        return rounded_task_time(plan, counts);
    uint128 numerator = (uint128)bounded(counts->total_cycle) * 1000000 * rounds(plan, counts->block_num);
    uint128 denominator = (uint128)(uint64_t)time_hz(plan, counts) * (uint64_t)counts->block_num;
    return thousandths(numerator, denominator);
}

/* Thousandths of a microsecond of it that a pipe worked. */
static int64_t pipe_time(const struct pmu_plan *plan, const struct pmu_counts *counts, uint64_t cycles)
{
    if (plan->rules != PMU_RULES_V6 && !is_time_known(plan, counts))
        return 0;
    if (plan->rules != PMU_RULES_CORE)
        return thousandths((uint128)(uint64_t)task_time(plan, counts) * cycles,
                           (uint128)bounded(counts->total_cycle) * 1000);
    return counts->total_cycle <= 0
               ? 0
               : thousandths((uint128)cycles * 1000000 * rounds(plan, counts->block_num),
                             (uint128)(uint64_t)time_hz(plan, counts) * (uint64_t)counts->block_num);
}

static int64_t bandwidth(const struct pmu_plan *plan, const struct pmu_counts *counts, uint128 bits)
{
    if (plan->frequency_hz <= 0)
        return 0;
    uint128 numerator = bits * (uint64_t)plan->frequency_hz, denominator = bounded(counts->total_cycle);
    if (plan->chip == 0) { /* over the time of the task instead of that of all its blocks together */
        if (!is_time_known(plan, counts))
            return 0;
        if (numerator > UINT128_MAX / 2000 / (uint32_t)counts->block_num)
            return INT64_MAX;
        numerator *= (uint32_t)counts->block_num;
        denominator *= rounds(plan, counts->block_num);
    }
    return thousandths(numerator, denominator << 33);
}

static int64_t vector_flops(const struct pmu_plan *plan, const struct pmu_column *column,
                            const struct pmu_counts *counts)
{
    bool narrow = plan->chip >= 2 && plan->chip <= 4;
    uint64_t fp32 = counter_of(column, counts, 0), fp16_128 = counter_of(column, counts, 1),
             fp16_64 = counter_of(column, counts, 2), int32 = counter_of(column, counts, 3),
             others = counter_of(column, counts, 4);
    uint128 sum = (uint128)fp32 * (plan->chip == 0 ? 32 : 64) + (uint128)fp16_128 * 128 + (uint128)fp16_64 * 64 +
                  (uint128)int32 * (narrow ? 16 : 64) + (uint128)others * (narrow ? 16 : 32);
    return sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}

static int64_t kilobytes(const struct pmu_column *column, const struct pmu_counts *counts)
{
    int64_t eighths = 0;
    for (size_t i = 0; i < PMU_METRIC_EVENTS && column->counter[i] >= 0; i++)
        eighths += column->metric->eighths[i] * (int64_t)counter_of(column, counts, i);
    return eighths * 125; /* thousandths; at most 2^62 */
}

static int64_t cube_flops(const struct pmu_column *column, const struct pmu_counts *counts)
{
    /* 16 * 16 * 16 and 16 * 16 * 32 multiplications and as many additions */
    uint128 sum = (uint128)counter_of(column, counts, 0) * 8192 + (uint128)counter_of(column, counts, 1) * 16384;
    return sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}

/* Cycles of the cube: of one event, or of two with a weight each. */
static uint64_t mac_of(const struct pmu_column *column, const struct pmu_counts *counts)
{
    const uint64_t other = column->counter[3] >= 0 ? counter_of(column, counts, 3) : 0;
    return counter_of(column, counts, 1) + other * (uint64_t)(column->metric->eighths[3] / 8);
}

/* Divides the ratios as they are shown, and rounds in binary floating point as the tool does. */
static int64_t memory_bound(const struct pmu_column *column, const struct pmu_counts *counts)
{
    uint128 cycles = bounded(counts->total_cycle);
    int64_t mte2 = thousandths(counter_of(column, counts, 0), cycles),
            mac = thousandths(mac_of(column, counts), cycles), vec = thousandths(counter_of(column, counts, 2), cycles),
            busiest = mac > vec ? mac : vec;
    return busiest == 0 ? 0 : pmu_round_decimal((double)mte2 / 1000 / ((double)busiest / 1000), DECIMALS);
}

static struct pmu_value number(int64_t value)
{
    return (struct pmu_value){value, 0};
}

/* The events of a bandwidth by their weights, in eighths. */
static uint128 weighted_eighths(const struct pmu_column *column, const struct pmu_counts *counts)
{
    uint128 eighths = 0;
    for (size_t i = 0; i < PMU_METRIC_EVENTS && column->counter[i] >= 0; i++) {
        int8_t weight = column->metric->eighths[i];
        eighths += (uint128)counter_of(column, counts, i) * (weight > 0 ? (uint64_t)weight : 8);
    }
    return eighths;
}

static struct pmu_value exact_value(const struct pmu_plan *plan, const struct pmu_column *column,
                                    const struct pmu_counts *counts)
{
    const struct pmu_metric *metric = column->metric;
    uint128 cycles = bounded(counts->total_cycle);
    struct pmu_value value = {.decimals = DECIMALS};
    switch (metric->formula) {
    case TOTAL_TIME:
        value.value = task_time(plan, counts);
        break;
    case TOTAL_CYCLES:
        return number(counts->total_cycle);
    case PIPE:
    case SHARE:
        value.value = column->is_time ? pipe_time(plan, counts, sum_of(column, counts))
                                      : thousandths(sum_of(column, counts), cycles);
        break;
    case MISS_RATE:
        value.value = cycles == 0 ? 0 : thousandths(counter_of(column, counts, 1), counter_of(column, counts, 0));
        break;
    case BANDWIDTH:
        value.value = bandwidth(plan, counts, weighted_eighths(column, counts) * metric->pipe * metric->size / 8);
        break;
    case CUBE_FLOPS:
    case VECTOR_FLOPS:
        if (has_sides(plan->rules) && cycles == 0)
            return number(0);
        return number(metric->formula == CUBE_FLOPS ? cube_flops(column, counts) : vector_flops(plan, column, counts));
    case COUNT:
        return number((int64_t)counter_of(column, counts, 0));
    case KILOBYTES:
        value.value = kilobytes(column, counts);
        break;
    case MEMORY_BOUND:
        value.value = memory_bound(column, counts);
        break;
    case UB_MTE_READ: /* of 2022 only */
        value.value = DB_NULL;
        break;
    }
    return value;
}

/* ---- as in 2022 ---- */

/* In the tool's order of operations. */
double pmu_2022_milliseconds(const struct pmu_plan *plan, const struct pmu_counts *counts)
{
    if (!is_time_known(plan, counts))
        return 0;
    double cycles = (double)counts->total_cycle, frequency = (double)plan->frequency_hz,
           blocks = (double)counts->block_num, turns = (double)rounds(plan, counts->block_num);
    return plan->chip == 0 ? cycles * 1000 / frequency / blocks * turns
                           : cycles * 1000 / (frequency / 1000000) / blocks * turns / 1000000;
}

/* Seconds that a transfer is spread over. */
static double transfer_seconds(const struct pmu_plan *plan, const struct pmu_counts *counts, double milliseconds)
{
    if (plan->chip == 0)
        return milliseconds / 1000;
    return plan->frequency_hz > 0 ? (double)counts->total_cycle / (double)plan->frequency_hz : 0;
}

static double quotient(double numerator, double denominator)
{
    return denominator == 0 ? NAN : numerator / denominator;
}

static double share(const struct pmu_column *column, const struct pmu_counts *counts, size_t i)
{
    return quotient((double)counter_of(column, counts, i), (double)counts->total_cycle);
}

/* Moved by the MTE: all reads less the four for each write of the L2 and the main memory, which are half as wide. */
static double mte_read_bits(const struct pmu_column *column, const struct pmu_counts *counts)
{
    double reads = (double)counter_of(column, counts, 0),
           narrow = 4 * ((double)counter_of(column, counts, 1) + (double)counter_of(column, counts, 2));
    return (reads - narrow) * 128 + narrow * 64;
}

#define BITS_OF_GIGABYTE 8589934592.0

static double memory_bound_2022(const struct pmu_column *column, const struct pmu_counts *counts)
{
    double mte2 = pmu_round_binary(share(column, counts, 0), 6),
           mac = pmu_round_binary(quotient((double)mac_of(column, counts), (double)counts->total_cycle), 6),
           vec = pmu_round_binary(share(column, counts, 2), 6);
    return quotient(mte2, mac > vec ? mac : vec);
}

/* milliseconds: of the task, which all its columns share. Not a number: SQL had no value. */
static double floating_value(const struct pmu_plan *plan, const struct pmu_column *column,
                             const struct pmu_counts *counts, double milliseconds)
{
    const struct pmu_metric *metric = column->metric;
    double sum = (double)sum_of(column, counts), cycles = (double)counts->total_cycle;
    switch (metric->formula) {
    case PIPE:
        if (column->is_time)
            return pmu_round_binary(milliseconds * quotient(sum, cycles), 6) * 1000;
        return quotient(sum, cycles);
    case SHARE:
        return quotient(sum, cycles);
    case MISS_RATE:
        return quotient(share(column, counts, 1), share(column, counts, 0));
    case BANDWIDTH:
        return quotient(sum * metric->pipe * metric->size, transfer_seconds(plan, counts, milliseconds)) /
               BITS_OF_GIGABYTE;
    case UB_MTE_READ:
        return quotient(mte_read_bits(column, counts), transfer_seconds(plan, counts, milliseconds)) / BITS_OF_GIGABYTE;
    case MEMORY_BOUND:
        return memory_bound_2022(column, counts);
    default: /* whole numbers */
        return NAN;
    }
}

#define DECIMALS_2022 4

static struct pmu_value value_2022(const struct pmu_plan *plan, const struct pmu_column *column,
                                   const struct pmu_counts *counts, double milliseconds)
{
    double value;
    switch (column->metric->formula) {
    case TOTAL_CYCLES:
    case CUBE_FLOPS:
    case VECTOR_FLOPS:
    case COUNT:
        return exact_value(plan, column, counts);
    case TOTAL_TIME:
        value = milliseconds * 1000;
        break;
    default:
        value = pmu_round_binary(floating_value(plan, column, counts, milliseconds), 6);
        break;
    }
    if (isnan(value))
        return (struct pmu_value){DB_NULL, DECIMALS_2022};
    return (struct pmu_value){pmu_round_decimal(value, DECIMALS_2022), DECIMALS_2022};
}

void pmu_plan_values(const struct pmu_plan *plan, const struct pmu_counts *counts, struct pmu_value *values)
{
    const double milliseconds = plan->rules == PMU_RULES_2022 ? pmu_2022_milliseconds(plan, counts) : 0;
    for (size_t i = 0; i < plan->count; i++)
        values[i] = plan->rules == PMU_RULES_2022 ? value_2022(plan, &plan->columns[i], counts, milliseconds)
                                                  : exact_value(plan, &plan->columns[i], counts);
}

void pmu_plan_values_of(const struct pmu_plan *plan, const struct pmu_plan *other, const struct pmu_counts *counts,
                        struct pmu_value *values)
{
    struct pmu_value own[PMU_MAX_COLUMNS];
    pmu_plan_values(other, counts, own);
    for (size_t i = 0; i < plan->count; i++) {
        size_t k = 0;
        while (k < other->count && (other->columns[k].metric != plan->columns[i].metric ||
                                    other->columns[k].is_time != plan->columns[i].is_time ||
                                    (plan->columns[i].metric == &raw_count &&
                                     strcmp(other->columns[k].title, plan->columns[i].title) != 0)))
            k++;
        values[i] = k < other->count ? own[k] : (struct pmu_value){DB_NULL, 0};
    }
}

/* ---- both sides together ---- */

#define FIRST_STARS_CHIP 5 /* from here on both sides count the same events */

void pmu_columns_init(struct pmu_columns *columns, const struct pmu_input *input)
{
    struct pmu_setup aic = {.side = PMU_AIC,
                            .chip = input->chip,
                            .group = input->metrics,
                            .events = input->events,
                            .frequency_hz = input->aic_hz,
                            .core_num = input->ai_core_num,
                            .unfiltered = input->unfiltered,
                            .both_fops = input->both_fops};
    struct pmu_setup aiv = aic;
    *columns = (struct pmu_columns){.count = 0};
    pmu_plan_init(&columns->aic, &aic);
    columns->sides = has_sides(columns->aic.rules);
    aiv.side = PMU_AIV;
    if (columns->sides || (input->chip < FIRST_STARS_CHIP && is_given(input->aiv_events))) {
        aiv.group = input->aiv_metrics;
        aiv.events = input->aiv_events;
        aiv.core_num = input->aiv_num;
    }
    if (!columns->sides)
        aiv.frequency_hz = input->aiv_hz > 0 ? input->aiv_hz : input->aic_hz;
    pmu_plan_init(&columns->aiv, &aiv);
    for (size_t i = 0; i < columns->aic.count; i++)
        columns->titles[columns->count++] = columns->aic.columns[i].title;
    for (size_t i = 0; columns->sides && i < columns->aiv.count; i++)
        columns->titles[columns->count++] = columns->aiv.columns[i].title;
    columns->has_cube = columns->aic.mac[0] >= 0;
    if (columns->has_cube)
        columns->titles[columns->count++] = "cube_utilization(%)";
}

enum pmu_unit pmu_columns_unit(const struct pmu_columns *columns, size_t i)
{
    const struct pmu_plan *plan = &columns->aic;
    if (columns->has_cube && i + 1 == columns->count)
        return PMU_OCCUPIED;
    if (i >= plan->count) /* behind them */
        i -= plan->count, plan = &columns->aiv;
    const struct pmu_column *column = &plan->columns[i];
    return column->metric != NULL && !column->is_time ? column->metric->unit : PMU_NO_UNIT;
}

#define NS_OF_SECOND 1000000000

/* How much of the cores' time the task used, in thousandths of a percent, rounded half to even as the tool does. By the
 * rules in Python it is 0 where the share of the cube is shown as 0; devices of the other rules are not so. */
static int64_t cube_utilization(const struct pmu_plan *plan, int64_t total_cycle, const int64_t *counters,
                                const struct pmu_task *task)
{
    const int64_t duration_ns = task->duration_ns;
    uint128 mac = plan->mac[0] >= 0 ? bounded(counters[plan->mac[0]]) : 0;
    if (plan->mac[1] >= 0)
        mac += bounded(counters[plan->mac[1]]);
    if (plan->frequency_hz <= 0 || plan->core_num <= 0 || duration_ns <= 0)
        return 0;
    if (plan->rules != PMU_RULES_CORE && thousandths(mac, bounded(total_cycle)) == 0)
        return 0;
    /* cycles / (Hz * cores * s) * 100 * 1000; the time is a number of ticks of the device's clock. */
    const uint64_t hz = task->tick_hz > 0 && task->tick_hz <= NS_OF_SECOND ? (uint64_t)task->tick_hz : NS_OF_SECOND;
    const uint128 ticks = ((uint128)(uint64_t)duration_ns * hz + NS_OF_SECOND / 2) / NS_OF_SECOND;
    const uint64_t rate = ticks > 0 ? hz : NS_OF_SECOND;
    uint128 numerator = (uint128)bounded(total_cycle) * 100000 * rate;
    uint128 denominator = (uint128)(uint64_t)plan->frequency_hz * (ticks > 0 ? ticks : (uint64_t)duration_ns);
    if (denominator > ((uint128)1 << 90))
        return 0;
    denominator *= (uint32_t)(plan->core_num < INT32_MAX ? plan->core_num : INT32_MAX);
    uint128 result = numerator / denominator, rest = numerator % denominator * 2;
    result += rest > denominator || (rest == denominator && result % 2 != 0);
    return result > INT64_MAX ? INT64_MAX : (int64_t)result;
}

/* Counters of one side of a task that ran there. */
static struct pmu_counts counts_of(const struct pmu_task *task, enum pmu_side side)
{
    bool aic = side == PMU_AIC, mixed = task->has_aic && task->has_aiv && task->began_on_aiv == aic;
    struct pmu_counts counts = {.total_cycle = aic ? task->aic_total_cycle : task->aiv_total_cycle,
                                .block_num = mixed ? task->mix_block_num : task->block_num,
                                .time_hz = task->time_hz,
                                .time_ns = aic ? task->aic_time_ns : task->aiv_time_ns};
    memcpy(counts.counters, aic ? task->aic_counters : task->aiv_counters, sizeof counts.counters);
    return counts;
}

static void side_values(const struct pmu_plan *plan, bool ran, const struct pmu_task *task, struct pmu_value *values)
{
    if (!ran) {
        for (size_t i = 0; i < plan->count; i++)
            values[i] = number(0);
        return;
    }
    const struct pmu_counts counts = counts_of(task, plan->side);
    pmu_plan_values(plan, &counts, values);
}

/* A task that ran on vector cores only, in the columns of the other side: each metric where its like is. */
static void shared_values(const struct pmu_columns *columns, const struct pmu_task *task, struct pmu_value *values)
{
    const struct pmu_counts counts = counts_of(task, PMU_AIV);
    pmu_plan_values_of(&columns->aic, &columns->aiv, &counts, values);
    if (columns->has_cube)
        values[columns->count - 1] = (struct pmu_value){
            cube_utilization(&columns->aiv, task->aiv_total_cycle, task->aiv_counters, task), DECIMALS};
}

void pmu_columns_values(const struct pmu_columns *columns, const struct pmu_task *task, struct pmu_value *values)
{
    if (!task->has_aic && !task->has_aiv) {
        for (size_t i = 0; i < columns->count; i++)
            values[i] = (struct pmu_value){DB_NULL, 0};
        return;
    }
    if (!columns->sides && !task->has_aic) {
        shared_values(columns, task, values);
        return;
    }
    side_values(&columns->aic, task->has_aic, task, values);
    if (columns->sides)
        side_values(&columns->aiv, task->has_aiv, task, values + columns->aic.count);
    if (columns->has_cube)
        values[columns->count - 1] = (struct pmu_value){
            task->has_aic ? cube_utilization(&columns->aic, task->aic_total_cycle, task->aic_counters, task) : 0,
            DECIMALS};
}

/* ---- without rounding ---- */

/* Nanoseconds that the task took. */
static double nanoseconds(const struct pmu_plan *plan, const struct pmu_counts *counts)
{
    if (plan->rules == PMU_RULES_V6)
        return (double)bounded(counts->time_ns);
    if (!is_time_known(plan, counts))
        return 0;
    return (double)bounded(counts->total_cycle) * 1e9 / (double)time_hz(plan, counts) / (double)counts->block_num *
           (double)rounds(plan, counts->block_num);
}

static double plain_value(const struct pmu_plan *plan, const struct pmu_column *column, const struct pmu_counts *counts)
{
    double value;
    switch (column->metric->formula) {
    case TOTAL_TIME:
        return nanoseconds(plan, counts);
    case PIPE:
    case SHARE:
        value = quotient((double)sum_of(column, counts), (double)bounded(counts->total_cycle));
        value = column->is_time ? value * nanoseconds(plan, counts) : value;
        break;
    case MISS_RATE:
        value = quotient((double)counter_of(column, counts, 1), (double)counter_of(column, counts, 0));
        break;
    case BANDWIDTH:
        value = quotient((double)weighted_eighths(column, counts) / 8 * column->metric->pipe * column->metric->size *
                             (double)plan->frequency_hz,
                         (double)bounded(counts->total_cycle)) /
                BITS_OF_GIGABYTE;
        break;
    default: {
        const struct pmu_value exact = exact_value(plan, column, counts);
        value = exact.value == DB_NULL ? NAN : (double)exact.value;
        for (unsigned i = 0; i < exact.decimals; i++)
            value /= 10;
        break;
    }
    }
    return isnan(value) ? 0 : value;
}

static void side_doubles(const struct pmu_plan *plan, const struct pmu_task *task, bool ran, enum pmu_side side,
                         double *values)
{
    const struct pmu_counts counts = counts_of(task, side);
    for (size_t i = 0; i < plan->count; i++)
        values[i] = ran ? plain_value(plan, &plan->columns[i], &counts) : 0;
}

void pmu_columns_doubles(const struct pmu_columns *columns, const struct pmu_task *task, double *values)
{
    if (!columns->sides) {
        side_doubles(&columns->aic, task, true, task->has_aic ? PMU_AIC : PMU_AIV, values);
        return;
    }
    side_doubles(&columns->aic, task, task->has_aic, PMU_AIC, values);
    side_doubles(&columns->aiv, task, task->has_aiv, PMU_AIV, values + columns->aic.count);
}
