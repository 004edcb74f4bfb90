/* SPDX-License-Identifier: Apache-2.0 */
#include "base/interrupt.h"
#include "cli/console.h"
#include "cli/options/help.h"
#include "cli/options/options.h"
#include "cli/status.h"
#include "cli/vendor_forms.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The first signal asks to stop, the second does not ask. */
static void handle_signal(int number)
{
    if (interrupt_signal != 0)
        _exit(STATUS_INTERRUPTED);
    interrupt_signal = number;
}

static void install_handlers(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action = {.sa_handler = handle_signal, .sa_flags = SA_RESTART}, before;

        sigemptyset(&action.sa_mask);
        /* nohup and shells that start background jobs have a signal ignored on purpose */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN)
            continue;
        sigaction(numbers[i], &action, NULL);
    }
}

static int print_version(void)
{
    console_output_begin();
    puts(MSPROF_COMMIT[0] != '\0' ? "msprof " MSPROF_VERSION " (commit " MSPROF_COMMIT ")" : "msprof " MSPROF_VERSION);
    return console_output_end(false);
}

static int print_help(enum command_id command)
{
    console_output_begin();
    help_print(command, stdout);
    return console_output_end(false);
}

/* One line, and what was probably meant; a usage error is made by a person at a prompt, or shows up in a script's log.
 */
static int tell_usage(const struct settings *settings, struct err *err)
{
    struct err line = ERR_INIT;

    err_set(&line, err->code, "%s; try '%s --help'", err_message(err), command_full_name(settings->command));
    if (err->hint[0] != '\0')
        err_hint(&line, "%s", err->hint);
    console_error(&line);
    return status_of_error(err);
}

static int run(int argc, char **argv, struct settings *settings)
{
    struct err err = ERR_INIT;
    const struct command *command;

    if (parse_command_line(settings, argc, argv, &err) != 0) {
        console_init(settings);
        return tell_usage(settings, &err);
    }
    console_init(settings);
    if (settings->help)
        return print_help(settings->command);
    if (settings->version)
        return print_version();
    command = command_get(settings->command);
    if (command->run == NULL) { /* a command that needs a further word */
        help_print(settings->command, stderr);
        return STATUS_USAGE;
    }
    return command->run(settings);
}

static int run_once(int argc, char **argv, void *arg)
{
    struct settings settings;
    int status;

    (void)arg;
    settings_init(&settings);
    status = run(argc, argv, &settings);
    settings_release(&settings);
    return status;
}

int main(int argc, char **argv)
{
    int status;

    console_guard_descriptors();
    /* for the width of characters only: numbers and messages never depend on the locale */
    if (setlocale(LC_CTYPE, "") == NULL || MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8");
    install_handlers();
    status = vendor_form_is(argc, argv) ? vendor_form_run(argc, argv, run_once, NULL) : run_once(argc, argv, NULL);
    return status;
}
