/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about the pipes of the cores. */
#include "features/opprof/rules/opprof_rule.h"

/* A pipe of x as a row: its share of the time of the cores. */
#define PIPE(pipe, column) "SELECT launch_id, core, cores, core_ps, '" pipe "' AS pipe, " column " AS ps FROM x"

/* clang-format off */
static const char bound_sql[] =
    RULE_PIPES ", y AS (" PIPE("cube", "cube_ps")
    " UNION ALL " PIPE("vector", "vec_ps")
    " UNION ALL " PIPE("MTE1", "mte1_ps")
    " UNION ALL " PIPE("MTE2", "mte2_ps")
    " UNION ALL " PIPE("MTE3", "mte3_ps")
    " UNION ALL " PIPE("fixpipe", "fixpipe_ps") ")"
    " SELECT 100.0 * ps / core_ps, ps, " RULE_WHOLE ", 'The ' || " RULE_CORE " || ' cores are bound by ' || pipe ||"
    " ', which is busy in ' || " RULE_PERCENT("100.0 * ps / core_ps") " || ' of their time.', " RULE_CORE
    " || ' ' || pipe || " RULE_LAUNCH ", ps, 100.0 * ps / core_ps, cores FROM y x WHERE core_ps > 0"
    " ORDER BY 1 DESC LIMIT 5";

static const char scalar_sql[] =
    RULE_PIPES " SELECT 100.0 * scalar_ps / core_ps, scalar_ps, " RULE_WHOLE ", 'The scalar unit of the ' || " RULE_CORE
    " || ' cores is busy in ' || " RULE_PERCENT("100.0 * scalar_ps / core_ps") " || ' of their time.', " RULE_CORE
    " || ' scalar' || " RULE_LAUNCH ", scalar_ps, 100.0 * scalar_ps / core_ps, cores FROM x WHERE core_ps > 0"
    " ORDER BY 1 DESC LIMIT 5";

/* The longest of the three would hide the others. Where they already overlap their sum is beyond the cores' time. */
#define SUM "(mte2_ps + vec_ps + mte3_ps)"
#define LONGEST "max(mte2_ps, vec_ps, mte3_ps)"
#define SAVED "(min(" SUM ", core_ps) - " LONGEST ")"
static const char double_buffer_sql[] =
    RULE_PIPES " SELECT 100.0 * " SAVED " / core_ps, " SAVED ", " RULE_WHOLE ", 'MTE2 (' || "
    RULE_PERCENT("100.0 * mte2_ps / core_ps") " || '), vector (' || " RULE_PERCENT("100.0 * vec_ps / core_ps")
    " || ') and MTE3 (' || " RULE_PERCENT("100.0 * mte3_ps / core_ps") " || ') leave room to overlap: up to ' || "
    RULE_US(SAVED) " || ' a core.', 'vector cores' || " RULE_LAUNCH ", " SAVED ", 100.0 * " SAVED " / core_ps, cores"
    " FROM x WHERE core <> 0 AND core_ps > 0 AND vec_ps > 0 AND " LONGEST " < 0.8 * core_ps ORDER BY 1 DESC LIMIT 5";

static const char icache_sql[] =
    RULE_PIPES " SELECT icache / 1e4, icache / 1e6 * scalar_ps, " RULE_WHOLE ", 'The instruction caches of the ' || "
    RULE_CORE " || ' cores miss ' || " RULE_PERCENT("icache / 1e4") " || ' of their requests.', " RULE_CORE
    " || ' cores' || " RULE_LAUNCH ", scalar_ps, icache / 1e4, cores FROM x WHERE icache IS NOT NULL AND " RULE_WHOLE
    " >= 20000000 ORDER BY 1 DESC LIMIT 5";
/* clang-format on */

const struct rule rule_op_bound = {
    .order = 2030,
    .id = "op-bound",
    .rests_on = "PipeUtilization.csv",
    .formula = "time of the busiest pipe / time of the cores",
    .advice = "Reduce the work of this pipe first: nothing else makes the operator faster.",
    .threshold = 80,
    OPPROF_RULE(.tables = {"opprof_pipe"}, .metrics = {"PipeUtilization"}, .sql = bound_sql),
};

const struct rule rule_op_scalar = {
    .order = 2040,
    .id = "op-scalar",
    .rests_on = "PipeUtilization.csv",
    .formula = "time of the scalar unit / time of the cores",
    .advice = "Move address arithmetic and branches out of the inner loop, and use larger repeats.",
    .threshold = 50,
    OPPROF_RULE(.tables = {"opprof_pipe"}, .metrics = {"PipeUtilization"}, .sql = scalar_sql),
};

const struct rule rule_op_double_buffer = {
    .order = 2050,
    .id = "op-double-buffer",
    .rests_on = "PipeUtilization.csv",
    .formula =
        "(MTE2 + vector + MTE3 - the longest of them) / time of the vector cores, where the longest takes under 80 %",
    .advice = "Copy the next tile while this one is computed: two buffers a queue (BUFFER_NUM = 2).",
    .threshold = 25,
    OPPROF_RULE(.tables = {"opprof_pipe"}, .metrics = {"PipeUtilization"}, .sql = double_buffer_sql),
};

const struct rule rule_op_icache = {
    .order = 2090,
    .id = "op-icache",
    .rests_on =
        "icache_miss_rate of PipeUtilization.csv, and tasks of at least 20 us: in shorter ones every first pass misses",
    .formula = "misses of the instruction cache / its requests",
    .advice = "Reduce the size of the kernel's code: fewer unrolled loops and template variants in one path.",
    .threshold = 10,
    OPPROF_RULE(.tables = {"opprof_pipe"}, .metrics = {"PipeUtilization"},
                .known = "SELECT 1 FROM opprof_pipe WHERE icache_miss_rate IS NOT NULL",
                .lacks = "PipeUtilization.csv has no misses of the instruction cache", .sql = icache_sql),
};
