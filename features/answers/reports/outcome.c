/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/reports/outcome.h"

#include "base/language.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/words.h"
#include "db/database.h"
#include "db/query/query.h"
#include "db/query/query_loop.h"
#include "exporters/cann_report.h"
#include "exporters/counters/pmu_metric.h"
#include "exporters/extension.h"
#include "exporters/json_text.h"
#include "exporters/table/grid.h"
#include "exporters/table/report.h"
#include "parsers/record.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- effects ---- */

static struct switch_effect *effects; /* NULL: memory ran out */
static pthread_once_t made = PTHREAD_ONCE_INIT;

/* Made once, and never released. */
static void make_effects(void)
{
    size_t count = 0;
    while (switch_effects[count].key != NULL)
        count++;
    size_t last = count;
    for (size_t i = 0; record_kinds[i] != NULL; i++)
        last += record_kinds[i]->option != NULL;
    effects = calloc(last + 1, sizeof *effects);
    if (effects == NULL)
        return;
    memcpy(effects, switch_effects, count * sizeof *effects);
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if (record_kinds[i]->option != NULL)
            effects[count++] = (struct switch_effect){.key = record_kinds[i]->option,
                                                      .writers = SWITCH_GE | SWITCH_ACL,
                                                      .chips = SWITCH_EVERY_CHIP,
                                                      .what = record_kinds[i]->title,
                                                      .kinds = record_kinds[i]->name};
    }
}

const struct switch_effect *outcome_all_effects(struct err *err)
{
    pthread_once(&made, make_effects);
    if (effects == NULL)
        err_set(err, ERR_NO_MEMORY, "out of memory for the effects of options");
    return effects;
}

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
    if (effect->reports != NULL && words_list_has(effect->reports, report, strlen(report)))
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
    if (copy == NULL || array_reserve(&table->columns, 1, err) < 0) {
        free(copy);
        return err_no_memory(err);
    }
    table->columns.items[table->columns.count++] = copy;
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

/* Adds the columns that a file of the table has: of SVP, the guide's. */
static int add_report_columns(struct outcome_table *table, int family, struct err *err)
{
    const struct report *const *all = report_all(err);
    int status = 0;
    if (all == NULL)
        return err_status(err);
    const struct report *report = report_find_file(all, table->name, family);
    for (const struct report_column *column = report != NULL ? report->columns : NULL;
         status == 0 && column != NULL && column->title != NULL; column++) {
        if ((column->flags & (REPORT_INPUT | REPORT_VENDOR | REPORT_TERMINAL)) == 0)
            status = add_column(table, column->title, err);
    }
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
        return err_status(err);
    struct outcome_table *table = &outcome->tables.items[outcome->tables.count++];
    *table = (struct outcome_table){.name = name};
    add_switch(table, effect->key);
    bool svp = finding->writer == SWITCH_SVP;
    int status = add_report_columns(table, svp ? CAPTURE_SVP : CAPTURE_CANN, err);
    return status == 0 && !svp && strcmp(name, "op_summary") == 0 ? add_metrics(table, finding, outcome->chip, err)
                                                                  : status;
}

static int add_layer(struct outcome_layers *layers, const char *key, const char *name, size_t length, struct err *err)
{
    for (size_t i = 0; i < layers->count; i++) {
        if (layers->items[i].length == length && memcmp(layers->items[i].name, name, length) == 0)
            return 0;
    }
    return array_add(layers, err, (struct outcome_layer){name, length, key});
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
        return err_status(err);
    for (; status == 0 && *report != NULL; report++) {
        if (((*report)->families & FAMILY_OF(family)) != 0 &&
            words_list_has(effect->reports, (*report)->name, strlen((*report)->name)))
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
    if (array_add(&outcome->effects, err, (struct outcome_effect){effect, value, there}) < 0)
        return err_status(err);
    if (!there || !has_company(finding, effect))
        return 0;
    bool failed = add_reports(outcome, finding, effect, err) < 0 ||
                  add_layers(&outcome->layers, effect, effect->layers, err) < 0 ||
                  add_layers(&outcome->files, effect, effect->files, err) < 0;
    return failed ? err_status(err) : add_series(outcome, finding, effect, err);
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
    const struct switch_effect *effect = outcome_all_effects(err);
    int status = 0;
    *ret = (struct outcome){.chip = chip};
    if (effect == NULL)
        return err_status(err);
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
        words_list_has("None,Custom", metrics, strcspn(metrics, ":")))
        return 0;
    struct pmu_input input = {.chip = outcome->chip, .metrics = metrics, .aiv_metrics = metrics};
    pmu_columns_init(&columns, &input);
    bool is_there = columns.count > 0 && (strcmp(metrics, "L2Cache") != 0 || outcome->chip >= FIRST_CHIP_OF_L2_METRICS);
    return is_there ? 0
                    : switch_problem_add(&finding->warnings, "aic_metrics", metrics, NULL, err,
                                         "chip %" PRId64 " has no such counters", outcome->chip);
}

