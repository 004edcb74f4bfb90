/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/track.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- layers ---- */

bool track_is_named(const char *name, const char *layer, const char *also)
{
    return strcmp(name, layer) == 0 || (also != NULL && strcmp(name, also) == 0);
}

bool track_shows(const struct track_run *run, const char *name, const char *also)
{
    const char *const *layer = run->run->options->layers;
    while (layer != NULL && *layer != NULL && !track_is_named(*layer, name, also) && strcmp(*layer, TRACK_ALL) != 0)
        layer++;
    return layer == NULL || *layer != NULL;
}

bool track_is_there(const struct track_run *run, const char *name)
{
    size_t i = 0;
    while (i < run->track_count && strcmp(run->tracks[i]->name, name) != 0)
        i++;
    return i < run->track_count;
}

/* ---- processes ---- */

int track_first_free_stream(void *db, int64_t *ret, struct err *err)
{
    int status = cann_largest_stream(db, ret, err);
    *ret = number_add(*ret, 1);
    return status;
}

/* Below each other: programs, calls, devices and what they overlap; counters of hosts and devices after them. Vendor's
 * files have their order. */
static int64_t place_of(const struct track_run *run, int64_t layer)
{
    if (run->trace.style.as_recorded || run->own_numbers)
        return layer;
    if (layer == LAYER_HARDWARE || layer == LAYER_COMMUNICATION)
        return 10 * LAYER_CANN + (layer == LAYER_COMMUNICATION) + 1;
    return layer == LAYER_OVERLAP ? 10 * LAYER_CANN + 3 : 10 * layer;
}

int track_process_of(struct track_run *run, int64_t process_id, int64_t layer, int64_t device_id, const char *name,
                     int64_t *ret_pid, struct err *err)
{
    char label[192] = "CPU";
    bool added;
    *ret_pid = run->own_numbers ? process_id : track_pid_of(process_id, layer, device_id);
    if (map_add(&run->processes, ret_pid, &added, err) == NULL)
        return -(int)err->code;
    if (!added)
        return 0;
    if (device_id != DB_NULL)
        snprintf(label, sizeof label, "NPU %lld", (long long)device_id);
    if (run->host != NULL)
        snprintf(label + strlen(label), sizeof label - strlen(label), " of %s", run->host);
    trace_name_process(&run->trace, *ret_pid, run->first_place + place_of(run, layer), name, label);
    return 0;
}

int track_process(struct track_run *run, int64_t layer, int64_t device_id, const char *name, int64_t *ret_pid,
                  struct err *err)
{
    return track_process_of(run, run->process_id, layer, device_id, name, ret_pid, err);
}

/* ---- workers ---- */

struct worker {
    struct track_run *run;
    sqlite3 *db;
    void **states; /* of each track; NULL: it draws nothing */
};

static void worker_free(void *opaque)
{
    struct worker *worker = opaque;
    for (size_t i = 0; worker->states != NULL && i < worker->run->track_count; i++) {
        if (worker->states[i] != NULL)
            worker->run->tracks[i]->worker_free(worker->states[i]);
    }
    free(worker->states);
    database_close(worker->db);
    free(worker);
}

static void *worker_new(void *arg, struct err *err)
{
    struct track_run *run = arg;
    struct worker *worker = calloc(1, sizeof *worker);
    if (worker != NULL) {
        worker->run = run;
        worker->states = calloc(run->track_count + 1, sizeof *worker->states);
    }
    if (worker == NULL || worker->states == NULL) {
        free(worker);
        err_no_memory(err);
        return NULL;
    }
    if (database_open(run->run->options->database, &worker->db, err) < 0) {
        worker_free(worker);
        return NULL;
    }
    for (size_t i = 0; i < run->track_count; i++) {
        const struct track *track = run->tracks[i];
        if (track->draw == NULL)
            continue;
        worker->states[i] = track->worker_new(run, run->states[i], worker->db, err);
        if (worker->states[i] == NULL) {
            worker_free(worker);
            return NULL;
        }
    }
    return worker;
}

static int process(void *opaque, void *opaque_unit, struct parallel_output *output, struct err *err)
{
    struct worker *worker = opaque;
    const struct track_unit *unit = opaque_unit;
    return worker->run->tracks[unit->track]->draw(worker->states[unit->track], unit, output, err);
}

