/* SPDX-License-Identifier: Apache-2.0 */
/* Operations under the roofs of paths of memory. */
#include "features/opprof/reports/opprof_sql.h"

/*
 * Operations of all blocks over the bytes of a path. The roof of the work is what the cores in use would do if the unit
 * were busy all the time: 8192 operations a cycle of the cube unit, of the vector unit as many a busy cycle as it did
 * here. The roof of the path is the peak that the file's shares are of, times the cores in use.
 */
#define POINTS                                                                                                         \
    "f AS (SELECT p.*, w.ops, 1.0 * w.ops / p.bytes AS intensity, w.ops * 1e3 / w.duration_ps AS done, CASE p.core"    \
    " WHEN 0 THEN 8192.0 ELSE w.vector_rate END * w.cores * w.mhz / 1e3 AS work_roof, p.peak * p.blocks * " GIB        \
    " / 1e9 * w.ops / p.bytes AS path_roof FROM opprof_path_row p JOIN opprof_work w USING(launch_id, core) WHERE "    \
    "w.ops > 0 AND"                                                                                                    \
    " p.bytes > 0)"

static const struct report_column columns[] = {
    LAUNCH_SHOWN,
    CORE_SHOWN,
    {"Path", "path", .doc = "The path."},
    {"Operations", "ops", .doc = "Operations of all blocks: cube_fops and vec_fops.", .flags = REPORT_NUMBER},
    {"Bytes", "bytes", .doc = "Bytes of all blocks on the path.", .flags = REPORT_NUMBER, .unit = UNIT_BYTE},
    {"Intensity(OP/B)", "intensity", FORM_SHORTEST, 6, .doc = "Operations a byte.", .id = "intensity"},
    {"Done(GOP/s)", "done", FORM_SHORTEST, 6, .doc = "Operations by the duration of the task.", .id = "done"},
    {"Work Roof(GOP/s)", "work_roof", FORM_SHORTEST, 3,
     .doc = "Peak of the cores in use: 8192 operations per cycle of a cube core; for a vector core the rate of its "
            "busy cycles.",
     .id = "work_roof"},
    {"Path Roof(GOP/s)", "path_roof", FORM_SHORTEST, 3,
     .doc = "Intensity times the peak of the path for the cores in use; N/A if the files lack the peak.",
     .id = "path_roof"},
    {"Of Roof(%)", "100.0 * done / nullif(min(work_roof, coalesce(path_roof, work_roof)), 0)", FORM_SHORTEST, 3,
     .doc = "Share of the lower roof that was reached."},
    {"Bound",
     "CASE WHEN path_roof IS NULL OR work_roof IS NULL THEN NULL WHEN path_roof < work_roof THEN 'path' ELSE 'work' "
     "END",
     .doc = "The lower roof."},
    {.title = NULL},
};

const struct report report_opprof_roofline = {
    .name = "roofline",
    .title = "Roofline",
    .doc = "Operations of the cores by the bytes of each path, under the roofs of the work and of the path.",
    .families = FAMILY_OPPROF,
    .shown_only = true,
    .open = opprof_open,
    .is_short = true,
    .needs = "operations and bytes: --aic-metrics=ArithmeticUtilization,Memory",
    .query = {.with = POINTS, .from = "f", .order_by = "launch_id, core, n"},
    .columns = columns,
};
