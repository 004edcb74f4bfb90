/* SPDX-License-Identifier: Apache-2.0 */
/* communication_matrix.json: for each kind of operator and link the fastest, the middle and the slowest. */
#include "exporters/communication/communication.h"

#include "base/array.h"
#include "exporters/json_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One operator's traffic on one link. */
struct entry {
    char *type;
    uint64_t group;
    struct comm_transfer_sum sum;
    double bandwidth;
    size_t place;
    const char *op;
};

struct entries {
    struct entry *items;
    size_t count, capacity;
};

/* ---- types ---- */

static const char *const mindspore_p2p[] = {"receive", "send", NULL};
static const char *const mindspore_collective[] = {"invalid",   "broadcast",     "allreduce", "reduce",
                                                   "allgather", "reducescatter", "scatter",   "alltoall",
                                                   "alltoallv", "alltoallvc",    NULL};
static const char *const pytorch_types[] = {"send",      "reduce",     "invalid",       "broadcast", "allreduce",
                                            "receive",   "allgather",  "reducescatter", "scatter",   "alltoall",
                                            "alltoallv", "alltoallvc", "batchsendrecv", NULL};

/* The first place where one of the words is: of several at one place the first of the list. */
static const char *find_word(const char *name, const char *const *words)
{
    for (const char *p = name; *p != '\0'; p++) {
        for (size_t i = 0; words[i] != NULL; i++) {
            if (strncmp(p, words[i], strlen(words[i])) == 0)
                return words[i];
        }
    }
    return NULL;
}

void comm_type_of(const char *name, bool pytorch, bool point_to_point, char ret[COMM_TYPE_MAX])
{
    char lower[COMM_TYPE_MAX];
    size_t length = 0;
    for (const char *p = name; *p != '\0' && length + 1 < sizeof lower; p++)
        lower[length++] = (char)tolower((unsigned char)*p);
    lower[length] = '\0';
    const char *word = find_word(lower, pytorch          ? pytorch_types
                                        : point_to_point ? mindspore_p2p
                                                         : mindspore_collective);
    const char *slash = strrchr(lower, '/'), *begin = slash != NULL && !pytorch ? slash + 1 : lower;
    const char *end = strstr(begin, pytorch ? "__" : "-op");
    if (word != NULL)
        snprintf(ret, COMM_TYPE_MAX, "%s", word);
    else
        snprintf(ret, COMM_TYPE_MAX, "%.*s", end != NULL ? (int)(end - begin) : (int)strlen(begin), begin);
}

/* ---- entries ---- */

static int add_operator(struct comm_document *document, const struct comm_operator *operator, struct entries * entries,
                        struct err *err)
{
    struct comm_transfer_sums sums = {.count = 0};
    char type[COMM_TYPE_MAX];
    int status = comm_transfers_make(&sums, operator->name, &operator->tasks, err);
    comm_type_of(operator->name, document->pytorch, operator->point_to_point, type);
    for (size_t i = 0; status == 0 && i < sums.count; i++) {
        status = array_reserve(entries, 1, err);
        char *copy = status == 0 ? strdup(type) : NULL;
        if (status == 0 && copy == NULL)
            status = err_set(err, ERR_NO_MEMORY, "out of memory for a type of communication");
        if (status == 0) {
            entries->items[entries->count] =
                (struct entry){copy, operator->group, sums.items[i], comm_bandwidth(sums.items[i].mb, sums.items[i].ms),
                               entries->count, operator->name };
            entries->count++;
        }
    }
    free(sums.items);
    return status;
}

static int compare_kinds(const struct entry *x, const struct entry *y)
{
    int order = strcmp(x->type, y->type);
    return order != 0 ? order : (x->group > y->group) - (x->group < y->group);
}

