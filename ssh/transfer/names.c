#include "ssh/transfer/names.h"

#include "base/number.h"

#include <string.h>

#define SCRIPT_LIMIT ((size_t)64 * 1024)
#define PIECE ((size_t)16384)

/* Names on their way to a command. */
struct name_stream {
    const struct name_source *source;
    char separator;
    struct strbuf names;
    struct strbuf *answer;
    struct strbuf errors;
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

static int keep_errors(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct name_stream *stream = arg;
    size_t room = stream->errors.maximum - stream->errors.length;

    (void)err;
    strbuf_add(&stream->errors, bytes, length < room ? length : room);
    return 0;
}

int board_do_with_names(struct board *board, const char *what, const char *script, const struct name_source *names,
                        char separator, struct strbuf *answer, struct err *err)
{
    struct name_stream stream = {.source = names, .separator = separator, .answer = answer};
    struct ssh_io io = {.input = give_names,
                        .output = keep_answer,
                        .errors = keep_errors,
                        .arg = &stream,
                        .limits = ssh_limits_for(board->connection, names->bytes)};
    struct ssh_exit end;
    int result;

    strbuf_init(&stream.names, 2 * PIECE + 8192);
    strbuf_init(&stream.errors, 1024);
    result = ssh_run(board->connection, script, &io, &end, err);
    if (result != 0)
        err_wrap(err, "%s", what);
    else
        result = board_judge(what, &end, &stream.errors, err);
    strbuf_release(&stream.names);
    strbuf_release(&stream.errors);
    return result;
}

static void add_removal(struct strbuf *script, const char *directory, bool whole)
{
    strbuf_adds(script, "d=");
    ssh_quote(script, directory);
    strbuf_adds(script, "\nr=0\ncd \"$d\" 2>/dev/null || { echo 0; exit 0; }\n"
                        "while IFS= read -r f; do\nrm -f \"$f\" || r=1\n"
                        "p=${f%/*}\nwhile [ \"$p\" != . ] && rmdir \"$p\" 2>/dev/null; do p=${p%/*}; done\ndone\n");
    if (whole)
        strbuf_adds(script, "find . -depth -type d -exec rmdir {} \\; 2>/dev/null\n");
    strbuf_adds(script, "cd / && rmdir \"$d\" 2>/dev/null\n"
                        "if [ -d \"$d\" ]; then find \"$d\" ! -type d | wc -l; else echo 0; fi\nexit $r\n");
}

int board_remove_files(struct board *board, const char *directory, const struct name_source *names, bool whole,
                       int64_t *ret_left, struct err *err)
{
    struct strbuf script, answer;
    int result;

    *ret_left = 0;
    strbuf_init(&script, SCRIPT_LIMIT);
    strbuf_init(&answer, BOARD_ANSWER_LIMIT);
    add_removal(&script, directory, whole);
    result = script.failed ? out_of_memory(err)
                           : board_do_with_names(board, "cannot remove files from the board", script.data, names, '\n',
                                                 &answer, err);
    if (result == 0) {
        size_t length = strcspn(answer.data, "\n"), blanks = strspn(answer.data, " ");

        if (number_parse_integer(answer.data + blanks, length - blanks, ret_left) != 0)
            *ret_left = 0;
    }
    strbuf_release(&script);
    strbuf_release(&answer);
    return result;
}
