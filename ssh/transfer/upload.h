/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing the project to the board: what changed, in one stream. */
#ifndef MSPROF_SSH_TRANSFER_UPLOAD_H
#define MSPROF_SSH_TRANSFER_UPLOAD_H

#include "base/progress.h"
#include "ssh/board.h"
#include "ssh/project.h"
#include "ssh/transfer/placement.h"

struct upload_result {
    size_t sent, unchanged; /* files */
    uint64_t bytes;         /* of those sent */
    size_t arrived;         /* of these: files that an upload which was cut had brought before */
    uint64_t gone_on_from;  /* bytes of others that it had brought */
    uint64_t dropped;       /* bytes that it had brought and that were sent anew */
    size_t reconnections;
    const char *verified_by; /* "SHA-256" */
};

/* Marks the files of the project that the directory has already, by size and checksum, and asks for the checksums of
 * others of their names that msprof may have brought. A directory that is missing has none. */
int upload_compare(struct board *board, struct project *project, const struct placement *placement, struct err *err);

/* Sends the files that are not present into the staging directory, verifies them there and then puts them into place. A
 * connection that breaks is made anew as far as patience goes; what has arrived, also in an earlier run, is not sent
 * again when its checksums are right. */
int upload_send(struct board *board, struct project *project, struct placement *placement,
                const struct progress *progress, struct upload_result *ret, struct err *err);

#endif
