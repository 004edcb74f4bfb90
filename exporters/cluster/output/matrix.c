/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "exporters/cluster/output/write.h"

#include "base/number.h"
#include "base/words.h"
#include "exporters/cluster/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    int status = bytes != NULL ? intern_add(&matrix->texts, bytes, strlen(bytes), &number, err) : 0;
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
