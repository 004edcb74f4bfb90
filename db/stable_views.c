/* SPDX-License-Identifier: Apache-2.0 */
#include "db/stable_views.h"

#include "db/database.h"
#include "db/query/query_cann.h"
#include "db/warm_up.h"
#include "parsers/record.h"

#include <stdbool.h>
#include <string.h>

#define VIEWS_MAX ((size_t)64 * 1024) /* bytes of all statements */

/* A piece of a view: its text, or the name of a number by a list. */
struct piece {
    const char *text;
    const char *number; /* NULL: text is all */
    const struct value_name *names;
};

static void add_named(struct strbuf *sql, const char *number, const struct value_name *names)
{
    strbuf_adds(sql, "CASE ");
    strbuf_adds(sql, number);
    for (; names->text != NULL; names++) {
        strbuf_adds(sql, " WHEN ");
        strbuf_add_integer(sql, (int64_t)names->value);
        strbuf_adds(sql, " THEN '");
        strbuf_adds(sql, names->text);
        strbuf_addc(sql, '\'');
    }
    strbuf_adds(sql, " END");
}

/* clang-format off */
#define WHOLE(length) "CAST(" length " AS INTEGER)"
#define DEVICE_NS(row) WHOLE(VIEW_DEVICE_LENGTH_NS(row))
#define HOST_NS(row) WHOLE(VIEW_LENGTH_NS(row ".start_ns", row ".duration_ns", "host_hz", "p.is_host"))
#define TEXT_OF(id) "(SELECT text FROM name WHERE id = " id ")"
#define MODEL(id) "nullif(" id ", " SQL_NUMBER(CANN_NO_ID) ")"
#define NO_TEXT "CAST(NULL AS TEXT)"
#define NO_INTEGER "CAST(NULL AS INTEGER)"

/* Times of an inference whose start no file says count from the earliest of the capture. */
#define PLACED(time)                                                                                                   \
    time " + iif(i.start_known, 0, coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'origin_ns'), 0))"
#define CORE_TASKS " FROM ai_core_task t JOIN inference i ON i.inference_id = t.inference_id"
#define CPU_TASKS " FROM ai_cpu_task t JOIN source_file f ON f.id = t.file_id"
#define LAYERS(row, engine)                                                                                            \
    " LEFT JOIN layer_group g ON g.model_name = " row ".model_name AND g.model_id = " row ".model_id"                  \
    " AND g.task_id = t.task_id AND g.engine = '" engine "'"
#define LAYER_NAMES "coalesce(g.layer_names, 'task ' || t.task_id), g.layer_types"

/* Kernels of which an operator of communication consists stand in that. */
#define OF_NO_COMMUNICATION "t.collective IS NOT " SQL_NUMBER(CANN_COLLECTIVE_IN_OPERATOR)
#define IS_COMMUNICATION "t.collective IS " SQL_NUMBER(CANN_COLLECTIVE_ITSELF)

static const struct piece op[] = {
    {.text = "CREATE VIEW op AS SELECT 'device_task' AS source, t.id AS id, t.device_id AS device_id,"
     " t.stream_id AS stream_id, t.task_id AS task_id, "},
    {.number = "t.op_task_type", .names = core_names},
    {.text = " AS core, o.text AS name, y.text AS type, t.start_ns AS start_ns, " DEVICE_NS("t") " AS duration_ns,"
     " " NO_TEXT " AS model_name, " MODEL("t.model_id") " AS model_id, t.thread_id AS thread_id,"
     " t.connection_id AS connection_id, t.block_num AS block_num, s.input_shapes AS input_shapes,"
     " s.input_data_types AS input_data_types, s.input_formats AS input_formats, s.output_shapes AS output_shapes,"
     " s.output_data_types AS output_data_types, s.output_formats AS output_formats"
     " FROM device_task t JOIN name o ON o.id = t.op_name_id LEFT JOIN name y ON y.id = t.op_type_id"
     " LEFT JOIN tensor_set s ON s.id = t.tensor_set_id WHERE " CANN_IS_OPERATOR " AND " OF_NO_COMMUNICATION
     " UNION ALL SELECT 'ai_core_task', t.id, i.device_id, t.stream_id, t.task_id, 'AI_CORE', " LAYER_NAMES ", "
     PLACED("t.start_ns") ", t.duration_ns, i.model_name, i.model_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
     " NULL" CORE_TASKS LAYERS("i", "AI_CORE")
     " UNION ALL SELECT 'ai_cpu_task', t.id, f.device_id, t.stream_id, t.task_id, 'AI_CPU', " LAYER_NAMES ","
     " t.start_ns, t.duration_ns, f.model_name, f.model_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
     " NULL" CPU_TASKS LAYERS("f", "AI_CPU")
     " UNION ALL SELECT 'opprof_operator', id, device_id, NULL, NULL, NULL, op_name, op_type, NULL,"
     " (duration_ps + 500) / 1000, NULL, NULL, NULL, NULL, block_dim, NULL, NULL, NULL, NULL, NULL, NULL"
     " FROM opprof_operator;"},
    {.text = NULL},
};

