/* SPDX-License-Identifier: Apache-2.0 */
/* The screen by libncursesw. */
#include "features/tui/commands/curses.h"

#include "base/library.h"
#include "cli/command.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

/* Functions in the place of macros, which name variables of the library. */
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <ncurses.h>

#define LIBRARY "libncursesw.so.6"
#define WAIT_MS 250

#define FUNCTIONS(DO)                                                                                                  \
    DO(curses_version)                                                                                                 \
    DO(newterm)                                                                                                        \
    DO(delscreen)                                                                                                      \
    DO(endwin)                                                                                                         \
    DO(cbreak)                                                                                                         \
    DO(noecho)                                                                                                         \
    DO(nonl)                                                                                                           \
    DO(keypad)                                                                                                         \
    DO(wtimeout)                                                                                                       \
    DO(set_escdelay)                                                                                                   \
    DO(curs_set)                                                                                                       \
    DO(has_colors)                                                                                                     \
    DO(start_color)                                                                                                    \
    DO(use_default_colors)                                                                                             \
    DO(init_pair)                                                                                                      \
    DO(wattr_set)                                                                                                      \
    DO(wmove)                                                                                                          \
    DO(waddnwstr)                                                                                                      \
    DO(werase)                                                                                                         \
    DO(clearok)                                                                                                        \
    DO(wrefresh)                                                                                                       \
    DO(wget_wch)                                                                                                       \
    DO(getmaxx)                                                                                                        \
    DO(getmaxy)

static struct {
#define MEMBER(function) __typeof__(function) *function;
    FUNCTIONS(MEMBER)
#undef MEMBER
    WINDOW **window; /* the library's stdscr */
} library;

/* Takes the place of a call of the library. */
#define CALL(function) library.function

static bool load_library(void)
{
#define SYMBOL(function) LIBRARY_SYMBOL(library, function),
    static const struct library_symbol symbols[] = {FUNCTIONS(SYMBOL){"stdscr", (void **)&library.window}};
#undef SYMBOL
    static bool is_loaded;
    is_loaded = is_loaded || library_load(LIBRARY, symbols, sizeof symbols / sizeof *symbols);
    return is_loaded;
}

bool tui_library(struct library_version *ret)
{
    static const char name[] = "ncurses ";
    const char *running = load_library() ? CALL(curses_version)() : NULL;
    bool found = running != NULL && strncmp(running, name, sizeof name - 1) == 0;

    if (!found)
        return false;
    running += sizeof name - 1;
    /* "6.4.20221231", of which the last number is the date of a patch */
    if (strncmp(running, NCURSES_VERSION ".", sizeof NCURSES_VERSION) == 0)
        running = NCURSES_VERSION;
    *ret = (struct library_version){"ncurses", NCURSES_VERSION, running};
    return true;
}

struct curses {
    SCREEN *screen;
    bool colors, ascii;
    wchar_t *line; /* what is put now, of so many characters */
    size_t room;
};

/* ---- the terminal ---- */

static void choose_colors(struct curses *curses, bool wanted)
{
    static const short pairs[PAINTS] = {
        [PAINT_HEAD] = COLOR_CYAN, [PAINT_ALERT] = COLOR_RED, [PAINT_GOOD] = COLOR_GREEN};

    curses->colors = wanted && CALL(has_colors)() && CALL(start_color)() == OK && CALL(use_default_colors)() == OK;
    for (short i = 0; curses->colors && i < PAINTS; i++)
        if (pairs[i] != 0)
            CALL(init_pair)(i, pairs[i], -1);
}

int curses_open(bool colors, bool ascii, struct curses **ret, struct err *err)
{
    const char *kind = getenv("TERM");

    if (!load_library()) {
        err_set(err, ERR_NOT_FOUND, "msprof tui needs the library " LIBRARY ", which is not installed");
        return err_hint(
            err, "install it (Debian: libncursesw6; openEuler and Fedora: ncurses-libs); 'msprof show' does without");
    }
    struct curses *curses = calloc(1, sizeof *curses);
    if (curses == NULL)
        return err_no_memory(err);
    curses->ascii = ascii;
    curses->screen = CALL(newterm)(NULL, stdout, stdin);
    if (curses->screen == NULL) {
        free(curses);
        err_set(err, ERR_NOT_FOUND, "nothing is known of the terminal '%s' (TERM)", kind != NULL ? kind : "");
        return err_hint(err,
                        "set TERM to the kind of the terminal, such as xterm or vt100; 'msprof show' does without");
    }
    CALL(cbreak)();
    CALL(noecho)();
    CALL(nonl)();
    CALL(keypad)(*library.window, TRUE);
    CALL(wtimeout)(*library.window, WAIT_MS);
    CALL(set_escdelay)(25);
    choose_colors(curses, colors);
    *ret = curses;
    return 0;
}

void curses_close(struct curses *curses)
{
    if (curses == NULL)
        return;
    CALL(endwin)();
    CALL(delscreen)(curses->screen);
    free(curses->line);
    free(curses);
}

void curses_suspend(struct curses *curses)
{
    (void)curses;
    CALL(endwin)();
}

