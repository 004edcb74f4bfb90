/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/analysis/workload.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/number.h"
#include "base/search.h"
#include "base/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_count(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* A number of steps that some operators would make. */
struct candidate {
    size_t count, operators;
};

/* So many are tried. */
#define CANDIDATES 8

/* The most frequent values of at least 2 in a sorted array, the most frequent first, of equal ones the larger one. */
static size_t most_frequent(const size_t *sorted, size_t n, struct candidate ret[CANDIDATES])
{
    size_t found = 0;

    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && sorted[end] == sorted[i];)
            end++;
        const struct candidate it = {sorted[i], end - i};
        size_t at = found;
        while (at > 0 && ret[at - 1].operators <= it.operators)
            at--;
        if (sorted[i] < 2 || at == CANDIDATES)
            continue;
        found += found < CANDIDATES;
        memmove(&ret[at + 1], &ret[at], (found - 1 - at) * sizeof *ret);
        ret[at] = it;
    }
    return found;
}

/* The period of so many steps; false: it covers too few operators. */
static bool period_of(const size_t *counts, const uint64_t *first, size_t operators, size_t steps, struct period *ret)
{
    size_t regular = 0, used = 0, divider = SIZE_MAX;

    for (size_t i = 0; i < operators; i++) {
        used += counts[i] > 0;
        regular += counts[i] > 0 && counts[i] % steps == 0;
        if (counts[i] == steps && (divider == SIZE_MAX || first[i] < first[divider]))
            divider = i;
    }
    *ret = (struct period){steps, (uint32_t)divider, used > 0 ? (double)regular / (double)used : 0};
    return 2 * regular >= used;
}

int workload_find_period(const size_t *counts, const uint64_t *first, size_t operators,
                         bool (*holds)(void *arg, const struct period *period), void *arg, struct period *ret,
                         struct err *err)
{
    SCOPED_FREE size_t *sorted = scoped_memory((operators > 0 ? operators : 1), sizeof *sorted);
    struct candidate candidates[CANDIDATES];

    *ret = (struct period){.count = 0};
    if (sorted == NULL)
        return err_no_memory(err);
    if (operators > 0)
        memcpy(sorted, counts, operators * sizeof *sorted);
    array_sort(sorted, operators, sizeof *sorted, by_count);
    size_t found = most_frequent(sorted, operators, candidates);
    for (size_t i = 0; i < found; i++) {
        struct period period;
        if (period_of(counts, first, operators, candidates[i].count, &period) &&
            (holds == NULL || holds(arg, &period))) {
            *ret = period;
            return 0;
        }
    }
    return 0;
}

ENUM_NAMES(step_source_name, enum step_source, [STEPS_NONE] = LANGUAGE_MARK("none"),
           [STEPS_PERIOD] = LANGUAGE_MARK("period of the operators"), [STEPS_INFERENCES] = LANGUAGE_MARK("inferences"),
           [STEPS_ITERATIONS] = LANGUAGE_MARK("iterations"), [STEPS_MARKED] = LANGUAGE_MARK("marked"),
           [STEPS_FRAMEWORK] = LANGUAGE_MARK("framework"), [STEPS_RANGES] = LANGUAGE_MARK("ranges"))

bool workload_knows_cores(const struct workload_facts *facts)
{
    const long first_with_both = 5; /* of chips: before it an AI core has both units, and some cores vectors alone */

    return facts->vector_cores > 0 && strtol(facts->chip, NULL, 10) >= first_with_both;
}

void workload_init(struct workload *workload)
{
    const struct map operators = {.key_size = sizeof(struct workload_key),
                                  .item_size = sizeof(struct workload_key) + sizeof(uint32_t)};

    *workload = (struct workload){.operator_index = operators, .facts = {.times_known = true}};
}

static void release_lists(struct intervals *lists, size_t count)
{
    for (size_t i = 0; lists != NULL && i < count; i++)
        intervals_release(&lists[i]);
    free(lists);
}

