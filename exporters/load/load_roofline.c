/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/load/load_roofline.h"

#include "base/array.h"
#include "base/number.h"
#include "db/query/query_loop.h"

#include <stdlib.h>
#include <string.h>

/* ---- roofs ---- */

static bool is_board(const struct workload_facts *facts)
{
    return strcmp(facts->chip, "SVP") == 0;
}

struct roofline roofline_of(const struct workload_facts *facts, const struct roofs *roofs)
{
    struct roofline ret = {.bytes_ns = roofs->bytes_s / 1e9};

    if (is_board(facts) && facts->clock_khz > 0) {
        ret.work_ns = (double)facts->clock_khz / 1e6;
        ret.work_source = "the clock of the cores";
    } else if (!is_board(facts) && roofs->flop_s > 0) {
        ret.work_ns = roofs->flop_s / 1e9;
        ret.work_source = "--peak-flops";
    }
    return ret;
}

double roofline_at(const struct roofline *roofline, double intensity, const char **ret_name)
{
    double memory = roofline->bytes_ns * intensity;
    bool by_memory = memory > 0 && (roofline->work_ns <= 0 || memory < roofline->work_ns);

    *ret_name = by_memory ? "memory" : roofline->work_ns > 0 ? "work" : NULL;
    return by_memory ? memory : roofline->work_ns;
}

/* ---- shapes ---- */

#define DIMENSIONS_MAX 8

struct tensor {
    double size[DIMENSIONS_MAX];
    size_t count;
    double element_bytes; /* 0: not known */
};

/* Reads "4,16,8" up to a semicolon; false: it is no matrix. Moves *text behind it. */
static bool read_shape(const char **text, struct tensor *ret)
{
    ret->count = 0;
    while (**text >= '0' && **text <= '9' && ret->count < DIMENSIONS_MAX) {
        char *end;
        ret->size[ret->count] = (double)strtoull(*text, &end, 10);
        if (ret->size[ret->count++] <= 0)
            return false;
        *text = end + (*end == ',');
        if (*end != ',')
            break;
    }
    if (**text != '\0' && **text != ';')
        return false;
    *text += **text == ';';
    return ret->count >= 2;
}

static void read_type(const char **text, struct tensor *ret)
{
    static const struct {
        const char *name;
        double bytes;
    } types[] = {{"FLOAT16", 2}, {"BF16", 2}, {"DT_BF16", 2}, {"BFLOAT16", 2}, {"FLOAT", 4},
                 {"FLOAT32", 4}, {"INT8", 1}, {"UINT8", 1},   {"INT32", 4},    {"DOUBLE", 8}};
    size_t length = strcspn(*text, ";");

    ret->element_bytes = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && strncmp(types[i].name, *text, length) == 0)
            ret->element_bytes = types[i].bytes;
    *text += length + ((*text)[length] == ';');
}

static double elements(const struct tensor *tensor, size_t count)
{
    double product = 1;

    for (size_t i = 0; i < count; i++)
        product *= tensor->size[i];
    return product;
}

/* Finds the one of the last two sizes that is not this; 0: neither is it. */
static double other_of(const struct tensor *tensor, double size)
{
    const double *last = &tensor->size[tensor->count - 2];

    return last[0] == size ? last[1] : last[1] == size ? last[0] : 0;
}

/* 2 M N K where an (M, K), a (K, N) and an (M, N), each as it is or transposed, agree; else 0. */
static double work_of(const struct tensor *a, const struct tensor *b, const struct tensor *out)
{
    double m = out->size[out->count - 2], n = out->size[out->count - 1];
    double batch = elements(out, out->count - 2), k = other_of(a, m);
    double batch_a = elements(a, a->count - 2), batch_b = elements(b, b->count - 2);

    if (k == 0 || other_of(b, n) != k || (batch_a != batch && batch_a != 1) || (batch_b != batch && batch_b != 1))
        return 0;
    return 2 * batch * m * n * k;
}

struct shaped {
    int (*each)(void *arg, const struct roofline_row *row, struct err *err);
    void *arg;
};

