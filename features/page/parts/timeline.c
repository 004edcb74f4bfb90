/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline inside of the page: data for its script, and without scripts a drawing of the median step. */
#include "base/file/large.h"
#include "base/language.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "exporters/json_text.h"
#include "features/page/page.h"
#include "features/page/slices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DATA_MAX ((size_t)16 * 1024 * 1024)
#define STEPS_MAX 2000 /* of the ruler, about, over all devices */
#define RULERS_MAX 16
#define DRAWN_MAX 1500 /* slices of the drawing */
#define LANE_HEIGHT 22
#define LANES_DRAWN 24
#define LABEL_MAX 12 /* bytes of a lane's name in the drawing */

/* ---- which stretches ---- */

static struct slice_stretch stretch_of(const struct html_page *page, const char *name, size_t split)
{
    const struct split *it = &page->splits.items[split];

    return (struct slice_stretch){name, html_since(page, it->start_ns), html_since(page, it->end_ns), 0, 0, 0};
}

static double distance(double a, double b)
{
    return a > b ? a - b : b - a;
}

/* The median, the slowest and the first step of those that count, each once; without steps all there is. */
static size_t choose(const struct html_page *page, struct slice_stretch ret[SLICE_STRETCHES])
{
    const struct step_group *group = page->splits.whole ? NULL : html_leading_group(page);
    size_t first = SIZE_MAX, median = SIZE_MAX, slowest = SIZE_MAX, count = 0;

    for (size_t i = 0; group != NULL && i < page->splits.count; large_pass(i++)) {
        const struct split *it = &page->splits.items[i];
        if (it->group != group->group || !splits_counts(&page->splits, i))
            continue;
        const double time_ns = (double)it->own.time_ns;
        if (first == SIZE_MAX)
            first = i;
        if (median == SIZE_MAX || distance(time_ns, group->times.median) <
                                      distance((double)page->splits.items[median].own.time_ns, group->times.median))
            median = i;
        if (slowest == SIZE_MAX || it->own.time_ns > page->splits.items[slowest].own.time_ns)
            slowest = i;
    }
    if (median == SIZE_MAX) {
        ret[0] = (struct slice_stretch){.name = language_shown("All"), .start_ns = INT64_MIN, .end_ns = INT64_MAX};
        return 1;
    }
    ret[count++] = stretch_of(page, language_shown("Median step"), median);
    if (slowest != median)
        ret[count++] = stretch_of(page, language_shown("Slowest step"), slowest);
    if (first != median && first != slowest)
        ret[count++] = stretch_of(page, language_shown("First step"), first);
    return count;
}

int html_load_timeline(struct html_page *page, struct err *err)
{
    struct slice_stretch stretches[SLICE_STRETCHES];

    slices_init(&page->slices, NULL, 0);
    if (page->workload.facts.placed || page->w.is_markdown)
        return 0;
    const size_t count = choose(page, stretches);
    slices_init(&page->slices, stretches, count);
    return slices_draw(&page->slices, page->db, page->capture->database, page->progress, err) < 0 ||
                   slices_finish(&page->slices, err) < 0
               ? err_status(err)
               : 0;
}

static bool is_there(const struct html_page *page)
{
    return page->slices.order.count > 0 && !page->alone;
}

void html_put_place(struct html_page *page, int64_t time_ns)
{
    struct html_writer *w = &page->w;
    char text[QUANTITY_MAX];

    if (time_ns == INT64_MIN || time_ns == DB_NULL || page->origin_ns == INT64_MIN)
        return;
    html_text(w, " In the timeline at ");
    if (is_there(page)) {
        html_open_f(w, "a", "href=#c%zu-timeline|data-t=%" PRId64, page->number, html_since(page, time_ns));
        html_attribute_f(w, "title", "%.3f us", number_us((double)html_since(page, time_ns)));
        html_text(w, quantity_time((double)html_since(page, time_ns), text));
        html_close(w);
    } else {
        html_put_scaled(page, (double)html_since(page, time_ns));
    }
    html_text(w, ".");
}

