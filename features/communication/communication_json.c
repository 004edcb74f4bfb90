/* SPDX-License-Identifier: Apache-2.0 */
#include "features/communication/communication_json.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MS = 6, US = 3, MB = 6, RATIO = 4 }; /* decimals of ns, bytes and ratios in these units */

const char *const comm_time_titles[COMM_TIMES] = {"Elapse Time(ms)", "Transit Time(ms)", "Wait Time(ms)",
                                                  "Synchronization Time(ms)", "Idle Time(ms)"};

/* To four decimals, as the nearest double. */
double comm_rounded(double value)
{
    enum { SCALE = 10000 };
    char text[400];
    double scaled = value * SCALE, whole = nearbyint(scaled);
    /* Neither near the middle of two nor so long that this cannot be seen. */
    if (fabs(scaled) < 1e9 && fabs(fabs(scaled - whole) - 0.5) > 1e-6)
        return whole / SCALE;
    snprintf(text, sizeof text, "%.4f", value);
    return strtod(text, NULL);
}

/* a / (a + b), four decimals; 0 of nothing. */
static double ratio(double a, double b)
{
    return a + b > 0 ? comm_rounded(a / (a + b)) : 0;
}

double comm_bandwidth(double mb, double ms)
{
    return ms > 0 ? comm_rounded(mb / 1000 / (ms / 1000)) : 0;
}

double comm_large_ratio(const struct collective_traffic *traffic)
{
    return traffic->packets > 0 ? comm_rounded((double)traffic->large / (double)traffic->packets) : 0;
}

static void put_number(struct json_out *json, const char *key, const struct comm_info *info, int64_t exact,
                       unsigned decimals, double summed)
{
    if (info->summed)
        json_put_real(json, key, summed);
    else
        json_put_decimal(json, key, exact, decimals);
}

static void put_times(struct json_out *json, const struct comm_info *info)
{
    double ms[COMM_TIMES] = {0};
    if (info->summed) {
        const struct collective_times *times = &info->collective->times;
        ms[COMM_ELAPSE] = times->ms.elapse;
        ms[COMM_TRANSIT] = times->ms.transit;
        ms[COMM_WAIT] = times->ms.wait;
        ms[COMM_SYNCHRONIZATION] = times->ms.synchronization;
        ms[COMM_IDLE] = times->ms.idle;
    }
    json_put_begin(json, "Communication Time Info", '{');
    if (!info->total && info->summed)
        json_put_format(json, "Start Timestamp(us)", "%lld.%03d", (long long)(info->start_ns / 1000),
                        (int)(info->start_ns % 1000));
    else if (!info->total)
        json_put_decimal(json, "Start Timestamp(us)", info->start_ns, US);
    for (size_t i = 0; i < COMM_TIMES; i++)
        put_number(json, comm_time_titles[i], info, info->ns[i], MS, ms[i]);
    put_number(json, "Wait Time Ratio", info, info->wait_ratio, RATIO, ratio(ms[COMM_WAIT], ms[COMM_TRANSIT]));
    put_number(json, "Synchronization Time Ratio", info, info->synchronization_ratio, RATIO,
               ratio(ms[COMM_SYNCHRONIZATION], ms[COMM_TRANSIT]));
    json_put_end(json, '}');
}

/* As Python prints size / 10^6: small ones with an exponent, whole ones with a zero. */
static void print_size(char text[NUMBER_MAX + 8], int64_t bytes)
{
    const bool small = bytes > 0 && bytes < 100;
    char *end = number_put_shortest(text, bytes, !small ? MB : bytes < 10 ? 0 : 1);
    const char *behind = small ? bytes < 10 ? "e-06" : "e-05" : bytes % 1000000 == 0 ? ".0" : "";
    memcpy(end, behind, strlen(behind) + 1);
}

static void put_packets(struct json_out *json, const struct comm_info *info, size_t transport)
{
    const struct comm_transfer *transfer = &info->transfers[transport];
    const struct collective_sizes *sizes = info->collective != NULL ? &info->collective->media[transport].sizes : NULL;
    const size_t count = sizes != NULL ? sizes->count : transfer->packet_count;
    char size[NUMBER_MAX + 8];
    json_put_begin(json, "Size Distribution", '{');
    for (size_t i = 0; i < count; i++) {
        const struct comm_packet packet =
            sizes != NULL ? (struct comm_packet){sizes->items[i].bytes, sizes->items[i].count,
                                                 collective_ns(info->collective, sizes->items[i].ticks)}
                          : transfer->packets[i];
        print_size(size, packet.bytes);
        json_put_begin(json, size, '[');
        json_put_decimal(json, NULL, packet.count, 0);
        put_number(json, NULL, info, packet.ns, MS, sizes != NULL ? sizes->items[i].ms : 0);
        json_put_end(json, ']');
    }
    json_put_end(json, '}');
}

/* A cluster's totals have the time before the size, the frameworks' no bandwidth. */
static void put_transfer(struct json_out *json, const struct comm_info *info, size_t transport)
{
    static const struct collective_traffic nothing;
    const struct collective_traffic *summed = info->summed ? &info->collective->media[transport] : &nothing;
    const struct comm_transfer *transfer = &info->transfers[transport];
    const bool time_first = info->total && !info->summed;
    json_put_begin(json, collective_media[transport], '{');
    if (time_first)
        put_number(json, "Transit Time(ms)", info, transfer->ns, MS, summed->ms);
    put_number(json, "Transit Size(MB)", info, transfer->bytes, MB, summed->mb);
    if (!time_first)
        put_number(json, "Transit Time(ms)", info, transfer->ns, MS, summed->ms);
    if (!info->total || !info->summed)
        put_number(json, "Bandwidth(GB/s)", info, transfer->bandwidth, RATIO, comm_bandwidth(summed->mb, summed->ms));
    if (!info->total)
        put_number(json, "Large Packet Ratio", info, transfer->large_ratio, RATIO, comm_large_ratio(summed));
    put_packets(json, info, transport);
    json_put_end(json, '}');
}

void comm_put_info(struct json_out *json, const struct comm_info *info)
{
    put_times(json, info);
    json_put_begin(json, "Communication Bandwidth Info", '{');
    for (size_t i = 0; i < COMM_TRANSPORTS; i++)
        put_transfer(json, info, i);
    json_put_end(json, '}');
}

struct comm_info comm_info_of(const struct collective *collective)
{
    const struct collective_times *times = &collective->times;
    const int64_t transit = times->transit_ticks, wait = times->wait_ticks,
                  synchronization = times->synchronization_ticks;
    struct comm_info info = {.collective = collective,
                             .start_ns = times->start_ns,
                             .ns = {collective_ns(collective, times->elapse_ticks), collective_ns(collective, transit),
                                    collective_ns(collective, wait), collective_ns(collective, synchronization),
                                    collective_ns(collective, collective_idle_ticks(times))},
                             .wait_ratio = number_ratio(wait, number_add(wait, transit), RATIO),
                             .synchronization_ratio =
                                 number_ratio(synchronization, number_add(synchronization, transit), RATIO)};
    for (size_t i = 0; i < COMM_TRANSPORTS; i++) {
        const struct collective_traffic *traffic = &collective->media[i];
        const int64_t ns = collective_ns(collective, traffic->ticks);
        info.transfers[i] =
            (struct comm_transfer){.bytes = traffic->bytes,
                                   .ns = ns,
                                   .bandwidth = number_ratio(traffic->bytes, ns, RATIO),
                                   .large_ratio = number_ratio(traffic->large, traffic->packets, RATIO)};
    }
    return info;
}
