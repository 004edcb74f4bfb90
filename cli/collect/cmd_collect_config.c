/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/collect/cmd_collect_config.h"

#include "base/file/fsutil.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "cli/console.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Secrets that stand elsewhere than in the ini file. */

#define SECRET_LIMIT ((size_t)16 * 1024) /* bytes */
#define TICK_MS 100
#define GRACE_TICKS 20 /* after SIGTERM */

static void secret_free(char *secret)
{
    if (secret != NULL)
        explicit_bzero(secret, strlen(secret));
    free(secret);
}

static int from_environment(const char *name, const char *what, int seconds, char **ret, struct err *err)
{
    const char *value = getenv(name);

    (void)seconds;
    if (value == NULL) {
        err_set(err, ERR_USAGE, "'%s' is env:%s, but the environment has no such variable", what, name);
        return err_hint(err, "export %s before you run msprof", name);
    }
    *ret = strdup(value);
    return *ret != NULL ? 0 : err_no_memory(err);
}

/* The first line of a file. */
static int from_file(const char *path, const char *what, int seconds, char **ret, struct err *err)
{
    char *text = NULL;
    size_t length;
    int result = path_read_file(path, SECRET_LIMIT, &text, &length, err);

    (void)seconds;
    if (result != 0)
        return err_wrap(err, "cannot get '%s' from its file", what);
    explicit_bzero(text + strcspn(text, "\r\n"), length - strcspn(text, "\r\n"));
    *ret = text;
    return 0;
}

static int start_command(const char *command, int output, pid_t *ret, struct err *err)
{
    static char shell[] = "sh", option[] = "-c";
    SCOPED_FREE char *copy = scoped_text(command, SIZE_MAX);
    posix_spawn_file_actions_t actions;

    if (copy == NULL || posix_spawn_file_actions_init(&actions) != 0)
        return err_no_memory(err);
    char *const words[] = {shell, option, copy, NULL};

    int errnum = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (errnum == 0)
        errnum = posix_spawn(ret, "/bin/sh", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return errnum == 0 ? 0 : err_set_errno(err, errnum, "cannot start a shell");
}

/* Reads to the end; *ret_length bytes in buffer. False when there is too much, an interrupt came, or all the ticks are
 * over (it may be asking somebody, so only waiting counts). */
static bool read_all(int fd, char *buffer, size_t size, size_t *ret_length, int *ticks)
{
    while (*ticks > 0) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};

        if (interrupted() || *ret_length == size)
            return false;
        if (poll(&ready, 1, TICK_MS) <= 0) {
            --*ticks;
            continue;
        }
        ssize_t n = read(fd, buffer + *ret_length, size - *ret_length);
        if (n == 0)
            return true;
        if (n > 0)
            *ret_length += (size_t)n;
        else if (errno != EINTR)
            return false;
    }
    return false;
}

/* Its exit status; one that closed its output and goes on, or does not end when it is asked to, is killed. */
static int wait_for(pid_t process, int ticks)
{
    int status = -1;
    pid_t ended;

    while ((ended = waitpid(process, &status, WNOHANG)) == 0 && ticks-- > 0 && !interrupted())
        poll(NULL, 0, TICK_MS);
    if (ended == 0) {
        kill(process, SIGKILL);
        waitpid(process, &status, 0);
    }
    return status;
}

