/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/svp/svp_statistic.h"

#include "base/array.h"
#include "db/database.h"
#include "exporters/export.h"
#include "exporters/reports/svp/svp_metric.h"

#include <stdlib.h>
#include <string.h>

struct row_place {
    struct row_key {
        int64_t stream_id;
        uint32_t type, ai_cpu; /* type: its number + 1; 0: not known */
    } key;
    size_t row;
};

void svp_statistic_init(struct svp_statistic *statistic)
{
    *statistic = (struct svp_statistic){.places = MAP_OF(struct row_place, key), .period = 1};
}

void svp_statistic_release(struct svp_statistic *statistic)
{
    free(statistic->items);
    map_release(&statistic->places);
    intern_release(&statistic->types);
    svp_statistic_init(statistic);
}

void svp_statistic_clear(struct svp_statistic *statistic)
{
    map_clear(&statistic->places);
    statistic->count = 0;
    statistic->period++;
}

static int find_row(struct svp_statistic *statistic, const char *type, bool ai_cpu, int64_t stream_id, size_t *ret,
                    struct err *err)
{
    struct row_key key = {.stream_id = stream_id, .ai_cpu = ai_cpu};
    uint32_t number = 0;
    bool added;
    if (type != NULL && intern_add(&statistic->types, type, strlen(type), &number, err) < 0)
        return -(int)err->code;
    key.type = type != NULL ? number + 1 : 0;
    if (array_reserve(statistic, 1, err) < 0)
        return -(int)err->code;
    struct row_place *place = map_add(&statistic->places, &key, &added, err);
    if (place == NULL)
        return -(int)err->code;
    if (added) {
        place->row = statistic->count++;
        statistic->items[place->row] =
            (struct op_statistic){.type = type != NULL ? statistic->types.items[number].bytes : NULL,
                                  .ai_cpu = ai_cpu,
                                  .stream_id = stream_id,
                                  .total_centi_us = DB_NULL,
                                  .max_centi_us = DB_NULL,
                                  .min_centi_us = DB_NULL};
    }
    *ret = place->row;
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
    struct op_statistic *row = &statistic->items[index];
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
        order = array_order(a->stream_id, b->stream_id);
    return order;
}

void svp_statistic_sort(struct svp_statistic *statistic)
{
    array_sort(statistic->items, statistic->count, sizeof *statistic->items, compare_rows);
}

int64_t svp_statistic_total(const struct svp_statistic *statistic)
{
    int64_t total = DB_NULL;
    for (size_t i = 0; i < statistic->count; i++)
        total = add_known(total, statistic->items[i].total_centi_us);
    return total;
}
