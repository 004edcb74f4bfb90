/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the association: what it keeps of each record, and what its steps share (association_data.c): records in
 * (association_records.c), call trees (association_host.c), tasks and counters (association_device.c), rows out
 * (association_rows.c). */
#ifndef MSPROF_PARSERS_JOIN_ASSOCIATION_DATA_H
#define MSPROF_PARSERS_JOIN_ASSOCIATION_DATA_H

#include "base/array.h"
#include "base/file/large.h"
#include "base/file/spool.h"
#include "base/intern.h"
#include "base/map.h"
#include "parsers/decode/decode.h"
#include "parsers/join/association.h"

/* Numbers for what comes again and again in the records of a capture: sets of tensors, 64-bit ids. */

/* From 64-bit keys to 32-bit values. All zero: empty. */
struct id_map {
    struct map map;
};

/* True and *ret set when the key is there. */
bool id_map_get(const struct id_map *map, int64_t key, uint32_t *ret);
/* Adds a key, or changes its value. */
int id_map_set(struct id_map *map, int64_t key, uint32_t value, struct err *err);

static inline void id_map_release(struct id_map *map)
{
    map_release(&map->map);
}

/* Sets of tensors: byte strings of struct host_tensor. */
struct tensor_pool {
    struct intern sets;
};

/* The number of a set, and of the tensors of one set followed by those of another. */
int tensor_pool_add(struct tensor_pool *pool, const struct host_tensor *tensors, size_t count, uint32_t *ret,
                    struct err *err);
int tensor_pool_join(struct tensor_pool *pool, uint32_t first, uint32_t second, uint32_t *ret, struct err *err);
/* The tensors of a set. */
const struct host_tensor *tensor_pool_get(const struct tensor_pool *pool, uint32_t set, size_t *ret_count);
void tensor_pool_release(struct tensor_pool *pool);

#define NO_INDEX UINT32_MAX

/* Records of the host wait in a spool by thread and time. Those of a thread that are about calls that are open or
 * were left not long ago are together in a window, whose calls the indexes below count. */

struct call {
    int64_t begin_ns, end_ns;
    uint32_t item;       /* text */
    uint32_t parent;     /* index of the call around it; NO_INDEX */
    uint32_t connection; /* number of the launch in it; 0: none */
    uint16_t kind;       /* index into the association's call kinds */
    uint16_t launches;   /* tasks that this call itself launched; saturates */
};

struct node {
    int64_t time_ns;
    uint32_t name, type; /* texts */
    uint32_t launch;     /* index of the node-level call around it; NO_INDEX */
    uint32_t block_num, op_flag;
    uint16_t mix_ratio;
    uint8_t task_type, op_state;
};

/* The operator of a task of a captured graph. */
struct captured_op {
    struct captured_key {
        uint32_t device_id, stream_id, task_id;
    } key;                          /* first */
    uint32_t tensor_set, attribute; /* NO_INDEX: none */
    struct node node;               /* of no launch */
};

struct tensor_use {
    int64_t time_ns;
    uint32_t name;   /* text */
    uint32_t set;    /* tensor set */
    uint32_t launch; /* as in struct node */
};

struct attribute_use {
    int64_t time_ns;
    uint32_t name, value, launch;
};

struct context_use {
    int64_t time_ns;
    uint32_t name, launch;
    uint32_t first, count;  /* in the window's context ids; in the spool they follow */
    uint32_t communication; /* index of the communication call around it; NO_INDEX */
    uint32_t next;          /* of the same communication call; NO_INDEX */
};

struct track {
    int64_t time_ns;
    uint32_t task_type, kernel;   /* texts */
    uint32_t grid_dim, block_dim; /* likewise; NO_INDEX: it has none */
    uint32_t stream_id, task_id, batch_id;
    int32_t block_num;
    uint16_t device_id, mix_ratio;
    /* Not in the spool: */
    uint32_t leaf; /* index of the deepest call around it; NO_INDEX */
    uint32_t connection, model_id;
};