void curses_resume(struct curses *curses)
{
    (void)curses;
    CALL(clearok)(*library.window, TRUE);
    CALL(wrefresh)(*library.window);
}

void curses_size(const struct curses *curses, int *ret_rows, int *ret_columns)
{
    (void)curses;
    *ret_rows = CALL(getmaxy)(*library.window);
    *ret_columns = CALL(getmaxx)(*library.window);
}

void curses_clear(struct curses *curses)
{
    (void)curses;
    CALL(werase)(*library.window);
}

/* ---- texts ---- */

/* The next character of a text and its columns; one that is none, or that the terminal has not, is a question mark. */
static wchar_t next_character(const struct curses *curses, const char **text, mbstate_t *state, int *ret_width)
{
    wchar_t character = 0;
    size_t length = mbrtowc(&character, *text, MB_CUR_MAX, state);

    if (length == (size_t)-1 || length == (size_t)-2) {
        *state = (mbstate_t){0};
        *text += 1;
        *ret_width = 1;
        return L'?';
    }
    *text += length;
    *ret_width = wcwidth(character);
    if (*ret_width >= 0 && (character < 0x80 || !curses->ascii))
        return character;
    *ret_width = 1;
    return L'?';
}

int curses_width(const struct curses *curses, const char *text)
{
    mbstate_t state = {0};
    int width = 0, one;

    for (; *text != '\0'; width += one)
        next_character(curses, &text, &state, &one);
    return width;
}

static bool make_room(struct curses *curses, size_t wanted)
{
    if (wanted <= curses->room)
        return true;
    wchar_t *line = realloc(curses->line, wanted * sizeof *line);
    if (line == NULL)
        return false;
    curses->line = line;
    curses->room = wanted;
    return true;
}

static void set_paint(const struct curses *curses, enum paint paint)
{
    static const attr_t plain[PAINTS] = {
        [PAINT_HEAD] = WA_BOLD, [PAINT_CHOSEN] = WA_REVERSE, [PAINT_FAINT] = WA_DIM, [PAINT_ALERT] = WA_BOLD};
    const bool colored = curses->colors && (paint == PAINT_HEAD || paint == PAINT_ALERT || paint == PAINT_GOOD);

    CALL(wattr_set)(*library.window, plain[paint], colored ? (short)paint : 0, NULL);
}

int curses_put(struct curses *curses, int row, int column, int width, enum paint paint, const char *text)
{
    const bool cut = curses_width(curses, text) > width;
    mbstate_t state = {0};
    int used = 0;
    size_t count = 0;

    if (width <= 0 || row < 0 || column < 0 || !make_room(curses, strlen(text) + (size_t)width + 2))
        return 0;
    while (*text != '\0') {
        const char *before = text;
        int one;
        const wchar_t character = next_character(curses, &text, &state, &one);
        if (used + one > width - cut) {
            text = before;
            break;
        }
        curses->line[count++] = character;
        used += one;
    }
    const int shown = used;
    if (cut) {
        curses->line[count++] = curses->ascii ? L'~' : L'\u2026';
        used++;
    }
    for (; used < width; used++)
        curses->line[count++] = L' ';
    set_paint(curses, paint);
    CALL(wmove)(*library.window, row, column);
    CALL(waddnwstr)(*library.window, curses->line, (int)count);
    return shown;
}

void curses_redraw(struct curses *curses)
{
    (void)curses;
    CALL(clearok)(*library.window, TRUE);
}

void curses_show(struct curses *curses, int row, int column)
{
    CALL(curs_set)(row >= 0);
    if (row >= 0)
        CALL(wmove)(*library.window, row, column);
    CALL(wrefresh)(*library.window);
    (void)curses;
}

/* ---- keys ---- */

int curses_key(struct curses *curses)
{
    static const struct {
        wint_t theirs;
        int ours;
    } keys[] = {
        {KEY_UP, PRESSED_UP},           {KEY_DOWN, PRESSED_DOWN},     {KEY_LEFT, PRESSED_LEFT},
        {KEY_RIGHT, PRESSED_RIGHT},     {KEY_PPAGE, PRESSED_PAGE_UP}, {KEY_NPAGE, PRESSED_PAGE_DOWN},
        {KEY_HOME, PRESSED_FIRST},      {KEY_END, PRESSED_LAST},      {KEY_RESIZE, PRESSED_RESIZED},
        {KEY_BACKSPACE, PRESSED_ERASE}, {KEY_ENTER, PRESSED_RETURN},
    };
    wint_t key = 0;
    const int kind = CALL(wget_wch)(*library.window, &key);

    (void)curses;
    if (kind == ERR)
        return PRESSED_NOTHING;
    for (size_t i = 0; kind == KEY_CODE_YES && i < sizeof keys / sizeof *keys; i++)
        if (keys[i].theirs == key)
            return keys[i].ours;
    if (kind == KEY_CODE_YES)
        return PRESSED_NOTHING;
    return key == '\r' ? PRESSED_RETURN : key == '\b' ? PRESSED_ERASE : (int)key;
}
