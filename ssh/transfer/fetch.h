/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing a directory of the board home: all files in one stream, their checksums in a second one beside it. */
#ifndef MSPROF_SSH_TRANSFER_FETCH_H
#define MSPROF_SSH_TRANSFER_FETCH_H

#include "base/err.h"
#include "base/file/checksum.h"
#include "ssh/board.h"
#include "ssh/transfer/listing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fetch_result {
    bool is_missing;              /* the board has no such directory */
    bool is_other;                /* it holds files, and none that shows what was to be fetched: it stays as it is */
    size_t files;                 /* that are at home, complete and, but for those counted next, verified */
    size_t unverified;            /* of these: the end came before the board had sent their checksums */
    size_t here;                  /* of these: left by an earlier fetch, and verified now */
    uint64_t bytes;               /* of files */
    uint64_t gone_on_from;        /* bytes that had come of a file in an earlier fetch, and are the board's */
    uint64_t dropped;             /* bytes of it that had come and are not the board's, or could not be compared */
    size_t reconnections;         /* how often the connection was made anew */
    struct told refused, skipped; /* entries that were not taken: bad names; no regular files */
    struct told lost;             /* of those skipped: what they stand for has not come in another way */
    struct told changed;          /* files that are not as they were when they were fetched; they stay on the board */
    struct told unknown;          /* files here of an earlier fetch that nothing could verify: the board's stay */
    int64_t open_process;         /* of the board, that has a file of it open: nothing is removed then; 0: none */
    int64_t left;                 /* entries of the directory that are on the board still, when it was to be removed */
    const char *verified_by;      /* "SHA-256" */
};

/* How a directory is fetched. */
struct fetch_request {
    const char *remote, *local; /* remote: absolute */
    bool resumes;               /* local may be there already, from a fetch that did not come to its end */
    bool removes;               /* at the end, from the board, what is at home */
    /* Whether a name is that of data: a link of such a name stands for what has not come. */
    bool (*is_data)(const char *path);
    /* Whether an entry of this path shows that the directory is what is to be fetched; NULL: any directory is. */
    bool (*shows)(const char *path);
    const struct progress *progress;
};

/* Copies the regular files below remote into local, a directory that must not exist yet (unless resumes) and is made
 * (0750; files 0640). A file appears under its name when it is complete and its checksum agrees with the board's. A
 * connection that breaks is made anew a few times, and the transfer goes on where it was. When it fails, the files
 * that are complete stay and nothing else does. Files of an earlier fetch are checked and not fetched again; a file
 * here that is not the board's is never overwritten (-ERR_FAILED). Removes only after all has come and is on the
 * disk here, nothing was refused, and only files that are on the board as they were when they were fetched. ret is
 * filled in any case. */
int ssh_fetch(struct board *board, const struct fetch_request *request, struct fetch_result *ret, struct err *err);

/* One file on its way home: written under a temporary name, renamed when it is complete and verified. */

struct fetched {
    const char *path;  /* relative, checked; not owned */
    const char *state; /* of the board's file before the fetch, as struct listed_file has it; not owned */
    enum checksum_kind kind;
    uint64_t size, received;
    char *target, *temporary; /* NULL until the first byte; temporary NULL again when done */
    int fd;
    bool is_here;     /* complete since an earlier fetch, under its name */
    bool replaces;    /* a shorter one of this name is here: the beginning of this one, if all is well */
    bool is_complete; /* all bytes are here, the file is closed */
    bool is_done;     /* and it has its name */
    bool is_wrong;    /* the checksums differ */
    bool is_verified; /* by more than its size */
    char checksum[CHECKSUM_TEXT_SIZE]; /* of what came; "" before the end */
    char expected[CHECKSUM_TEXT_SIZE]; /* what the board says; "" before it does */
};

/* Looks for what an earlier fetch left below the directory local. One of the same size is complete and not fetched
 * again, which its checksum decides; a longer one, or anything that is no regular file, is -ERR_FAILED. */
int fetched_find(struct fetched *file, const char *local, bool awaits_checksum, struct err *err);

/* Makes the directories and the temporary file below the directory local, unless that has been done. */
int fetched_open(struct fetched *file, const char *local, struct err *err);
int fetched_write(struct fetched *file, const char *bytes, size_t length, struct checksum *sum, struct err *err);

/* Looks for the beginning of a file that an earlier fetch left, as fetched_leave or a killed one did, and opens it. */
int fetched_find_partial(struct fetched *file, const char *local, struct err *err);
/* Cuts off what is not the beginning: the file goes on behind size bytes. */
int fetched_shorten(struct fetched *file, uint64_t size, struct err *err);
/* Leaves the beginning of a file beside the capture, for a later fetch, and frees what it holds. */
void fetched_leave(struct fetched *file, const char *local);
/* Removes the place for such beginnings. */
void fetched_forget_partials(const char *local);

/* Closes it after its last byte and takes the checksum; gives it its name when it need not wait for the board's. */
int fetched_complete(struct fetched *file, struct checksum *sum, bool awaits_checksum, struct err *err);
/* The board's checksum, before or after the bytes; gives the file its name when all agrees. -ERR_FAILED when one that
 * is here since an earlier fetch does not: it is not overwritten. */
int fetched_expect(struct fetched *file, const char *checksum, struct err *err);

/* Gives a complete file its name without waiting for the board's checksum. */
int fetched_keep(struct fetched *file, struct err *err);

/* Removes what is not done and starts anew; frees what it holds. */
void fetched_drop(struct fetched *file);

/* The end of a fetch: what came is put on the disk, and what is known to be unchanged is removed from the board. */

/* The files of a fetch whose bytes have all come. */
struct fetched_files {
    struct board *board;
    const struct fetch_request *request;
    struct fetched *items;
    size_t count;
};

/* On a board without checksums: compares files with those of the board through the connection. */
int fetch_compare(const struct fetched_files *files, struct err *err);

/* Counts in ret the skipped entries of a listing that stand for bytes which have not come. */
int fetch_find_lost(const struct fetched_files *files, const struct listing *listing, struct fetch_result *ret,
                    struct err *err);

/* Looks whether files have changed on the board since they were fetched, by what it lists now. -ERR_REMOTE when one has
 * grown or shrunk: bytes of it are missing here. */
int fetch_look_again(const struct fetched_files *files, const struct listing *now, struct fetch_result *ret,
                     struct err *err);

/* Puts the files on the disk here, looks at the board's again, and removes them there when all are as they came. */
int fetch_remove(const struct fetched_files *files, struct fetch_result *ret, struct err *err);

/* Captures on the board: directories that its profiler made. */

/* All zero: empty. */
struct remote_captures {
    struct words names;  /* as the board gives them, each one safe component of a path; the newest first */
    struct told refused; /* names that cannot be taken: they hold control characters, or are too long */
};

/* The directories JOB* in a directory of the board; none when it is missing, which ret_there (or NULL) shows. */
int board_captures(struct board *board, const char *directory, bool *ret_there, struct remote_captures *ret,
                   struct err *err);
bool remote_captures_has(const struct remote_captures *captures, const char *name);
void remote_captures_release(struct remote_captures *captures);

#endif
