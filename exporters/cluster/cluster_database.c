/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/cluster/cluster_database.h"

#include "base/file/fsutil.h"
#include "base/intern.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "db/table_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_LIMIT ((size_t)1024 * 1024)
enum { MS = 6, US = 3, MB = 6, RATIO = 4 }; /* decimals of ns, bytes and ratios in these units */

#define STEP_COLUMNS                                                                                                   \
    "step TEXT, type TEXT, \"index\" TEXT, computing NUMERIC, communication_not_overlapped NUMERIC,"                   \
    " overlapped NUMERIC, communication NUMERIC, free NUMERIC, stage NUMERIC, bubble NUMERIC,"                         \
    " communication_not_overlapped_and_exclude_receive NUMERIC, preparing NUMERIC, dp_index INTEGER,"                  \
    " pp_index INTEGER, tp_index INTEGER"
#define TIME_COLUMNS                                                                                                   \
    "step TEXT, rank_id INTEGER, hccl_op_name TEXT, group_name TEXT, start_timestamp NUMERIC, elapsed_time NUMERIC,"   \
    " transit_time NUMERIC, wait_time NUMERIC, synchronization_time NUMERIC, idle_time NUMERIC,"                       \
    " synchronization_time_ratio NUMERIC, wait_time_ratio NUMERIC"
#define BANDWIDTH_COLUMNS                                                                                              \
    "step TEXT, rank_id INTEGER, hccl_op_name TEXT, group_name TEXT, band_type TEXT, transit_size NUMERIC,"            \
    " transit_time NUMERIC, bandwidth NUMERIC, large_packet_ratio NUMERIC, package_size NUMERIC, count NUMERIC,"       \
    " total_duration NUMERIC"
#define MATRIX_COLUMNS                                                                                                 \
    "step TEXT, hccl_op_name TEXT, group_name TEXT, src_rank TEXT, dst_rank TEXT, transit_size NUMERIC,"               \
    " transit_time NUMERIC, bandwidth NUMERIC, transport_type TEXT, op_name TEXT"

/* In the order of the table's columns. */
static const char *const step_titles[] = {"Step",
                                          "Type",
                                          "Index",
                                          "Computing",
                                          "Communication(Not Overlapped)",
                                          "Overlapped",
                                          "Communication",
                                          "Free",
                                          "Stage",
                                          "Bubble",
                                          "Communication(Not Overlapped and Exclude Receive)",
                                          "Preparing",
                                          "DP Index",
                                          "PP Index",
                                          "TP Index"};
#define STEP_TITLES (sizeof step_titles / sizeof *step_titles)

enum table { STEPS, MATRIX, GROUPS, BANDWIDTHS, TIMES, TABLES };
static const struct {
    const char *name, *columns;
} tables[TABLES] = {
    [STEPS] = {"ClusterStepTraceTime", STEP_COLUMNS},
    [MATRIX] = {"ClusterCommunicationMatrix", MATRIX_COLUMNS},
    [GROUPS] = {"CommunicationGroupMapping", "type TEXT, rank_set TEXT, group_name TEXT, group_id TEXT, pg_name TEXT"},
    [BANDWIDTHS] = {"ClusterCommunicationBandwidth", BANDWIDTH_COLUMNS},
    [TIMES] = {"ClusterCommunicationTime", TIME_COLUMNS},
};

struct cluster_database {
    struct database_build build;
    struct table_rows tables[TABLES];
    struct table_rows rows; /* of what is added at the end */
    struct err err;         /* the first failure */
    bool failed, committed;
};

struct cluster_database *cluster_database_new(const char *directory, struct err *err)
{
    struct cluster_database *database = calloc(1, sizeof *database);
    char *path = path_join(directory, "cluster_analysis.db");
    bool failed = (database != NULL && path != NULL ? database_setup(err) : err_no_memory(err)) < 0 ||
                  database_build_open(&database->build, path, false, err) < 0;
    free(path);
    if (failed) {
        free(database);
        return NULL;
    }
    for (size_t i = 0; i < TABLES && !failed; i++)
        failed = table_rows_open(&database->tables[i], database->build.db, tables[i].name, tables[i].columns, err) < 0;
    if (failed) {
        cluster_database_free(database);
        return NULL;
    }
    return database;
}

