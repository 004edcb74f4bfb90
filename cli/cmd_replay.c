/* SPDX-License-Identifier: Apache-2.0 */
/* msprof replay: the operators of a capture into a pipe, as the device of a subscription sends them. */
#include "acl/subscribe/operator_names_writer.h"
#include "acl/subscribe/operator_record.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "cli/capture/captures.h"
#include "cli/clock.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/replay_pipe.h"
#include "cli/status.h"
#include "db/database.h"
#include "db/query/operators/query_operators.h"

#include <inttypes.h>

#define MODEL_UNKNOWN 4294967295U /* what op_summary says too */
#define MODEL_LIST_LIMIT 256
#define SPEED_UNIT 1000 /* --speed is kept in thousandths */

struct replay {
    const struct replay_settings *settings;
    int64_t model_id; /* DB_NULL: of all models */
    sqlite3 *db;
    struct operator_names_writer names;
    struct replay_pipe pipe;
    uint64_t next_index;
    bool started;
    uint64_t first_ns;  /* when the first operator started, in the capture */
    int64_t started_ns; /* when its time began here, monotonic */
};

static size_t record_size(const struct replay *replay)
{
    return replay->settings->record_size == REPLAY_RECORDS_72 ? OPERATOR_RECORD_OLD_SIZE : OPERATOR_RECORD_SIZE;
}

/* ---- names ---- */

static int collect_name(void *arg, const struct operator_run *run, struct err *err)
{
    struct replay *replay = arg;
    return operator_names_writer_add(&replay->names, run->type, run->name, err);
}

static int add_model(void *arg, int64_t model_id, struct err *err)
{
    struct strbuf *list = arg;
    (void)err;
    strbuf_addf(list, "%s%" PRId64, list->length > 0 ? ", " : "", model_id);
    return 0;
}

static int nothing_to_send(struct replay *replay, struct err *err)
{
    struct err ignored = ERR_INIT;
    struct strbuf models;
    int status;

    strbuf_init(&models, MODEL_LIST_LIMIT);
    if (operators_each_model(replay->db, add_model, &models, &ignored) == 0 && models.length > 0)
        status = err_set(err, ERR_NOT_FOUND, "the capture has no operators of model %" PRId64 "; its models are %s",
                         replay->model_id, models.data);
    else
        status = err_set(err, ERR_NOT_FOUND, "the capture has no operators");
    strbuf_release(&models);
    return status;
}

/* Before the first record: who reads one may ask for its name at once. */
static int write_names(const struct replay *replay, struct err *err)
{
    struct outfile out;
    int status = outfile_open(&out, replay->settings->names, err);
    if (status < 0)
        return status;
    operator_names_writer_write(&replay->names, (uint32_t)record_size(replay), (uint64_t)replay->settings->first_index,
                                &out);
    return outfile_commit(&out, err);
}

/* ---- records ---- */

/* An unsigned 32-bit field of a record. */
static uint32_t field(int64_t value, uint32_t unknown)
{
    return value >= 0 && value <= UINT32_MAX ? (uint32_t)value : unknown;
}

