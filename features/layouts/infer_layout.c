/* SPDX-License-Identifier: Apache-2.0 */
#include "features/layouts/infer.h"

#include "base/progress.h"
#include "features/layouts/hunt.h"
#include "features/layouts/problem.h"
#include "features/layouts/structure.h"
#include "parsers/decode/layout_rate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How a board forms the rate of cache misses that the names of its tables have. */

#define HIT "icache_hit"
#define MISS "icache_miss"

/* The built-in way is the first. */
const struct layout_rate infer_rate_ways[INFER_RATES] = {
    {.given = true, .part = MISS, .whole = {HIT, MISS}},
    {.given = true, .part = MISS, .whole = {HIT, MISS}, .multiply = 100},
    {.given = true, .part = MISS, .whole = {HIT, MISS}, .multiply = 1000},
    {.given = true, .part = MISS, .whole = {HIT}},
    {.given = true, .part = MISS, .whole = {HIT}, .multiply = 100},
    {.given = true, .part = MISS, .whole = {HIT}, .multiply = 1000},
    {.given = true, .part = MISS},
    {.given = true, .part = HIT, .whole = {HIT, MISS}},
    {.given = true, .part = HIT, .whole = {HIT, MISS}, .multiply = 100},
    {.given = true, .part = HIT, .whole = {MISS}},
    {.given = true, .part = HIT},
    {.given = true}, /* none */
};

static int64_t number_of_done(const void *arg, const char *column)
{
    const struct done_info *done = arg;
    return strcmp(column, HIT) == 0 ? done->icache_hit : strcmp(column, MISS) == 0 ? done->icache_miss : -1;
}

/* Finds what a table's inference says of its cache; NULL: nothing. */
static const struct done_info *done_of(const struct problem *problem, const struct printed_file *table)
{
    const struct inference_mark *mark = capture_mark(problem->capture, table->device_id, table->model_id,
                                                     table->batch_num, table->input_pic_num, table->current_pic_count);
    return mark != NULL && mark->done.icache_hit >= 0 && mark->done.icache_miss >= 0 ? &mark->done : NULL;
}

/* Whether a way gives the rate of every table that something is known of; else *ret_printed is the first it does not
 * give. */
static bool gives_all(const struct problem *problem, const struct layout_rate *way, int64_t *ret_printed)
{
    for (size_t i = 0; i < problem->tables->count; i++) {
        const struct printed_file *table = &problem->tables->items[i];
        const struct done_info *done = done_of(problem, table);
        if (table->miss_ppm < 0 || done == NULL || layout_rate_millionths(way, number_of_done, done) == table->miss_ppm)
            continue;
        *ret_printed = table->miss_ppm;
        return false;
    }
    return true;
}

/* Sets result->rate by the names of the tables and what .done files say of their inferences. */
static void find_rate(const struct problem *problem, struct infer_result *result)
{
    struct infer_rate *rate = &result->rate;
    bool unknown = false;
    *rate = (struct infer_rate){.state = RATE_UNSAID};
    for (size_t i = 0; i < problem->tables->count; i++) {
        const struct printed_file *table = &problem->tables->items[i];
        bool known = done_of(problem, table) != NULL;
        rate->tables += known && table->miss_ppm >= 0;
        if (!known && table->miss_ppm > 0 && !unknown) {
            unknown = true;
            rate->printed = table->miss_ppm;
        }
    }
    if (unknown)
        rate->state = RATE_MISSING;
    if (unknown || rate->tables == 0)
        return;
    for (size_t i = 0; i < INFER_RATES; i++)
        if (gives_all(problem, &infer_rate_ways[i], &rate->printed))
            rate->ways[rate->way_count++] = i;
    rate->state = rate->way_count == 0   ? RATE_MISSING
                  : rate->ways[0] == 0   ? RATE_BUILT_IN
                  : rate->way_count == 1 ? RATE_FOUND
                                         : RATE_AMBIGUOUS;
}

/* A frequency that nobody says. */

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
    double one = (double)printed_power(printed_form_of(problem)->fields[0].digits);
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

/* Frequencies at which a number of the records is the time, the likeliest first; they are noted. */
struct frequencies {
    struct {
        int64_t mhz, scale; /* the number is counted by the scale */
    } items[INFER_FREQUENCIES];
    size_t count;
};

static void add_candidate(struct frequencies *found, int64_t mhz, int64_t scale)
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
    struct frequencies *found = arg;
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

