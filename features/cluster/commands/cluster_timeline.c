/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/commands/cluster_timeline.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "base/language.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "cli/capture/captures.h"
#include "cli/capture/written.h"
#include "cli/console.h"
#include "cli/number_list.h"
#include "db/database.h"
#include "db/query/cann_version.h"
#include "db/query/query.h"
#include "db/query/query_cann.h"
#include "exporters/export.h"
#include "features/cluster/cluster.h"
#include "features/cluster/output/write.h"
#include "features/communication/align.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rank_ranges_parse(const char *option, const char *text, struct ranges *ret, struct err *err)
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

bool rank_ranges_have(const struct ranges *ranges, int64_t number)
{
    for (size_t i = 0; i < ranges->count; i++) {
        if (number >= ranges->items[i].first && number <= ranges->items[i].last)
            return true;
    }
    return ranges->count == 0;
}

/* Puts the numbers of a choice that are not there; false: they are all. */
static bool list_absent(const struct ranges *ranges, const struct numbers_there *there, struct strbuf *text)
{
    size_t absent = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        int64_t first = ranges->items[i].first, last = ranges->items[i].last;
        bool found = false;
        for (size_t k = 0; k < there->numbers.count && !found; k++)
            found = there->numbers.items[k] >= first && there->numbers.items[k] <= last;
        if (!found && absent++ < NUMBERS_LISTED)
            number_list_add_range(text, first, last);
    }
    if (absent > NUMBERS_LISTED)
        strbuf_addf(text, " and %zu more", absent - NUMBERS_LISTED);
    return absent < ranges->count || there->nameless;
}

int rank_ranges_check(const struct ranges *ranges, const struct numbers_there *there, const struct range_words *words,
                      bool warns, bool *ret_absent, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf found, absent;
    strbuf_init(&found, NUMBERS_TEXT);
    strbuf_init(&absent, NUMBERS_TEXT);
    bool chosen = list_absent(ranges, there, &absent);
    *ret_absent = false;
    number_list_add(&found, there->numbers.items, there->numbers.count);
    if (found.failed || absent.failed)
        return err_no_memory(err);
    const char *list = found.length > 0 ? found.data : language_said("none with a number");
    if (!chosen) {
        err_set(err, ERR_NOT_FOUND, "%s that %s chooses; available: %s", language_said(words->none), words->option,
                list);
        return err_hint(err, "choose some of these, or omit %s for all", words->option);
    }
    *ret_absent = absent.length > 0 && warns;
    if (*ret_absent)
        console_warning("%s of %s: %s; available: %s", language_said(words->these), words->option, absent.data, list);
    return 0;
}

/* A capture that does not say its rank may be of any that no other one is of. */
static int check_ranks(const struct cluster_sources *sources, const struct ranges *ranges, bool *ret_absent,
                       struct err *err)
{
    static const struct range_words words = {"--ranks", LANGUAGE_MARK("no capture belongs to a rank"),
                                             LANGUAGE_MARK("no capture belongs to these ranks")};
    struct numbers_there ranks = {.nameless = false};
    int status = 0;
    for (size_t i = 0; i < sources->count && status == 0; i++) {
        ranks.nameless |= sources->items[i].rank < 0;
        if (sources->items[i].rank >= 0)
            status = array_add(&ranks.numbers, err, sources->items[i].rank);
    }
    if (status == 0)
        status = rank_ranges_check(ranges, &ranks, &words, !ranks.nameless, ret_absent, err);
    free(ranks.numbers.items);
    return status;
}

int rank_ranges_keep(struct cluster_sources *sources, const struct ranges *ranges, bool *ret_absent, struct err *err)
{
    size_t kept = 0;
    *ret_absent = false;
    if (ranges->count > 0 && check_ranks(sources, ranges, ret_absent, err) != 0)
        return err_status(err);
    for (size_t i = 0; i < sources->count; i++) {
        if (sources->items[i].rank < 0 || rank_ranges_have(ranges, sources->items[i].rank))
            sources->items[kept++] = sources->items[i];
        else
            free(sources->items[i].path);
    }
    sources->count = kept;
    return 0;
}

