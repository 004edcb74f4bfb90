/* Inside of the association: what it keeps of each record. Shared by association.c (records in), association_host.c
 * (call trees), association_device.c (tasks and counters) and association_rows.c (rows out). */
#ifndef MSPROF_PARSERS_ASSOCIATION_DATA_H
#define MSPROF_PARSERS_ASSOCIATION_DATA_H

#include "parsers/association.h"
#include "parsers/decode.h"
#include "parsers/text_pool.h"

#define NO_INDEX UINT32_MAX

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
    uint32_t first, count; /* in the association's context ids */
};

struct track {
    int64_t time_ns;
    uint32_t task_type, kernel; /* texts */
    uint32_t stream_id, task_id, batch_id;
    int32_t block_num;
    uint16_t device_id;
};

/* Everything of one host thread until its tree is built. */
struct thread {
    uint32_t id;
    struct call *calls;
    size_t call_count, call_capacity;
    struct node *nodes;
    size_t node_count, node_capacity;
    struct tensor_use *tensors;
    size_t tensor_count, tensor_capacity;
    struct attribute_use *attributes;
    size_t attribute_count, attribute_capacity;
    struct context_use *contexts;
    size_t context_count, context_capacity;
    struct track *tracks;
    size_t track_count, track_capacity;
};

/* (level, type) of calls. */
struct call_kind {
    uint32_t type;
    uint16_t level;
    uint32_t name; /* text; of the number when no dictionary has it */
};

/* A task that the host launched, with its operator. */
struct host_task {
    int64_t time_ns;
    uint32_t stream_id, task_id, context_id, batch_id;
    uint32_t next; /* with the same key, by time; NO_INDEX */
    uint32_t connection, thread_id;
    uint32_t task_type, kernel, op_name, op_type; /* texts; op_name NO_INDEX: no operator */
    uint32_t block_num, mix_block_num, op_flag, tensor_set, attribute;
    uint32_t model_id; /* NO_MODEL: it is of none */
    uint16_t device_id;
    uint8_t op_task_type, op_state;
    bool used, has_block_num;
};

struct ran_task {
    int64_t start_ns, end_ns;
    uint32_t stream_id, task_id, context_id;
    uint32_t next;   /* with the same key, by start */
    uint32_t host;   /* index of the host's task; NO_INDEX */
    uint32_t pmu[2]; /* for each core, index; NO_INDEX */
    uint16_t batch_id;
    uint8_t type;
    bool batch_known; /* the device says when the numbers of its stream began again */
};

struct pmu_sum {
    int64_t total_cycle, counters[PMU_COUNTERS];
    uint32_t blocks; /* added up */
    bool whole;      /* the task's own record */
};

/* Chains of items with equal keys: the first of each in an open-addressed table. */
struct key_table {
    struct key_slot {
        uint64_t key;         /* stream and task */
        uint32_t first, last; /* NO_INDEX: the slot is empty */
    } * slots;
    size_t capacity, used;
};

/* The task numbers of a stream begin again. */
struct flip {
    uint64_t stream; /* of the host's: task_key of device and stream */
    int64_t time_ns;
    uint32_t task_id;
    bool destroys;
};
struct flip_list {
    struct flip *items;
    size_t count, capacity;
};
int flip_list_add(struct flip_list *list, const struct flip *flip, struct err *err);
void flip_list_release(struct flip_list *list);

/* A stream begins or ends to take the tasks of a model. */
struct stream_capture {
    uint64_t stream; /* task_key of device and stream */
    int64_t time_ns;
    uint32_t model_id;
    bool ends;
};
#define NO_MODEL UINT32_MAX

struct association {
    struct decoder *decoder;
    size_t part;
    struct text_pool texts;
    struct id_map name_ids, type_ids; /* to texts */
    struct tensor_pool tensor_sets;
    struct call_kind *call_kinds;
    size_t call_kind_count, call_kind_capacity;
    size_t last_call_kind;
    struct id_map call_kind_ids;
    struct thread *threads;
    size_t thread_count, thread_capacity;
    size_t last_thread;
    struct id_map thread_ids;
    uint32_t *context_ids;
    size_t context_id_count, context_id_capacity;
    uint32_t connections; /* launches so far */
    int64_t host_call_rows; /* emitted so far */
    bool has_batches; /* a launched task was recorded with another batch than 0 */
    bool has_models;  /* a call at the level of models was recorded */
    struct flip_list host_flips;
    struct stream_capture *captures;
    size_t capture_count, capture_capacity;
    struct host_task *host_tasks;
    size_t host_task_count, host_task_capacity;
    struct key_table host_table; /* of the device being joined */
    struct ran_task *ran;
    size_t ran_count, ran_capacity;
    struct key_table ran_table;
    struct pmu_sum *pmu;
    size_t pmu_count, pmu_capacity;
    uint64_t pmu_unmatched;
    struct flip_list flips;
    bool ran_sorted;
    size_t text_rows, tensor_rows; /* emitted so far */
};

/* Room for one more item of an array that doubles; NULL with err set when memory ran out or there are 2^32 items. */
void *array_next(void **items, size_t *count, size_t *capacity, size_t item_size, struct err *err);
#define ARRAY_NEXT(items, count, capacity, err)                                                                        \
    array_next((void **)&(items), &(count), &(capacity), sizeof *(items), (err))

void key_table_release(struct key_table *table);
/* Empty, with room for count keys. */
int key_table_init(struct key_table *table, size_t count, struct err *err);
struct key_slot *key_table_find(const struct key_table *table, uint64_t key);
static inline uint64_t task_key(uint32_t stream_id, uint32_t task_id)
{
    return (uint64_t)stream_id << 32 | task_id;
}

/* The text of a hash, of its number when no dictionary has it. */
int association_text(struct association *association, int64_t id, uint32_t *ret, struct err *err);

/* What has streams and numbers and gets a batch. */
struct batch_target {
    void *tasks;
    size_t count;
    void (*get)(const void *tasks, size_t i, uint64_t *ret_stream, int64_t *ret_time_ns, uint32_t *ret_task);
    void (*set)(void *tasks, size_t i, uint32_t batch);
};
/* Counts the flips in front of each task whose stream has any; sets no others. Sorts the list. */
int association_assign_batches(struct flip_list *list, const struct batch_target *target, struct err *err);
int association_batch_host_tasks(struct association *association, struct err *err);
int association_batch_ran_tasks(struct association *association, struct err *err);

/* Builds every thread's tree, emits its calls and turns tracks into host tasks; releases the threads. */
int association_join_host(struct association *association, struct err *err);
/* Sorts the device's tasks and matches the host's. */
int association_join_tasks(struct association *association, struct err *err);
/* Rows. The calls are those of all threads, which lose them. */
int association_emit_calls(struct association *association, struct err *err);
int association_emit_tasks(struct association *association, struct err *err);
int association_emit_texts(struct association *association, struct err *err);

#endif
