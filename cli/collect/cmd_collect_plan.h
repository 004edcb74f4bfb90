/* SPDX-License-Identifier: Apache-2.0 */
/* Plan of collect, as far as this machine knows: the project, its program, acl.json. */
#ifndef MSPROF_CLI_COLLECT_CMD_COLLECT_PLAN_H
#define MSPROF_CLI_COLLECT_CMD_COLLECT_PLAN_H

#include "base/err.h"
#include "base/file/checksum.h"
#include "base/words.h"
#include "cli/collect/cmd_collect_config.h"
#include "cli/options/options.h"
#include "ssh/project.h"

#include <stdbool.h>
#include <stddef.h>

/* This machine's acl.json, patched as long as a board has the project mounted. Its old content lies beside it, under a
 * name with the checksum of the patched file: a run that was killed leaves it for the next one. */

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

/* For one board. All zero: empty. */
struct collect_plan {
    const struct settings *settings;
    const struct collect_target *target;
    char *main; /* absolute path of the program here */
    struct words arguments;
    char *root;           /* of the project, absolute */
    char *directory;      /* of the program, relative to the root ("out"; "" when it is the root) */
    char *program;        /* its name */
    char *command_line;   /* it and its arguments, to be shown */
    char *output;         /* absolute; where the capture's directory goes */
    const char *machines; /* that the program is made for; "" when that is not known */
    struct project project;
};

struct collect_outcome {
    int status;
    struct words captures; /* absolute paths of those that are here now */
};

/* Finds all that; makes nothing. With --fetch-only there is neither a program nor a project: only where the captures
 * go. Reports what is wrong with --main, the project or --output. */
int collect_plan_make(struct collect_plan *plan, const struct settings *settings, const struct collect_target *target,
                      struct err *err);
void collect_plan_release(struct collect_plan *plan);

/* Puts acl.json into the project, or patches those that are there, for a program that runs in run_directory of the
 * board. Nothing is written: the project carries the text. -ERR_USAGE when a dump is switched on. */
int collect_plan_acl_json(struct collect_plan *plan, const char *run_directory, struct err *err);

/* -ERR_USAGE when a board could not mount from this address: it is one of loopback. */
int collect_check_nfs_address(const char *address, struct err *err);

/* The steps, numbered, on stdout; home stands for what only the board knows. */
void collect_plan_print(struct collect_plan *plan, const char *run_directory);
/* Prints the plan of --fetch-only likewise. */
void collect_plan_print_fetch(const struct collect_plan *plan);

#endif
