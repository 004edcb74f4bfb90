/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/json_text.h"

#include "base/number.h"
#include "base/progress.h"
#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Bytes that stand for themselves in a JSON string. */
static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

static char *put_control(char *p, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef", controls[] = "\b\t\n\f\r", letters[] = "btnfr";
    const char *control = memchr(controls, byte, sizeof controls - 1);
    *p++ = '\\';
    if (control != NULL) {
        *p++ = letters[control - controls];
        return p;
    }
    memcpy(p, "u00", 3);
    p += 3;
    *p++ = digits[byte >> 4];
    *p++ = digits[byte & 15];
    return p;
}

/* Writes the escaped form of the character at text; returns how many bytes of text it took. */
static size_t put_special(char **p, const char *text, size_t length)
{
    unsigned char byte = (unsigned char)*text;
    if (byte == '"' || byte == '\\') {
        *(*p)++ = '\\';
        *(*p)++ = (char)byte;
        return 1;
    }
    if (byte < 0x20 || byte == 0x7f) {
        *p = put_control(*p, byte);
        return 1;
    }
    size_t bytes = utf8_character(text, length);
    if (bytes == 0) {
        memcpy(*p, "\xef\xbf\xbd", 3);
        *p += 3;
        return 1;
    }
    if (bytes == 2 && byte == 0xc2 && (unsigned char)text[1] < 0xa0) {
        *p = put_control(*p, (unsigned char)text[1]); /* a terminal may obey it, too */
        return bytes;
    }
    if (bytes == 3 && utf8_turns(text)) { /* U+202A to U+202E, U+2066 to U+2069 */
        unsigned code = 0x2000u | ((unsigned)text[1] & 0x3f) << 6 | ((unsigned)text[2] & 0x3f);
        *p = put_control(*p, (unsigned char)code);
        (*p)[-4] = '2'; /* of "\\u00.." */
        return bytes;
    }
    memcpy(*p, text, bytes);
    *p += bytes;
    return bytes;
}

/* Whether eight bytes all stand for themselves. */
static bool are_plain(const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word;
    memcpy(&word, text, sizeof word);
    const uint64_t quotes = word ^ '"' * ones, slashes = word ^ '\\' * ones;
    return utf8_eight_printable(text) &&
           ((((quotes - ones) & ~quotes) | ((slashes - ones) & ~slashes)) & 0x80 * ones) == 0;
}

size_t json_text_escape(char *destination, const char *text, size_t length)
{
    char *p = destination;
    size_t i = 0;
    while (i < length) {
        if (length - i >= 8 && are_plain(text + i)) {
            memcpy(p, text + i, 8);
            p += 8;
            i += 8;
        } else if (is_plain((unsigned char)text[i]))
            *p++ = text[i++];
        else
            i += put_special(&p, text + i, length - i);
    }
    return (size_t)(p - destination);
}

size_t json_text_piece(const char *text, size_t length, size_t limit)
{
    return length <= limit ? length : utf8_cut(text, limit);
}

int json_text_append(struct strbuf *buf, const char *text, size_t length)
{
    char escaped[64 * JSON_TEXT_EXPANSION];
    size_t before = buf->length;
    while (length > 0) {
        size_t piece = json_text_piece(text, length, 64);
        size_t written = json_text_escape(escaped, text, piece);
        if (strbuf_add(buf, escaped, written) < 0) {
            buf->length = before;
            if (buf->capacity > 0)
                buf->data[before] = '\0';
            return -1;
        }
        text += piece;
        length -= piece;
    }
    return 0;
}

int json_text_quote(struct strbuf *buf, const char *text, size_t length)
{
    const size_t before = buf->length;
    if (strbuf_addc(buf, '"') == 0 && json_text_append(buf, text, length) == 0 && strbuf_addc(buf, '"') == 0)
        return 0;
    buf->length = before;
    return -1;
}

static void put_bytes(struct json_out *json, const char *bytes, size_t length)
{
    if (json->out != NULL)
        outfile_write(json->out, bytes, length);
    else
        fwrite(bytes, 1, length, json->stream);
}

static void put_literal(struct json_out *json, const char *text)
{
    put_bytes(json, text, strlen(text));
}

static void put_escaped(struct json_out *json, const char *text)
{
    char escaped[256 * JSON_TEXT_EXPANSION];
    for (size_t left = strlen(text); left > 0;) {
        size_t piece = json_text_piece(text, left, 256);
        put_bytes(json, escaped, json_text_escape(escaped, text, piece));
        text += piece;
        left -= piece;
    }
}

static void separate(struct json_out *json)
{
    if (json->any)
        put_bytes(json, ",", 1);
    if (json->gap != NULL && (json->any || json->gap[0] == '\n'))
        put_literal(json, json->gap);
    json->any = true;
}

static void put_key(struct json_out *json, const char *key)
{
    if (!json->keyed)
        separate(json);
    json->keyed = false;
    if (key == NULL)
        return;
    put_bytes(json, "\"", 1);
    put_literal(json, key);
    put_literal(json, json->gap != NULL ? "\": " : "\":");
}

