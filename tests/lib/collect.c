/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lib/collect.h"

#include "base/array.h"
#include "parsers/decode/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct collection {
    struct row_sink sink; /* first */
    struct capture capture;
    struct diagnostics diag;
    struct row_batch **batches; /* in order of arrival */
    size_t count, capacity;
};

static struct row_batch *begin(struct row_sink *sink, const struct record_kind *kind, struct err *err)
{
    (void)sink;
    (void)err;
    struct row_batch *batch = row_batch_new();
    assert_non_null(batch);
    assert_true(row_batch_begin(batch, kind));
    return batch;
}

static int commit(struct row_sink *sink, struct row_batch *batch, struct err *err)
{
    struct collection *collection = (struct collection *)sink;
    if (collection->count == collection->capacity)
        assert_int_equal(array_grow(&collection->batches, &collection->capacity, collection->count, 1,
                                    sizeof *collection->batches, err),
                         0);
    collection->batches[collection->count++] = batch;
    return 0;
}

struct collection *collect(const char *directory, const struct layout_set *layouts)
{
    const struct capture_options options = {.layouts = layouts};
    return collect_with(directory, &options);
}

struct collection *collect_with(const char *directory, const struct capture_options *options)
{
    struct collection *collection = calloc(1, sizeof *collection);
    struct err err = ERR_INIT;
    assert_non_null(collection);
    collection->sink = (struct row_sink){begin, commit, NULL};
    diag_init(&collection->diag, false);
    if (capture_open(&collection->capture, directory, options, &collection->diag, &err) < 0 ||
        decode_capture(&collection->capture, &collection->sink, NULL, &err) < 0)
        fail_msg("%s", err_message(&err));
    return collection;
}

static void assert_same_row(const struct row_batch *a, const struct row_batch *b, size_t row)
{
    const struct record_kind *kind = a->kind;
    const struct cell *x = a->cells + row * kind->column_count, *y = b->cells + row * kind->column_count;
    assert_true(a->present[row] == b->present[row]);
    for (size_t i = 0; i < kind->column_count; i++) {
        if ((a->present[row] >> i & 1) == 0)
            continue;
        if (kind->columns[i].type == COLUMN_TEXT) {
            assert_int_equal(x[i].length, y[i].length);
            assert_memory_equal(x[i].text, y[i].text, x[i].length);
        } else {
            assert_true(x[i].integer == y[i].integer);
        }
    }
}

void assert_same_rows(const struct collection *a, const struct collection *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_ptr_equal(a->batches[i]->kind, b->batches[i]->kind);
        assert_int_equal(a->batches[i]->rows, b->batches[i]->rows);
        for (size_t row = 0; row < a->batches[i]->rows; row++)
            assert_same_row(a->batches[i], b->batches[i], row);
    }
}

void collection_free(struct collection *collection)
{
    for (size_t i = 0; i < collection->count; i++)
        row_batch_free(collection->batches[i]);
    free(collection->batches);
    capture_release(&collection->capture);
    diag_release(&collection->diag);
    free(collection);
}

const struct diagnostics *collection_diagnostics(const struct collection *collection)
{
    return &collection->diag;
}

const struct capture *collection_capture(const struct collection *collection)
{
    return &collection->capture;
}

const struct capture_file *collection_file(const struct collection *collection, const char *name)
{
    for (size_t i = 0; i < collection->capture.file_count; i++) {
        if (strcmp(collection->capture.files[i].name, name) == 0)
            return &collection->capture.files[i];
    }
    fail_msg("the capture has no file '%s'", name);
    return NULL;
}

size_t row_count(const struct collection *collection, const char *kind)
{
    size_t rows = 0;
    for (size_t i = 0; i < collection->count; i++) {
        if (strcmp(collection->batches[i]->kind->name, kind) == 0)
            rows += collection->batches[i]->rows;
    }
    return rows;
}

static const struct cell *find_cell(const struct collection *collection, const char *kind, size_t index,
                                    const char *column)
{
    for (size_t i = 0; i < collection->count; i++) {
        const struct row_batch *batch = collection->batches[i];
        if (strcmp(batch->kind->name, kind) != 0)
            continue;
        if (index >= batch->rows) {
            index -= batch->rows;
            continue;
        }
        int at = record_kind_column(batch->kind, column);
        if (at < 0)
            fail_msg("kind %s has no column '%s'", kind, column);
        if ((batch->present[index] >> at & 1) == 0)
            fail_msg("%s.%s is NULL", kind, column);
        return &batch->cells[index * batch->kind->column_count + (size_t)at];
    }
    fail_msg("fewer rows of kind %s than expected", kind);
    return NULL;
}

int64_t row_integer(const struct collection *collection, const char *kind, size_t index, const char *column)
{
    return find_cell(collection, kind, index, column)->integer;
}

const char *row_text(const struct collection *collection, const char *kind, size_t index, const char *column)
{
    static char texts[4][DECODED_TEXT_MAX + 1];
    static unsigned next;
    const struct cell *cell = find_cell(collection, kind, index, column);
    char *text = texts[next++ % 4];
    assert_true(cell->length <= DECODED_TEXT_MAX);
    memcpy(text, cell->text, cell->length);
    text[cell->length] = '\0';
    return text;
}

uint64_t reported(const struct diagnostics *diag, enum diag_id id, const char *file)
{
    uint64_t count = 0;
    for (size_t i = 0; i < diag->count; i++) {
        if (diag->entries[i].id == id && (file == NULL || strcmp(diag->entries[i].file, file) == 0))
            count += diag->entries[i].count;
    }
    return count;
}

const char *first_report(const struct diagnostics *diag, enum diag_id id)
{
    for (size_t i = 0; i < diag->count; i++) {
        if (diag->entries[i].id == id && diag->entries[i].kept > 0)
            return diag->entries[i].texts[0];
    }
    fail_msg("no report of '%s'", diag_info(id)->id);
    return "";
}

void assert_report(const struct diagnostics *diag, enum diag_id id, ...)
{
    const char *text = first_report(diag, id), *part;
    va_list parts;
    va_start(parts, id);
    while ((part = va_arg(parts, const char *)) != NULL) {
        if (strstr(text, part) == NULL)
            fail_msg("'%s' does not tell '%s'", text, part);
    }
    va_end(parts);
}
