/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/slice_operators.h"

#include "base/intern.h"
#include "base/thread.h"
#include "db/database.h"
#include "db/warm_up.h"
#include "exporters/row_format.h"

#include <stdlib.h>
#include <string.h>

enum { INPUT_SHAPES = 0, OUTPUT_SHAPES = 3 }; /* columns of cann_tensor_sets_load */

static int encode_texts(struct cann_texts *texts, struct err *err)
{
    static const char *const any_title[] = {""};
    struct row_format json;
    int status = row_format_init(&json, TABLE_JSON, any_title, 1, err);
    if (status < 0)
        return status;
    status = row_format_encode(&json, texts, NULL, err);
    row_format_release(&json);
    return status;
}

/* The word of each name; free() them. NULL with err set. */
static const char **find_bounds(const struct operator_bounds *bounds, const struct cann_texts *names, struct err *err)
{
    const char **words = calloc(names->rows + 1, sizeof *words);
    if (words == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for %zu names", names->rows);
        return NULL;
    }
    for (size_t i = 0; i < names->rows; i++) {
        const struct cann_text name = cann_text(names, (int64_t)i, 0);
        if (name.text != NULL)
            words[i] = operator_bounds_find(bounds, name.text, name.length);
    }
    return words;
}

static int load_bounds(const char ***ret, sqlite3 *db, const struct cann_texts *names, const struct workload *workload,
                       struct err *err)
{
    SCOPED(operator_bounds_release) struct operator_bounds bounds;
    int status = workload != NULL ? operator_bounds_of(workload, &bounds, err) : operator_bounds_load(db, &bounds, err);
    *ret = status == 0 ? find_bounds(&bounds, names, err) : NULL;
    return *ret != NULL ? 0 : err_status(err);
}

struct bounds_search {
    pthread_t thread;
    char *database;
    const char **bounds;
    struct err err;
};

/* With a connection and names of its own. */
static void *search_bounds(void *opaque)
{
    struct bounds_search *search = opaque;
    struct cann_texts names = {.items = NULL};
    sqlite3 *db;
    if (warm_up_open(search->database, &db, &search->err) < 0)
        return NULL;
    if (cann_names_load(db, &names, &search->err) == 0)
        (void)load_bounds(&search->bounds, db, &names, NULL, &search->err);
    cann_texts_release(&names);
    database_close(db);
    return NULL;
}

static void free_search(struct bounds_search *search)
{
    free(search->database);
    free((void *)search->bounds);
    free(search);
}

static struct bounds_search *begin_search(const char *database)
{
    struct bounds_search *search = calloc(1, sizeof *search);
    if (search == NULL)
        return NULL;
    search->err = (struct err)ERR_INIT;
    search->database = strdup(database);
    if (search->database != NULL && thread_start(&search->thread, search_bounds, search) == 0)
        return search;
    free_search(search);
    return NULL;
}

int slice_operators_wait(struct slice_operators *operators, struct err *err)
{
    struct bounds_search *search = operators->search;
    if (search == NULL)
        return 0;
    pthread_join(search->thread, NULL);
    operators->search = NULL;
    operators->bounds = search->bounds;
    search->bounds = NULL;
    if (operators->bounds == NULL)
        *err = search->err;
    free_search(search);
    return operators->bounds != NULL ? 0 : err_status(err);
}

static int load_facts(struct slice_operators *ret, sqlite3 *db, const char *beside, const struct cann_texts *names,
                      const struct workload *workload, struct err *err)
{
    enum { FEW_TASKS = 65536 };  /* are read sooner than another connection has the schema */
    enum { MANY_NAMES = 65536 }; /* are much memory beside the texts of tensors */
    int64_t tasks = 0;
    if (beside != NULL && workload == NULL && cann_task_count(db, &tasks, err) < 0)
        return err_status(err);
    ret->search = tasks > FEW_TASKS && names->rows <= MANY_NAMES ? begin_search(beside) : NULL;
    if ((ret->search == NULL && load_bounds(&ret->bounds, db, names, workload, err) < 0) ||
        cann_tensor_sets_load(db, &ret->tensors, err) < 0)
        return err_status(err);
    return encode_texts(&ret->tensors, err);
}

int slice_operators_load(struct slice_operators *ret, sqlite3 *db, const char *beside, struct cann_texts *names,
                         const struct workload *workload, bool facts, struct err *err)
{
    *ret = (struct slice_operators){.begins = NULL};
    if ((facts && load_facts(ret, db, beside, names, workload, err) < 0) || encode_texts(names, err) < 0)
        return err_status(err);
    if (facts)
        ret->begins = short_names_of_texts(names, err);
    return !facts || ret->begins != NULL ? 0 : err_status(err);
}

void slice_operators_release(struct slice_operators *operators)
{
    struct err ignored = ERR_INIT;
    (void)slice_operators_wait(operators, &ignored);
    free(operators->begins);
    free((void *)operators->bounds);
    cann_texts_release(&operators->tensors);
    *operators = (struct slice_operators){.begins = NULL};
}

/* Where the short name begins in the whole; 0: it is the whole. */
static size_t begin_of(const struct slice_operators *operators, const struct cann_texts *names, int64_t name_id)
{
    bool known = operators->begins != NULL && name_id >= 0 && (uint64_t)name_id < names->rows;
    return known ? operators->begins[name_id] : 0;
}

