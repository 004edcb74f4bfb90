/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/answers/outcome.h"

#include "base/array.h"
#include "exporters/cann_report.h"
#include "exporters/counters/pmu_metric.h"
#include "exporters/reports/answers/effects.h"
#include "exporters/table/report.h"
#include "parsers/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CHIP_OF_L2_METRICS 5 /* Atlas A2 and what came after it */
#define CHIP_OF_CORE 5             /* where no chip is said, metrics have the columns of this one */

/* The next word of a list divided by commas; NULL at the end. */
static const char *next_word(const char **list, size_t *ret_length)
{
    const char *word = *list;
    if (word == NULL || *word == '\0')
        return NULL;
    *ret_length = strcspn(word, ",");
    *list = word + *ret_length + (word[*ret_length] == ',');
    return word;
}

static const struct record_kind *find_kind(const char *name, size_t length)
{
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if (strlen(record_kinds[i]->name) == length && memcmp(record_kinds[i]->name, name, length) == 0)
            return record_kinds[i];
    }
    return NULL;
}

bool outcome_has_table(const struct switch_effect *effect, const char *report)
{
    const char *kinds = effect->kinds, *word;
    size_t length;
    if (effect->reports != NULL && switch_list_has(effect->reports, report, strlen(report)))
        return true;
    while ((word = next_word(&kinds, &length)) != NULL) {
        const struct record_kind *kind = find_kind(word, length);
        const struct series_report *series = kind != NULL ? kind->series : NULL;
        for (; series != NULL && series->name != NULL; series++) {
            if (series->columns != NULL && strcmp(series->name, report) == 0)
                return true;
        }
    }
    return false;
}

/* ---- columns ---- */

