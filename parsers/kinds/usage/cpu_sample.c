/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of the CPUs of a device: ai_ctrl_cpu.data. */
#include "parsers/kinds/common/arm_events.h"
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_lines.h"

static const struct column columns[] = {
    FILE_COLUMN,
    DEVICE_COLUMN,
    NUMBER_COLUMN("core_id", "Core", "The core."),
    NUMBER_COLUMN("stamp_us", "Stamp", "Microseconds, by the clock of the device's system."),
    NUMBER_COLUMN("event", "Event", "The number of the event that was counted."),
    NUMBER_COLUMN("count", "Count", "How often, since the sample before."),
    TEXT_COLUMN_OF("function", "Function", "The function that ran."),
    TEXT_COLUMN_OF("module", "Module", "The program, library or kernel that it is in."),
};

#define CORES(list) "instr(',' || setting('" list "', device_id) || ',', ',' || core_id || ',') > 0"

static const struct report_column event_table[] = {
    {"Device_id", "device_id", .doc = "The device."},
    {"Event", "format('0x%x', event)", .doc = "The number of the event."},
    {"Name", ARM_EVENT_NAME("event"), .doc = "Name that ARM gives the event."},
    {"Count", "sum(count)", .doc = "How often it happened."},
    {.title = NULL},
};

static const struct report_column function_table[] = {
    {"Device_id", "device_id", .doc = "The device."},
    {"Function", "CASE function WHEN '[unknown]' THEN 'unknown' ELSE function END", .doc = "The function."},
    {"Module", "module", .doc = "The program, library or kernel that it is in."},
    {"Cycles", "cycles", .doc = "Cycles that were counted while it ran."},
    {"Cycles(%)", "ratio(cycles, sum(cycles) OVER (PARTITION BY device_id)) * 100", FORM_SHORTEST, 3,
     .doc = "Its share in all."},
    {.title = NULL},
};

#define EVENTS(list)                                                                                                   \
    {                                                                                                                  \
        .where = CORES(list) " AND " ARM_EVENT_CHOSEN("event", "ai_ctrl_cpu_profiling_events"),                        \
        .group_by = "device_id, event", .order_by = "device_id, sum(count) DESC",                                      \
    }
#define FUNCTIONS(list)                                                                                                \
    {                                                                                                                  \
        .from = "(SELECT device_id, function, module, sum(count) AS cycles FROM cpu_sample WHERE " CORES(              \
            list) " AND event = " ARM_EVENT_CYCLES " GROUP BY device_id, function, module)",                           \
        .order_by = "device_id, cycles DESC",                                                                          \
    }

const struct record_kind kind_cpu_sample = {
    OWN_TABLE("cpu_sample"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Sample of a CPU",
    .doc = "An event counted on a CPU of a device, and the function that ran. Text of perf script.",
    .patterns = (const char *const[]){"ai_ctrl_cpu.data.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    /* perf script: a line for the sample, then one for each function on the stack, the innermost first. */
    LINES({"{*}[{core_id}] {stamp_us:6}: {count} {*}0x{event:x}:{*}", LINE_BLOCK},
          {" {*1} {function}+0x{*} ({module})", LINE_REPEAT}, {" {*1} {function} ({module})", LINE_REPEAT}),
    SEVERAL_SERIES(
        {
            .name = "ctrl_cpu_pmu_events",
            .title = "PMU events of the control CPU",
            .doc = "How often each event happened on the CPUs that control a device.",
            .query = EVENTS("ctrl_cpu"),
            .columns = event_table,
        },
        {
            .name = "ctrl_cpu_top_function",
            .title = "Functions on the control CPU",
            .doc = "Where the CPUs that control a device spent their cycles.",
            .query = FUNCTIONS("ctrl_cpu"),
            .columns = function_table,
        },
        {
            .name = "ai_cpu_pmu_events",
            .title = "PMU events of the AI CPU",
            .doc = "How often each event happened on the AI CPUs of a device.",
            .query = EVENTS("ai_cpu"),
            .columns = event_table,
        },
        {
            .name = "ai_cpu_top_function",
            .title = "Functions on the AI CPU",
            .doc = "Where the AI CPUs of a device spent their cycles.",
            .query = FUNCTIONS("ai_cpu"),
            .columns = function_table,
        }),
};
