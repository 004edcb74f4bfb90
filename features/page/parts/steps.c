/* SPDX-License-Identifier: Apache-2.0 */
/* Steps as bars, and how busy devices are over time. */
#include "features/page/page.h"

#include "base/file/large.h"
#include "base/language.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdlib.h>

#define BARS_MAX 400
#define BREAK 4 /* a bar that is so many times as high as the median breaks the axis */

/* ---- steps ---- */

/* Bars of one group, in their order. */
struct group_bars {
    const struct time_bar **items;
    size_t count;
    int64_t longest_ns, top_ns;     /* top: of the axis, which longer ones break */
    const struct step_group *group; /* NULL: no step of it counts */
};

static void put_stack(struct html_page *page, const struct group_bars *bars, size_t i, double width)
{
    const struct time_bar *bar = bars->items[i];
    const struct split *split = &page->splits.items[bar->split];
    struct html_writer *w = &page->w;
    double y = CHART_HEIGHT;
    char text[NUMBER_MAX];

    html_open(w, "g");
    if (!bar->counts)
        html_attribute(w, "class", "faint");
    html_open(w, "title");
    html_text_f(w, "step %zu: %s us%s", splits_place(&page->splits, bar->split),
                html_us(time_bar_ns(&bar->parts), text),
                splits_is_warmup(&page->splits, bar->split) ? language_shown(", warm-up")
                : split->cut                                ? language_shown(", a part was not recorded")
                                                            : "");
    html_close(w);
    for (int part = 0; part < TIME_PARTS && y > 0; part++) {
        const double whole = CHART_HEIGHT * (double)bar->parts.ns[part] / (double)bars->top_ns;
        const double height = whole < y ? whole : y;
        if (bar->parts.ns[part] == 0)
            continue;
        y -= height;
        html_open_f(w, "rect", "class=%s|x=%.2f|y=%.2f|width=%.2f|height=%.2f", time_part_class((enum time_part)part),
                    CHART_LEFT + width * (double)i, y, width > 3 ? width - 1 : width, height);
        html_close(w);
    }
    if (time_bar_ns(&bar->parts) > bars->top_ns) /* it goes on above the break */
        chart_line(w, "break", CHART_LEFT + width * (double)i, 10, CHART_LEFT + width * ((double)i + 1), 6);
    html_close(w);
}

/* The median of the group in the base, of periods where bars are periods; 0: not known. */
static double base_median(const struct html_page *page, const struct step_group *group)
{
    const struct comparison *comparison = &page->change.comparison;
    char name[GROUP_NAME_SIZE];

    if (!page->change.known || group == NULL)
        return 0;
    splits_group_name(&page->workload, &page->splits, group->group, name);
    const struct compare_rows *rows = group->periods.n > 0 ? &comparison->periods : &comparison->steps;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].base_key != NULL && strcmp(rows->items[i].key, name) == 0)
            return rows->items[i].median_base;
    return 0;
}

/* The base's median beside the bars of --diff. */
static void put_base(struct html_page *page, const struct group_bars *bars, double base)
{
    const double y = CHART_HEIGHT * (1 - base / (double)bars->top_ns);

    if (base > 0 && y >= 0)
        chart_line(&page->w, "base", CHART_LEFT, y, CHART_LEFT + CHART_WIDTH, y);
}

/* Steps that take much longer than the others would make these invisible: the axis ends above those. */
static size_t break_axis(struct group_bars *bars, double median)
{
    size_t outliers = 0;
    int64_t most_ns = 0;

    bars->top_ns = bars->longest_ns;
    if (median <= 0 || (double)bars->longest_ns <= BREAK * median)
        return 0;
    for (size_t i = 0; i < bars->count; large_pass(i++)) {
        const int64_t time_ns = time_bar_ns(&bars->items[i]->parts);
        if ((double)time_ns > BREAK * median)
            outliers++;
        else if (time_ns > most_ns)
            most_ns = time_ns;
    }
    bars->top_ns = most_ns + most_ns / 4 + 1;
    return outliers;
}

