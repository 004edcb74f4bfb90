/* SPDX-License-Identifier: Apache-2.0 */
/* FRAMEWORK/ of MindSpore's *_ascend_ms directories. */
#ifndef MSPROF_FEATURES_FRAMEWORKS_MINDSPORE_MINDSPORE_H
#define MSPROF_FEATURES_FRAMEWORKS_MINDSPORE_MINDSPORE_H

#include "base/array.h"
#include "features/frameworks/framework.h"
#include "features/frameworks/records.h"

/* Reads mindspore.op_range: ranges, steps, datasets. framework->info is set before. A file that is not there gives
 * nothing. */
int mindspore_load(struct framework *framework, const char *directory, const struct framework_clock *clock,
                   struct diagnostics *diag, struct err *err);

/* Names of a record's module, stage and event by their numbers; "Default" for others. */
const char *mindspore_module_name(unsigned number);
const char *mindspore_stage_name(unsigned number);
const char *mindspore_event_name(unsigned number);

/* Calls each for every record of mindspore.record_shapes. */
int mindspore_each_shape(const char *directory,
                         int (*each)(void *arg, const struct framework_text *name, const struct framework_text *shapes,
                                     struct err *err),
                         void *arg, struct diagnostics *diag, struct err *err);

/* A run of an operator on the host's processor, of cpu_op_execute_timestamp_<rank>.txt. */
struct mindspore_cpu_op {
    int64_t start_ns, duration_ns, thread;
    uint32_t name, type; /* of the texts that they were read into */
};
struct mindspore_cpu_ops ARRAY_OF(struct mindspore_cpu_op); /* in the order of the file */
/* Reads them; free(ret->items), also after a failure. */
int mindspore_cpu_ops_load(const struct framework *framework, const char *directory, struct intern *texts,
                           struct mindspore_cpu_ops *ret, struct diagnostics *diag, struct err *err);

/* Reads mindspore.memory_usage, in the order of the file, owners of texts; free(ret->items), also after a failure. */
int mindspore_memory_load(const struct framework *framework, const char *directory, struct intern *texts,
                          struct framework_memories *ret, struct diagnostics *diag, struct err *err);

/* Reads likewise the lines of cpu_ms_memory_record_<rank>.txt, which have times and sums alone. */
int mindspore_totals_load(const struct framework *framework, const char *directory, struct framework_memories *ret,
                          struct diagnostics *diag, struct err *err);

#endif
