/* SPDX-License-Identifier: Apache-2.0 */
/* Statements that make something that stays, and the words of them that sqlite_schema has too. */
#ifndef MSPROF_DB_MADE_H
#define MSPROF_DB_MADE_H

#include <stdbool.h>

struct made {
    const char *type, *name, *table, *sql; /* the type in capitals */
    int type_length, name_length, table_length, sql_length;
};

/* The next of them in a script whose texts have no semicolons; the script goes on behind it. False: there is none. */
bool made_next(const char **script, struct made *ret);
bool made_is(const struct made *made, const char *type);

#endif
