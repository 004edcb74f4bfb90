/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/spool.h"

#include "base/array.h"
#include "base/file/temporary.h"
#include "base/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WRITE_SIZE ((size_t)256 * 1024)
#define FIRST_ROOM ((size_t)16 * 1024)
/* Memory of all runs together, which only those of many million records take. */
#define READ_MEMORY ((size_t)8 * 1024 * 1024)
/* Memory whose halves take turns: one is filled while the other is written. */
#define BESIDE_FROM ((size_t)1024 * 1024)
/* To close such a file takes so long that a thread does it. */
#define LONG_FILE ((off_t)16 * 1024 * 1024)
#define READ_SIZE_MIN ((size_t)4096)
#define READ_SIZE_MAX ((size_t)32 * 1024)

struct entry {
    struct spool_key key;
    uint32_t offset, size;
};

/* Before each record in the file. Each half of its key is that of the record before, or follows: first the minor. */
struct header {
    uint32_t size;
    uint16_t has_minor, has_major;
};
_Static_assert(sizeof(struct header) + sizeof(struct spool_key) + SPOOL_RECORD_MAX <= READ_SIZE_MIN,
               "a buffer holds a record");

/* A sorted part of the file, and what is still in memory behind it, or alone. */
struct run {
    bool in_memory;
    off_t start, next, end; /* next: what is not read yet */
    char *buffer;
    size_t at, filled;
    struct spool_item item; /* the first that was not given yet */
};

/* Records in memory. */
struct batch {
    int (*ties)(const void *a, const void *b);
    struct ARRAY_OF(char) bytes;
    struct entries {
        struct entry *items;
        size_t count, capacity;
    } entries, sorted; /* sorted: room for sorting */
};

struct spool {
    size_t memory, room, left; /* room: of the memory, reserved; left: of the room */
    struct batch filling, writing;
    pthread_t writer;
    bool is_writing, halved; /* halved: the batches take turns */
    struct err failure;      /* of the writer */
    /* The writer's while it writes: */
    struct ARRAY_OF(struct run) runs;
    struct spool_key last; /* of the last run */
    int file;              /* -1: nothing was written */
    off_t file_size;
    char *buffer; /* for writing */
    size_t buffered;
    /* For reading: */
    size_t given; /* of the entries in memory */
    size_t *heap; /* runs, the one with the first item on top */
    size_t heaped;
    size_t read_size;
    bool on_top_given; /* the item on top was given */
};

struct spool *spool_new(size_t memory, int (*ties)(const void *a, const void *b), struct err *err)
{
    struct spool *spool = calloc(1, sizeof *spool);
    if (spool == NULL) {
        err_no_memory(err);
        return NULL;
    }
    spool->memory = memory < UINT32_MAX / 2 ? memory : UINT32_MAX / 2;
    spool->filling.ties = spool->writing.ties = ties;
    spool->file = -1;
    return spool;
}

static void release_batch(struct batch *batch)
{
    free(batch->bytes.items);
    free(batch->entries.items);
    free(batch->sorted.items);
    *batch = (struct batch){.ties = batch->ties};
}

/* Waits until the batch that is being written is. */
static int end_writing(struct spool *spool, struct err *err)
{
    if (!spool->is_writing)
        return 0;
    pthread_join(spool->writer, NULL);
    spool->is_writing = false;
    if (spool->failure.code == ERR_NONE)
        return 0;
    *err = spool->failure;
    return err_status(err);
}

static void *close_file(void *arg)
{
    close((int)(intptr_t)arg);
    return NULL;
}

/* Takes a long file out of the page cache beside what comes next. */
static void close_long_file(int fd)
{
    pthread_t thread;
    if (thread_start(&thread, close_file, (void *)(intptr_t)fd) == 0)
        pthread_detach(thread);
    else
        close(fd);
}

