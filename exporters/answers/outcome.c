#include "exporters/answers/outcome.h"

#include "base/array.h"
#include "exporters/answers/effects.h"
#include "exporters/pmu/pmu_metric.h"
#include "exporters/report/report.h"
#include "parsers/record.h"

#include <stdlib.h>
#include <string.h>

#define CHIP_OF_CORE 5 /* where no chip is said, metrics have the columns of this one */

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

static int add_layer(struct outcome *outcome, const struct switch_effect *effect, const char *name, struct err *err)
{
    for (size_t i = 0; i < outcome->layers.count; i++) {
        if (strcmp(outcome->layers.items[i].name, name) == 0)
            return 0;
    }
    if (array_reserve(&outcome->layers, 1, err) < 0)
        return -(int)err->code;
    outcome->layers.items[outcome->layers.count++] = (struct outcome_layer){name, effect->key};
    return 0;
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
            if (sampled != (strcmp(effect->key, "aic_mode") == 0))
                continue; /* counters of tasks and at intervals are records of one kind */
            if (series->columns != NULL)
                status = add_table(outcome, finding, effect, series->name, err);
            if (status == 0 && series->process != NULL)
                status = add_layer(outcome, effect, series->process, err);
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

static int add_effect(struct outcome *outcome, const struct switch_finding *finding, const struct switch_effect *effect,
                      const char *value, struct err *err)
{
    bool there = outcome->chip == OUTCOME_EVERY_CHIP || switch_effect_on_chip(effect, outcome->chip);
    int status = array_reserve(&outcome->effects, 1, err);
    if (status < 0)
        return status;
    outcome->effects.items[outcome->effects.count++] = (struct outcome_effect){effect, value, there};
    if (!there)
        return 0;
    status = add_reports(outcome, finding, effect, err);
    return status == 0 ? add_series(outcome, finding, effect, err) : status;
}

int outcome_of(const struct switch_finding *finding, int64_t chip, struct outcome *ret, struct err *err)
{
    unsigned writers = (finding->writer & (SWITCH_MINDSPORE | SWITCH_PYTORCH)) != 0 ? SWITCH_ACL : finding->writer;
    const struct switch_effect *effect = effects_all(err);
    int status = effect != NULL ? 0 : -(int)err->code;
    *ret = (struct outcome){.chip = chip};
    for (; status == 0 && effect->key != NULL; effect++) {
        const char *value = switch_option_value(finding, effect->key);
        if ((effect->writers & writers) != 0 && value != NULL && switch_has_effect(effect, effect->key, value))
            status = add_effect(ret, finding, effect, value, err);
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
    *outcome = (struct outcome){.chip = OUTCOME_EVERY_CHIP};
}
