/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/parallel.h"

#include "base/progress.h"
#include "base/thread.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Units in flight for each worker: one being formatted, one waiting on either side. */
#define UNITS_PER_WORKER 2

enum slot_state { SLOT_FREE, SLOT_SUBMITTED, SLOT_RUNNING, SLOT_DONE };

struct slot {
    enum slot_state state;
    void *unit;
    struct parallel_output output;
};

struct worker {
    struct parallel *parallel;
    void *state;
    pthread_t thread;
};

/* Units are numbered in the order of submission; unit n is in slot n % slot_count. Workers take them in this order, so
 * the unit whose turn it is to be written is always finished or in a worker's hands, and those that wait for it never
 * wait in vain. Only one thread at a time writes to out: the one that runs the unit `turn`, or, once that is done, the
 * one that has taken `writing`. */
struct parallel {
    struct parallel_work work;
    struct outfile *out;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t submitted, taken, turn; /* numbers of the next unit to submit, to take, to write */
    unsigned busy;                 /* workers that have a unit */
    bool writing, closed, stopped;
    struct err failure; /* why it stopped; code 0 when nobody failed */
    struct slot *slots;
    size_t slot_count;
    struct worker workers[PARALLEL_MAX_WORKERS];
    unsigned worker_count;  /* at most so many, */
    unsigned made, started; /* of which so many have their state, and a thread */
};

static unsigned cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : (unsigned)count;
}

static struct slot *slot_of(struct parallel *parallel, size_t sequence)
{
    return &parallel->slots[sequence % parallel->slot_count];
}

/* With the mutex held. The first failure is the one that is reported; failure NULL stops without one. */
static void stop(struct parallel *parallel, const struct err *failure)
{
    if (!parallel->stopped && failure != NULL)
        parallel->failure = *failure;
    parallel->stopped = true;
    pthread_cond_broadcast(&parallel->changed);
}

/* Without the mutex, by the one thread whose turn it is. */
static void write_output(struct parallel *parallel, struct parallel_output *output, struct err *err)
{
    if (parallel->out == NULL)
        return;
    outfile_write_many(parallel->out, output->data, output->used);
    output->used = 0;
    if (outfile_failed(parallel->out))
        err_set_errno(err, parallel->out->failure, "cannot write '%s'", parallel->out->path);
}

/* With the mutex held: writes every finished unit whose turn it is. */
static void write_finished(struct parallel *parallel)
{
    if (parallel->writing)
        return;
    parallel->writing = true;
    while (!parallel->stopped && slot_of(parallel, parallel->turn)->state == SLOT_DONE) {
        struct slot *slot = slot_of(parallel, parallel->turn);
        struct err err = ERR_INIT;
        pthread_mutex_unlock(&parallel->mutex);
        write_output(parallel, &slot->output, &err);
        pthread_mutex_lock(&parallel->mutex);
        if (err.code != ERR_NONE) {
            stop(parallel, &err);
            break;
        }
        slot->state = SLOT_FREE;
        parallel->turn++;
        pthread_cond_broadcast(&parallel->changed);
    }
    parallel->writing = false;
}

char *parallel_reserve_slow(struct parallel_output *output, size_t length, struct err *err)
{
    struct parallel *parallel = output->parallel;
    if (length > PARALLEL_BUFFER_SIZE) {
        err_set(err, ERR_LIMIT, "%zu bytes do not fit into one buffer", length);
        return NULL;
    }
    pthread_mutex_lock(&parallel->mutex);
    while (!parallel->stopped && parallel->turn != output->sequence)
        pthread_cond_wait(&parallel->changed, &parallel->mutex);
    bool stopped = parallel->stopped;
    pthread_mutex_unlock(&parallel->mutex);
    if (stopped) {
        err_set(err, ERR_FAILED, "stopped because of another failure");
        return NULL;
    }
    struct err failure = ERR_INIT;
    write_output(parallel, output, &failure);
    if (failure.code != ERR_NONE) {
        *err = failure;
        return NULL;
    }
    return output->data;
}

