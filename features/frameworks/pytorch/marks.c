/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/map.h"
#include "base/number.h"
#include "base/search.h"
#include "features/frameworks/pytorch/torch.h"
#include "features/frameworks/records.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

/* Which operator is inside which, and who puts work into the queue: as PyTorch's analysis has it, all threads in one
 * tree. */

int torch_build_tree(struct torch *torch, struct err *err)
{
    uint32_t current = TORCH_NONE;
    size_t enqueue = 0;
    if (torch->ops.count >= TORCH_NONE)
        return err_set(err, ERR_LIMIT, "more than %u operators", TORCH_NONE);
    for (size_t i = 0; i < torch->ops.count || enqueue < torch->enqueues.count;) {
        bool is_op = i < torch->ops.count && (enqueue == torch->enqueues.count ||
                                              torch->ops.items[i].start_ns <= torch->enqueues.items[enqueue].start_ns);
        int64_t start_ns = is_op ? torch->ops.items[i].start_ns : torch->enqueues.items[enqueue].start_ns;
        while (current != TORCH_NONE && start_ns > torch->ops.items[current].end_ns)
            current = torch->ops.items[current].parent;
        if (is_op) {
            struct torch_op *op = &torch->ops.items[i];
            large_pass(i);
            op->parent = current;
            if (current != TORCH_NONE)
                torch->ops.items[current].children_ns += op->end_ns - op->start_ns;
            current = (uint32_t)i++;
        } else {
            large_pass(enqueue);
            struct torch_range *range = &torch->enqueues.items[enqueue++];
            if (torch->has_queue && current != TORCH_NONE &&
                torch->ops.items[current].thread == torch_thread_of(torch, range)->thread)
                range->op = current;
        }
    }
    return 0;
}

/* torch.op_mark: work on its way from one thread to another. */

#define MARKS "FRAMEWORK/torch.op_mark"
#define FIXED 40
#define FIRST_TEXT 1

enum { ENQUEUE_START, ENQUEUE_END, DEQUEUE_START, DEQUEUE_END };

/* There are millions of them, of few threads. */
struct mark {
    int64_t time_ns;
    uint64_t correlation;
    uint32_t name, place;
    uint32_t thread; /* of torch->threads */
    uint32_t category;
};

struct known_thread {
    struct torch_thread key;
    uint32_t number;
};

struct marks {
    struct torch_reading *reading;
    const char *path;
    struct mark *items;
    size_t count, capacity;
    struct map numbers; /* of known_thread */
};

static int number_thread(struct marks *marks, const struct torch_thread *thread, uint32_t *ret, struct err *err)
{
    struct torch_threads *threads = &marks->reading->torch->threads;
    bool added;
    struct known_thread *known = map_add(&marks->numbers, thread, &added, err);
    if (known == NULL || (added && array_reserve(threads, 1, err) < 0))
        return err_status(err);
    if (added) {
        known->number = (uint32_t)threads->count;
        threads->items[threads->count++] = *thread;
    }
    *ret = known->number;
    return 0;
}

static int take_mark(void *arg, const struct framework_record *record, struct err *err)
{
    struct marks *marks = arg;
    const unsigned char *p = record->value.data;
    const struct place place = framework_place(record);
    const struct framework_texts where = {FIXED, FIRST_TEXT, 1};
    struct framework_text name;
    const struct torch_thread thread = {(int64_t)bytes_load(p + 32, 8, false), (int64_t)bytes_load(p + 24, 8, false)};
    uint64_t category = bytes_load(p + 8, 8, false);
    struct mark mark = {
        .time_ns = framework_clock_ns_cut(marks->reading->clock, bytes_load(p, 8, false)),
        .category = (uint32_t)category,
        .correlation = bytes_load(p + 16, 8, false),
        .place = (uint32_t)marks->count,
    };
    framework_read_texts(record, &where, &name, 1, marks->reading->diag);
    if (category > DEQUEUE_END) {
        diag_report(marks->reading->diag, DIAG_RECORD_VALUE, &place, "category %llu", (unsigned long long)category);
        return 0;
    }
    torch_check_process(marks->reading, record, thread.pid);
    if (marks->count == UINT32_MAX)
        return err_set(err, ERR_LIMIT, "more than %u marks", UINT32_MAX);
    const char *text = name.text != NULL ? name.text : "";
    if (intern_add(&marks->reading->framework->texts, text, name.length, &mark.name, err) < 0 ||
        number_thread(marks, &thread, &mark.thread, err) < 0 || large_reserve(marks, 1, err) < 0)
        return err_status(err);
    large_pass(marks->count);
    marks->items[marks->count++] = mark;
    return 0;
}