static void put_bars(struct html_page *page, struct group_bars *bars, const char *caption)
{
    size_t most = BARS_MAX / (page->groups.count > 1 ? page->groups.count : 1) + 20;
    size_t shown = bars->count < most ? bars->count : most;
    double median = bars->group == NULL          ? 0
                    : bars->group->periods.n > 0 ? bars->group->periods.median
                                                 : bars->group->times.median;
    const double base = base_median(page, bars->group);
    const size_t outliers = break_axis(bars, median);
    double y = CHART_HEIGHT * (1 - median / (double)bars->top_ns);

    chart_begin(page, caption, "Steps as bars; the table below has the numbers");
    for (size_t i = 0; i < shown; i++)
        put_stack(page, bars, i, (double)CHART_WIDTH / (double)shown);
    chart_value_axis(&page->w, CHART_HEIGHT, (double)bars->top_ns, true, "");
    chart_count_axis(&page->w, CHART_HEIGHT, splits_place(&page->splits, bars->items[0]->split), shown);
    if (median > 0 && y >= 0)
        chart_line(&page->w, "median", CHART_LEFT, y, CHART_LEFT + CHART_WIDTH, y);
    put_base(page, bars, base);
    chart_end(page);
    char text[QUANTITY_MAX], of_base[QUANTITY_MAX];
    if (median > 0 && base > 0)
        html_note(page, "The dashed line is the median, %s; the dotted one that of the base, %s.",
                  quantity_time(median, text), quantity_time(base, of_base));
    else if (median > 0)
        html_note(page, "The dashed line is the median, %s.", quantity_time(median, text));
    if (outliers > 0)
        html_note(page, "Bars of %zu steps that take more than %d times the median are cut off.", outliers, BREAK);
    if (bars->count > shown)
        html_note(page, "Only the first %zu steps are drawn; %zu more are not.", shown, bars->count - shown);
}

static void put_step(struct html_page *page, const struct time_bar *bar)
{
    const struct split *split = &page->splits.items[bar->split];
    const char *remark = splits_is_warmup(&page->splits, bar->split) ? LANGUAGE_MARK("warm-up")
                         : split->cut                                ? LANGUAGE_MARK("a part was not recorded")
                         : splits_is_outside(&page->splits, bar->split)
                             ? LANGUAGE_MARK("nothing recorded of the device")
                             : "";

    html_open(&page->w, "tr");
    html_cell_number(page, "%zu", splits_place(&page->splits, bar->split));
    html_cell_at(page, split->start_ns);
    html_cell_us(page, split->own.time_ns);
    html_cell_us(page, split->period.time_ns != NO_PERIOD ? split->period.time_ns : DB_NULL);
    html_cell_us(page, split->own.busy_ns);
    html_cell(page, remark);
    html_close(&page->w);
}

static void put_table(struct html_page *page, const struct group_bars *bars, const char *caption)
{
    static const char *const heads[] = {"#Step", "#Start(us)", "#Time(us)", "#Period(us)", "#Busy(us)", "Remark"};
    size_t shown = 0;
    uint64_t limit = html_table_limit(page);
    char title[GROUP_NAME_SIZE + 96];

    snprintf(title, sizeof title, language_shown("Steps one by one: %s"), caption);
    html_table_begin(page, title, heads, sizeof heads / sizeof *heads);
    while (shown < bars->count && shown < HTML_ROWS_MAX && html_bytes(page) <= limit)
        put_step(page, bars->items[shown++]);
    html_table_end(page);
    if (bars->count > shown)
        html_note(page, "And %zu more, which 'msprof show --table overlap' prints.", bars->count - shown);
}

static void put_group(struct html_page *page, const struct time_bars *all, size_t group, struct group_bars *bars)
{
    char name[GROUP_NAME_SIZE], caption[GROUP_NAME_SIZE + 64];

    bars->count = 0;
    bars->longest_ns = 0;
    bars->group = NULL;
    for (size_t i = 0; i < page->groups.count; i++)
        if (page->groups.items[i].group == group && page->groups.items[i].times.n > 0)
            bars->group = &page->groups.items[i];
    for (size_t i = 0; i < all->count; large_pass(i++)) {
        int64_t time_ns = time_bar_ns(&all->items[i].parts);
        if (all->items[i].group != group)
            continue;
        bars->items[bars->count++] = &all->items[i];
        bars->longest_ns = time_ns > bars->longest_ns ? time_ns : bars->longest_ns;
    }
    if (bars->count == 0 || bars->longest_ns == 0)
        return;
    splits_group_name(&page->workload, &page->splits, group, name);
    snprintf(caption, sizeof caption, "%s",
             page->w.redact ? step_source_name((enum step_source)page->splits.groups.items[group].source) : name);
    if (page->w.redact)
        snprintf(caption + strlen(caption), sizeof caption - strlen(caption), ", group %zu", group + 1);
    put_bars(page, bars, caption);
    put_table(page, bars, caption);
}

#define GROUPS_MAX 16

int html_put_steps(struct html_page *page, struct err *err)
{
    static const struct html_table table = {.report = "steps"};
    struct time_bars all;
    struct group_bars bars = {.count = 0};

    if (page->splits.whole || page->splits.count == 0) {
        html_absent(page, "No steps are marked, and no sequence of operators repeats.");
        return 0;
    }
    if (html_put_table(page, &table, NULL, err) < 0)
        return err_status(err);
    int status = time_bars_make(page, &all, err);
    if (status != 0)
        return status;
    bars.items = calloc(all.count + 1, sizeof *bars.items);
    if (bars.items == NULL)
        status = err_no_memory(err);
    for (size_t group = 0, told = 0; status == 0 && group < page->splits.groups.count && told < GROUPS_MAX; group++)
        if (page->splits.groups.items[group].source == page->splits.source) {
            told++;
            put_group(page, &all, group, &bars);
        }
    free((void *)bars.items);
    time_bars_release(&all);
    return status;
}

