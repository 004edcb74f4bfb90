/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/file/outfile.h"
#include "base/language.h"
#include "base/utf8.h"
#include "features/flame/flame.h"
#include "features/page/html_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tree in order ---- */

struct placed_node {
    uint32_t parent, node;
    int64_t total;
    const char *name;
};

ARRAY_COMPARE(by_name, struct placed_node, ARRAY_BY(parent), ARRAY_BY_TEXT(name))

ARRAY_COMPARE(by_total, struct placed_node, ARRAY_BY(parent), ARRAY_BY_MOST(total), ARRAY_BY(node))

void flame_order_release(struct flame_order *ordered)
{
    free(ordered->nodes);
    free(ordered->first);
}

int flame_order(const struct flame *flame, bool largest_first, struct flame_order *ret, struct err *err)
{
    const struct flame_node *nodes = flame->nodes.items;
    size_t count = flame->nodes.count, kept = 0;
    struct placed_node *placed = calloc(count, sizeof *placed);

    *ret = (struct flame_order){.flame = flame,
                                .nodes = scoped_memory(count, sizeof *ret->nodes),
                                .first = scoped_memory(count + 1, sizeof *ret->first)};
    if (placed == NULL || ret->nodes == NULL || ret->first == NULL) {
        free(placed);
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu stacks", count);
    }
    for (size_t i = FLAME_ROOT + 1; i < count; i++)
        if (nodes[i].total > 0)
            placed[kept++] = (struct placed_node){nodes[i].parent, (uint32_t)i, nodes[i].total,
                                                  flame->names.items[nodes[i].name].bytes};
    array_sort(placed, kept, sizeof *placed, largest_first ? by_total : by_name);
    for (size_t i = 0, node = 0; i < kept || node <= count; node++) {
        ret->first[node < count ? node : count] = (uint32_t)i;
        for (; i < kept && placed[i].parent == node; i++)
            ret->nodes[i] = placed[i].node;
    }
    ret->count = kept;
    free(placed);
    return 0;
}

void flame_walk_begin(struct flame_walk *walk, const struct flame_order *ordered, double left, double width,
                      double whole)
{
    walk->ordered = ordered;
    walk->depth = 0;
    walk->open[0] = FLAME_ROOT;
    walk->ends[0] = left;
    walk->whole_width = width;
    walk->whole = whole;
    walk->next[0] = ordered->first[FLAME_ROOT];
}

bool flame_walk_next(struct flame_walk *walk, uint32_t *ret)
{
    const struct flame_order *ordered = walk->ordered;

    while (walk->next[walk->depth] == ordered->first[walk->open[walk->depth] + 1]) {
        if (walk->depth == 0)
            return false;
        walk->depth--;
    }
    *ret = ordered->nodes[walk->next[walk->depth]++];
    walk->x = walk->ends[walk->depth];
    walk->width = walk->whole_width * (double)ordered->flame->nodes.items[*ret].total / walk->whole;
    walk->ends[walk->depth++] += walk->width;
    walk->ends[walk->depth] = walk->x;
    walk->open[walk->depth] = *ret;
    walk->next[walk->depth] = ordered->first[*ret];
    return true;
}

/* ---- collapsed stacks ---- */

/* Semicolons divide frames and line feeds stacks: in names they are replaced. */
static void put_frame(struct outfile *out, const char *name)
{
    size_t length = strlen(name);

    while (length > 0) {
        size_t size = utf8_character(name, length);
        if (size == 0 || utf8_is_control(name, size))
            outfile_write(out, UTF8_REPLACEMENT, strlen(UTF8_REPLACEMENT));
        else if (*name == ';')
            outfile_write(out, ":", 1);
        else if (*name == '\n' || *name == '\t')
            outfile_write(out, " ", 1);
        else
            outfile_write(out, name, size);
        size = size > 0 ? size : 1;
        name += size;
        length -= size;
    }
}

static void put_stack(struct outfile *out, const struct flame_walk *walk, int64_t weight)
{
    const struct flame *flame = walk->ordered->flame;
    char number[NUMBER_MAX];

    for (size_t i = 1; i <= walk->depth; i++) {
        if (i > 1)
            outfile_write(out, ";", 1);
        put_frame(out, flame->names.items[flame->nodes.items[walk->open[i]].name].bytes);
    }
    int length = snprintf(number, sizeof number, " %" PRId64 "\n", weight);
    outfile_write(out, number, (size_t)length);
}

