/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/file/checksum.h"
#include "base/file/fsutil.h"
#include "base/map.h"
#include "base/number.h"
#include "base/thread.h"
#include "base/words.h"
#include "parsers/capture/capture_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Results that stand beside a capture's data: they are never part of it, or writing them would change how it is read.
 */

#define NESTING_MAX 2 /* of several captures each has a directory of its own in that of --output */

/* Names that msprof, Ascend's tool or a framework gives its results. */
static const struct {
    const char *name;
    bool is_remade;
} result_names[] = {{"sqlite", true},
                    {"log", true},
                    {"timeline", true},
                    {"summary", true},
                    {"flame", true},
                    {"query", false},
                    {"analyze", false},
                    {"mindstudio_profiler_output", true},
                    {"mindstudio_profiler_log", true},
                    {"ASCEND_PROFILER_OUTPUT", false},
                    {"cluster_analysis_output", false}};

static int find_result(const char *name)
{
    for (size_t i = 0; i < sizeof result_names / sizeof *result_names; i++) {
        if (strcmp(name, result_names[i].name) == 0)
            return (int)i;
    }
    return -1;
}

bool capture_is_remade(const char *name)
{
    int result = find_result(name);
    return result >= 0 && result_names[result].is_remade;
}

/* Whether an entry beside the data is called like results. */
static bool is_output_name(const char *name)
{
    return find_result(name) >= 0 || (words_end_in(name, ".db") && (strncmp(name, "msprof_", 7) == 0 ||
                                                                    strncmp(name, "communication_analyzer", 22) == 0));
}

