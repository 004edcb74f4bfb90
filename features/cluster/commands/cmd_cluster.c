/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/commands/cmd_cluster.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "base/language.h"
#include "base/map.h"
#include "base/progress.h"
#include "cli/capture/found.h"
#include "cli/capture/written.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/jobs.h"
#include "db/database.h"
#include "features/cluster/cluster.h"
#include "features/cluster/cluster_database.h"
#include "features/cluster/commands/cluster_tables.h"
#include "features/cluster/commands/cluster_timeline.h"
#include "features/cluster/output/answer.h"
#include "features/cluster/rank/load.h"
#include "features/cluster/rank/rank_arguments.h"
#include "features/cluster/rank/rank_text.h"
#include "features/frameworks/commands/analyse_output.h"
#include "features/frameworks/commands/cmd_analyse.h"
#include "parsers/capture/capture.h"
#include "parsers/capture/framework_directory.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Where the ranks of a cluster ran. */

static void take_parts(const struct capture *capture, struct cluster_database_rank *ret)
{
    for (size_t i = 0; i < capture->part_count; i++) {
        const struct capture_part *part = &capture->parts[i];
        if (!part->is_host && part->device_id >= 0 && ret->device_id < 0)
            ret->device_id = part->device_id;
        if (part->host_uid[0] == '\0' || ret->host_uid[0] != '\0')
            continue;
        snprintf(ret->host_uid, sizeof ret->host_uid, "%s", part->host_uid);
        snprintf(ret->host_name, sizeof ret->host_name, "%s", part->host_name);
    }
}

/* What in a capture is damaged is reported where it is analysed. */
static int open_capture(const char *path, struct cluster_database_rank *ret, struct err *err)
{
    const struct capture_options options = {.layouts = NULL};
    struct capture capture;
    SCOPED(diag_release) struct diagnostics diag;
    diag_init(&diag, false);
    int status = capture_open(&capture, path, &options, &diag, err);
    if (status == 0)
        take_parts(&capture, ret);
    capture_release(&capture);
    if (status == 0 && ret->host_uid[0] == '\0' && diag_problems(&diag) > 0)
        status = err_set(err, ERR_IO, "'%s' has data problems", path);
    return status;
}

/* Host of a rank, from its device's capture; empty, and no device, where there is none any more. */
static struct cluster_database_rank rank_host_of(const struct cluster_source *source, struct diagnostics *all)
{
    struct cluster_database_rank rank = {.path = source->path, .device_id = -1};
    SCOPED(framework_paths_release) struct framework_paths profs = {.count = 0};
    struct err err = ERR_INIT;
    if (rank_arguments_read(source->path, rank.arguments, sizeof rank.arguments, &err) == 0) {
        if (source->kind == SOURCE_PROF)
            open_capture(source->path, &rank, &err);
        else if (framework_find_prof(source->path, &profs, NULL, &err) == 0 && profs.count > 0)
            open_capture(profs.items[0], &rank, &err);
    }
    /* a path that is not a capture, or is gone, was reported before or has nothing to report */
    if (err.code != ERR_NONE && err.code != ERR_NOT_FOUND && err.code != ERR_FORMAT)
        diag_report(all, DIAG_FILE_UNREADABLE, FILE_PLACE(source->path, NULL), "where it ran is not known: %s",
                    err_message(&err));
    return rank;
}

/* Ranks that nothing has been made of yet: msprof cluster analyses them itself. */

struct raw_ranks {
    const struct settings *settings;
    const char *kept; /* existing directory, in which the results are until they are read */
    int jobs;
    struct raw_rank {
        const struct cluster_source *source;
        pid_t child;                /* 0: none, or ended */
        int state;                  /* of the child that has ended: as waitpid() says */
    } * items;                      /* of raw_ranks_prepare */
    struct first_problem *problems; /* of each, in memory that the children share; NULL: they are not known */
    size_t problems_size;
    size_t count, running;
    unsigned asked; /* how often they were asked to end */
};

