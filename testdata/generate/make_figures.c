/* SPDX-License-Identifier: Apache-2.0 */
/* make-figures: captures that encode the figures of the vendor's guide (docs/formats/svp.md 5), worked back to
 * cycles. */
#include "base/file/fsutil.h"
#include "base/number.h"
#include "testdata/generate/api_log.h"
#include "testdata/generate/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEGAHERTZ 600
#define TICK 100 /* cycles: a sixth of a microsecond at 600 MHz */
#define MODEL "fasterrcnn_alexnet"
#define MODEL_ID 34
#define START_NS INT64_C(5254000000000)

/* The network of the guide's detection figures; what the figures do not show is filled in plausibly. */
static struct network_layer layers[] = {
    {"data", "data", "Preprocess", 0, false},
    {"conv1", "conv1,relu1", "Convolution", 0, false},
    {"pool1", "pool1", "PoolingMax", 0, false},
    {"conv2", "conv2,relu2", "Convolution", 0, false},
    {"pool2", "pool2", "PoolingMax", 0, false},
    {"conv3", "conv3,relu3", "Convolution", 1, false},
    {"conv4", "conv4,relu4", "Convolution", 2, false},
    {"conv5", "conv5,relu5", "Convolution", 3, false},
    {"rpn_conv1", "rpn_conv1,rpn_relu1", "Convolution", 4, false},
    {"rpn_cls_score", "rpn_cls_score", "Convolution", 5, false},
    {"rpn_cls_score_perm", "rpn_cls_score_perm", "Permute", 6, false},
    {"rpn_cls_score_reshape", "rpn_cls_score_reshape", "Reshape", 7, false},
    {"rpn_cls_score_perm2", "rpn_cls_score_perm2", "Permute", 8, false},
    {"rpn_bbox_pred", "rpn_bbox_pred", "Convolution", 9, false},
    {"rpn_bbox_pred_perm", "rpn_bbox_pred_perm", "Permute", 10, false},
    {"rpn_cls_prob", "rpn_cls_prob", "Softmax", 11, false},
    {"rpn_cls_prob_reshape", "rpn_cls_prob_reshape", "Reshape", 11, false},
    {"rpn_cls_prob_slice", "rpn_cls_prob_slice", "Slice", 12, false},
    {"rpn_cls_prob_perm", "rpn_cls_prob_perm", "Permute", 12, false},
    {"rpn_bbox_perm", "rpn_bbox_perm", "Permute", 13, false},
    {"rpn_bbox_reshape", "rpn_bbox_reshape", "Reshape", 14, false},
    {"rpn_decbbox", "rpn_decbbox", "DecBbox", 15, false},
    {"rpn_sort", "rpn_sort", "Sort", 16, false},
    {"rpn_nms", "rpn_nms", "NMS", 17, false},
    {"rpn_filter", "rpn_filter", "FilterBox", 18, false},
    {"im_info", "im_info", "Preprocess", 19, false},
    {"roi_pool5", "roi_pool5", "ROIPooling", 20, false},
    {"roi_reshape", "roi_reshape", "Reshape", 21, false},
    {"fc6", "fc6,relu6", "Fc", 22, false},
    {"fc7", "fc7,relu7", "Fc", 23, false},
    {"cls_score", "cls_score", "Fc", 24, false},
    {"bbox_pred", "bbox_pred", "Fc", 25, false},
    {"cls_prob", "cls_prob", "Softmax", 26, false},
    {"cls_reshape", "cls_reshape", "Reshape", 27, false},
    {"bbox_reshape", "bbox_reshape", "Reshape", 28, false},
    {"report_rois", "report_rois", "Reportop", 29, false},
    {"report_prob", "report_prob", "Reportop", 30, false},
    {"report_bbox", "report_bbox", "Reportop", 31, false},
    {"report_num", "report_num", "Reportop", 32, false},
};
#define TASKS 33
#define LAYERS (sizeof(layers) / sizeof(layers[0]))

/* op_statistic: ticks of each task, so that the times rounded to two decimals add up to the figure's totals of each
 * type. Sort is no row of the figure: its ratios need a sum of 39267.2 to 39274.7 us over all types, so one row was cut
 * off. */
static const unsigned statistic_ticks[TASKS] = {15542, 4163,  6244, 4156, 2884, 67,   58,  39,   355,  193,   2662,
                                                398,   142,   2779, 2382, 527,  1501, 981, 253,  9,    39427, 1203,
                                                56167, 18001, 470,  431,  3877, 1260, 862, 3003, 1442, 1442,  9};

