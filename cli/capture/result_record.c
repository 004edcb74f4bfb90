/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/result_record.h"

#include "base/array.h"
#include "base/file/checksum.h"
#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "base/file/temporary.h"
#include "base/language.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "cli/capture/written.h"
#include "cli/console.h"
#include "db/pin.h"
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
#define LOG_NAME "collection.log"

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

int result_owner_check(const char *results, const char *capture, const char *directory, struct err *err)
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
            (capture_fingerprint(directory, fingerprint, &ignored) < 0 || strcmp(text, fingerprint) != 0)) {
            err_set(err, ERR_USAGE, "'%s' contains the results of another capture, '%s'", results, other);
            return err_hint(err, "choose another directory with --output, or remove this one");
        }
    }
    return 0;
}

int result_owner_record(const char *results, const char *capture, const char *directory, const char *fingerprint,
                        struct err *err)
{
    char own[65];
    SCOPED(strbuf_release) struct strbuf text;
    bool failed = fingerprint == NULL && capture_fingerprint(directory, own, err) < 0;
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

/* Names that end in ".speedscope.json" are of another export than those in ".json". */
static bool is_of_ending(const char *name, const char *ending)
{
    static const char speedscope[] = ".speedscope.json";
    return words_end_in(name, ending) && (strcmp(ending, ".json") != 0 || !words_end_in(name, speedscope));
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
        drop_file(files, results, line, complete && is_of_ending(line->name, ending) ? NULL : &text);
    }
    for (size_t i = 0; i < files->count; i++)
        written_add(&text, results, files->items[i]);
    return write_record(results, record, &text, err);
}

#define LINE_SIZE 8192

