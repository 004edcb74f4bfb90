/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic of the ports of the unified bus: ub.data. */
#include "parsers/kinds/common/sample.h"

static const struct column columns[] = {
    SAMPLE_COLUMNS("start_us", "Microseconds since the collection began."),
    NUMBER_COLUMN("port", "Port", "The port."),
    NUMBER_COLUMN("rx_udma", "DMA received", "Bandwidth that DMA received, MB a second."),
    NUMBER_COLUMN("tx_udma", "DMA sent", "Bandwidth that DMA sent, MB a second."),
    NUMBER_COLUMN("rx_bandwidth", "Port bandwidth received", "Traffic that the port received, as it is recorded."),
    NUMBER_COLUMN("rx_packet_rate", "Packets received a second", "Packets received a second."),
    BYTES_COLUMN("rx_bytes", "Received", "Received since the start of the device."),
    NUMBER_COLUMN("rx_packets", "Packets received", "Packets that the port received."),
    NUMBER_COLUMN("rx_errors", "Errors received", "Packets received with errors."),
    NUMBER_COLUMN("rx_dropped", "Dropped when received", "Packets dropped when they were received."),
    NUMBER_COLUMN("tx_bandwidth", "Port bandwidth sent", "Traffic that the port sent, as it is recorded."),
    NUMBER_COLUMN("tx_packet_rate", "Packets sent a second", "Packets sent a second."),
    BYTES_COLUMN("tx_bytes", "Sent", "Sent since the start of the device."),
    NUMBER_COLUMN("tx_packets", "Packets sent", "Packets that the port sent."),
    NUMBER_COLUMN("tx_errors", "Errors sent", "Packets sent with errors."),
    NUMBER_COLUMN("tx_dropped", "Dropped when sent", "Packets dropped when they were sent."),
};

static const struct field fields[] = {
    FIELD("port", 4, 2),         FIELD("start_us", 8, 8),      FIELD("rx_udma", 16, 8),
    FIELD("tx_udma", 24, 8),     FIELD("rx_bandwidth", 32, 8), FIELD("rx_packet_rate", 40, 8),
    FIELD("rx_bytes", 48, 8),    FIELD("rx_packets", 56, 8),   FIELD("rx_errors", 64, 8),
    FIELD("rx_dropped", 72, 8),  FIELD("tx_bandwidth", 80, 8), FIELD("tx_packet_rate", 88, 8),
    FIELD("tx_bytes", 96, 8),    FIELD("tx_packets", 104, 8),  FIELD("tx_errors", 112, 8),
    FIELD("tx_dropped", 120, 8),
};

static const struct exported_column ub_columns[] = {
    {"deviceId", "device_id", EXPORTED_NUMERIC},           {"portId", "port", EXPORTED_NUMERIC},
    {"timestampNs", "time_ns", EXPORTED_NUMERIC},          {"rxUdmaBind", "rx_udma * 1048576", EXPORTED_NUMERIC},
    {"txUdmaBind", "tx_udma * 1048576", EXPORTED_NUMERIC}, {.name = NULL},
};

const struct record_kind kind_ub = {
    OWN_TABLE("ub"),
    .families = FAMILY_CANN,
    .title = "Traffic of the unified bus",
    .doc = "Traffic of a port of the unified bus, on chips 15 and 16.",
    .patterns = (const char *const[]){"ub.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("ub-128", 128, fields, "docs/formats/system.md 11: 128 bytes")),
    SAMPLES_OF(.stamps = {{"start_us", CLOCK_START_US}}, .keys = {"port"}),
    ONE_SERIES(.name = "ub", .title = "Ports of the unified bus",
               .doc = "Traffic of DMA over each port of the unified bus.", .query = {.order_by = "device_id, id"},
               .columns = VALUE_LIST({"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
                                     {"PortId", "port", .flags = REPORT_NUMBER, .doc = "The port."},
                                     {"TimeStamp", "time_ns", FORM_TIME, .doc = "When, in microseconds."},
                                     {"UBRxPortBandWidth(MB/s)", "rx_udma", .flags = REPORT_NUMBER,
                                      .doc = "Bandwidth that DMA received over it."},
                                     {"UBTxPortBandWidth(MB/s)", "tx_udma", .flags = REPORT_NUMBER,
                                      .doc = "Bandwidth that DMA sent over it."}),
               .process = "UB", .number = LAYER_UB,
               .counters =
                   ONE_COUNTER(.name = "'UB Port' || CASE WHEN port < 100 THEN substr('00' || port, -3) ELSE port END",
                               .values = VALUE_LIST({"bandwidth_rx(MB/s)", "rx_udma", .form = FORM_TEXT},
                                                    {"bandwidth_tx(MB/s)", "tx_udma", .form = FORM_TEXT}))),
    EXPORTED_TABLE(.name = "UB", .columns = ub_columns, .query = {.order_by = "id"}),
};
