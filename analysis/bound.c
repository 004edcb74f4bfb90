#include "analysis/bound.h"

#include <math.h>

#define BUSY 0.5 /* share of the time */

const char *bound_name(enum bound bound)
{
    static const char *const names[] = {"unknown", "compute", "memory", "latency"};

    return names[bound];
}

void unit_times_init(struct unit_times *times)
{
    *times = (struct unit_times){.counted_ns = 0};
    for (int i = 0; i < UNITS; i++)
        times->units[i] = -1;
}

void unit_times_add(struct unit_times *times, const struct workload_operator *op)
{
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
