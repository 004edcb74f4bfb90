/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/network_port.h"

const struct column network_port_columns[] = {
    SAMPLE_COLUMNS("device_ns", "The monotonic clock of the device."),
    SPAN_COLUMN,
    NUMBER_COLUMN("bandwidth", "Bandwidth", "Capacity of the port, megabits a second."),
    NUMBER_COLUMN("rx_packet_rate", "Packets received", "Packets received in a second."),
    NUMBER_COLUMN("rx_byte_rate", "Bytes received", "Bytes received in a second."),
    NUMBER_COLUMN("rx_packets", "Packets received so far", "Packets received so far."),
    BYTES_COLUMN("rx_bytes", "Bytes received so far", "Bytes received so far."),
    NUMBER_COLUMN("rx_errors", "Receive errors", "Packets received with errors so far."),
    NUMBER_COLUMN("rx_dropped", "Received and dropped", "Packets received and dropped so far."),
    NUMBER_COLUMN("tx_packet_rate", "Packets sent", "Packets sent in a second."),
    NUMBER_COLUMN("tx_byte_rate", "Bytes sent", "Bytes sent in a second."),
    NUMBER_COLUMN("tx_packets", "Packets sent so far", "Packets sent so far."),
    BYTES_COLUMN("tx_bytes", "Bytes sent so far", "Bytes sent so far."),
    NUMBER_COLUMN("tx_errors", "Send errors", "Packets that were not sent for an error so far."),
    NUMBER_COLUMN("tx_dropped", "Sends dropped", "Packets that were dropped instead of sent so far."),
    NUMBER_COLUMN("func_id", "Port", "The number of the port; 0 where the file gives none."),
};

#define FOURTEEN                                                                                                       \
    "{device_ns}: {bandwidth} {rx_packet_rate} {rx_byte_rate} {rx_packets} {rx_bytes} {rx_errors} {rx_dropped}"        \
    " {tx_packet_rate} {tx_byte_rate} {tx_packets} {tx_bytes} {tx_errors} {tx_dropped}"

const struct line_format network_port_lines[] = {
    {FOURTEEN " {func_id}", LINE_ROW | LINE_ALIKE},
    {FOURTEEN, LINE_ROW | LINE_ALIKE},
    {FOURTEEN " {func_id} {*1}", LINE_ROW | LINE_ALIKE}, /* the type of the port */
    {"{*}rxPacket/s{*}", LINE_HEADING},
    {.pattern = NULL},
};

const struct sampling network_port_sampling = {
    .stamps = {{"device_ns", CLOCK_DEVICE_NS}},
    .keys = {"func_id"},
    .counters = {"rx_packets", "rx_bytes", "tx_packets", "tx_bytes"},
};

/* A port of one sample has no span: its rates are those of its own counters. */
#define OF_SPAN(many, one) "CASE WHEN n > 1 THEN " many " ELSE " one " END"
#define EFFICIENCY(bytes) OF_SPAN("quantize(ratio(" bytes " * 8.0, t * (bandwidth * 1024.0 * 1024)), 3)", "0.0")
#define PACKETS(rate) OF_SPAN("quantize(ratio(" rate ", t), 3)", rate)
#define SHARE(many, rate, one, packets)                                                                                \
    OF_SPAN("quantize(ratio(" many ", " rate "), 3) * 100", "ratio(" one ", " packets ")")

