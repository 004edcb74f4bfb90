/* SPDX-License-Identifier: Apache-2.0 */
/* The job table: which devices and models a capture has. */
#include "db/query/operators/query_steps.h"
#include "db/query/query_cann.h"
#include "exporters/cann_report.h"
#include "exporters/export.h"
#include "exporters/table/report.h"

/* ---- jobs ---- */

#define NO_MODEL SQL_NUMBER(CANN_NO_ID)
#define CHOSEN(parameter, value) "(" parameter " IS NULL OR " value " = " parameter ")"
#define CAPTURE "(SELECT value FROM meta WHERE key = 'capture_path')"

static const struct report_column job_columns[] = {
    {"Job Info", "nullif(p.job, '')", .form = FORM_TEXT},
    {"Device ID", "p.device_id", .flags = REPORT_NUMBER},
    {"Dir Name",
     "coalesce(nullif(p.directory, ''), replace(" CAPTURE ", rtrim(" CAPTURE ", replace(" CAPTURE ", '/', '')), ''))",
     .form = FORM_TEXT},
    {"Collection Time", "nullif(p.begin_date, '')", .form = FORM_TEXT},
    {"Model ID", "m.model_id", .flags = REPORT_NUMBER},
    {"Iteration Number", "m.iterations", .flags = REPORT_NUMBER},
    {"Top Time Iteration", "m.longest", .form = FORM_TEXT},
    {"Rank ID", "p.rank_id", .flags = REPORT_NUMBER},
    {.title = NULL},
};

/* The five longest iterations of a model, the longest first. */
#define LONGEST "group_concat(iif(place <= 5, iteration, NULL))"
#define BY_LENGTH                                                                                                      \
    "(SELECT *, row_number() OVER (PARTITION BY device_id, model_id ORDER BY end_ns - start_ns DESC, iteration)"       \
    " AS place FROM temp.step WHERE model_id IS NOT " NO_MODEL " ORDER BY device_id, model_id, place)"

static const struct report jobs = {
    .name = "jobs",
    .query = {.from = "capture_part p LEFT JOIN (SELECT device_id, model_id, count(*) AS iterations, " LONGEST
                      " AS longest FROM " BY_LENGTH " GROUP BY device_id, model_id) m"
                      "  ON m.device_id IS p.device_id",
              .where = "NOT p.is_host AND " CHOSEN(":device", "p.device_id") " AND " CHOSEN(":model", "m.model_id"),
              .order_by = "p.id, m.model_id"},
    .columns = job_columns,
};

/* ---- iterations ---- */

static const struct report iterations = {
    .name = "iterations",
    .query = {.from = "temp.step",
              .where = CHOSEN(":device", "device_id") " AND " CHOSEN(":model", "model_id") " AND " CHOSEN(":iteration",
                                                                                                          "iteration"),
              .order_by = "device_id, end_ns, model_id, iteration"},
    .columns = VALUE_LIST(
        {"ID", "device_id", .flags = REPORT_NUMBER},
        {"Model ID", "nullif(model_id, " NO_MODEL ")", .flags = REPORT_NUMBER},
        {"Iteration ID", "iteration", .flags = REPORT_NUMBER},
        {"Iteration Time(us)", "exact_ns(device_id, start_ns, end_ns - start_ns)", .form = FORM_SCALED, .decimals = 3},
        {"FP to BP Time(us)", "exact_ns(device_id, forward_ns, backward_ns - forward_ns)", .form = FORM_SCALED,
         .decimals = 3},
        {"Iteration Interval(us)", "exact_ns(device_id, forward_ns - augmentation_ns, augmentation_ns)",
         .form = FORM_SCALED, .decimals = 3},
        {"Iteration Refresh(us)", "exact_ns(device_id, backward_ns, end_ns - backward_ns)", .form = FORM_SCALED,
         .decimals = 3},
        {"Iteration Start(us)", "start_ns", .form = FORM_SCALED, .decimals = 3},
        {"FP Start(us)", "forward_ns", .form = FORM_SCALED, .decimals = 3},
        {"BP End(us)", "backward_ns", .form = FORM_SCALED, .decimals = 3},
        {"Iteration End(us)", "end_ns", .form = FORM_SCALED, .decimals = 3}),
};

/* ---- both ---- */

int query_ranks(sqlite3 *db, int (*each)(void *arg, int64_t device_id, int64_t rank_id, struct err *err), void *arg,
                struct err *err)
{
    SCOPED(cann_parts_release) struct cann_parts parts;
    if (cann_parts_load(db, &parts, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < parts.count; i++) {
        if (!parts.parts[i].is_host && each(arg, parts.parts[i].device_id, parts.parts[i].rank_id, err) < 0)
            return err_status(err);
    }
    return 0;
}

int query_capture(sqlite3 *db, FILE *stream, const struct query_choice *choice, const struct show_options *options,
                  struct export_result *ret, struct err *err)
{
    const struct report_scope scope = {choice->device_id, choice->model_id, choice->iteration_id, ""};
    struct show show = {.db = db, .stream = stream, .options = options, .result = ret, .heads = true};
    const struct export_options table = {.format = TABLE_TERMINAL, .show = &show};
    SCOPED(report_session_release) struct report_session session = {.db = NULL};
    uint64_t rows;
    *ret = (struct export_result){.files = 0};
    return cann_steps_attach(db, NULL, err) < 0 || report_session_open(&session, db, &table, ret, err) < 0
               ? err_status(err)
               : report_write(&session, choice->iterations ? &iterations : &jobs, &scope, &rows, err);
}
