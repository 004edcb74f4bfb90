/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/words.h"
#include "features/cluster/block.h"
#include "features/cluster/output/write.h"

#include <csv.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
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
    SCOPED_FREE char *path = path_join(directory, name);
    if (path == NULL)
        return err_no_memory(err);
    if (outfile_open(out, path, err) < 0)
        return err_status(err);
    write_text(out, head);
    return 0;
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
            json->out.failure = json->out.failure != 0 ? json->out.failure : ENOMEM; /* reported at the commit */
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

/* ---- the matrix ---- */

enum { MS = 6, MB = 6, RATIO = 4 }; /* decimals of ns, bytes, GB/s */
#define NO_NAME (-1)

struct matrix_link {
    struct {
        int64_t entry, source, target; /* entry: number of a text; NO_NAME in sums */
    } key;
    int64_t bytes, ns;
    int64_t transport, op_name; /* numbers of texts; NO_NAME: none */
};

void matrix_clear(struct matrix *matrix)
{
    map_release(&matrix->links);
    intern_release(&matrix->texts);
    *matrix = (struct matrix){.links = {.items = NULL}};
}

static int text(struct matrix *matrix, const char *bytes, int64_t *ret, struct err *err)
{
    uint32_t number;
    int status = bytes != NULL ? intern_text(&matrix->texts, bytes, &number, err) : 0;
    *ret = bytes != NULL && status == 0 ? (int64_t)number : NO_NAME;
    return status;
}

static int add(struct matrix *matrix, const struct matrix_link *link, struct err *err)
{
    if (matrix->links.item_size == 0)
        matrix->links = (struct map)MAP_OF(struct matrix_link, key);
    struct matrix_link *sum = map_add(&matrix->links, &link->key, NULL, err);
    if (sum == NULL)
        return err_status(err);
    sum->bytes = number_add(sum->bytes, link->bytes);
    sum->ns = number_add(sum->ns, link->ns);
    sum->transport = link->transport;
    sum->op_name = link->op_name;
    return 0;
}

int matrix_add_totals(struct matrix *matrix, const struct merged_block *block, struct err *err)
{
    const struct merged_link *from = NULL;
    bool failed = false;
    while (!failed && (from = map_next(&block->links, from)) != NULL) {
        struct matrix_link link = {
            .key = {0, from->key.source, from->key.target}, .bytes = from->bytes, .ns = from->ns, .op_name = NO_NAME};
        failed = text(matrix, block->texts.items[from->key.entry].bytes, &link.key.entry, err) < 0 ||
                 text(matrix, block->texts.items[from->transport].bytes, &link.transport, err) < 0 ||
                 add(matrix, &link, err) < 0;
    }
    matrix->unmapped += block->unmapped_links;
    return failed ? err_status(err) : 0;
}

int matrix_add_details(struct matrix *matrix, const struct plan *plan, const struct plan_entry *entry,
                       const struct rank_data *rank, const struct rank_block *block, struct err *err)
{
    const struct plan_group *group = &plan->groups.items[entry->group];
    const struct aggregate *index = &plan->ranks[entry->rank];
    bool failed = false;
    for (uint32_t i = 0; !failed && i < block->link_count; i++) {
        const struct rank_link *from = &rank->links.items[block->first_link + i];
        struct matrix_link link = {
            .key = {0, numbers_rank(plan, group, from->source), numbers_rank(plan, group, from->target)},
            .bytes = from->bytes,
            .ns = from->ns};
        if (link.key.source < 0 || link.key.target < 0) {
            matrix->unmapped++;
            continue;
        }
        failed = text(matrix, aggregate_text(index, from->entry), &link.key.entry, err) < 0 ||
                 text(matrix, aggregate_text(index, from->transport), &link.transport, err) < 0 ||
                 text(matrix, rank_text_of(&rank->names, from->op_name), &link.op_name, err) < 0 ||
                 add(matrix, &link, err) < 0;
    }
    return failed ? err_status(err) : 0;
}

/* ---- writing ---- */

/* The order in which a group's entries stand: of one operator the fastest first. */
static int place_of(const char *entry, size_t *ret_stem)
{
    static const char *const places[] = {"-top1", "-middle", "-bottom1", "-bottom2", "-bottom3", "-total"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (words_end_in(entry, places[i])) {
            *ret_stem = strlen(entry) - strlen(places[i]);
            return (int)i;
        }
    }
    *ret_stem = strlen(entry);
    return -1;
}

static int compare_entries(const char *a, const char *b)
{
    size_t m, n;
    int x = place_of(a, &m), y = place_of(b, &n);
    int order = memcmp(a, b, m < n ? m : n);
    if (order == 0)
        order = (m > n) - (m < n);
    return order != 0 ? order : (x > y) - (x < y);
}

