/* SPDX-License-Identifier: Apache-2.0 */
/* Frequencies: at which of them tasks ran, and for how long. */
#include "base/number.h"
#include "exporters/load/answer.h"
#include "exporters/load/load_frequency.h"
#include "exporters/table/report.h"

#include <stdlib.h>

struct shown {
    struct frequency_use use;
    double share, below; /* of 10000; NAN: not known */
    double mean_khz;
    int64_t rated_mhz;
};

static const struct report_column columns[] = {
    {"Share(%)", SHOWN(share), FORM_SCALED, 2, .doc = "Of the time that tasks of the device took."},
    {"Time(us)", SHOWN(use.time_ns), FORM_SCALED, 3, .doc = "How long tasks took that began at this frequency."},
    {"Tasks", SHOWN(use.tasks), .flags = REPORT_NUMBER, .doc = "How many tasks that were."},
    {"Frequency(MHz)", SHOWN(use.mhz), .flags = REPORT_NUMBER, .doc = "The frequency that was measured last."},
    {"Rated(MHz)", SHOWN(rated_mhz), .flags = REPORT_NUMBER, .doc = "The rated one."},
    {"Device_id", SHOWN(use.device_id), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The device."},
    {"Mean(MHz)", SHOWN(mean_khz), FORM_SCALED, 3, .flags = REPORT_NARROW,
     .doc = "Of the device, weighted by the time of its tasks."},
    {"Below rated(%)", SHOWN(below), FORM_SCALED, 2, .flags = REPORT_NARROW,
     .doc = "Share of the time of the device's tasks below the rated frequency."},
    {.title = NULL},
};

static int put_device(struct report_run *run, const struct frequency_uses *uses, size_t from, size_t until,
                      struct err *err)
{
    const struct frequency_mean mean = frequency_mean_of(uses, from, until);
    int status = 0;

    for (size_t i = from; status == 0 && i < until; i++) {
        const struct frequency_use *use = &uses->items[i];
        const struct shown row = {
            .use = *use,
            .share = mean.time_ns > 0 ? 1e4 * (use->time_ns / mean.time_ns) : 0,
            .below = mean.rated_mhz <= 0 ? NAN
                     : mean.time_ns > 0  ? 1e4 * (mean.below_ns / mean.time_ns)
                                         : 0,
            .mean_khz = 1e3 * mean.mhz,
            .rated_mhz = use->rated_mhz > 0 ? use->rated_mhz : DB_NULL,
        };
        status = report_put(run, &row, err);
    }
    return status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct workload workload;
    struct frequency_uses uses = {.items = NULL};
    int status = answer_workload(run, WITHOUT_COUNTERS, &workload, err);

    if (status != 0)
        return status;
    status = frequency_uses_load(run->session->db, &workload, &uses, err);
    for (size_t from = 0, until; status == 0 && from < uses.count; from = until) {
        for (until = from; until < uses.count && uses.items[until].device_id == uses.items[from].device_id;)
            until++;
        status = put_device(run, &uses, from, until, err);
    }
    free(uses.items);
    workload_release(&workload);
    return status;
}

const struct report report_frequency = {
    .name = "frequency",
    .title = "Frequencies of the AI cores",
    .doc = "At which frequencies the tasks of a device ran: a task counts at the frequency that was measured last when "
           "it began, with the time it took, so that idle time does not count. With the mean, and the share of that "
           "time below the rated frequency.",
    .needs = "measured frequencies of the AI cores",
    .families = FAMILY_ASCEND,
    .is_short = true,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
