/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that the host made, of captures of any family. */
#ifndef MSPROF_EXPORTERS_LOAD_HOST_CALLS_H
#define MSPROF_EXPORTERS_LOAD_HOST_CALLS_H

#include "analysis/gap_calls.h"
#include "base/intern.h"

#include <sqlite3.h>

/* Gives every call with a time to each: those of a thread together and by their starts, a call before what is inside of
 * it. Its name is a number of names, which is added to. */
int host_calls_each(sqlite3 *db, struct intern *names,
                    int (*each)(void *arg, const struct host_call *call, struct err *err), void *arg, struct err *err);

#endif
