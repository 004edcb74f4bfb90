/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/board.h"

#include "base/language.h"
#include "base/number.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT_LIMIT ((size_t)64 * 1024)
#define MOST_SAID ((size_t)4096) /* bytes of what a command complains about */

/* openssl is many times faster than sha256sum where the processor has instructions for it. */
static void take_tool(struct board *board, const char *name)
{
    const struct {
        const char *name;
        bool *has;
    } tools[] = {{"tar", &board->has_tar},   {"xargs", &board->has_xargs}, {"stat", &board->has_stat},
                 {"ldd", &board->has_ldd},   {"find", &board->has_find},   {"ls", &board->has_ls},
                 {"cat", &board->has_cat},   {"dd", &board->has_dd},       {"tail", &board->has_tail},
                 {"head", &board->has_head}, {"cmp", &board->has_cmp},     {"wc", &board->has_wc}};
    static const struct {
        const char *name;
        enum board_hash hash;
    } hashes[] = {{"cksum", BOARD_HASH_CKSUM},
                  {"md5sum", BOARD_HASH_MD5SUM},
                  {"sha256sum", BOARD_HASH_SHA256SUM},
                  {"openssl", BOARD_HASH_OPENSSL}};

    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
        if (strcmp(name, tools[i].name) == 0)
            *tools[i].has = true;
    for (size_t i = 0; i < sizeof hashes / sizeof hashes[0]; i++)
        if (strcmp(name, hashes[i].name) == 0 && board->hash < hashes[i].hash)
            board->hash = hashes[i].hash;
}

/* A line "key=value". */
static void take_setting(struct board *board, const char *line)
{
    if (strncmp(line, "home=", 5) == 0 && board->home == NULL) {
        board->home = strdup(line + 5);
    } else if (strncmp(line, "machine=", 8) == 0) {
        snprintf(board->machine, sizeof board->machine, "%s", line + 8);
        utf8_mask(board->machine);
    } else if (strncmp(line, "tool=", 5) == 0) {
        take_tool(board, line + 5);
    }
}

int board_take_lines(struct strbuf *line, const char *bytes, size_t length,
                     int (*take)(void *arg, const char *line, size_t length, struct err *err), void *arg,
                     const char *too_long, struct err *err)
{
    for (const char *newline, *end = bytes + length; bytes < end; bytes = newline + 1) {
        newline = memchr(bytes, '\n', (size_t)(end - bytes));
        if (strbuf_add(line, bytes, (size_t)((newline != NULL ? newline : end) - bytes)) != 0)
            return err_set(err, ERR_REMOTE, "%s", language_said(too_long));
        if (newline == NULL)
            return 0;
        int result = take(arg, line->data, line->length, err);
        strbuf_clear(line);
        if (result != 0)
            return result;
    }
    return 0;
}

char *board_next_line(char **answer)
{
    char *line = *answer;
    size_t length = strcspn(line, "\n");

    if (*line == '\0')
        return NULL;
    *answer = line + length + (line[length] == '\n');
    line[length] = '\0';
    return line;
}

