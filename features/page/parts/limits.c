/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of operators: by their counters, and under the roofs of the chip. */
#include "base/array.h"
#include "base/utf8.h"
#include "features/answers/load/load.h"
#include "features/page/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOTS_MAX 500
#define NAMED_MAX 10 /* dots with a name beside them, the longest */
#define NAME_BYTES 24
#define CHARACTER 9 /* room of a character, also where letters are large */
#define LINE 17

struct dot {
    double intensity, throughput, share;
    char *name;
};

struct dots {
    struct dot *items;
    size_t count, capacity;
    double total_ns;
    size_t left;
};

static int take_row(void *arg, const struct roofline_row *row, struct err *err)
{
    struct dots *dots = arg;
    const struct dot dot = {roofline_intensity(row), roofline_throughput(row), row->total_ns,
                            strdup(row->name != NULL ? row->name : row->type)};
    int status = dot.name != NULL ? array_reserve(dots, 1, err) : err_no_memory(err);

    dots->total_ns += row->total_ns;
    if (status != 0 || dots->count == DOTS_MAX) {
        dots->left += status == 0;
        free(dot.name);
        return status;
    }
    dots->items[dots->count++] = dot;
    return 0;
}

static struct chart_plane plane_of(const struct dots *dots, const struct roofline *roofline)
{
    struct chart_plane plane = CHART_PLANE_EMPTY;

    for (size_t i = 0; i < dots->count; i++) {
        chart_widen(&plane.x, dots->items[i].intensity);
        chart_widen(&plane.y, dots->items[i].throughput);
    }
    if (roofline->work_ns > 0)
        chart_widen(&plane.y, roofline->work_ns);
    if (roofline->work_ns > 0 && roofline->bytes_ns > 0)
        chart_widen(&plane.x, roofline->work_ns / roofline->bytes_ns);
    chart_plane_settle(&plane);
    return plane;
}

/* What the operator does in the base, if it does the same work there. */
static bool put_ghost(struct html_page *page, const struct chart_plane *plane, const struct dot *dot, double radius)
{
    const double factor = html_base_factor(page, dot->name);
    const double y = factor > 0 && dot->throughput > 0 ? chart_y(plane, dot->throughput / factor) : -1;

    if (y < 0 || y > CHART_PLANE_HEIGHT || dot->intensity <= 0)
        return false;
    html_open_f(&page->w, "circle", "class=ghost|cx=%.2f|cy=%.2f|r=%.2f", chart_x(plane, dot->intensity), y, radius);
    html_close(&page->w);
    return true;
}

static void put_dots(struct html_page *page, const struct chart_plane *plane, const struct dots *dots)
{
    struct html_writer *w = &page->w;

    for (size_t i = 0; i < dots->count; i++) {
        const struct dot *dot = &dots->items[i];
        html_open_f(w, "circle", "class=dot|cx=%.2f|cy=%.2f|r=%.2f", chart_x(plane, dot->intensity),
                    chart_y(plane, dot->throughput), 3 + 9 * sqrt(dot->share / dots->total_ns));
        html_open(w, "title");
        html_name(w, dot->name, strlen(dot->name));
        html_close(w);
        html_close(w);
    }
}

static size_t put_ghosts(struct html_page *page, const struct chart_plane *plane, const struct dots *dots)
{
    size_t count = 0;

    for (size_t i = 0; page->change.known && i < dots->count && i < NAMED_MAX; i++)
        count += put_ghost(page, plane, &dots->items[i], 3 + 9 * sqrt(dots->items[i].share / dots->total_ns));
    return count;
}

/* Names in the drawing, of which none lies on another, nor on a dot that has one. */
struct labels {
    struct label_box {
        double left, right, top, bottom;
    } boxes[2 * NAMED_MAX + 4];
    size_t count;
};

/* Puts a name that begins there, or ends there, if there is room. */
static bool put_label(struct html_page *page, struct labels *labels, double x, double y, bool ends, const char *text)
{
    const double width = CHARACTER * (double)strlen(text), left = ends ? x - width : x;
    const struct label_box box = {left, left + width, y - LINE + 4, y + 4};
    struct html_writer *w = &page->w;

    if (box.left < CHART_LEFT || box.right > CHART_LEFT + CHART_WIDTH || box.top < 0 || box.bottom > CHART_PLANE_HEIGHT)
        return false;
    for (size_t i = 0; i < labels->count; i++) {
        const struct label_box *other = &labels->boxes[i];
        if (box.left < other->right && other->left < box.right && box.top < other->bottom && other->top < box.bottom)
            return false;
    }
    labels->boxes[labels->count++] = box;
    html_open_f(w, "text", "class=inside|text-anchor=%s|x=%.2f|y=%.2f", ends ? "end" : "start", x, y);
    html_text(w, text);
    html_close(w);
    return true;
}

