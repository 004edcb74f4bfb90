/* SPDX-License-Identifier: Apache-2.0 */
#include "features/opprof/opprof_options.h"

#include "exporters/json_text.h"
#include "exporters/table/grid.h"

#define A2 "910B, 910_93"
#define ALL "310P, 910B, 910_93, 950"
#define A5 "950"

/* In the order of docs/formats/opprof.md. */
static const struct {
    const char *metrics, *files, *tables, *chips, *about;
} values[] = {
    {"BasicInfo", "OpBasicInfo.csv", "operator", ALL, "The operator alone: its duration, blocks and frequency."},
    {"Default", "all below up to ResourceConflictRatio", "all but instructions, lines", ALL,
     "Seven metrics at once; without --aic-metrics, too."},
    {"PipeUtilization", "PipeUtilization.csv", "pipes, blocks", ALL, "Time and share of each pipe."},
    {"ArithmeticUtilization", "ArithmeticUtilization.csv", "roofline", ALL, "Operations of the cube and vector units."},
    {"Memory", "Memory.csv", "memory, roofline", ALL, "Bytes and bandwidth of paths between memories."},
    {"MemoryL0", "MemoryL0.csv", "memory", ALL, "Bandwidth of the buffers L0A, L0B and L0C."},
    {"MemoryUB", "MemoryUB.csv", "memory", ALL, "Bandwidth of the unified buffer."},
    {"L2Cache", "L2Cache.csv", "l2", ALL, "Hits and misses of the L2 cache."},
    {"ResourceConflictRatio", "ResourceConflictRatio.csv", "pipes, conflicts", ALL,
     "Waits of pipes, conflicts of the vector unit."},
    {"MemoryDetail", "those of Default", "those of Default", A2,
     "Bandwidth of MTE1 and MTE2 while they are busy, as two more columns of PipeUtilization."},
    {"KernelScale", "those of Default", "those of Default", A2, "Default of a part of the kernel, between its marks."},
    {"Roofline", "those of Default", "those of Default", A2 ", 950",
     "A roofline for the viewer, in visualize_data.bin."},
    {"Occupancy", "visualize_data.bin", "none", A2 ", 950", "Load of the cores, for the viewer."},
    {"TimelineDetail", "simulator/", "instructions, lines; timeline", A2,
     "Instructions and lines of source, from a run in the simulator."},
    {"Source", "visualize_data.bin", "none", A2 ", 950", "Source beside instructions, for the viewer."},
    {"PipeTimeline", "trace.json", "timeline", A5, "Busy times of pipes on the device."},
    {"InstrTimeline", "trace.json", "timeline", A5, "Instructions on the device."},
    {"PcSampling", "visualize_data.bin", "none", A5, "Samples of the program counter, for the viewer."},
    {"PmSampling", "visualize_data.bin", "none", A5, "Counters over time, for the viewer."},
};

static const struct grid_column columns[] = {
    {.title = "--aic-metrics"},           {.title = "Files", .cut = true, .least_first = 1},
    {.title = "Tables", .cut = true},     {.title = "Chips"},
    {.title = "Brings", .goes_on = true},
};

int opprof_options_print(bool json, int width, bool ascii, FILE *stream, struct err *err)
{
    SCOPED(grid_release) struct grid grid = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
    struct json_out out = {.stream = stream};
    if (json)
        json_put_begin(&out, NULL, '[');
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const char *const cells[] = {values[i].metrics, values[i].files, values[i].tables, values[i].chips,
                                     values[i].about};
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
