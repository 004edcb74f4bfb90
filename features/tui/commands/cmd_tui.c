/* SPDX-License-Identifier: Apache-2.0 */
/* msprof tui: a capture to walk through in the terminal. */
#include "base/file/fsutil.h"
#include "base/file/large.h"
#include "base/language.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/statistics.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/screen.h"
#include "features/answers/load/advise.h"
#include "features/diff/commands/bases.h"
#include "features/feature.h"
#include "features/tui/commands/tui.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- views ---- */

#define HEAD_ROWS 4

/* Views by their keys, from 1 on; those without draw are tables of 'msprof show'. */
static const struct view {
    const char *title, *table;
    void (*draw)(struct tui *tui, const struct tui_area *area);
    enum tui_result (*key)(struct tui *tui, int key, const struct tui_area *area);
} views[] = {
    {"Findings", NULL, tui_findings_draw, tui_findings_key},
    {"Timeline", NULL, tui_lanes_draw, tui_lanes_key},
    {"Operators", "ops", NULL, NULL},
    {"Gaps", "gaps", NULL, NULL},
    {"Steps", "overlap", NULL, NULL},
    {"Path", "path", NULL, NULL},
    {"Memory", "memory", NULL, NULL},
    {"Summary", "summary", NULL, NULL},
    {"Changes", NULL, tui_changes_draw, tui_changes_key},
    {"Table", NULL, NULL, NULL}, /* the one that 't' asked for */
};
enum { VIEW_FINDINGS, VIEW_TIMELINE, VIEW_CHANGES = 8, VIEW_TABLE, VIEWS };
_Static_assert(sizeof views / sizeof *views == VIEWS, "each view has a key");

struct session {
    struct tui tui;
    struct tui_table tables[VIEWS];
    char chosen_table[64];
    size_t view;
    struct ARRAY_OF(int64_t) steps; /* their durations, in order */
    double median_ns;
};

/* ---- the head ---- */

/* Views that the capture, or the user, gave something to show. */
static bool is_there(const struct session *session, size_t view)
{
    if (view == VIEW_CHANGES)
        return session->tui.changes != NULL;
    return view != VIEW_TABLE || session->chosen_table[0] != '\0';
}

static void draw_title(const struct session *session, int columns)
{
    const struct tui *tui = &session->tui;
    char text[512];
    int at = 0;

    for (size_t i = 0; i < VIEWS; i++) {
        if (!is_there(session, i))
            continue;
        if (i == VIEW_TABLE)
            snprintf(text, sizeof text, "%s ", session->chosen_table);
        else
            snprintf(text, sizeof text, "%zu %s ", i + 1, language_shown(views[i].title));
        at += curses_put(tui->curses, 0, at, columns - at, i == session->view ? PAINT_CHOSEN : PAINT_HEAD, text);
    }
    snprintf(text, sizeof text, "%s", path_name(tui->visit->directory));
    curses_put(tui->curses, 1, 0, columns, PAINT_HEAD, text);
}

/* What matters most, in one sentence: what is missing, else the first finding. */
static void draw_verdict(const struct session *session, int columns)
{
    const struct tui *tui = &session->tui;
    const size_t findings = tui_findings_count(tui);
    char text[1024];
    bool worse;
    const char *against = tui_changes_verdict(tui, &worse);

    if (against != NULL && tui->advice.problems[0] == '\0') {
        curses_put(tui->curses, 2, 0, columns, worse ? PAINT_ALERT : PAINT_GOOD, against);
        return;
    }
    if (tui->advice.problems[0] != '\0')
        snprintf(text, sizeof text, "%s", tui->advice.problems);
    else if (findings > 0)
        snprintf(text, sizeof text, language_shown("1 of %zu: %s"), findings, tui->advice.findings[0].sentence);
    else
        snprintf(text, sizeof text, "%s",
                 language_shown(tui->executions > 0 ? "no finding" : "no device ran anything"));
    curses_put(tui->curses, 2, 0, columns, tui->advice.problems[0] != '\0' || findings > 0 ? PAINT_ALERT : PAINT_GOOD,
               text);
}

#define OUTLIER 1.25 /* times the median: a step that is as long is marked */

