/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/cluster.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/file/large.h"
#include "base/progress.h"
#include "features/cluster/block.h"
#include "features/cluster/output/write.h"
#include "features/cluster/plan.h"

#include <stdlib.h>
#include <string.h>

#define MESSAGE_MAX ((size_t)1 << 40)

/* The point-to-point or the collective operators of a group in a step: the totals of both are one. */
struct half {
    struct merged_block block;
    const struct plan_entry *entries;
    size_t count;
};

struct analysis {
    const struct cluster_request *request;
    struct diagnostics *diag;
    struct cluster_result *result;
    struct plan plan;
    size_t *next_entry; /* of each group: where its next step begins */
    struct half halves[2];
    struct verdicts verdicts;
    struct late_names names;
    struct link_sums links;
    struct matrix matrix;
    struct rank_data *details; /* of each rank, where every operator is written, its lists in rooms; else NULL */
    struct ARRAY_OF(char *) rooms;
    size_t room_size, room_used;                   /* of the last */
    struct nested_json communication, matrix_file; /* of process 0 */
    bool writes, details_wanted;
    int *members; /* room for the processes of one group */
};

/* ---- who merges what: each process the ranks that it has opened ---- */

static bool is_mine(void *arg, size_t rank)
{
    const struct analysis *analysis = arg;
    return analysis->plan.ranks[rank].owner == analysis->request->team->me;
}

/* Adds a process to those of a part, which ascend. */
static void add_member(struct team_part *part, int *members, int process, int me)
{
    int place = part->count;
    while (place > 0 && members[place - 1] > process)
        place--;
    if (place > 0 && members[place - 1] == process)
        return;
    memmove(members + place + 1, members + place, (size_t)(part->count - place) * sizeof *members);
    members[place] = process;
    part->count++;
    part->me = -1;
    for (int i = 0; i < part->count; i++) {
        if (members[i] == me)
            part->me = i;
    }
}

/* The processes that merge the entries, and process 0, which writes. *ret_owners: without it, unless it merges some of
 * them. */
static struct team_part members_of(struct analysis *analysis, const struct half *half, int *ret_owners)
{
    const struct team *team = analysis->request->team;
    struct team_part part = {analysis->members, 0, -1};
    for (size_t i = 0; i < half->count; i++)
        add_member(&part, analysis->members, analysis->plan.ranks[half->entries[i].rank].owner, team->me);
    *ret_owners = part.count;
    add_member(&part, analysis->members, 0, team->me);
    return part;
}

/* A rank whose aggregate cannot be read any more costs what it would have said. */
static int pass_over(struct analysis *analysis, const struct aggregate *rank, struct err *err)
{
    if (err->code != ERR_FORMAT && err->code != ERR_NOT_FOUND && err->code != ERR_IO && err->code != ERR_ACCESS)
        return err_status(err);
    diag_report(analysis->diag, DIAG_FILE_UNREADABLE, FILE_PLACE(rank->source, NULL), "rank %lld: %s",
                (long long)rank->rank, err_message(err));
    *err = (struct err)ERR_INIT;
    return 0;
}

static int lose(void *arg, const struct aggregate *rank, struct err *err)
{
    return pass_over(arg, rank, err);
}

static int add_mine(struct analysis *analysis, struct half *half, struct err *err)
{
    for (size_t i = 0; i < half->count; i++) {
        const struct plan_entry *entry = &half->entries[i];
        if (is_mine(analysis, entry->rank) && merged_block_add(&half->block, &analysis->plan, entry, err) < 0 &&
            pass_over(analysis, &analysis->plan.ranks[entry->rank], err) < 0)
            return err_status(err);
    }
    return 0;
}

/* From process 0 to the others. */
static int share(struct analysis *analysis, struct half *half, const struct team_part *part, struct err *err)
{
    struct team *team = analysis->request->team;
    SCOPED(strbuf_release) struct strbuf bytes;
    strbuf_init(&bytes, MESSAGE_MAX);
    if ((part->me == 0 && merged_block_give_shared(&half->block, &bytes, err) < 0) ||
        team_broadcast(team, part, &bytes, err) < 0)
        return err_status(err);
    if (part->me == 0)
        return 0;
    merged_block_clear(&half->block);
    return merged_block_take(&half->block, bytes.data, bytes.length, err);
}

