/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/cluster/block.h"

#include "base/array.h"
#include "exporters/cluster/numbers.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

void merged_block_init(struct merged_block *block)
{
    *block = (struct merged_block){
        .collectives = MAP_OF(struct merged_collective, name_hash),
        .links = MAP_OF(struct merged_link, key),
    };
}

void merged_block_release(struct merged_block *block)
{
    map_release(&block->collectives);
    map_release(&block->links);
    intern_release(&block->texts);
    free(block->totals.items);
    free(block->packets.items);
}

void merged_block_clear(struct merged_block *block)
{
    merged_block_release(block);
    merged_block_init(block);
}

/* ---- collectives ---- */

static void keep_shortest(int64_t list[COLLECTIVE_ENDS], int64_t value)
{
    for (size_t i = 0; i < COLLECTIVE_ENDS; i++) {
        if (value < list[i]) {
            int64_t larger = list[i];
            list[i] = value;
            value = larger;
        }
    }
}

static void keep_longest(int64_t list[COLLECTIVE_ENDS], int64_t value)
{
    for (size_t i = COLLECTIVE_ENDS; i-- > 0;) {
        if (value > list[i]) {
            int64_t smaller = list[i];
            list[i] = value;
            value = smaller;
        }
    }
}

static void keep_different(int64_t list[4], int64_t value)
{
    for (size_t i = 0; i < 4; i++) {
        if (value == list[i])
            return;
        if (value < list[i]) {
            int64_t larger = list[i];
            list[i] = value;
            value = larger;
        }
    }
}

static void add_squares(struct merged_collective *collective, uint128 squares)
{
    uint128 sum = ((uint128)collective->squares_high << 64 | collective->squares_low) + squares;
    collective->squares_high = (uint64_t)(sum >> 64);
    collective->squares_low = (uint64_t)sum;
}

static struct merged_collective *find_collective(struct merged_block *block, uint64_t name_hash, struct err *err)
{
    bool added;
    struct merged_collective *collective = map_add(&block->collectives, &name_hash, &added, err);
    if (collective == NULL || !added)
        return collective;
    for (size_t i = 0; i < COLLECTIVE_ENDS; i++) {
        collective->shortest[i] = INT64_MAX;
        collective->longest[i] = INT64_MIN;
    }
    for (size_t i = 0; i < 4; i++)
        collective->different[i] = INT64_MAX;
    collective->shortest_rank = collective->longest_rank = INT64_MAX;
    return collective;
}

static void add_ends(struct merged_collective *to, int64_t shortest, int64_t shortest_rank, int64_t longest,
                     int64_t longest_rank)
{
    if (shortest < to->shortest[0] || (shortest == to->shortest[0] && shortest_rank < to->shortest_rank))
        to->shortest_rank = shortest_rank;
    if (longest > to->longest[COLLECTIVE_ENDS - 1] ||
        (longest == to->longest[COLLECTIVE_ENDS - 1] && longest_rank < to->longest_rank))
        to->longest_rank = longest_rank;
}

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static int add_row(struct merged_block *block, const struct aggregate_row *row, int64_t rank, struct err *err)
{
    struct merged_collective *collective = find_collective(block, row->name_hash, err);
    if (collective == NULL)
        return -(int)err->code;
    uint64_t size = row->elapse_ns < 0 ? -(uint64_t)row->elapse_ns : (uint64_t)row->elapse_ns;
    add_ends(collective, row->elapse_ns, rank, row->elapse_ns, rank);
    keep_shortest(collective->shortest, row->elapse_ns);
    keep_longest(collective->longest, row->elapse_ns);
    keep_different(collective->different, row->elapse_ns);
    collective->count++;
    collective->sum_ns = add(collective->sum_ns, row->elapse_ns);
    add_squares(collective, (uint128)size * size);
    return 0;
}

static int merge_collective(struct merged_block *block, const struct merged_collective *from, struct err *err)
{
    struct merged_collective *to = find_collective(block, from->name_hash, err);
    if (to == NULL)
        return -(int)err->code;
    add_ends(to, from->shortest[0], from->shortest_rank, from->longest[COLLECTIVE_ENDS - 1], from->longest_rank);
    for (size_t i = 0; i < COLLECTIVE_ENDS; i++) {
        keep_shortest(to->shortest, from->shortest[i]);
        keep_longest(to->longest, from->longest[i]);
    }
    for (size_t i = 0; i < 4; i++)
        keep_different(to->different, from->different[i]);
    to->count += from->count;
    to->sum_ns = add(to->sum_ns, from->sum_ns);
    add_squares(to, (uint128)from->squares_high << 64 | from->squares_low);
    return 0;
}

