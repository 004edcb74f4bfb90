/* SPDX-License-Identifier: Apache-2.0 */
#include "features/page/page.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/number.h"
#include "base/words.h"

#include <math.h>
#include <stdlib.h>

void chart_begin_sized(struct html_page *page, const char *caption, const char *what, int height)
{
    struct html_writer *w = &page->w;

    page->content = true;
    html_open(w, "figure");
    html_element(w, "figcaption", caption);
    html_open_f(w, "svg", "viewBox=0 0 %d %d|role=img", CHART_LEFT + CHART_WIDTH, height);
    html_attribute(w, "aria-label", what);
}

void chart_begin(struct html_page *page, const char *caption, const char *what)
{
    chart_begin_sized(page, caption, what, CHART_HEIGHT + 24);
}

void chart_line(struct html_writer *w, const char *class, double x1, double y1, double x2, double y2)
{
    html_open_f(w, "line", "class=%s|x1=%.2f|y1=%.2f|x2=%.2f|y2=%.2f", class, x1, y1, x2, y2);
    html_close(w);
}

void chart_label(struct html_writer *w, const char *anchor, double x, double y, const char *text)
{
    html_open_f(w, "text", "text-anchor=%s|x=%.2f|y=%.2f", anchor, x, y);
    html_text(w, text);
    html_close(w);
}

/* A distance of 1, 2 or 5 times a power of ten, of which at most so many are in the length. */
static double tick_distance(double length, int most)
{
    static const double steps[] = {1, 2, 5, 10};
    const double power = pow(10, floor(log10(length / most)));
    size_t i = 0;

    while (i + 1 < sizeof steps / sizeof *steps && length / (power * steps[i]) > most)
        i++;
    return power * steps[i];
}

/* A time with as many digits as ticks at this distance need, in the unit of the largest. */
static void tick_text(double ns, double distance, double largest, char text[QUANTITY_MAX])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double unit_ns = 1;
    size_t unit = 0;

    while (unit + 1 < sizeof units / sizeof *units && fabs(largest) / unit_ns >= 1000) {
        unit_ns *= 1000;
        unit++;
    }
    const double digits = -floor(log10(distance / unit_ns) + 1e-9);
    snprintf(text, QUANTITY_MAX, "%.*f %s", digits > 0 ? (int)digits : 0, ns / unit_ns, units[unit]);
}

void chart_curve(struct html_writer *w, int height, int64_t from_ns, int64_t until_ns, double top, const char *unit)
{
    html_attribute_f(w, "data-high", "%d", height);
    html_attribute_f(w, "data-from", "%.3f", number_us((double)from_ns));
    html_attribute_f(w, "data-until", "%.3f", number_us((double)until_ns));
    html_attribute_f(w, "data-top", "%.3f", top);
    html_attribute(w, "data-unit", unit);
}

#define TICKS_ACROSS 8
#define TICKS_UP 4

void chart_time_axis(struct html_writer *w, int height, int64_t from_ns, int64_t until_ns)
{
    const double from = (double)from_ns, length = (double)until_ns - from;
    char text[QUANTITY_MAX];

    chart_line(w, "axis", CHART_LEFT, height, CHART_LEFT + CHART_WIDTH, height);
    if (length <= 0)
        return;
    const double distance = tick_distance(length, TICKS_ACROSS);
    const double first = ceil(from / distance);
    for (int i = 0; i <= TICKS_ACROSS && (first + i) * distance <= from + length; i++) {
        const double at = (first + i) * distance;
        const double x = CHART_LEFT + CHART_WIDTH * (at - from) / length;
        chart_line(w, "grid", x, 0, x, height);
        tick_text(at, distance, from + length, text);
        if (x < CHART_LEFT + CHART_WIDTH - 40)
            chart_label(w, x < CHART_LEFT + 40 ? "start" : "middle", x, height + 16, text);
    }
}

void chart_value_axis(struct html_writer *w, int height, double top, bool of_times, const char *unit)
{
    char text[QUANTITY_MAX];

    chart_line(w, "axis", CHART_LEFT, 0, CHART_LEFT, height);
    if (top <= 0)
        return;
    const double distance = tick_distance(top, TICKS_UP);
    for (int i = 0; i <= TICKS_UP && i * distance <= top; i++) {
        const double at = i * distance;
        const double y = height * (1 - at / top);
        if (at > 0)
            chart_line(w, "grid", CHART_LEFT, y, CHART_LEFT + CHART_WIDTH, y);
        if (of_times && at > 0)
            tick_text(at, distance, top, text);
        else
            snprintf(text, sizeof text, "%g%s%s", at, at > 0 ? " " : "", at > 0 ? unit : "");
        chart_label(w, "end", CHART_LEFT - 6, fmin(fmax(y + 4, 11), height), text);
    }
}

