/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on the board: any number of them at the same time over one connection, without threads. */
#ifndef MSPROF_SSH_COMMAND_H
#define MSPROF_SSH_COMMAND_H

#include "base/err.h"
#include "base/strbuf.h"
#include "ssh/session/connection.h"
#include "ssh/transport.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SSH_MARK_SIZE 33

/* How much of a board's time and words a command may take: time is counted while nothing else is done but waiting for
 * it. 0: no limit. */
struct ssh_limits {
    int64_t silence_ns; /* without a byte in either direction */
    int64_t total_ns;
    uint64_t errors; /* bytes on standard error */
};

/* For a command that answers a question by itself, or works on so many bytes of the board's disk. */
struct ssh_limits ssh_limits_for(const struct ssh_connection *connection, uint64_t bytes);

/* Where the input of a command comes from and its output goes. Each function returns 0 or -code with err set, which
 * ends the work; a NULL function gives no input, or drops the output. */
struct ssh_io {
    /* The next piece of input; length 0 ends it. The bytes stay valid until the next call. */
    int (*input)(void *arg, const char **bytes, size_t *length, struct err *err);
    int (*output)(void *arg, const char *bytes, size_t length, struct err *err);
    int (*errors)(void *arg, const char *bytes, size_t length, struct err *err);
    struct strbuf *said; /* instead of errors: gets as much of what comes there as it takes; NULL: nothing */
    /* While it is true no input is asked for, and the input stays open; NULL: never. Without an input function the
     * input is at its end behind that. */
    const bool *waits;
    void *arg;
    struct ssh_limits limits; /* all zero: none, as for a program that the user wants to run */
};

/* Gives what stands in a buffer as a piece of input. */
static inline int ssh_give(const struct strbuf *buf, const char **bytes, size_t *length, struct err *err)
{
    *bytes = buf->data;
    *length = buf->length;
    return buf->failed ? err_no_memory(err) : 0;
}

struct ssh_command; /* opaque */

/* Starts "sh -c script" on the board. script may hold anything but NUL bytes. io is copied. Another command is served
 * meanwhile: its input would wait; NULL: none is. Output may come before the return, when *ret is there already; it is
 * NULL after a failure. The caller ssh_command_close()s it. */
int ssh_command_start(struct ssh_command **ret, struct ssh_connection *connection, const char *script,
                      const struct ssh_io *io, struct ssh_command *other, struct err *err);

/* Serves all of the given commands until every one has ended; NULL entries are skipped. -ERR_REMOTE also when one
 * exceeds its limits. */
int ssh_commands_serve(struct ssh_command *const *commands, size_t count, struct err *err);

/* Serves one until it has ended, or the caller wants to do something else first. */
int ssh_command_serve_while(struct ssh_command *command, bool (*goes_on)(const void *arg), const void *arg,
                            struct err *err);

/* Serves one round without waiting; *ret_busy is whether something moved. */
int ssh_command_poll(struct ssh_command *command, bool *ret_busy, struct err *err);

/* From now on; for a command that was started before it was known what it has to do. */
void ssh_command_limit(struct ssh_command *command, const struct ssh_limits *limits);

/* False when its connection has gone or has been made anew meanwhile. */
bool ssh_command_is_connected(const struct ssh_command *command);
bool ssh_command_has_ended(const struct ssh_command *command);
/* After the end. */
const struct transport_exit *ssh_command_exit(const struct ssh_command *command);

/* Frees it; one that has not ended loses its input and output. NULL is fine. */
void ssh_command_close(struct ssh_command *command);

/* Start, serve, close. Without limits of its own a command gets those of a question. */
int ssh_run(struct ssh_connection *connection, const char *script, const struct ssh_io *io, struct transport_exit *ret,
            struct err *err);

/* Fills ret with hex digits that nobody can guess. */
int ssh_choose_mark(char ret[SSH_MARK_SIZE], struct err *err);

/* Appends text to a script, with each WORD in it replaced by the next argument (const char *), as one word for sh. */
#define WORD "\1"
void ssh_script_add(struct strbuf *script, const char *text, ...);

#endif
