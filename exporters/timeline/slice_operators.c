/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/slice_operators.h"

#include "exporters/table/row_format.h"
#include "exporters/timeline/event.h"
#include "exporters/timeline/short_name.h"

#include <stdlib.h>

enum { INPUT_SHAPES = 0, OUTPUT_SHAPES = 3 }; /* columns of cann_tensor_sets_load */

int encode_texts(struct cann_texts *texts, struct err *err)
{
    static const char *const any_title[] = {""};
    struct row_format json;
    int status = row_format_init(&json, TABLE_JSON, any_title, 1, err);
    if (status < 0)
        return status;
    status = row_format_encode(&json, texts, NULL, err);
    row_format_release(&json);
    return status;
}

static int find_bounds(struct slice_operators *operators, const struct operator_bounds *bounds,
                       const struct cann_texts *names, struct err *err)
{
    operators->bounds = calloc(names->rows + 1, sizeof *operators->bounds);
    if (operators->bounds == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu names", names->rows);
    for (size_t i = 0; i < names->rows; i++) {
        const struct cann_text name = cann_text(names, (int64_t)i, 0);
        if (name.text != NULL)
            operators->bounds[i] = operator_bounds_find(bounds, name.text, name.length);
    }
    return 0;
}

int slice_operators_load(struct slice_operators *ret, sqlite3 *db, const struct cann_texts *names, struct err *err)
{
    struct operator_bounds bounds;
    *ret = (struct slice_operators){.begins = NULL};
    int status = operator_bounds_load(db, &bounds, err);
    if (status == 0)
        status = find_bounds(ret, &bounds, names, err);
    operator_bounds_release(&bounds);
    if (status == 0)
        status = cann_tensor_sets_load(db, &ret->tensors, err);
    return status == 0 ? encode_texts(&ret->tensors, err) : status;
}

int slice_operators_shorten(struct slice_operators *operators, const struct cann_texts *names, struct err *err)
{
    operators->begins = short_names_of_texts(names, err);
    return operators->begins != NULL ? 0 : -(int)err->code;
}

void slice_operators_release(struct slice_operators *operators)
{
    free(operators->begins);
    free((void *)operators->bounds);
    cann_texts_release(&operators->tensors);
    *operators = (struct slice_operators){.begins = NULL};
}

/* Where the short name begins in the whole; 0: it is the whole. */
static size_t begin_of(const struct slice_operators *operators, const struct cann_texts *names, int64_t name_id)
{
    bool known = operators->begins != NULL && name_id >= 0 && (uint64_t)name_id < names->rows;
    return known ? operators->begins[name_id] : 0;
}

static char *put_text(char *p, struct cann_text text)
{
    return text.text != NULL ? trace_put_bytes(p, text.text, text.length) : trace_put_literal(p, "\"N/A\"");
}

char *slice_put_name(char *p, const struct slice_operators *operators, const struct cann_texts *names, int64_t name_id)
{
    const struct cann_text name = cann_text(names, name_id, 0);
    size_t begin = begin_of(operators, names, name_id);
    if (begin == 0)
        return put_text(p, name);
    *p++ = '"';
    return trace_put_bytes(p, name.text + begin, name.length - begin);
}

size_t slice_operator_room(const struct slice_operators *operators, const struct cann_texts *names,
                           const struct cann_task *task)
{
    if (operators->begins == NULL || task->op_name_id == DB_NULL)
        return 0;
    return TRACE_EVENT_MAX + (size_t)cann_text(names, task->op_name_id, 0).length +
           cann_text(names, task->op_type_id, 0).length +
           cann_text(&operators->tensors, task->tensor_set_id, INPUT_SHAPES).length +
           cann_text(&operators->tensors, task->tensor_set_id, OUTPUT_SHAPES).length;
}

static char *put_known(char *p, const char *key, struct cann_text text)
{
    return text.text != NULL ? put_text(trace_put_key(p, key), text) : p;
}

char *slice_put_operator(char *p, const struct slice_operators *operators, const struct cann_texts *names,
                         const struct cann_task *task)
{
    if (operators->begins == NULL || task->op_name_id == DB_NULL)
        return p;
    if (begin_of(operators, names, task->op_name_id) > 0)
        p = put_known(p, "Op Name", cann_text(names, task->op_name_id, 0));
    p = put_known(p, "OP Type", cann_text(names, task->op_type_id, 0));
    const char *bound = (uint64_t)task->op_name_id < names->rows ? operators->bounds[task->op_name_id] : NULL;
    if (bound != NULL) {
        p = trace_put_literal(p, ",\"Bound\":\"");
        p = trace_put_word(p, bound);
        p = trace_put_literal(p, "\"");
    }
    if (task->block_num != DB_NULL)
        p = number_put_signed(trace_put_literal(p, ",\"Block Num\":"), task->block_num);
    if (task->mix_block_num != DB_NULL && task->mix_block_num > 0)
        p = number_put_signed(trace_put_literal(p, ",\"Mix Block Num\":"), task->mix_block_num);
    p = put_known(p, "Input Shapes", cann_text(&operators->tensors, task->tensor_set_id, INPUT_SHAPES));
    return put_known(p, "Output Shapes", cann_text(&operators->tensors, task->tensor_set_id, OUTPUT_SHAPES));
}
