/* SPDX-License-Identifier: Apache-2.0 */
/* The project on this machine: what of it goes to the board. */
#ifndef MSPROF_SSH_PROJECT_H
#define MSPROF_SSH_PROJECT_H

#include "base/err.h"
#include "base/file/checksum.h"
#include "ssh/transfer/listing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROJECT_MAX_FILES 100000
#define PROJECT_FILE_MOST ((uint64_t)8 * 1024 * 1024 * 1024 - 1) /* bytes; what a tar header can say */

struct project_file {
    char *path;    /* relative to the root */
    char *link;    /* target of a symbolic link that stays one; NULL: a regular file */
    char *content; /* sent instead of the file's own; NULL: the file's own */
    uint64_t size;
    bool executable;
    bool present;                      /* the board has it already */
    bool staged;                       /* it arrived there, but has not got its place yet */
    uint64_t arrived;                  /* bytes of its beginning that have, when it has not as a whole */
    uint64_t agreed;                   /* bytes of it that had arrived the last time, and were compared then */
    bool replaces_ours;                /* the board's file of this name is one that a run of msprof put there */
    bool asked;                        /* for its checksum, in the comparison under way */
    char checksum[CHECKSUM_TEXT_SIZE]; /* "" until it was read */
    char there[CHECKSUM_TEXT_SIZE];    /* of the board's file of this name; "" when it has none, or was not asked */
};

/* All zero: empty. */
struct project {
    char *root;                 /* absolute */
    enum checksum_kind kind;    /* of the files' checksums: the board's */
    struct project_file *files; /* sorted by path */
    size_t count, capacity;
    struct told skipped; /* links that lead nowhere or outside to directories, devices, pipes */
};

/* Lists everything below root. Patterns (fnmatch(3)) that match a name, or a path relative to the root, leave it out
 * with all that is below it. Symbolic links that stay inside stay links; others are sent as the file they lead to. */
int project_open(struct project *project, const char *root, const char *const *exclude, size_t exclude_count,
                 struct err *err);
void project_release(struct project *project);

struct project_file *project_find(const struct project *project, const char *path);
/* Sets or adds a file with a content of its own (copied). */
int project_set_content(struct project *project, const char *path, const char *content, size_t length, struct err *err);
uint64_t project_bytes(const struct project *project);         /* of what is not present */
uint64_t project_arrived_bytes(const struct project *project); /* of these: staged, or arrived in part */

/* Fills file->checksum. */
int project_checksum(const struct project *project, struct project_file *file, struct err *err);

/* Machines that an ELF file is made for, as uname -m says it ("aarch64"); several words when several fit; "" when it is
 * no ELF file or of a machine that is not known here. */
int elf_machines(const char *path, const char **ret, struct err *err);
/* Whether such a text holds a machine's name. */
bool elf_machine_is_among(const char *machines, const char *machine);

#endif