/* Fills in what the shapes prove; false: nothing. */
static bool measure(struct roofline_row *row, const char *output_types)
{
    struct tensor a, b, out;
    const char *inputs = row->inputs, *types = row->types, *output = row->output;

    if (inputs == NULL || types == NULL || output == NULL || output_types == NULL || row->total_ns <= 0)
        return false;
    if (!read_shape(&inputs, &a) || !read_shape(&inputs, &b) || !read_shape(&output, &out))
        return false;
    read_type(&types, &a);
    read_type(&types, &b);
    read_type(&output_types, &out);
    row->work = work_of(&a, &b, &out);
    row->bytes = elements(&a, a.count) * a.element_bytes + elements(&b, b.count) * b.element_bytes +
                 elements(&out, out.count) * out.element_bytes;
    return row->work > 0 && a.element_bytes > 0 && b.element_bytes > 0 && out.element_bytes > 0;
}

static int take_group(void *arg, sqlite3_stmt *statement, struct err *err)
{
    const struct shaped *shaped = arg;
    struct roofline_row row = {
        .total_ns = query_integer(statement, 0),
        .count = query_integer(statement, 1),
        .type = query_text(statement, 2),
        .inputs = query_text(statement, 3),
        .types = query_text(statement, 4),
        .output = query_text(statement, 5),
    };
    return measure(&row, query_text(statement, 6)) ? shaped->each(shaped->arg, &row, err) : 0;
}

static const char shaped_groups[] =
    "SELECT sum(g.total_ns) AS total, sum(g.count), n.text, s.input_shapes, s.input_data_types, s.output_shapes,"
    " s.output_data_types FROM (SELECT op_type_id, tensor_set_id, count(*) AS count, sum(duration_ns) AS total_ns"
    "  FROM device_task WHERE op_type_id IN (SELECT id FROM name WHERE text IN ('MatMul', 'MatMulV2', 'MatMulV3',"
    "   'BatchMatMul', 'BatchMatMulV2')) AND start_ns IS NOT NULL AND duration_ns >= 0"
    "  GROUP BY op_type_id, tensor_set_id) g"
    " JOIN name n ON n.id = g.op_type_id JOIN tensor_set s ON s.id = g.tensor_set_id"
    " GROUP BY n.text, s.input_shapes, s.input_data_types, s.output_shapes, s.output_data_types"
    " ORDER BY total DESC, n.text, s.input_shapes, s.input_data_types, s.output_shapes, s.output_data_types";

/* ---- boards ---- */

static int by_total(const void *a, const void *b)
{
    const struct workload_operator *x = *(const struct workload_operator *const *)a,
                                   *y = *(const struct workload_operator *const *)b;

    return x->counted_ns != y->counted_ns ? array_order(y->counted_ns, x->counted_ns) : array_order(x->first, y->first);
}

static int each_counted(const struct workload *workload,
                        int (*each)(void *arg, const struct roofline_row *row, struct err *err), void *arg,
                        struct err *err)
{
    const struct workload_operator **sorted = calloc(workload->operator_count + 1, sizeof *sorted);
    size_t count = 0;
    int status = 0;

    if (sorted == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < workload->operator_count; i++) {
        const struct workload_operator *op = &workload->operators[i];
        if (op->counted_ns > 0 && op->units[UNIT_CUBE] > 0 && op->read_bytes >= 0 && op->write_bytes >= 0 &&
            op->read_bytes + op->write_bytes > 0)
            sorted[count++] = op;
    }
    qsort((void *)sorted, count, sizeof(const struct workload_operator *), by_total);
    for (size_t i = 0; i < count && status == 0; i++) {
        const struct workload_operator *op = sorted[i];
        const struct roofline_row row = {
            .total_ns = number_from_real(op->counted_ns),
            .count = op->count,
            .work = op->units[UNIT_CUBE] * (double)workload->facts.clock_khz / 1e6 / (double)op->count,
            .bytes = (op->read_bytes + op->write_bytes) / (double)op->count,
            .type = workload_text(workload, op->key.type),
            .name = workload_text(workload, op->key.name),
        };
        status = each(arg, &row, err);
    }
    free((void *)sorted);
    return status;
}

int roofline_each(sqlite3 *db, const struct workload *workload,
                  int (*each)(void *arg, const struct roofline_row *row, struct err *err), void *arg, struct err *err)
{
    struct shaped shaped = {each, arg};

    if (!is_board(&workload->facts))
        return query_run(db, shaped_groups, NULL, 0, take_group, &shaped, err);
    return workload->facts.clock_khz > 0 ? each_counted(workload, each, arg, err) : 0;
}