static bool is_directory(int at, const char *name)
{
    struct stat info;
    return fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

bool capture_has_name(const char *name)
{
    return strncmp(name, "JOB", 3) == 0 || strncmp(name, "PROF", 4) == 0 || capture_tree_of_name(name) != NULL;
}

/* Whether a directory is called like a capture or a part of one. */
static bool is_capture_name(const char *name)
{
    return capture_has_name(name) || capture_is_part_directory(name);
}

/* Whether a directory holds results, or captures of their own, and nothing of this capture: that of --output of one
 * capture, of several, or of a command that makes captures. */
static bool holds_outputs(int at, const char *name, int nesting)
{
    int descriptor = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    SCOPED_DIRECTORY DIR *stream = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    bool found = false, data = false;
    if (stream == NULL && descriptor >= 0)
        close(descriptor);
    for (const struct dirent *item; stream != NULL && !data && (item = readdir(stream)) != NULL;) {
        if (item->d_name[0] == '.')
            continue;
        data = strcmp(item->d_name, "data") == 0 || capture_is_part_directory(item->d_name) ||
               capture_is_config_name(item->d_name);
        if (data || found)
            continue;
        found =
            is_output_name(item->d_name) ||
            (is_directory(descriptor, item->d_name) &&
             (is_capture_name(item->d_name) || (nesting > 1 && holds_outputs(descriptor, item->d_name, nesting - 1))));
    }
    return found && !data;
}

/* Whether a file of this relative name, beside data/ and the parts, is none of a capture's. */
static bool is_beside_data(const char *name)
{
    return strchr(name, '/') == NULL && !words_end_in(name, ".done") && !capture_is_config_name(name) &&
           !capture_is_tool_name(name) && !capture_is_known_stream(name) && capture_recognise(name, NULL, NULL) == NULL;
}

/* Directories of captures: what is in them and what they look like from outside. */

static bool is_ignored(const char *name)
{
    return name[0] == '.' || words_end_in(name, ".complete") || words_end_in(name, ".zip");
}

static void take_stat(struct entry *entry, const struct stat *info)
{
    entry->size = (uint64_t)info->st_size;
    entry->modified_ns = info->st_mtim.tv_sec * INT64_C(1000000000) + info->st_mtim.tv_nsec;
    entry->inode = info->st_ino;
    entry->mode = info->st_mode;
}

/* Follows a symbolic link when it stays inside the capture. */
static void resolve_link(const char *directory, struct entry *entry)
{
    struct stat info;
    SCOPED_FREE char *path = path_join(directory, entry->name);
    SCOPED_FREE char *target = path != NULL ? realpath(path, NULL) : NULL;
    size_t length = strlen(directory);
    entry->leaves =
        target == NULL || strncmp(target, directory, length) != 0 || target[length] != '/' || stat(target, &info) != 0;
    if (!entry->leaves)
        take_stat(entry, &info);
}

/* Adds an entry of the directory sub, which nobody has looked at yet. */
static int add_entry(struct entry_list *list, const char *directory, const char *sub, const char *item, struct err *err)
{
    const size_t length = strlen(sub), front = length > 0 ? length + 1 : 0, item_length = strlen(item);
    if (list->count >= CAPTURE_MAX_FILES)
        return err_set(err, ERR_LIMIT, "more than %d files in '%s'", CAPTURE_MAX_FILES, directory);
    char *name = texts_room(&list->names, front + item_length);
    if (name == NULL)
        return err_no_memory(err);
    memcpy(name, sub, length);
    memcpy(name + front, item, item_length);
    if (front > 0)
        name[length] = '/';
    if (list->count == list->capacity &&
        array_grow(&list->entries, &list->capacity, list->count, 1, sizeof *list->entries, err) < 0)
        return err_status(err);
    list->entries[list->count++] = (struct entry){.name = name};
    return 0;
}

/* Entries of one directory, to look at. */
struct look {
    const char *directory; /* of the capture */
    int at;                /* the directory that they are in */
    size_t front;          /* bytes of their names in front of those that they have there */
    struct entry *entries;
    size_t count;
    struct err err;
};

/* Takes the mode, size and times of each; an entry that is gone since the directory was read keeps no mode. */
static void *look_at(void *arg)
{
    struct look *look = arg;
    for (size_t i = 0; i < look->count; i++) {
        struct entry *entry = &look->entries[i];
        struct stat info;
        if (fstatat(look->at, entry->name + look->front, &info, AT_SYMLINK_NOFOLLOW) == 0) {
            take_stat(entry, &info);
            if (S_ISLNK(info.st_mode))
                resolve_link(look->directory, entry);
        } else if (errno != ENOENT) {
            err_set_errno(&look->err, errno, "cannot access '%s/%s'", look->directory, entry->name);
            break;
        }
    }
    return NULL;
}

/* Looks at the entries from the first on, the files of the directory that is open as at. */
static int look_at_entries(struct entry_list *list, size_t first, struct look look, struct err *err)
{
    if (list->count == first)
        return 0;
    look.entries = list->entries + first;
    look.count = list->count - first;
    struct look other = look;
    pthread_t thread;
    if (look.count >= ENTRIES_FOR_THREADS)
        look.count /= 2;
    other.entries += look.count;
    other.count -= look.count;
    const bool apart = other.count > 0 && thread_start(&thread, look_at, &other) == 0;
    look_at(&look);
    if (apart)
        pthread_join(thread, NULL);
    else
        look_at(&other);
    list->count = first;
    for (size_t i = 0; i < (size_t)(other.entries + other.count - look.entries); i++) {
        if (look.entries[i].mode != 0)
            list->entries[list->count++] = look.entries[i];
    }
    if (look.err.code == ERR_NONE && other.err.code == ERR_NONE)
        return 0;
    *err = look.err.code != ERR_NONE ? look.err : other.err;
    return err_status(err);
}

/* Whether an entry beside the data is a result; a name of the data is none, whatever is in it. */
static bool is_output(int at, const char *name)
{
    return is_output_name(name) ||
           (strcmp(name, "data") != 0 && !capture_is_part_directory(name) && holds_outputs(at, name, NESTING_MAX));
}

/* Adds the entries of directory/sub (sub "" for the directory itself). With results: leaves those out. */
static int read_directory(struct entry_list *list, const char *directory, const char *sub, bool results,
                          struct err *err)
{
    SCOPED_FREE char *path = *sub != '\0' ? path_join(directory, sub) : scoped_text(directory, SIZE_MAX);
    SCOPED_DIRECTORY DIR *stream = path != NULL ? opendir(path) : NULL;
    if (path == NULL)
        return err_no_memory(err);
    if (stream == NULL)
        return err_set_errno(err, errno, "cannot read directory '%s'", path);
    const size_t first = list->count;
    const struct look look = {
        .directory = directory, .at = dirfd(stream), .front = *sub != '\0' ? strlen(sub) + 1 : 0, .err = ERR_INIT};
    int status = 0;
    for (const struct dirent *item; (item = path_next_entry(stream, path, &status, err)) != NULL;) {
        if (is_ignored(item->d_name) || (results && is_output(look.at, item->d_name)))
            continue;
        if (add_entry(list, directory, sub, item->d_name, err) < 0)
            return err_status(err);
    }
    return status == 0 ? look_at_entries(list, first, look, err) : status;
}

ARRAY_COMPARE(compare_entries, struct entry, ARRAY_BY_TEXT(name))

static int read_parts(struct entry_list *list, const char *directory, struct err *err)
{
    size_t parts_end = list->count;
    for (size_t i = 0; i < parts_end; i++)
        if (S_ISDIR(list->entries[i].mode) && capture_is_part_directory(list->entries[i].name) &&
            read_directory(list, directory, list->entries[i].name, true, err) < 0)
            return err_status(err);
    return 0;
}

/* How many directories a relative name is below the capture's. */
static unsigned depth_of(const char *name)
{
    unsigned depth = 0;
    for (; *name != '\0'; name++)
        depth += *name == '/';
    return depth;
}

/* Everything in a tree, directory by directory; those that are added are looked into in their turn. Results stand in
 * its own directory alone: below it anything may be called so. */
static int gather_tree(struct entry_list *list, const char *directory, struct err *err)
{
    int status = read_directory(list, directory, "", true, err);
    for (size_t i = 0; status == 0 && i < list->count; i++) {
        const struct entry *entry = &list->entries[i];
        if (S_ISDIR(entry->mode) && depth_of(entry->name) < list->tree->depth && !list->tree->ignores(entry->name))
            status = read_directory(list, directory, entry->name, false, err);
    }
    return status;
}

int entry_list_gather(struct entry_list *list, const char *directory, struct err *err)
{
    *list = (struct entry_list){.tree = capture_tree_of(directory)};
    if (list->tree != NULL)
        return gather_tree(list, directory, err);
    int status = read_directory(list, directory, "", true, err);
    if (status == 0)
        status = read_parts(list, directory, err);
    size_t directories_end = list->count;
    for (size_t i = 0; status == 0 && i < directories_end; i++) {
        const struct entry *entry = &list->entries[i];
        size_t prefix = part_prefix(entry->name);
        if (!S_ISDIR(entry->mode) || strcmp(entry->name + (prefix > 0 ? prefix + 1 : 0), "data") != 0)
            continue;
        list->has_data = true;
        status = read_directory(list, directory, entry->name, false, err);
    }
    for (size_t i = 0; list->has_data && i < list->count; i++)
        list->entries[i].beside = S_ISREG(list->entries[i].mode) && is_beside_data(list->entries[i].name);
    return status;
}

void entry_list_sort(struct entry_list *list)
{
    if (list->count > 0)
        qsort(list->entries, list->count, sizeof *list->entries, compare_entries);
}

void entry_list_release(struct entry_list *list)
{
    texts_release(&list->names);
    free(list->entries);
    *list = (struct entry_list){.entries = NULL};
}

const struct entry *entry_list_find(const struct entry_list *list, const char *name)
{
    const struct entry key = {.name = name};
    return list->count > 0 ? bsearch(&key, list->entries, list->count, sizeof key, compare_entries) : NULL;
}

/* Others change when results are written beside the data. */
static bool is_of_capture(const struct entry *entry)
{
    return !S_ISDIR(entry->mode) && !entry->beside;
}

int entry_list_fingerprint(const struct entry_list *list, char ret[65], struct err *err)
{
    struct checksum *checksum = checksum_new_kind(CHECKSUM_XXH128);
    if (checksum == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < list->count; i++) {
        const struct entry *entry = &list->entries[i];
        if (!is_of_capture(entry))
            continue;
        char numbers[2 * NUMBER_MAX + 2], *p = number_put_unsigned(numbers, entry->size);
        *p++ = ' ';
        p = number_put_signed(p, entry->modified_ns);
        *p++ = '\n';
        checksum_add(checksum, entry->name, strlen(entry->name) + 1);
        checksum_add(checksum, numbers, (size_t)(p - numbers));
    }
    checksum_finish(checksum, ret);
    checksum_free(checksum);
    return 0;
}

uint64_t entry_list_sum(const struct entry_list *list)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct entry *entry = &list->entries[i];
        const uint64_t all[] = {map_hash_bytes(entry->name, strlen(entry->name)), entry->size,
                                (uint64_t)entry->modified_ns, entry->inode};
        sum += is_of_capture(entry) ? map_hash_bytes(all, sizeof all) : 0;
    }
    return sum;
}

