/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of a file that stands in part on one side: how much of it is the other side's, by checksums of ranges.
 */
#ifndef MSPROF_SSH_TRANSFER_BEGINNING_H
#define MSPROF_SSH_TRANSFER_BEGINNING_H

#include "base/file/checksum.h"
#include "ssh/board.h"

#include <stdint.h>

/* Whether the board has what it takes to compare beginnings. */
bool board_compares_beginnings(const struct board *board);

/* A file on both sides. */
struct beginning {
    const char *directory, *path; /* of the board's: absolute, and relative to that */
    int fd;                       /* of the one here, read from its start */
    uint64_t bytes;               /* that both have */
    uint64_t known;               /* of these: are equal, and need not be compared again */
};

/* *ret gets the number of bytes up to the first range that differs; but for those known they are added to sum, which
 * may be NULL. One command, which ends at that range. */
int board_compare_beginning(struct board *board, const struct beginning *beginning, struct checksum *sum, uint64_t *ret,
                            struct err *err);

#endif
