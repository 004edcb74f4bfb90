/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/track.h"

#include "db/query/cann_version.h"
#include "db/warm_up.h"

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
static int64_t place_of(const struct track_run *run, int64_t layer, int order)
{
    if (run->own_numbers)
        return order;
    if (run->trace.style.as_recorded)
        return cann_version_place(run->run->options->cann_version, order);
    if (layer == LAYER_HARDWARE || layer == LAYER_COMMUNICATION)
        return 10 * LAYER_CANN + (layer == LAYER_COMMUNICATION) + 1;
    return layer == LAYER_OVERLAP ? 10 * LAYER_CANN + 3 : 10 * order;
}

int track_unlisted(const struct track *until)
{
    int number = LAYER_UNLISTED;
    for (size_t i = 0; tracks[i] != NULL && tracks[i] != until; i++)
        number += tracks[i]->number == 0;
    return number;
}

int track_number(const struct track *track)
{
    return track->number != 0 ? track->number : track_unlisted(track);
}

int track_order(const struct track *track)
{
    return track->order != 0 ? track->order : layer_order(track->number);
}

/* Processes that Ascend's tool calls otherwise, or shows elsewhere. */
static const struct vendor_process {
    const char *layer, *name, *label;
} vendor_processes[] = {{"DPU", "CANN", "DPU"}, {"UB", "Ub", "NPU"}, {"CCU", "CCU", "NPU"}};

static const struct vendor_process *vendor_process_of(const struct track_run *run, const char *layer)
{
    for (size_t i = 0; run->compat && i < sizeof vendor_processes / sizeof *vendor_processes; i++)
        if (strcmp(vendor_processes[i].layer, layer) == 0)
            return &vendor_processes[i];
    return NULL;
}

int64_t track_own_pid(const struct track_run *run, int64_t process_id)
{
    if (run->compat)
        return run->layer != 0 && process_id >= 0 ? trace_tagged(run->layer, process_id) : process_id;
    process_id &= UINT32_MAX; /* 0 when it is not known */
    return run->layer != 0 ? track_pid_of(process_id, run->layer, run->device_id) : process_id;
}

void track_name_own_process(struct track_run *run, int64_t process_id, const char *name)
{
    run->trace.style.unplaced = run->compat && run->layer == 0;
    trace_name_process(&run->trace, track_own_pid(run, process_id), run->layer, name, NULL);
}

int track_process_of(struct track_run *run, int64_t process_id, int64_t layer, int order, int64_t device_id,
                     const char *name, int64_t *ret_pid, struct err *err)
{
    char label[192] = "CPU";
    bool added;
    *ret_pid =
        run->own_numbers ? track_own_pid(run, process_id) : track_numbered_pid(run, process_id, layer, device_id);
    if (map_add(&run->processes, ret_pid, &added, err) == NULL)
        return err_status(err);
    if (!added)
        return 0;
    if (run->plain) {
        track_name_own_process(run, process_id, name);
        return 0;
    }
    const struct vendor_process *vendor = vendor_process_of(run, name);
    if (device_id != DB_NULL && run->compat && cann_version_has(run->run->options->cann_version, NAMING_NO_NUMBER))
        snprintf(label, sizeof label, "NPU");
    else if (device_id != DB_NULL)
        snprintf(label, sizeof label, "%s %lld", vendor != NULL ? vendor->label : "NPU", (long long)device_id);
    if (run->host != NULL)
        snprintf(label + strlen(label), sizeof label - strlen(label), " of %s", run->host);
    trace_name_process(&run->trace, *ret_pid, run->first_place + (vendor != NULL ? layer : place_of(run, layer, order)),
                       vendor != NULL ? vendor->name : name, label);
    return 0;
}

int track_process(struct track_run *run, int64_t layer, int64_t device_id, const char *name, int64_t *ret_pid,
                  struct err *err)
{
    return track_process_of(run, run->process_id, layer, layer_order(layer), device_id, name, ret_pid, err);
}

/* ---- workers ---- */

static void worker_close(void *opaque)
{
    struct track_worker *worker = opaque;
    for (size_t i = 0; worker->owns != NULL && i < worker->run->track_count; i++)
        free(worker->owns[i]);
    free(worker->owns);
    cann_reader_free(worker->calls);
    cann_reader_free(worker->around);
    cann_reader_free(worker->tasks);
    database_close(worker->db);
}

