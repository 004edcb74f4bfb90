#include "exporters/svp_metric.h"

_Static_assert((int)METRIC_WLD - (int)METRIC_MAC_BUSY == (int)SVP_WLD - (int)SVP_MAC_BUSY,
               "a metric for each kind of cycles, in the same order");

int64_t add_known(int64_t a, int64_t b)
{
    int64_t sum;
    if (a == DB_NULL)
        return b;
    if (b == DB_NULL)
        return a;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t ratio_known(int64_t numerator, int64_t denominator, unsigned decimals)
{
    if (numerator == DB_NULL || denominator == DB_NULL)
        return DB_NULL;
    return number_ratio(numerator, denominator, decimals);
}

static bool is_known_frequency(int64_t core_khz)
{
    return core_khz != DB_NULL && core_khz > 0;
}

void svp_network_init(struct svp_task *network)
{
    *network = (struct svp_task){.task_id = DB_NULL,
                                 .stream_id = DB_NULL,
                                 .total_cycle = DB_NULL,
                                 .ddr_read_bytes = DB_NULL,
                                 .ddr_write_bytes = DB_NULL};
    for (size_t i = 0; i < SVP_CYCLE_KINDS; i++)
        network->cycles[i] = DB_NULL;
}

void svp_network_add(struct svp_task *network, const struct svp_task *task)
{
    network->total_cycle = add_known(network->total_cycle, task->total_cycle);
    for (size_t i = 0; i < SVP_CYCLE_KINDS; i++)
        network->cycles[i] = add_known(network->cycles[i], task->cycles[i]);
    network->ddr_read_bytes = add_known(network->ddr_read_bytes, task->ddr_read_bytes);
    network->ddr_write_bytes = add_known(network->ddr_write_bytes, task->ddr_write_bytes);
}

int64_t svp_time_centi_us(int64_t total_cycle, int64_t core_khz)
{
    /* cycles / kHz are milliseconds: 10^5 hundredths of a microsecond */
    return is_known_frequency(core_khz) ? ratio_known(total_cycle, core_khz, 5) : DB_NULL;
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
    return ratio_known(memory, larger(cycles[SVP_MAC_BUSY], cycles[SVP_VEC_PPEN]), 2);
}

static int64_t ddr_total_bytes(const struct svp_task *task)
{
    if (task->ddr_read_bytes == DB_NULL || task->ddr_write_bytes == DB_NULL)
        return DB_NULL;
    return add_known(task->ddr_read_bytes, task->ddr_write_bytes);
}

/* In units of 0.0001 GB/s. */
static int64_t bandwidth(const struct svp_task *task, int64_t core_khz)
{
    int64_t bytes = ddr_total_bytes(task), product, divisor;
    if (bytes == DB_NULL || task->total_cycle == DB_NULL || !is_known_frequency(core_khz))
        return DB_NULL;
    /* bytes / ns = bytes * kHz / (cycles * 10^6) */
    if (!__builtin_mul_overflow(bytes, core_khz, &product) && !__builtin_mul_overflow(task->total_cycle, 100, &divisor))
        return number_ratio(product, divisor, 0);
    return number_ratio(bytes, number_scale(task->total_cycle, 1000000, core_khz), 4);
}

struct table_cell svp_metric_cell(enum svp_metric metric, const struct svp_task *task, const struct svp_task *network,
                                  int64_t core_khz)
{
    switch (metric) {
    case METRIC_TIME:
        return cell_number(svp_time_centi_us(task->total_cycle, core_khz), 2);
    case METRIC_TIME_RATIO:
        if (task == network)
            return cell_number(100, 0);
        return cell_number(ratio_known(task->total_cycle, network->total_cycle, 4), 2);
    case METRIC_MAC_BUSY:
    case METRIC_MAC_PPEN:
    case METRIC_VEC_BUSY:
    case METRIC_VEC_PPEN:
    case METRIC_DSTR:
    case METRIC_DTRANS:
    case METRIC_DLD:
    case METRIC_WLD:
        return cell_number(ratio_known(task->cycles[metric - METRIC_MAC_BUSY], task->total_cycle, 4), 2);
    case METRIC_MEMORY_BOUND:
        return cell_number(memory_bound(task), 2);
    case METRIC_BANDWIDTH:
        return cell_number(bandwidth(task, core_khz), 4);
    case METRIC_DDR_READ:
        return cell_number(task->ddr_read_bytes, 0);
    case METRIC_DDR_WRITE:
        return cell_number(task->ddr_write_bytes, 0);
    case METRIC_DDR_TOTAL:
        return cell_number(ddr_total_bytes(task), 0);
    case METRIC_DDR_READ_KB:
        return cell_number(ratio_known(task->ddr_read_bytes, 1000, 2), 2);
    case METRIC_DDR_WRITE_KB:
        return cell_number(ratio_known(task->ddr_write_bytes, 1000, 2), 2);
    case METRIC_DDR_TOTAL_KB:
        return cell_number(ratio_known(ddr_total_bytes(task), 1000, 2), 2);
    }
    return cell_missing();
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
    if (inference->icache_hit == DB_NULL || inference->icache_miss == DB_NULL)
        return 0;
    return number_ratio(inference->icache_miss, add_known(inference->icache_hit, inference->icache_miss), 6);
}

int64_t svp_frequency_mhz(int64_t core_khz)
{
    return is_known_frequency(core_khz) ? number_ratio(core_khz, 1000, 0) : 0;
}
