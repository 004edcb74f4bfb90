/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/cluster_answer.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/csv_in.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 200
#define STEPS_LISTED 8
/* A rank stands out that is an outlier in so many of its collectives, or comes last in so many. */
#define OUTLIERS 0.05
#define MOSTLY 0.5

/* A row of slow_ranks.csv or slow_links.csv: the first is the worst. */
struct worst_rank {
    char rank[TEXT_MAX];
    double collectives, last, waited, votes;
};

struct worst_link {
    char source[TEXT_MAX], target[TEXT_MAX], transport[TEXT_MAX], slow[TEXT_MAX];
    double bandwidth, median, below;
};

/* How long ranks of a step waited for one of them. */
struct step_wait {
    char step[TEXT_MAX], rank[TEXT_MAX];
    double waited;
};

struct answer {
    struct worst_rank rank;
    struct worst_link link;
    size_t ranks, links, late;
    struct step_wait *items;
    size_t count, capacity;
};

/* A table's row: titles are looked for once, by name. */
struct reading {
    struct answer *answer;
    const char *const *wanted; /* ended by NULL */
    int (*take)(struct answer *answer, const char *const *values, struct err *err);
    size_t places[8];
};

static int read_row(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    struct reading *reading = arg;
    const char *values[8] = {""};

    for (size_t i = 0; reading->wanted[i] != NULL; i++) {
        if (number == 1) {
            reading->places[i] = SIZE_MAX;
            for (size_t k = 0; k < count; k++)
                if (strcmp(fields[k], reading->wanted[i]) == 0)
                    reading->places[i] = k;
        }
        values[i] = reading->places[i] < count ? fields[reading->places[i]] : "";
    }
    return number > 1 ? reading->take(reading->answer, values, err) : 0;
}

static void copy(char target[TEXT_MAX], const char *text)
{
    snprintf(target, TEXT_MAX, "%s", text);
    utf8_mask(target);
}

static double real(const char *text)
{
    return strtod(text, NULL);
}

static const char *const rank_titles[] = {"Rank",          "Collectives", "Arrived Last", "Others Waited(us)",
                                          "Outlier Votes", NULL};

static int take_rank(struct answer *answer, const char *const *values, struct err *err)
{
    (void)err;
    if (answer->ranks++ > 0)
        return 0;
    copy(answer->rank.rank, values[0]);
    answer->rank.collectives = real(values[1]);
    answer->rank.last = real(values[2]);
    answer->rank.waited = real(values[3]);
    answer->rank.votes = real(values[4]);
    return 0;
}

static const char *const link_titles[] = {
    "Source Rank", "Target Rank", "Transport Type", "Bandwidth(GB/s)", "Median of Transport(GB/s)", "Below Median(%)",
    "Slow",        NULL};

static int take_link(struct answer *answer, const char *const *values, struct err *err)
{
    struct worst_link *link = &answer->link;

    (void)err;
    if (answer->links++ > 0)
        return 0;
    copy(link->source, values[0]);
    copy(link->target, values[1]);
    copy(link->transport, values[2]);
    link->bandwidth = real(values[3]);
    link->median = real(values[4]);
    link->below = real(values[5]);
    copy(link->slow, values[6]);
    return 0;
}

static const char *const late_titles[] = {"Step", "Arrived Last", "All Waited(us)", NULL};

static int take_late(struct answer *answer, const char *const *values, struct err *err)
{
    answer->late++;
    for (size_t i = 0; i < answer->count; i++)
        if (strcmp(answer->items[i].step, values[0]) == 0 && strcmp(answer->items[i].rank, values[1]) == 0) {
            answer->items[i].waited += real(values[2]);
            return 0;
        }
    if (array_reserve(answer, 1, err) < 0)
        return -(int)err->code;
    struct step_wait *item = &answer->items[answer->count++];
    copy(item->step, values[0]);
    copy(item->rank, values[1]);
    item->waited = real(values[2]);
    return 0;
}

static int read_table(struct answer *answer, const char *directory, const char *name, const char *const *wanted,
                      int (*take)(struct answer *answer, const char *const *values, struct err *err), struct err *err)
{
    struct reading reading = {.answer = answer, .wanted = wanted, .take = take};
    char *path = path_join(directory, name);
    int status = path != NULL ? csv_read(path, read_row, &reading, err) : err_no_memory(err);

    free(path);
    return status;
}

