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

struct asked {
    int64_t first, end, last;
    uint64_t rows, most, bytes;
};

static int take_row(void *arg, int64_t *row, struct err *err)
{
    struct asked *asked = arg;
    (void)err;
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t firsts[] = {INT64_MIN + 1, 0, 1, 40}, ends[] = {INT64_MAX, 1000000, 41, 90};
    static const struct page_condition condition = {3, 2};
    struct err err = ERR_INIT;
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
    for (int i = 0; reader != NULL && i < 2; i++) { /* again: pages are kept */
        struct asked asked = {.first = firsts[how & 3], .end = ends[how >> 2 & 3]};
        int64_t next = asked.first;
        asked.most = (how & 16) != 0 && i == 0 ? 3 : UINT64_MAX;
        int status = page_reader_read(reader, &next, asked.end, take_row, &asked, &err);
        EXPECT(err.code == ERR_NONE && (status == 0 || status == 1) && (status == 0 || asked.rows > asked.most));
        EXPECT(next >= asked.first && (next <= asked.end || asked.first >= asked.end));
        EXPECT(asked.rows == 0 || (next > asked.last && (size_t)asked.rows < size));
    }
    page_reader_free(reader);
    return 0;
}
