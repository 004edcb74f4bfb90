/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/join/association_data.h"

#include "base/array.h"
#include "base/map_word.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

struct numbered {
    int64_t key;
    uint32_t value;
};

bool id_map_get(const struct id_map *map, int64_t key, uint32_t *ret)
{
    const struct numbered *item = map_get_word(&map->map, (uint64_t)key);
    if (item != NULL)
        *ret = item->value;
    return item != NULL;
}

int id_map_set(struct id_map *map, int64_t key, uint32_t value, struct err *err)
{
    if (map->map.item_size == 0)
        map->map = (struct map)MAP_OF(struct numbered, key);
    struct numbered *item = map_add(&map->map, &key, NULL, err);
    if (item == NULL)
        return err_status(err);
    item->value = value;
    return 0;
}

int tensor_pool_add(struct tensor_pool *pool, const struct host_tensor *tensors, size_t count, uint32_t *ret,
                    struct err *err)
{
    return intern_add(&pool->sets, tensors, count * sizeof *tensors, ret, err);
}

const struct host_tensor *tensor_pool_get(const struct tensor_pool *pool, uint32_t set, size_t *ret_count)
{
    const struct interned *item = &pool->sets.items[set];
    *ret_count = item->length / sizeof(struct host_tensor);
    return (const struct host_tensor *)(const void *)item->bytes; /* malloc aligned it */
}

int tensor_pool_join(struct tensor_pool *pool, uint32_t first, uint32_t second, uint32_t *ret, struct err *err)
{
    const struct interned *a = &pool->sets.items[first], *b = &pool->sets.items[second];
    size_t length = (size_t)a->length + b->length;
    SCOPED_FREE char *joined = scoped_memory(length + 1, 1);
    if (joined == NULL)
        return err_no_memory(err);
    memcpy(joined, a->bytes, a->length);
    memcpy(joined + a->length, b->bytes, b->length);
    return intern_add(&pool->sets, joined, length, ret, err);
}

void tensor_pool_release(struct tensor_pool *pool)
{
    intern_release(&pool->sets);
}

int join_expect_span(int64_t start_ns, int64_t end_ns, struct err *err)
{
    if (span_is_sound(start_ns, end_ns))
        return 0;
    return err_set(err, ERR_FAILED,
                   "a span from %lld to %lld ns was handed to be joined; its record kind has to refuse it",
                   (long long)start_ns, (long long)end_ns);
}

void *association_array_next(void **items, size_t *count, size_t *capacity, size_t item_size, struct err *err)
{
    if (*count >= NO_INDEX - 1) {
        err_set(err, ERR_LIMIT, "more than %u records of a kind in one capture", NO_INDEX - 1);
        return NULL;
    }
    if (*count == *capacity && large_grow(items, capacity, *count, 1, item_size, err) < 0)
        return NULL;
    return (char *)*items + (*count)++ * item_size;
}

bool association_type_text(const struct association *association, uint32_t level, uint32_t type, uint32_t *ret)
{
    return id_map_get(&association->type_ids, association_type_key(level, type), ret);
}

int association_number_text(struct association *association, uint64_t value, uint32_t *ret, struct err *err)
{
    char text[NUMBER_MAX];
    const char *end = number_put_unsigned(text, value);
    return intern_add(&association->texts, text, (size_t)(end - text), ret, err);
}

int association_expect_name(struct association *association, int64_t id, const char *field, struct err *err)
{
    uint32_t text;
    if (id == 0 || id_map_get(&association->name_ids, id, &text) || id_map_get(&association->unnamed_ids, id, &text))
        return 0;
    struct place place = decoder_place(association->decoder, field);
    diag_report(decoder_diag(association->decoder), DIAG_NAME_UNKNOWN, &place, "the id %llu is in no hash dictionary",
                (unsigned long long)id);
    return id_map_set(&association->unnamed_ids, id, 0, err);
}

int association_set_name(struct association *association, int64_t id, uint32_t text, struct err *err)
{
    *association_recent_name(association, id) = (struct recent_name){.known = false};
    return id_map_set(&association->name_ids, id, text, err);
}

int association_find_text(struct association *association, int64_t id, const char *field, uint32_t *ret,
                          struct err *err)
{
    if (!id_map_get(&association->name_ids, id, ret)) {
        if (association_expect_name(association, id, field, err) < 0 ||
            association_number_text(association, (uint64_t)id, ret, err) < 0 ||
            id_map_set(&association->name_ids, id, *ret, err) < 0)
            return err_status(err);
    }
    *association_recent_name(association, id) = (struct recent_name){id, *ret, true};
    return 0;
}

struct join_limits join_limits = {.spool = (size_t)9 * 1024 * 1024, .window = 8192};

void join_spool_release(struct spool **spool)
{
    spool_free(*spool);
    *spool = NULL;
}

