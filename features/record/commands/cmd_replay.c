/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/subscribe/operator_names_writer.h"
#include "acl/subscribe/operator_record.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/language.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "db/database.h"
#include "db/query/operators/query_operators.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The way of replayed records to their reader: a descriptor that whoever started msprof opened. */

struct replay_pipe {
    int fd;           /* our own; -1: closed */
    int number;       /* as the user calls it */
    uint64_t sent;    /* records */
    sigset_t waiting; /* the signals that are blocked while we wait: those that were before */
};

#define RETRY_NS 1000000 /* after a write that found no room although poll had seen some */
#define SIGNAL_POLL 256  /* records between two looks at signals while nothing has to be waited for */
#define NS_PER_S 1000000000

/* Whether records may be written to this descriptor: it is open for writing, and no terminal. To be asked before
 * anything is opened that could get the same number. */
static int replay_pipe_check(int number, struct err *err)
{
    int flags = fcntl(number, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
        err_set(err, ERR_USAGE, "descriptor %d is %s", number,
                flags < 0 ? language_said("not open") : language_said("open for reading only"));
        return err_hint(err, "open it when you start msprof: msprof replay ... --fd %d %d>PIPE", number, number);
    }
    if (number == STDERR_FILENO)
        return err_set(err, ERR_USAGE, "descriptor %d is for messages", number);
    if (isatty(number))
        return err_set(err, ERR_USAGE, "descriptor %d is a terminal, but records are binary", number);
    return 0;
}

/* Others may have the same description of the pipe open, so it must not be made non-blocking; but what never blocks can
 * always be interrupted. A pipe can be opened once more; -1 when not. */
static int open_again(int number)
{
    char path[32];
    struct stat st;
    if (fstat(number, &st) < 0 || !S_ISFIFO(st.st_mode))
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", number);
    return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

/* From here to the close SIGPIPE is ignored, and the signals that ask msprof to stop arrive only in the functions
 * below.
 */
static int replay_pipe_open(struct replay_pipe *pipe, int number, struct err *err)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t stop;
    int fd = open_again(number);
    if (fd < 0)
        fd = fcntl(number, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot use descriptor %d", number);
    *pipe = (struct replay_pipe){.fd = fd, .number = number};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGHUP);
    sigprocmask(SIG_BLOCK, &stop, &pipe->waiting);
    return 0;
}

static void replay_pipe_close(struct replay_pipe *pipe)
{
    if (pipe->fd < 0)
        return;
    close(pipe->fd);
    pipe->fd = -1;
    sigprocmask(SIG_SETMASK, &pipe->waiting, NULL);
}

static int reader_gone(const struct replay_pipe *pipe, struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "the reader of descriptor %d closed it after %" PRIu64 " operator%s",
                   pipe->number, pipe->sent, console_plural(pipe->sent));
}

/* Waits for events of the pipe for at most limit_ns (-1: for ever); signals arrive here. */
static int wait_for(struct replay_pipe *pipe, short events, int64_t limit_ns, struct err *err)
{
    struct pollfd ready = {.fd = pipe->fd, .events = events};
    struct timespec limit = {.tv_sec = (time_t)(limit_ns / NS_PER_S), .tv_nsec = (long)(limit_ns % NS_PER_S)};
    int count = ppoll(&ready, 1, limit_ns < 0 ? NULL : &limit, &pipe->waiting);
    if (interrupted())
        return interrupt_error(err);
    if (count < 0 && errno != EINTR)
        return err_set_errno(err, errno, "cannot wait for descriptor %d", pipe->number);
    if (count > 0 && (ready.revents & (POLLERR | POLLHUP)) != 0)
        return reader_gone(pipe, err);
    return 0;
}

/* Waits until a time of the monotonic clock. Ends early with an error when the reader goes away (-ERR_NOT_FOUND) or a
 * signal asks to stop (-ERR_INTERRUPTED). */
static int replay_pipe_wait(struct replay_pipe *pipe, int64_t until_ns, struct err *err)
{
    int status = 0;
    int64_t left;
    while (status == 0 && (left = until_ns - clock_now_ns()) > 0)
        status = wait_for(pipe, 0, left, err);
    return status;
}