/* A record of one of the rarer kinds; item is its place in the association's list of the kind. */
enum note_kind { NOTE_COPY, NOTE_FUSION, NOTE_COLLECTIVE, NOTE_TRANSFER };
struct note {
    int64_t time_ns;
    uint32_t call; /* index of the call around it that it is about; NO_INDEX */
    uint32_t item;
    enum note_kind kind;
};

/* Records that are about a call. */
enum unplaced_kind {
    UNPLACED_NODE,
    UNPLACED_TENSORS,
    UNPLACED_ATTRIBUTE,
    UNPLACED_CONTEXTS,
    UNPLACED_COPY,
    UNPLACED_FUSION,
    UNPLACED_COLLECTIVE,
    UNPLACED_TRANSFER,
    UNPLACED_KINDS
};

/* How many records of each of these kinds describe the operators of one launch. */
#define DESCRIBED_KINDS (UNPLACED_ATTRIBUTE + 1)

/* A run of consecutive launches with equal record counts. */
struct described_run {
    uint32_t records[DESCRIBED_KINDS];
    uint32_t first, count; /* launches */
};

/* Facts about a call in the window beside what its row has. */
/* Calls that are looked for around others: of a level, launches by themselves. */
enum around { AROUND_COMMUNICATION, AROUND_NODE, AROUND_LAUNCH, AROUND_MODEL, AROUND_KINDS };

struct call_state {
    uint32_t row;                      /* among the calls of its thread */
    uint32_t records[DESCRIBED_KINDS]; /* of the launch that it is */
    uint32_t described;                /* its number among launches with records, once they are known; NO_INDEX */
    uint32_t collective_op;            /* the communication operator that it is; NO_INDEX */
    uint32_t around[AROUND_KINDS];     /* the nearest of each, which may be itself; NO_INDEX */
    bool is_open;                      /* as of the last look: the thread is in it */
    bool left;                         /* its row and its number are out */
    bool parts_added;                  /* its contexts are tasks */
    bool stays;                        /* a record needs it still */
};

struct fused_op {
    uint32_t item, model_id; /* item: as in struct note */
};

/* The window of the host thread that is being joined. */
struct thread {
    uint32_t id;
    struct ARRAY_OF(struct call) calls;
    struct ARRAY_OF(struct call_state) states; /* of each */
    struct ARRAY_OF(struct node) nodes;
    struct ARRAY_OF(struct tensor_use) tensors;
    struct ARRAY_OF(struct attribute_use) attributes;
    struct ARRAY_OF(struct context_use) contexts;
    struct ARRAY_OF(uint32_t) context_ids; /* of the contexts */
    struct ARRAY_OF(struct track) tracks;
    struct ARRAY_OF(struct note) notes;
    struct ARRAY_OF(struct fused_op) fused; /* of the whole thread */
    uint32_t current;                       /* index of the deepest open call; NO_INDEX */
    size_t records;                         /* taken into the window, about */
    size_t limit;                           /* so many move it on */
    uint64_t rows;                          /* calls so far */
    uint64_t overlaps;                      /* calls that overlap others */
    struct call first_overlap;
    size_t mark; /* of diagnostics, when the thread began */
};

/* Which tasks of a device each half of the capture has. */
struct device_half {
    uint32_t device_id;
    uint64_t launched, ran;
    uint64_t untyped;            /* launches whose kind of task no dictionary has */
    uint64_t matched, unmatched; /* runs with a launch, and those without one */
};

/* (level, type) of calls. */
struct call_kind {
    uint32_t type;
    uint16_t level;
    uint32_t name; /* text; of the number when no dictionary has it */
    bool named;    /* a dictionary has it */
};

