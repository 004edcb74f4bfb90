/* SPDX-License-Identifier: Apache-2.0 */
#include "features/frameworks/mindspore/mindspore.h"

#include "base/array.h"
#include "base/language.h"
#include "base/number.h"
#include "features/frameworks/records.h"

#include <stdio.h>
#include <string.h>

static const char *const modules[] = {"Default", "GraphExecutorPy", "RuntimeFramework", "PynativeFramework",
                                      "Kernel",  "Python",          "Capture",          "Other"};
static const char *const stages[] = {"Default", "Python",  "Capture",          "RunGraph",     "RunGrad",
                                     "RunOp",   "Asnumpy", "CompileGradGraph", "WaitPipeline", "SyncStream"};
static const char *const events[] = {"Default",
                                     "KernelInfer",
                                     "KernelResize",
                                     "KernelInferAndResize",
                                     "KernelLaunch",
                                     "KernelLaunckCallback",
                                     "KernelUpdate",
                                     "KernelPrepareData",
                                     "GraphLaunch",
                                     "InputProcess",
                                     "OutputProcess",
                                     "WaitTaskFinish",
                                     "PreLaunch",
                                     "PostLaunch",
                                     "SendOutput",
                                     "MemoryAlloc",
                                     "MemoryFree",
                                     "CopyData",
                                     "StreamSync",
                                     "ProcessMultiStream",
                                     "WaitKernelsInferFinish",
                                     "WaitKernelsResizeFinish",
                                     "WaitKernelsLaunchFinish",
                                     "KernelInferInner",
                                     "KernelInferDataSync",
                                     "KernelResizeInner",
                                     "KernelLaunchInner",
                                     "BackendGraphRunInner",
                                     "RunOp",
                                     "PyNativeFrontendTask",
                                     "PyNativeBackendTask",
                                     "PyNativeDeviceTask",
                                     "PyNativeLaunchTask",
                                     "PyNativeBpropTask",
                                     "Wait",
                                     "PyNativeGilAcquire",
                                     "PyNativeCast",
                                     "PyNativeInfer",
                                     "PyNativeOpCompile",
                                     "PyNativeGradExpander",
                                     "PyNativeGradUpdateSens",
                                     "PyNativeGradClearTopCell",
                                     "PyNativeGradClearAutoGradCell",
                                     "PyBoostInferOutput",
                                     "PyBoostInferByOpDef",
                                     "PyBoostCreateOutputTensor",
                                     "PyBoostDeviceTask",
                                     "PyBoostMallocInput",
                                     "PyBoostMallocOutput",
                                     "PyBoostLaunchAclnn",
                                     "PyBoostLaunchAtb",
                                     "PyNativeNewGraph",
                                     "PyNativeEndGraph",
                                     "PythonObserved",
                                     "CaptureRunGraph",
                                     "CaptureProcess",
                                     "CaptureCompile",
                                     "CaptureGuard",
                                     "AclnnHitCacheStage1",
                                     "AclnnHitCacheStage2",
                                     "AclnnMissCacheStage1",
                                     "AclnnMissCacheStage2",
                                     "AclnnUpdateAddress",
                                     "AclnnRunOp",
                                     "RunExpanderFunc",
                                     "EmitOp",
                                     "Execute",
                                     "ReleaseResource",
                                     "NativeFunc"};

#define NAME_OF(list, number) ((number) < sizeof(list) / sizeof *(list) ? (list)[number] : "Default")

const char *mindspore_module_name(unsigned number)
{
    return NAME_OF(modules, number);
}

const char *mindspore_stage_name(unsigned number)
{
    return NAME_OF(stages, number);
}

const char *mindspore_event_name(unsigned number)
{
    return NAME_OF(events, number);
}

/* mindspore.record_shapes: the shapes that operators were called with. */

#define SHAPES_FIXED 6 /* bytes: the head of a text; less says nothing */

enum { TEXT_NAME, TEXT_SHAPES, TEXT_TYPES, TEXT_COUNT };

struct shapes_reading {
    int (*each)(void *arg, const struct framework_text *name, const struct framework_text *shapes, struct err *err);
    void *arg;
    struct diagnostics *diag;
};

static int take_shapes(void *arg, const struct framework_record *record, struct err *err)
{
    const struct shapes_reading *reading = arg;
    const struct framework_texts where = {.known = TEXT_COUNT};
    struct framework_text texts[TEXT_COUNT];
    framework_read_texts(record, &where, texts, TEXT_COUNT, reading->diag);
    return reading->each(reading->arg, &texts[TEXT_NAME], &texts[TEXT_SHAPES], err);
}

