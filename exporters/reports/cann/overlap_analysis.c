/* SPDX-License-Identifier: Apache-2.0 */
/* The work of the devices over time: computing, communicating, neither; for the terminal. */
#include "base/number.h"
#include "exporters/busy.h"
#include "exporters/table/report.h"

#include <string.h>

struct shown {
    int64_t device_id, elapsed_ns;
    int64_t ns[OVERLAP_FREE + 1];
    int64_t computing_share, free_share; /* of 10^5 */
};

static const struct report_column columns[] = {
    {"Device_id", SHOWN(device_id), .flags = REPORT_NUMBER, .doc = "The device."},
    {"Elapsed(us)", SHOWN(elapsed_ns), FORM_SCALED, 3, .doc = "Time from its first task to the end of its last."},
    {"Computing(us)", SHOWN(ns[OVERLAP_COMPUTING]), FORM_SCALED, 3, .doc = "Time with operators running."},
    {"Computing(%)", SHOWN(computing_share), FORM_SCALED, 3, .flags = REPORT_NARROW, .id = "computing_share",
     .doc = "Its share."},
    {"Communication(us)", SHOWN(ns[OVERLAP_COMMUNICATION]), FORM_SCALED, 3, .flags = REPORT_NARROW,
     .doc = "Time with communication."},
    {"Communication(Not Overlapped)(us)", SHOWN(ns[OVERLAP_COMMUNICATION_ONLY]), FORM_SCALED, 3,
     .doc = "Exposed communication."},
    {"Free(us)", SHOWN(ns[OVERLAP_FREE]), FORM_SCALED, 3, .doc = "Idle time."},
    {"Free(%)", SHOWN(free_share), FORM_SCALED, 3, .flags = REPORT_NARROW, .id = "free_share", .doc = "Its share."},
    {.title = NULL},
};

struct sums {
    struct report_run *run;
    const struct cann_clocks *clocks;
    struct overlap overlap;
    struct shown row;
    int64_t ticks[OVERLAP_FREE + 1]; /* of the device's clock */
    bool any;
};

/* Puts the row of the device that the sums are of, and empties them. */
static int put_sums(struct sums *sums, struct err *err)
{
    struct shown *row = &sums->row;
    const int64_t hz = cann_clock_hz(sums->clocks, row->device_id);
    const int64_t elapsed = number_add(number_add(sums->ticks[OVERLAP_COMPUTING], sums->ticks[OVERLAP_FREE]),
                                       sums->ticks[OVERLAP_COMMUNICATION_ONLY]);
    row->elapsed_ns = ticks_ns(hz, elapsed);
    for (size_t i = 0; i <= OVERLAP_FREE; i++)
        row->ns[i] = ticks_ns(hz, sums->ticks[i]);
    row->computing_share = number_ratio(row->ns[OVERLAP_COMPUTING], row->elapsed_ns, 5);
    row->free_share = number_ratio(row->ns[OVERLAP_FREE], row->elapsed_ns, 5);
    int status = sums->any ? report_put(sums->run, row, err) : 0;
    sums->any = false;
    *row = (struct shown){.device_id = 0};
    memset(sums->ticks, 0, sizeof sums->ticks);
    return status;
}

static int add_span(void *arg, const struct overlap_span *span, struct err *err)
{
    struct sums *sums = arg;
    int status = sums->any && sums->row.device_id != span->device_id ? put_sums(sums, err) : 0;
    sums->any = true;
    sums->row.device_id = span->device_id;
    const int64_t hz = cann_clock_hz(sums->clocks, span->device_id);
    sums->ticks[span->type] = number_add(sums->ticks[span->type],
                                         ticks_of(hz, span->start_ns, number_subtract(span->end_ns, span->start_ns)));
    return status;
}

static int take_span(void *arg, const struct cann_span *span, struct err *err)
{
    struct sums *sums = arg;
    return overlap_take(&sums->overlap, span, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct sums sums = {.run = run, .clocks = report_clocks(run->session, err)};
    const struct cann_communications *communications = report_communications(run->session, err);
    if (communications == NULL || sums.clocks == NULL)
        return err_status(err);
    overlap_init(&sums.overlap, run->session->db, communications, add_span, &sums);
    bool failed = cann_each_span(run->session->db, take_span, &sums, err) < 0 || overlap_end(&sums.overlap, err) < 0 ||
                  put_sums(&sums, err) < 0;
    run->session->result->note =
        "table overlap_analysis counts copies and other tasks as free time, as Ascend's tool does; "
        "table overlap and the other answers count them as busy";
    return failed ? err_status(err) : 0;
}

const struct report report_overlap_analysis = {
    .name = "overlap_analysis",
    .title = "Overlap of computing and communication",
    .doc = "Computing, communication and idle time of a device, counted as in Ascend's tool: copies and other tasks "
           "are idle time here, and busy time in other tables.",
    .families = FAMILY_CANN,
    .narrowed = {"device_task", "communication_op"},
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
