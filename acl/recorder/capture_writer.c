/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/capture_writer.h"

#include "acl/recorder/capture_config.h"
#include "base/file/fsutil.h"
#include "base/number.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define HIGH_DESCRIPTOR 200 /* out of the way of programs that count on the lowest ones */
#define CONFIG_TEXT_MAX ((size_t)64 * 1024)

/* ---- names ---- */

static const char *stream_stem(const struct capture_writer *writer, enum capture_stream stream)
{
    static const char *const stems[STREAM_COUNT] = {
        [STREAM_CALLS] = "unaging.api_event.data",           [STREAM_TX] = "unaging.additional.msproftx",
        [STREAM_HEAPS] = "unaging.additional.mstx_memory",   [STREAM_TYPE_NAMES] = "unaging.additional.type_info_dic",
        [STREAM_TEXT_NAMES] = "unaging.additional.hash_dic",
    };
    return writer->form == RECORDER_JOB && stream == STREAM_CALLS ? "AclModule" : stems[stream];
}

/* Whether the form has such files. */
static bool has_stream(const struct capture_writer *writer, enum capture_stream stream)
{
    return writer->form == RECORDER_PROF || stream == STREAM_CALLS;
}

/* Puts a path together where nothing may be allocated. */
struct path {
    char text[PATH_MAX];
    size_t length;
};

static void path_add(struct path *path, const char *text)
{
    size_t length = strlen(text);
    if (length >= sizeof path->text - path->length)
        length = sizeof path->text - path->length - 1;
    memcpy(path->text + path->length, text, length);
    path->length += length;
    path->text[path->length] = '\0';
}

static void slice_path(const struct capture_writer *writer, enum capture_stream stream, unsigned slice,
                       const char *suffix, struct path *ret)
{
    char number[NUMBER_MAX];
    *number_put_unsigned(number, slice) = '\0';
    ret->length = 0;
    path_add(ret, writer->data);
    path_add(ret, "/");
    path_add(ret, stream_stem(writer, stream));
    if (writer->form == RECORDER_JOB) {
        path_add(ret, ".");
        path_add(ret, writer->device);
    }
    path_add(ret, ".slice_");
    path_add(ret, number);
    path_add(ret, suffix);
}

/* ---- writing ---- */

