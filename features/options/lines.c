/* SPDX-License-Identifier: Apache-2.0 */
#include "features/options/lines.h"

#include "base/words.h"
#include "features/options/rule.h"

#include <ctype.h>
#include <string.h>

#define MOST_KEY 64
#define EVERY_WRITER (SWITCH_GE | SWITCH_ACL | SWITCH_SVP | SWITCH_MINDSPORE | SWITCH_PYTORCH)

struct line {
    size_t indent;
    char key[MOST_KEY]; /* "" for a line without one */
    const char *value;
    size_t length; /* of the value; 0 for a header */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void pass_blanks(const char **at, const char *end)
{
    while (*at < end && is_blank(**at))
        ++*at;
}

/* Passes the words that may precede a key. */
static void pass_prefix(const char **at, const char *end)
{
    static const char *const prefixes[] = {"- ", "export ", "set ", "ENV "};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t length = strlen(prefixes[i]);
        if ((size_t)(end - *at) > length && memcmp(*at, prefixes[i], length) == 0)
            *at += length;
    }
    pass_blanks(at, end);
}

/* Reads a key of letters, digits, '_' and '-', which may be quoted. "": there is none. */
static void read_key(const char **at, const char *end, char ret[MOST_KEY])
{
    const char quote = *at < end && (**at == '"' || **at == '\'') ? *(*at)++ : '\0';
    size_t length = 0;

    while (*at + length < end && (isalnum((unsigned char)(*at)[length]) || strchr("_-", (*at)[length]) != NULL))
        length++;
    const bool sound = length < MOST_KEY && (quote == '\0' || (*at + length < end && (*at)[length] == quote));
    memcpy(ret, *at, sound ? length : 0);
    ret[sound ? length : 0] = '\0';
    *at += length + (quote != '\0' && sound);
}

/* Cuts a comment and blanks behind a value. */
static size_t value_length(const char *value, const char *end)
{
    const char *stop = value;

    if (stop < end && (*stop == '"' || *stop == '\'')) {
        const char *closing = memchr(stop + 1, *stop, (size_t)(end - stop - 1));
        if (closing != NULL)
            return (size_t)(closing + 1 - value);
    }
    while (stop < end && (*stop != '#' || stop == value || !is_blank(stop[-1])))
        stop++;
    while (stop > value && (is_blank(stop[-1]) || stop[-1] == ','))
        stop--;
    return (size_t)(stop - value);
}

static struct line read_line(const char *at, const char *end)
{
    struct line line = {.key = ""};
    const char *start = at;

    pass_blanks(&at, end);
    line.indent = (size_t)(at - start);
    if (at >= end || strchr("#;", *at) != NULL)
        return line;
    const bool in_brackets = *at == '[';
    at += in_brackets;
    pass_prefix(&at, end);
    read_key(&at, end, line.key);
    pass_blanks(&at, end);
    if (in_brackets || at >= end || (*at != ':' && *at != '=')) {
        if (!in_brackets || at >= end || *at != ']')
            line.key[0] = '\0';
        return line;
    }
    at++;
    pass_blanks(&at, end);
    line.value = at;
    line.length = value_length(at, end);
    return line;
}

static void put_text(const char *text, size_t length, struct strbuf *ret)
{
    strbuf_addc(ret, '"');
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"' || text[i] == '\\')
            strbuf_addc(ret, '\\');
        if ((unsigned char)text[i] < ' ')
            strbuf_addf(ret, "\\u%04x", (unsigned char)text[i]);
        else
            strbuf_addc(ret, text[i]);
    }
    strbuf_addc(ret, '"');
}