static int add_column(struct outcome_table *table, const char *title, struct err *err)
{
    char *copy = strdup(title);
    if (copy == NULL || (table->column_count == table->column_capacity &&
                         array_grow(&table->columns, &table->column_capacity, table->column_count, 1,
                                    sizeof *table->columns, err) < 0)) {
        free(copy);
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    table->columns[table->column_count++] = copy;
    return 0;
}

static int add_metrics(struct outcome_table *table, const struct switch_finding *finding, int64_t chip, struct err *err)
{
    const char *metrics = switch_option_value(finding, "aic_metrics");
    struct pmu_columns columns;
    int status = 0;
    if (metrics == NULL || strcmp(metrics, "None") == 0)
        return 0;
    struct pmu_input input = {.chip = chip >= 0 ? chip : CHIP_OF_CORE, .metrics = metrics, .aiv_metrics = metrics};
    if (input.chip == CHIP_OF_CORE && strcmp(metrics, "PipeUtilization") == 0)
        input.metrics = "PipeUtilizationExct"; /* as the collector of this chip counts it */
    pmu_columns_init(&columns, &input);
    for (size_t i = 0; status == 0 && i < columns.count; i++)
        status = add_column(table, columns.titles[i], err);
    return status;
}

/* What a file of the table has: of SVP, the guide's columns. */
static int add_report_columns(struct outcome_table *table, int family, struct err *err)
{
    const struct report *const *all = report_all(err);
    int status = 0;
    if (all == NULL)
        return -(int)err->code;
    const struct report *report = report_find_file(all, table->name, family);
    for (const struct report_column *column = report != NULL ? report->columns : NULL;
         status == 0 && column != NULL && column->title != NULL; column++) {
        if ((column->flags & (REPORT_INPUT | REPORT_VENDOR | REPORT_TERMINAL)) == 0)
            status = add_column(table, column->title, err);
    }
    return status;
}

static int add_cann_columns(struct outcome_table *table, const struct switch_finding *finding, int64_t chip,
                            struct err *err)
{
    int status = add_report_columns(table, CAPTURE_CANN, err);
    if (status == 0 && strcmp(table->name, "op_summary") == 0)
        status = add_metrics(table, finding, chip, err);
    return status;
}

/* ---- tables and layers ---- */

static void add_switch(struct outcome_table *table, const char *key)
{
    size_t i = 0;
    while (i + 1 < sizeof table->switches / sizeof *table->switches && table->switches[i] != NULL) {
        if (strcmp(table->switches[i++], key) == 0)
            return;
    }
    if (i + 1 < sizeof table->switches / sizeof *table->switches)
        table->switches[i] = key;
}

static int add_table(struct outcome *outcome, const struct switch_finding *finding, const struct switch_effect *effect,
                     const char *name, struct err *err)
{
    for (size_t i = 0; i < outcome->tables.count; i++) {
        if (strcmp(outcome->tables.items[i].name, name) == 0) {
            add_switch(&outcome->tables.items[i], effect->key);
            return 0;
        }
    }
    if (array_reserve(&outcome->tables, 1, err) < 0)
        return -(int)err->code;
    struct outcome_table *table = &outcome->tables.items[outcome->tables.count++];
    *table = (struct outcome_table){.name = name};
    add_switch(table, effect->key);
    return finding->writer == SWITCH_SVP ? add_report_columns(table, CAPTURE_SVP, err)
                                         : add_cann_columns(table, finding, outcome->chip, err);
}

static int add_layer(struct outcome_layers *layers, const char *key, const char *name, size_t length, struct err *err)
{
    for (size_t i = 0; i < layers->count; i++) {
        if (layers->items[i].length == length && memcmp(layers->items[i].name, name, length) == 0)
            return 0;
    }
    if (array_reserve(layers, 1, err) < 0)
        return -(int)err->code;
    layers->items[layers->count++] = (struct outcome_layer){name, length, key};
    return 0;
}

/* Those of a list divided by commas. */
static int add_layers(struct outcome_layers *layers, const struct switch_effect *effect, const char *list,
                      struct err *err)
{
    const char *word;
    size_t length;
    int status = 0;
    while (status == 0 && (word = next_word(&list, &length)) != NULL)
        status = add_layer(layers, effect->key, word, length, err);
    return status;
}

static int add_series(struct outcome *outcome, const struct switch_finding *finding, const struct switch_effect *effect,
                      struct err *err)
{
    const char *kinds = effect->kinds, *word;
    size_t length;
    int status = 0;
    while (status == 0 && (word = next_word(&kinds, &length)) != NULL) {
        const struct record_kind *kind = find_kind(word, length);
        const struct series_report *series = kind != NULL ? kind->series : NULL;
        for (; status == 0 && series != NULL && series->name != NULL; series++) {
            bool sampled = strstr(series->name, "_utilization") != NULL && strncmp(series->name, "ai_", 3) == 0;
            bool of_earlier = series->families != 0 && (series->families & FAMILY_OF(CAPTURE_CANN)) == 0;
            if (of_earlier || sampled != (strcmp(effect->key, "aic_mode") == 0))
                continue; /* counters of tasks and at intervals are records of one kind */
            if (series->columns != NULL)
                status = add_table(outcome, finding, effect, series->name, err);
            if (status == 0 && series->process != NULL)
                status = add_layer(&outcome->layers, effect->key, series->process, strlen(series->process), err);
        }
    }
    return status;
}

static int add_reports(struct outcome *outcome, const struct switch_finding *finding,
                       const struct switch_effect *effect, struct err *err)
{
    if (effect->reports == NULL)
        return 0;
    int family = finding->writer == SWITCH_SVP ? CAPTURE_SVP : CAPTURE_CANN;
    const struct report *const *report = report_all(err);
    int status = 0;
    if (report == NULL)
        return -(int)err->code;
    for (; status == 0 && *report != NULL; report++) {
        if (((*report)->families & FAMILY_OF(family)) != 0 &&
            switch_list_has(effect->reports, (*report)->name, strlen((*report)->name)))
            status = add_table(outcome, finding, effect, (*report)->name, err);
    }
    return status;
}

/* Whether the option that an effect needs beside its own is on. */
static bool has_company(const struct switch_finding *finding, const struct switch_effect *effect)
{
    const char *value = effect->with != NULL ? switch_option_value(finding, effect->with) : NULL;
    return effect->with == NULL || (value != NULL && *value != '\0' && strcmp(value, "off") != 0);
}

static int add_effect(struct outcome *outcome, const struct switch_finding *finding, const struct switch_effect *effect,
                      const char *value, struct err *err)
{
    bool there = outcome->chip == OUTCOME_EVERY_CHIP || switch_effect_on_chip(effect, outcome->chip);
    int status = array_reserve(&outcome->effects, 1, err);
    if (status < 0)
        return status;
    outcome->effects.items[outcome->effects.count++] = (struct outcome_effect){effect, value, there};
    if (!there || !has_company(finding, effect))
        return 0;
    status = add_reports(outcome, finding, effect, err);
    if (status == 0)
        status = add_layers(&outcome->layers, effect, effect->layers, err);
    if (status == 0)
        status = add_layers(&outcome->files, effect, effect->files, err);
    return status == 0 ? add_series(outcome, finding, effect, err) : status;
}

/* Devices that measure their frequency have it on the timeline whatever is collected. */
static int add_frequency(struct outcome *outcome, const struct switch_finding *finding, struct err *err)
{
    static const char name[] = "AI Core Freq";
    bool any = false;
    for (size_t i = 0; i < outcome->effects.count; i++)
        any |= outcome->effects.items[i].on_chip;
    if (!any || finding->writer == SWITCH_SVP ||
        (outcome->chip != OUTCOME_EVERY_CHIP && !cann_chip_measures_frequency(outcome->chip)))
        return 0;
    return add_layer(&outcome->layers, NULL, name, sizeof name - 1, err);
}

int outcome_of(const struct switch_finding *finding, int64_t chip, struct outcome *ret, struct err *err)
{
    unsigned writers = (finding->writer & (SWITCH_MINDSPORE | SWITCH_PYTORCH)) != 0 ? SWITCH_ACL : finding->writer;
    const struct switch_effect *effect = effects_all(err);
    int status = 0;
    *ret = (struct outcome){.chip = chip};
    if (effect == NULL)
        return -(int)err->code;
    for (; status == 0 && effect->key != NULL; effect++) {
        const char *value = switch_option_value(finding, effect->key);
        if ((effect->writers & writers) != 0 && value != NULL && switch_has_effect(effect, effect->key, value))
            status = add_effect(ret, finding, effect, value, err);
    }
    return status == 0 ? add_frequency(ret, finding, err) : status;
}

/* ---- what does less than one may expect ---- */

static bool is_first_of_key(const struct outcome *outcome, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(outcome->effects.items[i].effect->key, outcome->effects.items[index].effect->key) == 0)
            return false;
    }
    return true;
}

