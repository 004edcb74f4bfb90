/* SPDX-License-Identifier: Apache-2.0 */
/* Work and data of operators under the roofs of the chip. Only what shapes prove, or counters measured, is reported. */
#include "exporters/table/report.h"
#include "features/answers/load/load.h"

#include <math.h>

struct shown {
    struct roofline_row of;
    double work, kib, intensity, throughput, gb_s, share; /* share: of 10000; NAN: no roof is known */
    const char *roof;
};

#define ROOFS                                                                                                          \
    {"Roof share(%)", SHOWN(share), FORM_SCALED, 2,                                                                    \
     .doc = "Throughput relative to the lower known roof at this intensity."},                                         \
    {                                                                                                                  \
        "Roof", SHOWN(roof), .doc = "The lower roof: work or memory."                                                  \
    }

static const struct report_column columns[] = {
    {"Total(us)", SHOWN(of.total_ns), FORM_SCALED, 3, .doc = "The time of all executions."},
    {"Count", SHOWN(of.count), .flags = REPORT_NUMBER, .doc = "Number of executions."},
    {"Work(MFLOP)", SHOWN(work), FORM_SHORTEST, 3, .doc = "Work of one execution: 2 M N K, of each matrix of a batch."},
    {"Data(KiB)", SHOWN(kib), FORM_SHORTEST, 3,
     .doc = "Inputs and output as they are stored, each moved once: no execution moves less."},
    {"Intensity(FLOP/B)", SHOWN(intensity), FORM_SHORTEST, 3, .id = "intensity", .doc = "The work by the data."},
    {"Throughput(GFLOP/s)", SHOWN(throughput), FORM_SHORTEST, 3, .id = "throughput",
     .doc = "The work by the mean time."},
    {"Traffic(GB/s)", SHOWN(gb_s), FORM_SHORTEST, 3, .id = "traffic", .doc = "The data by the mean time."},
    ROOFS,
    {"Type", SHOWN(of.type), .doc = "The type of the operator."},
    {"Input Shapes", SHOWN(of.inputs), .doc = "Shapes of its inputs."},
    {"Input Data Types", SHOWN(of.types), .flags = REPORT_NARROW, .doc = "Their data types."},
    {"Input Formats", SHOWN(of.formats), .flags = REPORT_NARROW, .doc = "Their formats."},
    {"Output Shapes", SHOWN(of.output), .flags = REPORT_NARROW, .doc = "Shape of its output."},
    {"Output Formats", SHOWN(of.output_formats), .flags = REPORT_NARROW, .doc = "Its format."},
    {.title = NULL},
};

struct putting {
    struct report_run *run;
    struct roofline roofline;
};

static int put_row(void *arg, const struct roofline_row *row, struct err *err)
{
    const struct putting *putting = arg;
    double throughput = roofline_throughput(row), intensity = roofline_intensity(row);
    struct shown shown = {
        .of = *row,
        .work = row->work / 1e6,
        .kib = row->bytes / 1024,
        .intensity = intensity,
        .throughput = throughput,
        .gb_s = row->bytes * (double)row->count / row->total_ns,
    };
    double roof = roofline_at(&putting->roofline, intensity, &shown.roof);

    shown.share = roof > 0 ? throughput / roof * 1e4 : NAN;
    return report_put(putting->run, &shown, err);
}

static int put_operators(struct report_run *run, const struct workload *workload, struct err *err)
{
    const struct roofs none = {0}, *roofs = run->session->options->roofs;
    struct putting putting = {run, roofline_of(&workload->facts, roofs != NULL ? roofs : &none)};

    return roofline_each(run->session->db, workload, put_row, &putting, err);
}

/* Shapes stand in the database: no workload is needed. */
static int put_shapes(struct report_run *run, struct err *err)
{
    return put_operators(run, &(const struct workload){.execution_count = 0}, err);
}

const struct report report_roofline = {
    .name = "roofline",
    .title = "Products of matrices by work and data",
    .doc = "Roofline of matrix products with matching shapes: operations, minimal data traffic, their ratio "
           "(arithmetic intensity), and both per second, the largest total first. A matrix in FRACTAL_NZ is unfolded; "
           "if its blocks are padded, the size comes from a matrix in a plain format (ND, NCHW and the like) beside "
           "it. Products with other formats are left out. The roofs are --peak-flops and --peak-bandwidth, because a "
           "capture does not record them.",
    .needs = "products of matrices whose shapes are recorded, in plain formats or FRACTAL_NZ, and agree",
    .families = FAMILY_OF(CAPTURE_CANN) | FAMILY_OF(CAPTURE_2022) | FAMILY_OF(CAPTURE_JOB),
    .shown_only = true,
    .windowed = true,
    .columns = columns,
    .rows = put_shapes,
};

static const struct report_column board_columns[] = {
    {"Total(us)", SHOWN(of.total_ns), FORM_SCALED, 3, .doc = "The time of all executions."},
    {"Count", SHOWN(of.count), .flags = REPORT_NUMBER, .doc = "Number of executions."},
    {"Work(Mcycle)", SHOWN(work), FORM_SHORTEST, 3, .id = "work", .doc = "Busy cycles of the MACs per execution."},
    {"Data(KiB)", SHOWN(kib), FORM_SHORTEST, 3, .doc = "Bytes that it read from DDR memory and wrote there."},
    {"Intensity(cycle/B)", SHOWN(intensity), FORM_SHORTEST, 6, .id = "intensity", .doc = "The work by the data."},
    {"Throughput(Gcycle/s)", SHOWN(throughput), FORM_SHORTEST, 6, .id = "throughput",
     .doc = "The work by the mean time."},
    {"Traffic(GB/s)", SHOWN(gb_s), FORM_SHORTEST, 3, .id = "traffic", .doc = "The data by the mean time."},
    ROOFS,
    {"Type", SHOWN(of.type), .doc = "The type of the operator."},
    {"Name", SHOWN(of.name), .doc = "The operator."},
    {.title = NULL},
};

const struct report report_roofline_svp = {
    .name = "roofline",
    .title = "Operators by work and data",
    .doc = "Roofline of a board's operators from its counters: busy cycles of the MACs, bytes of DDR memory, their "
           "ratio, and both per second, the largest total first. The roof of work is the clock of the cores, the roof "
           "of memory --peak-bandwidth.",
    .needs = "operators whose cycles and bytes were counted, and the clock",
    .families = FAMILY_OF(CAPTURE_SVP),
    .shown_only = true,
    .columns = board_columns,
    .of_workload = put_operators,
    .counters = true,
};
