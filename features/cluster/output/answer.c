/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/output/answer.h"

#include "base/array.h"
#include "base/language.h"

#include <inttypes.h>
#include <string.h>

#define STEPS_LISTED 8

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
    const char *before = language_shown("  in the steps ");

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
        language_print(stream, " and %zu more", slow - STEPS_LISTED);
    if (slow == 0)
        return;
    language_print(stream,
                   steps == 1
                       ? "\n  It was the slowest in %zu of %zu steps: one step does not show whether it recurs.\n"
                   : slow * 2 > steps ? "\n  It was the slowest in %zu of %zu steps: it recurs.\n"
                   : slow > 1         ? "\n  It was the slowest in %zu of %zu steps: it recurs now and then.\n"
                                      : "\n  It was the slowest in %zu of %zu steps: it does not recur.\n",
                   slow, steps);
}

static double last_share(const struct rank_verdict *rank)
{
    return rank->collectives > 0 ? (double)rank->last / (double)rank->collectives : 0;
}

static void put_rank(const struct cluster_worst *worst, FILE *stream)
{
    const struct rank_verdict *rank = &worst->verdict;

    if (worst->ranks == 0) {
        language_print(stream, "Slowest rank: not judged; no collective was recorded by all ranks of its group.\n");
        return;
    }
    const bool stands_out = verdict_stands_out(rank);
    language_print(stream,
                   stands_out ? "Slowest rank: %" PRId64 "\n"
                              : "Slowest rank: none stands out; most was waited for %" PRId64 "\n",
                   worst->rank);
    language_print(stream,
                   "  The others waited %.3f ms for it; it came last in %" PRId64 " of its %" PRId64
                   " collectives (%.1f %%).\n",
                   (double)rank->caused_ns / 1e3 / 1e3, rank->last, rank->collectives, 100 * last_share(rank));
    if (stands_out && worst->unstepped)
        language_print(stream, "  The captures are not divided into steps: nothing shows whether it recurs.\n");
    else if (stands_out)
        put_steps(worst, stream);
}

static void put_link(const struct cluster_worst *worst, FILE *stream)
{
    if (worst->judged_links == 0) {
        language_print(stream, worst->links > 0
                                   ? "Worst link: not judged; no link moved 1 MB, the minimum to judge bandwidth.\n"
                                   : "Worst link: not judged; no transfer between two ranks was recorded.\n");
        return;
    }
    language_print(stream,
                   worst->link.slow ? "Worst link: %" PRId64 " -> %" PRId64
                                      " (%s): %.3f GB/s, %.1f %% below the median of its kind (%.3f GB/s)\n"
                                    : "Worst link: none stands out; %" PRId64 " -> %" PRId64
                                      " (%s): %.3f GB/s, %.1f %% below the median of its kind (%.3f GB/s)\n",
                   worst->link.source, worst->link.target, worst->link.transport, worst->link.bandwidth,
                   worst->link.below, worst->link.median);
}

static const char *of_step(const struct cluster_worst *worst)
{
    return language_shown(worst->unstepped ? "in all" : "a step");
}

static void put_computing(const struct cluster_worst *worst, FILE *stream)
{
    const struct cluster_computing *it = &worst->computing;

    if (it->known < 2)
        return;
    if (!it->slow)
        language_print(stream, "Computing: no rank stands out; the longest is that of %" PRId64 ", %.3f ms %s.\n",
                       it->index, it->ms, of_step(worst));
    else
        language_print(stream,
                       worst->stage.known > 0
                           ? "Computing: rank %" PRId64
                             " takes %.3f ms %s, %.1f %% more than the others of its stage (%.3f ms)\n"
                           : "Computing: rank %" PRId64 " takes %.3f ms %s, %.1f %% more than the others (%.3f ms)\n",
                       it->index, it->ms, of_step(worst), 100 * (it->ms / it->others_ms - 1), it->others_ms);
}

static void put_stage(const struct cluster_worst *worst, FILE *stream)
{
    const struct cluster_computing *it = &worst->stage;

    if (it->known < 2)
        return;
    if (!it->slow)
        language_print(stream, "Computing: no stage stands out; the longest is that of %" PRId64 ", %.3f ms %s.\n",
                       it->index, it->ms, of_step(worst));
    else
        language_print(stream,
                       "Computing: stage %" PRId64 " takes %.3f ms %s, %.1f %% more than the others (%.3f ms)\n",
                       it->index, it->ms, of_step(worst), 100 * (it->ms / it->others_ms - 1), it->others_ms);
}

static void put_free(const struct cluster_worst *worst, FILE *stream)
{
    const struct cluster_computing *it = &worst->free;

    if (it->known > 0 && it->slow)
        language_print(
            stream, "Free: rank %" PRId64 " is idle for %.3f ms %s, %.3f ms more than the others: its host delays it\n",
            it->index, it->ms, language_shown(worst->unstepped ? "in all" : "per step"), it->ms - it->others_ms);
}

static void put_bubble(const struct cluster_worst *worst, FILE *stream)
{
    const struct cluster_computing *it = &worst->bubble;

    if (it->known > 0 && it->slow)
        language_print(stream,
                       "Bubble: rank %" PRId64 " waits %.3f ms %s to receive from other stages, %.1f %% of its %s\n",
                       it->index, it->ms, of_step(worst), it->others_ms > 0 ? 100 * it->ms / it->others_ms : 0,
                       language_shown(worst->unstepped ? "time" : "step"));
}

