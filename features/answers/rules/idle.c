/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/rules/rule.h"

#include "base/number.h"

static void check_idle(const struct advice_look *look, struct finding *finding)
{
    double idle_ns = (double)look->splits->all.free_ns;
    double value = rule_percent(idle_ns, look->elapsed_ns), gaps_ns = rule_gaps_ns(look);

    /* before the first operator and behind the last there is nothing that a program could bring forward */
    rule_measured(finding, value, idle_ns,
                  value > finding->threshold && rule_percent(gaps_ns, gaps_ns + look->busy_ns) > finding->threshold);
    finding->saves_ns = rule_long_gaps_ns(look);
    if (idle_ns - gaps_ns < 1000)
        rule_say(finding, "The device is idle for %.1f %% of the time (%s).", value, RULE_TIME(idle_ns));
    else
        rule_say(finding,
                 "The device is idle for %.1f %% of the time (%s), %s of it between operators; the rest is "
                 "before the first and behind the last.",
                 value, RULE_TIME(idle_ns), RULE_TIME(gaps_ns));
}

/* Describes what the host did in a gap, and for how long. */
static void tell_gap(const struct host_evidence *host, const struct gap_evidence *gap, char why[256])
{
    if (!host->known)
        snprintf(why, 256, "%s", language_shown("the capture has no host calls that explain it"));
    else if (gap->call[0] != '\0')
        snprintf(why, 256,
                 gap->cause == CAUSE_SYNC ? language_shown("the host waited for the device in %.120s in %.0f %% of it")
                                          : language_shown("the host was in %.120s in %.0f %% of it"),
                 gap->call, 100 * gap->covered);
    else
        snprintf(why, 256, "%s",
                 gap->launched
                     ? language_shown("no host call covers a tenth of it, and the next task was launched late")
                     : language_shown("no host call covers a tenth of it"));
}

static void check_gap(const struct advice_look *look, struct finding *finding)
{
    const struct gap_evidence *gap = look->host->gaps;
    double step_ns = splits_step_ns(look->splits, splits_longest_group(look->splits));

    if (look->host->gap_count == 0) {
        finding->not_checked = "there is no gap between two tasks";
        return;
    }
    double length = gap->length_ns, value = rule_percent(length, step_ns);
    double all = 0;
    size_t count = 0; /* those beyond the limit: others are there without its cause, too */
    for (; count < look->host->gap_count; count++) {
        if (rule_percent(look->host->gaps[count].length_ns, step_ns) <= finding->threshold)
            break;
        all += look->host->gaps[count].length_ns;
    }
    rule_measured(finding, value, all, count > 0);
    finding->saves_ns = fmax(all - (double)count * QUEUE_GAP_NS, 0);
    finding->time_ns = gap->start_ns;
    char why[256];
    tell_gap(look->host, gap, why);
    rule_say(finding, "The longest gap takes %s between '%.80s' and '%.80s'; %s.", RULE_TIME(length),
             execution_name(look->workload, gap->before), execution_name(look->workload, gap->after), why);
    for (size_t i = 0; i < count && i < FINDING_ROWS; i++) {
        struct finding_row *row = &finding->rows[finding->row_count++];
        *row = (struct finding_row){.name = !look->host->known ? language_shown("(calls were not recorded)")
                                            : look->host->gaps[i].call[0] == '\0' ? language_shown("(no call)")
                                                                                  : look->host->gaps[i].call,
                                    .time_ns = look->host->gaps[i].length_ns,
                                    .count = 1,
                                    .at_ns = look->host->gaps[i].start_ns};
        row->share = rule_percent(row->time_ns, step_ns);
    }
}

const struct rule rule_idle = {
    .order = 10,
    .id = "idle",
    .rests_on = "when each task ran",
    .formula = "1 - busy / elapsed, from the first task to the end of the last; likewise between operators",
    .advice = "Check the host calls in the longest gaps (rule gap): launch ahead, or run the model as a graph.",
    .threshold = 10,
    .of_gaps = true,
    .check = check_idle,
    .shows_gaps = true,
};

const struct rule rule_gap = {
    .order = 20,
    .id = "gap",
    .rests_on = "when each task ran, and the calls of the host",
    .formula = "the longest gap / time of a step",
    .advice = "Remove the call that covers the gap from the loop, or run it in parallel with the device.",
    .threshold = 1,
    .of_gaps = true,
    .check = check_gap,
    .told_by = "idle",
    .of_step = true,
    .shows_gaps = true,
};
