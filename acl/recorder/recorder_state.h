/* SPDX-License-Identifier: Apache-2.0 */
/* State that recorder.c and record.c share: the way of a record into its thread's ring. */
#ifndef MSPROF_ACL_RECORDER_RECORDER_STATE_H
#define MSPROF_ACL_RECORDER_RECORDER_STATE_H

#include "acl/recorder/capture_config.h"
#include "acl/recorder/crash.h"
#include "acl/recorder/recorder_options.h"
#include "acl/recorder/ring.h"
#include "base/err.h"

enum recorder_mode {
    RECORDER_MODE_OFF,
    RECORDER_MODE_ARMED, /* the first record makes the capture */
    RECORDER_MODE_RUNNING,
    RECORDER_MODE_AT_ONCE, /* each record is written at once: the process may end without a word */
    RECORDER_MODE_EXITING, /* the process ends: so is the end of the capture */
};

extern atomic_int recorder_mode;

/* The rings of this thread: for each stream one, and more for signal handlers that come while a record is written. */
#define RECORDER_RING_DEPTH 3
#define RECORDER_RING_COUNT ((size_t)STREAM_RECORD_COUNT * RECORDER_RING_DEPTH)
extern _Thread_local struct ring *recorder_rings[RECORDER_RING_COUNT] __attribute__((tls_model("initial-exec")));

static inline size_t recorder_ring_index(enum capture_stream stream, size_t depth)
{
    return (size_t)stream * RECORDER_RING_DEPTH + depth;
}

/* A place for a record of this thread when its first ring has none: takes or empties a ring, makes the capture when it
 * is to be made now. NULL: not recording, or out of memory. */
char *recorder_reserve_slow(enum capture_stream stream, const char *frame, struct ring **ret);

/* Has the rings emptied soon. A system call when nobody has asked for it yet; safe in signal handlers. */
void recorder_wake(void);

/* Writes what this thread has just recorded. */
void recorder_write_at_once(void);

/* A ring that was lent for one record, which is written. */
void recorder_give_back(struct ring *ring);

/* Notices children from now on, not only from the first start: before that one, none can be distinguished from its
 * parent. */
void recorder_watch_forks(void);

/* Counts a call that cannot be recorded: one before there was a capture, in a child that shares its parent's memory and
 * cannot make one (the parent's capture counts it), or one of a function that there is no entry for. */
void recorder_lose_call(void);

/* Number of the recording that is running, each has its own, also that of a forked child; 0: none is. */
uint32_t recorder_session(void);

/* Who knows ranges that are open, and ends that were wrong: is asked what there is of a recording when its capture is
 * written to its end, also in signal handlers, with the recorder's lock held. */
typedef void recorder_ranges_function(uint32_t session, struct range_losses *ret);
void recorder_watch_ranges(recorder_ranges_function *describe);

/* Whether a collection of ACL calls is running. */
bool recorder_wants_calls(void);

/* recorder_start where the system's sigaction is not to be had by its name. */
int recorder_start_with(const struct recorder_options *options, sigaction_function *change, struct err *err);

#endif
