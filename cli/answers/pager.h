/* SPDX-License-Identifier: Apache-2.0 */
/* Long output on a terminal goes through a pager, as git does it. */
#ifndef MSPROF_CLI_ANSWERS_PAGER_H
#define MSPROF_CLI_ANSWERS_PAGER_H

#include "cli/options/options.h"

/* From now on stdout is the pager's, when it is a terminal and --no-pager is not given: the program of PAGER, or less;
 * none when PAGER is empty or "cat". Ask the terminal's width and colors before. Does nothing the second time. */
void pager_start(const struct settings *settings);
/* Waits until the user has read; stdout is the terminal again. Does nothing without a pager. */
void pager_end(void);

#endif
