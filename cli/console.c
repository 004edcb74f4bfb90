/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/console.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#define DELAY_NS 500000000
#define REDRAW_NS 100000000
#define DEFAULT_WIDTH 80
#define MAX_WIDTH 200
#define BAR_WIDTH 30

static struct {
    pthread_mutex_t lock;
    char what[64];
    int64_t start_ns, drawn_ns; /* start_ns 0: nothing is going on */
    bool visible;
} bar = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* 12345678 -> "12.3 M". */
static void format_amount(char *buffer, size_t size, uint64_t amount)
{
    static const char prefixes[] = " kMGTPE";
    size_t prefix = 0;
    uint64_t tenths = 0;

    while (amount >= 1000 && prefix + 1 < sizeof prefixes - 1) {
        tenths = amount % 1000 / 100;
        amount /= 1000;
        prefix++;
    }
    if (prefix == 0)
        snprintf(buffer, size, "%llu", (unsigned long long)amount);
    else
        snprintf(buffer, size, "%llu.%llu %c", (unsigned long long)amount, (unsigned long long)tenths,
                 prefixes[prefix]);
}

/* The text of a bar in at most width columns (width < size). size: of buffer. Exposed for tests. */
static void progress_bar_format(char *buffer, size_t size, int width, const char *what, uint64_t done, uint64_t total,
                                int64_t elapsed_ns)
{
    static const char marks[] = "##############################";
    char rate[24];
    const int64_t second_ns = 1000000000;
    int64_t amount = done < INT64_MAX ? (int64_t)done : INT64_MAX;
    unsigned percent = 0, filled;

    if (total > 0 && total <= INT64_MAX)
        percent = done < total ? (unsigned)number_scale(amount, 100, (int64_t)total) : 100;
    filled = percent * BAR_WIDTH / 100;
    format_amount(rate, sizeof rate, elapsed_ns > 0 ? (uint64_t)number_scale(amount, second_ns, elapsed_ns) : 0);
    snprintf(buffer, (size_t)width < size ? (size_t)width + 1 : size, "%s [%.*s%*s] %3u%% %s/s", what, (int)filled,
             marks, (int)(BAR_WIDTH - filled), "", percent, rate);
}

static int terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return DEFAULT_WIDTH;
    return size.ws_col < MAX_WIDTH ? size.ws_col : MAX_WIDTH;
}

/* One write, so that lines of other threads do not fall into it. Output that cannot be shown is not worth an error. */
static void put(const char *text, size_t length)
{
    while (write(STDERR_FILENO, text, length) < 0 && errno == EINTR)
        ;
}

static void erase(void)
{
    static const char clear_line[] = "\r\033[K";

    if (bar.visible)
        put(clear_line, sizeof clear_line - 1);
    bar.visible = false;
}

static void draw(const char *what, uint64_t done, uint64_t total, int64_t elapsed_ns)
{
    char line[MAX_WIDTH + 8] = "\r";

    /* the last column stays free: terminals would wrap */
    progress_bar_format(line + 1, sizeof line - 5, terminal_width() - 1, what, done, total, elapsed_ns);
    size_t length = strlen(line);
    length += (size_t)snprintf(line + length, sizeof line - length, "\033[K");
    put(line, length);
    bar.visible = true;
}

/* From any thread. */
static void progress_bar_update(void *unused, const char *what, uint64_t done, uint64_t total)
{
    int64_t now = clock_now_ns();

    (void)unused;
    pthread_mutex_lock(&bar.lock);
    if (bar.start_ns == 0 || strncmp(bar.what, what, sizeof bar.what - 1) != 0) {
        /* a next step of visible work shows at once */
        bar.start_ns = now;
        bar.drawn_ns = bar.visible ? now - REDRAW_NS : now + DELAY_NS - REDRAW_NS;
        snprintf(bar.what, sizeof bar.what, "%s", what);
    }
    if (now - bar.drawn_ns >= REDRAW_NS) {
        draw(language_said(what), done, total, now - bar.start_ns);
        bar.drawn_ns = now;
    }
    pthread_mutex_unlock(&bar.lock);
}

void progress_bar_pause(void)
{
    pthread_mutex_lock(&bar.lock);
    erase();
}

void progress_bar_resume(void)
{
    pthread_mutex_unlock(&bar.lock);
}

void console_progress_end(void)
{
    pthread_mutex_lock(&bar.lock);
    erase();
    bar.start_ns = 0;
    pthread_mutex_unlock(&bar.lock);
}

