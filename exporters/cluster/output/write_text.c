/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/fsutil.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "exporters/cluster/output/write.h"
#include "exporters/json_text.h"

#include <csv.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PIECE 4096
#define RANKS_TEXT_MAX ((size_t)64 * 1024 * 1024)

void write_text(struct outfile *out, const char *text)
{
    outfile_write(out, text, strlen(text));
}

void write_json(struct outfile *out, const char *text)
{
    size_t length = strlen(text);
    write_text(out, "\"");
    while (length > 0) {
        size_t piece = json_text_piece(text, length, PIECE);
        char *p = outfile_reserve(out, PIECE * JSON_TEXT_EXPANSION);
        outfile_advance(out, json_text_escape(p, text, piece));
        text += piece;
        length -= piece;
    }
    write_text(out, "\"");
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

void write_integer(struct outfile *out, int64_t value)
{
    char *p = outfile_reserve(out, NUMBER_MAX);
    outfile_advance(out, (size_t)(number_put_signed(p, value) - p));
}

void write_decimal(struct outfile *out, int64_t value, unsigned decimals)
{
    char *p = outfile_reserve(out, NUMBER_MAX);
    outfile_advance(out, (size_t)(number_put_shortest(p, value, decimals) - p));
}

int write_open(struct outfile *out, const char *directory, const char *name, const char *head, struct err *err)
{
    char *path = path_joined(directory, name, err);
    int status = path != NULL ? outfile_open(out, path, err) : -(int)err->code;
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

static void write_group(struct outfile *out, const struct plan *plan, const struct plan_group *group,
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
    write_text(out, "{\"type\": ");
    write_json(out, type);
    write_text(out, ", \"rank_set\": ");
    write_ranks(out, ranks, count);
    write_text(out, ", \"group_name\": ");
    write_json(out, names[0]);
    write_text(out, ", \"group_id\": ");
    write_json(out, names[1]);
    write_text(out, ", \"pg_name\": ");
    write_json(out, names[2]);
    write_text(out, "}");
    cluster_database_add_group(database, type, ranks, count, names);
}

int write_groups(const char *directory, const struct plan *plan, struct cluster_database *database, struct err *err)
{
    struct outfile out;
    if (write_open(&out, directory, "communication_group.json", "{\"collective\": ", err) < 0)
        return -(int)err->code;
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
        write_group(&out, plan, group, database);
        any = true;
    }
    write_text(&out, "]}\n");
    return outfile_commit(&out, err);
}

/* "Communication Time Info", "Communication Bandwidth Info", and the frame of the files that hold them. */

enum { MS = 6, US = 3, MB = 6, RATIO = 4 }; /* decimals of ns, bytes and ratios in these units */

static void member(struct outfile *out, bool *first, const char *name)
{
    write_text(out, *first ? "" : ", ");
    *first = false;
    write_json(out, name);
    write_text(out, ": ");
}

static void decimal_member(struct outfile *out, bool *first, const char *name, int64_t value, unsigned decimals)
{
    member(out, first, name);
    write_decimal(out, value, decimals);
}

static int64_t part(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? 0 : number_ratio(a, sum, RATIO);
}

/* As Python prints size / 10^6: small ones with an exponent, whole ones with a zero. */
static void write_size(struct outfile *out, int64_t bytes)
{
    if (bytes > 0 && bytes < 100) {
        write_decimal(out, bytes, bytes < 10 ? 0 : 1);
        write_text(out, bytes < 10 ? "e-06" : "e-05");
        return;
    }
    write_decimal(out, bytes, MB);
    if (bytes % 1000000 == 0)
        write_text(out, ".0");
}

/* ---- what a rank did ---- */

struct cluster_info rank_info_of_total(const struct aggregate_sum *sum, const struct rank_packet *packets)
{
    struct cluster_info info = {.total = true,
                                .ns = sum->ns,
                                .wait_ratio = part(sum->ns[TIME_WAIT], sum->ns[TIME_TRANSIT]),
                                .synchronization_ratio = part(sum->ns[TIME_SYNCHRONIZATION], sum->ns[TIME_TRANSIT])};
    for (size_t i = 0; i < TRANSPORTS; i++) {
        int64_t bytes = sum->transfers[i].bytes, ns = sum->transfers[i].ns;
        info.transfers[i] =
            (struct cluster_transfer){bytes, ns, number_ratio(bytes, ns, RATIO), 0, packets, sum->packets_of[i]};
        packets += sum->packets_of[i];
    }
    return info;
}

struct cluster_info rank_info_of_operator(const struct rank_data *rank, const struct rank_operator *operator_)
{
    struct cluster_info info = {.start_ns = operator_->start_ns,
                                .ns = operator_->ns,
                                .wait_ratio = operator_->wait_ratio,
                                .synchronization_ratio = operator_->synchronization_ratio};
    for (size_t i = 0; i < TRANSPORTS; i++) {
        const struct rank_transfer *from = &operator_->transfers[i];
        info.transfers[i] = (struct cluster_transfer){
            from->bytes,       from->ns, from->bandwidth, from->large_ratio, rank->packets.items + from->first_packet,
            from->packet_count};
    }
    return info;
}

static void write_transfer(struct outfile *out, const struct cluster_transfer *transfer, bool total)
{
    bool first = true;
    write_text(out, "{");
    if (total)
        decimal_member(out, &first, "Transit Time(ms)", transfer->ns, MS);
    decimal_member(out, &first, "Transit Size(MB)", transfer->bytes, MB);
    if (!total)
        decimal_member(out, &first, "Transit Time(ms)", transfer->ns, MS);
    decimal_member(out, &first, "Bandwidth(GB/s)", transfer->bandwidth, RATIO);
    if (!total)
        decimal_member(out, &first, "Large Packet Ratio", transfer->large_ratio, RATIO);
    member(out, &first, "Size Distribution");
    write_text(out, "{");
    for (uint32_t i = 0; i < transfer->packet_count; i++) {
        const struct rank_packet *packet = &transfer->packets[i];
        write_text(out, i > 0 ? ", \"" : "\"");
        write_size(out, packet->bytes);
        write_text(out, "\": [");
        write_integer(out, packet->count);
        write_text(out, ", ");
        write_decimal(out, packet->ns, MS);
        write_text(out, "]");
    }
    write_text(out, "}}");
}

/* The members "Communication Time Info" and "Communication Bandwidth Info". */
static void write_info(struct outfile *out, const struct cluster_info *info)
{
    bool first = true;
    write_text(out, "\"Communication Time Info\": {");
    if (!info->total)
        decimal_member(out, &first, "Start Timestamp(us)", info->start_ns, US);
    for (size_t i = 0; i < CLUSTER_TIMES; i++)
        decimal_member(out, &first, cluster_time_titles[i], info->ns[i], MS);
    decimal_member(out, &first, "Wait Time Ratio", info->wait_ratio, RATIO);
    decimal_member(out, &first, "Synchronization Time Ratio", info->synchronization_ratio, RATIO);
    write_text(out, "}, \"Communication Bandwidth Info\": {");
    first = true;
    for (size_t i = 0; i < TRANSPORTS; i++) {
        member(out, &first, cluster_transport_names[i]);
        write_transfer(out, &info->transfers[i], info->total);
    }
    write_text(out, "}");
}

void nested_json_rank(struct nested_json *json, const struct cluster_member *member_, bool first, int64_t rank,
                      const struct cluster_info *info)
{
    write_text(&json->out, first ? "\"" : ", \"");
    write_integer(&json->out, rank);
    write_text(&json->out, "\": {");
    write_info(&json->out, info);
    write_text(&json->out, "}");
    cluster_database_add_info(json->database, member_, rank, info);
}

/* ---- the frame ---- */

int nested_json_open(struct nested_json *json, const char *directory, const char *name,
                     struct cluster_database *database, struct err *err)
{
    *json = (struct nested_json){.database = database};
    return write_open(&json->out, directory, name, "{", err);
}

void nested_json_go(struct nested_json *json, const char *key, const char *step)
{
    struct outfile *out = &json->out;
    bool same_key = json->key != NULL && strcmp(json->key, key) == 0;
    if (same_key && json->step != NULL && strcmp(json->step, step) == 0)
        return;
    if (json->step != NULL)
        write_text(out, "}");
    if (!same_key) {
        write_text(out, json->key != NULL ? "}, " : "");
        free(json->key);
        json->key = strdup(key);
        if (json->key == NULL)
            out->failure = out->failure != 0 ? out->failure : ENOMEM; /* told when the file is committed */
        write_json(out, key);
        write_text(out, ": {");
    } else {
        write_text(out, ", ");
    }
    write_json(out, step);
    write_text(out, ": {");
    json->step = step;
    json->any_member = false;
}

void nested_json_member(struct nested_json *json, const char *name, const char *number)
{
    struct strbuf text;
    strbuf_init(&text, (size_t)1024 * 1024);
    strbuf_addf(&text, "%s@%s", name, number);
    write_text(&json->out, json->any_member ? ", " : "");
    write_json(&json->out, text.failed ? name : text.data);
    write_text(&json->out, ": ");
    json->any_member = true;
    strbuf_release(&text);
}

int nested_json_close(struct nested_json *json, int status, struct err *err)
{
    if (json->step != NULL)
        write_text(&json->out, "}");
    if (json->key != NULL)
        write_text(&json->out, "}");
    write_text(&json->out, "}\n");
    free(json->key);
    json->key = NULL;
    if (status < 0) {
        outfile_abort(&json->out);
        return status;
    }
    return outfile_commit(&json->out, err);
}
