/* SPDX-License-Identifier: Apache-2.0 */
#include "db/pages/write.h"

#include "base/bytes.h"
#include "base/file/fsutil.h"
#include "db/database.h"
#include "db/pages/format.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the file ---- */

static const char doing[] = "cannot write the database";

static int write_at(const struct pages *pages, const unsigned char *bytes, size_t length, uint64_t offset,
                    struct err *err)
{
    int failure = file_write_at(pages->fd, bytes, length, offset);
    return failure == 0 ? 0 : database_write_error(err, failure, doing);
}

static int write_page(const struct pages *pages, uint32_t page, const unsigned char *bytes, struct err *err)
{
    return write_at(pages, bytes, pages->page_size, (uint64_t)(page - 1) * pages->page_size, err);
}

/* The number of a new page, at the end of the file. */
static int take_page(struct pages *pages, uint32_t *ret, struct err *err)
{
    uint32_t page = pages->count + 1;
    page += page == lock_page(pages->page_size);
    if (page > PAGES_MAX)
        return err_set(err, ERR_LIMIT, "the database has %u pages of %zu bytes, the maximum of SQLite", PAGES_MAX,
                       pages->page_size);
    *ret = pages->count = page;
    return 0;
}

void pages_begin(struct pages *pages, int fd, size_t page_size, uint32_t count)
{
    *pages = (struct pages){fd, page_size, count};
}

int pages_finish(const struct pages *pages, struct err *err)
{
    unsigned char count[4];
    bytes_store(count, sizeof count, true, pages->count);
    if (ftruncate(pages->fd, (off_t)(pages->count * (uint64_t)pages->page_size)) != 0)
        return database_write_error(err, errno, doing);
    return write_at(pages, count, sizeof count, FILE_PAGES, err);
}

/* ---- a table ---- */

/* A page whose number stands in the level above it, with its last row id. */
struct child {
    int64_t last_id;
    uint32_t page;
};

/* Pages that have no parent yet: two more than a page takes, so that no page is left without a cell. */
struct level {
    struct child *children;
    size_t count;
};

#define LEVELS 8 /* the smallest pages of the largest file need seven */

struct page_table {
    struct pages *pages;
    uint32_t root;
    bool finished;
    uint8_t forms[RECORD_MAX_COLUMNS], positions[RECORD_MAX_COLUMNS]; /* of cells: how and where they are in a row */
    uint64_t stored, integers, bytes; /* cells that a row has values of, and those of them that are numbers, or of any
                                         length */
    unsigned char *leaf;              /* the page that is filled: pointers from its start, cells from its end */
    size_t cells, content;
    int64_t last_id;
    unsigned char *row_memory,
        *row; /* encoded: the second, with CELL_HEAD bytes of room in front and VALUE_MAX behind */
    size_t row_room;
    struct level levels[LEVELS];
    size_t level_count, fan_out;
};

enum {
    VALUE_MAX = 9, /* bytes of a value that is neither text nor blob, and what putting one may touch */
    VALUES_MAX = RECORD_MAX_COLUMNS * VALUE_MAX,
    CELL_HEAD = 2 * VARINT_MAX, /* length and row id */
    ROW_HEAD_MAX = 2 + (RECORD_MAX_COLUMNS + 1) * VARINT_MAX,
};

static inline bool is_bytes(uint8_t form)
{
    return form == PAGE_TEXT || form == PAGE_BLOB;
}

static int take_row_memory(struct page_table *table, size_t room, struct err *err)
{
    unsigned char *memory = realloc(table->row_memory, CELL_HEAD + room + VALUE_MAX);
    if (memory == NULL)
        return err_no_memory(err);
    table->row_memory = memory;
    table->row = memory + CELL_HEAD;
    table->row_room = room;
    return 0;
}

static void clear_leaf(struct page_table *table)
{
    table->cells = 0;
    table->content = table->pages->page_size;
}

struct page_table *page_table_new(struct pages *pages, uint32_t root, const uint8_t *forms, size_t cells, bool id_first,
                                  struct err *err)
{
    enum { POINTER = 2, CHILD = 4 };
    struct page_table *table = calloc(1, sizeof *table);
    if (table == NULL) {
        err_no_memory(err);
        return NULL;
    }
    table->pages = pages;
    table->root = root;
    table->fan_out = (pages->page_size - INTERIOR_HEADER) / (POINTER + CHILD + VARINT_MAX) + 1;
    uint8_t position = id_first;
    for (size_t i = 0; i < cells; i++) {
        table->forms[i] = forms[i];
        table->positions[i] = position;
        position = (uint8_t)(position + (forms[i] != PAGE_NOWHERE));
        if (forms[i] != PAGE_NOWHERE && forms[i] != PAGE_ROW_ID)
            table->stored |= UINT64_C(1) << i;
        if (forms[i] == PAGE_INTEGER)
            table->integers |= UINT64_C(1) << i;
        if (is_bytes(forms[i]))
            table->bytes |= UINT64_C(1) << i;
    }
    table->leaf = malloc(pages->page_size);
    if (table->leaf == NULL || take_row_memory(table, ROW_HEAD_MAX + VALUES_MAX, err) < 0) {
        err_no_memory(err);
        page_table_free(table);
        return NULL;
    }
    clear_leaf(table);
    return table;
}

