/* SPDX-License-Identifier: Apache-2.0 */
/* The operator of each launch. */
#include "features/opprof/reports/opprof_sql.h"

static const struct report_column columns[] = {
    LAUNCH_SHOWN,
    {"Op Name", "op_name", .doc = "Name of the kernel."},
    {"Op Type", "op_type", .doc = "Cores that it runs on: vector, cube or mix."},
    {"Task Duration(us)", "duration_ps", FORM_SCALED, 6, .doc = "Duration of the task, as the scheduler measured it."},
    {"Longest Block(us)", "longest", FORM_SCALED, 6, .doc = "Time of the core that was busy longest with a block."},
    {"Block Dim", "block_dim", .doc = "Blocks; for a mixed kernel the blocks on cube cores.", .flags = REPORT_NUMBER},
    {"Mix Block Dim", "mix_block_dim", .doc = "Blocks of vector cores of a mixed kernel.", .flags = REPORT_NUMBER},
    {"Rows", "rows", .doc = "Blocks and cores that the tables have.", .flags = REPORT_NUMBER},
    {"Current Freq(MHz)", "current_mhz", .doc = "Frequency of the cores while it ran.", .flags = REPORT_NUMBER},
    {"Rated Freq(MHz)", "rated_mhz", .doc = "Frequency that the cores are rated for.", .flags = REPORT_NUMBER},
    {"Of Rated(%)", "100.0 * current_mhz / nullif(rated_mhz, 0)", FORM_SHORTEST, 3,
     .doc = "The current frequency by the rated one."},
    {"Device Id", "device_id", .doc = "The device.", .flags = REPORT_NUMBER},
    {.title = NULL},
};

const struct report report_opprof_operator = {
    .name = "operator",
    .title = "Operator",
    .doc = "The operator of each launch: its duration, its blocks and the frequency of the cores.",
    .families = FAMILY_OPPROF,
    .shown_only = true,
    .open = opprof_open,
    .is_short = true,
    .needs = "OpBasicInfo.csv or a metric file, which 'msprof op' writes on a device",
    .show_order = 1,
    .query = {.with = "r AS (SELECT launch_id, count(*) AS rows, max(time_ps) AS longest FROM opprof_block GROUP BY "
                      "launch_id), l AS (SELECT launch_id FROM opprof_operator UNION SELECT launch_id FROM r)",
              .from = "l LEFT JOIN opprof_operator o USING(launch_id) LEFT JOIN r USING(launch_id)",
              .order_by = "launch_id"},
    .columns = columns,
};