/* Chips 15 and 16 are Ascend 950. */
static int check_memory_frequency(const struct outcome *outcome, struct switch_finding *finding, struct err *err)
{
    const char *key = "sys_hardware_mem_freq", *frequency = switch_option_value(finding, key);
    int64_t number;
    if (frequency == NULL || outcome->chip < 0 || outcome->chip == 15 || outcome->chip == 16 ||
        number_parse_integer(frequency, strlen(frequency), &number) != 0 || number <= 100)
        return 0;
    return switch_problem_add(&finding->problems, key, frequency, "100", err,
                              "on chip %" PRId64 " it must be a number from 1 to 100; chips 15 and 16 take up to 10000",
                              outcome->chip);
}

int outcome_warn(const struct outcome *outcome, struct switch_finding *finding, struct err *err)
{
    int status = check_memory_frequency(outcome, finding, err);
    if (status == 0)
        status = warn_of_metrics(outcome, finding, err);
    for (size_t i = 0; status == 0 && i < outcome->effects.count; i++) {
        const struct outcome_effect *item = &outcome->effects.items[i];
        const struct switch_effect *effect = item->effect;
        if (is_first_of_key(outcome, i) && !is_on_chip(outcome, effect->key))
            status = switch_problem_add(&finding->warnings, effect->key, item->value, NULL, err,
                                        "chip %" PRId64 " has nothing of it", outcome->chip);
        else if (!has_company(finding, effect))
            status = switch_problem_add(&finding->warnings, effect->key, item->value, NULL, err,
                                        "%s: no table has it without %s", language_shown(effect->what), effect->with);
    }
    return status;
}

void outcome_release(struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->tables.count; i++) {
        for (size_t j = 0; j < outcome->tables.items[i].columns.count; j++)
            free(outcome->tables.items[i].columns.items[j]);
        free(outcome->tables.items[i].columns.items);
    }
    free(outcome->tables.items);
    free(outcome->effects.items);
    free(outcome->layers.items);
    free(outcome->files.items);
    *outcome = (struct outcome){.chip = OUTCOME_EVERY_CHIP};
}

/* ---- absence ---- */

#define MOST_SETTING 128 /* bytes of a setting that a sentence shows */

/* All that the capture says of one effect. */
struct trace {
    const struct switch_effect *effect;
    bool on_chip; /* one of its chips has it, or none of them is known */
    bool said;    /* its setting is known: */
    char setting[MOST_SETTING];
};

static int take_chip(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct trace *trace = arg;
    int64_t chip = query_integer(row, 0);
    (void)err;
    trace->on_chip |= chip == DB_NULL || switch_effect_on_chip(trace->effect, chip);
    return 0;
}

/* A setting that is on in one part is on. */
static int take_setting(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct trace *trace = arg;
    const char *name = query_text(row, 0), *text = query_text(row, 1);
    (void)err;
    if (name == NULL || text == NULL || strcmp(name, trace->effect->setting) != 0 ||
        (trace->said && switch_was_on(trace->effect, trace->setting)))
        return 0;
    trace->said = true;
    snprintf(trace->setting, sizeof trace->setting, "%s", *text != '\0' ? text : "off");
    return 0;
}

static int ask_trace(sqlite3 *db, struct trace *trace, struct err *err)
{
    static const char chips[] = "SELECT DISTINCT chip FROM capture_part WHERE NOT is_host AND chip IS NOT NULL"
                                " UNION ALL SELECT NULL WHERE NOT EXISTS"
                                " (SELECT 1 FROM capture_part WHERE NOT is_host AND chip IS NOT NULL)";
    if (query_run(db, chips, NULL, 0, take_chip, trace, err) < 0)
        return err_status(err);
    return trace->effect->setting != NULL
               ? query_run(db, "SELECT name, value FROM setting ORDER BY part_id", NULL, 0, take_setting, trace, err)
               : 0;
}