/* Two captures of one host whose real times differ by more than their monotonic ones say were not taken between the
 * same two starts of the machine: they have different clocks. */
#define MOST_JOIN_NS (INT64_C(60) * 1000000000)

struct timeline_rank {
    int64_t rank, offset_ns; /* rank -1: the capture does not say it */
    char host[128], host_uid[64], label[48];
    char *database;
    sqlite3 *db;
};

struct cluster_timeline {
    const struct settings *settings;
    struct ranges ranges;
    bool lacks_ranks; /* some that were asked for are not there, which was reported */
    struct timeline_ranks ARRAY_OF(struct timeline_rank) ranks; /* by rank */
    struct cluster_sources sources;
    const struct cluster_source *source; /* of the capture that is opened */
    struct alignment alignment;
    struct aligned_rank aligned[CLOCKS_MOST]; /* in the order of ranks */
    char *output;                             /* of the cluster */
    char *directory;                          /* in it */
    uint64_t files, events;
};

static bool goes_on(int status)
{
    return status == STATUS_DONE || status == STATUS_DATA_PROBLEMS;
}

/* ---- captures ---- */

static void take_parts(const struct cann_parts *parts, struct timeline_rank *rank)
{
    for (size_t i = 0; i < parts->count; i++) {
        const struct cann_part *part = &parts->parts[i];
        if (rank->rank < 0 && !part->is_host && part->rank_id >= 0)
            rank->rank = part->rank_id;
        if (rank->offset_ns == 0)
            rank->offset_ns = part->unix_offset_ns;
        if (rank->host[0] == '\0')
            snprintf(rank->host, sizeof rank->host, "%s", part->host_name);
        if (rank->host_uid[0] == '\0')
            snprintf(rank->host_uid, sizeof rank->host_uid, "%s", part->host_uid);
    }
    utf8_mask(rank->host);
}

static int check_family(const struct capture_visit *visit, sqlite3 *db, struct err *err)
{
    struct db_facts facts;

    if (db_read_facts(db, &facts, err) != 0 || facts.family == CAPTURE_CANN)
        return err_status(err);
    return err_set(err, ERR_USAGE, "--timeline needs captures of CANN since 2023, which '%s' is not", visit->shown);
}

