/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/file/checksum.h"
#include "base/file/outfile.h"
#include "base/map.h"
#include "base/number.h"
#include "exporters/cluster/rank/aggregate.h"
#include "exporters/cluster/rank/aggregate_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROBLEMS_LIMIT ((size_t)64 * 1024 * 1024)

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
    RANK_LIST(struct aggregate_sum, sums);
    RANK_LIST(struct aggregate_row, rows);
    RANK_LIST(struct rank_packet, packets);
    RANK_LIST(struct aggregate_link, links);
    struct strbuf problems;
};

static void writer_release(struct writer *writer)
{
    intern_release(&writer->texts);
    free(writer->steps.items);
    free(writer->groups.items);
    free(writer->blocks.items);
    free(writer->sums.items);
    strbuf_release(&writer->problems);
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

static void add_to_sum(struct aggregate_sum *sum, const struct rank_operator *operator_)
{
    for (size_t i = 0; i < CLUSTER_TIMES; i++)
        sum->ns[i] = number_add(sum->ns[i], operator_->ns[i]);
    for (size_t i = 0; i < TRANSPORTS; i++) {
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
        return -(int)err->code;
    for (uint32_t i = 0; i < from->operator_count; i++) {
        const struct rank_operator *operator_ = &rank->operators.items[from->first_operator + i];
        const struct interned *name = &rank->texts.items[operator_->name];
        add_to_sum(sum, operator_);
        if (!from->p2p && !rank_is_point_to_point(name->bytes))
            writer->rows.items[writer->rows.count++] =
                (struct aggregate_row){hash_bytes(name->bytes, name->length), operator_->ns[TIME_ELAPSE]};
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
    int status = array_reserve(&writer->links, from->link_count + 1u, err);
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
    block->link_count = (uint32_t)(writer->links.count - first);
    return status;
}

uint64_t aggregate_hash(const struct aggregate_block *block, const struct aggregate_row *rows,
                        const struct rank_packet *packets, const struct aggregate_link *links)
{
    return hash_bytes(rows, block->row_count * sizeof *rows) ^
           hash_bytes(packets, block->packet_count * sizeof *packets) * 3 ^
           hash_bytes(links, block->link_count * sizeof *links) * 5;
}

static int add_block(struct writer *writer, const struct rank_block *from, struct err *err)
{
    size_t row = writer->rows.count, packet = writer->packets.count, link = writer->links.count;
    struct aggregate_sum sum = {.reserved = 0};
    struct aggregate_block block = {
        .group = from->group,
        .p2p = from->p2p,
        .operator_count = from->operator_count,
        .detail_link_count = from->link_count,
    };
    int status = index_text(writer, from->step, &block.step, err);
    if (status == 0)
        status = add_rows(writer, from, &block, &sum, err);
    for (size_t i = 0; status == 0 && i < TRANSPORTS; i++)
        status = sum_packets(writer, from, i, &sum.packets_of[i], err);
    block.packet_count = (uint32_t)(writer->packets.count - packet);
    if (status == 0)
        status = add_links(writer, from, &block, err);
    if (status == 0 && (array_reserve(&writer->blocks, 1, err) < 0 || array_reserve(&writer->sums, 1, err) < 0))
        status = -(int)err->code;
    if (status != 0)
        return status;
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
    return writer->problems.failed ? err_set(err, ERR_NO_MEMORY, "out of memory") : 0;
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
    parts[SECTION_TEXTS] = (struct part){NULL, &writer->texts, text_bytes(&writer->texts)};
    parts[SECTION_COLUMNS] = (struct part){writer->columns, NULL, rank->column_count};
    parts[SECTION_STEPS] = (struct part){writer->steps.items, NULL, writer->steps.count};
    parts[SECTION_GROUPS] = (struct part){writer->groups.items, NULL, writer->groups.count};
    parts[SECTION_RUNS] = (struct part){rank->runs.items, NULL, rank->runs.count};
    parts[SECTION_SUMS] = (struct part){writer->sums.items, NULL, writer->sums.count};
    parts[SECTION_PROBLEMS] = (struct part){writer->problems.data, NULL, writer->problems.length};
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
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    describe(writer, details, parts);
    fill_header(&header, writer, details, parts);
    put_all(&sum, &header, parts);
    checksum_finish(sum.sum, digest);
    checksum_free(sum.sum);
    memcpy(header.digest, digest, sizeof header.digest);
    int status = outfile_open(&out, path, err);
    if (status < 0)
        return status;
    put_all(&file, &header, parts);
    return outfile_commit(&out, err);
}

int aggregate_write(const struct rank_data *rank, const struct diagnostics *problems, bool details, const char *path,
                    struct err *err)
{
    struct writer writer = {.rank = rank};
    int status = add_problems(&writer, problems, err);
    if (status == 0)
        status = index_names(&writer, err);
    for (size_t i = 0; status == 0 && i < rank->blocks.count; i++)
        status = add_block(&writer, &rank->blocks.items[i], err);
    if (status == 0)
        status = write_file(&writer, details, path, err);
    writer_release(&writer);
    return status;
}
