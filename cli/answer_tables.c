/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/answer_tables.h"

#include "cli/console.h"
#include "cli/screen.h"
#include "exporters/table/grid.h"

#include <stdio.h>
#include <string.h>

enum table_format answer_format(const struct settings *settings)
{
    static const enum table_format formats[] = {TABLE_TERMINAL, TABLE_CSV, TABLE_JSON, TABLE_MARKDOWN};
    return formats[settings->show.format];
}

struct table_choice answer_choice(const struct settings *settings)
{
    const struct show_settings *show = &settings->show;
    return (struct table_choice){.columns = show->columns,
                                 .sort = show->sort,
                                 .filters = show->filters.values,
                                 .filter_count = show->filters.count,
                                 .top = (uint64_t)settings->top};
}

struct roofs roofs_of(const struct settings *settings)
{
    return (struct roofs){.flop_s = (double)settings->peak_flops * 1e9,
                          .bytes_s = (double)settings->peak_bandwidth * 1e6};
}

struct show_options answer_show_options(const struct settings *settings, const struct roofs *roofs,
                                        struct table_stream *stream)
{
    return (struct show_options){
        .color = console_colors_stdout(),
        .plain = true,
        .ascii = screen_is_ascii(),
        .width = screen_answer_width(settings),
        .top = settings->top > 0 ? settings->top : TOP_DEFAULT,
        .roofs = roofs,
        .stream = stream,
    };
}

void answer_table_begin(const struct settings *settings, const char *table)
{
    if (settings->show.tables.count <= 1 || answer_format(settings) != TABLE_TERMINAL)
        return;
    fputs("Table : ", stdout);
    grid_put_safe_line(stdout, table, false);
    fputs("\n", stdout);
}

void answer_table_divide(const struct settings *settings)
{
    if (answer_format(settings) != TABLE_JSON) /* documents of JSON need no empty line between them */
        puts("");
}

int answer_stream_end(struct table_stream *stream)
{
    struct err err = ERR_INIT;
    console_output_begin();
    int result = table_stream_end(stream, &err);
    if (result < 0)
        console_error(&err);
    return status_worse(result < 0 ? status_of_error(&err) : STATUS_DONE, console_output_end(result < 0));
}

int answer_check_tables(const struct show_settings *show, const char *word, const char *hint)
{
    const bool chooses = show->sort != NULL || show->columns != NULL || show->filters.count > 0 || show->format != 0;
    const char *several = NULL;

    for (size_t i = 0; i < show->tables.count; i++)
        if (strcmp(show->tables.values[i], "list") == 0 || (word != NULL && strcmp(show->tables.values[i], word) == 0))
            several = show->tables.values[i];
    if (several != NULL && show->tables.count > 1)
        return console_fail(ERR_USAGE, NULL, "--table %s cannot be combined with another table", several);
    if (!chooses || (show->tables.count > 0 && several == NULL))
        return STATUS_DONE;
    if (several != NULL)
        return console_fail(ERR_USAGE, NULL,
                            "--table %s cannot be combined with --sort, --filter, --columns or --format", several);
    return console_fail(ERR_USAGE, hint, "--sort, --filter, --columns and --format need one table: add --table NAME");
}
