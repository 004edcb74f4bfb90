/* SPDX-License-Identifier: Apache-2.0 */
#include "base/progress.h"
#include "cli/cmd_help.h"
#include "cli/console.h"
#include "cli/options/options.h"

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
    const char *words[3];
} forms[] = {
    {"--parse=on", {"import", NULL}},
    {"--export=on", {"export", "timeline", NULL}},
    {"--export=on", {"export", "summary", NULL}},
    {"--analyze=on", {"analyse", NULL}},
    {"--query=on", {"query", NULL}},
};

#define FORMS (sizeof forms / sizeof *forms)
#define MORE_WORDS 4 /* than were given: those of the command, and the rule of analyse */

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

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

/* Its output is the directory that the captures are in. Returns how many words there are, -1 without memory; *renamed:
 * the one that is made, owned by the caller. */
static int translate(const struct form *form, int argc, char **argv, char **words, char **renamed)
{
    static char directory[] = "--collection-dir", rule[] = "--rule=communication,communication_matrix";
    bool has_rule = false;
    int count = 0;
    words[count++] = argv[0];
    for (size_t i = 0; form->words[i] != NULL; i++)
        words[count++] = (char *)(uintptr_t)form->words[i];
    for (int i = 1; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        has_rule |= begins(argv[i], "--rule") || begins(argv[i], "-r");
        if (is_form(argv[i]))
            continue;
        if (strcmp(argv[i], "--output") == 0) {
            words[count++] = directory;
        } else if (begins(argv[i], "--output=") && value != NULL) {
            if (asprintf(renamed, "%s%s", directory, value) < 0) {
                *renamed = NULL;
                return -1;
            }
            words[count++] = *renamed;
        } else {
            words[count++] = argv[i];
        }
    }
    if (form->words[0] != NULL && strcmp(form->words[0], "analyse") == 0 && !has_rule)
        words[count++] = rule;
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

static int run(int argc, char **argv)
{
    SCOPED(settings_release) struct settings whole;
    struct settings *settings = &whole;
    struct err err = ERR_INIT;

    settings_init(settings);
    int result = options_parse(settings, argc, argv, &err);
    console_init(settings);
    if (result != 0)
        return tell_usage(settings, &err);
    if (settings->help || settings->version)
        return print_help_or_version(settings);
    const struct command *command = command_get(settings->command);
    if (command->run == NULL) { /* a command that needs a further word */
        help_print(settings->command, stderr);
        return STATUS_USAGE;
    }
    return command->run(settings);
}

/* Runs what it asks for, one command after the other; returns the worst of their exit statuses. */
static int vendor_form_run(int argc, char **argv)
{
    int worst = STATUS_DONE;
    for (size_t i = 0; i < FORMS; i++) {
        SCOPED_FREE char *renamed = NULL, **words = scoped_memory((size_t)argc + MORE_WORDS + 1, sizeof *words);
        int count =
            words != NULL && is_asked(&forms[i], argc, argv) ? translate(&forms[i], argc, argv, words, &renamed) : 0;
        if (words == NULL || count < 0)
            worst = status_worse(worst, STATUS_FAILURE);
        else if (count > 0)
            worst = status_worse(worst, run(count, words));
    }
    return worst;
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
