/* SPDX-License-Identifier: Apache-2.0 */
#include "base/format/csv_in.h"

#include "base/file/fsutil.h"
#include "base/progress.h"
#include "base/strbuf.h"

#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_SIZE ((size_t)64 * 1024)

struct reading {
    int (*row)(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err);
    void *arg;
    struct strbuf text; /* the fields of the row, each with a NUL behind it */
    size_t starts[CSV_MAX_FIELDS];
    size_t count;
    uint64_t number;
    int status;
    struct err *err;
};

static void take_field(void *bytes, size_t length, void *arg)
{
    struct reading *reading = arg;
    if (reading->status < 0 || reading->count == CSV_MAX_FIELDS)
        return;
    size_t start = reading->text.length;
    reading->starts[reading->count++] = start;
    if (strbuf_add(&reading->text, bytes != NULL ? bytes : "", length) < 0 || strbuf_addc(&reading->text, '\0') < 0)
        reading->status = err_set(reading->err, ERR_LIMIT, "row %llu is longer than %zu bytes",
                                  (unsigned long long)reading->number + 1, CSV_ROW_LIMIT);
    /* A NUL would end the field: as another control character it is seen by who takes it. */
    for (char *nul; reading->status == 0 && (nul = memchr(reading->text.data + start, '\0', length)) != NULL;)
        *nul = '\1';
}

static void take_row(int end, void *arg)
{
    struct reading *reading = arg;
    const char *fields[CSV_MAX_FIELDS];
    (void)end;
    reading->number++;
    for (size_t i = 0; i < reading->count; i++)
        fields[i] = reading->text.data + reading->starts[i];
    if (reading->status == 0)
        reading->status = reading->row(reading->arg, fields, reading->count, reading->number, reading->err);
    strbuf_clear(&reading->text);
    reading->count = 0;
}

static int read_all(int fd, struct csv_parser *parser, struct reading *reading)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    char chunk[CHUNK_SIZE];
    bool first = true;
    ssize_t got;
    while (reading->status == 0 && (got = read(fd, chunk, sizeof chunk)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set_errno(reading->err, errno, "cannot read it");
        if (interrupted())
            return interrupt_error(reading->err);
        size_t skip = first && got >= 3 && memcmp(chunk, byte_order_mark, 3) == 0 ? 3 : 0, length = (size_t)got - skip;
        first = false;
        if (csv_parse(parser, chunk + skip, length, take_field, take_row, reading) != length && reading->status == 0)
            return err_set(reading->err, ERR_FORMAT, "not CSV after row %llu: %s", (unsigned long long)reading->number,
                           csv_strerror(csv_error(parser)));
    }
    if (reading->status == 0)
        csv_fini(parser, take_field, take_row, reading);
    return reading->status;
}

static int is_no_blank(unsigned char c)
{
    (void)c;
    return 0;
}

static int read_file(const char *path, struct reading *reading, bool exactly)
{
    struct err *err = reading->err;
    struct csv_parser parser;
    SCOPED_CLOSE int fd = path_open_regular(path, err);
    if (fd < 0)
        return fd;
    if (csv_init(&parser, CSV_APPEND_NULL) != 0)
        return err_no_memory(err);
    if (exactly)
        csv_set_space_func(&parser, is_no_blank);
    strbuf_init(&reading->text, CSV_ROW_LIMIT);
    int status = read_all(fd, &parser, reading);
    strbuf_release(&reading->text);
    csv_free(&parser);
    return status;
}

int csv_read(const char *path,
             int (*row)(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err),
             void *arg, struct err *err)
{
    struct reading reading = {.row = row, .arg = arg, .err = err};
    return read_file(path, &reading, false);
}

int csv_read_exactly(const char *path,
                     int (*row)(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err),
                     void *arg, struct err *err)
{
    struct reading reading = {.row = row, .arg = arg, .err = err};
    return read_file(path, &reading, true);
}

struct library_version csv_library(void)
{
    return (struct library_version){"libcsv", AS_TEXT(CSV_MAJOR) "." AS_TEXT(CSV_MINOR) "." AS_TEXT(CSV_RELEASE), NULL};
}
