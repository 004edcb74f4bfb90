/* SPDX-License-Identifier: Apache-2.0 */
/* What comparing a layout's records with tables has found so far. */
#ifndef MSPROF_PARSERS_LAYOUTS_CHECK_RESULT_H
#define MSPROF_PARSERS_LAYOUTS_CHECK_RESULT_H

#include "base/strbuf.h"

#include <stdint.h>

struct check_result {
    uint64_t cells, different; /* that were compared; that differ */
    uint64_t rows, unmatched;  /* of the tables; without a record */
    struct strbuf first;       /* the first cell that differs: table, row, column, printed, given */
};

#endif