/* ---- utilisation ---- */

#define BINS_MAX 500

/* A device's time in bins of equal length, but for the last. */
struct bins {
    int64_t times[BINS_MAX + 1];
    struct time_parts parts[BINS_MAX + 1]; /* from the begin to each of them */
    size_t count;
};

static int64_t bin_ns(const struct bins *bins, size_t i, enum time_part part)
{
    return bins->parts[i + 1].ns[part] - bins->parts[i].ns[part];
}

/* From the first execution of the device to the end of its last, the ends of bins on whole nanoseconds. */
static void make_bins(const struct html_page *page, uint16_t device, struct bins *bins)
{
    const struct workload *workload = &page->workload;
    size_t from = workload_first_at(workload, device, INT64_MIN),
           until = workload_first_at(workload, device, INT64_MAX);
    int64_t end_ns = INT64_MIN;

    bins->count = 0;
    for (size_t i = from; i < until; large_pass(i++)) {
        int64_t last_ns = workload->executions[i].start_ns + workload->executions[i].duration_ns;
        end_ns = last_ns > end_ns ? last_ns : end_ns;
    }
    if (from == until || end_ns <= workload->executions[from].start_ns)
        return;
    int64_t start_ns = workload->executions[from].start_ns, length_ns = interval_length(start_ns, end_ns);
    size_t most = workload->device_count > 4 ? 4 * BINS_MAX / workload->device_count + 1 : BINS_MAX;
    bins->count = length_ns < (int64_t)most ? (size_t)length_ns : most;
    for (size_t i = 0; i <= bins->count; i++)
        bins->times[i] = start_ns + number_scale(length_ns, (int64_t)i, (int64_t)bins->count);
    time_parts_at(workload, device, bins->times, bins->count + 1, bins->parts);
}

static const enum time_part busy_parts[] = {TIME_CUBE,    TIME_VECTOR, TIME_AI_CPU, TIME_EXPOSED,
                                            TIME_WAITING, TIME_COPIES, TIME_OTHER};
#define BUSY_PARTS (sizeof busy_parts / sizeof *busy_parts)

#define BUSY_HEIGHT 60
#define LANE_HEIGHT 24
#define LANE_GAP 5

/* One step-shaped area that stands on `bottom`, for the sum of so many parts. */
static void put_area(struct html_page *page, const struct bins *bins, const enum time_part *parts, size_t count,
                     const char *class, int bottom, int height)
{
    struct html_writer *w = &page->w;
    struct strbuf path;
    double before = 0;

    strbuf_init(&path, (size_t)64 * (BINS_MAX + 2));
    strbuf_addf(&path, "M%d %d", CHART_LEFT, bottom);
    for (size_t i = 0; i < bins->count; i++) {
        const double length = (double)(bins->times[i + 1] - bins->times[i]);
        double share = 0;
        for (size_t k = 0; k < count; k++)
            share += (double)bin_ns(bins, i, parts[k]) / length;
        if (count == 1 && i > 0 && i + 1 < bins->count && share == before) /* of a lane nothing reads the bins */
            continue;
        if (count == 1 && i > 0)
            strbuf_addf(&path, "H%.1f", CHART_LEFT + CHART_WIDTH * (double)i / (double)bins->count);
        strbuf_addf(&path, "V%.2f", bottom - height * share);
        if (count > 1 || i + 1 == bins->count)
            strbuf_addf(&path, "H%.1f", CHART_LEFT + CHART_WIDTH * (double)(i + 1) / (double)bins->count);
        before = share;
    }
    strbuf_addf(&path, "V%dZ", bottom);
    outfile_check(w->out, &path);
    html_open_f(w, "path", "class=%s", class);
    html_attribute(w, "d", path.data);
    html_close(w);
    strbuf_release(&path);
}

/* Where the lane of a part ends; top: that of the lane before. */
static int lane_bottom(int top)
{
    return top + LANE_GAP + LANE_HEIGHT;
}