/* Puts a name beside its dot, or as near to it as there is room, with a line from the dot to it. */
static void put_name(struct html_page *page, struct labels *labels, double x, double y, double radius, const char *text)
{
    const int most = CHART_PLANE_HEIGHT / LINE;

    if (put_label(page, labels, x + radius + 2, y + 4, false, text))
        return;
    for (int i = 0; i < 4 * most; i++) {
        const bool ends = i % 4 >= 2;
        const int line = i / 4 + 1;
        const double at_x = ends ? x - radius - 14 : x + radius + 14;
        const double at_y = y + LINE * (double)line * (i % 2 == 0 ? 1 : -1);
        if (!put_label(page, labels, at_x, at_y + 4, ends, text))
            continue;
        html_open_f(&page->w, "line", "class=inside axis|x1=%.2f|y1=%.2f|x2=%.2f|y2=%.2f", x, y,
                    ends ? at_x + 2 : at_x - 2, at_y);
        html_close(&page->w);
        return;
    }
}

static void put_names(struct html_page *page, const struct chart_plane *plane, const struct dots *dots,
                      const struct roofline *roofline)
{
    struct labels labels = {.count = 0};
    char text[HTML_HASH_SIZE + NAME_BYTES];

    if (roofline->work_ns > 0)
        put_label(page, &labels, CHART_LEFT + CHART_WIDTH - 13 * CHARACTER,
                  fmax(chart_y(plane, roofline->work_ns) - 5, LINE), false, "compute roof");
    if (roofline->bytes_ns > 0) {
        const double from = fmax(pow(10, plane->x.low), pow(10, plane->y.low) / roofline->bytes_ns);
        put_label(page, &labels, chart_x(plane, from) + 12, chart_y(plane, from * roofline->bytes_ns) - 12, false,
                  "memory roof");
    }
    for (size_t i = 0; i < dots->count && i < NAMED_MAX; i++) {
        const struct dot *dot = &dots->items[i];
        const double radius = 3 + 9 * sqrt(dot->share / dots->total_ns);
        const size_t length = strlen(dot->name);
        if (page->w.redact)
            html_name_hash(dot->name, length, text);
        else if (length > NAME_BYTES)
            snprintf(text, sizeof text, "%.*s\xE2\x80\xA6", (int)utf8_cut(dot->name, NAME_BYTES - 1), dot->name);
        else
            snprintf(text, sizeof text, "%s", dot->name);
        if (dot->intensity > 0 && dot->throughput > 0)
            put_name(page, &labels, chart_x(plane, dot->intensity), chart_y(plane, dot->throughput), radius, text);
    }
}

static void tell_roofs(struct html_page *page, const struct roofline *roofline, bool board)
{
    if (roofline->work_ns > 0)
        html_note(page, "Roof of work: %.9g G%s/s, %s.", roofline->work_ns, board ? "cycle" : "FLOP",
                  roofline->work_source);
    else
        html_note(page, "The compute roof is unknown: pass it with --peak-flops.");
    if (roofline->bytes_ns > 0)
        html_note(page, "Roof of memory: %.9g GB/s, --peak-bandwidth.", roofline->bytes_ns);
    else
        html_note(page, "The memory roof is unknown: pass it with --peak-bandwidth.");
}

static void put_drawing(struct html_page *page, const struct dots *dots)
{
    const struct roofline roofline = roofline_of(&page->workload.facts, page->roofs);
    const struct chart_plane plane = plane_of(dots, &roofline);
    bool board = page->family == CAPTURE_SVP;

    chart_begin_sized(page,
                      board ? "Throughput of the MACs (Gcycle/s) by intensity (cycle/B), both by powers of ten"
                            : "Throughput (GFLOP/s) by intensity (FLOP/B), both by powers of ten",
                      "Operators under the roofs of the chip; the table below has the numbers",
                      CHART_PLANE_HEIGHT + 24);
    chart_roofs(page, &plane, roofline.work_ns, roofline.bytes_ns);
    put_dots(page, &plane, dots);
    const size_t ghosts = put_ghosts(page, &plane, dots);
    chart_scales(page, &plane);
    put_names(page, &plane, dots, &roofline);
    chart_end(page);
    tell_roofs(page, &roofline, board);
    if (ghosts > 0)
        html_note(page, "Circles that are not filled are the base of the longest operators, for the same work.");
    if (dots->left > 0)
        html_note(page, "Only the %zu longest are drawn; %zu more are not.", dots->count, dots->left);
}

int html_put_limits(struct html_page *page, struct err *err)
{
    static const struct html_table bound = {.report = "bound", .subject = "name", .bars = "share"};
    struct dots dots = {.items = NULL};
    int status = html_put_table(page, &bound, NULL, err);

    if (status != 0)
        return status;
    status = roofline_each(page->db, &page->workload, take_row, &dots, err);
    if (dots.count > 0 && status == 0)
        put_drawing(page, &dots);
    for (size_t i = 0; i < dots.count; i++)
        free(dots.items[i].name);
    free(dots.items);
    return status;
}
