/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by type, shapes, data types and formats. */
#include "analysis/compare/statistics.h"
#include "base/array.h"
#include "base/file/large.h"
#include "base/map.h"
#include "db/query/query_scan.h"
#include "exporters/table/report.h"

#include <stdlib.h>

struct shown {
    struct series series;
    double share, p95_ns; /* share: of 10000 */
    const char *type, *tensors[CANN_TENSOR_COLUMNS];
};

static const struct report_column columns[] = {
    {"Share(%)", SHOWN(share), FORM_SCALED, 2, .doc = "Share of the total of all rows."},
    {"Total(us)", SHOWN(series.total), FORM_SCALED, 3, .doc = "The time of all executions."},
    {"Count", SHOWN(series.n), .flags = REPORT_NUMBER, .doc = "How often it ran."},
    {"Median(us)", SHOWN(series.median), FORM_SCALED, 3, .doc = "Half of the executions took no longer."},
    {"P95(us)", SHOWN(p95_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "19 of 20 executions took no longer."},
    {"Longest(us)", SHOWN(series.maximum), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "The longest execution."},
    {"Type", SHOWN(type), .doc = "The type of the operator."},
    {"Input Shapes", SHOWN(tensors[0]), .doc = "Shapes of its inputs."},
    {"Input Data Types", SHOWN(tensors[1]), .doc = "Their data types."},
    {"Input Formats", SHOWN(tensors[2]), .flags = REPORT_NARROW, .doc = "Their formats."},
    {"Output Shapes", SHOWN(tensors[3]), .flags = REPORT_NARROW, .doc = "Shapes of its outputs."},
    {"Output Data Types", SHOWN(tensors[4]), .flags = REPORT_NARROW, .doc = "Their data types."},
    {"Output Formats", SHOWN(tensors[5]), .flags = REPORT_NARROW, .doc = "Their formats."},
    {.title = NULL},
};

/* The executions of one type with one set of tensors. */
struct shape {
    struct shape_key {
        int64_t type, tensors; /* ids */
    } key;
    double total_ns;
    struct durations durations;
};

struct shapes {
    struct map known;
    struct shape *items; /* of known */
    double total_ns;
};

enum { TYPE, TENSORS, START, DURATION, VALUES };
static const struct scan_column values[] = {{"op_type_id", TYPE, false},
                                            {"tensor_set_id", TENSORS, false},
                                            {"start_ns", START, false},
                                            {"duration_ns", DURATION, false}};

static int take_execution(void *arg, int64_t *row, struct err *err)
{
    struct shapes *shapes = arg;
    const struct shape_key key = {row[TYPE], row[TENSORS]};
    if (row[DURATION] < 0)
        return 0;
    struct shape *shape = map_add(&shapes->known, &key, NULL, err);

    if (shape == NULL)
        return err_status(err);
    shape->total_ns += (double)row[DURATION];
    shapes->total_ns += (double)row[DURATION];
    return statistics_durations_add(&shape->durations, row[DURATION], err);
}

ARRAY_COMPARE(by_total, struct shape, ARRAY_BY_MOST(total_ns), ARRAY_BY(key.type), ARRAY_BY(key.tensors))

static int put_shape(struct report_run *run, const struct cann_texts *names, const struct cann_texts *tensors,
                     const struct shapes *shapes, struct shape *shape, struct err *err)
{
    struct shown row = {.type = cann_text(names, shape->key.type, 0).text,
                        .share = shapes->total_ns > 0 ? shape->total_ns / shapes->total_ns * 1e4 : 0};
    int status = series_make(&row.series, shape->durations.items, shape->durations.count, err);

    if (status != 0)
        return status;
    row.p95_ns = series_percentile(&row.series, 0.95);
    for (size_t i = 0; i < CANN_TENSOR_COLUMNS; i++)
        row.tensors[i] = cann_text(tensors, shape->key.tensors, i).text;
    status = report_put(run, &row, err);
    series_release(&row.series);
    return status;
}

static int put_shapes(struct report_run *run, struct shapes *shapes, struct err *err)
{
    const struct cann_texts *names = report_names(run->session, true, err),
                            *tensors = names != NULL ? report_tensors(run->session, true, err) : NULL;
    size_t count = shapes->known.used;
    int status = 0;

    if (names == NULL || tensors == NULL)
        return err_status(err);
    array_sort(shapes->items, count, sizeof *shapes->items, by_total);
    for (size_t i = 0; status == 0 && i < count && !report_writer_leave_rest(&run->writer, count - i); i++)
        status = put_shape(run, names, tensors, shapes, &shapes->items[i], err);
    return status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    static const char wanted[] = "op_type_id IS NOT NULL AND tensor_set_id IS NOT NULL AND start_ns IS NOT NULL";
    struct shapes shapes = {.known = MAP_OF(struct shape, key)};
    bool done =
        query_scan_all(run->session->db, "device_task", wanted, values, VALUES, take_execution, &shapes, err) == 0 &&
        (shapes.items = map_items(&shapes.known, err)) != NULL && put_shapes(run, &shapes, err) == 0;

    for (struct shape *shape = NULL; (shape = map_next(&shapes.known, shape)) != NULL;)
        large_free(shape->durations.items);
    free(shapes.items);
    map_release(&shapes.known);
    return done ? 0 : err_status(err);
}

const struct report report_shapes = {
    .name = "shapes",
    .title = "Operators by type, shapes and data types",
    .doc = "Time by type of operator, and by shapes, data types and formats of its inputs and outputs, the largest "
           "total first.",
    .needs = "operators with shapes",
    .families = FAMILY_OF(CAPTURE_CANN) | FAMILY_OF(CAPTURE_2022) | FAMILY_OF(CAPTURE_JOB),
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
