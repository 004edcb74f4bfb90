/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table as a stream of the Arrow C data interface (https://arrow.apache.org/docs/format/CDataInterface.html).
 * A block becomes a struct array whose columns are the block's own memory; the last array to go frees it. */
#include "api/table.h"

#include <errno.h>

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *schema);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *array);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *ret);
    int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *ret);
    const char *(*get_last_error)(struct ArrowArrayStream *stream);
    void (*release)(struct ArrowArrayStream *stream);
    void *private_data;
};

#define NULLABLE 2 /* ARROW_FLAG_NULLABLE */

/* ---- schemas ---- */

static void release_field(struct ArrowSchema *schema)
{
    free((char *)(uintptr_t)schema->name);
    schema->release = NULL;
}

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; schema->children != NULL && i < schema->n_children; i++) {
        if (schema->children[i]->release != NULL)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    schema->release = NULL;
}

static int add_field(struct ArrowSchema *schema, const struct msprof_column *column)
{
    static const char *const formats[] = {[MSPROF_INTEGER] = "l", [MSPROF_REAL] = "g", [MSPROF_TEXT] = "u"};
    struct ArrowSchema *field = calloc(1, sizeof *field);
    if (field == NULL)
        return ENOMEM;
    *field = (struct ArrowSchema){
        .format = formats[column->type], .name = strdup(column->id), .flags = NULLABLE, .release = release_field};
    schema->children[schema->n_children++] = field;
    return field->name != NULL ? 0 : ENOMEM;
}

/* ---- arrays ---- */

/* A block that arrays use: each of its columns, which may be moved away, and the whole. */
struct shared {
    atomic_size_t users;
    struct block *block;
    const void *no_buffer[1];
    struct lent {
        const void *buffers[3];
    } columns[];
};

static void let_go(struct shared *shared)
{
    if (atomic_fetch_sub(&shared->users, 1) > 1)
        return;
    block_free(shared->block);
    free(shared);
}

static void release_column(struct ArrowArray *array)
{
    let_go(array->private_data);
    array->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    free(array->children);
    let_go(array->private_data);
    array->release = NULL;
}

static int add_column(struct ArrowArray *array, struct shared *shared, size_t i)
{
    const struct msprof_column *column = &shared->block->columns[i];
    const void **buffers = shared->columns[i].buffers;
    struct ArrowArray *child = calloc(1, sizeof *child);
    if (child == NULL)
        return ENOMEM;
    buffers[0] = column->valid;
    buffers[1] = column->type == MSPROF_INTEGER ? (const void *)column->integers
                 : column->type == MSPROF_REAL  ? (const void *)column->reals
                                                : (const void *)column->offsets;
    buffers[2] = column->text;
    *child = (struct ArrowArray){.length = array->length,
                                 .null_count = -1,
                                 .n_buffers = column->type == MSPROF_TEXT ? 3 : 2,
                                 .buffers = buffers,
                                 .release = release_column,
                                 .private_data = shared};
    atomic_fetch_add(&shared->users, 1);
    array->children[array->n_children++] = child;
    return 0;
}

/* Takes the block over, also after a failure. */
static int make_array(struct block *block, struct ArrowArray *ret)
{
    const size_t count = block->shown.column_count;
    struct shared *shared = calloc(1, sizeof *shared + (count + 1) * sizeof *shared->columns);
    struct ArrowArray **children = calloc(count + 1, sizeof(struct ArrowArray *));
    if (shared == NULL || children == NULL) {
        free(shared);
        free(children);
        block_free(block);
        return ENOMEM;
    }
    shared->users = 1;
    shared->block = block;
    *ret = (struct ArrowArray){.length = (int64_t)block->shown.rows,
                               .n_buffers = 1,
                               .buffers = shared->no_buffer,
                               .children = children,
                               .release = release_array,
                               .private_data = shared};
    int failure = 0;
    for (size_t i = 0; failure == 0 && i < count; i++)
        failure = add_column(ret, shared, i);
    if (failure != 0)
        release_array(ret);
    return failure;
}

/* ---- the stream ---- */

struct streaming {
    struct msprof_table *table;
    char *message; /* of the last failure */
};

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *ret)
{
    const struct streaming *streaming = stream->private_data;
    const struct msprof_block *columns = &table_columns(streaming->table)->shown;
    *ret = (struct ArrowSchema){.format = "+s",
                                .name = "",
                                .children = calloc(columns->column_count + 1, sizeof(struct ArrowSchema *)),
                                .release = release_schema};
    int failure = ret->children != NULL ? 0 : ENOMEM;
    for (size_t i = 0; failure == 0 && i < columns->column_count; i++)
        failure = add_field(ret, &columns->columns[i]);
    if (failure != 0)
        release_schema(ret);
    return failure;
}

static void keep_message(struct streaming *streaming, const struct err *err)
{
    const char *hint = err_hint_for_caller(err);
    free(streaming->message);
    if (asprintf(&streaming->message, "%s%s%s", err_message(err), hint[0] != '\0' ? "; " : "", hint) < 0)
        streaming->message = NULL;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *ret)
{
    struct streaming *streaming = stream->private_data;
    struct block *block = NULL;
    struct visit visit;
    struct err err = ERR_INIT;

    *ret = (struct ArrowArray){.release = NULL};
    enter(&visit, table_interrupt(streaming->table));
    const int status = table_take(streaming->table, &block, &err);
    leave(&visit, &err, NULL);
    if (status < 0) {
        keep_message(streaming, &err);
        return err.code == ERR_NO_MEMORY ? ENOMEM : err.code == ERR_INTERRUPTED ? ECANCELED : EIO;
    }
    return block != NULL ? make_array(block, ret) : 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    return ((const struct streaming *)stream->private_data)->message;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    struct streaming *streaming = stream->private_data;
    msprof_table_close(streaming->table);
    free(streaming->message);
    free(streaming);
    stream->release = NULL;
}

int msprof_table_arrow(struct msprof_table *table, struct ArrowArrayStream *ret, struct msprof_error **error)
{
    const char *null = NULL_OF_TWO(table, ret);
    if (null != NULL)
        return fail_null(null, error);
    struct streaming *streaming = calloc(1, sizeof *streaming);
    atomic_int none = 0;
    struct visit visit;
    struct err err = ERR_INIT;

    if (streaming == NULL) {
        enter(&visit, &none);
        err_no_memory(&err);
        return leave(&visit, &err, error);
    }
    streaming->table = table;
    *ret = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, NULL};
    ret->private_data = streaming;
    return 0;
}
