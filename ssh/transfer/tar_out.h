/* SPDX-License-Identifier: Apache-2.0 */
/* A project as a tar stream (POSIX ustar; GNU long names), piece by piece. */
#ifndef MSPROF_SSH_TRANSFER_TAR_OUT_H
#define MSPROF_SSH_TRANSFER_TAR_OUT_H

#include "base/progress.h"
#include "ssh/project.h"

struct tar_out {
    struct project *project;
    const struct progress *progress;
    size_t next;         /* file to begin with */
    size_t last;         /* file to end before */
    bool plain;          /* only the content: no headers, no padding */
    int fd;              /* of the file under way; -1: none */
    uint64_t left;       /* bytes of it still to send */
    const char *content; /* or what is left of a content of its own */
    struct checksum *sum;
    uint64_t done_bytes, total_bytes;
    bool ended;
    char *buffer;
};

/* Streams the files that are neither present nor staged; their checksums are computed on the way. */
int tar_out_init(struct tar_out *tar, struct project *project, const struct progress *progress, struct err *err);
void tar_out_release(struct tar_out *tar);
/* From now on: the content of this file behind what has arrived, and nothing else. */
void tar_out_choose(struct tar_out *tar, size_t index);
/* The next piece, as struct ssh_io's input wants it; tar is the argument. */
int tar_out_next(void *tar, const char **bytes, size_t *length, struct err *err);

#endif