static const struct piece task[] = {
    {.text = "CREATE VIEW task AS SELECT 'device_task' AS source, t.id AS id, t.device_id AS device_id,"
     " t.stream_id AS stream_id, t.task_id AS task_id, t.batch_id AS batch_id, t.context_id AS context_id, "},
    {.number = "t.type", .names = device_task_names},
    {.text = " AS kind, coalesce(o.text, k.text) AS name, t.start_ns AS start_ns, " DEVICE_NS("t") " AS duration_ns, "
     MODEL("t.model_id") " AS model_id, t.thread_id AS thread_id, t.connection_id AS connection_id,"
     " t.copy_bytes AS copy_bytes FROM device_task t LEFT JOIN name o ON o.id = t.op_name_id"
     " LEFT JOIN name k ON k.id = t.kernel_name_id"
     " UNION ALL SELECT 'ai_core_task', t.id, i.device_id, t.stream_id, t.task_id, NULL, NULL, 'AI_CORE', NULL, "
     PLACED("t.start_ns") ", t.duration_ns, i.model_id, NULL, NULL, NULL" CORE_TASKS
     " UNION ALL SELECT 'ai_cpu_task', t.id, f.device_id, t.stream_id, t.task_id, NULL, NULL, 'AI_CPU', NULL,"
     " t.start_ns, t.duration_ns, f.model_id, NULL, NULL, NULL" CPU_TASKS ";"},
    {.text = NULL},
};

/* Records of ACL of Ascend's captures are among the calls already. */
static const struct piece call[] = {
    {.text = "CREATE VIEW call AS SELECT 'host_call' AS source, c.id AS id, c.thread_id AS thread_id, "},
    {.number = "c.level", .names = level_names},
    {.text = " AS level, " TEXT_OF(CANN_CALL_NAME) " AS name, " TEXT_OF("c.item_id") " AS item,"
     " c.start_ns AS start_ns, " HOST_NS("c") " AS duration_ns, c.parent_id AS parent_id,"
     " c.connection_id AS connection_id, c.launches AS launches FROM host_call c"
     " UNION ALL SELECT 'acl_call', id, thread_id, 'acl', name, NULL, start_ns, end_ns - start_ns, NULL, NULL, NULL"
     " FROM acl_call WHERE (SELECT value FROM meta WHERE key = 'family') = 'svp';"},
    {.text = NULL},
};

static const struct piece step[] = {
    {.text = "CREATE VIEW step AS SELECT 'iteration' AS source, id, device_id, " NO_TEXT " AS model_name, "
     MODEL("model_id") " AS model_id, number, start_ns, end_ns - start_ns AS duration_ns, forward_ns, backward_ns,"
     " marked FROM iteration"
     " UNION ALL SELECT 'inference', i.inference_id, i.device_id, i.model_name, i.model_id, i.current_pic_count, "
     PLACED("i.start_ns") ", i.end_ns - i.start_ns, NULL, NULL, 0 FROM inference i;"},
    {.text = NULL},
};

static const struct piece communication[] = {
    {.text = "CREATE VIEW communication AS SELECT 'communication_op' AS source, o.id AS id, o.device_id AS device_id,"
     " n.text AS name, y.text AS type, " TEXT_OF("o.group_name_id") " AS group_name,"
     " " TEXT_OF("o.algorithm_id") " AS algorithm, o.count AS count, o.start_ns AS start_ns,"
     " " DEVICE_NS("o") " AS duration_ns, o.thread_id AS thread_id, o.connection_id AS connection_id"
     " FROM communication_op o LEFT JOIN name n ON n.id = o.name_id LEFT JOIN name y ON y.id = o.type_id"
     " UNION ALL SELECT 'device_task', t.id, t.device_id, o.text, y.text, NULL, NULL, NULL, t.start_ns,"
     " " DEVICE_NS("t") ", t.thread_id, t.connection_id FROM device_task t JOIN name o ON o.id = t.op_name_id"
     " LEFT JOIN name y ON y.id = t.op_type_id WHERE " CANN_IS_OPERATOR " AND " IS_COMMUNICATION ";"},
    {.text = NULL},
};

/* The names of modules, which stand between, belong to a record kind. */
static const struct piece memory_before[] = {
    {.text = "CREATE VIEW memory AS SELECT 'npu_mem' AS source, id, device_id, time_ns,"
     " iif(user, 'device', 'application') AS owner, " NO_TEXT " AS name, ddr_bytes + hbm_bytes AS bytes, ddr_bytes,"
     " hbm_bytes, " NO_INTEGER " AS reserved_bytes, " NO_INTEGER " AS change_bytes FROM npu_mem"
     " UNION ALL SELECT 'npu_module_mem', id, device_id, time_ns, 'module', "},
    {.text = NULL},
};
static const struct piece memory_after[] = {
    {.text = ", iif(bytes < 0, NULL, bytes), NULL, NULL, NULL, NULL FROM npu_module_mem"
     " UNION ALL SELECT 'task_memory_info', id, device_id, time_ns, 'operator', " TEXT_OF("node_name_id") ","
     " allocated_bytes, NULL, NULL, reserved_bytes, bytes FROM task_memory_info;"},
    {.text = NULL},
};

