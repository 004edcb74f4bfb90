/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by type, shapes, data types and formats. */
#include "base/array.h"
#include "base/map.h"
#include "base/statistics.h"
#include "db/query/query_scan.h"
#include "db/query/query_window.h"
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
    {"Count", SHOWN(series.n), .flags = REPORT_NUMBER, .doc = "Number of executions."},
    {"Median(us)", SHOWN(series.median), FORM_SCALED, 3, .doc = "Median time of an execution."},
    {"P95(us)", SHOWN(p95_ns), FORM_SCALED, 3, .flags = REPORT_NARROW, .doc = "95th percentile."},
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
    int64_t type, tensors; /* ids */
    double total_ns;
    size_t count;
    int64_t hz;    /* of the clock of its durations (ticks_share_hz) */
    uint32_t last; /* of its durations */
};

struct known_shape {
    struct shape_key {
        int64_t type, tensors;
    } key;
    size_t shape;
};

struct shapes {
    struct shape *items;
    size_t count, capacity;
    struct map known;
    double total_ns;
    const struct cann_clocks *clocks;
    struct grouped durations;
};

enum { TYPE, TENSORS, START, DURATION, DEVICE, VALUES };
static const struct scan_column values[] = {{"op_type_id", TYPE, false},
                                            {"tensor_set_id", TENSORS, false},
                                            {"start_ns", START, false},
                                            {"duration_ns", DURATION, false},
                                            {"device_id", DEVICE, false}};

static int take_execution(void *arg, int64_t *row, struct err *err)
{
    struct shapes *shapes = arg;
    const struct shape_key key = {row[TYPE], row[TENSORS]};
    bool added;
    if (row[DURATION] < 0)
        return 0;
    struct known_shape *known = map_add(&shapes->known, &key, &added, err);

    if (known == NULL)
        return err_status(err);
    if (added) {
        if (array_reserve(shapes, 1, err) < 0)
            return err_status(err);
        known->shape = shapes->count;
        shapes->items[shapes->count++] = (struct shape){.type = key.type, .tensors = key.tensors};
    }
    struct shape *shape = &shapes->items[known->shape];
    const int64_t hz = cann_clock_hz(shapes->clocks, row[DEVICE]);
    const double length = ticks_exact_ns(hz, row[START], row[DURATION]);
    shape->total_ns += length;
    shape->count++;
    ticks_share_hz(&shape->hz, hz);
    shapes->total_ns += length;
    return grouped_add(&shapes->durations, &shape->last, ticks_span_ns(hz, row[START], row[DURATION]), err);
}

static int load_shapes(sqlite3 *db, struct shapes *shapes, struct err *err)
{
    static const char all[] = "op_type_id IS NOT NULL AND tensor_set_id IS NOT NULL AND start_ns IS NOT NULL";
    char wanted[sizeof all + QUERY_WINDOW_SIZE];

    return query_window_condition(db, all, wanted, sizeof wanted, err) < 0
               ? err_status(err)
               : query_scan_all(db, "device_task", wanted, values, VALUES, take_execution, shapes, err);
}

ARRAY_COMPARE(by_total, struct shape, ARRAY_BY_MOST(total_ns), ARRAY_BY(type), ARRAY_BY(tensors))

static int put_shape(struct report_run *run, const struct cann_texts *names, const struct cann_texts *tensors,
                     const struct shapes *shapes, const struct shape *shape, struct err *err)
{
    struct shown row = {.type = cann_text(names, shape->type, 0).text,
                        .share = shapes->total_ns > 0 ? shape->total_ns / shapes->total_ns * 1e4 : 0};
    int status = grouped_series(&shapes->durations, shape->last, shape->count, shape->hz, &row.series, err);

    if (status != 0)
        return status;
    row.p95_ns = row.series.p95;
    row.series.total = shape->total_ns;
    for (size_t i = 0; i < CANN_TENSOR_COLUMNS; i++)
        row.tensors[i] = cann_text(tensors, shape->tensors, i).text;
    status = report_put(run, &row, err);
    series_release(&row.series);
    return status;
}

static int put_shapes(struct report_run *run, struct shapes *shapes, struct err *err)
{
    const struct cann_texts *names = report_names(run->session, true, err),
                            *tensors = names != NULL ? report_tensors(run->session, true, err) : NULL;

    if (names == NULL || tensors == NULL)
        return err_status(err);
    if (shapes->count > 0)
        array_sort(shapes->items, shapes->count, sizeof *shapes->items, by_total);
    for (size_t i = 0; i < shapes->count && !report_writer_leave_rest(&run->writer, shapes->count - i); i++)
        if (put_shape(run, names, tensors, shapes, &shapes->items[i], err) < 0)
            return err_status(err);
    return 0;
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct shapes shapes = {.known = MAP_OF(struct known_shape, key), .clocks = report_clocks(run->session, err)};
    int status = shapes.clocks != NULL ? load_shapes(run->session->db, &shapes, err) : err_status(err);

    if (status == 0)
        status = put_shapes(run, &shapes, err);
    grouped_release(&shapes.durations);
    free(shapes.items);
    map_release(&shapes.known);
    return status;
}

const struct report report_shapes = {
    .name = "shapes",
    .title = "Operators by type, shapes and data types",
    .doc = "Time by type of operator, and by shapes, data types and formats of its inputs and outputs, the largest "
           "total first.",
    .needs = "operators with shapes",
    .families = FAMILY_OF(CAPTURE_CANN) | FAMILY_OF(CAPTURE_2022) | FAMILY_OF(CAPTURE_JOB),
    .shown_only = true,
    .windowed = true,
    .columns = columns,
    .rows = put_rows,
};
