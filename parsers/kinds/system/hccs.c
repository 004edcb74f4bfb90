/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic of the links between devices: hccs.data. */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_lines.h"

static const struct column columns[] = {
    SAMPLE_COLUMNS("device_ns", "The monotonic clock of the device."),
    SPAN_COLUMN,
    BYTES_COLUMN("tx_bytes", "Sent", "Bytes sent so far."),
    BYTES_COLUMN("rx_bytes", "Received", "Bytes received so far."),
};

/* Rates between samples; the last one is left out, as Ascend's tool does. */
#define RATES                                                                                                          \
    "d AS (SELECT id, device_id, time_ns, span_ns, tx_bytes - lag(tx_bytes) OVER w AS tx, rx_bytes - lag(rx_bytes)"    \
    " OVER w AS rx FROM hccs WINDOW w AS (PARTITION BY device_id ORDER BY id)),"                                       \
    " p AS (SELECT *, row_number() OVER (PARTITION BY device_id ORDER BY id DESC) AS back, count(*) OVER (PARTITION"   \
    " BY device_id) AS pairs FROM d WHERE tx >= 0 AND rx >= 0 AND span_ns > 0),"                                       \
    " r AS (SELECT device_id, time_ns, quantize(tx / (span_ns / (1e9 / 1024 / 1024)), 3) AS tx,"                       \
    " quantize(rx / (span_ns / (1e9 / 1024 / 1024)), 3) AS rx FROM p WHERE back > 1 OR pairs = 1)"

static const struct report_column table[] = {
    {"Device_id", "device_id", .doc = "The device."},          {"Mode", "mode", .doc = "Sent (Tx) or received (Rx)."},
    {"Max", "most", FORM_SHORTEST, 3, .doc = "The most."},     {"Min", "least", FORM_SHORTEST, 3, .doc = "The least."},
    {"Average", "mean", FORM_SHORTEST, 3, .doc = "The mean."}, {.title = NULL},
};

const struct record_kind kind_hccs = {
    OWN_TABLE("hccs"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Traffic of the links between devices",
    .doc = "Bytes that a device has sent and received over its HCCS links. Text lines \"<ns>: <sent> <received>\".",
    .patterns = (const char *const[]){"hccs.data.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LINES({"{device_ns}: {tx_bytes} {rx_bytes}", LINE_ROW}, {"{*}", LINE_HEADING}),
    /* a link moves cache lines: no byte is lost between two readings of one value */
    SAMPLED_BY(.stamps = {{"device_ns", CLOCK_DEVICE_NS}}, .counters = {"tx_bytes", "rx_bytes"}, .step = 64),
    ONE_SERIES(.name = "hccs", .title = "Links between devices", .doc = "Bandwidth of the HCCS links of a device.",
               .query =
                   {
                       .with = RATES,
                       .from = "(SELECT device_id, 0 AS place, 'Tx (MB/s)' AS mode, max(tx) AS most, min(tx) AS least,"
                               " avg(tx) AS mean FROM r GROUP BY device_id UNION ALL SELECT device_id, 1, 'Rx (MB/s)',"
                               " max(rx), min(rx), avg(rx) FROM r GROUP BY device_id)",
                       .order_by = "device_id, place",
                   },
               .columns = table, .process = "HCCS", .number = LAYER_HCCS,
               .counters = COUNTER_LIST({.name = "'Tx'",
                                         .values = ONE_VALUE("Tx(MB/s)", "tx", .form = FORM_FLOAT),
                                         .query = {.with = RATES, .from = "r", .order_by = "device_id, time_ns"}},
                                        {.name = "'Rx'",
                                         .values = ONE_VALUE("Rx(MB/s)", "rx", .form = FORM_FLOAT),
                                         .query = {.with = RATES, .from = "r", .order_by = "device_id, time_ns"}})),
    EXPORTED_TABLE(.name = "HCCS",
                   .columns = EXPORTED_COLUMNS({"deviceId", "device_id", EXPORTED_INTEGER},
                                               {"timestampNs", "time_ns", EXPORTED_INTEGER},
                                               {"txThroughput", "tx * 1048576", EXPORTED_NUMERIC},
                                               {"rxThroughput", "rx * 1048576", EXPORTED_NUMERIC}),
                   .query = {.with = RATES, .from = "r", .order_by = "device_id, time_ns"}),
};
