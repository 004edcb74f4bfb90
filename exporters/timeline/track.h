/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A track is a table: what one layer of a timeline is called, where its events come from, and how they are drawn.
 * Adding one means adding exporters/timeline/tracks/<track>.c that defines "const struct track track_<track>"; the
 * Makefile finds it. Counters of sampled kinds need no file: they come from the kinds (parsers/series.h).
 *
 * One engine (timeline.c) writes files of tracks: in turn each track names its processes and writes what is few; then
 * the rows of the large tables are walked once, in ranges, for all tracks that are made of them: the ranges become
 * events in several threads and are written in order; then each names its threads.
 */
#ifndef MSPROF_EXPORTERS_TIMELINE_TRACK_H
#define MSPROF_EXPORTERS_TIMELINE_TRACK_H

#include "db/query/clocks.h"
#include "db/query/launch_calls.h"
#include "db/query/query_cann.h"
#include "db/query/query_records.h"
#include "exporters/parallel.h"
#include "exporters/timeline/document.h"
#include "exporters/timeline/lanes.h"
#include "exporters/timeline/slice_operators.h"
#include "parsers/record.h"

#include <pthread.h>
#include <stdatomic.h>

struct track;

/* State that the tracks of one file share. Read-only while several threads draw. */
struct track_run {
    struct timeline_run *run;
    struct trace trace;
    bool compat;
    bool facts;       /* slices say what operators are, and calls have no arguments: our own style, without a guest's */
    bool own_numbers; /* processes have the numbers and the place of programs, and the names of layers */
    bool own_names;   /* with them: processes are called as their rows say */
    bool plain;       /* of these: processes have no labels, and the place `layer` */
    int64_t layer;    /* msprof of captures before 2023: the place of what is being drawn; 0: of other files */
    int64_t device_id;               /* :device of series, where they are of one */
    bool is_part;                    /* of the timeline of several captures */
    bool only_answers;               /* the file has nothing but them */
    bool everything;                 /* the timeline of all layers that are asked for, not a file of some */
    const struct trace_guest *guest; /* of the timeline of a framework; NULL: none */
    struct cann_parts parts;
    struct cann_clocks clocks;
    struct launch_calls launches; /* of files in the vendor's style, which number connections by these, and of: */
    bool hides;                   /* rows of warm-up */
    struct cann_texts names;      /* as JSON strings, with their quotes */
    struct slice_operators operators;
    struct cann_communications communications;
    struct track_answers *answers; /* answers.h; NULL: nobody has asked for them */
    int64_t process_id;            /* of the profiled program */
    int64_t first_place;           /* of its processes; 0: they stand among those of other captures */
    const char *host;              /* named beside the number of a device; NULL: numbers distinguish devices */
    bool shows_calls, shows_tasks; /* both ends of arrows are there */
    int64_t next_hardware_thread;  /* of what is not a stream's own; 0: not asked for yet */
    /* inside of the engine */
    pthread_mutex_t lock; /* of lanes, while workers add threads */
    struct map processes;
    struct parallel *parallel;
    struct cann_reader *calls, *tasks; /* those of the workers are like them; NULL: none are wanted */
    atomic_uint_fast64_t drawn;        /* events, by the workers */
    const struct track **tracks;       /* of the file, in the order of their processes, with their states */
    void **states;
    size_t track_count;
};

/* Rows of a table with ids from 1 on, which become the events of a track. */
enum track_rows { TRACK_FEW, TRACK_CALLS, TRACK_TASKS };

#define TRACK_UNIT_ROWS 1024
#define TRACK_UNIT_BYTES (TRACK_UNIT_ROWS * 32)

/* A range of rows, or what a track made of some, on the way to the threads that draw. */
struct track_unit {
    size_t track;       /* its place among those of the file */
    int64_t first, end; /* rows */
    size_t count;       /* of what is in bytes */
    _Alignas(max_align_t) char bytes[TRACK_UNIT_BYTES];
};

/* A row that stands where others do not. */
struct placed_row {
    int64_t id, tid;
    unsigned short_ps;
    bool instant;
};
_Static_assert(sizeof(struct placed_row) * TRACK_UNIT_ROWS <= TRACK_UNIT_BYTES, "a unit holds them");

