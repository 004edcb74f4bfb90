/* SPDX-License-Identifier: Apache-2.0 */
/* communication.json and communication_matrix.json: reading the capture's communication, and the files' frames. */
#include "exporters/communication/communication.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/number.h"
#include "exporters/communication/collectives.h"
#include "exporters/json_text.h"
#include "exporters/output_file.h"
#include "parsers/frameworks/records.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_LIMIT ((size_t)256 * 1024 * 1024)

/* ---- text ---- */

void comm_put_key(struct strbuf *text, const char *key)
{
    if (text->length > 0 && text->data[text->length - 1] != '{')
        strbuf_adds(text, ", ");
    strbuf_addc(text, '"');
    json_text_append(text, key, strlen(key));
    strbuf_adds(text, "\": ");
}

size_t comm_print_real(char *text, double value)
{
    return real_print(text, isfinite(value) ? value : 0);
}

void comm_put_real(struct strbuf *text, const char *key, double value)
{
    char number[REAL_SHORTEST_MAX];
    comm_put_key(text, key);
    strbuf_add(text, number, comm_print_real(number, value));
}

int comm_flush(struct comm_document *document, struct err *err)
{
    if (document->text.failed)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the text of communication");
    outfile_add(&document->out, &document->text);
    strbuf_clear(&document->text);
    return 0;
}

int comm_write_steps(struct comm_document *document, const char *name,
                     int (*half)(struct comm_document *document, size_t step, bool point_to_point, struct err *err),
                     struct err *err)
{
    const struct export_options *options = document->analysis->options;
    char *path = path_join(options->directory, name), key[64];
    bool failed =
        (path != NULL ? outfile_open(&document->out, path, err) : err_set(err, ERR_NO_MEMORY, "out of memory")) < 0;
    struct strbuf *text = &document->text;
    if (failed) {
        free(path);
        return -(int)err->code;
    }
    outfile_write(&document->out, "{", 1);
    for (size_t i = 0; !failed && i < document->step_count; i++) {
        const char *id = document->steps[i].id;
        strbuf_clear(text);
        if (i > 0)
            strbuf_adds(text, ", ");
        snprintf(key, sizeof key, "step%s", id != NULL ? id : document->pytorch ? "" : "0");
        strbuf_adds(text, "\"");
        json_text_append(text, key, strlen(key));
        strbuf_adds(text, "\": {\"p2p\": {");
        failed = half(document, i, true, err) < 0;
        strbuf_adds(text, "}, \"collective\": {");
        failed = failed || half(document, i, false, err) < 0;
        strbuf_adds(text, "}}");
        failed = failed || comm_flush(document, err) < 0;
    }
    outfile_write(&document->out, "}", 1);
    if (!failed) {
        failed = output_file_done(&document->out, name, path, document->operator_count, options,
                                  document->analysis->result, err) < 0;
    } else {
        outfile_abort(&document->out);
    }
    free(path);
    return failed ? -(int)err->code : 0;
}

/* ---- reading ---- */

static bool contains(const char *name, const char *word)
{
    return strstr(name, word) != NULL;
}

static bool starts_with(const char *name, const char *head)
{
    return strncasecmp(name, head, strlen(head)) == 0;
}

static bool is_point_to_point(bool pytorch, const char *name)
{
    return pytorch ? starts_with(name, "hcom_send") || starts_with(name, "hcom_receive") ||
                         starts_with(name, "hcom_batchsendrecv")
                   : contains(name, "Send") || contains(name, "Receive");
}

struct loading {
    struct comm_document *document;
    const struct cann_communications *communications;
    const struct cann_texts *names;
};

