/* SPDX-License-Identifier: Apache-2.0 */
#include "api/block.h"

#include "base/array.h"

#include <math.h>

#define TEXT_MOST ((size_t)64 * 1024 * 1024) /* bytes of a column, from which on a block is full */

struct shape *shape_new(const struct report_plan *plan, struct err *err)
{
    struct shape *shape = calloc(1, sizeof *shape);
    if (shape != NULL)
        shape->columns = calloc(plan->step_count + 1, sizeof *shape->columns);
    bool failed = shape == NULL || shape->columns == NULL;
    for (size_t i = 0; !failed && i < plan->step_count; i++) {
        struct shape_column *column = &shape->columns[shape->count++];
        column->id = strdup(plan->columns[plan->steps[i].column].id);
        column->title = strdup(plan->titles[i]);
        column->kind = report_step_kind(plan, &plan->steps[i]);
        failed = column->id == NULL || column->title == NULL;
    }
    if (shape != NULL)
        shape->users = 1;
    if (!failed)
        return shape;
    shape_release(shape);
    err_no_memory(err);
    return NULL;
}

void shape_release(struct shape *shape)
{
    if (shape == NULL || atomic_fetch_sub(&shape->users, 1) > 1)
        return;
    for (size_t i = 0; i < shape->count; i++) {
        free(shape->columns[i].id);
        free(shape->columns[i].title);
    }
    free(shape->columns);
    free(shape);
}

bool shape_fits(const struct shape *shape, const struct report_plan *plan)
{
    bool fits = shape->count == plan->step_count;
    for (size_t i = 0; fits && i < shape->count; i++)
        fits = strcmp(shape->columns[i].id, plan->columns[plan->steps[i].column].id) == 0;
    return fits;
}

struct block *block_new(struct shape *shape, size_t rows, struct err *err)
{
    struct block *block = calloc(1, sizeof *block);
    bool failed = block == NULL;
    if (!failed) {
        atomic_fetch_add(&shape->users, 1);
        block->shape = shape;
        block->capacity = rows;
        block->columns = calloc(shape->count + 1, sizeof *block->columns);
        block->data = calloc(shape->count + 1, sizeof *block->data);
        failed = block->columns == NULL || block->data == NULL;
    }
    for (size_t i = 0; !failed && i < shape->count; i++) {
        block->data[i].valid = calloc(rows / 8 + 8, 1);
        int64_t *numbers = malloc((rows + 1) * sizeof *numbers); /* each row sets its own */
        block->data[i].numbers = numbers;
        failed = block->data[i].valid == NULL || numbers == NULL;
        if (numbers != NULL)
            numbers[0] = 0; /* where the first text begins */
    }
    if (!failed)
        return block;
    block_free(block);
    err_no_memory(err);
    return NULL;
}

void block_free(struct block *block)
{
    if (block == NULL)
        return;
    for (size_t i = 0; block->data != NULL && i < block->shape->count; i++) {
        free(block->data[i].valid);
        free(block->data[i].numbers);
        free(block->data[i].text);
    }
    free(block->data);
    free(block->columns);
    shape_release(block->shape);
    free(block);
}

static int add_text(struct block *block, size_t column, size_t row, const char *text, size_t length, struct err *err)
{
    struct column_data *data = &block->data[column];
    if (data->length + length > INT32_MAX)
        return err_set(err, ERR_LIMIT, "a text of %zu bytes is too long for a column", length);
    if (data->length + length > data->capacity &&
        array_grow(&data->text, &data->capacity, data->length, length, 1, err) < 0)
        return err_status(err);
    if (length > 0)
        memcpy(data->text + data->length, text, length);
    data->length += length;
    block->text_is_full = block->text_is_full || data->length > TEXT_MOST;
    ((int32_t *)data->numbers)[row + 1] = (int32_t)data->length;
    return 0;
}

static size_t print_number(const struct typed_value *value, char text[FORM_NUMBER_MAX])
{
    char *end = value->kind == TYPED_INTEGER ? form_put_integer(text, FORM_TEXT, 0, value->integer)
                                             : form_put_real(text, FORM_TEXT, 0, value->real);
    return (size_t)(end - text);
}

static bool is_valid(const struct column_data *data, size_t row)
{
    return (data->valid[row / 8] >> row % 8 & 1) != 0;
}

/* The column was of numbers so far, and is of another kind from here on. */
static int widen(struct block *block, size_t column, enum typed_kind kind, struct err *err)
{
    struct column_data *data = &block->data[column];
    const enum typed_kind before = block->shape->columns[column].kind;
    const size_t rows = block->shown.rows;
    char text[FORM_NUMBER_MAX];
    int status = 0;

    block->shape->columns[column].kind = kind;
    if (before == TYPED_MISSING)
        return 0;
    if (kind == TYPED_REAL) {
        for (size_t row = 0; row < rows; row++) {
            const double real = (double)((const int64_t *)data->numbers)[row];
            memcpy((char *)data->numbers + row * sizeof real, &real, sizeof real);
        }
        return 0;
    }
    void *numbers = data->numbers;
    data->numbers = calloc(block->capacity + 1, sizeof(int64_t));
    if (data->numbers == NULL)
        status = err_no_memory(err);
    for (size_t row = 0; status == 0 && row < rows; row++) {
        struct typed_value value = {.kind = before};
        memcpy(&value.integer, (char *)numbers + row * sizeof value.integer, sizeof value.integer);
        status = add_text(block, column, row, text, is_valid(data, row) ? print_number(&value, text) : 0, err);
    }
    free(numbers);
    return status;
}