const struct report_column network_port_table[] = {
    {"Device_id", "device_id", .doc = "The device."},
    {"Timestamp(us)", "start_ns", .form = FORM_TIME, .doc = "When the first sample of the port was taken."},
    {"Bandwidth(MB/s)", "bandwidth * 1.0", .form = FORM_FLOAT, .doc = "Capacity of the port, megabits a second."},
    {"Rx Bandwidth efficiency(%)", EFFICIENCY("rx_bytes"), FORM_SHORTEST, 3,
     .doc = "Received traffic as a share of the capacity."},
    {"rxPacket/s", PACKETS("rx"), FORM_SHORTEST, 3, .doc = "Packets received by time."},
    {"rxError rate(%)", SHARE("all_rx_errors * 1.0 / all_n", "rx", "rx_errors", "rx_packets"), FORM_SHORTEST, 3,
     .doc = "Packets received with errors."},
    {"rxDropped rate(%)", SHARE("rx_dropped * 1.0 / n", "rx", "rx_dropped", "rx_packets"), FORM_SHORTEST, 3,
     .doc = "Packets received and dropped."},
    {"Tx Bandwidth efficiency(%)", EFFICIENCY("tx_bytes"), FORM_SHORTEST, 3,
     .doc = "Sent traffic as a share of the capacity."},
    {"txPacket/s", PACKETS("tx"), FORM_SHORTEST, 3, .doc = "Packets sent by time."},
    {"txError rate(%)", SHARE("tx_errors * 1.0 / n", "tx", "tx_errors", "tx_packets"), FORM_SHORTEST, 3,
     .doc = "Packets not sent for an error."},
    {"txDropped rate(%)", SHARE("tx_dropped", "tx", "tx_dropped", "tx_packets"), FORM_SHORTEST, 3,
     .doc = "Packets dropped instead of sent."},
    {"funcId", "func_id", .doc = "The number of the port."},
    {.title = NULL},
};

#define LOAD(direction) "quantize(" direction "_byte_rate * 8 / (bandwidth * 1024.0 * 1024), 3)", .form = FORM_FLOAT

const struct series_counter network_port_counters[] = {
    {.name = "'Port ' || func_id || '/Rx'",
     .values =
         VALUE_LIST({"Rx Bandwidth Efficiency", LOAD("rx")}, {"Rx Packets", "rx_packet_rate * 1.0", .form = FORM_FLOAT},
                    {"Rx Error Rate", "ratio(rx_errors, rx_packets)", .form = FORM_FLOAT},
                    {"Rx Dropped Rate", "ratio(rx_dropped, rx_packets)", .form = FORM_FLOAT}),
     .query = {.where = "bandwidth > 0"}},
    {.name = "'Port ' || func_id || '/Tx'",
     .values =
         VALUE_LIST({"Tx Bandwidth Efficiency", LOAD("tx")}, {"Tx Packets", "tx_packet_rate * 1.0", .form = FORM_FLOAT},
                    {"Tx Error Rate", "ratio(tx_errors, tx_packets)", .form = FORM_FLOAT},
                    {"Tx Dropped Rate", "ratio(tx_dropped, tx_packets)", .form = FORM_FLOAT}),
     .query = {.where = "bandwidth > 0"}},
    {.name = NULL},
};

/* The bandwidth of a port is given in units of 1024 * 1024 bits. */
const struct exported_column network_port_exported[] = {
    {"deviceId", "device_id", EXPORTED_INTEGER},
    {"timestampNs", "time_ns", EXPORTED_INTEGER},
    {"bandwidth", "bandwidth * 1048576", EXPORTED_INTEGER},
    {"rxPacketRate", "rx_packet_rate", EXPORTED_NUMERIC},
    {"rxByteRate", "rx_byte_rate", EXPORTED_NUMERIC},
    {"rxPackets", "rx_packets", EXPORTED_INTEGER},
    {"rxBytes", "rx_bytes", EXPORTED_INTEGER},
    {"rxErrors", "rx_errors", EXPORTED_INTEGER},
    {"rxDropped", "rx_dropped", EXPORTED_INTEGER},
    {"txPacketRate", "tx_packet_rate", EXPORTED_NUMERIC},
    {"txByteRate", "tx_byte_rate", EXPORTED_NUMERIC},
    {"txPackets", "tx_packets", EXPORTED_INTEGER},
    {"txBytes", "tx_bytes", EXPORTED_INTEGER},
    {"txErrors", "tx_errors", EXPORTED_INTEGER},
    {"txDropped", "tx_dropped", EXPORTED_INTEGER},
    {"funcId", "func_id", EXPORTED_INTEGER},
    {.name = NULL},
};
