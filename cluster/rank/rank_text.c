#include "cluster/rank/rank_text.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/csv_in.h"
#include "base/format/json_members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define OUTPUT_DIRECTORY "ASCEND_PROFILER_OUTPUT"
#define NS_OF_MS 1e6
#define BYTES_OF_MB 1e6
#define TEN_THOUSANDTHS 1e4

struct reader {
    struct rank_data *rank;
    struct diagnostics *diag;
    const char *file; /* for diagnostics */
    size_t step_column, first_value;
    struct rank_block *block; /* of the member before; NULL: none */
};

static char *file_of(const char *directory, const char *name)
{
    char *output = path_join(directory, OUTPUT_DIRECTORY);
    char *path = output != NULL ? path_join(output, name) : NULL;
    free(output);
    return path;
}

/* Whatever it is: what cannot be read is told by whoever reads it. */
static bool is_named(const char *directory, const char *name)
{
    struct stat info;
    char *path = file_of(directory, name);
    bool there = path != NULL && lstat(path, &info) == 0;
    free(path);
    return there;
}

static bool exists(const char *directory, const char *name)
{
    struct stat info;
    char *path = file_of(directory, name);
    bool there = path != NULL && stat(path, &info) == 0 && S_ISREG(info.st_mode);
    free(path);
    return there;
}

bool rank_text_is_there(const char *directory)
{
    return exists(directory, "step_trace_time.csv") || exists(directory, "communication.json");
}

/* A number in units of 1/scale; what is none or beyond 63 bits is 0 and told. */
static int64_t scaled(struct reader *reader, const struct json *value, double scale)
{
    double number = 0;
    if (value == NULL)
        return 0;
    if (!json_number(value, &number) || !(fabs(number * scale) < 9e18)) {
        const struct place place = {reader->file, -1, -1, json_key(value)};
        diag_report(reader->diag, DIAG_TEXT_LINE, &place, "no number, or one beyond 63 bits");
        return 0;
    }
    return llround(number * scale);
}

/* ---- step_trace_time.csv ---- */

static int take_titles(struct reader *reader, const char *const *fields, size_t count, struct err *err)
{
    struct rank_data *rank = reader->rank;
    reader->step_column = count;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i], "Step") == 0) {
            reader->step_column = i;
            reader->first_value = i + 1;
        }
    }
    if (reader->step_column == count)
        return err_set(err, ERR_FORMAT, "its first row has no column \"Step\"");
    for (size_t i = reader->first_value; i < count && rank->column_count < CLUSTER_MAX_COLUMNS; i++) {
        int status = rank_text(rank, fields[i], strlen(fields[i]), &rank->columns[rank->column_count++], err);
        if (status < 0)
            return status;
    }
    return 0;
}

static int take_step(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    struct reader *reader = arg;
    struct rank_data *rank = reader->rank;
    if (number == 1)
        return take_titles(reader, fields, count, err);
    if (count < reader->first_value + rank->column_count) {
        const struct place place = {reader->file, (int64_t)number - 1, -1, NULL};
        diag_report(reader->diag, DIAG_TEXT_LINE, &place, "%zu fields; expected %zu", count,
                    reader->first_value + rank->column_count);
        return 0;
    }
    int status = array_reserve(&rank->steps, 1, err);
    struct rank_step *step = status == 0 ? &rank->steps.items[rank->steps.count] : NULL;
    if (status == 0)
        status = rank_text(rank, fields[reader->step_column], strlen(fields[reader->step_column]), &step->name, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < rank->column_count; i++) {
        char *end;
        const char *text = fields[reader->first_value + i];
        double us = strtod(text, &end);
        bool sound = end != text && *end == '\0' && fabs(us) < 9e15;
        step->ns[i] = sound ? llround(us * 1000) : INT64_MIN;
        if (!sound && *text != '\0') {
            const struct place place = {reader->file, (int64_t)number - 1, -1, rank_text_of(rank, rank->columns[i])};
            diag_report(reader->diag, DIAG_TEXT_LINE, &place, "'%s' is no time in microseconds", text);
        }
    }
    rank->steps.count++;
    return 0;
}

/* ---- communication.json, communication_matrix.json ---- */

