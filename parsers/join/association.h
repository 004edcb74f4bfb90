/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Association of one capture's host and device records. Hooks of record kinds hand over each record as it is
 * decoded; the association keeps what is needed of it in compact form, and between the parts of the capture (host,
 * device_0, ...) builds the call tree of each thread, gives nodes, tensors and launched tasks to the deepest call
 * around them, matches what the host launched with what the device ran, and emits the joined rows (host_call,
 * device_task and the tables of texts that they refer to).
 *
 * 64-bit ids of texts (hashes) are the same bits in a signed integer. Times are nanoseconds as part_host_ns and
 * part_device_ns give them. Every int function returns 0 or -code with err set; bad records are reported, not failures.
 */
#ifndef MSPROF_PARSERS_JOIN_ASSOCIATION_H
#define MSPROF_PARSERS_JOIN_ASSOCIATION_H

#include "base/err.h"
#include "parsers/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct association; /* opaque; one for a decoder */

/* The decoder's association; NULL when the capture is not of the CANN family since 2023. */
struct association *decoder_association(struct decoder *decoder);
/* The one that takes tasks of devices and their counters, of any capture of Ascend; NULL: it is of another family. */
struct association *decoder_join(struct decoder *decoder);

#define NO_CONTEXT INT64_C(4294967295) /* context id of a task that is not split, and model id of none */

/* One API call (both halves of an event pair count as one). */
struct host_call {
    int64_t begin_ns, end_ns; /* begin_ns <= end_ns */
    int64_t item_id;          /* hash or number, as recorded */
    uint32_t type, thread_id;
    uint16_t level;
};
int association_add_call(struct association *association, const struct host_call *call, struct err *err);

/* A description of the operator that the call around it launches. */
struct host_node {
    int64_t time_ns, name_id, type_id;
    uint32_t thread_id, task_type, block_num, mix_ratio, op_flag, op_state;
};
int association_add_node(struct association *association, const struct host_node *node, struct err *err);

struct host_attribute {
    int64_t time_ns, name_id, value_id;
    uint32_t thread_id, type;
};
int association_add_attribute(struct association *association, const struct host_attribute *attribute, struct err *err);

#define TENSORS_PER_RECORD 5
struct host_tensors {
    int64_t time_ns, name_id;
    uint32_t thread_id, count; /* count <= TENSORS_PER_RECORD */
    struct host_tensor {
        uint32_t kind; /* 0 input, 1 output */
        uint32_t format, data_type, shape[8];
    } tensors[TENSORS_PER_RECORD];
};
int association_add_tensors(struct association *association, const struct host_tensors *tensors, struct err *err);

#define CONTEXTS_PER_RECORD 55
struct host_contexts {
    int64_t time_ns, name_id;
    uint32_t thread_id, count;
    uint32_t ids[CONTEXTS_PER_RECORD];
};
int association_add_contexts(struct association *association, const struct host_contexts *contexts, struct err *err);

/* A stream that takes the tasks of a model from a time on, or does no more. */
struct host_capture {
    int64_t time_ns;
    uint32_t device_id, stream_id, model_id;
    uint32_t original_stream_id; /* the one that the program used */
    bool ends;
};
int association_add_capture(struct association *association, const struct host_capture *capture, struct err *err);

/* The operator of a task of a captured graph; of several of one task the last one counts. The node's time and thread
 * mean nothing. */
struct host_captured_op {
    struct host_node node;
    uint32_t device_id, stream_id, task_id;
    int64_t attribute_id; /* 0: none */
    const struct host_tensor *tensors;
    size_t tensor_count;
};
int association_add_captured_op(struct association *association, const struct host_captured_op *op, struct err *err);

/* Whether numbers of streams have 15 bits; what is said first counts, until then they have 11. */
void association_expand_streams(struct association *association, bool expanded);
/* False of NULL. */
bool association_has_expanded_streams(const struct association *association);

/* A task handed to a device. */
#define KERNEL_DIMS 6
#define KERNEL_MIX_RATIO 2 /* of other kernels the low byte is the ratio of a mixed kernel's other blocks to these */
struct host_track {
    int64_t time_ns, task_type_id, kernel_id;
    int64_t block_num;          /* -1: not given */
    uint32_t dims[KERNEL_DIMS]; /* of a kernel of type KERNEL_SIMT, if block_num is given: grid, then block */
    uint32_t thread_id, device_id, stream_id, task_id, batch_id;
};
int association_add_track(struct association *association, const struct host_track *track, struct err *err);

/* Amount that a copy moves, reported inside the call that launches it. */
struct host_copy {
    int64_t time_ns, bytes, task_bytes; /* task_bytes: what one task can move; a larger copy takes several */
    uint32_t thread_id, direction;
};
int association_add_copy(struct association *association, const struct host_copy *copy, struct err *err);

/* An operator that the compiler made of several, reported inside the call that loads the model. */
#define FUSED_PER_RECORD 8
struct host_fusion {
    int64_t time_ns, name_id, op_ids[FUSED_PER_RECORD];
    int64_t input_bytes, output_bytes, weight_bytes, workspace_bytes, total_bytes;
    uint32_t thread_id, op_count; /* op_count <= FUSED_PER_RECORD */
};
int association_add_fusion(struct association *association, const struct host_fusion *fusion, struct err *err);

/* The name of a model. */
int association_add_model(struct association *association, uint32_t model_id, int64_t name_id, struct err *err);

/* A collective communication operator, reported inside its node call. */
struct host_collective {
    int64_t time_ns, algorithm_id, group_id, count;
    uint32_t thread_id, relay, retry, data_type;
};
int association_add_collective(struct association *association, const struct host_collective *collective,
                               struct err *err);

