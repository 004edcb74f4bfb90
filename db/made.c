/* SPDX-License-Identifier: Apache-2.0 */
#include "db/made.h"

#include <stddef.h>
#include <string.h>

/* A name up to a blank or parenthesis, perhaps in quotes; what is behind it. */
static const char *take_name(const char *text, const char **name, int *length)
{
    bool quoted = *text == '"';
    *name = text + quoted;
    *length = (int)strcspn(*name, quoted ? "\"" : " (;");
    return *name + *length + quoted;
}

static bool take_made(const char *sql, size_t length, struct made *ret)
{
    static const char create[] = "CREATE ", on[] = " ON ";
    if (length < sizeof create || strncmp(sql, create, sizeof create - 1) != 0)
        return false;
    ret->sql = sql;
    ret->sql_length = (int)length;
    const char *rest = take_name(sql + sizeof create - 1, &ret->type, &ret->type_length);
    if (made_is(ret, "TEMP"))
        return false;
    rest = take_name(rest + 1, &ret->name, &ret->name_length);
    ret->table = ret->name;
    ret->table_length = ret->name_length;
    if (made_is(ret, "INDEX") && strncmp(rest, on, sizeof on - 1) == 0)
        take_name(rest + sizeof on - 1, &ret->table, &ret->table_length);
    return true;
}

bool made_is(const struct made *made, const char *type)
{
    size_t length = strlen(type);
    return (size_t)made->type_length == length && memcmp(made->type, type, length) == 0;
}

bool made_next(const char **script, struct made *ret)
{
    bool made = false;
    while (!made && **script != '\0') {
        size_t length = strcspn(*script, ";");
        made = take_made(*script, length, ret);
        *script += length + ((*script)[length] == ';');
    }
    return made;
}
