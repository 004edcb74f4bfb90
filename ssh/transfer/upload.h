/* Bringing the project to the board: what changed, in one stream. */
#ifndef MSPROF_SSH_TRANSFER_UPLOAD_H
#define MSPROF_SSH_TRANSFER_UPLOAD_H

#include "base/progress.h"
#include "ssh/board.h"
#include "ssh/project.h"

struct upload_result {
    size_t sent, unchanged; /* files */
    uint64_t bytes;         /* of those sent */
    size_t reconnections;
    bool hashed; /* verified by checksums, else by their sizes alone */
};

/* Marks the files of the project that the directory has already, by size and checksum. A directory that is missing has
 * none. */
int upload_compare(struct board *board, struct project *project, const char *directory, struct err *err);

/* Sends the files that are not present into "<directory>/.msprof-upload", verifies them there and then moves them into
 * the directory, which is made when it is missing. A connection that breaks is made anew a few times. */
int upload_send(struct board *board, struct project *project, const char *directory, const struct progress *progress,
                struct upload_result *ret, struct err *err);

/* Makes the directory when it is missing, with a mark in it. *ret_ours: it has the mark, of this run or of one that was
 * killed; whatever of the project is in it was brought. */
int upload_claim(struct board *board, const char *directory, bool *ret_ours, struct err *err);
/* Takes the mark away: the directory stays. */
int upload_leave(struct board *board, const char *directory, struct err *err);

/* Removes what was sent (or may have been), and the directories that are empty then; when whole (the directory is ours)
 * all files of the project, the mark, and directories whoever made them. What the program made stays: *ret_left is how
 * many entries there are then. */
int upload_remove(struct board *board, struct project *project, const char *directory, bool whole, int64_t *ret_left,
                  struct err *err);

#endif