static void put_need(char ret[MOST_SETTING], const struct switch_effect *effect)
{
    const struct switch_rule *rule = switch_rule_find(effect->key, effect->writers);
    bool is_switch = rule != NULL && rule->check == SWITCH_WORD && words_list_has(rule->words, "on", 2);
    const char *value = effect->value != NULL ? effect->value : is_switch ? "on" : NULL;
    snprintf(ret, MOST_SETTING, "%s%s%s", effect->key, value != NULL ? " = " : "", value != NULL ? value : "");
}

static void put_reason(struct strbuf *ret, const struct trace *trace)
{
    const struct switch_effect *effect = trace->effect;
    char setting[MOST_SETTING], need[MOST_SETTING];
    put_need(need, effect);
    snprintf(setting, sizeof setting, "%s", trace->setting);
    utf8_mask(setting);
    if (!trace->on_chip) {
        strbuf_adds(ret, language_said("; chips of this kind do not have it"));
    } else if (trace->said && switch_was_on(effect, trace->setting)) {
        strbuf_addf(ret, language_said(", though %s was set"), need);
    } else if (trace->said) {
        strbuf_addf(ret, language_said("; it needs %s, which this capture had %s"), need, setting);
    } else {
        strbuf_addf(ret, language_said("; it needs %s"), need);
    }
}

/* The most specific effect: an option that was off before one that the capture does not record. */
static int find_cause(sqlite3 *db, const char *report, struct trace *ret, struct err *err)
{
    const struct switch_effect *effect = outcome_all_effects(err);
    if (effect == NULL)
        return err_status(err);
    for (; effect->key != NULL; effect++) {
        struct trace trace = {.effect = effect};
        if ((effect->writers & (SWITCH_GE | SWITCH_ACL)) == 0 || !outcome_has_table(effect, report))
            continue;
        if (ask_trace(db, &trace, err) < 0)
            return err_status(err);
        if (ret->effect == NULL || (trace.said && !ret->said && trace.on_chip))
            *ret = trace;
    }
    return 0;
}

int outcome_tell_absence(sqlite3 *db, const char *report, struct strbuf *ret, struct err *err)
{
    struct trace cause = {.effect = NULL};
    struct db_facts facts;
    if (db_read_facts(db, &facts, err) < 0)
        return err_status(err);
    if (facts.family != CAPTURE_SVP && find_cause(db, report, &cause, err) < 0)
        return err_status(err);
    strbuf_addf(ret, language_said("%s: no data"), report);
    if (cause.effect != NULL)
        put_reason(ret, &cause);
    return ret->failed ? err_no_memory(err) : 0;
}

/* ---- emptiness ---- */

/* Names the switches of sample.json as where they are set, and says who records it. */
static const struct asked {
    const char *setting, *name;
    enum recorded_by { BY_DEVICE, BY_CALLS, BY_MARKS } by;
} switches[] = {
    {"taskTime", "task_time", BY_DEVICE},      {"ai_core_profiling", "aic_metrics", BY_DEVICE},
    {"l2CacheTaskProfiling", "l2", BY_DEVICE}, {"hbmProfiling", "sys_hardware_mem_freq", BY_DEVICE},
    {"ascendcl", "ascendcl", BY_CALLS},        {"runtimeApi", "runtime_api", BY_CALLS},
    {"msproftx", "msproftx", BY_MARKS},
};

struct circumstances {
    int64_t said;    /* the capture says what was switched on */
    int64_t ended;   /* and when it ended */
    int64_t devices; /* that took part */
    int64_t by_us;   /* our own library made it, which drives no device */
    bool on[sizeof switches / sizeof *switches];
};

static int take_on(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct circumstances *now = arg;
    const char *name = query_text(row, 0);
    (void)err;
    for (size_t i = 0; name != NULL && i < sizeof switches / sizeof *switches; i++)
        now->on[i] |= strcmp(switches[i].setting, name) == 0;
    return 0;
}

