/* SPDX-License-Identifier: Apache-2.0 */
#include "db/pages/read.h"

#include "base/bytes.h"
#include "base/progress.h"
#include "db/pages/format.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MAX = 20, /* of pages above each other: as many as SQLite takes */
    USABLE_MIN = 480,
    /* Behind a page: numbers that begin in it may be read, and a row's columns be skipped, before ends are compared. */
    SLACK = 8 * PAGE_COLUMNS_MAX + 32,
    CONDITIONS_MAX = 8,
};
#define NO_PLACE SIZE_MAX

/* How a walk goes on. */
enum outcome { GO_ON, OTHERWISE /* SQLite is to be asked */, STOPPED /* by each, or an interrupt */ };

struct page {
    uint32_t number; /* 0: none was read */
    unsigned char *bytes;
};

/* Columns that are taken, behind some that are not. */
struct stretch {
    uint16_t skipped, taken; /* taken 0: it is the end */
    uint16_t behind;         /* columns from the first that is taken to the last that is taken of all */
    bool is_text;            /* the only one that is taken */
};

struct page_reader {
    struct page_source source;
    uint32_t root, page_size, usable, page_count;
    struct stretch stretches[PAGE_COLUMNS_MAX + 2];
    uint16_t places[PAGE_COLUMNS_MAX]; /* in the row, of the columns that are taken */
    size_t wanted;                     /* columns up to the last that is taken */
    size_t id_place;                   /* of the row's number; NO_PLACE: it is not wanted */
    size_t width, condition_count;
    struct page_condition conditions[CONDITIONS_MAX];
    struct page pages[DEPTH_MAX]; /* of each depth the last one */
    int64_t *row, *nulls;
    bool off; /* something was not as expected */
};

/* One reading. */
struct walk {
    struct page_reader *reader;
    int64_t next, end;
    uint64_t visited; /* pages: no tree has more than the file */
    page_each *each;
    void *arg;
    struct err *err;
    int status; /* of each */
};

/* ---- numbers ---- */

static uint32_t big16(const unsigned char *p)
{
    return (uint32_t)bytes_load(p, 2, true);
}

static uint32_t big32(const unsigned char *p)
{
    return (uint32_t)bytes_load(p, 4, true);
}

static uint64_t big64(const unsigned char *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return be64toh(value);
}

static const unsigned char *long_varint(const unsigned char *p, uint64_t *ret)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 7 | (p[i] & 0x7f);
        if (p[i] < 0x80) {
            *ret = value;
            return p + i + 1;
        }
    }
    *ret = value << 8 | p[8];
    return p + 9;
}

/* Reads up to 9 bytes, and returns where they end. */
static inline const unsigned char *varint(const unsigned char *p, uint64_t *ret)
{
    if (p[0] < 0x80) {
        *ret = p[0];
        return p + 1;
    }
    if (p[1] < 0x80) {
        *ret = (p[0] & 0x7fu) << 7 | p[1];
        return p + 2;
    }
    if (p[2] < 0x80) {
        *ret = (p[0] & 0x7fu) << 14 | (p[1] & 0x7fu) << 7 | p[2];
        return p + 3;
    }
    return long_varint(p, ret);
}

/* ---- pages ---- */

static const unsigned char *get_page(struct page_reader *reader, uint32_t number, size_t depth)
{
    struct page *page = &reader->pages[depth];
    /* The first page begins with the header, and is never a table's of ours. */
    if (number < 2 || number > reader->page_count || number == lock_page(reader->page_size))
        return NULL;
    if (page->number == number)
        return page->bytes;
    page->number = 0;
    if (page->bytes == NULL)
        page->bytes = calloc(1, reader->page_size + SLACK);
    if (page->bytes == NULL || !reader->source.read(reader->source.arg, page->bytes, reader->page_size,
                                                    (uint64_t)(number - 1) * reader->page_size))
        return NULL;
    page->number = number;
    return page->bytes;
}