/* A letter for each step, or for the longest of several, by its part of the longest of all. */
static void draw_steps(const struct session *session, int columns)
{
    static const char *const blocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"},
                             *const letters[] = {".", ".", ":", ":", "+", "+", "#", "#"};
    const struct tui *tui = &session->tui;
    char text[160], median[TUI_TIME_SIZE];
    int64_t longest = 1;

    if (session->steps.count == 0) {
        curses_put(tui->curses, 3, 0, columns, PAINT_FAINT, language_shown("no steps"));
        return;
    }
    snprintf(text, sizeof text,
             language_counted_shown("%zu step, median %s ", "%zu steps, median %s ", session->steps.count),
             session->steps.count, tui_time((int64_t)session->median_ns, median));
    const int at = curses_put(tui->curses, 3, 0, columns, PAINT_PLAIN, text), room = columns - at;
    for (size_t i = 0; i < session->steps.count; i++)
        longest = session->steps.items[i] > longest ? session->steps.items[i] : longest;
    const size_t marks =
        session->steps.count < (size_t)(room > 0 ? room : 0) ? session->steps.count : (size_t)(room > 0 ? room : 0);
    for (size_t mark = 0; mark < marks; mark++) {
        int64_t step = 0;
        for (size_t i = mark * session->steps.count / marks; i < (mark + 1) * session->steps.count / marks; i++)
            step = session->steps.items[i] > step ? session->steps.items[i] : step;
        const int eighth = (int)((double)step / (double)longest * 7.999);
        curses_put(tui->curses, 3, at + (int)mark, 1,
                   (double)step > OUTLIER * session->median_ns ? PAINT_ALERT : PAINT_GOOD,
                   (tui->ascii ? letters : blocks)[eighth < 0 ? 0 : eighth]);
    }
}

static void draw_foot(struct session *session, int rows, int columns)
{
    static const char keys_of_lanes[] =
        LANGUAGE_MARK("arrows move  +- zoom  .,next  / search  0 all  e excerpt  t table  ? help  q quit"),
                      keys_of_tables[] = LANGUAGE_MARK(
                          "arrows  s sort  f filter  / search  w write  Enter timeline  t table  ? help  q quit"),
                      keys_of_findings[] =
                          LANGUAGE_MARK("arrows move  Enter timeline  1 to 9, Tab views  t table  ? help  q quit");
    const struct tui *tui = &session->tui;
    const char *keys = session->view == VIEW_TIMELINE   ? keys_of_lanes
                       : session->view == VIEW_FINDINGS ? keys_of_findings
                                                        : keys_of_tables;

    curses_put(tui->curses, rows - 1, 0, columns, tui->message[0] != '\0' ? PAINT_ALERT : PAINT_FAINT,
               tui->message[0] != '\0' ? tui->message : language_shown(keys));
}

static struct tui_area area_of(const struct session *session, int *ret_rows)
{
    int columns;

    curses_size(session->tui.curses, ret_rows, &columns);
    return (struct tui_area){HEAD_ROWS, *ret_rows - HEAD_ROWS - 1, columns};
}

static void draw(struct session *session)
{
    struct tui *tui = &session->tui;
    int rows;
    const struct tui_area area = area_of(session, &rows);

    curses_clear(tui->curses);
    draw_title(session, area.columns);
    draw_verdict(session, area.columns);
    draw_steps(session, area.columns);
    if (area.rows < 4 || area.columns < 40)
        curses_put(tui->curses, rows > HEAD_ROWS ? HEAD_ROWS : 0, 0, area.columns, PAINT_ALERT,
                   language_shown("the terminal is too small: 40 columns, 9 rows"));
    else if (views[session->view].draw != NULL)
        views[session->view].draw(tui, &area);
    else
        tui_table_draw(tui, &session->tables[session->view], &area);
    draw_foot(session, rows, area.columns);
    curses_show(tui->curses, -1, -1);
}

/* ---- keys of all views ---- */

static void show_help(struct session *session)
{
    static const char *const lines[] = {
        LANGUAGE_MARK("1 to 9, Tab     views; 9: the changes against the base of --diff"),
        LANGUAGE_MARK("t               any other table, by its name ('msprof show CAPTURE --table list' lists them)"),
        LANGUAGE_MARK("arrows, PgUp, PgDn, Home, End   move"),
        LANGUAGE_MARK("Enter           go to the place of a finding or a row in the timeline"),
        LANGUAGE_MARK("/ n             search; again"),
        "",
        LANGUAGE_MARK("In tables"),
        LANGUAGE_MARK("left, right     choose a column"),
        LANGUAGE_MARK("s               sort by it: largest first, smallest first, as before"),
        LANGUAGE_MARK("f               filter the rows, as --filter of 'msprof show'"),
        LANGUAGE_MARK("w               write the rows that are left to a file, CSV or Markdown"),
        "",
        LANGUAGE_MARK("In the timeline"),
        LANGUAGE_MARK("+ -  0          zoom; the whole capture"),
        LANGUAGE_MARK(". ,             the next and the previous execution of the stream"),
        LANGUAGE_MARK("e               write what is seen as a timeline file"),
        "",
        LANGUAGE_MARK("^L  q           draw the screen anew; quit"),
    };
    const struct tui *tui = &session->tui;
    int rows, columns;

    curses_size(tui->curses, &rows, &columns);
    curses_clear(tui->curses);
    for (int i = 0; i < (int)(sizeof lines / sizeof *lines) && i < rows - 1; i++)
        curses_put(tui->curses, i, 0, columns, PAINT_PLAIN, language_shown(lines[i]));
    curses_put(tui->curses, rows - 1, 0, columns, PAINT_FAINT, language_shown("any key goes back"));
    curses_show(tui->curses, -1, -1);
    while (!interrupted() && curses_key(tui->curses) == PRESSED_NOTHING)
        ;
}

