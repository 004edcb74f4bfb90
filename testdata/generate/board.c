/* SPDX-License-Identifier: Apache-2.0 */
#include "testdata/generate/board.h"

#include "testdata/generate/api_log.h"
#include "testdata/generate/job.h"
#include "testdata/generate/random.h"
#include "testdata/generate/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROCESS_ID 1432
#define US INT64_C(1000) /* nanoseconds */

struct pmu_columns {
    int task_id, total_cycle, cycles[CYCLE_KINDS], stream_id, model_id, ddr_read, ddr_write, current_pic_count;
};

/* State of one stream of the board: it takes its turns of the inferences, and all models for each of them. */
struct lane {
    unsigned stream;
    bool active;
    uint64_t inference;
    size_t model;
    int64_t now_ns; /* while no inference runs */
    int64_t execute_ns, preprocess_ns, preprocess_end_ns, core_ns;
    uint64_t random; /* of this inference */
    uint64_t cycles; /* since core_ns, with the current task */
    size_t task;     /* the current one */
    struct workload work;
    struct record_file own; /* with board_names: of its inference */
    bool open;
};

struct board {
    const struct board_options *options;
    const struct network *network;
    struct job job;
    uint64_t random;
    unsigned device, batch, input;
    struct api_log logs[BOARD_MAX_MODELS];
    struct lane lanes[BOARD_MAX_STREAMS];
    int64_t now_ns; /* between runs */
    struct record_file pmu;
    size_t record_size;
    struct pmu_columns columns;
    uint64_t records;
};

static int64_t lasting(uint64_t *random, int64_t low_us, int64_t high_us)
{
    return (int64_t)random_between(random, (uint64_t)(low_us * US), (uint64_t)(high_us * US));
}

/* A call that lasts as long as it usually does; moves *now_ns behind it. */
static void call_api(struct board *board, size_t model, unsigned thread, enum api_type type, const char *name,
                     uint64_t *random, int64_t *now_ns, int64_t low_us, int64_t high_us)
{
    struct api_call call = {
        name, type, PROCESS_ID, PROCESS_ID + thread, *now_ns, *now_ns + lasting(random, low_us, high_us)};
    api_log_add(&board->logs[model], &call);
    *now_ns = call.end_ns + lasting(random, 2, 9);
}

static void load_model(struct board *board, size_t model)
{
    uint64_t random = random_derive(board->random, 100 + model);
    int64_t *now = &board->now_ns;
    if (model == 0) {
        call_api(board, model, 0, API_OTHERS, "svp_acl_init", &random, now, 400, 900);
        call_api(board, model, 0, API_RUNTIME, "svp_acl_rt_set_device", &random, now, 900, 1500);
        call_api(board, model, 0, API_RUNTIME, "svp_acl_rt_create_context", &random, now, 20, 60);
        for (unsigned i = 0; i < board->options->streams; i++)
            call_api(board, model, 0, API_RUNTIME, "svp_acl_rt_create_stream", &random, now, 30, 80);
    }
    call_api(board, model, 0, API_RUNTIME, "svp_acl_rt_malloc", &random, now, 900, 1900);
    call_api(board, model, 0, API_MODEL, "svp_acl_mdl_load_from_mem", &random, now, 240000, 340000);
    call_api(board, model, 0, API_MODEL, "svp_acl_mdl_create_desc", &random, now, 3, 9);
    call_api(board, model, 0, API_MODEL, "svp_acl_mdl_get_desc", &random, now, 20, 60);
    call_api(board, model, 0, API_MODEL, "svp_acl_mdl_get_num_inputs", &random, now, 1, 3);
    call_api(board, model, 0, API_MODEL, "svp_acl_mdl_get_num_outputs", &random, now, 1, 3);
    call_api(board, model, 0, API_MODEL, "svp_acl_mdl_create_dataset", &random, now, 2, 6);
    for (int i = 0; i < 5; i++) {
        call_api(board, model, 0, API_RUNTIME, "svp_acl_rt_malloc", &random, now, 60, 420);
        call_api(board, model, 0, API_MODEL, "svp_acl_mdl_add_dataset_buffer", &random, now, 1, 4);
    }
}

