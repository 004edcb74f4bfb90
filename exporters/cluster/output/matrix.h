/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_communication_matrix.json: what went over each link between two ranks. */
#ifndef MSPROF_EXPORTERS_CLUSTER_OUTPUT_MATRIX_H
#define MSPROF_EXPORTERS_CLUSTER_OUTPUT_MATRIX_H

#include "exporters/cluster/output/write.h"

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
