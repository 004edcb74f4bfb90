/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of a job together: how long each waited and transmitted, and the links between them. */
#include "features/cluster/cluster.h"
#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/format/csv_in.h"
#include "base/format/json_pieces.h"
#include "base/language.h"
#include "base/map.h"
#include "base/number.h"
#include "base/search.h"
#include "features/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_SIZE 64
#define WAITED_STEPS 1000 /* that the sentence about the slowest rank looks at */
#define CELLS 64          /* of a side of the map: of more ranks several share one */

/* All of a rank. */
struct rank_times {
    int64_t rank;
    double elapse_ms, wait_ms, transit_ms; /* of its communication operators */
};

struct link {
    int64_t source, target;
    double mb, ms, below; /* the last in % of the median */
    char transport[32], slow[8];
};

/* How long ranks waited in a step for one of them. */
struct waited {
    char step[STEP_SIZE];
    int64_t rank;
    double us;
};

struct cluster {
    struct html_page *page;
    int64_t slowest;             /* the rank of the first row of slow_ranks.csv */
    struct rank_verdict verdict; /* of it; no collectives: nothing was judged */
    double waited_us;            /* for it */
    struct ARRAY_OF(struct waited) waits;
    struct map known;                         /* of struct rank_times */
    struct ARRAY_OF(struct rank_times) ranks; /* by rank */
    struct ARRAY_OF(struct link) links;       /* the longest first */
    struct cluster_table {
        const char *caption;
        uint64_t rows, left;
        uint64_t names; /* a bit for each of its first columns that holds names */
        bool open;
    } table;
};

static double real_of(const char *text)
{
    double value = strtod(text, NULL);

    return isfinite(value) && value > 0 ? value : 0;
}

static double member_of(const struct json *object, const char *name)
{
    double value = 0;

    return json_number(json_member(object, name), &value) && isfinite(value) && value > 0 ? value : 0;
}

/* Sums up what a rank did in a group and step. */
static int take_member(void *arg, const char *const *keys, const struct json *value, struct err *err)
{
    static const char total[] = "Total Op Info";
    struct cluster *cluster = arg;
    const struct json *info = json_member(value, "Communication Time Info");
    int64_t rank;

    if (strncmp(keys[2], total, strlen(total)) != 0 || number_parse_integer(keys[3], strlen(keys[3]), &rank) != 0)
        return 0;
    struct rank_times *times = map_add(&cluster->known, &rank, NULL, err);
    if (times == NULL)
        return err_status(err);
    times->elapse_ms += member_of(info, "Elapse Time(ms)");
    times->wait_ms += member_of(info, "Wait Time(ms)");
    times->transit_ms += member_of(info, "Transit Time(ms)");
    return 0;
}

ARRAY_COMPARE(by_rank, struct rank_times, ARRAY_BY(rank))

static int load_ranks(struct cluster *cluster, const char *directory, struct err *err)
{
    SCOPED_FREE char *path = path_join(directory, CLUSTER_COMMUNICATION);

    if (path == NULL)
        return err_no_memory(err);
    if (json_read_members(path, 4, take_member, cluster, err) < 0 ||
        (cluster->ranks.items = map_items(&cluster->known, err)) == NULL)
        return err_status(err);
    cluster->ranks.count = cluster->known.used;
    array_sort(cluster->ranks.items, cluster->ranks.count, sizeof *cluster->ranks.items, by_rank);
    return 0;
}

/* A row of slow_links.csv: source, target, transport, MB, ms; behind two bandwidths how far below the median, and
 * behind two more whether that is slow. */
static int take_link(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    struct cluster *cluster = arg;
    struct link link;

    if (number == 1 || count < 11 || number_parse_integer(fields[0], strlen(fields[0]), &link.source) != 0 ||
        number_parse_integer(fields[1], strlen(fields[1]), &link.target) != 0 || link.source == link.target)
        return 0;
    link.mb = real_of(fields[3]);
    link.ms = real_of(fields[4]);
    link.below = strcmp(fields[7], TABLE_MISSING) != 0 ? strtod(fields[7], NULL) : NAN;
    snprintf(link.transport, sizeof link.transport, "%s", fields[2]);
    snprintf(link.slow, sizeof link.slow, "%s", fields[10]);
    return array_add(&cluster->links, err, link);
}

