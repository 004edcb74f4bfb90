/* SPDX-License-Identifier: Apache-2.0 */
#include "db/schema.h"

#include "base/array.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "db/stable_views.h"
#include "db/table_pages.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Statements that make something that stays, and the words of them that sqlite_schema has too. */

struct made {
    const char *type, *name, *table, *sql; /* the type in capitals */
    int type_length, name_length, table_length, sql_length;
};

/* A name up to a blank or parenthesis, perhaps in quotes; what is behind it. */
static const char *take_name(const char *text, const char **name, int *length)
{
    bool quoted = *text == '"';
    *name = text + quoted;
    *length = (int)strcspn(*name, quoted ? "\"" : " (;");
    return *name + *length + quoted;
}

static bool made_is(const struct made *made, const char *type)
{
    size_t length = strlen(type);
    return (size_t)made->type_length == length && memcmp(made->type, type, length) == 0;
}

static bool take_made(const char *sql, size_t length, struct made *ret)
{
    static const char create[] = "CREATE ", on[] = " ON ";
    if (length < sizeof create || strncmp(sql, create, sizeof create - 1) != 0)
        return false;
    ret->sql = sql;
    ret->sql_length = (int)length;
    const char *rest = take_name(sql + sizeof create - 1, &ret->type, &ret->type_length);
    if (made_is(ret, "TEMP"))
        return false;
    rest = take_name(rest + 1, &ret->name, &ret->name_length);
    ret->table = ret->name;
    ret->table_length = ret->name_length;
    if (made_is(ret, "INDEX") && strncmp(rest, on, sizeof on - 1) == 0)
        take_name(rest + sizeof on - 1, &ret->table, &ret->table_length);
    return true;
}

/* The next of them in a script whose texts have no semicolons; the script goes on behind it. False: there is none. */
static bool made_next(const char **script, struct made *ret)
{
    bool made = false;
    while (!made && **script != '\0') {
        size_t length = strcspn(*script, ";");
        made = take_made(*script, length, ret);
        *script += length + ((*script)[length] == ';');
    }
    return made;
}

#define SCHEMA_MAX ((size_t)1024 * 1024) /* bytes of all statements */