/* Writes a record with one write(); waits for a slow reader. Errors as above, and -ERR_IO. */
static int replay_pipe_send(struct replay_pipe *pipe, const unsigned char *record, size_t size, struct err *err)
{
    int status = pipe->sent % SIGNAL_POLL == 0 ? wait_for(pipe, 0, 0, err) : 0;
    size_t done = 0;
    bool again = false;
    while (status == 0 && done < size) {
        ssize_t n = write(pipe->fd, record + done, size - done);
        if (n >= 0) { /* all of it at once, when it is a pipe */
            done += (size_t)n;
        } else if (errno == EAGAIN) {
            status = wait_for(pipe, POLLOUT, -1, err);
            if (status == 0 && again)
                status = wait_for(pipe, 0, RETRY_NS, err);
            again = true;
        } else if (errno == EPIPE || errno == ECONNRESET) {
            status = reader_gone(pipe, err);
        } else if (errno != EINTR) {
            status = err_set_errno(err, errno, "cannot write to descriptor %d", pipe->number);
        }
    }
    pipe->sent += status == 0;
    return status;
}

/* msprof replay: the operators of a capture into a pipe, as the device of a subscription sends them. */

#define MODEL_UNKNOWN 4294967295U /* what op_summary says too */
#define MODEL_LIST_LIMIT 256
#define SPEED_UNIT 1000 /* --speed is kept in thousandths */

struct replay {
    const struct replay_settings *settings;
    int64_t model_id; /* DB_NULL: of all models */
    sqlite3 *db;
    struct operator_names_writer names;
    struct replay_pipe pipe;
    uint64_t next_index;
    bool started;
    uint64_t first_ns;  /* when the first operator started, in the capture */
    int64_t started_ns; /* when its time began here, monotonic */
};

static size_t record_size(const struct replay *replay)
{
    return replay->settings->record_size == REPLAY_RECORDS_72 ? OPERATOR_RECORD_OLD_SIZE : OPERATOR_RECORD_SIZE;
}

/* ---- names ---- */

static int collect_name(void *arg, const struct operator_run *run, struct err *err)
{
    struct replay *replay = arg;
    return operator_names_writer_add(&replay->names, run->type, run->name, err);
}

static int add_model(void *arg, int64_t model_id, struct err *err)
{
    struct strbuf *list = arg;
    (void)err;
    strbuf_addf(list, "%s%" PRId64, list->length > 0 ? ", " : "", model_id);
    return 0;
}

static int nothing_to_send(struct replay *replay, struct err *err)
{
    struct err ignored = ERR_INIT;
    SCOPED(strbuf_release) struct strbuf models;

    strbuf_init(&models, MODEL_LIST_LIMIT);
    if (operators_each_model(replay->db, add_model, &models, &ignored) == 0 && models.length > 0)
        return err_set(err, ERR_NOT_FOUND, "the capture has no operators of model %" PRId64 "; its models are %s",
                       replay->model_id, models.data);
    return err_set(err, ERR_NOT_FOUND, "the capture has no operators");
}

/* Before the first record: who reads one may ask for its name at once. */
static int write_names(const struct replay *replay, struct err *err)
{
    struct outfile out;
    if (outfile_open(&out, replay->settings->names, err) < 0)
        return err_status(err);
    operator_names_writer_write(&replay->names, (uint32_t)record_size(replay), (uint64_t)replay->settings->first_index,
                                &out);
    return outfile_commit(&out, err);
}

/* ---- records ---- */

/* An unsigned 32-bit field of a record. */
static uint32_t field(int64_t value, uint32_t unknown)
{
    return value >= 0 && value <= UINT32_MAX ? (uint32_t)value : unknown;
}

