/* SPDX-License-Identifier: Apache-2.0 */
#include "base/format/json_pieces.h"

#include "base/file/fsutil.h"
#include "base/language.h"
#include "base/progress.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JSON_MEMBER_LIMIT ((size_t)16 * 1024 * 1024) /* bytes of one value */
#define JSON_MEMBER_DEPTH 4

#define CHUNK_SIZE ((size_t)64 * 1024)

enum expect { EXPECT_OBJECT, EXPECT_KEY, EXPECT_COLON, EXPECT_VALUE, EXPECT_COMMA, EXPECT_NOTHING };

struct object_reading {
    int (*member)(void *arg, const char *const *keys, const struct json *value, struct err *err);
    void *arg;
    unsigned wanted, level; /* objects open around what comes next */
    enum expect expect;
    struct json *keys[JSON_MEMBER_DEPTH]; /* parsed: they may hold escapes */
    struct strbuf text;                   /* of the key or value under way */
    bool taking, quoted, escaped;
    unsigned nested; /* brackets open inside the value */
    unsigned long long offset;
};

static int mistake(const struct object_reading *reading, const char *expected, struct err *err)
{
    return err_set(err, ERR_FORMAT, "byte %llu: expected %s", reading->offset, language_said(expected));
}

static int end_key(struct object_reading *reading, struct err *err)
{
    struct json **place = &reading->keys[reading->level - 1];
    json_free(*place);
    *place = json_parse(reading->text.data, reading->text.length, err);
    strbuf_clear(&reading->text);
    reading->expect = EXPECT_COLON;
    return *place != NULL ? 0 : err_wrap(err, "the key before byte %llu", reading->offset);
}

static int end_value(struct object_reading *reading, struct err *err)
{
    const char *keys[JSON_MEMBER_DEPTH];
    int status = 0;
    if (reading->level == reading->wanted) {
        SCOPED_JSON struct json *value = json_parse(reading->text.data, reading->text.length, err);
        for (unsigned i = 0; i < reading->wanted; i++)
            keys[i] = json_string(reading->keys[i]);
        status = value != NULL ? reading->member(reading->arg, keys, value, err)
                               : err_wrap(err, "the value before byte %llu", reading->offset);
    }
    strbuf_clear(&reading->text);
    reading->expect = EXPECT_COMMA;
    return status;
}

static int take(struct object_reading *reading, char c, struct err *err)
{
    if (strbuf_addc(&reading->text, c) < 0)
        return err_set(err, ERR_LIMIT, "the value before byte %llu is longer than %zu bytes", reading->offset,
                       JSON_MEMBER_LIMIT);
    return 0;
}

/* Inside a key or a value; scalars end before a comma, a bracket or a blank. */
static int take_inside(struct object_reading *reading, char c, bool *ret_again, struct err *err)
{
    bool ended = false;
    if (reading->quoted) {
        reading->quoted = reading->escaped || c != '"';
        reading->escaped = !reading->escaped && c == '\\';
        ended = !reading->quoted && reading->nested == 0;
    } else if (c == '"') {
        reading->quoted = true;
    } else if (c == '{' || c == '[') {
        reading->nested++;
    } else if (reading->nested > 0) {
        ended = (c == '}' || c == ']') && --reading->nested == 0;
    } else if (strchr(",}] \t\r\n", c) != NULL) {
        *ret_again = true;
    }
    int status = *ret_again ? 0 : take(reading, c, err);
    if (status < 0 || !(ended || *ret_again))
        return status;
    reading->taking = false;
    return reading->expect == EXPECT_KEY ? end_key(reading, err) : end_value(reading, err);
}

static void close_object(struct object_reading *reading)
{
    reading->level--;
    reading->expect = reading->level == 0 ? EXPECT_NOTHING : EXPECT_COMMA;
}

static int begin_value(struct object_reading *reading, char c, struct err *err)
{
    bool again = false;
    if (c == '{' && reading->level < reading->wanted) {
        reading->level++;
        reading->expect = EXPECT_KEY;
        return 0;
    }
    reading->taking = true;
    return take_inside(reading, c, &again, err);
}

static int take_structure(struct object_reading *reading, char c, struct err *err)
{
    bool again = false;
    switch (reading->expect) {
    case EXPECT_OBJECT:
        if (c != '{')
            return mistake(reading, "'{'", err);
        reading->level = 1;
        reading->expect = EXPECT_KEY;
        return 0;
    case EXPECT_KEY:
        if (c == '}') {
            close_object(reading);
            return 0;
        }
        if (c != '"')
            return mistake(reading, "a key in quotes", err);
        reading->taking = true;
        return take_inside(reading, c, &again, err);
    case EXPECT_COLON:
        reading->expect = EXPECT_VALUE;
        return c == ':' ? 0 : mistake(reading, "':'", err);
    case EXPECT_VALUE:
        return begin_value(reading, c, err);
    case EXPECT_COMMA:
        if (c == '}')
            close_object(reading);
        else if (c == ',')
            reading->expect = EXPECT_KEY;
        else
            return mistake(reading, "',' or '}'", err);
        return 0;
    default:
        return mistake(reading, "the end of the file", err);
    }
}

static int take_character(struct object_reading *reading, char c, struct err *err)
{
    if (reading->taking) {
        bool again = false;
        int status = take_inside(reading, c, &again, err);
        if (status < 0 || !again)
            return status;
    }
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' ? 0 : take_structure(reading, c, err);
}