/* The first line of what a command prints. */
static int from_command(const char *command, const char *what, int seconds, char **ret, struct err *err)
{
    int ticks = seconds * (1000 / TICK_MS);
    char *buffer = calloc(1, SECRET_LIMIT + 1);
    size_t length = 0;
    int ends[2] = {-1, -1}, result, status;
    pid_t process = -1;
    bool complete;

    if (buffer == NULL)
        return err_no_memory(err);
    if (pipe2(ends, O_CLOEXEC) < 0) {
        result = err_set_errno(err, errno, "cannot make a pipe");
        goto out;
    }
    result = start_command(command, ends[1], &process, err);
    close(ends[1]);
    if (result != 0)
        goto out;
    complete = read_all(ends[0], buffer, SECRET_LIMIT, &length, &ticks);
    if (!complete)
        kill(process, SIGTERM);
    status = wait_for(process, complete ? ticks : GRACE_TICKS);
    if (interrupted()) {
        result = interrupt_error(err);
    } else if (ticks <= 0) {
        err_set(err, ERR_REMOTE, "the command for '%s' did not answer within %d s", what, seconds);
        result = err_hint(err, "run it by hand to see what it waits for, or set a larger 'timeout' in the ini file");
    } else if (!complete || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        result = err_set(err, ERR_USAGE, "the command for '%s' failed", what);
    }
out:
    if (ends[0] >= 0)
        close(ends[0]);
    if (result == 0) {
        explicit_bzero(buffer + strcspn(buffer, "\r\n"), SECRET_LIMIT - strcspn(buffer, "\r\n"));
        *ret = buffer;
    } else {
        explicit_bzero(buffer, SECRET_LIMIT);
        free(buffer);
    }
    return result;
}

/* A secret as the ini file gives it: env:NAME, file:PATH, cmd:COMMAND (which may take so many seconds, else
 * -ERR_REMOTE), or itself. *ret is overwritten and freed with secret_free. No message holds any of it. only_looks:
 * *ret gets nothing, -ERR_USAGE when an env:NAME names no variable. */
static int secret_resolve(const char *text, const char *what, int seconds, bool only_looks, char **ret, struct err *err)
{
    static const struct {
        const char *prefix;
        int (*resolve)(const char *rest, const char *what, int seconds, char **ret, struct err *err);
    } ways[] = {{"env:", from_environment}, {"file:", from_file}, {"cmd:", from_command}};
    static const char variable[] = "env:";

    if (only_looks && (strncmp(text, variable, sizeof variable - 1) != 0 || getenv(text + sizeof variable - 1) != NULL))
        return 0;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        size_t length = strlen(ways[i].prefix);

        if (strncmp(text, ways[i].prefix, length) != 0)
            continue;
        int result = ways[i].resolve(text + length, what, seconds, ret, err);
        if (result == 0 && *ret != NULL && (*ret)[0] == '\0') {
            free(*ret);
            *ret = NULL;
            result = err_set(err, ERR_USAGE, "the value that '%s' refers to is empty", what);
        }
        return result;
    }
    *ret = strdup(text);
    return *ret != NULL ? 0 : err_no_memory(err);
}

#define COLLECT_MAX_BOARDS 64

#define PLAIN_SECTION "ssh_config"
#define MOST_TIMEOUT 3600
#define SECRET_TIMES 12 /* the timeout that a command may take which gives a secret: it may ask somebody */

static const char *const known_keys[] = {"ip",          "username", "pwd",        "port",    "key", "passphrase",
                                         "known_hosts", "project",  "remote_dir", "timeout", NULL};

/* Where a key of a board stands: in its own section, or else in the plain one. */
static const struct ini_entry *find(const struct collect_config *config, const struct collect_target *target,
                                    const char *key)
{
    const struct ini_entry *entry = ini_find(&config->ini, target->section, key);

    return entry != NULL ? entry : ini_find(&config->ini, PLAIN_SECTION, key);
}

static const char *value_of(const struct collect_config *config, const struct collect_target *target, const char *key)
{
    const struct ini_entry *entry = find(config, target, key);

    return entry != NULL && entry->value[0] != '\0' ? entry->value : NULL;
}

static int require(const struct collect_config *config, const struct collect_target *target, const char *file,
                   const char *key, const char **ret, struct err *err)
{
    *ret = value_of(config, target, key);
    if (*ret != NULL)
        return 0;
    err_set(err, ERR_USAGE, "'%s': section [%s] has no '%s'", file, target->section, key);
    return err_hint(err, "[%s] needs at least ip, username and one of pwd and key", target->section);
}