void chart_count_axis(struct html_writer *w, int height, size_t first, size_t count)
{
    const size_t distance = count > 1 ? (size_t)fmax(tick_distance((double)count, 2 * TICKS_ACROSS), 1) : 1;
    char text[32];

    chart_line(w, "axis", CHART_LEFT, height, CHART_LEFT + CHART_WIDTH, height);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && ((first + i) % distance != 0 || i < (distance + 1) / 2)) /* or too near to the first */
            continue;
        snprintf(text, sizeof text, "%zu", first + i);
        chart_label(w, "middle", CHART_LEFT + CHART_WIDTH * ((double)i + 0.5) / (double)count, height + 16, text);
    }
}

void chart_end(struct html_page *page)
{
    html_close(&page->w);
    html_close(&page->w);
}

void chart_legend(struct html_page *page, const char *const *classes, const char *const *names, size_t count)
{
    struct html_writer *w = &page->w;

    html_open_f(w, "ul", "class=legend");
    for (size_t i = 0; i < count; i++) {
        html_open(w, "li");
        html_open_f(w, "svg", "viewBox=0 0 10 10|aria-hidden=true");
        html_open_f(w, "rect", "width=10|height=10|class=%s", classes[i]);
        html_close(w);
        html_close(w);
        html_text(w, names[i]);
        html_close(w);
    }
    html_close(w);
}

/* ---- planes of powers of ten ---- */

void chart_widen(struct chart_scale *scale, double value)
{
    if (value <= 0 || !isfinite(log10(value)))
        return;
    scale->low = fmin(scale->low, floor(log10(value)));
    scale->high = fmax(scale->high, ceil(log10(value)));
}

static double along(const struct chart_scale *scale, double value)
{
    return (log10(value) - scale->low) / (scale->high - scale->low);
}

double chart_x(const struct chart_plane *plane, double value)
{
    return CHART_LEFT + CHART_WIDTH * along(&plane->x, value);
}

double chart_y(const struct chart_plane *plane, double value)
{
    return CHART_PLANE_HEIGHT * (1 - along(&plane->y, value));
}

void chart_plane_settle(struct chart_plane *plane)
{
    plane->x.high = fmax(plane->x.high, plane->x.low + 1);
    plane->y.high = fmax(plane->y.high, plane->y.low + 1);
}

/* From the left or the bottom of the drawing along the bandwidth to where the roofs meet, or to its end. */
static void put_memory_roof(struct html_page *page, const struct chart_plane *plane, double work, double bandwidth)
{
    double left = pow(10, plane->x.low), right = pow(10, plane->x.high), bottom = pow(10, plane->y.low);
    double top = work > 0 ? work : pow(10, plane->y.high);
    double from = fmax(left, bottom / bandwidth), until = fmin(right, top / bandwidth);

    if (from < until)
        chart_line(&page->w, "roof", chart_x(plane, from), chart_y(plane, from * bandwidth), chart_x(plane, until),
                   chart_y(plane, until * bandwidth));
}

void chart_roofs(struct html_page *page, const struct chart_plane *plane, double work, double bandwidth)
{
    double meet = bandwidth > 0 ? work / bandwidth : 0;
    double from = meet > 0 ? chart_x(plane, fmax(meet, pow(10, plane->x.low))) : CHART_LEFT;

    if (work > 0 && from < CHART_LEFT + CHART_WIDTH)
        chart_line(&page->w, "roof", from, chart_y(plane, work), CHART_LEFT + CHART_WIDTH, chart_y(plane, work));
    if (bandwidth > 0)
        put_memory_roof(page, plane, work, bandwidth);
}

/* A tick for each power of ten, or every so many where there is no room for all. */
#define DECADES 8