void collection_log_close(struct collection_log *log)
{
    if (log->fd >= 0)
        close(log->fd); /* a lost log line is not worth failing the logged work */
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
        if (n <= 0) { /* reported once: the log ends here */
            console_warning("cannot write more to the log: %s",
                            n < 0 ? strerror(errno) : language_said("nothing was written"));
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

__attribute__((format(printf, 4, 5))) static size_t make_line(char line[LINE_SIZE], enum log_level level,
                                                              const char *source, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t length = format_line(line, level, source, format, arguments);
    va_end(arguments);
    return length;
}

/* The line in the place of as many bytes. */
static size_t left_out(char line[LINE_SIZE], const char *source, uint64_t bytes)
{
    return make_line(line, LOG_LEVEL_WARNING, source, "%" PRIu64 " bytes of similar lines omitted", bytes);
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

/* ---- opening ---- */

#define OWN_LOG                                                                                                        \
    " " LOG_SOURCE_COMMON ": This log is written by msprof " /* in the first line of a log that msprof began */
#define OPEN_ATTEMPTS 100

static bool is_own_log(int fd)
{
    char line[LINE_SIZE];
    const ssize_t length = file_read_at(fd, line, sizeof line - 1, 0);
    line[length > 0 ? length : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return strstr(line, OWN_LOG) != NULL;
}

/* Copies from one place up to another. */
static int copy_bytes(struct outfile *out, int fd, uint64_t at, uint64_t end)
{
    SCOPED_FREE char *piece = scoped_memory(COLLECTION_LOG_TAIL, 1);
    while (piece != NULL && at < end) {
        const uint64_t wanted = end - at < COLLECTION_LOG_TAIL ? end - at : COLLECTION_LOG_TAIL;
        const ssize_t length = file_read_at(fd, piece, (size_t)wanted, (off_t)at);
        if (length <= 0)
            return -1;
        outfile_write_long(out, piece, (size_t)length);
        at += (uint64_t)length;
    }
    return piece != NULL ? 0 : -1;
}

/* Where the line that holds this byte ends: behind its newline. */
static uint64_t line_end(int fd, uint64_t at)
{
    char line[LINE_SIZE];
    const ssize_t length = file_read_at(fd, line, sizeof line, (off_t)at);
    const char *newline = length > 0 ? memchr(line, '\n', (size_t)length) : NULL;
    return newline != NULL ? at + (uint64_t)(newline - line) + 1 : at;
}

/* Writes the log anew, without what is between its first and its last lines when it is long. One that stays as it was
 * is no worse than before. */
static void renew(struct collection_log *log, const char *path, uint64_t length)
{
    struct err ignored = ERR_INIT;
    struct outfile out = {.path = NULL};
    char line[LINE_SIZE];
    const bool is_long = length > COLLECTION_LOG_MOST;
    const uint64_t head = is_long ? line_end(log->fd, COLLECTION_LOG_HEAD - 1) : length;
    const uint64_t tail = is_long ? line_end(log->fd, length - COLLECTION_LOG_TAIL - 1) : length;
    if (outfile_open(&out, path, &ignored) < 0)
        return;
    bool failed = copy_bytes(&out, log->fd, 0, head) < 0;
    if (is_long)
        outfile_write_long(&out, line, left_out(line, LOG_SOURCE_COMMON, tail - head));
    failed |= copy_bytes(&out, log->fd, tail, length) < 0;
    if (failed)
        outfile_abort(&out);
    else
        outfile_commit(&out, &ignored);
}

/* Opens the file and locks it against being written anew; false: it was, meanwhile. */
static bool open_once(struct collection_log *log, const char *path, struct stat *info)
{
    struct stat named;
    /* no waiting for a reader when somebody put a pipe there; no link, which could lead to any file of the user's */
    log->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0640);
    if (log->fd < 0 && errno == EACCES) /* one that may only be written */
        log->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (log->fd < 0)
        return true;
    if (fstat(log->fd, info) != 0 || !S_ISREG(info->st_mode))
        return true;
    if (pin_lock(log->fd, LOCK_SH) && lstat(path, &named) == 0 && named.st_ino == info->st_ino)
        return true;
    close(log->fd);
    log->fd = -1;
    return false;
}

static void open_locked(struct collection_log *log, const char *path, struct stat *info)
{
    *info = (struct stat){.st_size = 0};
    for (int i = 0; i < OPEN_ATTEMPTS && !open_once(log, path, info); i++)
        nanosleep(&(struct timespec){.tv_nsec = PIN_POLL_NS}, NULL);
}

/* A log that has grown long is shortened, and one that has another name too, as that of a copy by links, is left to
 * that; nobody else writes it meanwhile. One that another program began is moved aside instead of being shortened. */
static void bound(struct collection_log *log, const char *path, struct stat *info)
{
    const bool is_long = (uint64_t)info->st_size > COLLECTION_LOG_MOST;
    if ((!is_long && info->st_nlink < 2) || flock(log->fd, LOCK_EX | LOCK_NB) != 0)
        return;
    if (is_long && !is_own_log(log->fd))
        written_keep(path);
    else
        renew(log, path, (uint64_t)info->st_size);
    close(log->fd);
    open_locked(log, path, info);
}

int collection_log_open(struct collection_log *log, const char *results, struct err *err)
{
    SCOPED_FREE char *directory = path_join(results, "log");
    SCOPED_FREE char *path = directory != NULL ? path_join(directory, LOG_NAME) : NULL;
    struct stat info;

    *log = (struct collection_log){.fd = -1};
    if (path == NULL)
        return err_no_memory(err);
    if (path_make_result_directory(directory, err) < 0)
        return err_status(err);
    temporary_remove_stale(directory); /* of the record of whose results these are */
    open_locked(log, path, &info);
    if (log->fd >= 0 && S_ISREG(info.st_mode))
        bound(log, path, &info);
    if (log->fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    const uint64_t length = (uint64_t)info.st_size;
    log->room = length < COLLECTION_LOG_HEAD ? COLLECTION_LOG_HEAD - length : 0;
    if (length == 0)
        collection_log_add(log, LOG_LEVEL_INFO, LOG_SOURCE_COMMON, "This log is written by msprof %s", MSPROF_VERSION);
    return 0;
}

bool result_record_is_own(const char *log, const char *name)
{
    struct err ignored = ERR_INIT;
    SCOPED_FREE char *path = path_join(log, name), *text = NULL;
    SCOPED_CLOSE int fd = path != NULL ? path_open_regular(path, &ignored) : -1;
    size_t length;
    if (fd < 0)
        return false;
    if (strcmp(name, LOG_NAME) == 0)
        return is_own_log(fd);
    if (path_read_file(path, RECORD_LIMIT, &text, &length, &ignored) < 0)
        return false;
    if (strcmp(name, path_name(OWNER_RECORD)) == 0)
        return strspn(text, "0123456789abcdef") == CHECKSUM_TEXT_SIZE - 1 && text[CHECKSUM_TEXT_SIZE - 1] == '\n';
    return written_is_record_name(name) && written_is_list(text);
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

void collection_log_output(struct collection_log *log, const char *source, const char *line)
{
    char whole[LINE_SIZE];
    if (log->fd < 0)
        return;
    const size_t length = make_line(whole, LOG_LEVEL_INFO, source, "%s", line);
    if (log->held > 0 || length > log->room) {
        hold(log, whole, length);
        return;
    }
    log->room -= length;
    write_bytes(log, whole, length);
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
    char line[LINE_SIZE];
    if (at > 0)
        write_bytes(log, line, left_out(line, source, at));
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

/* Reads device, model and input from the name of a report file, as the vendor's line prints them. */
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
