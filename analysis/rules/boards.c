/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/rules/rule.h"

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
        finding->not_checked = "only SVP captures have these counters";
        return;
    }
    double sum = rule_united_ns(look), value = rule_percent(sum, look->busy_ns);
    rule_measured(finding, value, sum, value > finding->threshold);
    rule_say(finding, "Layers that wait for memory longer than they calculate take %.1f %% of the busy time (%.3f us).",
             value, sum / 1e3);
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
        finding->not_checked = "only SVP captures have layers";
        return;
    }
    double sum = rule_take_operators(look, finding, is_slow_activation);
    rule_say(finding, "Layers of activations that the chip does not have take %.1f %% of the busy time (%.3f us).",
             finding->value, sum / 1e3);
}

const struct rule rule_svp_memory_bound = {
    .order = 130,
    .id = "svp-memory-bound",
    .rests_on = "counters of layers",
    .formula = "layers with max(dstr, dld, wld) / max(mac_busy, vec_ppen) above 1 / busy",
    .advice = "Compress weights, fuse layers, or cut their feature maps: they wait for memory.",
    .threshold = 30,
    .check = check_svp_bound,
};

const struct rule rule_svp_activation = {
    .order = 140,
    .id = "svp-activation",
    .rests_on = "types of layers",
    .formula = "layers of the types Softplus, Tanh, Sigmoid, Exp, Mish, Swish, HardSwish / busy",
    .advice = "Replace the activation by one that the chip has: Relu, LeakyRelu, PRelu, Elu.",
    .threshold = 5,
    .check = check_svp_activation,
};
