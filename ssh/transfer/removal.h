/* SPDX-License-Identifier: Apache-2.0 */
/* Removing from the board what is known to be as it was: each file is looked at once more before it goes. */
#ifndef MSPROF_SSH_TRANSFER_REMOVAL_H
#define MSPROF_SSH_TRANSFER_REMOVAL_H

#include "base/words.h"
#include "ssh/board.h"

#include <stdint.h>

/* Commands of the board that work on many files: their names come on standard input. */

/* Names below a directory: relative, checked. */
struct name_source {
    const char *(*name)(void *arg, size_t i); /* of those below count; NULL: that one is left out */
    void *arg;
    size_t count;
    uint64_t bytes; /* of the files, when the command reads them: how long it may be silent */
};

/* Runs the board's script, which must succeed and reads "./<name>" and a separator, again and again. Its words on
 * standard error are part of the error, which begins with what; what it prints, at most so many bytes, is the board's
 * answer. */
int board_do_with_names(struct board *board, size_t most, const char *what, const struct name_source *names,
                        char separator, struct err *err);

/* A file as the board has it when nobody has touched it. */
struct known_file {
    const char *path;     /* relative, checked */
    const char *state;    /* its line of a listing; NULL: none, and the checksum decides, or else the size */
    const char *checksum; /* of the board's kind; "" or NULL: none */
    uint64_t size;
    bool is_link;      /* symbolic */
    bool is_directory; /* goes when it is empty, after the files that come before it */
};

struct removal_request {
    const char *directory; /* absolute */
    /* A file of those below count; false: that one is left out. */
    bool (*known)(void *arg, size_t i, struct known_file *ret);
    void *arg;
    size_t count;
    bool by_checksum; /* states are not asked, checksums are */
    bool leaves_open; /* nothing is removed while a process has a file below the directory open */
    bool prunes;      /* directories that are empty then go, and the directory itself */
    const struct progress *progress;
};

struct removal_result {
    struct words changed; /* paths of files that were not as they are known: they stay */
    int64_t left;         /* entries in the directory that are no directories; counted when prunes */
    int64_t open_process; /* the one that has a file open; 0: none */
};

/* One command, whatever the number of files. A file that is gone already is none that changed. The caller
 * removal_release()s ret in any case. */
int board_remove_known(struct board *board, const struct removal_request *request, struct removal_result *ret,
                       struct err *err);
void removal_release(struct removal_result *result);

/* Shell functions of scripts that tidy up: "prune DIR" removes empty directories, "count DIR" prints the entries. */
extern const char board_tidy_functions[];

#endif
