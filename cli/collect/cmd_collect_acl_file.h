/* SPDX-License-Identifier: Apache-2.0 */
/* This machine's acl.json, patched as long as a board has the project mounted. Its old content lies beside it, under a
 * name that tells what it was patched to: a run that was killed leaves it for the next one. */
#ifndef MSPROF_CLI_COLLECT_CMD_COLLECT_ACL_FILE_H
#define MSPROF_CLI_COLLECT_CMD_COLLECT_ACL_FILE_H

#include "base/err.h"
#include "base/file/checksum.h"

#include <stdbool.h>
#include <stddef.h>

/* All zero: untouched. */
struct acl_file {
    char *target;                      /* the file itself, behind links; NULL: untouched */
    char *backup;                      /* what it was; empty when there was none (had_none) */
    char checksum[CHECKSUM_TEXT_SIZE]; /* of what it was patched to */
    int fd;                            /* of the backup, locked as long as somebody needs it */
    bool had_none;
};

enum acl_file_end {
    ACL_FILE_RESTORED, /* or nothing was to be done */
    ACL_FILE_IN_USE,   /* another run still needs it patched */
    ACL_FILE_EDITED,   /* somebody has changed it meanwhile: it stays, and what it was is in "<file>.before-msprof" */
};

/* Gives the file at path a text, with its mode and owner, through links. -ERR_FAILED when another run has patched it to
 * something else. */
int acl_file_replace(struct acl_file *file, const char *path, const char *text, size_t length, struct err *err);
/* Ends that, and frees what file holds. */
int acl_file_restore(struct acl_file *file, enum acl_file_end *ret, struct err *err);
/* Restores likewise from the files that a run that was killed left beside the file at path. *ret_found: there was
 * something. */
int acl_file_recover(const char *path, bool *ret_found, enum acl_file_end *ret, struct err *err);

/* Files that no project takes to a board. */
#define ACL_FILE_BACKUPS ".*.msprof-was-*"

#endif
