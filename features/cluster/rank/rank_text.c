/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/rank/rank_text.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/csv_in.h"
#include "base/format/json_in.h"
#include "base/format/json_pieces.h"
#include "base/map.h"
#include "base/number.h"
#include "base/suggest.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define OUTPUT_DIRECTORY "ASCEND_PROFILER_OUTPUT"
#define COMMUNICATION "communication.json"
#define MATRIX "communication_matrix.json"
#define NS_OF_MS 1e6
#define BYTES_OF_MB 1e6
#define TEN_THOUSANDTHS 1e4

/* To find what was there before. */
struct block_place {
    struct {
        uint32_t group, step, p2p; /* texts */
    } key;
    uint32_t block;
};
struct operator_place {
    struct {
        uint32_t block, name;
    } key;
};
struct link_place {
    struct {
        int64_t source, target;
        uint32_t block, entry;
    } key;
};

void rank_reader_init(struct rank_reader *reader, struct rank_data *rank, const char *file, struct diagnostics *diag)
{
    *reader = (struct rank_reader){.rank = rank,
                                   .diag = diag,
                                   .file = file,
                                   .key = "",
                                   .blocks = MAP_OF(struct block_place, key),
                                   .operators = MAP_OF(struct operator_place, key),
                                   .links = MAP_OF(struct link_place, key)};
}

static char *file_of(const char *directory, const char *name)
{
    SCOPED_FREE char *output = path_join(directory, OUTPUT_DIRECTORY);
    return output != NULL ? path_join(output, name) : NULL;
}

/* True for an entry of any type: the code that reads it reports one that cannot be read. */
static bool is_named(const char *directory, const char *name)
{
    struct stat info;
    SCOPED_FREE char *path = file_of(directory, name);
    return path != NULL && (lstat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR));
}

static bool exists(const char *directory, const char *name)
{
    struct stat info;
    SCOPED_FREE char *path = file_of(directory, name);
    return path != NULL && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool rank_text_is_there(const char *directory)
{
    return exists(directory, "step_trace_time.csv") || exists(directory, "communication.json");
}

static void refuse(struct rank_reader *reader, const char *field, const char *found, const char *expected)
{
    char place_text[512];
    snprintf(place_text, sizeof place_text, "%s of %s", field, reader->key);
    diag_report(reader->diag, DIAG_TEXT_LINE, FILE_PLACE(reader->file, place_text), "%s; expected %s; it is skipped",
                found, expected);
}

/* A value in units of 1/scale, 0 when it is not there. One that is no number, is below 0 where it must not be, or is
 * beyond 63 bits is reported, and false returned. */
static bool quantity(struct rank_reader *reader, struct told_value value, const char *name, double scale,
                     bool is_signed, int64_t *ret)
{
    char found[64];
    *ret = 0;
    if (!value.there)
        return true;
    if (value.is_number && fabs(value.number * scale) < 9e18 && (is_signed || value.number >= 0)) {
        *ret = llround(value.number * scale);
        return true;
    }
    snprintf(found, sizeof found, "%.17g", value.number);
    refuse(reader, name, value.is_number ? found : "no number", is_signed ? "a number" : "a number from 0");
    return false;
}

static struct told_value told(const struct json *value)
{
    struct told_value ret = {.there = value != NULL};
    ret.is_number = value != NULL && json_number(value, &ret.number);
    return ret;
}

/* ---- step_trace_time.csv ---- */

/* Reports a title that is one letter off one of a profiler's: the times of that one would be missing in silence. */
static void check_title(const struct rank_reader *reader, const char *title)
{
    static const char *const titles[] = {"Computing",  "Communication(Not Overlapped)",
                                         "Overlapped", "Communication",
                                         "Free",       "Stage",
                                         "Bubble",     "Communication(Not Overlapped and Exclude Receive)",
                                         "Preparing"};
    const struct place place = {reader->file, 0, -1, title};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        if (suggestion_edit_distance(title, strlen(title), titles[i], strlen(titles[i])) == 1)
            diag_report(reader->diag, DIAG_TEXT_LINE, &place, "no column '%s' is known; expected '%s'", title,
                        titles[i]);
    }
}

