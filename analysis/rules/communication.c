/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/rules/rule.h"

static void check_communication(const struct advice_look *look, struct finding *finding)
{
    double exposed = (double)look->splits->all.exposed_ns, all = (double)look->splits->all.communication_ns;

    if (all <= 0) {
        finding->not_checked = "the capture has no communication operators";
        return;
    }
    double value = rule_percent(exposed, look->elapsed_ns);
    for (size_t i = 0; i < look->workload->operator_count; i++)
        if (look->workload->operators[i].key.work == WORK_COMMUNICATION)
            rule_add_operator(finding, look->workload, &look->workload->operators[i],
                              look->workload->operators[i].total_ns,
                              rule_percent(look->united_ns[i], look->elapsed_ns));
    rule_measured(finding, value, exposed, value > finding->threshold);
    rule_say(finding, "Communication that no computing covers takes %.1f %% of the time (%.3f of %.3f us).", value,
             exposed / 1e3, all / 1e3);
}

const struct rule rule_exposed_communication = {
    .order = 90,
    .id = "exposed-communication",
    .rests_on = "when operators and communication operators ran",
    .formula = "communication that no computing covers / elapsed",
    .advice = "Overlap it with computing, use larger buckets; first see whether one rank is late.",
    .threshold = 10,
    .check = check_communication,
};
