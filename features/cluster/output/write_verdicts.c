/* SPDX-License-Identifier: Apache-2.0 */
/* slow_ranks.csv, late_collectives.csv, slow_links.csv: who keeps the others waiting, with the evidence. */
#include "base/array.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/utf8.h"
#include "features/cluster/output/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { US = 3, GB = 4, PERCENT = 2 }; /* decimals */

/* ---- ranks ---- */

struct ranked {
    int64_t rank;
    const struct rank_verdict *verdict;
};

ARRAY_COMPARE(by_caused, struct ranked, ARRAY_BY_MOST(verdict->caused_ns), ARRAY_BY_MOST(verdict->last), ARRAY_BY(rank))

/* The one that others wait for longest comes first. */
int write_slow_ranks(const char *directory, const struct plan *plan, const struct verdicts *verdicts,
                     struct cluster_worst *ret, struct err *err)
{
    struct outfile out;
    struct ranked *order = calloc(plan->rank_count + 1, sizeof *order);
    if (order == NULL)
        return err_no_memory(err);
    int status = write_open(&out, directory, "slow_ranks.csv",
                            "Rank,Collectives,Arrived Last,Arrived Last(%),Arrived First,Others Waited(us),"
                            "Others Waited per Last(us),Waited(us),Mean Waited(us),Outlier Votes\n",
                            err);
    for (size_t i = 0; i < plan->rank_count; i++)
        order[i] = (struct ranked){plan->ranks[i].rank, &verdicts->ranks[i]};
    array_sort(order, plan->rank_count, sizeof *order, by_caused);
    for (size_t i = 0; status == 0 && i < plan->rank_count; i++) {
        const struct rank_verdict *verdict = order[i].verdict;
        if (verdict->collectives == 0)
            continue;
        if (ret->ranks++ == 0) {
            ret->rank = order[i].rank;
            ret->verdict = *verdict;
        }
        csv_row(&out, INTEGER(order[i].rank), INTEGER(verdict->collectives), INTEGER(verdict->last),
                DECIMAL(number_ratio(verdict->last, verdict->collectives, PERCENT + 2), PERCENT),
                INTEGER(verdict->first), DECIMAL(verdict->caused_ns, US),
                DECIMAL(number_ratio(verdict->caused_ns, verdict->last, 0), US), DECIMAL(verdict->wait_ns, US),
                DECIMAL(number_ratio(verdict->wait_ns, verdict->collectives, 0), US), INTEGER(verdict->votes));
    }
    free(order);
    return status == 0 ? outfile_commit(&out, err) : status;
}

/* ---- collectives ---- */

static void write_late_row(struct outfile *out, const struct plan *plan, const struct late_collective *late,
                           const char *name)
{
    const struct plan_group *group = &plan->groups.items[late->group];
    const struct merged_collective *merged = &late->merged;
    const int64_t shortest = merged->shortest[0], longest = merged->longest[COLLECTIVE_ENDS - 1];
    csv_row(out, TEXT(plan->steps.items[late->step]), TEXT(group->number), TEXT(group->name != NULL ? group->name : ""),
            TEXT(name), INTEGER(merged->count), INTEGER(merged->shortest_rank), INTEGER(merged->longest_rank),
            DECIMAL(shortest, US), DECIMAL(number_ratio(merged->sum_ns, merged->count, 0), US), DECIMAL(longest, US),
            DECIMAL(longest - shortest, US), DECIMAL(late->wait_ns, US),
            TEXT(verdict_outlier_below(merged) != INT64_MIN ? "yes" : "no"));
}

static int keep_wait(struct cluster_worst *worst, const char *step, const struct late_collective *late, struct err *err)
{
    const int64_t rank = late->merged.shortest_rank;
    char text[CLUSTER_WORST_TEXT];
    struct step_wait *wait = worst->waits.items, *end = wait + worst->waits.count;
    snprintf(text, sizeof text, "%s", step);
    utf8_mask(text);
    while (wait < end && (wait->rank != rank || strcmp(wait->step, text) != 0))
        wait++;
    if (wait == end) {
        if (array_reserve(&worst->waits, 1, err) < 0)
            return err_status(err);
        wait = &worst->waits.items[worst->waits.count++];
        *wait = (struct step_wait){.rank = rank};
        memcpy(wait->step, text, sizeof text);
    }
    wait->us += (double)late->wait_ns / 1e3;
    return 0;
}