void page_table_free(struct page_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->level_count; i++)
        free(table->levels[i].children);
    free(table->leaf);
    free(table->row_memory);
    free(table);
}

/* ---- rows ---- */

/* How an integer is stored whose highest bit that is not its sign is this one; it is shifted until its bytes stand
 * first. */
#define WIDTH_8(serial, bytes) WIDTH_4(serial, bytes), WIDTH_4(serial, bytes)
#define WIDTH_4(serial, bytes) WIDTH(serial, bytes), WIDTH(serial, bytes), WIDTH(serial, bytes), WIDTH(serial, bytes)
#define WIDTH(serial, bytes)                                                                                           \
    {                                                                                                                  \
        serial, bytes, 64 - 8 * (bytes)                                                                                \
    }
static const struct width {
    uint8_t serial, bytes;
    uint16_t shift;
} widths[64] = {
    WIDTH_4(1, 1), WIDTH(1, 1),   WIDTH(1, 1),   WIDTH(1, 1),   /* 0 to 6: with the sign a byte */
    WIDTH_8(2, 2), WIDTH_8(3, 3), WIDTH_8(4, 4), WIDTH_8(5, 6), /* to 38 */
    WIDTH_8(5, 6), WIDTH_8(6, 8), WIDTH_8(6, 8), WIDTH(6, 8),
};

/* Puts an integer behind the values so far, with up to VALUE_MAX bytes of anything behind it. */
static inline unsigned char *put_integer(unsigned char *to, int64_t value, unsigned char *ret_serial)
{
    if ((uint64_t)value < 2) {
        *ret_serial = (unsigned char)(SERIAL_ZERO + value);
        return to;
    }
    const uint64_t magnitude =
        ((uint64_t)value ^ (0 - ((uint64_t)value >> 63))) | 1; /* all bits of a negative one turned */
    const struct width *width = &widths[(unsigned)__builtin_clzll(magnitude) ^ 63];
    uint64_t swapped = htobe64((uint64_t)value << width->shift);
    memcpy(to, &swapped, sizeof swapped);
    *ret_serial = width->serial;
    return to + width->bytes;
}

static bool is_number(const struct cell *cell)
{
    double number;
    memcpy(&number, &cell->integer, sizeof number);
    return number == number;
}

static uint64_t serial_of_bytes(uint8_t form, const struct cell *cell)
{
    return (form == PAGE_TEXT ? SERIAL_TEXT : SERIAL_BLOB) + 2 * (uint64_t)cell->length;
}

/* A whole number that SQLite would store as an integer in a column of numeric affinity. */
static bool is_whole(const struct cell *cell, int64_t *ret)
{
    double number;
    memcpy(&number, &cell->integer, sizeof number);
    if (!(fabs(number) < 9223372036854775808.0))
        return false;
    *ret = (int64_t)number;
    return (double)*ret == number;
}

/* Puts a value that is no integer behind the values so far. */
static unsigned char *put_other(unsigned char *to, uint8_t form, const struct cell *cell, uint64_t *ret_serial)
{
    int64_t whole;
    if (form == PAGE_NUMERIC && is_whole(cell, &whole)) {
        unsigned char serial;
        to = put_integer(to, whole, &serial);
        *ret_serial = serial;
        return to;
    }
    if (is_bytes(form)) {
        *ret_serial = serial_of_bytes(form, cell);
        if (cell->length > 0)
            memcpy(to, cell->text, cell->length);
        return to + cell->length;
    }
    *ret_serial = is_number(cell) ? SERIAL_REAL : SERIAL_NULL;
    bytes_store(to, 8, true, (uint64_t)cell->integer);
    return to + (is_number(cell) ? 8 : 0);
}

static int make_room(struct page_table *table, const struct cell *cells, uint64_t present, struct err *err)
{
    size_t room = ROW_HEAD_MAX + VALUES_MAX;
    for (uint64_t left = present & table->bytes; left != 0; left &= left - 1)
        room += cells[__builtin_ctzll(left)].length;
    if (room <= table->row_room)
        return 0;
    return take_row_memory(table, 2 * room, err);
}

