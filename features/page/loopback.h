/* SPDX-License-Identifier: Apache-2.0 */
/* A web server for one reader on this machine: HTTP/1.1 on 127.0.0.1, paths below a token that nobody can guess, GET
 * only, few connections, each with little time. It ends when the last item was fetched, or when it is interrupted.
 *
 *     char token[LOOPBACK_TOKEN_SIZE];
 *     int port = 0, status = loopback_token(token, err);
 *     int fd = status < 0 ? status : loopback_open(&port, err);
 *     if (fd >= 0)
 *         status = loopback_serve(fd, port, token, items, count, err);
 */
#ifndef MSPROF_FEATURES_PAGE_LOOPBACK_H
#define MSPROF_FEATURES_PAGE_LOOPBACK_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define LOOPBACK_TOKEN_SIZE 33 /* 128 bits in hexadecimal digits */

struct loopback_item {
    const char *name;   /* behind "/<token>/"; "" is allowed */
    const char *type;   /* its Content-Type; of files below a directory: by the ends of their names */
    const char *policy; /* its Content-Security-Policy; NULL: what it says itself */
    const char *path;   /* a file; NULL: text */
    const char *text;
    bool last;     /* when it was sent whole the work is done */
    bool is_below; /* name ends with '/': the regular files below `directory`, "index.html" behind a '/' */
    int directory; /* a descriptor (O_PATH) of the caller; neither links nor ".." lead out of it */
};

/* A random token; 0 or -code. */
int loopback_token(char ret[LOOPBACK_TOKEN_SIZE], struct err *err);
/* Opens the socket; *port: 0 for any, is set to the one that it is. A descriptor, or -code. */
int loopback_open(int *port, struct err *err);
/* Serves until the last item was sent: 0; -ERR_INTERRUPTED. Closes fd. */
int loopback_serve(int fd, int port, const char *token, const struct loopback_item *items, size_t count,
                   struct err *err);
/* Opens a regular file below a directory for reading: names divided by '/', of letters, digits and "-._", none of which
 * begins with '.' or is a link. A descriptor; -1: there is none. */
int loopback_open_below(int directory, const char *path);

#endif
