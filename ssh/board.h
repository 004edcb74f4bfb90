/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of a board, and small questions to it. */
#ifndef MSPROF_SSH_BOARD_H
#define MSPROF_SSH_BOARD_H

#include "base/file/checksum.h"
#include "ssh/command.h"
#include "ssh/transfer/listing.h"

#define BOARD_MISSING "no directory\n"
#define BOARD_ANSWER_LIMIT ((size_t)64 * 1024) /* bytes of a brief answer */

/* How a board computes checksums, the best that it has. */
enum board_hash { BOARD_HASH_NONE, BOARD_HASH_CKSUM, BOARD_HASH_MD5SUM, BOARD_HASH_SHA256SUM, BOARD_HASH_OPENSSL };

struct board {
    struct ssh_connection *connection; /* not owned */
    char *home;                        /* absolute, as the board says it; NULL before board_probe */
    char machine[32];                  /* uname -m */
    enum board_hash hash;
    struct strbuf script, answer; /* of the next command, and of the last */
    bool has_tar, has_xargs, has_stat, has_ldd, has_find, has_ls, has_wc, has_cat, has_dd, has_tail, has_head, has_cmp;
};

/* Asks for the home directory, the machine and the tools. board_release it also after a failure. */
int board_probe(struct board *board, struct ssh_connection *connection, struct err *err);
void board_release(struct board *board);

/* Begins the script of the next command, to be added to before anything else is asked. */
struct strbuf *board_script(struct board *board);
/* Begins one that goes into a directory first: "cd <directory> || exit 1". */
struct strbuf *board_script_in(struct board *board, const char *directory);

/* Runs the script, which must succeed; what it says on standard error is part of the error, which begins with what
 * ("cannot make ..."). Its output, at most so many bytes, is board->answer until the next command. */
int board_ask(struct board *board, size_t most, const char *what, struct err *err);
/* Runs one likewise that is brief. */
int board_do(struct board *board, const char *what, struct err *err);
/* Runs it likewise where it may take so many seconds, whatever the ini file says. */
int board_do_within(struct board *board, int seconds, const char *what, struct err *err);
/* Runs it likewise with an input and an output of its own; io's errors are taken care of. */
int board_run(struct board *board, const char *what, const struct ssh_io *io, struct err *err);
/* Cuts output, as it comes, into lines for take; line keeps what has not ended, and its maximum is that of one: a
 * longer one is -ERR_REMOTE with this text. */
int board_take_lines(struct strbuf *line, const char *bytes, size_t length,
                     int (*take)(void *arg, const char *line, size_t length, struct err *err), void *arg,
                     const char *too_long, struct err *err);
/* The next line of an answer, which is cut up; NULL: there is none. */
char *board_next_line(char **answer);
/* Judges the end of a command; errors is what it said, and is cut. */
int board_judge(const char *what, const struct transport_exit *end, struct strbuf *errors, struct err *err);

/* The kind of checksum that the board's hash gives; SHA-256 also when it has none. */
enum checksum_kind board_checksum_kind(const struct board *board);
/* How files are verified, for messages: "SHA-256", "size (the board has no sha256sum, ...)". */
const char *board_verifies_by(const struct board *board);

/* Lists everything below a directory of the board. A missing directory is an error if ret_there is NULL; otherwise
 * *ret_there is whether it exists. */
int board_list(struct board *board, const char *directory, bool *ret_there, struct listing *ret, struct err *err);
/* Begins a script that goes into the directory and has a function "list", whose output is for listing_parse; when the
 * directory is missing it prints BOARD_MISSING and ends. */
int board_add_list(struct board *board, const char *directory, struct err *err);
int board_tell_missing(const char *directory, struct err *err);

/* Kilobytes free for this user at the nearest existing directory of a path, and whether it may be written. */
int board_space(struct board *board, const char *path, int64_t *ret_kilobytes, bool *ret_writable, struct err *err);

/* Appends the name of the program, with its options, that hashes files: "sha256sum". */
void board_add_hash_program(const struct board *board, struct strbuf *script);
/* Appends the command that sends the content of files named on its standard input; -ERR_REMOTE when the board has no
 * program for that. */
int board_add_send_command(const struct board *board, struct strbuf *script, struct err *err);
/* Appends the command that hashes files named on its standard input, NULs (with xargs) or newlines between them. */
void board_add_hash_command(const struct board *board, struct strbuf *script);
/* Separator of names on the standard input of such commands. */
char board_separator(const struct board *board);

#endif
