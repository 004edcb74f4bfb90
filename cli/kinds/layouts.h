/* SPDX-License-Identifier: Apache-2.0 */
/* The layouts of one run: built in, from the layout directories, from --layout. */
#ifndef MSPROF_CLI_KINDS_LAYOUTS_H
#define MSPROF_CLI_KINDS_LAYOUTS_H

#include "base/err.h"
#include "base/file/checksum.h"
#include "cli/options/options.h"
#include "parsers/decode/layout.h"

/* Loads <prefix>/share/msprof/layouts, then the user's layout directory, then the files of --layout: the later wins.
 * set must be initialized; it is to be released also after a failure. */
int layouts_load(struct layout_set *set, const struct settings *settings, struct err *err);

/* A checksum of everything that the layouts of a set say; equal for sets that decode alike. */
int layouts_fingerprint(const struct layout_set *set, char ret[CHECKSUM_TEXT_SIZE], struct err *err);

#endif