/* Where the i-th cell of a page begins; NULL: not in the part of the page where cells are. */
static inline const unsigned char *get_cell(const struct page_reader *reader, const unsigned char *page,
                                            uint32_t header, uint32_t count, uint32_t i)
{
    uint32_t offset = big16(page + header + 2 * i);
    return offset >= header + 2 * count && offset < reader->usable ? page + offset : NULL;
}

/* How many cells a page says to have; UINT32_MAX: more than it has room for the places of. */
static uint32_t count_cells(const struct page_reader *reader, const unsigned char *page, uint32_t header)
{
    uint32_t count = big16(page + PAGE_CELLS);
    return header + 2 * count <= reader->usable ? count : UINT32_MAX;
}

/* ---- rows ---- */

/* Bytes of the types up to SERIAL_ONE. */
static const uint8_t sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
static const uint8_t shifts[] = {0, 56, 48, 40, 32, 16, 0}; /* of eight bytes, to the integer that they begin with */

/* Skips a text or blob: finds how long it is, and where the next type stands. NULL: it is neither. */
static const unsigned char *skip_text(const unsigned char *types, uint64_t *ret_size)
{
    uint64_t type;
    types = varint(types, &type);
    *ret_size = (type - SERIAL_BLOB) / 2;
    return type >= SERIAL_BLOB ? types : NULL;
}

/* Skips so many columns, with `behind` others behind them that are wanted. NULL: they are not there. */
static inline const unsigned char *skip_columns(const unsigned char *types, const unsigned char *types_end,
                                                const unsigned char **data, const unsigned char *end, size_t count,
                                                size_t behind)
{
    for (; count > 0; count--) {
        unsigned type = *types;
        uint64_t size;
        if (type <= SERIAL_ONE) {
            types++;
            *data += sizes[type];
            while (type == 0 && count > 8 && big64(types) == 0) { /* NULLs come in rows */
                types += 8;
                count -= 8;
            }
            continue;
        }
        types = skip_text(types, &size);
        if (types == NULL || types > types_end || *data > end || size > (uint64_t)(end - *data) ||
            (size_t)(types_end - types) < count - 1 + behind)
            return NULL;
        *data += size;
    }
    return types;
}

/* Takes a text, or a NULL, with so many columns from it on that are wanted. NULL: it is neither, or not there. */
static const unsigned char *take_text(const unsigned char *types, const unsigned char *types_end,
                                      const unsigned char **data, const unsigned char *end, size_t behind, int64_t *ret)
{
    uint64_t size;
    if (*types == SERIAL_NULL)
        return types + 1;
    const unsigned char *next = skip_text(types, &size);
    /* the type of a blob is even */
    if (next == NULL || (next[-1] & 1) == 0 || next > types_end || *data > end || size > (uint64_t)(end - *data) ||
        (size_t)(types_end - next) < behind - 1)
        return NULL;
    ret[0] = (int64_t)(intptr_t)*data;
    ret[1] = (int64_t)size;
    *data += size;
    return next;
}

/* Takes the columns of a record into the row. There is a type of a byte for each, as far as no text stands between. */
static bool take_columns(const struct page_reader *reader, const unsigned char *types, const unsigned char *types_end,
                         const unsigned char *data, const unsigned char *end, int64_t *row)
{
    const uint16_t *place = reader->places;
    for (const struct stretch *stretch = reader->stretches; stretch->taken > 0; stretch++) {
        if (stretch->skipped > 0)
            types = skip_columns(types, types_end, &data, end, stretch->skipped, stretch->behind);
        if (types != NULL && stretch->is_text)
            types = take_text(types, types_end, &data, end, stretch->behind, &row[*place++]);
        if (types == NULL)
            return false;
        if (stretch->is_text)
            continue;
        for (const uint16_t *places_end = place + stretch->taken; place < places_end; place++) {
            size_t type = *types++;
            if (type - 1 < SERIAL_REAL - 1) {
                row[*place] = (int64_t)big64(data) >> shifts[type];
                data += sizes[type];
            } else if (type == SERIAL_ZERO || type == SERIAL_ONE) {
                row[*place] = (int64_t)type - SERIAL_ZERO;
            } else if (type != SERIAL_NULL) {
                return false;
            }
        }
    }
    return data <= end;
}

