/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/cuts.h"

#include "base/array.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

/* Parts are planned a little smaller: bytes are not spread evenly over the time of a bin, and each has a head. */
#define PLANNED 0.95

void cut_bins_add(struct cut_bins *bins, int64_t time_ns, size_t bytes)
{
    const int64_t time = time_ns > 0 ? time_ns : 0;
    if (bins->width_ns == 0)
        bins->width_ns = 1;
    while (time / bins->width_ns >= CUT_BINS) {
        for (size_t i = 0; i < CUT_BINS / 2; i++)
            bins->bytes[i] = bins->bytes[2 * i] + bins->bytes[2 * i + 1];
        memset(bins->bytes + CUT_BINS / 2, 0, sizeof bins->bytes / 2);
        bins->width_ns *= 2;
    }
    bins->bytes[time / bins->width_ns] += bytes;
    bins->all += bytes;
}

static int add_border(struct cut_borders *borders, int64_t time_ns, struct err *err)
{
    if (array_reserve(borders, 1, err) < 0)
        return -(int)err->code;
    borders->items[borders->count++] = time_ns;
    return 0;
}

int trace_cuts_by_size(struct trace_cuts *cuts, const char *path, const struct cut_bins *bins, uint64_t size_bytes,
                       uint64_t limit, struct err *err)
{
    if (array_reserve(&cuts->files, 1, err) < 0)
        return -(int)err->code;
    struct file_cuts *file = &cuts->files.items[cuts->files.count];
    *file = (struct file_cuts){.path = strdup(path)};
    if (file->path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the parts of '%s'", path);
    cuts->files.count++;
    const double each = bins->all > 0 ? (double)size_bytes / (double)bins->all : 0;
    double part = 0;
    for (size_t i = 0; i < CUT_BINS; i++) {
        const double bytes = (double)bins->bytes[i] * each;
        if (part > 0 && part + bytes > PLANNED * (double)limit) {
            if (add_border(&file->borders, (int64_t)i * bins->width_ns, err) < 0)
                return -(int)err->code;
            part = 0;
        }
        part += bytes;
    }
    return 0;
}

const struct cut_borders *trace_cuts_of(const struct trace_cuts *cuts, const struct export_options *options,
                                        const char *path)
{
    if (options->split == SPLIT_STEPS)
        return &cuts->steps;
    for (size_t i = 0; i < cuts->files.count; i++) {
        if (strcmp(cuts->files.items[i].path, path) == 0)
            return &cuts->files.items[i].borders;
    }
    return NULL;
}

size_t trace_cuts_part(const struct cut_borders *borders, const struct export_options *options, int64_t time_ns)
{
    if (options->split == SPLIT_TIME) {
        return time_ns > options->from_ns ? (size_t)((time_ns - options->from_ns) / options->split_value) : 0;
    }
    return borders != NULL ? search_until(borders->items, borders->count, sizeof *borders->items, 0, time_ns) : 0;
}

static void trace_cuts_release(struct trace_cuts *cuts)
{
    for (size_t i = 0; i < cuts->files.count; i++) {
        free(cuts->files.items[i].path);
        free(cuts->files.items[i].borders.items);
    }
    free(cuts->files.items);
    free(cuts->steps.items);
    *cuts = (struct trace_cuts){0};
}

static int compare_times(const void *a, const void *b)
{
    return array_order(*(const int64_t *)a, *(const int64_t *)b);
}

/* The first step is in the first part, with what came before it. */
static int prepare_steps(struct trace_cuts *cuts, int (*steps)(void *arg, struct cut_borders *ret, struct err *err),
                         void *arg, struct err *err)
{
    struct cut_borders *borders = &cuts->steps;
    size_t count = 0;
    if (steps(arg, borders, err) < 0)
        return -(int)err->code;
    array_sort(borders->items, borders->count, sizeof *borders->items, compare_times);
    for (size_t i = 1; i < borders->count; i++) {
        if (borders->items[i] != borders->items[i - 1])
            borders->items[count++] = borders->items[i];
    }
    borders->count = count;
    return 0;
}

static int check_parts(const struct trace_cuts *cuts, struct err *err)
{
    if (cuts->parts <= CUTS_MAX)
        return 0;
    err_set(err, ERR_USAGE, "--split makes more than %d parts", CUTS_MAX);
    return err_hint(err, "ask for longer ones, or for a part of the time with --from and --until");
}

int trace_cuts_draw(const struct export_options *options,
                    int (*draw)(void *arg, const struct export_options *options, struct err *err),
                    int (*steps)(void *arg, struct cut_borders *ret, struct err *err), void *arg, struct err *err)
{
    struct trace_cuts cuts = {.first = 0};
    struct export_options parts = *options;
    int status = 0;
    parts.cuts = &cuts;
    if (options->split == SPLIT_NONE)
        return draw(arg, options, err);
    if (options->split == SPLIT_STEPS)
        status = prepare_steps(&cuts, steps, arg, err);
    if (options->split != SPLIT_STEPS && status == 0) {
        cuts.counting = true;
        status = draw(arg, &parts, err);
        cuts.counting = false;
    } else {
        cuts.parts = cuts.steps.count + 1;
    }
    if (status == 0)
        status = check_parts(&cuts, err);
    for (; status == 0 && cuts.first < cuts.parts; cuts.first += CUTS_AT_ONCE)
        status = draw(arg, &parts, err);
    trace_cuts_release(&cuts);
    return status;
}