void workload_release(struct workload *workload)
{
    if (workload->borrowed) {
        workload_init(workload);
        return;
    }
    intern_release(&workload->texts);
    map_release(&workload->operator_index);
    free(workload->operators);
    large_free(workload->executions);
    large_free(workload->steps);
    free(workload->execute_starts.items);
    free(workload->begun.items);
    free(workload->kinds.items);
    release_lists(workload->unrecorded, workload->device_count);
    release_lists(workload->others, workload->device_count);
    large_free(workload->other_tasks.items);
    free(workload->streams);
    free(workload->devices);
    free(workload->clocks.items);
    free(workload->bounds.items);
    free(workload->facts.models);
    free(workload->facts.metrics);
    workload_init(workload);
}

const char *workload_text(const struct workload *workload, uint32_t text)
{
    return text < workload->texts.count ? workload->texts.items[text].bytes : "";
}

int workload_add_text(struct workload *workload, const char *text, uint32_t *ret, struct err *err)
{
    *ret = NO_TEXT;
    return text != NULL ? intern_text(&workload->texts, text, ret, err) : 0;
}

struct indexed_operator {
    struct workload_key key;
    uint32_t index;
};

int workload_add_operator(struct workload *workload, const struct workload_key *key, uint32_t *ret, struct err *err)
{
    bool added;
    struct indexed_operator *item = map_add(&workload->operator_index, key, &added, err);

    if (item == NULL)
        return err_status(err);
    if (!added) {
        *ret = item->index;
        return 0;
    }
    if (workload->operator_count == workload->operator_capacity) {
        int status = array_grow(&workload->operators, &workload->operator_capacity, workload->operator_count, 1,
                                sizeof *workload->operators, err);
        if (status != 0) {
            map_remove(&workload->operator_index, item);
            return status;
        }
    }
    struct workload_operator *op = &workload->operators[workload->operator_count];
    *op = (struct workload_operator){
        .key = *key, .first = workload->execution_count, .read_bytes = -1, .write_bytes = -1};
    for (size_t i = 0; i < UNITS; i++)
        op->units[i] = -1;
    *ret = item->index = (uint32_t)workload->operator_count++;
    return 0;
}

/* The index of an id of a device; the last one used is the likeliest. */
static int find_id(struct workload_id **ids, size_t *count, size_t *capacity, int64_t device, int64_t id, uint16_t *ret,
                   struct err *err)
{
    for (size_t i = *count; i-- > 0;)
        if ((*ids)[i].id == id && (*ids)[i].device == device) {
            *ret = (uint16_t)i;
            return 0;
        }
    if (*count == UINT16_MAX)
        return err_set(err, ERR_LIMIT, "more than %d streams or devices", UINT16_MAX);
    if (*count == *capacity) {
        if (array_grow(ids, capacity, *count, 1, sizeof **ids, err) < 0)
            return err_status(err);
    }
    *ret = (uint16_t)*count;
    (*ids)[(*count)++] = (struct workload_id){id, device, TICKS_OF_NS};
    return 0;
}

/* Of few streams the one that was used last is found at once. */
static int find_stream(struct workload *workload, int64_t device_id, int64_t stream_id, uint16_t *ret, struct err *err)
{
    uint16_t *near =
        &workload->streams_near[(uint64_t)stream_id % (sizeof workload->streams_near / sizeof *workload->streams_near)];

    if (*near < workload->stream_count && workload->streams[*near].id == stream_id &&
        workload->streams[*near].device == device_id)
        *ret = *near;
    else if (find_id(&workload->streams, &workload->stream_count, &workload->stream_capacity, device_id, stream_id, ret,
                     err) < 0)
        return err_status(err);
    *near = *ret;
    return 0;
}

int64_t workload_clock_hz(const struct workload *workload, int64_t device_id)
{
    for (size_t i = 0; i < workload->clocks.count; i++) {
        if (workload->clocks.items[i].device_id == device_id || workload->clocks.items[i].device_id == INT64_MIN)
            return workload->clocks.items[i].hz;
    }
    return TICKS_OF_NS;
}