ARRAY_COMPARE(by_time, struct link, ARRAY_BY_MOST(ms), ARRAY_BY(source), ARRAY_BY(target))

static int load(struct cluster *cluster, const char *directory, struct err *err)
{
    SCOPED_FREE char *path = path_join(directory, "slow_links.csv");

    if (path == NULL)
        return err_no_memory(err);
    if (load_ranks(cluster, directory, err) < 0 || csv_read(path, take_link, cluster, err) < 0)
        return err_status(err);
    array_sort(cluster->links.items, cluster->links.count, sizeof *cluster->links.items, by_time);
    return 0;
}

/* ---- a part ---- */

static void begin_part(struct html_page *page, const char *id, const char *title)
{
    html_open_f(&page->w, "section", "id=%s|aria-labelledby=%s-title", id, id);
    html_open_f(&page->w, "h2", "id=%s-title", id);
    html_text(&page->w, title);
    html_close(&page->w);
}

static void end_part(struct html_page *page)
{
    html_close(&page->w);
}

/* ---- waiting and transmitting ---- */

/* The rest, which is neither: links can be busy beside each other, and operators run other tasks. */
static double rest_of(const struct rank_times *rank)
{
    return fmax(rank->elapse_ms - rank->wait_ms - rank->transit_ms, 0);
}

static double sum_of(const struct rank_times *rank)
{
    return rank->wait_ms + rank->transit_ms + rest_of(rank);
}

/* How many ranks share a cell; a bar is the mean of them. */
static size_t ranks_a_cell(const struct cluster *cluster)
{
    return (cluster->ranks.count + CELLS - 1) / CELLS;
}

/* "rank 5", or of several that share a cell "ranks 6 to 8". */
static const char *cell_name(const struct cluster *cluster, size_t cell, char text[64])
{
    const size_t from = cell * ranks_a_cell(cluster), after = from + ranks_a_cell(cluster);
    const size_t last = (after < cluster->ranks.count ? after : cluster->ranks.count) - 1;
    const int used = snprintf(text, 64, "rank%s %" PRId64, last > from ? "s" : "", cluster->ranks.items[from].rank);
    if (last > from)
        snprintf(text + used, 64 - (size_t)used, " to %" PRId64, cluster->ranks.items[last].rank);
    return text;
}

static void put_part(const struct cluster *cluster, size_t cell, const char *class, const char *what, double ms,
                     double bottom, double height)
{
    struct html_writer *w = &cluster->page->w;
    const size_t together = ranks_a_cell(cluster), bars = (cluster->ranks.count + together - 1) / together;
    const double width = (double)CHART_WIDTH / (double)bars;
    char text[64];
    html_open_f(w, "rect", "class=%s|x=%.2f|y=%.2f|width=%.2f|height=%.2f", class, CHART_LEFT + width * (double)cell,
                bottom - height, width > 3 ? width - 1 : width, height);
    html_open(w, "title");
    html_text_f(w, "%s: %s %.3f ms", cell_name(cluster, cell, text), what, ms);
    html_close(w);
    html_close(w);
}

