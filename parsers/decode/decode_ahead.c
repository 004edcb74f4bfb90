/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/decode/decode_ahead.h"

#include "base/thread.h"

#include <stdlib.h>
#include <string.h>

uint64_t ahead_bytes_min = UINT64_C(4) * 1024 * 1024;

struct ahead {
    struct capture *capture;
    ahead_decode *decode;
    bool *chosen; /* of each file: the thread decodes it, or did; only read once it runs */
    bool *left;   /* of each file: the caller decodes it; the caller's */
    pthread_t thread;
    /* The thread's while it decodes, else the caller's: */
    struct ahead_work work;
    bool *of_part;              /* of each file: it is chosen, and of the part */
    struct capture_file *files; /* as they were before, from work.first on */
    struct association *association;
    bool sound; /* the part was decoded, and nothing was reported */
    /* Shared: */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t ready; /* the part that was decoded and waits to be taken; NO_PART */
    size_t taken; /* the part that ahead_take was called for last */
};

#define NO_PART SIZE_MAX

/* ---- which files ---- */

/* Kinds that have rows of their own are decoded in their order, and what they do with tasks, too. */
static bool part_is_worth_it(const struct capture *capture, size_t part)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        if (file->part != part || file->kind == NULL || !file->kind->of_device_join)
            continue;
        if (file->kind->table != NULL)
            return false;
        bytes += file->size;
    }
    return bytes > 0 && bytes >= ahead_bytes_min;
}

static bool choose_files(struct ahead *ahead)
{
    const struct capture *capture = ahead->capture;
    bool any = false, worth_it = false;
    size_t part = NO_PART;
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        if (file->part != part)
            worth_it = part_is_worth_it(capture, part = file->part);
        ahead->chosen[i] = worth_it && file->kind != NULL && file->kind->of_device_join;
        ahead->left[i] = !ahead->chosen[i];
        any |= ahead->chosen[i];
    }
    return any;
}

/* The files of the next part that has any, from one on; false: there is none. */
static bool next_part(struct ahead *ahead, size_t from, size_t *ret_end)
{
    const struct capture *capture = ahead->capture;
    size_t end = from;
    while (end < capture->file_count && !ahead->chosen[end])
        end++;
    if (end == capture->file_count)
        return false;
    ahead->work.first = end;
    ahead->work.part = capture->files[end].part;
    for (; end < capture->file_count && capture->files[end].part == ahead->work.part; end++)
        ahead->of_part[end] = ahead->chosen[end];
    *ret_end = end;
    return true;
}

/* ---- the thread ---- */

static void decode_part(struct ahead *ahead, size_t end)
{
    struct ahead_work *work = &ahead->work;
    struct err ignored = ERR_INIT;
    const size_t count = end - work->first;
    ahead->association = NULL;
    ahead->sound = false;
    ahead->files = malloc(count * sizeof *ahead->files);
    if (ahead->files == NULL)
        return;
    memcpy(ahead->files, &ahead->capture->files[work->first], count * sizeof *ahead->files);
    diag_init(&work->diag, false);
    work->capture.diag = &work->diag;
    ahead->sound = ahead->decode(work, &ahead->association, &ignored) == 0 && diag_reports(&work->diag) == 0;
    diag_release(&work->diag);
}

static void *work_loop(void *arg)
{
    struct ahead *ahead = arg;
    bool stopped = false;
    for (size_t from = 0, end; !stopped && next_part(ahead, from, &end); from = end) {
        decode_part(ahead, end);
        pthread_mutex_lock(&ahead->lock);
        ahead->ready = ahead->work.part;
        pthread_cond_broadcast(&ahead->changed);
        while (ahead->ready != NO_PART && !atomic_load(&ahead->work.stop))
            pthread_cond_wait(&ahead->changed, &ahead->lock);
        stopped = atomic_load(&ahead->work.stop);
        pthread_mutex_unlock(&ahead->lock);
        if (!stopped)
            memset(ahead->of_part, 0, ahead->capture->file_count * sizeof *ahead->of_part);
    }
    return NULL;
}

/* ---- the caller's side ---- */

static void release(struct ahead *ahead)
{
    association_free(ahead->association);
    free(ahead->files);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead->chosen);
    free(ahead->left);
    free(ahead->of_part);
    free(ahead);
}

struct ahead *ahead_new(struct capture *capture, ahead_decode *decode)
{
    struct ahead *ahead = calloc(1, sizeof *ahead);
    const size_t count = capture->file_count + 1;
    if (ahead == NULL)
        return NULL;
    *ahead = (struct ahead){.capture = capture, .decode = decode, .ready = NO_PART, .taken = NO_PART};
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    ahead->chosen = calloc(count, sizeof *ahead->chosen);
    ahead->left = calloc(count, sizeof *ahead->left);
    ahead->of_part = calloc(count, sizeof *ahead->of_part);
    ahead->work.capture = *capture;
    ahead->work.chosen = ahead->of_part;
    if (ahead->chosen != NULL && ahead->left != NULL && ahead->of_part != NULL && choose_files(ahead) &&
        thread_start(&ahead->thread, work_loop, ahead) == 0)
        return ahead;
    release(ahead);
    return NULL;
}

void ahead_free(struct ahead *ahead)
{
    if (ahead == NULL)
        return;
    pthread_mutex_lock(&ahead->lock);
    atomic_store(&ahead->work.stop, true);
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    pthread_join(ahead->thread, NULL);
    release(ahead);
}

const bool *ahead_left(const struct ahead *ahead)
{
    return ahead->left;
}

/* Lets the thread go on with the next part. */
static void let_go(struct ahead *ahead)
{
    association_free(ahead->association);
    free(ahead->files);
    ahead->association = NULL;
    ahead->files = NULL;
    pthread_mutex_lock(&ahead->lock);
    ahead->ready = NO_PART;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
}

void ahead_give_back(struct ahead *ahead)
{
    const struct ahead_work *work = &ahead->work;
    struct capture *capture = ahead->capture;
    for (size_t i = work->first; i < capture->file_count && capture->files[i].part == work->part; i++) {
        ahead->left[i] = true;
        if (ahead->files == NULL || !ahead->of_part[i])
            continue;
        if (capture->files[i].rejected > 0)
            memset(capture->files[i].rejected_for, 0, DIAG_COUNT * sizeof *capture->files[i].rejected_for);
        capture->files[i] = ahead->files[i - work->first];
    }
    let_go(ahead);
}

int ahead_take(struct ahead *ahead, size_t part, struct association *association, struct err *err)
{
    if (ahead->taken == part)
        return 1;
    pthread_mutex_lock(&ahead->lock);
    while (ahead->ready != part)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    ahead->taken = part;
    if (!ahead->sound || !association_may_take(association, ahead->association))
        return 0;
    int status = association_take(association, ahead->association, err);
    let_go(ahead);
    return status < 0 ? status : 1;
}
