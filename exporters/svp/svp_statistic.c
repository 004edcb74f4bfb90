#include "exporters/svp/svp_statistic.h"

#include "db/database.h"
#include "exporters/export.h"
#include "exporters/svp/svp_metric.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64 /* a power of two */

void svp_statistic_init(struct svp_statistic *statistic)
{
    *statistic = (struct svp_statistic){.period = 1};
}

static void free_types(struct svp_statistic *statistic)
{
    for (size_t i = 0; i < statistic->count; i++)
        free(statistic->rows[i].type);
}

void svp_statistic_release(struct svp_statistic *statistic)
{
    free_types(statistic);
    free(statistic->rows);
    free(statistic->slots);
    svp_statistic_init(statistic);
}

void svp_statistic_clear(struct svp_statistic *statistic)
{
    free_types(statistic);
    statistic->count = 0;
    statistic->period++;
    if (statistic->slots != NULL)
        memset(statistic->slots, 0, statistic->slot_count * sizeof *statistic->slots);
}

static uint64_t hash_of(const char *type, bool ai_cpu, int64_t stream_id)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)stream_id ^ (uint64_t)ai_cpu << 63;
    for (const char *p = type == NULL ? "" : type; *p != '\0'; p++)
        hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    hash *= UINT64_C(0x9e3779b97f4a7c15); /* streams alone must spread too */
    return hash ^ hash >> 32;
}

static bool same_type(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The slot of a row, or the free one where it belongs. */
static uint32_t *find_slot(const struct svp_statistic *statistic, const char *type, bool ai_cpu, int64_t stream_id)
{
    size_t slot = hash_of(type, ai_cpu, stream_id) & (statistic->slot_count - 1);
    while (statistic->slots[slot] != 0) {
        const struct op_statistic *row = &statistic->rows[statistic->slots[slot] - 1];
        if (row->stream_id == stream_id && row->ai_cpu == ai_cpu && same_type(row->type, type))
            break;
        slot = (slot + 1) & (statistic->slot_count - 1);
    }
    return &statistic->slots[slot];
}

/* Makes room for one more row, with at most half of the slots in use. */
static int grow(struct svp_statistic *statistic, struct err *err)
{
    size_t slots = statistic->slot_count == 0 ? FIRST_SLOTS : statistic->slot_count * 2;
    if (slots > UINT32_MAX)
        return err_set(err, ERR_LIMIT, "more than %zu different layer types and streams", statistic->count);
    struct op_statistic *rows = realloc(statistic->rows, slots / 2 * sizeof *rows);
    if (rows == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the operator statistic");
    statistic->rows = rows;
    uint32_t *fresh = calloc(slots, sizeof *fresh);
    if (fresh == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the operator statistic");
    free(statistic->slots);
    statistic->slots = fresh;
    statistic->slot_count = slots;
    statistic->capacity = slots / 2;
    for (size_t i = 0; i < statistic->count; i++) {
        const struct op_statistic *row = &rows[i];
        *find_slot(statistic, row->type, row->ai_cpu, row->stream_id) = (uint32_t)(i + 1);
    }
    return 0;
}

static int find_row(struct svp_statistic *statistic, const char *type, bool ai_cpu, int64_t stream_id, size_t *ret,
                    struct err *err)
{
    int result;
    if (statistic->count == statistic->capacity && (result = grow(statistic, err)) < 0)
        return result;
    uint32_t *slot = find_slot(statistic, type, ai_cpu, stream_id);
    if (*slot == 0) {
        char *copy = type == NULL ? NULL : strdup(type);
        if (type != NULL && copy == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory for the operator statistic");
        statistic->rows[statistic->count] = (struct op_statistic){.type = copy,
                                                                  .ai_cpu = ai_cpu,
                                                                  .stream_id = stream_id,
                                                                  .total_centi_us = DB_NULL,
                                                                  .max_centi_us = DB_NULL,
                                                                  .min_centi_us = DB_NULL};
        *slot = (uint32_t)++statistic->count;
    }
    *ret = *slot - 1;
    return 0;
}

/* As find_row, but asks the memo first. */
static int recall_row(struct svp_statistic *statistic, struct statistic_memo *memo, const char *type, bool ai_cpu,
                      int64_t stream_id, size_t *ret, struct err *err)
{
    size_t i = (size_t)stream_id & (STATISTIC_MEMO_STREAMS - 1);
    if (memo->streams[i].period != statistic->period || memo->streams[i].stream_id != stream_id) {
        int result = find_row(statistic, type, ai_cpu, stream_id, &memo->streams[i].row, err);
        if (result < 0)
            return result;
        memo->streams[i].period = statistic->period;
        memo->streams[i].stream_id = stream_id;
    }
    *ret = memo->streams[i].row;
    return 0;
}

int svp_statistic_credit(struct svp_statistic *statistic, struct statistic_memo *memo, const char *type, bool ai_cpu,
                         int64_t stream_id, int64_t centi_us, struct err *err)
{
    size_t index = 0;
    int result = memo == NULL ? find_row(statistic, type, ai_cpu, stream_id, &index, err)
                              : recall_row(statistic, memo, type, ai_cpu, stream_id, &index, err);
    if (result < 0)
        return result;
    struct op_statistic *row = &statistic->rows[index];
    row->count++;
    row->total_centi_us = add_known(row->total_centi_us, centi_us);
    if (centi_us == DB_NULL)
        return 0;
    if (row->max_centi_us == DB_NULL || centi_us > row->max_centi_us)
        row->max_centi_us = centi_us;
    if (row->min_centi_us == DB_NULL || centi_us < row->min_centi_us)
        row->min_centi_us = centi_us;
    return 0;
}

static int compare_rows(const void *left, const void *right)
{
    const struct op_statistic *a = left, *b = right;
    int order = strcmp(a->type == NULL ? TABLE_MISSING : a->type, b->type == NULL ? TABLE_MISSING : b->type);
    if (order == 0)
        order = (int)a->ai_cpu - (int)b->ai_cpu;
    if (order == 0)
        order = (a->stream_id > b->stream_id) - (a->stream_id < b->stream_id);
    return order;
}

void svp_statistic_sort(struct svp_statistic *statistic)
{
    if (statistic->count > 1)
        qsort(statistic->rows, statistic->count, sizeof *statistic->rows, compare_rows);
}

int64_t svp_statistic_total(const struct svp_statistic *statistic)
{
    int64_t total = DB_NULL;
    for (size_t i = 0; i < statistic->count; i++)
        total = add_known(total, statistic->rows[i].total_centi_us);
    return total;
}