static int take_transfer(void *arg, const struct cann_transfer *transfer, struct err *err)
{
    enum { NO_MASTER = 0 };
    struct loading *loading = arg;
    int64_t place = transfer->op_id - 1;
    if (place < 0 || (uint64_t)place >= loading->document->operator_count || transfer->plane_id == DB_NULL)
        return 0;
    struct collective_tasks *tasks = &loading->document->operators[place].tasks;
    if (array_reserve(tasks, 1, err) < 0)
        return -(int)err->code;
    struct collective_task *task = &tasks->items[tasks->count++];
    *task = collective_task_of(loading->names, transfer);
    task->master = transfer->master != NO_MASTER;
    return 0;
}

static int compare_hashed(const void *a, const void *b)
{
    return strcmp(((const struct hashed_name *)a)->name, ((const struct hashed_name *)b)->name);
}

static const char *group_of(const struct loading *loading, const struct cann_communication *item)
{
    struct cann_text group = cann_text(loading->names, item->group_name_id, 0);
    return group.text != NULL ? group.text : "";
}

static int set_groups(struct loading *loading, struct err *err)
{
    struct comm_document *document = loading->document;
    size_t count = document->operator_count, kept = 0;
    struct hashed_name *groups = calloc(count + 1, sizeof *groups);
    if (groups == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for groups");
    for (size_t i = 0; i < count; i++)
        groups[i].name = group_of(loading, &loading->communications->items[i]);
    array_sort(groups, count, sizeof *groups, compare_hashed);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(groups[i].name, groups[kept - 1].name) != 0)
            groups[kept++] = groups[i];
    }
    int status = hash_numbers(document->analysis->prof, groups, kept, document->analysis->diag, err);
    for (size_t i = 0; i < count; i++) {
        const struct hashed_name key = {group_of(loading, &loading->communications->items[i]), 0};
        const struct hashed_name *found = bsearch(&key, groups, kept, sizeof key, compare_hashed);
        document->operators[i].group = found != NULL ? found->number : 0;
    }
    free(groups);
    return status;
}

static size_t step_of(const struct comm_document *document, int64_t start_ns)
{
    if (document->step_count == 1)
        return 0;
    for (size_t i = 0; i < document->step_count; i++) {
        if (start_ns >= document->steps[i].start_ns && start_ns <= document->steps[i].end_ns)
            return i;
    }
    return SIZE_MAX;
}

static int64_t master_start(const struct comm_operator *operator)
{
    int64_t start_ns = INT64_MAX;
    for (size_t i = 0; i < operator->tasks.count; i++) {
        if (operator->tasks.items[i].master && operator->tasks.items[i].start_ns<start_ns)
            start_ns = operator->tasks.items[i].start_ns;
    }
    return start_ns;
}

