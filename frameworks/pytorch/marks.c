/* torch.op_mark: work on its way from one thread to another. */
#include "frameworks/pytorch/torch.h"

#include "base/array.h"
#include "base/map.h"
#include "frameworks/records.h"

#include <stdlib.h>

#define FIXED 40
#define FIRST_TEXT 1

enum { ENQUEUE_START, ENQUEUE_END, DEQUEUE_START, DEQUEUE_END };

struct mark {
    int64_t time_ns, pid, thread;
    uint64_t correlation, category;
    uint32_t name;
    size_t place;
};

struct marks {
    struct torch_reading *reading;
    struct mark *items;
    size_t count, capacity;
};

static int take_mark(void *arg, const struct framework_record *record, struct err *err)
{
    struct marks *marks = arg;
    const unsigned char *p = record->value.data;
    const struct place place = {marks->reading->path, (int64_t)record->number, record->offset, NULL};
    struct framework_text name;
    struct mark mark = {
        .time_ns = framework_clock_ns_cut(marks->reading->clock, bytes_load(p, 8, false)),
        .category = bytes_load(p + 8, 8, false),
        .correlation = bytes_load(p + 16, 8, false),
        .thread = (int64_t)bytes_load(p + 24, 8, false),
        .pid = (int64_t)bytes_load(p + 32, 8, false),
        .place = marks->count,
    };
    if (!framework_texts(&record->value, FIXED, FIRST_TEXT, &name, 1))
        diag_report(marks->reading->diag, DIAG_RECORD_TRUNCATED, &place, "the record's text is cut off");
    if (mark.category > DEQUEUE_END) {
        diag_report(marks->reading->diag, DIAG_RECORD_VALUE, &place, "category %llu",
                    (unsigned long long)mark.category);
        return 0;
    }
    int status =
        intern_add(&marks->reading->framework->texts, name.text != NULL ? name.text : "", name.length, &mark.name, err);
    if (status == 0)
        status = array_reserve(marks, 1, err);
    if (status == 0)
        marks->items[marks->count++] = mark;
    return status;
}

static int compare_marks(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* What has begun on a thread under a name. */
struct begun {
    struct {
        int64_t thread;
        uint32_t name, dequeue;
    } key;
    bool open;
    int64_t start_ns;
    uint64_t correlation;
};

static int compare_ranges(const void *a, const void *b)
{
    const struct torch_range *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

static int add_range(struct torch_ranges *ranges, const struct begun *begun, const struct mark *end, struct err *err)
{
    int status = array_reserve(ranges, 1, err);
    if (status == 0)
        ranges->items[ranges->count++] = (struct torch_range){.start_ns = begun->start_ns,
                                                              .end_ns = end->time_ns,
                                                              .pid = end->pid,
                                                              .thread = end->thread,
                                                              .correlation = begun->correlation,
                                                              .name = end->name,
                                                              .op = TORCH_NONE};
    return status;
}

static int pair_marks(struct marks *marks, struct torch *torch, struct err *err)
{
    struct map open = MAP_OF(struct begun, key);
    int status = 0;
    array_sort(marks->items, marks->count, sizeof *marks->items, compare_marks);
    for (size_t i = 0; status == 0 && i < marks->count; i++) {
        const struct mark *mark = &marks->items[i];
        struct begun key = {.key = {mark->thread, mark->name, mark->category >= DEQUEUE_START}};
        struct begun *begun = map_add(&open, &key, NULL, err);
        if (begun == NULL) {
            status = -(int)err->code;
        } else if (mark->category == ENQUEUE_START || mark->category == DEQUEUE_START) {
            begun->open = true;
            begun->start_ns = mark->time_ns;
            begun->correlation = mark->correlation;
        } else if (begun->open) {
            begun->open = false;
            status = add_range(key.key.dequeue != 0 ? &torch->dequeues : &torch->enqueues, begun, mark, err);
        }
    }
    map_release(&open);
    array_sort(torch->enqueues.items, torch->enqueues.count, sizeof *torch->enqueues.items, compare_ranges);
    array_sort(torch->dequeues.items, torch->dequeues.count, sizeof *torch->dequeues.items, compare_ranges);
    return status;
}

/* Without a queue each operator launches itself: as if it put its work into one and took it out again. */
static int stand_in(struct torch *torch, struct err *err)
{
    if (array_reserve(&torch->enqueues, torch->ops.count + 1, err) < 0 ||
        array_reserve(&torch->dequeues, torch->ops.count + 1, err) < 0)
        return -(int)err->code;
    for (size_t i = 0; i < torch->ops.count && i < TORCH_NONE; i++) {
        const struct torch_op *op = &torch->ops.items[i];
        if (op->is_step || op->end_ns == op->start_ns)
            continue;
        const struct torch_range range = {.start_ns = op->start_ns,
                                          .end_ns = op->end_ns - 1, /* the end itself is not in it */
                                          .pid = op->pid,
                                          .thread = op->thread,
                                          .correlation = i + 1,
                                          .name = op->name,
                                          .op = (uint32_t)i};
        torch->enqueues.items[torch->enqueues.count++] = range;
        torch->dequeues.items[torch->dequeues.count++] = range;
    }
    return 0;
}

int torch_read_marks(struct torch_reading *reading, struct err *err)
{
    struct marks marks = {.reading = reading};
    char *path = torch_path(reading, "FRAMEWORK/torch.op_mark", err);
    reading->path = path;
    int status = path != NULL ? framework_read_tagged(path, FIXED, take_mark, &marks, NULL, reading->diag, err)
                              : -(int)err->code;
    if (status == 0)
        status = pair_marks(&marks, reading->torch, err);
    reading->torch->has_queue = marks.count > 0;
    if (status == 0 && marks.count == 0)
        status = stand_in(reading->torch, err);
    reading->path = NULL;
    free(marks.items);
    free(path);
    return status;
}