static int find_device(struct workload *workload, int64_t device_id, uint16_t *ret, struct err *err)
{
    const size_t before = workload->device_count;
    int status =
        find_id(&workload->devices, &workload->device_count, &workload->device_capacity, 0, device_id, ret, err);
    if (status == 0 && *ret >= WORKLOAD_DEVICES_MOST)
        return err_set(err, ERR_LIMIT, "more than %u devices", WORKLOAD_DEVICES_MOST);
    if (workload->device_count > before)
        workload->devices[before].hz = workload_clock_hz(workload, device_id);
    return status;
}

static void count_execution(struct workload *workload, uint32_t op, int64_t hz, int64_t start_ns, int64_t duration_ns,
                            bool *ret_taken)
{
    workload->operators[op].count++;
    workload->operators[op].total_ns += ticks_exact_ns(hz, start_ns, duration_ns);
    *ret_taken = true;
}

int workload_add(struct workload *workload, uint32_t op, int64_t device_id, int64_t stream_id, int64_t start_ns,
                 int64_t duration_ns, bool *ret_taken, struct err *err)
{
    struct execution execution = {.start_ns = start_ns, .duration_ns = duration_ns, .op = op};
    uint16_t device;
    const struct execution *last =
        workload->execution_count > 0 ? &workload->executions[workload->execution_count - 1] : NULL;

    *ret_taken = false;
    if (!workload_takes(start_ns, duration_ns)) {
        workload->refused++;
        return 0;
    }
    if (!workload_wants(workload, device_id, start_ns))
        return 0;
    if (workload->sums_only) {
        count_execution(workload, op, workload_clock_hz(workload, device_id), start_ns, duration_ns, ret_taken);
        return 0;
    }
    if (last != NULL && workload->devices[last->device].id == device_id &&
        workload->streams[last->stream].id == stream_id) {
        execution.device = last->device;
        execution.stream = last->stream;
    } else {
        if (find_device(workload, device_id, &device, err) < 0 ||
            find_stream(workload, device_id, stream_id, &execution.stream, err) < 0)
            return err_status(err);
        execution.device = device & (WORKLOAD_DEVICES_MOST - 1U);
    }
    if (workload->execution_count == UINT32_MAX)
        return err_set(err, ERR_LIMIT, "more than %u executions", UINT32_MAX);
    if (workload->execution_count == workload->execution_capacity) {
        if (large_grow(&workload->executions, &workload->execution_capacity, workload->execution_count, 1,
                       sizeof *workload->executions, err) < 0)
            return err_status(err);
    }
    large_pass(workload->execution_count);
    workload->executions[workload->execution_count++] = execution;
    count_execution(workload, op, workload->devices[execution.device].hz, start_ns, duration_ns, ret_taken);
    return 0;
}

double workload_add_cycles(struct workload *workload, uint32_t op, int64_t duration_ns, int64_t cycles, int64_t hz)
{
    enum { FURTHEST = WORKLOAD_SAME_CYCLES - 1 };
    if (workload->cycle_hz == 0 && hz > 0)
        workload->cycle_hz = hz;
    if (hz != workload->cycle_hz || hz <= 0)
        return (double)duration_ns;
    const int64_t off = number_subtract(cycles, number_rescale(duration_ns, hz, TICKS_OF_NS));
    const double length = ticks_whole_ns(hz, cycles);
    if (off < -FURTHEST || off > FURTHEST)
        return (double)duration_ns;
    workload->operators[op].total_ns += length - (double)duration_ns;
    if (!workload->sums_only)
        workload->executions[workload->execution_count - 1].cycles = (unsigned)(off + WORKLOAD_SAME_CYCLES) & 7U;
    return length;
}

int workload_add_other(struct workload *workload, int64_t device_id, int64_t start_ns, int64_t duration_ns,
                       struct err *err)
{
    struct other_task other = {.start_ns = start_ns};

    if (workload->sums_only || duration_ns <= 0 || start_ns == INT64_MIN ||
        !workload_wants(workload, device_id, start_ns) || __builtin_add_overflow(start_ns, duration_ns, &other.end_ns))
        return 0;
    if (find_device(workload, device_id, &other.device, err) < 0 || large_reserve(&workload->other_tasks, 1, err) < 0)
        return err_status(err);
    workload->other_tasks.items[workload->other_tasks.count++] = other;
    return 0;
}

