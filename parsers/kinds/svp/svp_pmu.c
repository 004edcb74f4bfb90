/* SPDX-License-Identifier: Apache-2.0 */
/* Device PMU of SVP boards: aicore.*, one record for each layer group of each sampled inference. */
#include "base/number.h"
#include "parsers/decode/decode.h"
#include "parsers/decode/layout_rate.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/inference.h"

#include <stdlib.h>
#include <string.h>

extern const struct record_kind kind_svp_pmu;

static const char *const patterns[] = {
    "aicore.{device_id}.{batch_num}.{input_pic_num}",
    "AIcore.{device_id}.{batch_num}.{input_pic_num}",
    "AAcore.{device_id}.{batch_num}.{input_pic_num}",
    /* of one inference */
    "aicore.{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}",
    "AIcore.{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}",
    "AAcore.{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}",
    NULL,
};

#define CYCLES INTEGER(CYCLE, PLAIN)

/* The first five are what a timeline reads: SQLite stops unpacking a row after the last column that is asked for. */
#define COLUMNS(MADE)                                                                                                  \
    MADE(INFERENCE, "inference_id", "Inference", MADE_NUMBER,                                                          \
         "The inference (inference.inference_id): model, batch, sample.")                                              \
    MADE(START_NS, "start_ns", "Start", INTEGER(NS, DERIVED),                                                          \
         "Where the inference's task before it ended; the first at the inference's start.")                            \
    MADE(DURATION_NS, "duration_ns", "Duration", INTEGER(NS, DERIVED),                                                 \
         "total_cycle / AI core frequency, to the next task's start.")                                                 \
    MADE(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream that the task ran on.")                              \
    MADE(TASK_ID, "task_id", "Task ID", NUMBER, "Index of the layer group within one inference.")                      \
    MADE(TOTAL_CYCLE, "total_cycle", "Total cycles", CYCLES, "Cycles of the layer group.")                             \
    MADE(MAC_BUSY, "mac_busy_cycle", "Mac busy", CYCLES, "Cycles in which the matrix unit was busy.")                  \
    MADE(MAC_PPEN, "mac_ppen_cycle", "Mac ppen", CYCLES, "Cycles in which the matrix unit's pipeline was enabled.")    \
    MADE(VEC_BUSY, "vec_busy_cycle", "Vec busy", CYCLES, "Cycles in which the vector unit was busy.")                  \
    MADE(VEC_PPEN, "vec_ppen_cycle", "Vec ppen", CYCLES, "Cycles in which the vector unit's pipeline was enabled.")    \
    MADE(DSTR, "dstr_cycle", "Dstr", CYCLES, "Cycles in which data were stored.")                                      \
    MADE(DTRANS, "dtrans_cycle", "Dtrans", CYCLES, "Cycles in which data were rearranged.")                            \
    MADE(DLD, "dld_cycle", "DLD", CYCLES, "Cycles in which data were loaded.")                                         \
    MADE(WLD, "wld_cycle", "WLD", CYCLES, "Cycles in which weights were loaded.")                                      \
    MADE(DDR_READ, "ddr_read_bytes", "DDR read", INTEGER(BYTE, PLAIN), "Bytes read from DDR memory.")                  \
    MADE(DDR_WRITE, "ddr_write_bytes", "DDR write", INTEGER(BYTE, PLAIN), "Bytes written to DDR memory.")              \
    MADE(MODEL_ID, "model_id", "Model ID", INTEGER(NONE, TRANSIENT), "The model; stored once in inference.")           \
    MADE(CURRENT_PIC_COUNT, "current_pic_count", "Current pic count", INTEGER(NONE, TRANSIENT),                        \
         "Which inference was sampled; stored once in inference.")                                                     \
    MADE(START_CYCLE, "start_cycle", "Start cycle", INTEGER(CYCLE, TRANSIENT),                                         \
         "The counter at the begin of the layer group, for layouts that calculate total_cycle as end minus begin.")

MADE_COLUMNS;

static const struct field fields[] = {
    FIELD("task_id", 6, 2),          FIELD("total_cycle", 16, 8),      FIELD("mac_busy_cycle", 32, 8),
    FIELD("mac_ppen_cycle", 40, 8),  FIELD("vec_busy_cycle", 48, 8),   FIELD("vec_ppen_cycle", 56, 8),
    FIELD("dstr_cycle", 64, 8),      FIELD("dtrans_cycle", 72, 8),     FIELD("dld_cycle", 80, 8),
    FIELD("wld_cycle", 88, 8),       FIELD("stream_id", 96, 4),        FIELD("model_id", 100, 4),
    FIELD("ddr_read_bytes", 104, 8), FIELD("ddr_write_bytes", 112, 8), FIELD("current_pic_count", 120, 4),
};

static const struct layout layouts[] = {{
    .name = "svp-reference",
    .source = "this project's reference layout after CANN's task-based aicore.data record, 128 bytes, event set "
              "ArithmeticUtilization (Ascend/msprof of 2022, analysis/profiling_bean/struct_info/aic_pmu.py)",
    .record_size = 128,
    .icache_miss_rate = {.given = true, .part = "icache_miss", .whole = {"icache_hit", "icache_miss"}},
    /* The reserved word is the only thing constant in this record, so it stands in for a magic number. */
    MAGICS(MAGIC(124, 4, 0)),
    FIELDS_OF(fields),
}};

/* No sound counter gets here: 2^53 cycles are 100 days at 1 GHz. */
#define COUNTER_LIMIT (INT64_C(1) << 53)

/* How many inferences of one file may be interleaved before a later part of one counts as a new one. */
#define OPEN_INFERENCES 4096
#define OPEN_BUCKET_BITS 13
#define FILE_BUCKET_BITS 4 /* at least */

struct open_inference {
    int64_t id, model_id, current_pic_count; /* -1: the layout does not give it */
    int64_t start_ns, end_ns, total_cycle, tasks;
    int64_t sums[DDR_WRITE - MAC_BUSY + 1]; /* of the counters */
    uint64_t summed;                        /* bit i: sums[i] has at least one value */
    bool start_known;
    const struct inference_mark *mark; /* may be NULL */
    struct open_inference *next_in_bucket;
    struct open_inference *newer, *older; /* by last use */
};

struct state {
    const struct capture_file *file;
    int64_t device_id, core_khz;
    const struct layout_rate *rate; /* of the layout that the records have */
    int64_t ids_before;             /* inferences of earlier files */
    int64_t only_model_id;          /* of records that do not say their model; -1: there are several */
    int64_t first_offset;           /* of the file's first record; -1: none yet */
    size_t mark;                    /* the .done file of the current record, when records do not say their inference */
    int64_t mark_end;               /* where it ends in the file; -1: no such file has been looked for */
    int64_t inferences;             /* of this file so far */
    struct open_inference *all;     /* OPEN_INFERENCES of them */
    size_t used;
    struct open_inference **buckets; /* 2 to bucket_bits, of a small file few */
    unsigned bucket_bits;
    struct open_inference *newest, *oldest;
    struct open_inference *current;
    struct capture_model *current_model;
    int64_t run_first_task;
    int64_t last_end_ns;             /* where an inference without a start time begins */
    bool last_end_known;             /* it is on the system monotonic clock */
    unsigned char *missing_reported; /* bit per task id of a model without layers; NULL: no task lacked one */
    const struct capture_model *missing_model;
};

static struct open_inference **find_bucket(struct state *state, int64_t model_id, int64_t current_pic_count)
{
    uint64_t hash = ((uint64_t)model_id * 0x9e3779b97f4a7c15u + (uint64_t)current_pic_count) * 0x9e3779b97f4a7c15u;
    return &state->buckets[hash >> (64 - state->bucket_bits)];
}

static void unlink_use(struct state *state, struct open_inference *inference)
{
    *(inference->newer != NULL ? &inference->newer->older : &state->newest) = inference->older;
    *(inference->older != NULL ? &inference->older->newer : &state->oldest) = inference->newer;
    inference->newer = inference->older = NULL;
}

static void mark_used(struct state *state, struct open_inference *inference)
{
    inference->older = state->newest;
    inference->newer = NULL;
    *(state->newest != NULL ? &state->newest->newer : &state->oldest) = inference;
    state->newest = inference;
}

static int open_stream(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    struct state *state = opaque;
    const struct device_info *device = capture_device(decoder_capture(decoder), file->identity.device_id);
    state->file = file;
    state->device_id = file->identity.device_id;
    state->core_khz = device != NULL ? device->core_khz : -1;
    state->ids_before = decoder_row_count(decoder, &kind_inference);
    const struct capture_model *only = capture_model(decoder_capture(decoder), -1);
    state->only_model_id = file->identity.model_id >= 0 ? file->identity.model_id : only != NULL ? only->model_id : -1;
    state->first_offset = state->mark_end = -1;
    /* Memory that is not cleared costs a file of few inferences nothing: begin_inference() sets all of a place. */
    state->all = malloc(OPEN_INFERENCES * sizeof *state->all);
    state->bucket_bits = FILE_BUCKET_BITS;
    while (state->bucket_bits < OPEN_BUCKET_BITS && file->size / layouts->record_size >> state->bucket_bits != 0)
        state->bucket_bits++;
    state->buckets = calloc((size_t)1 << state->bucket_bits, sizeof(struct open_inference *));
    if (state->all == NULL || state->buckets == NULL)
        return err_no_memory(err);
    return 0;
}

/* A number of an inference's row by its column; -1: it has none. */
static int64_t number_of_row(const void *arg, const char *name)
{
    const struct row *row = arg;
    int column = record_kind_column(&kind_inference, name);
    return column >= 0 && row_has(row, (size_t)column) ? row->cells[column].integer : -1;
}

/* Writes the inference's row: now it is known how many tasks it has. */
static int emit_inference(struct decoder *decoder, const struct state *state, const struct open_inference *inference,
                          struct err *err)
{
    struct row row;
    if (decoder_emit(decoder, &kind_inference, &row, err) < 0)
        return err_status(err);
    const struct file_identity *identity = &state->file->identity;
    const struct capture_model *model = capture_model(decoder_capture(decoder), inference->model_id);
    const char *name = inference->mark != NULL && inference->mark->identity.model != NULL
                           ? inference->mark->identity.model
                       : model != NULL ? model->name
                                       : NULL;
    row_set_integer(&row, INFERENCE_ID, inference->id);
    row_set_integer(&row, INFERENCE_FILE_ID, state->file->id);
    row_set_integer(&row, INFERENCE_DEVICE_ID, state->device_id);
    if (name != NULL)
        decoder_set_text(decoder, &kind_inference, &row, INFERENCE_MODEL_NAME, name, strlen(name));
    if (inference->model_id >= 0)
        row_set_integer(&row, INFERENCE_MODEL_ID, inference->model_id);
    row_set_integer(&row, INFERENCE_BATCH_NUM, identity->batch_num);
    row_set_integer(&row, INFERENCE_INPUT_PIC_NUM, identity->input_pic_num);
    if (inference->current_pic_count >= 0)
        row_set_integer(&row, INFERENCE_CURRENT_PIC_COUNT, inference->current_pic_count);
    row_set_integer(&row, INFERENCE_START_NS, inference->start_ns);
    row_set_integer(&row, INFERENCE_END_NS, inference->end_ns);
    row_set_integer(&row, INFERENCE_START_KNOWN, inference->start_known);
    row_set_integer(&row, INFERENCE_TASKS, inference->tasks);
    row_set_integer(&row, INFERENCE_TOTAL_CYCLE, inference->total_cycle);
    for (size_t i = 0; i < sizeof inference->sums / sizeof *inference->sums; i++) {
        if (inference->summed >> i & 1)
            row_set_integer(&row, INFERENCE_MAC_BUSY_CYCLE + i, inference->sums[i]);
    }
    if (inference->mark != NULL && inference->mark->done.icache_hit >= 0)
        row_set_integer(&row, INFERENCE_ICACHE_HIT, inference->mark->done.icache_hit);
    if (inference->mark != NULL && inference->mark->done.icache_miss >= 0)
        row_set_integer(&row, INFERENCE_ICACHE_MISS, inference->mark->done.icache_miss);
    int64_t rate = layout_rate_millionths(state->rate, number_of_row, &row);
    if (rate >= 0)
        row_set_integer(&row, INFERENCE_ICACHE_MISS_PPM, rate);
    if (state->core_khz > 0)
        row_set_integer(&row, INFERENCE_CORE_KHZ, state->core_khz);
    return 0;
}

static int emit_run(struct decoder *decoder, const struct state *state, int64_t last_task, struct err *err)
{
    struct row row;
    if (decoder_emit(decoder, &kind_inference_run, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, INFERENCE_RUN_INFERENCE_ID, state->current->id);
    row_set_integer(&row, INFERENCE_RUN_FIRST_TASK, state->run_first_task);
    row_set_integer(&row, INFERENCE_RUN_LAST_TASK, last_task);
    return 0;
}

/* A place for a new inference: a free one, or that of the one unused for longest, whose row is written. */
static int take_place(struct decoder *decoder, struct state *state, struct open_inference **ret, struct err *err)
{
    if (state->used < OPEN_INFERENCES) {
        *ret = &state->all[state->used++];
        return 0;
    }
    struct open_inference *oldest = state->oldest;
    if (emit_inference(decoder, state, oldest, err) < 0)
        return err_status(err);
    struct open_inference **link = find_bucket(state, oldest->model_id, oldest->current_pic_count);
    while (*link != oldest)
        link = &(*link)->next_in_bucket;
    *link = oldest->next_in_bucket;
    unlink_use(state, oldest);
    *ret = oldest;
    return 0;
}

static int begin_inference(struct decoder *decoder, struct state *state, int64_t model_id, int64_t current_pic_count,
                           struct open_inference **ret, struct err *err)
{
    struct open_inference *inference = NULL;
    if (take_place(decoder, state, &inference, err) < 0)
        return err_status(err);
    const struct file_identity *identity = &state->file->identity;
    *inference = (struct open_inference){
        .id = state->ids_before + ++state->inferences,
        .model_id = model_id,
        .current_pic_count = current_pic_count,
        .mark = capture_mark(decoder_capture(decoder), state->device_id, model_id, identity->batch_num,
                             identity->input_pic_num, current_pic_count),
    };
    if (inference->mark != NULL && inference->mark->done.start_ns >= 0) {
        inference->start_known = state->last_end_known = true;
        inference->start_ns = inference->mark->done.start_ns;
    } else {
        inference->start_known = state->last_end_known; /* after one with a time it has a time, too */
        inference->start_ns = state->last_end_ns;
        diag_report(decoder_diag(decoder), DIAG_START_UNKNOWN, FILE_PLACE(state->file->name, NULL),
                    "no start time for inference %lld of model %lld; placed at %lld ns", (long long)current_pic_count,
                    (long long)model_id, (long long)inference->start_ns);
    }
    inference->end_ns = inference->start_ns;
    struct open_inference **bucket = find_bucket(state, model_id, current_pic_count);
    inference->next_in_bucket = *bucket;
    *bucket = inference;
    mark_used(state, inference);
    *ret = inference;
    return 0;
}

static void choose_model(struct decoder *decoder, struct state *state, int64_t model_id)
{
    struct capture_model *model = capture_model(decoder_capture(decoder), model_id);
    state->current_model = model;
    if (model != NULL && model->layer_tasks != NULL)
        return;
    diag_report(decoder_diag(decoder), DIAG_LAYER_MISSING, FILE_PLACE(state->file->name, NULL),
                "no layer table for model %lld", (long long)model_id);
}

/* Makes the record's inference the current one. */
static int switch_inference(struct decoder *decoder, struct state *state, int64_t model_id, int64_t current_pic_count,
                            struct err *err)
{
    int64_t tasks_before = decoder_row_count(decoder, &kind_svp_pmu);
    if (state->current != NULL && emit_run(decoder, state, tasks_before, err) < 0)
        return err_status(err);
    if (state->current == NULL || state->current->model_id != model_id)
        choose_model(decoder, state, model_id);
    struct open_inference *inference = *find_bucket(state, model_id, current_pic_count);
    while (inference != NULL && (inference->model_id != model_id || inference->current_pic_count != current_pic_count))
        inference = inference->next_in_bucket;
    if (inference != NULL) {
        unlink_use(state, inference);
        mark_used(state, inference);
    } else {
        if (begin_inference(decoder, state, model_id, current_pic_count, &inference, err) < 0)
            return err_status(err);
    }
    state->current = inference;
    state->run_first_task = tasks_before + 1;
    return 0;
}

static void check_layer(struct decoder *decoder, struct state *state, int64_t task_id)
{
    const struct capture_model *model = state->current_model;
    if (model == NULL || model->layer_tasks == NULL || task_id < 0 || task_id >= LAYER_TASK_MAX)
        return;
    unsigned char bit = (unsigned char)(1u << (task_id & 7));
    if (model->layer_tasks[task_id >> 3] & bit)
        return;
    if (state->missing_model != model) {
        free(state->missing_reported);
        state->missing_reported = calloc(LAYER_TASK_MAX / 8, 1);
        state->missing_model = model;
    }
    if (state->missing_reported != NULL && state->missing_reported[task_id >> 3] & bit)
        return;
    if (state->missing_reported != NULL) /* without memory for it, a task is reported again */
        state->missing_reported[task_id >> 3] |= bit;
    decoder_report(decoder, DIAG_LAYER_MISSING, "task_id", "task %lld is not in the layer table of model '%s'",
                   (long long)task_id, model->name);
}

/* Sets start and duration from the running sum of cycles, so that rounding never adds up. False: the times run over. */
static bool derive_times(struct state *state, struct row *row)
{
    struct open_inference *inference = state->current;
    int64_t total = inference->total_cycle + row->cells[TOTAL_CYCLE].integer;
    if (total > INT64_MAX / 4)
        return false;
    if (state->core_khz > 0) {
        int64_t passed = number_scale(total, 1000000, state->core_khz);
        if (passed > DURATION_LIMIT_NS || inference->start_ns > INT64_MAX / 2)
            return false;
        int64_t start = inference->end_ns, end = inference->start_ns + passed;
        row_set_integer(row, START_NS, start);
        row_set_integer(row, DURATION_NS, end - start);
        inference->end_ns = end;
        state->last_end_ns = end;
    }
    inference->total_cycle = total;
    return true;
}

/* Adds the counters up; a sum that would not fit stays at the largest number. */
static void add_counters(struct open_inference *inference, const struct row *row)
{
    for (size_t i = MAC_BUSY; i <= DDR_WRITE; i++) {
        int64_t *sum = &inference->sums[i - MAC_BUSY];
        if (row_has(row, i) && __builtin_add_overflow(*sum, row->cells[i].integer, sum))
            *sum = INT64_MAX;
    }
    inference->summed |= *row->present >> MAC_BUSY & ((UINT64_C(1) << (DDR_WRITE - MAC_BUSY + 1)) - 1);
}

/* False, and reported, when a counter is beyond what any board counts. */
static bool check_counters(struct decoder *decoder, const struct row *row)
{
    for (size_t i = TOTAL_CYCLE; i <= DDR_WRITE; i++) {
        int64_t value = row->cells[i].integer;
        if (!row_has(row, i) || (value >= 0 && value <= COUNTER_LIMIT))
            continue;
        decoder_report(decoder, DIAG_RECORD_VALUE, columns[i].name, "%lld; expected 0 to %lld", (long long)value,
                       (long long)COUNTER_LIMIT);
        return false;
    }
    return true;
}

/* The next .done file of an inference of this file, from index at on; mark_count when there is none. */
static size_t next_mark(const struct state *state, const struct capture *capture, size_t at)
{
    const struct file_identity *file = &state->file->identity;
    for (; at < capture->mark_count; at++) {
        const struct file_identity *mark = &capture->marks[at].identity;
        if (mark->device_id == file->device_id && mark->batch_num == file->batch_num &&
            mark->input_pic_num == file->input_pic_num)
            break;
    }
    return at;
}

/* Makes the inference of a .done file the current one: its records begin at an offset. */
static void begin_mark(struct state *state, const struct capture *capture, size_t mark, int64_t offset)
{
    int64_t size = mark < capture->mark_count ? capture->marks[mark].done.file_size : 0;
    state->mark = mark;
    if (size <= 0 || __builtin_add_overflow(offset, size, &state->mark_end))
        state->mark_end = INT64_MAX;
}

/* The inference of a record that does not name it, by its place: each .done file has the bytes of its inference. */
static int64_t pic_count_of_place(struct decoder *decoder, struct state *state)
{
    const struct capture *capture = decoder_capture(decoder);
    int64_t offset = decoder_place(decoder, NULL).offset;
    if (state->file->identity.current_pic_count >= 0)
        return state->file->identity.current_pic_count;
    if (state->only_model_id < 0)
        return -1;
    if (state->first_offset < 0) {
        state->first_offset = offset;
        begin_mark(state, capture, next_mark(state, capture, 0), offset);
    }
    while (state->mark < capture->mark_count && offset >= state->mark_end) {
        size_t next = next_mark(state, capture, state->mark + 1);
        if (next >= capture->mark_count)
            break; /* what is behind the last belongs to it */
        begin_mark(state, capture, next, state->mark_end);
    }
    return state->mark < capture->mark_count ? capture->marks[state->mark].identity.current_pic_count : -1;
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct state *state = opaque;
    int64_t model_id = row_has(row, MODEL_ID) ? row->cells[MODEL_ID].integer : state->only_model_id;
    int64_t current_pic_count =
        row_has(row, CURRENT_PIC_COUNT) ? row->cells[CURRENT_PIC_COUNT].integer : pic_count_of_place(decoder, state);
    *keep = check_counters(decoder, row);
    if (!*keep)
        return 0;
    state->rate = layout_rate_of(&kind_svp_pmu, decoder_layout(decoder));
    if (state->core_khz <= 0 && decoder_layout(decoder)->core_khz > 0)
        state->core_khz = decoder_layout(decoder)->core_khz;
    if (state->current == NULL || state->current->model_id != model_id ||
        state->current->current_pic_count != current_pic_count) {
        if (switch_inference(decoder, state, model_id, current_pic_count, err) < 0)
            return err_status(err);
    }
    row_set_integer(row, INFERENCE, state->current->id);
    if (row_has(row, TOTAL_CYCLE) && !derive_times(state, row))
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, "total_cycle",
                              "the inference would last longer than %lld ns; expected a smaller sum of cycles",
                              (long long)DURATION_LIMIT_NS);
    state->current->tasks++;
    add_counters(state->current, row);
    if (row_has(row, TASK_ID))
        check_layer(decoder, state, row->cells[TASK_ID].integer);
    return 0;
}

static int close_stream(struct decoder *decoder, void *opaque, bool failed, struct err *err)
{
    struct state *state = opaque;
    int status = 0;
    if (!failed && state->current != NULL)
        status = emit_run(decoder, state, decoder_row_count(decoder, &kind_svp_pmu), err);
    for (struct open_inference *inference = state->oldest; !failed && status == 0 && inference != NULL;
         inference = inference->newer)
        status = emit_inference(decoder, state, inference, err);
    free(state->missing_reported);
    free(state->buckets);
    free(state->all);
    return status;
}

const struct record_kind kind_svp_pmu = {
    .name = "svp_pmu",
    .table = "ai_core_task",
    .families = FAMILY_SVP,
    .title = "Device PMU of a layer group",
    .doc = "Cycle counters and DDR traffic of one layer group (a task of the AI core) in one sampled inference.",
    .patterns = patterns,
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .rated = &kind_inference,
    HOOKS(.state_size = sizeof(struct state), .open = open_stream, .record = take_record, .close = close_stream),
};