ARRAY_COMPARE(compare_marks, struct mark, ARRAY_BY(time_ns), ARRAY_BY(place))

/* Ranges that have begun on a thread under a name. */
struct begun {
    struct {
        int64_t thread;
        uint32_t name, dequeue;
    } key;
    bool open;
    int64_t start_ns;
    uint64_t correlation;
};

ARRAY_COMPARE(compare_ranges, struct torch_range, ARRAY_BY(start_ns), ARRAY_BY_MOST(end_ns))

static int add_range(struct torch_ranges *ranges, const struct begun *begun, const struct mark *end, struct err *err)
{
    if (large_reserve(ranges, 1, err) < 0)
        return err_status(err);
    ranges->items[ranges->count++] = (struct torch_range){.start_ns = begun->start_ns,
                                                          .end_ns = end->time_ns,
                                                          .thread = end->thread,
                                                          .correlation = begun->correlation,
                                                          .name = end->name,
                                                          .op = TORCH_NONE};
    return 0;
}

/* Halves that found no other: of starts, of ends. */
struct alone {
    uint64_t starts, ends;
};

static void report_alone(const struct marks *marks, const struct alone *alone)
{
    const struct place place = {marks->path, -1, -1, NULL};
    if (alone->starts > 0)
        diag_report(marks->reading->diag, DIAG_TASK_UNMATCHED_START, &place, "%" PRIu64 " marks of starts have no end",
                    alone->starts);
    if (alone->ends > 0)
        diag_report(marks->reading->diag, DIAG_TASK_UNMATCHED_END, &place, "%" PRIu64 " marks of ends have no start",
                    alone->ends);
}

static int pair_marks(struct marks *marks, struct torch *torch, struct err *err)
{
    SCOPED(map_release) struct map open = MAP_OF(struct begun, key);
    struct alone alone = {0, 0};
    int status = 0;
    large_sort(marks->items, marks->count, sizeof *marks->items, compare_marks);
    for (size_t i = 0; status == 0 && i < marks->count; i++) {
        large_pass(i);
        const struct mark *mark = &marks->items[i];
        struct begun key = {
            .key = {torch->threads.items[mark->thread].thread, mark->name, mark->category >= DEQUEUE_START}};
        struct begun *begun = map_add(&open, &key, NULL, err);
        if (begun == NULL) {
            status = err_status(err);
        } else if (mark->category == ENQUEUE_START || mark->category == DEQUEUE_START) {
            alone.starts += begun->open;
            begun->open = true;
            begun->start_ns = mark->time_ns;
            begun->correlation = mark->correlation;
        } else if (begun->open) {
            begun->open = false;
            if (framework_is_warm_up(marks->reading->framework, mark->time_ns))
                continue;
            status = add_range(key.key.dequeue != 0 ? &torch->dequeues : &torch->enqueues, begun, mark, err);
        } else {
            alone.ends++;
        }
    }
    for (const struct begun *begun = map_next(&open, NULL); begun != NULL; begun = map_next(&open, begun))
        alone.starts += begun->open;
    report_alone(marks, &alone);
    large_sort(torch->enqueues.items, torch->enqueues.count, sizeof *torch->enqueues.items, compare_ranges);
    large_sort(torch->dequeues.items, torch->dequeues.count, sizeof *torch->dequeues.items, compare_ranges);
    return status;
}

/* ---- what belongs to one piece of work ---- */

struct work {
    int64_t correlation;
    uint32_t enqueue; /* counted from 1 */
};

ARRAY_COMPARE(compare_works, struct work, ARRAY_BY(correlation), ARRAY_BY(enqueue))

/* The last one with this number, mostly where it would be if they had all of them; 0: none has it. */
static uint32_t find_work(const struct work *works, size_t count, int64_t correlation)
{
    size_t end = count > 0 ? (size_t)((uint64_t)correlation - (uint64_t)works->correlation) + 1 : 0;
    if (end == 0 || end >= count || works[end - 1].correlation != correlation || works[end].correlation == correlation)
        end = search_until(works, count, sizeof *works, offsetof(struct work, correlation), correlation);
    return end > 0 && works[end - 1].correlation == correlation ? works[end - 1].enqueue : 0;
}

