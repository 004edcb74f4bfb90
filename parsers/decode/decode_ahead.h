/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the decoder: tasks and counters of devices are decoded while other streams are, on a thread of its own, one
 * part of the capture at a time.
 *
 * Nobody sees that: a part of which anything is reported, or that fails, is decoded once more when its turn comes. */
#ifndef MSPROF_PARSERS_DECODE_DECODE_AHEAD_H
#define MSPROF_PARSERS_DECODE_DECODE_AHEAD_H

#include "base/diag.h"
#include "parsers/capture/capture.h"
#include "parsers/join/association.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Work of the thread: of a part the files that are chosen. */
struct ahead_work {
    struct capture capture; /* the same with diagnostics of its own */
    struct diagnostics diag;
    size_t part, first; /* first: of its files */
    const bool *chosen; /* of each file */
    atomic_bool stop;   /* the work is not wanted any more */
};

/* Decodes them into a new association, which is set even when it fails. */
typedef int ahead_decode(struct ahead_work *work, struct association **ret, struct err *err);

struct ahead; /* opaque */

/* Parts with fewer bytes of such streams are not worth it. Tests lower it. */
extern uint64_t ahead_bytes_min;

/* Starts the thread; NULL: no part is worth it, or there is no thread or memory for it. */
struct ahead *ahead_new(struct capture *capture, ahead_decode *decode);
void ahead_free(struct ahead *ahead); /* stops it; NULL is fine */

/* Sets for each file whether it is left to the caller. */
const bool *ahead_left(const struct ahead *ahead);
/* Gives what was decoded of a part to the association, the first time that it is called for the part: 1; 0: it cannot
 * be taken, and ahead_give_back is to be called. */
int ahead_take(struct ahead *ahead, size_t part, struct association *association, struct err *err);
/* Leaves the files of that part to the caller. Nobody may be reading what ahead_left gave. */
void ahead_give_back(struct ahead *ahead);

#endif