/* A task that the host launched, with its operator. */
struct host_task {
    int64_t time_ns;
    uint32_t stream_id, task_id, context_id, batch_id;
    uint32_t connection, thread_id;
    uint32_t task_type, kernel, op_name, op_type; /* texts; op_name NO_INDEX: no operator */
    uint32_t block_num, mix_block_num, op_flag, tensor_set, attribute;
    uint32_t model_id; /* NO_MODEL: it is of none */
    uint32_t extra;    /* in the association's task extras; NO_INDEX */
    uint32_t launch;   /* in the association's described launches; NO_INDEX: no record says anything of it */
    uint16_t device_id;
    uint8_t op_task_type, op_state;
    bool has_block_num;
    bool described;       /* a record says the operator's state and flags */
    bool stands_for_part; /* of a mixed kernel: it has the operator where its part 0 has no row */
};

/* Members that only few tasks have. */
struct task_extra {
    int64_t copy_bytes; /* -1: copies nothing */
    uint32_t copy_direction;
    uint32_t collective_op;       /* the communication operator that it is part of; NO_INDEX */
    uint32_t transfer;            /* NO_INDEX: not described */
    uint32_t grid_dim, block_dim; /* texts; NO_INDEX: it has none */
    uint32_t runs;                /* how often it has run on the device being joined */
    bool of_collective;           /* a kernel of one; what launched it: */
    int64_t outer_start_ns; /* when the node-level call around began, in the same thread; INT64_MIN: there is none */
    bool master;            /* on the operator's main stream */
    bool spans;             /* the operator lasts as long as such tasks: main stream, or no name says which */
    bool has_parts;         /* the whole of a split task: no transfer where its parts ran */
};

#define COLLECTIVE_NO_GROUP (-1)
/* A communication operator as it was launched; or a kernel on the AI CPU that is one by itself. */
struct collective_op {
    int64_t host_start_ns, group_id;
    uint32_t name, type; /* texts; type NO_INDEX: not described */
    uint32_t thread_id, connection, model_id;
    uint32_t collective; /* what was reported of it; NO_INDEX */
    uint32_t order;      /* which one of its group it is on the device being joined */
    uint32_t warm_ups;   /* runs there that began before the collection started */
    uint32_t runs;       /* of a kernel: how often it ran there so far */
    uint32_t rank_size;  /* likewise; 0: not known */
    bool ordered, is_kernel;
};

/* A task that the device ran. */
struct ran_task {
    int64_t start_ns, end_ns;
    uint32_t stream_id, task_id, context_id;
    uint16_t batch_id;
    uint8_t type;
    uint8_t batch_known : 1; /* the device says when the numbers of its stream began again */
    uint8_t has_accelerator : 1;
    uint8_t accelerator_id : 6;
    bool of_scheduler; /* as in struct device_task */
    /* Filled in when it is joined: the AI CPU says that it, which the host launched, expands a collective, or that a
     * kernel that does launched it. */
    bool of_expansion;
    uint32_t expansion_item; /* place in the expansion's ops, NO_INDEX: unknown; or in its tasks */
};

/* How a task is split into parts that are rows, too (device_task.split). Part 0 of a mixed kernel is hidden where the
 * whole alone is an operator. */
enum task_split { SPLIT_NONE, SPLIT_WHOLE, SPLIT_MIXED_WHOLE, SPLIT_MIXED_PART, SPLIT_MIXED_HIDDEN };

#define NO_DURATION (-1)

struct pmu_sum {
    int64_t total_cycle, duration_ns; /* NO_DURATION: not measured */
    uint32_t counter_count;
    uint32_t blocks;                     /* added up */
    bool whole;                          /* the task's own record */
    int64_t counters[PMU_COUNTERS_MOST]; /* last: a spool has only as many as there are */
};

/* A task that ran with what belongs to it. */
struct matched_task {
    struct ran_task ran; /* with the batch of its launch */
    uint32_t stream_id;  /* as the host knows it */
    bool launched, counted[2];
    uint8_t split; /* enum task_split */
    /* In a spool only those of these that it has follow, without gaps but as they must be aligned. */
    struct host_task host;
    struct pmu_sum pmu[2]; /* for each core */
};

