/* SPDX-License-Identifier: Apache-2.0 */
/* Which files the tools of 'msprof mcp' may read: those of one directory. Links are followed before a path is compared
 * with it, so that neither a link nor ".." leads out. */
#ifndef MSPROF_FEATURES_MCP_COMMANDS_CONFINE_H
#define MSPROF_FEATURES_MCP_COMMANDS_CONFINE_H

#include "base/err.h"

/* The directory as a path without links (free() it); NULL with err set. */
char *confine_root(const char *directory, struct err *err);
/* A path that a client names, absolute or from the root on, as one without links (free() it); NULL with err set: it is
 * not there, or it or a link inside it is not below the root. */
char *confine_path(const char *root, const char *path, struct err *err);

#endif
