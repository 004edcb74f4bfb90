/* SPDX-License-Identifier: Apache-2.0 */
/* Log of the device's task scheduler software: ts_track.data, tagged records. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/device_stream.h"

static const struct value_name tags[] = {{3, "time line"},
                                         {TRACK_TAG_STEP, "step trace"},
                                         {TRACK_TAG_COPY, "copy"},
                                         {12, "task type"},
                                         {14, "task flip"},
                                         {15, "block number"},
                                         {0, NULL}};

static const struct value_name task_states[] = {
    {1, "waiting"},       {2, "running"},      {3, "complete"},       {4, "pending"},
    {7, "AI core start"}, {8, "AI core done"}, {9, "AI CPU phase 2"}, {0, NULL}};

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name.")                          \
    MADE(TAG, "tag", "Tag", NAMES(PLAIN, tags), "Kind of record.")                                                     \
    MADE(TICK, "tick", "System counter", INTEGER(TICK, PLAIN), "When, on the counter of the device.")                  \
    MADE(TIME_NS, "time_ns", "Time", INTEGER(NS, DERIVED), "Time on the clock of the host.")                           \
    MADE(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream.")                                                   \
    MADE(TASK_ID, "task_id", "Task ID", NUMBER, "The number of the task.")                                             \
    MADE(TASK_TYPE, "task_type", "Task type", NUMBER, "Its type; of time lines and task types.")                       \
    MADE(TASK_STATE, "task_state", "Task state", NAMES(PLAIN, task_states),                                            \
         "State that the task reached; for time lines, copies (0 received, 1 started, 2 ended) and task types (0 "     \
         "begin, 2 end).")                                                                                             \
    MADE(THREAD_ID, "thread_id", "Thread ID", NUMBER, "Thread; only for time lines.")                                  \
    MADE(INDEX_ID, "index_id", "Iteration", NUMBER, "The iteration; of step traces.")                                  \
    MADE(MODEL_ID, "model_id", "Model ID", NUMBER, "The model; of step traces.")                                       \
    MADE(STEP_TAG, "step_tag", "Step tag", NUMBER,                                                                     \
         "0 model start, 1 model end, 2 forward begin, 3 backward end, 4 iteration end, from 10000 all-reduce; of "    \
         "step traces.")                                                                                               \
    MADE(FLIP_NUM, "flip_num", "Flips", NUMBER,                                                                        \
         "How often the task numbers of the stream have begun again; of flips.")                                       \
    MADE(BLOCK_NUM, "block_num", "Block num", NUMBER, "How many blocks the task is split into; of block numbers.")     \
    MADE(WORD16, "word16", "Word at 16", INTEGER(NONE, TRANSIENT), "Read by tag.")                                     \
    MADE(WORD18, "word18", "Word at 18", INTEGER(NONE, TRANSIENT), "Read by tag.")                                     \
    MADE(WORD20, "word20", "Word at 20", INTEGER(NONE, TRANSIENT), "Read by tag.")                                     \
    MADE(WORD22, "word22", "Word at 22", INTEGER(NONE, TRANSIENT), "Read by tag.")                                     \
    MADE(WORD32, "word32", "Word at 32", INTEGER(NONE, TRANSIENT), "Read by tag.")                                     \
    MADE(WORD34, "word34", "Word at 34", INTEGER(NONE, TRANSIENT), "Read by tag.")                                     \
    MADE(WORD36, "word36", "Word at 36", INTEGER(NONE, TRANSIENT), "Read by tag.")                                     \
    MADE(WORD38, "word38", "Word at 38", INTEGER(NONE, TRANSIENT), "Read by tag.")                                     \
    MADE(LONG16, "long16", "Value at 16", INTEGER(NONE, TRANSIENT), "Read by tag.")                                    \
    MADE(LONG24, "long24", "Value at 24", INTEGER(NONE, TRANSIENT), "Read by tag.")

MADE_COLUMNS;

static const struct field timeline_fields[] = {
    FIELD("tag", 1, 1),       FIELD("tick", 16, 8),       FIELD("stream_id", 12, 2), FIELD("task_id", 14, 2),
    FIELD("task_type", 8, 2), FIELD("task_state", 10, 2), FIELD("thread_id", 24, 4),
};

static const struct field tagged_fields[] = {
    FIELD("tag", 1, 1),     FIELD("tick", 8, 8),    FIELD("word16", 16, 2),        FIELD("word18", 18, 2),
    FIELD("word20", 20, 2), FIELD("word22", 22, 2), FIELD("word32", 32, 2),        FIELD("word34", 34, 2),
    FIELD("word36", 36, 2), FIELD("word38", 38, 2), SIGNED_FIELD("long16", 16, 8), SIGNED_FIELD("long24", 24, 8),
};

enum { TIME_LINE = 3, STEP_TRACE = 10, COPY = 11, TASK_TYPE_TAG = 12, TASK_FLIP = 14, BLOCK_NUMBER = 15 };
#define FLIP_OF_DESTROYED 65535
#define FLIP_STREAM_MASK 0x7ff
#define FLIP_EXPANDED_STREAM_MASK 0x7fff

static int64_t value(const struct row *row, size_t column)
{
    return row->cells[column].integer;
}

static void set_task(struct row *row, int64_t stream_id, int64_t task_id)
{
    row_set_integer(row, STREAM_ID, stream_id);
    row_set_integer(row, TASK_ID, task_id);
}

static int take_flip(const struct paired_stream *state, struct row *row, struct err *err)
{
    const bool expanded = association_has_expanded_streams(state->stream.association);
    set_task(row, value(row, WORD16) & (expanded ? FLIP_EXPANDED_STREAM_MASK : FLIP_STREAM_MASK), value(row, WORD22));
    row_set_integer(row, FLIP_NUM, value(row, WORD18));
    struct task_flip flip = {
        .time_ns = value(row, TIME_NS),
        .device_id = (uint32_t)state->stream.device_id,
        .stream_id = (uint32_t)value(row, STREAM_ID),
        .task_id = (uint32_t)value(row, TASK_ID),
        .number = (uint32_t)value(row, FLIP_NUM),
        .destroys = value(row, FLIP_NUM) == FLIP_OF_DESTROYED || value(row, TASK_ID) == FLIP_OF_DESTROYED,
    };
    return state->stream.association != NULL ? association_add_flip(state->stream.association, &flip, err) : 0;
}

static int add_state(const struct paired_stream *state, const struct row *row, struct err *err)
{
    const struct task_state mark = {
        .task = {state->stream.device_id, (uint32_t)value(row, STREAM_ID), (uint32_t)value(row, TASK_ID)},
        .tick = value(row, TICK),
        .time_ns = value(row, TIME_NS),
        .type = (uint32_t)value(row, TASK_TYPE),
        .state = (uint32_t)value(row, TASK_STATE),
    };
    return state->stream.executions != NULL ? executions_add_state(state->stream.executions, &mark, err) : 0;
}

#define REPLACED INT64_MIN /* the start of a task that started again: which of them is to its end is not known */

