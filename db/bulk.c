/* SPDX-License-Identifier: Apache-2.0 */
#include "db/bulk.h"

#include "base/file/spool.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "db/database.h"
#include "db/pages/write.h"
#include "db/schema.h"

#include <stdlib.h>
#include <string.h>

/* A column of the table: where the decoder has it, and what it holds. */
struct stored_column {
    uint8_t column;
    uint8_t form; /* enum stored_form */
};
#define LATE_MEMORY ((size_t)256 * 1024)
enum stored_form { STORED_INTEGER, STORED_TEXT, STORED_PIECE };

/* The rows of one kind on their way in; also what its virtual table reads. */
struct bulk_kind {
    const struct record_kind *kind;
    const struct row_batch *batch; /* while its rows are inserted */
    sqlite3_stmt *insert;          /* NULL: to be prepared, for these columns: */
    uint64_t given;                /* those that any row so far has; the others are NULL */
    uint64_t varying;              /* of these, those that were not the same in all rows of a batch */
    struct stored_column columns[RECORD_MAX_COLUMNS]; /* in order */
    size_t column_count;                              /* 0: no batch came yet */
    uint64_t stored, integers;                        /* these columns, and which of them are numbers */
    uint64_t origins;                                 /* with COLUMN_ORIGIN, stored or not */
    uint64_t unsafe_texts;                            /* in which something was replaced */
    struct page_table *table;                         /* NULL: SQLite stores the rows */
    int key;                                          /* the column with COLUMN_KEY; -1: none */
    int64_t last_id;                                  /* of a row in the table's pages */
};

struct bulk {
    sqlite3 *db; /* NULL: rows go into pages */
    struct pages pages;
    struct spool *late; /* rows whose ids are not in order, for SQLite; NULL: none came */
    struct bulk_kind *kinds;
    size_t kind_count;
    int64_t earliest;
};

static const char *name_of(const struct bulk_kind *kind, size_t index)
{
    return kind->kind->columns[kind->columns[index].column].name;
}

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
        strbuf_addf(&sql, "%s%s", i > 0 ? ", " : "", name_of(kind, i));
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
    size_t length;
    char *safe = utf8_copy_safe(cell->text, cell->length, &length);
    if (safe == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    cursor->kind->unsafe_texts++;
    sqlite3_result_text(context, safe, (int)length, free);
}

