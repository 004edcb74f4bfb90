/* SPDX-License-Identifier: Apache-2.0 */
/* Task log of chips 15 and 16: stars_soc.data of 32 bytes, a record for each start and end of tasks and fusion tasks.
 */
#include "parsers/join/association.h"
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/stars/stars_record.h"

enum { TASK_START = 0x00, TASK_END = 0x01, FUSION_START = 0x16, FUSION_END = 0x17 };

static const struct value_name functions[] = {{TASK_START, "task start"},
                                              {TASK_END, "task end"},
                                              {FUSION_START, "fusion task start"},
                                              {FUSION_END, "fusion task end"},
                                              {0, NULL}};

#define COLUMNS(STORED)                                                                                                \
    STORED(TICK, "tick", "System counter", INTEGER(TICK, PLAIN), "When, on the counter of the device.", AT(8, 8))      \
    STORED(FUSION_TYPES, "fusion_types", "Fusion types", NUMBER,                                                       \
           "A bit for what a fusion task runs on: 0 CPU, 1 AI CPU, 2 AI core, 3 and 4 the dies of the CCU.",           \
           BITS_AT(16, 2, 0, 5))                                                                                       \
    STORED(MISSION_ID, "mission_id", "Mission", NUMBER, "Mission of a fusion task on the CCU.", BITS_AT(16, 2, 5, 4))  \
    STORED(ACCELERATOR, "accelerator", "Accelerator", NUMBER, "Low 6 bits: the accelerator; the next 7: its queue.",   \
           AT(18, 2))

enum { LAST_SHARED = STARS_RECORD_COLUMN_COUNT - 1, COLUMNS(COLUMN_NUMBER) };

static const struct column columns[] = {STARS_RECORD_COLUMNS(functions, "Kind of event."), COLUMNS(COLUMN_STORED)};

static const struct field fields[] = {STARS_RECORD_FIELDS, COLUMNS(COLUMN_FIELD)};

#define ACCELERATOR_BITS 0x3f
#define NO_STREAM 65535 /* the host alone knows it */

/* Numbers of what these chips call otherwise stand behind those of other chips. */
static uint32_t type_of(uint32_t number)
{
    enum { AIV_SQE = 1, AIV_OF_OTHERS = 2, OWN = 32 };
    static const uint32_t shared = 1U << 0 | 1U << 3 | 1U << 6 | 1U << 7 | 1U << 8 | 0xfU << 11;
    if (number == AIV_SQE)
        return AIV_OF_OTHERS;
    return number < 32 && (shared >> number & 1) != 0 ? number : OWN + number;
}

struct state {
    struct record_stream stream;      /* first */
    struct task_pairs pairs, fusions; /* which have numbers of their own */
    struct sequence sequence;
};

static int open_stream(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    struct state *state = opaque;
    record_stream_open(decoder, &state->stream, file, err);
    int status = task_pairs_init(&state->fusions, file, err);
    return status == 0 ? task_pairs_init(&state->pairs, file, err) : status;
}

static int emit_fusion(struct decoder *decoder, const struct state *state, const struct row *record,
                       const struct device_task *task, struct err *err)
{
    uint32_t types = (uint32_t)record->cells[FUSION_TYPES].integer;
    int64_t mission = record->cells[MISSION_ID].integer, accelerator = record->cells[ACCELERATOR].integer;
    struct row row;
    if (decoder_emit(decoder, &kind_fusion_task, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, FUSION_TASK_DEVICE_ID, state->stream.device_id);
    row_set_integer(&row, FUSION_TASK_TASK_ID, task->task_id);
    row_set_integer(&row, FUSION_TASK_ACCELERATOR_ID, accelerator);
    if (types != 0)
        row_set_integer(&row, FUSION_TASK_TYPE, 31 - __builtin_clz(types));
    row_set_integer(&row, FUSION_TASK_MISSION_ID, mission);
    row_set_integer(&row, FUSION_TASK_START_NS, task->start_ns);
    row_set_integer(&row, FUSION_TASK_DURATION_NS, task->end_ns - task->start_ns);
    return 0;
}

static int take_end(struct decoder *decoder, struct state *state, struct task_pairs *pairs, const struct task_key *key,
                    const struct row *row, bool *keep, struct err *err)
{
    const struct cell *cells = row->cells;
    struct open_half start;
    if (!task_pairs_end(pairs, decoder, key, cells[TICK].integer, &start, keep))
        return 0;
    const struct device_task task = {
        .start_ns = part_device_ns(state->stream.part, start.tick),
        .end_ns = part_device_ns(state->stream.part, cells[TICK].integer),
        .context_id = NO_CONTEXT,
        .device_id = (uint32_t)state->stream.device_id,
        .stream_id = NO_STREAM,
        .task_id = key->task_id,
        .type = type_of((uint32_t)cells[TASK_TYPE].integer),
        .has_accelerator = true,
        .accelerator_id = cells[ACCELERATOR].integer & ACCELERATOR_BITS,
    };
    if (!task_pairs_check_span(decoder, key, &start, task.start_ns, task.end_ns, keep))
        return 0;
    if (key->context_id != WHOLE_TASK)
        return emit_fusion(decoder, state, row, &task, err);
    return state->stream.association != NULL ? association_add_task(state->stream.association, &task, err) : 0;
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct state *state = opaque;
    const struct row record = *row;
    struct cell cells[COUNT_OF(columns)];
    struct row copy = record;
    int64_t function = record.cells[FUNCTION_TYPE].integer;
    bool fusion = function == FUSION_START || function == FUSION_END;
    struct task_key key = {.stream_id = NO_STREAM,
                           .task_id = (uint32_t)record.cells[TASK_WORD].integer << 16 |
                                      (uint32_t)record.cells[STREAM_WORD].integer,
                           .context_id = fusion ? 0 : WHOLE_TASK};
    struct task_pairs *pairs = fusion ? &state->fusions : &state->pairs;
    if (!fusion)
        sequence_check(&state->sequence, decoder, record.cells[COUNTER].integer);
    switch (function) {
    case TASK_START:
    case FUSION_START:
        return task_pairs_start(pairs, decoder, &key, record.cells[TICK].integer, keep, err);
    case TASK_END:
    case FUSION_END:
        for (size_t i = 0; i < COUNT_OF(columns); i++)
            cells[i] = record.cells[i];
        copy.cells = cells; /* the row's own are used again */
        return take_end(decoder, state, pairs, &key, &copy, keep, err);
    default:
        return 0;
    }
}

static int close_stream(struct decoder *decoder, void *opaque, bool failed, struct err *err)
{
    (void)err;
    struct state *state = opaque;
    task_pairs_finish(&state->pairs, decoder, failed);
    task_pairs_finish(&state->fusions, decoder, failed);
    return 0;
}

const struct record_kind kind_stars_soc_v6 = {
    .name = "stars_soc_v6",
    .families = FAMILY_CANN,
    .chips = CHIPS_V6,
    .of_device_join = true,
    .title = "STARS task log of chips 15 and 16",
    .doc = "Starts and ends of tasks and of fusion tasks, in the order in which the scheduler wrote them. They become "
           "the tasks of the device, whose streams come from the host, and its fusion tasks.",
    .patterns = (const char *const[]){"stars_soc.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(
        columns,
        LAYOUT("stars-soc-32", 32, fields,
               "CANN stars_soc.data record, chips 15 and 16, 32 bytes, magic 0x6BD3 at 2 (docs/formats/cann.md 5.2)",
               STARS_RECORD_MAGICS)),
    HOOKS(.state_size = sizeof(struct state), .open = open_stream, .record = take_record, .close = close_stream),
};
