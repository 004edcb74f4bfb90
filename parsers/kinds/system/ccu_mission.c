/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of the units that work for communication: ccu<die>.instr. */
#include "base/number.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/hccl_types.h"
#include "parsers/kinds/common/record_stream.h"
#include "parsers/kinds/common/sample.h"

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name; NULL: the host.")          \
    MADE(DIE_ID, "die_id", "Die", MADE_NUMBER, "The die, from the file name.")                                         \
    MADE(TASK_LOW, "task_low", "Stamp", INTEGER(NONE, TRANSIENT), "The low 16 bits of the task's number.")             \
    MADE(TASK_HIGH, "task_high", "Stamp", INTEGER(NONE, TRANSIENT), "The high 16 bits of the task's number.")          \
    MADE(TASK_ID, "task_id", "Task ID", MADE_NUMBER, "The task, a number of 32 bits on these chips.")                  \
    MADE(LOOP_START, "loop_start", "Stamp", INTEGER(NONE, TRANSIENT),                                                  \
         "The counter of the device when the loop began; 0: there is none.")                                           \
    MADE(LOOP_END, "loop_end", "Stamp", INTEGER(NONE, TRANSIENT), "The counter of the device when the loop ended.")    \
    MADE(NOTIFY_START, "notify_start", "Stamp", INTEGER(NONE, TRANSIENT),                                              \
         "The counter of the device when the wait for the ranks began; 0: there is none.")                             \
    MADE(INSTRUCTION_ID, "instruction_id", "Instruction ID", NUMBER, "The instruction of the loop.")                   \
    MADE(START_NS, "start_ns", "Start", INTEGER(NS, DERIVED), "When the loop began, since 1970; NULL: there is none.") \
    MADE(DURATION_NS, "duration_ns", "Duration", INTEGER(NS, DERIVED), "How long the loop took.")                      \
    MADE(NOTIFY_INSTRUCTION_ID, "notify_instruction_id", "Notify instruction ID", NUMBER,                              \
         "The instruction that waits.")                                                                                \
    MADE(NOTIFY_NS, "notify_ns", "Wait", INTEGER(NS, DERIVED),                                                         \
         "When the wait for the rank began, since 1970; NULL: nothing waited.")                                        \
    MADE(RANK_ID, "rank_id", "Notify rank ID", MADE_NUMBER, "The rank that was waited for.")                           \
    MADE(NOTIFY_DURATION_NS, "notify_duration_ns", "Waited", INTEGER(NS, DERIVED), "How long it was waited for.")

MADE_COLUMNS;

static const struct field fields[] = {
    FIELD("notify_start", 32, 8), FIELD("notify_instruction_id", 40, 2), FIELD("loop_end", 42, 8),
    FIELD("loop_start", 50, 8),   FIELD("instruction_id", 58, 2),        FIELD("task_low", 60, 2),
    FIELD("task_high", 62, 2),
};

/* In front of the fields, for rank 15 first: how long each was waited for, in units of so many ticks. */
enum { RANKS = 16, TICKS_PER_UNIT = 4 };

static int64_t notify_end(const struct row *row, uint64_t units)
{
    return number_add(row->cells[NOTIFY_START].integer, (int64_t)units * TICKS_PER_UNIT);
}

static bool check_ticks(struct decoder *decoder, const struct record_stream *file, const char *what, int64_t start,
                        int64_t end)
{
    return decoder_check_span(decoder, what, part_device_ns(file->part, start), part_device_ns(file->part, end));
}

/* Both spans are there only where their start is not 0. */
static bool is_sound(struct decoder *decoder, const struct record_stream *file, const struct row *row)
{
    int64_t start = row->cells[LOOP_START].integer, notified = row->cells[NOTIFY_START].integer;
    if (start != 0 && !check_ticks(decoder, file, "the loop", start, row->cells[LOOP_END].integer))
        return false;
    return notified == 0 || check_ticks(decoder, file, "the wait", notified, notify_end(row, UINT16_MAX));
}

