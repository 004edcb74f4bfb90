/* SPDX-License-Identifier: Apache-2.0 */
#include "features/frameworks/framework.h"

#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "base/number.h"
#include "base/suggest.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INFO_LIMIT ((size_t)16 * 1024 * 1024)

/* The first by name of profiler_info.json and profiler_info_<rank>.json (free() it); NULL: err says why. */
static char *find_info(const char *directory, struct err *err)
{
    SCOPED_DIRECTORY DIR *opened = opendir(directory);
    SCOPED_FREE char *first = NULL;
    int status = opened != NULL || errno == ENOENT ? 0 : err_set_errno(err, errno, "cannot read '%s'", directory);
    for (struct dirent *entry; opened != NULL && (entry = path_next_entry(opened, directory, &status, err)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (strncmp(entry->d_name, "profiler_info", strlen("profiler_info")) != 0 || dot == NULL ||
            strcmp(dot, ".json") != 0 || (first != NULL && strcmp(entry->d_name, first) >= 0))
            continue;
        free(first);
        first = scoped_text(entry->d_name, SIZE_MAX);
    }
    if (status == 0 && first == NULL) {
        err_set(err, ERR_NOT_FOUND, "'%s' has no profiler_info_<rank>.json", directory);
        err_hint(err, "the profiler writes it when it ends: copy it with the capture");
    }
    return status == 0 && first != NULL ? path_joined(directory, first, err) : NULL;
}

static bool is_true(const struct json *object, const char *name)
{
    bool value = false;
    return json_boolean(json_member(object, name), &value) && value;
}

static bool holds(const struct json *list, const char *text)
{
    const char *only = json_string(list);
    if (only != NULL)
        return strcmp(only, text) == 0;
    for (const struct json *item = json_first(list); item != NULL; item = json_next(item)) {
        const char *value = json_string(item);
        if (value != NULL && strcmp(value, text) == 0)
            return true;
    }
    return false;
}

/* "Level1", "Level_none", "LevelNone". */
static int level_of(const char *text)
{
    const char *digit = text != NULL ? strpbrk(text, "012") : NULL;
    return digit != NULL ? *digit - '0' : -1;
}

static bool is_metric(const char *text)
{
    return text != NULL && strcmp(text, "None") != 0 && strcmp(text, "ACL_AICORE_NONE") != 0;
}

static int take_mindspore(const struct json *root, struct framework_info *ret, struct err *err)
{
    const struct json *parameters = json_member(root, "profiler_parameters"),
                      *ms = json_member(root, "ms_profiler_info");
    const char *level = json_string(json_member(parameters, "profiler_level")),
               *jit = json_string(json_member(root, "jit_level"));
    const struct json *activities = json_member(parameters, "activities"),
                      *types = json_member(parameters, "export_type");
    if (!json_is_object(parameters))
        return err_set(err, ERR_FORMAT, "no object profiler_parameters");
    *ret = (struct framework_info){
        .kind = FRAMEWORK_MINDSPORE,
        .rank = -1,
        .level = level_of(level),
        .scheduled = is_true(parameters, "is_set_schedule"),
        .graph_compiled = jit != NULL && strcmp(jit, "O2") == 0,
        .with_cpu = activities == NULL || holds(activities, "CPU"),
        .with_npu = activities == NULL || holds(activities, "NPU"),
        .memory = is_true(parameters, "profile_memory"),
        .record_shapes = is_true(parameters, "record_shapes"),
        .with_stack = is_true(parameters, "with_stack"),
        .data_process = is_true(parameters, "data_process"),
        .simplify = is_true(parameters, "data_simplification"),
        .text = types == NULL || holds(types, "text"),
        .database = holds(types, "db"),
        .aic_metrics = is_metric(json_string(json_member(parameters, "aic_metrics"))),
        .l2_cache = is_true(parameters, "l2_cache"),
        .sys_io = is_true(parameters, "sys_io"),
        .sys_interconnection = is_true(parameters, "sys_interconnection") || is_true(parameters, "pcie"),
    };
    json_integer(json_member(ms, "rank_id"), &ret->rank);
    return 0;
}

/* Times of captures without a PROF directory. */
static void take_clock(const struct json *root, struct framework_info *ret)
{
    const struct json *start = json_member(root, "start_info"), *end = json_member(root, "end_info");
    int64_t tick = 0, monotonic_ns = 0, end_ns = 0, end_monotonic_ns = 0;
    double mhz = 0;
    bool counts = is_true(start, "syscnt_enable");
    bool known = json_integer(json_member(end, "collectionTimeEnd"), &end_ns) &&
                 json_integer(json_member(end, "MonotonicTimeEnd"), &end_monotonic_ns);
    if (known && counts)
        known = json_integer(json_member(start, "start_cnt"), &tick) &&
                json_integer(json_member(start, "start_monotonic"), &monotonic_ns) &&
                json_number(json_member(start, "freq"), &mhz) && mhz > 0 && mhz < 1e6;
    ret->monotonic = json_is_object(start) && !counts;
    ret->has_clock = known;
    ret->clock = (struct framework_clock){tick, counts ? (int64_t)(mhz * 1e6 + 0.5) : 0,
                                          number_add(monotonic_ns, number_subtract(end_ns, end_monotonic_ns)),
                                          number_subtract(end_ns, end_monotonic_ns), 0};
}

static int take_pytorch(const struct json *root, struct framework_info *ret, struct err *err)
{
    const struct json *config = json_member(root, "config"), *common = json_member(config, "common_config"),
                      *more = json_member(config, "experimental_config");
    const struct json *activities = json_member(common, "activities"), *types = json_member(more, "_export_type");
    if (!json_is_object(config))
        return err_set(err, ERR_FORMAT, "no object config");
    *ret = (struct framework_info){
        .kind = FRAMEWORK_PYTORCH,
        .rank = -1,
        .level = level_of(json_string(json_member(more, "_profiler_level"))),
        .scheduled = true,
        .with_cpu = activities == NULL || holds(activities, "ProfilerActivity.CPU"),
        .with_npu = activities == NULL || holds(activities, "ProfilerActivity.NPU"),
        .memory = is_true(common, "profile_memory"),
        .record_shapes = is_true(common, "record_shapes"),
        .with_stack = is_true(common, "with_stack"),
        .simplify = is_true(more, "_data_simplification"),
        .text = types == NULL || holds(types, "text"),
        .database = holds(types, "db"),
        .aic_metrics = is_metric(json_string(json_member(more, "_aic_metrics"))),
        .l2_cache = is_true(more, "_l2_cache"),
        .sys_io = is_true(more, "_sys_io"),
        .sys_interconnection = is_true(more, "_sys_interconnection"),
    };
    json_integer(json_member(root, "rank_id"), &ret->rank);
    take_clock(root, ret);
    return 0;
}

static const char *const known_keys[] = {
    "profiler_parameters",
    "ms_profiler_info",
    "profiler_level",
    "jit_level",
    "activities",
    "export_type",
    "is_set_schedule",
    "profile_memory",
    "record_shapes",
    "with_stack",
    "data_process",
    "data_simplification",
    "aic_metrics",
    "l2_cache",
    "sys_io",
    "sys_interconnection",
    "rank_id",
    "config",
    "common_config",
    "experimental_config",
    "_profiler_level",
    "_export_type",
    "_data_simplification",
    "_aic_metrics",
    "_l2_cache",
    "_sys_io",
    "_sys_interconnection",
    "start_info",
    "end_info",
    "collectionTimeEnd",
    "MonotonicTimeEnd",
    "syscnt_enable",
    "start_cnt",
    "start_monotonic",
    "freq",
    "cann_version",
    "pcie",
};

void framework_find_odd_key(const struct json *root, const char *const *known, size_t count, char ret[static 32])
{
    for (const struct json *member = json_first(root); member != NULL; member = json_next(member)) {
        const char *key = json_key(member);
        bool is_known = key == NULL, is_near = false;
        for (size_t i = 0; key != NULL && i < count; i++) {
            size_t distance = suggestion_edit_distance(key, strlen(key), known[i], strlen(known[i]));
            is_known |= distance == 0;
            is_near |= distance == 1;
        }
        if (is_near && !is_known)
            snprintf(ret, 32, "%.31s", key);
        if (json_is_object(member) || json_is_array(member))
            framework_find_odd_key(member, known, count, ret);
    }
}

int framework_info_load(const char *directory, enum framework_kind kind, struct framework_info *ret, struct err *err)
{
    SCOPED_FREE char *path = find_info(directory, err), *text = NULL;
    size_t length;
    if (path == NULL)
        return err_status(err);
    int status = path_read_file(path, INFO_LIMIT, &text, &length, err);
    SCOPED_JSON struct json *root = status == 0 ? json_parse(text, length, err) : NULL;
    if (status == 0)
        status = root == NULL                  ? err_status(err)
                 : kind == FRAMEWORK_MINDSPORE ? take_mindspore(root, ret, err)
                                               : take_pytorch(root, ret, err);
    const char *version = root != NULL ? json_string(json_member(root, "cann_version")) : NULL;
    if (status == 0)
        framework_find_odd_key(root, known_keys, sizeof known_keys / sizeof *known_keys, ret->odd_key);
    if (status == 0 && version != NULL)
        snprintf(ret->cann_version, sizeof ret->cann_version, "%s", version);
    if (status < 0)
        err_wrap(err, "cannot read '%s'", path);
    return status;
}
