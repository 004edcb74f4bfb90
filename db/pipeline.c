/* SPDX-License-Identifier: Apache-2.0 */
#include "db/pipeline.h"

#include "parsers/decode/decode.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Batches that wait for the database: so far the decoder runs ahead. Beside them it holds one unfinished batch of each
 * kind that it has met. */
#define WAITING_BATCHES 8
#define MAX_SOURCES 16 /* more of them wait */
#define WAKING_BATCHES                                                                                                 \
    4 /* so many wake the side that waits for them: threads that wake for each one cost more than it */

struct pipeline {
    struct row_sink sink; /* first: the decoder's view of the pipeline */
    struct capture *capture;
    const struct progress *progress;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t capacity;             /* of each of the three lists below */
    struct row_batch **batches;  /* all that were made, to free */
    size_t batch_count, waiting; /* waiting: those that are filled or being stored */
    struct row_batch **idle;     /* a stack */
    size_t idle_count;
    struct row_batch **filled; /* a ring */
    size_t filled_first, filled_count;
    struct row_source *sources[MAX_SOURCES]; /* a ring; their rows are taken when no batch is filled */
    size_t source_first, source_count;
    struct row_batch *source_batch;   /* for their rows; never in the lists above */
    bool decoder_done, stop, no_room; /* no_room: memory ran out for the rows of a source */
    int decoder_status;
    struct err decoder_err;
};

/* On the decoder's thread. */
static struct row_batch *begin_batch(struct row_sink *sink, const struct record_kind *kind, struct err *err)
{
    struct pipeline *pipeline = (struct pipeline *)sink;
    struct row_batch *batch = NULL;
    pthread_mutex_lock(&pipeline->lock);
    while (pipeline->idle_count == 0 && pipeline->waiting >= WAITING_BATCHES && !pipeline->stop)
        pthread_cond_wait(&pipeline->changed, &pipeline->lock);
    bool stop = pipeline->stop, make = pipeline->idle_count == 0;
    if (!stop && make && (batch = row_batch_new()) != NULL)
        pipeline->batches[pipeline->batch_count++] = batch;
    else if (!stop && !make)
        batch = pipeline->idle[--pipeline->idle_count];
    pthread_mutex_unlock(&pipeline->lock);
    if (batch != NULL && row_batch_begin(batch, kind))
        return batch;
    if (stop)
        err_set(err, ERR_FAILED, "storing the rows failed");
    else
        err_set(err, ERR_NO_MEMORY, "out of memory");
    return NULL;
}

/* On the decoder's thread. */
static int commit_batch(struct row_sink *sink, struct row_batch *batch, struct err *err)
{
    (void)err;
    struct pipeline *pipeline = (struct pipeline *)sink;
    pthread_mutex_lock(&pipeline->lock);
    pipeline->filled[(pipeline->filled_first + pipeline->filled_count++) % pipeline->capacity] = batch;
    pipeline->waiting++;
    if (pipeline->filled_count >= WAKING_BATCHES)
        pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    return 0;
}

