/* SPDX-License-Identifier: Apache-2.0 */
/* step_trace: the iterations of models, with two more columns for each of their all-reduce operations. */
#include "db/query/operators/query_steps.h"
#include "db/query/query_loop.h"
#include "exporters/cann_report.h"
#include "exporters/table/plan.h"
#include "exporters/table/report.h"
#include "parsers/record.h"

#include <stdio.h>

/* The columns of an all-reduce operation. */
struct steps_reduces {
    struct report_column start, duration; /* when it began and how long it took */
    size_t most;                          /* columns that the table has at most */
    const char *number; /* "pair": each pair of marks has columns of its own; "place": they are filled from the left */
};

#define TITLE_SIZE 40

/* A report's state. */
struct steps {
    char sql[REPORT_MAX_COLUMNS][192]; /* expressions of the columns of all-reduce operations */
};

/* The columns of all-reduce operations have the same two titles again and again, but not as the names of JSON. */
static int add_reduce(struct report_run *run, size_t number, struct err *err)
{
    static const char *const values[] = {"start_ns", "exact_ns(device_id, start_ns, end_ns - start_ns)"};
    const struct steps_reduces *reduces = run->report->visitor;
    struct steps *state = run->state;
    bool json = run->session->options->format == TABLE_JSON;
    struct report_column columns[] = {reduces->start, reduces->duration};
    int status = 0;
    for (size_t i = 0; status == 0 && i < 2; i++) {
        char title[TITLE_SIZE], *sql = state->sql[run->plan.column_count];
        snprintf(title, sizeof title, json ? "%s %zu" : "%s", columns[i].title, number);
        snprintf(sql, sizeof *state->sql,
                 "(SELECT %s FROM temp.step_span WHERE step = s.rowid AND %s = %zu ORDER BY place DESC LIMIT 1)",
                 values[i], reduces->number, number);
        columns[i].title = title;
        columns[i].sql = sql;
        status = report_plan_add(&run->plan, &columns[i], err);
    }
    return status;
}

static int take_count(void *arg, sqlite3_stmt *row, struct err *err)
{
    (void)err;
    *(size_t *)arg = (size_t)sqlite3_column_int64(row, 0);
    return 0;
}

static int steps_open(struct report_run *run, struct err *err)
{
    const struct steps_reduces *reduces = run->report->visitor;
    size_t count = 0, room = (reduces->most - run->plan.column_count) / 2;
    char sql[160];
    snprintf(sql, sizeof sql,
             "SELECT coalesce(max(%s), -1) + 1 FROM temp.step_span WHERE step IS NOT NULL AND (?1 IS NULL OR device_id "
             "= ?1)",
             reduces->number);
    int status = cann_steps_attach(run->session->db, NULL, err);
    if (status == 0)
        status = query_run(run->session->db, sql, &run->scope->device_id, 1, take_count, &count, err);
    for (size_t i = 0; status == 0 && i < count && i < room; i++)
        status = add_reduce(run, i, err);
    return status;
}

/* By which a step, or those of a time, are chosen. */
#define STEP_START                                                                                                     \
    {                                                                                                                  \
        "", "start_ns", .id = "start", .flags = REPORT_INPUT | REPORT_START                                            \
    }

/* Members that all have. */
#define STEPS                                                                                                          \
    .when = "EXISTS (SELECT 1 FROM ts_track WHERE tag = " SQL_NUMBER(                                                  \
        TRACK_TAG_STEP) ") OR EXISTS (SELECT 1 FROM training_trace)",                                                  \
    .query = {.from = "temp.step s",                                                                                   \
              .where = ":device IS NULL OR device_id = :device",                                                       \
              .order_by = "device_id, end_ns, model_id, iteration"},                                                   \
    .state_size = sizeof(struct steps), .open = steps_open

/* ---- CANN since 2023 ---- */

