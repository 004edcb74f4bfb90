/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/layouts/source.h"

#include "base/array.h"
#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_SIZE ((size_t)1024 * 1024)

/* Fewer bytes than wanted: the file became shorter. */
static size_t read_at(int fd, uint64_t offset, size_t size, unsigned char *ret)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(fd, ret + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

int source_add(struct source *source, const char *path, const char *name, struct err *err)
{
    struct stat info;
    if (array_reserve(source, 1, err) < 0)
        return -(int)err->code;
    struct source_file file = {.name = name, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (file.fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", name);
    if (fstat(file.fd, &info) < 0 || !S_ISREG(info.st_mode)) {
        close(file.fd);
        return err_set(err, ERR_FORMAT, "'%s' is not a regular file", name);
    }
    file.length = (uint64_t)info.st_size;
    if (file.length <= SOURCE_CACHED && (file.bytes = malloc((size_t)file.length + 1)) != NULL)
        file.length = read_at(file.fd, 0, (size_t)file.length, file.bytes);
    source->items[source->count++] = file;
    return 0;
}

void source_release(struct source *source)
{
    for (size_t i = 0; i < source->count; i++) {
        close(source->items[i].fd);
        free(source->items[i].bytes);
    }
    free(source->items);
    *source = (struct source){.items = NULL};
}

bool source_read(const struct source_file *file, uint64_t offset, size_t size, unsigned char *ret)
{
    if (offset > file->length || file->length - offset < size)
        return 0;
    if (file->bytes != NULL) {
        memcpy(ret, file->bytes + offset, size);
        return true;
    }
    return read_at(file->fd, offset, size, ret) == size;
}

bool source_record(const struct source *source, const struct source_stream *stream, uint64_t header, size_t size,
                   uint64_t index, unsigned char *ret)
{
    for (size_t i = 0; i < stream->count; i++) {
        const struct source_file *file = &source->items[stream->first + i];
        uint64_t records = file->length > header ? (file->length - header) / size : 0;
        if (index < records)
            return source_read(file, header + index * size, size, ret);
        index -= records;
    }
    return false;
}

uint64_t source_masks(const struct source *source, uint64_t header, size_t size, uint64_t most, unsigned char *ones,
                      unsigned char *zeros, struct err *err)
{
    size_t per_chunk = CHUNK_SIZE / size > 0 ? CHUNK_SIZE / size : 1;
    unsigned char *chunk = calloc(1, per_chunk * size);
    uint64_t records = 0;
    memset(ones, 0, size);
    memset(zeros, 0, size);
    if (chunk == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return 0;
    }
    for (size_t f = 0; f < source->count; f++) {
        uint64_t at = header, here = 0;
        while (here < most && source->items[f].length >= at && source->items[f].length - at >= size && !interrupted()) {
            uint64_t left = (source->items[f].length - at) / size;
            left = left < most - here ? left : most - here;
            size_t count = left < per_chunk ? (size_t)left : per_chunk;
            if (!source_read(&source->items[f], at, count * size, chunk))
                break;
            for (size_t i = 0; i < count; i++) {
                for (size_t k = 0; k < size; k++) {
                    ones[k] |= chunk[i * size + k];
                    zeros[k] |= (unsigned char)~chunk[i * size + k];
                }
            }
            records += count;
            here += count;
            at += (uint64_t)count * size;
        }
    }
    free(chunk);
    return records;
}
