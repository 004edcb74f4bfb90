/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/result_record.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "base/file/temporary.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "cli/capture/written.h"
#include "cli/console.h"
#include "parsers/capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RECORD_LIMIT WRITTEN_LIMIT
#define OWNER_RECORD "log/capture"

static int write_record(const char *results, const char *name, const struct strbuf *text, struct err *err)
{
    struct outfile out = {.path = NULL};
    SCOPED_FREE char *path = path_joined(results, name, err);
    int status = path == NULL ? err_status(err) : text->failed ? err_no_memory(err) : outfile_open(&out, path, err);
    if (status != 0)
        return status;
    if (text->length > 0)
        outfile_add(&out, text);
    return outfile_commit(&out, err);
}

/* ---- whose results ---- */

int result_owner_check(const char *results, const char *capture, struct err *err)
{
    struct err ignored = ERR_INIT;
    char fingerprint[65], *line_end = NULL;
    SCOPED_FREE char *path = path_join(results, OWNER_RECORD), *text = NULL;
    size_t length;
    if (path != NULL && path_read_file(path, RECORD_LIMIT, &text, &length, &ignored) == 0)
        line_end = strchr(text, '\n');
    if (line_end != NULL) {
        char *other = line_end + 1;
        *line_end = '\0';
        other[strcspn(other, "\n")] = '\0';
        /* The fingerprint stands first: a path may hold anything. */
        if (strcmp(other, capture) != 0 &&
            (capture_fingerprint(capture, fingerprint, &ignored) < 0 || strcmp(text, fingerprint) != 0)) {
            err_set(err, ERR_USAGE, "'%s' holds the results of another capture, '%s'", results, other);
            return err_hint(err, "give another directory with --output, or remove that one");
        }
    }
    return 0;
}

int result_owner_record(const char *results, const char *capture, const char *fingerprint, struct err *err)
{
    char own[65];
    SCOPED(strbuf_release) struct strbuf text;
    bool failed = fingerprint == NULL && capture_fingerprint(capture, own, err) < 0;
    strbuf_init(&text, RECORD_LIMIT);
    strbuf_addf(&text, "%s\n%s\n", fingerprint != NULL ? fingerprint : own, capture);
    return failed || write_record(results, OWNER_RECORD, &text, err) < 0 ? err_status(err) : 0;
}

/* ---- which files ---- */

/* One line of the list of an earlier export: keep is NULL where the file goes. */
static void drop_file(const struct words *files, const char *results, const struct written_line *line,
                      struct strbuf *keep)
{
    SCOPED_FREE char *path = path_join(results, line->name);
    if (path == NULL || (files->count > 0 &&
                         bsearch(&path, files->items, files->count, sizeof *files->items, array_compare_texts) != NULL))
        return;
    bool ours = written_line_holds(line, path);
    if (ours && keep != NULL)
        written_add(keep, results, path);
    else if (ours)
        unlink(path); /* one that stays is no worse than before */
}

int result_files_replace(const struct words *files, const char *results, const char *record, const char *ending,
                         bool complete, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf text;
    SCOPED(written_release) struct written before = {.root = NULL};
    strbuf_init(&text, RECORD_LIMIT);
    if (written_read(&before, results, record, err) < 0)
        return err_status(err);
    if (files->count > 0)
        qsort(files->items, files->count, sizeof *files->items, array_compare_texts);
    for (size_t i = 0; i < before.lines.count; i++) {
        const struct written_line *line = &before.lines.items[i];
        drop_file(files, results, line, complete && words_end_in(line->name, ending) ? NULL : &text);
    }
    for (size_t i = 0; i < files->count; i++)
        written_add(&text, results, files->items[i]);
    return write_record(results, record, &text, err);
}

#define POLL_NS 20000000 /* 20 ms */

