/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/collection_log.h"

#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "parsers/capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_SIZE 8192

int collection_log_open(struct collection_log *log, const char *results, struct err *err)
{
    char *directory = path_join(results, "log"), *path = NULL;
    int result;

    log->fd = -1;
    if (directory != NULL)
        path = path_join(directory, "collection.log");
    if (path == NULL) {
        result = err_set(err, ERR_NO_MEMORY, "out of memory");
        goto out;
    }
    result = make_result_directory(directory, err);
    if (result != 0)
        goto out;
    remove_stale_temporaries(directory); /* of the record of whose results these are */
    /* no waiting for a reader when somebody put a pipe there; no link, which could lead to any file of the user's */
    log->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0640);
    if (log->fd < 0)
        result = err_set_errno(err, errno, "cannot open '%s'", path);
out:
    free(path);
    free(directory);
    return result;
}

void collection_log_close(struct collection_log *log)
{
    if (log->fd >= 0)
        close(log->fd); /* a lost log line is not worth failing the work that it tells of */
    log->fd = -1;
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

void collection_log_add(struct collection_log *log, enum log_level level, const char *source, const char *format, ...)
{
    char line[LINE_SIZE];
    size_t length, offset = 0;
    va_list arguments;

    if (log->fd < 0)
        return;
    int head = format_head(line, sizeof line - 1, level, source);
    va_start(arguments, format);
    vsnprintf(line + head, sizeof line - 1 - (size_t)head, format, arguments);
    va_end(arguments);
    utf8_mask(line);
    length = strlen(line);
    line[length++] = '\n';
    while (offset < length) {
        ssize_t n = write(log->fd, line + offset, length - offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) { /* told once: the log ends here */
            console_warning("the log is not written any further: %s", n < 0 ? strerror(errno) : "nothing was written");
            collection_log_close(log);
            return;
        }
        offset += (size_t)n;
    }
}

void collection_log_error(struct collection_log *log, const char *source, const struct err *err)
{
    for (unsigned i = err->depth; i > 0; i--)
        collection_log_add(log, LOG_LEVEL_ERROR, source, "%s", err->causes[i - 1]);
}

void collection_log_diagnostics(struct collection_log *log, const char *source, const struct diagnostics *diag)
{
    static const enum log_level levels[] = {
        [DIAG_NOTE] = LOG_LEVEL_INFO, [DIAG_WARNING] = LOG_LEVEL_WARNING, [DIAG_ERROR] = LOG_LEVEL_ERROR};

    for (size_t i = 0; i < diag->count; i++) {
        const struct diag_entry *entry = &diag->entries[i];
        const struct diag_info *info = diag_info(entry->id);

        for (size_t k = 0; k < entry->kept; k++)
            collection_log_add(log, levels[info->severity], source, "%s", entry->texts[k]);
        if (entry->count > entry->kept)
            collection_log_add(log, levels[info->severity], source, "%s: %" PRIu64 " more of '%s'", entry->file,
                               entry->count - entry->kept, info->id);
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
    struct strbuf stem;
    bool found = false;

    strbuf_init(&stem, LINE_SIZE);
    if (dot == NULL || strbuf_add(&stem, name, (size_t)(dot - name)) != 0)
        goto out;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0] && !found; i++) {
        struct strbuf pattern;

        strbuf_init(&pattern, LINE_SIZE);
        if (strbuf_adds(&pattern, report) == 0 && strbuf_adds(&pattern, shapes[i]) == 0)
            found = capture_match_name(pattern.data, stem.data, ret);
        strbuf_release(&pattern);
    }
out:
    strbuf_release(&stem);
    return found;
}

void collection_log_exported(struct collection_log *log, const char *source, const char *report, const char *type,
                             const char *path)
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
    collection_log_add(log, LOG_LEVEL_INFO, source, "The %s %s data%s has been exported to \"%s\".", report, type,
                       where.data, path);
    strbuf_release(&where);
}