/* ---- what it says ---- */

static int by_step(const void *a, const void *b)
{
    const struct step_wait *x = a, *y = b;
    int order = strverscmp(x->step, y->step);

    return order != 0 ? order : strverscmp(x->rank, y->rank);
}

static bool is_longest(const struct answer *answer, const struct step_wait *item)
{
    for (size_t i = 0; i < answer->count; i++)
        if (answer->items[i].waited > item->waited && strcmp(answer->items[i].step, item->step) == 0)
            return false;
    return true;
}

static size_t steps_of(const struct answer *answer)
{
    size_t steps = 0;

    for (size_t i = 0; i < answer->count; i++) {
        bool known = false;
        for (size_t k = 0; k < i && !known; k++)
            known = strcmp(answer->items[k].step, answer->items[i].step) == 0;
        steps += !known;
    }
    return steps;
}

/* In which steps it was the one that was waited for longest. */
static void put_steps(const struct answer *answer, FILE *stream)
{
    size_t slow = 0, steps = steps_of(answer);
    const char *before = "  in the steps ";

    for (size_t i = 0; i < answer->count; i++) {
        const struct step_wait *item = &answer->items[i];
        if (strcmp(item->rank, answer->rank.rank) != 0 || !is_longest(answer, item))
            continue;
        if (slow++ < STEPS_LISTED) {
            fprintf(stream, "%s%s (%.3f ms)", before, item->step, item->waited / 1e3);
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

static void put_rank(const struct answer *answer, FILE *stream)
{
    const struct worst_rank *rank = &answer->rank;
    double share = rank->collectives > 0 ? rank->last / rank->collectives : 0;

    if (answer->ranks == 0) {
        fputs("Slowest rank: not judged; no collective was recorded by all ranks of its group.\n", stream);
        return;
    }
    bool stands_out = rank->votes > OUTLIERS * rank->collectives || share > MOSTLY;
    fprintf(stream, "Slowest rank: %s%s\n", stands_out ? "" : "none stands out; most was waited for ", rank->rank);
    fprintf(stream, "  The others waited %.3f ms for it; it came last in %.0f of its %.0f collectives (%.1f %%).\n",
            rank->waited / 1e3, rank->last, rank->collectives, 100 * share);
    if (stands_out)
        put_steps(answer, stream);
}

static void put_link(const struct answer *answer, FILE *stream)
{
    const struct worst_link *link = &answer->link;

    if (answer->links == 0) {
        fputs("Worst link: not judged; no transfer between two ranks was recorded.\n", stream);
        return;
    }
    fprintf(stream, "Worst link: %s%s -> %s (%s): %.3f GB/s, %.1f %% below the median of its kind (%.3f GB/s)\n",
            strcmp(link->slow, "yes") == 0 ? "" : "none stands out; ", link->source, link->target, link->transport,
            link->bandwidth, link->below, link->median);
}

static void put_limits(const struct answer *answer, const struct cluster_result *result, FILE *stream)
{
    if (result->incomplete > 0)
        fprintf(stream,
                "Not judged: %" PRId64 " of %" PRId64 " collectives, because ranks of their groups are missing.\n",
                result->incomplete, result->incomplete + result->collectives);
    if (answer->late > 0 && result->collectives > (int64_t)answer->late)
        fprintf(stream, "Steps are those of the %zu collectives that were waited for longest.\n", answer->late);
}

int cluster_answer_print(const char *directory, const struct cluster_result *result, FILE *stream, struct err *err)
{
    struct answer answer = {.items = NULL};
    bool failed = read_table(&answer, directory, "slow_ranks.csv", rank_titles, take_rank, err) < 0 ||
                  read_table(&answer, directory, "late_collectives.csv", late_titles, take_late, err) < 0 ||
                  read_table(&answer, directory, "slow_links.csv", link_titles, take_link, err) < 0;

    if (!failed) {
        array_sort(answer.items, answer.count, sizeof *answer.items, by_step);
        put_rank(&answer, stream);
        put_link(&answer, stream);
        put_limits(&answer, result, stream);
    }
    free(answer.items);
    return failed ? -(int)err->code : 0;
}
