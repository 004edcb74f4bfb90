/* SPDX-License-Identifier: Apache-2.0 */
/* Network traffic of the host: host_network.data. */
#include "parsers/kinds/common/text/usage_series.h"

static const struct column columns[] = {
    FILE_COLUMN,
    STAMP_COLUMN("host_ns", "The monotonic clock of the host."),
    TIME_COLUMN,
    TEXT_COLUMN_OF("card", "Card", "The network card."),
    BYTES_COLUMN("rx_bytes", "Received", "Bytes received so far."),
    BYTES_COLUMN("tx_bytes", "Sent", "Bytes sent so far."),
};

/* Bytes a second of the cards whose speed is known, and how many those are. A usage is that of the last card. */
#define USAGE                                                                                                          \
    "d AS (SELECT id, time_ns, card, setting('netCard.' || card, NULL) AS speed, rx_bytes - lag(rx_bytes) OVER w +"    \
    " tx_bytes - lag(tx_bytes) OVER w AS bytes, lag(time_ns) OVER w AS before_ns FROM host_network WINDOW w AS"        \
    " (PARTITION BY card ORDER BY id)), t AS (SELECT max(id) AS last_id, before_ns, sum(bytes) * 1.0 / count(*) /"     \
    " ((time_ns - before_ns) / 1e9) AS rate, count(*) AS cards FROM d WHERE speed IS NOT NULL AND speed <> -1 AND"     \
    " bytes >= 0 AND time_ns > before_ns GROUP BY time_ns, before_ns), u AS (SELECT t.*, d.speed FROM t JOIN d ON"     \
    " d.id = t.last_id)"

static const struct report_column value[] = {
    {"Usage(%)", "round(rate * 100 / (speed * 125000.0), 6)", .form = FORM_FLOAT}, {.title = NULL}};

const struct record_kind kind_host_network = {
    OWN_TABLE("host_network"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Network traffic of the host",
    .doc = "Bytes that a network card of the host has received and sent. Text: blocks of a time and /proc/net/dev.",
    .patterns = (const char *const[]){"host_network.data.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    /* Blocks of a time and what /proc/net/dev says. */
    LINES({"time {host_ns}", LINE_BLOCK}, {" {card}: {rx_bytes} {#7} {tx_bytes} {#7}", LINE_ROW},
          {" Inter-{~}", LINE_SKIP}, {" face{~}", LINE_SKIP}),
    SAMPLED_BY(.stamps = {{"host_ns", CLOCK_HOST_NS}}),
    ONE_SERIES(.name = "host_network_usage", .title = "Network traffic of the host",
               .doc = "How much the network cards of the host carried.",
               .query = {.with = USAGE, .from = "u", .group_by = "'host'"},
               .columns = VALUE_LIST({"Device_id", "'host'", .doc = "It is the host's."},
                                     {"Netcard Speed(KB/s)",
                                      "(SELECT sum(value) FROM setting WHERE name LIKE 'netCard.%' AND value <> -1 AND "
                                      "part_id = (SELECT id FROM"
                                      " capture_part WHERE is_host)) * 125000 / 1024.0",
                                      .form = FORM_FLOAT, .doc = "Speed of all cards together."},
                                     {"Peak Used Speed(KB/s)", "max(rate * cards / 1024)", .form = FORM_FLOAT,
                                      .doc = "The most that was carried."},
                                     {"Recommend Speed(KB/s)", USAGE_RECOMMENDED("rate * cards / 1024", "u"),
                                      .form = FORM_FLOAT, .doc = "Recommended speed."}),
               .layer = "network_usage", .process = "Network Usage", .number = LAYER_NETWORK_USAGE,
               .counters = ONE_COUNTER(.name = "'Network Usage'", .values = value,
                                       .query = {.with = USAGE, .from = "u", .order_by = "before_ns"},
                                       .time = "before_ns", .device = "NULL")),
    EXPORTED_TABLE(.name = "HOST_NETWORK_USAGE",
                   .columns = EXPORTED_COLUMNS({"timestampNs", "before_ns", EXPORTED_NUMERIC},
                                               {"usage", "round(rate * 100 / (speed * 125000.0), 6)", EXPORTED_NUMERIC},
                                               {"speed", "rate * cards", EXPORTED_NUMERIC}),
                   .query = {.with = USAGE, .from = "u", .order_by = "before_ns"}),
};
