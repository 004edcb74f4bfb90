/* SPDX-License-Identifier: Apache-2.0 */
#include "features/communication/communication_files.h"

#include "base/array.h"
#include "base/number.h"
#include "db/database.h"
#include "exporters/cann_report.h"
#include "exporters/extension.h"
#include "exporters/output_file.h"
#include "features/communication/communication.h"
#include "features/communication/communication_json.h"

#include <stdlib.h>
#include <string.h>

#define TOTAL_NAME "Total HCCL Operators"

/* Whether more than one device has such operators, which stand by device. */
static int find_several_devices(sqlite3 *db, bool *ret, struct err *err)
{
    SCOPED(cann_communications_release) struct cann_communications ops;
    if (cann_communications_load(db, &ops, err) < 0)
        return err_status(err);
    *ret = ops.count > 0 && ops.items[0].device_id != ops.items[ops.count - 1].device_id;
    return 0;
}

/* The files of one device. */
struct files {
    const struct export_options *options;
    struct export_result *result;
    const struct cann_texts *names;
    bool several_devices;
    int64_t device_id;
    bool open;
    struct communication_file {
        char report[COMMUNICATION_NAME_MAX];
        struct outfile out;
        struct json_out json;
    } times, matrix;
    uint64_t rows;
    struct collective total;
};

static void put_collective(struct json_out *json, const struct collective *collective)
{
    const struct comm_info info = comm_info_of(collective);
    json_put_begin(json, NULL, '{');
    comm_put_info(json, &info);
    json_put_end(json, '}');
}

static void put_pairs(struct json_out *json, const struct collective *collective)
{
    json_put_begin(json, NULL, '{');
    for (size_t i = 0; i < collective->pairs.count; i++) {
        const struct collective_pair *pair = &collective->pairs.items[i];
        const int64_t ns = collective_ns(collective, pair->ticks);
        char ranks[2 * NUMBER_MAX + 2];
        snprintf(ranks, sizeof ranks, "%" PRId64 "-%" PRId64, pair->from, pair->to);
        json_put_object(json, ranks, JSON_TEXT("Transport Type", comm_transport(pair)),
                        JSON_DECIMAL("Transit Size(MB)", pair->bytes, 6), JSON_DECIMAL("Transit Time(ms)", ns, 6),
                        JSON_DECIMAL("Bandwidth(GB/s)", number_ratio(pair->bytes, ns, 4), 4));
    }
    json_put_end(json, '}');
}

/* ---- the files ---- */

static int open_file(struct files *files, struct communication_file *file, const char *name, struct err *err)
{
    communication_name(file->report, name, files->several_devices, files->device_id);
    char labelled[COMMUNICATION_NAME_MAX + REPORT_NAME_MAX];
    const char *label = files->options->label;
    snprintf(labelled, sizeof labelled, "%s%s%s", file->report, label != NULL ? "_" : "", label != NULL ? label : "");
    SCOPED_FREE char *path = cann_report_path(files->options, labelled, -1, ".json", err);
    if (path == NULL || outfile_open(&file->out, path, err) < 0)
        return err_status(err);
    file->json = (struct json_out){.out = &file->out};
    json_put_begin(&file->json, NULL, '{');
    return 0;
}

static int open_files(struct files *files, int64_t device_id, struct err *err)
{
    files->device_id = device_id;
    files->rows = 0;
    files->open = true;
    return open_file(files, &files->times, "communication", err) < 0
               ? err_status(err)
               : open_file(files, &files->matrix, "communication_matrix", err);
}

static bool is_wanted(const struct files *files, enum communication_kind kind)
{
    return files->options->communication == 0 || (files->options->communication & kind) != 0;
}

/* One that nobody asked for does not appear. */
static int close_file(struct files *files, struct communication_file *file, enum communication_kind kind,
                      struct err *err)
{
    if (!is_wanted(files, kind))
        return 0;
    json_put_end(&file->json, '}');
    outfile_write(&file->out, "\n", 1);
    return output_file_done(&file->out, file->report, files->rows, files->options, files->result, err);
}

static void release_files(struct files *files)
{
    outfile_abort(&files->times.out);
    outfile_abort(&files->matrix.out);
    collective_release(&files->total);
    files->open = false;
}

