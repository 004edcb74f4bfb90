/* SPDX-License-Identifier: Apache-2.0 */
/* communication.json and communication_matrix.json: reading the capture's communication, and the files' frames. */
#include "exporters/communication/communication.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/number.h"
#include "exporters/json_text.h"
#include "exporters/output_file.h"
#include "parsers/frameworks/hash_dic.h"

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
    int status = path != NULL ? outfile_open(&document->out, path, err) : err_set(err, ERR_NO_MEMORY, "out of memory");
    struct strbuf *text = &document->text;
    if (status < 0) {
        free(path);
        return status;
    }
    outfile_write(&document->out, "{", 1);
    for (size_t i = 0; status == 0 && i < document->step_count; i++) {
        const char *id = document->steps[i].id;
        strbuf_clear(text);
        if (i > 0)
            strbuf_adds(text, ", ");
        snprintf(key, sizeof key, "step%s", id != NULL ? id : document->pytorch ? "" : "0");
        strbuf_adds(text, "\"");
        json_text_append(text, key, strlen(key));
        strbuf_adds(text, "\": {\"p2p\": {");
        status = half(document, i, true, err);
        strbuf_adds(text, "}, \"collective\": {");
        if (status == 0)
            status = half(document, i, false, err);
        strbuf_adds(text, "}}");
        if (status == 0)
            status = comm_flush(document, err);
    }
    outfile_write(&document->out, "}", 1);
    if (status == 0)
        status = output_file_done(&document->out, name, path, document->operator_count, options,
                                  document->analysis->result, err);
    else
        outfile_abort(&document->out);
    free(path);
    return status;
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
    enum { SDMA = 0, RDMA_PAYLOAD = 1, NO_MASTER = 0 };
    struct loading *loading = arg;
    int64_t place = transfer->op_id - 1;
    if (place < 0 || (uint64_t)place >= loading->document->operator_count || transfer->plane_id == DB_NULL)
        return 0;
    struct cann_text type = cann_text(loading->names, transfer->type_id, 0);
    const char *name = type.text != NULL ? type.text : "";
    struct comm_tasks *tasks = &loading->document->operators[place].tasks;
    if (array_reserve(tasks, 1, err) < 0)
        return -(int)err->code;
    tasks->items[tasks->count++] = (struct comm_task){
        .plane = transfer->plane_id,
        .start_ns = transfer->start_ns,
        .duration_ns = transfer->duration_ns,
        .bytes = transfer->bytes != DB_NULL ? transfer->bytes : 0,
        .local_rank = transfer->local_rank,
        .remote_rank = transfer->remote_rank,
        .master = transfer->master != NO_MASTER,
        .waits = strcmp(name, "Notify_Wait") == 0,
        .moves =
            (strcmp(name, "Memcpy") == 0 || strcmp(name, "Reduce_Inline") == 0) && transfer->transport_type == SDMA,
        .payload = transfer->rdma_type == RDMA_PAYLOAD,
        .link_type = (uint8_t)(transfer->link_type >= 0 && transfer->link_type < 255 ? transfer->link_type : 255),
    };
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
    int status = set_groups(loading, err);
    if (status == 0)
        status = cann_each_transfer(document->analysis->db, take_transfer, loading, err);
    for (size_t i = 0; i < count; i++) {
        document->operators[i].start_ns = master_start(&document->operators[i]);
        document->operators[i].step = step_of(document, document->operators[i].start_ns);
    }
    return status;
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
    int status = set_steps(document, err);
    if (status == 0)
        status = load(&loading, err);
    if (status == 0)
        choose_steps(document);
    return status;
}

int framework_write_communication(struct framework_analysis *analysis, struct err *err)
{
    struct comm_document document;
    int status = comm_document_open(&document, analysis, err);
    if (status == 0 && document.operator_count > 0)
        status = comm_write_steps(&document, "communication.json", comm_write_half, err);
    if (status == 0 && document.operator_count > 0)
        status = comm_write_steps(&document, "communication_matrix.json", comm_write_matrix_half, err);
    comm_document_release(&document);
    return status;
}
