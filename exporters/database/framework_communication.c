/* SPDX-License-Identifier: Apache-2.0 */
/* communication_analyzer.db, analysis.db. */
#include "db/database.h"
#include "db/table_rows.h"
#include "exporters/communication/analyzer_tables.h"
#include "exporters/communication/communication.h"
#include "exporters/database/databases.h"
#include "exporters/reports/framework/step_trace_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP_COLUMNS                                                                                                   \
    "deviceId INTEGER, step TEXT, computing NUMERIC, communication_not_overlapped NUMERIC, overlapped NUMERIC,"        \
    " communication NUMERIC, free NUMERIC, stage NUMERIC, bubble NUMERIC,"                                             \
    " communication_not_overlapped_and_exclude_receive NUMERIC, preparing NUMERIC"

struct comm_tables {
    struct comm_document document;
    struct analyzer_tables tables;
    char group[24], step[64];
};

static struct analyzer_name name_of(struct comm_tables *tables, const char *name, uint64_t group)
{
    snprintf(tables->group, sizeof tables->group, "%" PRIu64, group);
    return (struct analyzer_name){name, tables->group};
}

static int add_times(struct comm_tables *tables, const struct comm_operator *op, const struct comm_sum *sum,
                     struct err *err)
{
    const struct analyzer_name name = name_of(tables, op->name, op->group);
    const struct analyzer_times times = {
        .start_ns = sum->start_ns,
        .elapse_ms = sum->elapse_ms,
        .transit_ms = sum->transit_ms,
        .wait_ms = sum->wait_ms,
        .synchronization_ms = sum->synchronization_ms,
        .idle_ms = sum->idle_ms,
    };
    return analyzer_add_times(&tables->tables, &name, &times, err);
}

/* A row for each size of packets. */
static int add_traffic(struct comm_tables *tables, const struct comm_operator *op, enum collective_medium link,
                       const struct comm_traffic *traffic, struct err *err)
{
    const struct analyzer_name name = name_of(tables, op->name, op->group);
    size_t count;
    const struct comm_packets **packets = comm_sorted_packets(traffic, &count, err);
    int status = 0;
    if (packets == NULL)
        return -(int)err->code;
    for (size_t i = 0; status == 0 && i < count; i++) {
        const struct analyzer_packets row = {
            .link = collective_media[link],
            .mb = traffic->mb,
            .ms = traffic->ms,
            .gb_per_s = comm_bandwidth(traffic->mb, traffic->ms),
            .large_ratio = comm_large_ratio(traffic),
            .packet_mb = (double)packets[i]->bytes / COMM_BYTES_PER_MB,
            .count = packets[i]->count,
            .packets_ms = packets[i]->ms,
        };
        status = analyzer_add_packets(&tables->tables, &name, &row, err);
    }
    free(packets);
    return status;
}

static int take_link(void *arg, const struct comm_link_row *row, struct err *err)
{
    struct comm_tables *tables = arg;
    const struct analyzer_name name = name_of(tables, row->key, row->group);
    const struct comm_transfer_sum *sum = row->sum;
    const struct analyzer_pair pair = {sum->source, sum->destination, sum->transport, sum->mb,
                                       sum->ms,     row->bandwidth,   row->op};
    return analyzer_add_pair(&tables->tables, &name, &pair, err);
}

/* The links of one operator: all of them, as the capture's analysis has them. */
static int add_own_links(struct comm_tables *tables, const struct comm_operator *op, struct err *err)
{
    struct comm_transfer_sums sums = {.count = 0};
    int status = comm_transfers_make(&sums, op->name, &op->tasks, err);
    for (size_t i = 0; status == 0 && i < sums.count; i++) {
        const struct comm_transfer_sum *sum = &sums.items[i];
        const struct comm_link_row row = {
            .key = op->name, .group = op->group, .sum = sum, .bandwidth = comm_bandwidth(sum->mb, sum->ms)};
        status = take_link(tables, &row, err);
    }
    free(sums.items);
    return status;
}

static int add_operator(struct comm_tables *tables, const struct comm_operator *op, struct err *err)
{
    struct comm_sum sum;
    comm_sum_init(&sum);
    int status = comm_sum_make(&sum, op->name, &op->tasks, err);
    if (status == 0)
        status = add_times(tables, op, &sum, err);
    for (int i = 0; status == 0 && i < MEDIUM_LOCAL; i++)
        status = add_traffic(tables, op, (enum collective_medium)i, &sum.links[i], err);
    comm_sum_release(&sum);
    return status == 0 && !tables->document.pytorch ? add_own_links(tables, op, err) : status;
}

