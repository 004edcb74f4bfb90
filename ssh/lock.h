/* SPDX-License-Identifier: Apache-2.0 */
/* The lock on the board: one run of a user at a time, wherever its project lies. */
#ifndef MSPROF_SSH_LOCK_H
#define MSPROF_SSH_LOCK_H

#include "ssh/board.h"

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
 * run's is seen in both. -ERR_REMOTE when another run holds it, or it cannot be made: then *ret_busy tells the former.
 * One whose holder and program are gone, or which this lock's token owns, is taken over. */
int board_lock_take(struct board_lock *lock, struct board *board, const struct board_lock_request *request,
                    bool *ret_busy, struct err *err);
/* False also when the connection was made anew meanwhile: take it again. */
bool board_lock_is_held(const struct board_lock *lock);
/* Gives it back and waits until that is done; harmless when not held. */
void board_lock_release(struct board_lock *lock);
/* Frees what it holds; the board gives an open lock back by itself when the connection ends and the program too. */
void board_lock_forget(struct board_lock *lock);

/* Shell functions of scripts that work with a lock: "start_of PID", "lives PID START". */
extern const char board_process_functions[];

#endif
