/* SPDX-License-Identifier: Apache-2.0 */
/* Reads options out of a script. A string in quotes is found first, since most scripts hold one; then the literals and
 * calls of Python are turned into JSON. */
#include "features/options/script.h"

#include "base/words.h"
#include "features/options/rule.h"

#include <ctype.h>
#include <string.h>

#define TEMPLATE "%s" /* for what a script puts in when it runs */
#define MOST_EXPRESSION 60
#define MOST_DEPTH 32

struct reader {
    const char *at, *end;
};

/* Blanks, ends of lines, and backslashes before these. */
static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end) {
        bool joined =
            *reader->at == '\\' && reader->at + 1 < reader->end && (reader->at[1] == '\n' || reader->at[1] == '\r');
        if (!joined && memchr(" \t\r\n", *reader->at, 4) == NULL)
            return;
        reader->at++;
    }
}

/* How many quotes open a string here: 3, 1 or 0. */
static size_t count_quotes(const struct reader *reader)
{
    const char *at = reader->at;
    if (at >= reader->end || (*at != '\'' && *at != '"'))
        return 0;
    return reader->end - at >= 3 && at[1] == *at && at[2] == *at ? 3 : 1;
}

static bool is_at(const struct reader *reader, char quote, size_t quotes)
{
    if ((size_t)(reader->end - reader->at) < quotes)
        return false;
    for (size_t i = 0; i < quotes; i++) {
        if (reader->at[i] != quote)
            return false;
    }
    return true;
}

/* Resolves an escape. Those that JSON has are left to it, but for quotes, which the script has. */
static void put_escaped(struct reader *reader, struct strbuf *ret)
{
    char c = *reader->at++;
    if (c == '\r' && reader->at < reader->end && *reader->at == '\n')
        reader->at++;
    else if (c == 'n' || c == 't' || c == ' ')
        strbuf_addc(ret, ' ');
    else if (c == '\'' || c == '"' || c == '\\')
        strbuf_addc(ret, c);
    else if (c != '\n' && c != '\r') {
        strbuf_addc(ret, '\\');
        strbuf_addc(ret, c);
    }
}

/* Puts what stands for a value that the script computes: "{args.output}", or "%s" where that could not be read in JSON.
 */
static void put_template(const char *expression, size_t length, struct strbuf *ret)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.()[] ";

    while (length > 0 && expression[length - 1] == ' ')
        length--;
    size_t sound = 0;
    while (sound < length && strchr(plain, expression[sound]) != NULL && expression[sound] != '\0')
        sound++;
    if (length > 0 && sound == length && length <= MOST_EXPRESSION)
        strbuf_addf(ret, "{%.*s}", (int)length, expression);
    else
        strbuf_adds(ret, TEMPLATE);
}

/* Passes "+ expression +" between two strings, for which a template stands. false: nothing like it is here. */
static bool pass_inserted(struct reader *reader, struct strbuf *ret)
{
    struct reader at = *reader;
    int depth = 0;
    if (at.at >= at.end || *at.at != '+')
        return false;
    at.at++;
    skip_blanks(&at);
    if (count_quotes(&at) > 0) { /* two strings added */
        *reader = at;
        return true;
    }
    const char *expression = at.at;
    for (; at.at < at.end && *at.at != '\n' && (depth > 0 || *at.at != '+'); at.at++) {
        depth += *at.at == '(' || *at.at == '[';
        depth -= *at.at == ')' || *at.at == ']';
    }
    if (at.at >= at.end || *at.at != '+')
        return false;
    put_template(expression, (size_t)(at.at - expression), ret);
    at.at++;
    skip_blanks(&at);
    *reader = at;
    return true;
}

/* Passes a variable of a shell, $NAME or ${NAME}, for which a template stands. false: there is none here. */
static bool pass_variable(struct reader *reader, struct strbuf *ret)
{
    const char *at = reader->at, *name;
    if (at + 1 >= reader->end || *at != '$')
        return false;
    const bool has_braces = *++at == '{';
    for (name = at += has_braces; at < reader->end && (isalnum((unsigned char)*at) || *at == '_');)
        at++;
    if (at == name || (has_braces && (at >= reader->end || *at != '}')))
        return false;
    put_template(name, (size_t)(at - name), ret);
    reader->at = at + has_braces;
    return true;
}

