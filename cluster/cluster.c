#include "cluster/cluster.h"

#include "base/file/fsutil.h"
#include "base/interrupt.h"
#include "cluster/output/matrix.h"
#include "cluster/output/write.h"
#include "cluster/verdict.h"

#include <stdlib.h>
#include <string.h>

#define MESSAGE_MAX ((size_t)512 * 1024 * 1024)

struct analysis {
    const struct cluster_request *request;
    struct diagnostics *diag;
    struct cluster_result *result;
    struct plan plan;
    size_t *next_entry; /* of each group: where its next step begins */
    struct merged_block block;
    struct verdicts verdicts;
    struct link_sums links;
    struct matrix matrix;
    struct rank_data *details;                     /* of each rank, where every operator is written; else NULL */
    struct nested_json communication, matrix_file; /* of process 0 */
    bool writes, details_wanted;
    int *owners;  /* of each rank the process that merges its part, ascending */
    int *members; /* room for those of one group */
};

/* ---- who merges what: neighbours are in many groups together, so each process gets a stretch of the ranks ---- */

static int deal_out(struct analysis *analysis, struct err *err)
{
    const struct plan *plan = &analysis->plan;
    uint64_t size = (uint64_t)analysis->request->team->size, before = 0, all = 0;
    analysis->owners = calloc(plan->rank_count + 1, sizeof *analysis->owners);
    analysis->members = calloc(size, sizeof *analysis->members);
    uint64_t *weights = calloc(plan->rank_count + 1, sizeof *weights);
    if (analysis->owners == NULL || analysis->members == NULL || weights == NULL) {
        free(weights);
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu ranks", plan->rank_count);
    }
    for (size_t i = 0; i < plan->rank_count; i++) {
        weights[i] = 1;
        for (size_t j = 0; j < plan->ranks[i].block_count; j++)
            weights[i] += plan->ranks[i].blocks[j].row_count;
        all += weights[i];
    }
    for (size_t i = 0; i < plan->rank_count; before += weights[i++])
        analysis->owners[i] = (int)((double)before / (double)all * (double)size);
    free(weights);
    return 0;
}

static bool is_mine(void *arg, size_t rank)
{
    const struct analysis *analysis = arg;
    return analysis->owners[rank] == analysis->request->team->me;
}

/* The processes that merge the entries, whose ranks ascend, and process 0, which writes. *ret_owners: without it,
 * unless it merges some of them. */
static struct team_part members_of(struct analysis *analysis, const struct plan_entry *entries, size_t count,
                                   int *ret_owners)
{
    struct team_part part = {analysis->members, 1, analysis->request->team->me == 0 ? 0 : -1};
    analysis->members[0] = 0;
    *ret_owners = count > 0 && analysis->owners[entries[0].rank] == 0;
    for (size_t i = 0; i < count; i++) {
        int owner = analysis->owners[entries[i].rank];
        if (owner <= analysis->members[part.count - 1])
            continue;
        if (owner == analysis->request->team->me)
            part.me = part.count;
        analysis->members[part.count++] = owner;
        ++*ret_owners;
    }
    return part;
}

/* A rank whose aggregate cannot be read any more costs what it would have said. */
static int pass_over(struct analysis *analysis, const struct aggregate *rank, struct err *err)
{
    if (err->code != ERR_FORMAT && err->code != ERR_NOT_FOUND && err->code != ERR_IO && err->code != ERR_ACCESS)
        return -(int)err->code;
    const struct place place = {rank->path, -1, -1, NULL};
    diag_report(analysis->diag, DIAG_FILE_UNREADABLE, &place, "rank %lld: %s", (long long)rank->rank, err_message(err));
    *err = (struct err)ERR_INIT;
    return 0;
}

static int add_mine(struct analysis *analysis, const struct plan_entry *entries, size_t count, struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < count; i++) {
        if (!is_mine(analysis, entries[i].rank))
            continue;
        status = merged_block_add(&analysis->block, &analysis->plan, &entries[i], err);
        if (status < 0)
            status = pass_over(analysis, &analysis->plan.ranks[entries[i].rank], err);
    }
    return status;
}

/* From process 0 to the others. */
static int share(struct analysis *analysis, const struct team_part *part, struct err *err)
{
    struct team *team = analysis->request->team;
    struct strbuf bytes;
    int status = 0;
    strbuf_init(&bytes, MESSAGE_MAX);
    if (part->me == 0)
        status = merged_block_give(&analysis->block, &bytes, err);
    if (status == 0)
        status = team_broadcast(team, part, &bytes, err);
    if (status == 0 && part->me != 0) {
        merged_block_clear(&analysis->block);
        status = merged_block_take(&analysis->block, bytes.data, bytes.length, err);
    }
    strbuf_release(&bytes);
    return status;
}

