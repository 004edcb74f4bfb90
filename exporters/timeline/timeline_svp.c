/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/timeline_svp.h"

#include "base/number.h"
#include "base/progress.h"
#include "db/database.h"
#include "exporters/load/load.h"

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