static int load(struct loading *loading, struct err *err)
{
    struct comm_document *document = loading->document;
    size_t count = loading->communications->count;
    document->operators = calloc(count + 1, sizeof *document->operators);
    if (document->operators == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu communication operators", count);
    document->operator_count = count;
    for (size_t i = 0; i < count; i++) {
        struct cann_text name = cann_text(loading->names, loading->communications->items[i].name_id, 0);
        document->operators[i].name = name.text != NULL ? name.text : "N/A";
        document->operators[i].point_to_point = is_point_to_point(document->pytorch, document->operators[i].name);
    }
    bool failed =
        set_groups(loading, err) < 0 || cann_each_transfer(document->analysis->db, take_transfer, loading, err) < 0;
    for (size_t i = 0; i < count; i++) {
        document->operators[i].start_ns = master_start(&document->operators[i]);
        document->operators[i].step = step_of(document, document->operators[i].start_ns);
    }
    return failed ? -(int)err->code : 0;
}

/* The steps of the document: those that are wanted. */
static int set_steps(struct comm_document *document, struct err *err)
{
    const struct framework *framework = document->analysis->framework;
    const struct framework_info *info = &framework->info;
    bool whole = !info->scheduled || info->graph_compiled || framework->steps.count == 0;
    document->steps = calloc(framework->steps.count + 1, sizeof *document->steps);
    document->places = calloc(framework->steps.count + 1, sizeof *document->places);
    if (document->steps == NULL || document->places == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for steps");
    for (size_t i = 0; !whole && i < framework->steps.count; i++) {
        const struct framework_step *step = &framework->steps.items[i];
        document->steps[document->step_count++] =
            (struct comm_step){framework_text(framework, step->id), step->device_start_ns, step->device_end_ns};
    }
    if (whole)
        document->steps[document->step_count++] = (struct comm_step){NULL, INT64_MIN, INT64_MAX};
    return 0;
}

void comm_document_release(struct comm_document *document)
{
    for (size_t i = 0; i < document->operator_count; i++)
        free(document->operators[i].tasks.items);
    free(document->operators);
    free(document->steps);
    free(document->places);
    strbuf_release(&document->text);
}

/* After the operators have found their steps: only those that are asked for are written, those of one id as one. */
static void choose_steps(struct comm_document *document)
{
    size_t kept = 0;
    size_t *places = document->places;
    for (size_t i = 0; i < document->step_count; i++) {
        const char *id = document->steps[i].id;
        size_t before = 0;
        while (before < kept && strcmp(document->steps[before].id, id) != 0)
            before++;
        places[i] = id == NULL || framework_wants_step(document->analysis, id) ? before : SIZE_MAX;
        if (places[i] == kept)
            document->steps[kept++] = document->steps[i];
    }
    for (size_t k = 0; k < document->operator_count; k++) {
        if (document->operators[k].step != SIZE_MAX)
            document->operators[k].step = places[document->operators[k].step];
    }
    document->step_count = kept;
}

int comm_document_open(struct comm_document *document, struct framework_analysis *analysis, struct err *err)
{
    *document =
        (struct comm_document){.analysis = analysis, .pytorch = analysis->framework->info.kind == FRAMEWORK_PYTORCH};
    strbuf_init(&document->text, TEXT_LIMIT);
    struct loading loading = {document, report_communications(&analysis->session, err), NULL};
    if (loading.communications == NULL || (loading.names = report_names(&analysis->session, true, err)) == NULL)
        return -(int)err->code;
    if (loading.communications->count == 0)
        return 0;
    if (set_steps(document, err) < 0 || load(&loading, err) < 0)
        return -(int)err->code;
    choose_steps(document);
    return 0;
}

int framework_write_communication(struct framework_analysis *analysis, struct err *err)
{
    struct comm_document document;
    bool failed =
        comm_document_open(&document, analysis, err) < 0 ||
        (document.operator_count > 0 && comm_write_steps(&document, "communication.json", comm_write_half, err) < 0) ||
        (document.operator_count > 0 &&
         comm_write_steps(&document, "communication_matrix.json", comm_write_matrix_half, err) < 0);
    comm_document_release(&document);
    return failed ? -(int)err->code : 0;
}

/* communication.json: how the time of each communication operator went. */

static void put_times(struct strbuf *text, const struct comm_sum *sum, bool total)
{
    comm_put_key(text, "Communication Time Info");
    strbuf_addc(text, '{');
    if (!total) {
        comm_put_key(text, "Start Timestamp(us)");
        strbuf_addf(text, "%lld.%03d", (long long)(sum->start_ns / 1000), (int)(sum->start_ns % 1000));
    }
    comm_put_real(text, "Elapse Time(ms)", sum->elapse_ms);
    comm_put_real(text, "Transit Time(ms)", sum->transit_ms);
    comm_put_real(text, "Wait Time(ms)", sum->wait_ms);
    comm_put_real(text, "Synchronization Time(ms)", sum->synchronization_ms);
    comm_put_real(text, "Idle Time(ms)", sum->idle_ms);
    comm_put_real(text, "Wait Time Ratio", comm_ratio(sum->wait_ms, sum->transit_ms));
    comm_put_real(text, "Synchronization Time Ratio", comm_ratio(sum->synchronization_ms, sum->transit_ms));
    strbuf_addc(text, '}');
}

static int put_sizes(struct strbuf *text, const struct comm_traffic *traffic, struct err *err)
{
    size_t count;
    const struct comm_packets **sorted = comm_sorted_packets(traffic, &count, err);
    if (sorted == NULL)
        return -(int)err->code;
    comm_put_key(text, "Size Distribution");
    strbuf_addc(text, '{');
    for (size_t i = 0; i < count; i++) {
        char number[REAL_SHORTEST_MAX + 1], name[REAL_SHORTEST_MAX + sizeof ".0"];
        number[comm_print_real(number, (double)sorted[i]->bytes / COMM_BYTES_PER_MB)] = '\0';
        snprintf(name, sizeof name, "%s%s", number, strpbrk(number, ".e") == NULL ? ".0" : "");
        comm_put_key(text, name);
        strbuf_addf(text, "[%lld, ", (long long)sorted[i]->count);
        strbuf_add(text, number, comm_print_real(number, sorted[i]->ms));
        strbuf_addc(text, ']');
    }
    strbuf_addc(text, '}');
    free(sorted);
    return 0;
}

static int put_traffic(struct strbuf *text, const struct comm_sum *sum, bool total, struct err *err)
{
    int status = 0;
    comm_put_key(text, "Communication Bandwidth Info");
    strbuf_addc(text, '{');
    for (int i = 0; status == 0 && i < MEDIUM_LOCAL; i++) {
        const struct comm_traffic *traffic = &sum->links[i];
        comm_put_key(text, collective_media[i]);
        strbuf_addc(text, '{');
        comm_put_real(text, "Transit Size(MB)", traffic->mb);
        comm_put_real(text, "Transit Time(ms)", traffic->ms);
        if (!total) {
            comm_put_real(text, "Bandwidth(GB/s)", comm_bandwidth(traffic->mb, traffic->ms));
            comm_put_real(text, "Large Packet Ratio", comm_large_ratio(traffic));
        }
        status = put_sizes(text, traffic, err);
        strbuf_addc(text, '}');
    }
    strbuf_addc(text, '}');
    return status;
}

static int put_sum(struct comm_document *document, const char *name, const struct comm_sum *sum, bool total,
                   struct err *err)
{
    struct strbuf *text = &document->text;
    comm_put_key(text, name);
    strbuf_addc(text, '{');
    put_times(text, sum, total);
    int status = put_traffic(text, sum, total, err);
    strbuf_addc(text, '}');
    return status;
}

static int put_operator(struct comm_document *document, const struct comm_operator *operator, struct comm_sum * total,
                        struct err *err)
{
    struct strbuf name;
    struct comm_sum sum;
    comm_sum_init(&sum);
    strbuf_init(&name, 1024 * 1024);
    strbuf_addf(&name, "%s@%llu", operator->name, (unsigned long long)operator->group);
    bool failed = (name.failed ? err_set(err, ERR_NO_MEMORY, "out of memory for a name")
                               : comm_sum_make(&sum, operator->name, &operator->tasks, err)) < 0 ||
                  put_sum(document, name.data, &sum, false, err) < 0 || comm_sum_add(total, &sum, err) < 0;
    strbuf_release(&name);
    comm_sum_release(&sum);
    return failed ? -(int)err->code : 0;
}

int comm_write_half(struct comm_document *document, size_t step, bool point_to_point, struct err *err)
{
    struct comm_sum total;
    bool failed = false;
    bool any = false;
    comm_sum_init(&total);
    for (size_t i = 0; !failed && i < document->operator_count; i++) {
        const struct comm_operator *operator= & document->operators[i];
        if (!comm_is_in(operator, step, point_to_point))
            continue;
        any = true;
        failed = put_operator(document, operator, & total, err) < 0;
    }
    failed = failed || (any && put_sum(document, "Total Op Info", &total, true, err) < 0);
    comm_sum_release(&total);
    return failed ? -(int)err->code : 0;
}

/* communication_matrix.json: for each kind of operator and link the fastest, the middle and the slowest. */

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
