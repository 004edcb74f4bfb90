/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/cluster_run.h"

#include "base/file/fsutil.h"
#include "base/number.h"
#include "cli/clock.h"
#include "cli/cluster/cluster_answer.h"
#include "cli/cluster/rank_hosts.h"
#include "cli/cluster/raw_ranks.h"
#include "cli/console.h"
#include "cli/status.h"
#include "exporters/cluster/cluster.h"
#include "exporters/cluster/cluster_database.h"
#include "exporters/cluster/rank/load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_RANGES 64
#define SOURCES_LIMIT ((size_t)1 << 32)

struct ranges {
    struct {
        int64_t first, last;
    } items[MOST_RANGES];
    size_t count; /* 0: everything */
};

/* "0-63,128": numbers and ranges. */
static int parse_ranges(const char *option, const char *text, struct ranges *ret, struct err *err)
{
    *ret = (struct ranges){.count = 0};
    for (const char *p = text; text != NULL;) {
        size_t length = strcspn(p, ","), dash = strcspn(p, ",-");
        int64_t first = 0, last;
        bool sound = ret->count < MOST_RANGES && number_parse_integer(p, dash, &first) == 0;
        last = first;
        if (sound && dash < length)
            sound = number_parse_integer(p + dash + 1, length - dash - 1, &last) == 0;
        if (!sound || last < first) {
            err_set(err, ERR_USAGE, "%s '%s': expected numbers and ranges as in 0-63,128", option, text);
            return -ERR_USAGE;
        }
        ret->items[ret->count].first = first;
        ret->items[ret->count++].last = last;
        if (p[length] == '\0')
            break;
        p += length + 1;
    }
    return 0;
}

static bool in_ranges(const struct ranges *ranges, int64_t number)
{
    for (size_t i = 0; i < ranges->count; i++) {
        if (number >= ranges->items[i].first && number <= ranges->items[i].last)
            return true;
    }
    return ranges->count == 0;
}

static bool in_steps(const void *ranges, int64_t number)
{
    return in_ranges(ranges, number);
}

static void keep_ranks(struct cluster_sources *sources, const struct ranges *ranges)
{
    size_t kept = 0;
    for (size_t i = 0; i < sources->count; i++) {
        if (sources->items[i].rank < 0 || in_ranges(ranges, sources->items[i].rank))
            sources->items[kept++] = sources->items[i];
        else
            free(sources->items[i].path);
    }
    sources->count = kept;
}

static int default_jobs(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 && processors < 1024 ? (int)processors : 1;
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
    bool nothing; /* was found to do */
};

/* Process 0 finds and tells the others. */
static int share_sources(struct work *work, struct err *err)
{
    struct strbuf bytes;
    strbuf_init(&bytes, SOURCES_LIMIT);
    if (work->team->me == 0)
        cluster_sources_give(&work->sources, &bytes);
    int status = bytes.failed ? err_set(err, ERR_NO_MEMORY, "out of memory for %zu ranks", work->sources.count)
                              : team_broadcast(work->team, NULL, &bytes, err);
    if (status == 0 && work->team->me != 0)
        status = cluster_sources_take(&work->sources, bytes.data, bytes.length, err);
    strbuf_release(&bytes);
    return status;
}

static int find_sources(struct work *work, const char *directory, struct err *err)
{
    int status = work->team->me == 0 ? cluster_find(directory, &work->sources, &work->diag, err) : 0;
    if (status == 0)
        keep_ranks(&work->sources, &work->ranks);
    if (status == 0 && work->team->me == 0 && work->sources.count == 0) {
        err_set(err, ERR_NOT_FOUND, "'%s' holds no captures of ranks", directory);
        status = err_hint(err, "they are directories named *_ascend_pt, *_ascend_ms or PROF_*");
    }
    work->nothing = status < 0 && err->code == ERR_NOT_FOUND;
    status = team_agree(work->team, status, err);
    return status == 0 ? share_sources(work, err) : status;
}