/* ---- units ---- */

struct track_unit *track_unit_new(struct track_run *run, const void *state, struct err *err)
{
    struct track_unit *unit = parallel_unit(run->parallel, err);
    if (unit == NULL)
        return NULL;
    unit->track = 0;
    while (run->states[unit->track] != state)
        unit->track++;
    unit->first = unit->end = 0;
    unit->count = 0;
    return unit;
}

void track_unit_submit(struct track_run *run)
{
    parallel_submit(run->parallel);
}

/* ---- the walk ---- */

struct walk {
    struct track_run *run;
    enum track_rows rows;
    struct cann_span_reader *reader; /* of the rows; NULL: no track looks at each */
};

static int take_span(void *arg, const struct cann_span *span, struct err *err)
{
    struct walk *walk = arg;
    struct track_run *run = walk->run;
    int status = 0;
    for (size_t i = 0; i < run->track_count && status == 0; i++) {
        const struct track *track = run->tracks[i];
        if (track->rows == walk->rows && track->span != NULL)
            status = track->span(run, run->states[i], span, err);
    }
    return status;
}

static bool are_needed(const struct track_run *run, enum track_rows rows, bool *ret_spans)
{
    bool needed = false;
    *ret_spans = false;
    for (size_t i = 0; i < run->track_count; i++) {
        needed |= run->tracks[i]->rows == rows;
        *ret_spans |= run->tracks[i]->rows == rows && run->tracks[i]->span != NULL;
    }
    return needed;
}

static int walk_range(struct walk *walk, int64_t first, int64_t end, struct err *err)
{
    struct track_run *run = walk->run;
    int status = walk->reader != NULL ? cann_read_spans(walk->reader, first, end, take_span, walk, err) : 0;
    for (size_t i = 0; i < run->track_count && status == 0; i++) {
        if (run->tracks[i]->rows == walk->rows && run->tracks[i]->range != NULL)
            status = run->tracks[i]->range(run, run->states[i], first, end, err);
    }
    return status;
}

static int walk_rows(struct track_run *run, enum track_rows rows, struct err *err)
{
    struct walk walk = {.run = run, .rows = rows};
    bool spans;
    if (!are_needed(run, rows, &spans))
        return 0;
    int64_t count;
    int status =
        rows == TRACK_CALLS ? cann_call_count(run->run->db, &count, err) : cann_task_count(run->run->db, &count, err);
    if (status == 0 && rows == TRACK_CALLS && spans)
        status = cann_calls_overlap(run->run->db, &spans, err);
    if (status < 0)
        return status;
    if (spans) {
        walk.reader = rows == TRACK_CALLS ? cann_call_span_reader_new(run->run->db, err)
                                          : cann_span_reader_new(run->run->db, err);
        if (walk.reader == NULL)
            return -(int)err->code;
    }
    for (int64_t id = 1; status == 0 && id <= count; id += TRACK_UNIT_ROWS)
        status = walk_range(&walk, id, id + TRACK_UNIT_ROWS, err);
    for (size_t i = 0; i < run->track_count && status == 0; i++) {
        if (run->tracks[i]->rows == rows && run->tracks[i]->end != NULL)
            status = run->tracks[i]->end(run, run->states[i], err);
    }
    cann_span_reader_free(walk.reader);
    return status;
}

int tracks_walk(struct track_run *run, struct err *err)
{
    const struct parallel_work work = {
        .unit_size = sizeof(struct track_unit),
        .arg = run,
        .worker_new = worker_new,
        .worker_free = worker_free,
        .process = process,
    };
    bool spans, rows = are_needed(run, TRACK_CALLS, &spans) || are_needed(run, TRACK_TASKS, &spans);
    if (!rows)
        return 0;
    run->parallel = parallel_new(&work, &run->trace.out, err);
    int status = run->parallel != NULL ? walk_rows(run, TRACK_CALLS, err) : -(int)err->code;
    if (status == 0 && (slice_operators_wait(&run->operators, err) < 0 || walk_rows(run, TRACK_TASKS, err) < 0))
        status = -(int)err->code;
    if (status == 0)
        status = parallel_finish(run->parallel, err);
    parallel_free(run->parallel);
    run->parallel = NULL;
    run->trace.events += atomic_exchange(&run->drawn, 0);
    return status;
}