/* ---- links ---- */

/* from's texts are numbers of this block already. */
static int merge_link(struct merged_block *block, const struct merged_link *from, struct err *err)
{
    bool added;
    struct merged_link *to = map_add(&block->links, &from->key, &added, err);
    if (to == NULL)
        return -(int)err->code;
    to->bytes = add(to->bytes, from->bytes);
    to->ns = add(to->ns, from->ns);
    to->reports += from->reports;
    if (added || from->last_rank > to->last_rank) {
        to->transport = from->transport;
        to->last_rank = from->last_rank;
    }
    return 0;
}

static int add_link(struct merged_block *block, const struct plan *plan, const struct plan_entry *entry,
                    const struct aggregate_link *link, struct err *err)
{
    const struct aggregate *rank = &plan->ranks[entry->rank];
    const struct plan_group *group = &plan->groups.items[entry->group];
    struct merged_link from = {
        .key = {0, numbers_rank(plan, group, link->source), numbers_rank(plan, group, link->target)},
        .bytes = link->bytes,
        .ns = link->ns,
        .reports = 1,
        .last_rank = rank->rank};
    const char *name = aggregate_text(rank, link->entry), *transport = aggregate_text(rank, link->transport);
    uint32_t number;
    if (from.key.source < 0 || from.key.target < 0) {
        block->unmapped_links++;
        return 0;
    }
    if (name == NULL || transport == NULL)
        name = name == NULL ? "" : name, transport = transport == NULL ? "" : transport;
    int status = intern_add(&block->texts, name, strlen(name), &number, err);
    from.key.entry = number;
    if (status == 0)
        status = intern_add(&block->texts, transport, strlen(transport), &number, err);
    from.transport = number;
    return status == 0 ? merge_link(block, &from, err) : status;
}

/* ---- one rank's part ---- */

static int add_total(struct merged_block *block, uint32_t rank, const struct aggregate_sum *sum,
                     const struct rank_packet *packets, uint32_t packet_count, struct err *err)
{
    if (array_reserve(&block->totals, 1, err) < 0 || array_reserve(&block->packets, packet_count + 1u, err) < 0)
        return -(int)err->code;
    block->totals.items[block->totals.count++] = (struct merged_total){*sum, rank, packet_count};
    memcpy(block->packets.items + block->packets.count, packets, packet_count * sizeof *packets);
    block->packets.count += packet_count;
    return 0;
}

int merged_block_add(struct merged_block *block, const struct plan *plan, const struct plan_entry *entry,
                     struct err *err)
{
    const struct aggregate *rank = &plan->ranks[entry->rank];
    const struct aggregate_block *from = &rank->blocks[entry->block];
    struct aggregate_parts parts;
    int status = aggregate_read_parts(rank, entry->block, &parts, err);
    for (uint32_t i = 0; status == 0 && i < from->row_count; i++)
        status = add_row(block, &parts.rows[i], rank->rank, err);
    for (uint32_t i = 0; status == 0 && i < from->link_count; i++)
        status = add_link(block, plan, entry, &parts.links[i], err);
    if (status == 0 && from->operator_count > 0)
        status = add_total(block, entry->rank, &parts.sum, parts.packets, from->packet_count, err);
    block->ranks += status == 0;
    aggregate_parts_release(&parts);
    return status;
}

/* ---- totals of two halves ---- */