void chart_scales(struct html_page *page, const struct chart_plane *plane)
{
    struct html_writer *w = &page->w;
    const int across = (int)ceil((plane->x.high - plane->x.low) / DECADES);
    const int up = (int)ceil((plane->y.high - plane->y.low) / DECADES);
    char text[32];

    chart_line(w, "axis", CHART_LEFT, 0, CHART_LEFT, CHART_PLANE_HEIGHT);
    chart_line(w, "axis", CHART_LEFT, CHART_PLANE_HEIGHT, CHART_LEFT + CHART_WIDTH, CHART_PLANE_HEIGHT);
    for (int i = 0; plane->x.low + i <= plane->x.high; i += across) {
        const double power = plane->x.low + i;
        const double x = chart_x(plane, pow(10, power));
        chart_line(w, "grid", x, 0, x, CHART_PLANE_HEIGHT);
        snprintf(text, sizeof text, "%g", pow(10, power));
        chart_label(w,
                    power + across > plane->x.high ? "end"
                    : power > plane->x.low         ? "middle"
                                                   : "start",
                    x, CHART_PLANE_HEIGHT + 16, text);
    }
    for (int i = 0; plane->y.low + i <= plane->y.high; i += up) {
        const double power = plane->y.low + i;
        const double y = chart_y(plane, pow(10, power));
        chart_line(w, "grid", CHART_LEFT, y, CHART_LEFT + CHART_WIDTH, y);
        snprintf(text, sizeof text, "%g", pow(10, power));
        chart_label(w, "end", CHART_LEFT - 6, fmin(fmax(y + 4, 11), CHART_PLANE_HEIGHT), text);
    }
}

/* ---- bars of time ---- */

int64_t time_bar_ns(const struct time_parts *parts)
{
    int64_t sum = 0;

    for (int part = 0; part < TIME_PARTS; part++)
        sum += parts->ns[part];
    return sum;
}

/* ---- making them ---- */

struct stretch {
    int64_t start_ns, end_ns;
};

static bool has_period(const struct splits *splits, size_t i)
{
    const struct split *split = &splits->items[i];

    return split->period.time_ns != NO_PERIOD && splits_is_recorded(splits, i, &split->period);
}

/* From the begin of a step to that of its neighbour, where all of that was recorded. */
static struct stretch stretch_of(const struct splits *splits, size_t i)
{
    const struct split *split = &splits->items[i];

    return (struct stretch){split->start_ns,
                            has_period(splits, i) ? split->start_ns + split->step->period_ns : split->end_ns};
}

static bool is_leading(const struct splits *splits, size_t i)
{
    return splits->whole || splits->groups.items[splits->items[i].group].source == splits->source;
}

/* The begins and ends of all bars of a device, ascending. */
static size_t take_times(const struct splits *splits, const struct time_bars *bars, size_t from, size_t until,
                         int64_t *times)
{
    size_t count = 0;

    for (size_t i = from; i < until; i++) {
        large_pass(i);
        struct stretch stretch = stretch_of(splits, bars->items[i].split);
        times[count++] = stretch.start_ns;
        times[count++] = stretch.end_ns;
    }
    large_sort(times, count, sizeof *times, array_compare_numbers);
    return count;
}

static const struct time_parts *parts_at(const int64_t *times, const struct time_parts *parts, size_t count,
                                         int64_t time_ns)
{
    const int64_t *at = bsearch(&time_ns, times, count, sizeof *times, array_compare_numbers);

    return &parts[at != NULL ? at - times : 0];
}

static int divide_device(const struct html_page *page, struct time_bars *bars, size_t from, size_t until,
                         struct err *err)
{
    const struct splits *splits = &page->splits;
    size_t most = 2 * (until - from);
    int64_t *times = large_new(most + 1, sizeof *times, err);
    struct time_parts *parts = times != NULL ? large_new(most + 1, sizeof *parts, err) : NULL;

    if (parts != NULL) {
        size_t count = take_times(splits, bars, from, until, times);
        time_parts_at(&page->workload, splits->items[bars->items[from].split].device, times, count, parts);
        for (size_t i = from; i < until; i++) {
            large_pass(i);
            struct stretch stretch = stretch_of(splits, bars->items[i].split);
            const struct time_parts *begin = parts_at(times, parts, count, stretch.start_ns);
            const struct time_parts *end = parts_at(times, parts, count, stretch.end_ns);
            for (int part = 0; part < TIME_PARTS; part++)
                bars->items[i].parts.ns[part] = end->ns[part] - begin->ns[part];
        }
    }
    large_free(parts);
    large_free(times);
    return parts != NULL ? 0 : err_status(err);
}