/* Writes a line for each stack: "outer;inner;operator 1234", ns or executions, as flamegraph.pl and speedscope read
 * them, in the order of the frames' names. */
static int put_stacks(const struct flame_order *ordered, const char *path, uint64_t *ret_stacks, struct err *err)
{
    struct outfile out = {.path = NULL};
    struct flame_walk walk;
    uint32_t node;

    if (outfile_open(&out, path, err) != 0)
        return err_status(err);
    flame_walk_begin(&walk, ordered, 0, 0, 1);
    while (flame_walk_next(&walk, &node)) {
        int64_t self = ordered->flame->nodes.items[node].self;
        if (self > 0) {
            put_stack(&out, &walk, self);
            ++*ret_stacks;
        }
    }
    return outfile_commit(&out, err);
}

/* ---- the picture ---- */

#define PICTURE_WIDTH 1200
#define PICTURE_MARGIN 10
#define PICTURE_HEAD 46
#define FRAME_HEIGHT 18
#define FRAME_LEAST 0.2  /* pixels; narrower ones are not drawn */
#define LABEL_LEAST 24.0 /* pixels that a frame with a label has */
#define LETTER_WIDTH 7.0 /* about */

static const char picture_style[] = "svg{font:12px monospace;background:#fff}"
                                    "text{fill:#111}rect{stroke:#fff;stroke-width:.5}"
                                    "svg svg:hover rect{stroke:#111;stroke-width:2}";

struct picture {
    struct html_writer w;
    const struct flame *flame;
    double scale;     /* pixels for each unit of weight */
    uint32_t depth;   /* rows */
    uint64_t omitted; /* frames that are too narrow */
};

static void put_amount(struct html_writer *w, const struct flame *flame, int64_t weight)
{
    if (flame->weight == FLAME_COUNT)
        html_text_f(w, "%" PRId64 " execution%s", weight, weight == 1 ? "" : "s");
    else
        html_text_f(w, "%" PRId64 ".%03d us", weight / 1000, (int)(weight % 1000));
}

void flame_put_colour(struct html_writer *w, const char *name)
{
    uint64_t hash = map_hash_bytes(name, strlen(name));

    html_attribute_f(w, "fill", "hsl(%u,%u%%,%u%%)", (unsigned)(hash % 50), 70 + (unsigned)(hash / 50 % 20),
                     66 + (unsigned)(hash / 1000 % 12));
}

static void put_label(struct html_writer *w, const char *name, double width)
{
    size_t room = (size_t)((width - 6) / LETTER_WIDTH), length = strlen(name);

    if (width < LABEL_LEAST)
        return;
    html_open_f(w, "text", "x=3|y=13");
    if (length > room) {
        html_text_of(w, name, utf8_cut(name, room - 2));
        html_text(w, "..");
    } else {
        html_text_of(w, name, length);
    }
    html_close(w);
}

/* A frame, and everything of it in a window of its own, which cuts long labels off. */
static void put_box(struct picture *picture, uint32_t node, double x, double width)
{
    struct html_writer *w = &picture->w;
    const struct flame *flame = picture->flame;
    const struct flame_node *it = &flame->nodes.items[node];
    const char *name = flame->names.items[it->name].bytes;
    int64_t whole = flame->nodes.items[FLAME_ROOT].total;

    if (width < FRAME_LEAST) {
        picture->omitted++;
        return;
    }
    html_open_f(w, "svg", "x=%.2f|y=%u|width=%.2f|height=%u", x,
                PICTURE_HEAD + (picture->depth - it->depth) * FRAME_HEIGHT, width, FRAME_HEIGHT);
    html_open(w, "title");
    html_name(w, name, strlen(name));
    html_text(w, ": ");
    put_amount(w, flame, it->total);
    html_text_f(w, ", %.2f %% of all", 100 * (double)it->total / (double)whole);
    if (it->self > 0 && it->self != it->total) {
        html_text(w, "; ");
        put_amount(w, flame, it->self);
        html_text(w, " by itself");
    }
    html_close(w);
    html_open_f(w, "rect", "width=100%%|height=100%%");
    flame_put_colour(w, name);
    html_close(w);
    put_label(w, name, width);
    html_close(w);
    html_raw(w, "\n");
}

static void put_line(struct html_writer *w, unsigned y, const char *anchor)
{
    html_open_f(w, "text", "x=%d|y=%u", PICTURE_MARGIN, y);
    if (anchor != NULL)
        html_attribute(w, "font-weight", anchor);
}

