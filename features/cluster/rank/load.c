/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/rank/load.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/map.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/thread.h"
#include "features/cluster/rank/rank_text.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_JOBS 256
#define DEEPEST 8 /* directories of a capture */
#define MESSAGE_MAX ((size_t)1 << 40)

/* One capture of this process. */
struct share {
    const struct cluster_source *source;
    size_t number; /* of the source */
    char fingerprint[65];
    struct aggregate aggregate;
    bool opened, failed;
};

struct run {
    const struct cluster_load *load;
    struct diagnostics *diag;
    struct share *shares; /* the largest capture first */
    size_t share_count;
    void (*work)(struct run *run, struct share *share); /* on each, in several threads at once */
    pthread_mutex_t mutex;                              /* for all below, and diag */
    size_t next, done, made, reused;
    struct err err; /* the first failure that ends everything */
    bool failed;
};

/* ---- which data ---- */

struct print {
    uint64_t words[4];
};

/* Sums do not depend on the order in which a directory gives its files. */
static void add_file(struct print *print, const char *name, const struct stat *info)
{
    const int64_t facts[7] = {(int64_t)map_hash_bytes(name, strlen(name)),
                              info->st_size,
                              info->st_mtim.tv_sec,
                              info->st_mtim.tv_nsec,
                              info->st_ctim.tv_sec,
                              info->st_ctim.tv_nsec,
                              0};
    uint64_t hash = map_hash_bytes(facts, sizeof facts);
    for (size_t i = 0; i < 4; i++) {
        hash = (hash ^ hash >> 31) * 0x9e3779b97f4a7c15u + i;
        print->words[i] += hash;
    }
}

/* The files of a directory and those below it; ours, which no capture has, are not among them. */
static void add_directory(struct print *print, const char *path, const char *name, int depth)
{
    DIR *directory = depth < DEEPEST ? opendir(path) : NULL;
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        struct stat info;
        char *inner = entry->d_name[0] != '.' ? path_join(path, entry->d_name) : NULL;
        char *inner_name = inner != NULL ? path_join(name, entry->d_name) : NULL;
        bool there = inner_name != NULL && lstat(inner, &info) == 0;
        if (there && S_ISDIR(info.st_mode) && strcmp(entry->d_name, "sqlite") != 0)
            add_directory(print, inner, inner_name, depth + 1);
        else if (there && !S_ISDIR(info.st_mode))
            add_file(print, inner_name, &info);
        free(inner);
        free(inner_name);
    }
    if (directory != NULL)
        closedir(directory);
}

/* Takes the results of a capture that was analysed, else all that it has. */
void cluster_fingerprint(const char *directory, char ret[65])
{
    static const char *const results[] = {"step_trace_time.csv", "communication.json", "communication_matrix.json",
                                          "analysis.db", "communication_analyzer.db"};
    struct print print = {{1, 2, 3, 4}};
    struct stat info;
    char *output = path_join(directory, "ASCEND_PROFILER_OUTPUT");
    char *metadata = path_join(directory, "profiler_metadata.json");
    bool any = false;
    for (size_t i = 0; output != NULL && i < sizeof results / sizeof *results; i++) {
        char *path = path_join(output, results[i]);
        any |= path != NULL && stat(path, &info) == 0;
        free(path);
    }
    if (metadata != NULL && stat(metadata, &info) == 0)
        add_file(&print, "profiler_metadata.json", &info);
    if (any && output != NULL)
        add_directory(&print, output, "output", DEEPEST - 1);
    else
        add_directory(&print, directory, "", 0);
    free(output);
    free(metadata);
    for (size_t i = 0; i < 4; i++)
        snprintf(ret + 16 * i, 17, "%016llx", (unsigned long long)print.words[i]);
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
             (unsigned long long)map_hash_bytes(source->path, strlen(source->path)));
    return path_join(load->kept, name);
}

/* ---- one rank ---- */

static int make_rank(const struct cluster_load *load, const struct cluster_source *source, struct rank_data *rank,
                     struct diagnostics *diag, struct err *err)
{
    const struct rank_places places = {source->path, source->path};
    if (source->kind != SOURCE_PROF && rank_text_is_there(source->path))
        return rank_text_read(rank, &places, diag, err);
    if (load->analyse != NULL)
        return load->analyse(load->analyse_arg, source, rank, diag, err);
    return err_set(err, ERR_NOT_FOUND, "it has not been analysed yet");
}

