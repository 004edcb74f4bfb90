/* SPDX-License-Identifier: Apache-2.0 */
/* Marks and ranges of programs, above the calls of the host. */
#include "exporters/timeline/marks.h"
#include "exporters/timeline/track.h"

static const char *program_name(const struct cann_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (parts->parts[i].process_name[0] != '\0')
            return parts->parts[i].process_name;
    }
    return MARKS_PROCESS;
}

/* Of the program that made the mark, which need not be the one that was profiled. */
static int name_process(void *arg, int64_t process_id, int64_t *ret_pid, struct err *err)
{
    struct track_run *run = arg;
    return track_process_of(run, process_id, LAYER_PROGRAM, DB_NULL, program_name(&run->parts), ret_pid, err);
}

static int begin(struct track_run *run, void *opaque, struct err *err)
{
    struct marks_layer *layer = opaque;
    marks_init(&layer->marks, &run->trace, "Thread ", marks_first_free_thread, run->run->db);
    layer->begun = true;
    layer->marks.arrows = run->shows_marks && run->shows_device_marks;
    layer->marks.process = name_process;
    layer->marks.arg = run;
    return marks_write_events(&layer->marks, run->run->db, true, err);
}

const struct track track_msproftx = {
    .name = "msproftx",
    .process = MARKS_PROCESS,
    .doc = "Marks and ranges of programs.",
    .report = "msprof_tx",
    .order = LAYER_PROGRAM,
    .state_size = sizeof(struct marks_layer),
    .begin = begin,
    .name_threads = marks_layer_name_threads,
    .release = marks_layer_release,
};
