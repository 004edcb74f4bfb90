/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options/options.h"

#include <stdio.h>

/* Completion scripts from the tables of commands and options. */

#define FISH_QUOTE "\\'"

/* The text on one line with each single quote replaced by quote: to stand between single quotes in a script. */
static void completion_put_quoted(FILE *stream, const char *text, const char *quote)
{
    for (; *text != '\0'; text++)
        if (*text == '\'')
            fputs(quote, stream);
        else
            fputc(*text == '\n' ? ' ' : *text, stream);
}

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

static void put_choices(FILE *stream, const char *choices)
{
    for (; *choices != '\0'; choices++)
        fputc(*choices == '|' ? ' ' : *choices, stream);
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
        put_choices(stream, option->choices);
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
    case VALUE_MODEL:
    case VALUE_MHZ:
    case VALUE_AMOUNT:
    case VALUE_SPEED:
    case VALUE_VERSION:
    case VALUE_PERCENT:
        fputs(" -x", stream);
        put_offer(stream, option->offer);
        break;
    }
}

/* One line per spelling: fish wants letters, words with one dash and words with two distinguished. */
static void put_options(FILE *stream, enum command_id id)
{
    for (struct option_walk walk = {.command = id}; option_walk_next(&walk);) {
        put_condition(stream, id);
        if (walk.spelling[1] == '-')
            fprintf(stream, " -l %s", walk.spelling + 2);
        else
            fprintf(stream, " -%c %s", walk.spelling[2] == '\0' ? 's' : 'o', walk.spelling + 1);
        put_value(stream, walk.option);
        put_description(stream, walk.option->help);
    }
}

static void put_words(FILE *stream, enum command_id id)
{
    const struct command *command = command_get(id);
    const char *word;
    size_t length;

    EACH_CHILD (child, id) {
        put_condition(stream, id);
        fprintf(stream, " -a %s", command_name(child));
        put_description(stream, command_get(child)->summary);
    }
    for (int i = 0; command->operands_are_words && (word = choice_word(command->operands, i, &length)) != NULL; i++) {
        put_condition(stream, id);
        fprintf(stream, " -a %.*s\n", (int)length, word);
    }
    if (command->needs_capture) {
        put_condition(stream, id);
        fputs(command->takes_baselines ? " -F\n" : " -a '(__fish_complete_directories)'\n", stream);
    }
}

/* Prints the spellings of an option, with what stands before the first, between two, and before and behind each.
 * Returns what stands before the next. */
static const char *put_spellings(FILE *stream, const struct option_spec *option, const char *separator,
                                 const char *between, const char *before, const char *behind)
{
    char buffer[OPTION_SPELLING_SIZE];
    const char *spelling;

    for (size_t s = 0; (spelling = option_spelling(option, s, buffer)) != NULL; s++) {
        fprintf(stream, "%s%s%s%s", separator, before, spelling, behind);
        separator = between;
    }
    return separator;
}

/* The spellings of an option that takes a value, as a case pattern. Every command means the same options by them, up to
 * whether they take a value. */
static void put_value_options(FILE *stream, const char *separator, const char *between)
{
    for (size_t i = 0; i < option_count; i++)
        if (option_table[i].type != VALUE_NONE && !option_is_repeated(&option_table[i]))
            separator = put_spellings(stream, &option_table[i], separator, between, "", "");
}

static void completion_fish(FILE *stream)
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
    put_value_options(stream, " ", " ");
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

/* Completion for bash and zsh: the same walk over the words, the same cases, other words to offer the answers. */

/* The case arms that find out which command the words so far name. */
static void put_command_cases(FILE *stream)
{
    for (int id = COMMAND_ROOT + 1; id < COMMAND_COUNT; id++)
        fprintf(stream, "        '%s') command='%s' ;;\n", command_full_name((enum command_id)id),
                command_full_name((enum command_id)id));
}

/* The case pattern "'msprof import --output' | ..." of an option with a value, over all commands that take it. */
static void put_option_pattern(FILE *stream, const struct option_spec *option)
{
    const char *separator = "'";

    for (int id = 0; id < COMMAND_COUNT; id++) {
        char before[64];

        snprintf(before, sizeof before, "%s ", command_full_name((enum command_id)id));
        if (option_applies(option, (enum command_id)id))
            separator = put_spellings(stream, option, separator, " | '", before, "'");
    }
}

