/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/rank/aggregate.h"

#include "base/array.h"
#include "base/file/checksum.h"
#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "base/language.h"
#include "base/map.h"
#include "base/number.h"
#include "base/progress.h"
#include "features/cluster/rank/aggregate_format.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX_LIMIT ((uint64_t)256 * 1024 * 1024) /* bytes of one rank's index */
#define CHUNK_SIZE ((size_t)256 * 1024)

static int damaged(const char *path, const char *what, struct err *err)
{
    return err_set(err, ERR_FORMAT, "the aggregate '%s' is damaged: %s", path, language_said(what));
}

static int read_at(int fd, void *buffer, size_t length, uint64_t offset, const char *path, struct err *err)
{
    ssize_t got = file_read_at(fd, buffer, length, offset);
    if (got < 0)
        return interrupted() ? interrupt_error(err) : err_set_errno(err, errno, "cannot read '%s'", path);
    return (size_t)got == length ? 0 : damaged(path, "it is cut short", err);
}

static int check_header(const struct aggregate_header *header, uint64_t size, const char *fingerprint, const char *path,
                        struct err *err)
{
    if (memcmp(header->magic, AGGREGATE_MAGIC, sizeof header->magic) != 0 ||
        header->byte_order != AGGREGATE_BYTE_ORDER || header->version != AGGREGATE_VERSION)
        return err_set(err, ERR_NOT_FOUND, "'%s' is not an aggregate of this version", path);
    if (fingerprint != NULL && memcmp(header->fingerprint, fingerprint, sizeof header->fingerprint) != 0)
        return err_set(err, ERR_NOT_FOUND, "'%s' was made from other data", path);
    uint64_t before = sizeof *header;
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        uint64_t offset = header->sections[i].offset, count = header->sections[i].count;
        if (offset != before || offset > size || count > (size - offset) / aggregate_item_sizes[i])
            return damaged(path, "a section ends behind the file", err);
        before = offset + (count * aggregate_item_sizes[i] + 7) / 8 * 8;
        if (i < INDEX_SECTIONS && before > INDEX_LIMIT)
            return damaged(path, "its index is too long", err);
    }
    if (before != size)
        return damaged(path, "it goes on behind its sections", err);
    if (header->sections[SECTION_COLUMNS].count > CLUSTER_MAX_COLUMNS ||
        header->sections[SECTION_SUMS].count != header->sections[SECTION_BLOCKS].count)
        return damaged(path, "its sections do not match", err);
    return 0;
}

/* Nothing but a regular file, and without waiting for who may write into a pipe. */
static int open_file(const char *path, const char *fingerprint, int *ret_fd, struct aggregate_header *ret,
                     struct err *err)
{
    struct stat info;
    int status = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno == ENOENT ? err_set(err, ERR_NOT_FOUND, "'%s' is missing", path)
                               : err_set_errno(err, errno, "cannot open '%s'", path);
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))
        status = err_set(err, ERR_FORMAT, "'%s' is not a regular file", path);
    else if ((uint64_t)info.st_size < sizeof *ret)
        status = damaged(path, "it is cut short", err);
    if (status == 0)
        status = read_at(fd, ret, sizeof *ret, 0, path, err);
    if (status == 0)
        status = check_header(ret, (uint64_t)info.st_size, fingerprint, path, err);
    if (status < 0)
        close(fd);
    else
        *ret_fd = fd;
    return status;
}

static uint64_t end_of_section(const struct aggregate_header *header, size_t section)
{
    return header->sections[section].offset +
           (header->sections[section].count * aggregate_item_sizes[section] + 7) / 8 * 8;
}

/* The digest of all of it. */
static int check_digest(int fd, const struct aggregate_header *header, const char *path, struct err *err)
{
    struct aggregate_header blank = *header;
    char digest[CHECKSUM_TEXT_SIZE], *chunk = malloc(CHUNK_SIZE);
    struct checksum *sum = checksum_new();
    uint64_t offset = sizeof *header, end = end_of_section(header, SECTION_COUNT - 1);
    int status = chunk != NULL && sum != NULL ? 0 : err_no_memory(err);
    memset(blank.digest, 0, sizeof blank.digest);
    checksum_add(sum, &blank, sizeof blank);
    while (status == 0 && offset < end) {
        size_t length = end - offset < CHUNK_SIZE ? (size_t)(end - offset) : CHUNK_SIZE;
        status = interrupted() ? interrupt_error(err) : read_at(fd, chunk, length, offset, path, err);
        if (status == 0)
            checksum_add(sum, chunk, length);
        offset += length;
    }
    checksum_finish(sum, digest);
    checksum_free(sum);
    free(chunk);
    if (status == 0 && memcmp(digest, header->digest, sizeof header->digest) != 0)
        status = damaged(path, "its digest is another one", err);
    return status;
}

