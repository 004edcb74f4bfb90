/* SPDX-License-Identifier: Apache-2.0 */
/* msprof run: a program under the preload library, and reports of the captures that it leaves. */
#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "base/progress.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PRELOAD_NAME "libmsprof_preload.so"
#define LIST_LIMIT ((size_t)16 * 1024 * 1024) /* bytes of the list of captures */

static int fail(const struct err *err, int status)
{
    console_error(err);
    return status;
}

/* ---- the preload library ---- */

/* "<directory>/<below>libmsprof_preload.so" when it is there (free() it); else NULL. */
static char *preload_in(const char *directory, const char *below)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s" PRELOAD_NAME, directory, below);

    return length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;
}

int run_find_library(char **ret, struct err *err)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash, *found = NULL;

    program[length > 0 ? length : 0] = '\0';
    slash = strrchr(program, '/');
    if (slash != NULL) {
        *slash = '\0';
        found = preload_in(program, "");
        if (found == NULL)
            found = preload_in(program, "../lib/msprof/");
    }
    if (found == NULL)
        found = preload_in(MSPROF_LIBDIR, "msprof/");
    if (found == NULL) {
        int result = err_set(err, ERR_NOT_FOUND,
                             "cannot find " PRELOAD_NAME ", neither beside msprof nor in " MSPROF_LIBDIR "/msprof");
        err_hint(err, "'make install' installs it there");
        return result;
    }
    if (strpbrk(found, " :") != NULL) {
        int result =
            err_set(err, ERR_FAILED,
                    "'%s' has a blank or a colon in its name, which the dynamic linker does not support", found);
        free(found);
        return result;
    }
    *ret = found;
    return 0;
}

/* ---- the program ---- */

/* Environment of the program. */
struct surroundings {
    char *preload; /* LD_PRELOAD: the library, then what was there already */
    char *output;
    char *libraries;     /* LD_LIBRARY_PATH: what it was, and where libms_tools_ext is */
    char *list;          /* a file that each capture is written into, a line each */
    const char *domains; /* of mstx; NULL: all */
    int list_fd;         /* holds its lock: what a killed run left is removed by the next one */
};

static void surroundings_release(struct surroundings *surroundings)
{
    free(surroundings->preload);
    free(surroundings->output);
    free(surroundings->libraries);
    if (surroundings->list == NULL)
        return;
    unlink(surroundings->list);
    close(surroundings->list_fd);
    free(surroundings->list);
}

static int make_list(struct surroundings *surroundings, struct err *err)
{
    char head[PATH_MAX];
    int length = snprintf(head, sizeof head, "%s/msprof-run-", temporary_parent());

    if (length < 0 || (size_t)length >= sizeof head)
        return err_set(err, ERR_LIMIT, "TMPDIR is too long");
    temporary_remove_stale_named(head);
    surroundings->list_fd = temporary_create_named(head, &surroundings->list, err);
    return surroundings->list_fd >= 0 ? 0 : surroundings->list_fd;
}

/* "before:after" (free() it); without the one that is empty; NULL: out of memory. */
static char *join_paths(const char *before, const char *after)
{
    char *joined = NULL;

    if (before == NULL || *before == '\0' || after == NULL || *after == '\0')
        return scoped_text(before == NULL || *before == '\0' ? after : before, SIZE_MAX);
    return asprintf(&joined, "%s:%s", before, after) < 0 ? NULL : joined;
}

static int surroundings_make(struct surroundings *surroundings, const struct settings *settings, struct err *err)
{
    const char *before = getenv("LD_PRELOAD"), *output = settings->output != NULL ? settings->output : ".";
    SCOPED_FREE char *library = NULL;
    int result = run_find_library(&library, err);

    if (result != 0)
        return result;
    surroundings->domains = settings->run.mstx_domains;
    SCOPED_FREE char *directory = scoped_text(library, (size_t)(path_name(library) - library) - 1);
    surroundings->preload = join_paths(library, before);
    surroundings->libraries = directory != NULL ? join_paths(getenv("LD_LIBRARY_PATH"), directory) : NULL;
    if (surroundings->preload == NULL || surroundings->libraries == NULL)
        return err_no_memory(err);
    result = path_make_directories(output, err);
    if (result != 0)
        return err_wrap(err, "cannot write captures into '%s'", output);
    surroundings->output = path_absolute(output, err);
    return surroundings->output != NULL ? make_list(surroundings, err) : err_status(err);
}