void spool_free(struct spool *spool)
{
    struct err ignored = ERR_INIT;
    if (spool == NULL)
        return;
    (void)end_writing(spool, &ignored);
    for (size_t i = 0; i < spool->runs.count; i++)
        free(spool->runs.items[i].buffer);
    if (spool->file >= 0 && spool->file_size >= LONG_FILE)
        close_long_file(spool->file);
    else if (spool->file >= 0)
        close(spool->file);
    free(spool->runs.items);
    release_batch(&spool->filling);
    release_batch(&spool->writing);
    free(spool->buffer);
    free(spool->heap);
    free(spool);
}

/* ---- sorting what is in memory ---- */

static size_t byte_of(const struct spool_key *key, unsigned byte)
{
    return (byte < 8 ? key->minor >> byte * 8 : key->major >> (byte - 8) * 8) & UINT64_C(0xff);
}

/* Moves the entries to `to` in the order of one byte, of equal ones in that which they have. */
static void sort_by_byte(const struct entry *from, struct entry *to, size_t count, unsigned byte)
{
    size_t places[256] = {0}, place = 0;
    for (size_t i = 0; i < count; i++)
        places[byte_of(&from[i].key, byte)]++;
    for (size_t i = 0; i < 256; i++) {
        size_t of_value = places[i];
        places[i] = place;
        place += of_value;
    }
    for (size_t i = 0; i < count; i++)
        to[places[byte_of(&from[i].key, byte)]++] = from[i];
}

/* Which bits are not the same in all keys. */
static struct spool_key differences(const struct entry *entries, size_t count)
{
    struct spool_key differ = {0, 0};
    for (size_t i = 1; i < count; i++) {
        differ.major |= entries[i].key.major ^ entries[0].key.major;
        differ.minor |= entries[i].key.minor ^ entries[0].key.minor;
    }
    return differ;
}

static bool key_before(const struct entry *a, const struct entry *b)
{
    return a->key.major != b->key.major ? a->key.major < b->key.major : a->key.minor < b->key.minor;
}

/* Sorts stretches that are nearly in order; entries with equal keys stay in theirs. The number of stretches, whose
 * first entries are put in starts; SIZE_MAX: there are more than `most`. */
static size_t sort_stretches(struct entry *entries, size_t count, size_t *starts, size_t most)
{
    enum { NEAR = 8 };
    size_t stretches = 1, start = starts[0] = 0;
    for (size_t i = 1; i < count; i++) {
        if (!key_before(&entries[i], &entries[i - 1]))
            continue;
        const struct entry moved = entries[i];
        size_t lowest = i - start > NEAR ? i - NEAR : start, at = i;
        for (; at > lowest && key_before(&moved, &entries[at - 1]); at--)
            entries[at] = entries[at - 1];
        if (at > start && at == lowest && key_before(&moved, &entries[at - 1])) { /* far away */
            for (; at < i; at++)
                entries[at] = entries[at + 1];
            start = i;
            if (stretches < most)
                starts[stretches] = i;
            stretches++;
        }
        entries[at] = moved;
        if (stretches > most)
            return SIZE_MAX;
    }
    return stretches;
}

static void merge_two(const struct entry *a, const struct entry *a_end, const struct entry *b,
                      const struct entry *b_end, struct entry *to)
{
    while (a < a_end && b < b_end)
        *to++ = key_before(b, a) ? *b++ : *a++;
    memcpy(to, a, (size_t)(a_end - a) * sizeof *a);
    memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof *b);
}

static int swap_sorted(struct batch *batch, struct err *err)
{
    batch->sorted.count = 0;
    if (array_reserve(&batch->sorted, batch->entries.capacity, err) < 0)
        return err_status(err);
    struct entries unsorted = batch->entries;
    batch->entries = batch->sorted;
    batch->entries.count = unsorted.count;
    batch->sorted = unsorted;
    return 0;
}

