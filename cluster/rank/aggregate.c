#include "cluster/rank/aggregate.h"

#include "base/map.h"
#include "cluster/rank/aggregate_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX_LIMIT ((uint64_t)256 * 1024 * 1024) /* bytes of one rank's index */

static int damaged(const char *path, const char *what, struct err *err)
{
    return err_set(err, ERR_FORMAT, "the aggregate '%s' is damaged: %s", path, what);
}

static int read_at(int fd, void *buffer, size_t length, uint64_t offset, const char *path, struct err *err)
{
    unsigned char *p = buffer;
    while (length > 0) {
        ssize_t got = pread(fd, p, length, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set_errno(err, errno, "cannot read '%s'", path);
        if (got == 0)
            return damaged(path, "it is cut short", err);
        p += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    return 0;
}

static int check_header(const struct aggregate_header *header, uint64_t size, const char *fingerprint, const char *path,
                        struct err *err)
{
    if (memcmp(header->magic, AGGREGATE_MAGIC, sizeof header->magic) != 0 ||
        header->byte_order != AGGREGATE_BYTE_ORDER || header->version != AGGREGATE_VERSION)
        return err_set(err, ERR_NOT_FOUND, "'%s' is no aggregate of this version", path);
    if (header->header_hash != hash_bytes(header, offsetof(struct aggregate_header, header_hash)))
        return damaged(path, "its head is not what was written", err);
    if (fingerprint != NULL && memcmp(header->fingerprint, fingerprint, sizeof header->fingerprint) != 0)
        return err_set(err, ERR_NOT_FOUND, "'%s' was made of other data", path);
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        uint64_t offset = header->sections[i].offset, count = header->sections[i].count;
        if (offset > size || count > (size - offset) / aggregate_item_sizes[i])
            return damaged(path, "a section ends behind the file", err);
        if (i < INDEX_SECTIONS && count * aggregate_item_sizes[i] > INDEX_LIMIT)
            return damaged(path, "its index is too long", err);
    }
    if (header->sections[SECTION_COLUMNS].count > CLUSTER_MAX_COLUMNS)
        return damaged(path, "too many columns", err);
    return 0;
}

static int open_file(const char *path, const char *fingerprint, int *ret_fd, struct aggregate_header *ret,
                     struct err *err)
{
    struct stat info;
    int status = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT ? err_set(err, ERR_NOT_FOUND, "there is no '%s'", path)
                               : err_set_errno(err, errno, "cannot open '%s'", path);
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode) || (uint64_t)info.st_size < sizeof *ret)
        status = err_set(err, ERR_NOT_FOUND, "'%s' is no aggregate", path);
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

