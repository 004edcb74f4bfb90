/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/rules/rule.h"

#include "base/language.h"
#include "base/number.h"

#include <strings.h>

/* The guide's Memory Bound: max(dstr, dld, wld) / max(mac_busy, vec_ppen). */
static void check_svp_bound(const struct advice_look *look, struct finding *finding)
{
    double counted = 0;

    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        look->wanted[i] = false;
        if (op->units[UNIT_WEIGHTS] < 0 || op->counted_ns <= 0)
            continue;
        double moving =
            fmax(rule_unit_ns(op, UNIT_STORE), fmax(rule_unit_ns(op, UNIT_LOAD), rule_unit_ns(op, UNIT_WEIGHTS)));
        counted += op->counted_ns;
        if (moving > fmax(rule_unit_ns(op, UNIT_CUBE), rule_unit_ns(op, UNIT_VECTOR))) {
            look->wanted[i] = true;
            look->cut[i] = 1 - fmax(rule_unit_ns(op, UNIT_CUBE), rule_unit_ns(op, UNIT_VECTOR)) / moving;
            rule_add_operator(finding, look->workload, op, op->counted_ns, rule_percent(moving, op->counted_ns));
        }
    }
    if (counted <= 0) {
        finding->not_checked = LANGUAGE_MARK("only SVP captures have these counters");
        return;
    }
    double sum = rule_united_ns(look), value = rule_percent(sum, look->busy_ns);
    rule_measured(finding, value, sum, value > finding->threshold);
    rule_say(finding, "Layers that wait for memory longer than they compute take %.1f %% of the busy time (%.3f us).",
             value, number_us(sum));
}

/* Whether one of a layer group's types, between commas, is a part of an activation that the chip does not have. */
static bool is_slow_activation(const struct workload *workload, const struct workload_operator *op)
{
    static const char *const slow[] = {"softplus", "tanh", "sigmoid", "exp", "mish", "swish", "hardswish"};
    const char *types = workload_text(workload, op->key.type);

    while (*types != '\0') {
        size_t length = strcspn(types, ",");
        for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
            if (strlen(slow[i]) == length && strncasecmp(types, slow[i], length) == 0)
                return true;
        types += length + (types[length] == ',');
    }
    return false;
}

/* The guide's example of an analysis: an activation in pieces among the convolutions. */
static void check_svp_activation(const struct advice_look *look, struct finding *finding)
{
    if (strcmp(look->workload->facts.chip, "SVP") != 0) {
        finding->not_checked = LANGUAGE_MARK("only SVP captures have layers");
        return;
    }
    double sum = rule_take_operators(look, finding, is_slow_activation);
    rule_say(finding,
             "Activation layers that the chip does not support natively take %.1f %% of the busy time (%.3f us).",
             finding->value, number_us(sum));
}

/* ---- the thresholds of HiSilicon's text on tuning ---- */

/* A network is fine above this use of its matrix units, a layer that uses them above the second, another layer above
 * this use of its vector units. */
enum { FINE_NETWORK = 60, FINE_CUBE = 70, FINE_VECTOR = 50, BUSY_UNIT = 50 };

#define NOT_OF_SVP LANGUAGE_MARK("only SVP captures have these counters, with metrics")

static bool is_counted(const struct workload_operator *op)
{
    return op->units[UNIT_CUBE_GAIN] >= 0 && op->counted_ns > 0;
}

/* Counters that are all zero are those of a collection without metrics. */
static bool counts_anything(const struct advice_look *look)
{
    for (size_t i = 0; i < look->workload->operator_count; i++)
        for (int unit = 0; is_counted(&look->workload->operators[i]) && unit < UNITS; unit++)
            if (look->workload->operators[i].units[unit] > 0)
                return true;
    return false;
}

static bool uses_cubes(const struct workload_operator *op)
{
    return rule_unit_ns(op, UNIT_CUBE) > 0;
}

/* In percent of the layer's time. */
static double used(const struct workload_operator *op, enum unit unit)
{
    return rule_percent(rule_unit_ns(op, unit), op->counted_ns);
}

/* The unit that a layer is judged by, and how much of it is fine. */
static enum unit unit_of(const struct workload_operator *op)
{
    return uses_cubes(op) ? UNIT_CUBE_GAIN : UNIT_VECTOR;
}

static double fine_of(const struct workload_operator *op)
{
    return uses_cubes(op) ? FINE_CUBE : FINE_VECTOR;
}