int write_late(const char *directory, const struct plan *plan, const struct verdicts *verdicts,
               const struct late_names *names, struct cluster_worst *ret, struct err *err)
{
    struct outfile out;
    int status = write_open(&out, directory, "late_collectives.csv",
                            "Step,Group,Group Name,Operator,Ranks,Arrived Last,Arrived First,Transmit(us),"
                            "Mean Duration(us),Longest Duration(us),Longest Wait(us),All Waited(us),Outlier\n",
                            err);
    for (size_t i = 0; status == 0 && i < verdicts->late_count; i++) {
        const char *name = i < names->count ? names->items[i] : NULL;
        write_late_row(&out, plan, &verdicts->late[i], name != NULL ? name : "");
        ret->late++;
        if (keep_wait(ret, plan->steps.items[verdicts->late[i].step], &verdicts->late[i], err) < 0) {
            outfile_abort(&out);
            return err_status(err);
        }
    }
    return status == 0 ? outfile_commit(&out, err) : status;
}

/* ---- links ---- */

int link_sums_add(struct link_sums *sums, const struct merged_block *block, struct err *err)
{
    const struct merged_link *link = NULL;
    if (sums->links.item_size == 0)
        sums->links = (struct map)MAP_OF(struct cluster_link, key);
    while ((link = map_next(&block->links, link)) != NULL) {
        if (link->key.source == link->key.target)
            continue; /* a copy on the rank itself */
        const struct interned *transport = &block->texts.items[link->transport];
        struct cluster_link wanted = {.key = {link->key.source, link->key.target, 0}};
        uint32_t number;
        if (intern_add(&sums->transports, transport->bytes, transport->length, &number, err) < 0)
            return err_status(err);
        wanted.key.transport = number;
        struct cluster_link *sum = map_add(&sums->links, &wanted.key, NULL, err);
        if (sum == NULL)
            return err_status(err);
        sum->bytes = number_add(sum->bytes, link->bytes);
        sum->ns = number_add(sum->ns, link->ns);
        sum->reports += link->reports;
    }
    return 0;
}

void link_sums_release(struct link_sums *sums)
{
    map_release(&sums->links);
    intern_release(&sums->transports);
}

/* The usual speed of a transport: the middle of its links' bandwidths, and how far they usually are from it (the median
 * of the distances, as a normal distribution's deviation): few links do not hide a slow one in their mean. */
struct class
{
    double median, deviation;
    size_t count; /* of those that are judged */
};

/* Fewer bytes show the latency of a transfer, not the bandwidth. */
#define LEAST_BYTES 1000000

static bool is_judged(const struct cluster_link *link)
{
    return link->ns > 0 && link->bytes >= LEAST_BYTES;
}

static int64_t bandwidth_of(const struct cluster_link *link)
{
    return number_ratio(link->bytes, link->ns, GB);
}

static int judge_class(const struct link_sums *sums, int64_t transport, struct class *ret, struct err *err)
{
    const struct cluster_link *link = NULL;
    double *values = calloc(sums->links.used + 1, sizeof *values);
    if (values == NULL)
        return err_no_memory(err);
    while ((link = map_next(&sums->links, link)) != NULL) {
        if (link->key.transport == transport && is_judged(link))
            values[ret->count++] = (double)bandwidth_of(link);
    }
    ret->median = statistics_numbers_median(values, ret->count);
    for (size_t i = 0; i < ret->count; i++)
        values[i] = fabs(values[i] - ret->median);
    ret->deviation = fmax(1.4826 * statistics_numbers_median(values, ret->count), 0.01 * ret->median);
    free(values);
    return 0;
}

/* How far below its class a link is, in parts of the middle; those that are not judged come last. */
static double shortfall(const struct cluster_link *link, const struct class *class)
{
    if (!is_judged(link))
        return -INFINITY;
    return class->median > 0 ? 1 - (double)bandwidth_of(link) / class->median : 0;
}

struct judged {
    const struct cluster_link *link;
    const struct class *class;
    double shortfall;
};

ARRAY_COMPARE(by_shortfall, struct judged, ARRAY_BY_MOST(shortfall), ARRAY_BY(link->key.source),
              ARRAY_BY(link->key.target), ARRAY_BY(link->key.transport))

#define SLOW_LINKS 1000 /* that are listed */
#define SPREAD 0.05     /* below the middle of its class before a link is called slow */
#define DEVIATIONS 3    /* and so many */