int workload_add_bounds(struct workload *workload, int64_t device_id, int64_t start_ns, int64_t duration_ns,
                        struct err *err)
{
    size_t i = workload->bounds.count;
    int64_t end_ns;

    if (workload->sums_only || duration_ns < 0 || start_ns == INT64_MIN ||
        !workload_wants(workload, device_id, start_ns) || __builtin_add_overflow(start_ns, duration_ns, &end_ns))
        return 0;
    while (i > 0 && workload->bounds.items[i - 1].device_id != device_id)
        i--;
    if (i == 0) {
        const struct workload_bounds bounds = {device_id, start_ns, end_ns};
        return array_add(&workload->bounds, err, bounds);
    }
    struct workload_bounds *bounds = &workload->bounds.items[i - 1];
    bounds->start_ns = start_ns < bounds->start_ns ? start_ns : bounds->start_ns;
    bounds->end_ns = end_ns > bounds->end_ns ? end_ns : bounds->end_ns;
    return 0;
}

/* The times of other tasks, once all devices are known. */
static int unite_others(struct workload *workload, struct err *err)
{
    workload->others = calloc(workload->device_count + 1, sizeof *workload->others);
    if (workload->others == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < workload->other_tasks.count; i++) {
        const struct other_task *other = &workload->other_tasks.items[i];
        large_pass(i);
        if (intervals_add(&workload->others[other->device], other->start_ns, other->end_ns, err) < 0)
            return err_status(err);
    }
    for (size_t i = 0; i < workload->device_count; i++)
        intervals_unite(&workload->others[i]);
    return 0;
}

int workload_add_step(struct workload *workload, int64_t device_id, const struct workload_step *step, struct err *err)
{
    uint16_t device = 0;
    int status = find_device(workload, device_id, &device, err);

    if (status != 0 || step->end_ns < step->start_ns)
        return status;
    if (workload->step_count == workload->step_capacity)
        status = large_grow(&workload->steps, &workload->step_capacity, workload->step_count, 1,
                            sizeof *workload->steps, err);
    if (status != 0)
        return status;
    large_pass(workload->step_count);
    struct workload_step *added = &workload->steps[workload->step_count++];
    *added = *step;
    added->device = device;
    added->period_ns = NO_PERIOD;
    if (step->source > workload->step_source)
        workload->step_source = (enum step_source)step->source;
    return 0;
}

int workload_add_begun(struct workload *workload, int64_t device_id, const struct workload_step *step, struct err *err)
{
    uint16_t device;

    if (find_device(workload, device_id, &device, err) < 0 || array_reserve(&workload->begun, 1, err) < 0)
        return err_status(err);
    workload->begun.items[workload->begun.count] = *step;
    workload->begun.items[workload->begun.count++].device = device;
    return 0;
}

int workload_add_execute_start(struct workload *workload, const struct execute_start *start, struct err *err)
{
    return array_add(&workload->execute_starts, err, *start);
}

ARRAY_COMPARE(compare_executions, struct execution, ARRAY_BY(device), ARRAY_BY(start_ns), ARRAY_BY(stream),
              ARRAY_BY(op))

ARRAY_COMPARE(compare_steps, struct workload_step, ARRAY_BY(device), ARRAY_BY(start_ns), ARRAY_BY(end_ns),
              ARRAY_BY(source), ARRAY_BY(number))

static void sort_executions(struct workload *workload)
{
    large_sort(workload->executions, workload->execution_count, sizeof *workload->executions, compare_executions);
    for (size_t i = 0; i < workload->operator_count; i++)
        workload->operators[i].first = UINT64_MAX;
    for (size_t i = workload->execution_count; i-- > 0;) {
        large_pass(i);
        workload->operators[workload->executions[i].op].first = i;
    }
}

/* The search for steps by the sequence of operators. A class is an operator of any shapes: these differ from step to
 * step where they are dynamic. */