/* Tables about the import itself. */
static const char own_tables[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
    "CREATE TABLE source_file("
    "  id INTEGER PRIMARY KEY, path TEXT NOT NULL, kind TEXT, size_bytes INTEGER NOT NULL, modified_ns INTEGER NOT "
    "NULL,"
    "  xxh128 TEXT, records_decoded INTEGER NOT NULL, records_rejected INTEGER NOT NULL,"
    "  device_id INTEGER, model_name TEXT, model_id INTEGER, batch_num INTEGER, input_pic_num INTEGER,"
    "  current_pic_count INTEGER, slice INTEGER, start_ns INTEGER, end_ns INTEGER, profiled_model_id INTEGER);"
    "CREATE TABLE record_count("
    "  file_id INTEGER NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL, records INTEGER NOT NULL,"
    "  PRIMARY KEY(file_id, outcome, reason)) WITHOUT ROWID;"
    "CREATE TABLE diagnostics("
    "  id INTEGER PRIMARY KEY, severity TEXT NOT NULL, code TEXT NOT NULL, file TEXT, record INTEGER, byte_offset "
    "INTEGER,"
    "  message TEXT NOT NULL, occurrences INTEGER NOT NULL);"
    "CREATE TABLE capture_part("
    "  id INTEGER PRIMARY KEY, directory TEXT NOT NULL, device_id INTEGER, is_host INTEGER NOT NULL, chip INTEGER,"
    "  host_hz INTEGER, device_hz INTEGER, aic_hz INTEGER, aiv_hz INTEGER, ai_core_num INTEGER, aiv_num INTEGER,"
    "  process_id INTEGER, driver_version INTEGER, rank_id INTEGER, start_ns INTEGER, end_ns INTEGER,"
    "  unix_offset_ns INTEGER NOT NULL, host_monotonic_ns INTEGER, device_tick INTEGER,"
    "  start_monotonic_ns INTEGER, metrics TEXT, events TEXT, aiv_metrics TEXT, aiv_events TEXT,"
    "  job TEXT, host_name TEXT, host_uid TEXT, begin_date TEXT, process_name TEXT);"
    "CREATE TABLE setting(part_id INTEGER NOT NULL, name TEXT NOT NULL, value, PRIMARY KEY(part_id, name)) WITHOUT "
    "ROWID;"
    "CREATE TABLE model(id INTEGER PRIMARY KEY, model_name TEXT NOT NULL, model_id INTEGER, batch_num INTEGER);"
    "CREATE TABLE profiled_model("
    "  id INTEGER PRIMARY KEY, device_id INTEGER, model_name TEXT NOT NULL, model_id INTEGER, batch_num INTEGER,"
    "  inferences INTEGER NOT NULL DEFAULT 0, ai_core_tasks INTEGER NOT NULL DEFAULT 0,"
    "  ai_cpu_tasks INTEGER NOT NULL DEFAULT 0, acl_calls INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE device_mark(id INTEGER PRIMARY KEY, device_id INTEGER, mark_id INTEGER, stream_id INTEGER,"
    "  task_id INTEGER, start_ns INTEGER, end_ns INTEGER);"
    "CREATE TABLE iteration(id INTEGER PRIMARY KEY, device_id INTEGER, model_id INTEGER, number INTEGER,"
    "  start_ns INTEGER, end_ns INTEGER, forward_ns INTEGER, backward_ns INTEGER, marked INTEGER);"
    "CREATE TABLE answer(name TEXT PRIMARY KEY, columns INTEGER NOT NULL, recorded TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE answer_row(name TEXT NOT NULL, number INTEGER NOT NULL, value1, value2, value3, value4, value5,"
    "  value6, value7, value8, value9, value10, value11, value12, PRIMARY KEY(name, number)) WITHOUT ROWID;";

/* Rows are stored in file order, so most lookups are ranges of ids; these are the others. */
static const char indexes[] =
    "CREATE INDEX inference_run_by_inference ON inference_run(inference_id, first_task);"
    "CREATE INDEX inference_by_report ON inference(device_id, model_id, current_pic_count);"
    "CREATE INDEX ai_cpu_task_by_file ON ai_cpu_task(file_id, start_ns);"
    "CREATE INDEX layer_by_task ON layer(model_name, model_id, task_id);"
    "CREATE INDEX profiled_model_by_name ON profiled_model(model_name, model_id, batch_num, device_id);"
    "CREATE INDEX source_file_by_report ON source_file(device_id, model_id, current_pic_count);"
    "CREATE INDEX ts_track_mark ON ts_track(device_id, tag) WHERE tag = " SQL_NUMBER(TRACK_TAG_STEP) /* few of many */
    " OR tag = " SQL_NUMBER(TRACK_TAG_COPY) ";";

/* profiled_model: one row for each pair of timeline files. An ACL file names no batch number: it goes to the one that
 * net.info names, else to the smallest that ran; without a model's name it belongs to the capture's only model. */
static const char profiled_models[] =
    "CREATE TEMP TABLE inference_count AS"
    "  SELECT device_id, coalesce(model_name, 'unknown') AS model_name, model_id, batch_num, count(*) AS inferences,"
    "    sum(tasks) AS tasks FROM inference GROUP BY 1, 2, 3, 4;"
    "INSERT INTO profiled_model(device_id, model_name, model_id, batch_num)"
    "  SELECT device_id, model_name, model_id, batch_num FROM inference_count"
    "  UNION SELECT device_id, coalesce(model_name, 'unknown'), model_id, batch_num FROM source_file WHERE kind = "
    "'aicpu_task';"
    "CREATE TEMP TABLE acl_file AS SELECT id, device_id, model_name, model_id, batch_num FROM source_file WHERE kind = "
    "'acl_call';"
    "UPDATE acl_file SET (model_name, model_id) ="
    "  (SELECT model_name, model_id FROM profiled_model GROUP BY model_name, model_id)"
    "  WHERE model_name IS NULL AND (SELECT count(DISTINCT model_name || '.' || coalesce(model_id, '')) FROM "
    "profiled_model) = 1;"
    "UPDATE acl_file SET model_name = 'unknown' WHERE model_name IS NULL;"
    "UPDATE acl_file SET batch_num = coalesce("
    "  (SELECT m.batch_num FROM model m WHERE m.model_name = acl_file.model_name AND m.model_id IS acl_file.model_id"
    "     AND m.batch_num IS NOT NULL),"
    "  (SELECT min(p.batch_num) FROM profiled_model p WHERE p.device_id IS acl_file.device_id"
    "     AND p.model_name = acl_file.model_name AND p.model_id IS acl_file.model_id), 1);"
    "INSERT INTO profiled_model(device_id, model_name, model_id, batch_num)"
    "  SELECT DISTINCT device_id, model_name, model_id, batch_num FROM acl_file"
    "  EXCEPT SELECT device_id, model_name, model_id, batch_num FROM profiled_model;"
    "UPDATE source_file SET profiled_model_id = (SELECT p.id FROM profiled_model p JOIN acl_file a ON a.id = "
    "source_file.id"
    "  WHERE p.device_id IS a.device_id AND p.model_name = a.model_name AND p.model_id IS a.model_id"
    "    AND p.batch_num IS a.batch_num) WHERE kind = 'acl_call';"
    "UPDATE source_file SET profiled_model_id = (SELECT p.id FROM profiled_model p WHERE p.device_id IS "
    "source_file.device_id"
    "    AND p.model_name = coalesce(source_file.model_name, 'unknown') AND p.model_id IS source_file.model_id"
    "    AND p.batch_num IS source_file.batch_num) WHERE kind = 'aicpu_task';"
    "DROP TABLE acl_file;"
    "UPDATE profiled_model SET (inferences, ai_core_tasks) = (c.inferences, c.tasks) FROM inference_count c"
    "  WHERE c.device_id IS profiled_model.device_id AND c.model_name = profiled_model.model_name"
    "    AND c.model_id IS profiled_model.model_id AND c.batch_num IS profiled_model.batch_num;"
    "DROP TABLE inference_count;"
    "CREATE INDEX source_file_by_model ON source_file(profiled_model_id);"
    "UPDATE profiled_model SET"
    "  ai_cpu_tasks = (SELECT coalesce(sum(f.records_decoded), 0) FROM source_file f"
    "    WHERE f.profiled_model_id = profiled_model.id AND f.kind = 'aicpu_task'),"
    "  acl_calls = (SELECT coalesce(sum(f.records_decoded), 0) FROM source_file f"
    "    WHERE f.profiled_model_id = profiled_model.id AND f.kind = 'acl_call');";

/* The like in us. */
#define LENGTH_US(start, ns, clock, of) VIEW_LENGTH_NS(start, ns, clock, of) " / 1000.0"
#define DEVICE_LENGTH_US(row) VIEW_DEVICE_LENGTH_NS(row) " / 1000.0"

/* For people with sqlite3; the exporters do not use them. */
static const char views[] =
    "CREATE VIEW layer_group AS SELECT model_name, model_id, task_id, engine, group_concat(layer_id) AS layer_ids,"
    "  group_concat(name) AS layer_names, group_concat(type) AS layer_types, group_concat(ori_name) AS ori_layer_names"
    "  FROM (SELECT * FROM layer ORDER BY model_name, model_id, task_id, layer_id)"
    "  GROUP BY model_name, model_id, task_id, engine;"
    "CREATE VIEW ai_core_task_report AS SELECT t.id, i.device_id, i.model_name, i.model_id, i.batch_num, "
    "i.input_pic_num,"
    "  i.current_pic_count, t.stream_id, t.task_id, g.layer_names, g.layer_types, g.ori_layer_names,"
    "  t.start_ns / 1000.0 AS start_us, round(t.total_cycle * 1000.0 / i.core_khz, 2) AS time_us,"
    "  round(100.0 * t.total_cycle / nullif(i.total_cycle, 0), 2) AS time_percent,"
    "  round(100.0 * t.mac_busy_cycle / nullif(t.total_cycle, 0), 2) AS mac_busy_percent,"
    "  round(100.0 * t.mac_ppen_cycle / nullif(t.total_cycle, 0), 2) AS mac_ppen_percent,"
    "  round(100.0 * t.vec_busy_cycle / nullif(t.total_cycle, 0), 2) AS vec_busy_percent,"
    "  round(100.0 * t.vec_ppen_cycle / nullif(t.total_cycle, 0), 2) AS vec_ppen_percent,"
    "  round(100.0 * t.dstr_cycle / nullif(t.total_cycle, 0), 2) AS dstr_percent,"
    "  round(100.0 * t.dtrans_cycle / nullif(t.total_cycle, 0), 2) AS dtrans_percent,"
    "  round(100.0 * t.dld_cycle / nullif(t.total_cycle, 0), 2) AS dld_percent,"
    "  round(100.0 * t.wld_cycle / nullif(t.total_cycle, 0), 2) AS wld_percent,"
    "  t.ddr_read_bytes, t.ddr_write_bytes"
    "  FROM ai_core_task t JOIN inference i ON i.inference_id = t.inference_id LEFT JOIN layer_group g"
    "  ON g.model_name = i.model_name AND g.model_id = i.model_id AND g.task_id = t.task_id AND g.engine = 'AI_CORE';"
    "CREATE VIEW ai_cpu_task_report AS SELECT t.id, f.device_id, f.model_name, f.model_id, f.batch_num, "
    "f.input_pic_num,"
    "  f.current_pic_count, t.stream_id, t.task_id, g.layer_names, g.layer_types, t.start_ns / 1000.0 AS start_us,"
    "  t.duration_ns / 1000.0 AS time_us, t.dispatch_ns / 1000.0 AS dispatch_us, t.total_ns / 1000.0 AS total_us"
    "  FROM ai_cpu_task t JOIN source_file f ON f.id = t.file_id LEFT JOIN layer_group g"
    "  ON g.model_name = f.model_name AND g.model_id = f.model_id AND g.task_id = t.task_id AND g.engine = 'AI_CPU';"
    "CREATE VIEW operator_task AS SELECT t.id, t.device_id, t.stream_id, t.task_id, o.text AS name, y.text AS type,"
    "  t.start_ns / 1000.0 AS start_us, " DEVICE_LENGTH_US(
        "t") " AS time_us, s.input_shapes, s.input_data_types,"
             "  s.input_formats, s.output_shapes, s.output_data_types, s.output_formats"
             "  FROM device_task t JOIN name o ON o.id = t.op_name_id"
             "  LEFT JOIN name y ON y.id = t.op_type_id LEFT JOIN tensor_set s ON s.id = t.tensor_set_id"
             "  WHERE t.start_tick IS NOT NULL;";

/* Marks as devices saw them, with the number of the mark: one record of a mark, two of a range, its begin and its end.
 * A mark of a captured graph comes again with every replay: each run is a mark or a range of its own, in the order of
 * time. The tag of marks may begin a range that the tag of ranges ends, or both have the latter. Without a tag of
 * ranges records are pairs where the program says that the number is a range's, or says nothing, and they are even in
 * number. Pairs are of one stream, unless a stream has an odd one. */
/* clang-format off */
static const char device_marks[] =
    "INSERT INTO device_mark(device_id, mark_id, stream_id, task_id, start_ns, end_ns)"
    "  WITH record AS (SELECT id, device_id, index_id, stream_id, task_id, step_tag, time_ns FROM ts_track"
    "    WHERE tag = " SQL_NUMBER(TRACK_TAG_STEP)
    "    AND step_tag IN (" SQL_NUMBER(STEP_TAG_MARK) ", " SQL_NUMBER(STEP_TAG_RANGE) ")),"
    "  said AS (SELECT mark_id, max(event_type IN (1, 2)) AS is_range FROM msproftx"
    "    WHERE mark_id IS NOT NULL GROUP BY mark_id),"
    "  of_stream AS (SELECT device_id, index_id, stream_id, count(*) AS records,"
    "    sum(step_tag = " SQL_NUMBER(STEP_TAG_RANGE) ") AS ranges FROM record GROUP BY 1, 2, 3),"
    "  number AS (SELECT n.device_id, n.index_id, max(n.records % 2) AS odd,"
    "      sum(n.ranges) > 0 AND sum(n.ranges) < sum(n.records) AS mixed,"
    "      iif(sum(n.ranges) > 0, 1, coalesce(s.is_range, sum(n.records) % 2 = 0)) AS is_range"
    "    FROM of_stream n LEFT JOIN said s ON s.mark_id = n.index_id GROUP BY n.device_id, n.index_id),"
    "  run AS (SELECT r.*, n.is_range, n.mixed, row_number() OVER w AS place, lead(r.time_ns) OVER w AS next_ns,"
    "    lead(r.step_tag) OVER w AS next_tag FROM record r"
    "    JOIN number n ON n.device_id IS r.device_id AND n.index_id = r.index_id"
    "    WINDOW w AS (PARTITION BY r.device_id, r.index_id, iif(n.odd, NULL, r.stream_id) ORDER BY r.time_ns, r.id))"
    "  SELECT device_id, index_id, stream_id, task_id, time_ns, CASE WHEN NOT is_range THEN time_ns"
    "      WHEN NOT mixed OR next_tag = " SQL_NUMBER(STEP_TAG_RANGE) " THEN next_ns END FROM run"
    "  WHERE CASE WHEN NOT is_range THEN 1 WHEN mixed THEN step_tag = " SQL_NUMBER(STEP_TAG_MARK)
    "    ELSE place % 2 = 1 END ORDER BY device_id, time_ns, index_id, id;"
    "CREATE INDEX device_mark_by_mark ON device_mark(mark_id);";

/* clang-format on */

static const char cann_views[] =
    "CREATE VIEW device_task_report AS SELECT t.id, t.device_id, t.stream_id, t.task_id, t.batch_id, t.context_id,"
    "  o.text AS op_name, y.text AS op_type, h.text AS host_type, k.text AS kernel_name, t.start_ns / 1000.0 AS "
    "start_us,"
    "  " DEVICE_LENGTH_US(
        "t") " AS time_us, t.block_num, t.mix_block_num, s.input_shapes, s.input_data_types,"
             "  s.input_formats, s.output_shapes, s.output_data_types, s.output_formats, t.model_id, t.thread_id,"
             "  t.connection_id FROM device_task t LEFT JOIN name o ON o.id = t.op_name_id LEFT JOIN name y ON y.id = "
             "t.op_type_id"
             "  LEFT JOIN name h ON h.id = t.host_type_id LEFT JOIN name k ON k.id = t.kernel_name_id"
             "  LEFT JOIN tensor_set s ON s.id = t.tensor_set_id;"
             "CREATE VIEW communication_report AS SELECT o.id, o.device_id, n.text AS name, y.text AS type, g.text AS "
             "group_name,"
             "  a.text AS algorithm, o.count, o.start_ns / 1000.0 AS start_us, " DEVICE_LENGTH_US(
                 "o") " AS time_us, o.thread_id,"
                      "  o.connection_id FROM communication_op o LEFT JOIN name n ON n.id = o.name_id"
                      "  LEFT JOIN name y ON y.id = o.type_id LEFT JOIN name g ON g.id = o.group_name_id"
                      "  LEFT JOIN name a ON a.id = o.algorithm_id;"
                      "CREATE VIEW core_frequency_report AS WITH changes AS (SELECT device_id, time_ns, mhz, id FROM "
                      "core_frequency"
                      "  UNION ALL SELECT device_id, time_ns, value, id FROM core_voltage v WHERE what = 0 AND NOT "
                      "EXISTS"
                      "  (SELECT 1 FROM core_frequency f WHERE f.device_id IS v.device_id)),"
                      "  bounds AS (SELECT device_id, aic_hz / 1000000 AS mhz, start_ns AS time_ns FROM capture_part "
                      "WHERE NOT is_host"
                      "  AND aic_hz IS NOT NULL AND start_ns IS NOT NULL UNION ALL SELECT device_id, aic_hz / 1000000, "
                      "end_ns FROM"
                      "  capture_part WHERE NOT is_host AND aic_hz IS NOT NULL AND end_ns IS NOT NULL)"
                      "  SELECT device_id, time_ns, mhz, 1 AS measured FROM changes c"
                      "  WHERE time_ns >= (SELECT coalesce(p.start_ns, c.time_ns) FROM capture_part p WHERE NOT "
                      "p.is_host AND"
                      "  p.device_id IS c.device_id)"
                      "  UNION ALL SELECT b.device_id, b.time_ns, coalesce((SELECT mhz FROM changes c WHERE "
                      "c.device_id IS"
                      "  b.device_id AND c.time_ns < b.time_ns ORDER BY c.time_ns DESC, c.id DESC LIMIT 1), b.mhz),"
                      "  EXISTS (SELECT 1 FROM changes c WHERE c.device_id IS b.device_id AND c.time_ns < b.time_ns) "
                      "FROM bounds b;"
                      "CREATE VIEW task_counters AS SELECT t.id, t.device_id, p.chip, p.metrics, p.events, "
                      "p.aiv_metrics, p.aiv_events,"
                      "  t.aic_total_cycle, t.aic_event0, t.aic_event1, t.aic_event2, t.aic_event3, t.aic_event4, "
                      "t.aic_event5,"
                      "  t.aic_event6, t.aic_event7, t.aiv_total_cycle, t.aiv_event0, t.aiv_event1, t.aiv_event2, "
                      "t.aiv_event3,"
                      "  t.aiv_event4, t.aiv_event5, t.aiv_event6, t.aiv_event7"
                      "  FROM device_task t LEFT JOIN capture_part p ON p.device_id = t.device_id AND NOT p.is_host"
                      "  WHERE t.aic_total_cycle IS NOT NULL OR t.aiv_total_cycle IS NOT NULL;"
                      "CREATE VIEW task_launch AS SELECT t.id AS task, c.id AS call, t.device_id, t.stream_id, "
                      "t.task_id, c.thread_id,"
                      "  c.start_ns / 1000.0 AS launch_us, t.start_ns / 1000.0 AS start_us,"
                      "  (t.start_ns - c.start_ns) / 1000.0 AS latency_us"
                      "  FROM device_task t JOIN host_call c ON c.connection_id = t.connection_id AND c.launches > 0;";

/* Views in which a number stands with its name. */
static const struct named_view {
    const char *begin, *column; /* of the number */
    const struct value_name *names;
    bool keeps_others; /* a number without a name stands itself; else NULL */
    const char *end;
} named_views[] = {
    {"CREATE VIEW acl_call_report AS SELECT c.id, p.device_id, p.model_name, p.model_id, c.process_id, c.thread_id, ",
     "c.api_type", acl_part_names, false,
     " AS type, c.name, c.start_ns / 1000.0 AS start_us, (c.end_ns - c.start_ns) / 1000.0 AS time_us"
     "  FROM acl_call c JOIN source_file f ON f.id = c.file_id LEFT JOIN profiled_model p ON p.id = "
     "f.profiled_model_id"},
    {"CREATE VIEW msproftx_report AS SELECT m.id, m.process_id, m.thread_id, ", "m.event_type", mark_names, true,
     " AS event_type_name, m.category, m.payload_type, m.payload_value, m.start_ns / 1000.0 AS start_us,"
     "  " LENGTH_US(
         "m.start_ns", "(m.end_ns - m.start_ns)", "host_hz",
         "p.is_host") " AS time_us, m.message_type, m.message,"
                      "  n.text AS domain, m.mark_id, d.device_id, d.start_ns / 1000.0 AS device_start_us,"
                      "  " LENGTH_US(
                          "d.start_ns", "(d.end_ns - d.start_ns)", "device_hz",
                          "NOT p.is_host AND p.device_id = d.device_id") " AS device_time_us"
                                                                         "  FROM msproftx m LEFT JOIN name n ON n.id = "
                                                                         "m.domain_id LEFT JOIN device_mark d ON "
                                                                         "d.mark_id = m.mark_id"},
    {"CREATE VIEW host_call_report AS SELECT c.id, c.thread_id, ", "c.level", level_names, true,
     " AS level_name, n.text AS name, i.text AS item, c.start_ns / 1000.0 AS start_us,"
     "  " LENGTH_US(
         "c.start_ns", "c.duration_ns", "host_hz",
         "p.is_host") " AS time_us, c.parent_id, c.connection_id, c.launches"
                      "  FROM host_call c LEFT JOIN name n ON n.id = c.name_id LEFT JOIN name i ON i.id = c.item_id"},
};

/* Formats would take a tenth of the import of a small capture. */
static void add_texts(struct strbuf *sql, const char *first, const char *second, const char *third)
{
    strbuf_adds(sql, first);
    strbuf_adds(sql, second);
    strbuf_adds(sql, third);
}

static void add_named_view(struct strbuf *sql, const struct named_view *view)
{
    add_texts(sql, view->begin, "CASE ", view->column);
    for (const struct value_name *name = view->names; name->text != NULL; name++) {
        strbuf_adds(sql, " WHEN ");
        strbuf_add_integer(sql, (int64_t)name->value);
        add_texts(sql, " THEN '", name->text, "'");
    }
    add_texts(sql, view->keeps_others ? " ELSE " : "", view->keeps_others ? view->column : "", " END");
    add_texts(sql, view->end, ";", "");
}

static void add_column(struct strbuf *sql, const struct column *column, bool first)
{
    add_texts(sql, first ? "" : ", ", column->name, column->type == COLUMN_INTEGER ? " INTEGER" : " TEXT");
    strbuf_adds(sql, column->flags & COLUMN_KEY ? " PRIMARY KEY" : "");
}

static void add_kind_table(struct strbuf *sql, const struct record_kind *kind)
{
    bool has_key = false, first = true;
    for (size_t i = 0; i < kind->column_count; i++)
        has_key |= !(kind->columns[i].flags & COLUMN_TRANSIENT) && (kind->columns[i].flags & COLUMN_KEY);
    add_texts(sql, "CREATE TABLE \"", kind->table, has_key ? "\"(" : "\"(id INTEGER PRIMARY KEY, ");
    for (size_t i = 0; i < kind->column_count; i++) {
        if (kind->columns[i].flags & COLUMN_TRANSIENT)
            continue;
        add_column(sql, &kind->columns[i], first);
        first = false;
    }
    strbuf_adds(sql, ");");
}

/* The statements of each, ended by semicolons, of which the texts in them have none. */
static void schema_add_tables(struct strbuf *sql)
{
    strbuf_adds(sql, own_tables);
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if (record_kinds[i]->table != NULL)
            add_kind_table(sql, record_kinds[i]);
    }
    strbuf_adds(sql, views);
    strbuf_adds(sql, cann_views);
    for (size_t i = 0; i < sizeof named_views / sizeof *named_views; i++)
        add_named_view(sql, &named_views[i]);
    stable_views_add(sql);
}

