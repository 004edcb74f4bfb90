/* SPDX-License-Identifier: Apache-2.0 */
#include "features/opprof/opprof_options.h"

#include "base/language.h"
#include "exporters/json_text.h"
#include "exporters/table/grid.h"

#include <string.h>

#define A2 "910B, 910_93"
#define ALL "310P, 910B, 910_93, 950"
#define A5 "950"

/* In the order of docs/formats/opprof.md. */
static const struct {
    const char *metrics, *files, *tables, *chips, *about;
} values[] = {
    {"BasicInfo", "OpBasicInfo.csv", "operator", ALL,
     LANGUAGE_MARK("The operator alone: its duration, blocks and frequency.")},
    {"Default", LANGUAGE_MARK("all below up to ResourceConflictRatio"), LANGUAGE_MARK("all but instructions, lines"),
     ALL, LANGUAGE_MARK("Seven metrics at once; without --aic-metrics, too.")},
    {"PipeUtilization", "PipeUtilization.csv", "pipes, blocks", ALL, LANGUAGE_MARK("Time and share of each pipe.")},
    {"ArithmeticUtilization", "ArithmeticUtilization.csv", "roofline", ALL,
     LANGUAGE_MARK("Operations of the cube and vector units.")},
    {"Memory", "Memory.csv", "memory, roofline", ALL, LANGUAGE_MARK("Bytes and bandwidth of paths between memories.")},
    {"MemoryL0", "MemoryL0.csv", "memory", ALL, LANGUAGE_MARK("Bandwidth of the buffers L0A, L0B and L0C.")},
    {"MemoryUB", "MemoryUB.csv", "memory", ALL, LANGUAGE_MARK("Bandwidth of the unified buffer.")},
    {"L2Cache", "L2Cache.csv", "l2", ALL, LANGUAGE_MARK("Hits and misses of the L2 cache.")},
    {"ResourceConflictRatio", "ResourceConflictRatio.csv", "pipes, conflicts", ALL,
     LANGUAGE_MARK("Waits of pipes, conflicts of the vector unit.")},
    {"MemoryDetail", LANGUAGE_MARK("those of Default"), LANGUAGE_MARK("those of Default"), A2,
     LANGUAGE_MARK("Bandwidth of MTE1 and MTE2 while they are busy, as two more columns of PipeUtilization.")},
    {"KernelScale", LANGUAGE_MARK("those of Default"), LANGUAGE_MARK("those of Default"), A2,
     LANGUAGE_MARK("Default of a part of the kernel, between its marks.")},
    {"Roofline", LANGUAGE_MARK("those of Default"), LANGUAGE_MARK("those of Default"), A2 ", 950",
     LANGUAGE_MARK("A roofline for the viewer, in visualize_data.bin.")},
    {"Occupancy", "visualize_data.bin", LANGUAGE_MARK("none"), A2 ", 950",
     LANGUAGE_MARK("Load of the cores, for the viewer.")},
    {"TimelineDetail", "simulator/", LANGUAGE_MARK("instructions, lines; timeline"), A2,
     LANGUAGE_MARK("Instructions and lines of source, from a run in the simulator.")},
    {"Source", "visualize_data.bin", LANGUAGE_MARK("none"), A2 ", 950",
     LANGUAGE_MARK("Source beside instructions, for the viewer.")},
    {"PipeTimeline", "trace.json", "timeline", A5, LANGUAGE_MARK("Busy times of pipes on the device.")},
    {"InstrTimeline", "trace.json", "timeline", A5, LANGUAGE_MARK("Instructions on the device.")},
    {"PcSampling", "visualize_data.bin", LANGUAGE_MARK("none"), A5,
     LANGUAGE_MARK("Samples of the program counter, for the viewer.")},
    {"PmSampling", "visualize_data.bin", LANGUAGE_MARK("none"), A5,
     LANGUAGE_MARK("Counters over time, for the viewer.")},
};

static const struct grid_column columns[] = {
    {.title = "--aic-metrics"},           {.title = "Files", .cut = true, .least_first = 1},
    {.title = "Tables", .cut = true},     {.title = "Chips"},
    {.title = "Brings", .goes_on = true},
};

/* Names of tables and files stand as they are: one of them may be a word of the catalogue, too. */
static const char *shown(const char *text)
{
    return strchr(text, ' ') != NULL || strcmp(text, "none") == 0 ? language_shown(text) : text;
}

int opprof_options_print(bool json, int width, bool ascii, FILE *stream, struct err *err)
{
    SCOPED(grid_release) struct grid grid = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
    struct json_out out = {.stream = stream};
    if (json)
        json_put_begin(&out, NULL, '[');
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const char *const cells[] = {values[i].metrics, shown(values[i].files), shown(values[i].tables),
                                     values[i].chips, language_shown(values[i].about)};
        if (json)
            json_put_object(&out, NULL, JSON_TEXT("brings", values[i].about), JSON_TEXT("chips", values[i].chips),
                            JSON_TEXT("files", values[i].files), JSON_TEXT("metrics", values[i].metrics),
                            JSON_TEXT("tables", values[i].tables));
        else if (grid_row(&grid, cells, err) < 0)
            return err_status(err);
    }
    if (json) {
        json_put_end(&out, ']');
        fputc('\n', stream);
    } else {
        grid_print(&grid, stream, GRID_TABLE, width, ascii);
    }
    return 0;
}
