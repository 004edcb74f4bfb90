/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/communication/communication_database.h"

#include "base/number.h"
#include "db/database.h"
#include "exporters/cann_report.h"
#include "exporters/communication/analyzer_tables.h"
#include "exporters/communication/collectives.h"
#include "exporters/communication/communication_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MILLION 1e6     /* bytes of a MB, ns of a ms */
#define RATIO_DIGITS 4  /* of bandwidths and shares */
#define RATIO_SCALE 1e4 /* of the same */

/* Of one device at a time. */
struct making {
    const struct export_options *options;
    struct export_result *result;
    const struct cann_texts *names;
    bool several_devices, open;
    int64_t device_id;
    char report[COMMUNICATION_NAME_MAX], *path;
    struct database_build build;
    struct analyzer_tables tables;
};

static double millions(int64_t value)
{
    return (double)value / MILLION;
}

static double ratio(int64_t numerator, int64_t denominator)
{
    return (double)number_ratio(numerator, denominator, RATIO_DIGITS) / RATIO_SCALE;
}

static int add_times(struct making *making, const struct analyzer_name *name, const struct collective_times *times,
                     struct err *err)
{
    const struct analyzer_times row = {
        .start_ns = times->start_ns,
        .elapse_ms = millions(times->elapse_ns),
        .transit_ms = millions(times->transit_ns),
        .wait_ms = millions(times->wait_ns),
        .synchronization_ms = millions(times->synchronization_ns),
        .idle_ms = millions(collective_idle_ns(times)),
    };
    return analyzer_add_times(&making->tables, name, &row, err);
}

/* A row for each size of packets. */
static int add_traffic(struct making *making, const struct analyzer_name *name, enum collective_medium medium,
                       const struct collective_traffic *traffic, struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < traffic->sizes.count; i++) {
        const struct collective_packets *packets = &traffic->sizes.items[i];
        const struct analyzer_packets row = {
            .link = collective_media[medium],
            .mb = millions(traffic->bytes),
            .ms = millions(traffic->ns),
            .gb_per_s = ratio(traffic->bytes, traffic->ns),
            .large_ratio = ratio(traffic->large, traffic->packets),
            .packet_mb = millions(packets->bytes),
            .count = packets->count,
            .packets_ms = millions(packets->ns),
        };
        status = analyzer_add_packets(&making->tables, name, &row, err);
    }
    return status;
}

static int add_pair(struct making *making, const struct analyzer_name *name, const struct collective_pair *pair,
                    struct err *err)
{
    const struct analyzer_pair row = {
        .from = pair->from,
        .to = pair->to,
        .transport = collective_media[pair->medium],
        .mb = millions(pair->bytes),
        .ms = millions(pair->ns),
        .gb_per_s = ratio(pair->bytes, pair->ns),
    };
    return analyzer_add_pair(&making->tables, name, &row, err);
}

static int open_database(struct making *making, int64_t device_id, struct err *err)
{
    making->device_id = device_id;
    communication_name(making->report, "communication_analyzer", making->several_devices, device_id);
    making->path = cann_report_path(making->options, making->report, -1, ".db", err);
    int status =
        making->path != NULL ? database_build_open_foreign(&making->build, making->path, err) : -(int)err->code;
    making->open = status == 0;
    return status == 0 ? analyzer_tables_open(&making->tables, making->build.db, false, err) : status;
}

static void release_path(struct making *making)
{
    free(making->path);
    making->path = NULL;
    making->open = false;
}

static int finish_database(struct making *making, struct err *err)
{
    if (!making->open)
        return 0;
    uint64_t rows = (uint64_t)sqlite3_total_changes64(making->build.db);
    analyzer_tables_close(&making->tables);
    int status = database_build_commit(&making->build, err);
    if (status == 0) {
        making->result->files++;
        making->result->rows += rows;
        if (making->options->written != NULL)
            making->options->written(making->options->written_arg, making->report, making->path);
    }
    release_path(making);
    return status;
}

static void abandon_database(struct making *making)
{
    if (making->open) {
        analyzer_tables_close(&making->tables);
        database_build_abort(&making->build);
    }
    release_path(making);
}

static int take_collective(void *arg, const struct cann_communication *op, const struct collective *collective,
                           const int64_t *task_rows, struct err *err)
{
    struct making *making = arg;
    const struct cann_text text = cann_text(making->names, op->name_id, 0);
    char group[NUMBER_MAX] = "";
    (void)task_rows;
    int status = making->open && making->device_id != op->device_id ? finish_database(making, err) : 0;
    if (status == 0 && !making->open)
        status = open_database(making, op->device_id, err);
    if (op->group_id != DB_NULL)
        *number_put_unsigned(group, (uint64_t)op->group_id) = '\0';
    const struct analyzer_name name = {text.text != NULL ? text.text : "", group};
    if (status == 0)
        status = add_times(making, &name, &collective->times, err);
    for (size_t i = 0; status == 0 && i < MEDIUM_LOCAL; i++)
        status = add_traffic(making, &name, (enum collective_medium)i, &collective->media[i], err);
    for (size_t i = 0; status == 0 && i < collective->pairs.count; i++)
        status = add_pair(making, &name, &collective->pairs.items[i], err);
    return status;
}

int communication_database(sqlite3 *db, const struct export_options *options, struct export_result *ret,
                           struct err *err)
{
    struct cann_texts names;
    struct making making = {.options = options, .result = ret, .names = &names};
    int status = cann_names_load(db, &names, err);
    if (status < 0)
        return status;
    status = collectives_of_several_devices(db, &making.several_devices, err);
    if (status == 0)
        status = collectives_each(db, &names, take_collective, &making, err);
    if (status == 0)
        status = finish_database(&making, err);
    abandon_database(&making);
    cann_texts_release(&names);
    return status;
}