/* Rejects the end of a task that stands behind a start that is later, in captures from before 2023, whose states are
 * paired when all are there. */
static int check_end(struct decoder *decoder, struct paired_stream *state, const struct row *row, bool *keep,
                     struct err *err)
{
    const struct pair_key key = {(uint64_t)value(row, STREAM_ID) << 32 | (uint64_t)value(row, TASK_ID), 0, 0};
    const int64_t tick = value(row, TICK), what = value(row, TASK_STATE);
    struct open_half *start = map_get(&state->pairs.open, &key);
    if (what == TASK_RUNNING && start != NULL)
        start->tick = REPLACED;
    else if (what == TASK_RUNNING && !pair_table_is_full(&state->pairs.open))
        return pair_table_add(&state->pairs.open, &key, tick, NULL, err);
    if (what != TASK_COMPLETE || start == NULL)
        return 0;
    if (start->tick > tick) {
        decoder_report(decoder, DIAG_RECORD_VALUE, "tick",
                       "stream %lld task %lld ends at %lld; expected an end after its start at %lld",
                       (long long)value(row, STREAM_ID), (long long)value(row, TASK_ID), (long long)tick,
                       (long long)start->tick);
        *keep = false;
    }
    map_remove(&state->pairs.open, start);
    return 0;
}

