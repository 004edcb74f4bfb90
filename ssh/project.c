/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/project.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/file/fsutil.h"
#include "base/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH 64
#define READ_SIZE ((size_t)256 * 1024)

static int add_file(struct project *project, const struct project_file *file, struct err *err)
{
    if (project->count >= PROJECT_MAX_FILES)
        return err_set(err, ERR_LIMIT, "'%s' contains more than %d files", project->root, PROJECT_MAX_FILES);
    if (project->count == project->capacity &&
        array_grow(&project->files, &project->capacity, project->count, 1, sizeof *project->files, err) < 0)
        return err_status(err);
    project->files[project->count++] = *file;
    return 0;
}

static void file_release(struct project_file *file)
{
    free(file->path);
    free(file->link);
    free(file->content);
}

static bool is_excluded(const char *const *exclude, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(exclude[i], path_name(path), 0) == 0 || fnmatch(exclude[i], path, FNM_PATHNAME) == 0)
            return true;
    return false;
}

static int check_name(const char *path, struct err *err)
{
    for (const char *c = path; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F) {
            err_set(err, ERR_FAILED, "the name '%s' contains control characters", path);
            return err_hint(err, "rename it, or exclude it with --exclude");
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

/* path: relative to the root; place: where it is. */
static int add_entry(struct project *project, const char *path, const char *place, bool points, struct err *err)
{
    char target[100]; /* what a tar header has room for */
    ssize_t length = points ? readlink(place, target, sizeof target) : -1;
    struct project_file file = {.path = NULL};
    struct stat st;
    bool is_link = false;

    if (length > 0 && (size_t)length < sizeof target) {
        target[length] = '\0';
        is_link = stays_inside(path, target);
    }
    if (!is_link) {
        const bool there = stat(place, &st) == 0;
        if (!there && errno != ENOENT && errno != ENOTDIR && errno != ELOOP) /* which a link that leads nowhere has */
            return err_set_errno(err, errno, "cannot read '%s' of the project", path);
        if (!there || !S_ISREG(st.st_mode)) {
            told_add(&project->skipped, path);
            return 0;
        }
        file.size = (uint64_t)st.st_size;
        file.executable = (st.st_mode & 0111) != 0;
    }
    if (check_name(path, err) != 0)
        return err_status(err);
    if (file.size > PROJECT_FILE_MOST)
        return err_set(err, ERR_LIMIT, "'%s' is too large to upload", path);
    file.path = strdup(path);
    file.link = is_link ? strdup(target) : NULL;
    if (file.path != NULL && (file.link != NULL) == is_link && add_file(project, &file, err) == 0)
        return 0; // NOLINT(clang-analyzer-unix.Malloc): add_file took path and link over
    file_release(&file);
    return err->code != ERR_NONE ? err_status(err) : err_no_memory(err);
}

struct search {
    struct project *project;
    const char *const *exclude;
    size_t exclude_count;
};

static int walk(const struct search *search, const char *inside, unsigned depth, struct err *err);

static int walk_entry(const struct search *search, const char *path, unsigned depth, struct err *err)
{
    SCOPED_FREE char *place = path_joined(search->project->root, path, err);
    struct stat info;

    if (place == NULL)
        return err_status(err);
    if (is_excluded(search->exclude, search->exclude_count, path))
        return 0;
    if (lstat(place, &info) != 0)
        return errno == ENOENT ? 0 : err_set_errno(err, errno, "cannot read '%s' of the project", path);
    if (!S_ISDIR(info.st_mode))
        return add_entry(search->project, path, place, S_ISLNK(info.st_mode), err);
    return depth < MAX_DEPTH ? walk(search, path, depth + 1, err)
                             : err_set(err, ERR_LIMIT, "'%s' is nested too deep", path);
}

/* Adds what is in a directory, which is called relative to the root; "": the root. */
static int walk(const struct search *search, const char *inside, unsigned depth, struct err *err)
{
    SCOPED_FREE char *place = inside[0] != '\0' ? path_joined(search->project->root, inside, err)
                                                : scoped_text(search->project->root, SIZE_MAX);
    SCOPED_DIRECTORY DIR *stream = place != NULL ? opendir(place) : NULL;
    int status = 0;

    if (place == NULL)
        return err_no_memory(err);
    if (stream == NULL)
        return err_set_errno(err, errno, "cannot read the directory '%s'", place);
    for (const struct dirent *entry; status == 0 && (entry = path_next_entry(stream, place, &status, err)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        SCOPED_FREE char *path = path_joined(inside, entry->d_name, err);
        status = path == NULL    ? err_status(err)
                 : interrupted() ? interrupt_error(err)
                                 : walk_entry(search, path, depth, err);
    }
    return status;
}

static void sort(struct project *project)
{
    paths_sort(project->files, project->count, sizeof *project->files);
}

int project_open(struct project *project, const char *root, const char *const *exclude, size_t exclude_count,
                 struct err *err)
{
    const struct search search = {project, exclude, exclude_count};

    *project = (struct project){.root = strdup(root)};
    int result = project->root != NULL ? walk(&search, "", 0, err) : err_no_memory(err);
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
    return paths_find(project->files, project->count, sizeof *project->files, path);
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
    SCOPED_FREE char *buffer = scoped_memory(READ_SIZE, 1);
    SCOPED_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = -1;
    if (buffer == NULL)
        return err_no_memory(err);
    while (fd >= 0 && (n = read(fd, buffer, READ_SIZE)) > 0) {
        checksum_add(sum, buffer, (size_t)n);
        if (interrupted())
            return interrupt_error(err);
    }
    return n < 0 ? err_set_errno(err, errno, "cannot read '%s'", path) : 0;
}

int project_checksum(const struct project *project, struct project_file *file, struct err *err)
{
    struct checksum *sum;
    int result = 0;

    if (file->checksum[0] != '\0' || file->link != NULL)
        return 0;
    sum = checksum_new_kind(project->kind);
    SCOPED_FREE char *path = path_join(project->root, file->path);
    if (sum == NULL || path == NULL)
        result = err_no_memory(err);
    else if (file->content != NULL)
        checksum_add(sum, file->content, (size_t)file->size);
    else
        result = add_file_bytes(path, sum, err);
    if (result == 0)
        checksum_finish(sum, file->checksum);
    checksum_free(sum);
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
    SCOPED_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : -1;

    if (n < 0)
        return err_set_errno(err, errno, "cannot read '%s'", path);
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
