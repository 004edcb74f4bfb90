/* SPDX-License-Identifier: Apache-2.0 */
#include "base/format/json_members.h"

#include "base/interrupt.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_SIZE ((size_t)64 * 1024)

enum expect { EXPECT_OBJECT, EXPECT_KEY, EXPECT_COLON, EXPECT_VALUE, EXPECT_COMMA, EXPECT_NOTHING };

struct reading {
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

static int mistake(const struct reading *reading, const char *expected, struct err *err)
{
    return err_set(err, ERR_FORMAT, "byte %llu: expected %s", reading->offset, expected);
}

static int end_key(struct reading *reading, struct err *err)
{
    struct json **place = &reading->keys[reading->level - 1];
    json_free(*place);
    *place = json_parse(reading->text.data, reading->text.length, err);
    strbuf_clear(&reading->text);
    reading->expect = EXPECT_COLON;
    return *place != NULL ? 0 : err_wrap(err, "the key before byte %llu", reading->offset);
}

static int end_value(struct reading *reading, struct err *err)
{
    const char *keys[JSON_MEMBER_DEPTH];
    int status = 0;
    if (reading->level == reading->wanted) {
        struct json *value = json_parse(reading->text.data, reading->text.length, err);
        for (unsigned i = 0; i < reading->wanted; i++)
            keys[i] = json_string(reading->keys[i]);
        status = value != NULL ? reading->member(reading->arg, keys, value, err)
                               : err_wrap(err, "the value before byte %llu", reading->offset);
        json_free(value);
    }
    strbuf_clear(&reading->text);
    reading->expect = EXPECT_COMMA;
    return status;
}

static int take(struct reading *reading, char c, struct err *err)
{
    if (strbuf_addc(&reading->text, c) < 0)
        return err_set(err, ERR_LIMIT, "the value before byte %llu is longer than %zu bytes", reading->offset,
                       JSON_MEMBER_LIMIT);
    return 0;
}

/* Inside a key or a value; scalars end before a comma, a bracket or a blank. */
static int take_inside(struct reading *reading, char c, bool *ret_again, struct err *err)
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

static void close_object(struct reading *reading)
{
    reading->level--;
    reading->expect = reading->level == 0 ? EXPECT_NOTHING : EXPECT_COMMA;
}

static int begin_value(struct reading *reading, char c, struct err *err)
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

static int take_structure(struct reading *reading, char c, struct err *err)
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

static int take_character(struct reading *reading, char c, struct err *err)
{
    if (reading->taking) {
        bool again = false;
        int status = take_inside(reading, c, &again, err);
        if (status < 0 || !again)
            return status;
    }
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' ? 0 : take_structure(reading, c, err);
}

static int read_all(int fd, struct reading *reading, struct err *err)
{
    char *chunk = malloc(CHUNK_SIZE);
    int status = chunk != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
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
    free(chunk);
    if (status == 0 && reading->expect != EXPECT_NOTHING)
        return err_set(err, ERR_FORMAT, "it ends inside the document, at byte %llu", reading->offset);
    return status;
}

int json_read_members(const char *path, unsigned depth,
                      int (*member)(void *arg, const char *const *keys, const struct json *value, struct err *err),
                      void *arg, struct err *err)
{
    struct reading reading = {.member = member, .arg = arg, .wanted = depth};
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    int status = 0;
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))
        status = err_set(err, ERR_FORMAT, "not a regular file");
    strbuf_init(&reading.text, JSON_MEMBER_LIMIT);
    if (status == 0)
        status = read_all(fd, &reading, err);
    for (unsigned i = 0; i < JSON_MEMBER_DEPTH; i++)
        json_free(reading.keys[i]);
    strbuf_release(&reading.text);
    close(fd);
    return status < 0 ? err_wrap(err, "cannot read '%s'", path) : 0;
}
