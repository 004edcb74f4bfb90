/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/cluster/cluster_database.h"

#include "base/file/fsutil.h"
#include "base/format/csv_in.h"
#include "base/format/json_pieces.h"
#include "base/intern.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "db/table_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS_LIMIT ((size_t)64 * 1024 * 1024)
#define NAME_LIMIT ((size_t)1024 * 1024)

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

struct making {
    const char *directory;
    sqlite3 *db;
    struct table_rows times, bandwidths, rows;
    size_t places[STEP_TITLES]; /* of each title in the table; SIZE_MAX: it is not there */
};

/* ---- steps ---- */

static int take_step(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    struct making *making = arg;
    for (size_t i = 0; number == 1 && i < STEP_TITLES; i++) {
        making->places[i] = SIZE_MAX;
        for (size_t j = 0; j < count; j++) {
            if (strcmp(fields[j], step_titles[i]) == 0)
                making->places[i] = j;
        }
    }
    if (number == 1)
        return 0;
    for (size_t i = 0; i < STEP_TITLES; i++) {
        const char *field = making->places[i] < count ? fields[making->places[i]] : "NA";
        table_put_text(&making->rows, strcmp(field, "NA") != 0 ? field : NULL);
    }
    return table_end_row(&making->rows, err);
}

/* ---- communication ---- */

/* The operator and the number of its group, "op@group". */
static void put_name(struct table_rows *rows, const char *key, struct strbuf *name)
{
    const char *at = strrchr(key, '@');
    strbuf_clear(name);
    strbuf_add(name, key, at != NULL ? (size_t)(at - key) : strlen(key));
    table_put_built(rows, name);
    table_put_text(rows, at != NULL ? at + 1 : "");
}

static void put_number(struct table_rows *rows, const struct json *object, const char *name)
{
    double number;
    if (json_number(json_member(object, name), &number))
        table_put_real(rows, number);
    else
        table_put_nothing(rows);
}

static int add_sizes(struct making *making, const char *const *keys, int64_t rank, const struct json *transport,
                     struct strbuf *name, struct err *err)
{
    struct table_rows *rows = &making->bandwidths;
    int status = 0;
    for (const struct json *size = json_first(json_member(transport, "Size Distribution")); status == 0 && size != NULL;
         size = json_next(size)) {
        double count = 0, ms = 0;
        json_number(json_element(size, 0), &count);
        json_number(json_element(size, 1), &ms);
        table_put_text(rows, keys[1]);
        table_put_integer(rows, rank);
        put_name(rows, keys[2], name);
        table_put_text(rows, json_key(transport));
        put_number(rows, transport, "Transit Size(MB)");
        put_number(rows, transport, "Transit Time(ms)");
        put_number(rows, transport, "Bandwidth(GB/s)");
        put_number(rows, transport, "Large Packet Ratio");
        table_put_real(rows, strtod(json_key(size), NULL));
        table_put_real(rows, count);
        table_put_real(rows, ms);
        status = table_end_row(rows, err);
    }
    return status;
}

static int add_rank(struct making *making, const char *const *keys, const struct json *info, struct strbuf *name,
                    struct err *err)
{
    static const char *const titles[] = {"Elapse Time(ms)",          "Transit Time(ms)", "Wait Time(ms)",
                                         "Synchronization Time(ms)", "Idle Time(ms)",    "Synchronization Time Ratio",
                                         "Wait Time Ratio"};
    const struct json *times = json_member(info, "Communication Time Info"), *start;
    struct table_rows *rows = &making->times;
    int64_t rank = strtoll(json_key(info), NULL, 10);
    table_put_text(rows, keys[1]);
    table_put_integer(rows, rank);
    put_name(rows, keys[2], name);
    start = json_member(times, "Start Timestamp(us)");
    if (start != NULL)
        put_number(rows, times, "Start Timestamp(us)");
    else
        table_put_integer(rows, 0);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        put_number(rows, times, titles[i]);
    int status = table_end_row(rows, err);
    for (const struct json *transport = json_first(json_member(info, "Communication Bandwidth Info"));
         status == 0 && transport != NULL; transport = json_next(transport))
        status = add_sizes(making, keys, rank, transport, name, err);
    return status;
}