int board_probe(struct board *board, struct ssh_connection *connection, struct err *err)
{
    /* each tool is tried, because busybox may have been built without it or without what is needed of it */
    static const char script[] =
        "echo \"home=$HOME\"; echo \"machine=$(uname -m)\"\n"
        "[ \"$(printf 'a\\0' | xargs -0 echo 2>/dev/null)\" = a ] && echo tool=xargs\n"
        "case \"$(stat -c '" LISTING_FORMAT "' / 2>/dev/null)\" in [0-9a-f]*' /') echo tool=stat;; esac\n"
        "for t in tar ldd find ls wc cat dd tail head cmp; do command -v $t >/dev/null 2>&1 && echo tool=$t; done\n"
        "case \"$(cksum /dev/null 2>/dev/null)\" in '4294967295 0 '*) echo tool=cksum;; esac\n"
        "case \"$(md5sum /dev/null 2>/dev/null)\" in d41d8cd98f00b204*) echo tool=md5sum;; esac\n"
        "case \"$(sha256sum /dev/null 2>/dev/null)\" in e3b0c44298fc1c14*) echo tool=sha256sum;; esac\n"
        "case \"$(openssl dgst -sha256 -r /dev/null 2>/dev/null)\" in e3b0c44298fc1c14*) echo tool=openssl;; esac\n"
        "exit 0\n";
    char *line, *at;
    int result;

    *board = (struct board){.connection = connection};
    strbuf_init(&board->script, SCRIPT_LIMIT);
    strbuf_init(&board->answer, BOARD_ANSWER_LIMIT);
    strbuf_adds(board_script(board), script);
    result = board_do(board, "cannot check the board", err);
    at = board->answer.data;
    while (result == 0 && (line = board_next_line(&at)) != NULL)
        take_setting(board, line);
    if (result == 0 && (board->home == NULL || board->home[0] != '/')) {
        result = err_set(err, ERR_REMOTE, "the board did not report the home directory of its user");
        err_hint(err, "set 'remote_dir' in the ini file, and check that 'ssh USER@BOARD echo hello' prints only hello");
    }
    return result;
}

void board_release(struct board *board)
{
    free(board->home);
    strbuf_release(&board->script);
    strbuf_release(&board->answer);
    *board = (struct board){.connection = NULL};
}

/* The last non-empty line, which usually has the reason. */
static const char *last_line(char *text)
{
    size_t length = strlen(text);
    char *newline;

    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r' || text[length - 1] == ' '))
        text[--length] = '\0';
    newline = strrchr(text, '\n');
    return newline != NULL ? newline + 1 : text;
}

static void add_hint(struct err *err, const char *said)
{
    if (strstr(said, "No space left") != NULL || strstr(said, "full") != NULL)
        err_hint(err, "free some space on the board, or set 'remote_dir' to another file system, or use "
                      "--transfer=nfs");
    else if (strstr(said, "ermission denied") != NULL)
        err_hint(err, "set 'remote_dir' in the ini file to a directory that this user can write to");
    else if (strstr(said, "ead-only") != NULL)
        err_hint(err, "set 'remote_dir' in the ini file to a directory on a writable file system");
}

int board_judge(const char *what, const struct transport_exit *end, struct strbuf *errors, struct err *err)
{
    const char *said = errors->length > 0 ? last_line(errors->data) : "";

    if (end->signal[0] != '\0')
        return err_set(err, ERR_REMOTE, "%s: the command was ended by SIG%s", what, end->signal);
    if (!end->is_known)
        return err_set(err, ERR_REMOTE, "%s: the board did not report the exit status of the command", what);
    if (end->status == 0)
        return 0;
    err_set(err, ERR_REMOTE, "%s: %s%sexit status %d", what, said, said[0] != '\0' ? ", " : "", end->status);
    add_hint(err, said);
    return err_status(err);
}

struct strbuf *board_script(struct board *board)
{
    strbuf_clear(&board->script);
    return &board->script;
}

struct strbuf *board_script_in(struct board *board, const char *directory)
{
    struct strbuf *script = board_script(board);

    ssh_script_add(script, "cd " WORD " || exit 1\n", directory);
    return script;
}

static int keep_answer(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct strbuf *answer = arg;

    if (strbuf_add(answer, bytes, length) != 0)
        return err_set(err, ERR_REMOTE, "the board sent an answer of more than %zu bytes", answer->maximum);
    return 0;
}

int board_run(struct board *board, const char *what, const struct ssh_io *io, struct err *err)
{
    what = language_said(what);
    struct ssh_io with_said = *io;
    struct strbuf said;
    struct transport_exit end;
    int result;

    if (board->script.failed)
        return err_no_memory(err);
    strbuf_init(&said, MOST_SAID);
    with_said.said = &said;
    result = ssh_run(board->connection, board->script.data, &with_said, &end, err);
    result = result != 0 ? err_wrap(err, "%s", what) : board_judge(what, &end, &said, err);
    strbuf_release(&said);
    return result;
}

