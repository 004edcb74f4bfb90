/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/transfer/beginning.h"

#include "base/file/fsutil.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define LINE_LIMIT ((size_t)256) /* of a checksum of what comes from a pipe */
#define BLOCK_SIZE ((uint64_t)64 * 1024)
#define RANGE_BLOCKS 128 /* large enough that the board does not start programs most of the time */
#define RANGE_SIZE (RANGE_BLOCKS * BLOCK_SIZE)

/* A comparison under way. */
struct comparison {
    const struct beginning *beginning;
    struct checksum *range, *sum;
    struct strbuf line;
    char *bytes; /* RANGE_SIZE of them */
    uint64_t equal;
    bool differs;
};

bool board_compares_beginnings(const struct board *board)
{
    return board->hash != BOARD_HASH_NONE && board->has_dd;
}

/* Whole blocks, unless the board can cut one off. */
static uint64_t comparable(const struct board *board, uint64_t bytes)
{
    return board->has_head ? bytes : bytes - bytes % BLOCK_SIZE;
}

static void add_script(struct board *board, const struct beginning *beginning, uint64_t bytes)
{
    struct strbuf *script = board_script_in(board, beginning->directory);
    const uint64_t first = beginning->known / BLOCK_SIZE, rest = (bytes - beginning->known) % RANGE_SIZE;

    ssh_script_add(script, "f=./" WORD "\nsum() { ", beginning->path);
    board_add_hash_program(board, script);
    strbuf_addf(script,
                "; }\nread_range() { dd if=\"$f\" bs=%llu skip=$i count=%d 2>/dev/null; }\n"
                "i=%llu\nwhile [ $((i + %d)) -le %llu ]; do read_range | sum; i=$((i + %d)); done\n",
                (unsigned long long)BLOCK_SIZE, RANGE_BLOCKS, (unsigned long long)first, RANGE_BLOCKS,
                (unsigned long long)(bytes / BLOCK_SIZE), RANGE_BLOCKS);
    if (rest % BLOCK_SIZE != 0)
        strbuf_addf(script, "read_range | head -c %llu | sum\n", (unsigned long long)rest);
    else if (rest != 0)
        strbuf_addf(script, "dd if=\"$f\" bs=%llu skip=$i count=%llu 2>/dev/null | sum\n",
                    (unsigned long long)BLOCK_SIZE, (unsigned long long)(rest / BLOCK_SIZE));
}

/* The checksum of the next range, as the board sends it. The end of the comparison is an error too, to end the command.
 */
static int take_line(void *arg, const char *line, size_t line_length, struct err *err)
{
    struct comparison *comparison = arg;
    const uint64_t left = comparison->beginning->bytes - comparison->equal;
    const size_t size = (size_t)(left < RANGE_SIZE ? left : RANGE_SIZE), length = strcspn(line, " ");
    char checksum[CHECKSUM_TEXT_SIZE];

    (void)line_length;
    errno = 0;
    if (size == 0)
        return 0;
    if (file_read_at(comparison->beginning->fd, comparison->bytes, size, comparison->equal) != (ssize_t)size)
        return err_set_errno(err, errno != 0 ? errno : EIO, "cannot read '%s' here", comparison->beginning->path);
    checksum_add(comparison->range, comparison->bytes, size);
    checksum_finish(comparison->range, checksum);
    if (length != strlen(checksum) || strncasecmp(line, checksum, length) != 0) {
        comparison->differs = true;
        return err_set(err, ERR_REMOTE, "'%s' begins with different bytes on the board", comparison->beginning->path);
    }
    checksum_add(comparison->sum, comparison->bytes, size);
    comparison->equal += size;
    return 0;
}

static int take_sums(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct comparison *comparison = arg;

    return board_take_lines(&comparison->line, bytes, length, take_line, comparison,
                            "the board's list of checksums has an overlong line", err);
}

static int compare(struct board *board, struct comparison *comparison, struct err *err)
{
    const struct ssh_io io = {.output = take_sums,
                              .arg = comparison,
                              .limits = ssh_limits_for(board->connection, comparison->beginning->bytes)};
    struct transport_exit end;
    int result;

    add_script(board, comparison->beginning, comparison->beginning->bytes);
    result = board->script.failed ? err_no_memory(err) : ssh_run(board->connection, board->script.data, &io, &end, err);
    if (comparison->differs) {
        *err = (struct err)ERR_INIT;
        return 0;
    }
    return result != 0 ? err_wrap(err, "cannot verify the received part of '%s'", comparison->beginning->path) : 0;
}

int board_compare_beginning(struct board *board, const struct beginning *beginning, struct checksum *sum, uint64_t *ret,
                            struct err *err)
{
    struct beginning whole = *beginning;
    struct comparison comparison = {.beginning = &whole,
                                    .range = checksum_new_kind(board_checksum_kind(board)),
                                    .sum = sum,
                                    .bytes = malloc(RANGE_SIZE)};
    int result = 0;

    whole.bytes = comparable(board, beginning->bytes);
    if (whole.known > whole.bytes)
        whole.known = whole.bytes;
    whole.known -= whole.known % BLOCK_SIZE;
    comparison.equal = whole.known;
    strbuf_init(&comparison.line, LINE_LIMIT);
    if (comparison.range == NULL || comparison.bytes == NULL)
        result = err_no_memory(err);
    else if (whole.bytes > whole.known)
        result = compare(board, &comparison, err);
    *ret = comparison.equal;
    checksum_free(comparison.range);
    strbuf_release(&comparison.line);
    free(comparison.bytes);
    return result;
}
