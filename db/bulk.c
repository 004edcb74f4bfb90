/* SPDX-License-Identifier: Apache-2.0 */
#include "db/bulk.h"

#include "base/file/spool.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "db/database.h"
#include "db/pages/write.h"
#include "db/schema.h"
#include "db/warm_up.h"

#include <stdlib.h>
#include <string.h>

/* A column of the table: where the decoder has it, and what it holds. */
struct stored_column {
    uint8_t column;
    uint8_t form; /* enum stored_form */
};
#define LATE_MEMORY ((size_t)256 * 1024)
enum stored_form { STORED_INTEGER, STORED_TEXT, STORED_PIECE };

/* The rows of one kind on their way in. */
struct bulk_kind {
    const struct record_kind *kind;
    sqlite3_stmt *insert;                             /* NULL: not prepared */
    uint64_t bound;                                   /* columns of the row before: the others are NULL in it */
    struct stored_column columns[RECORD_MAX_COLUMNS]; /* in order */
    size_t column_count;                              /* 0: no batch came yet */
    uint64_t stored, integers;                        /* these columns, and which of them are numbers */
    uint64_t origins;                                 /* with COLUMN_ORIGIN, stored or not */
    uint64_t unsafe_texts;                            /* in which something was replaced */
    struct page_table *table;                         /* NULL: SQLite stores the rows */
    int key;                                          /* the column with COLUMN_KEY; -1: none */
    int64_t last_id;                                  /* of a row in the table's pages */
    bool may_warm_up;                                 /* has a warm_up rule */
    struct warm_up_rule warm_up;
    uint64_t warm_up_records;
};

struct bulk {
    sqlite3 *db; /* NULL: rows go into pages */
    struct pages pages;
    struct spool *late; /* rows whose ids are not in order, for SQLite; NULL: none came */
    struct bulk_kind *kinds;
    size_t kind_count;
    int64_t earliest;
    const struct capture *capture; /* whose records of warm-up are counted; NULL: none are */
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
    entry->may_warm_up = warm_up_rule_of(kind, &entry->warm_up);
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

static int prepare(struct bulk *bulk, struct bulk_kind *entry, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf sql;
    strbuf_init(&sql, 65536);
    /* SQLite takes the values as they come when no column of the table is left out. */
    strbuf_addf(&sql, "INSERT INTO \"%s\"(%s", entry->kind->table, entry->key >= 0 ? "" : "id, ");
    for (size_t i = 0; i < entry->column_count; i++)
        strbuf_addf(&sql, "%s%s", i > 0 ? ", " : "", entry->kind->columns[entry->columns[i].column].name);
    strbuf_adds(&sql, entry->key >= 0 ? ") VALUES(" : ") VALUES(NULL, ");
    for (size_t i = 0; i < entry->column_count; i++)
        strbuf_adds(&sql, i > 0 ? ", ?" : "?");
    strbuf_addc(&sql, ')');
    return sql.failed ? err_no_memory(err) : database_prepare(bulk->db, sql.data, &entry->insert, err);
}

/* Has SQLite store a row. */
static int insert_row(struct bulk *bulk, struct bulk_kind *entry, const struct cell *cells, uint64_t present,
                      struct err *err)
{
    if (entry->insert == NULL && prepare(bulk, entry, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < entry->column_count; i++) {
        const struct stored_column stored = entry->columns[i];
        const struct cell *cell = &cells[stored.column];
        if (((present | entry->bound) >> stored.column & 1) == 0)
            continue;
        if ((present >> stored.column & 1) == 0)
            sqlite3_bind_null(entry->insert, (int)i + 1);
        else if (stored.form == STORED_INTEGER)
            sqlite3_bind_int64(entry->insert, (int)i + 1, cell->integer);
        else
            sqlite3_bind_text(entry->insert, (int)i + 1, cell->text, (int)cell->length, SQLITE_STATIC);
    }
    int status = sqlite3_step(entry->insert) == SQLITE_DONE ? 0 : database_error(err, bulk->db, "cannot store rows");
    sqlite3_reset(entry->insert);
    entry->bound = present;
    return status;
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

void bulk_count_warm_up(struct bulk *bulk, const struct capture *capture)
{
    bulk->capture = capture;
}

uint64_t bulk_warm_up(const struct bulk *bulk, struct strbuf *tables)
{
    uint64_t records = 0;
    for (size_t i = 0; i < bulk->kind_count; i++) {
        const struct bulk_kind *entry = &bulk->kinds[i];
        records += entry->warm_up_records;
        if (entry->warm_up_records > 0)
            strbuf_addf(tables, " %s", entry->kind->table);
    }
    return records;
}

/* ---- into pages ---- */

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
    return entry->table != NULL ? 0 : err_status(err);
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
        return err_status(err);
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
    if (bulk->db != NULL)
        return insert_row(bulk, entry, cells, present, err);
    if (entry->key >= 0) {
        id = cells[entry->key].integer;
        if ((present >> entry->key & 1) == 0 || id <= entry->last_id)
            return keep_late(bulk, entry, cells, present, err);
    }
    entry->last_id = id;
    return page_table_add(entry->table, id, cells, present, err);
}

/* Adds a row whose texts may have to be made safe, because they come from files that anybody may have written: then it
 * is one of copies. */
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
    int status = bulk->db == NULL && entry->table == NULL ? make_page_table(bulk, entry, err) : 0;
    if (status == 0 && interrupted())
        status = interrupt_error(err);
    for (size_t i = 0; i < batch->rows && status == 0; i++, row += batch->kind->column_count)
        status = (has_texts ? add_texts : add_row)(bulk, entry, row, batch->present[i], err);
    return status;
}

int bulk_end_pages(struct bulk *bulk, struct err *err)
{
    for (size_t i = 0; i < bulk->kind_count; i++)
        if (bulk->kinds[i].table != NULL && page_table_finish(bulk->kinds[i].table, err) < 0)
            return err_status(err);
    return pages_finish(&bulk->pages, err);
}

static int insert_late(struct bulk *bulk, const struct late_row *late, struct err *err)
{
    struct bulk_kind *entry = &bulk->kinds[late->kind];
    struct cell cells[RECORD_MAX_COLUMNS];
    memcpy(cells, late->cells, entry->kind->column_count * sizeof *cells);
    const char *text = (const char *)&late->cells[entry->kind->column_count];
    for (uint64_t left = late->present & entry->stored & ~entry->integers; left != 0; left &= left - 1) {
        struct cell *cell = &cells[__builtin_ctzll(left)];
        cell->text = text;
        text += cell->length;
    }
    return insert_row(bulk, entry, cells, late->present, err);
}

int bulk_connect(struct bulk *bulk, sqlite3 *db, struct err *err)
{
    struct spool_item item;
    bulk->db = db;
    if (bulk->late == NULL)
        return 0;
    int status = spool_finish(bulk->late, err);
    while (status == 0 && (status = spool_next(bulk->late, &item, err)) > 0)
        status = insert_late(bulk, item.record, err);
    return status;
}

int bulk_insert(struct bulk *bulk, const struct row_batch *batch, struct err *err)
{
    struct bulk_kind *entry = find_kind(bulk, batch->kind);
    if (entry == NULL)
        return err_set(err, ERR_FAILED, "no table for records of kind %s", batch->kind->name);
    if (entry->column_count == 0)
        find_columns(entry);
    note_earliest(bulk, entry->origins, batch);
    if (bulk->capture != NULL && entry->may_warm_up)
        entry->warm_up_records += warm_up_count(&entry->warm_up, bulk->capture, batch);
    return add_batch(bulk, entry, batch, err);
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