static int find_texts(struct aggregate *aggregate, size_t bytes, const char *path, struct err *err)
{
    for (size_t i = 0; i < bytes; i++)
        aggregate->text_count += aggregate->texts[i] == '\0';
    if (bytes > 0 && aggregate->texts[bytes - 1] != '\0')
        return damaged(path, "a text has no end", err);
    aggregate->text_starts = calloc(aggregate->text_count + 1, sizeof *aggregate->text_starts);
    if (aggregate->text_starts == NULL)
        return err_no_memory(err);
    const char *p = aggregate->texts;
    for (size_t i = 0; i < aggregate->text_count; i++, p += strlen(p) + 1)
        aggregate->text_starts[i] = (uint32_t)(p - aggregate->texts);
    return 0;
}

static bool groups_are_sound(const struct aggregate *aggregate)
{
    bool sound = true;
    for (size_t i = 0; i < aggregate->group_count; i++) {
        const struct rank_group *group = &aggregate->groups[i];
        sound &= group->number < aggregate->text_count && group->numbers <= CLUSTER_MOST_MEMBERS &&
                 (uint64_t)group->first_run + group->run_count <= aggregate->run_count;
    }
    for (size_t i = 0; i < aggregate->run_count; i++) {
        const struct rank_run *run = &aggregate->runs[i];
        sound &= run->count >= 1 && run->count <= CLUSTER_MOST_MEMBERS && run->first >= -1 && run->first <= INT32_MAX &&
                 run->step >= -INT64_C(0x100000000) && run->step <= INT64_C(0x100000000);
    }
    return sound;
}

/* That nothing of the index points behind what there is. */
static bool index_is_sound(const struct aggregate *aggregate)
{
    bool sound = groups_are_sound(aggregate);
    for (size_t i = 0; i < aggregate->step_count; i++)
        sound &= aggregate->steps[i].name < aggregate->text_count;
    for (size_t i = 0; i < aggregate->column_count; i++)
        sound &= aggregate->columns[i] < aggregate->text_count;
    for (size_t i = 0; i < aggregate->block_count; i++)
        sound &=
            aggregate->blocks[i].group < aggregate->group_count && aggregate->blocks[i].step < aggregate->text_count;
    return sound;
}

static int find_places(struct aggregate *aggregate, const struct aggregate_header *header, const char *path,
                       struct err *err)
{
    struct aggregate_place place = {.row = 0};
    aggregate->places = calloc(aggregate->block_count + 1, sizeof *aggregate->places);
    if (aggregate->places == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < aggregate->block_count; i++) {
        const struct aggregate_block *block = &aggregate->blocks[i];
        aggregate->places[i] = place;
        place.row += block->row_count;
        place.packet += block->packet_count;
        place.link += block->link_count;
        place.operator_ += block->operator_count;
        place.detail_link += block->detail_link_count;
    }
    bool details = header->has_details != 0;
    if (place.row != header->sections[SECTION_ROWS].count || place.packet != header->sections[SECTION_PACKETS].count ||
        place.link != header->sections[SECTION_LINKS].count ||
        header->sections[SECTION_OPERATORS].count != (details ? place.operator_ : 0) ||
        header->sections[SECTION_DETAIL_LINKS].count != (details ? place.detail_link : 0))
        return damaged(path, "its blocks are incomplete", err);
    return 0;
}