static int read_object(int fd, struct object_reading *reading, struct err *err)
{
    SCOPED_FREE char *chunk = scoped_memory(CHUNK_SIZE, 1);
    int status = chunk != NULL ? 0 : err_no_memory(err);
    while (status == 0) {
        ssize_t got = read(fd, chunk, CHUNK_SIZE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = err_set_errno(err, errno, "cannot read it");
        if (got <= 0)
            break;
        if (interrupted())
            status = interrupt_error(err);
        for (ssize_t i = 0; i < got && status == 0; i++, reading->offset++)
            status = take_character(reading, chunk[i], err);
    }
    if (status == 0 && reading->expect != EXPECT_NOTHING)
        return err_set(err, ERR_FORMAT, "it ends inside the document, at byte %llu", reading->offset);
    return status;
}

int json_read_members(const char *path, unsigned depth,
                      int (*member)(void *arg, const char *const *keys, const struct json *value, struct err *err),
                      void *arg, struct err *err)
{
    struct object_reading reading = {.member = member, .arg = arg, .wanted = depth};
    struct stat info;
    SCOPED_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    int status = 0;
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))
        status = err_set(err, ERR_FORMAT, "not a regular file");
    strbuf_init(&reading.text, JSON_MEMBER_LIMIT);
    if (status == 0)
        status = read_object(fd, &reading, err);
    for (unsigned i = 0; i < JSON_MEMBER_DEPTH; i++)
        json_free(reading.keys[i]);
    strbuf_release(&reading.text);
    return status < 0 ? err_wrap(err, "cannot read '%s'", path) : 0;
}

#define JSON_ROW_LIMIT ((size_t)16 * 1024 * 1024) /* bytes of one element */

struct array_reading {
    int (*row)(void *arg, const struct json *object, uint64_t number, struct err *err);
    void *arg;
    struct strbuf text; /* of the element so far */
    unsigned depth;     /* of brackets inside the element */
    bool in_array, ended, quoted, escaped;
    uint64_t number;
};

static int end_element(struct array_reading *reading, struct err *err)
{
    SCOPED_JSON struct json *object = json_parse(reading->text.data, reading->text.length, err);
    reading->number++;
    if (object == NULL)
        return err_wrap(err, "element %llu", (unsigned long long)reading->number);
    int status = json_is_object(object) ? reading->row(reading->arg, object, reading->number, err) : 0;
    strbuf_clear(&reading->text);
    return status;
}

/* The characters of an element from at on: how many of them up to its end, or to the end of the chunk. Changes the
 * depth to 0 at its end. */
static size_t span_inside(struct array_reading *reading, const char *at, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = at[i];
        if (reading->quoted) {
            reading->quoted = reading->escaped || c != '"';
            reading->escaped = !reading->escaped && c == '\\';
        } else if (c == '"') {
            reading->quoted = true;
        } else if (c == '{' || c == '[') {
            reading->depth++;
        } else if ((c == '}' || c == ']') && --reading->depth == 0) {
            return i + 1;
        }
    }
    return length;
}

static int take_element(struct array_reading *reading, const char *at, size_t length, size_t *ret_taken,
                        struct err *err)
{
    *ret_taken = span_inside(reading, at, length);
    if (strbuf_add(&reading->text, at, *ret_taken) < 0)
        return err_set(err, ERR_LIMIT, "element %llu is longer than %zu bytes", (unsigned long long)reading->number + 1,
                       JSON_ROW_LIMIT);
    return reading->depth == 0 ? end_element(reading, err) : 0;
}

static int take_chunk(struct array_reading *reading, const char *chunk, size_t length, struct err *err)
{
    int status = 0;
    for (size_t i = 0, taken = 1; i < length && status == 0 && !reading->ended; i += taken) {
        char c = chunk[i];
        taken = 1;
        if (reading->depth > 0 || (reading->in_array && (c == '{' || c == '[')))
            status = take_element(reading, chunk + i, length - i, &taken, err);
        else if (!reading->in_array)
            reading->in_array = c == '[';
        else
            reading->ended = c == ']';
    }
    return status;
}

static int read_elements(int fd, struct array_reading *reading, struct err *err)
{
    char chunk[CHUNK_SIZE];
    ssize_t got;
    int status = 0;
    while (status == 0 && !reading->ended && (got = read(fd, chunk, sizeof chunk)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set_errno(err, errno, "cannot read it");
        if (interrupted())
            return interrupt_error(err);
        status = take_chunk(reading, chunk, (size_t)got, err);
    }
    if (status == 0 && !reading->ended)
        return err_set(err, ERR_FORMAT, "%s after element %llu; expected a JSON array of objects",
                       reading->in_array ? "it ends" : "no array", (unsigned long long)reading->number);
    return status;
}

int json_read_rows(const char *path, int (*row)(void *arg, const struct json *object, uint64_t number, struct err *err),
                   void *arg, struct err *err)
{
    struct array_reading reading = {.row = row, .arg = arg};
    SCOPED_CLOSE int fd = path_open_regular(path, err);
    if (fd < 0)
        return fd;
    strbuf_init(&reading.text, JSON_ROW_LIMIT);
    int status = read_elements(fd, &reading, err);
    strbuf_release(&reading.text);
    return status;
}
