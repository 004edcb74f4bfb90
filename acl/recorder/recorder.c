#include "acl/recorder/recorder.h"

#include "acl/recorder/capture_writer.h"
#include "acl/recorder/crash.h"
#include "acl/recorder/names.h"
#include "acl/recorder/recorder_report.h"
#include "acl/recorder/recorder_state.h"
#include "acl/recorder/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FLUSH_PATIENCE_MS 2000
#define THREAD_STACK_SIZE (256 * 1024)

atomic_int recorder_mode;
static atomic_bool wants_calls;

/* Everything below is protected by lock, which is only taken with all signals blocked: a handler never meets a lock of
 * its own thread. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct capture_writer writer;
static struct ring_pool pool;
static struct recorder_options options;
static char output_directory[PATH_MAX];
static uint32_t devices[RECORDER_DEVICES_MAX];
static char metrics[64];
static unsigned capture_count;
static pid_t process; /* that the rings and the files belong to */
static bool has_files, reported;

static pthread_t carrier;
static bool has_carrier, carrier_stops;
static atomic_uint wake_word; /* what the carrier waits on; 1: it is to work */

/* Who starts and stops waits for each other here, and not with signals blocked. */
static pthread_mutex_t control = PTHREAD_MUTEX_INITIALIZER;

/* ---- fork ---- */

/* One word that a child finds zeroed, whatever made the child. */
static atomic_int *same_process;
enum { PROCESS_CHILD, PROCESS_SAME, PROCESS_SETTLING };

/* The rings and files are the parent's; what was to be recorded will be recorded into a capture of our own. */
static void settle_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_mutex_init(&control, NULL);
    pool = (struct ring_pool){.next_search = 0};
    if (has_files)
        capture_writer_close(&writer);
    has_files = has_carrier = carrier_stops = reported = false;
    process = getpid();
    if (atomic_load(&recorder_mode) != RECORDER_MODE_OFF)
        atomic_store(&recorder_mode, RECORDER_MODE_ARMED);
}

static void forget_rings(void)
{
    memset(recorder_rings, 0, sizeof recorder_rings);
}

static void in_forked_child(void)
{
    settle_in_child();
    forget_rings();
    if (same_process != NULL)
        atomic_store(same_process, PROCESS_SAME);
}

/* Children that were made behind fork()'s back. */
static void notice_child(void)
{
    int expected = PROCESS_CHILD;
    if (same_process == NULL || atomic_load(same_process) == PROCESS_SAME)
        return;
    if (atomic_compare_exchange_strong(same_process, &expected, PROCESS_SETTLING)) {
        settle_in_child();
        atomic_store(same_process, PROCESS_SAME);
        return;
    }
    while (atomic_load(same_process) != PROCESS_SAME)
        usleep(100);
}

static void watch_forks(void)
{
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, (size_t)sysconf(_SC_PAGESIZE), MADV_WIPEONFORK) == 0) {
        same_process = page;
        atomic_store(same_process, PROCESS_SAME);
    }
    pthread_atfork(NULL, NULL, in_forked_child);
}

/* ---- the lock ---- */

static void enter(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    notice_child();
    pthread_mutex_lock(&lock);
}

static void leave(const sigset_t *before)
{
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* A child of vfork() shares the memory but not the descriptors: it must leave the files alone. */
static bool may_write(void)
{
    return getpid() == process;
}

/* ---- telling ---- */

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

static void put_u32(char *p, uint32_t value)
{
    memcpy(p, &value, sizeof value);
}

/* The record of the JOB era (docs/formats/cann.md 3.1) that says what a record of today says. */
static void write_job_calls(const char *records, size_t length)
{
    static const uint8_t api_types[] = {4, 1, 2, 3, 4}; /* by enum recorder_acl_group; the rest are "others" */
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
        put_u32(record + 24, (uint32_t)process);
        memcpy(record + 28, records + 8, 4);
        if (name != NULL)
            memcpy(record + 32, name, strnlen(name, 63));
        capture_writer_add(&writer, STREAM_CALLS, record, sizeof record);
    }
}

