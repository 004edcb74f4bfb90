#include "parsers/infer/check_records.h"

#include "base/array.h"
#include "parsers/decode/decode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECIMALS_MOST 6

struct decoded {
    int64_t began_ns;
    int64_t values[PRINTED_MOST]; /* of the printed kind's fields */
    char word[PRINTED_WORD_SIZE];
    bool used; /* a row has been compared with it */
};

struct collector {
    struct row_sink sink; /* first, so that a sink is its collector */
    const struct printed_kind *kind;
    struct decoded *items;
    size_t count, capacity;
};

/* ---- decoding ---- */

struct row_batch *check_begin_batch(struct row_sink *sink, const struct record_kind *kind, struct err *err)
{
    (void)sink;
    struct row_batch *batch = row_batch_new();
    if (batch == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    batch->kind = kind;
    batch->rows = 0;
    batch->texts_used = 0;
    batch->capacity = BATCH_ROWS;
    return batch;
}

int64_t check_cell(const struct row_batch *batch, size_t row, const char *name)
{
    int column = record_kind_column(batch->kind, name);
    if (column < 0 || (batch->present[row] >> column & 1) == 0)
        return PRINTED_NONE;
    return batch->cells[row * batch->kind->column_count + (size_t)column].integer;
}

static void take_word(const struct row_batch *batch, size_t row, const char *name, char word[PRINTED_WORD_SIZE])
{
    int column = record_kind_column(batch->kind, name);
    if (column < 0 || (batch->present[row] >> column & 1) == 0)
        return;
    const struct cell *cell = &batch->cells[row * batch->kind->column_count + (size_t)column];
    snprintf(word, PRINTED_WORD_SIZE, "%.*s", (int)cell->length, cell->text);
}

static int take_row(struct collector *collector, const struct row_batch *batch, size_t row, struct err *err)
{
    if (array_reserve(collector, 1, err) < 0)
        return -(int)err->code;
    struct decoded *decoded = &collector->items[collector->count++];
    *decoded = (struct decoded){.began_ns = check_cell(batch, row, "start_ns")};
    for (size_t c = 0; c < collector->kind->stored; c++) {
        const char *name = collector->kind->fields[c].name;
        decoded->values[c] = PRINTED_NONE;
        if (has_role(collector->kind, c, PRINTED_WORD))
            take_word(batch, row, name, decoded->word);
        else
            decoded->values[c] = check_cell(batch, row, name);
    }
    if (collector->kind->start_is_kept) /* the first is printed as a span */
        decoded->values[0] = decoded->values[0] != PRINTED_NONE && decoded->began_ns != PRINTED_NONE
                                 ? decoded->values[0] - decoded->began_ns
                                 : PRINTED_NONE;
    return 0;
}

static int commit_batch(struct row_sink *sink, struct row_batch *batch, struct err *err)
{
    struct collector *collector = (struct collector *)sink;
    int status = 0;
    for (size_t i = 0; strcmp(batch->kind->name, collector->kind->kind) == 0 && i < batch->rows && status == 0; i++)
        status = take_row(collector, batch, i, err);
    row_batch_free(batch);
    return status;
}

/* ---- comparing ---- */

void check_format(int64_t value, unsigned digits, char text[CHECK_NUMBER_SIZE])
{
    int64_t one = printed_power(digits);
    snprintf(text, CHECK_NUMBER_SIZE, "%" PRId64 ".%06" PRId64, value / one,
             value % one * printed_power(DECIMALS_MOST - digits));
    text[strlen(text) - (DECIMALS_MOST - digits) - (digits == 0)] = '\0';
}

struct comparison {
    struct problem *problem;
    const struct printed_file *table;
    struct collector *collector;
    struct check_result *result;
    uint64_t row;
};

static int compare_began(const void *left, const void *right)
{
    const struct decoded *a = left, *b = right;
    return (a->began_ns > b->began_ns) - (a->began_ns < b->began_ns);
}

bool check_is_inside(struct problem *problem, size_t column, const struct printed_row *row, int64_t first,
                     int64_t value)
{
    for (int cut = 0; cut < 2; cut++) {
        if (problem->options->rounding == (cut ? ROUNDING_HALF : ROUNDING_CUT))
            continue;
        problem->cut = cut != 0;
        struct interval interval = problem_interval(problem, column, row, first);
        if (value >= interval.low && value <= interval.high)
            return true;
    }
    return false;
}

static void tell_first(struct comparison *comparison, const char *column, const char *printed, const char *given)
{
    if (comparison->result->first.length == 0)
        (void)strbuf_addf(&comparison->result->first,
                          "'%s' row %" PRIu64 ": %s is printed as %s, and the layout gives %s", comparison->table->path,
                          comparison->row, column, printed, given);
}

/* Compares a cell; tells of the first that differs when tell is set. */
static bool cell_agrees(struct comparison *comparison, size_t column, const struct printed_row *row,
                        const struct decoded *decoded, bool tell)
{
    const struct printed_field *field = &comparison->collector->kind->fields[column];
    char printed[CHECK_NUMBER_SIZE], given[CHECK_NUMBER_SIZE];
    if (field->role == PRINTED_WORD) {
        bool same = strcmp(row->word, decoded->word) == 0;
        if (!same && tell)
            tell_first(comparison, field->name, row->word, decoded->word);
        return same;
    }
    if (check_is_inside(comparison->problem, column, row, decoded->values[0], decoded->values[column]))
        return true;
    check_format(row->values[column], field->digits, printed);
    snprintf(given, sizeof given, "%" PRId64, decoded->values[column]);
    if (tell)
        tell_first(comparison, field->name, printed, given);
    return false;
}

static bool is_compared(const struct comparison *comparison, size_t column, const struct printed_row *row,
                        const struct decoded *decoded)
{
    if (has_role(comparison->collector->kind, column, PRINTED_WORD))
        return row->word[0] != '\0' && decoded->word[0] != '\0';
    return row->values[column] != PRINTED_NONE && decoded->values[column] != PRINTED_NONE;
}

/* How many cells differ. */
static size_t count_different(struct comparison *comparison, const struct printed_row *row,
                              const struct decoded *decoded, bool tell, size_t *ret_cells)
{
    size_t different = 0;
    *ret_cells = 0;
    for (size_t c = 0; c < comparison->collector->kind->stored; c++) {
        if (!is_compared(comparison, c, row, decoded))
            continue;
        ++*ret_cells;
        different += !cell_agrees(comparison, c, row, decoded, tell);
    }
    return different;
}

/* The first record that began at this time or later. */
static size_t first_since(const struct collector *collector, int64_t time_ns)
{
    size_t low = 0, high = collector->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (collector->items[middle].began_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of the records that began when the row says, the one that differs least. */
static struct decoded *record_of(struct comparison *comparison, const struct printed_row *row)
{
    const struct printed_kind *kind = comparison->collector->kind;
    size_t began = (size_t)kind->began, least = SIZE_MAX, cells;
    int64_t time_ns = row->values[began];
    int64_t apart = 2 * printed_power(kind->fields[began].digits - row->decimals[began]);
    struct decoded *best = NULL;
    for (size_t i = first_since(comparison->collector, time_ns - apart); i < comparison->collector->count; i++) {
        struct decoded *decoded = &comparison->collector->items[i];
        if (decoded->began_ns > time_ns + apart)
            break;
        size_t different = decoded->used ? SIZE_MAX : count_different(comparison, row, decoded, false, &cells);
        if (different < least) {
            best = decoded;
            least = different;
        }
    }
    return best;
}

static int compare_event(void *arg, const struct printed_row *row, struct err *err)
{
    struct comparison *comparison = arg;
    struct check_result *result = comparison->result;
    struct printed_row with_task = *row;
    (void)err;
    comparison->row++;
    result->rows++;
    problem_add_task_id(comparison->problem, &with_task);
    struct decoded *decoded = record_of(comparison, &with_task);
    if (decoded == NULL) {
        if (result->unmatched++ == 0 && result->different == 0)
            (void)strbuf_addf(&result->first, "'%s' row %" PRIu64 ": the layout gives nothing that began then",
                              comparison->table->path, comparison->row);
        return 0;
    }
    size_t cells;
    result->different += count_different(comparison, &with_task, decoded, true, &cells);
    result->cells += cells;
    decoded->used = true;
    return 0;
}

/* ---- sums ---- */

struct sum {
    int64_t count, total, least, most;
};

/* Whether the row sums up the record: its ids and its word. */
static bool is_summed(const struct printed_kind *kind, const struct printed_row *row, const struct decoded *decoded)
{
    for (size_t c = 0; c < kind->stored; c++)
        if (has_role(kind, c, PRINTED_IDENTITY) && row->values[c] != PRINTED_NONE &&
            decoded->values[c] != PRINTED_NONE && row->values[c] != decoded->values[c])
            return false;
    return strcmp(row->word, decoded->word) == 0 && decoded->values[0] != PRINTED_NONE;
}

/* A number of a sum beside what is printed of it. */
static void compare_sum(struct comparison *comparison, const struct printed_row *row, const char *what, int64_t printed,
                        int64_t value)
{
    struct printed_row as_first = *row;
    as_first.values[0] = printed;
    as_first.most = PRINTED_NONE;
    if (printed == PRINTED_NONE)
        return;
    comparison->result->cells++;
    if (check_is_inside(comparison->problem, 0, &as_first, 0, value))
        return;
    char printed_text[CHECK_NUMBER_SIZE], given[CHECK_NUMBER_SIZE];
    check_format(printed, comparison->collector->kind->fields[0].digits, printed_text);
    snprintf(given, sizeof given, "%" PRId64, value);
    comparison->result->different++;
    tell_first(comparison, what, printed_text, given);
}

static int compare_sums(void *arg, const struct printed_row *row, struct err *err)
{
    struct comparison *comparison = arg;
    const struct collector *collector = comparison->collector;
    struct sum sum = {.least = INT64_MAX};
    (void)err;
    comparison->row++;
    comparison->result->rows++;
    for (size_t i = 0; i < collector->count; i++) {
        int64_t value = collector->items[i].values[0];
        if (!is_summed(collector->kind, row, &collector->items[i]))
            continue;
        sum.count++;
        sum.least = value < sum.least ? value : sum.least;
        sum.most = value > sum.most ? value : sum.most;
        if (__builtin_add_overflow(sum.total, value, &sum.total))
            sum.total = INT64_MAX;
    }
    if (sum.count != row->count) {
        if (comparison->result->unmatched++ == 0 && comparison->result->different == 0)
            (void)strbuf_addf(&comparison->result->first,
                              "'%s' row %" PRIu64 ": %" PRId64
                              " calls of '%s' are printed, and the layout gives %" PRId64,
                              comparison->table->path, comparison->row, row->count, row->word, sum.count);
        return 0;
    }
    compare_sum(comparison, row, "the least", row->values[0], sum.least);
    compare_sum(comparison, row, "the most", row->most, sum.most);
    compare_sum(comparison, row, "the total", row->total, sum.total);
    return 0;
}

int check_records(struct capture *capture, struct problem *problem, struct check_result *result, struct err *err)
{
    const struct printed_form *form = problem->tables->form;
    struct collector collector = {.sink = {.begin = check_begin_batch, .commit = commit_batch}, .kind = form->kind};
    struct comparison comparison = {.problem = problem, .collector = &collector, .result = result};
    struct printed_reader reader = {.row = form->sums ? compare_sums : compare_event, .arg = &comparison};
    int status = decode_capture(capture, &collector.sink, problem->options->progress, err);
    array_sort(collector.items, collector.count, sizeof *collector.items, compare_began);
    for (size_t t = 0; t < problem->tables->count && status == 0; t++) {
        comparison.table = &problem->tables->items[t];
        comparison.row = 0;
        status = printed_read(form, comparison.table, &reader, err);
    }
    free(collector.items);
    return status;
}