/* The task numbers of a stream begin again. */
struct flip {
    uint64_t stream; /* of the host's: task_key of device and stream */
    int64_t time_ns;
    uint32_t task_id, number;
    bool destroys;
};
struct flip_list ARRAY_OF(struct flip);

int flip_list_add(struct flip_list *list, const struct flip *flip, struct err *err);
/* Whether it has one of the stream; the list is sorted. */
bool flip_list_has(const struct flip_list *list, uint64_t stream);
void flip_list_release(struct flip_list *list);

/* Records of the AI CPU of a device about collectives that its kernels expand into tasks, by task_key of the task or
 * kernel and time. */
struct expanded {
    uint64_t key, other; /* other: the main stream's task, of a kernel's end */
    int64_t time_ns;
    uint32_t item; /* the transfer of a task; what a kernel communicates */
    uint32_t rank_size;
};
struct expanded_list ARRAY_OF(struct expanded);
struct expansion {
    struct expanded_list tasks, ops, ends;
    bool sorted;
};

/* A stream begins or ends to take the tasks of a model. */
struct stream_capture {
    uint64_t stream; /* task_key of device and stream */
    int64_t time_ns;
    uint32_t model_id, original_stream_id;
    bool ends;
};

/* A group of ranks whose collectives a stream of the AI CPU serves. */
struct ai_cpu_group {
    int64_t group_id;
    uint32_t rank_size;
};

#define NO_MODEL UINT32_MAX

/* Few names come again and again. */
#define RECENT_NAME_BITS 9
#define RECENT_KIND_BITS 6
struct recent_name {
    int64_t id;
    uint32_t text;
    bool known;
};

struct association {
    struct decoder *decoder;
    struct executions *executions; /* of a capture from before 2023; NULL: it has trees of calls */
    size_t part;
    struct intern texts;
    struct id_map name_ids, type_ids; /* to texts */
    struct recent_name recent_names[1 << RECENT_NAME_BITS];
    struct id_map unnamed_ids; /* that were reported */
    struct tensor_pool tensor_sets;
    struct ARRAY_OF(struct call_kind) call_kinds;
    uint16_t recent_call_kinds[1 << RECENT_KIND_BITS];
    struct id_map call_kind_ids;
    struct spool *records; /* of the host's threads (association_host.c) */
    struct spool *calls;   /* struct left_call: finished calls waiting for an earlier row */
    struct ARRAY_OF(struct host_copy) copies;
    struct ARRAY_OF(struct host_fusion) fusions;
    struct ARRAY_OF(struct host_collective) collectives;
    struct ARRAY_OF(struct host_transfer) transfers;
    struct id_map logic_streams;  /* of physical streams */
    struct id_map ai_cpu_streams; /* that serve collectives, to one of their groups: */
    struct ARRAY_OF(struct ai_cpu_group) ai_cpu_groups;
    struct id_map model_names; /* of model ids, to texts */
    struct ARRAY_OF(struct device_half) halves;
    struct id_map half_numbers; /* of devices, to these */
    struct ARRAY_OF(struct task_extra) extras;
    struct ARRAY_OF(struct collective_op) collective_ops;
    struct map collective_calls; /* of struct collective_call: those of the first operators */
    size_t collective_call_count;
    struct id_map kernel_ops; /* launches of kernels on the AI CPU that are collectives by themselves, to operators */
    /* About the window: */
    struct id_map collective_records;     /* node calls to what was reported of them */
    struct id_map transfer_records;       /* communication calls and contexts to transfers */
    struct id_map communication_contexts; /* communication calls to the first of their context records */
    size_t communication_parts;           /* of all threads, added so far */
    uint32_t connections;                 /* launches so far */
    int64_t host_call_rows;               /* of the threads that are joined */
    int64_t calls_out;                    /* of them and the thread's: emitted, and not in the spool */
    bool has_batches;                     /* a launched task was recorded with another batch than 0 */
    bool expands_known, expanded_streams;
    bool level_0;                    /* it was collected so */
    bool has_models;                 /* a call at the level of models was recorded */
    size_t unplaced[UNPLACED_KINDS]; /* records of the part that no call or launch is around */
    struct {
        uint64_t described, nameless, tensorless; /* the last are described, and have tensors of another name */
    } operators;                                  /* of the part */
    struct spool *described;                      /* struct described_run */
    struct described_run described_run;           /* the last one */
    uint32_t described_count;
    struct ARRAY_OF(uint64_t) ran_launches; /* a bit for each of them */
    struct flip_list host_flips;
    struct ARRAY_OF(struct stream_capture) captures;
    struct map captured_ops; /* of struct captured_op */
    struct id_map lowest_batches,
        highest_batches;          /* of the host's streams: what batches count from; the recorded ones */
    struct spool *host_unbatched; /* struct host_task, by stream and time: until their batches are known */
    struct spool *host_tasks;     /* struct host_task, by device, stream and number */
    bool host_tasks_sorted;       /* they are being read: */
    bool host_left;               /* next_host_task is the first that was not taken */
    struct spool_item next_host_task;
    /* About the device being joined: */
    struct spool *ran_unbatched; /* struct ran_task, by stream and start, when it says where numbers began again */
    struct spool *ran;           /* struct ran_task, by stream and number */
    struct spool *pmu;           /* counters, by stream and number */
    struct spool *joined;        /* struct matched_task, by start */
    uint64_t ran_count, pmu_count;
    struct expansion expansion;
    size_t join_mark;   /* of diagnostics: when the first of its counters came */
    uint32_t join_file; /* they are of */
    struct flip_list flips;
    bool unique_tasks; /* of the device: task ids are of one sequence, and streams are known by the host alone */
    size_t text_rows, tensor_rows; /* emitted so far */
};