int status_worse(int a, int b)
{
    static const int worst_first[] = {STATUS_INTERRUPTED,   STATUS_USAGE,        STATUS_FAILURE,
                                      STATUS_REMOTE,        STATUS_INCOMPARABLE, STATUS_BROKEN,
                                      STATUS_DATA_PROBLEMS, STATUS_NOTHING,      STATUS_DONE};

    for (size_t i = 0; i < sizeof worst_first / sizeof worst_first[0]; i++)
        if (a == worst_first[i] || b == worst_first[i])
            return worst_first[i];
    return STATUS_FAILURE;
}

int status_of_error(const struct err *err)
{
    switch (err->code) {
    case ERR_NONE:
        return STATUS_DONE;
    case ERR_USAGE:
        return STATUS_USAGE;
    case ERR_REMOTE:
        return STATUS_REMOTE;
    case ERR_INTERRUPTED:
        return STATUS_INTERRUPTED;
    default:
        return STATUS_FAILURE;
    }
}

#define LINE_SIZE 4096
#define RED "\033[31m"
#define YELLOW "\033[33m"
#define PLAIN "\033[0m"

static struct {
    bool quiet, muted, verbose, color_stdout, color_stderr, show_progress;
    const char *results_option;
} console = {.results_option = "--output"};

void console_guard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
            continue;
        /* the wrong direction, so that using a closed stream still fails */
        int opened = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (opened != fd)
            abort(); /* the lowest free descriptor is taken: this cannot be */
    }
}

static struct {
    int signal;
    void (*action)(int), (*inherited)(int);
} own_actions[] = {
    {SIGPIPE, SIG_IGN, SIG_DFL}, /* a vanished reader of messages must not leave work half done */
    {SIGXFSZ, SIG_IGN, SIG_DFL}, /* a limit on the size of files (ulimit -f) is an error as a full disk is */
    {SIGCHLD, SIG_DFL, SIG_DFL}, /* while it is ignored, the system keeps no statuses of children */
};
#define OWN_ACTIONS (sizeof own_actions / sizeof own_actions[0])

void console_take_signals(void)
{
    for (size_t i = 0; i < OWN_ACTIONS; i++)
        own_actions[i].inherited = signal(own_actions[i].signal, own_actions[i].action);
}

void console_give_back_signals(void)
{
    for (size_t i = 0; i < OWN_ACTIONS; i++)
        signal(own_actions[i].signal, own_actions[i].inherited);
}

bool console_has_variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0';
}

static bool wants_color(int mode, int fd)
{
    const char *terminal = getenv("TERM");

    if (mode != COLOR_AUTO)
        return mode == COLOR_ALWAYS;
    if (console_has_variable("NO_COLOR"))
        return false;
    return terminal != NULL && strcmp(terminal, "dumb") != 0 && isatty(fd);
}

