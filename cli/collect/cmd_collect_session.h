/* SPDX-License-Identifier: Apache-2.0 */
/* One board under way: state shared by its steps, and their messages. */
#ifndef MSPROF_CLI_COLLECT_CMD_COLLECT_SESSION_H
#define MSPROF_CLI_COLLECT_CMD_COLLECT_SESSION_H

#include "base/strbuf.h"
#include "cli/capture/result_record.h"
#include "cli/collect/cmd_collect_plan.h"
#include "cli/console.h"
#include "ssh/run.h"
#include "ssh/transfer/fetch.h"
#include "ssh/transfer/placement.h"

#include <stdbool.h>
#include <stddef.h>

/* Output of a program on a board, line by line and masked, on the console and in the log. */

struct board_output {
    const char *prefix; /* the board's name when there are several, else NULL */
    struct collection_log *log;
    struct strbuf lines[2]; /* not ended yet: standard output, standard error */
};

void board_output_init(struct board_output *output, const char *prefix, struct collection_log *log);
/* As struct run_request wants it; arg is a struct board_output. */
void board_output_take(void *arg, bool is_error, const char *bytes, size_t length);
/* Prints what is not ended by a newline, and frees. */
void board_output_finish(struct board_output *output);

struct session {
    struct collect_plan *plan;
    struct ssh_connection *connection;
    struct board board;
    struct board_lock lock;
    struct collection_log log;
    char *base;                    /* on the board: remote_dir or the home directory */
    char *project;                 /* <base>/profiling */
    char *run_directory;           /* where the program runs */
    struct remote_captures before; /* that were there before the program ran */
    struct acl_file acl;           /* with NFS: this machine's acl.json, patched meanwhile */
    struct placement placement;    /* with an upload: what it put on the board */
    bool uploaded, mounted;
    bool ran;                    /* the program was started: what it captured may be on the board */
    struct words left;           /* captures of the run that have not come home, as far as they are known */
    bool all_home, fetch_failed; /* what was captured has come home; or it should have, and did not */
    struct collect_outcome outcome;
};

/* The name of the board when there are several, else NULL. */
const char *session_prefix(const struct session *session);
const struct progress *session_progress(const struct session *session);

/* Each prints a message and writes it to the log. session_fail also remembers the worst status. */
void session_fail(struct session *session, const struct err *err);
#define session_note(session, ...) session_say(session, SAY_NOTE, __VA_ARGS__)
#define session_warn(session, ...) session_say(session, SAY_WARNING, __VA_ARGS__)
void session_say(struct session *session, enum say_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes the lock, again after the connection was made anew. *ret_busy: another run has it (-ERR_REMOTE). */
int session_lock(struct session *session, bool *ret_busy, struct err *err);

/* Connects, and looks at what the board has. */
int session_connect(struct session *session, struct err *err);

/* Captures on their way home, and what is said of those that stay on the board. */

/* Fetches what the program captured: the newest directory that was not there before; removes it from the board unless
 * it is to be kept. */
int collect_fetch_new(struct session *session, struct err *err);

/* Connects and fetches what --fetch-only names: a capture, or all those in a directory; goes on with what an earlier
 * fetch left. */
int collect_fetch_only(struct session *session, struct err *err);

/* After the program ran: says where captures are that did not come home, and how to fetch them. */
void collect_tell_left(struct session *session);

#endif
