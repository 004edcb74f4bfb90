/* SPDX-License-Identifier: Apache-2.0 */
/* The screen that stdout may be, and the pager in front of it. */
#include "cli/screen.h"

#include "base/number.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "exporters/table/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Width of stdout as it was before a pager took it. */
static const struct winsize *terminal(void)
{
    static bool asked, is_terminal;
    static struct winsize size;

    if (!asked) {
        is_terminal = isatty(STDOUT_FILENO) == 1;
        if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
            size.ws_col = 0;
        asked = true;
    }
    return is_terminal ? &size : NULL;
}

int screen_width(const struct settings *settings)
{
    const char *columns = getenv("COLUMNS");
    int64_t width;

    if (settings->width != WIDTH_DEFAULT)
        return settings->width;
    if (columns != NULL && number_parse_integer(columns, strlen(columns), &width) == 0 && width > 0 && width <= 100000)
        return (int)width;
    return terminal() != NULL ? terminal()->ws_col : 0;
}

int screen_answer_width(const struct settings *settings)
{
    return settings->width != WIDTH_DEFAULT || terminal() != NULL ? screen_width(settings) : 0;
}

bool screen_is_ascii(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0')
            return strcasestr(value, "utf-8") == NULL && strcasestr(value, "utf8") == NULL;
    }
    return true;
}

static struct {
    pid_t pid; /* 0: none is running */
    int terminal;
    int errors;         /* the terminal's, while messages wait until the user has read; -1: they go elsewhere */
    int waiting_errors; /* the file in which they wait; -1: none */
} pager = {.errors = -1, .waiting_errors = -1};

static const char *pager_program(void)
{
    const char *name = getenv("PAGER"), *kind = getenv("TERM");

    if (kind == NULL || strcmp(kind, "dumb") == 0) /* no program can turn pages there */
        return NULL;
    if (name == NULL)
        return "less";
    return name[0] != '\0' && strcmp(name, "cat") != 0 ? name : NULL;
}

static bool write_whole(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return true;
}

