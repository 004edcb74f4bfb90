/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/show_block.h"

#include <inttypes.h>

static void put(struct show *show, const char *text, size_t length)
{
    fwrite(text, 1, length, show->stream);
    show->column += display_width(&show->display, text, length);
}

void show_title(struct show *show, const char *title)
{
    fputs(show->options->color ? "\033[36m" : "", show->stream);
    put(show, title, strlen(title));
    fputs(show->options->color ? "\033[0m" : "", show->stream);
}

static void put_field(struct show *show, const char *label, const char *value, size_t length)
{
    size_t label_length = strlen(label), limit = (size_t)show->options->width;
    size_t width = display_width(&show->display, label, label_length) + display_width(&show->display, value, length);
    if (limit > 0 && show->column > 0 && show->column + 1 + width > limit)
        show_end_line(show);
    if (show->column > 0)
        put(show, " ", 1);
    put(show, label, label_length);
    put(show, value, length);
}

void show_field(struct show *show, const char *label, const char *value)
{
    put_field(show, label, value, strlen(value));
}

void show_number(struct show *show, const char *label, int64_t value)
{
    char buffer[NUMBER_MAX];
    size_t length;
    const struct table_cell cell = cell_number(value, 0);
    const char *text = cell_as_text(&cell, buffer, &length);
    put_field(show, label, text, length);
}

void show_device(struct show *show, int64_t device_id)
{
    if (device_id != 0)
        show_number(show, "Device id: ", device_id);
}

void show_end_line(struct show *show)
{
    fputs("\n", show->stream);
    show->column = 0;
}

void show_top(struct show *show, int64_t count, const char *report)
{
    char text[128];
    bool all = count <= show->options->top;
    if (all)
        snprintf(text, sizeof text, "all %" PRId64, count);
    else
        snprintf(text, sizeof text, "%" PRId64 " of %" PRId64, show->options->top, count);
    show_field(show, "", text);
    snprintf(text, sizeof text, "(more: --top N; all: %s of 'msprof export summary')", report);
    if (!all)
        show_field(show, "", text);
    show_end_line(show);
}
