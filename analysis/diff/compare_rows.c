/* The rows of a comparison: matching, medians, tests, verdicts. */
#include "analysis/diff/compare.h"
#include "base/array.h"

#include "analysis/diff/rank_test.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With so many captures on both sides, runs are compared instead of executions. */
#define RUNS_ENOUGH 4
#define SIDE_MAX 64 /* captures of a side that count */

/* One key of one side, over its profiles. */
struct side_row {
    const struct profile_row *first; /* of the first profile that has it: names */
    double medians[SIDE_MAX], totals[SIDE_MAX];
    size_t runs;
    int64_t n;
    int64_t *samples; /* of all runs, ascending */
    size_t sample_count, sample_capacity;
    double scale, median, total;
};

struct side_rows {
    struct side_row *rows; /* by key */
    size_t count;
};

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_of(const double *values, size_t n)
{
    double sorted[SIDE_MAX];

    if (n == 0)
        return 0;
    memcpy(sorted, values, n * sizeof *sorted);
    array_sort(sorted, n, sizeof *sorted, by_number);
    return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double side_measure(const struct side *side, enum measure measure)
{
    double values[SIDE_MAX];
    size_t n = 0;

    for (size_t i = 0; i < side->count && n < SIDE_MAX; i++) {
        double value = profile_measure(side->profiles[i], measure);
        values[n++] = value > 0 ? value : 0;
    }
    return median_of(values, n);
}

static int take_samples(struct side_row *row, const struct series *series, struct err *err)
{
    if (series->sample_count == 0)
        return 0;
    if (row->sample_capacity - row->sample_count < series->sample_count &&
        array_grow(&row->samples, &row->sample_capacity, row->sample_count, series->sample_count, sizeof *row->samples,
                   err) < 0)
        return -(int)err->code;
    memcpy(row->samples + row->sample_count, series->samples, series->sample_count * sizeof *row->samples);
    row->sample_count += series->sample_count;
    return 0;
}

static int take_row(struct side_row *row, const struct profile *profile, const struct profile_row *from,
                    struct err *err)
{
    if (row->runs == SIDE_MAX)
        return err_set(err, ERR_LIMIT, "more than %d captures on one side", SIDE_MAX);
    if (row->first == NULL)
        row->first = from;
    row->medians[row->runs] = from->durations.median;
    row->totals[row->runs] = from->durations.total / profile_steps(profile);
    row->scale += pow(series_scale(&from->durations, (double)profile->facts.tick_ns), 2);
    row->runs++;
    row->n += from->durations.n;
    return take_samples(row, &from->durations, err);
}

static void finish_row(struct side_row *row, size_t captures)
{
    row->scale = sqrt(row->scale / (double)row->runs);
    row->median = median_of(row->medians, row->runs);
    for (size_t i = row->runs; i < captures && i < SIDE_MAX; i++)
        row->totals[i] = 0; /* a capture without it */
    row->total = median_of(row->totals, captures < SIDE_MAX ? captures : SIDE_MAX);
    if (captures > 1)
        statistics_sort(row->samples, row->sample_count);
}

static void side_rows_release(struct side_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free(rows->rows[i].samples);
    free(rows->rows);
}

/* Merges the tables of a side's profiles, each of which is sorted by key. */
static int side_rows_make(const struct side *side, enum subject subject, struct side_rows *ret, struct err *err)
{
    size_t next[SIDE_MAX] = {0}, most = 0;
    int status = 0;

    *ret = (struct side_rows){.rows = NULL};
    if (side->count > SIDE_MAX)
        return err_set(err, ERR_LIMIT, "more than %d captures on one side", SIDE_MAX);
    for (size_t i = 0; i < side->count; i++)
        most += side->profiles[i]->tables[subject].count;
    ret->rows = calloc(most + 1, sizeof *ret->rows);
    if (ret->rows == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    while (status == 0) {
        const char *least = NULL;
        for (size_t i = 0; i < side->count; i++) {
            const struct profile_table *table = &side->profiles[i]->tables[subject];
            if (next[i] < table->count && (least == NULL || strcmp(table->rows[next[i]].key, least) < 0))
                least = table->rows[next[i]].key;
        }
        if (least == NULL)
            break;
        struct side_row *row = &ret->rows[ret->count++];
        for (size_t i = 0; status == 0 && i < side->count; i++) {
            const struct profile_table *table = &side->profiles[i]->tables[subject];
            // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
            if (next[i] < table->count && strcmp(table->rows[next[i]].key, least) == 0)
                status = take_row(row, side->profiles[i], &table->rows[next[i]++], err);
        }
        if (status == 0)
            finish_row(row, side->count);
    }
    return status;
}

static int match_rows(const struct side_rows *base, const struct side_rows *other, struct match_operator **ret_base,
                      struct match_operator **ret_other, struct err *err)
{
    const struct side_rows *sides[] = {base, other};
    struct match_operator *matches[2];

    for (int s = 0; s < 2; s++) {
        matches[s] = calloc(sides[s]->count + 1, sizeof *matches[s]);
        if (matches[s] == NULL) {
            free(s == 1 ? matches[0] : NULL);
            return err_set(err, ERR_NO_MEMORY, "out of memory");
        }
        for (size_t i = 0; i < sides[s]->count; i++) {
            const struct profile_row *row = sides[s]->rows[i].first;
            bool named = row->name[0] != '\0';
            matches[s][i] = (struct match_operator){.key = row->key,
                                                    .name = named ? row->name : row->key,
                                                    .type = row->type,
                                                    .shapes = row->shapes,
                                                    .order = row->order};
        }
    }
    *ret_base = matches[0];
    *ret_other = matches[1];
    return match_operators(matches[0], base->count, matches[1], other->count, err);
}

/* Runs against runs when there are enough, else executions against executions. */
static int test_row(struct compare_row *row, const struct side_row *base, const struct side_row *other, struct err *err)
{
    struct rank_test test;
    int64_t runs[2][SIDE_MAX];
    const struct side_row *sides[] = {base, other};
    int status;

    if (base->runs < RUNS_ENOUGH || other->runs < RUNS_ENOUGH) {
        status = rank_test(base->samples, base->sample_count, other->samples, other->sample_count, &test, err);
    } else {
        for (int s = 0; s < 2; s++) {
            for (size_t i = 0; i < sides[s]->runs; i++)
                runs[s][i] = number_from_real(sides[s]->medians[i]);
            statistics_sort(runs[s], sides[s]->runs);
        }
        status = rank_test(runs[0], base->runs, runs[1], other->runs, &test, err);
    }
    row->p = test.p;
    row->cliff = test.cliff;
    return status;
}

/* How far the medians of the runs of one side lie apart. */
static double spread(const struct side_row *row)
{
    double least = row->medians[0], most = row->medians[0];

    for (size_t i = 1; i < row->runs; i++) {
        least = fmin(least, row->medians[i]);
        most = fmax(most, row->medians[i]);
    }
    return most - least;
}

static enum row_verdict judge(const struct compare_row *row, const struct side_row *base, const struct side_row *other,
                              const struct compare_options *options, double step_ns)
{
    const double scales = 3;
    double change = row->median_new - row->median_base, total = row->total_new - row->total_base;
    enum row_verdict direction = total > 0 ? ROW_REGRESSION : ROW_IMPROVEMENT;

    if (base == NULL || other == NULL)
        return fabs(total) > options->least_share * step_ns ? direction : ROW_UNCHANGED;
    double n = fmin((double)base->n, (double)other->n);
    double pooled = sqrt((base->scale * base->scale + other->scale * other->scale) / 2);
    if (fabs(change) <= options->least_change * row->median_base || fabs(total) <= options->least_share * step_ns)
        return ROW_UNCHANGED;
    if (row->q >= options->alpha || fabs(change) <= scales * pooled / sqrt(n) ||
        fabs(change) <= fmax(spread(base), spread(other)))
        return ROW_NOISE;
    return change > 0 ? ROW_REGRESSION : ROW_IMPROVEMENT;
}

static void fill_row(struct compare_row *row, const struct side_row *base, const struct side_row *other,
                     enum match_kind match)
{
    *row = (struct compare_row){.match = match, .p = 1, .q = 1};
    if (base != NULL) {
        row->base_key = row->key = base->first->key;
        row->n_base = base->n;
        row->median_base = base->median;
        row->total_base = base->total;
    }
    if (other != NULL) {
        row->new_key = row->key = other->first->key;
        row->n_new = other->n;
        row->median_new = other->median;
        row->total_new = other->total;
    }
}

static int by_change(const void *a, const void *b)
{
    const struct compare_row *x = a, *y = b;
    double dx = fabs(x->total_new - x->total_base), dy = fabs(y->total_new - y->total_base);

    if (dx != dy)
        return dx > dy ? -1 : 1;
    if (x->total_new != y->total_new)
        return x->total_new > y->total_new ? -1 : 1;
    return strcmp(x->key, y->key);
}

/* Rows, and which rows of the two sides each is of. */
struct building {
    struct compare_row *rows;
    const struct side_row **base, **other;
    size_t count;
};

static int fill_rows(struct building *building, const struct side_rows *base, const struct side_rows *other,
                     const struct match_operator *base_match, const struct match_operator *other_match, struct err *err)
{
    int status = 0;

    for (size_t i = 0; status == 0 && i < base->count; i++) {
        const struct side_row *partner = base_match[i].other != SIZE_MAX ? &other->rows[base_match[i].other] : NULL;
        size_t at = building->count++;
        building->base[at] = &base->rows[i];
        building->other[at] = partner;
        fill_row(&building->rows[at], &base->rows[i], partner, base_match[i].kind);
        if (partner != NULL)
            status = test_row(&building->rows[at], &base->rows[i], partner, err);
    }
    for (size_t i = 0; i < other->count; i++)
        if (other_match[i].other == SIZE_MAX) {
            size_t at = building->count++;
            building->base[at] = NULL;
            building->other[at] = &other->rows[i];
            fill_row(&building->rows[at], NULL, &other->rows[i], MATCH_NONE);
        }
    return status;
}

/* q over the rows that could be tested. */
static int correct(struct building *building, struct err *err)
{
    double *p = calloc(building->count + 1, sizeof *p);
    size_t n = 0;
    int status;

    if (p == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < building->count; i++)
        if (building->base[i] != NULL && building->other[i] != NULL)
            p[n++] = building->rows[i].p;
    status = false_discovery(p, n, p, err);
    n = 0;
    for (size_t i = 0; status == 0 && i < building->count; i++)
        if (building->base[i] != NULL && building->other[i] != NULL)
            building->rows[i].q = p[n++];
    free(p);
    return status;
}

int compare_table(const struct side *base, const struct side *new_side, enum subject subject,
                  const struct compare_options *options, double step_ns, struct compare_rows *ret, struct err *err)
{
    struct side_rows a = {.rows = NULL}, b = {.rows = NULL};
    struct match_operator *a_match = NULL, *b_match = NULL;
    struct building building = {.rows = NULL};
    int status = side_rows_make(base, subject, &a, err);

    if (status == 0)
        status = side_rows_make(new_side, subject, &b, err);
    if (status == 0)
        status = match_rows(&a, &b, &a_match, &b_match, err);
    if (status != 0)
        goto out;
    building.rows = calloc(a.count + b.count + 1, sizeof *building.rows);
    building.base = calloc(a.count + b.count + 1, sizeof *building.base);
    building.other = calloc(a.count + b.count + 1, sizeof *building.other);
    if (building.rows == NULL || building.base == NULL || building.other == NULL) {
        status = err_set(err, ERR_NO_MEMORY, "out of memory");
        goto out;
    }
    status = fill_rows(&building, &a, &b, a_match, b_match, err);
    if (status == 0)
        status = correct(&building, err);
    for (size_t i = 0; i < building.count; i++)
        building.rows[i].verdict = judge(&building.rows[i], building.base[i], building.other[i], options, step_ns);
    if (status == 0) {
        array_sort(building.rows, building.count, sizeof *building.rows, by_change);
        *ret = (struct compare_rows){building.rows, building.count};
        building.rows = NULL;
    }
out:
    free(building.rows);
    free((void *)building.base);
    free((void *)building.other);
    free(a_match);
    free(b_match);
    side_rows_release(&a);
    side_rows_release(&b);
    return status;
}
