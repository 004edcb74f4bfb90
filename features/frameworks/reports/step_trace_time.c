/* SPDX-License-Identifier: Apache-2.0 */
/* step_trace_time.csv: how each step's time went. */
#include "features/frameworks/reports/analysis.h"

#include "base/array.h"
#include "base/map.h"
#include "base/number.h"
#include "base/search.h"
#include "features/frameworks/pytorch/torch.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- waiting for another stage ---- */

static bool is_prefixed(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool digit_follows(const char *name, const char *prefix)
{
    return is_prefixed(name, prefix) && name[strlen(prefix)] >= '0' && name[strlen(prefix)] <= '9';
}

/* "hcom_", letters, digits and underscores, "SendRecv__" and a digit. */
static bool is_send_receive(const char *name)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    if (!is_prefixed(name, "hcom_"))
        return false;
    const char *end = name + 5 + strspn(name + 5, word);
    for (const char *p = name + 6; p < end; p++) {
        if (digit_follows(p, "SendRecv__"))
            return true;
    }
    return false;
}

static bool waits(bool pytorch, const char *name)
{
    if (pytorch)
        return is_prefixed(name, "hcom_receive");
    return is_send_receive(name) || digit_follows(name, "hcom_send__") || digit_follows(name, "hcom_receive__") ||
           is_prefixed(name, "Receive-op") || is_prefixed(name, "Send-op");
}

/* An operator that waits for another stage, among those by start. */
struct waiting {
    int64_t start_ns, end_ns;
    int64_t latest_end_ns; /* of it and those before it */
};

ARRAY_COMPARE(compare_waiting, struct waiting, ARRAY_BY(start_ns))

/* ---- step sums ---- */

/* A step among those by start, so that the steps of a time are found without a look at all. */
struct placed_step {
    int64_t start_ns;
    int64_t latest_end_ns; /* of it and those before it */
    int64_t first_work_ns; /* since its start, before the start of the next one */
    struct step_sum *step;
};

struct summing {
    struct framework_analysis *analysis;
    struct step_sums *sums;
    struct placed_step *placed; /* as many */
    int64_t device_id, hz;      /* hz: of its clock */
    bool pytorch;
    struct ARRAY_OF(struct waiting) waits; /* by start */
    struct overlap overlap;
    const struct cann_texts *names;
};

/* Whether a time is in a step: PyTorch's end before their end. */
static bool is_in(const struct summing *summing, const struct step_sum *step, int64_t time_ns)
{
    return time_ns >= step->start_ns && (summing->pytorch ? time_ns < step->end_ns : time_ns <= step->end_ns);
}

/* How many steps begin at a time or before it. */
static size_t steps_until(const struct summing *summing, int64_t time_ns)
{
    return search_until(summing->placed, summing->sums->count, sizeof *summing->placed,
                        offsetof(struct placed_step, start_ns), time_ns);
}

/* The step in front of *end, which is that one then; NULL: none of those ends at this time or behind it. */
static const struct placed_step *step_before(const struct summing *summing, size_t *end, int64_t time_ns)
{
    return *end > 0 && summing->placed[*end - 1].latest_end_ns >= time_ns ? &summing->placed[--*end] : NULL;
}

static void take_earlier(int64_t *first_ns, int64_t time_ns)
{
    if (*first_ns == DB_NULL || (time_ns != DB_NULL && time_ns < *first_ns))
        *first_ns = time_ns;
}

static void take_extent(struct step_sum *step, int64_t start_ns, int64_t end_ns)
{
    take_earlier(&step->first_ns, start_ns);
    if (step->last_end_ns == DB_NULL || end_ns > step->last_end_ns)
        step->last_end_ns = end_ns;
}