/* The sum of all operators stands at the end, and both files get their names. */
static int finish_device(struct files *files, struct err *err)
{
    if (!files->open)
        return 0;
    json_put_key(&files->times.json, TOTAL_NAME, NULL);
    put_collective(&files->times.json, &files->total);
    json_put_key(&files->matrix.json, TOTAL_NAME, NULL);
    put_pairs(&files->matrix.json, &files->total);
    bool failed = close_file(files, &files->times, COMMUNICATION_TIMES, err) < 0 ||
                  close_file(files, &files->matrix, COMMUNICATION_MATRIX, err) < 0;
    release_files(files);
    return failed ? err_status(err) : 0;
}

/* "<operator>@<number of its group>" */
static void put_key(struct files *files, const struct cann_communication *op)
{
    const struct cann_text name = cann_text(files->names, op->name_id, 0);
    char number[NUMBER_MAX + 1] = "";
    if (op->group_id != DB_NULL)
        *number_put_unsigned(number, (uint64_t)op->group_id) = '\0';
    json_put_key(&files->times.json, name.text != NULL ? name.text : "", number);
    json_put_key(&files->matrix.json, name.text != NULL ? name.text : "", number);
}

static int take_collective(void *arg, const struct cann_communication *op, const struct collective *collective,
                           const int64_t *task_rows, struct err *err)
{
    struct files *files = arg;
    (void)task_rows;
    if ((files->open && files->device_id != op->device_id && finish_device(files, err) < 0) ||
        (!files->open && open_files(files, op->device_id, err) < 0))
        return err_status(err);
    put_key(files, op);
    put_collective(&files->times.json, collective);
    put_pairs(&files->matrix.json, collective);
    files->rows++;
    return collective_add(&files->total, collective, err);
}

int communication_files(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    SCOPED(cann_texts_release) struct cann_texts names;
    SCOPED(release_files) struct files files = {.options = options, .result = ret, .names = &names};
    collective_init(&files.total);
    return cann_names_load(db, &names, err) < 0 || find_several_devices(db, &files.several_devices, err) < 0 ||
                   collectives_each(db, &names, take_collective, &files, err) < 0 || finish_device(&files, err) < 0
               ? err_status(err)
               : 0;
}

/* ---- communication_analyzer.db ---- */

/* The database of one device at a time. */
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

static int open_database(struct making *making, int64_t device_id, struct err *err)
{
    making->device_id = device_id;
    communication_name(making->report, "communication_analyzer", making->several_devices, device_id);
    struct export_options untimed = *making->options; /* who reads it looks for this name */
    untimed.timestamp = NULL;
    making->path = cann_report_path(&untimed, making->report, -1, ".db", err);
    if (making->path == NULL || database_build_open(&making->build, making->path, false, err) < 0)
        return err_status(err);
    making->open = true;
    return analyzer_tables_open(&making->tables, making->build.db, false, false, err);
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
    if (making->open)
        database_build_abort(&making->build);
    release_path(making);
}

static int take_rows(void *arg, const struct cann_communication *op, const struct collective *collective,
                     const int64_t *task_rows, struct err *err)
{
    struct making *making = arg;
    const struct cann_text text = cann_text(making->names, op->name_id, 0);
    char group[NUMBER_MAX] = "";
    (void)task_rows;
    if ((making->open && making->device_id != op->device_id && finish_database(making, err) < 0) ||
        (!making->open && open_database(making, op->device_id, err) < 0))
        return err_status(err);
    if (op->group_id != DB_NULL)
        *number_put_unsigned(group, (uint64_t)op->group_id) = '\0';
    const struct analyzer_name name = {text.text != NULL ? text.text : "", group};
    return analyzer_add_operator(&making->tables, &name, collective->times.start_ns, collective, err);
}

int communication_database(sqlite3 *db, const struct export_options *options, struct export_result *ret,
                           struct err *err)
{
    SCOPED(cann_texts_release) struct cann_texts names;
    SCOPED(abandon_database) struct making making = {.options = options, .result = ret, .names = &names};
    return cann_names_load(db, &names, err) < 0 || find_several_devices(db, &making.several_devices, err) < 0 ||
                   collectives_each(db, &names, take_rows, &making, err) < 0 || finish_database(&making, err) < 0
               ? err_status(err)
               : 0;
}

