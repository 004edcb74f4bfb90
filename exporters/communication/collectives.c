/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/communication/communication_files.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* As records number links and transports (db/query/query_records.h). */
enum { LINK_ON_CHIP, LINK_HCCS, LINK_PCIE, LINK_ROCE, LINK_SIO, LINK_HCCS_SW };
enum { TRANSPORT_SDMA };
enum { RDMA_PAYLOAD = 1 };

struct walk {
    const struct cann_texts *names;
    struct cann_communications ops;
    collective_taker *take;
    void *arg;
    int64_t op_id; /* whose tasks these are; 0: none yet */
    struct collective_tasks tasks;
    struct row_list ARRAY_OF(int64_t) rows; /* device_task.id of each */
};

static bool is_named(const struct cann_texts *names, int64_t id, const char *name)
{
    const struct cann_text text = cann_text(names, id, 0);
    return text.text != NULL && text.length == strlen(name) && memcmp(text.text, name, text.length) == 0;
}

bool communication_is_point_to_point(const char *name)
{
    return name != NULL && (strcasestr(name, "send") != NULL || strcasestr(name, "receive") != NULL);
}

static enum collective_medium medium_of(int64_t link)
{
    switch (link) {
    case LINK_ON_CHIP:
        return MEDIUM_LOCAL;
    case LINK_HCCS:
    case LINK_HCCS_SW:
        return MEDIUM_HCCS;
    case LINK_PCIE:
        return MEDIUM_PCIE;
    case LINK_SIO:
        return MEDIUM_SIO;
    default:
        return MEDIUM_SDMA;
    }
}

static enum collective_task_kind kind_of(const struct cann_texts *names, const struct cann_transfer *transfer)
{
    if (transfer->rdma_type == RDMA_PAYLOAD)
        return COLLECTIVE_PAYLOAD;
    if (is_named(names, transfer->type_id, "Notify_Wait"))
        return COLLECTIVE_WAIT;
    if (transfer->transport_type == TRANSPORT_SDMA &&
        (is_named(names, transfer->type_id, "Memcpy") || is_named(names, transfer->type_id, "Reduce_Inline")))
        return COLLECTIVE_COPY;
    return COLLECTIVE_OTHER;
}

struct collective_task collective_task_of(const struct cann_texts *names, const struct cann_transfer *transfer)
{
    return (struct collective_task){
        .kind = kind_of(names, transfer),
        .master = transfer->master == 1,
        .plane = transfer->plane_id,
        .start_ns = transfer->start_ns,
        .duration_ns = transfer->duration_ns,
        .bytes = transfer->bytes != DB_NULL ? transfer->bytes : 0,
        .link = medium_of(transfer->link_type),
        .local_rank = transfer->local_rank,
        .remote_rank = transfer->remote_rank,
    };
}

/* The operator whose tasks are complete. */
static int finish(struct walk *walk, struct err *err)
{
    struct collective collective;
    int64_t place = walk->op_id - 1;
    if (walk->tasks.count == 0 || place < 0 || (uint64_t)place >= walk->ops.count)
        return 0;
    const struct cann_communication *op = &walk->ops.items[place];
    collective_init(&collective);
    bool point_to_point = communication_is_point_to_point(cann_text(walk->names, op->name_id, 0).text);
    bool failed = collective_analyse(&walk->tasks, point_to_point, PLANES_BY_NUMBER, &collective, err) < 0 ||
                  walk->take(walk->arg, op, &collective, walk->rows.items, err) < 0;
    collective_release(&collective);
    walk->tasks.count = walk->rows.count = 0;
    return failed ? err_status(err) : 0;
}

static int take_transfer(void *arg, const struct cann_transfer *transfer, struct err *err)
{
    struct walk *walk = arg;
    int status = 0;
    if (transfer->op_id != walk->op_id)
        status = finish(walk, err);
    walk->op_id = transfer->op_id;
    if (status < 0 || transfer->plane_id == DB_NULL) /* nothing was reported of it */
        return status;
    status = array_reserve(&walk->tasks, 1, err);
    if (status == 0)
        status = array_reserve(&walk->rows, 1, err);
    if (status < 0)
        return status;
    walk->rows.items[walk->rows.count++] = transfer->task_row_id;
    walk->tasks.items[walk->tasks.count++] = collective_task_of(walk->names, transfer);
    return 0;
}

int collectives_each(sqlite3 *db, const struct cann_texts *names, collective_taker *take, void *arg, struct err *err)
{
    struct walk walk = {.names = names, .take = take, .arg = arg};
    bool failed = cann_communications_load(db, &walk.ops, err) < 0 ||
                  (walk.ops.count > 0 && cann_each_transfer_by_op(db, take_transfer, &walk, err) < 0) ||
                  finish(&walk, err) < 0;
    free(walk.tasks.items);
    free(walk.rows.items);
    cann_communications_release(&walk.ops);
    return failed ? err_status(err) : 0;
}

/* They stand by device. */
int collectives_of_several_devices(sqlite3 *db, bool *ret, struct err *err)
{
    struct cann_communications ops;
    int status = cann_communications_load(db, &ops, err);
    *ret = status == 0 && ops.count > 0 && ops.items[0].device_id != ops.items[ops.count - 1].device_id;
    cann_communications_release(&ops);
    return status;
}