static int add_half(struct comm_tables *tables, size_t step, bool point_to_point, struct err *err)
{
    struct comm_document *document = &tables->document;
    int status = 0;
    tables->tables.half = point_to_point ? "p2p" : "collective";
    for (size_t i = 0; status == 0 && i < document->operator_count; i++) {
        if (comm_is_in(&document->operators[i], step, point_to_point))
            status = add_operator(tables, &document->operators[i], err);
    }
    return status == 0 ? comm_each_link(document, step, point_to_point, take_link, tables, err) : status;
}

/* As the steps of communication.json. */
static int add_by_step(struct comm_tables *tables, struct err *err)
{
    for (size_t i = 0; i < tables->document.step_count; i++) {
        const char *id = tables->document.steps[i].id;
        snprintf(tables->step, sizeof tables->step, "step%s", id != NULL ? id : "");
        if (add_half(tables, i, true, err) < 0 || add_half(tables, i, false, err) < 0)
            return -(int)err->code;
    }
    return 0;
}

/* Outside of steps, too, unless some are asked for. */
static int add_all(struct comm_tables *tables, struct err *err)
{
    const struct comm_document *document = &tables->document;
    int status = 0;
    for (size_t i = 0; status == 0 && i < document->operator_count; i++) {
        const struct comm_operator *op = &document->operators[i];
        if (op->start_ns != INT64_MAX && (op->step != SIZE_MAX || document->analysis->steps.count == 0))
            status = add_operator(tables, op, err);
    }
    return status;
}

static int add_communication(struct comm_tables *tables, sqlite3 *db, struct err *err)
{
    bool pytorch = tables->document.pytorch;
    bool failed = analyzer_tables_open(&tables->tables, db, pytorch, err) < 0;
    tables->tables.step = tables->step;
    failed = failed || (pytorch ? add_by_step(tables, err) : add_all(tables, err)) < 0;
    analyzer_tables_close(&tables->tables);
    return failed ? -(int)err->code : 0;
}

struct step_table {
    const struct framework_analysis *analysis;
    struct table_rows rows;
};

static int add_step(void *arg, int64_t device_id, const struct step_sum *step, struct err *err)
{
    struct step_table *table = arg;
    const struct step_times times = step_times_of(table->analysis, step);
    const int64_t values[] = {times.computing, times.only,   times.overlapped, times.communication, times.free,
                              times.stage,     times.bubble, times.excluding,  times.preparing};
    table_put_integer(&table->rows, device_id);
    table_put_text(&table->rows, step->id);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        table_put_real(&table->rows, (double)values[i] / 1e3);
    return table_end_row(&table->rows, err);
}

static int add_steps(struct framework_analysis *analysis, sqlite3 *db, struct err *err)
{
    struct step_table table = {.analysis = analysis};
    bool failed = table_rows_open(&table.rows, db, "StepTraceTime", STEP_COLUMNS, err) < 0 ||
                  step_sums_each(analysis, add_step, &table, err) < 0;
    table_rows_close(&table.rows);
    return failed ? -(int)err->code : 0;
}

static int write_file(struct comm_tables *tables, const char *path, struct err *err)
{
    struct framework_analysis *analysis = tables->document.analysis;
    struct database_build build;
    if (database_build_open_foreign(&build, path, err) < 0)
        return -(int)err->code;
    bool failed = (tables->document.operator_count > 0 && add_communication(tables, build.db, err) < 0) ||
                  (tables->document.pytorch && add_steps(analysis, build.db, err) < 0);
    uint64_t rows = (uint64_t)sqlite3_total_changes64(build.db);
    if (failed) {
        database_build_abort(&build);
        return -(int)err->code;
    }
    if (database_build_commit(&build, err) < 0)
        return -(int)err->code;
    analysis->result->files++;
    analysis->result->rows += rows;
    return 0;
}

int framework_write_communication_database(struct framework_analysis *analysis, struct err *err)
{
    struct comm_tables tables = {.group = ""};
    int status = comm_document_open(&tables.document, analysis, err);
    bool pytorch = tables.document.pytorch;
    if (status == 0 && (pytorch || tables.document.operator_count > 0)) {
        char *path = framework_database_path(analysis, pytorch ? "analysis.db" : "communication_analyzer.db", err);
        status = path != NULL ? write_file(&tables, path, err) : -(int)err->code;
        free(path);
    }
    comm_document_release(&tables.document);
    return status;
}
