/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/transfer/tar_out.h"

#include "base/file/fsutil.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_SIZE ((size_t)512)
#define BUFFER_SIZE ((size_t)128 * 1024)
#define HEADERS_SIZE (4 * BLOCK_SIZE + 4096) /* a header, and one with a long name before it */

/* POSIX ustar: offsets and widths of the fields. */
enum {
    NAME_WIDTH = 100,
    MODE = 100,
    OWNER = 108,
    GROUP = 116,
    SIZE = 124,
    TIME = 136,
    CHECKSUM = 148,
    TYPE = 156,
    LINK = 157,
    LINK_WIDTH = 100,
    MAGIC = 257
};

static void put_octal(char *field, size_t width, uint64_t value)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%0*llo", (int)width - 1, (unsigned long long)value);

    memcpy(field, text, (size_t)length < width ? (size_t)length : width);
}

static size_t put_header(char *block, const char *name, const char *link, uint64_t size, unsigned mode, char type)
{
    unsigned sum = 0;

    memset(block, 0, BLOCK_SIZE);
    memcpy(block, name, strnlen(name, NAME_WIDTH));
    put_octal(block + MODE, 8, mode);
    put_octal(block + OWNER, 8, 0);
    put_octal(block + GROUP, 8, 0);
    put_octal(block + SIZE, 12, size);
    put_octal(block + TIME, 12, 0);
    block[TYPE] = type;
    if (link != NULL)
        memcpy(block + LINK, link, strnlen(link, LINK_WIDTH));
    memcpy(block + MAGIC, "ustar\00000", 8);
    memset(block + CHECKSUM, ' ', 8);
    for (size_t i = 0; i < BLOCK_SIZE; i++)
        sum += (unsigned char)block[i];
    put_octal(block + CHECKSUM, 7, sum);
    return BLOCK_SIZE;
}

static size_t round_up(size_t length)
{
    return (length + BLOCK_SIZE - 1) / BLOCK_SIZE * BLOCK_SIZE;
}

/* A name beyond the field goes in front, as the content of an entry of type L. */
static size_t put_entry(char *buffer, const struct project_file *file)
{
    size_t length = strlen(file->path), used = 0;

    if (length > NAME_WIDTH) {
        used = put_header(buffer, "././@LongLink", NULL, length + 1, 0644, 'L');
        memset(buffer + used, 0, round_up(length + 1));
        memcpy(buffer + used, file->path, length);
        used += round_up(length + 1);
    }
    return used + put_header(buffer + used, file->path, file->link, file->link != NULL ? 0 : file->size,
                             file->executable ? 0750 : 0640, file->link != NULL ? '2' : '0');
}

static bool is_there(const struct project_file *file)
{
    return file->present || file->staged;
}

int tar_out_init(struct tar_out *tar, struct project *project, const struct progress *progress, struct err *err)
{
    *tar = (struct tar_out){.project = project,
                            .progress = progress,
                            .fd = -1,
                            .last = project->count,
                            .sum = checksum_new_kind(project->kind),
                            .buffer = malloc(BUFFER_SIZE),
                            .done_bytes = project_arrived_bytes(project),
                            .total_bytes = project_bytes(project)};
    if (tar->sum != NULL && tar->buffer != NULL)
        return 0;
    tar_out_release(tar);
    return err_set(err, ERR_NO_MEMORY, "out of memory");
}

void tar_out_release(struct tar_out *tar)
{
    if (tar->fd >= 0)
        close(tar->fd);
    checksum_free(tar->sum);
    free(tar->buffer);
    *tar = (struct tar_out){.fd = -1};
}

void tar_out_choose(struct tar_out *tar, size_t index)
{
    tar->next = index;
    tar->last = index + 1;
    tar->plain = true;
}

