/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmd_help.h"

#include "cli/console.h"
#include "cli/manual.h"
#include "cli/options/options.h"
#include "cli/status.h"

#include <string.h>

#define HELP_COLUMN 26 /* where the texts of options and commands start */

/* Prints a head, then a text whose lines all start at HELP_COLUMN; on a line of its own when the head is too long. */
static void print_entry(FILE *stream, const char *head, const char *text)
{
    int used = fprintf(stream, "  %s", head);

    if (used > HELP_COLUMN - 2) {
        fputc('\n', stream);
        used = 0;
    }
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");

        fprintf(stream, "%*s%.*s\n", HELP_COLUMN - used, "", (int)length, text);
        used = 0;
        text += length + (text[length] == '\n');
    }
}

static void print_option(FILE *stream, const struct option_spec *option)
{
    char head[128], buffer[OPTION_SPELLING_SIZE];
    const char *spelling;
    size_t used = 0;

    for (size_t s = 0; (spelling = option_spelling(option, s, buffer)) != NULL; s++) {
        int n = snprintf(head + used, sizeof head - used, "%s%s", s > 0 ? ", " : "", spelling);

        if (n < 0 || (size_t)n >= sizeof head - used)
            break;
        used += (size_t)n;
    }
    if (option->argument != NULL)
        snprintf(head + used, sizeof head - used, " %s", option->argument);
    print_entry(stream, head, option->help);
}

static bool is_general(const struct option_spec *option)
{
    return (option->commands & COMMAND_BIT(COMMAND_ROOT)) != 0;
}

static void print_options(FILE *stream, enum command_id command)
{
    bool any = false;

    for (size_t i = 0; i < option_count; i++) {
        if (is_general(&option_table[i]) || !option_applies(&option_table[i], command))
            continue;
        if (!any)
            fputs("\nOptions:\n", stream);
        any = true;
        print_option(stream, &option_table[i]);
    }
    fputs("\nGeneral options:\n", stream);
    for (size_t i = 0; i < option_count; i++)
        if (is_general(&option_table[i]))
            print_option(stream, &option_table[i]);
}

static void print_usage(FILE *stream, enum command_id id)
{
    const struct command *command = command_get(id);

    fprintf(stream, "Usage: %s", command_full_name(id));
    if (command->run == NULL)
        fputs(" COMMAND", stream);
    fputs(" [OPTION]...", stream);
    if (command->operands != NULL)
        fprintf(stream, " %s", command->operands);
    else if (command->needs_capture)
        fputs(" CAPTURE...", stream);
    fprintf(stream, "\n\n%s", command->description);
}

static void print_subcommands(FILE *stream, enum command_id parent)
{
    fputs("\nCommands:\n", stream);
    for (enum command_id id = command_next_child(parent, COMMAND_ROOT); id != COMMAND_COUNT;
         id = command_next_child(parent, id))
        print_entry(stream, command_name(id), command_get(id)->summary);
}

static void print_exit_statuses(const struct command *command, FILE *stream)
{
    fputs("\nExit status:\n", stream);
    if (command->runs_program)
        fputs("  that of PROGRAM when it is not 0, 128 + N when signal N ended it;\n"
              "  125 failed before PROGRAM started   126 it cannot be run   127 it is not found; else\n",
              stream);
    fputs("  0 done   1 failure   2 wrong usage   3 done, but the data have problems\n"
          "  4 nothing found to do   5 remote side failed   6 a gate is broken (diff, advise)\n"
          "  7 not comparable (diff)   130 interrupted\n",
          stream);
}

void help_print(enum command_id id, FILE *stream)
{
    const struct command *command = command_get(id);

    print_usage(stream, id);
    if (command->run == NULL)
        print_subcommands(stream, id);
    print_options(stream, id);
    if (command->examples != NULL)
        fputs("\nEXAMPLES\n", stream);
    for (const struct example *example = command->examples; example != NULL && example->line != NULL; example++)
        fprintf(stream, "  # %s\n  %s\n", example->comment, example->line);
    print_exit_statuses(command, stream);
}

/* msprof help: the help of any command; the option table for programs, rows of the manual for its pages. */

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
    .order = 260,
    .summary = "help on a command",
    .description = "Prints the help of a command, as its --help does.\n",
    .operands = "[COMMAND]...",
    .most_operands = -1,
    .examples = examples,
    .run = run_help,
};
