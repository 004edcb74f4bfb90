/* SPDX-License-Identifier: Apache-2.0 */
/* msprof completion: scripts for the shells. */
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options/completion.h"
#include "cli/options/options.h"
#include "cli/status.h"

#include <string.h>

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static int run_completion(const struct settings *settings)
{
    static void (*const writers[])(FILE * stream) = {completion_bash, completion_zsh, completion_fish};
    size_t shell = 0;

    if (settings->operand_count == 0) {
        struct err err = ERR_INIT;

        err_set(&err, ERR_USAGE, "no shell given: bash, zsh or fish; try 'msprof completion --help'");
        console_error(&err);
        return STATUS_USAGE;
    }
    /* parse_command_line has checked that the operand is one of them */
    while (shells[shell + 1] != NULL && strcmp(shells[shell], settings->operands[0]) != 0)
        shell++;
    console_output_begin();
    writers[shell](stdout);
    return console_output_end(false);
}

static const struct example examples[] = {
    {"in bash, for this session", "eval \"$(msprof completion bash)\""},
    {"in fish, for good", "msprof completion fish >msprof.fish"},
    {NULL, NULL},
};

const struct command command_completion = {
    .path = "completion",
    .parent = COMMAND_ROOT,
    .summary = "print the completion script of a shell",
    .description = "Prints a script that teaches a shell to complete msprof's commands and options.\n",
    .operands = "bash|zsh|fish",
    .most_operands = 1,
    .words = shells,
    .examples = examples,
    .run = run_completion,
};
