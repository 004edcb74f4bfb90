/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands: one table. Adding one means adding cmd_<name>.c, which defines "const struct command
 * command_<name>", a line in COMMAND_LIST, and the command's bit in the rows of its options (options.c). */
#ifndef MSPROF_CLI_COMMAND_H
#define MSPROF_CLI_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

struct settings;

/* X(constant, definition); the order is that of the help. */
#define COMMAND_LIST(X)                                                                                                \
    X(COMMAND_ROOT, command_root)                                                                                      \
    X(COMMAND_COLLECT, command_collect)                                                                                \
    X(COMMAND_RUN, command_run)                                                                                        \
    X(COMMAND_IMPORT, command_import)                                                                                  \
    X(COMMAND_EXPORT, command_export)                                                                                  \
    X(COMMAND_EXPORT_TIMELINE, command_export_timeline)                                                                \
    X(COMMAND_EXPORT_SUMMARY, command_export_summary)                                                                  \
    X(COMMAND_EXPORT_DB, command_export_db)                                                                            \
    X(COMMAND_EXPORT_FLAME, command_export_flame)                                                                      \
    X(COMMAND_QUERY, command_query)                                                                                    \
    X(COMMAND_SHOW, command_show)                                                                                      \
    X(COMMAND_ANALYSE, command_analyse)                                                                                \
    X(COMMAND_CLUSTER, command_cluster)                                                                                \
    X(COMMAND_ADVISE, command_advise)                                                                                  \
    X(COMMAND_DIFF, command_diff)                                                                                      \
    X(COMMAND_REPORT, command_report)                                                                                  \
    X(COMMAND_VIEW, command_view)                                                                                      \
    X(COMMAND_REPLAY, command_replay)                                                                                  \
    X(COMMAND_LAYOUT, command_layout)                                                                                  \
    X(COMMAND_LAYOUT_INFER, command_layout_infer)                                                                      \
    X(COMMAND_LAYOUT_CHECK, command_layout_check)                                                                      \
    X(COMMAND_LAYOUT_SHOW, command_layout_show)                                                                        \
    X(COMMAND_OPTIONS, command_options)                                                                                \
    X(COMMAND_DOCTOR, command_doctor)                                                                                  \
    X(COMMAND_KINDS, command_kinds)                                                                                    \
    X(COMMAND_COMPLETION, command_completion)                                                                          \
    X(COMMAND_HELP, command_help)

enum command_id {
#define COMMAND_ENUM(constant, definition) constant,
    COMMAND_LIST(COMMAND_ENUM)
#undef COMMAND_ENUM
        COMMAND_COUNT
};

struct example {
    const char *comment;
    const char *line; /* a whole shell command */
};

struct command {
    const char *path; /* the words after "msprof": "export timeline"; "" for msprof itself */
    enum command_id parent;
    const char *also;               /* NULL, or another spelling of its last word */
    const char *summary;            /* one line */
    const char *description;        /* lines of the help, each ended by a newline */
    const char *operands;           /* as in the usage line, NULL: none */
    int most_operands;              /* -1: any number */
    bool operands_follow_dashes;    /* they are not msprof's and must stand behind "--" */
    const char *const *words;       /* what operands can be, for completion and checking; NULL: not a fixed list */
    bool runs_program;              /* its operands are a program and what belongs to that */
    bool needs_capture;             /* its operands are captures, as the values of --collection-dir are; one at least */
    bool takes_baselines;           /* and files that stand for captures; options may name all of them */
    bool captures_optional;         /* it says itself when it misses them */
    const struct example *examples; /* ended by an entry without a line; NULL: none */
    int (*run)(const struct settings *settings); /* returns the exit status; NULL: only its subcommands can run */
};

#define COMMAND_DECLARE(constant, definition) extern const struct command definition;
COMMAND_LIST(COMMAND_DECLARE)
#undef COMMAND_DECLARE

const struct command *command_get(enum command_id id);
/* The last word of its path; "msprof" for the root. */
const char *command_name(enum command_id id);
/* "msprof export timeline", valid until the program ends. */
const char *command_full_name(enum command_id id);
/* The subcommand of parent with this name; COMMAND_COUNT when there is none. */
enum command_id command_find(enum command_id parent, const char *name);
/* The next subcommand of parent after previous (COMMAND_ROOT: the first); COMMAND_COUNT at the end. */
enum command_id command_next_child(enum command_id parent, enum command_id previous);
/* Whether id is ancestor itself or below it. */
bool command_is_within(enum command_id id, enum command_id ancestor);

/* Processes that work for a command. */

/* fork(), for work that nobody wants when this process is gone: the child is interrupted then, however that ended. */
pid_t child_fork(void);

#endif
