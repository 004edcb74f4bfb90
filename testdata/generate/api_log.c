/* SPDX-License-Identifier: Apache-2.0 */
#include "testdata/generate/api_log.h"

#include <stdio.h>
#include <stdlib.h>

int api_log_init(struct api_log *log, size_t capacity, struct err *err)
{
    *log = (struct api_log){.capacity = capacity};
    log->calls = calloc(capacity > 0 ? capacity : 1, sizeof(*log->calls));
    return log->calls != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
}

void api_log_release(struct api_log *log)
{
    free(log->calls);
    log->calls = NULL;
}

void api_log_add(struct api_log *log, const struct api_call *call)
{
    if (log->capacity > 0)
        log->calls[log->count++ % log->capacity] = *call;
}

struct api_columns {
    int type, start_ns, end_ns, process_id, thread_id, name;
};

static int find_columns(const struct record_file *file, struct api_columns *ret, struct err *err)
{
    const struct {
        const char *name;
        int *column;
    } wanted[] = {{"api_type", &ret->type},         {"start_ns", &ret->start_ns},   {"end_ns", &ret->end_ns},
                  {"process_id", &ret->process_id}, {"thread_id", &ret->thread_id}, {"name", &ret->name}};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if ((*wanted[i].column = record_file_column(file, wanted[i].name, err)) < 0)
            return *wanted[i].column;
    return 0;
}

static int write_calls(const struct api_log *log, struct record_file *file, struct done *done, struct err *err)
{
    struct api_columns columns;
    int r = find_columns(file, &columns, err);
    uint64_t kept = log->count < log->capacity ? log->count : log->capacity;
    for (uint64_t i = log->count - kept; r == 0 && i < log->count; i++) {
        const struct api_call *call = &log->calls[i % log->capacity];
        record_file_set(file, columns.type, call->type);
        record_file_set(file, columns.start_ns, call->start_ns);
        record_file_set(file, columns.end_ns, call->end_ns);
        record_file_set(file, columns.process_id, call->process_id);
        record_file_set(file, columns.thread_id, call->thread_id);
        record_file_set_text(file, columns.name, call->name);
        if (file->records == 0 || call->start_ns < done->start_ns)
            done->start_ns = call->start_ns;
        if (file->records == 0 || call->end_ns > done->end_ns)
            done->end_ns = call->end_ns;
        r = record_file_write(file, err);
    }
    return r;
}

int api_log_write(const struct api_log *log, const struct job *job, unsigned device, const char *model,
                  unsigned model_id, struct err *err)
{
    char name[FILE_NAME_SIZE];
    struct record_file file;
    struct done done = {.file_size = 0};
    if (log->count == 0)
        return 0;
    snprintf(name, sizeof(name), "acl_api.%u.%s.%u", device, model, model_id);
    int r = record_file_open(&file, job, name, "acl_call", err);
    if (r < 0)
        return r;
    r = write_calls(log, &file, &done, err);
    if (r < 0) {
        record_file_abort(&file);
        return r;
    }
    done.file_size = record_file_size(&file);
    done.process_id = log->calls[0].process_id;
    done.thread_id = log->calls[0].thread_id;
    r = record_file_close(&file, err);
    return r < 0 ? r : job_write_done(job, name, &done, err);
}
