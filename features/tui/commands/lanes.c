/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline: a row for each stream of a device, a column for each stretch of time. The height of a block is the part
 * of the stretch in which something ran. */
#include "base/file/large.h"
#include "base/language.h"
#include "base/number.h"
#include "exporters/export.h"
#include "features/tui/commands/tui.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_WIDTH 14
#define DETAIL_ROWS 4 /* below the lanes: what is under the cursor */
#define MOST_COLUMNS 1024
#define LEAST_NAME 5 /* columns of an execution in which a name has room */

/* ---- which there are ---- */

static int by_place(const void *left, const void *right)
{
    const struct tui_lane *x = left, *y = right;

    return x->device != y->device ? (x->device < y->device ? -1 : 1)
                                  : (x->stream > y->stream) - (x->stream < y->stream);
}

static int64_t end_of(const struct execution *execution)
{
    return number_add(execution->start_ns, execution->duration_ns);
}

static void whole(struct tui_lanes *lanes)
{
    lanes->from_ns = lanes->first_ns;
    lanes->until_ns = lanes->last_ns;
}

int tui_lanes_open(struct tui *tui, struct err *err)
{
    const struct workload *workload = &tui->workload;
    struct tui_lanes *lanes = &tui->lanes;
    SCOPED_FREE bool *seen = scoped_memory(workload->device_count * workload->stream_count + 1, sizeof *seen);

    lanes->longest_ns = calloc(workload->device_count + 1, sizeof *lanes->longest_ns);
    lanes->items = calloc(workload->device_count * workload->stream_count + 1, sizeof *lanes->items);
    if (seen == NULL || lanes->longest_ns == NULL || lanes->items == NULL)
        return err_no_memory(err);
    lanes->first_ns = INT64_MAX;
    lanes->last_ns = INT64_MIN;
    lanes->chosen = SIZE_MAX;
    for (size_t i = 0; i < workload->execution_count; large_pass(i++)) {
        const struct execution *execution = &workload->executions[i];
        bool *lane = &seen[execution->device * workload->stream_count + execution->stream];
        if (!*lane)
            lanes->items[lanes->count++] = (struct tui_lane){execution->device, execution->stream};
        *lane = true;
        if (execution->duration_ns > lanes->longest_ns[execution->device])
            lanes->longest_ns[execution->device] = execution->duration_ns;
        lanes->first_ns = execution->start_ns < lanes->first_ns ? execution->start_ns : lanes->first_ns;
        lanes->last_ns = end_of(execution) > lanes->last_ns ? end_of(execution) : lanes->last_ns;
    }
    if (lanes->count == 0)
        lanes->first_ns = lanes->last_ns = 0;
    qsort(lanes->items, lanes->count, sizeof *lanes->items, by_place);
    lanes->at_ns = lanes->first_ns;
    whole(lanes);
    return 0;
}

void tui_lanes_release(struct tui *tui)
{
    free(tui->lanes.longest_ns);
    free(tui->lanes.items);
    tui->lanes = (struct tui_lanes){.count = 0};
}

/* ---- executions of a lane ---- */

/* The first execution of a device that can reach into a time. */
static size_t first_reaching(const struct tui *tui, uint16_t device, int64_t time_ns)
{
    return workload_first_at(&tui->workload, device, number_subtract(time_ns, tui->lanes.longest_ns[device]));
}

static bool is_of(const struct tui *tui, size_t execution, uint16_t device, int64_t until_ns)
{
    const struct workload *workload = &tui->workload;

    return execution < workload->execution_count && workload->executions[execution].device == device &&
           workload->executions[execution].start_ns < until_ns;
}

/* The execution of the lane that takes most of the stretch; SIZE_MAX: none runs in it. */
static size_t most_of(const struct tui *tui, const struct tui_lane *lane, int64_t from_ns, int64_t until_ns)
{
    size_t found = SIZE_MAX;
    int64_t most = -1;

    for (size_t i = first_reaching(tui, lane->device, from_ns); is_of(tui, i, lane->device, until_ns);
         large_pass(i++)) {
        const struct execution *execution = &tui->workload.executions[i];
        const int64_t start = execution->start_ns > from_ns ? execution->start_ns : from_ns,
                      end = end_of(execution) < until_ns ? end_of(execution) : until_ns;
        if (execution->stream != lane->stream || end_of(execution) <= from_ns || end - start <= most)
            continue;
        most = end - start;
        found = i;
    }
    return found;
}

