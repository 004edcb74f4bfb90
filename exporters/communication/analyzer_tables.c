/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/communication/communication_files.h"

#include "base/number.h"
#include "exporters/communication/communication.h"

#include <inttypes.h>
#include <stdio.h>

#define NUMBER_TEXT 24

/* The first of each is what the analysis of a capture writes; PyTorch's tells steps and halves, too, behind it. */
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

int analyzer_tables_open(struct analyzer_tables *tables, sqlite3 *db, bool by_step, bool as_frameworks, struct err *err)
{
    *tables = (struct analyzer_tables){.by_step = by_step, .as_frameworks = as_frameworks};
    if (table_rows_open(&tables->times, db, "CommAnalyzerTime", columns[0][by_step], err) < 0 ||
        table_rows_open(&tables->traffic, db, "CommAnalyzerBandwidth", columns[1][by_step], err) < 0 ||
        table_rows_open(&tables->links, db, "CommAnalyzerMatrix", columns[2][by_step], err) < 0)
        return err_status(err);
    return 0;
}

/* The nearest double: as a double, nanoseconds since 1970 would be multiples of 256. */
static double microseconds(int64_t ns)
{
    int64_t whole = ns / 1000;
    return (double)whole + (double)(ns % 1000) / 1e3;
}

/* The exact sum in millions, or the frameworks' own. */
static struct table_value figure(const struct analyzer_tables *tables, int64_t exact, double summed)
{
    return table_real(tables->as_frameworks ? summed : (double)exact / 1e6);
}

static double exact_ratio(int64_t numerator, int64_t denominator)
{
    return (double)number_ratio(numerator, denominator, 4) / 1e4;
}

static int add_times(struct analyzer_tables *tables, const struct analyzer_name *name, int64_t start_ns,
                     const struct collective_times *times, struct err *err)
{
    return table_add(&tables->times, err, V(name->op), V(name->group), V(microseconds(start_ns)),
                     figure(tables, times->elapse_ns, times->ms.elapse),
                     figure(tables, times->transit_ns, times->ms.transit),
                     figure(tables, times->wait_ns, times->ms.wait),
                     figure(tables, times->synchronization_ns, times->ms.synchronization),
                     figure(tables, collective_idle_ns(times), times->ms.idle), V(tables->step), V(tables->half));
}

static int add_traffic(struct analyzer_tables *tables, const struct analyzer_name *name, enum collective_medium medium,
                       const struct collective_traffic *traffic, struct err *err)
{
    const bool summed = tables->as_frameworks;
    const double bandwidth =
                     summed ? comm_bandwidth(traffic->mb, traffic->ms) : exact_ratio(traffic->bytes, traffic->ns),
                 large = summed ? comm_large_ratio(traffic) : exact_ratio(traffic->large, traffic->packets);
    int status = 0;
    for (size_t i = 0; status == 0 && i < traffic->sizes.count; i++) {
        const struct collective_packets *packets = &traffic->sizes.items[i];
        status = table_add(&tables->traffic, err, V(name->op), V(name->group), V(collective_media[medium]),
                           figure(tables, traffic->bytes, traffic->mb), figure(tables, traffic->ns, traffic->ms),
                           V(bandwidth), V(large), V((double)packets->bytes / 1e6), V(packets->count),
                           figure(tables, packets->ns, packets->ms), V(tables->step), V(tables->half));
    }
    return status;
}

int analyzer_add_pair(struct analyzer_tables *tables, const struct analyzer_name *name,
                      const struct collective_pair *pair, double gb_per_s, const char *op, struct err *err)
{
    const char *transport = tables->as_frameworks ? comm_transport(pair) : collective_media[pair->medium];
    char from[NUMBER_TEXT], to[NUMBER_TEXT];
    snprintf(from, sizeof from, "%" PRId64, pair->from);
    snprintf(to, sizeof to, "%" PRId64, pair->to);
    return table_add(&tables->links, err, V(name->op), V(name->group), V(from), V(to), V(transport),
                     figure(tables, pair->bytes, pair->mb), figure(tables, pair->ns, pair->ms), V(gb_per_s),
                     V(tables->step), V(tables->half), V(op != NULL ? op : ""));
}

int analyzer_add_operator(struct analyzer_tables *tables, const struct analyzer_name *name, int64_t start_ns,
                          const struct collective *sum, struct err *err)
{
    bool failed = add_times(tables, name, start_ns, &sum->times, err) < 0;
    for (int i = 0; !failed && i < MEDIUM_LOCAL; i++)
        failed = add_traffic(tables, name, (enum collective_medium)i, &sum->media[i], err) < 0;
    for (size_t i = 0; !failed && !tables->by_step && i < sum->pairs.count; i++) {
        const struct collective_pair *pair = &sum->pairs.items[i];
        double gb_per_s =
            tables->as_frameworks ? comm_bandwidth(pair->mb, pair->ms) : exact_ratio(pair->bytes, pair->ns);
        failed = analyzer_add_pair(tables, name, pair, gb_per_s, NULL, err) < 0;
    }
    return failed ? err_status(err) : 0;
}