static void close_tables(struct cluster_database *database)
{
    for (size_t i = 0; i < TABLES; i++)
        table_rows_close(&database->tables[i]);
}

void cluster_database_free(struct cluster_database *database)
{
    if (database == NULL)
        return;
    close_tables(database);
    if (!database->committed)
        database_build_abort(&database->build);
    free(database);
}

/* The table for a row; NULL: no more are taken. */
static struct table_rows *rows_of(struct cluster_database *database, enum table table)
{
    return database != NULL && !database->failed ? &database->tables[table] : NULL;
}

static void end_row(struct cluster_database *database, struct table_rows *rows)
{
    database->failed = table_end_row(rows, &database->err) < 0;
}

/* value / 10^decimals as the nearest double, as who reads the files has it. */
static void put_decimal(struct table_rows *rows, int64_t value, unsigned decimals)
{
    static const double units[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    char text[NUMBER_MAX + 1];
    if (value > -(INT64_C(1) << 53) && value < INT64_C(1) << 53) {
        table_put_real(rows, (double)value / units[decimals]);
        return;
    }
    *number_put_shortest(text, value, decimals) = '\0';
    table_put_real(rows, strtod(text, NULL));
}

/* ---- steps ---- */

void cluster_database_add_step(struct cluster_database *database, const char *const *titles, const char *const *texts,
                               size_t count)
{
    struct table_rows *rows = rows_of(database, STEPS);
    if (rows == NULL)
        return;
    for (size_t i = 0; i < STEP_TITLES; i++) {
        const char *text = "NA";
        for (size_t j = 0; j < count; j++)
            text = strcmp(titles[j], step_titles[i]) == 0 ? texts[j] : text;
        table_put_text(rows, strcmp(text, "NA") != 0 ? text : NULL);
    }
    end_row(database, rows);
}

/* ---- communication ---- */

static void add_sizes(struct cluster_database *database, const struct cluster_member *member, int64_t rank,
                      const struct cluster_info *info, size_t transport)
{
    const struct cluster_transfer *transfer = &info->transfers[transport];
    struct table_rows *rows;
    for (uint32_t i = 0; i < transfer->packet_count && (rows = rows_of(database, BANDWIDTHS)) != NULL; i++) {
        const struct rank_packet *packet = &transfer->packets[i];
        table_put_text(rows, member->step);
        table_put_integer(rows, rank);
        table_put_text(rows, member->name);
        table_put_text(rows, member->number);
        table_put_text(rows, cluster_transport_names[transport]);
        put_decimal(rows, transfer->bytes, MB);
        put_decimal(rows, transfer->ns, MS);
        put_decimal(rows, transfer->bandwidth, RATIO);
        if (info->total)
            table_put_nothing(rows);
        else
            put_decimal(rows, transfer->large_ratio, RATIO);
        put_decimal(rows, packet->bytes, MB);
        put_decimal(rows, packet->count, 0);
        put_decimal(rows, packet->ns, MS);
        end_row(database, rows);
    }
}

void cluster_database_add_info(struct cluster_database *database, const struct cluster_member *member, int64_t rank,
                               const struct cluster_info *info)
{
    struct table_rows *rows = rows_of(database, TIMES);
    if (rows == NULL)
        return;
    table_put_text(rows, member->step);
    table_put_integer(rows, rank);
    table_put_text(rows, member->name);
    table_put_text(rows, member->number);
    if (info->total)
        table_put_integer(rows, 0);
    else
        put_decimal(rows, info->start_ns, US);
    for (size_t i = 0; i < CLUSTER_TIMES; i++)
        put_decimal(rows, info->ns[i], MS);
    put_decimal(rows, info->synchronization_ratio, RATIO);
    put_decimal(rows, info->wait_ratio, RATIO);
    end_row(database, rows);
    for (size_t i = 0; i < TRANSPORTS; i++)
        add_sizes(database, member, rank, info, i);
}

void cluster_database_add_link(struct cluster_database *database, const struct cluster_member *member,
                               const struct cluster_database_link *link)
{
    struct table_rows *rows = rows_of(database, MATRIX);
    char source[NUMBER_MAX + 1], target[NUMBER_MAX + 1];
    if (rows == NULL)
        return;
    *number_put_signed(source, link->source) = '\0';
    *number_put_signed(target, link->target) = '\0';
    table_put_text(rows, member->step);
    table_put_text(rows, member->name);
    table_put_text(rows, member->number);
    table_put_text(rows, source);
    table_put_text(rows, target);
    put_decimal(rows, link->bytes, MB);
    put_decimal(rows, link->ns, MS);
    put_decimal(rows, link->bandwidth, RATIO);
    table_put_text(rows, link->transport);
    table_put_text(rows, link->op_name);
    end_row(database, rows);
}

void cluster_database_add_group(struct cluster_database *database, const char *type, const int64_t *ranks, size_t count,
                                const char *const names[3])
{
    struct table_rows *rows = rows_of(database, GROUPS);
    struct strbuf set;
    if (rows == NULL)
        return;
    strbuf_init(&set, RANKS_LIMIT);
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&set, "%s%" PRId64, i > 0 ? "," : "(", ranks[i]);
    strbuf_adds(&set, count > 0 ? ")" : "()");
    table_put_text(rows, type);
    table_put_built(rows, &set);
    for (size_t i = 0; i < 3; i++)
        table_put_text(rows, names[i]);
    end_row(database, rows);
    strbuf_release(&set);
}