static int ask_circumstances(sqlite3 *db, struct circumstances *ret, struct err *err)
{
    if (query_number(db, "SELECT count(*) FROM setting WHERE name = 'taskTime'", &ret->said, err) < 0 ||
        query_number(db, "SELECT count(end_ns) FROM capture_part", &ret->ended, err) < 0 ||
        query_number(db, "SELECT count(*) FROM capture_part WHERE NOT is_host", &ret->devices, err) < 0 ||
        query_number(db, "SELECT count(*) FROM setting WHERE name = 'collector' AND value LIKE 'libmsprof_acl%'",
                     &ret->by_us, err) < 0)
        return err_status(err);
    return query_run(db, "SELECT DISTINCT name FROM setting WHERE value NOT IN ('', 'off', '0')", NULL, 0, take_on, ret,
                     err);
}

/* "task_time and aic_metrics": those that are on and recorded by somebody; "" when there are none. */
static void list_asked(const struct circumstances *now, enum recorded_by by, struct strbuf *ret)
{
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (switches[i].by == by && now->on[i])
            strbuf_addf(ret, "%s%s", ret->length > 0 ? language_said(" and ") : "", switches[i].name);
}

/* A clause of the sentence follows. */
static void begin_reason(struct strbuf *ret, bool *any)
{
    strbuf_adds(ret, *any ? language_said("; ") : "");
    *any = true;
}

static void add_reasons(const struct circumstances *now, struct strbuf *ret)
{
    struct strbuf names[BY_MARKS + 1] = {{.data = NULL}};
    bool any = false;
    for (int by = BY_DEVICE; by <= BY_MARKS; by++) {
        strbuf_init(&names[by], ERR_TEXT_SIZE);
        list_asked(now, (enum recorded_by)by, &names[by]);
    }
    bool no_device = now->devices == 0 || now->by_us > 0;
    bool ended_early = now->said > 0 && now->ended == 0; /* calls and marks may have been, unwritten */
    if (ended_early) {
        begin_reason(ret, &any);
        strbuf_adds(ret, language_said("the program ended before profiling was stopped (no end_info)"));
    }
    if (names[BY_DEVICE].length > 0 && no_device) {
        begin_reason(ret, &any);
        strbuf_addf(ret, language_said("no device was recorded, the only source of %s"), names[BY_DEVICE].data);
    }
    if (names[BY_CALLS].length > 0 && !ended_early) {
        begin_reason(ret, &any);
        strbuf_addf(ret,
                    now->by_us > 0 ? language_said("no call of what %s asks for was seen (msprof run sees them)")
                                   : language_said("no call of what %s asks for was made"),
                    names[BY_CALLS].data);
    }
    if (names[BY_MARKS].length > 0 && !ended_early) {
        begin_reason(ret, &any);
        strbuf_addf(ret, language_said("the program set no mark, which %s asks for"), names[BY_MARKS].data);
    }
    if (now->said > 0 && names[BY_DEVICE].length + names[BY_CALLS].length + names[BY_MARKS].length == 0) {
        begin_reason(ret, &any);
        strbuf_adds(ret, language_said("the mask asks for nothing that is recorded"));
    }
    if (!any)
        strbuf_adds(ret, language_said("no model was executed, the program ended early, or profiling was off"));
    for (int by = BY_DEVICE; by <= BY_MARKS; by++)
        strbuf_release(&names[by]);
}

int outcome_tell_emptiness(sqlite3 *db, struct strbuf *ret, struct err *err)
{
    struct circumstances now = {.said = 0};
    int64_t records = 0, foreign = 0;
    if (query_number(db, "SELECT sum(records_decoded + records_rejected) FROM source_file", &records, err) < 0 ||
        query_number(db, "SELECT count(*) FROM diagnostics WHERE code LIKE 'file-%' AND code <> 'file-absent'",
                     &foreign, err) < 0 ||
        (records == 0 && foreign == 0 && ask_circumstances(db, &now, err) < 0))
        return err_status(err);
    if (records > 0 || foreign > 0)
        return 0;
    strbuf_adds(ret, language_said("nothing was recorded, because "));
    add_reasons(&now, ret);
    return ret->failed ? err_no_memory(err) : 0;
}

