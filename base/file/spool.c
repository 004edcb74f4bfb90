#include "base/file/spool.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WRITE_SIZE ((size_t)256 * 1024)
#define READ_MEMORY ((size_t)2 * 1024 * 1024) /* of all runs together */
#define READ_SIZE_MIN ((size_t)4096)
#define READ_SIZE_MAX ((size_t)64 * 1024)

struct entry {
    struct spool_key key;
    uint32_t offset, size;
};

/* Before each record in the file. */
struct header {
    struct spool_key key;
    uint64_t size;
};
_Static_assert(sizeof(struct header) + SPOOL_RECORD_MAX <= READ_SIZE_MIN, "a buffer holds a record");

/* A sorted part of the file. */
struct run {
    off_t next, end; /* what is not read yet */
    char *buffer;
    size_t at, filled;
    struct spool_item item; /* the first that was not given yet */
};

struct spool {
    size_t memory;
    int (*ties)(const void *a, const void *b);
    struct {
        char *items;
        size_t count, capacity;
    } bytes; /* of the records in memory */
    struct {
        struct entry *items;
        size_t count, capacity;
    } entries;
    struct {
        struct run *items;
        size_t count, capacity;
    } runs;
    int file; /* -1: nothing was written */
    off_t file_size;
    char *buffer; /* for writing */
    size_t buffered;
    size_t given; /* of the entries, when there is no file */
    size_t *heap; /* runs, the one with the first item on top */
    size_t heaped;
    size_t read_size;
    bool on_top_given; /* the item on top was given */
};