/* An error when a kind hands over a span that it had to refuse (base/diag.h): it would be counted as sound. */
int join_expect_span(int64_t start_ns, int64_t end_ns, struct err *err);

/* Room for one more item of an array that doubles (base/file/large.h); NULL with err set when memory ran out or there
 * are 2^32 items. */
void *association_array_next(void **items, size_t *count, size_t *capacity, size_t item_size, struct err *err);

#define ARRAY_NEXT(list, err)                                                                                          \
    ((list)->count < (list)->capacity && (list)->count < NO_INDEX - 1                                                  \
         ? (void *)&(list)->items[(list)->count++]                                                                     \
         : association_array_next((void **)&(list)->items, &(list)->count, &(list)->capacity, sizeof *(list)->items,   \
                                  (err)))

/* Memory for records that wait. Tests lower it. */
extern struct join_limits {
    size_t spool;  /* bytes of each spool */
    size_t window; /* records of a thread */
} join_limits;

/* A record into a spool that is made when it is needed. */
static inline int join_spool_add(struct spool **spool, int (*ties)(const void *a, const void *b),
                                 const struct spool_key *key, const void *record, size_t size, struct err *err)
{
    if (*spool == NULL && (*spool = spool_new(join_limits.spool, ties, err)) == NULL)
        return err_status(err);
    return spool_add(*spool, key, record, size, err);
}
void join_spool_release(struct spool **spool);

static inline uint64_t task_key(uint32_t stream_id, uint32_t task_id)
{
    return (uint64_t)stream_id << 32 | task_id;
}

/* The text of a hash from now on. */
int association_set_name(struct association *association, int64_t id, uint32_t text, struct err *err);
static inline int64_t association_type_key(uint32_t level, uint32_t type)
{
    return (int64_t)((uint64_t)level << 32 | type);
}

/* The name of a type; false: no dictionary has it. */
bool association_type_text(const struct association *association, uint32_t level, uint32_t type, uint32_t *ret);
/* The number as a text of the capture. */
int association_number_text(struct association *association, uint64_t value, uint32_t *ret, struct err *err);
/* The text of a hash, of its number when no dictionary has it, which is reported as association_expect_name does. */
int association_find_text(struct association *association, int64_t id, const char *field, uint32_t *ret,
                          struct err *err);