static int take_titles(struct rank_reader *reader, const char *const *fields, size_t count, struct err *err)
{
    struct rank_data *rank = reader->rank;
    reader->step_column = reader->title_count = count;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i], "Step") == 0) {
            reader->step_column = i;
            reader->first_value = i + 1;
        }
    }
    if (reader->step_column == count)
        return err_set(err, ERR_FORMAT, "its first row has no column \"Step\"");
    for (size_t i = reader->first_value; i < count && rank->column_count < CLUSTER_MAX_COLUMNS; i++) {
        check_title(reader, fields[i]);
        if (rank_text(rank, fields[i], strlen(fields[i]), &rank->columns[rank->column_count++], err) < 0)
            return err_status(err);
    }
    return 0;
}

/* Columns that are differences: tools write some that are below 0. The others are lengths of time. */
static bool may_be_negative(const char *title)
{
    static const char *const titles[] = {"Overlapped", "Stage", "Communication(Not Overlapped and Exclude Receive)",
                                         "Preparing"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        if (strcmp(title, titles[i]) == 0)
            return true;
    }
    return false;
}

/* INT64_MIN for what is no time. */
static int64_t step_time(struct rank_reader *reader, const char *text, size_t column, uint64_t row)
{
    const char *title = rank_text_of(&reader->rank->texts, reader->rank->columns[column]);
    const struct place place = {reader->file, (int64_t)row - 1, -1, title};
    double us = 0;
    bool sound = number_parse_real(text, &us) == 0 && fabs(us) < 9e15 && (us >= 0 || may_be_negative(title));
    if (!sound)
        diag_report(reader->diag, DIAG_TEXT_LINE, &place,
                    *text != '\0' ? "'%s' is not a time in microseconds; it is skipped"
                                  : "%sthe cell is empty; expected a time in microseconds",
                    text);
    else if (us < 0)
        diag_report(reader->diag, DIAG_VALUE_ODD, &place, "'%s'", text);
    return sound ? llround(us * 1000) : INT64_MIN;
}

/* The time of a column of a step; false: there is no such column, or it holds none. */
static bool time_titled(const struct rank_data *rank, const struct rank_step *step, const char *title, int64_t *ret)
{
    for (size_t i = 0; i < rank->column_count; i++) {
        *ret = step->ns[i];
        if (strcmp(rank_text_of(&rank->texts, rank->columns[i]), title) == 0)
            return *ret != INT64_MIN;
    }
    return false;
}

/* Reports times that are longer than the times that contain them: they stay as their tool wrote them. */
static void check_step(const struct rank_reader *reader, const struct rank_step *step, uint64_t row)
{
    static const char *const parts[][2] = {{"Overlapped", "Communication"},
                                           {"Communication(Not Overlapped)", "Communication"}};
    enum { ROUNDED_NS = 1000 };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct place place = {reader->file, (int64_t)row - 1, -1, parts[i][0]};
        int64_t part, whole;
        if (time_titled(reader->rank, step, parts[i][0], &part) &&
            time_titled(reader->rank, step, parts[i][1], &whole) && part - ROUNDED_NS > whole && part > 0)
            diag_report(reader->diag, DIAG_VALUE_ODD, &place, "%lld ns, of %lld ns of %s", (long long)part,
                        (long long)whole, parts[i][1]);
    }
}

static void refuse_row(const struct rank_reader *reader, uint64_t number, const char *expected)
{
    const struct place place = {reader->file, (int64_t)number - 1, -1, NULL};
    diag_report(reader->diag, DIAG_TEXT_LINE, &place, "expected %s", expected);
}

