/* SPDX-License-Identifier: Apache-2.0 */
/* The files, models and devices of a capture: finding and adding them. */
#include "parsers/capture/capture_files.h"

#include "base/array.h"
#include "base/file/fsutil.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_any(const struct capture *capture, const char *name)
{
    /* O_NONBLOCK: opening a pipe that nobody writes to must not wait. */
    return openat(capture->directory != NULL ? capture->at : AT_FDCWD, name,
                  O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

bool capture_file_read_listed(const struct capture *capture, const char *name, uint64_t size, void *bytes)
{
    SCOPED_CLOSE int fd = open_any(capture, name);
    return fd >= 0 && pread(fd, bytes, (size_t)size + 1, 0) == (ssize_t)size;
}

int capture_file_open(const struct capture *capture, const char *name, struct stat *ret, int *ret_failure)
{
    int fd = open_any(capture, name);
    *ret_failure = fd < 0 ? errno : NOT_REGULAR;
    if (fd < 0 || (fstat(fd, ret) == 0 && S_ISREG(ret->st_mode)))
        return fd;
    close(fd);
    return -1;
}

/* Reads a file that is as long as it says, as it should be. */
static char *read_small(const struct capture *capture, const char *name, size_t limit, size_t *ret_length)
{
    struct stat info;
    int failure;
    SCOPED_CLOSE int fd = capture_file_open(capture, name, &info, &failure);
    const size_t size = fd >= 0 && info.st_size > 0 && (uint64_t)info.st_size <= limit ? (size_t)info.st_size : 0;
    char *text = size > 0 ? malloc(size + 1) : NULL;
    if (text == NULL || read(fd, text, size + 1) != (ssize_t)size) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    *ret_length = size;
    return text;
}

int capture_file_read(const struct capture *capture, const char *name, size_t limit, char **ret, size_t *ret_length,
                      struct err *err)
{
    if ((*ret = read_small(capture, name, limit, ret_length)) != NULL)
        return 0;
    SCOPED_FREE char *path = path_joined(capture->directory != NULL ? capture->directory : "", name, err);
    return path != NULL ? path_read_file(path, limit, ret, ret_length, err) : err_status(err);
}

struct capture_file *capture_add_file(struct capture *capture, const struct entry *entry)
{
    struct err ignored = ERR_INIT;
    if (capture->file_count == capture->file_capacity &&
        array_grow(&capture->files, &capture->file_capacity, capture->file_count, 1, sizeof *capture->files, &ignored) <
            0)
        return NULL;
    struct capture_file *file = &capture->files[capture->file_count];
    *file = (struct capture_file){
        .name = entry->name,
        .identity = {-1, -1, -1, -1, -1, -1, NULL, NULL, -1, false, -1, -1},
        .done = {false, -1, -1, -1, -1, -1},
        .size = entry->size,
        .modified_ns = entry->modified_ns,
        .inode = entry->inode,
    };
    if (capture_add_part(capture, entry->name, &file->part, &ignored) < 0)
        return NULL;
    capture->file_count++;
    return file;
}

struct capture_model *capture_add_model(struct capture *capture, const char *name, int64_t model_id, struct err *err)
{
    for (size_t i = 0; i < capture->model_count; i++) {
        if (capture->models[i].model_id == model_id && strcmp(capture->models[i].name, name) == 0)
            return &capture->models[i];
    }
    if (capture->model_count == CAPTURE_MAX_MODELS) {
        diag_report(capture->diag, DIAG_FILE_LIMIT, NULL, "more than %d models; '%s' is ignored", CAPTURE_MAX_MODELS,
                    name);
        return NULL;
    }
    if (capture->models == NULL)
        capture->models = calloc(CAPTURE_MAX_MODELS, sizeof *capture->models);
    char *copy = strdup(name);
    if (capture->models == NULL || copy == NULL) {
        free(copy);
        err_no_memory(err);
        return NULL;
    }
    struct capture_model *model = &capture->models[capture->model_count++];
    *model = (struct capture_model){copy, model_id, -1, NULL};
    return model;
}

struct device_info *capture_add_device(struct capture *capture, int64_t device_id, struct err *err)
{
    for (size_t i = 0; i < capture->device_count; i++) {
        if (capture->devices[i].device_id == device_id)
            return &capture->devices[i];
    }
    if (capture->device_count == CAPTURE_MAX_DEVICES) {
        diag_report(capture->diag, DIAG_FILE_LIMIT, NULL, "more than %d devices; the clock of device %lld is ignored",
                    CAPTURE_MAX_DEVICES, (long long)device_id);
        return NULL;
    }
    if (capture->devices == NULL)
        capture->devices = calloc(CAPTURE_MAX_DEVICES, sizeof *capture->devices);
    if (capture->devices == NULL) {
        err_no_memory(err);
        return NULL;
    }
    struct device_info *device = &capture->devices[capture->device_count++];
    *device = (struct device_info){device_id, -1, -1};
    return device;
}

const struct device_info *capture_device(const struct capture *capture, int64_t device_id)
{
    for (size_t i = 0; i < capture->device_count; i++) {
        if (capture->devices[i].device_id == device_id)
            return &capture->devices[i];
    }
    return NULL;
}

#define COUNTER_910A_KHZ 100000 /* docs/formats/cann.md 2.1 */

int64_t capture_counter_khz(const struct capture *capture, int64_t device_id)
{
    const struct device_info *device = capture_device(capture, device_id);
    if (capture->options.clock_khz > 0)
        return capture->options.clock_khz;
    return device != NULL && device->counter_khz > 0 ? device->counter_khz : COUNTER_910A_KHZ;
}

struct capture_model *capture_model(const struct capture *capture, int64_t model_id)
{
    if (model_id < 0)
        return capture->model_count == 1 ? &capture->models[0] : NULL;
    for (size_t i = 0; i < capture->model_count; i++) {
        if (capture->models[i].model_id == model_id)
            return &capture->models[i];
    }
    return NULL;
}

int capture_note_layer(struct capture *capture, const struct file_identity *identity, int64_t task_id, struct err *err)
{
    for (size_t i = 0; i < capture->model_count; i++) {
        struct capture_model *model = &capture->models[i];
        if (model->model_id != identity->model_id || strcmp(model->name, identity->model) != 0)
            continue;
        if (model->layer_tasks == NULL)
            model->layer_tasks = calloc(LAYER_TASK_MAX / 8, 1);
        if (model->layer_tasks == NULL)
            return err_no_memory(err);
        if (task_id >= 0 && task_id < LAYER_TASK_MAX)
            model->layer_tasks[task_id >> 3] |= (unsigned char)(1u << (task_id & 7));
        break;
    }
    return 0;
}
