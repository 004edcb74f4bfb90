/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the recorder: its streams, where the capture goes, and how much it takes. */
#ifndef MSPROF_ACL_RECORDER_RECORDER_OPTIONS_H
#define MSPROF_ACL_RECORDER_RECORDER_OPTIONS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDER_DEVICES_MAX 64
#define RECORDER_TYPES_MAX 4096  /* names of types of a process */
#define RECORDER_NAMES_MAX 65536 /* texts with an id */
#define RECORDER_NAME_MAX 4095   /* bytes of such a text */

enum recorder_form {
    RECORDER_PROF, /* PROF_<index>_<time>_<id>/host (docs/formats/cann.md 1 and 11) */
    RECORDER_JOB,  /* JOB<29 letters>, as SVP boards write it (docs/formats/svp.md 1) */
};

/* Switches that sample.json says were on; each is written as "on" or "off" unless it is a text. */
struct recorder_sample {
    bool acl_calls, task_time, msproftx, runtime_calls;
    const char *metrics; /* "PipeUtilization"; NULL: no metrics of the AI core */
    /* Lists of domains of mstx, names divided by commas; NULL: all are recorded. Texts that live as long as the
     * process. */
    const char *domains_include, *domains_exclude;
};

struct recorder_options {
    const char *directory; /* the capture directory is made in it; it is made too when it does not exist */
    enum recorder_form form;
    const uint32_t *devices; /* named in info.json and sample.json */
    size_t device_count;     /* at most RECORDER_DEVICES_MAX */
    struct recorder_sample sample;
    uint64_t storage_limit;     /* bytes: when the data reach it, the oldest finished slices are removed; 0: no limit */
    bool lazy;                  /* make the capture when the first record comes, not at once */
    bool crash_handlers;        /* catch the signals that would end the process by default, write what is in memory and
                                   let them do what they would have done; actions that the program set stay untouched */
    bool children_at_once;      /* children of fork() write each record at once: most end by _exit, where no
                                   code of the recorder runs */
    void (*before_crash)(void); /* called by these before they write; NULL: nothing */
    /* Reports losses, at most once a capture: one line without a newline. Called by the thread that notices,
     * also in signal handlers. NULL: prints the line on stderr. */
    void (*report)(const char *text);
};

#endif
