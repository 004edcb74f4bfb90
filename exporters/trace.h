/*
 * Chrome-trace JSON as a stream: {"traceEvents":[...],"displayTimeUnit":"ns","otherData":{...}} with one event a line
 * and the members of each in the order name, ph, pid, tid, ts, dur, args. Times are int64 nanoseconds since the trace's
 * origin and printed as microseconds with exactly three decimals (some durations with six, see trace_put_duration).
 * Equal calls give equal bytes.
 */
#ifndef MSPROF_EXPORTERS_TRACE_H
#define MSPROF_EXPORTERS_TRACE_H

#include "base/err.h"
#include "base/number.h"
#include "base/outfile.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What the trace says about itself. */
struct trace_info {
    const char *clock; /* "system monotonic" */
    int64_t origin_ns; /* absolute time of ts 0 */
    int64_t device_id; /* this and the numbers below: DB_NULL or -1 when not known */
    const char *model; /* NULL: the trace is not of one model */
    int64_t model_id, batch_num;
};

/* A slice (ph "X"), or an instant (ph "i") for what would partly overlap every slice beside it: its duration is then an
 * argument, so that nothing is lost and no viewer sees broken nesting. */
struct trace_slice {
    int64_t pid, tid, start_ns, duration_ns;
    bool instant;
    bool touches;         /* another slice begins at the nanosecond where this one ends */
    unsigned shared_ends; /* how many slices around it, on the same thread, end at the same nanosecond */
};

/* Begins the file; the first event names process 0. Write errors are told by outfile_commit. */
void trace_begin(struct outfile *out);
/* Names a further process. */
void trace_process(struct outfile *out, int64_t pid);
/* Names a thread and places it: threads are shown in the order of sort_index. Names are own words and numbers, cut at
 * TRACE_THREAD_NAME_MAX bytes. */
#define TRACE_THREAD_NAME_MAX 128
void trace_thread(struct outfile *out, int64_t pid, int64_t tid, int64_t sort_index, const char *name);
/* Ends the document. */
int trace_end(struct outfile *out, const struct trace_info *info, struct err *err);

/* Appends the beginning of an event of this name (any bytes), up to the name's closing quote: escaped once for all
 * events that share it. 0, or -1 with buf->failed set. */
int trace_append_name(struct strbuf *buf, const char *name, size_t length);

/* Bytes that trace_put_slice, the arguments that this folder puts between (without texts from the capture), and
 * trace_put_end take at most. */
#define TRACE_SLICE_MAX 512

static inline char *trace_put_bytes(char *p, const char *bytes, size_t length)
{
    memcpy(p, bytes, length);
    return p + length;
}
/* A string literal: the compiler turns the copy into a few moves. */
#define trace_put_literal(p, literal) trace_put_bytes((p), "" literal, sizeof(literal) - 1)

/* A slice's dur. Viewers calculate in doubles, where ts + dur may come out a little after the ts of a slice that begins
 * just there: speedscope then takes that slice for one inside this one, and draws all that follow nested. So a slice
 * that touches the next is written a picosecond shorter, which rounds to the same nanosecond, and one that ends
 * together with slices around it three more for each: it must not end after them. */
static inline char *trace_put_duration(char *p, const struct trace_slice *slice)
{
    unsigned picoseconds = 3 * (slice->shared_ends < 100 ? slice->shared_ends : 100) + slice->touches;
    if (picoseconds == 0 || slice->duration_ns <= 0)
        return number_put_us(p, slice->duration_ns);
    p = number_put_us(p, slice->duration_ns - 1);
    unsigned rest = 1000 - picoseconds;
    *p++ = (char)('0' + rest / 100);
    *p++ = (char)('0' + rest / 10 % 10);
    *p++ = (char)('0' + rest % 10);
    return p;
}

/* What follows the name: phase, process, thread, times, and the opening of args. */
static inline char *trace_put_slice(char *p, const struct trace_slice *slice)
{
    p = slice->instant ? trace_put_literal(p, ",\"ph\":\"i\",\"pid\":")
                       : trace_put_literal(p, ",\"ph\":\"X\",\"pid\":");
    p = number_put_signed(p, slice->pid);
    p = trace_put_literal(p, ",\"tid\":");
    p = number_put_signed(p, slice->tid);
    p = trace_put_literal(p, ",\"ts\":");
    p = number_put_us(p, slice->start_ns);
    if (slice->instant)
        return trace_put_literal(p, ",\"s\":\"t\",\"args\":{");
    p = trace_put_literal(p, ",\"dur\":");
    p = trace_put_duration(p, slice);
    return trace_put_literal(p, ",\"args\":{");
}

/* Closes args and the event; an instant's duration becomes the last argument. */
static inline char *trace_put_end(char *p, const struct trace_slice *slice)
{
    if (slice->instant) {
        p = trace_put_literal(p, ",\"Duration(us)\":");
        p = number_put_us(p, slice->duration_ns);
    }
    return trace_put_literal(p, "}}");
}

/* An id as a JSON value: the number, or "N/A" when it is DB_NULL. */
char *trace_put_id(char *p, int64_t id);

/* The arguments of a task on the device. type is a literal of the program that needs no escaping. */
static inline char *trace_put_task_args(char *p, const char *type, int64_t stream_id, int64_t task_id)
{
    p = trace_put_literal(p, "\"Task Type\":\"");
    p = trace_put_bytes(p, type, strlen(type));
    p = trace_put_literal(p, "\",\"Stream Id\":");
    p = trace_put_id(p, stream_id);
    p = trace_put_literal(p, ",\"Task Id\":");
    return trace_put_id(p, task_id);
}

#endif
