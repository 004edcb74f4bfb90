/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/temporary.h"
#include "base/progress.h"
#include "cli/capture/found.h"
#include "cli/capture/place.h"
#include "cli/cmd_help.h"
#include "cli/console.h"
#include "cli/language.h"
#include "cli/options/options.h"
#include "cli/vendor_form.h"
#include "db/warm_up.h"
#include "exporters/table/overdue.h"

#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int print_help_or_version(const struct settings *settings)
{
    console_output_begin();
    if (settings->help)
        help_print(settings->command, stdout);
    else
        puts(MSPROF_COMMIT[0] != '\0' ? "msprof " MSPROF_VERSION " (commit " MSPROF_COMMIT ")"
                                      : "msprof " MSPROF_VERSION);
    return console_output_end(false);
}

/* One line, and what was probably meant or where the help is; a usage error is made by a person at a prompt, or shows
 * up in a script's log. */
static int report_usage(const struct settings *settings, bool by_form, const struct err *err)
{
    const enum command_id typed = by_form ? COMMAND_ROOT : settings->command;
    struct err line = ERR_INIT;

    if (err->hint[0] != '\0')
        return console_error(err);
    err_set(&line, err->code, "%s; try '%s --help'", err_message(err), command_full_name(typed));
    return console_error(&line);
}

/* Reads the command line, and reports mistakes in it. by_form: it stands for one of the vendor's form. */
static int read_settings(struct settings *settings, int argc, char **argv, bool by_form)
{
    struct err err = ERR_INIT;

    settings_init(settings);
    int result = options_parse(settings, argc, argv, &err);
    console_init(settings);
    language_choose_results(settings);
    return result != 0 ? report_usage(settings, by_form, &err) : STATUS_DONE;
}

/* Files that the user names are written by every command likewise: never over the data of a capture. */
static int check_outputs(const struct settings *settings)
{
    for (size_t i = 0; i < option_count; i++) {
        const struct option_spec *option = &option_table[i];
        const char *path = option->is_output && option_applies(option, settings->command)
                               ? *(const char *const *)((const char *)settings + option->offset)
                               : NULL;
        struct err err = ERR_INIT;
        if (path == NULL || place_check_file(path, &err) == 0)
            continue;
        err_wrap(&err, "--%s", option->name);
        return console_error(&err);
    }
    return STATUS_DONE;
}

/* A query that SQLite does not give back. What it has written is no result: temporary files of this process have their
 * names only, and go. */
static void end_overdue(const struct err *err)
{
    const int status = console_error(err);
    temporary_remove_own();
    _exit(status);
}

static int run(int argc, char **argv, bool by_form, bool only_check)
{
    SCOPED(settings_release) struct settings whole;
    struct settings *settings = &whole;
    int status = read_settings(settings, argc, argv, by_form);

    if (status != STATUS_DONE || only_check)
        return status;
    if (settings->help || settings->version)
        return print_help_or_version(settings);
    const struct command *command = command_get(settings->command);
    if (settings->with_warm_up)
        warm_up_show();
    if (command->run == NULL) { /* a command that needs a further word */
        help_print(settings->command, stderr);
        return STATUS_USAGE;
    }
    overdue_set_end(end_overdue);
    const int checked = check_outputs(settings);
    const int status_of_run = checked == STATUS_DONE ? command->run(settings) : checked;
    found_archives_release();
    return status_of_run;
}

static int run_of_form(int argc, char **argv, bool only_check)
{
    return run(argc, argv, true, only_check);
}

/* The first signal asks to stop, the second does not ask. */
static void handle_signal(int number)
{
    if (interrupt_signal != 0)
        _exit(STATUS_INTERRUPTED);
    interrupt_signal = number;
}

static void install_handlers(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action = {.sa_handler = handle_signal, .sa_flags = SA_RESTART}, before;

        sigemptyset(&action.sa_mask);
        /* nohup and shells that start background jobs have a signal ignored on purpose */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN)
            continue;
        sigaction(numbers[i], &action, NULL);
    }
}

int main(int argc, char **argv)
{
    console_guard_descriptors();
    console_take_signals();
    /* for the width of characters only: numbers and messages never depend on the locale */
    if (setlocale(LC_CTYPE, "") == NULL || MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8");
    language_choose();
    install_handlers();
    return vendor_form_is(argc, argv) ? vendor_form_run(argc, argv, run_of_form) : run(argc, argv, false, false);
}
