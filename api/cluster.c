/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of a job together: who is slow, as 'msprof cluster' answers it, or a table about all of them. */
#include "api/internal.h"

#include "api/listing.h"
#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "db/database.h"
#include "db/warm_up.h"
#include "features/cluster/cluster.h"
#include "features/cluster/output/answer.h"
#include "features/cluster/rank/analyse_rank.h"
#include "features/cluster/rank/load.h"
#include "features/cluster/tables/rank_stages.h"
#include "features/cluster/tables/rank_tables.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define MOST_THREADS 8
#define PROBLEM_MOST 8192 /* bytes of a message */

struct ranks_work {
    const struct msprof_cluster_options *options;
    atomic_int *interrupt; /* of the call */
    pthread_mutex_t telling;
    uint64_t done, total; /* under it: the ranks, as they were told last */
    atomic_uint room;     /* counts the directories that were made */
    char *temporary;
    struct cluster_sources sources;
    struct loaded_ranks loaded;
    struct diagnostics diag;
};

static int init(struct ranks_work *work, struct err *err)
{
    work->temporary = temporary_directory("msprof-ranks.", err);
    return work->temporary != NULL ? 0 : err_status(err);
}

static void ranks_work_release(struct ranks_work *work)
{
    loaded_ranks_release(&work->loaded);
    cluster_sources_release(&work->sources);
    diag_release(&work->diag);
    if (work->temporary != NULL)
        path_remove_tree(work->temporary);
    free(work->temporary);
    pthread_mutex_destroy(&work->telling);
}

/* With the lock held. */
static void tell_ranks(struct ranks_work *work)
{
    const struct msprof_cluster_options *options = work->options;
    if (options->progress != NULL && options->progress(options->progress_arg, "ranks", work->done, work->total) != 0)
        atomic_store(work->interrupt, INTERRUPT_BY_CALLER);
}

static void tell_progress(void *arg, const char *what, uint64_t done, uint64_t total)
{
    struct ranks_work *work = arg;
    (void)what;
    pthread_mutex_lock(&work->telling);
    work->done = done;
    work->total = total;
    tell_ranks(work);
    pthread_mutex_unlock(&work->telling);
}

/* ---- captures of the ranks, by what the library has for one of them ---- */

/* While a rank is imported the caller hears that nothing else has changed, and can end it. */
static int ask_interrupt(void *arg, const char *what, uint64_t done, uint64_t total)
{
    struct ranks_work *work = arg;
    (void)what;
    (void)done;
    (void)total;
    pthread_mutex_lock(&work->telling);
    tell_ranks(work);
    pthread_mutex_unlock(&work->telling);
    return atomic_load(work->interrupt);
}

static int open_capture(struct ranks_work *work, const char *path, struct msprof_capture **ret, struct err *err)
{
    const struct msprof_open_options options = {
        .size = sizeof options, .progress = ask_interrupt, .progress_arg = work};
    struct msprof_error *error = NULL;
    const int status = msprof_open(path, &options, ret, &error);
    if (status < 0) {
        err_set(err, (enum err_code) - status, "%s", error != NULL ? msprof_error_message(error) : path);
        if (error != NULL && msprof_error_hint(error)[0] != '\0')
            err_hint(err, "%s", msprof_error_hint(error));
    }
    msprof_error_free(error);
    return status;
}

/* ---- what each rank communicated ---- */

/* Names the capture, which the others' problems are not of. */
static void take_problems(struct diagnostics *diag, const char *path, const struct diagnostics *own)
{
    for (size_t i = 0; i < own->count; i++) {
        const struct diag_entry *entry = &own->entries[i];
        SCOPED(strbuf_release) struct strbuf line;
        strbuf_init(&line, PROBLEM_MOST);
        strbuf_addf(&line, "%s: %s", path, entry->kept > 0 ? entry->texts[0] : diag_info(entry->id)->meaning);
        char *text = line.failed ? NULL : line.data;
        diag_restore(diag, entry->id, path, entry->count, &text, text != NULL);
    }
}

