/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/fsutil.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "exporters/cluster/output/write.h"

#include <csv.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PIECE 4096
#define RANKS_TEXT_MAX ((size_t)64 * 1024 * 1024)

static void write_text(struct outfile *out, const char *text)
{
    outfile_write(out, text, strlen(text));
}

static void write_csv(struct outfile *out, const char *text)
{
    char buffer[2 * PIECE + 2];
    size_t length = strlen(text);
    if (strpbrk(text, ",\"\r\n") == NULL || length > PIECE) {
        write_text(out, text);
        return;
    }
    outfile_write(out, buffer, csv_write(buffer, sizeof buffer, text, length));
}

static void write_decimal(struct outfile *out, int64_t value, unsigned decimals)
{
    char *p = outfile_reserve(out, NUMBER_MAX);
    outfile_advance(out, (size_t)(number_put_shortest(p, value, decimals) - p));
}

int write_open(struct outfile *out, const char *directory, const char *name, const char *head, struct err *err)
{
    char *path = path_join(directory, name);
    int status = path != NULL ? outfile_open(out, path, err) : err_no_memory(err);
    free(path);
    if (status == 0)
        write_text(out, head);
    return status;
}

void write_cells(struct outfile *out, const struct csv_cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        write_text(out, i > 0 ? "," : "");
        if (cells[i].text != NULL)
            write_csv(out, cells[i].text);
        else
            write_decimal(out, cells[i].value, cells[i].decimals);
    }
    write_text(out, "\n");
}

char *ranks_text(const int64_t *ranks, size_t count)
{
    struct strbuf text;
    strbuf_init(&text, RANKS_TEXT_MAX);
    strbuf_addc(&text, '(');
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&text, i == 0 ? "%" PRId64 : ", %" PRId64, ranks[i]);
    strbuf_adds(&text, count == 1 ? ",)" : ")");
    return strbuf_detach(&text);
}

/* communication_group.json: which ranks communicate with each other. */

