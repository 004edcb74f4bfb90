/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/raw_ranks.h"

#include "base/file/fsutil.h"
#include "base/interrupt.h"
#include "base/map.h"
#include "cli/analyse/analyse_output.h"
#include "cli/analyse/analyse_run.h"
#include "cli/child.h"
#include "cli/console.h"
#include "cli/status.h"
#include "db/database.h"
#include "exporters/cluster/rank/rank_text.h"
#include "exporters/communication/rank_database.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Where a rank's results are meanwhile (free() it); NULL: no memory. */
static char *path_of(const struct raw_ranks *ranks, const struct cluster_source *source)
{
    char name[32];
    snprintf(name, sizeof name, "%016llx.raw", (unsigned long long)hash_bytes(source->path, strlen(source->path)));
    return path_join(ranks->kept, name);
}

/* In a process of its own. */
static int analyse(const struct raw_ranks *ranks, const struct cluster_source *source)
{
    struct settings settings = *ranks->settings;
    char *results = path_of(ranks, source);
    const struct analyse_request request = {.settings = &settings,
                                            .directory = source->path,
                                            .bare = source->kind == SOURCE_PROF,
                                            .results = results,
                                            .for_cluster = true};
    settings.quiet = true;
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

int raw_ranks_prepare(void *arg, const struct cluster_source *const *sources, size_t count, struct diagnostics *diag,
                      struct err *err)
{
    struct raw_ranks *ranks = arg;
    (void)diag;
    if (database_setup(err) < 0)
        return -(int)err->code;
    ranks->items = calloc(count + 1, sizeof *ranks->items);
    if (ranks->items == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    ranks->count = count;
    for (size_t i = 0; i < count; i++)
        ranks->items[i].source = sources[i];
    for (size_t i = 0; i < count && !interrupted(); i++) {
        if (!is_raw(sources[i]))
            continue;
        while (ranks->running >= (size_t)ranks->jobs)
            wait_for_one(ranks);
        pid_t child = child_fork();
        if (child == 0)
            _exit(analyse(ranks, sources[i]));
        ranks->items[i].child = child > 0 ? child : 0;
        ranks->running += child > 0;
    }
    while (ranks->running > 0)
        wait_for_one(ranks);
    return interrupted() ? interrupt_error(err) : 0;
}

void raw_ranks_release(struct raw_ranks *ranks)
{
    free(ranks->items);
    ranks->items = NULL;
    ranks->count = 0;
}

/* A rank that could not be analysed is told again when nothing of it is found. */
static void tell_outcome(const struct raw_ranks *ranks, const struct cluster_source *source, struct diagnostics *diag)
{
    const struct place place = {source->path, -1, -1, NULL};
    size_t i = 0;
    while (i < ranks->count && ranks->items[i].source != source)
        i++;
    int state = i < ranks->count ? ranks->items[i].state : 0;
    if (WIFEXITED(state) && WEXITSTATUS(state) == STATUS_DATA_PROBLEMS)
        diag_report(diag, DIAG_FILE_UNREADABLE, &place, "something in it was lost; 'msprof %s' of it tells what",
                    source->kind == SOURCE_PROF ? "import" : "analyse");
    else if (WIFSIGNALED(state))
        diag_report(diag, DIAG_FILE_UNREADABLE, &place, "its analysis was ended by signal %d", WTERMSIG(state));
}

/* Of a rank that was analysed into databases its texts. */
static int take_databases(const struct cluster_source *source, struct rank_places *places, struct err *err)
{
    struct stat info;
    char *own = path_join(source->path, "profiler_metadata.json");
    bool told = own != NULL && lstat(own, &info) == 0;
    free(own);
    if (!told)
        places->metadata = places->results;
    return rank_database_write_texts(source->path, places->results, err);
}

int raw_ranks_analyse(void *arg, const struct cluster_source *source, struct rank_data *rank, struct diagnostics *diag,
                      struct err *err)
{
    struct err ignored = ERR_INIT;
    char *results = path_of(arg, source);
    struct rank_places places = {source->path, source->path, results};
    int status = results != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
    if (status == 0)
        tell_outcome(arg, source, diag);
    if (status == 0 && !is_raw(source))
        status = take_databases(source, &places, err);
    if (status == 0 && !rank_text_is_there(results)) {
        err_set(err, ERR_NOT_FOUND, "nothing has been made of it yet, and it cannot be analysed");
        status =
            err_hint(err, "'msprof %s %s' tells why", source->kind == SOURCE_PROF ? "import" : "analyse", source->path);
    }
    if (status == 0)
        status = rank_text_read(rank, &places, diag, err);
    if (results != NULL)
        remove_directory(results, &ignored);
    free(results);
    return status;
}