/* Afterwards process 0 and those that have ranks of it have the whole group and step, others nothing. */
static int merge(struct analysis *analysis, struct half *half, struct err *err)
{
    int owners;
    merged_block_clear(&half->block);
    if (half->count == 0)
        return 0;
    const struct team_part part = members_of(analysis, half, &owners);
    if (part.me < 0)
        return 0;
    int status = add_mine(analysis, half, err);
    if (status == 0 && part.count > 1)
        status = team_reduce(analysis->request->team, &part, merged_block_give, merged_block_take, &half->block, err);
    return status == 0 && owners > 1 ? share(analysis, half, &part, err) : status;
}

/* ---- files of process 0 ---- */

/* The block of a rank's details that an entry is about; empty where they could not be read. */
static struct rank_block detail_block(const struct analysis *analysis, const struct plan_entry *entry)
{
    const struct aggregate *rank = &analysis->plan.ranks[entry->rank];
    const struct rank_data *details = &analysis->details[entry->rank];
    const struct aggregate_block *block = &rank->blocks[entry->block];
    const struct aggregate_place *place = &rank->places[entry->block];
    return (struct rank_block){.first_operator = (uint32_t)place->operator_,
                               .operator_count = details->operators.count > 0 ? block->operator_count : 0,
                               .first_link = (uint32_t)place->detail_link,
                               .link_count = details->links.count > 0 ? block->detail_link_count : 0};
}

static const struct rank_operator *find_operator(const struct rank_data *rank, const struct rank_block *block,
                                                 const char *name, uint32_t hint)
{
    uint32_t number;
    if (block->operator_count == 0 || !intern_find(&rank->names, name, strlen(name), &number))
        return NULL;
    for (uint32_t i = 0; i < block->operator_count; i++) {
        uint32_t place = (hint + i) % block->operator_count;
        if (rank->operators.items[block->first_operator + place].name == number)
            return &rank->operators.items[block->first_operator + place];
    }
    return NULL;
}

/* Whether an earlier rank has the operator, which then has been written with all ranks. */
static bool written_before(const struct analysis *analysis, const struct plan_entry *entries, size_t i,
                           const char *name, uint32_t hint)
{
    for (size_t j = 0; j < i; j++) {
        const struct rank_block block = detail_block(analysis, &entries[j]);
        if (find_operator(&analysis->details[entries[j].rank], &block, name, hint) != NULL)
            return true;
    }
    return false;
}

static void write_operator(struct analysis *analysis, const struct plan_entry *entries, size_t first, size_t count,
                           const char *name, uint32_t hint)
{
    struct nested_json *json = &analysis->communication;
    const struct cluster_member member = {json->step, name, analysis->plan.groups.items[entries->group].number};
    json_put_key(&json->json, name, member.number);
    json_put_begin(&json->json, NULL, '{');
    for (size_t i = first; i < count; i++) {
        const struct rank_data *rank = &analysis->details[entries[i].rank];
        const struct rank_block block = detail_block(analysis, &entries[i]);
        const struct rank_operator *operator_ = find_operator(rank, &block, name, hint);
        if (operator_ == NULL)
            continue;
        const struct comm_info info = rank_info_of_operator(rank, operator_);
        large_passed(8); /* each may be in a page of its own */
        nested_json_rank(json, &member, analysis->plan.ranks[entries[i].rank].rank, &info);
    }
    json_put_end(&json->json, '}');
}

static void write_operators(struct analysis *analysis, const struct half *half)
{
    const struct plan_entry *entries = half->entries;
    size_t count = half->count;
    for (size_t i = 0; i < count; i++) {
        const struct rank_data *rank = &analysis->details[entries[i].rank];
        const struct rank_block block = detail_block(analysis, &entries[i]);
        for (uint32_t j = 0; j < block.operator_count; j++) {
            const char *name = rank_text_of(&rank->names, rank->operators.items[block.first_operator + j].name);
            if (!written_before(analysis, entries, i, name, j))
                write_operator(analysis, entries, i, count, name, j);
        }
    }
}

/* Writes what each rank did in the group and step altogether. */
static void write_totals(struct analysis *analysis, const struct merged_block *totals, const char *number)
{
    struct nested_json *json = &analysis->communication;
    const struct cluster_member member = {json->step, "Total Op Info", number};
    const struct comm_packet *packets = totals->packets.items;
    json_put_key(&json->json, member.name, number);
    json_put_begin(&json->json, NULL, '{');
    for (size_t i = 0; i < totals->totals.count; i++) {
        const struct merged_total *total = &totals->totals.items[i];
        const struct comm_info info = rank_info_of_total(&total->sum, packets);
        nested_json_rank(json, &member, analysis->plan.ranks[total->rank].rank, &info);
        packets += total->packet_count;
    }
    json_put_end(&json->json, '}');
}