/* The numbers of chips, divided: all of them stand as their own. */
static void put_chips(FILE *stream, const struct switch_effect *effect, const char *divider)
{
    bool any = false;

    for (int chip = 0; chip <= SWITCH_MOST_CHIP; chip++) {
        if (!chip_is_known(chip) || !switch_effect_on_chip(effect, chip))
            continue;
        fprintf(stream, "%s%d", any ? divider : "", chip);
        any = true;
    }
}

/* ---- for people ---- */

static void print_problems(const char *title, const struct switch_problems *problems, FILE *stream)
{
    for (size_t i = 0; i < problems->count; i++) {
        const struct switch_problem *problem = &problems->items[i];

        if (i == 0)
            fputs(title, stream);
        fputs("  ", stream);
        grid_put_safe_line(stream, problem->key, false);
        if (*problem->value != '\0') {
            fputs(" = ", stream);
            grid_put_safe_line(stream, problem->value, false);
        }
        fputs(": ", stream);
        grid_put_safe_line(stream, problem->message, false);
        if (problem->suggestion != NULL) {
            language_print(stream, " (try ");
            grid_put_safe_line(stream, problem->suggestion, false);
            fputc(')', stream);
        }
        fputc('\n', stream);
    }
}

static void print_effects(const struct outcome *outcome, FILE *stream)
{
    language_print(stream, "\nCollected:\n");
    if (outcome->effects.count == 0)
        language_print(stream, "  nothing\n");
    for (size_t i = 0; i < outcome->effects.count; i++) {
        const struct outcome_effect *item = &outcome->effects.items[i];

        fprintf(stream, "  %s = ", item->effect->key);
        grid_put_safe_line(stream, item->value, false);
        if (!item->on_chip)
            language_print(stream, ": nothing on chip %" PRId64 "; ", outcome->chip);
        else
            fputs(": ", stream);
        fputs(language_shown(item->effect->what), stream);
        if (item->effect->chips != SWITCH_EVERY_CHIP) {
            language_print(stream, item->on_chip ? " (chips " : " is of chips ");
            put_chips(stream, item->effect, ", ");
            fputs(item->on_chip ? ")" : "", stream);
        }
        fputc('\n', stream);
    }
}

static void print_outputs(const struct outcome *outcome, FILE *stream)
{
    if (outcome->tables.count + outcome->files.count + outcome->layers.count > 0)
        language_print(stream, "\nFiles and columns:\n");
    for (size_t i = 0; i < outcome->tables.count; i++) {
        const struct outcome_table *table = &outcome->tables.items[i];

        fprintf(stream, "  %s_*.csv:", table->name);
        for (size_t j = 0; j < table->columns.count; j++)
            fprintf(stream, "%s %s", j > 0 ? "," : "", table->columns.items[j]);
        fputc('\n', stream);
    }
    for (size_t i = 0; i < outcome->files.count; i++)
        fprintf(stream, "  %.*s_*.json\n", (int)outcome->files.items[i].length, outcome->files.items[i].name);
    for (size_t i = 0; i < outcome->layers.count; i++)
        fprintf(stream, "%s%.*s", i == 0 ? language_shown("  msprof_*.json with the layers: ") : ", ",
                (int)outcome->layers.items[i].length, outcome->layers.items[i].name);
    fputs(outcome->layers.count > 0 ? "\n" : "", stream);
}

static void print_text(const struct switch_finding *finding, const struct outcome *outcome, const char *file,
                       FILE *stream)
{
    grid_put_safe_line(stream, file, false);
    language_print(stream, ": options of %s", switch_writer_name(finding->writer));
    if (outcome->chip != OUTCOME_EVERY_CHIP)
        language_print(stream, " on chip %" PRId64, outcome->chip);
    language_print(stream, finding->problems.count == 0 ? ": valid\n" : ": not valid\n");
    print_problems(language_shown("\nProblems:\n"), &finding->problems, stream);
    print_problems(language_shown("\nWarnings:\n"), &finding->warnings, stream);
    print_effects(outcome, stream);
    print_outputs(outcome, stream);
}

/* ---- for programs ---- */

/* A list divided by commas as an array. */
static void put_words(struct json_out *json, const char *key, const char *list)
{
    json_put_begin(json, key, '[');
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, ",");

        json_put_format(json, NULL, "\"%.*s\"", (int)length, list);
        list += length + (list[length] == ',');
    }
    json_put_end(json, ']');
}