/* Points the lists at the bytes, which hold the head and all sections of the index. */
static int take_index(struct aggregate *aggregate, const char *path, struct err *err)
{
    const struct aggregate_header *header = (const void *)aggregate->bytes;
    const char *starts[INDEX_SECTIONS];
    for (size_t i = 0; i < INDEX_SECTIONS; i++)
        starts[i] = aggregate->bytes + header->sections[i].offset;
    aggregate->rank = header->rank;
    aggregate->has_details = header->has_details != 0;
    aggregate->communication = (enum rank_file)header->communication;
    aggregate->matrix = (enum rank_file)header->matrix;
    memcpy(aggregate->parallel, header->parallel, sizeof aggregate->parallel);
    aggregate->texts = starts[SECTION_TEXTS];
    aggregate->columns = (const void *)starts[SECTION_COLUMNS];
    aggregate->steps = (const void *)starts[SECTION_STEPS];
    aggregate->groups = (const void *)starts[SECTION_GROUPS];
    aggregate->runs = (const void *)starts[SECTION_RUNS];
    aggregate->blocks = (const void *)starts[SECTION_BLOCKS];
    aggregate->column_count = (size_t)header->sections[SECTION_COLUMNS].count;
    aggregate->step_count = (size_t)header->sections[SECTION_STEPS].count;
    aggregate->group_count = (size_t)header->sections[SECTION_GROUPS].count;
    aggregate->run_count = (size_t)header->sections[SECTION_RUNS].count;
    aggregate->block_count = (size_t)header->sections[SECTION_BLOCKS].count;
    if (find_texts(aggregate, (size_t)header->sections[SECTION_TEXTS].count, path, err) < 0 ||
        (!index_is_sound(aggregate) && damaged(path, "its index points beyond its end", err) < 0))
        return err_status(err);
    return find_places(aggregate, header, path, err);
}

int aggregate_open(struct aggregate *aggregate, const char *path, const char *fingerprint, struct err *err)
{
    struct aggregate_header header;
    int fd = -1;
    *aggregate = (struct aggregate){.rank = -1};
    if (open_file(path, fingerprint, &fd, &header, err) < 0)
        return err_status(err);
    bool failed = check_digest(fd, &header, path, err) < 0;
    aggregate->byte_count = (size_t)end_of_section(&header, INDEX_SECTIONS - 1);
    aggregate->bytes = malloc(aggregate->byte_count);
    aggregate->path = strdup(path);
    failed = failed || ((aggregate->bytes == NULL || aggregate->path == NULL) && err_no_memory(err) < 0) ||
             read_at(fd, aggregate->bytes, aggregate->byte_count, 0, path, err) < 0 ||
             (memcmp(aggregate->bytes, &header, sizeof header) != 0 &&
              damaged(path, "it has changed while it was read", err) < 0) ||
             take_index(aggregate, path, err) < 0;
    close(fd);
    return failed ? err_status(err) : 0;
}

int aggregate_open_index(struct aggregate *aggregate, char *bytes, size_t byte_count, struct err *err)
{
    struct aggregate_header header;
    *aggregate = (struct aggregate){.rank = -1, .bytes = bytes, .byte_count = byte_count};
    if (byte_count < sizeof header)
        return damaged("of another process", "it is cut short", err);
    memcpy(&header, bytes, sizeof header);
    int status = check_header(&header, end_of_section(&header, SECTION_COUNT - 1), NULL, "of another process", err);
    if (status == 0 && end_of_section(&header, INDEX_SECTIONS - 1) != byte_count)
        status = damaged("of another process", "its index ends elsewhere", err);
    return status == 0 ? take_index(aggregate, "of another process", err) : status;
}

void aggregate_release(struct aggregate *aggregate)
{
    free(aggregate->source);
    free(aggregate->path);
    free(aggregate->bytes);
    free(aggregate->text_starts);
    free(aggregate->places);
    *aggregate = (struct aggregate){.rank = -1};
}

const char *aggregate_text(const struct aggregate *aggregate, uint32_t number)
{
    return number < aggregate->text_count ? aggregate->texts + aggregate->text_starts[number] : NULL;
}

size_t aggregate_column(const struct aggregate *aggregate, const char *title)
{
    size_t column = 0;
    while (column < aggregate->column_count &&
           strcmp(aggregate_text(aggregate, aggregate->columns[column]), title) != 0)
        column++;
    return column;
}

/* ---- parts ---- */

/* Opens the file again, which may have been replaced since its index was read. */
static int open_again(const struct aggregate *aggregate, int *ret_fd, struct aggregate_header *ret, struct err *err)
{
    int status = open_file(aggregate->path, NULL, ret_fd, ret, err);
    if (status == 0 && memcmp(ret, aggregate->bytes, sizeof *ret) != 0) {
        close(*ret_fd);
        status = damaged(aggregate->path, "it was replaced while it was read", err);
    }
    return status;
}