static int open_rank(struct capture_visit *visit)
{
    struct cluster_timeline *work = visit->context;
    struct timeline_rank rank = {.rank = work->source->rank};
    struct cann_parts parts = {.count = 0};
    struct err err = ERR_INIT;
    int status = visit_open_database(visit, &rank.db);

    if (rank.db == NULL)
        return status;
    rank.database = strdup(visit->database);
    if (rank.database == NULL)
        err_no_memory(&err);
    if (err.code != ERR_NONE || check_family(visit, rank.db, &err) != 0 ||
        cann_parts_load(rank.db, &parts, &err) != 0 || array_reserve(&work->ranks, 1, &err) != 0) {
        database_close(rank.db);
        free(rank.database);
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    take_parts(&parts, &rank);
    cann_parts_release(&parts);
    if (rank.rank >= 0 && !rank_ranges_have(&work->ranges, rank.rank)) {
        database_close(rank.db);
        free(rank.database);
        return status;
    }
    work->ranks.items[work->ranks.count++] = rank;
    return status;
}

ARRAY_COMPARE(by_rank, struct timeline_rank, ARRAY_BY(rank), ARRAY_BY_TEXT(database))

static int refuse_count(size_t count, struct err *err)
{
    err_set(err, ERR_USAGE, "--timeline shows at most %d ranks, but there are %zu", CLOCKS_MOST, count);
    return err_hint(err, "choose some with --ranks 0-%d", CLOCKS_MOST - 1);
}

/* Reports ranks that were asked for, by number, and are not there: all of them were asked for. */
static int tell_missing(const struct cluster_timeline *work, int *ret_status, struct err *err)
{
    static const struct range_words words = {"--ranks", LANGUAGE_MARK("no capture belongs to a rank"),
                                             LANGUAGE_MARK("no capture belongs to these ranks")};
    struct numbers_there there = {.nameless = false};
    bool absent = work->lacks_ranks;
    int status = 0;
    for (size_t i = 0; i < work->ranks.count && status == 0; i++)
        if (work->ranks.items[i].rank >= 0)
            status = array_add(&there.numbers, err, work->ranks.items[i].rank);
    const bool asks = status == 0 && work->ranges.count > 0 && !absent;
    if (asks)
        status = rank_ranges_check(&work->ranges, &there, &words, true, &absent, err);
    free(there.numbers.items);
    if (absent)
        *ret_status = status_worse(*ret_status, STATUS_DATA_PROBLEMS);
    return status;
}

/* Opens the database of each rank, which is made where there is none. */
static int open_ranks(struct cluster_timeline *work, int *ret_status, struct err *err)
{
    struct settings own = *work->settings; /* databases belong into the captures */

    own.output = NULL;
    for (size_t i = 0; i < work->sources.count && goes_on(*ret_status); i++) {
        const char *path = work->sources.items[i].path;
        const struct value_list one = {.values = &path, .count = 1};
        work->source = &work->sources.items[i];
        *ret_status = status_worse(*ret_status, captures_process(&own, &one, open_rank, work));
    }
    if (!goes_on(*ret_status))
        return 0; /* it was reported */
    if (work->ranks.count == 0)
        return err_set(err, ERR_NOT_FOUND, "'%s' contains none of these ranks", work->settings->operands[0]);
    if (work->ranks.count > CLOCKS_MOST)
        return refuse_count(work->ranks.count, err);
    array_sort(work->ranks.items, work->ranks.count, sizeof *work->ranks.items, by_rank);
    return tell_missing(work, ret_status, err);
}

/* ---- clocks ---- */

static bool same_clock(const struct timeline_rank *a, const struct timeline_rank *b)
{
    int64_t apart = number_subtract(a->offset_ns, b->offset_ns);

    return (a->host[0] != '\0' || a->host_uid[0] != '\0') && strcmp(a->host, b->host) == 0 &&
           strcmp(a->host_uid, b->host_uid) == 0 && a->offset_ns != 0 && b->offset_ns != 0 && apart <= MOST_JOIN_NS &&
           apart >= -MOST_JOIN_NS;
}

/* Captures of one host have one monotonic clock; the first of them says what real time it is. */
static size_t number_clocks(struct cluster_timeline *work)
{
    size_t clocks = 0, first[CLOCKS_MOST];

    for (size_t i = 0; i < work->ranks.count; i++) {
        const struct timeline_rank *rank = &work->ranks.items[i];
        struct aligned_rank *aligned = &work->aligned[i];
        size_t clock = 0;
        while (clock < clocks && !same_clock(&work->ranks.items[first[clock]], rank))
            clock++;
        if (clock == clocks)
            first[clocks++] = i;
        *aligned = (struct aligned_rank){.rank = rank->rank, .db = rank->db, .clock = clock};
        if (first[clock] != i)
            aligned->joins_ns = number_subtract(work->ranks.items[first[clock]].offset_ns, rank->offset_ns);
    }
    return clocks;
}

static const char *us(int64_t ns, char text[NUMBER_MAX])
{
    *number_put_shortest(text, ns, 3) = '\0';
    return text;
}

/* Which ranks have a clock: "0, 1". */
static void name_ranks(const struct cluster_timeline *work, size_t clock, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < work->ranks.count && used < size; i++)
        if (work->aligned[i].clock == clock)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%" PRId64, used > 0 ? ", " : "", work->aligned[i].rank);
}