/* Takes the columns of a record that may end before the last column that is wanted: those that it lacks are NULL. */
static bool take_short(const struct page_reader *reader, const unsigned char *types, const unsigned char *data,
                       const unsigned char *end, int64_t *row)
{
    unsigned char padded[2 * PAGE_COLUMNS_MAX + SLACK];
    size_t length = (size_t)(data - types), padding = reader->wanted + sizeof(uint64_t);
    if (length > PAGE_COLUMNS_MAX || (length > 0 && data[-1] >= 0x80))
        return false;
    memcpy(padded, types, length);
    memset(padded + length, 0, padding);
    return take_columns(reader, padded, padded + length + padding, data, end, row);
}

static bool take_record(const struct page_reader *reader, const unsigned char *p, const unsigned char *end, int64_t id,
                        int64_t *row)
{
    uint64_t header_size;
    const unsigned char *types = varint(p, &header_size);
    if (header_size > (uint64_t)(end - p) || types > p + header_size)
        return false;
    const unsigned char *data = p + header_size;
    if (((size_t)(data - types) < reader->wanted || !take_columns(reader, types, data, data, end, row)) &&
        !take_short(reader, types, data, end, row))
        return false;
    if (reader->id_place != NO_PLACE) {
        if (row[reader->id_place] != PAGE_NULL)
            return false; /* SQLite leaves it out */
        row[reader->id_place] = id;
    }
    return true;
}

static bool is_wanted(const struct page_reader *reader, const int64_t *row)
{
    for (size_t i = 0; i < reader->condition_count; i++) {
        int64_t value = row[reader->conditions[i].place];
        if (value == PAGE_NULL || value == reader->conditions[i].other)
            return false;
    }
    return true;
}

/* The number of the row in a cell of a leaf. */
static const unsigned char *leaf_id(const unsigned char *cell, uint64_t *ret_size, int64_t *ret_id)
{
    uint64_t id;
    cell = varint(varint(cell, ret_size), &id);
    *ret_id = (int64_t)id;
    return cell;
}

/* The first cell of a leaf whose row is not before the next one; `count`: none. Cells out of order, or out of the
 * page, are found when they are read. */
static uint32_t first_of_leaf(const struct walk *walk, const unsigned char *page, uint32_t count)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const unsigned char *cell = get_cell(walk->reader, page, LEAF_HEADER, count, middle);
        uint64_t size;
        int64_t id = INT64_MAX;
        if (cell != NULL)
            leaf_id(cell, &size, &id);
        if (id < walk->next)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether a leaf has rows, and after this one. No row is before INT64_MIN, which is what is said of the only leaf. */
static bool begins_after(const struct page_reader *reader, const unsigned char *page, uint32_t count, int64_t after)
{
    const unsigned char *cell = count > 0 ? get_cell(reader, page, LEAF_HEADER, count, 0) : NULL;
    uint64_t size;
    int64_t id;
    if (after == INT64_MIN)
        return true;
    if (cell == NULL)
        return false;
    leaf_id(cell, &size, &id);
    return id > after;
}