static inline struct recent_name *association_recent_name(struct association *association, int64_t id)
{
    return &association->recent_names[((uint64_t)id * 0x9e3779b97f4a7c15u) >> (64 - RECENT_NAME_BITS)];
}

/* Likewise; mostly it was found before. */
static inline int association_text(struct association *association, int64_t id, const char *field, uint32_t *ret,
                                   struct err *err)
{
    const struct recent_name *recent = association_recent_name(association, id);
    if (recent->id != id || !recent->known)
        return association_find_text(association, id, field, ret, err);
    *ret = recent->text;
    return 0;
}

/* The call itself or the nearest around it of this kind. */
uint32_t association_call_around(const struct thread *thread, uint32_t call, enum around around);
/* Finds what is around the thread's call of this index, whose parent is known. */
void association_find_around(const struct association *association, struct thread *thread, uint32_t call);

/* Reports and counts as rejected the records whose call was not found. */
void association_report_unplaced(struct association *association);

/* Reports the operators of the part whose launches have no record that describes them. */
void association_report_undescribed(struct association *association);
/* Gives a launch its number when records describe it; once all devices are joined, what describes launches of which no
 * task ran is reported and counted as rejected. */
int association_number_launch(struct association *association, struct call_state *launch, struct err *err);
int association_report_not_run(struct association *association, struct err *err);
/* A task of the launch ran. */
int association_note_ran(struct association *association, uint32_t launch, struct err *err);

/* Takes records of a kind out of the count of what was joined, for a reason that is reported: of the part's last files
 * first, because which record was in which slice is not known any more. */
#define ANY_PART SIZE_MAX

void association_drop_joined(struct association *association, size_t part, const struct record_kind *kind,
                             enum diag_id reason, uint64_t count);

/* Names the operator of a kernel that no record describes after the call that launches it (index of the call; NO_INDEX:
 * none), else after the kernel; false: it has neither name, or computes no operator. */
bool association_name_kernel(const struct association *association, const struct thread *thread, uint32_t launch,
                             struct host_task *task);

/* The tasks of a device so far; NULL with err set. */
struct device_half *association_half(struct association *association, uint32_t device_id, struct err *err);
/* Reports that the half of a device, or that of the host, is missing, in front of everything else. */
void association_report_halves(const struct association *association);
/* Whether a device on which tasks were launched left none; whether the host left nothing. */
bool association_misses_device(const struct association *association);
bool association_misses_host(const struct association *association);
/* Whether both halves of a device have records, but not what joins them. */
bool association_is_apart(const struct association *association, const struct device_half *half);

/* Rare records. Finds the call that each is about; the notes must be in the order of their times, and calls[i] must be
 * the deepest call around notes[i]. */
void association_place_note(const struct thread *thread, struct note *note, uint32_t deepest_call);
/* The model that a call works for; NO_MODEL: none. */
uint32_t association_model_around(const struct association *association, const struct thread *thread, uint32_t call);
bool association_is_copying(const struct association *association, const struct track *track);
/* Notes the bytes that a task copies; fills its extra when it does. */
int association_note_copy(struct association *association, const struct thread *thread, const struct track *track,
                          uint32_t call, struct host_task *task, struct err *err);
/* Notes a fused operator with its model. */
int association_take_fusion(struct association *association, struct thread *thread, const struct note *note,
                            struct err *err);
/* Those of the thread. */
int association_emit_fusions(struct association *association, const struct thread *thread, struct err *err);
/* The task's extra, which is made when it has none; NULL with err set. */
struct task_extra *association_extra(struct association *association, struct host_task *task, struct err *err);

/* Kernels of collectives (association_collectives.c). Streams of captured graphs stand for those of the AI CPU. */
int association_capture_ai_cpu_streams(struct association *association, struct err *err);
/* Notes the task if it is one; launch: its node-level call,
 * NO_INDEX: none. */
int association_note_collective(struct association *association, const struct thread *thread, uint32_t launch,
                                struct host_task *task, struct err *err);
