/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/database/unified_bulk.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/number.h"
#include "db/pages/write.h"

#include <stdlib.h>
#include <string.h>

const struct word_range word_ranges[WORD_RANGES] = {
    {"core", core_names, 0, TASK_COMMUNICATES_ON_AI_CPU - 1, FIRST_WORD_ID},
    {"core", core_names, TASK_COMMUNICATES_ON_AI_CPU, TASK_COMMUNICATES_ON_AI_CPU, SCHEDULE_ID},
    {"core", core_names, TASK_COMMUNICATES_ON_AI_CPU + 1, INT64_MAX, FIRST_WORD_ID + 100},
    {"device", device_task_names, 0, 20, FIRST_WORD_ID + 19},
    {"device", device_task_names, 21, INT64_MAX, FIRST_WORD_ID + 200},
};

enum bulk_table { BULK_CALLS, BULK_TASKS, BULK_OPERATORS, BULK_METRICS, BULK_OVERLAPS, BULK_TABLES };

#define MOST_CELLS 17
/* The cells of a row are the columns of the table. I: integer, N: numeric, K: the key. */
static const struct {
    const char *name, *forms;
} bulk_tables[BULK_TABLES] = {
    [BULK_CALLS] = {"CANN_API", "IIIIKI"},
    [BULK_TASKS] = {"TASK", "IIIIIIIIIII"},
    [BULK_OPERATORS] = {"COMPUTE_TASK_INFO", "IKIIIIIIIIIIIIIII"},
    [BULK_METRICS] = {"TASK_PMU_INFO", "IIN"},
    [BULK_OVERLAPS] = {"OVERLAP_ANALYSIS", "KIIII"},
};

#define WORDS_KEPT 256
/* The ids of the names of one kind. */
struct words {
    int64_t ids[WORDS_KEPT]; /* of the numbers from 0 on */
};

/* A call whose inner ones may still come. */
struct outer_call {
    int64_t id, launch; /* launch: the call at the node level that is around, or is itself; 0: none */
};

struct unified_bulk {
    struct pages pages;
    struct page_table *tables[BULK_TABLES];
    int64_t rows[BULK_TABLES];
    int64_t process_id, first_tensor;
    struct words cores, device_tasks;
    struct {
        struct outer_call *items;
        size_t count, capacity;
    } outer;
    struct slots *launches;
    uint64_t launch_count;
};

static int64_t find_word(const char *kind, int64_t number)
{
    for (size_t i = 0; i < WORD_RANGES; i++) {
        const struct word_range *range = &word_ranges[i];
        if (strcmp(range->kind, kind) != 0 || number < range->first || number > range->last)
            continue;
        for (const struct value_name *name = range->names; name->text != NULL; name++)
            if (name->value == number)
                return range->id + number - range->first;
    }
    return UNKNOWN_ID;
}

static void keep_words(struct words *words, const char *kind)
{
    for (int i = 0; i < WORDS_KEPT; i++)
        words->ids[i] = find_word(kind, i);
}

static int64_t word_of(const struct words *words, const char *kind, int64_t number)
{
    return number >= 0 && number < WORDS_KEPT ? words->ids[number] : find_word(kind, number);
}

static struct page_table *new_table(struct unified_bulk *bulk, enum bulk_table table, const char *script,
                                    struct err *err)
{
    const char *forms = bulk_tables[table].forms;
    uint8_t page_forms[MOST_CELLS];
    size_t cells = strlen(forms);
    for (size_t i = 0; i < cells; i++)
        page_forms[i] = forms[i] == 'K' ? PAGE_ROW_ID : forms[i] == 'N' ? PAGE_NUMERIC : PAGE_INTEGER;
    return page_table_new(&bulk->pages, schema_script_root(script, bulk_tables[table].name), page_forms, cells, false,
                          err);
}