void json_put_key(struct json_out *json, const char *key, const char *tail)
{
    separate(json);
    put_bytes(json, "\"", 1);
    put_escaped(json, key);
    put_literal(json, tail != NULL ? "@" : "");
    put_escaped(json, tail != NULL ? tail : "");
    put_literal(json, json->gap != NULL ? "\": " : "\":");
    json->keyed = true;
}

void json_put_begin(struct json_out *json, const char *key, char bracket)
{
    put_key(json, key);
    put_bytes(json, &bracket, 1);
    json->any = false;
}

void json_put_end(struct json_out *json, char bracket)
{
    put_bytes(json, &bracket, 1);
    json->any = true;
}

void json_put_text(struct json_out *json, const char *key, const char *text)
{
    put_key(json, key);
    put_literal(json, text != NULL ? "\"" : "null");
    put_escaped(json, text != NULL ? text : "");
    put_literal(json, text != NULL ? "\"" : "");
}

void json_put_bool(struct json_out *json, const char *key, bool value)
{
    put_key(json, key);
    put_literal(json, value ? "true" : "false");
}

void json_put_decimal(struct json_out *json, const char *key, int64_t value, unsigned decimals)
{
    char text[NUMBER_MAX];
    put_key(json, key);
    put_bytes(json, text, (size_t)(number_put_shortest(text, value, decimals) - text));
}

void json_put_real(struct json_out *json, const char *key, double value)
{
    char text[REAL_SHORTEST_MAX];
    put_key(json, key);
    put_bytes(json, text, number_print_real(text, isfinite(value) ? value : 0));
}

void json_put_format(struct json_out *json, const char *key, const char *format, ...)
{
    char text[512];
    va_list args;

    put_key(json, key);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put_literal(json, text);
}

void json_put_all(struct json_out *json, const struct json_member *members, size_t count)
{
    for (const struct json_member *member = members; member < members + count; member++) {
        char us[NUMBER_MAX];
        if (member->type == JSON_IS_BOOL)
            json_put_bool(json, member->key, member->number != 0);
        else if (member->type == JSON_IS_FIXED)
            json_put_format(json, member->key, "%.3f", isfinite(member->real) ? member->real + 0.0 : 0.0);
        else if (member->type == JSON_IS_GENERAL && isfinite(member->real))
            json_put_format(json, member->key, "%.*g", member->digits, member->real);
        else if (member->type == JSON_IS_INTEGER && member->number != INT64_MIN)
            json_put_decimal(json, member->key, member->number, (unsigned)member->digits);
        else if (member->type == JSON_IS_US && member->number != INT64_MIN)
            json_put_format(json, member->key, "%.*s", (int)(number_put_us(us, member->number) - us), us);
        else if (member->type != JSON_IS_NOTE || *member->text != '\0')
            json_put_text(json, member->key, member->text);
    }
}

/* ---- json indent ---- */

struct indent {
    struct outfile *out;
    unsigned depth;
    bool in_text, escaped;
    bool opened; /* the last character opened an object or a list */
};

static void put(struct indent *indent, char c)
{
    outfile_write(indent->out, &c, 1);
}

static void new_line(struct indent *indent)
{
    put(indent, '\n');
    for (unsigned i = 0; i < indent->depth; i++)
        outfile_write(indent->out, "    ", 4);
}

static void take_text(struct indent *indent, char c)
{
    put(indent, c);
    indent->in_text = indent->escaped || c != '"';
    indent->escaped = !indent->escaped && c == '\\';
}

static void take_close(struct indent *indent, char c)
{
    indent->depth -= indent->depth > 0;
    if (!indent->opened)
        new_line(indent);
    put(indent, c);
    indent->opened = false;
}

static void take(struct indent *indent, char c)
{
    if (indent->in_text) {
        take_text(indent, c);
        return;
    }
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
        return;
    if (c == '}' || c == ']') {
        take_close(indent, c);
        return;
    }
    if (indent->opened)
        new_line(indent);
    indent->opened = c == '{' || c == '[';
    indent->depth += indent->opened;
    indent->in_text = c == '"';
    put(indent, c);
    if (c == ',')
        new_line(indent);
    else if (c == ':')
        put(indent, ' ');
}

int json_indent_file(const char *path, struct err *err)
{
    struct outfile out;
    struct indent indent = {.out = &out};
    char buffer[65536];
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return err_set_errno(err, errno, "cannot read '%s'", path);
    bool failed = false;
    if (outfile_open(&out, path, err) < 0) {
        fclose(in);
        return err_status(err);
    }
    for (size_t got; !failed && (got = fread(buffer, 1, sizeof buffer, in)) > 0;) {
        for (size_t i = 0; i < got; i++)
            take(&indent, buffer[i]);
        if (interrupted())
            failed = interrupt_error(err) < 0;
    }
    put(&indent, '\n');
    failed = failed || (ferror(in) && err_set(err, ERR_IO, "cannot read '%s'", path) < 0);
    fclose(in);
    if (!failed)
        return outfile_commit(&out, err);
    outfile_abort(&out);
    return err_status(err);
}
