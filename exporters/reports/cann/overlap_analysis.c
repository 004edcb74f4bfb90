/* SPDX-License-Identifier: Apache-2.0 */
/* What the devices did over time: computing, communicating, neither; for the terminal. */
#include "base/number.h"
#include "exporters/table/report.h"
#include "exporters/timeline/busy.h"

enum { DEVICE, ELAPSED, COMPUTING, COMPUTING_SHARE, COMMUNICATION, COMMUNICATION_ONLY, FREE, FREE_SHARE, COLUMNS };

static const struct report_column columns[] = {
    [DEVICE] = {"Device_id", .flags = REPORT_NUMBER, .doc = "The device."},
    [ELAPSED] = {"Elapsed(us)", NULL, FORM_SCALED, 3, .doc = "From its first task to the end of its last."},
    [COMPUTING] = {"Computing(us)", NULL, FORM_SCALED, 3, .doc = "When operators ran."},
    [COMPUTING_SHARE] = {"Computing(%)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW, .id = "computing_share",
                         .doc = "Its share."},
    [COMMUNICATION] = {"Communication(us)", NULL, FORM_SCALED, 3, .doc = "When the device communicated."},
    [COMMUNICATION_ONLY] = {"Communication(Not Overlapped)(us)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW,
                            .doc = "When it communicated and no operator ran."},
    [FREE] = {"Free(us)", NULL, FORM_SCALED, 3, .doc = "When it did neither."},
    [FREE_SHARE] = {"Free(%)", NULL, FORM_SCALED, 3, .flags = REPORT_NARROW, .id = "free_share", .doc = "Its share."},
    {.title = NULL},
};

struct sums {
    struct report_run *run;
    struct overlap overlap;
    int64_t device_id;
    int64_t ns[OVERLAP_FREE + 1];
    bool any;
};

/* Of the device that the sums are of. */
static int put_sums(struct sums *sums, struct err *err)
{
    const int64_t *ns = sums->ns;
    int64_t elapsed_ns = ns[OVERLAP_COMPUTING] + ns[OVERLAP_COMMUNICATION_ONLY] + ns[OVERLAP_FREE];
    const struct report_value values[COLUMNS] = {
        [DEVICE] = value_integer(sums->device_id),
        [ELAPSED] = value_integer(elapsed_ns),
        [COMPUTING] = value_integer(ns[OVERLAP_COMPUTING]),
        [COMPUTING_SHARE] = value_integer(number_ratio(ns[OVERLAP_COMPUTING], elapsed_ns, 5)),
        [COMMUNICATION] = value_integer(ns[OVERLAP_COMMUNICATION]),
        [COMMUNICATION_ONLY] = value_integer(ns[OVERLAP_COMMUNICATION_ONLY]),
        [FREE] = value_integer(ns[OVERLAP_FREE]),
        [FREE_SHARE] = value_integer(number_ratio(ns[OVERLAP_FREE], elapsed_ns, 5)),
    };
    bool any = sums->any;
    sums->any = false;
    int status = any ? report_row(sums->run, values, err) : 0;
    memset(sums->ns, 0, sizeof sums->ns);
    return status;
}

static int add_span(void *arg, const struct overlap_span *span, struct err *err)
{
    struct sums *sums = arg;
    int status = sums->any && sums->device_id != span->device_id ? put_sums(sums, err) : 0;
    sums->any = true;
    sums->device_id = span->device_id;
    sums->ns[span->type] = number_add(sums->ns[span->type], number_subtract(span->end_ns, span->start_ns));
    return status;
}

static int take_span(void *arg, const struct cann_span *span, struct err *err)
{
    struct sums *sums = arg;
    return overlap_take(&sums->overlap, span, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct sums sums = {.run = run};
    const struct cann_communications *communications = report_communications(run->session, err);
    struct cann_span_reader *reader = communications != NULL ? cann_span_reader_new(run->session->db, err) : NULL;
    if (reader == NULL)
        return -(int)err->code;
    overlap_init(&sums.overlap, communications, add_span, &sums);
    int status = cann_read_spans(reader, 1, INT64_MAX, take_span, &sums, err);
    if (status == 0)
        status = overlap_end(&sums.overlap, err);
    if (status == 0)
        status = put_sums(&sums, err);
    run->session->result->note =
        "table overlap_analysis counts copies and other tasks as free time, as Ascend's tool does; "
        "table overlap and the other answers count them as busy";
    cann_span_reader_free(reader);
    return status;
}

const struct report report_overlap_analysis = {
    .name = "overlap_analysis",
    .title = "Overlap of computing and communication",
    .doc = "How long a device computed, communicated, and did neither, as Ascend's tool counts: copies and other tasks "
           "are "
           "free time here, and busy time in the other tables.",
    .families = FAMILY_CANN,
    .shown_only = true,
    .columns = columns,
    .rows = put_rows,
};