/* Transfer by one task of a communication operator, reported inside its communication call. */
struct host_transfer {
    int64_t time_ns, item_id, group_id, notify_id, bytes, estimated_ns;
    uint32_t thread_id, local_rank, remote_rank, rank_size, plane_id, context_id;
    uint32_t data_type, link_type, transport_type, rdma_type;
};
int association_add_transfer(struct association *association, const struct host_transfer *transfer, struct err *err);
/* The task numbers of a stream begin again. */
struct task_flip {
    int64_t time_ns;
    uint32_t device_id, stream_id, task_id; /* task_id: of the flip itself, in the new batch */
    uint32_t number;                        /* how often they have begun again */
    bool destroys;                          /* the stream is destroyed; one of the same number may follow */
};
int association_add_host_flip(struct association *association, const struct task_flip *flip, struct err *err);

/* Tasks of a physical stream are shown under a logic one. */
int association_add_logic_stream(struct association *association, uint32_t physical, uint32_t logic, struct err *err);

/* A stream whose tasks on the AI CPU serve collectives of a group. */
int association_add_ai_cpu_stream(struct association *association, uint32_t stream_id, int64_t group_id,
                                  uint32_t rank_size, struct err *err);

/* A task that a kernel on the AI CPU of the device being decoded launched, as its log there says it. */
int association_add_expanded_task(struct association *association, const struct host_transfer *transfer,
                                  uint32_t stream_id, uint32_t task_id, struct err *err);
/* Describes what such a kernel communicates. */
struct expanded_op {
    struct host_collective collective;
    uint32_t stream_id, task_id, rank_size; /* the kernel's */
};
int association_add_expanded_op(struct association *association, const struct expanded_op *op, struct err *err);
/* A task on the main stream of what such a kernel communicates, the first or the last. */
struct expanded_end {
    int64_t time_ns;
    uint32_t kernel_stream_id, kernel_task_id, stream_id, task_id;
};
int association_add_expanded_end(struct association *association, const struct expanded_end *end, struct err *err);

/* The text of a hash, or of a type number at a level. */
int association_add_name(struct association *association, int64_t id, const char *text, size_t length, struct err *err);
/* The row of table name (name.id) that will hold the text of a hash; of its number when no dictionary has it, which is
 * reported of the field of the current record. */
int association_find_name(struct association *association, int64_t id, const char *field, int64_t *ret_name_id,
                          struct err *err);
/* Reports of the field of the current record, once for each id, that no dictionary has it; 0 names nothing. Works for a
 * capture of any era. */
int association_expect_name(struct association *association, int64_t id, const char *field, struct err *err);
int association_add_type(struct association *association, uint32_t level, uint32_t type, const char *text,
                         size_t length, struct err *err);

/* A task that ran: a start and its end. */
struct device_task {
    int64_t start_ns, end_ns;
    int64_t start_tick, end_tick; /* in the log of a hardware scheduler; of captures from before 2023 */
    int64_t context_id;           /* NO_CONTEXT when it is no part of a split task */
    uint32_t device_id, stream_id, task_id,
        type;          /* type: number of the submission queue entry (docs/formats/cann.md 5.2) */
    bool of_scheduler; /* the scheduler says so, and the type is its own: it counts where no other log has the task */
    bool has_accelerator;
    uint8_t accelerator_id; /* less than 64 */
};
int association_add_task(struct association *association, const struct device_task *task, struct err *err);

/* As the device saw it. Must come before the device's tasks. */
int association_add_flip(struct association *association, const struct task_flip *flip, struct err *err);

enum pmu_core { PMU_CORE_AIC, PMU_CORE_AIV };
#define PMU_COUNTERS 8       /* of most chips */
#define PMU_COUNTERS_MOST 10 /* of chips 15 and 16 */

/* The counters of one task on one kind of core, of a record that has no row of its own; several records of one task and
 * core (blocks) are added up. Those of a task that did not run are reported and rejected later. */
struct device_pmu {
    int64_t start_ns;   /* -1: not given: then records of one task belong to its executions in their order */
    int64_t context_id; /* NO_CONTEXT as in struct device_task */
    uint32_t device_id, stream_id, task_id;
    enum pmu_core core;
    bool block; /* of one block; else of the whole task */
    bool timed; /* duration_ns, which records with a start have, is how long it counted; else the cycles say it */
    int64_t duration_ns, total_cycle, counters[PMU_COUNTERS_MOST];
    size_t counter_count; /* PMU_COUNTERS or PMU_COUNTERS_MOST */
    /* In captures from before 2023 those of no task become rows of their own kind: */
    int64_t file_id, block_num; /* block_num -1: the operator says it */
};
int association_add_pmu(struct association *association, const struct device_pmu *pmu, struct err *err);

/* ---- for decode_capture.c ---- */

/* Gives the tasks and counters of the device being decoded, which another association got by itself, from streams of
 * which nothing was reported, to this one, as if they came now. False: that is not what they would be here. */
bool association_may_take(const struct association *association, const struct association *apart);
int association_take(struct association *association, struct association *apart, struct err *err);

/* NULL with err set. Refers to the decoder, which outlives it. */
struct association *association_new(struct decoder *decoder, struct err *err);
/* Begins a part of the capture (host, one device). */
int association_begin_part(struct association *association, size_t part, struct err *err);
/* After the last file of the part: emits what is known now. */
int association_end_part(struct association *association, struct err *err);
/* After the last part, which need not be ended. */
int association_finish(struct association *association, struct err *err);
void association_free(struct association *association); /* NULL is fine */

#endif