static int take_splits(const struct splits *splits, struct time_bars *ret, struct err *err)
{
    for (size_t i = 0; i < splits->count; i++) {
        large_pass(i);
        if (!is_leading(splits, i))
            continue;
        if (large_reserve(ret, 1, err) < 0)
            return err_status(err);
        ret->items[ret->count++] = (struct time_bar){
            .split = i,
            .of_base = has_period(splits, i) == (splits->groups.items[splits->items[i].group].periods > 0),
            .group = splits->items[i].group,
            .steps = 1,
            .counts = splits_counts(splits, i) && splits_is_recorded(splits, i, &splits->items[i].own),
        };
    }
    return 0;
}

int time_bars_make(const struct html_page *page, struct time_bars *ret, struct err *err)
{
    const struct splits *splits = &page->splits;

    *ret = (struct time_bars){.items = NULL};
    int status = take_splits(splits, ret, err);
    for (size_t from = 0, until; status == 0 && from < ret->count; from = until) {
        uint16_t device = splits->items[ret->items[from].split].device;
        for (until = from; until < ret->count && splits->items[ret->items[until].split].device == device;)
            large_pass(until++);
        status = divide_device(page, ret, from, until, err);
    }
    if (status != 0)
        time_bars_release(ret);
    return status;
}

void time_bars_release(struct time_bars *bars)
{
    large_free(bars->items);
    *bars = (struct time_bars){.items = NULL};
}

const struct step_group *html_leading_group(const struct html_page *page)
{
    const struct step_group *leading = NULL;

    for (size_t i = 0; i < page->groups.count; i++) {
        const struct step_group *it = &page->groups.items[i];
        bool leads = page->splits.groups.items[it->group].source == page->splits.source;
        if (leads && it->times.n > 0 && (leading == NULL || it->times.total > leading->times.total))
            leading = it;
    }
    return leading;
}

/* ---- drawing them ---- */

ENUM_NAMES(time_part_class, enum time_part, [TIME_CUBE] = "cube", [TIME_VECTOR] = "vector", [TIME_AI_CPU] = "aicpu",
           [TIME_EXPOSED] = "exposed", [TIME_WAITING] = "waiting", [TIME_COPIES] = "copies", [TIME_OTHER] = "other",
           [TIME_UNRECORDED] = "unrecorded", [TIME_FREE] = "free")

void time_legend_put(struct html_page *page)
{
    const char *classes[TIME_PARTS], *names[TIME_PARTS];

    for (int part = 0; part < TIME_PARTS; part++) {
        classes[part] = time_part_class((enum time_part)part);
        names[part] = time_part_title((enum time_part)part, &page->workload.facts);
    }
    chart_legend(page, classes, names, TIME_PARTS);
}

#define BAR_WIDTH 1000

void chart_shares(struct html_writer *w, const char *label, const struct chart_share *shares, size_t count)
{
    double at = 0;

    html_open_f(w, "svg", "viewBox=0 0 %d 34|preserveAspectRatio=none|style=height:2.2rem|role=img", BAR_WIDTH);
    html_attribute(w, "aria-label", label);
    for (size_t i = 0; i < count; i++) {
        double width = BAR_WIDTH * shares[i].share;
        if (width <= 0)
            continue;
        html_open_f(w, "rect", "x=%.2f|y=0|width=%.2f|height=34|class=%s", at, width, shares[i].class);
        html_open(w, "title");
        html_text_f(w, "%s: %.2f %%", shares[i].title, 100 * width / BAR_WIDTH);
        html_close(w);
        html_close(w);
        at += width;
    }
    html_close(w);
}

void time_bar_put(struct html_page *page, const char *caption, const struct time_bar *bar)
{
    struct html_writer *w = &page->w;
    const double whole = (double)time_bar_ns(&bar->parts);
    struct chart_share shares[TIME_PARTS];
    char label[GROUP_NAME_SIZE + 160];

    for (int part = 0; part < TIME_PARTS; part++)
        shares[part] = (struct chart_share){time_part_class((enum time_part)part),
                                            time_part_title((enum time_part)part, &page->workload.facts),
                                            whole > 0 ? (double)bar->parts.ns[part] / whole : 0};
    snprintf(label, sizeof label, "Parts of %s; the table below has the numbers", caption);
    html_open(w, "figure");
    html_element(w, "figcaption", caption);
    chart_shares(w, label, shares, TIME_PARTS);
    html_close(w);
}
