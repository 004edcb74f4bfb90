#include "cluster/rank/load.h"

#include "base/file/fsutil.h"
#include "base/interrupt.h"
#include "base/map.h"
#include "cluster/rank/rank_text.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_JOBS 256

struct run {
    const struct cluster_load *load;
    struct diagnostics *diag;
    size_t *order;         /* of sources: the largest first */
    pthread_mutex_t mutex; /* for all below, and diag */
    size_t next, done, made, reused;
    struct err err; /* the first failure that ends everything */
    bool failed;
};

/* ---- which data ---- */

void cluster_fingerprint(const char *directory, char ret[65])
{
    static const char *const files[] = {"ASCEND_PROFILER_OUTPUT/step_trace_time.csv",
                                        "ASCEND_PROFILER_OUTPUT/communication.json",
                                        "ASCEND_PROFILER_OUTPUT/communication_matrix.json",
                                        "profiler_metadata.json",
                                        "host/data",
                                        "FRAMEWORK",
                                        "."};
    uint64_t hash[4] = {1, 2, 3, 4};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct stat info;
        char *path = path_join(directory, files[i]);
        /* The directory's own time changes when the aggregate is put there: only that it is there counts. */
        bool whole = strcmp(files[i], ".") != 0;
        int64_t facts[4] = {(int64_t)i, -1, -1, -1};
        if (path != NULL && stat(path, &info) == 0) {
            facts[1] = whole ? info.st_size : 0;
            facts[2] = whole ? info.st_mtim.tv_sec : 0;
            facts[3] = whole ? info.st_mtim.tv_nsec : 0;
        }
        free(path);
        for (size_t j = 0; j < 4; j++)
            hash[j] = hash[j] * 0x9e3779b97f4a7c15u + hash_bytes(facts, sizeof facts) + j;
    }
    for (size_t i = 0; i < 4; i++)
        snprintf(ret + 16 * i, 17, "%016llx", (unsigned long long)hash[i]);
}

static char *path_beside(const struct cluster_source *source)
{
    return path_join(source->path, AGGREGATE_NAME);
}

/* For a capture that cannot be written to; NULL: nowhere, or no memory. */
static char *path_kept(const struct cluster_load *load, const struct cluster_source *source)
{
    char name[64];
    if (load->kept == NULL)
        return NULL;
    snprintf(name, sizeof name, "%016llx" AGGREGATE_NAME,
             (unsigned long long)hash_bytes(source->path, strlen(source->path)));
    return path_join(load->kept, name);
}

/* ---- one rank ---- */

static int make_rank(const struct cluster_load *load, const struct cluster_source *source, struct rank_data *rank,
                     struct diagnostics *diag, struct err *err)
{
    if (source->kind != SOURCE_PROF && rank_text_is_there(source->path))
        return rank_text_read(rank, source->path, source->path, diag, err);
    if (load->analyse != NULL)
        return load->analyse(load->analyse_arg, source, rank, diag, err);
    return err_set(err, ERR_NOT_FOUND, "nothing has been made of it yet");
}

static bool is_current(const struct cluster_load *load, const char *path, const char *fingerprint)
{
    struct aggregate aggregate;
    struct err ignored = ERR_INIT;
    bool current = path != NULL && aggregate_open(&aggregate, path, fingerprint, &ignored) == 0 &&
                   (aggregate.has_details || !load->details);
    if (path != NULL)
        aggregate_release(&aggregate);
    return current;
}

/* *ret_path: where it is (free() it). */
static int provide(const struct cluster_load *load, const struct cluster_source *source, char **ret_path,
                   bool *ret_made, struct diagnostics *diag, struct err *err)
{
    struct rank_data rank;
    char *beside = path_beside(source), *kept = path_kept(load, source);
    int status = beside != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
    *ret_path = NULL;
    *ret_made = false;
    rank_data_init(&rank);
    cluster_fingerprint(source->path, rank.fingerprint);
    if (status == 0 && is_current(load, beside, rank.fingerprint)) {
        *ret_path = beside;
        beside = NULL;
    } else if (status == 0 && is_current(load, kept, rank.fingerprint)) {
        *ret_path = kept;
        kept = NULL;
    } else if (status == 0) {
        rank.rank = source->rank;
        status = make_rank(load, source, &rank, diag, err);
        if (status == 0 && (status = aggregate_write(&rank, load->details, beside, err)) == 0) {
            *ret_path = beside;
            beside = NULL;
        } else if (status < 0 && kept != NULL && (err->code == ERR_ACCESS || err->code == ERR_IO)) {
            *err = (struct err)ERR_INIT;
            status = aggregate_write(&rank, load->details, kept, err);
            *ret_path = status == 0 ? kept : NULL;
            kept = status == 0 ? NULL : kept;
        }
        *ret_made = status == 0;
    }
    rank_data_release(&rank);
    free(beside);
    free(kept);
    return status;
}