/* Rows of a leaf with after < id <= last, as the pages above it say. */
static enum outcome walk_leaf(struct walk *walk, const unsigned char *page, int64_t after, int64_t last)
{
    struct page_reader *reader = walk->reader;
    const unsigned char *end = page + reader->usable;
    uint32_t count = count_cells(reader, page, LEAF_HEADER);
    if (count == UINT32_MAX || !begins_after(reader, page, count, after))
        return OTHERWISE;
    for (uint32_t i = first_of_leaf(walk, page, count); i < count && walk->next < walk->end; i++) {
        const unsigned char *cell = get_cell(reader, page, LEAF_HEADER, count, i);
        uint64_t size;
        int64_t id;
        if (cell == NULL)
            return OTHERWISE;
        const unsigned char *record = leaf_id(cell, &size, &id);
        if (id >= walk->end)
            return GO_ON;
        /* A record that goes on in other pages is longer than the usable part less 35. */
        if (id < walk->next || id > last || record > end || size > reader->usable - 35 ||
            size > (uint64_t)(end - record))
            return OTHERWISE;
        memcpy(reader->row, reader->nulls, reader->width * sizeof *reader->row);
        if (!take_record(reader, record, record + size, id, reader->row))
            return OTHERWISE;
        walk->next = id + 1;
        if (reader->condition_count > 0 && !is_wanted(reader, reader->row))
            continue;
        walk->status = walk->each(walk->arg, reader->row, walk->err);
        if (walk->status != 0)
            return STOPPED;
    }
    return GO_ON;
}

static enum outcome walk_page(struct walk *walk, uint32_t number, size_t depth, int64_t after, int64_t last);

/* The i-th page below one, and the last number of a row there; of the last page that of the page above. */
static bool get_child(const struct page_reader *reader, const unsigned char *page, uint32_t count, uint32_t i,
                      uint32_t *ret_number, int64_t *last)
{
    if (i == count) {
        *ret_number = big32(page + PAGE_RIGHT);
        return true;
    }
    const unsigned char *cell = get_cell(reader, page, INTERIOR_HEADER, count, i);
    uint64_t key;
    if (cell == NULL || varint(cell + 4, &key) > page + reader->usable || (int64_t)key > *last)
        return false;
    *ret_number = big32(cell);
    *last = (int64_t)key;
    return true;
}

static uint32_t first_of_interior(const struct walk *walk, const unsigned char *page, uint32_t count)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2, number;
        int64_t last = INT64_MAX;
        if (get_child(walk->reader, page, count, middle, &number, &last) && last < walk->next)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum outcome walk_interior(struct walk *walk, const unsigned char *page, size_t depth, int64_t after,
                                  int64_t last)
{
    enum outcome outcome = GO_ON;
    uint32_t count = count_cells(walk->reader, page, INTERIOR_HEADER);
    if (count == UINT32_MAX)
        return OTHERWISE;
    uint32_t i = first_of_interior(walk, page, count), number;
    int64_t before = last;
    if (i > 0 && (!get_child(walk->reader, page, count, i - 1, &number, &before) || before < after))
        return OTHERWISE;
    if (i > 0)
        after = before;
    for (; outcome == GO_ON && i <= count && walk->next < walk->end; i++) {
        int64_t last_below = last;
        if (!get_child(walk->reader, page, count, i, &number, &last_below) || last_below < after)
            return OTHERWISE;
        outcome = walk_page(walk, number, depth + 1, after, last_below);
        if (last_below == INT64_MAX || last_below >= walk->end - 1)
            break;
        after = last_below;
    }
    return outcome;
}

static enum outcome walk_page(struct walk *walk, uint32_t number, size_t depth, int64_t after, int64_t last)
{
    if (depth == DEPTH_MAX || ++walk->visited > walk->reader->page_count)
        return OTHERWISE;
    if (interrupted()) {
        walk->status = interrupt_error(walk->err);
        return STOPPED;
    }
    const unsigned char *page = get_page(walk->reader, number, depth);
    if (page == NULL)
        return OTHERWISE;
    return page[0] == PAGE_LEAF       ? walk_leaf(walk, page, after, last)
           : page[0] == PAGE_INTERIOR ? walk_interior(walk, page, depth, after, last)
                                      : OTHERWISE;
}

int page_reader_read(struct page_reader *reader, int64_t *next, int64_t end, page_each *each, void *arg,
                     struct err *err)
{
    struct walk walk = {.reader = reader, .next = *next, .end = end, .each = each, .arg = arg, .err = err};
    if (reader->off || walk.next >= end)
        return 0;
    enum outcome outcome = walk_page(&walk, reader->root, 0, INT64_MIN, INT64_MAX);
    reader->off = outcome == OTHERWISE;
    *next = outcome == GO_ON ? end : walk.next;
    return walk.status;
}

