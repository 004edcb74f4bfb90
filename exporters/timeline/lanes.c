/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/lanes.h"

#include "base/array.h"
#include "base/number.h"
#include "db/database.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define NOT_BEGUN INT64_MIN
#define NAME_MAX_BYTES ((size_t)1024 * 1024)

struct lanes_key {
    int64_t pid, number;
};

struct lanes_thread {
    struct nesting nesting;
    int64_t tids[NESTING_LANES_MAX],
        first_ns[NESTING_LANES_MAX]; /* first: where the first slice begins, or NOT_BEGUN */
    size_t tid_count;
    char *name; /* NULL: nobody has set it */
};

struct lanes_item {
    struct lanes_key key;
    struct lanes_thread *thread;
};

void trace_lanes_init(struct trace_lanes *lanes, const struct trace_style *style, const char *word,
                      int (*first_free)(void *arg, int64_t *ret, struct err *err), void *arg)
{
    *lanes = (struct trace_lanes){
        .style = style, .word = word, .first_free = first_free, .arg = arg, .threads = MAP_OF(struct lanes_item, key)};
    lanes->next = &lanes->own_next;
}

void trace_lanes_release(struct trace_lanes *lanes)
{
    for (struct lanes_item *item = NULL; (item = map_next(&lanes->threads, item)) != NULL;) {
        if (item->thread != NULL) {
            nesting_release(&item->thread->nesting);
            free(item->thread->name);
        }
        free(item->thread);
    }
    map_release(&lanes->threads);
    lanes->last = NULL;
}

/* Here, where every slice needs it. */
static inline bool push(struct nesting_lane *lane, bool apart, int64_t start_ns, int64_t end_ns,
                        unsigned *ret_shared_ends)
{
    while (lane->depth > 0 && lane->ends[lane->depth - 1] <= start_ns)
        lane->depth--;
    if (lane->depth == NESTING_DEPTH_MAX || (lane->depth > 0 && (apart || end_ns > lane->ends[lane->depth - 1])))
        return false;
    *ret_shared_ends = 0;
    for (size_t i = lane->depth; i > 0 && lane->ends[i - 1] == end_ns; i--)
        ++*ret_shared_ends;
    lane->ends[lane->depth++] = end_ns;
    return true;
}

static struct lanes_thread *find_thread(struct trace_lanes *lanes, int64_t pid, int64_t number, struct err *err)
{
    const struct lanes_key key = {pid, number};
    struct lanes_item *item = map_add(&lanes->threads, &key, NULL, err);
    if (item == NULL)
        return NULL;
    if (item->thread == NULL)
        item->thread = calloc(1, sizeof *item->thread);
    if (item->thread == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for the threads of a timeline");
        return NULL;
    }
    item->thread->nesting.apart = lanes->apart;
    lanes->last = item->thread;
    lanes->last_pid = pid;
    lanes->last_number = number;
    return item->thread;
}

/* Mostly it is that of the slice before. */
static inline struct lanes_thread *thread_of(struct trace_lanes *lanes, int64_t pid, int64_t number, struct err *err)
{
    return lanes->last != NULL && lanes->last_pid == pid && lanes->last_number == number
               ? lanes->last
               : find_thread(lanes, pid, number, err);
}

/* One more lane of a thread. */
static int add_tid(struct trace_lanes *lanes, struct lanes_thread *thread, int64_t number, struct err *err)
{
    const int64_t own = lanes->own != NULL ? lanes->own(lanes->arg, number) : number;
    thread->first_ns[thread->tid_count] = NOT_BEGUN;
    if (thread->tid_count == 0 && !lanes->no_own && own >= 0) {
        thread->tids[thread->tid_count++] = own;
        return 0;
    }
    if (*lanes->next == 0 && lanes->first_free != NULL && lanes->first_free(lanes->arg, lanes->next, err) < 0)
        return err_status(err);
    thread->tids[thread->tid_count++] = *lanes->next;
    *lanes->next = number_add(*lanes->next, 1);
    return 0;
}

static unsigned shortening(int64_t *first_ns, int64_t origin_ns, const struct trace_slice *slice, unsigned shared_ends)
{
    if (*first_ns == NOT_BEGUN)
        *first_ns = slice->start_ns;
    return trace_shortening(time_since(*first_ns, origin_ns), time_since(slice->start_ns, origin_ns),
                            slice->duration_ns, shared_ends);
}

int trace_lanes_place(struct trace_lanes *lanes, int64_t number, struct trace_slice *slice, struct err *err)
{
    struct lanes_thread *thread = thread_of(lanes, slice->pid, number, err);
    size_t lane = 0;
    unsigned shared_ends = 0;
    slice->instant = false;
    slice->short_ps = 0;
    if (thread == NULL)
        return err_status(err);
    if (!lanes->style->as_recorded &&
        !(thread->nesting.count > 0 && push(thread->nesting.items, thread->nesting.apart, slice->start_ns,
                                            span_end(slice->start_ns, slice->duration_ns), &shared_ends)) &&
        nesting_place(&thread->nesting, slice->start_ns, span_end(slice->start_ns, slice->duration_ns), &lane,
                      &shared_ends, err) < 0)
        return err_status(err);
    if (lane == thread->tid_count && lane < NESTING_LANES_MAX && add_tid(lanes, thread, number, err) < 0)
        return err_status(err);
    slice->instant = lane == NESTING_LANES_MAX;
    slice->tid = thread->tids[slice->instant ? 0 : lane];
    if (!slice->instant && !lanes->style->as_recorded)
        slice->short_ps = shortening(&thread->first_ns[lane], lanes->style->origin_ns, slice, shared_ends);
    return 0;
}