static bool is_on_chip(const struct outcome *outcome, const char *key)
{
    for (size_t i = 0; i < outcome->effects.count; i++) {
        if (outcome->effects.items[i].on_chip && strcmp(outcome->effects.items[i].effect->key, key) == 0)
            return true;
    }
    return false;
}

static int warn_of_metrics(const struct outcome *outcome, struct switch_finding *finding, struct err *err)
{
    const char *metrics = switch_option_value(finding, "aic_metrics");
    struct pmu_columns columns = {.count = 0};
    if (metrics == NULL || finding->writer == SWITCH_SVP || outcome->chip < 0 ||
        switch_list_has("None,Custom", metrics, strcspn(metrics, ":")))
        return 0;
    struct pmu_input input = {.chip = outcome->chip, .metrics = metrics, .aiv_metrics = metrics};
    pmu_columns_init(&columns, &input);
    bool is_there = columns.count > 0 && (strcmp(metrics, "L2Cache") != 0 || outcome->chip >= FIRST_CHIP_OF_L2_METRICS);
    return is_there ? 0
                    : finding_warning(finding, "aic_metrics", metrics, NULL, err,
                                      "chip %" PRId64 " has no such counters", outcome->chip);
}

int outcome_warn(const struct outcome *outcome, struct switch_finding *finding, struct err *err)
{
    int status = warn_of_metrics(outcome, finding, err);
    for (size_t i = 0; status == 0 && i < outcome->effects.count; i++) {
        const struct outcome_effect *item = &outcome->effects.items[i];
        const struct switch_effect *effect = item->effect;
        if (is_first_of_key(outcome, i) && !is_on_chip(outcome, effect->key))
            status = finding_warning(finding, effect->key, item->value, NULL, err, "chip %" PRId64 " has nothing of it",
                                     outcome->chip);
        else if (!has_company(finding, effect))
            status = finding_warning(finding, effect->key, item->value, NULL, err, "%s: no table has it without %s",
                                     effect->what, effect->with);
    }
    return status;
}

void outcome_release(struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->tables.count; i++) {
        for (size_t j = 0; j < outcome->tables.items[i].column_count; j++)
            free(outcome->tables.items[i].columns[j]);
        free(outcome->tables.items[i].columns);
    }
    free(outcome->tables.items);
    free(outcome->effects.items);
    free(outcome->layers.items);
    free(outcome->files.items);
    *outcome = (struct outcome){.chip = OUTCOME_EVERY_CHIP};
}
