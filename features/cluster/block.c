/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/block.h"

#include "base/array.h"
#include "base/map.h"
#include "base/number.h"
#include "features/cluster/team.h"

#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

#define MOST_LISTED 1048576 /* ranks of a group; longer lists are none */

enum strength { TOLD, SHOWN }; /* by metadata; by a link from a rank to itself */

/* A rank says its number in a group. */
struct evidence {
    uint32_t group; /* number of a text */
    enum strength strength;
    int64_t number, rank;
};

/* One group, of one half or both. */
struct numbered {
    const struct aggregate *listed_by; /* NULL: nobody lists its ranks */
    const struct rank_group *listed;
    size_t size, contradictions;
    size_t first_known, known_count, first_number, number_count; /* as in struct plan_group */
};

struct finding {
    struct plan *plan;
    struct intern names; /* of groups: decimal numbers */
    struct numbered *groups;
    struct ARRAY_OF(struct evidence) evidence;
};

static size_t listed_count(const struct aggregate *rank, const struct rank_group *group)
{
    size_t count = 0;
    for (uint32_t i = 0; i < group->run_count; i++)
        count += (size_t)rank->runs[group->first_run + i].count;
    return count;
}

static int add_evidence(struct finding *finding, uint32_t group, enum strength strength, int64_t number, int64_t rank,
                        struct err *err)
{
    return array_add(&finding->evidence, err, (struct evidence){group, strength, number, rank});
}

static int hear(struct finding *finding, const struct aggregate *rank, const struct rank_group *group, struct err *err)
{
    const char *name = aggregate_text(rank, group->number);
    uint32_t index;
    if (!intern_find(&finding->names, name, strlen(name), &index))
        return 0;
    struct numbered *numbered = &finding->groups[index];
    size_t listed = listed_count(rank, group);
    if (group->numbers > numbered->size)
        numbered->size = group->numbers;
    if (numbered->listed_by == NULL && listed > 0 && listed <= MOST_LISTED) {
        numbered->listed_by = rank;
        numbered->listed = group;
    }
    numbered->contradictions += group->shown_number == CLUSTER_TWO_NUMBERS;
    if (group->told_number >= 0 && add_evidence(finding, index, TOLD, group->told_number, rank->rank, err) < 0)
        return err_status(err);
    return group->shown_number >= 0 && add_evidence(finding, index, SHOWN, group->shown_number, rank->rank, err) < 0
               ? err_status(err)
               : 0;
}

static int by_group_and_strength(const void *a, const void *b)
{
    const struct evidence *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->strength != y->strength)
        return x->strength == SHOWN ? -1 : 1;
    return ARRAY_ORDERS(array_order(x->number, y->number), array_order(x->rank, y->rank));
}

/* ---- one group ---- */

/* Numbers and ranks that belong together, each once. */
struct pairs {
    struct map by_number, by_rank; /* of struct pair */
};
struct pair {
    int64_t key, other;
};

static int64_t other_of(const struct map *map, int64_t key)
{
    const struct pair *pair = map_get(map, &key);
    return pair != NULL ? pair->other : -1;
}

static int add_pair(struct pairs *pairs, int64_t number, int64_t rank, struct err *err)
{
    struct pair *forth = map_add(&pairs->by_number, &number, NULL, err);
    struct pair *back = forth != NULL ? map_add(&pairs->by_rank, &rank, NULL, err) : NULL;
    if (back == NULL)
        return err_status(err);
    forth->other = rank;
    back->other = number;
    return 0;
}

/* Pairs numbers with ranks, in the order of evidence: what a rank shows comes before what metadata say. Counts later
 * evidence that contradicts a pair. */
static int weigh(struct pairs *pairs, const struct evidence *evidence, size_t count, size_t *contradictions,
                 struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < count; i++) {
        int64_t rank = other_of(&pairs->by_number, evidence[i].number),
                number = other_of(&pairs->by_rank, evidence[i].rank);
        if (rank < 0 && number < 0)
            status = add_pair(pairs, evidence[i].number, evidence[i].rank, err);
        else
            *contradictions += rank != evidence[i].rank || number != evidence[i].number;
    }
    return status;
}

