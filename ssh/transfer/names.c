/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/transfer/names.h"

#include <string.h>

#define PIECE ((size_t)16384)

/* Names on their way to a command. */
struct name_stream {
    const struct name_source *source;
    char separator;
    struct strbuf names;
    struct strbuf *answer;
};

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory");
}

static int give_names(void *arg, const char **bytes, size_t *length, struct err *err)
{
    struct name_stream *stream = arg;

    strbuf_clear(&stream->names);
    while (stream->names.length < PIECE) {
        const char *name = stream->source->next(stream->source->arg);

        if (name == NULL)
            break;
        strbuf_addf(&stream->names, "./%s", name);
        strbuf_addc(&stream->names, stream->separator);
    }
    if (stream->names.failed)
        return out_of_memory(err);
    *bytes = stream->names.data;
    *length = stream->names.length;
    return 0;
}

static int keep_answer(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct name_stream *stream = arg;

    if (stream->answer == NULL || strbuf_add(stream->answer, bytes, length) != 0)
        return err_set(err, ERR_REMOTE, "the board answers more than was asked");
    return 0;
}

int board_do_with_names(struct board *board, const char *what, const struct strbuf *script,
                        const struct name_source *names, char separator, struct strbuf *answer, struct err *err)
{
    struct name_stream stream = {.source = names, .separator = separator, .answer = answer};
    struct ssh_io io = {.input = give_names,
                        .output = keep_answer,
                        .arg = &stream,
                        .limits = ssh_limits_for(board->connection, names->bytes)};
    int result;

    strbuf_init(&stream.names, 2 * PIECE + 8192);
    result = board_run(board, what, script, &io, err);
    strbuf_release(&stream.names);
    return result;
}
