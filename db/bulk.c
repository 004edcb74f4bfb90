#include "db/bulk.h"

#include "base/strbuf.h"
#include "base/utf8.h"
#include "db/database.h"

#include <stdlib.h>
#include <string.h>

/* The rows of one kind on their way in; also what its virtual table reads. */
struct bulk_kind {
    const struct record_kind *kind;
    const struct row_batch *batch; /* while its rows are inserted */
    sqlite3_stmt *insert;
    uint8_t columns[RECORD_MAX_COLUMNS]; /* stored columns, in order */
    size_t column_count;
    uint64_t unsafe_texts; /* in which something was replaced */
};

struct bulk {
    sqlite3 *db;
    struct bulk_kind *kinds;
    size_t kind_count;
};

/* ---- the virtual table: one pass over the current batch ---- */

struct rows_table {
    sqlite3_vtab base;
    struct bulk_kind *kind;
};

struct rows_cursor {
    sqlite3_vtab_cursor base;
    struct bulk_kind *kind;
    const struct cell *cells;
    const uint64_t *present;
    size_t left;
};

static int rows_connect(sqlite3 *db, void *client, int argc, const char *const *argv, sqlite3_vtab **ret, char **error)
{
    (void)argc;
    (void)argv;
    (void)error;
    struct bulk_kind *kind = client;
    struct strbuf sql;
    strbuf_init(&sql, 65536);
    strbuf_adds(&sql, "CREATE TABLE rows(");
    for (size_t i = 0; i < kind->column_count; i++)
        strbuf_addf(&sql, "%s%s", i > 0 ? ", " : "", kind->kind->columns[kind->columns[i]].name);
    strbuf_addc(&sql, ')');
    int code = sql.failed ? SQLITE_NOMEM : sqlite3_declare_vtab(db, sql.data);
    strbuf_release(&sql);
    if (code != SQLITE_OK)
        return code;
    struct rows_table *table = sqlite3_malloc(sizeof *table);
    if (table == NULL)
        return SQLITE_NOMEM;
    *table = (struct rows_table){.kind = kind};
    *ret = &table->base;
    return SQLITE_OK;
}

static int rows_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = BATCH_ROWS;
    return SQLITE_OK;
}

static int rows_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int rows_open(sqlite3_vtab *table, sqlite3_vtab_cursor **ret)
{
    struct rows_cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (cursor == NULL)
        return SQLITE_NOMEM;
    *cursor = (struct rows_cursor){.kind = ((struct rows_table *)table)->kind};
    *ret = &cursor->base;
    return SQLITE_OK;
}

static int rows_close(sqlite3_vtab_cursor *base)
{
    sqlite3_free(base);
    return SQLITE_OK;
}

static int rows_filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc, sqlite3_value **argv)
{
    (void)number;
    (void)text;
    (void)argc;
    (void)argv;
    struct rows_cursor *cursor = (struct rows_cursor *)base;
    const struct row_batch *batch = cursor->kind->batch;
    cursor->cells = batch->cells;
    cursor->present = batch->present;
    cursor->left = batch->rows;
    return SQLITE_OK;
}

static int rows_next(sqlite3_vtab_cursor *base)
{
    struct rows_cursor *cursor = (struct rows_cursor *)base;
    cursor->cells += cursor->kind->kind->column_count;
    cursor->present++;
    cursor->left--;
    return SQLITE_OK;
}

static int rows_eof(sqlite3_vtab_cursor *base)
{
    return ((struct rows_cursor *)base)->left == 0;
}

/* Names come from files that anybody may have written: they are made safe here, where all of them enter. */
static void give_text(struct rows_cursor *cursor, sqlite3_context *context, const struct cell *cell, bool piece)
{
    if (piece || utf8_first_unsafe(cell->text, cell->length) == cell->length) {
        sqlite3_result_text(context, cell->text, (int)cell->length, SQLITE_STATIC);
        return;
    }
    char *safe = sqlite3_malloc64((sqlite3_uint64)cell->length * 3);
    if (safe == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    cursor->kind->unsafe_texts++;
    sqlite3_result_text(context, safe, (int)utf8_make_safe(cell->text, cell->length, safe), sqlite3_free);
}

static int rows_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index)
{
    struct rows_cursor *cursor = (struct rows_cursor *)base;
    size_t column = cursor->kind->columns[index];
    const struct cell *cell = &cursor->cells[column];
    if ((*cursor->present >> column & 1) == 0)
        sqlite3_result_null(context);
    else if (cursor->kind->kind->columns[column].type == COLUMN_INTEGER)
        sqlite3_result_int64(context, cell->integer);
    else
        give_text(cursor, context, cell, (cursor->kind->kind->columns[column].flags & COLUMN_PIECES) != 0);
    return SQLITE_OK;
}

