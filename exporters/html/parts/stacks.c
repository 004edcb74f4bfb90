/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of Python, operators, calls and kernels as an icicle, and as a table of the tree. */
#include "base/array.h"
#include "base/utf8.h"
#include "db/query/query_loop.h"
#include "exporters/flame/flame.h"
#include "exporters/html/chart.h"
#include "exporters/html/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_MAX 16
#define LEVEL_HEIGHT 20
#define ROWS_MAX 300
#define NARROWEST 0.5 /* of a box that is drawn */

struct child {
    uint32_t parent, node;
    int64_t total;
};

/* The tree with the children of each node together, the one with most time first. */
struct icicle {
    struct html_page *page;
    const struct flame *flame;
    struct child *children;
    size_t count;
    double whole; /* time of all stacks */
    size_t rows, left;
};

static int by_parent_and_total(const void *a, const void *b)
{
    const struct child *x = a, *y = b;

    if (x->parent != y->parent)
        return array_order(x->parent, y->parent);
    return x->total != y->total ? array_order(y->total, x->total) : array_order(x->node, y->node);
}

static size_t first_child(const struct icicle *icicle, uint32_t parent)
{
    size_t low = 0, high = icicle->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (icicle->children[middle].parent < parent)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct interned *name_of(const struct icicle *icicle, uint32_t node)
{
    return &icicle->flame->names.items[icicle->flame->nodes.items[node].name];
}

static double width_of(const struct icicle *icicle, int64_t total)
{
    return CHART_WIDTH * (double)total / icicle->whole;
}

/* A walk through the tree from parents to children; x: where a node's box begins. */
struct walked {
    uint32_t node;
    double x;
};
struct walk {
    struct walked *items;
    size_t count, capacity;
};

/* Lays the children of a node on the stack, the first of them on top. */
static int push_children(const struct icicle *icicle, struct walk *walk, const struct walked *at, struct err *err)
{
    size_t from = first_child(icicle, at->node), until = from;
    double x = at->x;

    while (until < icicle->count && icicle->children[until].parent == at->node)
        until++;
    if (array_reserve(walk, until - from, err) < 0)
        return -(int)err->code;
    for (size_t i = from; i < until; i++) {
        walk->items[walk->count + (until - 1 - i)] = (struct walked){icicle->children[i].node, x};
        x += width_of(icicle, icicle->children[i].total);
    }
    walk->count += until - from;
    return 0;
}

static int each_node(struct icicle *icicle, void (*each)(struct icicle *icicle, const struct walked *at),
                     struct err *err)
{
    struct walk walk = {.items = NULL};
    const struct walked root = {FLAME_ROOT, CHART_LEFT};
    int status = push_children(icicle, &walk, &root, err);

    while (status == 0 && walk.count > 0) {
        const struct walked at = walk.items[--walk.count];
        each(icicle, &at);
        status = push_children(icicle, &walk, &at, err);
    }
    free(walk.items);
    return status;
}

/* ---- drawing ---- */

#define LETTER_WIDTH 8 /* at most */

/* Puts as much of the name as there is room for. */
static void put_label(struct icicle *icicle, const struct walked *at, double width)
{
    struct html_writer *w = &icicle->page->w;
    const struct interned *name = name_of(icicle, at->node);
    char hash[HTML_HASH_SIZE];
    size_t letters = (size_t)(width / LETTER_WIDTH);
    const char *text = name->bytes;

    if (letters < 3)
        return;
    html_name_hash(name->bytes, name->length, hash);
    text = w->redact ? hash : text;
    html_open(w, "text");
    html_attribute(w, "class", "inside");
    html_attribute_f(w, "x", "%.2f", at->x + 3);
    html_attribute_f(w, "y", "%u", (icicle->flame->nodes.items[at->node].depth - 1) * LEVEL_HEIGHT + 13);
    html_text_of(w, text, strlen(text) >= letters ? utf8_cut(text, letters - 1) : strlen(text));
    html_close(w);
}

static void put_box(struct icicle *icicle, const struct walked *at)
{
    struct html_writer *w = &icicle->page->w;
    const struct flame_node *node = &icicle->flame->nodes.items[at->node];
    const struct interned *name = name_of(icicle, at->node);
    double width = width_of(icicle, node->total);
    char text[NUMBER_MAX];

    if (node->depth > LEVELS_MAX || width < NARROWEST)
        return;
    html_open(w, "rect");
    html_attribute(w, "class", "frame");
    html_attribute_f(w, "x", "%.2f", at->x);
    html_attribute_f(w, "y", "%u", (node->depth - 1) * LEVEL_HEIGHT);
    html_attribute_f(w, "width", "%.2f", width);
    html_attribute_f(w, "height", "%d", LEVEL_HEIGHT - 1);
    html_open(w, "title");
    html_name(w, name->bytes, name->length);
    html_text_f(w, ": %s us", html_us(node->total, text));
    html_close(w);
    html_close(w);
    put_label(icicle, at, width);
}

static uint32_t levels(const struct flame *flame)
{
    uint32_t deepest = 0;

    for (size_t i = 0; i < flame->nodes.count; i++)
        deepest = flame->nodes.items[i].depth > deepest ? flame->nodes.items[i].depth : deepest;
    return deepest < LEVELS_MAX ? deepest : LEVELS_MAX;
}

/* ---- table ---- */

static void put_row(struct icicle *icicle, const struct walked *at)
{
    struct html_page *page = icicle->page;
    const struct flame_node *node = &icicle->flame->nodes.items[at->node];

    if (icicle->rows == ROWS_MAX) {
        icicle->left++;
        return;
    }
    icicle->rows++;
    html_open(&page->w, "tr");
    html_cell_number(page, "%u", node->depth);
    html_cell_number(page, "%.2f", 100 * (double)node->total / icicle->whole);
    html_cell_us(page, node->total);
    html_cell_us(page, node->self);
    html_cell_name(page, name_of(icicle, at->node)->bytes);
    html_close(&page->w);
}

static int put_tree(struct icicle *icicle, struct err *err)
{
    static const char *const heads[] = {"#Depth", "#Share(%)", "#Total(us)", "#Self(us)", "Frame"};
    struct html_page *page = icicle->page;

    chart_begin_sized(page, "Time of devices by stack: Python and operators above what they launched",
                      "Stacks as boxes as wide as their time; the table below has the numbers",
                      (int)levels(icicle->flame) * LEVEL_HEIGHT);
    int status = each_node(icicle, put_box, err);
    chart_end(page);
    if (status != 0)
        return status;
    html_table_begin(page, "Stacks as a tree", heads, sizeof heads / sizeof *heads);
    status = each_node(icicle, put_row, err);
    html_table_end(page);
    if (icicle->left > 0)
        html_note(page, "And %zu more, which 'msprof export flame' writes.", icicle->left);
    return status;
}

static int put_flame(struct html_page *page, const struct flame *flame, struct err *err)
{
    struct icicle icicle = {.page = page, .flame = flame, .whole = (double)flame->nodes.items[FLAME_ROOT].total};

    if (icicle.whole <= 0)
        return 0;
    icicle.children = calloc(flame->nodes.count, sizeof *icicle.children);
    if (icicle.children == NULL)
        return err_no_memory(err);
    for (size_t i = 1; i < flame->nodes.count; i++)
        if (flame->nodes.items[i].total > 0)
            icicle.children[icicle.count++] =
                (struct child){flame->nodes.items[i].parent, (uint32_t)i, flame->nodes.items[i].total};
    array_sort(icicle.children, icicle.count, sizeof *icicle.children, by_parent_and_total);
    int status = put_tree(&icicle, err);
    free(icicle.children);
    return status;
}

int html_put_layers(struct html_page *page, struct err *err)
{
    static const struct html_table layers = {.report = "layers", .bars = "share"};
    struct flame flame;
    int64_t stacks = 0;
    int status = html_put_table(page, &layers, NULL, err);

    if (status != 0)
        return status;
    status =
        query_number(page->db, "SELECT count(*) FROM sqlite_temp_master WHERE name = 'framework_stack'", &stacks, err);
    if (status != 0)
        return status;
    if (stacks == 0) {
        html_note(page, "No stacks of Python were recorded: those of a framework's directory are shown here.");
        return 0;
    }
    status = flame_make(page->db, FLAME_DEVICE, &flame, err);
    if (status != 0)
        return status;
    status = put_flame(page, &flame, err);
    flame_release(&flame);
    return status;
}
