/* SPDX-License-Identifier: Apache-2.0 */
#include "base/progress.h"
#include "cli/cmd_help.h"
#include "cli/console.h"
#include "cli/options/options.h"
#include "db/warm_up.h"

#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The collecting binary of Ascend says what to do of a directory in options instead of commands: --export=on
 * --output=DIR. */

/* Commands that each form asks for. The vendor's export writes both kinds of reports. */
static const struct form {
    const char *option;
    enum command_id command;
    const char *words[3];
} forms[] = {
    {"--parse=on", COMMAND_IMPORT, {"import", NULL}},
    {"--export=on", COMMAND_EXPORT_TIMELINE, {"export", "timeline", NULL}},
    {"--export=on", COMMAND_EXPORT_SUMMARY, {"export", "summary", NULL}},
    {"--analyze=on", COMMAND_ANALYSE, {"analyse", "--rule=communication,communication_matrix", NULL}},
    {"--query=on", COMMAND_QUERY, {"query", NULL}},
};

#define FORMS (sizeof forms / sizeof *forms)
#define MORE_WORDS 2 /* than were given: those of the command */

static bool is_asked(const struct form *form, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], form->option) == 0)
            return true;
    }
    return false;
}

static bool is_form(const char *word)
{
    for (size_t i = 0; i < FORMS; i++) {
        const size_t key = strlen(forms[i].option) - 2; /* up to the "on" */
        if (strncmp(word, forms[i].option, key) == 0 &&
            (strcmp(word + key, "on") == 0 || strcmp(word + key, "off") == 0))
            return true;
    }
    return false;
}

/* Whether the command line is of that form. */
static bool vendor_form_is(int argc, char **argv)
{
    for (size_t i = 0; i < FORMS; i++) {
        if (argc > 1 && argv[1][0] == '-' && is_asked(&forms[i], argc, argv))
            return true;
    }
    return false;
}

/* The option of a command that a word is, with a value that it can have; NULL: none. */
static const struct option_spec *option_for(enum command_id command, char *const *word)
{
    const struct option_spec *option = option_of_word(command, word[0]);
    const char *equals = strchr(word[0], '='), *value = equals != NULL ? equals + 1 : word[1];
    bool fits =
        option != NULL && (option->type != VALUE_CHOICE || value == NULL || choice_find(option->choices, value) >= 0);

    return fits ? option : NULL;
}

/* How many words from this one on are an option of other commands that are asked for, and not of this one. */
static int words_of_others(const struct form *form, int argc, char **argv, int at)
{
    const struct option_spec *others = NULL;

    if (argv[at][0] != '-' || option_for(form->command, argv + at) != NULL)
        return 0;
    for (size_t i = 0; i < FORMS && others == NULL; i++) {
        if (is_asked(&forms[i], argc, argv))
            others = option_for(forms[i].command, argv + at);
    }
    if (others == NULL)
        return 0;
    return others->type != VALUE_NONE && strchr(argv[at], '=') == NULL && at + 1 < argc ? 2 : 1;
}

/* Its output is the directory that the captures are in. Returns how many words there are, -1 without memory; *renamed:
 * the one that is made, owned by the caller. */
static int translate(const struct form *form, int argc, char **argv, char **words, char **renamed)
{
    static char directory[] = "--collection-dir";
    static const char output[] = "--output";
    const size_t length = sizeof output - 1;
    int count = 0;
    words[count++] = argv[0];
    for (size_t i = 0; form->words[i] != NULL; i++)
        words[count++] = (char *)(uintptr_t)form->words[i];
    for (int i = 1; i < argc; i++) {
        const int others = words_of_others(form, argc, argv, i);
        if (others > 0) {
            i += others - 1;
        } else if (strcmp(argv[i], output) == 0) {
            words[count++] = directory;
        } else if (strncmp(argv[i], output, length) == 0 && argv[i][length] == '=') {
            if (asprintf(renamed, "%s%s", directory, argv[i] + length) < 0) {
                *renamed = NULL;
                return -1;
            }
            words[count++] = *renamed;
        } else if (!is_form(argv[i])) {
            words[count++] = argv[i];
        }
    }
    words[count] = NULL;
    return count;
}

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

/* One line, and what was probably meant; a usage error is made by a person at a prompt, or shows up in a script's log.
 */
static int tell_usage(const struct settings *settings, struct err *err)
{
    struct err line = ERR_INIT;

    err_set(&line, err->code, "%s; try '%s --help'", err_message(err), command_full_name(settings->command));
    if (err->hint[0] != '\0')
        err_hint(&line, "%s", err->hint);
    return console_error(&line);
}

/* Reads the command line, and tells what is wrong with it. */
static int read_settings(struct settings *settings, int argc, char **argv)
{
    struct err err = ERR_INIT;

    settings_init(settings);
    int result = options_parse(settings, argc, argv, &err);
    console_init(settings);
    return result != 0 ? tell_usage(settings, &err) : STATUS_DONE;
}

static int check(int argc, char **argv)
{
    SCOPED(settings_release) struct settings settings;

    return read_settings(&settings, argc, argv);
}

static int run(int argc, char **argv)
{
    SCOPED(settings_release) struct settings whole;
    struct settings *settings = &whole;
    int status = read_settings(settings, argc, argv);

    if (status != STATUS_DONE)
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
    return command->run(settings);
}

/* Runs the commands that it asks for, one after the other; returns the worst of their exit statuses. runs: false only
 * checks their command lines, up to the first that is wrong. */
static int vendor_form_each(int argc, char **argv, bool runs)
{
    int worst = STATUS_DONE;
    for (size_t i = 0; i < FORMS && (runs || worst == STATUS_DONE); i++) {
        SCOPED_FREE char *renamed = NULL, **words = scoped_memory((size_t)argc + MORE_WORDS + 1, sizeof *words);
        int count =
            words != NULL && is_asked(&forms[i], argc, argv) ? translate(&forms[i], argc, argv, words, &renamed) : 0;
        if (words == NULL || count < 0)
            worst = status_worse(worst, STATUS_FAILURE);
        else if (count > 0)
            worst = status_worse(worst, runs ? run(count, words) : check(count, words));
    }
    return worst;
}

static int vendor_form_run(int argc, char **argv)
{
    const int status = vendor_form_each(argc, argv, false);

    return status == STATUS_DONE ? vendor_form_each(argc, argv, true) : status;
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

int main(int argc, char **argv)
{
    console_guard_descriptors();
    console_take_signals();
    /* for the width of characters only: numbers and messages never depend on the locale */
    if (setlocale(LC_CTYPE, "") == NULL || MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8");
    install_handlers();
    return vendor_form_is(argc, argv) ? vendor_form_run(argc, argv) : run(argc, argv);
}