static bool ends_everything(const struct err *err)
{
    return err->code == ERR_NO_MEMORY || err->code == ERR_INTERRUPTED || err->code == ERR_NO_SPACE;
}

/* Opens an aggregate made earlier from the same data, and takes over the problems stored in it. A damaged one is only
 * reported. */
static bool open_made(const struct cluster_load *load, struct share *share, const char *path, struct diagnostics *diag,
                      struct err *err)
{
    struct aggregate *aggregate = &share->aggregate;
    int status = path != NULL ? aggregate_open(aggregate, path, share->fingerprint, err) : -1;
    if (status == 0 && (aggregate->has_details || !load->details))
        status = aggregate_read_problems(aggregate, diag, err);
    else if (status == 0)
        status = -1;
    if (status == 0)
        return true;
    if (path != NULL && err->code != ERR_NONE && err->code != ERR_NOT_FOUND && !ends_everything(err)) {
        diag_report(diag, DIAG_AGGREGATE_DAMAGED, FILE_PLACE(path, NULL), "%s",
                    err->code == ERR_FORMAT ? "its digest does not match its content" : err_message(err));
    }
    if (path != NULL)
        aggregate_release(aggregate);
    if (!ends_everything(err))
        *err = (struct err)ERR_INIT;
    return false;
}

/* Writes it beside the capture or, where that cannot be, to the kept ones. */
static int write_made(const struct cluster_load *load, struct share *share, const struct rank_data *rank,
                      const struct diagnostics *problems, struct err *err)
{
    SCOPED_FREE char *beside = path_beside(share->source), *kept = path_kept(load, share->source);
    const char *path = beside;
    int status = beside != NULL ? aggregate_write(rank, problems, load->details, beside, err) : err_no_memory(err);
    if (status < 0 && kept != NULL && !ends_everything(err)) {
        *err = (struct err)ERR_INIT;
        path = kept;
        status = aggregate_write(rank, problems, load->details, kept, err);
    }
    if (status == 0 && aggregate_open(&share->aggregate, path, share->fingerprint, err) == 0)
        return 0;
    aggregate_release(&share->aggregate);
    return err_status(err);
}

static int make_share(const struct cluster_load *load, struct share *share, struct diagnostics *diag, struct err *err)
{
    SCOPED(rank_data_release) struct rank_data rank;
    rank_data_init(&rank);
    rank.rank = share->source->rank;
    memcpy(rank.fingerprint, share->fingerprint, sizeof rank.fingerprint);
    return make_rank(load, share->source, &rank, diag, err) < 0 ? err_status(err)
                                                                : write_made(load, share, &rank, diag, err);
}

/* ---- all ranks of this process ---- */

/* Afterwards the share is opened, failed for itself, or everything has. */
static void end_share(struct run *run, struct share *share, bool made, const struct diagnostics *diag,
                      const struct err *err)
{
    pthread_mutex_lock(&run->mutex);
    diag_merge(run->diag, diag);
    if (err->code != ERR_NONE && ends_everything(err) && !run->failed) {
        run->failed = true;
        run->err = *err;
    } else if (err->code == ERR_NOT_FOUND && diag_has(diag, DIAG_HALF_MISSING)) {
        share->failed = true;
        diag_report(run->diag, DIAG_HALF_MISSING, FILE_PLACE(share->source->path, NULL),
                    "skipped: without the missing half it has no results");
    } else if (err->code != ERR_NONE) {
        share->failed = true;
        diag_report(run->diag, DIAG_FILE_UNREADABLE, FILE_PLACE(share->source->path, NULL),
                    err->depth > 1 ? "skipped: %s: %s" : "skipped: %s", err_message(err),
                    err->depth > 1 ? err->causes[0] : "");
    }
    if (share->opened) {
        run->made += made;
        run->reused += !made;
    }
    if (share->opened || share->failed)
        run->done++;
    progress_update(run->load->progress, "ranks", run->done, run->share_count);
    pthread_mutex_unlock(&run->mutex);
}

static void open_share(struct run *run, struct share *share)
{
    struct err err = ERR_INIT;
    struct diagnostics diag;
    char *beside = path_beside(share->source), *kept = path_kept(run->load, share->source);
    diag_init(&diag, false);
    cluster_fingerprint(share->source->path, share->fingerprint);
    share->opened = open_made(run->load, share, beside, &diag, &err) || open_made(run->load, share, kept, &diag, &err);
    free(beside);
    free(kept);
    end_share(run, share, false, &diag, &err);
    diag_release(&diag);
}

