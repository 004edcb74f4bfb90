/* communication_matrix.json: for each kind of operator and link the fastest, the middle and the slowest. */
#include "exporters/framework/communication/communication.h"

#include "base/array.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE_MAX 512

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

static void type_of(const struct comm_document *document, const struct comm_operator *operator, char ret[TYPE_MAX])
{
    char lower[TYPE_MAX];
    size_t length = 0;
    for (const char *p = operator->name; *p != '\0' && length + 1 < sizeof lower; p++)
        lower[length++] = (char)tolower((unsigned char)*p);
    lower[length] = '\0';
    const char *word = find_word(lower, document->pytorch        ? pytorch_types :
                                        operator->point_to_point ? mindspore_p2p
                                                                 : mindspore_collective);
    const char *slash = strrchr(lower, '/'), *begin = slash != NULL && !document->pytorch ? slash + 1 : lower;
    const char *end = strstr(begin, document->pytorch ? "__" : "-op");
    if (word != NULL)
        snprintf(ret, TYPE_MAX, "%s", word);
    else
        snprintf(ret, TYPE_MAX, "%.*s", end != NULL ? (int)(end - begin) : (int)strlen(begin), begin);
}

/* ---- entries ---- */

static int add_operator(struct comm_document *document, const struct comm_operator *operator, struct entries * entries,
                        struct err *err)
{
    struct comm_transfer_sums sums = {.count = 0};
    char type[TYPE_MAX];
    int status = comm_transfers_make(&sums, operator->name, &operator->tasks, err);
    type_of(document, operator, type);
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

static void put_info(struct comm_document *document, const struct comm_transfer_sum *sum, double bandwidth,
                     const char *op)
{
    struct strbuf *text = &document->text;
    char link[64];
    snprintf(link, sizeof link, "%lld-%lld", (long long)sum->source, (long long)sum->destination);
    comm_put_key(text, link);
    strbuf_addc(text, '{');
    comm_put_key(text, "Transport Type");
    strbuf_addf(text, sum->transport != NULL ? "\"%s\"" : "null", sum->transport);
    comm_put_real(text, "Transit Size(MB)", sum->mb);
    comm_put_real(text, "Transit Time(ms)", sum->ms);
    comm_put_real(text, "Bandwidth(GB/s)", bandwidth);
    if (op != NULL) {
        comm_put_key(text, document->pytorch ? "Op Name" : "op_name");
        struct strbuf name;
        strbuf_init(&name, 1024 * 1024);
        comm_put_key(&name, op); /* "op":<blank> */
        strbuf_add(text, name.data, name.failed || name.length < 2 ? 0 : name.length - 2);
        strbuf_release(&name);
    }
    strbuf_addc(text, '}');
}

static void put_link(struct comm_document *document, const struct entry *entries, size_t count, int place)
{
    if (place == TOTAL) {
        struct comm_transfer_sum sum = entries[0].sum;
        for (size_t i = 1; i < count; i++) {
            sum.mb += entries[i].sum.mb;
            sum.ms += entries[i].sum.ms;
        }
        put_info(document, &sum, sum.ms > 0 ? comm_rounded(sum.mb / sum.ms) : 0, NULL);
        return;
    }
    size_t i = entry_at(document, place, count);
    if (i != SIZE_MAX)
        put_info(document, &entries[i].sum, entries[i].bandwidth, entries[i].op);
}

/* The entries of one type and group. */
static void put_kind(struct comm_document *document, const struct entry *entries, size_t count)
{
    struct strbuf *text = &document->text;
    char key[TYPE_MAX + 64];
    for (int place = 0; place < PLACES; place++) {
        size_t most = 0;
        for (size_t i = 0, n; i < count; i += n) {
            for (n = 1; i + n < count && compare_links(&entries[i], &entries[i + n]) == 0;)
                n++;
            most = n > most ? n : most;
        }
        if (place != TOTAL && entry_at(document, place, most) == SIZE_MAX)
            continue;
        snprintf(key, sizeof key, "%s-%s@%llu", entries->type, place_names[place], (unsigned long long)entries->group);
        comm_put_key(text, key);
        strbuf_addc(text, '{');
        for (size_t i = 0, n; i < count; i += n) {
            for (n = 1; i + n < count && compare_links(&entries[i], &entries[i + n]) == 0;)
                n++;
            put_link(document, entries + i, n, place);
        }
        strbuf_addc(text, '}');
    }
}

int comm_write_matrix_half(struct comm_document *document, size_t step, bool point_to_point, struct err *err)
{
    struct entries entries = {.count = 0};
    int status = 0;
    for (size_t i = 0; status == 0 && i < document->operator_count; i++) {
        const struct comm_operator *operator= & document->operators[i];
        if (operator->step == step && operator->point_to_point == point_to_point && operator->start_ns != INT64_MAX)
            status = add_operator(document, operator, & entries, err);
    }
    array_sort(entries.items, entries.count, sizeof *entries.items, compare_entries);
    for (size_t i = 0, n; status == 0 && i < entries.count; i += n) {
        for (n = 1; i + n < entries.count && compare_kinds(&entries.items[i], &entries.items[i + n]) == 0;)
            n++;
        put_kind(document, entries.items + i, n);
    }
    for (size_t i = 0; i < entries.count; i++)
        free(entries.items[i].type);
    free(entries.items);
    return status;
}