/* On the decoder's thread. */
static void defer_source(struct row_sink *sink, struct row_source *source)
{
    struct pipeline *pipeline = (struct pipeline *)sink;
    pthread_mutex_lock(&pipeline->lock);
    while (pipeline->source_count == MAX_SOURCES)
        pthread_cond_wait(&pipeline->changed, &pipeline->lock);
    pipeline->sources[(pipeline->source_first + pipeline->source_count++) % MAX_SOURCES] = source;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

static void *decoder_thread(void *arg)
{
    struct pipeline *pipeline = arg;
    int status = decode_capture(pipeline->capture, &pipeline->sink, pipeline->progress, &pipeline->decoder_err);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->decoder_status = status;
    pipeline->decoder_done = true;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

/* The next rows of the first source; NULL: they are at their end, and the source is gone. */
static struct row_batch *next_of_source(struct pipeline *pipeline, struct row_source *source)
{
    struct row_batch *batch = pipeline->source_batch;
    bool room = row_batch_begin(batch, source->kind);
    if (room && !pipeline->stop)
        source->fill(source, batch);
    if (batch->rows > 0)
        return batch;
    source->release(source);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->source_first = (pipeline->source_first + 1) % MAX_SOURCES;
    pipeline->source_count--;
    pipeline->stop |= !room;
    pipeline->no_room |= !room;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

/* The next rows to store; what the decoder has filled comes first, because it may wait for the batch. NULL when the
 * decoder is done and everything is stored. */
static struct row_batch *next_batch(struct pipeline *pipeline)
{
    struct row_batch *batch = NULL;
    pthread_mutex_lock(&pipeline->lock);
    while (pipeline->filled_count == 0 && (pipeline->source_count > 0 || !pipeline->decoder_done)) {
        if (pipeline->source_count == 0) {
            pthread_cond_wait(&pipeline->changed, &pipeline->lock);
            continue;
        }
        struct row_source *source = pipeline->sources[pipeline->source_first];
        pthread_mutex_unlock(&pipeline->lock);
        batch = next_of_source(pipeline, source);
        if (batch != NULL)
            return batch;
        pthread_mutex_lock(&pipeline->lock);
    }
    if (pipeline->filled_count > 0) {
        batch = pipeline->filled[pipeline->filled_first];
        pipeline->filled_first = (pipeline->filled_first + 1) % pipeline->capacity;
        pipeline->filled_count--;
    }
    pthread_mutex_unlock(&pipeline->lock);
    return batch;
}

static void recycle_batch(struct pipeline *pipeline, struct row_batch *batch, bool stop)
{
    pthread_mutex_lock(&pipeline->lock);
    if (batch != pipeline->source_batch) {
        pipeline->idle[pipeline->idle_count++] = batch;
        pipeline->waiting--;
    }
    pipeline->stop |= stop;
    if (pipeline->stop || pipeline->waiting + WAKING_BATCHES <= WAITING_BATCHES)
        pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

/* Batches are made when they are needed: most captures hold few kinds. */
static int make_lists(struct pipeline *pipeline, struct err *err)
{
    pipeline->capacity = WAITING_BATCHES + 1; /* one may be begun while the last one waits */
    for (size_t i = 0; record_kinds[i] != NULL; i++)
        pipeline->capacity++;
    pipeline->batches = calloc(pipeline->capacity, sizeof(struct row_batch *));
    pipeline->idle = calloc(pipeline->capacity, sizeof(struct row_batch *));
    pipeline->filled = calloc(pipeline->capacity, sizeof(struct row_batch *));
    pipeline->source_batch = row_batch_new();
    if (pipeline->batches == NULL || pipeline->idle == NULL || pipeline->filled == NULL ||
        pipeline->source_batch == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    return 0;
}

static void release_lists(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->batch_count; i++)
        row_batch_free(pipeline->batches[i]);
    row_batch_free(pipeline->source_batch);
    free(pipeline->batches);
    free(pipeline->idle);
    free(pipeline->filled);
}

/* Signals go to the main thread only, so that they end its waiting system calls. */
static int start_decoder(struct pipeline *pipeline, pthread_t *ret, struct err *err)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(ret, NULL, decoder_thread, pipeline);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure == 0 ? 0 : err_set_errno(err, failure, "cannot start the decoder's thread");
}

int pipeline_run(struct capture *capture, struct bulk *bulk, const struct progress *progress, struct err *err)
{
    struct pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (pipeline == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    *pipeline = (struct pipeline){
        .sink = {begin_batch, commit_batch, defer_source},
        .capture = capture,
        .progress = progress,
        .decoder_err = ERR_INIT,
    };
    pthread_mutex_init(&pipeline->lock, NULL);
    pthread_cond_init(&pipeline->changed, NULL);
    pthread_t thread;
    int status = make_lists(pipeline, err);
    if (status == 0)
        status = start_decoder(pipeline, &thread, err);
    if (status == 0) {
        struct row_batch *batch;
        while ((batch = next_batch(pipeline)) != NULL) {
            if (status == 0)
                status = bulk_insert(bulk, batch, err);
            recycle_batch(pipeline, batch, status < 0);
        }
        pthread_join(thread, NULL);
        if (status == 0 && pipeline->no_room) {
            status = err_set(err, ERR_NO_MEMORY, "out of memory");
        } else if (status == 0 && pipeline->decoder_status < 0) {
            status = pipeline->decoder_status;
            *err = pipeline->decoder_err;
        }
    }
    release_lists(pipeline);
    pthread_cond_destroy(&pipeline->changed);
    pthread_mutex_destroy(&pipeline->lock);
    free(pipeline);
    return status;
}