/* starts has room for one more. */
static int merge_stretches(struct batch *batch, size_t *starts, size_t stretches, struct err *err)
{
    starts[stretches] = batch->entries.count;
    while (stretches > 1) {
        size_t merged = 0;
        if (swap_sorted(batch, err) < 0)
            return err_status(err);
        const struct entry *from = batch->sorted.items;
        for (size_t i = 0; i < stretches; i += 2) {
            size_t middle = starts[i + 1], end = starts[i + 2 <= stretches ? i + 2 : i + 1];
            merge_two(from + starts[i], from + middle, from + middle, from + end, batch->entries.items + starts[i]);
            starts[merged++] = starts[i];
        }
        starts[merged] = batch->entries.count;
        stretches = merged;
    }
    return 0;
}

/* Most bytes of keys are the same in all of them. */
static int sort_by_keys(struct batch *batch, struct err *err)
{
    enum { BYTES = 16, STRETCHES = 16 };
    size_t starts[STRETCHES + 1], stretches;
    stretches = sort_stretches(batch->entries.items, batch->entries.count, starts, STRETCHES);
    if (stretches != SIZE_MAX)
        return merge_stretches(batch, starts, stretches, err);
    const struct spool_key differ = differences(batch->entries.items, batch->entries.count);
    for (unsigned byte = 0; byte < BYTES; byte++) {
        if (byte_of(&differ, byte) == 0)
            continue;
        if (swap_sorted(batch, err) < 0)
            return err_status(err);
        sort_by_byte(batch->sorted.items, batch->entries.items, batch->entries.count, byte);
    }
    return 0;
}

static bool equal_keys(const struct spool_key *a, const struct spool_key *b)
{
    return ((a->minor ^ b->minor) | (a->major ^ b->major)) == 0;
}

static int by_tie(const void *a, const void *b, void *arg)
{
    const struct batch *batch = arg;
    const struct entry *x = a, *y = b;
    int order = batch->ties(batch->bytes.items + x->offset, batch->bytes.items + y->offset);
    return order != 0 ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

/* Few records have equal keys. */
static void sort_ties(struct batch *batch)
{
    struct entry *entries = batch->entries.items;
    const size_t count = batch->entries.count;
    for (size_t i = 0, next = 1; next < count; i = next++) {
        if (!equal_keys(&entries[i].key, &entries[next].key))
            continue;
        while (next < count && equal_keys(&entries[i].key, &entries[next].key))
            next++;
        qsort_r(&entries[i], next - i, sizeof *entries, by_tie, batch);
    }
}

static int sort_memory(struct batch *batch, struct err *err)
{
    int status = batch->entries.count > 1 ? sort_by_keys(batch, err) : 0;
    if (status == 0 && batch->ties != NULL)
        sort_ties(batch);
    return status;
}

/* ---- writing ---- */

static int write_buffer(struct spool *spool, struct err *err)
{
    size_t written = 0;
    while (written < spool->buffered) {
        ssize_t got = write(spool->file, spool->buffer + written, spool->buffered - written);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            err_set_errno(err, errno, "cannot write a temporary file");
            return err_hint(err, "set TMPDIR to another directory");
        }
        written += (size_t)got;
    }
    spool->file_size += (off_t)spool->buffered;
    spool->buffered = 0;
    return 0;
}

static size_t padded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

/* before: the entry before it in the run, or NULL. */
static int write_entry(struct spool *spool, const struct entry *before, const struct entry *entry, struct err *err)
{
    const struct spool_key *key = &entry->key;
    const struct header header = {entry->size, before == NULL || before->key.minor != key->minor,
                                  before == NULL || before->key.major != key->major};
    size_t size = padded(entry->size);
    if (WRITE_SIZE - spool->buffered < sizeof header + sizeof *key + size && write_buffer(spool, err) < 0)
        return err_status(err);
    char *to = spool->buffer + spool->buffered;
    memcpy(to, &header, sizeof header);
    to += sizeof header;
    memcpy(to, &key->minor, sizeof key->minor);
    to += header.has_minor ? sizeof key->minor : 0;
    memcpy(to, &key->major, sizeof key->major);
    to += header.has_major ? sizeof key->major : 0;
    memcpy(to, spool->writing.bytes.items + entry->offset, size);
    spool->buffered = (size_t)(to - spool->buffer) + size;
    return 0;
}

