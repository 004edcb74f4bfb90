/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/sample.h"

#include "parsers/capture/capture.h"

#include <string.h>

/* One series: its last sample. */
struct sample_series {
    int64_t key[SAMPLING_MAX_KEYS];
    int64_t time_ns, counters[SAMPLING_MAX_COUNTERS];
    uint64_t samples;
};

static int column_of(const struct record_kind *kind, const char *name)
{
    return name != NULL ? record_kind_column(kind, name) : -1;
}

void sample_stream_init(struct sample_stream *stream, const struct decoder *decoder, const struct record_kind *kind,
                        const struct capture_file *file)
{
    const struct sampling *sampling = kind->sampling;
    *stream = (struct sample_stream){
        .part = decoder_part(decoder),
        .sampling = sampling,
        .device_id = file->identity.device_id,
        .process_id = file->identity.process_id,
        .device = record_kind_column(kind, "device_id"),
        .process = record_kind_column(kind, "process_id"),
        .time = record_kind_column(kind, "time_ns"),
        .span = record_kind_column(kind, "span_ns"),
        .series = MAP_OF(struct sample_series, key),
    };
    for (size_t i = 0; i < SAMPLING_MAX_STAMPS; i++)
        stream->stamps[i] = sampling != NULL ? column_of(kind, sampling->stamps[i].column) : -1;
    for (size_t i = 0; i < SAMPLING_MAX_KEYS; i++)
        stream->keys[i] = sampling != NULL ? column_of(kind, sampling->keys[i]) : -1;
    for (size_t i = 0; i < SAMPLING_MAX_COUNTERS; i++)
        stream->counters[i] = sampling != NULL ? column_of(kind, sampling->counters[i]) : -1;
}

void sample_stream_release(struct sample_stream *stream)
{
    map_release(&stream->series);
}

static int64_t cell_value(const struct row *row, int column)
{
    return column >= 0 && row_has(row, (size_t)column) ? row->cells[column].integer : 0;
}

/* The time of a record; false: it has none. */
static bool time_of(const struct sample_stream *stream, const struct row *row, int64_t *ret)
{
    for (size_t i = 0; i < SAMPLING_MAX_STAMPS; i++) {
        if (stream->stamps[i] < 0 || !row_has(row, (size_t)stream->stamps[i]))
            continue;
        *ret = part_clock_ns(stream->part, stream->sampling->stamps[i].clock, row->cells[stream->stamps[i]].integer);
        return true;
    }
    return false;
}

/* Compares a sample with the one before in its series. */
static void compare(const struct sample_stream *stream, struct decoder *decoder, const struct place *at,
                    struct row *row, int64_t time_ns, const struct sample_series *before)
{
    struct place place = *at;
    if (time_ns < before->time_ns) {
        place.field = "time_ns";
        diag_report(decoder_capture(decoder)->diag, DIAG_RECORD_ORDER, &place,
                    "a sample of %lld ns after one of %lld ns; expected later ones to follow", (long long)time_ns,
                    (long long)before->time_ns);
    } else if (stream->span >= 0) {
        row_set_integer(row, (size_t)stream->span, time_ns - before->time_ns);
    }
    for (size_t i = 0; i < SAMPLING_MAX_COUNTERS && stream->counters[i] >= 0; i++) {
        int64_t value = cell_value(row, stream->counters[i]);
        place.field = stream->sampling->counters[i];
        if (value < before->counters[i] && time_ns >= before->time_ns)
            diag_report(decoder_capture(decoder)->diag,
                        value > before->counters[i] - stream->sampling->step ? DIAG_COUNTER_JITTER : DIAG_COUNTER_FELL,
                        &place, "%lld after %lld; expected at least that", (long long)value,
                        (long long)before->counters[i]);
    }
}

int sample_stream_fill(struct sample_stream *stream, struct decoder *decoder, const struct place *place,
                       struct row *row, bool *keep, struct err *err)
{
    int64_t time_ns;
    if (stream->device >= 0 && stream->device_id >= 0)
        row_set_integer(row, (size_t)stream->device, stream->device_id);
    if (stream->process >= 0 && stream->process_id >= 0)
        row_set_integer(row, (size_t)stream->process, stream->process_id);
    if (!time_of(stream, row, &time_ns))
        return 0;
    if (!span_is_sound(time_ns, time_ns)) {
        struct place at = *place;
        at.field = "time_ns";
        diag_report(decoder_diag(decoder), DIAG_RECORD_VALUE, &at, "a time of %lld ns; expected one since the start",
                    (long long)time_ns);
        *keep = false;
        return 0;
    }
    if (stream->time >= 0)
        row_set_integer(row, (size_t)stream->time, time_ns);
    struct sample_series key = {.time_ns = 0};
    bool added;
    for (size_t i = 0; i < SAMPLING_MAX_KEYS; i++)
        key.key[i] = cell_value(row, stream->keys[i]);
    struct sample_series *series = map_add(&stream->series, key.key, &added, err);
    if (series == NULL)
        return err_status(err);
    if (!added)
        compare(stream, decoder, place, row, time_ns, series);
    series->time_ns = time_ns;
    series->samples++;
    for (size_t i = 0; i < SAMPLING_MAX_COUNTERS; i++)
        series->counters[i] = cell_value(row, stream->counters[i]);
    return 0;
}

static int open_stream(struct decoder *decoder, void *state, const struct capture_file *file, struct err *err)
{
    (void)err;
    sample_stream_init(state, decoder, file->kind, file);
    return 0;
}

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    struct place place = decoder_place(decoder, NULL);
    return sample_stream_fill(state, decoder, &place, row, keep, err);
}

/* Series of one sample beside others of many. */
static void report_alone(struct decoder *decoder, const struct sample_stream *stream)
{
    enum { MANY = 3 };
    uint64_t alone = 0, most = 0;
    for (const struct sample_series *series = map_next(&stream->series, NULL); series != NULL;
         series = map_next(&stream->series, series)) {
        alone += series->samples == 1;
        most = series->samples > most ? series->samples : most;
    }
    struct place place = decoder_place(decoder, NULL);
    place.record = place.offset = -1;
    if (alone > 0 && most >= MANY)
        diag_report(decoder_diag(decoder), DIAG_SAMPLE_ALONE, &place, "%llu such; others have up to %llu samples",
                    (unsigned long long)alone, (unsigned long long)most);
}

static int close_stream(struct decoder *decoder, void *state, bool failed, struct err *err)
{
    (void)err;
    if (!failed)
        report_alone(decoder, state);
    sample_stream_release(state);
    return 0;
}

const struct kind_hooks sample_hooks = {
    .state_size = sizeof(struct sample_stream),
    .open = open_stream,
    .record = take_record,
    .close = close_stream,
};