struct sequence {
    struct workload *workload;
    uint32_t *classes; /* of each operator */
    size_t class_count;
    size_t *counts;  /* of each class, on the device */
    uint64_t *first; /* execution of each class, on the device */
    size_t from, until;
    uint64_t *hashes; /* of each stream: what ran on it in a step */
    uint64_t *steps;  /* of each step: of its streams together */
};

struct class_item {
    struct workload_key key;
    uint32_t class;
};

static int find_classes(struct sequence *sequence, struct err *err)
{
    struct workload *workload = sequence->workload;
    SCOPED(map_release) struct map known = MAP_OF(struct class_item, key);

    for (size_t i = 0; i < workload->operator_count; i++) {
        struct workload_key key = workload->operators[i].key;
        bool added;
        key.shapes = NO_TEXT;
        struct class_item *item = map_add(&known, &key, &added, err);
        if (item == NULL)
            return err_status(err);
        if (added)
            item->class = (uint32_t)sequence->class_count++;
        sequence->classes[i] = item->class;
    }
    return 0;
}

static uint64_t mixed(uint64_t hash)
{
    hash ^= hash >> 31;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* The executions of a step as one number: by stream in its order, however the streams are numbered and mixed. Copies
 * come and go. */
static uint64_t finish_step(const struct sequence *sequence)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < sequence->workload->stream_count; i++) {
        sum += sequence->hashes[i] != 0 ? mixed(sequence->hashes[i]) : 0;
        sequence->hashes[i] = 0;
    }
    return sum;
}

/* The steps of a period, each as one number, by the shapes of what they run or without; returns how many. */
static size_t hash_steps(const struct sequence *sequence, uint32_t divider, bool shapes)
{
    const struct workload *workload = sequence->workload;
    size_t count = 0;
    bool open = false;

    for (size_t i = sequence->from; i < sequence->until; i++) {
        const struct execution *execution = &workload->executions[i];
        const uint32_t class = sequence->classes[execution->op];
        large_pass(i);
        if (class == divider && open)
            sequence->steps[count++] = finish_step(sequence);
        open = open || class == divider;
        uint64_t *hash = &sequence->hashes[execution->stream];
        if (open && workload->operators[execution->op].key.work != WORK_COPY)
            *hash = mixed(*hash + (shapes ? execution->op : class) + 1) | 1;
    }
    if (open)
        sequence->steps[count++] = finish_step(sequence);
    return count;
}

static int by_hash(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Whether steps follow each other. Where what an earlier one computes runs past the middle of most, they are executions
 * that overlap, and the distance of their starts is no step. */
static bool follow_each_other(const struct sequence *sequence, uint32_t divider)
{
    const struct workload *workload = sequence->workload;
    int64_t start_ns = 0, end_ns = INT64_MIN, before_ns = INT64_MIN; /* ends: of all until here, and before the step */
    size_t count = 0, crossed = 0;

    for (size_t i = sequence->from; i < sequence->until; i++) {
        const struct execution *execution = &workload->executions[i];
        const int64_t execution_end_ns = number_add(execution->start_ns, execution->duration_ns);
        large_pass(i);
        if (sequence->classes[execution->op] == divider) {
            crossed +=
                count > 0 && number_subtract(before_ns, start_ns) > number_subtract(execution->start_ns, start_ns) / 2;
            count++;
            start_ns = execution->start_ns;
            before_ns = end_ns;
        }
        if (work_computes(workload->operators[execution->op].key.work) && execution_end_ns > end_ns)
            end_ns = execution_end_ns;
    }
    crossed += count > 1 && number_subtract(before_ns, start_ns) > number_subtract(end_ns, start_ns) / 2;
    return 2 * crossed < count;
}

/* Whether the steps run the same operators in the same order: all of two; of more, the first and the last may be cut or
 * warm up, and one of ten may run something else. */
static bool are_alike(void *arg, const struct period *period)
{
    const struct sequence *sequence = arg;
    size_t count = hash_steps(sequence, period->divider, false), alike = 0;

    array_sort(sequence->steps, count, sizeof *sequence->steps, by_hash);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && sequence->steps[end] == sequence->steps[i];)
            end++;
        alike = end - i > alike ? end - i : alike;
    }
    size_t others = count <= 2 ? 0 : count < 6 ? 1 : 2;
    return alike >= 2 && count - alike <= others + count / 10 && follow_each_other(sequence, period->divider);
}