/* Afterwards process 0 and those that have ranks of it have the whole group and step, others nothing. */
static int merge(struct analysis *analysis, const struct plan_entry *entries, size_t count, struct err *err)
{
    int owners;
    const struct team_part part = members_of(analysis, entries, count, &owners);
    merged_block_clear(&analysis->block);
    if (part.me < 0)
        return 0;
    int status = add_mine(analysis, entries, count, err);
    if (status == 0 && part.count > 1)
        status =
            team_reduce(analysis->request->team, &part, merged_block_give, merged_block_take, &analysis->block, err);
    return status == 0 && owners > 1 ? share(analysis, &part, err) : status;
}

/* ---- files of process 0 ---- */

/* The block of a rank's details that an entry is about; NULL: none. */
static const struct rank_block *detail_block(const struct analysis *analysis, const struct plan_entry *entry)
{
    const struct rank_data *rank = &analysis->details[entry->rank];
    return entry->block < rank->blocks.count ? &rank->blocks.items[entry->block] : NULL;
}

static const struct rank_operator *find_operator(const struct rank_data *rank, const struct rank_block *block,
                                                 const char *name, uint32_t hint)
{
    uint32_t number;
    if (!intern_find(&rank->texts, name, strlen(name), &number))
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
        const struct rank_block *block = detail_block(analysis, &entries[j]);
        if (block != NULL && block->operator_count > 0 &&
            find_operator(&analysis->details[entries[j].rank], block, name, hint) != NULL)
            return true;
    }
    return false;
}

static void write_operator(struct analysis *analysis, const struct plan_entry *entries, size_t first, size_t count,
                           const char *name, uint32_t hint)
{
    struct outfile *out = &analysis->communication.out;
    bool any = false;
    nested_json_member(&analysis->communication, name, analysis->plan.groups.items[entries->group].number);
    write_text(out, "{");
    for (size_t i = first; i < count; i++) {
        const struct rank_data *rank = &analysis->details[entries[i].rank];
        const struct rank_block *block = detail_block(analysis, &entries[i]);
        const struct rank_operator *operator_ =
            block != NULL && block->operator_count > 0 ? find_operator(rank, block, name, hint) : NULL;
        if (operator_ == NULL)
            continue;
        write_text(out, any ? ", \"" : "\"");
        write_integer(out, analysis->plan.ranks[entries[i].rank].rank);
        write_text(out, "\": {");
        write_operator_info(out, rank, operator_);
        write_text(out, "}");
        any = true;
    }
    write_text(out, "}");
}

static void write_operators(struct analysis *analysis, const struct plan_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct rank_data *rank = &analysis->details[entries[i].rank];
        const struct rank_block *block = detail_block(analysis, &entries[i]);
        for (uint32_t j = 0; block != NULL && j < block->operator_count; j++) {
            const char *name = rank_text_of(rank, rank->operators.items[block->first_operator + j].name);
            if (!written_before(analysis, entries, i, name, j))
                write_operator(analysis, entries, i, count, name, j);
        }
    }
}

/* What each rank did in the group and step altogether. */
static int write_totals(struct analysis *analysis, const struct plan_entry *entries, size_t count, const char *number,
                        struct err *err)
{
    struct outfile *out = &analysis->communication.out;
    bool any = false;
    int status = 0;
    nested_json_member(&analysis->communication, "Total Op Info", number);
    write_text(out, "{");
    for (size_t i = 0; status == 0 && i < count; i++) {
        const struct aggregate *rank = &analysis->plan.ranks[entries[i].rank];
        const struct aggregate_block *block = &rank->blocks[entries[i].block];
        struct rank_packet *packets = calloc(block->packet_count + 1u, sizeof *packets);
        status = packets != NULL ? aggregate_read_packets(rank, block, packets, err)
                                 : err_set(err, ERR_NO_MEMORY, "out of memory");
        if (status < 0) {
            status = pass_over(analysis, rank, err);
        } else if (block->row_count > 0) {
            write_text(out, any ? ", \"" : "\"");
            write_integer(out, rank->rank);
            write_text(out, "\": {");
            write_total_info(out, block, packets);
            write_text(out, "}");
            any = true;
        }
        free(packets);
    }
    write_text(out, "}");
    return status;
}

