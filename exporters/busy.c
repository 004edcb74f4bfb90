/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/busy.h"

#include "base/number.h"
#include "db/query/query_loop.h"
#include "db/warm_up.h"

void overlap_init(struct overlap *overlap, sqlite3 *db, const struct cann_communications *communications,
                  int (*each)(void *arg, const struct overlap_span *span, struct err *err), void *arg)
{
    *overlap = (struct overlap){.db = db, .communications = communications, .each = each, .arg = arg};
}

static int give(struct overlap *overlap, struct overlap_busy *busy, enum overlap_type type, struct err *err)
{
    const struct overlap_span span = {type, overlap->device_id, busy->start_ns, busy->end_ns};
    if (!busy->open)
        return 0;
    busy->open = false;
    if (span.start_ns >= span.end_ns) /* of tasks without a length */
        return 0;
    return overlap->each(overlap->arg, &span, err);
}

static bool goes_on(const struct overlap_busy *busy, int64_t time_ns)
{
    return busy->open && busy->end_ns > time_ns;
}

/* Extends the span of communication only, or of nothing, or begins one. */
static int rest_until(struct overlap *overlap, bool computing, bool communicating, int64_t end_ns, struct err *err)
{
    enum overlap_type type = communicating ? OVERLAP_COMMUNICATION_ONLY : OVERLAP_FREE;
    int status = 0;
    if (overlap->rest.open && (computing || overlap->rest_type != type))
        status = give(overlap, &overlap->rest, overlap->rest_type, err);
    if (computing)
        return status;
    if (!overlap->rest.open) {
        overlap->rest = (struct overlap_busy){true, overlap->now_ns, end_ns};
        overlap->rest_type = type;
    }
    overlap->rest.end_ns = end_ns;
    return status;
}

/* Nothing begins before this time any more. */
static int advance(struct overlap *overlap, int64_t time_ns, struct err *err)
{
    bool failed = false;
    while (!failed && overlap->now_ns < time_ns) {
        bool computing = goes_on(&overlap->computing, overlap->now_ns),
             communicating = goes_on(&overlap->communicating, overlap->now_ns);
        int64_t next_ns = time_ns;
        if (computing && overlap->computing.end_ns < next_ns)
            next_ns = overlap->computing.end_ns;
        if (communicating && overlap->communicating.end_ns < next_ns)
            next_ns = overlap->communicating.end_ns;
        failed = rest_until(overlap, computing, communicating, next_ns, err) < 0;
        overlap->now_ns = next_ns;
    }
    failed = failed ||
             (overlap->computing.end_ns < time_ns && give(overlap, &overlap->computing, OVERLAP_COMPUTING, err) < 0) ||
             (overlap->communicating.end_ns < time_ns &&
              give(overlap, &overlap->communicating, OVERLAP_COMMUNICATION, err) < 0);
    return failed ? err_status(err) : 0;
}

static int end_device(struct overlap *overlap, struct err *err)
{
    bool failed = (overlap->open && advance(overlap, overlap->last_end_ns, err) < 0) ||
                  give(overlap, &overlap->rest, overlap->rest_type, err) < 0 ||
                  give(overlap, &overlap->computing, OVERLAP_COMPUTING, err) < 0 ||
                  give(overlap, &overlap->communicating, OVERLAP_COMMUNICATION, err) < 0;
    overlap->open = false;
    return failed ? err_status(err) : 0;
}

