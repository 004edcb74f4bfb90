/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that operators got and gave back. */
#ifndef MSPROF_EXPORTERS_LOAD_LOAD_MEMORY_H
#define MSPROF_EXPORTERS_LOAD_LOAD_MEMORY_H

#include "analysis/memory_curve.h"
#include "base/err.h"
#include "base/intern.h"

#include <sqlite3.h>

/* Reads every piece; its owner is a number of owners, which is added to ("": not known). Those of a framework are known
 * where framework_attach has told the connection. A release belongs to the allocation before of the same operator,
 * address and device; one that has none was got before the recording, and is no piece. */
int memory_load(sqlite3 *db, struct intern *owners, struct memory_pieces *ret, struct err *err);

#endif