/* Items of a section in new memory; NULL with err set. One byte longer, a NUL. */
static void *read_items(int fd, const struct aggregate_header *header, size_t section, uint64_t first, size_t count,
                        const char *path, struct err *err)
{
    size_t size = aggregate_item_sizes[section], bytes = count * size;
    char *items = malloc(bytes + 1);
    if (items == NULL) {
        err_no_memory(err);
        return NULL;
    }
    if (read_at(fd, items, bytes, header->sections[section].offset + first * size, path, err) < 0) {
        free(items);
        return NULL;
    }
    items[bytes] = '\0';
    return items;
}

static bool parts_are_sound(const struct aggregate_block *block, const struct aggregate_parts *parts)
{
    uint64_t packets = 0;
    for (size_t i = 0; i < COMM_TRANSPORTS; i++)
        packets += parts->sum.packets_of[i];
    return packets == block->packet_count &&
           parts->sum.hash == aggregate_hash(block, parts->rows, parts->packets, parts->links);
}

int aggregate_read_parts(const struct aggregate *aggregate, size_t block_index, struct aggregate_parts *ret,
                         struct err *err)
{
    const struct aggregate_block *block = &aggregate->blocks[block_index];
    const struct aggregate_place *place = &aggregate->places[block_index];
    const char *path = aggregate->path;
    struct aggregate_header header;
    int fd = -1;
    *ret = (struct aggregate_parts){.rows = NULL};
    if (open_again(aggregate, &fd, &header, err) < 0)
        return err_status(err);
    bool failed = read_at(fd, &ret->sum, sizeof ret->sum,
                          header.sections[SECTION_SUMS].offset + block_index * sizeof ret->sum, path, err) < 0;
    if (!failed) {
        ret->rows = read_items(fd, &header, SECTION_ROWS, place->row, block->row_count, path, err);
        ret->packets = read_items(fd, &header, SECTION_PACKETS, place->packet, block->packet_count, path, err);
        ret->links = read_items(fd, &header, SECTION_LINKS, place->link, block->link_count, path, err);
        if (ret->rows == NULL || ret->packets == NULL || ret->links == NULL)
            failed = true;
    }
    close(fd);
    return failed || (!parts_are_sound(block, ret) && damaged(path, "a group and step is another one", err) < 0)
               ? err_status(err)
               : 0;
}

int aggregate_read_rows(const struct aggregate *aggregate, size_t block, struct aggregate_row **ret, struct err *err)
{
    struct aggregate_header header;
    int fd = -1, status = open_again(aggregate, &fd, &header, err);
    *ret = NULL;
    if (status < 0)
        return status;
    *ret = read_items(fd, &header, SECTION_ROWS, aggregate->places[block].row, aggregate->blocks[block].row_count,
                      aggregate->path, err);
    close(fd);
    return *ret != NULL ? 0 : err_status(err);
}

void aggregate_parts_release(struct aggregate_parts *parts)
{
    free(parts->rows);
    free(parts->packets);
    free(parts->links);
    *parts = (struct aggregate_parts){.rows = NULL};
}

/* A section of texts, each with a NUL behind it. */
static char *read_texts(const struct aggregate *aggregate, size_t section, size_t *ret_length, struct err *err)
{
    struct aggregate_header header;
    int fd = -1;
    if (open_again(aggregate, &fd, &header, err) < 0)
        return NULL;
    *ret_length = (size_t)header.sections[section].count;
    char *texts = read_items(fd, &header, section, 0, *ret_length, aggregate->path, err);
    close(fd);
    return texts;
}

/* "id", "file", "count", "lines", then the lines. */
int aggregate_read_problems(const struct aggregate *aggregate, struct diagnostics *diag, struct err *err)
{
    size_t length = 0;
    char *texts = read_texts(aggregate, SECTION_PROBLEMS, &length, err);
    if (texts == NULL)
        return err_status(err);
    for (char *p = texts, *end = texts + length; p < end;) {
        char *fields[4], *lines[DIAG_KEPT_IN_FULL];
        for (size_t i = 0; i < 4; i++, p += p < end ? strlen(p) + 1 : 0)
            fields[i] = p < end ? p : texts + length;
        size_t count = 0, told = strtoul(fields[3], NULL, 10);
        for (; count < told && count < DIAG_KEPT_IN_FULL && p < end; p += strlen(p) + 1)
            lines[count++] = p;
        enum diag_id id = diag_find(fields[0]);
        if (id < DIAG_COUNT)
            diag_restore(diag, id, fields[1], strtoull(fields[2], NULL, 10), lines, count);
    }
    free(texts);
    return 0;
}