int parallel_write(struct parallel_output *output, const void *bytes, size_t length, struct err *err)
{
    const char *p = bytes;
    while (length > 0) {
        size_t piece = length < PARALLEL_BUFFER_SIZE / 4 ? length : PARALLEL_BUFFER_SIZE / 4;
        char *room = parallel_reserve(output, piece, err);
        if (room == NULL)
            return err_status(err);
        memcpy(room, p, piece);
        parallel_advance(output, piece);
        p += piece;
        length -= piece;
    }
    return 0;
}

/* With the mutex held: waits for a unit; NULL when there will be none. */
static struct slot *take_slot(struct parallel *parallel)
{
    while (!parallel->stopped && !parallel->closed && parallel->taken == parallel->submitted)
        pthread_cond_wait(&parallel->changed, &parallel->mutex);
    if (parallel->stopped || parallel->taken == parallel->submitted)
        return NULL;
    struct slot *slot = slot_of(parallel, parallel->taken);
    slot->state = SLOT_RUNNING;
    parallel->busy++;
    slot->output = (struct parallel_output){
        .data = slot->output.data, .used = 0, .parallel = parallel, .sequence = parallel->taken++};
    return slot;
}

static void *work_loop(void *arg)
{
    struct worker *worker = arg;
    struct parallel *parallel = worker->parallel;
    pthread_mutex_lock(&parallel->mutex);
    struct slot *slot;
    while ((slot = take_slot(parallel)) != NULL) {
        struct err err = ERR_INIT;
        pthread_mutex_unlock(&parallel->mutex);
        int result = interrupted() ? interrupt_error(&err)
                                   : parallel->work.process(worker->state, slot->unit, &slot->output, &err);
        pthread_mutex_lock(&parallel->mutex);
        parallel->busy--;
        if (result != 0) {
            if (err.code == ERR_NONE)
                err_set(&err, ERR_FAILED, "a worker stopped with result %d", result);
            stop(parallel, &err);
            break;
        }
        slot->state = SLOT_DONE;
        write_finished(parallel);
    }
    pthread_mutex_unlock(&parallel->mutex);
    return NULL;
}

