/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include <string.h>

const struct command command_root = {
    .path = "",
    .parent = COMMAND_ROOT,
    .order = 0,
    .summary = "profiler tool for Ascend and HiSilicon SVP chips",
    .description = "Decodes a raw profiling capture once into an SQLite database and generates all reports from\nit: "
                   "timelines for trace viewers, summary tables, and tables in the terminal.\n",
    EXAMPLES(
        {"import a capture, write timeline and summary", "msprof export timeline JOBX && msprof export summary JOBX"},
        {"show it in the terminal", "msprof show -dir JOBX"}),
};

#define COMMAND(constant, definition) [constant] = &definition,
static const struct command *const commands[COMMAND_COUNT] = {
#include "command_list.h"
};
#undef COMMAND

const struct command *command_get(enum command_id id)
{
    return commands[id];
}

const char *command_name(enum command_id id)
{
    if (id == COMMAND_ROOT)
        return "msprof";
    const char *space = strrchr(commands[id]->path, ' ');
    return space != NULL ? space + 1 : commands[id]->path;
}

const char *command_full_name(enum command_id id)
{
    static char names[COMMAND_COUNT][64];

    if (id == COMMAND_ROOT)
        return "msprof";
    if (names[id][0] == '\0') {
        static const char program[] = "msprof ";
        size_t length = strnlen(commands[id]->path, sizeof names[id] - sizeof program);

        memcpy(names[id], program, sizeof program - 1);
        memcpy(names[id] + sizeof program - 1, commands[id]->path, length);
    }
    return names[id];
}

enum command_id command_next_child(enum command_id parent, enum command_id previous)
{
    for (int id = (int)previous + 1; id < COMMAND_COUNT; id++)
        if (commands[id]->parent == parent)
            return (enum command_id)id;
    return COMMAND_COUNT;
}

enum command_id command_find(enum command_id parent, const char *name)
{
    enum command_id id = command_next_child(parent, COMMAND_ROOT);

    while (id != COMMAND_COUNT && strcmp(command_name(id), name) != 0 &&
           (commands[id]->also == NULL || strcmp(commands[id]->also, name) != 0))
        id = command_next_child(parent, id);
    return id;
}

bool command_is_within(enum command_id id, enum command_id ancestor)
{
    while (id != ancestor && id != COMMAND_ROOT)
        id = commands[id]->parent;
    return id == ancestor;
}
