/* SPDX-License-Identifier: Apache-2.0 */
#include "features/frameworks/mindspore/minddata.h"

#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "base/number.h"
#include "features/frameworks/records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_LIMIT ((size_t)256 * 1024 * 1024)
#define MOST_OPS 65536

void minddata_release(struct minddata *data)
{
    for (size_t i = 0; i < data->op_count; i++) {
        free(data->ops[i].type);
        free(data->ops[i].queue);
        free(data->ops[i].children);
    }
    free(data->ops);
    free(data->cpu);
    *data = (struct minddata){.op_count = 0};
}

double minddata_queue_mean(const struct minddata_op *op)
{
    double sum = 0;
    for (size_t i = 0; i < op->queue_count; i++)
        sum += (double)op->queue[i];
    return op->queue_count > 0 ? sum / (double)op->queue_count : 0;
}

const struct minddata_op *minddata_op_of(const struct minddata *data, int64_t id)
{
    for (size_t i = 0; i < data->op_count; i++) {
        if (data->ops[i].id == id)
            return &data->ops[i];
    }
    return NULL;
}

static size_t count_of(const struct json *array)
{
    size_t count = 0;
    for (const struct json *item = json_first(array); item != NULL; item = json_next(item))
        count++;
    return count;
}

/* NULL with *ret_count 0 for what is no array of whole numbers, or no memory. */
static int64_t *integers_of(const struct json *array, size_t *ret_count)
{
    size_t count = json_is_array(array) ? count_of(array) : 0;
    int64_t *items = scoped_memory(count + 1, sizeof *items);
    *ret_count = 0;
    for (const struct json *item = items != NULL && count > 0 ? json_first(array) : NULL; item != NULL;
         item = json_next(item)) {
        if (!json_integer(item, &items[*ret_count])) {
            *ret_count = 0;
            break;
        }
        ++*ret_count;
    }
    return items;
}

/* NULL: missing, or reported. */
static struct json *load_json(const struct framework *framework, const char *directory, const char *name,
                              struct diagnostics *diag, struct err *err)
{
    char file[96];
    SCOPED_FREE char *text = NULL;
    struct stat info;
    size_t length;
    snprintf(file, sizeof file, "FRAMEWORK/%s_%lld.json", name, (long long)framework->info.rank);
    SCOPED_FREE char *path = path_join(directory, file);
    static const char *const keys[] = {
        "op_info", "op_id",    "op_type",           "num_workers", "metrics",          "output_queue",   "length",
        "size",    "children", "sampling_interval", "cpu_op_info", "user_utilization", "sys_utilization"};
    const struct place place = {path, -1, -1, NULL};
    struct json *root = NULL;
    char odd[32] = "";
    const bool is_there = path != NULL && lstat(path, &info) == 0;
    if (path != NULL && !is_there && errno != ENOENT)
        err_set_errno(err, errno, "cannot read '%s'", path);
    if (is_there && path_read_file(path, FILE_LIMIT, &text, &length, err) == 0) {
        records_note_read(&info);
        root = json_parse(text, length, err);
    }
    if (root == NULL && err->code != ERR_NONE && err->code != ERR_NO_MEMORY) {
        diag_report(diag, DIAG_CONFIG_INVALID, &place, "%s", err_message(err));
        *err = (struct err)ERR_INIT;
    }
    framework_find_odd_key(root, keys, sizeof keys / sizeof *keys, odd);
    if (odd[0] != '\0')
        diag_report(diag, DIAG_CONFIG_INVALID, &place, "the key '%s' is one letter off a known key", odd);
    return root;
}

/* ---- pipeline_profiling ---- */