/* Words of one shell for "offer these". */
struct shell {
    const char *directories, *files; /* whole commands */
    const char *choices_begin, *choices_end;
    const char *choices_or_files_end; /* files besides */
};

static void put_value_cases(FILE *stream, const struct shell *shell)
{
    for (size_t i = 0; i < option_count; i++) {
        const struct option_spec *option = &option_table[i];

        if (option->type == VALUE_NONE)
            continue;
        fputs("    ", stream);
        put_option_pattern(stream, option);
        fputs(")\n        ", stream);
        if (option->type == VALUE_CHOICE) {
            fputs(shell->choices_begin, stream);
            put_choices(stream, option->choices);
            fputs(shell->choices_end, stream);
        } else if (option->offer != OFFER_NOTHING) {
            fputs(shell->choices_begin, stream);
            offers_put(stream, option->offer);
            fputs(option->type == VALUE_FILE ? shell->choices_or_files_end : shell->choices_end, stream);
        } else if (option->type == VALUE_DIRECTORY) {
            fputs(shell->directories, stream);
        } else if (option->type == VALUE_FILE) {
            fputs(shell->files, stream);
        } else {
            fputc(':', stream); /* a number or a text: nothing to offer */
        }
        fputs("\n        return\n        ;;\n", stream);
    }
}

static void put_bash_words(FILE *stream, enum command_id id)
{
    const struct command *command = command_get(id);
    const char *separator = "";

    fprintf(stream, "    '%s')\n        options='", command_full_name(id));
    for (struct option_walk walk = {.command = id}; option_walk_next(&walk); separator = " ")
        fprintf(stream, "%s%s", separator, walk.spelling);
    fputs("'\n        words='", stream);
    separator = "";
    EACH_CHILD (child, id) {
        fprintf(stream, "%s%s", separator, command_name(child));
        separator = " ";
    }
    if (command->operands_are_words)
        put_choices(stream, command->operands);
    fputs("'\n", stream);
    if (command->needs_capture)
        fprintf(stream, "        captures=-%c\n", command->takes_baselines ? 'f' : 'd');
    fputs("        ;;\n", stream);
}

static void completion_bash(FILE *stream)
{
    static const struct shell bash = {
        .directories = "compopt -o filenames 2>/dev/null\n        mapfile -t COMPREPLY < <(compgen -d -- \"$current\")",
        .files = "compopt -o filenames 2>/dev/null\n        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")",
        .choices_begin = "mapfile -t COMPREPLY < <(compgen -W '",
        .choices_end = "' -- \"$current\")",
        .choices_or_files_end = "' -- \"$current\"; compgen -f -- \"$current\")",
    };

    fputs("# bash completion for msprof, made by 'msprof completion bash'\n"
          "_msprof()\n"
          "{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command=msprof options='' words='' captures='' i\n"
          "\n"
          "    COMPREPLY=()\n"
          "    # bash splits --option=value into three words\n"
          "    if [[ $current == = ]]; then\n"
          "        current=''\n"
          "    elif [[ $option == = ]] && ((COMP_CWORD >= 2)); then\n"
          "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        case ${COMP_WORDS[i - 1]} in\n"
          "        ",
          stream);
    put_value_options(stream, "", " | ");
    fputs(" | =) continue ;; # a value\n"
          "        esac\n"
          "        case \"$command ${COMP_WORDS[i]}\" in\n",
          stream);
    put_command_cases(stream);
    fputs("        esac\n"
          "    done\n"
          "    case \"$command $option\" in\n",
          stream);
    put_value_cases(stream, &bash);
    fputs("    esac\n"
          "    case $command in\n",
          stream);
    for (int id = 0; id < COMMAND_COUNT; id++)
        put_bash_words(stream, (enum command_id)id);
    fputs("    esac\n"
          "    if [[ $current == -* ]]; then\n"
          "        words=$options\n"
          "    elif [[ -n $captures ]]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        mapfile -t COMPREPLY < <(compgen \"$captures\" -- \"$current\")\n"
          "        return\n"
          "    fi\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
          "}\n"
          "complete -F _msprof msprof\n",
          stream);
}