static void choose_table(struct session *session)
{
    struct tui *tui = &session->tui;
    char name[sizeof session->chosen_table] = "";

    if (!tui_ask(tui, "Table: ", name, sizeof name) || name[0] == '\0')
        return;
    tui_table_release(&session->tables[VIEW_TABLE]);
    memcpy(session->chosen_table, name, sizeof name);
    session->tables[VIEW_TABLE] = (struct tui_table){.name = session->chosen_table};
    session->view = VIEW_TABLE;
}

/* The part of the timeline that is seen, as 'msprof export timeline --from --until' writes it. */
static void write_excerpt(struct session *session)
{
    struct tui *tui = &session->tui;
    const struct tui_lanes *lanes = &tui->lanes;
    char directory[512] = "excerpt", from[64], until[64];

    if (!tui_ask(tui, "Write the timeline of what is seen into the directory: ", directory, sizeof directory) ||
        directory[0] == '\0')
        return;
    const int64_t first = number_subtract(lanes->from_ns, tui->advice.origin_ns),
                  last = number_subtract(lanes->until_ns, tui->advice.origin_ns);
    snprintf(from, sizeof from, "%" PRId64 "ns", first > 0 ? first : 0);
    snprintf(until, sizeof until, "%" PRId64 "ns", last > 0 ? last : 1);
    struct settings settings = *tui->visit->settings;
    const char *path = tui->visit->directory;
    settings.captures = (struct value_list){.values = &path, .count = 1};
    settings.output = directory;
    settings.timeline.from = from;
    settings.timeline.until = until;
    curses_suspend(tui->curses);
    const int status = command_get(COMMAND_EXPORT_TIMELINE)->run(&settings);
    curses_resume(tui->curses);
    if (status == STATUS_DONE || status == STATUS_DATA_PROBLEMS)
        tui_say(tui, "wrote the timeline from %s to %s into '%s'", from, until, directory);
    else
        tui_say(tui, "the timeline was not written: exit status %d of 'msprof export timeline'", status);
}

/* false: it is the last key. */
static bool take_key(struct session *session, int key)
{
    struct tui *tui = &session->tui;
    const size_t wanted = (size_t)(key - '1');
    int rows;
    const struct tui_area area = area_of(session, &rows);

    if (key == 'L' - '@') { /* ^L, as everywhere */
        curses_redraw(tui->curses);
        return true;
    }
    tui->message[0] = '\0';
    if (key >= '1' && key <= '9' && is_there(session, wanted)) {
        session->view = wanted;
        return true;
    }
    const enum tui_result result = views[session->view].key != NULL
                                       ? views[session->view].key(tui, key, &area)
                                       : tui_table_key(tui, &session->tables[session->view], key, &area);
    if (result == TUI_GOES)
        session->view = VIEW_TIMELINE;
    if (result != TUI_UNKNOWN)
        return true;
    if (key == PRESSED_TABULATOR)
        do
            session->view = (session->view + 1) % VIEWS;
        while (!is_there(session, session->view));
    else if (key == '?')
        show_help(session);
    else if (key == 't')
        choose_table(session);
    else if (key == 'e' && session->view == VIEW_TIMELINE)
        write_excerpt(session);
    return key != 'q';
}

/* ---- a capture ---- */

static int take_steps(struct session *session, struct err *err)
{
    const struct workload *workload = &session->tui.workload;
    struct series series;
    SCOPED_FREE int64_t *sorted = NULL;

    for (size_t i = 0; i < workload->step_count; large_pass(i++)) {
        const struct workload_step *step = &workload->steps[i];
        if (step->source != workload->step_source || step->device != workload->steps[0].device)
            continue;
        if (array_add(&session->steps, err, number_subtract(step->end_ns, step->start_ns)) < 0)
            return err_status(err);
    }
    if (session->steps.count == 0)
        return 0;
    sorted = malloc(session->steps.count * sizeof *sorted);
    if (sorted == NULL)
        return err_no_memory(err);
    memcpy(sorted, session->steps.items, session->steps.count * sizeof *sorted);
    if (series_make(&series, sorted, session->steps.count, TICKS_OF_NS, err) < 0)
        return err_status(err);
    session->median_ns = series.median;
    series_release(&series);
    return 0;
}

