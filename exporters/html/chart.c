/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/html/chart.h"

void chart_begin_sized(struct html_page *page, const char *caption, const char *what, int height)
{
    struct html_writer *w = &page->w;

    html_open(w, "figure");
    html_element(w, "figcaption", caption);
    html_open(w, "svg");
    html_attribute_f(w, "viewBox", "0 0 %d %d", CHART_LEFT + CHART_WIDTH, height);
    html_attribute(w, "role", "img");
    html_attribute(w, "aria-label", what);
}

void chart_begin(struct html_page *page, const char *caption, const char *what)
{
    chart_begin_sized(page, caption, what, CHART_HEIGHT + 24);
}

void chart_line(struct html_writer *w, const char *class, double x1, double y1, double x2, double y2)
{
    html_open(w, "line");
    html_attribute(w, "class", class);
    html_attribute_f(w, "x1", "%.2f", x1);
    html_attribute_f(w, "y1", "%.2f", y1);
    html_attribute_f(w, "x2", "%.2f", x2);
    html_attribute_f(w, "y2", "%.2f", y2);
    html_close(w);
}

void chart_label(struct html_writer *w, const char *anchor, double x, double y, const char *text)
{
    html_open(w, "text");
    html_attribute(w, "text-anchor", anchor);
    html_attribute_f(w, "x", "%.2f", x);
    html_attribute_f(w, "y", "%.2f", y);
    html_text(w, text);
    html_close(w);
}

void chart_axes(struct html_writer *w, const char *top, const char *first, const char *last)
{
    chart_line(w, "axis", CHART_LEFT, 0, CHART_LEFT, CHART_HEIGHT);
    chart_line(w, "axis", CHART_LEFT, CHART_HEIGHT, CHART_LEFT + CHART_WIDTH, CHART_HEIGHT);
    chart_label(w, "end", CHART_LEFT - 6, 11, top);
    chart_label(w, "end", CHART_LEFT - 6, CHART_HEIGHT, "0");
    chart_label(w, "start", CHART_LEFT, CHART_HEIGHT + 16, first);
    chart_label(w, "end", CHART_LEFT + CHART_WIDTH, CHART_HEIGHT + 16, last);
}

void chart_end(struct html_page *page)
{
    html_close(&page->w);
    html_close(&page->w);
}

void chart_legend(struct html_page *page, const char *const *classes, const char *const *names, size_t count)
{
    struct html_writer *w = &page->w;

    html_open(w, "ul");
    html_attribute(w, "class", "legend");
    for (size_t i = 0; i < count; i++) {
        html_open(w, "li");
        html_open(w, "svg");
        html_attribute(w, "viewBox", "0 0 10 10");
        html_attribute(w, "aria-hidden", "true");
        html_open(w, "rect");
        html_attribute(w, "width", "10");
        html_attribute(w, "height", "10");
        html_attribute(w, "class", classes[i]);
        html_close(w);
        html_close(w);
        html_text(w, names[i]);
        html_close(w);
    }
    html_close(w);
}