static int take_names(struct intern *ret, const char *names, size_t bytes, const char *path, struct err *err)
{
    uint32_t number;
    const char *end = names + bytes;
    if (bytes > 0 && end[-1] != '\0')
        return damaged(path, "a text has no end", err);
    for (const char *p = names; p < end; p += strlen(p) + 1) {
        size_t before = ret->count;
        if (intern_text(ret, p, &number, err) < 0)
            return err_status(err);
        if (ret->count == before)
            return damaged(path, "a text is duplicated", err);
    }
    return 0;
}

int aggregate_read_names(const struct aggregate *aggregate, struct intern *ret, struct err *err)
{
    size_t length = 0;
    SCOPED_FREE char *names = read_texts(aggregate, SECTION_NAMES, &length, err);
    return names != NULL ? take_names(ret, names, length, aggregate->path, err) : err_status(err);
}

/* ---- everything ---- */

int aggregate_read_bytes(const struct aggregate *aggregate, struct strbuf *ret, struct err *err)
{
    struct aggregate_header header;
    int fd = -1, status = open_again(aggregate, &fd, &header, err);
    if (status < 0)
        return status;
    uint64_t length = end_of_section(&header, SECTION_COUNT - 1);
    char *chunk = malloc(CHUNK_SIZE);
    status = chunk != NULL ? check_digest(fd, &header, aggregate->path, err) : err_no_memory(err);
    for (uint64_t offset = 0; status == 0 && offset < length;) {
        size_t piece = length - offset < CHUNK_SIZE ? (size_t)(length - offset) : CHUNK_SIZE;
        status = read_at(fd, chunk, piece, offset, aggregate->path, err);
        if (status == 0 && strbuf_add(ret, chunk, piece) < 0)
            status = err_set(err, ERR_LIMIT, "'%s' is longer than a message may be", aggregate->path);
        offset += piece;
    }
    free(chunk);
    close(fd);
    return status;
}

/* Copies a section as one of ret's lists. */
#define TAKE_LIST(list, section)                                                                                       \
    do {                                                                                                               \
        (list).count = (size_t)header->sections[section].count;                                                        \
        (list).capacity = (list).count + 1;                                                                            \
        (list).items = calloc((list).capacity, aggregate_item_sizes[section]);                                         \
        if ((list).items == NULL)                                                                                      \
            return err_no_memory(err);                                                                                 \
        memcpy((list).items, bytes + header->sections[section].offset, (list).count * sizeof *(list).items);           \
    } while (0)

static int take_lists(struct rank_data *ret, const struct aggregate_header *header, const char *bytes, struct err *err)
{
    TAKE_LIST(ret->operators, SECTION_OPERATORS);
    TAKE_LIST(ret->packets, SECTION_DETAIL_PACKETS);
    TAKE_LIST(ret->links, SECTION_DETAIL_LINKS);
    return 0;
}

static bool details_are_sound(const struct rank_data *rank, size_t text_count)
{
    bool sound = true;
    for (size_t i = 0; i < rank->operators.count; i++) {
        const struct rank_operator *operator_ = &rank->operators.items[i];
        sound &= operator_->name < rank->names.count;
        for (size_t j = 0; j < COMM_TRANSPORTS; j++)
            sound &= (uint64_t)operator_->transfers[j].first_packet + operator_->transfers[j].packet_count <=
                     rank->packets.count;
    }
    for (size_t i = 0; i < rank->links.count; i++)
        sound &= rank->links.items[i].entry < text_count;
    return sound;
}

