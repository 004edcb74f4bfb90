/* SPDX-License-Identifier: Apache-2.0 */
#include "features/page/html_writer.h"

#include "base/err.h"
#include "base/file/checksum.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void put(struct markdown *markdown, struct outfile *out, const char *text)
{
    outfile_write(out, text, strlen(text));
    markdown->any = true;
    markdown->line_feeds = 0;
    markdown->empty_item = false;
}

/* Ends the line, and leaves one empty where wanted, unless that is done. */
static void end_line(struct markdown *markdown, struct outfile *out, unsigned line_feeds)
{
    for (; markdown->any && markdown->line_feeds < line_feeds; markdown->line_feeds++)
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
           is(element, "figcaption") || is(element, "footer") || is(element, "summary");
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
        *markdown = (struct markdown){.any = markdown->any, .line_feeds = 2};
    } else if (is_block(element) && !markdown->in_cell && !markdown->tight) {
        end_line(markdown, out, 2);
    } else if (is(element, "p") && markdown->tight && !markdown->empty_item) {
        put(markdown, out, " ");
    }
}

static void markdown_open(struct markdown *markdown, struct outfile *out, const char *element)
{
    if (markdown->hidden > 0 || is_hidden(element))
        markdown->hidden++;
    else
        open_shown(markdown, out, element);
}

/* Takes an attribute of the element that was opened last. */
static void markdown_attribute(struct markdown *markdown, const char *name, const char *value)
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

/* Takes an attribute of the element that was opened last. */
static void markdown_close(struct markdown *markdown, struct outfile *out, const char *element)
{
    if (markdown->hidden > 0)
        markdown->hidden--;
    else
        close_shown(markdown, out, element);
}

/* Puts a character of a text. */
static void markdown_character(struct markdown *markdown, struct outfile *out, const char *text, size_t size)
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
    markdown->any = true;
    markdown->line_feeds = 0;
    markdown->empty_item = false;
}

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
    static const char *const entities[CHAR_MAX + 1] = {
        ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;", ['\''] = "&#39;"};
    return c > 0 ? entities[(unsigned char)c] : NULL;
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
    if (strcmp(name, "aria-label") == 0 || strcmp(name, "title") == 0)
        value = language_shown(value);
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
    err_format(text, sizeof text, language_shown(format), args);
    va_end(args);
    html_attribute(w, name, text);
}

void html_open_f(struct html_writer *w, const char *name, const char *format, ...)
{
    char text[FORMATTED_MAX], *rest = text;
    va_list args;

    va_start(args, format);
    err_format(text, sizeof text, format, args);
    va_end(args);
    html_open(w, name);
    for (char *key; (key = strsep(&rest, "|")) != NULL;) {
        char *value = strchr(key, '=');
        if (value != NULL)
            *value++ = '\0';
        html_attribute(w, key, value != NULL ? value : "");
    }
}

void html_text_of(struct html_writer *w, const char *text, size_t length)
{
    end_tag(w);
    put_escaped(w, text, length);
}

void html_text(struct html_writer *w, const char *text)
{
    text = language_shown(text);
    html_text_of(w, text, strlen(text));
}

