/* SPDX-License-Identifier: Apache-2.0 */
/* msprof collect in a build without it (make COLLECT=no): the command stays, and says why it does nothing. */
#include "base/library.h"
#include "cli/command.h"
#include "cli/console.h"

static int refuse(const struct settings *settings)
{
    (void)settings;
    return console_fail(ERR_FAILED, "copy the JOB... directory from the board by hand; import and export read it",
                        "this msprof was built without collect (make COLLECT=no)");
}

bool collect_library(struct library_version *ret)
{
    (void)ret;
    return false;
}

const struct command command_collect = {
    .path = "collect",
    .parent = COMMAND_ROOT,
    .order = 10,
    .summary = "run a program on a board over SSH (not in this build)",
    .description = "This msprof was built without collect (make COLLECT=no).\n",
    .operands = "[-- ARGUMENT...]",
    .most_operands = -1,
    .operands_follow_dashes = true,
    .run = refuse,
};
