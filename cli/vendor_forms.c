/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/vendor_forms.h"

#include "cli/status.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What each asks for: words of commands. The vendor's export writes both kinds of reports. */
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
    static const char *const off[] = {"--parse=off", "--export=off", "--analyze=off", "--query=off"};
    for (size_t i = 0; i < FORMS; i++) {
        if (strcmp(word, forms[i].option) == 0)
            return true;
    }
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        if (strcmp(word, off[i]) == 0)
            return true;
    }
    return false;
}

bool vendor_form_is(int argc, char **argv)
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

int vendor_form_run(int argc, char **argv, int (*run)(int argc, char **argv, void *arg), void *arg)
{
    int worst = STATUS_DONE;
    for (size_t i = 0; i < FORMS; i++) {
        char *renamed = NULL, **words = calloc((size_t)argc + MORE_WORDS + 1, sizeof *words);
        int count =
            words != NULL && is_asked(&forms[i], argc, argv) ? translate(&forms[i], argc, argv, words, &renamed) : 0;
        if (words == NULL || count < 0)
            worst = status_worse(worst, STATUS_FAILURE);
        else if (count > 0)
            worst = status_worse(worst, run(count, words, arg));
        free(renamed);
        free(words);
    }
    return worst;
}