static volatile sig_atomic_t program_id;

/* From another process: the program gets it. From the terminal it has got it already. */
static void forward_signal(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;

    (void)context;
    if (program_id > 0 && info->si_code <= 0)
        kill((pid_t)program_id, number);
    errno = saved_errno;
}

static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
#define FORWARDED_COUNT (sizeof forwarded / sizeof forwarded[0])

static void start_forwarding(struct sigaction before[FORWARDED_COUNT])
{
    struct sigaction action = {.sa_sigaction = forward_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < FORWARDED_COUNT; i++) {
        sigaction(forwarded[i], NULL, &before[i]);
        if ((before[i].sa_flags & SA_SIGINFO) != 0 || before[i].sa_handler != SIG_IGN)
            sigaction(forwarded[i], &action, NULL);
    }
}

static void stop_forwarding(const struct sigaction before[FORWARDED_COUNT])
{
    program_id = 0;
    for (size_t i = 0; i < FORWARDED_COUNT; i++)
        sigaction(forwarded[i], &before[i], NULL);
}

/* A list of domains: names that are not empty, divided by commas. */
static bool is_domain_list(const char *list)
{
    for (const char *name = list;; name += strcspn(name, ",") + 1) {
        size_t length = strcspn(name, ",");
        if (strspn(name, " ") >= length)
            return false;
        if (name[length] == '\0')
            return true;
    }
}

/* Programs look for the tool that hears them by this variable first. */
static void tell_of_other_tool(void)
{
    const char *path = getenv("MSTX_INJECTION_PATH");
    const char *name = path != NULL ? path_name(path) : "";

    if (*name != '\0' && strncmp(name, "libmsprof_", strlen("libmsprof_")) != 0)
        console_warning("mstx marks are not recorded: MSTX_INJECTION_PATH names another tool, '%s'", path);
}

/* Name and value, or without it where that is NULL. Returns 0 or an errno. */
static int set_variable(const char *name, const char *value)
{
    int result = value != NULL ? setenv(name, value, 1) : unsetenv(name);
    return result != 0 ? errno : 0;
}

/* AddressSanitizer of GCC ends a program before which a library is preloaded, unless this option is off. The user's own
 * options come last, which is what counts. */
static int allow_preload_before_asan(void)
{
    static const char option[] = "verify_asan_link_order=0";
    const char *before = getenv("ASAN_OPTIONS");
    SCOPED_FREE char *options = NULL;

    if (before != NULL && *before != '\0' && asprintf(&options, "%s:%s", option, before) < 0)
        return -1;
    return setenv("ASAN_OPTIONS", options != NULL ? options : option, 1);
}

/* In the child: does not return. Writes the errno of a failure into the pipe. */
static _Noreturn void become_program(char **words, const struct surroundings *surroundings, const sigset_t *mask,
                                     int failure_fd)
{
    const struct {
        const char *name, *value;
    } variables[] = {{"LD_PRELOAD", surroundings->preload},
                     {"LD_LIBRARY_PATH", surroundings->libraries},
                     {"MSPROF_OUTPUT", surroundings->output},
                     {"MSPROF_CAPTURE_LIST", surroundings->list},
                     {"MSPROF_MSTX_DOMAINS", surroundings->domains}};
    int failure = 0;

    console_give_back_signals();
    for (size_t i = 0; failure == 0 && i < sizeof variables / sizeof variables[0]; i++)
        failure = set_variable(variables[i].name, variables[i].value);
    if (failure == 0 && allow_preload_before_asan() != 0)
        failure = errno;
    if (failure == 0) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        execvp(words[0], words);
        failure = errno;
    }
    ssize_t ignored = write(failure_fd, &failure, sizeof failure);
    (void)ignored;
    _exit(STATUS_CANNOT_RUN);
}

/* The errno that the child failed with, 0 when the program runs. */
static int read_failure(int fd)
{
    int failure = 0;
    ssize_t count;

    do
        count = read(fd, &failure, sizeof failure);
    while (count < 0 && errno == EINTR);
    return count == (ssize_t)sizeof failure ? failure : 0;
}