/* Where a rank's results are meanwhile (free() it); NULL: no memory. */
static char *path_of(const struct raw_ranks *ranks, const struct cluster_source *source)
{
    char name[32];
    snprintf(name, sizeof name, "%016llx.raw", (unsigned long long)map_hash_bytes(source->path, strlen(source->path)));
    return path_join(ranks->kept, name);
}

/* In a process of its own. */
static int analyse_rank(const struct raw_ranks *ranks, const struct cluster_source *source,
                        struct first_problem *problem)
{
    struct settings settings = *ranks->settings;
    char *results = path_of(ranks, source);
    const struct analyse_request request = {.settings = &settings,
                                            .directory = source->path,
                                            .bare = source->kind == SOURCE_PROF,
                                            .results = results,
                                            .for_cluster = true,
                                            .problem = problem};
    settings.quiet = true;
    settings.analyse.force = true; /* what a run that was killed left there */
    settings.output = results;
    console_init(&settings);
    return results != NULL ? analyse_directory(&request) : STATUS_FAILURE;
}

/* Also of one that is stopped, and of one that does not listen. */
static void stop_all(struct raw_ranks *ranks)
{
    enum { PATIENCE = 100 }; /* pauses */
    ranks->asked++;
    for (size_t i = 0; i < ranks->count; i++) {
        if (ranks->items[i].child <= 0)
            continue;
        kill(ranks->items[i].child, ranks->asked < PATIENCE ? SIGTERM : SIGKILL);
        kill(ranks->items[i].child, SIGCONT);
    }
}

/* Until one of them has ended. A signal ends them all: they are waited for all the same, for their files. */
static void wait_for_one(struct raw_ranks *ranks)
{
    const struct timespec pause = {0, 20000000};
    int state = 0;
    size_t i = 0;
    pid_t child;
    while ((child = waitpid(-1, &state, WNOHANG)) == 0) {
        if (interrupted())
            stop_all(ranks);
        nanosleep(&pause, NULL);
    }
    if (child < 0) {
        ranks->running = errno == EINTR ? ranks->running : 0;
        return;
    }
    while (i < ranks->count && ranks->items[i].child != child)
        i++;
    if (i == ranks->count)
        return;
    ranks->items[i].child = 0;
    ranks->items[i].state = state;
    ranks->running--;
}

/* Databases need no analysis. */
static bool is_raw(const struct cluster_source *source)
{
    return source->kind == SOURCE_PROF || !rank_database_is_there(source->path);
}

