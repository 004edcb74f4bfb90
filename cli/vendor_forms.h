/* SPDX-License-Identifier: Apache-2.0 */
/* The collecting binary of Ascend says what to do of a directory in options instead of commands: --export=on
 * --output=DIR. */
#ifndef MSPROF_CLI_VENDOR_FORMS_H
#define MSPROF_CLI_VENDOR_FORMS_H

#include <stdbool.h>

/* Whether the command line is of that form. */
bool vendor_form_is(int argc, char **argv);
/* Runs what it asks for, one command after the other, each by run(argc, argv, arg), which returns an exit status; the
 * worst is returned. */
int vendor_form_run(int argc, char **argv, int (*run)(int argc, char **argv, void *arg), void *arg);

#endif
