/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of Python, operators, calls and kernels as an icicle, and as a table of the tree. */
#include "base/utf8.h"
#include "db/query/query_loop.h"
#include "features/flame/flame.h"
#include "features/page/page.h"

#include <string.h>

#define LEVELS_MAX 16
#define LEVEL_HEIGHT 20
#define ROWS_MAX 300
#define NARROWEST 0.5 /* of a box that is drawn */

struct icicle {
    struct html_page *page;
    const struct flame *flame;
    double whole; /* time of all stacks */
    size_t rows, left;
};

static const struct interned *name_of(const struct icicle *icicle, uint32_t node)
{
    return &icicle->flame->names.items[icicle->flame->nodes.items[node].name];
}

/* ---- drawing ---- */

#define LETTER_WIDTH 8 /* of most letters */
#define GAPS 6         /* on both sides */

/* Puts as much of the name as there is room for. */
static void put_label(struct icicle *icicle, uint32_t node, double x, double width)
{
    struct html_writer *w = &icicle->page->w;
    const struct interned *name = name_of(icicle, node);
    char hash[HTML_HASH_SIZE];
    const size_t letters = width > GAPS ? (size_t)((width - GAPS) / LETTER_WIDTH) : 0;
    const char *text = name->bytes;

    html_name_hash(name->bytes, name->length, hash);
    text = w->redact ? hash : text;
    const size_t length = strlen(text);
    if (letters < (length < 4 ? length : 4))
        return;
    html_open_f(w, "text", "class=inside ink|x=%.2f|y=%u", x + 3,
                (icicle->flame->nodes.items[node].depth - 1) * LEVEL_HEIGHT + 13);
    if (length > letters) {
        html_text_of(w, text, utf8_cut(text, letters - 2)); /* the ellipsis is wide, as "m" may be */
        html_text(w, "\xE2\x80\xA6");
    } else {
        html_text_of(w, text, length);
    }
    html_close(w);
}

static void put_box(struct icicle *icicle, uint32_t number, double x, double width)
{
    struct html_writer *w = &icicle->page->w;
    const struct flame_node *node = &icicle->flame->nodes.items[number];
    const struct interned *name = name_of(icicle, number);
    char text[NUMBER_MAX], hash[HTML_HASH_SIZE];

    if (node->depth > LEVELS_MAX || width < NARROWEST)
        return;
    html_name_hash(name->bytes, name->length, hash);
    html_open_f(w, "rect", "class=frame|x=%.2f|y=%u|width=%.2f|height=%d", x, (node->depth - 1) * LEVEL_HEIGHT, width,
                LEVEL_HEIGHT - 1);
    flame_put_colour(w, w->redact ? hash : name->bytes);
    html_open(w, "title");
    html_name(w, name->bytes, name->length);
    html_text_f(w, ": %s us", html_us(node->total, text));
    html_close(w);
    html_close(w);
    put_label(icicle, number, x, width);
}

static uint32_t levels(const struct flame *flame)
{
    uint32_t deepest = 0;

    for (size_t i = 0; i < flame->nodes.count; i++)
        deepest = flame->nodes.items[i].depth > deepest ? flame->nodes.items[i].depth : deepest;
    return deepest < LEVELS_MAX ? deepest : LEVELS_MAX;
}

/* ---- table ---- */

static void put_row(struct icicle *icicle, uint32_t number)
{
    struct html_page *page = icicle->page;
    const struct flame_node *node = &icicle->flame->nodes.items[number];

    if (icicle->rows == ROWS_MAX) {
        icicle->left++;
        return;
    }
    icicle->rows++;
    html_open(&page->w, "tr");
    html_cell_name(page, name_of(icicle, number)->bytes);
    html_cell_number(page, "%u|%.2f", node->depth, 100 * (double)node->total / icicle->whole);
    html_cell_us(page, node->total);
    html_cell_us(page, node->self);
    html_close(&page->w);
}

static int put_flame(struct html_page *page, const struct flame *flame, struct err *err)
{
    static const char *const heads[] = {"Frame", "#Depth", "#Share(%)", "#Total(us)", "#Self(us)"};
    struct icicle icicle = {.page = page, .flame = flame, .whole = (double)flame->nodes.items[FLAME_ROOT].total};
    SCOPED(flame_order_release) struct flame_order ordered = {.flame = flame};
    struct flame_walk walk;
    uint32_t node;

    if (icicle.whole <= 0)
        return 0;
    if (flame_order(flame, true, &ordered, err) < 0)
        return err_status(err);
    chart_begin_sized(page, "Time of devices by stack: Python and operators above what they launched",
                      "Stacks as boxes as wide as their time; the table below has the numbers",
                      (int)levels(flame) * LEVEL_HEIGHT);
    flame_walk_begin(&walk, &ordered, CHART_LEFT, CHART_WIDTH, icicle.whole);
    while (flame_walk_next(&walk, &node))
        put_box(&icicle, node, walk.x, walk.width);
    chart_end(page);
    html_table_begin(page, "Stacks as a tree", heads, sizeof heads / sizeof *heads);
    flame_walk_begin(&walk, &ordered, 0, 0, 1);
    while (flame_walk_next(&walk, &node))
        put_row(&icicle, node);
    html_table_end(page);
    if (icicle.left > 0)
        html_note(page, "And %zu more, which 'msprof export flame' writes.", icicle.left);
    return 0;
}

int html_put_layers(struct html_page *page, struct err *err)
{
    static const struct html_table layers = {.report = "layers", .subject = "layer", .bars = "share"};
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
        html_absent(page, "No stacks of Python were recorded: those of a framework's directory are shown here.");
        return 0;
    }
    status = flame_make_together(page->db, FLAME_DEVICE, &flame, err);
    if (status != 0)
        return status;
    status = put_flame(page, &flame, err);
    flame_release(&flame);
    return status;
}
