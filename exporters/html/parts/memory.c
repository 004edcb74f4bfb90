/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory as a curve, and who held it at the peak. */
#include "base/strbuf.h"
#include "exporters/html/chart.h"
#include "exporters/html/page.h"
#include "exporters/load/load_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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
    html_open(w, "path");
    html_attribute(w, "class", "held");
    html_attribute(w, "d", path.data);
    html_close(w);
    strbuf_release(&path);
}

static void put_curve(struct html_page *page, const struct memory_curve *curve, size_t from, size_t until)
{
    const struct memory_point *points = &curve->items[from];
    size_t count = until - from;
    const struct memory_point *peak = &curve->items[memory_curve_peak(curve, from, until)];
    int64_t bins[BINS];
    char caption[96], top[32], last[NUMBER_MAX];

    if (count < 2)
        return;
    make_bins(points, count, bins);
    snprintf(caption, sizeof caption, "Device %" PRId64 ": memory that operators held, KiB over us", points[0].device);
    chart_begin(page, caption, "Memory over time; the tables below have the numbers");
    put_steps(page, bins, peak->bytes);
    snprintf(top, sizeof top, "%.3f", (double)peak->bytes / 1024);
    chart_axes(&page->w, top, "0", html_us(points[count - 1].time_ns - points[0].time_ns, last));
    chart_end(page);
}

int html_put_memory(struct html_page *page, struct err *err)
{
    static const struct html_table tables[] = {{.report = "memory_peak", .bars = "share"}, {.report = "memory_curve"}};
    struct intern owners = {.items = NULL};
    struct memory_pieces pieces = {.items = NULL};
    struct memory_curve curve = {.items = NULL};
    size_t devices = 0;
    int status = memory_load(page->db, &owners, &pieces, err);

    if (status == 0)
        status = memory_curve_make(&pieces, &curve, err);
    for (size_t from = 0, until; status == 0 && from < curve.count; from = until) {
        until = memory_curve_end(&curve, from);
        if (++devices <= DEVICES_MAX)
            put_curve(page, &curve, from, until);
    }
    if (devices > DEVICES_MAX)
        html_note(page, "And %zu more devices, which the tables have.", devices - DEVICES_MAX);
    free(curve.items);
    free(pieces.items);
    intern_release(&owners);
    for (size_t i = 0; status == 0 && i < sizeof tables / sizeof *tables; i++)
        status = html_put_table(page, &tables[i], NULL, err);
    return status;
}
