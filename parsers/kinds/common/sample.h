/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of samples: their time, device and series, as struct sampling says. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_SAMPLE_H
#define MSPROF_PARSERS_KINDS_COMMON_SAMPLE_H

#include "base/map.h"
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"

/* The state of a stream; zeroed at first. Columns that the kind lacks are -1. */
struct sample_stream {
    const struct capture_part *part;
    const struct sampling *sampling; /* NULL: only the device is filled */
    int64_t device_id, process_id;   /* -1: the host's; not named */
    int device, process, time, span;
    int stamps[SAMPLING_MAX_STAMPS], keys[SAMPLING_MAX_KEYS], counters[SAMPLING_MAX_COUNTERS];
    struct map series; /* of struct sample_series */
};

void sample_stream_init(struct sample_stream *stream, const struct decoder *decoder, const struct record_kind *kind,
                        const struct capture_file *file);
/* Fills what the sampling says; *keep false: the time cannot be, which has been reported at place. */
int sample_stream_fill(struct sample_stream *stream, struct decoder *decoder, const struct place *place,
                       struct row *row, bool *keep, struct err *err);
void sample_stream_release(struct sample_stream *stream);

extern const struct kind_hooks sample_hooks;
/* Members of a kind, with those of its sampling: SAMPLES_OF(.stamps = {{"tick", CLOCK_DEVICE_TICK}}). Kinds with other
 * hooks have the second. */
#define SAMPLES_OF(...) .hooks = &sample_hooks, SAMPLED_BY(__VA_ARGS__)
#define SAMPLED_BY(...)                                                                                                \
    .sampling = &(const struct sampling)                                                                               \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

#endif
