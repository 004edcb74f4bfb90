/* SPDX-License-Identifier: Apache-2.0 */
#include "features/communication/align.h"

#include "base/array.h"
#include "base/file/spool.h"
#include "base/number.h"
#include "db/query/query_cann.h"
#include "db/query/query_records.h"
#include "features/answers/load/load.h"
#include "features/communication/communication.h"

#include <stdlib.h>
#include <string.h>

#define SPOOL_MEMORY ((size_t)32 * 1024 * 1024)

/* The end of a collective on a rank. */
struct ended {
    int64_t end_ns;
    uint64_t times; /* that the rank had a collective of this group and name */
    uint32_t clock;
};

/* How often a rank had it. */
struct repeated {
    uint64_t hash; /* of group and name */
    uint64_t times, next;
};

struct aligning {
    struct spool *spool;
    struct clocks clocks;
    struct alignment *result;
};

/* ---- ranks ---- */

struct rank_reading {
    struct aligning *aligning;
    const struct aligned_rank *rank;
    struct cann_texts names;
    struct cann_communications list;
    struct map repeated;
};

static uint64_t hash_of(const struct rank_reading *reading, const struct cann_communication *item)
{
    struct cann_text group = cann_text(&reading->names, item->group_name_id, 0),
                     name = cann_text(&reading->names, item->name_id, 0);
    char buffer[OPERATOR_NAME_SIZE];
    const char *unnumbered = operator_unnumbered(name.text, item->kernel_row_id != DB_NULL, buffer);
    uint64_t hashes[2] = {map_hash_bytes(group.text, group.length), map_hash_bytes(unnumbered, strlen(unnumbered))};

    return map_hash_bytes(hashes, sizeof hashes);
}

/* Whether all its ranks wait for each other in it, and when it ended is known. */
static bool tells(const struct rank_reading *reading, const struct cann_communication *item)
{
    const char *name = cann_text(&reading->names, item->name_id, 0).text;

    return name != NULL && item->start_ns != DB_NULL && item->duration_ns != DB_NULL && item->duration_ns >= 0 &&
           cann_text(&reading->names, item->group_name_id, 0).text != NULL && !communication_is_point_to_point(name);
}

static int count_repeated(struct rank_reading *reading, struct err *err)
{
    for (size_t i = 0; i < reading->list.count; i++) {
        if (!tells(reading, &reading->list.items[i]))
            continue;
        uint64_t hash = hash_of(reading, &reading->list.items[i]);
        struct repeated *repeated = map_add(&reading->repeated, &hash, NULL, err);
        if (repeated == NULL)
            return err_status(err);
        repeated->times++;
    }
    return 0;
}

static int spool_ends(struct rank_reading *reading, struct err *err)
{
    for (size_t i = 0; i < reading->list.count; i++) {
        const struct cann_communication *item = &reading->list.items[i];
        if (!tells(reading, item))
            continue;
        uint64_t hash = hash_of(reading, item);
        struct repeated *repeated = map_get(&reading->repeated, &hash);
        const struct ended ended = {
            .end_ns = number_add(number_add(item->start_ns, item->duration_ns), reading->rank->joins_ns),
            .times = repeated->times,
            .clock = (uint32_t)reading->rank->clock};
        const struct spool_key key = {hash, repeated->next++};
        if (spool_add(reading->aligning->spool, &key, &ended, sizeof ended, err) != 0)
            return err_status(err);
    }
    return 0;
}

static int read_rank(struct aligning *aligning, const struct aligned_rank *rank, struct err *err)
{
    struct rank_reading reading = {.aligning = aligning, .rank = rank, .repeated = MAP_OF(struct repeated, hash)};
    bool done = cann_names_load(rank->db, &reading.names, err) == 0 &&
                cann_communications_load(rank->db, &reading.list, err) == 0 && count_repeated(&reading, err) == 0 &&
                spool_ends(&reading, err) == 0;

    map_release(&reading.repeated);
    cann_communications_release(&reading.list);
    cann_texts_release(&reading.names);
    return done ? 0 : err_status(err);
}

/* ---- collectives ---- */

/* One run of a collective on all its ranks. */
struct ends ARRAY_OF(struct ended);

ARRAY_COMPARE(by_clock_and_end, struct ended, ARRAY_BY(clock), ARRAY_BY(end_ns))

/* Compares the clocks of a collective with the first of them. */
static int compare_ends(struct aligning *aligning, struct ends *ends, struct err *err)
{
    size_t first_clock = 0;
    int64_t first_ns = 0;
    bool told = false;

    for (size_t i = 1; i < ends->count; i++)
        if (ends->items[i].times != ends->items[0].times) {
            aligning->result->uneven++;
            return 0;
        }
    if (ends->count > 1)
        array_sort(ends->items, ends->count, sizeof *ends->items, by_clock_and_end);
    for (size_t i = 0, next; i < ends->count; i = next) {
        next = i + 1;
        while (next < ends->count && ends->items[next].clock == ends->items[i].clock)
            next++;
        const struct ended *middle = &ends->items[i + (next - i - 1) / 2];
        if (i == 0) {
            first_clock = middle->clock;
            first_ns = middle->end_ns;
        } else if (clocks_pair(&aligning->clocks, first_clock, middle->clock, first_ns, middle->end_ns, err) != 0) {
            return err_status(err);
        }
        told |= i > 0;
    }
    aligning->result->collectives += told;
    return 0;
}

static int walk(struct aligning *aligning, struct err *err)
{
    struct ends ends = {.items = NULL};
    struct spool_key key = {0, 0};
    struct spool_item item;
    int found, status = spool_finish(aligning->spool, err);

    while (status == 0 && (found = spool_next(aligning->spool, &item, err)) != 0) {
        bool next = found == 1 && (item.key.major != key.major || item.key.minor != key.minor);
        status = found < 0 ? found : next ? compare_ends(aligning, &ends, err) : 0;
        ends.count = next ? 0 : ends.count;
        key = found == 1 ? item.key : key;
        if (status != 0 || array_reserve(&ends, 1, err) != 0)
            break;
        ends.items[ends.count++] = *(const struct ended *)item.record;
    }
    bool done = err->code == ERR_NONE && compare_ends(aligning, &ends, err) == 0;
    free(ends.items);
    return done ? 0 : err_status(err);
}

static int align(struct aligning *aligning, const struct aligned_rank *ranks, size_t count, struct err *err)
{
    aligning->spool = spool_new(SPOOL_MEMORY, NULL, err);
    if (aligning->spool == NULL || clocks_open(&aligning->clocks, aligning->result->clock_count, err) != 0)
        return err_status(err);
    for (size_t i = 0; i < count; i++)
        if (read_rank(aligning, &ranks[i], err) != 0)
            return err_status(err);
    if (walk(aligning, err) != 0)
        return err_status(err);
    clocks_align(&aligning->clocks, aligning->result->clocks);
    return 0;
}

int align_clocks(const struct aligned_rank *ranks, size_t count, size_t clock_count, struct alignment *ret,
                 struct err *err)
{
    struct aligning aligning = {.result = ret};

    *ret = (struct alignment){.clock_count = clock_count};
    int status = align(&aligning, ranks, count, err);
    spool_free(aligning.spool);
    clocks_release(&aligning.clocks);
    return status;
}
