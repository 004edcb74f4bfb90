/* SPDX-License-Identifier: Apache-2.0 */
/* MindSpore's own tables: shapes of operators, stages of the data pipeline. */
#include "base/array.h"
#include "base/number.h"
#include "exporters/reports/framework/analysis.h"
#include "parsers/frameworks/mindspore/mindspore.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- operator_details.csv ---- */

struct shape {
    struct report_value name, shapes;
};

static const struct report_column detail_columns[] = {
    {"Name", REPORT_FIELD(struct shape, name), .doc = "The operator."},
    {"Input Shapes", REPORT_FIELD(struct shape, shapes), .doc = "Shapes of its inputs."},
    {.title = NULL},
};

static int put_shape(void *arg, const struct framework_text *name, const struct framework_text *shapes, struct err *err)
{
    const struct shape row = {value_text_of(name->text != NULL ? name->text : "", name->length),
                              value_text_of(shapes->text != NULL ? shapes->text : "", shapes->length)};
    return report_put((struct report_run *)arg, &row, err);
}

static int put_shapes(struct report_run *run, struct err *err)
{
    struct framework_analysis *analysis = report_analysis(run);
    return mindspore_each_shape(analysis->directory, put_shape, run, analysis->diag, err);
}

static const struct report operator_details = {
    .name = "operator_details",
    .title = "Shapes of operators",
    .doc = "The shapes that operators were called with.",
    .columns = detail_columns,
    .rows = put_shapes,
};

/* ---- dataset.csv ---- */

struct stage {
    const char *operation, *stage, *custom;
    int64_t count;
    double mean_us;
};

static const struct report_column dataset_columns[] = {
    {"Operation", REPORT_FIELD(struct stage, operation), .doc = "The operation of the data pipeline."},
    {"Stage", REPORT_FIELD(struct stage, stage), .doc = "Which part of it."},
    {"Occurrences", REPORT_FIELD(struct stage, count), .flags = REPORT_NUMBER, .doc = "How often."},
    {"Avg. time (us)", REPORT_FIELD(struct stage, mean_us), FORM_FLOAT, .doc = "How long on average."},
    {"Custom Info", REPORT_FIELD(struct stage, custom), .doc = "Text of the operation about itself."},
    {.title = NULL},
};

/* To two decimals, as the nearest double: what Python's round gives. */
static double rounded(double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.2f", value);
    return strtod(text, NULL);
}

struct runs {
    int64_t count, total_ns;
};

static int put_dataset(struct report_run *run, const struct framework_dataset *dataset, const struct runs *runs,
                       struct err *err)
{
    const struct framework *framework = report_analysis(run)->framework;
    const struct stage row = {
        .operation = framework_text(framework, dataset->event),
        .stage = framework_text(framework, dataset->operation),
        .custom = framework_text(framework, dataset->custom),
        .count = runs->count,
        .mean_us = rounded((double)runs->total_ns / 1000.0 / (double)runs->count),
    };
    return report_put(run, &row, err);
}

static int put_datasets(struct report_run *run, struct err *err)
{
    const struct framework_analysis *analysis = report_analysis(run);
    const struct framework *framework = analysis->framework;
    struct runs *runs = calloc(framework->datasets.count + 1, sizeof *runs);
    int status = runs != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory for the data pipeline");
    for (size_t i = 0; status == 0 && i < framework->dataset_runs.count; i++) {
        const struct framework_dataset_run *one = &framework->dataset_runs.items[i];
        if (!framework_wants_time(analysis, one->start_ns))
            continue;
        runs[one->dataset].count++;
        runs[one->dataset].total_ns = number_add(runs[one->dataset].total_ns, one->duration_ns);
    }
    for (size_t i = 0; status == 0 && i < framework->datasets.count; i++) {
        if (runs[i].count > 0)
            status = put_dataset(run, &framework->datasets.items[i], &runs[i], err);
    }
    free(runs);
    return status;
}

static const struct report dataset = {
    .name = "dataset",
    .title = "Data pipeline",
    .doc = "Time that the operations of the data pipeline took.",
    .columns = dataset_columns,
    .rows = put_datasets,
};

int mindspore_write_tables(struct framework_analysis *analysis, struct err *err)
{
    const struct framework_info *info = &analysis->framework->info;
    int status = info->record_shapes ? framework_write_report(analysis, &operator_details, err) : 0;
    return status == 0 ? framework_write_report(analysis, &dataset, err) : status;
}

