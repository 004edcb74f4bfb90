/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands. Adding one is a file that defines "const struct command command_<name>", which the Makefile finds,
 * and a page in man/ (docs/adding-a-command.md). */
#ifndef MSPROF_CLI_COMMAND_H
#define MSPROF_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct library_version;
struct settings;

enum command_id {
#define COMMAND(constant, definition) constant,
#include "command_list.h"
#undef COMMAND
    COMMAND_COUNT
};

struct example {
    const char *comment;
    const char *line; /* a whole shell command */
};

/* A command's examples, as a member of it: EXAMPLES({"what it does", "msprof ..."}). */
#define EXAMPLES(...)                                                                                                  \
    .examples = (const struct example[])                                                                               \
    {                                                                                                                  \
        __VA_ARGS__,                                                                                                   \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }

struct command {
    const char *path; /* the words after "msprof": "export timeline"; "" for msprof itself */
    enum command_id parent;
    int order;                   /* its place in the help */
    const char *also;            /* NULL, or another spelling of its last word */
    const char *summary;         /* one line */
    const char *description;     /* lines of the help, each ended by a newline */
    const char *operands;        /* as in the usage line, NULL: none */
    int most_operands;           /* -1: any number */
    bool operands_follow_dashes; /* they are not msprof's and must stand behind "--" */
    bool operands_are_words;     /* each is one of those between the bars of operands */
    bool runs_program;           /* its operands are a program and what belongs to that */
    bool needs_capture;          /* its operands are captures, as the values of --collection-dir are; one at least */
    bool takes_one;              /* capture, and no more */
    bool imports;                /* captures: it takes the options that say how (COMMAND_IMPORTS) */
    bool only_answers;           /* nothing is left behind: a capture that cannot be written to does as well */
    bool takes_baselines;        /* and files that stand for captures; options may name all of them */
    bool captures_optional;      /* it says itself when it misses them */
    /* Which of its outputs people read, and not programs: those are in the language of the user. */
    const struct people_formats {
        bool all;         /* whatever the format */
        unsigned formats; /* a bit for each value of ... */
        size_t setting;   /* ... this int of struct settings */
    } people;
    const struct example *examples;              /* ended by an entry without a line; NULL: none */
    int (*run)(const struct settings *settings); /* returns the exit status; NULL: only its subcommands can run */
};

/* .people of a command whose format is an int of struct settings: READ_BY_PEOPLE(show.format, 1U << TABLE) */
#define READ_BY_PEOPLE(member, bits)                                                                                   \
    {                                                                                                                  \
        false, (bits), offsetof(struct settings, member)                                                               \
    }

#define COMMAND(constant, definition) extern const struct command definition;
#include "command_list.h"
#undef COMMAND

const struct command *command_get(enum command_id id);
/* The last word of its path; "msprof" for the root. */
const char *command_name(enum command_id id);
/* "msprof export timeline", valid until the program ends. */
const char *command_full_name(enum command_id id);
/* The subcommand of parent with this name; COMMAND_COUNT when there is none. */
enum command_id command_find(enum command_id parent, const char *name);
/* The next subcommand of parent after previous (COMMAND_ROOT: the first); COMMAND_COUNT at the end. */
enum command_id command_next_child(enum command_id parent, enum command_id previous);
#define EACH_CHILD(id, parent)                                                                                         \
    for (enum command_id id = COMMAND_ROOT; (id = command_next_child(parent, id)) != COMMAND_COUNT;)
/* Whether id is ancestor itself or below it. */
bool command_is_within(enum command_id id, enum command_id ancestor);

/* The work of commands that others need. */

/* The library that collect uses; false: this build is without collect. */
bool collect_library(struct library_version *ret);
/* The library that tui draws with; false: it is not installed, or this build is without tui. */
bool tui_library(struct library_version *ret);
/* The path of the library that 'msprof run' puts into programs (free() it): beside the program in a build tree, else
 * where 'make install' puts it. */
int run_find_library(char **ret, struct err *err);
/* Writes the communication files that settings->analyse chooses into analyze/ of each capture; an exit status. */
int export_rules(const struct settings *settings);

#endif
