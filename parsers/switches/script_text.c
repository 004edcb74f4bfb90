/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/switches/finding.h"

#include <string.h>

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
    else if (c == 'n' || c == 't')
        strbuf_addc(ret, ' ');
    else if (c == '\'' || c == '"' || c == '\\')
        strbuf_addc(ret, c);
    else if (c != '\n' && c != '\r') {
        strbuf_addc(ret, '\\');
        strbuf_addc(ret, c);
    }
}

/* The string that begins here, with all that follow it directly. false: one has no end. */
static bool read_strings(struct reader *reader, struct strbuf *ret)
{
    size_t quotes;
    while ((quotes = count_quotes(reader)) > 0) {
        char quote = *reader->at;
        reader->at += quotes;
        while (reader->at < reader->end && !is_at(reader, quote, quotes)) {
            char c = *reader->at++;
            if (c != '\\')
                strbuf_addc(ret, c);
            else if (reader->at < reader->end)
                put_escaped(reader, ret);
        }
        if (reader->at >= reader->end)
            return false;
        reader->at += quotes;
        skip_blanks(reader);
    }
    return true;
}

static bool begins_object(const struct strbuf *text)
{
    return text->data != NULL && text->data[strspn(text->data, " \t\r\n")] == '{';
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

bool script_text_read(const char *text, size_t length, struct strbuf *ret)
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
            return false;
        if (begins_object(ret))
            return !ret->failed;
    }
    return false;
}
