/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/event.h"

#include "base/number.h"

#include <math.h>

#define SHARED_ENDS_MAX 128
#define SHORT_MAX_PS TRACE_SHORT_MAX_PS

const struct trace_style trace_style_msprof = {.phase = PHASE_SECOND};
const struct trace_style trace_style_2023 = {
    .array = true,
    .string_times = true,
    .short_durations = true,
    .as_recorded = true,
    .phase = PHASE_BEFORE_ARGS,
};
const struct trace_style trace_style_2022 = {
    .array = true,
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
    int exponent;
    frexp((double)span_end(start_ns, duration_ns) / 1000.0, &exponent);
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
    if (shared_ends == 0 && ends_in_time(start, length, end) && ends_in_time(start - first, length, end - first))
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
    const bool text = flow->numbered || flow->paired;
    id += style->first_arrow;
    if (flow->numbered) {
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

/* Powers of ten that a long double holds exactly. */
static const long double powers_of_ten[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L, 1e9L,
                                            1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L};

/* Puts a number from 0.01 on and below 10^15 with the fewest digits, 15 to 17, that read back the same, by arithmetic
 * that knows how far it may be off. NULL: it cannot tell. */
static char *put_float_fast(char *p, double real)
{
    enum { LEAST_DIGITS = 15, MOST_DIGITS = 17 };
    int places = -1, exponent; /* digits before the point; -1 for 0.01 */
    if (!(real >= 0.01 && real < 1e15))
        return NULL;
    bool power_of_two = frexp(real, &exponent) == 0.5; /* the number below it is nearer than the one above */
    const long double half_bit = ldexp(1, exponent - 54), rounding = 0x1p-62L;
    while (places < 0 ? real >= 0.1 : (long double)real >= powers_of_ten[places])
        places++;
    for (int digits = LEAST_DIGITS; digits <= MOST_DIGITS; digits++) {
        long double power = powers_of_ten[digits - places], scaled = (long double)real * power;
        long double margin = scaled * rounding, limit = half_bit * power;
        int64_t nearest = (int64_t)(scaled + 0.5L);
        long double off = fabsl(scaled - (long double)nearest);
        if (off - margin > limit)
            continue;
        if (off + margin >= (power_of_two ? limit / 2 : limit))
            return NULL;
        if (off + margin >= 0.5L) {
            if (off != 0.5L || fmal((long double)real, power, -scaled) != 0)
                return NULL;
            nearest = (int64_t)scaled + ((int64_t)scaled & 1); /* of two that are equally near the even one */
        }
        return number_put_shortest(p, nearest, (unsigned)(digits - places));
    }
    return NULL;
}

char *trace_put_float(char *p, double real)
{
    char text[REAL_SHORTEST_MAX], *start = p, *end = put_float_fast(p, real);
    if (real == 0 && !signbit(real))
        return trace_put_literal(p, "0.0");
    if (end != NULL)
        return memchr(start, '.', (size_t)(end - start)) == NULL ? trace_put_literal(end, ".0") : end;
    return trace_put_bytes(p, text, number_print_float(text, real));
}