static bool agrees(const struct pairs *pairs, const int64_t *ranks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t rank = other_of(&pairs->by_number, (int64_t)i), number = other_of(&pairs->by_rank, ranks[i]);
        if ((rank >= 0 && rank != ranks[i]) || (number >= 0 && number != (int64_t)i))
            return false;
    }
    return true;
}

/* The one rank whose number nobody says has the one number that is left. */
static int add_last(struct pairs *pairs, const int64_t *ranks, size_t count, struct err *err)
{
    size_t open_ranks = 0, open_numbers = 0, rank = 0, number = 0;
    for (size_t i = 0; i < count; i++) {
        if (other_of(&pairs->by_rank, ranks[i]) < 0) {
            open_ranks++;
            rank = i;
        }
        if (other_of(&pairs->by_number, (int64_t)i) < 0) {
            open_numbers++;
            number = i;
        }
    }
    return open_ranks == 1 && open_numbers == 1 ? add_pair(pairs, (int64_t)number, ranks[rank], err) : 0;
}

/* Ranks that are not here: the list is in the order of numbers, unless those who are here say otherwise. */
static int add_listed(struct pairs *pairs, const int64_t *listed, const int64_t *sorted, size_t count, struct err *err)
{
    const bool in_order = agrees(pairs, listed, count);
    const int64_t *order = in_order ? listed : sorted;
    int status = 0;
    if (!in_order && !agrees(pairs, sorted, count))
        return add_last(pairs, sorted, count, err);
    for (size_t i = 0; status == 0 && i < count; i++) {
        if (order[i] >= 0 && other_of(&pairs->by_number, (int64_t)i) < 0)
            status = add_pair(pairs, (int64_t)i, order[i], err);
    }
    return status;
}

ARRAY_COMPARE(compare_numbers, struct plan_number, ARRAY_BY(number))

static int keep_pairs(struct plan *plan, struct numbered *group, const struct pairs *pairs, struct err *err)
{
    const struct pair *pair = NULL;
    size_t count = pairs->by_number.used;
    group->first_number = plan->numbers.count;
    if (array_reserve(&plan->numbers, count + 1, err) < 0)
        return err_status(err);
    while (count > 0 && (pair = map_next(&pairs->by_number, pair)) != NULL)
        plan->numbers.items[plan->numbers.count++] = (struct plan_number){pair->key, pair->other};
    group->number_count = plan->numbers.count - group->first_number;
    array_sort(plan->numbers.items + group->first_number, group->number_count, sizeof *plan->numbers.items,
               compare_numbers);
    return 0;
}

static void expand(const struct numbered *group, int64_t *ret)
{
    size_t filled = 0;
    for (uint32_t i = 0; i < group->listed->run_count; i++) {
        const struct rank_run *run = &group->listed_by->runs[group->listed->first_run + i];
        for (int64_t j = 0; j < run->count; j++)
            ret[filled++] = run->first + run->step * j;
    }
}

/* The list of a group's ranks in both orders, the ascending one in the plan. */
static int take_list(struct plan *plan, struct numbered *group, struct pairs *pairs, struct err *err)
{
    size_t count = group->listed_by != NULL ? listed_count(group->listed_by, group->listed) : 0;
    int64_t *listed = calloc(count + 1, sizeof *listed);
    if (listed == NULL || array_reserve(&plan->known, count + 1, err) < 0) {
        free(listed);
        return err_no_memory(err);
    }
    group->first_known = plan->known.count;
    group->known_count = count;
    if (count > 0)
        expand(group, listed);
    int64_t *sorted = plan->known.items + plan->known.count;
    memcpy(sorted, listed, count * sizeof *listed);
    array_sort(sorted, count, sizeof *sorted, array_compare_numbers);
    plan->known.count += count;
    int status = count > 0 ? add_listed(pairs, listed, sorted, count, err) : 0;
    free(listed);
    return status;
}