/* The steps of one device: from each execution of the divider to the next, the last one to the end. */
static int divide(const struct sequence *sequence, uint32_t divider, struct err *err)
{
    struct workload *workload = sequence->workload;
    int64_t device_id = workload->devices[workload->executions[sequence->from].device].id, end_ns = 0;
    bool open = false;
    struct workload_step step = {.source = STEPS_PERIOD, .model_id = STEP_OF_NO_MODEL, .model = NO_TEXT};
    int status = 0;

    for (size_t i = sequence->from; status == 0 && i < sequence->until; i++) {
        const struct execution *execution = &workload->executions[i];
        large_pass(i);
        if (sequence->classes[execution->op] == divider) {
            step.end_ns = execution->start_ns;
            if (open)
                status = workload_add_step(workload, device_id, &step, err);
            open = true;
            step.number++;
            step.start_ns = execution->start_ns;
        }
        if (execution->start_ns + execution->duration_ns > end_ns || i == sequence->from)
            end_ns = execution->start_ns + execution->duration_ns;
    }
    step.end_ns = end_ns;
    return status == 0 && open ? workload_add_step(workload, device_id, &step, err) : status;
}

/* ---- kinds of steps ---- */

/* More are no kinds, but shapes that are always others. */
#define MOST_KINDS 4
#define MOST_HASHES (MOST_KINDS + 2) /* with a first and a last step that are cut */

struct step_kind {
    uint64_t hash;
    size_t first, count; /* steps of the device */
    uint8_t kind;        /* from 1 */
};

/* What the steps of a device are, each by the shapes of all that it ran; returns how many there are, 0: too many. */
static size_t tell_hashes(const struct sequence *sequence, size_t steps, struct step_kind kinds[MOST_HASHES])
{
    size_t used = 0;

    for (size_t i = 0; i < steps; i++) {
        size_t k = 0;
        large_pass(i);
        while (k < used && kinds[k].hash != sequence->steps[i])
            k++;
        if (k == MOST_HASHES)
            return 0;
        if (k == used)
            kinds[used++] = (struct step_kind){.hash = sequence->steps[i], .first = i};
        kinds[k].count++;
    }
    return used;
}

/* The first operator that has other shapes in each of the kinds; false: none has. */
static bool find_telling(const struct sequence *sequence, const size_t *firsts, size_t count, size_t *ret)
{
    const struct workload *workload = sequence->workload;

    for (size_t at = 0; count > 0 && firsts[count - 1] + at < sequence->until; at++) {
        bool all = true;
        for (size_t k = 1; k < count; k++) {
            const uint32_t op = workload->executions[firsts[k] + at].op;
            if (sequence->classes[op] != sequence->classes[workload->executions[firsts[0] + at].op])
                return false;
            for (size_t j = 0; j < k; j++)
                all = all && workload->executions[firsts[j] + at].op != op;
        }
        *ret = at;
        if (all)
            return true;
    }
    return false;
}

#define KIND_NAME_SIZE 512

/* Gives each kind a name that does not depend on which of them comes first, so that other captures have it, too.
 * *ret_named false: they have none that tells them apart, and no kinds are made. */