/* Takes a task from its start to its end. */
static int take_half(struct decoder *decoder, struct paired_stream *state, const struct row *row, bool starts,
                     bool *keep, struct err *err)
{
    struct task_key key = {(uint32_t)value(row, STREAM_ID), (uint32_t)value(row, TASK_ID), WHOLE_TASK, 0};
    int64_t tick = value(row, TICK);
    struct open_half start;
    if (starts)
        return task_pairs_start(&state->pairs, decoder, &key, tick, keep, err);
    if (!task_pairs_end(&state->pairs, decoder, &key, tick, &start, keep))
        return 0;
    const struct device_task task = {
        .start_ns = part_device_ns(state->stream.part, start.tick),
        .end_ns = part_device_ns(state->stream.part, tick),
        .context_id = NO_CONTEXT,
        .device_id = (uint32_t)state->stream.device_id,
        .stream_id = key.stream_id,
        .task_id = key.task_id,
        .type = (uint32_t)value(row, TASK_TYPE),
        .of_scheduler = value(row, TAG) == TASK_TYPE_TAG,
    };
    *keep = task_pairs_check_span(decoder, &key, &start, task.start_ns, task.end_ns, keep);
    return *keep ? association_add_task(state->stream.association, &task, err) : 0;
}

/* Takes a state of a task on chip 0, which runs from its state 2 to its state 3. */
static int take_time_line(struct decoder *decoder, struct paired_stream *state, const struct row *row, bool *keep,
                          struct err *err)
{
    if (state->stream.association == NULL) {
        *keep = decoder_check_span(decoder, "the state", value(row, TIME_NS), value(row, TIME_NS));
        int status = *keep ? check_end(decoder, state, row, keep, err) : 0;
        return status == 0 && *keep ? add_state(state, row, err) : status;
    }
    if (value(row, TASK_STATE) != TASK_RUNNING && value(row, TASK_STATE) != TASK_COMPLETE)
        return 0;
    return take_half(decoder, state, row, value(row, TASK_STATE) == TASK_RUNNING, keep, err);
}

/* Takes a state of a task that the scheduler of a 310P runs itself: no hardware log has it. */
static int take_own_task(struct decoder *decoder, struct paired_stream *state, struct row *row, bool *keep,
                         struct err *err)
{
    enum { CHIP_310P = 4, BEGINS = 0, ENDS = 2 };
    set_task(row, value(row, WORD16), value(row, WORD18));
    row_set_integer(row, TASK_TYPE, value(row, WORD20));
    row_set_integer(row, TASK_STATE, value(row, WORD22) & 0xff);
    if (state->stream.association == NULL || state->stream.part->chip != CHIP_310P ||
        (value(row, TASK_STATE) != BEGINS && value(row, TASK_STATE) != ENDS))
        return 0;
    return take_half(decoder, state, row, value(row, TASK_STATE) == BEGINS, keep, err);
}

