/* SPDX-License-Identifier: Apache-2.0 */
/* Text as a terminal shows it: how many columns its characters take. */
#ifndef MSPROF_EXPORTERS_TABLE_DISPLAY_H
#define MSPROF_EXPORTERS_TABLE_DISPLAY_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

struct display {
    /* A UTF-8 one, whatever the user's is, for wcwidth; 0 when the system has none: then every character counts as one
     * column. */
    locale_t locale;
};

struct display_character {
    size_t bytes;
    size_t width; /* in columns of the terminal */
    bool shown;   /* false: a '?' stands for it */
};

void display_init(struct display *display);
void display_release(struct display *display);

/* Makes the locale the thread's, which display_character_at needs; display_leave takes the result and undoes it. */
locale_t display_enter(const struct display *display);
void display_leave(locale_t previous);
/* The character that text, of length > 0 bytes, begins with. */
struct display_character display_character_at(const struct display *display, const char *text, size_t length);

/* The columns that the whole text takes; neither display_enter nor display_leave is needed. */
size_t display_width(const struct display *display, const char *text, size_t length);

#endif