int capture_fingerprint(const char *directory, char ret[65], struct err *err)
{
    SCOPED(entry_list_release) struct entry_list list = {.entries = NULL};
    SCOPED_FREE char *absolute = path_absolute(directory, err);
    if (absolute == NULL || entry_list_gather(&list, absolute, err) < 0)
        return err_status(err);
    entry_list_sort(&list);
    return entry_list_fingerprint(&list, ret, err);
}

int capture_reads(const char *directory, const char *name, bool *ret, struct err *err)
{
    SCOPED(entry_list_release) struct entry_list list = {.entries = NULL};
    if (entry_list_gather(&list, directory, err) < 0)
        return err_status(err);
    entry_list_sort(&list);
    const struct entry *entry = entry_list_find(&list, name);
    *ret = entry != NULL && is_of_capture(entry);
    return 0;
}

static bool is_capture_directory(const char *parent, const char *name)
{
    struct stat info;
    if (!capture_has_name(name))
        return false;
    SCOPED_FREE char *path = path_join(parent, name);
    /* Without memory for its path it counts as one: whoever opens it says why it cannot. */
    return path == NULL || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

static bool claims_capture(const char *name)
{
    return capture_is_config_name(name) || capture_recognise(name, NULL, NULL) != NULL;
}

bool capture_shows_in(const char *path)
{
    const size_t part = part_prefix(path);
    const char *in = path + (part > 0 ? part + 1 : 0);
    return strcmp(in, "data") == 0 || strncmp(in, "data/", 5) == 0 ||
           (strchr(path, '/') == NULL && claims_capture(path));
}

/* Whether this sub-directory makes its parent a PROF capture. */
static bool has_part_data(const char *path, const char *name)
{
    struct stat info;
    if (!capture_is_part_directory(name))
        return false;
    SCOPED_FREE char *part = path_join(path, name);
    SCOPED_FREE char *data = part != NULL ? path_join(part, "data") : NULL;
    return data != NULL && stat(data, &info) == 0 && S_ISDIR(info.st_mode);
}

int capture_classify(const char *path, enum directory_class *ret_class, struct err *err)
{
    SCOPED_DIRECTORY DIR *stream = opendir(path);
    if (stream == NULL)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    bool capture = capture_tree_of(path) != NULL, parent = false;
    int status = 0;
    for (const struct dirent *item; (item = path_next_entry(stream, path, &status, err)) != NULL;) {
        if (item->d_name[0] == '.')
            continue;
        capture |= capture_shows_in(item->d_name) || has_part_data(path, item->d_name);
        parent |= is_capture_directory(path, item->d_name);
    }
    *ret_class = capture ? DIRECTORY_CAPTURE : parent ? DIRECTORY_PARENT : DIRECTORY_OTHER;
    return status;
}

/* Whether a directory holds anything of a capture beside the entry of that name. */
static bool has_more_of_capture(const char *directory, const char *name)
{
    SCOPED_DIRECTORY DIR *stream = opendir(directory);
    bool more = false;
    for (const struct dirent *item; stream != NULL && !more && (item = readdir(stream)) != NULL;)
        more =
            strcmp(item->d_name, name) != 0 && (claims_capture(item->d_name) || has_part_data(directory, item->d_name));
    return more;
}

int capture_find_outer(const char *path, char **ret, struct err *err)
{
    *ret = NULL;
    char *outer = strdup(path);
    if (outer == NULL)
        return err_no_memory(err);
    for (char *slash; (slash = strrchr(outer, '/')) != NULL && slash != outer;) {
        const char *name = slash + 1;
        if (strcmp(name, "data") != 0 && !capture_is_part_directory(name))
            break;
        *slash = '\0';
        if (!is_capture_name(capture_base_name(outer)) && !has_more_of_capture(outer, name)) {
            *slash = '/';
            break;
        }
    }
    if (strcmp(outer, path) != 0)
        *ret = outer;
    else
        free(outer);
    return 0;
}

int capture_list(const char *parent, char ***ret_paths, size_t *ret_count, struct err *err)
{
    SCOPED_DIRECTORY DIR *stream = opendir(parent);
    if (stream == NULL)
        return err_set_errno(err, errno, "cannot open '%s'", parent);
    struct {
        char **items;
        size_t count, capacity;
    } paths = {.count = 0};
    int status = 0;
    for (const struct dirent *item; status == 0 && (item = path_next_entry(stream, parent, &status, err)) != NULL;) {
        if (!is_capture_directory(parent, item->d_name))
            continue;
        status = array_reserve(&paths, 1, err);
        char *path = status == 0 ? path_join(parent, item->d_name) : NULL;
        if (path != NULL)
            paths.items[paths.count++] = path;
        else if (status == 0)
            status = err_no_memory(err);
    }
    if (status < 0) {
        while (paths.count > 0)
            free(paths.items[--paths.count]);
        free(paths.items);
        return status;
    }
    array_sort(paths.items, paths.count, sizeof *paths.items, array_compare_texts);
    *ret_paths = paths.items;
    *ret_count = paths.count;
    return 0;
}
