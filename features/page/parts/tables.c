/* SPDX-License-Identifier: Apache-2.0 */
/* The formulas of all numbers, device memory over time, and the critical path of a step. */
#include "base/language.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "features/answers/load/load.h"
#include "features/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- formulas ---- */

static void put_rules(struct html_page *page)
{
    static const char *const heads[] = {"Rule", "Formula", "#Limit(%)"};

    html_table_begin(page, "Rules of the findings", heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < advice_rule_count && advice_rules[i]->of_tree == NULL; i++) {
        html_open(&page->w, "tr");
        html_cell(page, advice_rules[i]->id);
        html_cell(page, advice_rules[i]->formula);
        html_cell_number(page, "%g", advice_rules[i]->threshold);
        html_close(&page->w);
    }
    html_table_end(page);
}

int html_put_formulas(struct html_page *page, struct err *err)
{
    static const struct {
        const char *term, *meaning;
    } terms[] = {
        {LANGUAGE_MARK("Busy"),
         LANGUAGE_MARK(
             "the union of all operators, communication tasks, copies and other tasks of a device; its share is of the "
             "time from the first execution to the end of the last, without what was not recorded")},
        {LANGUAGE_MARK("Exposed communication"),
         LANGUAGE_MARK("when a communication operator was under way and no operator computed")},
        {LANGUAGE_MARK("Step"),
         LANGUAGE_MARK(
             "of the families that a capture has the first of these: ranges that were chosen, steps of a framework, "
             "marked steps, iterations, inferences, the period of the sequence of operators")},
        {LANGUAGE_MARK("Period"),
         LANGUAGE_MARK("from the begin of a step to that of its neighbour, where both were recorded")},
        {LANGUAGE_MARK("Warm-up"),
         LANGUAGE_MARK(
             "the first steps that take longer than the median and five times the scatter, of four steps at least")},
        {LANGUAGE_MARK("Median, P95"),
         LANGUAGE_MARK("half, and 19 of 20, took no longer; between two values by linear interpolation")},
        {"MAD", LANGUAGE_MARK("the median of the distances from the median")},
        {LANGUAGE_MARK("Gap"), LANGUAGE_MARK("a stretch in which a device did nothing, between two executions")},
    };

    (void)err;
    html_open(&page->w, "dl");
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        html_element(&page->w, "dt", terms[i].term);
        html_element(&page->w, "dd", terms[i].meaning);
    }
    html_close(&page->w);
    put_rules(page);
    html_note(
        page,
        "A table of this page has at most %d rows, or %d KiB. A value that the capture does not hold is N/A, not 0.",
        HTML_ROWS_MAX, HTML_TABLE_BYTES_MAX / 1024);
    return 0;
}

/* Device memory as a curve, and who held it at the peak. */

#define BINS 500
#define DEVICES_MAX 16
#define PATH_MAX_BYTES (64 * BINS)

/* The most that was held in each bin of [first, last): no peak is lost, however short. */
static void make_bins(const struct memory_point *points, size_t count, int64_t bins[BINS])
{
    int64_t first_ns = points[0].time_ns;
    double width = ((double)points[count - 1].time_ns - (double)first_ns) / BINS;

    for (size_t i = 0; i < BINS; i++)
        bins[i] = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        size_t from = (size_t)(((double)points[i].time_ns - (double)first_ns) / width);
        double until = ((double)points[i + 1].time_ns - (double)first_ns) / width;
        for (size_t bin = from; bin < BINS && (double)bin < until; bin++)
            if (points[i].bytes > bins[bin])
                bins[bin] = points[i].bytes;
    }
}

static void put_steps(struct html_page *page, const int64_t bins[BINS], int64_t most)
{
    struct html_writer *w = &page->w;
    double width = (double)CHART_WIDTH / BINS;
    struct strbuf path;

    strbuf_init(&path, PATH_MAX_BYTES);
    strbuf_addf(&path, "M%d %d", CHART_LEFT, CHART_HEIGHT);
    for (size_t i = 0; i < BINS; i++)
        if (i + 1 == BINS || bins[i + 1] != bins[i])
            strbuf_addf(&path, "V%.2fH%.2f", CHART_HEIGHT * (1 - (double)bins[i] / (double)most),
                        CHART_LEFT + width * (double)(i + 1));
    strbuf_addf(&path, "V%dZ", CHART_HEIGHT);
    outfile_check(w->out, &path);
    html_open_f(w, "path", "class=held");
    html_attribute(w, "d", path.data);
    html_close(w);
    strbuf_release(&path);
}

