/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes of a report that is made of each device: in captures of before 2023 a device has a table of its own. */
#ifndef MSPROF_EXPORTERS_REPORT_SCOPES_H
#define MSPROF_EXPORTERS_REPORT_SCOPES_H

#include "exporters/export.h"
#include "exporters/table/report.h"

/* Gives a scope for each device of a capture of this family (of 2022: and the iteration that options want), by number;
 * captures since 2023 and those of SVP have none. Its suffix lives until each returns. */
int report_scopes_each(sqlite3 *db, int family, const struct export_options *options,
                       int (*each)(void *arg, const struct report_scope *scope, struct err *err), void *arg,
                       struct err *err);

/* How the manual writes the name of a report's file in captures of a family, without its ending: before 2023 those of
 * msproftx and of records name the device only when it is not the host that recorded them. */
#define REPORT_FORM_MAX 256
void report_file_form(const struct report *report, int family, char form[REPORT_FORM_MAX]);

/* Files of what programs say of themselves with msproftx, of captures before 2023. */

/* Writes the name of a file, msprof_tx_[<device>_]<iteration>, with this suffix; the device when it is not the host
 * that recorded them. */
#define TX_REPORT_NAME_MAX 96
int report_tx_name(char name[TX_REPORT_NAME_MAX], sqlite3 *db, const struct export_options *options, const char *suffix,
                   struct err *err);

#endif
