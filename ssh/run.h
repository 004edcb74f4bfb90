/* SPDX-License-Identifier: Apache-2.0 */
/* The program that runs on the board, what it needs there, and the project mounted there. */
#ifndef MSPROF_SSH_RUN_H
#define MSPROF_SSH_RUN_H

#include "ssh/board.h"

#include <stdint.h>

/* The lock on the board: one run of a user at a time, wherever its project lies. */

/* Held by a shell on the board that lives as long as the connection, and by the program that it was taken for: one that
 * outlives the connection keeps it. Both are known by their numbers and the times of their start. */
struct board_lock {
    struct ssh_command *holder; /* NULL: not held */
    bool waits;                 /* its input, whose end gives it back */
    struct strbuf answer;
    char token[SSH_MARK_SIZE]; /* by which a later connection of this run knows its own lock again */
    char *path;                /* where it lies; NULL: not held */
    char *unmounted;           /* a directory on which a run that was killed had left something mounted; or NULL */
    int64_t stopped;           /* process of a run that is gone, stopped for this one; 0: none */
};

struct board_lock_request {
    const char *directory; /* of the board: where the lock lies when no temporary file can be made */
    bool makes_directory;
    bool takes_over; /* stops the program of a run whose msprof is gone */
};

/* Before the first board_lock_take. */
int board_lock_init(struct board_lock *lock, struct err *err);
/* The lock lies in the board's directory for temporary files or, when that cannot be written, in the given one; another
 * run's is seen in both. -ERR_REMOTE when another run holds it, or it cannot be made: *ret_busy is set in the first
 * case. One whose holder and program are gone, or which this lock's token owns, is taken over. */
int board_lock_take(struct board_lock *lock, struct board *board, const struct board_lock_request *request,
                    bool *ret_busy, struct err *err);
/* False also when the connection was made anew meanwhile: take it again. */
bool board_lock_is_held(const struct board_lock *lock);
/* Gives it back and waits until that is done; harmless when not held. */
void board_lock_release(struct board_lock *lock);
/* Frees what it holds; the board gives an open lock back by itself when the connection ends and the program too. */
void board_lock_forget(struct board_lock *lock);

enum run_end {
    RUN_ENDED,       /* by itself; exit has the status */
    RUN_INTERRUPTED, /* stopped because of an interrupt */
    RUN_TIMED_OUT,   /* stopped because its time was over */
    RUN_UNKNOWN,     /* the shell that waited for it is gone; what was left of it has been stopped */
    RUN_LOST,        /* the connection broke; what is left of it has been stopped over a new one */
};

struct run_request {
    const struct board_lock *lock;   /* held: the program's from now on, until it ends */
    const char *directory;           /* where it runs, absolute */
    const char *program;             /* its name there */
    char *const *arguments;          /* ended by NULL; NULL: none */
    int timeout;                     /* seconds; 0: none */
    const struct progress *progress; /* of an outage that is waited for */
    /* Output of the program, as it comes; may be called with any piece of a line. */
    void (*output)(void *arg, bool is_error, const char *bytes, size_t length);
    void *arg;
};

struct run_result {
    enum run_end end;
    struct transport_exit exit;
    bool killed;          /* it did not stop when it was asked to */
    bool gone;            /* of RUN_LOST and RUN_UNKNOWN: it had ended before it could be asked to */
    size_t left;          /* processes that it started and that go on */
    char left_names[128]; /* the first of them: "name (number), ..." */
};

/* Runs the program to its end, which is its own: processes that it started may go on, and may hold its output. The
 * first interrupt stops the program: SIGINT, after five seconds SIGTERM, then SIGKILL; the connection is in its tidying
 * state then. Returns -code only when the program could not be started, or the connection broke and could not be made
 * anew. */
int board_run_program(struct board *board, const struct run_request *request, struct run_result *ret, struct err *err);

/* Libraries that the program needs and the board does not have, according to ldd, separated by blanks, appended. */
int board_missing_libraries(struct board *board, const char *directory, const char *program, struct strbuf *ret,
                            struct err *err);

/* Mounts source ("address:/path") at directory, which is made when it is missing, by NFS, and unmounts it. The lock
 * knows of the mount: when this run is killed, the next one unmounts. */
int board_mount(struct board *board, const struct board_lock *lock, const char *source, const char *directory,
                struct err *err);
int board_unmount(struct board *board, const struct board_lock *lock, const char *directory, struct err *err);

#endif
