/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of what msprof concludes from a capture: its steps, the gaps of its devices, their use over time. They show
 * what the tables of `show` have. */
#ifndef MSPROF_EXPORTERS_TIMELINE_ANSWERS_H
#define MSPROF_EXPORTERS_TIMELINE_ANSWERS_H

#include "exporters/timeline/track.h"
#include "features/answers/analysis/splits.h"

#define ANSWERS_PROCESS "Analysis"

/* Threads of the process. */
enum { ANSWERS_GAPS = 1, ANSWERS_STEPS = 100, ANSWERS_FURTHER = 1 << 20 };

/* Answers of a capture, which its layers share. */
struct track_answers {
    struct workload workload;
    struct splits splits;
};

/* Finds the process of a device (an index). */
int answers_process(struct track_run *run, uint16_t device, int64_t *ret_pid, struct err *err);

/* ---- counters over time: of stretches, each with a weight, in equal bins ---- */

#define ANSWERS_BINS 2000

struct answers_bins {
    int64_t from_ns, width_ns;
    size_t count;
    double parts[ANSWERS_BINS + 1];   /* weight times nanoseconds, of bins that a stretch does not fill */
    double changes[ANSWERS_BINS + 1]; /* where the weight of stretches that fill bins begins and ends */
};

void answers_bins_init(struct answers_bins *bins, int64_t from_ns, int64_t until_ns);
void answers_bins_add(struct answers_bins *bins, int64_t start_ns, int64_t end_ns, double weight);
/* Draws the mean weight of each bin in percent, as a counter of the device (an index) with so many values; then
 * zeros. changes: only where it is another than before. */
#define ANSWERS_VALUES 2
int answers_draw_bins(struct track_run *run, uint16_t device, const char *name, const struct event_key keys[],
                      const struct answers_bins bins[], size_t count, bool changes, struct err *err);

/* Executions of a device (an index), and when the last of them ends. */
struct answers_span {
    size_t first, end;
    int64_t from_ns, until_ns;
};
struct answers_span answers_span_of(const struct workload *workload, uint16_t device);

/* Draws the counters of each device (an index), of captures whose executions have times of their own. */
int answers_each_device(struct track_run *run, void *layer,
                        int (*draw)(struct track_run *run, void *layer, uint16_t device, struct err *err),
                        struct err *err);

#endif
