#include "exporters/acl_timeline.h"

#include "base/interrupt.h"
#include "db/database.h"
#include "exporters/lanes.h"
#include "exporters/nesting.h"
#include "exporters/svp_timeline_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_PER_POLL 4096
#define CALL_NAME_MAX (1024 * 1024) /* bytes of one call's name, escaped */
#define OWN_TIDS_MAX 65536          /* numbers kept free above the largest thread id */

struct call_timeline {
    struct timeline_run *run;
    struct timeline_file file;
    struct strbuf name;
    /* the thread whose calls come now */
    bool started;
    int64_t process_id, thread_id, pid;
    struct nesting nesting;
    size_t lane_count; /* lanes that have a number */
    int64_t tids[NESTING_LANES_MAX];
    /* numbers for calls that fit nowhere on their own thread */
    int64_t largest_thread_id, next_tid;
    unsigned free_tids; /* from next_tid on */
    int64_t sort_index;
    uint64_t calls, events;
};

static int find_largest_thread(void *arg, const struct acl_call *call, struct err *err)
{
    struct call_timeline *timeline = arg;
    if (call->thread_id > timeline->largest_thread_id)
        timeline->largest_thread_id = call->thread_id;
    return ++timeline->calls % CALLS_PER_POLL == 0 && interrupted() ? interrupt_error(err) : 0;
}

/* Gives the next lane its number; false when there is none left. */
static bool number_lane(struct call_timeline *timeline)
{
    size_t lane = timeline->lane_count;
    bool own_number = lane == 0 && timeline->thread_id >= 0;
    if (!own_number && timeline->free_tids == 0)
        return false;
    if (own_number) {
        timeline->tids[lane] = timeline->thread_id;
    } else {
        timeline->tids[lane] = timeline->next_tid++;
        timeline->free_tids--;
    }
    timeline->lane_count++;
    char name[64] = "Stream N/A", place[32] = "";
    if (lane > 0)
        snprintf(place, sizeof(place), " (%zu)", lane + 1);
    if (timeline->thread_id != DB_NULL)
        snprintf(name, sizeof(name), "Stream %lld%s", (long long)timeline->thread_id, place);
    trace_thread(&timeline->file.out, timeline->pid, timeline->tids[lane], timeline->sort_index++, name);
    return true;
}

/* Calls come thread by thread, those of a process together. */
static void enter_thread(struct call_timeline *timeline, const struct acl_call *call)
{
    if (timeline->started && call->process_id == timeline->process_id && call->thread_id == timeline->thread_id)
        return;
    if (timeline->started && call->process_id != timeline->process_id)
        trace_process(&timeline->file.out, ++timeline->pid);
    timeline->started = true;
    timeline->process_id = call->process_id;
    timeline->thread_id = call->thread_id;
    timeline->lane_count = 0;
    nesting_clear(&timeline->nesting);
}

/* Nested calls share a thread; calls that overlap only in part, which a sound clock never shows, get a further one. */
static void place_call(struct call_timeline *timeline, const struct acl_call *call, struct trace_slice *slice)
{
    enter_thread(timeline, call);
    slice->pid = timeline->pid;
    int64_t end_ns = span_end(slice->start_ns, slice->duration_ns);
    size_t lane = nesting_place(&timeline->nesting, slice->start_ns, end_ns, &slice->shared_ends);
    bool placed = lane < timeline->lane_count;
    if (!placed && lane < NESTING_LANES_MAX)
        placed = lane == timeline->lane_count && number_lane(timeline);
    slice->instant = !placed;
    slice->tid = placed ? timeline->tids[lane] : timeline->lane_count > 0 ? timeline->tids[0] : 0;
}

static int write_call(struct call_timeline *timeline, const struct acl_call *call, const struct trace_slice *slice,
                      struct err *err)
{
    struct outfile *out = &timeline->file.out;
    strbuf_clear(&timeline->name);
    if (trace_append_name(&timeline->name, call->name, strlen(call->name)) < 0)
        return err_set(err, ERR_LIMIT, "the name of an ACL call has %zu bytes: too long for a timeline",
                       strlen(call->name));
    outfile_write(out, timeline->name.data, timeline->name.length);
    const char *mode = acl_mode_name(call->api_type);
    char *start = outfile_reserve(out, TRACE_SLICE_MAX);
    char *p = trace_put_slice(start, slice);
    p = trace_put_literal(p, "\"Mode\":\"");
    p = trace_put_bytes(p, mode, strlen(mode));
    p = trace_put_literal(p, "\",\"Process_Id\":");
    p = trace_put_id(p, call->process_id);
    p = trace_put_literal(p, ",\"Thread_Id\":");
    p = trace_put_id(p, call->thread_id);
    p = trace_put_end(p, slice);
    outfile_advance(out, (size_t)(p - start));
    return 0;
}

static int draw_call(void *arg, const struct acl_call *call, struct err *err)
{
    struct call_timeline *timeline = arg;
    if (call->start_ns == DB_NULL || call->end_ns == DB_NULL || call->end_ns < call->start_ns)
        return 0;
    struct trace_slice slice = {.start_ns = time_since(call->start_ns, timeline->run->origin_ns),
                                .duration_ns = time_since(call->end_ns, call->start_ns),
                                .touches = call->touches};
    place_call(timeline, call, &slice);
    if (write_call(timeline, call, &slice, err) < 0)
        return -(int)err->code;
    if (++timeline->events % CALLS_PER_POLL != 0)
        return 0;
    timeline_progress(timeline->run, CALLS_PER_POLL);
    if (interrupted())
        return interrupt_error(err);
    return outfile_failed(&timeline->file.out) ? err_set(err, ERR_IO, "cannot write '%s'", timeline->file.path) : 0;
}

int acl_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err)
{
    struct call_timeline *timeline = calloc(1, sizeof(*timeline));
    if (timeline == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a timeline");
    timeline->run = run;
    strbuf_init(&timeline->name, CALL_NAME_MAX);
    int result = acl_each_call(run->db, model, find_largest_thread, timeline, err);
    if (result == 0) {
        if (timeline->largest_thread_id < INT64_MAX - OWN_TIDS_MAX) {
            timeline->next_tid = timeline->largest_thread_id + 1;
            timeline->free_tids = OWN_TIDS_MAX;
        }
        result = svp_timeline_open(&timeline->file, run, "acl", model, err);
    }
    if (result == 0) {
        result = acl_each_call(run->db, model, draw_call, timeline, err);
        timeline_progress(run, timeline->events % CALLS_PER_POLL);
        result = svp_timeline_close(&timeline->file, result, model, timeline->events, err);
    }
    strbuf_release(&timeline->name);
    free(timeline);
    return result;
}
