/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/decode/file_reader.h"

#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_SIZE_MAX ((size_t)256 * 1024)
#define BLOCK_SIZE_MIN ((size_t)4 * 1024)
#define BLOCK_COUNT_MIN 8
#define BLOCK_COUNT_MAX 64 /* of the smallest: a switch between threads takes longer than many a small file */
/* Captures of fewer bytes are read without a thread: to start one takes longer. */
#define THREAD_BYTES_MIN BLOCK_SIZE_MAX

/* Some bytes of one file. Small files need one block each. */
struct block {
    size_t file; /* index */
    size_t length;
    bool first, last, unopened;
    int failure;                       /* of the last: errno, or NOT_REGULAR */
    char checksum[CHECKSUM_TEXT_SIZE]; /* of the last */
};

/* A hole of so many bytes was never written: records are not read beyond it. Smaller ones are zeros like others. */
#define HOLE_MIN ((off_t)8 * 1024 * 1024 * 1024)

struct file_reader {
    const struct capture *capture;
    const bool *chosen; /* NULL: all files */
    struct checksum *checksum;
    unsigned char *bytes; /* of all blocks */
    size_t block_size;
    struct block blocks[BLOCK_COUNT_MAX];
    size_t block_count;
    pthread_t thread;
    bool threaded;
    /* The reading side, which is the thread's if there is one: */
    size_t next; /* file that comes next, or is open */
    int fd;      /* -1: none is open */
    off_t left;  /* bytes of the open file in front of its first large hole; -1: it has none */
    /* Shared by both: */
    pthread_mutex_t lock;
    pthread_cond_t readable, writable;
    size_t first, count; /* filled blocks, a ring */
    size_t wanted;       /* files before this one are not wanted any more */
    bool done, stop;     /* all is read; nothing is wanted any more */
    /* The decoder's side: */
    size_t available, taken; /* filled blocks that it knows of, the current one included; bytes taken of it */
    bool has_block;          /* blocks[first] belongs to the open file */
};

/* ---- reading ---- */

/* Waits for a free block; NULL: nothing more is wanted. Waiting goes on until half of the ring is free, as it does on
 * the other side until half is filled: a switch between threads takes longer than many a small file. */
static struct block *free_block(struct file_reader *reader)
{
    struct block *block = NULL;
    pthread_mutex_lock(&reader->lock);
    if (reader->count == reader->block_count) {
        while (reader->count > reader->block_count / 2 && !reader->stop)
            pthread_cond_wait(&reader->writable, &reader->lock);
    }
    if (!reader->stop)
        block = &reader->blocks[(reader->first + reader->count) % reader->block_count];
    pthread_mutex_unlock(&reader->lock);
    return block;
}

/* Hands the block over. False: the rest of its file is not wanted. */
static bool publish(struct file_reader *reader, const struct block *block)
{
    pthread_mutex_lock(&reader->lock);
    reader->count++;
    bool wanted = !reader->stop && block->file >= reader->wanted;
    if (reader->count >= reader->block_count / 2)
        pthread_cond_signal(&reader->readable);
    pthread_mutex_unlock(&reader->lock);
    return wanted;
}

static unsigned char *bytes_of(const struct file_reader *reader, const struct block *block)
{
    return reader->bytes + (size_t)(block - reader->blocks) * (READER_FRONT + reader->block_size) + READER_FRONT;
}

/* Fills the block with what follows in the file. */
static void fill_block(struct file_reader *reader, int fd, struct block *block)
{
    while (!block->last && block->length < reader->block_size) {
        size_t room = reader->block_size - block->length;
        if (reader->left >= 0 && (off_t)room > reader->left)
            room = (size_t)reader->left;
        ssize_t got = room > 0 ? read(fd, bytes_of(reader, block) + block->length, room) : 0;
        if (room == 0) {
            block->failure = ENODATA;
            block->last = true;
        } else if (got > 0) {
            reader->left -= reader->left >= 0 ? got : 0;
            checksum_add(reader->checksum, bytes_of(reader, block) + block->length, (size_t)got);
            block->length += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            block->failure = got == 0 ? 0 : errno;
            block->last = true;
        }
    }
}