/* ---- what launched slices ---- */

static const struct execution *execution_of(const struct html_page *page, const struct slice *slice)
{
    const struct workload *workload = &page->workload;
    const int64_t start_ns = number_add(slice->start_ns, page->origin_ns);
    const char *name = slices_text(&page->slices, slice->name);

    for (uint16_t device = 0; device < workload->device_count; device++) {
        const size_t end = workload_first_at(workload, device, INT64_MAX);
        for (size_t i = workload_first_at(workload, device, start_ns);
             i < end && workload->executions[i].start_ns == start_ns; i++)
            if (strcmp(execution_name(workload, (uint32_t)i), name) == 0)
                return &workload->executions[i];
    }
    return NULL;
}

static int find_calls(struct html_page *page, struct err *err)
{
    const struct launches *launches = &page->paths.launches;
    const struct cann_texts *names = launches->of != NULL && launches->count > 0 ? html_names(page, err) : NULL;

    if (names == NULL)
        return err_status(err);
    for (size_t i = 0; i < page->slices.list.count; i++) {
        struct slice *slice = &page->slices.list.items[i];
        const struct execution *it = slice->class != SLICE_HOST ? execution_of(page, slice) : NULL;
        const uint32_t call = it != NULL ? launches->of[it - page->workload.executions] : LAUNCH_NONE;
        if (call == LAUNCH_NONE)
            continue;
        const struct cann_text text = cann_text(names, launches->calls[call].name, 0);
        if (text.text == NULL)
            continue;
        if (slices_keep(&page->slices, text.text, strlen(text.text), &slice->call, err) < 0)
            return err_status(err);
        slice->called_ns = html_since(page, launches->calls[call].start_ns);
    }
    return 0;
}

/* ---- the data ---- */

/* A name, as the page's tables show it. */
static void put_name(const struct html_page *page, struct strbuf *data, const char *text)
{
    const size_t length = strlen(text);
    char hash[HTML_HASH_SIZE];

    if (page->w.redact && length > 0) {
        html_name_hash(text, length, hash);
        json_text_quote(data, hash, strlen(hash));
    } else {
        json_text_quote(data, text, length);
    }
}

/* Words of this program, and numbers: no name that somebody gave is of these alone. */
static bool is_plain(const char *text)
{
    static const char *const words[] = {"Thread",     "Stream", "stream",        "AI",        "core", "CPU",
                                        "NPU",        "Device", "Hardware",      "Ascend",    "CANN", "HCCL",
                                        "Host",       "host",   "ACL",           "calls",     "of",   "process",
                                        "Inferences", "Plane",  "Communication", "Iterations"};
    while (*text != '\0') {
        const size_t length = strcspn(text, " ,:");
        size_t i = 0;
        while (i < sizeof words / sizeof *words && (strlen(words[i]) != length || memcmp(words[i], text, length) != 0))
            i++;
        if (i == sizeof words / sizeof *words && strspn(text, "0123456789") < length)
            return false;
        text += length;
        text += strspn(text, " ,:");
    }
    return true;
}

static void put_title(const struct html_page *page, struct strbuf *data, const char *text)
{
    if (is_plain(text))
        json_text_quote(data, text, strlen(text));
    else
        put_name(page, data, text);
}

/* Lines about an operator; of redacted pages those that name nothing. */
static void put_detail(const struct html_page *page, struct strbuf *data, const char *text)
{
    static const char type[] = "Type: ", task[] = "Task: "; /* which may be names of operators */
    SCOPED(strbuf_release) struct strbuf kept;

    strbuf_init(&kept, DATA_MAX);
    for (const char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        if (!page->w.redact ||
            (strncmp(line, type, sizeof type - 1) != 0 && strncmp(line, task, sizeof task - 1) != 0)) {
            strbuf_adds(&kept, kept.length > 0 ? "\n" : "");
            strbuf_add(&kept, line, length);
        }
        line += length + (line[length] != '\0');
    }
    json_text_quote(data, kept.data != NULL ? kept.data : "", kept.length);
}