static int take_operator(void *arg, const char *const *keys, const struct json *value, struct err *err)
{
    struct strbuf name;
    int status = 0;
    strbuf_init(&name, NAME_LIMIT);
    for (const struct json *info = json_first(value); status == 0 && info != NULL; info = json_next(info))
        status = add_rank(arg, keys, info, &name, err);
    strbuf_release(&name);
    return status;
}

static int take_links(void *arg, const char *const *keys, const struct json *value, struct err *err)
{
    struct making *making = arg;
    struct table_rows *rows = &making->rows;
    struct strbuf name, source;
    int status = 0;
    strbuf_init(&name, NAME_LIMIT);
    strbuf_init(&source, NAME_LIMIT);
    for (const struct json *link = json_first(value); status == 0 && link != NULL; link = json_next(link)) {
        const char *dash = strchr(json_key(link), '-');
        if (dash == NULL)
            continue;
        strbuf_clear(&source);
        strbuf_add(&source, json_key(link), (size_t)(dash - json_key(link)));
        table_put_text(rows, keys[1]);
        put_name(rows, keys[2], &name);
        table_put_text(rows, source.data);
        table_put_text(rows, dash + 1);
        put_number(rows, link, "Transit Size(MB)");
        put_number(rows, link, "Transit Time(ms)");
        put_number(rows, link, "Bandwidth(GB/s)");
        table_put_text(rows, json_string(json_member(link, "Transport Type")));
        table_put_text(rows, json_string(json_member(link, "Op Name")));
        status = table_end_row(rows, err);
    }
    strbuf_release(&name);
    strbuf_release(&source);
    return status;
}

/* ---- groups ---- */

static int add_group(struct making *making, const struct json *group, struct err *err)
{
    static const char *const members[] = {"group_name", "group_id", "pg_name"};
    struct strbuf ranks;
    int64_t rank;
    strbuf_init(&ranks, NAME_LIMIT);
    strbuf_addc(&ranks, '(');
    for (const struct json *item = json_first(json_member(group, "rank_set")); item != NULL; item = json_next(item)) {
        if (json_integer(item, &rank))
            strbuf_addf(&ranks, "%s%" PRId64, ranks.length > 1 ? "," : "", rank);
    }
    strbuf_addc(&ranks, ')');
    table_put_text(&making->rows, json_string(json_member(group, "type")));
    table_put_built(&making->rows, &ranks);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        table_put_text(&making->rows, json_string(json_member(group, members[i])));
    int status = table_end_row(&making->rows, err);
    strbuf_release(&ranks);
    return status;
}

static int read_groups(struct making *making, const char *path, struct err *err)
{
    char *text = NULL;
    size_t length = 0;
    int status = read_whole_file(path, GROUPS_LIMIT, &text, &length, err);
    struct json *root = status == 0 ? json_parse(text, length, err) : NULL;
    if (status == 0 && root == NULL)
        status = -(int)err->code;
    for (const struct json *group = json_first(json_member(root, "comm_group_parallel_info"));
         status == 0 && group != NULL; group = json_next(group))
        status = add_group(making, group, err);
    json_free(root);
    free(text);
    return status;
}

/* ---- the tables ---- */

static int read_steps(struct making *making, const char *path, struct err *err)
{
    return csv_read(path, take_step, making, err);
}

static int read_communication(struct making *making, const char *path, struct err *err)
{
    bool failed = table_rows_open(&making->times, making->db, "ClusterCommunicationTime", TIME_COLUMNS, err) < 0 ||
                  json_read_members(path, 3, take_operator, making, err) < 0;
    table_rows_close(&making->times);
    return failed ? -(int)err->code : 0;
}

static int read_matrix(struct making *making, const char *path, struct err *err)
{
    return json_read_members(path, 3, take_links, making, err);
}

static const struct {
    const char *table, *columns, *file;
    int (*read)(struct making *making, const char *path, struct err *err);
} tables[] = {
    {"ClusterStepTraceTime", STEP_COLUMNS, "cluster_step_trace_time.csv", read_steps},
    {"ClusterCommunicationMatrix", MATRIX_COLUMNS, "cluster_communication_matrix.json", read_matrix},
    {"CommunicationGroupMapping", "type TEXT, rank_set TEXT, group_name TEXT, group_id TEXT, pg_name TEXT",
     "communication_group.json", read_groups},
    {"ClusterCommunicationBandwidth", BANDWIDTH_COLUMNS, "cluster_communication.json", read_communication},
};

