/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/call_target.h"
#include "acl/preload/preload.h"
#include "acl/recorder/forks.h"
#include "acl/recorder/recorder.h"
#include "acl/recorder/recorder_state.h"
#include "acl/recorder/shield.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Calls that have begun and not returned, for those that never will: an exception or a longjmp that leaves the
 * function, a thread that ends inside, a process that ends while its threads are inside. Such a call is reported when
 * that is known: the thread calls again outside of it, or ends, or the process does. */

/* For calls so deep inside of others that their functions are not known any more. */
#define OPEN_CALLS_DEEPER UINT32_MAX

#define MOST_CALLS 32 /* inside of each other; what is deeper is counted without its name */
/* With calls, at once; of more threads, calls under way when the process ends are not known. */
#define MOST_THREADS 512
/* Instead of begin_ns: */
#define COUNTED (-1)   /* whoever ended the process, or tried to, has counted the call */
#define INHERITED (-2) /* it is the parent's, whatever becomes of it here */

/* The calls of one thread. begin_ns 0: the entry is in the making or free. */
struct thread_calls {
    atomic_bool taken;
    struct open_call {
        const void *frame;
        _Atomic int64_t begin_ns;
        _Atomic uint32_t index;
    } calls[MOST_CALLS];
    uint32_t count;
    _Atomic uint32_t deeper,
        deeper_counted; /* inside of the last one; those that whoever ended the process has counted */
};

static struct thread_calls threads[MOST_THREADS];
static _Thread_local struct thread_calls *own __attribute__((tls_model("initial-exec")));
static _Thread_local struct thread_calls spare __attribute__((tls_model("initial-exec"))); /* when all are taken */

static void (*count_open_left)(uint32_t index, int change);
static pthread_key_t thread_end;
static atomic_bool prepared;

/* The thread's place; signal handlers call ACL, too: what interrupts the search has made it. */
static struct thread_calls *of_this_thread(void)
{
    for (size_t i = 0; own == NULL && i < MOST_THREADS; i++) {
        bool is_free = false;
        if (!atomic_load_explicit(&threads[i].taken, memory_order_relaxed) &&
            atomic_compare_exchange_strong(&threads[i].taken, &is_free, true)) {
            own = &threads[i];
            own->count = 0;
            atomic_store(&own->deeper, 0);
            atomic_store(&own->deeper_counted, 0);
            pthread_setspecific(thread_end, own);
        }
    }
    if (own == NULL) {
        own = &spare;
        pthread_setspecific(thread_end, own);
    }
    return own;
}

/* The last one ends, and with it what it was followed no further into. */
static void leave_deeper(struct thread_calls *thread)
{
    uint32_t calls = atomic_exchange(&thread->deeper, 0), counted = atomic_exchange(&thread->deeper_counted, 0);
    if (calls > counted)
        count_open_left(OPEN_CALLS_DEEPER, (int)(calls - counted));
}

static void return_deeper(struct thread_calls *thread)
{
    uint32_t left = atomic_fetch_sub(&thread->deeper, 1) - 1;
    if (atomic_load(&thread->deeper_counted) > left) {
        atomic_fetch_sub(&thread->deeper_counted, 1);
        count_open_left(OPEN_CALLS_DEEPER, -1);
    }
}

/* Gives the last one up. */
static void leave_last(struct thread_calls *thread)
{
    leave_deeper(thread);
    struct open_call *call = &thread->calls[thread->count - 1];
    uint32_t index = atomic_load_explicit(&call->index, memory_order_relaxed);
    int64_t begin_ns = atomic_exchange(&call->begin_ns, 0);
    thread->count--;
    if (begin_ns > 0)
        count_open_left(index, 1);
}

static bool is_call(const struct open_call *call, uint32_t index, int64_t begin_ns)
{
    int64_t its = atomic_load_explicit(&call->begin_ns, memory_order_relaxed);
    return (its == begin_ns || its == COUNTED || its == INHERITED) &&
           atomic_load_explicit(&call->index, memory_order_relaxed) == index;
}