/* The string that begins here, with all that follow it directly or by '+'. false: one has no end. */
static bool read_strings(struct reader *reader, struct strbuf *ret)
{
    size_t quotes;
    while ((quotes = count_quotes(reader)) > 0) {
        char quote = *reader->at;
        reader->at += quotes;
        while (reader->at < reader->end && !is_at(reader, quote, quotes)) {
            if (quote == '"' && pass_variable(reader, ret))
                continue;
            char c = *reader->at++;
            if (c != '\\')
                strbuf_addc(ret, c);
            else if (reader->at < reader->end)
                put_escaped(reader, ret);
        }
        if (reader->at >= reader->end)
            return false;
        reader->at += quotes;
        while (pass_variable(reader, ret)) /* '...'$NAME'...' */
            continue;
        skip_blanks(reader);
        if (pass_inserted(reader, ret))
            skip_blanks(reader);
    }
    return true;
}

static void join_lines(struct reader *reader, struct strbuf *ret)
{
    while (reader->at < reader->end) {
        const char *next = reader->at + 1;
        bool joins = *reader->at == '\\' && next < reader->end && (*next == '\n' || *next == '\r');
        if (!joins)
            strbuf_addc(ret, *reader->at);
        reader->at++;
    }
}

/* JSON that a shell reads without quotes: a backslash in front of each character that means something to it. */
static bool read_shell_escaped(const char *text, size_t length, struct strbuf *ret)
{
    const char *brace = memmem(text, length, "\\{", 2);
    struct reader reader = {brace != NULL ? brace : memmem(text, length, "{\\\"", 3), text + length};
    if (reader.at == NULL)
        return false;
    while (reader.at < reader.end && !isspace((unsigned char)*reader.at)) {
        if (pass_variable(&reader, ret))
            continue;
        reader.at += *reader.at == '\\' && reader.at + 1 < reader.end;
        strbuf_addc(ret, *reader.at++);
    }
    return !ret->failed;
}

bool switch_script_read(const char *text, size_t length, struct strbuf *ret)
{
    struct reader reader = {text, text + length};
    skip_blanks(&reader);
    if (reader.at < reader.end && *reader.at == '{') {
        join_lines(&reader, ret);
        return !ret->failed;
    }
    while (reader.at < reader.end) {
        if (count_quotes(&reader) == 0) {
            reader.at++;
            continue;
        }
        strbuf_clear(ret);
        if (!read_strings(&reader, ret))
            break;
        if (ret->data != NULL && ret->data[strspn(ret->data, " \t\r\n")] == '{')
            return !ret->failed;
    }
    strbuf_clear(ret);
    return read_shell_escaped(text, length, ret);
}

/* ---- Python ---- */

/* Blanks, ends of lines, joined ones too, and comments. */
static void skip_python_blanks(struct reader *reader)
{
    for (;;) {
        skip_blanks(reader);
        if (reader->at >= reader->end || *reader->at != '#')
            return;
        while (reader->at < reader->end && *reader->at != '\n')
            reader->at++;
    }
}

static bool next_is(struct reader *reader, char c)
{
    skip_python_blanks(reader);
    if (reader->at >= reader->end || *reader->at != c)
        return false;
    reader->at++;
    return true;
}

static void put_quoted(const char *text, size_t length, struct strbuf *ret)
{
    strbuf_addc(ret, '"');
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            strbuf_addc(ret, '\\');
        if (c < ' ')
            strbuf_addf(ret, "\\u%04x", c);
        else
            strbuf_addc(ret, text[i]);
    }
    strbuf_addc(ret, '"');
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || (unsigned char)c >= 0x80;
}

/* A name with its dots, or a number with its sign. Returns its length. */
static size_t name_length(const struct reader *reader)
{
    const char *end = reader->at;
    if (end < reader->end && (*end == '-' || *end == '+'))
        end++;
    while (end < reader->end && is_of_name(*end))
        end++;
    return (size_t)(end - reader->at);
}