static int fail_kind(const struct block *block, size_t column, struct err *err)
{
    const struct shape_column *of = &block->shape->columns[column];
    err_set(err, ERR_FORMAT, "column '%s' has values of another type than in its first rows, which are %s", of->id,
            of->kind == TYPED_INTEGER ? "integers" : "numbers");
    return err_hint(err, "leave the column out, or give its values one type in the query: CAST(... AS TEXT)");
}

/* Makes a value one of the column's kind; text: room for the digits of a number. */
static int convert(struct block *block, size_t column, struct typed_value *value, char text[FORM_NUMBER_MAX],
                   struct err *err)
{
    const enum typed_kind kind = block->shape->columns[column].kind;
    if (kind == TYPED_TEXT) {
        value->length = (uint32_t)print_number(value, text);
        value->text = text;
    } else if (kind == TYPED_REAL && value->kind == TYPED_INTEGER) {
        value->real = (double)value->integer;
    } else if (kind == TYPED_INTEGER && value->kind == TYPED_REAL && value->real == nearbyint(value->real) &&
               fabs(value->real) < 9e15) {
        value->integer = (int64_t)value->real;
    } else {
        return fail_kind(block, column, err);
    }
    value->kind = kind;
    return 0;
}

/* A value of another kind than its column, a text, or none. */
static int add_other(struct block *block, size_t column, struct typed_value value, struct err *err)
{
    struct column_data *data = &block->data[column];
    const size_t row = block->shown.rows;
    const enum typed_kind *kind = &block->shape->columns[column].kind;
    char text[FORM_NUMBER_MAX];

    if (value.kind == TYPED_MISSING) {
        if (*kind == TYPED_TEXT)
            return add_text(block, column, row, "", 0, err);
        ((int64_t *)data->numbers)[row] = 0;
        return 0;
    }
    if (!block->shape->settled && value.kind > *kind && widen(block, column, value.kind, err) < 0)
        return err_status(err);
    if (value.kind != *kind && convert(block, column, &value, text, err) < 0)
        return err_status(err);
    data->valid[row / 8] |= (uint8_t)(1U << row % 8);
    if (*kind == TYPED_TEXT)
        return add_text(block, column, row, value.text, value.length, err);
    memcpy((char *)data->numbers + row * sizeof value.integer, &value.integer, sizeof value.integer);
    return 0;
}

int block_add(struct block *block, const struct typed_value *values, struct err *err)
{
    const size_t row = block->shown.rows, count = block->shape->count;
    const struct shape_column *columns = block->shape->columns;
    for (size_t i = 0; i < count; i++) {
        struct column_data *data = &block->data[i];
        const enum typed_kind kind = values[i].kind;
        if (kind != columns[i].kind || kind == TYPED_TEXT || kind == TYPED_MISSING) {
            if (add_other(block, i, values[i], err) < 0)
                return err_status(err);
            continue;
        }
        data->valid[row / 8] |= (uint8_t)(1U << row % 8);
        memcpy((char *)data->numbers + row * sizeof values->integer, &values[i].integer, sizeof values->integer);
    }
    block->shown.rows++;
    return 0;
}

bool block_is_full(const struct block *block)
{
    return block->shown.rows == block->capacity || block->text_is_full;
}

void block_finish(struct block *block)
{
    static const enum msprof_type types[] = {[TYPED_MISSING] = MSPROF_TEXT,
                                             [TYPED_INTEGER] = MSPROF_INTEGER,
                                             [TYPED_REAL] = MSPROF_REAL,
                                             [TYPED_TEXT] = MSPROF_TEXT};
    for (size_t i = 0; i < block->shape->count; i++) {
        struct shape_column *column = &block->shape->columns[i];
        const struct column_data *data = &block->data[i];
        if (!block->shape->settled && column->kind == TYPED_MISSING)
            column->kind = TYPED_TEXT; /* no row has a value */
        block->columns[i] = (struct msprof_column){
            .id = column->id, .title = column->title, .type = types[column->kind], .valid = data->valid};
        if (column->kind == TYPED_INTEGER)
            block->columns[i].integers = data->numbers;
        else if (column->kind == TYPED_REAL)
            block->columns[i].reals = data->numbers;
        else
            block->columns[i].offsets = data->numbers;
        block->columns[i].text = column->kind != TYPED_TEXT ? NULL : data->text != NULL ? data->text : "";
    }
    if (!block->shape->settled) /* else others read it */
        block->shape->settled = true;
    block->shown.column_count = block->shape->count;
    block->shown.columns = block->columns;
}
