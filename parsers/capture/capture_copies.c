/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are there twice under two names, as slices or batches: their records would be counted twice. */
#include "parsers/capture/capture.h"

#include "base/array.h"
#include "base/file/checksum.h"
#include "base/file/fsutil.h"
#include "base/map.h"
#include "base/progress.h"
#include "parsers/decode/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRONT_SIZE 1024 /* bytes that distinguish most files of one length */
#define BLOCK_SIZE ((size_t)64 * 1024)

struct candidate {
    struct capture_file *file;
    uint64_t front;                  /* hash of its first bytes */
    char digest[CHECKSUM_TEXT_SIZE]; /* of the whole; "" while it is not needed, or could not be read */
};

/* Sums up the blocks that are not all zeros, each with its place: a copy has the holes of its original, or zeros. */
static void sum_up(const struct capture *capture, const struct capture_file *file, struct checksum *sum,
                   unsigned char *block, char digest[CHECKSUM_TEXT_SIZE])
{
    struct stat info;
    int failure;
    SCOPED_CLOSE int fd = capture_file_open(capture, file->name, &info, &failure);
    off_t offset = 0;
    ssize_t length = 1;
    *digest = '\0';
    while (fd >= 0 && !interrupted() && (offset = file_skip_hole(fd, offset, BLOCK_SIZE)) >= 0 &&
           (length = file_read_at(fd, block, BLOCK_SIZE, offset)) > 0) {
        if (block[0] != 0 || memcmp(block, block + 1, (size_t)length - 1) != 0) {
            checksum_add(sum, &offset, sizeof offset);
            checksum_add(sum, block, (size_t)length);
        }
        offset += length;
    }
    checksum_finish(sum, digest);
    if (fd < 0 || length < 0 || interrupted())
        *digest = '\0';
}

static uint64_t hash_front(const struct capture *capture, const struct capture_file *file)
{
    unsigned char front[FRONT_SIZE];
    struct stat info;
    int failure;
    SCOPED_CLOSE int fd = capture_file_open(capture, file->name, &info, &failure);
    ssize_t length = fd >= 0 ? file_read_at(fd, front, sizeof front, 0) : -1;
    return length > 0 ? map_hash_bytes(front, (size_t)length) : 0;
}

/* Files that cannot be copies of each other are apart: of another part, kind or length, or about another device, model,
 * group or core, which may well say the same. Layer tables of one model under two ids may be equal, too. Records of
 * inferences and calls hold their times: with equal ones they are a copy, whichever input, sample or id its name has.
 */
static int compare_shapes(const struct candidate *left, const struct candidate *right)
{
    const struct capture_file *a = left->file, *b = right->file;
    const struct file_identity *x = &a->identity, *y = &b->identity;
    bool is_text = kind_is_text(a->kind);
    return ARRAY_ORDERS(array_order(a->part, b->part), strcmp(a->kind->name, b->kind->name),
                        array_order(a->size, b->size), array_order((uint64_t)x->device_id, (uint64_t)y->device_id),
                        array_order((uint64_t)x->group_id, (uint64_t)y->group_id),
                        array_order((uint64_t)x->core_id, (uint64_t)y->core_id),
                        strcmp(x->model != NULL ? x->model : "", y->model != NULL ? y->model : ""),
                        is_text ? array_order((uint64_t)x->model_id, (uint64_t)y->model_id) : 0);
}

static int compare_fronts(const struct candidate *a, const struct candidate *b)
{
    return array_order(a->front, b->front);
}

static int compare_digests(const struct candidate *a, const struct candidate *b)
{
    return strcmp(a->digest, b->digest);
}

/* Comparisons that distinguish files, the cheapest first. */
static int (*const comparisons[])(const struct candidate *, const struct candidate *) = {compare_shapes, compare_fronts,
                                                                                         compare_digests};
enum { BY_SHAPE, BY_FRONT, BY_DIGEST, COMPARISONS };

/* Among equals the file that is listed first comes first: it is the one that is decoded. */
static int compare_candidates(const void *a, const void *b, void *arg)
{
    const struct candidate *x = a, *y = b;
    int order = comparisons[*(const int *)arg](x, y);
    return order != 0 ? order : (x->file > y->file) - (x->file < y->file);
}

static void learn(const struct capture *capture, struct candidate *candidates, size_t count, int by,
                  struct checksum *sum, unsigned char *block)
{
    for (size_t i = 0; i < count; i++) {
        if (by == BY_FRONT)
            candidates[i].front = hash_front(capture, candidates[i].file);
        else if (by == BY_DIGEST)
            sum_up(capture, candidates[i].file, sum, block, candidates[i].digest);
    }
}

/* Equal checksums make two files candidates, their bytes decide. */
static bool have_same_bytes(const struct capture *capture, const struct capture_file *a, const struct capture_file *b)
{
    struct stat info;
    int failure;
    SCOPED_CLOSE int left = capture_file_open(capture, a->name, &info, &failure);
    SCOPED_CLOSE int right = capture_file_open(capture, b->name, &info, &failure);
    return left >= 0 && right >= 0 && file_same_bytes(left, right) == 1;
}