static int tell_clocks(const struct cluster_timeline *work)
{
    const struct alignment *alignment = &work->alignment;
    char shift[NUMBER_MAX], error[NUMBER_MAX], ranks[512];
    int status = STATUS_DONE;

    for (size_t i = 0; i < alignment->clock_count; i++) {
        const struct clock_shift *clock = &alignment->clocks[i];
        name_ranks(work, i, ranks, sizeof ranks);
        if (clock->by != CLOCKS_NOBODY) {
            console_note("clock of rank %s: %s us added, half of %" PRIu64 " collectives end within %s us after that",
                         ranks, us(clock->shift_ns, shift), clock->moments, us(clock->error_ns, error));
        } else if (i > 0) {
            console_warning("clock of rank %s: no collective with earlier ranks; not adjusted", ranks);
            status = STATUS_DATA_PROBLEMS;
        }
    }
    if (alignment->uneven > 0)
        console_note("%" PRIu64 " runs of collectives are not compared: ranks differ in their number",
                     alignment->uneven);
    return status;
}

/* ---- the result ---- */

static void keep_written(void *arg, const char *report, const char *path)
{
    struct cluster_timeline *work = arg;

    (void)report;
    work->files++;
    console_detail("wrote '%s'", path);
}

static int make_directory(struct cluster_timeline *work, struct err *err)
{
    const struct settings *settings = work->settings;

    work->output = path_join(settings->output != NULL ? settings->output : settings->operands[0], CLUSTER_OUTPUT);
    work->directory = work->output != NULL ? path_join(work->output, "timeline") : NULL;
    if (work->directory == NULL)
        return err_no_memory(err);
    if (path_make_directories(work->directory, err) == 0)
        return 0;
    return err->code == ERR_ACCESS && settings->output == NULL
               ? err_hint(err, "choose another directory with --output DIR")
               : err_status(err);
}

static int draw(struct cluster_timeline *work, struct err *err)
{
    struct merge_part parts[CLOCKS_MOST];
    struct export_result exported = {0};
    const struct export_options options = {
        .directory = work->directory,
        .model_id = -1,
        .cann_version = CANN_VERSION_NEWEST,
        .trace_format = (enum trace_format)work->settings->timeline.format,
        .written = keep_written,
        .written_arg = work,
        .progress = console_progress(),
    };

    temporary_remove_stale(work->directory);
    for (size_t i = 0; i < work->ranks.count; i++) {
        struct timeline_rank *rank = &work->ranks.items[i];
        const struct clock_shift *clock = &work->alignment.clocks[work->aligned[i].clock];
        snprintf(rank->label, sizeof rank->label, "rank %" PRId64, rank->rank);
        parts[i] = (struct merge_part){.db = rank->db,
                                       .database = rank->database,
                                       .label = rank->label,
                                       .host = rank->label,
                                       .names_device = true,
                                       .shift_ns = number_add(clock->shift_ns, work->aligned[i].joins_ns),
                                       .by_itself = true};
    }
    int result = export_merged_timeline(parts, work->ranks.count, &options, &exported, err);
    console_progress_end();
    work->events = exported.rows;
    if (result == 0 && exported.files == 0)
        return err_set(err, ERR_NOT_FOUND, "no data for a timeline of these ranks");
    return result;
}

static int write_table(const struct cluster_timeline *work, struct err *err)
{
    struct rank_clock rows[CLOCKS_MOST];

    for (size_t i = 0; i < work->ranks.count; i++) {
        const struct clock_shift *clock = &work->alignment.clocks[work->aligned[i].clock];
        rows[i] = (struct rank_clock){.rank = work->ranks.items[i].rank,
                                      .host = work->ranks.items[i].host,
                                      .clock = (int64_t)work->aligned[i].clock,
                                      .shift_ns = number_add(clock->shift_ns, work->aligned[i].joins_ns),
                                      .error_ns = clock->error_ns,
                                      .collectives = (int64_t)clock->moments,
                                      .compared_with = clock->by != CLOCKS_NOBODY ? (int64_t)clock->by : -1,
                                      .anchor = (int64_t)clock->anchor};
    }
    return write_clocks(work->directory, rows, work->ranks.count, err);
}

