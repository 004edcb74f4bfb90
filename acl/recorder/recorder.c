/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/recorder.h"

#include "acl/recorder/alone.h"
#include "acl/recorder/capture_writer.h"
#include "acl/recorder/crash.h"
#include "acl/recorder/forks.h"
#include "acl/recorder/recorder_options.h"
#include "acl/recorder/recorder_state.h"
#include "acl/recorder/ring.h"
#include "acl/recorder/shield.h"
#include "base/file/fsutil.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The dictionaries of a capture: names of types, and texts behind 64-bit ids. They live as long as the process. A
 * capture gets the names of the types that occur in it, and all texts. The caller holds the recorder's lock. */

/* The records of the JOB era (docs/formats/cann.md 3.1) that say what records of today say. */

static void put_u32(char *p, uint32_t value)
{
    memcpy(p, &value, sizeof value);
}

#define TYPE_SLOTS ((size_t)2 * RECORDER_TYPES_MAX) /* a power of two, at most half full */
#define TEXT_SLOTS ((size_t)2 * RECORDER_NAMES_MAX)

_Static_assert((TYPE_SLOTS & (TYPE_SLOTS - 1)) == 0, "a mask needs a power of two");
_Static_assert((TEXT_SLOTS & (TEXT_SLOTS - 1)) == 0, "a mask needs a power of two");

static struct type_name {
    uint64_t key;     /* level and type */
    const char *name; /* NULL: empty */
    bool written;     /* into the current capture */
} types[TYPE_SLOTS];
static size_t type_count;

static struct text_name {
    uint64_t id;
    char *text; /* NULL: empty */
    size_t length;
} texts[TEXT_SLOTS];
static size_t text_count;
static bool text_refused;                      /* there was no room for one */
static char name_line[RECORDER_NAME_MAX + 64]; /* that is being written: callers may have small stacks */

/* The hash that CANN identifies texts by (docs/formats/acl-api.md E2). */
static uint64_t names_hash(const char *text, size_t length)
{
    uint32_t high = 0, low = 0;
    if (length == 0)
        return UINT64_MAX;
    for (size_t i = 0; i < length; i++) {
        uint32_t c = (uint32_t)(int32_t)(signed char)text[i];
        high = high * 29 + c;
        low = low * 131 + c;
    }
    return (uint64_t)high << 32 | low;
}

static uint64_t type_key(uint16_t level, uint32_t type)
{
    return (uint64_t)level << 32 | type;
}

static size_t home(uint64_t key, size_t slots)
{
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (slots - 1);
}

static struct type_name *find_type(uint64_t key)
{
    size_t i = home(key, TYPE_SLOTS);
    while (types[i].name != NULL && types[i].key != key)
        i = (i + 1) & (TYPE_SLOTS - 1);
    return &types[i];
}

/* As recorder_name_type. */
static int names_add_type(uint16_t level, uint32_t type, const char *name)
{
    struct type_name *entry = find_type(type_key(level, type));
    if (entry->name == NULL && type_count == RECORDER_TYPES_MAX)
        return -ERR_LIMIT;
    type_count += entry->name == NULL;
    entry->key = type_key(level, type);
    entry->name = name;
    return 0;
}

/* NULL when the type has no name. */
static const char *names_type(uint16_t level, uint32_t type)
{
    return find_type(type_key(level, type))->name;
}

/* records: whole ones of CAPTURE_CALL_SIZE, length bytes. */
static void names_write_calls(struct capture_writer *writer, const char *records, size_t length)
{
    static const uint8_t api_types[] = {4, 1, 2, 3, 4}; /* by enum recorder_acl_group; the rest are "others" */
    const uint32_t process = (uint32_t)getpid();
    for (; length >= CAPTURE_CALL_SIZE; records += CAPTURE_CALL_SIZE, length -= CAPTURE_CALL_SIZE) {
        char record[CAPTURE_JOB_CALL_SIZE] = {0x5a, 0x5a};
        uint16_t level;
        uint32_t type;
        memcpy(&level, records + 2, sizeof level);
        memcpy(&type, records + 4, sizeof type);
        uint32_t group = type >> 16;
        const char *name = names_type(level, type);
        put_u32(record + 4, group < sizeof api_types ? api_types[group] : 4);
        memcpy(record + 8, records + 16, 16);
        put_u32(record + 24, process);
        memcpy(record + 28, records + 8, 4);
        if (name != NULL)
            memcpy(record + 32, name, strnlen(name, 63));
        capture_writer_add(writer, STREAM_CALLS, record, sizeof record);
    }
}

