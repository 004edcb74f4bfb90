/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary files of SQLite that never have a name, so that nothing is left of them however the program ends. */
#ifndef MSPROF_DB_TEMPORARY_FILES_H
#define MSPROF_DB_TEMPORARY_FILES_H

/* Once, after sqlite3_initialize: SQLITE_OK, or SQLite's error. */
int temporary_files_setup(void);

#endif