static int name_kinds(const struct sequence *sequence, size_t first_step, struct step_kind *kinds, size_t count,
                      bool *ret_named, struct err *err)
{
    struct workload *workload = sequence->workload;
    const uint16_t device = workload->executions[sequence->from].device;
    size_t firsts[MOST_HASHES], at = 0;
    char names[MOST_KINDS][KIND_NAME_SIZE];

    for (size_t k = 0; k < count; k++)
        firsts[k] = workload_first_at(workload, device, workload->steps[first_step + kinds[k].first].start_ns);
    *ret_named = find_telling(sequence, firsts, count, &at);
    for (size_t k = 0; *ret_named && k < count; k++) {
        const struct workload_key *key = &workload->operators[workload->executions[firsts[k] + at].op].key;
        const char *shapes = workload_text(workload, key->shapes);
        *ret_named = strlen(shapes) < KIND_NAME_SIZE / 2;
        snprintf(names[k], KIND_NAME_SIZE, "%.200s %s", workload_text(workload, key->name), *ret_named ? shapes : "");
        for (size_t j = 0; j < k; j++) /* other data types or formats of the same shapes */
            *ret_named = *ret_named && strcmp(names[j], names[k]) != 0;
    }
    for (size_t k = 0; *ret_named && k < count; k++) {
        uint32_t text;
        if (workload_add_text(workload, names[k], &text, err) < 0 || array_add(&workload->kinds, err, text) < 0)
            return err_status(err);
        kinds[k].kind = (uint8_t)workload->kinds.count;
    }
    return 0;
}

/* How many operators, with their shapes, a step that is cut shares with another: from the begin of both on, or to their
 * ends. */
static size_t shared_by(const struct workload *workload, const struct workload_step *cut,
                        const struct workload_step *other)
{
    const size_t first = workload_first_at(workload, cut->device, cut->start_ns),
                 until = workload_first_at(workload, cut->device, cut->end_ns),
                 other_first = workload_first_at(workload, cut->device, other->start_ns),
                 other_until = workload_first_at(workload, cut->device, other->end_ns);
    const size_t least = until - first < other_until - other_first ? until - first : other_until - other_first;
    size_t head = 0, tail = 0;

    while (head < least && workload->executions[first + head].op == workload->executions[other_first + head].op)
        head++;
    while (tail < least && workload->executions[until - tail - 1].op == workload->executions[other_until - tail - 1].op)
        tail++;
    return head > tail ? head : tail;
}

/* Of the kinds the one that a cut step shares most with. */
static size_t likest(const struct workload *workload, const struct workload_step *steps, size_t i,
                     const struct step_kind *kinds, size_t count)
{
    size_t best = 0, most = 0;

    for (size_t k = 0; k < count; k++) {
        const size_t shared = shared_by(workload, &steps[i], &steps[kinds[k].first]);
        best = shared > most ? k : best;
        most = shared > most ? shared : most;
    }
    return best;
}

/* Steps that run the same operators with the shapes of a few kinds, each of which comes again, are of different models
 * or batches: they have no mean. Steps with shapes that are always others are of one kind. */
static int tell_kinds(struct sequence *sequence, uint32_t divider, size_t first_step, struct err *err)
{
    struct workload *workload = sequence->workload;
    const size_t steps = workload->step_count - first_step;
    struct step_kind kinds[MOST_HASHES];
    size_t used, count = 0, again = 0;

    if (hash_steps(sequence, divider, true) != steps)
        return 0;
    used = tell_hashes(sequence, steps, kinds);
    for (size_t k = 0; k < used; k++) /* those that come again, in their order, in front */
        if (kinds[k].count > 1)
            kinds[count++] = kinds[k];
    for (size_t k = 0; k < count; k++)
        again += kinds[k].count;
    if (count < 2 || count > MOST_KINDS || again + 2 < steps || workload->kinds.count + count > UINT8_MAX)
        return 0;
    bool named;
    if (name_kinds(sequence, first_step, kinds, count, &named, err) < 0)
        return err_status(err);
    for (size_t i = 0; named && i < steps; i++) {
        size_t k = 0;
        large_pass(i);
        while (k < count && kinds[k].hash != sequence->steps[i])
            k++;
        k = k < count ? k : likest(workload, &workload->steps[first_step], i, kinds, count);
        workload->steps[first_step + i].kind = kinds[k].kind;
    }
    return 0;
}

static int find_on_device(struct sequence *sequence, struct err *err)
{
    const struct workload *workload = sequence->workload;
    const size_t first_step = workload->step_count;
    struct period period;

    memset(sequence->counts, 0, sequence->class_count * sizeof *sequence->counts);
    for (size_t i = sequence->from; i < sequence->until; i++) {
        const uint32_t class = sequence->classes[workload->executions[i].op];
        large_pass(i);
        if (sequence->counts[class]++ == 0)
            sequence->first[class] = i;
    }
    return workload_find_period(sequence->counts, sequence->first, sequence->class_count, are_alike, sequence, &period,
                                err) < 0 ||
                   (period.count >= 2 && (divide(sequence, period.divider, err) < 0 ||
                                          tell_kinds(sequence, period.divider, first_step, err) < 0))
               ? err_status(err)
               : 0;
}