static const char *name_of(const struct tui *tui, size_t execution)
{
    const struct workload *workload = &tui->workload;

    return workload_text(workload, workload->operators[workload->executions[execution].op].key.name);
}

/* ---- time and columns ---- */

static double column_ns(const struct tui_lanes *lanes)
{
    return (double)number_subtract(lanes->until_ns, lanes->from_ns) / (lanes->columns > 0 ? lanes->columns : 1);
}

static int64_t column_start(const struct tui_lanes *lanes, int column)
{
    return number_add(lanes->from_ns, (int64_t)(column_ns(lanes) * column));
}

static int column_of(const struct tui_lanes *lanes, int64_t time_ns)
{
    const double column = (double)number_subtract(time_ns, lanes->from_ns) / column_ns(lanes);

    return column < 0 ? 0 : column >= lanes->columns ? lanes->columns - 1 : (int)column;
}

/* What is chosen is what takes most of the column under the cursor. */
static void choose(struct tui *tui)
{
    struct tui_lanes *lanes = &tui->lanes;
    const int column = column_of(lanes, lanes->at_ns);

    lanes->chosen = lanes->count > 0 ? most_of(tui, &lanes->items[lanes->lane], column_start(lanes, column),
                                               column_start(lanes, column + 1) + 1)
                                     : SIZE_MAX;
}

/* Moves what is seen, so that the cursor is in it. */
static void follow(struct tui_lanes *lanes)
{
    const int64_t width = number_subtract(lanes->until_ns, lanes->from_ns);

    if (lanes->at_ns >= lanes->from_ns && lanes->at_ns < lanes->until_ns)
        return;
    lanes->from_ns = number_subtract(lanes->at_ns, width / 2);
    lanes->until_ns = number_add(lanes->from_ns, width);
}

#define LEAST_WINDOW_NS 100

static void zoom(struct tui_lanes *lanes, double factor)
{
    const double before = (double)number_subtract(lanes->at_ns, lanes->from_ns) * factor,
                 width = (double)number_subtract(lanes->until_ns, lanes->from_ns) * factor,
                 all = (double)number_subtract(lanes->last_ns, lanes->first_ns);

    if (width < LEAST_WINDOW_NS)
        return;
    if (width >= all) {
        whole(lanes);
        return;
    }
    lanes->from_ns = number_subtract(lanes->at_ns, (int64_t)before);
    lanes->until_ns = number_add(lanes->from_ns, (int64_t)width);
}

static void pan(struct tui_lanes *lanes, double columns)
{
    const int64_t by = (int64_t)(columns * column_ns(lanes)), last = number_subtract(lanes->last_ns, 1);

    lanes->at_ns = number_add(lanes->at_ns, by != 0 ? by : columns < 0 ? -1 : 1);
    if (lanes->at_ns > last)
        lanes->at_ns = last;
    if (lanes->at_ns < lanes->first_ns)
        lanes->at_ns = lanes->first_ns;
    follow(lanes);
}

/* ---- going somewhere ---- */

/* Shows an execution in the middle, with what is around it. */
static void show_execution(struct tui *tui, size_t execution)
{
    struct tui_lanes *lanes = &tui->lanes;
    const struct execution *found = &tui->workload.executions[execution];
    const int64_t width = found->duration_ns < LEAST_WINDOW_NS ? LEAST_WINDOW_NS : found->duration_ns;

    lanes->at_ns = found->start_ns;
    if (width > number_subtract(lanes->until_ns, lanes->from_ns) / 2 || column_ns(lanes) * 2 > (double)width) {
        lanes->from_ns = number_subtract(found->start_ns, width > INT64_MAX / 16 ? width : 5 * width);
        lanes->until_ns = number_add(found->start_ns, width > INT64_MAX / 16 ? width : 10 * width);
    }
    follow(lanes);
    for (size_t i = 0; i < lanes->count; i++)
        if (lanes->items[i].device == found->device && lanes->items[i].stream == found->stream)
            lanes->lane = i;
    lanes->chosen = execution;
}

void tui_lanes_go(struct tui *tui, int64_t time_ns)
{
    const struct workload *workload = &tui->workload;
    size_t best = SIZE_MAX;

    for (uint16_t device = 0; device < workload->device_count; device++) {
        const size_t at = workload_first_at(workload, device, time_ns);
        const bool is_there = is_of(tui, at, device, INT64_MAX);
        if (is_there && (best == SIZE_MAX || workload->executions[at].start_ns < workload->executions[best].start_ns))
            best = at;
    }
    if (best != SIZE_MAX)
        show_execution(tui, best);
    tui->lanes.at_ns = time_ns;
    follow(&tui->lanes);
}

