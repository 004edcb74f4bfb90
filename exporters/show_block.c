#include "exporters/show_block.h"

void show_title(const struct show *show, const char *title)
{
    show_text(show, show->options->color ? "\033[36m" : "");
    show_text(show, title);
    show_text(show, show->options->color ? "\033[0m" : "");
}

void show_text(const struct show *show, const char *text)
{
    fputs(text, show->stream);
}

void show_number(const struct show *show, int64_t value, unsigned decimals)
{
    char buffer[NUMBER_MAX];
    size_t length;
    const struct table_cell cell = cell_number(value, decimals);
    const char *text = cell_as_text(&cell, buffer, &length);
    fwrite(text, 1, length, show->stream);
}

void show_device(const struct show *show, int64_t device_id)
{
    if (device_id == 0)
        return;
    show_text(show, " Device id: ");
    show_number(show, device_id, 0);
}
