/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices: how much is calculated for each byte, and how fast. Only what shapes prove is told. */
#include "db/query/query_loop.h"
#include "exporters/table/report.h"

#include <stdlib.h>

struct shown {
    int64_t total_ns, count;
    double mflop, kib, intensity, gflop_s, gb_s; /* of one execution; the last two by the mean time */
    const char *type, *inputs, *types, *output;
};

static const struct report_column columns[] = {
    {"Total(us)", SHOWN(total_ns), FORM_SCALED, 3, .doc = "The time of all executions."},
    {"Count", SHOWN(count), .flags = REPORT_NUMBER, .doc = "How often it ran."},
    {"Work(MFLOP)", SHOWN(mflop), FORM_SHORTEST, 3,
     .doc = "Work of one execution: 2 M N K, of each matrix of a batch."},
    {"Data(KiB)", SHOWN(kib), FORM_SHORTEST, 3, .doc = "Inputs and output, each moved once: no execution moves less."},
    {"Intensity(FLOP/B)", SHOWN(intensity), FORM_SHORTEST, 3, .id = "intensity", .doc = "The work by the data."},
    {"Throughput(GFLOP/s)", SHOWN(gflop_s), FORM_SHORTEST, 3, .id = "throughput", .doc = "The work by the mean time."},
    {"Traffic(GB/s)", SHOWN(gb_s), FORM_SHORTEST, 3, .id = "traffic", .doc = "The data by the mean time."},
    {"Type", SHOWN(type), .doc = "The type of the operator."},
    {"Input Shapes", SHOWN(inputs), .doc = "Shapes of its inputs."},
    {"Input Data Types", SHOWN(types), .flags = REPORT_NARROW, .doc = "Their data types."},
    {"Output Shapes", SHOWN(output), .flags = REPORT_NARROW, .doc = "Shape of its output."},
    {.title = NULL},
};

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

/* Fills in what the shapes prove; false: nothing. */
static bool measure(struct shown *row, const char *output_types)
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
    double flop = work_of(&a, &b, &out), mean_ns = (double)row->total_ns / (double)row->count;
    double bytes = elements(&a, a.count) * a.element_bytes + elements(&b, b.count) * b.element_bytes +
                   elements(&out, out.count) * out.element_bytes;
    if (flop <= 0 || a.element_bytes <= 0 || b.element_bytes <= 0 || out.element_bytes <= 0)
        return false;
    row->mflop = flop / 1e6;
    row->kib = bytes / 1024;
    row->intensity = flop / bytes;
    row->gflop_s = flop / mean_ns;
    row->gb_s = bytes / mean_ns;
    return true;
}

static int take_group(void *arg, sqlite3_stmt *statement, struct err *err)
{
    struct shown row = {
        .total_ns = query_integer(statement, 0),
        .count = query_integer(statement, 1),
        .type = query_text(statement, 2),
        .inputs = query_text(statement, 3),
        .types = query_text(statement, 4),
        .output = query_text(statement, 5),
    };
    return measure(&row, query_text(statement, 6)) ? report_put(arg, &row, err) : 0;
}

static int put_rows(struct report_run *run, struct err *err)
{
    return query_run(
        run->session->db,
        "SELECT sum(g.total_ns) AS total, sum(g.count), n.text, s.input_shapes, s.input_data_types, s.output_shapes,"
        " s.output_data_types FROM (SELECT op_type_id, tensor_set_id, count(*) AS count, sum(duration_ns) AS total_ns"
        "  FROM device_task WHERE op_type_id IN (SELECT id FROM name WHERE text IN ('MatMul', 'MatMulV2', 'MatMulV3',"
        "   'BatchMatMul', 'BatchMatMulV2')) AND start_ns IS NOT NULL AND duration_ns >= 0"
        "  GROUP BY op_type_id, tensor_set_id) g"
        " JOIN name n ON n.id = g.op_type_id JOIN tensor_set s ON s.id = g.tensor_set_id"
        " GROUP BY n.text, s.input_shapes, s.input_data_types, s.output_shapes, s.output_data_types"
        " ORDER BY total DESC, n.text, s.input_shapes, s.input_data_types, s.output_shapes, s.output_data_types",
        NULL, 0, take_group, run, err);
}

const struct report report_roofline = {
    .name = "roofline",
    .title = "Products of matrices by work and data",
    .doc = "For products of matrices whose shapes agree: the work of one, the least data that it moves, their ratio "
           "(arithmetic intensity), and how much of both a second had. The largest total first. No roof is told: a "
           "capture does not say what the chip could do.",
    .needs = "products of matrices whose shapes are recorded and agree",
    .families = FAMILY_OF(CAPTURE_CANN) | FAMILY_OF(CAPTURE_2022) | FAMILY_OF(CAPTURE_JOB),
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