static void put_ranks(struct json_out *json, const char *key, const int64_t *ranks, size_t count)
{
    json_put_begin(json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_put_decimal(json, NULL, ranks[i], 0);
    json_put_end(json, ']');
}

/* The sets of ranks of one kind, each once: groups of the same ranks follow each other. */
static void put_sets(struct json_out *json, const char *key, const struct plan *plan, bool p2p)
{
    const struct plan_group *before = NULL;
    json_put_begin(json, key, '[');
    for (size_t i = 0; i < plan->groups.count; i++) {
        const struct plan_group *group = &plan->groups.items[i];
        if (group->p2p != p2p || (before != NULL && plan_same_members(plan, before, group)))
            continue; /* groups of the same ranks stand together, whatever their half */
        put_ranks(json, NULL, plan->members.items + group->first_member, group->member_count);
        before = group;
    }
    json_put_end(json, ']');
}

static void put_group(struct json_out *json, const struct plan *plan, const struct plan_group *group,
                      struct cluster_database *database)
{
    const char *type = group->p2p ? "p2p" : "collective", *const names[] = {group->number,
                                                                            group->id != NULL ? group->id : "",
                                                                            group->name != NULL ? group->name : ""};
    const int64_t *ranks = plan->members.items + group->first_member;
    size_t count = group->member_count;
    if (group->known_count > 0) {
        ranks = plan->known.items + group->first_known;
        count = group->known_count;
    }
    json_put_begin(json, NULL, '{');
    json_put_text(json, "type", type);
    put_ranks(json, "rank_set", ranks, count);
    json_put_text(json, "group_name", names[0]);
    json_put_text(json, "group_id", names[1]);
    json_put_text(json, "pg_name", names[2]);
    json_put_end(json, '}');
    cluster_database_add_group(database, type, ranks, count, names);
}

int write_groups(const char *directory, const struct plan *plan, struct cluster_database *database, struct err *err)
{
    struct outfile out;
    struct json_out json = {.out = &out, .gap = " "};
    if (write_open(&out, directory, "communication_group.json", "", err) < 0)
        return err_status(err);
    json_put_begin(&json, NULL, '{');
    put_sets(&json, "collective", plan, false);
    put_sets(&json, "p2p", plan, true);
    json_put_begin(&json, "comm_group_parallel_info", '[');
    for (size_t i = 0; i < 2 * plan->groups.count; i++) {
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
        const struct plan_group *group = &plan->groups.items[i % plan->groups.count];
        if (group->p2p == (i >= plan->groups.count))
            put_group(&json, plan, group, database);
    }
    json_put_end(&json, ']');
    json_put_end(&json, '}');
    write_text(&out, "\n");
    return outfile_commit(&out, err);
}

static int64_t part(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? 0 : number_ratio(a, sum, 4);
}

/* ---- what a rank did ---- */

struct comm_info rank_info_of_total(const struct aggregate_sum *sum, const struct comm_packet *packets)
{
    struct comm_info info = {.total = true,
                             .wait_ratio = part(sum->ns[COMM_WAIT], sum->ns[COMM_TRANSIT]),
                             .synchronization_ratio = part(sum->ns[COMM_SYNCHRONIZATION], sum->ns[COMM_TRANSIT])};
    memcpy(info.ns, sum->ns, sizeof info.ns);
    for (size_t i = 0; i < COMM_TRANSPORTS; i++) {
        int64_t bytes = sum->transfers[i].bytes, ns = sum->transfers[i].ns;
        info.transfers[i] =
            (struct comm_transfer){bytes, ns, number_ratio(bytes, ns, 4), 0, packets, sum->packets_of[i]};
        packets += sum->packets_of[i];
    }
    return info;
}

struct comm_info rank_info_of_operator(const struct rank_data *rank, const struct rank_operator *operator_)
{
    struct comm_info info = {.start_ns = operator_->start_ns,
                             .wait_ratio = operator_->wait_ratio,
                             .synchronization_ratio = operator_->synchronization_ratio};
    memcpy(info.ns, operator_->ns, sizeof info.ns);
    for (size_t i = 0; i < COMM_TRANSPORTS; i++) {
        const struct rank_transfer *from = &operator_->transfers[i];
        info.transfers[i] = (struct comm_transfer){
            from->bytes,       from->ns, from->bandwidth, from->large_ratio, rank->packets.items + from->first_packet,
            from->packet_count};
    }
    return info;
}

void nested_json_rank(struct nested_json *json, const struct cluster_member *member, int64_t rank,
                      const struct comm_info *info)
{
    char key[NUMBER_MAX + 1];
    *number_put_signed(key, rank) = '\0';
    json_put_begin(&json->json, key, '{');
    comm_put_info(&json->json, info);
    json_put_end(&json->json, '}');
    cluster_database_add_info(json->database, member, rank, info);
}

/* ---- the frame ---- */

int nested_json_open(struct nested_json *json, const char *directory, const char *name,
                     struct cluster_database *database, struct err *err)
{
    *json = (struct nested_json){.json = {.out = &json->out, .gap = " "}, .database = database};
    if (write_open(&json->out, directory, name, "", err) < 0)
        return err_status(err);
    json_put_begin(&json->json, NULL, '{');
    return 0;
}

void nested_json_go(struct nested_json *json, const char *key, const char *step)
{
    bool same_key = json->key != NULL && strcmp(json->key, key) == 0;
    if (same_key && json->step != NULL && strcmp(json->step, step) == 0)
        return;
    if (json->step != NULL)
        json_put_end(&json->json, '}');
    if (!same_key) {
        if (json->key != NULL)
            json_put_end(&json->json, '}');
        free(json->key);
        json->key = strdup(key);
        if (json->key == NULL)
            json->out.failure = json->out.failure != 0 ? json->out.failure : ENOMEM; /* told at the commit */
        json_put_key(&json->json, key, NULL);
        json_put_begin(&json->json, NULL, '{');
    }
    json_put_key(&json->json, step, NULL);
    json_put_begin(&json->json, NULL, '{');
    json->step = step;
}

int nested_json_close(struct nested_json *json, int status, struct err *err)
{
    if (json->step != NULL)
        json_put_end(&json->json, '}');
    if (json->key != NULL)
        json_put_end(&json->json, '}');
    write_text(&json->out, "}\n");
    free(json->key);
    json->key = NULL;
    if (status < 0) {
        outfile_abort(&json->out);
        return status;
    }
    return outfile_commit(&json->out, err);
}
