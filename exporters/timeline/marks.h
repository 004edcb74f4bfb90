/* SPDX-License-Identifier: Apache-2.0 */
/* What programs say of themselves with msproftx, and what devices saw of it. */
#ifndef MSPROF_EXPORTERS_TIMELINE_MARKS_H
#define MSPROF_EXPORTERS_TIMELINE_MARKS_H

#include "exporters/timeline/document.h"
#include "exporters/timeline/lanes.h"
#include "exporters/timeline/track.h"

#define MARKS_PROCESS "MsprofTx" /* when the capture does not name its program */

/* The events of one layer of a trace. */
struct marks {
    struct trace *trace;
    struct trace_lanes lanes;
    struct strbuf text; /* of the event that is being written */
    bool arrows;        /* both ends are drawn */
    void *arg;
    /* The process of a program's events, of a device's marks: named when it is not. */
    int (*process)(void *arg, int64_t number, int64_t *ret_pid, struct err *err);
};

/* The state of a track that is made of marks, and its hooks. */
struct marks_layer {
    struct marks marks;
    bool begun;
};
int marks_layer_name_threads(struct track_run *run, void *layer, struct err *err);
void marks_layer_release(void *layer);

/* For marks_init, of the program's threads; arg is the database. */
int marks_first_free_thread(void *db, int64_t *ret, struct err *err);

void marks_init(struct marks *marks, struct trace *trace, const char *word,
                int (*first_free)(void *arg, int64_t *ret, struct err *err), void *arg);
void marks_release(struct marks *marks);
/* Writes the program's marks and ranges; with_devices: devices' marks are known. */
int marks_write_events(struct marks *marks, sqlite3 *db, bool with_devices, struct err *err);
int marks_write_device_marks(struct marks *marks, sqlite3 *db, struct err *err);

/* Captures before 2023: writes msprof_tx_[<device>_]<iteration>.json. No file without events. */
int marks_timeline(struct timeline_run *run, struct err *err);

#endif