struct cann_text slice_name(const struct slice_operators *operators, const struct cann_texts *names, int64_t name_id)
{
    struct cann_text name = cann_text(names, name_id, 0);
    const size_t begin = begin_of(operators, names, name_id);
    const size_t before = begin > 0 ? begin - 1 : 0; /* the first of them, or the slash in its place */
    if (name.text != NULL) {
        name.text += before;
        name.length -= (uint32_t)before;
    }
    return name;
}

void slice_whole_name(struct event *event, const struct slice_operators *operators, const struct cann_texts *names,
                      int64_t name_id)
{
    if (begin_of(operators, names, name_id) > 0)
        event_cann_known(event, "Op Name", cann_text(names, name_id, 0));
}

void slice_operator(struct event *event, const struct slice_operators *operators, const struct cann_texts *names,
                    const struct cann_task *task)
{
    if (operators->begins == NULL || task->op_name_id == DB_NULL)
        return;
    const struct cann_text type = cann_text(names, task->op_type_id, 0),
                           inputs = cann_text(&operators->tensors, task->tensor_set_id, INPUT_SHAPES),
                           outputs = cann_text(&operators->tensors, task->tensor_set_id, OUTPUT_SHAPES);
    slice_whole_name(event, operators, names, task->op_name_id);
    event_cann_known(event, "OP Type", type);
    const char *bound = (uint64_t)task->op_name_id < names->rows ? operators->bounds[task->op_name_id] : NULL;
    if (bound != NULL)
        event_word(event, "Bound", bound);
    if (task->block_num != DB_NULL)
        event_integer(event, "Block Num", task->block_num);
    if (task->mix_block_num != DB_NULL && task->mix_block_num > 0)
        event_integer(event, "Mix Block Num", task->mix_block_num);
    event_cann_known(event, "Input Shapes", inputs);
    event_cann_known(event, "Output Shapes", outputs);
}

/* ---- short names ---- */

#define PARTS_MAX 8 /* a name that needs more is shown whole: hostile ones would take the square of their length */

/* Where the part before `begin` begins: behind a slash that something follows. */
static size_t part_before(const struct short_name *name, size_t begin)
{
    while (begin > 0 && name->text[begin - 1] == '/')
        begin--;
    while (begin > 0 && name->text[begin - 1] != '/')
        begin--;
    return begin;
}

/* One pass over all names that are still ambiguous, each with one part more than before. */
struct look {
    struct short_name **open;
    size_t count;
    struct intern ends;
    uint32_t *end_of; /* of each: the number of its end */
    struct end {
        const struct short_name *first;
        bool several;
    } * of; /* of each end */
};

static bool is_same(const struct short_name *a, const struct short_name *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static int lengthen(struct look *look, bool whole, struct err *err)
{
    int status = 0;
    for (size_t i = 0; i < look->count && status == 0; i++) {
        struct short_name *name = look->open[i];
        size_t before = look->ends.count;
        name->begin = whole ? 0 : part_before(name, name->begin);
        status = intern_add(&look->ends, name->text + name->begin, name->length - name->begin, &look->end_of[i], err);
        if (status < 0)
            break;
        struct end *end = &look->of[look->end_of[i]];
        if (look->ends.count > before)
            *end = (struct end){.first = name};
        else
            end->several |= !is_same(end->first, name);
    }
    return status;
}

static void keep_open(struct look *look)
{
    size_t kept = 0;
    for (size_t i = 0; i < look->count; i++) {
        if (look->of[look->end_of[i]].several && look->open[i]->begin > 0)
            look->open[kept++] = look->open[i];
    }
    look->count = kept;
    intern_release(&look->ends);
}

/* Only paths are compared: a name without a slash says the same with or without its path. */
static void open_paths(struct look *look, struct short_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        names[i].begin = 0;
        if (names[i].text == NULL || memchr(names[i].text, '/', names[i].length) == NULL)
            continue;
        names[i].begin = names[i].length;
        look->open[look->count++] = &names[i];
    }
}

int short_names_find(struct short_name *names, size_t count, struct err *err)
{
    struct look look = {.open = calloc(count + 1, sizeof *look.open),
                        .end_of = calloc(count + 1, sizeof *look.end_of),
                        .of = calloc(count + 1, sizeof *look.of)};
    int status = look.open != NULL && look.end_of != NULL && look.of != NULL
                     ? 0
                     : err_set(err, ERR_NO_MEMORY, "out of memory for the names of %zu operators", count);
    if (status == 0)
        open_paths(&look, names, count);
    for (size_t parts = 1; status == 0 && look.count > 0; parts++) {
        status = lengthen(&look, parts > PARTS_MAX, err);
        keep_open(&look);
    }
    free((void *)look.open);
    free(look.end_of);
    free(look.of);
    return status;
}

size_t *short_names_of_texts(const struct cann_texts *texts, struct err *err)
{
    enum { QUOTES = 1 }; /* on either side */
    struct short_name *names = calloc(texts->rows + 1, sizeof *names);
    size_t *begins = calloc(texts->rows + 1, sizeof *begins);
    int status = names != NULL && begins != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory for short names");
    for (size_t i = 0; status == 0 && i < texts->rows; i++) {
        const struct cann_text text = cann_text(texts, (int64_t)i, 0);
        if (text.text != NULL && text.length >= 2 * QUOTES)
            names[i] = (struct short_name){.text = text.text + QUOTES, .length = text.length - 2 * QUOTES};
    }
    if (status == 0)
        status = short_names_find(names, texts->rows, err);
    for (size_t i = 0; status == 0 && i < texts->rows; i++)
        begins[i] = names[i].begin > 0 ? names[i].begin + QUOTES : 0;
    free(names);
    if (status == 0)
        return begins;
    free(begins);
    return NULL;
}
