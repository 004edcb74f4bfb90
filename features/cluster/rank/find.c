/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/rank/load.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "base/number.h"
#include "base/words.h"
#include "features/cluster/team.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEEPEST 10
#define INFO_LIMIT ((size_t)16 * 1024 * 1024)
#define MOST_SOURCES 1000000

struct search {
    struct cluster_sources *sources;
    struct diagnostics *diag;
    size_t by_kind[SOURCE_PROF + 1];
};

static bool kind_of(const char *name, enum source_kind *ret)
{
    if (words_end_in(name, "ascend_pt"))
        *ret = SOURCE_PYTORCH;
    else if (words_end_in(name, "ascend_ms"))
        *ret = SOURCE_MINDSPORE;
    else if (strncmp(name, "PROF_", 5) == 0)
        *ret = SOURCE_PROF;
    else
        return false;
    return true;
}

/* The longest run of digits in a directory's name is the time at which it was made. */
static void time_of(const char *name, char made[24])
{
    size_t longest = 0;
    made[0] = '\0';
    for (const char *p = name; *p != '\0';) {
        size_t length = strspn(p, "0123456789");
        if (length >= longest && length > 0 && length < 24) {
            memcpy(made, p, length);
            made[length] = '\0';
            longest = length;
        }
        p += length > 0 ? length : 1;
    }
}

/* Without it a rank would have another number, or none. */
static void tell_unreadable(struct diagnostics *diag, const char *path, const struct err *unreadable)
{
    if (unreadable->code != ERR_NOT_FOUND)
        diag_report(diag, DIAG_FILE_UNREADABLE, FILE_PLACE(path, NULL), "%s", err_message(unreadable));
}

/* Calls each for the names in a directory. */
static void each_name(const char *path, struct diagnostics *diag, void (*each)(void *arg, const char *name), void *arg)
{
    struct err unreadable = ERR_INIT;
    SCOPED_DIRECTORY DIR *directory = opendir(path);
    int status = directory != NULL ? 0 : err_set_errno(&unreadable, errno, "cannot read it");
    for (struct dirent *entry; status == 0 && (entry = path_next_entry(directory, path, &status, &unreadable)) != NULL;)
        each(arg, entry->d_name);
    if (status < 0)
        tell_unreadable(diag, path, &unreadable);
}

struct number_search {
    const char *head, *tail;
    int64_t found;
};

static void take_number(void *arg, const char *name)
{
    struct number_search *search = arg;
    const size_t length = strlen(name), head = strlen(search->head), fixed = head + strlen(search->tail);
    int64_t number;
    if (length > fixed && strncmp(name, search->head, head) == 0 && words_end_in(name, search->tail) &&
        number_parse_integer(name + head, length - fixed, &number) == 0 &&
        (search->found < 0 || number < search->found))
        search->found = number;
}

/* The least number between a head and a tail that a name in a directory has; -1: none. */
static int64_t number_in_names(const char *path, const char *head, const char *tail, struct diagnostics *diag)
{
    struct number_search search = {head, tail, -1};
    each_name(path, diag, take_number, &search);
    return search.found;
}

/* As the profiler's settings are called or, where they did not come along, its database. */
static int64_t rank_of(const char *path, struct diagnostics *diag)
{
    int64_t rank = number_in_names(path, "profiler_info_", ".json", diag);
    SCOPED_FREE char *output = rank < 0 ? path_join(path, "ASCEND_PROFILER_OUTPUT") : NULL;
    if (output != NULL)
        rank = number_in_names(output, "ascend_pytorch_profiler_", ".db", diag);
    return output != NULL && rank < 0 ? number_in_names(output, "ascend_mindspore_profiler_", ".db", diag) : rank;
}

static int64_t rank_in_file(const char *path, struct diagnostics *diag)
{
    struct err unreadable = ERR_INIT, ignored = ERR_INIT;
    SCOPED_FREE char *text = NULL;
    size_t length = 0;
    int64_t rank = -1;
    if (path_read_file(path, INFO_LIMIT, &text, &length, &unreadable) != 0) {
        tell_unreadable(diag, path, &unreadable);
        return -1;
    }
    SCOPED_JSON struct json *root = json_parse(text, length, &ignored);
    return json_integer(json_member(root, "rank_id"), &rank) ? rank : -1;
}

struct device_search {
    const char *path;
    struct diagnostics *diag;
    size_t devices;
    int64_t rank;
};