int aggregate_take_details(const struct aggregate *aggregate, const char *bytes, size_t byte_count,
                           struct rank_data *ret, struct err *err)
{
    const struct aggregate_header *header = (const void *)aggregate->bytes;
    const char *source = aggregate->source;
    rank_data_init(ret);
    if (header->has_details == 0)
        return err_set(err, ERR_NOT_FOUND, "the aggregate of '%s' has no details", source);
    if (byte_count != end_of_section(header, SECTION_COUNT - 1) || memcmp(bytes, header, sizeof *header) != 0)
        return damaged(source, "it does not match its index", err);
    if (take_names(&ret->names, bytes + header->sections[SECTION_NAMES].offset,
                   (size_t)header->sections[SECTION_NAMES].count, source, err) < 0 ||
        take_lists(ret, header, bytes, err) < 0)
        return err_status(err);
    ret->rank = header->rank;
    return details_are_sound(ret, aggregate->text_count)
               ? 0
               : damaged(source, "an operator points behind its packets", err);
}

/* ---- aggregate write ---- */

#define PROBLEMS_LIMIT ((size_t)64 * 1024 * 1024)

#define SECTION_SIZE(constant, item) sizeof(item),
const size_t aggregate_item_sizes[SECTION_COUNT] = {AGGREGATE_SECTIONS(SECTION_SIZE)};

/* The sections that are made of the rank's data; the others are its arrays as they are. */
struct writer {
    const struct rank_data *rank;
    struct ARRAY_OF(struct aggregate_block) blocks;
    struct ARRAY_OF(struct aggregate_sum) sums;
    struct ARRAY_OF(struct aggregate_row) rows;
    struct ARRAY_OF(struct comm_packet) packets;
    struct ARRAY_OF(struct aggregate_link) links;
    struct strbuf problems;
};

static void writer_release(struct writer *writer)
{
    free(writer->blocks.items);
    free(writer->sums.items);
    strbuf_release(&writer->problems);
    free(writer->rows.items);
    free(writer->packets.items);
    free(writer->links.items);
}

/* ---- blocks ---- */

/* The packets of one transport of all operators of a block, each size once. */
static int sum_packets(struct writer *writer, const struct rank_block *from, size_t transport, uint32_t *ret_count,
                       struct err *err)
{
    const struct rank_data *rank = writer->rank;
    size_t first = writer->packets.count;
    for (uint32_t i = 0; i < from->operator_count; i++) {
        const struct rank_transfer *transfer = &rank->operators.items[from->first_operator + i].transfers[transport];
        if (array_reserve(&writer->packets, transfer->packet_count + 1, err) < 0)
            return err_status(err);
        for (uint32_t j = 0; j < transfer->packet_count; j++)
            writer->packets.items[writer->packets.count++] = rank->packets.items[transfer->first_packet + j];
    }
    *ret_count = rank_packets_join(writer->packets.items, first, writer->packets.count);
    writer->packets.count = first + *ret_count;
    return 0;
}

static void add_to_sum(struct aggregate_sum *sum, const struct rank_operator *operator_)
{
    for (size_t i = 0; i < COMM_TIMES; i++)
        sum->ns[i] = number_add(sum->ns[i], operator_->ns[i]);
    for (size_t i = 0; i < COMM_TRANSPORTS; i++) {
        sum->transfers[i].bytes = number_add(sum->transfers[i].bytes, operator_->transfers[i].bytes);
        sum->transfers[i].ns = number_add(sum->transfers[i].ns, operator_->transfers[i].ns);
    }
}

/* Rows are of operators that ranks wait for each other in. */
static int add_rows(struct writer *writer, const struct rank_block *from, struct aggregate_block *block,
                    struct aggregate_sum *sum, struct err *err)
{
    const struct rank_data *rank = writer->rank;
    size_t first = writer->rows.count;
    if (array_reserve(&writer->rows, from->operator_count + 1u, err) < 0)
        return err_status(err);
    for (uint32_t i = 0; i < from->operator_count; i++) {
        const struct rank_operator *operator_ = &rank->operators.items[from->first_operator + i];
        const struct interned *name = &rank->names.items[operator_->name];
        add_to_sum(sum, operator_);
        if (!from->p2p && !collective_is_of_two(name->bytes))
            writer->rows.items[writer->rows.count++] =
                (struct aggregate_row){map_hash_bytes(name->bytes, name->length), operator_->ns[COMM_ELAPSE]};
    }
    block->row_count = (uint32_t)(writer->rows.count - first);
    return 0;
}

static bool is_total_entry(const char *entry)
{
    size_t length = strlen(entry), suffix = strlen("-total");
    return length >= suffix && strcmp(entry + length - suffix, "-total") == 0;
}

