/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic of the ports of the unified bus: ub.data. */
#include "parsers/kinds/common/sample.h"

static const struct column columns[] = {
    FILE_COLUMN,
    DEVICE_COLUMN,
    STAMP_COLUMN("start_us", "Microseconds since the collection began."),
    TIME_COLUMN,
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
    {.column = "port", .offset = 4, .width = 2},          {.column = "start_us", .offset = 8, .width = 8},
    {.column = "rx_udma", .offset = 16, .width = 8},      {.column = "tx_udma", .offset = 24, .width = 8},
    {.column = "rx_bandwidth", .offset = 32, .width = 8}, {.column = "rx_packet_rate", .offset = 40, .width = 8},
    {.column = "rx_bytes", .offset = 48, .width = 8},     {.column = "rx_packets", .offset = 56, .width = 8},
    {.column = "rx_errors", .offset = 64, .width = 8},    {.column = "rx_dropped", .offset = 72, .width = 8},
    {.column = "tx_bandwidth", .offset = 80, .width = 8}, {.column = "tx_packet_rate", .offset = 88, .width = 8},
    {.column = "tx_bytes", .offset = 96, .width = 8},     {.column = "tx_packets", .offset = 104, .width = 8},
    {.column = "tx_errors", .offset = 112, .width = 8},   {.column = "tx_dropped", .offset = 120, .width = 8},
};

static const struct layout layouts[] = {{
    .name = "ub-128",
    .source = "docs/formats/system.md 11: 128 bytes",
    .record_size = 128,
    FIELDS_OF(fields),
}};

static const struct sampling sampling = {.stamps = {{"start_us", CLOCK_START_US}}, .keys = {"port"}};

static const struct report_column table[] = {
    {"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
    {"PortId", "port", .flags = REPORT_NUMBER, .doc = "The port."},
    {"TimeStamp", "time_ns", FORM_TIME, .doc = "When, in microseconds."},
    {"UBRxPortBandWidth(MB/s)", "rx_udma", .flags = REPORT_NUMBER, .doc = "Bandwidth that DMA received over it."},
    {"UBTxPortBandWidth(MB/s)", "tx_udma", .flags = REPORT_NUMBER, .doc = "Bandwidth that DMA sent over it."},
    {.title = NULL},
};

static const struct report_column bandwidths[] = {
    {"bandwidth_rx(MB/s)", "rx_udma", .form = FORM_TEXT},
    {"bandwidth_tx(MB/s)", "tx_udma", .form = FORM_TEXT},
    {.title = NULL},
};

static const struct series_counter counters[] = {
    {.name = "'UB Port' || CASE WHEN port < 100 THEN substr('00' || port, -3) ELSE port END", .values = bandwidths},
    {.name = NULL},
};

static const struct series_report series[] = {
    {
        .name = "ub",
        .title = "Ports of the unified bus",
        .doc = "Traffic of DMA over each port of the unified bus.",
        .query = {.order_by = "device_id, id"},
        .columns = table,
        .process = "UB",
        .process_order = 30,
        .counters = counters,
    },
    {.name = NULL},
};

static const struct exported_column ub_columns[] = {
    {"deviceId", "device_id", EXPORTED_NUMERIC},           {"portId", "port", EXPORTED_NUMERIC},
    {"timestampNs", "time_ns", EXPORTED_NUMERIC},          {"rxUdmaBind", "rx_udma * 1048576", EXPORTED_NUMERIC},
    {"txUdmaBind", "tx_udma * 1048576", EXPORTED_NUMERIC}, {.name = NULL},
};

const struct record_kind kind_ub = {
    .name = "ub",
    .families = FAMILY_CANN,
    .table = "ub",
    .title = "Traffic of the unified bus",
    .doc = "Traffic of a port of the unified bus, on chips 15 and 16.",
    .patterns = (const char *const[]){"ub.data.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &sample_hooks,
    .sampling = &sampling,
    .series = series,
    EXPORTED_TABLE(.name = "UB", .columns = ub_columns, .query = {.order_by = "id"}),
};