/* op_summary: another run of the same network, 28823.67 us altogether. */
static const unsigned summary_ticks[TASKS] = {15564, 4163,  6245, 4155, 2885, 67,   58,  39,   355,  193,   2662,
                                              398,   142,   2778, 2382, 527,  1492, 981, 252,  9,    39427, 1203,
                                              56168, 18001, 470,  431,  3877, 1260, 862, 3003, 1442, 1442,  9};

/* Rows that the op_summary figure shows; everything in hundredths. */
struct shown_row {
    unsigned task;
    unsigned ratios[CYCLE_KINDS];
    unsigned memory_bound;
};

static const struct shown_row shown_rows[] = {
    {0, {9734, 9700, 9959, 1064, 190, 109, 3054, 180}, 31},
    {1, {9572, 9547, 9981, 265, 0, 0, 412, 1161}, 12},
    {6, {0, 0, 0, 0, 0, 9229, 0, 0}, 0},
    {8, {0, 0, 1257, 1123, 1444, 1135, 7218, 0}, 643},
    {9, {1931, 1907, 9660, 953, 1952, 0, 7796, 411}, 404},
    {12, {0, 0, 380, 351, 7561, 1276, 722, 0}, 2152},
};
#define SHOWN_ROWS (sizeof(shown_rows) / sizeof(shown_rows[0]))

static const unsigned total_ratios[CYCLE_KINDS] = {6059, 5514, 6247, 615, 1560, 565, 4577, 1081};

/* How busy each unit is in a layer of each type, per cent: the shape that the hidden rows get before they are scaled so
 * that the total row comes out. */
static const struct {
    const char *type;
    unsigned shares[CYCLE_KINDS];
} usual_shares[] = {
    {"Convolution", {85, 80, 90, 8, 8, 2, 20, 10}}, {"Fc", {88, 80, 70, 4, 6, 2, 30, 21}},
    {"ROIPooling", {10, 8, 45, 10, 28, 4, 88, 0}},  {"Permute", {0, 0, 10, 6, 30, 45, 60, 0}},
    {"Reshape", {0, 0, 2, 1, 45, 20, 48, 0}},       {"Softmax", {0, 0, 80, 30, 20, 5, 40, 0}},
};
static const unsigned other_shares[CYCLE_KINDS] = {0, 0, 30, 10, 40, 15, 45, 0};

static uint64_t ratio(uint64_t part, uint64_t whole)
{
    return (uint64_t)number_ratio((int64_t)part * 100, (int64_t)whole, 2);
}

static bool is_memory_bound_of(const struct workload *work, unsigned expected)
{
    uint64_t memory = work->cycles[DSTR], compute = work->cycles[MAC_BUSY];
    if (work->cycles[DLD] > memory)
        memory = work->cycles[DLD];
    if (work->cycles[WLD] > memory)
        memory = work->cycles[WLD];
    if (work->cycles[VEC_PPEN] > compute)
        compute = work->cycles[VEC_PPEN];
    return (uint64_t)number_ratio((int64_t)memory, (int64_t)compute, 2) == expected;
}

/* Solves a shown row: among all cycle counts that print as the figure's ratios, finds those that also give its Memory
 * Bound. */
static int solve_shown_row(const struct shown_row *row, struct workload *work, struct err *err)
{
    uint64_t total = work->total_cycle, low[CYCLE_KINDS], high[CYCLE_KINDS];
    for (int i = 0; i < CYCLE_KINDS; i++) {
        uint64_t middle = row->ratios[i] * total / 10000;
        for (low[i] = middle + 1; low[i] > 0 && ratio(low[i] - 1, total) >= row->ratios[i];)
            low[i]--;
        for (high[i] = low[i]; ratio(high[i] + 1, total) <= row->ratios[i];)
            high[i]++;
        if (ratio(low[i], total) != row->ratios[i])
            return err_set(err, ERR_FAILED, "task %u: no cycle count prints as %u hundredths", row->task,
                           row->ratios[i]);
        work->cycles[i] = (low[i] + high[i]) / 2;
        if (row->ratios[i] == 0)
            work->cycles[i] = 0;
    }
    int memory = row->ratios[DSTR] > row->ratios[DLD] ? DSTR : DLD,
        compute = row->ratios[MAC_BUSY] > 0 ? MAC_BUSY : VEC_PPEN;
    if (is_memory_bound_of(work, row->memory_bound))
        return 0;
    for (work->cycles[memory] = low[memory]; work->cycles[memory] <= high[memory]; work->cycles[memory]++)
        for (work->cycles[compute] = low[compute]; work->cycles[compute] <= high[compute]; work->cycles[compute]++)
            if (is_memory_bound_of(work, row->memory_bound))
                return 0;
    return err_set(err, ERR_FAILED, "task %u: no cycle counts give a Memory Bound of %u hundredths", row->task,
                   row->memory_bound);
}

