/* SPDX-License-Identifier: Apache-2.0 */
/* msprof help: the help of any command; the option table for programs, rows of the manual for its pages. */
#include "cli/command.h"
#include "cli/console.h"
#include "cli/manual/rows.h"
#include "cli/options/help.h"
#include "cli/options/options.h"
#include "cli/status.h"

#include <stdio.h>

/* One line per command and spelling of an option: command, spelling, argument ("-" for a flag), separated by tabs. */
static void list_options(enum command_id command)
{
    for (size_t i = 0; i < option_count; i++) {
        const struct option_spec *option = &option_table[i];
        char buffer[OPTION_SPELLING_SIZE];
        const char *spelling;

        if (!option_applies(option, command))
            continue;
        for (size_t s = 0; (spelling = option_spelling(option, s, buffer)) != NULL; s++)
            printf("%s\t%s\t%s\n", command_full_name(command), spelling,
                   option->argument != NULL ? option->argument : "-");
    }
}

static int print_manual_rows(enum manual_rows rows)
{
    struct err err = ERR_INIT;
    console_output_begin();
    if (manual_print_rows(stdout, rows, &err) < 0) {
        console_error(&err);
        return status_of_error(&err);
    }
    return console_output_end(false);
}

static int run_help(const struct settings *settings)
{
    enum command_id command = COMMAND_ROOT;

    for (int i = 0; i < settings->operand_count; i++) {
        enum command_id child = command_find(command, settings->operands[i]);

        if (child == COMMAND_COUNT) {
            struct err err = ERR_INIT;

            err_set(&err, ERR_USAGE, "no help on '%s': it is no command of '%s'", settings->operands[i],
                    command_full_name(command));
            err_hint(&err, "%s --help", command_full_name(command));
            console_error(&err);
            return STATUS_USAGE;
        }
        command = child;
    }
    if (settings->manual_rows >= 0)
        return print_manual_rows((enum manual_rows)settings->manual_rows);
    console_output_begin();
    if (!settings->list_options) {
        help_print(command, stdout);
    } else {
        for (int id = 0; id < COMMAND_COUNT; id++)
            if (command_is_within((enum command_id)id, command))
                list_options((enum command_id)id);
    }
    return console_output_end(false);
}

static const struct example examples[] = {
    {"the help of one command", "msprof help export timeline"},
    {"every option of one command, for programs", "msprof help --options import"},
    {NULL, NULL},
};

const struct command command_help = {
    .path = "help",
    .parent = COMMAND_ROOT,
    .summary = "help on a command",
    .description = "Prints the help of a command, as its --help does.\n",
    .operands = "[COMMAND]...",
    .most_operands = -1,
    .examples = examples,
    .run = run_help,
};