static void put_bars(const struct cluster *cluster)
{
    struct html_page *page = cluster->page;
    size_t together = ranks_a_cell(cluster), bars = (cluster->ranks.count + together - 1) / together;
    double longest = 0;

    for (size_t i = 0; i < cluster->ranks.count; i++)
        longest = fmax(longest, sum_of(&cluster->ranks.items[i]));
    chart_legend(page, (const char *const[]){"exposed", "waiting", "other"},
                 (const char *const[]){"transmitting", "waiting", "other"}, 3);
    chart_begin(page, together > 1 ? "Time in collectives by groups of ranks" : "Time in collectives by rank",
                "Ranks as bars; the table below has the numbers");
    for (size_t i = 0; longest > 0 && i < bars; i++) {
        struct rank_times mean = {0};
        size_t from = i * together, until = from + together;
        until = until < cluster->ranks.count ? until : cluster->ranks.count;
        for (size_t k = from; k < until; k++) {
            mean.wait_ms += cluster->ranks.items[k].wait_ms / (double)(until - from);
            mean.transit_ms += cluster->ranks.items[k].transit_ms / (double)(until - from);
            mean.elapse_ms += cluster->ranks.items[k].elapse_ms / (double)(until - from);
        }
        double transit = CHART_HEIGHT * mean.transit_ms / longest, wait = CHART_HEIGHT * mean.wait_ms / longest;
        put_part(cluster, i, "exposed", "transmitting", mean.transit_ms, CHART_HEIGHT, transit);
        put_part(cluster, i, "waiting", "waiting", mean.wait_ms, CHART_HEIGHT - transit, wait);
        put_part(cluster, i, "other", "other", rest_of(&mean), CHART_HEIGHT - transit - wait,
                 CHART_HEIGHT * rest_of(&mean) / longest);
    }
    const int64_t first = cluster->ranks.items[0].rank, last = cluster->ranks.items[cluster->ranks.count - 1].rank;
    chart_value_axis(&page->w, CHART_HEIGHT, longest * 1e6, true, "");
    if (together == 1 && first >= 0 && last - first + 1 == (int64_t)cluster->ranks.count) {
        chart_count_axis(&page->w, CHART_HEIGHT, (size_t)first, cluster->ranks.count);
    } else {
        char text[32];
        snprintf(text, sizeof text, "%" PRId64, first);
        chart_label(&page->w, "start", CHART_LEFT, CHART_HEIGHT + 16, text);
        snprintf(text, sizeof text, "%" PRId64, last);
        chart_label(&page->w, "end", CHART_LEFT + CHART_WIDTH, CHART_HEIGHT + 16, text);
    }
    chart_end(page);
}

static void put_ranks(const struct cluster *cluster)
{
    static const char *const heads[] = {"#Rank", "#Waiting(ms)", "#Transmitting(ms)", "#Other(ms)", "#Elapsed(ms)"};
    struct html_page *page = cluster->page;
    size_t shown = 0;

    html_table_begin(page, "Waiting and transmitting by rank", heads, sizeof heads / sizeof *heads);
    for (; shown < cluster->ranks.count && shown < HTML_ROWS_MAX; shown++) {
        const struct rank_times *rank = &cluster->ranks.items[shown];
        html_open(&page->w, "tr");
        html_cell_number(page, "%" PRId64 "|%.6f|%.6f|%.6f|%.6f", rank->rank, rank->wait_ms, rank->transit_ms,
                         rest_of(rank), rank->elapse_ms);
        html_close(&page->w);
    }
    html_table_end(page);
    if (shown < cluster->ranks.count)
        html_note(page, "And %zu more.", cluster->ranks.count - shown);
}

/* ---- links ---- */

static size_t place_of(const struct cluster *cluster, int64_t rank)
{
    size_t low = search_from(cluster->ranks.items, cluster->ranks.count, sizeof *cluster->ranks.items,
                             offsetof(struct rank_times, rank), rank);
    return low < cluster->ranks.count && cluster->ranks.items[low].rank == rank ? low / ranks_a_cell(cluster) : CELLS;
}

/* All links of a pair of ranks, or of two groups. */
struct map_cell {
    double ms, mb;
    bool judged;           /* enough was moved for a bandwidth */
    const char *transport; /* NULL: several */
};

static double bandwidth_of(const struct map_cell *cell)
{
    return cell->ms > 0 ? cell->mb / cell->ms : 0;
}

