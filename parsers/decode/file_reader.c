/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/decode/file_reader.h"

#include "base/file/fsutil.h"
#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_SIZE_MAX ((size_t)256 * 1024)
#define BLOCK_COUNT_MIN 8
#define BLOCK_COUNT_MAX (BLOCK_COUNT_MIN * BLOCK_SIZE_MAX / READER_WHOLE)
/* Captures of fewer bytes are read without a thread: to start one takes longer. */
#define THREAD_BYTES_MIN BLOCK_SIZE_MAX

/* Some bytes of one file. Small files need one block each. */
struct block {
    size_t file; /* index */
    size_t length;
    bool first, last, unopened;
    bool whole;                        /* a file that was read at once, which the decoder's side sums up */
    int failure;                       /* of the last: errno, or NOT_REGULAR */
    char checksum[CHECKSUM_TEXT_SIZE]; /* of the last */
};

/* A hole of so many bytes was never written: records are not read beyond it. Smaller ones are zeros like others. */
#define HOLE_MIN ((off_t)8 * 1024 * 1024 * 1024)

struct file_reader {
    const struct capture *capture;
    const bool *chosen;              /* NULL: all files */
    struct checksum *checksum;       /* of the reading side */
    struct checksum *whole_checksum; /* of the decoder's */
    unsigned char *bytes;            /* of all blocks */
    size_t block_size;
    struct block blocks[BLOCK_COUNT_MAX];
    size_t block_count;
    pthread_t thread;
    bool threaded;
    /* The reading side, which is the thread's if there is one: */
    size_t next;                /* file that comes next, or is open */
    int fd;                     /* -1: none is open */
    off_t left;                 /* bytes of the open file in front of its first large hole; -1: it has none */
    off_t size;                 /* of the open file when it was opened */
    off_t read;                 /* bytes of it */
    size_t place, filled, room; /* of the next block; so many wait to be handed over; so many are free */
    /* Shared by both: */
    pthread_mutex_t lock;
    pthread_cond_t readable, writable;
    size_t count;         /* blocks of the ring that were handed over, and not given back */
    atomic_size_t wanted; /* files before this one are not wanted any more */
    bool done, stop;      /* all is read; nothing is wanted any more */
    /* The decoder's side: */
    size_t first;            /* the current block, or the next one */
    size_t dropped;          /* blocks before it that are to be given back */
    size_t available, taken; /* filled blocks that it knows of, the current one included; bytes taken of it */
    bool has_block;          /* blocks[first] belongs to the open file */
    size_t peeked;           /* 1 + index of the file that was opened and nothing was taken of; 0: none */
    int peek_failure;        /* of its opening */
};

/* ---- reading ---- */

/* Blocks change hands by the half of the ring: a switch between threads takes longer than many a small file, and so
 * does a lock that both want for each of them. */
static size_t half_of(const struct file_reader *reader)
{
    return reader->block_count / 2;
}

/* Waits for a free block; NULL: nothing more is wanted. */
static struct block *free_block(struct file_reader *reader)
{
    bool stop = false;
    if (reader->room == 0) {
        pthread_mutex_lock(&reader->lock);
        while (reader->count > half_of(reader) && !reader->stop)
            pthread_cond_wait(&reader->writable, &reader->lock);
        reader->room = reader->block_count - reader->count;
        stop = reader->stop;
        pthread_mutex_unlock(&reader->lock);
    }
    return stop ? NULL : &reader->blocks[reader->place];
}

static void hand_over(struct file_reader *reader, bool done)
{
    pthread_mutex_lock(&reader->lock);
    reader->count += reader->filled;
    reader->done = done;
    if (done || reader->count >= half_of(reader))
        pthread_cond_signal(&reader->readable);
    pthread_mutex_unlock(&reader->lock);
    reader->filled = 0;
}

