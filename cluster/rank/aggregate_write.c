#include "base/array.h"
#include "base/file/outfile.h"
#include "base/map.h"
#include "cluster/rank/aggregate.h"
#include "cluster/rank/aggregate_format.h"

#include <stdlib.h>
#include <string.h>

#define SECTION_SIZE(constant, item) sizeof(item),
const size_t aggregate_item_sizes[SECTION_COUNT] = {AGGREGATE_SECTIONS(SECTION_SIZE)};

/* The sections that are made of the rank's data; the others are its arrays as they are. */
struct writer {
    const struct rank_data *rank;
    struct intern texts; /* of the index */
    uint32_t columns[CLUSTER_MAX_COLUMNS];
    RANK_LIST(struct rank_step, steps);
    RANK_LIST(struct rank_group, groups);
    RANK_LIST(struct aggregate_block, blocks);
    RANK_LIST(struct aggregate_row, rows);
    RANK_LIST(struct rank_packet, packets);
    RANK_LIST(struct aggregate_link, links);
};

static void writer_release(struct writer *writer)
{
    intern_release(&writer->texts);
    free(writer->steps.items);
    free(writer->groups.items);
    free(writer->blocks.items);
    free(writer->rows.items);
    free(writer->packets.items);
    free(writer->links.items);
}

/* A text of the rank as one of the index. */
static int index_text(struct writer *writer, uint32_t number, uint32_t *ret, struct err *err)
{
    const struct intern *texts = &writer->rank->texts;
    *ret = CLUSTER_NO_TEXT;
    if (number >= texts->count)
        return 0;
    return intern_add(&writer->texts, texts->items[number].bytes, texts->items[number].length, ret, err);
}

static int index_names(struct writer *writer, struct err *err)
{
    const struct rank_data *rank = writer->rank;
    int status = array_reserve(&writer->steps, rank->steps.count + 1, err);
    if (status == 0)
        status = array_reserve(&writer->groups, rank->groups.count + 1, err);
    for (size_t i = 0; status == 0 && i < rank->column_count; i++)
        status = index_text(writer, rank->columns[i], &writer->columns[i], err);
    for (size_t i = 0; status == 0 && i < rank->steps.count; i++) {
        writer->steps.items[writer->steps.count] = rank->steps.items[i];
        status = index_text(writer, rank->steps.items[i].name, &writer->steps.items[writer->steps.count++].name, err);
    }
    for (size_t i = 0; status == 0 && i < rank->groups.count; i++) {
        const struct rank_group *from = &rank->groups.items[i];
        struct rank_group *to = &writer->groups.items[writer->groups.count++];
        *to = *from;
        status = index_text(writer, from->number, &to->number, err);
        if (status == 0)
            status = index_text(writer, from->name, &to->name, err);
        if (status == 0)
            status = index_text(writer, from->id, &to->id, err);
    }
    return status;
}

/* ---- blocks ---- */

