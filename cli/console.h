/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the program: one line per message on stderr, data on stdout. One console per process; thread-safe. */
#ifndef MSPROF_CLI_CONSOLE_H
#define MSPROF_CLI_CONSOLE_H

#include "base/diag.h"
#include "base/err.h"
#include "base/progress.h"
#include "cli/options/options.h"

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

/* A progress bar on stderr: appears after half a second, is redrawn ten times a second, leaves nothing behind. */

/* Around a line on stderr: erases the bar and keeps it from being drawn until progress_bar_resume. */
void progress_bar_pause(void);
void progress_bar_resume(void);

/* Makes sure that descriptors 0 to 2 are taken, so that no file of ours ends up as stdout. Before anything is opened.
 */
void console_guard_descriptors(void);

/* Sets the actions that msprof needs for signals that it may have inherited otherwise. Once, at the start. */
void console_take_signals(void);
/* Sets the inherited ones again, in a child that becomes a program of the user. */
void console_give_back_signals(void);

void console_init(const struct settings *settings);

/* "msprof: outer: inner", the hint on a second line; with --verbose every cause on a line of its own. Returns the exit
 * status of such an error. */
int console_error(const struct err *err);
/* Reports an error in the same way, but returns STATUS_NOTHING for ERR_NOT_FOUND: nothing was found to work on. */
int console_missing(const struct err *err);
/* From now on an error that has the text of the last one is not printed again. */
void console_errors_once(void);
/* console_missing of an error with this text, and a hint unless that is NULL. */
int console_fail(enum err_code code, const char *hint, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Messages for people; warnings and notes are dropped by --quiet, details are shown by --verbose only. */
#define console_warning(...) console_say(SAY_WARNING, __VA_ARGS__)
#define console_note(...) console_say(SAY_NOTE, __VA_ARGS__)
#define console_detail(...) console_say(SAY_DETAIL, __VA_ARGS__)
enum say_level { SAY_WARNING, SAY_NOTE, SAY_DETAIL };
void console_say(enum say_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "s" unless count is 1. */
const char *console_plural(uint64_t count);
/* Every data problem that was kept, then how many more there are; --quiet leaves errors only. */
void console_diagnostics(const struct diagnostics *diag);

/* Whether nothing at all is said, errors included: for work whose messages name what must not be disclosed. */
void console_mute(bool muted);

/* Whether the environment says something by this name. */
bool console_has_variable(const char *name);

/* Whether titles on stdout are colored. */
bool console_colors_stdout(void);

/* Around the writing of data: console_output_end reports a failed write (once) and returns an exit status.
 * In between a reader that goes away ends the program by SIGPIPE, as other filters do. */
void console_output_begin(void);
int console_output_end(bool failure_told);

/* The progress bar for library code; NULL when there is no terminal to show it on. It appears when work lasts, and is
 * gone after console_progress_end. */
const struct progress *console_progress(void);
void console_progress_end(void);
/* The option of the command that is running for where results go: the --output of report is its page. */
const char *console_results_option(void);
/* No progress is shown any more: the terminal is another program's. */
void console_progress_off(void);

/* Exit statuses of the program; a contract with scripts (msprof(1), EXIT STATUS). */

enum exit_status {
    STATUS_DONE = 0,
    STATUS_FAILURE = 1,
    STATUS_USAGE = 2,
    STATUS_DATA_PROBLEMS = 3, /* done, but with data problems */
    STATUS_NOTHING = 4,       /* nothing found to do */
    STATUS_REMOTE = 5,
    STATUS_BROKEN = 6,        /* diff: a gate failed; advise: a finding of --fail-on */
    STATUS_INCOMPARABLE = 7,  /* diff: the captures are too different */
    STATUS_RUN_FAILED = 125,  /* run: msprof failed before the program was started */
    STATUS_CANNOT_RUN = 126,  /* run: the program cannot be started */
    STATUS_NO_PROGRAM = 127,  /* run: there is no such program */
    STATUS_SIGNAL_BASE = 128, /* run: plus the number of the signal that ended the program */
    STATUS_INTERRUPTED = 130,
};

/* The worse of two: interrupted, usage, failure, remote, incomparable, broken, data problems, nothing, done. */
int status_worse(int a, int b);
int status_of_error(const struct err *err);

/* Processes that work for a command. */

/* fork(), for work that nobody wants when this process is gone: the child is interrupted then, however that ended. */
pid_t console_fork(void);

#endif