static const struct report_column columns[] = {
    {"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
    {"Iteration ID", "iteration", .flags = REPORT_NUMBER, .doc = "The number of the iteration."},
    {"FP Start(us)", "forward_ns", FORM_TIME, .doc = "Start of forward propagation, since 1970."},
    {"BP End(us)", "backward_ns", FORM_TIME, .doc = "End of backward propagation, since 1970."},
    {"Iteration End(us)", "end_ns", FORM_TIME, .doc = "End of the iteration, since 1970."},
    {"Iteration Time(us)", "exact_ns(device_id, start_ns, end_ns - start_ns)", FORM_SCALED, 3, .doc = "Its time."},
    {"FP to BP Time(us)", "exact_ns(device_id, forward_ns, backward_ns - forward_ns)", FORM_SCALED, 3,
     .doc = "Part of both propagations."},
    {"Iteration Refresh(us)", "exact_ns(device_id, backward_ns, end_ns - backward_ns)", FORM_SCALED, 3,
     .doc = "Time that followed on backward propagation."},
    {"Data Aug Bound(us)", "exact_ns(device_id, forward_ns - augmentation_ns, augmentation_ns)", FORM_SCALED, 3,
     .doc = "Time from the end of the previous iteration to forward propagation."},
    {"Model ID", "nullif(model_id, " SQL_NUMBER(CANN_NO_ID) ")", .flags = REPORT_NUMBER, .doc = "The model."},
    STEP_START,
    {.title = NULL},
};

const struct report report_step_trace = {
    .name = "step_trace",
    .title = "Iterations",
    .doc = "The iterations of models by the marks that their tasks set, with the all-reduce operations of each.",
    .families = FAMILY_CANN,
    .columns = columns,
    STEPS,
    .visitor =
        &(const struct steps_reduces){
            .start = {"Reduce Start(us)", .id = "reduce_start", .form = FORM_TIME},
            .duration = {"Reduce Duration(us)", .id = "reduce_duration", .form = FORM_SCALED, .decimals = 3},
            .number = "place",
            .most = REPORT_MAX_COLUMNS,
        },
};

/* step_trace: the iterations of models by the step marks of the device, as Ascend's tool of 2022 has them. */
#define MOST_COLUMNS 48

const struct report report_step_trace_2022 = {
    .name = "step_trace",
    .title = "Iterations",
    .doc = "All iterations of a device, whichever is reported, with the all-reduce operations of each.",
    .families = FAMILY_2022,
    .of_device = true,
    .columns = VALUE_LIST(
        {"Iteration ID", "iteration", .flags = REPORT_NUMBER, .doc = "The number of the iteration."},
        {"FP Start", "forward_ns", .flags = REPORT_NUMBER, .doc = "Start of forward propagation, in ns."},
        {"BP End", "backward_ns", .flags = REPORT_NUMBER, .doc = "End of backward propagation, in ns."},
        {"Iteration End", "end_ns", .flags = REPORT_NUMBER, .doc = "End of the iteration, in ns."},
        {"Iteration Time(us)", "exact_ns(device_id, start_ns, end_ns - start_ns)", FORM_SCALED, 3, .doc = "Its time."},
        {"FP to BP Time(us)", "exact_ns(device_id, forward_ns, backward_ns - forward_ns)", FORM_SCALED, 3,
         .doc = "Part of both propagations."},
        {"Grad Refresh Bound(us)", "exact_ns(device_id, backward_ns, end_ns - backward_ns)", FORM_SCALED, 3,
         .doc = "Time that followed on backward propagation."},
        {"Data Aug Bound(us)", "exact_ns(device_id, forward_ns - augmentation_ns, augmentation_ns)", FORM_SCALED, 3,
         .doc = "Time from the end of the previous iteration to forward propagation."},
        {"Model ID", "model_id", .flags = REPORT_NUMBER, .doc = "The model."}, STEP_START),
    STEPS,
    .visitor =
        &(const struct steps_reduces){
            .start = {"Reduce Start", .id = "reduce_start", .flags = REPORT_NUMBER},
            .duration = {"Reduce Duration(us)", .id = "reduce_duration", .form = FORM_SCALED, .decimals = 3},
            .number = "place",
            .most = MOST_COLUMNS,
        },
};

/* step_trace of captures of 2020: the iterations of a device by the points that it passed. */
static const struct report_column columns_job[] = {
    {"Iteration ID", "iteration", .flags = REPORT_NUMBER, .doc = "The number of the iteration."},
    {"FP Start(us)", "forward_ns", FORM_SCALED_FIXED, 3, .doc = "Start of forward propagation (point 1)."},
    {"BP End(us)", "backward_ns", FORM_SCALED_FIXED, 3, .doc = "End of backward propagation (point 2)."},
    {"Iteration End(us)", "end_ns", FORM_SCALED_FIXED, 3, .doc = "End of the iteration (point 255)."},
    {"Iteration Time(us)", "exact_ns(device_id, start_ns, end_ns - start_ns)", FORM_SCALED_FIXED, 3,
     .doc = "Time from the end of the previous iteration to its end; for the first one from its forward propagation."},
    {"FP to BP Time(us)", "exact_ns(device_id, forward_ns, backward_ns - forward_ns)", FORM_SCALED_FIXED, 3,
     .doc = "Part of both propagations."},
    {"Iteration Refresh(us)", "exact_ns(device_id, backward_ns, end_ns - backward_ns)", FORM_SCALED_FIXED, 3,
     .doc = "Time that followed on backward propagation."},
    {"Data Aug Bound(us)", "exact_ns(device_id, start_ns, forward_ns - start_ns)", FORM_SCALED_FIXED, 3,
     .doc = "Time from the start of the iteration to forward propagation."},
    STEP_START,
    {.title = NULL},
};

const struct report report_step_trace_job = {
    .name = "step_trace",
    .title = "Iterations",
    .doc = "The iterations of a device, with the work beside their propagations: a pair of columns for each pair of "
           "points.",
    .families = FAMILY_JOB,
    .of_device = true,
    .columns = columns_job,
    STEPS,
    .visitor =
        &(const struct steps_reduces){
            .start = {"Reduce Start(us)", .id = "reduce_start", .form = FORM_SCALED_FIXED, .decimals = 3},
            .duration = {"Reduce Duration(us)", .id = "reduce_duration", .form = FORM_SCALED_FIXED, .decimals = 3},
            .most = REPORT_MAX_COLUMNS,
            .number = "pair",
        },
};