/* busy NULL: neither computes nor communicates. */
static int take(struct overlap *overlap, int64_t device_id, int64_t start_ns, int64_t end_ns, struct overlap_busy *busy,
                struct err *err)
{
    int status = 0;
    if (overlap->open && overlap->device_id == device_id)
        status = advance(overlap, start_ns, err);
    else
        status = end_device(overlap, err);
    if (status < 0)
        return status;
    if (!overlap->open) {
        overlap->open = true;
        overlap->device_id = device_id;
        overlap->last_end_ns = start_ns;
        if (warm_up_start_ns(overlap->db, device_id, &overlap->now_ns, err) < 0)
            return err_status(err);
        overlap->now_ns = overlap->now_ns > start_ns ? overlap->now_ns : start_ns;
    }
    if (busy != NULL && start_ns < overlap->now_ns) /* the collection's start cuts it: operators count whole */
        overlap->now_ns = start_ns;
    if (end_ns > overlap->last_end_ns)
        overlap->last_end_ns = end_ns;
    if (busy != NULL && !busy->open)
        *busy = (struct overlap_busy){true, start_ns, end_ns};
    else if (busy != NULL && end_ns > busy->end_ns)
        busy->end_ns = end_ns;
    return 0;
}

/* The communication operators of a device that begin until then. */
static int take_communications(struct overlap *overlap, int64_t device_id, int64_t until_ns, struct err *err)
{
    int status = 0;
    for (; status == 0 && overlap->next_communication < overlap->communications->count; overlap->next_communication++) {
        const struct cann_communication *next = &overlap->communications->items[overlap->next_communication];
        if (next->device_id != device_id || next->start_ns > until_ns)
            break;
        status = take(overlap, device_id, next->start_ns, number_add(next->start_ns, next->duration_ns),
                      &overlap->communicating, err);
    }
    return status;
}

static int take_launch(void *arg, sqlite3_stmt *row, struct err *err)
{
    (void)row;
    (void)err;
    *(bool *)arg = false;
    return 0;
}

/* The first launch of a device is near its first task, whose id is known; where there is none all tasks are asked. */
static int find_launch(struct overlap *overlap, int64_t device_id, struct err *err)
{
#define LAUNCHED                                                                                                       \
    "SELECT 1 FROM device_task WHERE device_id = ?1 AND (host_type_id IS NOT NULL OR op_name_id IS NOT NULL)"
    int64_t parameters[] = {device_id, 0};

    if (cann_first_task_of(overlap->db, device_id, &parameters[1], err) < 0 ||
        query_run(overlap->db, LAUNCHED " AND id >= ?2 LIMIT 1", parameters, 2, take_launch, &overlap->unknown, err) <
            0)
        return err_status(err);
    return overlap->unknown
               ? query_run(overlap->db, LAUNCHED " LIMIT 1", parameters, 1, take_launch, &overlap->unknown, err)
               : 0;
}

/* Without the host's half, or what joins both, nobody knows what a device computed, and so when it was free. */
int overlap_is_known(struct overlap *overlap, int64_t device_id, bool *ret, struct err *err)
{
    int status = 0;
    if (!overlap->asked || overlap->asked_id != device_id) {
        overlap->asked = overlap->unknown = true;
        overlap->asked_id = device_id;
        status = find_launch(overlap, device_id, err);
    }
    *ret = !overlap->unknown;
    return status;
}

int overlap_take(struct overlap *overlap, const struct cann_span *span, struct err *err)
{
    bool failed = false, known = false;
    if (span->profiles)
        return 0;
    if (overlap_is_known(overlap, span->device_id, &known, err) < 0)
        return err_status(err);
    if (!known)
        return 0;
    if (overlap->open && overlap->device_id != span->device_id)
        failed = take_communications(overlap, overlap->device_id, INT64_MAX, err) < 0;
    return failed || take_communications(overlap, span->device_id, span->start_ns, err) < 0
               ? err_status(err)
               : take(overlap, span->device_id, span->start_ns, span->end_ns,
                      span->computing       ? &overlap->computing
                      : span->communicating ? &overlap->communicating
                                            : NULL,
                      err);
}

int overlap_end(struct overlap *overlap, struct err *err)
{
    int status = overlap->open ? take_communications(overlap, overlap->device_id, INT64_MAX, err) : 0;
    return status == 0 ? end_device(overlap, err) : status;
}