static void reject(struct capture *capture, struct capture_file *file, const struct capture_file *original)
{
    diag_report(capture->diag, DIAG_FILE_DUPLICATE, FILE_PLACE(file->name, NULL),
                "the same %llu bytes as '%s', which is decoded", (unsigned long long)file->size, original->name);
    file->kind = NULL;
}

/* Divides the candidates by one comparison after the other, until those that are left together are equal. */
static void divide(struct capture *capture, struct candidate *candidates, size_t count, int by, struct checksum *sum,
                   unsigned char *block)
{
    learn(capture, candidates, count, by, sum, block);
    qsort_r(candidates, count, sizeof *candidates, compare_candidates, &by);
    for (size_t i = 0, next; i < count; i = next) {
        next = i + 1;
        while (next < count && comparisons[by](&candidates[i], &candidates[next]) == 0)
            next++;
        if (next - i == 1)
            continue;
        if (by + 1 < COMPARISONS)
            divide(capture, &candidates[i], next - i, by + 1, sum, block);
        /* one without a digest is unreadable, which the decoder will say */
        for (size_t k = i + 1; by + 1 == COMPARISONS && k < next && *candidates[i].digest != '\0'; k++)
            if (have_same_bytes(capture, candidates[i].file, candidates[k].file))
                reject(capture, candidates[k].file, candidates[i].file);
    }
}

static size_t smallest_record(const struct capture *capture, const struct record_kind *kind)
{
    const struct layout *layout;
    size_t smallest = SIZE_MAX;
    for (size_t i = 0; (layout = layout_candidate(capture->options.layouts, kind, i)) != NULL; i++)
        smallest = layout->record_size < smallest ? layout->record_size : smallest;
    return smallest;
}

/* Whether a second file like this must be a copy: a piece of a record may well be zeros. */
static bool holds_records(const struct capture *capture, const struct capture_file *file)
{
    if (file->kind == NULL || file->size == 0)
        return false;
    size_t smallest = smallest_record(capture, file->kind);
    for (size_t i = 0; file->kind->parts != NULL && file->kind->parts[i] != NULL; i++) {
        size_t other = smallest_record(capture, file->kind->parts[i]);
        smallest = other < smallest ? other : smallest;
    }
    return smallest == SIZE_MAX || file->size >= smallest;
}

int capture_reject_copies(struct capture *capture, struct err *err)
{
    size_t count = 0;
    SCOPED_FREE struct candidate *candidates = scoped_memory(capture->file_count + 1, sizeof *candidates);
    SCOPED_FREE unsigned char *block = scoped_memory(BLOCK_SIZE, 1);
    struct checksum *sum = checksum_new_kind(CHECKSUM_XXH128);
    int status = candidates != NULL && block != NULL && sum != NULL ? 0 : err_no_memory(err);
    for (size_t i = 0; status == 0 && i < capture->file_count; i++) {
        if (holds_records(capture, &capture->files[i]) && !copies_are_told_late(capture, &capture->files[i]))
            candidates[count++].file = &capture->files[i];
    }
    if (status == 0 && count > 1)
        divide(capture, candidates, count, BY_SHAPE, sum, block);
    checksum_free(sum);
    return status == 0 && interrupted() ? interrupt_error(err) : status;
}

/* ---- small files of boards ---- */

struct seen_file {
    struct {
        uint64_t shape; /* what compare_shapes() compares, hashed */
        char checksum[CHECKSUM_TEXT_SIZE - 1];
    } key;
    struct capture_file *file;
};

void copies_begin(struct copies *copies, const struct capture *capture)
{
    *copies = (struct copies){MAP_OF(struct seen_file, key), diag_mark(capture->diag)};
}

bool copies_are_told_late(const struct capture *capture, const struct capture_file *file)
{
    return capture->family == CAPTURE_SVP && file->size < READER_WHOLE && file->identity.slice < 0 &&
           !kind_is_text(file->kind) && holds_records(capture, file);
}

int copies_reject(struct copies *copies, struct capture *capture, struct capture_file *file, const char *checksum,
                  struct err *err)
{
    const struct file_identity *it = &file->identity;
    const uint64_t shape[] = {(uintptr_t)file->kind,
                              file->part,
                              file->size,
                              (uint64_t)it->device_id,
                              (uint64_t)it->group_id,
                              (uint64_t)it->core_id,
                              it->model != NULL ? map_hash_bytes(it->model, strlen(it->model)) : 0};
    struct seen_file seen = {.key.shape = map_hash_bytes(shape, sizeof shape)};
    bool added;
    memcpy(seen.key.checksum, checksum, strnlen(checksum, sizeof seen.key.checksum));
    struct seen_file *found = map_add(&copies->seen, &seen.key, &added, err);
    if (found == NULL)
        return err_status(err);
    if (added)
        found->file = file;
    if (added || compare_shapes(&(struct candidate){.file = file}, &(struct candidate){.file = found->file}) != 0 ||
        !have_same_bytes(capture, found->file, file))
        return 0;
    diag_go_back(capture->diag, copies->mark);
    reject(capture, file, found->file);
    diag_go_on(capture->diag);
    return 1;
}
