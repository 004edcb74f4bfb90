/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/analysis/advice.h"
#include "base/array.h"
#include "base/file/large.h"
#include "base/words.h"
#include "features/answers/analysis/savings.h"
#include "features/answers/rules/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ENUM_NAMES(advice_severity_name, enum severity, LANGUAGE_MARK("low"), LANGUAGE_MARK("medium"), LANGUAGE_MARK("high"))

#define RULE(name) extern const struct rule name;
#include "rule_list.h"
#undef RULE
#define RULE(name) &(name),
const struct rule *const advice_rules[] = {
#include "rule_list.h"
};
#undef RULE
const size_t advice_rule_count = sizeof advice_rules / sizeof *advice_rules;
_Static_assert(sizeof advice_rules / sizeof *advice_rules <= ADVICE_MOST_RULES, "advice has room for its rules");

/* The severest first: time of the host is no time of devices, so that more of it may be less severe. */
static int by_severity(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    if (x->fired != y->fired)
        return x->fired ? -1 : 1;
    if (x->fired && x->severity != y->severity)
        return x->severity > y->severity ? -1 : 1;
    if (x->fired && x->at_stake_ns != y->at_stake_ns)
        return x->at_stake_ns > y->at_stake_ns ? -1 : 1;
    return x->rule->order - y->rule->order;
}

static enum severity severity_of(double share)
{
    return share >= 5 ? SEVERITY_HIGH : share >= 3 ? SEVERITY_MEDIUM : SEVERITY_LOW;
}

/* A finding with nothing at stake is none: by a limit of 0 %, or where what takes longer is made up for. */
static bool is_worth_saying(const struct finding *finding)
{
    const double least_ns = 1; /* the last digit that is printed */

    return finding->rule->of_memory || finding->at_stake_ns >= least_ns;
}

/* If two rules found the same cause, keeps one, with the evidence of both: idle time consists of gaps, and on SVP the
 * counters of the layers show waiting for memory. */
static void tell_causes_once(struct finding *findings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct finding *other = &findings[i], *kept = NULL;
        for (size_t k = 0; k < count && other->fired && other->rule->told_by != NULL; k++)
            if (findings[k].fired && strcmp(findings[k].rule->id, other->rule->told_by) == 0)
                kept = &findings[k];
        if (kept == NULL)
            continue;
        other->fired = false;
        other->told_elsewhere = true;
        kept->same_cause = other->rule;
        if (kept->row_count == 0) { /* where to look */
            memcpy(kept->rows, other->rows, sizeof kept->rows);
            kept->row_count = other->row_count;
            kept->time_ns = other->time_ns;
            for (size_t k = 0; k < kept->row_count; k++) /* theirs are of a step */
                kept->rows[k].share = rule_percent(kept->rows[k].time_ns, kept->whole_ns);
        }
        if (other->severity > kept->severity)
            kept->severity = other->severity;
    }
}

/* What was found first of a rule that says less than its operators would bring: all of them name communication. */
struct known_savings {
    double *cut; /* NULL: nothing yet */
    double saves_ns;
};

/* Limits what calls save to what the tasks that are launched behind them would begin earlier without them. */
static int find_savings_of_calls(const struct advice_look *look, struct finding *finding, struct err *err)
{
    const struct call_evidence *calls = finding->without;
    const struct removal removal = {
        .threads = calls->threads.items, .thread_count = calls->threads.count, .once_a_step = finding->once_a_step};
    double saves_ns = -1;

    if (!finding->fired || look->host->launches == NULL || look->host->launches->count == 0)
        return 0; /* what was launched when is not known */
    if (!look->workload->facts.placed &&
        savings_of(look->workload, look->splits, look->host->launches, &removal, &saves_ns, err) < 0)
        return err_status(err);
    finding->saves_ns = saves_ns < 0 ? saves_ns : fmin(saves_ns, finding->saves_ns);
    return 0;
}

/* Finds what an operator's shorter time would bring, where a rule says so of operators; a rule that knows better says
 * less. */
static int find_savings(const struct advice_look *look, struct finding *finding, struct known_savings *known,
                        struct err *err)
{
    const size_t size = look->workload->operator_count * sizeof *look->cut;
    const struct removal removal = {.cut = look->cut, .of_warmup = finding->of_warmup};
    double saves_ns = known->saves_ns;
    bool any = false;

    if (finding->without != NULL)
        return find_savings_of_calls(look, finding, err);
    for (size_t i = 0; i < look->workload->operator_count; i++)
        any = any || look->cut[i] > 0;
    if (!any || !finding->fired || finding->saves_ns == 0 || look->host->launches == NULL ||
        look->workload->facts.placed)
        return 0;
    const bool is_known = !finding->of_warmup && known->cut != NULL && memcmp(known->cut, look->cut, size) == 0;
    if (!is_known && savings_of(look->workload, look->splits, look->host->launches, &removal, &saves_ns, err) < 0)
        return err_status(err);
    if (saves_ns >= 0)
        saves_ns += finding->idle_ns;
    if (known->cut == NULL && finding->saves_ns >= 0 && !finding->of_warmup) {
        if ((known->cut = malloc(size)) == NULL)
            return err_no_memory(err);
        memcpy(known->cut, look->cut, size);
        known->saves_ns = saves_ns;
    }
    if (finding->saves_ns < 0 || (saves_ns >= 0 && saves_ns < finding->saves_ns))
        finding->saves_ns = saves_ns;
    return 0;
}