static ssize_t read_some(int fd, char *bytes, size_t size)
{
    ssize_t got;

    do
        got = read(fd, bytes, size);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Lines of the terminal that a text takes, which wraps what is too long. */
static size_t screen_lines(const char *text, size_t length, size_t columns)
{
    size_t lines = 0;

    for (size_t i = 0, used = 0; i < length; i++) {
        used = text[i] == '\n' || used == columns ? 0 : used + 1;
        lines += used == 0;
    }
    return lines;
}

/* Messages would be written over the page: they wait. */
static void hold_errors(void)
{
    pager.waiting_errors = isatty(STDERR_FILENO) ? memfd_create("messages", MFD_CLOEXEC) : -1;
    if (pager.waiting_errors < 0)
        return;
    console_progress_off();
    pager.errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    dup2(pager.waiting_errors, STDERR_FILENO);
}

/* In the program and in the pager's process, each for itself. */
static void take_errors_back(void)
{
    if (pager.errors < 0)
        return;
    dup2(pager.errors, STDERR_FILENO);
    close(pager.errors);
    pager.errors = -1;
}

/* In the pager's process, which is there also when the program ended because the user had read enough. */
static void print_waiting_errors(void)
{
    char bytes[4096];
    off_t at = 0;
    ssize_t got;

    while (pager.waiting_errors >= 0 && (got = pread(pager.waiting_errors, bytes, sizeof bytes, at)) > 0) {
        write_whole(STDERR_FILENO, bytes, (size_t)got);
        at += got;
    }
}

/* A shell, because PAGER may have arguments. */
static void run_pager(const char *command, const int *ends)
{
    if (dup2(ends[0], STDIN_FILENO) < 0)
        _exit(127);
    close(ends[0]);
    close(ends[1]);
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* In the child: what fits the screen is printed as it is, whatever the pager would do; all else is the pager's. */
static void page(const char *command, int input)
{
    const struct winsize *size = terminal();
    const size_t rows = size != NULL && size->ws_row > 1 ? size->ws_row - 1U : 0;
    const size_t columns = size != NULL && size->ws_col > 0 ? size->ws_col : 80;
    static char held[1 << 16];
    size_t length = 0;
    ssize_t got = 1;
    int ends[2], result;

    take_errors_back();
    signal(SIGPIPE, SIG_DFL);
    while (got > 0 && length < sizeof held && screen_lines(held, length, columns) <= rows) {
        got = read_some(input, held + length, sizeof held - length);
        length += got > 0 ? (size_t)got : 0;
    }
    if (got <= 0) {
        write_whole(STDOUT_FILENO, held, length);
        print_waiting_errors();
        _exit(0);
    }
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0)
        run_pager(command, ends);
    const int target = child < 0 ? STDOUT_FILENO : ends[1]; /* without a pager the rows are printed */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (child > 0)
        close(ends[0]);
    bool takes = write_whole(target, held, length);
    while (takes && (got = read_some(input, held, sizeof held)) > 0)
        takes = write_whole(target, held, (size_t)got);
    close(target);
    close(input); /* who still writes learns that nobody reads */
    while (child > 0 && waitpid(child, &result, 0) < 0 && errno == EINTR)
        ;
    print_waiting_errors();
    _exit(0);
}

void pager_start(const struct settings *settings)
{
    const char *command = pager_program();
    int ends[2];

    if (pager.pid != 0 || settings->no_pager || command == NULL || terminal() == NULL)
        return;
    fflush(stdout);
    hold_errors();
    pager.pid = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
    if (pager.pid == 0) {
        close(ends[1]);
        page(command, ends[0]);
    }
    if (pager.pid < 0) {
        take_errors_back();
        console_warning("cannot start the pager '%s': %s", command, strerror(errno));
        pager.pid = 0;
        return;
    }
    pager.terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
}

void pager_end(void)
{
    int result;

    if (pager.pid == 0)
        return;
    fflush(stdout);
    dup2(pager.terminal, STDOUT_FILENO);
    close(pager.terminal);
    /* keys that interrupt are the pager's */
    void (*interrupt)(int) = signal(SIGINT, SIG_IGN), (*quit)(int) = signal(SIGQUIT, SIG_IGN);
    while (waitpid(pager.pid, &result, 0) < 0 && errno == EINTR)
        ;
    signal(SIGINT, interrupt);
    signal(SIGQUIT, quit);
    pager.pid = 0;
    take_errors_back();
    if (pager.waiting_errors >= 0)
        close(pager.waiting_errors);
}

/* ---- texts ---- */

#define TEXT_WIDTH 79

/* The length of a word of a shell: blanks in quotes are part of it. */
static size_t shell_word(const char *text)
{
    char quote = '\0';
    size_t length = 0;

    for (; text[length] != '\0' && (quote != '\0' || strchr(" \n", text[length]) == NULL); length++) {
        if (quote != '\0' ? text[length] == quote : text[length] == '"' || text[length] == '\'')
            quote = quote != '\0' ? '\0' : text[length];
    }
    return length;
}

/* Likewise of an option with its value, which stay on a line. */
static size_t shell_words(const char *text)
{
    const size_t length = shell_word(text);
    const char *next = text + length + strspn(text + length, " ");

    if (text[0] != '-' || memchr(text, '=', length) != NULL || *next == '\0' || strchr("-&|<>", *next) != NULL)
        return length;
    return (size_t)(next - text) + shell_word(next);
}

/* The length of what a line does not end in: a word, or an ideograph with its punctuation. */
static size_t text_piece(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0' && strchr(" \n", text[length]) == NULL &&
           (length == 0 || !utf8_may_break(text, length)))
        length++;
    return length;
}

void screen_print_text(FILE *stream, const char *head, const char *next, bool is_command, const char *text)
{
    const size_t width = TEXT_WIDTH - (is_command ? 2 : 0);
    bool first = true;
    SCOPED(display_release) struct display display;

    display_init(&display);
    size_t column = display_width(&display, head, strlen(head));
    fputs(head, stream);
    for (; *(text += strspn(text, " \n")) != '\0'; first = false) {
        const size_t length = is_command ? shell_words(text) : text_piece(text);
        const size_t columns = display_width(&display, text, length), blank = !first && strchr(" \n", text[-1]) != NULL;
        const bool breaks = !first && column + blank + columns > width;

        if (breaks) {
            fprintf(stream, "%s\n%s", is_command ? " \\" : "", next);
            column = strlen(next);
        } else if (blank > 0) {
            fputc(' ', stream);
            column++;
        }
        fwrite(text, 1, length, stream);
        column += columns;
        text += length;
    }
    fputc('\n', stream);
}
