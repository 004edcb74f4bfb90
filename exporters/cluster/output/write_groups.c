/* SPDX-License-Identifier: Apache-2.0 */
/* communication_group.json: which ranks communicate with each other. */
#include "base/file/fsutil.h"
#include "exporters/cluster/output/write.h"

#include <stdlib.h>
#include <string.h>

static void write_ranks(struct outfile *out, const int64_t *ranks, size_t count)
{
    write_text(out, "[");
    for (size_t i = 0; i < count; i++) {
        write_text(out, i > 0 ? ", " : "");
        write_integer(out, ranks[i]);
    }
    write_text(out, "]");
}

static bool same_members(const struct plan *plan, const struct plan_group *a, const struct plan_group *b)
{
    return a->p2p == b->p2p && a->member_count == b->member_count &&
           memcmp(plan->members.items + a->first_member, plan->members.items + b->first_member,
                  a->member_count * sizeof *plan->members.items) == 0;
}

/* The sets of ranks of one kind, each once: groups of the same ranks follow each other. */
static void write_sets(struct outfile *out, const struct plan *plan, bool p2p)
{
    const struct plan_group *before = NULL;
    write_text(out, "[");
    for (size_t i = 0; i < plan->groups.count; i++) {
        const struct plan_group *group = &plan->groups.items[i];
        if (group->p2p != p2p || (before != NULL && same_members(plan, before, group)))
            continue; /* groups of the same ranks stand together, whatever their half */
        write_text(out, before != NULL ? ", " : "");
        write_ranks(out, plan->members.items + group->first_member, group->member_count);
        before = group;
    }
    write_text(out, "]");
}

static void write_group(struct outfile *out, const struct plan *plan, const struct plan_group *group)
{
    write_text(out, "{\"type\": ");
    write_json(out, group->p2p ? "p2p" : "collective");
    write_text(out, ", \"rank_set\": ");
    if (group->known_count > 0)
        write_ranks(out, plan->known.items + group->first_known, group->known_count);
    else
        write_ranks(out, plan->members.items + group->first_member, group->member_count);
    write_text(out, ", \"group_name\": ");
    write_json(out, group->number);
    write_text(out, ", \"group_id\": ");
    write_json(out, group->id != NULL ? group->id : "");
    write_text(out, ", \"pg_name\": ");
    write_json(out, group->name != NULL ? group->name : "");
    write_text(out, "}");
}

int write_groups(const char *directory, const struct plan *plan, struct err *err)
{
    struct outfile out;
    char *path = path_join(directory, "communication_group.json");
    int status = path != NULL ? outfile_open(&out, path, err) : err_set(err, ERR_NO_MEMORY, "out of memory");
    free(path);
    if (status < 0)
        return status;
    write_text(&out, "{\"collective\": ");
    write_sets(&out, plan, false);
    write_text(&out, ", \"p2p\": ");
    write_sets(&out, plan, true);
    write_text(&out, ", \"comm_group_parallel_info\": [");
    bool any = false;
    for (size_t i = 0; i < 2 * plan->groups.count; i++) {
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
        const struct plan_group *group = &plan->groups.items[i % plan->groups.count];
        if (group->p2p != (i >= plan->groups.count))
            continue;
        write_text(&out, any ? ", " : "");
        write_group(&out, plan, group);
        any = true;
    }
    write_text(&out, "]}\n");
    return outfile_commit(&out, err);
}
