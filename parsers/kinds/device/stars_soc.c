/* SPDX-License-Identifier: Apache-2.0 */
/* Task log of Ascend chips with STARS, the scheduler since the 910B: stars_soc.data, a record for each start and end.
 */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/record_source.h"
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

struct ended {
    uint32_t type, word;
};

#define ACCELERATOR_BITS 0x3f /* of the word that is the context of a part */

/* what: the record's type and, of a whole task, the word that names the accelerator. */
static int take_end(struct decoder *decoder, struct paired_stream *state, const struct task_key *key, int64_t tick,
                    const struct ended *what, bool *keep, struct err *err)
{
    struct open_half start;
    if (!task_pairs_end(&state->pairs, decoder, key, tick, &start, keep))
        return 0;
    const struct device_task task = {
        .start_ns = part_ticks_ns(&state->stream.device, start.tick),
        .end_ns = part_ticks_ns(&state->stream.device, tick),
        .start_tick = start.tick,
        .end_tick = tick,
        .context_id = key->context_id == WHOLE_TASK ? NO_CONTEXT : key->context_id,
        .device_id = (uint32_t)state->stream.device_id,
        .stream_id = key->stream_id,
        .task_id = key->task_id,
        .type = what->type,
        .has_accelerator = key->context_id == WHOLE_TASK,
        .accelerator_id = what->word & ACCELERATOR_BITS,
    };
    if (!task_pairs_check_span(decoder, key, &start, task.start_ns, task.end_ns, keep))
        return 0;
    return state->stream.join != NULL ? association_add_task(state->stream.join, &task, err) : 0;
}

static ALWAYS_INLINE int take_half(struct decoder *decoder, void *opaque, const struct record_source *source,
                                   bool *keep, struct err *err)
{
    struct paired_stream *state = opaque;
    struct task_key key = {.context_id = WHOLE_TASK};
    int64_t function = source_integer(source, FUNCTION_TYPE), tick = source_integer(source, TICK);
    bool is_part = function == PART_START || function == PART_END;
    sequence_check(&state->sequence, decoder, source_integer(source, COUNTER));
    stars_ids(state->stream.association, source_integer(source, TASK_TYPE), source_integer(source, STREAM_WORD),
              source_integer(source, TASK_WORD), &key.stream_id, &key.task_id);
    if (is_part) {
        key.context_id = (uint32_t)source_integer(source, SUB_TASK_ID);
        key.thread_id = (uint32_t)source_integer(source, THREAD_ID);
    }
    switch (function) {
    case TASK_START:
    case PART_START:
        return task_pairs_start(&state->pairs, decoder, &key, tick, keep, err);
    case TASK_END:
    case PART_END: {
        const struct ended what = {(uint32_t)source_integer(source, is_part ? SUB_TASK_TYPE : TASK_TYPE),
                                   (uint32_t)source_integer(source, SUB_TASK_ID)};
        return take_end(decoder, state, &key, tick, &what, keep, err);
    }
    default: /* blocks and the load of links and memories say nothing about tasks */
        return 0;
    }
}

RECORD_HOOKS(take_half, fields, 0, 0)

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
    HOOKS(.state_size = sizeof(struct paired_stream), .open = paired_stream_open, .record = take_half_row,
          .close = paired_stream_close, DIRECT(take_half, fields)),
};