int trace_lanes_add(struct trace_lanes *lanes, int64_t pid, int64_t number, int64_t *ret_tid, struct err *err)
{
    struct lanes_thread *thread = thread_of(lanes, pid, number, err);
    if (thread == NULL || (thread->tid_count == 0 && add_tid(lanes, thread, number, err) < 0))
        return err_status(err);
    if (ret_tid != NULL)
        *ret_tid = thread->tids[0];
    return 0;
}

char **trace_lanes_name_of(struct trace_lanes *lanes, int64_t pid, int64_t number, struct err *err)
{
    struct lanes_thread *thread = thread_of(lanes, pid, number, err);
    return thread != NULL ? &thread->name : NULL;
}

bool trace_lanes_has(const struct trace_lanes *lanes, int64_t pid, int64_t number)
{
    const struct lanes_key key = {pid, number};
    return map_get(&lanes->threads, &key) != NULL;
}

static int compare_items(const void *a, const void *b)
{
    const struct lanes_key *x = &((const struct lanes_item *)a)->key, *y = &((const struct lanes_item *)b)->key;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* *place: how many are named. */
static void name_threads(const struct trace_lanes *lanes, struct trace *trace, const struct lanes_item *item,
                         struct strbuf *name, int64_t *place)
{
    int64_t number = item->key.number != DB_NULL ? item->key.number : 0;
    size_t length = name->length;
    for (size_t i = 0; i < item->thread->tid_count; i++) {
        name->length = length;
        if (i == 0 && lanes->own_named && item->thread->tids[0] == item->key.number)
            continue;
        if (i > 0)
            strbuf_addf(name, " (%zu)", i + 1);
        trace_name_thread_json(trace,
                               lanes->pid_of != NULL ? lanes->pid_of(lanes->other, item->key.pid) : item->key.pid,
                               item->thread->tids[i], lanes->in_turn ? *place : number, name);
        ++*place;
    }
}

static void make_name(const struct trace_lanes *lanes, int64_t number, struct strbuf *ret)
{
    strbuf_adds(ret, lanes->word);
    if (number == DB_NULL)
        strbuf_adds(ret, "N/A");
    else
        strbuf_addf(ret, "%lld", (long long)number);
}

int trace_lanes_name(struct trace_lanes *lanes, struct trace *trace,
                     void (*name)(void *arg, int64_t pid, int64_t number, struct strbuf *ret), void *arg,
                     struct err *err)
{
    struct strbuf text;
    size_t count = 0;
    int64_t place = 0;
    struct lanes_item *items = calloc(lanes->threads.used + 1, sizeof *items);
    if (items == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the threads of a timeline");
    strbuf_init(&text, NAME_MAX_BYTES);
    for (const struct lanes_item *item = NULL; (item = map_next(&lanes->threads, item)) != NULL;) {
        if (item->thread != NULL)
            items[count++] = *item;
    }
    array_sort(items, count, sizeof *items, compare_items);
    for (size_t i = 0; i < count && !text.failed; i++) {
        strbuf_clear(&text);
        if (items[i].thread->name != NULL)
            strbuf_adds(&text, items[i].thread->name);
        else if (name != NULL)
            name(arg, items[i].key.pid, items[i].key.number, &text);
        else
            make_name(lanes, items[i].key.number, &text);
        name_threads(lanes, trace, &items[i], &text, &place);
    }
    int status = text.failed ? err_set(err, ERR_LIMIT, "the name of a thread is too long for a timeline") : 0;
    strbuf_release(&text);
    free(items);
    return status;
}

/* ---- ranges of one thread ---- */

void nesting_clear(struct nesting *nesting)
{
    nesting->count = 0;
}

void nesting_release(struct nesting *nesting)
{
    free(nesting->items);
    *nesting = (struct nesting){0};
}

int nesting_place(struct nesting *nesting, int64_t start_ns, int64_t end_ns, size_t *ret_lane,
                  unsigned *ret_shared_ends, struct err *err)
{
    for (size_t i = 0; i < nesting->count; i++) {
        if (push(&nesting->items[i], nesting->apart, start_ns, end_ns, ret_shared_ends)) {
            *ret_lane = i;
            return 0;
        }
    }
    *ret_lane = NESTING_LANES_MAX;
    *ret_shared_ends = 0;
    if (nesting->count == (nesting->apart ? NESTING_LANES_MAX : NESTING_NESTED_LANES_MAX))
        return 0;
    if (array_reserve(nesting, 1, err) < 0)
        return err_status(err);
    struct nesting_lane *lane = &nesting->items[nesting->count];
    lane->depth = 0;
    push(lane, nesting->apart, start_ns, end_ns, ret_shared_ends);
    *ret_lane = nesting->count++;
    return 0;
}