static void unload_model(struct board *board, size_t model)
{
    uint64_t random = random_derive(board->random, 200 + model);
    int64_t *now = &board->now_ns;
    for (int i = 0; i < 5; i++)
        call_api(board, model, 0, API_RUNTIME, "svp_acl_rt_free", &random, now, 30, 160);
    call_api(board, model, 0, API_MODEL, "svp_acl_mdl_destroy_dataset", &random, now, 2, 6);
    call_api(board, model, 0, API_MODEL, "svp_acl_mdl_unload", &random, now, 4000, 6000);
    call_api(board, model, 0, API_MODEL, "svp_acl_mdl_destroy_desc", &random, now, 2, 6);
    if (model == board->options->model_count - 1)
        call_api(board, model, 0, API_RUNTIME, "svp_acl_rt_reset_device", &random, now, 300, 700);
}

static bool is_sampled(const struct board *board, uint64_t inference)
{
    return board->options->interval <= 1 || inference % board->options->interval == 0;
}

static uint64_t executed_inferences(const struct board *board)
{
    const struct board_options *options = board->options;
    return options->interval <= 1 ? options->inferences : options->inferences * options->interval;
}

/* current_pic_count: an inference is of a batch of pictures. */
static uint64_t current_picture(const struct board *board, const struct lane *lane)
{
    return lane->inference * board->batch;
}

static int64_t core_time(const struct board *board, const struct lane *lane)
{
    return lane->core_ns + (int64_t)(lane->cycles * 1000 / board->options->megahertz);
}

static void measure_task(struct board *board, struct lane *lane)
{
    workload_measure(&board->network->tasks[lane->task], board->batch, random_derive(lane->random, lane->task),
                     &lane->work);
    lane->cycles += lane->work.total_cycle;
}

/* The AI CPU part of an execution: an API call around the task. */
static void run_ai_cpu(struct board *board, struct lane *lane, uint64_t *random, int64_t start_ns, int64_t low_us,
                       int64_t high_us, int64_t *ret_end_ns)
{
    int64_t end_ns = start_ns + lasting(random, low_us, high_us) * board->batch;
    struct api_call call = {"svp_acl_ext_process_aicpu_task",
                            API_MODEL,
                            PROCESS_ID,
                            PROCESS_ID + 1 + lane->stream,
                            start_ns - lasting(random, 4, 9),
                            end_ns + lasting(random, 3, 7)};
    api_log_add(&board->logs[lane->model], &call);
    *ret_end_ns = end_ns;
}

static void begin_inference(struct board *board, struct lane *lane)
{
    uint64_t key =
        ((uint64_t)board->batch << 32 | board->input) * 1000003 + lane->inference * BOARD_MAX_MODELS + lane->model;
    lane->random = random_derive(board->random, key);
    uint64_t random = random_derive(lane->random, UINT64_MAX);
    call_api(board, lane->model, 1 + lane->stream, API_RUNTIME, "svp_acl_rt_memcpy", &random, &lane->now_ns,
             60 * (int64_t)board->batch, 90 * (int64_t)board->batch);
    lane->execute_ns = lane->now_ns;
    lane->core_ns = lane->execute_ns + lasting(&random, 40, 60);
    if (board->network->preprocess) {
        lane->preprocess_ns = lane->core_ns;
        run_ai_cpu(board, lane, &random, lane->preprocess_ns, 310, 380, &lane->preprocess_end_ns);
        lane->core_ns = lane->preprocess_end_ns + lasting(&random, 12, 20);
    }
    lane->cycles = 0;
    lane->task = 0;
    measure_task(board, lane);
}

static int write_ai_cpu_record(struct board *board, struct record_file *file, const struct lane *lane, unsigned task_id,
                               int64_t start_ns, int64_t end_ns, struct err *err)
{
    const struct {
        const char *column;
        int64_t value;
    } values[] = {
        {"stream_id", board->options->streams + lane->stream},
        {"task_id", task_id},
        {"start_ns", start_ns},
        {"end_ns", end_ns},
        {"dispatch_ns", 6 * US},
        {"total_ns", (end_ns - start_ns) / US * US + 8 * US},
    };
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        int column = record_file_column(file, values[i].column, err);
        if (column < 0)
            return column;
        record_file_set(file, column, values[i].value);
    }
    return record_file_write(file, err);
}