int rank_reader_step(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    struct rank_reader *reader = arg;
    struct rank_data *rank = reader->rank;
    if (number == 1)
        return take_titles(reader, fields, count, err);
    char expected[32];
    if (count != reader->title_count) { /* one more: two titles have become one, and values would stand under others */
        snprintf(expected, sizeof expected, "%zu fields", reader->title_count);
        refuse_row(reader, number, expected);
        return 0;
    }
    const char *name = fields[reader->step_column];
    size_t name_length = strlen(name);
    if (name_length > 0 && (name[0] == ' ' || name[name_length - 1] == ' ')) {
        refuse_row(reader, number, "a step's name without blanks around it");
        return 0;
    }
    if (array_reserve(&rank->steps, 1, err) < 0)
        return err_status(err);
    struct rank_step *step = &rank->steps.items[rank->steps.count];
    if (rank_text(rank, name, name_length, &step->name, err) < 0)
        return err_status(err);
    step->reserved = 0;
    for (size_t i = 0; i < rank->column_count; i++)
        step->ns[i] = step_time(reader, fields[reader->first_value + i], i, number);
    check_step(reader, step, number);
    rank->steps.count++;
    return 0;
}

/* ---- communication.json, communication_matrix.json ---- */

/* The index of the block of these keys. name is cut at the '@'. */
static int find_block(struct rank_reader *reader, const char *const *keys, size_t *ret_name_length, uint32_t *ret,
                      struct err *err)
{
    struct rank_data *rank = reader->rank;
    const char *at = strrchr(keys[2], '@'), *number = at != NULL ? at + 1 : "";
    struct block_place wanted = {.key = {.p2p = strcmp(keys[1], "p2p") == 0}};
    uint32_t group;
    bool added;
    *ret_name_length = at != NULL ? (size_t)(at - keys[2]) : strlen(keys[2]);
    if (rank_text(rank, number, strlen(number), &wanted.key.group, err) < 0 ||
        rank_text(rank, keys[0], strlen(keys[0]), &wanted.key.step, err) < 0)
        return err_status(err);
    struct block_place *place = map_add(&reader->blocks, &wanted.key, &added, err);
    if (place == NULL)
        return err_status(err);
    if (added) {
        place->block = (uint32_t)rank->blocks.count;
        if (rank_group_of(rank, number, strlen(number), &group, err) < 0 || array_reserve(&rank->blocks, 1, err) < 0)
            return err_status(err);
        rank->blocks.items[rank->blocks.count++] =
            (struct rank_block){.group = group, .step = wanted.key.step, .p2p = wanted.key.p2p != 0};
    }
    *ret = place->block;
    return 0;
}

static bool is_total(const char *name)
{
    return strncasecmp(name, "total", strlen("total")) == 0;
}

/* The idle rest of an elapsed time may be below 0 by the rounding of what was taken from it. */
static bool take_times(struct rank_reader *reader, const struct told_value values[TOLD_TIMES])
{
    struct rank_operator *operator_ = &reader->operator_;
    bool sound =
        quantity(reader, values[TOLD_START], "Start Timestamp(us)", 1000, false, &operator_->start_ns) &&
        quantity(reader, values[TOLD_WAIT_RATIO], "Wait Time Ratio", TEN_THOUSANDTHS, false, &operator_->wait_ratio) &&
        quantity(reader, values[TOLD_SYNCHRONIZATION_RATIO], "Synchronization Time Ratio", TEN_THOUSANDTHS, false,
                 &operator_->synchronization_ratio);
    for (size_t i = 0; sound && i < COMM_TIMES; i++)
        sound = quantity(reader, values[TOLD_NS + i], comm_time_titles[i], NS_OF_MS, i == COMM_IDLE, &operator_->ns[i]);
    if (sound && !values[TOLD_NS + COMM_ELAPSE].there) {
        refuse(reader, comm_time_titles[COMM_ELAPSE], "nothing", "a number from 0");
        return false;
    }
    /* Databases have no ratios. */
    int64_t transit = operator_->ns[COMM_TRANSIT], wait = operator_->ns[COMM_WAIT],
            synchronization = operator_->ns[COMM_SYNCHRONIZATION];
    if (!values[TOLD_WAIT_RATIO].there)
        operator_->wait_ratio = number_ratio(wait, number_add(wait, transit), 4);
    if (!values[TOLD_SYNCHRONIZATION_RATIO].there)
        operator_->synchronization_ratio = number_ratio(synchronization, number_add(synchronization, transit), 4);
    return sound;
}