static int find_frequencies(struct hunt *hunt, struct frequencies *found, struct err *err)
{
    struct strbuf *notes = &hunt->best.notes;
    *found = (struct frequencies){.count = 0};
    int status = hunt_each_frame(hunt, try_frequency, found, err);
    hunt->best.frequency_doubted = true;
    (void)strbuf_adds(notes, "the AI core frequency is unknown; pass it with --frequency\n");
    for (size_t i = 0; i < found->count; i++)
        (void)strbuf_addf(notes, "it may be %" PRId64 " MHz, when the total is counted by %" PRId64 "\n",
                          found->items[i].mhz, found->items[i].scale);
    return status;
}

#define FRAMES_TRIED_HARD 96 /* frames for pairs and counters, which take longer */

static int try_effort(struct hunt *hunt, struct frame *frame, void *arg, struct err *err)
{
    enum effort effort = (enum effort) * (const int *)arg;
    bool spans = printed_form_of(hunt->problem)->start_is_kept;
    if (effort != EFFORT_PLAIN && hunt->frames > FRAMES_TRIED_HARD)
        return 0;
    if (spans ? effort != EFFORT_MINUS : effort != EFFORT_PLAIN && printed_form_of(hunt->problem)->start == NULL)
        return 0;
    return hunt_frame(hunt, frame, effort, err);
}

/* The steps, the quick and likely ones first. */
enum step { STEP_PLAIN, STEP_SORTED, STEP_DONE, STEP_MINUS, STEP_DELTA, STEP_DONE_MINUS, STEP_WINDOW, STEP_COUNT };

static int search_step(struct hunt *hunt, enum step step, struct err *err)
{
    enum effort plain = EFFORT_PLAIN, minus = EFFORT_MINUS, delta = EFFORT_DELTA;
    if (hunt->problem->tables->form->sums)
        return step == STEP_PLAIN ? hunt_sums(hunt, err) : 0;
    switch (step) {
    case STEP_PLAIN:
        return hunt_each_frame(hunt, try_effort, &plain, err);
    case STEP_SORTED:
        return hunt_sorted(hunt, err);
    case STEP_DONE:
        return hunt_window(hunt, true, EFFORT_PLAIN, err);
    case STEP_MINUS:
        return hunt_each_frame(hunt, try_effort, &minus, err);
    case STEP_DELTA:
        return hunt_each_frame(hunt, try_effort, &delta, err);
    case STEP_DONE_MINUS:
        return hunt_window(hunt, true, EFFORT_MINUS, err);
    case STEP_WINDOW:
    case STEP_COUNT:
    default:
        return hunt_window(hunt, false, EFFORT_PLAIN, err);
    }
}

static bool is_missing_some(const struct infer_result *result)
{
    for (size_t c = 0; c < result->form->stored; c++)
        if (result->columns[c].state == INFER_MISSING)
            return true;
    return false;
}

/* Whether a step may still find more than there is: what is nearly a number may hide one that is made of two. */
static bool is_worth_trying(const struct hunt *hunt, int step)
{
    if (step == STEP_DONE_MINUS && hunt->best.found)
        return hunt->best.order == ORDER_WINDOW && hunt_is_coarse(hunt);
    return !hunt->best.found ||
           (step >= STEP_MINUS && step <= STEP_DELTA && (is_missing_some(&hunt->best) || hunt_is_coarse(hunt)));
}

/* Says which steps were not tried, or not to their end. */
static void note_rest(struct hunt *hunt, int from)
{
    static const char *const names[STEP_COUNT] = {
        [STEP_PLAIN] = "numbers of records as many as rows",
        [STEP_SORTED] = "rows in another order than records",
        [STEP_DONE] = "the records that the .done files say",
        [STEP_MINUS] = "differences of two numbers",
        [STEP_DELTA] = "differences to the record before",
        [STEP_DONE_MINUS] = "differences of two numbers in the records that the .done files say",
        [STEP_WINDOW] = "rows of records anywhere in the files",
    };
    if (hunt->best.incomplete)
        return;
    hunt->best.incomplete = true;
    (void)strbuf_addf(&hunt->best.notes,
                      "the search stopped after %" PRId64 " seconds; incomplete: ", hunt->problem->options->seconds);
    for (int step = from, count = 0; step < (hunt->problem->tables->form->sums ? STEP_PLAIN + 1 : STEP_COUNT); step++) {
        if (step == from || is_worth_trying(hunt, step))
            (void)strbuf_addf(&hunt->best.notes, "%s%s", count++ > 0 ? ", " : "", names[step]);
    }
    (void)strbuf_adds(&hunt->best.notes, "; use --search-seconds N to search longer\n");
}

