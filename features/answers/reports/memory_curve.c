/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory over time, and who held it at the peak. */
#include "exporters/table/report.h"
#include "features/answers/load/load.h"

#include <stdlib.h>

/* Rows of either table, made of all pieces. */
struct memory_rows {
    struct report_run *run;
    struct intern owners;
    struct memory_pieces pieces;
    struct memory_curve curve;
};

static int put_loaded(struct memory_rows *rows, int (*put)(struct memory_rows *rows, struct err *err), struct err *err)
{
    int status = memory_load(rows->run->session->db, &rows->owners, &rows->pieces, err);

    if (status != 0)
        return status;
    status = memory_curve_make(&rows->pieces, &rows->curve, err);
    return status == 0 ? put(rows, err) : status;
}

static int put_memory(struct report_run *run, int (*put)(struct memory_rows *rows, struct err *err), struct err *err)
{
    struct memory_rows rows = {.run = run};
    int status = put_loaded(&rows, put, err);

    free(rows.curve.items);
    free(rows.pieces.items);
    intern_release(&rows.owners);
    return status;
}

/* ---- the curve ---- */

struct shown_point {
    struct memory_point point;
    double kib;
};
#define POINT(member) REPORT_FIELD(struct shown_point, member)

static int put_points(struct memory_rows *rows, struct err *err)
{
    for (size_t i = 0; i < rows->curve.count; i++) {
        const struct shown_point row = {rows->curve.items[i], (double)rows->curve.items[i].bytes / 1024};
        if (report_put(rows->run, &row, err) < 0)
            return err_status(err);
    }
    return 0;
}

static int put_curve(struct report_run *run, struct err *err)
{
    return put_memory(run, put_points, err);
}

#define NEEDS "allocations of device memory by operators"

const struct report report_memory_curve = {
    .name = "memory_curve",
    .title = "Device memory over time",
    .doc = "Device memory in use by operators at each change: the sum of all blocks allocated and not yet freed, by "
           "device and time. Blocks allocated before the recording are not included.",
    .needs = NEEDS,
    .families = FAMILY_OF(CAPTURE_CANN),
    .shown_only = true,
    .columns = VALUE_LIST(
        {"Time(us)", POINT(point.time_ns), FORM_TIME, .doc = "Start of this state."},
        {"Held(KiB)", POINT(kib), FORM_SHORTEST, 3, .id = "held", .doc = "The sum of all pieces that were held then."},
        {"Pieces", POINT(point.pieces), .flags = REPORT_NUMBER, .doc = "Count."},
        {"Device_id", POINT(point.device), .flags = REPORT_NUMBER, .doc = "The device."}),
    .rows = put_curve,
};

/* ---- the peak ---- */

struct shown_holder {
    struct memory_holder holder;
    double share, kib; /* share: of 10000 */
    int64_t device, peak_ns;
    const char *owner;
};
#define HOLDER(member) REPORT_FIELD(struct shown_holder, member)

static int put_peak(struct memory_rows *rows, const struct memory_point *peak, struct err *err)
{
    struct memory_holders holders;
    int status = memory_holders_at(&rows->pieces, peak, &holders, err);

    for (size_t i = 0; status == 0 && i < holders.count; i++) {
        const struct memory_holder *holder = &holders.items[i];
        const char *owner = rows->owners.items[holder->owner].bytes;
        const struct shown_holder row = {
            .holder = *holder,
            .share = (double)holder->bytes / (double)peak->bytes * 1e4,
            .kib = (double)holder->bytes / 1024,
            .device = peak->device,
            .peak_ns = peak->time_ns,
            .owner = owner[0] != '\0' ? owner : NULL,
        };
        status = report_put(rows->run, &row, err);
    }
    free(holders.items);
    return status;
}

static int put_peaks_of(struct memory_rows *rows, struct err *err)
{
    const struct memory_curve *curve = &rows->curve;
    int status = 0;

    for (size_t from = 0, until; status == 0 && from < curve->count; from = until) {
        until = memory_curve_end(curve, from);
        status = put_peak(rows, &curve->items[memory_curve_peak(curve, from, until)], err);
    }
    return status;
}

static int put_peaks(struct report_run *run, struct err *err)
{
    return put_memory(run, put_peaks_of, err);
}

const struct report report_memory_peak = {
    .name = "memory_peak",
    .title = "Who held device memory at the peak",
    .doc = "The operators that held memory when the most memory of a device was in use, the largest first. They add up "
           "to the peak of the table memory_curve.",
    .needs = NEEDS,
    .families = FAMILY_OF(CAPTURE_CANN),
    .shown_only = true,
    .windowed = true,
    .columns = VALUE_LIST(
        {"Share(%)", HOLDER(share), FORM_SCALED, 2, .doc = "Share of all that was held at the peak of the device."},
        {"Held(KiB)", HOLDER(kib), FORM_SHORTEST, 3, .id = "held", .doc = "Memory in use."},
        {"Pieces", HOLDER(holder.pieces), .flags = REPORT_NUMBER, .doc = "In how many pieces."},
        {"Since(us)", HOLDER(holder.since_ns), FORM_TIME, .flags = REPORT_NARROW,
         .doc = "Allocation time of its oldest block."},
        {"Peak(us)", HOLDER(peak_ns), FORM_TIME, .flags = REPORT_NARROW, .doc = "Time of the peak, the first one."},
        {"Device_id", HOLDER(device), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "The device."},
        {"Name", HOLDER(owner), .doc = "The operator."}),
    .rows = put_peaks,
};
