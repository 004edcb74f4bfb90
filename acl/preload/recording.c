/* SPDX-License-Identifier: Apache-2.0 */
/* Entries take the time before and after the function, and hand the call to a recorder. */
#include "acl/call_target.h"
#include "acl/preload/open_calls.h"
#include "acl/preload/preload.h"
#include "acl/recorder/forks.h"
#include "acl/recorder/recorder.h"
#include "acl/recorder/recorder_state.h"
#include "acl/recorder/room.h"
#include "acl/recorder/shield.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Returned in two registers: trampoline.S counts on it. */
struct begun {
    void *real;
    int64_t begin_ns; /* NOT_RECORDED: nothing is to be recorded */
};
#define NOT_RECORDED (-1)
#define PAGE_BYTES 4096
#define STACK_WORDS 16 /* trampoline.S: STACK_BYTES */

struct begun preload_begin(uint32_t index, const char *argument);
void preload_end(uint32_t index, int64_t begin_ns);
size_t preload_readable_words(const char *address);

static char output[PATH_MAX];

/* ---- starting ---- */

static void settle_in_child(void)
{
    functions_in_forked_child();
    acl_json_in_forked_child();
    signals_in_forked_child();
}

/* Where the program was started, not where it has gone to when it records. Constructors of other libraries may come
 * first, and call ACL. */
__attribute__((constructor)) static void note_output(void)
{
    static bool noted;
    static char directory[PATH_MAX]; /* the caller's stack may be small */
    const char *wanted = secure_getenv("MSPROF_OUTPUT");
    int length;
    if (noted)
        return;
    noted = true;
    system_before_end(recording_flush);
    recorder_watch_forks();
    forks_watch(settle_in_child);
    if (wanted == NULL || *wanted == '\0')
        wanted = ".";
    if (*wanted == '/' || getcwd(directory, sizeof directory) == NULL)
        length = snprintf(output, sizeof output, "%s", wanted);
    else
        length = snprintf(output, sizeof output, "%s/%s", directory, wanted);
    if (length < 0 || (size_t)length >= sizeof output)
        output[0] = '\0'; /* making it fails, and says so */
    acl_json_prepare();
}

static bool is_svp;

/* To whoever a call would go now. */
static void count_left(uint32_t index, int change)
{
    const struct call_target *program = call_target();
    uint32_t type = index != OPEN_CALLS_DEEPER ? function_type(index) : 0; /* none of a function's */
    if (program != NULL && program->recording())
        program->call_left(RECORDER_LEVEL_ACL, type, change);
    else
        recorder_call_left(RECORDER_LEVEL_ACL, type, change);
}

/* Exit handlers run in reverse order: this one before the recorder's. */
static void watch_ends(void)
{
    open_calls_prepare(count_left);
    int failure = atexit(open_calls_end);
    (void)failure;
}

/* A program that brings libmsprof_acl decides itself what is recorded. */
static void start_recorder(void *arg)
{
    const struct recorder_options options = {
        .directory = output,
        .form = is_svp ? RECORDER_JOB : RECORDER_PROF,
        .sample = {.acl_calls = true},
        .lazy = true,
        .crash_handlers = true,
        .before_crash = open_calls_end,
    };
    struct err err = ERR_INIT;
    (void)arg;
    if (call_target() == NULL) {
        functions_name_types(recorder_name_type);
        signals_pretend();
        recorder_start_with(&options, system_sigaction, &err);
    }
    watch_ends();
}

static void start(void)
{
    static struct room room;
    room_run(&room, start_recorder, NULL);
}

/* With the first call, which also tells whose functions the program uses. A signal handler that calls ACL too would
 * wait for what it interrupts: signals wait instead. False when this process cannot start it: the call is counted. */
static bool start_once(uint32_t index)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static atomic_bool started;
    struct shield before;
    if (atomic_load_explicit(&started, memory_order_acquire))
        return true;
    int saved_errno = errno;
    shield_raise(&before);
    note_output();
    bool can_start = !forks_shares_memory();
    if (can_start) {
        is_svp = strncmp(function_name(index), "svp_", 4) == 0;
        pthread_once(&once, start);
        atomic_store_explicit(&started, true, memory_order_release);
    } else {
        recorder_lose_call();
    }
    shield_drop(&before);
    errno = saved_errno;
    return can_start;
}

void recording_flush(void)
{
    const struct call_target *program = call_target();
    open_calls_end();
    recorder_flush();
    if (program != NULL)
        program->flush();
}

/* ---- calls ---- */

/* Where calls go now; NULL: nowhere. */
static void (*destination(void))(uint16_t, uint32_t, int64_t, int64_t, uint64_t)
{
    const struct call_target *program = call_target();
    if (program != NULL && program->recording())
        return program->call;
    return recorder_running() && !acl_json_runs() ? recorder_call : NULL;
}

struct begun preload_begin(uint32_t index, const char *argument)
{
    acl_json_before(index, argument);
    bool is_started = start_once(index);
    void *real = function_real(index);
    if (!is_started || destination() == NULL)
        return (struct begun){real, NOT_RECORDED};
    int64_t begin_ns = recorder_now();
    open_calls_add(index, begin_ns, __builtin_frame_address(0));
    return (struct begun){real, begin_ns};
}

void preload_end(uint32_t index, int64_t begin_ns)
{
    int64_t end_ns = recorder_now();
    void (*call)(uint16_t, uint32_t, int64_t, int64_t, uint64_t) = destination();
    if (begin_ns != NOT_RECORDED)
        open_calls_remove(index, begin_ns);
    if (begin_ns != NOT_RECORDED && call != NULL)
        call(RECORDER_LEVEL_ACL, function_type(index), begin_ns, end_ns, 0);
    acl_json_after(index);
}

/* How many words can be read from address on, at most STACK_WORDS, when these reach into the next page: that one is
 * behind the end of the stack when the stack ends here. Only reading tells: a guard page is mapped, too. Where the
 * system refuses to say, what is there is not handed on. */
size_t preload_readable_words(const char *address)
{
    uintptr_t page = ((uintptr_t)address / PAGE_BYTES + 1) * PAGE_BYTES;
    char byte;
    const struct iovec here = {&byte, 1}, there = {(void *)page, 1}; /* NOLINT(performance-no-int-to-ptr) */
    int saved_errno = errno;
    bool is_readable = process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
    errno = saved_errno;
    return is_readable ? STACK_WORDS : (page - (uintptr_t)address) / sizeof(uint64_t);
}
