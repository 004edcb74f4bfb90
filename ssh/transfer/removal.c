/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/transfer/removal.h"

#include "base/number.h"

#include <inttypes.h>
#include <string.h>

#define PIECE ((size_t)16384)

/* Names on their way to a command. */
struct name_stream {
    const struct name_source *source;
    size_t next;
    char separator;
    struct strbuf names;
    struct strbuf *answer;
};

static int give_names(void *arg, const char **bytes, size_t *length, struct err *err)
{
    struct name_stream *stream = arg;

    strbuf_clear(&stream->names);
    while (stream->names.length < PIECE && stream->next < stream->source->count) {
        const char *name = stream->source->name(stream->source->arg, stream->next++);

        if (name == NULL)
            continue;
        strbuf_addf(&stream->names, "./%s", name);
        strbuf_addc(&stream->names, stream->separator);
    }
    return ssh_give(&stream->names, bytes, length, err);
}

static int keep_answer(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct name_stream *stream = arg;

    if (strbuf_add(stream->answer, bytes, length) != 0)
        return err_set(err, ERR_REMOTE, "the board sent an unexpected answer");
    return 0;
}

int board_do_with_names(struct board *board, size_t most, const char *what, const struct name_source *names,
                        char separator, struct err *err)
{
    struct name_stream stream = {.source = names, .separator = separator, .answer = &board->answer};
    struct ssh_io io = {.input = give_names,
                        .output = keep_answer,
                        .arg = &stream,
                        .limits = ssh_limits_for(board->connection, names->bytes)};
    int result;

    strbuf_init(&stream.names, 2 * PIECE + 8192);
    strbuf_release(&board->answer);
    strbuf_init(&board->answer, most);
    result = board_run(board, what, &io, err);
    strbuf_release(&stream.names);
    return result;
}

#define LINE_LIMIT ((size_t)2 * LISTING_MAX_PATH + 128)
#define BYTES_PER_FILE 4096 /* as which the removal of a file counts for the limits of a command */

const char board_tidy_functions[] =
    "prune() { for f in \"$1\"/* \"$1\"/.[!.]* \"$1\"/..?*; do\n"
    "[ -d \"$f\" ] && [ ! -L \"$f\" ] && prune \"$f\"\ndone\nrmdir \"$1\" 2>/dev/null\n}\n"
    "count_in() { for f in \"$1\"/* \"$1\"/.[!.]* \"$1\"/..?*; do\n"
    "if [ -d \"$f\" ] && [ ! -L \"$f\" ]; then count_in \"$f\"\n"
    "elif [ -e \"$f\" ] || [ -L \"$f\" ]; then c=$((c + 1)); fi\ndone\n}\n"
    "count() { c=0; [ ! -d \"$1\" ] || count_in \"$1\"; echo \"$c\"; }\n";

/* A process with a file below the directory open: ls prints "/proc/<number>/fd:" before its lines. */
static const char check_open[] = "h=$(pwd -P)\n"
                                 "ls -l /proc/[0-9]*/fd 2>/dev/null | while IFS= read -r line; do\n"
                                 "case $line in\n"
                                 "(/proc/*:) i=${line#/proc/}; i=${i%%/*};;\n"
                                 "(*\" -> $h/\"*) echo \"open $i\"; break;;\n"
                                 "esac\ndone\n";

/* Files are looked at and removed in batches, and one by one where something in a batch has changed. */
static const char remove_batches[] =
    "nl='\n'\n"
    "flush() {\n"
    "[ $# -gt 0 ] || return\n"
    "if [ \"$(batch \"$@\" 2>/dev/null)\" = \"$w\" ]; then rm -f \"$@\" || r=1\n"
    "else for f; do\n"
    "e=${w%%\"$nl\"*} w=${w#*\"$nl\"}\n"
    "if [ ! -e \"$f\" ] && [ ! -L \"$f\" ]; then continue; fi\n"
    "if [ \"$(one \"$f\" 2>/dev/null)\" = \"$e\" ]; then rm -f \"$f\" || r=1\n"
    "else printf 'changed %s\\n' \"$f\"; fi\n"
    "done; fi\n"
    "echo \"done $#\"\n"
    "}\n"
    "n=0 w='' r=0\nset --\n"
    "while IFS= read -r line; do\n"
    "f=./${line#*./}\n"
    "case $line in 'd ./'*) flush \"$@\"; set --; n=0 w=''; rmdir \"$f\" 2>/dev/null; continue;; esac\n"
    "w=$w${w:+$nl}$line n=$((n + 1)); set -- \"$@\" \"$f\"\n"
    "[ $n -lt 64 ] || { flush \"$@\"; set --; n=0 w=''; }\n"
    "done\n"
    "flush \"$@\"\n";

enum way { BY_STATE, BY_CHECKSUM, BY_SIZE };

struct removal {
    const struct board *board;
    const struct removal_request *request;
    struct removal_result *result;
    enum way way;
    struct strbuf names, line;
    size_t next;
    uint64_t done;
};

