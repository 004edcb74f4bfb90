/* SPDX-License-Identifier: Apache-2.0 */
#include "base/format/json_rows.h"

#include "base/interrupt.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_SIZE ((size_t)64 * 1024)

struct reading {
    int (*row)(void *arg, const struct json *object, uint64_t number, struct err *err);
    void *arg;
    struct strbuf text; /* of the element so far */
    unsigned depth;     /* of brackets inside the element */
    bool in_array, ended, quoted, escaped;
    uint64_t number;
};

static int end_element(struct reading *reading, struct err *err)
{
    struct json *object = json_parse(reading->text.data, reading->text.length, err);
    reading->number++;
    if (object == NULL)
        return err_wrap(err, "element %llu", (unsigned long long)reading->number);
    int status = json_is_object(object) ? reading->row(reading->arg, object, reading->number, err) : 0;
    json_free(object);
    strbuf_clear(&reading->text);
    return status;
}

/* The characters of an element from at on: how many of them up to its end, or to the end of the chunk. Changes the
 * depth to 0 at its end. */
static size_t span_inside(struct reading *reading, const char *at, size_t length)
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

static int take_inside(struct reading *reading, const char *at, size_t length, size_t *ret_taken, struct err *err)
{
    *ret_taken = span_inside(reading, at, length);
    if (strbuf_add(&reading->text, at, *ret_taken) < 0)
        return err_set(err, ERR_LIMIT, "element %llu is longer than %zu bytes", (unsigned long long)reading->number + 1,
                       JSON_ROW_LIMIT);
    return reading->depth == 0 ? end_element(reading, err) : 0;
}

static int take_chunk(struct reading *reading, const char *chunk, size_t length, struct err *err)
{
    int status = 0;
    for (size_t i = 0, taken = 1; i < length && status == 0 && !reading->ended; i += taken) {
        char c = chunk[i];
        taken = 1;
        if (reading->depth > 0 || (reading->in_array && (c == '{' || c == '[')))
            status = take_inside(reading, chunk + i, length - i, &taken, err);
        else if (!reading->in_array)
            reading->in_array = c == '[';
        else
            reading->ended = c == ']';
    }
    return status;
}

static int read_all(int fd, struct reading *reading, struct err *err)
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
    struct reading reading = {.row = row, .arg = arg};
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open it");
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return err_set(err, ERR_FORMAT, "not a regular file");
    }
    strbuf_init(&reading.text, JSON_ROW_LIMIT);
    int status = read_all(fd, &reading, err);
    strbuf_release(&reading.text);
    close(fd);
    return status;
}
