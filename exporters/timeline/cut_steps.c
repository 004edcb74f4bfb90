/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "exporters/load/load.h"
#include "exporters/timeline/cuts.h"
#include "exporters/timeline/event.h"

int trace_cuts_read_steps(sqlite3 *db, int64_t origin_ns, struct cut_borders *ret, struct err *err)
{
    struct workload workload;
    int status = workload_load(db, WITHOUT_COUNTERS, &workload, err);
    if (status < 0)
        return status;
    if (array_reserve(ret, workload.step_count, err) < 0)
        status = -(int)err->code;
    for (size_t i = 0; status == 0 && i < workload.step_count; i++) {
        if (workload.steps[i].source == (uint8_t)workload.step_source)
            ret->items[ret->count++] = time_since(workload.steps[i].start_ns, origin_ns);
    }
    workload_release(&workload);
    return status;
}
