/* SPDX-License-Identifier: Apache-2.0 */
/* The changes against a base: what 'msprof diff' compares, the largest first, in the colors of its verdicts. */
#include "base/language.h"
#include "base/number.h"
#include "features/diff/compare_workload.h"
#include "features/tui/commands/tui.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of an operator, a gap or a call that stands on one side alone the other has no times. */
struct change {
    const struct compare_row *row;
    const char *what;
};

struct tui_changes {
    struct profile profile; /* of the capture */
    struct comparison comparison;
    bool compared;
    struct ARRAY_OF(struct change) items;
    struct tui_list at;
    char verdict[512];
};

static int add_rows(struct tui_changes *changes, const struct compare_rows *rows, const char *what, struct err *err)
{
    for (size_t i = 0; i < rows->count && i < TUI_ROWS_MOST; i++) {
        const struct change change = {&rows->items[i], what};
        if (array_add(&changes->items, err, change) < 0)
            return err_status(err);
    }
    return 0;
}

static double change_ns(const struct change *change)
{
    return change->row->total_new - change->row->total_base;
}

/* Rows with a verdict of their own first, then the largest change. */
static int by_weight(const void *left, const void *right)
{
    const struct change *x = left, *y = right;
    const bool judged_x = x->row->verdict > ROW_NOISE, judged_y = y->row->verdict > ROW_NOISE;
    const double size_x = change_ns(x) < 0 ? -change_ns(x) : change_ns(x),
                 size_y = change_ns(y) < 0 ? -change_ns(y) : change_ns(y);

    if (judged_x != judged_y)
        return judged_x ? -1 : 1;
    if (size_x != size_y)
        return size_x > size_y ? -1 : 1;
    return strcmp(x->row->key, y->row->key);
}

static void write_verdict(struct tui_changes *changes, const struct comparison *comparison)
{
    int used = snprintf(changes->verdict, sizeof changes->verdict, language_shown("against the base: %s"),
                        language_shown(compare_verdict_name(comparison->verdict)));
    const char *between = " (";

    for (int cause = 0; cause < VERDICT_CAUSES && comparison->verdict == VERDICT_REGRESSION; cause++) {
        if (!comparison->causes[cause] || used >= (int)sizeof changes->verdict - 64)
            continue;
        used += snprintf(changes->verdict + used, sizeof changes->verdict - (size_t)used, "%s%s", between,
                         language_shown(compare_cause_name(cause)));
        between = ", ";
    }
    if (strcmp(between, ", ") == 0)
        snprintf(changes->verdict + used, sizeof changes->verdict - (size_t)used, ")");
}

int tui_changes_open(struct tui *tui, const struct side *base, struct err *err)
{
    struct tui_changes *changes = calloc(1, sizeof *changes);

    tui->changes = changes;
    if (changes == NULL)
        return err_no_memory(err);
    if (compare_workload(tui->db, &tui->workload, tui->visit->shown, base, &changes->profile, &changes->comparison,
                         err) < 0)
        return err_status(err);
    changes->compared = true;
    write_verdict(changes, &changes->comparison);
    if (add_rows(changes, &changes->comparison.rows, "operator", err) < 0 ||
        add_rows(changes, &changes->comparison.gaps, "gap", err) < 0 ||
        add_rows(changes, &changes->comparison.calls, "call", err) < 0)
        return err_status(err);
    array_sort(changes->items.items, changes->items.count, sizeof *changes->items.items, by_weight);
    return 0;
}

void tui_changes_release(struct tui *tui)
{
    struct tui_changes *changes = tui->changes;

    if (changes == NULL)
        return;
    if (changes->compared) {
        comparison_release(&changes->comparison);
        profile_release(&changes->profile);
    }
    free(changes->items.items);
    free(changes);
    tui->changes = NULL;
}

const char *tui_changes_verdict(const struct tui *tui, bool *ret_worse)
{
    *ret_worse = tui->changes != NULL && tui->changes->comparison.verdict == VERDICT_REGRESSION;
    return tui->changes != NULL ? tui->changes->verdict : NULL;
}

