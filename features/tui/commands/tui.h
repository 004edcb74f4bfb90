/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of msprof tui: a capture, and views of it that share the screen between the head and the line of keys. */
#ifndef MSPROF_FEATURES_TUI_COMMANDS_TUI_H
#define MSPROF_FEATURES_TUI_COMMANDS_TUI_H

#include "cli/capture/captures.h"
#include "db/query/query_cann.h"
#include "exporters/table/grid.h"
#include "features/answers/analysis/advice.h"
#include "features/answers/load/load.h"
#include "features/diff/compare.h"
#include "features/tui/commands/curses.h"

/* What a key led to. */
enum tui_result {
    TUI_STAYS,   /* the view did what there was to do */
    TUI_UNKNOWN, /* the key is not the view's */
    TUI_GOES,    /* to the place of the timeline that tui.lanes is at now */
};

/* Where a view stands on the screen. */
struct tui_area {
    int row, rows, columns;
};

/* ---- list.c: rows of which one is chosen ---- */

struct tui_list {
    size_t row, top; /* the chosen row, the first that is seen */
};
/* Scrolls so that the chosen row is among as many as have room. */
void tui_list_follow(struct tui_list *list, size_t room);
/* Moves among `count` rows, `room` of which are a page; false: the key is none that moves. */
bool tui_list_key(struct tui_list *list, size_t count, size_t room, int key);
/* Rows that have room below two lines of heads. */
size_t tui_list_room(const struct tui_area *area);

/* ---- tables.c: rows of a table of 'msprof show', with the same cells ---- */

/* Rows that are kept; the title of a view says where there are others. */
#define TUI_ROWS_MOST 5000

struct tui_table {
    const char *name; /* of the table */
    char filter[160]; /* as --filter has it; "": none */
    char sort[160];   /* as --sort has it; "": as the table orders its rows */
    bool loaded;
    bool more; /* there are rows that are not kept */
    size_t row_count;
    struct grid grid;
    struct grid_column *columns; /* of the grid */
    char **titles, **ids;        /* of each column, owned */
    int *widths;
    struct tui_list at;
    size_t column; /* the chosen one, and the first that is seen behind the sticky one */
    char why[256]; /* why there is no row */
};

/* ---- lanes.c: the timeline, a row for each stream ---- */

struct tui_lanes {
    int64_t from_ns, until_ns; /* what is seen */
    int64_t first_ns, last_ns; /* of the capture */
    int64_t *longest_ns;       /* of each device: its longest execution */
    struct tui_lane {
        uint16_t device, stream; /* indexes of the workload */
    } * items;
    size_t count, top, lane; /* the first that is seen, the chosen one */
    int64_t at_ns;           /* the chosen time */
    size_t chosen;           /* the execution under it; SIZE_MAX: none */
    int columns;             /* of the last drawing */
};

struct tui {
    struct capture_visit *visit;
    sqlite3 *db;
    struct curses *curses;
    bool ascii;
    struct workload workload;
    struct advice advice;
    int64_t executions;
    struct operator_bounds bounds;
    struct launches launches;
    struct cann_texts names; /* of calls */
    struct tui_lanes lanes;
    struct tui_changes *changes; /* against a base; NULL: there is none */
    struct tui_list finding;
    char message[320]; /* in place of the line of keys, until the next key */
    char search[128];
};

/* ---- talk.c ---- */

void tui_say(struct tui *tui, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says what went wrong. */
void tui_say_error(struct tui *tui, const struct err *err);
/* Asks for a line in place of the line of keys; false: it was left with Escape. */
bool tui_ask(struct tui *tui, const char *question, char *text, size_t size);
/* A length of time with the unit that suits it: "64.980 us". */
#define TUI_TIME_SIZE 32
const char *tui_time(int64_t ns, char text[TUI_TIME_SIZE]);

/* ---- tables.c ---- */

void tui_table_draw(struct tui *tui, struct tui_table *table, const struct tui_area *area);
enum tui_result tui_table_key(struct tui *tui, struct tui_table *table, int key, const struct tui_area *area);
void tui_table_release(struct tui_table *table);

/* ---- lanes.c ---- */

int tui_lanes_open(struct tui *tui, struct err *err);
void tui_lanes_draw(struct tui *tui, const struct tui_area *area);
enum tui_result tui_lanes_key(struct tui *tui, int key, const struct tui_area *area);
void tui_lanes_release(struct tui *tui);
/* Goes to a time; *ret_there false: nothing ran then. */
void tui_lanes_go(struct tui *tui, int64_t time_ns);
/* Goes to the longest execution of the operator with this name; false: it has none. */
bool tui_lanes_go_operator(struct tui *tui, const char *name);

/* ---- changes.c: what differs from a base ---- */

struct tui_changes; /* inside */

/* Compares the capture with a base, which must outlive it. Release it whatever the result. */
int tui_changes_open(struct tui *tui, const struct side *base, struct err *err);
void tui_changes_release(struct tui *tui);
/* "against the base: regression (step_time)"; NULL: there is no base. */
const char *tui_changes_verdict(const struct tui *tui, bool *ret_worse);
void tui_changes_draw(struct tui *tui, const struct tui_area *area);
enum tui_result tui_changes_key(struct tui *tui, int key, const struct tui_area *area);

/* ---- findings.c: findings of 'msprof advise' ---- */

void tui_findings_draw(struct tui *tui, const struct tui_area *area);
enum tui_result tui_findings_key(struct tui *tui, int key, const struct tui_area *area);
size_t tui_findings_count(const struct tui *tui);

#endif