/* A time of the capture, which may hold anything: not known (DB_NULL) and negative ones are 0. */
static int64_t sane_time(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

static struct operator_record make_record(const struct replay *replay, const struct operator_run *run)
{
    static const char subgraph[] = "FFTS_PLUS";
    int64_t start_ns = sane_time(run->start_ns), duration_ns = sane_time(run->duration_ns);
    int64_t model_id = run->model_id != DB_NULL ? run->model_id : replay->model_id;

    return (struct operator_record){
        .model_id = field(model_id, MODEL_UNKNOWN),
        .flag = strcmp(run->type, subgraph) == 0 ? OPERATOR_FLAG_SUBGRAPH : OPERATOR_FLAG_OPERATOR,
        .thread_id = field(run->thread_id, 0),
        .device_id = field(run->device_id, 0),
        .index = replay->next_index,
        .duration_ns = (uint64_t)duration_ns,
        .start_ns = (uint64_t)start_ns,
        .end_ns = start_ns > 0 ? (uint64_t)start_ns + (uint64_t)duration_ns : 0,
        .execution_ns = (uint64_t)duration_ns,
    };
}

/* When an operator that ended at this time of the capture is due. */
static int64_t due_ns(const struct replay *replay, uint64_t end_ns)
{
    uint64_t after_ns = end_ns > replay->first_ns ? end_ns - replay->first_ns : 0;
    int64_t wait_ns =
        number_scale(after_ns < INT64_MAX ? (int64_t)after_ns : INT64_MAX, SPEED_UNIT, replay->settings->speed);
    return wait_ns < INT64_MAX - replay->started_ns ? replay->started_ns + wait_ns : INT64_MAX;
}

static int send_operator(void *arg, const struct operator_run *run, struct err *err)
{
    struct replay *replay = arg;
    unsigned char bytes[OPERATOR_RECORD_SIZE];
    const struct operator_record record = make_record(replay, run);
    int status = 0;

    if (record.start_ns > 0 && !replay->started) {
        replay->started = true;
        replay->first_ns = record.start_ns;
        replay->started_ns = clock_now_ns();
    }
    if (record.start_ns > 0 && replay->settings->speed > 0)
        status = replay_pipe_wait(&replay->pipe, due_ns(replay, record.end_ns), err);
    if (status < 0)
        return status;
    operator_record_encode(&record, bytes, record_size(replay));
    replay->next_index++;
    return replay_pipe_send(&replay->pipe, bytes, record_size(replay), err);
}

static int send_operators(struct replay *replay, struct err *err)
{
    int status = replay_pipe_open(&replay->pipe, replay->settings->fd, err);
    if (status < 0)
        return status;
    status = operators_each(replay->db, replay->model_id, send_operator, replay, err);
    replay_pipe_close(&replay->pipe);
    return status;
}

/* ---- the command ---- */

static int replay_database(struct capture_visit *visit, sqlite3 *db)
{
    struct replay replay = {
        .settings = &visit->settings->replay,
        .model_id = visit->settings->model_id >= 0 ? visit->settings->model_id : DB_NULL,
        .db = db,
        .pipe = {.fd = -1},
        .next_index = (uint64_t)visit->settings->replay.first_index,
    };
    char seconds[CLOCK_TEXT_SIZE];
    struct err err = ERR_INIT;
    int64_t start_ns;
    int status = STATUS_DONE;

    int result = operators_each(db, replay.model_id, collect_name, &replay, &err);
    if (result == 0 && replay.names.entries.count == 0) {
        result = nothing_to_send(&replay, &err);
        status = STATUS_NOTHING;
    }
    if (result == 0 && replay.settings->names != NULL)
        result = write_names(&replay, &err);
    operator_names_writer_release(&replay.names);
    start_ns = clock_now_ns();
    if (result == 0)
        result = send_operators(&replay, &err);
    if (result == 0) {
        console_note("'%s': %" PRIu64 " operator%s in %s s", visit->directory, replay.pipe.sent,
                     console_plural(replay.pipe.sent), clock_format_seconds(clock_now_ns() - start_ns, seconds));
        return STATUS_DONE;
    }
    err_wrap(&err, "cannot replay '%s'", visit->directory);
    result = visit_fail(visit, LOG_SOURCE_COMMON, &err);
    return status != STATUS_DONE ? status : result;
}

static int replay_one(struct capture_visit *visit)
{
    sqlite3 *db = NULL;
    int status = visit_open_database(visit, &db);

    if (db == NULL)
        return status;
    status = status_worse(status, replay_database(visit, db));
    database_close(db);
    return status;
}

static int run_replay(const struct settings *settings)
{
    struct err err = ERR_INIT;

    if (settings->replay.fd < 0)
        err_set(&err, ERR_USAGE, "no descriptor given: --fd N is missing");
    else
        replay_pipe_check(settings->replay.fd, &err);
    if (err.code != ERR_NONE) {
        console_error(&err);
        return status_of_error(&err);
    }
    return captures_process_one(settings, replay_one);
}

static const struct example examples[] = {
    {"all operators at once, into a file", "msprof replay -dir JOBX --fd 3 --speed max 3>operators.bin"},
    {"ten times as fast as they ran, to a program that reads descriptor 0",
     "msprof replay -dir JOBX --fd 3 --speed 10 --names names 3>&1 >replay.log | MSPROF_OP_NAMES=names ./subscriber"},
    {NULL, NULL},
};

const struct command command_replay = {
    .path = "replay",
    .parent = COMMAND_ROOT,
    .summary = "send the operators of a capture to a subscriber",
    .description =
        "Writes a record for each operator of a capture into a pipe, at the capture's pace, as a device does\n"
        "for a program that has subscribed to a model: such a program can be tried without hardware.\n",
    .needs_capture = true,
    .examples = examples,
    .run = run_replay,
};