/* The block of these keys; the operators and links of one block come together. name is cut at the '@'. */
static int find_block(struct reader *reader, const char *const *keys, size_t *ret_name_length, struct err *err)
{
    struct rank_data *rank = reader->rank;
    const char *at = strrchr(keys[2], '@');
    uint32_t group = 0, step = 0;
    bool p2p = strcmp(keys[1], "p2p") == 0;
    *ret_name_length = at != NULL ? (size_t)(at - keys[2]) : strlen(keys[2]);
    const char *number = at != NULL ? at + 1 : "";
    int status = rank_group_of(rank, number, strlen(number), &group, err);
    if (status == 0)
        status = rank_text(rank, keys[0], strlen(keys[0]), &step, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < rank->blocks.count; i++) {
        struct rank_block *block = &rank->blocks.items[i];
        if (block->group == group && block->step == step && block->p2p == p2p) {
            reader->block = block;
            return 0;
        }
    }
    status = array_reserve(&rank->blocks, 1, err);
    if (status < 0)
        return status;
    reader->block = &rank->blocks.items[rank->blocks.count++];
    *reader->block = (struct rank_block){.group = group, .step = step, .p2p = p2p};
    return 0;
}

static int take_packets(struct reader *reader, struct rank_transfer *transfer, const struct json *distribution,
                        struct err *err)
{
    struct rank_data *rank = reader->rank;
    transfer->first_packet = (uint32_t)rank->packets.count;
    for (const struct json *size = json_first(distribution); size != NULL; size = json_next(size)) {
        char *end;
        const char *text = json_key(size);
        double mb = strtod(text, &end);
        if (*end != '\0' || !(mb >= 0 && mb < 9e12) || !json_is_array(size)) {
            const struct place place = {reader->file, -1, -1, "Size Distribution"};
            diag_report(reader->diag, DIAG_TEXT_LINE, &place, "'%s' is no size in MB", text);
            continue;
        }
        int status = array_reserve(&rank->packets, 1, err);
        if (status < 0)
            return status;
        rank->packets.items[rank->packets.count++] =
            (struct rank_packet){.bytes = llround(mb * BYTES_OF_MB),
                                 .count = scaled(reader, json_element(size, 0), 1),
                                 .ns = scaled(reader, json_element(size, 1), NS_OF_MS)};
        transfer->packet_count++;
    }
    return 0;
}

static int take_transfers(struct reader *reader, struct rank_operator *operator_, const struct json *bandwidths,
                          struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < TRANSPORTS; i++) {
        const struct json *info = json_member(bandwidths, cluster_transport_names[i]);
        struct rank_transfer *transfer = &operator_->transfers[i];
        transfer->bytes = scaled(reader, json_member(info, "Transit Size(MB)"), BYTES_OF_MB);
        transfer->ns = scaled(reader, json_member(info, "Transit Time(ms)"), NS_OF_MS);
        transfer->bandwidth = scaled(reader, json_member(info, "Bandwidth(GB/s)"), TEN_THOUSANDTHS);
        transfer->large_ratio = scaled(reader, json_member(info, "Large Packet Ratio"), TEN_THOUSANDTHS);
        status = take_packets(reader, transfer, json_member(info, "Size Distribution"), err);
    }
    return status;
}

static bool is_total(const char *name)
{
    return strncasecmp(name, "total", strlen("total")) == 0;
}

/* Operators of a block must stand together, which files of the frameworks do. */
static bool continues(const struct reader *reader, uint32_t first, uint32_t count, size_t next)
{
    if (count == 0 || first + count == next)
        return true;
    const struct place place = {reader->file, -1, -1, NULL};
    diag_report(reader->diag, DIAG_TEXT_LINE, &place, "an operator stands apart from those of its group and step");
    return false;
}

static int take_operator(void *arg, const char *const *keys, const struct json *value, struct err *err)
{
    struct reader *reader = arg;
    struct rank_data *rank = reader->rank;
    size_t name_length;
    if (is_total(keys[2]))
        return 0;
    int status = find_block(reader, keys, &name_length, err);
    struct rank_block *block = reader->block;
    if (status == 0 && block->operator_count == 0)
        block->first_operator = (uint32_t)rank->operators.count;
    if (status < 0 || !continues(reader, block->first_operator, block->operator_count, rank->operators.count))
        return status;
    const struct json *times = json_member(value, "Communication Time Info");
    struct rank_operator operator_ = {
        .start_ns = scaled(reader, json_member(times, "Start Timestamp(us)"), 1000),
        .wait_ratio = scaled(reader, json_member(times, "Wait Time Ratio"), TEN_THOUSANDTHS),
        .synchronization_ratio = scaled(reader, json_member(times, "Synchronization Time Ratio"), TEN_THOUSANDTHS),
    };
    for (size_t i = 0; i < CLUSTER_TIMES; i++)
        operator_.ns[i] = scaled(reader, json_member(times, cluster_time_titles[i]), NS_OF_MS);
    status = rank_text(rank, keys[2], name_length, &operator_.name, err);
    if (status == 0)
        status = take_transfers(reader, &operator_, json_member(value, "Communication Bandwidth Info"), err);
    if (status == 0)
        status = array_reserve(&rank->operators, 1, err);
    if (status < 0)
        return status;
    rank->operators.items[rank->operators.count++] = operator_;
    block->operator_count++;
    return 0;
}

