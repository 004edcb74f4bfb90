/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/subscribe/subscribe_replay.h"

#include "acl/message.h"
#include "acl/subscribe/subscribe_names.h"
#include "base/number.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Descriptors of the child. */
enum { CHILD_RECORDS = 3, CHILD_NAMES = 4, CHILD_FIRST_FREE = 5 };

#define STATUS_NOTHING 4 /* of msprof(1): the capture has no such operators */
#define PATIENCE_MS 2000 /* for the child to end when it is asked to */
#define ARGUMENTS_MAX 24
#define ARGUMENT_LIMIT 8192

/* Settings that only this process is meant to follow: the child must not be recorded itself. */
static const char *const private_settings[] = {
    "LD_PRELOAD=", "MSPROF_REPLAY=", "MSPROF_REPLAY_SPEED=", "MSPROF_REPLAY_OUTPUT=", "MSPROF_OP_NAMES="};

bool subscribe_replay_wanted(void)
{
    const char *capture = secure_getenv("MSPROF_REPLAY");
    return capture != NULL && *capture != '\0';
}

/* ---- the command line ---- */

struct command_line {
    char *words[ARGUMENTS_MAX + 1]; /* ended by NULL */
    size_t count;
    bool failed;
};

static void add_word(struct command_line *line, const char *option, const char *value)
{
    struct strbuf word;
    strbuf_init(&word, ARGUMENT_LIMIT);
    strbuf_addf(&word, "%s%s", option, value);
    char *text = strbuf_detach(&word);
    if (text == NULL || line->count == ARGUMENTS_MAX) {
        free(text);
        line->failed = true;
        return;
    }
    line->words[line->count++] = text;
}

static void add_number(struct command_line *line, const char *option, uint64_t value)
{
    char text[NUMBER_MAX + 1];
    *number_put_unsigned(text, value) = '\0';
    add_word(line, option, text);
}

static void add_setting(struct command_line *line, const char *option, const char *variable)
{
    const char *value = secure_getenv(variable);
    if (value != NULL && *value != '\0')
        add_word(line, option, value);
}

static void make_command_line(struct command_line *line, const char *program, uint32_t model_id, uint64_t first)
{
    add_word(line, program, "");
    add_word(line, "replay", "");
    add_word(line, "--quiet", "");
    add_setting(line, "--collection-dir=", "MSPROF_REPLAY");
    add_setting(line, "--output=", "MSPROF_REPLAY_OUTPUT");
    add_setting(line, "--speed=", "MSPROF_REPLAY_SPEED");
    add_number(line, "--fd=", CHILD_RECORDS);
    add_number(line, "--names=/dev/fd/", CHILD_NAMES);
    add_number(line, "--model-id=", model_id);
    add_number(line, "--first-index=", first);
    add_number(line, "--record-size=", subscribe_record_size());
}

static void release_command_line(struct command_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        free(line->words[i]);
}

/* The environment without the private settings: an array of this process's strings. NULL: memory ran out. */
static char **make_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count] != NULL)
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++) {
        bool is_private = false;
        for (size_t k = 0; k < sizeof private_settings / sizeof *private_settings; k++)
            is_private |= strncmp(environ[i], private_settings[k], strlen(private_settings[k])) == 0;
        if (!is_private)
            copy[kept++] = environ[i];
    }
    return copy;
}

/* ---- the child ---- */

/* Everything that a start holds until it has succeeded or failed. */
struct start {
    int names[2]; /* a pipe: read end, write end; -1 when closed */
    int errors;   /* a file in memory: unlike a pipe it never holds the child up */
    int records;  /* a duplicate of the pipe's write end */
    pid_t pid;
};

static void close_descriptor(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_all(struct start *start)
{
    close_descriptor(&start->names[0]);
    close_descriptor(&start->names[1]);
    close_descriptor(&start->errors);
    close_descriptor(&start->records);
}

/* A duplicate above all that the child gets, so that moving it there never hits another. */
static int duplicate_above(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, CHILD_FIRST_FREE);
}

static bool open_descriptors(struct start *start, int fd)
{
    int ends[2];
    start->records = duplicate_above(fd);
    start->errors = memfd_create("msprof-replay-errors", MFD_CLOEXEC);
    if (start->records < 0 || start->errors < 0 || pipe2(ends, O_CLOEXEC) < 0)
        return false;
    start->names[0] = ends[0];
    start->names[1] = duplicate_above(ends[1]);
    close(ends[1]);
    return start->names[1] >= 0;
}

/* The child has these three and nothing else of this process: above all not the read end of the subscriber's pipe,
 * which would keep it from noticing that the reader is gone. */
