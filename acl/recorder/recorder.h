/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder: what the threads of this process do, into a capture directory. One at a time in a process; starting and
 * stopping may be repeated.
 *
 * Recording costs neither a lock nor an allocation nor a system call: every thread writes into a ring of its own, and a
 * thread of the recorder carries the rings' content into the capture's files every RECORDER_PERIOD_MS. A thread whose
 * ring is full does that itself. After fork() the child records into a capture of its own, which is made when it
 * records something.
 *
 * Every function may be called from any thread.
 */
#ifndef MSPROF_ACL_RECORDER_RECORDER_H
#define MSPROF_ACL_RECORDER_RECORDER_H

#include "acl/recorder/capture_config.h"
#include "acl/recorder/recorder_options.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDER_MESSAGE_MAX 155 /* bytes of a range's or mark's message, without the final NUL */

/* Layers of CANN that a call belongs to (docs/formats/cann.md 3.3). */
enum recorder_level {
    RECORDER_LEVEL_TX = 20500,
    RECORDER_LEVEL_ACL = 20000,
    RECORDER_LEVEL_MODEL = 15000,
    RECORDER_LEVEL_NODE = 10000,
    RECORDER_LEVEL_RUNTIME = 5000,
};

/* The high 16 bits of the types of RECORDER_LEVEL_ACL. */
enum recorder_acl_group {
    RECORDER_ACL_OP = 1,
    RECORDER_ACL_MODEL = 2,
    RECORDER_ACL_RUNTIME = 3,
    RECORDER_ACL_OTHERS = 4,
    RECORDER_ACL_DVPP = 9,
};

/* Starts recording; copies the options. -ERR_LIMIT when it is running already; else the codes of making directories and
 * files (-ERR_ACCESS, -ERR_NO_SPACE, -ERR_IO, -ERR_NO_MEMORY). With lazy, failures come as a report. */
int recorder_start(const struct recorder_options *options, struct err *err);

/* Writes everything that was recorded before the call, the end of the capture and the .done files, and stops.
 * -ERR_NOT_FOUND when it was not running; -ERR_NO_SPACE or -ERR_IO when records were lost: the capture has the others,
 * and the recorder is stopped all the same. */
int recorder_stop(struct err *err);

/* Between start and stop, also in a forked child. Cheap. */
bool recorder_running(void);

/* Writes everything that was recorded before the call and the end of the capture as it is now, and goes on. Needs no
 * allocation; may be called in signal handlers. False when another thread held the files for more than two seconds. */
bool recorder_flush(void);

/* The capture directory (".../PROF_..."), "" when none has been made; valid until the next start. */
const char *recorder_capture_directory(void);

/* One call of a function by this thread, from begin_ns to end_ns (recorder_now). Calls inside others come before them.
 * item_id: what it works on, as in docs/formats/cann.md 3.3; 0 when there is nothing to say. Nothing when not running.
 */
void recorder_call(uint16_t level, uint32_t type, int64_t begin_ns, int64_t end_ns, uint64_t item_id);

/* Counts calls that did not return (change: how many): an exception, a longjmp or the end of the thread left them. The
 * capture says so by the name of their type, if it has one. -1: one returned after all. Nothing when not running. */
void recorder_call_left(uint16_t level, uint32_t type, int change);

enum recorder_tx_event {
    RECORDER_TX_MARK = 0,
    RECORDER_TX_PUSH_POP = 1,
    RECORDER_TX_RANGE = 2,
    RECORDER_TX_MARK_EX = 3,
};

/* One msproftx record (docs/formats/cann.md 6, "M"). */
struct recorder_tx {
    enum recorder_tx_event event;
    int64_t begin_ns, end_ns; /* recorder_now; the same for a mark */
    uint32_t category;
    int32_t payload_type;
    uint64_t payload;
    uint64_t mark_id;
    uint64_t domain;    /* recorder_name_id of its name; 0: none */
    bool extended;      /* of mstx: it has a mark and a domain, no category, payload and type of message */
    uint16_t segment;   /* which piece of a long message, from 0 */
    uint32_t thread_id; /* who began it; 0: this thread */
    int32_t message_type;
    const char *message;   /* may be NULL */
    size_t message_length; /* more than RECORDER_MESSAGE_MAX is cut */
};

/* Nothing when not running. */
void recorder_tx(const struct recorder_tx *tx);

/* Memory that a program says it divides by itself (mstx), in one record each. */
enum recorder_heap_event {
    RECORDER_HEAP_REGISTERED = 1,
    RECORDER_HEAP_UNREGISTERED = 2,
    RECORDER_REGION_REGISTERED = 3,
    RECORDER_REGION_UNREGISTERED = 4,
};

struct recorder_heap {
    enum recorder_heap_event event;
    int64_t time_ns;  /* recorder_now */
    uint64_t heap;    /* its number; 0: not said */
    uint64_t region;  /* its number; 0: not said, the address says it */
    uint64_t address; /* of what is registered, or of a region that is not named by its number */
    uint64_t size;    /* bytes */
    uint64_t domain;  /* as in struct recorder_tx */
    uint32_t device;
};

/* Nothing when not running. */
void recorder_heap(const struct recorder_heap *heap);

/* Counts an event of msproftx that is not recorded because no stamp is left. Nothing when not running. */
void recorder_lose_stamp(void);
/* Likewise a range of mstx for which there is no room: too many are open. */
void recorder_lose_range(void);

/* Sets the name of a type for all captures of the process, before it is recorded, so that msprof shows it. The
 * text is not copied and must live as long as the process. Returns 0; -ERR_LIMIT after RECORDER_TYPES_MAX types. */
int recorder_name_type(uint16_t level, uint32_t type, const char *name);

/* The id of a text (docs/formats/acl-api.md E2) and an entry for it in this and later captures'
 * hash dictionary; the text is copied. Texts with a newline have an id but no entry; those that are longer than
 * RECORDER_NAME_MAX, or come after RECORDER_NAMES_MAX texts, neither, and these captures count a loss. */
uint64_t recorder_name_id(const char *text, size_t length);

#endif