static void take_device(void *arg, const char *name)
{
    static const char prefix[] = "device_";
    struct device_search *search = arg;
    char *file = NULL;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
        asprintf(&file, "%s/%s/info.json.%s", search->path, name, name + sizeof prefix - 1) < 0)
        return;
    search->rank = ++search->devices == 1 ? rank_in_file(file, search->diag) : -1;
    free(file);
}

/* Counts the devices of a PROF capture, device_<n>. Returns the rank that the info.json.<n> of a single one says. */
static int64_t rank_of_devices(const char *path, size_t *ret_devices, struct diagnostics *diag)
{
    struct device_search search = {.path = path, .diag = diag, .rank = -1};
    each_name(path, diag, take_device, &search);
    *ret_devices = search.devices;
    return search.rank;
}

/* Estimates what reading a capture takes: its largest results. */
static uint64_t bytes_of(const char *path)
{
    static const char *const files[] = {
        "ASCEND_PROFILER_OUTPUT/communication.json", "ASCEND_PROFILER_OUTPUT/communication_matrix.json",
        "ASCEND_PROFILER_OUTPUT/analysis.db", "ASCEND_PROFILER_OUTPUT/communication_analyzer.db"};
    uint64_t bytes = 4096;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct stat info;
        char *file = path_join(path, files[i]);
        if (file != NULL && stat(file, &info) == 0 && info.st_size > 0)
            bytes += (uint64_t)info.st_size;
        free(file);
    }
    return bytes;
}

static int add_source(struct search *search, const char *path, const char *name, enum source_kind kind, struct err *err)
{
    struct cluster_sources *sources = search->sources;
    if (sources->count >= MOST_SOURCES)
        return err_set(err, ERR_LIMIT, "more than %d captures", MOST_SOURCES);
    if (array_reserve(sources, 1, err) < 0)
        return err_status(err);
    struct cluster_source *source = &sources->items[sources->count];
    *source = (struct cluster_source){.path = strdup(path), .kind = kind, .rank = -1};
    if (source->path == NULL)
        return err_no_memory(err);
    sources->count++;
    time_of(name, source->made);
    source->rank =
        kind != SOURCE_PROF ? rank_of(path, search->diag) : rank_of_devices(path, &source->devices, search->diag);
    source->bytes = bytes_of(path);
    search->by_kind[kind]++;
    return 0;
}

static int search_directory(struct search *search, const char *path, const char *name, int depth, struct err *err);

/* It may lead anywhere, and to a rank that is here already. */
static void tell_link(struct search *search, const char *path)
{
    diag_report(search->diag, DIAG_FILE_TYPE, FILE_PLACE(path, NULL),
                "a symbolic link to a directory; ranks in it are not read");
}