static int add_tables(struct making *making, struct err *err)
{
    bool failed = false;
    for (size_t i = 0; !failed && i < sizeof tables / sizeof *tables; i++) {
        char *path = path_join(making->directory, tables[i].file);
        struct table_rows *rows = tables[i].read == read_communication ? &making->bandwidths : &making->rows;
        failed = (path != NULL ? table_rows_open(rows, making->db, tables[i].table, tables[i].columns, err)
                               : err_set(err, ERR_NO_MEMORY, "out of memory")) < 0 ||
                 tables[i].read(making, path, err) < 0;
        table_rows_close(rows);
        free(path);
    }
    return failed ? -(int)err->code : 0;
}

static void put_known(struct table_rows *rows, const char *text)
{
    table_put_text(rows, *text != '\0' ? text : NULL);
}

/* Each host once, in the order of its first rank. */
static int add_hosts(struct making *making, const struct cluster_database_rank *ranks, size_t count, struct err *err)
{
    struct intern seen = {.count = 0};
    int status = table_rows_open(&making->rows, making->db, "HostInfo", "hostUid TEXT, hostName TEXT", err);
    for (size_t i = 0; status == 0 && i < count; i++) {
        size_t before = seen.count;
        uint32_t number;
        if (ranks[i].host_uid[0] == '\0')
            continue;
        status = intern_add(&seen, ranks[i].host_uid, strlen(ranks[i].host_uid), &number, err);
        if (status < 0 || seen.count == before)
            continue;
        put_known(&making->rows, ranks[i].host_uid);
        put_known(&making->rows, ranks[i].host_name);
        status = table_end_row(&making->rows, err);
    }
    table_rows_close(&making->rows);
    intern_release(&seen);
    return status;
}

static int add_ranks(struct making *making, const struct cluster_database_rank *ranks, size_t count, struct err *err)
{
    int status = table_rows_open(&making->rows, making->db, "RankDeviceMap",
                                 "rankId INTEGER, deviceId INTEGER, hostUid TEXT, profilePath TEXT", err);
    for (size_t i = 0; status == 0 && i < count; i++) {
        table_put_integer(&making->rows, ranks[i].rank);
        if (ranks[i].device_id >= 0)
            table_put_integer(&making->rows, ranks[i].device_id);
        else
            table_put_nothing(&making->rows);
        put_known(&making->rows, ranks[i].host_uid);
        table_put_text(&making->rows, ranks[i].path);
        status = table_end_row(&making->rows, err);
    }
    table_rows_close(&making->rows);
    return status;
}

static int add_parallel(struct making *making, const int64_t *parallel, struct err *err)
{
    char text[256];
    snprintf(text, sizeof text,
             "{\"tensor_model_parallel_size\": %" PRId64 ", \"pipeline_model_parallel_size\": %" PRId64
             ", \"data_parallel_size\": %" PRId64 "}",
             parallel[0], parallel[1], parallel[2]);
    int status = table_rows_open(&making->rows, making->db, "ClusterBaseInfo", "key TEXT, value TEXT", err);
    if (status == 0) {
        table_put_text(&making->rows, "distributed_args");
        table_put_text(&making->rows, text);
        status = table_end_row(&making->rows, err);
    }
    table_rows_close(&making->rows);
    return status;
}

int cluster_database_write(const char *directory, const struct cluster_database_rank *ranks, size_t count,
                           const int64_t *parallel, struct err *err)
{
    struct database_build build = {.fd = -1};
    char *path = path_join(directory, "cluster_analysis.db");
    bool failed = (path != NULL ? database_setup(err) : err_set(err, ERR_NO_MEMORY, "out of memory")) < 0 ||
                  database_build_open_foreign(&build, path, err) < 0;
    free(path);
    if (failed)
        return -(int)err->code;
    struct making making = {.directory = directory, .db = build.db};
    failed = add_tables(&making, err) < 0 || add_hosts(&making, ranks, count, err) < 0 ||
             add_ranks(&making, ranks, count, err) < 0 ||
             (parallel != NULL && add_parallel(&making, parallel, err) < 0);
    if (failed) {
        database_build_abort(&build);
        return -(int)err->code;
    }
    return database_build_commit(&build, err);
}