static void write_link(struct outfile *out, const struct link_sums *sums, const struct judged *judged,
                       struct cluster_worst *ret)
{
    const struct cluster_link *link = judged->link;
    const struct class *class = judged->class;
    int64_t bandwidth = bandwidth_of(link);
    ret->links++;
    if (!is_judged(link)) {
        csv_row(out, INTEGER(link->key.source), INTEGER(link->key.target),
                TEXT(sums->transports.items[link->key.transport].bytes), DECIMAL(link->bytes, 6), DECIMAL(link->ns, 6),
                DECIMAL(bandwidth, GB), DECIMAL(number_rounded(class->median), GB), TEXT(NOT_KNOWN), TEXT(NOT_KNOWN),
                INTEGER((int64_t) class->count), TEXT(NOT_KNOWN));
        return;
    }
    bool slow = class->count >= 3 && judged->shortfall > SPREAD &&
                (double)bandwidth < class->median - DEVIATIONS * class->deviation;
    const int64_t median = number_rounded(class->median), below = number_rounded(judged->shortfall * 10000);
    if (ret->judged_links++ == 0) {
        ret->link.source = link->key.source;
        ret->link.target = link->key.target;
        snprintf(ret->link.transport, sizeof ret->link.transport, "%s",
                 sums->transports.items[link->key.transport].bytes);
        utf8_mask(ret->link.transport);
        ret->link.bandwidth = (double)bandwidth / 1e4;
        ret->link.median = (double)median / 1e4;
        ret->link.below = (double)below / 1e2;
        ret->link.slow = slow;
    }
    const double deviations = class->deviation > 0 ? ((double)bandwidth - class->median) / class->deviation * 100 : 0;
    csv_row(out, INTEGER(link->key.source), INTEGER(link->key.target),
            TEXT(sums->transports.items[link->key.transport].bytes), DECIMAL(link->bytes, 6), DECIMAL(link->ns, 6),
            DECIMAL(bandwidth, GB), DECIMAL(median, GB), DECIMAL(below, 2), DECIMAL(number_rounded(deviations), 2),
            INTEGER((int64_t) class->count), TEXT(slow ? "yes" : "no"));
}

int write_slow_links(const char *directory, const struct link_sums *sums, struct cluster_worst *ret, struct err *err)
{
    struct outfile out;
    size_t transports = sums->transports.count, count = 0;
    struct class *classes = calloc(transports + 1, sizeof *classes);
    struct judged *links = calloc(sums->links.used + 1, sizeof *links);
    const struct cluster_link *link = NULL;
    bool failed = !(classes != NULL && links != NULL) && err_no_memory(err) < 0;
    for (size_t i = 0; !failed && i < transports; i++)
        failed = judge_class(sums, (int64_t)i, &classes[i], err) < 0;
    while (!failed && (link = map_next(&sums->links, link)) != NULL)
        if (link->ns > 0)
            links[count++] =
                (struct judged){link, &classes[link->key.transport], shortfall(link, &classes[link->key.transport])};
    array_sort(links, count, sizeof *links, by_shortfall);
    failed =
        failed ||
        write_open(&out, directory, "slow_links.csv",
                   "Source Rank,Target Rank,Transport Type,Transit Size(MB),Transit Time(ms),"
                   "Bandwidth(GB/s),Median of Transport(GB/s),Below Median(%),Deviations,Links of Transport,Slow\n",
                   err) < 0;
    for (size_t i = 0; !failed && i < count && i < SLOW_LINKS; i++)
        write_link(&out, sums, &links[i], ret);
    free(classes);
    free(links);
    return failed ? err_status(err) : outfile_commit(&out, err);
}

/* ---- computing ---- */

/* The median of a rank's steps, or of a stage's ranks, not rounded; -1: not known. */
struct computing {
    const char *type;
    int64_t index, steps;
    size_t stage; /* place among the stages; SIZE_MAX: of none */
    double ns;
    double others_ns; /* the median of the others: of its stage, of a stage's of the other stages */
    double free_ns;   /* of a rank, while it neither computes nor communicates; negative: not known */
    double others_free_ns;
    double bubble_ns,
        exposed_ns; /* of a rank: while it receives from other stages; communication that nothing covers */
};

ARRAY_COMPARE(by_computing, struct computing, array_order(*right->type, *left->type), ARRAY_BY_MOST(ns),
              ARRAY_BY(index))

/* So much more than the others computes a rank, or a stage, that is slow. */
#define SLOW_COMPUTING 0.2

/* So much more of a step of the others is free on a rank whose host holds it up. */
#define MUCH_FREE 0.05

static bool is_free(const struct computing *it)
{
    return it->others_free_ns >= 0 && it->free_ns >= 0 &&
           it->free_ns - it->others_free_ns > MUCH_FREE * (it->others_ns + it->others_free_ns);
}

static double above(const struct computing *it)
{
    return it->others_ns > 0 ? it->ns / it->others_ns - 1 : 0;
}