/* ---- drawing ---- */

#define NUMBERS_WIDTH 56

static enum paint paint_of(const struct tui_changes *changes, size_t i)
{
    const enum row_verdict verdict = changes->items.items[i].row->verdict;

    if (i == changes->at.row)
        return PAINT_CHOSEN;
    return verdict == ROW_REGRESSION ? PAINT_ALERT : verdict == ROW_IMPROVEMENT ? PAINT_GOOD : PAINT_PLAIN;
}

/* What stands behind a row. */
static const char *mark_of(const struct compare_row *row)
{
    if (row->base_key == NULL || row->new_key == NULL)
        return row->new_key != NULL ? " new" : "gone";
    return row->verdict == ROW_REGRESSION ? "  !!" : row->verdict == ROW_IMPROVEMENT ? "  ok" : "";
}

static void draw_change(const struct tui *tui, const struct tui_area *area, int row, size_t i)
{
    const struct change *change = &tui->changes->items.items[i];
    const enum paint paint = paint_of(tui->changes, i);
    const int names = area->columns - NUMBERS_WIDTH;
    char text[128], base[32] = "N/A", own[32] = "N/A";

    if (change->row->base_key != NULL)
        snprintf(base, sizeof base, "%.3f", number_us(change->row->total_base));
    if (change->row->new_key != NULL)
        snprintf(own, sizeof own, "%.3f", number_us(change->row->total_new));
    curses_put(tui->curses, row, 0, names, paint, change->row->key);
    snprintf(text, sizeof text, "  %-8s %+13.3f %13s %13s", change->what, number_us(change_ns(change)), base, own);
    curses_put(tui->curses, row, names, NUMBERS_WIDTH - 4, paint, text);
    curses_put(tui->curses, row, area->columns - 4, 4, paint, mark_of(change->row));
}

void tui_changes_draw(struct tui *tui, const struct tui_area *area)
{
    struct tui_changes *changes = tui->changes;
    const size_t room = tui_list_room(area);
    const int names = area->columns - NUMBERS_WIDTH;
    char text[600];

    if (changes == NULL) {
        curses_put(tui->curses, area->row, 0, area->columns, PAINT_PLAIN,
                   language_shown("nothing to compare with: --diff BASE names a capture or a baseline"));
        return;
    }
    tui_list_follow(&changes->at, room);
    snprintf(text, sizeof text, language_shown("%s; a step's times"), changes->verdict);
    curses_put(tui->curses, area->row, 0, area->columns, PAINT_FAINT, text);
    curses_put(tui->curses, area->row + 1, 0, names, PAINT_HEAD, language_shown("Name"));
    snprintf(text, sizeof text, "  %-8s %13s %13s %13s", "What", "Change(us)", "Base(us)", "New(us)");
    curses_put(tui->curses, area->row + 1, names, NUMBERS_WIDTH, PAINT_HEAD, text);
    for (size_t i = 0; i < room && changes->at.top + i < changes->items.count; i++)
        draw_change(tui, area, area->row + 2 + (int)i, changes->at.top + i);
}

static enum tui_result go(struct tui *tui, const struct tui_changes *changes)
{
    if (changes->items.count > 0 && tui_lanes_go_operator(tui, changes->items.items[changes->at.row].row->key))
        return TUI_GOES;
    tui_say(tui, "the row has no place in the timeline");
    return TUI_STAYS;
}

enum tui_result tui_changes_key(struct tui *tui, int key, const struct tui_area *area)
{
    struct tui_changes *changes = tui->changes;

    if (changes == NULL)
        return TUI_UNKNOWN;
    if (key == PRESSED_RETURN)
        return go(tui, changes);
    return tui_list_key(&changes->at, changes->items.count, tui_list_room(area), key) ? TUI_STAYS : TUI_UNKNOWN;
}
