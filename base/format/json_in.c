/* SPDX-License-Identifier: Apache-2.0 */
#include "base/format/json_in.h"

#include "base/language.h"
#include "base/number.h"
#include "base/utf8.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* struct json is cJSON's value under another name; it is never defined. */
static const cJSON *unwrap(const struct json *value)
{
    return (const cJSON *)value;
}

static const struct json *wrap(const cJSON *value)
{
    return (const struct json *)value;
}

/* Fills err with the line and column of a byte of the text. */
static void set_mistake(struct err *err, const char *text, size_t offset, const char *what)
{
    size_t line = 1;
    size_t column = 1;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            line++;
            column = 1;
        } else if (!utf8_is_continuation((unsigned char)text[i])) {
            column++;
        }
    }
    err_set(err, ERR_FORMAT, "not JSON at line %zu, column %zu: %s", line, column, language_said(what));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* cJSON fails alike for bad text and for lack of memory, of which malloc() leaves an errno. */
static void set_parse_error(struct err *err, const char *text, size_t length, const char *stop)
{
    if (errno == ENOMEM)
        err_set(err, ERR_NO_MEMORY, "cannot read the JSON document: out of memory");
    else
        set_mistake(err, text, stop != NULL ? (size_t)(stop - text) : length, "unexpected text, or the end is missing");
}

/* Where a number is that JSON does not write so, or U+0000, behind which the rest of a text would be lost: cJSON takes
 * both. */
static const char *find_taken(const char *text, const char *end)
{
    bool quoted = false;
    for (const char *p = text; p < end; p++) {
        if (*p == '"') {
            quoted = !quoted;
        } else if (quoted && *p == '\\') {
            if (end - p >= 6 && memcmp(p, "\\u0000", 6) == 0)
                return p;
            p++;
        } else if (!quoted && (*p == '-' || (*p >= '0' && *p <= '9'))) {
            const char *behind = number_decimal_end(p, end);
            if (behind == NULL || (behind < end && *behind >= '0' && *behind <= '9'))
                return p;
            p = behind - 1;
        } else if (*p == '\0') {
            return p;
        }
    }
    return end;
}

/* What malloc() takes for so many bytes: its own ones beside them, and in steps. */
static size_t allocated(size_t bytes)
{
    const size_t step = 2 * sizeof(size_t), own = sizeof(size_t), least = 2 * step;
    const size_t whole = (bytes + own + step - 1) / step * step;
    return whole > least ? whole : least;
}

/* Bytes that the parsed document takes at most: cJSON's allocator is one for the whole process, so they are counted
 * before. Every value but the first stands behind a bracket or a comma; every text has memory of its own. */
static size_t memory_of(const char *text, size_t length)
{
    const size_t value = allocated(sizeof(cJSON));
    size_t bytes = value, quote = 0;
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"') {
            bytes += quoted ? allocated(i - quote) : 0; /* with the NUL, without the quote */
            quoted = !quoted;
            quote = i;
        } else if (quoted) {
            i += text[i] == '\\';
        } else if (text[i] == ',' || text[i] == '[' || text[i] == '{') {
            bytes += value;
        }
    }
    return bytes;
}

/* A text of few bytes cannot exceed the limit: the costliest one is of commas. */
static bool exceeds_limit(const char *text, size_t length)
{
    return length >= JSON_MEMORY_LIMIT / allocated(sizeof(cJSON)) && memory_of(text, length) > JSON_MEMORY_LIMIT;
}

struct json *json_parse(const char *text, size_t length, struct err *err)
{
    static pthread_mutex_t parsing = PTHREAD_MUTEX_INITIALIZER; /* cJSON notes where it stopped in one place for all */
    if (exceeds_limit(text, length)) {
        err_set(err, ERR_LIMIT, "the JSON document has too many values: it needs more than %zu bytes of memory",
                JSON_MEMORY_LIMIT);
        return NULL;
    }
    pthread_mutex_lock(&parsing);
    struct json *root = json_parse_plainly(text, length, err);
    pthread_mutex_unlock(&parsing);
    return root;
}

