/* SPDX-License-Identifier: Apache-2.0 */
#include "features/opprof/opprof_link.h"

#include "base/strbuf.h"
#include "db/query/query.h"
#include "db/query/query_loop.h"

#include <stdlib.h>
#define PATH_SIZE ((size_t)64 * 1024) /* bytes */

struct adding {
    struct opprof_links *links;
    const char *directory;
};

static int take_launch(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct adding *adding = arg;
    struct opprof_links *links = adding->links;
    const char *name = query_text(row, 0), *part = query_text(row, 1);
    SCOPED(strbuf_release) struct strbuf path;
    struct opprof_link link = {
        .blocks = query_integer(row, 2), .mix_blocks = query_integer(row, 3), .duration_ps = query_integer(row, 4)};

    strbuf_init(&path, PATH_SIZE);
    strbuf_addf(&path, "%s%s%s", adding->directory, part != NULL && *part != '\0' ? "/" : "", part != NULL ? part : "");
    if (name == NULL || path.failed)
        return err_no_memory(err);
    if (intern_keep(&links->texts, name, &link.name, err) < 0 ||
        intern_keep(&links->texts, path.data, &link.directory, err) < 0)
        return err_status(err);
    return array_add(links, err, link);
}

int opprof_links_add(struct opprof_links *links, sqlite3 *db, const char *directory, struct err *err)
{
    static const char launches[] =
        "SELECT op_name, (SELECT directory FROM capture_part p WHERE p.id = launch_id), block_dim, mix_block_dim,"
        " duration_ps FROM opprof_operator WHERE op_name IS NOT NULL ORDER BY launch_id";
    struct adding adding = {links, directory};
    struct db_facts facts;

    if (db_read_facts(db, &facts, err) < 0)
        return err_status(err);
    return facts.family == CAPTURE_OPPROF ? query_run(db, launches, NULL, 0, take_launch, &adding, err) : 0;
}

void opprof_links_release(struct opprof_links *links)
{
    free(links->items);
    intern_release(&links->texts);
}

static int put_all(const struct opprof_links *links, sqlite3 *db, struct err *err)
{
    sqlite3_stmt *insert;
    int status = database_prepare(db, "INSERT INTO temp.linked_launch VALUES (?, ?, ?, ?, ?)", &insert, err);

    for (size_t i = 0; status == 0 && i < links->count; i++) {
        const struct opprof_link *link = &links->items[i];
        sqlite3_bind_text(insert, 1, link->name, -1, SQLITE_STATIC);
        query_bind(insert, 2, link->blocks);
        query_bind(insert, 3, link->mix_blocks);
        query_bind(insert, 4, link->duration_ps);
        sqlite3_bind_text(insert, 5, link->directory, -1, SQLITE_STATIC);
        if (sqlite3_step(insert) != SQLITE_DONE)
            status = database_error(err, db, "link captures");
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    return status;
}

int opprof_links_put(const struct opprof_links *links, sqlite3 *db, struct err *err)
{
    static const char create[] = "PRAGMA query_only = OFF; CREATE TEMP TABLE IF NOT EXISTS linked_launch (name TEXT,"
                                 " blocks INTEGER, mix_blocks INTEGER, duration_ps INTEGER, directory TEXT)";
    int status = database_exec(db, create, err);

    if (status == 0 && links != NULL)
        status = put_all(links, db, err);
    const int closed = database_exec(db, "PRAGMA query_only = ON", err);
    return status < 0 ? status : closed;
}