/* A row with serial types of more than a byte, or of more than 126 bytes in all. */
static size_t encode_long(struct page_table *table, const struct cell *cells, uint64_t present)
{
    unsigned char types[ROW_HEAD_MAX], *type = types + 2;
    unsigned char *body = table->row + ROW_HEAD_MAX, *end = body;
    size_t position = 0;
    for (uint64_t left = present; left != 0; left &= left - 1) {
        int cell = __builtin_ctzll(left);
        uint64_t serial;
        unsigned char small;
        for (; position < table->positions[cell]; position++)
            *type++ = SERIAL_NULL;
        if (table->forms[cell] == PAGE_INTEGER) {
            end = put_integer(end, cells[cell].integer, &small);
            serial = small;
        } else {
            end = put_other(end, table->forms[cell], &cells[cell], &serial);
        }
        type = varint_put(type, serial);
        position++;
    }
    /* Its length stands in front, and counts itself. */
    size_t head = (size_t)(type - types) - 1, skipped = head <= 127 ? 1 : 0, body_length = (size_t)(end - body);
    head += 1 - skipped;
    varint_put(types + skipped, head);
    memcpy(table->row, types + skipped, head);
    memmove(table->row + head, body, body_length);
    return head + body_length;
}

/* Encodes a row into table->row: its length, or -code. NULLs at its end are left out, but not all of a row: SQLite
 * reads one serial type without looking whether there is any. */
static int64_t encode(struct page_table *table, const struct cell *cells, uint64_t present, struct err *err)
{
    enum { SERIAL_BYTE_MAX = 127 };
    present &= table->stored;
    if ((present & table->bytes) != 0 && make_room(table, cells, present, err) < 0)
        return err_status(err);
    size_t values = present != 0 ? table->positions[63 - __builtin_clzll(present)] + (size_t)1 : 1;
    unsigned char *types = table->row + 1, *end = types + values;
    table->row[0] = (unsigned char)(values + 1);
    memset(types, SERIAL_NULL, RECORD_MAX_COLUMNS + 1); /* always as many, which takes a few instructions */
    if ((present & ~table->integers) == 0) {
        for (uint64_t left = present; left != 0; left &= left - 1) {
            size_t cell = (unsigned)__builtin_ctzll(left);
            end = put_integer(end, cells[cell].integer, &types[table->positions[cell]]);
        }
        return end - table->row;
    }
    for (uint64_t left = present; left != 0; left &= left - 1) {
        int cell = __builtin_ctzll(left);
        if (table->forms[cell] == PAGE_INTEGER) {
            end = put_integer(end, cells[cell].integer, &types[table->positions[cell]]);
            continue;
        }
        if (is_bytes(table->forms[cell]) && serial_of_bytes(table->forms[cell], &cells[cell]) > SERIAL_BYTE_MAX)
            return (int64_t)encode_long(table, cells, present);
        uint64_t serial;
        end = put_other(end, table->forms[cell], &cells[cell], &serial);
        types[table->positions[cell]] = (unsigned char)serial;
    }
    return end - table->row;
}

/* Writes what does not stand in the leaf to a chain of pages; the number of the first. */
static int write_overflow(struct page_table *table, const unsigned char *bytes, size_t length, uint32_t *ret,
                          struct err *err)
{
    enum { NEXT = 4 };
    struct pages *pages = table->pages;
    size_t part_max = pages->page_size - NEXT;
    SCOPED_FREE unsigned char *page = scoped_memory(pages->page_size, 1);
    uint32_t number = 0, next = 0;
    int status = page != NULL ? take_page(pages, &number, err) : err_no_memory(err);
    *ret = number;
    while (status == 0 && length > 0) {
        size_t part = length < part_max ? length : part_max;
        next = 0;
        if (part < length)
            status = take_page(pages, &next, err);
        if (status < 0)
            break;
        bytes_store(page, NEXT, true, next);
        memcpy(page + NEXT, bytes, part);
        memset(page + NEXT + part, 0, part_max - part);
        status = write_page(pages, number, page, err);
        bytes += part;
        length -= part;
        number = next;
    }
    return status;
}

/* ---- the tree ---- */

static void put_head(unsigned char *page, int kind, size_t cells, size_t content)
{
    memset(page, 0, LEAF_HEADER);
    page[PAGE_KIND] = (unsigned char)kind;
    bytes_store(page + PAGE_CELLS, 2, true, cells);
    bytes_store(page + PAGE_CONTENT, 2, true, content);
}