static int take_op(struct minddata *data, const struct json *item, struct err *err)
{
    struct minddata_op *op = &data->ops[data->op_count];
    const struct json *queue = json_member(json_member(item, "metrics"), "output_queue");
    const char *type = json_string(json_member(item, "op_type"));
    *op = (struct minddata_op){.parent = -1, .type = strdup(type != NULL ? type : "")};
    data->op_count++;
    json_integer(json_member(item, "op_id"), &op->id);
    json_integer(json_member(item, "num_workers"), &op->workers);
    op->has_queue = json_is_object(queue);
    json_integer(json_member(queue, "length"), &op->queue_length);
    op->queue = integers_of(json_member(queue, "size"), &op->queue_count);
    op->children = integers_of(json_member(item, "children"), &op->child_count);
    return op->type != NULL && op->queue != NULL && op->children != NULL ? 0 : err_no_memory(err);
}

static void set_parents(struct minddata *data)
{
    for (size_t i = 0; i < data->op_count; i++) {
        for (size_t k = 0; k < data->ops[i].child_count; k++) {
            struct minddata_op *child = (struct minddata_op *)(uintptr_t)minddata_op_of(data, data->ops[i].children[k]);
            if (child != NULL)
                child->parent = data->ops[i].id;
        }
    }
}

/* Reports operators that are not there, or that nobody takes from: all but one are the child of another. */
static void check_tree(const struct minddata *data, const char *directory, struct diagnostics *diag)
{
    const struct place place = {directory, -1, -1, NULL};
    size_t roots = 0, lost = 0;
    for (size_t i = 0; i < data->op_count; i++) {
        framework_check_text(data->ops[i].type, strlen(data->ops[i].type), &place, diag);
        roots += data->ops[i].parent < 0;
        for (size_t k = 0; k < data->ops[i].child_count; k++)
            lost += minddata_op_of(data, data->ops[i].children[k]) == NULL;
    }
    if (lost > 0 || roots > 1)
        diag_report(diag, DIAG_CONFIG_INVALID, &place,
                    "pipeline_profiling has %zu operators without a consumer, expected 1, and refers to %zu missing "
                    "ones, expected 0",
                    roots, lost);
}

static int load_pipeline(const struct framework *framework, const char *directory, struct minddata *data,
                         struct diagnostics *diag, struct err *err)
{
    SCOPED_JSON struct json *root = load_json(framework, directory, "pipeline_profiling", diag, err);
    const struct json *list = json_member(root, "op_info");
    size_t count = json_is_array(list) ? count_of(list) : 0;
    int status = err->code != ERR_NONE ? err_status(err) : 0;
    if (status == 0 && count > 0 && count <= MOST_OPS) {
        data->ops = calloc(count, sizeof *data->ops);
        if (data->ops == NULL)
            status = err_set(err, ERR_NO_MEMORY, "out of memory for the data pipeline");
        for (const struct json *item = json_first(list); status == 0 && item != NULL; item = json_next(item))
            status = take_op(data, item, err);
        json_integer(json_member(root, "sampling_interval"), &data->interval);
        data->has_pipeline = status == 0;
        set_parents(data);
        check_tree(data, directory, diag);
    }
    return status;
}

/* ---- minddata_cpu_utilization ---- */

static double mean_of(const struct json *metrics)
{
    size_t user_count = 0, system_count = 0;
    double sum = 0;
    SCOPED_FREE int64_t *user = integers_of(json_member(metrics, "user_utilization"), &user_count),
                        *system = integers_of(json_member(metrics, "sys_utilization"), &system_count);
    size_t count = user_count < system_count ? user_count : system_count;
    for (size_t i = 0; user != NULL && system != NULL && i < count; i++)
        sum += (double)(user[i] + system[i]);
    return count > 0 ? sum / (double)count : 0;
}

static int load_cpu(const struct framework *framework, const char *directory, struct minddata *data,
                    struct diagnostics *diag, struct err *err)
{
    SCOPED_JSON struct json *root = load_json(framework, directory, "minddata_cpu_utilization", diag, err);
    const struct json *list = json_member(root, "op_info");
    int status = err->code != ERR_NONE ? err_status(err) : 0;
    size_t count = json_is_array(list) ? count_of(list) : 0;
    if (status == 0 && count > 0 && count <= MOST_OPS) {
        data->cpu = calloc(count, sizeof *data->cpu);
        if (data->cpu == NULL)
            status = err_set(err, ERR_NO_MEMORY, "out of memory for the data pipeline");
        for (const struct json *item = json_first(list); status == 0 && item != NULL; item = json_next(item)) {
            int64_t id = -1;
            if (json_integer(json_member(item, "op_id"), &id) && id >= 0 && (uint64_t)id < count) {
                data->cpu[id] = mean_of(json_member(item, "metrics"));
                data->cpu_count = (size_t)id + 1 > data->cpu_count ? (size_t)id + 1 : data->cpu_count;
            }
        }
        data->has_cpu = status == 0;
    }
    return status;
}