/* Whether all of the batch comes behind the last run. */
static bool goes_on(const struct spool *spool, const struct batch *batch)
{
    if (spool->runs.count == 0 || batch->entries.count == 0)
        return false;
    const struct spool_key *first = &batch->entries.items[0].key, *last = &spool->last;
    return first->major != last->major   ? first->major > last->major
           : first->minor != last->minor ? first->minor > last->minor
                                         : batch->ties == NULL;
}

/* Writes the batch as a run, or behind the last where it goes on from that. */
static int write_run(struct spool *spool, struct err *err)
{
    struct batch *batch = &spool->writing;
    const off_t start = spool->file_size;
    if (sort_memory(batch, err) < 0 || array_reserve(&spool->runs, 1, err) < 0 ||
        (spool->file < 0 && (spool->file = temporary_open_unnamed(err)) < 0))
        return err_status(err);
    if (spool->buffer == NULL && (spool->buffer = malloc(WRITE_SIZE)) == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < batch->entries.count; i++) {
        if (write_entry(spool, i > 0 ? &batch->entries.items[i - 1] : NULL, &batch->entries.items[i], err) < 0)
            return err_status(err);
    }
    if (write_buffer(spool, err) < 0)
        return err_status(err);
    if (!goes_on(spool, batch))
        spool->runs.items[spool->runs.count++] = (struct run){.start = start};
    spool->runs.items[spool->runs.count - 1].end = spool->file_size;
    if (batch->entries.count > 0)
        spool->last = batch->entries.items[batch->entries.count - 1].key;
    batch->entries.count = batch->bytes.count = 0;
    return 0;
}

static void *writer_thread(void *opaque)
{
    struct spool *spool = opaque;
    (void)write_run(spool, &spool->failure);
    return NULL;
}

static void swap_batches(struct spool *spool)
{
    const struct batch filled = spool->filling;
    spool->filling = spool->writing;
    spool->writing = filled;
}

/* Hands over what is in memory, to be written; afterwards other records may be added. Only the second time it is done
 * beside: most spools need no more memory than they have. */
static int give_batch(struct spool *spool, struct err *err)
{
    if (end_writing(spool, err) < 0)
        return err_status(err);
    swap_batches(spool);
    if (spool->halved) {
        spool->failure = (struct err)ERR_INIT;
        spool->is_writing = thread_start(&spool->writer, writer_thread, spool) == 0;
        if (spool->is_writing)
            return 0;
    }
    if (write_run(spool, err) < 0)
        return err_status(err);
    if (!spool->halved)
        swap_batches(spool);
    if (!spool->halved && spool->memory >= BESIDE_FROM) {
        spool->halved = true;
        spool->memory /= 2;
        release_batch(&spool->filling);
    }
    return 0;
}

#define ENTRY_SIZE (2 * sizeof(struct entry)) /* sorting takes the entries a second time */

/* Room for a record of this size: what is in memory is written when it does not fit. After a little for the few records
 * of most spools, all that the memory may ever be is reserved: growing more often would touch everything again. */
static int make_room(struct spool *spool, size_t size, struct err *err)
{
    const size_t needed = size + ENTRY_SIZE;
    size_t memory = spool->memory > needed ? spool->memory : needed;
    const size_t used = spool->room - spool->left;
    if (spool->room >= memory || used + needed > memory) {
        if (spool->filling.entries.count > 0 && give_batch(spool, err) < 0)
            return err_status(err);
        memory = spool->memory > needed ? spool->memory : needed;
        spool->left = spool->room = memory;
    } else {
        bool is_few = spool->room == 0 && needed <= FIRST_ROOM && memory > FIRST_ROOM;
        spool->room = is_few ? FIRST_ROOM : memory;
        spool->left = spool->room - used;
    }
    return array_reserve(&spool->filling.bytes, spool->left, err) < 0 ||
                   array_reserve(&spool->filling.entries, spool->left / ENTRY_SIZE + 1, err) < 0
               ? err_status(err)
               : 0;
}

