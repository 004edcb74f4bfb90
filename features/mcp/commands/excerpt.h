/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a command's output: as much as a client asked for, and how much that is of the whole. The output
 * comes in pieces of any length. excerpt_init(&excerpt, EXCERPT_ROWS, 50, 32768); excerpt_add(&excerpt, bytes, length);
 * // as often as some come excerpt_end(&excerpt); excerpt_release(&excerpt); */
#ifndef MSPROF_FEATURES_MCP_COMMANDS_EXCERPT_H
#define MSPROF_FEATURES_MCP_COMMANDS_EXCERPT_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum excerpt_form {
    EXCERPT_ROWS,     /* an array of JSON, a row an object: whole rows are kept */
    EXCERPT_DOCUMENT, /* one document of JSON, which is kept whole or not at all */
    EXCERPT_TEXT,     /* whole lines are kept */
};

struct excerpt {
    enum excerpt_form form;
    uint64_t most_rows, rows, all_rows, all_bytes;
    size_t most_bytes;
    struct strbuf kept, row;
    unsigned blanks; /* at the begin of the line */
    bool in_line, in_row, full;
};

void excerpt_init(struct excerpt *excerpt, enum excerpt_form form, uint64_t most_rows, size_t most_bytes);
void excerpt_add(struct excerpt *excerpt, const char *bytes, size_t length);
void excerpt_end(struct excerpt *excerpt);
void excerpt_release(struct excerpt *excerpt);

#endif