static int add_links(struct writer *writer, const struct rank_block *from, struct aggregate_block *block,
                     struct err *err)
{
    const struct rank_data *rank = writer->rank;
    size_t first = writer->links.count;
    if (array_reserve(&writer->links, from->link_count + 1u, err) < 0)
        return err_status(err);
    for (uint32_t i = 0; i < from->link_count; i++) {
        const struct rank_link *link = &rank->links.items[from->first_link + i];
        if (is_total_entry(rank_text_of(&rank->texts, link->entry)))
            writer->links.items[writer->links.count++] = (struct aggregate_link){
                link->source, link->target, link->bytes, link->ns, link->entry, link->transport};
    }
    block->link_count = (uint32_t)(writer->links.count - first);
    return 0;
}

uint64_t aggregate_hash(const struct aggregate_block *block, const struct aggregate_row *rows,
                        const struct comm_packet *packets, const struct aggregate_link *links)
{
    return map_hash_bytes(rows, block->row_count * sizeof *rows) ^
           map_hash_bytes(packets, block->packet_count * sizeof *packets) * 3 ^
           map_hash_bytes(links, block->link_count * sizeof *links) * 5;
}

static int add_block(struct writer *writer, const struct rank_block *from, struct err *err)
{
    size_t row = writer->rows.count, packet = writer->packets.count, link = writer->links.count;
    struct aggregate_sum sum = {.reserved = 0};
    struct aggregate_block block = {
        .group = from->group,
        .step = from->step,
        .p2p = from->p2p,
        .operator_count = from->operator_count,
        .detail_link_count = from->link_count,
    };
    bool failed = add_rows(writer, from, &block, &sum, err) < 0;
    for (size_t i = 0; !failed && i < COMM_TRANSPORTS; i++)
        failed = sum_packets(writer, from, i, &sum.packets_of[i], err) < 0;
    block.packet_count = (uint32_t)(writer->packets.count - packet);
    failed = failed || add_links(writer, from, &block, err) < 0 ||
             (array_reserve(&writer->blocks, 1, err) < 0 || array_reserve(&writer->sums, 1, err) < 0);
    if (failed)
        return err_status(err);
    sum.hash =
        aggregate_hash(&block, writer->rows.items + row, writer->packets.items + packet, writer->links.items + link);
    writer->blocks.items[writer->blocks.count++] = block;
    writer->sums.items[writer->sums.count++] = sum;
    return 0;
}

/* As aggregate_read_problems reads them. */
static int add_problems(struct writer *writer, const struct diagnostics *problems, struct err *err)
{
    strbuf_init(&writer->problems, PROBLEMS_LIMIT);
    for (size_t i = 0; i < problems->count; i++) {
        const struct diag_entry *entry = &problems->entries[i];
        strbuf_addf(&writer->problems, "%s%c%s%c%" PRIu64 "%c%zu%c", diag_info(entry->id)->id, '\0', entry->file, '\0',
                    entry->count, '\0', entry->kept, '\0');
        for (size_t j = 0; j < entry->kept; j++)
            strbuf_add(&writer->problems, entry->texts[j], strlen(entry->texts[j]) + 1);
    }
    return writer->problems.failed ? err_no_memory(err) : 0;
}

/* ---- the file ---- */

static size_t text_bytes(const struct intern *texts)
{
    size_t bytes = 0;
    for (size_t i = 0; i < texts->count; i++)
        bytes += texts->items[i].length + 1;
    return bytes;
}

struct part {
    const void *items; /* NULL: texts */
    const struct intern *texts;
    size_t count;
};

