/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for bash and zsh: the same walk over the words, the same cases, other words to offer the answers. */
#include "cli/options/completion.h"

#include "cli/options/options.h"

#include <string.h>

void completion_put_quoted(FILE *stream, const char *text, const char *quote)
{
    for (; *text != '\0'; text++)
        if (*text == '\'')
            fputs(quote, stream);
        else
            fputc(*text == '\n' ? ' ' : *text, stream);
}

/* The spellings of an option that takes a value, as a case pattern. Every command means the same options by them, up to
 * whether they take a value. */
static void put_value_options(FILE *stream)
{
    const char *separator = "";

    for (size_t i = 0; i < option_count; i++) {
        char buffer[OPTION_SPELLING_SIZE];
        const char *spelling;

        if (option_table[i].type == VALUE_NONE || option_is_repeated(&option_table[i]))
            continue;
        for (size_t s = 0; (spelling = option_spelling(&option_table[i], s, buffer)) != NULL; s++) {
            fprintf(stream, "%s%s", separator, spelling);
            separator = " | ";
        }
    }
}

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
    const char *separator = "";

    for (int id = 0; id < COMMAND_COUNT; id++) {
        char buffer[OPTION_SPELLING_SIZE];
        const char *spelling;

        if (!option_applies(option, (enum command_id)id))
            continue;
        for (size_t s = 0; (spelling = option_spelling(option, s, buffer)) != NULL; s++) {
            fprintf(stream, "%s'%s %s'", separator, command_full_name((enum command_id)id), spelling);
            separator = " | ";
        }
    }
}

static void put_choices(FILE *stream, const char *const *choices)
{
    for (size_t i = 0; choices[i] != NULL; i++)
        fprintf(stream, "%s%s", i > 0 ? " " : "", choices[i]);
}

/* What one shell says for "offer these". */
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
    for (size_t i = 0; i < option_count; i++) {
        char buffer[OPTION_SPELLING_SIZE];
        const char *spelling;

        if (!option_applies(&option_table[i], id))
            continue;
        for (size_t s = 0; (spelling = option_spelling(&option_table[i], s, buffer)) != NULL; s++) {
            fprintf(stream, "%s%s", separator, spelling);
            separator = " ";
        }
    }
    fputs("'\n        words='", stream);
    separator = "";
    for (enum command_id child = command_next_child(id, COMMAND_ROOT); child != COMMAND_COUNT;
         child = command_next_child(id, child)) {
        fprintf(stream, "%s%s", separator, command_name(child));
        separator = " ";
    }
    if (command->words != NULL)
        put_choices(stream, command->words);
    fputs("'\n", stream);
    if (command->needs_capture)
        fprintf(stream, "        captures=-%c\n", command->takes_baselines ? 'f' : 'd');
    fputs("        ;;\n", stream);
}

void completion_bash(FILE *stream)
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
    put_value_options(stream);
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

    fprintf(stream, "    '%s')\n        options=(\n", command_full_name(id));
    for (size_t i = 0; i < option_count; i++) {
        char buffer[OPTION_SPELLING_SIZE];
        const char *spelling;

        if (!option_applies(&option_table[i], id))
            continue;
        for (size_t s = 0; (spelling = option_spelling(&option_table[i], s, buffer)) != NULL; s++)
            put_zsh_entry(stream, spelling, option_table[i].help);
    }
    fputs("        )\n        entries=(\n", stream);
    for (enum command_id child = command_next_child(id, COMMAND_ROOT); child != COMMAND_COUNT;
         child = command_next_child(id, child))
        put_zsh_entry(stream, command_name(child), command_get(child)->summary);
    for (size_t i = 0; command->words != NULL && command->words[i] != NULL; i++)
        fprintf(stream, "            %s\n", command->words[i]);
    fputs("        )\n", stream);
    if (command->needs_capture)
        fprintf(stream, "        captures=(_files%s)\n", command->takes_baselines ? "" : " -/");
    fputs("        ;;\n", stream);
}

void completion_zsh(FILE *stream)
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
    put_value_options(stream);
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
