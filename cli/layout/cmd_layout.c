/* SPDX-License-Identifier: Apache-2.0 */
/* msprof layout: what its subcommands have in common is their name. */
#include "cli/command.h"

#include <stddef.h>

static const struct example examples[] = {
    {"the record of the layout built in for device records", "msprof layout show svp_pmu"},
    {NULL, NULL},
};

const struct command command_layout = {
    .path = "layout",
    .parent = COMMAND_ROOT,
    .summary = "find, check and look at record layouts",
    .description =
        "For boards whose records no layout describes: 'infer' finds the layout by tables that were printed\n"
        "of the same capture, 'check' compares what a layout gives with the tables, 'show' draws it.\n",
    .examples = examples,
};