/* "aicore.0.resnet50.6.1.1.0" */
static void name_inference(const struct board *board, const struct lane *lane, const char *stream,
                           char name[FILE_NAME_SIZE])
{
    snprintf(name, FILE_NAME_SIZE, "%s.%u.%s.%u.%u.%u.%" PRIu64, stream, board->device,
             board->options->models[lane->model].name, board->options->models[lane->model].id, board->batch,
             board->input, current_picture(board, lane));
}

static int write_ai_cpu(struct board *board, const struct lane *lane, int64_t postprocess_ns,
                        int64_t postprocess_end_ns, struct err *err)
{
    char name[FILE_NAME_SIZE];
    struct record_file file;
    name_inference(board, lane, "aicpu", name);
    int r = record_file_open(&file, &board->job, name, "aicpu_task", err);
    if (r < 0)
        return r;
    r = write_ai_cpu_record(board, &file, lane, 0, lane->preprocess_ns, lane->preprocess_end_ns, err);
    if (r == 0)
        r = write_ai_cpu_record(board, &file, lane, 1, postprocess_ns, postprocess_end_ns, err);
    if (r < 0) {
        record_file_abort(&file);
        return r;
    }
    struct done done = {
        .file_size = record_file_size(&file), .start_ns = lane->preprocess_ns, .end_ns = postprocess_end_ns};
    r = record_file_close(&file, err);
    return r < 0 ? r : job_write_done(&board->job, name, &done, err);
}

static int close_own_file(struct board *board, struct lane *lane, struct err *err)
{
    char name[FILE_NAME_SIZE];
    if (!lane->open)
        return 0;
    lane->open = false;
    board->records += lane->own.records;
    int r = record_file_close(&lane->own, err);
    name_inference(board, lane, "cont", name);
    return r < 0 ? r : job_write_content(&board->job, name, err);
}

static int write_inference_done(struct board *board, const struct lane *lane, struct err *err)
{
    char name[FILE_NAME_SIZE];
    uint64_t random = random_derive(lane->random, UINT64_MAX - 1), tasks = board->network->task_count;
    name_inference(board, lane, "aicore", name);
    struct done done = {
        .file_size = tasks * board->record_size,
        .start_ns = lane->core_ns,
        .end_ns = core_time(board, lane),
        .has_icache = true,
        .icache_hit = tasks * random_between(&random, 4100, 4300),
        .icache_miss = tasks + random_between(&random, tasks / 2, tasks),
    };
    return job_write_done(&board->job, name, &done, err);
}

/* Moves a lane to its next inference: the next model on the same picture, or the first on its next one. */
static void advance(struct board *board, struct lane *lane)
{
    if (++lane->model == board->options->model_count) {
        lane->model = 0;
        lane->inference += board->options->streams;
        lane->now_ns += 900 * US; /* the next picture */
    }
    lane->active = lane->inference < executed_inferences(board);
    if (lane->active)
        begin_inference(board, lane);
}

static int finish_inference(struct board *board, struct lane *lane, struct err *err)
{
    uint64_t random = random_derive(lane->random, UINT64_MAX - 2);
    int64_t end_ns = core_time(board, lane), postprocess_ns = 0;
    bool sampled = is_sampled(board, lane->inference);
    int r = close_own_file(board, lane, err);
    if (r == 0 && sampled)
        r = write_inference_done(board, lane, err);
    if (r == 0 && board->network->postprocess) {
        postprocess_ns = end_ns + lasting(&random, 12, 20);
        run_ai_cpu(board, lane, &random, postprocess_ns, 120, 170, &end_ns);
        if (sampled)
            r = write_ai_cpu(board, lane, postprocess_ns, end_ns, err);
    }
    if (r < 0)
        return r;
    struct api_call call = {"svp_acl_mdl_execute",         API_MODEL,        PROCESS_ID,
                            PROCESS_ID + 1 + lane->stream, lane->execute_ns, end_ns + lasting(&random, 20, 35)};
    api_log_add(&board->logs[lane->model], &call);
    lane->now_ns = call.end_ns + lasting(&random, 2, 9);
    const unsigned thread = 1 + lane->stream;
    call_api(board, lane->model, thread, API_MODEL, "svp_acl_mdl_get_dataset_buffer", &random, &lane->now_ns, 1, 3);
    call_api(board, lane->model, thread, API_OTHERS, "svp_acl_get_data_buffer_addr", &random, &lane->now_ns, 1, 3);
    for (int i = 0; i < 4; i++)
        call_api(board, lane->model, thread, API_RUNTIME, "svp_acl_rt_memcpy", &random, &lane->now_ns, 9, 20);
    advance(board, lane);
    return 0;
}

