/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/message.h"
#include "acl/mode.h"
#include "acl/subscribe/operator_record.h"
#include "acl/subscribe/subscribe_names.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "msprof/acl_prof.h"
#include "msprof/svp_acl_prof.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* A subscription without hardware: "msprof replay" as a child process that sends the operators of a capture into the
 * pipe. Described in aclprofModelSubscribe(3), ENVIRONMENT. */

/* All zero but process -1: none runs. */
struct subscribe_replay {
    int process; /* pidfd */
    pid_t owner; /* the process that started it: a forked child must not end it */
};

#define SUBSCRIBE_REPLAY_NONE ((struct subscribe_replay){.process = -1})

/* Descriptors of the child. */
enum { CHILD_RECORDS = 3, CHILD_NAMES = 4, CHILD_FIRST_FREE = 5 };

#define STATUS_NOTHING 4 /* of msprof(1): the capture has no such operators */
#define PATIENCE_MS 2000 /* for the child to end when it is asked to */
#define ARGUMENTS_MAX 24
#define ARGUMENT_LIMIT 8192

/* Settings that only this process is meant to follow: the child must not be recorded itself. */
static const char *const private_settings[] = {
    "LD_PRELOAD=", "MSPROF_REPLAY=", "MSPROF_REPLAY_SPEED=", "MSPROF_REPLAY_OUTPUT=", "MSPROF_OP_NAMES="};

/* Whether MSPROF_REPLAY names a capture. */
static bool subscribe_replay_wanted(void)
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
    if (status < 0)
        return acl_fail(ACL_ERROR_PROFILING_FAILURE, "EK9999",
                        "The replay of MSPROF_REPLAY failed (a signal ended it, or its exit status is not to be had as "
                        "this program ignores SIGCHLD): %s",
                        complaint);
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
        err_set_errno(&err, code, "cannot run '%s', which MSPROF_REPLAY needs", line.words[0]);
        err_hint(&err, "add msprof to PATH, or set MSPROF_PROGRAM to its path");
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

/* Starts the replay of a model's operators into fd, and waits until their names are known. 0, or a code with its
 * message set and nothing left running: ACL_ERROR_INVALID_MODEL_ID when the capture has no operators of the model,
 * ACL_ERROR_PROFILING_FAILURE otherwise. */
static aclError subscribe_replay_start(struct subscribe_replay *replay, uint32_t model_id, int fd)
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

/* Waits at most timeout_ms (-1: as long as it takes) until it has sent everything. False: it has not. */
static bool subscribe_replay_wait(const struct subscribe_replay *replay, int timeout_ms)
{
    struct pollfd ended = {.fd = replay->process, .events = POLLIN};
    return replay->process < 0 || poll(&ended, 1, timeout_ms) == 1;
}

/* Ends it, whether it is still at work or not; afterwards it does not hold the pipe any more. */
static void subscribe_replay_stop(struct subscribe_replay *replay)
{
    if (replay->process < 0)
        return;
    if (replay->owner == getpid())
        end_process(replay->process);
    close(replay->process);
    *replay = SUBSCRIBE_REPLAY_NONE;
}

/* Boards have the same functions as CANN, under other names and with the same types. */
#define ALSO_AS(svp_name, name) extern __typeof__(name) svp_name __attribute__((alias(#name)))

/* ---- readers of subscribed records ---- */

/* Bytes that a program got from the pipe, and which record of them is meant. */
struct operator_place {
    const void *info;
    size_t length;
    uint32_t index;
};

/* How many records info holds; does not look into them. */
static aclError count_records(const void *info, size_t length, size_t *ret)
{
    size_t size = subscribe_record_size();
    if (info == NULL)
        return acl_fail_null("opInfo");
    if (length % size != 0)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "opInfoLen", length,
                               "it is not a whole multiple of the size that aclprofGetOpDescSize gives");
    *ret = length / size;
    return ACL_SUCCESS;
}

