/* SPDX-License-Identifier: Apache-2.0 */
/* The small text files of a capture (docs/formats/cann.md 2). Times in nanoseconds. */
#ifndef MSPROF_ACL_RECORDER_CAPTURE_CONFIG_H
#define MSPROF_ACL_RECORDER_CAPTURE_CONFIG_H

#include "acl/recorder/recorder_options.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Reports in the capture itself what it lacks: losses.json beside its other small files. The file has its whole
 * size from the start and is written over in place, so that a full disk takes it too, and a process that can open no
 * file any more. */

#define LOSSES_FILE "losses.json"
#define LOSSES_SIZE 4096 /* bytes of the file: one block */
#define LOSSES_MOST_NAMES 32

/* Calls of a function that did not return: an exception, a longjmp or the end of the thread left them. */
struct left_call {
    uint64_t key;     /* whatever distinguishes functions */
    const char *name; /* lives as long as the process */
    int64_t count;
};

/* Failures that are not the system's. */
enum losses_failure { LOSSES_NO_STAMP = -1, LOSSES_NO_NAME = -2, LOSSES_NO_RANGE = -3 };

/* Marks and ranges of mstx that the program did not use as they are meant. */
#define LOSSES_MOST_RANGES 4
#define LOSSES_RANGE_BYTES 48 /* of a message, with its NUL */

struct range_losses {
    uint64_t open;         /* ranges that have begun and not ended */
    uint64_t not_open;     /* ends of ranges that were not open: ended twice, or never begun */
    uint64_t other_domain; /* ends that named another domain than the one of the range */
    uint64_t no_domain;    /* marks and ranges in a domain that was destroyed, or never was */
    struct range_name {    /* the first messages among those that are open */
        char text[LOSSES_RANGE_BYTES];
        uint64_t count;
    } names[LOSSES_MOST_RANGES];
    size_t name_count;
};

/* Counts a range that is open; its message is cut where it is too long, and loses what JSON gives a meaning. */
void range_losses_add_open(struct range_losses *ranges, const char *message, size_t length);

struct losses {
    uint64_t calls, tx; /* records that could not be written */
    int failure;        /* errno, or enum losses_failure; 0: none */
    struct left_call left[LOSSES_MOST_NAMES];
    size_t left_count;
    int64_t left_other; /* of functions that are not known or for which there was no place */
    struct range_losses ranges;
    bool ended; /* everything is written: the process may be gone without any loss */
};

/* Adds change (-1: one returned after all) to the calls of a function that were left; name NULL: it is not known. */
void losses_add_left(struct losses *losses, uint64_t key, const char *name, int64_t change);
bool losses_equal(const struct losses *a, const struct losses *b);
/* Why, in words; NULL: nothing failed. */
const char *losses_reason(const struct losses *losses);
/* The file's content. Safe in signal handlers. */
void losses_text(const struct losses *losses, char text[LOSSES_SIZE]);

/* The clock of what is recorded. */

/* The clock of the records: nanoseconds of CLOCK_MONOTONIC_RAW, without a system call where the system has a vDSO. */
static inline int64_t recorder_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* One instant on both clocks. The difference of the two is exact to the nanosecond although the files say the first in
 * microseconds: unix_ns is a whole number of them. */
struct clock_pair {
    int64_t unix_ns;      /* CLOCK_REALTIME */
    int64_t monotonic_ns; /* CLOCK_MONOTONIC_RAW, the clock of the records */
};

struct clock_pair clock_pair_read(void);

/* Local time minus UTC, now, in seconds. */
int64_t capture_utc_offset(void);

#define DATE_TEXT_SIZE 32

/* "YYYYmmddHHMMSSmmm", as directories of captures are named. */
void capture_date_text(int64_t unix_ns, int64_t utc_offset, char text[DATE_TEXT_SIZE]);

/* Each appends the file's text; a failure is kept in buf. */
void capture_info_json(struct strbuf *buf, const struct recorder_options *options);
void capture_sample_json(struct strbuf *buf, const struct recorder_options *options, const char *directory);
void capture_start_info(struct strbuf *buf, const struct clock_pair *start, int64_t utc_offset);
void capture_host_start_log(struct strbuf *buf, const struct recorder_options *options, const struct clock_pair *start);

/* start_info's counterpart, without a strbuf because it is written in signal handlers; returns its length. */
#define END_INFO_SIZE 256

size_t capture_end_info(char text[END_INFO_SIZE], const struct clock_pair *end, int64_t utc_offset);

#endif
