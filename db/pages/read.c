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
    SLACK = 32, /* behind a page: numbers that begin in it may be read before ends are compared */
    CONDITIONS_MAX = 8,
    GROUP = 8, /* columns whose types are compared at once */
    SHAPE_BITS = 7,
    TEXT = 255, /* a step's shift: it is where a text begins */
};

/* How a walk goes on. */
enum outcome { GO_ON, OTHERWISE /* SQLite is to be asked */, STOPPED /* by each, or an interrupt */ };

struct page {
    uint32_t number; /* 0: none was read */
    unsigned char *bytes;
};

/* A number that is wanted: where it stands behind the values of the columns before a group, and which of the eight
 * bytes there are no part of it. Other steps have a value that the types alone say, or are for a text. */
struct step {
    uint32_t offset;
    uint16_t place;
    uint8_t shift;
};

/* How to take a group of columns with these serial types: tables have few different ones of each group, so that they
 * are mostly known. */
struct shape {
    uint64_t types;
    uint32_t size; /* of the values */
    uint16_t numbers, others;
    struct step steps[2 * GROUP]; /* the others from the last one on backwards */
};

struct group {
    uint64_t mask; /* of the types of columns up to the last that is wanted */
    struct shape shapes[1 << SHAPE_BITS];
};

struct page_reader {
    struct page_source source;
    uint32_t page_size, usable, page_count;
    struct page_tree table;
    size_t columns; /* up to the last that is wanted */
    size_t width, condition_count;
    struct page_condition conditions[CONDITIONS_MAX];
    struct page pages[DEPTH_MAX]; /* of each depth the last one */
    struct leaf {
        const unsigned char *page; /* NULL: none was walked, or it is gone */
        int64_t after, last;
    } leaf; /* the last one that was walked: rows that are read one by one stand together */
    struct group *groups, *groups_end;
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
    reader->leaf.page = NULL;
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

/* Bytes of the types up to SERIAL_ONE, and shifts of integers. */
static const uint8_t sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0}, shifts[] = {0, 56, 48, 40, 32, 16, 0};

static void add_other(struct shape *shape, size_t value, size_t place, uint8_t shift)
{
    shape->steps[2 * GROUP - ++shape->others] = (struct step){(uint32_t)value, (uint16_t)place, shift};
}

/* Takes a value that is there into a shape. false: SQLite is to be asked. */
static bool learn_value(const struct page_reader *reader, struct shape *shape, size_t column, uint64_t type,
                        size_t size)
{
    size_t place = reader->table.places[column] - 1u;
    if (reader->table.id == (int)column)
        return false; /* SQLite leaves it out */
    if (reader->table.texts[column]) {
        add_other(shape, shape->size, place, TEXT);
        add_other(shape, size, place + 1, 0);
        return type >= SERIAL_TEXT && type % 2 == 1; /* that of a blob is even */
    }
    if (type == SERIAL_ZERO || type == SERIAL_ONE)
        add_other(shape, type - SERIAL_ZERO, place, 0);
    else if (type <= SERIAL_INT64)
        shape->steps[shape->numbers++] = (struct step){shape->size, (uint16_t)place, shifts[type]};
    return type <= SERIAL_INT64 || type == SERIAL_ZERO || type == SERIAL_ONE;
}

/* Types that no shape of this place has: those are sought at others. */
static uint64_t no_types(const struct group *group, const struct shape *shape)
{
    return shape == group->shapes ? UINT64_MAX : 0;
}

/* Learns the shape of the columns of a group, and returns where their types end. NULL: SQLite is to be asked. */
__attribute__((noinline)) static const unsigned char *learn(const struct page_reader *reader, const struct group *group,
                                                            uint64_t word, struct shape *shape,
                                                            const unsigned char *types, const unsigned char *end)
{
    const size_t first = (size_t)(group - reader->groups) * GROUP;
    bool whole = (word & UINT64_C(0x8080808080808080)) == 0; /* types of more than a byte are not in the word */
    *shape = (struct shape){.types = whole ? word : no_types(group, shape)};
    for (size_t i = first; i < first + GROUP && i < reader->columns && types < end; i++) {
        uint64_t type;
        types = varint(types, &type);
        if (types > end || (type > SERIAL_ONE && type < SERIAL_BLOB))
            return NULL;
        uint64_t size = type <= SERIAL_ONE ? sizes[type] : (type - SERIAL_BLOB) / 2;
        if (size > reader->page_size ||
            (type != SERIAL_NULL && reader->table.places[i] != 0 && !learn_value(reader, shape, i, type, (size_t)size)))
            return NULL;
        shape->size += (uint32_t)size;
    }
    return types;
}

/* Takes the columns of a record into the row. Those that it lacks at its end are NULL. */
static bool take_record(struct page_reader *reader, const unsigned char *p, const unsigned char *end, int64_t id,
                        int64_t *row)
{
    uint64_t header_size;
    const unsigned char *types = varint(p, &header_size);
    if (header_size > (uint64_t)(end - p) || types > p + header_size)
        return false;
    const unsigned char *types_end = p + header_size, *data = types_end;
    memcpy(row, reader->nulls, reader->width * sizeof *row);
    for (struct group *group = reader->groups; group < reader->groups_end && types < types_end; group++) {
        const size_t left = (size_t)(types_end - types);
        uint64_t word = bytes_load(types, GROUP, false) & group->mask;
        if (left < GROUP)
            word &= (UINT64_C(1) << 8 * left) - 1;
        struct shape *shape = &group->shapes[word * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SHAPE_BITS)];
        types = shape->types == word ? types + GROUP : learn(reader, group, word, shape, types, types_end);
        if (types == NULL || shape->size > (size_t)(end - data))
            return false;
        for (const struct step *step = shape->steps, *last = step + shape->numbers; step < last; step++)
            row[step->place] = (int64_t)big64(data + step->offset) >> step->shift;
        const struct step *last = shape->steps + 2 * GROUP;
        for (const struct step *step = last - shape->others; step < last; step++)
            row[step->place] = step->shift == TEXT ? (int64_t)(intptr_t)(data + step->offset) : step->offset;
        data += shape->size;
    }
    if (reader->table.id >= 0)
        row[reader->table.places[reader->table.id] - 1] = id;
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

