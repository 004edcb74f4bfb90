/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/svp/svp_metric.h"

#include "base/array.h"
#include "base/number.h"
#include "db/database.h"
#include "exporters/export.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)METRIC_WLD - (int)METRIC_MAC_BUSY == (int)SVP_WLD - (int)SVP_MAC_BUSY,
               "a metric for each kind of cycles, in the same order");

int64_t svp_add_known(int64_t a, int64_t b)
{
    int64_t sum;
    if (a == DB_NULL)
        return b;
    if (b == DB_NULL)
        return a;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t svp_ratio_known(int64_t numerator, int64_t denominator, unsigned decimals)
{
    if (numerator == DB_NULL || denominator == DB_NULL)
        return DB_NULL;
    return number_ratio(numerator, denominator, decimals);
}

static bool is_known_frequency(int64_t core_khz)
{
    return core_khz != DB_NULL && core_khz > 0;
}

void svp_network_of(const struct svp_inference *inference, struct svp_task *ret)
{
    *ret = (struct svp_task){.start_ns = inference->start_ns,
                             .duration_ns = DB_NULL,
                             .stream_id = DB_NULL,
                             .task_id = DB_NULL,
                             .total_cycle = inference->total_cycle,
                             .ddr_read_bytes = inference->ddr_read_bytes,
                             .ddr_write_bytes = inference->ddr_write_bytes};
    memcpy(ret->cycles, inference->cycles, sizeof ret->cycles);
}

int64_t svp_time_centi_us(int64_t total_cycle, int64_t core_khz)
{
    /* cycles / kHz are milliseconds: 10^5 hundredths of a microsecond */
    return is_known_frequency(core_khz) ? svp_ratio_known(total_cycle, core_khz, 5) : DB_NULL;
}

/* The larger of two; DB_NULL when one of them is. */
static int64_t larger(int64_t a, int64_t b)
{
    if (a == DB_NULL || b == DB_NULL)
        return DB_NULL;
    return a > b ? a : b;
}

static int64_t memory_bound(const struct svp_task *task)
{
    const int64_t *cycles = task->cycles;
    int64_t memory = larger(larger(cycles[SVP_DSTR], cycles[SVP_DLD]), cycles[SVP_WLD]);
    /* The percentages share the denominator total_cycle, so their ratio is that of the cycles. */
    return svp_ratio_known(memory, larger(cycles[SVP_MAC_BUSY], cycles[SVP_VEC_PPEN]), 2);
}

static int64_t ddr_total_bytes(const struct svp_task *task)
{
    if (task->ddr_read_bytes == DB_NULL || task->ddr_write_bytes == DB_NULL)
        return DB_NULL;
    return svp_add_known(task->ddr_read_bytes, task->ddr_write_bytes);
}

#define KB 1024 /* of the board's tool: a tensor of 2560 * 1024 bytes is 2560 there */
#define GB (INT64_C(1) << 30)

/* In units of 0.0001 GB/s: the board's tool multiplies the GB of an inference by how many there are in a second, whole
 * as Fps is; not known where the network takes longer than a second. */
static int64_t bandwidth(const struct svp_task *task, const struct svp_task *network, int64_t core_khz)
{
    const int64_t bytes = ddr_total_bytes(task), inferences = svp_frames_per_second(1, network, core_khz);
    if (bytes == DB_NULL || inferences == DB_NULL || inferences == 0)
        return DB_NULL;
    return number_ratio(number_multiply(bytes, inferences), GB, 4);
}

int64_t svp_metric_value(enum svp_metric metric, const struct svp_task *task, const struct svp_task *network,
                         int64_t core_khz)
{
    switch (metric) {
    case METRIC_TIME:
        return svp_time_centi_us(task->total_cycle, core_khz);
    case METRIC_TIME_RATIO:
        return task == network ? 10000 : svp_ratio_known(task->total_cycle, network->total_cycle, 4);
    case METRIC_MAC_BUSY:
    case METRIC_MAC_PPEN:
    case METRIC_VEC_BUSY:
    case METRIC_VEC_PPEN:
    case METRIC_DSTR:
    case METRIC_DTRANS:
    case METRIC_DLD:
    case METRIC_WLD:
        return svp_ratio_known(task->cycles[metric - METRIC_MAC_BUSY], task->total_cycle, 4);
    case METRIC_MEMORY_BOUND:
        return memory_bound(task);
    case METRIC_BANDWIDTH:
        return bandwidth(task, network, core_khz);
    case METRIC_DDR_READ:
        return task->ddr_read_bytes;
    case METRIC_DDR_WRITE:
        return task->ddr_write_bytes;
    case METRIC_DDR_TOTAL:
        return ddr_total_bytes(task);
    case METRIC_DDR_READ_KB:
        return svp_ratio_known(task->ddr_read_bytes, KB, 2);
    case METRIC_DDR_WRITE_KB:
        return svp_ratio_known(task->ddr_write_bytes, KB, 2);
    case METRIC_DDR_TOTAL_KB:
        return svp_ratio_known(ddr_total_bytes(task), KB, 2);
    }
    return DB_NULL;
}

int64_t svp_frames_per_second(int64_t batch_num, const struct svp_task *network, int64_t core_khz)
{
    int64_t frames;
    if (batch_num == DB_NULL || batch_num < 0 || network->total_cycle == DB_NULL || network->total_cycle <= 0 ||
        !is_known_frequency(core_khz) || __builtin_mul_overflow(batch_num, 1000, &frames))
        return DB_NULL;
    return number_scale(frames, core_khz, network->total_cycle);
}

int64_t svp_icache_miss_millionths(const struct svp_inference *inference)
{
    return inference->icache_miss_ppm != DB_NULL ? inference->icache_miss_ppm : 0;
}

int64_t svp_frequency_mhz(int64_t core_khz)
{
    return is_known_frequency(core_khz) ? number_ratio(core_khz, 1000, 0) : 0;
}

/* ---- svp statistic ---- */

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
    if (type != NULL && intern_text(&statistic->types, type, &number, err) < 0)
        return err_status(err);
    key.type = type != NULL ? number + 1 : 0;
    if (array_reserve(statistic, 1, err) < 0)
        return err_status(err);
    struct row_place *place = map_add(&statistic->places, &key, &added, err);
    if (place == NULL)
        return err_status(err);
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
        if (find_row(statistic, type, ai_cpu, stream_id, &memo->streams[i].row, err) < 0)
            return err_status(err);
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
    row->total_centi_us = svp_add_known(row->total_centi_us, centi_us);
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
        total = svp_add_known(total, statistic->items[i].total_centi_us);
    return total;
}
