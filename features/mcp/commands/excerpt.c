/* SPDX-License-Identifier: Apache-2.0 */
#include "features/mcp/commands/excerpt.h"

#include <string.h>

#define ROW_BLANKS 4 /* in front of the brackets of a row, and of nothing else (tables as JSON) */

void excerpt_init(struct excerpt *excerpt, enum excerpt_form form, uint64_t most_rows, size_t most_bytes)
{
    *excerpt = (struct excerpt){.form = form, .most_rows = most_rows, .most_bytes = most_bytes};
    strbuf_init(&excerpt->kept, most_bytes + 2); /* a comma and a NUL beside */
    strbuf_init(&excerpt->row, most_bytes + 2);
}

void excerpt_release(struct excerpt *excerpt)
{
    strbuf_release(&excerpt->kept);
    strbuf_release(&excerpt->row);
}

/* Rows are kept from the first on, without a gap. */
static void end_row(struct excerpt *excerpt)
{
    const size_t comma = excerpt->rows > 0;
    excerpt->all_rows++;
    excerpt->full = excerpt->full || excerpt->row.failed || excerpt->rows >= excerpt->most_rows ||
                    excerpt->kept.length + comma + excerpt->row.length > excerpt->most_bytes;
    if (!excerpt->full) {
        strbuf_adds(&excerpt->kept, comma ? "," : "");
        strbuf_add(&excerpt->kept, excerpt->row.data, excerpt->row.length);
        excerpt->rows++;
    }
    strbuf_clear(&excerpt->row);
}

/* A character of a document, without the blanks and ends of lines between its values: texts have neither. */
static void add_character(struct excerpt *excerpt, char c)
{
    const bool begins = !excerpt->in_line && excerpt->blanks == ROW_BLANKS;
    excerpt->in_line = true;
    if (excerpt->form == EXCERPT_DOCUMENT) {
        strbuf_addc(&excerpt->kept, c);
        return;
    }
    if (begins && c == '{')
        excerpt->in_row = true;
    if (excerpt->in_row)
        strbuf_addc(&excerpt->row, c);
    if (begins && c == '}' && excerpt->in_row) {
        excerpt->in_row = false;
        end_row(excerpt);
    }
}

static void add_json(struct excerpt *excerpt, char c)
{
    if (c == '\n') {
        excerpt->in_line = false;
        excerpt->blanks = 0;
    } else if (c == ' ' && !excerpt->in_line) {
        excerpt->blanks++;
    } else {
        add_character(excerpt, c);
    }
}

void excerpt_add(struct excerpt *excerpt, const char *bytes, size_t length)
{
    excerpt->all_bytes += length;
    for (size_t i = 0; i < length && excerpt->form != EXCERPT_TEXT; i++)
        add_json(excerpt, bytes[i]);
    if (excerpt->form != EXCERPT_TEXT || excerpt->full)
        return;
    const size_t room = excerpt->most_bytes - excerpt->kept.length;
    strbuf_add(&excerpt->kept, bytes, length < room ? length : room);
    excerpt->full = length > room;
}

void excerpt_end(struct excerpt *excerpt)
{
    if (excerpt->form == EXCERPT_DOCUMENT)
        excerpt->full = excerpt->kept.failed || excerpt->kept.length > excerpt->most_bytes;
    if (excerpt->form != EXCERPT_TEXT || !excerpt->full)
        return;
    size_t length = excerpt->kept.length;
    while (length > 0 && excerpt->kept.data[length - 1] != '\n')
        length--;
    strbuf_cut(&excerpt->kept, length);
}