/* ---- all ranks ---- */

static bool ends_everything(const struct err *err)
{
    return err->code == ERR_NO_MEMORY || err->code == ERR_INTERRUPTED || err->code == ERR_NO_SPACE;
}

static void tell_lost(struct run *run, const struct cluster_source *source, const struct err *err)
{
    const struct place place = {source->path, -1, -1, NULL};
    diag_report(run->diag, DIAG_FILE_UNREADABLE, &place, "left out: %s", err_message(err));
}

static void add_diagnostics(struct run *run, const struct diagnostics *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct diag_entry *entry = &from->entries[i];
        const struct place place = {entry->file, -1, -1, NULL};
        for (size_t j = 0; j < entry->kept; j++)
            diag_report(run->diag, entry->id, &place, "%s", entry->texts[j]);
        diag_count(run->diag, entry->id, entry->file, entry->count - entry->kept);
    }
}

static void work_on(struct run *run, const struct cluster_source *source)
{
    struct err err = ERR_INIT;
    struct diagnostics diag;
    bool made = false;
    char *path = NULL;
    diag_init(&diag, false);
    int status = interrupted() ? interrupt_error(&err) : provide(run->load, source, &path, &made, &diag, &err);
    pthread_mutex_lock(&run->mutex);
    add_diagnostics(run, &diag);
    if (status < 0 && ends_everything(&err) && !run->failed) {
        run->failed = true;
        run->err = err;
    } else if (status == 0) {
        run->made += made;
        run->reused += !made;
        free(path);
    } else {
        tell_lost(run, source, &err);
    }
    run->done++;
    progress_update(run->load->progress, "ranks", run->done, run->load->sources->count);
    pthread_mutex_unlock(&run->mutex);
    diag_release(&diag);
}

static void *work(void *arg)
{
    struct run *run = arg;
    const struct team *team = run->load->team;
    for (;;) {
        pthread_mutex_lock(&run->mutex);
        size_t next = run->failed ? run->load->sources->count : run->next++;
        pthread_mutex_unlock(&run->mutex);
        if (next >= run->load->sources->count)
            return NULL;
        if (next % (size_t)team->size == (size_t)team->me)
            work_on(run, &run->load->sources->items[run->order[next]]);
    }
}

static int compare_bytes(const void *a, const void *b, void *opaque)
{
    const struct cluster_sources *sources = opaque;
    const struct cluster_source *x = &sources->items[*(const size_t *)a], *y = &sources->items[*(const size_t *)b];
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x > y) - (x < y);
}

static bool is_raw(const struct cluster_load *load, const struct cluster_source *source)
{
    char fingerprint[65], *beside, *kept;
    if (source->kind != SOURCE_PROF && rank_text_is_there(source->path))
        return false;
    cluster_fingerprint(source->path, fingerprint);
    beside = path_beside(source);
    kept = path_kept(load, source);
    bool raw = !is_current(load, beside, fingerprint) && !is_current(load, kept, fingerprint);
    free(beside);
    free(kept);
    return raw;
}

/* Those of this process of which nothing has been made yet. */
static int prepare(struct run *run, struct err *err)
{
    const struct cluster_load *load = run->load;
    size_t count = load->sources->count, raw = 0;
    if (load->prepare == NULL)
        return 0;
    const struct cluster_source **sources = calloc(count + 1, sizeof(const struct cluster_source *));
    if (sources == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = (size_t)load->team->me; i < count; i += (size_t)load->team->size) {
        const struct cluster_source *source = &load->sources->items[run->order[i]];
        if (is_raw(load, source))
            sources[raw++] = source;
    }
    int status = raw > 0 ? load->prepare(load->analyse_arg, sources, raw, run->diag, err) : 0;
    free(sources);
    return status;
}

