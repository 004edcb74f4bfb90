/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing a directory of the board home: all files in one stream, their checksums in a second one beside it. */
#ifndef MSPROF_SSH_TRANSFER_FETCH_H
#define MSPROF_SSH_TRANSFER_FETCH_H

#include "ssh/board.h"
#include "ssh/transfer/fetch_file.h"

/* Copies the regular files below remote into local, a directory that must not exist yet (unless resumes) and is made
 * (0750; files 0640). A file appears under its name when it is complete and its checksum agrees with the board's. A
 * connection that breaks is made anew a few times, and the transfer goes on where it was. When it fails, the files
 * that are complete stay and nothing else does. Files of an earlier fetch are checked and not fetched again; a file
 * here that is not the board's is never overwritten (-ERR_FAILED). Removes only after all has come and is on the
 * disk here, nothing was refused, and only files that are on the board as they were when they were fetched. ret is
 * filled in any case. */
int ssh_fetch(struct board *board, const struct fetch_request *request, struct fetch_result *ret, struct err *err);

#endif