/* Writes a page of the first `count` children of a level, of which there are two at least, and forgets them. */
static int write_interior(struct page_table *table, struct level *level, size_t count, uint32_t page, struct err *err)
{
    size_t page_size = table->pages->page_size, content = page_size;
    SCOPED_FREE unsigned char *bytes = scoped_memory(1, page_size);
    if (bytes == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i + 1 < count; i++) {
        unsigned char cell[4 + VARINT_MAX];
        bytes_store(cell, 4, true, level->children[i].page);
        size_t length = (size_t)(varint_put(cell + 4, (uint64_t)level->children[i].last_id) - cell);
        content -= length;
        memcpy(bytes + content, cell, length);
        bytes_store(bytes + INTERIOR_HEADER + 2 * i, 2, true, content);
    }
    put_head(bytes, PAGE_INTERIOR, count - 1, content);
    bytes_store(bytes + PAGE_RIGHT, 4, true, level->children[count - 1].page);
    int status = write_page(table->pages, page, bytes, err);
    level->count -= count;
    memmove(level->children, level->children + count, level->count * sizeof *level->children);
    return status;
}

/* Adds a page to the level above it; a level of two more than a page takes gives a page to the next. */
static int add_child(struct page_table *table, size_t depth, struct child child, struct err *err)
{
    for (; depth < LEVELS; depth++) {
        struct level *level = &table->levels[depth];
        if (depth == table->level_count) {
            level->children = malloc((table->fan_out + 2) * sizeof *level->children);
            if (level->children == NULL)
                return err_no_memory(err);
            table->level_count++;
        }
        level->children[level->count++] = child;
        if (level->count < table->fan_out + 2)
            return 0;
        child.last_id = level->children[table->fan_out - 1].last_id;
        if (take_page(table->pages, &child.page, err) < 0 ||
            write_interior(table, level, table->fan_out, child.page, err) < 0)
            return err_status(err);
    }
    return err_set(err, ERR_LIMIT, "a table of the database has more than %d levels of pages", LEVELS);
}

/* Ends the leaf and writes it as this page. */
static int write_leaf(struct page_table *table, uint32_t page, struct err *err)
{
    size_t gap = LEAF_HEADER + 2 * table->cells;
    put_head(table->leaf, PAGE_LEAF, table->cells, table->content);
    memset(table->leaf + gap, 0, table->content - gap);
    return write_page(table->pages, page, table->leaf, err);
}

static int end_leaf(struct page_table *table, struct err *err)
{
    struct child child = {table->last_id, 0};
    if (take_page(table->pages, &child.page, err) < 0 || write_leaf(table, child.page, err) < 0)
        return err_status(err);
    clear_leaf(table);
    return add_child(table, 0, child, err);
}

int page_table_add(struct page_table *table, int64_t id, const struct cell *cells, uint64_t present, struct err *err)
{
    enum { OVERFLOW = 4, POINTER = 2 };
    int64_t encoded = encode(table, cells, present, err);
    if (encoded < 0)
        return (int)encoded;
    size_t length = (size_t)encoded, part = leaf_part(table->pages->page_size, length);
    const unsigned char *first = varint_put_before(varint_put_before(table->row, (uint64_t)id), length);
    size_t used = (size_t)(table->row - first) + part, size = used + (part < length ? OVERFLOW : 0);
    size = size < CELL_MIN ? CELL_MIN : size;
    if (table->content < LEAF_HEADER + POINTER * (table->cells + 1) + size && end_leaf(table, err) < 0)
        return err_status(err);
    table->content -= size;
    unsigned char *cell = table->leaf + table->content;
    memset(cell, 0, CELL_MIN);
    memcpy(cell, first, used);
    if (part < length) {
        uint32_t page = 0;
        if (write_overflow(table, table->row + part, length - part, &page, err) < 0)
            return err_status(err);
        bytes_store(cell + used, OVERFLOW, true, page);
    }
    bytes_store(table->leaf + LEAF_HEADER + POINTER * table->cells++, POINTER, true, table->content);
    table->last_id = id;
    return 0;
}

int page_table_finish(struct page_table *table, struct err *err)
{
    if (table->level_count == 0)
        return table->cells > 0 ? write_leaf(table, table->root, err) : 0;
    if (table->cells > 0 && end_leaf(table, err) < 0)
        return err_status(err);
    for (size_t depth = 0;; depth++) {
        struct level *level = &table->levels[depth];
        if (depth + 1 == table->level_count && level->count <= table->fan_out)
            return write_interior(table, level, level->count, table->root, err);
        /* One page of all; or two halves, where one page is too small. */
        size_t pages = level->count <= table->fan_out ? 1 : 2;
        for (; pages > 0; pages--) {
            size_t count = level->count / pages;
            struct child child = {level->children[count - 1].last_id, 0};
            if (take_page(table->pages, &child.page, err) < 0 ||
                write_interior(table, level, count, child.page, err) < 0 || add_child(table, depth + 1, child, err) < 0)
                return err_status(err);
        }
    }
}
