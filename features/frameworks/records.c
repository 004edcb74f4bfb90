/* SPDX-License-Identifier: Apache-2.0 */
#include "features/frameworks/records.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/progress.h"
#include "base/utf8.h"
#include "features/frameworks/framework.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files that were read to their end. Those of one directory are few. */

#define MOST_READ 256 /* files: older ones count as not read */

static struct {
    pthread_mutex_t lock;
    struct stat items[MOST_READ];
    size_t count;
} files_read = {.lock = PTHREAD_MUTEX_INITIALIZER};

void records_note_read(const struct stat *info)
{
    pthread_mutex_lock(&files_read.lock);
    files_read.items[files_read.count++ % MOST_READ] = *info;
    pthread_mutex_unlock(&files_read.lock);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool framework_file_was_read(const char *path)
{
    struct stat info;
    bool found = false;
    if (lstat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    pthread_mutex_lock(&files_read.lock);
    for (size_t i = 0; i < files_read.count && i < MOST_READ && !found; i++)
        found = is_same(&files_read.items[i], &info);
    pthread_mutex_unlock(&files_read.lock);
    return found;
}

struct reading {
    struct hashed_name *names;
    size_t count;
};

static uint64_t calculated(const char *name)
{
    uint32_t high = 0, low = 0;
    for (const unsigned char *p = (const unsigned char *)name; *p != '\0'; p++) {
        high = high * 29 + *p;
        low = low * 131 + *p;
    }
    return (uint64_t)high << 32 | low;
}

ARRAY_COMPARE(compare_names, struct hashed_name, ARRAY_BY_TEXT(name))

static int take_line(void *arg, const struct framework_line *line, struct err *err)
{
    const struct reading *reading = arg;
    const char *colon = strchr(line->text, ':');
    char *end;
    (void)err;
    if (colon == NULL)
        return 0; /* import has reported it */
    const struct hashed_name key = {colon + 1, 0};
    struct hashed_name *name = bsearch(&key, reading->names, reading->count, sizeof key, compare_names);
    uint64_t number = name != NULL ? strtoull(line->text, &end, 10) : 0;
    if (name != NULL && end == colon)
        name->number = number;
    return 0;
}

int records_hash_numbers(const char *prof, struct hashed_name *names, size_t count, struct diagnostics *diag,
                         struct err *err)
{
    struct reading reading = {names, count};
    SCOPED_FREE char *data = prof != NULL ? path_join(prof, "host/data") : NULL;
    SCOPED_DIRECTORY DIR *directory = data != NULL && count > 0 ? opendir(data) : NULL;
    int status = 0;
    if (prof != NULL && data == NULL)
        return err_no_memory(err);
    if (data != NULL && count > 0 && directory == NULL && errno != ENOENT)
        return err_set_errno(err, errno, "cannot read the directory '%s'", data);
    for (size_t i = 0; i < count; i++)
        names[i].number = calculated(names[i].name);
    for (struct dirent *entry;
         status == 0 && directory != NULL && (entry = path_next_entry(directory, data, &status, err)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (strstr(entry->d_name, ".hash_dic.") == NULL || dot == NULL || strcmp(dot, ".done") == 0)
            continue;
        status = framework_read_lines(data, entry->d_name, take_line, &reading, NULL, diag, err);
    }
    return status;
}

#define FRAMEWORK_LINE_LIMIT ((size_t)16 * 1024 * 1024) /* bytes */

/* -1: reported, or missing. */
static int open_regular(const char *path, const char *content, struct diagnostics *diag)
{
    const struct place place = {path, -1, -1, NULL};
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ELOOP)
        diag_report(diag, DIAG_FILE_TYPE, &place, "a symbolic link");
    else if (fd < 0 && errno != ENOENT)
        diag_report(diag, DIAG_FILE_UNREADABLE, &place, "%s", strerror(errno));
    if (fd < 0)
        return -1;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        diag_report(diag, DIAG_FILE_TYPE, &place, "not a regular file");
        close(fd);
        return -1;
    }
    if (info.st_size == 0)
        diag_report(diag, DIAG_FILE_EMPTY, &place, "0 bytes; expected %s", content);
    return fd;
}

#define HEAD_SIZE 6
#define FIRST_BUFFER ((size_t)256 * 1024)

struct stream {
    const char *path;
    int fd;
    unsigned char *buffer;
    size_t capacity, start, end; /* what was read and not taken; a byte behind it is free */
    int64_t offset;              /* in the file, of start */
    bool at_end;
};

static int stream_open(struct stream *stream, const char *path, const char *content, struct diagnostics *diag,
                       struct err *err)
{
    *stream = (struct stream){.path = path, .fd = open_regular(path, content, diag), .capacity = FIRST_BUFFER};
    if (stream->fd >= 0 && (stream->buffer = malloc(stream->capacity)) == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for '%s'", path);
    return 0;
}

static void stream_close(struct stream *stream)
{
    struct stat info;
    if (stream->fd >= 0 && stream->at_end && stream->start == stream->end && fstat(stream->fd, &info) == 0)
        records_note_read(&info);
    if (stream->fd >= 0)
        close(stream->fd);
    free(stream->buffer);
}

static int make_room(struct stream *stream, size_t length, struct err *err)
{
    memmove(stream->buffer, stream->buffer + stream->start, stream->end - stream->start);
    stream->end -= stream->start;
    stream->start = 0;
    if (length < stream->capacity)
        return 0;
    if (array_grow(&stream->buffer, &stream->capacity, stream->end, length - stream->end + 1, 1, err) < 0)
        return err_wrap(err, "a record of %zu bytes in '%s'", length, stream->path);
    return 0;
}

/* Reads until so many bytes are there, or the file ends. */
static int stream_need(struct stream *stream, size_t length, struct err *err)
{
    if (stream->end - stream->start >= length)
        return 0;
    if (interrupted())
        return interrupt_error(err);
    int status = make_room(stream, length, err);
    while (status == 0 && !stream->at_end && stream->end < length) {
        ssize_t got = read(stream->fd, stream->buffer + stream->end, stream->capacity - stream->end - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set_errno(err, errno, "cannot read '%s'", stream->path);
        stream->at_end = got == 0;
        stream->end += (size_t)got;
    }
    return status;
}

static void stream_pass(struct stream *stream, size_t length)
{
    stream->start += length;
    stream->offset += (int64_t)length;
}

static size_t left(const struct stream *stream)
{
    return stream->end - stream->start;
}

/* ---- lines ---- */

/* Reads on to the end of a line, whose bytes are *ret_length: those of a longer one than the limit are passed already.
 * *ret_there: there is one. */
static int next_line(struct stream *stream, size_t *ret_length, bool *ret_there, struct err *err)
{
    size_t seen = 0, passed = 0;
    const unsigned char *end = NULL;
    while (end == NULL) {
        if (left(stream) > seen)
            end = memchr(stream->buffer + stream->start + seen, '\n', left(stream) - seen);
        seen = end != NULL ? (size_t)(end - stream->buffer) - stream->start : left(stream);
        if (end != NULL)
            break;
        if (seen >= FRAMEWORK_LINE_LIMIT || passed > 0) {
            stream_pass(stream, seen);
            passed += seen;
            seen = 0;
        }
        if (stream_need(stream, seen + 1, err) < 0)
            return err_status(err);
        if (left(stream) == seen)
            break;
    }
    if (passed + seen >= FRAMEWORK_LINE_LIMIT)
        stream_pass(stream, seen);
    *ret_length = passed + seen;
    *ret_there = end != NULL || *ret_length > 0;
    return 0;
}

static int read_lines(struct stream *stream, int (*take)(void *arg, const struct framework_line *line, struct err *err),
                      void *arg, struct diagnostics *diag, struct err *err)
{
    size_t length = 0;
    bool there = true;
    int status = 0;
    for (uint64_t number = 1; status == 0; number++) {
        const struct place place = {stream->path, (int64_t)number, -1, NULL};
        if (next_line(stream, &length, &there, err) < 0)
            return err_status(err);
        if (!there)
            break;
        char *text = (char *)stream->buffer + stream->start;
        if (length >= FRAMEWORK_LINE_LIMIT || memchr(text, '\0', length) != NULL) {
            diag_report(diag, DIAG_TEXT_LINE, &place, "%zu bytes, or a NUL among them", length);
        } else {
            const size_t bytes = length - (length > 0 && text[length - 1] == '\r');
            const struct framework_line line = {stream->path, text, bytes, number};
            text[bytes] = '\0';
            framework_check_text(text, bytes, &place, diag);
            status = number % 4096 == 0 && interrupted() ? interrupt_error(err) : take(arg, &line, err);
        }
        const size_t whole = length < FRAMEWORK_LINE_LIMIT ? length + 1 : 1; /* the end of the line, too */
        stream_pass(stream, whole < left(stream) ? whole : left(stream));
    }
    return status;
}

int framework_read_lines(const char *directory, const char *name,
                         int (*take)(void *arg, const struct framework_line *line, struct err *err), void *arg,
                         bool *ret_found, struct diagnostics *diag, struct err *err)
{
    struct stream stream;
    SCOPED_FREE char *path = path_joined(directory, name, err);
    if (path == NULL)
        return err_status(err);
    int status = stream_open(&stream, path, "lines", diag, err);
    if (ret_found != NULL)
        *ret_found = stream.fd >= 0;
    if (status == 0 && stream.fd >= 0)
        status = read_lines(&stream, take, arg, diag, err);
    stream_close(&stream);
    return status;
}

/* ---- records ---- */

static void tell_cut(const struct stream *stream, uint64_t number, size_t wanted, struct diagnostics *diag)
{
    const struct place place = {stream->path, (int64_t)number, stream->offset, NULL};
    diag_report(diag, DIAG_RECORD_TRUNCATED, &place, "%zu bytes of %zu", left(stream), wanted);
}

/* Goes to where the file has data again, without reading what was never written. */
static int skip_hole(struct stream *stream, struct err *err)
{
    off_t next = lseek(stream->fd, (off_t)stream->offset, SEEK_DATA);
    if (next < 0 && errno == ENXIO)
        next = lseek(stream->fd, 0, SEEK_END);
    if (next < (off_t)stream->offset)
        next = (off_t)stream->offset;
    if (lseek(stream->fd, next, SEEK_SET) < 0)
        return err_set_errno(err, errno, "cannot read '%s'", stream->path);
    stream->offset = next;
    return 0;
}

static int go_back(struct stream *stream, size_t length, struct err *err)
{
    stream->offset -= (int64_t)length;
    stream->start = stream->end = 0;
    stream->at_end = false;
    return lseek(stream->fd, (off_t)stream->offset, SEEK_SET) >= 0
               ? 0
               : err_set_errno(err, errno, "cannot read '%s'", stream->path);
}

static size_t count_zeros(const struct stream *stream)
{
    size_t count = 0;
    while (count < left(stream) && stream->buffer[stream->start + count] == 0)
        count++;
    return count;
}

/* Zeros are no records: what a disk that was full or a machine that stopped leaves. Passes whole ones of this size. */
static int pass_zeros(struct stream *stream, size_t size, uint64_t number, struct diagnostics *diag, struct err *err)
{
    const struct place place = {stream->path, (int64_t)number, stream->offset, NULL};
    const int64_t begin = stream->offset;
    int status = 0;
    size_t zeros = 0;
    do {
        stream_pass(stream, zeros);
        if (left(stream) == 0 && !stream->at_end)
            status = skip_hole(stream, err);
        if (status == 0)
            status = stream_need(stream, 1, err);
        zeros = count_zeros(stream);
    } while (status == 0 && zeros > 0);
    if (status < 0)
        return status;
    size_t part = (size_t)(stream->offset - begin) % size; /* the zeros that the next record begins with */
    if (part > 0 && left(stream) > 0)
        status = go_back(stream, part, err);
    if (status < 0)
        return status;
    diag_report(diag, DIAG_RECORD_VALUE, &place, "%lld bytes of zeros", (long long)(stream->offset - begin));
    return 0;
}

void framework_report_length(const struct framework_record *record, size_t length, struct framework_lengths lengths,
                             struct diagnostics *diag)
{
    const struct place place = framework_place(record);
    diag_report(diag, DIAG_RECORD_LENGTH, &place, "%zu bytes; expected %s", length, lengths.text);
}

/* One record; *ret_end: there is no further one. */
static int take_tagged(struct stream *stream, struct framework_lengths lengths, uint64_t number, framework_take *take,
                       void *arg, bool *ret_end, struct diagnostics *diag, struct err *err)
{
    int status = stream_need(stream, HEAD_SIZE, err);
    *ret_end = true;
    if (status < 0 || left(stream) == 0)
        return status;
    if (left(stream) < HEAD_SIZE) {
        tell_cut(stream, number, HEAD_SIZE, diag);
        return 0;
    }
    size_t length = (size_t)bytes_load(stream->buffer + stream->start + 2, 4, false);
    const struct place place = {stream->path, (int64_t)number, stream->offset, NULL};
    if (length == 0 && bytes_load(stream->buffer + stream->start, 2, false) == 0) {
        *ret_end = false;
        return pass_zeros(stream, 1, number, diag, err);
    }
    if (length > FRAMEWORK_RECORD_LIMIT) {
        diag_report(diag, DIAG_RECORD_VALUE, &place,
                    "a record of %zu bytes; expected at most %zu: the rest of the file is skipped", length,
                    FRAMEWORK_RECORD_LIMIT);
        return 0;
    }
    status = stream_need(stream, HEAD_SIZE + length, err);
    if (status < 0)
        return status;
    if (left(stream) < HEAD_SIZE + length) {
        tell_cut(stream, number, HEAD_SIZE + length, diag);
        return 0;
    }
    *ret_end = false;
    const struct framework_record record = {
        {stream->buffer + stream->start + HEAD_SIZE, length}, stream->path, number, stream->offset};
    if (length >= lengths.least)
        status = take(arg, &record, err);
    else
        framework_report_length(&record, length, lengths, diag);
    stream_pass(stream, HEAD_SIZE + length);
    return status;
}

/* One of this size; *ret_end as take_tagged has it. */
static int take_plain(struct stream *stream, struct framework_lengths lengths, uint64_t number, framework_take *take,
                      void *arg, bool *ret_end, struct diagnostics *diag, struct err *err)
{
    const size_t size = lengths.least;
    int status = stream_need(stream, size, err);
    *ret_end = left(stream) < size;
    if (status == 0 && *ret_end && left(stream) > 0)
        tell_cut(stream, number, size, diag);
    if (status < 0 || *ret_end)
        return status;
    if (count_zeros(stream) >= size)
        return pass_zeros(stream, size, number, diag, err);
    const struct framework_record record = {
        {stream->buffer + stream->start, size}, stream->path, number, stream->offset};
    status = take(arg, &record, err);
    stream_pass(stream, size);
    return status;
}

static int read_records(const char *directory, const char *name, struct framework_lengths lengths, bool tagged,
                        framework_take *take, void *arg, struct diagnostics *diag, struct err *err)
{
    struct stream stream;
    SCOPED_FREE char *path = path_joined(directory, name, err);
    if (path == NULL)
        return err_status(err);
    int status = stream_open(&stream, path, "records", diag, err);
    bool end = stream.fd < 0;
    for (uint64_t number = 1; status == 0 && !end; number++)
        status = (tagged ? take_tagged : take_plain)(&stream, lengths, number, take, arg, &end, diag, err);
    stream_close(&stream);
    return status;
}

int framework_read_tagged(const char *directory, const char *name, struct framework_lengths lengths,
                          framework_take *take, void *arg, struct diagnostics *diag, struct err *err)
{
    return read_records(directory, name, lengths, true, take, arg, diag, err);
}

int framework_read_plain(const char *directory, const char *name, size_t size, framework_take *take, void *arg,
                         struct diagnostics *diag, struct err *err)
{
    const struct framework_lengths lengths = {size, NULL};
    return read_records(directory, name, lengths, false, take, arg, diag, err);
}

static bool is_utf8(const char *text, size_t length)
{
    while (length > 0) {
        size_t size = (unsigned char)*text < 0x80 ? 1 : utf8_character(text, length);
        if (size == 0)
            return false;
        text += size;
        length -= size;
    }
    return true;
}

void framework_check_text(const char *text, size_t length, const struct place *place, struct diagnostics *diag)
{
    size_t at = utf8_first_unsafe(text, length);
    while (at + 1 < length && text[at] == '\r' && text[at + 1] == '\n')
        at += 2 + utf8_first_unsafe(text + at + 2, length - at - 2);
    if (at < length)
        diag_report(diag, DIAG_TEXT_UNSAFE, place, "byte %zu of a text of %zu", at, length);
}

bool framework_texts_fit(const struct framework_record *record, size_t fixed, uint32_t *ret_types)
{
    const struct bytes *value = &record->value;
    size_t at = fixed;
    *ret_types = 0;
    while (at < value->length) {
        uint64_t type, length;
        if (!bytes_read(value, at, 2, false, &type) || !bytes_read(value, at + 2, 4, false, &length) || type >= 32 ||
            length > value->length - at - HEAD_SIZE)
            return false;
        *ret_types |= UINT32_C(1) << type;
        at += HEAD_SIZE + length;
    }
    return at == value->length;
}

void framework_read_texts(const struct framework_record *record, const struct framework_texts *where,
                          struct framework_text *texts, size_t count, struct diagnostics *diag)
{
    const struct bytes *value = &record->value;
    const struct place place = framework_place(record);
    uint32_t seen = 0;
    for (size_t i = 0; i < count; i++)
        texts[i] = (struct framework_text){NULL, 0};
    for (size_t at = where->fixed; at < value->length;) {
        uint64_t type, length;
        if (!bytes_read(value, at, 2, false, &type) || !bytes_read(value, at + 2, 4, false, &length) ||
            length > value->length - at - HEAD_SIZE) {
            diag_report(diag, DIAG_RECORD_TRUNCATED, &place, "the record's texts are truncated");
            return;
        }
        const char *text = (const char *)value->data + at + HEAD_SIZE;
        at += HEAD_SIZE + length;
        if (type < where->first || type - where->first >= where->known) {
            diag_report(diag, DIAG_RECORD_UNKNOWN, &place, "a text of type %u", (unsigned)type);
            continue;
        }
        const unsigned index = (unsigned)type - where->first;
        if ((seen & UINT32_C(1) << index) != 0)
            diag_report(diag, DIAG_RECORD_ODD, &place, "two texts of type %u; the last counts", (unsigned)type);
        seen |= UINT32_C(1) << index;
        if (index >= count)
            continue;
        bool safe = utf8_first_unsafe(text, length) == length, sound = safe || is_utf8(text, length);
        if (!sound)
            diag_report(diag, DIAG_RECORD_ODD, &place, "a text of type %u is not UTF-8; it is N/A", (unsigned)type);
        else if (!safe)
            framework_check_text(text, length, &place, diag);
        texts[index] = sound ? (struct framework_text){text, length} : (struct framework_text){"N/A", 3};
    }
}
