/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/communication/analyzer_tables.h"

#include <inttypes.h>
#include <stdio.h>

#define NUMBER_TEXT 24

/* The first of each is what the analysis of a capture writes; PyTorch's tells steps and halves, too. */
static const char *const columns[][2] = {
    {"hccl_op_name TEXT, group_name TEXT, start_timestamp INTEGER, elapse_time INTEGER, transit_time INTEGER,"
     " wait_time INTEGER, synchronization_time INTEGER, idle_time INTEGER",
     "hccl_op_name TEXT, group_name TEXT, start_timestamp NUMERIC, elapse_time NUMERIC, transit_time NUMERIC,"
     " wait_time NUMERIC, synchronization_time NUMERIC, idle_time NUMERIC, step TEXT, type TEXT"},
    {"hccl_op_name TEXT, group_name TEXT, transport_type TEXT, transit_size INTEGER, transit_time INTEGER,"
     " bandwidth INTEGER, large_packet_ratio INTEGER, package_size INTEGER, count INTEGER, total_duration INTEGER",
     "hccl_op_name TEXT, group_name TEXT, transport_type TEXT, transit_size NUMERIC, transit_time NUMERIC,"
     " bandwidth NUMERIC, large_packet_ratio NUMERIC, package_size NUMERIC, count NUMERIC, total_duration NUMERIC,"
     " step TEXT, type TEXT"},
    {"hccl_op_name TEXT, group_name TEXT, src_rank TEXT, dst_rank TEXT, transport_type TEXT, transit_size INTEGER,"
     " transit_time INTEGER, bandwidth INTEGER",
     "hccl_op_name TEXT, group_name TEXT, src_rank TEXT, dst_rank TEXT, transport_type TEXT, transit_size NUMERIC,"
     " transit_time NUMERIC, bandwidth NUMERIC, step TEXT, type TEXT, op_name TEXT"},
};

int analyzer_tables_open(struct analyzer_tables *tables, sqlite3 *db, bool by_step, struct err *err)
{
    *tables = (struct analyzer_tables){.by_step = by_step};
    if (table_rows_open(&tables->times, db, "CommAnalyzerTime", columns[0][by_step], err) < 0 ||
        table_rows_open(&tables->traffic, db, "CommAnalyzerBandwidth", columns[1][by_step], err) < 0 ||
        table_rows_open(&tables->links, db, "CommAnalyzerMatrix", columns[2][by_step], err) < 0)
        return -(int)err->code;
    return 0;
}

void analyzer_tables_close(struct analyzer_tables *tables)
{
    table_rows_close(&tables->times);
    table_rows_close(&tables->traffic);
    table_rows_close(&tables->links);
}

static void put_name(struct table_rows *rows, const struct analyzer_name *name)
{
    table_put_text(rows, name->op);
    table_put_text(rows, name->group);
}

static void put_step(const struct analyzer_tables *tables, struct table_rows *rows)
{
    if (!tables->by_step)
        return;
    table_put_text(rows, tables->step);
    table_put_text(rows, tables->half);
}

/* The nearest double: as a double, nanoseconds since 1970 would be multiples of 256. */
static double microseconds(int64_t ns)
{
    int64_t whole = ns / 1000;
    return (double)whole + (double)(ns % 1000) / 1e3;
}

int analyzer_add_times(struct analyzer_tables *tables, const struct analyzer_name *name,
                       const struct analyzer_times *times, struct err *err)
{
    struct table_rows *rows = &tables->times;
    put_name(rows, name);
    table_put_real(rows, microseconds(times->start_ns));
    table_put_real(rows, times->elapse_ms);
    table_put_real(rows, times->transit_ms);
    table_put_real(rows, times->wait_ms);
    table_put_real(rows, times->synchronization_ms);
    table_put_real(rows, times->idle_ms);
    put_step(tables, rows);
    return table_end_row(rows, err);
}

int analyzer_add_packets(struct analyzer_tables *tables, const struct analyzer_name *name,
                         const struct analyzer_packets *packets, struct err *err)
{
    struct table_rows *rows = &tables->traffic;
    put_name(rows, name);
    table_put_text(rows, packets->link);
    table_put_real(rows, packets->mb);
    table_put_real(rows, packets->ms);
    table_put_real(rows, packets->gb_per_s);
    table_put_real(rows, packets->large_ratio);
    table_put_real(rows, packets->packet_mb);
    table_put_integer(rows, packets->count);
    table_put_real(rows, packets->packets_ms);
    put_step(tables, rows);
    return table_end_row(rows, err);
}

int analyzer_add_pair(struct analyzer_tables *tables, const struct analyzer_name *name,
                      const struct analyzer_pair *pair, struct err *err)
{
    struct table_rows *rows = &tables->links;
    char from[NUMBER_TEXT], to[NUMBER_TEXT];
    snprintf(from, sizeof from, "%" PRId64, pair->from);
    snprintf(to, sizeof to, "%" PRId64, pair->to);
    put_name(rows, name);
    table_put_text(rows, from);
    table_put_text(rows, to);
    table_put_text(rows, pair->transport);
    table_put_real(rows, pair->mb);
    table_put_real(rows, pair->ms);
    table_put_real(rows, pair->gb_per_s);
    put_step(tables, rows);
    if (tables->by_step)
        table_put_text(rows, pair->op != NULL ? pair->op : "");
    return table_end_row(rows, err);
}