static int search_all(struct hunt *hunt, struct err *err)
{
    hunt->facts = hunt->best.notes.length;
    bool failed = false;
    for (int step = 0; step < STEP_COUNT && !search_is_late(hunt->problem->clock); step++) {
        enum infer_order order = hunt->best.order;
        for (int cut = 0; cut < 2 && !failed && is_worth_trying(hunt, step); cut++) {
            if (hunt->problem->options->rounding == (cut ? ROUNDING_HALF : ROUNDING_CUT))
                continue;
            hunt->problem->cut = cut != 0;
            failed = hunt_prepare(hunt, err) < 0 || search_step(hunt, (enum step)step, err) < 0;
        }
        if (hunt->best.order != order && order != ORDER_SAME)
            strbuf_cut(&hunt->best.notes, hunt->facts);
        if (!failed && search_is_late(hunt->problem->clock))
            note_rest(hunt, step);
    }
    return failed ? err_status(err) : 0;
}

/* At each frequency that may be, until something is found. */
static int search_frequencies(struct hunt *hunt, struct err *err)
{
    struct frequencies found;
    int status = find_frequencies(hunt, &found, err);
    for (size_t i = 0; i < found.count && status == 0 && !hunt->best.found && !hunt->best.incomplete; i++) {
        hunt->problem->core_khz = found.items[i].mhz * 1000;
        status = search_all(hunt, err);
    }
    return status;
}

static void check_rows(const struct problem *problem, struct infer_result *result)
{
    size_t wrong = 0;
    for (size_t i = 0; i < problem->sample.count; i++)
        wrong += !problem_row_agrees(problem, &problem->sample.items[i].printed);
    if (wrong == 0)
        return;
    result->contradicted = true;
    (void)strbuf_addf(
        &result->notes,
        "%zu of %zu rows contradict themselves: Memory Bound or the total of DDR does not follow from the "
        "other columns\n",
        wrong, problem->sample.count);
}

/* Notes a possible reason that nothing was found. */
static int note_sizes(const struct problem *problem, struct infer_result *result, struct err *err)
{
    struct structure_size sizes[STRUCTURE_SIZES];
    const struct source_stream *stream = &problem->streams.items[0];
    uint64_t rows = problem->rows_of_stream[0];
    err->code = ERR_NONE;
    if (rows > stream->length / SIZE_MIN) {
        (void)strbuf_addf(&result->notes, "%" PRIu64 " rows, but only %" PRIu64 " bytes of records\n", rows,
                          stream->length);
        return 0;
    }
    if (structure_sizes(&problem->source.items[stream->first], sizes, err) == 0)
        return err_status(err);
    uint64_t records = stream->length / sizes[0].size;
    if (rows > records)
        (void)strbuf_addf(&result->notes,
                          "%" PRIu64 " rows, but the bytes look like %" PRIu64
                          " records of %zu bytes: check for duplicate rows, or tables of another capture\n",
                          rows, records, sizes[0].size);
    return 0;
}

int infer_layout(const struct capture *capture, const struct printed_files *tables, const struct infer_options *options,
                 struct infer_result *result, struct err *err)
{
    struct search_clock until = search_clock_start(options->seconds);
    SCOPED(problem_release)
    struct problem problem = {.capture = capture, .tables = tables, .options = options, .clock = &until};
    SCOPED(hunt_release) struct hunt hunt = {.problem = &problem};
    bool failed = problem_open(&problem, result, err) < 0 ||
                  ((problem.source.count == 0 || problem.sample.count == 0) &&
                   err_set(err, ERR_NOT_FOUND,
                           problem.source.count == 0 ? "no file of device records that belongs to a table"
                                                     : "no table with a row") < 0);
    if (!failed) {
        bool clock = has_role(tables->form, 0, PRINTED_CLOCK);
        if (clock)
            problem_settle_frequency(&problem, result);
        check_rows(&problem, result);
        hunt.best = *result;
        failed = (clock && problem.core_khz <= 0 ? search_frequencies(&hunt, err) : search_all(&hunt, err)) < 0;
        *result = hunt.best;
    }
    problem.cut = result->cut;
    problem.core_khz = result->core_khz;
    failed = failed || (result->found && finish_layout(&problem, result, err) < 0);
    if (!failed)
        find_rate(&problem, result);
    return failed || (!result->found && note_sizes(&problem, result, err) < 0) ? err_status(err) : 0;
}

bool infer_is_certain(const struct infer_result *result)
{
    if (!result->found || result->frequency_doubted || result->contradicted || result->few_records ||
        result->header_doubted || result->width_doubted || result->rows_left_out || result->incomplete ||
        result->rate.state == RATE_AMBIGUOUS || result->rate.state == RATE_MISSING)
        return false;
    for (size_t i = 0; i < result->form->stored; i++) {
        enum infer_state state = result->columns[i].state;
        if (state == INFER_AMBIGUOUS || state == INFER_UNSEEN || state == INFER_MISSING)
            return false;
    }
    return true;
}
