/* SPDX-License-Identifier: Apache-2.0 */
/* Launches under 'msprof op' beside an application's capture: they are read of their own databases, and put into a
 * temporary table of the application's, which the table 'opprof' reads. */
#ifndef MSPROF_FEATURES_OPPROF_OPPROF_LINK_H
#define MSPROF_FEATURES_OPPROF_OPPROF_LINK_H

#include "base/array.h"
#include "base/intern.h"
#include "db/database.h"

#include <stdint.h>

/* All zero: none. */
struct opprof_links {
    struct opprof_link {
        const char *name, *directory;
        int64_t blocks, mix_blocks, duration_ps; /* DB_NULL: not known */
    } * items;
    size_t count, capacity;
    struct intern texts;
};

/* Adds the launches of a database whose capture is an OPPROF directory; others have none. */
int opprof_links_add(struct opprof_links *links, sqlite3 *db, const char *directory, struct err *err);
void opprof_links_release(struct opprof_links *links);

/* Makes the temporary table linked_launch, once for each connection; NULL: without rows. */
int opprof_links_put(const struct opprof_links *links, sqlite3 *db, struct err *err);

#endif