static int decide(struct finding *finding, uint32_t index, const struct evidence *evidence, size_t count,
                  struct err *err)
{
    struct numbered *group = &finding->groups[index];
    struct pairs pairs = {MAP_OF(struct pair, key), MAP_OF(struct pair, key)};
    bool failed = weigh(&pairs, evidence, count, &group->contradictions, err) < 0 ||
                  take_list(finding->plan, group, &pairs, err) < 0 || keep_pairs(finding->plan, group, &pairs, err) < 0;
    if (group->known_count > group->size)
        group->size = group->known_count;
    map_release(&pairs.by_number);
    map_release(&pairs.by_rank);
    return failed ? err_status(err) : 0;
}

/* ---- all of them ---- */

static int find_all(struct finding *finding, struct err *err)
{
    const struct plan *plan = finding->plan;
    int status = 0;
    for (size_t i = 0; status == 0 && i < plan->rank_count; i++) {
        for (size_t j = 0; status == 0 && j < plan->ranks[i].group_count; j++)
            status = hear(finding, &plan->ranks[i], &plan->ranks[i].groups[j], err);
    }
    array_sort(finding->evidence.items, finding->evidence.count, sizeof *finding->evidence.items,
               by_group_and_strength);
    size_t first = 0, end;
    for (uint32_t i = 0; status == 0 && i < finding->names.count; i++, first = end) {
        for (end = first; end < finding->evidence.count && finding->evidence.items[end].group == i; end++) {
        }
        const struct evidence *evidence = end > first ? &finding->evidence.items[first] : NULL;
        status = decide(finding, i, evidence, end - first, err);
    }
    return status;
}

static int name_groups(struct finding *finding, struct err *err)
{
    const struct plan *plan = finding->plan;
    uint32_t ignored;
    int status = 0;
    for (size_t i = 0; status == 0 && i < plan->groups.count; i++)
        status = intern_text(&finding->names, plan->groups.items[i].number, &ignored, err);
    finding->groups = calloc(finding->names.count + 1, sizeof *finding->groups);
    return status == 0 && finding->groups == NULL ? err_no_memory(err) : status;
}

static void give_ranks(const struct finding *finding)
{
    for (size_t i = 0; i < finding->plan->groups.count; i++) {
        struct plan_group *group = &finding->plan->groups.items[i];
        uint32_t index = 0;
        intern_find(&finding->names, group->number, strlen(group->number), &index);
        const struct numbered *from = &finding->groups[index];
        group->first_known = from->first_known;
        group->known_count = from->known_count;
        group->first_number = from->first_number;
        group->number_count = from->number_count;
        group->contradictions = from->contradictions;
        group->size = from->size > group->member_count ? from->size : group->member_count;
    }
}

int numbers_find(struct plan *plan, struct err *err)
{
    struct finding finding = {.plan = plan};
    bool failed = name_groups(&finding, err) < 0 || find_all(&finding, err) < 0;
    if (!failed)
        give_ranks(&finding);
    intern_release(&finding.names);
    free(finding.groups);
    free(finding.evidence.items);
    return failed ? err_status(err) : 0;
}

int64_t numbers_rank(const struct plan *plan, const struct plan_group *group, int64_t number)
{
    const struct plan_number wanted = {number, 0};
    const struct plan_number *found = group->number_count > 0
                                          ? bsearch(&wanted, plan->numbers.items + group->first_number,
                                                    group->number_count, sizeof wanted, compare_numbers)
                                          : NULL;
    return found != NULL ? found->rank : -1;
}

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