static void provide_share(struct run *run, struct share *share)
{
    struct err err = ERR_INIT;
    struct diagnostics diag;
    if (share->opened || share->failed)
        return;
    diag_init(&diag, false);
    int status = interrupted() ? interrupt_error(&err) : make_share(run->load, share, &diag, &err);
    share->opened = status == 0;
    end_share(run, share, true, &diag, &err);
    diag_release(&diag);
}

static void *work(void *arg)
{
    struct run *run = arg;
    for (;;) {
        pthread_mutex_lock(&run->mutex);
        size_t next = run->failed ? run->share_count : run->next++;
        pthread_mutex_unlock(&run->mutex);
        if (next >= run->share_count)
            return NULL;
        run->work(run, &run->shares[next]);
    }
}

static int work_on_all(struct run *run, void (*on_one)(struct run *run, struct share *share), struct err *err)
{
    pthread_t threads[MOST_JOBS];
    int wanted = run->load->jobs < MOST_JOBS ? run->load->jobs : MOST_JOBS, started = 0;
    run->work = on_one;
    run->next = 0;
    while (started < wanted - 1 && (size_t)started + 1 < run->share_count &&
           thread_start(&threads[started], work, run) == 0)
        started++;
    work(run);
    while (started > 0)
        pthread_join(threads[--started], NULL);
    if (run->failed)
        *err = run->err;
    return run->failed ? err_status(err) : 0;
}

/* Those of this process of which nothing has been made yet. */
static int prepare(struct run *run, struct err *err)
{
    const struct cluster_load *load = run->load;
    size_t raw = 0;
    if (load->prepare == NULL)
        return 0;
    SCOPED_FREE const struct cluster_source **sources =
        scoped_memory(run->share_count + 1, sizeof(const struct cluster_source *));
    if (sources == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < run->share_count; i++) {
        const struct cluster_source *source = run->shares[i].source;
        if (!run->shares[i].opened && (source->kind == SOURCE_PROF || !rank_text_is_there(source->path)))
            sources[raw++] = source;
    }
    return raw > 0 ? load->prepare(load->analyse_arg, sources, raw, run->diag, err) : 0;
}

ARRAY_COMPARE(compare_bytes, struct share, ARRAY_BY_MOST(source->bytes), ARRAY_BY(number))

