/* SPDX-License-Identifier: Apache-2.0 */
/* Starts and ends of blocks on chips 15 and 16: stars_block.data. */
#include "parsers/capture/capture.h"
#include "parsers/kinds/common/sample.h"

enum { BLOCK_START = 0x24, BLOCK_END = 0x25 };
static const struct value_name functions[] = {{BLOCK_START, "start"}, {BLOCK_END, "end"}, {0, NULL}};
static const struct value_name cores[] = {{0, "AIC"}, {1, "AIV"}, {0, NULL}};

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(TICK, "tick", "Stamp", INTEGER(NONE, TRANSIENT), "The counter of the device.", AT(8, 8))                    \
    MADE(TIME_NS, "time_ns", "Time", INTEGER(NS, DERIVED), "When it was taken, on the clock of the host.")             \
    STORED(FUNCTION, "function", "Function", NAMES(PLAIN, functions), "Whether the block began or ended.",             \
           BITS_AT(0, 2, 0, 6))                                                                                        \
    STORED(TASK_ID, "task_id", "Task ID", NUMBER, "The number of the task, of 32 bits.", AT(4, 4))                     \
    STORED(CONTEXT_TYPE, "context_type", "Context type", NUMBER, "Kind of part.", AT(16, 1))                           \
    STORED(IS_MAIN, "is_main", "Main", NUMBER, "1: on the core that the task begins on.", BITS_AT(17, 1, 0, 1))        \
    STORED(IS_MIX, "is_mix", "Mix", NUMBER, "1: of a task on both kinds of cores.", BITS_AT(17, 1, 1, 1))              \
    STORED(CORE_TYPE, "core_type", "Core type", NAMES(PLAIN, cores), "Which kind of core it ran on.",                  \
           BITS_AT(20, 1, 0, 1))                                                                                       \
    STORED(CORE_ID, "core_id", "Core ID", NUMBER, "The core that it ran on.", AT(21, 1))                               \
    STORED(BLOCK_ID, "block_id", "Block ID", NUMBER, "The block.", AT(26, 2))

static const struct column columns[] = {FILE_COLUMN, DEVICE_COLUMN, COLUMNS(COLUMN_STORED, COLUMN_MADE)};

static const struct field fields[] = {COLUMNS(COLUMN_FIELD, COLUMN_NO_FIELD)};

const struct record_kind kind_stars_block = {
    OWN_TABLE("stars_block"),
    .families = FAMILY_CANN,
    .title = "Starts and ends of blocks",
    .doc = "When each block of a task began or ended on a core, on chips 15 and 16.",
    .patterns = (const char *const[]){"stars_block.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(
        columns,
        LAYOUT("stars-block-32", 32, fields,
               "CANN stars_block.data record, chips 15 and 16, 32 bytes, magic 0x6BD3 at 2 (docs/formats/cann.md 5.2)",
               MAGICS(MAGIC(2, 2, 0x6bd3)))),
    SAMPLES_OF(.stamps = {{"tick", CLOCK_DEVICE_TICK}}),
};