static void sequence_release(struct sequence *sequence)
{
    free(sequence->classes);
    free(sequence->counts);
    free(sequence->first);
    free(sequence->hashes);
    large_free(sequence->steps);
}

static int find_steps(struct workload *workload, struct err *err)
{
    SCOPED(sequence_release) struct sequence sequence = {.workload = workload};

    sequence.classes = scoped_memory(workload->operator_count + 1, sizeof *sequence.classes);
    sequence.counts = scoped_memory(workload->operator_count + 1, sizeof *sequence.counts);
    sequence.first = scoped_memory(workload->operator_count + 1, sizeof *sequence.first);
    sequence.hashes = scoped_memory(workload->stream_count + 1, sizeof *sequence.hashes);
    if (sequence.classes == NULL || sequence.counts == NULL || sequence.first == NULL || sequence.hashes == NULL)
        return err_no_memory(err);
    sequence.steps = large_new(workload->execution_count + 1, sizeof *sequence.steps, err);
    if (sequence.steps == NULL || find_classes(&sequence, err) < 0)
        return err_status(err);
    for (; sequence.from < workload->execution_count; sequence.from = sequence.until) {
        for (sequence.until = sequence.from;
             sequence.until < workload->execution_count &&
             workload->executions[sequence.until].device == workload->executions[sequence.from].device;)
            large_pass(sequence.until++);
        if (find_on_device(&sequence, err) < 0)
            return err_status(err);
    }
    return 0;
}

int workload_finish(struct workload *workload, struct err *err)
{
    bool failed = unite_others(workload, err) < 0;

    sort_executions(workload);
    failed = failed || (workload->step_count == 0 && !workload->window.any && find_steps(workload, err) < 0);
    large_sort(workload->steps, workload->step_count, sizeof *workload->steps, compare_steps);
    return failed ? err_status(err) : 0;
}

void workload_recorded_text(const struct workload_facts *facts, char text[RECORDED_SIZE])
{
    text[0] = '\0';
    if (facts->unrecorded > 0 && facts->interval > 1)
        snprintf(text, RECORDED_SIZE, language_shown("1 of %" PRId64 " inferences was sampled"), facts->interval);
    else if (facts->unrecorded > 0)
        snprintf(text, RECORDED_SIZE, language_shown("%" PRId64 " of %" PRId64 " inferences were sampled"),
                 facts->recorded, facts->recorded + facts->unrecorded);
}

bool workload_is_conversion(const char *type)
{
    static const char *const types[] = {"TransData", "Cast", "Transpose", "TransposeD", "Reformat"};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

static bool begins_before(const void *item, const void *key)
{
    const struct execution *x = item, *y = key;

    return x->device < y->device || (x->device == y->device && x->start_ns < y->start_ns);
}

size_t workload_first_at(const struct workload *workload, uint16_t device, int64_t time_ns)
{
    const struct execution wanted = {.device = device & (WORKLOAD_DEVICES_MOST - 1U), .start_ns = time_ns};

    return search_by(workload->executions, workload->execution_count, sizeof wanted, begins_before, &wanted);
}

int workload_facts_append(char **list, const char *word, struct err *err)
{
    const size_t used = *list != NULL ? strlen(*list) : 0, length = strlen(word);

    for (const char *at = *list; length > 0 && at != NULL && (at = strstr(at, word)) != NULL; at += length)
        if ((at == *list || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return 0;
    if (length == 0)
        return 0;
    char *grown = realloc(*list, used + length + sizeof ", ");
    if (grown == NULL)
        return err_no_memory(err);
    *list = grown;
    snprintf(grown + used, length + sizeof ", ", "%s%s", used > 0 ? ", " : "", word);
    return 0;
}