/* One of the threads that make events of units. */
struct track_worker {
    struct track_run *run;
    void *track; /* state of the track whose unit is drawn */
    const struct track_unit *unit;
    struct parallel_output *output;
    int64_t pid;    /* of the track's process of the host */
    uint64_t drawn; /* events of the unit */
    size_t next_placed;
    struct trace_place place;
    void *own;                  /* of the track: worker_size bytes, zeroed; they stay from unit to unit */
    struct cann_reader *around; /* of calls, while others are read */
    /* inside of the engine */
    bool has_thread; /* added the last time */
    int64_t thread;
    sqlite3 *db;
    struct cann_reader *calls;
    struct cann_reader *tasks;
    void **owns; /* of each track */
};

static inline int track_put(struct track_worker *worker, const struct event *event, struct err *err)
{
    return trace_put_beside(worker->output, &worker->run->trace.style, event, &worker->place, err);
}

/* Sets the place of the row with this id where it is not the usual one. Rows of a unit come one after the other. */
static inline void track_place_row(struct track_worker *worker, int64_t id, struct trace_slice *slice)
{
    const struct placed_row *rows = (const struct placed_row *)worker->unit->bytes;
    size_t *next = &worker->next_placed;
    while (*next < worker->unit->count && rows[*next].id < id)
        ++*next;
    if (*next == worker->unit->count || rows[*next].id != id)
        return;
    slice->tid = rows[*next].tid;
    slice->instant = rows[*next].instant;
    slice->short_ps = rows[*next].short_ps;
}

/* Adds a thread of the host to the track's lanes, where it is another one than the last time. */
int track_add_thread(struct track_worker *worker, int64_t number, struct err *err);
static inline int track_need_thread(struct track_worker *worker, int64_t number, struct err *err)
{
    return worker->has_thread && worker->thread == number ? 0 : track_add_thread(worker, number, err);
}

struct track {
    const char *name;    /* in the file of --reports: "ascend" */
    const char *also;    /* NULL, or its name in earlier versions of Ascend's tool */
    const char *process; /* "Ascend Hardware" */
    const char *doc;     /* one sentence for the manual */
    const char *report;  /* NULL, or the file that it is written into beside msprof: "step_trace" */
    bool is_answer;      /* msprof's own conclusion: not in --trace-compat unless --reports names it, and never in
                            timelines of frameworks or of several captures */
    int number;          /* LAYER_... (parsers/series.h); 0: one that no other layer has */
    int order;           /* of its process among those of a timeline; 0: that of the number */
    const struct series_counter
        *events; /* as a table (parsers/series.h), ended by one without a name; then no hooks but begin and end */
    enum track_rows rows;
    size_t state_size; /* of what the hooks keep, zeroed; with a word it begins with the lanes of its threads */
    const char *word;  /* how names of threads begin: "Stream "; NULL: the track has no lanes */
    int (*first_free)(void *db, int64_t *ret, struct err *err); /* for its lanes (trace_lanes_init), or NULL */
    void (*name_thread)(void *state, int64_t pid, int64_t number, struct strbuf *ret); /* NULL: by word and number */
    /* Hooks return 0 or -code; each may be NULL. With a table begin comes before its events, which
     * TRACK_HAS_NONE leaves out, end behind them. */
    int (*begin)(struct track_run *run, void *state, struct err *err);
    /* Rows, in order: when each runs (all tracks of TRACK_TASKS see all tasks). */
    int (*span)(struct track_run *run, void *state, const struct cann_span *span, struct err *err);
    int (*end)(struct track_run *run, void *state, struct err *err); /* of the rows */
    void (*release)(void *state);
    /* In several threads, whose argument is a struct track_worker: the event of each row, which has found its place on
     * the lanes of the track; or those of a unit that span or end handed over. */
    size_t worker_size;
    int (*draw_call)(void *worker, const struct cann_call *call, struct err *err);
    int (*draw_task)(void *worker, const struct cann_task *task, struct err *err);
    int (*draw_unit)(struct track_worker *worker, struct err *err);
};

#define TRACK_HAS_NONE 1

/* The name in the file of --reports that stands for all layers. */
#define TRACK_ALL "all"

/* All of them, ended by NULL. */
extern const struct track *const tracks[];

/* A unit of the track with this state to fill, and to hand over. Only from span and end. */
struct track_unit *track_unit_new(struct track_run *run, const void *state, struct err *err);
void track_unit_submit(struct track_run *run);

/* Whether a name is a layer's, or what it was called before (may be NULL). */
bool track_is_named(const char *name, const char *layer, const char *also);
/* Whether the file has a layer of this name, or of what it was called before (may be NULL). */
bool track_shows(const struct track_run *run, const char *name, const char *also);
/* Whether a layer of this name is among those of the file, which must be chosen. */
bool track_is_there(const struct track_run *run, const char *name);

/* For lanes of streams (trace_lanes_init), whose arg is the database: a number above all of streams. */
int track_first_free_stream(void *db, int64_t *ret, struct err *err);