static void schema_add_rest(struct strbuf *sql)
{
    static const char *const scripts[] = {indexes, profiled_models, device_marks};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        strbuf_adds(sql, scripts[i]);
}

static int run(sqlite3 *db, void (*add)(struct strbuf *sql), struct err *err)
{
    SCOPED(strbuf_release) struct strbuf sql;
    strbuf_init(&sql, SCHEMA_MAX);
    add(&sql);
    return sql.failed ? err_no_memory(err) : database_exec(db, sql.data, err);
}

int schema_create_tables(sqlite3 *db, struct err *err)
{
    return run(db, schema_add_tables, err);
}

int schema_finish(sqlite3 *db, struct err *err)
{
    return run(db, schema_add_rest, err);
}

/* ---- the same in a file, with a ready schema for SQLite: each CREATE costs four times as much ---- */

struct roots ARRAY_OF(bool); /* struct blank's keyed */

static int count_roots(const char *script, struct roots *roots, struct err *err)
{
    static const char keyed[] = "WITHOUT ROWID";
    const int length = sizeof keyed - 1;
    for (struct made made; made_next(&script, &made);) {
        if (!made_is(&made, "TABLE"))
            continue;
        if (array_add(roots, err,
                      made.sql_length > length &&
                          memcmp(made.sql + made.sql_length - length, keyed, (size_t)length) == 0) < 0)
            return err_status(err);
    }
    return 0;
}

