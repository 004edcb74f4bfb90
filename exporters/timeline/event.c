/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/event.h"

#include <math.h>

#define SHARED_ENDS_MAX 128
#define SHORT_MAX_PS TRACE_SHORT_MAX_PS

const struct trace_style trace_style_msprof = {.phase = PHASE_SECOND};
const struct trace_style trace_style_2023 = {
    .string_times = true,
    .short_durations = true,
    .as_recorded = true,
    .phase = PHASE_BEFORE_ARGS,
};
const struct trace_style trace_style_2022 = {
    .as_recorded = true,
    .tagged_processes = true,
    .phase = PHASE_LAST,
};

char *trace_put_tagged(char *p, int64_t pid)
{
    int64_t tag = pid >> TRACE_TAG_SHIFT;
    if (tag <= 0)
        return number_put_signed(p, pid);
    *p++ = '"';
    p = number_put_signed(p, tag);
    *p++ = '_';
    p = number_put_signed(p, pid & ((INT64_C(1) << TRACE_TAG_SHIFT) - 1));
    *p++ = '"';
    return p;
}

/* A viewer reads ts, dur and the time of the thread's first slice, subtracts and adds, and does the same with what
 * begins at the end, each time with an error of half a unit in the last place: the two ends of a slice are off by two
 * units at most, its beginning by one. Four units are enough, and as many more for each slice around it that ends when
 * it does. That is a picosecond, the last decimal that is written, in the first half hour of a capture. */
static unsigned four_units_ps(int64_t start_ns, int64_t duration_ns, unsigned levels)
{
    const double half_an_hour_us = 2147483648.0, end_us = (double)span_end(start_ns, duration_ns) / 1000.0;
    int exponent;
    if (fabs(end_us) < half_an_hour_us)
        return levels;
    frexp(end_us, &exponent);
    const double four_units = ldexp(1000000.0, exponent - 51), all = (floor(four_units) + 1) * levels;
    return all < SHORT_MAX_PS ? (unsigned)all : SHORT_MAX_PS;
}

static bool ends_in_time(double begin_us, double length_us, double end_us)
{
    return begin_us + length_us <= end_us;
}

unsigned trace_shortening(int64_t first_ns, int64_t start_ns, int64_t duration_ns, unsigned shared_ends)
{
    if (duration_ns <= 0)
        return 0;
    const double first = (double)first_ns / 1000.0, start = (double)start_ns / 1000.0;
    const double length = (double)duration_ns / 1000.0, end = (double)span_end(start_ns, duration_ns) / 1000.0;
    /* Either is as good as at random: one branch instead of two. */
    const bool in_time = (int)ends_in_time(start, length, end) & (int)ends_in_time(start - first, length, end - first);
    if (in_time && shared_ends == 0)
        return 0;
    return four_units_ps(start_ns, duration_ns, (shared_ends < SHARED_ENDS_MAX ? shared_ends : SHARED_ENDS_MAX) + 1);
}

unsigned trace_shortening_anywhere(int64_t start_ns, int64_t duration_ns)
{
    return duration_ns > 0 ? four_units_ps(start_ns, duration_ns, 1) : 0;
}

char *trace_put_shortened(char *p, int64_t duration_ns, unsigned short_ps)
{
    unsigned rest = 1000 - short_ps;
    p = number_put_us(p, duration_ns - 1);
    *p++ = (char)('0' + rest / 100);
    *p++ = (char)('0' + rest / 10 % 10);
    *p++ = (char)('0' + rest % 10);
    return p;
}

/* Its number is no text, and what it is counted by fits. */
static char *put_coded_flow(char *p, const struct trace_style *style, char phase, int64_t id, int64_t pid, int64_t tid,
                            int64_t time_ns)
{
    const struct trace_slice at = {.pid = pid, .tid = tid, .start_ns = time_ns, .duration_ns = id};
    p = trace_put_coded_times(p, style, phase, &at);
    return trace_put_literal(p, "}");
}

char *trace_put_flow(char *p, const struct trace_style *style, const struct trace_flow *flow, char phase, int64_t id,
                     int64_t pid, int64_t tid, int64_t time_ns)
{
    const bool connects = flow->connects && style->string_times, numbered = flow->numbered || connects;
    const bool text = numbered || flow->paired;
    id += style->first_arrow;
    if (connects)
        id = (int64_t)((uint64_t)id << 32);
    if (numbered) {
        p = trace_put_word(trace_put_literal(trace_begin_event(p), "\""), flow->name);
        p = trace_put_literal(number_put_signed(p, id), "\"");
    } else {
        p = trace_begin_named(p, style, flow->name, "", 0);
    }
    if (flow->category != NULL)
        p = trace_put_category(p, style, flow->category);
    if (style->coded && !text && id >= 0)
        return put_coded_flow(p, style, phase, id, pid, tid, time_ns);
    p = trace_put_phase(p, phase);
    p = text ? trace_put_literal(p, ",\"id\":\"") : trace_put_literal(p, ",\"id\":");
    if (flow->paired) {
        p = number_put_unsigned(p, (uint64_t)id >> 32);
        *p++ = '-';
        id = (int64_t)((uint64_t)id & UINT32_MAX);
    }
    p = number_put_signed(p, id);
    if (text)
        *p++ = '"';
    p = trace_put_place(p, style, pid, tid);
    p = trace_put_time(p, style, time_ns);
    return phase == 'f' ? trace_put_literal(p, ",\"bp\":\"e\"}") : trace_put_literal(p, "}");
}