static int find_columns(struct board *board, const struct record_file *file, struct err *err);

/* Where the records of a lane's inference go. */
static int open_records(struct board *board, struct lane *lane, struct record_file **ret, struct err *err)
{
    char name[FILE_NAME_SIZE];
    *ret = board->options->board_names ? &lane->own : &board->pmu;
    if (!board->options->board_names || lane->open)
        return 0;
    name_inference(board, lane, "aicore", name);
    int r = record_file_open(&lane->own, &board->job, name, "svp_pmu", err);
    if (r < 0)
        return r;
    lane->open = true;
    return find_columns(board, &lane->own, err);
}

static int write_task(struct board *board, struct lane *lane, struct err *err)
{
    struct record_file *file;
    if (open_records(board, lane, &file, err) < 0)
        return err_status(err);
    const struct pmu_columns *columns = &board->columns;
    record_file_set(file, columns->task_id, (int64_t)lane->task);
    record_file_set(file, columns->total_cycle, (int64_t)lane->work.total_cycle);
    for (int i = 0; i < CYCLE_KINDS; i++)
        record_file_set(file, columns->cycles[i], (int64_t)lane->work.cycles[i]);
    record_file_set(file, columns->stream_id, lane->stream);
    record_file_set(file, columns->model_id, board->options->models[lane->model].id);
    record_file_set(file, columns->ddr_read, (int64_t)lane->work.ddr_read_bytes);
    record_file_set(file, columns->ddr_write, (int64_t)lane->work.ddr_write_bytes);
    record_file_set(file, columns->current_pic_count, (int64_t)current_picture(board, lane));
    return record_file_write(file, err);
}

/* The lane whose current task ends first; NULL when all have finished. */
static struct lane *next_lane(struct board *board)
{
    struct lane *next = NULL;
    int64_t next_ns = INT64_MAX;
    for (unsigned i = 0; i < board->options->streams; i++) {
        struct lane *lane = &board->lanes[i];
        int64_t end_ns = lane->active ? core_time(board, lane) : INT64_MAX;
        if (end_ns < next_ns) {
            next = lane;
            next_ns = end_ns;
        }
    }
    return next;
}

static int run_lanes(struct board *board, struct err *err)
{
    for (unsigned i = 0; i < board->options->streams; i++) {
        struct lane *lane = &board->lanes[i];
        *lane = (struct lane){.stream = i, .inference = i, .now_ns = board->now_ns + (int64_t)i * 150 * US};
        lane->active = lane->inference < executed_inferences(board);
        if (lane->active)
            begin_inference(board, lane);
    }
    for (struct lane *lane = next_lane(board); lane != NULL; lane = next_lane(board)) {
        int r = is_sampled(board, lane->inference) ? write_task(board, lane, err) : 0;
        if (r == 0 && ++lane->task < board->network->task_count)
            measure_task(board, lane);
        else if (r == 0)
            r = finish_inference(board, lane, err);
        if (r < 0)
            return r;
    }
    for (unsigned i = 0; i < board->options->streams; i++)
        if (board->lanes[i].now_ns > board->now_ns)
            board->now_ns = board->lanes[i].now_ns;
    return 0;
}

