/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/cluster_database.h"

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

enum table { STEPS, MATRIX, GROUPS, BANDWIDTHS, TIMES, HOSTS, RANKS, BASE, TABLES }; /* from HOSTS on at the end */
static const struct {
    const char *name, *columns;
} tables[TABLES] = {
    [STEPS] = {"ClusterStepTraceTime", STEP_COLUMNS},
    [MATRIX] = {"ClusterCommunicationMatrix", MATRIX_COLUMNS},
    [GROUPS] = {"CommunicationGroupMapping", "type TEXT, rank_set TEXT, group_name TEXT, group_id TEXT, pg_name TEXT"},
    [BANDWIDTHS] = {"ClusterCommunicationBandwidth", BANDWIDTH_COLUMNS},
    [TIMES] = {"ClusterCommunicationTime", TIME_COLUMNS},
    [HOSTS] = {"HostInfo", "hostUid TEXT, hostName TEXT"},
    [RANKS] = {"RankDeviceMap", "rankId INTEGER, deviceId INTEGER, hostUid TEXT, profilePath TEXT"},
    [BASE] = {"ClusterBaseInfo", "key TEXT, value TEXT"},
};

struct cluster_database {
    struct database_build build;
    struct table_rows tables[TABLES];
    struct err err; /* the first failure */
    bool failed, committed;
};

static int open_table(struct cluster_database *database, enum table table, struct err *err)
{
    return table_rows_open(&database->tables[table], database->build.db, tables[table].name, tables[table].columns,
                           err);
}

struct cluster_database *cluster_database_new(const char *directory, struct err *err)
{
    struct cluster_database *database = calloc(1, sizeof *database);
    SCOPED_FREE char *path = path_join(directory, "cluster_analysis.db");
    bool failed = ((database == NULL || path == NULL) && err_no_memory(err) < 0) ||
                  database_build_open(&database->build, path, false, err) < 0;
    if (failed) {
        free(database);
        return NULL;
    }
    for (enum table i = STEPS; i < HOSTS && !failed; i++)
        failed = open_table(database, i, err) < 0;
    if (failed) {
        cluster_database_free(database);
        return NULL;
    }
    return database;
}

void cluster_database_free(struct cluster_database *database)
{
    if (database == NULL)
        return;
    if (!database->committed)
        database_build_abort(&database->build);
    free(database);
}

static bool takes_rows(const struct cluster_database *database)
{
    return database != NULL && !database->failed;
}

/* Adds a row unless one before it failed. */
#define add(database, table, ...)                                                                                      \
    ((database)->failed =                                                                                              \
         (database)->failed || table_add(&(database)->tables[table], &(database)->err, __VA_ARGS__) < 0)

/* value / 10^decimals as the nearest double, as who reads the files has it. */
static double decimal(int64_t value, unsigned decimals)
{
    static const double units[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    char text[NUMBER_MAX + 1];
    if (value > -(INT64_C(1) << 53) && value < INT64_C(1) << 53)
        return (double)value / units[decimals];
    *number_put_shortest(text, value, decimals) = '\0';
    return strtod(text, NULL);
}

/* ---- steps ---- */

void cluster_database_add_step(struct cluster_database *database, const char *const *titles, const char *const *texts,
                               size_t count)
{
    struct table_value values[STEP_TITLES];
    if (!takes_rows(database))
        return;
    for (size_t i = 0; i < STEP_TITLES; i++) {
        const char *text = "NA";
        for (size_t j = 0; j < count; j++)
            text = strcmp(titles[j], step_titles[i]) == 0 ? texts[j] : text;
        values[i] = table_text(strcmp(text, "NA") != 0 ? text : NULL);
    }
    database->failed = table_add_values(&database->tables[STEPS], values, STEP_TITLES, &database->err) < 0;
}

/* ---- communication ---- */

void cluster_database_add_info(struct cluster_database *database, const struct cluster_member *member, int64_t rank,
                               const struct comm_info *info)
{
    const int64_t *ns = info->ns;
    if (!takes_rows(database))
        return;
    add(database, TIMES, V(member->step), V(rank), V(member->name), V(member->number),
        info->total ? V(0) : V(decimal(info->start_ns, US)), V(decimal(ns[COMM_ELAPSE], MS)),
        V(decimal(ns[COMM_TRANSIT], MS)), V(decimal(ns[COMM_WAIT], MS)), V(decimal(ns[COMM_SYNCHRONIZATION], MS)),
        V(decimal(ns[COMM_IDLE], MS)), V(decimal(info->synchronization_ratio, RATIO)),
        V(decimal(info->wait_ratio, RATIO)));
    for (size_t i = 0; i < COMM_TRANSPORTS; i++) {
        const struct comm_transfer *transfer = &info->transfers[i];
        for (uint32_t j = 0; j < transfer->packet_count; j++) {
            const struct comm_packet *packet = &transfer->packets[j];
            add(database, BANDWIDTHS, V(member->step), V(rank), V(member->name), V(member->number),
                V(collective_media[i]), V(decimal(transfer->bytes, MB)), V(decimal(transfer->ns, MS)),
                V(decimal(transfer->bandwidth, RATIO)),
                info->total ? NOTHING : V(decimal(transfer->large_ratio, RATIO)), V(decimal(packet->bytes, MB)),
                V(decimal(packet->count, 0)), V(decimal(packet->ns, MS)));
        }
    }
}

void cluster_database_add_link(struct cluster_database *database, const struct cluster_member *member,
                               const struct cluster_database_link *link)
{
    char source[NUMBER_MAX + 1], target[NUMBER_MAX + 1];
    if (!takes_rows(database))
        return;
    *number_put_signed(source, link->source) = '\0';
    *number_put_signed(target, link->target) = '\0';
    add(database, MATRIX, V(member->step), V(member->name), V(member->number), V(source), V(target),
        V(decimal(link->bytes, MB)), V(decimal(link->ns, MS)), V(decimal(link->bandwidth, RATIO)), V(link->transport),
        V(link->op_name));
}

void cluster_database_add_group(struct cluster_database *database, const char *type, const int64_t *ranks, size_t count,
                                const char *const names[3])
{
    struct strbuf set;
    if (!takes_rows(database))
        return;
    strbuf_init(&set, RANKS_LIMIT);
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&set, "%s%" PRId64, i > 0 ? "," : "(", ranks[i]);
    strbuf_adds(&set, count > 0 ? ")" : "()");
    add(database, GROUPS, V(type), V(&set), V(names[0]), V(names[1]), V(names[2]));
    strbuf_release(&set);
}

