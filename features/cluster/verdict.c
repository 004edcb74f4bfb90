/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/verdict.h"

#include "base/array.h"
#include "base/map.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

/* A rank stands out that is an outlier in so many of its collectives, or comes last in so many. */
#define OUTLIERS 0.05
#define MOSTLY 0.5

bool verdict_stands_out(const struct rank_verdict *verdict)
{
    const double collectives = (double)verdict->collectives;

    return (double)verdict->votes > OUTLIERS * collectives || (double)verdict->last > MOSTLY * collectives;
}

int verdicts_init(struct verdicts *verdicts, size_t rank_count, struct err *err)
{
    *verdicts = (struct verdicts){.rank_count = rank_count};
    verdicts->ranks = calloc(rank_count + 1, sizeof *verdicts->ranks);
    verdicts->late = calloc(2 * LATE_COLLECTIVES, sizeof *verdicts->late);
    if (verdicts->ranks == NULL || verdicts->late == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu ranks", rank_count);
    return 0;
}

void verdicts_release(struct verdicts *verdicts)
{
    free(verdicts->ranks);
    free(verdicts->late);
    *verdicts = (struct verdicts){.ranks = NULL};
}

/* ---- tests ---- */

#define DIXON_MOST 100

/* Critical values of Dixon's test for one outlier at 0.995, for 3 to 87 values as they are simulated and published for
 * more than 30 (Verma and Quiroz-Ruiz, 2006); from there a line to that for 100. */
static double dixon_limit(int64_t n)
{
    static const double limits[] = {
        0.994, 0.920, 0.823, 0.744, 0.680, 0.723, 0.676, 0.638, 0.707, 0.675, 0.649, 0.672, 0.649, 0.629, 0.611,
        0.595, 0.580, 0.568, 0.556, 0.545, 0.536, 0.526, 0.519, 0.510, 0.503, 0.496, 0.489, 0.484, 0.478, 0.473,
        0.468, 0.463, 0.458, 0.454, 0.450, 0.446, 0.442, 0.439, 0.435, 0.432, 0.429, 0.425, 0.423, 0.420, 0.417,
        0.414, 0.412, 0.409, 0.407, 0.405, 0.402, 0.400, 0.398, 0.396, 0.394, 0.392, 0.391, 0.388, 0.387, 0.385,
        0.383, 0.382, 0.380, 0.379, 0.377, 0.376, 0.374, 0.372, 0.371, 0.370, 0.368, 0.368, 0.366, 0.365, 0.364,
        0.363, 0.361, 0.360, 0.359, 0.358, 0.356, 0.356, 0.355, 0.353, 0.352};
    enum { FIRST = 3, TABLE = sizeof limits / sizeof *limits };
    const double at_100 = 0.341;
    if (n < FIRST + TABLE)
        return limits[n - FIRST];
    double last = limits[TABLE - 1], from = FIRST + TABLE - 1;
    return last + (at_100 - last) * ((double)n - from) / (DIXON_MOST - from);
}

/* Whether the shortest time stands out: the gap behind it against the whole span, of which a few ends are left out
 * where there are many values. */
static bool dixon_says_so(const struct merged_collective *collective)
{
    int64_t n = collective->count;
    const int64_t *low = collective->shortest, *high = collective->longest;
    int64_t behind = n <= 10 ? low[1] : low[2];
    int64_t top = n <= 7 ? high[2] : n <= 13 ? high[1] : high[0];
    double span = (double)top - (double)low[0];
    return span > 0 && ((double)behind - (double)low[0]) / span > dixon_limit(n);
}

int64_t verdict_outlier_below(const struct merged_collective *collective)
{
    int64_t n = collective->count;
    if (n < 3 || collective->different[3] == INT64_MAX)
        return INT64_MIN;
    if (n <= DIXON_MOST)
        return dixon_says_so(collective) && collective->shortest[0] < INT64_MAX ? collective->shortest[0] + 1
                                                                                : INT64_MIN;
    double mean = (double)collective->sum_ns / (double)n;
    double squares = (double)((uint128)collective->squares_high << 64 | collective->squares_low);
    double deviation = sqrt(fmax(0, squares / (double)n - mean * mean));
    double below = mean - 3 * deviation;
    /* One far above shows that the others came together and it did not: then the first of them is suspect, too. */
    if ((double)collective->longest[COLLECTIVE_ENDS - 1] > mean + 3 * deviation &&
        (double)collective->shortest[0] >= below)
        return collective->shortest[0] + 1;
    return below > (double)INT64_MIN && below < (double)INT64_MAX ? (int64_t)ceil(below) : INT64_MIN;
}

/* ---- the worst ---- */

/* Whether a stands before b when the longest wait comes first. */
ARRAY_COMPARE(compare_late, struct late_collective, ARRAY_BY_MOST(wait_ns), ARRAY_BY(group), ARRAY_BY(step),
              ARRAY_BY(merged.name_hash))

/* Cuts the list to the worst, in their order. */
void verdicts_sort(struct verdicts *verdicts)
{
    array_sort(verdicts->late, verdicts->late_count, sizeof *verdicts->late, compare_late);
    if (verdicts->late_count > LATE_COLLECTIVES)
        verdicts->late_count = LATE_COLLECTIVES;
    verdicts->cut = verdicts->late_count == LATE_COLLECTIVES;
}

static void keep_late(struct verdicts *verdicts, const struct late_collective *late)
{
    if (verdicts->cut && compare_late(late, &verdicts->late[LATE_COLLECTIVES - 1]) > 0)
        return;
    verdicts->late[verdicts->late_count++] = *late;
    if (verdicts->late_count == 2 * LATE_COLLECTIVES)
        verdicts_sort(verdicts);
}

/* ---- a group and step ---- */

static int64_t times(int64_t count, int64_t ns)
{
    int64_t product;
    return __builtin_mul_overflow(count, ns, &product) ? INT64_MAX : product;
}

/* Whether all ranks of the group took part, also those that are not here. */
static bool is_complete(const struct merged_collective *collective, const struct plan_group *group)
{
    return (size_t)collective->count == group->size;
}

static int64_t wait_of_all(const struct merged_collective *collective)
{
    int64_t wait;
    if (__builtin_sub_overflow(collective->sum_ns, times(collective->count, collective->shortest[0]), &wait))
        return INT64_MAX;
    return wait;
}

/* One rank's own time in a collective that is judged. */
static void judge_row(struct rank_verdict *verdict, const struct merged_collective *collective, int64_t rank,
                      int64_t elapse_ns)
{
    int64_t shortest = collective->shortest[0], longest = collective->longest[COLLECTIVE_ENDS - 1];
    int64_t below = verdict_outlier_below(collective);
    verdict->collectives++;
    verdict->wait_ns = number_add(verdict->wait_ns, number_subtract(elapse_ns, shortest));
    if (longest > shortest && rank == collective->shortest_rank) {
        verdict->last++;
        verdict->caused_ns = number_add(verdict->caused_ns, wait_of_all(collective));
    }
    if (longest > shortest && rank == collective->longest_rank)
        verdict->first++;
    if (below != INT64_MIN && elapse_ns < below)
        verdict->votes++;
}

static int judge_rank(struct rank_verdict *verdict, const struct plan *plan, const struct plan_entry *entry,
                      const struct merged_block *block, struct err *err)
{
    const struct aggregate *rank = &plan->ranks[entry->rank];
    const struct aggregate_block *from = &rank->blocks[entry->block];
    struct aggregate_row *rows;
    int status = aggregate_read_rows(rank, entry->block, &rows, err);
    for (uint32_t i = 0; status == 0 && i < from->row_count; i++) {
        const struct merged_collective *collective = map_get(&block->collectives, &rows[i].name_hash);
        if (collective != NULL && collective->count >= 2 && is_complete(collective, &plan->groups.items[entry->group]))
            judge_row(verdict, collective, rank->rank, rows[i].elapse_ns);
    }
    free(rows);
    return status;
}

int verdicts_add(struct verdicts *verdicts, const struct plan *plan, const struct merged_block *block,
                 const struct plan_entry *entries, size_t entry_count, bool (*mine)(void *arg, size_t rank), void *arg,
                 struct err *err)
{
    int status = 0;
    if (entry_count == 0 || plan->groups.items[entries->group].size < 2)
        return 0;
    for (size_t i = 0; status == 0 && i < entry_count; i++) {
        if (mine(arg, entries[i].rank))
            status = judge_rank(&verdicts->ranks[entries[i].rank], plan, &entries[i], block, err);
    }
    const struct merged_collective *collective = NULL;
    while (status == 0 && (collective = map_next(&block->collectives, collective)) != NULL) {
        if (!is_complete(collective, &plan->groups.items[entries->group])) {
            verdicts->incomplete++;
            continue;
        }
        struct late_collective late = {entries->group, entries->step, *collective, wait_of_all(collective)};
        verdicts->collectives++;
        if (late.wait_ns > 0)
            keep_late(verdicts, &late);
    }
    return status;
}

/* ---- over the team ---- */

/* Every process judges all collectives alike; only what the ranks themselves did is added up. */
static void add_verdict(void *own, const void *other)
{
    struct rank_verdict *to = own;
    const struct rank_verdict *from = other;
    to->collectives += from->collectives;
    to->last += from->last;
    to->first += from->first;
    to->wait_ns = number_add(to->wait_ns, from->wait_ns);
    to->caused_ns = number_add(to->caused_ns, from->caused_ns);
    to->votes += from->votes;
}

int verdicts_reduce(struct verdicts *verdicts, struct team *team, struct err *err)
{
    return team_fold(team, verdicts->ranks, verdicts->rank_count, sizeof *verdicts->ranks, add_verdict, err);
}

/* ---- late names ---- */

#define MESSAGE_MAX ((size_t)1 << 30)

/* A name is looked up in the rank that was in the collective for the shortest time. */
struct wanted {
    uint64_t name_hash;
    int64_t rank;
};

static int ask(struct strbuf *bytes, const struct verdicts *verdicts, struct team *team, struct err *err)
{
    for (size_t i = 0; team->me == 0 && i < verdicts->late_count; i++) {
        const struct merged_collective *merged = &verdicts->late[i].merged;
        const struct wanted wanted = {merged->name_hash, merged->shortest_rank};
        strbuf_add(bytes, &wanted, sizeof wanted);
    }
    if (bytes->failed)
        return err_no_memory(err);
    return team_broadcast(team, NULL, bytes, err);
}

static char *find_name(const struct intern *names, uint64_t hash)
{
    for (size_t i = 0; i < names->count; i++) {
        if (map_hash_bytes(names->items[i].bytes, names->items[i].length) == hash)
            return strdup(names->items[i].bytes);
    }
    return NULL;
}

static int look_up(struct late_names *names, const struct wanted *wanted, const struct aggregate *rank, struct err *err)
{
    SCOPED(intern_release) struct intern texts = {.count = 0};
    if (aggregate_read_names(rank, &texts, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < names->count; i++)
        if (wanted[i].rank == rank->rank)
            names->items[i] = find_name(&texts, wanted[i].name_hash);
    return 0;
}

static bool is_asked(const struct wanted *wanted, size_t count, int64_t rank)
{
    for (size_t i = 0; i < count; i++) {
        if (wanted[i].rank == rank)
            return true;
    }
    return false;
}

/* ---- back to process 0: the number of each name that is known, then the name ---- */

static int give_names(void *arg, struct strbuf *bytes, struct err *err)
{
    const struct late_names *names = arg;
    (void)err;
    for (size_t i = 0; i < names->count; i++) {
        uint64_t number = i;
        if (names->items[i] == NULL)
            continue;
        strbuf_add(bytes, &number, sizeof number);
        strbuf_add(bytes, names->items[i], strlen(names->items[i]) + 1);
    }
    return 0;
}

static int take_names(void *arg, const void *bytes, size_t length, struct err *err)
{
    struct late_names *names = arg;
    struct team_message rest = {bytes, (const char *)bytes + length};
    while (rest.p < rest.end) {
        uint64_t number;
        const char *name;
        if (!team_message_next(&rest, &number, sizeof number) || number >= names->count ||
            (name = team_message_text(&rest)) == NULL)
            return team_message_wrong(err);
        free(names->items[number]);
        names->items[number] = strdup(name);
    }
    return 0;
}

int late_names_find(struct late_names *names, const struct plan *plan, const struct verdicts *verdicts,
                    struct team *team, int (*lost)(void *arg, const struct aggregate *rank, struct err *err), void *arg,
                    struct err *err)
{
    struct strbuf bytes;
    strbuf_init(&bytes, MESSAGE_MAX);
    *names = (struct late_names){.items = NULL};
    int status = ask(&bytes, verdicts, team, err);
    const size_t count = bytes.length / sizeof(struct wanted);
    struct wanted *wanted = calloc(count + 1, sizeof *wanted);
    names->items = calloc(count + 1, sizeof *names->items);
    if (status == 0 && (wanted == NULL || names->items == NULL))
        status = err_no_memory(err);
    if (status == 0 && count > 0)
        memcpy(wanted, bytes.data, count * sizeof *wanted);
    names->count = status == 0 ? count : 0;
    for (size_t i = 0; status == 0 && i < plan->rank_count; i++) {
        const struct aggregate *rank = &plan->ranks[i];
        if (rank->owner == team->me && is_asked(wanted, count, rank->rank) && look_up(names, wanted, rank, err) < 0)
            status = lost(arg, rank, err);
    }
    if (status == 0)
        status = team_reduce(team, NULL, give_names, take_names, names, err);
    free(wanted);
    strbuf_release(&bytes);
    return status;
}

void late_names_release(struct late_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct late_names){.items = NULL};
}
