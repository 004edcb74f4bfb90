/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lengths of time in ticks of the clock that measured them. Times are kept in whole nanoseconds, each rounded, so that
 * the difference of two is up to a nanosecond off. The number of ticks between them is exact: it is found here, summed
 * as it is, and becomes nanoseconds once, when it is printed:
 *
 *     int64_t sum = ticks_of(hz, a_end_ns - a_start_ns) + ticks_of(hz, b_end_ns - b_start_ns);
 *     put_us(ticks_ns(hz, sum));
 *
 * hz is ticks_rate() of a frequency. A clock whose ticks are whole nanoseconds, or too short to be told apart in
 * nanoseconds, has the rate of nanoseconds: then a tick is one.
 */
#ifndef MSPROF_BASE_TICKS_H
#define MSPROF_BASE_TICKS_H

#include "base/number.h"

#include <stdint.h>

#define TICKS_OF_NS INT64_C(1000000000) /* the rate of nanoseconds */

static inline int64_t ticks_rate(int64_t hz)
{
    const int64_t fastest_hz = TICKS_OF_NS / 2 - 1; /* both ends are rounded: a tick must be more than 2 ns */
    return hz <= 0 || hz > fastest_hz || TICKS_OF_NS % hz == 0 ? TICKS_OF_NS : hz;
}

/* The ticks between two times that are so far apart. */
static inline int64_t ticks_of(int64_t hz, int64_t ns)
{
    return hz == TICKS_OF_NS ? ns : number_rescale(ns, hz, TICKS_OF_NS);
}

/* The nearest nanosecond. */
static inline int64_t ticks_ns(int64_t hz, int64_t ticks)
{
    return hz == TICKS_OF_NS ? ticks : number_rescale(ticks, TICKS_OF_NS, hz);
}

/* The length between two times that are so far apart, rounded once. */
static inline int64_t ticks_span_ns(int64_t hz, int64_t ns)
{
    return hz == TICKS_OF_NS ? ns : ticks_ns(hz, ticks_of(hz, ns));
}

/* Both, not rounded: to be summed where clocks differ, or divided by. */
static inline double ticks_whole_ns(int64_t hz, int64_t ticks)
{
    return hz == TICKS_OF_NS ? (double)ticks : (double)ticks * ((double)TICKS_OF_NS / (double)hz);
}
static inline double ticks_exact_ns(int64_t hz, int64_t ns)
{
    return ticks_whole_ns(hz, ticks_of(hz, ns));
}

#endif