/* The block is filled. False: the rest of its file is not wanted. */
static bool publish(struct file_reader *reader, const struct block *block)
{
    reader->place = (reader->place + 1) % reader->block_count;
    reader->filled++;
    if (--reader->room == 0 || reader->filled >= half_of(reader))
        hand_over(reader, false);
    return block->file >= atomic_load(&reader->wanted);
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
        reader->read += got > 0 ? got : 0;
        if (room == 0) {
            block->failure = ENODATA;
            block->last = true;
        } else if (got > 0) {
            reader->left -= reader->left >= 0 ? got : 0;
            checksum_add(reader->checksum, bytes_of(reader, block) + block->length, (size_t)got);
            block->length += (size_t)got;
            block->last = (size_t)got < room && reader->read == reader->size; /* as long as it says: it ends here */
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
    return kind != NULL && !kind_is_text(kind);
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

/* Reads the next file at once when it is one of few bytes, as long as it was when it was listed, as most are. False:
 * nothing is read. */
static bool read_whole(struct file_reader *reader, struct block *block)
{
    const struct capture_file *file = &reader->capture->files[reader->next];
    if (file->size == 0 || file->size >= reader->block_size ||
        !capture_file_read_listed(reader->capture, file->name, file->size, bytes_of(reader, block)))
        return false;
    block->length = (size_t)file->size;
    block->last = block->whole = true;
    return true;
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
    if (block->first && read_whole(reader, block)) {
        leave_file(reader);
        return true;
    }
    if (block->first) {
        struct stat info;
        int failure;
        reader->fd = capture_file_open(capture, capture->files[reader->next].name, &info, &failure);
        block->last = block->unopened = reader->fd < 0;
        if (block->unopened)
            block->failure = failure;
        else
            reader->left = find_hole(reader->fd, &info);
        reader->size = block->unopened ? 0 : info.st_size;
        reader->read = 0;
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
    hand_over(reader, true);
    return NULL;
}

/* ---- the decoder's side ---- */

/* With the lock. */
static void give_back(struct file_reader *reader)
{
    reader->count -= reader->dropped;
    reader->dropped = 0;
    if (reader->count <= half_of(reader))
        pthread_cond_signal(&reader->writable);
}

/* Goes on from the current block, if there is one. */
static void drop_block(struct file_reader *reader)
{
    if (!reader->has_block)
        return;
    reader->first = (reader->first + 1) % reader->block_count;
    reader->available--;
    reader->taken = 0;
    reader->has_block = false;
    if (++reader->dropped < half_of(reader))
        return;
    pthread_mutex_lock(&reader->lock);
    give_back(reader);
    pthread_mutex_unlock(&reader->lock);
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
        give_back(reader);
        while (reader->count < half_of(reader) && !reader->done)
            pthread_cond_wait(&reader->readable, &reader->lock);
        reader->available = reader->count;
        pthread_mutex_unlock(&reader->lock);
    }
    reader->has_block = reader->available > 0;
    return reader->has_block ? &reader->blocks[reader->first] : NULL;
}

int file_reader_open(struct file_reader *reader, size_t index)
{
    const bool peeked = reader->peeked == index + 1;
    reader->peeked = 0;
    if (peeked)
        return reader->peek_failure;
    if (reader->threaded) {
        atomic_store(&reader->wanted, index);
    } else {
        give_up_file(reader);
        reader->next = index;
    }
    struct block *block = next_block(reader);
    while (block != NULL && (block->file < index || !block->first))
        block = next_block(reader);
    if (block == NULL || block->file != index)
        return ENOENT; /* cannot be: every file has a first block */
    /* small files are summed up here: the other thread takes longer to read them than this one to decode them */
    if (block->whole) {
        checksum_add(reader->whole_checksum, bytes_of(reader, block), block->length);
        checksum_finish(reader->whole_checksum, block->checksum);
    }
    return block->unopened ? block->failure : 0;
}

const char *file_reader_peek(struct file_reader *reader, size_t index)
{
    reader->peek_failure = file_reader_open(reader, index);
    reader->peeked = index + 1;
    const struct block *block = &reader->blocks[reader->first];
    return reader->peek_failure == 0 && block->last && block->failure == 0 ? block->checksum : NULL;
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

/* Chooses what most files need: of many small ones more wait. */
static size_t block_size_for(const struct capture *capture)
{
    const uint64_t average = capture_record_bytes(capture) / (capture->file_count + 1);
    size_t size = READER_WHOLE;
    while (average >= size && size < BLOCK_SIZE_MAX)
        size *= 2;
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
    reader->bytes = malloc((is_small ? 1 : reader->block_count) * (READER_FRONT + reader->block_size));
    reader->checksum = checksum_new_kind(CHECKSUM_XXH128);
    reader->whole_checksum = checksum_new_kind(CHECKSUM_XXH128);
    int status = 0;
    if (reader->bytes == NULL || reader->checksum == NULL || reader->whole_checksum == NULL)
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
    checksum_free(reader->whole_checksum);
    free(reader->bytes);
    pthread_cond_destroy(&reader->readable);
    pthread_cond_destroy(&reader->writable);
    pthread_mutex_destroy(&reader->lock);
    free(reader);
}
