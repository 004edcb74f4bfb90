/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of Ascend's collecting binary, which is called msprof, too. It has options where this program has
 * commands: --export=on --output=DIR. Lines that collect from a device are refused with the nearest command. */
#ifndef MSPROF_CLI_VENDOR_FORM_H
#define MSPROF_CLI_VENDOR_FORM_H

#include <stdbool.h>

/* Runs a command line of this program's own form, or with only_check just reads it; prints what is wrong with it.
 * Returns the exit status. */
typedef int command_runner(int argc, char **argv, bool only_check);

/* Whether a command line is of that form. */
bool vendor_form_is(int argc, char **argv);
/* Runs the commands that it asks for, one after the other, once all of them are known to be sound; returns the worst
 * of their exit statuses. */
int vendor_form_run(int argc, char **argv, command_runner *run);

#endif