static const unsigned *shares_of(unsigned task)
{
    for (size_t i = 0; i < LAYERS; i++)
        for (size_t k = 0; layers[i].task_id == task && k < sizeof(usual_shares) / sizeof(usual_shares[0]); k++)
            if (strcmp(layers[i].type, usual_shares[k].type) == 0)
                return usual_shares[k].shares;
    return other_shares;
}

static bool is_shown(unsigned task)
{
    for (size_t i = 0; i < SHOWN_ROWS; i++)
        if (shown_rows[i].task == task)
            return true;
    return false;
}

/* Gives the hidden rows what the total row needs of one kind of cycles, in proportion to their usual shares. */
static int solve_hidden_rows(struct workload works[TASKS], int kind, struct err *err)
{
    uint64_t total = 0, needed, weights = 0, given = 0, weight_given = 0;
    for (unsigned i = 0; i < TASKS; i++) {
        total += works[i].total_cycle;
        weights += is_shown(i) ? 0 : works[i].total_cycle * shares_of(i)[kind];
        given += is_shown(i) ? works[i].cycles[kind] : 0;
    }
    needed = (total * total_ratios[kind] + 5000) / 10000 - given;
    given = 0;
    for (unsigned i = 0; i < TASKS; i++) {
        if (is_shown(i))
            continue;
        weight_given += works[i].total_cycle * shares_of(i)[kind];
        uint64_t until = (uint64_t)number_scale((int64_t)needed, (int64_t)weight_given, (int64_t)weights);
        works[i].cycles[kind] = until - given;
        given = until;
        if (works[i].cycles[kind] > works[i].total_cycle)
            return err_set(err, ERR_FAILED, "task %u would be busier than 100 per cent in cycle kind %d", i, kind);
    }
    return 0;
}

static int solve_summary(struct workload works[TASKS], struct err *err)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < SHOWN_ROWS; i++)
        r = solve_shown_row(&shown_rows[i], &works[shown_rows[i].task], err);
    for (int kind = 0; r == 0 && kind < CYCLE_KINDS; kind++)
        r = solve_hidden_rows(works, kind, err);
    for (unsigned i = 0; i < TASKS; i++) {
        works[i].ddr_read_bytes = (works[i].cycles[DLD] + works[i].cycles[WLD]) * 16;
        works[i].ddr_write_bytes = works[i].cycles[DSTR] * 16;
    }
    return r;
}

static int set_cell(struct record_file *file, const char *column, uint64_t value, struct err *err)
{
    int at = record_file_column(file, column, err);
    if (at < 0)
        return at;
    record_file_set(file, at, (int64_t)value);
    return 0;
}

static int write_task(struct record_file *file, unsigned task, const struct workload *work, struct err *err)
{
    static const char *const names[CYCLE_KINDS] = {"mac_busy_cycle", "mac_ppen_cycle", "vec_busy_cycle",
                                                   "vec_ppen_cycle", "dstr_cycle",     "dtrans_cycle",
                                                   "dld_cycle",      "wld_cycle"};
    int r = set_cell(file, "task_id", task, err);
    for (int i = 0; r == 0 && i < CYCLE_KINDS; i++)
        r = set_cell(file, names[i], work->cycles[i], err);
    if (r < 0 || (r = set_cell(file, "total_cycle", work->total_cycle, err)) < 0 ||
        (r = set_cell(file, "stream_id", 0, err)) < 0 || (r = set_cell(file, "model_id", MODEL_ID, err)) < 0 ||
        (r = set_cell(file, "ddr_read_bytes", work->ddr_read_bytes, err)) < 0 ||
        (r = set_cell(file, "ddr_write_bytes", work->ddr_write_bytes, err)) < 0 ||
        (r = set_cell(file, "current_pic_count", 0, err)) < 0)
        return r;
    return record_file_write(file, err);
}

