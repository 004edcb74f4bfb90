/* SPDX-License-Identifier: Apache-2.0 */
/* msprof tui in a build without it (make TUI=no): the command stays, and says why it does nothing. */
#include "base/library.h"
#include "cli/command.h"
#include "cli/console.h"

static int refuse(const struct settings *settings)
{
    (void)settings;
    return console_fail(ERR_FAILED, "'msprof show' prints the same tables",
                        "this msprof was built without tui (make TUI=no)");
}

bool tui_library(struct library_version *ret)
{
    (void)ret;
    return false;
}

const struct command command_tui = {
    .path = "tui",
    .parent = COMMAND_ROOT,
    .order = 102,
    .summary = "browse captures in the terminal (not in this build)",
    .description = "This msprof was built without tui (make TUI=no).\n",
    .operands = "[CAPTURE...]",
    .most_operands = -1,
    .run = refuse,
};