static int compare_links(const void *a, const void *b, void *opaque)
{
    const struct matrix *matrix = opaque;
    const struct matrix_link *x = a, *y = b;
    if (x->key.entry != y->key.entry) {
        int order = compare_entries(matrix->texts.items[x->key.entry].bytes, matrix->texts.items[y->key.entry].bytes);
        return order != 0 ? order : (x->key.entry > y->key.entry) - (x->key.entry < y->key.entry);
    }
    return ARRAY_ORDERS(array_order(x->key.source, y->key.source), array_order(x->key.target, y->key.target));
}

static const char *name_of(const struct matrix *matrix, int64_t number)
{
    return number == NO_NAME ? "" : matrix->texts.items[number].bytes;
}

static void write_link(struct nested_json *nested, const struct matrix *matrix, const struct cluster_member *member,
                       const struct matrix_link *link)
{
    struct json_out *json = &nested->json;
    char ranks[2 * NUMBER_MAX + 2];
    const struct cluster_database_link row = {link->key.source,
                                              link->key.target,
                                              link->bytes,
                                              link->ns,
                                              number_ratio(link->bytes, link->ns, RATIO),
                                              name_of(matrix, link->transport),
                                              name_of(matrix, link->op_name)};
    snprintf(ranks, sizeof ranks, "%lld-%lld", (long long)row.source, (long long)row.target);
    json_put_object(json, ranks, JSON_TEXT("Transport Type", row.transport),
                    JSON_DECIMAL("Transit Time(ms)", row.ns, MS), JSON_DECIMAL("Transit Size(MB)", row.bytes, MB),
                    JSON_TEXT("Op Name", row.op_name), JSON_DECIMAL("Bandwidth(GB/s)", row.bandwidth, RATIO));
    cluster_database_add_link(nested->database, member, &row);
}

/* Adds up the "-total" entries, link by link. */
static int sum_totals(struct matrix *sums, const struct matrix *matrix, const struct matrix_link *links, size_t count,
                      struct err *err)
{
    bool failed = false;
    for (size_t i = 0; !failed && i < count; i++) {
        size_t stem;
        const char *entry = matrix->texts.items[links[i].key.entry].bytes;
        struct matrix_link link = links[i];
        if (place_of(entry, &stem) != 5)
            continue;
        link.key.entry = NO_NAME;
        link.op_name = NO_NAME;
        failed = text(sums, link.transport == NO_NAME ? NULL : matrix->texts.items[link.transport].bytes,
                      &link.transport, err) < 0 ||
                 add(sums, &link, err) < 0;
    }
    return failed ? err_status(err) : 0;
}

static struct matrix_link *sorted_links(const struct matrix *matrix, struct err *err)
{
    struct matrix_link *links = map_items(&matrix->links, err);
    if (links != NULL)
        qsort_r(links, matrix->links.used, sizeof *links, compare_links, (void *)(uintptr_t)matrix);
    return links;
}

/* The links of one entry after another, each an object. */
static void write_entries(const struct matrix *matrix, const struct matrix_link *links, size_t count,
                          struct nested_json *json, const char *number)
{
    for (size_t i = 0; i < count; i++) {
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
        bool first = i == 0 || links[i].key.entry != links[i - 1].key.entry;
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
        bool last = i + 1 == count || links[i + 1].key.entry != links[i].key.entry;
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
        int64_t entry = links[i].key.entry;
        const struct cluster_member member = {
            json->step, entry == NO_NAME ? "Total Op Info" : matrix->texts.items[entry].bytes, number};
        if (first) {
            json_put_key(&json->json, member.name, number);
            json_put_begin(&json->json, NULL, '{');
        }
        write_link(json, matrix, &member, &links[i]);
        if (last)
            json_put_end(&json->json, '}');
    }
}

int matrix_write(const struct matrix *matrix, struct nested_json *json, const char *number, struct err *err)
{
    struct matrix sums = {.links = {.items = NULL}};
    struct matrix_link *links = sorted_links(matrix, err), *totals = NULL;
    int status = links != NULL ? sum_totals(&sums, matrix, links, matrix->links.used, err) : err_status(err);
    if (status == 0) {
        totals = sorted_links(&sums, err);
        status = totals != NULL ? 0 : err_status(err);
    }
    if (status == 0) {
        write_entries(matrix, links, matrix->links.used, json, number);
        write_entries(&sums, totals, sums.links.used, json, number);
    }
    free(links);
    free(totals);
    matrix_clear(&sums);
    return status;
}
