/* SPDX-License-Identifier: Apache-2.0 */
/* A web server for one reader on this machine: HTTP/1.1 on 127.0.0.1, paths below a token that nobody can guess, GET
 * only, few connections, each with little time. It ends when the last item was fetched. */
#ifndef MSPROF_CLI_VIEW_LOOPBACK_H
#define MSPROF_CLI_VIEW_LOOPBACK_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define LOOPBACK_TOKEN_SIZE 33 /* 128 bits in hexadecimal digits */

struct loopback_item {
    const char *name;   /* behind "/<token>/"; "" is allowed */
    const char *type;   /* its Content-Type */
    const char *policy; /* its Content-Security-Policy; NULL: what it says itself */
    const char *path;   /* a file; NULL: text */
    const char *text;
    bool last; /* when it was sent whole the work is done */
};

/* A random token; 0 or -code. */
int loopback_token(char ret[LOOPBACK_TOKEN_SIZE], struct err *err);
/* Opens the socket; *port: 0 for any, is set to the one that it is. A descriptor, or -code. */
int loopback_open(int *port, struct err *err);
/* Serves until the last item was sent: 0; -ERR_INTERRUPTED. Closes fd. */
int loopback_serve(int fd, int port, const char *token, const struct loopback_item *items, size_t count,
                   struct err *err);

#endif