static int insert_made(sqlite3 *db, sqlite3_stmt *insert, const struct made *made, size_t *table, struct err *err)
{
    bool is_table = made_is(made, "TABLE");
    sqlite3_bind_text(insert, 1, is_table ? "table" : "view", -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 2, made->name, made->name_length, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 3, is_table ? (sqlite3_int64)BLANK_ROOT((*table)++) : 0);
    sqlite3_bind_text(insert, 4, made->sql, made->sql_length, SQLITE_STATIC);
    int code = sqlite3_step(insert);
    sqlite3_reset(insert);
    return code == SQLITE_DONE ? 0 : database_error(err, db, "cannot create the tables");
}

static int name_roots(sqlite3 *db, const char *script, struct err *err)
{
    sqlite3_stmt *insert = NULL;
    size_t table = 0;
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    bool failed = database_exec(db, "PRAGMA writable_schema = ON", err) < 0 ||
                  database_prepare(db, "INSERT INTO sqlite_schema VALUES(?1, ?2, ?2, ?3, ?4)", &insert, err) < 0;
    for (struct made made; !failed && made_next(&script, &made);)
        failed = insert_made(db, insert, &made, &table, err) < 0;
    sqlite3_finalize(insert);
    failed = failed || database_exec(db, "PRAGMA writable_schema = RESET", err) < 0; /* reads them */
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return failed ? err_status(err) : 0;
}

