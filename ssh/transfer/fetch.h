/* Bringing a directory of the board home: all files in one stream, their checksums in a second one beside it. */
#ifndef MSPROF_SSH_TRANSFER_FETCH_H
#define MSPROF_SSH_TRANSFER_FETCH_H

#include "base/progress.h"
#include "ssh/board.h"

struct fetch_result {
    size_t files;            /* that are at home, complete and, but for those counted next, verified */
    size_t unverified;       /* of these: the end came before the board had told their checksums */
    size_t here;             /* of these: left by an earlier fetch, and verified now */
    uint64_t bytes;          /* of files */
    size_t reconnections;    /* how often the connection was made anew */
    size_t refused, skipped; /* entries that were not taken: bad names; no regular files */
    char first_refused[256];
    char first_skipped[256];
    int64_t left; /* entries of the directory that are on the board still, when it was to be removed */
    bool hashed;  /* verified by checksums, else by their sizes alone */
};

/* How a directory is fetched. */
struct fetch_request {
    const char *remote, *local; /* remote: absolute */
    bool resumes;               /* local may be there already, from a fetch that did not come to its end */
    bool removes;               /* at the end, from the board, what is at home */
    const struct progress *progress;
};

/* Copies the regular files below remote into local, a directory that must not exist yet (unless resumes) and is made
 * (0750; files 0640). A file appears under its name when it is complete and its checksum agrees with the board's. A
 * connection that breaks is made anew a few times, and the transfer goes on where it was. When it fails, the files that
 * are complete stay and nothing else does. What an earlier fetch left is checked and not fetched again; a file here
 * that is not the board's is never overwritten (-ERR_FAILED). Removes only after all has come, nothing was refused,
 * and only what it fetched. ret is filled in any case. */
int ssh_fetch(struct board *board, const struct fetch_request *request, struct fetch_result *ret, struct err *err);

#endif
