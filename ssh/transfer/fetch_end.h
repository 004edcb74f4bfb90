/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a fetch: what came is put on the disk, and what is known to be unchanged is removed from the board. */
#ifndef MSPROF_SSH_TRANSFER_FETCH_END_H
#define MSPROF_SSH_TRANSFER_FETCH_END_H

#include "ssh/board.h"
#include "ssh/transfer/fetch_file.h"

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

#endif