static void carry(void *arg, enum capture_stream stream, const char *records, size_t length)
{
    (void)arg;
    if (!has_files)
        return;
    if (stream == STREAM_CALLS && options.form == RECORDER_JOB) {
        write_job_calls(records, length);
        return;
    }
    if (stream == STREAM_CALLS)
        names_write_used(&writer, records, length);
    capture_writer_add(&writer, stream, records, length);
}

void recorder_wake(void)
{
    if (atomic_exchange_explicit(&wake_word, 1, memory_order_relaxed) != 0)
        return;
    int saved_errno = errno;
    syscall(SYS_futex, &wake_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved_errno;
}

static void *carrier_run(void *arg)
{
    const struct timespec period = {0, RECORDER_PERIOD_MS * 1000000L};
    bool stops = false;
    (void)arg;
    while (!stops) {
        syscall(SYS_futex, &wake_word, FUTEX_WAIT_PRIVATE, 0, &period, NULL, 0);
        atomic_store_explicit(&wake_word, 0, memory_order_relaxed);
        pthread_mutex_lock(&lock);
        stops = carrier_stops;
        if (has_files && may_write()) {
            ring_pool_drain(&pool, carry, NULL);
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
    atomic_store(&wake_word, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK_SIZE);
    has_carrier = pthread_create(&carrier, &attributes, carrier_run, NULL) == 0;
    pthread_attr_destroy(&attributes);
    if (has_carrier)
        pthread_setname_np(carrier, "msprof-recorder");
}

/* ---- captures ---- */

/* Tells 'msprof run' about a capture: a line in the file that it names. Best effort. */
static void announce_capture(void)
{
    const char *list = secure_getenv("MSPROF_CAPTURE_LIST");
    char line[PATH_MAX + 1];
    size_t length = strlen(writer.directory);
    int fd = list != NULL ? open(list, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (fd < 0)
        return;
    memcpy(line, writer.directory, length);
    line[length] = '\n';
    ssize_t ignored = write(fd, line, length + 1);
    (void)ignored;
    close(fd);
}

static int open_capture(struct err *err)
{
    ring_pool_discard(&pool);
    reported = false;
    int status = capture_writer_open(&writer, &options, ++capture_count, err);
    if (status != 0)
        return status;
    has_files = true;
    announce_capture();
    names_begin(&writer);
    atomic_store(&recorder_mode, RECORDER_MODE_RUNNING);
    start_carrier();
    return 0;
}

static void open_or_give_up(void)
{
    struct err err = ERR_INIT;
    char text[REPORT_SIZE];
    if (!may_write() || open_capture(&err) == 0)
        return;
    atomic_store(&recorder_mode, RECORDER_MODE_OFF);
    describe_refusal(&err, text);
    tell(text);
}

static void finish_capture(void)
{
    ring_pool_drain(&pool, carry, NULL);
    capture_writer_finish(&writer);
    report_losses();
}

bool recorder_flush(void)
{
    sigset_t all, before;
    const struct timespec pause = {0, 1000000};
    int result = EBUSY;
    if (atomic_load(&recorder_mode) == RECORDER_MODE_OFF)
        return true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    notice_child();
    for (int i = 0; result != 0 && i < FLUSH_PATIENCE_MS; i++) {
        result = pthread_mutex_trylock(&lock);
        if (result != 0)
            nanosleep(&pause, NULL);
    }
    if (result == 0) {
        if (has_files && may_write())
            finish_capture();
        pthread_mutex_unlock(&lock);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result == 0;
}

static bool flush_at_crash(void)
{
    if (options.before_crash != NULL)
        options.before_crash();
    return recorder_flush();
}

/* What comes after this, from other exit handlers and destructors, is written record by record. */
static void at_exit(void)
{
    int running = RECORDER_MODE_RUNNING;
    recorder_flush();
    atomic_compare_exchange_strong(&recorder_mode, &running, RECORDER_MODE_EXITING);
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
    struct ring *ring = ring_pool_take(&pool, stream, false, carry, NULL);
    if (ring == NULL)
        return NULL;
    pthread_setspecific(thread_end, ring);
    if (options.crash_handlers && stream == STREAM_CALLS)
        set_signal_stack(ring);
    return ring;
}

/* A place in a ring that was full. The thread is a busy one: it gets a larger ring when that can be. */
static char *reserve_in_full(struct ring **ring)
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
        if (options.crash_handlers && larger->stream == STREAM_CALLS)
            set_signal_stack(larger);
    }
    return ring_reserve(*ring);
}

/* A place in one of the thread's rings, the first one that no interrupted record is in the making in. */
static char *reserve(enum capture_stream stream, struct ring **ret)
{
    for (size_t depth = 0; depth < RECORDER_RING_DEPTH; depth++) {
        struct ring **ring = &recorder_rings[recorder_ring_index(stream, depth)];
        if (*ring == NULL || (*ring)->capacity == 0)
            *ring = take_ring(stream);
        if (*ring == NULL)
            break;
        if ((*ring)->busy)
            continue;
        char *place = ring_reserve(*ring);
        if (place == NULL)
            place = reserve_in_full(ring);
        *ret = *ring;
        return place;
    }
    return NULL;
}

char *recorder_reserve_slow(enum capture_stream stream, struct ring **ret)
{
    char *place = NULL;
    sigset_t before;
    int saved_errno = errno;
    if (atomic_load(&recorder_mode) == RECORDER_MODE_OFF)
        return NULL;
    enter(&before);
    if (atomic_load(&recorder_mode) == RECORDER_MODE_ARMED)
        open_or_give_up();
    if (has_files) {
        place = reserve(stream, ret);
        if (place == NULL && stream == STREAM_TX)
            writer.losses.tx++;
        else if (place == NULL)
            writer.losses.calls++;
    }
    leave(&before);
    errno = saved_errno;
    return place;
}

void recorder_call_left(uint16_t level, uint32_t type, int change)
{
    sigset_t before;
    int saved_errno = errno;
    if (atomic_load(&recorder_mode) == RECORDER_MODE_OFF)
        return;
    enter(&before);
    if (atomic_load(&recorder_mode) == RECORDER_MODE_ARMED)
        open_or_give_up();
    if (has_files && may_write())
        losses_add_left(&writer.losses, (uint64_t)level << 32 | type, names_type(level, type), change);
    leave(&before);
    errno = saved_errno;
}

/* ---- start and stop ---- */

static void prepare_once(void)
{
    watch_forks();
    pthread_key_create(&thread_end, at_thread_end);
    int failures = atexit(at_exit) + at_quick_exit(at_exit); /* without it the last period is not written */
    (void)failures;
}

static int copy_options(const struct recorder_options *from, struct err *err)
{
    size_t length = strlen(from->directory);
    if (from->device_count > RECORDER_DEVICES_MAX)
        return err_set(err, ERR_LIMIT, "more than %d devices", RECORDER_DEVICES_MAX);
    if (length >= sizeof output_directory)
        return err_set(err, ERR_LIMIT, "the name of the output directory is longer than %zu bytes",
                       sizeof output_directory - 1);
    options = *from;
    memcpy(output_directory, from->directory, length + 1);
    options.directory = output_directory;
    if (from->device_count > 0)
        memcpy(devices, from->devices, from->device_count * sizeof devices[0]);
    options.devices = devices;
    if (from->sample.metrics != NULL) {
        length = strnlen(from->sample.metrics, sizeof metrics - 1);
        memcpy(metrics, from->sample.metrics, length);
        metrics[length] = '\0';
        options.sample.metrics = metrics;
    }
    return 0;
}

int recorder_start_with(const struct recorder_options *from, sigaction_function *change, struct err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sigset_t before;
    int status;
    pthread_once(&once, prepare_once);
    pthread_mutex_lock(&control);
    enter(&before);
    if (atomic_load(&recorder_mode) != RECORDER_MODE_OFF)
        status = err_set(err, ERR_LIMIT, "the recorder is running already");
    else
        status = copy_options(from, err);
    if (status == 0) {
        process = getpid();
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
    ring_pool_drain(&pool, carry, NULL);
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
    sigset_t before;
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
    sigset_t before;
    enter(&before);
    int status = names_add_type(level, type, name);
    leave(&before);
    return status;
}

uint64_t recorder_name_id(const char *text, size_t length)
{
    uint64_t id = names_hash(text, length);
    sigset_t before;
    enter(&before);
    if (names_add_text(id, text, length) && has_files && may_write())
        names_write_text(&writer, id, text, length);
    leave(&before);
    return id;
}
