/* SPDX-License-Identifier: Apache-2.0 */
/* The language of the program: English, or that of a catalogue of po/, which the build puts into the program. */
#ifndef MSPROF_CLI_LANGUAGE_H
#define MSPROF_CLI_LANGUAGE_H

#include "cli/options/options.h"

/* Chooses the language of messages and of help as gettext does: of LC_ALL, LC_MESSAGES and LANG the first that is set,
 * unless it is C or POSIX, and in place of it the names in LANGUAGE. English where there is no catalogue, or characters
 * are not of UTF-8. At the start of the program. */
void language_choose(void);

/* When the command line is known: whether results are for people, and in their language too. What programs read, and
 * all that stands in files but a page, is English; and with --titles en the rest. */
void language_choose_results(const struct settings *settings);

#endif