bool tui_lanes_go_operator(struct tui *tui, const char *name)
{
    const struct workload *workload = &tui->workload;
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < workload->execution_count; large_pass(i++))
        if ((best == SIZE_MAX || workload->executions[i].duration_ns > workload->executions[best].duration_ns) &&
            strcmp(name_of(tui, i), name) == 0)
            best = i;
    if (best != SIZE_MAX)
        show_execution(tui, best);
    return best != SIZE_MAX;
}

/* The next execution of the lane, or the one before. */
static void step(struct tui *tui, bool back)
{
    struct tui_lanes *lanes = &tui->lanes;
    const struct tui_lane *lane = lanes->count > 0 ? &lanes->items[lanes->lane] : NULL;
    const struct workload *workload = &tui->workload;

    if (lane == NULL)
        return;
    size_t at = lanes->chosen != SIZE_MAX ? lanes->chosen : workload_first_at(workload, lane->device, lanes->at_ns);
    if (lanes->chosen == SIZE_MAX && !back)
        at--; /* the loop begins behind it */
    while (back ? at-- > 0 : ++at < workload->execution_count) {
        large_pass(at);
        if (workload->executions[at].device == lane->device && workload->executions[at].stream == lane->stream) {
            show_execution(tui, at);
            return;
        }
    }
    tui_say(tui, "no execution %s on this stream", back ? "before" : "behind");
}

/* The next execution behind the cursor, on whichever stream, whose name has the text; from the beginning on behind the
 * last. */
static void search(struct tui *tui)
{
    const struct workload *workload = &tui->workload;
    const struct tui_lanes *lanes = &tui->lanes;
    size_t best[2] = {SIZE_MAX, SIZE_MAX}; /* behind the cursor, before it */

    for (size_t i = 0; i < workload->execution_count; large_pass(i++)) {
        const bool before = workload->executions[i].start_ns < lanes->at_ns ||
                            (i <= lanes->chosen && workload->executions[i].start_ns == lanes->at_ns);
        if ((best[before] == SIZE_MAX ||
             workload->executions[i].start_ns < workload->executions[best[before]].start_ns) &&
            strcasestr(name_of(tui, i), tui->search) != NULL)
            best[before] = i;
    }
    if (best[0] == SIZE_MAX && best[1] == SIZE_MAX)
        tui_say(tui, "no operator has '%s' in its name", tui->search);
    else
        show_execution(tui, best[0] != SIZE_MAX ? best[0] : best[1]);
}

/* ---- drawing ---- */

