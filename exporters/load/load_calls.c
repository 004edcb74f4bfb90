/* SPDX-License-Identifier: Apache-2.0 */
/* Durations of calls by name: eight bytes a call. */
#include "base/array.h"
#include "exporters/load/host_calls.h"
#include "exporters/load/load.h"

#include <stdlib.h>

struct call_load {
    struct intern names;
    struct durations *items; /* of each name */
    size_t count, capacity;
};

static int take_call(void *arg, const struct host_call *call, struct err *err)
{
    struct call_load *load = arg;
    int status = 0;

    while (status == 0 && load->count <= call->name) {
        status = array_reserve(load, 1, err);
        if (status == 0)
            load->items[load->count++] = (struct durations){.items = NULL};
    }
    return status == 0 ? durations_add(&load->items[call->name], interval_length(call->start_ns, call->end_ns), err)
                       : status;
}

int workload_load_calls(sqlite3 *db, struct profile *profile, struct err *err)
{
    struct call_load load = {.items = NULL};
    const char **names = NULL;
    int status = host_calls_each(db, &load.names, take_call, &load, err);

    if (status == 0 && (names = calloc(load.count + 1, sizeof *names)) == NULL)
        status = err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; status == 0 && i < load.count; i++)
        names[i] = load.names.items[i].bytes;
    if (status == 0 && load.count > 0)
        status = profile_add_rows(profile, BY_API, names, load.items, load.count, err);
    for (size_t i = 0; i < load.count; i++)
        free(load.items[i].items);
    free((void *)names);
    free(load.items);
    intern_release(&load.names);
    return status;
}
