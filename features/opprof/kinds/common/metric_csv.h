/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One reader for the metric files of 'msprof op': a row for each block and core, columns taken by their names.
 *
 * Cube cores and vector cores share one column here: aic_mte2_ratio and aiv_mte2_ratio are mte2_ratio, and the column
 * "core" has the kind of core. The unit in brackets is no part of a name. Numbers are exact: those with
 * decimals are millionths.
 *
 *     #define METRICS(METRIC) METRIC("cube_ratio", "cube_ratio", MILLIONTHS, "Cube ratio", "Share ...")
 *     METRIC_KIND(opprof_pipe, "PipeUtilization", "Pipes of a block", "...");
 *
 * A column that no kind knows is kept in the table opprof_other and reported once a file.
 */
#ifndef MSPROF_FEATURES_OPPROF_KINDS_COMMON_METRIC_CSV_H
#define MSPROF_FEATURES_OPPROF_KINDS_COMMON_METRIC_CSV_H

#include "features/opprof/kinds/common/opprof_tree.h"
#include "parsers/capture/capture.h"
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"

enum metric_scale {
    WHOLE,      /* an integer */
    MILLIONTHS, /* a number with up to six decimals, times 10^6 */
    KILOBYTES,  /* KB of 1024 bytes, as bytes */
};

struct metric {
    const char *name; /* in the file, without aic_, aiv_ and the unit */
    enum metric_scale scale;
};

struct metric_table {
    const struct record_kind *kind;
    const struct metric *metrics; /* for the columns from METRIC_FIRST on */
    size_t count;
};

/* Columns that every kind of metrics has in front of its own. */
enum { METRIC_FILE, METRIC_LAUNCH, METRIC_BLOCK, METRIC_CORE, METRIC_SUB_CORE, METRIC_FIRST };

extern const struct value_name opprof_cores[];
enum { OPPROF_CUBE, OPPROF_VECTOR, OPPROF_AI_CORE };

#define LAUNCH_COLUMN COLUMN("launch_id", "Launch", MADE_NUMBER, "Its launch (capture_part.id).")
#define METRIC_COMMON                                                                                                  \
    FILE_COLUMN, LAUNCH_COLUMN, NUMBER_COLUMN("block_id", "Block", "The block; NULL: the file has one row for all."),  \
        NAMED_COLUMN("core", "Core", opprof_cores, "Kind of core that ran it."),                                       \
        NUMBER_COLUMN("sub_core", "Core of the block", "Which of the block's cores of this kind: 1 is vector1.")

#define METRIC_COLUMN(sql, csv, scale, title, doc) NUMBER_COLUMN(sql, title, doc),
#define METRIC_ENTRY(sql, csv, scale, title, doc) {csv, scale},
#define METRIC_TIME(METRIC)                                                                                            \
    METRIC("time_ps", "time", MILLIONTHS, "Time", "How long the core was busy with the block, in picoseconds.")        \
    METRIC("total_cycles", "total_cycles", WHOLE, "Cycles", "Cycles of the core for the block.")

int metric_csv_read(const struct metric_table *table, struct decoder *decoder, const struct capture_file *file,
                    const char *path, struct err *err);

/* A kind of metric files, whose METRICS are defined in front of it. */
#define METRIC_KIND(id, stem, heading, text)                                                                           \
    extern const struct record_kind kind_##id;                                                                         \
    static const struct column columns[] = {METRIC_COMMON, METRIC_TIME(METRIC_COLUMN) METRICS(METRIC_COLUMN)};         \
    static const struct metric metrics[] = {METRIC_TIME(METRIC_ENTRY) METRICS(METRIC_ENTRY)};                          \
    static int read_metrics(struct decoder *decoder, void *state, const struct capture_file *file, const char *path,   \
                            struct err *err)                                                                           \
    {                                                                                                                  \
        static const struct metric_table table = {&kind_##id, metrics, COUNT_OF(metrics)};                             \
        (void)state;                                                                                                   \
        return metric_csv_read(&table, decoder, file, path, err);                                                      \
    }                                                                                                                  \
    const struct record_kind kind_##id = {                                                                             \
        OWN_TABLE(#id),                                                                                                \
        .families = FAMILY_OPPROF,                                                                                     \
        .title = heading,                                                                                              \
        .doc = text,                                                                                                   \
        .patterns = (const char *const[]){stem ".csv", stem "_{process_id}.csv", NULL},                                \
        .stage = 1,                                                                                                    \
        COLUMNS_OF(columns),                                                                                           \
        HOOKS(.file = read_metrics),                                                                                   \
    }

/* Reads a number as a file of 'msprof op' has it. False: it is none; "NA" and "N/A" are DB's NULL: *ret_missing. */
bool opprof_number(const char *text, enum metric_scale scale, int64_t *ret, bool *ret_missing);
#endif
