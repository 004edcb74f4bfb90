/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/html/markdown.h"

#include <string.h>

static void put(struct markdown *markdown, struct outfile *out, const char *text)
{
    outfile_write(out, text, strlen(text));
    markdown->line_feeds = 0;
    markdown->empty_item = false;
}

/* Ends the line, and leaves one empty where wanted, unless that is done. */
static void end_line(struct markdown *markdown, struct outfile *out, unsigned line_feeds)
{
    for (; out->written + out->used > 0 && markdown->line_feeds < line_feeds; markdown->line_feeds++)
        outfile_write(out, "\n", 1);
}

static bool is(const char *element, const char *name)
{
    return strcmp(element, name) == 0;
}

static bool is_hidden(const char *element)
{
    return is(element, "head") || is(element, "style") || is(element, "script") || is(element, "nav") ||
           is(element, "svg");
}

static bool is_heading(const char *element)
{
    return element[0] == 'h' && element[1] >= '1' && element[1] <= '6' && element[2] == '\0';
}

static bool is_cell(const char *element)
{
    return is(element, "td") || is(element, "th");
}

/* Elements that begin and end a block of their own. */
static bool is_block(const char *element)
{
    return is(element, "p") || is(element, "table") || is(element, "ul") || is(element, "ol") || is(element, "dl") ||
           is(element, "figcaption") || is(element, "footer");
}

static void put_rule(struct markdown *markdown, struct outfile *out)
{
    put(markdown, out, "|");
    for (size_t i = 0; i < markdown->cells; i++)
        put(markdown, out, i < MARKDOWN_COLUMNS_MAX && (markdown->number_columns >> i & 1) != 0 ? " ---: |" : " --- |");
    put(markdown, out, "\n");
    markdown->line_feeds = 1;
    markdown->has_heads = true;
}

/* A table of facts has no heads: Markdown wants some, and these are empty. */
static void begin_row(struct markdown *markdown, struct outfile *out)
{
    end_line(markdown, out, 1);
    if (!markdown->in_heads && !markdown->has_heads) {
        put(markdown, out, "| | |\n");
        markdown->cells = 2;
        put_rule(markdown, out);
    }
    markdown->cells = 0;
}

static void open_shown(struct markdown *markdown, struct outfile *out, const char *element)
{
    if (is_heading(element)) {
        end_line(markdown, out, 2);
        put(markdown, out, &"###### "[6 - (element[1] - '0')]);
    } else if (is(element, "tr")) {
        begin_row(markdown, out);
    } else if (is_cell(element)) {
        put(markdown, out, "| ");
        markdown->in_cell = true;
    } else if (is(element, "li")) {
        end_line(markdown, out, 1);
        put(markdown, out, "* ");
        markdown->tight = markdown->empty_item = true;
    } else if (is(element, "dt")) {
        end_line(markdown, out, 1);
        put(markdown, out, "* **");
    } else if (is(element, "caption") || is(element, "strong")) {
        put(markdown, out, "**");
    } else if (is(element, "small")) {
        put(markdown, out, " (");
    } else if (is(element, "thead")) {
        markdown->in_heads = true;
    } else if (is(element, "table")) {
        end_line(markdown, out, 2);
        *markdown = (struct markdown){.line_feeds = 2};
    } else if (is_block(element) && !markdown->in_cell && !markdown->tight) {
        end_line(markdown, out, 2);
    } else if (is(element, "p") && markdown->tight && !markdown->empty_item) {
        put(markdown, out, " ");
    }
}

void markdown_open(struct markdown *markdown, struct outfile *out, const char *element)
{
    if (markdown->hidden > 0 || is_hidden(element))
        markdown->hidden++;
    else
        open_shown(markdown, out, element);
}

void markdown_attribute(struct markdown *markdown, const char *name, const char *value)
{
    if (markdown->hidden > 0 || strcmp(name, "class") != 0)
        return;
    if (strcmp(value, "skip") == 0 || strcmp(value, "legend") == 0)
        markdown->hidden = 1;
    else if (markdown->in_heads && markdown->in_cell && value[0] == 'n' && markdown->cells < MARKDOWN_COLUMNS_MAX)
        markdown->number_columns |= UINT64_C(1) << markdown->cells;
}

static void close_shown(struct markdown *markdown, struct outfile *out, const char *element)
{
    if (is_cell(element)) {
        put(markdown, out, " ");
        markdown->in_cell = false;
        markdown->cells++;
    } else if (is(element, "tr")) {
        put(markdown, out, "|");
        end_line(markdown, out, 1);
        if (markdown->in_heads && !markdown->has_heads)
            put_rule(markdown, out);
    } else if (is(element, "dt")) {
        put(markdown, out, "**: ");
    } else if (is(element, "strong")) {
        put(markdown, out, "**");
    } else if (is(element, "caption")) {
        put(markdown, out, "**");
        end_line(markdown, out, 2);
    } else if (is(element, "small")) {
        put(markdown, out, ")");
    } else if (is(element, "thead")) {
        markdown->in_heads = false;
    } else if (is(element, "li") || is(element, "dd")) {
        end_line(markdown, out, 1);
        markdown->tight = false;
    } else if (is_heading(element) || (is_block(element) && !markdown->in_cell && !markdown->tight)) {
        end_line(markdown, out, is(element, "footer") ? 1 : 2);
    }
}

void markdown_close(struct markdown *markdown, struct outfile *out, const char *element)
{
    if (markdown->hidden > 0)
        markdown->hidden--;
    else
        close_shown(markdown, out, element);
}

void markdown_character(struct markdown *markdown, struct outfile *out, const char *text, size_t size)
{
    static const char special[] = "\\`*_[]<>|&~$@#";

    if (markdown->hidden > 0)
        return;
    if (size == 1 && strchr(special, *text) != NULL)
        outfile_write(out, "\\", 1);
    if (*text == '\n' || *text == '\t')
        outfile_write(out, " ", 1);
    else
        outfile_write(out, text, size);
    markdown->line_feeds = 0;
    markdown->empty_item = false;
}