/* A block by how much of its column is busy. */
static const char *block(const struct tui *tui, double busy)
{
    static const char *const blocks[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"},
                             *const letters[] = {" ", ".", ".", ":", ":", "+", "+", "#", "#"};
    const int eighths = busy <= 0 ? 0 : busy >= 1 ? 8 : 1 + (int)(busy * 7.999);

    return tui->ascii ? letters[eighths] : blocks[eighths > 8 ? 8 : eighths];
}

/* The part of each column in which the lane ran something. */
static void fill_columns(const struct tui *tui, const struct tui_lane *lane, double *busy)
{
    const struct tui_lanes *lanes = &tui->lanes;
    const double width = column_ns(lanes);

    memset(busy, 0, (size_t)lanes->columns * sizeof *busy);
    for (size_t i = first_reaching(tui, lane->device, lanes->from_ns); is_of(tui, i, lane->device, lanes->until_ns);
         large_pass(i++)) {
        const struct execution *execution = &tui->workload.executions[i];
        if (execution->stream != lane->stream || end_of(execution) <= lanes->from_ns)
            continue;
        const double start = (double)number_subtract(execution->start_ns, lanes->from_ns) / width,
                     end = (double)number_subtract(end_of(execution), lanes->from_ns) / width;
        for (int k = start > 0 ? (int)start : 0; k < lanes->columns && k < end; k++) {
            const double low = start > k ? start : k, high = end < k + 1 ? end : k + 1;
            busy[k] += high - low;
        }
    }
}

/* Names of executions that are wide enough, over their blocks. */
static void draw_names(const struct tui *tui, const struct tui_lane *lane, int row)
{
    const struct tui_lanes *lanes = &tui->lanes;

    if ((double)lanes->longest_ns[lane->device] < LEAST_NAME * column_ns(lanes))
        return;
    for (size_t i = first_reaching(tui, lane->device, lanes->from_ns); is_of(tui, i, lane->device, lanes->until_ns);
         large_pass(i++)) {
        const struct execution *execution = &tui->workload.executions[i];
        if (execution->stream != lane->stream || end_of(execution) <= lanes->from_ns)
            continue;
        const int first = column_of(lanes, execution->start_ns), end = column_of(lanes, end_of(execution));
        if (end - first < LEAST_NAME)
            continue;
        const char *name = name_of(tui, i), *slash = strrchr(name, '/');
        curses_put(tui->curses, row, LABEL_WIDTH + first, end - first, PAINT_CHOSEN,
                   slash != NULL && slash[1] != '\0' ? slash + 1 : name);
    }
}

static void draw_lane(const struct tui *tui, size_t number, int row)
{
    const struct tui_lanes *lanes = &tui->lanes;
    const struct tui_lane *lane = &lanes->items[number];
    const int64_t stream = tui->workload.streams[lane->stream].id;
    double busy[MOST_COLUMNS];
    char label[LABEL_WIDTH + 32];

    if (stream >= 0)
        snprintf(label, sizeof label, language_shown("%" PRId64 " stream %" PRId64),
                 tui->workload.devices[lane->device].id, stream);
    else
        snprintf(label, sizeof label, language_shown("%" PRId64 " collective"), tui->workload.devices[lane->device].id);
    curses_put(tui->curses, row, 0, LABEL_WIDTH - 1, number == lanes->lane ? PAINT_CHOSEN : PAINT_HEAD, label);
    fill_columns(tui, lane, busy);
    for (int k = 0; k < lanes->columns; k++)
        curses_put(tui->curses, row, LABEL_WIDTH + k, 1, PAINT_PLAIN, block(tui, busy[k]));
    draw_names(tui, lane, row);
}

static void draw_axis(const struct tui *tui, const struct tui_area *area)
{
    const struct tui_lanes *lanes = &tui->lanes;
    char from[TUI_TIME_SIZE], until[TUI_TIME_SIZE], column[TUI_TIME_SIZE], text[160];

    tui_time(number_subtract(lanes->from_ns, tui->advice.origin_ns), from);
    tui_time(number_subtract(lanes->until_ns, tui->advice.origin_ns), until);
    tui_time((int64_t)column_ns(lanes), column);
    curses_put(tui->curses, area->row, 0, area->columns, PAINT_FAINT, "");
    snprintf(text, sizeof text, language_shown("from %s until %s, a column is %s"), from, until, column);
    curses_put(tui->curses, area->row, LABEL_WIDTH, area->columns - LABEL_WIDTH, PAINT_FAINT, text);
}

/* The call that launched an execution; "": not known. */
static void launch_text(const struct tui *tui, size_t execution, char *text, size_t size)
{
    const struct launches *launches = &tui->launches;

    text[0] = '\0';
    if (launches->of == NULL || launches->of[execution] == LAUNCH_NONE)
        return;
    const struct path_call *call = &launches->calls[launches->of[execution]];
    const struct cann_text name = cann_text(&tui->names, call->name, 0);
    char before[TUI_TIME_SIZE];
    snprintf(text, size, language_shown(", launched by %s %s before"), name.text != NULL ? name.text : "N/A",
             tui_time(number_subtract(tui->workload.executions[execution].start_ns, call->start_ns), before));
}

static void draw_details(const struct tui *tui, const struct tui_area *area)
{
    const struct tui_lanes *lanes = &tui->lanes;
    const struct workload *workload = &tui->workload;
    const int row = area->row + area->rows - DETAIL_ROWS;
    char text[1024], at[TUI_TIME_SIZE], length[TUI_TIME_SIZE], launch[256];

    if (lanes->chosen == SIZE_MAX) {
        snprintf(text, sizeof text, language_shown("nothing runs here at %s"),
                 tui_time(number_subtract(lanes->at_ns, tui->advice.origin_ns), at));
        curses_put(tui->curses, row, 0, area->columns, PAINT_PLAIN, text);
        return;
    }
    const struct execution *execution = &workload->executions[lanes->chosen];
    const struct workload_key *key = &workload->operators[execution->op].key;
    const char *name = name_of(tui, lanes->chosen), *shapes = workload_text(workload, key->shapes),
               *bound = operator_bounds_find(&tui->bounds, name, strlen(name));
    if (bound != NULL && strcmp(bound, "unknown") == 0)
        bound = NULL;
    curses_put(tui->curses, row, 0, area->columns, PAINT_HEAD, name);
    snprintf(text, sizeof text, "%s%s%s", workload_text(workload, key->type), shapes[0] != '\0' ? "  " : "", shapes);
    curses_put(tui->curses, row + 1, 0, area->columns, PAINT_PLAIN, text);
    launch_text(tui, lanes->chosen, launch, sizeof launch);
    snprintf(text, sizeof text, language_shown("at %s for %s%s%s%s"),
             tui_time(number_subtract(execution->start_ns, tui->advice.origin_ns), at),
             tui_time(workload_length_ns(workload, execution), length), bound != NULL ? language_shown(", bound ") : "",
             bound != NULL ? bound : "", launch);
    curses_put(tui->curses, row + 2, 0, area->columns, PAINT_PLAIN, text);
}

static size_t lanes_with_room(const struct tui_area *area)
{
    const int rows = area->rows - DETAIL_ROWS - 2;

    return rows > 1 ? (size_t)rows : 1;
}

void tui_lanes_draw(struct tui *tui, const struct tui_area *area)
{
    struct tui_lanes *lanes = &tui->lanes;
    const size_t room = lanes_with_room(area);
    char mark[2] = "^";

    if (lanes->count == 0) {
        curses_put(tui->curses, area->row, 0, area->columns, PAINT_PLAIN, language_shown("no device ran anything"));
        return;
    }
    lanes->columns = area->columns - LABEL_WIDTH;
    lanes->columns = lanes->columns < 1 ? 1 : lanes->columns > MOST_COLUMNS ? MOST_COLUMNS : lanes->columns;
    lanes->top = lanes->lane < lanes->top ? lanes->lane : lanes->top;
    lanes->top = lanes->lane >= lanes->top + room ? lanes->lane - room + 1 : lanes->top;
    draw_axis(tui, area);
    int row = area->row + 1;
    for (size_t i = lanes->top; i < lanes->count && i < lanes->top + room; i++)
        draw_lane(tui, i, row++);
    curses_put(tui->curses, row, 0, area->columns, PAINT_PLAIN, "");
    curses_put(tui->curses, row, LABEL_WIDTH + column_of(lanes, lanes->at_ns), 1, PAINT_ALERT, mark);
    if (lanes->chosen == SIZE_MAX)
        choose(tui);
    draw_details(tui, area);
}

/* ---- keys ---- */

static void change_lane(struct tui *tui, bool back)
{
    struct tui_lanes *lanes = &tui->lanes;

    if (back && lanes->lane > 0)
        lanes->lane--;
    if (!back && lanes->lane + 1 < lanes->count)
        lanes->lane++;
    choose(tui);
}

static void move(struct tui *tui, double columns)
{
    pan(&tui->lanes, columns);
    choose(tui);
}

static void change_zoom(struct tui *tui, double factor)
{
    zoom(&tui->lanes, factor);
    if (tui->lanes.chosen == SIZE_MAX)
        choose(tui);
}

enum tui_result tui_lanes_key(struct tui *tui, int key, const struct tui_area *area)
{
    (void)area;
    switch (key) {
    case PRESSED_UP:
        change_lane(tui, true);
        break;
    case PRESSED_DOWN:
        change_lane(tui, false);
        break;
    case PRESSED_LEFT:
        move(tui, -1);
        break;
    case PRESSED_RIGHT:
        move(tui, 1);
        break;
    case PRESSED_PAGE_UP:
        move(tui, -tui->lanes.columns);
        break;
    case PRESSED_PAGE_DOWN:
        move(tui, tui->lanes.columns);
        break;
    case PRESSED_FIRST:
        tui_lanes_go(tui, tui->lanes.first_ns);
        break;
    case PRESSED_LAST:
        tui_lanes_go(tui, number_subtract(tui->lanes.last_ns, 1));
        choose(tui);
        break;
    case '+':
    case '=':
        change_zoom(tui, 0.5);
        break;
    case '-':
        change_zoom(tui, 2);
        break;
    case '0':
        whole(&tui->lanes);
        break;
    case '.':
    case ',':
        step(tui, key == ',');
        break;
    case '/':
        if (!tui_ask(tui, "Operator whose name has: ", tui->search, sizeof tui->search))
            break;
        /* fall through */
    case 'n':
        if (tui->search[0] != '\0')
            search(tui);
        break;
    default:
        return TUI_UNKNOWN;
    }
    return TUI_STAYS;
}
