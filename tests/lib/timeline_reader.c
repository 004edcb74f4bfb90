/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lib/timeline_reader.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "tests/lib/scratch.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_LIMIT (64 * 1024 * 1024)

static int64_t number_after(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    return found == NULL ? -1 : strtoll(found + strlen(key), NULL, 10);
}

/* "12.345" as 12345 */
static int64_t ns_after(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    if (found == NULL)
        return -1;
    char *point;
    int64_t us = strtoll(found + strlen(key), &point, 10);
    assert_int_equal(*point, '.');
    const char *decimals = point + 1;
    int64_t fraction = strtoll(decimals, &point, 10);
    assert_true(*point == ',' || *point == '}');
    assert_true(point - decimals == 3 || point - decimals == 6);
    /* Six decimals: a slice that is less than half a nanosecond short of its whole ones. */
    return us * 1000 + (point - decimals == 3 ? fraction : (fraction + 500) / 1000);
}

static void text_after(const char *line, const char *key, char *text, size_t size)
{
    const char *found = strstr(line, key);
    assert_non_null(found);
    snprintf(text, size, "%s", found + strlen(key));
    text[strcspn(text, "\"\n")] = '\0';
}

static void read_line(struct timeline *timeline, const char *line)
{
    struct event event = {.phase = '?'};
    assert_int_equal(strncmp(line, "{\"name\":\"", 9), 0);
    text_after(line, "{\"name\":\"", event.name, sizeof(event.name));
    event.phase = *(strstr(line, "\"ph\":\"") + 6);
    event.pid = number_after(line, "\"pid\":");
    event.tid = number_after(line, "\"tid\":");
    if (event.phase == 'M') {
        if (strcmp(event.name, "thread_name") != 0)
            return;
        assert_true(timeline->thread_count < TIMELINE_THREADS_MAX);
        timeline->threads[timeline->thread_count].pid = event.pid;
        timeline->threads[timeline->thread_count].tid = event.tid;
        text_after(line, "\"args\":{\"name\":\"", timeline->threads[timeline->thread_count].name, 64);
        timeline->thread_count++;
        return;
    }
    event.start_ns = ns_after(line, "\"ts\":");
    event.duration_ns = event.phase == 'X' ? ns_after(line, "\"dur\":") : ns_after(line, "\"Duration(us)\":");
    event.stream_id = number_after(line, "\"Stream Id\":");
    event.ai_cpu = strstr(line, "\"AI_CPU\"") != NULL;
    snprintf(event.args, sizeof(event.args), "%s", strstr(line, "\"args\":") + 7);
    event.args[strcspn(event.args, "\n")] = '\0';
    struct err err = ERR_INIT;
    if (timeline->count == timeline->capacity)
        assert_int_equal(
            array_grow(&timeline->events, &timeline->capacity, timeline->count, 1, sizeof *timeline->events, &err), 0);
    timeline->events[timeline->count++] = event;
}

char *read_text(const char *name)
{
    struct err err = ERR_INIT;
    char *text;
    size_t length;
    if (path_read_file(in_scratch(name), TEXT_LIMIT, &text, &length, &err) < 0)
        fail_msg("%s", err_message(&err));
    return text;
}

struct timeline *read_timeline(const char *name)
{
    struct timeline *timeline = calloc(1, sizeof(*timeline));
    assert_non_null(timeline);
    char *text = read_text(name), *rest = text, *line;
    assert_string_equal(strsep(&rest, "\n"), "[");
    while ((line = strsep(&rest, "\n")) != NULL && *line != ']')
        read_line(timeline, line);
    assert_non_null(line);
    free(text);
    return timeline;
}

void free_timeline(struct timeline *timeline)
{
    free(timeline->events);
    free(timeline);
}

const char *thread_name(const struct timeline *timeline, int64_t pid, int64_t tid)
{
    const char *name = NULL;
    for (size_t i = 0; i < timeline->thread_count; i++) {
        if (timeline->threads[i].pid == pid && timeline->threads[i].tid == tid) {
            assert_null(name); /* a thread is named once */
            name = timeline->threads[i].name;
        }
    }
    assert_non_null(name);
    return name;
}

static int compare_by_thread(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->pid != y->pid || x->tid != y->tid)
        return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1) : (x->tid < y->tid ? -1 : 1);
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->duration_ns > y->duration_ns) - (x->duration_ns < y->duration_ns);
}

void check_tasks(struct timeline *timeline)
{
    qsort(timeline->events, timeline->count, sizeof(*timeline->events), compare_by_thread);
    const struct event *before = NULL;
    for (size_t i = 0; i < timeline->count; i++) {
        const struct event *event = &timeline->events[i];
        if (event->phase != 'X')
            continue;
        if (before == NULL || before->tid != event->tid) {
            thread_name(timeline, event->pid, event->tid);
        } else {
            assert_int_equal(before->ai_cpu, event->ai_cpu);
            if (before->start_ns + before->duration_ns > event->start_ns)
                fail_msg("thread %" PRId64 ": a slice until %" PRId64 " meets one from %" PRId64, event->tid,
                         before->start_ns + before->duration_ns, event->start_ns);
        }
        before = event;
    }
}

void assert_in_time_order(const struct timeline *timeline)
{
    for (size_t i = 1; i < timeline->count; i++)
        assert_true(timeline->events[i - 1].start_ns <= timeline->events[i].start_ns);
}