/* The median of those that it is compared with; values: room for all. */
static void compare_with_others(struct computing *items, size_t count, struct computing *it, double *values)
{
    for (int of_free = 0; of_free < 2; of_free++) {
        size_t n = 0;
        for (size_t i = 0; i < count; i++)
            if (&items[i] != it && items[i].type == it->type && (*it->type == 's' || items[i].stage == it->stage) &&
                (of_free == 0 || items[i].free_ns >= 0))
                values[n++] = of_free == 0 ? items[i].ns : items[i].free_ns;
        if (of_free == 0)
            it->others_ns = n > 0 ? statistics_numbers_median(values, n) : 0;
        else
            it->others_free_ns = n > 0 ? statistics_numbers_median(values, n) : -1;
    }
}

static double median_of_steps(const struct plan *plan, const struct aggregate *rank, const char *title, int64_t *values,
                              int64_t *ret_steps)
{
    const size_t column = aggregate_column(rank, title);
    size_t n = 0;

    for (size_t i = 0; column < rank->column_count && i < rank->step_count; i++)
        if (plan_wants_step(plan, aggregate_text(rank, rank->steps[i].name)) && rank->steps[i].ns[column] >= 0)
            values[n++] = rank->steps[i].ns[column];
    statistics_sort(values, n);
    *ret_steps = (int64_t)n;
    return n > 0 ? statistics_median(values, n) : -1;
}

/* The median of the ranks of a stage. */
static struct computing computing_of_stage(const struct computing *ranks, size_t count, size_t stage, double *values)
{
    struct computing ret = {
        .type = "stage", .index = (int64_t)stage, .stage = stage, .ns = -1, .free_ns = -1, .bubble_ns = -1};
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (ranks[i].stage == stage)
            values[n++] = ranks[i].ns;
    ret.steps = n > 0 ? ranks[0].steps : 0;
    if (n > 0)
        ret.ns = statistics_numbers_median(values, n);
    return ret;
}

/* Whether a rank's time is one step without a name, as of captures that no framework divides. */
static bool is_unstepped(const struct aggregate *rank)
{
    return rank->step_count == 1 && aggregate_text(rank, rank->steps[0].name)[0] == '\0';
}

/* The ranks whose computing is known, then their stages. */
static int gather_computing(const struct plan *plan, const struct stages *stages, struct computing *items,
                            size_t *ret_count, struct err *err)
{
    size_t most = plan->rank_count + 1, ranks = 0, count;
    int64_t parallel[4] = {0};

    stages_parallel(plan, parallel);
    for (size_t i = 0; i < plan->rank_count; i++)
        most = plan->ranks[i].step_count > most ? plan->ranks[i].step_count : most;
    SCOPED_FREE int64_t *values = scoped_memory(most, sizeof *values);
    SCOPED_FREE double *others = scoped_memory(most + stages->count + plan->rank_count, sizeof *others);
    if (values == NULL || others == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < plan->rank_count; i++) {
        struct computing *it = &items[ranks];
        *it = (struct computing){.type = "rank",
                                 .index = plan->ranks[i].rank,
                                 .stage = stages_of_rank(stages, parallel, plan->ranks[i].rank)};
        int64_t steps;
        it->free_ns = median_of_steps(plan, &plan->ranks[i], "Free", values, &steps);
        it->bubble_ns = median_of_steps(plan, &plan->ranks[i], "Bubble", values, &steps);
        it->exposed_ns = median_of_steps(plan, &plan->ranks[i], "Communication(Not Overlapped)", values, &steps);
        it->ns = median_of_steps(plan, &plan->ranks[i], "Computing", values, &it->steps);
        ranks += it->ns >= 0;
    }
    count = ranks;
    const size_t stage_count = stages->count > 0 ? stages->count : (size_t)parallel[1];
    for (size_t i = 0; i < stage_count && stage_count <= plan->rank_count; i++) {
        items[count] = computing_of_stage(items, ranks, i, others);
        count += items[count].ns >= 0;
    }
    for (size_t i = 0; i < count; i++)
        compare_with_others(items, count, &items[i], others);
    *ret_count = count;
    return 0;
}

static void keep_slow(const struct computing *it, struct cluster_computing *ret)
{
    if (ret->known++ > 0 || it->others_ns <= 0)
        return;
    ret->index = it->index;
    ret->ms = it->ns / 1e6;
    ret->others_ms = it->others_ns / 1e6;
    ret->slow = above(it) > SLOW_COMPUTING;
}