/* Every table takes a page at least, which is most of a small database; large ones are filled and read faster in large
 * pages. */
static size_t page_size_for(uint64_t bytes)
{
    enum { SMALL = 2 * 1024 * 1024, SMALL_PAGE = 4096, LARGE_PAGE = 32768 };
    return bytes < SMALL ? SMALL_PAGE : LARGE_PAGE;
}

int schema_script_create(struct database_build *build, const char *path, const char *script, size_t page_size,
                         struct schema_file *ret, struct err *err)
{
    SCOPED_FREE struct roots roots = {NULL, 0, 0};
    int status = count_roots(script, &roots, err);
    if (status == 0) {
        const struct blank blank = {page_size, roots.items, roots.count};
        *ret = (struct schema_file){page_size, (uint32_t)BLANK_ROOT(roots.count) - 1};
        status = database_build_create_blank(build, path, &blank, err);
    }
    return status;
}

uint32_t schema_script_root(const char *script, const char *table)
{
    size_t before = 0;
    for (struct made made; made_next(&script, &made); before++) {
        if ((size_t)made.name_length == strlen(table) && memcmp(made.name, table, strlen(table)) == 0)
            break;
    }
    return (uint32_t)BLANK_ROOT(before);
}

static int connect_script(struct database_build *build, const char *script, bool ours, struct err *err)
{
    return database_build_connect(build, ours, err) < 0 ? err_status(err) : name_roots(build->db, script, err);
}