int rank_reader_begin_operator(struct rank_reader *reader, const char *const *keys,
                               const struct told_value values[TOLD_TIMES], struct err *err)
{
    struct rank_data *rank = reader->rank;
    size_t name_length;
    bool added = true;
    reader->operator_ = (struct rank_operator){.name = 0};
    reader->packets_before = rank->packets.count;
    reader->sound = false;
    if (is_total(keys[2]))
        return 0;
    reader->key = keys[2];
    if (find_block(reader, keys, &name_length, &reader->operator_.block, err) < 0 ||
        rank_name(rank, keys[2], name_length, &reader->operator_.name, err) < 0)
        return err_status(err);
    const struct operator_place place = {.key = {reader->operator_.block, reader->operator_.name}};
    if (map_add(&reader->operators, &place.key, &added, err) == NULL)
        return err_status(err);
    if (!added)
        refuse(reader, keys[0], "the operator is duplicated", "each once in a step");
    reader->sound = added && take_times(reader, values);
    return 0;
}

void rank_reader_transfer(struct rank_reader *reader, size_t transport, const struct told_value values[TOLD_TRANSFER])
{
    struct rank_transfer *transfer = &reader->operator_.transfers[transport];
    transfer->first_packet = (uint32_t)reader->rank->packets.count;
    reader->sound = reader->sound &&
                    quantity(reader, values[0], "Transit Size(MB)", BYTES_OF_MB, false, &transfer->bytes) &&
                    quantity(reader, values[1], "Transit Time(ms)", NS_OF_MS, false, &transfer->ns) &&
                    quantity(reader, values[2], "Bandwidth(GB/s)", TEN_THOUSANDTHS, false, &transfer->bandwidth) &&
                    quantity(reader, values[3], "Large Packet Ratio", TEN_THOUSANDTHS, false, &transfer->large_ratio);
}

int rank_reader_packet(struct rank_reader *reader, size_t transport, const char *size, struct told_value count,
                       struct told_value ms, struct err *err)
{
    struct rank_data *rank = reader->rank;
    double mb = 0;
    if (!reader->sound)
        return 0;
    if (number_parse_real(size, &mb) < 0 || !(mb >= 0 && mb < 9e12) || !count.is_number || !ms.is_number ||
        !(count.number >= 0 && count.number < 9e15) || !(ms.number >= 0 && ms.number < 9e12)) {
        refuse(reader, "Size Distribution", size, "sizes in MB, each with a count and milliseconds");
        reader->sound = false;
        return 0;
    }
    if (array_add(
            &rank->packets, err,
            (struct comm_packet){llround(mb * BYTES_OF_MB), llround(count.number), llround(ms.number * NS_OF_MS)}) < 0)
        return err_status(err);
    reader->operator_.transfers[transport].packet_count++;
    return 0;
}

int rank_reader_end_operator(struct rank_reader *reader, struct err *err)
{
    struct rank_data *rank = reader->rank;
    if (reader->sound && array_reserve(&rank->operators, 1, err) < 0)
        return err_status(err);
    if (reader->sound)
        rank->operators.items[rank->operators.count++] = reader->operator_;
    else
        rank->packets.count = reader->packets_before;
    return 0;
}