int mindspore_each_shape(const char *directory,
                         int (*each)(void *arg, const struct framework_text *name, const struct framework_text *shapes,
                                     struct err *err),
                         void *arg, struct diagnostics *diag, struct err *err)
{
    struct shapes_reading reading = {each, arg, diag};
    return framework_read_tagged(directory, "FRAMEWORK/mindspore.record_shapes",
                                 (struct framework_lengths){SHAPES_FIXED, "at least those in front of its texts"},
                                 take_shapes, &reading, diag, err);
}

/* mindspore.memory_usage: allocations and releases of device memory. */

#define MEMORY_FIXED 100
#define MEMORY_FIRST_TEXT 13
#define SIZE_LIMIT (UINT64_C(1) << 48) /* bytes: no device has as many; all bits set is a release */

struct memory_reading {
    const struct framework *framework;
    struct intern *texts;
    struct framework_memories *memories;
    struct diagnostics *diag;
};

static int take_memory(void *arg, const struct framework_record *record, struct err *err)
{
    struct memory_reading *reading = arg;
    const unsigned char *p = record->value.data;
    const struct place place = framework_place(record);
    const struct framework_texts where = {MEMORY_FIXED, MEMORY_FIRST_TEXT, 1};
    struct framework_text owner;
    const uint64_t size = bytes_load(p + 36, 8, false);
    struct framework_memory memory = {
        .device = (int32_t)bytes_load(p, 4, false),
        .time_ns = (int64_t)bytes_load(p + 20, 8, false),
        .address = bytes_load(p + 28, 8, false),
        .size = (int64_t)size,
        .allocated = (int64_t)bytes_load(p + 44, 8, false),
        .active = (int64_t)bytes_load(p + 44, 8, false),
        .reserved = (int64_t)bytes_load(p + 60, 8, false),
        .stream = bytes_load(p + 84, 8, false),
        .device_type = MEMORY_OF_NPU,
        .kind = size == UINT64_MAX ? MEMORY_GAVE : MEMORY_GOT,
    };
    framework_read_texts(record, &where, &owner, 1, reading->diag);
    if (memory.time_ns < 0 || !framework_time_fits(reading->framework, memory.time_ns)) {
        diag_report(reading->diag, DIAG_RECORD_VALUE, &place, "a time months away from the capture");
        return 0;
    }
    if (size > SIZE_LIMIT && size != UINT64_MAX) {
        diag_report(reading->diag, DIAG_RECORD_VALUE, &place, "a block of %llu bytes", (unsigned long long)size);
        return 0;
    }
    if (framework_is_warm_up(reading->framework, memory.time_ns))
        return 0;
    if (intern_add(reading->texts, owner.text != NULL ? owner.text : "", owner.length, &memory.owner, err) < 0 ||
        array_reserve(reading->memories, 1, err) < 0)
        return err_status(err);
    reading->memories->items[reading->memories->count++] = memory;
    return 0;
}

int mindspore_memory_load(const struct framework *framework, const char *directory, struct intern *texts,
                          struct framework_memories *ret, struct diagnostics *diag, struct err *err)
{
    *ret = (struct framework_memories){.count = 0};
    struct memory_reading reading = {framework, texts, ret, diag};
    return framework_read_tagged(directory, "FRAMEWORK/mindspore.memory_usage",
                                 (struct framework_lengths){MEMORY_FIXED, "100 bytes and a text"}, take_memory,
                                 &reading, diag, err);
}

/* The text files of MindSpore's FRAMEWORK directory that are lines of fields. */

static int read_file(const struct framework *framework, const char *directory, const char *name,
                     int (*take)(void *arg, const struct framework_line *line, struct err *err), void *arg,
                     struct diagnostics *diag, struct err *err)
{
    char file[96];
    snprintf(file, sizeof file, "FRAMEWORK/%s_%lld.txt", name, (long long)framework->info.rank);
    return framework_read_lines(directory, file, take, arg, NULL, diag, err);
}

static void tell(struct diagnostics *diag, const struct framework_line *line, const char *what)
{
    const struct place place = {line->path, (int64_t)line->number, -1, NULL};
    diag_report(diag, DIAG_TEXT_LINE, &place, "%s", what);
}

/* ---- cpu_op_execute_timestamp ---- */

struct cpu_reading {
    const struct framework *framework;
    struct intern *texts;
    struct mindspore_cpu_ops *ops;
    struct diagnostics *diag;
};