/* Above how busy the device was, below each part that there is in a lane of its own. */
static void put_utilisation(struct html_page *page, uint16_t device, const struct bins *bins)
{
    static const char *const labels[BUSY_PARTS] = {"cube", "vector", "AI CPU", "exposed", "waiting", "copies", "other"};
    const int64_t from_ns = html_since(page, bins->times[0]), until_ns = html_since(page, bins->times[bins->count]);
    const double base = html_base_busy(page);
    char caption[200], length[QUANTITY_MAX];
    bool there[BUSY_PARTS];
    int height = BUSY_HEIGHT;

    for (size_t k = 0; k < BUSY_PARTS; k++) {
        there[k] = bins->parts[bins->count].ns[busy_parts[k]] > bins->parts[0].ns[busy_parts[k]];
        height = there[k] ? lane_bottom(height) : height;
    }
    snprintf(caption, sizeof caption,
             language_shown(
                 "Device %lld, busy above, by part below, in %zu bins of about %s; times are those of the timeline"),
             (long long)page->workload.devices[device].id, bins->count,
             quantity_time(((double)until_ns - (double)from_ns) / (double)bins->count, length));
    chart_begin_sized(page, caption, "How busy the device was over time, and with which part", height + 24);
    chart_curve(&page->w, BUSY_HEIGHT, from_ns, until_ns, 100, " %");
    put_area(page, bins, busy_parts, BUSY_PARTS, "busy", BUSY_HEIGHT, BUSY_HEIGHT);
    for (size_t k = 0, top = BUSY_HEIGHT; k < BUSY_PARTS; k++) {
        if (!there[k])
            continue;
        top = (size_t)lane_bottom((int)top);
        put_area(page, bins, &busy_parts[k], 1, time_part_class(busy_parts[k]), (int)top, LANE_HEIGHT);
        chart_line(&page->w, "grid", CHART_LEFT, (double)top, CHART_LEFT + CHART_WIDTH, (double)top);
        chart_label(&page->w, "end", CHART_LEFT - 6, (double)top - 8, labels[k]);
    }
    chart_value_axis(&page->w, BUSY_HEIGHT, 100, false, "%");
    chart_time_axis(&page->w, height, from_ns, until_ns);
    if (base >= 0)
        chart_line(&page->w, "base", CHART_LEFT, BUSY_HEIGHT * (1 - base), CHART_LEFT + CHART_WIDTH,
                   BUSY_HEIGHT * (1 - base));
    chart_end(page);
    if (base >= 0)
        html_note(page, "The dotted line is how busy the base was on average: %.2f %%.", 100 * base);
}

/* The drawing in numbers: a row for each of so many bins together. */
#define BINS_TOLD 50

static void put_busy(struct html_page *page, uint16_t device, const struct bins *bins)
{
    static const char *const heads[] = {"#From(us)", "#Until(us)", "#Busy(us)", "#Busy(%)"};
    int64_t busy_ns = 0, whole_ns = bins->times[bins->count] - bins->times[0];
    size_t rows = bins->count < BINS_TOLD ? bins->count : BINS_TOLD;
    char caption[96];

    snprintf(caption, sizeof caption, "Device %" PRId64 " over time", page->workload.devices[device].id);
    html_table_begin(page, caption, heads, sizeof heads / sizeof *heads);
    for (size_t row = 0; row < rows; row++) {
        size_t from = row * bins->count / rows, until = (row + 1) * bins->count / rows;
        int64_t row_ns = 0;
        for (size_t k = 0; k < BUSY_PARTS; k++)
            row_ns += bins->parts[until].ns[busy_parts[k]] - bins->parts[from].ns[busy_parts[k]];
        busy_ns += row_ns;
        html_open(&page->w, "tr");
        html_cell_at(page, bins->times[from]);
        html_cell_at(page, bins->times[until]);
        html_cell_us(page, row_ns);
        html_cell_number(page, "%.2f", 100 * (double)row_ns / (double)(bins->times[until] - bins->times[from]));
        html_close(&page->w);
    }
    html_table_foot(page);
    html_open(&page->w, "tr");
    html_cell(page, "Together");
    html_cell(page, "");
    html_cell_us(page, busy_ns);
    html_cell_number(page, "%.2f", 100 * (double)busy_ns / (double)whole_ns);
    html_close(&page->w);
    html_table_end(page);
}

#define DEVICES_MAX 16

int html_put_utilisation(struct html_page *page, struct err *err)
{
    const struct workload *workload = &page->workload;
    struct bins *bins = calloc(1, sizeof *bins);
    size_t drawn = 0;

    if (bins == NULL)
        return err_no_memory(err);
    if (workload->facts.placed)
        html_absent(page, "Start times of tasks are synthesised, so gaps are meaningless.");
    for (uint16_t device = 0; !workload->facts.placed && device < workload->device_count; device++) {
        make_bins(page, device, bins);
        if (bins->count == 0 || ++drawn > DEVICES_MAX)
            continue;
        if (drawn == 1)
            time_legend_put(page);
        put_utilisation(page, device, bins);
        put_busy(page, device, bins);
    }
    if (drawn > DEVICES_MAX)
        html_note(page, "And %zu more devices.", drawn - DEVICES_MAX);
    if (drawn == 0 && !workload->facts.placed)
        html_absent(page, "Nothing of a device was recorded.");
    free(bins);
    return 0;
}
