/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about bytes, bandwidths, the L2 cache and conflicts. */
#include "features/opprof/rules/opprof_rule.h"

/* Vector cores that spend a fifth of their time in MTE2: less is not worth more bandwidth. */
#define MTE2_MATTERS "core <> 0 AND mte2_ps > 0.2 * core_ps"
/* Cube cores do not have the path, and the files of a 310P not its bytes. */
#define GM_TO_UB_KNOWN "SELECT 1 FROM opprof_memory WHERE gm_to_ub_bytes IS NOT NULL"
#define NO_GM_TO_UB "Memory.csv has no bytes from main memory to the unified buffer"

const struct rule rule_op_bandwidth = {
    .order = 2060,
    .id = "op-bandwidth",
    .rests_on =
        "PipeUtilization.csv and the peak that Memory.csv has its usage of, where MTE2 takes over 20 % of the time",
    .formula = "1 - bandwidth from main memory to the unified buffer while MTE2 is busy / peak",
    .advice = "Copy more bytes at once, aligned to 512 bytes, and avoid strides.",
    .threshold = 20,
    OPPROF_RULE(
            .tables = {"opprof_pipe", "opprof_memory"}, .metrics = {"PipeUtilization", "Memory"},
            .known = GM_TO_UB_KNOWN, .lacks = NO_GM_TO_UB,
            .sql = RULE_PIPES
            ", y AS (SELECT x.*, p.bytes / 1073741824.0 / (mte2_ps * cores) * 1e12 AS done, p.peak AS peak FROM x"
            " JOIN opprof_path_row p USING(launch_id, core) WHERE p.path = 'GM to UB' AND p.peak > 0 AND " MTE2_MATTERS
            ") SELECT 100.0 * (1 - done / peak), mte2_ps * (1 - done / peak), " RULE_WHOLE ", 'MTE2 moves ' ||"
            " round(done, 1) || ' GB/s a core while it is busy, ' || " RULE_PERCENT(
                "100.0 * done / peak") " || ' of the peak of ' || round(peak) || '.', 'GM to UB' || " RULE_LAUNCH
                                       ", mte2_ps, 100.0 * done / peak, cores FROM y x ORDER BY 1 DESC LIMIT 5"),
};

const struct rule rule_op_small_transfers = {
    .order = 2070,
    .id = "op-small-transfers",
    .rests_on = "Memory.csv and PipeUtilization.csv, where MTE2 takes over 20 % of the time",
    .formula = "1 - bytes from main memory to the unified buffer / MTE2 instructions / 16 KiB",
    .advice = "Copy at least 16 KiB with an instruction: larger tiles, or several rows at once.",
    .threshold = 50,
    OPPROF_RULE(.tables = {"opprof_memory", "opprof_pipe"}, .metrics = {"Memory", "PipeUtilization"},
                .known = GM_TO_UB_KNOWN, .lacks = NO_GM_TO_UB,
                .sql = RULE_PIPES
                ", y AS (SELECT x.*, 1.0 * bytes / instructions AS size, instructions AS n FROM x JOIN opprof_transfer"
                " USING(launch_id, core) WHERE " MTE2_MATTERS
                " AND instructions > 0) SELECT 100.0 * (1 - size / 16384), mte2_ps * (1 - size / "
                "16384), " RULE_WHOLE ", 'An instruction of MTE2 moves ' || round(size) || ' bytes.', " RULE_CORE
                " || ' MTE2' || " RULE_LAUNCH ", mte2_ps, 100.0 * size / 16384, n FROM y x ORDER BY 1 DESC LIMIT 5"),
};

const struct rule rule_op_l2 = {
    .order = 2080,
    .id = "op-l2",
    .rests_on = "L2Cache.csv, where reads miss at least 64 KiB in lines of 128 bytes; the time at stake is that of MTE2"
                " in PipeUtilization.csv, or without it all time of the cores",
    .formula = "misses of reads / reads",
    .advice = "Data that is read once misses in any case; else let blocks work on the same data at the same time.",
    .threshold = 50,
    OPPROF_RULE(
            .tables = {"opprof_l2"}, .metrics = {"L2Cache"},
            .known = "SELECT 1 FROM opprof_l2 WHERE coalesce(r0_read_cache_hit, read_close_hit) IS NOT NULL",
            .lacks = "L2Cache.csv has no counts of reads",
            .sql = "WITH x AS (SELECT launch_id, core, sum(misses) AS misses, sum(hits) AS hits FROM opprof_request_row"
                   " WHERE kind IN ('read', 'read, close half', 'read, far half') GROUP BY launch_id, core HAVING"
                   " sum(misses) >= 512), y AS (SELECT x.*, coalesce((SELECT avg(mte2_time_ps) FROM opprof_pipe q"
                   " WHERE q.launch_id = x.launch_id AND q.core = x.core), (SELECT avg(time_ps) FROM opprof_block b"
                   " WHERE b.launch_id = x.launch_id AND b.core = x.core)) AS mte2_ps FROM x) SELECT 100.0 * misses /"
                   " (hits + misses), coalesce(mte2_ps, 0) * misses / (hits + misses), " RULE_WHOLE ", 'Reads of the"
                   " ' || " RULE_CORE " || ' cores miss the L2 cache in ' || " RULE_PERCENT(
                       "100.0 * misses / (hits + misses)") " || ' of ' || (hits + misses) || ' requests.', " RULE_CORE
                                                           " || ' reads' || " RULE_LAUNCH
                                                           ", coalesce(mte2_ps, 0), 100.0 * hits / (hits + misses), "
                                                           "hits + "
                                                           "misses FROM y x ORDER BY 1 DESC LIMIT 5"),
};

const struct rule rule_op_conflicts = {
    .order = 2110,
    .id = "op-bank-conflicts",
    .rests_on = "ResourceConflictRatio.csv",
    .formula = "mean share of the time in which the vector unit had conflicts",
    .advice = "Put operands of one instruction into different banks and bank groups of the unified buffer, by an "
              "offset of 32 bytes.",
    .threshold = 5,
    OPPROF_RULE(.tables = {"opprof_conflict"}, .metrics = {"ResourceConflictRatio"},
                .known = "SELECT 1 FROM opprof_conflict WHERE vec_total_cflt_ratio IS NOT NULL",
                .lacks = "ResourceConflictRatio.csv has no sum of the vector unit's conflicts",
                .sql = "WITH x AS (SELECT launch_id, core, max(mean) AS mean FROM opprof_conflict_row WHERE conflict ="
                       " 'all' GROUP BY launch_id, core), y AS (SELECT x.*, r.conflict, r.mean AS part, r.blocks FROM x"
                       " JOIN opprof_conflict_row r USING(launch_id, core) WHERE r.conflict <> 'all') SELECT mean, mean"
                       " / 100 * " RULE_WHOLE ", " RULE_WHOLE ", 'The vector unit has conflicts in ' || " RULE_PERCENT(
                           "mean") " || ' of the time.', conflict || " RULE_LAUNCH ", part / 100 * " RULE_WHOLE
                                   ", part, blocks FROM y x ORDER BY 1 DESC, part DESC LIMIT 5"),
};