/* A column to which nothing is given is NULL. */
static int rows_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index)
{
    struct rows_cursor *cursor = (struct rows_cursor *)base;
    const struct stored_column stored = cursor->kind->columns[index];
    const struct cell *cell = &cursor->cells[stored.column];
    if ((*cursor->present >> stored.column & 1) == 0)
        return SQLITE_OK;
    if (stored.form == STORED_INTEGER)
        sqlite3_result_int64(context, cell->integer);
    else
        give_text(cursor, context, cell, stored.form == STORED_PIECE);
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

static uint8_t form_of(const struct column *column)
{
    if (column->type == COLUMN_INTEGER)
        return STORED_INTEGER;
    return (column->flags & COLUMN_PIECES) != 0 ? STORED_PIECE : STORED_TEXT;
}

/* Looks at the columns of a kind whose first batch has come. */
static void find_columns(struct bulk_kind *entry)
{
    const struct record_kind *kind = entry->kind;
    entry->key = -1;
    for (size_t i = 0; i < kind->column_count; i++) {
        const struct column *column = &kind->columns[i];
        if ((column->flags & COLUMN_ORIGIN) != 0)
            entry->origins |= UINT64_C(1) << i;
        if ((column->flags & COLUMN_TRANSIENT) != 0)
            continue;
        entry->columns[entry->column_count++] = (struct stored_column){(uint8_t)i, form_of(column)};
        entry->stored |= UINT64_C(1) << i;
        if (column->type == COLUMN_INTEGER)
            entry->integers |= UINT64_C(1) << i;
        if ((column->flags & COLUMN_KEY) != 0)
            entry->key = (int)i;
    }
}

/* Makes the virtual table of a kind. */
static int make_module(struct bulk *bulk, struct bulk_kind *entry, struct err *err)
{
    struct strbuf name;
    strbuf_init(&name, 256);
    strbuf_addf(&name, "decoded_%s", entry->kind->name);
    int status = 0;
    if (name.failed)
        status = err_no_memory(err);
    else if (sqlite3_create_module_v2(bulk->db, name.data, &rows_module, entry, NULL) != SQLITE_OK)
        status = database_error(err, bulk->db, "cannot prepare the bulk load");
    strbuf_release(&name);
    return status;
}

/* Where the value of a column comes from: the virtual table is asked only for what varies, because asking costs most.
 */
static void add_value(struct strbuf *values, const struct bulk_kind *entry, size_t index)
{
    uint64_t column = UINT64_C(1) << entry->columns[index].column;
    if ((entry->given & column) == 0)
        strbuf_adds(values, "NULL");
    else if ((entry->varying & column) == 0)
        strbuf_addf(values, "?%zu", index + 1);
    else
        strbuf_adds(values, name_of(entry, index));
}

static int prepare(struct bulk *bulk, struct bulk_kind *entry, struct err *err)
{
    const struct record_kind *kind = entry->kind;
    struct strbuf columns, values, sql;
    const bool has_key = entry->key >= 0;
    strbuf_init(&columns, 65536);
    strbuf_init(&values, 65536);
    strbuf_init(&sql, 262144);
    for (size_t i = 0; i < entry->column_count; i++) {
        strbuf_adds(&columns, i > 0 ? ", " : "");
        strbuf_adds(&columns, name_of(entry, i));
        strbuf_adds(&values, i > 0 ? ", " : "");
        add_value(&values, entry, i);
    }
    /* SQLite takes the values as they come, without copying each, when no column of the table is left out. */
    strbuf_addf(&sql, "INSERT INTO \"%s\"(%s%s) SELECT %s%s FROM decoded_%s", kind->table, has_key ? "" : "id, ",
                columns.data, has_key ? "" : "NULL, ", values.data, kind->name);
    int status = columns.failed || values.failed || sql.failed
                     ? err_no_memory(err)
                     : database_prepare(bulk->db, sql.data, &entry->insert, err);
    strbuf_release(&columns);
    strbuf_release(&values);
    strbuf_release(&sql);
    return status;
}

/* The columns in `same` that hold one number in all rows of the batch, which have it. */
static uint64_t constant_columns(const struct row_batch *batch, uint64_t same)
{
    const struct cell *first = batch->cells, *row = first;
    for (size_t i = 1; i < batch->rows && same != 0; i++) {
        row += batch->kind->column_count;
        for (uint64_t left = same; left != 0; left &= left - 1) {
            int column = __builtin_ctzll(left);
            if (row[column].integer != first[column].integer)
                same &= ~(UINT64_C(1) << column);
        }
    }
    return same;
}

/* Makes the insert fit the batch: columns that vary once are not looked at again. */
static int fit_insert(struct bulk *bulk, struct bulk_kind *entry, const struct row_batch *batch, struct err *err)
{
    uint64_t any = 0, all = entry->stored & entry->integers & ~entry->varying;
    for (size_t i = 0; i < batch->rows; i++) {
        any |= batch->present[i];
        all &= batch->present[i];
    }
    any &= entry->stored;
    uint64_t varying = entry->varying | (any & ~constant_columns(batch, all)), given = entry->given | any;
    if (entry->insert == NULL || varying != entry->varying || given != entry->given) {
        if (entry->given == 0 && make_module(bulk, entry, err) < 0)
            return -(int)err->code;
        sqlite3_finalize(entry->insert);
        entry->insert = NULL;
        entry->varying = varying;
        entry->given = given;
        if (prepare(bulk, entry, err) < 0)
            return -(int)err->code;
    }
    for (size_t i = 0; i < entry->column_count; i++) {
        size_t column = entry->columns[i].column;
        if ((given & ~varying & any) >> column & 1)
            sqlite3_bind_int64(entry->insert, (int)i + 1, batch->cells[column].integer);
        else if ((given & ~varying) >> column & 1)
            sqlite3_bind_null(entry->insert, (int)i + 1);
    }
    return 0;
}

struct bulk *bulk_new(sqlite3 *db, struct err *err)
{
    struct bulk *bulk = calloc(1, sizeof *bulk);
    size_t count = 0;
    while (record_kinds[count] != NULL)
        count++;
    if (bulk != NULL)
        *bulk = (struct bulk){
            .db = db, .kinds = calloc(count, sizeof *bulk->kinds), .kind_count = count, .earliest = INT64_MAX};
    if (bulk == NULL || bulk->kinds == NULL) {
        free(bulk);
        err_no_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        bulk->kinds[i].kind = record_kinds[i];
    return bulk;
}

struct bulk *bulk_new_pages(int fd, const struct schema_file *file, struct err *err)
{
    struct bulk *bulk = bulk_new(NULL, err);
    if (bulk != NULL)
        pages_begin(&bulk->pages, fd, file->page_size, file->pages);
    return bulk;
}

static struct bulk_kind *find_kind(const struct bulk *bulk, const struct record_kind *kind)
{
    for (size_t i = 0; i < bulk->kind_count; i++) {
        if (bulk->kinds[i].kind == kind && kind->table != NULL)
            return &bulk->kinds[i];
    }
    return NULL;
}

static void note_earliest(struct bulk *bulk, uint64_t columns, const struct row_batch *batch)
{
    const struct cell *row = batch->cells;
    for (size_t i = 0; i < batch->rows && columns != 0; i++, row += batch->kind->column_count) {
        for (uint64_t left = columns & batch->present[i]; left != 0; left &= left - 1) {
            int64_t time = row[__builtin_ctzll(left)].integer;
            bulk->earliest = time < bulk->earliest ? time : bulk->earliest;
        }
    }
}

int64_t bulk_earliest(const struct bulk *bulk)
{
    return bulk->earliest;
}

static int insert_batch(struct bulk *bulk, struct bulk_kind *entry, const struct row_batch *batch, struct err *err)
{
    if (fit_insert(bulk, entry, batch, err) < 0)
        return -(int)err->code;
    entry->batch = batch;
    int code = sqlite3_step(entry->insert);
    int status = code == SQLITE_DONE ? 0 : database_error(err, bulk->db, "rows cannot be stored");
    sqlite3_reset(entry->insert);
    entry->batch = NULL;
    return status;
}

/* ---- the same into pages ---- */

static int make_page_table(struct bulk *bulk, struct bulk_kind *entry, struct err *err)
{
    uint8_t forms[RECORD_MAX_COLUMNS] = {PAGE_NOWHERE};
    for (size_t i = 0; i < entry->column_count; i++) {
        const struct stored_column *stored = &entry->columns[i];
        forms[stored->column] = (int)stored->column == entry->key ? PAGE_ROW_ID
                                : stored->form == STORED_INTEGER  ? PAGE_INTEGER
                                                                  : PAGE_TEXT;
    }
    entry->last_id = entry->key >= 0 ? INT64_MIN : 0;
    entry->table =
        page_table_new(&bulk->pages, schema_root(entry->kind), forms, entry->kind->column_count, entry->key < 0, err);
    return entry->table != NULL ? 0 : -(int)err->code;
}

/* A row that SQLite is to store behind the others: its head, its cells, and its texts. */
struct late_row {
    uint64_t kind, present; /* kind: index in bulk->kinds */
    struct cell cells[];
};

static int keep_late(struct bulk *bulk, const struct bulk_kind *entry, const struct cell *cells, uint64_t present,
                     struct err *err)
{
    _Alignas(struct late_row) char record[SPOOL_RECORD_MAX];
    struct late_row *row = (struct late_row *)record;
    size_t size = sizeof *row + entry->kind->column_count * sizeof *cells;
    if (bulk->late == NULL && (bulk->late = spool_new(LATE_MEMORY, NULL, err)) == NULL)
        return -(int)err->code;
    row->kind = (uint64_t)(entry - bulk->kinds);
    row->present = present;
    memcpy(row->cells, cells, size - sizeof *row);
    for (uint64_t left = present & entry->stored & ~entry->integers; left != 0; left &= left - 1) {
        const struct cell *cell = &cells[__builtin_ctzll(left)];
        if (cell->length > sizeof record - size)
            return err_set(err, ERR_LIMIT, "a row of table %s without its place in the order has more than %zu bytes",
                           entry->kind->table, sizeof record);
        memcpy(record + size, cell->text, cell->length);
        size += cell->length;
    }
    const struct spool_key key = {row->kind, 0};
    return spool_add(bulk->late, &key, record, size, err);
}

static int add_row(struct bulk *bulk, struct bulk_kind *entry, const struct cell *cells, uint64_t present,
                   struct err *err)
{
    int64_t id = entry->last_id + 1;
    if (entry->key >= 0) {
        id = cells[entry->key].integer;
        if ((present >> entry->key & 1) == 0 || id <= entry->last_id)
            return keep_late(bulk, entry, cells, present, err);
    }
    entry->last_id = id;
    return page_table_add(entry->table, id, cells, present, err);
}

/* Adds a row whose texts may have to be made safe: then it is one of copies. */
static int add_texts(struct bulk *bulk, struct bulk_kind *entry, const struct cell *cells, uint64_t present,
                     struct err *err)
{
    struct cell safe[RECORD_MAX_COLUMNS];
    char *copies[RECORD_MAX_COLUMNS];
    size_t copied = 0;
    int status = 0;
    for (size_t i = 0; i < entry->column_count && status == 0; i++) {
        const uint8_t column = entry->columns[i].column;
        const struct cell *cell = &cells[column];
        if (entry->columns[i].form != STORED_TEXT || (present >> column & 1) == 0 ||
            utf8_first_unsafe(cell->text, cell->length) == cell->length)
            continue;
        if (copied == 0)
            memcpy(safe, cells, entry->kind->column_count * sizeof *cells);
        size_t length;
        copies[copied] = utf8_copy_safe(cell->text, cell->length, &length);
        if (copies[copied] == NULL)
            status = err_no_memory(err);
        safe[column] = (struct cell){.text = copies[copied++], .length = (uint32_t)length};
        entry->unsafe_texts++;
    }
    if (status == 0)
        status = add_row(bulk, entry, copied != 0 ? safe : cells, present, err);
    while (copied > 0)
        free(copies[--copied]);
    return status;
}

static int add_batch(struct bulk *bulk, struct bulk_kind *entry, const struct row_batch *batch, struct err *err)
{
    const struct cell *row = batch->cells;
    const bool has_texts = (entry->stored & ~entry->integers) != 0;
    int status = entry->table == NULL ? make_page_table(bulk, entry, err) : 0;
    if (status == 0 && interrupted())
        status = interrupt_error(err);
    for (size_t i = 0; i < batch->rows && status == 0; i++, row += batch->kind->column_count)
        status = (has_texts ? add_texts : add_row)(bulk, entry, row, batch->present[i], err);
    return status;
}

int bulk_end_pages(struct bulk *bulk, struct err *err)
{
    int status = 0;
    for (size_t i = 0; i < bulk->kind_count && status == 0; i++) {
        if (bulk->kinds[i].table != NULL)
            status = page_table_finish(bulk->kinds[i].table, err);
    }
    return status == 0 ? pages_finish(&bulk->pages, err) : status;
}

/* Makes the batch of a late row again. */
static bool take_late(const struct bulk *bulk, const struct spool_item *item, struct row_batch *batch)
{
    const struct late_row *late = item->record;
    const struct bulk_kind *entry = &bulk->kinds[late->kind];
    if (!row_batch_begin(batch, entry->kind))
        return false;
    memcpy(batch->cells, late->cells, entry->kind->column_count * sizeof *batch->cells);
    const char *text = (const char *)&late->cells[entry->kind->column_count];
    for (uint64_t left = late->present & entry->stored & ~entry->integers; left != 0; left &= left - 1) {
        struct cell *cell = &batch->cells[__builtin_ctzll(left)];
        cell->text = text;
        text += cell->length;
    }
    batch->present[0] = late->present;
    batch->rows = 1;
    return true;
}

int bulk_connect(struct bulk *bulk, sqlite3 *db, struct err *err)
{
    struct spool_item item;
    bulk->db = db;
    if (bulk->late == NULL)
        return 0;
    struct row_batch *batch = row_batch_new();
    int status = batch != NULL ? spool_finish(bulk->late, err) : err_no_memory(err);
    while (status == 0 && (status = spool_next(bulk->late, &item, err)) > 0) {
        struct bulk_kind *entry = &bulk->kinds[((const struct late_row *)item.record)->kind];
        status = take_late(bulk, &item, batch) ? insert_batch(bulk, entry, batch, err) : err_no_memory(err);
    }
    row_batch_free(batch);
    return status;
}

int bulk_insert(struct bulk *bulk, const struct row_batch *batch, struct err *err)
{
    struct bulk_kind *entry = find_kind(bulk, batch->kind);
    if (entry == NULL)
        return err_set(err, ERR_FAILED, "there is no table for records of kind %s", batch->kind->name);
    if (entry->column_count == 0)
        find_columns(entry);
    note_earliest(bulk, entry->origins, batch);
    return (bulk->db != NULL ? insert_batch : add_batch)(bulk, entry, batch, err);
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
    if (bulk == NULL)
        return;
    for (size_t i = 0; i < bulk->kind_count; i++) {
        sqlite3_finalize(bulk->kinds[i].insert);
        page_table_free(bulk->kinds[i].table);
    }
    spool_free(bulk->late);
    free(bulk->kinds);
    free(bulk);
}