/* Remembers a text under its id; NULL when there is nothing new to be written. */
static const struct text_name *names_add_text(uint64_t id, const char *text, size_t length)
{
    size_t i = home(id, TEXT_SLOTS);
    while (texts[i].text != NULL && texts[i].id != id)
        i = (i + 1) & (TEXT_SLOTS - 1);
    if (texts[i].text != NULL || memchr(text, '\n', length) != NULL)
        return NULL;
    char *copy = text_count < RECORDER_NAMES_MAX && length <= RECORDER_NAME_MAX ? malloc(length + 1) : NULL;
    if (copy == NULL) {
        text_refused = true;
        return NULL;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    texts[i] = (struct text_name){id, copy, length};
    text_count++;
    return &texts[i];
}

/* Writes a text behind what stands in name_line up to p. */
static void write_line(struct capture_writer *writer, enum capture_stream stream, char *p, const char *text,
                       size_t length)
{
    *p++ = ':';
    memcpy(p, text, length);
    p += length;
    *p++ = '\n';
    capture_writer_add(writer, stream, name_line, (size_t)(p - name_line));
}

static void write_type(struct capture_writer *writer, const struct type_name *entry)
{
    char *p = number_put_unsigned(name_line, entry->key >> 32);
    *p++ = '_';
    p = number_put_unsigned(p, (uint32_t)entry->key);
    write_line(writer, STREAM_TYPE_NAMES, p, entry->name, strnlen(entry->name, RECORDER_NAME_MAX));
}

static void names_write_text(struct capture_writer *writer, const struct text_name *entry)
{
    write_line(writer, STREAM_TEXT_NAMES, number_put_unsigned(name_line, entry->id), entry->text, entry->length);
}

static void names_tell_refused(struct capture_writer *writer)
{
    if (text_refused)
        capture_writer_lose(writer, STREAM_TEXT_NAMES, LOSSES_NO_NAME);
}

/* A new capture: writes the texts that are known; none of its types is named yet. */
static void names_begin(struct capture_writer *writer)
{
    for (size_t i = 0; i < TYPE_SLOTS; i++)
        types[i].written = false;
    for (size_t i = 0; text_count > 0 && i < TEXT_SLOTS; i++)
        if (texts[i].text != NULL)
            names_write_text(writer, &texts[i]);
    names_tell_refused(writer);
}

/* Writes the names of types that occur in these calls (records of CAPTURE_CALL_SIZE) for the first time. */
static void names_write_used(struct capture_writer *writer, const char *records, size_t length)
{
    for (; length >= CAPTURE_CALL_SIZE; records += CAPTURE_CALL_SIZE, length -= CAPTURE_CALL_SIZE) {
        uint16_t level;
        uint32_t type;
        memcpy(&level, records + 2, sizeof level);
        memcpy(&type, records + 4, sizeof type);
        struct type_name *entry = find_type(type_key(level, type));
        if (entry->name != NULL && !entry->written) {
            entry->written = true;
            write_type(writer, entry);
        }
    }
}

/* Messages to the recorder's user, one line each. No allocation: signal handlers send them, too. */

#define REPORT_SIZE 1000

/* "msprof: " and the text, as a line. */
static void report_on_stderr(const char *text)
{
    static const char head[] = "msprof: ";
    char line[REPORT_SIZE + sizeof head];
    size_t length = strnlen(text, REPORT_SIZE - 1);
    memcpy(line, head, sizeof head - 1);
    memcpy(line + sizeof head - 1, text, length);
    line[sizeof head - 1 + length] = '\n';
    ssize_t ignored = write(STDERR_FILENO, line, sizeof head + length);
    (void)ignored;
}

static char *put(char *p, const char *end, const char *text)
{
    size_t length = strlen(text), left = end > p ? (size_t)(end - p) : 0;
    if (length > left)
        length = left;
    memcpy(p, text, length);
    return p + length;
}

static char *put_count(char *p, const char *end, uint64_t count, const char *one, const char *many)
{
    char number[NUMBER_MAX];
    *number_put_unsigned(number, count) = '\0';
    return put(put(p, end, number), end, count == 1 ? one : many);
}

/* The reason has its place, however long the name of the capture is. */
#define REASON_ROOM 200

/* "the capture 'X' is incomplete: 3 calls and 1 msproftx record lost: No space left on device". False when
 * nothing is lost. */
static bool describe_losses(const struct capture_writer *writer, char text[REPORT_SIZE])
{
    uint64_t calls = writer->losses.calls, tx = writer->losses.tx;
    const char *end = &text[REPORT_SIZE - 1], *reason = losses_reason(&writer->losses);
    char *p = text;
    if (calls == 0 && tx == 0 && writer->losses.failure == 0)
        return false;
    p = put(p, end, "the capture '");
    p = put(p, end - REASON_ROOM, writer->directory);
    p = put(p, end, "' is incomplete: ");
    if (calls == 0 && tx == 0)
        p = put(p, end, "names of what it records are");
    if (calls > 0)
        p = put_count(p, end, calls, " call", " calls");
    if (calls > 0 && tx > 0)
        p = put(p, end, " and ");
    if (tx > 0)
        p = put_count(p, end, tx, " msproftx record", " msproftx records");
    p = put(p, end, " lost: ");
    p = put(p, end, reason != NULL ? reason : "no memory");
    *p = '\0';
    return true;
}

/* "nothing is recorded: " and the causes. */
static void describe_refusal(const struct err *err, char text[REPORT_SIZE])
{
    const char *end = &text[REPORT_SIZE - 1];
    char *p = put(text, end, "nothing is recorded: ");
    for (unsigned i = err->depth; i-- > 0;) {
        p = put(p, end, err->causes[i]);
        p = put(p, end, i > 0 ? ": " : "");
    }
    *p = '\0';
}

#define RECORDER_PERIOD_MS 200

#define FLUSH_PATIENCE_MS 2000
#define THREAD_STACK_SIZE (1024 * 1024) /* the program's exit handlers may run there */

atomic_int recorder_mode;
static _Atomic int64_t armed_ns; /* when it began to wait for a first record */
static atomic_bool wants_calls;
static atomic_uint session; /* number of the recording; of the last one when none is running */
static _Atomic(recorder_ranges_function *) describe_ranges;

/* Everything below is protected by lock, which is only taken with all signals blocked: a handler never meets a lock of
 * its own thread. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct capture_writer writer;
static struct ring_pool pool;
static struct recorder_options options;
static unsigned capture_count;
static bool has_files, reported;
static bool is_child;          /* of the process that started */
static atomic_uint lost_early; /* calls, before there was a capture or without an entry */

static pthread_t carrier;
static bool has_carrier, carrier_stops;
static sigset_t holder_signals;  /* that who holds the lock had blocked before */
static sigset_t carrier_signals; /* the same of who made the carrier */
static atomic_uint wake_word;    /* what the carrier waits on; 1: it is to work */

/* Who starts and stops waits for each other here, and not with signals blocked. */
static pthread_mutex_t control = PTHREAD_MUTEX_INITIALIZER;

/* ---- fork ---- */

/* The rings and files are the parent's; what was to be recorded will be recorded into a capture of our own. */
static void settle_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_mutex_init(&control, NULL);
    pool = (struct ring_pool){.next_search = 0};
    if (has_files)
        capture_writer_close(&writer);
    has_files = has_carrier = carrier_stops = reported = false;
    atomic_store(&lost_early, 0);
    is_child = true;
    if (atomic_load(&recorder_mode) != RECORDER_MODE_OFF) {
        armed_ns = recorder_now();
        atomic_store(&recorder_mode, RECORDER_MODE_ARMED);
        atomic_fetch_add(&session, 1);
    }
    for (size_t i = 0; i < RECORDER_RING_COUNT; i++) /* they are zeroed, and their memory is lost */
        recorder_rings[i] = NULL;
}