static void describe(const struct writer *writer, bool details, struct part parts[SECTION_COUNT])
{
    static const struct part nothing = {"", NULL, 0};
    const struct rank_data *rank = writer->rank;
    parts[SECTION_TEXTS] = (struct part){NULL, &rank->texts, text_bytes(&rank->texts)};
    parts[SECTION_COLUMNS] = (struct part){rank->columns, NULL, rank->column_count};
    parts[SECTION_STEPS] = (struct part){rank->steps.items, NULL, rank->steps.count};
    parts[SECTION_GROUPS] = (struct part){rank->groups.items, NULL, rank->groups.count};
    parts[SECTION_RUNS] = (struct part){rank->runs.items, NULL, rank->runs.count};
    parts[SECTION_SUMS] = (struct part){writer->sums.items, NULL, writer->sums.count};
    parts[SECTION_PROBLEMS] = (struct part){writer->problems.data, NULL, writer->problems.length};
    parts[SECTION_BLOCKS] = (struct part){writer->blocks.items, NULL, writer->blocks.count};
    parts[SECTION_ROWS] = (struct part){writer->rows.items, NULL, writer->rows.count};
    parts[SECTION_PACKETS] = (struct part){writer->packets.items, NULL, writer->packets.count};
    parts[SECTION_LINKS] = (struct part){writer->links.items, NULL, writer->links.count};
    parts[SECTION_NAMES] = (struct part){NULL, &rank->names, text_bytes(&rank->names)};
    parts[SECTION_OPERATORS] = (struct part){rank->operators.items, NULL, rank->operators.count};
    parts[SECTION_DETAIL_PACKETS] = (struct part){rank->packets.items, NULL, rank->packets.count};
    parts[SECTION_DETAIL_LINKS] = (struct part){rank->links.items, NULL, rank->links.count};
    for (size_t i = SECTION_OPERATORS; !details && i < SECTION_COUNT; i++)
        parts[i] = nothing;
}

/* Bytes to the file or, without one, to the digest. */
struct sink {
    struct outfile *out;
    struct checksum *sum;
};

static void put(struct sink *sink, const void *bytes, size_t length)
{
    if (sink->out != NULL)
        outfile_write(sink->out, bytes, length);
    else
        checksum_add(sink->sum, bytes, length);
}

static void put_all(struct sink *sink, const struct aggregate_header *header, const struct part parts[SECTION_COUNT])
{
    static const char zeros[8];
    put(sink, header, sizeof *header);
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        size_t bytes = parts[i].count * aggregate_item_sizes[i];
        for (size_t j = 0; parts[i].texts != NULL && j < parts[i].texts->count; j++)
            put(sink, parts[i].texts->items[j].bytes, parts[i].texts->items[j].length + 1);
        if (parts[i].texts == NULL && bytes > 0)
            put(sink, parts[i].items, bytes);
        put(sink, zeros, (8 - bytes % 8) % 8);
    }
}

static void fill_header(struct aggregate_header *header, const struct writer *writer, bool details,
                        const struct part parts[SECTION_COUNT])
{
    uint64_t offset = sizeof *header;
    *header = (struct aggregate_header){.byte_order = AGGREGATE_BYTE_ORDER,
                                        .version = AGGREGATE_VERSION,
                                        .rank = writer->rank->rank,
                                        .has_details = details,
                                        .communication = writer->rank->communication,
                                        .matrix = writer->rank->matrix};
    memcpy(header->magic, AGGREGATE_MAGIC, sizeof header->magic);
    memcpy(header->fingerprint, writer->rank->fingerprint, sizeof header->fingerprint);
    memcpy(header->parallel, writer->rank->parallel, sizeof header->parallel);
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        header->sections[i].offset = offset;
        header->sections[i].count = parts[i].count;
        offset += (parts[i].count * aggregate_item_sizes[i] + 7) / 8 * 8;
    }
}

static int write_file(const struct writer *writer, bool details, const char *path, struct err *err)
{
    struct part parts[SECTION_COUNT];
    struct aggregate_header header;
    struct outfile out;
    char digest[CHECKSUM_TEXT_SIZE];
    struct sink sum = {NULL, checksum_new()}, file = {&out, NULL};
    if (sum.sum == NULL)
        return err_no_memory(err);
    describe(writer, details, parts);
    fill_header(&header, writer, details, parts);
    put_all(&sum, &header, parts);
    checksum_finish(sum.sum, digest);
    checksum_free(sum.sum);
    memcpy(header.digest, digest, sizeof header.digest);
    if (outfile_open(&out, path, err) < 0)
        return err_status(err);
    put_all(&file, &header, parts);
    return outfile_commit(&out, err);
}

int aggregate_write(const struct rank_data *rank, const struct diagnostics *problems, bool details, const char *path,
                    struct err *err)
{
    SCOPED(writer_release) struct writer writer = {.rank = rank};
    if (add_problems(&writer, problems, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < rank->blocks.count; i++)
        if (add_block(&writer, &rank->blocks.items[i], err) < 0)
            return err_status(err);
    return write_file(&writer, details, path, err);
}