static int ask_limited(struct board *board, size_t most, const struct ssh_limits *limits, const char *what,
                       struct err *err)
{
    const struct ssh_io io = {.output = keep_answer, .arg = &board->answer, .limits = *limits};

    strbuf_release(&board->answer);
    strbuf_init(&board->answer, most);
    return board_run(board, what, &io, err);
}

int board_ask(struct board *board, size_t most, const char *what, struct err *err)
{
    return ask_limited(board, most, &(struct ssh_limits){.total_ns = 0}, what, err);
}

int board_do(struct board *board, const char *what, struct err *err)
{
    return board_ask(board, BOARD_ANSWER_LIMIT, what, err);
}

int board_do_within(struct board *board, int seconds, const char *what, struct err *err)
{
    struct ssh_limits limits = ssh_limits_for(board->connection, 0);

    limits.silence_ns = limits.total_ns = (int64_t)seconds * 1000000000;
    return ask_limited(board, BOARD_ANSWER_LIMIT, &limits, what, err);
}

/* Regular files and what is none, in the shape of LISTING_FORMAT without a state; wc without a name gives the size
 * alone. */
static const char list_one[] =
    "one() {\n"
    "if [ -f \"$1\" ] && [ ! -L \"$1\" ]; then printf '8000 %s %s\\n' $(($(wc -c <\"$1\"))) \"$1\"\n"
    "else printf 'a000 0 %s\\n' \"$1\"; fi\n}\n";
static const char stat_one[] = "one() { stat -c '" LISTING_FORMAT "' \"$1\"; }\n";
static const char walk[] = "walk() {\nfor f in \"$1\"/* \"$1\"/.[!.]* \"$1\"/..?*; do\n"
                           "if [ -d \"$f\" ] && [ ! -L \"$f\" ]; then walk \"$f\"\n"
                           "elif [ -e \"$f\" ] || [ -L \"$f\" ]; then one \"$f\"; fi\ndone\n}\nwalk .\n";

static int add_list_command(const struct board *board, struct strbuf *script, struct err *err)
{
    if (!board->has_stat && !board->has_wc) {
        err_set(err, ERR_REMOTE, "the board has neither stat nor wc, so the sizes of its files are unknown");
        return err_hint(err, "copy the directory with 'scp -r' or 'sftp', which need no commands there");
    }
    if (board->has_stat && board->has_find) {
        strbuf_adds(script, "find . ! -type d -exec stat -c '" LISTING_FORMAT "' {} +\n");
        return 0;
    }
    strbuf_adds(script, board->has_stat ? stat_one : list_one);
    strbuf_adds(script, board->has_find ? "find . ! -type d | while IFS= read -r f; do one \"$f\"; done\n" : walk);
    return 0;
}

int board_add_list(struct board *board, const char *directory, struct err *err)
{
    struct strbuf *script = board_script(board);

    ssh_script_add(
        script, "d=" WORD "\n[ -d \"$d\" ] || { printf '" BOARD_MISSING "'; exit 0; }\ncd \"$d\" || exit 1\nlist() {\n",
        directory);
    if (add_list_command(board, script, err) != 0)
        return err_status(err);
    strbuf_adds(script, "}\n");
    return 0;
}

int board_tell_missing(const char *directory, struct err *err)
{
    return err_set(err, ERR_REMOTE, "missing directory '%s' on the board", directory);
}

int board_list(struct board *board, const char *directory, bool *ret_there, struct listing *ret, struct err *err)
{
    int result = board_add_list(board, directory, err);
    bool is_missing;

    strbuf_adds(&board->script, "list\n");
    if (result == 0)
        result = board_ask(board, LISTING_LIMIT, "cannot list files", err);
    is_missing = result == 0 && strcmp(board->answer.data, BOARD_MISSING) == 0;
    if (ret_there != NULL)
        *ret_there = result == 0 && !is_missing;
    if (is_missing && ret_there == NULL)
        result = board_tell_missing(directory, err);
    else if (result == 0 && !is_missing)
        result = listing_parse(ret, board->answer.data, board->answer.length, err);
    return result != 0 ? err_wrap(err, "cannot list '%s' on the board", directory) : 0;
}

