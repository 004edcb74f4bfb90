/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of a capture, told by the capture itself: losses.json beside its other small files. The file has its whole
 * size from the start and is written over in place, so that a full disk takes it too, and a process that can open no
 * file any more. */
#ifndef MSPROF_ACL_RECORDER_LOSSES_H
#define MSPROF_ACL_RECORDER_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOSSES_FILE "losses.json"
#define LOSSES_SIZE 4096 /* bytes of the file: one block */
#define LOSSES_MOST_NAMES 32

/* Calls of a function that did not return: an exception, a longjmp or the end of the thread left them. */
struct left_call {
    uint64_t key;     /* whatever tells functions apart */
    const char *name; /* lives as long as the process */
    int64_t count;
};

struct losses {
    uint64_t calls, tx; /* records that could not be written */
    int failure;        /* errno; 0: none */
    struct left_call left[LOSSES_MOST_NAMES];
    size_t left_count;
    int64_t left_other; /* of functions that are not known or for which there was no place */
    bool ended;         /* everything is written: the process may be gone without any loss */
};

/* Adds change (-1: one returned after all) to the calls of a function that were left; name NULL: it is not known. */
void losses_add_left(struct losses *losses, uint64_t key, const char *name, int64_t change);
bool losses_any(const struct losses *losses);
bool losses_equal(const struct losses *a, const struct losses *b);
/* The file's content. Safe in signal handlers. */
void losses_text(const struct losses *losses, char text[LOSSES_SIZE]);

#endif
