/* SPDX-License-Identifier: Apache-2.0 */
/* The files of one capture that this process writes: its directory, the small files about the collection, and the data
 * in slices. No function takes a lock; one thread at a time. After capture_writer_open none allocates memory or needs
 * anything but system calls, so that signal handlers can use them. All signals are blocked by the caller. */
#ifndef MSPROF_ACL_RECORDER_CAPTURE_WRITER_H
#define MSPROF_ACL_RECORDER_CAPTURE_WRITER_H

#include "acl/recorder/capture_config.h"
#include "acl/recorder/recorder_options.h"
#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CAPTURE_SLICE_MAX (2 * 1024 * 1024) /* bytes of a slice */
#define CAPTURE_STAGE_SIZE (64 * 1024)      /* bytes that wait for being written, each stream */

/* Those of records are first: threads have rings for them. */
enum capture_stream { STREAM_CALLS, STREAM_TX, STREAM_HEAPS, STREAM_TYPE_NAMES, STREAM_TEXT_NAMES, STREAM_COUNT };
#define STREAM_RECORD_COUNT STREAM_TYPE_NAMES

/* One data file and its successors. */
struct slice_stream {
    size_t staged_size;
    size_t record_size; /* slices hold whole ones; 1: text */
    int fd;             /* of the current slice; -1: none */
    dev_t device;
    ino_t inode;
    unsigned first, current; /* slice numbers: the oldest that is left, and the one that is written */
    bool started;            /* there is a current slice */
    bool done;               /* it has its .done file */
    uint64_t size;           /* bytes in the current slice */
    uint64_t records;        /* in all slices */
    int64_t begin_ns;        /* when it was made */
};

struct capture_writer {
    char directory[PATH_MAX]; /* of the capture, absolute */
    char data[PATH_MAX];      /* of its data files */
    enum recorder_form form;
    char device[16];    /* JOB: which device the files are named after */
    int64_t utc_offset; /* seconds of local time, when the capture was opened */
    uint64_t storage_limit, stored;
    bool at_once; /* every record is flushed, so the files need no end */
    struct slice_stream streams[STREAM_COUNT];
    struct losses losses, told; /* what is lost, and what the capture's own file says of it */
    char *losses_map;           /* LOSSES_SIZE bytes of that file; NULL: they could not be mapped */
    struct kept_directory {
        int fd; /* -1: none */
        dev_t device;
        ino_t inode;
    } kept; /* the parent of the data, for processes that change their root */
    char staged[STREAM_COUNT][CAPTURE_STAGE_SIZE];
};

/* Bytes of a record in the files. */
#define CAPTURE_CALL_SIZE 40      /* MsprofApi (docs/formats/cann.md 3.3) */
#define CAPTURE_JOB_CALL_SIZE 128 /* AclModule (docs/formats/cann.md 3.1) */
#define CAPTURE_TX_SIZE 256       /* msproftx, "M" (docs/formats/cann.md 6) */
#define CAPTURE_HEAP_SIZE 80      /* heaps of mstx (docs/formats/acl-api.md Heaps) */

/* Bytes of a record of a stream in memory, and in its files but for calls in a JOB capture; 1: it is text. */
static inline size_t capture_record_size(enum capture_stream stream)
{
    static const size_t sizes[STREAM_COUNT] = {
        [STREAM_CALLS] = CAPTURE_CALL_SIZE,
        [STREAM_TX] = CAPTURE_TX_SIZE,
        [STREAM_HEAPS] = CAPTURE_HEAP_SIZE,
        [STREAM_TYPE_NAMES] = 1,
        [STREAM_TEXT_NAMES] = 1,
    };
    return sizes[stream];
}

/* Makes the capture directory and writes what is known at the start. options as in recorder_start; begin_ns: when the
 * collection began, recorder_now() or before; index counts the captures of the process from 1.
 * On failure nothing is left but directories. */
int capture_writer_open(struct capture_writer *writer, const struct recorder_options *options, int64_t begin_ns,
                        unsigned index, struct err *err);

/* Opens what the process may not be able to open later: the streams of calls, of msproftx or both. A file that cannot
 * be opened now is opened when it is needed. */
void capture_writer_keep_open(struct capture_writer *writer, bool calls, bool tx);

/* Takes whole records; those that cannot be written are counted as lost. */
void capture_writer_add(struct capture_writer *writer, enum capture_stream stream, const void *records, size_t length);

/* Counts a record that could not be made; failure as in struct losses. */
void capture_writer_lose(struct capture_writer *writer, enum capture_stream stream, int failure);

/* Gives the system everything that was taken. */
void capture_writer_flush(struct capture_writer *writer);

/* Flushes, and writes the end of the collection and the .done files as of now. May be repeated, with more records in
 * between. */
void capture_writer_finish(struct capture_writer *writer);

/* Closes the files and drops what was not flushed; the data on disk stay as they are, also when they belong to the
 * parent of this process. */
void capture_writer_close(struct capture_writer *writer);

#endif