static int64_t ns_between(const struct record_stream *file, int64_t start, int64_t end)
{
    return part_device_ns(file->part, end) - part_device_ns(file->part, start);
}

/* Emits a row with the loop of the record. */
static int emit_row(struct decoder *decoder, const struct record_stream *file, const struct row *record,
                    struct row *ret, struct err *err)
{
    int64_t start = record->cells[LOOP_START].integer, end = record->cells[LOOP_END].integer;
    if (decoder_emit(decoder, file->kind, ret, err) < 0)
        return err_status(err);
    row_set_integer(ret, FILE_ID, decoder_file_id(decoder));
    row_set_integer(ret, DEVICE_ID, file->device_id);
    row_set_integer(ret, DIE_ID, file->group_id);
    row_set_integer(ret, TASK_ID, record->cells[TASK_HIGH].integer << 16 | record->cells[TASK_LOW].integer);
    if (start == 0)
        return 0;
    row_set_integer(ret, INSTRUCTION_ID, record->cells[INSTRUCTION_ID].integer);
    row_set_integer(ret, START_NS, part_device_ns(file->part, start));
    row_set_integer(ret, DURATION_NS, ns_between(file, start, end));
    return 0;
}

/* A row for each rank that was waited for, or one. */
static int take_mission(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *file = opaque;
    const struct bytes bytes = decoder_bytes(decoder);
    const struct row record = *row;
    struct cell cells[COUNT_OF(columns)];
    struct row copy = record;
    int64_t notified = record.cells[NOTIFY_START].integer;
    int status = 0;
    *keep = is_sound(decoder, file, row);
    if (!*keep)
        return 0;
    for (size_t i = 0; i < COUNT_OF(columns); i++)
        cells[i] = record.cells[i];
    copy.cells = cells; /* the row's own are used again */
    decoder_consume(decoder);
    for (int i = 0; status == 0 && i < (notified != 0 ? RANKS : 1); i++) {
        struct row item;
        uint64_t units;
        status = emit_row(decoder, file, &copy, &item, err);
        if (status < 0 || notified == 0 || !bytes_read(&bytes, 2 * (size_t)i, 2, false, &units))
            continue;
        row_set_integer(&item, NOTIFY_INSTRUCTION_ID, copy.cells[NOTIFY_INSTRUCTION_ID].integer);
        row_set_integer(&item, NOTIFY_NS, part_device_ns(file->part, notified));
        row_set_integer(&item, RANK_ID, RANKS - 1 - i);
        row_set_integer(&item, NOTIFY_DURATION_NS, ns_between(file, notified, notify_end(&copy, units)));
    }
    return status;
}

