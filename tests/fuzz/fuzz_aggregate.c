/* Aggregates of a cluster's ranks, with whatever hashes are theirs, then with those that are right for them: what is
 * accepted can be read and merged. */
#include "base/map.h"
#include "cluster/cluster.h"
#include "cluster/rank/aggregate_format.h"
#include "tests/fuzz/directory.h"

#include <string.h>

#define FILE_NAME "rank.aggregate"

static void read_block(const struct aggregate *aggregate, const struct aggregate_block *block)
{
    struct aggregate_row *rows = calloc(block->row_count + 1u, sizeof *rows);
    struct rank_packet *packets = calloc(block->packet_count + 1u, sizeof *packets);
    struct aggregate_link *links = calloc(block->link_count + 1u, sizeof *links);
    struct err err = ERR_INIT;

    EXPECT(rows != NULL && packets != NULL && links != NULL);
    EXPECT(aggregate_read_rows(aggregate, block, rows, &err) == 0);
    EXPECT(aggregate_read_packets(aggregate, block, packets, &err) == 0);
    EXPECT(aggregate_read_links(aggregate, block, links, &err) == 0);
    free(rows);
    free(packets);
    free(links);
}

static void analyse(const struct aggregate *aggregate)
{
    struct team team;
    struct diagnostics diag;
    struct cluster_result result;
    struct err err = ERR_INIT;

    team_alone(&team);
    diag_init(&diag, false);
    const struct cluster_request request = {.directory = fuzz_directory, .team = &team};
    if (cluster_analyse(aggregate, 1, &request, &diag, &result, &err) != 0)
        EXPECT(err.code != ERR_NONE && *err_message(&err) != '\0');
    diag_release(&diag);
}

static void try_file(const void *data, size_t size)
{
    char path[128];
    struct aggregate aggregate;
    struct err err = ERR_INIT;

    fuzz_directory_clear();
    EXPECT(fuzz_write_file(FILE_NAME, data, size));
    snprintf(path, sizeof path, "%s/" FILE_NAME, fuzz_directory);
    if (aggregate_open(&aggregate, path, NULL, &err) != 0) {
        EXPECT(err.code != ERR_NONE && *err_message(&err) != '\0');
        aggregate_release(&aggregate);
        return;
    }
    for (size_t i = 0; i < aggregate.step_count; i++)
        EXPECT(aggregate_text(&aggregate, aggregate.steps[i].name) != NULL);
    for (size_t i = 0; i < aggregate.block_count; i++)
        read_block(&aggregate, &aggregate.blocks[i]);
    if (aggregate.rank >= 0)
        analyse(&aggregate);
    aggregate_release(&aggregate);
}

/* Of the index sections, as they are read; 0 where they are not in the file. */
static uint64_t hash_index(const struct aggregate_header *header, const unsigned char *data, size_t size)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < INDEX_SECTIONS; i++) {
        uint64_t offset = header->sections[i].offset, count = header->sections[i].count;
        if (offset > size || count > (size - offset) / aggregate_item_sizes[i])
            return 0;
        const unsigned char *p = data + offset, *end = p + count * aggregate_item_sizes[i];
        while (i == SECTION_TEXTS && p < end && memchr(p, '\0', (size_t)(end - p)) != NULL) {
            hash = hash * 31 + hash_bytes(p, strlen((const char *)p));
            p += strlen((const char *)p) + 1;
        }
        if (i != SECTION_TEXTS && end > p)
            hash = hash * 31 + hash_bytes(p, (size_t)(end - p));
    }
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct aggregate_header header;
    unsigned char *copy = malloc(size + 1);

    EXPECT(copy != NULL);
    fuzz_directory_make();
    try_file(data, size);
    if (size >= sizeof header) {
        memcpy(&header, data, sizeof header);
        memcpy(header.magic, AGGREGATE_MAGIC, sizeof header.magic);
        header.byte_order = AGGREGATE_BYTE_ORDER;
        header.version = AGGREGATE_VERSION;
        header.index_hash = hash_index(&header, data, size);
        header.header_hash = hash_bytes(&header, offsetof(struct aggregate_header, header_hash));
        memcpy(copy, data, size);
        memcpy(copy, &header, sizeof header);
        try_file(copy, size);
    }
    free(copy);
    return 0;
}
