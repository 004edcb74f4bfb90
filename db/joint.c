/* SPDX-License-Identifier: Apache-2.0 */
#include "db/joint.h"

#include "base/file/fsutil.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "db/schema.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define URI_MAX ((size_t)16 * 1024)

int joint_open(size_t count, sqlite3 **ret, struct err *err)
{
    sqlite3 *db = NULL;
    if (database_open_empty(&db, err) < 0)
        return err_status(err);
    const int most = sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, -1);
    int status = 0;
    if (most < 0 || count > (size_t)most)
        status = err_set(err, ERR_LIMIT, "a query over %zu captures; SQLite joins at most %d", count, most);
    if (status < 0 || schema_create_tables(db, err) < 0) {
        database_close(db);
        return err_status(err);
    }
    *ret = db;
    return 0;
}

/* A path as SQLite's URIs have it, to be opened for reading. */
static void add_uri(struct strbuf *uri, const char *path, bool with_locks)
{
    strbuf_adds(uri, "file:");
    for (const char *at = path; *at != '\0'; at++) {
        if (isalnum((unsigned char)*at) || strchr("/._-", *at) != NULL)
            strbuf_addc(uri, *at);
        else
            strbuf_addf(uri, "%%%02X", (unsigned)(unsigned char)*at);
    }
    strbuf_adds(uri, with_locks ? "?mode=ro" : "?mode=ro&vfs=" DATABASE_WITHOUT_LOCKS);
}

int joint_attach(sqlite3 *db, const char *path, const char *schema, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf uri;
    SCOPED(statement_release) sqlite3_stmt *attach = NULL;
    strbuf_init(&uri, URI_MAX);
    add_uri(&uri, path, database_has_locks(path));
    if (uri.failed)
        return err_no_memory(err);
    if (database_prepare(db, "ATTACH ?1 AS ?2", &attach, err) < 0)
        return err_status(err);
    sqlite3_bind_text(attach, 1, uri.data, -1, SQLITE_STATIC);
    sqlite3_bind_text(attach, 2, schema, -1, SQLITE_STATIC);
    if (sqlite3_step(attach) == SQLITE_DONE)
        return 0;
    database_error(err, db, "the database cannot be attached");
    return err_wrap(err, "cannot open '%s'", path);
}

int joint_seal(sqlite3 *db, const char *first, struct err *err)
{
    char *sql = sqlite3_mprintf("INSERT INTO main.meta SELECT * FROM \"%w\".meta; PRAGMA query_only = ON", first);
    int status = sql != NULL ? database_exec(db, sql, err) : err_no_memory(err);
    sqlite3_free(sql);
    return status;
}

/* ---- names ---- */

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_taken(const char *name, char *const *others, size_t count)
{
    bool taken = false;
    for (size_t i = 0; i < count && !taken; i++)
        taken = strcasecmp(name, others[i]) == 0;
    return taken;
}

char *joint_name(const char *directory, char *const *others, size_t count)
{
    const char *own = path_name(directory);
    SCOPED(strbuf_release) struct strbuf name;
    strbuf_init(&name, URI_MAX);
    if (isdigit((unsigned char)own[0]) || strcasecmp(own, "main") == 0 || strcasecmp(own, "temp") == 0 || *own == '\0')
        strbuf_adds(&name, "c_");
    for (const char *at = own; *at != '\0'; at++)
        strbuf_addc(&name, is_of_name(*at) ? *at : '_');
    const size_t length = name.length;
    for (size_t number = 2; !name.failed && is_taken(name.data, others, count); number++) {
        strbuf_cut(&name, length);
        strbuf_addf(&name, "_%zu", number);
    }
    return name.failed ? NULL : strdup(name.data);
}

/* Whether a dot stands next, behind blanks. */
static bool dot_follows(const char *at)
{
    at += strspn(at, " \t\r\n");
    return *at == '.';
}

bool joint_is_named(const char *query, const char *schema)
{
    const size_t length = strlen(schema);
    for (const char *at = query; (at = strcasestr(at, schema)) != NULL; at++) {
        const char before = at > query ? at[-1] : ' ', behind = at[length];
        const bool quoted =
            (before == '"' && behind == '"') || (before == '[' && behind == ']') || (before == '`' && behind == '`');
        if (quoted ? dot_follows(at + length + 1) : !is_of_name(before) && dot_follows(at + length))
            return true;
    }
    return false;
}
