/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/intern.h"
#include "base/language.h"
#include "base/map.h"
#include "base/number.h"
#include "db/database.h"
#include "db/query/clocks.h"
#include "db/query/query_cann.h"
#include "db/query/query_loop.h"
#include "db/query/query_scan.h"
#include "db/query/query_window.h"
#include "features/answers/analysis/bound.h"
#include "features/answers/load/known.h"
#include "features/answers/load/load.h"

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
        ret.work_source = language_shown("the clock of the cores");
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

/* One of the two sizes of a matrix. Stored in blocks, it may be padded by less than one of them. */
struct side {
    double size, block; /* block: 1 where the size is the matrix's own */
};

struct tensor {
    double size[DIMENSIONS_MAX]; /* as it is stored */
    size_t count, batches;       /* batches: how many of the sizes stand before those of the matrix */
    struct side sides[2];
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

static bool is_listed(const char *const *names, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return true;
    return false;
}

/* Takes the last four sizes of FRACTAL_NZ, n1,m1,m0,n0: blocks of m0 rows and n0 columns, m1 of them below and n1
 * beside each other. False: these are no such sizes. */
static bool unfold_blocks(struct tensor *tensor)
{
    if (tensor->count < 4)
        return false;
    const double *last = &tensor->size[tensor->count - 4];
    double rows = last[2], columns = last[3];
    if (rows != 16 || (columns != 8 && columns != 16 && columns != 32 && columns != 64))
        return false;
    tensor->batches = tensor->count - 4;
    tensor->sides[0] = (struct side){last[1] * rows, rows};
    tensor->sides[1] = (struct side){last[0] * columns, columns};
    return true;
}

/* Reads a format up to a semicolon and finds the matrix of the shape by it; false: the format does not show it. Moves
 * *text. */
static bool read_format(const char **text, struct tensor *tensor)
{
    static const char *const blocked[] = {"FRACTAL_NZ", "FRAC_NZ"};
    static const char *const plain[] = {"ND",    "FORMAT_ND", "NCHW",  "NHWC",    "HWCN",         "CHWN",
                                        "NCDHW", "NDHWC",     "DHWCN", "DHWNC",   "NC",           "FORMAT_NC",
                                        "CN",    "FORMAT_CN", "NCL",   "DEFAULT", "DefaultFormat"};
    const char *name = *text;
    size_t whole = strcspn(name, ";"), length = strcspn(name, ":;");

    *text += whole + (name[whole] == ';');
    length -= length > 0 && name[length - 1] == '_'; /* of MindSpore */
    if (is_listed(blocked, sizeof blocked / sizeof *blocked, name, length))
        return unfold_blocks(tensor);
    tensor->batches = tensor->count - 2;
    for (size_t i = 0; i < 2; i++)
        tensor->sides[i] = (struct side){tensor->size[tensor->batches + i], 1};
    return is_listed(plain, sizeof plain / sizeof *plain, name, length);
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

/* The size that two sides have in common, as far as it is known; 0: none. */
static double common_size(struct side a, struct side b)
{
    double size = a.size < b.size ? a.size : b.size;

    return size > a.size - a.block && size > b.size - b.block ? size : 0;
}

/* 2 M N K of an (M, K), a (K, N) and an (M, N), each of the first two as it is or transposed; 0: they do not agree. */
static double work_turned(const struct tensor *a, bool a_turned, const struct tensor *b, bool b_turned,
                          const struct tensor *out)
{
    double m = common_size(a->sides[a_turned], out->sides[0]), k = common_size(a->sides[!a_turned], b->sides[b_turned]),
           n = common_size(b->sides[!b_turned], out->sides[1]);

    return 2 * m * n * k;
}

/* The work of the ways in which the tensors agree; 0: they do not, or padding leaves open which of two it is. */
static double work_of(const struct tensor *a, const struct tensor *b, const struct tensor *out)
{
    double batch = elements(out, out->batches), work = 0;
    double batch_a = elements(a, a->batches), batch_b = elements(b, b->batches);

    if ((batch_a != batch && batch_a != 1) || (batch_b != batch && batch_b != 1))
        return 0;
    for (int way = 0; way < 4; way++) {
        double turned = work_turned(a, way & 1, b, way & 2, out);
        if (turned > 0 && work > 0 && turned != work)
            return 0;
        work = turned > 0 ? turned : work;
    }
    return batch * work;
}

/* Fills in what the shapes prove; false: nothing. */
static bool measure(struct roofline_row *row, const char *output_types)
{
    struct tensor a, b, out;
    const char *inputs = row->inputs, *types = row->types, *formats = row->formats;
    const char *output = row->output, *output_formats = row->output_formats;

    if (inputs == NULL || types == NULL || formats == NULL || output == NULL || output_types == NULL ||
        output_formats == NULL || row->total_ns <= 0)
        return false;
    if (!read_shape(&inputs, &a) || !read_shape(&inputs, &b) || !read_shape(&output, &out))
        return false;
    if (!read_format(&formats, &a) || !read_format(&formats, &b) || !read_format(&output_formats, &out))
        return false;
    read_type(&types, &a);
    read_type(&types, &b);
    read_type(&output_types, &out);
    row->work = work_of(&a, &b, &out);
    row->bytes = elements(&a, a.count) * a.element_bytes + elements(&b, b.count) * b.element_bytes +
                 elements(&out, out.count) * out.element_bytes;
    return row->work > 0 && a.element_bytes > 0 && b.element_bytes > 0 && out.element_bytes > 0;
}

/* ---- products of matrices ---- */

/* Executions of one type with one set of tensors, by their ids. */
struct group {
    struct group_key {
        int64_t type, tensors;
    } key;
    double total_ns; /* of whole ticks, not rounded */
    int64_t count;
};

enum { PRODUCT_TYPE, INPUTS, TYPES, FORMATS, OUTPUT, OUTPUT_TYPES, OUTPUT_FORMATS, TEXTS };

/* Those whose texts are equal. */
struct product {
    uint32_t texts[TEXTS];
    double total_ns;
    int64_t count;
};

struct products {
    struct map types;  /* ids of their names */
    struct map groups; /* of struct group */
    struct map known;  /* of struct product */
    struct intern texts;
    struct cann_clocks clocks;
    const struct group *group;
};

static int take_type(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct products *products = arg;
    int64_t id = query_integer(row, 0);

    return map_add(&products->types, &id, NULL, err) != NULL ? 0 : err_status(err);
}

enum { TASK_TYPE, TASK_TENSORS, TASK_START, TASK_DURATION, TASK_DEVICE, TASK_VALUES };
static const struct scan_column task_values[] = {{"op_type_id", TASK_TYPE, false},
                                                 {"tensor_set_id", TASK_TENSORS, false},
                                                 {"start_ns", TASK_START, false},
                                                 {"duration_ns", TASK_DURATION, false},
                                                 {"device_id", TASK_DEVICE, false}};

static int take_task(void *arg, int64_t *row, struct err *err)
{
    struct products *products = arg;
    const struct group_key key = {row[TASK_TYPE], row[TASK_TENSORS]};

    if (row[TASK_DURATION] < 0 || map_get(&products->types, &key.type) == NULL)
        return 0;
    struct group *group = map_add(&products->groups, &key, NULL, err);
    if (group == NULL)
        return err_status(err);
    group->total_ns +=
        ticks_exact_ns(cann_clock_hz(&products->clocks, row[TASK_DEVICE]), row[TASK_START], row[TASK_DURATION]);
    group->count++;
    return 0;
}

static int take_texts(void *arg, sqlite3_stmt *statement, struct err *err)
{
    struct products *products = arg;
    const struct group *group = products->group;
    struct roofline_row row = {.total_ns = 1,
                               .inputs = query_text(statement, INPUTS),
                               .types = query_text(statement, TYPES),
                               .formats = query_text(statement, FORMATS),
                               .output = query_text(statement, OUTPUT),
                               .output_formats = query_text(statement, OUTPUT_FORMATS)};
    uint32_t texts[TEXTS];

    if (!measure(&row, query_text(statement, OUTPUT_TYPES)))
        return 0;
    for (int i = 0; i < TEXTS; i++) {
        const char *text = query_text(statement, i);
        if (intern_text(&products->texts, text, &texts[i], err) < 0)
            return err_status(err);
    }
    struct product *product = map_add(&products->known, texts, NULL, err);
    if (product == NULL)
        return err_status(err);
    product->total_ns += group->total_ns;
    product->count += group->count;
    return 0;
}

static int read_groups(sqlite3 *db, struct products *products, struct err *err)
{
    static const char all[] = "op_type_id IS NOT NULL AND tensor_set_id IS NOT NULL AND start_ns IS NOT NULL";
    char wanted[sizeof all + QUERY_WINDOW_SIZE];
    int status = query_run(
        db, "SELECT id FROM name WHERE text IN ('MatMul', 'MatMulV2', 'MatMulV3', 'BatchMatMul', 'BatchMatMulV2')",
        NULL, 0, take_type, products, err);

    return status < 0 || query_window_condition(db, all, wanted, sizeof wanted, err) < 0
               ? err_status(err)
               : query_scan_all(db, "device_task", wanted, task_values, TASK_VALUES, take_task, products, err);
}

static int read_texts(sqlite3 *db, struct products *products, struct err *err)
{
    sqlite3_stmt *statement;
    int status = database_prepare(
        db,
        "SELECT n.text, s.input_shapes, s.input_data_types, s.input_formats, s.output_shapes,"
        " s.output_data_types, s.output_formats FROM name n, tensor_set s WHERE n.id = ?1 AND s.id = ?2",
        &statement, err);

    for (const struct group *group = NULL; status == 0 && (group = map_next(&products->groups, group)) != NULL;) {
        products->group = group;
        query_bind(statement, 1, group->key.type);
        query_bind(statement, 2, group->key.tensors);
        status = query_loop(db, statement, take_texts, products, err);
    }
    sqlite3_finalize(statement);
    return status;
}

static int by_product(const void *a, const void *b, void *texts)
{
    const struct product *x = *(const struct product *const *)a, *y = *(const struct product *const *)b;
    const struct interned *items = ((const struct intern *)texts)->items;
    int order = array_order(y->total_ns, x->total_ns);

    for (int i = 0; order == 0 && i < TEXTS; i++)
        order = strcmp(items[x->texts[i]].bytes, items[y->texts[i]].bytes);
    return order;
}

static int give_products(struct products *products,
                         int (*each)(void *arg, const struct roofline_row *row, struct err *err), void *arg,
                         struct err *err)
{
    const struct product **sorted = calloc(products->known.used + 1, sizeof *sorted);
    size_t count = 0;
    int status = sorted != NULL ? 0 : err_no_memory(err);

    for (const struct product *it = NULL; sorted != NULL && (it = map_next(&products->known, it)) != NULL;)
        sorted[count++] = it;
    if (sorted != NULL)
        qsort_r((void *)sorted, count, sizeof *sorted, by_product, &products->texts);
    for (size_t i = 0; status == 0 && i < count; i++) {
        const char *texts[TEXTS];
        for (int k = 0; k < TEXTS; k++)
            texts[k] = products->texts.items[sorted[i]->texts[k]].bytes;
        struct roofline_row row = {.total_ns = sorted[i]->total_ns,
                                   .count = sorted[i]->count,
                                   .type = texts[PRODUCT_TYPE],
                                   .inputs = texts[INPUTS],
                                   .types = texts[TYPES],
                                   .formats = texts[FORMATS],
                                   .output = texts[OUTPUT],
                                   .output_formats = texts[OUTPUT_FORMATS]};
        if (measure(&row, texts[OUTPUT_TYPES]))
            status = each(arg, &row, err);
    }
    free((void *)sorted);
    return status;
}

static int each_product(sqlite3 *db, int (*each)(void *arg, const struct roofline_row *row, struct err *err), void *arg,
                        struct err *err)
{
    struct products products = {.types = {.key_size = sizeof(int64_t), .item_size = sizeof(int64_t)},
                                .groups = MAP_OF(struct group, key),
                                .known = MAP_OF(struct product, texts)};
    bool failed = cann_clocks_load(db, &products.clocks, err) < 0 || read_groups(db, &products, err) < 0 ||
                  read_texts(db, &products, err) < 0 || give_products(&products, each, arg, err) < 0;

    cann_clocks_release(&products.clocks);
    map_release(&products.types);
    map_release(&products.groups);
    map_release(&products.known);
    intern_release(&products.texts);
    return failed ? err_status(err) : 0;
}

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
    SCOPED_FREE const struct workload_operator **sorted = scoped_memory(workload->operator_count + 1, sizeof *sorted);
    size_t count = 0;

    if (sorted == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < workload->operator_count; i++) {
        const struct workload_operator *op = &workload->operators[i];
        if (op->counted_ns > 0 && op->units[UNIT_CUBE] > 0 && op->read_bytes >= 0 && op->write_bytes >= 0 &&
            op->read_bytes + op->write_bytes > 0)
            sorted[count++] = op;
    }
    qsort((void *)sorted, count, sizeof(const struct workload_operator *), by_total);
    for (size_t i = 0; i < count; i++) {
        const struct workload_operator *op = sorted[i];
        const struct roofline_row row = {
            .total_ns = op->counted_ns,
            .count = op->count,
            .work = op->units[UNIT_CUBE] * (double)workload->facts.clock_khz / 1e6 / (double)op->count,
            .bytes = (op->read_bytes + op->write_bytes) / (double)op->count,
            .type = workload_text(workload, op->key.type),
            .name = workload_text(workload, op->key.name),
        };
        if (each(arg, &row, err) < 0)
            return err_status(err);
    }
    return 0;
}

int roofline_each(sqlite3 *db, const struct workload *workload,
                  int (*each)(void *arg, const struct roofline_row *row, struct err *err), void *arg, struct err *err)
{
    if (!is_board(&workload->facts))
        return each_product(db, each, arg, err);
    return workload->facts.clock_khz > 0 ? each_counted(workload, each, arg, err) : 0;
}

static int take_words(struct operator_bounds *bounds, const struct workload *workload, struct err *err)
{
    struct named_operators list;
    int status = named_operators_make(workload, &list, err);
    bounds->words = calloc(workload->texts.count + 1, sizeof *bounds->words);
    if (status == 0 && bounds->words == NULL)
        status = err_set(err, ERR_NO_MEMORY, "out of memory for the names of operators");
    for (size_t i = 0; status == 0 && list.counted && i < list.count; i++)
        bounds->words[list.items[i].name] = bound_name(unit_times_bound(&list.items[i].times));
    free(list.items);
    return status;
}

struct known_words {
    struct intern *names;
    struct ARRAY_OF(const char *) words; /* of each name */
};

static int take_known(void *arg, const char *name, const char *bound, struct err *err)
{
    struct known_words *known = arg;
    uint32_t number;

    if (intern_text(known->names, name, &number, err) < 0)
        return err_status(err);
    return number == known->words.count ? array_add(&known->words, err, bound) : 0;
}

/* Takes what import found. *ret_known false: that is nothing. */
static int take_known_words(sqlite3 *db, struct operator_bounds *bounds, bool *ret_known, struct err *err)
{
    struct known_words known = {.names = &bounds->names};
    int status = known_bounds(db, take_known, &known, ret_known, err);

    bounds->words = known.words.items;
    return status;
}

int operator_bounds_load(sqlite3 *db, struct operator_bounds *ret, struct err *err)
{
    struct workload workload;
    struct db_facts facts;
    bool counted = true, known = false;
    *ret = (struct operator_bounds){.words = NULL};
    if (take_known_words(db, ret, &known, err) < 0 || known)
        return err_status(err);
    int status = db_read_facts(db, &facts, err);
    if (status == 0 && facts.family != CAPTURE_SVP)
        status = cann_has_counters(db, &counted, err);
    if (status < 0 || !counted)
        return status;
    status = workload_load_sums(db, &workload, err);
    if (status < 0)
        return status;
    status = take_words(ret, &workload, err);
    ret->names = workload.texts;
    workload.texts = (struct intern){.items = NULL};
    workload_release(&workload);
    return status;
}

int operator_bounds_of(const struct workload *workload, struct operator_bounds *ret, struct err *err)
{
    *ret = (struct operator_bounds){.names = workload->texts, .borrowed = true};
    return take_words(ret, workload, err);
}

void operator_bounds_release(struct operator_bounds *bounds)
{
    if (!bounds->borrowed)
        intern_release(&bounds->names);
    free((void *)bounds->words);
    bounds->words = NULL;
}

const char *operator_bounds_find(const struct operator_bounds *bounds, const char *name, size_t length)
{
    uint32_t number;
    return bounds->words != NULL && intern_find(&bounds->names, name, length, &number) ? bounds->words[number] : NULL;
}
