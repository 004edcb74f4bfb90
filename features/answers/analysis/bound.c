/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/analysis/bound.h"

#include "base/array.h"
#include "base/words.h"

#include <math.h>
#include <stdlib.h>

#define BUSY 0.5 /* share of the time */

ENUM_NAMES(bound_name, enum bound, "unknown", "compute", "memory", "latency")

void unit_times_init(struct unit_times *times)
{
    *times = (struct unit_times){.counted_ns = 0};
    for (int i = 0; i < UNITS; i++)
        times->units[i] = -1;
}

/* No core runs without any of its units: the counters were of something else, or of other cores. */
static bool counts_units(const struct workload_operator *op)
{
    bool any = false;

    for (int i = 0; i < UNITS; i++)
        any = any || op->units[i] > 0;
    return any;
}

void unit_times_add(struct unit_times *times, const struct workload_operator *op)
{
    if (!counts_units(op))
        return;
    times->counted_ns += op->counted_ns;
    for (int i = 0; i < UNITS; i++)
        if (op->units[i] >= 0)
            times->units[i] = fmax(times->units[i], 0) + op->units[i];
}

static double busiest(const struct unit_times *times, const enum unit *units, size_t count)
{
    double most = -1;

    for (size_t i = 0; times->counted_ns > 0 && i < count; i++)
        if (times->units[units[i]] >= 0)
            most = fmax(most, times->units[units[i]] / times->counted_ns);
    return most;
}

double unit_times_share(const struct unit_times *times, enum unit unit)
{
    return times->units[unit] >= 0 && times->counted_ns > 0 ? times->units[unit] / times->counted_ns : -1;
}

double unit_times_compute(const struct unit_times *times)
{
    static const enum unit units[] = {UNIT_CUBE, UNIT_VECTOR, UNIT_SCALAR};

    return busiest(times, units, sizeof units / sizeof *units);
}

double unit_times_memory(const struct unit_times *times)
{
    static const enum unit units[] = {UNIT_LOAD, UNIT_WEIGHTS, UNIT_STORE};

    return busiest(times, units, sizeof units / sizeof *units);
}

enum bound unit_times_bound(const struct unit_times *times)
{
    double compute = unit_times_compute(times), memory = unit_times_memory(times);

    if (compute < 0 && memory < 0)
        return BOUND_UNKNOWN;
    if (fmax(compute, memory) < BUSY)
        return BOUND_LATENCY;
    return memory > compute ? BOUND_MEMORY : BOUND_COMPUTE;
}

ARRAY_COMPARE(by_total, struct named_operator, ARRAY_BY_MOST(total_ns), ARRAY_BY(name))

static void add_operator(struct named_operator *named, const struct workload_operator *op)
{
    if (named->count == 0) {
        named->name = op->key.name;
        named->type = op->key.type;
        named->bytes = -1;
        unit_times_init(&named->times);
    }
    named->count += op->count;
    named->total_ns += op->total_ns;
    if (op->read_bytes >= 0)
        named->bytes = (named->bytes > 0 ? named->bytes : 0) + op->read_bytes + op->write_bytes;
    unit_times_add(&named->times, op);
}

int named_operators_make(const struct workload *workload, struct named_operators *ret, struct err *err)
{
    struct named_operator *items = calloc(workload->texts.count + 1, sizeof *items);

    *ret = (struct named_operators){.items = items};
    if (items == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the names of operators");
    for (size_t i = 0; i < workload->operator_count; i++) {
        const struct workload_operator *op = &workload->operators[i];
        if (op->count == 0 || !work_computes(op->key.work) || op->key.name >= workload->texts.count)
            continue;
        add_operator(&items[op->key.name], op);
        ret->counted = ret->counted || op->counted_ns > 0;
    }
    for (size_t i = 0; i < workload->texts.count; i++)
        if (items[i].count > 0)
            items[ret->count++] = items[i];
    array_sort(items, ret->count, sizeof *items, by_total);
    return 0;
}