static int take_number(const struct collect_config *config, const struct collect_target *target, const char *file,
                       const char *key, int most, int *ret, struct err *err)
{
    const struct ini_entry *entry = find(config, target, key);
    int64_t number;

    if (entry == NULL)
        return 0;
    if (number_parse_integer(entry->value, strlen(entry->value), &number) != 0 || number < 1 || number > most)
        return err_set(err, ERR_USAGE, "'%s', line %zu: '%s' is '%s', expected a number from 1 to %d", file,
                       entry->line, key, entry->value, most);
    *ret = (int)number;
    return 0;
}

static int take_secret(const struct collect_config *config, const struct collect_target *target, const char *key,
                       bool only_looks, char **ret, struct err *err)
{
    const char *text = value_of(config, target, key);

    return text != NULL ? secret_resolve(text, key, target->ssh.timeout * SECRET_TIMES, only_looks, ret, err) : 0;
}

/* A path with "~/" for the home directory of this machine's user: HOME, or what the passwd entry says where that is
 * unset or empty, as under cron. */
static int take_path(const char *text, char **ret, struct err *err)
{
    const char *home = getenv("HOME");
    struct passwd entry, *found = NULL;
    char names[4096];

    if (text == NULL)
        return 0;
    const bool in_home = strncmp(text, "~/", 2) == 0;
    if (in_home && (home == NULL || home[0] == '\0')) {
        home = getpwuid_r(getuid(), &entry, names, sizeof names, &found) == 0 && found != NULL ? entry.pw_dir : "";
        if (home[0] == '\0')
            return err_set(err, ERR_USAGE,
                           "'%s': home directory is unknown, neither HOME nor a passwd entry names it; set HOME", text);
    }
    *ret = in_home ? path_join(home, text + 2) : strdup(text);
    return *ret != NULL ? 0 : err_no_memory(err);
}

static int load_target(struct collect_config *config, struct collect_target *target, const struct settings *settings,
                       struct err *err)
{
    const char *file = settings->collect.config, *known_hosts = value_of(config, target, "known_hosts");
    const bool only_looks = settings->collect.dry_run; /* a plan needs no secrets */
    struct ssh_target *ssh = &target->ssh;

    ssh->port = SSH_DEFAULT_PORT;
    ssh->timeout = SSH_DEFAULT_TIMEOUT;
    ssh->reconnect_seconds = settings->collect.reconnect_seconds;
    ssh->accept_new_host_key = settings->collect.accept_new_host_key;
    target->project = value_of(config, target, "project");
    target->remote_dir = value_of(config, target, "remote_dir");
    if (require(config, target, file, "ip", &ssh->host, err) != 0 ||
        require(config, target, file, "username", &ssh->user, err) != 0 ||
        take_number(config, target, file, "port", 65535, &ssh->port, err) != 0 ||
        take_number(config, target, file, "timeout", MOST_TIMEOUT, &ssh->timeout, err) != 0 ||
        take_path(value_of(config, target, "key"), &ssh->key, err) != 0 ||
        take_path(known_hosts != NULL ? known_hosts : "~/.ssh/known_hosts", &ssh->known_hosts, err) != 0 ||
        take_secret(config, target, "pwd", only_looks, &ssh->password, err) != 0 ||
        take_secret(config, target, "passphrase", only_looks, &ssh->passphrase, err) != 0)
        return err_status(err);
    if (target->remote_dir != NULL && target->remote_dir[0] != '/')
        return err_set(err, ERR_USAGE, "'%s': 'remote_dir' is '%s', expected an absolute path of the board", file,
                       target->remote_dir);
    return 0;
}

/* Words of other programs for our keys; further from ours than a slip of the finger. */
static const struct {
    const char *word, *key;
} other_words[] = {{"password", "pwd"},   {"passwd", "pwd"},       {"pass", "pwd"},        {"user", "username"},
                   {"login", "username"}, {"host", "ip"},          {"hostname", "ip"},     {"address", "ip"},
                   {"identity", "key"},   {"identityfile", "key"}, {"private_key", "key"}, {"keyfile", "key"}};

