/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path of a step: all that ran in it by stream, and what it waited for. */
#include "base/number.h"
#include "exporters/html/chart.h"
#include "exporters/html/page.h"

#include <inttypes.h>
#include <stdio.h>

#define LANES_MAX 12
#define LANE_HEIGHT 28

/* A stream, or the calls of the host, in a row of the drawing. */
struct lane {
    bool is_call;
    uint16_t stream;
    double from, until; /* what is not drawn yet; until < 0: nothing */
    bool critical;
};

struct lanes {
    struct html_page *page;
    const struct step_path *path;
    struct lane items[LANES_MAX];
    size_t count, left; /* left: nodes of streams beyond LANES_MAX */
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

static void put_stretch(struct lanes *lanes, const struct lane *lane)
{
    struct html_writer *w = &lanes->page->w;
    double width = lane->until - lane->from;

    if (lane->until < 0)
        return;
    html_open(w, "rect");
    html_attribute(w, "class", lane->critical ? "critical" : "slack");
    html_attribute_f(w, "x", "%.2f", lane->from);
    html_attribute_f(w, "y", "%d", (int)(lane - lanes->items) * LANE_HEIGHT + 5);
    html_attribute_f(w, "width", "%.2f", width > 0.5 ? width : 0.5);
    html_attribute_f(w, "height", "%d", LANE_HEIGHT - 10);
    html_close(w);
}

/* Stretches of one kind that are less than a pixel apart are drawn as one. */
static void take_node(struct lanes *lanes, size_t i)
{
    const struct path_node *node = &lanes->path->nodes[i];
    struct lane *lane = lane_of(lanes, i);
    double from = place_of(lanes, node->start_ns), until = place_of(lanes, node->end_ns);

    if (lane == NULL) {
        lanes->left++;
        return;
    }
    if (lane->until >= 0 && lane->critical == node->critical && from <= lane->until + 1) {
        lane->until = until > lane->until ? until : lane->until;
        return;
    }
    put_stretch(lanes, lane);
    *lane = (struct lane){lane->is_call, lane->stream, from, until, node->critical};
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

static void put_drawing(struct html_page *page, const struct step_path *path, size_t split)
{
    struct lanes lanes = {.page = page, .path = path};
    char caption[96], length[NUMBER_MAX];

    for (size_t i = 0; i < path->count; i++) /* to know how many there are */
        lane_of(&lanes, i);
    snprintf(caption, sizeof caption, "Step %zu, %s us: the path, and what has slack", split + 1,
             html_us(number_subtract(path->end_ns, path->start_ns), length));
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
        html_note(page, "%zu more tasks are on other streams, which are not drawn.", lanes.left);
}

int html_put_path(struct html_page *page, struct err *err)
{
    static const struct html_table tables[] = {{.report = "path", .bars = "share"}, {.report = "path_step"}};
    size_t split = path_steps_typical(&page->paths);
    const struct step_path *path = NULL;
    int status = 0;

    if (split != SIZE_MAX)
        status = path_steps_find(&page->paths, split, &path, err);
    if (status != 0)
        return status;
    if (path != NULL && path->last != PATH_NONE && path->end_ns > path->start_ns) {
        chart_legend(page, (const char *const[]){"critical", "slack"},
                     (const char *const[]){"on the path", "has slack"}, 2);
        put_drawing(page, path, split);
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == 0; i++)
        status = html_put_table(page, &tables[i], NULL, err);
    return status;
}
