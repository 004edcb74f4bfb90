/* SPDX-License-Identifier: Apache-2.0 */
/* Marks and ranges of programs as devices saw them: with the device's tasks, but on threads of their own, because a
 * range of a stream begins and ends inside of the tasks that record it. */
#include "exporters/timeline/marks.h"
#include "exporters/timeline/track.h"

static int name_process(void *arg, int64_t device_id, int64_t *ret_pid, struct err *err)
{
    return track_process(arg, LAYER_HARDWARE, device_id, "Ascend Hardware", ret_pid, err);
}

static int begin(struct track_run *run, void *opaque, struct err *err)
{
    struct marks_layer *layer = opaque;
    marks_init(&layer->marks, &run->trace, "Marks of stream ", track_first_free_stream, run->run->db);
    layer->begun = true;
    layer->marks.lanes.no_own = true;
    layer->marks.lanes.next = &run->next_hardware_thread;
    layer->marks.arrows = run->shows_marks && run->shows_device_marks;
    layer->marks.process = name_process;
    layer->marks.arg = run;
    return marks_write_device_marks(&layer->marks, run->run->db, err);
}

const struct track track_device_tx = {
    .name = "device_tx",
    .process = "Ascend Hardware",
    .doc = "Marks and ranges of programs as devices saw them.",
    .report = "msprof_tx",
    .order = LAYER_HARDWARE,
    .state_size = sizeof(struct marks_layer),
    .begin = begin,
    .name_threads = marks_layer_name_threads,
    .release = marks_layer_release,
};
