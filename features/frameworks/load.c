/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diag.h"
#include "base/file/fsutil.h"
#include "base/file/large.h"
#include "base/number.h"
#include "features/frameworks/framework.h"
#include "features/frameworks/mindspore/mindspore.h"
#include "features/frameworks/pytorch/torch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

void framework_release(struct framework *framework)
{
    intern_release(&framework->texts);
    large_free(framework->ranges.items);
    free(framework->steps.items);
    free(framework->datasets.items);
    large_free(framework->dataset_runs.items);
    large_free(framework->launches);
    torch_free(framework->torch);
    *framework = (struct framework){.launch_count = 0};
}

/* A counter that stood elsewhere than the capture says gives times long before or behind it. */
static void check_clock(const struct framework *framework, const char *directory, const struct framework_clock *clock,
                        struct diagnostics *diag)
{
    const struct torch *torch = framework->torch;
    size_t early = 0, count = torch != NULL ? torch->ops.count : framework->ranges.count;
    int64_t first_ns = INT64_MAX, begin_ns = number_add(clock->offset_ns, -FRAMEWORK_SLACK_NS);
    for (size_t i = 0; clock->hz > 0 && i < count; i++) {
        large_pass(i);
        int64_t start_ns = torch != NULL ? torch->ops.items[i].start_ns : framework->ranges.items[i].start_ns;
        first_ns = start_ns < first_ns ? start_ns : first_ns;
        early += start_ns < begin_ns || !framework_time_fits(framework, start_ns);
    }
    if (early > 0)
        diag_report(diag, DIAG_CLOCK_CONTRADICTION, FILE_PLACE(directory, NULL),
                    "%zu of the framework's %zu ranges begin long before or after the capture, the first %.0f s before",
                    early, count, ((double)clock->offset_ns - (double)first_ns) / 1e9);
}

enum expectation_of { OF_HOST, OF_MEMORY, OF_SHAPES, OF_STACK, OF_DATA };

struct framework_file {
    const char *stem, *end; /* the rank stands between them; end is NULL: it has none */
};

/* Files that a profiler writes whenever a setting was on; those of data only together with another. */
static const struct expected_file {
    enum framework_kind kind;
    enum expectation_of setting;
    struct framework_file file, beside; /* below FRAMEWORK/ */
} expected_files[] = {
    {FRAMEWORK_PYTORCH, OF_HOST, {"torch.op_range", NULL}, {NULL, NULL}},
    {FRAMEWORK_PYTORCH, OF_MEMORY, {"torch.memory_usage", NULL}, {NULL, NULL}},
    {FRAMEWORK_PYTORCH, OF_STACK, {"torch.python_tracer_func", NULL}, {NULL, NULL}},
    {FRAMEWORK_PYTORCH, OF_STACK, {"torch.python_tracer_hash", NULL}, {NULL, NULL}},
    {FRAMEWORK_MINDSPORE, OF_HOST, {"mindspore.op_range", NULL}, {NULL, NULL}},
    {FRAMEWORK_MINDSPORE, OF_MEMORY, {"mindspore.memory_usage", NULL}, {NULL, NULL}},
    {FRAMEWORK_MINDSPORE, OF_SHAPES, {"mindspore.record_shapes", NULL}, {NULL, NULL}},
    {FRAMEWORK_MINDSPORE, OF_DATA, {"pipeline_profiling", ".json"}, {"minddata_cpu_utilization", ".json"}},
    {FRAMEWORK_MINDSPORE, OF_DATA, {"minddata_cpu_utilization", ".json"}, {"pipeline_profiling", ".json"}},
    {FRAMEWORK_MINDSPORE, OF_DATA, {"device_queue_profiling", ".txt"}, {"pipeline_profiling", ".json"}},
};

static bool was_on(const struct framework_info *info, enum expectation_of setting)
{
    const bool settings[] = {[OF_HOST] = true,
                             [OF_MEMORY] = info->memory,
                             [OF_SHAPES] = info->record_shapes,
                             [OF_STACK] = info->with_stack,
                             [OF_DATA] = info->data_process};
    return info->with_cpu && settings[setting];
}

static void name_file(const struct framework_file *file, int64_t rank, char name[static 64])
{
    if (file->end != NULL)
        snprintf(name, 64, "%s_%lld%s", file->stem, (long long)rank, file->end);
    else
        snprintf(name, 64, "%s", file->stem);
}

static bool is_there(const char *directory, const char *name)
{
    struct stat status;
    SCOPED_FREE char *path = path_join(directory, name);
    return path == NULL || lstat(path, &status) == 0;
}

/* Reports files that are not there, though the profiler's settings say that they were written. */
static void check_files(const struct framework_info *info, const char *directory, struct diagnostics *diag)
{
    SCOPED_FREE char *folder = path_join(directory, "FRAMEWORK");
    bool simplified =
        folder == NULL || !is_there(directory, "FRAMEWORK"); /* removed on purpose, or reported elsewhere */
    for (size_t i = 0; !simplified && i < sizeof expected_files / sizeof *expected_files; i++) {
        const struct expected_file *expected = &expected_files[i];
        char name[64], beside[64] = ".";
        name_file(&expected->file, info->rank, name);
        if (expected->beside.stem != NULL)
            name_file(&expected->beside, info->rank, beside);
        if (expected->kind == info->kind && was_on(info, expected->setting) && !is_there(folder, name) &&
            is_there(folder, beside))
            diag_report(diag, DIAG_FILE_ABSENT, FILE_PLACE(folder, NULL),
                        "no %s, although profiler_info has it as recorded", name);
    }
}

static void check_keys(const struct framework_info *info, const char *directory, struct diagnostics *diag)
{
    if (info->odd_key[0] != '\0')
        diag_report(diag, DIAG_CONFIG_INVALID, FILE_PLACE(directory, NULL),
                    "profiler_info has '%s', one letter off a known key; the setting counts as off", info->odd_key);
}

int framework_load(struct framework *framework, const char *directory, const struct framework_clock *clock,
                   struct diagnostics *diag, struct err *err)
{
    framework->begin_ns = clock->hz > 0 ? clock->offset_ns : 0;
    framework->collection_ns = clock->collection_ns;
    if ((framework->info.kind == FRAMEWORK_MINDSPORE ? mindspore_load(framework, directory, clock, diag, err)
                                                     : pytorch_load(framework, directory, clock, diag, err)) < 0)
        return err_status(err);
    check_clock(framework, directory, clock, diag);
    check_files(&framework->info, directory, diag);
    check_keys(&framework->info, directory, diag);
    return 0;
}

int framework_clock_of(const struct framework_info *info, const char *prof, struct framework_clock *ret,
                       struct err *err)
{
    int status = 0;
    if (prof != NULL && info->with_npu)
        status = framework_clock_load(prof, ret, err);
    else
        *ret = info->has_clock ? info->clock : (struct framework_clock){0, 100000000, 0, 0, 0};
    if (status == 0 && info->monotonic)
        *ret = (struct framework_clock){0, 0, ret->monotonic_offset_ns, 0, ret->collection_ns};
    return status;
}