static int compare_links(const struct entry *x, const struct entry *y)
{
    if (x->sum.source != y->sum.source)
        return x->sum.source < y->sum.source ? -1 : 1;
    return (x->sum.destination > y->sum.destination) - (x->sum.destination < y->sum.destination);
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = compare_kinds(x, y);
    order = order != 0 ? order : compare_links(x, y);
    if (order != 0)
        return order;
    if (x->bandwidth != y->bandwidth)
        return x->bandwidth > y->bandwidth ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* ---- places ---- */

enum { TOP, MIDDLE, BOTTOM_1, BOTTOM_2, BOTTOM_3, TOTAL, PLACES };
static const char *const place_names[PLACES] = {"top1", "middle", "bottom1", "bottom2", "bottom3", "total"};

/* Which of n entries, the fastest first; SIZE_MAX: none. */
static size_t entry_at(const struct comm_document *document, int place, size_t n)
{
    switch (place) {
    case TOP:
        return 0;
    case MIDDLE:
        return n / 2;
    case BOTTOM_1:
        return n - 1;
    case BOTTOM_2:
        return n >= 2 ? n - 2 : document->pytorch ? SIZE_MAX : n - 1;
    default:
        return n >= 3 ? n - 3 : document->pytorch ? SIZE_MAX : n == 2 ? 0 : n - 1;
    }
}

struct taking {
    comm_link_taker *take;
    void *arg;
};

static int take_link(const struct comm_document *document, const struct entry *entries, size_t count, int place,
                     struct comm_link_row *row, const struct taking *taking, struct err *err)
{
    struct comm_transfer_sum sum = entries[0].sum;
    size_t at = place != TOTAL ? entry_at(document, place, count) : 0;
    if (at == SIZE_MAX)
        return 0;
    struct comm_link_row link = {row->key,       row->group, &entries[at].sum, entries[at].bandwidth,
                                 entries[at].op, row->first};
    for (size_t i = 1; place == TOTAL && i < count; i++) {
        sum.mb += entries[i].sum.mb;
        sum.ms += entries[i].sum.ms;
    }
    if (place == TOTAL) {
        link.sum = &sum;
        link.bandwidth = sum.ms > 0 ? comm_rounded(sum.mb / sum.ms) : 0;
        link.op = NULL;
    }
    row->first = false;
    return taking->take(taking->arg, &link, err);
}

/* The entries of one type and group. */
static int take_kind(const struct comm_document *document, const struct entry *entries, size_t count,
                     const struct taking *taking, struct err *err)
{
    char key[COMM_TYPE_MAX + 64];
    int status = 0;
    for (int place = 0; status == 0 && place < PLACES; place++) {
        struct comm_link_row row = {.key = key, .group = entries->group, .first = true};
        snprintf(key, sizeof key, "%s-%s", entries->type, place_names[place]);
        for (size_t i = 0, n; status == 0 && i < count; i += n) {
            for (n = 1; i + n < count && compare_links(&entries[i], &entries[i + n]) == 0;)
                n++;
            status = take_link(document, entries + i, n, place, &row, taking, err);
        }
    }
    return status;
}

int comm_each_link(struct comm_document *document, size_t step, bool point_to_point, comm_link_taker *take, void *arg,
                   struct err *err)
{
    const struct taking taking = {take, arg};
    struct entries entries = {.count = 0};
    int status = 0;
    for (size_t i = 0; status == 0 && i < document->operator_count; i++) {
        if (comm_is_in(&document->operators[i], step, point_to_point))
            status = add_operator(document, &document->operators[i], &entries, err);
    }
    array_sort(entries.items, entries.count, sizeof *entries.items, compare_entries);
    for (size_t i = 0, n; status == 0 && i < entries.count; i += n) {
        for (n = 1; i + n < entries.count && compare_kinds(&entries.items[i], &entries.items[i + n]) == 0;)
            n++;
        status = take_kind(document, entries.items + i, n, &taking, err);
    }
    for (size_t i = 0; i < entries.count; i++)
        free(entries.items[i].type);
    free(entries.items);
    return status;
}

/* ---- the file ---- */

static int put_link(void *arg, const struct comm_link_row *row, struct err *err)
{
    struct comm_document *document = arg;
    struct strbuf *text = &document->text;
    char key[COMM_TYPE_MAX + 64], link[64];
    (void)err;
    if (row->first) {
        strbuf_adds(text, text->length > 0 && text->data[text->length - 1] == '}' ? "}" : "");
        snprintf(key, sizeof key, "%s@%llu", row->key, (unsigned long long)row->group);
        comm_put_key(text, key);
        strbuf_addc(text, '{');
    }
    snprintf(link, sizeof link, "%lld-%lld", (long long)row->sum->source, (long long)row->sum->destination);
    comm_put_key(text, link);
    strbuf_addc(text, '{');
    comm_put_key(text, "Transport Type");
    strbuf_addf(text, row->sum->transport != NULL ? "\"%s\"" : "null", row->sum->transport);
    comm_put_real(text, "Transit Size(MB)", row->sum->mb);
    comm_put_real(text, "Transit Time(ms)", row->sum->ms);
    comm_put_real(text, "Bandwidth(GB/s)", row->bandwidth);
    if (row->op != NULL) {
        comm_put_key(text, document->pytorch ? "Op Name" : "op_name");
        strbuf_addc(text, '"');
        json_text_append(text, row->op, strlen(row->op));
        strbuf_addc(text, '"');
    }
    strbuf_addc(text, '}');
    return 0;
}

int comm_write_matrix_half(struct comm_document *document, size_t step, bool point_to_point, struct err *err)
{
    size_t before = document->text.length;
    int status = comm_each_link(document, step, point_to_point, put_link, document, err);
    if (document->text.length > before)
        strbuf_addc(&document->text, '}');
    return status;
}