static bool is_fine(const struct workload_operator *op)
{
    return used(op, unit_of(op)) > fine_of(op);
}

static void check_svp_network(const struct advice_look *look, struct finding *finding)
{
    double gained = 0, counted = 0, low = 0, lost = 0;

    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        if (!is_counted(op))
            continue;
        gained += rule_unit_ns(op, UNIT_CUBE_GAIN);
        counted += op->counted_ns;
        if (is_fine(op))
            continue;
        look->cut[i] = 1 - used(op, unit_of(op)) / fine_of(op);
        low += op->counted_ns;
        lost += look->cut[i] * op->counted_ns;
        rule_add_operator(finding, look->workload, op, op->counted_ns, used(op, unit_of(op)));
    }
    if (!counts_anything(look)) {
        finding->not_checked = NOT_OF_SVP;
        return;
    }
    double value = rule_percent(gained, counted);
    rule_measured(finding, value, lost, value <= finding->threshold && lost > 0);
    rule_say(
        finding,
        "The network's Mac Ppen is %.1f %%; layers with Mac Ppen up to %d %% or Vec Ppen up to %d %% take %.3f us.",
        value, FINE_CUBE, FINE_VECTOR, number_us(low));
}

/* Layers that are not fine and keep this unit busy for longer than the threshold. */
static void check_svp_unit(const struct advice_look *look, struct finding *finding, enum unit unit, const char *name)
{
    double sum = 0;

    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        if (!is_counted(op) || is_fine(op) || used(op, unit) <= finding->threshold)
            continue;
        sum += op->counted_ns;
        look->cut[i] = fmax(1 - used(op, unit_of(op)) / used(op, unit), 0);
        rule_add_operator(finding, look->workload, op, op->counted_ns, used(op, unit));
    }
    if (!counts_anything(look)) {
        finding->not_checked = NOT_OF_SVP;
        return;
    }
    rule_measured(finding, rule_percent(sum, look->busy_ns), sum, sum > 0);
    rule_say(finding, "Underused layers with %s above %.0f %% take %.1f %% of the busy time (%.3f us).", name,
             finding->threshold, finding->value, number_us(sum));
}

static void check_svp_input(const struct advice_look *look, struct finding *finding)
{
    check_svp_unit(look, finding, UNIT_LOAD, "DLD");
}

static void check_svp_weights(const struct advice_look *look, struct finding *finding)
{
    check_svp_unit(look, finding, UNIT_WEIGHTS, "WLD");
}

static void check_svp_output(const struct advice_look *look, struct finding *finding)
{
    check_svp_unit(look, finding, UNIT_STORE, "Dstr");
}

static void check_svp_unused(const struct advice_look *look, struct finding *finding)
{
    static const enum unit units[] = {UNIT_CUBE_GAIN, UNIT_VECTOR, UNIT_LOAD, UNIT_WEIGHTS, UNIT_STORE};
    double sum = 0;

    for (size_t i = 0; i < look->workload->operator_count; i++) {
        const struct workload_operator *op = &look->workload->operators[i];
        double most = 0;
        for (size_t k = 0; k < sizeof units / sizeof *units; k++)
            most = fmax(most, used(op, units[k]));
        if (!is_counted(op) || most >= BUSY_UNIT)
            continue;
        sum += op->counted_ns;
        look->cut[i] = 1 - most / 100;
        rule_add_operator(finding, look->workload, op, op->counted_ns, most);
    }
    if (!counts_anything(look)) {
        finding->not_checked = NOT_OF_SVP;
        return;
    }
    double value = rule_percent(sum, look->busy_ns);
    rule_measured(finding, value, sum, value > finding->threshold);
    rule_say(finding,
             "Layers whose units are all busy for less than %d %% of the time take %.1f %% of the busy time (%.3f us).",
             BUSY_UNIT, value, number_us(sum));
}