static const struct report_column table[] = {
    {"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
    {"Stream ID", "coalesce(stream, 65535)", .flags = REPORT_NUMBER,
     .doc = "The stream of the task, from the host; 65535: unknown."},
    {"Task Id", "task_id", .flags = REPORT_NUMBER, .doc = "The task."},
    {"Instruction ID", "instruction_id", .flags = REPORT_NUMBER, .doc = "The instruction of its loop."},
    {"Instruction Start Time(us)", "start_ns", FORM_TIME, .doc = "When the loop began."},
    {"Instruction Duration(us)", "exact_ns(device_id, start_ns, duration_ns)", FORM_SCALED, 3, .unit = UNIT_NS,
     .doc = "How long the loop took."},
    {"Notify Instruction ID", "notify_instruction_id", .flags = REPORT_NUMBER, .doc = "The instruction that waits."},
    {"Notify Rank ID", "rank_id", .flags = REPORT_NUMBER, .doc = "The rank that it waits for."},
    {"Notify Duration(us)", "exact_ns(device_id, notify_ns, notify_duration_ns)", FORM_SCALED, 3, .unit = UNIT_NS,
     .doc = "How long it waited."},
    {.title = NULL},
};

/* The stream that the host put a task on. */
#define STREAMS                                                                                                        \
    "s AS MATERIALIZED (SELECT device_id AS device, task_id AS task, min(stream_id) AS stream FROM device_task GROUP"  \
    " BY device_id, task_id)"
#define ON_STREAM "LEFT JOIN s ON s.device = m.device_id AND s.task = m.task_id"
/* Selects the last loop of each instruction, and of its waits the one for the rank that came last. */
#define LOOPS                                                                                                          \
    STREAMS ", m AS (SELECT *, max(id) FROM ccu_mission WHERE start_ns IS NOT NULL AND notify_ns IS NULL GROUP BY"     \
            " device_id, task_id, instruction_id), g AS (SELECT *, max(id) FROM ccu_group_info GROUP BY task_id,"      \
            " instruction_id)"
#define WAITS                                                                                                          \
    STREAMS ", m AS (SELECT *, max(notify_ns + notify_duration_ns) AS until FROM ccu_mission WHERE notify_ns IS NOT"   \
            " NULL GROUP BY device_id, task_id, notify_instruction_id), w AS (SELECT *, max(id) FROM"                  \
            " ccu_wait_signal_info GROUP BY task_id, instruction_id), x AS (SELECT m.id AS mission, c.channel_id AS"   \
            " channel, max(c.mean_delay) AS delay FROM m JOIN w ON w.task_id = m.task_id AND w.instruction_id ="       \
            " m.notify_instruction_id JOIN json_each('[' || w.channels || ']') AS j JOIN ccu_channel AS c ON"          \
            " c.channel_id = j.value AND c.device_id = m.device_id AND c.time_ns <= m.until GROUP BY m.id)"
#define REDUCTION                                                                                                      \
    "CASE g.reduce_op WHEN 0 THEN 'SUM' WHEN 1 THEN 'PROD' WHEN 2 THEN 'MAX' WHEN 3 THEN 'MIN' ELSE g.reduce_op END"
#define OF_GROUP(column) "CASE WHEN g.reduce_op <> 255 THEN " column " END"

#define ON_ITS_THREAD .device = "m.device_id", .thread_name = "'Communication'"

/* The task of this number, where the capture has one. */
#define GLOBAL_TASK "coalesce(global, 4294967295)"
#define TASKS                                                                                                          \
    ", t AS MATERIALIZED (SELECT device_id AS on_device, task_id AS number, min(id) AS global FROM device_task GROUP " \
    "BY"                                                                                                               \
    " device_id, task_id)"
#define ITS_TASK " LEFT JOIN t ON t.on_device = m.device_id AND t.number = m.task_id"
#define LOOP_ARGUMENTS                                                                                                 \
    "json_array('Physic Stream Id', coalesce(stream, 65535), 'Task Id', m.task_id, 'Instruction ID', "                 \
    "m.instruction_id)"
#define WAIT_ARGUMENTS                                                                                                 \
    "json_array('Physic Stream Id', coalesce(stream, 65535), 'Task Id', m.task_id, 'Notify Instruction ID',"           \
    " notify_instruction_id, 'Notify Rank ID', m.rank_id)"
#define EVENT(select)                                                                                                  \
    "(SELECT m.id AS id, m.device_id AS device_id, " GLOBAL_TASK " AS task, " select " FROM m " ON_STREAM ITS_TASK ")"

/* Loops and waits, as the timeline has them. */
static const struct exported_table events[] = {
    {.name = "CCU",
     .columns =
         EXPORTED_COLUMNS({"deviceId", "device_id", EXPORTED_NUMERIC}, {"globalTaskId", "task", EXPORTED_NUMERIC},
                          {"name", "name", EXPORTED_NUMERIC_WORD}, {"startNs", "begin_ns", EXPORTED_NUMERIC},
                          {"endNs", "end_ns", EXPORTED_NUMERIC}, {"args", "args", EXPORTED_NUMERIC_WORD}),
     .query =
         {.from = "(SELECT 0 AS waits, * FROM (WITH " LOOPS TASKS " SELECT * FROM " EVENT(
              "'LoopGroup' AS name, m.start_ns AS begin_ns, m.start_ns + m.duration_ns AS end_ns, " LOOP_ARGUMENTS
              " AS args") ") UNION ALL SELECT 1, * FROM (WITH " WAITS
              TASKS " SELECT * FROM " EVENT(
                  "'Wait' AS name, notify_ns AS begin_ns, notify_ns + notify_duration_ns AS end_ns, " WAIT_ARGUMENTS
                  " AS args") "))",
          .order_by = "waits, begin_ns, id"}},
    {.name = NULL},
};

static const struct series_counter slices[] = {
    {.name = "'LoopGroup'",
     .values = VALUE_LIST(
         {"Physic Stream Id", "coalesce(stream, 65535)", .form = FORM_TEXT},
         {"Task Id", "m.task_id", .form = FORM_TEXT}, {"Instruction ID", "m.instruction_id", .form = FORM_TEXT},
         {"Die Id", "g.die_id", .form = FORM_TEXT}, {"Data Size", "g.data_size", .form = FORM_TEXT},
         {"Bandwidth (MB/s)", "CASE WHEN m.duration_ns > 0 THEN g.data_size * 1000.0 / m.duration_ns END",
          .form = FORM_FLOAT},
         {"Reduce Op Type", OF_GROUP(REDUCTION), .form = FORM_TEXT},
         {"Input Data Type", OF_GROUP(HCCL_NAME_SQL("g.input_type", EACH_HCCL_DATA_TYPE)), .form = FORM_TEXT},
         {"Output Data Type", OF_GROUP(HCCL_NAME_SQL("g.output_type", EACH_HCCL_DATA_TYPE)), .form = FORM_TEXT}),
     .query = {.with = LOOPS,
               .from = "m LEFT JOIN g ON g.task_id = m.task_id AND g.instruction_id = m.instruction_id " ON_STREAM,
               .order_by = "m.device_id, m.start_ns, m.duration_ns DESC"},
     .time = "m.start_ns",
     .duration = "m.duration_ns",
     .ticks = true,
     ON_ITS_THREAD},
    {.name = "'Wait'",
     .values =
         VALUE_LIST({"Physic Stream Id", "coalesce(stream, 65535)", .form = FORM_TEXT},
                    {"Task Id", "m.task_id", .form = FORM_TEXT},
                    {"Notify Instruction ID", "notify_instruction_id", .form = FORM_TEXT},
                    {"Notify Rank ID", "m.rank_id", .form = FORM_TEXT}, {"Die Id", "w.die_id", .form = FORM_TEXT},
                    {"Mask", "w.mask", .form = FORM_TEXT}, {"Maximum Delay Channel", "channel", .form = FORM_TEXT},
                    {"Maximum Channel Delay", "delay", .form = FORM_TEXT}),
     .query = {.with = WAITS,
               .from = "m LEFT JOIN w ON w.task_id = m.task_id AND w.instruction_id = m.notify_instruction_id"
                       " LEFT JOIN x ON x.mission = m.id " ON_STREAM,
               .order_by = "m.device_id, notify_ns, notify_duration_ns DESC"},
     .time = "notify_ns",
     .duration = "notify_duration_ns",
     .ticks = true,
     ON_ITS_THREAD},
    {.name = NULL},
};

const struct record_kind kind_ccu_mission = {
    OWN_TABLE("ccu_mission"),
    .families = FAMILY_CANN,
    .title = "Instructions of communication",
    .doc = "Work of the units for communication on chips 15 and 16: their loops, and for which rank they waited how "
           "long.",
    .patterns = (const char *const[]){"ccu{group_id}.instr.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("ccu-mission-64", 64, fields, "docs/formats/system.md 12: 64 bytes")),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_mission),
    .exported = events,
    ONE_SERIES(.name = "ccu_mission", .title = "Instructions of communication",
               .doc = "Loops and waits of the units that work for communication, with a row for each rank that was "
                      "waited for.",
               .query = {.with = STREAMS, .from = "ccu_mission AS m " ON_STREAM, .order_by = "id"}, .columns = table,
               .process = "CCU", .number = LAYER_CCU, .counters = slices),
};
