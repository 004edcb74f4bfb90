/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about how blocks are spread over cores, and the cores' frequency. */
#include "features/opprof/rules/opprof_rule.h"

const struct rule rule_op_imbalance = {
    .order = 2010,
    .id = "op-imbalance",
    .rests_on = "the times of all blocks in any metric file",
    .formula = "longest time of a core / mean of the cores of its kind - 1",
    .advice = "Balance the blocks: the task ends with its longest block.",
    .threshold = 10,
    OPPROF_RULE(.tables = {"opprof_block"}, .metrics = {"PipeUtilization"},
                .sql = "WITH m AS (SELECT launch_id, core, avg(time_ps) AS mean, count(*) AS n FROM opprof_block GROUP"
                       " BY launch_id, core) SELECT 100.0 * (time_ps / mean - 1), time_ps - mean, " RULE_WHOLE
                       ", 'Block ' || block_id || ' takes ' || " RULE_US(
                           "time_ps") " || ' on ' || " RULE_CORE
                                      " || sub_core || ', the mean of ' || n || ' cores is ' || " RULE_US(
                                          "mean") " || '.', 'block ' ||"
                                                  " block_id || ' ' || " RULE_CORE " || sub_core || " RULE_LAUNCH
                                                  ", time_ps, 100.0 * time_ps / mean, 1 FROM opprof_block x JOIN m "
                                                  "USING(launch_id, core) WHERE n"
                                                  " > 1 AND mean > 0 ORDER BY 1 DESC LIMIT 5"),
};

/* Operators with the kinds of cores of a 910B. The 950 has them, too, and more of them: its columns are others. */
#define OF_910B                                                                                                        \
    "opprof_operator o WHERE op_type IN ('cube', 'vector', 'mix') AND NOT EXISTS (SELECT 1 FROM opprof_l2 c WHERE"     \
    " c.launch_id = o.launch_id AND read_close_hit IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM opprof_conflict c"       \
    " WHERE c.launch_id = o.launch_id AND vec_ldu_cflt_ratio IS NOT NULL)"

/* Cores of chips: 20 or 24 cube cores, twice as many vector cores. A wave that is short for both is reported. */
#define IDLE(cores) "1 - 1.0 * n / ((n + " cores " - 1) / " cores " * " cores ")"

const struct rule rule_op_tail_wave = {
    .order = 2020,
    .id = "op-tail-wave",
    .rests_on =
        "the number of blocks, and 20 or 24 cube cores and twice as many vector cores, as chips of the 910B have",
    .formula = "cores without a block in the last wave / cores of all waves",
    .advice = "Make the number of blocks a multiple of the cores, or at most as many, each with a loop over its part.",
    .threshold = 10,
    OPPROF_RULE(.tables = {"opprof_operator"}, .known = "SELECT 1 FROM " OF_910B,
                .lacks = "neither the files nor their columns tell how many cores the chip has",
                .sql = "WITH x AS (SELECT launch_id, 0 AS core, block_dim AS n, 20 AS a, 24 AS b FROM " OF_910B
                       " AND op_type <> 'vector' UNION ALL SELECT launch_id, 1, CASE op_type WHEN 'mix' THEN"
                       " mix_block_dim ELSE block_dim END, 40, 48 FROM " OF_910B
                       " AND op_type <> 'cube'), y AS (SELECT *, min(" IDLE("a") ", " IDLE(
                           "b") ") AS idle FROM x WHERE n > b) SELECT"
                                " 100 * idle, idle * " RULE_WHOLE ", " RULE_WHOLE ", n || ' blocks on ' || " RULE_CORE
                                " || ' cores leave at least ' || " RULE_PERCENT(
                                    "100 * idle") " || ' of the cores'' time idle in the last wave.', " RULE_CORE
                                                  " || ' cores' || " RULE_LAUNCH ", idle * " RULE_WHOLE
                                                  ", 100 * idle, n FROM y x ORDER BY 1 DESC LIMIT 5"),
};

const struct rule rule_op_frequency = {
    .order = 2100,
    .id = "op-frequency",
    .rests_on = "the frequencies in OpBasicInfo.csv",
    .formula = "1 - current frequency / rated frequency",
    .advice = "Measure again on a cool, idle device: the cores were throttled, which extends all times.",
    .threshold = 4.9,
    OPPROF_RULE(.tables = {"opprof_operator"},
                .known = "SELECT 1 FROM opprof_operator WHERE rated_mhz > 0 AND current_mhz > 0",
                .lacks = "OpBasicInfo.csv has no frequency while the operator ran, or none that it is rated for",
                .sql = "SELECT 100.0 * (1 - 1.0 * current_mhz / rated_mhz), duration_ps * (1 - 1.0 * current_mhz /"
                       " rated_mhz), duration_ps, 'The cores ran at ' || current_mhz || ' MHz of ' || rated_mhz ||"
                       " '.', op_name || " RULE_LAUNCH ", duration_ps, 100.0 * current_mhz / rated_mhz, 1 FROM"
                       " opprof_operator WHERE rated_mhz > 0 AND current_mhz > 0 ORDER BY 1 DESC LIMIT 5"),
};