/* MindSpore's tables of device memory: operator_memory.csv, memory_record.csv. */

#define KB 1024.0
#define MB (1024.0 * 1024.0)

const struct report_column framework_memory_columns[] = {
    {"Name", REPORT_FIELD(struct framework_memory, name), .doc = "The operator."},
    {"Size(KB)", REPORT_FIELD(struct framework_memory, kb), FORM_FLOAT, .doc = "How much it got."},
    {"Allocation Time(us)", REPORT_FIELD(struct framework_memory, got), FORM_FLOAT, .doc = "When it got it."},
    {"Release Time(us)", REPORT_FIELD(struct framework_memory, gave), FORM_FLOAT, .doc = "When it was given back."},
    {"Active Release Time(us)", REPORT_FIELD(struct framework_memory, active_gave), FORM_FLOAT,
     .doc = "When it could be used again."},
    {"Duration(us)", REPORT_FIELD(struct framework_memory, duration), FORM_FLOAT, .doc = "How long it had it."},
    {"Active Duration(us)", REPORT_FIELD(struct framework_memory, active_duration), FORM_FLOAT,
     .doc = "How long it could not be used again."},
    {"Allocation Total Allocated(MB)", REPORT_FIELD(struct framework_memory, got_allocated), FORM_FLOAT,
     .doc = "In use, when it got it."},
    {"Allocation Total Reserved(MB)", REPORT_FIELD(struct framework_memory, got_reserved), FORM_FLOAT,
     .doc = "Held, when it got it."},
    {"Allocation Total Active(MB)", REPORT_FIELD(struct framework_memory, got_active), FORM_FLOAT,
     .doc = "Not free again, when it got it."},
    {"Release Total Allocated(MB)", REPORT_FIELD(struct framework_memory, gave_allocated), FORM_FLOAT,
     .doc = "In use, when it was given back."},
    {"Release Total Reserved(MB)", REPORT_FIELD(struct framework_memory, gave_reserved), FORM_FLOAT,
     .doc = "Held, when it was given back."},
    {"Release Total Active(MB)", REPORT_FIELD(struct framework_memory, gave_active), FORM_FLOAT,
     .doc = "Not free again, when it was given back."},
    {"Stream Ptr", REPORT_FIELD(struct framework_memory, stream), .flags = REPORT_NUMBER, .doc = "The stream."},
    {"Device Type", REPORT_FIELD(struct framework_memory, device), .doc = "The device."},
    {.title = NULL},
};

/* ---- operator_memory.csv ---- */

static int compare_addresses(const void *a, const void *b)
{
    const struct mindspore_memory *x = *(const struct mindspore_memory *const *)a,
                                  *y = *(const struct mindspore_memory *const *)b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (x > y) - (x < y);
}

struct piece {
    const struct mindspore_memory *allocation, *release; /* release NULL: not given back */
};

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->allocation->time_ns != y->allocation->time_ns)
        return x->allocation->time_ns < y->allocation->time_ns ? -1 : 1;
    return (x->allocation > y->allocation) - (x->allocation < y->allocation);
}

static bool is_release(const struct mindspore_memory *memory)
{
    return memory->size == UINT64_MAX;
}

/* Each allocation with the next release of its address; of two without one between them the later counts. */
static size_t pair(const struct mindspore_memory *const *sorted, size_t count, struct piece *pieces)
{
    size_t used = 0;
    const struct mindspore_memory *open = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct mindspore_memory *memory = sorted[i];
        if (open != NULL && open->address != memory->address) {
            pieces[used++] = (struct piece){open, NULL};
            open = NULL;
        }
        if (!is_release(memory)) {
            open = memory;
        } else if (open != NULL) {
            pieces[used++] = (struct piece){open, memory};
            open = NULL;
        }
    }
    if (open != NULL)
        pieces[used++] = (struct piece){open, NULL};
    return used;
}

static struct report_value megabytes(const struct mindspore_memory *memory, int64_t bytes)
{
    return memory != NULL ? value_real((double)bytes / MB) : value_none();
}

static struct report_value microseconds(int64_t ns)
{
    return value_real((double)ns / 1000.0);
}

