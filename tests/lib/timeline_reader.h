/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a timeline back, line by line. Failures end the running cmocka test. */
#ifndef MSPROF_TESTS_TIMELINE_READER_H
#define MSPROF_TESTS_TIMELINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_THREADS_MAX 2048

struct event {
    char phase;
    int64_t pid, tid, start_ns, duration_ns, stream_id;
    bool ai_cpu;
    char name[64], args[160];
};

struct timeline {
    struct event *events;
    size_t count, capacity;
    struct {
        int64_t pid, tid;
        char name[64];
    } threads[TIMELINE_THREADS_MAX];
    size_t thread_count;
};

/* A file of the scratch directory; to be freed. */
char *read_text(const char *name);

/* The timeline in a file of the scratch directory, events in the file's order. */
struct timeline *read_timeline(const char *name);
void free_timeline(struct timeline *timeline);

/* The name of a thread, which must have exactly one. */
const char *thread_name(const struct timeline *timeline, int64_t pid, int64_t tid);

/* Fails unless what holds for every task timeline holds: each thread is of one
 * engine, is named, and its slices do not overlap. Leaves the events ordered by thread and time. */
void check_tasks(struct timeline *timeline);
void assert_in_time_order(const struct timeline *timeline);

#endif
