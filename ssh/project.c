/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/project.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/file/fsutil.h"
#include "base/progress.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH 64
#define READ_SIZE ((size_t)256 * 1024)

/* State of the walk over the directories. */
struct walk {
    struct project *project;
    const char *const *exclude;
    size_t exclude_count;
};

static int add_file(struct project *project, const struct project_file *file, struct err *err)
{
    if (project->count >= PROJECT_MAX_FILES)
        return err_set(err, ERR_LIMIT, "'%s' holds more than %d files", project->root, PROJECT_MAX_FILES);
    if (project->count == project->capacity &&
        array_grow(&project->files, &project->capacity, project->count, 1, sizeof *project->files, err) < 0)
        return -(int)err->code;
    project->files[project->count++] = *file;
    return 0;
}

static void file_release(struct project_file *file)
{
    free(file->path);
    free(file->link);
    free(file->content);
}

static bool is_excluded(const struct walk *walk, const char *path, const char *name)
{
    for (size_t i = 0; i < walk->exclude_count; i++)
        if (fnmatch(walk->exclude[i], name, 0) == 0 || fnmatch(walk->exclude[i], path, FNM_PATHNAME) == 0)
            return true;
    return false;
}

static int check_name(const char *path, struct err *err)
{
    for (const char *c = path; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F) {
            err_set(err, ERR_FAILED, "the name '%s' holds control characters", path);
            return err_hint(err, "rename it, or leave it out with --exclude");
        }
    return 0;
}

/* Whether the target of a link at path (relative to the root) is relative and never climbs above the root. */
static bool stays_inside(const char *path, const char *target)
{
    long depth = 0;

    if (target[0] == '/')
        return false;
    for (const char *c = path; *c != '\0'; c++)
        depth += *c == '/';
    for (const char *at = target; *at != '\0';) {
        size_t length = strcspn(at, "/");

        if (length == 2 && at[0] == '.' && at[1] == '.')
            depth--;
        else if (length > 0 && !(length == 1 && at[0] == '.'))
            depth++;
        if (depth < 0)
            return false;
        at += length + (at[length] == '/');
    }
    return true;
}

static void note_skipped(struct project *project, const char *path)
{
    if (project->skipped++ == 0)
        snprintf(project->first_skipped, sizeof project->first_skipped, "%s", path);
}

/* Takes path over. */
static int add_entry(struct walk *walk, int directory, const char *name, char *path, struct err *err)
{
    struct project_file file = {.path = path};
    char target[PATH_MAX];
    struct stat st;
    ssize_t length;
    int result;

    if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode)) {
        length = readlinkat(directory, name, target, sizeof target - 1);
        if (length > 0) {
            target[length] = '\0';
            if (length < 100 && stays_inside(path, target)) { /* what a tar header has room for */
                file.link = strdup(target);
                if (file.link == NULL) {
                    free(path);
                    return err_no_memory(err);
                }
            }
        }
    }
    if (file.link == NULL) {
        if (fstatat(directory, name, &st, 0) < 0 || !S_ISREG(st.st_mode)) {
            note_skipped(walk->project, path);
            free(path);
            return 0;
        }
        file.size = (uint64_t)st.st_size;
        file.executable = (st.st_mode & 0111) != 0;
    }
    result = check_name(path, err);
    if (result == 0 && file.size > PROJECT_FILE_MOST)
        result = err_set(err, ERR_LIMIT, "'%s' is too large to be uploaded", path);
    if (result == 0)
        result = add_file(walk->project, &file, err);
    if (result != 0)
        file_release(&file);
    return result; // NOLINT(clang-analyzer-unix.Malloc): add_file took path and link over
}

static int walk_directory(struct walk *walk, int fd, const char *path, int depth, struct err *err);

/* One name in a directory; fd is the directory's. */
static int walk_name(struct walk *walk, int fd, const char *directory, const char *name, int depth, struct err *err)
{
    char *path = directory[0] != '\0' ? path_join(directory, name) : strdup(name);
    struct stat st;
    int below, result;

    if (path == NULL)
        return err_no_memory(err);
    if (is_excluded(walk, path, name)) {
        free(path);
        return 0;
    }
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))
        return add_entry(walk, fd, name, path, err); // NOLINT(clang-analyzer-unix.Malloc): it takes path over
    below = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0)
        result = err_set_errno(err, errno, "cannot read the directory '%s'", path);
    else
        result = walk_directory(walk, below, path, depth + 1, err);
    free(path);
    return result;
}

/* Takes fd over. */
static int walk_directory(struct walk *walk, int fd, const char *path, int depth, struct err *err)
{
    DIR *stream = fdopendir(fd);
    const struct dirent *item;
    int result = 0;

    if (stream == NULL) {
        close(fd);
        return err_no_memory(err);
    }
    if (depth > MAX_DEPTH)
        result = err_set(err, ERR_LIMIT, "'%s' is nested too deep", path);
    while (result == 0 && (item = readdir(stream)) != NULL) {
        if (interrupted())
            result = interrupt_error(err);
        else if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0)
            result = walk_name(walk, dirfd(stream), path, item->d_name, depth, err);
    }
    closedir(stream);
    return result;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct project_file *)a)->path, ((const struct project_file *)b)->path);
}

