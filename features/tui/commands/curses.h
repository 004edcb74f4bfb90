/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal as a screen of characters, by libncursesw, which is loaded when it is needed: a program without it does
 * all else. Texts are UTF-8; characters are as wide as the terminal shows them. */
#ifndef MSPROF_FEATURES_TUI_COMMANDS_CURSES_H
#define MSPROF_FEATURES_TUI_COMMANDS_CURSES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct curses; /* opaque; there is one at a time */

enum paint { PAINT_PLAIN, PAINT_HEAD, PAINT_CHOSEN, PAINT_FAINT, PAINT_ALERT, PAINT_GOOD, PAINTS };

/* Keys are characters, or these. */
enum curses_key {
    PRESSED_NOTHING, /* none was pressed for a while */
    PRESSED_TABULATOR = '\t',
    PRESSED_RETURN = '\n',
    PRESSED_ESCAPE = 27,
    PRESSED_ERASE = 127,
    PRESSED_UP = 0x110000, /* behind all characters */
    PRESSED_DOWN,
    PRESSED_LEFT,
    PRESSED_RIGHT,
    PRESSED_PAGE_UP,
    PRESSED_PAGE_DOWN,
    PRESSED_FIRST,
    PRESSED_LAST,
    PRESSED_RESIZED,
};

/* Takes the terminal. ascii: it shows nothing else. -ERR_NOT_FOUND: there is no library, or the terminal is of no known
 * kind;. */
int curses_open(bool colors, bool ascii, struct curses **ret, struct err *err);
/* Gives the terminal back; NULL is fine. */
void curses_close(struct curses *curses);
/* Gives it back for a while, for other output; curses_resume takes it again. */
void curses_suspend(struct curses *curses);
void curses_resume(struct curses *curses);

void curses_size(const struct curses *curses, int *ret_rows, int *ret_columns);
void curses_clear(struct curses *curses);
/* Puts the text into `width` columns from a place on: blanks stand behind a shorter one, and of a longer one the
 * beginning with a mark behind it. Returns the columns that the text takes. */
int curses_put(struct curses *curses, int row, int column, int width, enum paint paint, const char *text);
/* Columns of the terminal that the text takes. */
int curses_width(const struct curses *curses, const char *text);
/* Draws the whole screen anew with the next curses_show. */
void curses_redraw(struct curses *curses);
/* Shows what was put, and the cursor at a place; row < 0: none. */
void curses_show(struct curses *curses, int row, int column);
/* Waits for a key, for a quarter of a second. */
int curses_key(struct curses *curses);

#endif