int schema_script_connect(struct database_build *build, const char *script, struct err *err)
{
    return connect_script(build, script, false, err);
}

static struct strbuf tables_text;

static void make_tables_text(void)
{
    strbuf_init(&tables_text, SCHEMA_MAX);
    schema_add_tables(&tables_text);
}

/* The tables' statements, made once in a process; NULL with err set. */
static const char *tables(struct err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_tables_text);
    if (tables_text.failed)
        err_no_memory(err);
    return tables_text.failed ? NULL : tables_text.data;
}

int schema_build_create(struct database_build *build, const char *path, uint64_t bytes, struct schema_file *ret,
                        struct err *err)
{
    const char *sql = tables(err);
    return sql != NULL ? schema_script_create(build, path, sql, page_size_for(bytes), ret, err) : err_status(err);
}

uint32_t schema_root(const struct record_kind *kind)
{
    const char *script = own_tables;
    size_t before = 0;
    for (struct made made; made_next(&script, &made);)
        before++;
    for (size_t i = 0; record_kinds[i] != kind; i++)
        before += record_kinds[i]->table != NULL;
    return (uint32_t)BLANK_ROOT(before);
}

int schema_build_connect(struct database_build *build, struct err *err)
{
    const char *sql = tables(err);
    return sql != NULL ? connect_script(build, sql, true, err) : err_status(err);
}