/* A section in new memory; NULL with err set. One byte longer, a NUL. */
static void *read_section(int fd, const struct aggregate_header *header, size_t section, const char *path,
                          struct err *err)
{
    size_t bytes = (size_t)header->sections[section].count * aggregate_item_sizes[section];
    char *items = malloc(bytes + 1);
    if (items == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    if (read_at(fd, items, bytes, header->sections[section].offset, path, err) < 0) {
        free(items);
        return NULL;
    }
    items[bytes] = '\0';
    return items;
}

static int find_texts(struct aggregate *aggregate, size_t bytes, uint64_t *hash, struct err *err)
{
    for (size_t i = 0; i < bytes; i++)
        aggregate->text_count += aggregate->texts[i] == '\0';
    aggregate->text_starts = calloc(aggregate->text_count + 1, sizeof *aggregate->text_starts);
    if (aggregate->text_starts == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    const char *p = aggregate->texts;
    for (size_t i = 0; i < aggregate->text_count; i++, p += strlen(p) + 1) {
        aggregate->text_starts[i] = (uint32_t)(p - aggregate->texts);
        *hash = *hash * 31 + hash_bytes(p, strlen(p));
    }
    return 0;
}

/* That nothing of the index points behind what there is. */
static bool index_is_sound(const struct aggregate *aggregate, const struct aggregate_header *header)
{
    bool sound = true;
    for (size_t i = 0; i < aggregate->step_count; i++)
        sound &= aggregate->steps[i].name < aggregate->text_count;
    for (size_t i = 0; i < aggregate->column_count; i++)
        sound &= aggregate->columns[i] < aggregate->text_count;
    for (size_t i = 0; i < aggregate->group_count; i++) {
        const struct rank_group *group = &aggregate->groups[i];
        sound &= group->number < aggregate->text_count &&
                 (uint64_t)group->first_global + group->global_count <= aggregate->global_count;
    }
    for (size_t i = 0; i < aggregate->block_count; i++) {
        const struct aggregate_block *block = &aggregate->blocks[i];
        uint64_t packets = 0;
        for (size_t j = 0; j < TRANSPORTS; j++)
            packets += block->packets_of[j];
        sound &= block->group < aggregate->group_count && block->step < aggregate->text_count &&
                 packets == block->packet_count && block->first_row <= header->sections[SECTION_ROWS].count &&
                 block->row_count <= header->sections[SECTION_ROWS].count - block->first_row &&
                 block->first_packet <= header->sections[SECTION_PACKETS].count &&
                 block->packet_count <= header->sections[SECTION_PACKETS].count - block->first_packet &&
                 block->first_link <= header->sections[SECTION_LINKS].count &&
                 block->link_count <= header->sections[SECTION_LINKS].count - block->first_link;
    }
    return sound;
}

static int load_index(struct aggregate *aggregate, int fd, const struct aggregate_header *header, const char *path,
                      struct err *err)
{
    void *parts[INDEX_SECTIONS] = {NULL};
    uint64_t hash = 0;
    int status = 0;
    for (size_t i = 0; status == 0 && i < INDEX_SECTIONS; i++) {
        parts[i] = read_section(fd, header, i, path, err);
        status = parts[i] != NULL ? 0 : -(int)err->code;
    }
    aggregate->texts = parts[SECTION_TEXTS];
    aggregate->steps = parts[SECTION_STEPS];
    aggregate->groups = parts[SECTION_GROUPS];
    aggregate->globals = parts[SECTION_GLOBALS];
    aggregate->blocks = parts[SECTION_BLOCKS];
    aggregate->column_count = (size_t)header->sections[SECTION_COLUMNS].count;
    aggregate->step_count = (size_t)header->sections[SECTION_STEPS].count;
    aggregate->group_count = (size_t)header->sections[SECTION_GROUPS].count;
    aggregate->global_count = (size_t)header->sections[SECTION_GLOBALS].count;
    aggregate->block_count = (size_t)header->sections[SECTION_BLOCKS].count;
    if (status == 0) {
        memcpy(aggregate->columns, parts[SECTION_COLUMNS], aggregate->column_count * sizeof *aggregate->columns);
        status = find_texts(aggregate, (size_t)header->sections[SECTION_TEXTS].count, &hash, err);
    }
    for (size_t i = SECTION_TEXTS + 1; status == 0 && i < INDEX_SECTIONS; i++) {
        size_t bytes = (size_t)header->sections[i].count * aggregate_item_sizes[i];
        if (bytes > 0)
            hash = hash * 31 + hash_bytes(parts[i], bytes);
    }
    free(parts[SECTION_COLUMNS]);
    if (status == 0 && (hash != header->index_hash || !index_is_sound(aggregate, header)))
        status = damaged(path, "its index is not what was written", err);
    return status;
}

int aggregate_open(struct aggregate *aggregate, const char *path, const char *fingerprint, struct err *err)
{
    struct aggregate_header header;
    int fd = -1;
    *aggregate = (struct aggregate){.rank = -1};
    int status = open_file(path, fingerprint, &fd, &header, err);
    if (status < 0)
        return status;
    aggregate->rank = header.rank;
    aggregate->has_details = header.has_details != 0;
    memcpy(aggregate->parallel, header.parallel, sizeof aggregate->parallel);
    aggregate->path = strdup(path);
    status = aggregate->path != NULL ? load_index(aggregate, fd, &header, path, err)
                                     : err_set(err, ERR_NO_MEMORY, "out of memory");
    close(fd);
    return status;
}

void aggregate_release(struct aggregate *aggregate)
{
    free(aggregate->path);
    free(aggregate->texts);
    free(aggregate->text_starts);
    free(aggregate->steps);
    free(aggregate->groups);
    free(aggregate->globals);
    free(aggregate->blocks);
    *aggregate = (struct aggregate){.rank = -1};
}

const char *aggregate_text(const struct aggregate *aggregate, uint32_t number)
{
    return number < aggregate->text_count ? aggregate->texts + aggregate->text_starts[number] : NULL;
}

/* The file may have been replaced since its index was read. */
static int read_part(const struct aggregate *aggregate, size_t section, uint64_t first, size_t count, void *items,
                     struct err *err)
{
    struct aggregate_header header;
    int fd = -1;
    if (count == 0)
        return 0;
    int status = open_file(aggregate->path, NULL, &fd, &header, err);
    if (status < 0)
        return status;
    if (first > header.sections[section].count || count > header.sections[section].count - first)
        status = damaged(aggregate->path, "it has changed while it was read", err);
    if (status == 0)
        status = read_at(fd, items, count * aggregate_item_sizes[section],
                         header.sections[section].offset + first * aggregate_item_sizes[section], aggregate->path, err);
    close(fd);
    return status;
}

int aggregate_read_rows(const struct aggregate *aggregate, const struct aggregate_block *block,
                        struct aggregate_row *rows, struct err *err)
{
    return read_part(aggregate, SECTION_ROWS, block->first_row, block->row_count, rows, err);
}

int aggregate_read_packets(const struct aggregate *aggregate, const struct aggregate_block *block,
                           struct rank_packet *packets, struct err *err)
{
    return read_part(aggregate, SECTION_PACKETS, block->first_packet, block->packet_count, packets, err);
}

int aggregate_read_links(const struct aggregate *aggregate, const struct aggregate_block *block,
                         struct aggregate_link *links, struct err *err)
{
    return read_part(aggregate, SECTION_LINKS, block->first_link, block->link_count, links, err);
}

/* ---- everything ---- */

static int take_names(struct intern *ret, const char *names, size_t bytes, const char *path, struct err *err)
{
    uint32_t number;
    const char *end = names + bytes;
    for (const char *p = names; p < end; p += strlen(p) + 1) {
        size_t before = ret->count;
        if (intern_add(ret, p, strlen(p), &number, err) < 0)
            return -(int)err->code;
        if (ret->count == before)
            return damaged(path, "a text stands there twice", err);
    }
    return 0;
}

int aggregate_read_names(const char *path, struct intern *ret, struct err *err)
{
    struct aggregate_header header;
    int fd = -1, status = open_file(path, NULL, &fd, &header, err);
    if (status < 0)
        return status;
    char *names = read_section(fd, &header, SECTION_NAMES, path, err);
    status = names != NULL ? take_names(ret, names, (size_t)header.sections[SECTION_NAMES].count, path, err)
                           : -(int)err->code;
    free(names);
    close(fd);
    return status;
}

/* Takes a section over as one of ret's lists. */
#define TAKE_LIST(list, section)                                                                                       \
    do {                                                                                                               \
        (list).items = status == 0 ? read_section(fd, &header, (section), path, err) : NULL;                           \
        (list).count = (list).items != NULL ? (size_t)header.sections[section].count : 0;                              \
        (list).capacity = (list).count;                                                                                \
        if (status == 0 && (list).items == NULL)                                                                       \
            status = -(int)err->code;                                                                                  \
    } while (0)

/* Blocks as they are in rank_data, with the numbers of its texts. */
static int take_blocks(struct rank_data *ret, const struct aggregate *index, const char *path, struct err *err)
{
    ret->blocks.items = calloc(index->block_count + 1, sizeof *ret->blocks.items);
    if (ret->blocks.items == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    ret->blocks.capacity = index->block_count + 1;
    for (size_t i = 0; i < index->block_count; i++) {
        const struct aggregate_block *from = &index->blocks[i];
        struct rank_block *to = &ret->blocks.items[ret->blocks.count++];
        const char *step = aggregate_text(index, from->step);
        *to = (struct rank_block){.group = from->group,
                                  .p2p = from->p2p != 0,
                                  .first_operator = (uint32_t)from->first_operator,
                                  .operator_count = from->row_count,
                                  .first_link = (uint32_t)from->first_detail_link,
                                  .link_count = from->detail_link_count};
        if (rank_text(ret, step, strlen(step), &to->step, err) < 0)
            return -(int)err->code;
        if (from->first_operator > ret->operators.count ||
            from->row_count > ret->operators.count - from->first_operator ||
            from->first_detail_link > ret->links.count ||
            from->detail_link_count > ret->links.count - from->first_detail_link)
            return damaged(path, "a block ends behind its operators", err);
    }
    return 0;
}

static bool details_are_sound(const struct rank_data *rank)
{
    bool sound = true;
    for (size_t i = 0; i < rank->operators.count; i++) {
        const struct rank_operator *operator_ = &rank->operators.items[i];
        sound &= operator_->name < rank->texts.count;
        for (size_t j = 0; j < TRANSPORTS; j++)
            sound &= (uint64_t)operator_->transfers[j].first_packet + operator_->transfers[j].packet_count <=
                     rank->packets.count;
    }
    for (size_t i = 0; i < rank->links.count; i++)
        sound &= rank->links.items[i].entry < rank->texts.count;
    return sound;
}

static int take_groups(struct rank_data *ret, const struct aggregate *index, struct err *err)
{
    for (size_t i = 0; i < index->group_count; i++) {
        const char *number = aggregate_text(index, index->groups[i].number);
        uint32_t ignored;
        if (rank_group_of(ret, number, strlen(number), &ignored, err) < 0)
            return -(int)err->code;
        ret->groups.items[i].first_global = index->groups[i].first_global;
        ret->groups.items[i].global_count = index->groups[i].global_count;
    }
    return 0;
}

int aggregate_read_all(const char *path, struct rank_data *ret, struct err *err)
{
    struct aggregate index;
    struct aggregate_header header = {.version = 0};
    int fd = -1, status = aggregate_open(&index, path, NULL, err);
    rank_data_init(ret);
    if (status == 0)
        status = open_file(path, NULL, &fd, &header, err);
    if (status < 0) {
        aggregate_release(&index);
        return status;
    }
    if (header.has_details == 0) {
        close(fd);
        aggregate_release(&index);
        return err_set(err, ERR_NOT_FOUND, "'%s' has no details", path);
    }
    char *names = read_section(fd, &header, SECTION_NAMES, path, err);
    status = names != NULL ? take_names(&ret->texts, names, (size_t)header.sections[SECTION_NAMES].count, path, err)
                           : -(int)err->code;
    free(names);
    TAKE_LIST(ret->operators, SECTION_OPERATORS);
    TAKE_LIST(ret->packets, SECTION_DETAIL_PACKETS);
    TAKE_LIST(ret->links, SECTION_DETAIL_LINKS);
    TAKE_LIST(ret->globals, SECTION_GLOBALS);
    ret->rank = header.rank;
    if (status == 0)
        status = take_groups(ret, &index, err);
    if (status == 0 && !details_are_sound(ret))
        status = damaged(path, "an operator points behind its packets", err);
    if (status == 0)
        status = take_blocks(ret, &index, path, err);
    close(fd);
    aggregate_release(&index);
    return status;
}