static int add_row(struct merged_block *block, const struct aggregate_row *row, int64_t rank, struct err *err)
{
    struct merged_collective *collective = find_collective(block, row->name_hash, err);
    if (collective == NULL)
        return err_status(err);
    uint64_t size = row->elapse_ns < 0 ? -(uint64_t)row->elapse_ns : (uint64_t)row->elapse_ns;
    add_ends(collective, row->elapse_ns, rank, row->elapse_ns, rank);
    keep_shortest(collective->shortest, row->elapse_ns);
    keep_longest(collective->longest, row->elapse_ns);
    keep_different(collective->different, row->elapse_ns);
    collective->count++;
    collective->sum_ns = number_add(collective->sum_ns, row->elapse_ns);
    add_squares(collective, (uint128)size * size);
    return 0;
}

static int merge_collective(struct merged_block *block, const struct merged_collective *from, struct err *err)
{
    struct merged_collective *to = find_collective(block, from->name_hash, err);
    if (to == NULL)
        return err_status(err);
    add_ends(to, from->shortest[0], from->shortest_rank, from->longest[COLLECTIVE_ENDS - 1], from->longest_rank);
    for (size_t i = 0; i < COLLECTIVE_ENDS; i++) {
        keep_shortest(to->shortest, from->shortest[i]);
        keep_longest(to->longest, from->longest[i]);
    }
    for (size_t i = 0; i < 4; i++)
        keep_different(to->different, from->different[i]);
    to->count += from->count;
    to->sum_ns = number_add(to->sum_ns, from->sum_ns);
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
        return err_status(err);
    to->bytes = number_add(to->bytes, from->bytes);
    to->ns = number_add(to->ns, from->ns);
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
    uint32_t name, transport;
    if (from.key.source < 0 || from.key.target < 0) {
        block->unmapped_links++;
        return 0;
    }
    if (intern_text(&block->texts, aggregate_text(rank, link->entry), &name, err) < 0 ||
        intern_text(&block->texts, aggregate_text(rank, link->transport), &transport, err) < 0)
        return err_status(err);
    from.key.entry = name;
    from.transport = transport;
    return merge_link(block, &from, err);
}

/* ---- one rank's part ---- */

static int add_total(struct merged_block *block, uint32_t rank, const struct aggregate_sum *sum,
                     const struct comm_packet *packets, uint32_t packet_count, struct err *err)
{
    if (array_reserve(&block->totals, 1, err) < 0 || array_reserve(&block->packets, packet_count + 1u, err) < 0)
        return err_status(err);
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

/* A total and where its packets are. */
struct placed_total {
    const struct merged_total *total;
    const struct comm_packet *packets;
};

ARRAY_COMPARE(compare_totals, struct placed_total, ARRAY_BY(total->rank))

static size_t place_totals(const struct merged_block *block, struct placed_total *ret)
{
    const struct comm_packet *packets = block->packets.items;
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
        return err_status(err);
    for (size_t j = 0; j < COMM_TRANSPORTS; j++) {
        size_t first = to->packets.count, end = first;
        for (size_t i = 0; i < count; i++) {
            const struct aggregate_sum *sum = &from[i].total->sum;
            joined.sum.transfers[j].bytes = number_add(joined.sum.transfers[j].bytes, sum->transfers[j].bytes);
            joined.sum.transfers[j].ns = number_add(joined.sum.transfers[j].ns, sum->transfers[j].ns);
            memcpy(to->packets.items + end, from[i].packets, sum->packets_of[j] * sizeof *from[i].packets);
            end += sum->packets_of[j];
            from[i].packets += sum->packets_of[j];
        }
        joined.sum.packets_of[j] = rank_packets_join(to->packets.items, first, end);
        joined.packet_count += joined.sum.packets_of[j];
        to->packets.count = first + joined.sum.packets_of[j];
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < COMM_TIMES; j++)
            joined.sum.ns[j] = number_add(joined.sum.ns[j], from[i].total->sum.ns[j]);
    }
    to->totals.items[to->totals.count++] = joined;
    return 0;
}