/* What is seldom so, out of the way of the rest. */
__attribute__((noinline)) static int refuse_or_make_room(struct spool *spool, size_t size, struct err *err)
{
    if (size > SPOOL_RECORD_MAX)
        return err_set(err, ERR_LIMIT, "a record of %zu bytes is too long to be sorted", size);
    return make_room(spool, padded(size), err);
}

int spool_add(struct spool *spool, const struct spool_key *key, const void *record, size_t size, struct err *err)
{
    const size_t padded_size = padded(size), taken = padded_size + ENTRY_SIZE;
    if ((spool->left < taken || size > SPOOL_RECORD_MAX) && refuse_or_make_room(spool, size, err) < 0)
        return err_status(err);
    struct batch *batch = &spool->filling;
    const size_t used = batch->bytes.count;
    spool->left -= taken;
    batch->bytes.count = used + padded_size;
    batch->entries.items[batch->entries.count++] = (struct entry){*key, (uint32_t)used, (uint32_t)size};
    char *place = batch->bytes.items + used;
    if (padded_size != size)
        memset(place + padded_size - sizeof(uint64_t), 0, sizeof(uint64_t));
    memcpy(place, record, size);
    return 0;
}

/* ---- reading ---- */

static int fill_buffer(struct spool *spool, struct run *run, struct err *err)
{
    size_t left = run->filled - run->at, wanted = spool->read_size - left;
    memmove(run->buffer, run->buffer + run->at, left);
    run->at = 0;
    run->filled = left;
    if (wanted > (uint64_t)(run->end - run->next))
        wanted = (size_t)(run->end - run->next);
    while (wanted > 0) {
        ssize_t got = pread(spool->file, run->buffer + run->filled, wanted, run->next);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0 ? err_set(err, ERR_IO, "a temporary file was truncated")
                            : err_set_errno(err, errno, "cannot read a temporary file");
        run->next += got;
        run->filled += (size_t)got;
        wanted -= (size_t)got;
    }
    return 0;
}

/* The record at the front of a run's buffer; false: it is not there as a whole. */
static inline bool take_buffered(struct run *run)
{
    const char *at = run->buffer + run->at;
    size_t left = run->filled - run->at;
    struct header header;
    if (left < sizeof header)
        return false;
    memcpy(&header, at, sizeof header);
    struct spool_key *key = &run->item.key;
    size_t minor_size = header.has_minor ? sizeof key->minor : 0, major_size = header.has_major ? sizeof key->major : 0;
    size_t size = sizeof header + minor_size + major_size + padded(header.size);
    if (left < size)
        return false;
    at += sizeof header;
    if (header.has_minor)
        memcpy(&key->minor, at, sizeof key->minor);
    if (header.has_major)
        memcpy(&key->major, at + minor_size, sizeof key->major);
    run->item.record = at + minor_size + major_size;
    run->item.size = header.size;
    run->at += size;
    return true;
}

static int next_in_memory(struct spool *spool, struct spool_item *ret)
{
    const struct batch *batch = &spool->filling;
    if (spool->given == batch->entries.count)
        return 0;
    const struct entry *entry = &batch->entries.items[spool->given++];
    *ret = (struct spool_item){entry->key, batch->bytes.items + entry->offset, entry->size};
    return 1;
}

/* The next record of a run: 1, 0 at its end, or -code. */
static int next_of_run(struct spool *spool, struct run *run, struct err *err)
{
    if (run->at == run->filled && run->next == run->end)
        return run->in_memory ? next_in_memory(spool, &run->item) : 0;
    if (take_buffered(run))
        return 1;
    return fill_buffer(spool, run, err) < 0 ? err_status(err) : take_buffered(run);
}

