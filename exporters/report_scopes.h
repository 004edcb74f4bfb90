/* What a report that is made of each device is made of: in captures of before 2023 a device has a table of its own. */
#ifndef MSPROF_EXPORTERS_REPORT_SCOPES_H
#define MSPROF_EXPORTERS_REPORT_SCOPES_H

#include "exporters/report/report.h"

/* Gives a scope for each device of a capture of this family (of 2022: and the iteration that options want), by number;
 * captures since 2023 and those of SVP have none. Its suffix lives until each returns. */
int report_scopes_each(sqlite3 *db, int family, const struct export_options *options,
                       int (*each)(void *arg, const struct report_scope *scope, struct err *err), void *arg,
                       struct err *err);

#endif
