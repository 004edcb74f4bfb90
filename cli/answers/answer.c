/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/answers/answer.h"

#include "base/number.h"
#include "cli/console.h"
#include "cli/options/quantity.h"
#include "db/database.h"
#include "db/query/query.h"
#include "exporters/load/load.h"
#include "exporters/reports/framework/host_side.h"
#include "parsers/record.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_unknown(sqlite3 *db)
{
    struct db_facts facts;
    struct err ignored = ERR_INIT;

    return db_read_facts(db, &facts, &ignored) == 0 && facts.family == CAPTURE_UNKNOWN;
}

static int attach_framework(struct capture_visit *visit, sqlite3 *db)
{
    struct diagnostics diag;
    struct err err = ERR_INIT;
    int status = STATUS_DONE;

    diag_init(&diag, visit->settings->strict);
    const bool stacks = visit->settings->command == COMMAND_EXPORT_FLAME || visit->settings->command == COMMAND_REPORT;
    if (framework_attach(db, visit->framework, visit->directory, visit->database, stacks, &diag, &err) != 0) {
        console_warning("answers and timelines are without the framework's part of '%s': %s", visit->framework,
                        err_message(&err));
        status = status_worse(status, STATUS_DATA_PROBLEMS);
    }
    console_diagnostics(&diag);
    if (diag_problems(&diag) > 0)
        status = status_worse(status, STATUS_DATA_PROBLEMS);
    diag_release(&diag);
    return status;
}

/* The step or the stretch of time that answers are about. */
static int choose_window(const struct settings *settings, sqlite3 *db, struct err *err)
{
    const struct window_settings *window = &settings->window;
    struct window_wanted wanted = {.step = window->step};

    if (window->step == NULL && window->from == NULL && window->until == NULL)
        return 0;
    if (window->step != NULL && (window->from != NULL || window->until != NULL))
        return err_set(err, ERR_USAGE, "--step chooses a stretch of time by itself: leave out --from and --until");
    if (quantity_read_time("--from", window->from, &wanted.from_ns, err) < 0 ||
        quantity_read_time("--until", window->until, &wanted.until_ns, err) < 0)
        return err_status(err);
    if (window->until != NULL && wanted.until_ns <= wanted.from_ns)
        return err_set(err, ERR_USAGE, "there is no time between --from %s and --until %s",
                       window->from != NULL ? window->from : "0s", window->until);
    return window_choose(db, &wanted, err);
}

int answer_open_host_side(struct capture_visit *visit, sqlite3 **ret)
{
    struct err err = ERR_INIT;
    int status = visit_open_database(visit, ret);

    if (*ret != NULL && is_unknown(*ret)) {
        status = status_worse(status, visit_tell_nothing(visit, *ret));
        database_close(*ret);
        *ret = NULL;
        return status;
    }
    if (*ret != NULL && visit->settings->step_range != NULL &&
        step_range_choose(*ret, visit->settings->step_range, &err) != 0) {
        database_close(*ret);
        *ret = NULL;
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    if (*ret == NULL)
        return status;
    if (visit->framework != NULL)
        status = status_worse(status, attach_framework(visit, *ret));
    if (choose_window(visit->settings, *ret, &err) < 0) {
        database_close(*ret);
        *ret = NULL;
        return err.code == ERR_NOT_FOUND ? console_missing(&err) : visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    return status;
}

struct roofs roofs_of(const struct settings *settings)
{
    return (struct roofs){.flop_s = (double)settings->peak_flops * 1e9,
                          .bytes_s = (double)settings->peak_bandwidth * 1e6};
}

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
    int terminal, terminal_errors;
} pager;

static const char *pager_program(void)
{
    const char *name = getenv("PAGER");

    if (name == NULL)
        return "less";
    return name[0] != '\0' && strcmp(name, "cat") != 0 ? name : NULL;
}

/* In the child: a shell, because PAGER may have arguments. */
static void become_pager(const char *command, const int *ends)
{
    signal(SIGPIPE, SIG_DFL);
    if (dup2(ends[0], STDIN_FILENO) < 0)
        _exit(127);
    close(ends[0]);
    close(ends[1]);
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* Messages go where the rows go, as long as the terminal is the pager's. */
static void hand_over(const int *ends)
{
    fflush(stdout);
    pager.terminal = dup(STDOUT_FILENO);
    pager.terminal_errors = isatty(STDERR_FILENO) ? dup(STDERR_FILENO) : -1;
    dup2(ends[1], STDOUT_FILENO);
    if (pager.terminal_errors >= 0)
        dup2(ends[1], STDERR_FILENO);
}

void pager_start(const struct settings *settings)
{
    const char *command = pager_program();
    int ends[2];

    if (pager.pid != 0 || settings->no_pager || command == NULL || !isatty(STDOUT_FILENO))
        return;
    if (pipe(ends) != 0) {
        console_warning("cannot start the pager '%s': %s", command, strerror(errno));
        return;
    }
    pager.pid = fork();
    if (pager.pid == 0)
        become_pager(command, ends);
    if (pager.pid > 0) {
        hand_over(ends);
    } else {
        console_warning("cannot start the pager '%s': %s", command, strerror(errno));
        pager.pid = 0;
    }
    close(ends[0]);
    close(ends[1]);
}

static void terminal_take_back(int *saved, int fd)
{
    if (*saved < 0)
        return;
    dup2(*saved, fd);
    close(*saved);
    *saved = -1;
}

void pager_end(void)
{
    int result;

    if (pager.pid == 0)
        return;
    fflush(stdout);
    terminal_take_back(&pager.terminal, STDOUT_FILENO);
    terminal_take_back(&pager.terminal_errors, STDERR_FILENO);
    /* keys that interrupt are the pager's */
    void (*interrupt)(int) = signal(SIGINT, SIG_IGN), (*quit)(int) = signal(SIGQUIT, SIG_IGN);
    while (waitpid(pager.pid, &result, 0) < 0 && errno == EINTR)
        ;
    signal(SIGINT, interrupt);
    signal(SIGQUIT, quit);
    pager.pid = 0;
}
