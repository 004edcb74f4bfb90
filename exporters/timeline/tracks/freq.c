/* SPDX-License-Identifier: Apache-2.0 */
/* At what frequency the AI cores of devices run. */
#include "exporters/cann_report.h"
#include "exporters/timeline/track.h"

static void write_frequency(struct track_run *run, int64_t pid, const struct cann_frequency *frequency)
{
    char *start = trace_reserve(&run->trace, TRACE_EVENT_MAX);
    char *p = trace_put_literal(trace_begin_event(start), "\"AI Core Freq\"");
    p = trace_put_counter(p, &run->trace.style, pid, frequency->time_ns);
    p = trace_put_literal(p, "\"MHz\":");
    p = number_put_signed(p, frequency->mhz);
    p = trace_end_counter(p, &run->trace.style);
    trace_advance(&run->trace, start, p);
    run->trace.events++;
}

static int write_device(struct track_run *run, const struct cann_frequencies *frequencies, int64_t device_id,
                        struct err *err)
{
    int status = 0;
    for (size_t i = 0; i < frequencies->count && status == 0; i++) {
        int64_t pid;
        if (frequencies->items[i].device_id != device_id)
            continue;
        status = track_process(run, LAYER_FREQUENCY, device_id, "AI Core Freq", &pid, err);
        if (status == 0)
            write_frequency(run, pid, &frequencies->items[i]);
    }
    return status;
}

static int begin(struct track_run *run, void *state, struct err *err)
{
    struct cann_frequencies frequencies;
    (void)state;
    int status = cann_frequencies_load(run->run->db, &frequencies, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < run->parts.count && status == 0; i++) {
        const struct cann_part *part = &run->parts.parts[i];
        if (cann_measures_frequency(part))
            status = write_device(run, &frequencies, part->device_id != DB_NULL ? part->device_id : 0, err);
    }
    cann_frequencies_release(&frequencies);
    return status;
}

const struct track track_freq = {
    .name = "freq",
    .process = "AI Core Freq",
    .doc = "Frequencies of the AI cores.",
    .order = LAYER_FREQUENCY,
    .begin = begin,
};
