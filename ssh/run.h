/* The lock on the board, and the program that runs there. */
#ifndef MSPROF_SSH_RUN_H
#define MSPROF_SSH_RUN_H

#include "ssh/board.h"

#include <stdint.h>

#define BOARD_TOKEN_SIZE 33

/* One profiling run of a user of the board at a time, wherever its project lies: held by a shell on the board that
 * lives as long as the connection. */
struct board_lock {
    struct ssh_command *holder; /* NULL: not held */
    struct strbuf answer;
    char token[BOARD_TOKEN_SIZE]; /* by which a later connection of this run knows its own lock again */
};

/* Makes the directory of the project when it is missing and takes the lock, which lies in the board's directory for
 * temporary files and, when that cannot be written, in the project's. -ERR_REMOTE when another run holds it; one whose
 * holder is gone, or which this lock's token owns, is taken over. */
int board_lock_take(struct board_lock *lock, struct board *board, const char *directory, struct err *err);
/* Before the first board_lock_take. */
int board_lock_init(struct board_lock *lock, struct err *err);
/* False also when the connection was made anew meanwhile: take it again. */
bool board_lock_is_held(const struct board_lock *lock);
/* Gives it back and waits until that is done; harmless when not held. */
void board_lock_release(struct board_lock *lock);
/* Frees what it holds; the board gives an open lock back by itself when the connection ends. */
void board_lock_forget(struct board_lock *lock);

enum run_end {
    RUN_ENDED,       /* by itself; exit tells how */
    RUN_INTERRUPTED, /* stopped because of an interrupt */
    RUN_TIMED_OUT,   /* stopped because its time was over */
    RUN_LOST,        /* the connection broke; what is left of it has been stopped over a new one */
};

struct run_request {
    const char *directory;  /* where it runs, absolute */
    const char *program;    /* its name there */
    char *const *arguments; /* ended by NULL; NULL: none */
    int timeout;            /* seconds; 0: none */
    /* Output of the program, as it comes; may be called with any piece of a line. */
    void (*output)(void *arg, bool is_error, const char *bytes, size_t length);
    void *arg;
};

struct run_result {
    enum run_end end;
    struct ssh_exit exit;
    bool killed; /* it did not stop when it was asked to */
};

/* Runs the program to its end. The first interrupt stops the program: SIGINT, after five seconds SIGTERM, then SIGKILL;
 * the connection is in its tidying state then. Returns -code only when the program could not be started, or the
 * connection broke and could not be made anew. */
int board_run_program(struct board *board, const struct run_request *request, struct run_result *ret, struct err *err);

/* Libraries that the program needs and the board does not have, as ldd tells, blanks between them, appended. */
int board_missing_libraries(struct board *board, const char *directory, const char *program, struct strbuf *ret,
                            struct err *err);

/* Mounts source ("address:/path") at directory, which is made when it is missing, by NFS, and unmounts it. */
int board_mount(struct board *board, const char *source, const char *directory, struct err *err);
int board_unmount(struct board *board, const char *directory, struct err *err);

#endif