static int put_memory(void *arg, const struct mindspore_memory *got, const struct mindspore_memory *gave,
                      struct err *err)
{
    struct report_run *run = arg;
    char device[32];
    snprintf(device, sizeof device, "NPU:%d", (int)got->device);
    const struct framework_memory row = {
        .name = framework_text(report_analysis(run)->framework, got->owner),
        .device = device,
        .kb = (double)got->size / KB,
        .got = microseconds(got->time_ns),
        .gave = gave != NULL ? microseconds(gave->time_ns) : value_none(),
        .duration = gave != NULL ? microseconds(number_subtract(gave->time_ns, got->time_ns)) : value_none(),
        .got_allocated = megabytes(got, got->used),
        .got_reserved = megabytes(got, got->reserved),
        .got_active = megabytes(got, got->used),
        .gave_allocated = megabytes(gave, gave != NULL ? gave->used : 0),
        .gave_reserved = megabytes(gave, gave != NULL ? gave->reserved : 0),
        .gave_active = megabytes(gave, gave != NULL ? gave->used : 0),
        .stream = value_integer(got->stream),
    };
    return report_put(run, &row, err);
}

static int each_piece(const struct framework_analysis *analysis, const struct mindspore_memories *memories,
                      int (*each)(void *arg, const struct mindspore_memory *got, const struct mindspore_memory *gave,
                                  struct err *err),
                      void *arg, struct err *err)
{
    const struct mindspore_memory **sorted = calloc(memories->count + 1, sizeof(const struct mindspore_memory *));
    struct piece *pieces = calloc(memories->count + 1, sizeof *pieces);
    int status =
        sorted != NULL && pieces != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory for operator_memory");
    if (status == 0) {
        for (size_t i = 0; i < memories->count; i++)
            sorted[i] = &memories->items[i];
        array_sort(sorted, memories->count, sizeof(const struct mindspore_memory *), compare_addresses);
        size_t count = pair(sorted, memories->count, pieces);
        array_sort(pieces, count, sizeof *pieces, compare_pieces);
        for (size_t i = 0; status == 0 && i < count; i++)
            if (framework_wants_time(analysis, pieces[i].allocation->time_ns))
                status = each(arg, pieces[i].allocation, pieces[i].release, err);
    }
    free(sorted);
    free(pieces);
    return status;
}

int mindspore_each_piece(const struct framework_analysis *analysis,
                         int (*each)(void *arg, const struct mindspore_memory *got, const struct mindspore_memory *gave,
                                     struct err *err),
                         void *arg, struct err *err)
{
    struct mindspore_memories memories;
    bool failed = mindspore_memory_load(analysis->framework, analysis->directory, &memories, analysis->diag, err) < 0 ||
                  each_piece(analysis, &memories, each, arg, err) < 0;
    free(memories.items);
    return failed ? -(int)err->code : 0;
}

static int put_operator_memory(struct report_run *run, struct err *err)
{
    return mindspore_each_piece(report_analysis(run), put_memory, run, err);
}

static const struct report operator_memory = {
    .name = "operator_memory",
    .title = "Memory of operators",
    .doc = "Every piece of device memory that an operator got.",
    .columns = framework_memory_columns,
    .rows = put_operator_memory,
};

/* ---- memory_record.csv ---- */

struct record {
    const char *component, *device;
    int64_t time;
    double held[3]; /* allocated, reserved, active */
};

static const struct report_column record_columns[] = {
    {"Component", REPORT_FIELD(struct record, component), .doc = "Whose memory."},
    {"Timestamp(us)", REPORT_FIELD(struct record, time), FORM_SCALED, 3, .doc = "When."},
    {"Total Allocated(MB)", REPORT_FIELD(struct record, held[0]), FORM_FLOAT,
     .doc = "In use, in units of 1024000 bytes."},
    {"Total Reserved(MB)", REPORT_FIELD(struct record, held[1]), FORM_FLOAT, .doc = "Held, likewise."},
    {"Total Active(MB)", REPORT_FIELD(struct record, held[2]), FORM_FLOAT, .doc = "Not free again, likewise."},
    {"Device Type", REPORT_FIELD(struct record, device), .doc = "The device."},
    {.title = NULL},
};

#define MB_OF_1000 (1024.0 * 1000.0)

struct totals {
    struct report_run *run;
    sqlite3_stmt *ge; /* the capture's rows, by time */
    bool has_ge;
    int64_t ge_ns;
    double own[3], others[3]; /* allocated, reserved, active: the last ones */
    char device[32];
};

static int step_ge(struct totals *totals, struct err *err)
{
    int code = sqlite3_step(totals->ge);
    totals->has_ge = code == SQLITE_ROW;
    totals->ge_ns = totals->has_ge ? sqlite3_column_int64(totals->ge, 0) : 0;
    return code == SQLITE_ROW || code == SQLITE_DONE
               ? 0
               : database_error(err, report_analysis(totals->run)->db, "the database cannot be read");
}