static void put_scalar(const char *text, size_t length, struct strbuf *ret)
{
    static const char *const constants[][2] = {
        {"True", "true"}, {"true", "true"}, {"False", "false"}, {"false", "false"}};

    if (length >= 2 && (*text == '"' || *text == '\'') && text[length - 1] == *text) {
        put_text(text + 1, length - 2, ret);
        return;
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (length == strlen(constants[i][0]) && memcmp(text, constants[i][0], length) == 0) {
            strbuf_adds(ret, constants[i][1]);
            return;
        }
    size_t digits = 0;
    while (digits < length && isdigit((unsigned char)text[digits]))
        digits++;
    if (length > 0 && digits == length && length < 10 && (*text != '0' || length == 1))
        strbuf_add(ret, text, length);
    else
        put_text(text, length, ret);
}

static void put_value(const char *text, size_t length, struct strbuf *ret)
{
    if (length < 2 || *text != '[' || text[length - 1] != ']') {
        put_scalar(text, length, ret);
        return;
    }
    const char *at = text + 1, *end = text + length - 1;
    strbuf_addc(ret, '[');
    for (bool first = true; at < end; first = false) {
        pass_blanks(&at, end);
        const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma != NULL ? comma : end;
        while (stop > at && is_blank(stop[-1]))
            stop--;
        strbuf_adds(ret, first ? "" : ",");
        put_scalar(at, (size_t)(stop - at), ret);
        at = comma != NULL ? comma + 1 : end;
    }
    strbuf_addc(ret, ']');
}

static const char *line_end(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found != NULL ? found : end;
}

/* Whether a line begins a section: a header, or the first one with another indentation. */
static bool begins_section(const struct line *line, size_t indent)
{
    return line->length == 0 || line->indent != indent;
}

/* Whether a key is an option that other files do not have. */
static bool is_telling(const char *key)
{
    return switch_rule_find(key, EVERY_WRITER) != NULL &&
           !words_list_has("output,start,active,warmup,schedule,scale,metadata,analyse,interval,output_path", key,
                           strlen(key));
}

/* The number of the section with most options; 0: none has any. */
static size_t best_section(const char *text, const char *end)
{
    size_t section = 0, best = 0, most = 0, known = 0, indent = SIZE_MAX;

    for (const char *at = text; at < end; at = line_end(at, end) + 1) {
        const struct line line = read_line(at, line_end(at, end));
        if (line.key[0] == '\0')
            continue;
        if (begins_section(&line, indent)) {
            section++;
            known = 0;
            indent = line.length == 0 ? SIZE_MAX : line.indent;
        }
        known += line.length > 0 && is_telling(line.key);
        best = known > most ? section : best;
        most = known > most ? known : most;
    }
    return best;
}

bool switch_lines_read(const char *text, size_t length, struct strbuf *ret)
{
    const char *end = text + length;
    const size_t wanted = best_section(text, end), before = ret->length;
    size_t section = 0, indent = SIZE_MAX, count = 0;
    bool is_acl = false;

    strbuf_addc(ret, '{');
    for (const char *at = text; at < end && wanted > 0; at = line_end(at, end) + 1) {
        const struct line line = read_line(at, line_end(at, end));
        if (line.key[0] == '\0')
            continue;
        if (begins_section(&line, indent)) {
            section++;
            indent = line.length == 0 ? SIZE_MAX : line.indent;
        }
        if (section != wanted || line.length == 0)
            continue;
        is_acl = is_acl || strcmp(line.key, "switch") == 0 || switch_is_of_board(line.key);
        strbuf_addf(ret, "%s\"%s\":", count++ > 0 ? "," : "", line.key);
        put_value(line.value, line.length, ret);
    }
    strbuf_addc(ret, '}');
    if (is_acl && !ret->failed) {
        SCOPED(strbuf_release) struct strbuf options;
        strbuf_init(&options, SIZE_MAX);
        strbuf_adds(&options, ret->data + before);
        strbuf_cut(ret, before);
        strbuf_addf(ret, "{\"profiler\":%s}", options.data != NULL ? options.data : "{}");
        return count > 0 && !ret->failed && !options.failed;
    }
    return count > 0 && !ret->failed;
}

bool switch_command_line_read(const char *text, size_t length, struct strbuf *ret)
{
    const char *end = text + length;
    size_t count = 0;

    strbuf_adds(ret, "{\"profiler\":{\"switch\":\"on\"");
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), "--", 2)) != NULL; at += 2) {
        const char *word = at + 2;
        char key[MOST_KEY];
        read_key(&word, end, key);
        for (char *c = key; *c != '\0'; c++)
            *c = *c == '-' ? '_' : *c;
        size_t value = 0;
        while (word < end && word + 1 + value < end && !isspace((unsigned char)word[1 + value]))
            value++;
        const struct switch_rule *rule = switch_rule_find(key, SWITCH_ACL);
        if (rule == NULL || word >= end || *word != '=' || value == 0)
            continue;
        strbuf_addf(ret, ",\"%s\":", key);
        if (rule->as_number)
            put_scalar(word + 1, value, ret);
        else
            put_text(word + 1, value, ret);
        count++;
    }
    strbuf_adds(ret, "}}");
    return count > 0 && !ret->failed;
}