static void at_thread_end(void *arg)
{
    struct thread_calls *thread = arg;
    while (thread->count > 0)
        leave_last(thread);
    own = NULL;
    atomic_store(&thread->taken, false);
}

static void inherit(struct thread_calls *thread)
{
    for (uint32_t k = 0; k < thread->count; k++)
        if (atomic_load(&thread->calls[k].begin_ns) != 0)
            atomic_store(&thread->calls[k].begin_ns, INHERITED);
}

/* Calls of the parent's other threads are theirs. */
static void in_forked_child(void)
{
    if (own != NULL)
        inherit(own);
    for (size_t i = 0; i < MOST_THREADS; i++) {
        if (&threads[i] == own)
            continue;
        for (size_t k = 0; k < MOST_CALLS; k++)
            atomic_store_explicit(&threads[i].calls[k].begin_ns, 0, memory_order_relaxed);
        atomic_store(&threads[i].taken, false);
    }
}

/* count is called with the number of calls that were left (change), and with -1 when a call that was given up returns
 * after all. */
static void open_calls_prepare(void (*count)(uint32_t index, int change))
{
    count_open_left = count;
    forks_watch(in_forked_child);
    if (pthread_key_create(&thread_end, at_thread_end) == 0)
        atomic_store(&prepared, true);
}

/* In begin_ns: the call is one of those that are deeper. No clock gets there in a hundred years. */
#define IS_DEEPER ((int64_t)1 << 62)

/* Around each call: begin_ns identifies it, frame is the address of a frame that lives as long as the call. The
 * second gets the result of the first. Both may run in signal handlers. */
static int64_t open_calls_add(uint32_t index, int64_t begin_ns, const void *frame)
{
    if (!atomic_load_explicit(&prepared, memory_order_acquire))
        return begin_ns;
    struct thread_calls *thread = own != NULL ? own : of_this_thread();
    /* stacks grow downwards: a call inside of another has a lower frame */
    while (thread->count > 0 &&
           atomic_load_explicit(&thread->calls[thread->count - 1].begin_ns, memory_order_relaxed) != 0 &&
           (uintptr_t)thread->calls[thread->count - 1].frame <= (uintptr_t)frame)
        leave_last(thread);
    if (thread->count == MOST_CALLS) {
        atomic_fetch_add_explicit(&thread->deeper, 1, memory_order_relaxed);
        return begin_ns | IS_DEEPER;
    }
    struct open_call *call = &thread->calls[thread->count];
    thread->count++;
    atomic_signal_fence(memory_order_seq_cst);
    call->frame = frame;
    atomic_store_explicit(&call->index, index, memory_order_relaxed);
    atomic_store_explicit(&call->begin_ns, begin_ns, memory_order_release);
    return begin_ns;
}

/* A coroutine's call may end long after those that began after it, and on another thread: one that was given up is
 * taken back as what it was counted as. */
static void open_calls_remove(uint32_t index, int64_t begin_ns)
{
    if (!atomic_load_explicit(&prepared, memory_order_acquire))
        return;
    struct thread_calls *thread = own != NULL ? own : of_this_thread();
    if ((begin_ns & IS_DEEPER) != 0) {
        if (atomic_load_explicit(&thread->deeper, memory_order_relaxed) > 0)
            return_deeper(thread);
        else
            count_open_left(OPEN_CALLS_DEEPER, -1);
        return;
    }
    uint32_t i = thread->count;
    while (i > 0 && !is_call(&thread->calls[i - 1], index, begin_ns))
        i--;
    if (i == 0) { /* it was taken for left */
        count_open_left(index, -1);
        return;
    }
    while (thread->count > i)
        leave_last(thread);
    if (atomic_load_explicit(&thread->deeper, memory_order_relaxed) > 0)
        leave_deeper(thread);
    bool is_counted = atomic_exchange(&thread->calls[i - 1].begin_ns, 0) == COUNTED;
    thread->count--;
    if (is_counted)
        count_open_left(index, -1);
}