static bool before(const struct spool *spool, size_t a, size_t b)
{
    const struct spool_item *x = &spool->runs.items[a].item, *y = &spool->runs.items[b].item;
    if (x->key.major != y->key.major)
        return x->key.major < y->key.major;
    if (x->key.minor != y->key.minor)
        return x->key.minor < y->key.minor;
    int order = spool->filling.ties != NULL ? spool->filling.ties(x->record, y->record) : 0;
    return order != 0 ? order < 0 : a < b;
}

static void sink(struct spool *spool, size_t at)
{
    size_t run = spool->heap[at];
    for (size_t child; (child = 2 * at + 1) < spool->heaped; at = child) {
        if (child + 1 < spool->heaped && before(spool, spool->heap[child + 1], spool->heap[child]))
            child++;
        if (before(spool, run, spool->heap[child]))
            break;
        spool->heap[at] = spool->heap[child];
    }
    spool->heap[at] = run;
}

static int begin_merge(struct spool *spool, struct err *err)
{
    spool->read_size = READ_MEMORY / spool->runs.count & ~(size_t)7;
    if (spool->read_size > READ_SIZE_MAX)
        spool->read_size = READ_SIZE_MAX;
    if (spool->read_size < READ_SIZE_MIN)
        spool->read_size = READ_SIZE_MIN;
    spool->heap = calloc(spool->runs.count, sizeof *spool->heap);
    for (size_t i = 0; i < spool->runs.count && spool->heap != NULL; i++) {
        struct run *run = &spool->runs.items[i];
        run->buffer = run->start < run->end ? malloc(spool->read_size) : NULL;
        if (run->buffer == NULL && run->start < run->end)
            return err_no_memory(err);
    }
    return spool->heap != NULL ? spool_rewind(spool, err) : err_no_memory(err);
}

int spool_rewind(struct spool *spool, struct err *err)
{
    spool->given = spool->heaped = 0;
    spool->on_top_given = false;
    for (size_t i = 0; i < spool->runs.count; i++) {
        struct run *run = &spool->runs.items[i];
        run->next = run->start;
        run->at = run->filled = 0;
        int any = next_of_run(spool, run, err);
        if (any < 0)
            return any;
        if (any > 0)
            spool->heap[spool->heaped++] = i;
    }
    for (size_t i = spool->heaped / 2; i-- > 0;)
        sink(spool, i);
    return 0;
}

/* The rows in memory stay there, in the last run. */
int spool_finish(struct spool *spool, struct err *err)
{
    if (sort_memory(&spool->filling, err) < 0 || end_writing(spool, err) < 0)
        return err_status(err);
    release_batch(&spool->writing);
    free(spool->filling.sorted.items);
    free(spool->buffer);
    spool->filling.sorted = (struct entries){.items = NULL};
    spool->buffer = NULL;
    if (spool->runs.count == 0)
        return 0;
    if (!goes_on(spool, &spool->filling) && array_add(&spool->runs, err, (struct run){.start = 0}) < 0)
        return err_status(err);
    spool->runs.items[spool->runs.count - 1].in_memory = true;
    return begin_merge(spool, err);
}

int spool_next(struct spool *spool, struct spool_item *ret, struct err *err)
{
    if (spool->runs.count == 0)
        return next_in_memory(spool, ret);
    if (spool->on_top_given) {
        struct run *run = &spool->runs.items[spool->heap[0]];
        int any = take_buffered(run) ? 1 : next_of_run(spool, run, err);
        if (any < 0)
            return any;
        if (any == 0)
            spool->heap[0] = spool->heap[--spool->heaped];
        if (spool->heaped > 1)
            sink(spool, 0);
    }
    spool->on_top_given = spool->heaped > 0;
    if (spool->heaped > 0)
        *ret = spool->runs.items[spool->heap[0]].item;
    return spool->heaped > 0;
}

int spool_each(struct spool *spool, int (*each)(void *arg, const void *record, struct err *err), void *arg,
               struct err *err)
{
    struct spool_item item;
    int status = spool_rewind(spool, err);
    while (status == 0 && (status = spool_next(spool, &item, err)) > 0)
        status = each(arg, item.record, err);
    return status;
}