void console_init(const struct settings *settings)
{
    const char *terminal = getenv("TERM");

    console.results_option = settings->command == COMMAND_REPORT ? "--results" : "--output";
    console.quiet = settings->quiet;
    console.verbose = settings->verbose;
    console.color_stdout = wants_color(settings->color, STDOUT_FILENO);
    console.color_stderr = wants_color(settings->color, STDERR_FILENO);
    console.show_progress =
        !settings->quiet && isatty(STDERR_FILENO) && (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

void console_progress_off(void)
{
    console_progress_end();
    console.show_progress = false;
}

void console_mute(bool muted)
{
    console.muted = muted;
}

/* One line, masked; color NULL: none. */
static void say(const char *color, const char *prefix, const char *text)
{
    char line[LINE_SIZE];

    if (console.muted)
        return;
    snprintf(line, sizeof line, "%s%s", prefix, text);
    utf8_mask(line);
    progress_bar_pause();
    if (color != NULL && console.color_stderr)
        fprintf(stderr, "%smsprof:%s %s\n", color, PLAIN, line);
    else
        fprintf(stderr, "msprof: %s\n", line);
    progress_bar_resume();
}

static void say_more(const char *head, const char *text)
{
    char line[LINE_SIZE];

    if (console.muted)
        return;
    snprintf(line, sizeof line, "%s", text);
    utf8_mask(line);
    fprintf(stderr, "  %s: %s\n", language_said(head), line);
}

const char *console_results_option(void)
{
    return console.results_option;
}

/* Libraries do not know which command is running: their hints name the option for the place of results as most do. */
static void say_hint(const char *hint)
{
    static const char usual[] = "--output";
    const char *at = strstr(hint, "--output DIR");
    char line[LINE_SIZE];

    if (at == NULL) {
        say_more(LANGUAGE_MARK("try"), hint);
        return;
    }
    snprintf(line, sizeof line, "%.*s%s%s", (int)(at - hint), hint, console.results_option, at + strlen(usual));
    say_more(LANGUAGE_MARK("try"), line);
}

/* The last error, where one is not to be printed twice. */
static struct {
    pthread_mutex_t lock;
    bool kept;
    char text[2 * ERR_TEXT_SIZE + 4];
} last_error = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_repeated(const char *line)
{
    pthread_mutex_lock(&last_error.lock);
    const bool repeated = last_error.kept && strcmp(line, last_error.text) == 0;
    if (last_error.kept)
        snprintf(last_error.text, sizeof last_error.text, "%s", line);
    pthread_mutex_unlock(&last_error.lock);
    return repeated;
}

int console_error(const struct err *err)
{
    char line[2 * ERR_TEXT_SIZE + 4];
    bool in_full = console.verbose || err->depth < 2;

    if (in_full)
        snprintf(line, sizeof line, "%s", err_message(err));
    else
        snprintf(line, sizeof line, "%s: %s", err_message(err), err->causes[0]);
    if (is_repeated(line))
        return status_of_error(err);
    say(RED, "", line);
    for (unsigned i = err->depth; console.verbose && i > 1; i--)
        say_more(LANGUAGE_MARK("because"), err->causes[i - 2]);
    if (err->hint[0] != '\0')
        say_hint(err->hint);
    return status_of_error(err);
}

void console_errors_once(void)
{
    last_error.kept = true;
}

int console_missing(const struct err *err)
{
    int status = console_error(err);
    return err->code == ERR_NOT_FOUND ? STATUS_NOTHING : status;
}

int console_fail(enum err_code code, const char *hint, const char *format, ...)
{
    char text[ERR_TEXT_SIZE];
    struct err err = ERR_INIT;

    ERR_FORMAT_SAID(text, format);
    err_set(&err, code, "%s", text);
    if (hint != NULL)
        err_hint(&err, "%s", language_said(hint));
    return console_missing(&err);
}

void console_say(enum say_level level, const char *format, ...)
{
    char text[LINE_SIZE];
    va_list arguments;

    if (console.quiet || (level == SAY_DETAIL && !console.verbose))
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, language_said(format), arguments);
    va_end(arguments);
    say(level == SAY_WARNING ? YELLOW : NULL, level == SAY_WARNING ? language_said("warning: ") : "", text);
}

void console_diagnostics(const struct diagnostics *diag)
{
    static const char *const colors[] = {[DIAG_NOTE] = NULL, [DIAG_WARNING] = YELLOW, [DIAG_ERROR] = RED};
    static const char *const prefixes[] = {[DIAG_NOTE] = LANGUAGE_MARK("note: "),
                                           [DIAG_WARNING] = LANGUAGE_MARK("warning: "),
                                           [DIAG_ERROR] = LANGUAGE_MARK("error: ")};

    for (size_t i = 0; i < diag->count; i++) {
        const struct diag_entry *entry = &diag->entries[i];
        const struct diag_info *info = diag_info(entry->id);
        char prefix[32], more[LINE_SIZE];

        if (console.quiet && info->severity != DIAG_ERROR)
            continue;
        snprintf(prefix, sizeof prefix, "%s", language_said(prefixes[info->severity]));
        /* One example of a note is enough, unless details are wanted: notes ask for nothing. */
        size_t shown = info->severity == DIAG_NOTE && !console.verbose && entry->kept > 1 ? 1 : entry->kept;
        for (size_t k = 0; k < shown; k++)
            say(colors[info->severity], prefix, diag_line(entry, k));
        if (entry->count > shown) {
            snprintf(more, sizeof more, language_said("%s%s... and %llu more of '%s' (%s)"), entry->file,
                     entry->file[0] != '\0' ? ": " : "", (unsigned long long)(entry->count - shown), info->id,
                     language_said(info->meaning));
            say(colors[info->severity], prefix, more);
        }
    }
    if (diag->out_of_memory)
        console_warning("out of memory: some data problems are counted, but not shown");
}

const char *console_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

bool console_colors_stdout(void)
{
    return console.color_stdout;
}

void console_output_begin(void)
{
    console_progress_end();
    errno = 0;
    signal(SIGPIPE, SIG_DFL);
}

int console_output_end(bool failure_told)
{
    struct err err = ERR_INIT;
    bool failed_before = ferror(stdout) != 0;
    int result = STATUS_DONE;

    if (fflush(stdout) != 0 || failed_before) {
        err_set_errno(&err, errno != 0 ? errno : EIO, "cannot write to standard output");
        if (!failure_told)
            console_error(&err);
        clearerr(stdout);
        result = STATUS_FAILURE;
    }
    signal(SIGPIPE, SIG_IGN);
    return result;
}

const struct progress *console_progress(void)
{
    static const struct progress progress = {progress_bar_update, NULL};

    return console.show_progress ? &progress : NULL;
}

pid_t console_fork(void)
{
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it went before that was asked for */
        _exit(STATUS_INTERRUPTED);
    return 0;
}