static int write_block(struct analysis *analysis, const struct plan_entry *entries, size_t count, const char *key,
                       struct err *err)
{
    const struct plan_group *group = &analysis->plan.groups.items[entries->group];
    const char *step = analysis->plan.steps.items[entries->step];
    int status = 0;
    if (analysis->block.collectives.used > 0) {
        nested_json_go(&analysis->communication, key, step);
        if (analysis->details != NULL)
            write_operators(analysis, entries, count);
        status = write_totals(analysis, entries, count, group->number, err);
    }
    matrix_clear(&analysis->matrix);
    for (size_t i = 0; status == 0 && analysis->details != NULL && i < count; i++) {
        const struct rank_block *block = detail_block(analysis, &entries[i]);
        if (block != NULL)
            status = matrix_add_details(&analysis->matrix, &analysis->plan, group, &analysis->details[entries[i].rank],
                                        block, err);
    }
    if (status == 0 && analysis->details == NULL)
        status = matrix_add_totals(&analysis->matrix, &analysis->block, err);
    if (status == 0 && analysis->matrix.unmapped > 0)
        diag_report(analysis->diag, DIAG_NAME_UNKNOWN, NULL,
                    "%lld links of group %s in %s lead to ranks that no profiler_metadata.json names; left out",
                    (long long)analysis->matrix.unmapped, group->number, step);
    if (status == 0 && analysis->matrix.links.used > 0) {
        nested_json_go(&analysis->matrix_file, key, step);
        status = matrix_write(&analysis->matrix, &analysis->matrix_file, group->number, err);
    }
    return status == 0 ? link_sums_add(&analysis->links, &analysis->block, err) : status;
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

static bool same_members(const struct plan *plan, size_t a, size_t b)
{
    const struct plan_group *x = &plan->groups.items[a], *y = &plan->groups.items[b];
    return x->member_count == y->member_count &&
           memcmp(plan->members.items + x->first_member, plan->members.items + y->first_member,
                  x->member_count * sizeof *plan->members.items) == 0;
}

/* Groups of the same ranks, step by step: they stand together in the files. */
static int analyse_run(struct analysis *analysis, uint32_t first, uint32_t end, struct err *err)
{
    const struct plan *plan = &analysis->plan;
    const struct plan_group *members = &plan->groups.items[first];
    char *key = ranks_text(plan->members.items + members->first_member, members->member_count);
    int status = key != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
    for (uint32_t step = 0; status == 0 && step < plan->steps.count; step++) {
        for (uint32_t group = first; status == 0 && group < end; group++) {
            const struct plan_entry *entries;
            size_t count = take_entries(analysis, group, step, &entries);
            if (count == 0)
                continue;
            if (interrupted())
                status = interrupt_error(err);
            if (status == 0)
                status = merge(analysis, entries, count, err);
            if (status == 0)
                status =
                    verdicts_add(&analysis->verdicts, plan, &analysis->block, entries, count, is_mine, analysis, err);
            if (status == 0 && analysis->writes)
                status = write_block(analysis, entries, count, key, err);
            analysis->result->blocks++;
        }
    }
    free(key);
    return status;
}

static int analyse_groups(struct analysis *analysis, struct err *err)
{
    struct plan *plan = &analysis->plan;
    uint32_t count = (uint32_t)plan->groups.count;
    int status = 0;
    analysis->next_entry = calloc(count + 1u, sizeof *analysis->next_entry);
    if (analysis->next_entry == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = plan->entries.count; i-- > 0;)
        analysis->next_entry[plan->entries.items[i].group] = i;
    for (uint32_t first = 0, end; status == 0 && first < count; first = end) {
        end = first + 1;
        while (end < count && same_members(plan, first, end))
            end++;
        status = analyse_run(analysis, first, end, err);
        progress_update(analysis->request->progress, "cluster", end, count);
    }
    free(analysis->next_entry);
    return status;
}

/* ---- all of it ---- */

static int load_details(struct analysis *analysis, struct err *err)
{
    const struct plan *plan = &analysis->plan;
    int status = 0;
    analysis->details = calloc(plan->rank_count + 1, sizeof *analysis->details);
    if (analysis->details == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; status == 0 && i < plan->rank_count; i++) {
        status = aggregate_read_all(plan->ranks[i].path, &analysis->details[i], err);
        if (status < 0) {
            rank_data_release(&analysis->details[i]);
            status = pass_over(analysis, &plan->ranks[i], err);
        }
    }
    return status;
}

/* Ranks that metadata name and nobody brought; ranks without steps that others have. */
static void tell_missing(struct analysis *analysis)
{
    const struct plan *plan = &analysis->plan;
    size_t most = 0;
    for (size_t i = 0; i < plan->rank_count; i++)
        most = plan->ranks[i].step_count > most ? plan->ranks[i].step_count : most;
    for (size_t i = 0; i < plan->rank_count; i++) {
        const struct place place = {plan->ranks[i].path, -1, -1, NULL};
        if (plan->ranks[i].step_count < most)
            diag_report(analysis->diag, DIAG_RANK_MISSING, &place, "rank %lld has %zu steps, others have %zu",
                        (long long)plan->ranks[i].rank, plan->ranks[i].step_count, most);
    }
    int64_t told = -1;
    for (size_t i = 0; i < plan->groups.count; i++) {
        const struct plan_group *group = &plan->groups.items[i];
        size_t known = group->known_by != NULL ? group->known_by->groups[group->known_group].global_count : 0;
        for (size_t j = 0; j < known; j++) {
            int64_t rank = plan_global(plan, group, (int64_t)j);
            if (rank <= told || plan_rank(plan, rank) != NULL)
                continue;
            diag_report(analysis->diag, DIAG_RANK_MISSING, NULL, "rank %lld of group %s has no capture here",
                        (long long)rank, group->name != NULL ? group->name : group->number);
            told = rank;
        }
    }
}

static int open_nested(struct nested_json *json, const char *directory, const char *name, struct err *err)
{
    char *path = path_join(directory, name);
    int status = path != NULL ? nested_json_open(json, path, err) : err_set(err, ERR_NO_MEMORY, "out of memory");
    free(path);
    return status;
}

static int write_tables(struct analysis *analysis, struct err *err)
{
    const char *directory = analysis->request->directory;
    verdicts_sort(&analysis->verdicts);
    int status = write_steps(directory, &analysis->plan, err);
    if (status == 0)
        status = write_groups(directory, &analysis->plan, err);
    if (status == 0)
        status = write_slow_ranks(directory, &analysis->plan, &analysis->verdicts, err);
    if (status == 0)
        status = write_late(directory, &analysis->plan, &analysis->verdicts, err);
    if (status == 0)
        status = write_slow_links(directory, &analysis->links, err);
    if (status == 0)
        analysis->result->files += 5;
    return status;
}

static int analyse_and_write(struct analysis *analysis, struct err *err)
{
    const char *directory = analysis->request->directory;
    int status = open_nested(&analysis->communication, directory, "cluster_communication.json", err);
    if (status < 0)
        return status;
    status = open_nested(&analysis->matrix_file, directory, "cluster_communication_matrix.json", err);
    if (status < 0) {
        nested_json_close(&analysis->communication, status, err);
        return status;
    }
    tell_missing(analysis);
    if (analysis->details_wanted)
        status = load_details(analysis, err);
    if (status == 0)
        status = analyse_groups(analysis, err);
    if (status == 0)
        status = verdicts_reduce(&analysis->verdicts, analysis->request->team, err);
    status = nested_json_close(&analysis->communication, status, err);
    status = nested_json_close(&analysis->matrix_file, status, err);
    if (status < 0)
        return status;
    analysis->result->files += 2;
    return write_tables(analysis, err);
}

static void release(struct analysis *analysis)
{
    for (size_t i = 0; analysis->details != NULL && i < analysis->plan.rank_count; i++)
        rank_data_release(&analysis->details[i]);
    free(analysis->details);
    free(analysis->owners);
    free(analysis->members);
    matrix_clear(&analysis->matrix);
    link_sums_release(&analysis->links);
    verdicts_release(&analysis->verdicts);
    merged_block_release(&analysis->block);
    plan_release(&analysis->plan);
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
    merged_block_init(&analysis.block);
    int status = plan_make(&analysis.plan, ranks, rank_count, request->steps, err);
    if (status == 0)
        status = deal_out(&analysis, err);
    if (status == 0)
        status = verdicts_init(&analysis.verdicts, rank_count, err);
    if (status == 0 && analysis.writes) {
        status = analyse_and_write(&analysis, err);
    } else if (status == 0) {
        status = analyse_groups(&analysis, err);
        if (status == 0)
            status = verdicts_reduce(&analysis.verdicts, request->team, err);
    }
    ret->collectives = analysis.verdicts.collectives;
    ret->incomplete = analysis.verdicts.incomplete;
    release(&analysis);
    return status;
}
