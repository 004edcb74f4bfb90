/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the values that a layout gives of a capture with those that its tables print. */
#ifndef MSPROF_PARSERS_LAYOUTS_CHECK_H
#define MSPROF_PARSERS_LAYOUTS_CHECK_H

#include "base/strbuf.h"
#include "parsers/layouts/infer.h"

#include <stdint.h>

/* Findings so far of comparing a layout's records with tables. */

struct check_result {
    uint64_t cells, different; /* that were compared; that differ */
    uint64_t rows, unmatched;  /* of the tables; without a record */
    struct strbuf first;       /* the first cell that differs: table, row, column, printed, given */
};

/* Decodes the capture, whose options name the layouts, into memory and compares its records with the tables. */
int check_tables(struct capture *capture, const struct printed_files *tables, const struct infer_options *options,
                 struct check_result *result, struct err *err);

#endif