static int begin_file(struct tar_out *tar, const struct project_file *file, size_t *ret_used, struct err *err)
{
    char *path;
    int result = 0;

    if (strlen(file->path) + 1 > HEADERS_SIZE - 3 * BLOCK_SIZE)
        return err_set(err, ERR_LIMIT, "the name '%s' is too long", file->path);
    *ret_used = tar->plain ? 0 : put_entry(tar->buffer, file);
    tar->left = file->link != NULL ? 0 : file->size;
    tar->content = file->content;
    if (file->link != NULL || file->content != NULL)
        return 0;
    path = path_join(tar->project->root, file->path);
    if (path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    tar->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (tar->fd < 0 || (tar->plain && lseek(tar->fd, (off_t)file->arrived, SEEK_SET) < 0))
        result = err_set_errno(err, errno, "cannot read '%s'", path);
    else if (tar->plain)
        tar->left -= file->arrived;
    free(path);
    return result;
}

/* Appends up to space bytes of the file under way. */
static int add_content(struct tar_out *tar, char *at, size_t space, size_t *ret, struct err *err)
{
    const struct project_file *file = &tar->project->files[tar->next];
    size_t wanted = tar->left < space ? (size_t)tar->left : space;
    ssize_t n = (ssize_t)wanted;

    if (tar->content != NULL) {
        memcpy(at, tar->content, wanted);
        tar->content += wanted;
    } else {
        do
            n = read(tar->fd, at, wanted);
        while (n < 0 && errno == EINTR);
        if (n < 0)
            return err_set_errno(err, errno, "cannot read '%s'", file->path);
        if (n == 0) {
            err_set(err, ERR_FAILED, "'%s' became shorter while it was sent", file->path);
            return err_hint(err, "wait until the build is done, then run again");
        }
    }
    checksum_add(tar->sum, at, (size_t)n);
    tar->left -= (uint64_t)n;
    tar->done_bytes += (uint64_t)n;
    *ret = (size_t)n;
    return 0;
}

static void end_file(struct tar_out *tar)
{
    struct project_file *file = &tar->project->files[tar->next];

    checksum_finish(tar->sum, file->checksum);
    if (file->link != NULL || (tar->plain && file->arrived > 0))
        file->checksum[0] = '\0';
    if (tar->fd >= 0)
        close(tar->fd);
    tar->fd = -1;
    tar->content = NULL;
    tar->next++;
}

static bool is_under_way(const struct tar_out *tar)
{
    return tar->fd >= 0 || tar->content != NULL;
}

/* Fills the buffer with a header, content and padding, as far as one file goes. */
static int fill(struct tar_out *tar, size_t *ret_used, struct err *err)
{
    const struct project_file *file = &tar->project->files[tar->next];
    size_t used = 0;

    if (!is_under_way(tar)) {
        int result = begin_file(tar, file, &used, err);

        if (result != 0)
            return result;
    }
    while (tar->left > 0 && used < BUFFER_SIZE - BLOCK_SIZE) {
        size_t added = 0;
        int result = add_content(tar, tar->buffer + used, BUFFER_SIZE - BLOCK_SIZE - used, &added, err);

        if (result != 0)
            return result;
        used += added;
    }
    if (tar->left == 0) {
        size_t size = file->link != NULL ? 0 : (size_t)(file->size % BLOCK_SIZE);
        size_t padding = size > 0 && !tar->plain ? BLOCK_SIZE - size : 0;

        memset(tar->buffer + used, 0, padding);
        used += padding;
        end_file(tar);
    }
    *ret_used = used;
    return 0;
}

int tar_out_next(void *arg, const char **bytes, size_t *length, struct err *err)
{
    struct tar_out *tar = arg;
    int result = 0;

    *bytes = tar->buffer;
    *length = 0;
    while (tar->next < tar->last && is_there(&tar->project->files[tar->next]))
        tar->next++;
    while (tar->next < tar->last && *length == 0 && result == 0) { /* plain files without content give nothing */
        result = fill(tar, length, err);
        progress_update(tar->progress, "uploading", tar->done_bytes, tar->total_bytes);
    }
    if (*length == 0 && result == 0 && !tar->plain && !tar->ended) {
        memset(tar->buffer, 0, 2 * BLOCK_SIZE);
        *length = 2 * BLOCK_SIZE;
        tar->ended = true;
    }
    return result;
}
