/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/rules/rule.h"

#include "base/number.h"

#include <strings.h>

static void check_communication(const struct advice_look *look, struct finding *finding)
{
    double exposed = (double)look->splits->all.exposed_ns, all = (double)look->splits->all.communication_ns;

    if (all <= 0) {
        finding->not_checked = "the capture has no communication operators";
        return;
    }
    double value = rule_percent(exposed, look->elapsed_ns);
    rule_saves_communication(look, finding, exposed);
    for (size_t i = 0; i < look->workload->operator_count; i++)
        if (look->workload->operators[i].key.work == WORK_COMMUNICATION)
            rule_add_operator(finding, look->workload, &look->workload->operators[i],
                              look->workload->operators[i].total_ns,
                              rule_percent(look->united_ns[i], look->elapsed_ns));
    rule_measured(finding, value, exposed, value > finding->threshold);
    rule_say(finding, "Exposed communication takes %.1f %% of the time (%s of %s).", value, RULE_TIME(exposed),
             RULE_TIME(all));
}

static bool is_sync_batch_norm(const struct workload *workload, const struct workload_operator *op)
{
    const char *type = workload_text(workload, op->key.type);

    return strncasecmp(type, "SyncBatchNorm", 13) == 0 || strncasecmp(type, "SyncBN", 6) == 0;
}

static void check_sync_batch_norm(const struct advice_look *look, struct finding *finding)
{
    double sum = rule_take_operators(look, finding, is_sync_batch_norm);

    rule_say(finding, "SyncBatchNorm operators take %.1f %% of the busy time (%s), with communication each time.",
             finding->value, RULE_TIME(sum));
}

const struct rule rule_exposed_communication = {
    .order = 90,
    .id = "exposed-communication",
    .rests_on = "when operators and communication operators ran",
    .formula = "exposed communication / elapsed",
    .advice = "Overlap it with computing or use larger buckets; first check whether one rank is late.",
    .threshold = 10,
    .check = check_communication,
};

const struct rule rule_sync_batch_norm = {
    .order = 95,
    .id = "sync-batch-norm",
    .rests_on = "the types of operators",
    .formula = "time of operators of the types SyncBatchNorm* and SyncBN* / busy",
    .advice = "Synchronise only if the batch per device is small; otherwise use BatchNorm or GroupNorm.",
    .threshold = 1,
    .check = check_sync_batch_norm,
};