static int hold_rules(const struct advice_look *look, const double *thresholds, struct advice *ret, struct err *err)
{
    struct known_savings known = {.cut = NULL};
    int status = 0;

    while (ret->rule_count < advice_rule_count && advice_rules[ret->rule_count]->of_tree == NULL)
        ret->rule_count++;
    for (size_t i = 0; status == 0 && i < ret->rule_count; i++) {
        const struct rule *rule = advice_rules[i];
        struct finding *finding = &ret->findings[i];
        *finding = (struct finding){.rule = rule,
                                    .threshold = thresholds != NULL ? thresholds[i] : rule->threshold,
                                    .whole_ns = ret->elapsed_ns,
                                    .saves_ns = -1,
                                    .time_ns = INT64_MIN};
        if (!look->workload->facts.times_known)
            finding->not_checked = "the capture has no times, because the clock of the cores is unknown";
        else if (ret->elapsed_ns <= 0)
            finding->not_checked = "nothing ran, or for no time";
        else if (rule->of_gaps && look->workload->facts.placed)
            finding->not_checked = "start times of tasks are synthesised, so gaps are meaningless";
        else {
            memset(look->cut, 0, look->workload->operator_count * sizeof *look->cut);
            rule->check(look, finding);
            status = find_savings(look, finding, &known, err);
        }
    }
    free(known.cut);
    if (status == 0)
        advice_sort(ret);
    return status;
}

void advice_sort(struct advice *advice)
{
    for (size_t i = 0; i < advice->rule_count; i++) {
        struct finding *finding = &advice->findings[i];
        double share = rule_percent(finding->at_stake_ns, finding->whole_ns);
        finding->fired = finding->fired && is_worth_saying(finding);
        finding->severity = severity_of(finding->rule->of_step ? fmin(finding->value, share) : share);
    }
    tell_causes_once(advice->findings, advice->rule_count);
    array_sort(advice->findings, advice->rule_count, sizeof advice->findings[0], by_severity);
}

/* Copies the names of rows, which may outlive what they were found in. */
static int keep_names(struct advice *advice, struct err *err)
{
    for (size_t i = 0; i < advice->rule_count; i++) {
        for (size_t k = 0; k < advice->findings[i].row_count; k++) {
            struct finding_row *row = &advice->findings[i].rows[k];
            if (intern_keep(&advice->texts, row->name, &row->name, err) < 0)
                return err_status(err);
            row->launcher = "";
        }
    }
    return 0;
}

void advice_release(struct advice *advice)
{
    intern_release(&advice->texts);
}

static int64_t covered(const struct intervals *times, const struct coverage *idle)
{
    int64_t sum = 0;
    size_t cursor = 0;

    for (size_t i = 0; i < times->count; i++)
        sum += coverage_within(idle, times->items[i].start_ns, times->items[i].end_ns, &cursor);
    return sum;
}

int call_evidence_sum(struct call_evidence *sums, struct intervals *times, const struct workload *workload,
                      struct err *err)
{
    SCOPED(coverage_release) struct coverage idle = {.before = NULL}, queued = {.before = NULL};

    if (coverage_of_idle(workload, 0, &idle, err) < 0 || coverage_of_idle(workload, QUEUE_GAP_NS, &queued, err) < 0)
        return err_status(err);
    intervals_unite(times);
    sums->ns = intervals_length(times);
    sums->idle_ns = covered(times, &idle);
    sums->saves_ns = covered(times, &queued);
    return 0;
}

void host_evidence_release(struct host_evidence *evidence)
{
    struct call_evidence *calls[] = {&evidence->memory, &evidence->compiles, &evidence->synchronises};

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        for (size_t k = 0; k < calls[i]->threads.count; k++)
            intervals_release(&calls[i]->threads.items[k].times);
        free(calls[i]->threads.items);
    }
    intern_release(&evidence->texts);
    free(evidence->records.uneven_ns);
}

int advice_make(const struct workload *workload, const struct host_evidence *host, const double *thresholds,
                struct advice *ret, struct err *err)
{
    SCOPED(splits_release) struct splits splits = {.items = NULL};
    SCOPED(gaps_release) struct gaps gaps = {.items = NULL};
    struct advice_look look = {.workload = workload, .host = host, .splits = &splits, .gaps = &gaps};
    bool failed = splits_make(workload, &splits, err) < 0;

    *ret = (struct advice){
        .elapsed_ns = (double)splits.all.time_ns, .busy_ns = (double)splits.all.busy_ns, .origin_ns = INT64_MIN};
    look.texts = &ret->texts;
    look.elapsed_ns = ret->elapsed_ns;
    look.busy_ns = ret->busy_ns;
    workload_recorded_text(&workload->facts, ret->recorded);
    if (!failed)
        cut_steps_text(splits.cuts, ret->cut_steps);
    failed = failed || gaps_make(workload, &gaps, err) < 0 || advice_look_at_operators(&look, err) < 0;
    failed = failed || hold_rules(&look, thresholds, ret, err) < 0 || keep_names(ret, err) < 0;
    free(look.united_ns);
    free(look.wanted);
    free(look.cut);
    return failed ? err_status(err) : 0;
}