/* Reads what the views need before they are drawn. */
static int load(struct session *session, struct err *err)
{
    struct tui *tui = &session->tui;
    const struct feature *feature;

    if (feature_of_database(tui->db, &feature, err) < 0)
        return err_status(err);
    if (feature != NULL) /* it has findings and tables */
        return advise(tui->db, NULL, &tui->advice, &tui->executions, err) < 0 ? err_status(err)
                                                                              : tui_lanes_open(tui, err);
    if (workload_load(tui->db, WITH_COUNTERS, &tui->workload, err) < 0 ||
        workload_load_launches(tui->db, &tui->workload, &tui->launches, err) < 0 ||
        (tui->launches.count > 0 && cann_names_load(tui->db, &tui->names, err) < 0) ||
        advise_workload(tui->db, &tui->workload, &tui->launches, NULL, &tui->advice, err) < 0 ||
        operator_bounds_of(&tui->workload, &tui->bounds, err) < 0 || tui_lanes_open(tui, err) < 0 ||
        take_steps(session, err) < 0)
        return err_status(err);
    tui->executions = (int64_t)tui->workload.execution_count;
    const struct bases *bases = tui->visit->context;
    const struct side base = {bases->pointers, bases->count};
    return bases->count > 0 && tui->executions > 0 ? tui_changes_open(tui, &base, err) : 0;
}

static void release(struct session *session)
{
    struct tui *tui = &session->tui;

    for (size_t i = 0; i < VIEWS; i++)
        tui_table_release(&session->tables[i]);
    free(session->steps.items);
    tui_lanes_release(tui);
    tui_changes_release(tui);
    operator_bounds_release(&tui->bounds);
    launches_release(&tui->launches);
    cann_texts_release(&tui->names);
    workload_release(&tui->workload);
    advice_release(&tui->advice);
}

static int browse(struct capture_visit *visit, sqlite3 *db)
{
    struct session session = {.tui = {.visit = visit, .db = db, .ascii = screen_is_ascii()}};
    struct tui *tui = &session.tui;
    struct err err = ERR_INIT;

    for (size_t i = 0; i < VIEWS; i++)
        session.tables[i].name = views[i].table;
    workload_init(&tui->workload);
    const bool opened = load(&session, &err) == 0;
    console_progress_end();
    if (!opened || curses_open(console_colors_stdout(), tui->ascii, &tui->curses, &err) < 0) {
        release(&session);
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    int key = PRESSED_RESIZED;
    while (!interrupted() && (key == PRESSED_NOTHING || take_key(&session, key))) {
        if (key != PRESSED_NOTHING)
            draw(&session);
        key = curses_key(tui->curses);
    }
    curses_close(tui->curses);
    release(&session);
    return STATUS_DONE;
}

static int run_tui(const struct settings *settings)
{
    if (settings->captures.count == 0)
        return console_fail(ERR_USAGE, NULL, "no capture given: pass CAPTURE or -dir DIR; try 'msprof tui --help'");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return console_fail(ERR_USAGE, "'msprof show' and 'msprof advise' print the same tables and findings",
                            "msprof tui needs a terminal, and standard %s is none",
                            isatty(STDIN_FILENO) ? "output" : "input");
    give_large_memory_back();
    struct bases bases = {.items = NULL};
    int status = settings->report.base != NULL ? bases_read(settings, &bases) : STATUS_DONE;
    if (settings->report.base == NULL || bases.count > 0)
        status =
            status_worse(status, captures_query(settings, &settings->captures, visit_open_prepared, browse, &bases));
    bases_release(&bases);
    return status;
}

const struct command command_tui = {
    .path = "tui",
    .people = {.all = true},
    .parent = COMMAND_ROOT,
    .order = 102,
    .summary = "browse captures in the terminal",
    .description = "Opens a screen with the findings, the timeline, operators, gaps, steps, the\n"
                   "critical path and memory of a capture; keys move between them, ? lists them.\n"
                   "Tables, filters and numbers are those of 'msprof show'. Several captures are\n"
                   "opened one after another. With --diff a view has the changes against a base.\n",
    .imports = true,
    .only_answers = true,
    .needs_capture = true,
    EXAMPLES({"look at a capture", "msprof tui JOBX"},
             {"with the changes against another one", "msprof tui captures/JOBB --diff captures/JOBA"}),
    .run = run_tui,
};
