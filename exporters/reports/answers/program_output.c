/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/answers/program_output.h"

#include "exporters/table/grid.h"

#include <stdlib.h>

#define LARGEST 5
#define NOTHING_RAN "no device was recorded"

/* All of one name. */
struct told {
    const char *name;
    struct series times;
    double period_ns; /* from begin to begin, the mean; negative: there is one alone */
};

struct list {
    struct told items[LARGEST];
    size_t count;
};

static int make_list(const struct named_times *times, struct list *ret, struct err *err)
{
    size_t *ranked = NULL;
    int status = named_times_rank(times, &ranked, err);

    ret->count = 0;
    for (size_t i = 0; status == 0 && i < times->count && ret->count < LARGEST; i++) {
        struct told *told = &ret->items[ret->count];
        size_t name = ranked[i];
        if (times->items[name].durations.count == 0)
            continue;
        *told = (struct told){.name = times->names.items[name].bytes, .period_ns = named_times_period_ns(times, name)};
        status = series_make(&told->times, times->items[name].durations.items, times->items[name].durations.count, err);
        ret->count += status == 0;
    }
    free(ranked);
    return status;
}

static void release_list(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        series_release(&list->items[i].times);
}

/* ---- text ---- */

static const struct grid_column columns[] = {
    {.title = "Total(us)", .number = true},
    {.title = "Count", .number = true},
    {.title = "Median(us)", .number = true, .least_first = 1},
    {.title = "Longest(us)", .number = true, .least_first = 2},
    {.title = "Mean period(us)", .number = true, .least_first = 3},
    {.title = "Name", .cut = true},
};

static int print_list(const struct list *list, const char *title, bool markdown, int width, bool ascii, FILE *stream,
                      struct err *err)
{
    struct grid grid = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
    int status = 0;

    for (size_t i = 0; status == 0 && i < list->count; i++) {
        const struct told *told = &list->items[i];
        char texts[5][48];
        const char *cells[] = {texts[0], texts[1], texts[2], texts[3], texts[4], told->name};
        snprintf(texts[0], sizeof texts[0], "%.3f", told->times.total / 1e3);
        snprintf(texts[1], sizeof texts[1], "%lld", (long long)told->times.n);
        snprintf(texts[2], sizeof texts[2], "%.3f", told->times.median / 1e3);
        snprintf(texts[3], sizeof texts[3], "%.3f", told->times.maximum / 1e3);
        snprintf(texts[4], sizeof texts[4], told->period_ns >= 0 ? "%.3f" : "N/A", told->period_ns / 1e3);
        status = grid_row(&grid, cells, err);
    }
    if (status == 0 && list->count > 0) {
        fprintf(stream, markdown ? "\n### %s\n\n" : "\n%s\n", title);
        status = grid_print(&grid, stream, markdown ? GRID_MARKDOWN : GRID_TABLE, width, ascii, err);
    }
    grid_release(&grid);
    return status;
}

static void put_head(const char *capture, bool markdown, FILE *stream)
{
    char masked[512];

    snprintf(masked, sizeof masked, "%s", capture);
    err_mask_text(masked);
    fputs(markdown ? "## " : "", stream);
    if (markdown)
        put_markdown(stream, masked);
    else
        fputs(masked, stream);
    fprintf(stream, ": " NOTHING_RAN "; what the program did%s\n", markdown ? "" : " is this");
}

/* ---- JSON ---- */

static void put_json_list(const struct list *list, const char *name, FILE *stream)
{
    fprintf(stream, "\"%s\":[", name);
    for (size_t i = 0; i < list->count; i++) {
        const struct told *told = &list->items[i];
        fprintf(stream, "%s{\"count\":%lld,\"longest\":%.3f,\"mean_period\":", i > 0 ? "," : "",
                (long long)told->times.n, told->times.maximum / 1e3);
        if (told->period_ns >= 0)
            fprintf(stream, "%.3f", told->period_ns / 1e3);
        else
            fputs("null", stream);
        fprintf(stream, ",\"median\":%.3f,\"name\":", told->times.median / 1e3);
        put_json(stream, told->name);
        fprintf(stream, ",\"total\":%.3f}", told->times.total / 1e3);
    }
    fputs("],", stream);
}

static void put_json_answer(const struct list *ranges, const struct list *calls, const char *capture, FILE *stream)
{
    fputc('{', stream);
    put_json_list(calls, "calls", stream);
    fputs("\"capture\":", stream);
    put_json(stream, capture);
    fputs(",\"findings\":[],\"not_checked\":[", stream);
    for (size_t i = 0; i < RULES; i++)
        fprintf(stream, "%s{\"id\":\"%s\",\"reason\":\"" NOTHING_RAN "\"}", i > 0 ? "," : "", rules[i].id);
    fputs("],\"passed\":[],", stream);
    put_json_list(ranges, "ranges", stream);
    fputs("\"schema\":\"msprof.advice/1\"}\n", stream);
}

int program_print(const struct named_times *ranges, const struct named_times *calls, const char *capture,
                  enum advice_format format, int width, bool ascii, FILE *stream, struct err *err)
{
    struct list lists[2] = {{.count = 0}};
    bool markdown = format == ADVICE_MARKDOWN;
    int status = make_list(ranges, &lists[0], err);

    if (status == 0)
        status = make_list(calls, &lists[1], err);
    if (status == 0 && format == ADVICE_JSON) {
        put_json_answer(&lists[0], &lists[1], capture, stream);
    } else if (status == 0) {
        put_head(capture, markdown, stream);
        status = print_list(&lists[0], "Ranges by time", markdown, width, ascii, stream, err);
        if (status == 0)
            status = print_list(&lists[1], "Calls by time", markdown, width, ascii, stream, err);
        fputs("\n--table ranges and --table api of show have all of them; --step-range NAME makes one that repeats the "
              "step of other tables.\n",
              stream);
    }
    release_list(&lists[0]);
    release_list(&lists[1]);
    return status;
}
