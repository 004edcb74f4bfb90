/* SPDX-License-Identifier: Apache-2.0 */
/* communication.json and communication_matrix.json: reading the capture's communication, and the files' frames. */
#include "features/communication/communication.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/file/large.h"
#include "base/intern.h"
#include "base/number.h"
#include "exporters/output_file.h"
#include "exporters/query_compile.h"
#include "features/frameworks/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes the halves of a step, "p2p" and "collective": an object each, whose members half writes. */
static int write_steps(struct comm_document *document, const char *name,
                       int (*half)(struct comm_document *document, size_t step, bool point_to_point, struct err *err),
                       struct err *err)
{
    const struct export_options *options = document->analysis->options;
    struct json_out *json = &document->json;
    SCOPED(outfile_abort) struct outfile out = {.path = NULL};
    SCOPED_FREE char *path = path_joined(options->directory, name, err);
    if (path == NULL || outfile_open(&out, path, err) < 0)
        return err_status(err);
    *json = (struct json_out){.out = &out, .gap = " "};
    json_put_begin(json, NULL, '{');
    for (size_t i = 0; i < document->step_count; i++) {
        const char *id = document->steps[i].id;
        char key[64];
        snprintf(key, sizeof key, "step%s", id != NULL ? id : document->pytorch ? "" : "0");
        json_put_key(json, key, NULL);
        json_put_begin(json, NULL, '{');
        for (int point_to_point = 1; point_to_point >= 0; point_to_point--) {
            json_put_begin(json, point_to_point ? "p2p" : "collective", '{');
            if (half(document, i, point_to_point, err) < 0)
                return err_status(err);
            json_put_end(json, '}');
        }
        json_put_end(json, '}');
    }
    json_put_end(json, '}');
    return output_file_done(&out, name, document->operator_count, options, document->analysis->result, err);
}

/* "name@group": */
static void put_group_key(struct json_out *json, const char *name, uint64_t group)
{
    char number[NUMBER_MAX + 1];
    *number_put_unsigned(number, group) = '\0';
    json_put_key(json, name, number);
}

/* ---- reading ---- */

static bool is_point_to_point(bool pytorch, const char *name)
{
    return pytorch ? collective_is_of_two(name) : strstr(name, "Send") != NULL || strstr(name, "Receive") != NULL;
}

struct own_task {
    size_t operator;
    struct collective_task task;
};

struct loading {
    struct comm_document *document;
    const struct cann_communications *communications;
    const struct cann_texts *names;
    struct own_tasks ARRAY_OF(struct own_task) tasks; /* as they ran */
};

static int take_transfer(void *arg, const struct cann_transfer *transfer, struct err *err)
{
    enum { NO_MASTER = 0 };
    struct loading *loading = arg;
    const size_t place = cann_communication_place(loading->communications, transfer->op_id);
    if (place >= loading->document->operator_count || transfer->plane_id == DB_NULL)
        return 0;
    if (large_reserve(&loading->tasks, 1, err) < 0)
        return err_status(err);
    struct own_task *own = &loading->tasks.items[loading->tasks.count];
    *own = (struct own_task){place, collective_task_of(loading->names, transfer)};
    own->task.master = transfer->master != NO_MASTER;
    loading->document->operators[place].task_count++;
    large_pass(loading->tasks.count++);
    return 0;
}

ARRAY_COMPARE(compare_hashed, struct hashed_name, ARRAY_BY_TEXT(name))

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
    int status = records_hash_numbers(document->analysis->prof, groups, kept, document->analysis->diag, err);
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

/* Puts the tasks of each operator together. */
static int gather_tasks(struct loading *loading, struct err *err)
{
    struct comm_document *document = loading->document;
    struct comm_operator *operators = document->operators;
    document->tasks = large_new(loading->tasks.count + 1, sizeof *document->tasks, err);
    if (document->tasks == NULL)
        return err_status(err);
    for (size_t i = 0, first = 0; i < document->operator_count; i++) {
        operators[i].first = first;
        first += operators[i].task_count;
        operators[i].task_count = 0;
    }
    for (size_t i = 0; i < loading->tasks.count; i++) {
        const struct own_task *own = &loading->tasks.items[i];
        struct comm_operator *operator= & operators[own->operator];
        document->tasks[operator->first + operator->task_count++] = own->task;
        if (own->task.master && own->task.start_ns < operator->start_ns)
            operator->start_ns = own->task.start_ns;
        large_pass(i);
    }
    return 0;
}