/* ---- rows for viewers ---- */

#define NUMBER_TEXT 24

/* The first of each is what the analysis of a capture writes; PyTorch's also has steps and halves after it. */
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

static struct table_value length(const struct analyzer_tables *tables, const struct collective *collective,
                                 int64_t ticks, double summed)
{
    return figure(tables, collective_ns(collective, ticks), summed);
}

static int add_times(struct analyzer_tables *tables, const struct analyzer_name *name, int64_t start_ns,
                     const struct collective *sum, struct err *err)
{
    const struct collective_times *times = &sum->times;
    return table_add(&tables->times, err, V(name->op), V(name->group), V(microseconds(start_ns)),
                     length(tables, sum, times->elapse_ticks, times->ms.elapse),
                     length(tables, sum, times->transit_ticks, times->ms.transit),
                     length(tables, sum, times->wait_ticks, times->ms.wait),
                     length(tables, sum, times->synchronization_ticks, times->ms.synchronization),
                     length(tables, sum, collective_idle_ticks(times), times->ms.idle), V(tables->step),
                     V(tables->half));
}

static int add_traffic(struct analyzer_tables *tables, const struct analyzer_name *name, enum collective_medium medium,
                       const struct collective *sum, struct err *err)
{
    const struct collective_traffic *traffic = &sum->media[medium];
    const int64_t ns = collective_ns(sum, traffic->ticks);
    const bool summed = tables->as_frameworks;
    const double bandwidth = summed ? comm_bandwidth(traffic->mb, traffic->ms) : exact_ratio(traffic->bytes, ns),
                 large = summed ? comm_large_ratio(traffic) : exact_ratio(traffic->large, traffic->packets);
    int status = 0;
    for (size_t i = 0; status == 0 && i < traffic->sizes.count; i++) {
        const struct collective_packets *packets = &traffic->sizes.items[i];
        status = table_add(&tables->traffic, err, V(name->op), V(name->group), V(collective_media[medium]),
                           figure(tables, traffic->bytes, traffic->mb), figure(tables, ns, traffic->ms), V(bandwidth),
                           V(large), V((double)packets->bytes / 1e6), V(packets->count),
                           length(tables, sum, packets->ticks, packets->ms), V(tables->step), V(tables->half));
    }
    return status;
}

int analyzer_add_pair(struct analyzer_tables *tables, const struct analyzer_name *name,
                      const struct collective_pair *pair, double ms, double gb_per_s, const char *op, struct err *err)
{
    char from[NUMBER_TEXT], to[NUMBER_TEXT];
    snprintf(from, sizeof from, "%" PRId64, pair->from);
    snprintf(to, sizeof to, "%" PRId64, pair->to);
    return table_add(&tables->links, err, V(name->op), V(name->group), V(from), V(to), V(comm_transport(pair)),
                     figure(tables, pair->bytes, pair->mb), V(ms), V(gb_per_s), V(tables->step), V(tables->half),
                     V(op != NULL ? op : ""));
}

int analyzer_add_operator(struct analyzer_tables *tables, const struct analyzer_name *name, int64_t start_ns,
                          const struct collective *sum, struct err *err)
{
    bool failed = add_times(tables, name, start_ns, sum, err) < 0;
    for (int i = 0; !failed && i < MEDIUM_LOCAL; i++)
        failed = add_traffic(tables, name, (enum collective_medium)i, sum, err) < 0;
    for (size_t i = 0; !failed && !tables->by_step && i < sum->pairs.count; i++) {
        const struct collective_pair *pair = &sum->pairs.items[i];
        const int64_t ns = collective_ns(sum, pair->ticks);
        const bool summed = tables->as_frameworks;
        const double gb_per_s = summed ? comm_bandwidth(pair->mb, pair->ms) : exact_ratio(pair->bytes, ns);
        failed = analyzer_add_pair(tables, name, pair, summed ? pair->ms : (double)ns / 1e6, gb_per_s, NULL, err) < 0;
    }
    return failed ? err_status(err) : 0;
}

const struct export_extension export_extension_communication = {.summary_files = communication_files,
                                                                .communication_database = communication_database};
