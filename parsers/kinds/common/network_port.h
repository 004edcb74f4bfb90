/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the ports of networks: everything but their names. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_NETWORK_PORT_H
#define MSPROF_PARSERS_KINDS_COMMON_NETWORK_PORT_H

#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_lines.h"

#define NETWORK_PORT_COLUMNS 19

extern const struct column network_port_columns[NETWORK_PORT_COLUMNS];
extern const struct line_format network_port_lines[];
extern const struct sampling network_port_sampling;
extern const struct report_column network_port_table[];
extern const struct series_counter network_port_counters[];
extern const struct exported_column network_port_exported[];

/* The ports of a table, one row each. Totals of errors, and how many samples there are, are those of all ports of the
 * device. */
#define NETWORK_PORT_QUERY(table)                                                                                      \
    {                                                                                                                  \
        .with =                                                                                                        \
            "a AS (SELECT device_id AS device, sum(rx_errors) AS rx_errors, sum(rx_dropped) AS rx_dropped,"            \
            " sum(tx_errors) AS tx_errors, sum(tx_dropped) AS tx_dropped, count(*) AS n FROM " table                   \
            " GROUP BY device_id), p AS (SELECT device_id, func_id, min(id) AS first_id, min(time_ns) AS start_ns,"    \
            " max(time_ns) - min(time_ns) AS t, count(*) AS n, max(rx_bytes) - min(rx_bytes) AS rx_bytes,"             \
            " max(tx_bytes) - min(tx_bytes) AS tx_bytes, sum(rx_packet_rate) AS rx, sum(tx_packet_rate) AS tx,"        \
            " sum(rx_packets) AS rx_packets, sum(tx_packets) AS tx_packets, sum(rx_errors) AS rx_errors,"              \
            " sum(rx_dropped) AS rx_dropped, sum(tx_errors) AS tx_errors, sum(tx_dropped) AS tx_dropped"               \
            " FROM " table " GROUP BY device_id, func_id), q AS (SELECT p.*, f.bandwidth, a.n AS all_n,"               \
            " a.rx_errors AS all_rx_errors FROM p JOIN " table                                                         \
            " AS f ON f.id = p.first_id JOIN a ON a.device IS p.device_id)",                                           \
        .from = "q", .order_by = "device_id, func_id",                                                                 \
    }

#endif
