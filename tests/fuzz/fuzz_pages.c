/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of a database that lie: rows come in order and within what was asked for, memory is kept, and there is an end.
 * The first byte says what is asked, the rest is the file. */
#include "db/pages/read.h"
#include "tests/fuzz/support.h"

#define WIDTH 8

struct file {
    const uint8_t *data;
    size_t size;
};

static bool read_bytes(void *arg, void *bytes, size_t size, uint64_t offset)
{
    const struct file *file = arg;
    if (offset > file->size || size > file->size - offset)
        return false;
    memcpy(bytes, file->data + offset, size);
    return true;
}

/* What a reader is asked for, and what it gave. */
struct asked {
    int64_t first, end, last, next;
    uint64_t rows, most, bytes;
    int status;
    struct page_reader *copy; /* reads the same while the first row is there; NULL: none does */
    struct asked *of_copy;
};

static void ask(struct page_reader *reader, struct asked *asked);

static int take_row(void *arg, int64_t *row, struct err *err)
{
    struct asked *asked = arg;
    (void)err;
    if (asked->copy != NULL && asked->rows == 0)
        ask(asked->copy, asked->of_copy);
    EXPECT(row[0] >= asked->first && row[0] < asked->end && (asked->rows == 0 || row[0] > asked->last));
    EXPECT(row[6] == PAGE_NULL || row[7] >= 0);
    for (int64_t i = 0; row[6] != PAGE_NULL && i < row[7]; i++) /* they are there to be read */
        asked->bytes += ((const unsigned char *)(intptr_t)row[6])[i];
    EXPECT(row[2] == PAGE_NULL && row[3] != PAGE_NULL && row[3] != 2);
    asked->last = row[0];
    asked->rows++;
    memset(row, 0x55, WIDTH * sizeof *row);
    return asked->rows > asked->most ? 1 : 0;
}

static void ask(struct page_reader *reader, struct asked *asked)
{
    struct err err = ERR_INIT;
    int64_t next = asked->first;
    asked->status = page_reader_read(reader, &next, asked->end, take_row, asked, &err);
    asked->next = next;
    EXPECT(err.code == ERR_NONE && (asked->status == 0 || asked->status == 1));
    EXPECT(asked->status == 0 || asked->rows > asked->most);
    EXPECT(next >= asked->first && (next <= asked->end || asked->first >= asked->end));
    EXPECT(asked->rows == 0 || next > asked->last);
}

/* A copy gives what the reader gives, in the midst of its reading, too. */
static void expect_alike(const struct asked *one, const struct asked *other)
{
    EXPECT(one->rows == other->rows && one->bytes == other->bytes && one->status == other->status);
    EXPECT(one->next == other->next && one->last == other->last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t firsts[] = {INT64_MIN + 1, 0, 1, 40}, ends[] = {INT64_MAX, 1000000, 41, 90};
    static const struct page_condition condition = {3, 2};
    if (size == 0)
        return 0;
    uint8_t how = data[0];
    struct file file = {data + 1, size - 1};
    const struct page_source source = {read_bytes, &file, file.size};
    /* of the columns id, a, text, b, none, c: all but the text; or with it, but without a and none */
    struct page_tree table = {.root = 2 + (how >> 6), .column_count = 6, .places = {1, 2, 0, 4, 5, 6}, .id = 0};
    if ((how & 32) != 0) {
        table.places[1] = table.places[4] = 0;
        table.places[2] = 7;
        table.texts[2] = true;
    }
    struct page_reader *reader = page_reader_new(&source, &table, WIDTH, &condition, 1);
    struct page_reader *copy = reader != NULL ? page_reader_copy(reader, &source) : NULL;
    EXPECT((reader == NULL) == (copy == NULL));
    if (reader == NULL)
        return 0;
    struct asked asked = {.first = firsts[how & 3], .end = ends[how >> 2 & 3]};
    struct asked again = asked, of_copy;
    again.most = UINT64_MAX;
    asked.most = (how & 16) != 0 ? 3 : UINT64_MAX;
    of_copy = asked;
    asked.copy = copy;
    asked.of_copy = &of_copy;
    ask(reader, &asked);
    if (asked.rows == 0)
        ask(copy, &of_copy);
    expect_alike(&asked, &of_copy);
    ask(reader, &again); /* pages are kept */
    EXPECT((size_t)asked.rows < size && (size_t)again.rows < size);
    page_reader_free(reader);
    page_reader_free(copy);
    return 0;
}
