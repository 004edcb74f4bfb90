/* SPDX-License-Identifier: Apache-2.0 */
/* Records of PyTorch's profiler: operators, the queue between threads, Python's calls, memory. */
#ifndef MSPROF_FEATURES_FRAMEWORKS_PYTORCH_TORCH_H
#define MSPROF_FEATURES_FRAMEWORKS_PYTORCH_TORCH_H

#include "base/array.h"
#include "base/file/large.h"
#include "features/frameworks/framework.h"
#include "features/frameworks/records.h"

#define TORCH_NONE UINT32_MAX /* as a text or an operator */

struct torch_op {
    int64_t start_ns, end_ns, sequence, pid, thread, forward_thread;
    uint32_t name, types, shapes, stack; /* of framework->texts, TORCH_NONE: not given */
    uint32_t parent;                     /* an operator, TORCH_NONE: none */
    bool is_step;
    int64_t children_ns;
    int64_t self_ns, total_ns;           /* on devices: of what it launched itself; and of all inside of it */
    int64_t self_core_ns, total_core_ns; /* of these on AI cores */
};

struct torch_thread {
    int64_t pid, thread;
};

/* A piece of work that one thread puts into a queue, or takes out of it: there are millions. */
struct torch_range {
    int64_t start_ns, end_ns;
    uint64_t correlation;
    uint32_t thread; /* of torch->threads */
    uint32_t name;
    uint32_t op;   /* the operator around it, on its thread */
    uint32_t work; /* with which of the enqueues its piece of work began, counted from 1; 0: with none */
};
struct torch_ranges ARRAY_OF(struct torch_range);

/* A call of Python. */
struct torch_call {
    int64_t start_ns, end_ns, pid, thread;
    uint64_t key;
    size_t id, parent;
};

struct torch_gc {
    int64_t pid, start_ns, end_ns;
};

struct torch {
    struct torch_ops ARRAY_OF(struct torch_op) ops; /* by start, of those that start together the longest first */
    struct torch_ranges enqueues, dequeues;         /* by start */
    struct torch_threads ARRAY_OF(struct torch_thread) threads;
    struct framework_memories memories;                   /* by time */
    struct torch_calls ARRAY_OF(struct torch_call) calls; /* by id */
    struct torch_gcs ARRAY_OF(struct torch_gc) gcs;
    struct torch_names {
        struct torch_name {
            uint64_t key;
            uint32_t text;
        } * items;
        size_t count, capacity;
    } names;        /* of Python's functions, by key */
    bool has_queue; /* else enqueues and dequeues are the operators themselves */
};

/* Reads FRAMEWORK/torch.*; what is not there is empty. framework->torch is made; framework->launches are the ranges
 * that take work out of queues (of captures without queues the operators), their `range` is a dequeue. */
int pytorch_load(struct framework *framework, const char *directory, const struct framework_clock *clock,
                 struct diagnostics *diag, struct err *err);
void torch_free(struct torch *torch);
/* Frees torch->memories. */
void torch_forget_memory(struct torch *torch);

/* Who put a piece of work into the queue, or took it out. */
static inline const struct torch_thread *torch_thread_of(const struct torch *torch, const struct torch_range *range)
{
    return &torch->threads.items[range->thread];
}

/* The text of a function of Python; NULL: not known. */
const char *torch_function_name(const struct framework *framework, uint64_t key);

/* Inside of the reader. */
struct torch_reading {
    struct framework *framework;
    struct torch *torch;
    const struct framework_clock *clock;
    const char *directory;
    struct diagnostics *diag;
    bool newest;     /* a record had the newest form's first text */
    int64_t process; /* which wrote the first record */
    bool has_process;
};
/* One process writes all of these files: reports a record of another one than the first, which is kept. */
static inline void torch_check_process(struct torch_reading *reading, const struct framework_record *record,
                                       int64_t process)
{
    const struct place place = {record->path, (int64_t)record->number, record->offset, "process"};
    if (!reading->has_process)
        reading->process = process;
    reading->has_process = true;
    if (process != reading->process)
        diag_report(reading->diag, DIAG_RECORD_ODD, &place, "%lld, where the first record has %lld", (long long)process,
                    (long long)reading->process);
}
int torch_read_marks(struct torch_reading *reading, struct err *err);
int torch_read_python(struct torch_reading *reading, struct err *err);
int torch_build_tree(struct torch *torch, struct err *err);

#endif
