/* SPDX-License-Identifier: Apache-2.0 */
/* When each device computed, communicated, did that only, or neither. */
#include "base/number.h"
#include "db/query/cann_version.h"
#include "exporters/busy.h"
#include "exporters/timeline/track.h"

static const char *const names[] = {
    [OVERLAP_COMPUTING] = "Computing",
    [OVERLAP_COMMUNICATION] = "Communication",
    [OVERLAP_COMMUNICATION_ONLY] = "Communication(Not Overlapped)",
    [OVERLAP_FREE] = "Free",
};

/* The thread of a type: Ascend's tool has had them in another order since 2025. */
static int64_t thread_of(const struct track_run *run, enum overlap_type type)
{
    static const int64_t threads[] = {
        [OVERLAP_COMPUTING] = 2, [OVERLAP_COMMUNICATION] = 0, [OVERLAP_COMMUNICATION_ONLY] = 1, [OVERLAP_FREE] = 3};
    const bool older = cann_version_has(run->run->options->cann_version, NAMING_HCCL);
    return run->compat && !older ? threads[type] : (int64_t)type;
}

#define SPANS_MAX (TRACK_UNIT_BYTES / sizeof(struct overlap_span))

struct analysis {
    struct track_run *run;
    struct overlap overlap;
    struct overlap_span spans[SPANS_MAX]; /* complete, not handed over yet */
    size_t count;
};

static int submit(struct analysis *analysis, struct err *err)
{
    struct track_unit *unit = track_unit_new(analysis->run, analysis, err);
    if (unit == NULL)
        return err_status(err);
    unit->count = analysis->count;
    memcpy(unit->bytes, analysis->spans, analysis->count * sizeof *analysis->spans);
    analysis->count = 0;
    track_unit_submit(analysis->run);
    return 0;
}

static int keep(void *opaque, const struct overlap_span *span, struct err *err)
{
    struct analysis *analysis = opaque;
    int status = analysis->count == SPANS_MAX ? submit(analysis, err) : 0;
    if (status == 0)
        analysis->spans[analysis->count++] = *span;
    return status;
}

static int begin(struct track_run *run, void *opaque, struct err *err)
{
    struct analysis *analysis = opaque;
    analysis->run = run;
    overlap_init(&analysis->overlap, run->run->db, &run->communications, keep, analysis);
    for (size_t i = 0; i < run->parts.count; i++) {
        const struct cann_part *part = &run->parts.parts[i];
        int64_t pid;
        if (part->is_host)
            continue;
        if (track_process(run, LAYER_OVERLAP, part->device_id != DB_NULL ? part->device_id : 0, "Overlap Analysis",
                          &pid, err) < 0)
            return err_status(err);
        for (int type = OVERLAP_COMPUTING; type <= OVERLAP_FREE; type++)
            trace_name_thread(&run->trace, pid, thread_of(run, (enum overlap_type)type),
                              thread_of(run, (enum overlap_type)type), names[type]);
    }
    return 0;
}

static int take_task(struct track_run *run, void *opaque, const struct cann_span *span, struct err *err)
{
    struct analysis *analysis = opaque;
    (void)run;
    return overlap_take(&analysis->overlap, span, err);
}

static int end(struct track_run *run, void *opaque, struct err *err)
{
    struct analysis *analysis = opaque;
    (void)run;
    int status = overlap_end(&analysis->overlap, err);
    return status == 0 && analysis->count > 0 ? submit(analysis, err) : status;
}

static int draw_unit(struct track_worker *worker, struct err *err)
{
    const struct track_run *run = worker->run;
    const struct track_unit *unit = worker->unit;
    const struct overlap_span *spans = (const struct overlap_span *)unit->bytes;
    for (size_t i = 0; i < unit->count; i++) {
        const int64_t length_ns = number_subtract(spans[i].end_ns, spans[i].start_ns);
        const struct trace_slice slice = {
            .pid = track_pid(run, LAYER_OVERLAP, spans[i].device_id),
            .tid = thread_of(run, spans[i].type),
            .start_ns = spans[i].start_ns,
            .duration_ns = length_ns,
            .exact_ns = ticks_span_ns(cann_clock_hz(&run->clocks, spans[i].device_id), spans[i].start_ns, length_ns)};
        if (!trace_guest_shows(run->guest, spans[i].start_ns))
            continue;
        struct event event;
        event_slice(&event, &slice);
        event_name_word(&event, names[spans[i].type]);
        if (track_put(worker, &event, err) < 0)
            return err_status(err);
    }
    worker->drawn = unit->count;
    return 0;
}

const struct track track_overlap_analyse = {
    .name = "overlap_analyse",
    .process = "Overlap Analysis",
    .doc = "Computing, communication, exposed communication and idle time of each device; as in Ascend's tool, copies "
           "and other tasks are idle time.",
    .number = LAYER_OVERLAP,
    .rows = TRACK_TASKS,
    .state_size = sizeof(struct analysis),
    .begin = begin,
    .span = take_task,
    .end = end,
    .draw_unit = draw_unit,
};