/* ---- where the ranks ran ---- */

static void put_known(struct table_rows *rows, const char *text)
{
    table_put_text(rows, *text != '\0' ? text : NULL);
}

/* Each host once, in the order of its first rank. */
static int add_hosts(struct cluster_database *database, const struct cluster_database_rank *ranks, size_t count,
                     struct err *err)
{
    struct intern seen = {.count = 0};
    int status = table_rows_open(&database->rows, database->build.db, "HostInfo", "hostUid TEXT, hostName TEXT", err);
    for (size_t i = 0; status == 0 && i < count; i++) {
        size_t before = seen.count;
        uint32_t number;
        if (ranks[i].host_uid[0] == '\0')
            continue;
        status = intern_add(&seen, ranks[i].host_uid, strlen(ranks[i].host_uid), &number, err);
        if (status < 0 || seen.count == before)
            continue;
        put_known(&database->rows, ranks[i].host_uid);
        put_known(&database->rows, ranks[i].host_name);
        status = table_end_row(&database->rows, err);
    }
    table_rows_close(&database->rows);
    intern_release(&seen);
    return status;
}

static int add_ranks(struct cluster_database *database, const struct cluster_database_rank *ranks, size_t count,
                     struct err *err)
{
    int status = table_rows_open(&database->rows, database->build.db, "RankDeviceMap",
                                 "rankId INTEGER, deviceId INTEGER, hostUid TEXT, profilePath TEXT", err);
    for (size_t i = 0; status == 0 && i < count; i++) {
        table_put_integer(&database->rows, ranks[i].rank);
        if (ranks[i].device_id >= 0)
            table_put_integer(&database->rows, ranks[i].device_id);
        else
            table_put_nothing(&database->rows);
        put_known(&database->rows, ranks[i].host_uid);
        table_put_text(&database->rows, ranks[i].path);
        status = table_end_row(&database->rows, err);
    }
    table_rows_close(&database->rows);
    return status;
}

static int add_parallel(struct cluster_database *database, const int64_t *parallel, struct err *err)
{
    char text[256];
    snprintf(text, sizeof text,
             "{\"tensor_model_parallel_size\": %" PRId64 ", \"pipeline_model_parallel_size\": %" PRId64
             ", \"data_parallel_size\": %" PRId64 "}",
             parallel[0], parallel[1], parallel[2]);
    int status = table_rows_open(&database->rows, database->build.db, "ClusterBaseInfo", "key TEXT, value TEXT", err);
    if (status == 0) {
        table_put_text(&database->rows, "distributed_args");
        table_put_text(&database->rows, text);
        status = table_end_row(&database->rows, err);
    }
    table_rows_close(&database->rows);
    return status;
}

int cluster_database_commit(struct cluster_database *database, const struct cluster_database_rank *ranks, size_t count,
                            const int64_t *parallel, struct err *err)
{
    if (database->failed) {
        *err = database->err;
        return -(int)err->code;
    }
    close_tables(database);
    if (add_hosts(database, ranks, count, err) < 0 || add_ranks(database, ranks, count, err) < 0 ||
        (parallel != NULL && add_parallel(database, parallel, err) < 0))
        return -(int)err->code;
    database->committed = true;
    return database_build_commit(&database->build, err);
}