/* Waits for the end of a child; 0, or why its status is not to be had. */
static int wait_for(pid_t child, int *ret)
{
    while (waitpid(child, ret, 0) < 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

/* A program that ran. */
struct run {
    pid_t process;
    struct timespec start;
    int status; /* as waitpid() gives it */
};

/* The exit status when the program's own is unknown. */
static int run_failed(struct err *err, const char *program, int failure, int unknown)
{
    if (failure != 0) {
        err_set_errno(err, failure, "cannot run '%s'", program);
        return err->code == ERR_NOT_FOUND ? STATUS_NO_PROGRAM : STATUS_CANNOT_RUN;
    }
    err_set_errno(err, unknown, "cannot wait for '%s': its exit status is unknown", program);
    err_hint(err, "run 'msprof export' to write reports of its captures");
    return STATUS_RUN_FAILED;
}

/* Runs the program to its end. Returns STATUS_DONE, or the exit status for the error. */
static int run_program(char **words, const struct surroundings *surroundings, struct run *ret, struct err *err)
{
    struct sigaction before[FORWARDED_COUNT] = {{.sa_flags = 0}};
    sigset_t all, mask;
    int pipes[2], failure, unknown = 0;

    clock_gettime(CLOCK_REALTIME_COARSE, &ret->start);
    if (pipe2(pipes, O_CLOEXEC) != 0) {
        err_set_errno(err, errno, "cannot make a pipe");
        return STATUS_RUN_FAILED;
    }
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask); /* what comes before the program is there waits for it */
    pid_t child = fork();
    if (child == 0) {
        close(pipes[0]);
        become_program(words, surroundings, &mask, pipes[1]);
    }
    failure = child < 0 ? errno : 0;
    close(pipes[1]);
    if (child > 0) {
        program_id = (sig_atomic_t)child;
        start_forwarding(before);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (child > 0) {
        failure = read_failure(pipes[0]);
        ret->process = child;
        unknown = wait_for(child, &ret->status);
        stop_forwarding(before);
    }
    close(pipes[0]);
    return failure == 0 && unknown == 0 ? STATUS_DONE : run_failed(err, words[0], failure, unknown);
}

/* ---- its captures ---- */

/* Cuts the list into lines; the values of ret (free() them) point into text. *ret_gone: captures that are not there any
 * more. */
static int split_lines(char *text, struct value_list *ret, size_t *ret_gone, struct err *err)
{
    size_t lines = 0;

    for (const char *p = text; *p != '\0'; p++)
        lines += *p == '\n';
    ret->values = calloc(lines + 1, sizeof *ret->values);
    ret->count = 0;
    if (ret->values == NULL)
        return err_no_memory(err);
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        if (access(line, F_OK) == 0)
            ret->values[ret->count++] = line;
        else
            ++*ret_gone;
    }
    return 0;
}

/* The program's own capture, for one that could not write it into the list: the newest of its process since the start
 * (free() it); NULL: there is none. */
static char *find_unlisted(const struct surroundings *surroundings, pid_t process, const struct timespec *start)
{
    char ending[32], *found = NULL;
    SCOPED_DIRECTORY DIR *directory = opendir(surroundings->output);
    const struct dirent *entry;
    struct stat info;

    snprintf(ending, sizeof ending, "_%08ld", (long)process);
    while (directory != NULL && found == NULL && (entry = readdir(directory)) != NULL) {
        const char *last = strrchr(entry->d_name, '_');
        if (strncmp(entry->d_name, "PROF_", 5) == 0 && strncmp(last, ending, strlen(ending)) == 0 &&
            fstatat(dirfd(directory), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode) &&
            info.st_ctim.tv_sec >= start->tv_sec)
            found = path_join(surroundings->output, entry->d_name);
    }
    return found;
}

/* Whether the recorder could make the capture's files, the last of which says what is lost. */
static bool has_recording(const char *capture)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/host/losses.json", capture);

    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

/* Takes the capture of a program that listed none. *ret is freed by the caller; true: it is to be reported. */
static bool take_unlisted(const struct surroundings *surroundings, const struct run *run, char **ret)
{
    *ret = find_unlisted(surroundings, run->process, &run->start);
    if (*ret == NULL)
        console_warning("nothing was recorded: the program called no ACL function and set no mstx mark, cannot be "
                        "preloaded, or could not write its capture (see its own messages)");
    else if (!has_recording(*ret))
        console_warning("nothing was recorded: cannot write the capture '%s' (see the program's own messages)", *ret);
    else
        return true;
    return false;
}

static int make_reports(const struct settings *settings, const struct value_list *captures)
{
    int reports = settings->run.reports;

    for (size_t i = 0; i < captures->count; i++)
        console_note("recorded into '%s'", captures->values[i]);
    if (captures->count == 0)
        return STATUS_NOTHING;
    if (reports == REPORTS_NONE)
        return STATUS_DONE;
    return captures_make_reports(settings, captures, reports != REPORTS_SUMMARY, reports != REPORTS_TIMELINE);
}

static int report_captures(const struct settings *settings, const struct surroundings *surroundings,
                           const struct run *run)
{
    SCOPED_FREE char *unlisted = NULL;
    struct err err = ERR_INIT;
    struct value_list captures = {.values = NULL};
    SCOPED_FREE char *text = NULL;
    size_t length, gone = 0;
    int status;

    if (path_read_file(surroundings->list, LIST_LIMIT, &text, &length, &err) != 0 ||
        split_lines(text, &captures, &gone, &err) != 0) {
        status = fail(&err, status_of_error(&err));
    } else if (captures.count > 0 || gone == 0) {
        if (captures.count == 0 && take_unlisted(surroundings, run, &unlisted))
            captures.values[captures.count++] = unlisted;
        status = make_reports(settings, &captures);
    } else {
        status = STATUS_DATA_PROBLEMS;
    }
    if (gone > 0) {
        console_warning("%zu capture%s of this run %s gone: another process removed %s", gone, console_plural(gone),
                        gone == 1 ? "is" : "are", gone == 1 ? "it" : "them");
        status = status_worse(status, STATUS_DATA_PROBLEMS);
    }
    free(captures.values);
    return status;
}

/* The program's own status comes before that of the reports. */
static int tell_end(int program_status, int report_status)
{
    if (WIFSIGNALED(program_status)) {
        const int signal = WTERMSIG(program_status);
        const char *name = sigabbrev_np(signal), *core = WCOREDUMP(program_status) ? " (core dumped)" : "";

        if (name != NULL)
            console_note("the program was ended by SIG%s%s", name, core);
        else
            console_note("the program was ended by signal %d%s", signal, core); /* of real time */
        return STATUS_SIGNAL_BASE + signal;
    }
    if (WEXITSTATUS(program_status) != 0) {
        console_note("the program ended with status %d", WEXITSTATUS(program_status));
        return WEXITSTATUS(program_status);
    }
    return report_status;
}

static int run_run(const struct settings *settings)
{
    SCOPED(surroundings_release) struct surroundings surroundings = {.preload = NULL};
    struct err err = ERR_INIT;
    struct run run = {.status = 0};
    int status;

    if (settings->operand_count == 0)
        return console_fail(ERR_USAGE, NULL, "no program given; try 'msprof run --help'");
    if (settings->run.mstx_domains != NULL && !is_domain_list(settings->run.mstx_domains))
        return console_fail(ERR_USAGE, NULL, "--mstx-domains '%s': expected names with commas: default,Module",
                            settings->run.mstx_domains);
    if (surroundings_make(&surroundings, settings, &err) != 0)
        return fail(&err, STATUS_RUN_FAILED);
    tell_of_other_tool();
    status = run_program(settings->operands, &surroundings, &run, &err);
    if (status != STATUS_DONE)
        return fail(&err, status);
    return tell_end(run.status, report_captures(settings, &surroundings, &run));
}

const struct command command_run = {
    .path = "run",
    .parent = COMMAND_ROOT,
    .order = 20,
    .summary = "run a program and record its ACL calls",
    .description = "Runs an unmodified program, records every ACL call and every mstx mark and range, and "
                   "writes\nreports of the captures. It needs no device beyond what the program itself needs.\n",
    .operands = "[--] PROGRAM [ARGUMENT]...",
    .most_operands = -1,
    .runs_program = true,
    EXAMPLES({"record the ACL calls of a program, write timeline and summary", "msprof run -- ./main --images 5"},
             {"captures into a separate directory, without reports",
              "msprof run --output captures --reports none -- ./main"}),
    .run = run_run,
};
