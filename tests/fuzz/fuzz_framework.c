/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a framework's directory: the first byte chooses which one the rest is. */
#include "features/frameworks/framework.h"
#include "features/frameworks/mindspore/minddata.h"
#include "features/frameworks/mindspore/mindspore.h"
#include "features/frameworks/pytorch/torch.h"
#include "tests/fuzz/directory.h"

static const struct {
    const char *name;
    enum framework_kind kind;
} files[] = {
    {"FRAMEWORK/mindspore.op_range", FRAMEWORK_MINDSPORE},
    {"FRAMEWORK/mindspore.memory_usage", FRAMEWORK_MINDSPORE},
    {"FRAMEWORK/mindspore.record_shapes", FRAMEWORK_MINDSPORE},
    {"FRAMEWORK/cpu_op_execute_timestamp_1.txt", FRAMEWORK_MINDSPORE},
    {"FRAMEWORK/cpu_ms_memory_record_1.txt", FRAMEWORK_MINDSPORE},
    {"FRAMEWORK/pipeline_profiling_1.json", FRAMEWORK_MINDSPORE},
    {"FRAMEWORK/minddata_cpu_utilization_1.json", FRAMEWORK_MINDSPORE},
    {"FRAMEWORK/device_queue_profiling_1.txt", FRAMEWORK_MINDSPORE},
    {"FRAMEWORK/dataset_iterator_profiling_1.txt", FRAMEWORK_MINDSPORE},
    {"FRAMEWORK/torch.op_range", FRAMEWORK_PYTORCH},
    {"FRAMEWORK/torch.op_mark", FRAMEWORK_PYTORCH},
    {"FRAMEWORK/torch.memory_usage", FRAMEWORK_PYTORCH},
    {"FRAMEWORK/torch.python_tracer_func", FRAMEWORK_PYTORCH},
    {"FRAMEWORK/torch.python_tracer_hash", FRAMEWORK_PYTORCH},
    {"FRAMEWORK/torch.gc_record", FRAMEWORK_PYTORCH},
    {"profiler_info_1.json", FRAMEWORK_MINDSPORE},
    {"profiler_info_1.json", FRAMEWORK_PYTORCH},
    {"PROF/host/host_start.log", FRAMEWORK_MINDSPORE},
};

static int count_shape(void *arg, const struct framework_text *name, const struct framework_text *shapes,
                       struct err *err)
{
    size_t *bytes = arg;
    (void)err;
    *bytes += name->length + shapes->length;
    return 0;
}

static void try_mindspore(struct framework *framework, const struct framework_clock *clock, struct diagnostics *diag)
{
    struct err err = ERR_INIT;
    struct mindspore_cpu_ops ops;
    struct framework_memories memories, totals;
    struct minddata data;
    size_t counted = 0;
    EXPECT(mindspore_load(framework, fuzz_directory, clock, diag, &err) == 0);
    EXPECT(mindspore_cpu_ops_load(framework, fuzz_directory, &framework->texts, &ops, diag, &err) == 0);
    EXPECT(mindspore_memory_load(framework, fuzz_directory, &framework->texts, &memories, diag, &err) == 0);
    EXPECT(mindspore_each_shape(fuzz_directory, count_shape, &counted, diag, &err) == 0);
    EXPECT(mindspore_totals_load(framework, fuzz_directory, &totals, diag, &err) == 0);
    for (size_t i = 0; i < totals.count; i++)
        EXPECT(totals.items[i].time_ns >= 0 && totals.items[i].active >= 0);
    EXPECT(minddata_load(framework, fuzz_directory, &data, diag, &err) == 0);
    for (size_t i = 0; i < framework->ranges.count; i++) {
        const struct framework_range *range = &framework->ranges.items[i];
        EXPECT(range->start_ns <= range->end_ns && range->name < framework->texts.count);
    }
    for (size_t i = 0; i < framework->steps.count; i++) {
        const struct framework_step *found = framework_step_at(framework, framework->steps.items[i].start_ns);
        EXPECT(found != NULL && found->start_ns <= framework->steps.items[i].start_ns);
    }
    for (size_t i = 0; i < framework->launch_count; i++) {
        const struct framework_launch *launch = &framework->launches[i];
        EXPECT(framework_launch_at(framework, launch->thread, launch->start_ns) != NULL);
    }
    minddata_release(&data);
    free(ops.items);
    free(memories.items);
    free(totals.items);
}

static void try_pytorch(struct framework *framework, const struct framework_clock *clock, struct diagnostics *diag)
{
    struct err err = ERR_INIT;
    EXPECT(pytorch_load(framework, fuzz_directory, clock, diag, &err) == 0);
    const struct torch *torch = framework->torch;
    for (size_t i = 0; i < torch->ops.count; i++) {
        const struct torch_op *op = &torch->ops.items[i];
        EXPECT(op->parent == TORCH_NONE || (op->parent < i && torch->ops.items[op->parent].start_ns <= op->start_ns));
        EXPECT(op->start_ns <= op->end_ns && op->name < framework->texts.count);
    }
    for (size_t i = 0; i < torch->calls.count; i++) {
        EXPECT(torch->calls.items[i].parent <= torch->calls.items[i].id);
        torch_function_name(framework, torch->calls.items[i].key);
    }
    for (size_t i = 0; i < framework->launch_count; i++) {
        const struct framework_launch *launch = &framework->launches[i];
        EXPECT(framework_launch_at(framework, launch->thread, launch->start_ns) != NULL);
    }
}

static void make_directory(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", fuzz_directory, name);
    EXPECT(mkdir(path, 0700) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    size_t which = data[0] % (sizeof files / sizeof *files);
    struct err err = ERR_INIT;
    struct diagnostics diag;
    struct framework framework = {.launch_count = 0};
    struct framework_clock clock = {5, 100000000, 1000, 0, 0};
    char prof[128];
    fuzz_directory_make();
    fuzz_directory_clear();
    make_directory("FRAMEWORK");
    make_directory("PROF");
    make_directory("PROF/host");
    EXPECT(fuzz_write_file(files[which].name, data + 1, size - 1));
    snprintf(prof, sizeof prof, "%s/PROF", fuzz_directory);
    diag_init(&diag, false);
    framework_info_load(fuzz_directory, files[which].kind, &framework.info, &err);
    framework_clock_load(prof, &clock, &err);
    framework.info.rank = 1;
    if (files[which].kind == FRAMEWORK_MINDSPORE)
        try_mindspore(&framework, &clock, &diag);
    else
        try_pytorch(&framework, &clock, &diag);
    framework_release(&framework);
    diag_release(&diag);
    return 0;
}
