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

void write_csv(struct outfile *out, const char *text)
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

static void begin_size(struct outfile *out, bool *first, int64_t bytes, int64_t count, int64_t ns)
{
    write_text(out, *first ? "\"" : ", \"");
    *first = false;
    write_size(out, bytes);
    write_text(out, "\": [");
    write_integer(out, count);
    write_text(out, ", ");
    write_decimal(out, ns, MS);
    write_text(out, "]");
}

/* ---- sums ---- */

void write_total_info(struct outfile *out, const struct aggregate_sum *sum, const struct rank_packet *packets)
{
    bool first = true, first_transport = true;
    write_text(out, "\"Communication Time Info\": {");
    for (size_t i = 0; i < CLUSTER_TIMES; i++)
        decimal_member(out, &first, cluster_time_titles[i], sum->ns[i], MS);
    decimal_member(out, &first, "Wait Time Ratio", part(sum->ns[TIME_WAIT], sum->ns[TIME_TRANSIT]), RATIO);
    decimal_member(out, &first, "Synchronization Time Ratio",
                   part(sum->ns[TIME_SYNCHRONIZATION], sum->ns[TIME_TRANSIT]), RATIO);
    write_text(out, "}, \"Communication Bandwidth Info\": {");
    for (size_t i = 0; i < TRANSPORTS; i++) {
        int64_t bytes = sum->transfers[i].bytes, ns = sum->transfers[i].ns;
        member(out, &first_transport, cluster_transport_names[i]);
        write_text(out, "{");
        first = true;
        decimal_member(out, &first, "Transit Time(ms)", ns, MS);
        decimal_member(out, &first, "Transit Size(MB)", bytes, MB);
        decimal_member(out, &first, "Bandwidth(GB/s)", number_ratio(bytes, ns, RATIO), RATIO);
        member(out, &first, "Size Distribution");
        write_text(out, "{");
        first = true;
        for (uint32_t j = 0; j < sum->packets_of[i]; j++, packets++)
            begin_size(out, &first, packets->bytes, packets->count, packets->ns);
        write_text(out, "}}");
    }
    write_text(out, "}");
}

/* ---- one operator ---- */

static void write_transfer(struct outfile *out, const struct rank_data *rank, const struct rank_transfer *transfer)
{
    bool first = true;
    write_text(out, "{");
    decimal_member(out, &first, "Transit Size(MB)", transfer->bytes, MB);
    decimal_member(out, &first, "Transit Time(ms)", transfer->ns, MS);
    decimal_member(out, &first, "Bandwidth(GB/s)", transfer->bandwidth, RATIO);
    decimal_member(out, &first, "Large Packet Ratio", transfer->large_ratio, RATIO);
    member(out, &first, "Size Distribution");
    write_text(out, "{");
    first = true;
    for (uint32_t i = 0; i < transfer->packet_count; i++) {
        const struct rank_packet *packet = &rank->packets.items[transfer->first_packet + i];
        begin_size(out, &first, packet->bytes, packet->count, packet->ns);
    }
    write_text(out, "}}");
}

void write_operator_info(struct outfile *out, const struct rank_data *rank, const struct rank_operator *operator_)
{
    bool first = true;
    write_text(out, "\"Communication Time Info\": {");
    decimal_member(out, &first, "Start Timestamp(us)", operator_->start_ns, US);
    for (size_t i = 0; i < CLUSTER_TIMES; i++)
        decimal_member(out, &first, cluster_time_titles[i], operator_->ns[i], MS);
    decimal_member(out, &first, "Wait Time Ratio", operator_->wait_ratio, RATIO);
    decimal_member(out, &first, "Synchronization Time Ratio", operator_->synchronization_ratio, RATIO);
    write_text(out, "}, \"Communication Bandwidth Info\": {");
    first = true;
    for (size_t i = 0; i < TRANSPORTS; i++) {
        member(out, &first, cluster_transport_names[i]);
        write_transfer(out, rank, &operator_->transfers[i]);
    }
    write_text(out, "}");
}

/* ---- the frame ---- */

int nested_json_open(struct nested_json *json, const char *path, struct err *err)
{
    *json = (struct nested_json){.key = NULL};
    if (outfile_open(&json->out, path, err) < 0)
        return -(int)err->code;
    write_text(&json->out, "{");
    return 0;
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