static int take_operator(void *arg, const char *const *keys, const struct json *value, struct err *err)
{
    struct rank_reader *reader = arg;
    const struct json *times = json_member(value, "Communication Time Info"),
                      *bandwidths = json_member(value, "Communication Bandwidth Info");
    struct told_value values[TOLD_TIMES] = {[TOLD_START] = told(json_member(times, "Start Timestamp(us)")),
                                            [TOLD_WAIT_RATIO] = told(json_member(times, "Wait Time Ratio")),
                                            [TOLD_SYNCHRONIZATION_RATIO] =
                                                told(json_member(times, "Synchronization Time Ratio"))};
    for (size_t i = 0; i < COMM_TIMES; i++)
        values[TOLD_NS + i] = told(json_member(times, comm_time_titles[i]));
    int status = rank_reader_begin_operator(reader, keys, values, err);
    for (size_t i = 0; status == 0 && i < COMM_TRANSPORTS; i++) {
        const struct json *info = json_member(bandwidths, collective_media[i]);
        const struct told_value transfer[TOLD_TRANSFER] = {
            told(json_member(info, "Transit Size(MB)")), told(json_member(info, "Transit Time(ms)")),
            told(json_member(info, "Bandwidth(GB/s)")), told(json_member(info, "Large Packet Ratio"))};
        const struct json *size = json_first(json_member(info, "Size Distribution"));
        rank_reader_transfer(reader, i, transfer);
        for (; status == 0 && size != NULL; size = json_next(size))
            status = rank_reader_packet(reader, i, json_key(size), told(json_element(size, 0)),
                                        told(json_element(size, 1)), err);
    }
    return status == 0 ? rank_reader_end_operator(reader, err) : status;
}

/* "0-3" */
static bool parse_link(const char *key, struct rank_link *ret)
{
    const char *dash = strchr(key, '-');
    return dash != NULL && number_parse_integer(key, (size_t)(dash - key), &ret->source) == 0 &&
           number_parse_integer(dash + 1, strlen(dash + 1), &ret->target) == 0;
}

/* Words of HCCL's libraries, and of analyses of what these wrote. */
static void check_transport(struct rank_reader *reader, const char *key, const char *transport)
{
    static const char *const known[] = {"LOCAL",   "HCCS",          "PCIE", "RDMA", "SIO",  "SDMA",     "HCCS_SW",
                                        "ON_CHIP", "STANDARD_ROCE", "ROCE", "UB",   "UBoE", "RESERVED", "N/A",
                                        "",        "INVALID_TYPE"};
    for (size_t i = 0; transport != NULL && i < sizeof known / sizeof *known; i++) {
        if (strcmp(transport, known[i]) == 0)
            return;
    }
    diag_report(reader->diag, DIAG_RECORD_ODD, FILE_PLACE(reader->file, "Transport Type"), "%s of %s: %s", key,
                reader->key, transport != NULL ? transport : "none");
}

int rank_reader_link(struct rank_reader *reader, const char *const *keys, const struct told_link *told, struct err *err)
{
    struct rank_data *rank = reader->rank;
    struct rank_link link = {.op_name = CLUSTER_NO_TEXT, .transport = CLUSTER_NO_TEXT};
    size_t name_length;
    bool added = true;
    if (is_total(keys[2]))
        return 0;
    reader->key = keys[2];
    if (find_block(reader, keys, &name_length, &link.block, err) < 0 ||
        rank_text(rank, keys[2], name_length, &link.entry, err) < 0)
        return err_status(err);
    if (!parse_link(told->ranks, &link)) {
        refuse(reader, told->ranks, "no link", "SOURCE-TARGET");
        return 0;
    }
    const struct link_place place = {.key = {link.source, link.target, link.block, link.entry}};
    if (map_add(&reader->links, &place.key, &added, err) == NULL)
        return err_status(err);
    if (!added)
        refuse(reader, told->ranks, "the link is duplicated", "each once in an entry");
    bool sound = added && quantity(reader, told->size, "Transit Size(MB)", BYTES_OF_MB, false, &link.bytes) &&
                 quantity(reader, told->time, "Transit Time(ms)", NS_OF_MS, false, &link.ns) &&
                 quantity(reader, told->bandwidth, "Bandwidth(GB/s)", TEN_THOUSANDTHS, false, &link.bandwidth);
    check_transport(reader, told->ranks, told->transport);
    if ((told->transport != NULL &&
         rank_text(rank, told->transport, strlen(told->transport), &link.transport, err) < 0) ||
        (told->op_name != NULL && rank_name(rank, told->op_name, strlen(told->op_name), &link.op_name, err) < 0) ||
        array_reserve(&rank->links, 1, err) < 0)
        return err_status(err);
    if (sound)
        rank->links.items[rank->links.count++] = link;
    return 0;
}

