/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of samples: their time, device and series, as struct sampling says. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_SAMPLE_H
#define MSPROF_PARSERS_KINDS_COMMON_SAMPLE_H

#include "base/map.h"
#include "parsers/decode/decode.h"

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

/* Columns that kinds of samples have in common, and short forms of the others. */

#define FILE_COLUMN                                                                                                    \
    {                                                                                                                  \
        "file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_FILE, NULL, "The file it came from (source_file.id)."     \
    }
#define DEVICE_COLUMN                                                                                                  \
    {                                                                                                                  \
        "device_id", "Device ID", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL,                                     \
            "The device, from the file name; NULL: the host."                                                          \
    }
#define TIME_COLUMN                                                                                                    \
    {                                                                                                                  \
        "time_ns", "Time", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL,                                              \
            "When it was taken, on the clock of the host."                                                             \
    }
#define SPAN_COLUMN                                                                                                    \
    {                                                                                                                  \
        "span_ns", "Time span", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL,                                         \
            "Time since the sample before of the same series; NULL: there is none."                                    \
    }
#define STAMP_COLUMN(name, doc)                                                                                        \
    {                                                                                                                  \
        name, "Stamp", COLUMN_INTEGER, UNIT_NONE, COLUMN_TRANSIENT, NULL, doc                                          \
    }
#define NUMBER_COLUMN(name, title, doc)                                                                                \
    {                                                                                                                  \
        name, title, COLUMN_INTEGER, UNIT_NONE, 0, NULL, doc                                                           \
    }
#define BYTES_COLUMN(name, title, doc)                                                                                 \
    {                                                                                                                  \
        name, title, COLUMN_INTEGER, UNIT_BYTE, 0, NULL, doc                                                           \
    }
#define NAMED_COLUMN(name, title, names, doc)                                                                          \
    {                                                                                                                  \
        name, title, COLUMN_INTEGER, UNIT_NONE, 0, names, doc                                                          \
    }
#define TEXT_COLUMN_OF(name, title, doc)                                                                               \
    {                                                                                                                  \
        name, title, COLUMN_TEXT, UNIT_NONE, 0, NULL, doc                                                              \
    }

#endif