/* The number of the row in the i-th cell of a leaf; INT64_MAX: it is out of the page. */
static int64_t id_at(const struct page_reader *reader, const unsigned char *page, uint32_t count, uint32_t i)
{
    const unsigned char *cell = get_cell(reader, page, LEAF_HEADER, count, i);
    uint64_t size;
    int64_t id = INT64_MAX;
    if (cell != NULL)
        leaf_id(cell, &size, &id);
    return id;
}

/* The first cell of a leaf whose row is not before the next one; `count`: none. Cells out of order, or out of the
 * page, are found when they are read. */
static uint32_t first_of_leaf(const struct walk *walk, const unsigned char *page, uint32_t count)
{
    uint32_t low = 0, high = count;
    /* Most tables have every number. */
    const uint64_t guess = count > 0 ? (uint64_t)walk->next - (uint64_t)id_at(walk->reader, page, count, 0) : 0;
    if (guess < count && id_at(walk->reader, page, count, (uint32_t)guess) == walk->next)
        return (uint32_t)guess;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (id_at(walk->reader, page, count, middle) < walk->next)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* True if the leaf's first row id exceeds `after`; for the only leaf, `after` is INT64_MIN. */
static bool begins_after(const struct page_reader *reader, const unsigned char *page, uint32_t count, int64_t after)
{
    if (after == INT64_MIN)
        return true;
    return count > 0 && get_cell(reader, page, LEAF_HEADER, count, 0) != NULL && id_at(reader, page, count, 0) > after;
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
    if (page[0] == PAGE_INTERIOR)
        return walk_interior(walk, page, depth, after, last);
    if (page[0] != PAGE_LEAF)
        return OTHERWISE;
    walk->reader->leaf = (struct leaf){page, after, last};
    return walk_leaf(walk, page, after, last);
}

int page_reader_read(struct page_reader *reader, int64_t *next, int64_t end, page_each *each, void *arg,
                     struct err *err)
{
    struct walk walk = {.reader = reader, .next = *next, .end = end, .each = each, .arg = arg, .err = err};
    if (reader->off || walk.next >= end)
        return 0;
    const struct leaf *leaf = &reader->leaf;
    const bool in_leaf = leaf->page != NULL && walk.next > leaf->after && end - 1 <= leaf->last;
    enum outcome outcome = in_leaf ? walk_leaf(&walk, leaf->page, leaf->after, leaf->last)
                                   : walk_page(&walk, reader->table.root, 0, INT64_MIN, INT64_MAX);
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
    uint32_t size = file_page_size(header);
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
    if (table->column_count > PAGE_COLUMNS_MAX)
        return false;
    reader->table = *table;
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->places[i] == 0)
            continue;
        if (table->places[i] + (size_t)table->texts[i] > reader->width)
            return false;
        reader->columns = i + 1;
    }
    for (size_t i = 0; i < reader->condition_count; i++)
        if (reader->conditions[i].place >= reader->width)
            return false;
    return true;
}

static bool take_memory(struct page_reader *reader)
{
    size_t count = (reader->columns + GROUP - 1) / GROUP, rest = reader->columns % GROUP;
    reader->row = calloc(reader->width + 1, sizeof *reader->row);
    reader->nulls = calloc(reader->width + 1, sizeof *reader->nulls);
    reader->groups = calloc(count + 1, sizeof *reader->groups);
    if (reader->row == NULL || reader->nulls == NULL || reader->groups == NULL)
        return false;
    for (size_t i = 0; i < reader->width; i++)
        reader->nulls[i] = PAGE_NULL;
    reader->groups_end = reader->groups + count;
    for (size_t i = 0; i < count; i++) {
        struct group *group = &reader->groups[i];
        group->shapes[0].types = no_types(group, group->shapes);
        group->mask = i + 1 < count || rest == 0 ? UINT64_MAX : (UINT64_C(1) << 8 * rest) - 1;
    }
    return true;
}

struct page_reader *page_reader_new(const struct page_source *source, const struct page_tree *table, size_t width,
                                    const struct page_condition *conditions, size_t condition_count)
{
    struct page_reader *reader = condition_count <= CONDITIONS_MAX ? calloc(1, sizeof *reader) : NULL;
    if (reader == NULL)
        return NULL;
    reader->source = *source;
    reader->width = width;
    reader->condition_count = condition_count;
    for (size_t i = 0; i < condition_count; i++)
        reader->conditions[i] = conditions[i];
    if (!take_table(reader, table) || !take_memory(reader) || !take_header(reader)) {
        page_reader_free(reader);
        return NULL;
    }
    return reader;
}

struct page_reader *page_reader_copy(const struct page_reader *reader, const struct page_source *source)
{
    return page_reader_new(source, &reader->table, reader->width, reader->conditions, reader->condition_count);
}

void page_reader_free(struct page_reader *reader)
{
    if (reader == NULL)
        return;
    for (size_t i = 0; i < DEPTH_MAX; i++)
        free(reader->pages[i].bytes);
    free(reader->groups);
    free(reader->row);
    free(reader->nulls);
    free(reader);
}