static int take_entry(void *arg, const char *const *keys, const struct json *value, struct err *err)
{
    int status = 0;
    for (const struct json *info = json_first(value); status == 0 && info != NULL; info = json_next(info)) {
        const char *op_name = json_string(json_member(info, "Op Name"));
        const struct told_link link = {.ranks = json_key(info),
                                       .transport = json_string(json_member(info, "Transport Type")),
                                       .op_name = op_name != NULL ? op_name : json_string(json_member(info, "op_name")),
                                       .size = told(json_member(info, "Transit Size(MB)")),
                                       .time = told(json_member(info, "Transit Time(ms)")),
                                       .bandwidth = told(json_member(info, "Bandwidth(GB/s)"))};
        status = rank_reader_link(arg, keys, &link, err);
    }
    return status;
}

/* ---- all of it ---- */

/* Reports texts that rank_text made safe since there were so many of them. */
static void tell_unsafe(const struct rank_data *rank, uint64_t before, const char *file, struct diagnostics *diag)
{
    if (rank->unsafe_texts > before)
        diag_report(diag, DIAG_TEXT_UNSAFE, FILE_PLACE(file, NULL),
                    "texts with control characters or invalid UTF-8: %llu",
                    (unsigned long long)(rank->unsafe_texts - before));
}

void rank_reader_release(struct rank_reader *reader)
{
    tell_unsafe(reader->rank, reader->unsafe, reader->file, reader->diag);
    map_release(&reader->blocks);
    map_release(&reader->operators);
    map_release(&reader->links);
}

/* A file that is missing or ends early costs what it would have said, not the rank. */
static int tell(struct rank_reader *reader, int status, struct err *err)
{
    tell_unsafe(reader->rank, reader->unsafe, reader->file, reader->diag);
    reader->unsafe = reader->rank->unsafe_texts;
    if (status == 0 || err->code == ERR_NO_MEMORY || err->code == ERR_INTERRUPTED)
        return status;
    const char *message = err->depth > 0 ? err->causes[0] : err_message(err);
    diag_report(reader->diag, DIAG_FILE_UNREADABLE,
                FILE_PLACE(strstr(message, reader->file) == NULL ? reader->file : NULL, NULL), "%s", message);
    *err = (struct err)ERR_INIT;
    return 0;
}

/* Finds what messages call a file: results that are only here for a while are called by their capture. */
static const char *shown(const struct rank_places *places, const char *path)
{
    return places->results == places->capture ? path : places->capture;
}

static int read_members(struct rank_reader *reader, const struct rank_places *places, const char *name,
                        int (*member)(void *arg, const char *const *keys, const struct json *value, struct err *err),
                        struct err *err)
{
    SCOPED_FREE char *path = file_of(places->results, name);
    if (path == NULL)
        return err_no_memory(err);
    reader->file = shown(places, path);
    return tell(reader, json_read_members(path, 3, member, reader, err), err);
}

static int read_steps(struct rank_reader *reader, const struct rank_places *places, struct err *err)
{
    SCOPED_FREE char *path = file_of(places->results, "step_trace_time.csv");
    if (path == NULL)
        return err_no_memory(err);
    reader->file = shown(places, path);
    return tell(reader, csv_read_exactly(path, rank_reader_step, reader, err), err);
}

/* A rank that did not communicate has neither file: the comparison with other ranks reports it. */
static int read_communication(struct rank_reader *reader, const struct rank_places *places, struct err *err)
{
    struct rank_data *rank = reader->rank;
    rank->communication = is_named(places->results, COMMUNICATION) ? RANK_FILE_THERE : RANK_FILE_MISSING;
    rank->matrix = is_named(places->results, MATRIX) ? RANK_FILE_THERE : RANK_FILE_MISSING;
    if (rank->communication == RANK_FILE_THERE && read_members(reader, places, COMMUNICATION, take_operator, err) < 0)
        return err_status(err);
    return rank->matrix == RANK_FILE_THERE && read_members(reader, places, MATRIX, take_entry, err) < 0
               ? err_status(err)
               : 0;
}