static int make_directories_of(struct work *work, const char *directory, struct err *err)
{
    work->output = path_join(work->settings->output != NULL ? work->settings->output : directory, CLUSTER_OUTPUT);
    work->kept = work->output != NULL ? path_join(work->output, ".ranks") : NULL;
    if (work->kept == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    int status = make_directories(work->kept, err);
    if (status < 0 && err->code == ERR_ACCESS && work->settings->output == NULL)
        err_hint(err, "put the results elsewhere with --output DIR");
    return status;
}

/* ---- where the ranks ran: each process looks at its own ---- */

struct hosts {
    struct work *work;
    struct cluster_database_rank *ranks; /* as loaded */
};

static void find_hosts(struct hosts *hosts)
{
    const struct work *work = hosts->work;
    for (size_t i = 0; i < work->loaded.count; i++) {
        const struct aggregate *rank = &work->loaded.items[i];
        hosts->ranks[i] = (struct cluster_database_rank){.rank = rank->rank, .path = rank->source, .device_id = -1};
        for (size_t j = 0; rank->owner == work->team->me && j < work->sources.count; j++) {
            if (strcmp(work->sources.items[j].path, rank->source) != 0)
                continue;
            hosts->ranks[i] = rank_host_of(&work->sources.items[j]);
            hosts->ranks[i].rank = rank->rank;
            hosts->ranks[i].path = rank->source;
        }
    }
}

static int give_hosts(void *arg, struct strbuf *bytes, struct err *err)
{
    const struct hosts *hosts = arg;
    (void)err;
    strbuf_add(bytes, hosts->ranks, hosts->work->loaded.count * sizeof *hosts->ranks);
    return 0;
}

static int take_hosts(void *arg, const void *bytes, size_t length, struct err *err)
{
    struct hosts *hosts = arg;
    const char *p = bytes;
    if (length != hosts->work->loaded.count * sizeof *hosts->ranks)
        return err_set(err, ERR_FORMAT, "a message of another process is not what was sent");
    for (size_t i = 0; i < hosts->work->loaded.count; i++, p += sizeof *hosts->ranks) {
        struct cluster_database_rank from, *to = &hosts->ranks[i];
        memcpy(&from, p, sizeof from);
        if (to->device_id >= 0 || to->host_uid[0] != '\0')
            continue;
        from.path = to->path;
        *to = from;
    }
    return 0;
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

/* Of process 0, where the files have every operator; elsewhere the database of an earlier run would be out of date. */
static int write_database(struct work *work, struct err *err)
{
    size_t count = work->loaded.count;
    char *path = path_join(work->output, "cluster_analysis.db");
    struct hosts hosts = {work, calloc(count + 1, sizeof *hosts.ranks)};
    int status = path != NULL && hosts.ranks != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
    bool wanted = work->settings->cluster.detail || count <= CLUSTER_DETAIL_RANKS;
    if (status == 0 && !wanted && work->team->me == 0)
        unlink(path);
    if (status == 0 && wanted) {
        find_hosts(&hosts);
        status = team_reduce(work->team, NULL, give_hosts, take_hosts, &hosts, err);
    }
    if (status == 0 && wanted && work->team->me == 0) {
        status = cluster_database_write(work->output, hosts.ranks, count, parallel_of(work), err);
        work->result.files++;
    }
    free(hosts.ranks);
    free(path);
    return status;
}

static int load(struct work *work, const char *directory, struct err *err)
{
    const struct settings *settings = work->settings;
    int jobs = settings->cluster.jobs > 0 ? settings->cluster.jobs : default_jobs();
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
            err_set(err, ERR_NOT_FOUND, "none of the %zu captures in '%s' can be read", work->sources.count, directory);
    }
    return status;
}

static int analyse(struct work *work, const char *directory, struct err *err)
{
    const struct settings *settings = work->settings;
    int status = find_sources(work, directory, err);
    if (status == 0)
        status = team_agree(work->team, make_directories_of(work, directory, err), err);
    if (status == 0)
        status = load(work, directory, err);
    const struct step_filter steps = {in_steps, &work->steps};
    const struct cluster_request request = {
        .directory = work->output,
        .detail = settings->cluster.detail,
        .team = work->team,
        .steps = work->steps.count > 0 ? &steps : NULL,
        .progress = console_progress(),
    };
    if (status < 0)
        return status;
    work->team->scattered = true;
    status = cluster_analyse(work->loaded.items, work->loaded.count, &request, &work->diag, &work->result, err);
    if (status == 0)
        status = write_database(work, err);
    work->team->scattered = status < 0;
    return status;
}

static void tell(const struct work *work, int64_t elapsed_ns)
{
    char seconds[CLOCK_TEXT_SIZE];
    console_note("'%s': %" PRIu64 " files, %zu rank%s (%zu read anew), %" PRId64
                 " collectives of all their ranks, %s s",
                 work->output, work->result.files, work->loaded.count, console_plural(work->loaded.count),
                 work->loaded.made, work->result.collectives, clock_format_seconds(elapsed_ns, seconds));
    if (work->result.incomplete > 0)
        console_note("%" PRId64 " collectives are not judged: ranks of their groups are missing",
                     work->result.incomplete);
}

static int answer(const struct work *work)
{
    struct err err = ERR_INIT;
    console_output_begin();
    int result = cluster_answer_print(work->output, &work->result, stdout, &err);
    if (result < 0)
        console_error(&err);
    return status_worse(result < 0 ? status_of_error(&err) : STATUS_DONE, console_output_end(result < 0));
}

/* A number that is added up over the team. */
static int give_number(void *number, struct strbuf *bytes, struct err *err)
{
    (void)err;
    strbuf_add(bytes, number, sizeof(int64_t));
    return 0;
}

static int take_number(void *number, const void *bytes, size_t length, struct err *err)
{
    int64_t more;
    if (length != sizeof more)
        return err_set(err, ERR_FORMAT, "a message of another process is not what was sent");
    memcpy(&more, bytes, sizeof more);
    *(int64_t *)number += more;
    return 0;
}

int cluster_run(const struct settings *settings, struct team *team)
{
    struct work work = {.settings = settings, .team = team};
    struct err err = ERR_INIT;
    int64_t start_ns = clock_now_ns();
    int status = STATUS_DONE;
    if (settings->operand_count != 1) {
        err_set(&err, ERR_USAGE, "cluster needs one directory, with the captures of all ranks");
        err_hint(&err, "for example: msprof cluster RUN");
        console_error(&err);
        return STATUS_USAGE;
    }
    diag_init(&work.diag, settings->strict);
    int result = parse_ranges("--ranks", settings->cluster.ranks, &work.ranks, &err);
    if (result == 0)
        result = parse_ranges("--step", settings->cluster.steps, &work.steps, &err);
    if (result == 0)
        result = analyse(&work, settings->operands[0], &err);
    int64_t all_problems = (int64_t)diag_problems(&work.diag);
    if (result == 0)
        result = team_reduce(team, NULL, give_number, take_number, &all_problems, &err);
    console_progress_end();
    console_diagnostics(&work.diag); /* of its own share */
    if (result < 0) {
        if (!team->elsewhere)
            console_error(&err);
        status =
            work.nothing || (team->elsewhere && err.code == ERR_NOT_FOUND) ? STATUS_NOTHING : status_of_error(&err);
    } else {
        status = all_problems > 0 ? STATUS_DATA_PROBLEMS : STATUS_DONE;
        if (team->me == 0) {
            tell(&work, clock_now_ns() - start_ns);
            status = status_worse(status, answer(&work));
        }
    }
    loaded_ranks_release(&work.loaded);
    cluster_sources_release(&work.sources);
    diag_release(&work.diag);
    free(work.output);
    free(work.kept);
    return status;
}