/* A time of the capture, which may hold anything: not known (DB_NULL) and negative ones are 0. */
static int64_t sane_time(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

static struct operator_record make_record(const struct replay *replay, const struct operator_run *run)
{
    static const char subgraph[] = "FFTS_PLUS";
    int64_t start_ns = sane_time(run->start_ns), duration_ns = sane_time(run->duration_ns);
    int64_t model_id = run->model_id != DB_NULL ? run->model_id : replay->model_id;

    return (struct operator_record){
        .model_id = field(model_id, MODEL_UNKNOWN),
        .flag = strcmp(run->type, subgraph) == 0 ? OPERATOR_FLAG_SUBGRAPH : OPERATOR_FLAG_OPERATOR,
        .thread_id = field(run->thread_id, 0),
        .device_id = field(run->device_id, 0),
        .index = replay->next_index,
        .duration_ns = (uint64_t)duration_ns,
        .start_ns = (uint64_t)start_ns,
        .end_ns = start_ns > 0 ? (uint64_t)start_ns + (uint64_t)duration_ns : 0,
        .execution_ns = (uint64_t)duration_ns,
    };
}

/* When an operator that ended at this time of the capture is due. */
static int64_t due_ns(const struct replay *replay, uint64_t end_ns)
{
    uint64_t after_ns = end_ns > replay->first_ns ? end_ns - replay->first_ns : 0;
    int64_t wait_ns =
        number_scale(after_ns < INT64_MAX ? (int64_t)after_ns : INT64_MAX, SPEED_UNIT, replay->settings->speed);
    return wait_ns < INT64_MAX - replay->started_ns ? replay->started_ns + wait_ns : INT64_MAX;
}

static int send_operator(void *arg, const struct operator_run *run, struct err *err)
{
    struct replay *replay = arg;
    unsigned char bytes[OPERATOR_RECORD_SIZE];
    const struct operator_record record = make_record(replay, run);

    if (record.start_ns > 0 && !replay->started) {
        replay->started = true;
        replay->first_ns = record.start_ns;
        replay->started_ns = clock_now_ns();
    }
    if (record.start_ns > 0 && replay->settings->speed > 0 &&
        replay_pipe_wait(&replay->pipe, due_ns(replay, record.end_ns), err) < 0)
        return err_status(err);
    operator_record_encode(&record, bytes, record_size(replay));
    replay->next_index++;
    return replay_pipe_send(&replay->pipe, bytes, record_size(replay), err);
}

static int send_operators(struct replay *replay, struct err *err)
{
    if (replay_pipe_open(&replay->pipe, replay->settings->fd, err) < 0)
        return err_status(err);
    int status = operators_each(replay->db, replay->model_id, send_operator, replay, err);
    replay_pipe_close(&replay->pipe);
    return status;
}

/* ---- the command ---- */

static int replay_database(struct capture_visit *visit, sqlite3 *db)
{
    struct replay replay = {
        .settings = &visit->settings->replay,
        .model_id = visit->settings->model_id >= 0 ? visit->settings->model_id : DB_NULL,
        .db = db,
        .pipe = {.fd = -1},
        .next_index = (uint64_t)visit->settings->replay.first_index,
    };
    struct err err = ERR_INIT;
    int status = STATUS_DONE;

    int result = operators_each(db, replay.model_id, collect_name, &replay, &err);
    if (result == 0 && replay.names.entries.count == 0) {
        result = nothing_to_send(&replay, &err);
        status = STATUS_NOTHING;
    }
    if (result == 0 && replay.settings->names != NULL)
        result = write_names(&replay, &err);
    operator_names_writer_release(&replay.names);
    int64_t start_ns = clock_now_ns();
    if (result == 0)
        result = send_operators(&replay, &err);
    if (result == 0) {
        console_note("'%s': %" PRIu64 " operator%s in %s s", visit->shown, replay.pipe.sent,
                     console_plural(replay.pipe.sent), CLOCK_SECONDS_SINCE(start_ns));
        return STATUS_DONE;
    }
    err_wrap(&err, "cannot replay '%s'", visit->shown);
    result = visit_fail(visit, LOG_SOURCE_COMMON, &err);
    return status != STATUS_DONE ? status : result;
}

static int run_replay(const struct settings *settings)
{
    struct err err = ERR_INIT;

    if (settings->replay.fd < 0)
        return console_fail(ERR_USAGE, NULL, "no descriptor given: pass --fd N");
    if (replay_pipe_check(settings->replay.fd, &err) < 0)
        return console_error(&err);
    return captures_query(settings, &settings->captures, visit_open_database, replay_database, NULL);
}

const struct command command_replay = {
    .path = "replay",
    .parent = COMMAND_ROOT,
    .order = 170,
    .imports = true,
    .summary = "send the operators of a capture to a subscriber",
    .description = "Writes one record per operator of a capture to a pipe, at the pace of the capture, as a\ndevice "
                   "does for a program that subscribes to a model. Use it to test such a program without\nhardware.\n",
    .needs_capture = true,
    .takes_one = true,
    EXAMPLES({"all operators at once, into a file", "msprof replay -dir JOBX --fd 3 --speed max 3>operators.bin"},
             {"ten times faster, to a program that reads descriptor 0",
              "msprof replay -dir JOBX --fd 3 --speed 10 --names names 3>&1 >replay.log | MSPROF_OP_NAMES=names "
              "./subscriber"}),
    .run = run_replay,
};