static int load(struct loading *loading, struct err *err)
{
    struct comm_document *document = loading->document;
    size_t count = loading->communications->count;
    document->operators = large_new(count + 1, sizeof *document->operators, err);
    if (document->operators == NULL)
        return err_status(err);
    document->operator_count = count;
    for (size_t i = 0; i < count; i++) {
        struct cann_text name = cann_text(loading->names, loading->communications->items[i].name_id, 0);
        const char *text = name.text != NULL ? name.text : "N/A";
        document->operators[i] = (struct comm_operator){
            .name = text, .point_to_point = is_point_to_point(document->pytorch, text), .start_ns = INT64_MAX};
    }
    bool failed = set_groups(loading, err) < 0 ||
                  cann_each_transfer(document->analysis->db, take_transfer, loading, err) < 0 ||
                  gather_tasks(loading, err) < 0;
    large_free(loading->tasks.items);
    for (size_t i = 0; i < count; i++)
        document->operators[i].step = step_of(document, document->operators[i].start_ns);
    return failed ? err_status(err) : 0;
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
        document->steps[document->step_count++] = (struct comm_step){.id = framework_text(framework, step->id),
                                                                     .start_ns = step->device_start_ns,
                                                                     .end_ns = step->device_end_ns};
    }
    if (whole)
        document->steps[document->step_count++] = (struct comm_step){.start_ns = INT64_MIN, .end_ns = INT64_MAX};
    return 0;
}

void comm_document_free(struct comm_document *document)
{
    if (document == NULL)
        return;
    large_free(document->operators);
    large_free(document->tasks);
    free(document->steps);
    free(document->places);
    free(document);
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
    for (size_t k = document->operator_count; k-- > 0;) {
        size_t *step = &document->operators[k].step;
        *step = *step != SIZE_MAX ? places[*step] : SIZE_MAX;
        if (*step == SIZE_MAX)
            continue;
        document->steps[*step].first = k;
        if (document->steps[*step].end == 0)
            document->steps[*step].end = k + 1;
    }
    document->step_count = kept;
}

static int read_document(struct comm_document *document, struct err *err)
{
    struct report_session *session = &document->analysis->session;
    struct loading loading = {document, report_communications(session, err), NULL, {NULL, 0, 0}};
    if (loading.communications == NULL || (loading.names = report_names(session, true, err)) == NULL)
        return err_status(err);
    if (loading.communications->count == 0)
        return 0;
    if (set_steps(document, err) < 0 || load(&loading, err) < 0)
        return err_status(err);
    choose_steps(document);
    return 0;
}

struct comm_document *comm_document_of(struct framework_analysis *analysis, struct err *err)
{
    struct comm_document *document =
        analysis->communication != NULL ? analysis->communication : calloc(1, sizeof *document);
    if (document == NULL) {
        err_no_memory(err);
        return NULL;
    }
    if (analysis->communication != NULL)
        return document;
    document->analysis = analysis;
    document->pytorch = analysis->framework->info.kind == FRAMEWORK_PYTORCH;
    if (read_document(document, err) < 0) {
        comm_document_free(document);
        return NULL;
    }
    return analysis->communication = document;
}

/* ---- sums ---- */

ARRAY_COMPARE(compare_packets, struct collective_packets, ARRAY_BY(bytes))

static void comm_sort_sizes(struct collective *sum)
{
    for (int i = 0; i < MEDIUM_LOCAL; i++)
        array_sort(sum->media[i].sizes.items, sum->media[i].sizes.count, sizeof(struct collective_packets),
                   compare_packets);
}

int comm_sum_make(const struct comm_document *document, const struct comm_operator *operator, struct collective * ret,
                  struct err *err)
{
    const struct collective_tasks tasks = {document->tasks + operator->first, operator->task_count, 0};
    collective_init(ret);
    if (collective_analyse(&tasks, communication_is_point_to_point(operator->name), PLANES_BY_APPEARANCE, ret, err) < 0)
        return err_status(err);
    comm_sort_sizes(ret);
    large_passed(operator->task_count);
    return 0;
}