static void set_works(struct torch_ranges *ranges, const struct work *works, size_t count)
{
    for (size_t i = 0; i < ranges->count; i++) {
        large_pass(i);
        ranges->items[i].work = find_work(works, count, (int64_t)ranges->items[i].correlation);
    }
}

/* Work that nobody took out of the queue, or whose number later work has: its other half is lost, or has another
 * number.
 */
static int report_left(const struct marks *marks, struct err *err)
{
    const struct torch *torch = marks->reading->torch;
    size_t left = 0;
    SCOPED_FREE bool *taken =
        scoped_memory(torch->enqueues.count + 1, sizeof *taken); /* by work, which counts from 1 */
    if (taken == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu pieces of work", torch->enqueues.count);
    for (size_t i = 0; i < torch->dequeues.count; i++)
        taken[torch->dequeues.items[i].work] = true;
    for (size_t i = 0; i < torch->enqueues.count; i++)
        left += !taken[torch->enqueues.items[i].work] || torch->enqueues.items[i].work != i + 1;
    if (left > 0)
        diag_report(marks->reading->diag, DIAG_TASK_UNMATCHED_START, FILE_PLACE(marks->path, NULL),
                    "%zu work items were enqueued but never dequeued", left);
    return 0;
}

static int find_works(struct torch *torch, struct err *err)
{
    const size_t count = torch->enqueues.count;
    if (count >= UINT32_MAX)
        return err_set(err, ERR_LIMIT, "too much work in the queue");
    struct work *works = large_new(count, sizeof *works, err);
    if (works == NULL)
        return err_status(err);
    for (size_t i = 0; i < count; i++) {
        large_pass(i);
        works[i] = (struct work){(int64_t)torch->enqueues.items[i].correlation, (uint32_t)i + 1};
    }
    large_sort(works, count, sizeof *works, compare_works);
    set_works(&torch->enqueues, works, count);
    set_works(&torch->dequeues, works, count);
    large_free(works);
    return 0;
}

/* Without a queue each operator launches itself: as if it put its work into one and took it out again. */
static int stand_in(struct marks *marks, struct err *err)
{
    struct torch *torch = marks->reading->torch;
    int status = 0;
    if (large_reserve(&torch->enqueues, torch->ops.count + 1, err) < 0 ||
        large_reserve(&torch->dequeues, torch->ops.count + 1, err) < 0)
        return err_status(err);
    for (size_t i = 0; status == 0 && i < torch->ops.count && i < TORCH_NONE; i++) {
        const struct torch_op *op = &torch->ops.items[i];
        if (op->is_step || op->end_ns == op->start_ns)
            continue;
        const struct torch_thread thread = {op->pid, op->thread};
        struct torch_range range = {.start_ns = op->start_ns,
                                    .end_ns = op->end_ns - 1, /* the end itself is not in it */
                                    .correlation = i + 1,
                                    .name = op->name,
                                    .op = (uint32_t)i};
        status = number_thread(marks, &thread, &range.thread, err);
        torch->enqueues.items[torch->enqueues.count++] = range;
        torch->dequeues.items[torch->dequeues.count++] = range;
    }
    return status;
}

int torch_read_marks(struct torch_reading *reading, struct err *err)
{
    SCOPED_FREE char *path = path_joined(reading->directory, MARKS, err);
    struct marks marks = {.reading = reading, .path = path, .numbers = MAP_OF(struct known_thread, key)};
    bool failed =
        path == NULL ||
        framework_read_tagged(reading->directory, MARKS, (struct framework_lengths){FIXED, "40 bytes and a text"},
                              take_mark, &marks, reading->diag, err) < 0 ||
        pair_marks(&marks, reading->torch, err) < 0;
    reading->torch->has_queue = marks.count > 0;
    failed = failed || (marks.count == 0 && stand_in(&marks, err) < 0) || find_works(reading->torch, err) < 0 ||
             (marks.count > 0 && report_left(&marks, err) < 0);
    map_release(&marks.numbers);
    large_free(marks.items);
    return failed ? err_status(err) : 0;
}
