/* SPDX-License-Identifier: Apache-2.0 */
#include "testdata/generate/job.h"

#include "base/file/fsutil.h"
#include "base/strbuf.h"
#include "testdata/generate/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)64 * 1024 * 1024)

void job_name(uint64_t seed, char name[JOB_NAME_SIZE])
{
    uint64_t random = random_derive(seed, 0x4a4f42);
    memcpy(name, "JOB", 3);
    for (int i = 3; i < JOB_NAME_SIZE - 1; i++)
        name[i] = (char)('A' + random_between(&random, 0, 25));
    name[JOB_NAME_SIZE - 1] = '\0';
}

int job_init(struct job *job, const char *output, const char *name, struct err *err)
{
    job->directory = path_join(output, name);
    char *data = job->directory != NULL ? path_join(job->directory, "data") : NULL;
    int r = data != NULL ? path_make_directories(data, err) : err_set(err, ERR_NO_MEMORY, "out of memory");
    free(data);
    return r;
}

void job_release(struct job *job)
{
    free(job->directory);
    job->directory = NULL;
}

static int open_output(struct outfile *out, const struct job *job, const char *folder, const char *name,
                       struct err *err)
{
    char relative[FILE_NAME_SIZE + 8];
    snprintf(relative, sizeof(relative), "%s%s", folder, name);
    char *path = path_join(job->directory, relative);
    if (path == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return -ERR_NO_MEMORY;
    }
    int r = outfile_open(out, path, err);
    free(path);
    return r;
}

static int write_text(const struct job *job, const char *folder, const char *name, const struct strbuf *text,
                      struct err *err)
{
    if (text->failed)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    struct outfile out;
    int r = open_output(&out, job, folder, name, err);
    if (r < 0)
        return r;
    outfile_add(&out, text);
    return outfile_commit(&out, err);
}

int job_write_info(const struct job *job, unsigned device, unsigned megahertz, struct err *err)
{
    char name[32];
    struct strbuf text;
    strbuf_init(&text, TEXT_MAX);
    snprintf(name, sizeof(name), "info.json.%u", device);
    (void)strbuf_addf(&text, "{\"DeviceInfo\": [{\"aic_frequency\": \"%u\"}%s]}", megahertz,
                      job->board_names ? ",{\"magic_num\": \"6A6A\"}" : "");
    int r = write_text(job, "", name, &text, err);
    strbuf_release(&text);
    return r;
}

/* Failures of the appends stay in text->failed. */
static void add_json_string(struct strbuf *text, const char *value)
{
    (void)strbuf_addc(text, '"');
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\')
            (void)strbuf_addf(text, "\\%c", *value);
        else if ((unsigned char)*value < 0x20)
            (void)strbuf_addf(text, "\\u%04x", (unsigned)*value);
        else
            (void)strbuf_addc(text, *value);
    }
    (void)strbuf_addc(text, '"');
}

int job_write_layers(const struct job *job, const char *model, unsigned model_id, const struct network *network,
                     struct err *err)
{
    char name[FILE_NAME_SIZE];
    struct strbuf text;
    strbuf_init(&text, TEXT_MAX);
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layers[i];
        (void)strbuf_addf(&text, "%s{\"layer_id\":%zu,\"name\":", i == 0 ? "[" : ",\n", i);
        add_json_string(&text, layer->name);
        (void)strbuf_adds(&text, ",\"type\":");
        add_json_string(&text, layer->type);
        (void)strbuf_adds(&text, ",\"ori_name\":");
        add_json_string(&text, layer->ori_name);
        (void)strbuf_addf(&text, ",\"task_id\":%u,\"engine\":\"%s\"}", layer->task_id,
                          layer->ai_cpu ? "AI_CPU" : "AI_CORE");
    }
    (void)strbuf_adds(&text, "]\n");
    snprintf(name, sizeof(name), "%s.%u.layer.info", model, model_id);
    int r = write_text(job, "data/", name, &text, err);
    strbuf_release(&text);
    return r;
}

int job_write_net(const struct job *job, const char *model, unsigned model_id, unsigned batch, struct err *err)
{
    char name[FILE_NAME_SIZE];
    struct strbuf text;
    strbuf_init(&text, TEXT_MAX);
    (void)strbuf_adds(&text, "{\"model_name\":");
    add_json_string(&text, model);
    (void)strbuf_addf(&text, ",\"model_id\":%u,\"batch_num\":%u}\n", model_id, batch);
    snprintf(name, sizeof(name), "%s.%u.net.info", model, model_id);
    int r = write_text(job, "data/", name, &text, err);
    strbuf_release(&text);
    return r;
}