static int compare_packets(const void *a, const void *b)
{
    const struct rank_packet *x = a, *y = b;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* The packets of one transport of all operators of a block, each size once. */
static int sum_packets(struct writer *writer, const struct rank_block *from, size_t transport, uint32_t *ret_count,
                       struct err *err)
{
    const struct rank_data *rank = writer->rank;
    size_t first = writer->packets.count, kept = first;
    for (uint32_t i = 0; i < from->operator_count; i++) {
        const struct rank_transfer *transfer = &rank->operators.items[from->first_operator + i].transfers[transport];
        if (array_reserve(&writer->packets, transfer->packet_count + 1, err) < 0)
            return -(int)err->code;
        for (uint32_t j = 0; j < transfer->packet_count; j++)
            writer->packets.items[writer->packets.count++] = rank->packets.items[transfer->first_packet + j];
    }
    if (writer->packets.count > first)
        qsort(writer->packets.items + first, writer->packets.count - first, sizeof *writer->packets.items,
              compare_packets);
    for (size_t i = first; i < writer->packets.count; i++) {
        struct rank_packet *packet = &writer->packets.items[i], *last = &writer->packets.items[kept - (kept > first)];
        if (kept > first && last->bytes == packet->bytes) {
            last->count += packet->count;
            last->ns += packet->ns;
        } else {
            writer->packets.items[kept++] = *packet;
        }
    }
    writer->packets.count = kept;
    *ret_count = (uint32_t)(kept - first);
    return 0;
}

static int add_rows(struct writer *writer, const struct rank_block *from, struct aggregate_block *block,
                    struct err *err)
{
    const struct rank_data *rank = writer->rank;
    block->first_row = writer->rows.count;
    if (array_reserve(&writer->rows, from->operator_count + 1u, err) < 0)
        return -(int)err->code;
    for (uint32_t i = 0; i < from->operator_count; i++) {
        const struct rank_operator *operator_ = &rank->operators.items[from->first_operator + i];
        const struct interned *name = &rank->texts.items[operator_->name];
        writer->rows.items[writer->rows.count++] =
            (struct aggregate_row){hash_bytes(name->bytes, name->length), operator_->ns[TIME_ELAPSE]};
        for (size_t j = 0; j < CLUSTER_TIMES; j++)
            block->ns[j] += operator_->ns[j];
        for (size_t j = 0; j < TRANSPORTS; j++) {
            block->transfers[j].bytes += operator_->transfers[j].bytes;
            block->transfers[j].ns += operator_->transfers[j].ns;
        }
    }
    block->row_count = from->operator_count;
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
    int status = array_reserve(&writer->links, from->link_count + 1u, err);
    block->first_link = writer->links.count;
    for (uint32_t i = 0; status == 0 && i < from->link_count; i++) {
        const struct rank_link *link = &rank->links.items[from->first_link + i];
        if (!is_total_entry(rank_text_of(rank, link->entry)))
            continue;
        struct aggregate_link *to = &writer->links.items[writer->links.count++];
        *to = (struct aggregate_link){link->source, link->target, link->bytes, link->ns, 0, 0};
        status = index_text(writer, link->entry, &to->entry, err);
        if (status == 0)
            status = index_text(writer, link->transport, &to->transport, err);
    }
    block->link_count = (uint32_t)(writer->links.count - block->first_link);
    return status;
}

static uint64_t hash_parts(const struct writer *writer, const struct aggregate_block *block)
{
    return hash_bytes(writer->rows.items + block->first_row, block->row_count * sizeof *writer->rows.items) ^
           hash_bytes(writer->packets.items + block->first_packet,
                      block->packet_count * sizeof *writer->packets.items) *
               3 ^
           hash_bytes(writer->links.items + block->first_link, block->link_count * sizeof *writer->links.items) * 5;
}

static int add_block(struct writer *writer, const struct rank_block *from, struct err *err)
{
    struct aggregate_block block = {
        .group = from->group,
        .p2p = from->p2p,
        .first_packet = writer->packets.count,
        .first_operator = from->first_operator,
        .first_detail_link = from->first_link,
        .detail_link_count = from->link_count,
    };
    int status = index_text(writer, from->step, &block.step, err);
    if (status == 0)
        status = add_rows(writer, from, &block, err);
    for (size_t i = 0; status == 0 && i < TRANSPORTS; i++)
        status = sum_packets(writer, from, i, &block.packets_of[i], err);
    block.packet_count = (uint32_t)(writer->packets.count - block.first_packet);
    if (status == 0)
        status = add_links(writer, from, &block, err);
    if (status == 0)
        status = array_reserve(&writer->blocks, 1, err);
    if (status != 0)
        return status;
    block.hash = hash_parts(writer, &block);
    writer->blocks.items[writer->blocks.count++] = block;
    return 0;
}

/* ---- the file ---- */

static size_t text_bytes(const struct intern *texts)
{
    size_t bytes = 0;
    for (size_t i = 0; i < texts->count; i++)
        bytes += texts->items[i].length + 1;
    return bytes;
}

static void write_texts(struct outfile *out, const struct intern *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        outfile_write(out, texts->items[i].bytes, texts->items[i].length + 1);
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
    parts[SECTION_TEXTS] = (struct part){NULL, &writer->texts, text_bytes(&writer->texts)};
    parts[SECTION_COLUMNS] = (struct part){writer->columns, NULL, rank->column_count};
    parts[SECTION_STEPS] = (struct part){writer->steps.items, NULL, writer->steps.count};
    parts[SECTION_GROUPS] = (struct part){writer->groups.items, NULL, writer->groups.count};
    parts[SECTION_GLOBALS] = (struct part){rank->globals.items, NULL, rank->globals.count};
    parts[SECTION_BLOCKS] = (struct part){writer->blocks.items, NULL, writer->blocks.count};
    parts[SECTION_ROWS] = (struct part){writer->rows.items, NULL, writer->rows.count};
    parts[SECTION_PACKETS] = (struct part){writer->packets.items, NULL, writer->packets.count};
    parts[SECTION_LINKS] = (struct part){writer->links.items, NULL, writer->links.count};
    parts[SECTION_NAMES] = (struct part){NULL, &rank->texts, text_bytes(&rank->texts)};
    parts[SECTION_OPERATORS] = (struct part){rank->operators.items, NULL, rank->operators.count};
    parts[SECTION_DETAIL_PACKETS] = (struct part){rank->packets.items, NULL, rank->packets.count};
    parts[SECTION_DETAIL_LINKS] = (struct part){rank->links.items, NULL, rank->links.count};
    for (size_t i = SECTION_OPERATORS; !details && i < SECTION_COUNT; i++)
        parts[i] = nothing;
}

static uint64_t hash_index(const struct part parts[SECTION_COUNT])
{
    uint64_t hash = 0;
    for (size_t i = 0; i < INDEX_SECTIONS; i++) {
        if (parts[i].texts != NULL) {
            for (size_t j = 0; j < parts[i].texts->count; j++)
                hash = hash * 31 + hash_bytes(parts[i].texts->items[j].bytes, parts[i].texts->items[j].length);
        } else if (parts[i].count > 0) {
            hash = hash * 31 + hash_bytes(parts[i].items, parts[i].count * aggregate_item_sizes[i]);
        }
    }
    return hash;
}

static int write_file(const struct writer *writer, bool details, const char *path, struct err *err)
{
    static const char zeros[8];
    struct part parts[SECTION_COUNT];
    struct aggregate_header header = {.byte_order = AGGREGATE_BYTE_ORDER, .version = AGGREGATE_VERSION};
    struct outfile out;
    uint64_t offset = sizeof header;
    describe(writer, details, parts);
    header.has_details = details;
    memcpy(header.magic, AGGREGATE_MAGIC, sizeof header.magic);
    memcpy(header.fingerprint, writer->rank->fingerprint, sizeof header.fingerprint);
    memcpy(header.parallel, writer->rank->parallel, sizeof header.parallel);
    header.rank = writer->rank->rank;
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        header.sections[i].offset = offset;
        header.sections[i].count = parts[i].count;
        offset += (parts[i].count * aggregate_item_sizes[i] + 7) / 8 * 8;
    }
    header.index_hash = hash_index(parts);
    header.header_hash = hash_bytes(&header, offsetof(struct aggregate_header, header_hash));
    int status = outfile_open(&out, path, err);
    if (status < 0)
        return status;
    outfile_write(&out, &header, sizeof header);
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        size_t bytes = parts[i].count * aggregate_item_sizes[i];
        if (parts[i].texts != NULL)
            write_texts(&out, parts[i].texts);
        else if (bytes > 0)
            outfile_write(&out, parts[i].items, bytes);
        outfile_write(&out, zeros, (8 - bytes % 8) % 8);
    }
    return outfile_commit(&out, err);
}

int aggregate_write(const struct rank_data *rank, bool details, const char *path, struct err *err)
{
    struct writer writer = {.rank = rank};
    int status = index_names(&writer, err);
    for (size_t i = 0; status == 0 && i < rank->blocks.count; i++)
        status = add_block(&writer, &rank->blocks.items[i], err);
    if (status == 0)
        status = write_file(&writer, details, path, err);
    writer_release(&writer);
    return status;
}
