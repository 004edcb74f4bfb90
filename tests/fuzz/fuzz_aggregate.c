/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregates of a cluster's ranks, with whatever digest is theirs, then with the one that is right for them: what is
 * accepted can be read and merged. */
#include "base/file/checksum.h"
#include "features/cluster/cluster.h"
#include "features/cluster/rank/aggregate_format.h"
#include "tests/fuzz/directory.h"

#include <stdlib.h>
#include <string.h>

#define FILE_NAME "rank.aggregate"

static void read_block(const struct aggregate *aggregate, size_t block)
{
    struct aggregate_parts parts;
    struct err err = ERR_INIT;

    if (aggregate_read_parts(aggregate, block, &parts, &err) != 0)
        EXPECT(err.code != ERR_NONE && *err_message(&err) != '\0');
    aggregate_parts_release(&parts);
}

/* Every operator, as process 0 takes it from another one. */
static void read_all(const struct aggregate *aggregate, struct diagnostics *diag)
{
    struct rank_data details;
    struct strbuf bytes;
    struct err err = ERR_INIT;

    strbuf_init(&bytes, (size_t)1 << 30);
    EXPECT(aggregate_read_problems(aggregate, diag, &err) == 0);
    EXPECT(aggregate_read_bytes(aggregate, &bytes, &err) == 0);
    aggregate_take_details(aggregate, bytes.data, bytes.length, &details, &err);
    rank_data_release(&details);
    strbuf_release(&bytes);
}

static void analyse(const struct aggregate *aggregate)
{
    struct team team;
    struct diagnostics diag;
    struct cluster_result result;
    struct err err = ERR_INIT;

    team_alone(&team);
    diag_init(&diag, false);
    read_all(aggregate, &diag);
    const struct cluster_request request = {.directory = fuzz_directory, .team = &team};
    if (cluster_analyse(aggregate, 1, &request, &diag, &result, &err) != 0)
        EXPECT(err.code != ERR_NONE && *err_message(&err) != '\0');
    free(result.worst.waits.items);
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
        read_block(&aggregate, i);
    aggregate.source = strdup(fuzz_directory);
    EXPECT(aggregate.source != NULL);
    if (aggregate.rank >= 0)
        analyse(&aggregate);
    aggregate_release(&aggregate);
}

/* The digest of what is there, so that more than the digest is tried. */
static void set_digest(unsigned char *data, size_t size)
{
    struct aggregate_header header;
    char digest[CHECKSUM_TEXT_SIZE];
    struct checksum *sum = checksum_new();

    EXPECT(sum != NULL);
    memcpy(&header, data, sizeof header);
    memcpy(header.magic, AGGREGATE_MAGIC, sizeof header.magic);
    header.byte_order = AGGREGATE_BYTE_ORDER;
    header.version = AGGREGATE_VERSION;
    memset(header.digest, 0, sizeof header.digest);
    memcpy(data, &header, sizeof header);
    checksum_add(sum, data, size);
    checksum_finish(sum, digest);
    checksum_free(sum);
    memcpy(header.digest, digest, sizeof header.digest);
    memcpy(data, &header, sizeof header);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size + 1);

    EXPECT(copy != NULL);
    fuzz_directory_make();
    try_file(data, size);
    if (size >= sizeof(struct aggregate_header)) {
        memcpy(copy, data, size);
        set_digest(copy, size);
        try_file(copy, size);
    }
    free(copy);
    return 0;
}
