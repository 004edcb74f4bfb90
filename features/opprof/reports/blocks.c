/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks on their cores. */
#include "features/opprof/reports/opprof_sql.h"

static const struct report_column columns[] = {
    LAUNCH_SHOWN,
    {"Block", "block_id", .doc = "The block.", .flags = REPORT_NUMBER},
    {"Core", SUB_BLOCK, .doc = "The core of the block: cube0, vector0, vector1."},
    {"Time(us)", "time_ps", FORM_SCALED, 6, .doc = "Busy time of the core with the block."},
    {"Cycles", "total_cycles", .doc = "Cycles of the core.", .flags = REPORT_NUMBER},
    {"Off Mean(%)", "100.0 * (time_ps / mean_ps - 1)", FORM_SHORTEST, 3,
     .doc = "Its time by the mean of the cores of its kind, less 100 %."},
    {"Cube(%)", "cube_ratio", FORM_SCALED, 4, .doc = "Utilisation of the cube unit according to the file."},
    {"Vector(%)", "vec_ratio", FORM_SCALED, 4, .doc = "Utilisation of the vector unit according to the file."},
    {"Scalar(%)", "scalar_ratio", FORM_SCALED, 4, .doc = "Utilisation of the scalar unit according to the file."},
    {"MTE1(%)", "mte1_ratio", FORM_SCALED, 4, .doc = "Utilisation of MTE1 according to the file."},
    {"MTE2(%)", "mte2_ratio", FORM_SCALED, 4, .doc = "Utilisation of MTE2 according to the file."},
    {"MTE3(%)", "mte3_ratio", FORM_SCALED, 4, .doc = "Utilisation of MTE3 according to the file."},
    {"Fixpipe(%)", "fixpipe_ratio", FORM_SCALED, 4, .doc = "Utilisation of Fixpipe according to the file."},
    {"Icache Miss(%)", "icache_miss_rate", FORM_SCALED, 4, .doc = "Requests to the instruction cache that missed.",
     .flags = REPORT_NO_TERMINAL},
    {.title = NULL},
};

const struct report report_opprof_blocks = {
    .name = "blocks",
    .title = "Blocks",
    .doc = "Time of each block on each of its cores, its difference from the mean, and the utilisation of the pipes.",
    .families = FAMILY_OPPROF,
    .shown_only = true,
    .open = opprof_open,
    .needs = "a metric file",
    .query = {.with =
                  "m AS (SELECT launch_id, core, avg(time_ps) AS mean_ps FROM opprof_block GROUP BY launch_id, core)",
              .from = "opprof_block LEFT JOIN m USING(launch_id, core)",
              .order_by = "launch_id, block_id, core, sub_core"},
    .columns = columns,
};