/* The slower, the stronger; what moved too little to be judged is faint. */
static void put_cell(const struct cluster *cluster, size_t source, size_t target, double size,
                     const struct map_cell *cell, double slowest)
{
    struct html_writer *w = &cluster->page->w;
    const double strength = cell->judged && bandwidth_of(cell) > 0 ? slowest / bandwidth_of(cell) : 0;
    char from[64], to[64];

    html_open_f(w, "rect", "class=heat|x=%.2f|y=%.2f|width=%.2f|height=%.2f|fill-opacity=%.3f",
                CHART_LEFT + size * (double)target, size * (double)source, size * 0.94, size * 0.94,
                0.08 + 0.92 * strength);
    html_open(w, "title");
    html_text_f(w, "%s to %s: %.3f ms, %.3f MB, %.3f GB/s%s%s%s", cell_name(cluster, source, from),
                cell_name(cluster, target, to), cell->ms, cell->mb, bandwidth_of(cell),
                cell->transport != NULL ? ", " : "", cell->transport != NULL ? cell->transport : "",
                cell->judged ? "" : language_shown(", too little to judge"));
    html_close(w);
    html_close(w);
}

#define MAP_SIZE 600
#define MAP_LABELS 16 /* ranks that are named along the map */

/* The first rank of every cell, or of some where there is no room for all. */
static void put_map_ranks(const struct cluster *cluster, size_t cells, double size)
{
    struct html_writer *w = &cluster->page->w;
    const size_t distance = (cells + MAP_LABELS - 1) / MAP_LABELS;
    char text[32];

    for (size_t i = 0; i < cells; i += distance) {
        snprintf(text, sizeof text, "%" PRId64, cluster->ranks.items[i * ranks_a_cell(cluster)].rank);
        chart_label(w, "end", CHART_LEFT - 6, size * ((double)i + 0.47) + 5, text);
        chart_label(w, "middle", CHART_LEFT + size * ((double)i + 0.47), MAP_SIZE + 18, text);
    }
}

static void take_links(const struct cluster *cluster, struct map_cell (*map)[CELLS])
{
    for (size_t i = 0; i < cluster->links.count; i++) {
        const struct link *link = &cluster->links.items[i];
        const size_t source = place_of(cluster, link->source), target = place_of(cluster, link->target);
        if (source == CELLS || target == CELLS)
            continue;
        struct map_cell *cell = &map[source][target];
        cell->transport = cell->ms == 0 && cell->mb == 0                                             ? link->transport
                          : cell->transport != NULL && strcmp(cell->transport, link->transport) == 0 ? link->transport
                                                                                                     : NULL;
        cell->ms += link->ms;
        cell->mb += link->mb;
        cell->judged |= !isnan(link->below);
    }
}

static void put_map(const struct cluster *cluster)
{
    struct html_page *page = cluster->page;
    size_t together = ranks_a_cell(cluster), cells = (cluster->ranks.count + together - 1) / together;
    const double size = MAP_SIZE / (double)cells;
    double slowest = INFINITY, fastest = 0;
    struct map_cell(*map)[CELLS] = calloc(CELLS, sizeof *map);
    bool any = false;

    if (map == NULL)
        return;
    take_links(cluster, map);
    for (size_t i = 0; i < CELLS * CELLS; i++) {
        const struct map_cell *cell = &map[i / CELLS][i % CELLS];
        any |= cell->ms > 0;
        if (!cell->judged || bandwidth_of(cell) <= 0)
            continue;
        slowest = fmin(slowest, bandwidth_of(cell));
        fastest = fmax(fastest, bandwidth_of(cell));
    }
    if (any) {
        chart_begin_sized(
            page,
            together > 1
                ? "Bandwidth of links: from groups of ranks (down) to groups of ranks (across), the stronger "
                  "the colour, the slower"
                : "Bandwidth of links: from ranks (down) to ranks (across), the stronger the colour, the slower",
            "Links as a map; the table below has the numbers", MAP_SIZE + 24);
        for (size_t source = 0; source < cells; source++)
            for (size_t target = 0; target < cells; target++)
                if (map[source][target].ms > 0)
                    put_cell(cluster, source, target, size, &map[source][target], slowest);
        put_map_ranks(cluster, cells, size);
        chart_end(page);
        if (fastest > 0)
            html_note(page, "Full colour is %.3f GB/s, the slowest; the fastest has %.3f GB/s.", slowest, fastest);
    }
    if (together > 1)
        html_note(page, "A cell is of %zu ranks that follow each other.", together);
    free(map);
}

