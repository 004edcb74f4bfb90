/* SPDX-License-Identifier: Apache-2.0 */
/* Request of a fetch, and its result. */
#ifndef MSPROF_SSH_TRANSFER_FETCH_REQUEST_H
#define MSPROF_SSH_TRANSFER_FETCH_REQUEST_H

#include "base/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fetch_result {
    bool is_missing;         /* the board has no such directory */
    size_t files;            /* that are at home, complete and, but for those counted next, verified */
    size_t unverified;       /* of these: the end came before the board had told their checksums */
    size_t here;             /* of these: left by an earlier fetch, and verified now */
    uint64_t bytes;          /* of files */
    uint64_t gone_on_from;   /* bytes that had come of a file in an earlier fetch, and are the board's */
    uint64_t dropped;        /* bytes of it that had come and are not the board's, or could not be compared */
    size_t reconnections;    /* how often the connection was made anew */
    size_t refused, skipped; /* entries that were not taken: bad names; no regular files */
    size_t lost;             /* of those skipped: what they stand for has not come in another way */
    char first_refused[256];
    char first_skipped[256], first_lost[256];
    size_t changed; /* files that are not as they were when they were fetched; they stay on the board */
    char first_changed[256];
    size_t unknown; /* files here of an earlier fetch that nothing could verify: the board's stay */
    char first_unknown[256];
    int64_t open_process;    /* of the board, that has a file of it open: nothing is removed then; 0: none */
    int64_t left;            /* entries of the directory that are on the board still, when it was to be removed */
    const char *verified_by; /* "SHA-256" */
};

/* How a directory is fetched. */
struct fetch_request {
    const char *remote, *local; /* remote: absolute */
    bool resumes;               /* local may be there already, from a fetch that did not come to its end */
    bool removes;               /* at the end, from the board, what is at home */
    /* Whether a name is that of data: a link of such a name stands for what has not come. */
    bool (*is_data)(const char *path);
    const struct progress *progress;
};

#endif
