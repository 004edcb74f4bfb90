/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks on their cores. */
#include "features/opprof/reports/opprof_sql.h"

static const struct report_column columns[] = {
    LAUNCH_SHOWN,
    {"Block", "block_id", .doc = "The block.", .flags = REPORT_NUMBER},
    {"Core", SUB_BLOCK, .doc = "The core of the block: cube0, vector0, vector1."},
    {"Time(us)", "time_ps", FORM_SCALED, 6, .doc = "How long the core was busy with the block."},
    {"Cycles", "total_cycles", .doc = "Cycles of the core.", .flags = REPORT_NUMBER},
    {"Off Mean(%)", "100.0 * (time_ps / mean_ps - 1)", FORM_SHORTEST, 3,
     .doc = "Its time by the mean of the cores of its kind, less 100 %."},
    {"Cube(%)", "cube_ratio", FORM_SCALED, 4, .doc = "Share of the time that the file gives the cube unit."},
    {"Vector(%)", "vec_ratio", FORM_SCALED, 4, .doc = "Share of the time that the file gives the vector unit."},
    {"Scalar(%)", "scalar_ratio", FORM_SCALED, 4, .doc = "Share of the time that the file gives the scalar unit."},
    {"MTE1(%)", "mte1_ratio", FORM_SCALED, 4, .doc = "Share of the time that the file gives MTE1."},
    {"MTE2(%)", "mte2_ratio", FORM_SCALED, 4, .doc = "Share of the time that the file gives MTE2."},
    {"MTE3(%)", "mte3_ratio", FORM_SCALED, 4, .doc = "Share of the time that the file gives MTE3."},
    {"Fixpipe(%)", "fixpipe_ratio", FORM_SCALED, 4, .doc = "Share of the time that the file gives Fixpipe."},
    {"Icache Miss(%)", "icache_miss_rate", FORM_SCALED, 4, .doc = "Requests to the instruction cache that missed.",
     .flags = REPORT_NO_TERMINAL},
    {.title = NULL},
};

const struct report report_opprof_blocks = {
    .name = "blocks",
    .title = "Blocks",
    .doc = "Each block on each of its cores: how long it took, by how much that is off the mean, and how busy the "
           "pipes were.",
    .families = FAMILY_OPPROF,
    .shown_only = true,
    .open = opprof_open,
    .needs = "a metric file",
    .query =
        {.with = "m AS (SELECT launch_id, core, avg(time_ps) AS mean_ps FROM opprof_block GROUP BY launch_id, core)",
         .from =
             "opprof_block b JOIN m USING(launch_id, core) LEFT JOIN (SELECT launch_id AS l, block_id AS k, core AS c,"
             " sub_core AS s, cube_ratio, vec_ratio, scalar_ratio, mte1_ratio, mte2_ratio, mte3_ratio,"
             " fixpipe_ratio, icache_miss_rate FROM opprof_pipe) ON l = launch_id AND k IS block_id AND c = core AND"
             " s IS sub_core",
         .order_by = "launch_id, block_id, core, sub_core"},
    .columns = columns,
};