/* In the unit of the peak's size. */
static void put_memory_axis(struct html_page *page, int64_t peak)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    double top = (double)peak;
    size_t unit = 0;

    for (; unit + 1 < sizeof units / sizeof *units && top >= 1024; unit++)
        top /= 1024;
    chart_value_axis(&page->w, CHART_HEIGHT, top, false, units[unit]);
}

static void put_curve(struct html_page *page, const struct memory_curve *curve, size_t from, size_t until)
{
    const struct memory_point *points = &curve->items[from];
    size_t count = until - from;
    const struct memory_point *peak = &curve->items[memory_curve_peak(curve, from, until)];
    int64_t bins[BINS];
    char caption[96];

    if (count < 2)
        return;
    make_bins(points, count, bins);
    snprintf(caption, sizeof caption, language_shown("Device %" PRId64 ": memory that operators held"),
             points[0].device);
    chart_begin(page, caption, "Memory over time; the tables below have the numbers");
    chart_curve(&page->w, CHART_HEIGHT, html_since(page, points[0].time_ns),
                html_since(page, points[count - 1].time_ns), (double)peak->bytes / 1024, " KiB");
    put_steps(page, bins, peak->bytes);
    put_memory_axis(page, peak->bytes);
    chart_time_axis(&page->w, CHART_HEIGHT, html_since(page, points[0].time_ns),
                    html_since(page, points[count - 1].time_ns));
    chart_end(page);
}

static int put_curves(struct html_page *page, const struct memory_pieces *pieces, struct err *err)
{
    struct memory_curve curve;
    size_t devices = 0;
    int status = memory_curve_make(pieces, &curve, err);

    for (size_t from = 0, until; from < curve.count && status == 0; from = until) {
        until = memory_curve_end(&curve, from);
        if (++devices <= DEVICES_MAX)
            put_curve(page, &curve, from, until);
    }
    if (devices > DEVICES_MAX)
        html_note(page, "And %zu more devices, which the tables have.", devices - DEVICES_MAX);
    free(curve.items);
    return status;
}

int html_put_memory(struct html_page *page, struct err *err)
{
    SCOPED(intern_release) struct intern owners = {.items = NULL};
    struct memory_pieces pieces = {.items = NULL};
    int status = memory_load(page->db, &owners, &pieces, err);

    status = status == 0 ? put_curves(page, &pieces, err) : status;
    free(pieces.items);
    return status;
}

/* The critical path of a step: all that ran in it by stream, and what it waited for. */

#define LANES_MAX 12
#define LANE_HEIGHT 28

/* A stream, or the calls of the host, in a row of the drawing. */
struct lane {
    bool is_call;
    uint16_t stream;
    double from, until; /* what is not drawn yet; until < 0: nothing */
    bool critical;
    size_t nodes, longest; /* of them: how many, and which one */
};

struct lanes {
    struct html_page *page;
    const struct step_path *path;
    const struct cann_texts *names; /* of calls */
    struct lane items[LANES_MAX];
    size_t count, left; /* left: nodes of streams beyond LANES_MAX */
    double finest;      /* what is narrower, or nearer to its neighbour, is drawn together with it */
    uint64_t limit;     /* bytes of the page from which on stretches say nothing */
};

static struct lane *lane_of(struct lanes *lanes, size_t node)
{
    const struct step_path_node *it = &lanes->path->items[node];
    uint16_t stream = it->is_call ? 0 : lanes->page->workload.executions[it->place].stream;

    for (size_t i = 0; i < lanes->count; i++)
        if (lanes->items[i].is_call == it->is_call && lanes->items[i].stream == stream)
            return &lanes->items[i];
    if (lanes->count == LANES_MAX)
        return NULL;
    lanes->items[lanes->count] = (struct lane){.is_call = it->is_call, .stream = stream, .until = -1};
    return &lanes->items[lanes->count++];
}

static double place_of(const struct lanes *lanes, int64_t time_ns)
{
    double whole = (double)number_subtract(lanes->path->end_ns, lanes->path->start_ns);

    return CHART_LEFT + CHART_WIDTH * (double)number_subtract(time_ns, lanes->path->start_ns) / whole;
}

static int64_t node_ns(const struct lanes *lanes, size_t i)
{
    const struct html_page *page = lanes->page;
    return llround(step_path_length(lanes->path, &page->workload, &page->paths.launches, (uint32_t)i));
}