/* ---- device_queue_profiling, dataset_iterator_profiling ---- */

struct batches {
    struct diagnostics *diag;
    bool iterator;
    double sums[3];
    int64_t counts[3];
    bool has_stamp;
    int64_t last_stamp;
};

static bool parse_numbers(const char *text, int64_t numbers[5])
{
    for (int i = 0; i < 5; i++) {
        bool negative = *text == '-';
        size_t length = strcspn(text += negative, " ");
        if (number_parse_integer(text, length, &numbers[i]) < 0)
            return false;
        numbers[i] = negative ? -numbers[i] : numbers[i];
        text += length + (text[length] == ' ');
    }
    return *text == '\0';
}

static int take_line(void *arg, const struct framework_line *line, struct err *err)
{
    enum { TYPE, EXTRA, BATCH, VALUE, STAMP, TIMES = 0, QUEUES = 1, BATCH_TIME = 2 };
    struct batches *batches = arg;
    const struct place place = {line->path, (int64_t)line->number, -1, NULL};
    int64_t numbers[5];
    (void)err;
    if (line->length == 0)
        return 0;
    if (!parse_numbers(line->text, numbers)) {
        diag_report(batches->diag, DIAG_TEXT_LINE, &place, "not five numbers");
        return 0;
    }
    if (numbers[TYPE] == QUEUES && batches->iterator) {
        if (batches->has_stamp && numbers[BATCH] >= 2) {
            batches->sums[BATCH_TIME] += (double)(numbers[STAMP] - batches->last_stamp);
            batches->counts[BATCH_TIME]++;
        }
        batches->has_stamp = true;
        batches->last_stamp = numbers[STAMP];
    } else if (numbers[TYPE] == TIMES && numbers[BATCH] >= 2 && numbers[EXTRA] >= 0 && numbers[EXTRA] <= BATCH_TIME &&
               !(batches->iterator && numbers[EXTRA] == BATCH_TIME)) {
        batches->sums[numbers[EXTRA]] += (double)numbers[VALUE];
        batches->counts[numbers[EXTRA]]++;
    }
    return 0;
}

static int load_batches(const struct framework *framework, const char *directory, struct minddata *data,
                        struct diagnostics *diag, struct err *err)
{
    static const char *const names[] = {"device_queue_profiling", "dataset_iterator_profiling"};
    double *means[3] = {&data->pipeline_ms, &data->push_ms, &data->batch_ms};
    int status = 0;
    for (int i = 0; status == 0 && !data->has_batches && i < 2; i++) {
        struct batches batches = {.diag = diag, .iterator = i == 1};
        char file[96];
        snprintf(file, sizeof file, "FRAMEWORK/%s_%lld.txt", names[i], (long long)framework->info.rank);
        status = framework_read_lines(directory, file, take_line, &batches, &data->has_batches, diag, err);
        for (int k = 0; k < 3; k++)
            *means[k] = batches.counts[k] > 0 ? batches.sums[k] / (double)batches.counts[k] : -1;
    }
    return status;
}

int minddata_load(const struct framework *framework, const char *directory, struct minddata *ret,
                  struct diagnostics *diag, struct err *err)
{
    *ret = (struct minddata){.op_count = 0};
    if (load_pipeline(framework, directory, ret, diag, err) < 0 || load_cpu(framework, directory, ret, diag, err) < 0)
        return err_status(err);
    return load_batches(framework, directory, ret, diag, err);
}