void recorder_watch_forks(void)
{
    forks_watch(settle_in_child);
}

/* ---- the lock ---- */

static void enter(struct shield *before)
{
    shield_raise(before);
    forks_notice();
    pthread_mutex_lock(&lock);
    holder_signals = before->signals;
}

static void leave(const struct shield *before)
{
    pthread_mutex_unlock(&lock);
    shield_drop(before);
}

/* For whoever holds the lock. */
static struct room room;

/* A child of vfork() shares the memory but not the descriptors: it must leave the files alone. */
static bool may_write(void)
{
    return !forks_shares_memory();
}

/* ---- messages ---- */

static void tell(const char *text)
{
    if (options.report != NULL)
        options.report(text);
    else
        report_on_stderr(text);
}

static void report_losses(void)
{
    char text[REPORT_SIZE];
    if (!reported && describe_losses(&writer, text)) {
        reported = true;
        tell(text);
    }
}

/* ---- carrying ---- */

static void carry(void *arg, enum capture_stream stream, const char *records, size_t length)
{
    (void)arg;
    if (!has_files)
        return;
    if (stream == STREAM_CALLS && options.form == RECORDER_JOB) {
        names_write_calls(&writer, records, length);
        return;
    }
    if (stream == STREAM_CALLS)
        names_write_used(&writer, records, length);
    capture_writer_add(&writer, stream, records, length);
}