static int64_t clipped(const struct step_sum *step, const struct overlap_span *span)
{
    int64_t start_ns = span->start_ns > step->start_ns ? span->start_ns : step->start_ns,
            end_ns = span->end_ns < step->end_ns ? span->end_ns : step->end_ns;
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

static int find_waits(struct summing *summing, const struct cann_communications *communications, struct err *err)
{
    for (size_t i = 0; i < communications->count; i++) {
        const struct cann_communication *item = &communications->items[i];
        struct cann_text name = cann_text(summing->names, item->name_id, 0);
        if (item->device_id != summing->device_id || name.text == NULL || !waits(summing->pytorch, name.text))
            continue;
        const struct waiting wait = {.start_ns = item->start_ns,
                                     .end_ns = number_add(item->start_ns, item->duration_ns)};
        if (array_add(&summing->waits, err, wait) < 0)
            return err_status(err);
    }
    int64_t latest_ns = INT64_MIN;
    struct waiting *all = summing->waits.items;
    array_sort(all, summing->waits.count, sizeof *all, compare_waiting);
    for (size_t i = 0; i < summing->waits.count; i++)
        all[i].latest_end_ns = latest_ns = all[i].end_ns > latest_ns ? all[i].end_ns : latest_ns;
    return 0;
}

/* How much of a span is in operators of a step in which the device waited for another stage. */
static int64_t waited_in(const struct summing *summing, const struct step_sum *step, const struct overlap_span *span)
{
    const struct waiting *all = summing->waits.items;
    int64_t waited_ns = 0, from_ns = span->start_ns;
    size_t i =
        search_until(all, summing->waits.count, sizeof *all, offsetof(struct waiting, latest_end_ns), span->start_ns);
    for (; i < summing->waits.count && all[i].start_ns < span->end_ns; i++) {
        int64_t start_ns = all[i].start_ns > from_ns ? all[i].start_ns : from_ns,
                end_ns = all[i].end_ns < span->end_ns ? all[i].end_ns : span->end_ns;
        if (end_ns <= start_ns || !is_in(summing, step, all[i].start_ns))
            continue;
        waited_ns += end_ns - start_ns;
        from_ns = end_ns;
    }
    return waited_ns;
}

static int take_span(void *arg, const struct overlap_span *span, struct err *err)
{
    struct summing *summing = arg;
    (void)err;
    bool works = span->type == OVERLAP_COMPUTING || span->type == OVERLAP_COMMUNICATION;
    bool clips = span->type == OVERLAP_FREE && !summing->pytorch;
    int64_t length_ns = span->end_ns - span->start_ns;
    if (span->device_id != summing->device_id)
        return 0;
    size_t end = steps_until(summing, clips ? span->end_ns : span->start_ns);
    if (works && !summing->pytorch && end > 0)
        take_earlier(&summing->placed[end - 1].first_work_ns, span->start_ns);
    for (const struct placed_step *placed; (placed = step_before(summing, &end, span->start_ns)) != NULL;) {
        struct step_sum *step = placed->step;
        if (clips)
            step->spans_ns[OVERLAP_FREE] += clipped(step, span);
        if (clips || !is_in(summing, step, span->start_ns))
            continue;
        step->spans_ns[span->type] += ticks_span_ns(summing->hz, span->start_ns, length_ns);
        if (span->type == OVERLAP_COMMUNICATION_ONLY)
            step->excluding_ns +=
                ticks_span_ns(summing->hz, span->start_ns, length_ns - waited_in(summing, step, span));
        step->works |= works;
        if (summing->pytorch)
            take_extent(step, span->start_ns, span->end_ns);
        if (works && summing->pytorch)
            take_earlier(&step->first_work_ns, span->start_ns);
    }
    return 0;
}

static int take_task(void *arg, const struct cann_span *span, struct err *err)
{
    struct summing *summing = arg;
    return overlap_take(&summing->overlap, span, err);
}

static int sum_spans(struct summing *summing, const struct cann_communications *communications, struct err *err)
{
    overlap_init(&summing->overlap, summing->analysis->db, communications, take_span, summing);
    if (find_waits(summing, communications, err) < 0)
        return err_status(err);
    if (cann_each_span(summing->analysis->db, take_task, summing, err) < 0 || overlap_end(&summing->overlap, err) < 0 ||
        overlap_is_known(&summing->overlap, summing->device_id, &summing->sums->known, err) < 0)
        return err_status(err);
    int64_t first_ns = DB_NULL; /* whatever begins behind a step's start counts, behind its end, too */
    for (size_t i = summing->sums->count; i > 0; i--) {
        take_earlier(&first_ns, summing->placed[i - 1].first_work_ns);
        take_earlier(&summing->placed[i - 1].step->first_work_ns, first_ns);
    }
    return 0;
}

/* ---- communication ---- */

static void take_communication(struct summing *summing, const char *name, int64_t start_ns, int64_t duration_ns)
{
    size_t end = steps_until(summing, start_ns);
    for (const struct placed_step *placed; (placed = step_before(summing, &end, start_ns)) != NULL;) {
        struct step_sum *step = placed->step;
        if (!is_in(summing, step, start_ns))
            continue;
        step->works = true;
        if (waits(summing->pytorch, name))
            step->bubble_ns = number_add(step->bubble_ns, ticks_span_ns(summing->hz, start_ns, duration_ns));
        if (summing->pytorch)
            continue;
        take_earlier(&step->first_ns, start_ns);
        if (step->last_start_ns == DB_NULL || start_ns >= step->last_start_ns) {
            step->last_start_ns = start_ns;
            step->last_end_ns = start_ns + duration_ns;
        }
    }
}

static int take_transfer(void *arg, const struct cann_transfer *transfer, struct err *err)
{
    struct summing *summing = arg;
    struct cann_text type = cann_text(summing->names, transfer->type_id, 0);
    (void)err;
    if (transfer->device_id == summing->device_id && transfer->plane_id != DB_NULL)
        take_communication(summing, type.text != NULL ? type.text : "", transfer->start_ns, transfer->duration_ns);
    return 0;
}

static int sum_communication(struct summing *summing, const struct cann_communications *communications, struct err *err)
{
    for (size_t i = 0; i < communications->count; i++) {
        const struct cann_communication *item = &communications->items[i];
        struct cann_text name = cann_text(summing->names, item->name_id, 0);
        if (item->device_id == summing->device_id)
            take_communication(summing, name.text != NULL ? name.text : "", item->start_ns, item->duration_ns);
    }
    return cann_each_transfer(summing->analysis->db, take_transfer, summing, err);
}

/* ---- steps ---- */

static int make_steps(struct framework_analysis *analysis, struct step_sums *ret, struct err *err)
{
    const struct framework *framework = analysis->framework;
    ret->items = calloc(framework->steps.count + 1, sizeof *ret->items);
    if (ret->items == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for steps");
    for (size_t i = 0; i < framework->steps.count; i++) {
        const struct framework_step *step = &framework->steps.items[i];
        ret->items[ret->count++] = (struct step_sum){.id = framework_text(framework, step->id),
                                                     .start_ns = step->device_start_ns,
                                                     .end_ns = step->device_end_ns,
                                                     .host_start_ns = step->start_ns};
    }
    if (ret->count == 0) {
        int64_t first_ns = DB_NULL;
        if (framework->torch != NULL && framework->torch->ops.count > 0)
            first_ns = framework->torch->ops.items[0].start_ns;
        for (size_t i = 0; i < framework->ranges.count; i++) {
            if (first_ns == DB_NULL || framework->ranges.items[i].start_ns < first_ns)
                first_ns = framework->ranges.items[i].start_ns;
        }
        ret->items[ret->count++] = (struct step_sum){.end_ns = INT64_MAX, .host_start_ns = first_ns};
    }
    for (size_t i = 0; i < ret->count; i++)
        ret->items[i].first_ns = ret->items[i].last_end_ns = ret->items[i].last_start_ns = ret->items[i].first_work_ns =
            DB_NULL;
    return 0;
}

static void add_sum(struct step_sum *sum, const struct step_sum *other)
{
    for (size_t i = 0; i <= OVERLAP_FREE; i++)
        sum->spans_ns[i] = number_add(sum->spans_ns[i], other->spans_ns[i]);
    sum->bubble_ns = number_add(sum->bubble_ns, other->bubble_ns);
    sum->excluding_ns = number_add(sum->excluding_ns, other->excluding_ns);
    sum->works |= other->works;
    take_earlier(&sum->first_ns, other->first_ns);
    take_earlier(&sum->first_work_ns, other->first_work_ns);
    if (other->last_end_ns != DB_NULL && (sum->last_end_ns == DB_NULL || other->last_end_ns > sum->last_end_ns))
        sum->last_end_ns = other->last_end_ns;
}

ARRAY_COMPARE(compare_placed, struct placed_step, ARRAY_BY(start_ns))

static int place_steps(struct summing *summing, struct err *err)
{
    const struct step_sums *sums = summing->sums;
    int64_t latest_ns = INT64_MIN;
    summing->placed = calloc(sums->count + 1, sizeof *summing->placed);
    if (summing->placed == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < sums->count; i++)
        summing->placed[i] = (struct placed_step){
            .start_ns = sums->items[i].start_ns, .first_work_ns = DB_NULL, .step = &sums->items[i]};
    array_sort(summing->placed, sums->count, sizeof *summing->placed, compare_placed);
    for (size_t i = 0; i < sums->count; i++) {
        int64_t end_ns = summing->placed[i].step->end_ns;
        summing->placed[i].latest_end_ns = latest_ns = end_ns > latest_ns ? end_ns : latest_ns;
    }
    return 0;
}

struct united {
    const char *id; /* each text is there once */
    size_t place;
};

/* PyTorch has one row of all steps with one id, and counts it from the start of the first. */
static int unite_steps(struct step_sums *sums, struct err *err)
{
    struct map rows = MAP_OF(struct united, id);
    size_t kept = 0;
    bool added = false;
    for (size_t i = 0; i < sums->count; i++) {
        struct united *row = map_add(&rows, &sums->items[i].id, &added, err);
        if (row == NULL) {
            map_release(&rows);
            return err_status(err);
        }
        if (!added) {
            add_sum(&sums->items[row->place], &sums->items[i]);
            continue;
        }
        row->place = kept;
        sums->items[kept++] = sums->items[i];
    }
    sums->count = kept;
    map_release(&rows);
    return 0;
}

/* Makes the steps of one device, by start. free(ret->items). */
static int step_sums_make(struct framework_analysis *analysis, int64_t device_id, struct step_sums *ret,
                          struct err *err)
{
    struct summing summing = {.analysis = analysis,
                              .sums = ret,
                              .device_id = device_id,
                              .pytorch = analysis->framework->info.kind == FRAMEWORK_PYTORCH};
    *ret = (struct step_sums){.count = 0};
    const struct cann_clocks *clocks = report_clocks(&analysis->session, err);
    if (clocks == NULL)
        return err_status(err);
    summing.hz = cann_clock_hz(clocks, device_id);
    const struct cann_communications *communications = report_communications(&analysis->session, err);
    summing.names = communications != NULL ? report_names(&analysis->session, true, err) : NULL;
    if (summing.names == NULL)
        return err_status(err);
    bool failed = make_steps(analysis, ret, err) < 0 || place_steps(&summing, err) < 0 ||
                  sum_spans(&summing, communications, err) < 0 ||
                  sum_communication(&summing, communications, err) < 0 || unite_steps(ret, err) < 0;
    free(summing.placed);
    free(summing.waits.items);
    return failed ? err_status(err) : 0;
}

struct step_times step_times_of(const struct framework_analysis *analysis, const struct step_sum *step)
{
    const struct framework_info *info = &analysis->framework->info;
    const int64_t *spans = step->spans_ns;
    bool starts = step->first_work_ns != DB_NULL && step->host_start_ns != DB_NULL && info->with_cpu;
    return (struct step_times){
        .computing = spans[OVERLAP_COMPUTING],
        .only = spans[OVERLAP_COMMUNICATION_ONLY],
        .overlapped = spans[OVERLAP_COMMUNICATION] - spans[OVERLAP_COMMUNICATION_ONLY],
        .communication = spans[OVERLAP_COMMUNICATION],
        .free = spans[OVERLAP_FREE],
        .stage = step->first_ns != DB_NULL ? step->last_end_ns - step->first_ns - step->bubble_ns : 0,
        .bubble = step->bubble_ns,
        .excluding = step->excluding_ns,
        .preparing = starts ? step->first_work_ns - step->host_start_ns : 0,
    };
}

int step_sums_each(struct framework_analysis *analysis,
                   int (*each)(void *arg, int64_t device_id, const struct step_sum *step, struct err *err), void *arg,
                   struct err *err)
{
    const struct cann_parts *parts = report_parts(&analysis->session, err);
    int status = 0;
    if (parts == NULL)
        return err_status(err);
    for (size_t i = 0; status == 0 && i < parts->count; i++) {
        const struct cann_part *part = &parts->parts[i];
        struct step_sums sums;
        if (part->is_host)
            continue;
        int64_t device_id = part->device_id != DB_NULL ? part->device_id : 0;
        status = step_sums_make(analysis, device_id, &sums, err);
        for (size_t k = 0; status == 0 && k < sums.count; k++) {
            const struct step_sum *step = &sums.items[k];
            if (step->id == NULL ? sums.known : (step->works && framework_wants_step(analysis, step->id)))
                status = each(arg, device_id, step, err);
        }
        free(sums.items);
    }
    return status;
}

enum { DEVICE };

struct shown {
    struct step_times times;
    int64_t device_id;
    const char *step;
};

/* Nanoseconds, shown as microseconds. */
#define TIME(title, member, text)                                                                                      \
    {                                                                                                                  \
        title, SHOWN(times.member), FORM_SCALED_FIXED, 3, .doc = text                                                  \
    }

static const struct report_column columns[] = {
    [DEVICE] = {"Device_id", SHOWN(device_id), .doc = "The device."},
    {"Step", SHOWN(step), .doc = "The number that the framework gave the step."},
    TIME("Computing", computing, "When the device computed."),
    TIME("Communication(Not Overlapped)", only, "When it communicated and did nothing else."),
    TIME("Overlapped", overlapped, "When it did both."),
    TIME("Communication", communication, "When it communicated."),
    TIME("Free", free, "Idle time."),
    TIME("Stage", stage, "From the first communication to the end of the last, without Bubble."),
    TIME("Bubble", bubble, "In operators that wait for another stage of a pipeline."),
    TIME("Communication(Not Overlapped and Exclude Receive)", excluding,
         "When it did nothing but communicate, in other operators than those of Bubble."),
    TIME("Preparing", preparing, "From the step's start on the host to the device's first work."),
    {.title = NULL},
};

struct putting {
    struct report_run *run;
    const struct framework_analysis *analysis;
};

static int put_step(void *arg, int64_t device_id, const struct step_sum *step, struct err *err)
{
    const struct putting *putting = arg;
    const char *none = putting->analysis->framework->info.kind == FRAMEWORK_PYTORCH ? "" : "0";
    const struct shown row = {step_times_of(putting->analysis, step), device_id, step->id != NULL ? step->id : none};
    return report_put(putting->run, &row, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct putting putting = {run, report_analysis(run)};
    return step_sums_each(report_analysis(run), put_step, &putting, err);
}

/* MindSpore's table has the column of the device only if there are several. */
static int open_report(struct report_run *run, struct err *err)
{
    const struct cann_parts *parts = report_parts(run->session, err);
    size_t devices = 0;
    if (parts == NULL)
        return err_status(err);
    for (size_t i = 0; i < parts->count; i++)
        devices += !parts->parts[i].is_host;
    run->plan.columns[DEVICE].there = framework_names_device(report_analysis(run)) || devices > 1;
    return 0;
}

static const struct report step_trace_time = {
    .name = "step_trace_time",
    .title = "Steps",
    .doc = "Parts of the time of each step.",
    .columns = columns,
    .open = open_report,
    .rows = put_rows,
};

int framework_write_step_trace_time(struct framework_analysis *analysis, struct err *err)
{
    return framework_write_report(analysis, &step_trace_time, err);
}