static int take_link(struct reader *reader, uint32_t entry, const struct json *info, struct err *err)
{
    struct rank_data *rank = reader->rank;
    struct rank_link link = {.entry = entry, .op_name = CLUSTER_NO_TEXT, .transport = CLUSTER_NO_TEXT};
    const char *transport = json_string(json_member(info, "Transport Type"));
    const char *op_name = json_string(json_member(info, "Op Name"));
    char *dash, *end;
    if (op_name == NULL)
        op_name = json_string(json_member(info, "op_name"));
    link.source = strtoll(json_key(info), &dash, 10);
    link.target = strtoll(*dash == '-' ? dash + 1 : dash, &end, 10);
    if (dash == json_key(info) || *dash != '-' || end == dash + 1 || *end != '\0') {
        const struct place place = {reader->file, -1, -1, NULL};
        diag_report(reader->diag, DIAG_TEXT_LINE, &place, "'%s' is no link; expected SOURCE-TARGET", json_key(info));
        return 0;
    }
    link.bytes = scaled(reader, json_member(info, "Transit Size(MB)"), BYTES_OF_MB);
    link.ns = scaled(reader, json_member(info, "Transit Time(ms)"), NS_OF_MS);
    link.bandwidth = scaled(reader, json_member(info, "Bandwidth(GB/s)"), TEN_THOUSANDTHS);
    int status = transport != NULL ? rank_text(rank, transport, strlen(transport), &link.transport, err) : 0;
    if (status == 0 && op_name != NULL)
        status = rank_text(rank, op_name, strlen(op_name), &link.op_name, err);
    if (status == 0)
        status = array_reserve(&rank->links, 1, err);
    if (status == 0)
        rank->links.items[rank->links.count++] = link;
    return status;
}

static int take_entry(void *arg, const char *const *keys, const struct json *value, struct err *err)
{
    struct reader *reader = arg;
    struct rank_data *rank = reader->rank;
    size_t name_length;
    uint32_t entry = 0;
    if (is_total(keys[2]))
        return 0;
    int status = find_block(reader, keys, &name_length, err);
    struct rank_block *block = reader->block;
    if (status == 0 && block->link_count == 0)
        block->first_link = (uint32_t)rank->links.count;
    if (status < 0 || !continues(reader, block->first_link, block->link_count, rank->links.count))
        return status;
    status = rank_text(rank, keys[2], name_length, &entry, err);
    for (const struct json *link = json_first(value); status == 0 && link != NULL; link = json_next(link))
        status = take_link(reader, entry, link, err);
    block->link_count = (uint32_t)(rank->links.count - block->first_link);
    return status;
}

/* ---- all of it ---- */

/* A file that is missing or ends early costs what it would have said, not the rank. */
static int tell(struct reader *reader, int status, struct err *err)
{
    if (status == 0 || err->code == ERR_NO_MEMORY || err->code == ERR_INTERRUPTED)
        return status;
    const struct place place = {reader->file, -1, -1, NULL};
    diag_report(reader->diag, DIAG_FILE_UNREADABLE, &place, "%s", err_message(err));
    *err = (struct err)ERR_INIT;
    return 0;
}

static int read_members(struct reader *reader, const char *directory, const char *name,
                        int (*member)(void *arg, const char *const *keys, const struct json *value, struct err *err),
                        struct err *err)
{
    char *path = file_of(directory, name);
    if (path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    reader->file = path;
    int status = tell(reader, json_read_members(path, 3, member, reader, err), err);
    free(path);
    return status;
}

int rank_text_read(struct rank_data *rank, const char *directory, const char *results, struct diagnostics *diag,
                   struct err *err)
{
    struct reader reader = {.rank = rank, .diag = diag};
    int status = rank_metadata_read(rank, directory, diag, err);
    char *steps = file_of(results, "step_trace_time.csv");
    if (status == 0 && steps == NULL)
        status = err_set(err, ERR_NO_MEMORY, "out of memory");
    reader.file = steps;
    if (status == 0)
        status = tell(&reader, csv_read(steps, take_step, &reader, err), err);
    free(steps);
    /* A rank that did not communicate has neither. */
    if (status == 0 && is_named(results, "communication.json"))
        status = read_members(&reader, results, "communication.json", take_operator, err);
    if (status == 0 && is_named(results, "communication_matrix.json"))
        status = read_members(&reader, results, "communication_matrix.json", take_entry, err);
    return status;
}