void association_find_around(const struct association *association, struct thread *thread, uint32_t call)
{
    const struct call_kind *kind = &association->call_kinds.items[thread->calls.items[call].kind];
    const uint32_t parent = thread->calls.items[call].parent;
    const bool is_node = kind->level == HOST_LEVEL_NODE;
    struct call_state *state = &thread->states.items[call];
    _Static_assert(NO_INDEX == UINT32_MAX, "all bits are set");
    if (parent != NO_INDEX)
        memcpy(state->around, thread->states.items[parent].around, sizeof state->around);
    else
        memset(state->around, 0xff, sizeof state->around);
    if (kind->level == HOST_LEVEL_COMMUNICATION)
        state->around[AROUND_COMMUNICATION] = call;
    if (is_node)
        state->around[AROUND_NODE] = call;
    if (is_node && kind->type == HOST_NODE_LAUNCH)
        state->around[AROUND_LAUNCH] = call;
    if (kind->level == HOST_LEVEL_MODEL)
        state->around[AROUND_MODEL] = call;
}

uint32_t association_call_around(const struct thread *thread, uint32_t call, enum around around)
{
    return call != NO_INDEX ? thread->states.items[call].around[around] : NO_INDEX;
}

uint32_t association_model_around(const struct association *association, const struct thread *thread, uint32_t call)
{
    int64_t model;
    call = association_call_around(thread, call, AROUND_MODEL);
    if (call == NO_INDEX)
        return NO_MODEL;
    const struct interned *item = &association->texts.items[thread->calls.items[call].item];
    return number_parse_integer(item->bytes, item->length, &model) == 0 && model >= 0 && model < NO_MODEL
               ? (uint32_t)model
               : NO_MODEL;
}

/* ---- records of the host on their way into the spool ---- */

static struct spool_key record_key(uint32_t thread_id, int64_t time_ns, uint32_t rest)
{
    uint64_t time = spool_key_part(time_ns);
    return (struct spool_key){(uint64_t)thread_id << 32 | time >> 32, time << 32 | rest};
}

/* An outer call comes before those inside; of two with the same span the one of the higher level is outside. */
int join_outer_first(const void *a, const void *b)
{
    const struct waiting_call *x = a, *y = b;
    if (x->end_ns != y->end_ns)
        return array_order(y->end_ns, x->end_ns);
    return x->end_ns != NO_END ? array_order(y->level, x->level) : 0;
}

int association_add_record(struct association *association, uint32_t thread_id, enum host_record kind, void *record,
                           size_t size, struct err *err)
{
    const int64_t no_end = NO_END;
    int64_t time_ns;
    memcpy(&time_ns, record, sizeof time_ns);
    memcpy(record, &no_end, sizeof no_end);
    const struct spool_key key = record_key(thread_id, time_ns, kind);
    return join_spool_add(&association->records, join_outer_first, &key, record, size, err);
}

int association_add_thread_call(struct association *association, uint32_t thread_id, int64_t begin_ns,
                                const struct waiting_call *call, size_t size, struct err *err)
{
    uint64_t duration = (uint64_t)call->end_ns - (uint64_t)begin_ns;
    uint32_t shorter = duration < KEY_CALL - 1 ? KEY_CALL - 1 - (uint32_t)duration : 0;
    const struct spool_key key = record_key(thread_id, begin_ns, KEY_CALL | shorter);
    return join_spool_add(&association->records, join_outer_first, &key, call, size, err);
}

int association_add_call_kind(struct association *association, int64_t key, const struct call_kind *kind, uint16_t *ret,
                              struct err *err)
{
    if (association->call_kinds.count > UINT16_MAX)
        return err_set(err, ERR_LIMIT, "more than 65536 different types of calls");
    struct call_kind *added = ARRAY_NEXT(&association->call_kinds, err);
    if (added == NULL)
        return err_status(err);
    *added = *kind;
    *ret = (uint16_t)(association->call_kinds.count - 1);
    return id_map_set(&association->call_kind_ids, key, *ret, err);
}

struct collective_run *collective_runs_find(struct collective_runs *runs, uint32_t op, uint32_t iteration,
                                            uint32_t *ret, struct err *err)
{
    int64_t key = (int64_t)((uint64_t)op << 32 | iteration);
    if (id_map_get(&runs->by_key, key, ret))
        return &runs->items[*ret];
    struct collective_run *run = ARRAY_NEXT(runs, err);
    if (run == NULL)
        return NULL;
    *run = (struct collective_run){.op = op, .iteration = iteration, .transfer = NO_INDEX, .kernel = NO_INDEX};
    *ret = (uint32_t)(runs->count - 1);
    return id_map_set(&runs->by_key, key, *ret, err) == 0 ? run : NULL;
}
