/* SPDX-License-Identifier: Apache-2.0 */
/* Starts and ends of blocks on chips 15 and 16: stars_block.data. */
#include "parsers/capture/capture.h"
#include "parsers/kinds/common/sample.h"

enum { BLOCK_START = 0x24, BLOCK_END = 0x25 };
static const struct value_name functions[] = {{BLOCK_START, "start"}, {BLOCK_END, "end"}, {0, NULL}};
static const struct value_name cores[] = {{0, "AIC"}, {1, "AIV"}, {0, NULL}};

static const struct column columns[] = {
    FILE_COLUMN,
    DEVICE_COLUMN,
    STAMP_COLUMN("tick", "The counter of the device."),
    TIME_COLUMN,
    NAMED_COLUMN("function", "Function", functions, "Whether the block began or ended."),
    NUMBER_COLUMN("task_id", "Task ID", "The number of the task, of 32 bits."),
    NUMBER_COLUMN("context_type", "Context type", "Kind of part."),
    NUMBER_COLUMN("is_main", "Main", "1: on the core that the task begins on."),
    NUMBER_COLUMN("is_mix", "Mix", "1: of a task on both kinds of cores."),
    NAMED_COLUMN("core_type", "Core type", cores, "Which kind of core it ran on."),
    NUMBER_COLUMN("core_id", "Core ID", "The core that it ran on."),
    NUMBER_COLUMN("block_id", "Block ID", "The block."),
};

static const struct field fields[] = {
    {.column = "tick", .offset = 8, .width = 8},
    {.column = "function", .offset = 0, .width = 2, .first_bit = 0, .bit_count = 6},
    {.column = "task_id", .offset = 4, .width = 4},
    {.column = "context_type", .offset = 16, .width = 1},
    {.column = "is_main", .offset = 17, .width = 1, .first_bit = 0, .bit_count = 1},
    {.column = "is_mix", .offset = 17, .width = 1, .first_bit = 1, .bit_count = 1},
    {.column = "core_type", .offset = 20, .width = 1, .first_bit = 0, .bit_count = 1},
    {.column = "core_id", .offset = 21, .width = 1},
    {.column = "block_id", .offset = 26, .width = 2},
};

static const struct layout layouts[] = {{
    .name = "stars-block-32",
    .source = "CANN stars_block.data record, chips 15 and 16, 32 bytes, magic 0x6BD3 at 2 (docs/formats/cann.md 5.2)",
    .record_size = 32,
    .magics = {{.offset = 2, .width = 2, .value = 0x6bd3}},
    FIELDS_OF(fields),
}};

static const struct sampling sampling = {.stamps = {{"tick", CLOCK_DEVICE_TICK}}};

const struct record_kind kind_stars_block = {
    .name = "stars_block",
    .table = "stars_block",
    .families = FAMILY_CANN,
    .title = "Starts and ends of blocks",
    .doc = "When each block of a task began or ended on a core, on chips 15 and 16.",
    .patterns = (const char *const[]){"stars_block.data.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &sample_hooks,
    .sampling = &sampling,
};