static aclError subscribe_record_at(const struct operator_place *place, struct operator_record *ret)
{
    size_t size = subscribe_record_size(), count = 0;
    aclError code = count_records(place->info, place->length, &count);
    *ret = (struct operator_record){.index = 0};
    if (code != ACL_SUCCESS)
        return code;
    if (place->index >= count)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "index", place->index, "there are not so many records");
    if (!operator_record_decode((const unsigned char *)place->info + place->index * size, size, ret))
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "opInfo", place->index,
                               "the signature of the record with this index is wrong");
    return ACL_SUCCESS;
}

static aclError subscribe_text_length(const struct operator_place *place, enum operator_text which, size_t *ret)
{
    struct operator_record record;
    if (ret == NULL)
        return acl_fail_null(which == OPERATOR_TYPE ? "opTypeLen" : "opNameLen");
    aclError code = subscribe_record_at(place, &record);
    return code == ACL_SUCCESS ? subscribe_names_length(record.index, which, ret) : code;
}

static aclError subscribe_text(const struct operator_place *place, enum operator_text which, char *buffer, size_t size)
{
    struct operator_record record;
    if (buffer == NULL)
        return acl_fail_null(which == OPERATOR_TYPE ? "opType" : "opName");
    if (size == 0)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, which == OPERATOR_TYPE ? "opTypeLen" : "opNameLen", size,
                               "there is no room for a text");
    aclError code = subscribe_record_at(place, &record);
    return code == ACL_SUCCESS ? subscribe_names_get(record.index, which, buffer, size) : code;
}

#define PLACE (&(const struct operator_place){opInfo, opInfoLen, index})

/* Each returns 0, or ACL_ERROR_INVALID_PARAM with its message set and the outputs untouched: NULL, a length that is no
 * multiple of the record's size, an index beyond the end, a wrong signature (of any record for aclprofGetOpNum, else of
 * the record at the place). */
aclError aclprofGetOpDescSize(size_t *opDescSize)
{
    if (opDescSize == NULL)
        return acl_fail_null("opDescSize");
    *opDescSize = subscribe_record_size();
    return ACL_SUCCESS;
}
ALSO_AS(svp_acl_prof_get_op_desc_size, aclprofGetOpDescSize);

aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen, uint32_t *opNumber)
{
    size_t size = subscribe_record_size(), count = 0;
    if (opNumber == NULL)
        return acl_fail_null("opNumber");
    aclError code = count_records(opInfo, opInfoLen, &count);
    if (code != ACL_SUCCESS)
        return code;
    if (count > UINT32_MAX)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "opInfoLen", opInfoLen, "there are too many records");
    for (size_t i = 0; i < count; i++) {
        if (!operator_record_is_sound((const unsigned char *)opInfo + i * size, size))
            return acl_fail_number(ACL_ERROR_INVALID_PARAM, "opInfo", i,
                                   "the signature of the record with this index is wrong");
    }
    *opNumber = (uint32_t)count;
    return ACL_SUCCESS;
}
ALSO_AS(svp_acl_prof_get_op_num, aclprofGetOpNum);

aclError aclprofGetOpTypeLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opTypeLen)
{
    return subscribe_text_length(PLACE, OPERATOR_TYPE, opTypeLen);
}
ALSO_AS(svp_acl_prof_get_op_type_len, aclprofGetOpTypeLen);

aclError aclprofGetOpNameLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opNameLen)
{
    return subscribe_text_length(PLACE, OPERATOR_NAME, opNameLen);
}
ALSO_AS(svp_acl_prof_get_op_name_len, aclprofGetOpNameLen);

aclError aclprofGetOpType(const void *opInfo, size_t opInfoLen, uint32_t index, char *opType, size_t opTypeLen)
{
    return subscribe_text(PLACE, OPERATOR_TYPE, opType, opTypeLen);
}
ALSO_AS(svp_acl_prof_get_op_type, aclprofGetOpType);

aclError aclprofGetOpName(const void *opInfo, size_t opInfoLen, uint32_t index, char *opName, size_t opNameLen)
{
    return subscribe_text(PLACE, OPERATOR_NAME, opName, opNameLen);
}
ALSO_AS(svp_acl_prof_get_op_name, aclprofGetOpName);

