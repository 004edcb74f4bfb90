/* SPDX-License-Identifier: Apache-2.0 */
/* Records in a directory of results, beside the results: whose they are, and which files an export wrote, so that the
 * next one replaces them. Both are small files in log/; without them nothing is removed or refused. */
#ifndef MSPROF_CLI_CAPTURE_RESULT_RECORD_H
#define MSPROF_CLI_CAPTURE_RESULT_RECORD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether results (a directory that need not exist) may take those of this capture: -ERR_USAGE when it holds another
 * capture's. A capture that was moved is recognised by its files. */
int result_owner_check(const char *results, const char *capture, struct err *err);
/* Makes them this capture's. results/log must exist. */
int result_owner_record(const char *results, const char *capture, struct err *err);

/* The files of one export. All zero: none. */
struct result_files {
    char **paths; /* absolute */
    size_t count, capacity;
};

int result_files_add(struct result_files *files, const char *path, struct err *err);
void result_files_release(struct result_files *files);
/* Removes what the record of that name lists and the export did not write again, unless it was changed since (then it
 * is kept), and records the files of this export. complete: false keeps what was there before in the record. */
int result_files_replace(const struct result_files *files, const char *results, const char *record, bool complete,
                         struct err *err);

/* A database that is in use: --clear of another msprof waits until nobody uses it. By a lock (flock) of its directory,
 * because others may replace the file; where the file system has none, nobody waits. */

/* Pins the file at path, whether it is there or not; a descriptor, or -1: there is no such directory, or the file is
 * removed just now. */
int pin_open(const char *path);
/* Waits until nobody else has the file pinned and removes it; waiting is called once when it has to wait. Returns 0,
 * -ERR_INTERRUPTED or another -code with err set. */
int pin_remove(int fd, const char *path, void (*waiting)(const char *path), struct err *err);
/* -1 is fine. */
void pin_close(int fd);

#endif
