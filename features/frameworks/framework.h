/* SPDX-License-Identifier: Apache-2.0 */
/* Records that a framework's profiler left in a *_ascend_ms or *_ascend_pt directory beside the device's capture
 * (PROF_*): the framework's own operators, steps, memory, data pipeline. Times are ns since 1970. */
#ifndef MSPROF_FEATURES_FRAMEWORKS_FRAMEWORK_H
#define MSPROF_FEATURES_FRAMEWORKS_FRAMEWORK_H

#include "base/array.h"
#include "base/diag.h"
#include "base/err.h"
#include "base/intern.h"
#include "parsers/capture/framework_directory.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* From the counter that frameworks record times with to ns since 1970. */

struct framework_clock {
    int64_t tick, hz;            /* the counter at offset_ns, and its frequency; hz 0: times are ns already */
    int64_t offset_ns;           /* since 1970 */
    int64_t monotonic_offset_ns; /* what to add to the monotonic clock */
    int64_t collection_ns;       /* the start of the collection: what ended before it is warm-up; 0: nothing is */
};

/* The clock of the host's part of a PROF capture: host_start.log, start_info and info.json. -ERR_NOT_FOUND or
 * -ERR_FORMAT name the file that does not say it. */
int framework_clock_load(const char *prof, struct framework_clock *ret, struct err *err);

/* Rounded to the nearest ns, of two that are equally near the even one; saturates. */
int64_t framework_clock_ns(const struct framework_clock *clock, uint64_t tick);
/* Converts likewise, but cuts. */
int64_t framework_clock_ns_cut(const struct framework_clock *clock, uint64_t tick);

/* Contents of profiler_info_<rank>.json. */
struct framework_info {
    enum framework_kind kind;
    int64_t rank;        /* -1: not said */
    int level;           /* 0 to 2; -1: LevelNone */
    bool scheduled;      /* steps are distinguished: is_set_schedule */
    bool graph_compiled; /* jit_level O2: launches are not related to operators */
    bool with_cpu, with_npu;
    bool memory, record_shapes, with_stack, data_process, simplify;
    bool text, database; /* of export_type */
    bool bare;           /* there is no framework: a PROF capture by itself */
    bool aic_metrics, l2_cache, sys_io, sys_interconnection;
    char cann_version[48]; /* as it stands there; "": it is not said */
    char odd_key[32];      /* a key that is one letter off a known one; "": none */
    /* PyTorch: the clock without a PROF capture. */
    struct framework_clock clock;
    bool has_clock;
    bool monotonic; /* its records have ns of the monotonic clock */
};

/* The profiler's settings of a directory. -ERR_NOT_FOUND when there is none. */
int framework_info_load(const char *directory, enum framework_kind kind, struct framework_info *ret, struct err *err);

/* Finds a key anywhere in a document that is one letter off a known one and none itself: damage, which would take what
 * it stands for away in silence. *ret stays as it is where there is none. */
struct json;
void framework_find_odd_key(const struct json *root, const char *const *known, size_t count, char ret[static 32]);

enum framework_range_flags {
    RANGE_STACK = 1,  /* a line of Python */
    RANGE_LAUNCH = 2, /* launches what devices run */
    RANGE_FLOW = 4,   /* where an arrow begins; not drawn itself */
};

/* Action of a thread of the host. start = end: an instant. */
struct framework_range {
    int64_t start_ns, end_ns, thread;
    uint64_t flow; /* FRAMEWORK_NO_FLOW: none */
    uint32_t name; /* of texts */
    uint32_t flags;
};

#define FRAMEWORK_NO_FLOW UINT64_MAX

struct framework_step {
    uint32_t id; /* of texts: "12" */
    int64_t start_ns, end_ns;
    int64_t latest_end_ns;                  /* of it and those before */
    int64_t device_start_ns, device_end_ns; /* what device times are compared with */
};

/* When the device was done with it, too. */
static inline int64_t framework_step_end_ns(const struct framework_step *step)
{
    return step->end_ns > step->device_end_ns ? step->end_ns : step->device_end_ns;
}

/* A range that launches. */
struct framework_launch {
    int64_t thread, start_ns, end_ns;
    int64_t latest_end_ns; /* of it and those before on its thread */
    size_t range;          /* which it is */
};

/* The operations of MindSpore's data pipeline, and each time that one ran. */
struct framework_dataset {
    uint32_t event, operation, custom; /* of texts */
};
struct framework_dataset_run {
    int64_t start_ns, duration_ns;
    size_t dataset;
};