/* A row for each counter that a task has. */
#define EVENT_OF(core, n) " WHEN " #n " THEN t." core "_event" #n
#define EVENTS_OF(core)                                                                                                \
    EVENT_OF(core, 0) EVENT_OF(core, 1) EVENT_OF(core, 2) EVENT_OF(core, 3) EVENT_OF(core, 4) EVENT_OF(core, 5)        \
    EVENT_OF(core, 6) EVENT_OF(core, 7) EVENT_OF(core, 8) EVENT_OF(core, 9)
#define COUNTERS_OF(core, metrics, events)                                                                             \
    "SELECT 'device_task' AS source, t.id AS id, t.device_id AS device_id, t.start_ns AS start_ns, '" core "' AS core,"\
    " iif(n.column1 < 0, 'total_cycle', 'event' || n.column1) AS name,"                                                \
    " iif(n.column1 < 0, 'cycle', 'event') AS unit,"                                                                   \
    " CASE n.column1 WHEN -1 THEN t." core "_total_cycle" EVENTS_OF(core) " END AS value,"                             \
    " p." metrics " AS metrics, p." events " AS events FROM device_task t CROSS JOIN"                                  \
    " (VALUES (-1), (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) n"                                               \
    " LEFT JOIN capture_part p ON p.device_id = t.device_id AND NOT p.is_host WHERE value IS NOT NULL"
_Static_assert(CANN_COUNTERS == 10, "the view has a row for each counter");
#define NAMED_COUNTER(name) " WHEN '" name "' THEN t." name

static const struct piece counter[] = {
    {.text = "CREATE VIEW counter AS " COUNTERS_OF("aic", "metrics", "events")
     " UNION ALL " COUNTERS_OF("aiv", "aiv_metrics", "aiv_events")
     " UNION ALL SELECT 'ai_core_task', t.id, i.device_id, " PLACED("t.start_ns") ", 'aic', n.column1,"
     " iif(n.column1 LIKE '%_bytes', 'byte', 'cycle'), CASE n.column1" NAMED_COUNTER("total_cycle")
     NAMED_COUNTER("mac_busy_cycle") NAMED_COUNTER("mac_ppen_cycle") NAMED_COUNTER("vec_busy_cycle")
     NAMED_COUNTER("vec_ppen_cycle") NAMED_COUNTER("dstr_cycle") NAMED_COUNTER("dtrans_cycle")
     NAMED_COUNTER("dld_cycle") NAMED_COUNTER("wld_cycle") NAMED_COUNTER("ddr_read_bytes")
     NAMED_COUNTER("ddr_write_bytes") " END AS value, NULL, NULL" CORE_TASKS
     " CROSS JOIN (VALUES ('total_cycle'), ('mac_busy_cycle'), ('mac_ppen_cycle'), ('vec_busy_cycle'),"
     " ('vec_ppen_cycle'), ('dstr_cycle'), ('dtrans_cycle'), ('dld_cycle'), ('wld_cycle'), ('ddr_read_bytes'),"
     " ('ddr_write_bytes')) n WHERE value IS NOT NULL;"},
    {.text = NULL},
};
/* clang-format on */

static void add_pieces(struct strbuf *sql, const struct piece *pieces)
{
    for (; pieces->text != NULL || pieces->number != NULL; pieces++) {
        if (pieces->number != NULL)
            add_named(sql, pieces->number, pieces->names);
        else
            strbuf_adds(sql, pieces->text);
    }
}

static const struct record_kind *kind_of_table(const char *table)
{
    size_t i = 0;
    while (record_kinds[i]->table == NULL || strcmp(record_kinds[i]->table, table) != 0)
        i++;
    return record_kinds[i];
}

static void add_memory(struct strbuf *sql)
{
    const struct record_kind *kind = kind_of_table("npu_module_mem");
    add_pieces(sql, memory_before);
    add_named(sql, "module_id", kind->columns[record_kind_column(kind, "module_id")].names);
    add_pieces(sql, memory_after);
}

void stable_views_add(struct strbuf *sql)
{
    static const struct piece *const views[] = {op, task, call, step, communication, counter};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        add_pieces(sql, views[i]);
    add_memory(sql);
}

int stable_views_hide(sqlite3 *db, struct err *err)
{
    static const char before[] = "CREATE ", instead[] = "CREATE TEMP ";
    if (!warm_up_hides(db))
        return 0;
    SCOPED(strbuf_release) struct strbuf sql, temporary;
    strbuf_init(&sql, VIEWS_MAX);
    strbuf_init(&temporary, VIEWS_MAX);
    stable_views_add(&sql);
    strbuf_adds(&temporary, "PRAGMA query_only = OFF;");
    for (const char *view = sql.data; !sql.failed && *view != '\0'; view = strchr(view, ';') + 1) {
        strbuf_adds(&temporary, instead);
        strbuf_add(&temporary, view + strlen(before), strcspn(view, ";") + 1 - strlen(before));
    }
    strbuf_adds(&temporary, "PRAGMA query_only = ON");
    return sql.failed || temporary.failed ? err_no_memory(err) : database_exec(db, temporary.data, err);
}