/* The known key that is meant, NULL if no key is similar. */
static const char *nearest_key(const char *word, char near[SUGGESTION_SIZE])
{
    struct suggestion suggestion;

    for (size_t i = 0; i < sizeof other_words / sizeof other_words[0]; i++)
        if (strcasecmp(other_words[i].word, word) == 0)
            return other_words[i].key;
    suggestion_init(&suggestion, word);
    for (size_t k = 0; known_keys[k] != NULL; k++)
        suggestion_offer(&suggestion, known_keys[k]);
    memcpy(near, suggestion.nearest, SUGGESTION_SIZE);
    return near[0] != '\0' ? near : NULL;
}

static void warn_of_unknown_key(const struct ini_entry *entry, const char *file)
{
    char near[SUGGESTION_SIZE];
    const char *meant = nearest_key(entry->key, near);
    SCOPED(strbuf_release) struct strbuf list;

    strbuf_init(&list, 1024);
    for (size_t k = 0; known_keys[k] != NULL; k++) {
        if (strcasecmp(known_keys[k], entry->key) == 0)
            return;
        strbuf_addf(&list, "%s%s", k > 0 ? ", " : "", known_keys[k]);
    }
    if (meant != NULL)
        console_warning("'%s', line %zu: unknown key '%s', did you mean '%s'?", file, entry->line, entry->key, meant);
    else
        console_warning("'%s', line %zu: unknown key '%s'; expected one of %s", file, entry->line, entry->key,
                        list.data);
}

static bool is_of_boards(const char *section)
{
    const size_t length = strlen(PLAIN_SECTION);

    return strncmp(section, PLAIN_SECTION, length) == 0 && (section[length] == '\0' || section[length] == ':');
}

/* Warns by the word before the colon of "ssh_confg:lab". */
static void warn_of_unknown_section(const struct ini_entry *entry, const char *file)
{
    const size_t length = strcspn(entry->section, ":");
    struct suggestion suggestion;
    SCOPED_FREE char *word = scoped_text(entry->section, length);

    suggestion_init(&suggestion, word != NULL ? word : "");
    suggestion_offer(&suggestion, PLAIN_SECTION);
    if (suggestion.nearest[0] != '\0' || (word != NULL && strcasecmp(word, PLAIN_SECTION) == 0))
        console_warning("'%s', line %zu: unknown section [%s], did you mean [" PLAIN_SECTION "%s]?", file, entry->line,
                        entry->section, entry->section + length);
    else
        console_warning("'%s', line %zu: unknown section [%s]; expected [" PLAIN_SECTION "] and [" PLAIN_SECTION
                        ":NAME]",
                        file, entry->line, entry->section);
}

static void warn_of_unknown_words(const struct collect_config *config, const char *file)
{
    for (size_t i = 0; i < config->ini.count; i++) {
        const struct ini_entry *entry = &config->ini.entries[i];

        if (!is_of_boards(entry->section)) {
            if (entry->key == NULL)
                warn_of_unknown_section(entry, file);
        } else if (entry->key != NULL) {
            warn_of_unknown_key(entry, file);
        }
    }
}

static bool is_quoted(const char *value)
{
    const size_t length = strlen(value);

    return length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0];
}

/* Quotes around a value are a habit of other files. A secret may have them: there they stay, and are warned of. */
static void drop_quotes(struct collect_config *config, const char *file)
{
    for (size_t i = 0; i < config->ini.count; i++) {
        struct ini_entry *entry = &config->ini.entries[i];

        if (entry->key == NULL || !is_of_boards(entry->section) || !is_quoted(entry->value))
            continue;
        if (strcasecmp(entry->key, "pwd") == 0 || strcasecmp(entry->key, "passphrase") == 0) {
            console_warning("'%s', line %zu: the quotes around '%s' count as part of the value", file, entry->line,
                            entry->key);
        } else {
            const size_t inside = strlen(entry->value) - 2;
            memmove(entry->value, entry->value + 1, inside);
            entry->value[inside] = '\0';
        }
    }
}

static void warn_of_mode(const char *file)
{
    struct stat st;

    if (stat(file, &st) == 0 && (st.st_mode & (S_IRGRP | S_IROTH)) != 0)
        console_warning("other users can read '%s', which may contain a password: chmod 600 '%s'", file, file);
}

