/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/cluster/late_names.h"

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

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
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    return team_broadcast(team, NULL, bytes, err);
}

static char *find_name(const struct intern *names, uint64_t hash)
{
    for (size_t i = 0; i < names->count; i++) {
        if (hash_bytes(names->items[i].bytes, names->items[i].length) == hash)
            return strdup(names->items[i].bytes);
    }
    return NULL;
}

static int look_up(struct late_names *names, const struct wanted *wanted, const struct aggregate *rank, struct err *err)
{
    struct intern texts = {.count = 0};
    int status = aggregate_read_names(rank, &texts, err);
    for (size_t i = 0; status == 0 && i < names->count; i++) {
        if (wanted[i].rank == rank->rank)
            names->items[i] = find_name(&texts, wanted[i].name_hash);
    }
    intern_release(&texts);
    return status;
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

static int give(void *arg, struct strbuf *bytes, struct err *err)
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

static int take(void *arg, const void *bytes, size_t length, struct err *err)
{
    struct late_names *names = arg;
    const char *p = bytes, *end = p + length;
    while (p < end) {
        uint64_t number = UINT64_MAX;
        if ((size_t)(end - p) > sizeof number)
            memcpy(&number, p, sizeof number);
        p += sizeof number;
        const char *stop = number < names->count ? memchr(p, '\0', (size_t)(end - p)) : NULL;
        if (stop == NULL)
            return err_set(err, ERR_FORMAT, "a message of another process is not what was sent");
        free(names->items[number]);
        names->items[number] = strdup(p);
        p = stop + 1;
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
        status = err_set(err, ERR_NO_MEMORY, "out of memory");
    if (status == 0 && count > 0)
        memcpy(wanted, bytes.data, count * sizeof *wanted);
    names->count = status == 0 ? count : 0;
    for (size_t i = 0; status == 0 && i < plan->rank_count; i++) {
        const struct aggregate *rank = &plan->ranks[i];
        if (rank->owner == team->me && is_asked(wanted, count, rank->rank) && look_up(names, wanted, rank, err) < 0)
            status = lost(arg, rank, err);
    }
    if (status == 0)
        status = team_reduce(team, NULL, give, take, names, err);
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
