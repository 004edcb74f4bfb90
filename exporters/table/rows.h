/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MSPROF_EXPORTERS_TABLE_ROWS_H
#define MSPROF_EXPORTERS_TABLE_ROWS_H

#include "exporters/table/report.h"

/* Inside of the engine: where rows come from. */

/* Puts the rows of the report's query. */
int report_query_rows(struct report_run *run, struct err *err);
/* Puts the rows of a prepared statement whose columns are those of the report. */
int report_statement_rows(struct report_run *run, sqlite3_stmt *statement, struct err *err);
/* Puts the rows of a user's query. */
int report_user_rows(struct report_run *run, struct err *err);
/* Puts the rows of the report's scan, or writes them into files itself. */
int report_scan_rows(struct report_run *run, struct err *err);

/* Reads the tables that columns of the run look up; once, before rows are put. */
int report_lookups_load(struct report_run *run, struct err *err);
/* Puts what is found in the place of the keys; what is not found does not exist. */
void report_look_up(const struct report_plan *plan, struct report_value *values);

#endif
