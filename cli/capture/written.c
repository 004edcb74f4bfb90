/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/written.h"

#include "base/array.h"
#include "base/file/checksum.h"
#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "base/words.h"
#include "cli/console.h"
#include "db/database.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUMMED ((size_t)1024 * 1024) /* bytes: longer files are known by size and time alone */
#define SUM_LENGTH (CHECKSUM_TEXT_SIZE - 1)
#define DESCRIPTION_SIZE 80

static void describe(const struct stat *info, char text[DESCRIPTION_SIZE])
{
    snprintf(text, DESCRIPTION_SIZE, "%lld %lld.%09ld", (long long)info->st_size, (long long)info->st_mtim.tv_sec,
             info->st_mtim.tv_nsec);
}

/* Empty: it is too long, or cannot be read. */
static void sum_of(const char *path, const struct stat *info, char sum[CHECKSUM_TEXT_SIZE])
{
    struct err ignored = ERR_INIT;
    SCOPED_FREE char *bytes = NULL;
    size_t length;
    sum[0] = '\0';
    if ((uint64_t)info->st_size <= SUMMED && path_read_file(path, SUMMED, &bytes, &length, &ignored) == 0)
        checksum_of(bytes, length, sum);
}

/* The part of a path behind root; NULL: it is elsewhere. */
static const char *below(const char *root, const char *path)
{
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

void written_add_at(struct strbuf *text, const char *root, const char *path, const char *at)
{
    struct stat info;
    char description[DESCRIPTION_SIZE], sum[CHECKSUM_TEXT_SIZE];
    const char *name = below(root, path);
    if (name == NULL || strchr(path, '\n') != NULL || lstat(at != NULL ? at : path, &info) != 0)
        return;
    describe(&info, description);
    sum_of(at != NULL ? at : path, &info, sum);
    strbuf_addf(text, "%s %s%s%s\n", description, name, *sum != '\0' ? "\t" : "", sum);
}

void written_add(struct strbuf *text, const char *root, const char *path)
{
    written_add_at(text, root, path, NULL);
}

void written_release(struct written *written)
{
    for (size_t i = 0; i < written->texts.count; i++)
        free(written->texts.items[i]);
    free(written->texts.items);
    free(written->lines.items);
    free(written->root);
    *written = (struct written){.root = NULL};
}

/* Whether a name of a list stays below its root. */
static bool stays_inside(const char *name)
{
    return *name != '\0' && *name != '/' && strcmp(name, "..") != 0 && strncmp(name, "../", 3) != 0 &&
           strstr(name, "/../") == NULL;
}

/* A line is cut into its parts. */
static int take_line(struct written *written, char *line, struct err *err)
{
    char *time = strchr(line, ' '), *name = time != NULL ? strchr(time + 1, ' ') : NULL;
    if (name == NULL || !stays_inside(name + 1))
        return 0;
    *name++ = '\0';
    char *tab = strrchr(name, '\t'), *sum = NULL;
    if (tab != NULL && strlen(tab + 1) == SUM_LENGTH && strspn(tab + 1, "0123456789abcdef") == SUM_LENGTH) {
        *tab = '\0';
        sum = tab + 1;
    }
    const struct written_line parts = {.name = name, .description = line, .sum = sum};
    return array_add(&written->lines, err, parts);
}

static int take_text(struct written *written, char *text, struct err *err)
{
    if (array_add(&written->texts, err, text) < 0) {
        free(text);
        return err_status(err);
    }
    int status = 0;
    for (char *line = text, *next; status == 0 && *line != '\0'; line = next) {
        next = line + strcspn(line, "\n");
        if (*next == '\n')
            *next++ = '\0';
        status = take_line(written, line, err);
    }
    return status;
}

int written_read(struct written *written, const char *root, const char *name, struct err *err)
{
    struct err ignored = ERR_INIT;
    char *text = NULL;
    size_t length;
    SCOPED_FREE char *path = path_joined(root, name, err);
    if (written->root == NULL && (written->root = strdup(root)) == NULL)
        return err_no_memory(err);
    if (path == NULL)
        return err_status(err);
    return path_read_file(path, WRITTEN_LIMIT, &text, &length, &ignored) == 0 ? take_text(written, text, err) : 0;
}

bool written_is_record_name(const char *name)
{
    return strncmp(name, "exported-", 9) == 0 || strncmp(name, "merged-", 7) == 0;
}

bool written_is_list(const char *text)
{
    static const char digits[] = "0123456789";
    for (const char *at = text; *at != '\0';) {
        const size_t size = strspn(at, digits), seconds = at[size] == ' ' ? strspn(at + size + 1, "-0123456789") : 0;
        const char *fraction = at + size + 1 + seconds;
        if (size == 0 || seconds == 0 || *fraction != '.' || strspn(fraction + 1, digits) != 9 || fraction[10] != ' ')
            return false;
        at = fraction + strcspn(fraction, "\n");
        at += *at == '\n';
    }
    return true;
}

int written_read_exports(struct written *written, const char *results, struct err *err)
{
    SCOPED_FREE char *log = path_joined(results, "log", err);
    SCOPED_DIRECTORY DIR *stream = log != NULL ? opendir(log) : NULL;
    int status = 0;
    if (log == NULL)
        return err_status(err);
    if (written->root == NULL && (written->root = strdup(results)) == NULL)
        return err_no_memory(err);
    for (const struct dirent *item;
         status == 0 && stream != NULL && (item = path_next_entry(stream, log, &status, err)) != NULL;) {
        if (!written_is_record_name(item->d_name))
            continue;
        SCOPED_FREE char *name = path_joined("log", item->d_name, err);
        status = name != NULL ? written_read(written, results, name, err) : err_status(err);
    }
    return status;
}

ARRAY_COMPARE(compare_lines, struct written_line, ARRAY_BY_TEXT(name))

void written_sort(struct written *written)
{
    if (written->lines.count > 0)
        qsort(written->lines.items, written->lines.count, sizeof *written->lines.items, compare_lines);
}

bool written_line_holds(const struct written_line *line, const char *path)
{
    struct stat info;
    char description[DESCRIPTION_SIZE], sum[CHECKSUM_TEXT_SIZE];
    if (lstat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    describe(&info, description);
    if (strcmp(description, line->description) == 0)
        return true;
    if (line->sum == NULL || strtoll(line->description, NULL, 10) != (long long)info.st_size)
        return false;
    sum_of(path, &info, sum);
    return strcmp(sum, line->sum) == 0;
}

bool written_has(const struct written *written, const char *path)
{
    return written_has_at(written, path, path);
}

bool written_has_at(const struct written *written, const char *path, const char *at)
{
    const struct written_line *lines = written->lines.items;
    const char *name = written->root != NULL ? below(written->root, path) : NULL;
    const struct written_line key = {.name = name};
    const struct written_line *found = name != NULL && written->lines.count > 0
                                           ? bsearch(&key, lines, written->lines.count, sizeof key, compare_lines)
                                           : NULL;
    if (found == NULL)
        return false;
    while (found > lines && strcmp(found[-1].name, name) == 0)
        found--;
    for (; found < lines + written->lines.count && strcmp(found->name, name) == 0; found++)
        if (written_line_holds(found, at))
            return true;
    return false;
}

#define JOURNAL "log/exported-unfinished"
#define MOST_KEPT 10000

/* Takes along the files that a program has beside a database to which it writes. */
static void move_journals(const char *path, const char *aside)
{
    static const char *const endings[] = {"-journal", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *from = NULL, *to = NULL;
        if (asprintf(&from, "%s%s", path, endings[i]) > 0 && asprintf(&to, "%s%s", aside, endings[i]) > 0)
            (void)path_move(from, to); /* most have none */
        free(from);
        free(to);
    }
}

int written_put_aside(const char *path, const char *into, char **ret_path)
{
    const char *name = path_name(path), *dot = strrchr(name, '.');
    const size_t directory = into != NULL ? strlen(into) : (size_t)(name - path);
    const size_t stem = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    *ret_path = NULL;
    for (int i = 1; i < MOST_KEPT; i++) {
        char *aside;
        char number[16] = "";
        if (i > 1)
            snprintf(number, sizeof number, "-%d", i);
        if (asprintf(&aside, "%.*s%s%.*s.kept%s%s", (int)directory, into != NULL ? into : path, into != NULL ? "/" : "",
                     (int)stem, name, number, name + stem) < 0)
            return ENOMEM;
        const int failure = path_move(path, aside);
        if (failure == 0)
            move_journals(path, *ret_path = aside);
        else
            free(aside);
        if (failure != EEXIST)
            return failure;
    }
    return EEXIST;
}

static void tell_kept(const char *path)
{
    console_note("a file that another program wrote or changed was kept as '%s'", path);
}

int written_keep(const char *path)
{
    char *aside = NULL;
    const int failure = written_put_aside(path, NULL, &aside);
    if (failure == 0)
        tell_kept(aside);
    free(aside);
    return failure == ENOENT ? 0 : failure; /* somebody else has moved it */
}

int written_spare_database(void *arg, const char *temporary, const char *path)
{
    struct stat info;
    (void)arg;
    (void)temporary;
    if (lstat(path, &info) != 0 || S_ISDIR(info.st_mode) || (S_ISREG(info.st_mode) && info.st_size == 0) ||
        database_is_as_made(path))
        return 0;
    return written_keep(path);
}

/* ---- while results are written ---- */

/* Lists the file before it has its name. */
static void keep_journal(const struct sparing *sparing, const char *temporary, const char *path)
{
    SCOPED(strbuf_release) struct strbuf line;
    strbuf_init(&line, WRITTEN_LIMIT);
    written_add_at(&line, sparing->written.root, path, temporary);
    if (sparing->journal_fd >= 0 && line.length > 0 &&
        write(sparing->journal_fd, line.data, line.length) != (ssize_t)line.length)
        return; /* the next run puts this file aside, should this one be killed */
}

static int put_aside(struct sparing *sparing, const char *path)
{
    struct err ignored = ERR_INIT;
    char *aside = NULL;
    int failure = written_put_aside(path, NULL, &aside);
    if (aside != NULL)
        words_add(sparing->kept, aside, &ignored);
    free(aside);
    return failure == ENOENT ? 0 : failure; /* somebody else has moved it */
}

/* Whether another msprof, or this one, has written it since this run began. */
static bool was_written_meanwhile(const struct sparing *sparing, const char *path)
{
    struct err ignored = ERR_INIT;
    struct written now = {.root = NULL};
    const char *root = sparing->written.root;
    const int status = sparing->is_list ? written_read(&now, root, below(root, sparing->journal), &ignored)
                                        : written_read_exports(&now, root, &ignored);
    written_sort(&now);
    const bool has = status == 0 && written_has(&now, path);
    written_release(&now);
    return has;
}

/* Lists, results that are kept for a later run, and temporary files: under names of msprof's own. */
static bool is_own_name(const char *name)
{
    return strncmp(name, "log/", 4) == 0 || *name == '.' || strncmp(path_name(name), ".msprof.", 8) == 0;
}

static int spare(void *arg, const char *temporary, const char *path)
{
    struct sparing *sparing = arg;
    struct stat info;
    const char *name = below(sparing->written.root, path);
    if (name == NULL || is_own_name(name))
        return 0;
    pthread_mutex_lock(&sparing->lock);
    if (temporary != NULL)
        keep_journal(sparing, temporary, path);
    bool is_foreign = lstat(path, &info) == 0 && !S_ISDIR(info.st_mode) && !written_has(&sparing->written, path) &&
                      !was_written_meanwhile(sparing, path);
    int failure = is_foreign ? put_aside(sparing, path) : 0;
    pthread_mutex_unlock(&sparing->lock);
    return failure;
}

static int begin(struct sparing *sparing, const char *root, const char *journal, struct err *err)
{
    written_sort(&sparing->written);
    if ((sparing->journal = path_joined(root, journal, err)) == NULL)
        return err_status(err);
    sparing->journal_fd = open(sparing->journal, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
    outfile_set_spare(spare, sparing);
    return 0;
}

static int prepare(struct sparing *sparing, struct err *err)
{
    *sparing = (struct sparing){.kept = calloc(1, sizeof *sparing->kept), .journal_fd = -1};
    pthread_mutex_init(&sparing->lock, NULL);
    return sparing->kept == NULL ? err_no_memory(err) : 0;
}

int sparing_begin(struct sparing *sparing, const char *results, struct err *err)
{
    return prepare(sparing, err) < 0 || written_read_exports(&sparing->written, results, err) < 0
               ? err_status(err)
               : begin(sparing, results, JOURNAL, err);
}

/* Writes the lines anew of files that are there as they were written, one for each. */
static int shorten(struct sparing *sparing, const char *list, struct err *err)
{
    struct outfile out = {.path = NULL};
    SCOPED(strbuf_release) struct strbuf text;
    SCOPED_FREE char *path = path_joined(sparing->written.root, list, err);
    const char *last = "";
    strbuf_init(&text, WRITTEN_LIMIT);
    written_sort(&sparing->written);
    for (size_t i = 0; path != NULL && i < sparing->written.lines.count; i++) {
        const struct written_line *line = &sparing->written.lines.items[i];
        SCOPED_FREE char *file = path_joined(sparing->written.root, line->name, err);
        if (file == NULL)
            return err_status(err);
        if (strcmp(line->name, last) == 0 || !written_line_holds(line, file))
            continue;
        written_add(&text, sparing->written.root, file);
        last = line->name;
    }
    if (path == NULL || text.failed || outfile_open(&out, path, err) < 0)
        return text.failed ? err_no_memory(err) : err_status(err);
    if (text.length > 0)
        outfile_add(&out, &text);
    return outfile_commit(&out, err);
}

int sparing_begin_listed(struct sparing *sparing, const char *root, const char *list, bool first, struct err *err)
{
    if (prepare(sparing, err) < 0 || written_read(&sparing->written, root, list, err) < 0 ||
        (first && sparing->written.lines.count > 0 && shorten(sparing, list, err) < 0))
        return err_status(err);
    sparing->is_list = true;
    return begin(sparing, root, list, err);
}

int sparing_retire(struct sparing *sparing, const char *path)
{
    const int failure =
        written_has(&sparing->written, path) ? (unlink(path) == 0 ? 0 : errno) : put_aside(sparing, path);
    return failure == ENOENT ? 0 : failure;
}

void sparing_end(struct sparing *sparing)
{
    if (sparing->kept == NULL)
        return;
    outfile_set_spare(NULL, NULL);
    for (size_t i = 0; i < sparing->kept->count; i++)
        tell_kept(sparing->kept->items[i]);
    if (sparing->journal_fd >= 0) {
        close(sparing->journal_fd);
        if (!sparing->is_list)
            unlink(sparing->journal);
    }
    words_release(sparing->kept);
    free(sparing->kept);
    free(sparing->journal);
    written_release(&sparing->written);
    pthread_mutex_destroy(&sparing->lock);
    *sparing = (struct sparing){.kept = NULL};
}
