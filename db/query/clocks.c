/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/clocks.h"

#include "base/array.h"
#include "db/database.h"
#include "db/query/query_loop.h"
#include "parsers/capture/capture.h"

#include <stdlib.h>

static int take_clock(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct cann_clocks *clocks = arg;
    const int64_t origin_ns = query_integer(row, 5); /* DB_NULL is not known */
    if (query_integer(row, 0) == 1) {
        clocks->host_hz = ticks_rate(query_integer(row, 2), origin_ns);
        return 0;
    }
    const int64_t hz = query_integer(row, 3);
    if (query_integer(row, 1) == DB_NULL) { /* of 2020: all devices have it */
        clocks->any_hz = ticks_rate(hz, 0);
        return 0;
    }
    if (array_reserve(clocks, 1, err) < 0)
        return err_status(err);
    clocks->items[clocks->count++] = (struct device_clock){
        query_integer(row, 1), ticks_rate(hz > 0 ? hz : capture_usual_device_hz(query_integer(row, 4)), origin_ns)};
    return 0;
}

int cann_clocks_load(sqlite3 *db, struct cann_clocks *ret, struct err *err)
{
    *ret = (struct cann_clocks){.host_hz = TICKS_OF_NS};
    int status = query_run(
        db,
        "SELECT is_host, device_id, host_hz, device_hz, chip, (SELECT CAST(value AS INTEGER) FROM meta"
        " WHERE key = '" CLOCK_ORIGIN "' || capture_part.id) FROM capture_part WHERE EXISTS"
        " (SELECT 1 FROM meta WHERE key = 'family' AND value IN ('ascend-cann', 'ascend-2022', 'ascend-job'))",
        NULL, 0, take_clock, ret, err);
    if (status < 0)
        cann_clocks_release(ret);
    return status;
}

void cann_clocks_release(struct cann_clocks *clocks)
{
    free(clocks->items);
    *clocks = (struct cann_clocks){.items = NULL};
}

int64_t cann_clock_hz(const struct cann_clocks *clocks, int64_t device_id)
{
    if (device_id == DB_NULL && clocks->host_hz > 0)
        return clocks->host_hz;
    for (size_t i = 0; i < clocks->count; i++) {
        if (clocks->items[i].device_id == device_id)
            return clocks->items[i].hz;
    }
    return clocks->any_hz > 0 ? clocks->any_hz : TICKS_OF_NS;
}
