/* One file on its way home: written under a temporary name, renamed when it is complete and verified. */
#ifndef MSPROF_SSH_TRANSFER_FETCH_FILE_H
#define MSPROF_SSH_TRANSFER_FETCH_FILE_H

#include "base/err.h"
#include "base/file/checksum.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fetched {
    const char *path; /* relative, checked; not owned */
    uint64_t size, received;
    char *target, *temporary; /* NULL until the first byte; temporary NULL again when done */
    int fd;
    bool is_here;     /* complete since an earlier fetch, under its name */
    bool replaces;    /* a shorter one of this name is here: the beginning of this one, if all is well */
    bool is_complete; /* all bytes are here, the file is closed */
    bool is_done;     /* and it has its name */
    bool is_wrong;    /* the checksums differ */
    char checksum[CHECKSUM_TEXT_SIZE]; /* of what came; "" before the end */
    char expected[CHECKSUM_TEXT_SIZE]; /* what the board says; "" before it does */
};

void fetched_init(struct fetched *file, const char *path, uint64_t size);

/* Looks for what an earlier fetch left below the directory local. One of the same size is complete and not fetched
 * again, which its checksum decides; a longer one, or anything that is no regular file, is -ERR_FAILED. */
int fetched_find(struct fetched *file, const char *local, bool awaits_checksum, struct err *err);

/* Makes the directories and the temporary file below the directory local, unless that has been done. */
int fetched_open(struct fetched *file, const char *local, struct err *err);
int fetched_write(struct fetched *file, const char *bytes, size_t length, struct checksum *sum, struct err *err);

/* Closes it after its last byte and takes the checksum; gives it its name when it need not wait for the board's. */
int fetched_complete(struct fetched *file, struct checksum *sum, bool awaits_checksum, struct err *err);
/* The board's checksum, before or after the bytes; gives the file its name when all agrees. -ERR_FAILED when one that
 * is here since an earlier fetch does not: it is not overwritten. */
int fetched_expect(struct fetched *file, const char *checksum, struct err *err);

/* Gives a complete file its name without waiting for the board's checksum. */
int fetched_keep(struct fetched *file, struct err *err);

/* Removes what is not done and starts anew; frees what it holds. */
void fetched_drop(struct fetched *file);

#endif