static int put_total(struct report_run *run, const char *component, int64_t time_ns, const double *values,
                     const char *device, struct err *err)
{
    const struct record row = {component, device, time_ns, {values[0], values[1], values[2]}};
    return framework_wants_time(report_analysis(run), time_ns) ? report_put(run, &row, err) : 0;
}

/* Puts the sum of both, behind each row of one of them. */
static int put_sum(struct totals *totals, int64_t time_ns, struct err *err)
{
    const double sum[3] = {totals->own[0] + totals->others[0], totals->own[1] + totals->others[1],
                           totals->own[2] + totals->others[2]};
    return put_total(totals->run, "MindSpore+GE", time_ns, sum, totals->device, err);
}

static int put_ge_until(struct totals *totals, int64_t until_ns, struct err *err)
{
    while (totals->has_ge && totals->ge_ns <= until_ns) {
        totals->others[0] = (double)sqlite3_column_int64(totals->ge, 1) / MB_OF_1000;
        totals->others[1] = (double)sqlite3_column_int64(totals->ge, 2) / MB_OF_1000;
        char device[32];
        snprintf(device, sizeof device, "NPU:%lld", (long long)sqlite3_column_int64(totals->ge, 3));
        if (put_total(totals->run, "GE", totals->ge_ns, totals->others, device, err) < 0 ||
            put_sum(totals, totals->ge_ns, err) < 0 || step_ge(totals, err) < 0)
            return -(int)err->code;
    }
    return 0;
}

static int put_own(void *arg, const struct mindspore_total *total, struct err *err)
{
    struct totals *totals = arg;
    bool failed = put_ge_until(totals, total->time_ns, err) < 0;
    totals->own[0] = (double)total->allocated / MB_OF_1000;
    totals->own[1] = (double)total->reserved / MB_OF_1000;
    totals->own[2] = (double)total->active / MB_OF_1000;
    return failed || put_total(totals->run, "MindSpore", total->time_ns, totals->own, totals->device, err) < 0
               ? -(int)err->code
               : put_sum(totals, total->time_ns, err);
}

/* Puts what the device says of the application's memory. */
static int put_application(struct totals *totals, struct err *err)
{
    sqlite3 *db = report_analysis(totals->run)->db;
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_DONE, status = database_prepare(db,
                                                      "SELECT time_ns, (ddr_bytes + hbm_bytes) / 1024 FROM npu_mem"
                                                      " WHERE user = 0 ORDER BY id",
                                                      &statement, err);
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const double values[3] = {0, (double)sqlite3_column_int64(statement, 1) / 1000.0, 0};
        status = put_total(totals->run, "APP", sqlite3_column_int64(statement, 0), values, totals->device, err);
    }
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(err, db, "the database cannot be read");
    sqlite3_finalize(statement);
    return status;
}

static int put_records(struct report_run *run, struct err *err)
{
    struct framework_analysis *analysis = report_analysis(run);
    struct totals totals = {.run = run};
    snprintf(totals.device, sizeof totals.device, "NPU:%lld", (long long)analysis->framework->info.rank);
    bool failed =
        database_prepare(analysis->db,
                         "SELECT time_ns, allocated_bytes, reserved_bytes, device_id FROM task_memory_info"
                         " ORDER BY time_ns, id",
                         &totals.ge, err) < 0 ||
        step_ge(&totals, err) < 0 ||
        mindspore_each_total(analysis->framework, analysis->directory, put_own, &totals, analysis->diag, err) < 0 ||
        put_ge_until(&totals, INT64_MAX, err) < 0;
    sqlite3_finalize(totals.ge);
    return failed ? -(int)err->code : put_application(&totals, err);
}

static const struct report memory_record = {
    .name = "memory_record",
    .title = "Memory in use",
    .doc = "Memory of the device that the framework and the capture's engine hold.",
    .columns = record_columns,
    .rows = put_records,
};

int mindspore_write_memory(struct framework_analysis *analysis, struct err *err)
{
    const struct framework_info *info = &analysis->framework->info;
    int status = 0;
    if (info->memory && info->with_cpu)
        status = framework_write_report(analysis, &operator_memory, err);
    return status == 0 && info->memory ? framework_write_report(analysis, &memory_record, err) : status;
}
