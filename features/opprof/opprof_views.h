/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metric files as narrow views of the open database: a row for each launch, kind of core and pipe, path, request or
 * conflict that any block has a value of, in the order of n.
 *
 *     opprof_pipe_row      pipe, state, blocks, time_ps, core_ps, mean_us, longest_ps, mean_ratio, ratio, bandwidth
 *     opprof_path_row      path, blocks, bytes, mean, whole, mean_usage, usage, peak (GB/s are 2^30 bytes a second)
 *     opprof_request_row   kind, blocks, hits, misses, mean
 *     opprof_conflict_row  conflict, blocks, mean, ratio, block_id (one that has the ratio)
 *     opprof_block         block_id, sub_core, time_ps, total_cycles: blocks by the first metric file of each launch;
 *                          and the ratios of their pipes where that is PipeUtilization.csv
 *     opprof_core_mean     cores, core_ps, cube_ps, vec_ps, ... fixpipe_ps, icache: means of all cores of a kind, by
 *                          PipeUtilization.csv
 *     opprof_transfer      bytes, instructions, blocks: of MTE2 from main memory to the unified buffer
 *     opprof_work          cores, ops, vector_rate (operations a busy cycle), mhz, duration_ps
 *
 * Ratios are in millionths, means of them in percent.
 */
#ifndef MSPROF_FEATURES_OPPROF_OPPROF_VIEWS_H
#define MSPROF_FEATURES_OPPROF_OPPROF_VIEWS_H

#include "db/database.h"

/* Makes the views that the SQL names and that the connection has not yet, as temporary tables. */
int opprof_views_make(sqlite3 *db, const char *sql, struct err *err);

#endif
