#include "analysis/diff/rank_test.h"
#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_BELOW 8
#define EXACT_OTHER 64

/* Ranks of all values, doubled so that midranks of ties are whole: a walk over both sides. */
struct ranking {
    uint32_t ranks[EXACT_BELOW + EXACT_OTHER]; /* only filled when there are so few */
    size_t count;
    double new_sum; /* of the doubled ranks of the new side */
    double ties;    /* sum of t^3 - t over groups of equal values */
};

static void rank_values(const int64_t *a, size_t na, const int64_t *b, size_t nb, bool keep, struct ranking *ranking)
{
    size_t i = 0, k = 0;

    *ranking = (struct ranking){.count = 0};
    while (i < na || k < nb) {
        int64_t value = k == nb || (i < na && a[i] <= b[k]) ? a[i] : b[k];
        size_t from_a = i, from_b = k;
        while (i < na && a[i] == value)
            i++;
        while (k < nb && b[k] == value)
            k++;
        double t = (double)(i - from_a + k - from_b);
        double doubled = (double)(from_a + from_b + 1) + (double)(i + k);
        ranking->new_sum += doubled * (double)(k - from_b);
        ranking->ties += t * t * t - t;
        for (size_t n = from_a + from_b; keep && n < i + k; n++)
            ranking->ranks[ranking->count++] = (uint32_t)doubled;
    }
}

/* The share of all choices of `chosen` of the ranks whose sum is as far from the middle as `sum`. */
static int exact_p(const struct ranking *ranking, size_t chosen, double sum, double *ret, struct err *err)
{
    size_t most = 0, n = ranking->count;
    for (size_t i = 0; i < n; i++)
        most += ranking->ranks[i];
    double *ways = calloc((chosen + 1) * (most + 1), sizeof *ways);
    if (ways == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    ways[0] = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t c = i < chosen ? i + 1 : chosen; c > 0; c--)
            for (size_t s = most; s >= ranking->ranks[i]; s--)
                ways[c * (most + 1) + s] += ways[(c - 1) * (most + 1) + s - ranking->ranks[i]];
    double middle = (double)chosen * (double)(n + 1), far = fabs(sum - middle) - 1e-9, all = 0, beyond = 0;
    for (size_t s = 0; s <= most; s++) {
        double count = ways[chosen * (most + 1) + s];
        all += count;
        if (fabs((double)s - middle) >= far)
            beyond += count;
    }
    free(ways);
    *ret = beyond / all;
    return 0;
}

static double normal_p(double u, double n1, double n2, double ties)
{
    double n = n1 + n2, variance = n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1)));
    double distance = fabs(u - n1 * n2 / 2) - 0.5;

    if (variance <= 0 || distance <= 0)
        return 1;
    return erfc(distance / sqrt(variance) / sqrt(2.0));
}

int rank_test(const int64_t *base_sorted, size_t base_count, const int64_t *new_sorted, size_t new_count,
              struct rank_test *ret, struct err *err)
{
    size_t small = base_count < new_count ? base_count : new_count, large = base_count + new_count - small;
    bool exact = small < EXACT_BELOW && large <= EXACT_OTHER;
    double n1 = (double)base_count, n2 = (double)new_count;
    struct ranking ranking;
    int status = 0;

    *ret = (struct rank_test){.u = n1 * n2 / 2, .p = 1};
    if (small == 0)
        return 0;
    rank_values(base_sorted, base_count, new_sorted, new_count, exact, &ranking);
    ret->u = ranking.new_sum / 2 - n2 * (n2 + 1) / 2;
    ret->cliff = 2 * ret->u / (n1 * n2) - 1;
    if (!exact) {
        ret->p = normal_p(ret->u, n1, n2, ranking.ties);
        return 0;
    }
    double n = n1 + n2, sum = small == new_count ? ranking.new_sum : n * (n + 1) - ranking.new_sum;
    status = exact_p(&ranking, small, sum, &ret->p, err);
    return status;
}

struct placed {
    double p;
    size_t place;
};

static int by_p(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

int false_discovery(const double *p, size_t n, double *q, struct err *err)
{
    struct placed *sorted = calloc(n > 0 ? n : 1, sizeof *sorted);
    double least = 1;

    if (sorted == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct placed){p[i], i};
    array_sort(sorted, n, sizeof *sorted, by_p);
    for (size_t i = n; i-- > 0;) {
        double value = sorted[i].p * (double)n / (double)(i + 1);
        if (value < least)
            least = value;
        q[sorted[i].place] = least;
    }
    free(sorted);
    return 0;
}
