/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of a comparison: over steps, operators, gaps, calls of the host, and gates. */
#include "features/diff/compare.h"

#include "base/language.h"
#include "base/quantity.h"

#include <math.h>
#include <stdio.h>

static double change_of(const struct compare_row *row)
{
    return row->total_new - row->total_base;
}

/* By how much a step must grow for gaps and calls to count: they come and go by a hair. */
static double least_growth(const struct comparison *comparison)
{
    return comparison->options.least_change * comparison->step_base;
}

/* ---- the rest of a step ---- */

static double sum_of_changes(const struct compare_rows *rows)
{
    double sum = 0;

    for (size_t i = 0; i < rows->count; i++)
        sum += change_of(&rows->items[i]);
    return sum;
}

/* The row that changed most in the direction of sign; NULL: none by as much as counts. */
static const struct compare_row *most_changed(const struct compare_rows *rows, double sign, double least)
{
    const struct compare_row *most = NULL;

    for (size_t i = 0; i < rows->count; i++)
        if (sign * change_of(&rows->items[i]) > (most != NULL ? sign * change_of(most) : least))
            most = &rows->items[i];
    return most;
}

/* Names the gap and the call of the host that made it another one; else why the rows add up to another sum. */
static void name_rest(struct comparison *comparison)
{
    double change = comparison->rest_new - comparison->rest_base, least = least_growth(comparison);
    double sign = change > 0 ? 1 : -1, gaps = sum_of_changes(&comparison->gaps);
    const struct compare_row *gap = most_changed(&comparison->gaps, sign, least);
    const struct compare_row *call = most_changed(&comparison->calls, sign, least);
    char text[2][QUANTITY_MAX];
    size_t used = 0;

    if (fabs(change) <= least)
        return;
    if (gap != NULL && sign * gaps > least) {
        used = (size_t)snprintf(comparison->rest_cause, REST_TEXT_SIZE,
                                language_shown("gaps between operators %s, most of it '%.200s' %s"),
                                quantity_change(gaps, text[0]), gap->key, quantity_change(change_of(gap), text[1]));
        if (call != NULL && used < REST_TEXT_SIZE)
            snprintf(comparison->rest_cause + used, REST_TEXT_SIZE - used,
                     language_shown("; of host calls '%.200s' %s"), call->key,
                     quantity_change(change_of(call), text[0]));
        return;
    }
    snprintf(
        comparison->rest_cause, REST_TEXT_SIZE, "%s",
        change < 0
            ? language_shown("the rows add up to more than the step changed: they ran in parallel, or outside of steps")
            : language_shown(
                  "the rows add up to less than the step changed: fewer ran in parallel, or outside of steps"));
}

static void explain_rest(struct comparison *comparison)
{
    comparison->rest_base = comparison->step_base;
    comparison->rest_new = comparison->step_new;
    for (size_t i = 0; i < comparison->rows.count; i++) {
        comparison->rest_base -= comparison->rows.items[i].total_base;
        comparison->rest_new -= comparison->rows.items[i].total_new;
    }
    name_rest(comparison);
}

/* ---- the verdict ---- */

static bool any_regression(const struct compare_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].verdict == ROW_REGRESSION)
            return true;
    return false;
}

/* Groups of steps that one side alone has are no slower ones. */
static bool steps_grew(const struct compare_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].verdict == ROW_REGRESSION && rows->items[i].base_key != NULL &&
            rows->items[i].new_key != NULL)
            return true;
    return false;
}

/* Whether they grew together, too: what has another name now is gone under the old one. */
static bool grew_in_all(const struct comparison *comparison, const struct compare_rows *rows)
{
    double least = fmax(least_growth(comparison), 0), most = 0;

    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].verdict == ROW_REGRESSION)
            most = fmax(most, change_of(&rows->items[i]));
    return any_regression(rows) && sum_of_changes(rows) > least && most > 0;
}

/* Whether the time grew that gaps are a part of: the period, or the step where no period is known. Where it did not,
 * operators took what the gaps gave, or the other way round. true: neither is known. */
static bool outer_time_grew(const struct comparison *comparison)
{
    const struct compare_rows *const tables[] = {&comparison->periods, &comparison->steps};

    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        double change = 0;
        bool is_known = false;
        for (size_t i = 0; i < tables[t]->count; i++) {
            const struct compare_row *row = &tables[t]->items[i];
            if (row->base_key == NULL || row->new_key == NULL)
                continue;
            is_known = true;
            change = fmax(change, change_of(row));
        }
        if (is_known)
            return change > fmax(least_growth(comparison), 0);
    }
    return true;
}

static bool any_failed(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->gate_count; i++)
        if (comparison->gates[i].known && !comparison->gates[i].passed)
            return true;
    return false;
}

void comparison_judge(struct comparison *comparison)
{
    const struct noise *noise = &comparison->noise;
    bool *causes = comparison->causes;

    explain_rest(comparison);
    comparison->shared_told = noise_is_told(noise, comparison->options.least_change);
    comparison->shared_smallest =
        expm1(noise_smallest(noise->change_error, noise->change_df, comparison->options.alpha));
    comparison->shared_needed =
        noise_captures_for(noise, noise->change, noise->change_error, noise->change_df, comparison->options.alpha);
    causes[CAUSE_STEP_TIME] = steps_grew(&comparison->steps);
    causes[CAUSE_PERIOD] = steps_grew(&comparison->periods);
    causes[CAUSE_OPERATORS] = any_regression(&comparison->rows) || (comparison->shared_told && noise->change > 0);
    causes[CAUSE_GAPS] = grew_in_all(comparison, &comparison->gaps) && outer_time_grew(comparison);
    causes[CAUSE_CALLS] = grew_in_all(comparison, &comparison->calls);
    causes[CAUSE_GATES] = any_failed(comparison);
    comparison->verdict = VERDICT_OK;
    for (int i = 0; i < VERDICT_CAUSES; i++)
        if (causes[i])
            comparison->verdict = VERDICT_REGRESSION;
    if (!comparison->comparable)
        comparison->verdict = VERDICT_INCONCLUSIVE;
}