/* Whether the lock is taken, or the file system has none. */
static bool lock(int fd, int how)
{
    while (flock(fd, how | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return false;
        if (errno != EINTR)
            return true;
    }
    return true;
}

int pin_open(const char *path)
{
    const char *slash = strrchr(path, '/');
    SCOPED_FREE char *directory =
        scoped_text(slash != NULL ? path : ".", slash != NULL ? (size_t)(slash - path) + 1 : 1);
    int fd = directory != NULL ? open(directory, O_RDONLY | O_CLOEXEC | O_DIRECTORY) : -1;
    /* who removes it holds the lock for a moment only */
    if (fd >= 0 && !lock(fd, LOCK_SH)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int pin_remove(int fd, const char *path, void (*waiting)(const char *path), struct err *err)
{
    bool told = false;
    while (fd >= 0 && !lock(fd, LOCK_EX)) {
        if (!told)
            waiting(path);
        told = true;
        if (interrupted())
            return interrupt_error(err);
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
    return unlink(path) == 0 || errno == ENOENT ? 0 : err_set_errno(err, errno, "'%s' is not removed", path);
}

void pin_close(int fd)
{
    if (fd >= 0)
        close(fd);
}

#define LINE_SIZE 8192

int collection_log_open(struct collection_log *log, const char *results, struct err *err)
{
    SCOPED_FREE char *directory = path_join(results, "log");
    SCOPED_FREE char *path = directory != NULL ? path_join(directory, "collection.log") : NULL;
    struct stat info;

    *log = (struct collection_log){.fd = -1};
    if (path == NULL)
        return err_no_memory(err);
    if (path_make_result_directory(directory, err) < 0)
        return err_status(err);
    temporary_remove_stale(directory); /* of the record of whose results these are */
    /* no waiting for a reader when somebody put a pipe there; no link, which could lead to any file of the user's */
    log->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0640);
    if (log->fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    const uint64_t length = fstat(log->fd, &info) == 0 && info.st_size > 0 ? (uint64_t)info.st_size : 0;
    log->room = length < COLLECTION_LOG_HEAD ? COLLECTION_LOG_HEAD - length : 0;
    return 0;
}

void collection_log_close(struct collection_log *log)
{
    if (log->fd >= 0)
        close(log->fd); /* a lost log line is not worth failing the work that it tells of */
    free(log->tail);
    *log = (struct collection_log){.fd = -1};
}

/* strftime would use the locale's names. */
static int format_head(char *line, size_t size, enum log_level level, const char *source)
{
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    static const char *const levels[] = {"INFO", "WARNING", "ERROR"};
    time_t now = time(NULL);
    struct tm local;

    if (localtime_r(&now, &local) == NULL)
        memset(&local, 0, sizeof local);
    return snprintf(line, size, "%s %02d %s %d %02d:%02d:%02d [%s] [MSVP] [%ld] %s: ", days[local.tm_wday],
                    local.tm_mday, months[local.tm_mon], local.tm_year + 1900, local.tm_hour, local.tm_min,
                    local.tm_sec, levels[level], (long)getpid(), source);
}

static void write_bytes(struct collection_log *log, const char *bytes, size_t length)
{
    while (length > 0 && log->fd >= 0) {
        ssize_t n = write(log->fd, bytes, length);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) { /* told once: the log ends here */
            console_warning("the log is not written any further: %s", n < 0 ? strerror(errno) : "nothing was written");
            collection_log_close(log);
            return;
        }
        bytes += n;
        length -= (size_t)n;
    }
}

__attribute__((format(printf, 4, 0))) static size_t
format_line(char line[LINE_SIZE], enum log_level level, const char *source, const char *format, va_list arguments)
{
    int head = format_head(line, LINE_SIZE - 1, level, source);
    vsnprintf(line + head, LINE_SIZE - 1 - (size_t)head, format, arguments);
    utf8_mask(line);
    size_t length = strlen(line);
    line[length++] = '\n';
    return length;
}

void collection_log_add(struct collection_log *log, enum log_level level, const char *source, const char *format, ...)
{
    char line[LINE_SIZE];
    va_list arguments;

    if (log->fd < 0)
        return;
    va_start(arguments, format);
    size_t length = format_line(line, level, source, format, arguments);
    va_end(arguments);
    write_bytes(log, line, length);
}

/* ---- lines of which there may be any number ---- */

/* Keeps them as the last ones so far; without memory they are among those that are left out. */
static void hold(struct collection_log *log, const char *bytes, size_t length)
{
    if (log->tail == NULL && log->held == 0)
        log->tail = malloc(COLLECTION_LOG_TAIL);
    for (size_t done = 0, piece; log->tail != NULL && done < length; done += piece) {
        const size_t at = (log->held + done) % COLLECTION_LOG_TAIL;
        piece = length - done < COLLECTION_LOG_TAIL - at ? length - done : COLLECTION_LOG_TAIL - at;
        memcpy(log->tail + at, bytes + done, piece);
    }
    log->held += length;
}

__attribute__((format(printf, 3, 4))) static void hold_or_write(struct collection_log *log, const char *source,
                                                                const char *format, ...)
{
    char line[LINE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    size_t length = format_line(line, LOG_LEVEL_INFO, source, format, arguments);
    va_end(arguments);
    if (log->held > 0 || length > log->room) {
        hold(log, line, length);
        return;
    }
    log->room -= length;
    write_bytes(log, line, length);
}

void collection_log_output(struct collection_log *log, const char *source, const char *line)
{
    if (log->fd >= 0)
        hold_or_write(log, source, "%s", line);
}

/* Where the first line begins that is there as a whole. */
static uint64_t find_tail(const struct collection_log *log)
{
    if (log->tail == NULL || log->held <= COLLECTION_LOG_TAIL)
        return log->tail == NULL ? log->held : 0;
    uint64_t at = log->held - COLLECTION_LOG_TAIL + 1; /* the byte before is no longer there */
    while (at < log->held && log->tail[(at - 1) % COLLECTION_LOG_TAIL] != '\n')
        at++;
    return at;
}

void collection_log_output_end(struct collection_log *log, const char *source)
{
    const uint64_t held = log->held;
    uint64_t at = find_tail(log);
    SCOPED_FREE char *tail = log->tail;
    log->tail = NULL;
    log->held = 0;
    if (at > 0)
        collection_log_add(log, LOG_LEVEL_WARNING, source,
                           "%" PRIu64 " bytes of lines like those above and below are left out here", at);
    while (at < held) {
        const size_t place = at % COLLECTION_LOG_TAIL, whole = COLLECTION_LOG_TAIL - place;
        const size_t piece = held - at < whole ? (size_t)(held - at) : whole;
        write_bytes(log, tail + place, piece);
        at += piece;
    }
}

void collection_log_error(struct collection_log *log, const char *source, const struct err *err)
{
    for (unsigned i = err->depth; i > 0; i--)
        collection_log_add(log, LOG_LEVEL_ERROR, source, "%s", err->causes[i - 1]);
}

void collection_log_diagnostics(struct collection_log *log, const struct diagnostics *diag)
{
    static const enum log_level levels[] = {
        [DIAG_NOTE] = LOG_LEVEL_INFO, [DIAG_WARNING] = LOG_LEVEL_WARNING, [DIAG_ERROR] = LOG_LEVEL_ERROR};

    for (size_t i = 0; i < diag->count; i++) {
        const struct diag_entry *entry = &diag->entries[i];
        const struct diag_info *info = diag_info(entry->id);

        for (size_t k = 0; k < entry->kept; k++)
            collection_log_add(log, levels[info->severity], LOG_SOURCE_COMMON, "%s", entry->texts[k]);
        if (entry->count > entry->kept)
            collection_log_add(log, levels[info->severity], LOG_SOURCE_COMMON, "%s: %" PRIu64 " more of '%s'",
                               entry->file, entry->count - entry->kept, info->id);
    }
}

/* Reads device, model and input out of the name of a report file, which the vendor's line tells. */
static bool identify_report(const char *report, const char *name, struct file_identity *ret)
{
    static const char *const shapes[] = {
        "_{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}.{number}.{number}.{number}",
        "_{device_id}.{model}.{model_id}.{batch_num}",
        "_{device_id}_{model_id}_{current_pic_count}_{number}",
        "_{device_id}_{model_id}_{number}",
        "_{device_id}",
    };
    const char *dot = strrchr(name, '.');
    SCOPED(strbuf_release) struct strbuf stem;
    bool found = false;

    strbuf_init(&stem, LINE_SIZE);
    if (dot == NULL || strbuf_add(&stem, name, (size_t)(dot - name)) != 0)
        return false;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0] && !found; i++) {
        SCOPED(strbuf_release) struct strbuf pattern;

        strbuf_init(&pattern, LINE_SIZE);
        if (strbuf_adds(&pattern, report) == 0 && strbuf_adds(&pattern, shapes[i]) == 0)
            found = capture_match_name(pattern.data, stem.data, ret);
    }
    return found;
}

void collection_log_exported(struct collection_log *log, const char *report, const char *type, const char *path)
{
    const char *slash = strrchr(path, '/');
    struct file_identity identity;
    struct strbuf where;

    if (log->fd < 0)
        return;
    strbuf_init(&where, LINE_SIZE);
    if (identify_report(report, slash != NULL ? slash + 1 : path, &identity)) {
        strbuf_addf(&where, " of device %" PRId64, identity.device_id);
        if (identity.model != NULL)
            strbuf_addf(&where, " for model %s", identity.model);
        else if (identity.model_id >= 0)
            strbuf_addf(&where, " for model %" PRId64, identity.model_id);
        if (identity.current_pic_count >= 0)
            strbuf_addf(&where, " from input %" PRId64, identity.current_pic_count);
        file_identity_release(&identity);
    }
    collection_log_add(log, LOG_LEVEL_INFO, LOG_SOURCE_EXPORT, "The %s %s data%s has been exported to \"%s\".", report,
                       type, where.data, path);
    strbuf_release(&where);
}