/* Adds what a half says of links. */
static int add_links(struct analysis *analysis, const struct half *half, struct err *err)
{
    int status = link_sums_add(&analysis->links, &half->block, err);
    if (status == 0 && analysis->details == NULL)
        return matrix_add_totals(&analysis->matrix, &half->block, err);
    for (size_t i = 0; status == 0 && i < half->count; i++) {
        const struct plan_entry *entry = &half->entries[i];
        const struct rank_block block = detail_block(analysis, entry);
        status =
            matrix_add_details(&analysis->matrix, &analysis->plan, entry, &analysis->details[entry->rank], &block, err);
    }
    return status;
}

/* A group and step of both halves. */
static int write_block(struct analysis *analysis, const char *number, const char *step, const char *key,
                       struct err *err)
{
    struct half *halves = analysis->halves;
    matrix_clear(&analysis->matrix);
    int status = merged_block_add_totals(&halves[0].block, &halves[1].block, err);
    for (size_t i = 0; status == 0 && i < 2; i++)
        status = add_links(analysis, &halves[i], err);
    if (status == 0 && halves[0].block.totals.count > 0) {
        nested_json_go(&analysis->communication, key, step);
        for (size_t i = 0; analysis->details != NULL && i < 2; i++)
            write_operators(analysis, &halves[i]);
        write_totals(analysis, &halves[0].block, number);
    }
    analysis->result->unmapped += analysis->matrix.unmapped;
    if (status == 0 && analysis->matrix.unmapped > 0)
        diag_report(analysis->diag, DIAG_LINK_UNMAPPED, NULL, "%lld links of group %s in %s",
                    (long long)analysis->matrix.unmapped, number, step);
    if (status == 0 && analysis->matrix.links.used > 0) {
        nested_json_go(&analysis->matrix_file, key, step);
        status = matrix_write(&analysis->matrix, &analysis->matrix_file, number, err);
    }
    return status;
}

/* ---- groups ---- */

/* The entries of a group and step, which are next in their group. */
static size_t take_entries(struct analysis *analysis, uint32_t group, uint32_t step, const struct plan_entry **ret)
{
    const struct plan *plan = &analysis->plan;
    size_t first = analysis->next_entry[group], end = first;
    while (end < plan->entries.count && plan->entries.items[end].group == group &&
           plan->entries.items[end].step == step)
        end++;
    *ret = plan->entries.items + first;
    analysis->next_entry[group] = end;
    return end - first;
}

/* Merges and judges one half. */
static int analyse_half(struct analysis *analysis, struct half *half, struct err *err)
{
    const struct plan *plan = &analysis->plan;
    if (merge(analysis, half, err) < 0)
        return err_status(err);
    return verdicts_add(&analysis->verdicts, plan, &half->block, half->entries, half->count, is_mine, analysis, err) < 0
               ? pass_over(analysis, &plan->ranks[half->entries->rank], err)
               : 0;
}

/* A group in a step; halves: 2 when the group behind it is the same one's point-to-point half. */
static int analyse_group(struct analysis *analysis, uint32_t group, uint32_t halves, uint32_t step, const char *key,
                         struct err *err)
{
    const struct plan *plan = &analysis->plan;
    int status = interrupted() ? interrupt_error(err) : 0;
    size_t entries = 0;
    for (uint32_t i = 0; i < 2; i++) {
        struct half *half = &analysis->halves[i];
        half->count = i < halves ? take_entries(analysis, group + i, step, &half->entries) : 0;
        entries += half->count;
        analysis->result->blocks += half->count > 0;
    }
    for (uint32_t i = 0; status == 0 && i < 2; i++)
        status = analyse_half(analysis, &analysis->halves[i], err);
    if (status == 0 && entries > 0 && analysis->writes)
        status = write_block(analysis, plan->groups.items[group].number, plan->steps.items[step], key, err);
    return status;
}

/* Groups of the same ranks, step by step: they stand together in the files. */
static int analyse_run(struct analysis *analysis, uint32_t first, uint32_t end, struct err *err)
{
    const struct plan *plan = &analysis->plan;
    const struct plan_group *groups = plan->groups.items;
    SCOPED_FREE char *key = ranks_text(plan->members.items + groups[first].first_member, groups[first].member_count);
    if (key == NULL)
        return err_no_memory(err);
    for (uint32_t step = 0; step < plan->steps.count; step++) {
        for (uint32_t group = first, halves; group < end; group += halves) {
            halves = group + 1 < end && strcmp(groups[group].number, groups[group + 1].number) == 0 ? 2 : 1;
            if (analyse_group(analysis, group, halves, step, key, err) < 0)
                return err_status(err);
        }
    }
    return 0;
}

