/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/display.h"

#include "base/utf8.h"

#include <stdint.h>
#include <wchar.h>

void display_init(struct display *display)
{
    display->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

void display_release(struct display *display)
{
    if (display->locale != (locale_t)0)
        freelocale(display->locale);
    display->locale = (locale_t)0;
}

locale_t display_enter(const struct display *display)
{
    return display->locale == (locale_t)0 ? (locale_t)0 : uselocale(display->locale);
}

void display_leave(locale_t previous)
{
    if (previous != (locale_t)0)
        uselocale(previous);
}

/* The code of a well-formed character of so many bytes. */
static uint32_t code_point(const char *text, size_t bytes)
{
    static const unsigned char lead_mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char)text[0] & lead_mask[bytes];
    for (size_t i = 1; i < bytes; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

struct display_character display_character_at(const struct display *display, const char *text, size_t length)
{
    size_t bytes = utf8_character(text, length);
    if (bytes == 0)
        return (struct display_character){1, 1, false};
    uint32_t code = code_point(text, bytes);
    if (code >= 0x20 && code < 0x7f)
        return (struct display_character){1, 1, true};
    bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    int width = display->locale == (locale_t)0 ? 1 : wcwidth((wchar_t)code);
    if (control || width < 0)
        return (struct display_character){bytes, 1, false};
    return (struct display_character){bytes, (size_t)width, true};
}

size_t display_width(const struct display *display, const char *text, size_t length)
{
    size_t width = 0;
    locale_t previous = display_enter(display);
    for (size_t i = 0; i < length;) {
        struct display_character character = display_character_at(display, text + i, length - i);
        width += character.width;
        i += character.bytes;
    }
    display_leave(previous);
    return width;
}