/* Which texts are details: names and calls are the others. */
static void put_texts(const struct html_page *page, struct strbuf *data, const bool *details)
{
    strbuf_adds(data, ",\"texts\":[");
    for (uint32_t i = 0; i < page->slices.texts.count; i++) {
        strbuf_adds(data, i > 0 ? ",\n" : "");
        if (details[i])
            put_detail(page, data, slices_text(&page->slices, i));
        else
            put_name(page, data, slices_text(&page->slices, i));
    }
    strbuf_adds(data, "]");
}

/* How full each bin is, of 64 levels; of what repeats how often. */
static void put_bins(const struct html_page *page, struct strbuf *data, const struct slice_lane *lane)
{
    static const char levels[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
    const double width = (double)page->slices.width_ns;
    size_t last = SLICE_BINS;

    strbuf_adds(data, ",\"b\":\"");
    while (last > 0 && lane->busy[last - 1] == 0)
        last--;
    for (size_t i = 0, next; !page->slices.whole && i < last; i = next) {
        int level = 0;
        for (next = i; next < last; next++) {
            const double share = (double)lane->busy[next] / width;
            const int it = lane->busy[next] == 0 ? 0 : share >= 1 ? 63 : 1 + (int)(62 * share);
            if (next > i && it != level)
                break;
            level = it;
        }
        if (next - i > 4)
            strbuf_addf(data, "%c{%zu}", levels[level], next - i);
        else
            for (size_t k = i; k < next; k++)
                strbuf_addc(data, levels[level]);
    }
    strbuf_adds(data, "\"");
}

static void put_slices(const struct html_page *page, struct strbuf *data, const struct slice_lane *lane)
{
    const struct slice_list *list = &page->slices.list;
    int64_t before_ns = 0;
    bool any = false;

    strbuf_adds(data, ",\"s\":[");
    for (size_t i = 0; i < list->count; i++) {
        const struct slice *slice = &list->items[i];
        if (slice->lane != lane->number)
            continue;
        strbuf_addf(data, "%s%" PRId64 ",%" PRId64 ",%u,%u,%u,%u,%" PRId64, any ? "," : "", slice->start_ns - before_ns,
                    slice->duration_ns, slice->name, slice->detail, slice->class, slice->call,
                    slice->call != 0 ? number_subtract(slice->start_ns, slice->called_ns) : 0);
        before_ns = slice->start_ns;
        any = true;
    }
    strbuf_adds(data, "]");
}

static void put_lanes(const struct html_page *page, struct strbuf *data)
{
    strbuf_adds(data, ",\"lanes\":[");
    for (size_t i = 0; i < page->slices.order.count; i++) {
        const struct slice_lane *lane = page->slices.order.items[i];
        const struct slice_process *process =
            map_get(&page->slices.processes, &(const struct slice_process_key){lane->key.timeline, lane->key.pid});
        SCOPED(strbuf_release) struct strbuf title;
        strbuf_init(&title, DATA_MAX);
        if (process != NULL)
            strbuf_addf(&title, "%s%s%s", slices_text(&page->slices, process->name), process->label != 0 ? ", " : "",
                        slices_text(&page->slices, process->label));
        strbuf_adds(data, i > 0 ? ",\n{\"n\":" : "\n{\"n\":");
        put_title(page, data, slices_text(&page->slices, lane->name));
        strbuf_adds(data, ",\"p\":");
        put_title(page, data, title.data != NULL ? title.data : "");
        put_bins(page, data, lane);
        put_slices(page, data, lane);
        strbuf_adds(data, "}");
    }
    strbuf_adds(data, "]");
}

static bool is_on_ruler(const struct html_page *page, size_t i, uint16_t device)
{
    const struct split *it = &page->splits.items[i];

    return it->device == device && page->splits.groups.items[it->group].source == page->splits.source;
}

/* Steps of a device: start, end and number of each; of more than `most` so many together. */
static void put_row(const struct html_page *page, struct strbuf *data, uint16_t device, size_t most)
{
    const struct splits *splits = &page->splits;
    size_t count = 0, together = 0, first = 0;
    int64_t start_ns = INT64_MAX, end_ns = INT64_MIN;

    for (size_t i = 0; i < splits->count; large_pass(i++))
        count += is_on_ruler(page, i, device);
    const size_t every = count / most + (count % most > 0);
    strbuf_addf(data, "{\"d\":\"Device %" PRId64 "\",\"s\":[", page->workload.devices[device].id);
    for (size_t i = 0, at = 0; i < splits->count; large_pass(i++)) {
        if (!is_on_ruler(page, i, device))
            continue;
        const struct split *it = &splits->items[i];
        first = together == 0 ? splits_place(splits, i) : first;
        start_ns = it->start_ns < start_ns ? it->start_ns : start_ns;
        end_ns = it->end_ns > end_ns ? it->end_ns : end_ns;
        at++;
        if (++together < every && at < count)
            continue;
        strbuf_addf(data, "%s%" PRId64 ",%" PRId64 ",", at > together ? "," : "", html_since(page, start_ns),
                    html_since(page, end_ns));
        if (together > 1)
            strbuf_addf(data, "\"%zu\xE2\x80\x93%zu\"", first, splits_place(splits, i));
        else
            strbuf_addf(data, "%zu", first);
        together = 0;
        start_ns = INT64_MAX;
        end_ns = INT64_MIN;
    }
    strbuf_adds(data, "]}");
}

/* A row for each device that has steps. */
static void put_steps(const struct html_page *page, struct strbuf *data)
{
    const struct step_group *group = page->splits.whole ? NULL : html_leading_group(page);
    size_t rows = 0;

    strbuf_adds(data, ",\"steps\":[");
    for (uint16_t device = 0; group != NULL && device < page->workload.device_count && rows < RULERS_MAX; device++) {
        size_t i = 0;
        while (i < page->splits.count && !is_on_ruler(page, i, device))
            large_pass(i++);
        if (i == page->splits.count)
            continue;
        strbuf_adds(data, rows++ > 0 ? "," : "");
        put_row(page, data, device, STEPS_MAX / page->workload.device_count + 1);
    }
}

static void put_marks(const struct html_page *page, struct strbuf *data)
{
    size_t count = 0;

    strbuf_adds(data, "],\"marks\":[");
    for (size_t i = 0; i < page->advice.rule_count && page->advice.findings[i].fired; i++) {
        const struct finding *finding = &page->advice.findings[i];
        if (finding->time_ns == INT64_MIN)
            continue;
        strbuf_addf(data, "%s[%" PRId64 ",\"%s\"]", count++ > 0 ? "," : "", html_since(page, finding->time_ns),
                    finding->rule->id);
    }
    strbuf_adds(data, "]");
}

static void put_stretches(const struct html_page *page, struct strbuf *data)
{
    const struct slices *slices = &page->slices;

    strbuf_adds(data, ",\"stretches\":[");
    for (size_t i = 0; i < slices->stretch_count; i++) {
        const struct slice_stretch *it = &slices->stretches[i];
        strbuf_addf(data, "%s[%" PRId64 ",%" PRId64 ",\"%s\"]", i > 0 ? "," : "",
                    it->start_ns > slices->first_ns ? it->start_ns : slices->first_ns,
                    it->end_ns < slices->last_ns ? it->end_ns : slices->last_ns, it->name);
    }
    strbuf_adds(data, "]");
}

/* As the text of a script that is none: no byte of it ends the element. */
static void write_data(struct html_page *page, const struct strbuf *data)
{
    const char *at = data->data, *end = at + data->length;

    while (at < end) {
        const char *stop = memchr(at, '<', (size_t)(end - at));
        const size_t length = (size_t)((stop != NULL ? stop : end) - at);
        outfile_write(page->w.out, at, length);
        at += length;
        if (stop != NULL) {
            html_raw(&page->w, "\\u003c");
            at++;
        }
    }
}

static int put_data(struct html_page *page, struct err *err)
{
    const struct slices *slices = &page->slices;
    SCOPED(strbuf_release) struct strbuf data;
    SCOPED_FREE bool *details = scoped_memory(slices->texts.count + 1, sizeof *details);
    struct html_writer *w = &page->w;

    strbuf_init(&data, DATA_MAX);
    if (details == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < slices->list.count; i++)
        details[slices->list.items[i].detail] = true;
    for (size_t i = 0; i < slices->list.count; i++)
        details[slices->list.items[i].name] = details[slices->list.items[i].call] = false;
    strbuf_addf(&data, "{\"from\":%" PRId64 ",\"to\":%" PRId64 ",\"width\":%" PRId64 ",\"whole\":%s", slices->first_ns,
                slices->last_ns > slices->first_ns ? slices->last_ns : number_add(slices->first_ns, 1),
                slices->width_ns, slices->whole ? "true" : "false");
    if (slices->device_first_ns < slices->device_last_ns)
        strbuf_addf(&data, ",\"devices\":[%" PRId64 ",%" PRId64 "]", slices->device_first_ns, slices->device_last_ns);
    put_stretches(page, &data);
    put_steps(page, &data);
    put_marks(page, &data);
    put_texts(page, &data, details);
    put_lanes(page, &data);
    strbuf_adds(&data, "}\n");
    if (data.failed)
        return err_no_memory(err);
    page->data_bytes = data.length;
    html_open_f(w, "script", "type=application/json|class=timeline");
    html_text(w, "");
    write_data(page, &data);
    html_close(w);
    return 0;
}

/* ---- without scripts ---- */

static void put_rect(struct html_page *page, const struct slice *slice, size_t row, const struct slice_stretch *stretch)
{
    static const char *const classes[SLICE_CLASSES] = {
        [SLICE_CUBE] = "cube",   [SLICE_VECTOR] = "vector", [SLICE_AI_CPU] = "aicpu", [SLICE_COMMUNICATION] = "exposed",
        [SLICE_COPY] = "copies", [SLICE_OTHER] = "other",   [SLICE_HOST] = "waiting"};
    const double whole = (double)(stretch->end_ns - stretch->start_ns);
    const double from = fmax((double)(slice->start_ns - stretch->start_ns) / whole, 0);
    const double until = fmin((double)(number_add(slice->start_ns, slice->duration_ns) - stretch->start_ns) / whole, 1);
    const char *name = slices_text(&page->slices, slice->name);
    struct html_writer *w = &page->w;
    char text[QUANTITY_MAX];

    if (from >= 1 || until <= 0)
        return;
    html_open_f(w, "rect", "class=%s|x=%.2f|y=%zu|width=%.2f|height=%d", classes[slice->class],
                CHART_LEFT + CHART_WIDTH * from, row * LANE_HEIGHT + 3, fmax(CHART_WIDTH * (until - from), 0.4),
                LANE_HEIGHT - 6);
    html_open(w, "title");
    html_name(w, name, strlen(name));
    html_text_f(w, ": %s", quantity_time((double)slice->duration_ns, text));
    html_close(w);
    html_close(w);
}

/* The longest slices of the median step, by lane; what is inside of others is left out. */
static void put_drawing(struct html_page *page)
{
    const struct slices *slices = &page->slices;
    struct slice_stretch stretch = slices->stretches[0];
    char caption[160], length[QUANTITY_MAX], from[QUANTITY_MAX], until[QUANTITY_MAX];
    size_t rows = slices->order.count < LANES_DRAWN ? slices->order.count : LANES_DRAWN, drawn = 0, left = 0;

    stretch.start_ns = stretch.start_ns > slices->first_ns ? stretch.start_ns : slices->first_ns;
    stretch.end_ns = stretch.end_ns < slices->last_ns ? stretch.end_ns : slices->last_ns;
    if (stretch.end_ns <= stretch.start_ns)
        return;
    snprintf(caption, sizeof caption, language_shown("%s, %s: from %s to %s after the start of the capture"),
             stretch.name, quantity_time((double)(stretch.end_ns - stretch.start_ns), length),
             quantity_time((double)stretch.start_ns, from), quantity_time((double)stretch.end_ns, until));
    chart_begin_sized(page, caption, "Slices of a step by lane; the tables below have the numbers",
                      (int)rows * LANE_HEIGHT);
    for (size_t row = 0; row < rows; row++) {
        const struct slice_lane *lane = slices->order.items[row];
        const char *name = slices_text(slices, lane->name);
        int64_t covered_ns = INT64_MIN;
        char label[24];
        for (size_t i = 0; i < slices->list.count; i++) {
            const struct slice *slice = &slices->list.items[i];
            const int64_t end_ns = number_add(slice->start_ns, slice->duration_ns);
            if (slice->lane != lane->number || end_ns <= covered_ns || end_ns <= stretch.start_ns ||
                slice->start_ns >= stretch.end_ns)
                continue;
            covered_ns = end_ns;
            if (drawn == DRAWN_MAX) {
                left++;
                continue;
            }
            drawn++;
            put_rect(page, slice, row, &stretch);
        }
        const char *tail = strstr(name, ", ") != NULL ? strstr(name, ", ") + 2 : name; /* of "AI core, stream 0" */
        const size_t bytes = strlen(tail);
        snprintf(label, sizeof label, "%.*s", (int)(bytes > LABEL_MAX ? utf8_cut(tail, LABEL_MAX) : bytes),
                 page->w.redact && !is_plain(name) ? "" : tail);
        chart_label(&page->w, "end", CHART_LEFT - 6, (double)row * LANE_HEIGHT + 15, label);
    }
    chart_end(page);
    if (left > 0)
        html_note(page, "Without scripts %zu more slices are not drawn.", left);
}

int html_put_timeline(struct html_page *page, struct err *err)
{
    const struct slices *slices = &page->slices;
    static const char *const classes[] = {"cube", "vector", "aicpu", "exposed", "copies", "other", "waiting"};
    static const char *const names[] = {LANGUAGE_MARK("Cube operators"),   LANGUAGE_MARK("Vector operators"),
                                        LANGUAGE_MARK("AI CPU operators"), LANGUAGE_MARK("Communication"),
                                        LANGUAGE_MARK("Copies"),           LANGUAGE_MARK("Other tasks"),
                                        LANGUAGE_MARK("Calls of the host")};
    size_t left = 0;

    if (find_calls(page, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < slices->stretch_count; i++)
        left += slices->stretches[i].left;
    chart_legend(page, classes, names, sizeof names / sizeof *names);
    if (put_data(page, err) < 0)
        return err_status(err);
    put_drawing(page);
    if (!slices->whole)
        html_note(page,
                  "The capture has %" PRIu64
                  " slices: grey is how busy a lane was; single slices are those of the steps "
                  "that the buttons show%s.",
                  slices->seen, left > 0 ? language_shown(", without the shortest") : "");
    if (slices->lanes.used > SLICE_LANES_MAX)
        html_note(page, "Only the first %d lanes are drawn; 'msprof export timeline' has all.", SLICE_LANES_MAX);
    return 0;
}