struct json *json_parse_plainly(const char *text, size_t length, struct err *err)
{
    const char *stop = NULL;
    size_t start = 0;
    while (start < length && is_blank(text[start]))
        start++;
    if (start == length) {
        set_mistake(err, text, length, "nothing but whitespace");
        return NULL;
    }
    const char *taken = find_taken(text, text + length);
    if (taken < text + length) {
        set_mistake(err, text, (size_t)(taken - text), "not a JSON number, or a NUL in a string");
        return NULL;
    }
    errno = 0;
    cJSON *root = cJSON_ParseWithLengthOpts(text, length, &stop, false);
    if (root == NULL) {
        set_parse_error(err, text, length, stop);
        return NULL;
    }
    for (const char *p = stop; p < text + length; p++) {
        if (!is_blank(*p)) {
            set_mistake(err, text, (size_t)(p - text), "text after the end of the document");
            cJSON_Delete(root);
            return NULL;
        }
    }
    return (struct json *)root;
}

void json_free(struct json *root)
{
    cJSON_Delete((cJSON *)root);
}

bool json_is_object(const struct json *value)
{
    return cJSON_IsObject(unwrap(value));
}

bool json_is_array(const struct json *value)
{
    return cJSON_IsArray(unwrap(value));
}

const struct json *json_member(const struct json *value, const char *name)
{
    return json_is_object(value) ? wrap(cJSON_GetObjectItemCaseSensitive(unwrap(value), name)) : NULL;
}

const struct json *json_element(const struct json *array, size_t index)
{
    if (!json_is_array(array))
        return NULL;
    const struct json *element = json_first(array);
    while (element != NULL && index-- > 0)
        element = json_next(element);
    return element;
}

const struct json *json_first(const struct json *array_or_object)
{
    if (!json_is_array(array_or_object) && !json_is_object(array_or_object))
        return NULL;
    return wrap(unwrap(array_or_object)->child);
}

const struct json *json_next(const struct json *value)
{
    return value != NULL ? wrap(unwrap(value)->next) : NULL;
}

const char *json_key(const struct json *member)
{
    return member != NULL ? unwrap(member)->string : NULL;
}

const char *json_string(const struct json *value)
{
    return cJSON_GetStringValue(unwrap(value));
}

static bool integer_of_text(const char *text, int64_t *ret)
{
    int64_t magnitude;
    bool negative = text[0] == '-';
    text += negative;
    if (number_parse_integer(text, strlen(text), &magnitude) < 0)
        return false;
    *ret = negative ? -magnitude : magnitude;
    return true;
}

bool json_boolean(const struct json *value, bool *ret)
{
    if (!cJSON_IsBool(unwrap(value)))
        return false;
    *ret = cJSON_IsTrue(unwrap(value)) != 0;
    return true;
}

bool json_number(const struct json *value, double *ret)
{
    const cJSON *item = unwrap(value);
    if (!cJSON_IsNumber(item))
        return false;
    *ret = item->valuedouble;
    return true;
}

bool json_integer(const struct json *value, int64_t *ret)
{
    static const double limit = 9007199254740992.0; /* 2^53; 2^53 + 1 reads as this, too */
    const char *text = json_string(value);
    if (text != NULL)
        return integer_of_text(text, ret);
    if (!cJSON_IsNumber(unwrap(value)))
        return false;
    double number = unwrap(value)->valuedouble;
    if (!(number > -limit && number < limit) || number != (double)(int64_t)number)
        return false;
    *ret = (int64_t)number;
    return true;
}

struct library_version json_library(void)
{
    return (struct library_version){
        "cJSON", AS_TEXT(CJSON_VERSION_MAJOR) "." AS_TEXT(CJSON_VERSION_MINOR) "." AS_TEXT(CJSON_VERSION_PATCH),
        cJSON_Version()};
}