static const char *name_of(const struct lanes *lanes, size_t node)
{
    const struct html_page *page = lanes->page;
    const struct step_path_node *it = &lanes->path->items[node];

    return it->is_call ? cann_text(lanes->names, page->paths.launches.calls[it->place].name, 0).text
                       : execution_name(&page->workload, it->place);
}

static void put_stretch(struct lanes *lanes, const struct lane *lane)
{
    struct html_writer *w = &lanes->page->w;
    const double width = lane->until - lane->from;
    char text[NUMBER_MAX];

    if (lane->until < 0)
        return;
    html_open_f(w, "rect", "class=%s|x=%.2f|y=%d|width=%.2f|height=%d", lane->critical ? "critical" : "slack",
                lane->from, (int)(lane - lanes->items) * LANE_HEIGHT + 5, width > 0.5 ? width : 0.5, LANE_HEIGHT - 10);
    if (html_bytes(lanes->page) < lanes->limit) {
        const char *name = name_of(lanes, lane->longest);
        html_open(w, "title");
        html_name(w, name, strlen(name));
        html_text_f(w, ": %s us", html_us(node_ns(lanes, lane->longest), text));
        if (lane->nodes > 1)
            html_text_f(w, ", the longest of %zu", lane->nodes);
        html_close(w);
    }
    html_close(w);
}

static void take_node(struct lanes *lanes, size_t i)
{
    const struct path_node *node = &lanes->path->nodes[i];
    struct lane *lane = lane_of(lanes, i);
    double from = place_of(lanes, node->start_ns), until = place_of(lanes, node->end_ns);

    if (lane == NULL) {
        lanes->left++;
        return;
    }
    const bool together =
        lane->critical == node->critical ? from <= lane->until + lanes->finest : from <= lane->from + lanes->finest;
    if (lane->until >= 0 && together) {
        lane->until = until > lane->until ? until : lane->until;
        lane->critical |= node->critical;
        lane->nodes++;
        if (node_ns(lanes, i) > node_ns(lanes, lane->longest))
            lane->longest = i;
        return;
    }
    put_stretch(lanes, lane);
    *lane = (struct lane){lane->is_call, lane->stream, from, until, node->critical, 1, i};
}

static void put_name(struct lanes *lanes, const struct lane *lane)
{
    char text[32];

    if (lane->is_call)
        snprintf(text, sizeof text, "host");
    else if (lanes->page->workload.streams[lane->stream].id < 0)
        snprintf(text, sizeof text, "collectives");
    else
        snprintf(text, sizeof text, "stream %" PRId64, lanes->page->workload.streams[lane->stream].id);
    chart_label(&lanes->page->w, "end", CHART_LEFT - 6, (double)(lane - lanes->items) * LANE_HEIGHT + 19, text);
}

static int put_drawing(struct html_page *page, const struct step_path *path, size_t split, struct err *err)
{
    struct lanes lanes = {.page = page, .path = path, .names = html_names(page, err)};
    char caption[96], length[SCALED_MAX];

    if (lanes.names == NULL)
        return err_status(err);

    for (size_t i = 0; i < path->count; i++) /* to know how many there are */
        lane_of(&lanes, i);
    snprintf(caption, sizeof caption, language_shown("Step %zu, %s: the path, and what has slack"), split + 1,
             html_scaled(step_path_time(path, &page->workload), length));
    lanes.finest = lanes.count > 2 ? (double)lanes.count / 2 : 1;
    lanes.limit = html_table_limit(page);
    chart_begin_sized(page, caption, "Tasks of the step by stream; the tables below have the numbers",
                      (int)lanes.count * LANE_HEIGHT);
    for (size_t i = 0; i < path->count; i++)
        take_node(&lanes, i);
    for (size_t i = 0; i < lanes.count; i++) {
        put_stretch(&lanes, &lanes.items[i]);
        put_name(&lanes, &lanes.items[i]);
    }
    chart_end(page);
    if (lanes.left > 0)
        html_note(page, "%zu more tasks on other streams are not drawn.", lanes.left);
    return 0;
}

int html_put_path(struct html_page *page, struct err *err)
{
    size_t split = path_steps_typical(&page->paths);
    const struct step_path *path = NULL;

    if (split != SIZE_MAX && path_steps_find(&page->paths, split, &path, err) < 0)
        return err_status(err);
    if (path != NULL && path->last != PATH_NONE && path->end_ns > path->start_ns) {
        chart_legend(page, (const char *const[]){"critical", "slack"},
                     (const char *const[]){LANGUAGE_MARK("on the path"), LANGUAGE_MARK("has slack")}, 2);
        return put_drawing(page, path, split, err);
    }
    return 0;
}