int board_space(struct board *board, const char *path, int64_t *ret_kilobytes, bool *ret_writable, struct err *err)
{
    struct strbuf *script = board_script(board);
    const char *second;
    size_t length;

    /* df's lines end in: size, used, available, percent, mount point */
    ssh_script_add(script,
                   "d=" WORD "\nwhile [ ! -e \"$d\" ]; do d=$(dirname \"$d\"); done\n"
                   "[ -d \"$d\" ] && [ -w \"$d\" ] && [ -x \"$d\" ] && echo yes || echo no\n"
                   "set -- $(df -Pk \"$d\" | tail -n 1)\n"
                   "echo \"${4:--}\"\n",
                   path);
    if (board_do(board, "cannot read the free space of the board", err) != 0)
        return err_status(err);
    second = strchr(board->answer.data, '\n');
    length = second != NULL ? strcspn(second + 1, "\n") : 0;
    *ret_writable = strncmp(board->answer.data, "yes\n", 4) == 0;
    if (length == 0 || number_parse_integer(second + 1, length, ret_kilobytes) != 0)
        *ret_kilobytes = -1; /* the file system does not report it: the upload will fail if it is too little */
    return 0;
}

enum checksum_kind board_checksum_kind(const struct board *board)
{
    return board->hash == BOARD_HASH_CKSUM    ? CHECKSUM_CKSUM
           : board->hash == BOARD_HASH_MD5SUM ? CHECKSUM_MD5
                                              : CHECKSUM_SHA256;
}

const char *board_verifies_by(const struct board *board)
{
    static const char *const names[] = {LANGUAGE_MARK("size (the board has no sha256sum)"),
                                        LANGUAGE_MARK("cksum (the board has no sha256sum)"),
                                        LANGUAGE_MARK("MD5 (the board has no sha256sum)"), "SHA-256", "SHA-256"};

    return board->hash == BOARD_HASH_NONE && board->has_cmp ? LANGUAGE_MARK("cmp (the board has no sha256sum)")
                                                            : names[board->hash];
}

void board_add_hash_program(const struct board *board, struct strbuf *script)
{
    static const char *const programs[] = {"false", "cksum", "md5sum", "sha256sum", "openssl dgst -sha256 -r"};

    strbuf_adds(script, programs[board->hash]);
}

int board_add_send_command(const struct board *board, struct strbuf *script, struct err *err)
{
    const char *one = board->has_cat    ? "cat \"$f\""
                      : board->has_dd   ? "dd if=\"$f\" bs=65536 2>/dev/null"
                      : board->has_tail ? "tail -c +1 \"$f\""
                                        : NULL;

    if (one == NULL) {
        err_set(err, ERR_REMOTE, "cannot read files on the board: it has none of cat, dd and tail");
        return err_hint(err, "copy the directory with 'scp -r' or 'sftp', which need no commands there");
    }
    if (board->has_xargs && board->has_cat)
        strbuf_adds(script, "exec xargs -0 cat\n");
    else if (board->has_xargs)
        strbuf_addf(script, "exec xargs -0 sh -c 'for f; do %s || exit 1; done' sh\n", one);
    else
        strbuf_addf(script, "while IFS= read -r f; do %s || exit 1; done\n", one);
    return 0;
}

void board_add_hash_command(const struct board *board, struct strbuf *script)
{
    /* in portions: the tools write their lines when they end, and starting one takes as long as hashing some MB */
    strbuf_adds(script, board->has_xargs ? "exec xargs -0 -n 256 " : "while IFS= read -r f; do ");
    board_add_hash_program(board, script);
    strbuf_adds(script, board->has_xargs ? "\n" : " \"$f\"; done\n");
}

char board_separator(const struct board *board)
{
    return board->has_xargs ? '\0' : '\n';
}