/* A number of a record; 0 when there is none at the place. */
#define NUMBER(type, name, svp_name, member)                                                                           \
    type name(const void *opInfo, size_t opInfoLen, uint32_t index)                                                    \
    {                                                                                                                  \
        struct operator_record record;                                                                                 \
        return subscribe_record_at(PLACE, &record) == ACL_SUCCESS ? record.member : 0;                                 \
    }                                                                                                                  \
    ALSO_AS(svp_name, name)

NUMBER(uint64_t, aclprofGetOpStart, svp_acl_prof_get_op_start, start_ns);
NUMBER(uint64_t, aclprofGetOpEnd, svp_acl_prof_get_op_end, end_ns);
NUMBER(uint64_t, aclprofGetOpDuration, svp_acl_prof_get_op_duration, duration_ns);
NUMBER(size_t, aclprofGetModelId, svp_acl_prof_get_model_id, model_id);

size_t aclprofGetGraphId(const void *opInfo, size_t opInfoLen, uint32_t index)
{
    return aclprofGetModelId(opInfo, opInfoLen, index);
}

aclprofSubscribeOpFlag aclprofGetOpFlag(const void *opInfo, size_t opInfoLen, uint32_t index)
{
    struct operator_record record;
    if (subscribe_record_at(PLACE, &record) != ACL_SUCCESS)
        return ACL_SUBSCRIBE_NONE;
    return record.flag <= ACL_SUBSCRIBE_OP_THREAD ? (aclprofSubscribeOpFlag)record.flag : ACL_SUBSCRIBE_NONE;
}

const char *aclprofGetOpAttriValue(const void *opInfo, size_t opInfoLen, uint32_t index, aclprofSubscribeOpAttri attri)
{
    static _Thread_local char text[NUMBER_MAX + 1];
    struct operator_record record;
    if (attri != ACL_SUBSCRIBE_ATTRI_THREADID) {
        acl_fail_number(ACL_ERROR_INVALID_PARAM, "attri", (uint64_t)attri, "unknown attribute");
        return NULL;
    }
    if (subscribe_record_at(PLACE, &record) != ACL_SUCCESS)
        return NULL;
    if (record.flag != ACL_SUBSCRIBE_OP_THREAD) {
        acl_fail_number(ACL_ERROR_INVALID_PARAM, "attri", (uint64_t)attri,
                        "only a record of an operator's thread has a thread id");
        return NULL;
    }
    *number_put_unsigned(text, record.thread_id) = '\0';
    return text;
}

/* ---- configurations ---- */