/* communication.json: how the time of each communication operator went. */

/* operator: NULL for the sum of several. */
static void put_sum(struct json_out *json, const struct comm_operator *operator, const struct collective * sum)
{
    const struct comm_info info = {.total = operator== NULL,
                                   .summed = true,
                                   .collective = sum,
                                   .start_ns = operator!= NULL ? operator->start_ns : 0 };
    json_put_begin(json, NULL, '{');
    comm_put_info(json, &info);
    json_put_end(json, '}');
}

static int put_operator(struct comm_document *document, const struct comm_operator *operator, struct collective * total,
                        struct err *err)
{
    SCOPED(collective_release) struct collective sum;
    if (comm_sum_make(document, operator, & sum, err) < 0)
        return err_status(err);
    put_group_key(&document->json, operator->name, operator->group);
    put_sum(&document->json, operator, & sum);
    return collective_add(total, &sum, err);
}

static int write_half(struct comm_document *document, size_t step, bool point_to_point, struct err *err)
{
    SCOPED(collective_release) struct collective total;
    bool failed = false, any = false;
    collective_init(&total);
    for (size_t i = document->steps[step].first; !failed && i < document->steps[step].end; i++) {
        const struct comm_operator *operator= & document->operators[i];
        if (!comm_is_in(operator, step, point_to_point))
            continue;
        any = true;
        failed = put_operator(document, operator, & total, err) < 0;
    }
    if (!failed && any) {
        comm_sort_sizes(&total);
        json_put_key(&document->json, "Total Op Info", NULL);
        put_sum(&document->json, NULL, &total);
    }
    return failed ? err_status(err) : 0;
}

/* communication_matrix.json: for each kind of operator and link the fastest, the middle and the slowest. */

/* One operator's traffic on one link. */
struct entry {
    const char *type;
    uint64_t group;
    struct collective_pair sum;
    double bandwidth;
    size_t place;
    const char *op;
};

struct entries {
    struct entry *items;
    size_t count, capacity;
    struct intern types;
};

/* ---- entries ---- */

static int add_operator(struct comm_document *document, const struct comm_operator *operator, struct entries * entries,
                        struct err *err)
{
    SCOPED(collective_release) struct collective sum;
    char type[COLLECTIVE_TYPE_MAX];
    uint32_t number = 0;
    collective_type_of(operator->name, document->pytorch, operator->point_to_point, type);
    bool failed = comm_sum_make(document, operator, & sum, err) < 0 ||
                  intern_text(&entries->types, type, &number, err) < 0 ||
                  large_reserve(entries, sum.pairs.count, err) < 0;
    for (size_t i = 0; !failed && i < sum.pairs.count; i++) {
        const struct collective_pair *pair = &sum.pairs.items[i];
        entries->items[entries->count] =
            (struct entry){entries->types.items[number].bytes, operator->group, *pair,
                           comm_bandwidth(pair->mb, pair->ms), entries->count, operator->name };
        entries->count++;
    }
    return failed ? err_status(err) : 0;
}

static int compare_kinds(const struct entry *x, const struct entry *y)
{
    int order = strcmp(x->type, y->type);
    return order != 0 ? order : (x->group > y->group) - (x->group < y->group);
}

static int compare_links(const struct entry *x, const struct entry *y)
{
    return ARRAY_ORDERS(array_order(x->sum.from, y->sum.from), array_order(x->sum.to, y->sum.to));
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = compare_kinds(x, y);
    order = order != 0 ? order : compare_links(x, y);
    if (order != 0)
        return order;
    return ARRAY_ORDERS(array_order(y->bandwidth, x->bandwidth), array_order(x->place, y->place));
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
    struct collective_pair sum = entries[0].sum;
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
    char key[COLLECTIVE_TYPE_MAX + 64];
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
    for (size_t i = document->steps[step].first; status == 0 && i < document->steps[step].end; i++) {
        if (comm_is_in(&document->operators[i], step, point_to_point))
            status = add_operator(document, &document->operators[i], &entries, err);
    }
    large_sort(entries.items, entries.count, sizeof *entries.items, compare_entries);
    for (size_t i = 0, n; status == 0 && i < entries.count; i += n) {
        for (n = 1; i + n < entries.count && compare_kinds(&entries.items[i], &entries.items[i + n]) == 0;)
            n++;
        status = take_kind(document, entries.items + i, n, &taking, err);
    }
    large_free(entries.items);
    intern_release(&entries.types);
    return status;
}

