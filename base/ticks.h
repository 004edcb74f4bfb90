/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lengths of time in ticks of the clock that measured them. Times are kept in whole nanoseconds, each rounded, so that
 * the difference of two is up to a nanosecond off. The number of ticks between them is exact: it is found here, summed
 * as it is, and becomes nanoseconds once, when it is printed:
 *
 *     int64_t sum = ticks_of(hz, a_start_ns, a_length_ns) + ticks_of(hz, b_start_ns, b_length_ns);
 *     put_us(ticks_ns(hz, sum));
 *
 * hz is ticks_rate() of a frequency: opaque, ticks_hz() is the frequency. A clock whose ticks are whole nanoseconds, or
 * shorter than one, has the rate of nanoseconds: then a tick is one. Where a tick is shorter than two, the rate also
 * says when the clock ticks, since the length alone does not determine the number of ticks in it.
 */
#ifndef MSPROF_BASE_TICKS_H
#define MSPROF_BASE_TICKS_H

#include "base/number.h"

#include <stdbool.h>
#include <stdint.h>

#define TICKS_OF_NS INT64_C(1000000000) /* the rate of nanoseconds */
#define TICKS_PLAIN INT64_C(499999999)  /* the fastest whose lengths determine the ticks: both ends are rounded */
#define TICKS_PHASE 30                  /* bits of the frequency; above them when it ticks, modulo a second */
#define TICKS_TIMED (INT64_C(1) << 62)  /* marks a rate that says when */

/* Whether the rate of a frequency needs a time at which the clock ticks. */
static inline bool ticks_need_origin(int64_t hz)
{
    return hz > TICKS_PLAIN && hz < TICKS_OF_NS && TICKS_OF_NS % hz != 0;
}

/* origin_ns: when it ticks; any other than of a whole nanosecond's clock, or INT64_MIN: not known. */
static inline int64_t ticks_rate(int64_t hz, int64_t origin_ns)
{
    if (ticks_need_origin(hz) && origin_ns != INT64_MIN)
        return TICKS_TIMED | (origin_ns % TICKS_OF_NS + TICKS_OF_NS) % TICKS_OF_NS << TICKS_PHASE | hz;
    return hz <= 0 || hz > TICKS_PLAIN || TICKS_OF_NS % hz == 0 ? TICKS_OF_NS : hz;
}

/* Whether lengths of a rate need the times between which they lie. */
static inline bool ticks_has_origin(int64_t rate)
{
    return rate >= TICKS_TIMED;
}

static inline int64_t ticks_hz(int64_t rate)
{
    return ticks_has_origin(rate) ? rate & ((INT64_C(1) << TICKS_PHASE) - 1) : rate;
}

/* The frequency of one clock, or of several: *hz is that of those before, 0: there were none. That of nanoseconds where
 * they differ. */
static inline void ticks_share_hz(int64_t *hz, int64_t rate)
{
    const int64_t own = ticks_hz(rate) > 0 && ticks_hz(rate) < TICKS_OF_NS ? ticks_hz(rate) : TICKS_OF_NS;
    *hz = *hz == 0 || *hz == own ? own : TICKS_OF_NS;
}

/* The number of the tick that is nearest to a time, of those since one of them. */
static inline int64_t ticks_number(int64_t rate, int64_t ns)
{
    const int64_t hz = ticks_hz(rate), second = ns / TICKS_OF_NS, phase_ns = (rate ^ TICKS_TIMED) >> TICKS_PHASE,
                  rest = ns % TICKS_OF_NS - phase_ns;
    return number_add(number_multiply(second, hz), number_rescale(rest, hz, TICKS_OF_NS));
}

/* The ticks in a length of time from a time on. */
static inline int64_t ticks_of(int64_t rate, int64_t start_ns, int64_t length_ns)
{
    if (rate == TICKS_OF_NS)
        return length_ns;
    if (!ticks_has_origin(rate))
        return number_rescale(length_ns, rate, TICKS_OF_NS);
    return number_subtract(ticks_number(rate, number_add(start_ns, length_ns)), ticks_number(rate, start_ns));
}

/* The nearest nanosecond. */
static inline int64_t ticks_ns(int64_t rate, int64_t ticks)
{
    return rate == TICKS_OF_NS ? ticks : number_rescale(ticks, TICKS_OF_NS, ticks_hz(rate));
}

/* A length, rounded once. */
static inline int64_t ticks_span_ns(int64_t rate, int64_t start_ns, int64_t length_ns)
{
    return rate == TICKS_OF_NS ? length_ns : ticks_ns(rate, ticks_of(rate, start_ns, length_ns));
}

/* Both, not rounded: to be summed where clocks differ, or divided by. */
static inline double ticks_whole_ns(int64_t rate, int64_t ticks)
{
    if (rate == TICKS_OF_NS)
        return (double)ticks;
    const int64_t hz = ticks_hz(rate), seconds = ticks / hz;
    if (hz > INT64_MAX / TICKS_OF_NS) /* a tick is less than 0.11 ns */
        return (double)seconds * (double)TICKS_OF_NS + (double)(ticks % hz) / (double)hz * (double)TICKS_OF_NS;
    const int64_t parts = ticks % hz * TICKS_OF_NS, whole = parts / hz;
    return (double)seconds * (double)TICKS_OF_NS + (double)whole +
           (double)(parts % hz) / (double)hz; /* a half stays one */
}
static inline double ticks_exact_ns(int64_t rate, int64_t start_ns, int64_t length_ns)
{
    return ticks_whole_ns(rate, ticks_of(rate, start_ns, length_ns));
}

#endif