static int analyse_in(struct ranks_work *work, const struct cluster_source *source, struct rank_data *rank,
                      const char *results, struct diagnostics *diag, struct err *err)
{
    struct msprof_capture *capture = NULL;
    struct raw_rank_request request = {.source = source, .results = results};
    SCOPED_FREE char *path = rank_capture_of(source, err);
    if (err->code == ERR_NONE && path != NULL && open_capture(work, path, &capture, err) == 0 &&
        warm_up_open(capture->database, &request.db, err) == 0)
        take_problems(diag, source->path, &capture->diag);
    if (err->code == ERR_NONE) {
        request.capture = path;
        request.database = capture != NULL ? capture->database : NULL;
        rank_analyse(rank, &request, diag, err);
    }
    database_close(request.db);
    msprof_close(capture);
    return err_status(err);
}

/* Of struct cluster_load: in several threads at once. */
static int analyse(void *arg, const struct cluster_source *source, struct rank_data *rank, struct diagnostics *diag,
                   struct err *err)
{
    struct ranks_work *work = arg;
    char name[24];
    snprintf(name, sizeof name, "rank%u", atomic_fetch_add(&work->room, 1));
    SCOPED_FREE char *results = path_joined(work->temporary, name, err);
    if (results == NULL || path_make_directories(results, err) < 0)
        return err_status(err);
    analyse_in(work, source, rank, results, diag, err);
    path_remove_tree(results);
    return err_status(err);
}

static int load(struct ranks_work *work, const char *directory, struct err *err)
{
    const struct progress progress = {tell_progress, work};
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct team team;
    team_alone(&team);
    const struct cluster_load request = {
        .sources = &work->sources,
        .kept = work->temporary,
        .jobs = processors < 1              ? 1
                : processors > MOST_THREADS ? MOST_THREADS
                                            : (int)processors,
        .details = work->sources.count <= CLUSTER_DETAIL_RANKS,
        .analyse = analyse,
        .analyse_arg = work,
        .team = &team,
        .progress = work->options->progress != NULL ? &progress : NULL,
    };
    if (cluster_find(directory, &work->sources, &work->diag, err) < 0)
        return err_status(err);
    cluster_leave_out_devices(&work->sources, &work->diag);
    if (work->sources.count == 0) {
        err_set(err, ERR_NOT_FOUND, "'%s' contains no captures of ranks", directory);
        return err_hint(err, "expected directories *_ascend_pt, *_ascend_ms, or PROF_* of one device");
    }
    if (cluster_load(&request, &work->loaded, &work->diag, err) < 0)
        return err_status(err);
    if (work->loaded.count > 0)
        return 0;
    return err_set(err, ERR_NOT_FOUND, "cannot read any of the %zu captures in '%s'%s%s", work->sources.count,
                   directory, work->diag.count > 0 && work->diag.entries[0].kept > 0 ? ": " : "",
                   work->diag.count > 0 && work->diag.entries[0].kept > 0 ? work->diag.entries[0].texts[0] : "");
}

/* ---- answers ---- */

static int answer_verdicts(struct ranks_work *work, FILE *stream, struct err *err)
{
    struct cluster_result result = {.files = 0};
    struct team team;
    SCOPED_FREE char *directory = path_joined(work->temporary, CLUSTER_OUTPUT, err);
    team_alone(&team);
    const struct cluster_request request = {.directory = directory, .team = &team};
    if (directory == NULL || path_make_directories(directory, err) < 0)
        return err_status(err);
    if (cluster_analyse(work->loaded.items, work->loaded.count, &request, &work->diag, &result, err) == 0)
        cluster_answer_print_json(&result, &work->loaded, &work->diag, stream);
    free(result.worst.waits.items);
    return err_status(err);
}

static const struct cluster_source *source_of(const struct ranks_work *work, const struct aggregate *rank)
{
    size_t i = 0;
    while (i < work->sources.count && strcmp(work->sources.items[i].path, rank->source) != 0)
        i++;
    return i < work->sources.count ? &work->sources.items[i] : NULL;
}