/* Whether the device's task is one, as device_task.collective says it. */
enum collective_part { COLLECTIVE_NONE, COLLECTIVE_ITSELF, COLLECTIVE_IN_OPERATOR };
/* op: the operator with the duration of its communication; NO_INDEX: none. */
struct collective_kernel {
    enum collective_part part;
    uint32_t op;
};
int association_collective_of(struct association *association, const struct ran_task *ran, const struct host_task *task,
                              struct collective_kernel *ret, struct err *err);
/* Fills in what the AI CPU says of the tasks that ran with one number, which are matched and come by start: each of its
 * records is of one of them. */
void association_mark_expansion(struct association *association, struct matched_task *tasks, size_t count);
void expansion_release(struct expansion *expansion);

/* Communication. Indexes the notes of the window, before its tasks are joined. */
int association_index_collectives(struct association *association, struct thread *thread, struct err *err);
/* Makes a task one of the communication operator that the node-level call is; call: the communication call around the
 * task, node: what was reported of the operator (NULL: nothing). Adds the parts that the device distinguishes by their
 * context. */
int association_join_collective(struct association *association, struct thread *thread, uint32_t call,
                                uint32_t node_call, const struct node *node, struct host_task *task, struct err *err);
struct run_task {
    uint32_t ran, run, extra; /* the task on the device, what it belongs to, what is known of it */
};

struct run_span {
    bool known;
    int64_t start_ns, end_ns;
};

/* One run of an operator. */
struct collective_run {
    uint32_t op, iteration;
    struct run_span own, all;      /* of its tasks that say how long it lasts; of all of them */
    struct run_span own_of_wholes; /* likewise, of split tasks as wholes: */
    struct run_span all_of_wholes; /* they count where no part ran */
    uint32_t transfer;             /* one of its tasks'; NO_INDEX */
    uint32_t kernel;               /* on the AI CPU: which task of the device it is; NO_INDEX */
    int64_t id;                    /* row; 0: it has none */
    bool has_parts;                /* a part of a split task ran */
};

static inline void run_span_extend(struct run_span *span, int64_t start_ns, int64_t end_ns)
{
    if (!span->known || start_ns < span->start_ns)
        span->start_ns = start_ns;
    if (!span->known || end_ns > span->end_ns)
        span->end_ns = end_ns;
    span->known = true;
}

/* The communication operators that ran on the device being joined. */
struct collective_runs {
    struct collective_run *items;
    size_t count, capacity;
    struct id_map by_key;
    struct ARRAY_OF(struct run_task) tasks;
    struct ARRAY_OF(struct kernel_run) kernels;    /* on the AI CPU */
    struct ARRAY_OF(struct expanded_run) expanded; /* tasks that they launched */
};

/* Notes a task of the device, which comes by start as the index-th, if it is of such an operator; known: its extra. */
int association_take_collective(struct association *association, struct collective_runs *runs, uint32_t index,
                                const struct ran_task *ran, uint32_t known, struct err *err);
/* Notes a task of the device, which comes likewise, if a kernel on the AI CPU launched it, and such a kernel. host:
 * NULL: the host did not launch it. */
int association_take_expanded(struct association *association, struct collective_runs *runs, uint32_t index,
                              const struct ran_task *ran, const struct host_task *host,
                              const struct collective_kernel *kernel, struct err *err);
/* Makes what kernels launched part of their operators. */
int association_join_expanded(struct association *association, struct collective_runs *runs, struct err *err);
/* The run of an operator, by its number, from 1; NULL with err set. */
struct collective_run *collective_runs_find(struct collective_runs *runs, uint32_t op, uint32_t iteration,
                                            uint32_t *ret, struct err *err);
/* Emits them and their tasks; first_task_row: of the device's tasks. */
int association_emit_collectives(struct association *association, struct collective_runs *runs, int64_t device_id,
                                 int64_t first_task_row, struct err *err);
void collective_runs_release(struct collective_runs *runs);
int association_add_host_task(struct association *association, const struct host_task *task, struct err *err);

