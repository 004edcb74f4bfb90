/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/offers.h"

#include "analysis/advice.h"
#include "analysis/compare/gate.h"
#include "base/intern.h"
#include "exporters/export.h"
#include "exporters/table/report.h"

#include <stdlib.h>
#include <string.h>

/* What cannot be had is not offered: a script of completion is no place for an error. */
static void add(struct intern *words, const char *word)
{
    struct err ignored = ERR_INIT;
    uint32_t number;

    (void)intern_add(words, word, strlen(word), &number, &ignored);
}

static void add_columns(struct intern *words, const struct report *report)
{
    struct report_plan plan = {.column_count = 0};
    struct err ignored = ERR_INIT;

    if (report_plan_take(&plan, report->columns, NULL, COLUMNS_VENDOR, &ignored) == 0)
        for (size_t i = 0; i < plan.column_count; i++)
            add(words, plan.columns[i].id);
    report_plan_release(&plan);
}

static void add_reports(struct intern *words, enum offer offer)
{
    struct err ignored = ERR_INIT;
    const struct report *const *report = report_all(&ignored);

    if (offer == OFFER_TABLES)
        add(words, "list");
    for (; report != NULL && *report != NULL; report++)
        if (offer == OFFER_TABLES)
            add(words, (*report)->name);
        else
            add_columns(words, *report);
}

static void add_layer(void *words, const char *name)
{
    add(words, name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct interned *)a)->bytes, ((const struct interned *)b)->bytes);
}

void offers_put(FILE *stream, enum offer offer)
{
    struct intern words = {.items = NULL};

    if (offer == OFFER_TABLES || offer == OFFER_COLUMNS)
        add_reports(&words, offer);
    for (size_t i = 0; offer == OFFER_METRICS && gate_metric_name(i) != NULL; i++)
        add(&words, gate_metric_name(i));
    for (size_t i = 0; offer == OFFER_RULES && i < RULES; i++)
        add(&words, rules[i].id);
    if (offer == OFFER_LAYERS)
        export_each_layer(add_layer, &words);
    if (words.count > 1)
        qsort(words.items, words.count, sizeof *words.items, by_text);
    for (size_t i = 0; i < words.count; i++)
        fprintf(stream, "%s%s", i > 0 ? " " : "", words.items[i].bytes);
    intern_release(&words);
}
