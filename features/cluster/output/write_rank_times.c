/* SPDX-License-Identifier: Apache-2.0 */
/* rank_times.csv: what the steps of each rank consist of, how much of its communication computing masks, and how long
 * it is free. */
#include "base/number.h"
#include "features/cluster/output/write.h"

#include <string.h>

enum { US = 3, PERCENT = 2 }; /* decimals */

enum part { COMPUTING, COMMUNICATION, MASKED, EXPOSED, FREE, PARTS };

/* As step_trace_time.csv names them. */
static const char *const titles[PARTS] = {"Computing", "Communication", "Overlapped", "Communication(Not Overlapped)",
                                          "Free"};

/* Of the steps that say all parts. */
struct rank_times {
    int64_t steps, ns[PARTS];
};

/* Where a rank has the parts; false: not all of them. */
static bool find_columns(const struct aggregate *rank, size_t columns[PARTS])
{
    for (size_t part = 0; part < PARTS; part++) {
        columns[part] = aggregate_column(rank, titles[part]);
        if (columns[part] == rank->column_count)
            return false;
    }
    return true;
}

static void add_step(struct rank_times *times, const struct rank_step *step, const size_t columns[PARTS])
{
    for (size_t part = 0; part < PARTS; part++)
        if (step->ns[columns[part]] < 0)
            return;
    for (size_t part = 0; part < PARTS; part++)
        times->ns[part] = number_add(times->ns[part], step->ns[columns[part]]);
    times->steps++;
}

static struct rank_times times_of(const struct plan *plan, const struct aggregate *rank)
{
    struct rank_times times = {0};
    size_t columns[PARTS];

    if (find_columns(rank, columns))
        for (size_t i = 0; i < rank->step_count; i++)
            if (plan_wants_step(plan, aggregate_text(rank, rank->steps[i].name)))
                add_step(&times, &rank->steps[i], columns);
    return times;
}

static struct csv_cell share(const struct rank_times *times, enum part part, double whole_ns)
{
    if (times->steps == 0 || whole_ns <= 0)
        return TEXT(NOT_KNOWN);
    return DECIMAL(number_rounded((double)times->ns[part] / whole_ns * 10000), PERCENT);
}

static struct csv_cell time_of(const struct rank_times *times, enum part part)
{
    return times->steps > 0 ? DECIMAL(times->ns[part], US) : TEXT(NOT_KNOWN);
}

static void write_row(struct outfile *out, struct csv_cell name, const struct rank_times *times)
{
    const int64_t *ns = times->ns;

    csv_row(out, name, INTEGER(times->steps), time_of(times, COMPUTING), time_of(times, COMMUNICATION),
            time_of(times, MASKED), share(times, MASKED, (double)ns[COMMUNICATION]), time_of(times, EXPOSED),
            time_of(times, FREE), share(times, FREE, (double)ns[COMPUTING] + (double)ns[EXPOSED] + (double)ns[FREE]));
}

int write_rank_times(const char *directory, const struct plan *plan, struct err *err)
{
    struct rank_times all = {0};
    struct outfile out;

    if (write_open(&out, directory, "rank_times.csv",
                   "Rank,Steps,Computing(us),Communication(us),Masked(us),Masked(%),Exposed(us),Free(us),Free(%)\n",
                   err) < 0)
        return err_status(err);
    for (size_t i = 0; i < plan->rank_count; i++) {
        const struct rank_times times = times_of(plan, &plan->ranks[i]);
        write_row(&out, INTEGER(plan->ranks[i].rank), &times);
        all.steps = number_add(all.steps, times.steps);
        for (size_t part = 0; part < PARTS; part++)
            all.ns[part] = number_add(all.ns[part], times.ns[part]);
    }
    write_row(&out, TEXT("all"), &all);
    return outfile_commit(&out, err);
}