static int find_columns(struct board *board, const struct record_file *file, struct err *err)
{
    struct pmu_columns *columns = &board->columns;
    const struct {
        const char *name;
        int *column;
    } wanted[] = {
        {"task_id", &columns->task_id},
        {"total_cycle", &columns->total_cycle},
        {"mac_busy_cycle", &columns->cycles[MAC_BUSY]},
        {"mac_ppen_cycle", &columns->cycles[MAC_PPEN]},
        {"vec_busy_cycle", &columns->cycles[VEC_BUSY]},
        {"vec_ppen_cycle", &columns->cycles[VEC_PPEN]},
        {"dstr_cycle", &columns->cycles[DSTR]},
        {"dtrans_cycle", &columns->cycles[DTRANS]},
        {"dld_cycle", &columns->cycles[DLD]},
        {"wld_cycle", &columns->cycles[WLD]},
        {"stream_id", &columns->stream_id},
        {"model_id", &columns->model_id},
        {"ddr_read_bytes", &columns->ddr_read},
        {"ddr_write_bytes", &columns->ddr_write},
        {"current_pic_count", &columns->current_pic_count},
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if ((*wanted[i].column = record_file_column(file, wanted[i].name, err)) < 0)
            return *wanted[i].column;
    board->record_size = file->plan.layout->record_size;
    return 0;
}

/* Each inference in a file of its own. */
static int run_lanes_of_board(struct board *board, struct err *err)
{
    int r = run_lanes(board, err);
    for (unsigned i = 0; i < board->options->streams; i++) {
        if (board->lanes[i].open)
            record_file_abort(&board->lanes[i].own);
        board->lanes[i].open = false;
    }
    return r;
}

/* All inferences of one batch number and input on one device: one aicore file. */
static int run_input(struct board *board, struct err *err)
{
    char name[FILE_NAME_SIZE];
    if (board->options->board_names)
        return run_lanes_of_board(board, err);
    snprintf(name, sizeof(name), "aicore.%u.%u.%u", board->device, board->batch, board->input);
    int r = record_file_open(&board->pmu, &board->job, name, "svp_pmu", err);
    if (r < 0)
        return r;
    r = find_columns(board, &board->pmu, err);
    if (r == 0)
        r = run_lanes(board, err);
    if (r < 0) {
        record_file_abort(&board->pmu);
        return r;
    }
    board->records += board->pmu.records;
    r = record_file_close(&board->pmu, err);
    return r < 0 ? r : job_write_complete(&board->job, name, err);
}

static int run_device(struct board *board, struct err *err)
{
    const struct board_options *options = board->options;
    int r = job_write_info(&board->job, board->device, options->megahertz, err);
    uint64_t random = random_derive(options->seed, 300);
    board->random = random_derive(options->seed, 400 + board->device);
    board->now_ns = (int64_t)random_between(&random, 1000, 90000) * 1000000000;
    for (size_t i = 0; r == 0 && i < options->model_count; i++)
        load_model(board, i);
    for (size_t b = 0; r == 0 && b < options->batch_count; b++) {
        board->batch = options->batches[b];
        for (board->input = 1; r == 0 && board->input <= options->inputs; board->input++)
            r = run_input(board, err);
    }
    for (size_t i = 0; r == 0 && i < options->model_count; i++) {
        unload_model(board, i);
        r = api_log_write(&board->logs[i], &board->job, board->device, options->models[i].name, options->models[i].id,
                          err);
        board->logs[i].count = 0;
    }
    return r;
}

int board_run(const struct board_options *options, const struct network *network, const char *output,
              char **ret_directory, uint64_t *ret_records, struct err *err)
{
    char name[JOB_NAME_SIZE];
    struct board *board = calloc(1, sizeof(*board));
    if (board == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    board->options = options;
    board->network = network;
    job_name(options->seed, name);
    int r = job_init(&board->job, output, name, err);
    board->job.board_names = options->board_names;
    for (size_t i = 0; r == 0 && i < options->model_count; i++) {
        r = api_log_init(&board->logs[i], options->api_calls, err);
        if (r == 0)
            r = job_write_layers(&board->job, options->models[i].name, options->models[i].id, network, err);
        if (r == 0)
            r = job_write_net(&board->job, options->models[i].name, options->models[i].id, options->batches[0], err);
    }
    for (board->device = 0; r == 0 && board->device < options->devices; board->device++)
        r = run_device(board, err);
    if (r == 0) {
        *ret_records = board->records;
        *ret_directory = board->job.directory;
        board->job.directory = NULL;
    }
    for (size_t i = 0; i < options->model_count; i++)
        api_log_release(&board->logs[i]);
    job_release(&board->job);
    free(board);
    return r;
}
