/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of the schema msprof.diff/1: names of members ascend, times are microseconds, and nothing depends on when or
 * where it was made. */
#include "exporters/reports/answers/diff_output.h"
#include "exporters/schemas.h"
#include "exporters/table/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_us(FILE *stream, double ns)
{
    fprintf(stream, "%.3f", isfinite(ns) ? ns / 1e3 + 0.0 : 0.0);
}

/* A measure of steps, null where no capture of the side tells it. */
static void put_measure(FILE *stream, const char *before, const struct side *side, enum measure measure)
{
    bool known = false;

    for (size_t i = 0; i < side->count; i++)
        known = known || profile_measure(side->profiles[i], measure) >= 0;
    fprintf(stream, "%s\"%s\":", before, measure_name(measure));
    if (known)
        put_us(stream, side_measure(side, measure));
    else
        fputs("null", stream);
}

/* How its devices' time divides, as far as it was recorded: of all captures of the side together. */
static void put_elapsed(FILE *stream, const struct side *side)
{
    double time_ns = 0, busy_ns = 0, free_ns = 0;

    for (size_t i = 0; i < side->count; i++) {
        time_ns += side->profiles[i]->time_ns;
        busy_ns += side->profiles[i]->busy_ns;
        free_ns += side->profiles[i]->free_ns;
    }
    fputs(",\"elapsed\":{\"busy\":", stream);
    put_us(stream, busy_ns);
    fputs(",\"free\":", stream);
    put_us(stream, free_ns);
    fputs(",\"time\":", stream);
    put_us(stream, time_ns);
    fputc('}', stream);
}

/* Of all captures of the side; no member where no step was cut. */
static void put_cut_steps(FILE *stream, const struct side *side)
{
    bool any = false;

    for (size_t i = 0; i < side->count; i++) {
        if (*side->profiles[i]->cut_steps == '\0')
            continue;
        fputs(any ? "," : ",\"cut_steps\":[", stream);
        put_json(stream, side->profiles[i]->cut_steps);
        any = true;
    }
    fputs(any ? "]" : "", stream);
}

static void put_side(FILE *stream, const struct side *side, double step_ns)
{
    int64_t steps = 0, warmup = 0, executions = 0;
    char recorded[RECORDED_SIZE] = "";

    fputc('{', stream);
    put_measure(stream, "", side, MEASURE_BUSY);
    fputs(",\"captures\":[", stream);
    for (size_t i = 0; i < side->count; i++) {
        fputs(i > 0 ? "," : "", stream);
        put_json(stream, side->profiles[i]->name);
        steps += side->profiles[i]->steps;
        warmup += side->profiles[i]->warmup;
        executions += side->profiles[i]->executions;
        if (recorded[0] == '\0')
            workload_recorded_text(&side->profiles[i]->facts, recorded);
    }
    fputc(']', stream);
    put_cut_steps(stream, side);
    put_measure(stream, ",", side, MEASURE_DEVICE_BUSY);
    put_elapsed(stream, side);
    fprintf(stream, ",\"executions\":%lld", (long long)executions);
    put_measure(stream, ",", side, MEASURE_EXPOSED);
    put_measure(stream, ",", side, MEASURE_FREE);
    put_measure(stream, ",", side, MEASURE_PERIOD);
    if (recorded[0] != '\0') {
        fputs(",\"recorded\":", stream);
        put_json(stream, recorded);
    }
    fputs(",\"step_time\":", stream);
    put_us(stream, step_ns);
    fprintf(stream, ",\"steps\":%lld,\"warmup_steps\":%lld}", (long long)steps, (long long)warmup);
}

static void put_comparability(FILE *stream, const struct comparison *comparison)
{
    fputs("{\"checks\":[", stream);
    for (size_t i = 0; i < comparison->check_count; i++) {
        const struct compare_check *check = &comparison->checks[i];
        fprintf(stream, "%s{\"base\":", i > 0 ? "," : "");
        put_json(stream, check->base);
        fprintf(stream, ",\"factor\":%.4g,\"name\":", check->factor);
        put_json(stream, check->name);
        fputs(",\"new\":", stream);
        put_json(stream, check->new_side);
        fprintf(stream, ",\"same\":%s}", check->same ? "true" : "false");
    }
    fprintf(stream, "],\"comparable\":%s,\"run_to_run_noise\":\"%s\",\"score\":%.4g}",
            comparison->comparable ? "true" : "false", comparison->run_to_run ? "measured" : "not measured",
            comparison->score);
}

static void put_value(FILE *stream, enum gate_unit unit, double value)
{
    if (unit == UNIT_OF_TIME)
        put_us(stream, value);
    else
        fprintf(stream, "%.6g", value);
}

static void put_gate(FILE *stream, const struct compare_gate *result)
{
    enum gate_unit unit = gate_unit(result->gate->metric);
    char metric[1024];

    snprintf(metric, sizeof metric, "%.*s", result->gate->metric_length, result->gate->metric_text);
    fputs("{\"base\":", stream);
    put_value(stream, unit, result->base);
    fputs(",\"delta\":", stream);
    put_value(stream, unit, result->new_value - result->base);
    fputs(",\"limit\":", stream);
    put_json(stream, result->gate->limit_text);
    fputs(",\"metric\":", stream);
    put_json(stream, metric);
    fputs(",\"new\":", stream);
    put_value(stream, unit, result->new_value);
    fprintf(stream, ",\"passed\":%s", result->passed ? "true" : "false");
    if (result->why[0] != '\0') {
        fputs(",\"reason\":", stream);
        put_json(stream, result->why);
    }
    fputc('}', stream);
}

