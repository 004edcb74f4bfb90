/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/load/load_frequency.h"

#include "base/array.h"
#include "db/query/query.h"
#include "db/query/query_cann.h"
#include "db/query/query_records.h"

#include <stdlib.h>

struct frequency_load {
    const struct workload *workload;
    struct cann_frequencies frequencies;
    struct cann_parts parts;
    struct frequency_uses *uses;
};

static int add_time(struct frequency_load *load, uint16_t device, int64_t start_ns, int64_t end_ns, struct err *err)
{
    int64_t device_id = load->workload->devices[device].id;
    const struct cann_frequency *now = cann_frequency_at(&load->frequencies, device_id, start_ns);
    struct frequency_uses *uses = load->uses;
    size_t at = 0;

    if (now == NULL)
        return 0;
    while (at < uses->count && (uses->items[at].device_id != device_id || uses->items[at].mhz != now->mhz))
        at++;
    if (at == uses->count) {
        const struct cann_part *part = cann_part_of_device(&load->parts, device_id);
        if (array_reserve(uses, 1, err) != 0)
            return -(int)err->code;
        uses->items[uses->count++] = (struct frequency_use){
            device_id, now->mhz, part != NULL && part->aic_hz > 0 ? part->aic_hz / 1000000 : 0, 0, 0};
    }
    uses->items[at].tasks++;
    uses->items[at].time_ns += (double)interval_length(start_ns, end_ns);
    return 0;
}

static int add_all(struct frequency_load *load, struct err *err)
{
    const struct workload *workload = load->workload;
    int status = 0;

    for (size_t i = 0; status == 0 && i < workload->execution_count; i++) {
        const struct execution *execution = &workload->executions[i];
        if (workload->operators[execution->op].key.work != WORK_COMMUNICATION) /* its tasks are among the others */
            status = add_time(load, execution->device, execution->start_ns,
                              execution->start_ns + execution->duration_ns, err);
    }
    for (size_t i = 0; status == 0 && i < workload->other_tasks.count; i++) {
        const struct other_task *other = &workload->other_tasks.items[i];
        status = add_time(load, other->device, other->start_ns, other->end_ns, err);
    }
    return status;
}

static int by_device_and_mhz(const void *a, const void *b)
{
    const struct frequency_use *x = a, *y = b;

    return x->device_id != y->device_id ? array_order(x->device_id, y->device_id) : array_order(x->mhz, y->mhz);
}

int frequency_uses_load(sqlite3 *db, const struct workload *workload, struct frequency_uses *ret, struct err *err)
{
    struct frequency_load load = {.workload = workload, .uses = ret};
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);

    *ret = (struct frequency_uses){.items = NULL};
    if (status != 0 || facts.family == CAPTURE_SVP)
        return status;
    status = cann_frequencies_load(db, &load.frequencies, err);
    if (status == 0)
        status = cann_parts_load(db, &load.parts, err);
    if (status == 0)
        status = add_all(&load, err);
    if (ret->count > 1)
        array_sort(ret->items, ret->count, sizeof *ret->items, by_device_and_mhz);
    cann_parts_release(&load.parts);
    cann_frequencies_release(&load.frequencies);
    return status;
}

struct frequency_mean frequency_mean_of(const struct frequency_uses *uses, size_t from, size_t until)
{
    struct frequency_mean mean = {0, 0, 0, 0};
    double sum = 0, rated = 0, rated_ns = 0;

    for (size_t i = from; i < until; i++) {
        const struct frequency_use *use = &uses->items[i];
        mean.time_ns += use->time_ns;
        sum += (double)use->mhz * use->time_ns;
        if (use->rated_mhz <= 0)
            continue;
        rated += (double)use->rated_mhz * use->time_ns;
        rated_ns += use->time_ns;
        mean.below_ns += use->mhz < use->rated_mhz ? use->time_ns : 0;
    }
    mean.mhz = mean.time_ns > 0 ? sum / mean.time_ns : 0;
    mean.rated_mhz = rated_ns > 0 ? rated / rated_ns : 0;
    return mean;
}