static void sort(struct project *project)
{
    if (project->count > 0)
        qsort(project->files, project->count, sizeof *project->files, compare_paths);
}

int project_open(struct project *project, const char *root, const char *const *exclude, size_t exclude_count,
                 struct err *err)
{
    struct walk walk = {project, exclude, exclude_count};
    int fd, result;

    *project = (struct project){.root = strdup(root)};
    if (project->root == NULL)
        return err_no_memory(err);
    fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    result = fd < 0 ? err_set_errno(err, errno, "cannot read the project '%s'", root)
                    : walk_directory(&walk, fd, "", 0, err);
    if (result != 0)
        project_release(project);
    else
        sort(project);
    return result;
}

void project_release(struct project *project)
{
    for (size_t i = 0; i < project->count; i++)
        file_release(&project->files[i]);
    free(project->files);
    free(project->root);
    *project = (struct project){.root = NULL};
}

struct project_file *project_find(const struct project *project, const char *path)
{
    union { /* bsearch's key is not written to */
        const char *constant;
        char *path;
    } name = {path};
    const struct project_file key = {.path = name.path};

    if (project->count == 0)
        return NULL;
    return bsearch(&key, project->files, project->count, sizeof *project->files, compare_paths);
}

int project_set_content(struct project *project, const char *path, const char *content, size_t length, struct err *err)
{
    struct project_file *file = project_find(project, path), added = {.path = NULL};
    char *copy = malloc(length + 1);
    int result;

    if (copy == NULL)
        return err_no_memory(err);
    memcpy(copy, content, length);
    copy[length] = '\0';
    if (file != NULL) {
        free(file->content);
        free(file->link);
        file->link = NULL;
        file->content = copy;
        file->size = length;
        file->checksum[0] = '\0';
        return 0;
    }
    added = (struct project_file){.path = strdup(path), .content = copy, .size = length};
    result = added.path == NULL ? err_no_memory(err) : add_file(project, &added, err);
    if (result != 0)
        file_release(&added);
    else
        sort(project); // NOLINT(clang-analyzer-unix.Malloc): add_file took the copy over
    return result;
}

uint64_t project_bytes(const struct project *project)
{
    uint64_t bytes = 0; /* PROJECT_MAX_FILES * PROJECT_FILE_MOST fits */

    for (size_t i = 0; i < project->count; i++)
        if (!project->files[i].present)
            bytes += project->files[i].size;
    return bytes;
}

uint64_t project_arrived_bytes(const struct project *project)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < project->count; i++)
        if (!project->files[i].present)
            bytes += project->files[i].staged ? project->files[i].size : project->files[i].arrived;
    return bytes;
}

static int add_file_bytes(const char *path, struct checksum *sum, struct err *err)
{
    char *buffer = malloc(READ_SIZE);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), result = 0;
    ssize_t n = -1;

    if (buffer == NULL)
        result = err_no_memory(err);
    while (result == 0 && fd >= 0 && (n = read(fd, buffer, READ_SIZE)) > 0) {
        checksum_add(sum, buffer, (size_t)n);
        if (interrupted())
            result = interrupt_error(err);
    }
    if (result == 0 && n < 0)
        result = err_set_errno(err, errno, "cannot read '%s'", path);
    if (fd >= 0)
        close(fd);
    free(buffer);
    return result;
}

int project_checksum(const struct project *project, struct project_file *file, struct err *err)
{
    struct checksum *sum;
    char *path;
    int result = 0;

    if (file->checksum[0] != '\0' || file->link != NULL)
        return 0;
    sum = checksum_new_kind(project->kind);
    path = path_join(project->root, file->path);
    if (sum == NULL || path == NULL)
        result = err_no_memory(err);
    else if (file->content != NULL)
        checksum_add(sum, file->content, (size_t)file->size);
    else
        result = add_file_bytes(path, sum, err);
    if (result == 0)
        checksum_finish(sum, file->checksum);
    checksum_free(sum);
    free(path);
    return result;
}

int elf_machines(const char *path, const char **ret, struct err *err)
{
    static const struct {
        unsigned number;
        const char *names;
    } machines[] = {{3, "i386 i486 i586 i686 x86_64"},
                    {8, "mips mips64"},
                    {40, "armv5tel armv6l armv7l armv8l arm aarch64"},
                    {62, "x86_64"},
                    {183, "aarch64"},
                    {243, "riscv32 riscv64"},
                    {258, "loongarch64"}};
    unsigned char head[20];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : -1;
    int errnum = errno;

    if (fd >= 0)
        close(fd);
    if (n < 0)
        return err_set_errno(err, errnum, "cannot read '%s'", path);
    *ret = "";
    if ((size_t)n < sizeof head || memcmp(head, "\177ELF", 4) != 0)
        return 0;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        if (bytes_load(head + 18, 2, head[5] == 2) == machines[i].number)
            *ret = machines[i].names;
    return 0;
}

bool elf_machine_is_among(const char *machines, const char *machine)
{
    size_t length = strlen(machine);

    while (*machines != '\0') {
        size_t n = strcspn(machines, " ");

        if (n == length && memcmp(machines, machine, n) == 0)
            return true;
        machines += n + (machines[n] == ' ');
    }
    return false;
}