/* ---- the file ---- */

struct link_writing {
    struct comm_document *document;
    bool any;
};

static int put_link(void *arg, const struct comm_link_row *row, struct err *err)
{
    struct link_writing *writing = arg;
    struct json_out *json = &writing->document->json;
    char ranks[2 * NUMBER_MAX + 2];
    (void)err;
    if (row->first) {
        if (writing->any)
            json_put_end(json, '}');
        put_group_key(json, row->key, row->group);
        json_put_begin(json, NULL, '{');
        writing->any = true;
    }
    char *p = number_put_signed(ranks, row->sum->from);
    *p++ = '-';
    *number_put_signed(p, row->sum->to) = '\0';
    json_put_begin(json, ranks, '{');
    json_put_text(json, "Transport Type", comm_transport(row->sum));
    json_put_real(json, "Transit Size(MB)", row->sum->mb);
    json_put_real(json, "Transit Time(ms)", row->sum->ms);
    json_put_real(json, "Bandwidth(GB/s)", row->bandwidth);
    if (row->op != NULL)
        json_put_text(json, writing->document->pytorch ? "Op Name" : "op_name", row->op);
    json_put_end(json, '}');
    return 0;
}

static int write_matrix_half(struct comm_document *document, size_t step, bool point_to_point, struct err *err)
{
    struct link_writing writing = {document, false};
    int status = comm_each_link(document, step, point_to_point, put_link, &writing, err);
    if (writing.any)
        json_put_end(&document->json, '}');
    return status;
}

int framework_write_communication(struct framework_analysis *analysis, struct err *err)
{
    struct comm_document *document = comm_document_of(analysis, err);
    if (document == NULL)
        return err_status(err);
    return document->operator_count > 0 &&
                   (write_steps(document, "communication.json", write_half, err) < 0 ||
                    write_steps(document, "communication_matrix.json", write_matrix_half, err) < 0)
               ? err_status(err)
               : 0;
}

/* ---- each operator ---- */

/* As records number links and transports (db/query/query_records.h). */
enum { LINK_ON_CHIP, LINK_HCCS, LINK_PCIE, LINK_ROCE, LINK_SIO, LINK_HCCS_SW };
enum { TRANSPORT_SDMA };
enum { RDMA_PAYLOAD = 1 };

struct walk {
    const struct cann_texts *names;
    struct cann_communications ops;
    collective_taker *take;
    void *arg;
    int64_t op_id; /* whose tasks these are; 0: none yet */
    struct collective_tasks tasks;
    struct row_list ARRAY_OF(int64_t) rows; /* device_task.id of each */
};

static bool is_named(const struct cann_texts *names, int64_t id, const char *name)
{
    const struct cann_text text = cann_text(names, id, 0);
    return text.text != NULL && text.length == strlen(name) && memcmp(text.text, name, text.length) == 0;
}

bool communication_is_point_to_point(const char *name)
{
    return name != NULL && (strcasestr(name, "send") != NULL || strcasestr(name, "receive") != NULL);
}

static enum collective_medium medium_of(int64_t link)
{
    switch (link) {
    case LINK_ON_CHIP:
        return MEDIUM_LOCAL;
    case LINK_HCCS:
    case LINK_HCCS_SW:
        return MEDIUM_HCCS;
    case LINK_PCIE:
        return MEDIUM_PCIE;
    case LINK_SIO:
        return MEDIUM_SIO;
    default:
        return MEDIUM_SDMA;
    }
}

static enum collective_task_kind kind_of(const struct cann_texts *names, const struct cann_transfer *transfer)
{
    if (transfer->rdma_type == RDMA_PAYLOAD)
        return COLLECTIVE_PAYLOAD;
    if (is_named(names, transfer->type_id, "Notify_Wait"))
        return COLLECTIVE_WAIT;
    if (transfer->transport_type == TRANSPORT_SDMA &&
        (is_named(names, transfer->type_id, "Memcpy") || is_named(names, transfer->type_id, "Reduce_Inline")))
        return COLLECTIVE_COPY;
    return COLLECTIVE_OTHER;
}

