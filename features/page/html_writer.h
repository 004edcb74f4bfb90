/* SPDX-License-Identifier: Apache-2.0 */
/* Writes HTML with SVG inside as a stream: elements, attributes and texts, every one escaped, so that no text of a
 * capture can be anything but a text.
 *
 *     html_open(w, "p");
 *     html_attribute(w, "class", "note");
 *     html_text(w, name);
 *     html_close(w);
 */
#ifndef MSPROF_FEATURES_PAGE_HTML_WRITER_H
#define MSPROF_FEATURES_PAGE_HTML_WRITER_H

#include "base/file/outfile.h"

#include <stdbool.h>
#include <stddef.h>

/* Inside of the writer: elements of a page as Markdown. Headings, paragraphs, lists and tables stay; pictures, links
 * and styles go. */

#define MARKDOWN_COLUMNS_MAX 64 /* that are aligned to the right where they are of numbers */

struct markdown {
    size_t hidden;       /* elements that are open and not shown */
    unsigned line_feeds; /* at the end of what was written, 2 at most */
    bool any;            /* something was written */
    bool in_cell, in_heads, has_heads;
    bool tight, empty_item;  /* inside of an item of a list: a paragraph begins no block; nothing of it yet */
    size_t cells;            /* of the row */
    uint64_t number_columns; /* bits, of the first MARKDOWN_COLUMNS_MAX */
};

#define HTML_DEPTH_MAX 32
#define HTML_NAME_MAX 400 /* bytes that are shown of a name; the middle of a longer one is left out */

struct html_writer {
    struct outfile *out;               /* the caller's, open; keeps failed writes */
    const char *stack[HTML_DEPTH_MAX]; /* names of the elements that are open */
    size_t depth;
    bool in_tag;      /* attributes may follow */
    bool is_markdown; /* set by the caller: what can be is written as Markdown, the rest is left out */
    struct markdown markdown;
    bool redact; /* set by the caller: names are replaced by what html_name_hash makes of them */
};

void html_init(struct html_writer *w, struct outfile *out);
/* Opens an element; name is a literal, and so are those of attributes. An element without an end tag (meta, col, br)
 * closes by itself with whatever follows. Elements deeper than HTML_DEPTH_MAX are a mistake of the caller: the file
 * fails. */
void html_open(struct html_writer *w, const char *name);
/* Likewise with attributes: html_open_f(w, "rect", "class=dot|x=%.2f", x). No value has a '|'. */
void html_open_f(struct html_writer *w, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void html_bare(struct html_writer *w, const char *name);
/* Puts an attribute of the element that was opened last, before anything else of it. */
void html_attribute(struct html_writer *w, const char *name, const char *value);
void html_attribute_f(struct html_writer *w, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Closes the element that was opened last. */
void html_close(struct html_writer *w);

void html_text(struct html_writer *w, const char *text);
void html_text_of(struct html_writer *w, const char *text, size_t length);
void html_text_f(struct html_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A whole element with nothing but a text. */
void html_element(struct html_writer *w, const char *name, const char *text);
/* The class of the cell of a name: whether it has words that must be broken to fit. */
void html_name_class(struct html_writer *w, const char *text, size_t length);
/* Puts a name that a capture has: its middle left out when it is long, its hash when names are redacted. */
void html_name(struct html_writer *w, const char *text, size_t length);
/* Puts a text of the program as it is, and nothing of Markdown: style and script alone, which hold no end tag. */
void html_raw(struct html_writer *w, const char *text);

/* "name-1a2b3c4d5e": the first digits of the SHA-256 of a name; one name is the same in every page. */
#define HTML_HASH_SIZE 24
void html_name_hash(const char *text, size_t length, char hash[HTML_HASH_SIZE]);

/* The style and the script of the page in pieces, ended by NULL. Neither holds "</". */

extern const char *const html_style[], *const html_script[], *const html_timeline_script[];

#endif
