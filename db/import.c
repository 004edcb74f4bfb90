/* SPDX-License-Identifier: Apache-2.0 */
#include "db/import.h"

#include "base/number.h"
#include "base/progress.h"
#include "base/thread.h"
#include "base/ticks.h"
#include "base/utf8.h"
#include "db/bulk.h"
#include "db/query/clocks.h"
#include "db/query/operators/query_steps.h"
#include "db/query/query_loop.h"
#include "db/schema.h"
#include "db/table_rows.h"
#include "db/warm_up.h"
#include "parsers/decode/decode.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Long messages of msproftx: their records hold a piece each. */

#define MESSAGE_MAX 65536 /* characters */

/* Pieces may come in any order. A mark number that comes again begins a new message with each first piece. */
static const char find_pieces[] =
    "CREATE TEMP TABLE piece AS SELECT id, process_id, thread_id, coalesce(mark_id, 0) AS mark, segment, message"
    "  FROM msproftx WHERE segment > 0";
static const char join_pieces[] =
    "INSERT INTO piece SELECT id, process_id, thread_id, coalesce(mark_id, 0), segment, message FROM msproftx"
    "  WHERE segment = 0 AND (process_id, thread_id, coalesce(mark_id, 0)) IN"
    "  (SELECT process_id, thread_id, mark FROM piece);"
    "CREATE TEMP TABLE numbered AS SELECT *, max(1, sum(segment = 0) OVER"
    "  (PARTITION BY process_id, thread_id, mark ORDER BY id)) AS number FROM piece;"
    "CREATE TEMP TABLE whole AS SELECT id, mark, min(segment) AS first, last, count(*) AS pieces,"
    "  substr(group_concat(message, ''), 1, " SQL_NUMBER(
        MESSAGE_MAX) ") AS message,"
                     "  length(group_concat(message, '')) AS length FROM (SELECT *, max(segment) OVER"
                     "    (PARTITION BY process_id, thread_id, mark, number) AS last FROM numbered"
                     "    ORDER BY process_id, thread_id, mark, number, segment, id)"
                     "  GROUP BY process_id, thread_id, mark, number;"
                     "CREATE INDEX temp.whole_by_id ON whole(id);"
                     "UPDATE msproftx SET message = (SELECT w.message FROM whole w WHERE w.id = msproftx.id)"
                     "  WHERE id IN (SELECT id FROM whole);"
                     "DELETE FROM msproftx WHERE id IN (SELECT id FROM numbered EXCEPT SELECT id FROM whole);";

static int report(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct diagnostics *diag = arg;
    (void)err;
    diag_report(diag, DIAG_MESSAGE_INCOMPLETE, FILE_PLACE(query_text(row, 0), NULL),
                "%lld pieces of the message of mark %lld; expected %lld", (long long)query_integer(row, 2),
                (long long)query_integer(row, 1), (long long)query_integer(row, 3));
    return 0;
}

static int report_cut(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct diagnostics *diag = arg;
    (void)err;
    diag_report(diag, DIAG_TEXT_CUT, FILE_PLACE(query_text(row, 0), NULL),
                "the message of mark %lld has %lld characters; expected at most %d: the rest is dropped",
                (long long)query_integer(row, 1), (long long)query_integer(row, 2), MESSAGE_MAX);
    return 0;
}

/* SQL's safe_text(message): without what could drive a terminal or break a reader, as names are. */
static void safe_text(sqlite3_context *context, int count, sqlite3_value **values)
{
    const char *text = (const char *)sqlite3_value_text(values[0]);
    size_t length = (size_t)sqlite3_value_bytes(values[0]);
    (void)count;
    if (text == NULL || utf8_first_unsafe(text, length) == length) {
        sqlite3_result_value(context, values[0]);
        return;
    }
    char *safe = utf8_copy_safe(text, length, &length);
    if (safe == NULL)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, safe, (int)length, free);
}

/* Behind the joining, because two pieces may share a character. */
static int make_safe(sqlite3 *db, struct diagnostics *diag, struct err *err)
{
    if (sqlite3_create_function(db, "safe_text", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, safe_text, NULL, NULL) !=
        SQLITE_OK)
        return database_error(err, db, "cannot create the function safe_text");
    if (database_exec(db, "UPDATE msproftx SET message = safe_text(message) WHERE message != safe_text(message)", err) <
        0)
        return err_status(err);
    int64_t changed = sqlite3_changes64(db);
    if (changed > 0)
        diag_report(diag, DIAG_TEXT_UNSAFE, NULL, "table msproftx: %lld texts", (long long)changed);
    return 0;
}