static int analyse_groups(struct analysis *analysis, struct err *err)
{
    struct plan *plan = &analysis->plan;
    uint32_t count = (uint32_t)plan->groups.count;
    SCOPED_FREE size_t *next_entry = scoped_memory(count + 1u, sizeof *next_entry);
    if (next_entry == NULL)
        return err_no_memory(err);
    analysis->next_entry = next_entry;
    for (size_t i = plan->entries.count; i-- > 0;)
        next_entry[plan->entries.items[i].group] = i;
    for (uint32_t first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && plan_same_members(plan, &plan->groups.items[first], &plan->groups.items[end]))
            end++;
        if (analyse_run(analysis, first, end, err) < 0)
            return err_status(err);
        progress_update(analysis->request->progress, "cluster", end, count);
    }
    return 0;
}

/* ---- all of it ---- */

/* Sends the details of a rank to process 0; nothing when they cannot be read any more. */
static int send_details(struct analysis *analysis, const struct aggregate *rank, struct strbuf *bytes, struct err *err)
{
    struct team *team = analysis->request->team;
    if (aggregate_read_bytes(rank, bytes, err) < 0) {
        strbuf_clear(bytes);
        if (pass_over(analysis, rank, err) < 0)
            return err_status(err);
    }
    return team->me != 0 ? team->send(team, 0, bytes, err) : 0;
}

/* Moves a list to where it needs no memory: all ranks' together are larger than that should be. */
static int give_room(struct analysis *analysis, void *items, size_t size, struct err *err)
{
    enum { DOUBLED = 5 };
    size_t wanted = LARGE_LEAST << (analysis->rooms.count < DOUBLED ? analysis->rooms.count : DOUBLED);
    void **list = items, *from = *list;
    char *room = analysis->rooms.count > 0 ? analysis->rooms.items[analysis->rooms.count - 1] : NULL;
    *list = NULL;
    if (size > analysis->room_size - analysis->room_used) {
        analysis->room_size = wanted > size ? wanted : size;
        analysis->room_used = 0;
        room = array_reserve(&analysis->rooms, 1, err) == 0 ? large_new(analysis->room_size, 1, err) : NULL;
        if (room != NULL)
            analysis->rooms.items[analysis->rooms.count++] = room;
    }
    if (size > 0 && room != NULL) {
        *list = memcpy(room + analysis->room_used, from, size);
        analysis->room_used += size;
    }
    free(from);
    return size > 0 && room == NULL ? err_status(err) : 0;
}

static int give_rooms(struct analysis *analysis, struct rank_data *rank, struct err *err)
{
    int operators =
            give_room(analysis, &rank->operators.items, rank->operators.count * sizeof *rank->operators.items, err),
        links = give_room(analysis, &rank->links.items, rank->links.count * sizeof *rank->links.items, err),
        packets = give_room(analysis, &rank->packets.items, rank->packets.count * sizeof *rank->packets.items, err);
    large_forget();
    return operators < 0 || links < 0 || packets < 0 ? err_status(err) : 0;
}

static int take_details(struct analysis *analysis, size_t i, const struct strbuf *bytes, struct err *err)
{
    const struct aggregate *rank = &analysis->plan.ranks[i];
    if (aggregate_take_details(rank, bytes->data, bytes->length, &analysis->details[i], err) == 0)
        return give_rooms(analysis, &analysis->details[i], err);
    rank_data_release(&analysis->details[i]);
    return pass_over(analysis, rank, err);
}

/* Every operator of all ranks, to process 0. */
static int load_details(struct analysis *analysis, struct err *err)
{
    const struct plan *plan = &analysis->plan;
    struct team *team = analysis->request->team;
    SCOPED(strbuf_release) struct strbuf bytes;
    strbuf_init(&bytes, MESSAGE_MAX);
    if (team->me == 0 && (analysis->details = calloc(plan->rank_count + 1, sizeof *analysis->details)) == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < plan->rank_count; i++) {
        const struct aggregate *rank = &plan->ranks[i];
        strbuf_clear(&bytes);
        if ((rank->owner == team->me && send_details(analysis, rank, &bytes, err) < 0) ||
            (rank->owner != team->me && team->me == 0 && team->receive(team, rank->owner, &bytes, err) < 0) ||
            (team->me == 0 && bytes.length > 0 && take_details(analysis, i, &bytes, err) < 0))
            return err_status(err);
    }
    return 0;
}