/* Where the first large hole begins that is not at the end of all; -1: nowhere. The file is at its start again. */
static off_t find_hole(int fd, const struct stat *info)
{
    off_t found = -1, data = 0;
    if ((off_t)info->st_blocks * 512 > info->st_size - HOLE_MIN)
        return -1;
    while (found < 0 && data < info->st_size) {
        off_t hole = lseek(fd, data, SEEK_HOLE);
        data = hole >= 0 && hole < info->st_size ? lseek(fd, hole, SEEK_DATA) : info->st_size;
        data = data < 0 ? info->st_size : data; /* nothing but the hole */
        if (hole >= 0 && data - hole >= HOLE_MIN)
            found = hole;
    }
    lseek(fd, 0, SEEK_SET);
    return found;
}

static bool is_binary(const struct record_kind *kind)
{
    return kind != NULL && (kind->hooks == NULL || kind->hooks->text == NULL);
}

static bool is_wanted(const struct file_reader *reader, size_t index)
{
    return is_binary(reader->capture->files[index].kind) && (reader->chosen == NULL || reader->chosen[index]);
}

static void leave_file(struct file_reader *reader)
{
    if (reader->fd >= 0)
        close(reader->fd);
    reader->fd = -1;
    reader->next++;
}

/* Fills the block with what comes next, of the open file or of the next one. False: everything is read. */
static bool read_block(struct file_reader *reader, struct block *block)
{
    const struct capture *capture = reader->capture;
    *block = (struct block){.first = reader->fd < 0};
    while (reader->fd < 0 && reader->next < capture->file_count && !is_wanted(reader, reader->next))
        reader->next++;
    if (reader->next == capture->file_count)
        return false;
    block->file = reader->next;
    if (block->first) {
        struct stat info;
        int failure;
        reader->fd = capture_file_open(capture, &capture->files[reader->next], &info, &failure);
        block->last = block->unopened = reader->fd < 0;
        if (block->unopened)
            block->failure = failure;
        else
            reader->left = find_hole(reader->fd, &info);
    }
    fill_block(reader, reader->fd, block);
    if (block->last) {
        checksum_finish(reader->checksum, block->checksum);
        leave_file(reader);
    }
    return true;
}

/* Gives up the rest of the open file, if one is: the sum starts anew. */
static void give_up_file(struct file_reader *reader)
{
    char ignored[CHECKSUM_TEXT_SIZE];
    if (reader->fd < 0)
        return;
    checksum_finish(reader->checksum, ignored);
    leave_file(reader);
}

static void *reader_thread(void *arg)
{
    struct file_reader *reader = arg;
    struct block *block;
    while ((block = free_block(reader)) != NULL && read_block(reader, block)) {
        if (!publish(reader, block))
            give_up_file(reader);
    }
    pthread_mutex_lock(&reader->lock);
    reader->done = true;
    pthread_cond_signal(&reader->readable);
    pthread_mutex_unlock(&reader->lock);
    return NULL;
}

/* ---- the decoder's side ---- */

/* Gives blocks[first] back, if there is one. */
static void drop_block(struct file_reader *reader)
{
    if (!reader->has_block)
        return;
    pthread_mutex_lock(&reader->lock);
    reader->first = (reader->first + 1) % reader->block_count;
    reader->count--;
    if (reader->count <= reader->block_count / 2)
        pthread_cond_signal(&reader->writable);
    pthread_mutex_unlock(&reader->lock);
    reader->available--;
    reader->taken = 0;
    reader->has_block = false;
}

/* The next block of a reader without a thread, which has one. */
static struct block *read_next_block(struct file_reader *reader)
{
    reader->taken = 0;
    return read_block(reader, &reader->blocks[0]) ? &reader->blocks[0] : NULL;
}

/* Waits for the next block; NULL: everything has been read. */
static struct block *next_block(struct file_reader *reader)
{
    if (!reader->threaded)
        return read_next_block(reader);
    drop_block(reader);
    if (reader->available == 0) {
        pthread_mutex_lock(&reader->lock);
        while (reader->count < reader->block_count / 2 && !reader->done)
            pthread_cond_wait(&reader->readable, &reader->lock);
        reader->available = reader->count;
        pthread_mutex_unlock(&reader->lock);
    }
    reader->has_block = reader->available > 0;
    return reader->has_block ? &reader->blocks[reader->first] : NULL;
}

