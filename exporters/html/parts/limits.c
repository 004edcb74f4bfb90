/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of operators: by their counters, and under the roofs of the chip. */
#include "base/array.h"
#include "exporters/html/page.h"
#include "exporters/load/load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOTS_MAX 500
#define ROOF_HEIGHT 300

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

/* The powers of ten that the drawing is between. */
struct scale {
    double low, high; /* exponents */
};

static void widen(struct scale *scale, double value)
{
    if (value <= 0 || !isfinite(log10(value)))
        return;
    scale->low = fmin(scale->low, floor(log10(value)));
    scale->high = fmax(scale->high, ceil(log10(value)));
}

static double along(const struct scale *scale, double value)
{
    return (log10(value) - scale->low) / (scale->high - scale->low);
}

struct plane {
    struct scale x, y;
};

static double x_of(const struct plane *plane, double value)
{
    return CHART_LEFT + CHART_WIDTH * along(&plane->x, value);
}

static double y_of(const struct plane *plane, double value)
{
    return ROOF_HEIGHT * (1 - along(&plane->y, value));
}

static struct plane plane_of(const struct dots *dots, const struct roofline *roofline)
{
    struct plane plane = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};

    for (size_t i = 0; i < dots->count; i++) {
        widen(&plane.x, dots->items[i].intensity);
        widen(&plane.y, dots->items[i].throughput);
    }
    if (roofline->work_ns > 0)
        widen(&plane.y, roofline->work_ns);
    if (roofline->work_ns > 0 && roofline->bytes_ns > 0)
        widen(&plane.x, roofline->work_ns / roofline->bytes_ns);
    plane.x.high = fmax(plane.x.high, plane.x.low + 1);
    plane.y.high = fmax(plane.y.high, plane.y.low + 1);
    return plane;
}

/* From the left or the bottom of the drawing along the bandwidth to where the roofs meet, or to its end. */
static void put_memory_roof(struct html_page *page, const struct plane *plane, const struct roofline *roofline)
{
    double left = pow(10, plane->x.low), right = pow(10, plane->x.high), bottom = pow(10, plane->y.low);
    double top = roofline->work_ns > 0 ? roofline->work_ns : pow(10, plane->y.high);
    double from = fmax(left, bottom / roofline->bytes_ns), until = fmin(right, top / roofline->bytes_ns);

    if (from < until)
        chart_line(&page->w, "roof", x_of(plane, from), y_of(plane, from * roofline->bytes_ns), x_of(plane, until),
                   y_of(plane, until * roofline->bytes_ns));
}

static void put_roofs(struct html_page *page, const struct plane *plane, const struct roofline *roofline)
{
    double meet = roofline->bytes_ns > 0 ? roofline->work_ns / roofline->bytes_ns : 0;
    double from = meet > 0 ? x_of(plane, fmax(meet, pow(10, plane->x.low))) : CHART_LEFT;

    if (roofline->work_ns > 0 && from < CHART_LEFT + CHART_WIDTH)
        chart_line(&page->w, "roof", from, y_of(plane, roofline->work_ns), CHART_LEFT + CHART_WIDTH,
                   y_of(plane, roofline->work_ns));
    if (roofline->bytes_ns > 0)
        put_memory_roof(page, plane, roofline);
}

static void put_dots(struct html_page *page, const struct plane *plane, const struct dots *dots)
{
    struct html_writer *w = &page->w;

    for (size_t i = 0; i < dots->count; i++) {
        const struct dot *dot = &dots->items[i];
        html_open_f(w, "circle", "class=dot|cx=%.2f|cy=%.2f|r=%.2f", x_of(plane, dot->intensity),
                    y_of(plane, dot->throughput), 3 + 9 * sqrt(dot->share / dots->total_ns));
        html_open(w, "title");
        html_name(w, dot->name, strlen(dot->name));
        html_close(w);
        html_close(w);
    }
}

static void put_scales(struct html_page *page, const struct plane *plane)
{
    char text[32];

    chart_line(&page->w, "axis", CHART_LEFT, 0, CHART_LEFT, ROOF_HEIGHT);
    chart_line(&page->w, "axis", CHART_LEFT, ROOF_HEIGHT, CHART_LEFT + CHART_WIDTH, ROOF_HEIGHT);
    for (int end = 0; end < 2; end++) {
        snprintf(text, sizeof text, "%g", pow(10, end ? plane->x.high : plane->x.low));
        chart_label(&page->w, end ? "end" : "start", CHART_LEFT + end * CHART_WIDTH, ROOF_HEIGHT + 16, text);
        snprintf(text, sizeof text, "%g", pow(10, end ? plane->y.high : plane->y.low));
        chart_label(&page->w, "end", CHART_LEFT - 6, end ? 11 : ROOF_HEIGHT, text);
    }
}

static void tell_roofs(struct html_page *page, const struct roofline *roofline, bool board)
{
    if (roofline->work_ns > 0)
        html_note(page, "Roof of work: %.9g G%s/s, %s.", roofline->work_ns, board ? "cycle" : "FLOP",
                  roofline->work_source);
    else
        html_note(page, "No roof of work is known: --peak-flops tells it.");
    if (roofline->bytes_ns > 0)
        html_note(page, "Roof of memory: %.9g GB/s, --peak-bandwidth.", roofline->bytes_ns);
    else
        html_note(page, "No roof of memory is known: --peak-bandwidth tells it.");
}

static void put_drawing(struct html_page *page, const struct dots *dots)
{
    const struct roofline roofline = roofline_of(&page->workload.facts, page->roofs);
    const struct plane plane = plane_of(dots, &roofline);
    bool board = page->family == CAPTURE_SVP;

    chart_begin_sized(page,
                      board ? "Throughput of the MACs (Gcycle/s) by intensity (cycle/B), both by powers of ten"
                            : "Throughput (GFLOP/s) by intensity (FLOP/B), both by powers of ten",
                      "Operators under the roofs of the chip; the table below has the numbers", ROOF_HEIGHT + 24);
    put_roofs(page, &plane, &roofline);
    put_dots(page, &plane, dots);
    put_scales(page, &plane);
    chart_end(page);
    tell_roofs(page, &roofline, board);
    if (dots->left > 0)
        html_note(page, "The %zu with most time are drawn; there are %zu more.", dots->count, dots->left);
}

int html_put_limits(struct html_page *page, struct err *err)
{
    static const struct html_table bound = {.report = "bound", .bars = "share"};
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