static int make_timeline(struct cluster_timeline *work, struct err *err)
{
    SCOPED(sparing_end) struct sparing sparing = {.kept = NULL};

    if (align_clocks(work->aligned, work->ranks.count, number_clocks(work), &work->alignment, err) != 0 ||
        make_directory(work, err) != 0)
        return err_status(err);
    return sparing_begin_listed(&sparing, work->output, CLUSTER_LIST, true, err) != 0 || draw(work, err) != 0 ||
                   write_table(work, err) != 0
               ? err_status(err)
               : 0;
}

static int find(struct cluster_timeline *work, struct diagnostics *diag, struct err *err)
{
    const struct settings *settings = work->settings;

    if (settings->operand_count != 1) {
        err_set(err, ERR_USAGE, "pass one directory with the captures of all ranks");
        return err_hint(err, "for example: msprof cluster RUN --timeline");
    }
    if (settings->cluster.steps != NULL || settings->cluster.detail)
        return err_set(err, ERR_USAGE, "--timeline shows everything: omit --step and --detail");
    if (rank_ranges_parse("--ranks", settings->cluster.ranks, &work->ranges, err) != 0 ||
        cluster_find(settings->operands[0], &work->sources, diag, err) != 0)
        return err_status(err);
    if (work->sources.count == 0) {
        err_set(err, ERR_NOT_FOUND, "'%s' contains no captures of ranks", settings->operands[0]);
        return err_hint(err, "expected directories *_ascend_pt, *_ascend_ms or PROF_*");
    }
    if (rank_ranges_keep(&work->sources, &work->ranges, &work->lacks_ranks, err) != 0)
        return err_status(err);
    bool all_named = true;
    for (size_t i = 0; i < work->sources.count; i++)
        all_named &= work->sources.items[i].rank >= 0;
    return (all_named || work->ranges.count == 0) && work->sources.count > CLOCKS_MOST
               ? refuse_count(work->sources.count, err)
               : 0;
}

static void release(struct cluster_timeline *work)
{
    for (size_t i = 0; i < work->ranks.count; i++) {
        database_close(work->ranks.items[i].db);
        free(work->ranks.items[i].database);
    }
    free(work->ranks.items);
    free(work->directory);
    free(work->output);
    cluster_sources_release(&work->sources);
}

int cluster_timeline(const struct settings *settings)
{
    SCOPED(release) struct cluster_timeline work = {.settings = settings};
    struct err err = ERR_INIT;
    SCOPED(diag_release) struct diagnostics diag;
    int64_t start_ns = clock_now_ns();
    int status = STATUS_DONE;

    diag_init(&diag, settings->strict);
    int result = find(&work, &diag, &err);
    console_diagnostics(&diag);
    status = diag_problems(&diag) > 0 ? STATUS_DATA_PROBLEMS : STATUS_DONE;
    if (result == 0)
        result = open_ranks(&work, &status, &err);
    bool opened = result == 0 && goes_on(status);
    if (opened)
        result = make_timeline(&work, &err);
    if (result != 0) {
        status = status_worse(status, console_missing(&err));
    } else if (opened) {
        status = status_worse(status, tell_clocks(&work));
        console_note("'%s': %" PRIu64 " file%s of %zu rank%s, %" PRIu64 " events, %s s", work.directory, work.files,
                     console_plural(work.files), work.ranks.count, console_plural(work.ranks.count), work.events,
                     CLOCK_SECONDS_SINCE(start_ns));
    }
    return status;
}
