/* SPDX-License-Identifier: Apache-2.0 */
/* How communication operators move their data. */
#include "features/answers/rules/rule.h"

#include "base/language.h"
#include "base/number.h"

static const char nothing_moved[] = LANGUAGE_MARK("the capture has no transfers of communication operators");

/* What is known of both kinds of links together; negative: nothing. */
static double saves_of(double sdma_ns, double rdma_ns)
{
    return sdma_ns < 0 && rdma_ns < 0 ? -1 : fmax(sdma_ns, 0) + fmax(rdma_ns, 0);
}

static void check_small_packets(const struct advice_look *look, struct finding *finding)
{
    const struct transfer_evidence *sdma = &look->host->records.sdma, *rdma = &look->host->records.rdma;

    if (sdma->count + rdma->count == 0) {
        finding->not_checked = nothing_moved;
        return;
    }
    double value = fmax(rule_percent((double)sdma->small, (double)sdma->count),
                        rule_percent((double)rdma->small, (double)rdma->count));
    double at_stake = sdma->small_ns + rdma->small_ns;
    rule_measured(finding, value, at_stake, value > finding->threshold);
    rule_saves_communication(look, finding, saves_of(sdma->small_saves_ns, rdma->small_saves_ns));
    rule_say(finding,
             "%lld of %lld transfers by SDMA move less than 16 MB, %lld of %lld by RDMA less than 1 MB (%.3f us).",
             (long long)sdma->small, (long long)sdma->count, (long long)rdma->small, (long long)rdma->count,
             number_us(at_stake));
}

static void check_unaligned(const struct advice_look *look, struct finding *finding)
{
    const struct transfer_evidence *sdma = &look->host->records.sdma;

    if (sdma->count == 0) {
        finding->not_checked = LANGUAGE_MARK("the capture has no transfers by SDMA");
        return;
    }
    double value = rule_percent((double)sdma->unaligned, (double)sdma->count);
    rule_measured(finding, value, sdma->unaligned_ns, value > finding->threshold);
    rule_saves_communication(look, finding, sdma->unaligned_saves_ns);
    rule_say(finding, "%lld of %lld transfers by SDMA have a size that is not a multiple of 512 bytes (%.3f us).",
             (long long)sdma->unaligned, (long long)sdma->count, number_us(sdma->unaligned_ns));
}

static void check_contention(const struct advice_look *look, struct finding *finding)
{
    const struct contention_evidence *it = &look->host->records.contention;

    if (it->alone <= 0) {
        finding->not_checked =
            "no communication operator of 1 MB by SDMA ran both in parallel with computing and alone";
        return;
    }
    double value = rule_percent(it->alone - it->beside, it->alone);
    double lost = it->beside_ns * (1 - it->beside / it->alone);
    rule_measured(finding, value, lost, value > finding->threshold);
    rule_saves_communication(look, finding, fmin(lost, it->exposed_ns));
    finding->time_ns = it->at_ns;
    rule_say(finding, "%.200s moves %.2f GB/s in parallel with computing and %.2f GB/s alone; %lld times in parallel.",
             it->name, it->beside, it->alone, (long long)it->count);
}

static void check_retransmission(const struct advice_look *look, struct finding *finding)
{
    const double least_ns = 4e9; /* the network sends again after about that time */
    const struct records_evidence *records = &look->host->records;

    if (records->rdma.count == 0) {
        finding->not_checked = LANGUAGE_MARK("the capture has no transfers by RDMA");
        return;
    }
    double value = rule_percent((double)records->slowest_ns, look->elapsed_ns);
    rule_measured(finding, value, (double)records->slowest_ns,
                  (double)records->slowest_ns >= least_ns && value > finding->threshold);
    rule_saves_communication(look, finding, records->slowest_saves_ns);
    finding->time_ns = records->slowest_at_ns;
    rule_say(finding, "%.200s transfers by RDMA for %.3f s in one run: packets may have been retransmitted.",
             records->slowest_transfer, (double)records->slowest_ns / 1e9);
}

const struct rule rule_small_packets = {
    .order = 200,
    .id = "small-packets",
    .rests_on = "sizes and links of transfers",
    .formula = "transfers of less than 16 MB by SDMA, or of less than 1 MB by RDMA / transfers of that kind",
    .advice = "Send more data at once: larger buckets or batches, gradient accumulation.",
    .threshold = 20,
    .check = check_small_packets,
};

const struct rule rule_unaligned = {
    .order = 210,
    .id = "unaligned",
    .rests_on = "sizes and links of transfers",
    .formula = "transfers by SDMA above 512 bytes whose size is not a multiple of 512 / transfers by SDMA",
    .advice = "Pad sent data to multiples of 512 bytes.",
    .threshold = 20,
    .check = check_unaligned,
};

const struct rule rule_contention = {
    .order = 220,
    .id = "contention",
    .rests_on = "sizes and times of transfers, and operators in parallel with them",
    .formula = "1 - bandwidth of an operator's transfers in parallel with computing / alone",
    .advice = "Computing and communication share memory bandwidth: check whether running them in turn is faster.",
    .threshold = 20,
    .check = check_contention,
};

const struct rule rule_retransmission = {
    .order = 230,
    .id = "retransmission",
    .rests_on = "times of transfers by RDMA",
    .formula = "the longest time by RDMA of one run, from 4 s on / elapsed",
    .advice = "Check the network: congestion control, optical modules and cables.",
    .threshold = 0,
    .check = check_retransmission,
};