static int make_slots(struct parallel *parallel, struct err *err)
{
    size_t count = (size_t)parallel->worker_count * UNITS_PER_WORKER + 1;
    parallel->slots = calloc(count, sizeof(*parallel->slots));
    if (parallel->slots == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu work units", count);
    parallel->slot_count = count;
    return 0;
}

/* Makes the contents of a slot when it is first used: most captures are small. */
static int fill_slot(struct parallel *parallel, struct slot *slot, struct err *err)
{
    if (slot->unit == NULL)
        slot->unit = calloc(1, parallel->work.unit_size);
    if (slot->output.data == NULL && parallel->out != NULL)
        slot->output.data = malloc(PARALLEL_BUFFER_SIZE);
    if (slot->unit == NULL || (slot->output.data == NULL && parallel->out != NULL))
        return err_set(err, ERR_NO_MEMORY, "out of memory for one of %zu work units", parallel->slot_count);
    return 0;
}

/* One more worker. Fewer threads than wanted do the same work. */
static int add_worker(struct parallel *parallel, struct err *err)
{
    struct worker *worker = &parallel->workers[parallel->made];
    worker->parallel = parallel;
    worker->state = calloc(1, parallel->work.worker_size);
    if (worker->state == NULL)
        return err_no_memory(err);
    parallel->made++;
    if (parallel->work.worker_open(worker->state, parallel->work.arg, err) < 0)
        return err_status(err);
    int errnum = thread_start(&worker->thread, work_loop, worker);
    if (errnum == 0)
        parallel->started++;
    else
        parallel->worker_count = parallel->made;
    return parallel->started > 0 ? 0 : err_set_errno(err, errnum, "cannot start a thread");
}

struct parallel *parallel_new(const struct parallel_work *work, struct outfile *out, struct err *err)
{
    struct parallel *parallel = calloc(1, sizeof(*parallel));
    if (parallel == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for a work pipeline");
        return NULL;
    }
    parallel->work = *work;
    parallel->out = out;
    /* One more than there are CPUs: who writes waits for the disk meanwhile. */
    unsigned workers = work->workers == 0 ? cpu_count() + (out != NULL) : work->workers;
    parallel->worker_count = workers < PARALLEL_MAX_WORKERS ? workers : PARALLEL_MAX_WORKERS;
    pthread_mutex_init(&parallel->mutex, NULL);
    pthread_cond_init(&parallel->changed, NULL);
    if (make_slots(parallel, err) < 0 || add_worker(parallel, err) < 0) {
        parallel_free(parallel);
        return NULL;
    }
    return parallel;
}

/* With the mutex held. Returns 0, or -code with err set when the pipeline has stopped. */
static int check_stopped(struct parallel *parallel, struct err *err)
{
    if (interrupted()) {
        struct err failure = ERR_INIT;
        interrupt_error(&failure);
        stop(parallel, &failure);
    }
    if (!parallel->stopped)
        return 0;
    *err = parallel->failure;
    return err_status(err);
}

void *parallel_unit(struct parallel *parallel, struct err *err)
{
    pthread_mutex_lock(&parallel->mutex);
    struct slot *slot = slot_of(parallel, parallel->submitted);
    while (!parallel->stopped && slot->state != SLOT_FREE)
        pthread_cond_wait(&parallel->changed, &parallel->mutex);
    int result = check_stopped(parallel, err);
    pthread_mutex_unlock(&parallel->mutex);
    if (result == 0)
        result = fill_slot(parallel, slot, err);
    return result < 0 ? NULL : slot->unit;
}

void parallel_submit(struct parallel *parallel)
{
    pthread_mutex_lock(&parallel->mutex);
    slot_of(parallel, parallel->submitted)->state = SLOT_SUBMITTED;
    parallel->submitted++;
    pthread_cond_broadcast(&parallel->changed);
    bool wanted = !parallel->stopped && parallel->submitted - parallel->taken > parallel->started - parallel->busy;
    pthread_mutex_unlock(&parallel->mutex);
    struct err err = ERR_INIT;
    if (wanted && parallel->made < parallel->worker_count && add_worker(parallel, &err) < 0) {
        pthread_mutex_lock(&parallel->mutex);
        stop(parallel, &err);
        pthread_mutex_unlock(&parallel->mutex);
    }
}

int parallel_finish(struct parallel *parallel, struct err *err)
{
    pthread_mutex_lock(&parallel->mutex);
    parallel->closed = true;
    pthread_cond_broadcast(&parallel->changed);
    while (!parallel->stopped && parallel->turn != parallel->submitted)
        pthread_cond_wait(&parallel->changed, &parallel->mutex);
    int result = check_stopped(parallel, err);
    pthread_mutex_unlock(&parallel->mutex);
    return result;
}

void parallel_free(struct parallel *parallel)
{
    if (parallel == NULL)
        return;
    pthread_mutex_lock(&parallel->mutex);
    stop(parallel, NULL);
    pthread_mutex_unlock(&parallel->mutex);
    for (unsigned i = 0; i < parallel->started; i++)
        pthread_join(parallel->workers[i].thread, NULL);
    for (unsigned i = 0; i < parallel->made; i++) {
        if (parallel->work.worker_close != NULL)
            parallel->work.worker_close(parallel->workers[i].state);
        free(parallel->workers[i].state);
    }
    for (size_t i = 0; i < parallel->slot_count; i++) {
        struct slot *slot = &parallel->slots[i];
        if (parallel->work.unit_release != NULL && slot->unit != NULL)
            parallel->work.unit_release(slot->unit);
        free(slot->unit);
        free(slot->output.data);
    }
    free(parallel->slots);
    pthread_cond_destroy(&parallel->changed);
    pthread_mutex_destroy(&parallel->mutex);
    free(parallel);
}