static void put_percent(FILE *stream, bool known, double share)
{
    if (known && isfinite(share)) /* no change is large enough where nothing could show one */
        fprintf(stream, "%.4g", 100 * share + 0.0);
    else
        fputs("null", stream);
}

static void put_count(FILE *stream, size_t count)
{
    if (count > 0)
        fprintf(stream, "%zu", count);
    else
        fputs("null", stream);
}

/* Percentages. */
static void put_noise(FILE *stream, const struct comparison *comparison)
{
    const struct noise *noise = &comparison->noise;

    fputs(",\"noise\":{\"assumed_drift\":", stream);
    put_percent(stream, true, comparison->options.drift);
    fputs(",\"shared_change\":", stream);
    put_percent(stream, noise->separated, expm1(noise->change));
    fputs(",\"shared_needs_captures\":", stream);
    put_count(stream, noise->separated ? comparison->shared_needed : 0);
    fputs(",\"shared_smallest\":", stream);
    put_percent(stream, noise->separated, comparison->shared_smallest);
    fprintf(stream, ",\"shared_told\":%s,\"smallest\":", comparison->shared_told ? "true" : "false");
    put_percent(stream, comparison->smallest >= 0, comparison->smallest);
    fputs("}", stream);
}

static void put_row(FILE *stream, const struct compare_row *row)
{
    fprintf(stream, "{\"cliff\":%.6g,\"key\":", row->cliff);
    put_json(stream, row->key);
    fprintf(stream, ",\"match\":\"%s\",\"median_base\":", match_kind_name(row->match));
    put_us(stream, row->median_base);
    fputs(",\"median_new\":", stream);
    put_us(stream, row->median_new);
    fprintf(stream, ",\"n_base\":%lld,\"n_new\":%lld", (long long)row->n_base, (long long)row->n_new);
    fputs(",\"needs_captures\":", stream);
    put_count(stream, row->verdict == ROW_NOISE ? row->needed : 0);
    fputs(",\"own_change\":", stream);
    put_percent(stream, row->smallest >= 0, row->own);
    fprintf(stream, ",\"p\":%.6g,\"q\":%.6g,\"smallest\":", row->p, row->q);
    put_percent(stream, row->smallest >= 0, row->smallest);
    fputs(",\"total_step_base\":", stream);
    put_us(stream, row->total_base);
    fputs(",\"total_step_new\":", stream);
    put_us(stream, row->total_new);
    fprintf(stream, ",\"verdict\":\"%s\"}", row_verdict_name(row->verdict));
}

static void put_rows(const struct diff_output *output, FILE *stream)
{
    const struct comparison *comparison = output->comparison;
    struct compare_row others = {.key = "(others)", .p = 1, .q = 1, .smallest = -1};
    const struct compare_row rest = {.key = "(rest)",
                                     .p = 1,
                                     .q = 1,
                                     .smallest = -1,
                                     .total_base = comparison->rest_base,
                                     .total_new = comparison->rest_new};

    fputc('[', stream);
    for (size_t i = 0; i < comparison->rows.count; i++) {
        if (output->top > 0 && i >= output->top) {
            others.total_base += comparison->rows.items[i].total_base;
            others.total_new += comparison->rows.items[i].total_new;
            continue;
        }
        put_row(stream, &comparison->rows.items[i]);
        fputc(',', stream);
    }
    if (output->top > 0 && comparison->rows.count > output->top) {
        put_row(stream, &others);
        fputc(',', stream);
    }
    put_row(stream, &rest);
    fputc(']', stream);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The keys of one side alone, ascending. */
static int put_only(FILE *stream, const struct compare_rows *rows, bool base, struct err *err)
{
    const char **keys = calloc(rows->count + 1, sizeof *keys);
    size_t n = 0;

    if (keys == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < rows->count; i++)
        if ((base ? rows->items[i].new_key : rows->items[i].base_key) == NULL)
            keys[n++] = rows->items[i].key;
    qsort((void *)keys, n, sizeof *keys, compare_names);
    fputc('[', stream);
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? "," : "", stream);
        put_json(stream, keys[i]);
    }
    fputc(']', stream);
    free((void *)keys);
    return 0;
}

static void put_gaps(const struct diff_output *output, FILE *stream)
{
    const struct compare_rows *gaps = &output->comparison->gaps;
    const size_t most = output->top > 0 ? output->top : 20;

    fputc('[', stream);
    for (size_t i = 0; i < gaps->count && i < most; i++) {
        fputs(i > 0 ? "," : "", stream);
        put_row(stream, &gaps->items[i]);
    }
    fputc(']', stream);
}

int diff_print_json(const struct diff_output *output, FILE *stream, struct err *err)
{
    const struct comparison *comparison = output->comparison;
    int status;

    fputs("{\"base\":", stream);
    put_side(stream, output->base, comparison->step_base);
    fputs(",\"comparability\":", stream);
    put_comparability(stream, comparison);
    fputs(",\"gaps\":", stream);
    put_gaps(output, stream);
    fputs(",\"gates\":[", stream);
    for (size_t i = 0; i < comparison->gate_count; i++) {
        fputs(i > 0 ? "," : "", stream);
        put_gate(stream, &comparison->gates[i]);
    }
    fputs("],\"new\":", stream);
    put_side(stream, output->new_side, comparison->step_new);
    put_noise(stream, comparison);
    fputs(",\"only_base\":", stream);
    status = put_only(stream, &comparison->rows, true, err);
    fputs(",\"only_new\":", stream);
    if (status == 0)
        status = put_only(stream, &comparison->rows, false, err);
    fputs(",\"rows\":", stream);
    put_rows(output, stream);
    fprintf(stream, ",\"schema\":\"" SCHEMA_DIFF "\",\"verdict\":\"%s\"}\n", verdict_name(comparison->verdict));
    return status;
}