/* In track_run.processes. */
struct named_process {
    int64_t pid;
};
/* The process of a layer of parsers/series.h on a device (DB_NULL: of the host), which it names when nothing has. */
int track_process(struct track_run *run, int64_t layer, int64_t device_id, const char *name, int64_t *ret_pid,
                  struct err *err);
/* Finds the process of a program that need not be the profiled one, with the order of its layer. */
int track_process_of(struct track_run *run, int64_t process_id, int64_t layer, int order, int64_t device_id,
                     const char *name, int64_t *ret_pid, struct err *err);
/* Only the number: as Ascend's tool gives them, which leaves five bits to the device and five to the layer: what does
 * not fit goes in front. */
static inline int64_t track_pid_of(int64_t process_id, int64_t layer, int64_t device_id)
{
    enum { HOST_DEVICE = 31 }; /* where the number of a device stands in the process ids of the host */
    if (device_id == DB_NULL)
        device_id = HOST_DEVICE;
    /* unsigned: what stands in a database may be negative */
    return (int64_t)((uint64_t)(layer >> 5) << 50 | (uint64_t)(device_id >> 5) << 42 | (uint64_t)process_id << 10 |
                     (uint64_t)(layer & 31) << 5 | (uint64_t)(device_id & 31));
}
/* With --trace-compat Ascend's layers above 31 go over the bits of the process, as in its own files. */
static inline int64_t track_numbered_pid(const struct track_run *run, int64_t process_id, int64_t layer,
                                         int64_t device_id)
{
    if (run->compat && layer > 31 && layer <= LAYER_LAST_OF_VENDOR)
        return track_pid_of(process_id | layer >> 5, layer & 31, device_id);
    return track_pid_of(process_id, layer, device_id);
}
static inline int64_t track_pid(const struct track_run *run, int64_t layer, int64_t device_id)
{
    return track_numbered_pid(run, run->process_id, layer, device_id);
}
/* The number of a track's layer, and its order among those of a timeline. */
int track_number(const struct track *track);
int track_order(const struct track *track);
/* The first number that no track before this one has (NULL: none of all) and the list of layers neither. */
int track_unlisted(const struct track *until);
/* The number of a connection in the file; a call's own is its number in the vendor's files. */
static inline int64_t track_connection(const struct track_run *run, int64_t connection_id)
{
    return run->compat ? launch_calls_of(&run->launches, connection_id) : connection_id;
}
/* Whether the call that an arrow would come from is in the file. */
static inline bool track_shows_launch(const struct track_run *run, int64_t connection_id)
{
    return run->shows_calls && (!run->hides || launch_calls_of(&run->launches, connection_id) != DB_NULL);
}

/* Where processes have the numbers of programs; in msprof of captures before 2023 with their layers. */
int64_t track_own_pid(const struct track_run *run, int64_t process_id);
/* Names such a process of a run that is plain. */
void track_name_own_process(struct track_run *run, int64_t process_id, const char *name);

/* From the host's call to the task on the device. */
static const struct trace_flow host_to_device = {.name = "HostToDevice", .category = "HostToDevice", .connects = true};

/* ---- the engine ---- */

struct track_answers;
int track_answers_load(struct track_run *run, struct err *err);
/* Why a layer of them has nothing to show. */
const char *track_answers_absence(const struct track_answers *answers);
void track_answers_release(struct track_answers *answers);

/* Walks calls, then tasks, for all tracks of the file that are made of them, and writes their events. */
int tracks_walk(struct track_run *run, struct err *err);

/* Series of record kinds (parsers/series.h): the layer's name in the file of --reports. */
const char *series_layer(const struct series_report *series);
/* Calls each for every series that the timeline shows something of, until it returns other than 0, which it returns. */
int series_each(int (*each)(void *arg, const struct record_kind *kind, const struct series_report *series), void *arg);

/* Writes the events of all series that the options show. */
int series_write(struct track_run *run, struct err *err);

/* State that a track whose events are a table keeps until its threads are named. All zero: nothing. */
struct series_track {
    struct series_report series;
    struct series_run *runs;
};
int series_track_write(struct track_run *run, const struct track *track, struct series_track *state, struct err *err);
int series_track_name_threads(struct series_track *state, struct err *err);
void series_track_release(struct series_track *state);

/* Writes <name> with all tracks and what the guest adds; compat: in the style of trace_style_2023. */
int tracks_write_with(struct timeline_run *run, const struct trace_guest *guest, const char *name, bool compat,
                      struct err *err);

#endif