static void ask_for_ranges(void)
{
    recorder_ranges_function *describe = atomic_load(&describe_ranges);
    if (describe == NULL)
        return;
    writer.losses.ranges = (struct range_losses){.open = 0};
    describe(atomic_load(&session), &writer.losses.ranges);
}

/* Calls that nobody could record. */
static void take_lost_calls(void)
{
    unsigned lost = atomic_exchange(&lost_early, 0);
    writer.losses.calls += lost;
    if (lost > 0 && writer.losses.failure == 0)
        writer.losses.failure = ENOTSUP;
}

static void finish_capture(void *arg)
{
    (void)arg;
    take_lost_calls();
    ring_pool_drain(&pool, carry, NULL);
    ask_for_ranges();
    capture_writer_finish(&writer);
    report_losses();
}

void recorder_wake(void)
{
    if (atomic_exchange_explicit(&wake_word, 1, memory_order_relaxed) != 0)
        return;
    int saved_errno = errno;
    syscall(SYS_futex, &wake_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved_errno;
}

/* All threads of the program have ended: writes the end of the capture, as exit handlers may not run. When the carrier
 * ends, too, so does the process, by exit() when its other threads ended as pthreads do. */
static void end_alone(int exit_status)
{
    const sigset_t signals = carrier_signals;
    pthread_mutex_lock(&lock);
    if (has_files && may_write())
        finish_capture(NULL);
    if (has_carrier)
        pthread_detach(carrier);
    has_carrier = false;
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, &signals, NULL);
    if (exit_status != 0)
        syscall(SYS_exit, exit_status);
}