/* An allocation or release of device memory: there are millions of PyTorch's. */
struct framework_memory {
    int64_t time_ns, size, allocated, reserved, active; /* the last three: of all, behind it */
    uint64_t address, stream;
    union {
        int64_t thread; /* of PyTorch */
        uint32_t owner; /* of MindSpore: of texts */
    };
    int32_t device;
    uint8_t device_type, component, kind, allocator;
};
struct framework_memories ARRAY_OF(struct framework_memory);

enum { MEMORY_OF_CPU, MEMORY_OF_NPU = 20 };          /* device types */
enum { MEMORY_CACHING, MEMORY_WORKSPACE };           /* components */
enum { MEMORY_GOT, MEMORY_GAVE, MEMORY_FREE_AGAIN }; /* kinds */

struct torch; /* features/frameworks/pytorch/torch.h */

/* All zero: empty. */
struct framework {
    struct framework_info info;
    struct intern texts;
    struct framework_ranges ARRAY_OF(struct framework_range) ranges;       /* in the order of the file */
    struct framework_steps ARRAY_OF(struct framework_step) steps;          /* by start; of MindSpore each id once */
    struct framework_datasets ARRAY_OF(struct framework_dataset) datasets; /* in the order of their first appearance */
    struct framework_dataset_runs ARRAY_OF(struct framework_dataset_run) dataset_runs;
    struct framework_launch *launches; /* by thread, start, then place */
    size_t launch_count;
    int64_t begin_ns;      /* of its capture; 0: not known */
    int64_t collection_ns; /* of its clock */
    struct torch *torch;   /* PyTorch's; NULL: it is MindSpore's. Owned */
};

/* Reads FRAMEWORK/ of a directory; framework->info is set before. It needs framework_release whatever the result. */
int framework_load(struct framework *framework, const char *directory, const struct framework_clock *clock,
                   struct diagnostics *diag, struct err *err);
/* The clock of its records: of its PROF capture; NULL, or without devices: what the settings say. */
int framework_clock_of(const struct framework_info *info, const char *prof, struct framework_clock *ret,
                       struct err *err);

/* Whether this process read a file of FRAMEWORK/ to its end, and it is as it was then. */
bool framework_file_was_read(const char *path);

void framework_release(struct framework *framework);

#define FRAMEWORK_SLACK_NS INT64_C(10000000000) /* a framework may have begun that much before its device's capture */

/* Whether something that ended then is warm-up, which readers leave out. Something that ended long before the capture
 * did not: a clock is wrong. */
static inline bool framework_is_warm_up(const struct framework *framework, int64_t end_ns)
{
    return end_ns < framework->collection_ns && end_ns >= framework->begin_ns - FRAMEWORK_SLACK_NS;
}

/* False: a time that is days before the capture or months behind it, as damage makes them. */
bool framework_time_fits(const struct framework *framework, int64_t time_ns);

static inline const char *framework_text(const struct framework *framework, uint32_t id)
{
    return framework->texts.items[id].bytes;
}

/* Whether an operator's name marks a step. Few names have a '#'. */
static inline bool framework_names_step(const char *name)
{
    return strchr(name, '#') != NULL && strstr(name, "ProfilerStep#") != NULL;
}

/* Keeps a step that an operator's name marks: its number follows the last '#'. */
int framework_add_step(struct framework *framework, const char *name, int64_t start_ns, int64_t end_ns,
                       struct err *err);
/* Sorts what is read by time, and finds what launches. Called once by readers. */
int framework_finish(struct framework *framework, struct err *err);
/* Its parts: of MindSpore's steps of one id the later stays; launches that are sorted by their ends are found from the
 * innermost.
 */
void framework_unite_steps(struct framework *framework);
void framework_sort_launches_by_end(struct framework *framework);

/* The first step that a time is in, both ends included; NULL: none. */
const struct framework_step *framework_step_at(const struct framework *framework, int64_t time_ns);
/* Finds it likewise by the steps' times on the device. passed: all zero at first; of times that rise it knows the steps
 * that ended before, which are not looked at again. */
struct framework_passed {
    size_t steps;
    int64_t time_ns;
};
const struct framework_step *framework_device_step_at(const struct framework *framework, int64_t time_ns,
                                                      struct framework_passed *passed);
/* Finds likewise a thread's launch: of ranges inside each other the outermost of those that are sorted by start. */
const struct framework_launch *framework_launch_at(const struct framework *framework, int64_t thread, int64_t time_ns);

#endif