/* Everything in a schema as struct made has it, in the order of names; false when it cannot be read, or is longer than
 * any of ours. */
static bool schema_text(sqlite3 *db, struct strbuf *text)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    int code;
    if (sqlite3_prepare_v2(db, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY 1, 2, 3", -1,
                           &statement, NULL) != SQLITE_OK)
        return false;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW && !text->failed) {
        for (int i = 0; i < 4; i++) {
            const void *bytes = sqlite3_column_blob(statement, i);
            size_t length = (size_t)sqlite3_column_bytes(statement, i);
            if (length > 0)
                strbuf_add(text, bytes, length);
            strbuf_addc(text, '\n');
        }
    }
    return code == SQLITE_DONE && !text->failed;
}

struct made_list ARRAY_OF(struct made);

static int by_type_and_name(const void *a, const void *b)
{
    const struct made *one = a, *other = b;
    int order = strncmp(one->type, other->type, 5); /* the shortest of the types and the blank behind it */
    if (order != 0)
        return order;
    int shorter = one->name_length < other->name_length ? one->name_length : other->name_length;
    order = strncmp(one->name, other->name, (size_t)shorter);
    return order != 0 ? order : one->name_length - other->name_length;
}

/* Makes the schema's text that import leaves, from its statements: running them costs as much as all else that opens a
 * small database. */
