/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/load/answer.h"

#include "exporters/extension.h"
#include "features/answers/load/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_total(const void *a, const void *b)
{
    const struct profile_row *x = *(const struct profile_row *const *)a, *y = *(const struct profile_row *const *)b;

    if (x->durations.total != y->durations.total)
        return x->durations.total > y->durations.total ? -1 : 1;
    return strcmp(x->key, y->key);
}

static int put_row(struct report_run *run, const struct profile_row *row, double total_ns, struct err *err)
{
    const struct series *durations = &row->durations;
    const struct answer_row shown = {
        .times = *durations,
        .share = total_ns > 0 ? durations->total / total_ns * 1e4 : 0,
        .p95_ns = durations->p95,
        .type = row->type,
        .name = row->key,
    };
    return report_put(run, &shown, err);
}

static int put_table(struct report_run *run, const struct profile_table *table, double total_ns, struct err *err)
{
    SCOPED_FREE const struct profile_row **rows = scoped_memory(table->count + 1, sizeof *rows);

    if (rows == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < table->count; i++)
        rows[i] = &table->rows[i];
    qsort((void *)rows, table->count, sizeof *rows, by_total);
    for (size_t i = 0; i < table->count; i++)
        if (put_row(run, rows[i], total_ns, err) < 0)
            return err_status(err);
    if (table->left > 0)
        report_writer_leave_rest(&run->writer, table->left);
    return 0;
}

int answer_workload(struct report_run *run, enum load_counters counters, struct workload *ret, struct err *err)
{
    char recorded[RECORDED_SIZE];
    const struct workload *shared = run->session->workload;
    int status = 0;

    if (shared != NULL) {
        *ret = *shared;
        ret->borrowed = true;
    } else {
        status = workload_load(run->session->db, counters, ret, err);
    }
    if (status != 0)
        return status;
    workload_recorded_text(&ret->facts, recorded);
    snprintf(run->session->result->recorded, sizeof run->session->result->recorded, "%s", recorded);
    return 0;
}

static int answer_put(struct report_run *run, struct err *err)
{
    SCOPED(workload_release) struct workload workload = {.borrowed = true};
    bool known = false;

    if (known_put(run, &known, err) < 0 || known)
        return err_status(err);
    if (answer_workload(run, run->report->counters ? WITH_COUNTERS : WITHOUT_COUNTERS, &workload, err) < 0)
        return err_status(err);
    return run->report->of_workload(run, &workload, err);
}

static int answers_share(struct report_session *session, struct err *err)
{
    struct workload *workload = malloc(sizeof *workload);
    if (workload == NULL)
        return err_no_memory(err);
    if (workload_load(session->db, WITH_COUNTERS, workload, err) < 0) {
        free(workload);
        return err_status(err);
    }
    session->workload = session->shared = workload;
    return 0;
}

static void answers_unshare(struct report_session *session)
{
    if (session->shared != NULL)
        workload_release(session->shared);
    free(session->shared);
    session->workload = session->shared = NULL;
}

int answer_rows(struct report_run *run, const struct workload *workload, struct err *err)
{
    const struct answer_keys *keys = run->report->visitor;
    const struct profile_choice choice = {.subjects = SUBJECT_BIT(keys->subject),
                                          .warmup = true,
                                          .rows_alone = true,
                                          .top = report_writer_top(&run->writer),
                                          .ai_cpu = keys->ai_cpu};
    struct profile profile;
    double total_ns = 0;
    int status = profile_make(workload, "", &choice, &profile, err);

    if (status != 0)
        return status;
    for (size_t i = 0; i < workload->operator_count; i++)
        total_ns += workload->operators[i].total_ns;
    status = put_table(run, &profile.tables[keys->subject], total_ns, err);
    profile_release(&profile);
    return status;
}

const struct export_extension export_extension_answers = {
    .complete = known_keep, .put_rows = answer_put, .session_begin = answers_share, .session_end = answers_unshare};
