/* SPDX-License-Identifier: Apache-2.0 */
/* A frequency that nobody says. */
#include "parsers/layouts/hunt.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define USUAL_MHZ 600 /* boards that were seen have 475 to 700 */
#define LEAST_MHZ 50
#define MOST_MHZ 4000

/* A place's number over the printed time, for all rows: the range of MHz, low > high when there is none. */
struct mhz_range {
    double low, high;
};

static struct mhz_range range_at(const struct problem *problem, const struct matrix *matrix, uint32_t bit,
                                 unsigned bits)
{
    struct mhz_range range = {0, 1e18};
    double unit = pow(10, -(double)problem->decimals[0]) / 2;
    double one = (double)printed_power(printed_kind_of(problem)->fields[0].digits);
    for (size_t i = 0; i < problem->sample.count && range.low <= range.high; i++) {
        int64_t printed = problem->sample.items[i].printed.values[0];
        double time = (double)printed / one, raw = (double)matrix_bits(matrix_row(matrix, i), bit, bits);
        if (printed == PRINTED_NONE || time <= unit)
            continue;
        range.low = fmax(range.low, raw / (time + unit));
        range.high = fmin(range.high, raw / (time - unit));
    }
    range.low *= 1 - 1e-12; /* a number that was rounded up stands on the border */
    range.high *= 1 + 1e-12;
    return range;
}

static double unlikelihood(int64_t mhz)
{
    return fabs(log((double)mhz / USUAL_MHZ));
}

/* Keeps the likeliest, each once. */
static void add_candidate(struct hunt_frequencies *found, int64_t mhz, int64_t scale)
{
    size_t at = found->count;
    for (size_t i = 0; i < found->count; i++)
        if (found->items[i].mhz == mhz)
            return;
    while (at > 0 && unlikelihood(found->items[at - 1].mhz) > unlikelihood(mhz)) {
        if (at < INFER_FREQUENCIES)
            found->items[at] = found->items[at - 1];
        at--;
    }
    if (at == INFER_FREQUENCIES)
        return;
    found->items[at].mhz = mhz;
    found->items[at].scale = scale;
    found->count += found->count < INFER_FREQUENCIES;
}

/* Every whole frequency at which a number of the records, at some scale, is the time. */
static int try_frequency(struct hunt *hunt, struct frame *frame, void *arg, struct err *err)
{
    struct hunt_frequencies *found = arg;
    (void)err;
    for (unsigned bits = 16; bits <= 64; bits *= 2) {
        for (uint32_t bit = 0; bit + bits <= 8 * frame->size; bit += 8) {
            struct mhz_range range = range_at(hunt->problem, &frame->matrix, bit, bits);
            if (range.low > range.high || range.low <= 0 || range.high > 1e6)
                continue;
            for (size_t s = 0; s < infer_scale_count; s++) {
                double whole = ceil(range.low * (double)infer_scales[s]);
                if (whole <= range.high * (double)infer_scales[s] && whole >= LEAST_MHZ && whole <= MOST_MHZ)
                    add_candidate(found, (int64_t)whole, infer_scales[s]);
            }
        }
    }
    return 0;
}

int hunt_frequencies(struct hunt *hunt, struct hunt_frequencies *found, struct err *err)
{
    struct strbuf *notes = &hunt->best.notes;
    *found = (struct hunt_frequencies){.count = 0};
    int status = hunt_each_frame(hunt, try_frequency, found, err);
    hunt->best.frequency_doubted = true;
    (void)strbuf_adds(notes, "nothing says the frequency of the AI core; give it with --frequency\n");
    for (size_t i = 0; i < found->count; i++)
        (void)strbuf_addf(notes, "it may be %" PRId64 " MHz, when the total is counted by %" PRId64 "\n",
                          found->items[i].mhz, found->items[i].scale);
    return status;
}