static int rows_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    *ret = (sqlite3_int64)((struct rows_cursor *)base)->left;
    return SQLITE_OK;
}

/* No xCreate: the table exists by its name alone. */
static const sqlite3_module rows_module = {
    .xConnect = rows_connect,
    .xBestIndex = rows_best_index,
    .xDisconnect = rows_disconnect,
    .xOpen = rows_open,
    .xClose = rows_close,
    .xFilter = rows_filter,
    .xNext = rows_next,
    .xEof = rows_eof,
    .xColumn = rows_column,
    .xRowid = rows_rowid,
};

/* ---- the loader ---- */

static int prepare_kind(struct bulk *bulk, struct bulk_kind *entry, const struct record_kind *kind, struct err *err)
{
    struct strbuf name, sql;
    entry->kind = kind;
    for (size_t i = 0; i < kind->column_count; i++) {
        if ((kind->columns[i].flags & COLUMN_TRANSIENT) == 0)
            entry->columns[entry->column_count++] = (uint8_t)i;
    }
    strbuf_init(&name, 256);
    strbuf_init(&sql, 65536);
    strbuf_addf(&name, "decoded_%s", kind->name);
    /* SQLite takes the values as they come, without copying each, when no column of the table is left out. */
    bool has_key = false;
    for (size_t i = 0; i < entry->column_count; i++)
        has_key |= (kind->columns[entry->columns[i]].flags & COLUMN_KEY) != 0;
    strbuf_addf(&sql, "INSERT INTO \"%s\"(%s", kind->table, has_key ? "" : "id, ");
    for (size_t i = 0; i < entry->column_count; i++)
        strbuf_addf(&sql, "%s%s", i > 0 ? ", " : "", kind->columns[entry->columns[i]].name);
    strbuf_addf(&sql, ") SELECT %s* FROM %s", has_key ? "" : "NULL, ", name.data);
    int status = 0;
    if (name.failed || sql.failed)
        status = err_set(err, ERR_NO_MEMORY, "out of memory");
    else if (sqlite3_create_module_v2(bulk->db, name.data, &rows_module, entry, NULL) != SQLITE_OK)
        status = database_error(err, bulk->db, "cannot prepare the bulk load");
    else
        status = database_prepare(bulk->db, sql.data, &entry->insert, err);
    strbuf_release(&name);
    strbuf_release(&sql);
    return status;
}

struct bulk *bulk_new(sqlite3 *db, struct err *err)
{
    struct bulk *bulk = calloc(1, sizeof *bulk);
    int status = 0;
    if (bulk == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    bulk->db = db;
    while (record_kinds[bulk->kind_count] != NULL)
        bulk->kind_count++;
    bulk->kinds = calloc(bulk->kind_count, sizeof *bulk->kinds);
    if (bulk->kinds == NULL) {
        bulk->kind_count = 0;
        status = err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    for (size_t i = 0; status == 0 && i < bulk->kind_count; i++)
        status = record_kinds[i]->table == NULL ? 0 : prepare_kind(bulk, &bulk->kinds[i], record_kinds[i], err);
    if (status < 0) {
        bulk_free(bulk);
        return NULL;
    }
    return bulk;
}

int bulk_insert(struct bulk *bulk, const struct row_batch *batch, struct err *err)
{
    struct bulk_kind *entry = bulk->kinds;
    const struct bulk_kind *end = bulk->kinds + bulk->kind_count;
    while (entry < end && entry->kind != batch->kind)
        entry++;
    if (entry == end)
        return err_set(err, ERR_FAILED, "there is no table for records of kind %s", batch->kind->name);
    entry->batch = batch;
    int code = sqlite3_step(entry->insert);
    int status = code == SQLITE_DONE ? 0 : database_error(err, bulk->db, "rows cannot be stored");
    sqlite3_reset(entry->insert);
    entry->batch = NULL;
    return status;
}

void bulk_report(const struct bulk *bulk, struct diagnostics *diag)
{
    for (size_t i = 0; i < bulk->kind_count; i++) {
        const struct bulk_kind *entry = &bulk->kinds[i];
        if (entry->unsafe_texts > 0)
            diag_report(diag, DIAG_TEXT_UNSAFE, NULL, "table %s: %llu texts", entry->kind->table,
                        (unsigned long long)entry->unsafe_texts);
    }
}

void bulk_free(struct bulk *bulk)
{
    for (size_t i = 0; bulk != NULL && i < bulk->kind_count; i++)
        sqlite3_finalize(bulk->kinds[i].insert);
    if (bulk != NULL)
        free(bulk->kinds);
    free(bulk);
}
