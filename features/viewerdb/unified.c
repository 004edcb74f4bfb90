/* SPDX-License-Identifier: Apache-2.0 */
#include "features/viewerdb/databases.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/intern.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "db/pages/write.h"
#include "db/query/launch_calls.h"
#include "db/query/query_cann.h"
#include "db/query/query_records.h"
#include "db/stable_views.h"
#include "db/table_rows.h"
#include "db/warm_up.h"
#include "features/communication/communication.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct word_range word_ranges[WORD_RANGES] = {
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

struct unified_bulk {
    struct pages pages;
    struct page_table *tables[BULK_TABLES];
    int64_t rows[BULK_TABLES];
    int64_t process_id, first_tensor;
    struct words cores, device_tasks;
    struct launch_path path;
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

/* file: of the tables that `script` makes; fd is its. NULL with err set. */
static struct unified_bulk *unified_bulk_new(int fd, const struct schema_file *file, const char *script,
                                             struct err *err)
{
    struct unified_bulk *bulk = calloc(1, sizeof *bulk);
    if (bulk == NULL) {
        err_no_memory(err);
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
    launch_path_release(&bulk->path);
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

/* The call that a connection's tasks belong to (launch_calls.h); 0: there is none. */
static int unified_launch(struct unified_bulk *bulk, int64_t connection_id, int64_t *ret, struct err *err)
{
    return slots_get(bulk->launches, connection_id, ret, err);
}

/* The first call of a connection counts. */
static int note_launch(struct unified_bulk *bulk, const struct cann_call *call, struct err *err)
{
    int64_t known, launch;
    if (launch_path_enter(&bulk->path, call, &launch, err) < 0)
        return err_status(err);
    int status = launch != 0 ? slots_get(bulk->launches, call->connection_id, &known, err) : 0;
    if (status < 0 || launch == 0 || known != 0)
        return status;
    bulk->launch_count++;
    return slots_set(bulk->launches, call->connection_id, launch, err);
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
    return add_row(bulk, BULK_CALLS, call->id, &row, err) < 0 || note_launch(bulk, call, err) < 0 ? err_status(err) : 0;
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
    put_or(&row, task->block_num, 0);
    put_or(&row, task->mix_block_num, 0);
    put(&row, task->op_type_id != DB_NULL ? word_of(&bulk->cores, "core", task->op_task_type) : NOT_AVAILABLE_ID);
    put_or(&row, task->op_type_id, NOT_AVAILABLE_ID);
    put_tensor_text(&row, bulk, set, FORMATS);
    put_tensor_text(&row, bulk, set, TYPES);
    put_tensor_text(&row, bulk, set, 0);
    put_tensor_text(&row, bulk, set, OUTPUTS + FORMATS);
    put_tensor_text(&row, bulk, set, OUTPUTS + TYPES);
    put_tensor_text(&row, bulk, set, OUTPUTS);
    put_or(&row, task->attribute_id, NO_TEXT_ID);
    put(&row, task->op_state == DB_NULL
                  ? NOT_AVAILABLE_ID
                  : number_add(FIRST_WORD_ID + FIRST_STATE, task->op_state < 1 ? task->op_state : 1));
    put(&row, task->op_flag == DB_NULL ? NOT_AVAILABLE_ID : FIRST_WORD_ID + FIRST_HF32 + (task->op_flag != 0));
    put_or(&row, task->grid_dim_id, NOT_AVAILABLE_ID);
    put_or(&row, task->block_dim_id, NOT_AVAILABLE_ID);
    return add_row(bulk, BULK_OPERATORS, task->id, &row, err);
}

/* A kernel on AI cores that communicates is one, too; one on an AI CPU has a table of its own. */
static bool is_computed(const struct cann_task *task)
{
    return task->op_name_id != DB_NULL && task->op_task_type != DB_NULL &&
           task->op_task_type != TASK_COMMUNICATES_ON_AI_CPU;
}

int unified_add_task(struct unified_bulk *bulk, const struct cann_task *task, struct err *err)
{
    struct bulk_row row = {.count = 0};
    int64_t launch = 0;
    if (task->connection_id != DB_NULL && unified_launch(bulk, task->connection_id, &launch, err) < 0)
        return err_status(err);
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

/* Completes the pages: SQLite may open the file. */
static int unified_bulk_end(struct unified_bulk *bulk, struct err *err)
{
    int status = 0;
    for (size_t i = 0; i < BULK_TABLES && status == 0; i++)
        status = page_table_finish(bulk->tables[i], err);
    return status == 0 ? pages_finish(&bulk->pages, err) : status;
}

/* Rows so far, launches among them. */
static uint64_t unified_bulk_rows(const struct unified_bulk *bulk)
{
    uint64_t rows = bulk->launch_count;
    for (size_t i = 0; i < BULK_TABLES; i++)
        rows += (uint64_t)bulk->rows[i];
    return rows;
}

#define MAX_METRICS 96
#define SQL_MAX 4096
#define WORD_KEPT 64

#define FIRST_SAMPLE_WORD_ID INT64_C(4100000000) /* of words of samples */
#define FIRST_METRIC_ID (FIRST_WORD_ID + 1000)
#define NOT_AVAILABLE SQL_NUMBER(NOT_AVAILABLE_ID)
#define NO_TEXT SQL_NUMBER(NO_TEXT_ID)
#define UNKNOWN SQL_NUMBER(UNKNOWN_ID)
#define SCHEDULE SQL_NUMBER(SCHEDULE_ID) /* of what communicates on an AI CPU */
#define DEVICE_MARK "4000000040"
#define NO_NUMBER SQL_NUMBER(NO_NUMBER_ID)

struct unified {
    struct database_build build;
    struct unified_bulk *bulk;
    int64_t unchanged;       /* rows that SQLite had inserted when the tables had names */
    struct table_rows words; /* of STRING_IDS */
    /* The table of samples that is being filled: */
    const struct exported_table *table;
    struct table_rows rows;
    struct intern sample_words; /* their ids follow from FIRST_SAMPLE_WORD_ID + 1 */
    size_t column_count;
    struct last_word {
        char text[WORD_KEPT]; /* the latest of a column, when it is short */
        int64_t id;
    } last_words[EXPORTED_MOST_COLUMNS];
    char names[MAX_METRICS][WORD_KEPT]; /* of metrics that have an id */
    size_t name_count;
};

static const char tables[] =
    "CREATE TABLE STRING_IDS(id INTEGER PRIMARY KEY, value TEXT);"
    "CREATE TABLE SESSION_TIME_INFO(startTimeNs INTEGER, endTimeNs INTEGER);"
    "CREATE TABLE NPU_INFO(id INTEGER, name TEXT);"
    "CREATE TABLE RANK_DEVICE_MAP(rankId INTEGER, deviceId INTEGER);"
    "CREATE TABLE HOST_INFO(hostUid TEXT, hostName TEXT);"
    "CREATE TABLE META_DATA(name TEXT, value TEXT);"
    "CREATE TABLE TASK(startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER,"
    "  globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);"
    "CREATE TABLE COMPUTE_TASK_INFO(name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockNum INTEGER,"
    "  mixBlockNum INTEGER, taskType INTEGER, opType INTEGER, inputFormats INTEGER, inputDataTypes INTEGER,"
    "  inputShapes INTEGER, outputFormats INTEGER, outputDataTypes INTEGER, outputShapes INTEGER, attrInfo INTEGER,"
    "  opState INTEGER, hf32Eligible INTEGER, gridDim INTEGER, blockDim INTEGER);"
    "CREATE TABLE CANN_API(startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER,"
    "  connectionId INTEGER PRIMARY KEY, name INTEGER);"
    "CREATE TABLE TASK_PMU_INFO(globalTaskId INTEGER, name INTEGER, value NUMERIC);"
    "CREATE TABLE AICORE_FREQ(deviceId INTEGER, timestampNs NUMERIC, freq INTEGER, dieId NUMERIC);"
    "CREATE TABLE OVERLAP_ANALYSIS(id INTEGER PRIMARY KEY, deviceId INTEGER, startNs NUMERIC, endNs NUMERIC,"
    "  type INTEGER);"
    "CREATE TABLE COMMUNICATION_SCHEDULE_TASK_INFO(name INTEGER, globalTaskId INTEGER PRIMARY KEY, taskType INTEGER,"
    "  opType INTEGER);"
    "CREATE TABLE COMMUNICATION_TASK_INFO(name INTEGER, globalTaskId INTEGER, taskType INTEGER, planeId INTEGER,"
    "  groupName INTEGER, notifyId INTEGER, rdmaType INTEGER, srcRank INTEGER, dstRank INTEGER, transportType INTEGER,"
    "  size INTEGER, dataType INTEGER, linkType INTEGER, opId INTEGER, isMaster INTEGER, bandwidth NUMERIC);"
    "CREATE TABLE COMMUNICATION_OP(opName INTEGER, startNs INTEGER, endNs INTEGER, connectionId INTEGER,"
    "  groupName INTEGER, opId INTEGER PRIMARY KEY, relay INTEGER, retry INTEGER, dataType INTEGER, algType INTEGER,"
    "  count NUMERIC, opType INTEGER, deviceId INTEGER, rankSize INTEGER);"
    "CREATE TABLE MEMCPY_INFO(globalTaskId NUMERIC, size NUMERIC, memcpyOperation NUMERIC);"
    "CREATE TABLE MSTX_EVENTS(startNs INTEGER, endNs INTEGER, eventType INTEGER, rangeId INTEGER, category INTEGER,"
    "  message INTEGER, globalTid INTEGER, endGlobalTid INTEGER, domainId INTEGER, connectionId INTEGER);";

static const char schema_version[] =
    "INSERT INTO META_DATA VALUES('SCHEMA_VERSION_MICRO', '0'), ('SCHEMA_VERSION_MINOR', '2'),"
    "  ('SCHEMA_VERSION_MAJOR', '1'), ('SCHEMA_VERSION', '1.2.0');";

/* Ids: of texts as in table name; then of the six texts of every tensor set; 4000000000 on: words of these statements.
 */
static const char words[] =
    "CREATE TEMP TABLE word(kind TEXT, number INTEGER, id INTEGER, value TEXT);"
    "INSERT INTO word VALUES('state', 0, 4000000012, 'static'), ('state', 1, 4000000013, 'dynamic'),"
    "  ('hf32', 0, 4000000014, 'NO'), ('hf32', 1, 4000000015, 'YES'), ('none', 0, " NOT_AVAILABLE ", 'N/A'),"
    "  ('none', 1, " UNKNOWN ", 'UNKNOWN'), ('none', 2, " NO_TEXT ", '');";

static const char text_rows[] =
    "INSERT INTO STRING_IDS SELECT id, value FROM word;"
    "INSERT INTO STRING_IDS SELECT id, text FROM capture.name ORDER BY id;"
    "CREATE TEMP TABLE first_tensor AS SELECT coalesce(max(id), 0) - 5 AS id FROM capture.name;"
    "INSERT INTO STRING_IDS SELECT f.id + 6 * s.id + c.value, coalesce(CASE c.value WHEN 0 THEN char(34) || "
    "input_shapes || char(34) WHEN 1 THEN"
    "  input_data_types WHEN 2 THEN input_formats WHEN 3 THEN char(34) || output_shapes || char(34) WHEN 4 THEN "
    "output_data_types"
    "  ELSE output_formats END, 'N/A') FROM capture.tensor_set s, first_tensor f, json_each('[0,1,2,3,4,5]') c;"
    "INSERT INTO SESSION_TIME_INFO SELECT min(start_ns), max(end_ns) FROM capture.capture_part;"
    "INSERT INTO HOST_INFO SELECT host_uid, host_name FROM capture.capture_part ORDER BY is_host DESC, id LIMIT 1;"
    "INSERT INTO NPU_INFO SELECT device_id, CASE chip WHEN 0 THEN 'Ascend310' WHEN 1 THEN 'Ascend910A'"
    "  WHEN 5 THEN 'Ascend910B' WHEN 15 THEN 'Ascend950' WHEN 16 THEN 'Ascend950' WHEN 7 THEN 'Ascend310B' WHEN 2 THEN "
    "'Ascend310P' WHEN 3 THEN 'Ascend310P'"
    "  WHEN 4 THEN 'Ascend310P' ELSE 'platform ' || chip END FROM capture.capture_part WHERE NOT is_host;"
    "INSERT INTO RANK_DEVICE_MAP SELECT coalesce(rank_id, -1), device_id FROM capture.capture_part WHERE NOT is_host;"
    "CREATE TEMP TABLE process AS SELECT coalesce(max(process_id), 0) AS id FROM capture.capture_part;";

static const char frequency_rows[] =
    "INSERT INTO AICORE_FREQ SELECT device_id, time_ns, mhz, -1 FROM capture.core_frequency_report UNION ALL"
    " SELECT device_id, time_ns, mhz, die_id FROM kept_low_power WHERE mhz IS NOT NULL AND die_id < 2"
    " ORDER BY 1, 2, 4;";

/* The number of a type of communication, when the list of its names has it. given: what a record about it fills. */
#define HCCL_TYPE(named, given)                                                                                        \
    "coalesce(" named ".id, iif(" given " IS NULL, " SQL_NUMBER(HCCL_NOT_GIVEN) ", " SQL_NUMBER(HCCL_INVALID) "))"
#define OP_DATA_TYPE HCCL_TYPE("d", "o.data_type")
#define RDMA_TYPE HCCL_TYPE("r", "c.plane_id")
#define TRANSPORT_TYPE HCCL_TYPE("p", "c.plane_id")
#define DATA_TYPE HCCL_TYPE("d", "c.plane_id")
#define LINK_TYPE HCCL_TYPE("k", "c.plane_id")
#define RANK(column) "coalesce(" column ", iif(c.plane_id IS NULL, -1, " NO_NUMBER "))"
#define INVALID SQL_NUMBER(HCCL_INVALID)
static const char schedule_rows[] =
    "INSERT INTO COMMUNICATION_SCHEDULE_TASK_INFO SELECT op_name_id, id, " SCHEDULE ", op_type_id"
    "  FROM kept_device_task WHERE op_task_type = " SQL_NUMBER(TASK_COMMUNICATES_ON_AI_CPU) " ORDER BY id;";
static const char collective_rows[] =
    "INSERT INTO COMMUNICATION_OP SELECT o.name_id, o.start_ns, o.start_ns + o.duration_ns,"
    "  coalesce(launch(o.connection_id), " NO_NUMBER "), coalesce(o.group_name_id, " NOT_AVAILABLE "), o.id,"
    "  coalesce(o.relay, -1), coalesce(o.retry, -1), " OP_DATA_TYPE ", coalesce(o.algorithm_id, " NOT_AVAILABLE "),"
    "  coalesce(o.count, -1), coalesce(o.type_id, " NOT_AVAILABLE "), o.device_id, coalesce(o.rank_size, 0)"
    "  FROM kept_communication_op o LEFT JOIN ENUM_HCCL_DATA_TYPE d ON d.id = o.data_type ORDER BY o.id;";
/* The length of a task, of whole ticks and not rounded (base/ticks.h). */
#define EXACT_NS                                                                                                       \
    "coalesce((SELECT " VIEW_TICKS(                                                                                    \
        "capture.", "t.start_ns", "t.duration_ns",                                                                     \
        "device_hz") " * 1e9 / p.device_hz FROM"                                                                       \
                     " capture.capture_part p WHERE NOT p.is_host AND p.device_id = t.device_id AND p.device_hz "      \
                     "BETWEEN 1 AND"                                                                                   \
                     " 999999999 AND 1000000000 % p.device_hz <> 0 LIMIT 1), t.duration_ns)"
static const char transfer_rows[] =
    "INSERT INTO COMMUNICATION_TASK_INFO SELECT o.name_id, c.task_row_id, coalesce(c.type_id, " NOT_AVAILABLE "),"
    "  coalesce(c.plane_id, -1), coalesce(c.group_name_id, o.group_name_id, " NOT_AVAILABLE "),"
    "  coalesce(c.notify_id, -1), " RDMA_TYPE ", " RANK("c.local_rank") ", " RANK(
        "c.remote_rank") ","
                         "  " TRANSPORT_TYPE ", iif(c.plane_id IS NULL, coalesce(c.bytes, -1), c.bytes), " DATA_TYPE
                         ", " LINK_TYPE ", c.op_id, c.master,"
                         "  coalesce(run_bandwidth(c.task_row_id) * 1e9, iif(t.duration_ns > 0, iif(c.plane_id IS "
                         "NULL, coalesce(c.bytes, "
                         "0),"
                         "  c.bytes) * 1e9 / " EXACT_NS ", 0))"
                         "  FROM kept_communication_task c JOIN kept_communication_op o ON o.id = c.op_id"
                         "  JOIN kept_device_task t ON t.id = c.task_row_id LEFT JOIN ENUM_HCCL_RDMA_TYPE r ON r.id = "
                         "c.rdma_type"
                         "  LEFT JOIN ENUM_HCCL_TRANSPORT_TYPE p ON p.id = c.transport_type"
                         "  LEFT JOIN ENUM_HCCL_DATA_TYPE d ON d.id = c.data_type"
                         "  LEFT JOIN ENUM_HCCL_LINK_TYPE k ON k.id = c.link_type ORDER BY c.id;"
                         "INSERT INTO MEMCPY_INFO SELECT t.id, t.copy_bytes, coalesce(e.id, " INVALID
                         ") FROM kept_device_task t"
                         "  LEFT JOIN ENUM_MEMCPY_OPERATION e ON e.id = t.copy_direction WHERE t.copy_bytes IS NOT "
                         "NULL ORDER BY t.id;";

/* Messages have ids from 5000000000 on. A mark that a device saw is a task of the device, both with the connection
 * 4000000001 + its number; what no device sees has the connection 4000000000. */
static const char marks[] =
    "CREATE TEMP TABLE message(id INTEGER PRIMARY KEY, text TEXT UNIQUE);"
    "INSERT OR IGNORE INTO message(text) SELECT message FROM kept_msproftx ORDER BY id;"
    "INSERT INTO STRING_IDS SELECT 5000000000 + id, text FROM message ORDER BY id;"
    "INSERT INTO MSTX_EVENTS SELECT m.start_ns, m.end_ns, m.event_type, " NO_NUMBER ", coalesce(m.category, " NO_NUMBER
    "),"
    "  5000000000 + t.id, m.process_id << 32 | m.thread_id, m.process_id << 32 | m.thread_id,"
    "  coalesce(m.domain_id, " NOT_AVAILABLE "), 4000000000 + coalesce(m.mark_id + 1, 0)"
    "  FROM kept_msproftx m JOIN message t ON t.text = m.message ORDER BY m.start_ns, m.id;"
    "INSERT INTO STRING_IDS SELECT " DEVICE_MARK ", 'MsTx' WHERE EXISTS (SELECT * FROM kept_device_mark);"
    "INSERT INTO TASK SELECT d.start_ns, coalesce(d.end_ns, d.start_ns), d.device_id, 4000000001 + d.mark_id,"
    "  d.id + (SELECT coalesce(max(id), 0) FROM kept_device_task), p.id, " DEVICE_MARK ", " NO_NUMBER ", d.stream_id,"
    "  d.task_id, " NO_NUMBER " FROM kept_device_mark d JOIN process p ORDER BY d.id;";

/* run_bandwidth(task): bytes a nanosecond of the run that the payload is of; NULL: of none. */
static void give_run_bandwidth(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    const int64_t task = sqlite3_value_int64(argv[0]);
    const struct communication_run *run = map_get(sqlite3_user_data(context), &task);
    if (run != NULL && run->ns > 0 && run->bytes >= 0)
        sqlite3_result_double(context, (double)run->bytes / run->ns);
}

/* launch(connection): as unified_launch; NULL: none. */
static void give_launch(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct err err = ERR_INIT;
    int64_t call = 0;
    if (sqlite3_value_type(argv[0]) != SQLITE_NULL &&
        unified_launch(sqlite3_user_data(context), sqlite3_value_int64(argv[0]), &call, &err) < 0)
        sqlite3_result_error(context, err_message(&err), -1);
    else if (call != 0)
        sqlite3_result_int64(context, call);
}

static int add_words(sqlite3 *db, struct err *err)
{
    int status = database_exec(db, words, err);
    for (size_t i = 0; status == 0 && i < WORD_RANGES; i++) {
        const struct word_range *range = &word_ranges[i];
        for (const struct value_name *name = range->names; status == 0 && name->text != NULL; name++) {
            char sql[256];
            if (name->value < range->first || name->value > range->last)
                continue;
            snprintf(sql, sizeof sql, "INSERT INTO word VALUES('%s', %lld, %lld, '%s')", range->kind,
                     (long long)name->value, (long long)(range->id + name->value - range->first), name->text);
            status = database_exec(db, sql, err);
        }
    }
    return status;
}

/* The tables that give numbers their names. */
static int add_enums(sqlite3 *db, struct err *err)
{
    int status = 0;
    for (const struct enum_table *table = enum_names_tables; status == 0 && table->table != NULL; table++) {
        char sql[256];
        snprintf(sql, sizeof sql, "CREATE TABLE %s(id INTEGER PRIMARY KEY, name TEXT)", table->table);
        status = database_exec(db, sql, err);
        for (const struct value_name *name = table->names; status == 0 && name->text != NULL; name++) {
            snprintf(sql, sizeof sql, "INSERT INTO %s VALUES(%lld, '%s')", table->table, (long long)name->value,
                     name->text);
            status = database_exec(db, sql, err);
        }
    }
    return status;
}

static int attach(struct unified *unified, const char *database, struct map *runs, struct err *err)
{
    sqlite3 *db = unified->build.db;
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    if (database_exec(db, "COMMIT", err) < 0 || /* inside of one nothing is attached */
        database_prepare(db, "ATTACH ?1 AS capture", &statement, err) < 0)
        return err_status(err);
    sqlite3_bind_text(statement, 1, database, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_DONE)
        return database_error(err, db, "cannot read the capture's database");
    if (sqlite3_create_function_v2(db, "launch", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, unified->bulk, give_launch, NULL,
                                   NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function_v2(db, "run_bandwidth", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, runs, give_run_bandwidth,
                                   NULL, NULL, NULL) != SQLITE_OK)
        return database_error(err, db, "cannot create the database");
    return warm_up_attach(db, "capture", "kept_", err) < 0 ? err_status(err) : database_exec(db, "BEGIN", err);
}

struct unified *unified_new(const char *path, struct err *err)
{
    enum { PAGE_SIZE = 32768 };
    struct unified *unified = calloc(1, sizeof *unified);
    struct schema_file file;
    if (unified == NULL) {
        err_no_memory(err);
        return NULL;
    }
    if (schema_script_create(&unified->build, path, tables, PAGE_SIZE, &file, err) < 0) {
        free(unified);
        return NULL;
    }
    unified->bulk = unified_bulk_new(unified->build.fd, &file, tables, err);
    if (unified->bulk != NULL)
        return unified;
    unified_abort(unified);
    return NULL;
}

struct unified_bulk *unified_bulk_of(const struct unified *unified)
{
    return unified->bulk;
}

static int add_metric_names(struct unified *unified, struct err *err)
{
    int status = table_rows_open(&unified->words, unified->build.db, "STRING_IDS", "id, value", err);
    for (size_t i = 0; i < unified->name_count && status == 0; i++)
        status = table_add(&unified->words, err, V(FIRST_METRIC_ID + (int64_t)i), V(unified->names[i]));
    return status;
}

int unified_connect(struct unified *unified, const char *database, struct map *runs, struct err *err)
{
    const char *const rows[] = {text_rows, frequency_rows, schedule_rows, collective_rows, transfer_rows, marks};
    if (unified_bulk_end(unified->bulk, err) < 0 || schema_script_connect(&unified->build, tables, err) < 0)
        return err_status(err);
    sqlite3 *db = unified->build.db;
    unified->unchanged = sqlite3_total_changes64(db);
    bool failed = (database != NULL && attach(unified, database, runs, err) < 0) ||
                  database_exec(db, schema_version, err) < 0 || add_enums(db, err) < 0 || add_words(db, err) < 0;
    for (size_t i = 0; !failed && database != NULL && i < sizeof rows / sizeof *rows; i++)
        failed = database_exec(db, rows[i], err) < 0;
    return failed ? err_status(err) : add_metric_names(unified, err);
}

int unified_name_metric(struct unified *unified, const char *name, int64_t *ret, struct err *err)
{
    size_t i = 0;
    while (i < unified->name_count && strcmp(unified->names[i], name) != 0)
        i++;
    *ret = FIRST_METRIC_ID + (int64_t)i;
    if (i < unified->name_count)
        return 0;
    if (i == MAX_METRICS)
        return err_set(err, ERR_LIMIT, "more than %d metrics", MAX_METRICS);
    snprintf(unified->names[unified->name_count++], WORD_KEPT, "%s", name);
    return 0;
}

/* ---- tables of samples ---- */

int unified_begin_table(struct unified *unified, const struct exported_table *table, struct err *err)
{
    static const char *const types[] = {[EXPORTED_INTEGER] = "INTEGER",
                                        [EXPORTED_NUMERIC] = "NUMERIC",
                                        [EXPORTED_REAL] = "REAL",
                                        [EXPORTED_WORD] = "INTEGER",
                                        [EXPORTED_NUMERIC_WORD] = "NUMERIC"};
    SCOPED(strbuf_release) struct strbuf columns;
    char name[WORD_KEPT];
    strbuf_init(&columns, SQL_MAX);
    unified->table = table;
    unified->column_count = 0;
    memset(unified->last_words, 0, sizeof unified->last_words);
    for (const struct exported_column *column = table->columns; column->name != NULL; column++)
        strbuf_addf(&columns, "%s%s %s", unified->column_count++ > 0 ? ", " : "", column->name, types[column->type]);
    snprintf(name, sizeof name, "main.%s", table->name);
    if (columns.failed || unified->column_count > EXPORTED_MOST_COLUMNS)
        return err_set(err, ERR_LIMIT, "table %s has too many columns", table->name);
    return table_rows_open(&unified->rows, unified->build.db, name, columns.data, err);
}

/* The number of a word, which is stored when it comes first; -code. */
static int64_t word_id(struct unified *unified, const char *text, int length, struct err *err)
{
    const size_t before = unified->sample_words.count;
    uint32_t number;
    if (intern_add(&unified->sample_words, text, (size_t)length, &number, err) < 0)
        return err_status(err);
    int64_t id = FIRST_SAMPLE_WORD_ID + 1 + number;
    int status = number == before ? table_add(&unified->words, err, V(id), V(text)) : 0;
    return status < 0 ? status : id;
}

static int take_word(struct unified *unified, size_t i, sqlite3_stmt *row, struct table_value *ret, struct err *err)
{
    const char *text = (const char *)sqlite3_column_text(row, (int)i);
    int length = sqlite3_column_bytes(row, (int)i);
    struct last_word *last = &unified->last_words[i];
    *ret = NOTHING;
    if (text == NULL)
        return 0;
    if (last->id == 0 || strcmp(last->text, text) != 0) {
        last->id = word_id(unified, text, length, err);
        if (last->id < 0)
            return (int)last->id;
        snprintf(last->text, sizeof last->text, "%s", text);
    }
    *ret = table_integer(last->id);
    if (length >= WORD_KEPT)
        last->id = 0;
    return 0;
}

int unified_add_row(struct unified *unified, sqlite3_stmt *row, struct err *err)
{
    struct table_value values[EXPORTED_MOST_COLUMNS];
    int status = 0;
    for (size_t i = 0; i < unified->column_count && status == 0; i++) {
        if (unified->table->columns[i].type == EXPORTED_WORD ||
            unified->table->columns[i].type == EXPORTED_NUMERIC_WORD)
            status = take_word(unified, i, row, &values[i], err);
        else
            values[i] = table_copy(row, (int)i);
    }
    return status == 0 ? table_add_values(&unified->rows, values, unified->column_count, err) : status;
}

sqlite3 *unified_sqlite(const struct unified *unified)
{
    return unified->build.db;
}

/* Tables without rows are not there. */
static int drop_empty(sqlite3 *db, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf drops;
    SCOPED(statement_release) sqlite3_stmt *names = NULL;
    strbuf_init(&drops, SQL_MAX);
    if (database_prepare(db, "SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY name", &names, err) < 0)
        return err_status(err);
    bool there = false;
    int status;
    while ((status = database_step(names, &there, err)) == 0 && there) {
        const char *name = (const char *)sqlite3_column_text(names, 0);
        char sql[256];
        SCOPED(statement_release) sqlite3_stmt *row = NULL;
        snprintf(sql, sizeof sql, "SELECT 1 FROM main.\"%s\" LIMIT 1", name);
        if (database_prepare(db, sql, &row, err) < 0 || database_step(row, &there, err) < 0)
            return err_status(err);
        if (!there)
            strbuf_addf(&drops, "DROP TABLE main.\"%s\";", name);
    }
    if (status < 0 || drops.failed)
        return status < 0 ? status : err_no_memory(err);
    return drops.length > 0 ? database_exec(db, drops.data, err) : 0;
}

/* Adds the indexes that viewers look tasks up by. */
static int add_indexes(sqlite3 *db, struct err *err)
{
    static const struct {
        const char *table, *sql;
    } indexes[] = {
        {"TASK", "CREATE INDEX TaskIndex ON TASK (startNs,globalTaskId)"},
        {"COMMUNICATION_TASK_INFO", "CREATE INDEX CommunicationTaskIndex ON COMMUNICATION_TASK_INFO (globalTaskId)"},
    };
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++)
        if (sqlite3_table_column_metadata(db, "main", indexes[i].table, NULL, NULL, NULL, NULL, NULL, NULL) ==
                SQLITE_OK &&
            database_exec(db, indexes[i].sql, err) < 0)
            return err_status(err);
    return 0;
}

int unified_commit(struct unified *unified, uint64_t *ret_rows, struct err *err)
{
    *ret_rows = unified_bulk_rows(unified->bulk) + unified->sample_words.count + /* each is of a table of words, too */
                (uint64_t)(sqlite3_total_changes64(unified->build.db) - unified->unchanged);
    bool failed = drop_empty(unified->build.db, err) < 0 || add_indexes(unified->build.db, err) < 0 ||
                  database_build_commit(&unified->build, err) < 0;
    unified_abort(unified); /* releases; of one that is complete there is nothing to remove */
    return failed ? err_status(err) : 0;
}

void unified_abort(struct unified *unified)
{
    if (unified == NULL)
        return;
    intern_release(&unified->sample_words);
    database_build_abort(&unified->build);
    unified_bulk_free(unified->bulk);
    free(unified);
}