static int compare_packets(const void *a, const void *b)
{
    const struct rank_packet *x = a, *y = b;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Adds packets to a list behind `first`, equal sizes as one; the number of different ones there. */
static uint32_t join_packets(struct rank_packet *packets, size_t first, size_t end)
{
    size_t kept = first;
    if (end - first > 1)
        qsort(packets + first, end - first, sizeof *packets, compare_packets);
    for (size_t i = first; i < end; i++) {
        if (kept > first && packets[kept - 1].bytes == packets[i].bytes) {
            packets[kept - 1].count = add(packets[kept - 1].count, packets[i].count);
            packets[kept - 1].ns = add(packets[kept - 1].ns, packets[i].ns);
        } else {
            packets[kept++] = packets[i];
        }
    }
    return (uint32_t)(kept - first);
}

/* A total and where its packets are. */
struct placed_total {
    const struct merged_total *total;
    const struct rank_packet *packets;
};

static int compare_totals(const void *a, const void *b)
{
    const struct placed_total *x = a, *y = b;
    return (x->total->rank > y->total->rank) - (x->total->rank < y->total->rank);
}

static size_t place_totals(const struct merged_block *block, struct placed_total *ret)
{
    const struct rank_packet *packets = block->packets.items;
    for (size_t i = 0; i < block->totals.count; i++) {
        ret[i] = (struct placed_total){&block->totals.items[i], packets};
        packets += block->totals.items[i].packet_count;
    }
    return block->totals.count;
}

/* The totals of one rank, of which all have the packets of a transport together. */
static int join_totals(struct merged_block *to, struct placed_total *from, size_t count, struct err *err)
{
    struct merged_total joined = {.rank = from->total->rank};
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += from[i].total->packet_count;
    if (array_reserve(&to->totals, 1, err) < 0 || array_reserve(&to->packets, all + 1, err) < 0)
        return -(int)err->code;
    for (size_t j = 0; j < TRANSPORTS; j++) {
        size_t first = to->packets.count, end = first;
        for (size_t i = 0; i < count; i++) {
            const struct aggregate_sum *sum = &from[i].total->sum;
            joined.sum.transfers[j].bytes = add(joined.sum.transfers[j].bytes, sum->transfers[j].bytes);
            joined.sum.transfers[j].ns = add(joined.sum.transfers[j].ns, sum->transfers[j].ns);
            memcpy(to->packets.items + end, from[i].packets, sum->packets_of[j] * sizeof *from[i].packets);
            end += sum->packets_of[j];
            from[i].packets += sum->packets_of[j];
        }
        joined.sum.packets_of[j] = join_packets(to->packets.items, first, end);
        joined.packet_count += joined.sum.packets_of[j];
        to->packets.count = first + joined.sum.packets_of[j];
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < CLUSTER_TIMES; j++)
            joined.sum.ns[j] = add(joined.sum.ns[j], from[i].total->sum.ns[j]);
    }
    to->totals.items[to->totals.count++] = joined;
    return 0;
}

int merged_block_add_totals(struct merged_block *block, const struct merged_block *from, struct err *err)
{
    size_t most = block->totals.count + from->totals.count;
    struct placed_total *order = calloc(most + 1, sizeof *order);
    struct merged_block joined = {.ranks = 0};
    int status = order != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
    size_t count = status == 0 ? place_totals(block, order) : 0;
    if (status == 0)
        count += place_totals(from, order + count);
    if (count > 1)
        qsort(order, count, sizeof *order, compare_totals);
    for (size_t i = 0, end; status == 0 && i < count; i = end) {
        for (end = i + 1; end < count && order[end].total->rank == order[i].total->rank; end++) {
        }
        status = join_totals(&joined, order + i, end - i, err);
    }
    free(order);
    if (status < 0) {
        merged_block_release(&joined);
        return status;
    }
    free(block->totals.items);
    free(block->packets.items);
    memcpy(&block->totals, &joined.totals, sizeof block->totals);
    memcpy(&block->packets, &joined.packets, sizeof block->packets);
    return 0;
}

/* ---- as bytes ---- */

struct message_head {
    int64_t ranks, unmapped_links;
    uint64_t collectives, links, texts, totals, packets; /* how many follow */
};

static void give_items(const struct map *map, struct strbuf *bytes)
{
    for (const void *item = map_next(map, NULL); item != NULL; item = map_next(map, item))
        strbuf_add(bytes, item, map->item_size);
}

static void give(const struct merged_block *block, bool totals, struct strbuf *bytes)
{
    struct message_head head = {
        .ranks = block->ranks,
        .unmapped_links = block->unmapped_links,
        .collectives = block->collectives.used,
        .links = block->links.used,
        .texts = block->texts.count,
        .totals = totals ? block->totals.count : 0,
        .packets = totals ? block->packets.count : 0,
    };
    strbuf_add(bytes, &head, sizeof head);
    give_items(&block->collectives, bytes);
    give_items(&block->links, bytes);
    if (head.totals > 0)
        strbuf_add(bytes, block->totals.items, head.totals * sizeof *block->totals.items);
    if (head.packets > 0)
        strbuf_add(bytes, block->packets.items, head.packets * sizeof *block->packets.items);
    for (size_t i = 0; i < block->texts.count; i++)
        strbuf_add(bytes, block->texts.items[i].bytes, block->texts.items[i].length + 1);
}

