/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/draw_earlier.h"

#include "base/array.h"
#include "db/database.h"

#include <stdio.h>
#include <stdlib.h>

typedef int (*each_call)(sqlite3 *db, int64_t device_id, plain_call_each each, void *arg, struct err *err);

/* Threads in the order of their first calls. */
struct thread_list {
    struct draw_2022 *draw;
    struct thread {
        int64_t process, tid;
    } * items;
    size_t count, capacity;
};

static int64_t process_of(const struct draw_2022 *draw, const struct plain_call *call)
{
    return call->process_id != DB_NULL ? call->process_id : draw->device->part->process_id;
}

static int collect_thread(void *arg, const struct plain_call *call, struct err *err)
{
    struct thread_list *list = arg;
    int64_t process = process_of(list->draw, call);
    for (size_t i = list->count; i-- > 0;) { /* mostly the latest */
        if (list->items[i].process == process && list->items[i].tid == call->thread_id)
            return 0;
    }
    if (array_reserve(list, 1, err) < 0)
        return -(int)err->code;
    draw_2022_count_thread(list->draw, call->thread_id);
    list->items[list->count++] = (struct thread){process, call->thread_id};
    return 0;
}

static void name_threads(const struct thread_list *list, const char *process)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct thread *thread = &list->items[i];
        char name[64];
        bool known = false;
        for (size_t k = 0; k < i && !known; k++)
            known = list->items[k].process == thread->process;
        if (!known)
            draw_2022_name_process(list->draw, thread->process, process);
        snprintf(name, sizeof name, "Thread %lld", (long long)thread->tid);
        if (list->draw->compat)
            draw_2022_name_thread(list->draw, thread->process, thread->tid, name, true);
    }
}

static int draw_flow(struct draw_2022 *draw, const struct plain_call *call, const struct trace_slice *slice,
                     struct err *err)
{
    int64_t stream_id, task_id;
    bool found;
    if (!draw->flows || !call_2022_launches(call))
        return 0;
    int status = operator_find(draw->finder, call->start_ns, call->end_ns, &found, &stream_id, &task_id, err);
    if (status == 0 && found)
        status = draw_2022_flow(draw, 's', stream_id, task_id, slice, err);
    return status;
}

static struct trace_slice slice_of(const struct draw_2022 *draw, const struct plain_call *call)
{
    return (struct trace_slice){.pid = draw_2022_pid(draw, process_of(draw, call)),
                                .start_ns = call->start_ns,
                                .duration_ns = time_since(call->end_ns, call->start_ns)};
}

/* NULL: a call of the runtime has none. */
static const char *mode_of(const struct plain_call *call)
{
    return call->process_id != DB_NULL ? api_type_2022(call->api_type) : NULL;
}

static int draw_call(void *arg, const struct plain_call *call, struct err *err)
{
    struct draw_2022 *draw = arg;
    struct trace_slice slice = slice_of(draw, call);
    if (!draw->compat) {
        int drawn = draw_2022_call(draw, "", call->name, mode_of(call), call->thread_id, &slice, err);
        return drawn == 0 ? draw_flow(draw, call, &slice, err) : drawn;
    }
    int status = draw_2022_begin(draw, call->name, &draw->lanes, call->thread_id, &slice, err);
    if (status < 0)
        return status;
    if (call->process_id != DB_NULL) {
        strbuf_addf(&draw->text, "\"Mode\":\"%s\",", mode_of(call));
        draw_2022_integer(draw, "\"Process Id\":", call->process_id);
        strbuf_addc(&draw->text, ',');
    }
    draw_2022_integer(draw, "\"Thread Id\":", call->thread_id);
    status = draw_2022_end(draw, &slice, err);
    return status == 0 ? draw_flow(draw, call, &slice, err) : status;
}

static int draw_calls(struct draw_2022 *draw, each_call each, const char *process, plain_call_each draw_each,
                      struct err *err)
{
    sqlite3 *db = draw->run->db;
    int64_t device_id = draw->device->part->device_id;
    struct thread_list list = {.draw = draw};
    draw_2022_begin_layer(draw, "Thread ");
    int status = each(db, device_id, collect_thread, &list, err);
    if (status == 0)
        name_threads(&list, process);
    free(list.items);
    if (status == 0)
        status = each(db, device_id, draw_each, draw, err);
    return draw_2022_end_layer(draw, status, NULL, err);
}

int draw_2022_acl(struct draw_2022 *draw, struct err *err)
{
    return draw_calls(draw, plain_each_acl_call, "AscendCL", draw_call, err);
}

int draw_2022_runtime(struct draw_2022 *draw, struct err *err)
{
    return draw_calls(draw, plain_each_runtime_call, "Runtime", draw_call, err);
}

/* ---- thread_group: both by thread, with their layer in their names ---- */

static const char *layer_prefix(const struct plain_call *call)
{
    return call->process_id != DB_NULL ? "ACL@" : "Runtime@";
}

static int draw_grouped(void *arg, const struct plain_call *call, struct err *err)
{
    struct draw_2022 *draw = arg;
    struct trace_slice slice = slice_of(draw, call);
    return draw_2022_call(draw, layer_prefix(call), call->name, mode_of(call), call->thread_id, &slice, err);
}

/* The tool's threads have no names here: their numbers are texts. */
static int draw_grouped_compat(void *arg, const struct plain_call *call, struct err *err)
{
    struct draw_2022 *draw = arg;
    int status = draw_2022_name(draw, layer_prefix(call), call->name, err);
    if (status < 0)
        return status;
    strbuf_addf(&draw->text, ",\"pid\":%lld,\"tid\":\"Thread %lld\"", (long long)process_of(draw, call),
                (long long)call->thread_id);
    draw_2022_time(draw, "ts", call->start_ns);
    draw_2022_time(draw, "dur", time_since(call->end_ns, call->start_ns));
    if (call->process_id != DB_NULL)
        strbuf_addf(&draw->text, ",\"args\":{\"Mode\":\"%s\"}", api_type_2022(call->api_type));
    strbuf_adds(&draw->text, ",\"ph\":\"X\"}");
    return draw_2022_finish(draw, err);
}

int draw_2022_thread_group(struct draw_2022 *draw, struct err *err)
{
    int64_t device_id = draw->device->part->device_id;
    if (!draw->compat)
        return draw_calls(draw, plain_each_call, "Host", draw_grouped, err);
    int status = plain_each_acl_call(draw->run->db, device_id, draw_grouped_compat, draw, err);
    return status == 0 ? plain_each_runtime_call(draw->run->db, device_id, draw_grouped_compat, draw, err) : status;
}