static void put_head(struct picture *picture, unsigned height)
{
    static const char *const titles[FLAME_WEIGHTS] = {LANGUAGE_MARK("Time of devices by stack"),
                                                      LANGUAGE_MARK("Time of the host by stack"),
                                                      LANGUAGE_MARK("Executions by stack")};
    struct html_writer *w = &picture->w;
    const struct flame *flame = picture->flame;

    html_raw(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    html_open_f(w, "svg", "xmlns=http://www.w3.org/2000/svg|viewBox=0 0 %d %u|width=%d|height=%u", PICTURE_WIDTH,
                height, PICTURE_WIDTH, height);
    html_element(w, "style", picture_style);
    html_raw(w, "\n");
    put_line(w, 18, "bold");
    html_text(w, titles[flame->weight]);
    html_close(w);
    put_line(w, 36, NULL);
    put_amount(w, flame, flame->nodes.items[FLAME_ROOT].total);
    html_text(w, " in all; the outermost frame is at the bottom");
    html_close(w);
    html_raw(w, "\n");
}

static uint32_t drawn_depth(const struct flame *flame, double scale)
{
    uint32_t depth = 1;

    for (size_t i = FLAME_ROOT + 1; i < flame->nodes.count; i++)
        if ((double)flame->nodes.items[i].total * scale >= FRAME_LEAST && flame->nodes.items[i].depth > depth)
            depth = flame->nodes.items[i].depth;
    return depth;
}

static void put_foot(struct picture *picture, unsigned height)
{
    struct html_writer *w = &picture->w;

    if (picture->omitted > 0) {
        put_line(w, height - 10, NULL);
        html_text_f(w, "%" PRIu64 " frame%s narrower than %.1f pixels %s not drawn", picture->omitted,
                    picture->omitted == 1 ? "" : "s", FRAME_LEAST, picture->omitted == 1 ? "is" : "are");
        html_close(w);
        html_raw(w, "\n");
    }
    html_close(w);
    html_raw(w, "\n");
}

/* Draws a picture that says its numbers where the pointer rests. */
static int put_picture(const struct flame_order *ordered, const char *path, uint64_t *ret_stacks, struct err *err)
{
    const struct flame_node *nodes = ordered->flame->nodes.items;
    struct picture picture = {.flame = ordered->flame};
    struct outfile out = {.path = NULL};
    struct flame_walk walk;
    uint32_t node;

    if (outfile_open(&out, path, err) != 0)
        return err_status(err);
    html_init(&picture.w, &out);
    picture.scale = (PICTURE_WIDTH - 2.0 * PICTURE_MARGIN) / (double)nodes[FLAME_ROOT].total;
    picture.depth = drawn_depth(ordered->flame, picture.scale);
    unsigned height = PICTURE_HEAD + (picture.depth + 2) * FRAME_HEIGHT;
    put_head(&picture, height);
    flame_walk_begin(&walk, ordered, PICTURE_MARGIN, picture.scale, 1);
    while (flame_walk_next(&walk, &node))
        put_box(&picture, node, walk.x, walk.width);
    put_foot(&picture, height);
    for (size_t i = 0; i < ordered->count; i++)
        *ret_stacks += nodes[ordered->nodes[i]].self > 0;
    return outfile_commit(&out, err);
}

/* ---- the report ---- */

int export_flame(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    static const char *const weights[FLAME_WEIGHTS] = {"device", "host", "count"};
    SCOPED(flame_release) struct flame flame = {.weight = options->flame_weight};
    SCOPED(flame_order_release) struct flame_order ordered = {.nodes = NULL};
    SCOPED(strbuf_release) struct strbuf path;

    *ret = (struct export_result){.files = 0};
    strbuf_init(&path, SIZE_MAX / 2);
    strbuf_addf(&path, "%s/flame_%s.%s", options->directory, weights[options->flame_weight],
                options->flame_picture ? "svg" : "collapsed");
    progress_update(options->progress, "flame", 0, 2);
    int status = path.failed ? err_no_memory(err) : flame_make(db, options->flame_weight, &flame, err);
    progress_update(options->progress, "flame", 1, 2);
    if (status == 0 && flame.nodes.items[FLAME_ROOT].total > 0) /* without any there is no file */
        status = flame_order(&flame, false, &ordered, err) == 0
                     ? (options->flame_picture ? put_picture : put_stacks)(&ordered, path.data, &ret->rows, err)
                     : err_status(err);
    ret->files = status == 0 && ret->rows > 0;
    if (ret->files > 0 && options->written != NULL)
        options->written(options->written_arg, "flame", path.data);
    return status;
}