struct unified_bulk *unified_bulk_new(int fd, const struct schema_file *file, const char *script, struct err *err)
{
    struct unified_bulk *bulk = calloc(1, sizeof *bulk);
    if (bulk == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    pages_begin(&bulk->pages, fd, file->page_size, file->pages);
    keep_words(&bulk->cores, "core");
    keep_words(&bulk->device_tasks, "device");
    bulk->launches = slots_new(err);
    bool made = bulk->launches != NULL;
    for (enum bulk_table i = 0; made && i < BULK_TABLES; i++) {
        bulk->tables[i] = new_table(bulk, i, script, err);
        made = bulk->tables[i] != NULL;
    }
    if (made)
        return bulk;
    unified_bulk_free(bulk);
    return NULL;
}

void unified_bulk_free(struct unified_bulk *bulk)
{
    if (bulk == NULL)
        return;
    for (size_t i = 0; i < BULK_TABLES; i++)
        page_table_free(bulk->tables[i]);
    slots_free(bulk->launches);
    free(bulk->outer.items);
    free(bulk);
}

void unified_bulk_capture(struct unified_bulk *bulk, int64_t process_id, int64_t last_name)
{
    bulk->process_id = process_id;
    bulk->first_tensor = last_name - 5;
}

/* A row in the making. */
struct bulk_row {
    struct cell cells[MOST_CELLS];
    uint64_t present;
    size_t count;
};

static inline void put(struct bulk_row *row, int64_t value)
{
    if (value != DB_NULL) {
        row->cells[row->count].integer = value;
        row->present |= UINT64_C(1) << row->count;
    }
    row->count++;
}

static inline void put_or(struct bulk_row *row, int64_t value, int64_t other)
{
    put(row, value != DB_NULL ? value : other);
}

static int add_row(struct unified_bulk *bulk, enum bulk_table table, int64_t id, const struct bulk_row *row,
                   struct err *err)
{
    bulk->rows[table]++;
    return page_table_add(bulk->tables[table], id, row->cells, row->present, err);
}

static int64_t end_of(int64_t start_ns, int64_t duration_ns)
{
    return start_ns == DB_NULL || duration_ns == DB_NULL ? DB_NULL : number_add(start_ns, duration_ns);
}

/* ---- calls ---- */

int unified_launch(struct unified_bulk *bulk, int64_t connection_id, int64_t *ret, struct err *err)
{
    return slots_get(bulk->launches, connection_id, ret, err);
}

/* Puts the call on those around it. */
static int enter_call(struct unified_bulk *bulk, const struct cann_call *call, struct err *err)
{
    bool is_launch = call->level == HOST_LEVEL_NODE && call->type == HOST_NODE_LAUNCH;
    while (bulk->outer.count > 0 && bulk->outer.items[bulk->outer.count - 1].id != call->parent_id)
        bulk->outer.count--;
    if (array_reserve(&bulk->outer, 1, err) < 0)
        return -(int)err->code;
    int64_t around = bulk->outer.count > 0 ? bulk->outer.items[bulk->outer.count - 1].launch : 0;
    bulk->outer.items[bulk->outer.count++] = (struct outer_call){call->id, is_launch ? call->id : around};
    return 0;
}

/* The first call of a connection counts. */
static int note_launch(struct unified_bulk *bulk, const struct cann_call *call, struct err *err)
{
    const struct outer_call *entered = &bulk->outer.items[bulk->outer.count - 1];
    int64_t known;
    int status = slots_get(bulk->launches, call->connection_id, &known, err);
    if (status < 0 || known != 0)
        return status;
    bulk->launch_count++;
    return slots_set(bulk->launches, call->connection_id, entered->launch != 0 ? entered->launch : call->id, err);
}

int unified_add_call(struct unified_bulk *bulk, const struct cann_call *call, struct err *err)
{
    struct bulk_row row = {.count = 0};
    int64_t process = (int64_t)((uint64_t)bulk->process_id << 32);
    put(&row, call->start_ns);
    put(&row, end_of(call->start_ns, call->duration_ns));
    put(&row, call->level);
    put(&row, call->thread_id != DB_NULL ? process | call->thread_id : DB_NULL);
    put(&row, call->id);
    put(&row, call->level == HOST_LEVEL_COMMUNICATION && call->item_id != DB_NULL ? call->item_id : call->name_id);
    int status = add_row(bulk, BULK_CALLS, call->id, &row, err);
    if (status == 0)
        status = enter_call(bulk, call, err);
    return status == 0 && call->launches != DB_NULL && call->launches > 0 && call->connection_id != DB_NULL
               ? note_launch(bulk, call, err)
               : status;
}

/* ---- tasks ---- */

/* Texts of tensors have ids behind those of names: six for each set. */
static void put_tensor_text(struct bulk_row *row, const struct unified_bulk *bulk, int64_t set, int64_t column)
{
    put(row, set == DB_NULL
                 ? NOT_AVAILABLE_ID
                 : number_add(number_add(bulk->first_tensor, number_multiply(CANN_TENSOR_COLUMNS, set)), column));
}

static int add_operator(struct unified_bulk *bulk, const struct cann_task *task, struct err *err)
{
    enum { TYPES = 1, FORMATS, OUTPUTS }; /* of the inputs, behind their shapes; and where the outputs' begin */
    enum { FIRST_STATE = 12, FIRST_HF32 = 14 };
    struct bulk_row row = {.count = 0};
    int64_t set = task->tensor_set_id;
    put(&row, task->op_name_id);
    put(&row, task->id);
    put(&row, task->block_num);
    put(&row, task->mix_block_num);
    put(&row, word_of(&bulk->cores, "core", task->op_task_type));
    put(&row, task->op_type_id);
    put_tensor_text(&row, bulk, set, FORMATS);
    put_tensor_text(&row, bulk, set, TYPES);
    put_tensor_text(&row, bulk, set, 0);
    put_tensor_text(&row, bulk, set, OUTPUTS + FORMATS);
    put_tensor_text(&row, bulk, set, OUTPUTS + TYPES);
    put_tensor_text(&row, bulk, set, OUTPUTS);
    put_or(&row, task->attribute_id, NO_TEXT_ID);
    put(&row, task->op_state == DB_NULL
                  ? DB_NULL
                  : number_add(FIRST_WORD_ID + FIRST_STATE, task->op_state < 1 ? task->op_state : 1));
    put(&row, FIRST_WORD_ID + FIRST_HF32 + (task->op_flag != DB_NULL && task->op_flag != 0));
    put(&row, NOT_AVAILABLE_ID);
    put(&row, NOT_AVAILABLE_ID);
    return add_row(bulk, BULK_OPERATORS, task->id, &row, err);
}

static bool is_computed(const struct cann_task *task)
{
    return task->op_name_id != DB_NULL && task->op_task_type != DB_NULL && task->op_task_type != TASK_COMMUNICATES &&
           task->op_task_type != TASK_COMMUNICATES_ON_AI_CPU;
}

int unified_add_task(struct unified_bulk *bulk, const struct cann_task *task, struct err *err)
{
    struct bulk_row row = {.count = 0};
    int64_t launch = 0;
    if (task->connection_id != DB_NULL && unified_launch(bulk, task->connection_id, &launch, err) < 0)
        return -(int)err->code;
    put(&row, task->start_ns);
    put(&row, end_of(task->start_ns, task->duration_ns));
    put(&row, task->device_id);
    put(&row, launch != 0 ? launch : NO_NUMBER_ID);
    put(&row, task->id);
    put(&row, bulk->process_id);
    put_or(&row, task->host_type_id, word_of(&bulk->device_tasks, "device", task->type));
    put_or(&row, task->context_id, NO_NUMBER_ID);
    put(&row, task->stream_id);
    put(&row, task->task_id);
    put_or(&row, task->model_id, NO_NUMBER_ID);
    int status = add_row(bulk, BULK_TASKS, bulk->rows[BULK_TASKS] + 1, &row, err);
    return status == 0 && is_computed(task) ? add_operator(bulk, task, err) : status;
}

int unified_add_metrics(struct unified_bulk *bulk, int64_t task_id, const int64_t *names, const double *values,
                        size_t count, struct err *err)
{
    int status = 0;
    struct bulk_row row = {.present = 7};
    row.cells[0].integer = task_id;
    for (size_t i = 0; i < count && status == 0; i++) {
        row.cells[1].integer = names[i];
        memcpy(&row.cells[2].integer, &values[i], sizeof values[i]);
        status = add_row(bulk, BULK_METRICS, bulk->rows[BULK_METRICS] + 1, &row, err);
    }
    return status;
}

int unified_add_overlap(struct unified_bulk *bulk, int64_t device_id, int64_t start_ns, int64_t end_ns, int type,
                        struct err *err)
{
    struct bulk_row row = {.count = 0};
    int64_t id = bulk->rows[BULK_OVERLAPS];
    put(&row, id);
    put(&row, device_id);
    put(&row, start_ns);
    put(&row, end_ns);
    put(&row, type);
    return add_row(bulk, BULK_OVERLAPS, id, &row, err);
}

int unified_bulk_end(struct unified_bulk *bulk, struct err *err)
{
    int status = 0;
    for (size_t i = 0; i < BULK_TABLES && status == 0; i++)
        status = page_table_finish(bulk->tables[i], err);
    return status == 0 ? pages_finish(&bulk->pages, err) : status;
}

uint64_t unified_bulk_rows(const struct unified_bulk *bulk)
{
    uint64_t rows = bulk->launch_count;
    for (size_t i = 0; i < BULK_TABLES; i++)
        rows += (uint64_t)bulk->rows[i];
    return rows;
}