static int add_capture(struct ranks_work *work, struct rank_facts *facts, const struct rank_stages *stages,
                       const struct aggregate *rank, struct err *err)
{
    struct msprof_capture *capture = NULL;
    const struct cluster_source *source = source_of(work, rank);
    SCOPED_FREE char *path = source != NULL ? rank_capture_of(source, err) : NULL;
    if (path == NULL)
        return err->code != ERR_NONE
                   ? err_status(err)
                   : err_set(err, ERR_NOT_FOUND, "tables need the capture (PROF_*), which is not there");
    if (open_capture(work, path, &capture, err) == 0)
        rank_facts_add(facts, rank->rank, rank_stages_of(stages, rank->rank), capture->db, err);
    msprof_close(capture);
    return err_status(err);
}

/* A rank whose capture is gone, or cannot be read, is left out, and is a problem. */
static int add_rank(struct ranks_work *work, struct rank_facts *facts, const struct rank_stages *stages,
                    const struct aggregate *rank, struct err *err)
{
    if (add_capture(work, facts, stages, rank, err) == 0 || err->code == ERR_INTERRUPTED ||
        err->code == ERR_NO_MEMORY || err->code == ERR_NO_SPACE)
        return err_status(err);
    diag_report(&work->diag, DIAG_FILE_UNREADABLE, FILE_PLACE(rank->source, NULL), "rank %lld is left out: %s",
                (long long)rank->rank, err_message(err));
    *err = (struct err)ERR_INIT;
    return 0;
}

static int answer_table(struct ranks_work *work, const struct rank_table *table, FILE *stream, struct err *err)
{
    struct json_out json = {.stream = stream};
    SCOPED(rank_facts_release) struct rank_facts facts = {.db = NULL};
    SCOPED(rank_stages_release) struct rank_stages stages = {.parallel = {0}};
    if (rank_stages_find(&stages, &work->loaded, err) < 0 || rank_facts_open(&facts, &table, 1, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < work->loaded.count; i++)
        if (add_rank(work, &facts, &stages, &work->loaded.items[i], err) < 0)
            return err_status(err);
    json_put_begin(&json, NULL, '{');
    json_put_members(&json, JSON_TEXT("schema", SCHEMA_CLUSTER), JSON_TEXT("table", table->report->name));
    if (list_report(facts.db, table->report, &json, "rows", err) < 0)
        return err_status(err);
    cluster_answer_put_problems(&json, &work->diag);
    json_put_end(&json, '}');
    return 0;
}

static int answer(struct ranks_work *work, const char *directory, FILE *stream, struct err *err)
{
    const char *name = work->options->table;
    const struct rank_table *table = name != NULL ? rank_table_find(name) : NULL;
    SCOPED_FREE char *absolute = path_absolute(directory, err);
    if (absolute == NULL)
        return err_status(err);
    if (name != NULL && table == NULL)
        return err_set(err, ERR_USAGE, "there is no table '%s' of ranks", name);
    if (init(work, err) < 0 || load(work, absolute, err) < 0)
        return err_status(err);
    return table != NULL ? answer_table(work, table, stream, err) : answer_verdicts(work, stream, err);
}

int msprof_cluster(const char *directory, const struct msprof_cluster_options *given, char **ret,
                   struct msprof_error **error)
{
    const char *null = NULL_OF_TWO(directory, ret);
    if (null != NULL)
        return fail_null(null, error);
    struct msprof_cluster_options options = {.size = 0};
    atomic_int interrupt = 0;
    struct visit visit;
    struct err err = ERR_INIT;
    struct answer_text text;

    *ret = NULL;
    enter(&visit, &interrupt);
    if (copy_options(&options, sizeof options, given, &err) == 0 && answer_text_begin(&text, &err) == 0) {
        struct ranks_work work = {.options = &options, .interrupt = &interrupt};
        pthread_mutex_init(&work.telling, NULL);
        diag_init(&work.diag, false);
        answer(&work, directory, text.stream, &err);
        ranks_work_release(&work);
        *ret = answer_text_end(&text, &err);
    }
    return leave(&visit, &err, error);
}