void cluster_answer_print(struct cluster_result *result, FILE *stream)
{
    struct cluster_worst *worst = &result->worst;

    array_sort(worst->waits.items, worst->waits.count, sizeof *worst->waits.items, by_step);
    put_rank(worst, stream);
    put_link(worst, stream);
    put_computing(worst, stream);
    put_stage(worst, stream);
    put_free(worst, stream);
    put_bubble(worst, stream);
    if (worst->groups_of_two > 0)
        language_print(stream,
                       "Not judged: sends and receives of %" PRId64 " groups; no rank waits there for all others.\n",
                       worst->groups_of_two);
    if (result->incomplete > 0)
        language_print(
            stream, "Not judged: %" PRId64 " of %" PRId64 " collectives, because ranks of their groups are missing.\n",
            result->incomplete, result->incomplete + result->collectives);
    if (worst->late > 0 && result->collectives > (int64_t)worst->late)
        language_print(stream, "Steps are those of the %zu collectives that were waited for longest.\n", worst->late);
}

/* ---- as a document: msprof.cluster/1 ---- */

static void put_json_steps(struct json_out *json, const struct cluster_worst *worst)
{
    json_put_begin(json, "steps", '[');
    for (size_t i = 0; i < worst->waits.count; i++) {
        const struct step_wait *item = &worst->waits.items[i];
        if (item->rank == worst->rank && is_longest(worst, item))
            json_put_object(json, NULL, JSON_TEXT("step", item->step), JSON_FIXED("waited_us", item->us));
    }
    json_put_end(json, ']');
    json_put_members(json, JSON_INTEGER("steps_judged", steps_of(worst)),
                     JSON_INTEGER("steps_from_collectives", worst->late));
}

static void put_json_rank(struct json_out *json, const struct cluster_worst *worst)
{
    const struct rank_verdict *rank = &worst->verdict;
    if (worst->ranks == 0) {
        json_put_text(json, "slowest_rank", NULL);
        return;
    }
    json_put_begin(json, "slowest_rank", '{');
    json_put_members(json, JSON_INTEGER("rank", worst->rank), JSON_BOOL("stands_out", verdict_stands_out(rank)),
                     JSON_US("others_waited_us", rank->caused_ns), JSON_INTEGER("came_last", rank->last),
                     JSON_INTEGER("collectives", rank->collectives));
    put_json_steps(json, worst);
    json_put_end(json, '}');
}

static void put_json_link(struct json_out *json, const struct cluster_worst *worst)
{
    if (worst->judged_links == 0) {
        json_put_text(json, "worst_link", NULL);
        return;
    }
    json_put_object(json, "worst_link", JSON_INTEGER("from", worst->link.source),
                    JSON_INTEGER("to", worst->link.target), JSON_TEXT("transport", worst->link.transport),
                    JSON_BOOL("stands_out", worst->link.slow), JSON_FIXED("gb_per_s", worst->link.bandwidth),
                    JSON_FIXED("median_gb_per_s", worst->link.median), JSON_FIXED("below_percent", worst->link.below));
}

/* others: the key of what it is compared with. least: so many of them must be known. */
static void put_json_part(struct json_out *json, const char *key, const struct cluster_computing *it, const char *index,
                          const char *others, size_t least)
{
    if (it->known < least) {
        json_put_text(json, key, NULL);
        return;
    }
    json_put_object(json, key, JSON_INTEGER(index, it->index), JSON_BOOL("stands_out", it->slow),
                    JSON_FIXED("ms", it->ms), JSON_FIXED(others, it->others_ms));
}

void cluster_answer_put_problems(struct json_out *json, const struct diagnostics *diag)
{
    json_put_begin(json, "problems", '[');
    for (size_t i = 0; i < diag->count; i++) {
        const struct diag_entry *entry = &diag->entries[i];
        const struct diag_info *info = diag_info(entry->id);
        if (info->severity != DIAG_NOTE)
            json_put_object(json, NULL, JSON_TEXT("id", info->id), JSON_TEXT("file", entry->file),
                            JSON_TEXT("message", entry->kept > 0 ? entry->texts[0] : info->meaning),
                            JSON_INTEGER("count", entry->count));
    }
    json_put_end(json, ']');
}

void cluster_answer_print_json(struct cluster_result *result, const struct loaded_ranks *ranks,
                               const struct diagnostics *diag, FILE *stream)
{
    struct json_out json = {.stream = stream};
    struct cluster_worst *worst = &result->worst;

    array_sort(worst->waits.items, worst->waits.count, sizeof *worst->waits.items, by_step);
    json_put_begin(&json, NULL, '{');
    json_put_text(&json, "schema", SCHEMA_CLUSTER);
    json_put_begin(&json, "ranks", '[');
    for (size_t i = 0; i < ranks->count; i++)
        json_put_decimal(&json, NULL, ranks->items[i].rank, 0);
    json_put_end(&json, ']');
    json_put_bool(&json, "divided_into_steps", !worst->unstepped);
    put_json_rank(&json, worst);
    put_json_link(&json, worst);
    put_json_part(&json, "computing", &worst->computing, "rank", "others_ms", 2);
    put_json_part(&json, "stage", &worst->stage, "stage", "others_ms", 2);
    put_json_part(&json, "free", &worst->free, "rank", "others_ms", 1);
    put_json_part(&json, "bubble", &worst->bubble, "rank", "step_ms", 1);
    json_put_object(&json, "judged", JSON_INTEGER("collectives", result->collectives),
                    JSON_INTEGER("incomplete_collectives", result->incomplete),
                    JSON_INTEGER("groups_of_two", worst->groups_of_two), JSON_INTEGER("links", worst->judged_links));
    cluster_answer_put_problems(&json, diag);
    json_put_end(&json, '}');
    fputc('\n', stream);
}
