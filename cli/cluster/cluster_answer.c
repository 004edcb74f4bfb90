/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/cluster_answer.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_LISTED 8
/* A rank stands out that is an outlier in so many of its collectives, or comes last in so many. */
#define OUTLIERS 0.05
#define MOSTLY 0.5

static int by_step(const void *a, const void *b)
{
    const struct step_wait *x = a, *y = b;
    int order = strverscmp(x->step, y->step);

    return order != 0 ? order : array_order(x->rank, y->rank);
}

static bool is_longest(const struct cluster_worst *worst, const struct step_wait *item)
{
    for (size_t i = 0; i < worst->waits.count; i++)
        if (worst->waits.items[i].us > item->us && strcmp(worst->waits.items[i].step, item->step) == 0)
            return false;
    return true;
}

static size_t steps_of(const struct cluster_worst *worst)
{
    size_t steps = 0;

    for (size_t i = 0; i < worst->waits.count; i++) {
        bool known = false;
        for (size_t k = 0; k < i && !known; k++)
            known = strcmp(worst->waits.items[k].step, worst->waits.items[i].step) == 0;
        steps += !known;
    }
    return steps;
}

/* In which steps it was the one that was waited for longest. */
static void put_steps(const struct cluster_worst *worst, FILE *stream)
{
    size_t slow = 0, steps = steps_of(worst);
    const char *before = "  in the steps ";

    for (size_t i = 0; i < worst->waits.count; i++) {
        const struct step_wait *item = &worst->waits.items[i];
        if (item->rank != worst->rank || !is_longest(worst, item))
            continue;
        if (slow++ < STEPS_LISTED) {
            fprintf(stream, "%s%s (%.3f ms)", before, item->step, item->us / 1e3);
            before = ", ";
        }
    }
    if (slow > STEPS_LISTED)
        fprintf(stream, " and %zu more", slow - STEPS_LISTED);
    if (slow == 0)
        return;
    fprintf(stream, "\n  It was the slowest in %zu of %zu steps: %s.\n", slow, steps,
            steps == 1         ? "one step does not tell whether it recurs"
            : slow * 2 > steps ? "it recurs"
            : slow > 1         ? "it recurs now and then"
                               : "it does not recur");
}

static void put_rank(const struct cluster_worst *worst, FILE *stream)
{
    const struct rank_verdict *rank = &worst->verdict;
    const double collectives = (double)rank->collectives,
                 share = collectives > 0 ? (double)rank->last / collectives : 0;

    if (worst->ranks == 0) {
        fputs("Slowest rank: not judged; no collective was recorded by all ranks of its group.\n", stream);
        return;
    }
    bool stands_out = (double)rank->votes > OUTLIERS * collectives || share > MOSTLY;
    fprintf(stream, "Slowest rank: %s%" PRId64 "\n", stands_out ? "" : "none stands out; most was waited for ",
            worst->rank);
    fprintf(stream,
            "  The others waited %.3f ms for it; it came last in %" PRId64 " of its %" PRId64
            " collectives (%.1f %%).\n",
            (double)rank->caused_ns / 1e3 / 1e3, rank->last, rank->collectives, 100 * share);
    if (stands_out)
        put_steps(worst, stream);
}

static void put_link(const struct cluster_worst *worst, FILE *stream)
{
    if (worst->links == 0) {
        fputs("Worst link: not judged; no transfer between two ranks was recorded.\n", stream);
        return;
    }
    fprintf(stream,
            "Worst link: %s%" PRId64 " -> %" PRId64
            " (%s): %.3f GB/s, %.1f %% below the median of its kind (%.3f GB/s)\n",
            worst->link.slow ? "" : "none stands out; ", worst->link.source, worst->link.target, worst->link.transport,
            worst->link.bandwidth, worst->link.below, worst->link.median);
}

void cluster_answer_print(struct cluster_result *result, FILE *stream)
{
    struct cluster_worst *worst = &result->worst;

    array_sort(worst->waits.items, worst->waits.count, sizeof *worst->waits.items, by_step);
    put_rank(worst, stream);
    put_link(worst, stream);
    if (result->incomplete > 0)
        fprintf(stream,
                "Not judged: %" PRId64 " of %" PRId64 " collectives, because ranks of their groups are missing.\n",
                result->incomplete, result->incomplete + result->collectives);
    if (worst->late > 0 && result->collectives > (int64_t)worst->late)
        fprintf(stream, "Steps are those of the %zu collectives that were waited for longest.\n", worst->late);
}