static bool is_number(const char *text, size_t length)
{
    const size_t sign = length > 0 && *text == '-';
    return length > sign && strspn(text + sign, "0123456789.") >= length - sign && text[sign] != '.' &&
           text[length - 1] != '.' && (text[sign] != '0' || length == sign + 1 || text[sign + 1] == '.');
}

static bool put_value(struct reader *reader, int depth, struct strbuf *ret);

/* Passes a text by position, which is no option of JSON: a path. */
static bool pass_path(struct reader *reader)
{
    SCOPED(strbuf_release) struct strbuf text;

    strbuf_init(&text, SIZE_MAX);
    return count_quotes(reader) > 0 && read_strings(reader, &text) && text.data != NULL &&
           strpbrk(text.data, "{:") == NULL;
}

/* Values up to a bracket, those of a list, or with keys: "key": value of a dict, key=value of a call. */
static bool put_items(struct reader *reader, int depth, char closing, struct strbuf *ret)
{
    const bool has_keys = closing != ']';
    strbuf_addc(ret, has_keys ? '{' : '[');
    for (bool first = true; !next_is(reader, closing); first = false) {
        if (first && closing == ')' && depth == 0 && pass_path(reader) && next_is(reader, ','))
            skip_python_blanks(reader);
        if (!first)
            strbuf_addc(ret, ',');
        if (closing == ')') {
            const size_t length = name_length(reader);
            put_quoted(reader->at, length, ret);
            reader->at += length;
            if (length == 0 || !next_is(reader, '='))
                return false; /* an argument by position: which option it is, only the function knows */
        } else if (has_keys && (!put_value(reader, depth, ret) || !next_is(reader, ':'))) {
            return false;
        }
        if (has_keys)
            strbuf_addc(ret, ':');
        if (!put_value(reader, depth, ret))
            return false;
        if (!next_is(reader, ',')) {
            if (!next_is(reader, closing))
                return false;
            break;
        }
    }
    strbuf_addc(ret, has_keys ? '}' : ']');
    return !ret->failed;
}

/* Passes the rest of an expression that begins with a string or a name: "% (d)", ".format(d)", "+ d", "[0]". */
static bool pass_rest(struct reader *reader)
{
    int depth = 0;
    bool is_more = false;
    skip_python_blanks(reader);
    for (; reader->at < reader->end; reader->at++) {
        const char c = *reader->at;
        if (depth == 0 && memchr(",)]}:=\n#", c, 8) != NULL)
            return is_more;
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        is_more = true;
    }
    return is_more;
}

static bool put_string(struct reader *reader, struct strbuf *ret)
{
    SCOPED(strbuf_release) struct strbuf text;
    strbuf_init(&text, SIZE_MAX);
    if (!read_strings(reader, &text))
        return false;
    if (pass_rest(reader))
        strbuf_adds(&text, TEMPLATE);
    put_quoted(text.data != NULL ? text.data : "", text.length, ret);
    return !text.failed && !ret->failed;
}

/* True, a number, a call; every other name is the value that it names, or one that the script computes. */
static bool put_name(struct reader *reader, int depth, struct strbuf *ret)
{
    static const char *const constants[][2] = {{"True", "true"}, {"False", "false"}, {"None", "null"},
                                               {"true", "true"}, {"false", "false"}, {"null", "null"}};
    const char *name = reader->at;
    const size_t length = name_length(reader);
    reader->at += length;
    if (length == 0)
        return false;
    const struct reader before = *reader;
    const size_t kept = ret->length;
    if (next_is(reader, '(')) {
        if (put_items(reader, depth + 1, ')', ret))
            return true;
        strbuf_cut(ret, kept);
        *reader = before; /* what such a call returns, only the script knows */
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (strlen(constants[i][0]) == length && memcmp(constants[i][0], name, length) == 0)
            return strbuf_adds(ret, constants[i][1]) == 0;
    }
    if (is_number(name, length))
        return strbuf_add(ret, name, length) == 0;
    const char *rest = reader->at;
    if (pass_rest(reader) || (memchr(name, '.', length) == NULL && islower((unsigned char)*name))) {
        strbuf_addc(ret, '"');
        put_template(name, length + (size_t)(reader->at - rest), ret);
        strbuf_addc(ret, '"');
        return !ret->failed;
    }
    put_quoted(name, length, ret);
    return !ret->failed;
}