static int spawn(struct start *start, struct command_line *line, char **environment)
{
    static const int ended_by[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    const int moved[][2] = {
        {start->errors, STDERR_FILENO}, {start->records, CHILD_RECORDS}, {start->names[1], CHILD_NAMES}};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawnattr_init(&attributes);
    if (code != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return code;
    }
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (size_t i = 0; i < sizeof ended_by / sizeof *ended_by; i++)
        sigaddset(&defaults, ended_by[i]);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    code = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (code == 0)
        code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (code == 0)
        code = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    for (size_t i = 0; code == 0 && i < sizeof moved / sizeof *moved; i++)
        code = posix_spawn_file_actions_adddup2(&actions, moved[i][0], moved[i][1]);
    if (code == 0)
        code = posix_spawn_file_actions_addclosefrom_np(&actions, CHILD_FIRST_FREE);
    if (code == 0)
        code = posix_spawnp(&start->pid, line->words[0], &actions, &attributes, line->words, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

/* Waits for the end of a child that a pidfd stands for; its exit status, or -1: a signal ended it, or somebody else has
 * waited for it. */
static int wait_for_end(int process)
{
    siginfo_t info = {.si_code = 0};
    while (waitid(P_PIDFD, (id_t)process, &info, WEXITED) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return info.si_code == CLD_EXITED ? info.si_status : -1;
}

static int end_process(int process)
{
    struct pollfd ended = {.fd = process, .events = POLLIN};
    pidfd_send_signal(process, SIGTERM, NULL, 0);
    while (poll(&ended, 1, PATIENCE_MS) < 0 && errno == EINTR)
        ;
    if (ended.revents == 0)
        pidfd_send_signal(process, SIGKILL, NULL, 0);
    return wait_for_end(process);
}

/* Reads the complaint of a child that has ended, as one line. */
static void read_complaint(int fd, char *text, size_t size)
{
    ssize_t n = pread(fd, text, size - 1, 0);
    size_t length = n > 0 ? (size_t)n : 0;
    while (length > 0 && text[length - 1] == '\n')
        length--;
    text[length] = '\0';
    for (char *end = text; (end = strchr(end, '\n')) != NULL;)
        *end = ' ';
}

static aclError start_failed(struct start *start, int process, uint32_t model_id)
{
    char complaint[512];
    int status = end_process(process);
    read_complaint(start->errors, complaint, sizeof complaint);
    if (status == STATUS_NOTHING)
        return acl_fail(ACL_ERROR_INVALID_MODEL_ID, "EK0001",
                        "Value %" PRIu32 " for parameter modelId is invalid. Reason: %s", model_id, complaint);
    return acl_fail(ACL_ERROR_PROFILING_FAILURE, "EK9999", "The replay of MSPROF_REPLAY failed (exit status %d): %s",
                    status, complaint);
}

static aclError start_child(struct start *start, struct subscribe_replay *replay, uint32_t model_id)
{
    const char *program = secure_getenv("MSPROF_PROGRAM");
    SCOPED(release_command_line) struct command_line line = {.count = 0};
    struct err err = ERR_INIT;
    uint64_t first = subscribe_names_next();
    SCOPED_FREE char **environment = make_environment();

    make_command_line(&line, program != NULL && *program != '\0' ? program : "msprof", model_id, first);
    if (line.failed || environment == NULL)
        return acl_fail_memory();
    const int code = spawn(start, &line, environment);
    if (code != 0) {
        err_set_errno(&err, code, "'%s', which MSPROF_REPLAY needs, cannot be run", line.words[0]);
        err_hint(&err, "put msprof into PATH, or its path into MSPROF_PROGRAM");
        return acl_fail_err(ACL_ERROR_PROFILING_FAILURE, &err);
    }
    const int process = pidfd_open(start->pid, 0);
    if (process < 0) {
        kill(start->pid, SIGKILL);
        waitpid(start->pid, NULL, 0);
        return acl_fail(ACL_ERROR_PROFILING_FAILURE, "EK9999", "The replay of MSPROF_REPLAY cannot be watched.");
    }
    close_descriptor(&start->names[1]);
    if (subscribe_names_read(start->names[0], model_id, first, &err) < 0) {
        aclError result = start_failed(start, process, model_id);
        close(process);
        return result;
    }
    *replay = (struct subscribe_replay){.process = process, .owner = getpid()};
    return ACL_SUCCESS;
}

aclError subscribe_replay_start(struct subscribe_replay *replay, uint32_t model_id, int fd)
{
    struct start start = {.names = {-1, -1}, .errors = -1, .records = -1};
    aclError result;

    if (model_id > INT32_MAX) /* the largest that --model-id takes */
        return acl_fail(ACL_ERROR_INVALID_MODEL_ID, "EK0001",
                        "Value %" PRIu32 " for parameter modelId is invalid. Reason: no capture has such a model.",
                        model_id);
    if (!open_descriptors(&start, fd))
        result = acl_fail(ACL_ERROR_PROFILING_FAILURE, "EK9999", "The replay of MSPROF_REPLAY cannot start: %s.",
                          strerrordesc_np(errno));
    else
        result = start_child(&start, replay, model_id);
    close_all(&start);
    return result;
}

bool subscribe_replay_wait(const struct subscribe_replay *replay, int timeout_ms)
{
    struct pollfd ended = {.fd = replay->process, .events = POLLIN};
    return replay->process < 0 || poll(&ended, 1, timeout_ms) == 1;
}

void subscribe_replay_stop(struct subscribe_replay *replay)
{
    if (replay->process < 0)
        return;
    if (replay->owner == getpid())
        end_process(replay->process);
    close(replay->process);
    *replay = SUBSCRIBE_REPLAY_NONE;
}
