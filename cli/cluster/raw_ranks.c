#include "cli/cluster/raw_ranks.h"

#include "base/file/fsutil.h"
#include "base/interrupt.h"
#include "base/map.h"
#include "cli/analyse/analyse_output.h"
#include "cli/analyse/analyse_run.h"
#include "cli/child.h"
#include "cli/console.h"
#include "cli/status.h"
#include "cluster/rank/rank_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct preparing {
    const struct raw_ranks *ranks;
    struct diagnostics *diag;
    const struct cluster_source *const *sources;
    pid_t *children; /* of each source; 0: none, or ended */
    size_t count, running;
};

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

/* A rank that could not be analysed is told again when nothing of it is found. */
static void wait_for_one(struct preparing *preparing)
{
    int state = 0;
    size_t i = 0;
    pid_t child = waitpid(-1, &state, 0);
    if (child < 0) {
        preparing->running = errno == EINTR ? preparing->running : 0;
        return;
    }
    while (i < preparing->count && preparing->children[i] != child)
        i++;
    if (i == preparing->count)
        return;
    preparing->children[i] = 0;
    preparing->running--;
    const struct place place = {preparing->sources[i]->path, -1, -1, NULL};
    if (WIFEXITED(state) && WEXITSTATUS(state) == STATUS_DATA_PROBLEMS)
        diag_report(preparing->diag, DIAG_FILE_UNREADABLE, &place,
                    "something in it was lost; 'msprof %s' of it tells what",
                    preparing->sources[i]->kind == SOURCE_PROF ? "import" : "analyse");
    else if (WIFSIGNALED(state))
        diag_report(preparing->diag, DIAG_FILE_UNREADABLE, &place, "its analysis was ended by signal %d",
                    WTERMSIG(state));
}

int raw_ranks_prepare(void *arg, const struct cluster_source *const *sources, size_t count, struct diagnostics *diag,
                      struct err *err)
{
    struct preparing preparing = {arg, diag, sources, calloc(count + 1, sizeof(pid_t)), count, 0};
    if (preparing.children == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < count && !interrupted(); i++) {
        while (preparing.running >= (size_t)preparing.ranks->jobs)
            wait_for_one(&preparing);
        pid_t child = child_fork();
        if (child == 0)
            _exit(analyse(preparing.ranks, sources[i]));
        preparing.children[i] = child > 0 ? child : 0;
        preparing.running += child > 0;
    }
    while (preparing.running > 0)
        wait_for_one(&preparing);
    free(preparing.children);
    return interrupted() ? interrupt_error(err) : 0;
}

int raw_ranks_analyse(void *arg, const struct cluster_source *source, struct rank_data *rank, struct diagnostics *diag,
                      struct err *err)
{
    struct err ignored = ERR_INIT;
    char *results = path_of(arg, source);
    int status = results != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
    if (status == 0 && !rank_text_is_there(results)) {
        err_set(err, ERR_NOT_FOUND, "nothing has been made of it yet, and it cannot be analysed");
        status =
            err_hint(err, "'msprof %s %s' tells why", source->kind == SOURCE_PROF ? "import" : "analyse", source->path);
    }
    if (status == 0)
        status = rank_text_read(rank, source->path, results, diag, err);
    if (results != NULL)
        remove_directory(results, &ignored);
    free(results);
    return status;
}