/* The rank whose free time is furthest above that of the others. */
static void keep_free(const struct computing *it, struct cluster_computing *ret)
{
    const double more_ms = (it->free_ns - it->others_free_ns) / 1e6;

    if (it->free_ns < 0 || it->others_free_ns < 0 || (ret->known++ > 0 && more_ms <= ret->ms - ret->others_ms))
        return;
    ret->index = it->index;
    ret->ms = it->free_ns / 1e6;
    ret->others_ms = it->others_free_ns / 1e6;
    ret->slow = is_free(it);
}

/* The rank with the largest bubble; slow: it is more of its step than counts. */
static void keep_bubble(const struct computing *it, struct cluster_computing *ret)
{
    const double step_ms = (it->ns + it->exposed_ns + it->free_ns) / 1e6;
    const double ms = it->bubble_ns / 1e6;

    if (it->bubble_ns < 0 || it->exposed_ns < 0 || it->free_ns < 0 || (ret->known++ > 0 && ms <= ret->ms))
        return;
    ret->index = it->index;
    ret->ms = ms;
    ret->others_ms = step_ms;
    ret->slow = ms > MUCH_FREE * step_ms;
}

int write_slow_computing(const char *directory, const struct plan *plan, struct cluster_worst *ret, struct err *err)
{
    SCOPED(stages_release) struct stages stages;
    struct outfile out;
    size_t count = 0;

    if (stages_find(&stages, plan, err) < 0)
        return err_status(err);
    SCOPED_FREE struct computing *items = scoped_memory(2 * plan->rank_count + stages.count + 1, sizeof *items);
    if (items == NULL)
        return err_no_memory(err);
    if (gather_computing(plan, &stages, items, &count, err) < 0 ||
        write_open(&out, directory, "slow_computing.csv",
                   "Type,Index,Stage,Steps,Computing(us),Others(us),Above(%),Slow,Free(us),Others Free(us),"
                   "Slow by Free,Bubble(us)\n",
                   err) < 0)
        return err_status(err);
    ret->unstepped = plan->rank_count > 0;
    for (size_t i = 0; i < plan->rank_count; i++)
        ret->unstepped = ret->unstepped && is_unstepped(&plan->ranks[i]);
    array_sort(items, count, sizeof *items, by_computing);
    for (size_t i = 0; i < count; i++) {
        const struct computing *it = &items[i];
        const bool known = it->others_ns > 0, staged = it->stage != SIZE_MAX;
        const bool free_known = it->free_ns >= 0 && it->others_free_ns >= 0;
        keep_slow(it, *it->type == 's' ? &ret->stage : &ret->computing);
        keep_free(it, &ret->free);
        keep_bubble(it, &ret->bubble);
        csv_row(&out, TEXT(it->type), INTEGER(it->index), staged ? INTEGER((int64_t)it->stage) : TEXT(NOT_KNOWN),
                INTEGER(it->steps), DECIMAL(number_rounded(it->ns), US),
                known ? DECIMAL(number_rounded(it->others_ns), US) : TEXT(NOT_KNOWN),
                known ? DECIMAL(number_rounded(above(it) * 10000), PERCENT) : TEXT(NOT_KNOWN),
                TEXT(!known                       ? NOT_KNOWN
                     : above(it) > SLOW_COMPUTING ? "yes"
                                                  : "no"),
                it->free_ns >= 0 ? DECIMAL(number_rounded(it->free_ns), US) : TEXT(NOT_KNOWN),
                free_known ? DECIMAL(number_rounded(it->others_free_ns), US) : TEXT(NOT_KNOWN),
                TEXT(!free_known   ? NOT_KNOWN
                     : is_free(it) ? "yes"
                                   : "no"),
                it->bubble_ns >= 0 ? DECIMAL(number_rounded(it->bubble_ns), US) : TEXT(NOT_KNOWN));
    }
    return outfile_commit(&out, err);
}

/* ---- clocks ---- */

int write_clocks(const char *directory, const struct rank_clock *ranks, size_t count, struct err *err)
{
    struct outfile out;
    if (write_open(&out, directory, "clock_alignment.csv",
                   "Rank,Host,Clock,Shift(us),Error(us),Collectives,Compared With,Anchor\n", err) < 0)
        return err_status(err);
    for (const struct rank_clock *rank = ranks; rank < ranks + count; rank++)
        csv_row(&out, INTEGER(rank->rank), TEXT(rank->host), INTEGER(rank->clock), DECIMAL(rank->shift_ns, US),
                DECIMAL(rank->error_ns, US), INTEGER(rank->collectives),
                rank->compared_with >= 0 ? INTEGER(rank->compared_with) : TEXT(""), INTEGER(rank->anchor));
    return outfile_commit(&out, err);
}