struct spool *spool_new(size_t memory, int (*ties)(const void *a, const void *b), struct err *err)
{
    struct spool *spool = calloc(1, sizeof *spool);
    if (spool == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    spool->memory = memory < UINT32_MAX / 2 ? memory : UINT32_MAX / 2;
    spool->ties = ties;
    spool->file = -1;
    return spool;
}

void spool_free(struct spool *spool)
{
    if (spool == NULL)
        return;
    for (size_t i = 0; i < spool->runs.count; i++)
        free(spool->runs.items[i].buffer);
    if (spool->file >= 0)
        close(spool->file);
    free(spool->runs.items);
    free(spool->bytes.items);
    free(spool->entries.items);
    free(spool->buffer);
    free(spool->heap);
    free(spool);
}

/* ---- sorting what is in memory ---- */

static size_t byte_of(const struct entry *entry, unsigned byte)
{
    return (byte < 8 ? entry->key.minor >> byte * 8 : entry->key.major >> (byte - 8) * 8) & UINT64_C(0xff);
}

/* Moves the entries to `to` in the order of one byte, of equal ones in that which they have. */
static void sort_by_byte(const struct entry *from, struct entry *to, size_t count, unsigned byte, const size_t *counts)
{
    size_t places[256], place = 0;
    for (size_t i = 0; i < 256; i++) {
        places[i] = place;
        place += counts[i];
    }
    for (size_t i = 0; i < count; i++)
        to[places[byte_of(&from[i], byte)]++] = from[i];
}

/* Most bytes of keys are the same in all of them and cost nothing but their counting. */
static int sort_by_keys(struct spool *spool, struct err *err)
{
    enum { BYTES = 16 };
    size_t count = spool->entries.count, (*counts)[256] = calloc(BYTES, sizeof *counts);
    struct entry *from = spool->entries.items, *to = malloc(count * sizeof *to);
    if (counts == NULL || to == NULL) {
        free(counts);
        free(to);
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        for (unsigned byte = 0; byte < BYTES; byte++)
            counts[byte][byte_of(&from[i], byte)]++;
    }
    for (unsigned byte = 0; byte < BYTES; byte++) {
        if (counts[byte][byte_of(&from[0], byte)] == count)
            continue;
        sort_by_byte(from, to, count, byte, counts[byte]);
        struct entry *sorted = to;
        to = from;
        from = sorted;
    }
    spool->entries.items = from;
    spool->entries.capacity = count;
    free(to);
    free(counts);
    return 0;
}

static bool equal_keys(const struct spool_key *a, const struct spool_key *b)
{
    return a->major == b->major && a->minor == b->minor;
}

static int by_tie(const void *a, const void *b, void *arg)
{
    const struct spool *spool = arg;
    const struct entry *x = a, *y = b;
    int order = spool->ties(spool->bytes.items + x->offset, spool->bytes.items + y->offset);
    return order != 0 ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

/* Few records have equal keys. */
static void sort_ties(struct spool *spool)
{
    struct entry *entries = spool->entries.items;
    for (size_t i = 0, next; i < spool->entries.count; i = next) {
        next = i + 1;
        while (next < spool->entries.count && equal_keys(&entries[i].key, &entries[next].key))
            next++;
        if (next - i > 1)
            qsort_r(&entries[i], next - i, sizeof *entries, by_tie, spool);
    }
}

static int sort_memory(struct spool *spool, struct err *err)
{
    int status = spool->entries.count > 1 ? sort_by_keys(spool, err) : 0;
    if (status == 0 && spool->ties != NULL)
        sort_ties(spool);
    return status;
}

/* ---- writing ---- */

/* In the first directory of those that temporary files stand in, or in the current one. */
static int open_file(struct spool *spool, struct err *err)
{
    const char *directories[] = {getenv("TMPDIR"), "/var/tmp", "/tmp", "."};
    const char *named = directories[0] != NULL ? directories[0] : "/var/tmp";
    int failure = 0;
    for (size_t i = 0; i < sizeof directories / sizeof *directories && spool->file < 0; i++) {
        if (directories[i] == NULL)
            continue;
        spool->file = open(directories[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        failure = failure == 0 && spool->file < 0 ? errno : failure;
    }
    if (spool->file >= 0)
        return 0;
    err_set_errno(err, failure, "cannot make a temporary file in '%s'", named);
    return err_hint(err, "TMPDIR names the directory that is used");
}

static int write_buffer(struct spool *spool, struct err *err)
{
    size_t written = 0;
    while (written < spool->buffered) {
        ssize_t got = write(spool->file, spool->buffer + written, spool->buffered - written);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            err_set_errno(err, errno, "cannot write a temporary file");
            return err_hint(err, "TMPDIR names the directory that it stands in");
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

static int write_entry(struct spool *spool, const struct entry *entry, struct err *err)
{
    const struct header header = {entry->key, entry->size};
    size_t size = padded(entry->size);
    if (WRITE_SIZE - spool->buffered < sizeof header + size && write_buffer(spool, err) < 0)
        return -(int)err->code;
    memcpy(spool->buffer + spool->buffered, &header, sizeof header);
    memcpy(spool->buffer + spool->buffered + sizeof header, spool->bytes.items + entry->offset, size);
    spool->buffered += sizeof header + size;
    return 0;
}

/* What is in memory becomes a run. */
static int write_run(struct spool *spool, struct err *err)
{
    int status = sort_memory(spool, err);
    if (status == 0 && spool->file < 0)
        status = open_file(spool, err);
    if (status == 0 && spool->buffer == NULL && (spool->buffer = malloc(WRITE_SIZE)) == NULL)
        status = err_set(err, ERR_NO_MEMORY, "out of memory");
    if (status == 0)
        status = array_reserve(&spool->runs, 1, err);
    off_t start = spool->file_size;
    for (size_t i = 0; i < spool->entries.count && status == 0; i++)
        status = write_entry(spool, &spool->entries.items[i], err);
    if (status == 0)
        status = write_buffer(spool, err);
    if (status == 0)
        spool->runs.items[spool->runs.count++] = (struct run){.next = start, .end = spool->file_size};
    spool->entries.count = spool->bytes.count = 0;
    return status;
}

int spool_add(struct spool *spool, const struct spool_key *key, const void *record, size_t size, struct err *err)
{
    if (size > SPOOL_RECORD_MAX)
        return err_set(err, ERR_LIMIT, "a record of %zu bytes is too long to be sorted", size);
    /* Sorting takes the entries a second time. */
    if (spool->bytes.count + 2 * spool->entries.count * sizeof(struct entry) > spool->memory &&
        write_run(spool, err) < 0)
        return -(int)err->code;
    if (array_reserve(&spool->bytes, padded(size), err) < 0 || array_reserve(&spool->entries, 1, err) < 0)
        return -(int)err->code;
    spool->entries.items[spool->entries.count++] = (struct entry){*key, (uint32_t)spool->bytes.count, (uint32_t)size};
    char *place = spool->bytes.items + spool->bytes.count;
    memcpy(place, record, size);
    memset(place + size, 0, padded(size) - size);
    spool->bytes.count += padded(size);
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
            return got == 0 ? err_set(err, ERR_IO, "a temporary file is shorter than it was written")
                            : err_set_errno(err, errno, "cannot read a temporary file");
        run->next += got;
        run->filled += (size_t)got;
        wanted -= (size_t)got;
    }
    return 0;
}

/* The next record of a run: 1, 0 at its end, or -code. */
static int next_of_run(struct spool *spool, struct run *run, struct err *err)
{
    struct header header;
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t left = run->filled - run->at;
        if (left >= sizeof header) {
            memcpy(&header, run->buffer + run->at, sizeof header);
            if (left >= sizeof header + padded(header.size)) {
                run->item = (struct spool_item){header.key, run->buffer + run->at + sizeof header, header.size};
                run->at += sizeof header + padded(header.size);
                return 1;
            }
        }
        if (attempt == 0 && fill_buffer(spool, run, err) < 0)
            return -(int)err->code;
    }
    return 0;
}

static bool before(const struct spool *spool, size_t a, size_t b)
{
    const struct spool_item *x = &spool->runs.items[a].item, *y = &spool->runs.items[b].item;
    if (x->key.major != y->key.major)
        return x->key.major < y->key.major;
    if (x->key.minor != y->key.minor)
        return x->key.minor < y->key.minor;
    int order = spool->ties != NULL ? spool->ties(x->record, y->record) : 0;
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
    if (spool->heap == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < spool->runs.count; i++) {
        struct run *run = &spool->runs.items[i];
        run->buffer = malloc(spool->read_size);
        if (run->buffer == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory");
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

int spool_finish(struct spool *spool, struct err *err)
{
    if (spool->runs.count == 0)
        return sort_memory(spool, err);
    int status = spool->entries.count > 0 ? write_run(spool, err) : 0;
    free(spool->bytes.items);
    free(spool->entries.items);
    free(spool->buffer);
    spool->bytes.items = spool->buffer = NULL;
    spool->entries.items = NULL;
    spool->bytes.capacity = spool->entries.capacity = 0;
    return status == 0 ? begin_merge(spool, err) : status;
}

int spool_next(struct spool *spool, struct spool_item *ret, struct err *err)
{
    if (spool->runs.count == 0) {
        if (spool->given == spool->entries.count)
            return 0;
        const struct entry *entry = &spool->entries.items[spool->given++];
        *ret = (struct spool_item){entry->key, spool->bytes.items + entry->offset, entry->size};
        return 1;
    }
    if (spool->on_top_given) {
        int any = next_of_run(spool, &spool->runs.items[spool->heap[0]], err);
        if (any < 0)
            return any;
        if (any == 0)
            spool->heap[0] = spool->heap[--spool->heaped];
        if (spool->heaped > 0)
            sink(spool, 0);
    }
    spool->on_top_given = spool->heaped > 0;
    if (spool->heaped > 0)
        *ret = spool->runs.items[spool->heap[0]].item;
    return spool->heaped > 0;
}
