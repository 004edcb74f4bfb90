/* SPDX-License-Identifier: Apache-2.0 */
#include "features/opprof/opprof_page.h"

#include "base/language.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DRAWINGS_MAX 16 /* of one part: launches by kinds of cores */
#define LABEL_WIDTH 190.0
#define ROW_HEIGHT 24.0

/* A kind of core in front of "cores". */
static const char *before_cores(const char *core)
{
    return strcmp(core, "AI core") == 0 ? "AI" : core;
}

/* The cells of a table that a part is drawn of. */
struct drawn_row {
    char *cells[HTML_IDS_MAX];
};

struct drawn_rows {
    struct ARRAY_OF(struct drawn_row) items;
    size_t columns;
};

static int take_row(void *arg, const char *const *cells, struct err *err)
{
    struct drawn_rows *rows = arg;
    struct drawn_row row = {.cells = {NULL}};

    if (array_reserve(&rows->items, 1, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < rows->columns; i++) {
        row.cells[i] = strdup(cells[i] != NULL ? cells[i] : "");
        if (row.cells[i] == NULL)
            err_no_memory(err);
    }
    rows->items.items[rows->items.count++] = row;
    return err->code != 0 ? err_status(err) : 0;
}

static int rows_load(struct html_page *page, const char *report, const char *const *ids, size_t count,
                     struct drawn_rows *ret, struct err *err)
{
    *ret = (struct drawn_rows){.columns = count};
    return html_each_row(page, report, ids, count, take_row, ret, err);
}

static void rows_release(struct drawn_rows *rows)
{
    for (size_t i = 0; i < rows->items.count; i++)
        for (size_t k = 0; k < rows->columns; k++)
            free(rows->items.items[i].cells[k]);
    free(rows->items.items);
}

/* NAN: it is none. */
static double number_of(const char *cell)
{
    char *end;
    const double value = strtod(cell, &end);

    return end != cell && *end == '\0' && isfinite(value) ? value : NAN;
}

/* The first columns of each table here. */
enum { LAUNCH, CORE, FIRST };

/* Whether rows are drawn together: those of one launch, and of one kind of core. */
static bool is_together(const struct drawn_row *a, const struct drawn_row *b)
{
    return strcmp(a->cells[LAUNCH], b->cells[LAUNCH]) == 0 && strcmp(a->cells[CORE], b->cells[CORE]) == 0;
}

typedef void draw(struct html_page *page, const struct drawn_row *rows, size_t count);

static void draw_each(struct html_page *page, const struct drawn_rows *rows, draw *one)
{
    size_t drawn = 0, left = 0;

    for (size_t from = 0, until; from < rows->items.count; from = until) {
        for (until = from + 1; until < rows->items.count;)
            if (is_together(&rows->items.items[from], &rows->items.items[until]))
                until++;
            else
                break;
        if (drawn++ < DRAWINGS_MAX)
            one(page, &rows->items.items[from], until - from);
        else
            left++;
    }
    if (left > 0)
        html_note(page, "There are %zu more launches and kinds of cores; the table has them all.", left);
}

/* Draws the rows of a table. */
static int draw_table(struct html_page *page, const char *report, const char *const *ids, size_t count, draw *one,
                      struct err *err)
{
    SCOPED(rows_release) struct drawn_rows rows;

    if (rows_load(page, report, ids, count, &rows, err) < 0)
        return err_status(err);
    draw_each(page, &rows, one);
    return 0;
}

/* Names the launch of a drawing that follows, where there are several. */
static void put_launch(struct html_page *page, const struct drawn_row *row)
{
    if (row->cells[LAUNCH][0] == '\0')
        return;
    html_open(&page->w, "p");
    html_text(&page->w, "Launch ");
    html_name(&page->w, row->cells[LAUNCH], strlen(row->cells[LAUNCH]));
    html_close(&page->w);
}

static void put_title(struct html_writer *w, const char *text)
{
    html_element(w, "title", text);
}

static const char *class_of(const char *core)
{
    return strncmp(core, "vector", 6) == 0 ? "vector" : "cube";
}

/* ---- the operator in a sentence ---- */

enum { OP_NAME = FIRST, OP_TYPE, OP_DURATION, OP_LONGEST, OP_BLOCKS, OP_MIX_BLOCKS, OP_CURRENT, OP_RATED, OP_COLUMNS };
static const char *const operator_ids[] = {"launch",        "core",          "op_name",   "op_type",
                                           "task_duration", "longest_block", "block_dim", "mix_block_dim",
                                           "current_freq",  "rated_freq"};
enum { PIPE = FIRST, PIPE_STATE, PIPE_SHARE, PIPE_MEAN, PIPE_COLUMNS };
static const char *const pipe_ids[] = {"launch", "core", "pipe", "state", "of_core", "mean"};

static bool is_known(const char *cell)
{
    return *cell != '\0' && strcmp(cell, TABLE_MISSING) != 0;
}

static const struct drawn_row *busiest_pipe(const struct drawn_rows *pipes, const char *launch)
{
    const struct drawn_row *found = NULL;

    for (size_t i = 0; i < pipes->items.count; i++) {
        const struct drawn_row *row = &pipes->items.items[i];
        const double share = number_of(row->cells[PIPE_SHARE]);
        if (strcmp(row->cells[LAUNCH], launch) != 0 || strcmp(row->cells[PIPE_STATE], "busy") != 0 || isnan(share))
            continue;
        if (found == NULL || share > number_of(found->cells[PIPE_SHARE]))
            found = row;
    }
    return found;
}

static void put_verdict(struct html_page *page, const struct drawn_row *row, const struct drawn_rows *pipes)
{
    struct html_writer *w = &page->w;
    const struct drawn_row *busiest = busiest_pipe(pipes, row->cells[LAUNCH]);

    put_launch(page, row);
    html_open_f(w, "p", "class=verdict");
    if (is_known(row->cells[OP_NAME]))
        html_name(w, row->cells[OP_NAME], strlen(row->cells[OP_NAME]));
    else
        html_text(w, "An operator whose OpBasicInfo.csv is missing");
    const bool has_blocks = is_known(row->cells[OP_TYPE]) && is_known(row->cells[OP_BLOCKS]);
    if (has_blocks && is_known(row->cells[OP_MIX_BLOCKS]))
        html_text_f(w, " (%s, %s blocks of cube cores and %s of vector cores)", row->cells[OP_TYPE],
                    row->cells[OP_BLOCKS], row->cells[OP_MIX_BLOCKS]);
    else if (has_blocks)
        html_text_f(w, strcmp(row->cells[OP_BLOCKS], "1") == 0 ? " (%s, %s block)" : " (%s, %s blocks)",
                    row->cells[OP_TYPE], row->cells[OP_BLOCKS]);
    if (is_known(row->cells[OP_DURATION]))
        html_text_f(w, " took %s us", row->cells[OP_DURATION]);
    if (is_known(row->cells[OP_LONGEST]))
        html_text_f(w, "%s its longest block %s us", is_known(row->cells[OP_DURATION]) ? "," : ":",
                    row->cells[OP_LONGEST]);
    if (busiest != NULL)
        html_text_f(w, "; the busiest pipe was %s of the %s cores, with %s %% of their time", busiest->cells[PIPE],
                    before_cores(busiest->cells[CORE]), busiest->cells[PIPE_SHARE]);
    if (is_known(row->cells[OP_CURRENT]) && is_known(row->cells[OP_RATED]))
        html_text_f(w, "; the cores ran at %s of %s MHz", row->cells[OP_CURRENT], row->cells[OP_RATED]);
    html_text(w, ".");
    html_close(w);
}

static int put_operator(struct html_page *page, struct err *err)
{
    SCOPED(rows_release) struct drawn_rows operators, pipes = {.columns = 0};

    if (rows_load(page, "operator", operator_ids, OP_COLUMNS, &operators, err) < 0 ||
        rows_load(page, "pipes", pipe_ids, PIPE_COLUMNS, &pipes, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < operators.items.count && i < DRAWINGS_MAX; i++)
        put_verdict(page, &operators.items.items[i], &pipes);
    if (operators.items.count > DRAWINGS_MAX)
        html_note(page, "There are %zu more launches; the table has them all.", operators.items.count - DRAWINGS_MAX);
    return 0;
}

/* ---- pipes ---- */

static void draw_pipes(struct html_page *page, const struct drawn_row *rows, size_t count)
{
    struct html_writer *w = &page->w;
    char caption[128], text[160];
    size_t place = 0, bars = 0;

    for (size_t i = 0; i < count; i++)
        bars += !isnan(number_of(rows[i].cells[PIPE_SHARE]));
    if (bars == 0)
        return;
    put_launch(page, rows);
    snprintf(caption, sizeof caption, language_shown("Pipes of %s cores: share of their time; pipes overlap"),
             before_cores(rows->cells[CORE]));
    chart_begin_sized(page, caption, "Pipes as bars; the table below has the numbers",
                      (int)(ROW_HEIGHT * (double)bars));
    for (size_t i = 0; i < count; i++) {
        const struct drawn_row *row = &rows[i];
        const double share = number_of(row->cells[PIPE_SHARE]), y = ROW_HEIGHT * (double)place;
        const bool busy = strcmp(row->cells[PIPE_STATE], "busy") == 0;
        if (isnan(share))
            continue;
        place++;
        snprintf(text, sizeof text, "%s, %s", row->cells[PIPE], row->cells[PIPE_STATE]);
        chart_label(w, "end", LABEL_WIDTH, y + 16, text);
        html_open_f(w, "rect", "class=%s|x=%.2f|y=%.2f|width=%.2f|height=%.2f",
                    busy ? class_of(row->cells[CORE]) : "waiting", LABEL_WIDTH + 8, y + 3,
                    (CHART_LEFT + CHART_WIDTH - LABEL_WIDTH - 90) * fmin(fmax(share, 0), 100) / 100, ROW_HEIGHT - 6);
        snprintf(text, sizeof text, "%s, %s: %s %%, mean %s us", row->cells[PIPE], row->cells[PIPE_STATE],
                 row->cells[PIPE_SHARE], row->cells[PIPE_MEAN]);
        put_title(w, text);
        html_close(w);
        snprintf(text, sizeof text, "%s %%", row->cells[PIPE_SHARE]);
        chart_label(w, "end", CHART_LEFT + CHART_WIDTH, y + 16, text);
    }
    chart_end(page);
}

static int put_pipes(struct html_page *page, struct err *err)
{
    return draw_table(page, "pipes", pipe_ids, PIPE_COLUMNS, draw_pipes, err);
}

/* ---- blocks ---- */

enum { BLOCK_CORE = FIRST, BLOCK, BLOCK_TIME, BLOCK_OFF, BLOCK_COLUMNS };
static const char *const block_ids[] = {"launch", "", "core", "block", "time", "off_mean"};
#define CELLS_MAX 1024 /* of a drawing */
#define CELLS_OF_LINE 50
#define CELL_SIZE 18.0

/* Rows come by block: here one name of a core after the other. */
static const char *next_core(const struct drawn_row *rows, size_t count, const char *last)
{
    const char *found = NULL;

    for (size_t i = 0; i < count; i++) {
        const char *core = rows[i].cells[BLOCK_CORE];
        if (strcmp(core, last) > 0 && (found == NULL || strcmp(core, found) < 0))
            found = core;
    }
    return found;
}

static void draw_core(struct html_page *page, const struct drawn_row *rows, size_t count, const char *core)
{
    struct html_writer *w = &page->w;
    double longest = 0;
    size_t cells = 0, place = 0;
    char text[160];

    for (size_t i = 0; i < count; i++) {
        const bool here = strcmp(rows[i].cells[BLOCK_CORE], core) == 0 && !isnan(number_of(rows[i].cells[BLOCK_TIME]));
        cells += here;
        if (here)
            longest = fmax(longest, number_of(rows[i].cells[BLOCK_TIME]));
    }
    if (cells == 0)
        return;
    const size_t shown = cells < CELLS_MAX ? cells : CELLS_MAX, lines = (shown + CELLS_OF_LINE - 1) / CELLS_OF_LINE;
    snprintf(text, sizeof text, language_shown("Blocks on %.40s in their order, the stronger the colour, the longer"),
             core);
    chart_begin_sized(page, text, "Times of blocks as a map; the table below has the numbers",
                      (int)(CELL_SIZE * (double)lines));
    for (size_t i = 0; i < count && place < shown; i++) {
        const double time = number_of(rows[i].cells[BLOCK_TIME]);
        if (strcmp(rows[i].cells[BLOCK_CORE], core) != 0 || isnan(time))
            continue;
        const size_t line = place / CELLS_OF_LINE;
        html_open_f(w, "rect", "class=heat|x=%.2f|y=%.2f|width=%.2f|height=%.2f|fill-opacity=%.3f",
                    CHART_LEFT + CELL_SIZE * (double)(place % CELLS_OF_LINE), CELL_SIZE * (double)line, CELL_SIZE - 2,
                    CELL_SIZE - 2, longest > 0 ? 0.08 + 0.92 * fmax(time, 0) / longest : 0.08);
        snprintf(text, sizeof text, language_shown("block %s: %s us, %s %% off the mean"), rows[i].cells[BLOCK],
                 rows[i].cells[BLOCK_TIME], rows[i].cells[BLOCK_OFF]);
        put_title(w, text);
        html_close(w);
        if (place++ % CELLS_OF_LINE == 0)
            chart_label(w, "end", CHART_LEFT - 6, CELL_SIZE * (double)line + 13, rows[i].cells[BLOCK]);
    }
    chart_end(page);
    if (cells > shown)
        html_note(page, "Only the first %zu are drawn; %zu more are not.", shown, cells - shown);
}

static void draw_blocks(struct html_page *page, const struct drawn_row *rows, size_t count)
{
    put_launch(page, rows);
    for (const char *core = ""; (core = next_core(rows, count, core)) != NULL;)
        draw_core(page, rows, count, core);
}

static int put_blocks(struct html_page *page, struct err *err)
{
    return draw_table(page, "blocks", block_ids, BLOCK_COLUMNS, draw_blocks, err);
}

/* ---- roofline ---- */

enum { ROOF_PATH = FIRST, ROOF_INTENSITY, ROOF_DONE, ROOF_WORK, ROOF_OF_PATH, ROOF_COLUMNS };
static const char *const roof_ids[] = {"launch", "core", "path", "intensity", "done", "work_roof", "path_roof"};

/* GB/s; 0: not known. */
static double bandwidth_of(const struct drawn_row *row)
{
    const double roof = number_of(row->cells[ROOF_OF_PATH]), intensity = number_of(row->cells[ROOF_INTENSITY]);

    return roof > 0 && intensity > 0 ? roof / intensity : 0;
}

static void tell_roofs(struct html_page *page, const struct drawn_row *rows, size_t count)
{
    if (number_of(rows->cells[ROOF_WORK]) > 0)
        html_note(page, "Roof of work: %s GOP/s, %s.", rows->cells[ROOF_WORK],
                  strcmp(rows->cells[CORE], "vector") == 0
                      ? language_shown(
                            "as many operations a cycle of the cores in use as in the busy cycles of the vector unit")
                      : language_shown("8192 operations a cycle of the cores in use"));
    else
        html_note(page, "The compute roof is unknown: the files have no operations or no frequency.");
    for (size_t i = 0; i < count; i++) {
        if (bandwidth_of(&rows[i]) > 0)
            html_note(page,
                      "Roof of %s: %s GOP/s at its intensity; its slope is the peak that the shares in Memory.csv are "
                      "of, which is the tool's, times the cores in use.",
                      rows[i].cells[ROOF_PATH], rows[i].cells[ROOF_OF_PATH]);
    }
}

static void draw_roofline(struct html_page *page, const struct drawn_row *rows, size_t count)
{
    struct html_writer *w = &page->w;
    struct chart_plane plane = CHART_PLANE_EMPTY;
    const double work = fmax(number_of(rows->cells[ROOF_WORK]), 0);
    char text[256];

    chart_widen(&plane.y, work);
    for (size_t i = 0; i < count; i++) {
        chart_widen(&plane.x, number_of(rows[i].cells[ROOF_INTENSITY]));
        chart_widen(&plane.y, number_of(rows[i].cells[ROOF_DONE]));
        if (bandwidth_of(&rows[i]) > 0)
            chart_widen(&plane.x, work / bandwidth_of(&rows[i]));
    }
    if (!isfinite(plane.x.low) || !isfinite(plane.y.low))
        return;
    chart_plane_settle(&plane);
    put_launch(page, rows);
    snprintf(text, sizeof text, language_shown("Work of %s cores (GOP/s) by intensity (OP/B), both by powers of ten"),
             before_cores(rows->cells[CORE]));
    chart_begin_sized(page, text, "Paths of memory under their roofs; the table below has the numbers",
                      CHART_PLANE_HEIGHT + 24);
    chart_roofs(page, &plane, work, 0);
    for (size_t i = 0; i < count; i++) {
        const double intensity = number_of(rows[i].cells[ROOF_INTENSITY]), done = number_of(rows[i].cells[ROOF_DONE]);
        if (bandwidth_of(&rows[i]) > 0)
            chart_roofs(page, &plane, work, bandwidth_of(&rows[i]));
        if (!(intensity > 0) || !(done > 0))
            continue;
        html_open_f(w, "circle", "class=dot|cx=%.2f|cy=%.2f|r=5", chart_x(&plane, intensity), chart_y(&plane, done));
        snprintf(text, sizeof text, "%s: %s OP/B, %s GOP/s", rows[i].cells[ROOF_PATH], rows[i].cells[ROOF_INTENSITY],
                 rows[i].cells[ROOF_DONE]);
        put_title(w, text);
        html_close(w);
    }
    chart_scales(page, &plane);
    chart_end(page);
    tell_roofs(page, rows, count);
}

static int put_roofline(struct html_page *page, struct err *err)
{
    return draw_table(page, "roofline", roof_ids, ROOF_COLUMNS, draw_roofline, err);
}

/* ---- paths of memory ---- */

enum { PATH = FIRST, PATH_BYTES, PATH_BANDWIDTH, PATH_MEAN, PATH_USAGE, PATH_COLUMNS };
static const char *const path_ids[] = {"launch", "core", "path", "bytes", "bandwidth", "core_mean", "largest_usage"};

/* Both ends of a path by its name: "GM to UB", "UB read by vector", "L0A write". */
static void ends_of(const char *path, const char *core, char from[64], char to[64])
{
    static const struct {
        const char *word;
        bool backwards;
    } words[] = {{" to ", false}, {" read by ", false}, {" write by ", true}, {" read", false}, {" write", true}};

    snprintf(from, 64, "%s", path);
    snprintf(to, 64, "%s core", core);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = strstr(path, words[i].word), *other = at != NULL ? at + strlen(words[i].word) : NULL;
        if (at == NULL)
            continue;
        snprintf(words[i].backwards ? to : from, 64, "%.*s", (int)(at - path), path);
        if (*other != '\0')
            snprintf(words[i].backwards ? from : to, 64, "%s", other);
        else if (words[i].backwards)
            snprintf(from, 64, "%s core", core);
        return;
    }
}

#define BOX_WIDTH 150.0
#define PATH_HEIGHT 46.0

static void put_box(struct html_writer *w, double x, double y, const char *text)
{
    html_open_f(w, "rect", "class=frame|x=%.2f|y=%.2f|width=%.2f|height=%.2f", x, y + 6, BOX_WIDTH, PATH_HEIGHT - 12);
    html_close(w);
    chart_label(w, "middle", x + BOX_WIDTH / 2, y + PATH_HEIGHT / 2 + 4, text);
}

/* The bandwidth of the task where the path has bytes, else that of a core: bars compare each with its like alone. */
static double shown_bandwidth(const struct drawn_row *row)
{
    const double whole = number_of(row->cells[PATH_BANDWIDTH]);

    return isnan(whole) ? number_of(row->cells[PATH_MEAN]) : whole;
}

static void put_path(struct html_page *page, const struct drawn_row *row, double y, const double largest[2])
{
    struct html_writer *w = &page->w;
    const double left = BOX_WIDTH, right = CHART_LEFT + CHART_WIDTH - BOX_WIDTH, middle = y + PATH_HEIGHT / 2;
    const double bandwidth = shown_bandwidth(row);
    const bool whole = is_known(row->cells[PATH_BANDWIDTH]);
    char from[64], to[64], text[256];

    ends_of(row->cells[PATH], row->cells[CORE], from, to);
    put_box(w, 0, y, from);
    put_box(w, right, y, to);
    if (bandwidth > 0) {
        html_open_f(w, "rect", "class=%s faint|x=%.2f|y=%.2f|width=%.2f|height=8", class_of(row->cells[CORE]), left,
                    middle, (right - left - 10) * bandwidth / largest[whole]);
        html_close(w);
    }
    chart_line(w, "axis", left, middle + 8, right - 8, middle + 8);
    html_open_f(w, "polygon", "class=dot|points=%.2f,%.2f %.2f,%.2f %.2f,%.2f", right - 8, middle + 4, right,
                middle + 8, right - 8, middle + 12);
    html_close(w);
    snprintf(text, sizeof text, "%s%s%s GB/s%s", is_known(row->cells[PATH_BYTES]) ? row->cells[PATH_BYTES] : "",
             is_known(row->cells[PATH_BYTES]) ? " B, " : "", row->cells[whole ? PATH_BANDWIDTH : PATH_MEAN],
             whole ? "" : language_shown(" a core"));
    if (is_known(row->cells[PATH_USAGE]))
        snprintf(text + strlen(text), sizeof text - strlen(text), language_shown(", up to %s %% of the peak"),
                 row->cells[PATH_USAGE]);
    chart_label(w, "middle", (left + right) / 2, middle - 4, text);
}

static void draw_paths(struct html_page *page, const struct drawn_row *rows, size_t count)
{
    double largest[2] = {0, 0}, y = 0; /* of a core, of the task */
    size_t paths = 0;
    char caption[128];

    for (size_t i = 0; i < count; i++) {
        const double bandwidth = shown_bandwidth(&rows[i]);
        paths += !isnan(bandwidth);
        const bool whole = is_known(rows[i].cells[PATH_BANDWIDTH]);
        largest[whole] = fmax(largest[whole], isnan(bandwidth) ? 0 : bandwidth);
    }
    if (paths == 0)
        return;
    put_launch(page, rows);
    snprintf(caption, sizeof caption, language_shown("Paths of %s cores: bytes and bandwidth"),
             before_cores(rows->cells[CORE]));
    chart_begin_sized(page, caption, "Paths between memories as a diagram; the table below has the numbers",
                      (int)(PATH_HEIGHT * (double)paths));
    for (size_t i = 0; i < count; i++) {
        if (isnan(shown_bandwidth(&rows[i])))
            continue;
        put_path(page, &rows[i], y, largest);
        y += PATH_HEIGHT;
    }
    chart_end(page);
}

static int put_paths(struct html_page *page, struct err *err)
{
    return draw_table(page, "memory", path_ids, PATH_COLUMNS, draw_paths, err);
}

/* ---- the page ---- */

const struct html_part opprof_parts[] = {
    {"operator", "Operator", .put = put_operator, .tables = {{.report = "operator"}}},
    {"findings", "Findings", .put = html_put_findings},
    {"pipes", "Pipes", .put = put_pipes, .tables = {{"pipes", .bars = "of_core"}}},
    {"blocks", "Blocks", .put = put_blocks, .tables = {{"blocks", .bars = "mte2"}}},
    {"roofline", "Roofline", .put = put_roofline, .tables = {{"roofline", .bars = "of_roof"}}},
    {"memory", "Memory", .put = put_paths, .tables = {{"memory", .bars = "largest_usage"}, {"l2", .bars = "hit_rate"}}},
    {"conflicts", "Conflicts", .tables = {{"conflicts", .bars = "largest_ratio"}}},
    {"lines", "Lines and instructions", .put = opprof_put_source,
     .tables = {{"lines", .bars = "of_core"}, {"instructions", .bars = "of_core"}}},
    {.title = NULL},
};