/* ---- where the ranks ran ---- */

static struct table_value known(const char *text)
{
    return table_text(*text != '\0' ? text : NULL);
}

/* Each host once, in the order of its first rank. */
static int add_hosts(struct table_rows *rows, const struct cluster_database_rank *ranks, size_t count, struct err *err)
{
    SCOPED(intern_release) struct intern seen = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        size_t before = seen.count;
        uint32_t number;
        if (ranks[i].host_uid[0] == '\0')
            continue;
        if (intern_text(&seen, ranks[i].host_uid, &number, err) < 0 ||
            (seen.count > before && table_add(rows, err, known(ranks[i].host_uid), known(ranks[i].host_name)) < 0))
            return err_status(err);
    }
    return 0;
}

static int add_ranks(struct table_rows *rows, const struct cluster_database_rank *ranks, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (table_add(rows, err, V(ranks[i].rank), KNOWN(ranks[i].device_id >= 0 ? ranks[i].device_id : DB_NULL),
                      known(ranks[i].host_uid), V(ranks[i].path)) < 0)
            return err_status(err);
    return 0;
}

/* Those of the first rank that has any. */
static const char *find_arguments(const struct cluster_database_rank *ranks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ranks[i].arguments[0] != '\0')
            return ranks[i].arguments;
    }
    return NULL;
}

static int add_parallel(struct table_rows *rows, const char *arguments, const int64_t *parallel, struct err *err)
{
    char text[256];
    if (arguments != NULL)
        return table_add(rows, err, V("distributed_args"), V(arguments));
    snprintf(text, sizeof text,
             "{\"tensor_model_parallel_size\": %" PRId64 ", \"pipeline_model_parallel_size\": %" PRId64
             ", \"data_parallel_size\": %" PRId64 "}",
             parallel[0], parallel[1], parallel[2]);
    return table_add(rows, err, V("distributed_args"), V(text));
}

int cluster_database_commit(struct cluster_database *database, const struct cluster_database_rank *ranks, size_t count,
                            const int64_t *parallel, struct err *err)
{
    if (database->failed) {
        *err = database->err;
        return err_status(err);
    }
    const char *arguments = find_arguments(ranks, count);
    if (open_table(database, HOSTS, err) < 0 || add_hosts(&database->tables[HOSTS], ranks, count, err) < 0 ||
        open_table(database, RANKS, err) < 0 || add_ranks(&database->tables[RANKS], ranks, count, err) < 0 ||
        ((parallel != NULL || arguments != NULL) &&
         (open_table(database, BASE, err) < 0 || add_parallel(&database->tables[BASE], arguments, parallel, err) < 0)))
        return err_status(err);
    database->committed = true;
    return database_build_commit(&database->build, err);
}