int file_reader_open(struct file_reader *reader, size_t index)
{
    if (reader->threaded) {
        pthread_mutex_lock(&reader->lock);
        reader->wanted = index;
        pthread_mutex_unlock(&reader->lock);
    } else {
        give_up_file(reader);
        reader->next = index;
    }
    struct block *block = next_block(reader);
    while (block != NULL && (block->file < index || !block->first))
        block = next_block(reader);
    if (block == NULL || block->file != index)
        return ENOENT; /* cannot be: every file has a first block */
    return block->unopened ? block->failure : 0;
}

/* Bytes that the current block, or the next one, still has; 0 at the end of the file, -1 with errno set. */
static ssize_t bytes_left(struct file_reader *reader)
{
    const struct block *block = &reader->blocks[reader->first];
    while (reader->taken == block->length) {
        if (block->last && block->failure == 0)
            return 0;
        if (block->last || (block = next_block(reader)) == NULL) {
            errno = block != NULL && block->failure > 0 ? block->failure : EIO;
            return -1;
        }
    }
    return (ssize_t)(block->length - reader->taken);
}

ssize_t file_reader_read(struct file_reader *reader, void *buffer, size_t size)
{
    unsigned char *bytes;
    ssize_t left = bytes_left(reader);
    if (left <= 0)
        return left;
    size_t length = (size_t)left < size ? (size_t)left : size;
    bytes = bytes_of(reader, &reader->blocks[reader->first]) + reader->taken;
    memcpy(buffer, bytes, length);
    reader->taken += length;
    return (ssize_t)length;
}

ssize_t file_reader_lend(struct file_reader *reader, unsigned char **ret)
{
    ssize_t left = bytes_left(reader);
    if (left > 0) {
        *ret = bytes_of(reader, &reader->blocks[reader->first]) + reader->taken;
        reader->taken += (size_t)left;
    }
    return left;
}

const char *file_reader_checksum(const struct file_reader *reader)
{
    return reader->blocks[reader->first].checksum;
}

/* ---- its life ---- */

static int start(struct file_reader *reader, struct err *err)
{
    int failure = thread_start(&reader->thread, reader_thread, reader);
    reader->threaded = failure == 0;
    return failure == 0 ? 0 : err_set_errno(err, failure, "cannot start a thread that reads files");
}

/* Chooses for small captures no more than their largest file needs, and a byte to find that it ends. */
static size_t block_size_for(const struct capture *capture)
{
    size_t size = BLOCK_SIZE_MIN;
    for (size_t i = 0; i < capture->file_count && size < BLOCK_SIZE_MAX; i++) {
        while (capture->files[i].size >= size && size < BLOCK_SIZE_MAX)
            size *= 2;
    }
    return size;
}

struct file_reader *file_reader_new(const struct capture *capture, size_t first, const bool *chosen, struct err *err)
{
    struct file_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        err_no_memory(err);
        return NULL;
    }
    bool is_small = capture_record_bytes(capture) < THREAD_BYTES_MIN;
    reader->capture = capture;
    reader->chosen = chosen;
    reader->next = first;
    reader->fd = -1;
    pthread_mutex_init(&reader->lock, NULL);
    pthread_cond_init(&reader->readable, NULL);
    pthread_cond_init(&reader->writable, NULL);
    reader->block_size = block_size_for(capture);
    reader->block_count = BLOCK_COUNT_MIN * BLOCK_SIZE_MAX / reader->block_size;
    reader->block_count = reader->block_count < BLOCK_COUNT_MAX ? reader->block_count : BLOCK_COUNT_MAX;
    reader->bytes = malloc((is_small ? 1 : reader->block_count) * (READER_FRONT + reader->block_size));
    reader->checksum = checksum_new();
    int status = 0;
    if (reader->bytes == NULL || reader->checksum == NULL)
        status = err_no_memory(err);
    else if (!is_small)
        status = start(reader, err);
    if (status < 0) {
        file_reader_free(reader);
        return NULL;
    }
    return reader;
}

void file_reader_free(struct file_reader *reader)
{
    if (reader == NULL)
        return;
    pthread_mutex_lock(&reader->lock);
    reader->stop = true;
    pthread_cond_signal(&reader->writable);
    pthread_mutex_unlock(&reader->lock);
    if (reader->threaded)
        pthread_join(reader->thread, NULL);
    if (reader->fd >= 0)
        close(reader->fd);
    checksum_free(reader->checksum);
    free(reader->bytes);
    pthread_cond_destroy(&reader->readable);
    pthread_cond_destroy(&reader->writable);
    pthread_mutex_destroy(&reader->lock);
    free(reader);
}