int rank_text_read(struct rank_data *rank, const struct rank_places *places, struct diagnostics *diag, struct err *err)
{
    SCOPED(rank_reader_release) struct rank_reader reader;
    rank_reader_init(&reader, rank, places->capture, diag);
    if (rank_metadata_read(rank, places->capture, diag, err) < 0)
        return err_status(err);
    reader.unsafe = rank->unsafe_texts;
    return read_steps(&reader, places, err) < 0 || read_communication(&reader, places, err) < 0
               ? err_status(err)
               : rank_data_gather(rank, err);
}

/* profiler_metadata.json: the groups of a rank, and how the ranks of a job are divided. */

#define METADATA_LIMIT ((size_t)128 * 1024 * 1024)

static int take_group(struct rank_data *rank, const struct json *group, struct err *err)
{
    char number[NUMBER_MAX];
    uint32_t index;
    const char *id = json_key(group), *name = json_string(json_member(group, "group_name"));
    size_t length = (size_t)(number_put_unsigned(number, rank_group_number(id)) - number);
    int status = 0;
    if (rank_group_of(rank, number, length, &index, err) < 0 ||
        rank_text(rank, id, strlen(id), &rank->groups.items[index].id, err) < 0 ||
        (name != NULL && rank_text(rank, name, strlen(name), &rank->groups.items[index].name, err) < 0))
        return err_status(err);
    struct rank_group *known = &rank->groups.items[index];
    int64_t own;
    if (json_integer(json_member(group, "group_rank"), &own) && own >= 0 && own < CLUSTER_MOST_MEMBERS)
        known->told_number = (int32_t)own;
    known->first_run = (uint32_t)rank->runs.count;
    known->run_count = 0;
    const struct json *member = json_first(json_member(group, "global_ranks"));
    for (; status == 0 && member != NULL; member = json_next(member)) {
        int64_t global;
        status = rank_group_add_member(
            rank, known, json_integer(member, &global) && global >= 0 && global <= INT32_MAX ? global : -1, err);
    }
    return status;
}

static void take_division(struct rank_data *rank, const struct json *arguments)
{
    static const char *const keys[] = {"tensor_model_parallel_size", "pipeline_model_parallel_size",
                                       "data_parallel_size", "world_size"};
    int64_t context = 1;
    json_integer(json_member(arguments, "context_parallel_size"), &context);
    for (size_t i = 0; context == 1 && i < sizeof keys / sizeof *keys; i++)
        json_integer(json_member(arguments, keys[i]), &rank->parallel[i]);
}

int rank_metadata_take(struct rank_data *rank, const char *path, const char *text, size_t length,
                       struct diagnostics *diag, struct err *err)
{
    uint64_t unsafe = rank->unsafe_texts;
    struct json *root = text != NULL ? json_parse(text, length, err) : NULL;
    int status = root != NULL ? 0 : err_status(err);
    const struct json *group = json_first(json_member(root, "parallel_group_info"));
    for (; status == 0 && group != NULL; group = json_next(group))
        status = take_group(rank, group, err);
    tell_unsafe(rank, unsafe, path, diag);
    if (status == 0)
        take_division(rank, json_member(root, "distributed_args"));
    if (status < 0 && err->code != ERR_NO_MEMORY && err->code != ERR_INTERRUPTED) {
        diag_report(diag, DIAG_CONFIG_INVALID, FILE_PLACE(path, NULL), "%s", err_message(err));
        *err = (struct err)ERR_INIT;
        status = 0;
    }
    json_free(root);
    return status;
}

int rank_metadata_read(struct rank_data *rank, const char *directory, struct diagnostics *diag, struct err *err)
{
    SCOPED_FREE char *path = path_join(directory, "profiler_metadata.json"), *text = NULL;
    size_t length = 0;
    struct stat info;
    if (path == NULL)
        return err_no_memory(err);
    if (lstat(path, &info) != 0 && errno == ENOENT)
        return 0;
    path_read_file(path, METADATA_LIMIT, &text, &length, err);
    return rank_metadata_take(rank, path, text, length, diag, err);
}
