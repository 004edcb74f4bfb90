/* SPDX-License-Identifier: Apache-2.0 */
/* The tools that 'msprof mcp' serves. Each is a command of msprof whose arguments have names and types: a table says
 * which, and the list for clients, their check and the command's words are made of it. */
#ifndef MSPROF_FEATURES_MCP_COMMANDS_TOOLS_H
#define MSPROF_FEATURES_MCP_COMMANDS_TOOLS_H

#include "base/err.h"
#include "base/format/json_in.h"
#include "base/strbuf.h"
#include "base/words.h"
#include "features/mcp/commands/excerpt.h"

/* A command that is to be run for a call. */
struct tool_call {
    struct words words; /* behind "msprof" */
    char *input;        /* standard input; NULL: none */
    enum excerpt_form form;
    uint64_t most_rows;
    size_t most_bytes;
};

/* Appends the tools as an array of JSON. */
void tools_put(struct strbuf *json);

/* Makes the command of a call: name and arguments of tools/call. root: what may be read. -ERR_USAGE: the tool or an
 * argument is none, or of another type; other errors are of the files. To be released whatever the result. */
int tool_call_make(struct tool_call *call, const char *name, const struct json *arguments, const char *root,
                   struct err *err);
void tool_call_release(struct tool_call *call);

#endif
