/* SPDX-License-Identifier: Apache-2.0 */
/* Advice about an OPPROF directory: its rules are queries (rules/opprof_rule.h). */
#include "base/language.h"
#include "db/query/query_loop.h"
#include "features/feature.h"
#include "features/opprof/opprof_measures.h"
#include "features/opprof/opprof_page.h"
#include "features/opprof/opprof_views.h"
#include "features/opprof/rules/opprof_rule.h"

#include <stdio.h>
#include <string.h>

enum { VALUE, AT_STAKE, WHOLE, SENTENCE, NAME, TIME, SHARE, COUNT };

struct taking {
    struct advice *advice;
    struct finding *finding;
};

/* The first row is the finding; it fires when its value is beyond the limit. */
static int take_row(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct taking *taking = arg;
    struct finding *finding = taking->finding;
    if (finding->row_count == 0) {
        finding->value = sqlite3_column_double(row, VALUE);
        finding->at_stake_ns = sqlite3_column_double(row, AT_STAKE) / 1e3;
        finding->whole_ns = sqlite3_column_double(row, WHOLE) / 1e3;
        finding->fired = finding->value > finding->threshold;
        snprintf(finding->sentence, sizeof finding->sentence, "%s", query_text(row, SENTENCE));
    }
    if (!finding->fired || finding->row_count == FINDING_ROWS)
        return 0;
    struct finding_row *next = &finding->rows[finding->row_count++];
    *next = (struct finding_row){.launcher = "",
                                 .time_ns = sqlite3_column_double(row, TIME) / 1e3,
                                 .share = sqlite3_column_double(row, SHARE),
                                 .count = query_integer(row, COUNT),
                                 .at_ns = INT64_MIN};
    return intern_keep(&taking->advice->texts, query_text(row, NAME), &next->name, err);
}

/* Sets not_checked where a table that the rule needs has no rows, or lacks its values. */
static int look_for_tables(sqlite3 *db, struct advice *advice, struct finding *finding, struct err *err)
{
    const struct opprof_rule *rule = finding->rule->of_tree;
    char text[512];
    for (size_t i = 0; i < 2 && rule->tables[i] != NULL; i++) {
        int64_t there = 0;
        snprintf(text, sizeof text, "SELECT EXISTS (SELECT 1 FROM %s)", rule->tables[i]);
        if (query_number(db, text, &there, err) < 0)
            return err_status(err);
        if (there)
            continue;
        if (rule->metrics[i] != NULL)
            snprintf(text, sizeof text,
                     language_shown("%s.csv was not collected: 'msprof op --aic-metrics=%s' collects it"),
                     rule->metrics[i], rule->metrics[i]);
        else
            snprintf(text, sizeof text, language_shown("OpBasicInfo.csv is missing: copy the whole directory"));
        return intern_keep(&advice->texts, text, &finding->not_checked, err);
    }
    int64_t known = 1;
    if (rule->known != NULL) {
        snprintf(text, sizeof text, "SELECT EXISTS (%s)", rule->known);
        if (query_number(db, text, &known, err) < 0)
            return err_status(err);
    }
    if (!known)
        finding->not_checked = rule->lacks;
    return 0;
}

/* Where a rule found nothing: sets not_checked if one of several launches lacks a table that it needs. */
static int look_for_launches(sqlite3 *db, struct advice *advice, struct finding *finding, struct err *err)
{
    const struct opprof_rule *rule = finding->rule->of_tree;
    char text[512];
    for (size_t i = 0; i < 2 && rule->tables[i] != NULL; i++) {
        int64_t lacking = 0;
        snprintf(text, sizeof text,
                 "SELECT count(*) FROM capture_part WHERE (SELECT count(*) FROM capture_part) > 1 AND id NOT IN (SELECT"
                 " launch_id FROM %s)",
                 rule->tables[i]);
        if (query_number(db, text, &lacking, err) < 0)
            return err_status(err);
        if (lacking == 0)
            continue;
        const char *metric = rule->metrics[i];
        if (metric != NULL)
            snprintf(text, sizeof text,
                     language_counted_shown(
                         "%lld launch has no %s.csv, and the others pass: 'msprof op --aic-metrics=%s' collects it",
                         "%lld launches have no %s.csv, and the others pass: 'msprof op --aic-metrics=%s' collects it",
                         (uint64_t)lacking),
                     (long long)lacking, metric, metric);
        else
            snprintf(text, sizeof text,
                     language_counted_shown(
                         "%lld launch has no OpBasicInfo.csv, and the others pass: copy the whole directory",
                         "%lld launches have no OpBasicInfo.csv, and the others pass: copy the whole directory",
                         (uint64_t)lacking),
                     (long long)lacking);
        return intern_keep(&advice->texts, text, &finding->not_checked, err);
    }
    return 0;
}

static int hold_rule(sqlite3 *db, struct advice *advice, struct finding *finding, struct err *err)
{
    const struct opprof_rule *rule = finding->rule->of_tree;
    struct taking taking = {advice, finding};
    if (opprof_views_make(db, rule->sql, err) < 0 || look_for_tables(db, advice, finding, err) < 0)
        return err_status(err);
    if (finding->not_checked != NULL)
        return 0;
    if (query_run(db, rule->sql, NULL, 0, take_row, &taking, err) < 0)
        return err_status(err);
    return finding->fired ? 0 : look_for_launches(db, advice, finding, err);
}

static int advise(sqlite3 *db, const double *thresholds, struct advice *ret, struct err *err)
{
    *ret = (struct advice){.origin_ns = INT64_MIN};
    for (size_t i = 0; i < advice_rule_count; i++) {
        if (advice_rules[i]->of_tree == NULL)
            continue;
        struct finding *finding = &ret->findings[ret->rule_count++];
        *finding = (struct finding){.rule = advice_rules[i],
                                    .threshold = thresholds != NULL ? thresholds[i] : advice_rules[i]->threshold,
                                    .saves_ns = -1,
                                    .time_ns = INT64_MIN};
        if (hold_rule(db, ret, finding, err) < 0)
            return err_wrap(err, "rule %s", advice_rules[i]->id);
    }
    advice_sort(ret);
    return 0;
}

const struct feature feature_opprof = {
    .family = CAPTURE_OPPROF, .advise = advise, .measure = opprof_measure, .page = opprof_parts};
