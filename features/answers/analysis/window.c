/* SPDX-License-Identifier: Apache-2.0 */
/* A workload of a range of time: its steps are those of the whole one, so that their neighbours are known. */
#include "base/file/large.h"
#include "features/answers/analysis/workload.h"

#include <stdlib.h>

static bool is_wanted(const struct workload *workload, const struct workload_step *step, size_t place,
                      int64_t device_id)
{
    const struct workload_window *window = &workload->window;

    const int64_t end_ns = step->period_ns != NO_PERIOD ? step->start_ns + step->period_ns : step->end_ns;

    if (window->step > 0)
        return (int64_t)place == window->step;
    return workload_wants(workload, device_id, step->start_ns) &&
           end_ns <= window->until_ns; /* of others a part is left */
}

static int inherit_step(struct workload *to, const struct workload *whole, size_t i, struct err *err)
{
    const struct workload_step *from = &whole->steps[i];
    const int64_t device_id = whole->devices[from->device].id;
    struct workload_step step = *from;
    const size_t before = to->step_count;

    if (!is_wanted(to, from, i + 1, device_id))
        return 0;
    if ((from->model != NO_TEXT && workload_add_text(to, workload_text(whole, from->model), &step.model, err) < 0) ||
        workload_add_step(to, device_id, &step, err) < 0)
        return err_status(err);
    if (to->step_count > before) {
        to->steps[before].period_ns = from->period_ns;
        to->steps[before].place = (uint32_t)(i + 1);
    }
    return 0;
}

static int inherit_unrecorded(struct workload *to, const struct workload *whole, struct err *err)
{
    to->unrecorded = calloc(to->device_count + 1, sizeof *to->unrecorded);
    if (to->unrecorded == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < to->device_count; i++)
        for (size_t k = 0; whole->unrecorded != NULL && k < whole->device_count; k++) {
            const struct intervals *list = &whole->unrecorded[k];
            for (size_t j = 0; to->devices[i].id == whole->devices[k].id && j < list->count; j++)
                if (intervals_add(&to->unrecorded[i], list->items[j].start_ns, list->items[j].end_ns, err) < 0)
                    return err_status(err);
        }
    return 0;
}

int workload_inherit(struct workload *to, const struct workload *whole, struct err *err)
{
    size_t kept = 0;

    to->step_count = to->begun.count = to->kinds.count = 0;
    for (size_t i = 0; i < whole->kinds.count; i++) {
        uint32_t text;
        if (workload_add_text(to, workload_text(whole, whole->kinds.items[i]), &text, err) < 0 ||
            array_add(&to->kinds, err, text) < 0)
            return err_status(err);
    }
    to->step_source = whole->step_source;
    for (size_t i = 0; i < whole->step_count; large_pass(i++))
        if (inherit_step(to, whole, i, err) < 0)
            return err_status(err);
    for (size_t i = 0; i < to->execute_starts.count; i++)
        if (workload_wants(to, to->execute_starts.items[i].device_id, to->execute_starts.items[i].start_ns))
            to->execute_starts.items[kept++] = to->execute_starts.items[i];
    to->execute_starts.count = kept;
    to->facts.recorded = whole->facts.recorded;
    to->facts.unrecorded = whole->facts.unrecorded;
    to->facts.interval = whole->facts.interval;
    return inherit_unrecorded(to, whole, err);
}