/* GELU is four tasks that follow each other: a division, the error function, a sum and a product. */
static void check_svp_gelu(const struct advice_look *look, struct finding *finding)
{
    static const char *const parts[] = {"BinaryMath", "Erf", "BinaryMath", "BinaryMath"};
    enum { PARTS = sizeof parts / sizeof *parts };
    const struct workload *workload = look->workload;
    size_t whole = 0;

    if (strcmp(workload->facts.chip, "SVP") != 0) {
        finding->not_checked = LANGUAGE_MARK("only SVP captures have layers");
        return;
    }
    memset(look->wanted, 0, workload->operator_count * sizeof *look->wanted);
    for (size_t i = 0; i + PARTS <= workload->execution_count; i++) {
        size_t k = 0;
        large_pass(i);
        while (k < PARTS && workload->executions[i + k].device == workload->executions[i].device &&
               strcmp(workload_text(workload, workload->operators[workload->executions[i + k].op].key.type),
                      parts[k]) == 0)
            k++;
        if (k < PARTS)
            continue;
        whole++;
        while (k > 0)
            look->wanted[workload->executions[i + --k].op] = true;
    }
    for (size_t i = 0; i < workload->operator_count; i++) {
        look->cut[i] = look->wanted[i] ? 1 : 0;
        if (look->wanted[i])
            rule_add_operator(finding, workload, &workload->operators[i], workload->operators[i].total_ns,
                              rule_share_of_busy(look, i));
    }
    double sum = rule_united_ns(look), value = rule_percent(sum, look->busy_ns);
    rule_measured(finding, value, sum, value > finding->threshold);
    rule_say(finding,
             "GELU runs %zu times as four tasks (Div, Erf, Add, Mul) and takes %.1f %% of the busy time (%.3f us).",
             whole, value, number_us(sum));
}

const struct rule rule_svp_network = {
    .order = 131,
    .id = "svp-network",
    .rests_on = "counters of layers",
    .formula = "mac_ppen of all layers / their time; above 60 % is good (HiSilicon's tuning guide)",
    .advice = "Examine the layers with Mac Ppen up to 70 % or Vec Ppen up to 50 %, the longest first.",
    .threshold = FINE_NETWORK,
    .check = check_svp_network,
};

const struct rule rule_svp_input = {
    .order = 132,
    .id = "svp-input",
    .rests_on = "counters of layers",
    .formula = "underused layers (svp-network) with dld / time above 70 % (HiSilicon's tuning guide) / busy",
    .advice =
        "Reduce the input of these layers: fewer channels or a smaller image, or fuse them with the previous layer.",
    .threshold = 70,
    .check = check_svp_input,
};

const struct rule rule_svp_weights = {
    .order = 133,
    .id = "svp-weights",
    .rests_on = "counters of layers",
    .formula = "underused layers (svp-network) with wld / time above 80 % (HiSilicon's tuning guide) / busy",
    .advice = "Quantise the weights of these layers to 4 bits, or compress them.",
    .threshold = 80,
    .check = check_svp_weights,
};

const struct rule rule_svp_output = {
    .order = 134,
    .id = "svp-output",
    .rests_on = "counters of layers",
    .formula = "underused layers (svp-network) with dstr / time above 70 % (HiSilicon's tuning guide) / busy",
    .advice = "Reduce the output of these layers, or fuse them with the next layer.",
    .threshold = 70,
    .check = check_svp_output,
};

const struct rule rule_svp_unused = {
    .order = 135,
    .id = "svp-unused",
    .rests_on = "counters of layers",
    .formula =
        "layers with mac_ppen, vec_ppen, dld, wld and dstr below 50 % of their time (HiSilicon's tuning guide) / busy",
    .advice = "The counters do not explain the time of these layers: send this capture to the vendor's support.",
    .threshold = 10,
    .check = check_svp_unused,
};

const struct rule rule_svp_gelu = {
    .order = 141,
    .id = "svp-gelu",
    .rests_on = "types of layers",
    .formula = "consecutive tasks of the types BinaryMath, Erf, BinaryMath, BinaryMath / busy",
    .advice = "Replace GELU by an activation that the chip supports (Relu, LeakyRelu, PRelu, Elu) and fuses with the "
              "convolution.",
    .threshold = 5,
    .check = check_svp_gelu,
};

const struct rule rule_svp_memory_bound = {
    .order = 130,
    .id = "svp-memory-bound",
    .rests_on = "counters of layers",
    .formula = "layers with max(dstr, dld, wld) / max(mac_busy, vec_ppen) above 1 / busy",
    .advice = "These layers wait for memory: compress weights, fuse layers, or reduce their feature maps.",
    .threshold = 30,
    .check = check_svp_bound,
};

const struct rule rule_svp_activation = {
    .order = 140,
    .id = "svp-activation",
    .rests_on = "types of layers",
    .formula = "layers of the types Softplus, Tanh, Sigmoid, Exp, Mish, Swish, HardSwish / busy",
    .advice = "Replace the activation by one that the chip supports: Relu, LeakyRelu, PRelu, Elu.",
    .threshold = 5,
    .check = check_svp_activation,
};
