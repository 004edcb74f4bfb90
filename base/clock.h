/* SPDX-License-Identifier: Apache-2.0 */
/* How long something took, and what time it is. */
#ifndef MSPROF_BASE_CLOCK_H
#define MSPROF_BASE_CLOCK_H

#include "base/number.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

#define CLOCK_TEXT_SIZE NUMBER_MAX

/* Nanoseconds of the monotonic clock. */
static inline int64_t clock_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Seconds with three decimals in text; returns text. */
static inline const char *clock_format_seconds(int64_t elapsed_ns, char text[CLOCK_TEXT_SIZE])
{
    *number_put_us(text, elapsed_ns / 1000000) = '\0'; /* thousandths of seconds, like thousandths of us */
    return text;
}

/* Seconds likewise since a time of clock_now_ns(), for the length of the block. */
#define CLOCK_SECONDS_SINCE(start_ns) clock_format_seconds(clock_now_ns() - (start_ns), (char[CLOCK_TEXT_SIZE]){""})

#define TIMESTAMP_SIZE 16

/* The local time as "20250101120000" in text; returns text. */
static inline const char *clock_format_local(char text[TIMESTAMP_SIZE])
{
    time_t now = time(NULL);
    struct tm parts;

    if (localtime_r(&now, &parts) == NULL || strftime(text, TIMESTAMP_SIZE, "%Y%m%d%H%M%S", &parts) == 0)
        memcpy(text, "00000000000000", TIMESTAMP_SIZE - 1);
    return text;
}

#endif