/* The line that the board must print of a file before it goes. */
static void add_line(const struct removal *removal, const struct known_file *file, struct strbuf *ret)
{
    const char *checksum = file->checksum != NULL && file->checksum[0] != '\0' ? file->checksum : "?";

    if (file->is_directory)
        strbuf_addf(ret, "d ./%s", file->path);
    else if (removal->way == BY_STATE)
        strbuf_addf(ret, file->state != NULL ? "%s" : "? ./%s", file->state != NULL ? file->state : file->path);
    else if (file->is_link)
        strbuf_addf(ret, "link ./%s", file->path);
    else if (removal->way == BY_SIZE)
        strbuf_addf(ret, "%" PRIu64 " ./%s", file->size, file->path);
    else if (removal->board->hash == BOARD_HASH_CKSUM)
        strbuf_addf(ret, "%s %" PRIu64 " ./%s", checksum, file->size, file->path);
    else
        strbuf_addf(ret, removal->board->hash == BOARD_HASH_OPENSSL ? "%s *./%s" : "%s  ./%s", checksum, file->path);
    strbuf_addc(ret, '\n');
}

static int give_lines(void *arg, const char **bytes, size_t *length, struct err *err)
{
    struct removal *removal = arg;
    struct known_file file;

    strbuf_clear(&removal->names);
    while (removal->names.length < PIECE && removal->next < removal->request->count)
        if (removal->request->known(removal->request->arg, removal->next++, &file))
            add_line(removal, &file, &removal->names);
    return ssh_give(&removal->names, bytes, length, err);
}

/* "<word> <number>": the number. */
static int64_t number_behind(const char *line, const char *word)
{
    const size_t length = strlen(word);
    int64_t number = 0;

    if (strncmp(line, word, length) != 0 || number_parse_integer(line + length, strlen(line + length), &number) != 0 ||
        number < 0)
        return 0;
    return number;
}

static int take_line(void *arg, const char *line, size_t length, struct err *err)
{
    struct removal *removal = arg;
    static const char changed[] = "changed ./";
    const struct removal_request *request = removal->request;
    struct removal_result *ret = removal->result;

    (void)length;
    if (strncmp(line, changed, sizeof changed - 1) == 0) {
        if (ret->changed.count > request->count)
            return err_set(err, ERR_REMOTE, "the board reported more files than exist");
        return words_add(&ret->changed, line + sizeof changed - 1, err);
    }
    removal->done += (uint64_t)number_behind(line, "done ");
    ret->left += number_behind(line, "left ");
    if (ret->open_process == 0)
        ret->open_process = number_behind(line, "open ");
    progress_update(request->progress, "removing", removal->done, request->count);
    return 0;
}

static int take_answer(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct removal *removal = arg;

    return board_take_lines(&removal->line, bytes, length, take_line, removal, "the board sent an unexpected answer",
                            err);
}

/* "one" and "batch", which print what is compared. */
static void add_functions(const struct removal *removal, struct strbuf *script)
{
    switch (removal->way) {
    case BY_STATE:
        strbuf_adds(script, "batch() { stat -c '" LISTING_FORMAT "' \"$@\"; }\none() { batch \"$1\"; }\n");
        break;
    case BY_CHECKSUM:
        strbuf_adds(script, "batch() { ");
        board_add_hash_program(removal->board, script);
        strbuf_adds(script, " \"$@\"; }\n"
                            "one() { if [ -L \"$1\" ]; then printf 'link %s\\n' \"$1\"; else batch \"$1\"; fi; }\n");
        break;
    case BY_SIZE:
        strbuf_adds(script, "one() { if [ -L \"$1\" ]; then printf 'link %s\\n' \"$1\"\n"
                            "else printf '%s %s\\n' $(($(wc -c <\"$1\"))) \"$1\"; fi; }\n"
                            "batch() { for b; do one \"$b\"; done; }\n");
        break;
    }
}

static void add_script(const struct removal *removal, struct strbuf *script)
{
    ssh_script_add(script, "d=" WORD "\ncd \"$d\" 2>/dev/null || { echo 'left 0'; exit 0; }\n",
                   removal->request->directory);
    add_functions(removal, script);
    if (removal->request->leaves_open && removal->board->has_ls) {
        strbuf_adds(script, "open=$(\n");
        strbuf_adds(script, check_open);
        strbuf_adds(script, ")\n[ -z \"$open\" ] || { echo \"$open\"; exit 0; }\n");
    }
    strbuf_adds(script, remove_batches);
    if (removal->request->prunes) {
        strbuf_adds(script, board_tidy_functions);
        strbuf_adds(script, "cd / && prune \"$d\"\necho \"left $(count \"$d\")\"\n");
    }
    strbuf_adds(script, "exit $r\n");
}

static enum way choose_way(const struct board *board, const struct removal_request *request)
{
    if (board->has_stat && !request->by_checksum)
        return BY_STATE;
    return board->hash != BOARD_HASH_NONE ? BY_CHECKSUM : BY_SIZE;
}

int board_remove_known(struct board *board, const struct removal_request *request, struct removal_result *ret,
                       struct err *err)
{
    struct removal removal = {.board = board, .request = request, .result = ret, .way = choose_way(board, request)};
    struct ssh_io io = {.input = give_lines,
                        .output = take_answer,
                        .arg = &removal,
                        .limits = ssh_limits_for(board->connection, (uint64_t)request->count * BYTES_PER_FILE)};
    int result;

    *ret = (struct removal_result){.left = 0};
    strbuf_init(&removal.names, 2 * PIECE + LINE_LIMIT);
    strbuf_init(&removal.line, LINE_LIMIT);
    add_script(&removal, board_script(board));
    result = board_run(board, "cannot remove files from the board", &io, err);
    strbuf_release(&removal.names);
    strbuf_release(&removal.line);
    return result;
}

void removal_release(struct removal_result *result)
{
    words_release(&result->changed);
}