static int make_all(struct run *run, struct err *err)
{
    pthread_t threads[MOST_JOBS];
    int wanted = run->load->jobs < MOST_JOBS ? run->load->jobs : MOST_JOBS, started = 0;
    size_t count = run->load->sources->count;
    run->order = calloc(count + 1, sizeof *run->order);
    if (run->order == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        run->order[i] = i;
    if (count > 1)
        qsort_r(run->order, count, sizeof *run->order, compare_bytes, (void *)(uintptr_t)run->load->sources);
    if (prepare(run, err) < 0) {
        free(run->order);
        return -(int)err->code;
    }
    while (started < wanted - 1 && pthread_create(&threads[started], NULL, work, run) == 0)
        started++;
    work(run);
    while (started > 0)
        pthread_join(threads[--started], NULL);
    free(run->order);
    if (run->failed) {
        *err = run->err;
        return -(int)err->code;
    }
    return 0;
}

/* ---- opening ---- */

static int open_one(struct run *run, struct loaded_ranks *ret, const struct cluster_source *source, struct err *err)
{
    struct aggregate *aggregate = &ret->items[ret->count];
    char fingerprint[65], *beside = path_beside(source), *kept = path_kept(run->load, source);
    int status = beside != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
    cluster_fingerprint(source->path, fingerprint);
    if (status == 0) {
        status = aggregate_open(aggregate, beside, fingerprint, err);
        if (status < 0 && kept != NULL) {
            aggregate_release(aggregate);
            status = aggregate_open(aggregate, kept, fingerprint, err);
        }
        if (status < 0)
            aggregate_release(aggregate);
    }
    free(beside);
    free(kept);
    if (status < 0 && !ends_everything(err)) {
        *err = (struct err)ERR_INIT; /* it was named when it could not be made */
        return 0;
    }
    ret->count += status == 0;
    return status;
}

static int compare_ranks(const void *a, const void *b)
{
    const struct aggregate *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Captures that say no rank are counted where none says one; beside others they are named and left out. */
static void number_ranks(struct run *run, struct loaded_ranks *ret)
{
    size_t unknown = 0, kept = 0;
    bool tells = run->load->team->me == 0; /* every process finds the same */
    while (unknown < ret->count && ret->items[unknown].rank < 0)
        unknown++;
    if (unknown == ret->count) {
        for (size_t i = 0; i < ret->count; i++)
            ret->items[i].rank = (int64_t)i;
        if (ret->count > 1 && tells)
            diag_report(run->diag, DIAG_RANK_UNKNOWN, NULL,
                        "no capture says its rank; they are counted from 0 in the order of their names");
        return;
    }
    for (size_t i = 0; i < ret->count; i++) {
        const struct place place = {ret->items[i].path, -1, -1, NULL};
        if (ret->items[i].rank < 0) {
            if (tells)
                diag_report(run->diag, DIAG_RANK_UNKNOWN, &place, "left out: it does not say its rank, as others do");
            aggregate_release(&ret->items[i]);
        } else if (kept > 0 && ret->items[kept - 1].rank == ret->items[i].rank) {
            if (tells)
                diag_report(run->diag, DIAG_RANK_DOUBLE, &place, "left out: a second capture of rank %lld",
                            (long long)ret->items[i].rank);
            aggregate_release(&ret->items[i]);
        } else {
            ret->items[kept++] = ret->items[i];
        }
    }
    ret->count = kept;
}

int cluster_load(const struct cluster_load *load, struct loaded_ranks *ret, struct diagnostics *diag, struct err *err)
{
    struct run run = {.load = load, .diag = diag, .mutex = PTHREAD_MUTEX_INITIALIZER};
    *ret = (struct loaded_ranks){.items = NULL};
    int status = make_all(&run, err);
    if (status == 0)
        status = load->team->barrier(load->team, err);
    ret->items = calloc(load->sources->count + 1, sizeof *ret->items);
    if (status == 0 && ret->items == NULL)
        status = err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; status == 0 && i < load->sources->count; i++)
        status = open_one(&run, ret, &load->sources->items[i], err);
    if (status == 0 && ret->count > 1)
        qsort(ret->items, ret->count, sizeof *ret->items, compare_ranks);
    if (status == 0)
        number_ranks(&run, ret);
    ret->made = run.made;
    ret->reused = run.reused;
    pthread_mutex_destroy(&run.mutex);
    return status;
}

void loaded_ranks_release(struct loaded_ranks *ranks)
{
    for (size_t i = 0; i < ranks->count; i++)
        aggregate_release(&ranks->items[i]);
    free(ranks->items);
    *ranks = (struct loaded_ranks){.items = NULL};
}
