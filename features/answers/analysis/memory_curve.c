/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/analysis/memory_curve.h"

#include "base/array.h"
#include "base/map.h"
#include "base/number.h"

/* ---- the curve ---- */

struct change {
    int64_t device, time_ns, bytes; /* negative: given back */
};

ARRAY_COMPARE(by_device_and_time, struct change, ARRAY_BY(device), ARRAY_BY(time_ns))

static size_t take_changes(const struct memory_pieces *pieces, struct change *changes)
{
    size_t count = 0;

    for (size_t i = 0; i < pieces->count; i++) {
        const struct memory_piece *piece = &pieces->items[i];
        changes[count++] = (struct change){piece->device, piece->start_ns, piece->bytes};
        if (piece->end_ns != MEMORY_KEPT)
            changes[count++] = (struct change){piece->device, piece->end_ns, -piece->bytes};
    }
    return count;
}

static int put_points(const struct change *changes, size_t count, struct memory_curve *ret, struct err *err)
{
    struct memory_point at = {.bytes = 0};

    for (size_t i = 0; i < count; i++) {
        const struct change *change = &changes[i];
        if (i == 0 || change->device != changes[i - 1].device)
            at = (struct memory_point){.device = change->device};
        at.time_ns = change->time_ns;
        at.bytes = number_add(at.bytes, change->bytes);
        at.pieces += change->bytes > 0 ? 1 : -1;
        if (i + 1 < count && by_device_and_time(change, change + 1) == 0)
            continue;
        if (array_add(ret, err, at) < 0)
            return err_status(err);
    }
    return 0;
}

int memory_curve_make(const struct memory_pieces *pieces, struct memory_curve *ret, struct err *err)
{
    SCOPED_FREE struct change *changes = scoped_memory(2 * pieces->count + 1, sizeof *changes);

    *ret = (struct memory_curve){.items = NULL};
    if (changes == NULL)
        return err_no_memory(err);
    size_t count = take_changes(pieces, changes);
    array_sort(changes, count, sizeof *changes, by_device_and_time);
    return put_points(changes, count, ret, err);
}

size_t memory_curve_end(const struct memory_curve *curve, size_t from)
{
    size_t until = from;

    while (until < curve->count && curve->items[until].device == curve->items[from].device)
        until++;
    return until;
}

size_t memory_curve_peak(const struct memory_curve *curve, size_t from, size_t until)
{
    size_t peak = from;

    for (size_t i = from; i < until; i++)
        if (curve->items[i].bytes > curve->items[peak].bytes)
            peak = i;
    return peak;
}

/* ---- who held it ---- */

ARRAY_COMPARE(by_bytes, struct memory_holder, ARRAY_BY_MOST(bytes), ARRAY_BY(owner))

static int take_holders(const struct map *holders, struct memory_holders *ret, struct err *err)
{
    ret->items = map_items(holders, err);
    ret->count = ret->items != NULL ? holders->used : 0;
    array_sort(ret->items, ret->count, sizeof *ret->items, by_bytes);
    return ret->items != NULL ? 0 : err_status(err);
}

int memory_holders_at(const struct memory_pieces *pieces, const struct memory_point *point, struct memory_holders *ret,
                      struct err *err)
{
    SCOPED(map_release) struct map holders = MAP_OF(struct memory_holder, owner);
    int status = 0;

    *ret = (struct memory_holders){.items = NULL};
    for (size_t i = 0; status == 0 && i < pieces->count; i++) {
        const struct memory_piece *piece = &pieces->items[i];
        bool added;
        if (piece->device != point->device || piece->start_ns > point->time_ns || piece->end_ns <= point->time_ns)
            continue;
        struct memory_holder *it = map_add(&holders, &piece->owner, &added, err);
        if (it == NULL) {
            status = err_status(err);
            break;
        }
        it->since_ns = added || piece->start_ns < it->since_ns ? piece->start_ns : it->since_ns;
        it->bytes = number_add(it->bytes, piece->bytes);
        it->pieces++;
    }
    return status == 0 ? take_holders(&holders, ret, err) : status;
}