/* Ends with the program: a program whose first thread has ended by pthread_exit() lives as long as the others. */
static void *carrier_run(void *arg)
{
    const struct timespec period = {0, RECORDER_PERIOD_MS * 1000000L};
    int exit_status;
    bool stops = false;
    (void)arg;
    while (!stops) {
        bool is_idle =
            syscall(SYS_futex, &wake_word, FUTEX_WAIT_PRIVATE, 0, &period, NULL, 0) != 0 && errno == ETIMEDOUT;
        if (is_idle && alone_in_process(&exit_status)) {
            end_alone(exit_status);
            break;
        }
        atomic_store_explicit(&wake_word, 0, memory_order_relaxed);
        pthread_mutex_lock(&lock);
        stops = carrier_stops;
        if (has_files && may_write()) {
            ring_pool_drain(&pool, carry, NULL);
            ask_for_ranges();
            capture_writer_flush(&writer);
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

/* Without a carrier the threads carry by themselves when their rings are full, and all is written at the end. Signals
 * are blocked here, and so they are in the new thread: the program's handlers run in the program's threads. */
static void start_carrier(void)
{
    pthread_attr_t attributes;
    carrier_stops = false;
    carrier_signals = holder_signals;
    atomic_store(&wake_word, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK_SIZE);
    has_carrier = pthread_create(&carrier, &attributes, carrier_run, NULL) == 0;
    pthread_attr_destroy(&attributes);
    if (has_carrier)
        pthread_setname_np(carrier, ALONE_THREAD_NAME);
}

/* ---- captures ---- */

/* Reports a capture to 'msprof run' by a line in the file that it names. Best effort. */
static void announce_capture(void)
{
    const char *list = secure_getenv("MSPROF_CAPTURE_LIST");
    char line[PATH_MAX + 1];
    size_t length = strlen(writer.directory);
    SCOPED_CLOSE int fd = list != NULL ? open(list, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (fd < 0)
        return;
    memcpy(line, writer.directory, length);
    line[length] = '\n';
    ssize_t ignored = write(fd, line, length + 1);
    (void)ignored;
}

static int open_capture(struct err *err)
{
    const bool armed = atomic_load(&recorder_mode) == RECORDER_MODE_ARMED;
    ring_pool_discard(&pool);
    reported = false;
    if (capture_writer_open(&writer, &options, armed ? armed_ns : recorder_now(), ++capture_count, err) < 0)
        return err_status(err);
    has_files = true;
    take_lost_calls();
    announce_capture();
    capture_writer_keep_open(&writer, options.sample.acl_calls, options.sample.msproftx);
    names_begin(&writer);
    bool at_once = is_child && options.children_at_once;
    writer.at_once = at_once;
    atomic_store(&recorder_mode, at_once ? RECORDER_MODE_AT_ONCE : RECORDER_MODE_RUNNING);
    if (!at_once)
        start_carrier();
    return 0;
}

static void open_or_give_up(void *arg)
{
    (void)arg;
    struct err err = ERR_INIT;
    char text[REPORT_SIZE];
    if (!may_write() || open_capture(&err) == 0)
        return;
    atomic_store(&recorder_mode, RECORDER_MODE_OFF);
    describe_refusal(&err, text);
    tell(text);
}

bool recorder_flush(void)
{
    struct shield before;
    const struct timespec pause = {0, 1000000};
    int result = EBUSY;
    if (atomic_load(&recorder_mode) == RECORDER_MODE_OFF)
        return true;
    shield_raise(&before);
    forks_notice();
    for (int i = 0; result != 0 && i < FLUSH_PATIENCE_MS; i++) {
        result = pthread_mutex_trylock(&lock);
        if (result != 0)
            nanosleep(&pause, NULL);
    }
    if (result == 0) {
        if (has_files && may_write())
            shield_run(&room, finish_capture, NULL);
        pthread_mutex_unlock(&lock);
    }
    shield_drop(&before);
    return result == 0;
}

static void flush_capture(void *arg)
{
    (void)arg;
    ring_pool_drain(&pool, carry, NULL);
    capture_writer_flush(&writer);
}

void recorder_write_at_once(void)
{
    struct shield before;
    if (atomic_load(&recorder_mode) == RECORDER_MODE_EXITING) {
        recorder_flush();
        return;
    }
    enter(&before);
    if (has_files && may_write())
        shield_run(&room, flush_capture, NULL);
    leave(&before);
}

static bool flush_at_crash(void)
{
    if (options.before_crash != NULL)
        options.before_crash();
    return recorder_flush();
}

/* Records that come after this, from other exit handlers and destructors, are written one by one. */
static void at_exit(void)
{
    int running = RECORDER_MODE_RUNNING, at_once = RECORDER_MODE_AT_ONCE;
    recorder_flush();
    atomic_compare_exchange_strong(&recorder_mode, &running, RECORDER_MODE_EXITING);
    atomic_compare_exchange_strong(&recorder_mode, &at_once, RECORDER_MODE_EXITING);
    recorder_flush();
}

/* ---- threads ---- */

static pthread_key_t thread_end;

static void set_signal_stack(const struct ring *ring)
{
    stack_t now, ours = {.ss_sp = ring->signal_stack, .ss_size = RING_SIGNAL_STACK_SIZE};
    if (sigaltstack(NULL, &now) == 0 && (now.ss_flags & SS_DISABLE) != 0)
        sigaltstack(&ours, NULL);
}

/* False when the thread is on it just now. */
static bool drop_signal_stack(const struct ring *ring)
{
    stack_t now, none = {.ss_flags = SS_DISABLE};
    return sigaltstack(NULL, &now) != 0 || now.ss_sp != ring->signal_stack || sigaltstack(&none, NULL) == 0;
}

static void at_thread_end(void *arg)
{
    (void)arg;
    for (size_t i = 0; i < RECORDER_RING_COUNT; i++) {
        struct ring *ring = recorder_rings[i];
        recorder_rings[i] = NULL;
        if (ring == NULL || ring->capacity == 0)
            continue;
        drop_signal_stack(ring);
        ring_release(ring);
    }
}

static struct ring *take_ring(enum capture_stream stream)
{
    bool is_lent = !may_write();
    struct ring *ring = ring_pool_take(&pool, stream, false, is_lent ? NULL : carry, NULL);
    if (ring == NULL)
        return NULL;
    ring->is_lent = is_lent;
    pthread_setspecific(thread_end, ring);
    if (options.crash_handlers && !is_lent)
        set_signal_stack(ring);
    return ring;
}

void recorder_lose_call(void)
{
    atomic_fetch_add(&lost_early, 1);
}

void recorder_give_back(struct ring *ring)
{
    ring->is_lent = false;
    for (size_t i = 0; i < RECORDER_RING_COUNT; i++)
        if (recorder_rings[i] == ring)
            recorder_rings[i] = NULL;
    ring_release(ring);
}

/* A place in a ring that was full. The thread is a busy one: it gets a larger ring when that can be. */
static char *reserve_in_full(struct ring **ring, const char *frame)
{
    struct ring *larger = NULL;
    if (!may_write())
        return NULL;
    ring_drain(*ring, carry, NULL);
    if (!(*ring)->is_large)
        larger = ring_pool_take(&pool, (*ring)->stream, true, carry, NULL);
    if (larger != NULL && !drop_signal_stack(*ring)) {
        ring_release(larger);
    } else if (larger != NULL) {
        ring_release(*ring);
        *ring = larger;
        if (options.crash_handlers)
            set_signal_stack(larger);
    }
    return ring_reserve(*ring, frame);
}

/* A handler that leaves by siglongjmp() abandons the record that it came into. Who wrote from further down the stack
 * than the caller is gone. Stacks may differ, so this is only asked when no ring is left; as many handlers as there are
 * rings do not come each into the few nanoseconds of the one before, so one ring is free in any case. */
static void free_abandoned(enum capture_stream stream, const char *frame)
{
    bool is_any_free = false;
    for (size_t depth = 0; depth < RECORDER_RING_DEPTH; depth++) {
        struct ring *ring = recorder_rings[recorder_ring_index(stream, depth)];
        bool is_last_hope = depth + 1 == RECORDER_RING_DEPTH && !is_any_free;
        if ((uintptr_t)ring->busy > (uintptr_t)frame && !is_last_hope)
            continue;
        is_any_free = true;
        ring->busy = NULL;
        *(stream == STREAM_CALLS ? &writer.losses.calls : &writer.losses.tx) += 1;
        if (writer.losses.failure == 0)
            writer.losses.failure = ECANCELED;
    }
}

/* The first of the thread's rings that no interrupted record is in the making in; NULL: there is none. */
static struct ring **find_ring(enum capture_stream stream)
{
    for (size_t depth = 0; depth < RECORDER_RING_DEPTH; depth++) {
        struct ring **ring = &recorder_rings[recorder_ring_index(stream, depth)];
        if (*ring == NULL || (*ring)->capacity == 0)
            *ring = take_ring(stream);
        if (*ring == NULL || (*ring)->busy == NULL)
            return *ring != NULL ? ring : NULL;
    }
    return NULL;
}

static bool all_busy(enum capture_stream stream)
{
    const struct ring *last = recorder_rings[recorder_ring_index(stream, RECORDER_RING_DEPTH - 1)];
    return last != NULL && last->busy != NULL;
}

/* A place in one of the thread's rings. */
static char *reserve(enum capture_stream stream, const char *frame, struct ring **ret)
{
    struct ring **ring = find_ring(stream);
    if (ring == NULL && all_busy(stream)) {
        free_abandoned(stream, frame);
        ring = find_ring(stream);
    }
    if (ring == NULL)
        return NULL;
    char *place = ring_reserve(*ring, frame);
    if (place == NULL)
        place = reserve_in_full(ring, frame);
    *ret = *ring;
    return place;
}

struct reservation {
    enum capture_stream stream;
    const char *frame;
    struct ring *ring;
    char *place;
};

/* run(arg) with the lock held, and with a capture if there can be one. Nothing when not running. */
static void with_capture(void (*run)(void *arg), void *arg)
{
    struct shield before;
    int saved_errno = errno;
    if (atomic_load(&recorder_mode) == RECORDER_MODE_OFF)
        return;
    enter(&before);
    if (atomic_load(&recorder_mode) == RECORDER_MODE_ARMED)
        shield_run(&room, open_or_give_up, NULL);
    shield_run(&room, run, arg);
    leave(&before);
    errno = saved_errno;
}

static void reserve_in_room(void *arg)
{
    struct reservation *reservation = arg;
    if (!has_files) {
        if (atomic_load(&recorder_mode) == RECORDER_MODE_ARMED)
            recorder_lose_call();
        return;
    }
    reservation->place = reserve(reservation->stream, reservation->frame, &reservation->ring);
    if (reservation->place == NULL)
        *(reservation->stream == STREAM_CALLS ? &writer.losses.calls : &writer.losses.tx) += 1;
}

char *recorder_reserve_slow(enum capture_stream stream, const char *frame, struct ring **ret)
{
    struct reservation reservation = {.stream = stream, .frame = frame};
    with_capture(reserve_in_room, &reservation);
    *ret = reservation.ring;
    return reservation.place;
}

struct left_calls {
    uint16_t level;
    uint32_t type;
    int change;
};

static void count_in_room(void *arg)
{
    const struct left_calls *left = arg;
    if (has_files && may_write())
        losses_add_left(&writer.losses, (uint64_t)left->level << 32 | left->type, names_type(left->level, left->type),
                        left->change);
}

void recorder_call_left(uint16_t level, uint32_t type, int change)
{
    struct left_calls left = {level, type, change};
    with_capture(count_in_room, &left);
}

static void lose_stamp_in_room(void *arg)
{
    (void)arg;
    if (has_files && may_write())
        capture_writer_lose(&writer, STREAM_TX, LOSSES_NO_STAMP);
}

void recorder_lose_stamp(void)
{
    with_capture(lose_stamp_in_room, NULL);
}

static void lose_range_in_room(void *arg)
{
    (void)arg;
    if (has_files && may_write())
        capture_writer_lose(&writer, STREAM_TX, LOSSES_NO_RANGE);
}

void recorder_lose_range(void)
{
    with_capture(lose_range_in_room, NULL);
}

/* ---- start and stop ---- */

static void prepare_once(void)
{
    recorder_watch_forks();
    pthread_key_create(&thread_end, at_thread_end);
    int failures = atexit(at_exit) + at_quick_exit(at_exit); /* without it the last period is not written */
    (void)failures;
}

/* Copies all that from points at, to memory that the next call uses again. -ERR_LIMIT: too many devices, too long a
 * name. */
static int copy_options(struct recorder_options *to, const struct recorder_options *from, struct err *err)
{
    static char output_directory[PATH_MAX], metrics[80];
    static uint32_t devices[RECORDER_DEVICES_MAX];
    size_t length = strlen(from->directory);
    if (from->device_count > RECORDER_DEVICES_MAX)
        return err_set(err, ERR_LIMIT, "more than %d devices", RECORDER_DEVICES_MAX);
    if (length >= sizeof output_directory)
        return err_set(err, ERR_LIMIT, "the name of the output directory is longer than %zu bytes",
                       sizeof output_directory - 1);
    *to = *from;
    memcpy(output_directory, from->directory, length + 1);
    to->directory = output_directory;
    if (from->device_count > 0)
        memcpy(devices, from->devices, from->device_count * sizeof devices[0]);
    to->devices = devices;
    if (from->sample.metrics != NULL) {
        length = strnlen(from->sample.metrics, sizeof metrics - 1);
        memcpy(metrics, from->sample.metrics, length);
        metrics[length] = '\0';
        to->sample.metrics = metrics;
    }
    return 0;
}

int recorder_start_with(const struct recorder_options *from, sigaction_function *change, struct err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct shield before;
    int status;
    pthread_once(&once, prepare_once);
    pthread_mutex_lock(&control);
    enter(&before);
    if (atomic_load(&recorder_mode) != RECORDER_MODE_OFF)
        status = err_set(err, ERR_LIMIT, "the recorder is running already");
    else
        status = copy_options(&options, from, err);
    is_child = is_child && status != 0;
    if (status == 0 && forks_shares_memory())
        status = err_set(err, ERR_LIMIT, "a child that shares its parent's memory cannot record");
    if (status == 0) {
        atomic_fetch_add(&session, 1);
        armed_ns = recorder_now();
        if (options.lazy)
            atomic_store(&recorder_mode, RECORDER_MODE_ARMED);
        else
            status = open_capture(err);
    }
    atomic_store(&wants_calls, atomic_load(&recorder_mode) != RECORDER_MODE_OFF && options.sample.acl_calls);
    leave(&before);
    if (status == 0 && options.crash_handlers)
        crash_handlers_install(change, flush_at_crash);
    pthread_mutex_unlock(&control);
    return status;
}

int recorder_start(const struct recorder_options *from, struct err *err)
{
    return recorder_start_with(from, sigaction, err);
}

/* The losses as an error; the caller holds the lock. */
static int close_capture(struct err *err)
{
    char text[REPORT_SIZE];
    int status = 0;
    take_lost_calls();
    ring_pool_drain(&pool, carry, NULL);
    ask_for_ranges();
    capture_writer_finish(&writer);
    capture_writer_close(&writer);
    has_files = false;
    if (describe_losses(&writer, text)) {
        int failure = writer.losses.failure != 0 ? writer.losses.failure : ENOMEM;
        status = err_set(err, failure == ENOSPC || failure == EDQUOT || failure == EFBIG ? ERR_NO_SPACE : ERR_IO, "%s",
                         text);
        reported = true;
    }
    return status;
}

int recorder_stop(struct err *err)
{
    struct shield before;
    bool had_carrier = false, had_handlers = false;
    pthread_t joined = pthread_self();
    int status = 0;
    pthread_mutex_lock(&control);
    enter(&before);
    if (atomic_load(&recorder_mode) == RECORDER_MODE_OFF) {
        status = err_set(err, ERR_NOT_FOUND, "the recorder is not running");
    } else {
        atomic_store(&recorder_mode, RECORDER_MODE_OFF);
        atomic_store(&wants_calls, false);
        had_handlers = options.crash_handlers;
        if (has_files)
            status = close_capture(err);
        had_carrier = has_carrier;
        if (had_carrier) {
            joined = carrier;
            carrier_stops = true;
            has_carrier = false;
            recorder_wake();
        }
    }
    leave(&before);
    if (had_carrier)
        pthread_join(joined, NULL);
    if (had_handlers)
        crash_handlers_remove();
    pthread_mutex_unlock(&control);
    return status;
}

uint32_t recorder_session(void)
{
    bool is_running = atomic_load_explicit(&recorder_mode, memory_order_relaxed) != RECORDER_MODE_OFF;
    return is_running ? atomic_load_explicit(&session, memory_order_relaxed) : 0;
}

void recorder_watch_ranges(recorder_ranges_function *describe)
{
    atomic_store(&describe_ranges, describe);
}

bool recorder_wants_calls(void)
{
    return atomic_load_explicit(&wants_calls, memory_order_relaxed);
}

const char *recorder_capture_directory(void)
{
    return writer.directory;
}

/* ---- names ---- */

int recorder_name_type(uint16_t level, uint32_t type, const char *name)
{
    struct shield before;
    enter(&before);
    int status = names_add_type(level, type, name);
    leave(&before);
    return status;
}

uint64_t recorder_name_id(const char *text, size_t length)
{
    uint64_t id = names_hash(text, length);
    struct shield before;
    enter(&before);
    const struct text_name *added = names_add_text(id, text, length);
    if (has_files && may_write()) {
        if (added != NULL)
            names_write_text(&writer, added);
        names_tell_refused(&writer);
    }
    leave(&before);
    return id;
}