static int join_pieces_of(sqlite3 *db, struct diagnostics *diag, struct err *err)
{
    int64_t pieces = 0;
    if (database_exec(db, find_pieces, err) < 0 || query_number(db, "SELECT count(*) FROM piece", &pieces, err) < 0)
        return err_status(err);
    if (pieces == 0)
        return database_exec(db, "DROP TABLE piece", err);
    if (database_exec(db, join_pieces, err) < 0 ||
        query_run(db,
                  "SELECT f.path, w.mark, w.pieces, w.last + 1 FROM whole w JOIN msproftx m ON m.id = w.id"
                  "  JOIN source_file f ON f.id = m.file_id WHERE w.pieces != w.last + 1 ORDER BY w.id",
                  NULL, 0, report, diag, err) < 0 ||
        query_run(db,
                  "SELECT f.path, w.mark, w.length FROM whole w JOIN msproftx m ON m.id = w.id"
                  "  JOIN source_file f ON f.id = m.file_id WHERE w.length > " SQL_NUMBER(MESSAGE_MAX) " ORDER BY w.id",
                  NULL, 0, report_cut, diag, err) < 0)
        return err_status(err);
    return database_exec(db, "DROP TABLE whole; DROP TABLE numbered; DROP TABLE piece", err);
}

/* Joins the rows of table msproftx that are pieces of one message, those of one process, thread and mark, to one row in
 * the order of the pieces; at most MESSAGE_MAX characters are kept. Missing pieces and cut messages are reported. The
 * tables of the import are filled. Returns 0 or -code with err set. */
static int db_join_messages(sqlite3 *db, struct diagnostics *diag, struct err *err)
{
    if (join_pieces_of(db, diag, err) < 0 || make_safe(db, diag, err) < 0)
        return err_status(err);
    return diag_is_fatal(diag) ? diag_fatal_error(diag, err) : 0;
}

/* Decoding on one thread, storing on another: a row sink whose batches travel through a queue. */

/* Batches that wait for the database: so far the decoder runs ahead. Beside them it holds one unfinished batch of each
 * kind that it has met. */
#define WAITING_BATCHES 8
#define MAX_SOURCES 16 /* more of them wait */
#define WAKING_BATCHES                                                                                                 \
    4 /* so many wake the side that waits for them: threads that wake for each one cost more than it */

struct pipeline {
    struct row_sink sink; /* first: the decoder's view of the pipeline */
    struct capture *capture;
    const struct progress *progress;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t capacity;             /* of each of the three lists below */
    struct row_batch **batches;  /* all that were made, to free */
    size_t batch_count, waiting; /* waiting: those that are filled or being stored */
    struct row_batch **idle;     /* a stack */
    size_t idle_count;
    struct row_batch **filled; /* a ring */
    size_t filled_first, filled_count;
    struct row_source *sources[MAX_SOURCES]; /* a ring; their rows are taken when no batch is filled */
    size_t source_first, source_count;
    struct row_batch *source_batch; /* for their rows; never in the lists above */
    bool decoder_done, stop;
    struct err source_err; /* of its rows; no code: none */
    int decoder_status;
    struct err decoder_err;
};

/* On the decoder's thread. */
static struct row_batch *begin_batch(struct row_sink *sink, const struct record_kind *kind, struct err *err)
{
    struct pipeline *pipeline = (struct pipeline *)sink;
    struct row_batch *batch = NULL;
    pthread_mutex_lock(&pipeline->lock);
    while (pipeline->idle_count == 0 && pipeline->waiting >= WAITING_BATCHES && !pipeline->stop)
        pthread_cond_wait(&pipeline->changed, &pipeline->lock);
    bool stop = pipeline->stop, make = pipeline->idle_count == 0;
    if (!stop && make && (batch = row_batch_new()) != NULL)
        pipeline->batches[pipeline->batch_count++] = batch;
    else if (!stop && !make)
        batch = pipeline->idle[--pipeline->idle_count];
    pthread_mutex_unlock(&pipeline->lock);
    if (batch != NULL && row_batch_begin(batch, kind))
        return batch;
    if (stop)
        err_set(err, ERR_FAILED, "storing the rows failed");
    else
        err_no_memory(err);
    return NULL;
}

/* On the decoder's thread. */
static int commit_batch(struct row_sink *sink, struct row_batch *batch, struct err *err)
{
    (void)err;
    struct pipeline *pipeline = (struct pipeline *)sink;
    pthread_mutex_lock(&pipeline->lock);
    pipeline->filled[(pipeline->filled_first + pipeline->filled_count++) % pipeline->capacity] = batch;
    pipeline->waiting++;
    if (pipeline->filled_count >= WAKING_BATCHES)
        pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    return 0;
}