static void put_problems(struct json_out *json, const char *key, const struct switch_problems *problems)
{
    json_put_begin(json, key, '[');
    for (size_t i = 0; i < problems->count; i++) {
        const struct switch_problem *problem = &problems->items[i];

        json_put_object(json, NULL, JSON_TEXT("key", problem->key), JSON_TEXT("value", problem->value),
                        JSON_TEXT("message", problem->message), JSON_TEXT("suggestion", problem->suggestion));
    }
    json_put_end(json, ']');
}

static void put_effects(struct json_out *json, const struct outcome *outcome)
{
    json_put_begin(json, "collects", '[');
    for (size_t i = 0; i < outcome->effects.count; i++) {
        const struct outcome_effect *item = &outcome->effects.items[i];

        if (!item->on_chip)
            continue;
        json_put_begin(json, NULL, '{');
        json_put_members(json, JSON_TEXT("switch", item->effect->key), JSON_TEXT("value", item->value),
                         JSON_TEXT("what", item->effect->what));
        json_put_begin(json, "chips", '[');
        put_chips(json->stream, item->effect, ",");
        json_put_end(json, ']');
        put_words(json, "kinds", item->effect->kinds);
        json_put_end(json, '}');
    }
    json_put_end(json, ']');
}

static void put_outputs(struct json_out *json, const struct outcome *outcome)
{
    json_put_begin(json, "outputs", '[');
    for (size_t i = 0; i < outcome->tables.count; i++) {
        const struct outcome_table *table = &outcome->tables.items[i];

        json_put_begin(json, NULL, '{');
        json_put_format(json, "file", "\"%s_*.csv\"", table->name);
        json_put_begin(json, "switches", '[');
        for (size_t j = 0; table->switches[j] != NULL; j++)
            json_put_text(json, NULL, table->switches[j]);
        json_put_end(json, ']');
        json_put_begin(json, "columns", '[');
        for (size_t j = 0; j < table->columns.count; j++)
            json_put_text(json, NULL, table->columns.items[j]);
        json_put_end(json, ']');
        json_put_end(json, '}');
    }
    for (size_t i = 0; i < outcome->files.count; i++) {
        const struct outcome_layer *file = &outcome->files.items[i];

        json_put_begin(json, NULL, '{');
        json_put_format(json, "file", "\"%.*s_*.json\"", (int)file->length, file->name);
        put_words(json, "switches", file->key);
        json_put_end(json, '}');
    }
    for (size_t i = 0; i < outcome->layers.count; i++) {
        const struct outcome_layer *layer = &outcome->layers.items[i];

        json_put_begin(json, NULL, '{');
        json_put_text(json, "file", "msprof_*.json");
        put_words(json, "switches", layer->key);
        json_put_format(json, "layer", "\"%.*s\"", (int)layer->length, layer->name);
        json_put_end(json, '}');
    }
    json_put_end(json, ']');
}

static void print_json(const struct switch_finding *finding, const struct outcome *outcome, const char *file,
                       FILE *stream)
{
    struct json_out json = {.stream = stream};

    json_put_begin(&json, NULL, '{');
    json_put_members(&json, JSON_TEXT("schema", SCHEMA_OPTIONS), JSON_TEXT("file", file),
                     JSON_TEXT("written_for", switch_writer_name(finding->writer)),
                     JSON_INTEGER("chip", outcome->chip == OUTCOME_EVERY_CHIP ? INT64_MIN : outcome->chip),
                     JSON_BOOL("valid", finding->problems.count == 0));
    put_problems(&json, "problems", &finding->problems);
    put_problems(&json, "warnings", &finding->warnings);
    put_effects(&json, outcome);
    put_outputs(&json, outcome);
    json_put_end(&json, '}');
    fputc('\n', stream);
}

void options_print(const struct switch_finding *finding, const struct outcome *outcome, const char *file,
                   enum options_format format, FILE *stream)
{
    if (format == OPTIONS_JSON)
        print_json(finding, outcome, file, stream);
    else
        print_text(finding, outcome, file, stream);
}

const struct export_extension export_extension_outcome = {.tell_absence = outcome_tell_absence,
                                                          .tell_emptiness = outcome_tell_emptiness};
