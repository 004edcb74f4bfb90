/* SPDX-License-Identifier: Apache-2.0 */
/* Task log of Ascend chips with STARS, the scheduler since the 910B: stars_soc.data, a record for each start and end.
 */
#include "parsers/join/execution.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/stars/stars_record.h"

const struct value_name stars_split_types[] = {{0, "AIC"}, {1, "AIV"}, {4, "FFTS+"}, {5, "MIX"}, {0, NULL}};

static const struct value_name functions[] = {{0, "task start"}, {1, "task end"},     {34, "part start"},
                                              {35, "part end"},  {36, "block start"}, {37, "block end"},
                                              {0, NULL}};

#define COLUMNS(STORED)                                                                                                \
    STORED(TICK, "tick", "System counter", INTEGER(TICK, PLAIN), "When, on the counter of the device.", AT(8, 8))      \
    STORED(SUB_TASK_TYPE, "sub_task_type", "Part type", NAMES(PLAIN, device_part_names),                               \
           "Kind of part; only for an FFTS+ task.", BITS_AT(16, 2, 0, 8))                                              \
    STORED(SUB_TASK_ID, "sub_task_id", "Context ID", NUMBER,                                                           \
           "Which part it is; of an FFTS+ task. For a whole task the low 6 bits name the accelerator.", AT(18, 2))     \
    STORED(FFTS_TYPE, "ffts_type", "FFTS type", NAMES(PLAIN, stars_split_types), "How the task is split.",             \
           BITS_AT(20, 2, 13, 3))                                                                                      \
    STORED(THREAD_ID, "thread_id", "FFTS thread", NUMBER, "The thread of the part; of an FFTS+ task.", AT(22, 2))

enum { LAST_SHARED = STARS_RECORD_COLUMN_COUNT - 1, COLUMNS(COLUMN_NUMBER) };

static const struct column columns[] = {STARS_RECORD_COLUMNS(functions, "Kind of event."), COLUMNS(COLUMN_STORED)};

static const struct field fields[] = {STARS_RECORD_FIELDS, COLUMNS(COLUMN_FIELD)};

enum { TASK_START = 0x00, TASK_END = 0x01, PART_START = 0x22, PART_END = 0x23 };

struct state {
    const struct capture_part *part;
    struct association *association; /* of captures since 2023 */
    struct executions *executions;   /* of those before */
    uint32_t device_id;
    bool expanded; /* numbers of streams have 15 bits */
    struct task_pairs pairs;
    struct sequence sequence;
};

struct ended {
    uint32_t type, word;
};

static int open_stream(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    struct state *state = opaque;
    state->part = decoder_part(decoder);
    state->association = decoder_association(decoder);
    state->executions = decoder_executions(decoder);
    state->device_id = (uint32_t)file->identity.device_id;
    state->expanded = association_has_expanded_streams(state->association);
    return task_pairs_init(&state->pairs, file, err);
}

#define ACCELERATOR_BITS 0x3f /* of the word that is the context of a part */

static int add_run(const struct state *state, const struct device_task *task, int64_t start_tick, int64_t end_tick,
                   struct err *err)
{
    const struct task_execution run = {
        .task = {task->device_id, task->stream_id, task->task_id},
        .context_id = task->context_id,
        .start_ns = task->start_ns,
        .end_ns = task->end_ns,
        .start_tick = start_tick,
        .end_tick = end_tick,
        .type = task->type,
        .accelerator_id = task->has_accelerator ? (int32_t)task->accelerator_id : NO_ACCELERATOR,
    };
    return executions_add_run(state->executions, &run, err);
}

/* what: the record's type and, of a whole task, the word that names the accelerator. */
static int take_end(struct decoder *decoder, struct state *state, const struct task_key *key, int64_t tick,
                    const struct ended *what, bool *keep, struct err *err)
{
    struct open_half start;
    if (!task_pairs_end(&state->pairs, decoder, key, tick, &start, keep))
        return 0;
    struct device_task task = {
        .start_ns = part_device_ns(state->part, start.tick),
        .end_ns = part_device_ns(state->part, tick),
        .context_id = key->context_id == WHOLE_TASK ? NO_CONTEXT : key->context_id,
        .device_id = state->device_id,
        .stream_id = key->stream_id,
        .task_id = key->task_id,
        .type = what->type,
        .has_accelerator = key->context_id == WHOLE_TASK,
        .accelerator_id = what->word & ACCELERATOR_BITS,
    };
    if (!task_pairs_check_span(decoder, key, &start, task.start_ns, task.end_ns, keep))
        return 0;
    if (state->association != NULL)
        return association_add_task(state->association, &task, err);
    return state->executions != NULL ? add_run(state, &task, start.tick, tick, err) : 0;
}

static void decode_ids(const struct state *state, const struct cell *cells, struct task_key *key)
{
    uint32_t stream = (uint32_t)cells[STREAM_WORD].integer, task = (uint32_t)cells[TASK_WORD].integer;
    if (state->expanded)
        stars_decode_expanded_ids(cells[TASK_TYPE].integer, stream, task, &key->stream_id, &key->task_id);
    else
        stars_decode_ids(stream, task, &key->stream_id, &key->task_id);
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct state *state = opaque;
    const struct cell *cells = row->cells;
    struct task_key key = {.context_id = WHOLE_TASK};
    int64_t function = cells[FUNCTION_TYPE].integer, tick = cells[TICK].integer;
    bool is_part = function == PART_START || function == PART_END;
    sequence_check(&state->sequence, decoder, cells[COUNTER].integer);
    decode_ids(state, cells, &key);
    if (is_part) {
        key.context_id = (uint32_t)cells[SUB_TASK_ID].integer;
        key.thread_id = (uint32_t)cells[THREAD_ID].integer;
    }
    switch (function) {
    case TASK_START:
    case PART_START:
        return task_pairs_start(&state->pairs, decoder, &key, tick, keep, err);
    case TASK_END:
    case PART_END: {
        const struct ended what = {(uint32_t)cells[is_part ? SUB_TASK_TYPE : TASK_TYPE].integer,
                                   (uint32_t)cells[SUB_TASK_ID].integer};
        return take_end(decoder, state, &key, tick, &what, keep, err);
    }
    default: /* blocks and the load of links and memories say nothing about tasks */
        return 0;
    }
}

static int close_stream(struct decoder *decoder, void *opaque, bool failed, struct err *err)
{
    (void)err;
    struct state *state = opaque;
    task_pairs_finish(&state->pairs, decoder, failed);
    return 0;
}

const struct record_kind kind_stars_soc = {
    .name = "stars_soc",
    .families = FAMILY_2022 | FAMILY_CANN,
    .of_device_join = true,
    .title = "STARS task log",
    .doc = "Starts and ends of tasks, and of the parts of FFTS+ tasks, in the order in which the scheduler wrote them. "
           "They become the tasks of the device.",
    .patterns = (const char *const[]){"stars_soc.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(
        columns,
        LAYOUT(
            "stars-soc-64", 64, fields,
            "CANN stars_soc.data record, chips 5, 7, 8 and 11, 64 bytes, magic 0x6BD3 at 2 (docs/formats/cann.md 5.2)",
            STARS_RECORD_MAGICS)),
    HOOKS(.state_size = sizeof(struct state), .open = open_stream, .record = take_record, .close = close_stream),
};