struct collective_task collective_task_of(const struct cann_texts *names, const struct cann_transfer *transfer)
{
    return (struct collective_task){
        .kind = kind_of(names, transfer),
        .master = transfer->master == 1,
        .plane = transfer->plane_id,
        .start_ns = transfer->start_ns,
        .duration_ns = transfer->duration_ns,
        .hz = transfer->hz,
        .bytes = transfer->bytes != DB_NULL      ? transfer->bytes
                 : transfer->plane_id != DB_NULL ? COLLECTIVE_NO_BYTES
                                                 : 0,
        .link = medium_of(transfer->link_type),
        .local_rank = transfer->local_rank,
        .remote_rank = transfer->remote_rank,
    };
}

/* The operator whose tasks are complete. */
static int finish(struct walk *walk, struct err *err)
{
    SCOPED(collective_release) struct collective collective;
    const size_t place = cann_communication_place(&walk->ops, walk->op_id);
    collective_init(&collective);
    if (walk->tasks.count == 0 || place == SIZE_MAX)
        return 0;
    const struct cann_communication *op = &walk->ops.items[place];
    bool point_to_point = communication_is_point_to_point(cann_text(walk->names, op->name_id, 0).text);
    if (collective_analyse(&walk->tasks, point_to_point, PLANES_BY_NUMBER, &collective, err) < 0 ||
        walk->take(walk->arg, op, &collective, walk->rows.items, err) < 0)
        return err_status(err);
    walk->tasks.count = walk->rows.count = 0;
    return 0;
}

static int gather_transfer(void *arg, const struct cann_transfer *transfer, struct err *err)
{
    struct walk *walk = arg;
    int status = 0;
    if (transfer->op_id == DB_NULL) /* they come first */
        return 0;
    if (transfer->op_id != walk->op_id)
        status = finish(walk, err);
    walk->op_id = transfer->op_id;
    if (status < 0 || transfer->plane_id == DB_NULL) /* nothing was reported of it */
        return status;
    status = array_reserve(&walk->tasks, 1, err);
    if (status == 0)
        status = array_reserve(&walk->rows, 1, err);
    if (status < 0)
        return status;
    walk->rows.items[walk->rows.count++] = transfer->task_row_id;
    walk->tasks.items[walk->tasks.count++] = collective_task_of(walk->names, transfer);
    return 0;
}

int collectives_each(sqlite3 *db, const struct cann_texts *names, collective_taker *take, void *arg, struct err *err)
{
    struct walk walk = {.names = names, .take = take, .arg = arg};
    bool failed = cann_communications_load(db, &walk.ops, err) < 0 ||
                  (walk.ops.count > 0 && cann_each_transfer_by_op(db, gather_transfer, &walk, err) < 0) ||
                  finish(&walk, err) < 0;
    free(walk.tasks.items);
    free(walk.rows.items);
    cann_communications_release(&walk.ops);
    return failed ? err_status(err) : 0;
}

static int take_runs(void *arg, const struct cann_communication *op, const struct collective *collective,
                     const int64_t *task_rows, struct err *err)
{
    struct map *runs = arg;
    (void)op;
    for (size_t i = 0; i < collective->runs.count; i++) {
        const struct collective_run *run = &collective->runs.items[i];
        struct communication_run *item = map_add(runs, &task_rows[run->task], NULL, err);
        if (item == NULL)
            return err_status(err);
        item->bytes = run->bytes;
        item->ns = ticks_whole_ns(collective->hz, run->ticks);
    }
    return 0;
}

int communication_runs_load(sqlite3 *db, struct map *ret, struct err *err)
{
    struct cann_texts names;
    bool any = false;
    *ret = (struct map)MAP_OF(struct communication_run, task_row_id);
    int status = query_ask(db, "EXISTS (SELECT 1 FROM communication_task WHERE rdma_type = 1)", &any, err);
    if (status < 0 || !any)
        return status;
    status = cann_names_load(db, &names, err);
    if (status < 0)
        return status;
    status = collectives_each(db, &names, take_runs, ret, err);
    cann_texts_release(&names);
    return status;
}
