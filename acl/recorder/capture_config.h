/* SPDX-License-Identifier: Apache-2.0 */
/* The small text files of a capture (docs/formats/cann.md 2). Times in nanoseconds. */
#ifndef MSPROF_ACL_RECORDER_CAPTURE_CONFIG_H
#define MSPROF_ACL_RECORDER_CAPTURE_CONFIG_H

#include "acl/recorder/recorder_options.h"
#include "base/strbuf.h"

#include <stdint.h>

/* One instant on both clocks. The difference of the two is exact to the nanosecond although the files say the first in
 * microseconds: unix_ns is a whole number of them. */
struct clock_pair {
    int64_t unix_ns;      /* CLOCK_REALTIME */
    int64_t monotonic_ns; /* CLOCK_MONOTONIC_RAW, the clock of the records */
};

struct clock_pair clock_pair_read(void);

/* Local time minus UTC, now, in seconds. */
int64_t local_utc_offset(void);

#define DATE_TEXT_SIZE 32
/* "YYYY-mm-dd HH:MM:SS.uuuuuu". Needs no time zone data: may be called in signal handlers. */
void format_date(int64_t unix_ns, int64_t utc_offset, char text[DATE_TEXT_SIZE]);
/* "YYYYmmddHHMMSSmmm", as directories of captures are named. */
void format_compact_date(int64_t unix_ns, int64_t utc_offset, char text[DATE_TEXT_SIZE]);

/* Each appends the file's text; a failure is kept in buf. */
void capture_info_json(struct strbuf *buf, const struct recorder_options *options);
void capture_sample_json(struct strbuf *buf, const struct recorder_options *options, const char *directory);
void capture_start_info(struct strbuf *buf, const struct clock_pair *start, int64_t utc_offset);
void capture_host_start_log(struct strbuf *buf, const struct recorder_options *options, const struct clock_pair *start);

/* start_info's counterpart, without a strbuf because it is written in signal handlers; returns its length. */
#define END_INFO_SIZE 256
size_t capture_end_info(char text[END_INFO_SIZE], const struct clock_pair *end, int64_t utc_offset);

#endif