int merged_block_add_totals(struct merged_block *block, const struct merged_block *from, struct err *err)
{
    size_t most = block->totals.count + from->totals.count;
    struct placed_total *order = calloc(most + 1, sizeof *order);
    struct merged_block joined = {.ranks = 0};
    int status = order != NULL ? 0 : err_no_memory(err);
    size_t count = status == 0 ? place_totals(block, order) : 0;
    if (status == 0)
        count += place_totals(from, order + count);
    array_sort(order, count, sizeof *order, compare_totals);
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
    (void)err; /* what did not fit is reported by bytes->failed */
    give(opaque, true, bytes);
    return 0;
}

int merged_block_give_shared(void *opaque, struct strbuf *bytes, struct err *err)
{
    (void)err;
    give(opaque, false, bytes);
    return 0;
}

/* The numbers that the sender's texts have in this block. */
static int take_texts(struct merged_block *block, struct team_message *message, uint32_t *numbers, size_t count,
                      struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = team_message_text(message);
        if (text == NULL)
            return team_message_wrong(err);
        if (intern_text(&block->texts, text, &numbers[i], err) < 0)
            return err_status(err);
    }
    return 0;
}

static int take_links(struct merged_block *block, struct team_message *links, size_t link_count,
                      const uint32_t *numbers, size_t text_count, struct err *err)
{
    struct merged_link link;
    int status = 0;
    for (size_t i = 0; status == 0 && i < link_count; i++) {
        if (!team_message_next(links, &link, sizeof link) || (uint64_t)link.key.entry >= text_count ||
            (uint64_t)link.transport >= text_count)
            return team_message_wrong(err);
        link.key.entry = numbers[link.key.entry];
        link.transport = numbers[link.transport];
        status = merge_link(block, &link, err);
    }
    return status;
}

static int take_totals(struct merged_block *block, struct team_message *message, const struct message_head *head,
                       struct err *err)
{
    size_t rest = team_message_rest(message);
    if (head->totals > rest / sizeof(struct merged_total) || head->packets > rest / sizeof(struct comm_packet) ||
        head->totals * sizeof(struct merged_total) + head->packets * sizeof(struct comm_packet) > rest)
        return team_message_wrong(err);
    if (array_reserve(&block->totals, head->totals + 1, err) < 0 ||
        array_reserve(&block->packets, head->packets + 1, err) < 0)
        return err_status(err);
    team_message_next(message, block->totals.items + block->totals.count, head->totals * sizeof *block->totals.items);
    team_message_next(message, block->packets.items + block->packets.count,
                      head->packets * sizeof *block->packets.items);
    block->totals.count += head->totals;
    block->packets.count += head->packets;
    return 0;
}

static int take_body(struct merged_block *block, struct team_message *message, const struct message_head *head,
                     struct err *err)
{
    struct merged_collective collective;
    int status = 0;
    for (uint64_t i = 0; status == 0 && i < head->collectives; i++)
        status = team_message_next(message, &collective, sizeof collective) ? merge_collective(block, &collective, err)
                                                                            : team_message_wrong(err);
    size_t rest = team_message_rest(message);
    if (status < 0 || head->links > rest / sizeof(struct merged_link) || head->texts > rest)
        return status < 0 ? status : team_message_wrong(err);
    struct team_message links = *message;
    message->p += head->links * sizeof(struct merged_link);
    status = take_totals(block, message, head, err);
    uint32_t *numbers = calloc((size_t)head->texts + 1, sizeof *numbers);
    if (status == 0)
        status = numbers != NULL ? take_texts(block, message, numbers, (size_t)head->texts, err) : err_no_memory(err);
    if (status == 0)
        status = take_links(block, &links, (size_t)head->links, numbers, (size_t)head->texts, err);
    free(numbers);
    return status;
}

int merged_block_take(void *opaque, const void *bytes, size_t length, struct err *err)
{
    struct merged_block *block = opaque;
    struct team_message message = {bytes, (const char *)bytes + length};
    struct message_head head;
    if (!team_message_next(&message, &head, sizeof head))
        return team_message_wrong(err);
    block->ranks += head.ranks;
    block->unmapped_links += head.unmapped_links;
    return take_body(block, &message, &head, err);
}
