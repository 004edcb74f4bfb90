/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of 'msprof advise': a list, and below it what the chosen one rests on. */
#include "features/tui/commands/tui.h"

#include "base/language.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIST_ROWS_MOST 8

size_t tui_findings_count(const struct tui *tui)
{
    size_t count = 0;

    while (count < tui->advice.rule_count && tui->advice.findings[count].fired)
        count++;
    return count;
}

/* Puts a text between words into as many rows as it needs; returns the row behind it. */
static int put_wrapped(const struct tui *tui, const struct tui_area *area, int row, enum paint paint, const char *text)
{
    const int end = area->row + area->rows;

    while (*text != '\0' && row < end) {
        char line[1024];
        size_t length = 0;
        for (size_t next = 0; next < sizeof line - 1 && text[next] != '\0';) {
            next += strspn(text + next, " ");
            next += strcspn(text + next, " ");
            snprintf(line, sizeof line, "%.*s", (int)(next < sizeof line - 1 ? next : sizeof line - 1), text);
            if (curses_width(tui->curses, line) > area->columns && length > 0)
                break;
            length = next;
        }
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line - 1 ? length : sizeof line - 1), text);
        curses_put(tui->curses, row++, 0, area->columns, paint, line);
        text += length;
        text += strspn(text, " ");
    }
    return row;
}

static int draw_rows(const struct tui *tui, const struct tui_area *area, int row, const struct finding *finding)
{
    for (size_t i = 0; i < finding->row_count && row < area->row + area->rows; i++) {
        const struct finding_row *one = &finding->rows[i];
        char text[1024], time[TUI_TIME_SIZE];
        snprintf(text, sizeof text, "%12s %6.1f %% %8lld x  %s", tui_time((int64_t)llround(one->time_ns), time),
                 one->share, (long long)one->count, one->name);
        curses_put(tui->curses, row++, 0, area->columns, PAINT_PLAIN, text);
    }
    return row;
}

static void draw_details(const struct tui *tui, const struct tui_area *area, int row, const struct finding *finding)
{
    char text[640], time[TUI_TIME_SIZE], saved[TUI_TIME_SIZE];
    int used = 0;

    curses_put(tui->curses, row++, 0, area->columns, PAINT_PLAIN, "");
    row = put_wrapped(tui, area, row, PAINT_PLAIN, finding->sentence);
    if (finding->rule->of_memory)
        used = snprintf(text, sizeof text, language_shown("At stake: " FINDING_OF_MEMORY));
    else
        used = snprintf(text, sizeof text, language_shown("At stake: %s"),
                        tui_time((int64_t)llround(finding->at_stake_ns), time));
    if (finding->saves_ns >= 0)
        snprintf(text + used, sizeof text - (size_t)used, language_shown("; removing the cause saves at most %s"),
                 tui_time((int64_t)llround(finding->saves_ns), saved));
    row = put_wrapped(tui, area, row, PAINT_PLAIN, text);
    snprintf(text, sizeof text, language_shown("Rests on %s"), language_shown(finding->rule->rests_on));
    row = put_wrapped(tui, area, row, PAINT_FAINT, text);
    row = put_wrapped(tui, area, row, PAINT_GOOD, language_shown(finding->rule->advice));
    draw_rows(tui, area, row, finding);
}

void tui_findings_draw(struct tui *tui, const struct tui_area *area)
{
    const size_t count = tui_findings_count(tui), room = count < LIST_ROWS_MOST ? count : LIST_ROWS_MOST;
    int row = area->row;

    if (count == 0) {
        curses_put(
            tui->curses, row, 0, area->columns, PAINT_GOOD,
            language_shown(tui->executions > 0 ? "no finding" : "nothing to advise on: the capture has no operators"));
        return;
    }
    tui_list_follow(&tui->finding, room);
    for (size_t i = tui->finding.top; i < tui->finding.top + room; i++) {
        const struct finding *finding = &tui->advice.findings[i];
        char text[640];
        snprintf(text, sizeof text, "%-6s %-20s %s", language_shown(advice_severity_name(finding->severity)),
                 finding->rule->id, finding->sentence);
        curses_put(tui->curses, row++, 0, area->columns,
                   i == tui->finding.row                ? PAINT_CHOSEN
                   : finding->severity == SEVERITY_HIGH ? PAINT_ALERT
                                                        : PAINT_PLAIN,
                   text);
    }
    draw_details(tui, area, row, &tui->advice.findings[tui->finding.row]);
}

static enum tui_result go_to_finding(struct tui *tui)
{
    const struct finding *finding = &tui->advice.findings[tui->finding.row];

    if (finding->time_ns != INT64_MIN && tui->lanes.count > 0) {
        tui_lanes_go(tui, finding->time_ns);
        return TUI_GOES;
    }
    tui_say(tui, "the finding has no place in the timeline");
    return TUI_STAYS;
}

enum tui_result tui_findings_key(struct tui *tui, int key, const struct tui_area *area)
{
    const size_t count = tui_findings_count(tui);

    (void)area;
    if (key == PRESSED_RETURN)
        return count > 0 ? go_to_finding(tui) : TUI_STAYS;
    return tui_list_key(&tui->finding, count, LIST_ROWS_MOST, key) ? TUI_STAYS : TUI_UNKNOWN;
}