static int worker_open(void *opaque, void *arg, struct err *err)
{
    struct track_worker *worker = opaque;
    struct track_run *run = worker->run = arg;
    worker->owns = calloc(run->track_count + 1, sizeof *worker->owns);
    if (worker->owns == NULL)
        return err_no_memory(err);
    if (warm_up_open(run->run->options->database, &worker->db, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < run->track_count; i++) {
        const struct track *track = run->tracks[i];
        if (track->worker_size > 0 && (worker->owns[i] = calloc(1, track->worker_size)) == NULL)
            return err_no_memory(err);
        if (track->draw_call != NULL &&
            ((worker->calls = cann_reader_share(run->calls, worker->db, CANN_CALLS, err)) == NULL ||
             (worker->around = cann_reader_share(run->calls, worker->db, CANN_CALLS, err)) == NULL))
            return err_status(err);
        if (track->draw_task != NULL &&
            (worker->tasks = cann_reader_share(run->tasks, worker->db, CANN_TASKS, err)) == NULL)
            return err_status(err);
    }
    return 0;
}

static int process(void *opaque, void *opaque_unit, struct parallel_output *output, struct err *err)
{
    struct track_worker *worker = opaque;
    const struct track_unit *unit = opaque_unit;
    const struct track *track = worker->run->tracks[unit->track];
    worker->track = worker->run->states[unit->track];
    worker->own = worker->owns[unit->track];
    worker->unit = unit;
    worker->output = output;
    worker->drawn = worker->next_placed = 0;
    worker->has_thread = false;
    worker->pid = track_pid(worker->run, track_number(track), DB_NULL);
    int status;
    if (track->draw_unit != NULL)
        status = track->draw_unit(worker, err);
    else if (track->draw_call != NULL)
        status = cann_read_calls(worker->calls, unit->first, unit->end, track->draw_call, worker, err);
    else
        status = cann_read_tasks(worker->tasks, unit->first, unit->end, track->draw_task, worker, err);
    atomic_fetch_add(&worker->run->drawn, worker->drawn);
    return status;
}

int track_add_thread(struct track_worker *worker, int64_t number, struct err *err)
{
    pthread_mutex_lock(&worker->run->lock);
    worker->has_thread = trace_lanes_add(worker->track, worker->pid, number, NULL, err) == 0;
    pthread_mutex_unlock(&worker->run->lock);
    worker->thread = number;
    return worker->has_thread ? 0 : err_status(err);
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
    struct cann_reader *reader; /* of the rows; NULL: no track looks at each */
    struct placed_rows {
        struct placed_row rows[TRACK_UNIT_ROWS];
        size_t count;
    } * placed; /* of each track, of the range that is read */
};

static bool draws_rows(const struct track *track)
{
    return track->draw_call != NULL || track->draw_task != NULL;
}

/* Places the next row of a range. */
static int place_row(struct walk *walk, size_t i, const struct cann_span *span, struct err *err)
{
    struct track_run *run = walk->run;
    struct placed_rows *placed = &walk->placed[i];
    struct trace_slice slice = {
        .pid = track_pid(run, track_number(run->tracks[i]), walk->rows == TRACK_CALLS ? DB_NULL : span->device_id),
        .start_ns = span->start_ns,
        .duration_ns = time_since(span->end_ns, span->start_ns)};
    if (walk->rows == TRACK_CALLS)
        pthread_mutex_lock(&run->lock);
    const int status = trace_lanes_place(run->states[i], span->number, &slice, err);
    if (walk->rows == TRACK_CALLS)
        pthread_mutex_unlock(&run->lock);
    if (status == 0 && (slice.instant || slice.short_ps > 0 || slice.tid != span->number))
        placed->rows[placed->count++] = (struct placed_row){span->id, slice.tid, slice.short_ps, slice.instant};
    return status;
}

static int take_span(void *arg, const struct cann_span *span, struct err *err)
{
    struct walk *walk = arg;
    struct track_run *run = walk->run;
    for (size_t i = 0; i < run->track_count; i++) {
        const struct track *track = run->tracks[i];
        if (track->rows != walk->rows)
            continue;
        if ((track->span != NULL && track->span(run, run->states[i], span, err) < 0) ||
            (draws_rows(track) && place_row(walk, i, span, err) < 0))
            return err_status(err);
    }
    return 0;
}

static bool are_needed(const struct track_run *run, enum track_rows rows)
{
    bool needed = false;
    for (size_t i = 0; i < run->track_count; i++)
        needed |= run->tracks[i]->rows == rows;
    return needed;
}

/* Hands a range of rows over, with what was placed of it. */
static int submit_range(struct walk *walk, size_t i, int64_t first, int64_t end, struct err *err)
{
    struct placed_rows *placed = &walk->placed[i];
    struct track_unit *unit = track_unit_new(walk->run, walk->run->states[i], err);
    if (unit == NULL)
        return err_status(err);
    unit->first = first;
    unit->end = end;
    unit->count = placed->count;
    memcpy(unit->bytes, placed->rows, placed->count * sizeof *placed->rows);
    placed->count = 0;
    track_unit_submit(walk->run);
    return 0;
}

static int walk_range(struct walk *walk, int64_t first, int64_t end, struct err *err)
{
    struct track_run *run = walk->run;
    if (walk->reader != NULL && cann_read_spans(walk->reader, first, end, take_span, walk, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < run->track_count; i++) {
        if (run->tracks[i]->rows == walk->rows && draws_rows(run->tracks[i]) &&
            submit_range(walk, i, first, end, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* Finds how many rows there are, and opens the reader of their times; of calls only where these are not all nested. */
static int open_walk(struct walk *walk, int64_t *ret_count, struct err *err)
{
    sqlite3 *db = walk->run->run->db;
    const bool calls = walk->rows == TRACK_CALLS;
    bool spans = true;
    if ((calls ? cann_call_count(db, ret_count, err) : cann_task_count(db, ret_count, err)) < 0 ||
        (calls && cann_calls_overlap(db, &spans, err) < 0))
        return err_status(err);
    walk->placed = calloc(walk->run->track_count, sizeof *walk->placed);
    if (walk->placed == NULL)
        return err_no_memory(err);
    if (spans)
        walk->reader = cann_reader_new(db, calls ? CANN_CALL_SPANS : CANN_TASK_SPANS, err);
    return !spans || walk->reader != NULL ? 0 : err_status(err);
}

static int walk_rows(struct track_run *run, enum track_rows rows, struct err *err)
{
    struct walk walk = {.run = run, .rows = rows};
    int64_t count;
    if (!are_needed(run, rows))
        return 0;
    bool failed = open_walk(&walk, &count, err) < 0;
    for (int64_t id = 1; !failed && id <= count; id += TRACK_UNIT_ROWS)
        failed = walk_range(&walk, id, id + TRACK_UNIT_ROWS, err) < 0;
    for (size_t i = 0; i < run->track_count && !failed; i++)
        failed = run->tracks[i]->rows == rows && run->tracks[i]->end != NULL &&
                 run->tracks[i]->end(run, run->states[i], err) < 0;
    cann_reader_free(walk.reader);
    free(walk.placed);
    return failed ? err_status(err) : 0;
}

int tracks_walk(struct track_run *run, struct err *err)
{
    const struct parallel_work work = {
        .unit_size = sizeof(struct track_unit),
        .arg = run,
        .worker_size = sizeof(struct track_worker),
        .worker_open = worker_open,
        .worker_close = worker_close,
        .process = process,
    };
    const bool calls = are_needed(run, TRACK_CALLS), tasks = are_needed(run, TRACK_TASKS);
    if (!calls && !tasks)
        return 0;
    run->calls = calls ? cann_reader_new(run->run->db, CANN_CALLS, err) : NULL;
    run->tasks = tasks ? cann_reader_new(run->run->db, CANN_TASKS, err) : NULL;
    if ((!calls || run->calls != NULL) && (!tasks || run->tasks != NULL))
        run->parallel = parallel_new(&work, &run->trace.out, err);
    const bool failed = run->parallel == NULL || walk_rows(run, TRACK_CALLS, err) < 0 ||
                        slice_operators_wait(&run->operators, err) < 0 || walk_rows(run, TRACK_TASKS, err) < 0 ||
                        parallel_finish(run->parallel, err) < 0;
    parallel_free(run->parallel);
    cann_reader_free(run->calls);
    cann_reader_free(run->tasks);
    run->calls = run->tasks = NULL;
    run->parallel = NULL;
    run->trace.events += atomic_exchange(&run->drawn, 0);
    return failed ? err_status(err) : 0;
}