/* Neighbours are in many groups together: each process gets a stretch of the ranks, all alike in bytes. */
static int deal_out(struct run *run, struct err *err)
{
    struct cluster_sources *sources = run->load->sources;
    const struct team *team = run->load->team;
    double all = 0, before = 0;
    run->shares = calloc(sources->count + 1, sizeof *run->shares);
    if (run->shares == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu ranks", sources->count);
    for (size_t i = 0; i < sources->count; i++)
        all += (double)sources->items[i].bytes + 1;
    for (size_t i = 0; i < sources->count; i++) {
        struct cluster_source *source = &sources->items[i];
        int owner = (int)((before + (double)source->bytes / 2) / all * team->size);
        source->owner = owner < team->size ? owner : team->size - 1;
        before += (double)source->bytes + 1;
        if (source->owner == team->me)
            run->shares[run->share_count++] = (struct share){.source = source, .number = i};
    }
    array_sort(run->shares, run->share_count, sizeof *run->shares, compare_bytes);
    return 0;
}

static int make_all(struct run *run, struct err *err)
{
    if (deal_out(run, err) < 0 || work_on_all(run, open_share, err) < 0 || prepare(run, err) < 0)
        return err_status(err);
    return work_on_all(run, provide_share, err);
}

/* ---- the indexes of all ---- */

struct index_message {
    uint64_t number, length; /* of the source; bytes that follow */
};

static void give_indexes(const struct run *run, struct strbuf *bytes)
{
    for (size_t i = 0; i < run->share_count; i++) {
        const struct share *share = &run->shares[i];
        const struct index_message message = {share->number, share->aggregate.byte_count};
        if (!share->opened)
            continue;
        strbuf_add(bytes, &message, sizeof message);
        strbuf_add(bytes, share->aggregate.bytes, share->aggregate.byte_count);
    }
}

static int add_rank(struct loaded_ranks *ret, const struct cluster_source *source, struct aggregate *aggregate,
                    struct err *err)
{
    aggregate->source = strdup(source->path);
    aggregate->owner = source->owner;
    ret->items[ret->count++] = *aggregate;
    *aggregate = (struct aggregate){.rank = -1};
    return ret->items[ret->count - 1].source != NULL ? 0 : err_no_memory(err);
}

static int take_indexes(const struct run *run, struct loaded_ranks *ret, const struct strbuf *bytes, struct err *err)
{
    struct team_message rest = {bytes->data, bytes->data + bytes->length};
    const struct cluster_sources *sources = run->load->sources;
    int status = 0;
    while (status == 0 && rest.p < rest.end) {
        struct index_message message;
        struct aggregate aggregate;
        if (!team_message_next(&rest, &message, sizeof message) || message.length == 0 ||
            message.length > team_message_rest(&rest) || message.number >= sources->count)
            return team_message_wrong(err);
        char *own = malloc(message.length);
        if (own == NULL)
            return err_no_memory(err);
        team_message_next(&rest, own, message.length);
        status = aggregate_open_index(&aggregate, own, message.length, err);
        if (status == 0)
            status = add_rank(ret, &sources->items[message.number], &aggregate, err);
        else
            aggregate_release(&aggregate);
    }
    return status;
}

/* Sends what a process has to process 0, and from there to all. */
static int exchange(struct run *run, struct loaded_ranks *ret, int from, struct err *err)
{
    struct team *team = run->load->team;
    SCOPED(strbuf_release) struct strbuf bytes;
    strbuf_init(&bytes, MESSAGE_MAX);
    if (team->me == from)
        give_indexes(run, &bytes);
    if (bytes.failed && err_set(err, ERR_NO_MEMORY, "out of memory for the indexes of %zu ranks", run->share_count) < 0)
        return err_status(err);
    return (from != 0 && team->me == from && team->send(team, 0, &bytes, err) < 0) ||
                   (from != 0 && team->me == 0 && team->receive(team, from, &bytes, err) < 0) ||
                   team_broadcast(team, NULL, &bytes, err) < 0 ||
                   (team->me != from && take_indexes(run, ret, &bytes, err) < 0)
               ? err_status(err)
               : 0;
}

static int collect(struct run *run, struct loaded_ranks *ret, struct err *err)
{
    int status = 0;
    ret->items = calloc(run->load->sources->count + 1, sizeof *ret->items);
    if (ret->items == NULL)
        return err_no_memory(err);
    for (int i = 0; status == 0 && run->load->team->size > 1 && i < run->load->team->size; i++)
        status = exchange(run, ret, i, err);
    for (size_t i = 0; status == 0 && i < run->share_count; i++) {
        if (run->shares[i].opened)
            status = add_rank(ret, run->shares[i].source, &run->shares[i].aggregate, err);
    }
    return status;
}

ARRAY_COMPARE(compare_ranks, struct aggregate, ARRAY_BY(rank), ARRAY_BY_TEXT(source))

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
                        "no capture names its rank; they are numbered from 0 in the order of their names");
        return;
    }
    for (size_t i = 0; i < ret->count; i++) {
        const struct place place = {ret->items[i].source, -1, -1, NULL};
        if (ret->items[i].rank < 0) {
            if (tells)
                diag_report(run->diag, DIAG_RANK_UNKNOWN, &place, "skipped: it does not name its rank, but others do");
            aggregate_release(&ret->items[i]);
        } else if (kept > 0 && ret->items[kept - 1].rank == ret->items[i].rank) {
            if (tells)
                diag_report(run->diag, DIAG_RANK_DOUBLE, &place, "skipped: another capture of rank %lld",
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
    bool failed = team_agree(load->team, make_all(&run, err), err) < 0 ||
                  team_agree(load->team, collect(&run, ret, err), err) < 0;
    if (!failed)
        array_sort(ret->items, ret->count, sizeof *ret->items, compare_ranks);
    if (!failed)
        number_ranks(&run, ret);
    ret->made = run.made;
    ret->reused = run.reused;
    for (size_t i = 0; i < run.share_count; i++)
        aggregate_release(&run.shares[i].aggregate);
    free(run.shares);
    pthread_mutex_destroy(&run.mutex);
    return failed ? err_status(err) : 0;
}

void loaded_ranks_release(struct loaded_ranks *ranks)
{
    for (size_t i = 0; i < ranks->count; i++)
        aggregate_release(&ranks->items[i]);
    free(ranks->items);
    *ranks = (struct loaded_ranks){.items = NULL};
}