/* "<start ns>,<dur ms>,<tid>" of so many bytes. */
static bool parse_run(const char *text, size_t length, struct mindspore_cpu_op *ret)
{
    char copy[128];
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *duration = strchr(copy, ','), *thread = duration != NULL ? strchr(duration + 1, ',') : NULL;
    if (thread == NULL)
        return false;
    *duration++ = '\0';
    *thread++ = '\0';
    double ms = 0;
    if (number_parse_real(duration, &ms) < 0 || !(ms >= 0 && ms < 1e12))
        return false;
    ret->duration_ns = (int64_t)(ms * 1e6 + 0.5);
    return number_parse_integer(copy, strlen(copy), &ret->start_ns) == 0 &&
           number_parse_integer(thread, strlen(thread), &ret->thread) == 0;
}

static int take_runs(struct cpu_reading *reading, const struct framework_line *line, const char *runs,
                     struct mindspore_cpu_op op, struct err *err)
{
    for (const char *p = runs; *p != '\0';) {
        size_t length = strcspn(p, " ");
        bool sound = length > 0 && parse_run(p, length, &op);
        if (sound && !framework_time_fits(reading->framework, op.start_ns)) {
            tell(reading->diag, line, LANGUAGE_MARK("a run months away from the capture"));
        } else if (sound && !framework_is_warm_up(reading->framework, number_add(op.start_ns, op.duration_ns))) {
            if (array_reserve(reading->ops, 1, err) < 0)
                return err_status(err);
            reading->ops->items[reading->ops->count++] = op;
        } else if (!sound && length > 0) {
            tell(reading->diag, line, "a run is not <start ns>,<duration ms>,<thread>");
        }
        p += length;
        p += strspn(p, " ");
    }
    return 0;
}

static int take_cpu_line(void *arg, const struct framework_line *line, struct err *err)
{
    struct cpu_reading *reading = arg;
    struct mindspore_cpu_op op = {.start_ns = 0};
    const char *type = strchr(line->text, ';'), *runs = type != NULL ? strchr(type + 1, ';') : NULL;
    if (line->length == 0)
        return 0;
    if (runs == NULL || strchr(runs + 1, ';') != NULL) {
        tell(reading->diag, line, LANGUAGE_MARK("not three fields between ';'"));
        return 0;
    }
    type++;
    if (intern_add(reading->texts, line->text, (size_t)(type - 1 - line->text), &op.name, err) < 0 ||
        intern_add(reading->texts, type, strcspn(type, ";"), &op.type, err) < 0)
        return err_status(err);
    return take_runs(reading, line, runs + 1, op, err);
}

int mindspore_cpu_ops_load(const struct framework *framework, const char *directory, struct intern *texts,
                           struct mindspore_cpu_ops *ret, struct diagnostics *diag, struct err *err)
{
    *ret = (struct mindspore_cpu_ops){.count = 0};
    struct cpu_reading reading = {framework, texts, ret, diag};
    return read_file(framework, directory, "cpu_op_execute_timestamp", take_cpu_line, &reading, diag, err);
}

/* ---- cpu_ms_memory_record ---- */

static int take_total(void *arg, const struct framework_line *line, struct err *err)
{
    const struct memory_reading *reading = arg;
    int64_t numbers[4];
    const char *p = line->text;
    if (line->number == 1 || line->length == 0) /* the titles */
        return 0;
    for (size_t i = 0; i < 4; i++) {
        size_t length = strcspn(p, ",");
        if (number_parse_integer(p, length, &numbers[i]) < 0 || (p[length] == '\0') != (i == 3)) {
            tell(reading->diag, line, LANGUAGE_MARK("expected four whole numbers"));
            return 0;
        }
        p += length + 1;
    }
    if (framework_is_warm_up(reading->framework, numbers[0]))
        return 0;
    return array_add(reading->memories, err,
                     (struct framework_memory){.time_ns = numbers[0],
                                               .allocated = numbers[1],
                                               .reserved = numbers[2],
                                               .active = numbers[3],
                                               .device_type = MEMORY_OF_NPU});
}

int mindspore_totals_load(const struct framework *framework, const char *directory, struct framework_memories *ret,
                          struct diagnostics *diag, struct err *err)
{
    *ret = (struct framework_memories){.count = 0};
    struct memory_reading reading = {framework, NULL, ret, diag};
    return read_file(framework, directory, "cpu_ms_memory_record", take_total, &reading, diag, err);
}
