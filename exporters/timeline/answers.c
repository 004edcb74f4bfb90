/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/answers.h"

#include "base/file/large.h"
#include "base/language.h"
#include "base/number.h"
#include "features/answers/load/load.h"

#include <stdlib.h>
#include <string.h>

int track_answers_load(struct track_run *run, struct err *err)
{
    struct track_answers *answers = calloc(1, sizeof *answers);
    if (answers == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the answers of a timeline");
    if (workload_load(run->run->db, WITH_COUNTERS, &answers->workload, err) < 0) {
        free(answers);
        return err_status(err);
    }
    run->answers = answers;
    return splits_make(&answers->workload, &answers->splits, err);
}

const char *track_answers_absence(const struct track_answers *answers)
{
    return language_said(answers->workload.facts.placed
                             ? "start times of tasks are synthesised, so gaps are meaningless"
                             : "the capture has nothing of it");
}

void track_answers_release(struct track_answers *answers)
{
    if (answers == NULL)
        return;
    splits_release(&answers->splits);
    workload_release(&answers->workload);
    free(answers);
}

int answers_process(struct track_run *run, uint16_t device, int64_t *ret_pid, struct err *err)
{
    const int64_t id = run->answers->workload.devices[device].id;
    return track_process(run, LAYER_ANSWERS, id != DB_NULL ? id : 0, ANSWERS_PROCESS, ret_pid, err);
}

/* ---- counters over time ---- */

void answers_bins_init(struct answers_bins *bins, int64_t from_ns, int64_t until_ns)
{
    const int64_t span_ns = number_subtract(until_ns, from_ns);
    memset(bins, 0, sizeof *bins);
    bins->from_ns = from_ns;
    bins->width_ns = span_ns / ANSWERS_BINS + (span_ns % ANSWERS_BINS != 0);
    if (bins->width_ns > 0)
        bins->count = (size_t)(span_ns / bins->width_ns) + (span_ns % bins->width_ns != 0);
}

void answers_bins_add(struct answers_bins *bins, int64_t start_ns, int64_t end_ns, double weight)
{
    if (bins->width_ns == 0 || end_ns <= start_ns)
        return;
    const int64_t from = number_subtract(start_ns, bins->from_ns), until = number_subtract(end_ns, bins->from_ns);
    const size_t first = (size_t)(from / bins->width_ns), last = (size_t)((until - 1) / bins->width_ns);
    if (first == last) {
        bins->parts[first] += weight * (double)(until - from);
        return;
    }
    bins->parts[first] += weight * (double)(number_multiply((int64_t)(first + 1), bins->width_ns) - from);
    bins->parts[last] += weight * (double)(until - (int64_t)last * bins->width_ns);
    bins->changes[first + 1] += weight;
    bins->changes[last] -= weight;
}

/* A counter and its values. */
struct counter {
    struct trace *trace;
    int64_t pid;
    const char *name;
    const struct event_key *keys;
    size_t count;
    double percent[ANSWERS_VALUES];
};

static int draw_values(const struct counter *counter, int64_t time_ns, struct err *err)
{
    struct event event;
    event_begin(&event, 'C', counter->pid, 0, time_ns);
    event_name_word(&event, counter->name);
    for (size_t i = 0; i < counter->count; i++)
        event_real_of(&event, counter->keys[i], counter->percent[i]);
    return trace_put(counter->trace, &event, err);
}

int answers_draw_bins(struct track_run *run, uint16_t device, const char *name, const struct event_key keys[],
                      const struct answers_bins bins[], size_t count, bool changes, struct err *err)
{
    struct counter counter = {.trace = &run->trace, .name = name, .keys = keys, .count = count};
    double weights[ANSWERS_VALUES] = {0}, before = -1;
    if (answers_process(run, device, &counter.pid, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < bins->count; i++) {
        for (size_t k = 0; k < count; k++) {
            weights[k] += bins[k].changes[i]; /* what the bins before left */
            counter.percent[k] = 100 * (weights[k] + bins[k].parts[i] / (double)bins->width_ns);
        }
        if ((!changes || counter.percent[0] != before) &&
            draw_values(&counter, number_add(bins->from_ns, (int64_t)i * bins->width_ns), err) < 0)
            return err_status(err);
        before = counter.percent[0];
    }
    memset(counter.percent, 0, sizeof counter.percent);
    return draw_values(&counter, number_add(bins->from_ns, number_multiply((int64_t)bins->count, bins->width_ns)), err);
}

struct answers_span answers_span_of(const struct workload *workload, uint16_t device)
{
    struct answers_span span = {.first = workload_first_at(workload, device, INT64_MIN)};
    for (span.end = span.first; span.end < workload->execution_count; span.end++) {
        const struct execution *execution = &workload->executions[span.end];
        large_pass(span.end);
        if (execution->device != device)
            break;
        const int64_t end_ns = number_add(execution->start_ns, execution->duration_ns);
        span.until_ns = span.end == span.first || end_ns > span.until_ns ? end_ns : span.until_ns;
    }
    if (span.end > span.first)
        span.from_ns = workload->executions[span.first].start_ns;
    return span;
}

int answers_each_device(struct track_run *run, void *layer,
                        int (*draw)(struct track_run *run, void *layer, uint16_t device, struct err *err),
                        struct err *err)
{
    const struct workload *workload = &run->answers->workload;
    for (size_t i = 0; !workload->facts.placed && i < workload->device_count; i++) {
        if (draw(run, layer, (uint16_t)i, err) < 0)
            return err_status(err);
    }
    return 0;
}
