/* SPDX-License-Identifier: Apache-2.0 */
/* Text of any bytes to the inside of a JSON string: the result is always valid JSON and valid UTF-8. */
#ifndef MSPROF_EXPORTERS_JSON_TEXT_H
#define MSPROF_EXPORTERS_JSON_TEXT_H

#include "base/err.h"
#include "base/file/outfile.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes that the escaped form of one byte of text takes at most. */
#define JSON_TEXT_EXPANSION 6

/* Writes text escaped, without the quotes around it and without a final NUL, at destination, which has room for
 * length * JSON_TEXT_EXPANSION bytes; returns the bytes written. Quotes, backslashes and control characters are
 * escaped; each byte that is not part of valid UTF-8 becomes U+FFFD. */
size_t json_text_escape(char *destination, const char *text, size_t length);

/* The length of the longest beginning of text of at most limit (4 or more) bytes that cuts no character apart: long
 * texts are escaped, or shortened, piece by piece. */
size_t json_text_piece(const char *text, size_t length, size_t limit);

/* Appends text, escaped like this, to buf; 0, or -1 with buf->failed set and the content unchanged. */
int json_text_append(struct strbuf *buf, const char *text, size_t length);
/* Likewise, with the quotes around it. */
int json_text_quote(struct strbuf *buf, const char *text, size_t length);

/* JSON to a stream; commas, quotes and escapes come by themselves:
 *     struct json_out json = {.stream = stdout};
 *     json_put_begin(&json, NULL, '{');
 *     json_put_text(&json, "name", name);
 *     json_put_begin(&json, "times", '[');
 *     json_put_format(&json, NULL, "%.3f", 1.5);
 *     json_put_end(&json, ']');
 *     json_put_end(&json, '}'); */
struct json_out {
    FILE *stream;
    struct outfile *out; /* instead of a stream; NULL: none */
    bool any;            /* something stands before, in the object or array that is open */
    bool keyed;          /* the key of the next value does */
    /* NULL: no blanks; else a blank stands behind colons, and this behind commas, a line feed before the first, too. */
    const char *gap;
};

/* key: of ours, needs no escape; NULL in an array, and behind json_put_key. */
void json_put_begin(struct json_out *json, const char *key, char bracket);
void json_put_end(struct json_out *json, char bracket);
void json_put_text(struct json_out *json, const char *key, const char *text); /* NULL: null */
void json_put_bool(struct json_out *json, const char *key, bool value);
/* A key of any text, and unless tail is NULL '@' and tail behind it. */
void json_put_key(struct json_out *json, const char *key, const char *tail);
/* value / 10^decimals, or a double, 0 for what is no number, in the shortest form. */
void json_put_decimal(struct json_out *json, const char *key, int64_t value, unsigned decimals);
void json_put_real(struct json_out *json, const char *key, double value);
/* A number, or null, as the format has it. */
void json_put_format(struct json_out *json, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A member of an object that is written with others. */
struct json_member {
    const char *key;
    enum { JSON_IS_TEXT, JSON_IS_NOTE, JSON_IS_INTEGER, JSON_IS_US, JSON_IS_BOOL, JSON_IS_FIXED, JSON_IS_GENERAL } type;
    const char *text;
    int64_t number; /* of JSON_IS_INTEGER and JSON_IS_US INT64_MIN is null */
    int digits;
    double real;
};
#define JSON_TEXT(key, text) ((struct json_member){key, JSON_IS_TEXT, text, 0, 0, 0})
#define JSON_NOTE(key, text) ((struct json_member){key, JSON_IS_NOTE, text, 0, 0, 0}) /* "": there is no member */
#define JSON_DECIMAL(key, number, decimals)                                                                            \
    ((struct json_member){key, JSON_IS_INTEGER, NULL, (int64_t)(number), decimals, 0})
#define JSON_INTEGER(key, number) JSON_DECIMAL(key, number, 0)
#define JSON_US(key, ns) ((struct json_member){key, JSON_IS_US, NULL, ns, 0, 0}) /* exact */
#define JSON_BOOL(key, value) ((struct json_member){key, JSON_IS_BOOL, NULL, value, 0, 0})
/* Three decimals, 0 for what is no number; so many digits, null for what is none. */
#define JSON_FIXED(key, real) ((struct json_member){key, JSON_IS_FIXED, NULL, 0, 0, real})
#define JSON_GENERAL(key, digits, real) ((struct json_member){key, JSON_IS_GENERAL, NULL, 0, digits, real})
/* Writes some: json_put_members(&json, JSON_TEXT("name", name), JSON_INTEGER("rows", rows)); or an object of them. */
#define json_put_members(json, ...)                                                                                    \
    json_put_all(json, (const struct json_member[]){__VA_ARGS__},                                                      \
                 sizeof((const struct json_member[]){__VA_ARGS__}) / sizeof(struct json_member))
#define json_put_object(json, key, ...)                                                                                \
    (json_put_begin(json, key, '{'), json_put_members(json, __VA_ARGS__), json_put_end(json, '}'))
void json_put_all(struct json_out *json, const struct json_member *members, size_t count);

/* JSON for people: the same document with a line for each value, indented. */

/* Replaces a file of sound JSON by itself with four blanks for each level. It is read in pieces; its values do not
 * change by a byte. */
int json_indent_file(const char *path, struct err *err);

/* The JSON documents that are written, each with the version of its schema: the file
 * docs/schemas/<name>.<version>.json, where the name is what stands after "msprof.". A number is raised when a key goes
 * or means something else. */

#define SCHEMA_ADVICE "msprof.advice/1"
#define SCHEMA_BASELINE "msprof.baseline/3"
#define SCHEMA_CLUSTER "msprof.cluster/1"
#define SCHEMA_DIFF "msprof.diff/2"
#define SCHEMA_DOCTOR "msprof.doctor/1"
#define SCHEMA_OPTIONS "msprof.options/1"
#define SCHEMA_MEASURES "msprof.measures/1"
#define SCHEMA_SAMPLES "msprof.samples/1"
#define SCHEMA_RULES "msprof.rules/1"

#define SCHEMA_LIST                                                                                                    \
    {                                                                                                                  \
        SCHEMA_ADVICE, SCHEMA_BASELINE, SCHEMA_CLUSTER, SCHEMA_DIFF, SCHEMA_DOCTOR, SCHEMA_MEASURES, SCHEMA_SAMPLES,   \
            SCHEMA_OPTIONS, SCHEMA_RULES, NULL                                                                         \
    }

#endif
