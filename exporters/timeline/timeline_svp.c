/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/timeline_svp.h"

#include "base/number.h"
#include "base/progress.h"
#include "db/database.h"
#include "exporters/load/bounds.h"
#include "exporters/timeline/lanes.h"

#include <stdlib.h>
#include <string.h>

static int64_t tasks_of(const struct svp_model *model)
{
    return number_add(model->ai_core_tasks, model->ai_cpu_tasks);
}

static int add_to_total(void *arg, const struct svp_model *model, struct err *err)
{
    struct timeline_run *run = arg;
    (void)err;
    run->total += (uint64_t)number_add(tasks_of(model), model->acl_calls);
    return 0;
}

static int write_model(void *arg, const struct svp_model *model, struct err *err)
{
    struct timeline_run *run = arg;
    if (tasks_of(model) > 0 && svp_task_timeline(run, model, err) < 0)
        return -(int)err->code;
    if (model->acl_calls > 0 && acl_timeline(run, model, err) < 0)
        return -(int)err->code;
    if (number_add(tasks_of(model), model->acl_calls) > 0 && svp_merged_timeline(run, model, err) < 0)
        return -(int)err->code;
    return 0;
}

static int write_all(struct timeline_run *run, struct err *err)
{
    int result = svp_each_model(run->db, add_to_total, run, err);
    if (result == 0)
        result = svp_each_model(run->db, write_model, run, err);
    return result == 0 && !run->options->trace_compat ? svp_capture_timeline(run, err) : result;
}

/* The times of the vendor's tool are those of the board's monotonic clock. */
static void count_from_zero(struct capture_origin *origin)
{
    if (origin->origin_unix_ns != DB_NULL && origin->origin_ns != DB_NULL)
        origin->origin_unix_ns = time_since(origin->origin_unix_ns, origin->origin_ns);
    origin->time_ns = 0;
    origin->origin_ns = 0;
}

int svp_timeline(struct timeline_run *run, struct err *err)
{
    struct operator_bounds bounds = {.words = NULL};
    int result = 0;
    if (run->options->trace_compat) {
        count_from_zero(&run->origin);
    } else {
        result = operator_bounds_load(run->db, &bounds, err);
        run->bounds = &bounds;
    }
    if (result == 0)
        result = write_all(run, err);
    run->bounds = NULL;
    operator_bounds_release(&bounds);
    return result;
}

/* ---- calls of one model ---- */

#define CALLS_PER_POLL 4096
#define CALL_NAME_MAX (1024 * 1024) /* bytes of one call's name, escaped */

struct call_timeline {
    struct timeline_run *run;
    struct trace trace;
    struct strbuf name;
    struct trace_lanes lanes;
    int64_t first_free; /* a number above all of threads */
    bool started;
    int64_t process_id, pid; /* of the calls that come now */
    uint64_t calls;
};

static int find_largest_thread(void *arg, const struct acl_call *call, struct err *err)
{
    struct call_timeline *timeline = arg;
    /* Small numbers for viewers that keep them in 32 bits, whatever a damaged one says. */
    if (call->thread_id >= timeline->first_free && call->thread_id < INT32_MAX / 2)
        timeline->first_free = call->thread_id + 1;
    return ++timeline->calls % CALLS_PER_POLL == 0 && interrupted() ? interrupt_error(err) : 0;
}

static int first_free_thread(void *arg, int64_t *ret, struct err *err)
{
    const struct call_timeline *timeline = arg;
    (void)err;
    *ret = timeline->first_free;
    return 0;
}

/* Calls come thread by thread, those of a process together. */
static void enter_process(struct call_timeline *timeline, const struct acl_call *call)
{
    if (timeline->started && call->process_id == timeline->process_id)
        return;
    if (timeline->started) {
        timeline->pid++;
        trace_name_process(&timeline->trace, timeline->pid, timeline->pid, "Task Scheduler", NULL);
    }
    timeline->started = true;
    timeline->process_id = call->process_id;
}

static int write_call(struct call_timeline *timeline, const struct acl_call *call, const struct trace_slice *slice,
                      struct err *err)
{
    struct trace *trace = &timeline->trace;
    strbuf_clear(&timeline->name);
    if (trace_text(&timeline->name, call->name, strlen(call->name)) < 0)
        return err_set(err, ERR_LIMIT, "the name of an ACL call has %zu bytes: too long for a timeline",
                       strlen(call->name));
    trace_write_name(trace, &timeline->name);
    char *start = trace_reserve(trace, TRACE_EVENT_MAX);
    trace_advance(trace, start, acl_put_call(start, &trace->style, call, slice));
    return 0;
}

static int draw_call(void *arg, const struct acl_call *call, struct err *err)
{
    struct call_timeline *timeline = arg;
    if (call->start_ns == DB_NULL || call->end_ns == DB_NULL || call->end_ns < call->start_ns)
        return 0;
    enter_process(timeline, call);
    struct trace_slice slice = {
        .pid = timeline->pid, .start_ns = call->start_ns, .duration_ns = time_since(call->end_ns, call->start_ns)};
    if (trace_lanes_place(&timeline->lanes, call->thread_id, &slice, err) < 0 ||
        write_call(timeline, call, &slice, err) < 0)
        return -(int)err->code;
    if (++timeline->trace.events % CALLS_PER_POLL != 0)
        return 0;
    timeline_progress(timeline->run, CALLS_PER_POLL);
    if (interrupted())
        return interrupt_error(err);
    return outfile_failed(&timeline->trace.out) ? err_set(err, ERR_IO, "cannot write '%s'", timeline->trace.path) : 0;
}

static int draw_calls(struct call_timeline *timeline, const struct svp_model *model, struct err *err)
{
    trace_name_process(&timeline->trace, 0, 0, "Task Scheduler", NULL);
    int result = acl_each_call(timeline->run->db, model, draw_call, timeline, err);
    timeline_progress(timeline->run, timeline->trace.events % CALLS_PER_POLL);
    return result == 0 ? trace_lanes_name(&timeline->lanes, &timeline->trace, NULL, NULL, err) : result;
}

int acl_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err)
{
    struct call_timeline *timeline = calloc(1, sizeof(*timeline));
    if (timeline == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a timeline");
    timeline->run = run;
    strbuf_init(&timeline->name, CALL_NAME_MAX);
    trace_lanes_init(&timeline->lanes, &timeline->trace.style, "Stream ", first_free_thread, timeline);
    timeline->lanes.in_turn = true;
    int result = acl_each_call(run->db, model, find_largest_thread, timeline, err);
    if (result == 0)
        result = svp_timeline_open(&timeline->trace, run, "acl", model, err);
    if (result == 0)
        result = svp_timeline_close(&timeline->trace, draw_calls(timeline, model, err), model, err);
    trace_lanes_release(&timeline->lanes);
    strbuf_release(&timeline->name);
    free(timeline);
    return result;
}
