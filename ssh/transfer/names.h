/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the board that work on many files: their names come on standard input. */
#ifndef MSPROF_SSH_TRANSFER_NAMES_H
#define MSPROF_SSH_TRANSFER_NAMES_H

#include "ssh/board.h"

#include <stdint.h>

/* Names below a directory, one after the other: relative, checked. */
struct name_source {
    const char *(*next)(void *arg); /* NULL: that was the last */
    void *arg;
    uint64_t bytes; /* of the files, when the command reads them: how long it may be silent */
};

/* Runs a script that must succeed and reads "./<name>" and a separator, again and again. Its standard error is part of
 * the error, which begins with what. answer may be NULL: then it must say nothing. */
int board_do_with_names(struct board *board, const char *what, const struct strbuf *script,
                        const struct name_source *names, char separator, struct strbuf *answer, struct err *err);

#endif
