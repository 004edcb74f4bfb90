/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the option table: those of analyse, and where cluster puts its results. */
#ifndef MSPROF_CLI_OPTIONS_ANALYSE_OPTIONS_H
#define MSPROF_CLI_OPTIONS_ANALYSE_OPTIONS_H

#include "cli/options/options.h"

// clang-format off
#define ANALYSE_OPTIONS \
    {.name = "collection-dir", \
     .aliases = {"dir"}, \
     .vendor = "-dir", \
     .vendor_means = "--collection-dir", \
     .commands = COMMAND_BIT(COMMAND_ANALYSE), \
     .type = VALUE_DIRECTORY, \
     .argument = "DIR", \
     .repeatable = true, \
     .offset = offsetof(struct settings, captures), \
     .help = "a directory of a framework's profiler, or one that\nholds some, as DIR is; may be repeated"}, \
    {.name = "output", \
     .commands = COMMAND_BIT(COMMAND_ANALYSE), \
     .type = VALUE_DIRECTORY, \
     .argument = "DIR", \
     .offset = offsetof(struct settings, output), \
     .help = "put ASCEND_PROFILER_OUTPUT/ and sqlite/ into DIR\ninstead (several directories: into DIR/<name>)"}, \
    {.name = "rule", \
     .letter = 'r', \
     .commands = COMMAND_BIT(COMMAND_ANALYSE), \
     .type = VALUE_TEXT, \
     .argument = "LIST", \
     .offset = offsetof(struct settings, analyse.rules), \
     .help = "of captures (PROF_*) instead: communication,\ncommunication_matrix or both, into analyze/"}, \
    {.name = "type", \
     .commands = COMMAND_BIT(COMMAND_ANALYSE), \
     .type = VALUE_CHOICE, \
     .argument = "text|db", \
     .choices = rule_type_choices, \
     .offset = offsetof(struct settings, analyse.rule_type), \
     .help = "with --rule: JSON files and the database, or the\ndatabase alone (text)"}, \
    {.name = "clear", \
     .commands = COMMAND_BIT(COMMAND_ANALYSE), \
     .type = VALUE_NONE, \
     .offset = offsetof(struct settings, clear), \
     .help = "with --rule: remove the database of the capture\nwhen the files are written"}, \
    {.name = "step-list", \
     .aliases = {"step_list"}, \
     .commands = COMMAND_BIT(COMMAND_ANALYSE), \
     .type = VALUE_TEXT, \
     .argument = "LIST", \
     .offset = offsetof(struct settings, analyse.steps), \
     .help = "these steps only: 10,11,12"}, \
    {.name = "export", \
     .commands = COMMAND_BIT(COMMAND_ANALYSE), \
     .type = VALUE_TEXT, \
     .argument = "LIST", \
     .offset = offsetof(struct settings, analyse.export_types), \
     .help = "text, db or both: text,db (text)"}, \
    {.name = "pretty", \
     .commands = COMMAND_BIT(COMMAND_ANALYSE), \
     .type = VALUE_NONE, \
     .offset = offsetof(struct settings, analyse.pretty), \
     .help = "indent JSON files"}, \
    {.name = "simplify", \
     .commands = COMMAND_BIT(COMMAND_ANALYSE), \
     .type = VALUE_NONE, \
     .offset = offsetof(struct settings, analyse.simplify), \
     .help = "when all is written, remove FRAMEWORK/ and what\nelse the results do not need"}, \
    {.name = "relative-times", \
     .commands = COMMAND_BIT(COMMAND_ANALYSE), \
     .type = VALUE_NONE, \
     .offset = offsetof(struct settings, analyse.relative_times), \
     .help = "trace_view.json with numbers since the start of\nthe capture instead of absolute times as strings"}, \
    {.name = "force", \
     .commands = COMMAND_BIT(COMMAND_ANALYSE), \
     .type = VALUE_NONE, \
     .offset = offsetof(struct settings, analyse.force), \
     .help = "replace an ASCEND_PROFILER_OUTPUT/ that msprof did\nnot write"}, \
    {.name = "cann-version", \
     .commands = COMMAND_BIT(COMMAND_ANALYSE), \
     .type = VALUE_VERSION, \
     .argument = "VERSION", \
     .offset = offsetof(struct settings, cann_version), \
     .help = "use the names of this version of CANN, as in 8.2,\nor newest (the version that the capture says, else\nnewest)"}, \
    {.name = "jobs", \
     .commands = COMMAND_BIT(COMMAND_ANALYSE), \
     .type = VALUE_NUMBER, \
     .argument = "N", \
     .minimum = 1, \
     .maximum = 256, \
     .offset = offsetof(struct settings, analyse.jobs), \
     .help = "analyse N directories at the same time (as many\nas there are processors)"}, \
    {.name = "output", \
     .commands = COMMAND_BIT(COMMAND_CLUSTER), \
     .type = VALUE_DIRECTORY, \
     .argument = "DIR", \
     .offset = offsetof(struct settings, output), \
     .help = "put cluster_analysis_output/ into DIR instead of\nthe directory of the ranks"}
// clang-format on

#endif
