/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of a device's network: netdev_stats.data. Only the exported database shows them. */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_lines.h"

static const struct column columns[] = {
    SAMPLE_COLUMNS("device_ns", "The monotonic clock of the device."),
    NUMBER_COLUMN("mac_tx_pfc_packets", "Pause frames sent", "Pause frames sent so far."),
    NUMBER_COLUMN("mac_rx_pfc_packets", "Pause frames received", "Pause frames received so far."),
    NUMBER_COLUMN("mac_tx_bytes", "Bytes sent by the MAC", "Bytes sent by the MAC so far."),
    NUMBER_COLUMN("mac_rx_bytes", "Bytes received by the MAC", "Bytes received by the MAC so far."),
    NUMBER_COLUMN("mac_tx_bad_bytes", "Bytes of bad packets sent", "Bytes of bad packets sent so far."),
    NUMBER_COLUMN("mac_rx_bad_bytes", "Bytes of bad packets received", "Bytes of bad packets received so far."),
    NUMBER_COLUMN("roce_tx_packets", "RoCE packets sent", "RoCE packets sent so far."),
    NUMBER_COLUMN("roce_rx_packets", "RoCE packets received", "RoCE packets received so far."),
    NUMBER_COLUMN("roce_tx_error_packets", "RoCE packets sent with errors", "RoCE packets sent with errors so far."),
    NUMBER_COLUMN("roce_rx_error_packets", "RoCE packets received with errors",
                  "RoCE packets received with errors so far."),
    NUMBER_COLUMN("roce_tx_cnp_packets", "Congestion packets sent", "Congestion packets sent so far."),
    NUMBER_COLUMN("roce_rx_cnp_packets", "Congestion packets received", "Congestion packets received so far."),
    NUMBER_COLUMN("roce_retried_packets", "RoCE packets sent again", "RoCE packets sent again so far."),
    NUMBER_COLUMN("nic_tx_bytes", "Bytes sent by the NIC", "Bytes sent by the NIC so far."),
    NUMBER_COLUMN("nic_rx_bytes", "Bytes received by the NIC", "Bytes received by the NIC so far."),
};

/* Bytes a second since the sample before; of the first, and where a counter fell, 0. */
#define RATE(bytes)                                                                                                    \
    "coalesce(max(0, (" bytes " - lag(" bytes ") OVER (PARTITION BY device_id ORDER BY id)) * 1e9 / (time_ns -"        \
    " lag(time_ns) OVER (PARTITION BY device_id ORDER BY id))), 0)"

const struct record_kind kind_netdev_stats = {
    OWN_TABLE("netdev_stats"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Counters of the network of a device",
    .doc = "Traffic that a device has sent and received so far, by layer. Text lines of a time and fifteen numbers.",
    .patterns = (const char *const[]){"netdev_stats.data.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LINES({"{device_ns} {mac_tx_pfc_packets} {mac_rx_pfc_packets} {mac_tx_bytes} {mac_rx_bytes} {mac_tx_bad_bytes} "
           "{mac_rx_bad_bytes} {roce_tx_packets} {roce_rx_packets} {roce_tx_error_packets} {roce_rx_error_packets} "
           "{roce_tx_cnp_packets} {roce_rx_cnp_packets} {roce_retried_packets} {nic_tx_bytes} {nic_rx_bytes}",
           LINE_ROW}),
    SAMPLED_BY(.stamps = {{"device_ns", CLOCK_DEVICE_NS}},
               .counters = {"mac_tx_bytes", "mac_rx_bytes", "nic_tx_bytes", "nic_rx_bytes"}),
    EXPORTED_TABLE(.name = "NETDEV_STATS",
                   .columns = EXPORTED_COLUMNS({"deviceId", "device_id", EXPORTED_INTEGER},
                                               {"timestampNs", "time_ns", EXPORTED_INTEGER},
                                               {"macTxPfcPkt", "mac_tx_pfc_packets", EXPORTED_INTEGER},
                                               {"macRxPfcPkt", "mac_rx_pfc_packets", EXPORTED_INTEGER},
                                               {"macTxByte", "mac_tx_bytes", EXPORTED_INTEGER},
                                               {"macTxBandwidth", RATE("mac_tx_bytes"), EXPORTED_NUMERIC},
                                               {"macRxByte", "mac_rx_bytes", EXPORTED_INTEGER},
                                               {"macRxBandwidth", RATE("mac_rx_bytes"), EXPORTED_NUMERIC},
                                               {"macTxBadByte", "mac_tx_bad_bytes", EXPORTED_INTEGER},
                                               {"macRxBadByte", "mac_rx_bad_bytes", EXPORTED_INTEGER},
                                               {"roceTxPkt", "roce_tx_packets", EXPORTED_INTEGER},
                                               {"roceRxPkt", "roce_rx_packets", EXPORTED_INTEGER},
                                               {"roceTxErrPkt", "roce_tx_error_packets", EXPORTED_INTEGER},
                                               {"roceRxErrPkt", "roce_rx_error_packets", EXPORTED_INTEGER},
                                               {"roceTxCnpPkt", "roce_tx_cnp_packets", EXPORTED_INTEGER},
                                               {"roceRxCnpPkt", "roce_rx_cnp_packets", EXPORTED_INTEGER},
                                               {"roceNewPktRty", "roce_retried_packets", EXPORTED_INTEGER},
                                               {"nicTxByte", "nic_tx_bytes", EXPORTED_INTEGER},
                                               {"nicTxBandwidth", RATE("nic_tx_bytes"), EXPORTED_NUMERIC},
                                               {"nicRxByte", "nic_rx_bytes", EXPORTED_INTEGER},
                                               {"nicRxBandwidth", RATE("nic_rx_bytes"), EXPORTED_NUMERIC}),
                   .query = {.order_by = "id"}),
};
