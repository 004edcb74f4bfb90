/* Bringing a directory of the board home: all files in one stream, their checksums in a second one beside it. */
#ifndef MSPROF_SSH_FETCH_H
#define MSPROF_SSH_FETCH_H

#include "base/progress.h"
#include "ssh/board.h"

struct fetch_result {
    size_t files;            /* that are at home, complete and, but for those counted next, verified */
    size_t unverified;       /* of these: the end came before the board had told their checksums */
    uint64_t bytes;          /* of files */
    size_t reconnections;    /* how often the connection was made anew */
    size_t refused, skipped; /* entries that were not taken: bad names; no regular files */
    char first_refused[256];
    char first_skipped[256];
    bool hashed; /* verified by checksums, else by their sizes alone */
};

/* Copies the regular files below remote (absolute) into local, a directory that must not exist yet and is made (0750;
 * files 0640). A file appears under its name when it is complete and its checksum agrees with the board's. A connection
 * that breaks is made anew a few times, and the transfer goes on where it was. When it fails, the files that are
 * complete stay and nothing else does. ret is filled in any case. */
int ssh_fetch(struct board *board, const char *remote, const char *local, const struct progress *progress,
              struct fetch_result *ret, struct err *err);

#endif
