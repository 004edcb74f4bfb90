/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/rank/rank_data.h"

#include "base/array.h"
#include "base/number.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

void rank_data_init(struct rank_data *rank)
{
    *rank = (struct rank_data){.rank = -1};
}

void rank_data_release(struct rank_data *rank)
{
    intern_release(&rank->texts);
    intern_release(&rank->names);
    free(rank->steps.items);
    free(rank->groups.items);
    free(rank->runs.items);
    free(rank->blocks.items);
    free(rank->operators.items);
    free(rank->links.items);
    free(rank->packets.items);
    rank_data_init(rank);
}

/* The gate of all texts: files of others, and files of ours that somebody may have changed. */
static int add_safely(struct rank_data *rank, struct intern *texts, const char *text, size_t length, uint32_t *ret,
                      struct err *err)
{
    if (utf8_first_unsafe(text, length) == length)
        return intern_add(texts, text, length, ret, err);
    rank->unsafe_texts++;
    SCOPED_FREE char *safe = utf8_copy_safe(text, length, &length);
    if (safe == NULL)
        return err_no_memory(err);
    return intern_add(texts, safe, length, ret, err);
}

int rank_text(struct rank_data *rank, const char *text, size_t length, uint32_t *ret, struct err *err)
{
    return add_safely(rank, &rank->texts, text, length, ret, err);
}

int rank_name(struct rank_data *rank, const char *name, size_t length, uint32_t *ret, struct err *err)
{
    return add_safely(rank, &rank->names, name, length, ret, err);
}

const char *rank_text_of(const struct intern *texts, uint32_t number)
{
    return number < texts->count ? texts->items[number].bytes : NULL;
}

uint64_t rank_group_number(const char *name)
{
    uint32_t low = 0, high = 0;
    for (const char *p = name; *p != '\0'; p++) {
        high = high * 29 + (uint32_t)(int32_t)(signed char)*p;
        low = low * 131 + (uint32_t)(int32_t)(signed char)*p;
    }
    return (uint64_t)high << 32 | low;
}

int rank_group_of(struct rank_data *rank, const char *number, size_t length, uint32_t *ret, struct err *err)
{
    uint32_t text = CLUSTER_NO_TEXT;
    int status = rank_text(rank, number, length, &text, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < rank->groups.count; i++) {
        if (rank->groups.items[i].number == text) {
            *ret = (uint32_t)i;
            return 0;
        }
    }
    status = array_reserve(&rank->groups, 1, err);
    if (status < 0)
        return status;
    *ret = (uint32_t)rank->groups.count;
    rank->groups.items[rank->groups.count++] = (struct rank_group){.number = text,
                                                                   .name = CLUSTER_NO_TEXT,
                                                                   .id = CLUSTER_NO_TEXT,
                                                                   .told_number = CLUSTER_NO_NUMBER,
                                                                   .shown_number = CLUSTER_NO_NUMBER};
    return 0;
}

int rank_group_add_member(struct rank_data *rank, struct rank_group *group, int64_t member, struct err *err)
{
    struct rank_run *last = group->run_count > 0 ? &rank->runs.items[group->first_run + group->run_count - 1] : NULL;
    bool goes_on = last != NULL && member >= 0 && last->first >= 0;
    if (goes_on && last->count == 1)
        last->step = member - last->first;
    if (goes_on && member == last->first + last->step * last->count) {
        last->count++;
        return 0;
    }
    if (array_add(&rank->runs, err, (struct rank_run){member, 0, 1}) < 0)
        return err_status(err);
    group->run_count++;
    return 0;
}

ARRAY_COMPARE(compare_packets, struct comm_packet, ARRAY_BY(bytes))

uint32_t rank_packets_join(struct comm_packet *packets, size_t first, size_t end)
{
    size_t kept = first;
    if (end > first)
        qsort(packets + first, end - first, sizeof *packets, compare_packets);
    for (size_t i = first; i < end; i++) {
        if (kept > first && packets[kept - 1].bytes == packets[i].bytes) {
            packets[kept - 1].count = number_add(packets[kept - 1].count, packets[i].count);
            packets[kept - 1].ns = number_add(packets[kept - 1].ns, packets[i].ns);
        } else {
            packets[kept++] = packets[i];
        }
    }
    return (uint32_t)(kept - first);
}

/* ---- putting together ---- */

/* Items in the order of their blocks, of which each has the index at an offset; starts has room for one more than there
 * are blocks. */
static void *in_blocks(const void *items, size_t count, size_t size, size_t offset, size_t *starts, size_t block_count)
{
    const char *from = items;
    char *sorted = calloc(count + 1, size);
    uint32_t block;
    memset(starts, 0, (block_count + 1) * sizeof *starts);
    for (size_t i = 0; sorted != NULL && i < count; i++) {
        memcpy(&block, from + i * size + offset, sizeof block);
        starts[block + 1]++;
    }
    for (size_t i = 0; i < block_count; i++)
        starts[i + 1] += starts[i];
    for (size_t i = 0; sorted != NULL && i < count; i++) {
        memcpy(&block, from + i * size + offset, sizeof block);
        memcpy(sorted + starts[block]++ * size, from + i * size, size);
    }
    for (size_t i = block_count; i > 0; i--)
        starts[i] = starts[i - 1];
    starts[0] = 0;
    return sorted;
}

/* Sorts a list of a rank by its blocks, and sets in each block where its items begin, and their number. */
#define GATHER(rank, list, type, first, number)                                                                        \
    do {                                                                                                               \
        void *sorted = in_blocks((rank)->list.items, (rank)->list.count, sizeof(type), offsetof(type, block), starts,  \
                                 (rank)->blocks.count);                                                                \
        if (sorted == NULL)                                                                                            \
            return -1;                                                                                                 \
        free((rank)->list.items);                                                                                      \
        (rank)->list.items = sorted;                                                                                   \
        (rank)->list.capacity = (rank)->list.count + 1;                                                                \
        for (size_t i = 0; i < (rank)->blocks.count; i++) {                                                            \
            (rank)->blocks.items[i].first = (uint32_t)starts[i];                                                       \
            (rank)->blocks.items[i].number = (uint32_t)(starts[i + 1] - starts[i]);                                    \
        }                                                                                                              \
    } while (0)

static int gather(struct rank_data *rank, size_t *starts)
{
    GATHER(rank, operators, struct rank_operator, first_operator, operator_count);
    GATHER(rank, links, struct rank_link, first_link, link_count);
    return 0;
}

/* A link from a number to itself is of the rank that reports it. */
static void learn_numbers(struct rank_data *rank)
{
    for (size_t i = 0; i < rank->links.count; i++) {
        const struct rank_link *link = &rank->links.items[i];
        struct rank_group *group = &rank->groups.items[rank->blocks.items[link->block].group];
        int64_t highest = link->source > link->target ? link->source : link->target;
        if (link->source < 0 || link->target < 0 || highest >= CLUSTER_MOST_MEMBERS)
            continue;
        if (highest >= group->numbers)
            group->numbers = (uint32_t)highest + 1;
        if (link->source != link->target)
            continue;
        bool other = group->shown_number != CLUSTER_NO_NUMBER && group->shown_number != link->source;
        group->shown_number = other ? CLUSTER_TWO_NUMBERS : (int32_t)link->source;
    }
}

int rank_data_gather(struct rank_data *rank, struct err *err)
{
    SCOPED_FREE size_t *starts = scoped_memory(rank->blocks.count + 1, sizeof *starts);
    if (starts == NULL || gather(rank, starts) != 0)
        return err_no_memory(err);
    learn_numbers(rank);
    return 0;
}