static int search_entry(struct search *search, const char *path, const char *name, int depth, struct err *err)
{
    struct err unreadable = ERR_INIT;
    struct stat info;
    bool there;
    if (path_look(path, &info, &there, &unreadable) < 0) {
        tell_unreadable(search->diag, path, &unreadable);
        return 0;
    }
    if (there && S_ISDIR(info.st_mode))
        return search_directory(search, path, name, depth + 1, err);
    if (there && S_ISLNK(info.st_mode) && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        tell_link(search, path);
    return 0;
}

static int search_inside(struct search *search, const char *path, int depth, struct err *err)
{
    SCOPED_DIRECTORY DIR *directory = opendir(path);
    int status = 0;
    if (directory == NULL) {
        diag_report(search->diag, DIAG_FILE_UNREADABLE, FILE_PLACE(path, NULL), "%s", strerror(errno));
        return 0;
    }
    for (struct dirent *entry; status == 0 && (entry = path_next_entry(directory, path, &status, err)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        SCOPED_FREE char *inner = path_joined(path, entry->d_name, err);
        status = inner != NULL ? search_entry(search, inner, entry->d_name, depth, err) : err_status(err);
    }
    return status;
}

static int search_directory(struct search *search, const char *path, const char *name, int depth, struct err *err)
{
    enum source_kind kind;
    if (kind_of(name, &kind))
        return add_source(search, path, name, kind, err);
    return depth < DEEPEST ? search_inside(search, path, depth, err) : 0;
}

ARRAY_COMPARE(compare_sources, struct cluster_source, ARRAY_BY(rank),
              strcmp(right->made, left->made) /* the later one first */, ARRAY_BY_TEXT(path))

static void drop(struct cluster_sources *sources, size_t i)
{
    free(sources->items[i].path);
    memmove(&sources->items[i], &sources->items[i + 1], (--sources->count - i) * sizeof *sources->items);
}

/* Captures of PROF_* beside those of frameworks belong to these. */
static void drop_bare(struct search *search)
{
    if (search->by_kind[SOURCE_PYTORCH] + search->by_kind[SOURCE_MINDSPORE] == 0)
        return;
    for (size_t i = search->sources->count; i-- > 0;) {
        if (search->sources->items[i].kind == SOURCE_PROF)
            drop(search->sources, i);
    }
}

static void drop_doubles(struct search *search)
{
    struct cluster_sources *sources = search->sources;
    for (size_t i = sources->count; i-- > 1;) {
        const struct cluster_source *source = &sources->items[i];
        if (source->rank < 0 || source->rank != sources->items[i - 1].rank)
            continue;
        diag_report(search->diag, DIAG_RANK_DOUBLE, FILE_PLACE(source->path, NULL),
                    "another capture of rank %lld; the later '%s' is used", (long long)source->rank,
                    sources->items[i - 1].path);
        drop(sources, i);
    }
}

int cluster_find(const char *directory, struct cluster_sources *ret, struct diagnostics *diag, struct err *err)
{
    struct search search = {.sources = ret, .diag = diag};
    *ret = (struct cluster_sources){.items = NULL};
    char *path = path_absolute(directory, err);
    if (path == NULL)
        return err_status(err);
    const char *slash = strrchr(path, '/');
    int status = search_directory(&search, path, slash != NULL ? slash + 1 : path, 0, err);
    free(path);
    drop_bare(&search);
    if (status == 0 && search.by_kind[SOURCE_PYTORCH] > 0 && search.by_kind[SOURCE_MINDSPORE] > 0) {
        err_set(err, ERR_USAGE, "'%s' holds captures of PyTorch and of MindSpore", directory);
        status = err_hint(err, "pass the directory of one job");
    }
    if (status == 0)
        array_sort(ret->items, ret->count, sizeof *ret->items, compare_sources);
    if (status == 0)
        drop_doubles(&search);
    return status;
}

void cluster_leave_out_devices(struct cluster_sources *sources, struct diagnostics *diag)
{
    for (size_t i = sources->count; i-- > 0;) {
        const struct cluster_source *source = &sources->items[i];
        if (source->devices <= 1)
            continue;
        diag_report(diag, DIAG_RANK_SEVERAL, FILE_PLACE(source->path, NULL),
                    "skipped: it has %zu devices; cluster compares captures of one device each", source->devices);
        drop(sources, i);
    }
}

void cluster_sources_release(struct cluster_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        free(sources->items[i].path);
    free(sources->items);
    *sources = (struct cluster_sources){.items = NULL};
}

struct source_message { /* before the path */
    uint64_t bytes;
    int64_t rank;
    char made[24];
    enum source_kind kind;
};

void cluster_sources_give(const struct cluster_sources *sources, struct strbuf *bytes)
{
    for (size_t i = 0; i < sources->count; i++) {
        const struct cluster_source *source = &sources->items[i];
        struct source_message message;
        memset(&message, 0, sizeof message);
        message.bytes = source->bytes;
        message.rank = source->rank;
        memcpy(message.made, source->made, sizeof message.made);
        message.kind = source->kind;
        strbuf_add(bytes, &message, sizeof message);
        strbuf_add(bytes, source->path, strlen(source->path) + 1);
    }
}

int cluster_sources_take(struct cluster_sources *sources, const void *bytes, size_t length, struct err *err)
{
    struct team_message rest = {bytes, (const char *)bytes + length};
    struct source_message message;
    while (rest.p < rest.end) {
        const char *path;
        if (!team_message_next(&rest, &message, sizeof message) || (path = team_message_text(&rest)) == NULL)
            return team_message_wrong(err);
        if (array_reserve(sources, 1, err) < 0)
            return err_status(err);
        struct cluster_source *source = &sources->items[sources->count];
        *source = (struct cluster_source){
            .path = strdup(path), .kind = message.kind, .rank = message.rank, .bytes = message.bytes};
        if (source->path == NULL)
            return err_no_memory(err);
        memcpy(source->made, message.made, sizeof source->made);
        sources->count++;
    }
    return 0;
}