/* ---- readers ---- */

/* Reads the file's header: a database without a log, whose texts are in UTF-8. */
static bool take_header(struct page_reader *reader)
{
    static const char magic[] = "SQLite format 3";
    enum { WRITES = 18, READS = 19, RESERVED = 20, FRACTIONS = 21, ENCODING = 56, UTF8 = 1 };
    static const unsigned char fractions[] = {64, 32, 32};
    unsigned char header[FILE_HEADER];
    if (!reader->source.read(reader->source.arg, header, sizeof header, 0) || memcmp(header, magic, sizeof magic) != 0)
        return false;
    uint32_t size = big16(header + FILE_PAGE_SIZE) == 1 ? PAGE_SIZE_MAX : big16(header + FILE_PAGE_SIZE);
    if (size < PAGE_SIZE_MIN || (size & (size - 1)) != 0 || header[WRITES] != 1 || header[READS] != 1 ||
        memcmp(header + FRACTIONS, fractions, sizeof fractions) != 0 || big32(header + ENCODING) != UTF8 ||
        size - header[RESERVED] < USABLE_MIN)
        return false;
    reader->page_size = size;
    reader->usable = size - header[RESERVED];
    uint64_t pages = reader->source.size / size;
    reader->page_count = pages < UINT32_MAX ? (uint32_t)pages : UINT32_MAX - 1;
    return true;
}

static bool take_table(struct page_reader *reader, const struct page_tree *table)
{
    reader->root = table->root;
    reader->id_place = NO_PLACE;
    if (table->column_count > PAGE_COLUMNS_MAX)
        return false;
    size_t last = 0, taken = 0, behind = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->places[i] == 0)
            continue;
        if (table->places[i] + (size_t)table->texts[i] > reader->width)
            return false;
        struct stretch *before = &reader->stretches[last];
        if (before->taken > 0 && (i > reader->wanted || before->is_text || table->texts[i]))
            last++;
        reader->stretches[last].is_text = table->texts[i];
        if (reader->stretches[last].taken++ == 0)
            reader->stretches[last].skipped = (uint16_t)(i - reader->wanted);
        reader->places[taken++] = (uint16_t)(table->places[i] - 1);
        reader->wanted = i + 1;
        if (table->id == (int)i)
            reader->id_place = table->places[i] - 1u;
    }
    for (size_t i = last + 1; i > 0; i--) {
        struct stretch *stretch = &reader->stretches[i - 1];
        stretch->behind = (uint16_t)(behind + stretch->taken);
        behind = (size_t)stretch->behind + stretch->skipped;
    }
    for (size_t i = 0; i < reader->condition_count; i++)
        if (reader->conditions[i].place >= reader->width)
            return false;
    return true;
}

struct page_reader *page_reader_new(const struct page_source *source, const struct page_tree *table, size_t width,
                                    const struct page_condition *conditions, size_t condition_count)
{
    struct page_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL)
        return NULL;
    reader->source = *source;
    reader->width = width;
    reader->condition_count = condition_count;
    if (condition_count <= CONDITIONS_MAX) {
        for (size_t i = 0; i < condition_count; i++)
            reader->conditions[i] = conditions[i];
        reader->row = calloc(width + 1, sizeof *reader->row);
        reader->nulls = calloc(width + 1, sizeof *reader->nulls);
    }
    if (reader->row == NULL || reader->nulls == NULL || !take_table(reader, table) || !take_header(reader)) {
        page_reader_free(reader);
        return NULL;
    }
    for (size_t i = 0; i < width; i++)
        reader->nulls[i] = PAGE_NULL;
    return reader;
}

void page_reader_free(struct page_reader *reader)
{
    if (reader == NULL)
        return;
    for (size_t i = 0; i < DEPTH_MAX; i++)
        free(reader->pages[i].bytes);
    free(reader->row);
    free(reader->nulls);
    free(reader);
}
