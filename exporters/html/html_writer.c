/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/html/html_writer.h"

#include "base/err.h"
#include "base/file/checksum.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

#define FORMATTED_MAX 1024

void html_init(struct html_writer *w, struct outfile *out)
{
    *w = (struct html_writer){.out = out};
}

void html_raw(struct html_writer *w, const char *text)
{
    if (!w->is_markdown)
        outfile_write(w->out, text, strlen(text));
}

static void end_tag(struct html_writer *w)
{
    if (w->in_tag)
        html_raw(w, ">");
    w->in_tag = false;
}

static void begin(struct html_writer *w, const char *name)
{
    end_tag(w);
    w->in_tag = true;
    html_raw(w, "<");
    html_raw(w, name);
}

static void fail(struct html_writer *w)
{
    if (w->out->failure == 0)
        w->out->failure = EINVAL;
}

void html_open(struct html_writer *w, const char *name)
{
    begin(w, name);
    if (w->is_markdown)
        markdown_open(&w->markdown, w->out, name);
    if (w->depth < HTML_DEPTH_MAX)
        w->stack[w->depth++] = name;
    else
        fail(w);
}

void html_bare(struct html_writer *w, const char *name)
{
    begin(w, name);
}

void html_close(struct html_writer *w)
{
    end_tag(w);
    if (w->depth == 0) {
        fail(w);
        return;
    }
    html_raw(w, "</");
    html_raw(w, w->stack[--w->depth]);
    if (w->is_markdown)
        markdown_close(&w->markdown, w->out, w->stack[w->depth]);
    html_raw(w, ">");
}

/* ---- texts ---- */

static const char *entity_of(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* U+FFFE and U+FFFF, which no XML may have. */
static bool is_no_character(const char *text, size_t size)
{
    return size == 3 && (memcmp(text, "\xEF\xBF\xBE", 3) == 0 || memcmp(text, "\xEF\xBF\xBF", 3) == 0);
}

/* How many bytes the character at text has; *ret_safe: it may stand in a page. */
static size_t next_character(const char *text, size_t length, bool *ret_safe)
{
    size_t size = utf8_character(text, length);
    *ret_safe = size > 0 && !utf8_is_control(text, size) && !is_no_character(text, size);
    return size > 0 ? size : 1;
}

static void put_escaped(struct html_writer *w, const char *text, size_t length)
{
    while (length > 0) {
        bool safe;
        size_t size = next_character(text, length, &safe);
        const char *entity = size == 1 ? entity_of(*text) : NULL;
        if (w->is_markdown)
            markdown_character(&w->markdown, w->out, safe ? text : UTF8_REPLACEMENT,
                               safe ? size : strlen(UTF8_REPLACEMENT));
        else if (!safe)
            html_raw(w, UTF8_REPLACEMENT);
        else if (entity != NULL)
            html_raw(w, entity);
        else
            outfile_write(w->out, text, size);
        text += size;
        length -= size;
    }
}

void html_attribute(struct html_writer *w, const char *name, const char *value)
{
    if (!w->in_tag) {
        fail(w);
        return;
    }
    if (w->is_markdown) {
        markdown_attribute(&w->markdown, name, value);
        return;
    }
    html_raw(w, " ");
    html_raw(w, name);
    html_raw(w, "=\"");
    put_escaped(w, value, strlen(value));
    html_raw(w, "\"");
}

void html_attribute_f(struct html_writer *w, const char *name, const char *format, ...)
{
    char text[FORMATTED_MAX];
    va_list args;

    va_start(args, format);
    err_format(text, sizeof text, format, args);
    va_end(args);
    html_attribute(w, name, text);
}

void html_text_of(struct html_writer *w, const char *text, size_t length)
{
    end_tag(w);
    put_escaped(w, text, length);
}

void html_text(struct html_writer *w, const char *text)
{
    html_text_of(w, text, strlen(text));
}

void html_text_f(struct html_writer *w, const char *format, ...)
{
    char text[FORMATTED_MAX];
    va_list args;

    va_start(args, format);
    err_format(text, sizeof text, format, args);
    va_end(args);
    html_text(w, text);
}

void html_element(struct html_writer *w, const char *name, const char *text)
{
    html_open(w, name);
    html_text(w, text);
    html_close(w);
}

void html_name_hash(const char *text, size_t length, char hash[HTML_HASH_SIZE])
{
    char digits[CHECKSUM_TEXT_SIZE];
    struct checksum *sum = checksum_new();

    checksum_add(sum, text, length);
    checksum_finish(sum, digits);
    checksum_free(sum);
    snprintf(hash, HTML_HASH_SIZE, "name-%.10s", digits);
}

static bool may_break_after(char c)
{
    return c != '\0' && strchr(" /_.:,-", c) != NULL;
}

void html_name_class(struct html_writer *w, const char *text, size_t length)
{
    enum { WORD_MAX = 24 }; /* characters that stay together */
    size_t word = 0, longest = 0;
    for (size_t i = 0; i < length && longest <= WORD_MAX; i++) {
        word += !utf8_is_continuation((unsigned char)text[i]);
        longest = word > longest ? word : longest;
        word = may_break_after(text[i]) ? 0 : word;
    }
    html_attribute(w, "class", longest > WORD_MAX && !w->redact ? "name long" : "name");
}

/* Puts a name, in a cell with the places where it may be broken. */
static void put_name(struct html_writer *w, const char *text, size_t length)
{
    const bool cell =
        w->depth > 1 && (strcmp(w->stack[w->depth - 1], "td") == 0 || strcmp(w->stack[w->depth - 2], "td") == 0);
    size_t begin = 0;
    for (size_t i = 1; cell && i < length; i++) {
        if (!may_break_after(text[i - 1]) || text[i - 1] == ' ' || may_break_after(text[i]))
            continue;
        html_text_of(w, text + begin, i - begin);
        html_raw(w, "<wbr>");
        begin = i;
    }
    html_text_of(w, text + begin, length - begin);
}

void html_name(struct html_writer *w, const char *text, size_t length)
{
    char hash[HTML_HASH_SIZE];

    if (w->redact && length > 0) {
        html_name_hash(text, length, hash);
        html_text(w, hash);
    } else if (length > HTML_NAME_MAX) {
        size_t head = utf8_cut(text, HTML_NAME_MAX / 2), tail = length - HTML_NAME_MAX / 2;
        while (tail < length && utf8_is_continuation((unsigned char)text[tail]))
            tail++;
        put_name(w, text, head);
        html_text_f(w, " \xE2\x80\xA6 %zu bytes \xE2\x80\xA6 ", tail - head);
        put_name(w, text + tail, length - tail);
    } else {
        put_name(w, text, length);
    }
}