/* Without memory for them the capture is named, not its problem. */
static void share_problems(struct raw_ranks *ranks)
{
    ranks->problems_size = ranks->count * sizeof *ranks->problems;
    void *memory = ranks->count > 0
                       ? mmap(NULL, ranks->problems_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                       : MAP_FAILED;
    ranks->problems = memory != MAP_FAILED ? memory : NULL;
}

static void raw_ranks_release(struct raw_ranks *ranks)
{
    free(ranks->items);
    if (ranks->problems != NULL)
        munmap(ranks->problems, ranks->problems_size);
}

/* As struct cluster_load has them; arg: struct raw_ranks. Each directory is analysed in a process of its own. */
static int raw_ranks_prepare(void *arg, const struct cluster_source *const *sources, size_t count,
                             struct diagnostics *diag, struct err *err)
{
    struct raw_ranks *ranks = arg;
    (void)diag;
    ranks->items = calloc(count + 1, sizeof *ranks->items);
    if (ranks->items == NULL)
        return err_no_memory(err);
    ranks->count = count;
    share_problems(ranks);
    for (size_t i = 0; i < count; i++)
        ranks->items[i].source = sources[i];
    for (size_t i = 0; i < count && !interrupted(); i++) {
        if (!is_raw(sources[i]))
            continue;
        while (ranks->running >= (size_t)ranks->jobs)
            wait_for_one(ranks);
        pid_t child = console_fork();
        if (child == 0)
            _exit(analyse_rank(ranks, sources[i], ranks->problems != NULL ? &ranks->problems[i] : NULL));
        ranks->items[i].child = child > 0 ? child : 0;
        ranks->running += child > 0;
    }
    while (ranks->running > 0)
        wait_for_one(ranks);
    return interrupted() ? interrupt_error(err) : 0;
}

/* What the import of a capture reported first, with the capture's name before it. */
static void restore_problem(const struct cluster_source *source, const struct first_problem *problem,
                            struct diagnostics *diag)
{
    SCOPED(strbuf_release) struct strbuf line;

    strbuf_init(&line, 8192);
    strbuf_addf(&line, "%s: %s", source->path, problem->message);
    char *text = line.failed ? NULL : line.data;
    diag_restore(diag, problem->id < DIAG_COUNT ? problem->id : DIAG_FILE_UNREADABLE, source->path, 1, &text,
                 text != NULL);
}

/* A rank that could not be analysed is reported again when nothing of it is found. */
static void tell_outcome(const struct raw_ranks *ranks, const struct cluster_source *source, struct diagnostics *diag)
{
    const struct place place = {source->path, -1, -1, NULL};
    size_t i = 0;
    while (i < ranks->count && ranks->items[i].source != source)
        i++;
    int state = i < ranks->count ? ranks->items[i].state : 0;
    const struct first_problem *problem = i < ranks->count && ranks->problems != NULL ? &ranks->problems[i] : NULL;
    if (problem != NULL && problem->message[0] != '\0')
        restore_problem(source, problem, diag);
    else if (WIFEXITED(state) && WEXITSTATUS(state) == STATUS_DATA_PROBLEMS)
        diag_report(diag, DIAG_FILE_UNREADABLE, &place, "some of its data was lost; run 'msprof %s' on it to see what",
                    source->kind == SOURCE_PROF ? "import" : "analyse");
    else if (WIFSIGNALED(state))
        diag_report(diag, DIAG_FILE_UNREADABLE, &place, "its analysis was ended by signal %d", WTERMSIG(state));
}

static int raw_ranks_analyse(void *arg, const struct cluster_source *source, struct rank_data *rank,
                             struct diagnostics *diag, struct err *err)
{
    struct err ignored = ERR_INIT;
    if (!is_raw(source))
        return rank_database_read(rank, source->path, diag, err);
    SCOPED_FREE char *results = path_of(arg, source);
    const struct rank_places places = {source->path, results};
    bool failed = results == NULL && err_no_memory(err) < 0;
    if (!failed)
        tell_outcome(arg, source, diag);
    if (!failed && !rank_text_is_there(results)) {
        err_set(err, ERR_NOT_FOUND, "it has no results yet and cannot be analysed");
        failed = err_hint(err, "run 'msprof %s %s' to see why", source->kind == SOURCE_PROF ? "import" : "analyse",
                          source->path) < 0;
    }
    failed = failed || rank_text_read(rank, &places, diag, err) < 0;
    if (results != NULL)
        analyse_remove_directory(results, &ignored);
    return failed ? err_status(err) : 0;
}

#define SOURCES_LIMIT ((size_t)1 << 32)

static bool in_steps(const void *ranges, int64_t number)
{
    return rank_ranges_have(ranges, number);
}

struct work {
    const struct settings *settings;
    struct team *team;
    struct ranges ranks, steps;
    char *output, *kept;
    struct cluster_sources sources;
    struct loaded_ranks loaded;
    struct diagnostics diag;
    struct cluster_result result;
    struct sparing sparing;        /* what others have in the results is kept */
    size_t output_there;           /* so much of the results' path was there before */
    bool lacks_ranks, lacks_steps; /* some that were asked for are not there, which was reported */
    bool nothing;                  /* was found to do */
    bool has_database;
    int tables_status; /* of printing the tables of --table */
};

static bool prints_tables(const struct work *work)
{
    return work->settings->show.tables.count > 0;
}

/* Process 0 finds it and sends it to the others. */
static int share_sources(struct work *work, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf bytes;
    strbuf_init(&bytes, SOURCES_LIMIT);
    if (work->team->me == 0)
        cluster_sources_give(&work->sources, &bytes);
    bool failed = (bytes.failed ? err_set(err, ERR_NO_MEMORY, "out of memory for %zu ranks", work->sources.count)
                                : team_broadcast(work->team, NULL, &bytes, err)) < 0 ||
                  (work->team->me != 0 && cluster_sources_take(&work->sources, bytes.data, bytes.length, err) < 0);
    return failed ? err_status(err) : 0;
}

static size_t parent_length(const char *path, size_t length)
{
    while (length > 0 && path[--length] != '/') {
    }
    return length;
}

/* Names the directories of the results, and finds out how much of their path is there. */
static int name_directories(struct work *work, const char *directory, struct err *err)
{
    struct stat ignored;
    work->output = path_join(work->settings->output != NULL ? work->settings->output : directory, CLUSTER_OUTPUT);
    work->kept = work->output != NULL ? path_join(work->output, ".ranks") : NULL;
    SCOPED_FREE char *path = work->kept != NULL ? scoped_text(work->kept, SIZE_MAX) : NULL;
    if (path == NULL)
        return err_no_memory(err);
    size_t length = strlen(path);
    while (length > 0 && lstat(path, &ignored) != 0) {
        length = parent_length(path, length);
        path[length] = '\0';
    }
    work->output_there = length;
    return 0;
}

static int find_ranks(struct work *work, const char *directory, struct err *err)
{
    if (cluster_find(directory, &work->sources, &work->diag, err) < 0)
        return err_status(err);
    cluster_leave_out_devices(&work->sources, &work->diag);
    if (work->sources.count > 0)
        return rank_ranges_keep(&work->sources, &work->ranks, &work->lacks_ranks, err);
    err_set(err, ERR_NOT_FOUND, "'%s' contains no captures of ranks", directory);
    return err_hint(err, "expected directories *_ascend_pt, *_ascend_ms, or PROF_* of one device");
}

static int find_sources(struct work *work, const char *directory, struct err *err)
{
    int status = name_directories(work, directory, err);
    if (status == 0 && work->team->me == 0)
        status = find_ranks(work, directory, err);
    work->nothing = status < 0 && err->code == ERR_NOT_FOUND;
    status = team_agree(work->team, status, err);
    return status == 0 ? share_sources(work, err) : status;
}

static int make_directories(const struct work *work, struct err *err)
{
    int status = path_make_directories(work->kept, err);
    if (status < 0 && err->code == ERR_ACCESS && work->settings->output == NULL)
        err_hint(err, "choose another directory with --output DIR");
    return status;
}

/* Takes away the directories that were made, as far as nothing is in them. */
static void remove_directories(const struct work *work)
{
    size_t length = work->kept != NULL ? strlen(work->kept) : 0;
    while (length > work->output_there && rmdir(work->kept) == 0) {
        length = parent_length(work->kept, length);
        work->kept[length] = '\0';
    }
}

/* ---- where the ranks ran: each process looks at its own ---- */

/* Ranks are those that are loaded. */
static void find_hosts(struct work *work, struct cluster_database_rank *ranks)
{
    for (size_t i = 0; i < work->loaded.count; i++) {
        const struct aggregate *rank = &work->loaded.items[i];
        ranks[i] = (struct cluster_database_rank){.rank = rank->rank, .path = rank->source, .device_id = -1};
        for (size_t j = 0; rank->owner == work->team->me && j < work->sources.count; j++) {
            if (strcmp(work->sources.items[j].path, rank->source) != 0)
                continue;
            ranks[i] = rank_host_of(&work->sources.items[j], &work->diag);
            ranks[i].rank = rank->rank;
            ranks[i].path = rank->source;
        }
    }
}

/* Its own process has found more. */
static void take_host(void *own, const void *other)
{
    struct cluster_database_rank *to = own;
    const char *path = to->path;
    if (to->device_id >= 0 || to->host_uid[0] != '\0' || to->arguments[0] != '\0')
        return;
    *to = *(const struct cluster_database_rank *)other;
    to->path = path;
}

/* The sizes of the first rank that says all. */
static const int64_t *parallel_of(const struct work *work)
{
    for (size_t i = 0; i < work->loaded.count; i++) {
        const int64_t *sizes = work->loaded.items[i].parallel;
        if (sizes[0] > 0 && sizes[1] > 0 && sizes[2] > 0)
            return sizes;
    }
    return NULL;
}

/* Begins the database in process 0, where the files have every operator; elsewhere that of an earlier run would be out
 * of date. */
static int begin_database(struct work *work, struct cluster_database **ret, struct err *err)
{
    SCOPED_FREE char *path = path_joined(work->output, "cluster_analysis.db", err);
    if (path == NULL)
        return err_status(err);
    work->has_database = work->settings->cluster.detail || work->loaded.count <= CLUSTER_DETAIL_RANKS;
    const int failure = !work->has_database && work->team->me == 0 ? sparing_retire(&work->sparing, path) : 0;
    if (failure != 0)
        return err_set_errno(err, failure, "cannot remove '%s'", path);
    *ret = work->has_database && work->team->me == 0 ? cluster_database_new(work->output, err) : NULL;
    return work->has_database && work->team->me == 0 && *ret == NULL ? err_status(err) : 0;
}

static int begin_output(struct work *work, struct cluster_database **ret, struct err *err)
{
    int status = sparing_begin_listed(&work->sparing, work->output, CLUSTER_LIST, work->team->me == 0, err);
    return status == 0 ? begin_database(work, ret, err) : status;
}

static int end_database(struct work *work, struct cluster_database *database, struct err *err)
{
    SCOPED_FREE struct cluster_database_rank *ranks = scoped_memory(work->loaded.count + 1, sizeof *ranks);
    if (ranks == NULL)
        return err_no_memory(err);
    find_hosts(work, ranks);
    bool failed =
        team_fold(work->team, ranks, work->loaded.count, sizeof *ranks, take_host, err) < 0 ||
        (database != NULL && cluster_database_commit(database, ranks, work->loaded.count, parallel_of(work), err) < 0);
    work->result.files += database != NULL;
    return failed ? err_status(err) : 0;
}

static int load(struct work *work, const char *directory, struct err *err)
{
    const struct settings *settings = work->settings;
    int jobs = settings->jobs > 0 ? settings->jobs : jobs_default();
    struct raw_ranks raw = {.settings = settings, .kept = work->kept, .jobs = jobs};
    const struct cluster_load request = {
        .sources = &work->sources,
        .kept = work->kept,
        .jobs = jobs,
        .prepare = raw_ranks_prepare,
        .analyse = raw_ranks_analyse,
        .analyse_arg = &raw,
        .details = settings->cluster.detail || work->sources.count <= CLUSTER_DETAIL_RANKS,
        .team = work->team,
        .progress = console_progress(),
    };
    int status = cluster_load(&request, &work->loaded, &work->diag, err);
    raw_ranks_release(&raw);
    if (status == 0 && work->loaded.count == 0) {
        work->nothing = true;
        work->team->elsewhere = work->team->me != 0;
        status =
            err_set(err, ERR_NOT_FOUND, "cannot read any of the %zu captures in '%s'", work->sources.count, directory);
    }
    return status;
}

/* ---- which steps there are: each process has the indexes of all ranks, and finds the same ---- */

static int add_step(struct numbers_there *steps, struct map *known, const struct aggregate *rank, uint32_t text,
                    struct err *err)
{
    int64_t number;
    bool added;
    if (!plan_step_number(aggregate_text(rank, text), &number)) {
        steps->nameless = true;
        return 0;
    }
    if (map_add(known, &number, &added, err) == NULL || (added && array_reserve(&steps->numbers, 1, err) < 0))
        return err_status(err);
    if (added)
        steps->numbers.items[steps->numbers.count++] = number;
    return 0;
}

static int find_steps(const struct loaded_ranks *ranks, struct numbers_there *ret, struct err *err)
{
    SCOPED(map_release) struct map known = {.key_size = sizeof(int64_t), .item_size = sizeof(int64_t)};
    int status = 0;
    for (size_t i = 0; i < ranks->count; i++) {
        const struct aggregate *rank = &ranks->items[i];
        for (size_t j = 0; status == 0 && j < rank->step_count; j++)
            status = add_step(ret, &known, rank, rank->steps[j].name, err);
        for (size_t j = 0; status == 0 && j < rank->block_count; j++)
            status = add_step(ret, &known, rank, rank->blocks[j].step, err);
    }
    array_sort(ret->numbers.items, ret->numbers.count, sizeof *ret->numbers.items, array_compare_numbers);
    return status;
}

static int tell_absent(struct work *work, const struct numbers_there *steps, struct err *err)
{
    static const struct range_words words = {"--step", LANGUAGE_MARK("no rank has a step"),
                                             LANGUAGE_MARK("no rank has these steps")};
    int status = rank_ranges_check(&work->steps, steps, &words, work->team->me == 0, &work->lacks_steps, err);
    if (status == -ERR_NOT_FOUND) {
        work->nothing = true;
        work->team->elsewhere = work->team->me != 0;
    }
    return status;
}

/* Comes before anything is written: results that were there stay when no step is chosen. */
static int check_steps(struct work *work, struct err *err)
{
    struct numbers_there steps = {.nameless = false};
    int status = 0;
    if (work->steps.count > 0)
        status = find_steps(&work->loaded, &steps, err) == 0 ? tell_absent(work, &steps, err) : err_status(err);
    free(steps.numbers.items);
    return status;
}

/* Instead of the files; the aggregates stay. */
static int print_tables(struct work *work)
{
    console_progress_end();
    work->tables_status = cluster_tables(work->settings, &work->sources, &work->loaded);
    remove_directories(work);
    return 0;
}

/* Lists what the results lack beside them, for who reads them later. */
static int write_problems(struct work *work, struct err *err)
{
    SCOPED(diag_release) struct diagnostics all;
    diag_init(&all, false);
    if (work->lacks_ranks && work->team->me == 0)
        diag_report(&all, DIAG_RANK_MISSING, NULL, "some ranks of --ranks have no capture here");
    if (work->lacks_steps && work->team->me == 0)
        diag_report(&all, DIAG_RANK_MISSING, NULL, LANGUAGE_MARK("no rank has some of the steps of --step"));
    diag_merge(&all, &work->diag);
    if (cluster_problems_write(work->output, work->team, &all, err) < 0)
        return err_status(err);
    work->result.files += work->team->me == 0;
    return 0;
}

static int write_results(struct work *work, struct cluster_database **database, struct err *err)
{
    const struct step_filter steps = {in_steps, &work->steps};
    if (team_agree(work->team, begin_output(work, database, err), err) < 0)
        return err_status(err);
    const struct cluster_request request = {
        .directory = work->output,
        .database = *database,
        .detail = work->settings->cluster.detail,
        .team = work->team,
        .steps = work->steps.count > 0 ? &steps : NULL,
        .progress = console_progress(),
    };
    work->team->scattered = true;
    int status = cluster_analyse(work->loaded.items, work->loaded.count, &request, &work->diag, &work->result, err);
    if (status == 0 && work->has_database)
        status = end_database(work, *database, err);
    if (status == 0)
        status = write_problems(work, err);
    work->team->scattered = status < 0;
    return status;
}

static int read_ranks(struct work *work, const char *directory, struct err *err)
{
    return find_sources(work, directory, err) < 0 || team_agree(work->team, make_directories(work, err), err) < 0 ||
                   load(work, directory, err) < 0 || team_agree(work->team, check_steps(work, err), err) < 0
               ? err_status(err)
               : 0;
}

static int analyse(struct work *work, const char *directory, struct err *err)
{
    struct cluster_database *database = NULL;
    int status = read_ranks(work, directory, err);
    if (work->nothing && work->team->me == 0)
        remove_directories(work);
    if (status < 0)
        return status;
    status = prints_tables(work) ? print_tables(work) : write_results(work, &database, err);
    cluster_database_free(database);
    sparing_end(&work->sparing);
    return status;
}

static void tell(const struct work *work, int64_t start_ns)
{
    console_note("'%s': %" PRIu64 " files, %zu rank%s (%zu read anew), %" PRId64
                 " collectives of all their ranks, %s s",
                 work->output, work->result.files, work->loaded.count, console_plural(work->loaded.count),
                 work->loaded.made, work->result.collectives, CLOCK_SECONDS_SINCE(start_ns));
    if (work->result.incomplete > 0)
        console_note("%" PRId64 " collectives are not judged: ranks of their groups are missing",
                     work->result.incomplete);
}

/* That there are captures, of which half is missing, is a data problem and no empty directory. */
static int status_of_failure(const struct work *work, const struct err *err)
{
    if (!work->nothing && !(work->team->elsewhere && err->code == ERR_NOT_FOUND))
        return status_of_error(err);
    return diag_has(&work->diag, DIAG_HALF_MISSING) ? STATUS_DATA_PROBLEMS : STATUS_NOTHING;
}

static void add_number(void *to, const void *from)
{
    *(int64_t *)to += *(const int64_t *)from;
}

int cluster_run(const struct settings *settings, struct team *team)
{
    struct work work = {.settings = settings, .team = team};
    struct err err = ERR_INIT;
    int64_t start_ns = clock_now_ns();
    int status = STATUS_DONE;
    if (settings->operand_count != 1)
        return console_fail(ERR_USAGE, "for example: msprof cluster RUN",
                            "pass one directory with the captures of all ranks");
    if (settings->cluster.timeline)
        return console_fail(ERR_USAGE, NULL, "--timeline runs in one process: use 'msprof cluster --timeline'");
    if (settings->show.tables.count > 0 && team->size > 1)
        return console_fail(ERR_USAGE, NULL, "--table is printed by one process: use 'msprof cluster --table'");
    diag_init(&work.diag, settings->strict);
    int result = database_setup(&err);
    if (result == 0)
        result = rank_ranges_parse("--ranks", settings->cluster.ranks, &work.ranks, &err);
    if (result == 0 && !prints_tables(&work))
        result = rank_ranges_parse("--step", settings->cluster.steps, &work.steps, &err);
    if (result == 0)
        result = analyse(&work, settings->operands[0], &err);
    int64_t all_problems = (int64_t)diag_problems(&work.diag) + work.lacks_ranks + work.lacks_steps;
    if (result == 0)
        result = team_fold(team, &all_problems, 1, sizeof all_problems, add_number, &err);
    console_progress_end();
    console_diagnostics(&work.diag); /* of its own share */
    if (result < 0) {
        if (!team->elsewhere)
            console_error(&err);
        status = status_of_failure(&work, &err);
    } else {
        status = all_problems > 0 ? STATUS_DATA_PROBLEMS : STATUS_DONE;
        status = status_worse(status, work.tables_status);
        if (team->me == 0 && !prints_tables(&work)) {
            if (settings->cluster.format != CLUSTER_JSON) /* which has it */
                tell(&work, start_ns);
            console_output_begin();
            if (settings->cluster.format == CLUSTER_JSON)
                cluster_answer_print_json(&work.result, &work.loaded, &work.diag, stdout);
            else
                cluster_answer_print(&work.result, stdout);
            status = status_worse(status, console_output_end(false));
        }
    }
    free(work.result.worst.waits.items);
    loaded_ranks_release(&work.loaded);
    cluster_sources_release(&work.sources);
    diag_release(&work.diag);
    free(work.output);
    free(work.kept);
    return status;
}

/* msprof cluster: the ranks of a job together. */

static int refuse_format(const char *what, const char *formats)
{
    return console_fail(ERR_USAGE, NULL, "--format of %s is one of %s", language_said(what), language_said(formats));
}

static int make_timeline(struct settings *settings)
{
    static const int formats[] = {[CLUSTER_TABLE] = TRACE_JSON,
                                  [CLUSTER_JSON] = TRACE_JSON,
                                  [CLUSTER_JSON_GZ] = TRACE_JSON_GZ,
                                  [CLUSTER_PFTRACE] = TRACE_PFTRACE,
                                  [CLUSTER_PFTRACE_RAW] = TRACE_PFTRACE_RAW};
    if (settings->cluster.format == CLUSTER_CSV || settings->cluster.format == CLUSTER_MARKDOWN)
        return refuse_format("--timeline", "json, json.gz, pftrace and pftrace-raw");
    settings->timeline.format = formats[settings->cluster.format];
    return cluster_timeline(settings);
}

/* The answer as JSON alone: its files are in a temporary directory meanwhile. */
static int answer_alone(struct settings *settings, struct team *team)
{
    struct err err = ERR_INIT;
    SCOPED_FREE char *directory = temporary_directory("msprof-cluster.", &err);
    if (directory == NULL) {
        console_error(&err);
        return status_of_error(&err);
    }
    settings->output = directory;
    const int status = cluster_run(settings, team);
    path_remove_tree(directory);
    settings->output = NULL;
    return status;
}

static int analyse_ranks(struct settings *settings)
{
    struct team team;
    if (settings->cluster.timeline)
        return make_timeline(settings);
    team_alone(&team);
    return settings->cluster.format == CLUSTER_JSON && settings->show.tables.count == 0 && settings->output == NULL
               ? answer_alone(settings, &team)
               : cluster_run(settings, &team);
}

static int run_cluster(const struct settings *given)
{
    struct settings settings = *given;
    SCOPED_FREE char *directory = NULL;
    if (settings.cluster.timeline && settings.show.tables.count > 0)
        return console_fail(ERR_USAGE, NULL, "--timeline and --table cannot be combined");
    if (!settings.cluster.timeline && settings.cluster.format > CLUSTER_MARKDOWN)
        return settings.show.tables.count > 0
                   ? refuse_format("--table", "table, csv, json and markdown")
                   : console_fail(ERR_USAGE, NULL, "--format applies to timelines only: add --timeline");
    settings.show.format = settings.cluster.format;
    int status = settings.cluster.timeline ? STATUS_DONE : cluster_tables_check(&settings);
    if (status != STATUS_DONE || (!settings.cluster.timeline && cluster_tables_listed(&settings, &status)))
        return status;
    if (settings.operand_count == 1) {
        status = found_directory(&settings, settings.operands[0], &directory);
        if (directory == NULL)
            return status;
        settings.operands = &directory;
        return status_worse(status, analyse_ranks(&settings));
    }
    return analyse_ranks(&settings);
}

const struct command command_cluster = {
    .path = "cluster",
    .people = READ_BY_PEOPLE(cluster.format, 1U << CLUSTER_TABLE),
    .parent = COMMAND_ROOT,
    .order = 120,
    .summary = "analyse the ranks of a job together",
    .description = "Finds the captures of all ranks in a directory (*_ascend_pt, *_ascend_ms, PROF_*) and "
                   "writes\nwhich rank waited for which, slow ranks, slow links, steps and communication. "
                   "With\n--timeline it writes one timeline of the ranks instead, with --table it prints tables\n"
                   "about all of them.\n",
    .operands = "DIR",
    .most_operands = 1,
    EXAMPLES({"analyse all ranks, into RUN/cluster_analysis_output/", "msprof cluster RUN"},
             {"only the first 64 ranks, results elsewhere", "msprof cluster RUN --ranks 0-63 --output results"},
             {"operators of all ranks together, and the ranks with most and least of each",
              "msprof cluster RAW --table operator_sum"},
             {"who is slow, as JSON for a script; no files", "msprof cluster RUN --format json"},
             {"one timeline of 8 ranks, their hosts' clocks aligned: RAW/cluster_analysis_output/timeline/",
              "msprof cluster RAW --timeline --ranks 0-7"},
             {"the same in Perfetto's format, which is much smaller",
              "msprof cluster RAW --timeline --ranks 0-7 --format pftrace"}),
    .run = run_cluster,
};
