/* Events of the timeline of a new CANN capture as bytes. Everything here is read-only while several threads put events,
 * but for the list of threads, which locks. */
#ifndef MSPROF_EXPORTERS_CANN_TRACE_H
#define MSPROF_EXPORTERS_CANN_TRACE_H

#include "base/outfile.h"
#include "exporters/cann_overlap.h"
#include "exporters/cann_report.h"

#include <pthread.h>

/* Layers as Ascend's tool numbers them: their place in the view and part of their process ids. */
enum {
    LAYER_PROGRAM = 6,
    LAYER_CANN = 7,
    LAYER_HARDWARE = 14,
    LAYER_FREQUENCY = 15,
    LAYER_COMMUNICATION = 16,
    LAYER_OVERLAP = 31
};

/* The threads that have events, each once. */
struct trace_threads {
    struct trace_thread {
        int64_t pid, tid;
    } * items;
    size_t count, capacity;
    bool out_of_memory;
    pthread_mutex_t lock;
};
void trace_threads_add(struct trace_threads *threads, int64_t pid, int64_t tid);

struct cann_trace {
    const char *database;
    bool compat;        /* ts as a string */
    unsigned hidden;    /* enum timeline_layer */
    bool first;         /* nothing but '[' has been written; layers begin with the name of their process */
    int64_t process_id; /* of the profiled program */
    int64_t cann_pid;
    struct cann_parts parts;
    struct cann_texts names; /* as JSON strings, with their quotes */
    struct cann_communications communications;
    struct cann_frequencies frequencies;
    struct trace_threads threads;
    uint64_t events;
};

int cann_trace_init(struct cann_trace *trace, sqlite3 *db, const struct export_options *options, struct err *err);
void cann_trace_release(struct cann_trace *trace);
/* Processes, and what does not come from rows. */
void trace_write_head(struct cann_trace *trace, struct outfile *out);
/* The layer of communication operators and their tasks. */
int trace_write_communication(struct cann_trace *trace, sqlite3 *db, struct outfile *out, struct err *err);
/* Iterations of models beside the tasks of the devices; alone: no other
 * layer names the devices.
 * *ret_events counts them without metadata; nothing is written when it is 0. */
int cann_step_trace_write(sqlite3 *db, struct cann_trace *trace, struct outfile *out, bool alone, uint64_t *ret_events,
                          struct err *err);
/* step_trace_<timestamp>.json with the same events; no file without them. */
int cann_step_timeline(sqlite3 *db, struct cann_trace *trace, const struct export_options *options,
                       struct export_result *result, struct err *err);
/* Threads, and the end of the document. */
void trace_write_tail(struct cann_trace *trace, struct outfile *out);
/* Names a process (device_id < 0: of the host) and a thread; first: nothing stands before it in the file. name is a
 * word of the program or escaped; numbered: the thread's number follows it. */
void trace_write_process(struct outfile *out, int64_t pid, int64_t sort_index, const char *name, int64_t device_id,
                         bool first);
/* The same with trace->first, which it clears. */
void trace_name_process(struct cann_trace *trace, struct outfile *out, int64_t pid, int64_t sort_index,
                        const char *name, int64_t device_id);
static inline bool trace_shows(const struct cann_trace *trace, unsigned layer)
{
    return (trace->hidden & layer) == 0;
}
void trace_write_thread(struct outfile *out, int64_t pid, int64_t tid, int64_t sort_index, const char *name,
                        bool numbered);

/* As Ascend's tool numbers processes, which leaves five bits to the device: those of higher devices go in front. */
static inline int64_t trace_pid(const struct cann_trace *trace, int64_t layer, int64_t device_id)
{
    return device_id >> 5 << 42 | trace->process_id << 10 | layer << 5 | (device_id & 31);
}

/* An operator's launch at the level of nodes. */
static inline bool is_launch(const struct cann_call *call)
{
    enum { LEVEL_NODE = 10000, TYPE_LAUNCH = 5 };
    return call->level == LEVEL_NODE && call->type == TYPE_LAUNCH;
}

/* ---- events; each writes at p and returns the end ---- */

#define TRACE_EVENT_MAX 640 /* bytes of an event without texts of the database */
#define HOST_DEVICE 31      /* where the number of a device stands in the process ids of the host */
/* What follows an event's name: process, thread, start (compat: as a string) and, when it is
 * not negative, duration. */
char *trace_put_place(char *p, bool compat, int64_t pid, int64_t tid, int64_t start_ns, int64_t duration_ns);
size_t trace_call_room(const struct cann_trace *trace, const struct cann_call *call);
char *trace_put_call(char *p, const struct cann_trace *trace, const struct cann_call *call);
size_t trace_task_room(const struct cann_trace *trace, const struct cann_task *task);
char *trace_put_task(char *p, const struct cann_trace *trace, const struct cann_task *task, int64_t pid);
/* One end of an arrow: phase 's' or 'f'. */
char *trace_put_flow(char *p, const struct cann_trace *trace, char phase, int64_t id, int64_t pid, int64_t tid,
                     int64_t time_ns);

/* ---- the calls that were drawn last, by id ---- */

#define CALL_WINDOW 64 /* a power of two */
struct call_window {
    struct cann_call calls[CALL_WINDOW];
};
static inline void call_window_add(struct call_window *window, const struct cann_call *call)
{
    window->calls[call->id & (CALL_WINDOW - 1)] = *call;
}
/* NULL: not kept any more. */
static inline const struct cann_call *call_window_find(const struct call_window *window, int64_t id)
{
    const struct cann_call *call = &window->calls[id & (CALL_WINDOW - 1)];
    return call->id == id ? call : NULL;
}

char *trace_put_overlap(char *p, const struct cann_trace *trace, const struct overlap_span *span);

#endif
