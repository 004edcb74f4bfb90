/* SPDX-License-Identifier: Apache-2.0 */
/* What features add to the commands of the core, beside commands of their own: a
 * "const struct command_extension command_extension_<name>" in features/<feature>/commands/, which the Makefile finds;
 * in the order of .order. Members that are not set add nothing. */
#ifndef MSPROF_CLI_EXTENSION_H
#define MSPROF_CLI_EXTENSION_H

#include "cli/offer.h"
#include "exporters/table/report.h"

struct capture_visit;

struct command_extension {
    int order;
    /* Prepares the database of a capture for a command that answers. *ret_usable is true before: false where the
     * command cannot go on. Prints what is wrong; an exit status. */
    int (*open)(struct capture_visit *visit, sqlite3 *db, bool *ret_usable);
    /* Words that complete a value of an option: the i-th; NULL behind the last one. */
    enum offer offer;
    const char *(*word)(size_t i);
    /* Tables that a command of the feature prints, and 'show' does not: the i-th; NULL behind the last one. */
    const struct report *(*table)(size_t i);
};

extern const struct command_extension *const command_extensions[]; /* ended by NULL */

#endif
