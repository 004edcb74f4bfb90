/* SPDX-License-Identifier: Apache-2.0 */
/* The files of cluster_analysis_output/. Formats: docs/formats/cluster.md 3. */
#ifndef MSPROF_FEATURES_CLUSTER_OUTPUT_WRITE_H
#define MSPROF_FEATURES_CLUSTER_OUTPUT_WRITE_H

#include "base/file/outfile.h"
#include "exporters/json_text.h"
#include "features/cluster/block.h"
#include "features/cluster/cluster_database.h"
#include "features/cluster/verdict.h"

/* ---- numbers and texts as these files have them ---- */

/* Opens a file of a directory and writes its head. */
int write_open(struct outfile *out, const char *directory, const char *name, const char *head, struct err *err);

/* A cell of a row of CSV. */
struct csv_cell {
    const char *text; /* NULL: value / 10^decimals */
    int64_t value;
    unsigned decimals;
};
#define TEXT(cell_text) ((struct csv_cell){.text = (cell_text)})
#define DECIMAL(cell_value, cell_decimals) ((struct csv_cell){.value = (cell_value), .decimals = (cell_decimals)})
#define INTEGER(cell_value) DECIMAL(cell_value, 0)
#define NOT_KNOWN "N/A" /* as tables print it */
/* Writes a row: csv_row(out, INTEGER(rank), DECIMAL(ns, 3), TEXT(name)). */
#define csv_row(out, ...)                                                                                              \
    write_cells(out, (const struct csv_cell[]){__VA_ARGS__},                                                           \
                sizeof((const struct csv_cell[]){__VA_ARGS__}) / sizeof(struct csv_cell))
void write_cells(struct outfile *out, const struct csv_cell *cells, size_t count);

/* "(0, 1)", "(0,)", "()" as a text without quotes; free() it. NULL: out of memory. */
char *ranks_text(const int64_t *ranks, size_t count);

/* ---- what goes into both JSON files ---- */

/* Makes it of the sums of a rank in a group and step, with as many packets as they have, and of one operator. */
struct comm_info rank_info_of_total(const struct aggregate_sum *sum, const struct comm_packet *packets);
struct comm_info rank_info_of_operator(const struct rank_data *rank, const struct rank_operator *operator_);

/* A communication_*.json file: {ranks: {step: {operator@group: ...}}} written one group and step after another. */
struct nested_json {
    struct outfile out;
    struct json_out json;
    struct cluster_database *database; /* that gets the same; NULL: none */
    char *key;                         /* of the ranks that are open; NULL: none */
    const char *step;                  /* that is open; NULL: none */
};
int nested_json_open(struct nested_json *json, const char *directory, const char *name,
                     struct cluster_database *database, struct err *err);
/* Goes to these ranks and this step; groups of the same ranks must come together, their steps in order. */
void nested_json_go(struct nested_json *json, const char *key, const char *step);
/* Writes what a rank did as a member. */
void nested_json_rank(struct nested_json *json, const struct cluster_member *member, int64_t rank,
                      const struct comm_info *info);
/* Commits when status is 0, else drops the file. */
int nested_json_close(struct nested_json *json, int status, struct err *err);

/* ---- whole files ---- */

int write_steps(const char *directory, const struct plan *plan, struct cluster_database *database, struct err *err);
int write_groups(const char *directory, const struct plan *plan, struct cluster_database *database, struct err *err);
/* slow_ranks.csv, late_collectives.csv. */
int write_slow_ranks(const char *directory, const struct plan *plan, const struct verdicts *verdicts,
                     struct cluster_worst *ret, struct err *err);
int write_late(const char *directory, const struct plan *plan, const struct verdicts *verdicts,
               const struct late_names *names, struct cluster_worst *ret, struct err *err);

/* Sums of links over all groups and steps. */
struct cluster_link {
    struct {
        int64_t source, target, transport; /* number of a text */
    } key;
    int64_t bytes, ns, reports;
};
struct link_sums {
    struct map links; /* of struct cluster_link */
    struct intern transports;
};
int link_sums_add(struct link_sums *sums, const struct merged_block *block, struct err *err);
void link_sums_release(struct link_sums *sums);
/* slow_links.csv. */
int write_slow_links(const char *directory, const struct link_sums *sums, struct cluster_worst *ret, struct err *err);

/* slow_computing.csv: how long ranks and stages compute, each beside the others: ranks of a stage, stages of all. */
int write_slow_computing(const char *directory, const struct plan *plan, struct cluster_worst *ret, struct err *err);
/* rank_times.csv: each rank's computing, communication, how much of it is masked, and free time; all ranks together. */
int write_rank_times(const char *directory, const struct plan *plan, struct err *err);

/* Which ranks work on the same stage of a pipeline: docs/formats/cluster.md 3. All zero: nothing; stages_release() it.
 */
struct stages {
    int64_t *ranks; /* of one stage together, ascending */
    size_t *starts; /* count + 1 */
    size_t count;   /* 0: there are no pipelines, or nobody says which */
};
/* How the ranks are divided, after the first that says it: tensor, pipeline, data, world. Nothing when it cannot be. */
void stages_parallel(const struct plan *plan, int64_t parallel[4]);
int stages_find(struct stages *stages, const struct plan *plan, struct err *err);
void stages_release(struct stages *stages);
/* The stage of a rank, by groups; where these do not say it, by how the job is divided. SIZE_MAX: not known. */
size_t stages_of_rank(const struct stages *stages, const int64_t parallel[4], int64_t rank);

/* clock_alignment.csv: how the clocks of a timeline's ranks were aligned. */
struct rank_clock {
    int64_t rank;
    const char *host;           /* its name; "": not known */
    int64_t clock;              /* its number; ranks of one host have one */
    int64_t shift_ns, error_ns; /* added to its times; how far collectives scatter after that */
    int64_t collectives;        /* from which the shift was calculated */
    int64_t compared_with;      /* the clock that it was compared with; -1: none */
    int64_t anchor;             /* the clock of its group that stays as it is */
};
int write_clocks(const char *directory, const struct rank_clock *ranks, size_t count, struct err *err);

/* cluster_communication_matrix.json: what went over each link between two ranks. */

/* Links of one group and step. All zero: empty. */
struct matrix {
    struct map links; /* of struct matrix_link */
    struct intern texts;
    int64_t unmapped; /* links whose ranks nobody knows */
};

/* Adds the "-total" links of a merged block, or all links of one rank's block. */
int matrix_add_totals(struct matrix *matrix, const struct merged_block *block, struct err *err);
int matrix_add_details(struct matrix *matrix, const struct plan *plan, const struct plan_entry *entry,
                       const struct rank_data *rank, const struct rank_block *block, struct err *err);
void matrix_clear(struct matrix *matrix);

/* Writes the entries of a group, and what all its "-total" entries are together. */
int matrix_write(const struct matrix *matrix, struct nested_json *json, const char *number, struct err *err);

#endif