static void put_links(const struct cluster *cluster)
{
    static const char *const heads[] = {
        "#From", "#To", "Transport", "#Time(ms)", "#Data(MB)", "#Bandwidth(GB/s)", "#Below Median(%)", "Slow"};
    struct html_page *page = cluster->page;
    size_t shown = 0;

    if (cluster->links.count == 0) {
        html_note(page, "No links between ranks were recorded.");
        return;
    }
    html_table_begin(page, "Links by time", heads, sizeof heads / sizeof *heads);
    for (; shown < cluster->links.count && shown < HTML_ROWS_MAX; shown++) {
        const struct link *link = &cluster->links.items[shown];
        html_open(&page->w, "tr");
        html_cell_number(page, "%" PRId64 "|%" PRId64, link->source, link->target);
        html_cell(page, link->transport);
        html_cell_number(page, "%.6f|%.6f", link->ms, link->mb);
        html_cell_number(page, link->ms > 0 ? "%.4f" : TABLE_MISSING, link->ms > 0 ? link->mb / link->ms : 0);
        html_cell_number(page, isnan(link->below) ? TABLE_MISSING : "%.2f", link->below);
        html_cell(page, link->slow);
        html_close(&page->w);
    }
    html_table_end(page);
    if (shown < cluster->links.count)
        html_note(page, "And %zu more.", cluster->links.count - shown);
}

/* ---- tables that the analysis wrote ---- */

static void put_field(struct html_page *page, const char *text, bool is_name)
{
    char *end;

    strtod(text, &end);
    if (is_name)
        html_cell_name(page, text);
    else if (*text != '\0' && *end == '\0')
        html_cell_number(page, "%s", text);
    else
        html_cell(page, text);
}

static int take_row(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    struct cluster *cluster = arg;
    struct cluster_table *table = &cluster->table;

    (void)err;
    if (number == 1) {
        html_table_begin(cluster->page, table->caption, fields, count);
        for (size_t i = 0; i < count && i < 64; i++)
            if (strcmp(fields[i], "Operator") == 0 || strcmp(fields[i], "Group Name") == 0 ||
                strcmp(fields[i], "File") == 0 || strcmp(fields[i], "Message") == 0)
                table->names |= UINT64_C(1) << i;
        table->open = true;
        return 0;
    }
    if (table->rows == HTML_ROWS_MAX) {
        table->left++;
        return 0;
    }
    table->rows++;
    html_open(&cluster->page->w, "tr");
    for (size_t i = 0; i < count; i++)
        put_field(cluster->page, fields[i], i < 64 && (table->names >> i & 1) != 0);
    html_close(&cluster->page->w);
    return 0;
}

static int put_csv(struct cluster *cluster, const char *directory, const char *name, const char *caption,
                   struct err *err)
{
    char *path = path_join(directory, name);

    if (path == NULL)
        return err_no_memory(err);
    cluster->table = (struct cluster_table){.caption = caption};
    int status = csv_read(path, take_row, cluster, err);
    free(path);
    if (cluster->table.open)
        html_table_end(cluster->page);
    if (cluster->table.left > 0)
        html_note(cluster->page, "And %llu more, which %s has.", (unsigned long long)cluster->table.left, name);
    return status;
}

static int count_row(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    (void)fields;
    (void)count;
    (void)err;
    *(uint64_t *)arg = number - 1; /* the first has the titles */
    return 0;
}