/* The section of the file that may be meant. */
static void suggest_section(const struct collect_config *config, const char *section, struct err *err)
{
    struct suggestion suggestion;

    suggestion_init(&suggestion, section);
    for (size_t i = 0; i < config->ini.count; i++)
        if (config->ini.entries[i].key == NULL)
            suggestion_offer(&suggestion, config->ini.entries[i].section);
    if (suggestion.nearest[0] != '\0')
        err_hint(err, "it has [%s]", suggestion.nearest);
}

static int choose_section(struct collect_config *config, struct collect_target *target, const char *file,
                          struct err *err)
{
    struct strbuf section;

    strbuf_init(&section, 1024);
    strbuf_addf(&section, PLAIN_SECTION "%s%s", target->name != NULL ? ":" : "",
                target->name != NULL ? target->name : "");
    target->section = strbuf_detach(&section);
    if (target->section == NULL)
        return err_no_memory(err);
    if (ini_has_section(&config->ini, target->section))
        return 0;
    err_set(err, ERR_USAGE, "'%s' has no section [%s]", file, target->section);
    suggest_section(config, target->section, err);
    return err_status(err);
}

/* Boards write side by side: each into a directory of its name. */
static int check_board_names(const struct value_list *boards, struct err *err)
{
    for (size_t i = 0; i < boards->count; i++) {
        const char *name = boards->values[i];

        if (strchr(name, '/') != NULL || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            return err_set(err, ERR_USAGE, "--board is '%s', which is not a valid name of a directory", name);
        for (size_t k = 0; k < i; k++)
            if (strcmp(boards->values[k], name) == 0)
                return err_set(err, ERR_USAGE, "--board %s is given twice", name);
    }
    if (boards->count > COLLECT_MAX_BOARDS)
        return err_set(err, ERR_USAGE, "more than %d boards", COLLECT_MAX_BOARDS);
    return 0;
}

int collect_config_load(struct collect_config *config, const struct settings *settings, struct err *err)
{
    const struct value_list *boards = &settings->collect.boards;
    const char *file = settings->collect.config;

    *config = (struct collect_config){.targets = NULL};
    if (check_board_names(boards, err) < 0)
        return err_status(err);
    int result = ini_load(&config->ini, file, err);
    if (result != 0)
        return err_wrap(err, "cannot read the configuration");
    warn_of_mode(file);
    warn_of_unknown_words(config, file);
    drop_quotes(config, file);
    config->count = boards->count > 0 ? boards->count : 1;
    config->targets = calloc(config->count, sizeof *config->targets);
    if (config->targets == NULL)
        result = err_no_memory(err);
    for (size_t i = 0; i < config->count && result == 0; i++) {
        struct collect_target *target = &config->targets[i];

        target->name = boards->count > 0 ? boards->values[i] : NULL;
        result = choose_section(config, target, file, err);
        if (result == 0)
            result = load_target(config, target, settings, err);
    }
    /* each board has its own copies */
    ini_forget_values(&config->ini, "pwd");
    ini_forget_values(&config->ini, "passphrase");
    if (result != 0)
        collect_config_release(config);
    return result;
}

void collect_config_forget_secrets(struct collect_config *config)
{
    for (size_t i = 0; config->targets != NULL && i < config->count; i++) {
        struct ssh_target *ssh = &config->targets[i].ssh;

        secret_free(ssh->password);
        secret_free(ssh->passphrase);
        ssh->password = ssh->passphrase = NULL;
    }
}

void collect_config_release(struct collect_config *config)
{
    collect_config_forget_secrets(config);
    for (size_t i = 0; config->targets != NULL && i < config->count; i++) {
        struct collect_target *target = &config->targets[i];

        free(target->section);
        free(target->ssh.key);
        free(target->ssh.known_hosts);
    }
    free(config->targets);
    ini_release(&config->ini);
    *config = (struct collect_config){.targets = NULL};
}