int merged_block_give(void *opaque, struct strbuf *bytes, struct err *err)
{
    (void)err; /* what did not fit is told by bytes->failed */
    give(opaque, true, bytes);
    return 0;
}

int merged_block_give_shared(void *opaque, struct strbuf *bytes, struct err *err)
{
    (void)err;
    give(opaque, false, bytes);
    return 0;
}

struct message {
    const char *p, *end;
};

/* Copies the next item out: messages have no alignment. */
static bool next(struct message *message, void *item, size_t size)
{
    if ((size_t)(message->end - message->p) < size)
        return false;
    memcpy(item, message->p, size);
    message->p += size;
    return true;
}

static int no_message(struct err *err)
{
    return err_set(err, ERR_FORMAT, "a message of another process is not what was sent");
}

/* The numbers that the sender's texts have in this block. */
static int take_texts(struct merged_block *block, struct message *message, uint32_t *numbers, size_t count,
                      struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *end = memchr(message->p, '\0', (size_t)(message->end - message->p));
        if (end == NULL)
            return no_message(err);
        if (intern_add(&block->texts, message->p, (size_t)(end - message->p), &numbers[i], err) < 0)
            return -(int)err->code;
        message->p = end + 1;
    }
    return 0;
}

static int take_links(struct merged_block *block, struct message *links, size_t link_count, const uint32_t *numbers,
                      size_t text_count, struct err *err)
{
    struct merged_link link;
    int status = 0;
    for (size_t i = 0; status == 0 && i < link_count; i++) {
        if (!next(links, &link, sizeof link) || (uint64_t)link.key.entry >= text_count ||
            (uint64_t)link.transport >= text_count)
            return no_message(err);
        link.key.entry = numbers[link.key.entry];
        link.transport = numbers[link.transport];
        status = merge_link(block, &link, err);
    }
    return status;
}

static int take_totals(struct merged_block *block, struct message *message, const struct message_head *head,
                       struct err *err)
{
    size_t rest = (size_t)(message->end - message->p);
    if (head->totals > rest / sizeof(struct merged_total) || head->packets > rest / sizeof(struct rank_packet) ||
        head->totals * sizeof(struct merged_total) + head->packets * sizeof(struct rank_packet) > rest)
        return no_message(err);
    if (array_reserve(&block->totals, head->totals + 1, err) < 0 ||
        array_reserve(&block->packets, head->packets + 1, err) < 0)
        return -(int)err->code;
    next(message, block->totals.items + block->totals.count, head->totals * sizeof *block->totals.items);
    next(message, block->packets.items + block->packets.count, head->packets * sizeof *block->packets.items);
    block->totals.count += head->totals;
    block->packets.count += head->packets;
    return 0;
}

static int take_body(struct merged_block *block, struct message *message, const struct message_head *head,
                     struct err *err)
{
    struct merged_collective collective;
    int status = 0;
    for (uint64_t i = 0; status == 0 && i < head->collectives; i++)
        status =
            next(message, &collective, sizeof collective) ? merge_collective(block, &collective, err) : no_message(err);
    size_t rest = (size_t)(message->end - message->p);
    if (status < 0 || head->links > rest / sizeof(struct merged_link) || head->texts > rest)
        return status < 0 ? status : no_message(err);
    struct message links = *message;
    message->p += head->links * sizeof(struct merged_link);
    status = take_totals(block, message, head, err);
    uint32_t *numbers = calloc((size_t)head->texts + 1, sizeof *numbers);
    if (status == 0)
        status = numbers != NULL ? take_texts(block, message, numbers, (size_t)head->texts, err)
                                 : err_set(err, ERR_NO_MEMORY, "out of memory");
    if (status == 0)
        status = take_links(block, &links, (size_t)head->links, numbers, (size_t)head->texts, err);
    free(numbers);
    return status;
}

int merged_block_take(void *opaque, const void *bytes, size_t length, struct err *err)
{
    struct merged_block *block = opaque;
    struct message message = {bytes, (const char *)bytes + length};
    struct message_head head;
    if (!next(&message, &head, sizeof head))
        return no_message(err);
    block->ranks += head.ranks;
    block->unmapped_links += head.unmapped_links;
    return take_body(block, &message, &head, err);
}
