/* SPDX-License-Identifier: Apache-2.0 */
/* "Communication Time Info" and "Communication Bandwidth Info" of communication.json: of a capture's own, of the
 * frameworks' and of a cluster's. */
#ifndef MSPROF_FEATURES_COMMUNICATION_COMMUNICATION_JSON_H
#define MSPROF_FEATURES_COMMUNICATION_COMMUNICATION_JSON_H

#include "exporters/json_text.h"
#include "features/communication/collective.h"

enum { COMM_ELAPSE, COMM_TRANSIT, COMM_WAIT, COMM_SYNCHRONIZATION, COMM_IDLE, COMM_TIMES };
extern const char *const comm_time_titles[COMM_TIMES];
#define COMM_TRANSPORTS MEDIUM_LOCAL /* as collective_media names them */

struct comm_packet {
    int64_t bytes, count, ns;
};

/* Times and transfers of an operator, or of several together. */
struct comm_info {
    bool total;                                /* of several: it has no start and no share of large packets */
    bool summed;                               /* figures are the doubles of collective, not those that stand here */
    const struct collective *collective;       /* whose packets these are; NULL: they stand here */
    int64_t start_ns;                          /* since 1970 */
    int64_t ns[COMM_TIMES];                    /* enum above */
    int64_t wait_ratio, synchronization_ratio; /* in units of 10^-4 */
    struct comm_transfer {
        int64_t bytes, ns, bandwidth, large_ratio; /* the last two in units of 10^-4 */
        const struct comm_packet *packets;
        uint32_t packet_count;
    } transfers[COMM_TRANSPORTS];
};

/* Writes both members. */
void comm_put_info(struct json_out *json, const struct comm_info *info);
/* The exact sums of an operator, or of all. */
struct comm_info comm_info_of(const struct collective *collective);

/* MB and ms to GB/s, four decimals; and a double to four decimals. */
double comm_bandwidth(double mb, double ms);
double comm_rounded(double value);
/* The share of large packets, four decimals. */
double comm_large_ratio(const struct collective_traffic *traffic);

#endif