static int write_tasks(const struct job *job, const struct workload works[TASKS], struct err *err)
{
    struct record_file file;
    uint64_t cycles = 0;
    int r = record_file_open(&file, job, "aicore.0.1.1", "svp_pmu", err);
    if (r < 0)
        return r;
    for (unsigned i = 0; r == 0 && i < TASKS; i++) {
        r = write_task(&file, i, &works[i], err);
        cycles += works[i].total_cycle;
    }
    if (r < 0) {
        record_file_abort(&file);
        return r;
    }
    struct done done = {.file_size = record_file_size(&file),
                        .start_ns = START_NS,
                        .end_ns = START_NS + (int64_t)(cycles * 1000 / MEGAHERTZ),
                        .has_icache = true,
                        .icache_hit = 999598,
                        .icache_miss = 402};
    if ((r = record_file_close(&file, err)) < 0)
        return r;
    return job_write_done(job, "aicore.0." MODEL ".34.1.1.0", &done, err);
}

/* A capture of one inference of the network. */
static int write_device_capture(const struct job *job, const unsigned ticks[TASKS], bool ratios, struct err *err)
{
    struct network network = {.layers = layers, .layer_count = LAYERS};
    struct workload works[TASKS];
    for (unsigned i = 0; i < TASKS; i++)
        works[i] = (struct workload){.total_cycle = (uint64_t)ticks[i] * TICK};
    int r = ratios ? solve_summary(works, err) : 0;
    if (r < 0 || (r = job_write_info(job, 0, MEGAHERTZ, err)) < 0 ||
        (r = job_write_layers(job, MODEL, MODEL_ID, &network, err)) < 0 ||
        (r = job_write_net(job, MODEL, MODEL_ID, 1, err)) < 0)
        return r;
    return write_tasks(job, works, err);
}

static int write_op_summary(const struct job *job, struct err *err)
{
    return write_device_capture(job, summary_ticks, true, err);
}

static int write_op_statistic(const struct job *job, struct err *err)
{
    return write_device_capture(job, statistic_ticks, false, err);
}

static void log_call(struct api_log *log, const char *name, int64_t start_us, int64_t end_us)
{
    struct api_call call = {name, API_MODEL, 0, 0, START_NS + start_us * 1000, START_NS + end_us * 1000};
    api_log_add(log, &call);
}

/* The i-th of 50 durations with this sum, smallest and largest; the others differ by one at most. */
static int64_t duration(int i, int64_t sum, int64_t smallest, int64_t largest)
{
    int64_t rest = sum - smallest - largest;
    if (i == 0)
        return largest; /* the first one warms up */
    if (i == 49)
        return smallest;
    return rest / 48 + (i <= rest % 48 ? 1 : 0);
}

/* Four functions: one load, 50 executions each with its AI CPU task inside, one unload; all in whole microseconds. */
static int write_acl_statistic(const struct job *job, struct err *err)
{
    struct api_log log;
    int r = api_log_init(&log, BOARD_API_CALLS, err);
    if (r < 0)
        return r;
    int64_t now = 340694 + 25;
    log_call(&log, "svp_acl_mdl_load_from_mem", 0, 340694);
    for (int i = 0; i < 50; i++) {
        int64_t end = now + duration(i, 1781448, 35377, 41968), inner_end = end - 90;
        log_call(&log, "svp_acl_ext_process_aicpu_task", inner_end - duration(i, 352740, 6863, 11883), inner_end);
        log_call(&log, "svp_acl_mdl_execute", now, end);
        now = end + 700;
    }
    log_call(&log, "svp_acl_mdl_unload", now, now + 5898);
    if ((r = job_write_info(job, 0, MEGAHERTZ, err)) == 0)
        r = api_log_write(&log, job, 0, "resnet50", 6, err);
    api_log_release(&log);
    return r;
}

static int write_figure(const char *output, const char *figure, uint64_t seed,
                        int (*write)(const struct job *job, struct err *err), struct err *err)
{
    char name[JOB_NAME_SIZE];
    struct job job;
    job_name(seed, name);
    char *folder = path_join(output, figure);
    if (folder == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    int r = job_init(&job, folder, name, err);
    if (r == 0)
        r = write(&job, err);
    if (r == 0)
        printf("%s\n", job.directory);
    job_release(&job);
    free(folder);
    return r;
}

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    if (argc != 2) {
        fputs("usage: make-figures OUTPUT_DIRECTORY\n", stderr);
        return 2;
    }
    int r = write_figure(argv[1], "op_summary", 101, write_op_summary, &err);
    if (r == 0)
        r = write_figure(argv[1], "op_statistic", 102, write_op_statistic, &err);
    if (r == 0)
        r = write_figure(argv[1], "acl_statistic", 103, write_acl_statistic, &err);
    if (r < 0)
        fprintf(stderr, "make-figures: %s\n", err_message(&err));
    return r < 0 || fflush(stdout) != 0 ? 1 : 0;
}