static bool expected_text(const struct strbuf *statements, struct strbuf *text)
{
    SCOPED_FREE struct made_list list = {NULL, 0, 0};
    struct err ignored = ERR_INIT;
    int status = 0;
    struct made made;
    for (const char *script = statements->data; status == 0 && made_next(&script, &made);) {
        status = array_reserve(&list, 1, &ignored);
        if (status == 0)
            list.items[list.count++] = made;
    }
    array_sort(list.items, list.count, sizeof *list.items, by_type_and_name);
    for (size_t i = 0; i < list.count; i++) {
        made = list.items[i];
        for (int j = 0; j < made.type_length; j++)
            strbuf_addc(text, (char)(made.type[j] - 'A' + 'a'));
        strbuf_addc(text, '\n');
        strbuf_add(text, made.name, (size_t)made.name_length);
        strbuf_addc(text, '\n');
        strbuf_add(text, made.table, (size_t)made.table_length);
        strbuf_addc(text, '\n');
        strbuf_add(text, made.sql, (size_t)made.sql_length);
        strbuf_addc(text, '\n');
    }
    return status == 0 && !statements->failed && !text->failed;
}

/* Import numbers the rows of a table from 1 on; those that know only the last number count on it. A row takes a byte at
 * least, so that numbers beyond the file's size have large gaps. */
static bool is_within(sqlite3 *db, const char *table, const char *order, int64_t size, bool *ret_empty)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_mprintf("SELECT rowid FROM \"%w\" ORDER BY rowid%s LIMIT 1", table, order);
    bool within = sql != NULL && sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK;
    /* its reader reports a table that cannot be read */
    *ret_empty = !within || sqlite3_step(statement) != SQLITE_ROW;
    if (!*ret_empty)
        within = sqlite3_column_int64(statement, 0) >= 1 && sqlite3_column_int64(statement, 0) <= size;
    sqlite3_free(sql);
    return within;
}

static bool is_numbered(sqlite3 *db, const char *table, int64_t size)
{
    bool empty;
    return is_within(db, table, "", size, &empty) && (empty || is_within(db, table, " DESC", size, &empty));
}

static bool rows_are_numbered(sqlite3 *db)
{
    SCOPED(statement_release) sqlite3_stmt *tables = NULL;
    int code;
    int64_t size = database_bytes(db), page_size = database_page_size(db);
    if (size < 0 || sqlite3_prepare_v2(db,
                                       "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' AND"
                                       " sql NOT LIKE '%WITHOUT ROWID'",
                                       -1, &tables, NULL) != SQLITE_OK)
        return false;
    bool numbered = true;
    while (numbered && (code = sqlite3_step(tables)) != SQLITE_DONE)
        numbered = code == SQLITE_ROW && (table_is_empty(db, sqlite3_column_int64(tables, 1), page_size) ||
                                          is_numbered(db, (const char *)sqlite3_column_text(tables, 0), size));
    return numbered;
}

bool schema_is_ours(sqlite3 *db)
{
    SCOPED(strbuf_release) struct strbuf statements, expected, found;
    strbuf_init(&statements, SCHEMA_MAX);
    strbuf_init(&expected, SCHEMA_MAX);
    strbuf_init(&found, SCHEMA_MAX);
    schema_add_tables(&statements);
    schema_add_rest(&statements);
    return expected_text(&statements, &expected) && schema_text(db, &found) && expected.length == found.length &&
           memcmp(expected.data, found.data, found.length) == 0 && rows_are_numbered(db);
}