/* What the results lack stands before everything that rests on the rest. */
static int put_problems(struct cluster *cluster, const char *directory, uint64_t *ret, struct err *err)
{
    SCOPED_FREE char *path = path_joined(directory, CLUSTER_PROBLEMS, err);

    *ret = 0;
    if (path == NULL)
        return err_status(err);
    int found = csv_read(path, count_row, ret, err);
    if (found == -ERR_NOT_FOUND) {
        *err = (struct err)ERR_INIT;
        html_note(cluster->page, "It is not known what these results lack: an earlier version wrote them.");
        return 0;
    }
    if (found < 0)
        return err_status(err);
    if (*ret == 0)
        return 0;
    begin_part(cluster->page, "missing", "Missing");
    html_note(cluster->page, "msprof cluster reported data problems. The following is based on the remaining data.");
    int status = put_csv(cluster, directory, CLUSTER_PROBLEMS, LANGUAGE_MARK("What these results lack"), err);
    end_part(cluster->page);
    return status;
}

/* ---- who is late ---- */

/* The first row of slow_ranks.csv: the rank that the others waited for longest. */
static int take_slowest(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    struct cluster *cluster = arg;
    struct rank_verdict *verdict = &cluster->verdict;

    (void)err;
    if (number != 2 || count < 10 || number_parse_integer(fields[0], strlen(fields[0]), &cluster->slowest) != 0)
        return 0;
    verdict->collectives = (int64_t)real_of(fields[1]);
    verdict->last = (int64_t)real_of(fields[2]);
    verdict->votes = (int64_t)real_of(fields[9]);
    cluster->waited_us = real_of(fields[5]);
    return 0;
}

/* A row of late_collectives.csv: step, and at the places 5 and 11 who was late and how long all waited for it. */
static int take_late(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err)
{
    struct cluster *cluster = arg;
    int64_t rank;
    size_t i = 0;

    if (number == 1 || count < 13 || number_parse_integer(fields[5], strlen(fields[5]), &rank) != 0)
        return 0;
    while (i < cluster->waits.count && (cluster->waits.items[i].rank != rank ||
                                        strncmp(cluster->waits.items[i].step, fields[0], STEP_SIZE - 1) != 0))
        i++;
    if (i == cluster->waits.count) {
        struct waited wait = {.rank = rank};
        if (i == WAITED_STEPS)
            return 0;
        snprintf(wait.step, sizeof wait.step, "%s", fields[0]);
        if (array_add(&cluster->waits, err, wait) < 0)
            return err_status(err);
    }
    cluster->waits.items[i].us += real_of(fields[11]);
    return 0;
}

/* In how many steps the ranks waited for this one longest, and how many steps there are. */
static void count_steps(const struct cluster *cluster, size_t *ret_late, size_t *ret_all)
{
    *ret_late = *ret_all = 0;
    for (size_t i = 0; i < cluster->waits.count; i++) {
        const struct waited *it = &cluster->waits.items[i];
        bool first = true, longest = true;
        for (size_t k = 0; k < cluster->waits.count; k++) {
            const bool same = strcmp(cluster->waits.items[k].step, it->step) == 0;
            first &= !same || k >= i;
            longest &= !same || cluster->waits.items[k].us <= it->us;
        }
        *ret_all += first;
        *ret_late += it->rank == cluster->slowest && longest;
    }
}

/* The share of their communication that the other ranks waited, in percent. */
static double others_waited(const struct cluster *cluster)
{
    double wait_ms = 0, elapse_ms = 0;

    for (size_t i = 0; i < cluster->ranks.count; i++) {
        if (cluster->ranks.items[i].rank == cluster->slowest)
            continue;
        wait_ms += cluster->ranks.items[i].wait_ms;
        elapse_ms += cluster->ranks.items[i].elapse_ms;
    }
    return elapse_ms > 0 ? 100 * wait_ms / elapse_ms : 0;
}