static void count_deeper(struct thread_calls *thread)
{
    uint32_t calls = atomic_load(&thread->deeper), counted = atomic_load(&thread->deeper_counted);
    if (calls > counted && atomic_compare_exchange_strong(&thread->deeper_counted, &counted, calls))
        count_open_left(OPEN_CALLS_DEEPER, (int)(calls - counted));
}

/* Gives up the calls of all threads: the process ends, or becomes another program. Also in signal handlers; a call that
 * returns after all is taken back. */
static void open_calls_end(void)
{
    if (!atomic_load_explicit(&prepared, memory_order_acquire) || forks_shares_memory())
        return;
    for (size_t i = 0; i < MOST_THREADS; i++) {
        if (!atomic_load_explicit(&threads[i].taken, memory_order_relaxed))
            continue;
        for (size_t k = 0; k < MOST_CALLS; k++) {
            struct open_call *call = &threads[i].calls[k];
            int64_t begin_ns = atomic_load_explicit(&call->begin_ns, memory_order_acquire);
            uint32_t index = atomic_load_explicit(&call->index, memory_order_relaxed);
            if (begin_ns > 0 && atomic_compare_exchange_strong(&call->begin_ns, &begin_ns, COUNTED))
                count_open_left(index, 1);
        }
        count_deeper(&threads[i]);
    }
}

/* Work of an entry before and after the function: take the time, and hand the call to a recorder. */

/* Returned in two registers: trampoline.S counts on it. */
struct begun {
    void *real;
    int64_t begin_ns; /* NOT_RECORDED: nothing is to be recorded */
};

#define NOT_RECORDED (-1)
#define PAGE_BYTES 4096
#define STACK_WORDS 16 /* trampoline.S: STACK_BYTES */

struct begun preload_begin(uint32_t index, const char *argument, const void *caller);
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

void recording_flush(void)
{
    const struct call_target *program = call_target();
    open_calls_end();
    recorder_flush();
    if (program != NULL)
        program->flush();
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
    system_call_before_end(recording_flush);
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
    marks_prepare();
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
        .sample = {.acl_calls = true, .msproftx = !is_svp, .domains_include = marks_domains()},
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
    shield_run(&room, start_recorder, NULL);
}

/* With the first call, which also shows whose functions the program uses, or mark of mstx. A signal handler that calls
 * ACL too would wait for what it interrupts: signals wait instead. False when this process cannot start it: the call is
 * counted. */
static bool start_once(bool svp)
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
        is_svp = svp;
        pthread_once(&once, start);
        atomic_store_explicit(&started, true, memory_order_release);
    } else {
        recorder_lose_call();
    }
    shield_drop(&before);
    errno = saved_errno;
    return can_start;
}

bool recording_takes_marks(void)
{
    if (!start_once(false))
        return false;
    if (is_svp)
        marks_tell_of_board();
    return !is_svp && recorder_running() && !acl_json_runs();
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

static bool is_of_board(uint32_t index)
{
    return strncmp(function_name(index), "svp_", 4) == 0;
}

struct begun preload_begin(uint32_t index, const char *argument, const void *caller)
{
    acl_json_before(index, argument);
    bool is_started = start_once(is_of_board(index));
    void *real = function_real(index, caller);
    if (!is_started || destination() == NULL)
        return (struct begun){real, NOT_RECORDED};
    int64_t begin_ns = recorder_now();
    return (struct begun){real, open_calls_add(index, begin_ns, __builtin_frame_address(0))};
}

void preload_end(uint32_t index, int64_t begin_ns)
{
    int64_t end_ns = recorder_now();
    void (*call)(uint16_t, uint32_t, int64_t, int64_t, uint64_t) = destination();
    if (begin_ns != NOT_RECORDED)
        open_calls_remove(index, begin_ns);
    if (begin_ns != NOT_RECORDED && call != NULL)
        call(RECORDER_LEVEL_ACL, function_type(index), begin_ns & ~IS_DEEPER, end_ns, 0);
    acl_json_after(index);
}

/* How many words can be read from address on, at most STACK_WORDS, when these reach into the next page: that one is
 * behind the end of the stack when the stack ends here. Only an attempt to read shows it: a guard page is mapped, too.
 * Where the system refuses to say, what is there is not handed on. */
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