static void put_zsh_entry(FILE *stream, const char *name, const char *text)
{
    fprintf(stream, "            '%s:", name);
    completion_put_quoted(stream, text, "'\\''");
    fputs("'\n", stream);
}

static void put_zsh_words(FILE *stream, enum command_id id)
{
    const struct command *command = command_get(id);
    const char *word;
    size_t length;

    fprintf(stream, "    '%s')\n        options=(\n", command_full_name(id));
    for (struct option_walk walk = {.command = id}; option_walk_next(&walk);)
        put_zsh_entry(stream, walk.spelling, walk.option->help);
    fputs("        )\n        entries=(\n", stream);
    EACH_CHILD (child, id)
        put_zsh_entry(stream, command_name(child), command_get(child)->summary);
    for (int i = 0; command->operands_are_words && (word = choice_word(command->operands, i, &length)) != NULL; i++)
        fprintf(stream, "            %.*s\n", (int)length, word);
    fputs("        )\n", stream);
    if (command->needs_capture)
        fprintf(stream, "        captures=(_files%s)\n", command->takes_baselines ? "" : " -/");
    fputs("        ;;\n", stream);
}

static void completion_zsh(FILE *stream)
{
    static const struct shell zsh = {
        .directories = "_files -/",
        .files = "_files",
        .choices_begin = "compadd ",
        .choices_end = "",
        .choices_or_files_end = "\n        _files",
    };

    fputs("#compdef msprof\n"
          "# zsh completion for msprof, made by 'msprof completion zsh'\n"
          "_msprof()\n"
          "{\n"
          "    local command=msprof option=${words[CURRENT - 1]} i\n"
          "    local -a options entries captures\n"
          "\n"
          "    for ((i = 2; i < CURRENT; i++)); do\n"
          "        case ${words[i - 1]} in\n"
          "        ",
          stream);
    put_value_options(stream, "", " | ");
    fputs(") continue ;; # a value\n"
          "        esac\n"
          "        case \"$command ${words[i]}\" in\n",
          stream);
    put_command_cases(stream);
    fputs("        esac\n"
          "    done\n"
          "    if [[ ${words[CURRENT]} == --*=* ]]; then\n"
          "        option=${words[CURRENT]%%=*}\n"
          "        compset -P '*='\n"
          "    fi\n"
          "    case \"$command $option\" in\n",
          stream);
    put_value_cases(stream, &zsh);
    fputs("    esac\n"
          "    case $command in\n",
          stream);
    for (int id = 0; id < COMMAND_COUNT; id++)
        put_zsh_words(stream, (enum command_id)id);
    fputs("    esac\n"
          "    if [[ ${words[CURRENT]} == -* ]]; then\n"
          "        _describe -o option options\n"
          "    elif (( $#entries )); then\n"
          "        _describe word entries\n"
          "    elif (( $#captures )); then\n"
          "        $captures\n"
          "    fi\n"
          "}\n"
          "if [[ $funcstack[1] == _msprof ]]; then\n"
          "    _msprof \"$@\"\n"
          "else\n"
          "    compdef _msprof msprof\n"
          "fi\n",
          stream);
}

/* msprof completion: scripts for the shells. */

static int run_completion(const struct settings *settings)
{
    static void (*const writers[])(FILE * stream) = {completion_bash, completion_zsh, completion_fish};

    if (settings->operand_count == 0)
        return console_fail(ERR_USAGE, NULL, "no shell given: bash, zsh or fish; try 'msprof completion --help'");
    console_output_begin();
    writers[choice_find(command_completion.operands, settings->operands[0])](
        stdout); /* which options_parse has checked */
    return console_output_end(false);
}

const struct command command_completion = {
    .path = "completion",
    .parent = COMMAND_ROOT,
    .order = 250,
    .summary = "print the completion script of a shell",
    .description = "Prints a script for completion of msprof's commands and options in a shell.\n",
    .operands = "bash|zsh|fish",
    .most_operands = 1,
    .operands_are_words = true,
    EXAMPLES({"in bash, for this session", "eval \"$(msprof completion bash)\""},
             {"in fish, permanently", "msprof completion fish >msprof.fish"}),
    .run = run_completion,
};
