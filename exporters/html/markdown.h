/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the writer: elements of a page as Markdown. Headings, paragraphs, lists and tables stay; pictures, links
 * and styles go. */
#ifndef MSPROF_EXPORTERS_HTML_MARKDOWN_H
#define MSPROF_EXPORTERS_HTML_MARKDOWN_H

#include "base/file/outfile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MARKDOWN_COLUMNS_MAX 64 /* that are aligned to the right where they are of numbers */

struct markdown {
    size_t hidden;       /* elements that are open and not shown */
    unsigned line_feeds; /* at the end of what was written, 2 at most */
    bool in_cell, in_heads, has_heads;
    bool tight, empty_item;  /* inside of an item of a list: a paragraph begins no block; nothing of it yet */
    size_t cells;            /* of the row */
    uint64_t number_columns; /* bits, of the first MARKDOWN_COLUMNS_MAX */
};

void markdown_open(struct markdown *markdown, struct outfile *out, const char *element);
/* Takes an attribute of the element that was opened last. */
void markdown_attribute(struct markdown *markdown, const char *name, const char *value);
void markdown_close(struct markdown *markdown, struct outfile *out, const char *element);
/* Puts a character of a text. */
void markdown_character(struct markdown *markdown, struct outfile *out, const char *text, size_t size);

#endif