#define BATCHES_MAX 32768 /* numbers of batches that are known have less */
/* Tasks that have streams and numbers and get a batch. */
struct batch_target {
    size_t size; /* of a task */
    void (*get)(const void *task, uint64_t *ret_stream, int64_t *ret_time_ns, uint32_t *ret_task);
    void (*set)(void *task, uint32_t batch);
    int (*put)(struct association *association, const void *task, struct err *err); /* where it goes on to */
    bool of_device; /* its streams are those of this device; else of the host: task_key of device and stream */
    uint32_t device_id;
};

/* Sets the batch of each task whose stream has flips, counted from the host's first; sets no others. Those of the host
 * come first. Sorts the list. The tasks are those of a
 * spool by stream and time. */
int association_assign_batches(struct association *association, struct flip_list *list, struct spool *tasks,
                               const struct batch_target *target, struct err *err);
int association_batch_host_tasks(struct association *association, struct err *err);
/* A call in the spool of the host's records: the first member stands where others have their time. */
struct waiting_call {
    int64_t end_ns;
    uint32_t item;
    uint16_t kind, level;
};
#define NO_END INT64_MIN /* of other records */

/* Whose record it is, of captures from before 2023. */
struct numbers {
    uint32_t device_id, stream_id, task_id;
    uint32_t part; /* 0: the whole task; else the context of a part, of 16 bits, + 1 */
};

/* A call that says itself which tasks it launched, in the order of such calls. */
struct launching_call {
    struct waiting_call call;
    struct numbers first;
    uint16_t launches;
    uint64_t order;
};

/* Half of the key's minor, behind the time: records come before calls that begin in the same tick, because they are
 * outside of them; of calls the longer comes first. */
#define KEY_CALL UINT32_C(0x80000000)

/* Kinds of records in the spool of the host's. All begin with a time, which is in the key there. */
enum host_record {
    HOST_RECORD_NODE,
    HOST_RECORD_TENSORS,
    HOST_RECORD_ATTRIBUTE,
    HOST_RECORD_CONTEXTS,
    HOST_RECORD_TRACK,
    HOST_RECORD_NOTE
};

/* Adds a record of a thread whose first member is its time, of at most SPOOL_RECORD_MAX bytes. */
int association_add_record(struct association *association, uint32_t thread_id, enum host_record kind, void *record,
                           size_t size, struct err *err);
/* Adds a call; of one from before 2023 that launched tasks, size is that of a struct launching_call. */
int association_add_thread_call(struct association *association, uint32_t thread_id, int64_t begin_ns,
                                const struct waiting_call *call, size_t size, struct err *err);
/* The order of records of one thread with equal keys. */
int join_outer_first(const void *a, const void *b);
/* Numbers a new kind of calls, which is found under the key from now on. */
int association_add_call_kind(struct association *association, int64_t key, const struct call_kind *kind, uint16_t *ret,
                              struct err *err);

/* A call that its thread has left. */
struct left_call {
    struct call call; /* its parent counts the calls of the thread */
    uint32_t thread_id;
};

/* Builds every thread's tree, emits its calls and turns tracks into host tasks; releases the threads. */
int association_join_host(struct association *association, struct err *err);
/* Matches the device's tasks with the host's and with their counters. */
int association_join_device(struct association *association, struct err *err);
/* Rows. */
int association_emit_calls(struct association *association, struct err *err);
int association_emit_tasks(struct association *association, struct err *err);
int association_emit_texts(struct association *association, struct err *err);

/* The number of a text in table name; NULL when there is none. */
static inline void row_set_text(struct row *row, size_t column, uint32_t text)
{
    if (text != NO_INDEX)
        row_set_integer(row, column, text + INT64_C(1));
}

/* The columns of a call; first_row: the row of the first of its thread's calls. */
void call_put_row(const struct call_kind *kinds, int64_t first_row, uint32_t thread_id, const struct call *call,
                  struct row *row);

#endif