int job_write_complete(const struct job *job, const char *name, struct err *err)
{
    char file[FILE_NAME_SIZE];
    struct strbuf text;
    strbuf_init(&text, TEXT_MAX);
    snprintf(file, sizeof(file), "%s.complete", name);
    int r = write_text(job, "data/", file, &text, err);
    strbuf_release(&text);
    return r;
}

int job_write_content(const struct job *job, const char *name, struct err *err)
{
    struct strbuf text;
    strbuf_init(&text, TEXT_MAX);
    (void)strbuf_addf(&text, "jj content of %s", name);
    int r = write_text(job, "data/", name, &text, err);
    strbuf_release(&text);
    return r;
}

int job_write_done(const struct job *job, const char *name, const struct done *done, struct err *err)
{
    char file[FILE_NAME_SIZE];
    struct strbuf text;
    strbuf_init(&text, TEXT_MAX);
    /* The blanks before one of the colons are as boards write them. */
    (void)strbuf_addf(&text,
                      job->board_names ? "file_len:%" PRIu64 "\nstart_time:%" PRId64 "\nend_time:%" PRId64 "\n"
                                       : "filesize:%" PRIu64 "\nstarttime:%" PRId64 "\nendtime  :%" PRId64 "\n",
                      done->file_size, done->start_ns, done->end_ns);
    if (done->has_icache)
        (void)strbuf_addf(&text,
                          job->board_names ? "cache_hit:%" PRIu64 "\ncache_mis:%" PRIu64
                                             "\nonline_batch_num:2\n0 7\n1 9\n"
                                           : "icache_hit:%" PRIu64 "\nicache_miss:%" PRIu64 "\n",
                          done->icache_hit, done->icache_miss);
    if (job->board_names && done->process_id > 0)
        (void)strbuf_addf(&text, "pid:%u\ntid:%u\n", done->process_id, done->thread_id);
    snprintf(file, sizeof(file), "%s.done", name);
    int r = write_text(job, "data/", file, &text, err);
    strbuf_release(&text);
    return r;
}

int record_file_open(struct record_file *file, const struct job *job, const char *name, const char *kind_name,
                     struct err *err)
{
    const struct record_kind *kind = record_kind_find(kind_name);
    if (kind == NULL || kind->layout_count == 0 || kind->layouts[0].record_size > OUTFILE_RESERVE_MAX)
        return err_set(err, ERR_NOT_FOUND, "no record kind '%s' of fixed-size records", kind_name);
    *file = (struct record_file){.present = 0};
    encode_plan_init(&file->plan, kind, &kind->layouts[0]);
    return open_output(&file->out, job, "data/", name, err);
}

int record_file_column(const struct record_file *file, const char *column, struct err *err)
{
    int at = record_kind_column(file->plan.kind, column);
    return at >= 0 ? at : err_set(err, ERR_NOT_FOUND, "kind %s has no column '%s'", file->plan.kind->name, column);
}

void record_file_set(struct record_file *file, int column, int64_t value)
{
    file->cells[column].integer = value;
    file->present |= UINT64_C(1) << column;
}

void record_file_set_text(struct record_file *file, int column, const char *text)
{
    file->cells[column].text = text;
    file->cells[column].length = (uint32_t)strlen(text);
    file->present |= UINT64_C(1) << column;
}

int record_file_write(struct record_file *file, struct err *err)
{
    size_t size = file->plan.layout->record_size;
    unsigned char *record = (unsigned char *)outfile_reserve(&file->out, size);
    struct row row = {file->cells, &file->present};
    int r = encode_planned(&file->plan, &row, record, err);
    if (r < 0)
        return err_wrap(err, "cannot encode record %" PRIu64 " of '%s'", file->records, file->out.path);
    outfile_advance(&file->out, size);
    file->records++;
    return 0;
}

int record_file_close(struct record_file *file, struct err *err)
{
    return outfile_commit(&file->out, err);
}

void record_file_abort(struct record_file *file)
{
    outfile_abort(&file->out);
}

uint64_t record_file_size(const struct record_file *file)
{
    return file->records * file->plan.layout->record_size;
}
