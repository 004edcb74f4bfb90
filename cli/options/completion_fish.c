/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/completion.h"

#include "cli/options/options.h"

#include <string.h>

#define FISH_QUOTE "\\'"

static void put_description(FILE *stream, const char *text)
{
    fputs(" -d '", stream);
    completion_put_quoted(stream, text, FISH_QUOTE);
    fputs("'\n", stream);
}

static void put_condition(FILE *stream, enum command_id id)
{
    fprintf(stream, "complete -c msprof -n '__msprof_is %s'", command_full_name(id));
}

static void put_offer(FILE *stream, enum offer offer)
{
    if (offer == OFFER_NOTHING)
        return;
    fputs(" -a '", stream);
    offers_put(stream, offer);
    fputs("'", stream);
}

static void put_value(FILE *stream, const struct option_spec *option)
{
    switch (option->type) {
    case VALUE_NONE:
        break;
    case VALUE_CHOICE:
        fputs(" -x -a '", stream);
        for (size_t i = 0; option->choices[i] != NULL; i++)
            fprintf(stream, "%s%s", i > 0 ? " " : "", option->choices[i]);
        fputs("'", stream);
        break;
    case VALUE_DIRECTORY:
        fputs(" -x -a '(__fish_complete_directories)'", stream);
        break;
    case VALUE_FILE:
        fputs(" -r -F", stream);
        put_offer(stream, option->offer);
        break;
    case VALUE_TEXT:
    case VALUE_NUMBER:
    case VALUE_MHZ:
    case VALUE_SPEED:
    case VALUE_VERSION:
    case VALUE_PERCENT:
        fputs(" -x", stream);
        put_offer(stream, option->offer);
        break;
    }
}

/* One line per spelling: fish wants letters, words with one dash and words with two told apart. */
static void put_options(FILE *stream, enum command_id id)
{
    for (size_t i = 0; i < option_count; i++) {
        const struct option_spec *option = &option_table[i];
        char buffer[OPTION_SPELLING_SIZE];
        const char *spelling;

        if (!option_applies(option, id))
            continue;
        for (size_t s = 0; (spelling = option_spelling(option, s, buffer)) != NULL; s++) {
            put_condition(stream, id);
            if (spelling[1] == '-')
                fprintf(stream, " -l %s", spelling + 2);
            else
                fprintf(stream, " -%c %s", spelling[2] == '\0' ? 's' : 'o', spelling + 1);
            put_value(stream, option);
            put_description(stream, option->help);
        }
    }
}

static void put_words(FILE *stream, enum command_id id)
{
    const struct command *command = command_get(id);

    for (enum command_id child = command_next_child(id, COMMAND_ROOT); child != COMMAND_COUNT;
         child = command_next_child(id, child)) {
        put_condition(stream, id);
        fprintf(stream, " -a %s", command_name(child));
        put_description(stream, command_get(child)->summary);
    }
    for (size_t i = 0; command->words != NULL && command->words[i] != NULL; i++) {
        put_condition(stream, id);
        fprintf(stream, " -a %s\n", command->words[i]);
    }
    if (command->needs_capture) {
        put_condition(stream, id);
        fputs(command->takes_baselines ? " -F\n" : " -a '(__fish_complete_directories)'\n", stream);
    }
}

void completion_fish(FILE *stream)
{
    fputs("# fish completion for msprof, made by 'msprof completion fish'\n"
          "function __msprof_is\n"
          "    set -l command msprof\n"
          "    set -l is_value 0\n"
          "    for word in (commandline -opc)[2..-1]\n"
          "        if test $is_value = 1\n"
          "            set is_value 0\n"
          "            continue\n"
          "        end\n"
          "        switch $word\n"
          "            case",
          stream);
    for (size_t i = 0; i < option_count; i++) {
        char buffer[OPTION_SPELLING_SIZE];
        const char *spelling;

        if (option_table[i].type == VALUE_NONE || option_is_repeated(&option_table[i]))
            continue;
        for (size_t s = 0; (spelling = option_spelling(&option_table[i], s, buffer)) != NULL; s++)
            fprintf(stream, " %s", spelling);
    }
    fputs("\n"
          "                set is_value 1\n"
          "                continue\n"
          "        end\n"
          "        switch \"$command $word\"\n"
          "            case",
          stream);
    for (int id = COMMAND_ROOT + 1; id < COMMAND_COUNT; id++)
        fprintf(stream, " '%s'", command_full_name((enum command_id)id));
    fputs("\n"
          "                set command \"$command $word\"\n"
          "        end\n"
          "    end\n"
          "    test \"$command\" = \"$argv\"\n"
          "end\n"
          "complete -c msprof -f\n",
          stream);
    for (int id = 0; id < COMMAND_COUNT; id++) {
        put_words(stream, (enum command_id)id);
        put_options(stream, (enum command_id)id);
    }
}
