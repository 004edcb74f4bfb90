/* What limits each operator: calculating, moving data, or neither. */
#include "analysis/bound.h"
#include "base/array.h"
#include "base/number.h"
#include "exporters/report/report.h"
#include "exporters/workload/answer.h"

#include <stdlib.h>

enum { SHARE, TOTAL, COUNT, BOUND, COMPUTE, MEMORY, CUBE, BYTES, RATE, TYPE, NAME, COLUMNS };

static const struct report_column columns[] = {
    [SHARE] = {"Share(%)", NULL, FORM_SCALED, 2, .doc = "Of the time of all operators."},
    [TOTAL] = {"Total(us)", NULL, FORM_SCALED, 3, .doc = "The time of all executions."},
    [COUNT] = {"Count", NULL, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "How often it ran."},
    [BOUND] = {"Bound", .doc = "memory or compute: of which the busiest unit is; latency: none is busy for half of the "
                               "time."},
    [COMPUTE] = {"Compute(%)", NULL, FORM_SCALED, 2,
                 .doc = "How long the busiest unit that calculates was busy, weighted by time."},
    [MEMORY] = {"Memory(%)", NULL, FORM_SCALED, 2, .doc = "The same of the units that move data from and to memory."},
    [CUBE] = {"Cube(%)", NULL, FORM_SCALED, 2, .doc = "The matrix unit over all cores of the device."},
    [BYTES] = {"Moved(MB)", NULL, FORM_SHORTEST, 3, .flags = REPORT_NARROW, .doc = "Read and written outside."},
    [RATE] = {"Bandwidth(MB/s)", NULL, FORM_SHORTEST, 1, .flags = REPORT_NARROW, .doc = "Moved by the counted time."},
    [TYPE] = {"Type", .flags = REPORT_NARROW, .doc = "The type of the operator."},
    [NAME] = {"Name", .doc = "The operator."},
    {.title = NULL},
};

/* All operators of one name. */
struct named {
    uint32_t name, type;
    int64_t count;
    double total_ns, bytes; /* bytes negative: not counted */
    struct unit_times times;
};

static int by_total(const void *a, const void *b)
{
    const struct named *x = a, *y = b;

    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static void add_operator(struct named *named, const struct workload_operator *op)
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

static struct report_value share_value(double share)
{
    return share < 0 ? value_none() : value_integer(number_from_real(share * 1e4 + 0.5));
}

static int put_operator(struct report_run *run, const struct workload *workload, const struct named *named,
                        double all_ns, struct err *err)
{
    const struct unit_times *times = &named->times;
    double cube = times->units[UNIT_OCCUPIED] >= 0 && times->counted_ns > 0
                      ? times->units[UNIT_OCCUPIED] / times->counted_ns
                      : -1;
    bool bytes = named->bytes >= 0 && times->counted_ns > 0;
    const struct report_value values[COLUMNS] = {
        [SHARE] = share_value(all_ns > 0 ? named->total_ns / all_ns : 0),
        [TOTAL] = value_rounded(named->total_ns),
        [COUNT] = value_integer(named->count),
        [BOUND] = value_text(bound_name(unit_times_bound(times))),
        [COMPUTE] = share_value(unit_times_compute(times)),
        [MEMORY] = share_value(unit_times_memory(times)),
        [CUBE] = share_value(cube),
        [BYTES] = bytes ? value_real(named->bytes / (1024 * 1024)) : value_none(),
        [RATE] = bytes ? value_real(named->bytes / (1024 * 1024) / (times->counted_ns / 1e9)) : value_none(),
        [TYPE] = value_text(workload_text(workload, named->type)),
        [NAME] = value_text(workload_text(workload, named->name)),
    };
    return report_row(run, values, err);
}

static int put_all(struct report_run *run, const struct workload *workload, struct err *err)
{
    struct named *items = calloc(workload->texts.count + 1, sizeof *items);
    double all_ns = 0;
    size_t count = 0;
    bool counted = false;
    int status = items != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");

    for (size_t i = 0; status == 0 && i < workload->operator_count; i++) {
        const struct workload_operator *op = &workload->operators[i];
        if (op->count == 0 || !work_computes(op->key.work) || op->key.name >= workload->texts.count)
            continue;
        add_operator(&items[op->key.name], op);
        all_ns += op->total_ns;
        counted = counted || op->counted_ns > 0;
    }
    for (size_t i = 0; status == 0 && i < workload->texts.count; i++)
        if (items[i].count > 0)
            items[count++] = items[i];
    if (status == 0)
        array_sort(items, count, sizeof *items, by_total);
    for (size_t i = 0; status == 0 && counted && i < count; i++)
        status = put_operator(run, workload, &items[i], all_ns, err);
    free(items);
    return status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct workload workload;
    int status = answer_workload(run, WITH_COUNTERS, &workload, err);

    if (status != 0)
        return status;
    status = put_all(run, &workload, err);
    workload_release(&workload);
    return status;
}

const struct report report_bound = {
    .name = "bound",
    .title = "What limits operators",
    .doc = "What limits each operator, the largest total first. 'memory' or 'compute': of which its busiest "
           "unit is, weighted by time. 'latency': no unit is busy for half of the time.",
    .needs = "counters of the units of cores: those of PipeUtilization",
    .families = FAMILY_ANY,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
