/* SPDX-License-Identifier: Apache-2.0 */
/* What a framework's directory tells beside its PROF capture, for questions to the capture's database. */
#ifndef MSPROF_EXPORTERS_REPORTS_FRAMEWORK_HOST_SIDE_H
#define MSPROF_EXPORTERS_REPORTS_FRAMEWORK_HOST_SIDE_H

#include "base/diag.h"
#include "base/err.h"

#include <sqlite3.h>

/* Adds tables of this connection alone to an open database of the capture prof, which is in directory:
 * framework_op (id, name, line): what launches, and the innermost line of Python around it ("": not known);
 * framework_work (op_id, name_id, duration_ns): what devices ran for them;
 * framework_step (number, start_ns, end_ns): the framework's steps, on the device;
 * framework_stage: the stages of the data pipeline.
 * A damaged record is reported to diag. */
int framework_attach(sqlite3 *db, const char *directory, const char *prof, const char *database,
                     struct diagnostics *diag, struct err *err);

#define FRAMEWORK_ATTACHED "EXISTS (SELECT 1 FROM sqlite_temp_master WHERE name = 'framework_work')"

#endif