void html_text_f(struct html_writer *w, const char *format, ...)
{
    char text[FORMATTED_MAX];
    va_list args;

    va_start(args, format);
    err_format(text, sizeof text, language_shown(format), args);
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

    checksum_of(text, length, digits);
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
    size_t from = 0;
    for (size_t i = 1; cell && i < length; i++) {
        if (!may_break_after(text[i - 1]) || text[i - 1] == ' ' || may_break_after(text[i]))
            continue;
        html_text_of(w, text + from, i - from);
        html_raw(w, "<wbr>");
        from = i;
    }
    html_text_of(w, text + from, length - from);
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

/* Colours of texts have a contrast of 4.5 or more to what they stand on, in both schemes; those of drawings 3. */
const char *const html_style[] = {
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#57606a;--line:#d0d7de;--head:#f3f5f7;--link:#0550ae;",
    "--bar:#cfe3fb;--cube:#1f6feb;--vector:#0f8574;--aicpu:#b35900;--exposed:#9a3fd5;--waiting:#c2528b;",
    "--copies:#7a6a00;",
    "--other:#5b6770;--dark:#a8b0b8;--free:#e3e7eb;--mark:#b42318}",
    "@media (prefers-color-scheme:dark){:root{--bg:#15191e;--fg:#e6e9ec;--soft:#a3acb5;--line:#3a424b;--head:#20262d;",
    "--link:#79b8ff;--bar:#1d3f66;--cube:#4c93ff;--vector:#2fb5a0;--aicpu:#e08a33;--exposed:#c07bf0;--waiting:#e57fb3;",
    "--copies:#b9a52a;--other:#8b98a3;--dark:#5d666f;--free:#2b323a;--mark:#ff8a80}}",
    "*{box-sizing:border-box}",
    "body{margin:0 auto;max-width:90rem;padding:0 1rem 3rem;background:var(--bg);color:var(--fg);",
    "font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif}",
    "a{color:var(--link)}",
    ":focus-visible{outline:3px solid var(--link);outline-offset:2px}",
    ".skip{position:absolute;left:-99rem}.skip:focus{position:static}",
    "h1{font-size:1.6rem;margin:1.2rem 0 .3rem;overflow-wrap:anywhere}",
    "h2{font-size:1.25rem;margin:2.2rem 0 .6rem;padding-top:.4rem;border-top:1px solid var(--line);",
    "overflow-wrap:anywhere}",
    "h3{font-size:1.05rem;margin:1.6rem 0 .5rem;overflow-wrap:anywhere}",
    "p{margin:.4rem 0 .8rem;max-width:60rem;overflow-wrap:anywhere}",
    ".soft,caption,footer{color:var(--soft)}",
    "nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:.4rem 0;padding:0;list-style:none}",
    ".scroll{overflow-x:auto;margin:.6rem 0 .2rem;border:1px solid var(--line);border-radius:4px}",
    /* What a row is about stays in sight, however far its numbers reach. */
    ".scroll :is(td,th):first-child{position:sticky;left:0;z-index:1;max-width:26rem}",
    ".scroll td:first-child:not(.b){background:var(--bg)}",
    "tbody.cut tr:nth-child(n+21){display:none}",
    ".all{font:inherit;font-size:.87rem;background:none;color:var(--link);border:1px solid ",
    "var(--soft);border-radius:3px;",
    "cursor:pointer}",
    "table{border-collapse:collapse;width:100%;font-size:.87rem;font-variant-numeric:tabular-nums}",
    "caption{text-align:left;padding:.35rem .6rem}",
    "th,td{overflow-wrap:break-word;padding:.22rem .6rem;text-align:left;vertical-align:top;border-top:1px solid ",
    "var(--line);",
    "unicode-bidi:isolate}",
    "tbody th{white-space:nowrap}tfoot td{font-weight:bold}",
    "thead th{background:var(--head);white-space:nowrap}",
    "td.name{min-width:5.5rem}.scroll td.name:first-child{min-width:9rem}.long,.long ",
    "*{overflow-wrap:anywhere}td.long{min-width:13rem}",
    "dl:not(.four) dt{font-weight:bold}dl:not(.four) dd{margin:0 0 .4rem 1rem}",
    ".n{text-align:right;white-space:nowrap}",
    "td.b{background:linear-gradient(90deg,var(--bar) var(--s),transparent var(--s))}",
    "tr:target td,tr:target th,li:target{box-shadow:inset 0 0 0 99px color-mix(in srgb,var(--link) 15%,transparent)}",
    "th button{all:unset;cursor:pointer;font-weight:bold}th button:focus-visible{outline:3px solid var(--link)}",
    "th button::after{content:' \\2195';color:var(--soft)}",
    "th[aria-sort=ascending] button::after{content:' \\2191'}th[aria-sort=descending] button::after{content:' \\2193'}",
    ".filter{display:block;margin:.8rem 0 0;font-size:.87rem}",
    ".filter input{font:inherit;margin-left:.4rem;padding:.15rem .4rem;background:var(--bg);color:var(--fg);",
    "border:1px solid var(--soft);border-radius:3px;max-width:100%}",
    ".four{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.8rem;margin:.6rem 0 1rem}",
    ".four>div{border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem}",
    ".four dt{color:var(--soft);font-size:.87rem}.four dd{margin:0;font-size:1.45rem;overflow-wrap:anywhere}",
    ".four dd small{display:block;font-size:.82rem;color:var(--soft)}",
    "figure{margin:.8rem 0 1rem}figcaption{color:var(--soft);font-size:.87rem;margin-bottom:.3rem;",
    "overflow-wrap:anywhere}",
    "svg{display:block;width:100%;height:auto;overflow:visible}svg text{fill:var(--fg);font-size:11px}",
    ".answer{font-size:1.15rem}.top>li{margin-bottom:.5rem}.command{background:var(--head);overflow-wrap:anywhere;",
    "display:inline-block;max-width:100%;",
    "padding:.1rem .4rem}",
    ".copy{font:inherit;font-size:.82rem;margin-left:.5rem;background:var(--bg);color:var(--link);border:1px solid ",
    "var(--soft);border-radius:3px;cursor:pointer}",
    ".change{border-left:3px solid var(--link);padding-left:.8rem;margin:.8rem 0}.change p{margin:.1rem 0}",
    "details>summary{cursor:pointer}",
    ".tl{position:relative;border:1px solid var(--line);border-radius:4px;margin:.4rem 0}",
    ".tl canvas{display:block;width:100%;touch-action:pan-y;cursor:grab}.tools{display:flex;flex-wrap:wrap;gap:.4rem}",
    ".tools button{font:inherit;font-size:.87rem;background:var(--bg);color:var(--link);border:1px solid var(--soft);",
    "border-radius:3px;cursor:pointer;min-width:2rem}",
    ".tip{position:absolute;z-index:2;pointer-events:none;white-space:pre-line;overflow-wrap:anywhere;font-size:.",
    "87rem;",
    "background:var(--head);border:1px solid var(--soft);border-radius:4px;padding:.3rem ",
    ".5rem}.tip[hidden]{display:none}",
    "output{display:block;min-height:1.4rem;font-size:.87rem;color:var(--soft);overflow-wrap:anywhere}",
    ".quiet{display:none}.live :is(td.name,td[title]){cursor:pointer}tr.found td{box-shadow:inset 0 2px var(--link),",
    "inset 0 -2px var(--link)}",
    ".findings>li{margin-bottom:1.2rem}.severity{border:1px solid currentcolor;border-radius:3px;padding:0 .35rem}",
    ".high{color:var(--mark)}.medium{color:var(--aicpu)}",
    ".legend{display:flex;flex-wrap:wrap;gap:.1rem 1rem;margin:.3rem 0;padding:0;list-style:none;font-size:.87rem}",
    ".legend svg{display:inline-block;width:.8rem;height:.8rem;margin-right:.35rem;vertical-align:-.1rem}",
    ".cube{fill:var(--cube)}.vector{fill:var(--vector)}.aicpu{fill:var(--aicpu)}.exposed{fill:var(--exposed)}",
    ".waiting{fill:var(--waiting)}.copies{fill:var(--copies)}.other{fill:var(--other)}.unrecorded{fill:var(--dark)}",
    ".free{fill:var(--free)}.axis{stroke:var(--soft);stroke-width:1;fill:none}.grid{stroke:var(--line);",
    "stroke-width:1}.break{stroke:var(--bg);stroke-width:3}.median{stroke:var(--mark);",
    "stroke-width:1.5;stroke-dasharray:5 3}.base{stroke:var(--fg);stroke-width:2;stroke-dasharray:2 ",
    "3}.faint{opacity:.45}.held{fill:var(--cube)}.busy{fill:var(--soft);fill-opacity:.55}",
    ".heat{fill:var(--mark)}.frame{stroke:var(--bg);stroke-width:.5}.ink{fill:#111}.ghost{fill:none;stroke:var(--fg);",
    "stroke-width:1.5}.roof{stroke:var(--mark);",
    "stroke-width:2}.dot{fill:var(--cube);fill-opacity:.6;stroke:var(--cube)}.critical{fill:var(--mark)}",
    ".slack{fill:var(--dark)}",
    /* Tables are wider than the page: the name of a row stays in sight. */
    "@media (max-width:40rem){figure:has(text){overflow-x:auto;padding-left:1rem}figure:has(text)>svg{min-width:44rem}",
    "figcaption{position:sticky;left:0}figure svg text{font-size:18px}svg .inside{display:none}",
    "td.long{min-width:10rem}.scroll td.name:first-child{min-width:5.5rem}",
    ".scroll :is(td,th):first-child{max-width:11rem}td:first-child{border-right:1px solid var(--line)}}",
    "footer{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:.5rem;font-size:.87rem}",
    /* Parts that nobody sees yet cost no layout; they reach to the edges, because what stands out of them is cut. */
    "@media screen{section{content-visibility:auto;contain-intrinsic-size:auto 40rem;margin:0 -1rem;padding:0 1rem}}",
    "@media print{@page{size:A4;margin:14mm}@page wide{size:A4 landscape}.scroll:has(th:nth-child(11)){page:wide}",
    "body{max-width:none;padding:0;font-size:9.5pt;background:#fff}",
    "nav,.skip,.filter,.copy,.all,.tl,.tools,output{display:none}.quiet{display:block}.scroll{overflow:visible;border:",
    "0}",
    ".scroll ",
    ":is(td,th):first-child{position:static;max-width:none}thead{display:table-header-group}tr,figure,.four>div{break-",
    "inside:avoid}",
    "h2,h3{break-after:avoid}table{font-size:7.5pt}th,td{padding:.1rem .25rem;min-width:0!important}",
    "thead th.n,thead th,tbody th{white-space:normal}figure svg ",
    "text{font-size:14px}table:has(th:nth-child(8)){font-size:6pt}",
    "table:has(th:nth-child(18)) :is(th,td){padding:.1rem .12rem}td.name{overflow-wrap:anywhere}",
    "td.name:first-child{min-width:8em!important}td.b,svg ",
    "*,.four>div{print-color-adjust:exact;-webkit-print-color-adjust:exact}",
    "th button{display:contents}th button::after{content:''}",
    /* The answers: what decides, on about two pages. Tables stay on the screen, but for the parts of a step. */
    ".short>section:not(.prints),.short>.prints:not([id$=time]) .scroll,.short .findings~:is(p,ul),",
    ".short .findings .soft,.short [id$=time]>p{display:none}",
    ".short .findings>li{break-inside:avoid;margin-bottom:.5rem}.short{font-size:8.5pt;line-height:1.3}.short ",
    "h2{margin:.7rem 0 .2rem}.short :is(.legend,figcaption){font-size:7.5pt}",
    ".short .findings p{margin:0}.short .findings>li{margin-bottom:.2rem!important}.short figure{margin:.3rem ",
    "0}.short ",
    ".four{grid-template-",
    "columns:repeat(4,1fr);gap:.4rem}.short .four dd{font-size:1.1rem}.short p{margin:.2rem 0}}",
    NULL,
};

/* Nothing is shown by it that is not in the page: it sorts tables and hides rows. */
const char *const html_script[] = {
    "function value(cell){var t=cell?cell.textContent:'';var n=t===''?NaN:Number(t);return isNaN(n)?t:n}\n",
    "function sort(table,th,column){\n",
    " var up=th.getAttribute('aria-sort')==='descending',body=table.tBodies[0];\n",
    " var rows=Array.from(body.rows).map(function(r,i){return{row:r,key:value(r.cells[column]),at:i}});\n",
    " rows.sort(function(a,b){var x=a.key,y=b.key,nx=typeof x==='number',ny=typeof y==='number';\n",
    "  if(nx!==ny)return nx?-1:1;\n",
    "  var d=nx?x-y:x<y?-1:x>y?1:0;return (up?d:-d)||a.at-b.at});\n",
    " table.querySelectorAll('th[aria-sort]').forEach(function(o){o.removeAttribute('aria-sort')});\n",
    " th.setAttribute('aria-sort',up?'ascending':'descending');\n",
    " var all=document.createDocumentFragment();\n",
    " rows.forEach(function(r){all.appendChild(r.row)});body.appendChild(all)}\n",
    "document.querySelectorAll('table').forEach(function(table,number){\n",
    " if(!table.tHead||!table.tBodies[0]||table.tBodies[0].rows.length<2)return;\n",
    " Array.from(table.tHead.rows[0].cells).forEach(function(th,column){\n",
    "  var b=document.createElement('button');b.type='button';b.textContent=th.textContent;th.textContent='';\n",
    "  b.addEventListener('click',function(){sort(table,th,column)});th.appendChild(b)});\n",
    " var body=table.tBodies[0],count=body.rows.length,box=table.parentNode;\n",
    " if(count<10)return;\n",
    /* A long table is cut until it is wanted: a link into it, or words in its filter, want it. */
    " function open(){if(body.className!=='cut')return;body.className='';all.remove()}\n",
    " var all=document.createElement('button');\n",
    " if(count>25){body.className='cut';all.type='button';all.className='all';\n",
    "  all.textContent=say('Show all {0} rows',count);all.addEventListener('click',open);box.after(all);\n",
    "  table.addEventListener('open',open)}\n",
    " var label=document.createElement('label'),input=document.createElement('input');\n",
    " label.className='filter';label.textContent=say('Rows that ",
    "contain');input.type='search';label.appendChild(input);\n",
    " var timer=0;\n",
    " input.addEventListener('input',function(){clearTimeout(timer);timer=setTimeout(function(){\n",
    "  var wanted=input.value.toLowerCase();if(wanted!=='')open();\n",
    "  Array.from(body.rows).forEach(function(r){\n",
    "   r.hidden=wanted!==''&&r.textContent.toLowerCase().indexOf(wanted)<0})},120)});\n",
    " box.parentNode.insertBefore(label,box)});\n",
    "function reveal(){\n",
    " var row=location.hash&&document.getElementById(location.hash.slice(1)),table=row&&row.closest('table');\n",
    " if(table){table.dispatchEvent(new Event('open'));row.scrollIntoView({block:'center'})}}\n",
    "window.addEventListener('hashchange',reveal);reveal();\n",
    /* Without a clipboard the command is selected. */
    "document.querySelectorAll('code.command').forEach(function(code){\n",
    " var b=document.createElement('button');b.type='button';b.className='copy';b.textContent=say('Copy');\n",
    " b.addEventListener('click',function(){\n",
    "  getSelection().selectAllChildren(code);\n",
    "  if(navigator.clipboard)\n",
    "   navigator.clipboard.writeText(code.textContent).then(function(){b.textContent=say('Copied')})});\n",
    " code.after(b)});\n",
    /* Over curves: the value there, between both ends of the time. Other shapes have a title. */
    "document.querySelectorAll('figure svg').forEach(function(svg){\n",
    " var path=svg.querySelector('path'),d=svg.dataset;\n",
    " if(!path||!d.unit)return;\n",
    " var bins=path.getAttribute('d').match(/V[0-9.]+H[0-9.]+/g);\n",
    " bins=bins.map(function(b){return b.slice(1).split('H').map(Number)});\n",
    " var told=document.createElementNS(svg.namespaceURI,'text');\n",
    " told.setAttribute('x',600);told.setAttribute('y',12);told.setAttribute('text-anchor','middle');\n",
    " svg.appendChild(told);\n",
    " svg.addEventListener('pointermove',function(e){\n",
    "  var at=new DOMPoint(e.clientX,e.clientY).matrixTransform(svg.getScreenCTM().inverse()).x;\n",
    "  var bin=bins.find(function(b){return at<b[1]});\n",
    "  var time=+d.from+(d.until-d.from)*(at-100)/1000,value=bin&&d.top*(d.high-bin[0])/d.high;\n",
    "  told.textContent=at<100||!bin?'':time.toFixed(3)+' us: '+value.toFixed(1)+d.unit});\n",
    " svg.addEventListener('pointerleave',function(){told.textContent=''})});\n",
    NULL,
};