static bool put_value(struct reader *reader, int depth, struct strbuf *ret)
{
    skip_python_blanks(reader);
    if (depth > MOST_DEPTH || reader->at >= reader->end)
        return false;
    if (next_is(reader, '{'))
        return put_items(reader, depth + 1, '}', ret);
    if (next_is(reader, '['))
        return put_items(reader, depth + 1, ']', ret);
    const char *prefixed = reader->at + 1; /* f"...", r"..." */
    if (prefixed < reader->end && strchr("fFrRbBuU", *reader->at) != NULL && (*prefixed == '"' || *prefixed == '\''))
        reader->at++;
    return count_quotes(reader) > 0 ? put_string(reader, ret) : put_name(reader, depth, ret);
}

/* Whether options could begin here: a dict, or the bracket of a call. Puts them, and what the call is of. */
static bool put_options(struct reader *reader, const char *start, struct strbuf *ret)
{
    const char *name = reader->at;
    if (next_is(reader, '{'))
        return put_items(reader, 0, '}', ret);
    while (name > start && is_of_name(name[-1]))
        name--;
    const char *dot = memrchr(name, '.', (size_t)(reader->at - name)), *last = dot != NULL ? dot + 1 : name;
    const bool is_schedule = reader->at - last == 8 && memcmp(last, "schedule", 8) == 0;
    reader->at++;
    strbuf_adds(ret, is_schedule ? "{\"schedule\":" : "");
    if (!put_items(reader, 0, ')', ret))
        return false;
    strbuf_adds(ret, is_schedule ? "}" : "");
    return !ret->failed;
}

bool switch_python_read(const char *text, size_t length, struct strbuf *ret)
{
    const char *end = text + length;
    for (const char *at = text; at < end; at++) {
        struct reader reader = {at, end};
        if (*at != '{' && (*at != '(' || at == text || !is_of_name(at[-1])))
            continue;
        strbuf_clear(ret);
        if (put_options(&reader, text, ret) && strcmp(ret->data, "{}") != 0)
            return true;
    }
    strbuf_clear(ret);
    /* a profiler without arguments has its usual options */
    const bool is_plain = memmem(text, length, "Profiler()", strlen("Profiler()")) != NULL ||
                          memmem(text, length, "profiler.profile()", strlen("profiler.profile()")) != NULL;
    return is_plain && strbuf_adds(ret, "{}") == 0;
}

/* ---- the form of 2020 ---- */

/* Where the words of 2020 begin: behind the variable, in the call, or in the list of a ProfilingConfig; or the text. */
static const char *words_of_2020(const char *text, const char *end)
{
    static const char *const openings[] = {"PROFILING_OPTIONS", "as_bytes(", "enable_options", "profiling_options="};

    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        const char *found = memmem(text, (size_t)(end - text), openings[i], strlen(openings[i]));
        if (found != NULL)
            return found + strlen(openings[i]);
    }
    return text;
}

bool switch_colons_read(const char *text, size_t length, struct strbuf *ret)
{
    const char *end = text + length, *at = words_of_2020(text, end), *found = at;
    bool any = false;

    strbuf_addc(ret, '{');
    while (at < end && !ret->failed) {
        while (at < end && strchr("\"' \t\r\n,:=[(", *at) != NULL)
            at++;
        size_t word = 0;
        while (at + word < end && (isalnum((unsigned char)at[word]) || at[word] == '_'))
            word++;
        char key[64] = "";
        memcpy(key, at, word < sizeof key ? word : 0);
        if (switch_rule_find(key, SWITCH_GE) != NULL || strcmp(key, "op_trace") == 0) {
            strbuf_addf(ret, "%s\"%s\":\"on\"", any ? "," : "", key);
            any = true;
        } else if (strcmp(key, "on") != 0) {
            break; /* what follows is another argument or command */
        }
        at += word;
    }
    strbuf_addc(ret, '}');
    return any && (found > text || at == end) && !ret->failed;
}