static int write_tables(struct analysis *analysis, struct err *err)
{
    const char *directory = analysis->request->directory;
    struct cluster_database *database = analysis->request->database;
    struct cluster_worst *worst = &analysis->result->worst;
    if (write_steps(directory, &analysis->plan, database, err) < 0 ||
        write_groups(directory, &analysis->plan, database, err) < 0 ||
        write_slow_ranks(directory, &analysis->plan, &analysis->verdicts, worst, err) < 0 ||
        write_late(directory, &analysis->plan, &analysis->verdicts, &analysis->names, worst, err) < 0 ||
        write_slow_links(directory, &analysis->links, worst, err) < 0 ||
        write_slow_computing(directory, &analysis->plan, worst, err) < 0 ||
        write_rank_times(directory, &analysis->plan, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < analysis->plan.groups.count; i++)
        worst->groups_of_two += analysis->plan.groups.items[i].p2p;
    analysis->result->files += 7;
    return 0;
}

/* Does the part of the work that all processes do. */
static int analyse_all(struct analysis *analysis, struct err *err)
{
    struct team *team = analysis->request->team;
    if ((analysis->details_wanted && load_details(analysis, err) < 0) || analyse_groups(analysis, err) < 0 ||
        verdicts_reduce(&analysis->verdicts, team, err) < 0)
        return err_status(err);
    verdicts_sort(&analysis->verdicts);
    return late_names_find(&analysis->names, &analysis->plan, &analysis->verdicts, team, lose, analysis, err);
}

static int analyse_and_write(struct analysis *analysis, struct err *err)
{
    const struct cluster_request *request = analysis->request;
    if (nested_json_open(&analysis->communication, request->directory, CLUSTER_COMMUNICATION, request->database, err) <
        0)
        return err_status(err);
    int status = nested_json_open(&analysis->matrix_file, request->directory, "cluster_communication_matrix.json",
                                  request->database, err);
    if (status < 0)
        return nested_json_close(&analysis->communication, status, err);
    status =
        cluster_missing_tell(&analysis->plan, analysis->diag, err) < 0 ? err_status(err) : analyse_all(analysis, err);
    status = nested_json_close(&analysis->communication, status, err);
    if (nested_json_close(&analysis->matrix_file, status, err) < 0)
        return err_status(err);
    analysis->result->files += 2;
    return write_tables(analysis, err);
}

static void release(struct analysis *analysis)
{
    for (size_t i = 0; analysis->details != NULL && i < analysis->plan.rank_count; i++) {
        struct rank_data *rank = &analysis->details[i];
        rank->operators.items = NULL;
        rank->links.items = NULL;
        rank->packets.items = NULL;
        rank_data_release(rank);
    }
    for (size_t i = 0; i < analysis->rooms.count; i++)
        large_free(analysis->rooms.items[i]);
    free(analysis->rooms.items);
    free(analysis->details);
    free(analysis->members);
    matrix_clear(&analysis->matrix);
    link_sums_release(&analysis->links);
    late_names_release(&analysis->names);
    verdicts_release(&analysis->verdicts);
    merged_block_release(&analysis->halves[0].block);
    merged_block_release(&analysis->halves[1].block);
    plan_release(&analysis->plan);
}

static int prepare(struct analysis *analysis, const struct aggregate *ranks, size_t rank_count, struct err *err)
{
    const struct cluster_request *request = analysis->request;
    merged_block_init(&analysis->halves[0].block);
    merged_block_init(&analysis->halves[1].block);
    analysis->members = calloc((size_t)request->team->size + 1, sizeof *analysis->members);
    if (analysis->members == NULL)
        return err_no_memory(err);
    if (plan_make(&analysis->plan, ranks, rank_count, request->steps, err) < 0 ||
        numbers_find(&analysis->plan, err) < 0)
        return err_status(err);
    return verdicts_init(&analysis->verdicts, rank_count, err);
}

int cluster_analyse(const struct aggregate *ranks, size_t rank_count, const struct cluster_request *request,
                    struct diagnostics *diag, struct cluster_result *ret, struct err *err)
{
    struct analysis analysis = {.request = request,
                                .diag = diag,
                                .result = ret,
                                .writes = request->team->me == 0,
                                .details_wanted = request->detail || rank_count <= CLUSTER_DETAIL_RANKS};
    *ret = (struct cluster_result){.files = 0};
    bool failed = prepare(&analysis, ranks, rank_count, err) < 0 ||
                  (analysis.writes ? analyse_and_write(&analysis, err) : analyse_all(&analysis, err)) < 0;
    ret->collectives = analysis.verdicts.collectives;
    ret->incomplete = analysis.verdicts.incomplete;
    release(&analysis);
    return failed ? err_status(err) : 0;
}