/* A write beyond RLIMIT_FSIZE raises a signal too, which is not the program's affair. Signals are blocked here. */
static void take_file_size_signal(void)
{
    const struct timespec at_once = {0, 0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    sigtimedwait(&set, NULL, &at_once);
}

/* Returns how many bytes were written; errno says why not all. */
static size_t write_at(int fd, const char *bytes, size_t length, uint64_t offset)
{
    size_t done = 0;
    while (done < length) {
        ssize_t count = pwrite(fd, bytes + done, length - done, (off_t)(offset + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            int failure = count == 0 ? ENOSPC : errno;
            if (failure == EFBIG)
                take_file_size_signal();
            errno = failure;
            break;
        }
        done += (size_t)count;
    }
    return done;
}

/* The first failure of the system is reported before others. */
static void note_failure(struct capture_writer *writer, int failure)
{
    if (writer->losses.failure == 0 || (writer->losses.failure < 0 && failure > 0))
        writer->losses.failure = failure != 0 ? failure : EIO;
}

/* Names of texts are not counted: what they name is shown as numbers. */
static void note_lost(struct capture_writer *writer, enum capture_stream stream, uint64_t records)
{
    if (stream == STREAM_CALLS)
        writer->losses.calls += records;
    else if (stream == STREAM_TX || stream == STREAM_HEAPS)
        writer->losses.tx += records;
}

void capture_writer_lose(struct capture_writer *writer, enum capture_stream stream, int failure)
{
    if (!has_stream(writer, stream))
        return;
    note_lost(writer, stream, 1);
    note_failure(writer, failure);
}

/* ---- opening ---- */

static bool is_same_file(int fd, dev_t device, ino_t inode)
{
    struct stat info;
    return fd >= 0 && fstat(fd, &info) == 0 && info.st_dev == device && info.st_ino == inode;
}

/* The name of a file of the capture for a system call: below the directory that is kept open, for a process that
 * changed its root, or absolute. */
struct place_of_file {
    int directory;
    const char *name;
};

static struct place_of_file find_place(const struct capture_writer *writer, const char *path)
{
    if (is_same_file(writer->kept.fd, writer->kept.device, writer->kept.inode))
        return (struct place_of_file){writer->kept.fd, path + strlen(writer->data) - strlen("data")};
    return (struct place_of_file){AT_FDCWD, path};
}

/* Closes a descriptor that is not needed just now, for a process that has no other left. */
static bool spare_descriptor(struct capture_writer *writer, const struct slice_stream *wanted)
{
    for (int i = 0; i < STREAM_COUNT; i++) {
        struct slice_stream *slices = &writer->streams[i];
        if (slices == wanted || !is_same_file(slices->fd, slices->device, slices->inode))
            continue;
        close(slices->fd);
        slices->fd = -1; /* it is opened again by its name */
        return true;
    }
    return false;
}

/* A file of the capture for writing; -1 with errno. */
static int open_file(struct capture_writer *writer, const struct slice_stream *wanted, const char *path, int flags)
{
    int fd;
    do {
        struct place_of_file place = find_place(writer, path);
        fd = openat(place.directory, place.name, flags | O_CLOEXEC | O_NOFOLLOW, 0640);
    } while (fd < 0 && (errno == EMFILE || errno == ENFILE) && spare_descriptor(writer, wanted));
    return fd;
}

static void remove_file(const struct capture_writer *writer, const char *path)
{
    struct place_of_file place = find_place(writer, path);
    unlinkat(place.directory, place.name, 0);
}

/* Whole or not at all: written under another name first. Returns 0 or the errno. */
static int put_file(struct capture_writer *writer, const char *path, const char *text, size_t length)
{
    struct path temporary = {.length = 0};
    const char *name = path_name(path);
    path_add(&temporary, path);
    temporary.length = (size_t)(name - path);
    path_add(&temporary, ".");
    path_add(&temporary, name);
    path_add(&temporary, ".tmp");
    int fd = open_file(writer, NULL, temporary.text, O_WRONLY | O_CREAT | O_TRUNC), failure = 0;
    if (fd < 0)
        return errno;
    struct place_of_file from = find_place(writer, temporary.text), to = find_place(writer, path);
    if (write_at(fd, text, length, 0) != length)
        failure = errno;
    if (close(fd) != 0 && failure == 0)
        failure = errno;
    if (failure == 0 && renameat(from.directory, from.name, to.directory, to.name) != 0)
        failure = errno;
    if (failure != 0)
        remove_file(writer, temporary.text);
    return failure;
}

static size_t done_text(char text[128], uint64_t size, int64_t begin_ns, int64_t end_ns)
{
    static const char begin[] = "\nstarttime:", end[] = "\nendtime  :", head[] = "filesize:";
    char *p = text;
    memcpy(p, head, sizeof head - 1);
    p = number_put_unsigned(p + sizeof head - 1, size);
    memcpy(p, begin, sizeof begin - 1);
    p = number_put_signed(p + sizeof begin - 1, begin_ns);
    memcpy(p, end, sizeof end - 1);
    p = number_put_signed(p + sizeof end - 1, end_ns);
    *p++ = '\n';
    return (size_t)(p - text);
}

/* ---- slices ---- */

/* A slice without one is whole all the same. */
static void write_done(struct capture_writer *writer, enum capture_stream stream)
{
    const struct slice_stream *slices = &writer->streams[stream];
    struct path path;
    char text[128];
    slice_path(writer, stream, slices->current, ".done", &path);
    size_t length = done_text(text, slices->size, slices->begin_ns, recorder_now());
    writer->streams[stream].done = put_file(writer, path.text, text, length) == 0;
}

/* A slice that grows after all has none until it has one that is right: the process may be gone before that. */
static void remove_done(struct capture_writer *writer, enum capture_stream stream)
{
    struct path path;
    slice_path(writer, stream, writer->streams[stream].current, ".done", &path);
    remove_file(writer, path.text);
    writer->streams[stream].done = false;
}

/* Before a new slice could take the data over the limit, the oldest finished ones go, of the stream that has most. */
static void respect_limit(struct capture_writer *writer)
{
    while (writer->storage_limit != 0 && writer->stored + CAPTURE_SLICE_MAX > writer->storage_limit) {
        enum capture_stream most = STREAM_CALLS;
        for (int i = STREAM_CALLS; i < STREAM_RECORD_COUNT; i++)
            if (writer->streams[i].current - writer->streams[i].first >
                writer->streams[most].current - writer->streams[most].first)
                most = (enum capture_stream)i;
        struct slice_stream *slices = &writer->streams[most];
        struct path path;
        struct stat info;
        if (slices->first == slices->current)
            return;
        slice_path(writer, most, slices->first, ".done", &path);
        remove_file(writer, path.text);
        slice_path(writer, most, slices->first++, "", &path);
        struct place_of_file place = find_place(writer, path.text);
        if (fstatat(place.directory, place.name, &info, 0) == 0) {
            uint64_t records = (uint64_t)info.st_size / slices->record_size;
            slices->records -= records < slices->records ? records : slices->records;
            writer->stored -= (uint64_t)info.st_size < writer->stored ? (uint64_t)info.st_size : writer->stored;
        }
        remove_file(writer, path.text);
    }
}

/* Moves the file to a high number, where there is one. */
static int move_high(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (high >= 0)
        close(fd);
    return high >= 0 ? high : fd;
}

static int remember_file(struct slice_stream *slices, int fd)
{
    struct stat info;
    fd = move_high(fd);
    if (fstat(fd, &info) != 0) {
        int failure = errno;
        close(fd);
        return failure;
    }
    slices->fd = fd;
    slices->device = info.st_dev;
    slices->inode = info.st_ino;
    return 0;
}

/* Programs close descriptors that they do not know, and get the same numbers for files of their own. */
static bool is_our_file(const struct slice_stream *slices)
{
    return is_same_file(slices->fd, slices->device, slices->inode);
}

static int start_slice(struct capture_writer *writer, enum capture_stream stream, unsigned number)
{
    struct slice_stream *slices = &writer->streams[stream];
    struct path path;
    slice_path(writer, stream, number, "", &path);
    int fd = open_file(writer, slices, path.text, O_WRONLY | O_CREAT | O_EXCL);
    if (fd < 0)
        return errno;
    if (is_our_file(slices))
        close(slices->fd);
    int failure = remember_file(slices, fd);
    if (failure != 0)
        return failure;
    slices->current = number;
    slices->started = true;
    slices->done = false;
    slices->size = 0;
    slices->begin_ns = recorder_now();
    return 0;
}

/* Whether somebody removed our file: what goes into it now is seen by nobody. */
static bool is_removed(const struct slice_stream *slices)
{
    struct stat info;
    return fstat(slices->fd, &info) == 0 && info.st_nlink == 0;
}

/* So that writes go only where they belong. Returns 0 or the errno. */
static int check_file(struct capture_writer *writer, enum capture_stream stream)
{
    struct slice_stream *slices = &writer->streams[stream];
    struct path path;
    if (is_our_file(slices) && !is_removed(slices))
        return 0;
    if (is_our_file(slices))
        close(slices->fd);
    slices->fd = -1;
    slice_path(writer, stream, slices->current, "", &path);
    int fd = open_file(writer, slices, path.text, O_WRONLY);
    if (fd >= 0)
        return remember_file(slices, fd);
    int failure = errno;
    if (failure == ENOENT) { /* gone, and the slices before it with it */
        note_lost(writer, stream, slices->records);
        slices->records = 0;
    }
    return failure;
}

static bool is_full(const struct slice_stream *slices)
{
    return slices->size + slices->record_size > CAPTURE_SLICE_MAX;
}

/* Makes the current slice one that has room. A process that can make no file any more goes on with the one that it has.
 * Returns 0 or the errno. */
static int make_room(struct capture_writer *writer, enum capture_stream stream)
{
    struct slice_stream *slices = &writer->streams[stream];
    if (!slices->started)
        return start_slice(writer, stream, 0);
    int failure = check_file(writer, stream);
    if (failure != 0 || !is_full(slices))
        return failure;
    const struct slice_stream full = *slices;
    failure = start_slice(writer, stream, slices->current + 1);
    if (failure != 0)
        return writer->storage_limit == 0 || writer->stored < writer->storage_limit ? 0 : failure;
    const struct slice_stream next = *slices;
    *slices = full;
    write_done(writer, stream);
    *slices = next;
    respect_limit(writer);
    return 0;
}

static void flush_stream(struct capture_writer *writer, enum capture_stream stream)
{
    struct slice_stream *slices = &writer->streams[stream];
    size_t done = 0;
    while (done < slices->staged_size) {
        int failure = make_room(writer, stream);
        if (failure != 0) {
            note_failure(writer, failure);
            break;
        }
        if (slices->done)
            remove_done(writer, stream);
        size_t room = is_full(slices) ? CAPTURE_STAGE_SIZE : CAPTURE_SLICE_MAX - (size_t)slices->size;
        size_t length = slices->staged_size - done;
        room -= room % slices->record_size;
        if (length > room)
            length = room;
        size_t written = write_at(slices->fd, writer->staged[stream] + done, length, slices->size);
        failure = written < length ? errno : 0;
        written -= written % slices->record_size;
        slices->size += written;
        slices->records += written / slices->record_size;
        writer->stored += written;
        done += written;
        if (failure != 0) {
            note_failure(writer, failure);
            if (ftruncate(slices->fd, (off_t)slices->size) != 0) /* else import reports the cut record */
                note_failure(writer, errno);
            break;
        }
    }
    note_lost(writer, stream, (slices->staged_size - done) / slices->record_size);
    slices->staged_size = 0;
}

/* The directory of the files about the whole, the parent of the data; or such a file, which JOB captures number by
 * device. */
static void config_path(const struct capture_writer *writer, const char *name, struct path *ret)
{
    ret->length = 0;
    path_add(ret, writer->data);
    ret->length -= strlen("/data");
    ret->text[ret->length] = '\0';
    if (name == NULL)
        return;
    path_add(ret, "/");
    path_add(ret, name);
    if (writer->form == RECORDER_JOB && strcmp(name, "sample.json") != 0) {
        path_add(ret, ".");
        path_add(ret, writer->device);
    }
}

/* Over what the file says, in place; where it cannot be opened any more through the memory that it is mapped to, which
 * a file that was cut in the meantime would end the process for. */
static void write_losses(struct capture_writer *writer)
{
    struct path path;
    char text[LOSSES_SIZE];
    if (losses_equal(&writer->losses, &writer->told))
        return;
    config_path(writer, LOSSES_FILE, &path);
    losses_text(&writer->losses, text);
    SCOPED_CLOSE int fd = open_file(writer, NULL, path.text, O_WRONLY);
    bool written = fd >= 0 && write_at(fd, text, sizeof text, 0) == sizeof text;
    if (fd < 0 && writer->losses_map != NULL) {
        memcpy(writer->losses_map, text, sizeof text);
        written = true;
    }
    if (written)
        writer->told = writer->losses;
}

/* Names before what they are the names of: a process can be killed in between. */
void capture_writer_flush(struct capture_writer *writer)
{
    for (int i = STREAM_COUNT; i-- > 0;) {
        if (writer->streams[i].staged_size == 0)
            continue;
        writer->losses.ended = writer->at_once;
        flush_stream(writer, (enum capture_stream)i);
    }
    write_losses(writer);
}

void capture_writer_add(struct capture_writer *writer, enum capture_stream stream, const void *records, size_t length)
{
    struct slice_stream *slices = &writer->streams[stream];
    const char *bytes = records;
    if (!has_stream(writer, stream))
        return;
    while (length > 0) {
        size_t capacity = CAPTURE_STAGE_SIZE - CAPTURE_STAGE_SIZE % slices->record_size;
        size_t part = length < capacity - slices->staged_size ? length : capacity - slices->staged_size;
        memcpy(writer->staged[stream] + slices->staged_size, bytes, part);
        slices->staged_size += part;
        bytes += part;
        length -= part;
        if (slices->staged_size == capacity)
            capture_writer_flush(writer);
    }
}

/* ---- begin and end of the capture ---- */

static int put_config(struct capture_writer *writer, const char *name, const char *text, size_t length)
{
    struct path path;
    char done[128];
    config_path(writer, name, &path);
    int failure = put_file(writer, path.text, text, length);
    if (failure != 0 || writer->form == RECORDER_JOB)
        return failure;
    path_add(&path, ".done");
    int64_t now = recorder_now();
    return put_file(writer, path.text, done, done_text(done, length, now, now));
}

/* A stream that was opened at the start and had nothing to say leaves no file. */
static void drop_empty(struct capture_writer *writer, enum capture_stream stream)
{
    struct slice_stream *slices = &writer->streams[stream];
    struct path path;
    slice_path(writer, stream, slices->current, "", &path);
    if (is_our_file(slices))
        close(slices->fd);
    remove_file(writer, path.text);
    *slices = (struct slice_stream){.record_size = slices->record_size, .fd = -1};
}

/* The mark of the end is for other tools: a process that may not make files any more loses nothing without it. */
void capture_writer_finish(struct capture_writer *writer)
{
    char text[END_INFO_SIZE];
    capture_writer_flush(writer);
    for (int i = 0; i < STREAM_COUNT; i++) {
        struct slice_stream *slices = &writer->streams[i];
        if (!slices->started)
            continue;
        if (slices->size == 0 && slices->current == 0)
            drop_empty(writer, (enum capture_stream)i);
        else if (check_file(writer, (enum capture_stream)i) == ENOENT)
            note_failure(writer, ENOENT);
        else
            write_done(writer, (enum capture_stream)i);
    }
    struct clock_pair end = clock_pair_read();
    put_config(writer, "end_info", text, capture_end_info(text, &end, writer->utc_offset));
    writer->losses.ended = true;
    write_losses(writer);
}

/* While there is room for it. */
static int put_losses(struct capture_writer *writer, struct err *err)
{
    struct path path;
    char text[LOSSES_SIZE];
    config_path(writer, LOSSES_FILE, &path);
    losses_text(&writer->losses, text);
    int failure = put_file(writer, path.text, text, sizeof text);
    if (failure != 0)
        return err_set_errno(err, failure, "cannot write '%s' in '%s'", path_name(path.text), writer->directory);
    SCOPED_CLOSE int fd = open_file(writer, NULL, path.text, O_RDWR);
    void *map = fd >= 0 ? mmap(NULL, LOSSES_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    writer->losses_map = map != MAP_FAILED ? map : NULL;
    return 0;
}

static int write_start(struct capture_writer *writer, const struct recorder_options *options,
                       const struct clock_pair *start, struct err *err)
{
    static const char *const names[] = {"info.json", "sample.json", "start_info", "host_start.log"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        SCOPED(strbuf_release) struct strbuf buf;
        strbuf_init(&buf, CONFIG_TEXT_MAX);
        if (i == 0)
            capture_info_json(&buf, options);
        else if (i == 1)
            capture_sample_json(&buf, options, writer->directory);
        else if (i == 2)
            capture_start_info(&buf, start, writer->utc_offset);
        else
            capture_host_start_log(&buf, options, start);
        int failure = buf.failed ? ENOMEM : put_config(writer, names[i], buf.data, buf.length);
        if (failure != 0)
            return err_set_errno(err, failure, "cannot write '%s' in '%s'", names[i], writer->directory);
    }
    return put_losses(writer, err);
}

static void add_letters(struct path *path, size_t count, unsigned letters)
{
    unsigned char random[32];
    char text[33];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        for (size_t i = 0; i < sizeof random; i++)
            random[i] = (unsigned char)((uint64_t)recorder_now() >> (i % 24));
    for (size_t i = 0; i < count; i++)
        text[i] = (char)('A' + random[i] % letters);
    text[count] = '\0';
    path_add(path, text);
}

/* PROF_<index>_<time>_<process><8 letters>, or JOB<29 letters> (docs/formats/acl-api.md B4, docs/formats/svp.md 1). */
static void make_name(struct path *path, const struct capture_writer *writer, unsigned index, int64_t unix_ns)
{
    char date[DATE_TEXT_SIZE], text[64];
    if (writer->form == RECORDER_JOB) {
        path_add(path, "JOB");
        add_letters(path, 29, 26);
        return;
    }
    capture_date_text(unix_ns, writer->utc_offset, date);
    snprintf(text, sizeof text, "PROF_%06u_%s_%08ld", index, date, (long)getpid());
    path_add(path, text);
    add_letters(path, 8, 18);
}

static int make_directory_of(struct capture_writer *writer, const char *parent, unsigned index, int64_t unix_ns,
                             struct err *err)
{
    int result = -1;
    for (int attempt = 0; result != 0 && attempt < 100; attempt++) {
        struct path path = {.length = 0};
        path_add(&path, parent);
        path_add(&path, "/");
        make_name(&path, writer, index, unix_ns);
        if (path.length + 64 >= sizeof path.text)
            return err_set(err, ERR_LIMIT, "the name of the output directory is too long: '%s'", parent);
        result = mkdir(path.text, 0750);
        if (result != 0 && errno != EEXIST)
            break;
        memcpy(writer->directory, path.text, path.length + 1);
    }
    return result == 0 ? 0 : err_set_errno(err, errno, "cannot make a directory in '%s'", parent);
}

static int make_directories_of(struct capture_writer *writer, const char *directory, unsigned index, int64_t unix_ns,
                               struct err *err)
{
    SCOPED_FREE char *parent = path_make_directories(directory, err) == 0 ? path_absolute(directory, err) : NULL;
    if (parent == NULL || make_directory_of(writer, parent, index, unix_ns, err) < 0)
        return err_status(err);
    struct path path = {.length = 0};
    path_add(&path, writer->directory);
    path_add(&path, writer->form == RECORDER_JOB ? "/data" : "/host/data");
    memcpy(writer->data, path.text, path.length + 1);
    return path_make_directories(writer->data, err);
}

/* The first record ended before its capture is opened, and so did those that other threads are about to hand over. */
#define FIRST_RECORDS_NS 10000000

/* Both clocks when the collection began, as far as records can be older than now, in whole microseconds. */
static struct clock_pair read_start(int64_t begin_ns)
{
    const struct clock_pair now = clock_pair_read();
    int64_t back = now.monotonic_ns > begin_ns ? (now.monotonic_ns - begin_ns + 999) / 1000 * 1000 : 0;
    back = back < FIRST_RECORDS_NS ? back : FIRST_RECORDS_NS;
    return (struct clock_pair){now.unix_ns - back, now.monotonic_ns - back};
}

int capture_writer_open(struct capture_writer *writer, const struct recorder_options *options, int64_t begin_ns,
                        unsigned index, struct err *err)
{
    struct clock_pair start = read_start(begin_ns);
    writer->directory[0] = '\0';
    writer->form = options->form;
    writer->utc_offset = capture_utc_offset();
    writer->storage_limit = options->storage_limit;
    writer->stored = 0;
    writer->at_once = false;
    writer->losses = writer->told = (struct losses){.calls = 0};
    *number_put_unsigned(writer->device, options->device_count > 0 ? options->devices[0] : 0) = '\0';
    for (int i = 0; i < STREAM_COUNT; i++) {
        bool is_job_call = i == STREAM_CALLS && options->form == RECORDER_JOB;
        writer->streams[i] = (struct slice_stream){
            .record_size = is_job_call ? CAPTURE_JOB_CALL_SIZE : capture_record_size((enum capture_stream)i),
            .fd = -1,
        };
    }
    writer->kept.fd = -1;
    writer->losses_map = NULL;
    int status = make_directories_of(writer, options->directory, index, start.unix_ns, err);
    return status != 0 ? status : write_start(writer, options, &start, err);
}

static void keep_directory(struct capture_writer *writer)
{
    struct path path;
    struct stat info;
    config_path(writer, NULL, &path);
    int fd = open(path.text, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    fd = fd >= 0 ? move_high(fd) : fd;
    if (fd >= 0 && fstat(fd, &info) == 0)
        writer->kept = (struct kept_directory){fd, info.st_dev, info.st_ino};
}

void capture_writer_keep_open(struct capture_writer *writer, bool calls, bool tx)
{
    const bool wanted[STREAM_COUNT] = {[STREAM_CALLS] = calls,
                                       [STREAM_TX] = tx,
                                       [STREAM_HEAPS] = tx,
                                       [STREAM_TYPE_NAMES] = calls,
                                       [STREAM_TEXT_NAMES] = tx};
    for (int i = 0; i < STREAM_COUNT; i++) {
        bool has_room = true;
        if (wanted[i] && has_stream(writer, (enum capture_stream)i))
            has_room = start_slice(writer, (enum capture_stream)i, 0) == 0;
        if (!has_room)
            return;
    }
    keep_directory(writer);
}

void capture_writer_close(struct capture_writer *writer)
{
    if (is_same_file(writer->kept.fd, writer->kept.device, writer->kept.inode))
        close(writer->kept.fd);
    writer->kept.fd = -1;
    if (writer->losses_map != NULL)
        munmap(writer->losses_map, LOSSES_SIZE);
    writer->losses_map = NULL;
    for (int i = 0; i < STREAM_COUNT; i++) {
        struct slice_stream *slices = &writer->streams[i];
        if (is_our_file(slices))
            close(slices->fd);
        slices->fd = -1;
        slices->staged_size = 0;
    }
}
