/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the rows of tables one by one, for a page that is made of them: options with format TABLE_CELLS and a sink. */
#ifndef MSPROF_EXPORTERS_TABLE_TABLE_SINK_H
#define MSPROF_EXPORTERS_TABLE_TABLE_SINK_H

#include "base/err.h"
#include "exporters/row_format.h"
#include "exporters/table/plan.h"

struct table_sink {
    /* Called before the first row; a table without rows never begins. */
    int (*begin)(void *arg, const struct report_plan *plan, struct err *err);
    /* Gives a cell for each step of the plan, all of them texts without control characters, as CSV has them before
     * they are quoted. They live until it returns. */
    int (*row)(void *arg, const struct table_cell *cells, struct err *err);
    void *arg;
    uint64_t left; /* set at the end: rows that the choice's top left out, of those that were given */
    bool more;     /* set at the end: there are others, and nobody knows how many */
};

#endif
