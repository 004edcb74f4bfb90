/* SPDX-License-Identifier: Apache-2.0 */
/* What is said and asked in the last line of the screen. */
#include "base/language.h"
#include "base/progress.h"
#include "features/tui/commands/tui.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

void tui_say(struct tui *tui, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(tui->message, sizeof tui->message, language_said(format), arguments);
    va_end(arguments);
}

void tui_say_error(struct tui *tui, const struct err *err)
{
    tui_say(tui, "%s", err_message(err));
}

const char *tui_time(int64_t ns, char text[TUI_TIME_SIZE])
{
    const double size = ns < 0 ? -(double)ns : (double)ns;

    if (size < 1e6)
        snprintf(text, TUI_TIME_SIZE, "%.3f us", (double)ns / 1e3);
    else if (size < 1e9)
        snprintf(text, TUI_TIME_SIZE, "%.3f ms", (double)ns / 1e6);
    else
        snprintf(text, TUI_TIME_SIZE, "%.6f s", (double)ns / 1e9);
    return text;
}

/* Puts a character behind a line, as UTF-8. */
static void append(char *text, size_t size, int key)
{
    char bytes[MB_LEN_MAX];
    mbstate_t state = {0};
    const size_t length = wcrtomb(bytes, (wchar_t)key, &state), used = strlen(text);

    if (length == (size_t)-1 || used + length + 1 > size)
        return;
    memcpy(text + used, bytes, length);
    text[used + length] = '\0';
}

static void erase_last(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && ((unsigned char)text[--length] & 0xC0) == 0x80)
        ;
    text[length] = '\0';
}

bool tui_ask(struct tui *tui, const char *question, char *text, size_t size)
{
    question = language_said(question);
    while (!interrupted()) {
        int rows, columns;
        curses_size(tui->curses, &rows, &columns);
        curses_put(tui->curses, rows - 1, 0, columns, PAINT_PLAIN, question);
        const int at = curses_width(tui->curses, question) < columns ? curses_width(tui->curses, question) : 0;
        const int used = curses_put(tui->curses, rows - 1, at, columns - at, PAINT_PLAIN, text);
        curses_show(tui->curses, rows - 1, at + used);
        const int key = curses_key(tui->curses);
        if (key == PRESSED_RETURN)
            return true;
        if (key == PRESSED_ESCAPE)
            return false;
        if (key == PRESSED_ERASE)
            erase_last(text);
        else if (key == 'U' - '@') /* ^U, as line editors have it */
            text[0] = '\0';
        else if (key >= ' ' && key < PRESSED_UP)
            append(text, size, key);
    }
    return false;
}