/* On the decoder's thread. */
static void defer_source(struct row_sink *sink, struct row_source *source)
{
    struct pipeline *pipeline = (struct pipeline *)sink;
    pthread_mutex_lock(&pipeline->lock);
    while (pipeline->source_count == MAX_SOURCES)
        pthread_cond_wait(&pipeline->changed, &pipeline->lock);
    pipeline->sources[(pipeline->source_first + pipeline->source_count++) % MAX_SOURCES] = source;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

static void *decoder_thread(void *arg)
{
    struct pipeline *pipeline = arg;
    int status = decode_capture(pipeline->capture, &pipeline->sink, pipeline->progress, &pipeline->decoder_err);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->decoder_status = status;
    pipeline->decoder_done = true;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

/* The next rows of the first source; NULL: they are at their end, and the source is gone. */
static struct row_batch *next_of_source(struct pipeline *pipeline, struct row_source *source)
{
    struct row_batch *batch = pipeline->source_batch;
    bool room = row_batch_begin(batch, source->kind);
    int status = 0;
    if (!room)
        status = err_no_memory(&pipeline->source_err);
    else if (!pipeline->stop)
        status = source->fill(source, batch, &pipeline->source_err);
    if (status == 0 && batch->rows > 0)
        return batch;
    source->release(source);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->source_first = (pipeline->source_first + 1) % MAX_SOURCES;
    pipeline->source_count--;
    pipeline->stop |= status < 0;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

/* The next rows to store; what the decoder has filled comes first, because it may wait for the batch. NULL when the
 * decoder is done and everything is stored. */
static struct row_batch *next_batch(struct pipeline *pipeline)
{
    struct row_batch *batch = NULL;
    pthread_mutex_lock(&pipeline->lock);
    while (pipeline->filled_count == 0 && (pipeline->source_count > 0 || !pipeline->decoder_done)) {
        if (pipeline->source_count == 0) {
            pthread_cond_wait(&pipeline->changed, &pipeline->lock);
            continue;
        }
        struct row_source *source = pipeline->sources[pipeline->source_first];
        pthread_mutex_unlock(&pipeline->lock);
        batch = next_of_source(pipeline, source);
        if (batch != NULL)
            return batch;
        pthread_mutex_lock(&pipeline->lock);
    }
    if (pipeline->filled_count > 0) {
        batch = pipeline->filled[pipeline->filled_first];
        pipeline->filled_first = (pipeline->filled_first + 1) % pipeline->capacity;
        pipeline->filled_count--;
    }
    pthread_mutex_unlock(&pipeline->lock);
    return batch;
}

static void recycle_batch(struct pipeline *pipeline, struct row_batch *batch, bool stop)
{
    pthread_mutex_lock(&pipeline->lock);
    if (batch != pipeline->source_batch) {
        pipeline->idle[pipeline->idle_count++] = batch;
        pipeline->waiting--;
    }
    pipeline->stop |= stop;
    if (pipeline->stop || pipeline->waiting + WAKING_BATCHES <= WAITING_BATCHES)
        pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

/* Batches are made when they are needed: most captures hold few kinds. */
static int make_lists(struct pipeline *pipeline, struct err *err)
{
    pipeline->capacity = WAITING_BATCHES + 1; /* one may be begun while the last one waits */
    for (size_t i = 0; record_kinds[i] != NULL; i++)
        pipeline->capacity++;
    pipeline->batches = calloc(pipeline->capacity, sizeof(struct row_batch *));
    pipeline->idle = calloc(pipeline->capacity, sizeof(struct row_batch *));
    pipeline->filled = calloc(pipeline->capacity, sizeof(struct row_batch *));
    pipeline->source_batch = row_batch_new();
    if (pipeline->batches == NULL || pipeline->idle == NULL || pipeline->filled == NULL ||
        pipeline->source_batch == NULL)
        return err_no_memory(err);
    return 0;
}

static void release_lists(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->batch_count; i++)
        row_batch_free(pipeline->batches[i]);
    row_batch_free(pipeline->source_batch);
    free(pipeline->batches);
    free(pipeline->idle);
    free(pipeline->filled);
}

static int start_decoder(struct pipeline *pipeline, pthread_t *ret, struct err *err)
{
    int failure = thread_start(ret, decoder_thread, pipeline);
    return failure == 0 ? 0 : err_set_errno(err, failure, "cannot start the decoder's thread");
}

/* Decodes the capture on a thread of its own while this one stores its rows; bounded memory between the two. Returns
 * when both are done; the first failure ends both. */
static int pipeline_run(struct capture *capture, struct bulk *bulk, const struct progress *progress, struct err *err)
{
    SCOPED_FREE struct pipeline *pipeline = scoped_memory(1, sizeof *pipeline);
    if (pipeline == NULL)
        return err_no_memory(err);
    *pipeline = (struct pipeline){
        .sink = {begin_batch, commit_batch, defer_source},
        .capture = capture,
        .progress = progress,
        .decoder_err = ERR_INIT,
        .source_err = ERR_INIT,
    };
    pthread_mutex_init(&pipeline->lock, NULL);
    pthread_cond_init(&pipeline->changed, NULL);
    pthread_t thread;
    int status = make_lists(pipeline, err);
    if (status == 0)
        status = start_decoder(pipeline, &thread, err);
    if (status == 0) {
        struct row_batch *batch;
        while ((batch = next_batch(pipeline)) != NULL) {
            if (status == 0)
                status = bulk_insert(bulk, batch, err);
            recycle_batch(pipeline, batch, status < 0);
        }
        pthread_join(thread, NULL);
        if (status == 0 && pipeline->source_err.code != 0) {
            *err = pipeline->source_err;
            status = err_status(err);
        } else if (status == 0 && pipeline->decoder_status < 0) {
            status = pipeline->decoder_status;
            *err = pipeline->decoder_err;
        }
    }
    release_lists(pipeline);
    pthread_cond_destroy(&pipeline->changed);
    pthread_mutex_destroy(&pipeline->lock);
    return status;
}

/* ---- the import's own tables ---- */

/* A number that is not negative, else nothing. */
static struct table_value known(int64_t value)
{
    return value >= 0 ? table_integer(value) : NOTHING;
}

/* Rows of a table of the import's own, with the texts of one that had to be made safe as those of the records are. */
struct own_rows {
    struct table_rows rows;
    struct diagnostics *diag; /* NULL: unsafe texts were reported before */
    char *copies[16];
    size_t copy_count;
};

/* A text of a file or a file's name; it lives until the row is added. */
static struct table_value safe(struct own_rows *own, const char *text)
{
    size_t length = text != NULL ? strlen(text) : 0;
    if (length == 0 || utf8_first_unsafe(text, length) == length)
        return table_text(text);
    char *copy = utf8_copy_safe(text, length, &length);
    if (copy == NULL || own->copy_count == sizeof own->copies / sizeof *own->copies) {
        free(copy); /* a row has no more texts than that */
        return (struct table_value){.type = TABLE_LOST_TEXT};
    }
    if (own->diag != NULL)
        diag_report(own->diag, DIAG_TEXT_UNSAFE, NULL, "a name of the capture's files or in its info.json");
    return table_text(own->copies[own->copy_count++] = copy);
}

static const char *or_none(const char *text)
{
    return text != NULL && *text != '\0' ? text : NULL;
}

/* Adds a row, and ends the life of its texts. */
#define own_add(own, err, ...) own_added(own, table_add(&(own)->rows, err, __VA_ARGS__))
static int own_added(struct own_rows *own, int status)
{
    while (own->copy_count > 0)
        free(own->copies[--own->copy_count]);
    return status;
}

static int store_files(sqlite3 *db, const struct capture *capture, struct err *err)
{
    struct own_rows own = {.diag = capture->diag};
    if (table_rows_into(&own.rows, db,
                        "source_file(id, path, kind, size_bytes, modified_ns, xxh128, records_decoded,"
                        " records_rejected, device_id, model_name, model_id, batch_num, input_pic_num,"
                        " current_pic_count, slice, start_ns, end_ns)",
                        err) < 0)
        return err_status(err);
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        const struct file_identity *it = &file->identity;
        if (own_add(&own, err, V(file->id), safe(&own, file->name),
                    table_text(file->kind != NULL ? file->kind->name : NULL), V((int64_t)file->size),
                    V(file->modified_ns), V(or_none(file->checksum)), V((int64_t)file->decoded),
                    V((int64_t)file->rejected), known(it->device_id), safe(&own, it->model), known(it->model_id),
                    known(it->batch_num), known(it->input_pic_num), known(it->current_pic_count), known(it->slice),
                    known(file->done.start_ns), known(file->done.end_ns)) < 0)
            return err_status(err);
    }
    return 0;
}

/* Stores what became of the records of each file: the counts together are all that it holds. */
static int store_record_counts(sqlite3 *db, const struct capture *capture, struct err *err)
{
    static const char *const outcomes[] = {"row", "joined"};
    struct table_rows rows;
    if (table_rows_into(&rows, db, "record_count(file_id, outcome, reason, records)", err) < 0)
        return err_status(err);
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        uint64_t joined = file->kind == NULL || file->kind->table != NULL ? file->joined : file->decoded;
        const uint64_t kept[] = {file->decoded - joined, joined};
        for (size_t k = 0; k < 2 + (file->rejected > 0 ? (size_t)DIAG_COUNT : 0); k++) {
            uint64_t records = k < 2 ? kept[k] : file->rejected_for[k - 2];
            if (records > 0 && table_add(&rows, err, V(file->id), V(k < 2 ? outcomes[k] : "rejected"),
                                         V(k < 2 ? "" : diag_info((enum diag_id)(k - 2))->id), V((int64_t)records)) < 0)
                return err_status(err);
        }
    }
    return 0;
}

static int store_models(sqlite3 *db, const struct capture *capture, struct err *err)
{
    struct own_rows own = {.diag = capture->diag};
    if (table_rows_into(&own.rows, db, "model(model_name, model_id, batch_num)", err) < 0)
        return err_status(err);
    for (size_t i = 0; i < capture->model_count; i++)
        if (own_add(&own, err, safe(&own, capture->models[i].name), known(capture->models[i].model_id),
                    known(capture->models[i].batch_num)) < 0)
            return err_status(err);
    return 0;
}

static int store_diagnostics(sqlite3 *db, const struct diagnostics *diag, struct err *err)
{
    struct own_rows own = {.diag = NULL};
    if (table_rows_into(&own.rows, db, "diagnostics(severity, code, file, record, byte_offset, message, occurrences)",
                        err) < 0)
        return err_status(err);
    for (size_t i = 0; i < diag->count; i++) {
        const struct diag_entry *entry = &diag->entries[i];
        const struct diag_info *info = diag_info(entry->id);
        for (size_t k = 0; k < entry->kept; k++)
            if (own_add(&own, err, V(diag_severity_name(info->severity)), V(info->id), safe(&own, or_none(entry->file)),
                        known(entry->records[k]), known(entry->offsets[k]), safe(&own, entry->texts[k]),
                        V((int64_t)entry->count)) < 0)
                return err_status(err);
    }
    return 0;
}

/* Captures of 2020 have one counter. Its rate is unknown (-1) if the devices count at different rates. */
static int64_t counted_hz(const struct capture *capture, const struct capture_part *part)
{
    if (capture->family != CAPTURE_JOB || part->is_host)
        return part->device_hz;
    const int64_t khz = capture_counter_khz(capture, capture->device_count > 0 ? capture->devices[0].device_id : -1);
    for (size_t i = 1; i < capture->device_count; i++)
        if (capture_counter_khz(capture, capture->devices[i].device_id) != khz)
            return -1;
    return number_multiply(khz, 1000);
}

static int store_parts(sqlite3 *db, const struct capture *capture, struct err *err)
{
    struct own_rows own = {.diag = capture->diag};
    if (table_rows_into(&own.rows, db,
                        "capture_part(directory, device_id, is_host, chip, host_hz, device_hz, aic_hz, aiv_hz,"
                        " ai_core_num, aiv_num, process_id, driver_version, rank_id, start_ns, end_ns,"
                        " unix_offset_ns, host_monotonic_ns, device_tick, start_monotonic_ns, metrics, events,"
                        " aiv_metrics, aiv_events, job, host_name, host_uid, begin_date, process_name)",
                        err) < 0)
        return err_status(err);
    for (size_t i = 0; i < capture->part_count; i++) {
        const struct capture_part *it = &capture->parts[i];
        if (own_add(&own, err, V(it->directory), known(it->device_id), known(it->is_host), known(it->chip),
                    known(it->host_hz), known(counted_hz(capture, it)), known(it->aic_hz), known(it->aiv_hz),
                    known(it->ai_core_num), known(it->aiv_num), known(it->process_id), known(it->driver_version),
                    known(it->rank_id), known(it->start_unix_ns), known(it->end_unix_ns), known(it->unix_offset_ns),
                    known(it->host_monotonic_ns), known(it->device_tick), known(it->start_monotonic_ns),
                    safe(&own, or_none(it->metrics)), safe(&own, or_none(it->events)),
                    safe(&own, or_none(it->aiv_metrics)), safe(&own, or_none(it->aiv_events)),
                    safe(&own, or_none(it->job)), safe(&own, or_none(it->host_name)), safe(&own, or_none(it->host_uid)),
                    safe(&own, or_none(it->begin_date)), safe(&own, or_none(it->process_name))) < 0)
            return err_status(err);
    }
    return 0;
}

/* Stores what the sample.json and info.json of every part say; part_id is capture_part.id. */
static int store_settings(sqlite3 *db, const struct capture *capture, struct err *err)
{
    struct own_rows own = {.diag = capture->diag};
    if (table_rows_into(&own.rows, db, "setting(part_id, name, value)", err) < 0)
        return err_status(err);
    for (size_t i = 0; i < capture->part_count; i++) {
        const struct capture_settings *settings = &capture->parts[i].settings;
        for (size_t k = 0; k < settings->count; k++) {
            const struct capture_setting *setting = &settings->items[k];
            if (own_add(&own, err, V((int64_t)i + 1), safe(&own, setting->name),
                        setting->text != NULL ? safe(&own, setting->text) : V(setting->number)) < 0)
                return err_status(err);
        }
    }
    return 0;
}

/* The clock that turned counters into times, in words. */
static void describe_clock(const struct capture *capture, char *text, size_t size)
{
    int64_t khz = capture->options.clock_khz;
    const char *origin = "--freq-mhz";
    if (capture->device_count > 0 && khz <= 0) {
        khz = capture->family == CAPTURE_SVP ? capture->devices[0].core_khz : capture->devices[0].counter_khz;
        origin = "info.json";
    }
    if (khz > 0)
        snprintf(text, size, "%lld.%03lld MHz from %s", (long long)(khz / 1000), (long long)(khz % 1000), origin);
    else
        snprintf(text, size, "%s", capture->family == CAPTURE_SVP ? "unknown" : "100.000 MHz assumed");
}

/* When clocks tick whose lengths need it. */
static int add_origins(struct own_rows *own, const struct capture *capture, struct err *err)
{
    for (size_t i = 0; i < capture->part_count; i++) {
        const struct capture_part *part = &capture->parts[i];
        char key[sizeof CLOCK_ORIGIN + NUMBER_MAX] = CLOCK_ORIGIN;
        if (!ticks_need_origin(part->is_host ? part->host_hz : part->device_hz))
            continue;
        *number_put_unsigned(key + strlen(key), i + 1) = '\0'; /* capture_part.id */
        if (own_add(own, err, V(key), V(part_origin_ns(part))) < 0)
            return err_status(err);
    }
    return 0;
}

static int store_facts(sqlite3 *db, const struct import_request *request, const struct capture *capture,
                       const struct import_result *result, struct err *err)
{
    const struct diagnostics *diag = capture->diag;
    char clock[96];
    describe_clock(capture, clock, sizeof clock);
    const struct {
        const char *key, *value;
    } texts[] = {
        {"tool_version", request->tool_version},
        {"capture_path", capture->directory},
        {"family", capture_family_name(capture->family)},
        {"parameters", request->parameters},
        {"fingerprint", capture->fingerprint},
        {"clock", clock},
    };
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        {"files_decoded", result->files_decoded},       {"records_decoded", result->records_decoded},
        {"records_rejected", result->records_rejected}, {"problems", diag_problems(diag)},
        {"notes", diag->by_severity[DIAG_NOTE]},
    };
    struct own_rows own = {.diag = NULL};
    if (table_rows_into(&own.rows, db, "meta(key, value)", err) < 0 || add_origins(&own, capture, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (own_add(&own, err, V(texts[i].key), safe(&own, texts[i].value)) < 0)
            return err_status(err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (table_add(&own.rows, err, V(numbers[i].key), V((int64_t)numbers[i].value)) < 0)
            return err_status(err);
    return 0;
}

static void count_result(const struct capture *capture, struct import_result *result)
{
    *result = (struct import_result){.warm_up_records = result->warm_up_records};
    memcpy(result->fingerprint, capture->fingerprint, sizeof result->fingerprint);
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        result->records_decoded += file->decoded;
        result->records_rejected += file->rejected;
        for (size_t reason = 0; file->rejected > 0 && reason < DIAG_COUNT; reason++)
            result->rejected_for[reason] += file->rejected_for[reason];
        result->bytes_read += file->kind != NULL ? file->size : 0;
        result->files_decoded += file->kind != NULL;
    }
}

/* From where timelines of boards and of captures before 2023 count: the earliest time, of inferences only if it is on
 * the clock of the others. */
static int store_origin(sqlite3 *db, int64_t earliest, struct err *err)
{
    static const char sql[] =
        "INSERT INTO meta SELECT 'origin_ns', coalesce(min(t), 0) FROM (SELECT nullif(?1, ?2) AS t"
        " UNION ALL SELECT min(start_ns) FROM inference WHERE start_known = 1)";
    const int64_t parameters[] = {earliest, INT64_MAX};
    return query_run(db, sql, parameters, 2, NULL, NULL, err);
}

static int store_warm_up(sqlite3 *db, const struct bulk *bulk, uint64_t *ret, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf tables;
    strbuf_init(&tables, 16384);
    *ret = bulk_warm_up(bulk, &tables);
    return tables.failed ? err_no_memory(err) : warm_up_store(db, *ret, tables.length > 0 ? tables.data : "", err);
}

static int connect_behind(struct database_build *build, struct bulk *bulk, struct err *err)
{
    if (bulk_end_pages(bulk, err) < 0 || schema_build_connect(build, err) < 0)
        return err_status(err);
    return bulk_connect(bulk, build->db, err);
}

/* Connects to the database: before the load, or behind it, when its file is written without SQLite. */
static int load_rows(struct database_build *build, const struct schema_file *file, bool plain, struct capture *capture,
                     const struct progress *progress, struct import_result *result, struct err *err)
{
    if (plain && schema_build_connect(build, err) < 0)
        return err_status(err);
    struct bulk *bulk = plain ? bulk_new(build->db, err) : bulk_new_pages(build->fd, file, err);
    if (bulk == NULL)
        return err_status(err);
    if (capture->family == CAPTURE_CANN)
        bulk_count_warm_up(bulk, capture);
    bool failed = pipeline_run(capture, bulk, progress, err) < 0 || (!plain && connect_behind(build, bulk, err) < 0) ||
                  store_origin(build->db, bulk_earliest(bulk), err) < 0 ||
                  store_warm_up(build->db, bulk, &result->warm_up_records, err) < 0;
    bulk_report(bulk, capture->diag);
    bulk_free(bulk);
    return failed ? err_status(err) : 0;
}

static int report_split(void *arg, sqlite3_stmt *row, struct err *err)
{
    (void)err;
    diag_report(arg, DIAG_INFERENCE_LIMIT, FILE_PLACE(query_text(row, 0), NULL),
                "inference %lld of model %lld is in %lld parts", (long long)sqlite3_column_int64(row, 2),
                (long long)sqlite3_column_int64(row, 1), (long long)sqlite3_column_int64(row, 3));
    return 0;
}

/* An inference that the decoder had to give up in between is in the table twice. */
static int report_split_inferences(sqlite3 *db, struct capture *capture, struct err *err)
{
    int status = query_run(db,
                           "SELECT f.path, i.model_id, i.current_pic_count, i.parts FROM (SELECT file_id, model_id,"
                           "   current_pic_count, count(*) AS parts FROM inference GROUP BY 1, 2, 3"
                           "   HAVING count(*) > 1) i JOIN source_file f ON f.id = i.file_id",
                           NULL, 0, report_split, capture->diag, err);
    return status == 0 && diag_is_fatal(capture->diag) ? diag_fatal_error(capture->diag, err) : status;
}

/* Stores what the capture's small files say and what follows from the rows, while its files are looked at again. */
static int store_rest(sqlite3 *db, const struct capture *capture, struct err *err)
{
    struct err changed = ERR_INIT;
    struct recheck *recheck = capture_recheck_begin(capture, err);
    if (recheck == NULL)
        return err_status(err);
    const bool failed = store_files(db, capture, err) < 0 || store_record_counts(db, capture, err) < 0 ||
                        store_parts(db, capture, err) < 0 || store_settings(db, capture, err) < 0 ||
                        store_models(db, capture, err) < 0 || db_join_messages(db, capture->diag, err) < 0 ||
                        schema_finish(db, err) < 0 || cann_steps_store(db, err) < 0;
    if (capture_recheck_end(recheck, &changed) == 0 || failed)
        return failed ? err_status(err) : 0;
    *err = changed;
    return err_status(err);
}

static int build(const struct import_request *request, struct capture *capture, struct import_result *result,
                 struct err *err)
{
    struct database_build build;
    struct schema_file file;
    if (schema_build_create(&build, request->database, capture_record_bytes(capture), &file, err) < 0)
        return err_status(err);
    bool failed = load_rows(&build, &file, request->way == DATABASE_PLAIN, capture, request->progress, result, err) < 0;
    count_result(capture, result);
    failed = failed || store_rest(build.db, capture, err) < 0 || report_split_inferences(build.db, capture, err) < 0 ||
             store_diagnostics(build.db, capture->diag, err) < 0 ||
             store_facts(build.db, request, capture, result, err) < 0 || (interrupted() && interrupt_error(err) < 0);
    failed = failed || database_build_settle(&build, err) < 0 ||
             (request->complete != NULL && request->complete(build.temporary, build.db, err) < 0);
    if (!failed)
        return database_build_commit(&build, err);
    database_build_abort(&build);
    return err_status(err);
}

int db_import(const struct import_request *request, struct diagnostics *diag, struct import_result *ret,
              struct err *err)
{
    struct capture capture;
    struct import_result result = {.records_decoded = 0};
    bool failed = capture_open(&capture, request->directory, &request->options, diag, err) < 0 ||
                  build(request, &capture, &result, err) < 0;
    if (!failed)
        *ret = result;
    capture_release(&capture);
    return failed ? err_status(err) : 0;
}

/* ---- what an import reported ---- */

static int take_rejected(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct import_result *result = arg;
    const char *reason = (const char *)sqlite3_column_text(row, 0);
    const enum diag_id id = reason != NULL ? diag_find(reason) : DIAG_COUNT;
    if (id == DIAG_COUNT)
        return err_set(err, ERR_FORMAT, "the database has rejected records with an unknown reason");
    result->rejected_for[id] = (uint64_t)sqlite3_column_int64(row, 1);
    return 0;
}

static char *copy_text(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text != NULL ? strdup(text) : NULL;
}

/* Rows of a kind and file follow each other; each has the occurrences of all. */
static int read_diagnostics(sqlite3 *db, struct diagnostics *diag, struct err *err)
{
    static const char sql[] =
        "SELECT code, coalesce(file, ''), occurrences, message, row_number() OVER (PARTITION BY code,"
        " file ORDER BY id) FROM diagnostics ORDER BY id";
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    int code = SQLITE_DONE;
    if (database_prepare(db, sql, &statement, err) < 0)
        return err_status(err);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        const char *file = (const char *)sqlite3_column_text(statement, 1);
        const int64_t count = sqlite3_column_int64(statement, 2);
        const enum diag_id id = name != NULL ? diag_find(name) : DIAG_COUNT;
        if (id == DIAG_COUNT || file == NULL || count < 1)
            return err_set(err, ERR_FORMAT, "the database has an unknown data problem");
        /* each row has the count of all */
        char *line = copy_text(statement, 3);
        diag_restore(diag, id, file, sqlite3_column_int64(statement, 4) == 1 ? (uint64_t)count : 0, &line,
                     line != NULL);
        free(line);
    }
    return code == SQLITE_DONE ? 0 : database_error(err, db, "cannot read the data problems");
}

int db_read_import(sqlite3 *db, struct diagnostics *diag, struct import_result *ret, struct err *err)
{
    struct import_result result = {.records_decoded = 0};
    int64_t decoded, rejected, warm_up, files;
    if (database_meta_integer(db, "records_decoded", &decoded, err) < 0 ||
        database_meta_integer(db, "records_rejected", &rejected, err) < 0 ||
        database_meta_integer(db, "warm_up_records", &warm_up, err) < 0 ||
        database_meta_integer(db, "files_decoded", &files, err) < 0 ||
        query_run(db, "SELECT reason, sum(records) FROM record_count WHERE outcome = 'rejected' GROUP BY reason", NULL,
                  0, take_rejected, &result, err) < 0 ||
        read_diagnostics(db, diag, err) < 0)
        return err_status(err);
    if (decoded < 0 || rejected < 0 || warm_up < 0 || files < 0)
        return err_set(err, ERR_FORMAT, "the database has a negative count of records or files");
    result.records_decoded = (uint64_t)decoded;
    result.records_rejected = (uint64_t)rejected;
    result.warm_up_records = (uint64_t)warm_up;
    result.files_decoded = (size_t)files;
    *ret = result;
    return 0;
}

static bool meta_equals(sqlite3 *db, const char *key, const char *expected)
{
    struct err ignored = ERR_INIT;
    SCOPED_FREE char *value = NULL;
    return database_meta(db, key, &value, &ignored) == 0 && strcmp(value, expected) == 0;
}

sqlite3 *db_open_current(const struct import_request *request)
{
    struct err ignored = ERR_INIT;
    sqlite3 *db;
    char fingerprint[65];
    if (database_open(request->database, &db, &ignored) < 0)
        return NULL;
    if (meta_equals(db, "tool_version", request->tool_version) && meta_equals(db, "parameters", request->parameters) &&
        capture_fingerprint(request->directory, fingerprint, &ignored) == 0 &&
        meta_equals(db, "fingerprint", fingerprint) && schema_is_ours(db) && warm_up_hide(db, &ignored) == 0)
        return db;
    database_close(db);
    return NULL;
}