/* Chips 15 and 16 have the tag first, and a number of the task of four bytes. */
static void take_step(const struct paired_stream *state, struct row *row)
{
    const bool is_v6 = part_has_unique_tasks(state->stream.part->chip);
    if (is_v6)
        set_task(row, value(row, WORD34), value(row, WORD36) | value(row, WORD38) << 16);
    else
        set_task(row, value(row, WORD32), value(row, WORD34));
    row_set_integer(row, INDEX_ID, value(row, LONG16));
    row_set_integer(row, MODEL_ID, value(row, LONG24));
    row_set_integer(row, STEP_TAG, value(row, is_v6 ? WORD32 : WORD36));
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct paired_stream *state = opaque;
    row_set_integer(row, DEVICE_ID, state->stream.device_id);
    row_set_integer(row, TIME_NS, part_device_ns(state->stream.part, value(row, TICK)));
    switch (value(row, TAG)) {
    case TIME_LINE:
        return take_time_line(decoder, state, row, keep, err);
    case STEP_TRACE:
        take_step(state, row);
        return 0;
    case COPY:
        set_task(row, value(row, WORD16), value(row, WORD18));
        row_set_integer(row, TASK_STATE, value(row, WORD20) & 0xff);
        return 0;
    case TASK_TYPE_TAG:
        return take_own_task(decoder, state, row, keep, err);
    case TASK_FLIP:
        return take_flip(state, row, err);
    case BLOCK_NUMBER:
        set_task(row, value(row, WORD16), value(row, WORD18));
        row_set_integer(row, BLOCK_NUM, value(row, WORD20) | value(row, WORD22) << 16);
        return 0;
    default: {
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, "tag", "tag %lld; expected 10, 11, 12, 14 or 15",
                              (long long)value(row, TAG));
    }
    }
}

static int close_stream(struct decoder *decoder, void *opaque, bool failed, struct err *err)
{
    (void)err;
    struct paired_stream *state = opaque;
    task_pairs_finish(&state->pairs, decoder, failed || state->stream.association == NULL);
    return 0;
}

const struct record_kind kind_ts_track = {
    OWN_TABLE("ts_track"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .stage = -1,
    .title = "Task scheduler track",
    .doc = "Steps of models, copies, task types, flips of task numbers, numbers of blocks and, on chip 0, the states "
           "of tasks, in the order in which the scheduler wrote them.",
    .patterns = (const char *const[]){DEVICE_FILES_OF_2022("ts_track.data"), NULL},
    RECORDS_OF(
        columns,
        LAYOUT("ts-timeline-32", 32, timeline_fields,
               "CANN ts_track.data, chip 0: time line record, tag 3 (docs/formats/cann.md 4.2)", .mixed = true,
               MAGICS(MAGIC(1, 3, 0x2003))),
        LAYOUT("ts-step-trace-40", 40, tagged_fields,
               "CANN ts_track.data, chip 0: step trace record, tag 10 (docs/formats/cann.md 4.2)", .mixed = true,
               MAGICS(MAGIC(1, 3, 0x280a))),
        LAYOUT("ts-memcpy-40", 40, tagged_fields,
               "CANN ts_track.data, chip 0: copy record, tag 11 (docs/formats/cann.md 4.2)", .mixed = true,
               MAGICS(MAGIC(1, 3, 0x280b))),
        LAYOUT("ts-task-type-40", 40, tagged_fields,
               "CANN ts_track.data, chip 0: task type record, tag 12 (docs/formats/cann.md 4.2)", .mixed = true,
               MAGICS(MAGIC(1, 3, 0x280c))),
        LAYOUT("ts-task-flip-40", 40, tagged_fields,
               "CANN ts_track.data, chip 0: flip of task numbers record, tag 14 (docs/formats/cann.md 4.2)",
               .mixed = true, MAGICS(MAGIC(1, 3, 0x280e))),
        LAYOUT("ts-block-num-40", 40, tagged_fields,
               "CANN ts_track.data, chip 0: blocks record, tag 15 (docs/formats/cann.md 4.2)", .mixed = true,
               MAGICS(MAGIC(1, 3, 0x280f))),
        LAYOUT("ts-track-40", 40, tagged_fields,
               "CANN ts_track.data, chips from 1: records of 40 bytes, the tag at 1 (docs/formats/cann.md 4.2)")),
    HOOKS(.state_size = sizeof(struct paired_stream), .open = paired_stream_open, .record = take_record,
          .close = close_stream),
};
