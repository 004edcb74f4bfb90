/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a run puts into the project's directory on the board, and those that it found there: so that at the end
 * the board is as it was. A list of it (a manifest) lies in the directory meanwhile, for the next run when this one is
 * killed. */
#ifndef MSPROF_SSH_TRANSFER_PLACEMENT_H
#define MSPROF_SSH_TRANSFER_PLACEMENT_H

#include "base/array.h"
#include "base/progress.h"
#include "base/words.h"
#include "ssh/board.h"
#include "ssh/project.h"

#define PLACEMENT_STAGING ".msprof-upload" /* where files arrive */
#define PLACEMENT_KEPT ".msprof-kept"      /* where the board's own files are meanwhile */

struct placed_file {
    char *path; /* relative, checked */
    char checksum[CHECKSUM_TEXT_SIZE];
    uint64_t size;
    char *state; /* as it was put there; NULL: not known */
    bool is_link;
};

/* Files sorted by path. */
struct placed_list ARRAY_OF(struct placed_file);

/* All zero: nothing. */
struct placement {
    char *directory;           /* absolute */
    bool made;                 /* it was made for the project */
    bool has_staging;          /* an earlier run left what arrived of its project, or this one leaves it */
    struct placed_list ours;   /* put there by this run, or by one that was killed: they go at the end */
    struct placed_list before; /* left there by runs with --keep */
    struct words directories;  /* made below it, in the order in which they were made */
    struct words kept;         /* the board's own, set aside by this run */
};

struct placement_end {
    struct words changed; /* paths of files that were put there and were changed since: they stay */
    struct words moved;   /* of these, those that stay beside the board's own, under PATH.after-run */
    struct words stays;   /* the board's own that are still in PLACEMENT_KEPT */
    bool keeps_staging;   /* what arrived of the project is still in PLACEMENT_STAGING */
    int64_t left;         /* entries in the directory */
};

/* Makes the directory when it is missing, reads what earlier runs wrote down, and puts back what one that was killed
 * had set aside and not replaced. placement_release in any case. */
int placement_open(struct placement *placement, struct board *board, const char *directory, struct err *err);
void placement_release(struct placement *placement);

/* Kilobytes that PLACEMENT_STAGING takes in the directory, which need not be free for what arrives there; 0 when it is
 * unknown. */
int64_t placement_staged_kilobytes(struct board *board, const char *directory);

/* Whether a run of msprof has put a file of this name there. */
bool placement_knows(const struct placement *placement, const char *path);
/* Whether the board's file is one that a run of msprof put there and nobody has changed: by project_file's there. */
bool placement_is_ours(const struct placement *placement, const struct project_file *file);

/* Takes over what the project and a killed run have in common, and removes what that put there beyond. */
int placement_adopt(struct placement *placement, struct board *board, struct project *project, struct err *err);

/* Removes from PLACEMENT_STAGING all that an earlier run left but the project's files that have arrived, whole or in
 * part. */
int placement_sweep(struct placement *placement, struct board *board, const struct project *project, struct err *err);

/* Moves the staged files into place: what stands there and is not ours is set aside. The manifest is written first. */
int placement_put(struct placement *placement, struct board *board, struct project *project, struct err *err);

/* Removes what was put there, unless it was changed, and puts back what was set aside; with has_staging what arrived is
 * left for the next run. */
int placement_undo(struct placement *placement, struct board *board, struct placement_end *ret, struct err *err);
/* Leaves it there, for a next run to know. */
int placement_leave(struct placement *placement, struct board *board, struct err *err);
void placement_end_release(struct placement_end *end);

/* Bringing the project to the board: what changed, in one stream. */

struct upload_result {
    size_t sent, unchanged; /* files */
    uint64_t bytes;         /* of those sent */
    size_t arrived;         /* of these: files that an upload which was cut had brought before */
    uint64_t gone_on_from;  /* bytes of others that it had brought */
    uint64_t dropped;       /* bytes that it had brought and that were sent anew */
    size_t reconnections;
    const char *verified_by; /* "SHA-256" */
};

/* Marks the files of the project that the directory has already, by size and checksum, and asks for the checksums of
 * others of their names that msprof may have brought. A directory that is missing has none. */
int upload_compare(struct board *board, struct project *project, const struct placement *placement, struct err *err);

/* Sends the files that are not present into the staging directory, verifies them there and then puts them into place. A
 * connection that breaks is made anew as far as patience goes; what has arrived, also in an earlier run, is not sent
 * again when its checksums are right. */
int upload_send(struct board *board, struct project *project, struct placement *placement,
                const struct progress *progress, struct upload_result *ret, struct err *err);

#endif