static void put_slowest(struct cluster *cluster)
{
    const struct rank_verdict *verdict = &cluster->verdict;
    struct html_page *page = cluster->page;
    const bool late = verdict_stands_out(verdict);
    size_t steps, all;

    count_steps(cluster, &steps, &all);
    html_open_f(&page->w, "p", "class=answer");
    html_open(&page->w, "strong");
    if (verdict->collectives == 0)
        html_text(&page->w, "No rank was judged");
    else if (late)
        html_text_f(&page->w, "Rank %" PRId64 " is late", cluster->slowest);
    else
        html_text(&page->w, "No rank stands out");
    html_close(&page->w);
    if (verdict->collectives == 0) {
        html_text(&page->w, ": no collective was recorded by all ranks of its group.");
    } else {
        if (late && all > 0)
            html_text_f(&page->w, " in %zu of %zu steps", steps, all);
        html_text(&page->w, ": ");
        if (late)
            html_text(&page->w, "it");
        else
            html_text_f(&page->w, "rank %" PRId64, cluster->slowest);
        html_text_f(&page->w, " came last in %" PRId64 " of its %" PRId64 " collectives, and the others waited ",
                    verdict->last, verdict->collectives);
        html_put_scaled(page, 1e3 * cluster->waited_us);
        html_text_f(&page->w, " for it. The other ranks wait %.1f %% of their communication.", others_waited(cluster));
    }
    html_close(&page->w);
}

static int put_summary(struct cluster *cluster, const char *directory, struct err *err)
{
    SCOPED_FREE char *ranks = path_joined(directory, "slow_ranks.csv", err);
    SCOPED_FREE char *late = ranks != NULL ? path_joined(directory, "late_collectives.csv", err) : NULL;

    if (late == NULL || csv_read(ranks, take_slowest, cluster, err) < 0 || csv_read(late, take_late, cluster, err) < 0)
        return err_status(err);
    begin_part(cluster->page, "summary", "Summary");
    put_slowest(cluster);
    end_part(cluster->page);
    return 0;
}

static int put_parts(struct cluster *cluster, const char *directory, struct err *err)
{
    struct html_page *page = cluster->page;

    if (put_summary(cluster, directory, err) < 0)
        return err_status(err);
    begin_part(page, "ranks", "Ranks");
    html_note(page, "%zu ranks communicated.", cluster->ranks.count);
    if (put_csv(cluster, directory, "slow_ranks.csv", LANGUAGE_MARK("Who kept the others waiting"), err) < 0)
        return err_status(err);
    if (put_csv(cluster, directory, "slow_computing.csv", LANGUAGE_MARK("How long ranks and stages compute"), err) < 0)
        return err_status(err);
    if (put_csv(cluster, directory, "rank_times.csv",
                LANGUAGE_MARK("What masks communication, and how long ranks are free"), err) < 0)
        return err_status(err);
    int status =
        put_csv(cluster, directory, "cluster_step_trace_time.csv", LANGUAGE_MARK("Steps of the ranks (us)"), err);
    end_part(page);
    if (status != 0)
        return status;
    begin_part(page, "waiting", "Waiting and transmitting");
    if (cluster->ranks.count > 0) {
        put_bars(cluster);
        put_ranks(cluster);
    } else {
        html_note(page, "No communication was recorded.");
    }
    end_part(page);
    begin_part(page, "links", "Links");
    if (cluster->ranks.count > 0)
        put_map(cluster);
    put_links(cluster);
    end_part(page);
    begin_part(page, "late", "Late collectives");
    status = put_csv(cluster, directory, "late_collectives.csv",
                     LANGUAGE_MARK("Collectives that kept their ranks waiting for long"), err);
    end_part(page);
    return status;
}

int html_put_cluster(struct html_page *page, const char *directory, uint64_t *ret_problems, struct err *err)
{
    struct cluster cluster = {.page = page, .known = MAP_OF(struct rank_times, rank)};
    int status = load(&cluster, directory, err);

    html_open(&page->w, "article");
    if (status == 0 &&
        (put_problems(&cluster, directory, ret_problems, err) < 0 || put_parts(&cluster, directory, err) < 0))
        status = err_status(err);
    html_close(&page->w);
    map_release(&cluster.known);
    free(cluster.waits.items);
    free(cluster.ranks.items);
    free(cluster.links.items);
    return status;
}