struct aclprofSubscribeConfig {
    struct aclprofSubscribeConfig *next;
    bool times;
    aclprofAicoreMetrics metrics;
    int fd;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct aclprofSubscribeConfig *configs; /* all that exist */

static aclError refuse(aclError code, const char *parameter, int64_t value, const char *reason)
{
    char text[NUMBER_MAX + 1];
    *number_put_signed(text, value) = '\0';
    return acl_fail_value(code, parameter, text, reason);
}

/* A new configuration with the write end that *fd names; metrics are what aclprofAicoreMetrics numbers. NULL, with its
 * message set, when a value is wrong or memory ran out. */
static aclprofSubscribeConfig *subscribe_config_new(int8_t time_switch, aclprofAicoreMetrics metrics, const void *fd)
{
    if (fd == NULL) {
        acl_fail_null("fd");
        return NULL;
    }
    int descriptor = *(const int *)fd;
    if (time_switch != 0 && time_switch != 1) {
        refuse(ACL_ERROR_INVALID_PARAM, "timeInfoSwitch", time_switch, "it is neither 0 nor 1");
        return NULL;
    }
    if (descriptor < 0) {
        refuse(ACL_ERROR_INVALID_PARAM, "fd", descriptor, "it is not a descriptor");
        return NULL;
    }
    struct aclprofSubscribeConfig *config = malloc(sizeof *config);
    if (config == NULL) {
        acl_fail_memory();
        return NULL;
    }
    *config = (struct aclprofSubscribeConfig){.times = time_switch == 1, .metrics = metrics, .fd = descriptor};
    pthread_mutex_lock(&lock);
    config->next = configs;
    configs = config;
    pthread_mutex_unlock(&lock);
    return config;
}

svp_acl_prof_subscribe_config *svp_acl_prof_create_subscribe_config(int8_t time_info_switch,
                                                                    svp_acl_prof_aicore_metrics aicore_metrics,
                                                                    const void *fd)
{
    (void)aicore_metrics;
    /* The type is opaque: behind it is the same configuration. */
    return (svp_acl_prof_subscribe_config *)subscribe_config_new(time_info_switch, ACL_AICORE_NONE, fd);
}

/* With the lock held: the place that points to a configuration, or to NULL: there is none at this address. */
static struct aclprofSubscribeConfig **find_config(const void *config)
{
    struct aclprofSubscribeConfig **place = &configs;
    while (*place != NULL && *place != config)
        place = &(*place)->next;
    return place;
}

/* ACL_ERROR_INVALID_PARAM when it is no configuration (any more). Models that use it stay subscribed. */
static aclError subscribe_config_free(const void *config)
{
    if (config == NULL)
        return acl_fail_null("profSubscribeConfig");
    pthread_mutex_lock(&lock);
    struct aclprofSubscribeConfig **place = find_config(config), *found = *place;
    if (found != NULL)
        *place = found->next;
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return acl_fail_value(ACL_ERROR_INVALID_PARAM, "profSubscribeConfig", "pointer",
                              "it is not a subscription configuration, or has been destroyed");
    free(found);
    return ACL_SUCCESS;
}

svp_acl_error svp_acl_prof_destroy_subscribe_config(const svp_acl_prof_subscribe_config *subscribe_config)
{
    return subscribe_config_free(subscribe_config);
}

/* ---- models: without a device every one is on device 0 ---- */

struct subscription {
    struct subscription *next;
    uint32_t model_id;
    struct aclprofSubscribeConfig config; /* a copy: the program's may be destroyed before */
    struct subscribe_replay replay;
};

static struct subscription *subscriptions;

static bool is_writable(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && ((flags & O_ACCMODE) == O_WRONLY || (flags & O_ACCMODE) == O_RDWR);
}

/* Checks a subscription, but for a free place, in the order in which the codes are documented. */
static aclError check_subscription(uint32_t model_id, const struct aclprofSubscribeConfig *config)
{
    if (!config->times && config->metrics == ACL_AICORE_NONE)
        return acl_fail_value(ACL_ERROR_INVALID_PARAM, "timeInfoSwitch", "0",
                              "without times and metrics there is nothing to subscribe to");
    for (const struct subscription *other = subscriptions; other != NULL; other = other->next) {
        if (other->model_id == model_id)
            return refuse(ACL_ERROR_PROF_REPEAT_SUBSCRIBE, "modelId", model_id, "the model is subscribed already");
    }
    for (const struct subscription *other = subscriptions; other != NULL; other = other->next) {
        if (other->config.times != config->times || other->config.metrics != config->metrics)
            return refuse(ACL_ERROR_INVALID_PROFILING_CONFIG, "modelId", model_id,
                          "another model of the device is subscribed with another configuration");
    }
    if (!is_writable(config->fd))
        return refuse(ACL_ERROR_INVALID_PARAM, "fd", config->fd, "it is not open for writing");
    return ACL_SUCCESS;
}

static void tell_of_silence(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        acl_tell("no device: the pipe delivers operators only if MSPROF_REPLAY names a capture, or another program "
                 "writes them.");
}

/* With the lock held and the mode claimed. */
static aclError add_subscription(uint32_t model_id, const struct aclprofSubscribeConfig *config)
{
    aclError code = check_subscription(model_id, config);
    if (code != ACL_SUCCESS)
        return code;
    struct subscription *subscription = malloc(sizeof *subscription);
    if (subscription == NULL)
        return acl_fail_memory();
    *subscription = (struct subscription){
        .next = subscriptions, .model_id = model_id, .config = *config, .replay = SUBSCRIBE_REPLAY_NONE};
    if (!subscribe_replay_wanted())
        tell_of_silence();
    else
        code = subscribe_replay_start(&subscription->replay, model_id, config->fd);
    if (code == ACL_SUCCESS)
        subscriptions = subscription;
    else
        free(subscription);
    return code;
}

/* caller is the function that messages name. Codes as aclprofModelSubscribe's and aclprofModelUnSubscribe's. */
static aclError subscribe_model(uint32_t model_id, const void *config, const char *caller)
{
    if (config == NULL)
        return acl_fail_null("profSubscribeConfig");
    aclError code;
    pthread_mutex_lock(&lock);
    const struct aclprofSubscribeConfig *found = *find_config(config);
    if (found == NULL)
        code = acl_fail_value(ACL_ERROR_INVALID_PARAM, "profSubscribeConfig", "pointer",
                              "it is not a subscription configuration, or has been destroyed");
    else
        code = acl_mode_claim(ACL_MODE_SUBSCRIBE, caller);
    if (found != NULL && code == ACL_SUCCESS) {
        code = add_subscription(model_id, found);
        if (code != ACL_SUCCESS)
            acl_mode_release(ACL_MODE_SUBSCRIBE);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

svp_acl_error svp_acl_prof_model_subscribe(uint32_t model_id, const svp_acl_prof_subscribe_config *subscribe_config)
{
    return subscribe_model(model_id, subscribe_config, "svp_acl_prof_model_subscribe");
}

/* With the lock held. */
static bool is_used(int fd)
{
    const struct subscription *other = subscriptions;
    while (other != NULL && other->config.fd != fd)
        other = other->next;
    return other != NULL;
}

/* With the lock held: the place that points to a model's subscription, or to NULL. */
static struct subscription **find_subscription(uint32_t model_id)
{
    struct subscription **place = &subscriptions;
    while (*place != NULL && (*place)->model_id != model_id)
        place = &(*place)->next;
    return place;
}

aclError aclprofModelUnSubscribe(uint32_t modelId)
{
    pthread_mutex_lock(&lock);
    struct subscription **place = find_subscription(modelId), *found = *place;
    if (found != NULL) {
        *place = found->next;
        subscribe_replay_stop(&found->replay);
        if (!is_used(found->config.fd))
            close(found->config.fd);
        acl_mode_release(ACL_MODE_SUBSCRIBE);
    }
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return refuse(ACL_ERROR_INVALID_MODEL_ID, "modelId", modelId, "the model is not subscribed");
    free(found);
    return ACL_SUCCESS;
}

ALSO_AS(svp_acl_prof_model_unsubscribe, aclprofModelUnSubscribe);

int msprof_acl_replay_runs(uint32_t modelId, int timeoutMs)
{
    struct subscribe_replay replay = SUBSCRIBE_REPLAY_NONE;
    pthread_mutex_lock(&lock);
    const struct subscription *found = *find_subscription(modelId);
    if (found != NULL && found->replay.process >= 0)
        replay.process = fcntl(found->replay.process, F_DUPFD_CLOEXEC, 0); /* the subscription may end meanwhile */
    pthread_mutex_unlock(&lock);
    if (replay.process < 0)
        return 0;
    bool ended = subscribe_replay_wait(&replay, timeoutMs);
    close(replay.process);
    return !ended;
}

aclprofSubscribeConfig *aclprofCreateSubscribeConfig(int8_t timeInfoSwitch, aclprofAicoreMetrics aicoreMetrics,
                                                     void *fd)
{
    return subscribe_config_new(timeInfoSwitch, aicoreMetrics, fd);
}

aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig)
{
    return subscribe_config_free(profSubscribeConfig);
}

aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig *profSubscribeConfig)
{
    return subscribe_model(modelId, profSubscribeConfig, "aclprofModelSubscribe");
}
